"""Watching: a change at any side goes to the others at once.

For each VTT a thread hears what it tells; the loop looks at the head of the battle's log and at what was heard, and syncs all
that listen. What comes together is done together. Streams end, every ten minutes at the latest, and worlds fall asleep: then it
listens again, with growing gaps, and reads everything once. Meanwhile the other VTTs go on.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple, Protocol, TypeAlias, runtime_checkable

from rallypoint.kernel.errors import BattleFileError, HeadMovedError, InputError, RallypointError

from .bindings import Binding
from .clock import Clock, waits
from .holding import Hold
from .hub import Hub, Synced
from .sending import BusyError
from .transport import TransportError, UnreachableError, WatchingTransport
from .unopened import Unopened
from .wishes import BindAnew, JoiningTransport, Wish, WishingTransport

__all__ = ["News", "Watch"]

TICK = 0.04
"""Seconds between two looks at the log: one indexed query each."""

AGAIN = 2.0
"""Seconds until what is in doubt is looked at again."""

_LONGEST = 30.0

LONG = 5.0
"""Seconds that one VTT may let the others wait; one that takes longer and cannot be reached is left alone twice as long."""


class News(NamedTuple):
    """Something to tell: ``listening``, ``synced``, ``away``, ``over``, ``busy``, ``failed``; and of a wish: ``granted``, ``refused``.

    ``vtt`` says which one it is about, and is empty where it is about all. One that is ``over`` is not listened to any more.
    """

    what: str
    synced: Synced | None = None
    error: Exception | None = None
    wish: Wish | None = None
    vtt: str = ""


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


def _gaps() -> Iterator[float]:
    return waits(0.25, _LONGEST, float("inf"))


class _Ear:
    """One VTT that is listened to: whether it tells, when to try again, why it is over."""

    def __init__(self, transport: WatchingTransport, heard: queue.Queue[_Heard]) -> None:
        self.transport, self.vtt = transport, transport.vtt
        self.listening = self.running = False
        self.over: RallypointError | None = None
        self.again_at = 0.0
        self.rests_until: float | None = None
        self._heard, self._gaps = heard, _gaps()

    def listen(self) -> None:
        """Begin to hear what it tells, in a thread."""
        self.running = True
        threading.Thread(target=self._hear, daemon=True, name=f"{self.vtt} changes").start()

    def _hear(self) -> None:
        error: TransportError | None = None
        try:
            for documents in self.transport.changes():
                self._heard.put((self, documents))
        except TransportError as found:
            error = found
        self._heard.put((self, _End(error)))

    def ended(self, now: float) -> None:
        """Its stream has ended: it is listened to again after a gap, which grows while nothing is heard."""
        if self.listening:
            self._gaps = _gaps()
        self.listening = self.running = False
        self.again_at = now + next(self._gaps)

    def stop(self) -> None:
        stop = getattr(self.transport, "stop", None)
        if callable(stop):
            stop()


_Heard: TypeAlias = "tuple[_Ear, Sequence[str] | _End]"


class Watch:
    """Watches a battle and its VTTs.

    Args:
        hub: the battle's.
        transports: the ways to the VTTs, or the one way; all of them are the hub's.
        tell: hears what happens.
        clock: the time, for gaps between tries.
    """

    def __init__(
        self,
        hub: Hub,
        transports: WatchingTransport | Sequence[WatchingTransport],
        tell: Callable[[News], None],
        clock: Clock,
    ) -> None:
        self.hub, self.tell, self.clock = hub, tell, clock
        self.stopped = threading.Event()
        self.syncs = 0
        self._heard: queue.Queue[_Heard] = queue.Queue()
        several = transports if isinstance(transports, Sequence) else [transports]
        self._ears = [_Ear(each, self._heard) for each in several]
        self.hold = Hold(hub.ledger, [each.vtt for each in several], hub.holder, clock)
        self._due_at: float | None = None
        self._asked = self._said_here()

    def stop(self) -> None:
        """End it, from another thread or a signal."""
        self.stopped.set()
        for each in self._ears:
            each.stop()

    @property
    def over(self) -> tuple[str, ...]:
        """The VTTs that failed for good."""
        return tuple([each.vtt for each in self._ears if each.over is not None])

    def run(self) -> None:
        """Watch until it is stopped. A VTT that fails for good is told of and left; the last one's failure is raised.

        Raises:
            UnreachableError: something that does not pass by itself: the key, a scope, a relay that has no streams.
            InputError: so much is gone that a person must look, or another process watches this battle at a VTT.
            BattleFileError: the battle or its ledger can be read or written no more.
        """
        try:
            while not self.stopped.is_set():
                self.hold.keep()
                now = self.clock.now()
                for ear in self._ears:
                    if ear.over is None and not ear.running and now >= ear.again_at:
                        self._open(ear)
                        ear.listen()
                news = self._next()
                moved = bool(self.hub.battle.refresh())
                asked = self._asked != self._said_here()
                if any(ear.listening for ear in self._ears) and (news or moved or asked or self._is_due()):
                    self._sync()
        except BattleFileError as error:
            self.tell(News("failed", error=error))  # the VTTs are told so, too
            raise
        finally:
            self.stop()
            self.hold.release()

    def _open(self, ear: _Ear) -> None:
        """Try to open a VTT that is not yet; here, since what opens it may ask the ledger."""
        if isinstance(ear.transport, Unopened):
            del self.hub.transports[ear.vtt]
            ear.transport = ear.transport.opened()
            ear.vtt = ear.transport.vtt
            self.hub.transports[ear.vtt] = ear.transport

    def _next(self) -> bool:
        """Wait a tick for what is heard, and take all of it together; say whether anything may have changed."""
        news = False
        wait: float | None = TICK
        while not self.stopped.is_set():
            try:
                ear, item = self._heard.get(timeout=wait) if wait else self._heard.get_nowait()
            except queue.Empty:
                return news
            wait = None
            if isinstance(item, _End):
                self._ended(ear, item.error)
                continue
            news = True
            if not ear.listening:
                ear.listening = True
                self.tell(News("listening", vtt=ear.vtt))
        return False

    def _ended(self, ear: _Ear, error: TransportError | None) -> None:
        ear.ended(self.clock.now())
        if error is not None and not error.passing:
            self._give_up(ear, error)
        elif error is not None:
            self.tell(News("away", error=error, vtt=ear.vtt))

    def _give_up(self, ear: _Ear, error: RallypointError) -> None:
        """Leave a VTT that has failed for good; the failure of the last one is the watch's."""
        ear.over, ear.listening = error, False
        if all(each.over is not None for each in self._ears):
            raise error
        ear.stop()
        self.hold.leave(ear.vtt)
        self.tell(News("over", error=error, vtt=ear.vtt))

    def _said_here(self) -> tuple[object, object]:
        """Return what people say at another terminal without the log knowing: pause, resume, bind, what holds in a conflict."""
        ledger = self.hub.ledger
        vtts = [(ledger.paused(each.vtt), ledger.bound(each.vtt)) for each in self._ears]
        return vtts, frozenset(ledger.conflicts())

    def _see_bindings(self) -> None:
        """Tell transports that remember what is bound when that is more by now."""
        for each in self._ears:
            if isinstance(each.transport, _Remembers):
                bound = self.hub.ledger.bindings(each.vtt)
                if not each.transport.knows(bound):
                    each.transport.bind(bound)

    def _grant(self) -> None:
        """Do what people at the VTTs ask of the battle; it is in the log before anything is read or sent."""
        for ear in self._ears:
            for wish in self._wishes(ear):
                try:
                    self._do(ear.transport, wish)
                except RallypointError as error:
                    if isinstance(error, BattleFileError) and not isinstance(error, HeadMovedError):
                        raise
                    self.tell(News("refused", error=error, wish=wish, vtt=ear.vtt))
                else:
                    self.tell(News("granted", wish=wish, vtt=ear.vtt))

    def _do(self, transport: WatchingTransport, wish: Wish) -> None:
        if not isinstance(wish, BindAnew):
            self.hub.grant(wish)
        elif isinstance(transport, JoiningTransport):
            transport.bind_anew()

    def _wishes(self, ear: _Ear) -> Sequence[Wish]:
        if not ear.listening or not isinstance(ear.transport, WishingTransport):
            return ()
        try:
            return ear.transport.wishes()
        except UnreachableError:
            return ()  # its stream ends, too, and that is told

    def _is_due(self) -> bool:
        now = self.clock.now()
        moments = [self._due_at, *[each.rests_until for each in self._ears if each.listening]]
        return any(each is not None and now >= each for each in moments)

    def _awake(self) -> list[_Ear]:
        """Return those that are listened to and need not rest any more."""
        now = self.clock.now()
        found = [
            each for each in self._ears if each.listening and (each.rests_until is None or now >= each.rests_until)
        ]
        for each in found:
            each.rests_until = None
        return found

    def _sync(self) -> None:
        self._due_at = None
        self._grant()
        self._see_bindings()
        before, _ = self._said_here()
        listening = self._awake()
        if not listening:
            return
        try:
            done = self.hub.sync(vtts=[each.vtt for each in listening])
        except UnreachableError as error:
            for each in listening:  # none could be reached; each says why
                self._away(each, self.hub.last_away.get(each.vtt, error))
            return
        except BusyError as error:
            self._due_at = self.clock.now() + TICK
            self.tell(News("busy", error=error, vtt=error.where or ""))
            return
        except InputError as error:
            ear = next((each for each in listening if each.vtt == error.where), None)
            if ear is None:
                raise
            self._give_up(ear, error)
            self._due_at = self.clock.now()  # the others are still to be synced
            return
        finally:
            _, conflicts = self._said_here()
            self._asked = before, conflicts  # what is bound or paused while values go out is for the next sync
        self.syncs += 1
        if done.failed:
            self._due_at = self.clock.now() + AGAIN
        self.tell(News("synced", done))
        for each in listening:
            if each.vtt in done.away:
                self._away(each, done.away[each.vtt])

    def _away(self, ear: _Ear, error: UnreachableError) -> None:
        """Say that a VTT could not be read or written although it tells what changes."""
        if not error.passing:
            self._give_up(ear, error)
            return
        now, waited = self.clock.now(), self.hub.waited.get(ear.vtt, 0.0)
        if waited > LONG and len(self._ears) > 1:
            ear.rests_until = now + min(2 * waited, _LONGEST)
        self._due_at = now + AGAIN
        self.tell(News("away", error=error, vtt=ear.vtt))
