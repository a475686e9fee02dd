"""A battle that waits for an answer: what can be answered, by whom, and what stays as it was."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from rallypoint.kernel.answers import PERSON, Answers, Policy, Seed
from rallypoint.kernel.battle import Battle
from rallypoint.kernel.battle_file import BattleFile
from rallypoint.kernel.canonical import EMPTY, Value
from rallypoint.kernel.changes import SetAttribute, SetTracker
from rallypoint.kernel.dice import D6, D100, Throw
from rallypoint.kernel.errors import RuleError, TapeError
from rallypoint.kernel.game import Acts, Due, Over
from rallypoint.kernel.state import State
from rallypoint.kernel.tape import Choose, Sealed

from .duel import HIT, SIDES, Duel, Stepping, act, battle, counted, kinds, luck, opening


def test_a_question_waits_and_is_answered_by_key() -> None:
    table = battle()
    assert table.act(act("asks", "red")) == ()
    assert kinds(table) == ["start", "wait"]
    assert table.state == opening()
    events = table.answer("yes")
    assert [event.kind for event in events] == ["answered"]
    assert table.state["red"].attributes["yields"] is True
    assert kinds(table) == ["start", "wait", "step"]


def tells_first(step: Stepping, who: str) -> None:
    """Tell something, then ask for a die."""
    step.emit("ready", SetAttribute(who, "luck", 0), rule="T1")
    step.emit("rolled", SetAttribute(who, "luck", step.roll(Throw(who, "luck", D6))), rule="T1")


def test_what_the_open_step_has_told_can_be_read_and_is_not_kept() -> None:
    game = Duel()
    game.rules = {**game.rules, "rolls": tells_first}
    table = battle(game, Answers(PERSON))
    assert (table.pending, table.meanwhile) == ((), opening())
    table.act(act("rolls", "red"))
    assert [event.kind for event in table.pending] == ["ready"]
    assert table.meanwhile["red"].attributes["luck"] == 0
    assert table.state == opening()
    table.answer(4)
    assert luck(table) == (4,)
    assert (table.pending, table.meanwhile) == ((), table.state)


@pytest.mark.parametrize("given", ["maybe", 2, -1, True, None, ["yes", "no"], 1.0])
def test_an_answer_that_does_not_fit_leaves_the_question_open(given: object) -> None:
    table = battle()
    table.act(act("asks", "red"))
    question = table.question
    with pytest.raises(TapeError):
        table.answer(given)
    assert table.question == question is not None
    assert kinds(table) == ["start", "wait"]
    table.answer("no")
    assert table.question is None


@pytest.mark.parametrize("given", [0, 7, [1, 2], True, "3", [[3], [4]]])
def test_faces_that_do_not_fit_leave_the_question_open(given: object) -> None:
    table = battle(answers=Answers(PERSON))
    table.act(act("rolls", "red"))
    with pytest.raises(TapeError, match="does not fit its question"):
        table.answer(given)
    table.answer(3)
    assert luck(table) == (3,)


def test_parts_of_a_sealed_question_come_in_any_order_and_bad_ones_are_refused() -> None:
    table = battle()
    table.act(act("parleys"))
    for ask, given in ((2, "yes"), (-1, "yes"), (0, "maybe"), (1, True)):
        with pytest.raises(TapeError):
            table.answer(given, ask=ask)
    table.answer("no", ask=1)
    table.answer("yes", ask=1)  # a seat may think again before it is shown
    assert table.history.waiting is not None
    assert table.history.waiting.given == {1: 0}
    table.answer("no", ask=0)
    assert table.state["table"].attributes["parley"] == (False, True)


def sealed(table: Battle[None]) -> Sealed:
    question = table.question
    assert isinstance(question, Sealed)
    return question


def test_a_sealed_question_says_who_is_still_missing() -> None:
    table = battle()
    table.act(act("parleys"))
    assert sealed(table).missing == (0, 1)
    table.answer("no", ask=0)
    assert sealed(table).missing == (1,)
    assert str(sealed(table)).startswith("blue decides parley: yes (Yes), no (No) (part 1); red has answered")
    table.answer("yes", ask=1)
    assert table.question is None


def test_a_question_to_one_seat_is_not_sealed() -> None:
    table = battle()
    table.act(act("asks", "red"))
    assert type(table.question) is Choose
    assert str(table.question) == "red decides yield for red: yes (Yes), no (No)"


def test_what_a_rule_says_about_its_question_is_no_part_of_it() -> None:
    """Two rules ask the same, one says why: question, digest and log are the same, and only people see the difference."""

    def says(why: Mapping[str, object]) -> Battle[None]:
        def rule(step: Stepping) -> None:
            step.grade(Throw("red", "strike", D100), HIT, why)
            step.roll(Throw("red", "luck", D6), Throw("red", "nerve", D6), why={"words": "for luck"})
            step.emit("done", counted(step), rule="T1")

        table = battle(Duel({"says": rule}), Answers(PERSON))
        table.act(act("says"))
        return table

    silent, telling = says({}), says({"under": 60, "modifiers": (("+", "aimed", "T1"),)})
    assert (silent.why, telling.why) == ({}, {"under": 60, "modifiers": (("+", "aimed", "T1"),)})
    assert silent.question == telling.question
    for table in (silent, telling):
        table.answer(34)
        assert table.why == {"words": "for luck"}
        table.answer([1, 2])
        assert table.why == {}
    assert [entry.body_text for entry in silent.history.entries] == [
        entry.body_text for entry in telling.history.entries
    ]


def test_one_member_is_picked_by_its_name() -> None:
    def lights(step: Stepping) -> None:
        step.emit("lit", SetAttribute("red", "light", step.pick(("torch", "lamp"), 1, "light")), rule="T10")

    table = battle(Duel({"lights": lights}), Answers(PERSON))
    table.act(act("lights"))
    assert str(table.question) == "chance picks 1 (light): torch, lamp"
    table.answer("lamp")
    assert table.state["red"].attributes["light"] == ("lamp",)


@pytest.mark.parametrize("begin", ["start", "open"])
def test_a_game_that_lacks_members_is_refused_and_they_are_named(begin: str, tmp_path: Path) -> None:
    class Half:
        name = "half"
        version = "1"
        options: Mapping[str, Value] = EMPTY
        hooks = None

        def next(self, state: State) -> Due:
            return Over("at once")

    half: Any = Half()
    path = tmp_path / "half.battle"
    whole = BattleFile.create(tmp_path / "whole.battle", battle().history.entries[0])
    begins: Mapping[str, Callable[[], object]] = {
        "start": lambda: Battle.start(half, opening(), Answers(Seed(7)), path=path),
        "open": lambda: Battle.open(whole, half, Answers(Seed(7))),
    }
    with whole, pytest.raises(RuleError) as caught:
        begins[begin]()
    assert (caught.value.where, caught.value.found) == ("Half", "no rules, seats, clock, legal, view, reactions")
    assert str(caught.value.expected).split(", ")[:5] == ["name", "version", "options", "hooks", "rules"]
    assert not path.exists()


def test_the_same_part_again_writes_nothing_new() -> None:
    table = battle()
    table.act(act("parleys"))
    table.answer("no", ask=1)
    table.answer("no", ask=1)
    table.play()
    assert kinds(table) == ["start", "wait", "wait"]


def test_without_a_question_there_is_nothing_to_answer_or_cancel() -> None:
    table = battle()
    with pytest.raises(TapeError, match="no question is open; found: yes"):
        table.answer("yes")
    with pytest.raises(RuleError, match="nothing to cancel"):
        table.cancel()


def test_nothing_else_goes_on_while_a_question_is_open() -> None:
    table = battle()
    table.act(act("rolls", "red"))
    table.act(act("asks", "red"))
    ways: list[Callable[[], object]] = [
        lambda: table.act(act("rolls", "red")),
        table.proceed,
        table.undo,
        table.redo,
        table.adopt,
        lambda: table.edit("referee", SetTracker("red", "Wounds", 1)),
    ]
    for way in ways:
        with pytest.raises(RuleError, match="a question is open; answer it or cancel"):
            way()
    assert kinds(table) == ["start", "step", "wait"]


def test_a_step_that_was_cancelled_is_gone_and_its_dice_are_not_thrown_anew() -> None:
    table = battle()
    table.act(act("asks", "red"))
    shown = table.history.waiting.tape[0].answer  # type: ignore[union-attr]
    table.cancel()
    assert table.question is None
    assert table.state == opening()
    table.act(act("asks", "red"))
    assert table.history.waiting.tape[0].answer == shown  # type: ignore[union-attr]
    assert kinds(table) == ["start", "wait", "cancel", "wait"]


def test_a_question_is_answered_by_a_seat_that_has_come_meanwhile() -> None:
    table = battle()
    table.act(act("asks", "red"))
    table.answers = Answers(Seed(7), {"red": Policy(lambda *_: 1)})
    assert table.play() == Acts(SIDES)
    assert table.state["red"].attributes["yields"] is False
