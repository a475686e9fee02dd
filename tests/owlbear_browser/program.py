"""The program's side as `rallypoint owlbear serve` runs it: a real port, the built extension; it can be stopped and started again."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

from rallypoint_owlbear.link.desk import Desk, Place
from rallypoint_owlbear.link.doors import OWLBEAR, Doors
from rallypoint_owlbear.link.link import Link
from rallypoint_owlbear.link.serving import listening, served

__all__ = ["Program"]


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
        self._running.enter_context(served(self.link, self.doors, sockets, self.bundle, self.pictures))

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
