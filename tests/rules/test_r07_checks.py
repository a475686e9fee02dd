"""Rule 7: checks and saves. Every share is counted in the test, face by face or pair by pair."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from types import SimpleNamespace
from typing import Literal

import pytest

from rallypoint.disrupter.checks import check, net
from rallypoint.disrupter.hooks import DisrupterStep
from rallypoint.disrupter.records import CheckRequest, Modifier
from rallypoint.disrupter.rulings import check_options
from rallypoint.kernel.changes import SetStatus, SetTracker
from rallypoint.kernel.errors import InputError
from rallypoint.kernel.game import Intent
from rallypoint.kernel.odds import outcomes
from rallypoint.kernel.plugins.hooks import hookimpl
from rallypoint.kernel.state import State

from ..disrupter.positions import changed, position, rules, status, step, team, unit
from .playing import grade_of, playing, told

OPEN = {"red": (0, 0), "blue": (9, 0)}


def plain(instinct: int) -> State:
    """Return a soldier with nobody near and a platoon with Stress 5."""
    red = team("R1A", OPEN["red"], unit("Soldier", "pulse_rifle", instinct=instinct))
    return changed(position(red, team("B1A", OPEN["blue"], unit("Soldier"))), SetTracker("R", "Stress", 5))


def spot_check(step: DisrupterStep, *signs: Literal["+", "-"]) -> None:
    extra = tuple([Modifier(sign, "test", "test") for sign in signs])
    check(step, CheckRequest(("R1A-1",), "instinct", "spot"), "D-R7.4", extra)


def odds(instinct: int, *signs: str, **options: str) -> dict[object, Fraction]:
    game = playing(spot_check, options={name.replace("_", "-"): value for name, value in options.items()})
    return outcomes(game, plain(instinct), Intent("spot_check", signs), grade_of)


def by_counting(instinct: int, sign: str = "", always: bool = True) -> dict[str, Fraction]:
    """Count grades over all faces, or all pairs: doubles are critical, and a critical on either die is the result."""
    order = ["critical_success", "success", "failure", "critical_failure"]

    def one(face: int) -> str:
        word = "success" if face < instinct else "failure"
        return f"critical_{word}" if face // 10 == face % 10 else word

    if not sign:
        counts = Counter(one(face) for face in range(100))
        return {grade: Fraction(number, 100) for grade, number in counts.items()}
    counts = Counter()
    for first in range(100):
        for second in range(100):
            pair = sorted([one(first), one(second)], key=order.index)
            critical = [grade for grade in pair if grade.startswith("critical")]
            if always and critical:
                counts[critical[0] if sign == "+" else critical[-1]] += 1
            else:
                counts[pair[0] if sign == "+" else pair[1]] += 1
    return {grade: Fraction(number, 10_000) for grade, number in counts.items()}


@pytest.mark.rule("D-R7.1", "D-R7.4")
@pytest.mark.parametrize(("face", "grade"), [(59, "success"), (60, "failure"), (1, "success"), (98, "failure")])
def test_a_check_succeeds_under_the_stat(face: int, grade: str) -> None:
    done = step(plain(60), spot_check, dice=[face])
    assert grade_of(done) == grade
    assert rules(done) == ["D-R7.4"]


@pytest.mark.rule("D-R7.2", "D-AMB-04")
def test_00_is_the_number_0_and_a_double() -> None:
    assert grade_of(step(plain(40), spot_check, dice=[0])) == "critical_success"
    assert grade_of(step(plain(0), spot_check, dice=[0])) == "critical_failure"
    plainly = {"D-AMB-04": "plain_success"}
    assert grade_of(step(plain(40), spot_check, dice=[0], options=plainly)) == "success"
    assert grade_of(step(plain(40), spot_check, dice=[33], options=plainly)) == "critical_success"
    assert grade_of(step(plain(0), spot_check, dice=[0], options=plainly)) == "critical_failure"


@pytest.mark.rule("D-R7.3")
@pytest.mark.parametrize(("stat", "good", "bad"), [(40, 4, 6), (60, 6, 4), (80, 8, 2)])
def test_doubles_are_criticals_under_the_stat_and_over_it(stat: int, good: int, bad: int) -> None:
    found = odds(stat)
    assert (found["critical_success"], found["critical_failure"]) == (Fraction(good, 100), Fraction(bad, 100))
    assert found == by_counting(stat)


@pytest.mark.rule("D-R7.5", "D-R7.6", "D-AMB-05")
@pytest.mark.parametrize("stat", [40, 60, 80])
@pytest.mark.parametrize("sign", ["+", "-"])
def test_two_dice_have_the_odds_that_counting_all_pairs_gives(stat: int, sign: str) -> None:
    assert odds(stat, sign) == by_counting(stat, sign)
    assert odds(stat, sign, D_AMB_05="selected") == by_counting(stat, sign, always=False)


@pytest.mark.rule("D-R7.6", "D-AMB-05")
def test_a_critical_failure_can_spoil_an_advantage() -> None:
    assert sum(share for grade, share in odds(60, "+").items() if "success" in str(grade)) == Fraction(7968, 10_000)
    assert sum(share for grade, share in odds(60, "-").items() if "success" in str(grade)) == Fraction(4032, 10_000)
    assert grade_of(step(plain(60), spot_check, "+", dice=[[12, 77]])) == "critical_failure"
    assert grade_of(step(plain(60), spot_check, "+", dice=[[22, 77]])) == "critical_success"
    assert grade_of(step(plain(60), spot_check, "-", dice=[[22, 77]])) == "critical_failure"
    assert grade_of(step(plain(60), spot_check, "+", dice=[[12, 77]], options={"D-AMB-05": "selected"})) == "success"


@pytest.mark.rule("D-AMB-05")
def test_by_ruling_every_critical_moves_stress_whichever_die_counts() -> None:
    done = step(plain(60), spot_check, "+", dice=[[12, 77]], options={"D-AMB-05": "stress_only"})
    assert grade_of(done) == "success"
    assert done.state["R"].value("Stress") == 6
    both = {"D-AMB-05": "stress_only", "D-AMB-04": "plain_success"}
    assert step(plain(60), spot_check, "+", dice=[[0, 34]], options=both).state["R"].value("Stress") == 5


@pytest.mark.rule("D-R7.5", "D-AMB-07")
@pytest.mark.parametrize(
    ("signs", "cancelled", "counted"),
    [("+-", 0, 0), ("++-", 0, 1), ("+--", 0, -1), ("++", 1, 1), ("--", -1, -1), ("", 0, 0)],
)
def test_advantage_and_disadvantage_cancel(signs: str, cancelled: int, counted: int) -> None:
    found = tuple([Modifier(sign, "test", "test") for sign in signs])  # type: ignore[arg-type]
    assert (net(found, "cancel"), net(found, "net_count")) == (cancelled, counted)


@pytest.mark.rule("D-AMB-07")
@pytest.mark.parametrize("signs", ["+-", "++-"])
def test_one_die_is_thrown_where_they_cancel_and_the_log_names_both(signs: str) -> None:
    done = step(plain(60), spot_check, *signs, dice=[34])  # two dice would want a pair
    assert [entry.answer for entry in done.tape] == [(34,)]
    named = done.events[0].why["modifiers"]
    assert isinstance(named, tuple)
    assert "".join([modifier.sign for modifier in named]) == signs


@pytest.mark.rule("D-R7.5")
def test_an_advantage_is_one_of_the_two_dice_and_never_their_sum() -> None:
    done = step(plain(60), spot_check, "+", dice=[[34, 61]])
    assert grade_of(done) == "success"
    assert done.tape[0].answer == (34, 61)  # both are shown
    assert grade_of(step(plain(60), spot_check, "-", dice=[[34, 61]])) == "failure"
    assert grade_of(step(plain(60), spot_check, "+", dice=[[61, 72]])) == "failure"


@pytest.mark.rule("D-R8.4", "D-R8.5", "D-AMB-09")
@pytest.mark.parametrize(("face", "after"), [(22, 4), (77, 6), (23, 5), (78, 5)])
def test_criticals_of_any_check_move_the_stress_of_who_rolled(face: int, after: int) -> None:
    done = step(plain(60), spot_check, dice=[face])
    assert (done.state["R"].value("Stress"), done.state["B"].value("Stress")) == (after, 0)
    told = [event.rule for event in done.events if event.kind == "stress"]
    assert told == ([] if after == 5 else ["D-R8.5" if after == 4 else "D-R8.4"])


@pytest.mark.rule("D-AMB-09")
def test_by_ruling_only_fire_moves_stress() -> None:
    done = step(plain(60), spot_check, dice=[77], options={"D-AMB-09": "fire_only"})
    assert done.state["R"].value("Stress") == 5

    def save(step: DisrupterStep) -> None:
        check(step, CheckRequest(("R1A-1",), "armor", "save"), "D-R7.4")

    saved = step(plain(60), save, dice=[77], options={"D-AMB-09": "fire_only"})  # to be fired at is fire, too
    assert saved.state["R"].value("Stress") == 6


@pytest.mark.rule("D-R9.4", "D-AMB-13")
@pytest.mark.parametrize(("apart", "dice"), [(0, 2), (1, 2), (2, 1)])
def test_an_officer_within_close_range_gives_an_advantage(apart: int, dice: int) -> None:
    state = plain(60)
    nco = unit("NCO", "revolver")
    if apart:
        state = position(
            team("R1A", (0, 0), unit("Soldier")), team("R1B", (apart, 0), nco), team("B1A", (9, 0), unit("Bot"))
        )
    else:
        state = position(team("R1A", (0, 0), unit("Soldier"), nco), team("B1A", (9, 0), unit("Bot")))
    done = step(state, spot_check, dice=[[12, 13][:dice]])
    answer = done.tape[0].answer
    assert len(answer) == dice


@pytest.mark.rule("D-R9.4", "D-AMB-13")
def test_an_officer_does_not_aid_himself_unless_by_ruling_and_two_do_not_stack() -> None:
    alone = position(team("R1A", (0, 0), unit("NCO")), team("B1A", (9, 0), unit("Bot")))
    assert step(alone, spot_check, dice=[12]).tape[0].answer == (12,)
    assert len(step(alone, spot_check, dice=[[12, 13]], options={"D-AMB-13": "yes"}).tape[0].answer) == 2
    two = position(team("R1A", (0, 0), unit("Soldier"), unit("NCO"), unit("CO")), team("B1A", (9, 0), unit("Bot")))
    done = step(two, spot_check, dice=[[12, 13]], options={"D-AMB-07": "net_count"})
    modifiers = done.events[0].why["modifiers"]
    assert isinstance(modifiers, tuple)
    assert len(modifiers) == 1


@pytest.mark.rule("D-R9.4")
def test_a_fallen_officer_and_an_enemy_one_give_nothing() -> None:
    state = position(team("R1A", (0, 0), unit("Soldier"), unit("NCO")), team("B1A", (1, 0), unit("NCO")))
    fallen = changed(state, SetStatus("R1A-2", status("out")))
    assert step(fallen, spot_check, dice=[12]).tape[0].answer == (12,)


@pytest.mark.rule("D-R7.4")
def test_plugins_may_add_modifiers_change_the_stat_and_leave_the_dice_alone() -> None:
    @hookimpl
    def check_modifiers() -> tuple[Modifier, ...]:
        return (Modifier("-", "fog", "house"),)

    @hookimpl
    def check_stat(stat: int) -> int:
        return stat + 10

    done = step(
        plain(60),
        spot_check,
        dice=[[65, 68]],
        plugins=[SimpleNamespace(check_modifiers=check_modifiers, check_stat=check_stat)],
    )
    assert grade_of(done) == "success"
    assert told(done, "check")[0].why["under"] == 70

    @hookimpl
    def check_roll(request: CheckRequest) -> str | None:
        return "success" if request.purpose == "spot" else None

    sure = step(plain(60), spot_check, plugins=[SimpleNamespace(check_roll=check_roll)])
    assert (sure.tape, told(sure, "check")[0].why["grade"]) == ((), "success")
    assert sure.events[0].by == "test-0"


def test_an_unknown_choice_of_a_ruling_is_refused() -> None:
    with pytest.raises(InputError, match="no such choice"):
        check_options({"D-AMB-05": "sometimes"})
