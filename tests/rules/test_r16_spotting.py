"""Rule 16, spotting, and Rule 13, cover."""

from __future__ import annotations

import pytest

from rallypoint.disrupter.cover import leave_cover, take_cover, under_cover
from rallypoint.disrupter.fire import fire
from rallypoint.disrupter.records import Attack
from rallypoint.disrupter.spotting import forget, spot, spotted, spotted_by_other
from rallypoint.disrupter.turn import end_turn
from rallypoint.kernel.board import Board
from rallypoint.kernel.changes import SetStatus
from rallypoint.kernel.errors import RuleError
from rallypoint.kernel.parts import Hex
from rallypoint.kernel.state import State

from ..disrupter.positions import changed, rules, status, step, team, unit
from .playing import dice, fight, told, wounds

HIT, MISS, SAVE, FAIL = 13, 98, 24, 97
WOOD = Board(12, 12, {Hex(0, 0): "forest", Hex(2, 0): "undergrowth", Hex(4, 0): "building", Hex(5, 0): "stream"})


def tough() -> dict[str, object]:
    return {**unit("Soldier", "pulse_rifle"), "wounds": 9}


def wood(*covered: str, hexes: int = 2, weapon: str = "pulse_rifle") -> State:
    """Return red soldiers in a forest at (0, 0) and blue ones in undergrowth at (2, 0), some of them Under Cover."""
    red = team("R1A", (0, 0), unit("Soldier", weapon), unit("Soldier", "pulse_rifle"))
    state = fight(red, team("B1A", (hexes, 0), tough(), tough()), board=WOOD)
    return changed(state, *[SetStatus(uid, status("under_cover", since=1)) for uid in covered])


def shot(target: str = "B1A", weapon: str = "pulse_rifle") -> tuple[Attack, ...]:
    return (Attack("R1A-1", weapon, target),)


# Cover


@pytest.mark.rule("D-R13.1", "D-R2.2")
def test_a_stand_takes_cover_in_light_cover_only() -> None:
    done = step(wood(), take_cover, "R1A")
    assert under_cover(done.state, "R1A")
    assert rules(done) == ["D-R13.1"]
    for uid in ("B9Z", "R1A"):
        with pytest.raises(RuleError) as caught:
            step(done.state, take_cover, uid)  # open ground; under cover already
        assert caught.value.rule == "D-R13.1"
    with pytest.raises(RuleError):
        step(wood(hexes=5), take_cover, "B1A")  # a stream hides nobody


@pytest.mark.rule("D-R2.2", "D-AMB-01")
def test_every_kind_of_light_cover_hides_and_by_ruling_a_building_too() -> None:
    for kind in ("forest", "jungle", "undergrowth", "barricade", "unmanned_vehicle"):
        red = team("R1A", (0, 0), unit("Soldier"))
        state = fight(red, team("B1A", (3, 0), unit("Bot")), board=Board(12, 12, {Hex(0, 0): kind}))
        assert under_cover(step(state, take_cover, "R1A").state, "R1A")
    inside = wood(hexes=4)
    with pytest.raises(RuleError):
        step(inside, take_cover, "B1A")
    assert under_cover(step(inside, take_cover, "B1A", options={"D-AMB-01": "enterable_light_cover"}).state, "B1A")


@pytest.mark.rule("D-R13.1")
def test_cover_is_a_disadvantage_to_fire_from_and_an_advantage_to_save_in() -> None:
    done = step(wood("R1A", "B1A"), fire, "R1A", shot(), dice=[[HIT, 14], [FAIL, 96], ["B1A-1", "B1A-2"]][:2])
    assert dice(done) == [("R1A-1", "fire", 2), ("B1A-1", "save", 2)]
    # [-]: one miss of two is a miss; [+]: one save of two is a save.
    done = step(wood("R1A", "B1A"), fire, "R1A", shot(), dice=[[HIT, MISS], [FAIL, SAVE]])
    assert wounds(done.state, "B1A") == [0, 0]
    assert "shaken" in done.state["R1A-1"].statuses


@pytest.mark.rule("D-R13.2", "D-AMB-21")
def test_firing_ends_cover_after_all_shots_of_the_activation() -> None:
    both = Attack("R1A-1", "pulse_rifle", "B1A-1"), Attack("R1A-2", "pulse_rifle", "B1A-2")
    done = step(wood("R1A"), fire, "R1A", both, dice=[[HIT, 14], FAIL, [HIT, 14], FAIL])
    assert [each[2] for each in dice(done)] == [2, 1, 2, 1]  # the second shot is at [-], too
    assert not under_cover(done.state, "R1A")
    assert (done.events[-1].kind, done.events[-1].rule) == ("cover.lost", "D-R13.2")


@pytest.mark.rule("D-R13.2")
def test_reaction_fire_ends_cover_too_and_a_shot_that_is_lost_does_not() -> None:
    reacting = (Attack("R1A-1", "pulse_rifle", "B1A", True),)
    assert not under_cover(step(wood("R1A"), fire, "R1A", reacting, dice=[[HIT, 14], FAIL]).state, "R1A")


@pytest.mark.rule("D-AMB-21")
def test_by_ruling_cover_lasts_until_the_turn_ends() -> None:
    options = {"D-AMB-21": "next_turn"}
    done = step(wood("R1A"), fire, "R1A", shot(), dice=[[HIT, 14], FAIL], options=options)
    assert under_cover(done.state, "R1A")
    again = step(done.state, fire, "R1A", shot(), dice=[[HIT, 14], FAIL], options=options)
    assert [len(told(each, "cover.ends")) for each in (done, again)] == [1, 0]  # told once
    assert not under_cover(step(done.state, end_turn, options=options).state, "R1A")


@pytest.mark.rule("D-R13.3")
def test_leaving_cover_says_why() -> None:
    done = step(wood("R1A"), leave_cover, "R1A", "D-R13.3")
    assert (rules(done), under_cover(done.state, "R1A")) == (["D-R13.3"], False)
    assert step(wood(), leave_cover, "R1A", "D-R13.3").events == ()


# Spotting


@pytest.mark.rule("D-R16.2", "D-AMB-23")
def test_a_spot_is_an_instinct_check_that_draws_a_target_out_of_cover() -> None:
    done = step(wood("B1A"), spot, "R1A-1", "B1A", dice=[HIT])
    assert dice(done) == [("R1A-1", "spot", 1)]
    assert spotted(done.state, "red", "B1A")
    assert spotted(done.state, "red", "B1A-2")  # a mark on a team is one on each unit
    assert not spotted(done.state, "blue", "B1A")
    assert not under_cover(done.state, "B1A")
    failed = step(wood("B1A"), spot, "R1A-1", "B1A", dice=[MISS])
    assert not spotted(failed.state, "red", "B1A")
    assert under_cover(failed.state, "B1A")


@pytest.mark.rule("D-AMB-23")
def test_a_mark_on_a_unit_is_not_one_on_its_team_but_takes_the_cover_of_its_stand() -> None:
    done = step(wood("B1A"), spot, "R1A-1", "B1A-1", dice=[HIT])
    assert spotted(done.state, "red", "B1A-1")
    assert not spotted(done.state, "red", "B1A-2")
    assert not spotted(done.state, "red", "B1A")
    assert not under_cover(done.state, "B1A")


@pytest.mark.rule("D-R16.2", "D-R13.1")
def test_spotting_from_cover_is_at_a_disadvantage_and_keeps_it() -> None:
    done = step(wood("R1A"), spot, "R1A-1", "B1A", dice=[[HIT, 14]])
    assert dice(done) == [("R1A-1", "spot", 2)]
    assert under_cover(done.state, "R1A")


@pytest.mark.rule("D-R16.2")
@pytest.mark.parametrize("target", ["R1A", "R9Z", "B1", "nobody"])
def test_only_an_enemy_that_is_there_is_spotted(target: str) -> None:
    with pytest.raises(RuleError) as caught:
        step(wood(), spot, "R1A-1", target)
    assert caught.value.rule == "D-R16.2"


@pytest.mark.rule("D-R16.2")
def test_spotting_needs_a_line_of_sight_and_living_people() -> None:
    walls = Board(12, 12, {Hex(q, r): "building" for q, r in ((1, 0), (0, 1), (1, 1))})
    hidden = fight(team("R1A", (0, 0), unit("Soldier")), team("B1A", (2, 0), unit("Bot")), board=walls)
    gone = changed(wood(), SetStatus("B1A-1", status("out")))
    fallen = changed(wood(), SetStatus("R1A-1", status("out")))
    for state, target in ((hidden, "B1A"), (gone, "B1A-1"), (fallen, "B1A")):
        with pytest.raises(RuleError) as caught:
            step(state, spot, "R1A-1", target)
        assert caught.value.rule == "D-R16.2"


@pytest.mark.rule("D-AMB-23")
def test_marks_are_used_any_number_of_times_until_the_turn_ends() -> None:
    marked = step(wood(), spot, "R1A-2", "B1A", dice=[HIT]).state
    after = step(marked, fire, "R1A", shot(), dice=[HIT, FAIL]).state
    assert spotted(after, "red", "B1A")
    assert not spotted(step(after, end_turn).state, "red", "B1A")
    assert not spotted(step(after, forget).state, "red", "B1A")
    assert step(wood(), forget).events == ()


@pytest.mark.rule("D-AMB-23")
def test_by_ruling_a_mark_lasts_until_the_next_shot() -> None:
    options = {"D-AMB-23.life": "next_shot"}
    marked = step(wood(), spot, "R1A-2", "B1A", dice=[HIT], options=options).state
    assert spotted(step(marked, end_turn, options=options).state, "red", "B1A")
    done = step(marked, fire, "R1A", shot(), dice=[HIT, FAIL], options=options)
    assert not spotted(done.state, "red", "B1A")


@pytest.mark.rule("D-AMB-23")
def test_by_ruling_a_mark_makes_cover_useless_instead_of_ending_it() -> None:
    options = {"D-AMB-23.cover": "this_attack_only"}
    marked = step(wood("B1A"), spot, "R1A-2", "B1A", dice=[HIT], options=options).state
    assert under_cover(marked, "B1A")
    done = step(marked, fire, "R1A", shot(), dice=[HIT, FAIL], options=options)
    assert dice(done) == [("R1A-1", "fire", 1), ("B1A-1", "save", 1)]
    unmarked = step(wood("B1A"), fire, "R1A", shot(), dice=[HIT, [FAIL, 96]], options=options)
    assert dice(unmarked)[1] == ("B1A-1", "save", 2)


@pytest.mark.rule("D-R16.2", "D-R8.5")
def test_criticals_of_a_spot_move_stress() -> None:
    done = step(wood(), spot, "R1A-1", "B1A", dice=[99])
    assert done.state["R"].value("Stress") == 1
    assert told(done, "stress")[0].rule == "D-R8.4"


@pytest.mark.rule("D-AMB-23", "D-EQ-T8")
def test_two_comrades_who_spot_one_target_are_each_the_other_of_the_other() -> None:
    one = step(wood(), spot, "R1A-1", "B1A", dice=[HIT]).state
    assert [spotted_by_other(one, f"R1A-{number}", "B1A") for number in (1, 2)] == [False, True]
    both = step(one, spot, "R1A-2", "B1A", dice=[HIT]).state
    assert [spotted_by_other(both, f"R1A-{number}", "B1A") for number in (1, 2)] == [True, True]
    again = step(one, spot, "R1A-1", "B1A", dice=[HIT]).state
    assert not spotted_by_other(again, "R1A-1", "B1A")
    for spotter in ("R1A-1", "R1A-2"):
        thrice = step(both, spot, spotter, "B1A", dice=[HIT]).state
        assert thrice.links["spot", "R1A", "B1A"].value == ("R1A-1", "R1A-2")
