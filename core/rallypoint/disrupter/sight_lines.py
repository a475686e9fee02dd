"""Can a straight line be drawn between two hexes, past other hexes? Exact, in whole numbers.

An affine map makes the corners of all hexes whole: the centre of a hex lies at (2q + r, 3r), its corners at (0, ±2) and
(±1, ±1) around it. Such a map keeps lines straight and sides apart, and nothing else is needed here.

**The question.** Is there a segment from a point of hex A to a point of hex B (both with their rims) that does not pass
through any obstacle? Where two obstacles share a side they are one, by ruling D-LOS.gap: nothing passes between them. What only
touches an obstacle's rim passes, or does not, by ruling D-LOS.tangent.

**The answer.** Take a line that is free, shove it aside until it touches a hex, and roll it around that hex until it touches
another one: it is a common tangent of two of the hexes A, B and the obstacles now, and still free. So those tangents are all
that has to be tried: of n hexes 4 for each pair. Where touching is not allowed, a tangent counts if it can be moved by a hair so
that it comes clear of everything that it touches.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import combinations
from typing import NamedTuple, TypeAlias

from rallypoint.kernel.hexes import SIDES, distance
from rallypoint.kernel.parts import Hex

__all__ = ["centre_line_free", "corridor", "line_free"]

Point: TypeAlias = tuple[int, int]

CORNERS: tuple[Point, ...] = ((0, 2), (1, 1), (1, -1), (0, -2), (-1, -1), (-1, 1))
_ALONG_SIDES = ((0, 1), (1, 1), (1, -1))
"""The directions of a hex's sides."""


class _Line(NamedTuple):
    """A directed line: the point p lies to its left where ``cross(direction, p) > offset``."""

    x: int
    y: int
    offset: int

    def side(self, at: Point) -> int:
        return self.x * at[1] - self.y * at[0] - self.offset

    @property
    def half_width(self) -> int:
        """How far (in terms of :meth:`side`) the corners of a hex reach from its centre."""
        return max(abs(2 * self.x), abs(self.x - self.y), abs(self.x + self.y))


def _centre(place: Hex) -> Point:
    return 2 * place.q + place.r, 3 * place.r


def _normals(x: int, y: int) -> tuple[int, int, int]:
    """Return the way across each pair of opposite sides, twice: two hexes are 2 apart there when a side separates them."""
    return 2 * x, x + y, x - y


@cache
def corridor(q: int, r: int) -> tuple[Hex, ...]:
    """Return the hexes, as steps from A, that a line from A to the hex ``(q, r)`` steps away can pass; not the two themselves.

    >>> corridor(1, 1)
    (Hex(q=1, r=0, facing=None), Hex(q=0, r=1, facing=None))
    """
    ends = Hex(0, 0), Hex(q, r)
    found = []
    for row in range(min(0, r) - 1, max(0, r) + 2):
        # Only columns about the segment are looked at: where it crosses the rows about this one.
        crossed = (0, q) if r == 0 else (q * (row - 2) // r, q * (row + 2) // r)
        for column in range(max(min(0, q), min(crossed)) - 2, min(max(0, q), max(crossed)) + 4):
            place = Hex(column, row)
            if place not in ends and _reached(_centre(ends[1]), _centre(place)):
                found.append(place)
    return tuple(found)


def _reached(end: Point, centre: Point) -> bool:
    """Say whether a hex moved along the segment from the origin to ``end`` passes over a part of the hex at ``centre``.

    That is so where the segment passes through the inside of the hex twice as large around ``centre``.
    """
    low, high = (0, 1), (1, 1)  # fractions: from where to where the segment is inside
    for along, middle, half in zip(_normals(*end), _normals(*centre), (4, 4, 4), strict=True):
        if along == 0:
            if abs(middle) >= half:
                return False
            continue
        ends = sorted(((middle - half) * (1 if along > 0 else -1), (middle + half) * (1 if along > 0 else -1)))
        scale = abs(along)
        if ends[0] * low[1] > low[0] * scale:
            low = (ends[0], scale)
        if ends[1] * high[1] < high[0] * scale:
            high = (ends[1], scale)
    return low[0] * high[1] < high[0] * low[1]


def centre_line_free(b: Point, obstacles: Iterable[Point], tangent_clear: bool, gap_clear: bool = False) -> bool:
    """Say whether the line from centre to centre is free: from the origin to ``b``, both in hex steps (q, r); see :func:`line_free`."""
    end, points = _centre(Hex(*b)), [_centre(Hex(*each)) for each in obstacles]
    touched = _touched(_Line(*end, 0), (0, 0), end, points)
    if touched is None:
        return False
    if not tangent_clear:
        return not touched
    return gap_clear or not _between_neighbours(_Line(*end, 0), touched)


def line_free(b: Point, obstacles: Sequence[Point], tangent_clear: bool, gap_clear: bool = False) -> bool:
    """Say whether any line from hex (0, 0) to hex ``b`` is free of ``obstacles``, all in hex steps (q, r).

    Args:
        b: the hex looked at.
        obstacles: hexes of the :func:`corridor`.
        tangent_clear: whether a line may touch the rim of an obstacle.
        gap_clear: whether it may then also run along the side that two of them share.

    >>> line_free((2, 0), [(1, 0)], True), line_free((2, 0), [(1, 0), (1, -1), (0, 1), (2, -1), (1, 1)], True)
    (True, False)
    """
    if distance(Hex(0, 0), Hex(*b)) < 2 or not obstacles:
        return True  # they share a side, or nothing is in the way
    if centre_line_free(b, obstacles, tangent_clear, gap_clear):
        return True
    end, points = _centre(Hex(*b)), [_centre(Hex(*each)) for each in obstacles]
    return any(
        _free(line, (0, 0), end, points, tangent_clear, gap_clear)
        for first, second in combinations([(0, 0), end, *points], 2)
        for line in _common_tangents(first, second)
    )


def _common_tangents(first: Point, second: Point) -> Iterator[_Line]:
    for line in _tangents(second[0] - first[0], second[1] - first[1]):
        yield _Line(line.x, line.y, line.offset + line.x * first[1] - line.y * first[0])


@cache
def _tangents(x: int, y: int) -> tuple[_Line, ...]:
    """Return the lines that touch both the hex at the origin and the one at (x, y) without entering either."""
    found = set()
    for one in CORNERS:
        for other in CORNERS:
            to = (other[0] + x - one[0], other[1] + y - one[1])
            if to == (0, 0):
                continue
            line = _Line(*to, to[0] * one[1] - to[1] * one[0])
            if abs(line.side((0, 0))) == line.half_width == abs(line.side((x, y))):
                found.add(line)
    return tuple(sorted(found))


def _free(line: _Line, a: Point, b: Point, obstacles: Iterable[Point], tangent_clear: bool, gap_clear: bool) -> bool:
    """Say whether the line, which may be moved by a hair, meets both ends and passes no obstacle between them."""
    forward = _directed(line, a, b)
    touched = None if forward is None else _touched(forward, a, b, obstacles)
    if forward is None or touched is None:
        return False
    if tangent_clear:
        return gap_clear or not _between_neighbours(forward, touched)
    return _comes_clear(forward, touched, [end for end in (a, b) if abs(forward.side(end)) == forward.half_width])


def _touched(line: _Line, a: Point, b: Point, obstacles: Iterable[Point]) -> list[tuple[Point, bool]] | None:
    """Return which obstacles between the ends the line touches, and whether they lie to its left; ``None`` if it enters one."""
    half = line.half_width
    touched: list[tuple[Point, bool]] = []
    for place in obstacles:
        off = line.side(place)
        if abs(off) > half or not (_before(line, a, place) and _before(line, place, b)):
            continue
        if abs(off) < half:
            return None
        touched.append((place, off > 0))
    return touched


def _directed(line: _Line, a: Point, b: Point) -> _Line | None:
    """Return the line in the direction from A to B, ``None`` if it does not meet both."""
    half = line.half_width
    if abs(line.side(a)) > half or abs(line.side(b)) > half:
        return None
    ways = zip(_normals(b[0] - a[0], b[1] - a[1]), _normals(line.x, line.y), strict=True)
    apart, along = max(ways, key=lambda way: abs(way[0]))
    return line if apart * along > 0 else _Line(-line.x, -line.y, -line.offset)


def _before(line: _Line, first: Point, second: Point) -> bool:
    """Say whether the line, which meets both of these hexes, leaves the first before it enters the second."""
    ways = zip(_normals(second[0] - first[0], second[1] - first[1]), _normals(line.x, line.y), strict=True)
    return any(abs(apart) >= 4 and apart * along > 0 for apart, along in ways)


def _between_neighbours(line: _Line, touched: list[tuple[Point, bool]]) -> bool:
    """Say whether the line runs along a side that two obstacles share."""
    if not touched or not any(line.x * y == line.y * x for x, y in _ALONG_SIDES):
        return False
    left = {place for place, is_left in touched if is_left}
    right = {place for place, is_left in touched if not is_left}
    steps = [_centre(Hex(q, r)) for q, r in SIDES]
    return any((x + dx, y + dy) in right for x, y in left for dx, dy in steps)


def _comes_clear(line: _Line, touched: list[tuple[Point, bool]], ends: list[Point]) -> bool:
    """Say whether a small turn and shift of the line takes it off everything it touches and into the ends it touches.

    A small move lifts each point of the line by an amount that grows evenly along the line. So it can satisfy any wishes
    (up, down) at points in order along the line that change at most once.
    """
    wishes = [(at, not is_left) for place, is_left in touched for at in _contact(line, place)]
    for chosen in _choices([[(at, line.side(end) > 0) for at in _contact(line, end)] for end in ends]):
        ups = [at for at, up in (*wishes, *chosen) if up]
        downs = [at for at, up in (*wishes, *chosen) if not up]
        if not ups or not downs or max(ups) < min(downs) or max(downs) < min(ups):
            return True
    return False


def _choices(groups: list[list[tuple[int, bool]]]) -> Iterator[tuple[tuple[int, bool], ...]]:
    if not groups:
        yield ()
        return
    for first in groups[0]:
        for rest in _choices(groups[1:]):
            yield (first, *rest)


def _contact(line: _Line, place: Point) -> list[int]:
    """Return how far along the line the corners lie with which a hex touches it."""
    corners = [(place[0] + x, place[1] + y) for x, y in CORNERS]
    return [line.x * x + line.y * y for x, y in corners if line.side((x, y)) == 0]
