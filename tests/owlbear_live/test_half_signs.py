"""Half of a sign beyond the first 65536: JavaScript has it in its texts, JSON says it as an escape, no UTF-8 does."""

from __future__ import annotations

import json
import queue
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rallypoint_foundry.live.wire import json_of
from rallypoint_owlbear.link.wire import WireError, body_of, text_of
from rallypoint_owlbear.stands import RECORD_KEY
from rallypoint_owlbear.trackers import TRACKERS_KEY
from rallypoint_sync.json_text import parsed

from .served_page import running
from .test_commands import OURS, Play

HALF = "\ud83d"


@pytest.fixture
def play(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Play]:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    with running(tmp_path) as server:
        yield Play(tmp_path, server).ready()


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        (r'"\ud800"', "\ufffd"),
        (r'"a\uDFFFb"', "a\ufffdb"),
        (r'"\ud83d\ude00 \ude00\ud83d"', "\U0001f600 \ufffd\ufffd"),
        (r'"\\ud800"', r"\ud800"),
        (r'{"\udc00": ["\ud800", 1.5, null]}', {"\ufffd": ["\ufffd", 1.5, None]}),
    ],
)
def test_half_a_sign_is_read_as_one_that_can_be_written(text: str, meant: object) -> None:
    assert parsed(text) == meant
    assert json_of(text.encode()) == meant
    assert body_of(f'{{"v": 1, "a": {text}}}'.encode())["a"] == meant


@pytest.mark.parametrize("number", ["1e999", "-1e999", "NaN", "[Infinity]"])
def test_a_number_that_no_page_can_read_is_none(number: str) -> None:
    with pytest.raises(WireError, match="is no number of JSON"):
        body_of(f'{{"v": 1, "a": {number}}}'.encode())


def test_what_is_sent_can_always_be_sent() -> None:
    sent = text_of({f"k{HALF}": [HALF, "\U0001f600"]}).encode()
    assert json.loads(sent) == {"k\ufffd": ["\ufffd", "\U0001f600"]}


def new_item() -> dict[str, Any]:
    about = {"type": "IMAGE", "name": "x", "layer": "CHARACTER", "visible": True, "createdUserId": "p"}
    return {"id": HALF, **about, "position": {"x": 0, "y": 0}, "metadata": {RECORD_KEY: {"uid": HALF}}}


@pytest.mark.parametrize("where", ["name", "record", "key", "tracker", "new item"])
def test_a_token_with_half_a_sign_stops_nobody(play: Play, where: str) -> None:
    hurt, odd = play.token(OURS)["id"], play.token("red.small-1A-1-1")["id"]

    def change(items: dict[str, Any]) -> None:
        item = items[odd]
        if where == "name":
            item["name"] = HALF
        elif where == "record":
            item["metadata"][RECORD_KEY]["note"] = HALF
        elif where == "key":
            item["metadata"][RECORD_KEY][HALF] = 1
        elif where == "tracker":
            item["metadata"][TRACKERS_KEY][0]["value"] = HALF
        else:
            items[HALF] = new_item()

    play.room.change(change)
    play.room.set(hurt, f"rallypoint-wounds-{OURS}", 1)
    done = play.at("sync")
    assert "link server" not in done.err
    assert play.value(OURS) == 1


MESSAGES: dict[str, dict[str, Any]] = {
    "hello": {"player": HALF, "name": HALF, "role": "GM", "room": "r1", "scene": "scene-1", "grid": {HALF: HALF}},
    "scene changed": {"scene": HALF, "grid": None},
    "snapshot": {"re": 1, "items": [new_item()], "gone": [HALF]},
    "written": {"re": 1, "items": [new_item()], "gone": [HALF], "failed": [{"id": HALF, "code": HALF, "why": HALF}]},
    "placed": {"re": 1, "items": [HALF], "failed": [{"id": HALF, "why": HALF}]},
    "refused": {"re": 1, "code": HALF, "why": HALF},
    "edited": {"items": [new_item()], "removed": [HALF]},
    "link": {"item": HALF, "uid": HALF},
    "set": {"uid": HALF, "field": "wounds", "value": 1, "was": 0, "click": HALF},
    "encounter": {"name": HALF},
    "picked": {"re": 1, "images": [{"url": HALF, "name": HALF}]},
}


@pytest.mark.parametrize("kind", MESSAGES)
def test_no_message_with_half_a_sign_cuts_a_stream(play: Play, kind: str) -> None:
    told, before = queue.Queue[str](), play.page.told

    def telling(data: str) -> None:
        before(data)
        told.put(data)

    play.page.told = telling  # type: ignore[method-assign]
    play.server.link.attend(20, "watch", begins=True)
    play.server.link.on_encounter = lambda name: play.server.link.say(error=f"no encounter {name}")
    play.page.say(kind, **MESSAGES[kind])
    play.server.link.say(error=f"after {HALF}{kind}")  # it still comes through the stream
    while f"after \ufffd{kind}" not in told.get(timeout=10):
        pass
