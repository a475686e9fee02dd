"""What a world tells by itself: three event streams, heard at once, as changes of documents.

``/actor/subscribe`` says which token's actor has changed, ``/scene/subscribe`` tells of tokens, ``/hooks/subscribe`` of what
is made and deleted. No filter is used but that of hooks: the others let nothing through.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Generator, Mapping
from typing import NamedTuple

from rallypoint.kernel.canonical import EMPTY
from rallypoint_sync.transport import TransportError, UnreachableError

from .addresses import at, flags_of, token_uuid
from .relay import Event, Relay
from .wire import LostError, Wire

__all__ = ["Change", "Listener", "change_of"]

_HOOKS = ("createActor", "deleteActor", "deleteScene", "updateCombatant", "deleteCombatant", "deleteCombat")
_STREAMS: Mapping[str, Mapping[str, str]] = {"actor": {}, "scene": {}, "hooks": {"hooks": ",".join(_HOOKS)}}
_OF_A_TOKEN = frozenset({"actorId", "actorLink", "delta", "flags"})


class Change(NamedTuple):
    """One event: the document that it is about, and what changed there as far as it says so.

    ``is_plain`` says that nothing but ``changes`` changed. ``copy_of`` is the uid in our flag of an actor that was made;
    ``new_in`` the scene of a token that was made.
    """

    uuid: str
    changes: Mapping[str, object]
    is_plain: bool = False
    copy_of: str | None = None
    new_in: str | None = None


def change_of(event: Event) -> Change | None:
    """Return what an event says, in the wrapped form of relay 3.4 or flat; ``None`` where it does not concern us.

    >>> told = {"type": "actor-event", "data": {"actorUuid": "Actor.a", "eventType": "update", "changes": {"name": "Ann"}}}
    >>> change_of(Event("actor-", told)).uuid, change_of(Event("actor-", told["data"])).changes
    ('Actor.a', {'name': 'Ann'})
    """
    inner = event.data.get("data")
    data = inner if isinstance(inner, Mapping) else event.data
    changes = data.get("changes")
    said: Mapping[str, object] = changes if isinstance(changes, Mapping) else EMPTY
    if isinstance(data.get("actorUuid"), str) and data.get("eventType"):
        updated = data.get("eventType") == "update" and isinstance(changes, Mapping)
        return Change(str(data["actorUuid"]), said, is_plain=updated)
    if isinstance(data.get("sceneId"), str) and isinstance(data.get("tokenId"), str):
        if data.get("eventType") == "token-update" and not _OF_A_TOKEN & {key.partition(".")[0] for key in said}:
            return None  # it was moved, or its picture changed
        made = str(data.get("eventType")).endswith("create")
        return Change(
            token_uuid(str(data["sceneId"]), str(data["tokenId"])), EMPTY, new_in=str(data["sceneId"]) if made else None
        )
    return _of_hook(data)


def _of_hook(data: Mapping[str, object]) -> Change | None:
    hook, args = data.get("hook"), data.get("args")
    document = args[0] if isinstance(args, list) and args else None
    if not isinstance(hook, str) or not isinstance(document, Mapping) or not isinstance(document.get("_id"), str):
        return None
    identity, uid = str(document["_id"]), flags_of(document).get("uid")
    made = uid if hook.startswith("create") and isinstance(uid, str) else None
    if hook == "createActor":
        return None if made is None else Change(f"Actor.{identity}", EMPTY, copy_of=made)
    if hook == "deleteActor":
        return Change(f"Actor.{identity}", EMPTY)
    if hook == "deleteScene":
        return Change(f"Scene.{identity}", EMPTY)
    changes = args[1] if isinstance(args, list) and len(args) > 1 and hook.startswith("update") else None
    parent = at(document, "parent._id") or at(document, "combat")
    if "Combat" in hook:
        own = f"Combatant.{identity}" if "Combatant" in hook else f"Combat.{identity}"
        uuid = f"Combat.{parent}.{own}" if "Combatant" in hook and parent else own
        return Change(uuid, changes if isinstance(changes, Mapping) else EMPTY)
    return None


class Listener:
    """Opens the streams of a world, each over a wire of its own.

    Args:
        wire: makes one.
    """

    def __init__(self, wire: Callable[[], Wire]) -> None:
        self.wire = wire
        self._news: queue.Queue[Change | TransportError | bool | None] | None = None

    def stop(self) -> None:
        """End the streams that are open, from another thread."""
        if self._news is not None:
            self._news.put(None)

    def open(self, relay: Relay) -> Generator[Change | None, None, None]:
        """Yield ``None`` once all streams have begun, then each change. It ends as soon as one of them ends.

        Raises:
            UnreachableError: a stream cannot be opened.
        """
        news: queue.Queue[Change | TransportError | bool | None] = queue.Queue()
        self._news = news
        wires = {kind: self.wire() for kind in _STREAMS}
        for kind, wire in wires.items():
            threading.Thread(target=_hear, args=(relay, wire, kind, news), daemon=True, name=f"foundry {kind}").start()
        begun = 0
        try:
            while True:
                item = news.get()
                if item is None:
                    return
                if isinstance(item, TransportError):
                    raise item
                if item is True:
                    begun += 1
                    if begun == len(wires):
                        yield None
                elif isinstance(item, Change):
                    yield item
        finally:
            for wire in wires.values():
                _close(wire)


def _hear(relay: Relay, wire: Wire, kind: str, news: queue.Queue[Change | TransportError | bool | None]) -> None:
    """Put what one stream tells into the queue: that it has begun, changes, and how it ended."""
    try:
        for event in relay.listen(wire, kind, _STREAMS[kind]):
            if event.name == "connected":
                news.put(True)
                continue
            change = change_of(event)
            if change is not None:
                news.put(change)
    except LostError:
        pass  # each is cut after 600 s
    except TransportError as error:
        news.put(error)
    except Exception as error:
        hint = "begin watch again; if it stays so, use sync"
        news.put(
            UnreachableError(
                "a stream broke off", code="stream_broken", where=kind, found=type(error).__name__, hint=hint
            )
        )
    finally:
        _close(wire)  # it may have connected after the others were closed
    news.put(None)


def _close(wire: Wire) -> None:
    close = getattr(wire, "close", None)
    if callable(close):
        close()
