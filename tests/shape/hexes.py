"""Hexes by axial coordinates: directions, distance and arcs."""

from __future__ import annotations

from rallypoint.kernel.state import Entity, Hex

AROUND = ((1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1), (0, 1))
"""The step to the neighbour on each hexside."""


def at(entity: Entity) -> Hex:
    assert isinstance(entity.place, Hex)
    return entity.place


def distance(a: Hex, b: Hex) -> int:
    q, r = a.q - b.q, a.r - b.r
    return max(abs(q), abs(r), abs(q + r))


def ahead(ship: Hex, target: Hex) -> bool:
    """Say whether the target is in the 120 degrees forward (P-WA1, F): between the sides left and right of the facing."""
    (uq, ur), (wq, wr) = AROUND[((ship.facing or 0) + 5) % 6], AROUND[((ship.facing or 0) + 1) % 6]
    q, r, area = target.q - ship.q, target.r - ship.r, uq * wr - ur * wq
    return (q * wr - r * wq) * area >= 0 and (uq * r - ur * q) * area >= 0
