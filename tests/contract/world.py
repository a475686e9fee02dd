"""What the contract suite asks of a VTT: a world in which a test can do what people and networks do.

An adapter joins by writing a class like :class:`Memory` below and putting it into ``WORLDS`` in ``worlds.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from rallypoint.kernel.canonical import Value
from rallypoint_sync.bindings import Binding, Carrier
from rallypoint_sync.fields import Field
from rallypoint_sync.lenses import Exact
from rallypoint_sync.snapshot import Snapshot
from rallypoint_sync.transport import DoubtfulError, RefusedError, Transport, UnreachableError

from .battles import STRESS, UNITS, wounds

__all__ = ["FAULTS", "Clock", "Memory", "World"]

FAULTS = {
    "lost answer": "the write is made, and no answer comes",
    "lost request": "the write is not made, and no answer comes",
    "late": "no answer comes, and the write is made when the test says so",
    "refused": "the VTT says no to the document",
    "away": "the VTT cannot be reached; it may pass by itself",
    "locked out": "the VTT lets nobody in; it will not pass by itself",
    "false success": "the VTT says that it was made and shows the old value",
    "drops": "the VTT's data model throws the value away",
    "clamps": "the VTT makes at most 1 of the value",
    "empty": "the VTT answers that there is nothing",
}
"""What can go wrong with one call; ``World.can`` says which of it a world can play."""


class Clock:
    """Time that passes when somebody waits."""

    def __init__(self) -> None:
        self.seconds = 1_000_000.0
        self.waits: list[float] = []

    def now(self) -> float:
        return self.seconds

    def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.seconds += seconds


class World(Protocol):
    """A VTT with the four units and the platoon of ``battles.opening()`` in it, as they are at the start.

    Wounds have one carrier each, Stress has at least two. Each carrier is exact, two-way, owned by both.
    """

    vtt: str
    can: frozenset[str]
    writes: list[tuple[str, Mapping[str, Value]]]
    """What was asked to be written, with every fault, in order."""

    @property
    def transport(self) -> Transport: ...

    def again(self) -> Transport:
        """A transport as a new process would make it."""

    def bindings(self) -> Sequence[Binding]: ...

    def shown(self, carrier: Carrier) -> Value:
        """What people see; ``None``: nothing."""

    def edit(self, carrier: Carrier, value: Value) -> None:
        """Somebody at the VTT gives it another value."""

    def delete(self, document: str) -> None: ...

    def put_back(self, document: str) -> None:
        """What was deleted is there again, as it was then."""

    def copy(self, document: str) -> None: ...

    def rename(self, document: str, name: str) -> None: ...

    def fault(self, name: str, calls: int = 1) -> None:
        """The next so many calls go wrong."""

    def come_true(self) -> None:
        """Writes that were late are made now."""


class Memory:
    """A VTT in memory; it can do everything wrong."""

    def __init__(self, vtt: str = "memory", fallback: bool = False) -> None:
        self.vtt = vtt
        self.can = frozenset(FAULTS)
        self.fallback = fallback
        self.documents: dict[str, dict[str, Value]] = {unit: {"wounds": 0, "name": unit} for unit in UNITS}
        for unit in UNITS[:3]:  # a copy of Stress on three tokens
            self.documents[unit]["stress"] = 4
        self.copies: dict[str, str] = {}
        self.deleted: dict[str, dict[str, Value]] = {}
        self.writes: list[tuple[str, Mapping[str, Value]]] = []
        self.reads = 0
        self.before_write: Callable[[str, Mapping[str, Value], bool], None] = lambda _document, _values, _late: None
        self.bent: Callable[[str, str, Value], None] = lambda _document, _path, _value: None
        self._faults: list[str] = []
        self._late: list[tuple[str, Mapping[str, Value]]] = []

    @property
    def transport(self) -> Memory:
        return self

    def again(self) -> Memory:
        return self

    def bindings(self) -> list[Binding]:
        found = []
        for unit in UNITS:
            flag = Carrier(unit, "flag") if self.fallback else None
            found.append(Binding((wounds(unit),), Carrier(unit, "wounds"), Exact(), fallback=flag))
        return [*found, *[Binding((STRESS,), Carrier(unit, "stress"), Exact()) for unit in UNITS[:3]]]

    def carriers(self, field: Field) -> list[Carrier]:
        return [each.carrier for each in self.bindings() if each.field == field]

    def shown(self, carrier: Carrier) -> Value:
        return self.documents.get(carrier.document, {}).get(carrier.path)

    def edit(self, carrier: Carrier, value: Value) -> None:
        self.documents[carrier.document][carrier.path] = value

    def delete(self, document: str) -> None:
        self.deleted[document] = self.documents.pop(document)

    def put_back(self, document: str) -> None:
        self.documents[document] = self.deleted.pop(document)

    def copy(self, document: str) -> None:
        self.documents[f"{document}-copy"] = dict(self.documents[document])
        self.copies[f"{document}-copy"] = document

    def rename(self, document: str, name: str) -> None:
        self.documents[document]["name"] = name

    def fault(self, name: str, calls: int = 1) -> None:
        self._faults += [name] * calls

    def heal(self) -> None:
        self._faults.clear()

    def come_true(self) -> None:
        for document, values in self._late:
            if document in self.documents:
                self.before_write(document, values, True)
                self.documents[document].update(values)
        self._late.clear()

    # The transport

    def read(self, documents: Sequence[str]) -> Snapshot:
        fault = self._next("away", "locked out", "empty")
        self._refuse_entry(fault)
        self.reads += 1
        if fault == "empty":
            return Snapshot(gone=frozenset(documents))
        seen = {name: dict(self.documents[name]) for name in documents if name in self.documents}
        return Snapshot(seen, frozenset(set(documents) - set(seen)), copies=dict(self.copies))

    def write(self, document: str, values: Mapping[str, Value]) -> Mapping[str, Value]:
        fault = self._next(*FAULTS)
        self.writes.append((document, dict(values)))
        self._refuse_entry(fault)
        if fault == "refused":
            raise RefusedError("the world says no", code="refused", where=document)
        if document not in self.documents:
            raise RefusedError("there is no such document", code="document_gone", where=document)
        if fault == "late":
            self._late.append((document, dict(values)))
        if fault in ("late", "lost request"):
            raise DoubtfulError("no answer came", code="no_answer", where=document)
        self.before_write(document, values, False)
        if fault == "drops" and "wounds" in values:  # what it was not given it does not throw away
            values = {path: value for path, value in values.items() if path != "wounds"}
            self.documents[document].pop("wounds", None)
        elif fault == "clamps":
            values = {path: min(1, value) for path, value in values.items() if isinstance(value, int)}
            for path, value in values.items():
                self.bent(document, path, value)
        if fault != "false success":
            self.documents[document].update(values)
        if fault == "lost answer":
            raise DoubtfulError("no answer came", code="no_answer", where=document)
        return dict(self.documents[document])

    def _next(self, *possible: str) -> str | None:
        return self._faults.pop(0) if self._faults and self._faults[0] in possible else None

    def _refuse_entry(self, fault: str | None) -> None:
        if fault == "away":
            raise UnreachableError("nobody answers", code="away", passing=True)
        if fault == "locked out":
            raise UnreachableError("the key is wrong", code="wrong_key")
