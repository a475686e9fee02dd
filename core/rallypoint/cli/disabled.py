"""The stored list of disabled plugins: a text file with one name a line, easy to mend by hand."""

# Strings for paths: pathlib is one of the imports that a quick listing does without.
# ruff: noqa: PTH103, PTH105, PTH118, PTH120, PTH123
from __future__ import annotations

import os
from collections.abc import Iterable

from rallypoint.kernel.errors import InputError

from .folders import config_folder

__all__ = ["disabled_file", "read_disabled", "write_disabled"]

_HEAD = "# Plugins that are switched off; see rallypoint plugin --help\n"


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


def write_disabled(names: Iterable[str]) -> None:
    """Store the list.

    Raises:
        InputError: the folder cannot be written; the old list is left as it was.
    """
    file = disabled_file()
    part = f"{file}.{os.getpid()}.part"
    try:
        os.makedirs(os.path.dirname(file), exist_ok=True)
        with open(part, "w", encoding="utf-8") as stream:
            stream.write(_HEAD + "".join(f"{name}\n" for name in sorted(names)))
        os.replace(part, file)
    except OSError as error:
        raise InputError("the list of disabled plugins cannot be written", path=file, found=error.strerror) from None
