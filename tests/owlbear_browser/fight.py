"""A battle before the room in the browser: the hub, and a watch that people keep busy. The tests and the bench fight it."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from pathlib import Path

from rallypoint.kernel.battle import Battle
from rallypoint_owlbear.link.transport import OwlbearTransport
from rallypoint_sync.clock import SystemClock
from rallypoint_sync.fields import Field
from rallypoint_sync.hub import Hub
from rallypoint_sync.ledger import Ledger
from rallypoint_sync.watching import News, Watch

from ..contract.battles import UNITS, fought, is_out, skirmish
from .tokens import shown
from .world import BrowserWorld

__all__ = ["Fight", "Watching"]


class Fight:
    """A battle that is bound to the tokens of the room."""

    def __init__(self, world: BrowserWorld, folder: Path) -> None:
        self.world, self.room = world, world.room
        self.battle: Battle[None] = skirmish(folder / "fight.battle")
        self.ledger = Ledger(folder / "sync", self.battle.history.entries[0].hash)
        self.ledger.bind("owlbear", {}, world.bindings())
        self.hub = self.hub_of(world.transport)

    def hub_of(self, way: OwlbearTransport) -> Hub:
        """A hub of this battle over a way to the room."""
        return Hub(self.battle, self.ledger, [way], holder="test", is_out=is_out)

    def shown(self) -> list[object]:
        """The Wounds that the four tokens show."""
        items = self.room.items()
        return [shown(items[each]) for each in UNITS]


class Watching:
    """A watch, while people do something in a thread of their own; it ends when they are done."""

    def __init__(self, fight: Fight) -> None:
        table = fight.world.table
        way = OwlbearTransport(table.program.desk, table.scene, fight.world.bindings(), patient=True)
        self.fight = fight
        self.news: queue.Queue[News] = queue.Queue()
        self.watch = Watch(fight.hub_of(way), way, self.news.put, SystemClock())
        self._pending: queue.Queue[tuple[Field, int]] = queue.Queue()
        self._refresh = fight.battle.refresh
        fight.battle.refresh = self._refreshed  # type: ignore[method-assign, assignment]

    def fight_on(self, field: Field, value: int) -> None:
        """Another process writes to the battle: the watch finds it at its next look."""
        self._pending.put((field, value))

    def _refreshed(self) -> tuple[object, ...]:
        moved: list[object] = [*self._refresh()]
        while not self._pending.empty():
            fought(self.fight.battle, *self._pending.get())
            moved.append(None)
        return tuple(moved)

    def until(self, what: Callable[[], bool]) -> None:
        """Wait for news until something holds."""
        while not what():
            self.news.get(timeout=20)

    def run(self, people: Callable[[Watching], None]) -> None:
        """Watch until people are done."""
        failed: list[BaseException] = []

        def act() -> None:
            try:
                people(self)
            except BaseException as error:
                failed.append(error)
            self.watch.stop()

        thread = threading.Thread(target=act, daemon=True)
        thread.start()
        self.watch.run()
        thread.join(20)
        if failed:
            raise failed[0]
