"""How soon a click in the popover is in the battle's log: real Chromium, the real SDK, a stand-in room, HTTP on the loopback.

It needs what the tests of the extension need: Chromium, Node, and ``make extension``.

    python -m bench.owlbear_latency
"""

from __future__ import annotations

import os
import statistics
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.owlbear_browser.browser import Browser
from tests.owlbear_browser.popover_fight import Fight
from tests.owlbear_browser.program import Program
from tests.owlbear_browser.requirements import BUNDLE, chromium_path

from rallypoint_sync.watching import News

from .timing import Row

CLICKS = 40
_CLICK = """(label) => {
    document.querySelector(`[aria-label="${label}"]`).click();
    return Date.now();
}"""


def rows() -> Iterator[Row]:
    path = chromium_path()
    if path is None:
        yield Row("Owlbear: a click in the popover", "no Chromium here", "", None)
        return
    browser = Browser(path)
    try:
        yield from _clicks(browser)
    finally:
        browser.close()


def _clicks(browser: Browser) -> Iterator[Row]:
    """Click one after the other, each when the one before is confirmed; Stress up to 20 and down again."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        os.environ["XDG_STATE_HOME"] = str(folder / "state")
        program, room = Program(BUNDLE, (browser.origin,)), browser.open()
        try:
            fight = Fight(folder, room, program)
            fight.place()
            fight.say("bind")
            (alone, shown), (soon, _) = _timed(fight)
        finally:
            room.close()
            program.stop()
    yield _row("a click in the popover into the log", alone, 100)
    yield _row("the same click, shown as confirmed", shown, 200)
    yield _row("a click as soon as the last is confirmed", soon, None)


def _timed(fight: Fight) -> list[tuple[list[float], list[float]]]:
    """Return milliseconds until the log and until the popover: with a second between the clicks, and with none."""
    granted: list[float] = []
    news = threading.Condition()

    def heard(told: News) -> None:
        if told.wish is not None:
            with news:
                granted.append(1000 * time.time())
                news.notify_all()

    def series(pause: float) -> tuple[list[float], list[float]]:
        log, shown = [], []
        for number in range(CLICKS):
            had = len(granted)
            label = f"{'More' if number // 20 % 2 == 0 else 'Less'} Stress for Small R"
            before = float(fight.popover.run(_CLICK, label))
            with news:
                assert news.wait_for(lambda had=had: len(granted) > had, 10)  # type: ignore[misc]
            log.append(granted[-1] - before)
            confirmed = "() => !document.querySelector('.head .pending').checkVisibility() && Date.now()"
            shown.append(float(fight.popover.until(confirmed)) - before)
            time.sleep(pause)
        return log[1:], shown[1:]

    with fight.watched(heard):
        return [series(pause) for pause in (1.0, 0.0)]


def _row(what: str, found: list[float], most: float | None) -> Row:
    median, worst = statistics.median(found), max(found)
    figure = f"{median:.0f} ms, at most {worst:.0f} of {len(found)}"
    goal = "" if most is None else f"median under {most:.0f} ms"
    return Row(f"Owlbear: {what}", figure, goal, None if most is None else median < most)


if __name__ == "__main__":
    for row in rows():
        print(row.line(), flush=True)
