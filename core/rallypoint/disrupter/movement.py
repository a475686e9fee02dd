"""Rule 14: how far a team may move, and the move itself, hex by hex with Reaction Fire after each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from rallypoint.kernel.canonical import EMPTY, Value
from rallypoint.kernel.changes import DropStatus, SetAttribute, SetPlace
from rallypoint.kernel.errors import RuleError
from rallypoint.kernel.hexes import distance, neighbours, to_offset
from rallypoint.kernel.parts import Hex, Pose
from rallypoint.kernel.state import State
from rallypoint.kernel.step import Step
from rallypoint.kernel.tape import Choice, Option

from .activity import braced, fleeing, holds
from .checks import officer_near
from .cover import leave_cover
from .deploy import scenario_words
from .field import board, enemy, held, living, place, side_of, standing_in, teams, turn
from .hooks import DisrupterStep
from .modes import settle
from .rafts import company, detach, drives, floats, holed, raft_of, sails, vehicle
from .reaction import after_hex
from .records import Move
from .rulings import chosen

__all__ = [
    "Ground",
    "allowance",
    "allowance_on",
    "braced_team",
    "carry",
    "check_held",
    "ended",
    "enter",
    "ground",
    "halt_retreats",
    "move",
    "reachable",
    "stopped",
]


# How far


def allowance(source: DisrupterStep | State, team: str) -> int:
    """Return how many hexes a team may move in a Movement Action on dry ground (D-R14.2).

    Args:
        source: a step, and plugins may change the number; or a state, and the rule alone speaks.
        team: the team. A stand goes at the pace of its slowest living unit, a raft at its own.
    """
    state = source.state if isinstance(source, Step) else source
    raft = raft_of(state, team)
    if raft is not None and sails(state, team):
        item = vehicle(state, raft)
        hexes = item.number("M") if item is not None and not holed(state, raft) else 0
    else:
        paces = [unit.facts["movement"] for unit in living(state, team)]
        hexes = min([pace for pace in paces if isinstance(pace, int)], default=0)
    return source.hooks.move_plan(source, state[team], hexes) if isinstance(source, Step) else hexes


def allowance_on(hexes: int, fords: Sequence[bool], ruling: str) -> int:
    """Return how long a path may be at most, given which of its hexes are fords; the first is the one that is left.

    By default a path with a ford in it is one hex long (D-R14.5, D-AMB-22); by ruling ``whole_action`` the step into or
    out of a ford is the last.

    >>> allowance_on(2, [False, True], "one_hex"), allowance_on(2, [False, False, True], "whole_action")
    (1, 2)
    """
    if ruling == "one_hex":
        return min(hexes, 1) if any(fords) else hexes
    wet = [at for at in range(1, len(fords)) if fords[at] or fords[at - 1]]
    return min(hexes, wet[0]) if wet else hexes


class Ground(NamedTuple):
    """What a team can do with the hexes around it: the enemy's and friends' hexes, and how terrain treats it."""

    state: State
    options: Mapping[str, Value]
    floats: bool
    friends: frozenset[Hex]
    enemies: frozenset[Hex]

    def closed(self, at: Hex) -> tuple[str, str] | None:
        """Return rule and reason why nobody of this team can enter a hex, ``None`` if it can."""
        land = board(self.state)
        if not land.holds(at):
            return "D-R2.1", "this hex is not on the board"
        if at in self.enemies:
            return "D-R14.4", "an enemy holds this hex"
        word = land.terrain_at(at)
        terrain = None if word is None else scenario_words().terrain[word]
        if terrain is None or terrain.open_to == "all":
            return None
        if terrain.group == "building":
            enterable = chosen(self.options, "D-AMB-01") == "enterable_light_cover"
            return None if enterable else ("D-AMB-01", "a building cannot be entered")
        return None if terrain.open_to == "water" and self.floats else ("D-R14.5", "this water cannot be forded")

    def ford(self, at: Hex) -> bool:
        """Say whether a hex has a stream or river that is waded through (D-R14.5)."""
        word = board(self.state).terrain_at(at)
        terrain = None if word is None else scenario_words().terrain[word]
        return terrain is not None and terrain.group == "water" and terrain.open_to == "all" and not self.floats


def ground(state: State, options: Mapping[str, Value], team: str) -> Ground:
    """Return the ground as it lies before a team."""
    own, side = set(company(state, team)) if sails(state, team) else {team}, side_of(state, team)
    here = place(state, team)
    friends, enemies = held(state, side), held(state, enemy(state, side))
    if here is not None and own.issuperset(standing_in(state, side, here)):
        friends -= {Hex(here.q, here.r)}  # those who move with the team stand where it does
    return Ground(state, options, floats(state, team), friends, enemies)


def reachable(source: DisrupterStep | State, options: Mapping[str, Value], team: str) -> Mapping[Hex, tuple[Hex, ...]]:
    """Return every hex where a team's Movement Action can end, each with one of the shortest paths to it.

    Args:
        source: a step, so that plugins are asked, or a state.
        options: the rulings in force.
        team: the team; none of its hexes are reachable where it may not move at all.
    """
    state = source.state if isinstance(source, Step) else source
    start = place(state, team)
    if start is None or drives(state, team) or braced_team(state, team) is not None:
        return {}
    land, hexes = ground(state, options, team), allowance(source, team)
    return _spread(source, land, Hex(start.q, start.r), hexes, team)


def _spread(
    source: DisrupterStep | State, land: Ground, start: Hex, hexes: int, team: str
) -> Mapping[Hex, tuple[Hex, ...]]:
    ruling = chosen(land.options, "D-AMB-22")
    paths: dict[Hex, tuple[Hex, ...]] = {start: ()}
    edge = [start]
    while edge:
        further = []
        for here in edge:
            for at in neighbours(here):
                path = (*paths[here], at)
                if at in paths or land.closed(at) or _refused(source, team, at):
                    continue
                if len(path) <= allowance_on(hexes, [land.ford(each) for each in (start, *path)], ruling):
                    paths[at] = path
                    further.append(at)
        edge = further
    return {at: path for at, path in paths.items() if path and at not in land.friends}


def _refused(source: DisrupterStep | State, team: str, at: Hex) -> bool:
    return isinstance(source, Step) and not source.hooks.move_step(source, source.state[team], at)


def braced_team(state: State, team: str) -> str | None:
    """Return which of the teams that would move fired a weapon that does not move in the same turn (D-EQ-T1)."""
    moving = company(state, team) if sails(state, team) else (team,)
    return next((each for each in moving if braced(state, each)), None)


def check_held(state: State, team: str) -> None:
    """Refuse to move a team that a weapon keeps in its place for the turn (D-EQ-T1)."""
    braces = braced_team(state, team)
    if braces is not None:
        what = "a weapon that was fired keeps this team in its hex for the turn"
        raise RuleError(what, rule="D-EQ-T1", where=braces)


# The move


def move(step: DisrupterStep, team: str, path: tuple[Hex, ...]) -> None:
    """Move a team along a path, with Reaction Fire after each hex (D-R14.1, D-R15.1).

    The caller has spent the Movement Action. A team that loses its last unit stops; after losses its hexes are counted
    anew: what is left of the path may be too long, and with a faster stand there may be hexes to add (D-R15.4).

    Args:
        step: the step.
        team: the team.
        path: the hexes to enter, each beside the one before; it may lead through friends, not end among them.

    Raises:
        RuleError: the path is not one that the team may take; ``rule`` says why.
    """
    _check_path(step, team, path)
    start, pace = place(step.state, team), allowance(step, team)
    assert start is not None
    leave_cover(step, team, "D-AMB-41")
    trodden: list[Hex] = [start]
    for at in path:
        if _too_far(step, team, [*trodden, at]) and _alone(step, team):
            step.emit("move.cut_short", rule="D-R15.4", why={"team": team, "hexes": len(trodden) - 1})
            break
        enter(step, team, at, "D-R14.1")
        trodden.append(at)
        if stopped(step, team):
            break
    else:
        _go_further(step, team, trodden, pace)
    if living(step.state, team):
        ended(step, Move(team, tuple(trodden[1:])))


def ended(step: DisrupterStep, move: Move) -> None:
    """Let plugins say what comes of a movement, and tell them where it ended; of a dead team nobody asks."""
    changes = step.hooks.move_made(step, step.state[move.team], move)
    if changes:
        words = "{team}: what comes of its movement"
        step.emit("move.made", *changes, rule="D-R14.1", why={"team": move.team, "words": words})
    step.hooks.move_end(step, step.state[move.team], move)


def _check_path(step: DisrupterStep, team: str, path: tuple[Hex, ...]) -> None:
    state = step.state
    here = place(state, team)
    if here is None or not living(state, team):
        raise RuleError("this team is not on the board", rule="D-R14.1", where=team)
    if drives(state, team):
        raise RuleError("this vehicle moves by templates, not by hexes", rule="D-VE-3", where=team, hint="drive it")
    check_held(state, team)
    if not path:
        raise RuleError("a path enters at least one hex", rule="D-R14.1", where=team)
    land, before = ground(state, step.options, team), here
    for at in path:
        if distance(before, at) != 1:
            found = f"from {_named(before)} to {_named(at)}"
            raise RuleError("a path goes from hex to neighbouring hex", rule="D-R14.1", where=team, found=found)
        closed = land.closed(at)
        if closed is not None:
            raise RuleError(closed[1], rule=closed[0], where=team, found=_named(at))
        if _refused(step, team, at):
            raise RuleError("a plugin refuses this step", rule="D-R14.4", where=team, found=_named(at))
        before = at
    if before in land.friends:
        found = _named(before)
        raise RuleError("one stand fills a hex: a friend stands there", rule="D-R14.3", where=team, found=found)
    pace = allowance(step, team)
    if len(path) > pace:
        raise RuleError(
            "this is further than the slowest unit goes", rule="D-R14.2", where=team, found=len(path), expected=pace
        )
    if _too_far(step, team, [here, *path]):
        raise RuleError("a team that fords moves one hex", rule="D-R14.5", where=team, found=len(path), hint="D-AMB-22")


def _named(at: Hex) -> str:
    """Return the name of a hex on the map; one left of or above the map has none."""
    from rallypoint.content.scenario_terrain import coordinate

    column, row = to_offset(at)
    return coordinate(at) if column >= 0 and row >= 0 else f"{at.q}, {at.r}"


def _too_far(step: DisrupterStep, team: str, hexes: Sequence[Hex]) -> bool:
    """Say whether a path (with the hex that it starts from) is longer than the team may go as it is now."""
    land = ground(step.state, step.options, team)
    ruling = chosen(step.options, "D-AMB-22")
    most = allowance_on(allowance(step, team), [land.ford(at) for at in hexes], ruling)
    return len(hexes) - 1 > most


def _alone(step: DisrupterStep, team: str) -> bool:
    """Say whether a team shares its hex with no friend, so that it can stop there (D-R14.3)."""
    return place(step.state, team) not in ground(step.state, step.options, team).friends


def enter(step: DisrupterStep, team: str, at: Hex, rule: str) -> None:
    """Move a team into the next hex, with its raft and those in it; then the enemy may react (D-R15.1, D-EQ-V2)."""
    carry(step, team, at, "move.step", rule, {"from": place(step.state, team), "to": at})
    step.call(after_hex, team)


def carry(
    step: DisrupterStep, team: str, at: Hex | Pose, kind: str, rule: str, how: Mapping[str, object] = EMPTY
) -> None:
    """Put a team somewhere, with its raft and those in it, and tell so; ``how`` is what else the event says (D-EQ-V2)."""
    detach(step, team)
    state = step.state
    together = company(state, team)
    changes: list[SetPlace | SetAttribute] = [SetPlace(each, at) for each in together]
    for each in together:
        if each != team:
            changes += [SetAttribute(each, name, turn(state)) for name in ("moved", "walked")]
    why: dict[str, object] = {"team": team, **how}
    if len(together) > 1:
        why["with"] = tuple([each for each in together if each != team])
    step.emit(kind, *changes, rule=rule, why=why)
    for each in together:
        if each != team:
            leave_cover(step, each, "D-AMB-41")
    halt_retreats(step, side_of(state, team))


def stopped(step: DisrupterStep, team: str) -> bool:
    """Say whether a moving team goes no further: it is gone, the battle is over, or its nerve broke on the way (D-R15.4).

    Where it stands among friends it first goes on to a free hex. By ruling D-R15.4 ``goes_on`` only losses stop it.
    """
    if settle(step) or not living(step.state, team):
        return True
    if chosen(step.options, "D-R15.4") == "goes_on":
        return False
    broken = fleeing(step.state, team) or holds(step.state, team, "suppressed")
    if broken and _alone(step, team):
        step.emit("move.broken_off", rule="D-R15.4", why={"team": team})
        return True
    return False


def _go_further(step: DisrupterStep, team: str, trodden: list[Hex], pace: int) -> None:
    """Let a team that became faster by its losses add hexes to its move (D-R15.4)."""
    while allowance(step, team) > pace:
        land = ground(step.state, step.options, team)
        nearby = [
            at
            for at in neighbours(trodden[-1])
            if not land.closed(at) and at not in land.friends and not _refused(step, team, at)
        ]
        nearby = [at for at in nearby if not _too_far(step, team, [*trodden, at])]
        if not nearby:
            return
        options = [Option("stop", "stop here"), *[Option(f"{at.q},{at.r}", f"on to {at.q}, {at.r}") for at in nearby]]
        chosen_key = step.choose(Choice(side_of(step.state, team), "move.further", tuple(options), team)).key
        found = next((at for at in nearby if f"{at.q},{at.r}" == chosen_key), None)
        if found is None:
            return
        enter(step, team, found, "D-R15.4")
        trodden.append(found)
        if stopped(step, team):
            return


def halt_retreats(step: DisrupterStep, side: str) -> None:
    """End the retreat of every team that has a friendly Officer within Close Range now (D-PT-T4)."""
    for team in teams(step.state, side):
        if "retreating" not in team.statuses:
            continue
        officer = officer_near(step.state, living(step.state, team.uid)[0], own=True)
        if officer is not None:
            why = {"team": team.uid, "officer": officer}
            step.emit("retreat.halted", DropStatus(team.uid, "retreating"), rule="D-PT-T4", why=why)
