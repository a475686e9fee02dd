"""Time as sync needs it: the present moment, and waiting; tests bring a clock of their own."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from typing import Protocol

__all__ = ["Clock", "SystemClock", "waits"]


class Clock(Protocol):
    """Seconds."""

    def now(self) -> float:
        """Return the present moment in seconds, comparable between processes."""

    def sleep(self, seconds: float) -> None:
        """Wait."""


class SystemClock:
    """The system's."""

    def now(self) -> float:
        """Return the seconds since 1970."""
        return time.time()

    def sleep(self, seconds: float) -> None:
        """Wait."""
        time.sleep(seconds)


def waits(
    first: float = 0.5, most: float = 30.0, total: float = 60.0, jitter: Callable[[], float] = random.random
) -> Iterator[float]:
    """Yield how long to wait before each further try, in seconds: doubling, with jitter, until ``total`` is spent.

    Args:
        first: about how long the first is.
        most: how long one is at most.
        total: after so many seconds of waiting there is no further try.
        jitter: gives a number from 0 to 1; a wait is between half of its length and all of it.

    >>> list(waits(1, 4, 12, lambda: 1.0))
    [1.0, 2.0, 4.0, 4.0]
    """
    spent, length = 0.0, first
    while True:
        wait = min(length, most) * (0.5 + 0.5 * jitter())
        if spent + wait > total:
            return
        yield wait
        spent += wait
        length *= 2
