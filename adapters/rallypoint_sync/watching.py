"""Watching: a change at either side goes to the other at once.

A thread hears what the world tells; the loop looks at the head of the battle's log and at what was heard, and syncs. What
comes together is done together. Streams end, every ten minutes at the latest, and worlds fall asleep: then it listens again,
with growing gaps, and reads everything once.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, Protocol, runtime_checkable

from rallypoint.kernel.errors import BattleFileError, HeadMovedError, InputError, RallypointError

from .bindings import Binding
from .clock import Clock, waits
from .fields import Field
from .hub import Hub, Synced
from .transport import TransportError, UnreachableError, WatchingTransport
from .wishes import Wish, WishingTransport

__all__ = ["News", "Watch"]

TICK = 0.04
"""Seconds between two looks at the log: one indexed query each."""

AGAIN = 2.0
"""Seconds until what is in doubt is looked at again."""

_LONGEST = 30.0


class News(NamedTuple):
    """Something to tell: ``listening``, ``synced``, ``away``, ``busy``; and what came of a wish: ``granted``, ``refused``."""

    what: str
    synced: Synced | None = None
    error: Exception | None = None
    wish: Wish | None = None


class _End(NamedTuple):
    """A stream has ended, with the reason where it is a failure."""

    error: TransportError | None


@runtime_checkable
class _Remembers(Protocol):
    """A transport that remembers what is bound."""

    def knows(self, bindings: Iterable[Binding]) -> bool:
        """Say whether it reads all of it."""

    def bind(self, bindings: Iterable[Binding]) -> None:
        """Remember what is bound."""


class Watch:
    """Watches a battle and its world.

    Args:
        hub: the battle's.
        transport: the way to the world, which is one of the hub's.
        tell: hears what happens.
        clock: the time, for gaps between tries.
    """

    def __init__(self, hub: Hub, transport: WatchingTransport, tell: Callable[[News], None], clock: Clock) -> None:
        self.hub, self.transport, self.tell, self.clock = hub, transport, tell, clock
        self.heard: queue.Queue[Sequence[str] | _End] = queue.Queue()
        self.stopped = threading.Event()
        self.syncs = 0
        self._due_at: float | None = None
        self._asked = self._said_here()

    def stop(self) -> None:
        """End it, from another thread or a signal."""
        self.stopped.set()
        stop = getattr(self.transport, "stop", None)
        if callable(stop):
            stop()

    def run(self) -> None:
        """Watch until it is stopped.

        Raises:
            UnreachableError: something that does not pass by itself: the key, a scope, a relay that has no streams.
            InputError: so much is gone that a person must look.
        """
        gaps = waits(0.25, _LONGEST, float("inf"))
        try:
            while not self.stopped.is_set():
                threading.Thread(
                    target=self._hear, args=(self.heard,), daemon=True, name=f"{self.transport.vtt} changes"
                ).start()
                end = self._until_the_end()
                if end is None:
                    return
                if end.error is not None and not end.error.passing:
                    raise end.error
                if self._was_listening:
                    gaps = waits(0.25, _LONGEST, float("inf"))
                if end.error is not None:
                    self.tell(News("away", error=end.error))
                self.stopped.wait(next(gaps))
        finally:
            self.stop()

    def _hear(self, heard: queue.Queue[Sequence[str] | _End]) -> None:
        error: TransportError | None = None
        try:
            for documents in self.transport.changes():
                heard.put(documents)
        except TransportError as found:
            error = found
        heard.put(_End(error))

    def _until_the_end(self) -> _End | None:
        """Sync whatever happens, until the streams end; ``None``: it was stopped."""
        self._was_listening = False
        while not self.stopped.is_set():
            news, end = self._next()
            if news is not None and not self._was_listening:
                self._was_listening = True
                self.tell(News("listening"))
            if end is not None:
                return end
            moved = bool(self.hub.battle.refresh())
            if self._was_listening and (
                news is not None or moved or self._is_due() or self._asked != self._said_here()
            ):
                self._sync()
        return None

    _was_listening = False

    def _next(self) -> tuple[Sequence[str] | None, _End | None]:
        """Wait a tick for what is heard; return it all together, and the end if that is among it."""
        found: list[str] | None = None
        wait: float | None = TICK
        while True:
            try:
                item = self.heard.get(timeout=wait) if wait else self.heard.get_nowait()
            except queue.Empty:
                return found, None
            if isinstance(item, _End):
                return found, item
            found = [*(found or ()), *item]
            wait = None

    def _said_here(self) -> tuple[bool, frozenset[Field]]:
        """Return what people say at another terminal without the log knowing: pause, resume, what holds in a conflict."""
        return self.hub.ledger.paused(self.transport.vtt), frozenset(self.hub.ledger.conflicts())

    def _bind_anew(self) -> None:
        """Tell a transport that remembers what is bound when that is more by now: an encounter begun at another terminal."""
        if isinstance(self.transport, _Remembers):
            bound = self.hub.ledger.bindings(self.transport.vtt)
            if not self.transport.knows(bound):
                self.transport.bind(bound)

    def _grant(self) -> None:
        """Do what people at the VTT ask of the battle; it is in the log before anything is read or sent."""
        wishes = self.transport.wishes() if isinstance(self.transport, WishingTransport) else ()
        for wish in wishes:
            try:
                self.hub.grant(wish)
            except RallypointError as error:
                if isinstance(error, BattleFileError) and not isinstance(error, HeadMovedError):
                    raise
                self.tell(News("refused", error=error, wish=wish))
            else:
                self.tell(News("granted", wish=wish))

    def _is_due(self) -> bool:
        return self._due_at is not None and self.clock.now() >= self._due_at

    def _sync(self) -> None:
        self._due_at = None
        self._bind_anew()
        try:
            self._grant()
            done = self.hub.sync()
        except UnreachableError as error:
            if not error.passing:
                raise
            self._due_at = self.clock.now() + AGAIN
            self.tell(News("away", error=error))
            return
        except InputError as error:
            if error.what != "another process writes to this VTT":
                raise
            self._due_at = self.clock.now() + TICK
            self.tell(News("busy", error=error))
            return
        finally:
            self._asked = self._said_here()
        self.syncs += 1
        if done.failed or done.away:
            self._due_at = self.clock.now() + AGAIN
        self.tell(News("synced", done))
