"""Clashes between plugins, read from their manifests: found before a battle starts, with the choice to make."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..errors import PluginError
from .manifest import Manifest

__all__ = ["clashes", "refuse_clashes"]


def clashes(manifests: Iterable[Manifest]) -> tuple[PluginError, ...]:
    """Return an error for each ruling that two plugins decide or bring, and for each pair that cannot be on together.

    Who brings a ruling decides it, too, whether or not the manifest says so.
    """
    by_name = {manifest.name: manifest for manifest in manifests}
    pairs: set[tuple[str, str]] = set()
    deciders: dict[str, list[str]] = {}
    for name, manifest in sorted(by_name.items()):
        pairs.update((min(name, other), max(name, other)) for other in manifest.conflicts if other in by_name)
        brought = {each.id for each in manifest.rulings}
        for ruling in brought | set(manifest.decides):
            deciders.setdefault(f"decide the ruling {ruling}", []).append(name)
        for ruling in brought:
            deciders.setdefault(f"bring the ruling {ruling}", []).append(name)
        for preset in manifest.presets:
            deciders.setdefault(f"bring the set of rules {preset.name}", []).append(name)
    for bring in [what for what in deciders if what.startswith("bring the ruling")]:
        decide = bring.replace("bring", "decide", 1)
        if len(deciders[bring]) > 1 and deciders[decide] == deciders[bring]:
            del deciders[decide]  # that they bring it says so already
    return (
        *[_clash(f"{one} and {other} cannot be on together", (one, other)) for one, other in sorted(pairs)],
        *[_clash(f"{len(names)} plugins {what}", names) for what, names in sorted(deciders.items()) if len(names) > 1],
    )


def _clash(what: str, names: Sequence[str]) -> PluginError:
    choice = ", or ".join(f"rallypoint plugin disable {name}" for name in names)
    return PluginError(what, plugin=names[0], where=f"plugins {' and '.join(names)}", hint=f"choose: {choice}")


def refuse_clashes(manifests: Iterable[Manifest]) -> None:
    """Raise the first clash: what a battle does before it starts.

    Raises:
        PluginError: two plugins decide one ruling, or one of them names the other in ``conflicts``.
    """
    for error in clashes(manifests):
        raise error
