"""What changed since a moment or an entry of the log: what VTTs were sent, and what came from them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from rallypoint.kernel.canonical import Value
from rallypoint.kernel.changes import SetPlace, SetTracker
from rallypoint.kernel.history import History

from .fields import PLACE, Field, value_of
from .ledger import Ledger

__all__ = ["Changed", "changes_since"]


class Changed(NamedTuple):
    """One value that went from here to there.

    ``source`` and ``target`` are ``battle`` or the name of a VTT (or, for an edit, what the log calls its author); ``entry`` is the
    entry of the log that made it or was the last one when it was sent. ``field`` is ``None`` for a carrier that is bound no more.
    """

    source: str
    target: str
    field: Field | None
    old: Value
    new: Value
    entry: int


def changes_since(
    history: History, ledger: Ledger, *, entry: int | None = None, moment: float | None = None
) -> tuple[Changed, ...]:
    """Return what has been taken from VTTs and what they were sent and show, in the order of the log.

    Args:
        history: the battle's.
        ledger: its ledger.
        entry: tell what came after this entry of the log; all, where both are ``None``.
        moment: tell what came after this moment, in seconds. Of edits it is known between which two syncs they came.
    """
    if entry is None:
        head = None if moment is None else ledger.last_head(until=moment)
        entry = 0 if head is None else head.number
    found = [*_edits(history, entry), *_sent(ledger, entry, moment)]
    return tuple(sorted(found, key=lambda each: (each.entry, each.source == "battle")))


def _edits(history: History, after: int) -> list[Changed]:
    found: list[Changed] = []
    folded = History()
    for each in history.entries:
        before = folded.state if each.number else None
        folded.add(each)
        if each.kind != "edit" or each.number <= after or before is None:
            continue
        source = str(each.body["who"])
        for change in each.changes:
            if isinstance(change, SetTracker | SetPlace):
                field = Field(change.uid, change.name if isinstance(change, SetTracker) else PLACE)
                old, new = value_of(before, field), value_of(folded.state, field)
                found.append(Changed(source, "battle", field, old, new, each.number))
    return found


def _sent(ledger: Ledger, after: int, moment: float | None) -> list[Changed]:
    found: list[Changed] = []
    for vtt in ledger.vtts():
        fields: Mapping[object, Field] = {each.carrier: each.field for each in ledger.bindings(vtt)}
        for sent in ledger.sent(vtt, states=("done",)):
            if sent.moment > moment if moment is not None else sent.entry > after:
                field = fields.get(sent.carrier)
                found.append(Changed("battle", vtt, field, sent.old, sent.new, sent.entry))
    return found
