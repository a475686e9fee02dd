"""Writing files: all of them or none."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from rallypoint.cli.writing import check_names, others_in, write_files
from rallypoint.kernel.errors import InputError, PluginError

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
