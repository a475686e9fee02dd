"""Which plugins are switched off, and by what."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

__all__ = ["Switches"]


class Switches(NamedTuple):
    """The switches in force.

    ``disabled`` is stored, ``off`` is named for this run (``-p no:NAME``), ``only`` leaves nothing else on where it is
    not ``None`` (``RALLYPOINT_PLUGINS``), ``none`` switches everything off (``--no-plugins``).
    """

    disabled: frozenset[str] = frozenset()
    off: frozenset[str] = frozenset()
    only: frozenset[str] | None = None
    none: bool = False

    @classmethod
    def of(
        cls, *, disabled: Iterable[str] = (), off: Iterable[str] = (), only: str | None = None, none: bool = False
    ) -> Switches:
        """Return the switches; ``only`` is a list with commas, as the environment has it.

        >>> Switches.of(only="a, b").why_off("c")
        'not in RALLYPOINT_PLUGINS'
        """
        names = None if only is None else frozenset(part.strip() for part in only.split(",") if part.strip())
        return cls(frozenset(disabled), frozenset(off), names, none)

    def why_off(self, name: str) -> str | None:
        """Return by what a plugin is switched off, or ``None`` if it is on.

        >>> Switches.of(disabled=["a"]).why_off("a"), Switches().why_off("a")
        ('disabled', None)
        """
        if self.none:
            return "--no-plugins"
        if name in self.off:
            return f"-p no:{name}"
        if self.only is not None and name not in self.only:
            return "not in RALLYPOINT_PLUGINS"
        return "disabled" if name in self.disabled else None
