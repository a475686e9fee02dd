"""What the GM links and places in the popover while a watch runs: bound there and then, by the rules of ``bind``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rallypoint_owlbear.link.encounters import Encounters
from rallypoint_owlbear.stands import RECORD_KEY
from rallypoint_owlbear.trackers import TRACKERS_KEY

from .room import Item
from .served_page import running
from .test_commands import OURS, THEIRS, Play
from .test_wishes import Watched


@pytest.fixture
def play(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Play]:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    with running(tmp_path) as server:
        yield Play(tmp_path, server)


@pytest.fixture
def watches(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Begins a watch; it ends with the test."""
    begun: list[Watched] = []

    def watch(play: Play) -> Watched:
        begun.append(Watched(play, monkeypatch))
        return begun[-1]

    yield watch
    for each in begun:
        each.stop()


def own(play: Play, name: str) -> None:
    """A token that the GM has brought."""
    item: Item = {"id": name, "name": name, "position": {"x": 0, "y": 0}, "metadata": {"com.x/y": 1}}
    play.room.change(lambda items: items.update({name: item}))


def linked(watched: Watched, uid: str, item: str | None) -> dict[str, Any]:
    """Wait until it is bound and synced, and the popover told that somebody has this token; return the status."""
    watched.bound()
    return watched.until(lambda each: any(row["uid"] == uid and row["item"] == item for row in each.get("roster", ())))


def numbers(item: Item) -> dict[str, int]:
    return {each["id"]: each["value"] for each in item["metadata"].get(TRACKERS_KEY, ())}


def test_a_link_is_bound_at_once_and_values_go_both_ways(play: Play, watches: Any) -> None:
    play.line.connect()
    own(play, "own")
    play.fought(OURS, 1)
    watched = watches(play)
    assert watched.play.page.status["watched"]
    play.page.say("link", item="own", uid=OURS)
    status = linked(watched, OURS, "own")
    assert (status["linked"], status["error"]) == (1, None)
    shown = play.room.items["own"]
    assert (shown["metadata"][RECORD_KEY]["uid"], shown["metadata"]["com.x/y"]) == (OURS, 1)
    assert numbers(shown) == {"rallypoint-stress": 0, f"rallypoint-wounds-{OURS}": 1}
    play.room.set("own", f"rallypoint-wounds-{OURS}", 2)
    watched.row(OURS, wounds=2)
    assert play.value(OURS) == 2
    watched.click(OURS, "wounds", 0, 2)
    watched.until(lambda each: each["kind"] == "write")
    watched.row(OURS, wounds=0)
    assert watched.stop().status == 0
    assert numbers(play.room.items["own"])[f"rallypoint-wounds-{OURS}"] == 0


def test_an_enemy_that_is_linked_shows_a_word_and_no_number(play: Play, watches: Any) -> None:
    play.line.connect()
    own(play, "foe")
    watched = watches(play)
    play.page.say("link", item="foe", uid=THEIRS)
    linked(watched, THEIRS, "foe")
    watched.stop()
    assert play.room.items["foe"]["metadata"][RECORD_KEY]["bands"] == {THEIRS: "unhurt"}
    assert numbers(play.room.items["foe"]) == {f"rallypoint-band-{THEIRS}": 0}


def test_a_link_that_is_taken_off_unbinds_at_once_and_may_go_to_another(play: Play, watches: Any) -> None:
    token = play.ready().token(OURS)["id"]
    other = "red.small-1A-1-1"
    others = play.token(other)["id"]
    watched = watches(play)
    play.page.say("link", item=token, uid=None)
    linked(watched, OURS, None)
    assert play.room.items[token]["metadata"][RECORD_KEY]["optOut"] is True
    play.fought(OURS, 1)
    watched.row(OURS, wounds=1)
    assert numbers(play.room.items[token])[f"rallypoint-wounds-{OURS}"] == 0
    play.page.say("link", item=others, uid=None)
    linked(watched, other, None)
    play.page.say("link", item=token, uid=other)
    linked(watched, other, token)
    play.room.set(token, f"rallypoint-wounds-{other}", 1)
    watched.row(other, wounds=1)
    assert (play.value(OURS), play.value(other)) == (1, 1)


def test_an_encounter_that_is_placed_by_a_click_is_bound_at_once(play: Play, watches: Any) -> None:
    Encounters(play.server.link, [play.export])
    play.line.connect()
    watched = watches(play)
    assert not play.room.items
    play.page.say("encounter", name=play.page.status["encounters"][0]["name"])
    watched.bound()
    status = watched.until(lambda each: each["kind"] == "status" and each["linked"] > 0)
    shown = {row["uid"]: row["item"] for row in status["roster"] if "wounds" in row}
    assert shown == {uid: play.token(uid)["id"] for uid in shown}
    assert len(shown) == play.page.status["encounters"][0]["tokens"] == 12
    play.fought(OURS, 1)
    watched.until(lambda each: each["kind"] == "write")
    watched.row(OURS, wounds=1)
    watched.stop()
    assert play.shown(OURS) == 1
    assert play.at("plan").status == 0


def test_where_the_room_refuses_one_token_of_an_encounter_the_others_are_bound(play: Play, watches: Any) -> None:
    Encounters(play.server.link, [play.export])
    play.line.connect()
    name = play.page.status["encounters"][0]["name"]

    def place(number: int, new: list[Item]) -> None:
        refused = [each["id"] for each in new if each["metadata"].get(RECORD_KEY, {}).get("uid") == OURS]
        there = [each for each in new if each["id"] not in refused]
        play.room.change(lambda items: items.update({each["id"]: each for each in there}))
        failed = [{"id": each, "code": "refused", "why": "the room says no"} for each in refused]
        play.page.say("placed", re=number, scene="scene-1", items=[each["id"] for each in there], failed=failed)

    play.page._place = place  # type: ignore[method-assign]
    watched = watches(play)
    play.page.say("encounter", name=name)
    watched.until(lambda each: "the room says no" in (each.get("error") or ""))
    watched.bound()
    watched.until(lambda each: each["kind"] == "status" and each["linked"] == 11)
    watched.stop()
    assert play.at("plan").status == 0


def test_what_is_placed_with_another_value_than_the_battle_has_is_read_before_anything_is_written(
    play: Play, watches: Any
) -> None:
    token = play.ready().token(OURS)["id"]
    assert play.at("unbind", "--item", token).status == 0  # the scene is known, and this token is not
    play.room.change(lambda items: items.__delitem__(token))
    Encounters(play.server.link, [play.export])
    play.fought(OURS, 1)
    watched = watches(play)
    play.page.say("encounter", name=play.page.status["encounters"][0]["name"])
    watched.bound()
    (conflict,) = watched.until(lambda each: bool(each.get("conflicts")))["conflicts"]
    assert (conflict["kind"], conflict["ours"], conflict["theirs"]) == ("different when first bound", "1", "owlbear: 0")
    watched.stop()
    assert (play.value(OURS), play.shown(OURS)) == (1, 0)


def test_in_another_scene_nothing_is_bound_and_the_link_is_kept_for_bind(play: Play, watches: Any) -> None:
    token = play.ready().token(OURS)["id"]
    watched = watches(play)
    play.room.open("scene-2")
    own(play, "own")
    play.page.say("link", item="own", uid="red.small-1A-1-1")
    error = watched.until(lambda each: "not bound" in (each.get("error") or ""))["error"]
    assert "rallypoint owlbear bind" in error
    assert RECORD_KEY not in play.room.items["own"]["metadata"]
    play.room.open("scene-1")
    watched.click(OURS, "wounds", 1, 0)
    watched.row(OURS, wounds=1)
    assert play.token(OURS)["id"] == token
    watched.stop()
    play.room.open("scene-2")
    assert play.at("bind").status == 1  # one of many has a token there
    assert play.token("red.small-1A-1-1")["id"] == "own"


def test_what_was_bound_with_numbers_is_bound_with_numbers_again(play: Play, watches: Any) -> None:
    play.ready()
    assert play.at("bind", "--enemies", "numbers").status == 0
    play.room.change(lambda items: items.__delitem__(play.token(THEIRS)["id"]))
    own(play, "foe")
    watched = watches(play)
    play.page.say("link", item="foe", uid=THEIRS)
    linked(watched, THEIRS, "foe")
    play.fought(THEIRS, 1)
    watched.row(THEIRS, wounds=1)
    watched.stop()
    assert numbers(play.room.items["foe"])[f"rallypoint-wounds-{THEIRS}"] == 1


def test_a_token_that_is_gone_and_a_unit_that_is_nobodys_are_told(play: Play, watches: Any) -> None:
    play.ready()
    play.room.change(lambda items: items.__delitem__(play.token(OURS)["id"]))
    watched = watches(play)
    play.page.say("link", item="was deleted", uid=OURS)
    watched.until(lambda each: "was deleted: it is not in the scene" in (each.get("error") or ""))
    own(play, "own")
    play.page.say("link", item="own", uid="nobody at all")
    watched.until(lambda each: "own: nobody is called nobody at all" in (each.get("error") or ""))


def test_without_a_watch_it_is_noted_until_bind(play: Play) -> None:
    play.ready()
    own(play, "own")
    play.room.change(lambda items: items.__delitem__(play.token(OURS)["id"]))
    assert play.page.status["watched"] is False
    play.page.say("link", item="own", uid=OURS)
    assert RECORD_KEY not in play.room.items["own"]["metadata"]
    assert play.at("bind").status == 0
    assert play.token(OURS)["id"] == "own"


def test_a_watch_with_nothing_bound_says_so_and_waits(play: Play, watches: Any) -> None:
    play.line.connect()
    watched = watches(play)
    watched.click(OURS, "wounds", 1, 0)
    watched.row(OURS, wounds=1)
    done = watched.stop()
    told = done.err
    assert done.status == 0
    assert f"nothing is bound yet: rallypoint owlbear bind {play.battle}" in told
    assert "link tokens or place an encounter in the popover" in told
