"""Pushing again: what would become of the values that a second push finds in the world."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Literal, TypeAlias

from rallypoint.kernel.canonical import Value
from rallypoint_sync.bindings import Binding, Carrier, First
from rallypoint_sync.hub import Hub
from rallypoint_sync.ledger import Ledger
from rallypoint_sync.plan import ConflictKind, Plan
from rallypoint_sync.snapshot import Snapshot
from rallypoint_sync.transport import RefusedError

from .addresses import at, shown
from .carriers import Found
from .table import Table
from .transport import VTT

__all__ = ["DISPUTED", "FIRST", "Values", "disputed", "foreseen", "is_untouched"]

DISPUTED: tuple[ConflictKind, ...] = ("first_meeting", "both_changed", "copies_differ")
"""The conflicts that whose value holds decides; a unit that would come back to play, or a text, is a person's own question."""

Values: TypeAlias = Literal["keep", "reset"]
"""What becomes of values that the world shows and the battle does not: ``keep`` takes them into the battle, ``reset`` gives the
world those of the battle."""

FIRST: Mapping[Values | None, First] = {None: "ask", "keep": "vtt", "reset": "battle"}
"""Whose value holds where the two meet."""


class _Seen:
    """Documents that were read already, as the way to a world."""

    vtt = VTT

    def __init__(self, found: Mapping[str, Mapping[str, object]], bindings: Sequence[Binding]) -> None:
        paths: dict[str, list[str]] = {uuid: [] for uuid in found}
        for each in bindings:
            paths[each.carrier.document].append(each.carrier.path)
        self._seen = {uuid: shown(document, paths[uuid]) for uuid, document in found.items()}

    def read(self, documents: Sequence[str]) -> Snapshot:
        return Snapshot({each: self._seen[each] for each in documents})

    def write(self, document: str, values: Mapping[str, Value]) -> Mapping[str, Value]:
        raise RefusedError("this is only looked at", code="only_looked_at", where=document)


def foreseen(seat: Table, found: Sequence[Found], bindings: Sequence[Binding], anew: Collection[Carrier] = ()) -> Plan:
    """Return what a sync would do once these documents are bound; nothing is written, neither there nor here.

    Args:
        seat: the battle's.
        found: the documents as they are.
        bindings: theirs.
        anew: carriers where the two meet anew, since somebody has said whose value holds.
    """
    with Ledger(None, seat.battle.history.entries[0].hash) as ledger:
        ledger.bind(VTT, {}, bindings)
        carriers = {each.carrier for each in bindings}.difference(anew)
        ledger.agree(VTT, {each: was for each, was in seat.ledger.base(VTT).items() if each in carriers})
        seen = _Seen({each.uuid: each.document for each in found}, bindings)
        return Hub(seat.battle, ledger, [seen], holder=seat.holder, is_out=seat.is_out, clock=seat.clock).plan()


def disputed(plan: Plan, bindings: Sequence[Binding]) -> frozenset[Carrier]:
    """Return the carriers of values that both sides have changed, or that meet for the first time and differ.

    All others are merged as by any sync, whatever was said of those: a value that was not sent yet is no question.
    """
    fields = {each.field for each in plan.conflicts if each.kind in DISPUTED}
    return frozenset([each.carrier for each in bindings if fields.intersection(each.fields)])


def is_untouched(wanted: Mapping[str, object], found: Found, bindings: Sequence[Binding]) -> bool:
    """Say whether a document still shows what an export gave it: then nobody loses anything by the battle's values."""
    own = [each.carrier for each in bindings if each.carrier.document == found.uuid]
    return all(
        at(found.document, each.path) == at(wanted, each.path) for each in own if each.path.startswith("system.")
    )
