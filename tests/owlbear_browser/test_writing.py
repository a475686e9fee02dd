"""What a write does to the tokens of a real scene, through the real SDK. O and B numbers are failures that others met."""

from __future__ import annotations

import itertools
import threading

import pytest

from rallypoint_owlbear.stands import RECORD_KEY
from rallypoint_owlbear.trackers import LIMIT, TRACKERS_KEY
from rallypoint_sync.transport import DoubtfulError

from .browser import Room
from .program import Program
from .table import Table, wounds_path
from .tokens import Json, shown, token

UPDATE = "OBR_SCENE_ITEMS_UPDATE_ITEMS"
SIXTY = [f"u{number:02}" for number in range(60)]


def entries(item: Json) -> dict[str, Json]:
    return {each["id"]: each for each in item["metadata"][TRACKERS_KEY]}


def tries(room: Room) -> list[tuple[int, str | None]]:
    """Of each call that wrote, or tried: how many items, and why not."""
    return [(len(each["ids"]), each["refused"]) for each in room.calls()]


def gaps(room: Room) -> list[float]:
    """Milliseconds between the calls that wrote, or tried."""
    at = [each["at"] for each in room.calls()]
    return [later - earlier for earlier, later in itertools.pairwise(at)]


# What is changed, and what is not


def test_what_the_gm_gave_a_tracker_stays_and_so_does_what_is_not_ours(room: Room, program: Program) -> None:
    """O14, O20, O24, O26: colour, name, visibility (also that of the token, which is hidden), other trackers, other metadata, the name and the text of the token."""
    item = token("u1", wounds=1, stress=4, name="Old Bones", visible=False, text={"plainText": "Bones"})
    mine = item["metadata"][TRACKERS_KEY][0]
    mine |= {"color": 7, "name": "Blood", "showOnMap": False}
    foreign = {"id": "hp", "name": "HP", "variant": "counter", "color": 3, "value": 11}
    item["metadata"][TRACKERS_KEY].insert(1, foreign)
    item["metadata"] |= {"com.example/state": {"deep": [1, {"x": None}]}, "com.owl-trackers/hidden": True}
    table = Table(room, program, [item])
    before = room.items()["u1"]
    table.write(
        {
            "id": "u1",
            "trackers": [{"id": "rallypoint-wounds-u1", "value": 2}],
            "record": {"wounds": 2, "rev": 2, "by": "kernel"},
        }
    )
    after = room.items()["u1"]
    record = before["metadata"][RECORD_KEY] | {"wounds": 2, "rev": 2}
    trackers = [mine | {"value": 2}, foreign, before["metadata"][TRACKERS_KEY][2]]
    assert after["metadata"] == before["metadata"] | {RECORD_KEY: record, TRACKERS_KEY: trackers}
    untouched = set(before) - {"metadata", "lastModified", "lastModifiedUserId"}
    assert {key: after[key] for key in untouched} == {key: before[key] for key in untouched}
    assert (before["visible"], after["visible"], shown(after)) == (False, False, 2)


PARTS: dict[str, Json] = {
    "scaled": {"scale": {"x": 2, "y": 2}},
    "turned": {"rotation": 90},
    "hidden": {"visible": False},
    "dragged while it is hidden": {"position": {"x": 900, "y": 450}},
    "on another layer": {"layer": "MOUNT"},
}


def test_o21_nothing_is_drawn_beside_a_token_whatever_becomes_of_it(room: Room, program: Program) -> None:
    """Bars of others stayed behind when a token was scaled, and were seen while a hidden one was dragged; ours are Owl Trackers' to draw."""
    table = Table(room, program, [token("u1"), token("u2")])
    begun = len(room.seen()["log"])
    for value, part in enumerate(PARTS.values(), 1):
        room.call("put", [{"id": "u1", **part}])
        table.set(("u1", value))
        assert {name: shown(item) for name, item in room.items().items()} == {"u1": value, "u2": 0}
        now = room.items()["u1"]
        assert {key: now[key] for key in part} == part
        assert now.get("attachedTo") is None
    table.ask("snapshot wanted", items=["u1"])
    asked = {each["id"] for each in room.seen()["log"][begun:] if each["client"] == table.tab.client}
    assert asked <= {"OBR_SCENE_ITEMS_GET_ALL_ITEMS", "OBR_SCENE_ITEMS_GET_ITEMS", "OBR_SCENE_ITEMS_UPDATE_ITEMS"}
    assert [each["what"] for each in room.calls()] == ["update"] * len(PARTS)


def test_a_tracker_is_made_only_with_what_it_is_made_of_and_where_there_is_room(room: Room, program: Program) -> None:
    others = [{"id": f"x{number}", "variant": "value", "color": 1, "value": number} for number in range(LIMIT - 1)]
    full = token("u2")
    full["metadata"][TRACKERS_KEY] += others
    table = Table(room, program, [token("u1"), full, {"id": "bare", "name": "bare"}])
    new = {"name": "Stress", "variant": "value", "color": 6}
    stress = {"id": "rallypoint-stress", "value": 5}
    table.write(
        {"id": "u1", "trackers": [stress]},
        {"id": "u2", "trackers": [stress | {"new": new}]},
        {"id": "bare", "trackers": [stress | {"new": new}], "record": {"uid": "u9", "rev": 1}},
    )
    items = room.items()
    assert "rallypoint-stress" not in entries(items["u1"])
    assert list(entries(items["u2"])) == ["rallypoint-wounds-u2", *[f"x{number}" for number in range(LIMIT - 1)]]
    assert items["bare"]["metadata"] == {TRACKERS_KEY: [new | stress], RECORD_KEY: {"uid": "u9", "rev": 1}}


def test_what_is_no_tracker_is_left_alone(room: Room, program: Program) -> None:
    """O13: another extension keeps nonsense there, and Owl Trackers itself throws on what is no array."""
    odd, broken = token("u1"), token("u2")
    odd["metadata"][TRACKERS_KEY] = [None, 7, "x", {"no": "id"}, *odd["metadata"][TRACKERS_KEY]]
    broken["metadata"][TRACKERS_KEY] = {"not": "an array"}
    table = Table(room, program, [odd, broken])
    stress = {"id": "rallypoint-stress", "value": 5, "new": {"variant": "value", "color": 6}}
    wounds = [{"id": f"rallypoint-wounds-{uid}", "value": 3} for uid in ("u1", "u2")]
    answer = table.write(
        {"id": "u1", "trackers": [wounds[0], stress]},
        {"id": "u2", "trackers": [wounds[1], stress], "record": {"wounds": 3}},
    )
    items = room.items()
    assert [each["id"] for each in answer["items"]] == ["u1", "u2"]
    assert items["u1"]["metadata"][TRACKERS_KEY][:4] == [None, 7, "x", {"no": "id"}]
    assert shown(items["u1"]) == 3
    assert items["u2"]["metadata"][TRACKERS_KEY] == {"not": "an array"}
    assert items["u2"]["metadata"][RECORD_KEY]["wounds"] == 3


def test_an_equal_value_is_no_call(room: Room, program: Program) -> None:
    table = Table(room, program, [token("u1", wounds=2, position={"x": 225, "y": 86.6})])
    answer = table.write(
        {
            "id": "u1",
            "trackers": [{"id": "rallypoint-wounds-u1", "value": 2}],
            "record": {"uid": "u1", "wounds": 2},
            "position": {"x": 225, "y": 86.6},
        }
    )
    assert [shown(each) for each in answer["items"]] == [2]
    assert room.calls() == []


def test_units_of_one_token_and_words_of_enemies(room: Room, program: Program) -> None:
    item = token("t1")
    item["metadata"][RECORD_KEY]["units"] = [{"uid": "a", "wounds": 0, "code": "A"}, {"uid": "b", "wounds": 0}]
    table = Table(room, program, [item])
    band = {"id": "rallypoint-band-e", "value": 1, "new": {"variant": "value-max", "color": 2, "max": 2}}
    table.write(
        {"id": "t1", "record": {"units": [{"uid": "b", "wounds": 2}, {"uid": "zz", "wounds": 9}], "rev": 7}},
        {"id": "t1", "trackers": [band], "record": {"bands": {"e": "hurt"}}},
    )
    record = room.items()["t1"]["metadata"][RECORD_KEY]
    assert record["units"] == [{"uid": "a", "wounds": 0, "code": "A"}, {"uid": "b", "wounds": 2}]
    assert (record["bands"], record["rev"]) == ({"e": "hurt"}, 7)
    assert tries(room) == [(1, None)]  # both changes of the token went in one call


def test_each_token_keeps_its_own(room: Room, program: Program) -> None:
    """O3, O5, B33: several in one call, which the room hands over in another order than they were asked for."""
    table = Table(room, program, [token("u1", stress=1), token("u2", stress=2), token("u3", stress=3)])
    answer = table.set(("u2", 2), ("u3", 3), ("u1", 1))
    assert table.shown() == {"u1": 1, "u2": 2, "u3": 3}
    assert [each["id"] for each in answer["items"]] == ["u2", "u3", "u1"]
    assert [shown(each, "rallypoint-stress") for each in room.items().values()] == [1, 2, 3]
    table.set(("u2", 0))
    assert table.shown() == {"u1": 1, "u2": 0, "u3": 3}


def test_one_undo_takes_back_trackers_record_and_place(room: Room, program: Program) -> None:
    table = Table(room, program, [token("u1", stress=4, position={"x": 0, "y": 0})])
    before = room.items()["u1"]
    trackers = [{"id": "rallypoint-wounds-u1", "value": 2}, {"id": "rallypoint-stress", "value": 6}]
    record = {"wounds": 2, "stress": 6, "rev": 2}
    table.write({"id": "u1", "trackers": trackers, "record": record, "position": {"x": 150, "y": 0}})
    after = room.items()["u1"]
    assert (shown(after), after["metadata"][RECORD_KEY]["rev"], after["position"]["x"]) == (2, 2, 150)
    room.call("undo")
    assert room.items()["u1"] == before


def test_a_token_that_is_gone_is_named_and_not_made(room: Room, program: Program) -> None:
    table = Table(room, program, [token("u1"), token("u2")])
    room.call("remove", ["u2"])
    answer = table.set(("u1", 1), ("u2", 1))
    assert ([each["id"] for each in answer["items"]], answer["gone"], answer["failed"]) == (["u1"], ["u2"], [])
    assert table.shown() == {"u1": 1}


# How much at once, and how often


def test_sixty_tokens_go_in_threes_of_twenty_half_a_second_apart(room: Room, program: Program) -> None:
    """O16, O17."""
    table = Table(room, program, [token(uid) for uid in SIXTY])
    way = table.way(*SIXTY)
    way.read(SIXTY)
    wanted = {uid: {wounds_path(uid): 1 + number % 3} for number, uid in enumerate(SIXTY)}
    assert way.write_all(wanted) == wanted
    assert tries(room) == [(20, None)] * 3
    assert all(each >= 500 for each in gaps(room))
    assert table.shown() == {uid: 1 + number % 3 for number, uid in enumerate(SIXTY)}


def test_a_call_is_as_small_as_what_others_keep_on_the_tokens_asks_for(room: Room, program: Program) -> None:
    """The room is sent the whole metadata of each item, with what other extensions have put there."""
    heavy = [token(f"u{number}") for number in range(5)]
    for each in heavy:
        each["metadata"]["com.example/sheet"] = "x" * 20_000
    table = Table(room, program, heavy)
    table.set(*[(f"u{number}", 1) for number in range(5)])
    assert [each["bytes"] <= 48_000 for each in room.calls()] == [True] * 3
    assert list(table.shown().values()) == [1] * 5


def test_the_limit_of_the_rate_three_times_in_a_row(quick_room: Room, program: Program) -> None:
    """B30, O16: sixty tokens; each time the page waits longer, and nothing is swallowed."""
    room = quick_room
    table = Table(room, program, [token(uid) for uid in SIXTY])
    room.faults(rateHits=3)
    for start in range(0, 60, 20):
        answer = table.set(*[(uid, 2) for uid in SIXTY[start : start + 20]])
        assert (len(answer["items"]), answer["failed"]) == (20, [])
    assert tries(room) == [(20, "RateLimitHit")] * 3 + [(20, None)] * 3
    waits = gaps(room)[:3]
    assert all(low <= each for low, each in zip((500, 1000, 2000), waits, strict=True)), waits
    assert set(table.shown().values()) == {2}
    assert room.seen()["notifications"] == []


def test_a_program_that_has_little_patience_is_told_to_wait(quick_room: Room, program: Program) -> None:
    """A request must be begun within 2 seconds, and the page waits for seven and more; `busy` keeps it open on both sides."""
    room = quick_room
    table = Table(room, program, [token("u1")])
    room.faults(rateHits=4)
    change = {"id": "u1", "trackers": [{"id": "rallypoint-wounds-u1", "value": 2}]}
    assert table.ask("write", seconds=2.0, items=[change])[0] == "written"
    assert table.shown() == {"u1": 2}
    assert sum(gaps(room)) > 7000


def test_what_is_asked_while_the_page_waits_goes_in_the_call_that_comes(quick_room: Room, program: Program) -> None:
    """Two requests for one token, and one for another: one call, with the newest of each."""
    room = quick_room
    table = Table(room, program, [token("u1"), token("u2")])
    room.faults(rateHits=1)
    answers: list[Json] = []

    def ask(each: tuple[str, int]) -> None:
        answers.append(table.set(each))

    threads = [threading.Thread(target=ask, args=(each,)) for each in (("u1", 1), ("u2", 2), ("u1", 3))]
    threads[0].start()
    room.until("() => room.faults.calls.length === 1")  # the first waits; the others come meanwhile
    for thread in threads[1:]:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert table.shown() == {"u1": 3, "u2": 2}
    assert [each["refused"] for each in room.calls()] == ["RateLimitHit", None]
    assert sorted(len(each["items"]) for each in answers) == [1, 1, 1]


# What goes wrong


def test_a_token_that_the_room_refuses_hinders_no_other(quick_room: Room, program: Program) -> None:
    """O38: an error of the room is a plain object. One notification, however many tokens."""
    room = quick_room
    table = Table(room, program, [token(f"u{number}") for number in range(6)])
    room.faults(refused=["u1", "u4"])
    answer = table.set(*[(f"u{number}", 1) for number in range(6)])
    why = "this item is not yours"
    assert answer["failed"] == [{"id": each, "code": "PermissionDenied", "why": why} for each in ("u1", "u4")]
    assert table.shown() == {f"u{number}": 0 if number in (1, 4) else 1 for number in range(6)}
    assert table.set(("u4", 2))["failed"]  # at once again: people know it already
    (told,) = room.seen()["notifications"]
    assert (told["variant"], told["message"]) == ("ERROR", f"Rallypoint: 2 tokens were not changed: {why}")
    assert table.tab.until_it_stands(error=f"Rallypoint: a token was not changed: {why}")


def test_a_write_of_which_the_room_says_nothing_is_found_out_by_reading(quick_room: Room, program: Program) -> None:
    """O38: the SDK gives up after 5 seconds, which says nothing of whether it was done."""
    room = quick_room
    table = Table(room, program, [token("u1")])
    room.faults(silent={UPDATE: "after"})
    assert [shown(each) for each in table.set(("u1", 2))["items"]] == [2]
    room.faults(silent={UPDATE: "before"})
    assert [shown(each) for each in table.set(("u1", 3))["items"]] == [2]  # what it shows, not what was asked
    assert table.shown() == {"u1": 2}


def test_where_nothing_can_be_read_either_nothing_is_answered(quick_room: Room, program: Program) -> None:
    room = quick_room
    table = Table(room, program, [token("u1")])
    room.faults(silent={"OBR_SCENE_ITEMS_GET_ITEMS": "before", "OBR_SCENE_ITEMS_GET_ALL_ITEMS": "before"})
    with pytest.raises(DoubtfulError):
        table.ask("write", items=[{"id": "u1", "record": {"rev": 2}}], seconds=3.0)
    room.faults(silent={})
    assert table.way("u1").read(["u1"]).seen.keys() == {"u1"}


def test_a_request_that_has_waited_too_long_is_not_begun(quick_room: Room, program: Program) -> None:
    room = quick_room
    table = Table(room, program, [token("u1")])
    kind, body = table.ask("write", items=[{"id": "u1", "record": {"rev": 2}}], expires_ms=-1)
    assert (kind, body["code"]) == ("refused", "expired")
    assert room.calls() == []


def test_a_kind_that_a_newer_program_knows(room: Room, program: Program) -> None:
    table = Table(room, program, [token("u1")])
    kind, body = table.ask("dance")
    assert (kind, body["code"]) == ("refused", "other")
    assert "update the extension" in body["why"]
