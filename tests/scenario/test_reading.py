"""What a scenario says, and what holds where it says nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from rallypoint.content.scenario import (
    Placement,
    RallyPoint,
    is_scenario,
    read_scenario,
)
from rallypoint.content.scenario_terrain import coordinate, hex_at
from rallypoint.disrupter import scenario_words
from rallypoint.kernel.parts import Hex

from .scenes import BOARD, HEAD, ROOT, SIDES, read

WHOLE = """
scenario = 1
title = "The Ford"
game = "disrupter"
mode = "campaign"
size = "squad"
rules = "full"
referee = true

[options]
D-AMB-05 = "selected"
D-AMB-36 = "unit"
"D-AMB-08.start" = 2
D-AMB-13 = true

[board]
terrain = '''
 . F # .
  ~ . = W
 u J v R
'''

[deployment]
from = "corners"
depth = 1

[[sides]]
name = "red"
title = "Red Company"
roster = "rosters/red.md"
with_optional = true
players = 3
edge = "bottom-left"
[sides.rally_points]
Quarry = "A3"
"Old mill" = "d1"

[[sides]]
name = "Blue-2"
roster = "blue.md"
place = { 1A = "D1", 0A = "C1" }
"""


def test_a_whole_scenario_holds_all_four_parts() -> None:
    """D-R10.1: players, rules and mode, forces, board."""
    found = read(WHOLE)
    assert (found.title, found.key) == ("The Ford", "the-ford")
    assert (found.mode, found.size, found.rules, found.referee) == ("campaign", "squad", "full", True)
    assert dict(found.options) == {
        "D-AMB-05": "selected",
        "D-AMB-08.start": 2,
        "D-AMB-13": "yes",
        "D-AMB-36": "unit",
    }
    assert (found.board.columns, found.board.rows) == (4, 3)
    assert (found.deployment, found.depth) == ("corners", 1)
    red, blue = found.sides
    assert (red.name, red.title, red.roster, red.players, red.with_optional) == (
        "red",
        "Red Company",
        "rosters/red.md",
        3,
        True,
    )
    assert (blue.name, blue.title, blue.players, blue.with_optional) == ("Blue-2", "Blue-2", 1, False)
    assert (red.edge, blue.edge) == ("bottom-left", "top-right")
    assert found.roster(red) == Path("rosters/red.md")


def test_terrain_lies_where_its_sign_stands() -> None:
    # Row 1: columns 1 and 2. Row 2 is shoved: column c of row 1 (from 0) is axial (c, 1). Row 3 begins at axial -1.
    assert dict(read(WHOLE).board.terrain) == {
        Hex(1, 0): "forest",
        Hex(2, 0): "building",
        Hex(0, 1): "stream",
        Hex(2, 1): "barricade",
        Hex(3, 1): "water",
        Hex(-1, 2): "undergrowth",
        Hex(0, 2): "jungle",
        Hex(1, 2): "unmanned_vehicle",
        Hex(2, 2): "river",
    }


def test_rally_points_and_placements_keep_their_lines() -> None:
    red, blue = read(WHOLE).sides
    assert red.rally_points == (RallyPoint("Quarry", Hex(-1, 2), 35), RallyPoint("Old mill", Hex(3, 0), 36))
    assert blue.placements == (Placement("1A", Hex(3, 0), 41), Placement("0A", Hex(2, 0), 41))


def test_what_holds_where_nothing_is_said() -> None:
    found = read(HEAD + BOARD + SIDES)
    assert (found.mode, found.size, found.rules, found.referee) == ("last_man_standing", "platoon", "full", False)
    assert dict(found.options) == {}
    assert dict(found.board.terrain) == {}
    assert (found.deployment, found.depth, found.seed) == ("edges", 2, None)
    assert [side.edge for side in found.sides] == ["top", "bottom"]
    assert [(side.title, side.players, side.rally_points) for side in found.sides] == [("Red", 1, ()), ("Blue", 1, ())]


@pytest.mark.parametrize(
    ("given", "first", "second"),
    [
        ('edge = "left"', "left", "right"),
        ('edge = "right"', "right", "left"),
        ('edge = "top"', "top", "bottom"),
        ('edge = "bottom"', "bottom", "top"),
    ],
)
def test_the_other_side_begins_opposite(given: str, first: str, second: str) -> None:
    found = read(HEAD + BOARD + SIDES.replace('name = "red"', f'name = "red"\n{given}'))
    assert [side.edge for side in found.sides] == [first, second]
    found = read(HEAD + BOARD + SIDES.replace('name = "blue"', f'name = "blue"\n{given}'))
    assert [side.edge for side in found.sides] == [second, first]


@pytest.mark.parametrize(("inches", "hexes"), [(24, 12), (36, 18), (12, 6)])
def test_two_inches_are_a_hex(inches: int, hexes: int) -> None:
    """D-R2.1, D-R5.2: 24 inches are 12 hexes, 36 are 18."""
    board = read(HEAD + f"[board]\ninches = {inches}\n" + SIDES).board
    assert (board.columns, board.rows, board.hex_mm) == (hexes, hexes, 50)


def test_blanks_between_signs_do_not_count() -> None:
    wide = HEAD + "[board]\nterrain = '''\n. F .\n  . . #\n'''\n" + SIDES
    tight = HEAD + '[board]\nterrain = """.F.\n..#"""\n' + SIDES
    assert read(wide).board == read(tight).board


@pytest.mark.parametrize(
    ("name", "column", "row"),
    [("A1", 0, 0), ("L12", 11, 11), ("z3", 25, 2), ("AA1", 26, 0), ("AZ2", 51, 1), ("BA1", 52, 0), (" C4 ", 2, 3)],
)
def test_names_of_hexes(name: str, column: int, row: int) -> None:
    place = Hex(column - row // 2, row)
    assert hex_at(name) == place
    assert coordinate(place) == name.strip().upper()


@pytest.mark.parametrize("name", ["", "A", "1", "1A", "A0", "A-1", "ABC1", "A1234", "Ä1", "A 1", "A1B", "٣1"])
def test_what_is_no_name_of_a_hex(name: str) -> None:
    assert hex_at(name) is None


def test_a_scenario_is_told_from_a_roster_by_its_first_key(tmp_path: Path) -> None:
    scenario, roster, page = tmp_path / "a.toml", tmp_path / "b.toml", tmp_path / "c.md"
    scenario.write_text("# a comment\nscenario = 1\n", encoding="utf-8")
    roster.write_text('title = "scenario = 1"\n', encoding="utf-8")
    page.write_text("scenario = 1\n", encoding="utf-8")
    assert is_scenario(scenario)
    assert not is_scenario(roster)
    assert not is_scenario(page)
    assert not is_scenario(tmp_path / "missing.toml")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_encodings_and_scripts(tmp_path: Path, encoding: str) -> None:
    text = (HEAD + BOARD + SIDES).replace("Test", "Бой у O’Neil’s 狐").replace('"red.md"', '"взвод.md"')
    file = tmp_path / "бой.toml"
    file.write_text(text, encoding=encoding)
    found = read_scenario(file, scenario_words())
    assert found.title == "Бой у O’Neil’s 狐"
    assert found.key.isascii()
    assert found.roster(found.sides[0]) == tmp_path / "взвод.md"


def test_the_example_in_the_repository_is_read() -> None:
    found = read_scenario(ROOT / "examples" / "scenarios" / "ford.toml", scenario_words())
    assert (found.board.columns, found.board.rows, len(found.board.terrain)) == (12, 12, 72)
    assert [side.name for side in found.sides] == ["red", "blue"]
    assert found.roster(found.sides[0]).is_file()
