"""A battle file on a bad day: full disk, no permission, damaged, of another kind, under an odd name."""

from __future__ import annotations

import os
import random
import shutil
import signal
import sqlite3
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from rallypoint.kernel.answers import Answers, Seed
from rallypoint.kernel.battle import Battle
from rallypoint.kernel.battle_file import APPLICATION, BattleFile
from rallypoint.kernel.changes import SetAttribute
from rallypoint.kernel.errors import BattleFileError
from rallypoint.kernel.history import Entry, History

from .duel import Duel, act, battle, close
from .processes import forks, in_child, needs_fork

LARGE = "x" * 40_000
NOBODY = 65534


def made(path: Path, acts: int = 3) -> list[Entry]:
    table = battle(path=path)
    for _ in range(acts):
        table.act(act("strikes", "red", "blue"))
    close(table)
    return table.history.entries


def opened(path: Path) -> Battle[None]:
    return Battle.open(BattleFile(path), Duel(), Answers(Seed(7)))


def read(path: Path) -> list[tuple[int, str, str, str, str]]:
    with BattleFile(path) as file:
        entries = file.entries()
    History.of(entries)
    return [(e.number, e.kind, e.changes_text, e.body_text, e.hash) for e in entries]


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


# A full disk


def limited(size: int) -> None:
    """Let no file of this process grow beyond ``size``; the write fails instead of ending the process."""
    import resource

    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


def refused(call: Callable[[], object], hint: str) -> None:
    """Say with an exception when ``call`` is not refused as it should be."""
    with pytest.raises(BattleFileError) as caught:
        call()
    assert hint in str(caught.value.hint)
    assert caught.value.exit_status == 2


@needs_fork
@forks
@pytest.mark.parametrize("size", [0, 100, 512, 4096, 8720, 12288, 20480])
def test_no_room_for_an_entry_is_a_clear_error_and_the_old_log_is_whole(tmp_path: Path, size: int) -> None:
    path = tmp_path / "fight.battle"
    made(path)
    before = read(path)

    def appends() -> None:
        table = opened(path)
        limited(size)
        state = table.state
        refused(lambda: table.edit("referee", SetAttribute("red", "note", LARGE)), "make room on the disk")
        assert table.state == state
        assert table.history.head == 3

    assert in_child(appends) == 0
    assert read(path) == before
    opened(path).edit("referee", SetAttribute("red", "note", LARGE))
    assert len(read(path)) == 5


@needs_fork
@forks
@pytest.mark.parametrize("size", [0, 512, 4096])
def test_no_room_for_a_new_file_leaves_nothing(tmp_path: Path, size: int) -> None:
    path = tmp_path / "fight.battle"

    def creates() -> None:
        limited(size)
        refused(lambda: battle(path=path), "make room on the disk")

    assert in_child(creates) == 0
    assert names(tmp_path) == []
    made(path)


def test_a_full_database_says_so_and_takes_the_entry_when_there_is_room(tmp_path: Path) -> None:
    path = tmp_path / "fight.battle"
    made(path)
    before = read(path)
    table = opened(path)
    assert isinstance(table._log, BattleFile)
    connection = table._log._connection
    (pages,) = connection.execute("PRAGMA page_count").fetchone()
    connection.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(
        BattleFileError, match="cannot write to the battle file; found: database or disk is full"
    ) as caught:
        table.edit("referee", SetAttribute("red", "note", LARGE))
    assert caught.value.hint == "make room on the disk and repeat the act"
    assert read(path) == before
    connection.execute("PRAGMA max_page_count = 100000")
    table.edit("referee", SetAttribute("red", "note", LARGE))
    assert len(read(path)) == 5


# No permission


def without_rights(call: Callable[[], None]) -> None:
    """Run ``call`` as somebody whom permissions bind: root is not bound by them."""

    def bound() -> None:
        if os.geteuid() == 0:
            os.setgroups([])
            os.setgid(NOBODY)
            os.setuid(NOBODY)
        call()

    assert in_child(bound) == 0


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that everybody may enter (the ones of a test runner are private)."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    yield folder
    folder.chmod(0o755)
    shutil.rmtree(folder)


@needs_fork
@forks
def test_a_read_only_file_can_be_read_and_not_written(open_folder: Path) -> None:
    path = open_folder / "fight.battle"
    before = made(path)
    path.chmod(0o444)
    open_folder.chmod(0o555)

    def uses() -> None:
        table = opened(path)
        assert table.state.digest == before[-1].hash
        refused(lambda: table.act(act("rolls", "red")), "check the permissions")
        assert table.history.head == 3
        assert table.refresh() == ()

    without_rights(uses)
    assert len(read(path)) == 4


@needs_fork
@forks
def test_a_read_only_folder_takes_no_entry_and_no_new_file(open_folder: Path) -> None:
    path = open_folder / "fight.battle"
    made(path)
    path.chmod(0o666)
    open_folder.chmod(0o555)

    def uses() -> None:
        table = opened(path)
        with pytest.raises(BattleFileError, match="cannot write to the battle file") as caught:
            table.act(act("rolls", "red"))
        assert "may be written" in str(caught.value.hint) or "may not be written" in str(caught.value.hint)
        assert len(opened(path).history.entries) == 4
        refused(lambda: battle(path=open_folder / "new.battle"), "check the permissions")

    without_rights(uses)
    assert len(read(path)) == 4
    assert names(open_folder) == ["fight.battle"]


@needs_fork
@forks
def test_what_may_not_be_read_is_a_clear_error(open_folder: Path) -> None:
    path = open_folder / "fight.battle"
    made(path)
    path.chmod(0o600 if os.geteuid() == 0 else 0o000)
    hidden = open_folder / "hidden"
    hidden.mkdir(mode=0o700 if os.geteuid() == 0 else 0o000)

    def uses() -> None:
        refused(lambda: BattleFile(path), "check")
        refused(lambda: BattleFile(hidden / "fight.battle"), "check")
        refused(lambda: battle(path=hidden / "fight.battle"), "check the permissions")

    without_rights(uses)


# Places where there is nothing, or something else


def test_where_there_is_no_file_nothing_is_made(tmp_path: Path) -> None:
    for path in (tmp_path / "none.battle", tmp_path, tmp_path / "no" / "folder.battle"):
        with pytest.raises(BattleFileError, match="there is no such battle file"):
            BattleFile(path)
    with pytest.raises(BattleFileError, match="cannot create the battle file") as caught:
        battle(path=tmp_path / "no" / "folder.battle")
    assert caught.value.hint == "check that the folder exists and may be written"
    assert names(tmp_path) == []


def test_what_stands_there_already_is_not_written_over(tmp_path: Path) -> None:
    path = tmp_path / "fight.battle"
    made(path)
    before = read(path)
    for taken in (path, tmp_path):
        with pytest.raises(BattleFileError, match="there is something at this path already"):
            battle(path=taken)
    assert read(path) == before
    assert names(tmp_path) == ["fight.battle"]


def test_a_file_that_came_meanwhile_is_not_written_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "fight.battle"
    path.write_text("mine")
    monkeypatch.setattr(Path, "exists", lambda _: False)
    with pytest.raises(BattleFileError, match="cannot create the battle file"):
        battle(path=path)
    monkeypatch.undo()
    assert path.read_text() == "mine"
    assert names(tmp_path) == ["fight.battle"]


def test_where_there_are_no_hard_links_the_file_is_renamed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_links(*_: object) -> None:
        raise PermissionError("no hard links here")

    monkeypatch.setattr(os, "link", no_links)
    path = tmp_path / "fight.battle"
    assert len(made(path)) == len(read(path)) == 4
    assert names(tmp_path) == ["fight.battle"]


def test_a_name_that_is_too_long_is_a_clear_error(tmp_path: Path) -> None:
    path = tmp_path / ("x" * 300)
    with pytest.raises(BattleFileError, match="cannot create the battle file"):
        battle(path=path)
    with pytest.raises(BattleFileError):
        BattleFile(path)


ODD_NAMES = [
    "my fight.battle",
    "100%25.battle",
    "what?.battle",
    "a#b.battle",
    "Müller & 鬼.battle",
    "'q\".battle",
    "-x",
]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows allows neither ? nor quotes in names")
@pytest.mark.parametrize("name", ODD_NAMES)
def test_a_file_may_have_any_name(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / f"in {name}"
    folder.mkdir()
    monkeypatch.chdir(folder)
    assert len(made(Path(name))) == len(read(folder / name)) == 4
    opened(Path(name)).act(act("rolls", "red"))
    assert len(read(folder / name)) == 5
    assert names(folder) == [name]


@pytest.mark.parametrize("text", ["a title \udcff with half a letter", "\ud800"])
def test_text_that_cannot_be_kept_is_a_clear_error(tmp_path: Path, text: str) -> None:
    path = tmp_path / "fight.battle"
    with pytest.raises(BattleFileError):
        battle(path=path, title=text)
    assert names(tmp_path) == []
    made(path)
    with pytest.raises(BattleFileError):
        opened(path).edit("referee", SetAttribute("red", "note", text))
    assert len(read(path)) == 4


# Files that are no battle, or not whole


def other_database(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE log (number INTEGER)")
    connection.close()


@pytest.mark.parametrize(
    ("write", "message"),
    [
        (lambda path: path.write_bytes(b""), "this is not a battle file"),
        (lambda path: path.write_text("a platoon page\n" * 100), "cannot read the battle file"),
        (lambda path: path.write_bytes(b"\0" * 5000), "cannot read the battle file"),
        (lambda path: path.write_bytes(b"SQLite format 3\0"), "battle file"),
        (other_database, "this is not a battle file"),
    ],
)
def test_what_is_no_battle_file_is_named_and_left_alone(
    tmp_path: Path, write: Callable[[Path], object], message: str
) -> None:
    path = tmp_path / "fight.battle"
    write(path)
    before = path.read_bytes()
    with pytest.raises(BattleFileError, match=message) as caught:
        BattleFile(path)
    assert caught.value.where == str(path)
    assert path.read_bytes() == before
    path.rename(tmp_path / "moved")  # nothing holds it (which Windows would refuse)


@pytest.mark.parametrize("column", ["kind", "changes", "body", "hash"])
def test_an_entry_that_was_edited_by_hand_is_named(tmp_path: Path, column: str) -> None:
    path = tmp_path / "fight.battle"
    made(path)
    connection = sqlite3.connect(path)
    connection.execute(f"UPDATE log SET {column} = {column} || ' ' WHERE number = 2")
    connection.commit()
    connection.close()
    with pytest.raises(BattleFileError, match="entry 2: this entry is damaged") as caught:
        opened(path)
    assert "go back to a copy" in str(caught.value.hint)


def test_a_file_without_entries_has_no_beginning(tmp_path: Path) -> None:
    path = tmp_path / "fight.battle"
    made(path)
    connection = sqlite3.connect(path)
    connection.execute("DELETE FROM log")
    connection.commit()
    connection.close()
    with pytest.raises(BattleFileError, match="this log has no beginning"):
        opened(path)


@pytest.mark.parametrize("version", [0, 2, 99])
def test_a_file_of_another_version_is_refused_by_number(tmp_path: Path, version: int) -> None:
    path = tmp_path / "fight.battle"
    made(path)
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA user_version = {version}")
    connection.close()
    with pytest.raises(BattleFileError, match=f"of another version; found: {version}; expected: 1"):
        BattleFile(path)


def test_a_battle_file_without_its_table_is_a_clear_error(tmp_path: Path) -> None:
    path = tmp_path / "fight.battle"
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA application_id = {APPLICATION}")
    connection.execute("PRAGMA user_version = 1")
    connection.close()
    with pytest.raises(BattleFileError, match="something else than a log"), BattleFile(path) as file:
        file.entries()


def whole_or_refused(path: Path, log: list[tuple[int, str, str, str, str]]) -> str:
    """Open, read and fold: a clear error, or the log that was written, or the beginning of it; say which."""
    try:
        found = read(path)
        table = opened(path)
        table.history.draws(1)
        table.history.draws(99)
    except BattleFileError:
        return "refused"
    assert found == log[: len(found)] != []
    return "same" if found == log else "older"


def test_a_file_cut_off_at_any_length_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "fight.battle"
    made(path, 40)
    before, raw = read(path), path.read_bytes()
    lengths = {*range(0, 200, 7), *range(200, len(raw), 509), *range(4096, len(raw), 4096), len(raw) - 1}
    for length in sorted(lengths):
        path.write_bytes(raw[:length])
        assert whole_or_refused(path, before) == "refused", length
    path.write_bytes(raw)
    assert whole_or_refused(path, before) == "same"


@pytest.mark.parametrize("seed", range(4))
def test_a_file_with_any_byte_flipped_is_refused_or_whole(tmp_path: Path, seed: int) -> None:
    dice = random.Random(seed)
    path = tmp_path / "fight.battle"
    table = battle(path=path)
    for _ in range(4):
        table.act(act("strikes", "red", "blue"))
    table.act(act("parleys"))
    table.answer("no", ask=1)
    close(table)
    before, raw = read(path), path.read_bytes()
    text = [at for at in range(len(raw)) if raw[at]]
    seen = Counter[str]()
    for _ in range(200):
        broken = bytearray(raw)
        for _ in range(dice.choice((1, 1, 1, 5))):
            at = dice.choice(text) if dice.random() < 0.9 else dice.randrange(len(raw))
            broken[at] ^= 1 << dice.randrange(8)
        path.write_bytes(broken)
        seen[whole_or_refused(path, before)] += 1
    assert seen["refused"] > 100  # most of what is not zero says something
