"""Our page over real HTTP: pairs, says hello, reads its stream in a thread, answers."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import httpx

from rallypoint_owlbear.link.doors import Doors
from rallypoint_owlbear.link.link import Link
from rallypoint_owlbear.link.server import Ready
from rallypoint_owlbear.link.serving import listening, served

from .room import Page

TRIES = 30
"""So often a page sends what was refused for its rate, until the test fails."""


class Server(NamedTuple):
    """A running server: its link, its doors, and a client that calls it by its right name."""

    link: Link
    doors: Doors
    client: httpx.Client

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self.doors.port}"

    def pair(self) -> dict[str, str]:
        """The headers of a paired page."""
        answer = self.client.post("/link/pair", json={"v": 1, "code": self.doors.code})
        return {"authorization": f"Bearer {answer.json()['token']}"}

    def hello(self, token: dict[str, str], page: str = "tab-1", room: str = "r1") -> httpx.Response:
        message = {"m": 1, "kind": "hello", "player": "gm", "name": "Warden", "role": "GM", "room": room}
        body = {"v": 1, "page": page, "messages": [{**message, "scene": "scene-1", "grid": None}]}
        return self.client.post("/link/up", json=body, headers=token)


@contextmanager
def running(folder: Path) -> Iterator[Server]:
    """A server with a bundle of two files, and a secret beside its folders."""
    bundle, pictures = folder / "bundle", folder / "pictures"
    for each in (bundle, pictures):
        each.mkdir()
    (bundle / "manifest.json").write_text('{"name": "Rallypoint link"}')
    (bundle / "popover.html").write_text("<!doctype html><title>Rallypoint</title>")
    (pictures / "marine.png").write_bytes(b"\x89PNG")
    (folder / "secret.json").write_text("nobody's business")
    (pictures / "way-out.png").symlink_to(folder / "secret.json")
    (pictures / "notes.txt").write_text("no picture")
    sockets = listening(0)
    link = Link()
    doors = Doors(sockets[0].getsockname()[1])
    with served(Ready(link, doors, sockets, bundle, pictures, None)):
        base = f"http://127.0.0.1:{doors.port}"
        headers = {"host": f"localhost:{doors.port}"}
        with httpx.Client(base_url=base, headers=headers, timeout=20, trust_env=False) as client:
            yield Server(link, doors, client)


class Served:
    """A line over HTTP."""

    def __init__(self, server: Server, page: Page) -> None:
        self.server, self.page = server, page
        self.headers = server.pair()
        self.listens = threading.Event()
        self._response: httpx.Response | None = None
        self._thread: threading.Thread | None = None

    def up(self, text: str) -> None:
        """Send a body; who asks too often waits a second and sends it again, as the page does."""
        headers = {**self.headers, "content-type": "application/json"}
        for left in reversed(range(TRIES)):
            answer = self.server.client.post("/link/up", content=text.encode(), headers=headers)
            if answer.status_code != httpx.codes.TOO_MANY_REQUESTS or not left:
                answer.raise_for_status()
                return
            threading.Event().wait(1.0)

    def connect(self) -> None:
        self.page.line = self
        self.page.hello()
        self.listens.clear()
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()
        assert self.listens.wait(10)

    def disconnect(self) -> None:
        """The page ends its stream from inside: the next event is its last."""
        self.page.line = None
        self.server.link.pages.by_id[self.page.identity].stream.end()  # type: ignore[union-attr]
        assert self._thread is not None
        self._thread.join(10)

    def _listen(self) -> None:
        query = {"page": self.page.identity, "last": str(self.page.heard)}
        with self.server.client.stream("GET", "/link/events", params=query, headers=self.headers) as response:
            response.raise_for_status()
            try:
                for line in response.iter_lines():
                    if line.startswith("data: "):
                        self.page.told(line.removeprefix("data: "))
                        if '"status"' in line:
                            self.listens.set()
            except httpx.TransportError:
                return
