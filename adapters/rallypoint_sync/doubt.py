"""Doubt: what became of writes whose answer was lost, and of edits that were about to be taken, found out by reading."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from rallypoint.kernel.canonical import Value
from rallypoint.kernel.changes import SetPlace, SetTracker
from rallypoint.kernel.history import History

from .bindings import Binding, Carrier
from .fields import PLACE, Field
from .ledger import Ledger
from .merge import Table, same
from .snapshot import Snapshot
from .words import who

__all__ = ["DOUBT", "Cleared", "agree_on_taken", "cleared"]

_MADE = "made"
"""The path under which the ledger keeps by which making a document is there."""

DOUBT = 120.0
"""Seconds in which a write whose answer was lost may still come true at the VTT."""


class Cleared(NamedTuple):
    """A VTT as it was read, with what that tells of writes without an answer.

    ``true`` are writes that have come true, by number, with what is shown; ``untrue`` are the numbers of those that will not
    any more. ``returned`` is what documents show that were gone and are there again, ``made`` by which making documents are there;
    ``unknown`` are carriers of which nothing is agreed any more.
    """

    table: Table
    true: Mapping[int, tuple[Carrier, Value]]
    untrue: tuple[int, ...]
    returned: Mapping[Carrier, Value]
    made: Mapping[Carrier, Value]
    unknown: frozenset[Carrier]

    def note(self, ledger: Ledger) -> None:
        """Write it into the ledger."""
        if self.unknown:
            ledger.forget_agreed(self.table.vtt, self.unknown)
        ledger.meet_again(self.table.vtt, {**self.returned, **self.made})
        ledger.came_of(self.table.vtt, self.true, dict.fromkeys(self.untrue, "refused"))


def cleared(ledger: Ledger, vtt: str, bindings: tuple[Binding, ...], snapshot: Snapshot, now: float) -> Cleared:
    """Return a VTT as it was read, with what was agreed after finding out what became of writes without an answer.

    A carrier that shows what was sent to it last, and was not agreed before, has got it: that is agreed. One that shows what was sent before something else
    was agreed is *late*: it may be our own value that came after all, or somebody's edit. What was sent before the battle was
    put back to an older state is ours, never an edit.

    A document that was gone and is there again may come from an old export: what it shows is nobody's edit, and the battle's
    values go to it, whoever owns them. So it is with one that nobody has seen gone, and that was made another time. One that is there
    again and was made no other time has been put back as it was: what it shows otherwise than was agreed somebody may have typed, so the
    two meet for the first time there.

    Args:
        ledger: what was sent, and what was agreed.
        vtt: the VTT.
        bindings: those that were read.
        snapshot: what it shows.
        now: the moment, in seconds.
    """
    agreed = ledger.base(vtt)
    made = {Carrier(document, _MADE): word for document, word in snapshot.made.items() if document in snapshot.seen}
    anew = {each.document for each, word in made.items() if agreed.get(each, word) != word}
    there_again = ledger.tombstones(vtt) & snapshot.seen.keys()
    put_back = {each.document for each, word in made.items() if word and agreed.get(each) == word} & there_again
    bound = ledger.bindings(vtt) if there_again or anew else ()
    returned = _shown(snapshot, bound, (there_again - put_back) | anew)
    lens_of = {each.carrier: each.lens for each in bound}
    unknown = frozenset(
        each
        for each, shown in _shown(snapshot, bound, put_back).items()
        if each in agreed and not same(lens_of[each], shown, agreed[each])
    )
    base = {each: value for each, value in {**agreed, **returned}.items() if each not in unknown}
    lenses = {each.carrier: each.lens for each in bindings if each.carrier not in returned}
    bindings = tuple([each._replace(owner="battle") if each.carrier in returned else each for each in bindings])
    new = {each: word for each, word in made.items() if agreed.get(each) != word or each.document in put_back}
    true: dict[int, tuple[Carrier, Value]] = {}
    untrue: list[int] = []
    late: set[Carrier] = set()
    for sent in reversed(ledger.sent(vtt, states=("sent", "doubtful", "late", "older"))):
        carrier = sent.carrier
        lens = lenses.get(carrier)
        if lens is None or carrier.document not in snapshot.seen:
            continue
        shown = snapshot.values(carrier.document).get(carrier.path)
        news = same(lens, shown, sent.new) and not (carrier in base and same(lens, shown, base[carrier]))
        if news and sent.state == "late":
            # It is forgotten when something else is shown: a process that ends before the conflict is kept must find it again.
            late.add(carrier)
        elif news:
            true[sent.number] = (carrier, shown)
            base[carrier] = shown
        elif now - sent.moment > DOUBT:
            untrue.append(sent.number)
    return Cleared(Table(vtt, bindings, base, snapshot, frozenset(late)), true, tuple(untrue), returned, new, unknown)


def _shown(snapshot: Snapshot, bindings: Iterable[Binding], documents: Collection[str]) -> Mapping[Carrier, Value]:
    """Return what the carriers of some documents show."""
    return {
        each.carrier: snapshot.values(each.carrier.document).get(each.carrier.path)
        for each in bindings
        if each.carrier.document in documents
    }


def agree_on_taken(ledger: Ledger, history: History) -> None:
    """Agree on edits that are in the log already: a process ended after it had put them there.

    Without this an edit that somebody undoes before the next sync would be taken again.
    """
    for taking in ledger.takings():
        for entry in history.entries[taking.head + 1 :]:
            if entry.kind == "edit" and entry.body["who"] == who(taking.vtt):
                changed = {
                    Field(change.uid, change.name): change.value
                    for change in entry.changes
                    if isinstance(change, SetTracker)
                }
                places = {Field(change.uid, PLACE) for change in entry.changes if isinstance(change, SetPlace)}
                if changed.get(taking.field) == taking.value or taking.field in places:
                    ledger.agree(taking.vtt, {taking.carrier: taking.shown})
                    break
