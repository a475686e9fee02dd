"""A battle of two sides that is watched, before a room in the browser: from a click in the popover into the log."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from rallypoint.kernel.changes import SetTracker
from rallypoint.kernel.history import Entry
from rallypoint.kernel.plugins.opening import open_battle
from rallypoint_owlbear.link.desk import Place, keep_desk
from rallypoint_owlbear.link.encounters import Encounters
from rallypoint_owlbear.link.popover import Popover
from rallypoint_owlbear.link.seat import RoomSeat
from rallypoint_owlbear.stands import RECORD_KEY
from rallypoint_sync.ledger import Ledger, ledger_path
from rallypoint_sync.watching import News, Watch

from ..cli.battles import ROSTER, SCENARIO, said, say
from .browser import Frame, Room
from .program import Program

__all__ = ["OURS", "Fight", "fought"]

OURS = "red.small-0A-2-1"
"""A soldier of ours: at most 2 Wounds."""


class Fight:
    """The battle, the room with its tokens, and a tab of the GM with the popover open."""

    def __init__(self, folder: Path, room: Room, program: Program) -> None:
        (folder / "small.md").write_text(ROSTER, encoding="utf-8")
        (folder / "fight.toml").write_text(SCENARIO, encoding="utf-8")
        self.battle = folder / "first.battle"
        said("battle", "new", str(folder / "fight.toml"), "-o", str(self.battle), "--seed", "7")
        said("export", "owlbear", str(folder / "fight.toml"), "-o", str(folder / "export"), "--tokens", "unit")
        self.room, self.program = room, program
        self.port = program.doors.port
        keep_desk(Place(self.port, program.doors.desk_key))
        Encounters(program.link, [folder / "export" / "encounter.owlbear.json"])
        room.open_scene("deck")
        self.tab = room.enter(program)
        self.tab.pair(program)
        self.tab.until_it_stands(writer=True)
        self.popover: Frame = self.tab.open_popover()

    def place(self) -> None:
        """Click on the encounter, and wait until its tokens are there."""
        self.popover.until("() => document.querySelector('.encounters li')?.checkVisibility()")
        self.popover.click("text=Place encounter")
        self.popover.click(".sure button")
        # They come in portions; that of the last soldier of the second side is among the last.
        last = "([key, uid]) => room.items().some(({ metadata }) => metadata[key]?.uid === uid)"
        self.room.until(last, [RECORD_KEY, "blue.small-1B-2-1"])

    def say(self, command: str, *arguments: str) -> None:
        """Run a command for the battle."""
        done = say("owlbear", command, str(self.battle), *arguments, "--port", str(self.port))
        assert done.status == 0, done

    def edits(self) -> list[tuple[str, Entry]]:
        """Who has edited the battle, and what was written of it."""
        with open_battle(self.battle).battle as battle:
            return [(str(each.body["who"]), each) for each in battle.history.entries if each.kind == "edit"]

    def wounds(self, uid: str) -> int:
        """The Wounds that somebody has in the battle."""
        with open_battle(self.battle).battle as battle:
            return battle.state[uid].value("Wounds")

    def fight(self, uid: str, value: int) -> None:
        """The rules give somebody Wounds."""
        with open_battle(self.battle).battle as battle:
            battle.edit("the rules", SetTracker(uid, "Wounds", value))

    @contextmanager
    def watched(self, heard: Callable[[News], None] = lambda _news: None) -> Iterator[None]:
        """Watch it meanwhile, as ``rallypoint owlbear watch`` does."""
        watches: queue.Queue[Watch] = queue.Queue()
        told = threading.Event()

        def hear(news: News) -> None:
            heard(news)
            told.set()

        thread = threading.Thread(target=self._watch, args=(hear, watches), daemon=True)
        thread.start()
        watch = watches.get(timeout=20)
        try:
            assert told.wait(20)  # from now on it attends
            self.popover.until("() => document.querySelectorAll('.unit').length === 12")
            yield
        finally:
            watch.stop()
            thread.join(20)

    def _watch(self, heard: Callable[[News], None], watches: queue.Queue[Watch]) -> None:
        opened = open_battle(self.battle)
        with opened.battle, Ledger(ledger_path(self.battle), opened.battle.history.entries[0].hash) as ledger:
            seat = RoomSeat(opened, ledger, self.program.desk)
            transport = seat.transport(patient=True, unbound=True)
            tell = Popover(seat)

            def told(news: News) -> None:
                heard(news)
                tell(news)

            watch = Watch(seat.hub(transport, patience=0.0), transport, told, seat.clock)
            watches.put(watch)
            watch.run()


@contextmanager
def fought(folder: Path, room: Room, program: Program) -> Iterator[Fight]:
    """A fight with its tokens placed, bound and in step, watched."""
    fight = Fight(folder, room, program)
    fight.place()
    fight.say("bind")
    with fight.watched():
        yield fight
