"""The stored list of disabled plugins: a text file with one name a line, easy to mend by hand."""

# Strings for paths: pathlib is one of the imports that a quick listing does without.
# ruff: noqa: PTH103, PTH105, PTH110, PTH118, PTH120, PTH123
from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import BinaryIO

from rallypoint.kernel.errors import InputError

from .folders import config_folder
from .parts import clear_parts, part_name

__all__ = ["change_disabled", "disabled_file", "read_disabled"]

_HEAD = "# Plugins that are switched off; see rallypoint plugin --help\n"
_PATIENCE = 10.0
"""Seconds to wait for another process; changing the list takes thousandths of one."""


def disabled_file() -> str:
    """Return the path of the list."""
    return os.path.join(config_folder(), "disabled-plugins.txt")


def read_disabled() -> frozenset[str]:
    """Return the names on the list; none when it cannot be read."""
    try:
        with open(disabled_file(), encoding="utf-8", errors="replace") as stream:
            lines = [line.strip() for line in stream]
    except OSError:
        return frozenset()
    return frozenset(line for line in lines if line and not line.startswith("#"))


def change_disabled(change: Callable[[frozenset[str]], frozenset[str]]) -> bool:
    """Change the list, and say whether that made a difference.

    Between reading and writing no other process changes it: the lock is the system's, so it ends with its process.

    Args:
        change: returns the new names for the old ones.

    Raises:
        InputError: the list cannot be read or written, or another process holds it for long; it is left as it was.
    """
    file = disabled_file()
    old = read_disabled()
    if change(old) == old:  # so that what is refused, or changes nothing, leaves no file
        return False
    try:
        os.makedirs(os.path.dirname(file), exist_ok=True)
        with open(f"{file}.lock", "ab") as stream, _locked(stream):
            if os.path.exists(file):
                with open(file, "rb"):  # a list that cannot be read must not be taken for an empty one
                    pass
            old = read_disabled()
            new = change(old)
            if new != old:
                _write(file, new)
    except OSError as error:
        raise InputError("the list of disabled plugins cannot be written", path=file, found=error.strerror) from None
    return new != old


def _write(file: str, names: Iterable[str]) -> None:
    folder = os.path.dirname(file)
    clear_parts(folder)
    part = os.path.join(folder, part_name(0))
    with open(part, "w", encoding="utf-8") as stream:
        stream.write(_HEAD + "".join(f"{name}\n" for name in sorted(names)))
    os.replace(part, file)


@contextmanager
def _locked(stream: BinaryIO) -> Iterator[None]:
    """Hold a file against other processes.

    Raises:
        InputError: another one holds it for ten seconds.
    """
    end = time.monotonic() + _PATIENCE
    while not _taken(stream):
        if time.monotonic() > end:
            hint = "wait until it is done, and try again"
            raise InputError("another process changes the list of disabled plugins", path=stream.name, hint=hint)
        time.sleep(0.01)
    yield  # closing the file gives it back


def _taken(stream: BinaryIO) -> bool:
    try:
        if sys.platform == "win32":
            import msvcrt

            stream.seek(0)
            msvcrt.locking(stream.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    return True
