"""The popover before a background page that says what a test says, and keeps what it is asked."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from .browser import Browser, Frame, Room
from .program import Program

__all__ = ["ENEMY", "MARINE", "NCO", "PLATOON", "Row", "Stage", "numbered", "staged", "unit"]

Row = dict[str, Any]

_SILENT = "<!doctype html><html lang='en'><head><meta charset='utf-8'><title>silent</title></head><body></body></html>"
_SPEAKS = """(page) => {
    const channel = new BroadcastChannel("io.github.rallypoint");
    Object.assign(window, { standing: null, wishes: [], asked: 0 });
    window.tell = () => channel.postMessage({ to: "popover", page, standing: window.standing });
    channel.onmessage = ({ data }) => {
        if (data.to !== "background" || data.page !== page) return;
        if (data.wish.do !== "say how it stands") return window.wishes.push({ ...data.wish, at: Date.now() });
        window.asked += 1;
        if (window.standing) window.tell();
    };
}"""


def unit(uid: str, code: str, side: str = "red", *, item: str | None = None, **numbers: Any) -> Row:
    """A row of the roster."""
    return {"uid": uid, "code": code, "side": side, "item": item, **numbers}


PLATOON = unit("red.small", "Small R", stress=2)
NCO = unit("red.small-1A-1", "NCO 1A-1 R-1A", item="t1", wounds=1, maxWounds=3)
MARINE = unit("red.small-1A-2", "Soldier 1A-2 R-1A", wounds=0, maxWounds=2)
ENEMY = unit("blue.small-1A-1", "Horror 1A-1 B-1A", side="blue", item="t9", band="hurt")


def numbered(number: int) -> list[Row]:
    """So many soldiers in one platoon."""
    soldiers = [
        unit(f"u{each}", f"Soldier {each:03}", item=f"t{each}", wounds=0, maxWounds=2) for each in range(number)
    ]
    return [PLATOON, *soldiers]


class Stage:
    """A tab with the popover, and the page of ours behind it."""

    def __init__(self, room: Room, program: Program) -> None:
        self.room = room
        self.tab = room.enter(program)
        self.background = self.tab.background
        self.background.until("() => document.title === 'silent'")
        self.background.run(_SPEAKS, self.tab.client)
        self.said: dict[str, Any] = {"link": "linked", "writer": True, "scene": "s1", "againMs": 0, "error": None}
        self.said["linking"] = None
        self.status: dict[str, Any] = {"battle": "first.battle", "linked": 2, "of": 4, "error": None}
        self.status |= {"refused": [], "watched": True}
        self.status |= {"conflicts": [], "encounters": [], "roster": [PLATOON, NCO, MARINE, ENEMY]}

    @property
    def at_port(self) -> str:
        """What a command is given besides, to find the program of this test."""
        return f" --port {self.background.run('() => location.port')}"

    @property
    def popover(self) -> Frame:
        """The popover."""
        return self.tab.popover

    def open(self, **status: Any) -> Frame:
        """Open the popover, and tell it how it stands."""
        self.tell(**status)
        self.tab.open_popover()
        self.popover.until("() => document.querySelector('.state') && !/Starting/.test(document.body.innerText)")
        return self.popover

    def tell(self, *, link: str | None = None, told: Mapping[str, Any] | None = None, **status: Any) -> None:
        """Tell it keys of the status anew; ``told`` are keys beside it."""
        self.said |= {"link": link or self.said["link"], **(told or {})}
        self.status |= status
        self.background.run(
            "(standing) => { window.standing = standing; window.tell(); }", {**self.said, "status": self.status}
        )

    def rows(self, *rows: Row, **status: Any) -> None:
        """Tell it other values of rows that it knows."""
        new = {each["uid"]: each for each in rows}
        self.tell(roster=[new.get(each["uid"], each) for each in self.status["roster"]], **status)

    def wishes(self, number: int) -> list[dict[str, Any]]:
        """Wait until it has asked so many things, and return all that it has asked."""
        found = self.background.until("(number) => window.wishes.length >= number && window.wishes", number)
        return [
            each["message"] if each["do"] == "say" else {key: each[key] for key in each if key != "at"}
            for each in found
        ]

    def seen(self, words: str, selector: str = "main") -> str:
        """Wait until it shows these words, and return all that it shows there."""
        source = """([selector, words]) => [...document.querySelectorAll(selector)]
            .map((each) => each.innerText).find((text) => text.includes(words))"""
        return str(self.popover.until(source, [selector, words]))

    def shown(self, code: str) -> list[str]:
        """Return what is shown of a unit: its words, without those of its buttons."""
        source = r"""(code) => {
            const row = [...document.querySelectorAll('.unit, .head')].find((each) => each.innerText.includes(code));
            const texts = row.querySelectorAll('.name, h3, .band, .field, .shown, .where');
            return [...texts].filter((each) => each.checkVisibility()).map((each) => each.innerText.replace(/\s+/g, " ").trim());
        }"""
        return list(self.popover.run(source, code))

    def resize(self, width: int, height: int) -> None:
        """Give the popover another size, as a small window does."""
        source = """([width, height]) => {
            Object.assign(document.querySelector('iframe[data-kind=popover]'), { width, height });
        }"""
        self.room.run(source, [width, height])
        self.popover.until("([width, height]) => innerWidth === width && innerHeight === height", [width, height])

    def cut_off(self) -> list[str]:
        """What of the popover cannot be read: wider than it, cut off by what is around it, or not reached by scrolling."""
        return list(self.popover.run(_CUT_OFF))


_CUT_OFF = """() => {
    const { clientWidth, clientHeight } = document.documentElement;
    const hides = [document.documentElement, document.body].filter((it) => getComputedStyle(it).overflowY === "hidden");
    const all = [...document.body.querySelectorAll("*")].filter((it) => it.checkVisibility() && !it.matches(".for-ears"));
    const texts = all.filter((it) => it.matches("button, input") || [...it.childNodes].some((each) => each.nodeType === 3 && each.data.trim()));
    const clips = (it) => getComputedStyle(it).overflow !== "visible" || it.matches("button");
    const bad = all.filter((it) => it.getBoundingClientRect().right > clientWidth + 0.5 || it.getBoundingClientRect().left < 0
        || (clips(it) && (it.scrollWidth > it.clientWidth + 1 || it.scrollHeight > it.clientHeight + 1)));
    const before = scrollY;
    const unreached = texts.filter((it) => {
        it.scrollIntoView({ block: "nearest" });
        const { top, bottom } = it.getBoundingClientRect();
        return top < -0.5 || bottom > clientHeight + 0.5;
    });
    scrollTo(0, before);
    return [...hides, ...bad, ...unreached].map((it) => it.outerHTML.slice(0, 80));
}"""


@contextmanager
def staged(browser: Browser, folder: Path, bundle: Path, scripts: Sequence[str] = ()) -> Iterator[Stage]:
    """A stage in a room of its own, whose pages log no error.

    Args:
        browser: the browser.
        folder: where a build without the background page may be put.
        bundle: the build.
        scripts: what runs in each frame before all else.
    """
    shutil.copytree(bundle, folder / "silent")
    (folder / "silent" / "background.html").write_text(_SILENT, encoding="utf-8")
    program = Program(folder / "silent", (browser.origin,))
    room = browser.open(*scripts)
    try:
        room.open_scene("deck", items=[{"id": "t1"}, {"id": "t2", "position": {"x": 300, "y": 400}}, {"id": "t9"}])
        yield Stage(room, program)
        assert room.errors() == []
    finally:
        room.close()
        program.stop()
