"""Wounds, and what follows when somebody falls: removal, Stress, Panic Checks, a new CO (D-R6.4, D-R8.6, D-R8.7, D-R9.6)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, TypeAlias

from rallypoint.kernel.changes import SetStatus, SetTracker
from rallypoint.kernel.parts import Status
from rallypoint.kernel.state import Entity, State

from .campaign import removal_roll
from .field import BATTLE, alive, hexes_apart, is_bot, platoon, platoons, side_of, sides, team_of, teams, turn
from .hooks import DisrupterStep
from .modes import settle, surrendered
from .panic import platoon_panic, team_panic
from .records import Allocation
from .rulings import chosen
from .stress import change_stress
from .succession import appoint, succeed

__all__ = ["Removal", "remove", "remove_all", "wound", "wound_together"]

Removal: TypeAlias = Literal["dead", "incapacitated", "ran", "missing"]
"""What became of a unit that is out."""


def wound(step: DisrupterStep, allocations: tuple[Allocation, ...], rule: str) -> None:
    """Give Wounds to units that are hit together.

    First all Wounds are taken and those who have no more left are removed, then each casualty is followed up, in the order of
    ``allocations`` (D-AMB-10). Wounds beyond what a unit can take, or for one who is out already, are lost.
    """
    wound_together(step, [(given, rule) for given in allocations])


def wound_together(step: DisrupterStep, allocations: Sequence[tuple[Allocation, str]]) -> None:
    """Give Wounds as :func:`wound` does, each allocation by a rule of its own."""
    fallen = [given.unit for given, rule in allocations if _hurt(step, given, rule)]
    if fallen:
        step.call(_follow_up, tuple(fallen))


def remove(step: DisrupterStep, unit: str, value: Removal, rule: str) -> None:
    """Take one unit out of the fight, whatever its Wounds; ``value`` says what became of it."""
    _take_out(step, step.state[unit], value, rule)
    step.call(_follow_up, (unit,))


def remove_all(step: DisrupterStep, units: tuple[str, ...], value: Removal, rule: str) -> None:
    """Take several units out of the fight together, whatever their Wounds; then each is followed up, in this order."""
    for unit in units:
        _take_out(step, step.state[unit], value, rule)
    step.call(_follow_up, units)


def _hurt(step: DisrupterStep, given: Allocation, rule: str) -> bool:
    """Give one unit its Wounds and say whether it falls."""
    unit = step.state[given.unit]
    wounds = step.hooks.harm_apply(step, unit, given.wounds) if alive(unit) else given.wounds
    if wounds <= 0:
        return False
    taken = unit.trackers["Wounds"]
    value = taken.clamp(taken.value + wounds) if alive(unit) else taken.value
    why: dict[str, object] = {"unit": unit.uid, "wounds": wounds}
    if lost := wounds - (value - taken.value):
        why["lost"] = lost
    if value == taken.value:
        step.emit("wounds.lost", rule="D-R16.10", why=why)
        return False
    step.emit("wounds", SetTracker(unit.uid, "Wounds", value), rule=rule, why=why)
    if value != taken.max:
        return False
    _take_out(step, unit, _became(step, unit), "D-R6.4")
    return True


def _became(step: DisrupterStep, unit: Entity) -> str:
    """Return what became of a unit at its last Wound: in a campaign dice say (D-GM-5), else it is dead (D-AMB-03)."""
    said = step.hooks.harm_removed(step, unit)
    if said is not None:
        return said
    return removal_roll(step, unit.uid) if _is_campaign(step.state) else "dead"


def _is_campaign(state: State) -> bool:
    return state[BATTLE].facts["mode"] == "campaign"


def _take_out(step: DisrupterStep, unit: Entity, value: str, rule: str) -> None:
    out = Status("out", value, since=turn(step.state))
    step.emit("unit.removed", SetStatus(unit.uid, out), rule=rule, why={"unit": unit.uid, "became": value})


def _follow_up(step: DisrupterStep, fallen: tuple[str, ...]) -> None:
    """Do what follows from casualties: a new CO, Stress, the platoon's and the teams' Panic Checks (D-R8.6, D-R8.7).

    Of a platoon that has just surrendered nobody is left to mind; teams of other platoons beside the casualty do.
    """
    for side in sides(step.state):
        for own in platoons(step.state, side):
            if own.attributes.get("co") in fallen:
                step.call(succeed, own.uid)
        if step.state[side].attributes.get("co") in fallen:
            step.call(appoint, side)
    if settle(step):  # a side without Officers surrenders at once (D-R9.7)
        return
    once = chosen(step.options, "D-AMB-10") == "one_check_per_team"
    shaken: dict[str, None] = {}
    for uid in fallen:
        if not _is_mourned(step, step.state[uid]):
            continue
        if _is_death(step, step.state[uid]) and not surrendered(step.state, platoon(step.state, uid).uid):
            change_stress(step, uid, 1, "a human death", "D-R8.6", uid)
            step.call(platoon_panic, uid)
        if once:
            shaken.update(dict.fromkeys(_witnesses(step.state, uid)))
        else:
            _check_teams(step, _witnesses(step.state, uid))
    _check_teams(step, shaken)


def _check_teams(step: DisrupterStep, names: Iterable[str]) -> None:
    for team in names:
        step.call(team_panic, team)


def _is_mourned(step: DisrupterStep, unit: Entity) -> bool:
    """Say whether a casualty is a human, whose fall his friends feel (D-R8.6 to D-R8.8)."""
    said = step.hooks.harm_mourned(step, unit)
    return not is_bot(unit) if said is None else said


def _is_death(step: DisrupterStep, unit: Entity) -> bool:
    """Say whether a removal is a friendly death (D-R8.6): outside campaigns any by Wounds, unless by ruling the dead only."""
    became = unit.statuses["out"].value
    if became == "incapacitated":
        return chosen(step.options, "D-AMB-03") == "any_removal" and not _is_campaign(step.state)
    return became == "dead"


def _witnesses(state: State, uid: str) -> tuple[str, ...]:
    """Return the teams that must check for a casualty: its own first, then friends within Close Range, the nearest first."""
    own = team_of(state, uid).uid
    near: list[tuple[bool, int, str]] = []
    for team in teams(state, side_of(state, uid)):
        apart = hexes_apart(state, uid, team.uid)
        if team.uid == own or (apart is not None and apart <= 1):
            near.append((team.uid != own, apart or 0, team.uid))
    return tuple([team for _, _, team in sorted(near)])
