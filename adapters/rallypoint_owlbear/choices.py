"""The options of the export."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from typing import NamedTuple

from rallypoint.kernel.errors import InputError

from .others import INITIATIVE_KEYS

__all__ = ["Choice", "choice_of"]

_CHOICES = {
    "tokens": ("stand", "unit"),
    "enemies": ("hide", "show"),
    "bubbles": ("off", "on"),
    "initiative": ("off", *INITIATIVE_KEYS),
}


class Choice(NamedTuple):
    """The options of one export.

    ``by_unit``: a token a unit, not a stand; ``show_enemies``: the numbers of every side; ``bubbles``: for Stat Bubbles, too;
    ``initiative`` is a tracker's metadata key or ``None``; ``walls`` are the kinds of terrain that have walls.
    """

    by_unit: bool
    show_enemies: bool
    bubbles: bool
    initiative: str | None
    walls: frozenset[str]


def choice_of(options: Mapping[str, str]) -> Choice:
    """Return what options say as text.

    Raises:
        InputError: there is no such option, or no such value of it.
    """
    names = (*_CHOICES, "walls")
    for name, value in options.items():
        if name not in names:
            near = get_close_matches(name, names, 1)
            raise InputError(
                "the Owlbear exporter has no such option",
                found=name,
                expected=" or ".join(names),
                hint=f"did you mean {near[0]}?" if near else None,
            )
        if name != "walls" and value not in _CHOICES[name]:
            raise InputError(
                "no such choice", where=f"option {name}", found=value, expected=" or ".join(_CHOICES[name])
            )
    walls = frozenset([word.strip() for word in options.get("walls", "building").split(",") if word.strip()])
    return Choice(
        options.get("tokens") == "unit",
        options.get("enemies") == "show",
        options.get("bubbles") == "on",
        INITIATIVE_KEYS.get(options.get("initiative", "off")),
        walls,
    )
