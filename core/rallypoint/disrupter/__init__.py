"""Disrupter: fights of platoons on a hex map. The game is by Violet Ballard / RV Games, CC BY 4.0."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rallypoint.content import Catalogue, Force
    from rallypoint.kernel.encounter import Encounter

__all__ = ["catalogue", "encounter"]


def catalogue() -> Catalogue:
    """Return the equipment of the game: classes, weapons, armour, bots, vehicles."""
    from .tables import catalogue  # the tables are read when somebody asks, not when the package is found

    return catalogue()


def encounter(force: Force, *, side: str = "red") -> Encounter:
    """Return the force as the game's state with a sheet for each entity.

    Args:
        force: what a roster gave, read with this game's :func:`catalogue`.
        side: the uid of the side it fights for, in ASCII letters, digits and hyphens.

    Raises:
        InputError: the side has no such name, or the force has equipment that the game does not know.
    """
    from .muster import encounter

    return encounter(force, side=side)
