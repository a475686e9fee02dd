"""Driving: which templates may be laid, what they cost, where a vehicle is then, who reacts (D-VE-1 to D-VE-5, 7, 8, 11)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rallypoint.disrupter.field import hexes_apart, place
from rallypoint.disrupter.sight import sees
from rallypoint.kernel.answers import Answers, AtRandom, Script, Seed
from rallypoint.kernel.board import Board
from rallypoint.kernel.changes import SetAttribute, SetPlace
from rallypoint.kernel.errors import RuleError
from rallypoint.kernel.game import Intent
from rallypoint.kernel.parts import Hex, Pose
from rallypoint.kernel.plugins.hooks import hookimpl
from rallypoint.kernel.state import State
from rallypoint.kernel.step import Done, run
from rallypoint.kernel.tape import Choice, Choose, Suspended

from ..disrupter.positions import changed, game, team, unit
from ..rules.playing import told
from .cars import MAN, battlefield, car, car_game, drive

X, Y = 325.0, 25 * math.sqrt(3) * 8 + 50 / math.sqrt(3)
"""The middle of hex (2, 8)."""

PASS, FAIL = 12, 98
"""Dice of a Driver, against any Instinct here: neither is a double."""


def refused(state: State, *args: object, rule: str = "drive") -> str | None:
    with pytest.raises(RuleError) as caught:
        drive(state, *args, rule=rule)
    return caught.value.rule


def asked(
    state: State,
    *args: object,
    answers: Iterable[object] = (),
    plugins: Iterable[object] = (),
    options: Mapping[str, object] | None = None,
) -> Choice:
    """Return the choice with which a drive stops."""
    with pytest.raises(Suspended) as caught:
        drive(state, *args, answers=answers, options=options, plugins=plugins)
    question = caught.value.question
    assert isinstance(question, Choose)
    (ask,) = question.asks
    return ask


def keys(ask: Choice) -> list[str]:
    return [option.key for option in ask.options]


def at(done: Done, uid: str = "R1A") -> tuple[float, float, float]:
    pose = done.state[uid].place
    assert isinstance(pose, Pose)
    return pose


# What moves by templates


@pytest.mark.rule("D-VE-2")
def test_the_raft_moves_as_infantry_and_the_plugin_leaves_it_alone() -> None:
    raft = team("R1A", (2, 8), MAN, MAN, vehicle="inflatable_raft")
    state = battlefield(raft)
    assert refused(state, "R1A") == "D-VE-2"
    with_plugin = drive(state, "R1A", [(2, 7)], rule="move")
    without = run(game(), state, Intent("move", ("R1A", ((2, 7),)), "red"), Script([]))
    assert with_plugin.state == without.state
    assert with_plugin.state["R1A"].place == Hex(2, 7)


@pytest.mark.rule("D-R14.6", "D-VE-2", "D-VE-3")
def test_another_vehicle_does_not_move_by_hexes() -> None:
    assert refused(battlefield(car()), "R1A", [(2, 7)], rule="move") == "D-VE-3"
    legal = car_game().legal(battlefield(car(), team("R1B", (6, 8), MAN)), "red")
    assert [intent.args for intent in legal if intent.rule == "drive"] == [("R1A",)]
    assert {intent.args[0] for intent in legal if intent.rule == "move"} == {"R1B"}


@pytest.mark.rule("D-VE-3")
def test_without_the_plugin_nobody_knows_a_template() -> None:
    state = battlefield(car())
    with pytest.raises(RuleError, match="there is no template that this vehicle can lay here") as caught:
        run(game(), state, Intent("drive", ("R1A",), "red"), Script([]))
    assert caught.value.rule == "D-VE-3"
    assert not [intent for intent in game().legal(state, "red") if intent.rule in ("drive", "move")]


@pytest.mark.rule("D-VE-3")
@pytest.mark.parametrize("traits", [(), ("templates(nowhere)",), ("templates(house)", "size(1)")])
def test_a_vehicle_without_a_set_does_not_drive_and_holds_nothing_else_up(traits: tuple[str, ...]) -> None:
    state = battlefield(car(), team("R1B", (6, 8), MAN), traits=traits)
    assert refused(state, "R1A", ["gentle right"]) in ("D-VE-3", "D-VE-1")
    assert {intent.args[0] for intent in car_game().legal(state, "red") if intent.args} == {"R1B"}


@pytest.mark.rule("D-VE-3")
def test_a_straight_leads_from_the_middle_of_the_hex_away_from_the_own_edge() -> None:
    done = drive(battlefield(car()), "R1A", ["long_straight", "stop"], answers=[PASS])
    assert at(done) == pytest.approx((X, Y - 91, 0.0), abs=1e-6)
    assert told(done, "vehicle.drives")[0].rule == "D-VE-3"


@pytest.mark.rule("D-VE-3")
def test_the_roster_may_say_which_way_a_vehicle_looks_at_first() -> None:
    done = drive(battlefield(car(heading=90)), "R1A", ["long_straight", "stop"], answers=[PASS])
    assert at(done) == pytest.approx((X + 91, Y, 90.0), abs=1e-6)


@pytest.mark.rule("D-VE-8")
def test_either_face_may_be_up() -> None:
    right = at(drive(battlefield(car()), "R1A", ["hard right", "stop"], answers=[PASS]))
    left = at(drive(battlefield(car()), "R1A", ["hard left", "stop"], answers=[PASS]))
    assert right == pytest.approx((X + 45, Y - 45, 90.0), abs=1e-6)
    assert left == pytest.approx((X - 45, Y - 45, 270.0), abs=1e-6)


@pytest.mark.rule("D-VE-1", "D-VE-3")
def test_with_a_size_templates_are_laid_at_the_front_edge_and_the_middle_is_kept() -> None:
    state = battlefield(car(), traits=("templates(house)", "size(60,30)"))
    done = drive(state, "R1A", ["hard right", "stop"], answers=[PASS])
    # The front edge goes from 30 ahead to (45, 75) to the right and ahead; the middle is 30 behind it, to the left now.
    assert at(done) == pytest.approx((X + 45 - 30, Y - 75, 90.0), abs=1e-6)


# Cost


@pytest.mark.rule("D-VE-4", "D-VE-5")
def test_the_next_template_must_fit_into_what_is_left_of_m() -> None:
    ask = asked(battlefield(car()), "R1A", ["turn right"], answers=[PASS])
    assert keys(ask) == [
        "stop",
        "short_straight",  # 5 of 12 are gone: all that cost 7 at most
        "medium_straight",
        "long_straight",
        *[f"{name} {hand}" for name in ("gentle", "turn", "hard", "hairpin", "veer", "swerve") for hand in _HANDS],
    ]
    ask = asked(battlefield(car()), "R1A", ["turn right", "hard left"], answers=[PASS, PASS])
    assert keys(ask) == ["stop", "short_straight", "hairpin right", "hairpin left"]  # 3 are left


_HANDS = ("right", "left")


@pytest.mark.rule("D-VE-5")
def test_a_sequence_that_costs_more_than_m_is_refused_before_the_first_dice() -> None:
    state = battlefield(car())
    assert refused(state, "R1A", ["turn right", "turn left", "short_straight"]) == "D-VE-5"  # 5 + 5 + 3
    assert refused(state, "R1A", ["loop"]) == "D-VE-5"
    assert refused(state, "R1A", [7]) == "D-VE-5"
    done = drive(state, "R1A", ["turn right", "turn left"], answers=[PASS, PASS])  # 10, and nothing costs 2
    assert [event.why["cost"] for event in told(done, "vehicle.drives")] == [5, 5]


@pytest.mark.rule("D-VE-5")
def test_a_vehicle_with_less_m_than_the_cheapest_template_cannot_drive() -> None:
    assert refused(battlefield(car(), movement=2), "R1A") == "D-VE-3"
    assert keys(asked(battlefield(car(), movement=3), "R1A")) == ["short_straight", "hairpin right", "hairpin left"]


@settings(deadline=None, max_examples=40)
@given(st.integers(1, 14), st.integers(0, 10_000))
@pytest.mark.rule("D-VE-5")
def test_whatever_is_chosen_costs_no_more_than_m(movement: int, seed: int) -> None:
    state = battlefield(car(), movement=movement)
    game_ = car_game({"D-AMB-32.slide": "goes_on"})
    intents = [each for each in game_.legal(state, "red") if each.rule == "drive"]
    assert bool(intents) == (movement >= 3)
    for intent in intents:
        done = run(game_, state, intent, Answers(Seed(seed), others=AtRandom(seed)))
        costs = [event.why["cost"] for event in told(done, "vehicle.drives")]
        assert 1 <= len(costs) <= movement / 3
        assert sum(cost for cost in costs if isinstance(cost, int)) <= movement


@pytest.mark.rule("D-VE-5")
def test_a_plugin_that_changes_the_allowance_changes_m() -> None:
    @hookimpl
    def move_plan(allowance: int) -> int:
        return allowance - 9

    ask = asked(battlefield(car()), "R1A", plugins=[SimpleNamespace(move_plan=move_plan)])
    assert keys(ask) == ["short_straight", "hairpin right", "hairpin left"]


# Touching


@pytest.mark.rule("D-VE-7")
def test_what_is_touched_is_played_and_nothing_says_before_where_it_ends() -> None:
    ask = asked(battlefield(car()), "R1A")
    assert "stop" not in keys(ask)
    assert ask.options[2].label == "long straight (cost 6)"
    done = drive(battlefield(car()), "R1A", answers=["long_straight", PASS, "stop"])
    assert at(done)[1] == pytest.approx(Y - 91)


@pytest.mark.rule("D-VE-7")
def test_by_ruling_the_driver_sees_where_a_template_ends() -> None:
    ask = asked(battlefield(car()), "R1A", options={"D-VE-7": "preview"})
    assert ask.options[2].label == f"long straight (cost 6) to 325, {Y - 91:.0f} heading 0"


# What is in the way


def passable(state: State) -> set[str]:
    return set(keys(asked(state, "R1A")))


@pytest.mark.rule("D-VE-3", "D-R14.4")
def test_enemies_are_not_passed_and_friends_are() -> None:
    """Straight ahead of (2, 8) lies the corner between two hexes, then (3, 6), whose middle is 86.6 mm off."""
    free = {"short_straight", "medium_straight", "long_straight"}
    assert free <= passable(battlefield(car()))
    assert not free & passable(battlefield(car(), team("B1A", (3, 6), MAN))) - {"short_straight"}
    friend = passable(battlefield(car(), team("R1B", (3, 6), MAN)))
    assert not {"long_straight", "medium_straight"} & friend  # they end in its hex: 70 and 91 mm are within 58 to 115


@pytest.mark.rule("D-VE-3")
def test_a_friend_on_the_way_is_passed() -> None:
    """A hairpin ends beside its start, 50 mm off; between both it goes over the hexes above."""
    state = battlefield(car(), team("R1B", (3, 7), MAN))
    assert "hairpin right" in passable(state)
    assert "hairpin right" not in passable(battlefield(car(), team("B1B", (3, 7), MAN)))


@pytest.mark.rule("D-VE-3", "D-AMB-01")
def test_buildings_and_the_edge_of_the_board_stop_a_vehicle() -> None:
    walls = Board(12, 12, {Hex(3, 6): "building"})
    assert "long_straight" not in passable(battlefield(car(), board=walls))
    wood = Board(12, 12, {Hex(3, 6): "forest"})
    assert "long_straight" in passable(battlefield(car(), board=wood))
    rear = battlefield(car((-3, 10)))
    looks_out = battlefield(car((-3, 10), heading=180))
    assert {"short_straight", "long_straight"} <= passable(rear)
    assert not {"medium_straight", "long_straight"} & passable(looks_out)  # row 10 ends 57.7 mm below its middle


@pytest.mark.rule("D-VE-1")
def test_the_whole_footprint_counts_where_the_size_is_known() -> None:
    """A building 25 mm beside the way is met by a car that is 60 mm wide, not by one of 20."""
    walls = Board(12, 12, {Hex(4, 6): "building"})  # its left side is 25 mm right of the middle line
    slim, wide = ("templates(house)", "size(20,20)"), ("templates(house)", "size(20,60)")
    assert "long_straight" in passable(battlefield(car(), board=walls, traits=slim))
    assert "long_straight" not in passable(battlefield(car(), board=walls, traits=wide))


@pytest.mark.rule("D-VE-1", "D-VE-3")
def test_what_it_stands_over_already_does_not_hold_a_vehicle_back() -> None:
    """60 mm wide in (2, 8), it is 5 mm over the building beside it, past which it then drives."""
    walls, wide = Board(12, 12, {Hex(3, 8): "building"}), ("templates(house)", "size(20,60)")
    assert "long_straight" in passable(battlefield(car(), board=walls, traits=wide))


# Off the grid, among hexes


@pytest.mark.rule("D-R5.2", "D-VE-3")
def test_distances_to_a_vehicle_off_the_grid_are_the_rulers() -> None:
    foe = team("B1A", (2, 4), MAN)  # its middle is at 225, 202.07
    state = battlefield(car(), foe)
    assert hexes_apart(state, "R1A", "B1A") == 4
    for far, hexes in ((50.0, 1), (50.1, 2), (149.9, 3), (150.2, 4)):
        off = changed(state, SetPlace("R1A", Pose(225.0 + far, 25 * math.sqrt(3) * 4 + 50 / math.sqrt(3), 0.0)))
        assert hexes_apart(off, "R1A", "B1A") == hexes_apart(off, "B1A-1", "R1A-2") == hexes


@pytest.mark.rule("D-R12.4", "D-VE-3")
def test_a_vehicle_off_the_grid_is_seen_in_the_hex_under_its_middle() -> None:
    walls = Board(12, 12, {Hex(q, 6): "building" for q in range(-3, 9)})
    state = battlefield(car(), team("B1A", (2, 5), MAN), board=walls)
    assert not sees(state, {}, "B1A", "R1A")
    off = changed(state, SetPlace("R1A", Pose(*Board(12, 12).point(Hex(4, 5)), 33.0)))
    assert place(off, "R1A-1") == Hex(4, 5)
    assert sees(off, {}, "B1A", "R1A")


# Reaction Fire


ALONE = unit("Soldier", "revolver")
REVOLVER = team("B1A", (3, 4), ALONE)
"""Its middle is at 275, 202.07: 180.3 mm from the car, 4 hexes; a revolver reaches 3."""


@pytest.mark.rule("D-VE-11")
def test_the_enemy_reacts_after_each_template_where_the_vehicle_is_then() -> None:
    """After 91 mm the car is at 325, 284.28, 96 mm from the revolver; that fires once in the portion (D-R15.2)."""
    templates = ["long_straight", "hairpin left", "hairpin right"]
    dice = [PASS, 75, PASS, PASS, PASS]  # the Driver; the revolver, 75 against 60, and a save; the Driver twice
    done = drive(battlefield(car((2, 8), ALONE), REVOLVER), "R1A", templates, answers=dice)
    kinds = [event.kind for event in done.events if event.kind in ("vehicle.drives", "react.fire")]
    assert kinds == ["vehicle.drives", "react.fire", "vehicle.drives", "vehicle.drives"]
    assert at(done) == pytest.approx((225.0, Y - 91, 0.0), abs=1e-6)  # two hairpins: 50 to the left, and 50 more


@pytest.mark.rule("D-VE-11")
def test_the_enemy_reacts_to_a_slide_where_it_ends() -> None:
    """(6, 6) is at 475, 288.68: 150.1 mm from the template's end, 130.8 mm from the Slide Template's, 20 right and 10 ahead."""
    state = battlefield(car((2, 8), ALONE), team("B1A", (6, 6), ALONE))
    slid = drive(state, "R1A", ["long_straight"], answers=[FAIL, "right 0", 75, PASS])
    assert at(slid) == pytest.approx((X + 20, Y - 101, 0.0), abs=1e-6)
    assert told(slid, "react.fire")
    assert not told(drive(state, "R1A", ["long_straight", "stop"], answers=[PASS]), "react.fire")


@pytest.mark.rule("D-VE-11", "D-R15.4")
def test_a_vehicle_that_loses_everybody_goes_no_further() -> None:
    rifle = team("B1A", (3, 4), unit("Soldier", "pulse_rifle"))  # 2 Wounds at two hexes; a soldier takes 2
    state = battlefield(car((2, 8), ALONE), rifle)
    # The Driver; a hit 96 mm off and no save; Stress 1 and the platoon's nerves.
    done = drive(state, "R1A", ["long_straight", "hairpin left", "hairpin right"], answers=[PASS, 12, 98, 20])
    assert len(told(done, "vehicle.drives")) == 1
    assert [event.why["unit"] for event in told(done, "unit.removed")] == ["R1A-1"]


@pytest.mark.rule("D-EQ-T1", "D-VE-3")
def test_a_weapon_that_was_fired_holds_a_vehicle_and_one_that_drove_does_not_fire_it() -> None:
    gun = car((2, 8), unit("NCO", "heavy_machine_gun", wears="battle_dress"))
    state = battlefield(gun)
    assert refused(changed(state, SetAttribute("R1A-1", "braced", 1)), "R1A") == "D-EQ-T1"
    done = drive(state, "R1A", ["short_straight", "stop"], answers=[PASS])
    assert done.state["R1A"].attributes["walked"] == 1
    assert done.state["R1A"].attributes["moved"] == 1


@pytest.mark.rule("D-PT-T4", "D-VE-3")
def test_panic_names_no_template_so_a_vehicle_stays() -> None:
    from rallypoint.kernel.changes import SetStatus
    from rallypoint.kernel.parts import Status

    state = changed(battlefield(car()), SetStatus("R1A", Status("routed")))
    done = run(car_game(), state, Intent("flee", ("R1A",)), Script([]))
    assert done.state["R1A"].place == Hex(2, 8)
    assert told(done, "flight.held")[0].rule == "D-VE-3"
