"""What an export could not place, gathered so that each thing is named once, with everybody it concerns."""

from __future__ import annotations

__all__ = ["Losses"]


class Losses:
    """Lines of the form ``what (who; who): why``, in the order in which they first came up.

    >>> losses = Losses()
    >>> losses.add("tracker Ammo", "R-1A", "no field for it")
    >>> losses.add("tracker Ammo", "R-1B", "no field for it")
    >>> losses.lines()
    ('tracker Ammo (R-1A; R-1B): no field for it',)
    """

    def __init__(self) -> None:
        self._found: dict[tuple[str, str], list[str]] = {}

    def add(self, what: str, who: str, why: str) -> None:
        """Note that ``what`` of ``who`` has no home, and ``why``."""
        self._found.setdefault((what, why), []).append(who)

    def lines(self) -> tuple[str, ...]:
        """Return the lines."""
        return tuple(f"{what} ({'; '.join(who)}): {why}" for (what, why), who in self._found.items())
