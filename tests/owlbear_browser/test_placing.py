"""New tokens in the open scene, pictures and scenes for the library, and the menu of a token. O numbers are failures that others met."""

from __future__ import annotations

import threading
from typing import Any

from .browser import Room
from .program import Program
from .table import Table, messages_of
from .tokens import Json, shown, token

ADD = "OBR_SCENE_ITEMS_ADD_ITEMS"
PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010806000000"
    "1f15c4890000000d49444154789c6360606060000000050001a5f645400000000049454e44ae426082"
)


def new(identity: str, x: float = 0, **keys: Any) -> Json:
    """A whole item as the program sends it: what only the page knows is left out."""
    whole = {"type": "IMAGE", "layer": "CHARACTER", "visible": True, "locked": False, "rotation": 0}
    picture = {"url": "https://example.invalid/a.png", "mime": "image/png", "width": 150, "height": 150}
    more = {"scale": {"x": 1, "y": 1}, "position": {"x": x, "y": -43.3}, "image": picture}
    return {**token(identity), **whole, **more, "grid": {"dpi": 150, "offset": {"x": 75, "y": 75}}, **keys}


def picture(program: Program, name: str = "a.png") -> Json:
    """A picture that the program serves."""
    assert program.pictures is not None
    (program.pictures / name).write_bytes(PIXEL)
    where = {"url": f"{program.base}/pictures/{name}", "name": name.removesuffix(".png")}
    return {**where, "width": 1, "height": 1, "dpi": 1, "offset": {"x": 0.5, "y": 0.5}}


def test_tokens_are_placed_with_what_only_the_page_knows(room: Room, program: Program) -> None:
    """O4, O33: metadata comes with the new item, and the GM is its owner."""
    table = Table(room, program)
    kind, body = table.ask("place", items=[new("u1"), new("u2", 150), new("label", attachedTo="u2")])
    assert (kind, body["scene"], body["items"], body["failed"]) == ("placed", table.scene, ["u1", "u2", "label"], [])
    items = room.items()
    one, two = items["u1"], items["u2"]
    assert {key: one[key] for key in new("u1")} == new("u1")
    assert (one["createdUserId"], one["lastModifiedUserId"]) == ("warden", "warden")
    assert one["zIndex"] < two["zIndex"]
    assert one["lastModified"].endswith("Z")
    table.set(("u1", 2))  # a write right after it finds the item
    assert table.shown()["u1"] == 2


def test_what_is_there_is_left_alone_and_nothing_is_placed_twice(room: Room, program: Program) -> None:
    table = Table(room, program, [token("u1", wounds=3, position={"x": 900, "y": 900})])
    before = room.items()["u1"]
    assert table.ask("place", items=[new("u1"), new("u2")])[1]["items"] == ["u1", "u2"]
    assert table.ask("place", items=[new("u1"), new("u2")])[1]["items"] == ["u1", "u2"]
    assert room.items()["u1"] == before
    assert [each["ids"] for each in room.calls()] == [["u2"]]


def test_too_many_for_one_call_go_in_several(room: Room, program: Program) -> None:
    """O17."""
    table = Table(room, program)
    items = [new(f"u{number:02}") for number in range(45)]
    kind, body = table.ask("place", items=items)
    assert (kind, body["items"]) == ("placed", [each["id"] for each in items])
    assert [len(each["ids"]) for each in room.calls()] == [20, 20, 5]
    assert len(room.items()) == 45


def test_a_placing_of_which_the_room_says_nothing_is_found_out_by_reading(quick_room: Room, program: Program) -> None:
    """O38."""
    room = quick_room
    table = Table(room, program)
    room.faults(silent={ADD: "after"})
    assert table.ask("place", items=[new("u1")])[1]["items"] == ["u1"]
    room.faults(silent={ADD: "before"})
    _, body = table.ask("place", items=[new("u2")])
    assert (body["items"], [(each["id"], each["code"]) for each in body["failed"]]) == ([], [("u2", "no_answer")])
    assert list(room.items()) == ["u1"]
    (told,) = room.seen()["notifications"]
    assert told["message"].startswith("Rallypoint: a token was not placed")


def test_no_scene_and_another_scene(room: Room, program: Program) -> None:
    table = Table(room, program)
    room.open_scene("next", items=[])
    table.scene_of_program(other_than=table.scene)
    kind, body = table.ask("place", items=[new("u1")])
    assert (kind, body["code"]) == ("refused", "other_scene")
    assert room.items() == {}


def test_a_scene_goes_to_the_library(room: Room, program: Program) -> None:
    """O33: a picker opens, and the GM is told so before."""
    table = Table(room, program)
    grid = {"dpi": 200, "type": "HEX_VERTICAL", "scale": "2in", "measurement": "CHEBYSHEV"}
    ask: dict[str, Any] = {"name": "First Fight", "grid": grid, "items": [new("u1")], "map": picture(program)}
    kind, body = table.ask("upload scene", scene=None, **ask)
    assert (kind, body["sure"]) == ("uploaded", True)
    seen = room.seen()
    ((scene,),) = [each["scenes"] for each in seen["uploads"]]
    assert scene["name"] == "First Fight"
    assert {key: scene["grid"][key] for key in grid} == grid
    assert scene["items"][0]["metadata"] == new("u1")["metadata"]
    assert scene["baseMap"]["file"] == {"size": len(PIXEL), "type": "image/png"}
    assert scene["baseMap"]["grid"] == {"dpi": 1, "offset": {"x": 0.5, "y": 0.5}}
    assert [each["variant"] for each in seen["notifications"]] == ["INFO"]


def test_pictures_go_to_the_library_surely_or_not(quick_room: Room, program: Program) -> None:
    """O38: the SDK waits 5 seconds for a picker in which people look around."""
    room = quick_room
    table = Table(room, program)
    ask: dict[str, Any] = {"images": [picture(program), picture(program, "b.png")], "hint": "CHARACTER"}
    assert table.ask("upload images", scene=None, **ask)[1]["sure"] is True
    (upload,) = room.seen()["uploads"]
    assert (upload["typeHint"], [each["name"] for each in upload["images"]]) == ("CHARACTER", ["a", "b"])
    room.faults(silent={"OBR_ASSETS_UPLOAD_IMAGES": "after"})
    assert table.ask("upload images", scene=None, **ask)[1]["sure"] is False


def test_a_picture_of_somebody_elses_is_not_uploaded(room: Room, program: Program) -> None:
    table = Table(room, program)
    room.expected_errors = ["/pictures/nothing.png"]
    for url, why in (
        ("https://example.invalid/a.png", "example.invalid"),
        (f"{program.base}/pictures/nothing.png", "not there"),
    ):
        kind, body = table.ask("upload images", scene=None, images=[picture(program) | {"url": url}], hint="CHARACTER")
        assert (kind, body["code"]) == ("refused", "other")
        assert why in body["why"]
    assert room.seen()["uploads"] == []


def test_pictures_are_picked_while_the_program_waits_and_other_work_goes_on(quick_room: Room, program: Program) -> None:
    room = quick_room
    table = Table(room, program, [token("u1")])
    busy = messages_of(program, "busy")
    picked: list[tuple[str, Json]] = []
    asking = threading.Thread(
        target=lambda: picked.append(
            table.ask("pick images", scene=None, search="marine", hint="CHARACTER", seconds=1.5)
        )
    )
    asking.start()
    asked = room.until("() => room.picker?.asked")
    assert asked == {"multiple": True, "defaultSearch": "marine", "typeHint": "CHARACTER"}
    table.set(("u1", 2))  # the picker is open, and the battle goes on
    for _ in range(3):  # the last comes after 10 seconds of the page, 2 of the program, which waits for 1.5
        busy.get(timeout=20)
    image = {"url": "https://images.example/1.png", "mime": "image/png", "width": 300, "height": 200}
    found = {"name": "Marine", "image": image, "grid": {"dpi": 300, "offset": {"x": 150, "y": 100}}, "visible": True}
    room.run("(images) => room.picker.close(images)", [found])
    asking.join(20)
    ((kind, body),) = picked
    flat = {"name": "Marine", **image, "dpi": 300, "offset": {"x": 150, "y": 100}}
    assert (kind, body["images"]) == ("picked", [flat])


def test_the_menu_of_a_token_asks_in_the_popover_for_whom_it_stands(room: Room, program: Program) -> None:
    """O12: a token is linked by the GM's click; no name is guessed."""
    table = Table(room, program, [{"id": "t9", "name": "Marine", "text": {"plainText": "Hudson"}}])
    (menu,) = room.seen()["menus"]
    (icon,) = menu["icons"]
    assert icon["filter"]["roles"] == ["GM"]
    assert icon["icon"] == f"{program.base}/icon.svg"
    room.run("() => { room.answers.OBR_ACTION_OPEN = () => ({}) }")
    room.call("clickMenu", menu["id"], table.tab.client, ["t9"])
    table.tab.background.until(LINKING, table.tab.client)
    assert table.tab.standing()["linking"] == {"id": "t9", "name": "Hudson"}
    links = messages_of(program, "link")
    table.tab.wish({"do": "say", "message": {"kind": "link", "item": "t9", "uid": "u1"}})
    assert table.tab.until_it_stands(linking=None)["error"] is None
    link = links.get(timeout=20)
    assert (link.body["item"], link.body["uid"]) == ("t9", "u1")


LINKING = """(page) => new Promise((resolve) => {
    const channel = new BroadcastChannel("io.github.rallypoint");
    channel.onmessage = ({ data }) => data.to === "popover" && data.page === page && resolve(data.standing.linking);
    channel.postMessage({ to: "background", page, wish: { do: "say how it stands" } });
})"""


def test_wounds_of_a_placed_token_are_shown(room: Room, program: Program) -> None:
    table = Table(room, program)
    table.ask("place", items=[new("u1")])
    assert shown(room.items()["u1"]) == 0
