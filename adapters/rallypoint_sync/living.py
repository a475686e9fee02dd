"""Processes that hold a lease: named so that another can see at once whether they have ended.

A number alone does not say it, since numbers are given again; so the moment at which a process began goes along, as the system
tells it, and on which machine, since it was started, that was. Where it cannot be told the lease is respected until it runs out.
"""

from __future__ import annotations

import hashlib
import os
import platform
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

__all__ = ["has_ended", "this_process"]

_NAMED = re.compile(r"process (?P<number>\d+) \(begun (?P<begun>\S+) on (?P<machine>\w+)\)")


def this_process() -> str:
    """Return the name of this process as the holder of a lease.

    >>> has_ended(this_process())
    False
    """
    return f"process {os.getpid()} (begun {_begun(os.getpid()) or '?'} on {_machine()})"


def has_ended(holder: str) -> bool:
    """Say whether the holder of a lease is a process of this machine that is not there any more.

    >>> has_ended("somebody else")
    False
    """
    found = _NAMED.fullmatch(holder)
    if found is None or found["machine"] != _machine() or found["begun"] == "?":
        return False
    begun = _begun(int(found["number"]))
    return begun is None or begun not in ("?", found["begun"])


@cache
def _machine() -> str:
    """Return a mark of the machine since it was started, and of the numbering in which its processes are."""
    known = [platform.node()]
    for file, read in (("/proc/sys/kernel/random/boot_id", Path.read_text), ("/proc/self/ns/pid", os.readlink)):
        try:
            known.append(read(Path(file)))
        except OSError:
            continue
    return hashlib.sha256("\n".join(known).encode()).hexdigest()[:12]


if sys.platform == "win32":

    def _begun(number: int) -> str | None:
        """Return when a process began; ``None``: there is none, ``?``: that cannot be told."""
        import ctypes

        still_active, no_such_process, may_ask = 259, 87, 0x1000
        kernel = ctypes.WinDLL("kernel32", use_last_error=True)
        kernel.OpenProcess.restype = ctypes.c_void_p
        handle = ctypes.c_void_p(kernel.OpenProcess(may_ask, False, number))
        if handle.value is None:
            return None if ctypes.get_last_error() == no_such_process else "?"
        try:
            code, moments = ctypes.c_ulong(), [ctypes.c_ulonglong() for _ in range(4)]
            if kernel.GetExitCodeProcess(handle, ctypes.byref(code)) and code.value != still_active:
                return None
            told = kernel.GetProcessTimes(handle, *[ctypes.byref(each) for each in moments])
            return str(moments[0].value) if told else "?"
        finally:
            kernel.CloseHandle(handle)

else:

    def _begun(number: int) -> str | None:
        """Return when a process began; ``None``: there is none, ``?``: that cannot be told."""
        try:
            os.kill(number, 0)
        except ProcessLookupError:
            return None
        except (PermissionError, OverflowError):  # somebody else's; or no number that a process can have
            pass
        return _by_files(number) if sys.platform == "linux" else _by_ps(number)

    def _by_files(number: int) -> str | None:
        try:
            # Behind the name, which may hold anything, in parentheses: the state, and as the twentieth field the moment.
            state, *fields = Path(f"/proc/{number}/stat").read_text("utf-8", "replace").rpartition(")")[2].split()
            return None if state in "ZX" else fields[18]
        except (OSError, IndexError, ValueError):
            return "?"

    def _by_ps(number: int) -> str | None:
        try:
            told = subprocess.run(  # noqa: S603 - a program of the system, and a number
                ["/bin/ps", "-o", "state=,lstart=", "-p", str(number)],
                capture_output=True,
                text=True,
                env={**os.environ, "LC_ALL": "C", "TZ": "UTC"},
                timeout=5,
                check=False,
            ).stdout.split()
        except (OSError, subprocess.SubprocessError):
            return "?"
        if not told or told[0].startswith("Z"):
            return None
        return "-".join(told[1:])
