"""Where tokens stand: worked out by hand for hexes of 120 pixels, 138.56 high, rows 103.92 apart."""

from __future__ import annotations

import json
import re
from typing import Any
from xml.etree import ElementTree as ET

from hypothesis import given
from hypothesis import strategies as st

from rallypoint.kernel.board import Board
from rallypoint.kernel.encounter import Encounter
from rallypoint.kernel.state import Entity, Hex, Pose, State, Zone
from rallypoint_foundry.export import export
from rallypoint_foundry.places import Spot, _quarter, corner, parade_board

from .forces import COMBAT_ARMOR, Force, large, small

Json = dict[str, Any]


def placed(places: dict[str, Any], board: Board | None = None) -> Encounter:
    """The small force with some of its entities put somewhere."""
    base = small()
    entities = [
        Entity(*entity)._replace(place=places[entity.uid]) if entity.uid in places else entity for entity in base.state
    ]
    return base._replace(state=State.of(entities), board=board or Board(6, 6))


def tokens(encounter: Encounter) -> dict[str, Json]:
    (scene,) = json.loads(export(encounter, {}).files["encounter.json"])["scenes"]
    return {token["name"]: token for token in scene["tokens"]}


def test_a_team_shares_a_hex() -> None:
    found = tokens(placed({"red/1/A": Hex(2, 1)}))
    # Hex (2, 1) is in column 2 of row 1: middle at 120 * 2.5 + 60 = 360 and 69.28 + 103.92 = 173.2; tokens are 60 wide
    # and 69.28 high, their middles 30 off in four directions.
    assert {name: (token["x"], token["y"]) for name, token in found.items()} == {
        "Captain": (300, 109), "Gunner": (360, 109), "Robot": (300, 169),
    }  # fmt: skip
    assert all((token["width"], token["height"]) == (0.5, 0.5) for token in found.values())


def test_a_unit_stands_where_it_is_itself() -> None:
    found = tokens(placed({"red/1/A": Hex(2, 1), "red/1/A/3": Hex(0, 0)}))
    assert (found["Robot"]["x"], found["Robot"]["y"]) == (0, 5)
    assert (found["Gunner"]["x"], found["Gunner"]["y"]) == (360, 109)


def test_a_point_is_a_point() -> None:
    # 50 mm are 120 pixels; the middle of the token is the point.
    found = tokens(placed({"red/1/A/1": Pose(100.0, 50.0), "red/1/A": Hex(0, 0)}))
    # 34.64 is half the height of a token; whole pixels may be one off
    assert found["Captain"]["x"] == 240 - 30
    assert abs(found["Captain"]["y"] - (120 - 34.64)) <= 1


def test_who_stands_nowhere_has_no_token_and_is_named() -> None:
    encounter = placed({"red/1/A/1": Hex(9, 9), "red/1/A/2": Zone("reserve"), "red/1/A/3": Hex(1, 1)})
    result = export(encounter, {})
    assert result.left_out == (
        "token (Captain; Gunner): stands on no hex of the board, so no token is placed and no combatant made",
    )
    assert (result.counts["combatants"], result.counts["tokens"], result.counts["tokens_left_out"]) == (3, 1, 2)
    assert list(tokens(encounter)) == ["Robot"]
    nowhere = export(small()._replace(board=Board(6, 6)), {})
    assert nowhere.left_out == (
        "token (Captain; Gunner; Robot): stands nowhere, so no token is placed and no combatant made",
    )
    assert json.loads(nowhere.files["encounter.json"])["combats"] == []


def test_a_parade_is_a_team_in_a_hex_and_a_squad_in_a_row() -> None:
    force = Force()
    force.frame("red")
    force.add("red/1/B", "team", "red/1", name="Team B")
    force.add("red/2", "squad", "red/p", name="Squad 2")
    force.add("red/2/A", "team", "red/2", name="Team A")
    force.frame("blue")
    for number, team in enumerate(["red/1/A", "red/1/B", "red/2/A", "blue/1/A"]):
        force.unit(f"u{number}", "Soldier", team, COMBAT_ARMOR)
    encounter = force.encounter()
    units = [entity for entity in encounter.state if entity.role == "unit"]
    board, found = parade_board(encounter, units)
    assert {uid: (spot.column, spot.row) for uid, spot in found.items()} == {
        "u0": (1, 1), "u1": (2, 1), "u2": (1, 2), "u3": (1, 4),
    }  # fmt: skip
    assert (board.columns, board.rows) == (6, 6)


def test_no_two_tokens_of_a_crowd_stand_alike() -> None:
    force = Force()
    force.frame()
    for number in range(40):
        force.unit(f"u{number}", "Soldier", "red/1/A", COMBAT_ARMOR, name=f"S{number}")
    found = tokens(force.encounter())
    assert len({(token["x"], token["y"]) for token in found.values()}) == 40
    assert len({_quarter(number) for number in range(60)}) == 60


def test_a_company_stays_on_its_board() -> None:
    (scene,) = json.loads(export(large(120), {}).files["encounter.json"])["scenes"]
    assert len(scene["tokens"]) == 120
    for token in scene["tokens"]:
        assert 0 <= token["x"] <= scene["width"] - 60
        assert 0 <= token["y"] <= scene["height"] - 70


@given(st.integers(0, 99), st.integers(0, 99))
def test_neighbours_are_a_hex_apart(column: int, row: int) -> None:
    x, y = corner(Spot(column, row, 0, 0), 1)
    right, down = corner(Spot(column + 1, row, 0, 0), 1), corner(Spot(column, row + 1, 0, 0), 1)
    assert right == (x + 120, y)
    assert down[0] - x == (60 if row % 2 == 0 else -60)
    assert 103 <= down[1] - y <= 104


SVG = "{http://www.w3.org/2000/svg}"


def drawn(encounter: Encounter) -> ET.Element:
    (name,) = [name for name in export(encounter, {}).files if name.endswith("board.svg")]
    return ET.fromstring(export(encounter, {}).files[name])


def words(picture: ET.Element) -> list[str]:
    """What is written on the board besides the names of the hexes."""
    found = [each.text or "" for each in picture.iter(f"{SVG}text")]
    return [word for word in found if not re.fullmatch(r"[A-Z]\d", word)]


def grounds(board: Board) -> dict[str, str]:
    """The colour of each hex that is not open ground, by the corners of its polygon."""
    picture = drawn(small()._replace(board=board))
    return {str(each.get("points")): str(each.get("fill")) for each in picture.iter(f"{SVG}polygon")}


def test_the_picture_shows_what_stands_on_the_board() -> None:
    board = Board(3, 2, {Hex(1, 0): "thick_wood", Hex(0, 1): "a & b", Hex(8, 8): "nowhere"})
    picture = drawn(small()._replace(board=board))
    assert (picture.get("width"), picture.get("height")) == ("420", "243")
    assert words(picture) == ["thick wood", "a & b"]
    found = grounds(board)
    # Hex (1, 0): middle at (180, 69.28), corners half a hex to the sides and 69.28 up and down, in whole pixels.
    assert "180,0 240,34 240,104 180,138 120,104 120,34" in found
    assert len(set(found.values())) == 2
    assert "NaN" not in ET.tostring(picture, "unicode")
    assert "None" not in ET.tostring(picture, "unicode")


def rgb(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def test_colours_mean_what_they_show() -> None:
    kinds = [
        "forest", "jungle", "undergrowth", "barricade", "unmanned_vehicle", "building", "stream", "river", "water",
    ]  # fmt: skip
    seen = set()
    for kind in kinds:
        (colour,) = grounds(Board(2, 2, {Hex(0, 0): kind})).values()
        red, green, blue = rgb(colour)
        seen.add(colour)
        if kind in ("forest", "jungle", "undergrowth"):
            assert green == max(red, green, blue)
            assert green > blue
        if kind in ("stream", "river", "water"):
            assert blue == max(red, green, blue)
            assert blue > red
        if kind in ("unmanned_vehicle", "building"):
            assert max(red, green, blue) - min(red, green, blue) < 16
    assert len(seen) == len(kinds)


def test_every_kind_has_marks_of_its_own() -> None:
    board = Board(9, 2, {
        Hex(column, 0): kind for column, kind in enumerate(["forest", "jungle", "building", "stream", "lava", "tar", "ice"])
    })  # fmt: skip
    marks = [each.get("d") for each in drawn(small()._replace(board=board)).iter(f"{SVG}path")]
    assert len(marks) == 7
    assert len(set(marks)) == 7


def test_a_patch_is_named_once_and_long_names_stay_in_their_hex() -> None:
    patch = {
        Hex(0, 0): "forest",
        Hex(1, 0): "forest",
        Hex(0, 1): "forest",
        Hex(4, 0): "forest",
        Hex(2, 1): "unmanned_vehicle",
    }
    patch[Hex(4, 1)] = "x" * 30
    picture = drawn(small()._replace(board=Board(6, 3, patch)))
    assert sorted(words(picture)) == ["forest", "forest", "unmanned", "vehicle", "x" * 30]
    for each in picture.iter(f"{SVG}text"):
        assert 0.6 * float(each.get("font-size") or 0) * len(each.text or "") <= 120


def test_every_hex_has_its_name() -> None:
    names = [each.text for each in drawn(small()._replace(board=Board(3, 2, {Hex(0, 0): "forest"}))).iter(f"{SVG}text")]
    assert names[:6] == ["A1", "B1", "C1", "A2", "B2", "C2"]


def fought_over() -> Encounter:
    force = Force()
    force.frame("red")
    force.frame("blue")
    force.unit("u", "Soldier", "red/1/A", COMBAT_ARMOR)
    force.add("p", "rally_point", "blue", name="Old & <grey> mill")
    encounter = force.encounter()
    state = State.of([Entity(*each)._replace(place=Hex(0, 0)) if each.uid == "p" else each for each in encounter.state])
    zones = {"red": (Hex(0, 2), Hex(1, 2)), "blue": (Hex(0, 0),)}
    return encounter._replace(state=state, board=Board(3, 3), zones=zones)


def test_zones_and_rally_points_are_in_the_colours_of_their_sides() -> None:
    picture = drawn(fought_over())
    tints = [each.get("fill") for each in picture.iter(f"{SVG}polygon")]
    red, blue = tints[0], tints[2]
    assert tints == [red, red, blue]
    assert red is not None
    assert blue is not None
    assert rgb(red)[0] > rgb(red)[2]
    assert rgb(blue)[2] > rgb(blue)[0]
    outlines = [
        each for each in picture.iter(f"{SVG}path") if each.get("stroke") in (red, blue) and each.get("fill") == "none"
    ]
    # two hexes side by side have 10 sides to the outside, one has 6; each is one line
    assert [str(each.get("d")).count("M") for each in outlines[:2]] == [10, 6]
    assert words(picture) == ["Old &", "<grey> mill"]
    assert [each.get("fill") for each in picture.iter(f"{SVG}path")].count(blue) == 1  # the flag


def test_a_patch_and_a_rally_point_do_not_write_over_each_other() -> None:
    encounter = fought_over()._replace(board=Board(3, 3, {Hex(0, 0): "forest", Hex(1, 0): "forest"}))
    picture = drawn(encounter)
    at = {each.text: each.get("x") for each in picture.iter(f"{SVG}text")}
    assert (at["forest"], at["<grey> mill"]) == ("180", "60")
    alone = drawn(encounter._replace(board=Board(3, 3, {Hex(0, 0): "forest"})))
    assert words(alone) == ["Old &", "<grey> mill"]


def test_a_rally_point_is_said_to_be_drawn() -> None:
    said = "mosh-0.6.1 has no document for it, kept in encounter.json"
    assert f"rally_point (Old & <grey> mill): {said} and drawn on the board" in export(fought_over(), {}).left_out
    flat = export(fought_over()._replace(board=None), {})
    assert f"rally_point (Old & <grey> mill): {said} alone" in flat.left_out


def test_zones_alone_are_a_picture() -> None:
    (scene,) = json.loads(export(fought_over(), {}).files["encounter.json"])["scenes"]
    assert scene["background"] == {"src": "modules/rallypoint-demo/board.svg"}


def test_a_bare_board_has_no_picture() -> None:
    (scene,) = json.loads(export(small()._replace(board=Board(4, 4)), {}).files["encounter.json"])["scenes"]
    assert scene["background"] == {"src": None}
