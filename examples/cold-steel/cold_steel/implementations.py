"""What cold steel changes. Each function has the name of a hook and takes any of its arguments, by name."""

from __future__ import annotations

from rallypoint.kernel.plugins.hooks import hookimpl
from rallypoint.kernel.state import Entity


@hookimpl
def fire_wounds(target: Entity, wounds: int) -> int | None:
    """Let a target that is hurt already take one Wound more."""
    return wounds + 1 if target.trackers["Wounds"].value else None
