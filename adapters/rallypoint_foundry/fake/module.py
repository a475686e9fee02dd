"""What the module in the Gamemaster's browser answers to the relay, errors as it words them."""

from __future__ import annotations

from . import acts_documents, acts_scenes, acts_world
from .acting import NO_ANSWER, Handler, Message, Refused, user_of
from .documents import Document, FoundryError
from .world import World

__all__ = ["HANDLERS", "NO_ANSWER", "answer"]

HANDLERS: dict[str, Handler] = {**acts_documents.HANDLERS, **acts_world.HANDLERS, **acts_scenes.HANDLERS}
"""What is done, by request type."""


def answer(world: World, message: Message) -> Document:
    """Return the module's answer to a message from the relay; :data:`NO_ANSWER` if the relay does not hear it."""
    kind = str(message["type"])
    frame: Document = {"type": f"{kind}-result", "requestId": message["requestId"]}
    try:
        user_of(world, message)
        body = HANDLERS[kind](world, message)
    except Refused as refused:
        body = refused.body
    except FoundryError as error:
        body = {"error": str(error), **_beside(kind, message)}
    return body if body is NO_ANSWER else frame | body


def _beside(kind: str, message: Message) -> Document:
    """Return what the module puts beside the text of an error."""
    if kind in ("update", "create", "delete"):
        own: Document = {"uuid": message["uuid"]} if message.get("uuid") and kind != "create" else {}
        return {"message": f"Failed to {kind} entity", **own}
    if kind in ("increase", "decrease", "upload-file", "execute-js"):
        return {"success": False}
    return {"data": None} if kind.startswith(("get-", "entity")) else {}
