"""Hexes against oracles of another kind: breadth-first search by drawn neighbours, and lines in floating point."""

from __future__ import annotations

import itertools
import math
import random
from collections import deque

import pytest

from rallypoint.kernel.hexes import (
    SIDES,
    Layout,
    centre,
    distance,
    from_offset,
    line,
    neighbours,
    ring,
    to_offset,
    within,
)
from rallypoint.kernel.parts import Hex

# Read off drawings of the four layouts: the steps in (column, row) from an even and from an odd row or column.
DRAWN: dict[Layout, tuple[set[tuple[int, int]], set[tuple[int, int]]]] = {
    "odd-r": (
        {(1, 0), (-1, 0), (-1, -1), (0, -1), (-1, 1), (0, 1)},
        {(1, 0), (-1, 0), (0, -1), (1, -1), (0, 1), (1, 1)},
    ),
    "even-r": (
        {(1, 0), (-1, 0), (0, -1), (1, -1), (0, 1), (1, 1)},
        {(1, 0), (-1, 0), (-1, -1), (0, -1), (-1, 1), (0, 1)},
    ),
    "odd-q": (
        {(0, 1), (0, -1), (-1, -1), (-1, 0), (1, -1), (1, 0)},
        {(0, 1), (0, -1), (-1, 0), (-1, 1), (1, 0), (1, 1)},
    ),
    "even-q": (
        {(0, 1), (0, -1), (-1, 0), (-1, 1), (1, 0), (1, 1)},
        {(0, 1), (0, -1), (-1, -1), (-1, 0), (1, -1), (1, 0)},
    ),
}
LAYOUTS: tuple[Layout, ...] = ("odd-r", "even-r", "odd-q", "even-q")


def steps_from(start: tuple[int, int], layout: Layout, most: int) -> dict[tuple[int, int], int]:
    """Return the length of the shortest way to every cell up to ``most`` steps away, found by search."""
    by_row = layout.endswith("r")
    found, queue = {start: 0}, deque([start])
    while queue:
        cell = queue.popleft()
        if found[cell] == most:
            continue
        for column, row in DRAWN[layout][(cell[1] if by_row else cell[0]) % 2]:
            other = (cell[0] + column, cell[1] + row)
            if other not in found:
                found[other] = found[cell] + 1
                queue.append(other)
    return found


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("start", [(0, 0), (3, 5), (4, 2), (-3, -1), (-2, 7)])
def test_distance_is_the_shortest_way_in_every_layout(layout: Layout, start: tuple[int, int]) -> None:
    found = steps_from(start, layout, 9)
    assert len(found) == 1 + 3 * 9 * 10
    here = from_offset(*start, layout)
    for cell, steps in found.items():
        assert distance(here, from_offset(*cell, layout)) == steps, (start, cell)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_offset_and_axial_go_both_ways(layout: Layout) -> None:
    for column in range(-6, 7):
        for row in range(-6, 7):
            assert to_offset(from_offset(column, row, layout), layout) == (column, row)
    assert to_offset(Hex(0, 0), layout) == (0, 0)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_neighbours_are_those_of_the_drawing(layout: Layout) -> None:
    for cell in [(0, 0), (1, 0), (0, 1), (1, 1), (-1, -1), (5, 8)]:
        parity = (cell[1] if layout.endswith("r") else cell[0]) % 2
        drawn = {(cell[0] + column, cell[1] + row) for column, row in DRAWN[layout][parity]}
        assert {to_offset(each, layout) for each in neighbours(from_offset(*cell, layout))} == drawn


def test_one_pair_is_equally_far_in_all_four_layouts_and_never_nan() -> None:
    """B57: the same two hexes, written in each layout and read back."""
    dice = random.Random(57)
    for _ in range(300):
        a, b = (Hex(dice.randint(-40, 40), dice.randint(-40, 40)) for _ in range(2))
        found = {distance(*(from_offset(*to_offset(each, layout), layout) for each in (a, b))) for layout in LAYOUTS}
        assert len(found) == 1
        assert all(type(each) is int for each in found)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_move_of_length_0_is_0(layout: Layout) -> None:
    """B57: no move."""
    for cell in [(0, 0), (7, 3), (-2, -5)]:
        here = from_offset(*cell, layout)
        assert distance(here, here) == 0
        assert line(here, here) == (here,)
        assert list(within(here, 0)) == [here]


def test_distance_heeds_no_facing_and_is_the_same_both_ways() -> None:
    assert distance(Hex(0, 0, 3), Hex(2, 1, None)) == 3
    assert distance(Hex(2, 1, 5), Hex(0, 0, 0)) == 3


@pytest.mark.parametrize("steps", [0, 1, 2, 5, 9])
def test_counts_of_rings_and_discs(steps: int) -> None:
    here = Hex(-3, 4)
    assert len(set(within(here, steps))) == 1 + 3 * steps * (steps + 1)
    assert len(set(ring(here, steps))) == (6 * steps or 1)
    assert {distance(here, each) for each in ring(here, steps)} == {steps}


# Lines


def rounded(q: float, r: float) -> tuple[Hex, float]:
    """Return the hex that holds a point, by rounding cube coordinates in floating point, and how near a border it is."""
    s = -q - r
    whole = [round(q), round(r), round(s)]
    off = [abs(whole[0] - q), abs(whole[1] - r), abs(whole[2] - s)]
    if off[0] > off[1] and off[0] > off[2]:
        whole[0] = -whole[1] - whole[2]
    elif off[1] > off[2]:
        whole[1] = -whole[0] - whole[2]
    x, y = q + r / 2, math.sqrt(3) / 2 * r
    near = sorted(
        math.hypot(x - (a + b / 2), y - math.sqrt(3) / 2 * b)
        for a in range(whole[0] - 1, whole[0] + 2)
        for b in range(whole[1] - 1, whole[1] + 2)
    )
    return Hex(whole[0], whole[1]), near[1] - near[0]


def test_lines_agree_with_floating_point_wherever_that_is_sure() -> None:
    dice, compared, ties = random.Random(1), 0, 0
    for _ in range(400):
        a, b = (Hex(dice.randint(-15, 15), dice.randint(-15, 15)) for _ in range(2))
        steps = distance(a, b)
        found = line(a, b)
        for step in range(steps + 1):
            part = step / max(steps, 1)
            expected, margin = rounded(a.q + (b.q - a.q) * part, a.r + (b.r - a.r) * part)
            if margin > 1e-6:
                assert found[step] == expected, (a, b, step)
                compared += 1
            else:
                ties += 1
    assert compared > 4000
    assert ties > 100


def test_a_line_is_a_chain_of_neighbours_from_end_to_end() -> None:
    dice = random.Random(2)
    for _ in range(200):
        a, b = (Hex(dice.randint(-30, 30), dice.randint(-30, 30)) for _ in range(2))
        for left in (False, True):
            found = line(a, b, left=left)
            assert (found[0], found[-1], len(found)) == (a, b, distance(a, b) + 1)
            assert all(distance(one, two) == 1 for one, two in itertools.pairwise(found))


def side_of_line(a: Hex, b: Hex, place: Hex) -> float:
    """Return above 0 for a hex on the right hand of somebody who walks from ``a`` to ``b`` (y grows downwards)."""
    (ax, ay), (bx, by), (px, py) = ((each.q + each.r / 2, math.sqrt(3) / 2 * each.r) for each in (a, b, place))
    return (bx - ax) * (py - ay) - (by - ay) * (px - ax)


def test_ties_go_to_one_side_for_the_whole_line() -> None:
    met = 0
    for b in ring(Hex(0, 0), 4):
        a = Hex(0, 0)
        right, left = line(a, b), line(a, b, left=True)
        for one, other in zip(right, left, strict=True):
            if one != other:
                met += 1
                assert side_of_line(a, b, one) > 1e-9
                assert side_of_line(a, b, other) < -1e-9
    # Of the 24 lines six run along hexsides (two ties each), twelve cross a hexside in their middle (one tie each).
    assert met == 6 * 2 + 12


def test_ties_by_hand() -> None:
    assert line(Hex(0, 0), Hex(1, 1)) == (Hex(0, 0), Hex(0, 1), Hex(1, 1))
    assert line(Hex(0, 0), Hex(1, 1), left=True) == (Hex(0, 0), Hex(1, 0), Hex(1, 1))
    # The way back has its right hand on the other side.
    assert line(Hex(1, 1), Hex(0, 0)) == (Hex(1, 1), Hex(1, 0), Hex(0, 0))


def test_long_lines_stay_exact() -> None:
    far = Hex(99_999, -50_000)
    found = line(Hex(0, 0), far)
    assert len(found) == 100_000
    assert found[50_000] in {rounded(far.q * 50_000 / 99_999, far.r * 50_000 / 99_999)[0]}


# Points


def test_centres_of_neighbours_are_one_hex_apart_at_60_degrees() -> None:
    for facing, (q, r) in enumerate(SIDES):
        x, y = centre(Hex(q, r), 50)
        assert math.hypot(x, y) == pytest.approx(50)
        # Facing 0 is to the right, and on anticlockwise; y grows downwards.
        assert math.degrees(math.atan2(-y, x)) % 360 == pytest.approx(60 * facing)


@pytest.mark.parametrize(
    ("place", "x", "y"),
    [
        (Hex(0, 0), 0, 0),
        (Hex(3, 0), 150, 0),
        (Hex(0, 1), 25, 43.30127),
        (Hex(0, 2), 50, 86.60254),
        (Hex(-1, 2), 0, 86.60254),
    ],
)
def test_centres_in_millimetres(place: Hex, x: float, y: float) -> None:
    assert centre(place) == pytest.approx((x, y))
    assert centre(place, 25) == pytest.approx((x / 2, y / 2))
