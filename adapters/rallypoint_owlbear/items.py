"""Scene items of Owlbear Rodeo (SDK 3.1): a token for a stand or a unit, with or without a picture."""

from __future__ import annotations

import uuid
from urllib.parse import urlsplit

from rallypoint.kernel.canonical import canonical

from .trackers import Json

__all__ = ["DPI", "image_token", "item_id", "label", "picture_type", "shape_token"]

DPI = 150
"""Pixels of a cell in a new Owlbear scene."""
_PICTURE_PIXELS = 300
_NAMESPACE = uuid.uuid5(uuid.NAMESPACE_URL, "rallypoint:owlbear")
_TYPES = {
    ".avif": "image/avif",
    ".gif": "image/gif",
    ".jpeg": "image/jpeg",
    ".jpg": "image/jpeg",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".webp": "image/webp",
}


def item_id(*parts: str) -> str:
    """Return the UUID for what ``parts`` name: encounter, side, uid and kind; the same on every run.

    >>> item_id("demo", "red", "red/1/A", "token") == item_id("demo", "red", "red/1/A", "token")
    True
    """
    # The canonical text keeps ("ab", "c") and ("a", "bc") apart.
    return str(uuid.uuid5(_NAMESPACE, canonical(parts)))


def picture_type(picture: str | None) -> str | None:
    """Return the media type of a picture that every player can load, or ``None``: no picture, or no public URL.

    Pictures of the user's own Owlbear library have no ending; they count as PNG until the page has looked.

    >>> picture_type("https://example.org/bot.webp?v=2"), picture_type("tokens/bot.png")
    ('image/webp', None)
    """
    if picture is None:
        return None
    try:
        parts = urlsplit(picture)
    except ValueError:
        return None
    if parts.scheme not in ("http", "https") or not parts.netloc:
        return None
    ending = parts.path[parts.path.rfind(".") :].lower() if "." in parts.path else ""
    return _TYPES.get(ending, "image/png")


def _common(identity: str, kind: str, name: str, layer: str) -> Json:
    return {
        "id": identity,
        "type": kind,
        "name": name,
        "layer": layer,
        "visible": True,
        "locked": False,
        # Where it goes is the room's business: pixels depend on its grid. The hex stands beside the item.
        "position": None,
        "rotation": 0,
        "scale": {"x": 1, "y": 1},
    }


def _text(text: str, vertical: str) -> Json:
    return {
        "plainText": text,
        "type": "PLAIN",
        "width": "AUTO",
        "height": "AUTO",
        "richText": [{"type": "paragraph", "children": [{"text": ""}]}],
        "style": {
            "padding": 8,
            "fontFamily": "Roboto",
            "fontSize": 24,
            "fontWeight": 400,
            "textAlign": "CENTER",
            "textAlignVertical": vertical,
            "fillColor": "white",
            "fillOpacity": 1,
            "strokeColor": "white",
            "strokeOpacity": 1,
            "strokeWidth": 0,
            "lineHeight": 1.5,
        },
    }


def image_token(identity: str, name: str, code: str, url: str, media: str, metadata: Json) -> Json:
    """Return a token with a picture, taken to be 300 pixels square and one cell wide until somebody measures it."""
    half = _PICTURE_PIXELS // 2
    return _common(identity, "IMAGE", name, "CHARACTER") | {
        "image": {"url": url, "mime": media, "width": _PICTURE_PIXELS, "height": _PICTURE_PIXELS},
        "grid": {"dpi": _PICTURE_PIXELS, "offset": {"x": half, "y": half}},
        "textItemType": "LABEL",
        "text": _text(code, "BOTTOM"),
        "metadata": metadata,
    }


def shape_token(identity: str, name: str, colour: str, metadata: Json) -> Json:
    """Return a token without a picture: a disc one cell wide in the colour of its side."""
    return _common(identity, "SHAPE", name, "CHARACTER") | {
        "width": DPI,
        "height": DPI,
        "shapeType": "CIRCLE",
        "style": {
            "fillColor": colour,
            "fillOpacity": 0.6,
            "strokeColor": "#ffffff",
            "strokeOpacity": 1,
            "strokeWidth": 4,
            "strokeDash": [],
        },
        "metadata": metadata,
    }


def label(identity: str, token: str, code: str) -> Json:
    """Return the text that goes with a disc: attached to it, out of the way of the mouse."""
    return _common(identity, "TEXT", code, "TEXT") | {
        "text": _text(code, "MIDDLE"),
        "attachedTo": token,
        "disableHit": True,
        "locked": True,
        "metadata": {},
    }
