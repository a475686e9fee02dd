"""Sending: writes go out one document after the other, or many at once where the VTT has a way for it, each noted before and compared with what the VTT shows after."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple, TypeVar

from rallypoint.kernel.canonical import Value
from rallypoint.kernel.errors import InputError

from .clock import Clock, waits
from .ledger import Ledger
from .merge import same
from .plan import Write
from .transport import BatchingTransport, DoubtfulError, Outcome, Transport, TransportError, UnreachableError

__all__ = ["LEASE", "Failure", "Sender", "by_document", "patiently", "take_lease"]

LEASE = 120.0
"""Seconds for which a writer holds a VTT without renewing it."""

Found = TypeVar("Found")


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


def take_lease(ledger: Ledger, vtt: str, holder: str, clock: Clock) -> None:
    """Take or renew the lease of a VTT.

    Raises:
        InputError: another process has it.
    """
    other = ledger.lease(vtt, holder, clock.now(), LEASE)
    if other is not None:
        hint = f"end that one, or wait {LEASE:g} seconds after it has ended without a word"
        raise InputError("another process writes to this VTT", where=vtt, found=other, hint=hint)


class Sender:
    """Sends the writes of one batch and keeps account of them.

    Args:
        ledger: where each write is noted before it is sent.
        clock: the time.
        holder: who holds the lease; it is renewed before each write.
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

    def send(self, transport: Transport, documents: Mapping[str, Sequence[Write]]) -> None:
        """Give documents their values: all at once where the VTT has a way for it, else there is one.

        Raises:
            UnreachableError: nothing was sent, and nothing will be for now.
            InputError: another process has taken over.
        """
        noted = {document: self._noted(transport.vtt, writes) for document, writes in documents.items()}
        values = {document: each for document, (_, each) in noted.items()}
        try:
            outcomes = patiently(lambda: _outcomes(transport, values), self.clock, self.patience)
        except UnreachableError:
            self.ledger.mark([number for numbers, _ in noted.values() for number in numbers], "refused")
            raise
        for document, writes in documents.items():
            self._came_of(transport, noted[document][0], writes, outcomes[document])

    def _noted(self, vtt: str, writes: Sequence[Write]) -> tuple[Sequence[int], Mapping[str, Value]]:
        """Note what will be sent to a document; return the numbers of the notes, and the values by path."""
        take_lease(self.ledger, vtt, self.holder, self.clock)
        noted = {each.binding.carrier: (each.old, each.new) for each in writes}
        numbers = self.ledger.send(vtt, self.batch, noted, self.clock.now(), self.entry)
        return numbers, {each.binding.carrier.path: each.new for each in writes}

    def _came_of(self, transport: Transport, numbers: Sequence[int], writes: Sequence[Write], outcome: Outcome) -> None:
        """Note what became of the writes of one document."""
        if isinstance(outcome, TransportError):
            doubtful = isinstance(outcome, DoubtfulError)
            self.ledger.mark(numbers, "doubtful" if doubtful else "refused")
            why = f"{outcome}; it is read again at the next sync" if doubtful else str(outcome)
            self.failed += [Failure(each, why) for each in writes]
            return
        for write in self._verify(transport.vtt, dict(zip(numbers, writes, strict=True)), outcome):
            self._to_fallback(transport, write)

    def _to_fallback(self, transport: Transport, write: Write) -> None:
        """Send what a VTT has dropped to the place that it keeps, now and from now on."""
        binding = write.binding
        assert binding.fallback is not None
        self.ledger.move_to_fallback(transport.vtt, binding.carrier)
        self.moved.append(write)
        moved = binding._replace(carrier=binding.fallback, fallback=None)
        reason = f"{binding.carrier.path} was dropped"
        self.send(transport, {moved.carrier.document: [write._replace(binding=moved, old=None, reason=reason)]})

    def _verify(self, vtt: str, sent: Mapping[int, Write], shown: Mapping[str, Value]) -> list[Write]:
        """Compare what the VTT shows with what was meant; return what it dropped and has another place for."""
        true: dict[int, tuple[Write, Value]] = {}
        untrue: list[int] = []
        dropped: list[Write] = []
        for number, write in sent.items():
            now = shown.get(write.binding.carrier.path)
            if same(write.binding.lens, now, write.new):
                true[number] = (write, now)
            else:
                untrue.append(number)
                if now is None and write.binding.fallback is not None:
                    dropped.append(write)
                else:
                    why = "the VTT does not keep it" if now is None else f"the VTT shows {now!r} instead"
                    self.failed.append(Failure(write, why))
        if true:
            self.ledger.agree(
                vtt,
                {write.binding.carrier: now for write, now in true.values()},
                {write.binding.carrier: number for number, (write, _) in true.items()},
            )
            self.done += [write for write, _ in true.values()]
        self.ledger.mark(untrue, "refused")
        return dropped


def _outcomes(transport: Transport, documents: Mapping[str, Mapping[str, Value]]) -> Mapping[str, Outcome]:
    """Write, and return what became of each document.

    Raises:
        UnreachableError: nothing was sent.
    """
    if isinstance(transport, BatchingTransport):
        return transport.write_all(documents)
    ((document, values),) = documents.items()
    try:
        return {document: transport.write(document, values)}
    except UnreachableError:
        raise
    except TransportError as error:
        return {document: error}


def by_document(writes: Iterable[Write]) -> Mapping[str, Mapping[str, list[Write]]]:
    """Return writes by VTT, and there by document, in order."""
    found: dict[str, dict[str, list[Write]]] = {}
    for write in writes:
        found.setdefault(write.vtt, {}).setdefault(write.binding.carrier.document, []).append(write)
    return found
