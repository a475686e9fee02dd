"""The colours of discs: each side has its own, the one that its name says where it says one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

__all__ = ["side_colours"]

_NAMED: Mapping[str, str] = {
    # All of them dark enough for the white letters of a label.
    "red": "#c62828",
    "blue": "#1565c0",
    "green": "#2e7d32",
    "yellow": "#a36a00",
    "purple": "#6a1b9a",
    "grey": "#616161",
}


def side_colours(sides: Iterable[str]) -> Mapping[str, str]:
    """Return a colour for each uid of a side: that of its name, else the next that no other has.

    >>> dict(side_colours(["blue", "Crew", "red", "Blue Company"]))
    {'blue': '#1565c0', 'red': '#c62828', 'Crew': '#2e7d32', 'Blue Company': '#a36a00'}
    """
    sides = list(dict.fromkeys(sides))
    found = {uid: _NAMED[uid.casefold()] for uid in sides if uid.casefold() in _NAMED}
    free = [colour for colour in _NAMED.values() if colour not in found.values()] or list(_NAMED.values())
    rest = [uid for uid in sides if uid not in found]
    return found | {uid: free[number % len(free)] for number, uid in enumerate(rest)}
