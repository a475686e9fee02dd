"""The program's side as `rallypoint owlbear serve` runs it: a real port, the built extension; it can be stopped and started again."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path

from rallypoint_owlbear.link.desk import Desk, Place
from rallypoint_owlbear.link.doors import OWLBEAR, Doors
from rallypoint_owlbear.link.link import Link, Standing
from rallypoint_owlbear.link.server import Ready
from rallypoint_owlbear.link.serving import listening, served

__all__ = ["Edits", "Program"]

PATIENCE = 20.0
"""Seconds until a test gives up on something that is not told."""


class Program:
    """A server of the extension.

    Args:
        bundle: the built extension.
        frames: the origins of rooms beside Owlbear's own.
        pictures: a folder of pictures.
    """

    def __init__(self, bundle: Path, frames: tuple[str, ...], pictures: Path | None = None) -> None:
        self.bundle, self.pictures = bundle, pictures
        self._frames = (OWLBEAR, *frames)
        self._port = 0
        self._running = ExitStack()
        self.start()

    def start(self, doors: Doors | None = None) -> None:
        """Start it, on the port that it had before. With the doors of before, tokens of before are good."""
        sockets = listening(self._port)
        self._port = sockets[0].getsockname()[1]
        self.link = Link()
        self.doors = doors or Doors(self._port, self._frames)
        self._running.enter_context(served(Ready(self.link, self.doors, sockets, self.bundle, self.pictures, None)))

    def stop(self) -> None:
        """Stop it: Ctrl-C."""
        self._running.close()

    @property
    def base(self) -> str:
        """Its address."""
        return self.doors.origin

    @property
    def desk(self) -> Desk:
        """The way of a command of another process."""
        return Desk(Place(self._port, self.doors.desk_key))

    def until(self, what: Callable[[Standing], object]) -> Standing:
        """Wait until how the link stands is as a test wants it, and return that."""
        edits = Edits(self.link)
        while not what(standing := self.link.standing()):
            edits.changed()
        return standing


class Edits:
    """What pages tell of the scene from now on, one after the other."""

    def __init__(self, link: Link) -> None:
        self.link = link
        self._number, _ = link.changes_after(-1, 0.0)
        self._waiting: list[Sequence[str]] = []

    def changed(self) -> Sequence[str]:
        """Wait for the next change, and return the items; none: anything may have changed."""
        end = time.monotonic() + PATIENCE
        while not self._waiting:
            self._number, found = self.link.changes_after(self._number, 1.0)
            self._waiting += found
            assert time.monotonic() < end, "nothing has changed"
        return self._waiting.pop(0)

    def items(self) -> list[str]:
        """Wait for the next change that tells of items, and return them."""
        while not (found := self.changed()):
            pass
        return list(found)
