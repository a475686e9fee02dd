"""Who is bound to which token, and what of the other side is shown."""

from __future__ import annotations

import pytest

from rallypoint.kernel.errors import InputError
from rallypoint.kernel.parts import Hex
from rallypoint.kernel.state import Entity, State, Tracker
from rallypoint_owlbear.link.binding import Enemies, bound_to, zero_of
from rallypoint_owlbear.link.changes import band_path, tracker_path
from rallypoint_owlbear.link.linking import link_change
from rallypoint_sync.lenses import Banded, Exact

from .room import token


def state() -> State:
    """Two sides with a platoon and two units each."""
    found = []
    for side in ("red", "blue"):
        found += [
            Entity.new(side, "side"),
            Entity.new(f"{side}-p", "platoon", parent=side, trackers={"Stress": Tracker(4, 0, 20)}),
        ]
        found += [
            Entity.new(f"{side}-{number}", "unit", parent=f"{side}-p", trackers={"Wounds": Tracker(1, 0, 3)})
            for number in (1, 2)
        ]
    return State.of(found)


ROW = {"v": 1, "kind": "unit", "rev": 1, "by": "kernel", "optOut": False}
ITEMS = [
    token(uid, uid, {f"rallypoint-wounds-{uid}": 1, "rallypoint-stress": 4}, stressOf=f"{uid[:-2]}-p")
    for uid in ("red-1", "red-2", "blue-1", "blue-2")
]


@pytest.mark.parametrize(
    ("enemies", "shown"),
    [
        ("bands", [band_path("blue-1")]),
        ("numbers", [tracker_path("rallypoint-stress"), tracker_path("rallypoint-wounds-blue-1")]),
        ("nothing", []),
    ],
)
def test_what_is_shown_of_enemies_even_on_tokens_that_have_numbers(enemies: Enemies, shown: list[str]) -> None:
    found = bound_to(state(), ITEMS, enemies=enemies).bindings
    assert [each.carrier.path for each in found if each.carrier.document == "blue-1"] == shown
    ours = [each for each in found if each.carrier.document == "red-1"]
    assert [str(each.field) for each in ours] == ["red-p Stress", "red-1 Wounds"]
    assert all(each.lens == Exact() for each in ours)


def test_a_band_is_the_battles_and_comes_from_the_number() -> None:
    (band,) = [each for each in bound_to(state(), ITEMS).bindings if each.carrier.document == "blue-1"]
    assert (band.owner, band.two_way, band.lens) == ("battle", False, Banded(3))
    assert [band.lens.encode(number) for number in range(4)] == ["unhurt", "hurt", "bad", "bad"]


def test_a_stand_of_two_units_has_a_carrier_each() -> None:
    stand = token(
        "s",
        "red-p",
        {"rallypoint-wounds-red-1": 1, "rallypoint-wounds-red-2": 1, "rallypoint-stress": 4},
        stressOf="red-p",
        units=[{"uid": "red-1"}, {"uid": "red-2"}],
    )
    found = bound_to(state(), [stand])
    assert [str(each.field) for each in found.bindings] == ["red-p Stress", "red-1 Wounds", "red-2 Wounds"]
    assert found.missing == ("blue-1", "blue-2")


def test_copies_strangers_and_who_opted_out_are_left_alone() -> None:
    copied = {**ITEMS[0], "id": "copy"}
    stranger = token("stranger", "red-9", {"rallypoint-wounds-red-9": 1})
    out = token("out", "red-2", {"rallypoint-wounds-red-2": 1}, optOut=True)
    found = bound_to(state(), [ITEMS[0], copied, stranger, out])
    assert {each.carrier.document for each in found.bindings} == {"red-1"}
    assert found.copies == ("copy",)
    assert "red-2" in found.missing


def test_of_two_with_one_uid_the_one_that_is_bound_stays() -> None:
    copied = {**ITEMS[0], "id": "copy"}
    assert bound_to(state(), [copied, ITEMS[0]]).copies == ("red-1",)
    assert bound_to(state(), [copied, ITEMS[0]], kept=("red-1",)).copies == ("copy",)


def test_the_zero_of_a_grid_is_what_the_page_measured() -> None:
    assert zero_of({"type": "HEX_VERTICAL", "dpi": 150, "zero": {"x": 3, "y": -40.5}}) == (150, 3, -40.5)
    for grid in (
        None,
        {},
        {"type": "SQUARE", "dpi": 150, "zero": {"x": 0, "y": 0}},
        {"type": "HEX_VERTICAL", "dpi": 0},
    ):
        with pytest.raises(InputError, match="no such hexes"):
            zero_of(grid)


def test_places_are_bound_where_somebody_has_one() -> None:
    placed = State.of(each._replace(place=Hex(1, 2)) if each.uid == "red-1" else each for each in state())
    found = bound_to(placed, ITEMS, places=(150.0, 0.0, -43.301)).bindings
    (place,) = [each for each in found if each.field.name == "@place"]
    assert place.lens.encode(("hex", 0, 0, None)) == (0, -43)


def test_a_link_by_hand_puts_no_number_of_an_enemy_on_a_token() -> None:
    ours = link_change(state(), "t", "red-1", "R1", numbers=False)
    theirs = link_change(state(), "t", "blue-1", "B1", numbers=False)
    entries = ours["trackers"]
    assert isinstance(entries, list)
    assert [(each["id"], each["value"]) for each in entries] == [
        ("rallypoint-stress", 4),
        ("rallypoint-wounds-red-1", 1),
    ]
    assert "trackers" not in theirs
    assert theirs["record"] == {**ROW, "uid": "blue-1", "side": "blue", "code": "B1"}
    assert link_change(state(), "t", None, "", numbers=False)["record"] == {"uid": None, "optOut": True}
    with pytest.raises(InputError, match="nobody of this uid"):
        link_change(state(), "t", "green", "", numbers=False)
