"""Two processes at one battle and one world, step by step: neither takes for an edit what the other has written."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from rallypoint.kernel.changes import SetTracker
from rallypoint_foundry.live.transport import FoundryTransport
from rallypoint_sync.hub import Hub, Synced

from .tables import CO, NCO, SOLDIER, Play


class Watcher:
    """A process that listens, and has not been told yet what others have written since it has read."""

    def __init__(self, hub: Hub, transport: FoundryTransport) -> None:
        self.hub, self.transport = hub, transport

    def sync(self) -> Synced:
        self.hub.battle.refresh()
        return self.hub.sync()

    def hears(self, document: str) -> None:
        self.transport._doubt([document])


@contextmanager
def watcher(play: Play, name: str) -> Iterator[Watcher]:
    with play.seat() as seat:
        seat.holder = f"watch {name}"
        transport = seat.transport(seat.relay(patient=0.0))
        transport._listens = True
        found = Watcher(seat.hub(transport, patience=0.0), transport)
        found.sync()
        yield found


@pytest.fixture
def two(play: Play) -> Iterator[tuple[Watcher, Watcher]]:
    play.ready()
    with watcher(play, "one") as one, watcher(play, "two") as another:
        play.asked()
        yield one, another


def edits(play: Play) -> list[tuple[str, str, int]]:
    """What came into the log as an edit at the world."""
    with play.seat() as seat:
        return [
            (change.uid, change.name, change.value)
            for each in seat.battle.history.entries
            if each.kind == "edit" and each.body["who"] == "somebody at foundry"
            for change in each.changes
            if isinstance(change, SetTracker)
        ]


def test_what_one_watch_has_written_is_no_edit_to_the_other(play: Play, two: tuple[Watcher, Watcher]) -> None:
    one, another = two
    for wounds in (1, 2):
        play.fought(CO, wounds)
        assert len(one.sync().done) == 1
        play.asked()
        done = another.sync()
        assert (done.plan.edits, done.done, done.plan.conflicts) == ((), (), ())
        assert play.asked() == [("GET", "/get")], "only what the other has written is read again"
    assert edits(play) == []
    assert (play.shown(CO), play.value(CO)) == (2, 2)


def test_an_edit_that_one_watch_has_taken_is_not_taken_back_by_the_other(
    play: Play, two: tuple[Watcher, Watcher]
) -> None:
    one, another = two
    play.edit(NCO, 1)
    one.hears(play.actor(NCO))
    assert len(one.sync().plan.edits) == 1
    play.fought(SOLDIER, 1)
    done = another.sync()
    assert ([each.binding.field.uid for each in done.done], done.plan.edits) == ([SOLDIER], ())
    assert edits(play) == [(NCO, "Wounds", 1)]
    assert (play.shown(NCO), play.value(NCO), play.shown(SOLDIER)) == (1, 1, 1)


def test_a_conflict_that_one_watch_has_found_is_not_dissolved_by_the_other(
    play: Play, two: tuple[Watcher, Watcher]
) -> None:
    one, another = two
    play.edit(NCO, 1)
    one.hears(play.actor(NCO))
    play.fought(NCO, 2)
    assert len(one.sync().new_conflicts) == 1
    done = another.sync()
    assert [each.kind for each in done.plan.conflicts] == ["both_changed"]
    assert (play.shown(NCO), play.value(NCO)) == (1, 2)


def test_a_sync_beside_a_watch_leaves_it_no_stale_picture(play: Play, two: tuple[Watcher, Watcher]) -> None:
    one, _ = two
    play.fought(CO, 2)
    assert play.say("sync").status == 0
    play.edit(NCO, 1)
    assert play.say("sync").status == 0
    done = one.sync()
    assert (done.plan.edits, done.done, done.plan.conflicts) == ((), (), ())
    assert edits(play) == [(NCO, "Wounds", 1)]
    assert (play.shown(CO), play.shown(NCO)) == (2, 1)


def test_a_watch_alone_reads_nothing_again(play: Play, two: tuple[Watcher, Watcher]) -> None:
    one, _ = two
    one.sync()  # the other one had the lease
    play.asked()
    for wounds in (1, 2):
        play.fought(CO, wounds)
        one.sync()
    assert play.asked() == [("PUT", "/update")] * 2
