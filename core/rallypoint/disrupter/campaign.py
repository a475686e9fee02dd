"""Campaigns: a series of battles between the same two forces, with Reserves (D-GM-3 to D-GM-7).

A campaign is a value with a text form, kept beside the battle files. A *slot* is a unit's place in the force as it was first
mustered, named by that unit's uid; who holds it changes when somebody dies and is replaced. A replacement has a uid of its
own: no uid comes back for another person.

::

    campaign = start("frontier", first_state(...), wins=2)
    battle = Battle.start(game, prepared(campaign, first_state(...)), ...)      # then play it
    campaign = replaced(after(campaign, battle.state))
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from rallypoint.kernel.canonical import canonical, freeze, parse
from rallypoint.kernel.dice import D100, ByFace, Throw
from rallypoint.kernel.errors import InputError, StateError
from rallypoint.kernel.state import Entity, State

from .field import alive, sides
from .hooks import DisrupterStep
from .modes import result

__all__ = ["Campaign", "Fought", "after", "concede", "prepared", "removal_roll", "replaced", "start", "verdict"]

_REMOVAL = ByFace.of(["incapacitated"] * 50 + ["dead"] * 50, ("incapacitated", "dead"))

NOTHING: Mapping[str, str] = MappingProxyType({})


def removal_roll(step: DisrupterStep, unit: str) -> str:
    """Roll what became of a unit that leaves the board in a campaign: below 50 incapacitated, else dead (D-GM-5)."""
    fell = step.grade(Throw(unit, "removal", D100), _REMOVAL)
    step.emit("campaign.removal", rule="D-GM-5", why={"unit": unit, "roll": fell})
    return fell.grade


class Fought(NamedTuple):
    """One battle of a campaign: who won (a side or ``draw``), in which turn it ended, and what became of whom."""

    winner: str
    turn: int
    fates: Mapping[str, str]


class Campaign(NamedTuple):
    """How a campaign stands.

    ``holders`` maps each slot to the uid of who holds it, ``None`` where he died and nobody has come; ``reserves`` maps each
    person in reserve to the slot whose class and gear he has; ``sides`` maps each slot to its side.
    """

    key: str
    wins: int
    sides: Mapping[str, str]
    holders: Mapping[str, str | None]
    reserves: Mapping[str, str]
    fought: tuple[Fought, ...] = ()
    conceded: str | None = None

    def to_text(self) -> str:
        """Return the canonical text; :meth:`from_text` reads it back."""
        return canonical({"campaign": 1, **self._asdict(), "fought": [each._asdict() for each in self.fought]})

    @classmethod
    def from_text(cls, text: str) -> Campaign:
        """Return the campaign that :meth:`to_text` wrote.

        Raises:
            StateError: this is none, or of another version.
        """
        document: Any = parse(text, "campaign")
        if not isinstance(document, Mapping) or document.get("campaign") != 1:
            raise StateError("this is not a campaign of version 1", found=text[:40])
        fields = {name: value for name, value in document.items() if name != "campaign"}
        try:
            return cls(**{**fields, "fought": tuple([Fought(**row) for row in fields["fought"]])})
        except (KeyError, TypeError) as error:
            raise StateError("this campaign does not fit together", found=repr(error)) from None


def start(key: str, state: State, *, wins: int = 2) -> Campaign:
    """Return a campaign of the forces in ``state``, each with a Reserve of as many units (D-GM-4).

    Args:
        key: what it is called.
        state: a first state of both forces.
        wins: how many battles win it (D-GM-3).

    Raises:
        InputError: ``wins`` is less than 1.
    """
    if wins < 1:
        raise InputError("a campaign is won by one battle or more", where=key, found=wins)
    owners = {unit.uid: side for side in sides(state) for unit in state.below(side, "unit")}
    reserves = {f"{uid}.reserve": uid for uid in owners}
    return Campaign(key, wins, freeze_map(owners), freeze_map({uid: uid for uid in owners}), freeze_map(reserves))


def freeze_map(rows: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a frozen copy with sorted keys."""
    frozen = freeze(rows)
    assert isinstance(frozen, Mapping)
    return frozen


def after(campaign: Campaign, state: State) -> Campaign:
    """Return the campaign after a battle: who died leaves his slot empty, everybody else comes again (D-GM-5, D-GM-6).

    Args:
        campaign: how it stood.
        state: the state in which the battle ended.

    Raises:
        InputError: the battle is not over, or the campaign is.
    """
    ended = result(state)
    if ended is None:
        raise InputError("this battle is not over", where=campaign.key)
    if verdict(campaign) is not None:
        raise InputError("this campaign is over", where=campaign.key, found=verdict(campaign))
    fates = {
        uid: str(state[uid].statuses["out"].value)
        for uid in campaign.holders.values()
        if uid is not None and uid in state and not alive(state[uid])
    }
    holders = {
        slot: None if uid is not None and fates.get(uid) == "dead" else uid for slot, uid in campaign.holders.items()
    }
    turn = ended["turn"]
    assert isinstance(turn, int)
    fought = Fought(str(ended["winner"]), turn, freeze_map(fates))
    return campaign._replace(holders=freeze_map(holders), fought=(*campaign.fought, fought))


def replaced(campaign: Campaign, choices: Mapping[str, str] = NOTHING) -> Campaign:
    """Return the campaign with empty slots filled from the Reserve (D-GM-6).

    Args:
        campaign: how it stands after a battle.
        choices: which person of the Reserve takes which slot. An empty slot that is not named gets the person with its own
            class and gear, as long as he is in reserve.

    Raises:
        InputError: a slot is not empty, or a person is not in that side's Reserve or is named twice.
    """
    holders, reserves = dict(campaign.holders), dict(campaign.reserves)
    for slot, person in choices.items():
        if slot not in holders or holders[slot] is not None:
            raise InputError("there is no such empty slot", where=campaign.key, found=slot)
        if person not in reserves or campaign.sides[reserves[person]] != campaign.sides[slot]:
            raise InputError("this person is not in reserve", where=slot, found=person)
        holders[slot] = person
        del reserves[person]
    for slot, holder in holders.items():
        if holder is None and f"{slot}.reserve" in reserves:
            holders[slot] = f"{slot}.reserve"
            del reserves[f"{slot}.reserve"]
    return campaign._replace(holders=freeze_map(holders), reserves=freeze_map(reserves))


def prepared(campaign: Campaign, state: State) -> State:
    """Return the first state of the next battle: everybody rested, the dead replaced or missing (D-GM-6).

    Args:
        campaign: how it stands.
        state: a first state of the forces as they were first mustered, on whatever board.

    Raises:
        InputError: the forces in ``state`` are others.
    """
    slots = {unit.uid for side in sides(state) for unit in state.below(side, "unit")}
    if slots != set(campaign.holders):
        strange = sorted(slots.symmetric_difference(campaign.holders))[0]
        raise InputError("these are not the forces of this campaign", where=campaign.key, found=strange)
    entities = []
    for entity in state:
        if entity.role != "unit":
            entities.append(_led(campaign, state, entity) if entity.role == "platoon" else entity)
            continue
        holder = campaign.holders[entity.uid]
        if holder is not None:
            facts = state[_origin(holder)].facts
            trackers = state[_origin(holder)].trackers
            entities.append(entity._replace(uid=holder, facts=facts, trackers=trackers))
    return State.of([Entity(*entity) for entity in entities], state.links.values(), state.agenda)


def _origin(holder: str) -> str:
    """Return the slot whose class and gear a person has."""
    return holder.removesuffix(".reserve")


def _led(campaign: Campaign, state: State, platoon: Entity) -> Entity:
    """Return a platoon with a CO who is there: the first CO, else the first NCO (D-R9.6)."""
    people = []
    for slot in state.below(platoon.uid, "unit"):
        holder = campaign.holders[slot.uid]
        if holder is not None:
            people.append((holder, state[_origin(holder)].facts["class"]))
    leaders = [uid for word in ("CO", "NCO") for uid, kind in people if kind == word]
    attributes = {name: value for name, value in platoon.attributes.items() if name != "co"}
    if leaders:
        attributes["co"] = leaders[0]
    return platoon._replace(attributes=freeze_map(attributes))


def concede(campaign: Campaign, side: str) -> Campaign:
    """Return the campaign after a side has surrendered it (D-GM-7)."""
    if side not in campaign.sides.values():
        raise InputError("this side is not in the campaign", where=campaign.key, found=side)
    return campaign._replace(conceded=side)


def verdict(campaign: Campaign) -> str | None:
    """Return the side that has won, ``draw``, or ``None`` while the campaign goes on (D-GM-3, D-GM-7).

    A side wins by the agreed number of battles, when the other's force and Reserve are gone, or when the other gives up.
    """
    names = sorted(set(campaign.sides.values()))
    if campaign.conceded is not None:
        return next(name for name in names if name != campaign.conceded)
    for name in names:
        if sum(each.winner == name for each in campaign.fought) >= campaign.wins:
            return name
    left = {side for slot, side in campaign.sides.items() if campaign.holders[slot] is not None}
    left |= {campaign.sides[slot] for slot in campaign.reserves.values()}
    if len(left) == len(names):
        return None
    return left.pop() if left else "draw"
