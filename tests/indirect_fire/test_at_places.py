"""Fire at places: who may, what it does to whom, what a spot is good for, and what grenades and rockets keep for themselves."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from rallypoint.disrupter.fire import check_declared, fire
from rallypoint.disrupter.records import Attack
from rallypoint.disrupter.spotting import spot
from rallypoint.kernel.changes import SetAttribute, SetLink
from rallypoint.kernel.errors import RuleError
from rallypoint.kernel.parts import Link
from rallypoint.kernel.state import State

from ..disrupter.positions import changed, kinds, team, unit
from ..rules.playing import allocated, dice, out, told, wounds
from .ground import FAIL, HIT, MISS, RIDGE, SAVE, at, battery, drift, field, step, tough

BEHIND = (1, 7)
"""A hex behind the ridge, 4 from the battery at (2, 3)."""


def behind(number: int = 1) -> State:
    return field(battery(), team("B1A", BEHIND, *tough(number)))


def refused(state: State, attacks: tuple[Attack, ...], *, on: bool = True, **options: object) -> RuleError:
    with pytest.raises(RuleError) as caught:
        step(state, check_declared, "R1A", attacks, on=on, options=options)
    return caught.value


# What may be named


@pytest.mark.rule("D-IF-1", "D-IF-6")
def test_a_mortar_hits_what_it_does_not_see_with_its_column_t() -> None:
    state = behind()
    assert refused(state, at("B1A")).rule == "D-R16.5"
    done = step(state, fire, "R1A", at("@1,7"), dice=[HIT, FAIL])
    assert wounds(done.state, "B1A") == [4]
    assert dice(done)[0] == ("R1A-1", "fire", 1)
    assert wounds(step(state, fire, "R1A", at("@1,7"), dice=[HIT, SAVE]).state, "B1A") == [3]


@pytest.mark.rule("D-IF-1")
def test_a_place_may_be_named_as_on_the_map() -> None:
    # (1, 7) is column 1 + 3 from 0, so E; row 7 from 0, so 8.
    done = step(behind(), fire, "R1A", at("@E8"), dice=[HIT, FAIL])
    assert wounds(done.state, "B1A") == [4]


@pytest.mark.rule("D-IF-1", "D-R16.9")
@pytest.mark.parametrize(
    ("target", "rule"), [("@1,11", None), ("@0,11", None), ("@1,12", "D-IF-1"), ("@-6,11", "D-IF-1")]
)
def test_the_place_is_on_the_board_and_within_max(target: str, rule: str | None) -> None:
    # From (2, 3): (1, 11) and (0, 11) are 8 away, the mortar's Max; row 12 does not exist, nor does the column of (-6, 11).
    if rule is None:
        step(behind(), check_declared, "R1A", at(target))
    else:
        assert refused(behind(), at(target)).rule == rule


@pytest.mark.rule("D-IF-1", "D-R16.9")
def test_beyond_max_nothing_is_named_and_an_infinite_max_has_no_end() -> None:
    far = field(battery("mortar", "howitzer", place=(0, 2)))
    assert refused(far, at("@-1,11")).rule == "D-R16.9"  # 9 rows down
    step(far, check_declared, "R1A", at("@-1,11", "howitzer", "R1A-2"))


@pytest.mark.rule("D-IF-1", "D-IF-6")
def test_what_has_no_wounds_at_any_range_is_not_fired_straight_at_somebody() -> None:
    state = field(battery(), team("B1A", (4, 3), *tough()))
    error = refused(state, at("B1A"))
    assert error.rule == "D-IF-1"
    assert "@4,3" in str(error)
    step(state, check_declared, "R1A", at("@4,3"))


@pytest.mark.rule("D-IF-6", "D-AMB-30")
def test_a_weapon_with_both_fires_straight_by_range_and_at_places_by_column_t() -> None:
    state = field(battery("howitzer"), team("B1A", (4, 3), *tough()))  # in sight, Medium range
    assert wounds(step(state, fire, "R1A", at("B1A", "howitzer"), dice=[HIT, FAIL]).state, "B1A") == [1]
    assert wounds(step(state, fire, "R1A", at("@4,3", "howitzer"), dice=[HIT, FAIL]).state, "B1A") == [6]
    # Straight fire that misses misses; it does not drift.
    assert kinds(step(state, fire, "R1A", at("B1A", "howitzer"), dice=[MISS, FAIL])).count("fire.miss") == 1


@pytest.mark.rule("D-IF-1")
@pytest.mark.parametrize("weapon", ["pulse_rifle", "heavy_machine_gun", "flamethrower"])
def test_a_weapon_without_column_t_is_not_fired_at_places(weapon: str) -> None:
    red = team("R1A", (2, 3), unit("Soldier", weapon, wears="battle_dress"))
    assert refused(field(red), at("@2,4", weapon)).rule == "D-R16.3"


@pytest.mark.rule("D-IF-1", "D-EQ-T1")
def test_what_else_forbids_a_shot_forbids_it_at_places_too() -> None:
    moved = changed(field(battery("howitzer")), SetAttribute("R1A", "walked", 1))
    assert refused(moved, at("@1,7", "howitzer")).rule == "D-EQ-T1"


# Off


@pytest.mark.rule("D-IF-1")
@pytest.mark.parametrize("weapon", ["mortar", "howitzer", "frag_grenade", "grenade_launcher"])
def test_without_the_plugin_no_unseen_place_is_a_target_and_the_refusal_says_which_weapons_that_concerns(
    weapon: str,
) -> None:
    state = field(battery(weapon, "mortar"), team("B1A", (1, 6), *tough()))
    error = refused(state, at("@1,6", weapon), on=False)
    assert error.rule == "D-IF-1"
    text = str(error)
    assert "a plugin for indirect fire" in text
    assert "Mortar" in text
    assert "Pulse Rifle" not in text
    straight = refused(state, at("B1A", weapon), on=False)
    assert straight.rule in ("D-R16.5", "D-R16.9")


@pytest.mark.rule("D-IF-1", "D-R16.5")
def test_without_the_plugin_a_shot_at_an_unseen_team_is_refused_with_a_hint() -> None:
    error = refused(behind(), at("B1A"), on=False)
    assert (error.rule, "@1,7" in str(error)) == ("D-R16.5", True)


# What comes of it


@pytest.mark.rule("D-IF-2", "D-IF-6", "D-AMB-35", "D-EQ-T3")
def test_who_stands_there_gets_t_and_everybody_beside_it_the_splash_friends_too() -> None:
    near, far = team("B1B", (2, 7), *tough(2)), team("B1C", (3, 7), *tough())
    friend = team("R1B", (1, 8), *tough(1, 80))
    state = field(battery(), team("B1A", BEHIND, *tough()), near, far, friend)
    done = step(state, fire, "R1A", at("@1,7"), dice=[HIT, FAIL, FAIL, FAIL])
    found = {uid: wounds(done.state, uid) for uid in ("B1A", "B1B", "B1C", "R1B", "R1A")}
    assert found == {"B1A": [4], "B1B": [1, 1], "B1C": [0], "R1B": [1], "R1A": [0]}
    spared: Mapping[str, object] = {"D-AMB-35.friends": "no"}
    done = step(state, fire, "R1A", at("@1,7"), dice=[HIT, FAIL, FAIL], options=spared)
    assert (wounds(done.state, "B1B"), wounds(done.state, "R1B")) == ([1, 1], [0])


@pytest.mark.rule("D-IF-2")
def test_an_empty_hex_is_a_target_too_and_its_splash_reaches_around_it() -> None:
    state = field(battery(), team("B1A", (2, 7), *tough()))
    done = step(state, fire, "R1A", at("@1,7"), dice=[HIT, FAIL])
    assert wounds(done.state, "B1A") == [1]
    assert told(done, "fire.hit")[0].why["target"] is None


@pytest.mark.rule("D-IF-3", "D-IF-6")
def test_a_shot_that_drifts_on_friends_hits_friends() -> None:
    # From (1, 7) two hexes up and right lies (3, 5): a building. Two to the right lies (3, 7), where friends stand.
    state = field(battery(), team("B1A", BEHIND, *tough()), team("R1B", (3, 7), *tough(2)))
    done = step(state, fire, "R1A", at("@1,7"), dice=[MISS, drift(3, 1), FAIL])
    assert wounds(done.state, "R1B") == [2, 2]
    assert wounds(done.state, "B1A") == [0]
    assert told(done, "fire.hit")[0].why["target"] == "R1B"


@pytest.mark.rule("D-IF-3", "D-R16.6")
def test_a_shot_that_drifts_leaves_nobody_shaken() -> None:
    done = step(behind(), fire, "R1A", at("@1,7"), dice=[MISS, drift(5, 4)])
    assert "shaken" not in done.state["R1A-1"].statuses
    assert wounds(done.state, "B1A") == [0]


@pytest.mark.rule("D-R16.8", "D-IF-3")
def test_mortars_that_fire_together_share_the_check_and_each_shell_drifts_by_itself() -> None:
    state = field(battery("mortar", "mortar"), team("B1A", BEHIND, *tough()))
    both = (*at("@1,7"), *at("@1,7", shooter="R1A-2"))
    done = step(state, fire, "R1A", both, dice=[[HIT, 14], FAIL])
    assert wounds(done.state, "B1A") == [8]
    done = step(state, fire, "R1A", both, dice=[[MISS, 97], drift(1, 1), FAIL, drift(4, 6)])
    assert [event.why["shooter"] for event in told(done, "indirect.drift")] == ["R1A-1", "R1A-2"]
    # The first lands beside the foe, at (2, 7); the second two hexes below it.
    assert wounds(done.state, "B1A") == [1]


@pytest.mark.rule("D-IF-3", "D-R9.7")
def test_after_the_end_of_the_battle_no_shell_comes_down() -> None:
    # The only Officer of blue stands at (6, 11): the first shell drifts on him, and blue surrenders.
    state = field(battery("mortar", "mortar", place=(5, 6)))
    both = (*at("@5,11"), *at("@5,11", shooter="R1A-2"))
    done = step(state, fire, "R1A", both, dice=[[MISS, 97], drift(1, 1), FAIL])
    assert out(done.state) == {"B9Z-1": "dead"}
    assert len(told(done, "indirect.drift")) == 1
    assert len(told(done, "battle.over")) == 1


# Spotted


def spotted_by(state: State, spotter: str, target: str, turn: int = 1) -> State:
    team_of = spotter.rpartition("-")[0]
    return changed(state, SetLink(Link("spot", team_of, target, spotter, turn, turn)))


def watched() -> State:
    """Return the position with a friend behind the ridge who can see the foe."""
    return field(battery(), team("B1A", BEHIND, *tough()), team("R1B", (4, 7), *tough()))


@pytest.mark.rule("D-IF-5", "D-R16.2")
def test_what_another_unit_has_spotted_is_hit_without_a_check() -> None:
    state = step(watched(), spot, "R1B-1", "B1A", dice=[HIT]).state
    done = step(state, fire, "R1A", at("@1,7"), dice=[FAIL])
    assert wounds(done.state, "B1A") == [4]
    assert [purpose for _, purpose, _ in dice(done)] == ["save"]
    assert told(done, "indirect.spotted")[0].rule == "D-IF-5"


@pytest.mark.rule("D-IF-5")
def test_a_spot_that_failed_or_one_of_ones_own_is_no_help() -> None:
    missed = step(watched(), spot, "R1B-1", "B1A", dice=[MISS]).state
    assert dice(step(missed, fire, "R1A", at("@1,7"), dice=[HIT, FAIL]))[0][1] == "fire"
    own = spotted_by(watched(), "R1A-1", "B1A")
    assert dice(step(own, fire, "R1A", at("@1,7"), dice=[HIT, FAIL]))[0][1] == "fire"
    enemys = spotted_by(watched(), "B1A-1", "R1B")
    assert dice(step(enemys, fire, "R1A", at("@1,7"), dice=[HIT, FAIL]))[0][1] == "fire"


@pytest.mark.rule("D-IF-5", "D-AMB-23")
def test_one_man_of_a_team_that_is_spotted_is_enough_and_the_mark_goes_where_he_goes() -> None:
    state = spotted_by(watched(), "R1B-1", "B1A-1")
    assert [each[1] for each in dice(step(state, fire, "R1A", at("@1,7"), dice=[FAIL]))] == ["save"]
    # Beside him nothing is spotted.
    assert dice(step(state, fire, "R1A", at("@2,7"), dice=[HIT, FAIL]))[0][1] == "fire"


@pytest.mark.rule("D-IF-5", "D-AMB-23")
def test_marks_that_last_until_the_next_shot_are_spent_by_a_shot_at_their_place() -> None:
    state = spotted_by(watched(), "R1B-1", "B1A")
    kept = step(state, fire, "R1A", at("@1,7"), dice=[FAIL])
    assert len(list(kept.state.linked("spot"))) == 1
    spent = step(state, fire, "R1A", at("@1,7"), dice=[FAIL], options={"D-AMB-23.life": "next_shot"})
    assert not list(spent.state.linked("spot"))


# Grenades, launchers, rockets


@pytest.mark.rule("D-IF-1", "D-EQ-T5", "D-AMB-37")
@pytest.mark.parametrize("weapon", ["frag_grenade", "grenade_launcher"])
def test_grenades_go_over_what_is_between_and_fail_as_ever(weapon: str) -> None:
    red = battery(weapon, place=(2, 4))
    state = field(red, team("B1A", (1, 6), *tough()))  # two hexes, a building between
    assert refused(state, at("B1A", weapon)).rule == "D-R16.5"
    done = step(state, fire, "R1A", at("@1,6", weapon), dice=[HIT, FAIL])
    assert wounds(done.state, "B1A") == [2]
    assert told(done, "check")[0].rule == "D-EQ-T5"
    done = step(state, fire, "R1A", at("@1,6", weapon), dice=[MISS, FAIL])
    assert told(done, "fire.among_friends")
    assert not told(done, "indirect.drift")
    spotted = spotted_by(state, "R9Z-1", "B1A")
    assert dice(step(spotted, fire, "R1A", at("@1,6", weapon), dice=[HIT, FAIL]))[0][1] == "throw"


@pytest.mark.rule("D-EQ-T5", "D-AMB-35")
def test_a_grenade_at_one_man_in_sight_is_for_him_and_its_splash_for_his_comrades() -> None:
    state = field(battery("frag_grenade", place=(2, 4)), team("B1A", (2, 2), *tough(2)))
    done = step(state, fire, "R1A", at("B1A-1", "frag_grenade"), dice=[HIT, FAIL, FAIL])
    assert wounds(done.state, "B1A") == [2, 1]


@pytest.mark.rule("D-AMB-37", "D-IF-3", "D-IF-5", "D-EQ-T6")
def test_by_ruling_a_launched_grenade_drifts_and_a_thrown_one_does_not() -> None:
    ruling = {"D-AMB-37": "drift"}
    red = battery("grenade_launcher", "frag_grenade", place=(2, 4))
    state = field(red, team("B1A", (2, 2), *tough()))  # in sight
    done = step(state, fire, "R1A", at("B1A", "grenade_launcher"), dice=[MISS, drift(2, 4), FAIL], options=ruling)
    assert told(done, "indirect.drift")[0].why["lands"] == (1, 2)
    assert wounds(done.state, "B1A") == [1]  # splash; T went into an empty hex
    done = step(state, fire, "R1A", at("B1A", "frag_grenade", "R1A-2"), dice=[MISS, FAIL], options=ruling)
    assert told(done, "fire.among_friends")
    over = field(red, team("B1A", (1, 6), *tough()))
    spotted = spotted_by(over, "R9Z-1", "B1A")
    done = step(spotted, fire, "R1A", at("@1,6", "grenade_launcher"), dice=[FAIL], options=ruling)
    assert wounds(done.state, "B1A") == [2]


@pytest.mark.rule("D-AMB-37", "D-IF-3", "D-R16.8")
def test_of_a_volley_of_grenades_the_launched_drift_and_the_thrown_fall_among_friends() -> None:
    red = battery("grenade_launcher", "frag_grenade", place=(2, 4))
    state = field(red, team("B1A", (2, 2), *tough()))
    both = (*at("B1A", "grenade_launcher"), *at("B1A", "frag_grenade", "R1A-2"))
    script = [[MISS, 97], drift(10, 1), FAIL]
    done = step(state, fire, "R1A", both, dice=script, options={"D-AMB-37": "drift"})
    assert wounds(done.state, "R1A") == [1, 1]
    assert allocated(done, "fire.hit") == {}  # five hexes to the right: nobody


@pytest.mark.rule("D-EQ-T12", "D-AMB-30", "D-IF-3")
def test_a_rocket_is_never_fired_blind_and_never_drifts() -> None:
    red = battery("rocket_launcher")
    state = field(red, team("B1A", BEHIND, *tough()), team("R1B", (4, 7), *tough()))
    assert refused(state, at("@1,7", "rocket_launcher")).rule == "D-EQ-T12"
    done = step(spotted_by(state, "R1B-1", "B1A"), fire, "R1A", at("B1A", "rocket_launcher"), dice=[FAIL])
    assert wounds(done.state, "B1A") == [10]
    seen = field(red, team("B1A", (4, 3), *tough()), board=RIDGE)
    done = step(seen, fire, "R1A", at("B1A", "rocket_launcher"), dice=[MISS, FAIL])
    assert not told(done, "indirect.drift")
