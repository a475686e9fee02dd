"""Transports: the ways to a VTT. A third party can add one: three methods, values and three kinds of failure.

All writes are absolute and safe to repeat. The hub never has two calls of one transport in flight. A transport does not wait
and try again by itself: it raises, and says whether that may pass; the hub has the patience.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Protocol, TypeAlias, runtime_checkable

from rallypoint.kernel.canonical import Value
from rallypoint.kernel.errors import InputError, RallypointError

from .bindings import Carrier
from .snapshot import Snapshot

__all__ = [
    "BatchingTransport",
    "DoubtfulError",
    "NotSetUpError",
    "Outcome",
    "RefusedError",
    "RememberingTransport",
    "Transport",
    "TransportError",
    "UnreachableError",
    "WatchingTransport",
]


class TransportError(RallypointError):
    """Something went wrong at the other side; exit status 3.

    Args:
        code: a machine word for it, such as ``world_asleep``; ``--json`` tells it.
        what: and the others, as of every error of ours.
        passing: whether it may pass by itself, so that trying again soon is worth it: a world that wakes up, a limit of
            requests; not a wrong key.
    """

    exit_status = 3

    def __init__(
        self,
        what: str,
        *,
        code: str,
        where: str | None = None,
        found: object = None,
        expected: object = None,
        hint: str | None = None,
        passing: bool = False,
    ) -> None:
        super().__init__(what, where=where, found=found, expected=expected, hint=hint)
        self.code = code
        self.passing = passing


class NotSetUpError(InputError):
    """The battle is not connected or bound to the VTT yet: another command comes first, and this one cannot begin."""


class UnreachableError(TransportError):
    """The VTT could not be reached or would not let us in: nothing was done."""


class DoubtfulError(TransportError):
    """No answer came, or that of something else: nobody knows whether it was done. Read before anything else."""


class RefusedError(TransportError):
    """The VTT said no to this one document; others may go on."""


Outcome: TypeAlias = Mapping[str, Value] | TransportError
"""What became of a write: what the document shows of it, or what went wrong."""


class Transport(Protocol):
    """The way to one VTT, to the world or room that was bound."""

    @property
    def vtt(self) -> str:
        """The name under which its base is kept: ``foundry``, ``owlbear``, ``files``; with more than one, ``foundry:demo``."""

    def read(self, documents: Sequence[str]) -> Snapshot:
        """Return what the VTT shows of these documents now, with copies of them that nobody bound.

        Raises:
            UnreachableError: it cannot be reached.
        """

    def write(self, document: str, values: Mapping[str, Value]) -> Mapping[str, Value]:
        """Give a document these values by path, and return what it shows of them afterwards; a path that it drops is not there.

        Nothing else of the document is changed: no other path, no list of what is embedded in it.

        Raises:
            UnreachableError: it was not sent.
            DoubtfulError: it may have been done.
            RefusedError: it was not done, and will not be.
        """


@runtime_checkable
class BatchingTransport(Transport, Protocol):
    """A way on which many documents are written at once, since each call costs a pause."""

    def write_all(self, documents: Mapping[str, Mapping[str, Value]]) -> Mapping[str, Outcome]:
        """Give documents their values, and return for each what became of it; otherwise as :meth:`Transport.write`.

        Raises:
            UnreachableError: nothing at all was sent.
        """


@runtime_checkable
class RememberingTransport(Transport, Protocol):
    """A way that remembers what it has read while the VTT tells what changes."""

    def distrust(self, agreed: Mapping[Carrier, Value], disputed: Collection[str]) -> None:
        """Forget what is remembered otherwise than agreed, and disputed documents: another process has written meanwhile.

        What that process has changed may not have been told yet, and what was remembered would look like an edit.
        """


class WatchingTransport(Transport, Protocol):
    """A way on which the VTT tells what changes."""

    def changes(self) -> Iterator[Sequence[str]]:
        """Yield the bound documents that may have changed, as soon as they have; an empty list: anything may have.

        The first list comes when the VTT has begun to tell: what changes after that is not missed. It ends when the
        VTT ends it, and can be asked for again.

        Raises:
            UnreachableError: it cannot be reached.
        """
