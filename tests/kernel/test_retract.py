"""Taking back the last answer that a person gave in a step that waits."""

from __future__ import annotations

import shutil
import signal
import tempfile
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from rallypoint.kernel.answers import PERSON, Answers, Policy, Seed
from rallypoint.kernel.battle import Battle
from rallypoint.kernel.battle_file import BattleFile
from rallypoint.kernel.canonical import Value, canonical
from rallypoint.kernel.changes import SetAttribute
from rallypoint.kernel.dice import D6, Throw
from rallypoint.kernel.errors import BattleFileError, HeadMovedError, RuleError
from rallypoint.kernel.history import Entry, History
from rallypoint.kernel.replay import replay
from rallypoint.kernel.tape import Choice

from .duel import YES_NO, Duel, Stepping, act, battle, close, counted, opening
from .processes import forks, in_child, kill_self, needs_fork

HEARING = ("red", "blue", "red", "red")
"""Who is asked, one after the other, each after a die."""


def hears(step: Stepping) -> None:
    """Four questions with a die before each; after a No the next die is another one."""
    said: list[tuple[Value, ...]] = []
    for seat in HEARING:
        die = step.roll(Throw(seat, "no" if said and said[-1][2] is False else "yes", D6))[0]
        said.append((seat, die, step.choose(Choice(seat, "hearing", YES_NO)).value))
    step.emit("heard", counted(step), SetAttribute("table", "heard", tuple(said)), rule="T9")


GAME = Duel({"hears": hears})


def hearing(path: Path | None = None, answers: Answers | None = None) -> Battle[None]:
    table = battle(GAME, answers, path=path)
    table.act(act("hears"))
    return table


def kinds(table: Battle[None]) -> list[str]:
    return [entry.kind for entry in table.history.entries]


def taped(table: Battle[None]) -> int:
    waiting = table.history.waiting
    assert waiting is not None
    return len(waiting.tape)


def heard(table: Battle[None]) -> list[object]:
    rows: Any = table.state["table"].attributes["heard"]
    return [row[2] for row in rows]


def test_the_last_answer_is_taken_back_and_its_question_is_open_again() -> None:
    table = hearing()
    table.answer("yes")
    open_before = table.question
    table.answer("no")
    table.retract()
    assert table.question == open_before
    assert table.state == opening()
    for key in ("yes", "no", "yes"):
        table.answer(key)
    assert heard(table) == [True, True, False, True]
    assert kinds(table) == ["start", "wait", "wait", "wait", "retract", "wait", "wait", "step"]
    assert table.history.entries[4].body["entry"] == 2  # back to what waited then
    assert replay(table.history.entries, GAME).hash == table.state.digest


def test_typed_dice_are_taken_back_one_by_one() -> None:
    table = hearing(answers=Answers(PERSON))
    table.answer(3)
    table.answer("yes")
    table.answer(5)  # a slip
    table.retract()
    table.answer(6)
    for given in ("yes", 1, "no", 2, "no"):
        table.answer(given)
    rows: Any = table.state["table"].attributes["heard"]
    assert [row[1] for row in rows] == [3, 6, 1, 2]


def test_where_nobody_has_answered_there_is_nothing_to_take_back() -> None:
    table = battle(GAME)
    with pytest.raises(RuleError, match="no question is open, so there is no answer to take back"):
        table.retract()
    table.act(act("hears"))
    with pytest.raises(RuleError, match="nobody has answered in this step yet; cancel drops the step"):
        table.retract()
    table.answer("yes")
    table.retract()
    with pytest.raises(RuleError, match="nobody has answered in this step yet"):
        table.retract()
    assert kinds(table) == ["start", "wait", "wait", "retract"]


def test_a_part_of_a_sealed_question_is_taken_back_alone() -> None:
    table = battle()
    table.act(act("parleys"))
    table.answer("no", ask=1)
    table.retract()
    table.answer("yes", ask=0)
    assert table.history.waiting is not None
    assert table.history.waiting.given == {0: 0}
    table.answer("yes", ask=1)
    assert table.state["table"].attributes["parley"] == (True, True)


def test_the_answer_of_a_seat_that_plays_alone_goes_with_that_before_it() -> None:
    """Blue plays alone from its question on: what is taken back is red's, for blue would only say the same again."""
    table = hearing()
    table.answer("no")
    table.answers = Answers(Seed(7), {"blue": Policy(lambda *_: 1)})
    table.play()
    assert taped(table) == 5  # two dice with their answers, and the third die
    table.retract()
    assert taped(table) == 1
    reread = History.of(table.history.entries)
    assert reread.waiting is not None
    assert reread.waiting.number == 1
    assert reread.before_answer is None


def test_a_reference_that_does_not_fit_is_a_damaged_log() -> None:
    table = hearing()
    table.answer("yes")
    first, second = table.history.entries[1:3]
    for wrong in ({"entry": second.number}, {"entry": 0}, {}):
        bad = Entry(3, "retract", "[]", canonical(wrong), table.state.digest)
        with pytest.raises(BattleFileError, match=r"entry 3 \(retract\)"):
            History.of([*table.history.entries, bad])
    too_early = Entry(2, "retract", "[]", canonical({"entry": first.number}), table.state.digest)
    with pytest.raises(BattleFileError, match=r"entry 2 \(retract\)"):
        History.of([*table.history.entries[:2], too_early])


def test_of_two_processes_the_second_is_told_and_takes_nothing_back(tmp_path: Path) -> None:
    path = tmp_path / "fight.battle"
    table = hearing(path)
    table.answer("yes")
    with BattleFile(path) as file:
        other = Battle.open(file, GAME, Answers(Seed(7)))
        other.answer("no")
        with pytest.raises(HeadMovedError):
            table.retract()
        assert table.history.before_answer is not None
        assert [entry.kind for entry in table.refresh()] == ["wait"]
        assert table.question == other.question
        other.retract()
        table.refresh()
        assert table.question == other.question
    close(table)


def retract_killed(path: Path, statement: int) -> None:
    with BattleFile(path) as file:
        table = Battle.open(file, GAME, Answers(Seed(7)))
        left = [statement]

        def counting(_: str) -> None:
            left[0] -= 1
            if left[0] == 0:
                kill_self()

        file._connection.set_trace_callback(counting)
        table.retract()


@needs_fork
@forks
def test_a_kill_at_each_statement_leaves_the_answer_or_takes_it_back(tmp_path: Path) -> None:
    path = tmp_path / "fight.battle"
    table = hearing(path)
    table.answer("yes")
    close(table)
    kills = 0
    while in_child(partial(retract_killed, path, kills + 1)) == -signal.SIGKILL:
        kills += 1
        with BattleFile(path) as file:
            assert [entry.kind for entry in file.entries()] == ["start", "wait", "wait"]
    assert kills >= 3
    with BattleFile(path) as file:
        assert [entry.kind for entry in file.entries()][3:] == ["retract"]


class Hearing(RuleBasedStateMachine):
    """Any sequence of answers and retractions against a plain list of the answers that stand."""

    @initialize()
    def begins(self) -> None:
        self.folder = Path(tempfile.mkdtemp())
        self.path = self.folder / "fight.battle"
        self.table = hearing(self.path)
        self.given: list[bool] = []
        self.seen: dict[tuple[bool, ...], object] = {}

    def teardown(self) -> None:
        if hasattr(self, "folder"):
            assert replay(self.table.history.entries, GAME).hash == self.table.state.digest
            close(self.table)
            shutil.rmtree(self.folder)

    @precondition(lambda self: len(self.given) < len(HEARING))
    @rule(yes=st.booleans())
    def answers(self, yes: bool) -> None:
        self.table.answer("yes" if yes else "no")
        self.given.append(yes)

    @rule()
    def takes_back(self) -> None:
        if self.given and len(self.given) < len(HEARING):
            self.table.retract()
            self.given.pop()
        else:  # the step has come to its end, or nobody has said anything
            with pytest.raises(RuleError):
                self.table.retract()

    @precondition(lambda self: len(self.given) < len(HEARING))
    @rule()
    def is_dropped_and_asked_again(self) -> None:
        self.table.cancel()
        self.table.act(act("hears"))
        self.given.clear()

    @rule()
    def is_left_and_opened_again(self) -> None:
        close(self.table)
        self.table = Battle.open(BattleFile(self.path), GAME, Answers(Seed(7)))

    @invariant()
    def what_stands_is_what_was_not_taken_back(self) -> None:
        if len(self.given) == len(HEARING):
            assert heard(self.table) == self.given
            return
        waiting = self.table.history.waiting
        assert waiting is not None
        answers = [taped.answer for taped in waiting.tape]
        assert answers[1::2] == [(0 if yes else 1,) for yes in self.given]
        # The same answers see the same dice, whatever was said between and taken back.
        assert self.seen.setdefault(tuple(self.given), answers) == answers
        assert str(self.table.question).startswith(HEARING[len(self.given)])
        with BattleFile(self.path) as file:
            reread = History.of(file.entries())
        assert reread.waiting is not None
        assert [taped.digest for taped in reread.waiting.tape] == [taped.digest for taped in waiting.tape]


TestHearing = Hearing.TestCase
TestHearing.settings = settings(max_examples=40, stateful_step_count=20, deadline=None)
