"""Pictures of tokens: how large they are, which one is whose, and what a token with one looks like."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from ..items import image_token
from ..stands import RECORD_KEY
from ..trackers import Json
from .wire import Message, words_of

__all__ = ["MOST_PIXELS", "Measured", "Picture", "by_name", "called", "dressed", "measured", "names_for", "picked"]

MOST_PIXELS = 16_384
"""Width and height of a picture, at most."""

_ENDINGS: Mapping[str, str] = {
    "image/png": ".png",
    "image/jpeg": ".jpg",
    "image/gif": ".gif",
    "image/webp": ".webp",
}


class Measured(NamedTuple):
    """The kind of a picture, and its true size in pixels: the room warns where an item says another."""

    mime: str
    width: int
    height: int

    @property
    def ending(self) -> str:
        """The ending of its file."""
        return _ENDINGS[self.mime]


class Picture(NamedTuple):
    """A picture that the room can load: ``dpi`` are the pixels of one cell in it, ``offset`` is the pixel that stands in the middle."""

    url: str
    name: str
    mime: str
    width: int
    height: int
    dpi: float
    offset: tuple[float, float]

    @classmethod
    def of(cls, url: str, name: str, size: Measured) -> Picture:
        """Return a picture that is one cell wide, with its middle in the middle."""
        return cls(url, name, size.mime, size.width, size.height, size.width, (size.width / 2, size.height / 2))

    def sent(self) -> Json:
        """Return it as a request has it."""
        found = {"url": self.url, "name": self.name, "width": self.width, "height": self.height, "dpi": self.dpi}
        return found | {"offset": {"x": self.offset[0], "y": self.offset[1]}}


def measured(content: bytes) -> Measured | None:
    """Return kind and size of a picture by its first bytes: PNG, JPEG, GIF or WebP; ``None`` for anything else.

    >>> measured(b"GIF89a" + bytes([44, 1, 200, 0]))
    Measured(mime='image/gif', width=300, height=200)
    >>> measured(b"<svg/>") is None
    True
    """
    try:
        found = _size(content)
    except (struct.error, IndexError):
        return None
    fits = found is not None and 0 < found.width <= MOST_PIXELS and 0 < found.height <= MOST_PIXELS
    return found if fits else None


def _size(content: bytes) -> Measured | None:
    if content.startswith(b"\x89PNG\r\n\x1a\n") and content[12:16] == b"IHDR":
        return Measured("image/png", *struct.unpack(">II", content[16:24]))
    if content[:6] in (b"GIF87a", b"GIF89a"):
        return Measured("image/gif", *struct.unpack("<HH", content[6:10]))
    if content[:4] == b"RIFF" and content[8:12] == b"WEBP":
        return _webp(content)
    return _jpeg(content) if content.startswith(b"\xff\xd8") else None


def _webp(content: bytes) -> Measured | None:
    kind = content[12:16]
    if kind == b"VP8X":
        width, height = (int.from_bytes(content[at : at + 3], "little") + 1 for at in (24, 27))
    elif kind == b"VP8L":
        bits = int.from_bytes(content[21:25], "little")
        width, height = (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    elif kind == b"VP8 ":
        width, height = (each & 0x3FFF for each in struct.unpack("<HH", content[26:30]))
    else:
        return None
    return Measured("image/webp", width, height)


def _jpeg(content: bytes) -> Measured | None:
    at = 2
    while content[at] == 0xFF:
        mark, length = content[at + 1], int.from_bytes(content[at + 2 : at + 4], "big")
        if 0xC0 <= mark <= 0xCF and mark not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack(">HH", content[at + 5 : at + 9])
            return Measured("image/jpeg", width, height)
        at += 2 + max(length, 2)
    return None


def picked(answer: Message) -> tuple[tuple[Picture, ...], tuple[str, ...]]:
    """Return the pictures that the GM picked from the library, and the names of those whose numbers cannot be."""
    found: list[Picture] = []
    odd: list[str] = []
    for each in answer.objects("images"):
        offset = each.get("offset")
        point = (offset.get("x"), offset.get("y")) if isinstance(offset, Mapping) else (None, None)
        url, mime, name = each.get("url"), each.get("mime"), words_of(each.get("name"))
        numbers = [each.get("width"), each.get("height"), each.get("dpi"), *point]
        sizes = [float(one) for one in numbers if type(one) in (int, float)]  # type: ignore[arg-type]
        fits = len(sizes) == 5 and all(0 < one <= MOST_PIXELS for one in sizes[:3])
        fits = fits and all(abs(one) <= MOST_PIXELS for one in sizes[3:])
        is_safe = isinstance(url, str) and url.startswith("https://") and len(url) <= 2000
        if fits and is_safe and isinstance(mime, str) and mime.startswith("image/"):
            width, height, dpi, x, y = sizes
            found.append(Picture(str(url), name, mime, int(width), int(height), dpi, (x, y)))
        else:
            odd.append(name)
    return tuple(found), tuple(odd)


def called(name: str) -> str:
    """Return the name of a picture as it is compared: without its ending, without case.

    >>> called("Red.starter-0A.PNG"), called("red.starter-0A")
    ('red.starter-0a', 'red.starter-0a')
    """
    path = Path(name)
    return (path.stem if path.suffix.lower() in (*_ENDINGS.values(), ".jpeg") else path.name).casefold()


def by_name(pictures: Iterable[Picture]) -> Mapping[str, Picture]:
    """Return pictures by the names under which they are looked up; of two with one name the first."""
    found: dict[str, Picture] = {}
    for each in pictures:
        found.setdefault(called(each.name), each)
    return found


def names_for(token: Mapping[str, object]) -> Iterator[str]:
    """Yield what the picture of a token may be called, the narrower word first: as ``rallypoint tokens`` calls it, its code, its kind.

    >>> record = {"uid": "red.small-0A", "side": "red", "kind": "team", "code": "R-0A"}
    >>> list(names_for({"metadata": {RECORD_KEY: record}}))
    ['red.small-0A', 'small-0A', 'R-0A', 'red-team', 'team']
    """
    metadata = token.get("metadata")
    record = metadata.get(RECORD_KEY) if isinstance(metadata, Mapping) else None
    if not isinstance(record, Mapping):
        return
    uid, side, kind, code = (str(record.get(key) or "") for key in ("uid", "side", "kind", "code"))
    own = uid.removeprefix(f"{side}.") if side else uid
    yield from dict.fromkeys(each for each in (uid, own, code, f"{side}-{kind}", kind) if each)


def dressed(items: list[Json], picture: Picture) -> list[Json]:
    """Return the items of a token with a picture in place of its disc and the text on it."""
    token = items[0]
    text = next((each["text"] for each in items if each.get("attachedTo") == token["id"]), token.get("text"))
    code = text.get("plainText") if isinstance(text, Mapping) else None
    metadata = token["metadata"]
    assert isinstance(metadata, dict)
    made = image_token(str(token["id"]), str(token["name"]), str(code or ""), picture.url, picture.mime, metadata)
    made["position"] = token["position"]
    made["image"] = {"url": picture.url, "mime": picture.mime, "width": picture.width, "height": picture.height}
    made["grid"] = {"dpi": picture.dpi, "offset": {"x": picture.offset[0], "y": picture.offset[1]}}
    return [made, *[each for each in items[1:] if each.get("attachedTo") != token["id"]]]
