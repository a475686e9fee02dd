"""Rule 16: units that fire together, and Wounds divided among a team (D-R16.8, D-R16.10)."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import product

import pytest

from rallypoint.disrupter.fire import fire
from rallypoint.disrupter.hooks import DisrupterStep
from rallypoint.disrupter.records import Attack, Share
from rallypoint.kernel.changes import SetStatus, SetTracker
from rallypoint.kernel.game import Intent
from rallypoint.kernel.odds import outcomes
from rallypoint.kernel.state import State
from rallypoint.kernel.step import Done
from rallypoint.kernel.tape import Choose, Pick

from ..disrupter.positions import changed, position, status, step, team, unit
from .playing import allocated, attacks, dice, fight, out, playing, told, winner, wounds

HIT, MISS, SAVE, FAIL = 13, 98, 24, 97


def soldiers(*instincts: int, weapon: str = "pulse_rifle") -> list[dict[str, object]]:
    return [unit("Soldier", weapon, instinct=instinct) for instinct in instincts]


def tough(armor: int = 60) -> dict[str, object]:
    return {**unit("Soldier", armor=armor), "wounds": 30}


def volley(instincts: tuple[int, ...], *targets: dict[str, object], weapon: str = "pulse_rifle") -> State:
    red = team("R1A", (0, 0), *soldiers(*instincts, weapon=weapon))
    return fight(red, team("B1A", (2, 0), *targets))


def shots(number: int, target: str = "B1A", weapon: str = "pulse_rifle") -> tuple[Attack, ...]:
    return tuple([Attack(f"R1A-{index}", weapon, target) for index in range(1, number + 1)])


# Who rolls


@pytest.mark.rule("D-R16.8", "D-AMB-27")
def test_units_of_one_instinct_make_one_check_with_an_advantage() -> None:
    done = step(volley((60, 60, 60), tough()), fire, "R1A", shots(3), dice=[[MISS, HIT], FAIL])
    assert dice(done) == [("R1A-1", "fire", 2), ("B1A-1", "save", 1)]
    assert told(done, "check")[0].why["units"] == ("R1A-1", "R1A-2", "R1A-3")
    assert wounds(done.state, "B1A") == [6]
    assert told(done, "check")[0].rule == "D-R16.8"


@pytest.mark.rule("D-R16.8")
def test_one_unit_alone_has_no_advantage() -> None:
    done = step(volley((60, 60), tough()), fire, "R1A", shots(1), dice=[HIT, FAIL])
    assert dice(done)[0] == ("R1A-1", "fire", 1)
    assert told(done, "check")[0].rule == "D-R16.6"


@pytest.mark.rule("D-R16.8", "D-AMB-27")
def test_other_instincts_make_checks_of_their_own_and_count_for_the_advantage() -> None:
    script = [[HIT, 14], FAIL, [MISS, 96], FAIL]
    done = step(volley((60, 80), tough()), fire, "R1A", shots(2), dice=script)
    assert [each[:1] + each[2:] for each in dice(done)] == [("R1A-1", 2), ("B1A-1", 1), ("R1A-2", 2), ("B1A-1", 1)]
    assert wounds(done.state, "B1A") == [2]
    strict = {"D-AMB-27.plus": "same_instinct"}
    done = step(volley((60, 80), tough()), fire, "R1A", shots(2), dice=[HIT, FAIL, MISS, FAIL], options=strict)
    assert [each[2] for each in dice(done)] == [1, 1, 1, 1]


@pytest.mark.rule("D-R16.8")
def test_units_that_fire_at_different_targets_do_not_help_each_other() -> None:
    attacks = Attack("R1A-1", "pulse_rifle", "B1A-1"), Attack("R1A-2", "pulse_rifle", "B1A-2")
    done = step(volley((60, 60), tough(), tough()), fire, "R1A", attacks, dice=[HIT, FAIL, HIT, FAIL])
    assert [each[2] for each in dice(done)] == [1, 1, 1, 1]
    assert wounds(done.state, "B1A") == [2, 2]


@pytest.mark.rule("D-AMB-27")
def test_a_save_takes_one_off_for_each_weapon_or_by_ruling_one_in_all() -> None:
    state = volley((60, 60, 60), tough())
    assert wounds(step(state, fire, "R1A", shots(3), dice=[[HIT, 14], SAVE]).state, "B1A") == [3]
    once = {"D-AMB-27.save": "per_attack"}
    assert wounds(step(state, fire, "R1A", shots(3), dice=[[HIT, 14], SAVE], options=once).state, "B1A") == [5]


@pytest.mark.rule("D-AMB-24", "D-R16.6")
def test_everybody_who_shared_a_saved_miss_is_shaken() -> None:
    done = step(volley((60, 60, 80), tough()), fire, "R1A", shots(3), dice=[[MISS, 96], SAVE, [HIT, 14], SAVE])
    shaken = [entity.uid for entity in done.state if "shaken" in entity.statuses]
    assert shaken == ["R1A-1", "R1A-2"]


@pytest.mark.rule("D-AMB-45")
def test_units_with_different_modifiers_make_different_checks() -> None:
    # Two of four are shaken: with the volley's [+] that cancels to a plain roll; the others have [+].
    state = changed(
        volley((60, 60, 60, 60), tough()),
        *[SetStatus(f"R1A-{number}", status("shaken", since=1, until=1)) for number in (2, 4)],
    )
    done = step(state, fire, "R1A", shots(4), dice=[[HIT, 14], FAIL, HIT, FAIL])
    rolled = [
        (event.why["units"], number) for event, (_, _, number) in zip(told(done, "check"), dice(done), strict=True)
    ]
    assert rolled[::2] == [(("R1A-1", "R1A-3"), 2), (("R1A-2", "R1A-4"), 1)]
    assert wounds(done.state, "B1A") == [8]


@pytest.mark.rule("D-AMB-45")
@pytest.mark.parametrize(("shaken", "number"), [((1,), 2), ((1, 2), 1)])
def test_by_ruling_the_modifiers_of_the_majority_are_those_of_one_check(shaken: tuple[int, ...], number: int) -> None:
    held = [SetStatus(f"R1A-{each}", status("shaken", since=1, until=1)) for each in shaken]
    state = changed(volley((60, 60, 60), tough()), *held)
    script = [[HIT, 14] if number == 2 else HIT, FAIL]
    done = step(state, fire, "R1A", shots(3), dice=script, options={"D-AMB-45": "majority"})
    assert dice(done)[0][2] == number
    assert sorted(told(done, "check")[0].why["units"]) == ["R1A-1", "R1A-2", "R1A-3"]  # type: ignore[call-overload]


@pytest.mark.rule("D-AMB-45")
@pytest.mark.parametrize("shaken", [1, 2])
def test_where_half_of_them_are_worse_off_the_one_check_is_theirs(shaken: int) -> None:
    """The volley's [+] and the shaken one's [-] cancel to one die; the other one's [+] would be two."""
    held = SetStatus(f"R1A-{shaken}", status("shaken", since=1, until=1))
    state = changed(volley((60, 60), tough()), held)
    done = step(state, fire, "R1A", shots(2), dice=[HIT, FAIL], options={"D-AMB-45": "majority"})
    assert dice(done)[0] == (f"R1A-{shaken}", "fire", 1)


@pytest.mark.rule("D-R16.8")
def test_the_odds_of_a_volley_are_those_that_counting_gives() -> None:
    """Three rifles with [+] at one soldier: every pair of attack dice against every save, as the rules read."""

    def play(step: DisrupterStep) -> None:
        fire(step, "R1A", shots(3))

    def result(first: int, second: int) -> bool:
        pair = (first, second)
        criticals = [face < 60 for face in pair if face % 11 == 0]
        return any(criticals) if criticals else any(face < 60 for face in pair)

    hits = Fraction(sum(result(*pair) for pair in product(range(100), repeat=2)), 10_000)
    state = volley((60, 60, 60), tough())
    found = outcomes(playing(play), state, Intent("play"), lambda done: done.state["B1A-1"].value("Wounds"))
    assert found == {0: 1 - hits, 3: hits * Fraction(60, 100), 6: hits * Fraction(40, 100)}


# Division


@pytest.mark.rule("D-R16.10", "D-AMB-28")
def test_wounds_are_divided_evenly_and_the_rest_goes_to_random_units() -> None:
    # Two rifles: 4 Wounds among three.
    done = step(volley((60, 60), tough(), tough(), tough()), fire, "R1A", shots(2), dice=[[HIT, 14], FAIL, ["B1A-2"]])
    assert wounds(done.state, "B1A") == [1, 2, 1]
    (pick,) = [entry.question for entry in done.tape if isinstance(entry.question, Pick)]
    assert (pick.among, pick.k) == (("B1A-1", "B1A-2", "B1A-3"), 1)


@pytest.mark.rule("D-R16.10")
def test_the_rest_goes_to_different_units_each_as_likely() -> None:
    def play(step: DisrupterStep) -> None:
        fire(step, "R1A", shots(1))

    state = fight(
        team("R1A", (0, 0), *soldiers(100)), team("B1A", (2, 0), tough(armor=0), tough(armor=0), tough(armor=0))
    )
    found = outcomes(playing(play), state, Intent("play"), lambda done: tuple(wounds(done.state, "B1A")))
    assert found == {each: Fraction(1, 3) for each in ((1, 1, 0), (1, 0, 1), (0, 1, 1))}


@pytest.mark.rule("D-R16.10")
def test_a_unit_takes_all_that_is_aimed_at_it_alone() -> None:
    done = step(volley((60, 60), tough(), tough()), fire, "R1A", shots(2, "B1A-2"), dice=[[HIT, 14], FAIL])
    assert wounds(done.state, "B1A") == [0, 4]


@pytest.mark.rule("D-AMB-28")
def test_each_armour_group_reduces_its_own_part() -> None:
    # Three rifles, 6 Wounds. First round: 2 each for A, B (A 60) and C (A 80). Group one saves: its 4 less 3 is 1, drawn anew;
    # group two does not save and keeps its 2.
    targets = tough(), tough(), tough(armor=80)
    done = step(volley((60, 60, 60), *targets), fire, "R1A", shots(3), dice=[[HIT, 14], SAVE, FAIL, ["B1A-2"]])
    assert wounds(done.state, "B1A") == [0, 1, 2]
    # Both save: 1 of 4, and none of 2 (not below 0).
    done = step(volley((60, 60, 60), *targets), fire, "R1A", shots(3), dice=[[HIT, 14], SAVE, SAVE, ["B1A-1"]])
    assert wounds(done.state, "B1A") == [1, 0, 0]
    assert told(done, "fire.hit")[0].why["shares"] == (
        Share(("B1A-1", "B1A-2"), "success", 4, 1),
        Share(("B1A-3",), "success", 2, 0),
    )
    # By the other ruling each group's part is one less: 3 and 1.
    once = {"D-AMB-27.save": "per_attack"}
    script = [[HIT, 14], SAVE, SAVE, ["B1A-1"]]
    done = step(volley((60, 60, 60), *targets), fire, "R1A", shots(3), dice=script, options=once)
    assert wounds(done.state, "B1A") == [2, 1, 1]


@pytest.mark.rule("D-R16.6", "D-R16.7")
@pytest.mark.parametrize(
    ("saves", "shaken"), [((FAIL, FAIL), (False, False)), ((FAIL, SAVE), (True, False)), ((SAVE, SAVE), (True, True))]
)
def test_by_ruling_all_armour_groups_must_save_to_shake_who_missed(
    saves: tuple[int, int], shaken: tuple[bool, bool]
) -> None:
    for choice, expected in zip(("any", "all"), shaken, strict=True):
        state = volley((60,), tough(), tough(armor=80))
        done = step(state, fire, "R1A", shots(1), dice=[MISS, *saves], options={"D-R16.6": choice})
        assert ("shaken" in done.state["R1A-1"].statuses) == expected


@pytest.mark.rule("D-AMB-28")
def test_a_mixed_save_leaves_the_attackers_shaken_on_a_miss() -> None:
    done = step(volley((60,), tough(), tough(armor=80)), fire, "R1A", shots(1), dice=[MISS, FAIL, SAVE])
    assert "shaken" in done.state["R1A-1"].statuses
    assert wounds(done.state, "B1A") == [0, 0]


@pytest.mark.rule("D-AMB-28")
def test_nobody_draws_lots_for_the_wounds_of_a_miss() -> None:
    """2 Wounds among three of two armour values would leave both to chance."""
    targets = tough(), tough(), tough(armor=80)
    done = step(volley((60,), *targets), fire, "R1A", shots(1), dice=[MISS, FAIL, FAIL])
    assert wounds(done.state, "B1A") == [0, 0, 0]


@pytest.mark.rule("D-R16.10")
def test_what_is_too_much_for_one_is_lost() -> None:
    # 8 Wounds among a bot (W 1) and a tough one: 4 each, and 3 of the bot's are lost.
    state = volley((60, 60, 60, 60), unit("Bot"), tough(armor=80))
    done = step(state, fire, "R1A", shots(4), dice=[[HIT, 14], FAIL])
    assert wounds(done.state, "B1A") == [1, 4]
    assert out(done.state) == {"B1A-1": "dead"}
    assert told(done, "wounds")[0].why["lost"] == 3
    assert allocated(done) == {"B1A-1": 4, "B1A-2": 4}


@pytest.mark.rule("D-AMB-28")
def test_by_ruling_the_owner_of_the_target_says_who_takes_them() -> None:
    options: Mapping[str, object] = {"D-AMB-28": "focus"}
    state = volley((60, 60), tough(), unit("Bot", armor=60), tough())
    done = step(state, fire, "R1A", shots(2), dice=[[HIT, 14], FAIL, "B1A-2", "B1A-3"], options=options)
    assert wounds(done.state, "B1A") == [0, 1, 3]
    asks = [entry.question.asks[0] for entry in done.tape if isinstance(entry.question, Choose)]
    assert [(ask.seat, ask.subject) for ask in asks] == [("blue", "B1A"), ("blue", "B1A")]
    # 10 Wounds among two who can take 2 each: the last has them all, and loses what is too much for him.
    pair = volley((60,) * 5, unit("Soldier"), unit("Soldier"))
    done = step(pair, fire, "R1A", shots(5), dice=[[HIT, 14], FAIL, "B1A-1", 20, 20, 20], options=options)
    assert allocated(done) == {"B1A-1": 2, "B1A-2": 8}


@pytest.mark.rule("D-AMB-28")
def test_by_ruling_each_wound_is_drawn_by_lot() -> None:
    options: Mapping[str, object] = {"D-AMB-28": "random_each"}
    script = [[HIT, 14], FAIL, ["B1A-2"], ["B1A-2"], ["B1A-1"], ["B1A-2"]]
    done = step(volley((60, 60), tough(), tough()), fire, "R1A", shots(2), dice=script, options=options)
    assert wounds(done.state, "B1A") == [1, 3]


@pytest.mark.rule("D-AMB-28")
@pytest.mark.parametrize("wounded", [1, 2, 5, 9])
def test_nothing_is_lost_or_made_when_wounds_are_divided(wounded: int) -> None:
    instincts = (60,) * wounded
    state = volley(instincts, tough(), tough(), tough(armor=80), tough())
    script = [[HIT, 14] if wounded > 1 else HIT, FAIL, FAIL]
    rest = 2 * wounded % 4
    done = step(state, fire, "R1A", shots(wounded), dice=[*script, *([list(range(rest))] if rest else [])])
    taken = wounds(done.state, "B1A")
    assert sum(taken) == 2 * wounded
    assert max(taken) - min(taken) <= 1


# What a part of a volley does to the next


def parts(*targets: dict[str, object], weapon: str = "pulse_rifle", at: tuple[int, int] = (2, 0)) -> State:
    """Return two Soldiers of one Instinct, the second shaken, so that they make a check each (D-AMB-45)."""
    red = team("R1A", (0, 0), unit("Soldier", weapon), unit("Soldier", "pulse_rifle", weapon))
    return changed(fight(red, team("B1A", at, *targets)), SetStatus("R1A-2", status("shaken", since=1, until=1)))


def rolled(done: Done) -> list[str]:
    """Return who made an Instinct Check to fire or to throw."""
    return [who for who, purpose, _ in dice(done) if purpose in ("fire", "throw")]


@pytest.mark.rule("D-R16.1", "D-AMB-45")
def test_the_second_check_of_a_volley_is_not_made_at_the_dead() -> None:
    done = step(parts(unit("Soldier")), fire, "R1A", shots(2, "B1A-1"), dice=[[HIT, 14], FAIL, *[20] * 4])
    assert out(done.state) == {"B1A-1": "dead"}
    assert rolled(done) == ["R1A-1"]
    assert [attacks(event) for event in told(done, "fire.lost")] == [[shots(2, "B1A-1")[1]]]
    assert told(done, "fire.lost")[0].rule == "D-R16.1"
    assert [attacks(event) for event in told(done, "fire.shot")] == [[shots(2, "B1A-1")[0]]]


@pytest.mark.rule("D-R16.1", "D-AMB-45")
def test_who_falls_by_the_first_part_of_a_volley_does_not_fire_in_the_second() -> None:
    declared = Attack("R1A-1", "rocket_launcher", "B1A"), Attack("R1A-2", "pulse_rifle", "B1A")
    state = parts({**tough(), "wounds": 60}, weapon="rocket_launcher", at=(1, 0))
    done = step(state, fire, "R1A", declared, dice=[[HIT, 14], FAIL, FAIL, *[20] * 4])
    assert out(done.state) == {"R1A-1": "dead", "R1A-2": "dead"}
    assert rolled(done) == ["R1A-1"]
    assert [attacks(event) for event in told(done, "fire.lost")] == [[declared[1]]]


@pytest.mark.rule("D-R16.1", "D-EQ-T5")
def test_who_falls_by_a_comrades_grenade_does_not_throw_his_own() -> None:
    declared = shots(2, "B1A", "frag_grenade")
    # The grenade that goes off among friends gives each of them one of its 2 Wounds.
    state = changed(parts(tough(), weapon="frag_grenade", at=(1, 0)), SetTracker("R1A-2", "Wounds", 1))
    done = step(state, fire, "R1A", declared, dice=[[MISS, 96], FAIL, *[20] * 4])
    assert out(done.state) == {"R1A-2": "dead"}
    assert rolled(done) == ["R1A-1"]


@pytest.mark.rule("D-R9.7", "D-R16.1")
def test_after_the_end_of_the_battle_no_part_of_a_volley_is_rolled() -> None:
    chiefs = team("R9Z", (-5, 11), unit("CO")), team("B1A", (2, 0), unit("CO"))
    red = team("R1A", (0, 0), *soldiers(60, 60))
    state = changed(position(red, *chiefs), SetStatus("R1A-2", status("shaken", since=1, until=1)))
    done = step(state, fire, "R1A", shots(2), dice=[[HIT, 14], FAIL])
    assert winner(done) == "red"
    assert rolled(done) == ["R1A-1"]
    assert [event.kind for event in done.events][-1] == "battle.over"
