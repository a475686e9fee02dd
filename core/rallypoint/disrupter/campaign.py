"""Campaigns: a series of battles between the same two forces, with Reserves (D-GM-3 to D-GM-7).

A campaign is a value with a text form, kept beside the battle files. A *slot* is a unit's place in the force as it was first
mustered, named by that unit's uid; who holds it changes when somebody dies and is replaced. A replacement has a uid of its
own: no uid comes back for another person.

::

    campaign = start("frontier", encounter.state, wins=2)
    agreed, forces = next_battle(campaign, scenario, encounter)       # what `opening` makes a first state of; then play it
    campaign = replaced(after(campaign, battle.state, "first.battle"))
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rallypoint.kernel.dice import D100, ByFace, Throw
from rallypoint.kernel.errors import InputError
from rallypoint.kernel.state import State

from .campaign_forces import changes, frozen, kind, next_battle, prepared, units_of
from .campaign_standing import RESERVE, Campaign, Ending, Fought, check_open, ending, is_of, read, slot_of, verdict
from .field import BATTLE, alive
from .hooks import DisrupterStep
from .modes import result
from .setup import left_off

__all__ = [
    "Campaign",
    "Ending",
    "Fought",
    "after",
    "changes",
    "concede",
    "ending",
    "forgotten",
    "next_battle",
    "prepared",
    "read",
    "removal_roll",
    "replaced",
    "slot_of",
    "start",
    "verdict",
]

_REMOVAL = ByFace.of(["incapacitated"] * 50 + ["dead"] * 50, ("incapacitated", "dead"))


def removal_roll(step: DisrupterStep, unit: str) -> str:
    """Roll what became of a unit that leaves the board in a campaign: below 50 incapacitated, else dead (D-GM-5)."""
    fell = step.grade(Throw(unit, "removal", D100), _REMOVAL)
    step.emit("campaign.removal", rule="D-GM-5", why={"unit": unit, "roll": fell})
    return fell.grade


def start(key: str, state: State, *, wins: int = 2, reserves: bool = True) -> Campaign:
    """Return a campaign of the forces in ``state``; whoever is dead by his roster leaves his slot empty.

    Args:
        key: what it is called.
        state: both forces, as they are mustered or as a battle of theirs starts.
        wins: how many battles win it (D-GM-3).
        reserves: whether each side has a Reserve of as many units as its force (D-GM-4).

    Raises:
        InputError: ``wins`` is less than 1, there are not two forces, or a uid is needed for somebody of the Reserve.
    """
    if wins < 1:
        raise InputError(
            "a campaign is won by one battle or more (D-GM-3)", where=key, found=wins, expected="1 or more"
        )
    units = units_of(state)
    if len({side for _, side in units.values()}) != 2:
        raise InputError("a campaign is fought by two forces (D-GM-3)", where=key, expected="two sides with units")
    taken = [f"{uid}{RESERVE}" for uid in units if f"{uid}{RESERVE}" in units]
    if taken:
        hint = "give the unit another id in its roster"
        raise InputError("this uid is needed for somebody of the Reserve", where=key, found=taken[0], hint=hint)
    dead = {uid for uid, fate in left_off(state).items() if fate == "dead"}
    return Campaign(
        key,
        wins,
        frozen({uid: side for uid, (_, side) in units.items()}),
        frozen({uid: kind(unit) for uid, (unit, _) in units.items()}),
        frozen({uid: None if uid in dead else uid for uid in units}),
        frozen({f"{uid}{RESERVE}": uid for uid in units} if reserves else {}),
    )


# After a battle


def after(campaign: Campaign, state: State, battle: str = "") -> Campaign:
    """Return the campaign after a battle: who died leaves his slot empty, everybody else comes again (D-GM-5, D-GM-6).

    Args:
        campaign: how it stood.
        state: the state in which the battle ended.
        battle: what its file is called.

    Raises:
        InputError: the battle is not over, or not one of a campaign, or other people's, or in it already, or the campaign is
            over.
    """
    check_open(campaign)
    _check_battle(campaign, state, battle)
    people = [uid for uid in campaign.holders.values() if uid is not None]
    fates = {uid: str(state[uid].statuses["out"].value) for uid in people if uid in state and not alive(state[uid])}
    holders = {
        slot: None if uid is not None and fates.get(uid) == "dead" else uid for slot, uid in campaign.holders.items()
    }
    ended: Any = result(state)
    fought = Fought(
        battle, state.digest, ended["winner"], ended["turn"], frozen(fates), campaign.holders, campaign.reserves
    )
    return campaign._replace(holders=frozen(holders), fought=(*campaign.fought, fought))


def _check_battle(campaign: Campaign, state: State, battle: str) -> None:
    where = battle or campaign.key
    if state[BATTLE].facts["mode"] != "campaign":
        hint = "the battles of a campaign are begun as such, so that dice say who is dead (D-GM-5)"
        raise InputError("this is no battle of a campaign", where=where, found=state[BATTLE].facts["mode"], hint=hint)
    for number, each in enumerate(campaign.fought, 1):
        if each.hash == state.digest:
            raise InputError("this battle is in the campaign already", where=where, found=f"as battle {number}")
    here = {uid: side for uid, (_, side) in units_of(state).items()}
    known = {uid: campaign.sides[slot] for slot, uid in campaign.holders.items() if uid is not None}
    # Who has come from the Reserve since the battle began is not missed in it.
    lacking = [uid for uid in known if uid not in here and uid in campaign.sides]
    strange = [*[uid for uid, side in here.items() if known.get(uid) != side], *lacking]
    if strange:
        found = f"{strange[0]}, who is {'not in the battle' if strange[0] in lacking else 'not in the campaign now'}"
        hint = "a battle is begun with those who hold the slots, and recorded before the next"
        raise InputError("others fought in this battle", where=where, found=found, hint=hint)
    if result(state) is None:
        raise InputError("this battle is not over", where=where, hint="play it to its end first")


def forgotten(campaign: Campaign) -> Campaign:
    """Return the campaign without what was taken in last: a side's giving up, or else the last battle with all that followed.

    Raises:
        InputError: nothing was.
    """
    if campaign.conceded is not None:
        return campaign._replace(conceded=None)
    if not campaign.fought:
        raise InputError("there is nothing to forget", where=campaign.key, found="no battle was recorded")
    last = campaign.fought[-1]
    return campaign._replace(holders=last.holders, reserves=last.reserves, fought=campaign.fought[:-1])


def concede(campaign: Campaign, side: str) -> Campaign:
    """Return the campaign after a side has surrendered it (D-GM-7).

    Raises:
        InputError: there is no such side, or the campaign is over.
    """
    check_open(campaign)
    if side not in campaign.sides.values():
        expected = " or ".join(sorted(set(campaign.sides.values())))
        raise InputError("this side is not in the campaign", where=campaign.key, found=side, expected=expected)
    return campaign._replace(conceded=side)


# Between battles


def replaced(campaign: Campaign, choices: Mapping[str, str | None] | None = None) -> Campaign:
    """Return the campaign with empty slots filled from the Reserve (D-GM-6).

    Args:
        campaign: how it stands after a battle.
        choices: which person of the Reserve takes which slot; ``None`` for the person: one with the slot's own class and gear.
            Without choices every empty slot gets such a person, as long as there is one.

    Raises:
        InputError: a slot is not empty, or a person is not in that side's Reserve or is named twice, or nobody has that class
            and gear, or a platoon would have two COs (D-R9.1), or the campaign is over.
    """
    check_open(campaign)
    holders, reserves = dict(campaign.holders), dict(campaign.reserves)
    empty = [slot for slot, uid in holders.items() if uid is None]
    wanted = dict.fromkeys(empty) if choices is None else choices
    for slot, named in sorted(wanted.items(), key=lambda choice: choice[1] is None):
        if slot not in empty:
            raise _not_empty(campaign, slot, empty)
        person = _like(campaign, reserves, slot) if named is None else named
        if person is None and choices is None:
            continue
        _check_person(campaign, reserves, slot, person)
        assert person is not None
        holders[slot] = person
        del reserves[person]
    return campaign._replace(holders=frozen(holders), reserves=frozen(reserves))


def _not_empty(campaign: Campaign, slot: str, empty: list[str]) -> InputError:
    """Return the error for a slot that nobody can take: there is none, or somebody who lives holds it."""
    side = campaign.sides.get(slot)
    if side is None:
        return InputError(
            "there is no such slot", where=campaign.key, found=slot, hint="campaign show --json lists all"
        )
    own = [each for each in empty if campaign.sides[each] == side]
    what = "this slot is not empty: who holds it lives"
    return InputError(
        what, where=campaign.key, found=slot, expected=", ".join(own) or f"none, {side} has no empty slot"
    )


def _like(campaign: Campaign, reserves: Mapping[str, str], slot: str) -> str | None:
    """Return somebody in reserve with a slot's class and gear: who was meant for it, else the first of that kind."""
    own = f"{slot}{RESERVE}"
    side, kind = campaign.sides[slot], campaign.kinds[slot]
    found = [uid for uid, other in reserves.items() if campaign.sides[other] == side and campaign.kinds[other] == kind]
    return own if own in reserves else next(iter(found), None)


def _check_person(campaign: Campaign, reserves: Mapping[str, str], slot: str, person: str | None) -> None:
    side = campaign.sides[slot]
    known = [uid for uid, other in reserves.items() if campaign.sides[other] == side]
    if person not in known:
        what = "this person is not in reserve" if person else "nobody in reserve has this class and gear"
        found = person or campaign.kinds[slot]
        raise InputError(what, where=slot, found=found, expected=", ".join(known) or "the Reserve is empty")
    if is_of(campaign, reserves[person], "CO") and not is_of(campaign, slot, "CO"):
        raise InputError("a CO takes a CO's place: a platoon has exactly one (D-R9.1)", where=slot, found=person)
