"""What plugins add to a game by their manifests alone: rulings, sets of rules, equipment. Nothing is imported for it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from ..rulings import Preset, Ruling
from .discovery import Found
from .switches import Switches

__all__ = ["Additions", "additions"]


class Additions(NamedTuple):
    """What plugins add: rulings and presets with the name of their plugin, and the paths of files of equipment."""

    rulings: tuple[tuple[str, Ruling], ...] = ()
    presets: tuple[tuple[str, Preset], ...] = ()
    content: tuple[str, ...] = ()

    def owner(self, ruling: str) -> str | None:
        """Return the plugin that brings a ruling, ``None`` if none does."""
        return next((plugin for plugin, each in self.rulings if each.id == ruling), None)


def additions(game: str, found: Iterable[Found], switches: Switches) -> Additions:
    """Return what the plugins that are on add to a game, in the order of their names.

    Args:
        game: the name of the game's plugin.
        found: what :func:`~rallypoint.kernel.plugins.discovery.discover` found.
        switches: which are off.
    """
    plugins = sorted(_for_game(game, found, switches), key=lambda each: each.name)
    manifests = [(each, each.manifest) for each in plugins if each.manifest is not None]
    return Additions(
        tuple([(each.name, ruling) for each, manifest in manifests for ruling in manifest.rulings]),
        tuple([(each.name, preset) for each, manifest in manifests for preset in manifest.presets]),
        tuple([str(Path(each.folder, *name.split("/"))) for each, manifest in manifests for name in manifest.content]),
    )


def _for_game(game: str, found: Iterable[Found], switches: Switches) -> Iterator[Found]:
    for each in found:
        if each.manifest is not None and game in each.manifest.needs and switches.why_off(each.name) is None:
            yield each
