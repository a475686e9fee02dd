"""Any order of edits on three sides, faults, kills and restarts ends in agreement or in a listed conflict.

The model keeps account in its own way: what people typed where, what the battle has said since, who wrote over whom. A few hundred
histories run here; ``python -m bench.convergence 5000`` runs more.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule

from rallypoint.kernel.battle import Battle
from rallypoint.kernel.canonical import Value
from rallypoint.kernel.errors import InputError
from rallypoint_sync.bindings import Binding, Carrier, Owner
from rallypoint_sync.doubt import DOUBT
from rallypoint_sync.fields import Field, value_of
from rallypoint_sync.hub import Hub, Synced
from rallypoint_sync.ledger import Ledger
from rallypoint_sync.lenses import Clamped, Exact, Lens
from rallypoint_sync.transport import UnreachableError

from .battles import STRESS, UNITS, edits, fought, is_out, skirmish, wounds
from .world import FAULTS, Clock, Memory

U1, U2, U3, U4 = map(wounds, UNITS)
MINE: Mapping[tuple[str, Field], Owner] = {
    ("a", U3): "battle",
    ("b", U3): "battle",
    ("a", U4): "vtt",
    ("b", U4): "battle",
}
LIMIT = {STRESS: 5}  # tests stay within it, so that values meet often


class Killed(BaseException):
    """The process has ended here."""


class Calls:
    """Ends the process before or after one of its calls; a dead process calls nothing any more."""

    def __init__(self, at: int | None) -> None:
        self.left = at

    def tick(self) -> None:
        if self.left is not None:
            self.left -= 1
            if self.left < 0:
                raise Killed


class Watched:
    """Stands before a ledger, a battle or a VTT and counts the calls; a check looks at one before and after."""

    def __init__(self, inner: object, calls: Calls, **checks: Callable[..., Callable[[], None]]) -> None:
        self._inner = inner
        self._calls = calls
        self._checks = checks

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._inner, name)
        if not callable(found):
            return found

        def called(*args: object, **more: object) -> object:
            self._calls.tick()
            after = self._checks[name](*args) if name in self._checks else None
            result = found(*args, **more)
            if after is not None:
                after()
            self._calls.tick()
            return result

        return called


class Typed(NamedTuple):
    """What somebody at a VTT typed: a value of this field, when the log had so many entries."""

    field: Field
    value: int
    since: int
    before: set[Value]
    """What was shown there before, and what had been agreed."""


def lens_of(vtt: str, field: Field) -> Lens:
    """The one VTT clamps Stress to 2 and more."""
    return Clamped(low=2) if (vtt, field) == ("b", STRESS) else Exact()


class Convergence(RuleBasedStateMachine):
    """A battle, two VTTs of different kinds, and everything that can happen to them."""

    happened: ClassVar[Counter[str]] = Counter()
    """What happened in all histories, for the long run to print."""

    def __init__(self) -> None:
        super().__init__()
        memory = Path("/dev/shm")  # no disk needs to be waited for: what a kill leaves is in the file all the same
        self.folder = tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None)
        self.clock = Clock()
        self.battle: Battle[None] = skirmish()
        self.key = self.battle.history.entries[0].hash
        self.worlds = {"a": Memory("a"), "b": Memory("b")}
        self.bindings: dict[str, list[Binding]] = {}
        self.pending: dict[tuple[str, Carrier], Typed] = {}
        self.by_people: dict[tuple[str, Carrier], tuple[Field, int]] = {}
        self.typed: Counter[tuple[str, Field, int]] = Counter()
        self.ledger = self.opened()
        for vtt, world in self.worlds.items():
            self.bindings[vtt] = [
                each._replace(lens=lens_of(vtt, each.field), owner=MINE.get((vtt, each.field), "both"), first="battle")
                for each in world.bindings()
            ]
            self.ledger.bind(vtt, {}, self.bindings[vtt])
            world.before_write = self.overwriting(vtt)
            world.bent = self.bending(vtt)
        self.synced(None)

    def opened(self) -> Ledger:
        return Ledger(Path(self.folder.name) / "first.battle.sync", self.key)

    # What happens

    @rule(field=st.sampled_from([U1, U2, U3, U4, STRESS]), value=st.integers(0, 5))
    def the_rules_change(self, field: Field, value: int) -> None:
        if value <= LIMIT.get(field, 3):
            fought(self.battle, field, value)

    @rule()
    def somebody_undoes(self) -> None:
        if self.battle.history.past:
            self.battle.undo(edits=True)

    @rule()
    def the_rules_are_exchanged(self) -> None:
        self.battle.adopt()
        for (vtt, carrier), typed in list(self.pending.items()):
            if self.in_doubt(vtt, carrier, typed, "late"):  # from now on this cannot be told from our own
                del self.pending[vtt, carrier]

    @rule(vtt=st.sampled_from("ab"), number=st.integers(0, 6), value=st.integers(0, 5))
    def somebody_types(self, vtt: str, number: int, value: int) -> None:
        binding, world = self.bindings[vtt][number], self.worlds[vtt]
        if world.shown(binding.carrier) == value:
            return
        base = self.ledger.base(vtt).get(binding.carrier)
        earlier = self.pending.get((vtt, binding.carrier))
        before = {world.shown(binding.carrier), base} | (set() if earlier is None else earlier.before)
        typed = Typed(binding.field, value, len(self.battle.history.entries), before)
        world.edit(binding.carrier, value)
        self.by_people[vtt, binding.carrier] = (binding.field, value)
        self.typed[vtt, binding.field, value] += 1
        self.pending.pop((vtt, binding.carrier), None)
        # Nobody can see that a value was put back to what was agreed, or is what we have sent ourselves and not heard of.
        unseen = value == base or self.in_doubt(vtt, binding.carrier, typed, "sent", "doubtful", "older")
        if binding.owner != "battle" and not unseen:
            self.pending[vtt, binding.carrier] = typed

    @rule(vtt=st.sampled_from("ab"), name=st.sampled_from(sorted(set(FAULTS) - {"empty"})), calls=st.integers(1, 3))
    def something_goes_wrong(self, vtt: str, name: str, calls: int) -> None:
        self.worlds[vtt].fault(name, calls)

    @rule(vtt=st.sampled_from("ab"), field=st.sampled_from([U1, U2, STRESS]), values=st.permutations([0, 1, 2, 3]))
    def a_write_is_late(self, vtt: str, field: Field, values: list[int]) -> None:
        """It comes true when the battle has gone on, or somebody has typed, or both."""
        self.worlds[vtt].fault("late")
        for value in values[: 1 + values[3]]:
            fought(self.battle, field, value)
            self.synced(None)
        if values[0] > 1:
            self.worlds[vtt].come_true()

    @rule(vtt=st.sampled_from("ab"))
    def late_writes_come_true(self, vtt: str) -> None:
        self.worlds[vtt].come_true()

    @rule()
    def time_passes(self) -> None:
        for world in self.worlds.values():
            world.come_true()
        self.clock.sleep(2 * DOUBT)

    @rule(vtt=st.sampled_from("ab"))
    def somebody_pauses(self, vtt: str) -> None:
        self.ledger.pause(vtt, not self.ledger.paused(vtt))

    @rule(at=st.none() | st.integers(0, 70))
    def a_sync(self, at: int | None) -> None:
        self.synced(at)

    @rule(vtt=st.sampled_from("ab"), number=st.integers(0, 6))
    def a_sync_of_one_document(self, vtt: str, number: int) -> None:
        self.synced(None, {vtt: [self.bindings[vtt][number].carrier.document]})

    @rule(which=st.integers(0, 9), take=st.sampled_from(["battle", "a", "b", 1]), at=st.none() | st.integers(0, 20))
    def somebody_resolves(self, which: int, take: str | int, at: int | None) -> None:
        conflicts = list(self.ledger.conflicts().values())
        if not conflicts:
            return
        conflict = conflicts[which % len(conflicts)]
        self.run(at, lambda hub: hub.resolve(conflict.field, take))
        if conflict.field not in self.ledger.conflicts():
            for each in conflict.theirs:
                typed = self.pending.get((each.vtt, Carrier(each.document, each.path)))
                if typed is not None and typed.value == each.value:
                    del self.pending[each.vtt, Carrier(each.document, each.path)]

    def synced(self, at: int | None, documents: Mapping[str, list[str]] | None = None) -> None:
        self.run(at, lambda hub: hub.sync(documents))

    def run(self, at: int | None, act: Callable[[Hub], object]) -> None:
        """Let a process do something; it may end at any call, and the next one begins with what is in the files."""
        calls = Calls(at)
        battle: Any = Watched(self.battle, calls, edit=self.taking)
        ledger: Any = Watched(self.ledger, calls)
        transports: Any = [Watched(world, calls) for world in self.worlds.values()]
        try:
            done = act(Hub(battle, ledger, transports, holder="test", is_out=is_out, clock=self.clock))
        except (InputError, UnreachableError) as error:
            self.happened[f"ended with {type(error).__name__}"] += 1
        except Killed:
            self.happened["killed"] += 1
            self.ledger.close()
            self.ledger = self.opened()
            self.battle = Battle.open(self.battle._log, self.battle.game, self.battle.answers)
        else:
            if isinstance(done, Synced):
                self.happened["syncs"] += 1
                self.happened["writes that came true"] += len(done.done)
                self.happened["writes that failed"] += len(done.failed)
                self.happened["edits taken"] += len(done.plan.edits)
                self.happened.update([f"conflicts: {each.kind}" for each in done.new_conflicts])

    # What must hold

    def in_doubt(self, vtt: str, carrier: Carrier, typed: Typed, *states: Any) -> bool:
        shown = typed.value
        return any(each.carrier == carrier and each.new == shown for each in self.ledger.sent(vtt, states=states))

    def known(self, vtt: str, typed: Typed) -> bool:
        """Whether the battle has had this value since it was typed, or one that is shown like it there."""
        floor = 2 if (vtt, typed.field) == ("b", STRESS) else 0
        battle = skirmish()
        for entry in self.battle.history.entries:
            if entry.number:
                battle.history.add(entry)
            value = value_of(battle.state, typed.field)
            if (
                entry.number >= typed.since - 1
                and value is not None
                and typed.value in (value, max(int(str(value)), floor))
            ):
                return True
        return False

    def overwriting(self, vtt: str) -> Callable[[str, Mapping[str, Value], bool], None]:
        """No write goes over what somebody typed and the battle has never had."""

        def check(document: str, values: Mapping[str, Value], late: bool) -> None:
            for path, new in values.items():
                self.by_people.pop((vtt, Carrier(document, path)), None)
                typed = self.pending.pop((vtt, Carrier(document, path)), None)
                if typed is not None and not late and new != typed.value:
                    assert self.known(vtt, typed), f"{typed} at {vtt} was lost under {new}"

        return check

    def taking(self, author: str, *changes: Any) -> Callable[[], None]:
        """What the battle takes from a VTT is there by people, is taken once, and goes over nothing that they had not seen."""
        vtt, taken = author.removeprefix("somebody at "), []
        for change in changes if author != vtt else ():
            field = Field(change.uid, change.name)
            if MINE.get((vtt, field)) == "vtt":
                continue
            told = [key for key, said in self.by_people.items() if key[0] == vtt and said == (field, change.value)]
            assert told, f"{field} {change.value} of {vtt} is nobody's edit"
            old = int(str(value_of(self.battle.state, field)))
            seen = [self.pending[key].before for key in told if key in self.pending]
            likes = {old, max(old, 2) if (vtt, field) == ("b", STRESS) else old}
            assert not seen or any(likes.intersection(each) for each in seen), f"{field} {change.value} went over {old}"
            taken += told

        def done() -> None:
            for key in taken:
                self.by_people.pop(key, None)

        return done

    def bending(self, vtt: str) -> Callable[[str, str, Value], None]:
        """What a VTT makes of a value by itself is as good as typed."""

        def count(document: str, path: str, value: Value) -> None:
            for each in self.bindings[vtt]:
                if each.carrier == Carrier(document, path) and isinstance(value, int):
                    self.by_people[vtt, each.carrier] = (each.field, value)
                    self.typed[vtt, each.field, value] += 1

        return count

    def teardown(self) -> None:
        try:
            self.ends_well()
        finally:
            self.ledger.close()
            self.folder.cleanup()

    def ends_well(self) -> None:
        for vtt, world in self.worlds.items():
            world.heal()
            world.come_true()
            self.ledger.pause(vtt, yes=False)
        self.synced(None)
        self.synced(None)
        conflicts = self.ledger.conflicts()
        self.happened["histories"] += 1
        self.happened["histories that ended in full agreement"] += not conflicts
        for vtt, world in self.worlds.items():
            world.writes.clear()
            for each in self.bindings[vtt]:
                value = value_of(self.battle.state, each.field)
                shown = world.shown(each.carrier)
                floor = 2 if isinstance(each.lens, Clamped) else 0
                agrees = isinstance(value, int) and shown == max(value, floor)
                assert agrees or each.field in conflicts, f"{vtt} {each.carrier} shows {shown}, the battle has {value}"
        plan = Hub(
            self.battle, self.ledger, self.worlds.values(), holder="test", is_out=is_out, clock=self.clock
        ).plan()
        assert plan.is_empty
        assert plan.unchanged + plan.frozen == 14
        for (vtt, carrier), typed in self.pending.items():
            listed = (
                {(each.vtt, each.document, each.value) for each in conflicts[typed.field].theirs}
                if typed.field in conflicts
                else set()
            )
            assert (vtt, carrier.document, typed.value) in listed or self.known(vtt, typed), (
                f"{typed} at {vtt} was lost"
            )
        taken = Counter(
            (who.removeprefix("somebody at "), Field(uid, name), value) for who, uid, name, value in edits(self.battle)
        )
        for (vtt, field, value), count in taken.items():
            if MINE.get((vtt, field)) != "vtt":
                assert count <= self.typed[vtt, field, value], f"{field} {value} of {vtt} was taken {count} times"


def histories(count: int, steps: int = 25) -> settings:
    return settings(
        max_examples=count,
        stateful_step_count=steps,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )


TestConvergence = Convergence.TestCase
TestConvergence.settings = histories(200)
