"""The merge: from the battle, what was last agreed and what each VTT shows, to a plan. Nothing is read or written here.

Each field is merged for itself. A carrier is *edited* when it shows something else than was last agreed for it, compared as
the VTT shows it. The battle has *changed* for a carrier when it would show something else than was last agreed.

=====================  ==========================================================================
edited carriers        what happens
=====================  ==========================================================================
none                   carriers that do not show the battle's value are written
one value              the battle takes it, unless it has changed too: then that is a conflict
different values       a conflict
=====================  ==========================================================================

A conflict keeps every value and freezes its field on all sides. Where the battle owns a field no edit counts; where the
VTT owns it, its edit counts whatever the battle did.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from rallypoint.kernel.canonical import Value
from rallypoint.kernel.errors import InputError
from rallypoint.kernel.state import State

from .bindings import Binding, Carrier, shown_by_battle
from .fields import PLACE, Field, change_to, value_of
from .lenses import NotShownError
from .plan import Agreed, Conflict, ConflictKind, Edit, LeftOut, Plan, Theirs, Write
from .snapshot import Snapshot

__all__ = ["Table", "merge"]

NO_CONFLICTS: Mapping[Field, Conflict] = {}


class Table(NamedTuple):
    """One VTT: its bindings, what was last agreed for each carrier (as it shows it), and what it shows now."""

    vtt: str
    bindings: tuple[Binding, ...]
    base: Mapping[Carrier, Value]
    snapshot: Snapshot


class _Met(NamedTuple):
    """A carrier that was read: what it shows, what it should show, what was last agreed."""

    vtt: str
    binding: Binding
    shown: Value
    wanted: Value
    base: Value
    known: bool

    @property
    def edited(self) -> bool:
        """Whether somebody at the VTT gave it another value, and that may come back. A value that is not there is no edit."""
        if not (self.binding.two_way and self.known) or self.shown is None or self.shown == self.wanted:
            return False
        return self.shown != self.base or self.binding.owner == "vtt"

    @property
    def met_first(self) -> bool:
        """Whether the two meet for the first time, and differ, and an edit could come back."""
        return self.binding.two_way and not self.known and self.shown != self.wanted and self.shown is not None

    @property
    def battle_changed(self) -> bool:
        """Whether the battle has another value than was last agreed."""
        return self.known and self.wanted != self.base


def merge(
    state: State,
    tables: Iterable[Table],
    kept: Mapping[Field, Conflict] = NO_CONFLICTS,
    is_out: Callable[[State, str], bool] = lambda _state, _uid: False,
) -> Plan:
    """Return what a sync would do.

    Args:
        state: the battle's.
        tables: the VTTs that were read; of one that was not nothing follows.
        kept: the conflicts that are open.
        is_out: says of an entity whether it is out of the fight; fewer Wounds would bring it back.
    """
    plan = Plan()
    fields: dict[Field, list[_Met]] = {}
    for table in tables:
        for binding in table.bindings:
            left = _left_out(state, table, binding)
            if left is not None:
                plan = plan._replace(left_out=(*plan.left_out, left))
                continue
            fields.setdefault(binding.field, []).append(_met(state, table, binding))
        plan = plan._replace(left_out=(*plan.left_out, *_copies(table)))
    for field, met in fields.items():
        plan = _merged(plan, state, field, met, kept.get(field), is_out)
    return plan


def _left_out(state: State, table: Table, binding: Binding) -> LeftOut | None:
    """Return why nothing follows from a carrier, or ``None`` where something does."""
    for field in binding.fields:
        if value_of(state, field) is None and field.name != PLACE:
            return LeftOut(table.vtt, str(field), "the battle has no such value any more")
    document, snapshot = binding.carrier.document, table.snapshot
    if document in snapshot.gone:
        return LeftOut(
            table.vtt, str(binding.field), f"{document} is not there any more; it is not made again by itself"
        )
    if document in snapshot.unread:
        return LeftOut(table.vtt, str(binding.field), f"{document} could not be read: {snapshot.unread[document]}")
    if document in snapshot.opted_out:
        return LeftOut(table.vtt, str(binding.field), f"{document} has been taken out of the sync there")
    return None if document in snapshot.seen else LeftOut(table.vtt, str(binding.field), f"{document} was not read")


def _copies(table: Table) -> Iterator[LeftOut]:
    for copy, original in table.snapshot.copies.items():
        yield LeftOut(table.vtt, copy, f"it is a copy of {original}, which is bound; nothing is written to it")


def _met(state: State, table: Table, binding: Binding) -> _Met:
    shown = table.snapshot.values(binding.carrier.document).get(binding.carrier.path)
    known = binding.carrier in table.base
    return _Met(table.vtt, binding, shown, shown_by_battle(state, binding), table.base.get(binding.carrier), known)


def _merged(
    plan: Plan,
    state: State,
    field: Field,
    met: list[_Met],
    kept: Conflict | None,
    is_out: Callable[[State, str], bool],
) -> Plan:
    """Return the plan with what follows for one field."""
    if kept is not None:
        if all(each.shown == each.wanted for each in met):
            return _settled(plan._replace(dissolved=(*plan.dissolved, field)), met)
        return plan._replace(conflicts=(*plan.conflicts, _conflict(state, field, kept.kind, met)))
    proposals, kind = _proposals(met)
    if kind is None and len(proposals) > 1:
        kind = "copies_differ"
    if kind is None and not proposals:
        return _settled(plan, met)
    if kind is None:
        kind = _against(state, field, proposals[0], met, is_out)
    if kind is not None:
        return plan._replace(conflicts=(*plan.conflicts, _conflict(state, field, kind, met)))
    return _taken(plan, state, field, proposals[0], met)


def _proposals(met: list[_Met]) -> tuple[list[Value], ConflictKind | None]:
    """Return the different values that edits give, or why there are none that could be taken."""
    found: list[Value] = []
    for each in met:
        if not each.edited and not (each.met_first and each.binding.first != "battle"):
            continue
        if each.met_first and each.binding.first == "ask":
            return [], "first_meeting"
        try:
            value = each.binding.lens.decode(each.shown)
        except NotShownError:
            return [], "no_value"
        if value not in found:
            found.append(value)
    return found, None


def _against(
    state: State, field: Field, value: Value, met: list[_Met], is_out: Callable[[State, str], bool]
) -> ConflictKind | None:
    """Return what speaks against taking a value into the battle."""
    edited = [each for each in met if each.edited]
    if any(each.battle_changed and each.binding.owner == "both" for each in edited):
        return "both_changed"
    try:
        change_to(state, field, value)
    except InputError:
        return "out_of_range"
    before = value_of(state, field)
    if isinstance(value, int) and isinstance(before, int) and value < before and is_out(state, field.uid):
        return "return_to_play"
    return None


def _taken(plan: Plan, state: State, field: Field, value: Value, met: list[_Met]) -> Plan:
    """Return the plan with an edit, and with writes to the other carriers of the field."""
    source = next(each for each in met if (each.edited or each.met_first) and _decoded(each) == value)
    edit = Edit(field, value_of(state, field), value, source.vtt, source.binding.carrier.document)
    after = [each._replace(wanted=_wanted_after(state, each, field, value)) for each in met]
    return _settled(plan._replace(edits=(*plan.edits, edit)), after, f"edited at {source.vtt}")


def _decoded(each: _Met) -> Value:
    try:
        return each.binding.lens.decode(each.shown)
    except NotShownError:
        return None


def _wanted_after(state: State, each: _Met, field: Field, value: Value) -> Value:
    """Return what a carrier should show once the battle has taken the value."""
    values = tuple([value if other == field else value_of(state, other) for other in each.binding.fields])
    return each.binding.lens.encode(values[0] if len(values) == 1 else values)


def _settled(plan: Plan, met: list[_Met], reason: str = "") -> Plan:
    """Return the plan with writes to the carriers that do not show what they should."""
    writes: list[Write] = []
    agreed: list[Agreed] = []
    unchanged = 0
    for each in met:
        if each.shown != each.wanted:
            why = reason or _reason(each)
            writes.append(Write(each.vtt, each.binding, each.shown, each.wanted, each.binding.owner, why))
        elif not each.known or each.base != each.wanted:
            agreed.append(Agreed(each.vtt, each.binding, each.shown))
        else:
            unchanged += 1
    return plan._replace(
        writes=(*plan.writes, *writes), agreed=(*plan.agreed, *agreed), unchanged=plan.unchanged + unchanged
    )


def _reason(each: _Met) -> str:
    if not each.known:
        return "not shown yet"
    return "changed in the battle" if each.battle_changed else "mended: the battle owns this"


def _conflict(state: State, field: Field, kind: ConflictKind, met: list[_Met]) -> Conflict:
    """Return a conflict with what each carrier shows that does not show the battle's value."""
    theirs = [
        Theirs(each.vtt, *each.binding.carrier, each.base, each.shown, _decoded(each))
        for each in met
        if each.shown != each.wanted
    ]
    return Conflict(field, kind, value_of(state, field), tuple(theirs))
