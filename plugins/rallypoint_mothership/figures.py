"""Who fights, as a roster says it: contractors, PCs and horrors; what is tracked of them besides Wounds.

A unit of a roster may have these fields, each alone: ``figure`` (``pc`` or ``horror``), ``health`` (points of Health for each Wound),
``own_stress`` (a PC's Stress), ``armor_points`` and ``damage_reduction``, where those of the armour are not right.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, NamedTuple, TypeAlias, cast, get_args

from rallypoint.disrupter.field import is_bot
from rallypoint.kernel.canonical import EMPTY, Value
from rallypoint.kernel.encounter import Encounter
from rallypoint.kernel.errors import InputError, RuleError
from rallypoint.kernel.parts import Tracker
from rallypoint.kernel.state import Entity, State

from .carried import Carried, carried_contractor
from .conversion import protection, twin_of
from .options import figures_count, is_on, least_stress, rolls_dice

__all__ = [
    "ARMOR",
    "HEALTH",
    "STRESS",
    "Kind",
    "Protection",
    "kind_of",
    "own_dice",
    "protection_of",
    "tracked",
]

Kind: TypeAlias = Literal["pc", "horror", "contractor"]
"""What somebody is in a session of Mothership; who is not said to be anything else is a contractor."""

HEALTH, ARMOR, STRESS = "Health", "AP", "Stress"
"""The trackers: Health and Armour Points run down, Stress runs up."""

_RULE = "D-MO-PC"
_MOST = 999
_MOST_STRESS = 20
_HEAVY, _LIGHT = 80, 60
"""Armor in percent from which armour of homebrewers protects as Battle Dress, and as Combat Armor."""


class Protection(NamedTuple):
    """Armour Points while the armour is whole, and Damage Reduction."""

    points: int
    reduction: int


def _extra(unit: Entity) -> Mapping[str, Value]:
    found = unit.facts.get("extra", EMPTY)
    return found if isinstance(found, Mapping) else EMPTY


def _number(unit: Entity, name: str, low: int, high: int) -> int | None:
    """Return a number of a roster's own, ``None`` where it says nothing; a CSV file has it as text."""
    value = _extra(unit).get(name)
    if value is None or value == "":
        return None
    number = int(value) if isinstance(value, str) and value.isdecimal() and len(value) < 6 else value
    if isinstance(number, bool) or not isinstance(number, int) or not low <= number <= high:
        expected = f"a whole number from {low} to {high}"
        what = f"the field {name} of a unit does not fit"
        raise RuleError(what, rule=_RULE, where=unit.uid, found=value, expected=expected)
    return number


def kind_of(unit: Entity) -> Kind:
    """Return what somebody is.

    Raises:
        RuleError: the roster says something else.
    """
    said = _extra(unit).get("figure", "contractor")
    if said not in get_args(Kind):
        expected = ", ".join(get_args(Kind))
        raise RuleError("there is no such figure", rule=_RULE, where=unit.uid, found=said, expected=expected)
    return cast("Kind", said)


def protection_of(unit: Entity) -> Protection:
    """Return the protection of a unit with whole armour.

    The roster's own fields count first, then what the contractor wears that the unit was, then the tables for its armour or
    model; armour that these do not know protects as its Armor stat says.
    """
    points = _number(unit, "armor_points", 0, _MOST)
    reduction = _number(unit, "damage_reduction", 0, _MOST)
    worn = _worn(unit)
    return Protection(worn.points if points is None else points, worn.reduction if reduction is None else reduction)


def _carried(unit: Entity) -> Carried | None:
    try:
        return carried_contractor(unit)
    except InputError as error:  # the roster is at fault, not this plugin
        raise RuleError(f"a roster carries a broken contractor: {error}", rule=_RULE, where=unit.uid) from error


def _worn(unit: Entity) -> Protection:
    carried = _carried(unit)
    if carried is not None and carried.same_armor and carried.contractor.armor:
        worn = [each for each in carried.contractor.armor if each.equipped]
        return Protection(sum(each.armor_points for each in worn), sum(each.damage_reduction for each in worn))
    wears = unit.facts.get("bot_key") or unit.facts.get("armor_key")
    known = protection(wears) if isinstance(wears, str) else None
    if known is not None:
        return Protection(*known)
    stat = unit.facts.get("armor")
    number = stat if isinstance(stat, int) and wears else 0
    like = "battle_dress" if number >= _HEAVY else "combat_armor" if number >= _LIGHT else ""
    return Protection(*(protection(like) or (0, 0)))


def own_dice(unit: Entity) -> Mapping[str, tuple[str, bool]]:
    """Return dice of the contractor that a unit was, by the weapon that stands for them; and whether they are anti-armour."""
    carried = _carried(unit)
    if carried is None or not carried.same_weapons:
        return MappingProxyType({})
    wears = str(unit.facts.get("bot_key") or unit.facts.get("armor_key") or "combat_armor")
    found: dict[str, tuple[str, bool]] = {}
    for weapon in carried.contractor.weapons:
        key = twin_of(weapon, wears, is_bot(unit))
        if key is not None and weapon.damage:
            found.setdefault(key, (weapon.damage, weapon.anti_armor))
    return MappingProxyType(found)


# What is tracked


def tracked(options: Mapping[str, Value], encounter: Encounter) -> Encounter:
    """Return an encounter with what these rulings track besides, and without the Stress of a force of horrors alone."""
    if not (rolls_dice(options) or figures_count(options)):
        return encounter
    entities = [_with_trackers(options, entity, encounter.state) for entity in encounter.state]
    state = State.of(entities, encounter.state.links.values(), encounter.state.agenda)
    sheets = dict(encounter.sheets)
    for entity in entities:
        sheet, more = sheets.get(entity.uid), _stats(entity)
        if sheet is not None and more:
            sheets[entity.uid] = sheet._replace(stats=MappingProxyType({**sheet.stats, **more}))
    return encounter._replace(state=state, sheets=MappingProxyType(sheets))


def _stats(entity: Entity) -> Mapping[str, int]:
    """Return what a sheet or a card shows of somebody in full health and whole armour."""
    most = {name: entity.trackers[name].max for name in (HEALTH, ARMOR) if name in entity.trackers}
    found = {name: value for name, value in most.items() if value is not None}
    reduction = entity.facts.get("damage_reduction")
    return {**found, "Damage Reduction": reduction} if isinstance(reduction, int) else found


def _with_trackers(options: Mapping[str, Value], entity: Entity, state: State) -> Entity:
    trackers = dict(entity.trackers)
    facts: dict[str, Value] = {}
    if entity.role == "unit":
        if rolls_dice(options):
            facts = _armor(options, entity, trackers)
        if figures_count(options):
            _own_trackers(options, entity, trackers)
    elif entity.role == "platoon" and figures_count(options) and STRESS in trackers:
        _platoon_stress(options, entity, state, trackers)
    if trackers == entity.trackers and not facts:
        return entity
    return entity._replace(
        trackers=MappingProxyType(trackers),
        facts=MappingProxyType({**entity.facts, **facts}) if facts else entity.facts,
    )


def _armor(options: Mapping[str, Value], unit: Entity, trackers: dict[str, Tracker]) -> dict[str, Value]:
    if not is_on(options, "D-MO-R16.2.armor"):
        return {}
    points, reduction = protection_of(unit)
    if points and ARMOR not in trackers:
        trackers[ARMOR] = Tracker(points, 0, points, "down")
    return {"damage_reduction": reduction} if reduction else {}


def _own_trackers(options: Mapping[str, Value], unit: Entity, trackers: dict[str, Tracker]) -> None:
    health = _number(unit, "health", 1, _MOST)
    if health is not None and rolls_dice(options) and HEALTH not in trackers:
        trackers[HEALTH] = Tracker(health, 0, health, "down")
    own = _number(unit, "own_stress", 0, _MOST_STRESS)
    if kind_of(unit) == "pc" and is_on(options, "D-MO-PC.stress") and STRESS not in trackers:
        least = least_stress(options)
        trackers[STRESS] = Tracker(max(own or 0, least), least, _MOST_STRESS, "up")


def _platoon_stress(options: Mapping[str, Value], platoon: Entity, state: State, trackers: dict[str, Tracker]) -> None:
    units = list(state.below(platoon.uid, "unit"))
    if units and all(kind_of(unit) == "horror" for unit in units):
        del trackers[STRESS]
    elif not is_on(options, "D-MO-PC.stress"):
        brought = [_number(unit, "own_stress", 0, _MOST_STRESS) or 0 for unit in units if kind_of(unit) == "pc"]
        tracker = trackers[STRESS]
        trackers[STRESS] = tracker._replace(value=max(tracker.value, *brought, 0))
