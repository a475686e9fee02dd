"""Scenes that come and go, and what comes up from them. O and B numbers are failures that others met."""

from __future__ import annotations

import math

import pytest

from .browser import Room
from .program import Edits, Program
from .table import Table
from .tokens import shown, token

KEY = "io.github.rallypoint/scene"


def said(room: Room, client: str) -> list[str]:
    return [each["id"] for each in room.seen()["log"] if each["client"] == client]


def test_o9_the_page_listens_before_it_reads_and_never_stops(room: Room, program: Program) -> None:
    """O8, O9, O38: a change between reading and listening is lost for good; some unsubscribes of the SDK are misnamed."""
    table = Table(room, program, [token("u1")])
    asked = said(room, table.tab.client)
    assert asked.index("OBR_SCENE_ITEMS_SUBSCRIBE") < asked.index("OBR_SCENE_ITEMS_GET_ALL_ITEMS")
    room.open_scene("next", items=[])
    table.scene_of_program(other_than=table.scene)
    asked = said(room, table.tab.client)
    assert not [each for each in asked if each.endswith("UNSUBSCRIBE")]
    assert len({each for each in asked if each.endswith("SUBSCRIBE")}) == len(
        [e for e in asked if e.endswith("SUBSCRIBE")]
    )


@pytest.mark.usefixtures("short_lease")
def test_a_scene_gets_an_id_once_and_keeps_it(quick_room: Room, program: Program) -> None:
    room = quick_room
    table = Table(room, program, [token("u1")], metadata={"com.example/weather": "rain"})
    metadata = room.run("() => room.scene.metadata")
    assert metadata == {"com.example/weather": "rain", KEY: {"id": table.scene}}
    assert len(table.scene) == 36
    table.tab.leave()
    other = room.enter(program)
    assert other.until_it_stands(link="linked", scene=table.scene)
    room.run(
        "(key) => { delete room.scene.metadata[key]; room.answers.OBR_SCENE_SET_METADATA({ update: {} }, { role: 'GM' }) }",
        KEY,
    )
    assert room.until("(key) => room.scene.metadata[key]", KEY) == {"id": table.scene}  # an undo took it away


def test_in_another_scene_nothing_is_written(room: Room, program: Program) -> None:
    """B34, O22: what was known of one scene is not known in the next, though the tokens have the same ids."""
    table = Table(room, program, [token("u1"), token("u2")])
    table.set(("u1", 2))
    room.open_scene("next", items=[token("u1", wounds=1), token("u3")])
    other = table.scene_of_program(other_than=table.scene)
    kind, body = table.ask("write", items=[{"id": "u1", "record": {"rev": 9}}])
    assert (kind, body["code"]) == ("refused", "other_scene")
    assert table.shown() == {"u1": 1, "u3": 0}
    edits = Edits(program.link)
    room.call("type", "u3", "rallypoint-wounds-u3", 1)
    assert edits.items() == ["u3"]  # the tokens of the first scene are not told as gone
    room.open_scene("deck")
    assert table.scene_of_program(other_than=other) == table.scene
    assert table.shown() == {"u1": 2, "u2": 0}
    table.set(("u2", 3))
    assert table.shown() == {"u1": 2, "u2": 3}


def test_a_scene_that_is_switched_while_a_write_waits(quick_room: Room, program: Program) -> None:
    """B34: the room has said that it is too much; when the pause is over another scene is open."""
    room = quick_room
    table = Table(room, program, [token("u1")])
    room.faults(rateHits=1)
    room.run("() => { room.faults.afterwards = () => room.openScene('next', { items: room.items() }) }")
    kind, body = table.ask("write", items=[{"id": "u1", "trackers": [{"id": "rallypoint-wounds-u1", "value": 2}]}])
    assert kind == "refused"
    assert body["code"] in ("no_scene", "other_scene")
    assert table.shown() == {"u1": 0}
    assert len(room.calls()) == 1


def test_no_scene_at_the_start(room: Room, program: Program) -> None:
    """B31: the page is linked, and says that no scene is open; as soon as one is, the program hears of it."""
    warden = room.enter(program)
    warden.pair(program)
    warden.until_it_stands(writer=True, scene=None)
    answer = program.desk.ask("write", {"items": [{"id": "u1", "record": {"rev": 2}}]}, scene="s")
    assert (answer.kind, answer.body["code"]) == ("refused", "no_scene")
    room.open_scene(items=[token("u1")])
    scene = room.until("(key) => room.scene.metadata[key]", KEY)["id"]
    program.until(lambda each: each.shown.scene == scene)
    room.call("closeScene")
    warden.until_it_stands(scene=None)
    program.until(lambda each: each.shown == (None, None))


def test_the_grid_is_measured_and_not_worked_out(room: Room, program: Program) -> None:
    table = Table(room, program, [], grid={"dpi": 120})
    half_a_radius = 120 / math.sqrt(3) / 2
    grid = program.link.standing().shown.grid
    assert grid is not None
    assert (grid["dpi"], grid["type"]) == (120, "HEX_VERTICAL")
    zero = grid["zero"]
    assert isinstance(zero, dict)
    assert abs(zero["x"]) < 1e-9
    assert abs(zero["y"] + half_a_radius) < 1e-9
    room.call("setGrid", {"type": "SQUARE"})
    square = {"dpi": 120, "type": "SQUARE", "zero": {"x": 60, "y": -60}}
    program.until(lambda each: each.shown.grid == square)
    assert table.tab.standing()["scene"] == table.scene


def test_what_the_gm_does_comes_up(room: Room, program: Program) -> None:
    """Numbers, undo, redo, copies, deleted tokens, and tokens that lose our record; nothing of tokens that are not ours."""
    table = Table(room, program, [token("u1"), token("u2"), {"id": "tree", "name": "Tree"}])
    edits = Edits(program.link)
    table.set(("u1", 2))
    assert edits.items() == ["u1"]  # our own, too
    room.call("undo")
    assert edits.items() == ["u1"]
    assert table.way("u1").read(["u1"]).seen["u1"] == {next(iter(table.way("u1")._paths["u1"])): 0}
    room.call("redo")
    assert edits.items() == ["u1"]
    room.call("put", [{"id": "tree", "name": "Oak"}])
    room.call("copy", "u1", "twin")
    assert edits.items() == ["twin"]
    assert table.way("u1").read(["u1"]).copies == {"twin": "u1"}
    room.call("remove", ["twin", "u2"])
    assert sorted(edits.items()) == ["twin", "u2"]
    assert table.way("u1", "u2").read(["u1", "u2"]).gone == {"u2"}
    room.call("put", [{"id": "u1", "metadata": {}}])
    assert edits.items() == ["u1"]


def test_o6_many_changes_in_a_moment_are_told_at_once(room: Room, program: Program) -> None:
    """O6, O19: events say that something has changed; what differs is told, and once."""
    table = Table(room, program, [token("u1"), token("u2"), token("u3")])
    edits = Edits(program.link)
    heard = program.link.pages.by_id[table.tab.client]
    room.run("""() => { for (const n of [1, 2, 3]) for (const id of ["u1", "u2"]) room.type(id, `rallypoint-wounds-${id}`, n);
        room.changed(); room.changed(); }""")
    assert sorted(edits.items()) == ["u1", "u2"]
    before = heard.heard
    room.run("() => room.changed()")
    room.call("type", "u3", "rallypoint-wounds-u3", 1)
    assert edits.items() == ["u3"]
    assert heard.heard - before <= 2  # one message of edits, and perhaps that the page is there


def test_a_name_is_nobodys_key(room: Room, program: Program) -> None:
    """O10, O12, O14: GMs shorten names; a token is known by our record, and is never given another name."""
    table = Table(room, program, [token("u1"), token("u2")])
    room.call("put", [{"id": "u1", "name": "u2"}])
    table.set(("u1", 3))
    assert table.shown() == {"u1": 3, "u2": 0}
    assert room.items()["u1"]["name"] == "u2"


def test_snapshots_have_all_of_ours_and_what_was_asked_for(room: Room, program: Program) -> None:
    secret = {"id": "tree", "name": "Tree", "metadata": {"com.example/secret": 1}}
    table = Table(room, program, [token("u1"), secret, {"id": "stone", "name": "Stone"}])
    kind, body = table.ask("snapshot wanted", items=["tree", "nobody"])
    assert (kind, body["scene"], body["gone"]) == ("snapshot", table.scene, ["nobody"])
    assert {each["id"] for each in body["items"]} == {"u1", "tree"}
    (tree,) = [each for each in body["items"] if each["id"] == "tree"]
    keys = {"id", "type", "name", "layer", "visible", "position", "createdUserId", "metadata"}
    assert tree.keys() == keys
    assert tree["metadata"] == {}  # what others keep is nobody's business
    (ours,) = [each for each in body["items"] if each["id"] == "u1"]
    assert shown(ours) == 0


def test_with_the_popover_closed_and_open_alike(room: Room, program: Program) -> None:
    """O2, O8: the background page works whether a popover is there or not, and draws nothing of its own (O20, O23)."""
    table = Table(room, program, [token("u1")])
    table.set(("u1", 1))
    table.tab.open_popover().until(
        "() => document.querySelector('.state')?.innerText === 'Linked. No battle is here yet.'"
    )
    table.set(("u1", 2))
    table.tab.close_popover()
    table.set(("u1", 3))
    assert table.shown() == {"u1": 3}
    assert [(each["what"], each["client"]) for each in room.calls()] == [("update", table.tab.client)] * 3
    assert not [each for each in said(room, table.tab.client) if "LOCAL" in each or "ADD_ITEMS" in each]


def test_a_room_that_does_not_answer_at_first(quick_room: Room, program: Program) -> None:
    """O38: questions of the page run out of time while the room is still being built; it asks again."""
    room = quick_room
    silent = ("OBR_PLAYER_GET_ROLE", "OBR_SCENE_IS_READY", "OBR_SCENE_GET_METADATA", "OBR_SCENE_SET_METADATA")
    room.faults(silent=dict.fromkeys(silent, "before"))
    room.open_scene(items=[token("u1")])
    warden = room.enter(program)
    for number, each in enumerate(silent):
        room.until(
            "([client, id]) => room.log.some((each) => each.client === client && each.id === id)", [warden.client, each]
        )
        room.faults(silent=dict.fromkeys(silent[number + 1 :], "before"))
        if number == 0:
            warden.pair(program)
    assert warden.until_it_stands(writer=True, scene=room.until("(key) => room.scene.metadata[key]", KEY)["id"])
