"""Writing files: all of them or none."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from rallypoint.cli import writing
from rallypoint.cli.parts import is_part
from rallypoint.cli.writing import check_names, check_owned, others_in, taken_away, write_files
from rallypoint.kernel.errors import InputError, PluginError

from ..plugins.distributions import ROOT

needs_links = pytest.mark.skipif(sys.platform == "win32", reason="links and rights are other things there")
needs_kill = pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system has no such signal")

FILES = {"a.txt": b"A", "b/c.txt": b"C", "b/d/e.txt": b"E"}


def tree(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_files_are_written_into_a_new_folder_and_over_old_ones(tmp_path: Path) -> None:
    out = tmp_path / "x" / "out"
    write_files(out, FILES)
    assert tree(out) == FILES
    write_files(out, {"a.txt": b"AA"})
    assert tree(out) == {**FILES, "a.txt": b"AA"}


@pytest.mark.parametrize("at", [1, 2, 3])
def test_a_full_disk_leaves_the_old_files_and_no_trace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at: int
) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "a.txt").write_bytes(b"old")
    synced = 0

    def full(_descriptor: int) -> None:
        nonlocal synced
        synced += 1
        if synced == at:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(InputError, match="the files cannot be written; found: No space left on device") as caught:
        write_files(out, FILES)
    assert caught.value.exit_status == 2
    assert tree(out) == {"a.txt": b"old"}
    assert not (out / "b").exists()


@pytest.mark.parametrize("at", [1, 2, 3])
def test_a_rename_that_fails_takes_the_others_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at: int) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "a.txt").write_bytes(b"old")
    replace, count = Path.replace, 0

    def refuse(self: Path, target: Path) -> Path:
        nonlocal count
        count += 1
        if count == at:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(target))
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", refuse)
    with pytest.raises(InputError, match="choose a folder that you may write to"):
        write_files(out, FILES)
    assert tree(out) == {"a.txt": b"old"}
    assert not (out / "b").exists()


def test_a_folder_in_the_place_of_a_file_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "b" / "c.txt").mkdir(parents=True)
    with pytest.raises(InputError, match="cannot be written"):
        write_files(tmp_path, FILES)
    assert tree(tmp_path) == {}


def test_an_interrupt_leaves_no_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(_descriptor: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_files(tmp_path / "out", FILES)
    assert not (tmp_path / "out").exists()


def test_others_are_counted(tmp_path: Path) -> None:
    write_files(tmp_path, {**FILES, "mine.txt": b"", "b/mine.txt": b""})
    assert others_in(tmp_path, FILES) == 2
    assert others_in(tmp_path / "gone", FILES) == 0


@pytest.mark.parametrize(
    "name", ["", "/a", "a//b", "../a", "a/..", "./a", "a\\b", "c:a", "a/NUL", "com1.txt", "a*", "a\nb", "a\x00"]
)
def test_names_that_cannot_be_files(name: str) -> None:
    with pytest.raises(PluginError, match="cannot be a file"):
        check_names("cards", {"good.txt": b"", name: b""})


def test_good_names_pass() -> None:
    check_names("cards", {"a.txt": b"", "b/a.txt": b"", "console.txt": b"", "Żółw 1.json": b""})


@pytest.mark.parametrize(
    "name", ["a.", "a ", "b./c", "b /c", "con .txt", "CONIN$", "com\u00b9.txt", "x" * 256, "\u017c" * 128]
)
def test_names_that_another_system_would_change(name: str) -> None:
    with pytest.raises(PluginError, match="cannot be a file"):
        check_names("cards", {name: b""})


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("List.txt", "LIST.txt"),
        ("\u00e9.txt", "e\u0301.txt"),
        ("\u00c9.txt", "e\u0301.txt"),
        ("stra\u00dfe", "STRASSE"),
    ],
)
def test_two_names_for_one_file(one: str, other: str) -> None:
    with pytest.raises(PluginError, match="two names for one file") as caught:
        check_names("cards", {one: b"", other: b""})
    assert caught.value.found == f"{one}, {other}"


def test_two_names_for_one_folder_and_one_name_for_both() -> None:
    with pytest.raises(PluginError, match="two names for one folder"):
        check_names("cards", {"Maps/a": b"", "maps/b": b""})
    with pytest.raises(PluginError, match="a file and a folder of one name"):
        check_names("cards", {"maps": b"", "maps/b": b""})


@pytest.mark.parametrize("folder", ["", ".", "..", "../x", "/", "/etc", "a/../..", "C:", "a//b", "a\\..\\b"])
def test_an_owned_folder_lies_inside(folder: str) -> None:
    with pytest.raises(PluginError, match="owns what cannot be a folder of its own"):
        check_owned("cards", [folder], ["a/CURRENT", "x"])


def test_an_owned_folder_is_filled() -> None:
    check_owned("cards", ["a/b"], ["a/b/CURRENT"])
    with pytest.raises(PluginError, match="owns a folder that it puts nothing into; found: 'a'; expected: a/b"):
        check_owned("cards", ["a"], ["a/b/CURRENT"])


DATABASE = {"p/CURRENT": b"MANIFEST-000002\n", "p/MANIFEST-000002": b"", "p/000005.ldb": b""}


def test_only_what_a_database_left_is_taken_away(tmp_path: Path) -> None:
    old = {
        "p/CURRENT": b"old",
        "p/000009.log": b"",
        "p/LOG": b"",
        "p/LOG.old": b"",
        "p/MANIFEST-000008": b"",
        "p/LOCK": b"",
    }
    mine = {"p/notes.txt": b"mine", "p/log": b"mine", "p/5.ldb": b"mine", "p/deep/000001.log": b"mine", "LOG": b"mine"}
    write_files(tmp_path, {**old, **mine})
    gone = ["p/000009.log", "p/LOCK", "p/LOG", "p/LOG.old", "p/MANIFEST-000008"]
    assert taken_away(tmp_path, DATABASE, ["p"]) == gone
    assert others_in(tmp_path, DATABASE, ["p"]) == 5
    write_files(tmp_path, DATABASE, ["p"])
    assert tree(tmp_path) == {**DATABASE, **mine}


def test_a_folder_without_a_database_loses_nothing(tmp_path: Path) -> None:
    write_files(tmp_path, {"p/000001.log": b"mine", "p/LOG": b"mine"})
    assert taken_away(tmp_path, DATABASE, ["p"]) == []
    write_files(tmp_path, DATABASE, ["p"])
    assert tree(tmp_path) == {**DATABASE, "p/000001.log": b"mine", "p/LOG": b"mine"}


@needs_links
def test_an_owned_folder_behind_a_link_is_refused(tmp_path: Path) -> None:
    write_files(tmp_path / "elsewhere", {"CURRENT": b"", "000001.log": b"mine"})
    (tmp_path / "out").mkdir()
    (tmp_path / "out/p").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(InputError, match="a link leads out of the folder of this export"):
        write_files(tmp_path / "out", DATABASE, ["p"])
    assert tree(tmp_path / "elsewhere") == {"CURRENT": b"", "000001.log": b"mine"}


# What a killed run leaves

KILLED = """
import os, signal, sys
from pathlib import Path
from rallypoint.cli.writing import write_files

when, count, replace, fsync = int(sys.argv[2]), 0, Path.replace, os.fsync

def dying_early(descriptor):
    global when
    when += 1
    if when == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    fsync(descriptor)

def dying(self, target):
    global count
    count += 1
    if count == when:
        os.kill(os.getpid(), signal.SIGKILL)
    return replace(self, target)

Path.replace = dying
if when < 0:
    os.fsync = dying_early
files = {f"{folder}/{name}": b"new" for folder in ("", "a", "b") for name in "xyz"}
files = {name.lstrip("/"): content for name, content in files.items()}
write_files(Path(sys.argv[1]), {**files, "p/CURRENT": b"new"}, ["p"])
"""
NINE = dict.fromkeys(["x", "y", "z", "a/x", "a/y", "a/z", "b/x", "b/y", "b/z", "p/CURRENT"], b"new")
OLD = dict.fromkeys([*NINE, "p/LOG"], b"old")


def killed(out: Path, when: int) -> None:
    env = {**os.environ, "PYTHONPATH": str(ROOT / "core")}
    done = subprocess.run([sys.executable, "-c", KILLED, str(out), str(when)], env=env, check=False)
    assert done.returncode == -signal.SIGKILL


@needs_kill
@pytest.mark.parametrize("when", [-1, -5, -11, 1, 2, 5, 10])
def test_the_next_run_finishes_what_a_killed_one_began(tmp_path: Path, when: int) -> None:
    write_files(tmp_path, OLD)
    killed(tmp_path, when)  # below 0: while that file is written, the journal is the 11th; above: before that rename
    mixed = tree(tmp_path)
    assert sum(is_part(name.rpartition("/")[2]) for name in mixed) > 0
    assert [mixed[name] for name in NINE].count(b"new") == max(0, when - 1)
    write_files(tmp_path, {"x": b"newest", "a/x": b"newest", "b/x": b"newest", "p/mine": b"newest"})
    found = tree(tmp_path)
    if -11 < when < 0:  # there is no journal yet, so the old files hold
        assert found == {**OLD, "x": b"newest", "a/x": b"newest", "b/x": b"newest", "p/mine": b"newest"}
    else:
        assert found == {**NINE, "x": b"newest", "a/x": b"newest", "b/x": b"newest", "p/mine": b"newest"}


def test_unfinished_files_of_others_and_of_running_processes_stay(tmp_path: Path) -> None:
    theirs = [".list.txt.123.part", "song.part", ".rallypoint-x-1.part", f".rallypoint-{os.getppid()}-1.part"]
    for name in theirs:
        (tmp_path / name).write_bytes(b"x")
    write_files(tmp_path, {"a": b"", "b": b""})
    assert sorted(tree(tmp_path)) == sorted([*theirs, "a", "b"])


def test_unfinished_files_of_a_day_ago_go(tmp_path: Path) -> None:
    part = tmp_path / f".rallypoint-{os.getppid()}-1.part"  # a running process has this number by now
    part.write_bytes(b"x")
    os.utime(part, (0, 0))
    write_files(tmp_path, {"a": b""})
    assert sorted(tree(tmp_path)) == ["a"]


@pytest.mark.parametrize(
    "journal",
    [
        b"",
        b"[]",
        b'{"what": "rallypoint export, to be finished"',
        b'{"what": "rallypoint export, to be finished", "moves": {"../x": ".rallypoint-1-1.part"}, "gone": []}',
        b'{"what": "rallypoint export, to be finished", "moves": {"x": "mine"}, "gone": ["x"]}',
        b'{"what": "rallypoint export, to be finished", "moves": [], "gone": ["../out/LOG"]}',
        b'{"what": "rallypoint export, to be finished", "moves": {"x": 5}, "gone": 7}',
    ],
)
def test_a_journal_that_is_none_of_ours_does_nothing(tmp_path: Path, journal: bytes) -> None:
    out = tmp_path / "out"
    write_files(out, {"x": b"x", "mine": b"mine", "LOG": b"mine"})
    (out / ".rallypoint-4194399-9.part").write_bytes(journal)
    (out / ".rallypoint-4194399-1.part").write_bytes(b"planted")
    (tmp_path / ".rallypoint-1-1.part").write_bytes(b"planted")
    write_files(out, {"a": b"a"})
    assert tree(out) == {"x": b"x", "mine": b"mine", "LOG": b"mine", "a": b"a"}
    assert not (tmp_path / "x").exists()


def test_one_file_needs_no_journal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    replace, moved = Path.replace, []

    def seen(self: Path, target: Path) -> Path:
        moved.append(target.name)
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", seen)
    write_files(tmp_path, {"a": b"a"})
    assert moved == ["a"]


# Links, rights, odd folders


@needs_links
def test_a_link_is_written_through_where_that_is_asked_for(tmp_path: Path) -> None:
    real = tmp_path / "real" / "roster.toml"
    write_files(real.parent, {real.name: b"old"})
    link = tmp_path / "roster.toml"
    link.symlink_to("real/roster.toml")
    write_files(tmp_path, {"roster.toml": b"new"}, through_links=True)
    assert (link.is_symlink(), real.read_bytes()) == (True, b"new")
    write_files(tmp_path, {"roster.toml": b"newer"})  # an export puts its own file there, and leaves the other alone
    assert (link.is_symlink(), real.read_bytes(), link.read_bytes()) == (False, b"new", b"newer")


@needs_links
def test_a_link_is_there_again_when_a_rename_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a").symlink_to("nowhere")
    replace = Path.replace

    def refuse(self: Path, target: Path) -> Path:
        if target.name == "b":
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(target))
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", refuse)
    with pytest.raises(InputError):
        write_files(tmp_path, {"a": b"a", "b": b"b"})
    assert str((tmp_path / "a").readlink()) == "nowhere"
    assert [each.name for each in tmp_path.iterdir()] == ["a"]


@needs_links
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o755])
def test_a_file_keeps_its_rights(tmp_path: Path, mode: int) -> None:
    (tmp_path / "a").write_bytes(b"old")
    (tmp_path / "a").chmod(mode)
    write_files(tmp_path, {"a": b"new"})
    assert ((tmp_path / "a").stat().st_mode & 0o777, (tmp_path / "a").read_bytes()) == (mode, b"new")


def test_a_name_that_is_too_long_says_so(tmp_path: Path) -> None:
    assert others_in(tmp_path / ("x" * 300), FILES) == 0
    with pytest.raises(InputError, match="choose a shorter name with -o"):
        write_files(tmp_path / ("x" * 300), FILES)


def test_counting_ends_at_a_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writing, "MOST_COUNTED", 3)
    for number in range(9):
        (tmp_path / str(number)).write_bytes(b"")
    assert others_in(tmp_path, {}) == 3


def test_a_full_disk_names_the_file_that_was_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError) as caught:
        write_files(Path(), {"card.html": b"A"})
    assert str(caught.value).startswith("card.html: the files cannot be written; found: No space left on device")
