"""Answers that are none: of another kind, of a page that may not write, twice, to what nobody asked, or that say nothing."""

from __future__ import annotations

from typing import Any

import pytest

from rallypoint_owlbear.link.changes import tracker_path
from rallypoint_owlbear.link.library import upload_pictures
from rallypoint_sync.transport import DoubtfulError

from .room import Item, Page, token
from .test_link import Table

WOUNDS = tracker_path("rallypoint-wounds-u1")


def shows(value: int) -> Item:
    return token("t1", "u1", {"rallypoint-wounds-u1": value})


def written(*items: Item, **more: Any) -> dict[str, Any]:
    return {"kind": "written", "scene": "scene-1", "items": [*items], "gone": [], "failed": [], **more}


def answers(page: Page, *said: dict[str, Any]) -> None:
    """Let a page answer to the next write with this, and do nothing."""

    def write(number: int, changes: list[Item]) -> None:
        for each in said:
            page.say(**{"re": number, **each})

    page._write = write  # type: ignore[method-assign]


@pytest.mark.parametrize(
    "said",
    [
        {"kind": "snapshot", "scene": "scene-1", "items": [shows(1)], "gone": []},
        {"kind": "placed", "scene": "scene-1", "items": ["t1"], "failed": []},
        {"kind": "uploaded", "sure": True},
        {"kind": "picked", "images": []},
        written(shows(1), re=99),
        written(shows(1), re=0),
        written(shows(1), re=-1),
    ],
)
def test_what_is_no_answer_to_a_write_leaves_it_in_doubt(said: dict[str, Any]) -> None:
    table = Table()
    answers(table.page, said)
    with pytest.raises(DoubtfulError, match="did not answer"):
        table.way.write("t1", {WOUNDS: 1})


def test_the_first_answer_holds_and_a_second_one_says_nothing() -> None:
    table = Table()
    answers(table.page, written(shows(1)), written(shows(2)))
    assert table.way.write("t1", {WOUNDS: 1}) == {WOUNDS: 1}
    table.page.say("written", re=1, scene="scene-1", items=[shows(2)], gone=[], failed=[])
    assert table.way.read(["t1"]).seen == {"t1": {WOUNDS: 0}}


def test_a_players_page_answers_nothing() -> None:
    table = Table()
    player, _ = table.tab("phone", "PLAYER")
    table.page._write = lambda number, changes: player.say(re=number, **written(shows(1)))  # type: ignore[method-assign]
    with pytest.raises(DoubtfulError, match="did not answer"):
        table.way.write("t1", {WOUNDS: 1})


@pytest.mark.parametrize("said", [written(shows(1)), {"kind": "picked", "images": []}])
def test_what_is_no_answer_to_an_upload_leaves_it_in_doubt(said: dict[str, Any]) -> None:
    table = Table()
    table.page._upload = lambda number, body: table.page.say(**{"re": number, **said})  # type: ignore[method-assign]
    assert upload_pictures(table.link, []) is False


def test_of_what_is_to_be_placed_each_is_there_or_it_is_said_why_not() -> None:
    table = Table()
    new = [token(name, name, {}) for name in ("n1", "n2", "n3")]
    told = {"items": ["n1", "stranger"], "failed": [{"id": "n2", "why": "too big"}, {"id": "other", "why": "no"}, 7]}
    table.page._place = lambda number, new: table.page.say("placed", re=number, scene="scene-1", **told)  # type: ignore[method-assign]
    there, failed = table.way.place(new)
    assert there == ("n1",)
    assert failed == {"n2": "too big", "n3": "the answer does not tell of it"}
