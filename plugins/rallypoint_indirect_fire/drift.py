"""How far and where a shot drifts whose Instinct Check failed (D-IF-3, D-IF-4, D-AMB-29).

On hexes a d6 names the hex side, 1 to the right and on anticlockwise; at a table with a ruler a die points anywhere.

>>> shifted(Hex(4, 4), 3, 1), [distance_of(face, "halved_up") for face in range(1, 11)]
(Hex(q=7, r=4, facing=None), [1, 1, 2, 2, 3, 3, 4, 4, 5, 5])
"""

from __future__ import annotations

from math import cos, radians, sin

from rallypoint.disrupter.ruler import HEX_MM
from rallypoint.kernel.hexes import SIDES
from rallypoint.kernel.parts import Hex

__all__ = ["DIRECTIONS", "direction_of", "distance_of", "shifted", "shifted_by_ruler"]

DIRECTIONS = ("right", "up and right", "up and left", "left", "down and left", "down and right")
"""The six hex sides in words, by the faces 1 to 6 of the die."""


def distance_of(face: int, ruling: str) -> int:
    """Return how many hexes a shot drifts: the d5 that a d10 makes (D-IF-4).

    Args:
        face: what the d10 shows, 1 to 10.
        ruling: the choice of D-AMB-29: ``halved_up`` gives 1 to 5, each by two faces; ``literal_floor`` 0 to 5.

    >>> [distance_of(face, "literal_floor") for face in range(1, 11)]
    [0, 1, 1, 2, 2, 3, 3, 4, 4, 5]
    """
    return face // 2 if ruling == "literal_floor" else (face + 1) // 2


def direction_of(face: int) -> str:
    """Return in words where a d6 points, 1 to 6."""
    return DIRECTIONS[face - 1]


def shifted(aimed: Hex, hexes: int, face: int) -> Hex:
    """Return the hex so many hexes away from ``aimed``, straight over the side that a d6 names."""
    q, r = SIDES[face - 1]
    return Hex(aimed.q + q * hexes, aimed.r + r * hexes)


def shifted_by_ruler(aimed: tuple[int, int], hexes: int, degrees: int) -> tuple[int, int]:
    """Return the point where a shot lands at a table without a grid (D-R2.3): 50 mm for each hex.

    Args:
        aimed: the point that was named, in whole millimetres, y downwards.
        hexes: how far it drifts.
        degrees: where the die points, 0 to 359: 0 to the right and on anticlockwise, as hex sides are counted.

    The point is rounded to whole millimetres, so that every table gets the same one.

    >>> shifted_by_ruler((600, 600), 3, 0), shifted_by_ruler((600, 600), 2, 90)
    ((750, 600), (600, 500))
    """
    angle, way = radians(degrees), HEX_MM * hexes
    return aimed[0] + round(way * cos(angle)), aimed[1] - round(way * sin(angle))
