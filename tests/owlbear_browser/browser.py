"""Headless Chromium, and in it rooms of Owlbear Rodeo with our extension as it was built. How a test, also of the popover, uses it:

    def test_the_roster_is_shown(room: Room, program: Program) -> None:
        room.open_scene("deck", items=[...])                # a scene; items may be short
        warden = room.enter(program)                        # a tab of a GM, the extension in it
        warden.pair(program)                                # as the GM would, and waits until it is linked
        popover = warden.open_popover()                     # a Frame: the action's popover, with the real SDK
        popover.until("() => document.querySelectorAll('li').length === 4")
        popover.fill("#code", "482 913"), popover.click("text=Pair"), popover.text("h1")
        popover.run("(word) => document.title + word", "!") # any function, an argument, JSON back
        room.screenshot(tmp_path / "popover.png")           # the whole page; frames stand one below the other
        room.call("type", "t1", "rallypoint-stress", 3)     # any method of room/room.js
        program.link.say(battle="first.battle", roster=[])  # what `watch` tells all pages

The fixtures are in ``conftest.py``: ``room`` (a page of its own for each test), ``program`` (the real server on a real port).
At its end a test fails if a page logged an error, or asked the room for something that ``room/answers.js`` does not know.
"""

from __future__ import annotations

import itertools
import json
import subprocess
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .program import Program

__all__ = ["Browser", "BrowserError", "Frame", "Room", "Tab"]

HERE = Path(__file__).parent
PATIENCE = 20.0
"""Seconds until a test gives up on something that does not happen."""


class BrowserError(AssertionError):
    """Something in the browser did not happen."""


class Browser:
    """One Chromium for all tests of a run.

    Args:
        chromium: the program.
        node: Node's.
        public: let the room stand at a public address, as Owlbear's does, and not on this machine.
    """

    def __init__(self, chromium: str, node: str = "node", *, public: bool = False) -> None:
        command = [node, "driver.mjs", chromium, *(["public"] if public else [])]
        self._process = subprocess.Popen(
            command, cwd=HERE, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._to: IO[str] = self._process.stdin
        self._from: IO[str] = self._process.stdout
        self._numbers = itertools.count(1)
        self._answers: dict[int, dict[str, Any]] = {}
        self._news = threading.Condition()
        self._sending = threading.Lock()
        self.origin: str = json.loads(self._line())["origin"]
        """Where the room is: what stands for https://www.owlbear.rodeo."""
        threading.Thread(target=self._read, daemon=True).start()

    def _line(self) -> str:
        line = self._from.readline()
        if not line:
            raise BrowserError("the browser did not start")
        return line

    def _read(self) -> None:
        for line in self._from:
            answer = json.loads(line)
            with self._news:
                self._answers[answer["id"]] = answer
                self._news.notify_all()

    def do(self, what: str, **keys: Any) -> Any:
        """Let the driver do something, and return what comes of it."""
        number = next(self._numbers)
        with self._sending:
            self._to.write(json.dumps({"id": number, "do": what, **keys}) + "\n")
            self._to.flush()
        with self._news:
            if not self._news.wait_for(lambda: number in self._answers, PATIENCE + 20):
                raise BrowserError(f"the browser did not {what}")
            answer = self._answers.pop(number)
        if "error" in answer:
            raise BrowserError(answer["error"])
        return answer["ok"]

    def open(self, *scripts: str) -> Room:
        """Open a page with an empty room; scripts run in each of its frames before all others."""
        return Room(self, self.do("open", scripts=list(scripts)))

    def close(self) -> None:
        """End it."""
        self._to.close()
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait(20)
        self._from.close()


class Frame:
    """A frame of a page."""

    def __init__(self, browser: Browser, page: int, client: str | None = None, kind: str | None = None) -> None:
        self.browser, self.page = browser, page
        self._where = {"page": page, "client": client, "kind": kind}

    def _do(self, what: str, **keys: Any) -> Any:
        return self.browser.do(what, **self._where, **keys)

    def run(self, source: str, arg: Any = None) -> Any:
        """Run a function of JavaScript in it and return what it returns."""
        return self._do("run", source=source, arg=arg)

    def until(self, source: str, arg: Any = None, seconds: float = PATIENCE) -> Any:
        """Wait until a function of JavaScript returns something that is true, and return that."""
        return self._do("until", source=source, arg=arg, timeout_ms=int(seconds * 1000))

    def click(self, selector: str) -> None:
        """Click on something."""
        self._do("click", selector=selector)

    def fill(self, selector: str, text: str) -> None:
        """Type into a field."""
        self._do("fill", selector=selector, text=text)

    def press(self, selector: str, key: str) -> None:
        """Press a key in something."""
        self._do("press", selector=selector, text=key)

    def text(self, selector: str = "body") -> str:
        """Return the words that are shown."""
        return str(self._do("text", selector=selector))


class Room(Frame):
    """A room in a page of its own."""

    def __init__(self, browser: Browser, page: int) -> None:
        super().__init__(browser, page)
        self._tabs = itertools.count(1)
        self.expected_errors: list[str] = []
        """Pieces of what pages may log as an error here, because a test makes it so."""

    def call(self, name: str, *args: Any) -> Any:
        """Call a method of ``room/room.js``."""
        return self.run("([name, args]) => room[name](...args)", [name, list(args)])

    def open_scene(self, name: str = "deck", **given: Any) -> None:
        """Open a scene; with ``items``, ``grid`` or ``metadata`` it is a new one."""
        self.call("openScene", name, *([given] if given else []))

    def faults(self, **keys: Any) -> None:
        """Let things go wrong: see ``room/faults.js``."""
        self.run("(keys) => void Object.assign(room.faults, keys)", keys)

    def enter(self, program: Program | str, role: str = "GM", name: str = "Warden", ref: str | None = None) -> Tab:
        """Open the room in a tab of somebody, and in it our extension."""
        base = program if isinstance(program, str) else program.base
        tab = Tab(self, f"tab-{next(self._tabs)}")
        player = "warden" if role == "GM" else "player"
        who = {"id": tab.client, "role": role, "player": player, "name": name}
        self.call("enter", f"{base}/manifest.json", who, *([ref] if ref is not None else []))
        return tab

    def items(self) -> dict[str, dict[str, Any]]:
        """Return the items of the scene by id."""
        return {each["id"]: each for each in self.call("items")}

    def seen(self) -> dict[str, Any]:
        """Return what the room has noted."""
        return dict(self.call("seen"))

    def calls(self) -> list[dict[str, Any]]:
        """Return the calls that wrote items, or tried."""
        return list(self.seen()["calls"])

    def screenshot(self, path: Path) -> Path:
        """Take a picture of the whole page."""
        self.browser.do("screenshot", page=self.page, path=str(path))
        return path

    def choose(self, permission: str, setting: str) -> None:
        """Choose in the settings of the site: ``granted`` or ``denied``."""
        self.browser.do("choose", page=self.page, permission=permission, setting=setting)

    def errors(self) -> list[str]:
        """Return what pages logged as errors, and what the room was asked for and does not know."""
        said: Sequence[Mapping[str, str]] = self.browser.do("said", page=self.page)
        found = [f"{each['text']} {each['url']}" for each in said if each["type"] in ("error", "pageerror")]
        unknown = [f"the room does not know {each}" for each in self.seen()["unknown"]]
        return [each for each in found if not any(known in each for known in self.expected_errors)] + unknown

    def close(self) -> None:
        """Close the page."""
        self.browser.do("close", page=self.page)


class Tab:
    """A tab of somebody in the room: its background page, and its popover."""

    def __init__(self, room: Room, client: str) -> None:
        self.room, self.client = room, client
        self.background = Frame(room.browser, room.page, client, "background")
        self.popover = Frame(room.browser, room.page, client, "popover")

    def open_popover(self) -> Frame:
        """Click on our icon."""
        self.room.call("openPopover", self.client)
        return self.popover

    def close_popover(self) -> None:
        """Click beside the popover."""
        self.room.call("closePopover", self.client)

    def standing(self) -> dict[str, Any]:
        """Return what the background page tells the popover."""
        return self.until_it_stands()

    def wish(self, wish: Mapping[str, Any]) -> None:
        """Ask the background page for something, as the popover does."""
        source = """([page, wish]) => {
            const channel = new BroadcastChannel("io.github.rallypoint");
            channel.postMessage({ to: "background", page, wish });
            channel.close();
        }"""
        self.background.run(source, [self.client, dict(wish)])

    def until_it_stands(self, **wanted: Any) -> dict[str, Any]:
        """Wait until the background page tells the popover these values, and return all that it tells."""
        source = """([page, wanted]) => new Promise((resolve) => {
            const channel = new BroadcastChannel("io.github.rallypoint");
            const end = (found) => (channel.close(), resolve(found));
            channel.onmessage = ({ data }) => {
                if (data.to !== "popover" || data.page !== page) return;
                const fits = Object.entries(wanted).every(([key, value]) => data.standing[key] === value);
                if (fits) end(data.standing);
            };
            setTimeout(end, 1000, null);
            channel.postMessage({ to: "background", page, wish: { do: "say how it stands" } });
        })"""
        return dict(self.background.until(source, [self.client, wanted]))

    def pair(self, program: Program, code: str | None = None) -> dict[str, Any]:
        """Type the code that the terminal shows, and wait until the page is linked."""
        self.until_it_stands(link="unpaired")
        self.wish({"do": "pair", "code": code or program.doors.code})
        return self.until_it_stands(link="linked")

    def leave(self) -> None:
        """Close the tab."""
        self.room.call("leave", self.client)
