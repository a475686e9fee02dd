"""Faults by name: at the relay's door, on the way to the module and back, and in event streams.

Each strikes a number of calls, after a number of others, all of them or those of one request type::

    relay.faults.add("late", of="update", after=2)      # the third update is done, and answered by 408
    relay.faults.add("too_many", count=3)               # three calls get a 429
    relay.faults.add("meanwhile", do=lambda: world.edit(uuid, {"system.hits.value": 2}))
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import cast

from rallypoint.kernel.errors import InputError

from .answers import Answer, Forward, from_module, refusal
from .documents import Document, expanded
from .module import NO_ANSWER, answer
from .world import World

__all__ = ["AT_THE_DOOR", "FAULTS", "IN_STREAMS", "ON_THE_WAY", "Fault", "Faults", "carried"]

TIMED_OUT = "Request timed out"
_PAGE = "<html><head><title>{0}</title></head><body><center><h1>{0}</h1></center><hr></body></html>\n"


def _page(status: int, title: str) -> Answer:
    return Answer(status, _PAGE.format(f"{status} {title}").encode(), "text/html")


AT_THE_DOOR: dict[str, Answer | None] = {
    "refused": None,
    "too_many": refusal(429, "Too many API requests, please slow down"),
    "month_used": refusal(429, "Scoped key monthly request limit exceeded"),
    "too_large": refusal(413, "Request body too large"),
    "html_404": _page(404, "Not Found"),
    "html_502": _page(502, "Bad Gateway"),
    "html_504": _page(504, "Gateway Time-out"),
    "key_unknown": refusal(401, "Invalid API key"),
    "key_disabled": refusal(401, "API key is disabled"),
    "key_expired": refusal(401, "API key has expired"),
    "other_account": refusal(401, "Invalid API key for this client ID"),
    "other_world": refusal(403, "API key is not authorized for this client"),
    "account_disabled": refusal(403, "Account disabled"),
    "no_such_world": refusal(404, "Invalid client ID"),
    "send_failed": refusal(500, "Failed to send request to Foundry client"),
    "maintenance": refusal(503, "Service is in maintenance mode"),
}
"""What strikes before anything was done, with the answer; ``refused``: nobody listens."""

ON_THE_WAY = (
    "lost",  # 408, and it was not done
    "late",  # 408, and it was done
    "held",  # 408, and it is done right after the next call
    "swept",  # 408 in other words, and it was done
    "hang",  # done, and never answered
    "cut_off",  # done, and answered by a proxy: 502 in HTML
    "crossed",  # done, and answered with what another document's call should have got
    "dropped",  # done without the first key of the data, or without those named by ``drop``
    "false_success",  # not done, and answered as a success (deletions)
    "falls_asleep",  # 408, not done, and the world is asleep from now on
    "done_then_asleep",  # 408, done, and the world is asleep from now on
    "copied",  # after it is done somebody copies the token, or the actor, that was written
    "deleted",  # before it is done somebody deletes the document
    "meanwhile",  # ``do`` is called before it is done
    "afterwards",  # ``do`` is called after it is done, before the answer
)
"""What strikes calls that are forwarded to the module."""

IN_STREAMS = (
    "cut",  # instead of the event the stream breaks off in the middle of its body
    "ended",  # instead of the event the stream ends cleanly
    "deaf",  # the event is not told
    "repeated",  # the event is told a hundred times
    "flat",  # the event comes without the wrapping
)
"""What strikes events on their way into streams."""

FAULTS = (*AT_THE_DOOR, *ON_THE_WAY, *IN_STREAMS)


@dataclass(slots=True)
class Fault:
    """A fault that waits: ``after`` calls are let pass, then ``count`` are struck."""

    name: str
    count: int
    after: int
    of: str | None
    do: Callable[[], object] | None
    drop: tuple[str, ...]


class Faults:
    """The faults that wait, and in ``struck`` the names of those that have struck."""

    def __init__(self) -> None:
        self.waiting: list[Fault] = []
        self.struck: list[str] = []

    def add(
        self,
        name: str,
        *,
        count: int = 1,
        after: int = 0,
        of: str | None = None,
        do: Callable[[], object] | None = None,
        drop: Sequence[str] = (),
    ) -> None:
        """Let a fault strike ``count`` calls, after ``after`` that it could have struck.

        Args:
            name: one of :data:`FAULTS`.
            count: how many calls.
            after: how many are let pass before.
            of: the request type (``entity``, ``update``...) that alone counts, or the hook of an event; all without it.
                Faults at the door know no types.
            do: what ``meanwhile`` and ``afterwards`` call.
            drop: the dotted keys that ``dropped`` takes out.

        Raises:
            InputError: there is no such fault.
        """
        if name not in FAULTS:
            raise InputError("there is no such fault", found=name, expected=", ".join(FAULTS))
        self.waiting.append(Fault(name, count, after, of, do, tuple(drop)))

    def clear(self) -> None:
        """Let nothing more go wrong."""
        self.waiting.clear()

    def take(self, stage: Sequence[str] | dict[str, Answer | None], kind: str | None = None) -> Fault | None:
        """Return the fault that strikes now, ``None`` if none does."""
        struck = None
        for fault in self.waiting if self.waiting else ():
            if fault.name not in stage or (fault.of is not None and fault.of != kind):
                continue
            if fault.after:
                fault.after -= 1
            elif struck is None:
                struck = fault
        if struck is not None:
            struck.count -= 1
            if not struck.count:
                self.waiting.remove(struck)
            self.struck.append(struck.name)
        return struck


def carried(world: World, forward: Forward, fault: Fault | None) -> tuple[Answer, bool]:
    """Let the module do what it was sent, as far as the fault allows; return the answer and whether it is still to be done."""
    message, name = forward.message, None if fault is None else fault.name
    timed_out = refusal(408, TIMED_OUT, forward.timeout)
    if fault is not None and name in ("lost", "held", "falls_asleep"):
        if name == "falls_asleep":
            world.online = False
        return timed_out, name == "held"
    if name == "false_success":
        frame = {"type": f"{message['type']}-result", "requestId": message["requestId"]}
        return from_module({**frame, "uuid": message.get("uuid"), "success": True}), False
    if fault is not None:
        message = _before(world, message, fault)
    body = answer(world, message)
    if fault is not None:
        _after(world, message, body, fault)
    if body is NO_ANSWER or name in ("late", "done_then_asleep"):
        return timed_out, False
    after: dict[str | None, Answer] = {
        "swept": refusal(408, "request timeout", 30.0),
        "hang": timed_out._replace(delay=math.inf),
        "cut_off": _page(502, "Bad Gateway"),
    }
    return after.get(name) or from_module(body), False


def _before(world: World, message: dict[str, object], fault: Fault) -> dict[str, object]:
    if fault.name == "meanwhile" and fault.do is not None:
        fault.do()
    elif fault.name == "deleted":
        _gone(world, message)
    elif fault.name == "dropped" and isinstance(message.get("data"), dict):
        return {**message, "data": _without(cast("Document", message["data"]), fault.drop)}
    return message


def _gone(world: World, message: dict[str, object]) -> None:
    parts = str(message.get("uuid", "")).split(".")
    world.delete(".".join(parts[:4] if len(parts) == 6 else parts))


def _without(data: Document, drop: tuple[str, ...]) -> Document:
    kept = expanded(data)
    for path in drop or (_first_leaf(kept),):
        *way, last = path.split(".")
        inner: object = kept
        for key in way:
            inner = inner.get(key) if isinstance(inner, dict) else None
        if isinstance(inner, dict):
            inner.pop(last, None)
    return kept


def _first_leaf(data: Document) -> str:
    for key, value in data.items():
        return f"{key}.{_first_leaf(value)}" if isinstance(value, dict) and value else key
    return ""


def _after(world: World, message: dict[str, object], body: Document, fault: Fault) -> None:
    if fault.name == "afterwards" and fault.do is not None:
        fault.do()
    elif fault.name == "done_then_asleep":
        world.online = False
    elif fault.name == "crossed":
        _cross(world, message, body)
    elif fault.name == "copied":
        _copy(world, str(message.get("uuid")))


def _cross(world: World, message: dict[str, object], body: Document) -> None:
    """Put into the answer what a call for another actor would have got."""
    mine = str(message.get("uuid"))
    other = next((f"Actor.{key}" for key in world.collections["Actor"] if f"Actor.{key}" != mine), None)
    if other is None:
        return
    kind = "update" if message["type"] == "update" else "entity"
    theirs = answer(world, {**message, "type": kind, "uuid": other, "data": {}})
    for key in ("uuid", "data", "entity", "results"):
        if key in body:
            body[key] = theirs.get(key, body[key])


def _copy(world: World, uuid: str) -> None:
    parts = uuid.split(".")
    found = world.find(".".join(parts[:4] if len(parts) == 6 else parts))
    if found is None:
        return
    if found.kind == "Token" and found.parent is not None:
        world.place(found.parent, found.document)
    elif found.kind == "Actor":
        world.create("Actor", found.document)
