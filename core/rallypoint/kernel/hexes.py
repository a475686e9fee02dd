"""Hexes: steps, distances and lines in axial coordinates, all in whole numbers; points in millimetres at the edge only.

Hexes stand on a corner (pointed tops) in rows; ``q`` grows to the right, ``r`` downwards and half a hex to the right. A
facing is a hexside, 0 to the right and on anticlockwise.

>>> distance(Hex(0, 0), Hex(2, 1))
3
>>> line(Hex(0, 0), Hex(1, 1))
(Hex(q=0, r=0, facing=None), Hex(q=0, r=1, facing=None), Hex(q=1, r=1, facing=None))
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Literal, TypeAlias

from .parts import Hex

__all__ = [
    "SIDES",
    "Layout",
    "at_point",
    "centre",
    "distance",
    "from_offset",
    "line",
    "neighbours",
    "ring",
    "to_offset",
    "within",
]

SIDES = ((1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1), (0, 1))
"""The step across each hexside, by facing."""

Layout: TypeAlias = Literal["odd-r", "even-r", "odd-q", "even-q"]
"""How columns and rows of a rectangle are counted: which rows (r) or columns (q) are shoved by half a hex."""


def distance(a: Hex, b: Hex) -> int:
    """Return how many steps lie between two hexes; 0 for the same hex, whatever the facings."""
    q, r = a.q - b.q, a.r - b.r
    return max(abs(q), abs(r), abs(q + r))


def neighbours(place: Hex) -> tuple[Hex, ...]:
    """Return the six hexes around ``place``, by facing."""
    return tuple([Hex(place.q + q, place.r + r) for q, r in SIDES])


def within(place: Hex, steps: int) -> Iterator[Hex]:
    """Yield every hex at most ``steps`` away, row by row."""
    for r in range(-steps, steps + 1):
        for q in range(max(-steps, -r - steps), min(steps, -r + steps) + 1):
            yield Hex(place.q + q, place.r + r)


def ring(place: Hex, steps: int) -> tuple[Hex, ...]:
    """Return the hexes exactly ``steps`` away, row by row."""
    return tuple([other for other in within(place, steps) if distance(place, other) == steps])


def line(start: Hex, end: Hex, *, left: bool = False) -> tuple[Hex, ...]:
    """Return the hexes of the straight line from centre to centre, both ends among them.

    Where the line runs exactly between two hexes it takes the one on its right hand, with ``left`` the one on its left:
    the same side for the whole line. No floating point is involved.
    """
    steps = distance(start, end)
    if steps == 0:
        return (Hex(start.q, start.r),)
    found = []
    # A touch to one side breaks every tie alike; it is smaller than any real difference on boards of up to 10^5 hexes.
    fine = 1_000_000
    q_touch, r_touch = _touch(start, end, left)
    for step in range(steps + 1):
        q = ((end.q - start.q) * step * fine + q_touch, steps * fine)
        r = ((end.r - start.r) * step * fine + r_touch, steps * fine)
        found.append(_nearest(start, q, r))
    return tuple(found)


def _touch(start: Hex, end: Hex, left: bool) -> tuple[int, int]:
    """Return a tiny step, square to the line, in axial coordinates."""
    q, r = end.q - start.q, end.r - start.r
    # (q, r) turned by 90 degrees clockwise on the screen, up to a positive factor: (-(q + 2r), 2q + r).
    across = (-(q + 2 * r), 2 * q + r)
    sign = -1 if left else 1
    return sign * across[0], sign * across[1]


def _nearest(start: Hex, q: tuple[int, int], r: tuple[int, int]) -> Hex:
    """Return the hex whose centre is nearest to a fractional offset (numerator, denominator) from ``start``."""
    whole_q, whole_r = _rounded(*q), _rounded(*r)
    denominator = q[1]
    s = -q[0] - r[0]
    whole_s = _rounded(s, denominator)
    off_q, off_r, off_s = (
        abs(whole_q * denominator - q[0]),
        abs(whole_r * denominator - r[0]),
        abs(whole_s * denominator - s),
    )
    if off_q > off_r and off_q > off_s:
        whole_q = -whole_r - whole_s
    elif off_r > off_s:
        whole_r = -whole_q - whole_s
    return Hex(start.q + whole_q, start.r + whole_r)


def _rounded(numerator: int, denominator: int) -> int:
    return (2 * numerator + denominator) // (2 * denominator)


def to_offset(place: Hex, layout: Layout = "odd-r") -> tuple[int, int]:
    """Return column and row of a hex, from 0 where the axial ones are 0.

    For ``odd-q`` and ``even-q`` hexes lie on a side (flat tops): ``q`` is the column there, ``r`` grows downwards.

    >>> to_offset(Hex(-1, 2)), from_offset(0, 2)
    ((0, 2), Hex(q=-1, r=2, facing=None))
    """
    q, r = place.q, place.r
    if layout == "odd-r":
        return q + (r - (r & 1)) // 2, r
    if layout == "even-r":
        return q + (r + (r & 1)) // 2, r
    if layout == "odd-q":
        return q, r + (q - (q & 1)) // 2
    return q, r + (q + (q & 1)) // 2


def from_offset(column: int, row: int, layout: Layout = "odd-r") -> Hex:
    """Return the hex in a column and a row; the reverse of :func:`to_offset`."""
    if layout == "odd-r":
        return Hex(column - (row - (row & 1)) // 2, row)
    if layout == "even-r":
        return Hex(column - (row + (row & 1)) // 2, row)
    if layout == "odd-q":
        return Hex(column, row - (column - (column & 1)) // 2)
    return Hex(column, row - (column + (column & 1)) // 2)


def centre(place: Hex, across: float = 50.0) -> tuple[float, float]:
    """Return the centre of a hex in millimetres from the centre of hex (0, 0), y downwards.

    Args:
        place: the hex.
        across: width of a hex from side to side in millimetres; that is also the way from centre to centre.
    """
    return across * (place.q + place.r / 2), across * math.sqrt(3) / 2 * place.r


def at_point(x: float, y: float, across: float = 50.0) -> Hex:
    """Return the hex in which a point lies; the reverse of :func:`centre`. A point on a side belongs to one of the two.

    Args:
        x: millimetres to the right of the centre of hex (0, 0).
        y: millimetres below it.
        across: width of a hex from side to side in millimetres.

    >>> at_point(74.0, 43.3), at_point(24.9, 0.0), at_point(25.1, 0.0)
    (Hex(q=1, r=1, facing=None), Hex(q=0, r=0, facing=None), Hex(q=1, r=0, facing=None))
    """
    r = y / (across * math.sqrt(3) / 2)
    q = x / across - r / 2
    fine = 1_000_000
    return _nearest(Hex(0, 0), (round(q * fine), fine), (round(r * fine), fine))
