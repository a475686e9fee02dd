"""Where tokens stand on the scene: hexes, points, and four places in a hex."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from rallypoint.kernel.board import Board
from rallypoint.kernel.encounter import Encounter
from rallypoint.kernel.hexes import to_offset
from rallypoint.kernel.state import Entity, Hex, Pose

__all__ = ["HEX_PIXELS", "Spot", "board_pixels", "corner", "on_board", "parade_board", "spots"]

HEX_PIXELS = 120
"""Width of a hex on the scene, from side to side."""

_QUARTERS = ((-1, -1), (1, -1), (-1, 1), (1, 1))


class Spot(NamedTuple):
    """Where the middle of a token is: ``column`` and ``row`` of the hex (odd-r), and pixels from the middle of that hex."""

    column: int
    row: int
    right: int
    down: int


def board_pixels(board: Board) -> tuple[int, int]:
    """Return width and height of the scene in whole pixels.

    >>> board_pixels(Board(2, 2))
    (300, 243)
    """
    width, height = board.size
    scale = HEX_PIXELS / board.hex_mm
    return -int(-width * scale // 1), -int(-height * scale // 1)


def corner(spot: Spot, spaces: float) -> tuple[int, int]:
    """Return the top left corner of a token that is ``spaces`` hexes wide and high and stands on a spot.

    A hex on its corner is 2/sqrt 3 times as high as wide, and so is a token on it.

    >>> corner(Spot(0, 0, 0, 0), 1), corner(Spot(0, 1, 0, 0), 0)
    ((0, 0), (120, 173))
    """
    across = HEX_PIXELS
    x = across * (spot.column + (spot.row & 1) / 2) + across / 2 + spot.right
    y = across * 3**0.5 / 2 * spot.row + across / 3**0.5 + spot.down
    return round(x - across * spaces / 2), round(y - across * spaces / 3**0.5)


def on_board(board: Board, place: Hex) -> bool:
    """Say whether a hex is one of the board's."""
    column, row = to_offset(place)
    return 0 <= column < board.columns and 0 <= row < board.rows


def _quarter(number: int) -> tuple[int, int]:
    """Return the pixels by which the ``number``-th token of a hex is away from its middle; no two stand alike.

    After four, the next four stand a little closer in, so that each can still be seen and taken hold of.
    """
    right, down = _QUARTERS[number % 4]
    ring = number // 4
    away = HEX_PIXELS // 4 - 7 * (ring % 4)
    return right * away + ring // 4, down * away


def _standing(encounter: Encounter, entity: Entity) -> Entity:
    """Return the entity whose place this one has: itself, or the nearest above that has one."""
    step = entity
    while step.place is None and step.parent is not None:
        step = encounter.state[step.parent]
    return step if step.place is not None else entity


def spots(encounter: Encounter, board: Board, units: Iterable[Entity]) -> tuple[dict[str, Spot], dict[str, str]]:
    """Return the spots of those who stand on the board, and why the others do not, both by uid.

    A unit stands where it is itself, else where its team is; up to four in a hex are at fixed places.
    """
    found: dict[str, Spot] = {}
    off: dict[str, str] = {}
    crowd: dict[tuple[int, int], int] = {}
    for unit in units:
        place = _standing(encounter, unit).place
        if isinstance(place, Pose):
            found[unit.uid] = _of_pose(place, board)
        elif isinstance(place, Hex) and on_board(board, place):
            column, row = to_offset(place)
            number = crowd[column, row] = crowd.get((column, row), -1) + 1
            found[unit.uid] = Spot(column, row, *_quarter(number))
        else:
            off[unit.uid] = "stands nowhere" if place is None else "stands on no hex of the board"
    return found, off


def _of_pose(place: Pose, board: Board) -> Spot:
    """Return a point as pixels from the middle of hex (0, 0)."""
    scale = HEX_PIXELS / board.hex_mm
    x, y = board.point(Hex(0, 0))
    return Spot(0, 0, round((place.x - x) * scale), round((place.y - y) * scale))


def parade_board(encounter: Encounter, units: Iterable[Entity]) -> tuple[Board, dict[str, Spot]]:
    """Return a small board on which everybody lines up: a team in a hex, a squad in a row, an empty row between sides."""
    rows: list[list[list[str]]] = []
    by_squad: dict[str | None, list[list[str]]] = {}
    by_team: dict[str | None, list[str]] = {}
    last: str | None = None
    for unit in units:
        chain = [unit.uid]
        step = unit
        while step.parent is not None:
            step = encounter.state[step.parent]
            chain.append(step.uid)
        team, squad, side = chain[min(1, len(chain) - 1)], chain[min(2, len(chain) - 1)], chain[-1]
        if squad not in by_squad:
            if last not in (None, side):
                rows.append([])
            rows.append(by_squad.setdefault(squad, []))
            last = side
        if team not in by_team:
            by_squad[squad].append(by_team.setdefault(team, []))
        by_team[team].append(unit.uid)
    found = {
        uid: Spot(column + 1, row + 1, *_quarter(number))
        for row, squads in enumerate(rows)
        for column, crew in enumerate(squads)
        for number, uid in enumerate(crew)
    }
    wide = max((len(row) for row in rows), default=0)
    return Board(max(wide + 2, 6), max(len(rows) + 2, 6)), found
