"""What the acts of the module share: errors with more in them, whose rights count, what is selected."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, TypeAlias, cast

from .documents import Document, FoundryError
from .world import Found, User, World

__all__ = ["NO_ANSWER", "Handler", "Message", "Refused", "allowed", "selected", "user_of"]

Message: TypeAlias = Mapping[str, object]
Handler: TypeAlias = Callable[[World, Message], Document]

NO_ANSWER: Final[Document] = {"": "the module answers with a type that the relay does not know"}
"""What a handler gives when the relay never hears of the answer."""


class Refused(Exception):  # noqa: N818 - it is the module's answer with an error, with what stands beside it
    """An answer with ``error`` and other keys."""

    def __init__(self, error: str, **others: object) -> None:
        super().__init__(error)
        self.body: Document = {"error": error, **others}


def user_of(world: World, message: Message) -> User | None:
    """Return the user whose rights count, ``None`` for the Gamemaster's."""
    name = message.get("userId")
    if name is None:
        return None
    for user in world.users:
        if name in (user.identity, user.name):
            return user
    raise FoundryError(f"User not found: {name}")


def allowed(user: User | None, document: Document, verb: str) -> None:
    """Make sure that a user owns a document.

    Raises:
        FoundryError: the user does not.
    """
    if user is None or user.role == 4:
        return
    ownership = cast("Mapping[str, int]", document.get("ownership") or {})
    if ownership.get(user.identity, ownership.get("default", 0)) < 3:
        raise FoundryError(f"User '{user.name}' does not have permission to {verb} '{document['name']}'")


def selected(world: World, message: Message) -> list[Found]:
    """Return what the Gamemaster has selected: the tokens, or their actors where those were asked for."""
    found = []
    for uuid in world.selected:
        token = world.find(uuid)
        if token is not None and token.parent is not None:
            shown = world.actor_uuid(token.parent["_id"], token.document) if message.get("actor") else uuid
            inner = None if shown is None else world.find(shown)
            found += [] if inner is None else [inner]
    return found
