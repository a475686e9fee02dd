"""Event streams of the fake relay: what a world's changes become, with the filters and names that the relay gets wrong."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress

from .documents import Document, rows
from .faults import IN_STREAMS, Faults
from .routes import STREAMS
from .world import Event, World

__all__ = ["KEEPALIVE", "LIFE", "Streams", "Subscription", "is_stream"]

KEEPALIVE = 15.0
"""Seconds between two signs of life."""
LIFE = 600.0
"""Seconds after which the relay cuts a stream, in the middle of its body."""
MOST = 10
"""Streams of one kind for a world."""

_KINDS = ("Actor", "Item", "Token", "Combat", "Combatant", "Scene")
_FORWARDED = {f"{verb}{kind}" for verb in ("create", "update", "delete") for kind in _KINDS}
_GAMEMASTER = "gmUser0000000000"


class Subscription:
    """One listener: chunks of bytes that wait to be sent, and how the stream ended (``cut`` or ``clean``), if it has."""

    def __init__(self, kind: str, client: str, query: Mapping[str, str]) -> None:
        self.kind, self.client, self.query = kind, client, query
        self.chunks: deque[bytes] = deque()
        self.ended: str | None = None
        self.wake: Callable[[], None] = lambda: None
        own = {"actorUuid": query.get("actorUuid", "")} if kind == "actor" else {}
        self.put("connected", {"clientId": client, **own})

    def put(self, event: str, data: Mapping[str, object]) -> None:
        """Add one event."""
        text = json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        self.chunks.append(f"event: {event}\ndata: {text}\n\n".encode())
        self.wake()

    def end(self, how: str) -> None:
        """End the stream: ``clean``, or ``cut`` in the middle of its body."""
        self.ended = self.ended or how
        self.wake()


class Streams:
    """All the listeners of a relay."""

    def __init__(self, faults: Faults) -> None:
        self.faults = faults
        self.open: list[Subscription] = []

    def listen(self, world: World) -> None:
        """Hear what happens in a world from now on."""
        world.listeners.append(lambda event: self._heard(world, event))

    def subscribe(self, kind: str, client: str, query: Mapping[str, str]) -> Subscription | None:
        """Return a new listener, ``None`` if there are too many of its kind."""
        if sum(one.kind == kind and one.client == client for one in self.open) >= MOST:
            return None
        subscription = Subscription(kind, client, query)
        self.open.append(subscription)
        return subscription

    def end(self, how: str, client: str | None = None) -> None:
        """End the streams of a world, or all."""
        for subscription in [one for one in self.open if client in (None, one.client)]:
            subscription.end(how)
            self.forget(subscription)

    def forget(self, subscription: Subscription) -> None:
        """Tell a listener nothing more; it may be forgotten already."""
        with suppress(ValueError):  # server and world may both be done with it at once
            self.open.remove(subscription)

    def _heard(self, world: World, event: Event) -> None:
        if event.hook == "asleep":
            self.end("clean", world.client)
            return
        listeners = [one for one in self.open if one.client == world.client]
        fault = self.faults.take(IN_STREAMS, event.hook) if listeners else None
        name = None if fault is None else fault.name
        if name in ("cut", "ended"):
            self.end("cut" if name == "cut" else "clean", world.client)
            return
        for one in listeners:
            for title, data in _told(one, event):
                inner = data.get("data")
                flat = inner if name == "flat" and isinstance(inner, dict) else data
                for _ in range({"deaf": 0, "repeated": 100}.get(name or "", 1)):
                    one.put(title, flat)


def _told(one: Subscription, event: Event) -> Iterator[tuple[str, Mapping[str, object]]]:
    """Yield name and data of the event as this kind of stream tells it, if it does."""
    verb, kind = _taken_apart(event.hook)
    if one.kind == "hooks":
        wanted = one.query.get("hooks")
        if event.hook in _FORWARDED and (not wanted or event.hook in wanted.split(",")):
            changes: list[object] = [event.changes] if verb == "update" else []
            args = [event.document, *changes, {"diff": True}, _GAMEMASTER]
            yield event.hook, {"type": "hook-event", "data": {"hook": event.hook, "args": args}}
    elif one.kind == "actor":
        # The relay looks for the uuid one level too high, so a filter lets nothing through, and the name is cut off.
        if kind == "Actor" and not one.query.get("actorUuid"):
            told: Document = {"actorUuid": event.uuid, "eventType": verb, "changes": event.changes}
            yield "actor-", {"type": "actor-event", "data": told}
    elif one.kind == "scene":
        if kind in ("Scene", "Token") and not one.query.get("sceneId"):
            yield "scene-", {"type": "scene-event", "data": _scene_event(verb, kind, event)}
    elif one.kind == "encounters":
        yield from _combat_event(one, kind, event)


def _taken_apart(hook: str) -> tuple[str, str]:
    for verb in ("create", "update", "delete"):
        if hook.startswith(verb):
            return verb, hook.removeprefix(verb)
    return "", hook


def _scene_event(verb: str, kind: str, event: Event) -> Document:
    if kind == "Scene" or event.parent is None:
        return {"sceneId": event.document["_id"], "eventType": verb, "changes": event.changes}
    own = {"sceneId": event.parent["_id"], "tokenId": event.document["_id"]}
    return {**own, "eventType": f"token-{verb}", "changes": event.changes}


def _combat_event(one: Subscription, kind: str, event: Event) -> Iterator[tuple[str, Document]]:
    combat = event.document if kind == "Combat" else event.parent if kind == "Combatant" else None
    changed = {"createCombatant": "combatant-add", "deleteCombatant": "combatant-remove"}.get(event.hook)
    what = event.changes.get("eventType") if event.hook == "updateCombat" else changed
    if combat is None or what is None or one.query.get("encounterId", combat["_id"]) != combat["_id"]:
        return
    yield (
        f"combat-{what}",
        {
            "eventType": what,
            "encounterId": combat["_id"],
            "round": combat["round"],
            "turn": combat["turn"],
            "started": bool(combat["round"]),
            "combatants": [
                {
                    "id": each["_id"],
                    "name": each["name"],
                    "initiative": each["initiative"],
                    "defeated": each["defeated"],
                    "uuid": f"Combat.{combat['_id']}.Combatant.{each['_id']}",
                }
                for each in rows(combat, "combatants")
            ],
        },
    )


def is_stream(path: str) -> str | None:
    """Return the kind of stream that a path subscribes to.

    >>> is_stream("/actor/subscribe"), is_stream("/get")
    ('actor', None)
    """
    kind = path.removesuffix("/subscribe").strip("/")
    return kind if path == f"/{kind}/subscribe" and kind in STREAMS else None
