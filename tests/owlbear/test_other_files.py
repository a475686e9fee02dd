"""Files for other extensions against literal facts: map with walls and picture, Persistent Tokens, bubbles, initiative."""

from __future__ import annotations

import base64
import json
import math
import struct
import zlib
from collections.abc import Mapping
from typing import Any

import pytest

from rallypoint.kernel.board import Board
from rallypoint.kernel.encounter import Encounter, Export, Sheet
from rallypoint.kernel.state import Entity, Hex, State, Tracker
from rallypoint_owlbear.export import export
from rallypoint_owlbear.hex_picture import hex_picture, png
from rallypoint_owlbear.map_file import outlines

Json = dict[str, Any]
RECORD = "io.github.rallypoint/unit"
BUBBLES = "com.owlbear-rodeo-bubbles-extension/metadata"


def force(
    teams: Mapping[str, tuple[tuple[int, int], ...]],
    pictures: Mapping[str, str] | None = None,
    board: Board | None = None,
    places: Mapping[str, Hex] | None = None,
) -> Encounter:
    """Return one side; a team is its units' Wounds: taken and most."""
    entities = [
        Entity.new("red", "side"),
        Entity.new("p", "platoon", parent="red", trackers={"Stress": Tracker(4, 0, 20)}),
    ]
    sheets = {}
    for team, units in teams.items():
        entities.append(Entity.new(team, "team", parent="p", place=(places or {}).get(team)))
        sheets[team] = Sheet(team, f"Team {team}", "Team", team.upper(), picture=(pictures or {}).get(team))
        for number, (taken, most) in enumerate(units):
            uid = f"{team}{number}"
            entities.append(Entity.new(uid, "unit", parent=team, trackers={"Wounds": Tracker(taken, 0, most)}))
            sheets[uid] = Sheet(uid, f"Unit {uid}", "Soldier", uid.upper())
    return Encounter("enc", "Encounter", "disrupter", State.of(entities), sheets, board)


def document(result: Export, name: str) -> Any:
    return json.loads(result.files[name])


def items(result: Export) -> dict[str, Json]:
    return {token["uid"]: token["items"][0] for token in document(result, "encounter.owlbear.json")["tokens"]}


# Places


def test_with_a_board_tokens_lie_on_their_hexes() -> None:
    board = Board(12, 12)
    places = {"a": Hex(0, 0), "b": Hex(2, 1), "c": Hex(-1, 2)}
    found = items(export(force(dict.fromkeys("abc", ((0, 1),)), board=board, places=places), {}))
    # dpi 150: x = 150 (q + r / 2), y = 129.904 r - 43.301
    assert found["a"]["position"] == {"x": 0, "y": -43.301}
    assert found["b"]["position"] == {"x": 375, "y": pytest.approx(86.603, abs=0.001)}
    assert found["c"]["position"] == {"x": 0, "y": pytest.approx(216.506, abs=0.001)}


def test_a_discs_label_lies_where_the_disc_lies() -> None:
    result = export(force({"a": ((0, 1),)}, board=Board(4, 4), places={"a": Hex(1, 0)}), {})
    (token,) = document(result, "encounter.owlbear.json")["tokens"]
    disc, label = token["items"]
    assert label["attachedTo"] == disc["id"]
    assert label["position"] == disc["position"] == {"x": 150, "y": -43.301}


def test_without_a_board_there_is_neither_place_nor_map() -> None:
    result = export(force({"a": ((0, 1),)}), {})
    assert list(result.files) == ["encounter.owlbear.json"]
    assert items(result)["a"]["position"] is None


# The map

BUILDINGS = Board(4, 3, {Hex(0, 0): "building", Hex(1, 0): "building", Hex(2, 1): "forest"})


def test_the_map_has_what_smoke_and_spectre_asks_for() -> None:
    found = document(export(force({"a": ((0, 1),)}, board=BUILDINGS), {}), "map.dd2vtt")
    assert found["format"] == 0.3
    # 4 hexes and the half of the odd row: 5 squares; 3 rows: (3 / 2 + 1 / 6) * sqrt(3) = 2.89, so 3 squares
    assert found["resolution"] == {
        "map_origin": {"x": 0, "y": 0},
        "map_size": {"x": 5, "y": 3},
        "pixels_per_grid": 70,
    }
    assert len(found["line_of_sight"]) == 1
    image = base64.b64decode(found["image"], validate=True)
    assert image[:8] == b"\x89PNG\r\n\x1a\n"
    assert struct.unpack(">II", image[16:24]) == (5 * 70, 3 * 70)


def test_walls_run_around_neighbours_together() -> None:
    (line,) = outlines({Hex(0, 0), Hex(1, 0)})
    # Two hexes have 12 sides; the two that they share are no wall.
    assert len(line) == 11
    assert line[0] == line[-1]
    corners = {(point["x"], point["y"]) for point in line}
    side = 1 / math.sqrt(3)
    for x, y in ((0, side / 2), (0.5, 0), (1, side / 2), (1.5, 0), (2, side / 2), (2, 1.5 * side), (1.5, 2 * side)):
        assert any(math.isclose(x, a) and math.isclose(y, b, abs_tol=1e-6) for a, b in corners), (x, y)


def test_walls_lie_at_the_corners_of_their_hex_on_the_board() -> None:
    place = Hex(1, 1)
    (line,) = outlines({place})
    board = Board(4, 4)
    x, y = board.point(place)
    for point in line:
        away = math.hypot(point["x"] * board.hex_mm - x, point["y"] * board.hex_mm - y)
        assert away == pytest.approx(board.hex_mm / math.sqrt(3), abs=0.001)


def test_a_yard_and_two_corners_that_touch_have_closed_walls_of_their_own() -> None:
    ring = {Hex(1, 0), Hex(0, 1), Hex(-1, 1), Hex(-1, 0), Hex(0, -1), Hex(1, -1)}
    outer, inner = sorted(outlines(ring), key=len, reverse=True)
    assert (len(outer), len(inner)) == (19, 7)
    for blocks in (ring, {Hex(0, 0), Hex(2, -1)}, {Hex(0, 0), Hex(3, 0)}):
        for line in outlines(blocks):
            assert line[0] == line[-1]
            assert len({(point["x"], point["y"]) for point in line}) == len(line) - 1


@pytest.mark.parametrize(("terrain", "walls"), [("building", ""), ("forest", "building"), ("building", "forest,hut")])
def test_a_map_without_buildings_has_a_wall_around_it(terrain: str, walls: str) -> None:
    board = Board(3, 1, {Hex(1, 0): terrain})
    result = export(force({"a": ((0, 1),)}, board=board), {"walls": walls})
    (line,) = document(result, "map.dd2vtt")["line_of_sight"]
    assert {(point["x"], point["y"]) for point in line} == {(0, 0), (3, 0), (3, 2), (0, 2)}
    assert any("its one wall runs around the board" in note for note in result.notes)


def test_walls_of_other_terrain_are_an_option() -> None:
    board = Board(3, 1, {Hex(0, 0): "hut", Hex(2, 0): "forest"})
    result = export(force({"a": ((0, 1),)}, board=board), {"walls": "hut, forest"})
    assert len(document(result, "map.dd2vtt")["line_of_sight"]) == 2
    assert not any("one wall" in note for note in result.notes)


# The picture


def pixels(data: bytes) -> list[list[tuple[int, ...]]]:
    """Return the colours of a PNG with a palette, decoded by the letter of its specification."""
    width, height = struct.unpack(">II", data[16:24])
    assert data[24:29] == bytes([8, 3, 0, 0, 0])
    position, chunks = 8, {}
    while position < len(data):
        (length,) = struct.unpack(">I", data[position : position + 4])
        kind, content = data[position + 4 : position + 8], data[position + 8 : position + 8 + length]
        (check,) = struct.unpack(">I", data[position + 8 + length : position + 12 + length])
        assert check == zlib.crc32(kind + content)
        chunks[kind] = content
        position += 12 + length
    raw = zlib.decompress(chunks[b"IDAT"])
    palette = [tuple(chunks[b"PLTE"][n : n + 3]) for n in range(0, len(chunks[b"PLTE"]), 3)]
    lines = [raw[row * (width + 1) : (row + 1) * (width + 1)] for row in range(height)]
    assert all(line[0] == 0 for line in lines)
    return [[palette[index] for index in line[1:]] for line in lines]


def test_the_picture_has_each_hex_in_its_colour_where_the_board_has_it() -> None:
    found = pixels(hex_picture(BUILDINGS, 70))
    colours = {}
    for place in BUILDINGS.hexes():
        x, y = BUILDINGS.point(place)
        colours[place] = found[round(y / 50 * 70)][round(x / 50 * 70)]
    assert colours[Hex(0, 0)] == colours[Hex(1, 0)] == (110, 104, 100)
    assert colours[Hex(2, 1)] == (76, 122, 66)
    assert {colour for place, colour in colours.items() if place not in BUILDINGS.terrain} == {(232, 224, 204)}
    # Half-way between two hexes lies their line; left of an odd row lies nothing.
    assert found[round(50 / 3**0.5 / 50 * 70)][70] == (150, 140, 120)
    assert found[round(BUILDINGS.point(Hex(0, 1))[1] / 50 * 70)][2] == (60, 60, 60)


def test_terrain_that_nobody_knows_has_colours_of_its_own() -> None:
    board = Board(3, 1, {Hex(0, 0): "lava", Hex(2, 0): "mud"})
    found = pixels(hex_picture(board, 40))
    assert found[23][20] != found[23][100]
    assert (232, 224, 204) not in (found[23][20], found[23][100])


def test_the_same_board_gives_the_same_bytes() -> None:
    assert hex_picture(BUILDINGS, 70) == hex_picture(BUILDINGS, 70)
    assert pixels(png([b"\0\1", b"\1\0"], [(1, 2, 3), (4, 5, 6)])) == [[(1, 2, 3), (4, 5, 6)], [(4, 5, 6), (1, 2, 3)]]


# Persistent Tokens


def test_a_picture_of_its_own_carries_the_numbers() -> None:
    pictures = {"a": "https://example.org/a.png", "b": "https://example.org/b.png"}
    result = export(force({"a": ((1, 2),), "b": ((0, 3),), "c": ((0, 1),)}, pictures), {})
    entries = document(result, "persistent-tokens.json")
    assert [entry["type"] for entry in entries] == ["UNIQUE", "UNIQUE"]
    first, second = [entry["token"] for entry in entries]
    assert (first["type"], first["layer"], first["image"]["url"]) == ("IMAGE", "CHARACTER", pictures["a"])
    assert first["position"] == {"x": 0, "y": 0}
    assert {"id", "name", "zIndex", "createdUserId", "lastModified", "lastModifiedUserId", "grid", "text"} <= set(first)
    assert [each["metadata"][RECORD]["units"][0]["wounds"] for each in (first, second)] == [1, 0]


def test_tokens_of_one_picture_are_left_out_by_name() -> None:
    pictures = dict.fromkeys("ab", "https://example.org/same.png") | {"c": "https://example.org/c.png"}
    result = export(force(dict.fromkeys("abc", ((0, 1),)), pictures), {})
    assert [entry["token"]["name"] for entry in document(result, "persistent-tokens.json")] == ["Team c"]
    assert any("others have it: Team a, Team b" in note for note in result.notes)
    same = export(force(dict.fromkeys("ab", ((0, 1),)), dict.fromkeys("ab", pictures["a"])), {})
    assert "persistent-tokens.json" not in same.files


# Stat Bubbles and initiative


def test_bubbles_show_what_is_left_and_each_token_its_own() -> None:
    teams = {"a": ((1, 2), (1, 3)), "b": ((0, 1),), "c": ((2, 2),)}
    found = items(export(force(teams), {"bubbles": "on"}))
    assert [found[team]["metadata"][BUBBLES] for team in "abc"] == [
        {"health": 3, "max health": 5},
        {"health": 1, "max health": 1},
        {"health": 0, "max health": 2},
    ]
    assert BUBBLES not in items(export(force(teams), {}))["a"]["metadata"]


@pytest.mark.parametrize(
    ("option", "key"),
    [("official", "rodeo.owlbear.initiative-tracker/metadata"), ("pretty", "com.pretty-initiative/metadata")],
)
def test_initiative_is_the_order_of_the_roster_as_text(option: str, key: str) -> None:
    found = items(export(force(dict.fromkeys("abc", ((0, 1),))), {"initiative": option}))
    assert [found[team]["metadata"][key] for team in "abc"] == [
        {"count": "3", "active": False},
        {"count": "2", "active": False},
        {"count": "1", "active": False},
    ]
    assert not any("initiative" in key for key in items(export(force({"a": ((0, 1),)}), {}))["a"]["metadata"])


@pytest.mark.parametrize(("number", "said"), [(100, False), (101, True)])
def test_more_than_a_hundred_tokens_are_said(number: int, said: bool) -> None:
    result = export(force({f"t{place}x": ((0, 1),) for place in range(number)}), {})
    assert any(note.startswith(f"{number} tokens: ") for note in result.notes) is said
