"""Tokens of an export, as they go into the open scene: at the points of its own grid."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from rallypoint.kernel.errors import InputError
from rallypoint.kernel.parts import Hex
from rallypoint_sync.lenses import OnHexes

from ..export import FILE, FORMAT, FORMAT_VERSION
from ..trackers import Json

__all__ = ["Placed", "items_of"]


class Placed(NamedTuple):
    """The items, how many tokens they are, and how many of those are discs, on which Owl Trackers draws nothing."""

    items: tuple[Json, ...]
    tokens: int
    discs: int


def items_of(path: Path, places: tuple[float, float, float]) -> Placed:
    """Return the items of an export for a scene.

    Args:
        path: the ``encounter.owlbear.json`` of an export.
        places: the width of a hex in the scene, and the point of its hex (0, 0).

    Raises:
        InputError: it cannot be read, or is no such file.
    """
    lens = OnHexes(*places)
    items: list[Json] = []
    tokens = _tokens(path)
    discs = 0
    for number, token in enumerate(tokens):
        place, held = token.get("hex"), token.get("items")
        if not isinstance(place, Mapping) or not isinstance(held, list) or not held:
            raise InputError("a token without hex or items", path=str(path), where=f"tokens[{number}]")
        point = lens.encode(("hex", *Hex(_whole(place, "q", path), _whole(place, "r", path))[:2], None))
        assert isinstance(point, tuple)
        discs += held[0].get("type") == "SHAPE"
        for item in held:
            size = {"width": places[0], "height": places[0]} if item.get("type") == "SHAPE" else {}
            items.append({**item, **size, "position": {"x": point[0], "y": point[1]}})
    return Placed(tuple(items), len(tokens), discs)


def _tokens(path: Path) -> list[Json]:
    try:
        content = json.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError, RecursionError) as error:
        raise InputError("this cannot be read as JSON", path=str(path), found=str(error)) from None
    tokens = content.get("tokens") if isinstance(content, dict) else None
    if not isinstance(content, dict) or content.get("format") != FORMAT or not isinstance(tokens, list):
        raise InputError("this is no export for Owlbear", path=str(path), expected=f"the {FILE} of rallypoint export")
    if content.get("version") != FORMAT_VERSION:
        raise InputError("a version that is not read", path=str(path), found=str(content.get("version")))
    if not all(isinstance(each, dict) for each in tokens):
        raise InputError("a token that is none", path=str(path), expected="{...}")
    return tokens


def _whole(place: Mapping[str, object], key: str, path: Path) -> int:
    found = place.get(key)
    if type(found) is not int:
        raise InputError("a hex is two whole numbers", path=str(path), found=repr(found))
    return found
