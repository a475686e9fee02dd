"""Poses on the board and the legs between them: plain geometry in millimetres and degrees, without any rule.

A :class:`~rallypoint.kernel.parts.Pose` is on the board: x to the right, y downwards, heading clockwise from the top edge. A
:class:`Leg` is seen from a pose: how far to its right, how far ahead, and by how much it turns clockwise.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple, TypeAlias

from rallypoint.kernel.parts import Pose

__all__ = [
    "HERE",
    "Leg",
    "arc",
    "arc_way",
    "bearing",
    "chained",
    "corners",
    "curve_way",
    "leg_to",
    "moved",
    "outline",
    "polyline_way",
    "settled",
]

Point: TypeAlias = tuple[float, float]

_SPACING = 2.0
"""How far apart the poses of a way are, in millimetres, at most."""


class Leg(NamedTuple):
    """Where one gets from a pose: millimetres to the right and ahead, degrees clockwise."""

    right: float
    ahead: float
    turn: float = 0.0

    def mirrored(self) -> Leg:
        """Return the leg of a template that is turned over (D-VE-8).

        >>> Leg(16.0, 60.0, 30.0).mirrored()
        Leg(right=-16.0, ahead=60.0, turn=-30.0)
        """
        return Leg(-self.right, self.ahead, -self.turn)

    def scaled(self, factor: float) -> Leg:
        """Return the leg in another size; turns stay."""
        return Leg(self.right * factor, self.ahead * factor, self.turn)

    def then(self, other: Leg) -> Leg:
        """Return this leg and another one from its end as one leg.

        >>> Leg(0.0, 50.0, 90.0).then(Leg(0.0, 20.0))
        Leg(right=20.0, ahead=50.0, turn=90.0)
        """
        sine, cosine = _sine_cosine(self.turn)
        right = self.right + other.right * cosine + other.ahead * sine
        ahead = self.ahead - other.right * sine + other.ahead * cosine
        return Leg(right, ahead, self.turn + other.turn)


HERE = Leg(0.0, 0.0, 0.0)
"""The leg that leads nowhere."""


def _sine_cosine(degrees: float) -> tuple[float, float]:
    """Return sine and cosine, exact for quarter turns."""
    quarters, rest = divmod(degrees, 90.0)
    if rest == 0.0:
        return ((0.0, 1.0), (1.0, 0.0), (0.0, -1.0), (-1.0, 0.0))[int(quarters) % 4]
    angle = math.radians(degrees)
    return math.sin(angle), math.cos(angle)


# On the board


def moved(at: Pose, leg: Leg) -> Pose:
    """Return the pose at the end of a leg.

    >>> moved(Pose(100.0, 100.0, 90.0), Leg(10.0, 50.0, 90.0))
    Pose(x=150.0, y=110.0, heading=180.0)
    """
    sine, cosine = _sine_cosine(at.heading)
    x = at.x + leg.right * cosine + leg.ahead * sine
    y = at.y + leg.right * sine - leg.ahead * cosine
    return Pose(x, y, (at.heading + leg.turn) % 360.0)


def leg_to(at: Pose, to: Pose) -> Leg:
    """Return the leg from one pose to another: the reverse of :func:`moved`, with a turn from -180 to 180 degrees."""
    sine, cosine = _sine_cosine(at.heading)
    x, y = to.x - at.x, to.y - at.y
    turn = (to.heading - at.heading + 180.0) % 360.0 - 180.0
    return Leg(x * cosine + y * sine, x * sine - y * cosine, turn)


def chained(at: Pose, legs: Iterable[Leg]) -> Pose:
    """Return the pose at the end of legs that follow each other."""
    for leg in legs:
        at = moved(at, leg)
    return at


def settled(at: Pose) -> Pose:
    """Return a pose as a battle keeps it: rounded to a millionth, so that every machine keeps the same.

    >>> settled(Pose(1 / 3, -0.0000001, 359.9999999))
    Pose(x=0.333333, y=0.0, heading=0.0)
    """
    x, y, heading = (round(value, 6) + 0.0 for value in at)
    return Pose(x, y, heading % 360.0)


def bearing(at: Pose, point: Point) -> float:
    """Return in which direction a point lies, in degrees clockwise from straight ahead, above -180 and up to 180.

    >>> bearing(Pose(0.0, 0.0, 90.0), (10.0, 0.0)), bearing(Pose(0.0, 0.0, 0.0), (0.0, 10.0))
    (0.0, 180.0)
    """
    angle = math.degrees(math.atan2(point[0] - at.x, at.y - point[1])) - at.heading
    return 180.0 - (180.0 - angle) % 360.0


def corners(middle: Pose, length: float, width: float) -> tuple[Point, Point, Point, Point]:
    """Return the corners of a vehicle's footprint (D-VE-1): front left, front right, rear right, rear left."""
    long, wide = length / 2, width / 2
    legs = Leg(-wide, long), Leg(wide, long), Leg(wide, -long), Leg(-wide, -long)
    a, b, c, d = [moved(middle, leg)[:2] for leg in legs]
    return a, b, c, d


def outline(middle: Pose, length: float, width: float) -> Iterator[Point]:
    """Yield the middle of a footprint and points on its rim, close enough that no hex of 50 mm slips between them."""
    yield middle.x, middle.y
    if length <= 0.0 or width <= 0.0:
        return
    rim = corners(middle, length, width)
    for (ax, ay), (bx, by) in zip(rim, (*rim[1:], rim[0]), strict=True):
        parts = max(math.ceil(math.dist((ax, ay), (bx, by)) / 20.0), 1)
        for part in range(parts):
            yield ax + (bx - ax) * part / parts, ay + (by - ay) * part / parts


# Ways


def arc(radius: float, angle: float) -> Leg:
    """Return the end of an arc of a circle to the right.

    Args:
        radius: of its middle line in millimetres.
        angle: in degrees.

    >>> arc(45.0, 90.0), arc(25.0, 180.0)
    (Leg(right=45.0, ahead=45.0, turn=90.0), Leg(right=50.0, ahead=0.0, turn=180.0))
    """
    sine, cosine = _sine_cosine(angle)
    return Leg(radius * (1.0 - cosine), radius * sine, angle)


def arc_way(radius: float, angle: float) -> tuple[Leg, ...]:
    """Return an arc as legs from its start, the first :data:`HERE`, the last its end; a few millimetres apart."""
    parts = _parts(radius * math.radians(angle))
    return tuple([arc(radius, angle * part / parts) for part in range(parts + 1)])


def curve_way(end: Leg) -> tuple[Leg, ...]:
    """Return a smooth way to an end, where nothing is known of the way itself: straight off, and straight in."""
    reach = math.hypot(end.right, end.ahead)
    sine, cosine = _sine_cosine(end.turn)
    pull = reach / 2.5
    first, second = (0.0, pull), (end.right - pull * sine, end.ahead - pull * cosine)
    parts = _parts(reach * 1.2)
    between = [_bent(part / parts, first, second, (end.right, end.ahead)) for part in range(1, parts)]
    return (HERE, *between, end)


def _bent(part: float, first: Point, second: Point, end: Point) -> Leg:
    """Return a place on a cubic curve from the origin."""
    left = 1.0 - part
    weights = 3 * left * left * part, 3 * left * part * part, part**3
    slopes = 3 * left * left - 6 * left * part, 6 * left * part - 3 * part * part, 3 * part * part
    x, y = (sum(w * p[axis] for w, p in zip(weights, (first, second, end), strict=True)) for axis in (0, 1))
    dx, dy = (sum(w * p[axis] for w, p in zip(slopes, (first, second, end), strict=True)) for axis in (0, 1))
    return Leg(x, y, math.degrees(math.atan2(dx, dy)))


def polyline_way(stations: Sequence[Leg]) -> tuple[Leg, ...]:
    """Return a way through measured places, with more of them put in between where they are far apart."""
    found = [stations[0]]
    for before, after in pairwise(stations):
        parts = _parts(math.dist(before[:2], after[:2]))
        for part in range(1, parts):
            share = part / parts
            found.append(Leg(*[a + (b - a) * share for a, b in zip(before, after, strict=True)]))
        found.append(after)
    return tuple(found)


def _parts(length: float) -> int:
    return max(math.ceil(length / _SPACING), 1)
