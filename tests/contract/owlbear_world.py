"""A room of Owlbear Rodeo behind the live link: four tokens with Wounds, three of them with Stress."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from rallypoint.kernel.canonical import Value
from rallypoint_owlbear.link.changes import tracker_path
from rallypoint_owlbear.link.link import Link
from rallypoint_owlbear.link.transport import OwlbearTransport
from rallypoint_sync.bindings import Binding, Carrier
from rallypoint_sync.files import shown_at
from rallypoint_sync.lenses import Exact
from rallypoint_sync.snapshot import Snapshot
from rallypoint_sync.transport import Outcome

from ..owlbear_live.room import Direct, Item, Page, Room, token
from .battles import STRESS, UNITS, wounds

Found = TypeVar("Found")

_WOUNDS, _STRESS = "rallypoint-wounds-", "rallypoint-stress"


class Watched(OwlbearTransport):
    """The transport, before which the room may be left for a call; it keeps what was written."""

    world: OwlbearWorld

    def read(self, documents: Sequence[str]) -> Snapshot:
        return self.world.called(lambda: super(Watched, self).read(documents))

    def write_all(self, documents: Mapping[str, Mapping[str, Value]]) -> Mapping[str, Outcome]:
        self.world.writes += [(document, dict(values)) for document, values in documents.items()]
        return self.world.called(lambda: super(Watched, self).write_all(documents))


class OwlbearWorld:
    """The world of the room; the test's people use the room itself."""

    vtt = "owlbear"
    can = frozenset(
        {"lost answer", "lost request", "late", "refused", "away", "false success", "drops", "clamps", "empty"}
    )

    def __init__(self, _folder: Path) -> None:
        self.room = Room()
        self.now = 0.0
        self.deleted: dict[str, Item] = {}
        for number, unit in enumerate(UNITS):
            trackers = {f"{_WOUNDS}{unit}": 0} | ({_STRESS: 4} if number < 3 else {})
            self.room.items[f"token-{unit}"] = token(f"token-{unit}", unit, trackers, wounds=0)
        self.writes: list[tuple[str, Mapping[str, Value]]] = []
        self.link = Link(now=lambda: self.now, wait=lambda _lock, seconds: self._pass(seconds))
        self.page = Page(self.room)
        self.line = Direct(self.link, self.page)
        self.line.connect()
        self._away = 0
        self.transport = self.again()

    def _pass(self, seconds: float) -> None:
        """Time passes, in which the page says that it is there."""
        self.now += seconds
        self.page.say("lease")

    def again(self) -> Watched:
        found = Watched(self.link, "scene-1", self.bindings())
        found.world = self
        return found

    def called(self, call: Callable[[], Found]) -> Found:
        """Make a call, while nobody is in the room if the test says so."""
        if not self._away:
            return call()
        self._away -= 1
        self.line.disconnect()
        self.now += 10
        try:
            return call()
        finally:
            self.line.connect()

    def bindings(self) -> list[Binding]:
        hits = [
            Binding((wounds(unit),), Carrier(f"token-{unit}", tracker_path(f"{_WOUNDS}{unit}")), Exact())
            for unit in UNITS
        ]
        return [
            *hits,
            *[Binding((STRESS,), Carrier(f"token-{unit}", tracker_path(_STRESS)), Exact()) for unit in UNITS[:3]],
        ]

    def shown(self, carrier: Carrier) -> Value:
        return shown_at(self.room.items.get(carrier.document), carrier.path)

    def edit(self, carrier: Carrier, value: Value) -> None:
        self.room.set(carrier.document, carrier.path.split("/")[3], value)

    def delete(self, document: str) -> None:
        self.deleted[document] = copy.deepcopy(self.room.items[document])
        self.room.change(lambda items: items.__delitem__(document))

    def put_back(self, document: str) -> None:
        self.room.change(lambda items: items.update({document: self.deleted.pop(document)}))

    def copy(self, document: str) -> None:
        twin = {**copy.deepcopy(self.room.items[document]), "id": f"{document}-copy"}
        self.room.change(lambda items: items.update({twin["id"]: twin}))

    def rename(self, document: str, name: str) -> None:
        self.room.change(lambda items: items[document].update(name=name))

    def fault(self, name: str, calls: int = 1) -> None:
        if name == "away":
            self._away = calls
        else:
            self.page.faults += [name] * calls

    def come_true(self) -> None:
        self.page.come_true()
