"""Unfinished files of ours: named so that nobody else's are taken for them, and cleared when their process is gone."""

# Strings for paths: pathlib is one of the imports that a quick listing does without.
# ruff: noqa: PTH108, PTH116, PTH118, PTH208
from __future__ import annotations

import contextlib
import os
import re
import sys
import time

__all__ = ["clear_parts", "in_use", "is_part", "part_name"]

_PART = re.compile(r"\.rallypoint-([0-9]{1,10})-[0-9]{1,6}\.part")
_OLD = 86_400
"""Seconds: a number of a process is given to another one in time; what is a day old belongs to nobody any more."""


def part_name(number: int) -> str:
    """Return the name of an unfinished file of this process.

    >>> is_part(part_name(7)), is_part("music.part")
    (True, False)
    """
    return f".rallypoint-{os.getpid()}-{number}.part"


def is_part(name: str) -> bool:
    """Say whether a name is one of :func:`part_name`, of whatever process."""
    return _PART.fullmatch(name) is not None


def in_use(name: str, folder: str) -> bool:
    """Say whether the process that made an unfinished file may still be at work on it."""
    found = _PART.fullmatch(name)
    try:
        if found is None or time.time() - os.stat(os.path.join(folder, name)).st_mtime > _OLD:
            return False
    except OSError:
        return False
    process = int(found[1])
    if process == os.getpid() or sys.platform == "win32":  # where asking for a process would end it
        return True
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:
        return True  # it is somebody else's
    return True


def clear_parts(folder: str) -> None:
    """Take away the unfinished files in a folder whose processes are gone; what cannot be taken away stays."""
    try:
        names = [name for name in os.listdir(folder) if is_part(name)]
    except OSError:
        return
    for name in names:
        if not in_use(name, folder):
            with contextlib.suppress(OSError):
                os.unlink(os.path.join(folder, name))
