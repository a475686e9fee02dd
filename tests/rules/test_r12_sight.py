"""Rule 12: what is in the way of a line of sight, and what is not. The lines themselves: ``test_r12_sight_lines``."""

from __future__ import annotations

from random import Random

import pytest

from rallypoint.disrupter.sight import between, sees, sight_tests
from rallypoint.kernel.board import Board
from rallypoint.kernel.changes import SetPlace, SetStatus
from rallypoint.kernel.hexes import from_offset, neighbours
from rallypoint.kernel.parts import Hex
from rallypoint.kernel.state import Entity, State

from ..disrupter.positions import changed, position, status, team, unit

WALL = [Hex(4, 3), Hex(3, 4), Hex(4, 4)]
"""Between (3, 3) and (5, 3): the hex in the middle and those beside it, so that nothing passes."""


def field(*stands: list[Entity], terrain: str | None = None) -> State:
    """Return red at (3, 3) and blue at (5, 3) on a board of 12 by 12, with terrain between them."""
    row = Board(
        12,
        12,
        {} if terrain is None else dict.fromkeys([Hex(4, 3), Hex(4, 2), Hex(3, 4), Hex(5, 2), Hex(4, 4)], terrain),
    )
    return position(team("R1A", (3, 3), unit("Soldier")), team("B1A", (5, 3), unit("Soldier")), *stands, board=row)


def ring(side: str) -> list[list[Entity]]:
    """Return stands of a side in all hexes that a line between the two can pass."""
    places = [(4, 3), (4, 2), (5, 2), (3, 4), (4, 4)]
    return [team(f"{side}{number}A", place, unit("Soldier")) for number, place in enumerate(places, 2)]


@pytest.mark.rule("D-R12.1", "D-AMB-01")
def test_buildings_are_in_the_way() -> None:
    assert sees(field(), {}, "R1A", "B1A")
    walled = field(terrain="building")
    assert not sees(walled, {}, "R1A", "B1A")
    assert sees(walled, {"D-AMB-01": "enterable_light_cover"}, "R1A", "B1A")


@pytest.mark.rule("D-R12.1", "D-R2.2")
@pytest.mark.parametrize(
    "terrain", ["forest", "jungle", "undergrowth", "barricade", "unmanned_vehicle", "river", "water"]
)
def test_light_cover_and_water_are_not(terrain: str) -> None:
    assert sees(field(terrain=terrain), {}, "R1A", "B1A")


@pytest.mark.rule("D-R12.2", "D-AMB-20")
def test_enemy_stands_are_in_the_way_and_friends_are_not() -> None:
    friends, foes = field(*ring("R")), field(*ring("B"))
    assert sees(friends, {}, "R1A", "B1A")
    assert not sees(friends, {}, "B1A", "R1A")
    assert not sees(foes, {}, "R1A", "B1A")
    assert sees(foes, {}, "B1A", "R1A")
    assert sees(foes, {"D-AMB-20": "none"}, "R1A", "B1A")


@pytest.mark.rule("D-R12.2", "D-AMB-20")
def test_fallen_stands_and_those_off_the_board_are_in_nobodys_way() -> None:
    foes = field(*ring("B"))
    fallen = changed(foes, *[SetStatus(f"B{number}A-1", status("out")) for number in range(2, 7)])
    gone = changed(foes, *[SetPlace(f"B{number}A", None) for number in range(2, 7)])
    assert sees(fallen, {}, "R1A", "B1A")
    assert sees(gone, {}, "R1A", "B1A")


@pytest.mark.rule("D-R12.1")
def test_between_hexes_no_stands_count_unless_a_side_looks() -> None:
    foes = field(*ring("B"))
    assert between(foes, {}, Hex(3, 3), Hex(5, 3), None)
    assert not between(foes, {}, Hex(3, 3), Hex(5, 3), "red")


@pytest.mark.rule("D-R12.1")
def test_nobody_sees_what_is_off_the_board() -> None:
    assert not sees(changed(field(), SetPlace("B1A", None)), {}, "R1A", "B1A")


@pytest.mark.rule("D-R12.3")
def test_facing_does_not_matter() -> None:
    turned = changed(field(terrain="building"), SetPlace("R1A", Hex(3, 3, 4)), SetPlace("B1A", Hex(5, 3, 1)))
    assert not sees(turned, {}, "R1A", "B1A")
    assert sees(changed(field(), SetPlace("R1A", Hex(3, 3, 4))), {}, "R1A", "B1A")


@pytest.mark.rule("D-R12.1", "D-LOS.edge")
def test_a_line_stays_on_the_board_but_by_ruling() -> None:
    # On the left edge rows stand out and back: from row 0 to row 2 past a building in row 1 only the land beyond is left.
    left = Board(12, 12, {from_offset(0, 1): "building"})
    rows = team("R1A", (0, 0), unit("Soldier")), team("B1A", tuple(from_offset(0, 2)[:2]), unit("Soldier"))  # type: ignore[arg-type]
    state = position(*rows, board=left)
    assert not sees(state, {}, "R1A", "B1A")
    assert sees(state, {"D-LOS.edge": "free"}, "R1A", "B1A")


@pytest.mark.rule("D-R12.1", "D-LOS.shape")
def test_by_ruling_only_centres_see() -> None:
    one = position(
        team("R1A", (3, 3), unit("Soldier")),
        team("B1A", (5, 3), unit("Soldier")),
        board=Board(12, 12, {Hex(4, 3): "building"}),
    )
    assert sees(one, {}, "R1A", "B1A")
    assert not sees(one, {"D-LOS.shape": "centres"}, "R1A", "B1A")


@pytest.mark.rule("D-R12.1", "D-LOS.shape", "D-LOS.tangent")
@pytest.mark.parametrize("tangent", ["clear", "blocked"])
def test_neighbours_see_each_other_by_their_centres_whatever_is_built_about_them(tangent: str) -> None:
    options = {"D-LOS.shape": "centres", "D-LOS.tangent": tangent}
    middle, about = Hex(4, 4), neighbours(Hex(4, 4))
    for other in (middle, *about):
        walls = {at: "building" for at in Board(12, 12).hexes() if at not in (middle, other)}
        assert between(position(board=Board(12, 12, walls)), options, middle, other, None)


@pytest.mark.rule("D-R12.1", "D-LOS.tangent")
def test_a_line_that_only_touches_is_clear_or_by_ruling_not() -> None:
    state = position(
        team("R1A", (3, 3), unit("Soldier")),
        team("B1A", (4, 4), unit("Soldier")),
        board=Board(12, 12, {Hex(4, 3): "building"}),
    )
    centres = {"D-LOS.shape": "centres"}
    assert sees(state, centres, "R1A", "B1A")  # from centre to centre the line runs along the building's side
    assert not sees(state, {**centres, "D-LOS.tangent": "blocked"}, "R1A", "B1A")


@pytest.mark.rule("D-R12.1", "D-LOS.gap")
def test_nothing_is_seen_between_two_buildings_that_share_a_side_but_by_ruling() -> None:
    state = position(
        team("R1A", (3, 3), unit("Soldier")),
        team("B1A", (4, 4), unit("Soldier")),
        board=Board(12, 12, {Hex(4, 3): "building", Hex(3, 4): "building"}),
    )
    assert not sees(state, {}, "R1A", "B1A")
    for shape in ("hexes", "centres"):
        gap = {"D-LOS.gap": "clear", "D-LOS.shape": shape}
        assert sees(state, gap, "R1A", "B1A")
        assert not sees(state, {**gap, "D-LOS.tangent": "blocked"}, "R1A", "B1A")  # along it a line touches both


@pytest.mark.rule("D-R12.1")
def test_sight_over_terrain_is_mutual_and_the_same_wherever_it_lies() -> None:
    random = Random(12)
    for _ in range(60):
        places = [Hex(random.randint(2, 7), random.randint(2, 7)) for _ in range(8)]
        here, there, *walls = places
        moved = [Hex(place.q - 1, place.r + 2) for place in places]
        answers = []
        for a, b, *houses in (places, moved):
            land = Board(30, 30, dict.fromkeys([house for house in houses if house not in (a, b)], "building"))
            state = position(team("R1A", (0, 0), unit("Soldier")), team("B1A", (20, 0), unit("Soldier")), board=land)
            answers += [between(state, {}, a, b, None), between(state, {}, b, a, None)]
        assert len(set(answers)) == 1, (here, there, walls)


@pytest.mark.rule("D-R12.1")
def test_what_was_worked_out_is_not_worked_out_again() -> None:
    state = field(*ring("B"))
    before = sight_tests()
    for _ in range(5):
        sees(state, {}, "R1A", "B1A")
    after = sight_tests()
    assert after.asked - before.asked == 5
    assert after.worked_out - before.worked_out == 2  # the land alone, then with the stands in the corridor
    between(state, {}, Hex(5, 3), Hex(3, 3), None)
    assert sight_tests().worked_out == after.worked_out  # the same line, from its other end
