"""What the GM clicks in the popover: who may, what becomes of it when nobody is there, how it comes into the battle."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from rallypoint.kernel.plugins.opening import open_battle
from rallypoint_owlbear.link.desk import Desk, Place
from rallypoint_owlbear.link.link import Link
from rallypoint_owlbear.link.transport import OwlbearTransport
from rallypoint_owlbear.link.wire import WireError, body_of, messages_of
from rallypoint_sync.fields import Field
from rallypoint_sync.watching import News, Watch
from rallypoint_sync.wishes import BindAnew, SetValue, TakeSide

from ..cli.battles import Said
from .room import Page, Room
from .served_page import running
from .test_commands import OURS, THEIRS, Play
from .test_link import Table

SET = {"uid": "u1", "field": "wounds", "value": 2, "was": 0}


def refused(call: Callable[[], object], status: int, code: str) -> None:
    with pytest.raises(WireError) as error:
        call()
    assert (error.value.status, error.value.code) == (status, code)


# The link


def test_a_click_wakes_whoever_attends_and_is_handed_over_once() -> None:
    table = Table()
    changes = table.way.changes()
    assert list(next(changes)) == []
    table.page.say("set", **SET)
    table.page.say("resolve", number=7, take="owlbear")
    assert list(next(changes)) == []
    found = [each._replace(key="") for each in table.way.wishes()]
    assert found == [SetValue(Field("u1", "Wounds"), 2, 0, "Warden"), TakeSide(7, "owlbear", "Warden")]
    assert table.way.wishes() == []


@pytest.mark.parametrize("kind", ["set", "resolve"])
def test_where_nobody_attends_the_popover_says_so(kind: str) -> None:
    table = Table()
    table.page.say(kind, **(SET if kind == "set" else {"number": 7, "take": "battle"}))
    assert "no watch of a battle runs" in table.page.status["error"]
    assert table.way.wishes() == []


def test_a_watch_that_ended_attends_no_more_and_one_that_was_killed_a_little_longer() -> None:
    table = Table()
    next(table.way.changes())
    table.way.stop()
    table.page.say("set", **SET)
    assert "no watch" in table.page.status["error"]
    table.link.say(error=None)
    next(table.way.changes())
    table.page.say("set", **SET)
    assert not table.page.status["error"]
    table.now += 4.5
    table.page.say("lease")  # the page is there every two seconds
    assert "no watch" in str(table.page.status["error"])
    assert table.way.wishes() == []  # and nobody does it later


def test_o36_a_players_page_may_ask_nothing_of_the_battle_and_sees_no_number() -> None:
    table = Table()
    next(table.way.changes())
    player, _ = table.tab("phone", "PLAYER")
    for kind, keys in (
        ("set", SET),
        ("resolve", {"number": 7, "take": "battle"}),
        ("encounter", {"name": "ford"}),
        ("link", {"item": "t1", "uid": "u1"}),
    ):
        refused(lambda kind=kind, keys=keys: player.say(kind, **keys), 403, "role")  # type: ignore[misc]
    assert (table.way.wishes(), table.link.links()) == ([], {})
    row = {"uid": "u1", "wounds": 2}
    table.link.say(roster=[row], conflicts=[{"number": 1}], encounters=[{"name": "ford"}], error="u1 Wounds is 2")
    told = [player.status[key] for key in ("roster", "conflicts", "encounters", "error")]
    assert told == [[], [], [], None]
    assert table.page.status["roster"] == [row]


def test_a_page_that_turns_out_to_be_a_players_may_ask_no_more() -> None:
    table = Table()
    next(table.way.changes())
    hello = {"m": 50, "kind": "hello", "player": "p", "name": "Ann", "role": "PLAYER", "room": "r1"}
    body = {"v": 1, "page": "tab-1", "messages": [hello, {"m": 51, "kind": "set", **SET}]}
    refused(lambda: table.link.hear(*messages_of(body)), 403, "role")
    assert table.way.wishes() == []


def test_ten_thousand_clicks_are_bounded_and_none_is_lost_that_was_heard() -> None:
    table = Table()
    next(table.way.changes())
    clicks = [{"m": 10 + number, "kind": "set", **SET, "value": number} for number in range(10_000)]
    refused(lambda: messages_of({"page": "tab-1", "messages": clicks}), 400, "message")
    taken: list[int] = []
    for _ in range(3):  # the page sends again what was not heard
        heard = table.link.pages.by_id["tab-1"].heard
        left = [each for each in clicks if int(str(each["m"])) > heard][:500]
        refused(lambda left=left: table.link.hear(*messages_of({"page": "tab-1", "messages": left})), 429, "rate")  # type: ignore[misc]
        taken += [each.value for each in table.way.wishes() if isinstance(each, SetValue)]
    assert taken == list(range(300))


@pytest.mark.parametrize(
    "keys",
    [
        {"value": 10**30},
        {"value": -(10**30)},
        {"value": 1.5},
        {"value": "2"},
        {"value": True},
        {"value": None},
        {"was": 10**30},
        {"was": None},
        {"field": "name"},
        {"field": "Wounds"},
        {"uid": "x" * 5000},
        {"uid": None},
    ],
)
def test_a_set_that_is_none(keys: dict[str, Any]) -> None:
    body = {"page": "tab-1", "messages": [{"m": 1, "kind": "set", **SET, **keys}]}
    refused(lambda: messages_of(body), 400, "message")


@pytest.mark.parametrize("keys", [{"take": "foundry"}, {"take": 2}, {"number": "7"}, {"number": 2**53}])
def test_a_resolve_that_is_none(keys: dict[str, Any]) -> None:
    body = {"page": "tab-1", "messages": [{"m": 1, "kind": "resolve", "number": 7, "take": "battle", **keys}]}
    refused(lambda: messages_of(body), 400, "message")


@pytest.mark.parametrize("click", [7, True, "x" * 41, ["a"]])
def test_a_click_that_is_none(click: object) -> None:
    body = {"page": "tab-1", "messages": [{"m": 1, "kind": "set", **SET, "click": click}]}
    refused(lambda: messages_of(body), 400, "message")


def test_a_refusal_names_its_click_and_twenty_are_kept() -> None:
    table = Table()
    for number in range(22):
        table.page.say("set", **SET, click=f"c{number}")
    table.page.say("set", **SET)
    told = table.page.status["refused"]
    assert [each["click"] for each in told] == [f"c{number}" for number in range(2, 22)]
    assert {each["why"] for each in told} == {table.page.status["error"]}
    table.link.attend(5, "one", begins=True)
    for click in ("yes", "no"):
        table.page.say("set", **SET, click=click)
    for wish, why in zip(table.link.take_wishes("one"), (None, "u1 is out"), strict=True):
        table.link.answer(str(wish["key"]), why)
        table.link.answer(str(wish["key"]), "a second answer is none")
    assert [each for each in table.page.status["refused"] if each["why"] == "u1 is out"] == [
        {"click": "no", "why": "u1 is out"}
    ]
    assert table.page.status["refused"][-1]["click"] == "no"
    player, _ = table.tab("phone", "PLAYER")
    assert player.status["refused"] == []


def test_a_name_that_steers_terminals_or_is_empty() -> None:
    link = Link(lambda: 0.0)
    for name, who in (("A\x1b[2Jnn\u202e", "A [2Jnn "), (" \n", "the GM")):
        hello = {"m": 1, "kind": "hello", "player": "p", "name": name, "role": "GM", "room": "r1"}
        link.attend(5)
        page = f"tab {name!r}"
        link.hear(*messages_of({"page": page, "messages": [hello, {"m": 2, "kind": "set", **SET}]}))
        (wish,) = OwlbearTransport(link, "scene-1", ()).wishes()
        assert wish.who == who.strip()


# A watch after a watch


@pytest.fixture
def play(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Play]:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    with running(tmp_path) as server:
        yield Play(tmp_path, server)


def polled(desk: Desk, watch: str, after: int = -1, seconds: float = 20.0) -> threading.Thread:
    """What a watch that is killed leaves behind: a question that waits at the server, whose answer nobody reads."""
    asked = threading.Thread(
        target=lambda: desk._post("changes", {"watch": watch, "after": after, "seconds": seconds}, 40.0), daemon=True
    )
    asked.start()
    return asked


def test_a_click_goes_to_the_watch_that_runs_and_not_to_the_question_of_one_that_was_killed(play: Play) -> None:
    play.ready()
    desk = Desk(Place(play.port, play.server.doors.desk_key))
    number = desk._post("changes", {"watch": "killed", "after": -1, "seconds": 0.001}, 10.0)["number"]
    waits = polled(desk, "killed", after=int(str(number)))
    changes = desk.changes()
    assert list(next(changes)) == []
    play.page.say("set", **SET)
    waits.join(20)
    assert list(next(changes)) == []
    assert [each["value"] for each in desk.take_wishes()] == [2]
    desk.leave()


def test_what_a_killed_watch_has_taken_is_handed_to_the_next_one_and_given_up_without_one() -> None:
    table = Table()
    link = table.link
    link.attend(5, "killed", begins=True)
    table.page.say("set", **SET)
    assert len(link.take_wishes("killed")) == 1
    assert link.take_wishes("killed") == []
    link.attend(5, "next", begins=True)
    (wish,) = link.take_wishes("next")
    assert (wish["uid"], link.take_wishes("killed")) == ("u1", [])
    table.now += 8.5  # nobody answers, and nobody asks again
    table.page.say("lease")
    assert "no watch of a battle runs" in table.page.status["error"]
    link.attend(5, "third", begins=True)
    assert link.take_wishes("third") == []


def test_what_is_answered_is_not_handed_over_again() -> None:
    table = Table()
    table.link.attend(5, "one", begins=True)
    table.page.say("set", **SET)
    (wish,) = table.link.take_wishes("one")
    table.link.answer(str(wish["key"]))
    table.link.attend(5, "two", begins=True)
    assert table.link.take_wishes("two") == []
    table.link.leave("two")
    table.page.say("lease")
    assert table.page.status["error"] is None


def test_a_watch_that_leaves_late_does_not_send_the_next_one_away() -> None:
    table = Table()
    table.link.attend(5, "one", begins=True)
    table.link.attend(5, "two", begins=True)
    table.link.leave("one")
    table.link.attend(5, "one")  # its last question comes later still
    table.page.say("set", **SET)
    assert table.page.status["error"] is None
    assert [each["value"] for each in table.link.take_wishes("two")] == [2]
    table.link.leave("two")
    table.link.say(error=None)
    assert not table.link.attend(5, "two")
    assert not table.link.attend(5, "two", begins=True)  # its first question may be as late
    table.page.say("set", **SET, click="too late")
    assert [each["click"] for each in table.page.status["refused"]] == ["too late"]
    assert "no watch" in str(table.page.status["error"])


def test_what_is_done_while_its_watch_listens_anew_is_not_told_of_as_not_done() -> None:
    table = Table()
    table.link.attend(5, "one", begins=True)
    table.page.say("set", **SET, click="mine")
    (wish,) = table.link.take_wishes("one")
    table.link.attend(5, "one anew", begins=True)  # its stream had ended
    table.link.answer(str(wish["key"]))
    assert table.link.take_wishes("one anew") == []
    table.link.leave("one anew")
    assert (table.page.status["error"], table.page.status["refused"]) == (None, [])


def test_a_watch_that_listens_anew_does_not_do_a_click_twice(play: Play) -> None:
    play.ready()
    desk = Desk(Place(play.port, play.server.doors.desk_key))
    next(desk.changes())
    play.page.say("set", **SET)
    for _ in range(2):  # its stream ended before it had done the click
        next(desk.changes())
    assert len(desk.take_wishes()) == 1
    desk.leave()


# From the click into the log, over HTTP, with the commands


class Watched:
    """``rallypoint owlbear watch`` in a thread, and what the page is told meanwhile."""

    def __init__(self, play: Play, monkeypatch: pytest.MonkeyPatch) -> None:
        self.play = play
        self.told: list[dict[str, Any]] = []
        self.heard: list[News] = []
        self.news = threading.Condition()
        self.ended: list[Said] = []
        self.watches: list[Watch] = []
        watched, begun = self, threading.Event()

        class Seen(Watch):
            def run(self) -> None:
                watched.watches.append(self)
                tell = self.tell

                def telling(news: News) -> None:
                    tell(news)
                    with watched.news:
                        watched.heard.append(news)
                        watched.news.notify_all()
                    if news.what == "synced":
                        begun.set()

                self.tell = telling
                super().run()

        monkeypatch.setattr("rallypoint_owlbear.link.commands.battle.Watch", Seen)
        told = play.page.told

        def telling(data: str) -> None:
            told(data)
            with self.news:
                self.told.append(body_of(data.encode()))
                self.news.notify_all()

        play.page.told = telling  # type: ignore[method-assign]
        self.thread = threading.Thread(target=lambda: self.ended.append(play.at("watch", "--json")), daemon=True)
        self.thread.start()
        assert begun.wait(20)

    def until(self, fits: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """Wait until the page is told something like this; what it was told before is forgotten."""
        found: list[dict[str, Any]] = []

        def is_told() -> bool:
            while self.told and not found:
                each = self.told.pop(0)
                found.extend([each] if fits(each) else [])
            return bool(found)

        with self.news:
            assert self.news.wait_for(is_told, 20)
        return found[0]

    def bound(self) -> None:
        """Wait until it has bound what came, and has synced after that; what it was told before is forgotten."""

        def is_done() -> bool:
            told = [each.what for each in self.heard if isinstance(each.wish, BindAnew) or each.what == "synced"]
            return "granted" in told and told[-1] == "synced"

        with self.news:
            assert self.news.wait_for(is_done, 20)
            self.heard.clear()

    def click(self, uid: str, field: str, value: int, was: int) -> None:
        self.play.page.say("set", uid=uid, field=field, value=value, was=was)

    def row(self, uid: str, **wanted: int) -> None:
        """Wait until the popover shows a unit so."""
        self.until(
            lambda each: any(row["uid"] == uid and wanted.items() <= row.items() for row in each.get("roster", ()))
        )

    def stop(self) -> Said:
        self.watches[0].stop()
        self.thread.join(20)
        return self.ended[0]


@pytest.fixture
def watched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Watched]:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    with running(tmp_path) as server:
        found = Watched(Play(tmp_path, server).ready(), monkeypatch)
        yield found
        found.stop()


def test_a_click_comes_into_the_log_and_to_the_token(watched: Watched, capsys: pytest.CaptureFixture[str]) -> None:
    watched.click(OURS, "wounds", 1, 0)
    watched.row(OURS, wounds=1)
    watched.until(lambda each: each["kind"] == "write")
    with open_battle(watched.play.battle).battle as battle:
        last = battle.history.entries[-1]
        assert (last.kind, last.body["who"], battle.state[OURS].value("Wounds")) == ("edit", "Warden", 1)
    assert watched.stop().status == 0
    told = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    (granted,) = [each for each in told if each["what"] == "granted"]
    assert granted["wish"] == {
        "field": [OURS, "Wounds"],
        "value": 1,
        "was": 0,
        "who": "Warden",
    }
    assert granted["vtt"] == "owlbear"
    assert watched.play.shown(OURS) == 1


def test_a_unit_without_a_token_and_an_enemy_of_whom_the_room_has_a_word(watched: Watched) -> None:
    play = watched.play
    play.room.change(lambda items: items.__delitem__(play.token(OURS)["id"]))
    watched.click(OURS, "wounds", 1, 0)
    watched.row(OURS, wounds=1)
    watched.click(THEIRS, "wounds", 1, 0)
    watched.row(THEIRS, wounds=1)
    assert (play.value(OURS), play.value(THEIRS)) == (1, 1)


def test_stress_goes_to_every_token_of_the_platoon(watched: Watched) -> None:
    play = watched.play
    row = next(each for each in play.page.status["roster"] if each["side"] == "red" and "stress" in each)
    watched.click(row["uid"], "stress", row["stress"] + 3, row["stress"])
    watched.until(lambda each: each["kind"] == "write")
    play.room.set(play.token(OURS)["id"], f"rallypoint-wounds-{OURS}", 1)
    watched.row(OURS, wounds=1)
    shown = [
        entry["value"]
        for item in play.room.items.values()
        for entry in item["metadata"].get("com.owl-trackers/trackers", ())
        if entry["id"] == "rallypoint-stress"
    ]
    assert len(shown) > 2
    assert set(shown) == {row["stress"] + 3}


def test_what_the_battle_has_is_said_and_stays_until_the_next_click(watched: Watched) -> None:
    watched.play.page.say("set", uid=OURS, field="wounds", value=2, was=1, click="mine")
    error = watched.until(lambda each: bool(each.get("error")))["error"]
    assert "another value by now" in error
    assert "found: 0" in error
    assert watched.play.page.status["error"] == error
    assert watched.play.page.status["refused"] == [{"click": "mine", "why": error}]
    watched.click(OURS, "wounds", 10**9, 0)
    assert "0 to 2" in watched.until(lambda each: "does not fit" in (each.get("error") or ""))["error"]
    watched.click("nobody at all", "wounds", 1, 0)
    watched.until(lambda each: "nobody of this uid" in (each.get("error") or ""))
    assert watched.play.value(OURS) == 0
    watched.click(OURS, "wounds", 1, 0)
    watched.until(lambda each: each["kind"] == "status" and each["error"] is None)
    assert watched.play.value(OURS) == 1


def test_a_conflict_is_resolved_by_a_click(watched: Watched) -> None:
    play = watched.play
    play.at("pause")
    play.room.set(play.token(OURS)["id"], f"rallypoint-wounds-{OURS}", 2)
    play.fought(OURS, 1)
    play.at("resume")
    (conflict,) = watched.until(lambda each: bool(each.get("conflicts")))["conflicts"]
    assert (conflict["ours"], conflict["theirs"]) == ("1", "owlbear: 2")
    play.page.say("resolve", number=conflict["number"], take="owlbear")
    watched.row(OURS, wounds=2)
    watched.until(lambda each: each["kind"] == "status" and not each["conflicts"])
    assert (play.value(OURS), play.shown(OURS)) == (2, 2)
    play.page.say("resolve", number=conflict["number"], take="battle")
    watched.until(lambda each: "not open any more" in (each.get("error") or ""))


def test_after_a_watch_that_ended_the_popover_is_told_so(watched: Watched) -> None:
    watched.stop()
    watched.click(OURS, "wounds", 1, 0)
    watched.until(lambda each: "no watch" in (each.get("error") or ""))
    assert watched.play.value(OURS) == 0


def test_the_fake_page_asks_as_the_contract_says() -> None:
    """What is asked of a battle goes up as docs/owlbear-link.md writes it."""
    page, sent = Page(Room()), list[dict[str, Any]]()

    class Line:
        def up(self, text: str) -> None:
            sent.extend(json.loads(text)["messages"])

    page.line = Line()
    page.say("set", **SET)
    assert sent == [{"m": 1, "kind": "set", "uid": "u1", "field": "wounds", "value": 2, "was": 0}]
