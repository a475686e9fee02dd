"""Writing a set of files: all of them or none, and never over anything that is not meant."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath

from rallypoint.kernel.errors import InputError, RemoteError

from .file_names import check_names, check_owned, is_database_file
from .journal import finish_others, keep_journal
from .parts import clear_parts, is_part, part_name

__all__ = ["MOST_COUNTED", "check_names", "check_owned", "left_alone", "others_in", "taken_away", "write_files"]

MOST_COUNTED = 10_000
"""So many entries of a folder are looked at to count the files of others; a home or a whole disk is not gone through."""


def others_in(out: Path, files: Mapping[str, bytes], owns: Sequence[str] = ()) -> int:
    """Return how many files :func:`left_alone` names."""
    return len(left_alone(out, files, owns))


def left_alone(out: Path, files: Mapping[str, bytes], owns: Sequence[str] = ()) -> list[str]:
    """Return the names of the files that lie in ``out`` and are neither among ``files`` nor taken away.

    At most :data:`MOST_COUNTED` entries are looked at; what cannot be looked into is not there.
    """
    gone = {*taken_away(out, files, owns), *files}
    found: list[str] = []
    seen = 0
    folders = [""]
    for folder in folders:  # the list grows while it is gone through
        try:
            entries = os.scandir(out / folder)
        except (OSError, ValueError):
            continue
        with entries:
            for entry in entries:
                seen += 1
                if seen > MOST_COUNTED:
                    return sorted(found)
                name = f"{folder}/{entry.name}" if folder else entry.name
                with contextlib.suppress(OSError):
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(name)
                    elif entry.is_file() and name not in gone and not is_part(entry.name):
                        found.append(name)
    return sorted(found)


def taken_away(out: Path, files: Mapping[str, bytes], owns: Sequence[str] = ()) -> list[str]:
    """Return the names of the files that go when ``files`` are written: what the last database left in an owned folder.

    Only what is called as a database calls its files, in a folder that holds one, goes; anything else that somebody put
    there stays.
    """
    found = []
    for folder in owns:
        try:
            present = sorted(each.name for each in os.scandir(out / folder) if each.is_file(follow_symlinks=False))
        except (OSError, ValueError):
            continue
        if any(name in ("CURRENT", "LOCK") or name.startswith("MANIFEST-") for name in present):
            names = [f"{folder}/{name}" for name in present if is_database_file(name)]
            found += [name for name in names if name not in files]
    return found


def _refuse_open(out: Path, owns: Sequence[str]) -> None:
    """Make sure that no program holds an owned folder.

    Raises:
        InputError: such a folder is reached through a link that leads outside: nothing is taken away there.
        RemoteError: one holds the ``LOCK`` of such a folder.
    """
    for folder in owns:
        if not Path(os.path.realpath(out / folder)).is_relative_to(os.path.realpath(out)):
            hint = "nothing was changed; take the link away, or name the folder that it leads to with -o"
            raise InputError("a link leads out of the folder of this export", path=str(out / folder), hint=hint)
        lock = out / folder / "LOCK"
        if _held(lock):
            hint = "nothing was changed; close what has it open (in Foundry: the world), and try again"
            raise RemoteError(
                "this folder is open in another program", where=str(lock.parent), found="a held LOCK", hint=hint
            )


def _held(lock: Path) -> bool:
    """Say whether a program holds the lock of a LevelDB folder: asked as that library asks, and given back at once."""
    if not lock.is_file():
        return False
    try:
        with lock.open("r+b") as stream:
            if sys.platform != "win32":
                import fcntl

                fcntl.lockf(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return True
    return False


def write_files(
    out: Path, files: Mapping[str, bytes], owns: Sequence[str] = (), *, through_links: bool = False
) -> None:
    """Write the files into the folder ``out``, which is made if need be.

    Each is first written whole beside its target and flushed; only when all are there they take their places. A run that
    is ended in between by a signal it can see puts everything back; one that is killed leaves a journal, and the next run
    into that folder finishes what it says. What a killed run left unfinished is cleared away.

    Args:
        out: the folder.
        files: content by path inside it, with forward slashes.
        owns: folders inside it that hold these files alone: see :func:`taken_away`.
        through_links: write to where a link leads instead of putting a file in its place.

    Raises:
        InputError: ``out`` or a target cannot be written; what was there before still is.
        RemoteError: an owned folder is open in another program; nothing was touched.
    """
    made: list[Path] = []
    parts: list[tuple[Path, Path]] = []
    journal: Path | None = None
    try:
        _refuse_open(out, owns)
        finish_others(out)
        gone = taken_away(out, files, owns)
        _make_folder(out, made)
        moves: dict[str, str] = {}
        for number, (name, content) in enumerate(files.items()):
            target = _target(out, name, through_links=through_links)
            _make_folder(target.parent, made)
            if target.is_dir():
                raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(target))
            moves[name] = part_name(number)
            part = target.with_name(moves[name])
            parts.append((part, target))
            _write(part, content, target)
        if len(moves) + len(gone) > 1:  # one rename is whole by itself
            journal = keep_journal(out, moves, gone)
        _take_places(parts, [out / name for name in gone], journal)
    except BaseException as error:
        _clean_up(parts, made, journal)
        if isinstance(error, OSError):
            raise _refused(out, error) from error
        raise
    _clean_up([], [], journal)
    for folder in {str(target.parent) for _, target in parts}:
        clear_parts(folder)


def _target(out: Path, name: str, *, through_links: bool) -> Path:
    target = out.joinpath(*PurePosixPath(name).parts)
    return Path(os.path.realpath(target)) if through_links and target.is_symlink() else target


def _make_folder(folder: Path, made: list[Path]) -> None:
    """Make the folder with its parents and note which are new."""
    missing = []
    step = folder
    while not step.exists():
        missing.append(step)
        step = step.parent
    folder.mkdir(parents=True, exist_ok=True)
    made += reversed(missing)


def _write(part: Path, content: bytes, target: Path) -> None:
    """Write a file beside its target, with the rights that this one has."""
    try:
        with part.open("wb") as stream:
            stream.write(content)
            stream.flush()
            if target.is_file() and not target.is_symlink():
                part.chmod(stat.S_IMODE(target.stat().st_mode))
            os.fsync(stream.fileno())
    except OSError as error:
        error.filename = error.filename or str(target)  # a full disk does not say for which file
        raise


def _take_places(parts: list[tuple[Path, Path]], stale: list[Path], journal: Path | None) -> None:
    """Rename all and take away the stale; when one cannot be, put the old content of those already touched back."""
    done: list[tuple[Path, bytes | str | None]] = []
    try:
        for part, target in parts:
            done.append((target, _content(target)))
            part.replace(target)
        for target in stale:
            done.append((target, _content(target)))
            target.unlink()
    except BaseException:
        if journal is not None:
            journal.unlink(missing_ok=True)
        for target, old in reversed(done):
            if _content(target) != old:
                _restore(target, old)
        raise


def _content(target: Path) -> bytes | str | None:
    """Return what a file holds, where a link leads to (a text), or ``None`` where there is nothing."""
    if target.is_symlink():
        return str(target.readlink())
    return target.read_bytes() if target.exists() else None


def _restore(target: Path, old: bytes | str | None) -> None:
    if isinstance(old, bytes):
        target.write_bytes(old)
        return
    target.unlink(missing_ok=True)
    if old is not None:
        target.symlink_to(old)


def _clean_up(parts: list[tuple[Path, Path]], made: list[Path], journal: Path | None) -> None:
    with contextlib.suppress(OSError):
        if journal is not None:
            journal.unlink(missing_ok=True)
        for part, _ in parts:
            part.unlink(missing_ok=True)
        for folder in reversed(made):
            folder.rmdir()


def _refused(out: Path, error: OSError) -> InputError:
    path = error.filename if isinstance(error.filename, str) else str(out)
    if isinstance(error, (NotADirectoryError, FileExistsError)):
        return InputError("the output must be a folder", path=str(out), found="a file on the way", expected="-o FOLDER")
    hint = "nothing was changed; free some space or choose another folder with -o"
    if isinstance(error, PermissionError):
        hint = "nothing was changed; choose a folder that you may write to with -o"
    if error.errno == errno.ENAMETOOLONG:
        hint = "nothing was changed; choose a shorter name with -o"
    if error.errno == errno.ELOOP:
        hint = "nothing was changed; this link leads back to itself"
    return InputError("the files cannot be written", path=path, found=error.strerror or str(error), hint=hint)
