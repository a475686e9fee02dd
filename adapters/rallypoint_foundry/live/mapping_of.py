"""Which profile a world's numbers follow: as it was said, as it was found, and remembered for the next time."""

from __future__ import annotations

from typing import NamedTuple

from ..mapping import Profile
from .relay import Relay
from .table import Table
from .world import Place, profile_for, system_of

__all__ = ["Numbers", "profile_of"]


class Numbers(NamedTuple):
    """The profile of a world, ``None`` where our flags carry everything; and id and version of its system."""

    profile: Profile | None
    system: str
    version: str


def profile_of(table: Table, relay: Relay, named: str | None = None, *, flags: bool = False) -> Numbers:
    """Return where the world keeps its numbers.

    Args:
        table: the battle's.
        relay: the relay.
        named: a profile that was asked for.
        flags: take a system that is not known.

    Raises:
        UnreachableError: the system is not known.
        InputError: there is no such profile.
    """
    about = table.about
    system, version = str(about.get("system") or ""), str(about.get("system_version") or "")
    if not system:
        system, version = system_of(relay, Place(str(about.get("relay") or "3")).is_old)
    kept = about.get("profile")
    said = named or (kept if isinstance(kept, str) else None)
    profile = profile_for(system, version, said, flags=flags or about.get("flags") is True)
    table.remember(system=system, system_version=version, profile=said, flags=flags or about.get("flags") is True)
    return Numbers(profile, system, version)
