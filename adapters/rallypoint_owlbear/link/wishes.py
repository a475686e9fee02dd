"""What GMs ask of the battle by a click, until somebody who watches the battle takes it; and whether anybody does."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ..trackers import Json
from .wire import WireError

__all__ = ["MOST", "NOBODY", "Wishes"]

MOST = 100
"""Wishes that wait, at most."""
NOBODY = "Nothing was changed: no watch of a battle runs. Start it: rallypoint owlbear watch BATTLE"

_LATE = 3.0
"""Seconds after which somebody who attends, and asks again and again what changes, has gone."""


class Wishes:
    """The wishes of a room. It has no lock of its own.

    Args:
        now: the present moment in seconds.
    """

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._waiting: list[Json] = []
        self._attended_until = 0.0

    @property
    def attended(self) -> bool:
        """Whether somebody is there who does what is asked."""
        return self._now() < self._attended_until

    def attend(self, seconds: float) -> None:
        """Say that somebody is there for so many seconds from now, and a little more."""
        self._attended_until = self._now() + seconds + _LATE

    def leave(self) -> None:
        """Say that nobody is there any more."""
        self._attended_until = 0.0

    def check_room(self) -> None:
        """Refuse what is too much at once.

        Raises:
            WireError: so much waits already.
        """
        if len(self._waiting) >= MOST:
            raise WireError(429, "rate", "too much at once: wait a second")

    def add(self, said: Mapping[str, object], who: str) -> bool:
        """Let a wish wait; say whether anybody is there for it, else it is forgotten."""
        if self.attended:
            self._waiting.append({**said, "who": who})
        return self.attended

    def take(self) -> Sequence[Json]:
        """Return what waits, and forget it."""
        found, self._waiting = self._waiting, []
        return found

    def given_up(self) -> bool:
        """Forget what waits for somebody who has gone; say whether there was anything."""
        return not self.attended and bool(self.take())
