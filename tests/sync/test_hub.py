"""The hub with several VTTs, moves, marks, other processes, and what it can tell afterwards."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from rallypoint.kernel.answers import PERSON, Answers
from rallypoint.kernel.battle import Battle
from rallypoint.kernel.battle_file import BattleFile
from rallypoint.kernel.changes import SetPlace, SetTracker
from rallypoint.kernel.errors import HeadMovedError, InputError
from rallypoint.kernel.parts import Hex
from rallypoint_sync.bindings import Binding, Carrier
from rallypoint_sync.clock import waits
from rallypoint_sync.doubt import DOUBT
from rallypoint_sync.fields import OUT, PLACE, Field
from rallypoint_sync.hub import TRIES, Hub
from rallypoint_sync.ledger import Ledger
from rallypoint_sync.lenses import Clamped, Exact, OnHexes
from rallypoint_sync.sending import LEASE, BusyError
from rallypoint_sync.since import changes_since
from rallypoint_sync.snapshot import Snapshot
from rallypoint_sync.transport import UnreachableError
from rallypoint_sync.words import plan_lines, plan_value

from ..contract.battles import Skirmish, edits, fought, is_out, skirmish, wounds
from ..contract.world import Clock, Memory

U1, U2, U3 = wounds("u1"), wounds("u2"), wounds("u3")
SPOT, MARK = Carrier("u1", "spot"), Carrier("u1", "mark")


class Desk:
    """A battle and worlds, bound and met."""

    def __init__(self, *worlds: Memory, battle: Battle[None] | None = None, more: tuple[Binding, ...] = ()) -> None:
        self.worlds = {each.vtt: each for each in worlds}
        self.battle = skirmish() if battle is None else battle
        self.ledger = Ledger(None, self.battle.history.entries[0].hash)
        self.clock = Clock()
        for world in worlds:
            self.ledger.bind(world.vtt, {}, [*world.bindings(), *more])
        self.hub = self.other("me")
        self.hub.sync()
        for world in worlds:
            world.writes.clear()

    def other(self, holder: str) -> Hub:
        return Hub(self.battle, self.ledger, self.worlds.values(), holder=holder, is_out=is_out, clock=self.clock)


# Several VTTs


def test_an_edit_at_one_vtt_is_shown_at_the_other() -> None:
    a, b = Memory("a"), Memory("b")
    desk = Desk(a, b)
    a.documents["u1"]["wounds"] = 2
    desk.hub.sync()
    assert b.documents["u1"]["wounds"] == 2
    assert edits(desk.battle) == [("somebody at a", "u1", "Wounds", 2)]
    assert (a.writes, len(b.writes)) == ([], 1)


def test_the_same_edit_at_both_is_taken_once() -> None:
    a, b = Memory("a"), Memory("b")
    desk = Desk(a, b)
    a.documents["u1"]["wounds"] = b.documents["u1"]["wounds"] = 2
    desk.hub.sync()
    assert len(edits(desk.battle)) == 1
    assert desk.hub.plan().is_empty


def test_one_vtt_that_is_away_does_not_keep_the_other_waiting() -> None:
    a, b = Memory("a"), Memory("b")
    desk = Desk(a, b)
    a.fault("away")
    fought(desk.battle, U1, 2)
    done = desk.hub.sync()
    assert list(done.away) == ["a"]
    assert (a.documents["u1"]["wounds"], b.documents["u1"]["wounds"]) == (0, 2)
    assert desk.hub.sync().away == {}
    assert a.documents["u1"]["wounds"] == 2


def test_a_vtt_that_goes_away_gets_no_more_writes() -> None:
    a, b = Memory("a"), Memory("b")
    desk = Desk(a, b)
    for field in (U1, U2, U3):
        fought(desk.battle, field, 1)
    a.before_write = lambda _document, _values, _late: a.fault("locked out")
    done = desk.hub.sync()
    assert len(a.writes) == 2  # the second was turned away
    assert [each.write.binding.field for each in done.failed] == [U2, U3]
    assert [each.binding.field for each in done.done] == [U1, U1, U2, U3]  # one at a, all at b
    assert {each.why for each in done.failed} == {"not sent: the key is wrong"}


def test_a_conflict_between_two_vtts_is_settled_by_one_of_them() -> None:
    a, b = Memory("a"), Memory("b")
    desk = Desk(a, b)
    a.documents["u1"]["wounds"], b.documents["u1"]["wounds"] = 1, 2
    (conflict,) = desk.hub.sync().new_conflicts
    assert conflict.kind == "copies_differ"
    desk.hub.sync({"a": ["u1"]})  # asking one alone settles nothing
    assert list(desk.ledger.conflicts()) == [U1]
    with pytest.raises(InputError, match="no one value"):
        desk.hub.resolve(U1, "c")
    desk.hub.resolve(U1, "b")
    desk.hub.sync()
    assert (a.documents["u1"]["wounds"], b.documents["u1"]["wounds"]) == (2, 2)
    assert desk.hub.plan().is_empty


def test_resolving_takes_what_the_battle_says_by_now() -> None:
    a = Memory("a")
    desk = Desk(a)
    a.documents["u1"]["wounds"] = 3
    fought(desk.battle, U1, 1)
    desk.hub.sync()
    fought(desk.battle, U1, 2)
    desk.hub.resolve(U1, "battle")
    desk.hub.sync()
    assert (desk.battle.state["u1"].value("Wounds"), a.documents["u1"]["wounds"]) == (2, 2)


def test_there_is_nothing_to_resolve() -> None:
    desk = Desk(Memory("a"))
    with pytest.raises(InputError, match="expected: none"):
        desk.hub.resolve(U1, "battle")


# Moves and marks


def moving() -> tuple[Desk, Memory]:
    world = Memory("a")
    world.documents["u1"] |= {"spot": (0, 0), "mark": False}
    spot = Binding((Field("u1", PLACE),), SPOT, OnHexes(100))
    mark = Binding((Field("u1", OUT),), MARK, Exact())
    return Desk(world, more=(spot, mark)), world


def test_a_move_of_the_battle_is_shown() -> None:
    desk, world = moving()
    desk.battle.edit("the rules", SetPlace("u1", Hex(2, 0, 1)))
    desk.hub.sync()
    assert world.documents["u1"]["spot"] == (200, 0)


def test_a_proposed_move_in_words() -> None:
    desk, world = moving()
    world.documents["u1"]["spot"] = (310, 5)
    assert list(plan_lines(desk.hub.plan()))[:3] == [
        "conflict: u1 place: a token was moved; it counts when the move is taken",
        "  battle: hex 0 0 2",
        "  a: hex 3 0 (u1 spot shows 310 5, last agreed 0 0)",
    ]


def test_a_dragged_token_proposes_and_a_person_takes_it() -> None:
    desk, world = moving()
    world.documents["u1"]["spot"] = (310, 5)
    (conflict,) = desk.hub.sync().new_conflicts
    assert (conflict.kind, desk.battle.state["u1"].place, world.writes) == ("move_proposed", Hex(0, 0, 2), [])
    desk.hub.resolve(Field("u1", PLACE), "a")
    assert desk.battle.state["u1"].place == Hex(3, 0, 2)  # the facing is the unit's own
    assert desk.hub.sync().done == ()
    assert desk.hub.plan().is_empty


def test_a_proposed_move_that_is_refused_is_put_back() -> None:
    desk, world = moving()
    world.documents["u1"]["spot"] = (310, 5)
    desk.hub.sync()
    desk.hub.resolve(Field("u1", PLACE), "battle")
    desk.hub.sync()
    assert world.documents["u1"]["spot"] == (0, 0)


def test_a_nudge_within_the_hex_is_nothing() -> None:
    desk, world = moving()
    world.documents["u1"]["spot"] = (20, -11)
    assert desk.hub.sync().plan.is_empty
    assert world.writes == []


def test_who_is_out_is_marked_and_the_mark_does_not_come_back() -> None:
    desk, world = moving()
    world.documents["u1"]["wounds"] = 3
    desk.hub.sync()
    assert world.documents["u1"]["mark"] is True
    world.documents["u1"]["mark"] = False
    desk.hub.sync()
    assert (world.documents["u1"]["mark"], desk.battle.state["u1"].value("Wounds")) == (True, 3)


# What a VTT cannot hold


def test_b62_a_dropped_value_goes_to_our_flag_at_once_and_from_then_on() -> None:
    world = Memory("a", fallback=True)
    desk = Desk(world)
    world.fault("drops")
    fought(desk.battle, U1, 2)
    done = desk.hub.sync()
    assert [each.binding.carrier.path for each in done.moved] == ["wounds"]
    assert (done.failed, world.documents["u1"]["flag"]) == ((), 2)
    assert desk.hub.plan().is_empty
    world.documents["u1"]["flag"] = 1
    desk.hub.sync()
    assert desk.battle.state["u1"].value("Wounds") == 1


def test_b23_a_clamp_keeps_the_true_value() -> None:
    world = Memory("a")
    desk = Desk(world)
    desk.ledger.bind("a", {}, [Binding((U1,), Carrier("u1", "wounds"), Clamped(low=2))])
    desk.hub.sync()
    assert (world.documents["u1"]["wounds"], desk.battle.state["u1"].value("Wounds")) == (2, 0)
    assert desk.hub.sync().plan.is_empty
    world.documents["u1"]["wounds"] = 3
    desk.hub.sync()
    assert desk.battle.state["u1"].value("Wounds") == 3


# Other processes


def test_only_who_holds_the_lease_writes() -> None:
    world = Memory("a")
    desk = Desk(world)
    assert desk.ledger.lease("a", "somebody else", desk.clock.now(), LEASE) is None
    fought(desk.battle, U1, 2)
    with pytest.raises(InputError, match="somebody else"):
        desk.hub.sync()
    with pytest.raises(InputError, match="somebody else"):
        desk.hub.revert("a")
    assert (world.writes, desk.hub.plan().counts["writes"]) == ([], 1)  # looking is free
    desk.clock.sleep(LEASE)  # that one has ended without a word
    desk.hub.sync()
    assert len(world.writes) == 1
    assert desk.ledger.lease("a", "somebody else", desk.clock.now(), LEASE) is None


@pytest.mark.parametrize("times", [1, TRIES - 1, TRIES])
def test_edits_are_planned_again_when_another_process_was_first(
    tmp_path: Path, times: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other process opens the same file and appends just before the hub does."""
    path = tmp_path / "first.battle"
    battle = skirmish(path)
    desk = Desk(Memory("a"), battle=battle)
    other = Battle.open(BattleFile(path), Skirmish(), Answers(PERSON))
    edit, left = battle.edit, times

    def late(*args: object, **more: object) -> None:
        nonlocal left
        if left:
            left -= 1
            other.refresh()
            other.edit("the rules", SetTracker("u2", "Wounds", left % 3))
        edit(*args, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(battle, "edit", late)
    desk.worlds["a"].documents["u1"]["wounds"] = 2
    if times == TRIES:
        with pytest.raises(HeadMovedError):
            desk.hub.sync()
    else:
        assert [each.new for each in desk.hub.sync().plan.edits] == [2]
        assert desk.worlds["a"].documents["u2"]["wounds"] == 0
    desk.hub.sync()
    assert edits(battle) == [("somebody at a", "u1", "Wounds", 2)]
    battle.close()
    other.close()


def test_an_edit_that_was_undone_before_the_next_sync_is_not_taken_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """The process ends after the edit was in the log, before the ledger knew."""
    world = Memory("a")
    desk = Desk(world)
    world.documents["u1"]["wounds"] = 2

    def ends(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Ledger, "agree", ends)
        with pytest.raises(KeyboardInterrupt):
            desk.hub.sync()
    desk.battle.undo(edits=True)
    desk.hub.sync()
    assert (desk.battle.state["u1"].value("Wounds"), world.documents["u1"]["wounds"]) == (0, 0)


# Waiting


def test_a_late_write_stays_known_when_another_side_is_taken() -> None:
    """It agrees with the battle for a while, so it is not among those who disagree when the conflict is resolved."""
    a, b = Memory("a"), Memory("b")
    desk = Desk(a, b)
    b.fault("late")
    for value in (2, 3):
        fought(desk.battle, U1, value)
        desk.hub.sync()
    b.come_true()
    desk.hub.sync()
    assert [each.kind for each in desk.ledger.conflicts().values()] == ["late_write"]
    fought(desk.battle, U1, 2)  # what b shows; a shows 3
    desk.hub.sync()
    desk.clock.sleep(2 * DOUBT)
    desk.hub.sync()
    desk.hub.resolve(U1, "a")
    desk.hub.sync()
    assert (desk.battle.state["u1"].value("Wounds"), b.documents["u1"]["wounds"]) == (3, 3)
    assert edits(desk.battle) == []


def test_a_late_write_is_found_again_where_a_process_ended_before_the_conflict_was_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    world = Memory("a")
    desk = Desk(world)
    world.fault("late")
    for value in (3, 1):
        fought(desk.battle, U1, value)
        desk.hub.sync()
    world.come_true()
    desk.clock.sleep(2 * DOUBT)

    def ends(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Ledger, "keep", ends)
        with pytest.raises(KeyboardInterrupt):
            desk.hub.sync()
    desk.hub.sync()
    assert [each.kind for each in desk.ledger.conflicts().values()] == ["late_write"]
    assert edits(desk.battle) == []
    assert desk.battle.state["u1"].value("Wounds") == 1


@pytest.mark.parametrize(("seconds", "late"), [(DOUBT - 1, True), (DOUBT + 1, False)])
def test_how_long_a_lost_write_is_in_doubt(seconds: float, late: bool) -> None:
    """Until then what looks like it may be it; after that it is somebody's edit."""
    world = Memory("a")
    desk = Desk(world)
    world.fault("late")
    fought(desk.battle, U1, 1)
    desk.hub.sync()
    fought(desk.battle, U1, 2)
    desk.hub.sync()
    desk.clock.sleep(seconds)
    desk.hub.sync()
    world.documents["u1"]["wounds"] = 1
    desk.hub.sync()
    assert ([each.kind for each in desk.ledger.conflicts().values()] == ["late_write"]) is late
    assert desk.battle.state["u1"].value("Wounds") == (2 if late else 1)


def test_a_long_batch_keeps_its_lease() -> None:
    """A write takes a minute; whoever looks after three of them finds the lease held."""
    world = Memory("a")
    desk = Desk(world)
    held = []

    def slow(_document: str, _values: object, _late: bool) -> None:
        desk.clock.sleep(60)
        held.append(desk.ledger.lease("a", "somebody else", desk.clock.now(), LEASE))

    world.before_write = slow
    for field in (U1, U2, U3):
        fought(desk.battle, field, 1)
    desk.hub.sync()
    assert held == ["me", "me", "me"]


def test_patience_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    world = Memory("a")
    desk = Desk(world)
    desk.hub.patience = 20
    world.fault("away", 1000)
    with pytest.raises(UnreachableError):
        desk.hub.sync()
    assert 0 < sum(desk.clock.waits) <= 20
    assert all(0.25 <= wait <= 30 for wait in desk.clock.waits)


def test_waits_are_spread() -> None:
    assert list(waits(1, 4, 6, lambda: 0.0)) == [0.5, 1.0, 2.0, 2.0]  # 7.5 would be too much


def test_b30_a_limit_of_requests_is_waited_for_and_every_write_is_made() -> None:
    world = Memory("a")
    desk = Desk(world)
    desk.hub.patience = 60
    left = 3

    def limited(_document: str, _values: object, _late: bool) -> None:
        nonlocal left
        left -= 1
        if left >= 0:
            raise UnreachableError("too many requests", code="rate_limit", passing=True)

    world.before_write = limited
    for field in (U1, U2, U3):
        fought(desk.battle, field, 1)
    done = desk.hub.sync()
    assert ([each.new for each in done.done], done.failed, len(desk.clock.waits)) == ([1, 1, 1], (), 3)
    assert [each.state for each in desk.ledger.sent("a")] == ["done"] * 3  # noted once each


def test_b34_two_scenes_have_nothing_of_each_other() -> None:
    first, second = Memory("a:one"), Memory("a:two")
    desk = Desk(first, second)
    desk.ledger.pause("a:two")
    first.documents["u1"]["wounds"] = 2
    desk.hub.sync()
    assert second.documents["u1"]["wounds"] == 0
    assert (desk.ledger.base("a:one")[Carrier("u1", "wounds")], desk.ledger.base("a:two")[Carrier("u1", "wounds")]) == (
        2,
        0,
    )
    assert desk.ledger.sent("a:two") == ()


# Afterwards


def test_what_changed_since_an_entry_and_since_a_moment() -> None:
    world = Memory("a")
    desk = Desk(world)
    fought(desk.battle, U1, 1)
    desk.hub.sync()
    entry, moment = desk.battle.history.head, desk.clock.now()
    desk.clock.sleep(10)
    world.documents["u2"]["wounds"] = 2
    fought(desk.battle, U1, 3)
    desk.hub.sync()
    fields = [
        (each.source, each.target, each.field, each.old, each.new)
        for each in changes_since(desk.battle.history, desk.ledger, entry=entry)
    ]
    assert fields == [
        ("the rules", "battle", U1, 1, 3),
        ("somebody at a", "battle", U2, 0, 2),
        ("battle", "a", U1, 1, 3),
    ]  # fmt: skip
    history, ledger = desk.battle.history, desk.ledger
    assert changes_since(history, ledger, moment=moment) == changes_since(history, ledger, entry=entry)
    assert changes_since(history, ledger, moment=desk.clock.now()) == ()
    assert len(changes_since(history, ledger)) == 5  # the rules twice, one edit, two writes


def test_a_plan_says_itself_in_words_and_in_json() -> None:
    world = Memory("a")
    desk = Desk(world)
    fought(desk.battle, U1, 1)
    world.documents["u2"]["wounds"] = 2
    world.documents["u3"]["wounds"] = 9
    world.delete("u4")
    plan = desk.hub.plan()
    assert list(plan_lines(plan)) == [
        "to a: u1 Wounds: 0 to 1 (changed in the battle; u1 wounds)",
        "from a: u2 Wounds: 0 to 2",
        "conflict: u3 Wounds: the value does not fit",
        "  battle: 0",
        "  a: 9 (u3 wounds shows 9, last agreed 0)",
        "left out at a: u4 Wounds (u4 wounds): it is not there any more; it is not made again by itself",
        "1 writes, 1 edits, 1 conflicts, 1 newly agreed, 3 unchanged, 1 in conflict, 1 left out",
    ]
    value = plan_value(plan)
    assert value["counts"] == plan.counts
    assert value["edits"] == [{"vtt": "a", "field": ("u2", "Wounds"), "document": "u2", "old": 0, "new": 2}]


class Slow(Memory):
    """A VTT that takes its time over a read; meanwhile others may do something."""

    def __init__(self) -> None:
        super().__init__("slow")
        self.meanwhile: list[Callable[[], object]] = []

    def read(self, documents: Sequence[str]) -> Snapshot:
        found = super().read(documents)
        while self.meanwhile:
            self.meanwhile.pop()()
        return found


def test_what_was_read_before_another_process_had_the_lease_is_not_merged() -> None:
    world = Slow()
    desk = Desk(world)
    fought(desk.battle, U1, 1)

    def other() -> None:
        desk.clock.sleep(LEASE + 1)
        assert len(desk.other("somebody else").sync().done) == 1

    world.meanwhile.append(other)
    with pytest.raises(BusyError):
        desk.hub.sync()
    assert edits(desk.battle) == []
    desk.hub.sync()
    assert (edits(desk.battle), world.documents["u1"]["wounds"]) == ([], 1)


def test_a_look_that_takes_longer_than_the_lease_is_used_where_nobody_came() -> None:
    world = Slow()
    desk = Desk(world)
    fought(desk.battle, U1, 1)
    world.meanwhile.append(lambda: desk.clock.sleep(LEASE + 1))
    assert len(desk.hub.sync().done) == 1


def test_what_was_planned_before_another_process_had_the_vtt_is_not_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    """A computer fell asleep while one VTT was read; meanwhile another process wrote to the other, and somebody typed there."""
    a, b = Memory("a"), Memory("b")
    desk = Desk(a, b)
    fought(desk.battle, U1, 1)
    read = b.read

    def asleep(documents: Sequence[str]) -> Snapshot:
        monkeypatch.setattr(b, "read", read)
        desk.clock.sleep(LEASE + 1)
        desk.other("another").sync(vtts=["a"])
        a.documents["u1"]["wounds"] = 2
        return read(documents)

    monkeypatch.setattr(b, "read", asleep)
    with pytest.raises(BusyError, match="has taken over"):
        desk.hub.sync()
    desk.hub.sync()
    assert [desk.battle.state["u1"].value("Wounds"), *[each.documents["u1"]["wounds"] for each in (a, b)]] == [2, 2, 2]


def test_what_was_read_before_another_process_had_the_vtt_is_no_edit(monkeypatch: pytest.MonkeyPatch) -> None:
    a, b = Memory("a"), Memory("b")
    desk = Desk(a, b)
    a.documents["u1"]["wounds"] = 2
    read = b.read

    def asleep(documents: Sequence[str]) -> Snapshot:
        monkeypatch.setattr(b, "read", read)
        desk.clock.sleep(LEASE + 1)
        for value in (2, 0):
            a.documents["u1"]["wounds"] = value
            desk.other("another").sync(vtts=["a"])
        return read(documents)

    monkeypatch.setattr(b, "read", asleep)
    with pytest.raises(BusyError, match="has taken over"):
        desk.hub.sync()
    assert [value for *_, value in edits(desk.battle)] == [2, 0]
