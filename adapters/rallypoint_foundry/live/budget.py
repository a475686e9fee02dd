"""The budget: how many requests a key may make, and how many it has made."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Mapping

from rallypoint.kernel.canonical import Value
from rallypoint_sync.clock import Clock

__all__ = ["A_MINUTE", "Budget"]

A_MINUTE = 300
"""What a relay lets a key do in a minute unless its owner has said otherwise."""

_SHORTEST, _LONGEST = 0.25, 30.0  # seconds of a pause after a refusal; each is twice the one before
_KEPT = 0.9  # so much of a minute's requests is used; the rest is for people


class Budget:
    """Counts requests, and says how long to wait before the next.

    Args:
        clock: the time.
        a_minute: how many are let through in a minute.

    >>> class Still:
    ...     def now(self): return 0.0
    ...     def sleep(self, seconds): ...
    >>> budget = Budget(Still(), 10)
    >>> for _ in range(9):
    ...     budget.count()
    >>> budget.wait()
    60.0
    """

    def __init__(self, clock: Clock, a_minute: int = A_MINUTE) -> None:
        self.clock = clock
        self.a_minute = a_minute
        self.total = 0
        self.refused = 0
        self._moments: deque[float] = deque()
        self._pause, self._until = _SHORTEST, 0.0

    def wait(self) -> float:
        """Return how many seconds to wait before the next request; 0 while there is room."""
        now = self.clock.now()
        while self._moments and self._moments[0] <= now - 60.0:
            self._moments.popleft()
        room = max(int(self.a_minute * _KEPT), 1)
        full = 0.0 if len(self._moments) < room else self._moments[-room] + 60.0
        return max(full - now, self._until - now, 0.0)

    @property
    def is_refused(self) -> bool:
        """Whether the wait is a pause after a refusal, of which the error tells if it does not pass."""
        return self._until > self.clock.now()

    def count(self) -> None:
        """Note a request."""
        self.total += 1
        self._moments.append(self.clock.now())

    def let_through(self) -> None:
        """Note that the relay has answered."""
        self._pause = _SHORTEST

    def too_many(self) -> None:
        """Note that the relay wants us to slow down: others use the key too, or its limit is lower. It does not say for how long."""
        self.refused += 1
        self._until = self.clock.now() + self._pause
        self._pause = min(self._pause * 2, _LONGEST)

    def value(self, before: Value) -> Mapping[str, Value]:
        """Return what is kept of it: the month, the requests in it with those of ``before``, the limit of a minute."""
        month = time.strftime("%Y-%m", time.gmtime(self.clock.now()))
        known = before.get("requests") if isinstance(before, Mapping) and before.get("month") == month else 0
        return {
            "month": month,
            "requests": (known if isinstance(known, int) else 0) + self.total,
            "a_minute": self.a_minute,
        }
