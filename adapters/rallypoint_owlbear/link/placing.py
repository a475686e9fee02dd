"""Tokens of an export, as they go into a scene: at the points of its own grid, with pictures where there are some."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple, TypeAlias

from rallypoint.kernel.errors import InputError
from rallypoint.kernel.parts import Hex
from rallypoint_sync.lenses import OnHexes

from ..export import FILE, FORMAT, FORMAT_VERSION
from ..stands import PLACING, RECORD_KEY
from ..trackers import Json
from .pictures import Picture, dressed, names_for

__all__ = ["MANY", "Looked", "Placed", "encounter_of", "items_of", "nothing"]

MANY = 100
"""Tokens: rooms are known to take so many at once."""

Looked: TypeAlias = Callable[[str], Picture | None]
"""Returns the picture of a name, where there is one."""


class Placed(NamedTuple):
    """The items, the ids of those that are tokens (the others go with one), and who of these are discs.

    On a disc Owl Trackers draws nothing.
    """

    items: tuple[Json, ...]
    ids: tuple[str, ...]
    discs: tuple[str, ...]

    @property
    def tokens(self) -> int:
        """How many tokens there are."""
        return len(self.ids)

    @property
    def warning(self) -> str | None:
        """What is to be said of so many."""
        much = f"{self.tokens} tokens: rooms are known to take up to {MANY} at once; leave some out, or make two scenes"
        return much if self.tokens > MANY else None


def nothing(_name: str) -> Picture | None:
    """Find no picture."""
    return None


def encounter_of(path: Path) -> tuple[str, int]:
    """Return the title of an export, and how many tokens it has.

    Raises:
        InputError: it cannot be read, or is no such file.
    """
    content = _read(path)
    about = content.get("encounter")
    title = about.get("title") if isinstance(about, Mapping) else None
    tokens = content["tokens"]
    assert isinstance(tokens, list)
    return (title if isinstance(title, str) and title.strip() else path.stem), len(tokens)


def items_of(path: Path, places: tuple[float, float, float], picture: Looked = nothing) -> Placed:
    """Return the items of an export for a scene.

    Args:
        path: the ``encounter.owlbear.json`` of an export.
        places: the width of a hex in the scene, and the point of its hex (0, 0).
        picture: finds pictures for tokens that have none.

    Raises:
        InputError: it cannot be read, or is no such file.
    """
    lens, word = OnHexes(*places), secrets.token_hex(4)
    items: list[Json] = []
    ids: list[str] = []
    discs: list[str] = []
    for number, token in enumerate(_tokens(path)):
        place, held = token.get("hex"), token.get("items")
        if not isinstance(place, Mapping) or not isinstance(held, list) or not held:
            raise InputError("a token without hex or items", path=str(path), where=f"tokens[{number}]")
        if not all(isinstance(each, dict) and isinstance(each.get("metadata"), dict) for each in held):
            raise InputError("an item that is none", path=str(path), where=f"tokens[{number}]")
        point = lens.encode(("hex", *Hex(_whole(place, "q", path), _whole(place, "r", path))[:2], None))
        assert isinstance(point, tuple)
        if held[0].get("type") == "SHAPE":
            found = next((one for name in names_for(held[0]) if (one := picture(name)) is not None), None)
            if found is None:
                discs.append(str(token.get("uid")))
            else:
                held = dressed(held, found)
        ids.append(str(held[0].get("id")))
        for item in held:
            size = {"width": places[0], "height": places[0]} if item.get("type") == "SHAPE" else {}
            items.append({**_marked(item, word), **size, "position": {"x": point[0], "y": point[1]}})
    return Placed(tuple(items), tuple(ids), tuple(discs))


def _marked(item: Json, word: str) -> Json:
    """Return an item whose record says by which placing it is there: another time it is another word."""
    metadata = item["metadata"]
    assert isinstance(metadata, Mapping)
    record = metadata.get(RECORD_KEY)
    if not isinstance(record, Mapping):
        return item
    return {**item, "metadata": {**metadata, RECORD_KEY: {**record, PLACING: word}}}


def _read(path: Path) -> Json:
    try:
        content = json.loads(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        hint = f"rallypoint export owlbear SCENARIO -o FOLDER writes {FILE} there"
        raise InputError("there is no such file", path=str(path), hint=hint) from None
    except (OSError, ValueError, RecursionError) as error:
        if path.suffix == ".toml":
            hint = f"make one first: rallypoint export owlbear {path} -o for-owlbear"
            raise InputError("this is no export for Owlbear", path=str(path), expected=FILE, hint=hint) from None
        raise InputError("this cannot be read as JSON", path=str(path), found=str(error)) from None
    tokens = content.get("tokens") if isinstance(content, dict) else None
    if not isinstance(content, dict) or content.get("format") != FORMAT or not isinstance(tokens, list):
        raise InputError("this is no export for Owlbear", path=str(path), expected=f"the {FILE} of rallypoint export")
    if content.get("version") != FORMAT_VERSION:
        raise InputError("a version that is not read", path=str(path), found=str(content.get("version")))
    return content


def _tokens(path: Path) -> list[Json]:
    tokens = _read(path)["tokens"]
    assert isinstance(tokens, list)
    if not all(isinstance(each, dict) for each in tokens):
        raise InputError("a token that is none", path=str(path), expected="{...}")
    return tokens


def _whole(place: Mapping[str, object], key: str, path: Path) -> int:
    found = place.get(key)
    if type(found) is not int:
        raise InputError("a hex is two whole numbers", path=str(path), found=repr(found))
    return found
