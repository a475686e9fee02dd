"""Readers of what people write: rosters and tables of equipment. It knows no game; a game brings its own catalogue."""

from __future__ import annotations

from pathlib import Path

from rallypoint.kernel.errors import InputError

from .catalogue import Catalogue, Item
from .force import Force, Platoon, Remark, Squad, Team, Unit
from .platoon_page import read_platoon_page
from .problems import PageError
from .source import read_text

__all__ = [
    "Catalogue",
    "Force",
    "Item",
    "PageError",
    "Platoon",
    "Remark",
    "Squad",
    "Team",
    "Unit",
    "read_force",
    "read_text",
]

_PAGES = (".md", ".markdown", ".txt")


def read_force(path: str | Path, catalogue: Catalogue, *, with_optional: bool = False) -> Force:
    """Return the force that a roster file describes.

    Args:
        path: a platoon page in Markdown (``.md``, ``.markdown``, ``.txt``).
        catalogue: the equipment that exists in the game.
        with_optional: take the optional squads too; otherwise they are in ``Force.left_out`` and named in a remark.

    Raises:
        InputError: the file cannot be read, is of another kind, or (as :class:`PageError`, with every problem in it)
            cannot be understood.
    """
    file = Path(path)
    if file.suffix.lower() not in _PAGES and not file.is_dir():
        raise InputError(
            "rosters of this kind are not read",
            path=str(path),
            found=file.suffix or "a name without suffix",
            expected=", ".join(_PAGES),
        )
    return read_platoon_page(read_text(file), str(path), catalogue, title=file.stem, with_optional=with_optional)
