"""A table at which a VTT cannot begin: the others go on, it is told once what to do, and none at all is a failure."""

from __future__ import annotations

import json
import socket
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from rallypoint_foundry.fake.serving import served
from rallypoint_foundry.live.wire import HttpxWire
from rallypoint_sync.clock import SystemClock
from rallypoint_sync.watching import News, Watch

from ..cli.battles import Said, say
from ..foundry_live.tables import KEY, Play
from .test_table import owlbear_alone


class Two:
    """A battle with a relay that may be there, and a room."""

    base = ""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.play, self.monkeypatch = Play(folder), monkeypatch
        self.room = owlbear_alone(folder)

    def unconnected(self) -> str:
        return f"rallypoint foundry connect {self.play.battle} --relay"

    def unbound(self) -> str:
        assert say("foundry", "connect", str(self.play.battle), "--relay", self.base).status == 0
        return f"rallypoint foundry push {self.play.battle} FOLDER"

    def without_key(self) -> str:
        self.unbound()
        assert self.play.say("push", str(self.play.export)).status == 0
        self.monkeypatch.delenv("RALLYPOINT_FOUNDRY_KEY")
        return "set RALLYPOINT_FOUNDRY_KEY, or ask for a key"

    def key_refused(self) -> str:
        self.without_key()
        self.monkeypatch.setenv("RALLYPOINT_FOUNDRY_KEY", "ab" * 32)
        return "set RALLYPOINT_FOUNDRY_KEY to a scoped key"

    def table(self, *arguments: str) -> Said:
        return say("table", str(self.play.battle), *arguments)


RUN = Watch.run
HOW: list[Callable[[Two], str]] = [Two.unconnected, Two.unbound, Two.without_key, Two.key_refused]


@pytest.fixture
def two(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Two]:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("RALLYPOINT_FOUNDRY_KEY", KEY)
    made = Two(tmp_path, monkeypatch)
    made.play.fake.clock = SystemClock()
    with served(made.play.fake) as made.base:
        yield made


def ends_when(monkeypatch: pytest.MonkeyPatch, *wanted: tuple[str, str]) -> list[tuple[str, str]]:
    """Let a watch end when all of this was told, what and of which VTT; return what was."""
    heard: list[tuple[str, str]] = []

    def running(watch: Watch) -> None:
        tell = watch.tell

        def telling(news: News) -> None:
            tell(news)
            heard.append((news.what, news.vtt))
            if not Counter(wanted) - Counter(heard):
                watch.stop()

        watch.tell = telling
        RUN(watch)

    monkeypatch.setattr(Watch, "run", running)
    return heard


@pytest.mark.parametrize("how", HOW)
def test_a_foundry_that_cannot_begin_stops_no_room(
    two: Two, how: Callable[[Two], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    hint = how(two)
    ends_when(monkeypatch, ("over", "foundry"), ("listening", "owlbear"))
    done = two.table(*two.room, "--foundry")
    assert done.status == 3, done
    (told,) = [line for line in done.err.splitlines() if line.startswith("foundry: ")]
    assert told.startswith("foundry: over: ")
    assert hint in told
    assert done.out == "Stopped: 0 written, 0 taken, 0 in conflict; over: foundry.\n"
    ends_when(monkeypatch, ("over", "foundry"), ("listening", "owlbear"))
    done = two.table(*two.room, "--foundry", "--json")
    rows = [json.loads(line) for line in done.out.splitlines()]
    (over,) = [each for each in rows if each["vtt"] == "foundry"]
    assert (done.status, over["what"], hint in over["error"]) == (3, "over", True)
    assert {"what": "listening", "vtt": "owlbear"} in rows


@pytest.mark.parametrize(("how", "status"), [(Two.unconnected, 2), (Two.unbound, 2), (Two.without_key, 3)])
def test_where_it_is_the_only_one_its_failure_is_the_tables(two: Two, how: Callable[[Two], str], status: int) -> None:
    hint = how(two)
    done = two.table("--foundry")
    assert (done.status, hint in done.err, "watching" in done.err) == (status, True, False)


def test_where_none_of_several_can_begin_it_says_why_of_each(two: Two) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        room = ["--owlbear", "--owlbear-port", port, "--owlbear-bundle", two.room[-1]]
        done = two.table(*room, "--foundry", "--json")
    assert (done.status, done.document["code"]) == (3, "none_can_begin")
    assert "owlbear: this port cannot be had" in done.document["error"]
    assert f"foundry: {two.play.battle}: this battle is not connected to a relay" in done.document["error"]


def test_an_option_that_cannot_be_used_is_bad_input_whoever_else_is_there(two: Two) -> None:
    two.without_key()
    two.monkeypatch.setenv("RALLYPOINT_FOUNDRY_KEY", KEY)
    done = two.table(*two.room, "--owlbear-encounter", "nowhere.json", "--foundry")
    assert (done.status, "nowhere.json" in done.err, "watching" in done.err) == (2, True, False)


def test_a_relay_that_is_away_is_told_of_once_and_tried_again(two: Two, monkeypatch: pytest.MonkeyPatch) -> None:
    two.without_key()
    two.monkeypatch.setenv("RALLYPOINT_FOUNDRY_KEY", KEY)
    with socket.create_server(("127.0.0.1", 0)) as nobody:
        gone = f"http://127.0.0.1:{nobody.getsockname()[1]}"
    monkeypatch.setattr("rallypoint_foundry.live.table.HttpxWire", lambda _base: HttpxWire(gone))
    tries = ends_when(monkeypatch, ("away", "foundry"), ("away", "foundry"), ("listening", "owlbear"))
    done = two.table(*two.room, "--foundry", "--json")
    rows = [json.loads(line) for line in done.out.splitlines()]
    assert [each["code"] for each in rows if each["what"] == "away"] == ["relay_gone"]
    assert (tries.count(("away", "foundry")), done.status) == (2, 0)
