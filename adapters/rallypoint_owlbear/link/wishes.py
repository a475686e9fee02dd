"""What GMs ask by a click, until somebody who watches the battle has done it; and whether anybody is there who does."""

from __future__ import annotations

import secrets
from collections import deque
from collections.abc import Callable, Mapping, Sequence

from ..trackers import Json
from .wire import WireError

__all__ = ["MOST", "NOBODY", "NOTED", "Wishes"]

MOST = 100
"""Wishes that wait, at most."""
NOBODY = "Nothing was changed: no watch of a battle runs. Start it: rallypoint owlbear watch BATTLE"
NOTED = "Not bound yet: no watch of a battle runs. Bind it: rallypoint owlbear bind BATTLE"

_LATE = 3.0
"""Seconds after which somebody who attends, and asks again and again what changes, has gone."""
_MOST_GIVEN = 1000
_MOST_GONE = 16


class Wishes:
    """The wishes of a room. It has no lock of its own.

    Of several watches one attends, the one that began last: a question of a watch that was killed may still wait here, and what
    is handed to it nobody reads. So a wish is kept until it is answered, and handed to the next watch that attends.

    Args:
        now: the present moment in seconds.
    """

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._waiting: list[Json] = []
        self._given: dict[str, Json] = {}
        self._watch: str | None = None
        self._battle = ""
        self._gone: deque[str] = deque(maxlen=_MOST_GONE)
        self._attended_until = 0.0
        self._number = 0
        self._run = secrets.token_hex(4)  # keys of another run of the server are others

    @property
    def attended(self) -> bool:
        """Whether somebody is there who does what is asked."""
        return self._now() < self._attended_until

    def check_battle(self, battle: str) -> None:
        """Refuse a battle while another one is watched; of one that does not say which it is nothing is known.

        Args:
            battle: the path of its file.

        Raises:
            WireError: another one is.
        """
        if battle and self._battle not in ("", battle) and self.attended:
            raise WireError(409, "other_battle", f"another battle is watched at this server: {self._battle}")

    def attend(self, seconds: float, watch: str, *, battle: str = "", begins: bool = False) -> bool:
        """Say that a watch is there for so many seconds from now, and a little more; say whether it is the one that attends.

        Args:
            seconds: for how long.
            watch: which one.
            battle: the path of the battle that it watches.
            begins: it is new: it takes the place of another one of the same battle.

        Raises:
            WireError: another battle is watched.
        """
        self.check_battle(battle)
        if watch in self._gone or (watch != self._watch and self.attended and not begins):
            return False
        if watch != self._watch:
            self._waiting[:0] = self._given.values()
            self._given.clear()
            self._watch, self._battle = watch, battle
        self._attended_until = self._now() + seconds + _LATE
        return True

    def leave(self, watch: str) -> None:
        """Say that a watch has ended. Another one that attends by now goes on."""
        self._gone.append(watch)
        if watch == self._watch:
            self._watch, self._attended_until = None, 0.0

    def has_left(self, watch: str) -> bool:
        """Say whether a watch has ended."""
        return watch in self._gone

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
            self._number += 1
            self._waiting.append({**said, "who": who, "key": f"{self._run}-{self._number}"})
        return self.attended

    def waits(self, kind: str) -> bool:
        """Say whether a wish of a kind waits that nobody has taken."""
        return any(each["kind"] == kind for each in self._waiting)

    def take(self, watch: str) -> Sequence[Json]:
        """Return what waits, if this is the watch that attends; it is kept until it is answered."""
        if watch != self._watch:
            return []
        found, self._waiting = self._waiting, []
        self._given |= {str(each["key"]): each for each in found}
        while len(self._given) > _MOST_GIVEN:
            del self._given[next(iter(self._given))]
        return found

    def answered(self, key: str) -> Json | None:
        """Forget a wish that was done or refused, and return it; it may wait again, where its watch listens anew."""
        found = [each for each in (*self._given.values(), *self._waiting) if each["key"] == key]
        self._given.pop(key, None)
        self._waiting = [each for each in self._waiting if each["key"] != key]
        return found[0] if found else None

    def given_up(self) -> Sequence[Json]:
        """Forget what was asked of somebody who has gone, and return it."""
        if self.attended:
            return []
        found = [*self._given.values(), *self._waiting]
        self._given.clear()
        self._waiting.clear()
        return found
