"""The pages of the room that is linked: who they are, who of them may write, what each has still to hear."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from ..trackers import Json
from .wire import VERSION, Message, WireError, text_of

__all__ = ["LEASE", "Page", "Pages", "Shown", "Stream"]

LEASE = 6.0
"""Seconds without a word after which a page is away, and the writer lease goes to another."""
MOST_WAITING = 200
"""Events that may wait in a stream; a page that reads none of them must connect anew."""
MOST_PAGES = 64


class Stream:
    """One connection of a page that listens: texts that wait to be sent, until it ends.

    ``wake`` is called, from whatever thread, when there is something new.
    """

    def __init__(self) -> None:
        self.waiting: deque[tuple[str, str]] = deque()
        self.ended = False
        self.wake: Callable[[], None] = lambda: None
        self._lock = threading.Lock()  # one thread adds, another sends

    def put(self, body: Json) -> None:
        """Add an event. Of news of one kind only the newest waits; a stream that nobody reads ends."""
        number, kind = body["n"], str(body["kind"])
        head = f"id: {number}\n" if number else ""
        event = (kind if number == 0 else "", f"{head}data: {text_of(body)}\n\n")
        with self._lock:
            if number == 0:
                self.waiting = deque(each for each in self.waiting if each[0] != kind)
            is_full = len(self.waiting) >= MOST_WAITING
            if not is_full:
                self.waiting.append(event)
        if is_full:
            self.end()
        else:
            self.wake()

    def texts(self) -> Iterator[str]:
        """Yield what waits."""
        while True:
            with self._lock:
                if not self.waiting:
                    return
                text = self.waiting.popleft()[1]
            yield text

    def end(self) -> None:
        """End it; the page comes back by itself."""
        self.ended = True
        with self._lock:
            self.waiting.clear()
        self.wake()


class Shown(NamedTuple):
    """The scene that a page shows: our id of it, ``None`` while none is ready, and its grid."""

    scene: str | None = None
    grid: Mapping[str, object] | None = None


class Page:
    """One page: a tab of somebody in the room."""

    def __init__(self, identity: str, hello: Message, now: float) -> None:
        self.identity = identity
        self.room = str(hello.body["room"])
        self.name = str(hello.body["name"])
        self.is_gm = hello.body["role"] == "GM"
        self.shown = shown_of(hello)
        self.heard = 0
        self.seen = now
        self.stream: Stream | None = None
        self.without_stream = now

    def is_here(self, now: float) -> bool:
        """Say whether it has spoken, and listens, or did a moment ago."""
        return now - self.seen < LEASE and (self.stream is not None or now - self.without_stream < LEASE)

    def put(self, body: Json) -> bool:
        """Send it something; say whether it listens."""
        if self.stream is None or self.stream.ended:
            return False
        self.stream.put(body)
        return not self.stream.ended


class Pages:
    """All pages of one room, in the order in which they said hello."""

    def __init__(self) -> None:
        self.by_id: dict[str, Page] = {}
        self.writer: Page | None = None

    def hello(self, identity: str, message: Message, now: float) -> Page:
        """Take a page in, or hear again who it is.

        Raises:
            WireError: pages of another room are here, or there are too many.
        """
        for each in [each for each in self.by_id.values() if now - each.seen > 10 * LEASE]:
            self.forget(each)
        room = message.body["room"]
        if any(each.room != room and each.is_here(now) for each in self.by_id.values()):
            raise WireError(409, "room", "another room is linked: close it first")
        page = self.by_id.get(identity)
        if page is None:
            if len(self.by_id) >= MOST_PAGES:
                raise WireError(503, "full", f"there are {MOST_PAGES} pages already")
            page = self.by_id[identity] = Page(identity, message, now)
        page.shown = shown_of(message)
        page.is_gm = message.body["role"] == "GM"
        page.seen = now
        return page

    def page(self, identity: str) -> Page:
        """Return a page.

        Raises:
            WireError: it has not said hello.
        """
        if identity not in self.by_id:
            raise WireError(404, "page", "this page is not known: say hello again")
        return self.by_id[identity]

    def forget(self, page: Page) -> None:
        """Take a page out."""
        if page.stream is not None:
            page.stream.end()
        self.by_id.pop(page.identity, None)
        if self.writer is page:
            self.writer = None  # when it comes back it is another one

    def lease(self, now: float) -> bool:
        """Give the lease to the first GM page that is here, if its holder is not; say whether it has moved."""
        before = self.writer
        held = before is not None and before.identity in self.by_id and before.is_gm and before.is_here(now)
        if held:
            return False
        self.writer = next((each for each in self.by_id.values() if each.is_gm and each.is_here(now)), None)
        if self.writer is before:
            return False
        for page in (before, self.writer):
            if page is not None:
                page.put({"v": VERSION, "n": 0, "kind": "lease", "writer": page is self.writer})
        return True


def shown_of(message: Message) -> Shown:
    """Return the scene that a message tells of."""
    scene, grid = message.body.get("scene"), message.body.get("grid")
    return Shown(scene if isinstance(scene, str) else None, grid if isinstance(grid, dict) else None)
