"""The world of Foundry: the fake relay, in this thread. Two units are actors of their own, two are unlinked tokens."""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from rallypoint.kernel.canonical import Value
from rallypoint_foundry.fake.client import FakeTransport
from rallypoint_foundry.fake.documents import at
from rallypoint_foundry.fake.relay import Relay as FakeRelay
from rallypoint_foundry.fake.systems import load_system
from rallypoint_foundry.fake.table import Table
from rallypoint_foundry.live.relay import Relay
from rallypoint_foundry.live.transport import FoundryTransport
from rallypoint_foundry.live.wire import Asked, HttpxWire, Secret, Told
from rallypoint_sync.bindings import Binding, Carrier
from rallypoint_sync.lenses import Exact
from rallypoint_sync.snapshot import Snapshot

from .battles import STRESS, UNITS, wounds
from .world import FAULTS

HITS, STRESS_PATH = "system.hits.value", "system.other.stress.value"
SCENE = "scene00000000000"


def _named(kind: str, unit: str) -> str:
    return f"{kind}{unit}".ljust(16, "0")


def _document(unit: str) -> str:
    actor = f"Actor.{_named('actor', unit)}"
    return actor if unit in ("u2", "u3") else f"Scene.{SCENE}.Token.{_named('token', unit)}.{actor}"


class FaultyWire(HttpxWire):
    """The wire, with what a proxy, a bug or a data model may do to a call."""

    fault: str | None = None

    def send(self, asked: Asked) -> Told:
        if self.fault == "refused":
            return _refusal("User 'Ann' does not have permission to update 'u'")
        if self.fault == "empty":
            return _refusal("Entity not found")
        if self.fault == "away":
            return Told(404, "application/json", b'{"error":"Invalid client ID"}', iter(()))
        if self.fault == "locked out":
            return Told(401, "application/json", b'{"error":"Invalid API key"}', iter(()))
        if asked.method != "PUT" or self.fault is None:
            return super().send(asked)
        data = dict(cast("Mapping[str, int]", cast("Mapping[str, object]", asked.body)["data"]))
        if self.fault == "lost request":
            return Told(408, "application/json", b'{"error":"Request timed out"}', iter(()))
        if self.fault == "clamps":
            data = {path: min(1, value) for path, value in data.items()}
        elif self.fault == "drops":
            data = {f"{path.rpartition('.')[0]}.-=value": 0 for path in data}
        elif self.fault == "false success":
            data = {}
        told = super().send(asked._replace(body={"data": data}))
        if self.fault == "lost answer":
            return Told(502, "text/html", b"<html>Bad Gateway</html>", iter(()))
        return told


def _refusal(text: str) -> Told:
    return Told(400, "application/json", json.dumps({"error": text}).encode(), iter(()))


class _Counting(FoundryTransport):
    """The transport, which keeps what was written and goes wrong on request."""

    world: FoundryWorld

    def read(self, documents: Sequence[str]) -> Snapshot:
        with self.world.struck(self, "away", "locked out", "empty"):
            return super().read(documents)

    def write(self, document: str, values: Mapping[str, Value]) -> Mapping[str, Value]:
        self.world.writes.append((document, dict(values)))
        with self.world.struck(self, *FAULTS) as name:
            if name == "late":
                self.world.late.append((document, dict(values)))
                cast("FaultyWire", self.relay.wire).fault = "lost request"
            return super().write(document, values)


class _Struck:
    def __init__(self, wire: FaultyWire, fault: str | None) -> None:
        self.wire, self.fault = wire, fault

    def __enter__(self) -> str | None:
        self.wire.fault = self.fault
        return self.fault

    def __exit__(self, *exc: object) -> None:
        self.wire.fault = None


class FoundryWorld:
    """The world of Foundry; the test's people sit before the fake world itself."""

    vtt = "foundry"
    can = frozenset(FAULTS)

    def __init__(self, folder: Path) -> None:
        self.table = Table(load_system("worldbuilding"))
        self.fake = FakeRelay(self.table)
        self.key = self.fake.add_key()
        self.writes: list[tuple[str, Mapping[str, Value]]] = []
        self.late: list[tuple[str, Mapping[str, Value]]] = []
        self._faults: list[str] = []
        self.deleted: dict[str, Any] = {}
        self._fill()
        self.transport = self.again()

    def _fill(self) -> None:
        tokens = []
        for unit in UNITS:
            flags = {"rallypoint": {"uid": unit}}
            system: dict[str, Any] = {"hits": {"value": 0, "max": 3}}
            if unit in UNITS[:3]:
                system["other"] = {"stress": {"value": 4, "max": 20}}
            actor = {"_id": _named("actor", unit), "name": unit, "type": "base", "system": system, "flags": flags}
            self.table.create("Actor", actor, keep_id=True)
            linked = unit in ("u2", "u3")
            token = {"_id": _named("token", unit), "name": unit, "actorId": actor["_id"], "actorLink": linked}
            tokens.append({**token, "flags": flags})
        scene = {"_id": SCENE, "name": "Field", "active": True, "tokens": tokens}
        self.table.create("Scene", scene, keep_id=True)

    def again(self) -> _Counting:
        wire = FaultyWire("http://fake", FakeTransport(self.fake))
        relay = Relay(wire, Secret(self.key), self.table.client, clock=self.fake.clock)
        found = _Counting(relay, self.bindings())
        found.world = self
        return found

    def bindings(self) -> list[Binding]:
        hits = [Binding((wounds(unit),), Carrier(_document(unit), HITS), Exact()) for unit in UNITS]
        return [*hits, *[Binding((STRESS,), Carrier(_document(unit), STRESS_PATH), Exact()) for unit in UNITS[:3]]]

    def shown(self, carrier: Carrier) -> Value:
        found = self.table.find(carrier.document)
        return None if found is None else cast("Value", at(found.document, carrier.path))

    def edit(self, carrier: Carrier, value: Value) -> None:
        self.table.edit(carrier.document, {carrier.path: value})

    def delete(self, document: str) -> None:
        uuid = document.partition(".Actor")[0] if document.startswith("Scene") else document
        found = self.table.find(uuid)
        assert found is not None
        self.deleted[document] = copy.deepcopy(found.document)
        self.table.remove(uuid)

    def put_back(self, document: str) -> None:
        tokens = self.table.collections["Scene"][SCENE]["tokens"]
        assert isinstance(tokens, list)
        tokens.append(self.deleted.pop(document))

    def copy(self, document: str) -> None:
        self.table.copy_token(document.partition(".Actor")[0])

    def rename(self, document: str, name: str) -> None:
        self.table.edit(document, {"name": name})

    def fault(self, name: str, calls: int = 1) -> None:
        self._faults += [name] * calls

    def struck(self, transport: _Counting, *possible: str) -> _Struck:
        name = self._faults.pop(0) if self._faults and self._faults[0] in possible else None
        return _Struck(cast("FaultyWire", transport.relay.wire), name)

    def come_true(self) -> None:
        for document, values in self.late:
            self.table.edit(document, values)
        self.late.clear()
