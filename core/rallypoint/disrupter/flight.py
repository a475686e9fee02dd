"""Retreat and rout over turns: where teams whose nerve broke run, and when they stop (D-PT-T4, D-PT-T5)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from rallypoint.kernel.changes import Change, DropLink, DropStatus, SetPlace
from rallypoint.kernel.hexes import distance, neighbours, to_offset
from rallypoint.kernel.parts import Hex
from rallypoint.kernel.state import State

from .activity import braced
from .cover import is_light_cover, leave_cover
from .field import board, edge, hex_of, living, place, rally_points, side_of, teams
from .harm import remove_all
from .hooks import DisrupterStep
from .modes import settle
from .movement import Ground, allowance, allowance_on, enter, ground, halt_retreats
from .rafts import ABOARD, company, drives, raft_of, sails
from .rulings import chosen

__all__ = ["edge_distance", "flee"]


def flee(step: DisrupterStep, team: str) -> None:
    """Move a retreating or routed team as far as it goes in its Movement portion (D-PT-T4, D-PT-T5).

    The caller has spent the Movement Action. Enemies react to it as to any mover. A team that fired a weapon which is not
    moved in the same turn stays (D-EQ-T1), and so does a vehicle off the grid: panic names no template (D-VE-3).
    """
    if drives(step.state, team):
        step.emit("flight.held", rule="D-VE-3", why={"team": team})
        return
    if "routed" in step.state[team].statuses:
        _rout(step, team)
    elif "retreating" in step.state[team].statuses:
        _retreat(step, team)


# Retreat


def _retreat(step: DisrupterStep, team: str) -> None:
    """Fall back to the closest Rally Point, or the own edge where there is none; an Officer near ends it (D-PT-T4)."""
    halt_retreats(step, side_of(step.state, team))
    _run(step, team, "retreating", lambda: _shelter(step, team), "D-PT-T4")
    if "retreating" in step.state[team].statuses and place(step.state, team) in _shelter(step, team):
        why = {"team": team, "at": place(step.state, team)}
        step.emit("retreat.over", DropStatus(team, "retreating"), rule="D-PT-T4", why=why)


def _shelter(step: DisrupterStep, team: str) -> frozenset[Hex]:
    """Return where a retreat ends: the closest Rally Point, or the own edge of a side that has none.

    Where nobody can stand there, because it is taken, on closed ground or walled in, the nearest hexes will do that are free
    and open. Enemies who bar the way there do not end a retreat.
    """
    state = step.state
    here, side = place(state, team), side_of(state, team)
    assert here is not None
    points = rally_points(state, side)
    if not points:
        return frozenset([at for at in board(state).hexes() if edge_distance(state, side, at) == 0])
    goal = min(points.values(), key=lambda point: distance(here, point))
    taken = {hex_of(state, other) for other in teams(state) if other.uid not in company(state, team)}
    land = ground(state, step.options, team)._replace(enemies=frozenset())
    free = [at for at in _steps_from(land, [here]) if at not in taken]
    near = min((distance(at, goal) for at in free), default=0)
    return frozenset([at for at in free if distance(at, goal) == near])


# Rout


def _rout(step: DisrupterStep, team: str) -> None:
    """Run from cover to cover towards the own edge, and off the board there (D-PT-T5)."""
    left = _run(step, team, "routed", lambda: _refuge(step, team), "D-PT-T5")
    at = place(step.state, team)
    runs_on = left > 0 and bool(living(step.state, team)) and "routed" in step.state[team].statuses
    if runs_on and at is not None and edge_distance(step.state, side_of(step.state, team), at) == 0:
        _leave(step, team)


def _refuge(step: DisrupterStep, team: str) -> frozenset[Hex]:
    """Return where a rout runs next: the nearest light cover nearer to the own edge, else the hexes of the edge itself."""
    state, options = step.state, step.options
    here, side = place(state, team), side_of(state, team)
    assert here is not None
    now = edge_distance(state, side, here)
    land = ground(state, options, team)
    away = _steps_from(land, [here])
    cover = [
        at
        for at in away
        if is_light_cover(state, options, at) and edge_distance(state, side, at) < now and at not in land.friends
    ]
    if cover:
        near = min(away[at] for at in cover)
        return frozenset([at for at in cover if away[at] == near])
    return frozenset([at for at in away if edge_distance(state, side, at) == 0])


def _leave(step: DisrupterStep, team: str) -> None:
    """Take a routed team off the board: its units have run; they are gone, not dead (D-PT-T5)."""
    gone = company(step.state, team) if sails(step.state, team) else (team,)
    at = place(step.state, team)
    links = [DropLink(*link.key) for link in step.state.linked(ABOARD) if link.source in gone or link.target in gone]
    for each in gone:
        leave_cover(step, each, "D-PT-T5")
    units = tuple([unit.uid for each in gone for unit in living(step.state, each)])
    remove_all(step, units, "ran", "D-PT-T5")
    changes: list[Change] = [*links, *[SetPlace(each, None) for each in gone]]
    step.emit("rout.left_board", *changes, rule="D-PT-T5", why={"teams": gone, "from": at})


def edge_distance(state: State, side: str, at: Hex) -> int:
    """Return how many hexes lie between a hex and its side's own table edge, 0 on the edge; of a corner the nearer edge."""
    land = board(state)
    column, row = to_offset(at)
    steps = {"top": row, "bottom": land.rows - 1 - row, "left": column, "right": land.columns - 1 - column}
    return min(steps[part] for part in edge(state, side).split("-"))


# Running


def _run(step: DisrupterStep, team: str, status: str, goals: Callable[[], frozenset[Hex]], rule: str) -> int:
    """Run hex by hex towards the goals while the status holds, and return how many hexes are left over.

    Goals and way are found anew after each hex; one that may stop on a friend's hex first goes on to a free one.
    """
    if braced(step.state, team):
        step.emit("flight.held", rule="D-EQ-T1", why={"team": team})
        return 0
    start = place(step.state, team)
    assert start is not None
    trodden, way = [start], tuple[Hex, ...]()
    while living(step.state, team):
        land, here = ground(step.state, step.options, team), trodden[-1]
        if status in step.state[team].statuses:
            aims = goals()
            if here in aims and not _among_friends(land, here, team):
                break
            way = _way(step, land, trodden, aims, team)
        elif not _among_friends(land, here, team):
            break
        if not way:
            break
        if len(trodden) == 1:
            leave_cover(step, team, "D-AMB-41")
        enter(step, team, way[0], rule)
        trodden.append(way[0])
        way = way[1:]
        if settle(step):
            break
    return allowance(step, team) - (len(trodden) - 1)


def _among_friends(land: Ground, here: Hex, team: str) -> bool:
    """Say whether a team stands on a friend's hex, where it cannot stop (D-R14.3); a raft that it rides in is no such friend."""
    rides = raft_of(land.state, team) is not None and not sails(land.state, team)
    return here in land.friends and not rides


def _way(step: DisrupterStep, land: Ground, trodden: Sequence[Hex], aims: frozenset[Hex], team: str) -> tuple[Hex, ...]:
    """Return the way to the hex within reach that is nearest to the goals, empty where none is nearer than here."""
    left = _steps_from(land, aims)
    here = trodden[-1]
    far = len(left) + board(land.state).columns * board(land.state).rows
    best: tuple[Hex, ...] = ()
    shortest = far if _among_friends(land, here, team) else left.get(here, far)
    for at, path in _within_reach(step, land, trodden, team):
        if at not in land.friends and left.get(at, far) < shortest:
            best, shortest = path, left.get(at, far)
    return best


def _within_reach(
    step: DisrupterStep, land: Ground, trodden: Sequence[Hex], team: str
) -> Iterator[tuple[Hex, tuple[Hex, ...]]]:
    """Yield every hex that can still be entered in this action with the shortest way to it, the nearest first."""
    hexes, ruling = allowance(step, team), chosen(step.options, "D-AMB-22")
    known = {trodden[-1]}
    edge: list[tuple[Hex, ...]] = [()]
    while edge:
        further = []
        for path in edge:
            for at in neighbours(path[-1] if path else trodden[-1]):
                whole = (*trodden, *path, at)
                fords = [land.ford(each) for each in whole]
                if at in known or land.closed(at) or len(whole) - 1 > allowance_on(hexes, fords, ruling):
                    continue
                known.add(at)
                further.append((*path, at))
                yield at, (*path, at)
        edge = further


def _steps_from(land: Ground, places: Iterable[Hex]) -> Mapping[Hex, int]:
    """Return how many steps away from the nearest of these places every hex is, over ground that the team can enter."""
    steps = dict.fromkeys(places, 0)
    edge = list(steps)
    while edge:
        further = []
        for here in edge:
            for at in neighbours(here):
                if at not in steps and not land.closed(at):
                    steps[at] = steps[here] + 1
                    further.append(at)
        edge = further
    return steps
