"""Many processes at one battle: all entries land, and whoever comes second is told what came between."""

from __future__ import annotations

import os
import sqlite3
from functools import partial
from pathlib import Path

import pytest

from rallypoint.kernel.answers import Answers, Seed
from rallypoint.kernel.battle import Battle
from rallypoint.kernel.battle_file import BattleFile
from rallypoint.kernel.changes import SetTracker
from rallypoint.kernel.errors import BattleFileError, HeadMovedError
from rallypoint.kernel.history import Entry
from rallypoint.kernel.replay import replay

from .duel import SIDES, Duel, act, battle, close
from .processes import ended, fork, forks, needs_fork


def opened(path: Path, **more: float) -> Battle[None]:
    return Battle.open(BattleFile(path, **more), Duel(), Answers(Seed(7)))


@needs_fork
@forks
@pytest.mark.parametrize("count", [2, 4])
def test_processes_that_try_again_lose_nothing(tmp_path: Path, count: int) -> None:
    path = tmp_path / "fight.battle"
    first = battle(path=path)
    first.act(act("rolls", "red"))
    close(first)
    each = 40 // count
    gate, opening_gate = os.pipe()

    def wounds(who: str) -> None:
        table = opened(path, wait=60.0)
        os.read(gate, 1)
        for _ in range(each):
            while True:
                try:
                    value = table.state[who].value("Wounds") + 1
                    table.edit(f"process {os.getpid()}", SetTracker(who, "Wounds", value))
                    break
                except HeadMovedError as error:
                    if not len(table.refresh()) >= len(error.between) > 0:
                        raise

    pids = [fork(partial(wounds, SIDES[number % 2])) for number in range(count)]
    os.write(opening_gate, b"!" * count)
    assert [ended(pid) for pid in pids] == [0] * count
    os.close(gate)
    os.close(opening_gate)
    table = opened(path)
    assert [entry.number for entry in table.history.entries] == list(range(2 + 40))
    assert (table.state["red"].value("Wounds"), table.state["blue"].value("Wounds")) == (20, 20)
    makers = [entry.body["who"] for entry in table.history.entries[2:]]
    assert sorted(makers.count(f"process {pid}") for pid in pids) == [each] * count
    assert replay(table.history.entries, Duel()).hash == table.state.digest


def test_the_loser_is_told_what_came_between_and_nothing_was_written(tmp_path: Path) -> None:
    path = tmp_path / "fight.battle"
    first = battle(path=path)
    second = opened(path)
    first.act(act("rolls", "red"))
    first.undo()
    first.edit("referee", SetTracker("red", "Wounds", 1))
    before = second.state
    with pytest.raises(HeadMovedError, match=r"entry 3 at the head \(step, undo, edit\); expected: entry 0") as caught:
        second.act(act("rolls", "blue"))
    assert caught.value.between == ("step", "undo", "edit")
    assert caught.value.where == str(path)
    assert second.state == before
    assert second.history.head == 0
    assert [entry.kind for entry in second.refresh()] == ["step", "undo", "edit"]
    assert second.state == first.state
    assert second.refresh() == ()
    second.act(act("rolls", "blue"))
    assert opened(path).state == second.state


def test_a_question_of_another_process_is_seen_and_can_be_answered(tmp_path: Path) -> None:
    path = tmp_path / "fight.battle"
    first = battle(path=path)
    second = opened(path)
    first.act(act("parleys"))
    first.answer("no", ask=1)
    second.refresh()
    assert second.question == first.question is not None
    second.answer("yes", ask=0)
    assert [entry.kind for entry in first.refresh()] == ["step"]
    assert first.state["table"].attributes["parley"] == (True, False)


def test_an_entry_must_follow_the_head_without_a_gap(tmp_path: Path) -> None:
    path = tmp_path / "fight.battle"
    table = battle(path=path)
    early = Entry(5, "undo", "[]", "{}", "")
    with BattleFile(path) as file:
        with pytest.raises(BattleFileError, match="put back to an earlier state"):
            file.append(early)
        assert len(file.entries()) == 1
    table.act(act("rolls", "red"))
    assert [entry.number for entry in opened(path).history.entries] == [0, 1]


def test_a_part_of_the_log_can_be_read(tmp_path: Path) -> None:
    path = tmp_path / "fight.battle"
    table = battle(path=path)
    for _ in range(3):
        table.act(act("rolls", "red"))
    with BattleFile(path) as file:
        assert [entry.number for entry in file.entries(2)] == [2, 3]
        assert file.entries(4) == []


# A writer that holds the file


def held(path: Path) -> sqlite3.Connection:
    """Hold the file as a writer in the midst of an append does."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("BEGIN IMMEDIATE")
    return connection


def test_a_file_that_another_writes_to_for_long_is_a_clear_error(tmp_path: Path) -> None:
    path = tmp_path / "fight.battle"
    battle(path=path)
    table = opened(path, wait=0.05)
    other = held(path)
    with pytest.raises(BattleFileError, match="cannot write to the battle file; found: database is locked") as caught:
        table.act(act("rolls", "red"))
    assert caught.value.hint == "another process is writing for a long time; try again"
    assert len(opened(path).history.entries) == 1  # it can still be read
    other.execute("ROLLBACK")
    other.close()
    table.act(act("rolls", "red"))
    assert len(opened(path).history.entries) == 2


@needs_fork
@forks
def test_a_writer_waits_for_the_one_before_it(tmp_path: Path) -> None:
    path = tmp_path / "fight.battle"
    close(battle(path=path))
    reading, writing = os.pipe()
    gate, opening_gate = os.pipe()

    def appends() -> None:
        os.read(gate, 1)
        table = opened(path, wait=60.0)
        os.write(writing, b"!")
        table.act(act("rolls", "red"))

    pid = fork(appends)  # before this process holds the file: SQLite's locks do not survive a fork
    other = held(path)
    os.write(opening_gate, b"!")
    assert os.read(reading, 1) == b"!"
    assert os.waitpid(pid, os.WNOHANG) == (0, 0)
    other.execute("ROLLBACK")
    other.close()
    assert ended(pid) == 0
    for end in (reading, writing, gate, opening_gate):
        os.close(end)
    assert len(opened(path).history.entries) == 2
