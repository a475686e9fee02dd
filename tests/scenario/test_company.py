"""Scenarios with several rosters on a side: how they are read, what is refused, and where everybody stands (D-SF-4)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rallypoint.content import PageError
from rallypoint.content.scenario import Roster
from rallypoint.content.scenario_check import check_scenario
from rallypoint.disrupter import scenario_words
from rallypoint.disrupter.deploy import deployed
from rallypoint.kernel.hexes import to_offset
from rallypoint.kernel.parts import Hex

from ..cli.battles import said, say
from .scenes import HEAD, ROOT, STARTER, read, starter

pytestmark = pytest.mark.rule("D-SF-4")

COMPANY = 'size = "company"\n'
BOARD = "[board]\ncolumns = 24\nrows = 24\n"
SIDES = """[[sides]]
name = "red"
rosters = [
    "a.md",  # first
    "b.md",
]
edge = "bottom"
rally_points = { A = "B24" }

[[sides]]
name = "blue"
rosters = ["c.md", "c.md", "d.md"]
rally_points = { A = "B1" }
"""
TEXT = HEAD + COMPANY + BOARD + SIDES


def test_each_platoon_has_its_roster_and_its_line() -> None:
    found = read(TEXT)
    red, blue = found.sides
    assert red.rosters == (Roster("a.md", 10), Roster("b.md", 11))
    assert blue.rosters == (Roster("c.md", 18), Roster("c.md", 18), Roster("d.md", 18))
    assert (red.roster, found.roster(red, 2), found.roster(blue, 3)) == ("a.md", Path("b.md"), Path("d.md"))


def test_one_roster_may_be_said_either_way() -> None:
    old, new = 'roster = "a.md"', 'rosters = ["a.md"]'
    text = HEAD + BOARD + '[[sides]]\nname = "red"\nX\n[[sides]]\nname = "blue"\nX\n'
    assert read(text.replace("X", old)).sides == read(text.replace("X", new)).sides


@pytest.mark.parametrize(
    ("old", "new", "line", "what", "expected"),
    [
        (
            '["c.md", "c.md", "d.md"]',
            '"c.md"',
            18,
            "a value of the wrong type",
            'a list of rosters: ["one.md", "two.md"]',
        ),
        ('["c.md", "c.md", "d.md"]', "[]", 18, "a value of the wrong type", 'a list of rosters: ["one.md", "two.md"]'),
        ('"c.md", "d.md"]', '" "]', 18, "a value of the wrong type", 'a list of rosters: ["one.md", "two.md"]'),
        ('"c.md", "d.md"]', "3]", 18, "a value of the wrong type", 'a list of rosters: ["one.md", "two.md"]'),
        ('edge = "bottom"', 'roster = "a.md"', 9, "a side's force is named twice", "roster, or rosters with several"),
        ('rosters = ["c', 'rooster = ["c', 18, "unknown key", None),
    ],
)
def test_what_cannot_be_read_has_its_line(old: str, new: str, line: int, what: str, expected: str | None) -> None:
    assert TEXT.count(old) == 1
    with pytest.raises(PageError) as caught:
        read(TEXT.replace(old, new))
    (problem,) = caught.value.problems
    assert (problem.what, problem.line) == (what, line)
    assert expected in (None, problem.expected)


def test_a_smaller_fight_has_one_platoon_on_a_side() -> None:
    with pytest.raises(PageError) as caught:
        read(TEXT.replace(COMPANY, ""))
    assert [(each.what, each.found, each.expected, each.line) for each in caught.value.problems] == [
        ("a side has one platoon at platoon scale", "2 rosters", 'one roster or size = "company"', 8),
        ("a side has one platoon at platoon scale", "3 rosters", 'one roster or size = "company"', 17),
    ]


@pytest.mark.parametrize(
    ("rosters", "warns"),
    [
        ('["c.md"]', "blue brings 1 platoon; at company scale it should be 2 to 3"),
        ('["c.md", "d.md"]', None),
        ('["c.md", "c.md", "d.md"]', None),
        ('["c.md", "c.md", "d.md", "d.md"]', "blue brings 4 platoons; at company scale it should be 2 to 3"),
    ],
)
def test_another_number_of_platoons_is_a_warning(rosters: str, warns: str | None) -> None:
    found = check_scenario(read(TEXT.replace('["c.md", "c.md", "d.md"]', rosters)), scenario_words())
    assert [each.what for each in found if each.rule == "D-SF-4"] == ([warns] if warns else [])


@pytest.mark.parametrize("edge", ["bottom", "left"])
def test_platoons_stand_side_by_side_each_in_its_stretch_of_the_zone(edge: str) -> None:
    """On 24 hexes two platoons have 12 each, three have 8; nobody is in the way on open ground."""
    other = {"bottom": "top", "left": "right"}[edge]
    text = TEXT.replace('edge = "bottom"', f'edge = "{edge}"').replace(
        'name = "blue"', f'name = "blue"\nedge = "{other}"'
    )
    force = starter()
    made = deployed(read(text), {"red": (force, force), "blue": (force, force, force)}).encounter
    for side, count in (("red", 2), ("blue", 3)):
        for number in range(1, count + 1):
            own = list(made.state.below(f"{side}.{number}.starter-platoon", "team"))
            places = [to_offset(team.place)[edge == "left"] for team in own if isinstance(team.place, Hex)]
            assert len(places) == 7
            low, high = (number - 1) * 24 // count, number * 24 // count
            assert low <= min(places) <= max(places) <= high, (side, number)
            command = next(team for team in own if team.uid.endswith("-0A"))
            assert isinstance(command.place, Hex)
            assert abs(to_offset(command.place)[edge == "left"] - (low + high) // 2) <= 1 + 8 // count  # behind a squad


def test_teams_of_a_company_are_placed_by_the_number_of_their_platoon() -> None:
    force = starter()
    placed = TEXT.replace('edge = "bottom"', 'edge = "bottom"\nplace = { 2-1B = "C23" }')
    made = deployed(read(placed), {"red": (force, force)}).encounter
    assert made.state["red.2.starter-1B"].place == Hex(2 - 11, 22)
    with pytest.raises(PageError) as caught:
        deployed(read(placed.replace("2-1B", "1B")), {"red": (force, force)})
    assert (caught.value.what, caught.value.found, caught.value.line) == ("no such team", "red 1B", 14)
    assert "2-1B" in str(caught.value.expected)


def test_no_room_for_a_company_is_told_with_the_depth_to_change() -> None:
    force = starter(with_optional=True)
    narrow = TEXT.replace("columns = 24", "columns = 10").replace("rows = 24", "rows = 10").replace('"B24"', '"B10"')
    with pytest.raises(PageError, match="no room in the zone"):
        deployed(read(narrow), {"red": (force, force, force)})
    deeper = narrow.replace("[[sides]]", "[deployment]\ndepth = 4\n[[sides]]", 1)
    assert len(list(deployed(read(deeper), {"red": (force, force, force)}).encounter.state.below("red", "team"))) == 27


# At the command line


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "examples" / "scenarios" / "two-valleys.toml").read_text("utf-8").replace("../rosters/", "")
    (tmp_path / "valleys.toml").write_text(text, "utf-8")
    (tmp_path / "starter-platoon.md").write_bytes(STARTER.read_bytes())
    return tmp_path


def test_the_example_is_fine_and_tells_of_every_platoon(site: Path) -> None:
    out = said("scenario", "check", "valleys.toml", "--strict")
    assert (
        "Red Company: 2 players, Starter Platoon, 28 units in 7 teams; Starter Platoon, 28 units in 7 teams, begins"
        in out
    )
    sides = json.loads(said("scenario", "check", "valleys.toml", "--json"))["sides"]
    assert [[row["counts"]["units"] for row in side["platoons"]] for side in sides] == [[28, 28], [28, 28]]


def test_a_roster_that_is_not_there_is_told_with_its_own_line(site: Path) -> None:
    text = (site / "valleys.toml").read_text("utf-8")
    lines = text.splitlines()
    number = [line for line, row in enumerate(lines, 1) if row.strip() == '"starter-platoon.md",'][1]
    lines[number - 1] = '    "none.md",'
    (site / "valleys.toml").write_text("\n".join(lines), "utf-8")
    done = say("scenario", "check", "valleys.toml")
    assert done.status == 2
    assert f"valleys.toml:{number}: the roster of red cannot be read" in done.err


def test_what_is_wrong_with_a_unit_is_told_with_the_line_of_its_roster(site: Path) -> None:
    page = "# Small\n### Squad 0\n#### Team A\n* 1 CO - Combat Armor, Revolver {wounds=9}\n"
    (site / "small.md").write_text(page, "utf-8")
    text = (site / "valleys.toml").read_text("utf-8")
    text = text.replace('["starter-platoon.md", "starter-platoon.md"]', '["small.md", "small.md"]')
    (site / "valleys.toml").write_text(text, "utf-8")
    done = say("scenario", "check", "valleys.toml")
    assert done.status == 2
    assert "small.md:4" in done.err


def test_exports_and_cards_have_every_platoon(site: Path) -> None:
    said("card", "valleys.toml", "-o", "card.md")
    heads = [line for line in (site / "card.md").read_text("utf-8").splitlines() if line.startswith("# ")]
    assert heads == [f"# Starter Platoon {code[1]} ({code})" for code in ("R1", "R2", "B1", "B2")]
    said("export", "foundry", "valleys.toml", "-o", "foundry")
    actors = [json.loads(path.read_text("utf-8")) for path in (site / "foundry" / "actors").iterdir()]
    holders = sorted(actor["name"] for actor in actors if actor["type"] == "character")
    assert holders == ["Starter Platoon 1", "Starter Platoon 1", "Starter Platoon 2", "Starter Platoon 2"]
    assert len(actors) == 4 * 28 + 4
    said("export", "owlbear", "valleys.toml", "-o", "owlbear")
    text = (site / "owlbear" / "encounter.owlbear.json").read_text("utf-8")
    assert all(f'"stressOf": "red.{number}.starter-platoon"' in text for number in (1, 2))
