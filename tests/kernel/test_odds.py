"""Exact odds: the fractions that a rule gives, against a count of every combination of faces done here with loops."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import pytest

from rallypoint.kernel.changes import SetAttribute, SetTracker
from rallypoint.kernel.dice import D6, D10, D100, ByFace, ByTotal, Throw
from rallypoint.kernel.errors import RuleError
from rallypoint.kernel.game import Intent
from rallypoint.kernel.odds import Odds, outcomes
from rallypoint.kernel.state import State
from rallypoint.kernel.step import Done
from rallypoint.kernel.tape import Choice, Option

from .duel import CARDS, YES_NO, Duel, Stepping, opening

ORDER = ("cs", "cf", "s", "f")
WOUND_TABLE = ByFace.of(["graze"] * 4 + ["wound"] * 4 + ["down"] * 2, ("graze", "wound", "down"))
ON_TABLE = {"graze": 0, "wound": 1, "down": 2}


def check(target: int) -> ByFace:
    kinds = [("c" if face % 11 == 0 else "") + ("s" if face < target else "f") for face in range(100)]
    return ByFace.of(kinds, ORDER)


def fires(step: Stepping, by_number: bool = False) -> None:
    """Two attackers with [+] at I:60 and I:80; a hit is 1 and a critical one 2; one save A:60; then the wound table.

    With ``by_number`` the rule reads the faces of the save and of the table instead of their classes.
    """
    hits = 0
    for who, target in (("red-1", 60), ("red-2", 80)):
        graded = step.grade(Throw(who, "instinct", D100, 2), check(target))
        hits += {"cs": 2, "s": 1}.get(graded.grade, 0)
        step.emit("check", rule="R7", why={"check": graded})
    wounds, place = 0, "none"
    if hits:
        save = step.grade(Throw("blue-1", "armor", D100), check(60))
        grade = save.grade
        if by_number:
            (face,) = save.faces
            grade = ("c" if face in (0, 11, 22, 33, 44, 55, 66, 77, 88, 99) else "") + ("s" if face <= 59 else "f")
        wounds = {"cs": 0, "s": hits // 2, "f": hits, "cf": hits + 1}[grade]
    if wounds:
        table = step.grade(Throw("blue-1", "wounds", D10), WOUND_TABLE)
        place = table.grade
        if by_number:
            place = "graze" if table.faces[0] <= 4 else "wound" if table.faces[0] <= 8 else "down"
        wounds += ON_TABLE[place]
    step.emit("wounds", SetTracker("blue", "Wounds", wounds), SetAttribute("blue", "place", place), rule="R16")


def fire_counted() -> dict[object, Fraction]:
    """Count every combination: 100^2 x 100^2 x 100 x 10 outcomes, through the number of each die's kinds."""

    def pairs(target: int) -> Counter[int]:
        hits: Counter[int] = Counter()
        for one in range(100):
            for other in range(100):
                doubles = [face for face in (one, other) if face // 10 == face % 10]
                if any(face < target for face in doubles):
                    hits[2] += 1
                elif doubles:
                    hits[0] += 1
                else:
                    hits[1 if min(one, other) < target else 0] += 1
        return hits

    ways: Counter[tuple[int, str]] = Counter()
    for (first, w1), (second, w2) in product(pairs(60).items(), pairs(80).items()):
        hits = first + second
        for save in range(100):
            double = save // 10 == save % 10
            wounds = (0 if double else hits // 2) if save < 60 else (hits + 1 if double else hits)
            for face in range(1, 11):
                if not hits or not wounds:
                    ways[0, "none"] += w1 * w2
                elif face <= 4:
                    ways[wounds, "graze"] += w1 * w2
                elif face <= 8:
                    ways[wounds + 1, "wound"] += w1 * w2
                else:
                    ways[wounds + 2, "down"] += w1 * w2
    assert ways.total() == 100**5 * 10
    return {key: Fraction(number, ways.total()) for key, number in ways.items()}


def wounds_and_place(done: Done) -> object:
    return done.state["blue"].value("Wounds"), done.state["blue"].attributes["place"]


@pytest.mark.parametrize("by_number", [False, True])
def test_a_fire_action_has_the_fractions_of_a_full_count_of_faces(by_number: bool) -> None:
    found = outcomes(Duel({"fires": fires}), opening(), Intent("fires", (by_number,)), wounds_and_place)
    assert found == fire_counted()
    assert sum(found.values()) == 1


def test_the_first_check_alone_hits_as_often_as_the_rules_say() -> None:
    def one(step: Stepping) -> None:
        step.emit("x", rule="r", why={"g": step.grade(Throw("red", "instinct", D100, 2), check(60))})

    def hit(done: Done) -> bool:
        checked: Any = done.events[0].why["g"]
        return checked.grade in ("cs", "s")

    assert outcomes(Duel({"one": one}), opening(), Intent("one"), hit) == {
        True: Fraction(7968, 10_000),
        False: Fraction(2032, 10_000),
    }


def odds_of(rule: Callable[..., object], policy: Any = None) -> dict[Any, Fraction]:
    """The odds of what the rule returns."""

    def keeps(step: Stepping) -> None:
        step.emit("x", SetAttribute("red", "x", ("kept", rule(step))), rule="r")  # type: ignore[arg-type]

    def kept(done: Done) -> object:
        pair: Any = done.state["red"].attributes["x"]
        return pair[1]

    found = outcomes(Duel({"keeps": keeps}), opening(), Intent("keeps"), kept, policy)
    assert sum(found.values()) == 1
    return found


def test_a_roll_branches_by_every_face() -> None:
    found = odds_of(lambda step: sum(step.roll(Throw("red", "luck", D6, 2))))
    # Two dice: 2 to 12 in 1, 2, 3, 4, 5, 6, 5, 4, 3, 2, 1 of 36 ways.
    assert found == {total: Fraction(6 - abs(total - 7), 36) for total in range(2, 13)}


def test_several_throws_branch_together() -> None:
    def higher(step: Stepping) -> str:
        (red,), (blue,) = step.roll(Throw("red", "luck", D6), Throw("blue", "luck", D10))
        return "red" if red > blue else "blue" if blue > red else "draw"

    # Red is higher in 0 + 1 + 2 + 3 + 4 + 5 = 15 of 60 pairs, and they are equal in 6.
    assert odds_of(higher) == {"red": Fraction(1, 4), "draw": Fraction(1, 10), "blue": Fraction(39, 60)}


def test_reading_the_faces_of_a_class_branches_within_that_class_alone() -> None:
    cut = ByTotal(((10, "high"),), "low")

    def shown(step: Stepping) -> object:
        graded = step.grade(Throw("red", "luck", D6, 2), cut)
        return sorted(graded.faces) if graded.grade == "high" else "low"

    assert odds_of(shown) == {
        (4, 6): Fraction(2, 36),
        (5, 5): Fraction(1, 36),
        (5, 6): Fraction(2, 36),
        (6, 6): Fraction(1, 36),
        "low": Fraction(30, 36),
    }


def test_faces_are_revealed_once_however_often_they_are_read() -> None:
    cut = ByTotal(((4, "high"),), "low")

    def same(step: Stepping) -> bool:
        graded = step.grade(Throw("red", "luck", D6), cut)
        return graded.faces == graded.faces and cut.grade(D6, graded.faces) == graded.grade

    assert odds_of(same) == {True: Fraction(1)}


def test_a_class_without_faces_asks_no_further_question() -> None:
    runs = []

    def one(step: Stepping) -> str:
        runs.append(step)
        return step.grade(Throw("red", "instinct", D100, 2), check(60)).grade

    odds_of(one)
    assert len(runs) == 4


def test_a_pick_branches_by_every_set() -> None:
    found = odds_of(lambda step: step.pick(CARDS, 2, "deal"))
    assert found == {pair: Fraction(1, 6) for pair in combinations(CARDS, 2)}


def test_what_is_asked_can_hang_on_what_was_answered() -> None:
    def explodes(step: Stepping) -> int:
        (face,) = step.roll(Throw("red", "luck", D6))
        return face if face < 6 else 6 + step.roll(Throw("red", "luck", D6))[0]

    found = odds_of(explodes)
    assert found == {n: Fraction(1, 6) for n in range(1, 6)} | {n: Fraction(1, 36) for n in range(7, 13)}


# Choices: people have no odds


def sealed(step: Stepping) -> object:
    (face,) = step.roll(Throw("red", "luck", D6))
    step.emit("luck", SetAttribute("red", "luck", face), rule="r")
    red, blue = step.choose(Choice("red", "duck", YES_NO), Choice("blue", "bid", (*YES_NO, Option("x", "X"))))
    return red.key, blue.key


def test_a_policy_answers_each_part_of_a_sealed_choice_from_its_view() -> None:
    seen = []

    def policy(ask: Choice, view: State) -> int:
        seen.append(ask.seat)
        luck = view["red"].attributes["luck"]
        assert isinstance(luck, int)
        return 0 if ask.seat == "red" and luck > 4 else len(ask.options) - 1

    assert odds_of(sealed, policy) == {("yes", "x"): Fraction(1, 3), ("no", "x"): Fraction(2, 3)}
    assert set(seen) == {"red", "blue"}


def test_a_choice_without_a_policy_is_refused_with_the_seat() -> None:
    with pytest.raises(RuleError, match="red, duck: odds need a policy for choices") as caught:
        odds_of(sealed)
    assert caught.value.hint == "say what the seat would choose"


def test_not_even_a_rule_that_catches_all_gets_round_the_policy() -> None:
    def guarded(step: Stepping) -> str:
        try:
            return step.choose(Choice("red", "duck", YES_NO)).key
        except RuleError:
            return "no policy"

    with pytest.raises(RuleError, match="odds need a policy"):
        odds_of(guarded)


def test_the_state_before_is_left_alone() -> None:
    state = opening()
    before = state.to_text()
    outcomes(Duel({"fires": fires}), state, Intent("fires"), wounds_and_place)
    assert state.to_text() == before


def test_odds_remember_what_was_worked_out_and_forget_nothing_that_matters() -> None:
    runs = []

    def counting(step: Stepping, target: int) -> None:
        runs.append(target)
        graded = step.grade(Throw("red", "instinct", D100), check(target))
        hit = graded.grade in ("cs", "s")
        step.emit("x", SetAttribute("red", "hit", hit), rule="r")

    def hit(done: Done) -> object:
        return done.state["red"].attributes["hit"]

    odds = Odds(Duel({"counting": counting}))
    state = opening()
    assert odds.of(state, Intent("counting", (60,)), hit) == {True: Fraction(3, 5), False: Fraction(2, 5)}
    worked = len(runs)
    assert odds.of(opening(), Intent("counting", (60,)), hit)[True] == Fraction(3, 5)
    assert len(runs) == worked
    assert odds.of(state, Intent("counting", (80,)), hit)[True] == Fraction(4, 5)
    assert odds.of(state, Intent("counting", (60,)), lambda _: "any") == {"any": Fraction(1)}
    assert len(runs) == 3 * worked


def test_odds_that_are_full_begin_anew_and_stay_right() -> None:
    def rolls(step: Stepping, bound: int) -> None:
        step.emit("x", SetAttribute("red", "hit", step.roll(Throw("red", "luck", D6))[0] <= bound), rule="r")

    def hit(done: Done) -> object:
        return done.state["red"].attributes["hit"]

    odds = Odds(Duel({"rolls6": rolls}), size=2)
    for bound in (1, 2, 3, 4, 1, 2, 3):
        assert odds.of(opening(), Intent("rolls6", (bound,)), hit)[True] == Fraction(bound, 6)
