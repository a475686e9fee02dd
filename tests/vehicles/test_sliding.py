"""The Driver, his check, and the slide (D-VE-6, D-VE-9, D-VE-10, D-AMB-32)."""

from __future__ import annotations

import json
import math
from pathlib import Path
from types import SimpleNamespace

import pytest

from rallypoint.disrupter.records import CheckRequest, Grade, Template
from rallypoint.kernel.board import Board
from rallypoint.kernel.canonical import freeze
from rallypoint.kernel.changes import SetAttribute, SetStatus
from rallypoint.kernel.errors import RuleError
from rallypoint.kernel.parts import Hex, Pose, Status
from rallypoint.kernel.plugins.hooks import hookimpl
from rallypoint.kernel.state import State
from rallypoint.kernel.step import Done
from rallypoint.kernel.tape import Choose
from rallypoint_vehicle_templates import set_files
from rallypoint_vehicle_templates.set_files import FOLDERS

from ..disrupter.positions import changed, unit
from ..rules.playing import dice, told
from .cars import MAN, battlefield, car, drive

X, Y = 325.0, 25 * math.sqrt(3) * 8 + 50 / math.sqrt(3)
DULL = unit("Soldier", "pulse_rifle", instinct=40)
PASS, FAIL = 12, 98
GO_ON = {"D-AMB-32.slide": "goes_on"}
CREW = unit("Soldier", "pulse_rifle"), DULL


def at(done: Done) -> tuple[float, float, float]:
    pose = done.state["R1A"].place
    assert isinstance(pose, Pose)
    return pose


def drivers(done: Done) -> list[object]:
    return [event.why["driver"] for event in told(done, "vehicle.driver")]


def choices(done: Done) -> list[list[str]]:
    asks = [taped.question.asks[0] for taped in done.tape if isinstance(taped.question, Choose)]
    return [[option.key for option in ask.options] for ask in asks]


# The Driver


@pytest.mark.rule("D-VE-6")
def test_who_has_the_highest_instinct_drives() -> None:
    state = battlefield(car((2, 8), DULL, MAN, unit("NCO", "revolver"), MAN))
    done = drive(state, "R1A", ["short_straight", "stop"], answers=[PASS])
    assert drivers(done) == ["R1A-3"]
    assert dice(done) == [("R1A-3", "drive", 1)]
    assert told(done, "vehicle.driver")[0].rule == "D-VE-6"


@pytest.mark.rule("D-VE-6")
def test_of_equals_the_owner_names_one_who_drives_until_he_falls() -> None:
    state = battlefield(car((2, 8), DULL, MAN, MAN, MAN))
    done = drive(state, "R1A", ["short_straight", "hairpin left", "stop"], answers=["R1A-3", PASS, PASS])
    assert choices(done) == [["R1A-2", "R1A-3", "R1A-4"]]
    assert [who for who, _, _ in dice(done)] == ["R1A-3", "R1A-3"]
    again = changed(done.state, SetAttribute("R1A", "moved", 0), SetAttribute("battle", "at", 4))
    next_time = drive(again, "R1A", ["short_straight", "stop"], answers=[PASS])
    assert not drivers(next_time)
    fallen = changed(again, SetStatus("R1A-3", Status("out", "dead")))
    other = drive(fallen, "R1A", ["short_straight", "stop"], answers=["R1A-4", PASS])
    assert (choices(other), drivers(other)) == ([["R1A-2", "R1A-4"]], ["R1A-4"])


# The check


@pytest.mark.rule("D-VE-9")
def test_the_driver_checks_his_instinct_after_each_template() -> None:
    state = battlefield(car((2, 8), *CREW))
    done = drive(state, "R1A", ["short_straight", "hairpin left", "hairpin right", "stop"], answers=[59, 12, 34])
    assert [event.rule for event in told(done, "check")] == ["D-VE-9"] * 3
    assert not told(done, "vehicle.slides")
    assert told(drive(state, "R1A", ["short_straight"], answers=[60, "right 0"]), "vehicle.slides")


@pytest.mark.rule("D-VE-9", "D-R8.4", "D-R8.5")
def test_a_drivers_critical_moves_stress_as_any_other() -> None:
    state = battlefield(car((2, 8), *CREW))
    assert drive(state, "R1A", ["short_straight"], answers=[88, "right 0"]).state["R"].value("Stress") == 1
    tense = changed(state, SetAttribute("R1A", "moved", 0))
    assert drive(tense, "R1A", ["short_straight", "stop"], answers=[44]).state["R"].value("Stress") == 0


@pytest.mark.rule("D-VE-9", "D-R9.4")
def test_an_officer_aboard_gives_the_driver_an_advantage() -> None:
    crew = unit("NCO", "revolver", instinct=50), unit("Soldier", "pulse_rifle", instinct=70)
    done = drive(battlefield(car((2, 8), *crew)), "R1A", ["short_straight", "stop"], answers=[[98, 12]])
    assert dice(done) == [("R1A-2", "drive", 2)]


@pytest.mark.rule("D-VE-9", "D-VE-10")
def test_another_plugin_can_do_away_with_the_check_or_with_the_slide() -> None:
    @hookimpl
    def check_roll(request: CheckRequest) -> Grade | None:
        return "success" if request.purpose == "drive" else None

    @hookimpl(wrapper=True)
    def vehicle_slide(template: Template):  # type: ignore[no-untyped-def]
        yield
        return template.end

    state = battlefield(car((2, 8), *CREW))
    no_check = drive(state, "R1A", ["long_straight", "stop"], plugins=[SimpleNamespace(check_roll=check_roll)])
    assert at(no_check)[1] == pytest.approx(Y - 91)
    assert not dice(no_check)
    no_slide = SimpleNamespace(vehicle_slide=vehicle_slide)
    kept = drive(state, "R1A", ["long_straight"], answers=[FAIL, "right 90"], plugins=[no_slide])
    assert at(kept)[1] == pytest.approx(Y - 91)


# The slide


@pytest.mark.rule("D-VE-10")
@pytest.mark.parametrize(
    ("chosen", "x", "y", "heading"),
    [("right 0", 20, -101, 0), ("right 270", 20, -101, 270), ("left 90", -20, -101, 90), ("left 180", -20, -101, 180)],
)
def test_off_a_straight_it_slides_to_either_hand_and_looks_as_its_owner_likes(
    chosen: str, x: float, y: float, heading: float
) -> None:
    """From the notch at the end, 91 ahead, the house's Slide Template leads 10 ahead and 20 aside."""
    done = drive(battlefield(car((2, 8), *CREW)), "R1A", ["long_straight"], answers=[FAIL, chosen])
    assert at(done) == pytest.approx((X + x, Y + y, heading), abs=1e-6)
    (event,) = told(done, "vehicle.slides")
    assert (event.rule, event.why["blocked"]) == ("D-VE-10", False)
    assert choices(done)[0] == [f"{hand} {turn}" for hand in ("right", "left") for turn in (0, 90, 180, 270)]


@pytest.mark.rule("D-VE-8", "D-VE-10")
def test_off_a_bent_template_it_slides_to_the_hand_of_its_face() -> None:
    """The hard bend to the left ends 45 left and 45 ahead, looking left: ahead is left there, and left is down."""
    done = drive(battlefield(car((2, 8), *CREW)), "R1A", ["hard left"], answers=[FAIL, "left 0"])
    assert at(done) == pytest.approx((X - 45 - 10, Y - 45 + 20, 270.0), abs=1e-6)
    assert choices(done) == [["left 0", "left 90", "left 180", "left 270"]]


@pytest.mark.rule("D-VE-1", "D-VE-10")
def test_a_vehicle_of_some_length_turns_about_its_middle_on_the_slide_template() -> None:
    state = battlefield(car((2, 8), *CREW), traits=("templates(house)", "size(40,20)"))
    done = drive(state, "R1A", ["long_straight"], answers=[FAIL, "right 90"])
    # The front edge begins 20 ahead, the notch is 91 further, the slide 10 more; the middle is 20 behind that.
    assert at(done) == pytest.approx((X + 20, Y - 101, 90.0), abs=1e-6)


@pytest.mark.rule("D-AMB-32")
def test_a_slide_costs_the_template_and_ends_the_movement() -> None:
    state = battlefield(car((2, 8), *CREW))
    done = drive(state, "R1A", ["short_straight", "hairpin left", "hairpin right"], answers=[FAIL, "right 0"])
    assert [event.why["template"] for event in told(done, "vehicle.drives")] == ["short_straight"]
    assert told(done, "vehicle.drives")[0].why["cost"] == 3


@pytest.mark.rule("D-AMB-32")
def test_a_slide_of_the_turn_before_ends_nothing() -> None:
    state = changed(battlefield(car((2, 8), *CREW)), SetAttribute("R1A", "slid", 0))
    done = drive(state, "R1A", ["short_straight", "hairpin left", "stop"], answers=[PASS, PASS])
    assert [event.why["template"] for event in told(done, "vehicle.drives")] == ["short_straight", "hairpin left"]


@pytest.mark.rule("D-AMB-32")
def test_by_ruling_a_slide_does_not_end_it_and_what_is_left_of_m_counts() -> None:
    state = battlefield(car((2, 8), *CREW), movement=9)
    answers = [FAIL, "right 0", PASS, "stop"]
    done = drive(state, "R1A", ["short_straight", "hairpin left"], answers=answers, options=GO_ON)
    assert [event.why["template"] for event in told(done, "vehicle.drives")] == ["short_straight", "hairpin left"]
    assert choices(done)[-1] == ["stop", "short_straight", "hairpin right", "hairpin left"]  # 3 of 9 are left
    # From the Slide Template, 20 right and 60 ahead, the hairpin leads 50 to the left.
    assert at(done) == pytest.approx((X + 20 - 50, Y - 60, 180.0), abs=1e-6)


@pytest.mark.rule("D-VE-10", "D-R14.4")
def test_it_does_not_slide_into_what_is_closed() -> None:
    """After 91 mm it stands in (3, 6), which is 50 mm wide. On the Slide Template, 20 to the right, its side would be in (4, 6)."""
    walls, size = Board(12, 12, {Hex(4, 6): "building"}), ("templates(house)", "size(20,20)")
    state = battlefield(car((2, 8), *CREW), board=walls, traits=size)
    done = drive(state, "R1A", ["long_straight"], answers=[FAIL, "left 0"])
    assert choices(done)[0] == [f"left {turn}" for turn in (0, 90, 180, 270)]  # 20 and half of 20 are more than 25


@pytest.mark.rule("D-VE-10")
def test_where_no_place_is_free_on_the_slide_template_it_stays_at_the_templates_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    far = {
        "set": "far",
        "templates": [{"id": "straight", "gears": [1], "end": {"x": 0, "y": 40}}],
        "slide": {"end": {"x": 900, "y": 0}},
    }
    state = battlefield(car((2, 8), *CREW), traits=("templates(far)",), movement=3)
    _use(far, tmp_path, monkeypatch)
    done = drive(state, "R1A", ["straight", "straight"], answers=[FAIL])
    assert at(done) == pytest.approx((X, Y - 40, 0.0), abs=1e-6)
    assert told(done, "vehicle.slides")[0].why["blocked"] is True
    assert len(told(done, "vehicle.drives")) == 1
    set_files.set_named.cache_clear()


def _use(document: object, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "far.json").write_text(json.dumps(document))
    monkeypatch.setenv(FOLDERS, str(folder))
    set_files.set_named.cache_clear()


@pytest.mark.rule("D-VE-10")
def test_with_a_fixed_facing_on_one_hand_nobody_is_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A notch of its own, 30 ahead; the slide turns by 45 degrees. The front edge comes first: ``rear`` adds the length."""
    bend = {"id": "bend", "gears": [1], "end": {"x": 10, "y": 40, "h": 20}, "notch": {"x": 0, "y": 30}}
    slide = {"end": {"x": 15, "y": 5, "h": 45}}
    _use({"set": "far", "templates": [bend], "slide": slide, "stops_with": "rear"}, tmp_path, monkeypatch)
    state = battlefield(car((2, 8), *CREW), traits=("templates(far)", "size(20,10)"), movement=1)
    done = drive(state, "R1A", ["bend right"], answers=[FAIL])
    off = 10 / math.sqrt(2)  # the middle is 10 ahead of the rear edge, along 45 degrees
    assert at(done) == pytest.approx((X + 15 + off, Y - 10 - 35 - off, 45.0), abs=1e-5)
    set_files.set_named.cache_clear()


# One set for a battle


@pytest.mark.rule("D-VE-3")
def test_a_set_that_changes_in_the_middle_of_a_battle_is_refused() -> None:
    state: State = battlefield(car((2, 8), *CREW))
    done = drive(state, "R1A", ["short_straight", "stop"], answers=[PASS])
    kept = done.state["R1A"].attributes["templates"]
    assert isinstance(kept, tuple)
    assert kept[0] == "house"
    other = changed(state, SetAttribute("R1A", "templates", freeze(("house", "another"))))
    with pytest.raises(RuleError, match="not the set of templates with which this vehicle began"):
        drive(other, "R1A", ["short_straight", "stop"], answers=[PASS])
