"""The live way to Foundry: sixty changed actors against bare httpx calls, and how soon a watch carries a change, on the loopback."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import httpx

from rallypoint.kernel.answers import PERSON, Answers
from rallypoint.kernel.battle import Battle
from rallypoint.kernel.canonical import EMPTY, Value
from rallypoint.kernel.changes import SetTracker
from rallypoint.kernel.game import Acts, Due, Intent, Rule
from rallypoint.kernel.state import Entity, State, Tracker
from rallypoint.kernel.tape import Choice
from rallypoint_foundry.fake.documents import at
from rallypoint_foundry.fake.relay import Relay as FakeRelay
from rallypoint_foundry.fake.serving import served
from rallypoint_foundry.fake.systems import load_system
from rallypoint_foundry.fake.table import Table
from rallypoint_foundry.live.events import Listener
from rallypoint_foundry.live.relay import Relay
from rallypoint_foundry.live.transport import VTT, FoundryTransport
from rallypoint_foundry.live.wire import HttpxWire, Secret
from rallypoint_sync.bindings import Binding, Carrier
from rallypoint_sync.clock import Clock, SystemClock
from rallypoint_sync.fields import Field
from rallypoint_sync.hub import Hub
from rallypoint_sync.ledger import Ledger
from rallypoint_sync.lenses import Exact
from rallypoint_sync.watching import News, Watch

from .timing import Row

UNITS = 60
HITS = "system.hits.value"


class Nothing:
    """A game without rules."""

    name, version, hooks = "nothing", "1", None
    options: Mapping[str, Value] = EMPTY
    rules: Mapping[str, Rule] = EMPTY  # type: ignore[assignment]

    def seats(self, state: State) -> tuple[str, ...]:
        return ("red",)

    def clock(self, state: State) -> int:
        return 1

    def next(self, state: State) -> Due:
        return Acts(("red",))

    def legal(self, state: State, seat: str) -> tuple[Intent, ...]:
        return ()

    def view(self, state: State, seat: str) -> State:
        return state

    def reactions(self, state: State, window: str, subject: str) -> tuple[Choice, ...]:
        return ()


class Ground:
    """A battle of sixty units, a world with an actor for each, and a relay on a socket."""

    def __init__(self, units: int = UNITS, clock: Clock | None = None) -> None:
        self.uids = [f"u{number:02}" for number in range(units)]
        entities = [Entity.new(uid, "unit", trackers={"Wounds": Tracker(0, 0, 99)}) for uid in self.uids]
        self.battle: Battle[None] = Battle.start(Nothing(), State.of(entities), Answers(PERSON))
        self.world = Table(load_system("worldbuilding"))
        self.bindings = []
        for uid in self.uids:
            actor = {
                "_id": uid.ljust(16, "0"),
                "name": uid,
                "type": "base",
                "system": {"hits": {"value": 0, "max": 99}},
            }
            self.world.create("Actor", actor, keep_id=True)
            self.bindings.append(Binding((Field(uid, "Wounds"),), Carrier(self.document(uid), HITS), Exact()))
        self.fake = FakeRelay(self.world, clock=clock or SystemClock())
        self.key = self.fake.add_key()

    def document(self, uid: str) -> str:
        return f"Actor.{uid.ljust(16, '0')}"

    def shown(self, uid: str) -> object:
        found = self.world.find(self.document(uid))
        return None if found is None else at(found.document, HITS)

    def fought(self, uid: str, value: int) -> None:
        self.battle.edit("the rules", SetTracker(uid, "Wounds", value))

    @contextmanager
    def hub(self, base: str) -> Iterator[tuple[Hub, FoundryTransport]]:
        """Give a hub over the socket, with a ledger in a file."""
        relay = Relay(HttpxWire(base), Secret(self.key), self.world.client)
        relay.budget.a_minute = 10**6  # how fast it is is asked here, not how patient
        with (
            tempfile.TemporaryDirectory() as folder,
            Ledger(Path(folder) / "sync", self.battle.history.entries[0].hash) as ledger,
        ):
            ledger.bind(VTT, EMPTY, self.bindings)
            transport = FoundryTransport(relay, self.bindings, Listener(lambda: HttpxWire(base)))
            yield Hub(self.battle, ledger, [transport], holder="bench"), transport


def rows() -> Iterator[Row]:
    yield _sixty()
    yield from _latency()


def _sixty() -> Row:
    """Measure the best of interleaved rounds; the relay is a process of its own, as it is at a table.

    The time of our thread alone is told besides: on a busy machine it is the steadier of the two.
    """
    ground = Ground()
    bare, ours, bare_alone, ours_alone = [], [], [], []
    command = [sys.executable, "-m", "bench.foundry_server"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        told = json.loads(server.stdout.readline())
        base, ground.key = told["base"], told["key"]
        with (
            ground.hub(base) as (hub, transport),
            httpx.Client(base_url=base, headers={"x-api-key": told["key"]}) as client,
        ):
            listening = threading.Event()

            def listen() -> None:
                for _ in transport.changes():
                    listening.set()

            threading.Thread(target=listen, daemon=True).start()
            listening.wait(10)
            hub.sync()
            for number in range(1, 26):
                for uid in ground.uids:
                    ground.fought(uid, number)
                begun, alone = time.perf_counter(), time.thread_time()
                assert len(hub.sync().done) == UNITS
                ours.append(time.perf_counter() - begun)
                ours_alone.append(time.thread_time() - alone)
                begun, alone = time.perf_counter(), time.thread_time()
                for uuid in told["others"]:
                    query = {"clientId": ground.world.client, "uuid": uuid}
                    client.put("/update", params=query, json={"data": {HITS: number}}).raise_for_status()
                bare.append(time.perf_counter() - begun)
                bare_alone.append(time.thread_time() - alone)
            transport.stop()
        server.stdin.close()
    ratio = min(ours) / min(bare)
    alone = min(ours_alone) / min(bare_alone)
    figure = f"{1000 * min(ours):.0f} ms, {ratio:.2f} of {1000 * min(bare):.0f} ms; processor time {alone:.2f}"
    return Row("Foundry live: 60 changed actors, against 60 bare calls", figure, "at most 1.3", ratio <= 1.3)


def _latency() -> Iterator[Row]:
    ground = Ground(12)
    there: list[float] = []
    back: list[float] = []
    with served(ground.fake) as base, ground.hub(base) as (hub, transport):
        synced = threading.Semaphore(0)

        def tell(news: News) -> None:
            if news.synced is not None and (news.synced.done or news.synced.plan.edits or not hub.ledger.base(VTT)):
                synced.release()
            elif news.what == "synced":
                synced.release() if not begun.is_set() else None

        begun = threading.Event()
        watch = Watch(hub, transport, tell, SystemClock())
        edits = iter([(uid, value) for value in range(1, 9) for uid in ground.uids])

        def people() -> None:
            synced.acquire(timeout=10)
            begun.set()
            for number, (uid, value) in enumerate(edits):
                start = time.perf_counter()
                if number % 2:
                    ground.world.edit(ground.document(uid), {HITS: value})
                else:
                    pending.append((uid, value))
                synced.acquire(timeout=10)
                (back if number % 2 else there).append(time.perf_counter() - start)
            watch.stop()

        pending: list[tuple[str, int]] = []
        refresh = ground.battle.refresh

        def refreshed() -> tuple[object, ...]:
            """Stand in for another process that writes to the battle: this one finds it at its next look."""
            given = [*pending]
            pending.clear()
            for uid, value in given:
                ground.fought(uid, value)
            return (*refresh(), *given)

        ground.battle.refresh = refreshed  # type: ignore[method-assign, assignment]
        thread = threading.Thread(target=people, daemon=True)
        thread.start()
        watch.run()
        thread.join(10)
    for words, found in (("battle to world", there), ("world to battle", back)):
        median = 1000 * statistics.median(found)
        yield Row(
            f"Foundry live: watch, {words}, median of {len(found)}", f"{median:.0f} ms", "below 200 ms", median < 200
        )
