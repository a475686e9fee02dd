"""What an adapter gives for a VTT at ``rallypoint table``: the way there, and what it wants to hear.

A manifest says where that is::

    [[vtts]]
    name = "whiteboard"
    help = "Keep the whiteboard in step."
    run = "whiteboard.live:at_table"

``run`` names a function that takes :class:`Given` and returns a context manager of a :class:`Live`.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from typing import NamedTuple, Protocol, TypeAlias, cast

from rallypoint.kernel.errors import PluginError
from rallypoint.kernel.plugins.discovery import discover
from rallypoint.kernel.plugins.manifest import Vtt
from rallypoint.kernel.plugins.opening import Opened
from rallypoint.kernel.plugins.switches import Switches

from .clock import Clock
from .ledger import Ledger
from .transport import WatchingTransport
from .watching import News

__all__ = ["Given", "Live", "Opening", "known_vtts", "opening_of"]


class Given(NamedTuple):
    """What an adapter is given: the battle, its ledger, the time, its options by name, and a way to say something to the Warden."""

    opened: Opened
    ledger: Ledger
    clock: Clock
    options: Mapping[str, object]
    say: Callable[[str], None]


class Live(Protocol):
    """A VTT at a table."""

    @property
    def title(self) -> str:
        """What people call it: a world, a room."""

    @property
    def transport(self) -> WatchingTransport:
        """The way there. While nothing is bound it is not asked."""

    def heard(self, news: News) -> None:
        """Hear what happens to all, or to this VTT."""


Opening: TypeAlias = Callable[[Given], AbstractContextManager[Live]]


def known_vtts(switches: Switches | None = None) -> Mapping[str, Vtt]:
    """Return the VTTs of the plugins that are on, by name; of two with one name the first plugin's."""
    found: dict[str, Vtt] = {}
    for plugin in discover().found:
        if plugin.manifest is not None and (switches is None or switches.why_off(plugin.name) is None):
            for each in plugin.manifest.vtts:
                found.setdefault(each.name, each)
    return found


def opening_of(vtt: Vtt) -> Opening:
    """Import what opens a VTT.

    Raises:
        PluginError: it is not there.
    """
    module, _, name = vtt.run.partition(":")
    try:
        found = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise PluginError("this VTT cannot be used", plugin=vtt.name, where=vtt.run, found=str(error)) from error
    return cast("Opening", found)
