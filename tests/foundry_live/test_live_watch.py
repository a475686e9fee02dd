"""Watching, over a real socket: both ways, echoes, cuts, sleep, what is told. Nothing sleeps here; everything waits for an event."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from rallypoint_foundry.fake.documents import rows
from rallypoint_foundry.fake.serving import served
from rallypoint_foundry.live import table as tables
from rallypoint_foundry.live import wire as wires
from rallypoint_foundry.live.transport import VTT, FoundryTransport
from rallypoint_sync.clock import SystemClock
from rallypoint_sync.fields import Field
from rallypoint_sync.watching import News, Watch

from .tables import CO, KEY, NCO, SOLDIER, Play

PATIENCE = 30.0


class Watched:
    """A watch in a thread of its own, and what it has told."""

    def __init__(self, play: Play, base: str) -> None:
        self.play, self.base = play, base
        self.news: list[News] = []
        self.changed = threading.Condition()
        self.ready = threading.Event()
        self.error: Exception | None = None
        self.watch: Watch | None = None
        self.transport: FoundryTransport | None = None
        self.thread = threading.Thread(target=self._run, daemon=True)

    def _run(self) -> None:
        try:
            with tables.seated(self.play.battle) as seat:
                self.transport = seat.transport(seat.relay(self.base, patient=0.0))
                hub = seat.hub(self.transport, patience=0.0)
                self.watch = Watch(hub, self.transport, self._tell, seat.clock)
                self.ready.set()
                self.watch.run()
        except Exception as error:
            self.error = error
        finally:
            self.ready.set()
            with self.changed:
                self.changed.notify_all()

    def _tell(self, news: News) -> None:
        with self.changed:
            self.news.append(news)
            self.changed.notify_all()

    def until(self, what: Callable[[], bool]) -> None:
        with self.changed:
            assert self.changed.wait_for(lambda: what() or self.error is not None, PATIENCE), self.news
        assert self.error is None, self.error

    def counts(self, what: str) -> int:
        return len([each for each in self.news if each.what == what])

    def moved(self) -> int:
        """How many values went either way."""
        done = [each.synced for each in self.news if each.synced is not None]
        return sum(len(each.done) + len(each.plan.edits) for each in done)

    def stop(self) -> None:
        self.ready.wait(PATIENCE)
        if self.watch is not None:
            self.watch.stop()
        self.thread.join(PATIENCE)
        assert not self.thread.is_alive()


@pytest.fixture
def watched(play: Play, monkeypatch: pytest.MonkeyPatch) -> Iterator[Watched]:
    play.ready()
    monkeypatch.undo()
    with watching(play, monkeypatch) as found:
        yield found


@contextmanager
def watching(play: Play, monkeypatch: pytest.MonkeyPatch) -> Iterator[Watched]:
    monkeypatch.setenv("RALLYPOINT_FOUNDRY_KEY", KEY)
    monkeypatch.setattr(tables, "HttpxWire", wires.HttpxWire)
    play.fake.clock = SystemClock()
    with served(play.fake) as base:
        found = Watched(play, base)
        found.thread.start()
        found.until(lambda: found.counts("synced") >= 1)
        play.fake.heard.clear()
        try:
            yield found
        finally:
            found.stop()


def test_both_ways_and_b04_no_echo(watched: Watched) -> None:
    play = watched.play
    play.edit(CO, 1)
    watched.until(lambda: watched.moved() >= 1)
    assert play.value(CO) == 1
    assert [path for _, path in play.asked()] == ["/get"]  # the one actor in doubt
    play.fought(SOLDIER, 2)
    watched.until(lambda: watched.moved() >= 2)
    assert play.shown(SOLDIER) == 2
    play.edit(NCO, 1)  # something to wait for, after the echo of our own write
    watched.until(lambda: watched.moved() >= 3)
    assert [path for _, path in play.asked()] == ["/update", "/get"]


def test_b04_an_event_that_comes_a_hundred_times_is_one_edit(watched: Watched) -> None:
    play = watched.play
    play.fake.faults.add("repeated", of="updateActor")
    play.edit(CO, 1)
    watched.until(lambda: watched.moved() >= 1)
    play.fake.faults.add("repeated", of="updateActor")
    play.fought(CO, 2)
    watched.until(lambda: watched.moved() >= 2)
    play.edit(NCO, 1)
    watched.until(lambda: watched.moved() >= 3)
    assert [method for method, _ in play.asked()].count("PUT") == 1
    assert (play.value(CO), play.shown(CO)) == (2, 2)


def test_r12_flat_events_are_heard_too(watched: Watched) -> None:
    watched.play.fake.faults.add("flat", of="updateActor")
    watched.play.edit(CO, 2)
    watched.until(lambda: watched.moved() >= 1)


@pytest.mark.parametrize("fault", ["cut", "ended"])
def test_r12_a_stream_that_ends_is_opened_again_and_all_is_read_once(watched: Watched, fault: str) -> None:
    play = watched.play
    play.fake.faults.add(fault, of="updateActor")  # the event itself is lost with the stream
    play.edit(CO, 1)
    watched.until(lambda: watched.counts("listening") >= 2 and watched.moved() >= 1)
    assert play.value(CO) == 1
    assert [path for _, path in play.asked()].count("/get") == 14 + 1


def test_b31_a_world_that_sleeps_gets_the_last_value_once_when_it_wakes(watched: Watched) -> None:
    play = watched.play
    play.world.sleep()
    watched.until(lambda: watched.counts("away") > 0)
    for value in (1, 2, 1):
        play.fought(CO, value)
    play.world.wake()
    watched.until(lambda: watched.moved() >= 1)
    assert [method for method, _ in play.asked()].count("PUT") == 1
    assert play.shown(CO) == 1


def test_b30_too_many_requests_three_times(watched: Watched) -> None:
    play = watched.play
    play.fake.faults.add("too_many", count=3)
    for uid in (CO, SOLDIER, NCO):
        play.fought(uid, 1)
    watched.until(lambda: play.shown(CO) == play.shown(SOLDIER) == play.shown(NCO) == 1)


def test_what_is_said_at_another_terminal_is_done_at_once(watched: Watched) -> None:
    play = watched.play
    play.edit(CO, 99)
    watched.until(lambda: any(each.synced and each.synced.new_conflicts for each in watched.news))
    with tables.seated(play.battle) as seat:
        seat.hub(seat.transport(seat.relay(watched.base))).resolve(Field(CO, "Wounds"), "battle")
    watched.until(lambda: play.shown(CO) == 0)
    assert play.say("pause").status == 0
    play.edit(CO, 1)
    assert play.say("resume").status == 0
    watched.until(lambda: watched.moved() >= 2)
    assert play.value(CO) == 1


def test_an_encounter_that_is_begun_meanwhile_gets_its_marks(watched: Watched) -> None:
    play = watched.play
    with tables.seated(play.battle) as seat:
        seat.remember(address=watched.base)
    assert play.say("encounter").status == 0
    (combat,) = play.world.collections["Combat"].values()
    play.fell(SOLDIER)
    watched.until(lambda: any(one["defeated"] for one in rows(combat, "combatants")))
    with tables.seated(play.battle) as seat:
        assert not seat.ledger.tombstones(VTT)


def test_more_documents_than_a_drained_relay_lets_through_are_read_in_the_end(
    play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    play.ready()
    play.fought(CO, 1)
    play.fake.per_minute = 6  # fewer than there are documents, and one more every ten seconds
    assert play.say("sync", "--patience", "0").status == 0
    assert play.shown(CO) == 1


def test_b26_a_change_before_the_first_read_is_there(play: Play, monkeypatch: pytest.MonkeyPatch) -> None:
    play.ready()
    monkeypatch.undo()
    subscribe = play.fake.streams.subscribe

    def late(kind: str, client: str, query: object) -> object:
        found = subscribe(kind, client, query)  # type: ignore[arg-type]
        if kind == "hooks":  # it is told before anything is read, or read
            play.edit(CO, 1)
        return found

    monkeypatch.setattr(play.fake.streams, "subscribe", late)
    with watching(play, monkeypatch) as watched:
        watched.until(lambda: watched.moved() >= 1)
        assert play.value(CO) == 1


def test_b27_a_lost_answer_is_looked_at_and_made_once(watched: Watched) -> None:
    play = watched.play
    play.fake.faults.add("cut_off", of="update")
    play.fought(CO, 2)
    watched.until(lambda: play.shown(CO) == 2 and watched.counts("synced") >= 3)
    assert [method for method, _ in play.asked()].count("PUT") == 1


def test_copies_and_deletions_are_noticed(watched: Watched) -> None:
    play = watched.play
    (scene,) = play.world.collections["Scene"].values()
    copy = play.world.copy_actor(play.actor(CO))
    play.edit(NCO, 1)
    watched.until(lambda: watched.moved() >= 1)
    assert watched.transport is not None
    assert watched.transport.copies == {copy: play.actor(CO)}
    token = rows(scene, "tokens")[1]
    play.world.copy_token(f"Scene.{scene['_id']}.Token.{token['_id']}")
    gone = play.actor(SOLDIER)
    play.world.remove(gone)
    watched.until(
        lambda: any(each.synced and "not there any more" in str(each.synced.plan.left_out) for each in watched.news)
    )
    assert play.value(SOLDIER) == 0


def test_a_refused_document_is_left_alone_until_something_happens_to_it(watched: Watched) -> None:
    play = watched.play
    found: Any = play.world.find(play.actor(CO))
    found.document["system"]["hits"] = {"value": 0, "max": 2}
    play.world.system = play.world.system._replace(
        drops=True, template={"Actor": {"creature": {"hits": {"value": "text"}}, "character": {}}}
    )
    play.fought(CO, 1)
    watched.until(lambda: any(each.synced and each.synced.failed for each in watched.news))
    play.asked()
    before = watched.counts("synced")
    play.fought(CO, 2)
    watched.until(lambda: watched.counts("synced") > before)
    assert "PUT" not in [method for method, _ in play.asked()]


def test_a_key_without_the_scope_ends_it(play: Play, monkeypatch: pytest.MonkeyPatch) -> None:
    play.ready()
    monkeypatch.setenv("RALLYPOINT_FOUNDRY_KEY", play.fake.add_key("entity:read", "entity:write"))
    done = play.say("watch", "--json")
    assert (done.status, done.document["code"]) == (3, "scope_missing")


def test_ctrl_c_ends_it_tidily(play: Play, monkeypatch: pytest.MonkeyPatch) -> None:
    play.ready()

    def run(self: Watch) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Watch, "run", run)
    done = play.say("watch")
    assert (done.status, done.out) == (0, "Stopped: 0 written, 0 taken, 0 in conflict.\n")


def test_what_happens_is_told_in_lines_and_as_json(play: Play, monkeypatch: pytest.MonkeyPatch) -> None:
    play.ready()

    def run(self: Watch) -> None:
        for value in (1, 2):
            play.edit(CO, value)
            play.fought(SOLDIER, value)
            self.hub.battle.refresh()
            self.tell(News("synced", self.hub.sync()))
        self.tell(News("away", error=RuntimeError("gone")))

    monkeypatch.setattr(Watch, "run", run)
    done = play.say("watch")
    assert done.out.count("from foundry: CO 0A-1") == 2
    assert done.out.count("to foundry: Soldier 0A-2") == 2
    assert done.err.count("away: gone") == 1
    play.world.remove(play.actor(NCO))
    for asked in ("watch",), ("watch", "--json"):
        told = play.say(*asked).out
        assert told.count("it is not there any more") >= 1
    assert play.say("watch").out.count("left out: ") == 1
    assert Path(play.battle).exists()


def test_another_process_that_holds_on_is_told_once(play: Play, monkeypatch: pytest.MonkeyPatch) -> None:
    play.ready()

    def run(self: Watch) -> None:
        self.tell(News("busy", error=RuntimeError("a passing one")))
        self.tell(News("synced", self.hub.sync()))
        for _ in range(10):
            self.tell(News("busy", error=RuntimeError("process 7")))
            self.clock.sleep(1.0)

    monkeypatch.setattr(Watch, "run", run)
    done = play.say("watch")
    assert (done.err.count("process 7"), done.err.count("a passing one")) == (1, 0)
    told = play.say("watch", "--json").out
    assert (told.count("process 7"), told.count('"code": "busy"')) == (1, 1)
