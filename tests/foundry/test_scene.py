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
from rallypoint_foundry.scene import board_picture

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


def test_the_picture_shows_what_stands_on_the_board() -> None:
    board = Board(3, 2, {Hex(1, 0): "thick_wood", Hex(0, 1): "a & b", Hex(8, 8): "nowhere"})
    picture = ET.fromstring(board_picture(board))
    assert (picture.get("width"), picture.get("height")) == ("420", "243")
    space = "{http://www.w3.org/2000/svg}"
    words = [each.text for each in picture.iter(f"{space}text")]
    assert words == ["a & b", "thick wood"]
    shapes = {each.get("points") for each in picture.iter(f"{space}polygon")}
    # Hex (1, 0): middle at (180, 69.28), corners half a hex to the sides and 69.28 up and down.
    assert "180,0 240,34 240,104 180,138 120,104 120,34" in shapes
    assert len({each.get("fill") for each in picture.iter(f"{space}polygon")}) == 2
    assert re.search("NaN|None", board_picture(board)) is None


def test_a_bare_board_has_no_picture() -> None:
    (scene,) = json.loads(export(small()._replace(board=Board(4, 4)), {}).files["encounter.json"])["scenes"]
    assert scene["background"] == {"src": None}
