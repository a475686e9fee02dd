"""Lines between hexes, held against a second way: every pair of corners tried with fractions, and points sown over both hexes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations, product
from random import Random
from typing import TypeAlias

import pytest

from rallypoint.disrupter.sight_lines import centre_line_free, corridor, line_free
from rallypoint.kernel.hexes import SIDES

pytestmark = pytest.mark.rule("D-R12.1")

# The second way works in the plane: centres at (q + r/2, r), so that a hex has the corners below. All of it is an affine picture of
# the real hexes, in which lines stay lines.
CORNERS = [(Fraction(0), Fraction(2, 3)), (Fraction(1, 2), Fraction(1, 3)), (Fraction(1, 2), Fraction(-1, 3))]
CORNERS += [(-x, -y) for x, y in CORNERS]


Point: TypeAlias = tuple[Fraction, Fraction]
Place: TypeAlias = tuple[int, int]


def at(q: int, r: int) -> Point:
    return Fraction(q) + Fraction(r, 2), Fraction(r)


def corners(q: int, r: int, size: Fraction = Fraction(1)) -> list[Point]:
    x, y = at(q, r)
    return [(x + size * dx, y + size * dy) for dx, dy in CORNERS]


def span(
    p: Point, q: Point, place: Place, closed: bool = False, size: Fraction = Fraction(1)
) -> tuple[Fraction, Fraction] | None:
    """Return from where to where (0 at p, 1 at q) a segment is inside a hex, ``None`` if it is not; an open one by default."""
    x, y = at(*place)
    half = size / 2
    low, high = Fraction(0), Fraction(1)
    # The sides of a hex: |x| < 1/2, |x/2 + 3y/4| < 1/2, |x/2 - 3y/4| < 1/2 around its centre.
    for a, b in ((Fraction(1), Fraction(0)), (Fraction(1, 2), Fraction(3, 4)), (Fraction(1, 2), Fraction(-3, 4))):
        start = a * (p[0] - x) + b * (p[1] - y)
        along = a * (q[0] - p[0]) + b * (q[1] - p[1])
        if along == 0:
            if abs(start) > half or (abs(start) == half and not closed):
                return None
            continue
        ends = sorted(((-half - start) / along, (half - start) / along))
        low, high = max(low, ends[0]), min(high, ends[1])
    return (low, high) if low < high or (closed and low == high) else None


def along_shared_side(p: Point, q: Point, obstacles: Sequence[Place]) -> bool:
    """Say whether a piece of the segment lies on a side that two obstacles share."""
    for place in obstacles:
        for dq, dr in SIDES[:3]:
            other = (place[0] + dq, place[1] + dr)
            if other in obstacles:
                ends = sorted(set(corners(*place)) & set(corners(*other)))
                if all((q[0] - p[0]) * (y - p[1]) == (q[1] - p[1]) * (x - p[0]) for x, y in ends):
                    axis = 0 if q[0] != p[0] else 1
                    low, high = sorted((p[axis], q[axis]))
                    first, last = sorted((ends[0][axis], ends[1][axis]))
                    if max(low, first) < min(high, last):
                        return True
    return False


def passes(p: Point, q: Point, obstacles: Sequence[Place], tangent_clear: bool) -> bool:
    if tangent_clear:
        return not any(span(p, q, place) for place in obstacles) and not along_shared_side(p, q, obstacles)
    return not any(span(p, q, place, closed=True) for place in obstacles)


def sown(place: Place, steps: int = 3) -> list[Point]:
    """Return points spread over a hex, its corners and the middles of its sides among them."""
    ring = corners(*place)
    x, y = at(*place)
    points = set()
    for (ax, ay), (bx, by) in zip(ring, ring[1:] + ring[:1], strict=True):
        for i in range(steps + 1):
            for j in range(steps + 1 - i):
                s, t = Fraction(i, steps), Fraction(j, steps)
                points.add((x + s * (ax - x) + t * (bx - x), y + s * (ay - y) + t * (by - y)))
    return sorted(points)


def by_sowing(b: Place, obstacles: Sequence[Place], tangent_clear: bool) -> bool:
    return any(passes(p, q, obstacles, tangent_clear) for p, q in product(sown((0, 0)), sown(b)))


def by_corners(b: Place, obstacles: Sequence[Place], tangent_clear: bool, gap_clear: bool = False) -> bool:
    """Say whether a line through two corners of any of the hexes is free: that is all there can be.

    Not to touch an obstacle is the same as to pass one that is larger by very little.
    """
    size = Fraction(1) if tangent_clear else Fraction(1001, 1000)
    rims = [*corners(0, 0), *corners(*b), *[corner for place in obstacles for corner in corners(*place, size)]]
    for u, v in combinations(sorted(set(rims)), 2):
        p, q = [(u[0] + far * (v[0] - u[0]), u[1] + far * (v[1] - u[1])) for far in (-9999, 9999)]
        here, there = span(p, q, (0, 0), closed=True), span(p, q, b, closed=True)
        if here is None or there is None:
            continue
        here, there = sorted((here, there))
        p, q = [(p[0] + k * (q[0] - p[0]), p[1] + k * (q[1] - p[1])) for k in (here[1], there[0])]
        blocked = any(span(p, q, place, size=size) for place in obstacles)
        if not blocked and not (tangent_clear and not gap_clear and along_shared_side(p, q, obstacles)):
            return True
    return False


def situations(number: int, seed: int, size: int = 5) -> Iterator[tuple[Place, list[Place]]]:
    random = Random(seed)
    for _ in range(number):
        while True:
            b = random.randint(-size, size), random.randint(-size, size)
            way = [(step.q, step.r) for step in corridor(*b)]
            if b != (0, 0) and len(way) > 2:
                break
        yield b, random.sample(way, random.randint(1, min(len(way), 7)))


@pytest.mark.parametrize("tangent_clear", [True, False])
@pytest.mark.parametrize("seed", range(3))
def test_lines_are_those_that_trying_every_pair_of_corners_finds(seed: int, tangent_clear: bool) -> None:
    answers = []
    for b, obstacles in situations(12, seed, 4):
        answers.append(line_free(b, obstacles, tangent_clear))
        assert answers[-1] == by_corners(b, obstacles, tangent_clear), (b, obstacles)
    assert set(answers) == {True, False}  # both came up


def test_by_ruling_a_line_may_run_along_the_side_that_two_obstacles_share() -> None:
    differ = 0
    for b, obstacles in situations(40, 21, 3):
        free = line_free(b, obstacles, True, True)
        assert free == by_corners(b, obstacles, True, True), (b, obstacles)
        differ += free != line_free(b, obstacles, True)
    assert differ > 0
    assert line_free((1, 1), [(1, 0), (0, 1)], True, True)


@pytest.mark.parametrize("tangent_clear", [True, False])
def test_what_sowing_points_finds_is_never_denied(tangent_clear: bool) -> None:
    found = 0
    for b, obstacles in situations(10, 100, 3):
        if by_sowing(b, obstacles, tangent_clear):
            found += 1
            assert line_free(b, obstacles, tangent_clear), (b, obstacles)
    assert found > 1


@pytest.mark.parametrize("tangent_clear", [True, False])
def test_a_line_can_be_drawn_from_either_end(tangent_clear: bool) -> None:
    for b, obstacles in situations(150, 7):
        back = [(q - b[0], r - b[1]) for q, r in obstacles]
        assert line_free(b, obstacles, tangent_clear) == line_free((-b[0], -b[1]), back, tangent_clear)


@pytest.mark.parametrize("tangent_clear", [True, False])
def test_turning_and_mirroring_everything_changes_nothing(tangent_clear: bool) -> None:
    def turned(q: int, r: int) -> Place:
        return -r, q + r

    def mirrored(q: int, r: int) -> Place:
        return r, q

    for b, obstacles in situations(100, 8):
        seen = line_free(b, obstacles, tangent_clear)
        for image in (turned, mirrored):
            assert line_free(image(*b), [image(*place) for place in obstacles], tangent_clear) == seen


def test_a_line_that_may_not_touch_is_never_easier() -> None:
    differ = 0
    for b, obstacles in situations(400, 9):
        clear, strict = line_free(b, obstacles, True), line_free(b, obstacles, False)
        assert clear or not strict
        differ += clear != strict
    assert differ > 0


def test_a_wall_of_two_hexes_with_a_common_side_is_whole() -> None:
    # From (0, 0) to (1, 1) both hexes between are obstacles; the line along their common side is no way through.
    assert not line_free((1, 1), [(1, 0), (0, 1)], True)
    assert line_free((1, 1), [(1, 0)], True)


def test_neighbours_see_each_other_whatever_stands_around() -> None:
    ring = [(q, r) for q, r in SIDES if (q, r) != (1, 0)]
    assert line_free((1, 0), ring, True)
    assert line_free((1, 0), ring, False)


def test_the_corridor_is_what_a_line_can_pass() -> None:
    # Sown segments pass the hexes of the corridor and no others.
    b = (2, 1)
    passed: set[Place] = set()
    for p, q in product(sown((0, 0), 2), sown(b, 2)):
        passed.update(place for place in product(range(-1, 4), range(-1, 3)) if span(p, q, place))
    assert passed - {(0, 0), b} == {(step.q, step.r) for step in corridor(*b)}


def test_centres_alone_see_less() -> None:
    # A hex beside the straight way takes half of it: from rim to rim there is room, from centre to centre it is only touched.
    assert centre_line_free((1, 1), [(1, 0)], True)
    assert not centre_line_free((1, 1), [(1, 0)], False)
    assert not centre_line_free((2, 0), [(1, 0)], True)
    assert line_free((2, 0), [(1, 0)], True)
