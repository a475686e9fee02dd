"""What the popover is told while a battle is watched: how it stands, and what went wrong last."""

from __future__ import annotations

import contextlib

from rallypoint_sync.transport import UnreachableError
from rallypoint_sync.watching import News
from rallypoint_sync.wishes import SetValue

from .seat import RoomSeat

__all__ = ["SHOWN", "Popover"]

SHOWN = 10.0
"""Seconds for which it is shown why a click was not done, unless there is another click before."""


class Popover:
    """Tells the pages of a room what a watch has to tell.

    Args:
        seat: the battle, at the room.
    """

    def __init__(self, seat: RoomSeat) -> None:
        self.seat = seat
        self._refused: str | None = None
        self._until = 0.0

    def __call__(self, news: News) -> None:
        """Tell them; where the server does not run, nobody hears it, and they are told anew once it does."""
        with contextlib.suppress(UnreachableError):
            self._tell(news)

    def _tell(self, news: News) -> None:
        if news.what == "busy":
            return  # whoever has the room tells how it stands
        now = self.seat.clock.now()
        if news.wish is not None:
            self._refused, self._until = self._why(news), now + SHOWN
            self.seat.way.answer(news.wish.key, self._refused)
        elif now >= self._until:
            self._refused = None
        said = None if news.wish is not None or news.error is None else str(news.error)
        self.seat.way.say(**self.seat.status(self._refused or said))

    def _why(self, news: News) -> str | None:
        if news.error is None:
            return None
        who = f"{self.seat.called(news.wish.field.uid)}: " if isinstance(news.wish, SetValue) else ""
        return f"{who}{news.error}"
