"""Rule 13: light cover, taken, used and lost.

What cover does to checks (Instinct [-], Armor [+]) is said with the other modifiers in :mod:`rallypoint.disrupter.checks`; what
taking and leaving it costs, where actions are spent.
"""

from __future__ import annotations

from collections.abc import Mapping

from rallypoint.kernel.canonical import Value
from rallypoint.kernel.changes import DropStatus, SetStatus
from rallypoint.kernel.errors import RuleError
from rallypoint.kernel.parts import Hex, Status
from rallypoint.kernel.state import State

from .activity import holds
from .deploy import scenario_words
from .field import board, place, turn
from .hooks import DisrupterStep
from .rulings import chosen

__all__ = ["after_firing", "is_light_cover", "leave_cover", "take_cover", "under_cover"]


def is_light_cover(state: State, options: Mapping[str, Value], at: Hex) -> bool:
    """Say whether a hex has light cover (D-R2.2); by ruling D-AMB-01 a building can be some."""
    terrain = board(state).terrain_at(at)
    if terrain is None:
        return False
    group = scenario_words().terrain[terrain].group
    return group == "cover" or (group == "building" and chosen(options, "D-AMB-01") == "enterable_light_cover")


def under_cover(state: State, team: str) -> bool:
    """Say whether a stand is Under Cover (D-R13.1)."""
    return holds(state, team, "under_cover")


def take_cover(step: DisrupterStep, team: str) -> None:
    """Put a stand Under Cover (D-R13.1).

    Raises:
        RuleError: it is under cover, there is no light cover in its hex, or a plugin forbids it.
    """
    state, at = step.state, place(step.state, team)
    if under_cover(state, team):
        raise RuleError("this stand is under cover already", rule="D-R13.1", where=team)
    if at is None or not is_light_cover(state, step.options, at):
        found = None if at is None else board(state).terrain_at(at) or "open ground"
        raise RuleError("there is no light cover here", rule="D-R13.1", where=team, found=found)
    if not step.hooks.cover_test(step, state[team], at):
        raise RuleError("a plugin forbids to take cover here", rule="D-R13.1", where=team)
    step.emit("cover.taken", SetStatus(team, Status("under_cover", since=turn(state))), rule="D-R13.1")


def leave_cover(step: DisrupterStep, team: str, rule: str) -> None:
    """End a stand's cover, if it has any; ``rule`` says why: it moved, it fired, it was spotted, or it chose to."""
    if "under_cover" in step.state[team].statuses:
        step.emit("cover.lost", DropStatus(team, "under_cover"), rule=rule, why={"team": team})


def after_firing(step: DisrupterStep, team: str) -> None:
    """Take the cover of a stand that has just fired (D-R13.2): at once, or by ruling D-AMB-21 when the turn ends."""
    if chosen(step.options, "D-AMB-21") == "at_once":
        leave_cover(step, team, "D-R13.2")
        return
    cover = step.state[team].statuses.get("under_cover")
    if cover is not None and cover.until is None:
        step.emit("cover.ends", SetStatus(team, cover._replace(until=turn(step.state))), rule="D-R13.2")
