"""The hub: one battle, its ledger, and any number of VTTs. It looks, plans, applies, verifies.

Nothing is half done: edits go into the log before anything is agreed, a write is noted before it is sent and agreed only
when the VTT shows it. Whatever is cut off is found out by reading at the next sync; writes are absolute, so that doing
one twice is doing it once.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple, Protocol

from rallypoint.kernel.canonical import Value
from rallypoint.kernel.changes import Change
from rallypoint.kernel.errors import HeadMovedError, InputError
from rallypoint.kernel.history import History
from rallypoint.kernel.state import State

from .bindings import Binding
from .clock import Clock, SystemClock
from .doubt import Cleared, agree_on_taken, cleared
from .fields import Field, IsOut, change_to, nobody_out, value_of
from .ledger import Head, Ledger, Taking
from .merge import Table, merge, same
from .plan import Conflict, Edit, LeftOut, Plan, Write
from .sending import Failure, Sender, by_document, check_lease, patiently, take_lease
from .snapshot import Snapshot
from .transport import RememberingTransport, Transport, UnreachableError
from .wishes import SetValue, TakeSide
from .words import conflict_number, who

__all__ = ["Failure", "Hub", "LoggedBattle", "Synced", "bound_documents"]

FEW = 3
"""So many bound documents may be gone at once without it being asked whether this is the right world."""

TRIES = 10
"""How often edits are planned again when other processes write to the battle at the same moment."""

NOBODY_AWAY: Mapping[str, UnreachableError] = MappingProxyType({})


class LoggedBattle(Protocol):
    """What the hub needs of a battle; :class:`rallypoint.kernel.battle.Battle` is one."""

    @property
    def state(self) -> State:
        """The present state."""

    @property
    def history(self) -> History:
        """What its log comes to."""

    def refresh(self) -> Sequence[object]:
        """Read what other processes have appended meanwhile."""

    def edit(self, who: str, *changes: Change, why: str = "") -> None:
        """Take an edit from outside into the log."""


class Synced(NamedTuple):
    """What a sync did.

    ``new_conflicts`` are those that were not there before, ``moved`` went to their fallback, ``away`` are the VTTs that could not
    be reached, or not to the end, ``reached`` those that were asked and could (one that is paused is not asked); ``batch`` is the number under which the ledger keeps the writes.
    """

    plan: Plan
    done: tuple[Write, ...] = ()
    failed: tuple[Failure, ...] = ()
    new_conflicts: tuple[Conflict, ...] = ()
    moved: tuple[Write, ...] = ()
    batch: int | None = None
    away: Mapping[str, UnreachableError] = NOBODY_AWAY
    reached: frozenset[str] = frozenset()


class Hub:
    """Keeps a battle and its VTTs in step.

    Args:
        battle: the battle.
        ledger: what is known of its VTTs.
        transports: the ways to those that are to be synced now.
        holder: who this is, for the lease.
        is_out: says of an entity whether it is out of the fight.
        clock: the time.
        patience: for how many seconds, at most 60, to try again where a VTT cannot be reached and that may pass by itself.
    """

    def __init__(
        self,
        battle: LoggedBattle,
        ledger: Ledger,
        transports: Iterable[Transport],
        *,
        holder: str,
        is_out: IsOut = nobody_out,
        clock: Clock | None = None,
        patience: float = 0.0,
    ) -> None:
        self.battle = battle
        self.ledger = ledger
        self.transports = {each.vtt: each for each in transports}
        self.holder = holder
        self.is_out = is_out
        self.clock = SystemClock() if clock is None else clock
        self.patience = patience
        self.last_away: Mapping[str, UnreachableError] = NOBODY_AWAY
        """The VTTs that could not be reached at the last sync."""
        self.waited: dict[str, float] = {}
        """For how many seconds each of these was waited for."""

    # Looking

    def plan(self, documents: Mapping[str, Sequence[str]] | None = None) -> Plan:
        """Return what a sync would do now; nothing is written, neither there nor here.

        Args:
            documents: by VTT which documents to read; all that are bound, where it is ``None``.

        Raises:
            UnreachableError: a VTT cannot be reached.
            TransportError: nothing at all could be read, since each of the VTTs refused it.
        """
        self._refresh()
        looks = [self._look(vtt, documents) for vtt in self.transports]
        tables = [look.table for look in looks if look is not None]
        failures = [each.snapshot.failure for each in tables]
        if failures and failures[0] is not None and None not in failures:
            raise failures[0]
        return self._merged(tables)

    def _refresh(self) -> None:
        self.battle.refresh()
        agree_on_taken(self.ledger, self.battle.history)

    def _merged(self, tables: Sequence[Table]) -> Plan:
        self.battle.refresh()
        plan = merge(self.battle.state, tables, self.ledger.conflicts(), self.is_out)
        return plan if self.battle.history.waiting is None else _put_off(plan)

    def _look(self, vtt: str, documents: Mapping[str, Sequence[str]] | None) -> Cleared | None:
        """Read a VTT; return ``None`` where there is nothing to read."""
        if self.ledger.paused(vtt):
            return None
        bindings = self.ledger.bindings(vtt)
        if documents is not None:
            # A field is merged with all its carriers: Stress has a copy on each token.
            asked = set(documents.get(vtt, ()))
            fields = {field for each in bindings if each.carrier.document in asked for field in each.fields}
            bindings = tuple([each for each in bindings if fields.intersection(each.fields)])
        if not bindings:
            return None
        taken_out = self.ledger.opted_out(vtt)
        wanted = [each for each in bound_documents(bindings) if each not in taken_out]
        transport = self.transports[vtt]
        snapshot = patiently(lambda: transport.read(wanted), self.clock, self.patience) if wanted else Snapshot()
        snapshot = snapshot._replace(opted_out=snapshot.opted_out | taken_out)
        return cleared(self.ledger, vtt, bindings, snapshot, self.clock.now())

    # Doing

    def sync(
        self,
        documents: Mapping[str, Sequence[str]] | None = None,
        *,
        accept_gone: bool = False,
        vtts: Collection[str] | None = None,
    ) -> Synced:
        """Look, plan and apply.

        Args:
            documents: by VTT which documents to look at; all that are bound, where it is ``None``.
            accept_gone: take it as it is that many bound documents are gone at once.
            vtts: which VTTs to sync; all, where it is ``None``.

        Raises:
            InputError: another process writes to a VTT, or too many documents are gone.
            UnreachableError: no VTT can be reached. Where some can, they are synced, and the result says which are away.
        """
        chosen = [each for each in self.transports if vtts is None or each in vtts]
        try:
            for vtt in chosen:
                take_lease(self.ledger, vtt, self.holder, self.clock)
            self._distrust()
            self._refresh()
            for vtt in chosen:
                self.ledger.forget_takings(vtt)
            self._see_head()
            tables, away = self._tables(chosen, documents, accept_gone)
            for each in tables:  # one was read for long, perhaps, and the others are known from before that
                check_lease(self.ledger, each.vtt, self.holder)
            done = self._apply(tables, away)
            return done._replace(reached=frozenset(each.vtt for each in tables) - set(done.away))
        finally:
            for vtt in chosen:
                self.ledger.release(vtt, self.holder)

    def _distrust(self) -> None:
        """Let no way believe what it has read before another process had the lease: that one's writes would look like edits."""
        if not self.ledger.touched():
            return
        conflicts = self.ledger.conflicts().values()
        for vtt, transport in self.transports.items():
            if isinstance(transport, RememberingTransport):
                disputed = {each.document for conflict in conflicts for each in conflict.theirs if each.vtt == vtt}
                transport.distrust(self.ledger.base(vtt), disputed)

    def _see_head(self) -> None:
        """Remember where the log is. A log that is not the one that was met last, or goes by other rules, is a new epoch."""
        entries = self.battle.history.entries
        now = Head(len(entries) - 1, entries[-1].hash, self.battle.history.epoch, self.clock.now())
        last = self.ledger.last_head()
        if last is None:
            return self.ledger.see(now, older=False)
        put_back = last.number >= len(entries) or entries[last.number].hash != last.hash
        if put_back or last[:3] != now[:3]:
            self.ledger.see(now, older=put_back or last.epoch != now.epoch)
        return None

    def _tables(
        self, vtts: Sequence[str], documents: Mapping[str, Sequence[str]] | None, accept_gone: bool
    ) -> tuple[list[Table], dict[str, UnreachableError]]:
        tables: list[Table] = []
        away = self.last_away = dict[str, UnreachableError]()
        self.waited = {}
        reached = False
        for vtt in vtts:
            began = self.clock.now()
            try:
                look = self._look(vtt, documents)
            except UnreachableError as error:
                away[vtt], self.waited[vtt] = error, self.clock.now() - began
                continue
            reached = True
            if look is not None:
                check_lease(self.ledger, vtt, self.holder)  # it may have been a long look
                self._guard(look.table, accept_gone)
                look.note(self.ledger)
                tables.append(look.table)
        if away and not reached:
            raise next(iter(away.values()))
        return tables, away

    def _guard(self, table: Table, accept_gone: bool) -> None:
        """Remember what is gone; refuse when that is so much that it may be another world (an empty answer empties nothing)."""
        bound = set(bound_documents(table.bindings))
        gone = bound & table.snapshot.gone
        fresh = gone - self.ledger.tombstones(table.vtt)
        if len(fresh) >= FEW and 2 * len(fresh) > len(bound) and not accept_gone:
            raise InputError(
                f"{len(fresh)} of {len(bound)} bound documents are gone",
                where=table.vtt,
                hint="is it the right world and scene? If so, --accept-gone takes it as it is; nothing of the battle is removed",
            )
        self.ledger.bury(table.vtt, fresh)

    def _apply(self, tables: Sequence[Table], away: dict[str, UnreachableError]) -> Synced:
        known = self.ledger.conflicts()
        plan = self._edited(tables)
        for vtt in dict.fromkeys(agreed.vtt for agreed in plan.agreed):
            self.ledger.agree(vtt, {each.binding.carrier: each.shown for each in plan.agreed if each.vtt == vtt})
        self.ledger.settle(plan.dissolved)
        self.ledger.keep(plan.conflicts, self.battle.history.head)
        fresh = tuple([each for each in plan.conflicts if each.field not in known])
        done = self._written(plan, away)._replace(new_conflicts=fresh)
        self._see_head()
        return done

    def _edited(self, tables: Sequence[Table]) -> Plan:
        """Put edits into the log, an entry for each VTT; where others write to it meanwhile, plan again."""
        taken: list[Edit] = []
        for tries_left in reversed(range(TRIES)):
            plan = self._merged(tables)
            try:
                for vtt in dict.fromkeys(edit.vtt for edit in plan.edits):
                    edits = [edit for edit in plan.edits if edit.vtt == vtt]
                    self._edit(vtt, edits)
                    taken += edits
            except HeadMovedError:
                if not tries_left:
                    raise
            else:
                return plan._replace(edits=tuple(taken))
        raise AssertionError("the last try returns or raises")

    def _edit(self, vtt: str, edits: Sequence[Edit]) -> None:
        state = self.battle.state
        changes = [change_to(state, edit.field, edit.new) for edit in edits]
        why = "; ".join(f"{each.field}: {each.old} to {each.new}" for each in edits)
        head = self.battle.history.head
        self.ledger.take(
            Taking(there, carrier, shown, each.field, each.new, head)
            for each in edits
            for there, carrier, shown in each.shown
            if there == vtt
        )
        self.battle.edit(who(vtt), *changes, why=why)
        for each in edits:
            for there, carrier, shown in each.shown:
                self.ledger.agree(there, {carrier: shown})

    def _written(self, plan: Plan, away: dict[str, UnreachableError]) -> Synced:
        """Send the writes; a VTT that goes away gets no more of them."""
        if not plan.writes:
            return Synced(plan, away=away)
        sender = Sender(self.ledger, self.clock, self.holder, self.patience, self.battle.history.head)
        for vtt, documents in by_document(plan.writes).items():
            began = self.clock.now()
            try:
                sender.send(self.transports[vtt], documents)
            except UnreachableError as error:
                away[vtt], self.waited[vtt] = error, self.clock.now() - began
        done, failed, moved = tuple(sender.done), tuple(sender.failed), tuple(sender.moved)
        return Synced(plan, done, failed, (), moved, sender.batch, away)

    # Conflicts

    def resolve(self, field: Field, take: str | int) -> Plan:
        """Resolve a conflict and return what follows, which the next sync does.

        Args:
            field: the field that is in conflict.
            take: ``battle``, the name of a VTT whose value is taken, or a number for all sides.

        Raises:
            InputError: there is no such conflict, or that side has no value that fits.
            HeadMovedError: another process wrote to the battle at the same moment; nothing was done.
            TransportError: what follows cannot be told, since a VTT cannot be reached or read; the conflict is resolved.
        """
        self._settle(field, take, f"conflict resolved: {take}")
        return self.plan()

    def _settle(self, field: Field, take: str | int, who: str) -> None:
        conflict = self.ledger.conflicts().get(field)
        if conflict is None:
            open_ones = ", ".join(str(each) for each in self.ledger.conflicts()) or "none"
            raise InputError("there is no such conflict", found=str(field), expected=open_ones)
        self.battle.refresh()
        ours = value_of(self.battle.state, field)
        value = ours if take == "battle" else take if isinstance(take, int) else _theirs(conflict, take)
        if value != ours:
            change = change_to(self.battle.state, field, value)
            self.battle.edit(who, change, why=f"{field}: {ours} to {value}")
        self.ledger.resolve(conflict)

    # Wishes

    def grant(self, wish: SetValue | TakeSide) -> None:
        """Do what somebody at a VTT asks of the battle; the next sync carries it to the VTTs.

        It is a change that a person makes in the battle, so who owns the field at a VTT does not matter.

        Raises:
            InputError: the battle has another value by now, the new one does not fit, or there is no such conflict any more.
            RuleError: a question is open in the battle.
            HeadMovedError: other processes write to the battle all the time.
        """
        for tries_left in reversed(range(TRIES)):
            self.battle.refresh()
            try:
                if isinstance(wish, SetValue):
                    return self._set(wish)
                return self._settle(self._numbered(wish.number), wish.take, wish.who)
            except HeadMovedError:
                if not tries_left:
                    raise
        return None

    def _set(self, wish: SetValue) -> None:
        field, state = wish.field, self.battle.state
        change = change_to(state, field, wish.value)
        now = value_of(state, field)
        if field in self.ledger.conflicts():
            raise InputError("this value is in conflict", where=str(field), hint="say first what holds in it")
        if now != wish.was:
            raise InputError("the battle has another value by now", where=str(field), found=now, expected=wish.was)
        if now != wish.value:
            self.battle.edit(wish.who, change, why=f"{field}: {now} to {wish.value}")

    def _numbered(self, number: int) -> Field:
        found = [field for field, each in self.ledger.conflicts().items() if conflict_number(each) == number]
        if len(found) != 1:
            raise InputError("this conflict is not open any more, or has changed", hint="look at the list again")
        return found[0]

    # Going back

    def revert(self, vtt: str) -> Synced:
        """Give a VTT back what it showed before the last batch, where it still shows what was sent, and pause it.

        It is paused since the battle has not changed: the next sync would send the same again.

        Raises:
            InputError: nothing was sent, or another process writes to the VTT.
            UnreachableError: it cannot be reached.
        """
        take_lease(self.ledger, vtt, self.holder, self.clock)
        try:
            sent = self.ledger.sent(vtt, states=("done",))
            if not sent:
                raise InputError("nothing was sent to this VTT", where=vtt)
            last = [each for each in sent if each.batch == sent[-1].batch]
            snapshot = self.transports[vtt].read(list(dict.fromkeys(each.carrier.document for each in last)))
            bindings = {each.carrier: each for each in self.ledger.bindings(vtt)}
            writes, left = [], []
            for each in last:
                shown = snapshot.values(each.carrier.document).get(each.carrier.path)
                binding = bindings.get(each.carrier)
                if binding is None or not same(binding.lens, shown, each.new):
                    left.append(LeftOut(vtt, str(each.carrier), f"it shows {shown!r} by now, not {each.new!r}"))
                elif each.old is None:
                    left.append(LeftOut(vtt, str(each.carrier), "it showed nothing before"))
                else:
                    reason = "the last batch is taken back"
                    writes.append(Write(vtt, binding, shown, each.old, binding.owner, reason))
            self.ledger.pause(vtt)
            done = self._written(Plan(writes=tuple(writes), left_out=tuple(left)), {})
            back = () if done.batch is None else self.ledger.sent(vtt, batch=done.batch, states=("done",))
            self.ledger.mark([each.number for each in (*last, *back)], "reverted")
            return done
        finally:
            self.ledger.release(vtt, self.holder)


def _theirs(conflict: Conflict, vtt: str) -> Value:
    """Return the one value that a VTT has in a conflict."""
    values = {each.value for each in conflict.theirs if each.vtt == vtt and each.value is not None}
    if len(values) != 1:
        sides = ", ".join(dict.fromkeys(["battle", *[each.vtt for each in conflict.theirs]]))
        raise InputError(
            "this side has no one value to take",
            where=str(conflict.field),
            found=f"{vtt}: {', '.join(map(str, values)) or 'none'}",
            expected=f"{sides} or a number",
        )
    return values.pop()


def _put_off(plan: Plan) -> Plan:
    """Return a plan without its edits, and without what follows from them: a battle that waits for an answer takes none."""
    fields = {edit.field for edit in plan.edits}
    why = "the battle waits for an answer; it is taken at the first sync after that"
    left = [LeftOut(edit.vtt, f"{edit.field}: {edit.old} to {edit.new}", why) for edit in plan.edits]
    writes = [each for each in plan.writes if not fields.intersection(each.binding.fields)]
    agreed = [each for each in plan.agreed if not fields.intersection(each.binding.fields)]
    held = len(plan.writes) - len(writes) + len(plan.agreed) - len(agreed)
    return plan._replace(
        edits=(),
        writes=tuple(writes),
        agreed=tuple(agreed),
        left_out=(*plan.left_out, *left),
        dissolved=(),
        frozen=plan.frozen + held,
    )


def bound_documents(bindings: Iterable[Binding]) -> tuple[str, ...]:
    """Return the documents of bindings, each once, in order."""
    return tuple(dict.fromkeys(binding.carrier.document for binding in bindings))
