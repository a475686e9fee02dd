"""What other extensions show on a token: Stat Bubbles, and the order of initiative trackers. Both are options."""

from __future__ import annotations

from .trackers import Bar, Json

__all__ = ["BUBBLES_KEY", "INITIATIVE_KEYS", "bubbles", "initiative"]

BUBBLES_KEY = "com.owlbear-rodeo-bubbles-extension/metadata"
"""The metadata key of Stat Bubbles (1.9)."""
INITIATIVE_KEYS = {
    "official": "rodeo.owlbear.initiative-tracker/metadata",
    "pretty": "com.pretty-initiative/metadata",
}
"""The metadata keys of the official Initiative Tracker and of Pretty Sordid Initiative."""


def bubbles(bars: list[Bar]) -> Json | None:
    """Return what Stat Bubbles shows: health is the Wounds that are left, of all units on the token together.

    >>> bubbles([Bar("a", "A", 1, 3), Bar("b", "B", 0, 2)])
    {'health': 4, 'max health': 5}
    """
    most = sum(bar.maximum for bar in bars)
    return {"health": most - sum(bar.taken for bar in bars), "max health": most} if most else None


def initiative(place: int, number: int) -> Json:
    """Return what an initiative tracker keeps of the token at a place (from 0) of ``number``: the first has the highest count.

    The count is a text, as both extensions want it.

    >>> initiative(0, 12)
    {'count': '12', 'active': False}
    """
    return {"count": str(number - place), "active": False}
