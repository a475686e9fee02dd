"""The forces of a campaign's next battle: what was pinned of them, who comes, everybody rested (D-GM-6)."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from rallypoint.kernel.canonical import freeze
from rallypoint.kernel.errors import InputError
from rallypoint.kernel.state import Entity, State

from .campaign_standing import Campaign, check_open, is_of, slot_of
from .field import sides
from .setup import FATE

if TYPE_CHECKING:
    from rallypoint.content.scenario import Scenario
    from rallypoint.kernel.encounter import Encounter

__all__ = ["changes", "frozen", "kind", "next_battle", "prepared", "units_of"]


def units_of(state: State) -> Mapping[str, tuple[Entity, str]]:
    """Return all units with their sides, by uid."""
    return {unit.uid: (unit, side) for side in sides(state) for unit in state.below(side, "unit")}


def frozen(rows: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a frozen copy with sorted keys."""
    found = freeze(rows)
    assert isinstance(found, Mapping)
    return found


def kind(unit: Entity) -> str:
    """Return what a unit is, in one line: class, armour or model, weapons, stats."""
    facts, wounds = unit.facts, unit.trackers.get("Wounds")
    worn = facts.get("armor_key") or facts.get("bot_key") or "no armour"
    carried: Any = facts.get("weapons", ())
    stats = f"I {facts.get('instinct')} A {facts.get('armor')} W {wounds and wounds.max} M {facts.get('movement')}"
    return ", ".join([str(facts.get("class")), str(worn), *carried, stats])


def changes(campaign: Campaign, state: State) -> tuple[str, ...]:
    """Name what is otherwise in the forces of ``state`` than when the campaign began: who came or went, other classes and gear."""
    units = units_of(state)
    found = [f"{uid} is not there any more" for uid in campaign.sides if uid not in units]
    for uid, (unit, side) in units.items():
        if campaign.sides.get(uid) != side:
            found.append(f"{uid} is new on the side {side}")
        elif campaign.kinds[uid] != kind(unit):
            found.append(f"{uid} was {campaign.kinds[uid]}, and is {kind(unit)}")
    return tuple(found)


def next_battle(campaign: Campaign, scenario: Scenario, encounter: Encounter) -> tuple[Scenario, Encounter]:
    """Return what the next battle of a campaign starts from: the scenario in the mode Campaign, and who comes.

    Args:
        campaign: how it stands.
        scenario: what was agreed for this battle.
        encounter: the forces as they were first mustered, on the scenario's board.

    Raises:
        InputError: see :func:`prepared`.
    """
    state = prepared(campaign, encounter.state)
    sheets = {uid: sheet for uid, sheet in encounter.sheets.items() if uid in state}
    for slot, uid in campaign.holders.items():
        if uid is not None and uid != slot:
            sheet, code = encounter.sheets[slot_of(campaign, uid)], encounter.sheets[slot].code
            sheets[uid] = sheet._replace(uid=uid, name=f"Reserve {sheet.role}", code=code)
    title = f"{scenario.title}, battle {len(campaign.fought) + 1}"
    agreed = scenario._replace(mode="campaign", title=title)
    return agreed, encounter._replace(title=title, state=state, sheets=MappingProxyType(sheets))


def prepared(campaign: Campaign, state: State) -> State:
    """Return the forces of the next battle: everybody rested, the dead replaced or missing (D-GM-6).

    Args:
        campaign: how it stands.
        state: the forces as they were first mustered, on whatever board.

    Raises:
        InputError: the forces in ``state`` are others, every Officer of a side is dead, or the campaign is over.
    """
    check_open(campaign)
    units = units_of(state)
    if set(units) != set(campaign.holders):
        strange = sorted(set(units).symmetric_difference(campaign.holders))[0]
        raise InputError("these are not the forces of this campaign", where=campaign.key, found=strange)
    _check_officers(campaign)
    entities = []
    for entity in state:
        if entity.role == "platoon":
            entities.append(_rested(_led(campaign, state, entity)))
        elif entity.role == "team":
            held = any(campaign.holders[unit.uid] is not None for unit in state.below(entity.uid, "unit"))
            entities.append(entity if held else entity._replace(place=None))
        elif entity.role != "unit":
            entities.append(entity)
        elif (holder := campaign.holders[entity.uid]) is not None:
            origin = state[slot_of(campaign, holder)]
            entities.append(_rested(entity._replace(uid=holder, facts=origin.facts, trackers=origin.trackers)))
    return State.of([Entity(*entity) for entity in entities], state.links.values(), state.agenda)


def _check_officers(campaign: Campaign) -> None:
    """Refuse a battle that a side would lose before it has begun (D-R9.7)."""
    for side in sorted(set(campaign.sides.values())):
        people = [uid for slot, uid in campaign.holders.items() if uid is not None and campaign.sides[slot] == side]
        if not any(is_of(campaign, slot_of(campaign, uid), "CO", "NCO") for uid in people):
            what = "this side has no Officer, so that it would surrender at once (D-R9.7)"
            raise InputError(what, where=side, hint="replace one from the Reserve, or concede")


def _rested(entity: Entity) -> Entity:
    """Return somebody without Wounds, Stress, statuses, and what his roster says became of him."""
    trackers = {name: each._replace(value=each.min or 0) for name, each in entity.trackers.items()}
    extra = entity.facts.get("extra")
    facts = dict(entity.facts)
    if isinstance(extra, Mapping):
        facts["extra"] = {name: value for name, value in extra.items() if name != FATE}
    return entity._replace(trackers=MappingProxyType(trackers), statuses=frozen({}), facts=frozen(facts))


def _led(campaign: Campaign, state: State, platoon: Entity) -> Entity:
    """Return a platoon with a CO who is there: the first CO, else the first NCO (D-R9.6)."""
    people = [campaign.holders[slot.uid] for slot in state.below(platoon.uid, "unit")]
    here = [(uid, state[slot_of(campaign, uid)].facts["class"]) for uid in people if uid is not None]
    leaders = [uid for word in ("CO", "NCO") for uid, kind in here if kind == word]
    attributes = {name: value for name, value in platoon.attributes.items() if name != "co"}
    if leaders:
        attributes["co"] = leaders[0]
    return platoon._replace(attributes=frozen(attributes))
