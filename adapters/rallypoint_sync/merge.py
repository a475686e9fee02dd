"""The merge: from the battle, what was last agreed and what each VTT shows, to a plan. Nothing is read or written here.

Each field is merged for itself. A carrier is *edited* when it shows something else than was last agreed for it, compared as
the VTT shows it. The battle has *changed* for a carrier when it would show something else than was last agreed.

=====================  ==========================================================================
edited carriers        what happens
=====================  ==========================================================================
none                   carriers that do not show the battle's value are written
one value              the battle takes it, unless it has changed too: then that is a conflict
the battle's value     everybody agrees; the other carriers are written
different values       a conflict
=====================  ==========================================================================

A conflict keeps every value and freezes its field on all sides, until somebody resolves it or it goes away by itself. Where
the battle owns a field no edit counts; where the VTT owns it, its value counts whatever the battle did.

First it is decided which edits the battle takes; then every carrier is compared with the battle as it is after them, so that
sums and marks follow in the same plan.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple, TypeAlias

from rallypoint.kernel.canonical import Value
from rallypoint.kernel.errors import InputError
from rallypoint.kernel.fold import fold
from rallypoint.kernel.state import State

from .bindings import Binding, Carrier, shown_by_battle
from .fields import PLACE, Field, IsOut, change_to, nobody_out, value_of
from .lenses import Lens, NotShownError
from .plan import Agreed, Conflict, ConflictKind, Edit, LeftOut, Plan, Theirs, Write
from .snapshot import Snapshot

__all__ = ["UNREAD", "Table", "merge", "same"]

UNREAD = "it could not be read"
"""Why something is left out that a person should look at: a key that may not read it, another battle that has taken it over."""

NO_CONFLICTS: Mapping[Field, Conflict] = {}
NO_CARRIERS: frozenset[Carrier] = frozenset()


class Table(NamedTuple):
    """One VTT: its bindings, what was last agreed for each carrier (as it shows it), and what it shows now.

    ``late`` are carriers that show what was once sent there without an answer and has been replaced since.
    """

    vtt: str
    bindings: tuple[Binding, ...]
    base: Mapping[Carrier, Value]
    snapshot: Snapshot
    late: frozenset[Carrier] = NO_CARRIERS


def same(lens: Lens, one: Value, other: Value) -> bool:
    """Say whether two things that a VTT shows mean the same: 2 and ``"2"`` do, 1 and ``true`` do not."""
    one, other = lens.tidy(one), lens.tidy(other)
    return one == other and isinstance(one, bool) == isinstance(other, bool)


class _Met(NamedTuple):
    """A carrier that was read: what it shows, what it should show by the battle as it is, what was last agreed."""

    vtt: str
    binding: Binding
    shown: Value
    wanted: Value
    base: Value
    known: bool
    late: bool

    def shows(self, value: Value) -> bool:
        return same(self.binding.lens, self.shown, value)

    @property
    def differs(self) -> bool:
        """Whether it shows something else than the battle says, and that may come back. A value that is not there may not."""
        return self.binding.two_way and self.shown is not None and not self.shows(self.wanted)

    @property
    def edited(self) -> bool:
        """Whether somebody at the VTT gave it another value."""
        return self.differs and self.news

    @property
    def news(self) -> bool:
        """Whether it shows something that was not agreed, be it the battle's value or not."""
        return self.binding.two_way and self.shown is not None and self.known and not self.shows(self.base)

    @property
    def met_first(self) -> bool:
        """Whether the two meet for the first time and differ, and it is not the battle's value that holds then."""
        return self.differs and not self.known and (self.binding.first != "battle" or self.binding.owner == "vtt")

    @property
    def battle_changed(self) -> bool:
        """Whether the battle has another value than was last agreed."""
        return self.known and not same(self.binding.lens, self.wanted, self.base)

    @property
    def value(self) -> Value:
        """What is shown as a value of the battle; ``None`` where it means none."""
        try:
            return self.binding.lens.decode(self.shown)
        except NotShownError:
            return None


class _Taken(NamedTuple):
    """A value that the battle takes, and the carriers that it is from."""

    value: Value
    sources: list[_Met]


_Decision: TypeAlias = "_Taken | ConflictKind | None"


def merge(
    state: State,
    tables: Iterable[Table],
    kept: Mapping[Field, Conflict] = NO_CONFLICTS,
    is_out: IsOut = nobody_out,
) -> Plan:
    """Return what a sync would do.

    Args:
        state: the battle's.
        tables: the VTTs that were read; of one that was not nothing follows.
        kept: the conflicts that are open.
        is_out: says of an entity whether it is out of the fight; fewer Wounds would bring it back.
    """
    met, left_out = _met(state, tables, is_out)
    edits: list[Edit] = []
    conflicts: dict[Field, Conflict] = {}
    dissolved: list[Field] = []
    for field, carriers in _by_field(met).items():
        decision = _decided(state, field, carriers, kept.get(field), is_out)
        if isinstance(decision, str):
            conflicts[field] = _conflict(state, field, decision, carriers, kept.get(field))
            continue
        if decision is not None:
            source = decision.sources[0]
            shown = tuple([(each.vtt, each.binding.carrier, each.shown) for each in decision.sources])
            old, document = value_of(state, field), source.binding.carrier.document
            edits.append(Edit(field, old, decision.value, source.vtt, document, shown))
        if field in kept:
            dissolved.append(field)
    plan = Plan((), tuple(edits), tuple(conflicts.values()), (), tuple(left_out), tuple(dissolved))
    return _settled(plan, state, met, conflicts.keys() | (kept.keys() - set(dissolved)), is_out)


# What was read


def _met(state: State, tables: Iterable[Table], is_out: IsOut) -> tuple[list[_Met], list[LeftOut]]:
    met: list[_Met] = []
    left_out: list[LeftOut] = []
    for table in tables:
        for binding in table.bindings:
            carrier = binding.carrier
            why = _why_left_out(state, table, binding)
            try:
                wanted = None if why is not None else shown_by_battle(state, binding, is_out)
            except NotShownError as error:
                wanted, why = None, str(error)
            if why is not None:
                left_out.append(LeftOut(table.vtt, f"{binding.field} ({carrier})", why))
                continue
            shown = table.snapshot.values(carrier.document).get(carrier.path)
            known = carrier in table.base
            met.append(_Met(table.vtt, binding, shown, wanted, table.base.get(carrier), known, carrier in table.late))
        for copy, original in table.snapshot.copies.items():
            why = f"it is a copy of {original}, which is bound; nothing is written to it"
            left_out.append(LeftOut(table.vtt, copy, why))
    return met, left_out


def _why_left_out(state: State, table: Table, binding: Binding) -> str | None:
    """Return why nothing follows from a carrier, or ``None`` where something does."""
    for field in binding.fields:
        if value_of(state, field) is None and field.name != PLACE:
            return "the battle has no such value any more"
    document, snapshot = binding.carrier.document, table.snapshot
    if document in snapshot.gone:
        return "it is not there any more; it is not made again by itself"
    if document in snapshot.unread:
        return f"{UNREAD}: {snapshot.unread[document]}"
    if document in snapshot.opted_out:
        return "it has been taken out of the sync"
    return None if document in snapshot.seen else "it was not read"


def _by_field(met: Iterable[_Met]) -> Mapping[Field, list[_Met]]:
    """Return the carriers of each field that are its own; those of several fields only follow."""
    found: dict[Field, list[_Met]] = {}
    for each in met:
        if len(each.binding.fields) == 1:
            found.setdefault(each.binding.field, []).append(each)
    return found


# What holds


def _decided(state: State, field: Field, met: list[_Met], kept: Conflict | None, is_out: IsOut) -> _Decision:
    """Return what the battle takes, why that is a conflict, or ``None`` where the battle's value holds."""
    if kept is not None:
        read = {(each.vtt, each.binding.carrier) for each in met}
        if any((each.vtt, Carrier(each.document, each.path)) not in read for each in kept.theirs):
            return kept.kind  # somebody who disagreed was not asked
        if kept.kind == "late_write" and any(each.differs for each in met):
            return kept.kind
    speaking = _speaking(met)
    if any(each.late for each in speaking):
        return "late_write"
    if any(each.met_first and each.binding.first == "ask" and each.binding.owner == "both" for each in speaking):
        return "first_meeting"
    if any(each.value is None for each in speaking):
        return "no_value"
    values = list(dict.fromkeys(each.value for each in speaking))
    if len(values) > 1:
        return "copies_differ"
    if not values or values[0] == value_of(state, field):
        return None
    return _against(state, field, values[0], speaking, is_out) or _Taken(values[0], speaking)


def _speaking(met: list[_Met]) -> list[_Met]:
    """Return the carriers whose value may come into the battle.

    Where a VTT owns the field its value counts without an edit too; but where one of its carriers shows the battle's value, the
    others are copies that have not been written yet.
    """
    found = [each for each in met if each.edited or each.met_first]
    owned = [each for each in met if each.binding.owner == "vtt" and each.binding.two_way]
    if found or any(each.shows(each.wanted) for each in owned):
        return found
    return [each for each in owned if each.differs]


def _against(state: State, field: Field, value: Value, speaking: list[_Met], is_out: IsOut) -> ConflictKind | None:
    """Return what speaks against taking a value into the battle."""
    asking = [each for each in speaking if each.binding.owner == "both"]
    if any(each.battle_changed for each in asking):
        return "both_changed"
    try:
        change_to(state, field, value)
    except InputError:
        return "out_of_range"
    if field.name == PLACE:
        return "move_proposed" if asking else None
    before = value_of(state, field)
    if isinstance(value, int) and isinstance(before, int) and value < before and is_out(state, field.uid):
        return "return_to_play"
    return None


def _conflict(state: State, field: Field, kind: ConflictKind, met: list[_Met], kept: Conflict | None) -> Conflict:
    """Return a conflict with what each carrier shows that does not show the battle's value, or shows what was not agreed.

    The second kind may be what came late: resolving makes it known, so that it is nobody's edit afterwards.
    """
    theirs = [
        Theirs(each.vtt, *each.binding.carrier, each.base, each.shown, each.value)
        for each in met
        if each.differs or each.news
    ]
    read = {(each.vtt, each.binding.carrier) for each in met}
    others = () if kept is None else kept.theirs
    theirs += [each for each in others if (each.vtt, Carrier(each.document, each.path)) not in read]
    return Conflict(field, kind, value_of(state, field), tuple(theirs))


# What follows


def _settled(plan: Plan, state: State, met: list[_Met], frozen: set[Field], is_out: IsOut) -> Plan:
    """Return the plan with writes to the carriers that do not show what they should once its edits are taken."""
    after = fold(state, [change_to(state, edit.field, edit.new) for edit in plan.edits])
    sources = {edit.field: f"edited at {edit.vtt}" for edit in plan.edits}
    writes: list[Write] = []
    agreed: list[Agreed] = []
    unchanged = cold = 0
    for each in met:
        binding = each.binding
        if frozen.intersection(binding.fields):
            cold += 1
            continue
        wanted = shown_by_battle(after, binding, is_out)
        if not each.shows(wanted):
            reason = next((sources[field] for field in binding.fields if field in sources), None) or _reason(each)
            writes.append(Write(each.vtt, binding, each.shown, wanted, binding.owner, reason))
        elif not each.known or not each.shows(each.base):
            agreed.append(Agreed(each.vtt, binding, each.shown))
        else:
            unchanged += 1
    return plan._replace(writes=tuple(writes), agreed=tuple(agreed), unchanged=unchanged, frozen=cold)


def _reason(each: _Met) -> str:
    if not each.known:
        return "not shown yet"
    if each.battle_changed:
        return "changed in the battle"
    return "mended: the battle owns this" if each.binding.owner == "battle" else "mended"
