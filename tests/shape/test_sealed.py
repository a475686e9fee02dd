"""A sealed choice of both sides: nobody sees the first answer, and nothing comes of it before the second is in."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import pytest

from rallypoint.kernel.answers import PERSON, Answers, Policy
from rallypoint.kernel.battle import Battle
from rallypoint.kernel.battle_file import BattleFile
from rallypoint.kernel.errors import RuleError, TapeError
from rallypoint.kernel.game import Acts, Intent, Over
from rallypoint.kernel.replay import replay
from rallypoint.kernel.state import State
from rallypoint.kernel.tape import Choice, Choose

from .frontline import Frontline
from .games import frontline, unit

GAME = Frontline()


def evening(answers: Answers, path: Path | None = None) -> Battle[None]:
    """Return a battle in which all that is left of the round is the question of withdrawal."""
    units = unit("red-1", "Infantry", "red front"), unit("blue-1", "Infantry", "blue support")
    battle = Battle.start(GAME, frontline(*units), answers, path=path)
    battle.play()
    for side in ("red", "blue"):
        battle.act(Intent("lapse", (side,), side))
    battle.play()
    return battle


def asked(battle: Battle[None]) -> list[str]:
    question = battle.question
    assert isinstance(question, Choose)
    return [ask.seat for ask in question.asks]


@pytest.mark.parametrize(
    ("red", "blue"), [("stay", "withdraw"), ("withdraw", "stay"), ("withdraw", "withdraw"), ("stay", "stay")]
)
def test_both_orders_of_answering_come_to_the_same(red: str, blue: str) -> None:
    # T-BW1; nobody is within reach, so no pursuit. By hand: who stays alone holds the field.
    battles = []
    for order in ((0, 1), (1, 0)):
        battle = evening(Answers(PERSON))
        for place in order:
            battle.answer((red, blue)[place], ask=place)
        battles.append(battle)
    together = evening(Answers(PERSON))
    together.answer([red, blue])
    results = {
        ("stay", "withdraw"): "red holds the field",
        ("withdraw", "stay"): "blue holds the field",
        ("withdraw", "withdraw"): "both withdraw",
    }
    for battle in [*battles, together]:
        if (red, blue) in results:
            assert battle.play() == Over(results[red, blue])
        else:
            assert battle.state["table"].value("Round") == 2
    kept = [[e for e in battle.history.entries if e.kind == "step"] for battle in [*battles, together]]
    assert {entries[-1].body_text for entries in kept} == {kept[0][-1].body_text}
    assert {entries[-1].hash for entries in kept} == {kept[0][-1].hash}


@pytest.mark.parametrize("place", [0, 1])
def test_the_first_answer_is_not_in_force_and_not_in_any_view(place: int) -> None:
    battle = evening(Answers(PERSON))
    question, text = battle.question, battle.state.to_text()
    views = [GAME.view(battle.state, seat).to_text() for seat in ("red", "blue")]
    assert asked(battle) == ["red", "blue"]
    assert battle.answer("withdraw", ask=place) == ()
    assert battle.state.to_text() == text
    assert [GAME.view(battle.state, seat).to_text() for seat in ("red", "blue")] == views
    assert battle.question == question
    last = battle.history.entries[-1]
    assert (last.kind, last.events, last.changes, last.hash) == ("wait", (), (), battle.state.digest)
    with pytest.raises(RuleError, match="a question is open"):
        battle.proceed()


def test_a_seat_that_decides_by_itself_sees_the_same_whatever_the_other_chose() -> None:
    seen: list[tuple[Choice, str]] = []

    def look(ask: Choice, view: State) -> int:
        seen.append((ask, view.to_text()))
        return 0

    for answer in ("stay", "withdraw"):
        battle = evening(Answers(PERSON, {"blue": Policy(choose=look)}))
        battle.answer(answer, ask=0)
        assert battle.history.waiting is None
    assert len({text for _, text in seen}) == 1
    assert {ask for ask, _ in seen} == {seen[0][0]}


def test_a_first_answer_may_be_changed_until_the_second_is_in() -> None:
    battle = evening(Answers(PERSON))
    battle.answer("withdraw", ask=1)
    battle.answer("stay", ask=1)
    battle.answer("withdraw", ask=0)
    assert battle.play() == Over("blue holds the field")


def test_sealed_answers_do_not_answer_what_is_asked_next() -> None:
    # T-BW1: red stays, so red-1 attacks once more, and red chooses between two targets. 5 + 4 + 1 - 8 + size 2 = 4.
    blues = [unit(f"blue-{number}", "Infantry", "blue front") for number in (1, 2)]
    battle = Battle.start(GAME, frontline(unit("red-1", "Infantry", "red front"), *blues), Answers(PERSON))
    while isinstance(due := battle.play(), Acts) and battle.question is None:
        battle.act(Intent("lapse", due.seats, due.seats[0]))
    battle.answer("stay", ask=0)
    battle.answer("withdraw", ask=1)
    question = battle.question
    assert isinstance(question, Choose)
    assert [(ask.seat, ask.purpose) for ask in question.asks] == [("red", "pursuit")]
    battle.answer("blue-2")
    battle.answer([5, 4])
    assert [battle.state[uid].value("Strength") for uid in ("blue-1", "blue-2")] == [20, 16]


def test_it_survives_a_restart_between_the_two(tmp_path: Path, closing: ExitStack) -> None:
    path = tmp_path / "sealed.battle"
    first = closing.enter_context(evening(Answers(PERSON), path))
    first.answer("withdraw", ask=0)
    with BattleFile(path) as file:
        second = Battle.open(file, GAME, Answers(PERSON))
        assert second.state.to_text() == first.state.to_text()
        assert asked(second) == ["red", "blue"]
        events = second.answer("stay", ask=1)
        assert [event.kind for event in events] == ["withdrawal.shown", "round.ends"]
        assert second.due == Over("blue holds the field")
        assert replay(file.entries(), GAME).hash == second.state.digest
    assert [entry.kind for entry in first.refresh()] == ["step"]
    assert first.due == Over("blue holds the field")


@pytest.mark.parametrize(("answer", "ask"), [("flee", 0), ("stay", 2), ("stay", -1), (2, 0), (["stay"], None)])
def test_an_answer_that_does_not_fit_leaves_the_question_open(answer: object, ask: int | None) -> None:
    battle = evening(Answers(PERSON))
    question, head = battle.question, battle.history.head
    with pytest.raises(TapeError):
        battle.answer(answer, ask=ask)
    assert (battle.question, battle.history.head) == (question, head)


def test_the_first_answer_is_gone_when_the_step_is_cancelled() -> None:
    battle = evening(Answers(PERSON))
    battle.answer("withdraw", ask=0)
    battle.cancel()
    battle.play()
    waiting = battle.history.waiting
    assert waiting is not None
    assert dict(waiting.given) == {}
    battle.answer("stay", ask=1)
    battle.answer("stay", ask=0)
    assert battle.state["table"].value("Round") == 2
