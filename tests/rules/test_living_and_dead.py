"""Whom fire, marks and beams still count: the dead of a raft, a dead team, a stand off the board, a car off the grid."""

from __future__ import annotations

import pytest

from rallypoint.disrupter.beam import struck_by
from rallypoint.disrupter.checks import check_cut, modifiers
from rallypoint.disrupter.field import teams
from rallypoint.disrupter.records import Attack, CheckRequest
from rallypoint.disrupter.spotting import check_spot
from rallypoint.kernel.answers import Answers, Seed
from rallypoint.kernel.changes import SetLink, SetPlace, SetStatus
from rallypoint.kernel.dice import D100
from rallypoint.kernel.errors import RuleError
from rallypoint.kernel.parts import Link, Pose, Status
from rallypoint.kernel.state import State
from rallypoint.kernel.step import Step

from ..disrupter.positions import changed, game, position, step, team, unit

OUT = Status("out", "dead")


def facing(*blue: dict[str, object]) -> State:
    """Return a red soldier with a cutter in the corner, and blue two hexes to his right in the same row."""
    red = team("R1A", (0, 0), unit("Soldier", "laser_cutter"))
    return position(red, team("B1A", (2, 0), *(blue or (unit("Soldier"),))))


@pytest.mark.rule("D-R16.2")
def test_a_team_of_the_dead_is_not_spotted() -> None:
    dead = changed(facing(), SetStatus("B1A-1", OUT))
    with pytest.raises(RuleError, match="only a living team or unit can be spotted"):
        step(dead, check_spot, "R1A-1", "B1A")
    step(facing(), check_spot, "R1A-1", "B1A")


@pytest.mark.rule("D-R2.1")
def test_a_living_team_off_the_board_does_not_stand_on_it() -> None:
    state = facing()
    assert [each.uid for each in teams(state, "blue")] == ["B1A"]
    assert list(teams(changed(state, SetPlace("B1A", None)), "blue")) == []


@pytest.mark.rule("D-R16.2", "D-R13.1")
@pytest.mark.parametrize(("marked", "signs"), [(None, ["+"]), ("B1A-1", []), ("B1A-2", ["+"]), ("B1A", [])])
def test_by_ruling_a_mark_on_a_unit_or_its_team_makes_its_cover_useless(marked: str | None, signs: list[str]) -> None:
    state = changed(facing(unit("Soldier"), unit("Soldier")), SetStatus("B1A", Status("under_cover")))
    if marked is not None:
        state = changed(state, SetLink(Link("spot", "R1A", marked, "R1A-1", 1, 1)))
    asked = Step(game({"D-AMB-23.cover": "this_attack_only"}), state, Answers(Seed(1)))
    assert [each.sign for each in modifiers(asked, CheckRequest(("B1A-1",), "armor", "save"))] == signs


@pytest.mark.rule("D-R7.6")
def test_by_ruling_00_is_no_double_but_for_who_cannot_succeed() -> None:
    """With a stat of 0 every face fails, and 00, 11, ..., 99 are doubles: 10 critical failures, also where 00 is plain."""
    assert check_cut(0, 0, "always", "plain").grade(D100, (0,)) == "critical_failure"
    assert dict(check_cut(0, 0, "always", "plain").ways(D100, 1)) == {"failure": 90, "critical_failure": 10}
    assert check_cut(60, 0, "always", "plain").grade(D100, (0,)) == "success"


@pytest.mark.rule("D-EQ-T9", "D-VE-3")
def test_a_beam_strikes_a_car_off_the_grid_in_the_hex_under_its_middle() -> None:
    """The middle of C1, two columns to the right, is 2 * 50 + 25 mm across and 50 / 3 ** 0.5 = 28.87 mm down."""
    state = changed(facing(), SetPlace("B1A", Pose(125.0, 28.87, 90.0)))
    assert struck_by(state, Attack("R1A-1", "laser_cutter", "@1,0")) == ("B1A-1",)
    away = changed(state, SetPlace("B1A", Pose(125.0, 200.0, 90.0)))
    assert struck_by(away, Attack("R1A-1", "laser_cutter", "@1,0")) == ()
