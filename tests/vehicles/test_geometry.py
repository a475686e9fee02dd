"""Poses and legs, against complex numbers, hand trigonometry and decimal fractions of fifty digits."""

from __future__ import annotations

import cmath
import math
from decimal import Decimal, getcontext
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rallypoint.kernel.parts import Pose
from rallypoint_vehicle_templates.geometry import (
    HERE,
    Leg,
    arc,
    arc_way,
    bearing,
    chained,
    corners,
    curve_way,
    leg_to,
    moved,
    outline,
    polyline_way,
    settled,
)
from rallypoint_vehicle_templates.templates import MovementTemplate

numbers = st.floats(-500, 500)
degrees = st.floats(-360, 360)
legs = st.builds(Leg, numbers, numbers, degrees)
poses = st.builds(Pose, numbers, numbers, st.floats(0, 359.999))


def by_complex_numbers(at: Pose, leg: Leg) -> tuple[complex, float]:
    """Return point and heading: on the board i is down, straight ahead is -i turned clockwise by the heading."""
    turned = cmath.exp(1j * math.radians(at.heading))
    ahead, right = -1j * turned, turned
    return complex(at.x, at.y) + leg.right * right + leg.ahead * ahead, (at.heading + leg.turn) % 360


@given(poses, legs)
def test_a_leg_is_what_complex_numbers_say(at: Pose, leg: Leg) -> None:
    point, heading = by_complex_numbers(at, leg)
    found = moved(at, leg)
    assert complex(found.x, found.y) == pytest.approx(point, abs=1e-9)
    assert math.cos(math.radians(found.heading - heading)) == pytest.approx(1.0, abs=1e-12)


@given(poses, legs)
def test_the_leg_to_a_pose_leads_there(at: Pose, leg: Leg) -> None:
    there = moved(at, leg)
    found = leg_to(at, there)
    assert found[:2] == pytest.approx(leg[:2], abs=1e-9)
    assert math.cos(math.radians(found.turn - leg.turn)) == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize(("heading", "to", "turn"), [(350.0, 10.0, 20.0), (10.0, 350.0, -20.0), (0.0, 180.0, -180.0)])
def test_a_leg_turns_the_short_way(heading: float, to: float, turn: float) -> None:
    assert leg_to(Pose(0.0, 0.0, heading), Pose(0.0, 0.0, to)).turn == turn


@given(poses, legs, legs)
def test_two_legs_are_one(at: Pose, first: Leg, second: Leg) -> None:
    assert moved(at, first.then(second))[:2] == pytest.approx(moved(moved(at, first), second)[:2], abs=1e-9)


@given(legs)
def test_turned_over_twice_is_as_it_was(leg: Leg) -> None:
    assert leg.mirrored().mirrored() == leg


@given(poses, legs)
def test_a_template_turned_over_ends_at_the_mirror_image(at: Pose, leg: Leg) -> None:
    """The mirror is the line along which the vehicle looks: reflected over it, the end of one face is that of the other."""
    ahead = -1j * cmath.exp(1j * math.radians(at.heading))
    here = complex(at.x, at.y)
    one, other = moved(at, leg), moved(at, leg.mirrored())
    reflected = here + ahead * ((complex(one.x, one.y) - here) / ahead).conjugate()
    assert complex(other.x, other.y) == pytest.approx(reflected, abs=1e-9)


# By hand


def test_quarter_turns_are_exact() -> None:
    at = Pose(100.0, 200.0, 0.0)
    assert moved(at, Leg(3.0, 10.0, 90.0)) == Pose(103.0, 190.0, 90.0)
    assert moved(at._replace(heading=90.0), Leg(3.0, 10.0, 90.0)) == Pose(110.0, 203.0, 180.0)
    assert moved(at._replace(heading=180.0), Leg(3.0, 10.0, 90.0)) == Pose(97.0, 210.0, 270.0)
    assert moved(at._replace(heading=270.0), Leg(3.0, 10.0, 90.0)) == Pose(90.0, 197.0, 0.0)


def test_arcs_end_where_trigonometry_says() -> None:
    root = math.sqrt(3)
    assert arc(120, 30)[:2] == pytest.approx((120 - 60 * root, 60), abs=1e-9)  # 120 (1 - cos 30), 120 sin 30
    assert arc(70, 60)[:2] == pytest.approx((35, 35 * root), abs=1e-9)
    assert arc(45, 90) == Leg(45, 45, 90)
    assert arc(25, 180) == Leg(50, 0, 180)


def test_bearings_go_clockwise_from_straight_ahead() -> None:
    at = Pose(100.0, 100.0, 30.0)
    root = math.sqrt(3)
    assert bearing(at, (100 + 50, 100 - 50 * root)) == pytest.approx(0.0, abs=1e-9)  # 30 degrees right of the top
    assert bearing(at, (100.0, 0.0)) == pytest.approx(-30.0)
    assert bearing(at, (200.0, 100.0)) == pytest.approx(60.0)
    assert bearing(at, (100 - 50, 100 + 50 * root)) == pytest.approx(180.0)


def test_a_footprint_by_hand() -> None:
    assert corners(Pose(100.0, 100.0, 0.0), 60.0, 20.0) == ((90, 70), (110, 70), (110, 130), (90, 130))
    assert corners(Pose(100.0, 100.0, 90.0), 60.0, 20.0) == ((130, 90), (130, 110), (70, 110), (70, 90))
    assert list(outline(Pose(5.0, 6.0, 40.0), 0.0, 0.0)) == [(5.0, 6.0)]


@given(poses, st.floats(5, 150), st.floats(5, 80))
def test_the_rim_of_a_footprint_leaves_out_no_hex_that_a_corner_is_over(at: Pose, length: float, width: float) -> None:
    rim = list(outline(at, length, width))
    assert set(corners(at, length, width)) <= set(rim)
    apart = [math.dist(a, b) for a, b in zip(rim[1:], [*rim[2:], rim[1]], strict=True)]
    assert max(apart) <= 20.0 + 1e-9  # a hex of 50 mm has sides of 28.9 mm
    assert sum(apart) == pytest.approx(2 * (length + width))


# Long chains

getcontext().prec = 50
PI = Decimal("3.14159265358979323846264338327950288419716939937510")


def sine(x: Decimal) -> Decimal:
    """Return the sine by its series, for a small angle."""
    total, term, n = Decimal(0), x, 1
    while abs(term) > Decimal(10) ** -45:
        total += term
        term *= -x * x / ((n + 1) * (n + 2))
        n += 2
    return total


def exact_turn(degrees: Fraction) -> tuple[Decimal, Decimal]:
    small = Decimal(degrees.numerator) / Decimal(degrees.denominator) * PI / 180
    quarter = PI / 2 - small
    return sine(small), sine(quarter)


TEN = [
    ("gentle", 120, 30, 1),
    ("turn", 70, 60, -1),
    ("hard", 45, 90, 1),
    ("gentle", 120, 30, -1),
    ("hairpin", 25, 180, 1),
    ("turn", 70, 60, 1),
    ("gentle", 120, 30, 1),
    ("hard", 45, 90, -1),
    ("turn", 70, 60, 1),
    ("gentle", 120, 30, -1),
]
"""Ten arcs: radius, angle, to the right (1) or left (-1)."""


def test_ten_templates_do_not_drift() -> None:
    """Each arc is walked anew in fifty digits, round its own centre; and the battle's rounding is done after each."""
    x, y, heading = Decimal(250), Decimal(300), Fraction(17)
    at = Pose(250.0, 300.0, 17.0)
    for _, radius, angle, hand in TEN:
        sin, cos = exact_turn(heading)
        centre = x + hand * radius * cos, y + hand * radius * sin
        heading = heading + hand * angle
        sin, cos = exact_turn(heading)
        x, y = centre[0] - hand * radius * cos, centre[1] - hand * radius * sin
        leg = arc(radius, angle)
        at = settled(moved(at, leg if hand == 1 else leg.mirrored()))
    assert abs(Decimal(at.x) - x) < Decimal("0.001")
    assert abs(Decimal(at.y) - y) < Decimal("0.001")
    assert at.heading == float(heading % 360)
    whole = chained(Pose(250.0, 300.0, 17.0), [arc(r, a) if h == 1 else arc(r, a).mirrored() for _, r, a, h in TEN])
    assert whole[:2] == pytest.approx((float(x), float(y)), abs=1e-9)


# Ways


@pytest.mark.parametrize("end", [Leg(20, 60), Leg(35, 55), Leg(0, 91), Leg(-30, 40, -70), Leg(50, 0, 180)])
def test_a_curve_begins_straight_ahead_and_ends_as_it_should(end: Leg) -> None:
    way = curve_way(end)
    assert (way[0], way[-1]) == (HERE, end)
    assert abs(math.degrees(math.atan2(way[1].right, way[1].ahead))) < 8
    last = math.degrees(math.atan2(end.right - way[-2].right, end.ahead - way[-2].ahead))
    assert abs((last - end.turn + 180) % 360 - 180) < 8
    assert max(math.dist(a[:2], b[:2]) for a, b in pairwise(way)) < 6


def test_every_place_on_an_arc_is_as_far_from_its_centre() -> None:
    way = arc_way(45, 90)
    assert [math.dist(leg[:2], (45, 0)) for leg in way] == pytest.approx([45] * len(way))
    assert len(way) == 37  # 45 pi / 2 is 70.7 mm, in parts of 2 mm at most


def test_measured_places_are_kept_and_filled_up() -> None:
    way = polyline_way((HERE, Leg(0, 4), Leg(3, 8, 20)))
    assert way[:3] == (HERE, Leg(0, 2), Leg(0, 4))
    assert way[-1] == Leg(3, 8, 20)
    assert way[3] == pytest.approx(Leg(1, 4 + 4 / 3, 20 / 3))


@pytest.mark.rule("D-VE-8")
def test_a_template_that_may_not_be_turned_over_has_one_face() -> None:
    bend = MovementTemplate("bend", "Bend", (1,), Leg(10.0, 40.0, 20.0), Leg(10.0, 40.0, 20.0))
    assert [key for key, _ in bend.faces()] == ["bend right", "bend left"]
    assert [key for key, _ in bend._replace(mirror=False).faces()] == ["bend right"]
