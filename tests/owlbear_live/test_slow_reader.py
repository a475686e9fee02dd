"""A page that listens and reads nothing: its stream is cut, and another page may have the place and the lease."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Mapping
from pathlib import Path

import pytest
from starlette.types import Message, Scope

from rallypoint_owlbear.link.app import application
from rallypoint_owlbear.link.doors import Doors
from rallypoint_owlbear.link.link import Link
from rallypoint_owlbear.link.wire import messages_of

HELLO = {"m": 1, "kind": "hello", "player": "gm", "name": "Warden", "role": "GM", "room": "r1", "scene": None}


class _AtOnce(selectors.DefaultSelector):
    """Waits for nothing, and notes for how long it would have waited."""

    passed = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        found = super().select(0)
        if not found:
            assert timeout is not None, "it waits for ever"
            self.passed += timeout
        return found


class _Quick(asyncio.SelectorEventLoop):
    """A loop in which time passes as soon as nothing else is to be done."""

    def __init__(self) -> None:
        self.selector = _AtOnce()
        super().__init__(self.selector)

    def time(self) -> float:
        return self.selector.passed


class Reader:
    """A page that takes so many parts of its stream, and then none; it does not go away."""

    def __init__(self, parts: int) -> None:
        self.left = parts
        self.link = Link()
        self.doors = Doors(8787)
        self.link.hear(*messages_of({"page": "tab-1", "messages": [{**HELLO, "grid": None}]}))
        self.got: list[Mapping[str, object]] = []

    async def receive(self) -> Message:
        await asyncio.Event().wait()
        raise AssertionError

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.body":
            if not self.left:
                await asyncio.Event().wait()
            self.left -= 1
        self.got.append(message)

    async def listen(self, folder: Path, most: float) -> None:
        token = self.doors.pair(self.doors.code)
        headers = [(b"host", b"localhost:8787"), (b"authorization", f"Bearer {token}".encode())]
        what = {"type": "http", "http_version": "1.1", "method": "GET", "scheme": "http", "root_path": ""}
        scope: Scope = {**what, "path": "/link/events", "query_string": b"page=tab-1", "headers": headers}
        app = application(self.link, self.doors, folder)
        await asyncio.wait_for(app(scope, self.receive, self.send), most)


@pytest.mark.parametrize(("parts", "seconds"), [(0, 10), (1, 10), (3, 5 + 5 + 10)])
def test_who_reads_nothing_for_ten_seconds_is_cut(tmp_path: Path, parts: int, seconds: float) -> None:
    """The first two parts are there at once, and every five seconds there is a sign of life to be read."""
    reader = Reader(parts)
    with asyncio.Runner(loop_factory=_Quick) as runner:
        runner.run(reader.listen(tmp_path, 1000))
        assert runner.get_loop().time() == pytest.approx(seconds, abs=0.1)
    assert [each["type"] for each in reader.got] == ["http.response.start"] + parts * ["http.response.body"]
    assert not any(each.get("more_body") is False for each in reader.got)  # it is no end: the page comes back
    assert reader.link.pages.by_id["tab-1"].stream is None


def test_who_reads_is_not_cut(tmp_path: Path) -> None:
    reader = Reader(1000)
    with asyncio.Runner(loop_factory=_Quick) as runner, pytest.raises(TimeoutError):
        runner.run(reader.listen(tmp_path, 600))
    assert len(reader.got) == pytest.approx(1 + 600 / 5, abs=1)
