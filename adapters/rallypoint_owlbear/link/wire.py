"""What goes over the wire: bodies that came in, checked before anything is done with them, and refusals."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from rallypoint_sync.json_text import parsed, whole_signs

from ..trackers import Json

__all__ = [
    "ANSWERS",
    "CHUNK_BYTES",
    "CHUNK_ITEMS",
    "OF_THE_GM",
    "PICKERS",
    "VERSION",
    "WISHES",
    "Message",
    "WireError",
    "body_of",
    "chunks",
    "item_of",
    "messages_of",
    "text_of",
    "words_of",
]

VERSION = 1
"""What stands in ``v`` of every body."""
CHUNK_ITEMS = 20
"""Items in one call of the room, at most."""
CHUNK_BYTES = 48_000
"""Bytes of one call of the room, at most."""

_LONGEST_NAME = 300
_LONGEST_TEXT = 2000
_LONGEST_CLICK = 40
_MOST_MESSAGES = 500

_KEYS: Mapping[str, Mapping[str, type]] = {
    "hello": {"player": str, "name": str, "role": str, "room": str},
    "lease": {},
    "scene changed": {},
    "snapshot": {"re": int, "items": list, "gone": list},
    "written": {"re": int, "items": list, "gone": list, "failed": list},
    "placed": {"re": int, "items": list, "failed": list},
    "busy": {"re": int, "for_ms": int},
    "refused": {"re": int, "code": str, "why": str},
    "edited": {"items": list, "removed": list},
    "link": {"item": str},
    "set": {"uid": str, "field": str, "value": int, "was": int},
    "resolve": {"number": int, "take": str},
    "encounter": {"name": str},
    "uploaded": {"re": int, "sure": bool},
    "picked": {"re": int, "images": list},
}
"""The messages of a page, and what each must have."""

ANSWERS: Mapping[str, str] = {
    "snapshot wanted": "snapshot",
    "write": "written",
    "place": "placed",
    "upload scene": "uploaded",
    "upload images": "uploaded",
    "pick images": "picked",
}
"""The requests, and what answers each; besides, ``refused`` may answer any."""
PICKERS = frozenset({"upload scene", "upload images", "pick images"})
"""Requests that open a picker in the room."""
WISHES = frozenset({"set", "resolve"})
"""Those that ask something of the battle."""
OF_THE_GM = WISHES | {"link", "encounter"}
"""Those that no player's page may send."""

_WORDS: Mapping[tuple[str, str], tuple[str, ...]] = {
    ("set", "field"): ("wounds", "stress"),
    ("resolve", "take"): ("battle", "owlbear"),
}
"""Where a message has one of a few words."""
_LARGEST = 2**53
_UNSEEN = re.compile(
    "[^\x20-\x7e\u00a0-\u061b\u061d-\u200d\u2010-\u2027\u202f-\u2065\u206a-\ud7ff\ue000-\ufff8\ufffc-\U0010ffff]+"
)


class WireError(Exception):
    """A refusal: what is answered to a page that did something wrong.

    Args:
        status: the status of HTTP.
        code: the machine word for it.
        words: what a person reads.
    """

    def __init__(self, status: int, code: str, words: str) -> None:
        super().__init__(words)
        self.status = status
        self.code = code


class Message(NamedTuple):
    """A message of a page: its number there, what it is, and all its keys."""

    number: int
    kind: str
    body: Mapping[str, object]

    @property
    def answers(self) -> int | None:
        """The number of the request that it answers."""
        number = self.body.get("re")
        return number if type(number) is int else None

    def texts(self, key: str) -> tuple[str, ...]:
        """Return the texts of a list, without those that are no id by their length."""
        found = self.body.get(key)
        texts = found if isinstance(found, list) else ()
        return tuple(each for each in texts if isinstance(each, str) and len(each) <= _LONGEST_NAME)

    def objects(self, key: str) -> tuple[Json, ...]:
        """Return the objects of a list."""
        found = self.body.get(key)
        return tuple(each for each in found if isinstance(each, dict)) if isinstance(found, list) else ()


def text_of(body: Mapping[str, object]) -> str:
    r"""Return a body as it is sent; where half a sign is in it, U+FFFD is sent.

    >>> text_of({"v": 1, "kind": "lease"})
    '{"v":1,"kind":"lease"}'
    >>> text_of({"name": "\ud83d"}) == '{"name":"\ufffd"}'
    True
    """
    return whole_signs(json.dumps(body, ensure_ascii=False, separators=(",", ":"), default=list))


def body_of(raw: bytes) -> Json:
    """Return the object that a body is; where a text has half a sign, it has U+FFFD.

    Raises:
        WireError: it is no JSON, no object, or of another version.
    """
    try:
        body = parsed(raw.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise WireError(400, "json", f"this is not JSON: {error}") from None
    if not isinstance(body, dict):
        raise WireError(400, "json", "a body is an object: {...}")
    version = body.get("v")
    if type(version) is not int or version != VERSION:
        raise WireError(400, "version", f"version {version!r} of the link, expected {VERSION}: reload the extension")
    return body


def messages_of(body: Mapping[str, object]) -> tuple[str, tuple[Message, ...]]:
    """Return which page speaks, and its messages in the order of their numbers. All are checked before any is taken.

    Raises:
        WireError: something is missing or of the wrong kind.
    """
    page = body.get("page")
    if not isinstance(page, str) or not 0 < len(page) <= _LONGEST_NAME:
        raise WireError(400, "message", "page: expected the connection id of the page")
    found = body.get("messages")
    if not isinstance(found, list) or len(found) > _MOST_MESSAGES:
        raise WireError(400, "message", f"messages: expected a list of at most {_MOST_MESSAGES}")
    messages = [_message(each, f"messages[{place}]") for place, each in enumerate(found)]
    return page, tuple(sorted(messages, key=lambda each: each.number))


def _message(found: object, where: str) -> Message:
    if not isinstance(found, dict):
        raise WireError(400, "message", f"{where}: expected an object")
    number, kind = found.get("m"), found.get("kind")
    if type(number) is not int or not 0 < number < 2**53:
        raise WireError(400, "message", f"{where}.m: expected a number above 0")
    keys = _KEYS.get(kind) if isinstance(kind, str) else None
    if keys is None:
        raise WireError(400, "message", f"{where}.kind: found {kind!r}, expected {', '.join(_KEYS)}")
    for key, wanted in keys.items():
        given = found.get(key)
        if type(given) is not wanted or (isinstance(given, str) and len(given) > _LONGEST_TEXT):
            raise WireError(400, "message", f"{where}.{key}: expected {_CALLED[wanted]}")
        words = _WORDS.get((str(kind), key), ())
        if words and given not in words:
            raise WireError(400, "message", f"{where}.{key}: expected {' or '.join(words)}")
        if isinstance(given, int) and abs(given) >= _LARGEST:
            raise WireError(400, "message", f"{where}.{key}: expected a number below {_LARGEST}")
    if kind in ("snapshot", "written", "edited"):
        for place, item in enumerate(found["items"]):
            item_of(item, f"{where}.items[{place}]")
    uid, click = found.get("uid"), found.get("click")
    if isinstance(uid, str) and len(uid) > _LONGEST_NAME:
        raise WireError(400, "message", f"{where}.uid: this is no uid")
    if click is not None and not (isinstance(click, str) and len(click) <= _LONGEST_CLICK):
        raise WireError(400, "message", f"{where}.click: expected a text of {_LONGEST_CLICK} signs, at most")
    _check_scene(found, where)
    return Message(number, str(kind), found)


_CALLED: Mapping[type, str] = {
    str: "a text",
    int: "a whole number",
    list: "a list",
    bool: "true or false",
}


def _check_scene(found: Mapping[str, object], where: str) -> None:
    scene, grid = found.get("scene"), found.get("grid")
    if scene is not None and not (isinstance(scene, str) and 0 < len(scene) <= _LONGEST_NAME):
        raise WireError(400, "message", f"{where}.scene: expected a text or null")
    if grid is not None and not (isinstance(grid, dict) and len(text_of(grid)) <= _LONGEST_TEXT):
        raise WireError(400, "message", f"{where}.grid: expected an object or null")


def item_of(found: object, where: str) -> Json:
    """Return an item of a scene: an object with an id and metadata.

    Raises:
        WireError: it is none.
    """
    identity = found.get("id") if isinstance(found, dict) else None
    if not isinstance(found, dict) or not isinstance(identity, str) or not 0 < len(identity) <= _LONGEST_NAME:
        raise WireError(400, "message", f"{where}: expected an item with an id")
    if not isinstance(found.get("metadata"), dict):
        raise WireError(400, "message", f"{where}.metadata: expected an object")
    return found


def words_of(found: object) -> str:
    r"""Return what a page says, as one line that no terminal trips over.

    >>> words_of("no\x1b[31m way\n")
    'no [31m way '
    """
    return _UNSEEN.sub(" ", str(found))[:300]


def chunks(items: Sequence[Json]) -> list[list[Json]]:
    """Return items in portions that one call of the room may have, in order; one that is too big alone stays alone.

    >>> [len(each) for each in chunks([{"id": str(number)} for number in range(45)])]
    [20, 20, 5]
    """
    found: list[list[Json]] = []
    room = 0
    for item in items:
        size = len(text_of(item).encode()) + 1
        if not found or len(found[-1]) == CHUNK_ITEMS or size > room:
            found.append([])
            room = CHUNK_BYTES
        found[-1].append(item)
        room -= size
    return found
