"""The desk: how a command that has no page asks the one of the running server."""

from __future__ import annotations

import base64
import contextlib
import http.client
import json
import os
import secrets
import ssl
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, cast

from rallypoint_sync.transport import DoubtfulError, UnreachableError

from ..trackers import Json
from .link import ANSWER_SECONDS, Standing
from .ports import PORT, at_port
from .room import Shown
from .wire import PICKERS, VERSION, Message, text_of

__all__ = ["PORT", "Desk", "Place", "find_desk", "keep_desk"]

_MARGIN = 75.0
_PICKER = 900.0
"""Seconds that a picker may be open in the room: the page says that it is busy, and the server waits."""


_HINTS = {"other_battle": "end that watch first, or give this battle a room and a server of its own: serve --port"}


class Place(NamedTuple):
    """Where a server is, the key to its desk, and the certificate by which it is known where it speaks https."""

    port: int
    key: str
    certificate: str | None = None


def _path(port: int) -> Path:
    kept = os.environ.get("XDG_STATE_HOME")
    folder = Path(kept) if kept else Path.home() / ".local" / "state"
    return folder / "rallypoint" / f"owlbear-{port}.json"


def keep_desk(place: Place) -> Path:
    """Write where the server is into a file that its user alone can read, and return the file.

    Raises:
        OSError: it cannot be written.
    """
    path = _path(place.port)
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    path.unlink(missing_ok=True)
    number = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(number, "w", encoding="utf-8") as file:
        json.dump(place._asdict(), file)
    return path


def find_desk(port: int = PORT) -> Place:
    """Return the key to the desk of the server at a port.

    Raises:
        UnreachableError: no server of this user runs there.
    """
    try:
        found = json.loads(_path(port).read_text(encoding="utf-8"))
        certificate = found.get("certificate")
        return Place(int(found["port"]), str(found["key"]), None if certificate is None else str(certificate))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        raise _no_server(port) from None


def _no_server(port: int, *, passing: bool = False) -> UnreachableError:
    hint = f"start it in another terminal: rallypoint owlbear serve{at_port(port)}"
    what = "the link server does not run"
    return UnreachableError(what, code="no_server", where=f"port {port}", hint=hint, passing=passing)


def _line(place: Place, seconds: float) -> http.client.HTTPConnection:
    if place.certificate is None:
        return http.client.HTTPConnection("127.0.0.1", place.port, timeout=seconds)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    # This one certificate is known, whoever has signed it.
    context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    try:
        context.load_verify_locations(place.certificate)
    except (OSError, ssl.SSLError):
        raise _no_server(place.port) from None
    return http.client.HTTPSConnection("localhost", place.port, timeout=seconds, context=context)


class Desk:
    """A way to the page that may write, through the running server.

    Args:
        place: where the server is.
        battle: the path of the battle that it is for; the server refuses it while another one is watched.
        patient: a server that has ended may be started again: then its new key is looked up.
    """

    def __init__(self, place: Place, battle: str = "", *, patient: bool = False) -> None:
        self.place, self.battle, self.patient = place, battle, patient
        self._watch = ""
        self._wishes: deque[Json] = deque()
        self._seen: set[str] = set()

    @property
    def port(self) -> int:
        """Where the server is."""
        return self.place.port

    def standing(self) -> Standing:
        """Return how the link stands.

        Raises:
            UnreachableError: the server does not run.
        """
        found = self._post("standing", {"battle": self.battle}, 10.0)
        scene, grid = cast("Sequence[object]", found.get("shown") or (None, None))
        return Standing(
            cast("str | None", found.get("writer")),
            Shown(cast("str | None", scene), cast("Mapping[str, object] | None", grid)),
            cast("int", found.get("pages")),
            cast("str | None", found.get("room")),
        )

    def ask(
        self, kind: str, body: Mapping[str, object], *, scene: str | None, seconds: float = ANSWER_SECONDS
    ) -> Message:
        """Send a request to the page, and return its answer.

        Raises:
            UnreachableError: the server does not run, or no page may write.
            DoubtfulError: no answer came.
        """
        whole: Json = {"kind": kind, "body": body, "scene": scene, "seconds": seconds}
        margin = _PICKER if kind in PICKERS else _MARGIN
        found = self._post("ask", whole, seconds + margin)
        return Message(cast("int", found["number"]), str(found["kind"]), cast("Json", found["body"]))

    def links(self) -> Mapping[str, str | None]:
        """Return what GMs have linked by hand in the popover; the server keeps it until it is forgotten.

        Raises:
            UnreachableError: the server does not run.
        """
        return cast("Mapping[str, str | None]", self._post("links", {}, 10.0)["links"])

    def forget_links(self, done: Mapping[str, str | None]) -> None:
        """Let the server forget links that are bound, or cannot be.

        Raises:
            UnreachableError: the server does not run.
        """
        if done:
            self._post("forget-links", {"links": done}, 10.0)

    def say(self, **status: object) -> None:
        """Tell all pages how the battle stands.

        Raises:
            UnreachableError: the server does not run.
        """
        self._post("status", {"battle": self.battle, "status": status}, 10.0)

    def changes(self) -> Iterator[Sequence[str]]:
        """Yield the items that changed, an empty list where anything may have.

        Raises:
            UnreachableError: the server does not run any more.
        """
        if self.patient:
            self._look_up()
        watch = self._watch = secrets.token_hex(8)
        number, _ = self._heard_after(-1, 0.001, watch)
        yield ()
        while self._watch == watch:
            number, found = self._heard_after(number, 5.0, watch)
            yield from found

    def _heard_after(self, number: int, seconds: float, watch: str) -> tuple[int, Sequence[Sequence[str]]]:
        body: Json = {"watch": watch, "battle": self.battle, "after": number, "seconds": seconds}
        found = self._post("changes", body, seconds + 25.0)
        for wish in cast("Sequence[Json]", found["wishes"]):
            if wish["key"] not in self._seen:  # who listens anew is handed again what is not answered yet
                self._seen.add(str(wish["key"]))
                self._wishes.append(wish)
        return cast("int", found["number"]), cast("Sequence[Sequence[str]]", found["changes"])

    def keep_picture(self, content: bytes) -> str:
        """Let the server hold a picture for the page to fetch, and return its address there.

        Raises:
            UnreachableError: the server does not run, or it is no picture, or a too big one.
        """
        return str(self._post("picture", {"base64": base64.b64encode(content).decode("ascii")}, 30.0)["url"])

    def take_wishes(self) -> Sequence[Json]:
        """Return what GMs ask, each a message with ``who`` and a ``key``; it came with what :meth:`changes` heard."""
        found: list[Json] = []
        while self._wishes:
            found.append(self._wishes.popleft())
        return found

    def answer(self, key: str, why: str | None = None) -> None:
        """Say what became of a wish: it was done, or why it was not.

        Raises:
            UnreachableError: the server does not run.
        """
        self._post("answer", {"key": key, "why": why}, 10.0)

    def leave(self) -> None:
        """Attend no more; where the server has ended that is so already."""
        watch, self._watch = self._watch, ""
        with contextlib.suppress(UnreachableError):
            self._post("leave", {"watch": watch}, 10.0)

    def _look_up(self) -> None:
        try:
            self.place = find_desk(self.place.port)
        except UnreachableError:
            raise _no_server(self.place.port, passing=True) from None

    def _post(self, what: str, body: Json, seconds: float) -> Json:
        port = self.place.port
        line = _line(self.place, seconds)
        headers = {
            "Host": f"localhost:{port}",
            "Authorization": f"Bearer {self.place.key}",
            "Content-Type": "application/json",
        }
        sent = False
        try:
            line.connect()
            sent = True
            line.request("POST", f"/desk/{what}", text_of({"v": VERSION, **body}).encode(), headers)
            answer = line.getresponse()
            found = json.loads(answer.read())
        except (OSError, http.client.HTTPException, ValueError) as error:
            if not sent or what != "ask":  # only what is asked for can have been done
                raise _no_server(port, passing=self.patient) from error
            raise DoubtfulError("the link server did not answer", code="no_answer", where=what) from error
        finally:
            line.close()
        if answer.status == 200:
            return cast("Json", found)
        if found.get("doubtful"):
            raise DoubtfulError(str(found["error"]), code=str(found["code"]), where=what)
        code = str(found.get("code"))
        hint = found.get("hint") or _HINTS.get(code, f"start the server anew: rallypoint owlbear serve{at_port(port)}")
        another = self.patient and code == "token"  # another server is there by now
        passing = found.get("passing") is True or another
        raise UnreachableError(str(found.get("error")), code=code, passing=passing, hint=str(hint))
