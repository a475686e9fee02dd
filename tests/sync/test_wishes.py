"""What people at a VTT ask of the battle by a click: it is done if they saw what is there, and nothing is done otherwise."""

from __future__ import annotations

import queue
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from rallypoint.kernel.changes import SetTracker
from rallypoint.kernel.errors import BattleFileError, HeadMovedError, InputError, RuleError
from rallypoint.kernel.game import Intent
from rallypoint_sync.fields import OUT, Field
from rallypoint_sync.hub import Hub
from rallypoint_sync.ledger import Ledger
from rallypoint_sync.plan import Conflict, Theirs
from rallypoint_sync.transport import UnreachableError
from rallypoint_sync.watching import News, Watch
from rallypoint_sync.wishes import SetValue, TakeSide, Wish
from rallypoint_sync.words import conflict_number

from ..contract.battles import STRESS, fought, is_out, skirmish, wounds
from ..contract.world import Clock, Memory


class Table:
    """A battle, and a VTT in memory at which people have wishes."""

    def __init__(self, path: Path | None = None) -> None:
        self.battle = skirmish(path)
        self.world = Memory()
        self.ledger = Ledger(None, self.battle.history.entries[0].hash)
        self.ledger.bind("memory", {}, self.world.bindings())
        self.hub = Hub(self.battle, self.ledger, [self.world], holder="test", is_out=is_out, clock=Clock())
        self.hub.sync()

    def value(self, field: Field) -> int:
        return self.battle.state[field.uid].value(field.name)

    def disagree(self) -> Conflict:
        """Both change the Wounds of u1: 2 there, 1 here."""
        self.world.documents["u1"]["wounds"] = 2
        fought(self.battle, wounds("u1"), 1)
        self.hub.sync()
        (found,) = self.ledger.conflicts().values()
        return found


def test_a_set_is_an_edit_in_the_log_and_goes_to_the_vtt() -> None:
    table = Table()
    table.hub.grant(SetValue(wounds("u1"), 2, 0, "Ann"))
    last = table.battle.history.entries[-1]
    assert (last.kind, last.body["who"]) == ("edit", "Ann")
    assert last.changes == (SetTracker("u1", "Wounds", 2),)
    assert last.events[0].why == {"text": "u1 Wounds: 0 to 2"}
    table.hub.sync()
    assert table.world.documents["u1"]["wounds"] == 2
    assert table.hub.plan().is_empty


def test_stress_of_a_platoon_goes_to_all_that_show_it() -> None:
    table = Table()
    table.hub.grant(SetValue(STRESS, 7, 4, "Ann"))
    table.hub.sync()
    assert [table.world.documents[unit]["stress"] for unit in ("u1", "u2", "u3")] == [7, 7, 7]


def test_undo_takes_it_back_only_if_it_is_confirmed() -> None:
    table = Table()
    table.hub.grant(SetValue(wounds("u1"), 2, 0, "Ann"))
    with pytest.raises(RuleError, match="edit from outside"):
        table.battle.undo()
    table.battle.undo(edits=True)
    table.hub.sync()
    assert (table.value(wounds("u1")), table.world.documents["u1"]["wounds"]) == (0, 0)


def test_a_value_that_they_had_not_seen_is_not_overwritten() -> None:
    table = Table()
    fought(table.battle, wounds("u1"), 1)
    with pytest.raises(InputError) as error:
        table.hub.grant(SetValue(wounds("u1"), 1, 0, "Ann"))
    assert (error.value.found, error.value.expected) == (1, 0)
    assert len(table.battle.history.entries) == 2


@pytest.mark.parametrize("value", [-1, 4, 10**30])
def test_a_value_that_does_not_fit(value: int) -> None:
    table = Table()
    with pytest.raises(InputError, match=r"does not fit.*expected: 0 to 3"):
        table.hub.grant(SetValue(wounds("u1"), value, 0, "Ann"))
    assert table.value(wounds("u1")) == 0


@pytest.mark.parametrize("field", [Field("nobody", "Wounds"), Field("u1", "Stress"), Field("u1", OUT)])
def test_a_field_that_is_none(field: Field) -> None:
    table = Table()
    with pytest.raises(InputError):
        table.hub.grant(SetValue(field, 1, 0, "Ann"))
    assert len(table.battle.history.entries) == 1


def test_the_same_value_is_no_entry() -> None:
    table = Table()
    table.hub.grant(SetValue(wounds("u1"), 0, 0, "Ann"))
    assert len(table.battle.history.entries) == 1


def test_a_battle_that_waits_for_an_answer_takes_none() -> None:
    table = Table()
    table.battle.act(Intent("dither", (), "red"))
    with pytest.raises(RuleError, match="a question is open"):
        table.hub.grant(SetValue(wounds("u1"), 1, 0, "Ann"))
    assert table.value(wounds("u1")) == 0


def test_a_field_in_conflict_is_frozen_for_wishes_too() -> None:
    table = Table()
    table.disagree()
    with pytest.raises(InputError, match="in conflict"):
        table.hub.grant(SetValue(wounds("u1"), 3, 1, "Ann"))
    assert table.value(wounds("u1")) == 1


@pytest.mark.parametrize(("take", "value", "entries"), [("battle", 1, 2), ("memory", 2, 3)])
def test_what_holds_in_a_conflict(take: str, value: int, entries: int) -> None:
    table = Table()
    table.hub.grant(TakeSide(conflict_number(table.disagree()), take, "Ann"))
    table.hub.sync()
    assert (table.value(wounds("u1")), table.world.documents["u1"]["wounds"]) == (value, value)
    assert len(table.battle.history.entries) == entries
    assert not table.ledger.conflicts()
    if take == "memory":
        assert table.battle.history.entries[-1].body["who"] == "Ann"


def test_a_conflict_that_has_changed_since_it_was_seen_is_another_one() -> None:
    table = Table()
    seen = conflict_number(table.disagree())
    table.world.documents["u1"]["wounds"] = 3
    table.hub.sync()
    with pytest.raises(InputError, match="not open any more, or has changed"):
        table.hub.grant(TakeSide(seen, "memory", "Ann"))
    assert table.value(wounds("u1")) == 1
    (now,) = table.ledger.conflicts().values()
    table.hub.grant(TakeSide(conflict_number(now), "memory", "Ann"))
    assert table.value(wounds("u1")) == 3


def test_the_number_of_a_conflict_is_the_same_everywhere() -> None:
    theirs = (Theirs("memory", "u1", "wounds", 0, 2, 2), Theirs("other", "x", "y", 0, 3, 3))
    one = Conflict(wounds("u1"), "both_changed", 1, theirs)
    said = b'["u1","Wounds","both_changed",1,[["memory","u1","wounds","2"],["other","x","y","3"]]]'
    assert conflict_number(one) == conflict_number(one._replace(theirs=theirs[::-1])) == zlib.crc32(said)
    others = [one._replace(ours=2), one._replace(kind="copies_differ"), one._replace(field=wounds("u2"))]
    assert len({conflict_number(each) for each in [one, *others]}) == 4


def test_another_process_may_write_at_the_same_moment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = Table(tmp_path / "a.battle")
    edit, tries = table.battle.edit, []

    def beaten(who: str, *changes: SetTracker, why: str = "") -> None:
        tries.append(who)
        if len(tries) == 1:
            raise HeadMovedError(path="a", expected=1, found=1, between=("edit",))
        edit(who, *changes, why=why)

    monkeypatch.setattr(table.battle, "edit", beaten)
    table.hub.grant(SetValue(wounds("u1"), 2, 0, "Ann"))
    assert (tries, table.value(wounds("u1"))) == (["Ann", "Ann"], 2)


# While it is watched


class Wishing(Memory):
    """A VTT at which people ask for something; the test says when."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[Wish] = []
        self.told: queue.Queue[Sequence[str] | None] = queue.Queue()
        self.gone = False

    def changes(self) -> Iterator[Sequence[str]]:
        yield ()
        while (found := self.told.get()) is not None:
            yield found

    def wishes(self) -> Sequence[Wish]:
        if self.gone:
            raise UnreachableError("away", code="away", passing=True)
        found, self.asked = self.asked, []
        return found


def watched(wishes: Sequence[Wish], until: str) -> tuple[Table, list[News]]:
    """Run a watch whose people wish something, until it has told of so much."""
    table, world, told = Table(), Wishing(), list[News]()
    table.hub.transports = {"memory": world}

    def tell(news: News) -> None:
        told.append(news)
        if news.what == "listening":
            world.asked += wishes
            world.told.put(())
        if news.what == until and not world.asked:
            watch.stopped.set()
            world.told.put(None)

    watch = Watch(table.hub, world, tell, Clock())
    watch.run()
    return table, told


def test_a_wish_is_in_the_log_before_anything_is_read_and_told_of() -> None:
    good, bad = SetValue(wounds("u1"), 2, 0, "Ann"), SetValue(wounds("u2"), 9, 0, "Ann")
    table, told = watched([bad, good], "granted")
    assert [each.what for each in told if each.wish] == ["refused", "granted"]
    assert [each.wish for each in told if each.wish] == [bad, good]
    assert "does not fit" in str(told[[each.what for each in told].index("refused")].error)
    assert (table.value(wounds("u1")), table.value(wounds("u2"))) == (2, 0)


def test_a_battle_file_that_fails_ends_the_watch_and_a_wish_that_fails_does_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def broken(_hub: Hub, _wish: Wish) -> None:
        raise BattleFileError("the disk is full")

    monkeypatch.setattr(Hub, "grant", broken)
    with pytest.raises(BattleFileError, match="disk"):
        watched([SetValue(wounds("u1"), 2, 0, "Ann")], "granted")


@pytest.mark.parametrize("where", ["grant", "sync"])
def test_of_a_battle_file_that_fails_the_vtts_are_told_wherever_it_is_seen(
    monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    table, told = Table(), list[News]()
    world = Wishing()
    world.asked.append(SetValue(wounds("u1"), 2, 0, "Ann"))
    table.hub.transports = {"memory": world}
    failure = BattleFileError("the disk is full")

    def broken(*_: object, **__: object) -> None:
        raise failure

    monkeypatch.setattr(Hub, where, broken)
    with pytest.raises(BattleFileError):
        Watch(table.hub, world, told.append, Clock()).run()
    assert [(each.what, each.error) for each in told if each.error] == [("failed", failure)]
    world.told.put(None)
