"""Boards: how large, what is on them, and where a hex lies in millimetres."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rallypoint.kernel.board import Board
from rallypoint.kernel.errors import StateError
from rallypoint.kernel.parts import Hex, Pose, Zone


@pytest.mark.parametrize(
    ("columns", "rows", "width", "height"),
    # Width: 50 mm a hex and half of one for the odd rows. Height: a hex is 57.735 high, each further row adds 43.301.
    [
        (1, 1, 50, 57.735),
        (1, 2, 75, 101.036),
        (12, 12, 625, 57.735 + 11 * 43.30127),
        (18, 18, 925, 57.735 + 17 * 43.30127),
    ],
)
def test_size_in_millimetres(columns: int, rows: int, width: float, height: float) -> None:
    assert Board(columns, rows).size == pytest.approx((width, height), abs=0.01)


@pytest.mark.parametrize(
    ("place", "x", "y"),
    [
        (Hex(0, 0), 25.0, 28.8675),
        (Hex(11, 0), 575.0, 28.8675),
        (Hex(0, 1), 50.0, 72.1688),  # the second row, half a hex to the right
        (Hex(-1, 2), 25.0, 115.4701),  # the third row begins below the first
        (Hex(6, 11), 600.0, 505.1815),  # the last hex of 12 by 12: column 11, row 11
    ],
)
def test_points_of_hexes(place: Hex, x: float, y: float) -> None:
    assert Board(12, 12).point(place) == pytest.approx((x, y), abs=0.001)


def test_every_hex_lies_inside_the_size_and_touches_its_edges() -> None:
    board = Board(7, 5, hex_mm=30)
    width, height = board.size
    corner = 30 / math.sqrt(3)
    points = [board.point(place) for place in board.hexes()]
    assert min(x for x, _ in points) == pytest.approx(15)
    assert max(x for x, _ in points) == pytest.approx(width - 15)
    assert min(y for _, y in points) == pytest.approx(corner)
    assert max(y for _, y in points) == pytest.approx(height - corner)


def test_hexes_are_listed_row_by_row_and_each_is_on_the_board() -> None:
    board = Board(5, 4)
    listed = list(board.hexes())
    assert len(listed) == len(set(listed)) == 20
    assert listed[:5] == [Hex(0, 0), Hex(1, 0), Hex(2, 0), Hex(3, 0), Hex(4, 0)]
    assert listed[5] == Hex(0, 1)
    assert listed[10] == Hex(-1, 2)
    assert all(board.holds(place) for place in listed)


@pytest.mark.parametrize("place", [Hex(-1, 0), Hex(5, 0), Hex(0, 4), Hex(0, -1), Hex(-1, 1), Hex(-2, 2), (0, 0), "A1"])
def test_what_is_not_on_the_board(place: object) -> None:
    assert not Board(5, 4).holds(place)


def test_terrain_is_found_whatever_the_facing() -> None:
    board = Board(4, 4, {Hex(1, 1): "forest"})
    assert board.terrain_at(Hex(1, 1, 4)) == "forest"
    assert board.terrain_at(Hex(1, 2)) is None


def test_a_pose_is_a_point_already_and_a_zone_is_nowhere() -> None:
    board = Board(4, 4)
    assert board.point(Pose(12.5, 99.0, 180)) == (12.5, 99.0)
    with pytest.raises(StateError, match="zone"):
        board.point(Zone("reserve"))


@given(st.integers(0, 11), st.integers(0, 11), st.floats(0, 24.9), st.floats(0, 360))
def test_a_point_within_the_inner_circle_of_a_hex_lies_in_it(column: int, row: int, off: float, way: float) -> None:
    board = Board(12, 12)
    place = Hex(column - (row - (row & 1)) // 2, row)
    x, y = board.point(place)
    angle = math.radians(way)
    assert board.hex_at(x + off * math.cos(angle), y + off * math.sin(angle)) == place


@given(st.floats(-100, 700), st.floats(-100, 700))
def test_the_hex_at_a_point_is_the_one_whose_middle_is_nearest(x: float, y: float) -> None:
    board = Board(14, 14)
    found = board.hex_at(x, y)
    around = [Hex(found.q + q, found.r + r) for q in (-1, 0, 1) for r in (-1, 0, 1)]
    nearest = min(math.dist(board.point(each), (x, y)) for each in around)
    assert math.dist(board.point(found), (x, y)) <= nearest + 0.001
