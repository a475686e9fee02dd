"""Encounters that the server offers in the popover: the GM's click places one in the open scene."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from pathlib import Path

from rallypoint.kernel.errors import InputError, RallypointError
from rallypoint_sync.transport import UnreachableError

from ..trackers import Json
from .binding import zero_of
from .link import Link, Standing, Way
from .placing import encounter_of, items_of
from .transport import OwlbearTransport

__all__ = ["Encounters", "open_scene"]


def open_scene(way: Way) -> tuple[str, tuple[float, float, float] | None, Standing]:
    """Return the open scene, the measures of its hexes where it has such, and how the link stands.

    Raises:
        UnreachableError: no page of a GM is linked, or no scene is open.
    """
    standing = way.standing()
    if standing.writer is None:
        hint = "open the room as GM in the browser, and type the pairing code into our popover"
        raise UnreachableError("no page of a GM is linked", code="no_page", hint=hint)
    if standing.shown.scene is None:
        raise UnreachableError("no scene is open in the room", code="no_scene", hint="open one")
    try:
        places = zero_of(standing.shown.grid)
    except InputError:
        places = None
    return standing.shown.scene, places, standing


class Encounters:
    """What is offered, by name.

    Args:
        link: the link of the room.
        files: exports; each is read again when it is placed.

    Raises:
        InputError: one cannot be read, or is no export for Owlbear.
    """

    def __init__(self, link: Link, files: Iterable[Path]) -> None:
        self.link = link
        self._files: dict[str, Path] = {}
        offered: list[Json] = []
        for path in files:
            title, tokens = encounter_of(path)
            name = title if title not in self._files else f"{title} ({path})"
            self._files[name] = path
            offered.append({"name": name, "tokens": tokens})
        self._one = threading.Lock()
        link.say(encounters=offered)
        link.on_encounter = self.asked

    @property
    def offered(self) -> Mapping[str, Path]:
        """The files by name."""
        return self._files

    def asked(self, name: str) -> None:
        """Place an encounter from a thread: whoever calls speaks for a page, which waits for its answer."""
        if not self._one.acquire(blocking=False):
            self.link.say(error="an encounter is being placed already")
            return
        threading.Thread(target=self._placed, args=(name,), daemon=True, name="owlbear encounter").start()

    def _placed(self, name: str) -> None:
        is_there = False
        try:
            failed = self.place(name)
            is_there = True
            error = "; ".join(f"{item}: {why}" for item, why in failed.items()) or None
        except RallypointError as found:
            error = str(found)
        finally:
            self._one.release()
        self.link.say(error=error)
        if is_there:  # also where the room has refused some
            self.link.want_binding("")

    def place(self, name: str) -> Mapping[str, str]:
        """Put an encounter into the open scene, as ``rallypoint owlbear place`` does; return why some items are not there.

        Raises:
            InputError: there is none of this name, or the scene has no hexes.
            TransportError: the room could not be reached, or said no.
        """
        if name not in self._files:
            raise InputError("no such encounter is offered", found=name, expected=", ".join(self._files) or "none is")
        scene, places, _ = open_scene(self.link)
        if places is None:
            raise InputError("tokens stand on hexes", hint="set the grid of the open scene to Hex Vertical")
        _, failed = OwlbearTransport(self.link, scene, ()).place(items_of(self._files[name], places).items)
        return failed
