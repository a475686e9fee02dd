"""The hub: one battle, its ledger, and any number of VTTs. It looks, plans, applies, verifies.

Nothing is half done: edits go into the log before anything is agreed, a write is noted before it is sent and agreed only
when the VTT shows it. Whatever is cut off is found out by reading at the next sync; writes are absolute, so that doing
one twice is doing it once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple, Protocol

from rallypoint.kernel.canonical import Value
from rallypoint.kernel.changes import Change
from rallypoint.kernel.errors import InputError
from rallypoint.kernel.state import State

from .bindings import Binding, Carrier
from .clock import Clock, SystemClock
from .fields import Field, change_to, value_of
from .ledger import Ledger
from .merge import Table, merge
from .plan import Conflict, Edit, LeftOut, Plan, Write
from .snapshot import Snapshot
from .transport import DoubtfulError, RefusedError, Transport, UnreachableError
from .words import who

__all__ = ["Failure", "Hub", "LoggedBattle", "Synced"]

LEASE = 120.0
"""Seconds for which a writer holds a VTT without renewing it."""

DOUBT = 120.0
"""Seconds in which a write whose answer was lost may still come true at the VTT."""

FEW = 3
"""So many bound documents may be gone at once without it being asked whether this is the right world."""


class LoggedBattle(Protocol):
    """What the hub needs of a battle; :class:`rallypoint.kernel.battle.Battle` is one."""

    @property
    def state(self) -> State:
        """The present state."""

    def refresh(self) -> Sequence[object]:
        """Read what other processes have appended meanwhile."""

    def edit(self, who: str, *changes: Change, why: str = "") -> None:
        """Take an edit from outside into the log."""


class Failure(NamedTuple):
    """A write that did not come true: refused, dropped by the VTT, or of unknown outcome (tried again at the next sync)."""

    write: Write
    why: str


class Synced(NamedTuple):
    """What a sync did. ``new_conflicts`` are those that were not there before; ``moved`` went to their fallback."""

    plan: Plan
    done: tuple[Write, ...]
    failed: tuple[Failure, ...]
    new_conflicts: tuple[Conflict, ...]
    moved: tuple[Write, ...]
    batch: int | None


class Hub:
    """Keeps a battle and its VTTs in step.

    Args:
        battle: the battle.
        ledger: what is known of its VTTs.
        transports: the ways to those that are to be synced now.
        holder: who this is, for the lease.
        is_out: says of an entity whether it is out of the fight.
        clock: the time.
    """

    def __init__(
        self,
        battle: LoggedBattle,
        ledger: Ledger,
        transports: Iterable[Transport],
        *,
        holder: str,
        is_out: Callable[[State, str], bool] = lambda _state, _uid: False,
        clock: Clock | None = None,
    ) -> None:
        self.battle = battle
        self.ledger = ledger
        self.transports = {each.vtt: each for each in transports}
        self.holder = holder
        self.is_out = is_out
        self.clock = SystemClock() if clock is None else clock

    # Looking

    def plan(self, documents: Mapping[str, Sequence[str]] | None = None) -> Plan:
        """Return what a sync would do now.

        Args:
            documents: by VTT which documents to read; all that are bound, where it is ``None``.

        Raises:
            UnreachableError: a VTT cannot be reached.
        """
        return self._merged(self._tables(documents))

    def _merged(self, tables: Sequence[Table]) -> Plan:
        self.battle.refresh()
        return merge(self.battle.state, tables, self.ledger.conflicts(), self.is_out)

    def _tables(self, documents: Mapping[str, Sequence[str]] | None) -> list[Table]:
        tables = []
        for vtt, transport in self.transports.items():
            if self.ledger.paused(vtt):
                continue
            bindings = self.ledger.bindings(vtt)
            asked = None if documents is None else set(documents.get(vtt, ()))
            wanted = [each for each in bindings if asked is None or each.carrier.document in asked]
            # A field is merged with all its carriers: Stress has a copy on each token.
            fields = {field for each in wanted for field in each.fields}
            wanted = [each for each in bindings if fields.intersection(each.fields)]
            if not wanted:
                continue
            snapshot = transport.read(list(dict.fromkeys(each.carrier.document for each in wanted)))
            tables.append(Table(vtt, tuple(wanted), self._cleared(vtt, snapshot), snapshot))
        return tables

    def _cleared(self, vtt: str, snapshot: Snapshot) -> Mapping[Carrier, Value]:
        """Return the base of a VTT, after finding out what became of writes without an answer.

        A write that is shown now was made: it is agreed. One that is not may still come true, and then shows our own
        value of before, not an edit.
        """
        base = dict(self.ledger.base(vtt))
        now = self.clock.now()
        for sent in self.ledger.sent(vtt, states=("sent", "doubtful")):
            shown = snapshot.values(sent.carrier.document).get(sent.carrier.path)
            if sent.carrier.document not in snapshot.seen:
                continue
            if shown == sent.new:
                self.ledger.agree(vtt, {sent.carrier: shown})
                self.ledger.mark([sent.number], "done")
                base[sent.carrier] = shown
            elif now - sent.moment > DOUBT:
                self.ledger.mark([sent.number], "refused")
        return base

    # Doing

    def sync(self, documents: Mapping[str, Sequence[str]] | None = None, *, accept_gone: bool = False) -> Synced:
        """Look, plan and apply.

        Args:
            documents: by VTT which documents to look at; all that are bound, where it is ``None``.
            accept_gone: take it as it is that many bound documents are gone at once.

        Raises:
            InputError: another process writes to a VTT, or too many documents are gone.
            UnreachableError: a VTT cannot be reached; what had been done by then stays done.
            HeadMovedError: another process wrote to the battle at the same moment; nothing was done.
        """
        for vtt in self.transports:
            other = self.ledger.lease(vtt, self.holder, self.clock.now(), LEASE)
            if other is not None:
                hint = f"end that one, or wait {LEASE:g} seconds after it has ended without a word"
                raise InputError("another process writes to this VTT", where=vtt, found=other, hint=hint)
        try:
            tables = self._tables(documents)
            for table in tables:
                self._guard(table, accept_gone)
            return self._apply(self._merged(tables))
        finally:
            for vtt in self.transports:
                self.ledger.release(vtt, self.holder)

    def _guard(self, table: Table, accept_gone: bool) -> None:
        """Remember what is gone; refuse when that is so much that it may be another world (an empty answer empties nothing)."""
        bound = {each.carrier.document for each in table.bindings}
        gone = bound & table.snapshot.gone
        fresh = gone - self.ledger.tombstones(table.vtt)
        if len(fresh) >= FEW and 2 * len(fresh) > len(bound) and not accept_gone:
            raise InputError(
                f"{len(fresh)} of {len(bound)} bound documents are gone",
                where=table.vtt,
                hint="is it the right world and scene? If so, --accept-gone takes it as it is; nothing of the battle is removed",
            )
        self.ledger.bury(table.vtt, fresh)
        self.ledger.unbury(table.vtt, bound & set(table.snapshot.seen))

    def _apply(self, plan: Plan) -> Synced:
        known = self.ledger.conflicts()
        self._edit(plan)
        for agreed in plan.agreed:
            self.ledger.agree(agreed.vtt, {agreed.binding.carrier: agreed.shown})
        self.ledger.settle(plan.dissolved)
        fresh = tuple([each for each in plan.conflicts if each.field not in known])
        self.ledger.keep(plan.conflicts, len(known))
        if not plan.writes:
            return Synced(plan, (), (), fresh, (), None)
        return self._write(plan, fresh)

    def _edit(self, plan: Plan) -> None:
        """Put edits into the log, an entry for each VTT, and agree on what was edited."""
        by_vtt: dict[str, list[Edit]] = {}
        for edit in plan.edits:
            by_vtt.setdefault(edit.vtt, []).append(edit)
        for vtt, edits in by_vtt.items():
            state = self.battle.state
            changes = [change_to(state, edit.field, edit.new) for edit in edits]
            self.battle.edit(
                who(vtt), *changes, why="; ".join(f"{each.field}: {each.old} to {each.new}" for each in edits)
            )

    def _write(self, plan: Plan, fresh: tuple[Conflict, ...]) -> Synced:
        """Send the writes, a document at a time, one after the other."""
        batch = self.ledger.begin_batch()
        done: list[Write] = []
        failed: list[Failure] = []
        moved: list[Write] = []
        for (vtt, document), writes in _by_document(plan.writes).items():
            values = {each.binding.carrier: (each.old, each.new) for each in writes}
            numbers = self.ledger.send(vtt, batch, values, self.clock.now())
            try:
                shown = self.transports[vtt].write(document, {each.binding.carrier.path: each.new for each in writes})
            except DoubtfulError as error:
                self.ledger.mark(numbers, "doubtful")
                failed += [Failure(each, f"{error}; it is read again at the next sync") for each in writes]
                continue
            except RefusedError as error:
                self.ledger.mark(numbers, "refused")
                failed += [Failure(each, str(error)) for each in writes]
                continue
            except UnreachableError:
                self.ledger.mark(numbers, "refused")
                raise
            for number, write in zip(numbers, writes, strict=True):
                why = self._verified(vtt, number, write, shown, moved)
                if why is None:
                    done.append(write)
                else:
                    failed.append(Failure(write, why))
        return Synced(plan, tuple(done), tuple(failed), fresh, tuple(moved), batch)

    def _verified(
        self, vtt: str, number: int, write: Write, shown: Mapping[str, Value], moved: list[Write]
    ) -> str | None:
        """Compare what the VTT shows with what was meant; return ``None``, or what is wrong."""
        carrier = write.binding.carrier
        now = shown.get(carrier.path)
        if now == write.new:
            self.ledger.agree(vtt, {carrier: now})
            self.ledger.mark([number], "done")
            return None
        self.ledger.mark([number], "refused")
        if write.binding.fallback is not None:
            self.ledger.move_to_fallback(vtt, carrier)
            moved.append(write)
            return f"the VTT shows {now!r}; the value goes to {write.binding.fallback.path} from now on"
        return f"the VTT shows {now!r}"

    # Conflicts

    def resolve(self, field: Field, take: str | int) -> Plan:
        """Resolve a conflict and return what follows, which the next sync does.

        Args:
            field: the field that is in conflict.
            take: ``battle``, the name of a VTT whose value is taken, or a number for all sides.

        Raises:
            InputError: there is no such conflict, or that side has no value that fits.
        """
        conflict = self.ledger.conflicts().get(field)
        if conflict is None:
            open_ones = ", ".join(str(each) for each in self.ledger.conflicts()) or "none"
            raise InputError("there is no such conflict", found=str(field), expected=open_ones)
        value = self._taken(conflict, take)
        self.battle.refresh()
        if value != value_of(self.battle.state, field):
            change = change_to(self.battle.state, field, value)
            self.battle.edit(f"conflict resolved: {take}", change, why=f"{field}: {conflict.ours} to {value}")
        for theirs in conflict.theirs:  # what it shows now is known: it counts as an edit no more
            self.ledger.agree(theirs.vtt, {Carrier(theirs.document, theirs.path): theirs.shown})
        self.ledger.settle([field])
        return self.plan()

    def _taken(self, conflict: Conflict, take: str | int) -> Value:
        if take == "battle":
            return conflict.ours
        if isinstance(take, int):
            return take
        values = {each.value for each in conflict.theirs if each.vtt == take and each.value is not None}
        if len(values) != 1:
            sides = ", ".join(dict.fromkeys(["battle", *[each.vtt for each in conflict.theirs]]))
            raise InputError(
                "this side has no one value to take",
                where=str(conflict.field),
                found=f"{take}: {', '.join(map(str, values)) or 'none'}",
                expected=f"{sides} or a number",
            )
        return values.pop()

    # Going back

    def revert(self, vtt: str) -> Synced:
        """Give a VTT back what it showed before the last batch, where it still shows what was sent, and pause it.

        It is paused since the battle has not changed: the next sync would send the same again.

        Raises:
            InputError: nothing was sent.
            UnreachableError: it cannot be reached.
        """
        sent = self.ledger.sent(vtt, states=("done",))
        last = [each for each in sent if each.batch == max(row.batch for row in sent)]
        if not last:
            raise InputError("nothing was sent to this VTT", where=vtt)
        snapshot = self.transports[vtt].read(list(dict.fromkeys(each.carrier.document for each in last)))
        bindings = {each.carrier: each for each in self.ledger.bindings(vtt)}
        writes, left = [], []
        for each in last:
            shown = snapshot.values(each.carrier.document).get(each.carrier.path)
            binding = bindings.get(each.carrier)
            if shown != each.new or binding is None:
                left.append(LeftOut(vtt, str(each.carrier), f"it shows {shown!r} by now, not {each.new!r}"))
            else:
                writes.append(Write(vtt, binding, shown, each.old, binding.owner, "the last batch is taken back"))
        self.ledger.pause(vtt)
        plan = Plan(writes=tuple(writes), left_out=tuple(left))
        done = self._write(plan, ()) if writes else Synced(plan, (), (), (), (), None)
        self.ledger.mark([each.number for each in last], "reverted")
        return done


def _by_document(writes: Iterable[Write]) -> Mapping[tuple[str, str], list[Write]]:
    found: dict[tuple[str, str], list[Write]] = {}
    for write in writes:
        found.setdefault((write.vtt, write.binding.carrier.document), []).append(write)
    return found


def bound_documents(bindings: Iterable[Binding]) -> tuple[str, ...]:
    """Return the documents of bindings, each once, in order."""
    return tuple(dict.fromkeys(binding.carrier.document for binding in bindings))
