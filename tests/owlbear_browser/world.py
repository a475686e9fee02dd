"""The room in the browser as a world of the contract suite: four tokens with Wounds, three of them with Stress."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rallypoint.kernel.canonical import Value
from rallypoint_owlbear.link.changes import tracker_path
from rallypoint_owlbear.link.transport import OwlbearTransport
from rallypoint_sync.bindings import Binding, Carrier
from rallypoint_sync.files import shown_at
from rallypoint_sync.lenses import Exact

from ..contract.battles import STRESS, UNITS, wounds
from .browser import Room
from .program import Program
from .table import Table
from .tokens import token

__all__ = ["BrowserWorld"]

_STRESS = tracker_path("rallypoint-stress")


class BrowserWorld:
    """The world of a real page in a real browser; the test's people type in the room."""

    vtt = "owlbear"
    can: frozenset[str] = frozenset()

    def __init__(self, room: Room, program: Program) -> None:
        items = [token(each, wounds=0, stress=4 if number < 3 else None) for number, each in enumerate(UNITS)]
        self.room = room
        self.deleted: dict[str, dict[str, Any]] = {}
        self.table = Table(room, program, items)
        self.writes: list[tuple[str, Mapping[str, Value]]] = []
        self.transport = self.again()

    def again(self) -> OwlbearTransport:
        return OwlbearTransport(self.table.program.desk, self.table.scene, self.bindings())

    def bindings(self) -> list[Binding]:
        hits = [
            Binding((wounds(each),), Carrier(each, tracker_path(f"rallypoint-wounds-{each}")), Exact())
            for each in UNITS
        ]
        return [*hits, *[Binding((STRESS,), Carrier(each, _STRESS), Exact()) for each in UNITS[:3]]]

    def shown(self, carrier: Carrier) -> Value:
        return shown_at(self.room.items().get(carrier.document), carrier.path)

    def edit(self, carrier: Carrier, value: Value) -> None:
        self.room.call("type", carrier.document, carrier.path.split("/")[3], value)

    def delete(self, document: str) -> None:
        self.deleted[document] = self.room.items()[document]
        self.room.call("remove", [document])

    def put_back(self, document: str) -> None:
        self.room.call("put", [self.deleted.pop(document)])

    def copy(self, document: str) -> None:
        self.room.call("copy", document, f"{document}-copy")

    def rename(self, document: str, name: str) -> None:
        self.room.call("put", [{"id": document, "name": name}])

    def fault(self, name: str, calls: int = 1) -> None:
        raise NotImplementedError(name)

    def come_true(self) -> None:
        raise NotImplementedError
