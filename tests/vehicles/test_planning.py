"""Plans: the best sequences of templates to a point, against a search that leaves nothing out."""

from __future__ import annotations

import cmath
import math
from collections.abc import Iterator
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rallypoint.kernel.parts import Pose
from rallypoint_vehicle_templates.geometry import Leg
from rallypoint_vehicle_templates.planning import command_of, plans
from rallypoint_vehicle_templates.set_files import set_named
from rallypoint_vehicle_templates.vehicles import Vehicle, end_of

POINT = Vehicle(set_named("house"), 0.0, 0.0)
START = Pose(300.0, 300.0, 0.0)

ENDS = {
    "short_straight": (3, 0, 50, 0),
    "medium_straight": (6, 0, 70, 0),
    "long_straight": (6, 0, 91, 0),
    "gentle": (6, 120 - 60 * math.sqrt(3), 60, 30),
    "turn": (5, 35, 35 * math.sqrt(3), 60),
    "hard": (4, 45, 45, 90),
    "hairpin": (3, 50, 0, 180),
    "veer": (6, 20, 60, 0),
    "swerve": (5, 35, 55, 0),
}
"""Cost, right, ahead, turn of the house set, by hand."""


def everything(left: int, here: complex, heading: float, cost: int = 0) -> Iterator[tuple[int, complex]]:
    """Yield cost and end of every sequence that M allows: complex numbers, nothing left out."""
    for name, (price, right, ahead, turn) in ENDS.items():
        if price <= left:
            for hand in (1, -1) if "straight" not in name else (1,):
                way = cmath.exp(1j * math.radians(heading))
                end = here + hand * right * way - 1j * ahead * way
                yield cost + price, end
                yield from everything(left - price, end, heading + hand * turn, cost + price)


@settings(deadline=None, max_examples=25)
@given(st.floats(150, 450), st.floats(150, 450), st.integers(3, 11), st.sampled_from([2.0, 15.0, 40.0]))
def test_no_sequence_is_better_than_the_first_plan(x: float, y: float, movement: int, tolerance: float) -> None:
    found = plans(POINT, START, (x, y), movement, tolerance)
    assert found.whole
    best = found.plans[0]
    every = [(cost, abs(end - complex(x, y))) for cost, end in everything(movement, 300 + 300j, 0.0)]
    near = [cost for cost, miss in every if miss <= tolerance - 1e-6]
    if near:
        assert best.miss <= tolerance
        assert best.cost <= min(near)
    else:
        assert best.miss == pytest.approx(max(min(miss for _, miss in every), 0.0), abs=1e-5)
    assert best.cost == sum(each.template.cost for each in best.laid) <= movement


def test_a_plan_by_hand() -> None:
    """A hard bend to the right and a short straight: 45 right and 45 up, then 50 to the right."""
    found = plans(POINT, START, (395.0, 255.0), 7, 0.5)
    (best, *_) = found.plans
    assert [each.key for each in best.laid] == ["hard right", "short_straight"]
    assert (best.cost, round(best.miss, 6)) == (7, 0.0)
    assert best.laid[0].end == Pose(345.0, 255.0, 90.0)
    assert best.laid[1].end == Pose(395.0, 255.0, 90.0)
    assert list(command_of(best)) == ["hard right", "short_straight", "stop"]


def test_of_ways_that_are_near_enough_the_cheapest_goes_first() -> None:
    """50 ahead: the short straight for 3; a veer or a swerve come near it for more."""
    found = plans(POINT, START, (300.0, 250.0), 6, 40.0, most=5)
    assert [each.key for each in found.plans[0].laid] == ["short_straight"]
    assert [each.cost for each in found.plans] == sorted(each.cost for each in found.plans)
    assert all(each.miss <= 40.0 for each in found.plans)


def test_a_miss_as_large_as_the_tolerance_is_near_enough() -> None:
    """65 ahead: the short straight for 3 ends 15 before it, the medium one for 6 ends 5 beyond it."""
    for tolerance, key in ((15.0, "short_straight"), (14.9, "medium_straight")):
        assert [each.key for each in plans(POINT, START, (300.0, 235.0), 6, tolerance).plans[0].laid] == [key]


def test_a_way_that_is_worse_placed_and_still_near_enough_is_not_given_up_for_a_longer_one() -> None:
    """A hard bend and a turn end 60 to the left and 5 above the goal, at (405.6, 290), for 9; three hairpins end nearer for 9."""
    goal = 465 + 295j
    assert min(cost for cost, end in everything(9, 300 + 300j, 0.0) if abs(end - goal) <= 60.0) == 9
    (best,) = plans(POINT, START, (465.0, 295.0), 9, 60.0, most=1).plans
    assert [each.key for each in best.laid] == ["hard right", "turn right"]


def test_what_goes_on_from_a_way_that_costs_as_much_as_the_best_is_not_looked_at() -> None:
    """The house set has three straights and six bends with two faces each: 15, each tried once. The first, a hairpin, is 71 off."""
    assert plans(POINT, START, (300.0, 250.0), 6, 80.0, most=1, limit=16).whole
    assert not plans(POINT, START, (300.0, 250.0), 6, 80.0, most=1, limit=15).whole


def test_what_is_out_of_reach_is_come_nearest_to() -> None:
    found = plans(POINT, START, (300.0, 0.0), 6, 5.0, most=2)
    assert [each.key for each in found.plans[0].laid] == ["short_straight", "short_straight"]  # 100 mm for 6
    assert found.plans[0].miss == pytest.approx(200.0)
    assert [each.key for each in found.plans[1].laid] == ["long_straight"]  # 91 mm


def test_with_a_length_templates_are_laid_at_the_front_edge() -> None:
    car = Vehicle(set_named("house"), 40.0, 20.0)
    (best, *_) = plans(car, START, (300.0 + 45 - 20, 300.0 - 20 - 45), 4, 0.1).plans
    assert [each.key for each in best.laid] == ["hard right"]


def test_a_search_that_is_given_up_says_so() -> None:
    found = plans(POINT, START, (600.0, 600.0), 30, 1.0, limit=500)
    assert not found.whole
    assert found.plans
    assert not plans(POINT, START, (300.0, 0.0), 2, 5.0).plans


def test_the_ends_above_are_those_of_the_set() -> None:
    for name, each in set_named("house").templates.items():
        cost, right, ahead, turn = ENDS[name]
        assert each.cost == cost
        assert each.end == pytest.approx(Leg(right, ahead, turn), abs=1e-9)


@pytest.mark.parametrize(("edge", "y"), [("front", 250.0), ("rear", 210.0)])
def test_the_edge_that_lies_at_the_far_end_says_where_the_middle_is(edge: Literal["front", "rear"], y: float) -> None:
    """Of a vehicle of 40 mm at 300 the front is at 280; 50 further, at 230, lies its front or its rear edge."""
    vehicle = Vehicle(set_named("house")._replace(stops_with=edge), 40.0, 20.0)
    assert end_of(vehicle, START, vehicle.set.templates["short_straight"]) == Pose(300.0, y, 0.0)
