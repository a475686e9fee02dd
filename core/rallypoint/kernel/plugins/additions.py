"""What plugins add to a game by their manifests alone: rulings, sets of rules, equipment. Nothing is imported for it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from ..rulings import Preset, Ruling
from .discovery import Found
from .manifest import Name
from .switches import Switches

__all__ = ["Additions", "additions"]


class Additions(NamedTuple):
    """What plugins add, each with the name of its plugin.

    ``content`` are the paths of files of equipment, ``traits`` those of equipment that their rules know, ``names`` what another game calls things.
    ``off`` says of the rulings and sets of rules of plugins that are off which plugin that is, and why: ``short-supply, which is off (disabled)``.
    """

    rulings: tuple[tuple[str, Ruling], ...] = ()
    presets: tuple[tuple[str, Preset], ...] = ()
    content: tuple[tuple[str, str], ...] = ()
    traits: tuple[tuple[str, str], ...] = ()
    names: tuple[tuple[str, Name], ...] = ()
    off: Mapping[str, str] = MappingProxyType({})

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
    known = sorted(found, key=lambda each: each.name)
    made_for = [(each, each.manifest) for each in known if each.manifest is not None and game in each.manifest.needs]
    manifests = [(each, manifest) for each, manifest in made_for if switches.why_off(each.name) is None]
    off = {
        named: f"{each.name}, which is off ({switches.why_off(each.name)})"
        for each, manifest in made_for
        if switches.why_off(each.name) is not None
        for named in (*[ruling.id for ruling in manifest.rulings], *[preset.name for preset in manifest.presets])
    }
    return Additions(
        tuple([(each.name, ruling) for each, manifest in manifests for ruling in manifest.rulings]),
        tuple([(each.name, preset) for each, manifest in manifests for preset in manifest.presets]),
        tuple([(each.name, str(Path(each.folder, name))) for each, manifest in manifests for name in manifest.content]),
        tuple([(each.name, trait) for each, manifest in manifests for trait in manifest.traits]),
        tuple([(each.name, name) for each, manifest in manifests for name in manifest.names]),
        MappingProxyType(off),
    )
