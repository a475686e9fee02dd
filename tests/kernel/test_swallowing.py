"""No rule can swallow a suspension, whatever it catches and however it leaves."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

import pytest

from rallypoint.kernel.answers import PERSON, Answers, Policy, Script, Seed
from rallypoint.kernel.battle import Battle
from rallypoint.kernel.changes import SetTracker
from rallypoint.kernel.dice import D6, D100, Throw
from rallypoint.kernel.errors import RuleError, TapeError
from rallypoint.kernel.game import Intent
from rallypoint.kernel.step import NOBODY, run
from rallypoint.kernel.tape import Choice, Roll, Taped

from .duel import HIT, YES_NO, Duel, Stepping, battle, opening

Asking = Callable[[Stepping], object]


def roll(step: Stepping) -> object:
    return step.roll(Throw("red", "luck", D6))


def grade(step: Stepping) -> object:
    return step.grade(Throw("red", "strike", D100), HIT)


def pick(step: Stepping) -> object:
    return step.pick(("a", "b"), 1, "deal", "red")


def choose(step: Stepping) -> object:
    return step.choose(Choice("red", "yield", YES_NO))


def wound(step: Stepping) -> None:
    step.emit("wounded", SetTracker("red", "Wounds", 9), rule="r")


def honest(step: Stepping, ask: Asking) -> None:
    try:
        ask(step)
    except Exception:
        wound(step)


def swallows_and_ends(step: Stepping, ask: Asking) -> None:
    with suppress(BaseException):
        ask(step)


def swallows_and_tells(step: Stepping, ask: Asking) -> None:
    with suppress(BaseException):
        ask(step)
    wound(step)


def swallows_twice(step: Stepping, ask: Asking) -> None:
    with suppress(BaseException):
        ask(step)
    with suppress(BaseException):
        wound(step)


def swallows_and_asks_again(step: Stepping, ask: Asking) -> None:
    with suppress(BaseException):
        ask(step)
    step.roll(Throw("blue", "luck", D6))
    wound(step)


def leaves_through_finally(step: Stepping, ask: Asking) -> None:
    try:
        ask(step)
    finally:
        return  # noqa: B012


def tells_in_finally(step: Stepping, ask: Asking) -> None:
    try:
        ask(step)
    finally:
        wound(step)


def raises_another(step: Stepping, ask: Asking) -> None:
    try:
        ask(step)
    except BaseException:
        raise RuleError("something else went wrong") from None


def fails_in_finally(step: Stepping, ask: Asking) -> None:
    try:
        ask(step)
    finally:
        raise ValueError("cleaning up failed")


RULES = [
    honest,
    swallows_and_ends,
    swallows_and_tells,
    swallows_twice,
    swallows_and_asks_again,
    leaves_through_finally,
    tells_in_finally,
    raises_another,
    fails_in_finally,
]


@pytest.mark.parametrize("ask", [roll, grade, pick, choose])
@pytest.mark.parametrize("rule", RULES)
def test_the_battle_waits_with_the_question_and_nothing_was_told(
    rule: Callable[[Stepping, Asking], None], ask: Asking
) -> None:
    def bad(step: Stepping) -> None:
        step.emit("begins", SetTracker("blue", "Wounds", 1), rule="r")
        rule(step, ask)

    def good(step: Stepping) -> None:
        step.emit("begins", SetTracker("blue", "Wounds", 1), rule="r")
        ask(step)

    def waiting(game: Duel) -> Battle[None]:
        table = battle(game, Answers(PERSON))
        assert table.act(Intent("act", (), "red")) == ()
        return table

    table, expected = waiting(Duel({"act": bad})), waiting(Duel({"act": good}))
    assert table.question == expected.question is not None
    assert table.state == opening()
    assert [entry.kind for entry in table.history.entries] == ["start", "wait"]
    assert table.history.entries[1].events == ()
    assert table.history.entries[1].body_text == expected.history.entries[1].body_text


def test_an_honest_rule_goes_on_when_the_answer_comes() -> None:
    table = battle(Duel({"act": lambda step: honest(step, roll)}), Answers(PERSON))
    table.act(Intent("act", (), "red"))
    table.answer(3)
    assert table.question is None
    assert table.state["red"].value("Wounds") == 0


def test_a_suspension_in_a_nested_rule_goes_through_call() -> None:
    def inner(step: Stepping) -> None:
        with suppress(Exception):
            roll(step)

    def outer(step: Stepping) -> None:
        with suppress(BaseException):
            step.call(inner)
        wound(step)

    table = battle(Duel({"act": outer}), Answers(PERSON))
    table.act(Intent("act", (), "red"))
    assert isinstance(table.question, Roll)
    assert table.state == opening()


def test_a_tape_that_does_not_belong_cannot_be_swallowed_either() -> None:
    tape = (Taped(Roll((Throw("blue", "luck", D6),)), ((3,),)),)
    for rule in (swallows_and_ends, swallows_and_tells, swallows_and_asks_again, leaves_through_finally):
        game = Duel({"act": lambda step, rule=rule: rule(step, roll)})
        with pytest.raises(TapeError, match="asks another question"):
            run(game, opening(), Intent("act"), NOBODY, tape=tape)


def test_an_answer_that_does_not_fit_cannot_be_swallowed() -> None:
    for rule in (honest, swallows_and_ends, swallows_and_tells, swallows_and_asks_again, leaves_through_finally):
        game = Duel({"act": lambda step, rule=rule: rule(step, roll)})
        with pytest.raises(TapeError, match="does not fit"):
            run(game, opening(), Intent("act"), Script([7, 3]))


def test_a_seat_that_fails_cannot_be_swallowed() -> None:
    def choose_nothing(ask: Choice, view: object) -> int:
        raise ZeroDivisionError("a bad autopilot")

    game = Duel({"act": lambda step: honest(step, choose)})
    with pytest.raises(ZeroDivisionError):
        run(game, opening(), Intent("act"), Answers(Seed(7), {"red": Policy(choose_nothing)}))


def test_what_a_rule_raises_by_itself_is_what_comes_out() -> None:
    def fails(step: Stepping) -> None:
        roll(step)
        raise RuleError("no ammunition", rule="R9")

    with pytest.raises(RuleError, match=r"no ammunition \(R9\)"):
        run(Duel({"act": fails}), opening(), Intent("act"), Script([3]))
