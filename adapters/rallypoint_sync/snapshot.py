"""What a VTT shows at one moment, as far as it was asked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from rallypoint.kernel.canonical import EMPTY, Value

if TYPE_CHECKING:
    from .transport import TransportError

__all__ = ["Snapshot"]

NOBODY: frozenset[str] = frozenset()
NOTHING: Mapping[str, Mapping[str, Value]] = {}
NO_WORDS: Mapping[str, str] = {}


class Snapshot(NamedTuple):
    """What was read of one VTT.

    ``seen`` maps documents to their values by path; a path that is not in it is not there. ``gone`` are documents that
    were asked for and are not there any more; ``unread`` those that could not be read, with the reason: nothing is known of
    them, so nothing follows. ``copies`` maps documents that nobody bound to the bound one that they were copied from.
    ``opted_out`` are documents that somebody at the VTT has taken out of the sync. ``failure`` is why nothing at all could be
    read, where it was refused, so that all is unread. ``made`` says of a document by which making it is there, where the VTT can
    tell: under another word it was deleted and made again, whether somebody has seen it gone or not.
    """

    seen: Mapping[str, Mapping[str, Value]] = NOTHING
    gone: frozenset[str] = NOBODY
    unread: Mapping[str, str] = NO_WORDS
    copies: Mapping[str, str] = NO_WORDS
    opted_out: frozenset[str] = NOBODY
    failure: TransportError | None = None
    made: Mapping[str, str] = NO_WORDS

    def values(self, document: str) -> Mapping[str, Value]:
        """Return what a document shows by path; nothing for one that was not read."""
        return self.seen.get(document, EMPTY)
