"""States: what a whole one must be, how it is read, and its text form."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rallypoint.kernel.canonical import canonical, freeze
from rallypoint.kernel.changes import Add, Remove, SetAttribute
from rallypoint.kernel.errors import StateError
from rallypoint.kernel.fold import fold
from rallypoint.kernel.parts import Appointment, Hex, Link, Place, Pose, Status, Tracker, Zone
from rallypoint.kernel.state import Entity, State, entity_in, entity_out, place_in, place_out

from .states import places, states


def platoon() -> State:
    return State.of(
        [
            Entity.new("red", "side"),
            Entity.new("red-1", "squad", parent="red"),
            Entity.new("red-1a", "team", parent="red-1", place=Hex(2, -3, 5)),
            Entity.new("bot", "unit", parent="red-1a", trackers={"Wounds": Tracker(1, 0, 2)}),
            Entity.new("blue", "side"),
            Entity.new("medic", "unit", parent="red-1"),
        ],
        [Link("spot", "bot", "blue", 7), Link("aim", "bot", "blue"), Link("spot", "blue", "bot")],
        [Appointment("z", 4, "land"), Appointment("a", 4, "burn"), Appointment("m", 2, "fade")],
    )


@given(states())
def test_every_state_comes_back_from_its_text(state: State) -> None:
    again = State.from_text(state.to_text())
    assert again == state
    assert again.digest == state.digest
    assert again.to_text() == state.to_text()
    assert list(again.entities) == list(state.entities)
    assert [tuple(entity) for entity in again] == [tuple(entity) for entity in state]
    assert again.links == state.links
    assert again.agenda == state.agenda


@given(places)
def test_every_place_comes_back_with_its_kind(place: Place) -> None:
    again = place_in(freeze(place_out(place)))
    assert again == place
    assert type(again) is type(place)


@pytest.mark.parametrize(
    ("place", "row"),
    [
        (None, None),
        (Hex(2, -3), ("hex", 2, -3, None)),
        (Pose(1.5, 2.0, 90.0), ("pose", 1.5, 2.0, 90.0)),
        (Zone("hull"), ("zone", "hull")),
    ],
)
def test_a_place_is_written_as_its_kind_and_fields(place: Place | None, row: object) -> None:
    assert place_out(place) == row


@given(states(), st.data())
def test_a_text_cut_off_at_any_byte_is_a_state_error(state: State, data: st.DataObject) -> None:
    raw = state.to_text().encode()
    cut = raw[: data.draw(st.integers(0, len(raw) - 1))]
    with pytest.raises(StateError):
        State.from_text(cut.decode(errors="replace"))


def test_a_text_cut_off_at_each_byte_in_turn_is_a_state_error() -> None:
    raw = platoon().to_text().encode()
    for length in range(len(raw)):
        with pytest.raises(StateError):
            State.from_text(raw[:length].decode(errors="replace"))


@given(states(), st.data())
def test_a_text_with_any_byte_exchanged_is_a_state_or_a_state_error(state: State, data: st.DataObject) -> None:
    raw = bytearray(state.to_text().encode())
    raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    text = raw.decode(errors="replace")
    try:
        read = State.from_text(text)
    except StateError:
        return
    assert State.from_text(read.to_text()) == read


@pytest.mark.parametrize(
    "text",
    [
        "[]",
        "{}",
        '{"state":2,"entities":[],"links":[],"agenda":[]}',
        '{"state":1}',
        '{"state":1,"entities":{},"links":[],"agenda":[]}',
        '{"state":1,"entities":[1],"links":[],"agenda":[]}',
        '{"state":1,"entities":[["a","b"]],"links":[],"agenda":[]}',
        '{"state":1,"entities":[[1,"unit",null,{},{},[],null,{}]],"links":[],"agenda":[]}',
        '{"state":1,"entities":[["a","unit",null,[],{},[],null,{}]],"links":[],"agenda":[]}',
        '{"state":1,"entities":[["a","unit",null,{},{"W":[1.5,0,2,"up"]},[],null,{}]],"links":[],"agenda":[]}',
        '{"state":1,"entities":[["a","unit",null,{},{"W":[1,0,2,"left"]},[],null,{}]],"links":[],"agenda":[]}',
        '{"state":1,"entities":[["a","unit",null,{},{"W":[1,"0",2,"up"]},[],null,{}]],"links":[],"agenda":[]}',
        '{"state":1,"entities":[["a","unit",null,{},{},[],["moon",1],{}]],"links":[],"agenda":[]}',
        '{"state":1,"entities":[["a","unit",null,{},{},[],["hex"],{}]],"links":[],"agenda":[]}',
        '{"state":1,"entities":[["a","unit",null,{},{},[],[],{}]],"links":[],"agenda":[]}',
        '{"state":1,"entities":[["a","unit",null,{},{},[[1],["b"]],null,{}]],"links":[],"agenda":[]}',
        '{"state":1,"entities":[],"links":[["aim","a"]],"agenda":[]}',
        '{"state":1,"entities":[],"links":[["aim","a","b"]],"agenda":[]}',
        '{"state":1,"entities":[],"links":[],"agenda":[["k"]]}',
        '{"state":1,"entities":[],"links":[],"agenda":[["k","x","r"],["l",1,"r"]]}',
    ],
)
def test_a_text_that_does_not_fit_together_is_a_state_error(text: str) -> None:
    with pytest.raises(StateError):
        State.from_text(text)


# What a whole state must be


def test_a_uid_may_stand_once() -> None:
    with pytest.raises(StateError, match="a uid appears twice") as caught:
        State.of([Entity.new("red", "side"), Entity.new("red", "unit")])
    assert caught.value.found == "red"


def test_a_parent_must_be_there_and_come_first() -> None:
    child, parent = Entity.new("red-1", "unit", parent="red"), Entity.new("red", "side")
    with pytest.raises(StateError, match="a parent must come before its child") as caught:
        State.of([child, parent])
    assert (caught.value.where, caught.value.found) == ("red-1", "red")


@pytest.mark.parametrize("link", [Link("aim", "red", "nobody"), Link("aim", "nobody", "red")])
def test_a_link_must_end_at_entities(link: Link) -> None:
    with pytest.raises(StateError, match="a link ends at nothing") as caught:
        State.of([Entity.new("red", "side")], [link])
    assert caught.value.found == "nobody"


def test_two_links_of_one_kind_between_the_same_two_are_refused() -> None:
    with pytest.raises(StateError, match="a link appears twice"):
        State.of([Entity.new("red", "side")], [Link("aim", "red", "red", 1), Link("aim", "red", "red", 2)])


def test_two_appointments_of_one_key_are_refused() -> None:
    with pytest.raises(StateError, match="an appointment appears twice"):
        State.of([], [], [Appointment("k", 1, "burn"), Appointment("k", 2, "burn")])


@pytest.mark.parametrize(("uid", "role"), [("", "unit"), ("red", "")])
def test_an_entity_needs_a_uid_and_a_role(uid: str, role: str) -> None:
    with pytest.raises(StateError, match="an entity needs a uid and a role"):
        Entity.new(uid, role)


@pytest.mark.parametrize(
    "tracker",
    [Tracker(3, 0, 2), Tracker(-1), Tracker(0, 1), Tracker(True, 0, 2), Tracker(1.0, 0, 2)],  # type: ignore[arg-type]
)
def test_a_tracker_starts_as_a_whole_number_within_its_limits(tracker: Tracker) -> None:
    with pytest.raises(StateError, match="a tracker starts outside its limits") as caught:
        Entity.new("red", "unit", trackers={"Wounds": tracker})
    assert caught.value.where == "red Wounds"


@pytest.mark.parametrize("place", [Pose(float("nan"), 0.0), Pose(0.0, float("inf")), Pose(0.0, 0.0, float("nan"))])
def test_a_place_must_be_finite(place: Pose) -> None:
    with pytest.raises(StateError, match="a number must be finite"):
        Entity.new("red", "unit", place=place)


def test_nothing_that_went_into_a_state_can_change_it_later() -> None:
    notes = ["a"]
    status, link, later = Status("n", notes), Link("aim", "red", "red", notes), Appointment("k", 1, "r", (notes,))  # type: ignore[arg-type]
    entity = Entity.new("red", "unit", facts={"n": notes}, statuses=[status], attributes={"n": notes})
    state = State.of([entity], [link], [later])
    before = state.to_text()
    notes.append("b")
    assert state.to_text() == before
    assert state["red"].statuses["n"].value == ("a",)
    assert state.links["aim", "red", "red"].value == ("a",)
    assert state.agenda[0].args == (("a",),)


def test_the_maps_of_a_state_are_read_only() -> None:
    state = platoon()
    for mapping in (state.entities, state.links, state["bot"].trackers, state["bot"].facts, state["bot"].statuses):
        with pytest.raises(TypeError):
            mapping["bot"] = None  # type: ignore[index]


# Reading


def test_children_and_descendants_come_in_the_order_in_which_they_were_added() -> None:
    state = platoon()
    assert [entity.uid for entity in state.children(None)] == ["red", "blue"]
    assert [entity.uid for entity in state.children("red-1")] == ["red-1a", "medic"]
    assert state.children("medic") == ()
    assert [entity.uid for entity in state.below("red")] == ["red-1", "red-1a", "bot", "medic"]
    assert [entity.uid for entity in state.below(None, "unit")] == ["bot", "medic"]


def test_above_finds_the_nearest_in_a_role_or_the_entity_itself() -> None:
    state = platoon()
    assert state.above("bot", "squad").uid == "red-1"
    assert state.above("bot", "unit").uid == "bot"
    with pytest.raises(StateError, match="nothing above in that role"):
        state.above("bot", "fleet")


def test_links_are_found_by_kind_source_and_target() -> None:
    state = platoon()
    assert [link.key for link in state.linked("spot")] == [("spot", "blue", "bot"), ("spot", "bot", "blue")]
    assert [link.value for link in state.linked("spot", source="bot")] == [7]
    assert [link.source for link in state.linked("spot", target="bot")] == ["blue"]
    assert state.linked("aboard") == ()


def test_the_agenda_is_in_order_of_time_then_key_and_says_what_is_due() -> None:
    state = platoon()
    assert [appointment.key for appointment in state.agenda] == ["m", "a", "z"]
    assert state.due(1) is None
    due = state.due(2)
    assert due is not None
    assert due.key == "m"
    assert State.of([]).due(99) is None


def test_several_entities_are_named_in_any_order() -> None:
    state = platoon()
    uids = [entity.uid for entity in state]
    assert state.named(reversed(uids)) == tuple([state[uid] for uid in reversed(uids)])
    assert state.named(["bot", "bot"]) == (state["bot"], state["bot"])
    assert state.named(()) == ()


def test_what_is_not_there_is_a_state_error_or_none() -> None:
    state = platoon()
    with pytest.raises(StateError, match="no such entity") as caught:
        state["green"]
    assert caught.value.found == "green"
    assert state.get("green") is None
    assert "green" not in state
    assert "bot" in state
    assert len(state) == 6
    with pytest.raises(StateError, match="no such entity") as caught:
        state.named(["bot", "green"])
    assert caught.value.found == "green"
    assert state["bot"].value("Wounds") == 1
    with pytest.raises(StateError, match="no such tracker") as caught:
        state["bot"].value("Wonds")
    assert caught.value.expected == "Wounds"


def test_equal_states_are_equal_and_others_are_not() -> None:
    assert platoon() == platoon()
    assert hash(platoon()) == hash(platoon())
    other = State.of([Entity.new("red", "side")])
    assert platoon() != other
    assert platoon() != "a state"
    assert len({platoon(), platoon(), other}) == 2


def test_the_order_in_which_parts_were_handed_in_does_not_show() -> None:
    def built(turned: bool) -> State:
        order = -1 if turned else 1
        trackers = dict([("Wounds", Tracker(1)), ("Ammo", Tracker(2))][::order])
        statuses = [Status("pinned"), Status("aiming", 2)][::order]
        links = [Link("b", "red", "red"), Link("a", "red", "red")][::order]
        agenda = [Appointment("k", 1, "r"), Appointment("j", 1, "r")][::order]
        return State.of([Entity.new("red", "unit", trackers=trackers, statuses=statuses)], links, agenda)

    assert built(turned=True).to_text() == built(turned=False).to_text()
    assert built(turned=True).digest == built(turned=False).digest


@pytest.mark.parametrize(
    "other",
    [
        Entity.new("red", "squad"),
        Entity.new("red", "unit", facts={"I": 60}),
        Entity.new("red", "unit", trackers={"Wounds": Tracker(0)}),
        Entity.new("red", "unit", statuses=[Status("pinned")]),
        Entity.new("red", "unit", place=Hex(0, 0)),
        Entity.new("red", "unit", attributes={"x": False}),
    ],
)
def test_each_part_of_an_entity_goes_into_the_hash(other: Entity) -> None:
    assert State.of([Entity.new("red", "unit")]).digest != State.of([other]).digest


def test_links_and_agenda_go_into_the_hash() -> None:
    red = Entity.new("red", "unit")
    plain = State.of([red])
    assert plain.digest != State.of([red], [Link("aim", "red", "red")]).digest
    assert plain.digest != State.of([red], [], [Appointment("k", 1, "r")]).digest


def test_an_entity_is_written_as_eight_fields_and_read_back() -> None:
    entity = Entity.new("red", "unit", parent="top", statuses=[Status("pinned", True, "blue", 1, 2)])
    row = entity_out(entity)
    assert canonical(row) == '["red","unit","top",{},{},[["pinned",true,"blue",1,2]],null,{}]'
    assert entity_in(row) == entity


def test_who_is_below_whom_is_known_anew_when_somebody_comes_or_goes() -> None:
    before = State.of([Entity.new("red", "side"), Entity.new("red-1", "unit", parent="red")])

    def units(state: State) -> list[str]:
        return [unit.uid for unit in state.below("red", "unit")]

    assert units(before) == ["red-1"]
    came = fold(before, [Add(Entity.new("red-2", "unit", parent="red"))])
    named = fold(came, [SetAttribute("red-1", "name", "Ana")])
    assert units(named) == ["red-1", "red-2"]
    assert next(named.below("red", "unit")).attributes["name"] == "Ana"
    gone = fold(named, [Remove("red-1")])
    assert (units(gone), units(named), units(came), units(before)) == (
        ["red-2"],
        ["red-1", "red-2"],
        ["red-1", "red-2"],
        ["red-1"],
    )
    assert [child.uid for child in gone.children("red")] == ["red-2"]
    assert list(gone.below("nobody")) == []
