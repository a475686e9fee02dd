"""Timing: every round runs every case once, in turn, so that the noise of the machine falls on all alike.

Time is the process's own CPU time; the best of the rounds counts, since everything else was somebody else's work.
"""

from __future__ import annotations

import gc
import os
import resource
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple


class Row(NamedTuple):
    """One line of the table: what, the figure in words, the goal in words, and whether it was met."""

    what: str
    figure: str
    goal: str
    met: bool | None

    def line(self) -> str:
        sign = {True: "yes", False: "NO", None: "-"}[self.met]
        return f"{self.what:<58} {self.figure:>34}  {self.goal:<34} {sign}"


def best(cases: Mapping[str, Callable[[int], object]], number: int, rounds: int = 11) -> dict[str, float]:
    """Return nanoseconds for one operation of each case; ``case(number)`` runs it that often."""
    found = dict.fromkeys(cases, float("inf"))
    for case in cases.values():
        case(max(1, number // 10))
    gc.collect()
    gc.disable()
    try:
        for _ in range(rounds):
            for name, case in cases.items():
                start = time.process_time_ns()
                case(number)
                found[name] = min(found[name], (time.process_time_ns() - start) / number)
            gc.collect()
    finally:
        gc.enable()
    return found


def commands(cases: Mapping[str, Sequence[str]], rounds: int = 11) -> dict[str, float]:
    """Return CPU milliseconds (user and system) of one run of each command, the best of the rounds.

    Byte code is kept between the runs, as an installation keeps it, whatever this process was told.
    """
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    found = dict.fromkeys(cases, float("inf"))
    for number in range(rounds + 1):
        for name, command in cases.items():
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run(command, check=True, capture_output=True, env=environment)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            spent = 1000 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
            if number:
                found[name] = min(found[name], spent)
    return found


def repeat(function: Callable[..., object], *args: object) -> Callable[[int], object]:
    """Return a case that calls ``function(*args)``."""

    def case(number: int) -> None:
        for _ in range(number):
            function(*args)

    return case
