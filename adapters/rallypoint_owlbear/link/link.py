"""The link: requests of ours go down to the page that may write, and its answers come up. It knows no HTTP.

It is used from several threads: the server's, in which pages speak, and those of whoever asks.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import count
from typing import NamedTuple, Protocol

from rallypoint_sync.transport import DoubtfulError, UnreachableError

from ..trackers import Json
from .ports import PORT, at_port
from .room import Page, Pages, Shown, Stream, shown_of
from .wire import ANSWERS, OF_THE_GM, VERSION, WISHES, Message, WireError
from .wishes import NOBODY, NOTED, Wishes

__all__ = ["ANSWER_SECONDS", "Heard", "Link", "Standing", "Way"]

ANSWER_SECONDS = 10.0
"""How long an answer may take, beyond what the page says it will: the SDK's 5 seconds, and as long to read again."""
MOST_BUSY = 60.0
_MOST_CHANGES = 1000
_MOST_LINKED = 1000
_MOST_ITEMS = 500
_MOST_REFUSED = 20


class Standing(NamedTuple):
    """How the link stands: whether a page may write, which scene it shows, how many pages there are."""

    writer: str | None
    shown: Shown
    pages: int
    room: str | None = None


class Heard(NamedTuple):
    """What is answered to messages: the highest number that is known, and whether the page may write."""

    heard: int
    writer: bool


class Way(Protocol):
    """A way to the page that may write: the link itself, or a desk of the process that has it."""

    @property
    def port(self) -> int:
        """Where the server is, for what people are told to type."""

    def standing(self) -> Standing:
        """Return how it stands now."""

    def ask(self, kind: str, body: Mapping[str, object], *, scene: str | None, seconds: float = ...) -> Message:
        """Send a request and return the answer.

        Raises:
            UnreachableError: no page may write; nothing was sent.
            DoubtfulError: it was sent, and no answer came.
        """

    def changes(self) -> Iterator[Sequence[str]]:
        """Yield the items that changed, an empty list where anything may have, or where somebody has a wish."""

    def take_wishes(self) -> Sequence[Json]:
        """Return what GMs ask, each a message with ``who`` and a ``key``; the server keeps it until it is answered."""

    def answer(self, key: str, why: str | None = None) -> None:
        """Say what became of a wish: it was done, or why it was not."""

    def links(self) -> Mapping[str, str | None]:
        """Return what GMs have linked by hand: items, each with a uid, or ``None`` for nobody. It is kept until it is forgotten."""

    def forget_links(self, done: Mapping[str, str | None]) -> None:
        """Forget links that are bound, or cannot be; where something else was linked meanwhile, that is kept."""

    def say(self, **status: object) -> None:
        """Tell all pages how the battle stands; what is not said stays as it was."""

    def leave(self) -> None:
        """Attend no more: whoever asks something of the battle is told that nobody is there."""


class _Request:
    """A request that waits for its answer, until it expires."""

    def __init__(self, number: int, body: Json, expires: float) -> None:
        self.number = number
        self.body = body
        self.expires = expires
        self.sent = False
        self.answer: Message | None = None

    def put(self, page: Page) -> None:
        self.sent = page.put(self.body) or self.sent


class Link:
    """The link of one room.

    Args:
        now: the present moment in seconds.
        wait: waits on a condition for so many seconds, at most; tests that do not wait bring their own.
    """

    def __init__(
        self,
        now: Callable[[], float] = time.monotonic,
        wait: Callable[[threading.Condition, float], object] = threading.Condition.wait,
    ) -> None:
        self.pages = Pages()
        self.status: Json = {"battle": None, "linked": 0, "of": 0, "error": None}
        self.status |= {"roster": [], "conflicts": [], "encounters": [], "refused": []}
        self._now, self._wait = now, wait
        self.port = PORT
        """Where the server is."""
        self.battle = ""
        """The path of the battle that this process watches."""
        self.on_encounter: Callable[[str], None] = lambda _name: self.say(error="no encounters are offered")
        """Is told that a GM wants an encounter placed; it must not wait."""
        self._changed = threading.Condition(threading.RLock())
        self._links: dict[str, str | None] = {}
        self._requests: dict[int, _Request] = {}
        self._number = 0
        self._changes: deque[Sequence[str]] = deque(maxlen=_MOST_CHANGES)
        self._change_number = 0
        self._wishes = Wishes(now)
        self._here = "here"
        self._watched = False
        self._refused: deque[Json] = deque(maxlen=_MOST_REFUSED)
        self._watches = count()
        self._closed = False

    # The page's side

    def hear(self, identity: str, messages: Iterable[Message]) -> Heard:
        """Take the messages of a page; those that are known already are not taken twice.

        Raises:
            WireError: the page is not known, another room is linked, or it asks what is the GM's alone, or too much at once.
        """
        with self._changed:
            now = self._now()
            for message in messages:
                if message.kind == "hello":
                    self.pages.hello(identity, message, now)
                    self._tell([])
                page = self.pages.page(identity)
                if message.number > page.heard:
                    self._check_may(page, message)
                    page.heard = message.number
                    self._take(page, message)
            page = self.pages.page(identity)
            page.seen = now
            self._lease()
            self._see_watch()
            return Heard(page.heard, page is self.pages.writer)

    def _take(self, page: Page, message: Message) -> None:
        if message.kind == "scene changed":
            page.shown = shown_of(message)
            self._tell([])
        elif message.kind == "edited":
            ids = [str(each["id"]) for each in message.objects("items")]
            ids += message.texts("removed")
            self._tell(ids if len(ids) <= _MOST_ITEMS else [])
        elif message.kind == "link":
            item, uid = str(message.body["item"]), message.body.get("uid")
            if item in self._links or len(self._links) < _MOST_LINKED:
                self._links[item] = uid if isinstance(uid, str) else None
            self.want_binding(page.name)
        elif message.kind in ("busy", "refused", *ANSWERS.values()):
            self._answered(page, message)
        elif message.kind in WISHES:
            if self._wishes.add(message.body, page.name):
                self._tell([])
            else:
                self._refuse([message.body], NOBODY + at_port(self.port))
        elif message.kind == "encounter":
            self.on_encounter(str(message.body["name"]))

    def _check_may(self, page: Page, message: Message) -> None:
        if message.kind in OF_THE_GM and not page.is_gm:
            raise WireError(403, "role", "only the GM may ask this")
        if message.kind in WISHES:
            self._wishes.check_room()

    def _answered(self, page: Page, message: Message) -> None:
        request = self._requests.get(message.answers or 0)
        if request is None or not page.is_gm:
            return  # it came too late: whoever asked reads again; or it is of a page that was never asked
        if message.kind == "busy":
            longer = message.body["for_ms"]
            assert isinstance(longer, int)
            request.expires = max(request.expires, self._now() + min(max(longer, 0) / 1000, MOST_BUSY) + ANSWER_SECONDS)
        elif message.kind in ("refused", ANSWERS.get(str(request.body["kind"]))):
            request.answer = request.answer or message
        self._changed.notify_all()

    def listen(self, identity: str, last: int, stream: Stream) -> None:
        """Let a page hear by a stream what comes from now on, and what it has missed.

        Args:
            identity: the page.
            last: the number of the last request that it has heard.
            stream: a stream of its own; an older one of this page ends.

        Raises:
            WireError: it has not said hello.
        """
        with self._changed:
            page = self.pages.page(identity)
            if page.stream is not None:
                page.stream.end()
            page.stream = stream
            page.seen = self._now()
            moved = self.pages.lease(page.seen)
            page.put({"v": VERSION, "n": 0, "kind": "lease", "writer": page is self.pages.writer})
            page.put(self._status_for(page))
            if moved or page is self.pages.writer:
                self._send_open(0 if moved else last)
            self._changed.notify_all()

    def left(self, identity: str, stream: Stream) -> None:
        """Hear that a stream of a page has ended."""
        with self._changed:
            page = self.pages.by_id.get(identity)
            if page is not None and page.stream is stream:
                page.stream = None
                page.without_stream = self._now()
            stream.end()

    def _lease(self) -> None:
        if self.pages.lease(self._now()):
            self._send_open(0)

    def _send_open(self, after: int) -> None:
        writer = self.pages.writer
        for request in list(self._requests.values()):
            if writer is not None and request.answer is None and request.number > after:
                request.put(writer)

    # Our side

    def standing(self) -> Standing:
        """Return how the link stands now."""
        with self._changed:
            self._lease()
            writer = self.pages.writer
            here = sum(each.is_here(self._now()) for each in self.pages.by_id.values())
            if writer is None:
                return Standing(None, Shown(), here)
            return Standing(writer.name or writer.identity, writer.shown, here, writer.room)

    def ask(
        self, kind: str, body: Mapping[str, object], *, scene: str | None, seconds: float = ANSWER_SECONDS
    ) -> Message:
        """Send a request to the page that may write, and return its answer.

        Raises:
            UnreachableError: there is no such page, or it was away all the time; nothing was sent.
            DoubtfulError: it was sent, and no answer came.
        """
        with self._changed:
            self._lease()
            if self.pages.writer is None:
                raise no_page()
            self._number += 1
            whole = {"v": VERSION, "n": self._number, "kind": kind, "scene": scene, "expires_ms": int(seconds * 1000)}
            request = _Request(self._number, {**whole, **body}, self._now() + seconds)
            self._requests[request.number] = request
            try:
                request.put(self.pages.writer)
                while request.answer is None and not self._closed and (left := request.expires - self._now()) > 0:
                    self._wait(self._changed, min(left, 1.0))
                    self._lease()
            finally:
                del self._requests[request.number]
        if request.answer is not None:
            return request.answer
        if not request.sent:
            raise no_page()
        raise DoubtfulError("the page in the room did not answer", code="no_answer", where=kind)

    def links(self) -> Mapping[str, str | None]:
        """Return what GMs have linked by hand: items, each with a uid, or ``None`` for nobody. It is kept until it is forgotten."""
        with self._changed:
            return dict(self._links)

    def forget_links(self, done: Mapping[str, str | None]) -> None:
        """Forget links that are bound, or cannot be; where something else was linked meanwhile, that is kept."""
        with self._changed:
            self._links = {item: uid for item, uid in self._links.items() if (item, uid) not in done.items()}

    def say(self, **status: object) -> None:
        """Tell all pages how the battle stands; what is not said stays as it was."""
        with self._changed:
            self.status.update(status)
            for page in self.pages.by_id.values():
                page.put(self._status_for(page))

    def _status_for(self, page: Page) -> Json:
        """Return the status as a page may see it: numbers are the GM's."""
        hidden: Json = (
            {} if page.is_gm else {"roster": [], "conflicts": [], "encounters": [], "refused": [], "error": None}
        )
        return {"v": VERSION, "n": 0, "kind": "status", **self.status, "watched": self._watched, **hidden}

    def close(self) -> None:
        """End all streams; whoever waits for an answer gets none."""
        with self._changed:
            self._closed = True
            for page in list(self.pages.by_id.values()):
                self.pages.forget(page)
            self._changed.notify_all()

    # What is asked of the battle

    def take_wishes(self, watch: str | None = None) -> Sequence[Json]:
        """Return what GMs ask, each a message with ``who`` and a ``key``, if this watch is the one that attends."""
        with self._changed:
            return self._wishes.take(watch or self._here)

    def want_binding(self, who: str) -> None:
        """Ask the watch to bind what was linked or placed; where none runs, that waits for the command ``bind``."""
        with self._changed:
            if not self._wishes.waits("bind") and self._wishes.add({"kind": "bind"}, who):
                self._tell([])

    def answer(self, key: str, why: str | None = None) -> None:
        """Say what became of a wish: it was done, or why it was not."""
        with self._changed:
            wish = self._wishes.answered(key)
            if wish is not None and why is not None:
                self._refuse([wish], why)

    def check_battle(self, battle: str) -> None:
        """Refuse a battle while another one is watched.

        Raises:
            WireError: another one is.
        """
        with self._changed:
            self._wishes.check_battle(battle)

    def attend(
        self, seconds: float, watch: str | None = None, *, battle: str | None = None, begins: bool = False
    ) -> bool:
        """Say that a watch does what is asked, for so many seconds from now and a little more; say whether it is the one that does.

        Args:
            seconds: for how long.
            watch: which one; that of this process, where it is ``None``.
            battle: the path of the battle that it watches; that of this process, where it is ``None``.
            begins: it is new: it takes the place of another one of the same battle.

        Raises:
            WireError: another battle is watched.
        """
        with self._changed:
            meant = self.battle if battle is None else battle
            attends = self._wishes.attend(seconds, watch or self._here, battle=meant, begins=begins)
            self._see_watch()
            return attends

    def leave(self, watch: str | None = None) -> None:
        """Attend no more."""
        with self._changed:
            self._wishes.leave(watch or self._here)
            self._see_watch()
            self._changed.notify_all()

    def _see_watch(self) -> None:
        """Tell where a watch has begun or ended; what was asked of one that is gone is given up."""
        if self._watched != self._wishes.attended:
            self._watched = self._wishes.attended
            self.say()
        lost = self._wishes.given_up()
        if lost:
            why = NOTED if all(each["kind"] == "bind" for each in lost) else NOBODY
            self._refuse(lost, why + at_port(self.port))

    def _refuse(self, wishes: Iterable[Mapping[str, object]], why: str) -> None:
        """Tell why something was not done. A stream may skip a status, so each names the last clicks that were refused."""
        new = [{"click": each["click"], "why": why} for each in wishes if isinstance(each.get("click"), str)]
        self._refused.extend(new)
        self.say(refused=list(self._refused), error=why)

    # What changes

    def _tell(self, items: Sequence[str]) -> None:
        self._changes.append(items)
        self._change_number += 1
        self._changed.notify_all()

    def changes_after(self, number: int, seconds: float) -> tuple[int, tuple[Sequence[str], ...]]:
        """Return the number of the last change and the changes after ``number``, waiting for one so many seconds, at most.

        Of changes that are too long ago to be known nothing is said but that anything may have changed.
        """
        with self._changed:
            end = self._now() + seconds
            while self._change_number <= number and not self._closed and (left := end - self._now()) > 0:
                self._wait(self._changed, left)
            missed = self._change_number - number
            if missed > len(self._changes):
                return self._change_number, ((),)
            return self._change_number, tuple(list(self._changes)[len(self._changes) - missed :]) if missed > 0 else ()

    def changes(self) -> Iterator[Sequence[str]]:
        """Yield the items that changed, first an empty list; it ends when the link is closed.

        Raises:
            UnreachableError: another battle is watched by now.
        """
        try:
            yield from self._changes_here()
        except WireError as error:
            raise UnreachableError(str(error), code=error.code) from None

    def _changes_here(self) -> Iterator[Sequence[str]]:
        watch = self._here = f"here {next(self._watches)}"
        number, _ = self.changes_after(-1, 0.0)
        self.attend(1.0, watch, begins=True)
        yield ()
        while not self._closed and not self._wishes.has_left(watch):
            self.attend(1.0, watch)
            number, found = self.changes_after(number, 1.0)
            yield from found


def no_page() -> UnreachableError:
    """Return what is raised where no page may write."""
    return UnreachableError(
        "no page of a GM is linked",
        code="no_page",
        hint="open the room as GM in the browser, and type the pairing code into our popover",
        passing=True,
    )
