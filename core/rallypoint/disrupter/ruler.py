"""Play with a ruler instead of a grid (D-R2.3, D-R5.2): inches and millimetres read as hexes.

A hex is 50 mm or 2 inches; a distance counts as so many hexes as are begun. Measure from the same point of one stand to the
same point of the other. Whole numbers and fractions only: a table's result may not hang on a rounding error.
"""

from __future__ import annotations

from fractions import Fraction
from math import hypot, isqrt

__all__ = ["HEX_INCHES", "HEX_MM", "hexes_in", "hexes_of_inches", "hexes_of_mm"]

HEX_INCHES = 2
HEX_MM = 50


def hexes_of_inches(inches: int | Fraction) -> int:
    """Return how many hexes a distance in inches (0 or more) counts as.

    >>> [hexes_of_inches(inches) for inches in (0, 1, 2, Fraction(21, 10), 4, 6, 7)]
    [0, 1, 1, 2, 2, 3, 4]
    """
    return -(-inches // HEX_INCHES)


def hexes_in(a: tuple[int, int], b: tuple[int, int]) -> int:
    """Return how many hexes lie between two points in whole millimetres.

    >>> hexes_in((0, 0), (30, 40)), hexes_in((0, 0), (30, 41)), hexes_in((5, 5), (5, 5))
    (1, 2, 0)
    """
    squared = (a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2
    whole = isqrt(squared // HEX_MM**2)
    return whole if whole**2 * HEX_MM**2 == squared else whole + 1


def hexes_of_mm(a: tuple[float, float], b: tuple[float, float]) -> int:
    """Return how many hexes lie between two points that are not in whole millimetres, such as the middles of hexes.

    What is less than a thousandth of a millimetre does not begin a hex, since the middles of hexes are rounded.

    >>> hexes_of_mm((0.0, 0.0), (50.0000001, 0.0)), hexes_of_mm((0.0, 0.0), (30.0, 40.1)), hexes_of_mm((9.5, 9.5), (9.5, 9.5))
    (1, 2, 0)
    """
    thousandths = round(hypot(a[0] - b[0], a[1] - b[1]) * 1000)
    return -(-thousandths // (HEX_MM * 1000))
