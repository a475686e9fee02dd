"""A Foundry world at ``rallypoint table``."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager

from rallypoint_sync.live import Given
from rallypoint_sync.watching import News

from .table import Table
from .transport import FoundryTransport

__all__ = ["World", "at_table"]


class World:
    """A world at a table.

    Args:
        seat: the battle, before the world that was connected and bound.

    Raises:
        NotSetUpError: none was.
        UnreachableError: there is no key.
    """

    def __init__(self, seat: Table) -> None:
        self.seat = seat
        relay = seat.relay(patient=0.0)
        seat.bound()
        self.title = str(seat.about.get("title") or "the world")
        self.transport: FoundryTransport = seat.transport(relay)

    def heard(self, news: News) -> None:
        """Note how many requests were made, each time it listens anew."""
        if news.what == "listening":
            self.seat.account()


@contextmanager
def at_table(given: Given) -> Iterator[World]:
    """Open the world of a battle for ``rallypoint table``."""
    with closing(Table(given.opened, given.ledger, given.clock)) as seat:
        yield World(seat)
