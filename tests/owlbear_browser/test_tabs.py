"""Several tabs: one of them writes. O numbers are failures that others met."""

from __future__ import annotations

import threading

import pytest

from .browser import Room
from .program import Program
from .table import Table, messages_of
from .tokens import Json, shown, token


def writers(room: Room) -> set[str]:
    return {each["client"] for each in room.calls()}


def test_of_two_tabs_of_a_gm_one_writes(room: Room, program: Program) -> None:
    """O1, O2: both hear the same; a second one would write the same again, over what came between."""
    table = Table(room, program, [token("u1")])
    second = room.enter(program)
    second.until_it_stands(link="linked", writer=False, scene=table.scene)
    table.set(("u1", 2))
    assert writers(room) == {table.tab.client}
    assert len(room.calls()) == 1
    assert program.link.standing().pages == 2


@pytest.mark.usefixtures("short_lease")
def test_when_the_first_is_closed_the_second_writes(quick_room: Room, program: Program) -> None:
    room = quick_room
    table = Table(room, program, [token("u1")])
    second = room.enter(program)
    second.until_it_stands(link="linked", writer=False)
    table.tab.leave()
    second.until_it_stands(writer=True)
    table.set(("u1", 2))
    assert table.shown() == {"u1": 2}
    assert writers(room) == {second.client}


@pytest.mark.usefixtures("short_lease")
def test_what_the_first_left_undone_the_second_does(quick_room: Room, program: Program) -> None:
    """The first has heard the request, and is closed before it was written."""
    room = quick_room
    table = Table(room, program, [token("u1")])
    second = room.enter(program)
    second.until_it_stands(link="linked", writer=False)
    room.faults(rateHits=1)
    answers: list[Json] = []
    asking = threading.Thread(target=lambda: answers.append(table.set(("u1", 2))))
    asking.start()
    room.until("() => room.faults.calls.length === 1")
    table.tab.leave()
    asking.join(20)
    assert [shown(each) for each in answers[0]["items"]] == [2]
    assert [(each["client"], each["refused"]) for each in room.calls()] == [
        (table.tab.client, "RateLimitHit"),
        (second.client, None),
    ]


def test_a_request_that_comes_twice_is_done_once_and_answered_twice(room: Room, program: Program) -> None:
    """A lease that goes and comes back brings all open requests again."""
    table = Table(room, program, [token("u1"), token("u2")])
    heard = messages_of(program, "written", "refused")
    body = {"v": 1, "n": 77, "kind": "write", "scene": table.scene, "expires_ms": 5000}
    change = {"id": "u1", "trackers": [{"id": "rallypoint-wounds-u1", "value": 2}]}
    page = program.link.pages.by_id[table.tab.client]
    page.put({**body, "items": [change]})
    assert heard.get(timeout=20).answers == 77
    room.call("type", "u1", "rallypoint-wounds-u1", 0)  # somebody else; a second write would undo that
    page.put({**body, "items": [change]})
    again = heard.get(timeout=20)
    assert (again.answers, again.kind) == (77, "written")
    table.set(("u2", 1))  # it comes after whatever waits
    assert table.shown() == {"u1": 0, "u2": 1}


def test_a_page_without_the_lease_writes_nothing_that_it_is_asked_for(room: Room, program: Program) -> None:
    table = Table(room, program, [token("u1")])
    second = room.enter(program)
    second.until_it_stands(link="linked", writer=False, scene=table.scene)
    heard = messages_of(program, "written", "refused")
    body = {"v": 1, "n": 5, "kind": "write", "scene": table.scene, "expires_ms": 5000}
    program.link.pages.by_id[second.client].put({**body, "items": [{"id": "u1", "record": {"rev": 2}}]})
    assert heard.get(timeout=20).body["code"] == "not_writer"
    assert room.calls() == []
