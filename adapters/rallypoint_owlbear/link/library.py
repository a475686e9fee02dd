"""The GM's library in Owlbear Rodeo: scenes and pictures go in and come out by a picker that opens in the room.

Whether something was taken in nobody tells: the SDK waits 5 seconds, and the GM may think longer. So no answer here says more
than that the picker was opened.
"""

from __future__ import annotations

from collections.abc import Sequence

from rallypoint_sync.transport import DoubtfulError, RefusedError, UnreachableError

from ..trackers import Json
from .link import Way
from .new_scene import GRID
from .pictures import Picture, picked
from .wire import Message, words_of

__all__ = ["HINT", "pick_pictures", "upload_pictures", "upload_scene"]

HINT = "CHARACTER"
"""The kind of picture that tokens have in the library."""

_PATIENCE = 30.0
"""Seconds without a word from the page."""
_NOT_DONE = frozenset({"no_scene", "other_scene", "not_writer", "expired"})


def upload_scene(way: Way, name: str, items: Sequence[Json], picture: Picture | None) -> bool:
    """Offer a scene to the GM's library; say whether the page is sure that it was taken.

    Raises:
        UnreachableError: no page of a GM is linked, or it did not begin.
        RefusedError: the room said no.
    """
    shown = None if picture is None else picture.sent()
    return _uploaded(way, "upload scene", {"name": name, "grid": GRID, "items": items, "map": shown})


def upload_pictures(way: Way, pictures: Sequence[Picture]) -> bool:
    """Offer pictures of tokens to the GM's library; say whether the page is sure that they were taken.

    Raises:
        UnreachableError: no page of a GM is linked, or it did not begin.
        RefusedError: the room said no.
    """
    return _uploaded(way, "upload images", {"images": [each.sent() for each in pictures], "hint": HINT})


def pick_pictures(way: Way, search: str) -> tuple[tuple[Picture, ...], tuple[str, ...]]:
    """Let the GM pick pictures from the library; return them, and the names of those that are none.

    Raises:
        UnreachableError: no page of a GM is linked, or it answered nothing.
        RefusedError: the room said no.
    """
    try:
        return picked(_asked(way, "pick images", {"search": search, "hint": HINT}))
    except DoubtfulError as error:
        raise UnreachableError("the page in the room did not answer", code="no_answer", where=error.where) from error


def _uploaded(way: Way, kind: str, body: Json) -> bool:
    try:
        return _asked(way, kind, body).body["sure"] is True
    except DoubtfulError:
        return False


def _asked(way: Way, kind: str, body: Json) -> Message:
    answer = way.ask(kind, body, scene=way.standing().shown.scene, seconds=_PATIENCE)
    if answer.kind == "refused":
        code, why = str(answer.body["code"]), words_of(answer.body["why"])
        error = UnreachableError if code in _NOT_DONE else RefusedError
        raise error(why, code=code, where=kind)
    return answer
