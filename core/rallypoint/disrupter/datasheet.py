"""A stand at length: its units with stats and weapons, as they stand on the Platoon Card."""

from __future__ import annotations

from collections.abc import Iterator

from rallypoint.kernel.state import Entity, State

from .field import Weapon, living, rally_points, team_of, weapons
from .spoken import Names, hex_name

__all__ = ["stand_lines"]


def stand_lines(state: State, uid: str, name: Names) -> Iterator[str]:
    """Yield the living units of a stand with Instinct, Armor and Movement, and each weapon with Wounds by range and its Max.

    Args:
        state: the battle.
        uid: a team, or a unit of it; a side: then its Rally Points by name.
        name: gives names for uids.
    """
    if state[uid].role == "side":
        points = [f"{point} {hex_name(at)}" for point, at in rally_points(state, uid).items()]
        yield f"{name(uid)}: Rally Points: {', '.join(points) or 'none'}"
        return
    if state[uid].role not in ("team", "unit"):
        return
    for unit in living(state, team_of(state, uid).uid):
        yield f"{name(unit.uid)}: {_stats(unit)}"
        yield from (f"  {_arm(arm)}" for arm in weapons(state, unit))


def _stats(unit: Entity) -> str:
    wounds = unit.trackers["Wounds"]
    facts = unit.facts
    return (
        f"Instinct {facts.get('instinct')}, Armor {facts.get('armor')}, Movement {facts.get('movement')}, "
        f"Wounds {wounds.value} of {wounds.max}"
    )


def _arm(arm: Weapon) -> str:
    """Return a weapon with its Wounds at Close (1 hex), Medium (2) and Long Range (3 and more), and how far it reaches."""
    most = "any distance" if arm.Max is None else f"{arm.Max} hexes at most"
    thrown = f"T {arm.T}, " if arm.T else ""
    return f"{arm.title}: Wounds {thrown}C {arm.C}, M {arm.M}, L {arm.L}; {most}"
