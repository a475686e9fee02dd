"""The fold: what each change does, what it refuses, and what stays as it was."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

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
)
from rallypoint.kernel.errors import StateError
from rallypoint.kernel.fold import fold
from rallypoint.kernel.parts import Appointment, Hex, Link, Pose, Status, Tracker
from rallypoint.kernel.state import Entity, State

from .states import changes_of, states

NAN = float("nan")


def table() -> State:
    return State.of(
        [
            Entity.new("red", "side", attributes={"code": "alpha"}),
            Entity.new("team", "team", parent="red"),
            Entity.new("bot", "unit", parent="team", trackers={"Wounds": Tracker(1, 0, 3), "Ammo": Tracker(4, 0, 6)}),
            Entity.new("blue", "side", statuses=[Status("pinned", 1)]),
        ],
        [Link("aim", "bot", "blue"), Link("spot", "blue", "red"), Link("spot", "blue", "bot")],
        [Appointment("smoke", 5, "fade")],
    )


@given(states(), st.data())
def test_the_old_state_stays_and_the_new_one_is_whole(state: State, data: st.DataObject) -> None:
    before = state.to_text()
    now = state
    for _ in range(data.draw(st.integers(1, 4))):
        now = fold(now, [data.draw(changes_of(now))])
        assert State.from_text(now.to_text()) == now
        assert State.of(now, now.links.values(), now.agenda).to_text() == now.to_text()
        parents = [(entity.uid, entity.parent) for entity in now]
        assert [child.uid for child in now.children(None)] == [uid for uid, parent in parents if parent is None]
        for uid, _ in parents:
            assert [child.uid for child in now.children(uid)] == [child for child, parent in parents if parent == uid]
    assert state.to_text() == before


@given(states(), st.data())
def test_changes_one_by_one_or_together_come_to_the_same(state: State, data: st.DataObject) -> None:
    changes: list[Change] = []
    now = state
    for _ in range(3):
        changes.append(data.draw(changes_of(now)))
        now = fold(now, changes[-1:])
    assert fold(state, changes).to_text() == now.to_text()


def test_what_a_change_does_not_touch_is_shared() -> None:
    before = table()
    after = fold(before, [SetTracker("bot", "Wounds", 2)])
    assert after["red"] is before["red"]
    assert after["bot"].facts is before["bot"].facts
    assert after._links is before._links
    assert before["bot"].value("Wounds") == 1
    assert after["bot"].trackers["Wounds"] == Tracker(2, 0, 3)
    assert after["bot"].trackers["Ammo"] is before["bot"].trackers["Ammo"]


def test_no_change_is_the_same_state() -> None:
    assert fold(table(), []) == table()


def test_a_later_change_sees_the_earlier_one() -> None:
    after = fold(
        table(), [Add(Entity.new("x", "unit", parent="team")), SetAttribute("x", "name", "new"), Remove("red")]
    )
    assert list(after.entities) == ["blue"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (SetStatus("bot", Status("x")), SetStatus("bot", Status("y"))),
        (SetAttribute("bot", "x", 1), SetAttribute("bot", "y", 2)),
        (DefineTracker("bot", "X", Tracker(1)), DefineTracker("bot", "Y", Tracker(1))),
        (SetLink(Link("x", "bot", "red")), SetLink(Link("a", "red", "bot"))),
        (SetAgenda(Appointment("y", 5, "r")), SetAgenda(Appointment("x", 5, "r"))),
        (SetAttribute("bot", "m", {"x": 1, "y": 2}), SetAttribute("bot", "m", {"y": 2, "x": 1})),
    ],
)
def test_the_order_of_history_does_not_show(one: Change, other: Change) -> None:
    forth, back = fold(table(), [one, other]), fold(table(), [other, one])
    assert forth.to_text() == back.to_text()
    assert forth.digest == back.digest


def test_remove_takes_what_is_below_and_every_link_that_ended_there() -> None:
    after = fold(table(), [Remove("team")])
    assert list(after.entities) == ["red", "blue"]
    assert list(after.links) == [("spot", "blue", "red")]
    assert after.children("red") == ()
    assert [child.uid for child in after.children(None)] == ["red", "blue"]


def test_remove_takes_all_depths() -> None:
    assert list(fold(table(), [Remove("red")]).entities) == ["blue"]
    assert fold(table(), [Remove("red")]).links == {}


def test_a_status_of_the_same_name_is_replaced() -> None:
    after = fold(table(), [SetStatus("blue", Status("pinned", 2, "bot", 3, 4))])
    assert after["blue"].statuses == {"pinned": Status("pinned", 2, "bot", 3, 4)}
    assert fold(after, [DropStatus("blue", "pinned")])["blue"].statuses == {}


def test_a_link_of_the_same_key_is_replaced() -> None:
    after = fold(table(), [SetLink(Link("aim", "bot", "blue", 3))])
    assert len(after.links) == 3
    assert after.links["aim", "bot", "blue"].value == 3
    assert ("aim", "bot", "blue") not in fold(after, [DropLink("aim", "bot", "blue")]).links


def test_the_agenda_keeps_time_then_key_and_replaces_a_key() -> None:
    after = fold(table(), [SetAgenda(Appointment("b", 5, "r")), SetAgenda(Appointment("a", 9, "r"))])
    assert [(a.key, a.at) for a in after.agenda] == [("b", 5), ("smoke", 5), ("a", 9)]
    again = fold(after, [SetAgenda(Appointment("smoke", 1, "r"))])
    assert [(a.key, a.at) for a in again.agenda] == [("smoke", 1), ("b", 5), ("a", 9)]
    assert [a.key for a in fold(again, [DropAgenda("b")]).agenda] == ["smoke", "a"]


def test_a_tracker_can_be_defined_replaced_and_taken_away() -> None:
    after = fold(table(), [DefineTracker("red", "Morale", Tracker(7, 0, 10, "down"))])
    assert after["red"].trackers == {"Morale": Tracker(7, 0, 10, "down")}
    assert fold(after, [DefineTracker("red", "Morale", None)])["red"].trackers == {}


def test_a_place_and_an_attribute_can_be_set_and_taken_away() -> None:
    after = fold(table(), [SetPlace("bot", Hex(1, 2)), SetAttribute("red", "code", "beta")])
    assert after["bot"].place == Hex(1, 2)
    assert after["red"].attributes == {"code": "beta"}
    gone = fold(after, [SetPlace("bot", None), SetAttribute("red", "code", None)])
    assert gone["bot"].place is None
    assert gone["red"].attributes == {}


def test_values_are_frozen_on_their_way_in() -> None:
    notes = ["a"]
    after = fold(
        table(),
        [
            SetAttribute("bot", "n", notes),  # type: ignore[arg-type]
            SetStatus("bot", Status("n", notes)),  # type: ignore[arg-type]
            SetLink(Link("n", "bot", "red", notes)),  # type: ignore[arg-type]
            SetAgenda(Appointment("n", 1, "r", (notes,))),  # type: ignore[arg-type]
        ],
    )
    notes.append("b")
    assert after["bot"].attributes["n"] == after["bot"].statuses["n"].value == ("a",)
    assert after.links["n", "bot", "red"].value == ("a",)
    assert after.agenda[0].args == (("a",),)


WRONG: list[tuple[Change, str]] = [
    (SetTracker("nobody", "Wounds", 1), "names an entity that is not there; found: nobody"),
    (DefineTracker("nobody", "Wounds", Tracker(0)), "names an entity that is not there"),
    (SetStatus("nobody", Status("x")), "names an entity that is not there"),
    (DropStatus("nobody", "x"), "names an entity that is not there"),
    (SetPlace("nobody", None), "names an entity that is not there"),
    (SetAttribute("nobody", "x", 1), "names an entity that is not there"),
    (SetLink(Link("aim", "bot", "nobody")), "names an entity that is not there"),
    (SetLink(Link("aim", "nobody", "bot")), "names an entity that is not there"),
    (Remove("nobody"), "names an entity that is not there"),
    (Add(Entity.new("x", "unit", parent="nobody")), "names an entity that is not there"),
    (Add(Entity.new("bot", "unit")), "a uid is taken already; found: bot"),
    (SetTracker("bot", "Wonds", 1), "bot: a change names a tracker that is not there; found: Wonds"),
    (SetTracker("bot", "Wounds", 4), "bot Wounds: a tracker would leave its limits; found: 4; .* from 0 to 3"),
    (SetTracker("bot", "Wounds", -1), "a tracker would leave its limits"),
    (SetTracker("bot", "Wounds", True), "a tracker would leave its limits"),
    (SetTracker("bot", "Wounds", 1.0), "a tracker would leave its limits"),  # type: ignore[arg-type]
    (DefineTracker("bot", "Wounds", Tracker(4, 0, 3)), "a tracker would leave its limits"),
    (DefineTracker("bot", "Morale", None), "bot: there is nothing of that name to take away; found: Morale"),
    (DropStatus("bot", "pinned"), "there is nothing of that name to take away"),
    (SetAttribute("bot", "code", None), "there is nothing of that name to take away"),
    (DropLink("aim", "blue", "bot"), "there is no such link to take away"),
    (DropAgenda("rain"), "there is no such appointment to take away; found: rain"),
    (SetAttribute("bot", "x", NAN), "a number must be finite"),
    (SetAttribute("bot", "x", {1, 2}), "cannot be kept as a value"),  # type: ignore[arg-type]
    (SetAttribute("bot", "x", {1: 2}), "a key must be text"),  # type: ignore[dict-item]
    (SetStatus("bot", Status("x", NAN)), "a number must be finite"),
    (SetLink(Link("aim", "bot", "red", NAN)), "a number must be finite"),
    (SetAgenda(Appointment("k", 1, "r", (NAN,))), "a number must be finite"),
    (SetPlace("bot", Pose(NAN, 0.0)), "a number must be finite"),
    (("tracker", "bot", "Wounds", 1), "this is not a change"),  # type: ignore[list-item]
]


@pytest.mark.parametrize(("change", "message"), WRONG, ids=[str(number) for number in range(len(WRONG))])
def test_a_change_that_does_not_fit_is_refused_and_nothing_has_changed(change: Change, message: str) -> None:
    state = table()
    before = state.to_text()
    with pytest.raises(StateError, match=message):
        fold(state, [SetTracker("bot", "Ammo", 0), change])
    assert state.to_text() == before


def test_a_scene_is_the_same_until_a_place_a_status_a_link_or_somebody_changes() -> None:
    units = [Entity.new(uid, "unit", trackers={"Wounds": Tracker(0, 0, 2)}) for uid in ("red", "blue")]
    first = State.of(units)
    told = fold(first, [SetTracker("red", "Wounds", 1), SetAttribute("red", "moved", 1)])
    told = fold(told, [SetAttribute("red", "moved", None), DefineTracker("red", "Stress", Tracker(0, 0, 20))])
    told = fold(told, [SetAgenda(Appointment("a", 4, "burn"))])
    assert told.scene is first.scene
    scenes = [told.scene]
    changes: list[Change] = [
        SetPlace("red", Hex(1, 1)),
        SetStatus("red", Status("out")),
        DropStatus("red", "out"),
        SetLink(Link("spot", "red", "blue")),
        DropLink("spot", "red", "blue"),
        Add(Entity.new("green", "unit")),
        Remove("green"),
    ]
    for change in changes:
        told = fold(told, [SetTracker("blue", "Wounds", 1), change])
        assert all(told.scene is not scene for scene in scenes), change
        scenes.append(told.scene)
    assert State.of(units).scene is not first.scene
