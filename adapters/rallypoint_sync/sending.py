"""Sending: writes go out one document after the other, or many at once where the VTT has a way for it.

Each is noted before it is sent, and what the VTT shows after it is compared with what was meant.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import NamedTuple, TypeVar

from rallypoint.kernel.canonical import Value
from rallypoint.kernel.errors import InputError

from .bindings import Carrier
from .clock import Clock, waits
from .ledger import Ledger, SentState
from .living import has_ended
from .merge import same
from .plan import Write
from .transport import BatchingTransport, DoubtfulError, Outcome, Transport, TransportError, UnreachableError

__all__ = [
    "LEASE",
    "BusyError",
    "Failure",
    "Sender",
    "by_document",
    "check_lease",
    "leased",
    "patiently",
    "take_lease",
    "writer_of",
]

LEASE = 120.0
"""Seconds for which a writer holds a VTT without renewing it."""

AT_ONCE = 16
"""So many documents are noted with one commit before they are sent one after the other: a commit for each costs as much as a
third of the call itself."""

A_WHILE = 10.0
"""Seconds after which the lease and the notes are renewed while writes go out."""

SILENT = 5.0
"""Seconds after which no answer means that the VTT answers nothing just now: what is left is not sent."""

Found = TypeVar("Found")


class BusyError(InputError):
    """Another process writes to a VTT."""

    code = "busy"


class Failure(NamedTuple):
    """A write that did not come true: refused, not sent, dropped by the VTT, or of unknown outcome; the next sync looks at it."""

    write: Write
    why: str


def patiently(call: Callable[[], Found], clock: Clock, patience: float) -> Found:
    """Return what a call of a transport gives, trying again for so many seconds where it cannot be reached for a while.

    The lease must not run out meanwhile, so patience ends at half of it.

    Raises:
        UnreachableError: it still cannot be reached, or that does not pass by itself.
    """
    left = waits(total=min(patience, LEASE / 2))
    while True:
        try:
            return call()
        except UnreachableError as error:
            wait = next(left, None) if error.passing else None
            if wait is None:
                raise
            clock.sleep(wait)


def leased(ledger: Ledger, name: str, holder: str, clock: Clock) -> str | None:
    """Take or renew a lease; return ``None``, or who holds it. That of a process of this machine that has ended is nobody's."""
    other = ledger.lease(name, holder, clock.now(), LEASE)
    if other is not None and has_ended(other):
        ledger.release(name, other)
        other = ledger.lease(name, holder, clock.now(), LEASE)
    return other


def take_lease(ledger: Ledger, vtt: str, holder: str, clock: Clock) -> None:
    """Take or renew the lease of a VTT; that of a process of this machine that has ended without a word is nobody's.

    Raises:
        BusyError: another process has it.
    """
    other = leased(ledger, vtt, holder, clock)
    if other is not None:
        hint = f"end that one; if it ran on another machine and has ended without a word, wait {LEASE:g} seconds"
        raise BusyError("another process writes to this VTT", where=vtt, found=other, hint=hint)


def check_lease(ledger: Ledger, vtt: str, holder: str) -> None:
    """See whether nobody else has had a VTT since its lease was taken: what was read before that is not to be believed.

    Raises:
        BusyError: another process has it, or had it.
    """
    if not ledger.keeps(vtt, holder):
        raise BusyError("another process has taken over", where=vtt, hint="try again")


def writer_of(ledger: Ledger, vtt: str, clock: Clock) -> str | None:
    """Return which process writes to a VTT now; ``None``: none that is there."""
    held = ledger.held(vtt, clock.now())
    return None if held is None or has_ended(held) else held


class _Writer:
    """Writes the way a transport has: a document a call, or all in one."""

    def __init__(self, transport: Transport) -> None:
        self.vtt = transport.vtt
        self._transport = transport
        # Asked once: to see whether something has the members of a protocol costs more than a commit.
        self._batching = transport if isinstance(transport, BatchingTransport) else None

    @property
    def noted_at_once(self) -> int | None:
        """How many documents are noted together; ``None``: all."""
        return AT_ONCE if self._batching is None else None

    def calls(self, documents: Mapping[str, Mapping[str, Value]]) -> Iterator[Mapping[str, Mapping[str, Value]]]:
        """Yield what goes into each call."""
        if self._batching is not None:
            yield documents
            return
        for document, values in documents.items():
            yield {document: values}

    def outcomes(self, documents: Mapping[str, Mapping[str, Value]]) -> Mapping[str, Outcome]:
        """Make one call, and return what became of each document.

        Raises:
            UnreachableError: nothing was sent.
        """
        if self._batching is not None:
            return self._batching.write_all(documents)
        ((document, values),) = documents.items()
        try:
            return {document: self._transport.write(document, values)}
        except UnreachableError:
            raise
        except TransportError as error:
            return {document: error}


class _Came:
    """What came of the writes of one portion: those that came true with what is shown, the others with what is known of them."""

    def __init__(self) -> None:
        self.true: dict[int, tuple[Carrier, Value]] = {}
        self.others: dict[int, SentState] = {}
        self.dropped: list[Write] = []


class Sender:
    """Sends the writes of one batch and keeps account of them.

    Args:
        ledger: where each write is noted before it is sent.
        clock: the time.
        holder: who holds the lease; it is renewed while the writes go out.
        patience: for how many seconds to try again where a VTT cannot be reached for a while.
        entry: the last entry of the battle's log.
    """

    def __init__(self, ledger: Ledger, clock: Clock, holder: str, patience: float, entry: int) -> None:
        self.ledger = ledger
        self.clock = clock
        self.holder = holder
        self.patience = patience
        self.entry = entry
        self.batch = ledger.begin_batch()
        self.done: list[Write] = []
        self.failed: list[Failure] = []
        self.moved: list[Write] = []
        self._noted_at = 0.0

    def send(self, transport: Transport, documents: Mapping[str, Sequence[Write]]) -> None:
        """Give documents their values: all at once where the VTT has a way for it, else one after the other.

        Raises:
            UnreachableError: the VTT went away; the writes from there on are among those that failed.
            InputError: another process has taken over.
        """
        left = dict(documents)
        writer = _Writer(transport)
        try:
            while left:
                for write in self._portion(writer, dict(islice(left.items(), writer.noted_at_once)), left):
                    self._to_fallback(transport, write)
        except UnreachableError as error:
            self.failed += [Failure(each, f"not sent: {error}") for writes in left.values() for each in writes]
            raise

    def _portion(
        self, writer: _Writer, portion: Mapping[str, Sequence[Write]], left: dict[str, Sequence[Write]]
    ) -> Sequence[Write]:
        """Send a portion and take it out of ``left``; return what the VTT dropped and has another place for.

        It is noted with one commit before the first call and with another behind the last. A kill in between leaves writes of
        which nobody knows what became, and the next sync reads.
        """
        noted = self._noted(writer.vtt, portion)
        came = _Came()
        try:
            for values in writer.calls({document: _values(writes) for document, writes in portion.items()}):
                self._hold(writer.vtt, noted)
                began = self.clock.now()
                outcomes = patiently(partial(writer.outcomes, values), self.clock, self.patience)
                for document in values:
                    sent = dict(zip(noted.pop(document), left.pop(document), strict=True))
                    self._came_of(came, sent, outcomes[document])
                if self.clock.now() - began > SILENT:
                    _check_silence(writer.vtt, outcomes)
        except UnreachableError:
            came.others |= {number: "refused" for numbers in noted.values() for number in numbers}
            raise
        finally:
            self.ledger.came_of(writer.vtt, came.true, came.others)
        return came.dropped

    def _noted(self, vtt: str, portion: Mapping[str, Sequence[Write]]) -> dict[str, Sequence[int]]:
        """Note what will be sent; return the numbers of the notes by document."""
        check_lease(self.ledger, vtt, self.holder)
        take_lease(self.ledger, vtt, self.holder, self.clock)
        self._noted_at = self.clock.now()
        values = {each.binding.carrier: (each.old, each.new) for writes in portion.values() for each in writes}
        numbers = iter(self.ledger.send(vtt, self.batch, values, self._noted_at, self.entry))
        return {document: [next(numbers) for _ in writes] for document, writes in portion.items()}

    def _hold(self, vtt: str, noted: Mapping[str, Sequence[int]]) -> None:
        """Renew the lease and the notes of what is still to be sent, where the calls take their time."""
        if self.clock.now() - self._noted_at >= A_WHILE:
            check_lease(self.ledger, vtt, self.holder)
            take_lease(self.ledger, vtt, self.holder, self.clock)
            self._noted_at = self.clock.now()
            self.ledger.put_off([number for numbers in noted.values() for number in numbers], self._noted_at)

    def _came_of(self, came: _Came, sent: Mapping[int, Write], outcome: Outcome) -> None:
        """Say what became of the writes of one document."""
        if isinstance(outcome, TransportError):
            doubtful = isinstance(outcome, DoubtfulError)
            came.others |= dict.fromkeys(sent, "doubtful" if doubtful else "refused")
            why = f"{outcome}; it is read again at the next sync" if doubtful else str(outcome)
            self.failed += [Failure(each, why) for each in sent.values()]
        else:
            self._verify(came, sent, outcome)

    def _to_fallback(self, transport: Transport, write: Write) -> None:
        """Send what a VTT has dropped to the place that it keeps, now and from now on."""
        binding = write.binding
        assert binding.fallback is not None
        self.ledger.move_to_fallback(transport.vtt, binding.carrier)
        self.moved.append(write)
        moved = binding._replace(carrier=binding.fallback, fallback=None)
        reason = f"{binding.carrier.path} was dropped"
        self.send(transport, {moved.carrier.document: [write._replace(binding=moved, old=None, reason=reason)]})

    def _verify(self, came: _Came, sent: Mapping[int, Write], shown: Mapping[str, Value]) -> None:
        """Compare what the VTT shows with what was meant."""
        for number, write in sent.items():
            now = shown.get(write.binding.carrier.path)
            if same(write.binding.lens, now, write.new):
                came.true[number] = (write.binding.carrier, now)
                self.done.append(write)
                continue
            came.others[number] = "refused"
            if now is None and write.binding.fallback is not None:
                came.dropped.append(write)
            else:
                why = "the VTT does not keep it" if now is None else f"the VTT shows {now!r} instead"
                self.failed.append(Failure(write, why))


def _check_silence(vtt: str, outcomes: Mapping[str, Outcome]) -> None:
    """See whether a call that took long was answered at all: each further one would take as long, and others wait.

    Raises:
        UnreachableError: it was not.
    """
    lost = [each for each in outcomes.values() if isinstance(each, DoubtfulError)]
    if lost and len(lost) == len(outcomes):
        raise UnreachableError(lost[0].what, code=lost[0].code, where=vtt, hint=lost[0].hint, passing=True)


def _values(writes: Sequence[Write]) -> Mapping[str, Value]:
    """Return the values of one document by path."""
    return {each.binding.carrier.path: each.new for each in writes}


def by_document(writes: Iterable[Write]) -> Mapping[str, Mapping[str, list[Write]]]:
    """Return writes by VTT, and there by document, in order."""
    found: dict[str, dict[str, list[Write]]] = {}
    for write in writes:
        found.setdefault(write.vtt, {}).setdefault(write.binding.carrier.document, []).append(write)
    return found
