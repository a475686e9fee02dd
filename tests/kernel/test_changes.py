"""The text form of changes: each comes back, and what is no change is refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rallypoint.kernel.canonical import Value, canonical, freeze, parse
from rallypoint.kernel.changes import (
    Add,
    Change,
    DefineTracker,
    DropAgenda,
    DropLink,
    DropStatus,
    Remove,
    SetAgenda,
    SetAttribute,
    SetLink,
    SetPlace,
    SetStatus,
    SetTracker,
    change_in,
    change_out,
)
from rallypoint.kernel.errors import StateError
from rallypoint.kernel.events import Event, event_in, event_out
from rallypoint.kernel.fold import fold
from rallypoint.kernel.parts import Appointment, Hex, Link, Pose, Status, Tracker, Zone
from rallypoint.kernel.state import Entity, State

from .states import changes_of, states

ONE_OF_EACH: list[tuple[Change, str]] = [
    (SetTracker("a", "W", 2), '["tracker","a","W",2]'),
    (DefineTracker("a", "W", Tracker(1, None, 3, "down")), '["tracker=","a","W",[1,null,3,"down"]]'),
    (DefineTracker("a", "W", None), '["tracker=","a","W",null]'),
    (SetStatus("a", Status("pinned", 3, "b", 1, 2)), '["status","a",["pinned",3,"b",1,2]]'),
    (DropStatus("a", "pinned"), '["status-","a","pinned"]'),
    (SetPlace("a", Hex(1, -2, 3)), '["place","a",["hex",1,-2,3]]'),
    (SetPlace("a", Pose(1.5, 2.0, 3.0)), '["place","a",["pose",1.5,2.0,3.0]]'),
    (SetPlace("a", Zone("hull")), '["place","a",["zone","hull"]]'),
    (SetPlace("a", None), '["place","a",null]'),
    (SetAttribute("a", "hand", (1, 2)), '["attribute","a","hand",[1,2]]'),
    (SetLink(Link("aim", "a", "b", 1, 2, 3)), '["link",["aim","a","b",1,2,3]]'),
    (DropLink("aim", "a", "b"), '["link-","aim","a","b"]'),
    (Add(Entity.new("b", "unit", parent="a")), '["add",["b","unit","a",{},{},[],null,{}]]'),
    (Remove("a"), '["remove","a"]'),
    (SetAgenda(Appointment("k", 3, "burn", ("a", 1), 2)), '["agenda",["k",3,"burn",["a",1],2]]'),
    (DropAgenda("k"), '["agenda-","k"]'),
]


@pytest.mark.parametrize(("change", "text"), ONE_OF_EACH, ids=[text for _, text in ONE_OF_EACH])
def test_each_kind_of_change_has_its_text_and_comes_back(change: Change, text: str) -> None:
    assert canonical(change_out(change)) == text
    again = change_in(parse(text))
    assert again == change
    assert type(again) is type(change)


@given(states(), st.data())
def test_a_change_that_was_written_and_read_does_the_same(state: State, data: st.DataObject) -> None:
    change = data.draw(changes_of(state))
    again = change_in(parse(canonical(change_out(change))))
    assert type(again) is type(change)
    assert fold(state, [again]) == fold(state, [change])
    assert canonical(change_out(again)) == canonical(change_out(change))


@pytest.mark.parametrize(
    "row",
    [
        None,
        (),
        "tracker",
        (1, "a"),
        (("tracker",), "a"),
        ("trakcer", "a", "W", 1),
        ("tracker", "a"),
        ("tracker", "a", "W", 1, 2),
        ("tracker=", "a", "W"),
        ("tracker=", "a", "W", 1),
        ("status", "a"),
        ("status", "a", None),
        ("status", "a", ()),
        ("place", "a"),
        ("place", "a", ("moon", 1)),
        ("place", "a", ()),
        ("place", "a", ("hex", 1)),
        ("link", None),
        ("link", ("aim", "a")),
        ("add",),
        ("add", ("b", "unit")),
        ("agenda", 3),
        ("agenda",),
        ("remove",),
    ],
)
def test_what_is_no_change_is_a_state_error(row: Value) -> None:
    with pytest.raises(StateError):
        change_in(row)


def test_only_changes_are_written() -> None:
    with pytest.raises(StateError, match="this is not a change"):
        change_out(("tracker", "a", "W", 1))  # type: ignore[arg-type]


def test_an_event_is_written_as_its_story_and_its_changes() -> None:
    changes = (SetTracker("a", "W", 2), Remove("b"))
    event = Event("fire.hit", changes, "D-R16", "streamline", 0, {"target": [60]}, ("red",))
    story, rows = event_out(event)
    assert canonical(story) == '["fire.hit",2,"D-R16","streamline",0,{"target":[60]},["red"]]'
    assert canonical(rows) == '[["tracker","a","W",2],["remove","b"]]'
    assert event_in(freeze(story), changes) == event._replace(why={"target": (60,)})


@pytest.mark.parametrize("story", [None, (), ("a", 1), 3])
def test_what_is_no_event_is_a_state_error(story: Value) -> None:
    with pytest.raises(StateError, match="this is not an event"):
        event_in(story, ())


def test_an_event_is_seen_by_all_or_by_those_it_names() -> None:
    assert Event("x", (), "r").visible_to("blue")
    assert Event("x", (), "r", seen_by=("red",)).visible_to("red")
    assert not Event("x", (), "r", seen_by=("red",)).visible_to("blue")
    assert not Event("x", (), "r", seen_by=()).visible_to("red")
