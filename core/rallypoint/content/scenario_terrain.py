"""What stands on a board: drawn by rows of signs, or scattered from a seed."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from rallypoint.kernel.answers import Seed
from rallypoint.kernel.board import Board
from rallypoint.kernel.dice import Die, Throw
from rallypoint.kernel.hexes import from_offset, line, neighbours, to_offset
from rallypoint.kernel.parts import Hex

from .problems import Problems
from .scenario_words import ScenarioWords, Terrain

__all__ = ["OPEN", "Scatter", "board_of_signs", "coordinate", "hex_at", "scattered", "without"]

OPEN = "."
"""The sign of open ground."""


class Scatter(NamedTuple):
    """How to scatter terrain.

    ``density`` is the share of all hexes that is terrain, ``buildings`` the share of that terrain (water not counted)
    that is buildings, ``water`` the key of the water that runs across the board, if any.
    """

    seed: str
    density: float = 0.5
    buildings: float = 0.25
    water: str | None = None


def coordinate(place: Hex) -> str:
    """Return the name of a hex as it stands on the picture: a letter for the column, the row from 1.

    >>> coordinate(Hex(2, 0)), coordinate(Hex(25, 3)), coordinate(Hex(26, 0))
    ('C1', 'AA4', 'AA1')
    """
    column, row = to_offset(place)
    letters = ""
    column += 1
    while column > 0:
        column, rest = divmod(column - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return f"{letters}{row + 1}"


def hex_at(text: str) -> Hex | None:
    """Return the hex of a name such as ``C4``, or ``None`` if it is no such name.

    >>> hex_at("AA4"), hex_at("4C")
    (Hex(q=25, r=3, facing=None), None)
    """
    letters = text.strip().rstrip("0123456789").upper()
    digits = text.strip()[len(letters) :]
    if not 1 <= len(letters) <= 2 or not letters.isascii() or not letters.isalpha() or not 1 <= len(digits) <= 3:
        return None
    if int(digits) < 1:
        return None
    column = 0
    for letter in letters:
        column = 26 * column + ord(letter) - ord("A") + 1
    return from_offset(column - 1, int(digits) - 1)


def board_of_signs(text: str, words: ScenarioWords, problems: Problems, first: int | None) -> Board:
    """Return the board that rows of signs draw; blanks do not count, so that odd rows may be moved to the right.

    Args:
        text: a row a line, a sign a hex.
        words: the game's signs.
        problems: takes signs that mean nothing and rows of different lengths.
        first: the line of the first row in the file.
    """
    rows = [
        ("".join(row.split()), None if first is None else first + number) for number, row in enumerate(text.split("\n"))
    ]
    rows = [(row, where) for row, where in rows if row]
    terrain: dict[Hex, str] = {}
    known = words.signs
    columns = len(rows[0][0]) if rows else 0
    for number, (row, where) in enumerate(rows):
        if len(row) != columns:
            problems.add(
                "rows of different lengths",
                where,
                found=f"{len(row)} signs",
                expected=f"{columns}, as in the first row",
            )
        for column, sign in enumerate(row):
            if sign in known:
                terrain[from_offset(column, number)] = known[sign]
            elif sign != OPEN:
                expected = ", ".join([f"{OPEN} open ground", *[f"{key} {known[key]}" for key in known]])
                problems.add(
                    "a sign that means nothing", where, found=f"{sign} at sign {column + 1}", expected=expected
                )
    return Board(columns, len(rows), terrain)


def scattered(columns: int, rows: int, how: Scatter, words: ScenarioWords) -> Board:
    """Return a board with terrain from a seed: the same seed and size give the same board on every run.

    Water runs from the left edge to the right one. The rest lies in patches of one to four hexes of one kind.
    """
    terrain: dict[Hex, str] = {}
    seed = Seed(f"{how.seed}/{columns}x{rows}")
    if how.water is not None:
        terrain.update(dict.fromkeys(_course(columns, rows, seed), how.water))
    free = [place for place in Board(columns, rows).hexes() if place not in terrain]
    wanted = min(max(round(how.density * columns * rows) - len(terrain), 0), len(free))
    buildings = round(wanted * how.buildings)
    kinds = [_of(words, "building"), _of(words, "cover")]
    for kind, count in zip(kinds, (buildings, wanted - buildings), strict=True):
        _scatter(terrain, free, kind, count, seed)
    return Board(columns, rows, dict(sorted(terrain.items(), key=lambda item: (item[0].r, item[0].q))))


def without(board: Board, places: Collection[Hex]) -> Board:
    """Return a board with open ground in some hexes, such as Rally Points: chance puts nothing on them."""
    return board._replace(terrain={at: kind for at, kind in board.terrain.items() if at not in places})


def _of(words: ScenarioWords, group: str) -> tuple[Terrain, ...]:
    return tuple([each for each in words.terrain.values() if each.group == group])


def _die(seed: Seed, purpose: str, sides: int, ordinal: int) -> int:
    """Return a number from 0 to ``sides`` - 1."""
    return seed.faces(Throw("board", purpose, Die(0, sides - 1)), 0, ordinal)[0]


def _course(columns: int, rows: int, seed: Seed) -> Iterator[Hex]:
    """Yield a winding course through the middle third of the board, from edge to edge."""
    third = max(rows // 3, 1)
    points = [0, columns // 3, 2 * columns // 3, columns - 1]
    bends = [from_offset(column, third + _die(seed, "water", third, number)) for number, column in enumerate(points)]
    for start, end in pairwise(bends):
        yield from line(start, end)


def _scatter(terrain: dict[Hex, str], free: list[Hex], kinds: Sequence[Terrain], count: int, seed: Seed) -> None:
    """Put ``count`` hexes of these kinds onto free hexes, in patches."""
    if not kinds:
        return
    left = count
    group = kinds[0].group
    for patch in range(count):
        if left == 0:
            return
        kind = kinds[_die(seed, f"{group} kind", len(kinds), patch)]
        centre = free[_die(seed, f"{group} place", len(free), patch)]
        size = min(1 + _die(seed, f"{group} size", 4, patch), left)
        start = _die(seed, f"{group} side", 6, patch)
        around = neighbours(centre)
        for place in (centre, *around[start:], *around[:start])[: size + 2]:
            if place in free and size > 0:
                free.remove(place)
                terrain[place] = kind.key
                size, left = size - 1, left - 1


def share(board: Board, among: Mapping[str, Terrain]) -> float:
    """Return how much of a board is terrain, from 0 to 1."""
    return sum(kind in among for kind in board.terrain.values()) / (board.columns * board.rows)
