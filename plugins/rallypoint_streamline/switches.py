"""Reading the switches: which of the rules in the manifest are on."""

from __future__ import annotations

from collections.abc import Mapping

from rallypoint.kernel.canonical import Value

__all__ = ["on"]


def on(options: Mapping[str, Value], *rulings: str) -> bool:
    """Say whether all of these rulings are on.

    >>> on({"D-SL-R8.1": "on"}, "D-SL-R8.1"), on({}, "D-SL-R8.1"), on({"D-SL-R8.1": "on"}, "D-SL-R8.1", "D-SL-R9.1")
    (True, False, False)
    """
    return all(options.get(ruling) == "on" for ruling in rulings)
