"""Persistent Tokens: a file for the extension of that name, which knows a token by the address of its picture.

When a token with that picture comes into a scene, it gets the stored metadata, so Stress and Wounds reach a table
without a page of ours. Only tokens with a picture of their own can be in it: of two with one picture nobody could
tell which is meant, and both would show the same numbers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from .trackers import Json

__all__ = ["persistent_tokens"]

_EPOCH = "1970-01-01T00:00:00.000Z"


def persistent_tokens(tokens: Sequence[Json]) -> tuple[list[Json], list[str]]:
    """Return the entries of the file, and the names of the tokens whose picture others have, too.

    ``tokens`` are items as :func:`~rallypoint_owlbear.items.image_token` makes them; shapes are passed over.
    """
    pictures = [token for token in tokens if token["type"] == "IMAGE"]
    seen = Counter(_address(token) for token in pictures)
    entries: list[Json] = []
    shared = []
    for token in pictures:
        if seen[_address(token)] > 1:
            shared.append(str(token["name"]))
        else:
            entries.append({"type": "UNIQUE", "token": _whole(token), "attachments": []})
    return entries, shared


def _address(token: Json) -> str:
    image = token["image"]
    assert isinstance(image, Mapping)
    return str(image["url"])


def _whole(token: Json) -> Json:
    """Return the item with the fields that a page would have filled in; the extension places nothing."""
    fields: Json = {"createdUserId": "", "zIndex": 0, "lastModified": _EPOCH, "lastModifiedUserId": ""}
    return {**token, "position": token["position"] or {"x": 0, "y": 0}, **fields}
