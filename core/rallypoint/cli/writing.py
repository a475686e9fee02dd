"""Writing a set of files: all of them or none, and never over anything that is not meant."""

from __future__ import annotations

import contextlib
import errno
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath

from rallypoint.kernel.errors import InputError, PluginError, RemoteError

__all__ = ["check_names", "others_in", "write_files"]

_WINDOWS_NAMES = {"con", "prn", "aux", "nul", *[f"{port}{n}" for port in ("com", "lpt") for n in range(1, 10)]}


def check_names(exporter: str, files: Mapping[str, bytes]) -> None:
    """Make sure that every name stays inside the folder and can be a file on any system.

    Raises:
        PluginError: a name is absolute, leads outside, is reserved, or two differ in capitals only.
    """
    seen: dict[str, str] = {}
    for name in files:
        parts = name.split("/")
        bad = any(
            part in ("", ".", "..") or set(part) & set('\\:*?"<>|') or part.partition(".")[0].lower() in _WINDOWS_NAMES
            for part in parts
        )
        if bad or not name.isprintable():
            raise PluginError("an exporter gave a name that cannot be a file", plugin=exporter, found=repr(name))
        other = seen.setdefault(name.casefold(), name)
        if other != name:
            raise PluginError("an exporter gave two names for one file", plugin=exporter, found=f"{other}, {name}")


def others_in(out: Path, files: Mapping[str, bytes], owns: Sequence[str] = ()) -> int:
    """Return how many files lie in ``out``, outside what the export owns, and are not among ``files``: left alone."""
    if not out.is_dir():
        return 0
    present = {each.relative_to(out).as_posix() for each in out.rglob("*") if each.is_file()}
    return len({name for name in present - set(files) if name.rpartition("/")[0] not in owns})


def _stale(out: Path, files: Mapping[str, bytes], owns: Sequence[str]) -> list[Path]:
    """Return the files in owned folders that are not among ``files``.

    Raises:
        RemoteError: a program holds the ``LOCK`` of such a folder.
    """
    found = []
    for folder in owns:
        lock = out / folder / "LOCK"
        if _held(lock):
            hint = "nothing was changed; close what has it open (in Foundry: the world), and try again"
            raise RemoteError(
                "this folder is open in another program", where=str(lock.parent), found="a held LOCK", hint=hint
            )
        present = sorted(lock.parent.iterdir()) if lock.parent.is_dir() else []
        found += [each for each in present if each.is_file() and f"{folder}/{each.name}" not in files]
    return found


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


def write_files(out: Path, files: Mapping[str, bytes], owns: Sequence[str] = ()) -> None:
    """Write the files into the folder ``out``, which is made if need be.

    Each is first written whole beside its target and flushed; only when all are there they take their places.

    Args:
        out: the folder.
        files: content by path inside it, with forward slashes.
        owns: folders inside it that hold these files alone: others there are taken away.

    Raises:
        InputError: ``out`` or a target cannot be written; what was there before still is.
        RemoteError: an owned folder is open in another program; nothing was touched.
    """
    stale = _stale(out, files, owns)
    made: list[Path] = []
    parts: list[tuple[Path, Path]] = []
    try:
        _make_folder(out, made)
        for name, content in files.items():
            target = out.joinpath(*PurePosixPath(name).parts)
            _make_folder(target.parent, made)
            if target.is_dir():
                raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(target))
            part = target.with_name(f".{target.name}.{os.getpid()}.part")
            parts.append((part, target))
            _write(part, content)
        _take_places(parts, stale)
    except BaseException as error:
        _clean_up(parts, made)
        if isinstance(error, OSError):
            raise _refused(out, error) from error
        raise


def _make_folder(folder: Path, made: list[Path]) -> None:
    """Make the folder with its parents and note which are new."""
    missing = []
    step = folder
    while not step.exists():
        missing.append(step)
        step = step.parent
    folder.mkdir(parents=True, exist_ok=True)
    made += reversed(missing)


def _write(part: Path, content: bytes) -> None:
    with part.open("wb") as stream:
        stream.write(content)
        stream.flush()
        os.fsync(stream.fileno())


def _take_places(parts: list[tuple[Path, Path]], stale: list[Path]) -> None:
    """Rename all and take away the stale; when one cannot be, put the old content of those already touched back."""
    done: list[tuple[Path, bytes | None]] = []
    try:
        for part, target in parts:
            old = target.read_bytes() if target.exists() else None
            part.replace(target)
            done.append((target, old))
        for target in stale:
            old = target.read_bytes()
            target.unlink()
            done.append((target, old))
    except BaseException:
        for target, old in reversed(done):
            if old is None:
                target.unlink(missing_ok=True)
            else:
                target.write_bytes(old)
        raise


def _clean_up(parts: list[tuple[Path, Path]], made: list[Path]) -> None:
    with contextlib.suppress(OSError):
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
    return InputError("the files cannot be written", path=path, found=error.strerror or str(error), hint=hint)
