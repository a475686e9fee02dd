"""SIGKILL at every write of a battle file: what is found afterwards is the old log or the new one, whole."""

from __future__ import annotations

import os
import random
import select
import signal
import sqlite3
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from rallypoint.kernel import battle_file
from rallypoint.kernel.battle_file import BattleFile
from rallypoint.kernel.changes import SetAttribute
from rallypoint.kernel.history import Entry, History

from .duel import act, battle
from .processes import can_trace, ended, fork, forks, in_child, kill_self, killed_at_call, needs_fork

pytestmark = [needs_fork, forks]


def log_of(count: int, ballast: int = 6000) -> list[Entry]:
    """A log of ``count`` entries; each is larger than a page, so that an append writes several."""
    table = battle()
    for number in range(1, count):
        if number % 2:
            table.edit("referee", SetAttribute("red", f"note {number % 5}", f"{number} " * (ballast // 2)))
        else:
            table.act(act("strikes", "red", "blue"))
    return table.history.entries


LOG = log_of(12)
SMALL = log_of(60, 2)


def written(path: Path, count: int, log: list[Entry] = LOG) -> None:
    with BattleFile.create(path, log[0]) as file:
        for entry in log[1:count]:
            file.append(entry)


def check(path: Path, old: int, new: int, log: list[Entry] = LOG) -> int:
    """The file holds ``old`` to ``new`` entries, whole: return how many."""
    with BattleFile(path) as file:
        found = file.entries()
        (sound,) = file._connection.execute("PRAGMA integrity_check").fetchone()
    assert sound == "ok"
    history = History.of(found)
    assert old <= len(found) <= new
    assert history.state.digest == found[-1].hash == log[len(found) - 1].hash
    for entry, expected in zip(found, log, strict=False):
        assert (entry.number, entry.kind, entry.hash) == (expected.number, expected.kind, expected.hash)
        assert (entry.changes_text, entry.body_text) == (expected.changes_text, expected.body_text)
    return len(found)


def check_create(path: Path) -> bool:
    """There is no file or a whole one, and what else lies there is a draft that is in nobody's way; say which."""
    made = path.exists()
    if made:
        check(path, 1, 1)
        path.unlink()
    litter = [other.name for other in path.parent.iterdir()]
    assert all(name.startswith(f".{path.name}.") for name in litter)
    written(path, 2)
    check(path, 2, 2)
    path.unlink()
    for name in litter:
        (path.parent / name).unlink()
    return made


def at_statement(number: int) -> Callable[[sqlite3.Connection], None]:
    """Kill this process when the connection begins its statement ``number``."""

    def watch(connection: sqlite3.Connection) -> None:
        left = number

        def counted(_: str) -> None:
            nonlocal left
            left -= 1
            if left == 0:
                kill_self()

        connection.set_trace_callback(counted)

    return watch


def at_instruction(number: int) -> Callable[[sqlite3.Connection], None]:
    """Kill this process after ``number`` instructions of SQLite's machine, inside a statement."""

    def watch(connection: sqlite3.Connection) -> None:
        connection.set_progress_handler(kill_self, number)

    return watch


def append_watched(path: Path, entry: Entry, watch: Callable[[sqlite3.Connection], None]) -> None:
    file = BattleFile(path)
    watch(file._connection)
    file.append(entry)


def create_watched(path: Path, watch: Callable[[sqlite3.Connection], None]) -> None:
    connect = sqlite3.connect

    def watched(*args: object, **more: object) -> sqlite3.Connection:
        connection: sqlite3.Connection = connect(*args, **more)  # type: ignore[call-overload]
        watch(connection)
        return connection

    battle_file.sqlite3.connect = watched  # type: ignore[attr-defined]
    BattleFile.create(path, LOG[0])


@pytest.mark.parametrize(("watch", "least"), [(at_statement, 3), (at_instruction, 20)])
def test_a_kill_at_each_statement_and_instruction_of_an_append(
    tmp_path: Path, watch: Callable[[int], Callable[[sqlite3.Connection], None]], least: int
) -> None:
    path = tmp_path / "fight.battle"
    written(path, 3)
    kills = 0
    while in_child(partial(append_watched, path, LOG[3], watch(kills + 1))) == -signal.SIGKILL:
        kills += 1
        check(path, 3, 3)
    assert kills >= least
    assert check(path, 4, 4) == 4


@pytest.mark.parametrize(("watch", "least"), [(at_statement, 6), (at_instruction, 20)])
def test_a_kill_at_each_statement_and_instruction_of_a_create(
    tmp_path: Path, watch: Callable[[int], Callable[[sqlite3.Connection], None]], least: int
) -> None:
    path = tmp_path / "fight.battle"
    kills = 0
    while in_child(partial(create_watched, path, watch(kills + 1))) == -signal.SIGKILL:
        kills += 1
        check_create(path)
    assert kills >= least
    check(path, 1, 1)


def test_a_kill_at_every_system_call_of_an_append(tmp_path: Path) -> None:
    if not can_trace():
        pytest.skip("this system does not let a process trace its child")
    path = tmp_path / "fight.battle"
    written(path, 3)
    kept = path.read_bytes()

    def appends() -> None:
        with BattleFile(path) as file:
            file.append(LOG[3])

    kills, landed = 0, []
    while killed_at_call(appends, kills + 1):
        kills += 1
        landed.append(check(path, 3, 4))
        path.write_bytes(kept)
        Path(f"{path}-journal").unlink(missing_ok=True)  # one that was not begun yet may stay, and takes calls to read
    assert kills >= 100
    assert set(landed) == {3, 4}
    assert sorted(landed) == landed  # there is one moment before which it is the old log and after which the new one


def test_a_kill_at_every_system_call_of_a_create(tmp_path: Path) -> None:
    if not can_trace():
        pytest.skip("this system does not let a process trace its child")
    path = tmp_path / "fight.battle"
    kills, made = 0, []
    while killed_at_call(lambda: BattleFile.create(path, LOG[0]).close(), kills + 1):
        kills += 1
        made.append(check_create(path))
    assert kills >= 100
    assert set(made) == {False, True}
    assert sorted(made) == made


@pytest.mark.parametrize("seed", range(2))
def test_a_kill_at_any_time_loses_nothing_that_was_said_to_be_written(tmp_path: Path, seed: int) -> None:
    """The child says the number of each entry after it was appended; the parent kills it after a random number of them."""
    dice = random.Random(seed)
    path = tmp_path / "fight.battle"
    for _ in range(50):
        path.unlink(missing_ok=True)
        written(path, 2, SMALL)
        reading, writing = os.pipe()

        def appends(writing: int = writing) -> None:
            with BattleFile(path) as file:
                for entry in SMALL[2:]:
                    file.append(entry)
                    os.write(writing, bytes([entry.number]))

        pid = fork(appends)
        os.close(writing)
        said = 1
        wanted = dice.randrange(2, 9)
        while said < wanted:
            said = os.read(reading, 1)[0]
        select.select([], [], [], dice.random() * 0.002)  # anywhere within the next appends
        os.kill(pid, signal.SIGKILL)
        assert ended(pid) == -signal.SIGKILL
        while rest := os.read(reading, 100):
            said = rest[-1]
        os.close(reading)
        assert check(path, said + 1, said + 2, SMALL) < len(SMALL)
