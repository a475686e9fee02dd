"""Rule 16, spotting: marks on targets, what they do and when they go (D-R16.2, D-AMB-23)."""

from __future__ import annotations

from collections.abc import Sequence

from rallypoint.kernel.canonical import Value
from rallypoint.kernel.changes import DropLink, SetLink
from rallypoint.kernel.errors import RuleError
from rallypoint.kernel.parts import Link
from rallypoint.kernel.state import Entity, State

from .checks import check
from .cover import leave_cover
from .field import alive, living, place, place_named, side_of, team_of, teams, turn
from .hooks import DisrupterStep
from .records import Attack, CheckRequest
from .rulings import chosen
from .sight import sees

__all__ = ["check_spot", "forget", "marks", "spend_marks", "spot", "spotted", "spotted_by_other"]


def check_spot(step: DisrupterStep, unit: str, target: str) -> None:
    """Refuse what cannot be spotted.

    Raises:
        RuleError: the unit is out, or the target is no living enemy in its line of sight.
    """
    state = step.state
    spotter = state.get(unit)
    if spotter is None or spotter.role != "unit" or not alive(spotter):
        raise RuleError("only a living unit can spot", rule="D-R16.2", where=unit)
    aimed = state.get(target)
    if aimed is None or aimed.role not in ("team", "unit") or not _living(state, aimed):
        raise RuleError("only a living team or unit can be spotted", rule="D-R16.2", where=unit, found=target)
    if side_of(state, target) == side_of(state, unit):
        raise RuleError("only an enemy can be spotted", rule="D-R16.2", where=unit, found=target)
    if not sees(state, step.options, unit, target):
        raise RuleError("there is no line of sight", rule="D-R16.2", where=unit, found=target)


def spot(step: DisrupterStep, unit: str, target: str) -> bool:
    """Let a unit try to spot an enemy team or unit, and say whether it did.

    A mark holds until the end of the turn, or by ruling ``D-AMB-23.life`` until the next shot at its target. The target's stand
    loses its cover, or by ruling ``D-AMB-23.cover`` keeps it, without use against whom has the mark.
    """
    check_spot(step, unit, target)
    if not check(step, CheckRequest((unit,), "instinct", "spot", target), "D-R16.2").success:
        return False
    state, now = step.state, turn(step.state)
    until = now if chosen(step.options, "D-AMB-23.life") == "turn" else None
    mark = Link("spot", team_of(state, unit).uid, target, _spotters(state, unit, target), now, until)
    step.emit("spot", SetLink(mark), rule="D-R16.2", why={"unit": unit, "target": target})
    if chosen(step.options, "D-AMB-23.cover") == "lost":
        leave_cover(step, team_of(state, target).uid, "D-R16.2")
    return True


def _spotters(state: State, unit: str, target: str) -> Value:
    """Return who has spotted a target, of one team: a unit, or several where one spots what a comrade has spotted."""
    old = state.links.get(("spot", team_of(state, unit).uid, target))
    if old is None or old.value == unit:
        return unit
    known = old.value if isinstance(old.value, tuple) else (old.value,)
    return known if unit in known else (*known, unit)


def marks(state: State, side: str, target: str) -> tuple[Link, ...]:
    """Return the marks of a side on a target; a mark on a team is one on each of its units.

    On a place (``@3,-1``) are the marks on whoever stands there, or on one of them (D-IF-5).
    """
    at = place_named(target)
    if at is None:
        names = {target, team_of(state, target).uid}
    else:
        there = [team.uid for team in teams(state) if place(state, team.uid) == at]
        names = {*there, *[unit.uid for team in there for unit in living(state, team)]}
    return tuple(
        [mark for mark in state.linked("spot") if mark.target in names and side_of(state, mark.source) == side]
    )


def spotted(state: State, side: str, target: str) -> bool:
    """Say whether a side has spotted a team or unit."""
    return bool(marks(state, side, target))


def spotted_by_other(state: State, unit: str, target: str) -> bool:
    """Say whether another unit of its side than ``unit`` has spotted a target (D-EQ-T8, D-EQ-T12)."""
    return any(mark.value != unit for mark in marks(state, side_of(state, unit), target))


def spend_marks(step: DisrupterStep, attacks: Sequence[Attack]) -> None:
    """Take away the marks on what a team has just shot at, where they last that long only."""
    if chosen(step.options, "D-AMB-23.life") != "next_shot":
        return
    side = side_of(step.state, attacks[0].shooter)
    for target in dict.fromkeys([attack.target for attack in attacks]):
        if target in step.state or place_named(target) is not None:
            _drop(step, marks(step.state, side, target))


def forget(step: DisrupterStep) -> None:
    """Take away the marks that hold until this turn's end: it is there (D-AMB-23)."""
    now = turn(step.state)
    _drop(step, tuple([mark for mark in step.state.linked("spot") if mark.until is not None and mark.until <= now]))


def _drop(step: DisrupterStep, gone: tuple[Link, ...]) -> None:
    if gone:
        step.emit("spot.forgotten", *[DropLink(*mark.key) for mark in gone], rule="D-R16.2")


def _living(state: State, aimed: Entity) -> bool:
    return bool(living(state, aimed.uid)) if aimed.role == "team" else alive(aimed)
