"""The beam of a Laser Cutter: a straight line through everything, to the edge of the board (D-EQ-T9, D-AMB-38)."""

from __future__ import annotations

from typing import NamedTuple

from rallypoint.kernel.hexes import distance, line
from rallypoint.kernel.parts import Hex
from rallypoint.kernel.state import State

from .field import board, hex_of, living, place, side_of, sides, team_of, teams
from .records import Attack

__all__ = ["Aim", "aim_of", "path", "struck_by"]


class Aim(NamedTuple):
    """Where a beam is pointed: through a hex; where the line runs between two hexes it takes the right one or the left."""

    through: Hex
    left: bool = False


def aim_of(state: State, attack: Attack) -> Aim | None:
    """Return where a beam is pointed: at an enemy, or ``@q,r`` or ``@q,r,left`` for any other hex; ``None`` if nowhere.

    >>> aim_of(State.of([]), Attack("red-1", "laser_cutter", "@3,-1,left"))
    Aim(through=Hex(q=3, r=-1, facing=None), left=True)
    """
    if attack.target.startswith("@"):
        words = attack.target[1:].split(",")
        try:
            through = Hex(int(words[0]), int(words[1]))
        except (ValueError, IndexError):
            return None
        aim = Aim(through, words[2:] == ["left"])
        own = place(state, attack.shooter) if attack.shooter in state else None
        return None if through == own or words[2:] not in ([], ["left"], ["right"]) else aim
    target = state.get(attack.target)
    if target is None or target.role not in ("team", "unit") or not living(state, team_of(state, attack.target).uid):
        return None
    at = place(state, attack.target)
    if (
        at is None
        or at == place(state, attack.shooter)
        or side_of(state, attack.target) == side_of(state, attack.shooter)
    ):
        return None
    return Aim(at)


def path(state: State, start: Hex, aim: Aim) -> tuple[Hex, ...]:
    """Return the hexes that a beam passes, the nearest first: from beside the firer to the edge of the board."""
    land = board(state)
    q, r = aim.through.q - start.q, aim.through.r - start.r
    # Far enough to leave the board: the same line, only longer.
    times = 2 * (land.columns + land.rows) // distance(start, aim.through) + 1
    passed: list[Hex] = []
    for at in line(start, Hex(start.q + q * times, start.r + r * times), left=aim.left)[1:]:
        if not land.holds(at):
            break
        passed.append(at)
    return tuple(passed)


def struck_by(state: State, attack: Attack) -> tuple[str, ...]:
    """Return the units in a beam's path, friend or foe, in or out of cover, the nearest first."""
    start, aim = place(state, attack.shooter), aim_of(state, attack)
    if start is None or aim is None:
        return ()
    found: list[str] = []
    for at in path(state, start, aim):
        for side in sides(state):
            for team in teams(state, side):
                if hex_of(state, team) == at:
                    found += [unit.uid for unit in living(state, team.uid)]
    return tuple(found)
