"""Processes for the tests of the battle file: forked, killed where a test says, counted."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import traceback
from collections.abc import Callable
from typing import Any

import pytest

HAVE_FORK = hasattr(os, "fork")
needs_fork = pytest.mark.skipif(not HAVE_FORK, reason="this system has no fork and no SIGKILL")
# A test runner that works in parallel has threads; the child below touches none of them and ends by _exit.
forks = pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")

_TRACEME, _SYSCALL = 0, 24


def fork(child: Callable[[], object]) -> int:
    """Run ``child`` in a process of its own and return its id; it ends with status 0, or 70 after an exception."""
    sys.stdout.flush()
    sys.stderr.flush()
    pid = os.fork()
    if pid == 0:
        status = 70
        try:
            child()
            status = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(status)
    return pid


def ended(pid: int) -> int:
    """Wait for a process and return its exit status, or minus the signal that ended it."""
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def in_child(child: Callable[[], object]) -> int:
    return ended(fork(child))


def kill_self() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _libc() -> Any:
    libc = ctypes.CDLL(None, use_errno=True)
    libc.ptrace.argtypes = [ctypes.c_long] * 4
    libc.ptrace.restype = ctypes.c_long
    return libc


def killed_at_call(child: Callable[[], object], number: int) -> bool:
    """Run ``child`` and kill it at its system call stop ``number`` (each call stops at its begin and at its end).

    Return False when the child came to its end before.
    """
    libc = _libc()

    def traced() -> None:
        if libc.ptrace(_TRACEME, 0, 0, 0) != 0:
            os._exit(71)
        os.kill(os.getpid(), signal.SIGSTOP)
        child()

    pid = fork(traced)
    _, status = os.waitpid(pid, 0)
    for _ in range(number):
        if not os.WIFSTOPPED(status):
            break
        libc.ptrace(_SYSCALL, pid, 0, 0)
        _, status = os.waitpid(pid, 0)
    if os.WIFSTOPPED(status):
        os.kill(pid, signal.SIGKILL)
        assert ended(pid) == -signal.SIGKILL
        return True
    assert os.waitstatus_to_exitcode(status) == 0
    return False


def can_trace() -> bool:
    """Say whether this system lets a process trace its child."""
    if not sys.platform.startswith("linux"):
        return False
    libc = _libc()
    return in_child(lambda: os._exit(0 if libc.ptrace(_TRACEME, 0, 0, 0) == 0 else 71)) == 0
