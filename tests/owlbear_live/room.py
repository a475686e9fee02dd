"""A room of Owlbear Rodeo in Python, and our page in it: speaks the wire format, holds items, and goes wrong by name."""

from __future__ import annotations

import copy
import json
import threading
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from rallypoint_owlbear.link.link import Link
from rallypoint_owlbear.link.room import Stream
from rallypoint_owlbear.link.wire import body_of, messages_of
from rallypoint_owlbear.stands import RECORD_KEY
from rallypoint_owlbear.trackers import LIMIT, TRACKERS_KEY

Item = dict[str, Any]

MOST = 200
"""The page sends so many messages in one body."""

FAULTS = {
    "lost answer": "the write is made, and no answer comes",
    "lost request": "the write is not made, and no answer comes",
    "late": "no answer comes, and the write is made when the test says so",
    "refused": "the room says no to the item",
    "false success": "the room says that it was made and shows the old value",
    "drops": "the room throws the entry away",
    "clamps": "the room makes at most 1 of the value",
    "empty": "the page answers that there is nothing",
    "silent": "the page answers nothing at all",
    "picker times out": "the SDK has waited 5 seconds: nobody knows whether the upload was taken, and it was not",
    "picker closed": "the GM closes the picker",
    "wrong sizes": "the picked pictures have no size",
}


def token(identity: str, uid: str, trackers: Mapping[str, int], **record: Any) -> Item:
    """An item as the exporter places it, with our record and a tracker each."""
    entries = [
        {"id": entry, "name": entry, "variant": "value", "color": 2, "value": value}
        for entry, value in trackers.items()
    ]
    metadata = {RECORD_KEY: {"v": 1, "uid": uid, "rev": 1, "by": "kernel", **record}, TRACKERS_KEY: entries}
    return {
        "id": identity,
        "type": "IMAGE",
        "name": uid,
        "layer": "CHARACTER",
        "visible": True,
        "position": {"x": 0, "y": 0},
        "createdUserId": "gm",
        "metadata": metadata,
    }


class Room:
    """The scenes of a room, one of them open, with a history of undo as the room keeps it."""

    def __init__(self) -> None:
        self.scenes: dict[str, dict[str, Item]] = {"scene-1": {}}
        self.scene: str | None = "scene-1"
        self.calls: list[list[str]] = []
        """The ids of each call that wrote."""
        self.pages: list[Page] = []
        self.library: dict[str, list[Item]] = {"scenes": [], "images": []}
        """What was taken into the GM's library, as it was asked for."""
        self._undo: list[dict[str, Item]] = []
        self._one = threading.RLock()  # people and pages change it from threads of their own

    @property
    def items(self) -> dict[str, Item]:
        return self.scenes[self.scene] if self.scene is not None else {}

    def open(self, scene: str | None) -> None:
        self.scene = scene
        if scene is not None:
            self.scenes.setdefault(scene, {})
        self._undo.clear()
        for page in self.pages:
            page.say("scene changed", scene=scene, grid=page.grid())

    def change(self, change: Callable[[dict[str, Item]], None]) -> None:
        """Somebody, or a page, changes items: one step of undo, and every page hears of it."""
        with self._one:
            before = copy.deepcopy(self.items)
            change(self.items)
            if self.items != before:
                self._undo.append(before)
                self._tell(before)

    def undo(self) -> None:
        before = copy.deepcopy(self.items)
        assert self.scene is not None
        self.scenes[self.scene] = self._undo.pop()
        self._tell(before)

    def set(self, identity: str, entry: str, value: object) -> None:
        """The GM types another number into a tracker."""
        self.change(lambda items: entry_of(items[identity], entry).update(value=value))

    def _tell(self, before: Mapping[str, Item]) -> None:
        changed = [item for name, item in self.items.items() if before.get(name) != item and _ours(item)]
        removed = [name for name in before if name not in self.items]
        for page in self.pages:
            page.say("edited", scene=self.scene, items=changed, removed=removed)


class Line(Protocol):
    """What connects a page with the program."""

    def up(self, text: str) -> None: ...


class Page:
    """Our page: a tab of somebody in the room. It answers while it is told something, in the same thread."""

    def __init__(self, room: Room, identity: str = "tab-1", role: str = "GM") -> None:
        self.room, self.identity, self.role = room, identity, role
        self.line: Line | None = None
        self.heard = 0
        self.writer = False
        self.faults: list[str] = []
        self.status: dict[str, Any] = {}
        self._late: list[list[Item]] = []
        self._number = 0
        self._waiting: list[str] = []
        self._numbering = threading.Lock()
        self._one = threading.RLock()
        room.pages.append(self)

    def grid(self) -> dict[str, Any] | None:
        return None if self.room.scene is None else {"dpi": 150, "type": "HEX_VERTICAL", "zero": {"x": 0, "y": -43.301}}

    def hello(self) -> None:
        self.say(
            "hello", player="gm", name="Warden", role=self.role, room="r1", scene=self.room.scene, grid=self.grid()
        )

    def say(self, kind: str, **keys: Any) -> None:
        """Tell the program something: one body at a time, with all that waits by then, as the page does."""
        if self.line is None:
            return
        with self._numbering:
            self._number += 1
            self._waiting.append(json.dumps({"m": self._number, "kind": kind, **keys}))
        with self._one:
            with self._numbering:
                batch, self._waiting[:MOST] = self._waiting[:MOST], []
            if batch:  # else somebody else has sent it
                self.line.up(f'{{"v": 1, "page": {json.dumps(self.identity)}, "messages": [{", ".join(batch)}]}}')

    def told(self, data: str) -> None:
        """One event of the stream."""
        body = json.loads(data)
        number, kind = body["n"], body["kind"]
        self.heard = max(self.heard, number)
        if kind == "lease":
            self.writer = body["writer"]
        elif kind == "status":
            self.status = body
        elif body["scene"] != self.room.scene:
            code = "no_scene" if self.room.scene is None else "other_scene"
            self.say("refused", re=number, code=code, why="this scene is not open")
        elif kind == "snapshot wanted":
            self._snapshot(number, body["items"])
        elif kind == "write":
            self._write(number, body["items"])
        elif kind == "place":
            self._place(number, body["items"])
        elif kind.startswith("upload"):
            self._upload(number, body)
        elif kind == "pick images":
            self._pick(number, body["search"])

    def _snapshot(self, number: int, ids: list[str]) -> None:
        fault = self._next("empty", "silent")
        if fault == "silent":
            return
        items = [] if fault else [each for each in self.room.items.values() if _ours(each) or each["id"] in ids]
        gone = sorted(set(ids) - {each["id"] for each in items})
        self.say("snapshot", re=number, scene=self.room.scene, items=items, gone=gone)

    def _write(self, number: int, changes: list[Item]) -> None:
        fault = self._next(*(set(FAULTS) - {"empty", "refused", "picker times out", "picker closed", "wrong sizes"}))
        ids = [each["id"] for each in changes]
        here = [each for each in changes if each["id"] in self.room.items]
        gone = [each for each in ids if each not in self.room.items]
        if fault == "late":
            self._late.append(here)
        if fault in ("late", "lost request", "silent"):
            return
        refused = [each for each in here if self._next("refused")]
        failed = [{"id": each["id"], "code": "refused", "why": "the room says no"} for each in refused]
        here = [each for each in here if each not in refused]
        if fault != "false success":
            self._do(here, fault)
        if fault == "lost answer":
            return
        shown = [self.room.items[each["id"]] for each in here]
        self.say("written", re=number, scene=self.room.scene, items=shown, gone=gone, failed=failed)

    def come_true(self) -> None:
        for each in self._late:
            self._do(each, None)
        self._late.clear()

    def _do(self, changes: list[Item], fault: str | None) -> None:
        if changes:
            self.room.calls.append([each["id"] for each in changes])
            self.room.change(lambda items: written(items, changes, fault))

    def _place(self, number: int, new: list[Item]) -> None:
        self.room.calls.append([each["id"] for each in new])
        self.room.change(lambda items: items.update({each["id"]: each for each in new if each["id"] not in items}))
        there = [each["id"] for each in new if each["id"] in self.room.items]
        self.say("placed", re=number, scene=self.room.scene, items=there, failed=[])

    def _upload(self, number: int, body: Item) -> None:
        fault = self._next("picker times out", "picker closed", "silent")
        if fault == "silent":
            return
        if fault == "picker closed":
            self.say("refused", re=number, code="other", why="the GM closed the picker")
            return
        if fault is None and body["kind"] == "upload scene":
            self.room.library["scenes"].append({key: body[key] for key in ("name", "grid", "items", "map")})
        elif fault is None:
            self.room.library["images"] += [each | {"typeHint": body["hint"]} for each in body["images"]]
        self.say("uploaded", re=number, sure=fault is None)

    def _pick(self, number: int, search: str) -> None:
        fault = self._next("picker closed", "wrong sizes", "silent")
        if fault == "silent":
            return
        self.say("busy", re=number, for_ms=5000)
        kept = [each for each in self.room.library["images"] if search.casefold() in each["name"].casefold()]
        found = [
            {key: each[key] for key in ("name", "width", "height", "dpi", "offset")}
            | {"url": f"https://images.owlbear.rodeo/{place}", "mime": "image/png"}
            for place, each in enumerate([] if fault == "picker closed" else kept)
        ]
        for each in found if fault == "wrong sizes" else ():
            each["width"] = 0
        self.say("picked", re=number, images=found)

    def _next(self, *possible: str) -> str | None:
        return self.faults.pop(0) if self.faults and self.faults[0] in possible else None


def written(items: dict[str, Item], changes: list[Item], fault: str | None = None) -> None:
    for each in changes:
        put(items[each["id"]], each, fault)


def put(item: Item, change: Item, fault: str | None = None) -> None:
    """Apply a change to an item as the page does, by the words of docs/owlbear-link.md."""
    for each in change.get("trackers", ()):
        _put_tracker(item["metadata"], each, fault)
    if "record" in change:
        record = item["metadata"].setdefault(RECORD_KEY, {})
        for key, value in change["record"].items():
            if key == "units":
                for unit in record.get("units", ()):
                    unit.update(next((each for each in value if each["uid"] == unit["uid"]), {}))
            elif key == "bands":
                record.setdefault("bands", {}).update(value)
            else:
                record[key] = value
    if "position" in change:
        item["position"] = change["position"]


def _put_tracker(metadata: Item, change: Item, fault: str | None) -> None:
    entries = metadata.get(TRACKERS_KEY, [])
    if not isinstance(entries, list):
        return  # nonsense of somebody else's
    new = change.get("new")
    keys = {key: value for key, value in change.items() if key != "new"}
    if fault == "clamps":
        keys["value"] = min(1, keys["value"])
    known = next((each for each in entries if isinstance(each, dict) and each.get("id") == change["id"]), None)
    if fault == "drops":
        entries[:] = [each for each in entries if each is not known]
    elif known is not None:
        known.update(keys)
    elif new is not None and len(entries) < LIMIT:
        metadata[TRACKERS_KEY] = [*entries, new | keys]


def entry_of(item: Item, entry: str) -> Item:
    found: Item = next(each for each in item["metadata"][TRACKERS_KEY] if each["id"] == entry)
    return found


def _ours(item: Item) -> bool:
    return RECORD_KEY in item["metadata"]


class Direct:
    """A line without a network: the page and the link call each other."""

    def __init__(self, link: Link, page: Page) -> None:
        self.link, self.page = link, page
        self.stream = Stream()

    def connect(self) -> None:
        self.page.line = self
        self.page.hello()
        self.stream = Stream()
        self.stream.wake = self._read
        self.link.listen(self.page.identity, self.page.heard, self.stream)

    def disconnect(self) -> None:
        self.page.line = None
        self.link.left(self.page.identity, self.stream)

    def up(self, text: str) -> None:
        self.link.hear(*messages_of(body_of(text.encode())))

    def _read(self) -> None:
        for text in self.stream.texts():
            data = next(line for line in text.splitlines() if line.startswith("data: "))
            self.page.told(data.removeprefix("data: "))
