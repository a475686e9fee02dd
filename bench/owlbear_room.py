"""How soon a change is on a token in the room, and how soon one there is in the battle: ``python -m bench.owlbear_room``.

Real Chromium, the real SDK, the page as it was built; the room is a stand-in, and all is on the loopback. The half second that the
page keeps between two calls is not counted: each change waits until it is over. It needs Chromium, Node and ``make extension``.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.contract.battles import UNITS, edits, fought, wounds
from tests.owlbear_browser.browser import Browser, Room
from tests.owlbear_browser.fight import Fight, Watching
from tests.owlbear_browser.program import Program
from tests.owlbear_browser.requirements import BUNDLE, chromium_path
from tests.owlbear_browser.world import BrowserWorld

from .timing import Row

CHANGES = 40
BETWEEN = 0.6
"""Seconds from one change to the next."""


def rows() -> Iterator[Row]:
    """Measure each way, in a room of its own."""
    path = chromium_path()
    if path is None:
        sys.exit("no Chromium here")
    browser = Browser(path)
    try:
        for what, measure in (
            ("a sync, until the token shows it", _synced),
            ("a change of the battle under watch, until the token shows it", _watched),
            ("a number typed in the room under watch, until it is in the log", _typed),
        ):
            with TemporaryDirectory() as folder:
                yield _row(what, _in_a_room(browser, Path(folder), measure))
    finally:
        browser.close()


def _in_a_room(browser: Browser, folder: Path, measure: object) -> list[float]:
    program, room = Program(BUNDLE, (browser.origin,)), browser.open()
    try:
        fight = Fight(BrowserWorld(room, program), folder)
        fight.hub.sync()
        assert callable(measure)
        return list(measure(fight, room))
    finally:
        room.close()
        program.stop()


def _changes() -> Iterator[tuple[str, int]]:
    """Units in turn, each with a value that it has not."""
    for number in range(CHANGES):
        time.sleep(BETWEEN)
        yield UNITS[number % 4], 1 + number // 4 % 2


def _shown_at(room: Room) -> float:
    """When the room took the last call, in milliseconds."""
    return float(room.calls()[-1]["ms"])


def _synced(fight: Fight, room: Room) -> Iterator[float]:
    for unit, value in _changes():
        fought(fight.battle, wounds(unit), value)
        begun = 1000 * time.time()
        assert len(fight.hub.sync().done) == 1
        yield _shown_at(room) - begun


def _watched(fight: Fight, room: Room) -> list[float]:
    found: list[float] = []

    def people(watching: Watching) -> None:
        watching.until(lambda: watching.watch.syncs > 0)
        for unit, value in _changes():
            calls = len(room.calls())
            begun = 1000 * time.time()
            watching.fight_on(wounds(unit), value)
            room.until("(calls) => room.faults.calls.length > calls", calls)
            found.append(_shown_at(room) - begun)

    Watching(fight).run(people)
    return found


def _typed(fight: Fight, room: Room) -> list[float]:
    found: list[float] = []

    def people(watching: Watching) -> None:
        watching.until(lambda: watching.watch.syncs > 0)
        for unit, value in _changes():
            known = len(edits(fight.battle))
            begun = 1000 * time.time()
            room.call("type", unit, f"rallypoint-wounds-{unit}", value)
            while len(edits(fight.battle)) == known:
                time.sleep(0.001)
            found.append(1000 * time.time() - begun)

    Watching(fight).run(people)
    return found


def _row(what: str, found: list[float]) -> Row:
    median, worst = statistics.median(found), max(found)
    goal = "median under 100 ms" if "token" in what else "120 ms of it are the page's debounce"
    figure = f"{median:.0f} ms, at most {worst:.0f} of {len(found)}"
    return Row(f"Owlbear: {what}", figure, goal, median < 100 if "token" in what else None)


if __name__ == "__main__":
    for row in rows():
        print(row.line(), flush=True)
