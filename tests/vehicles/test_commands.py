"""``rallypoint vehicle`` as people call it, its pictures, and a battle with cars from rosters to the map."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from .cars import manifest

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
PACK = EXAMPLES / "content" / "motor-pool.toml"
SVG = "{http://www.w3.org/2000/svg}"


def rallypoint(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "rallypoint", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, encoding="utf-8")


def well_drawn(path: Path) -> ET.Element:
    """Return a picture, which is XML and has no colour: what is told in it is told in grey too."""
    text = path.read_text("utf-8")
    for colour in re.findall(r"#([0-9a-f]{6})", text):
        assert colour[:2] == colour[2:4] == colour[4:], colour
    return ET.fromstring(text)


def words(picture: ET.Element) -> list[str]:
    return [each.text or "" for each in picture.iter(f"{SVG}text")]


def test_the_manifest_names_each_rule_that_the_plugin_touches_by_its_whole_id() -> None:
    rules = {f"D-VE-{number}" for number in range(1, 14)} - {"D-VE-2"}  # the raft moves by hexes
    rules |= {"D-AMB-32", "D-R14.3", "D-R14.4", "D-R14.5", "D-R15.1", "D-R15.2"}
    assert set(manifest().touched) == rules
    assert len(manifest().rules) == len(rules)


# check


def test_the_house_set_is_shown_with_costs_and_a_warning(tmp_path: Path) -> None:
    done = rallypoint("vehicle", "check", "house", folder=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert re.search(r"^  hairpin +1,2,3 +3 +50 +0 +180$", done.stdout, re.MULTILINE)
    assert "warning: this is a house set" in done.stdout
    assert rallypoint("vehicle", "check", "house", "--strict", folder=tmp_path).returncode == 1


def test_a_set_is_drawn_in_grey_with_every_template(tmp_path: Path) -> None:
    assert rallypoint("vehicle", "check", "house", "-o", "house.svg", folder=tmp_path).returncode == 0
    said = words(well_drawn(tmp_path / "house.svg"))
    assert {"short straight", "hairpin", "gears 1, 2, 3", "cost 3, unverified"} <= set(said)
    assert any("not Gaslands" in each for each in said)


def own_set(folder: Path, name: str = "mine", **hard: object) -> Path:
    template = {"id": "hard", "gears": [1, 2], "end": {"x": 40, "y": 42, "h": 88}, **hard}
    path = folder / f"{name}.json"
    path.write_text(json.dumps({"set": name, "templates": [template], "slide": {"end": {"x": 9, "y": 9}}}))
    return path


def test_a_set_of_ones_own_for_a_program(tmp_path: Path) -> None:
    own_set(tmp_path)
    done = rallypoint("vehicle", "check", "mine.json", "--json", folder=tmp_path)
    record = json.loads(done.stdout)
    assert (record["set"], record["house"]) == ("mine", False)
    (row,) = record["templates"]
    assert (row["cost"], row["end"], row["verified"]) == (2, {"x": 40.0, "y": 42.0, "h": 88.0}, False)
    assert record["remarks"][0].startswith("not in this set: short_straight")


@pytest.mark.parametrize(
    ("second", "status", "said"),
    [
        ({"end": {"x": 40.9, "y": 41.2, "h": 89.5}}, 0, "hard: confirmed"),
        ({"end": {"x": 41.2, "y": 42, "h": 88}}, 1, "hard: 1.2 mm and 0.0 degrees apart"),
        ({"end": {"x": 40, "y": 42, "h": 90.5}}, 1, "hard: 0.0 mm and 2.5 degrees apart"),
        ({"gears": [1, 2, 3]}, 1, "hard: other gears"),
        ({"id": "harder"}, 1, "hard: only in one of them"),
    ],
)
def test_two_measurements_confirm_each_other(tmp_path: Path, second: dict[str, object], status: int, said: str) -> None:
    own_set(tmp_path)
    own_set(tmp_path, "again", **second)
    done = rallypoint("vehicle", "check", "mine.json", "--against", "again.json", folder=tmp_path)
    assert done.returncode == status
    assert said in done.stdout.splitlines()


def test_what_is_wrong_with_a_set_is_said_and_nothing_is_drawn(tmp_path: Path) -> None:
    own_set(tmp_path, gears=[9])
    done = rallypoint("vehicle", "check", "mine.json", "-o", "x.svg", folder=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert "mine.json: templates[0].gears: gears go from 1 to 6" in done.stderr
    assert not (tmp_path / "x.svg").exists()
    assert rallypoint("vehicle", "check", "none.toml", folder=tmp_path).returncode == 2
    assert rallypoint("vehicle", "check", "nobody", folder=tmp_path).returncode == 2
    own_set(tmp_path)
    assert rallypoint("vehicle", "check", "mine.json", "-o", "no/x.svg", folder=tmp_path).returncode == 2


# plan

PLAN = ("vehicle", "plan", "--from", "300,300,0", "--to", "395,255", "--movement", "7")


def test_a_plan_in_words_and_for_a_program(tmp_path: Path) -> None:
    done = rallypoint(*PLAN, folder=tmp_path)
    assert done.returncode == 0
    assert "1  cost 7, 0.0 mm off: hard right, short_straight" in done.stdout
    assert "ends at 395.0, 255.0 heading 90" in done.stdout
    record = json.loads(rallypoint(*PLAN, "--json", folder=tmp_path).stdout)
    best = record["plans"][0]
    assert best["drive"] == ["hard right", "short_straight", "stop"]
    assert best["poses"][-1] == {"x": 395.0, "y": 255.0, "heading": 90.0}
    assert record["whole"] is True


def test_a_plan_is_drawn_in_grey(tmp_path: Path) -> None:
    assert rallypoint(*PLAN, "--size", "8,4", "-o", "plan.svg", folder=tmp_path).returncode == 0
    picture = well_drawn(tmp_path / "plan.svg")
    said = words(picture)
    assert {"1", "2", "house set: not the templates of Gaslands", "50 mm: a hex, 2 inches"} <= set(said)
    wide, high = (float(part) for part in picture.attrib["viewBox"].split()[2:])
    (shift,) = [each for each in picture.findall(f"{SVG}g") if "transform" in each.attrib]
    dx, dy = (float(part) for part in re.findall(r"[-\d.]+", shift.attrib["transform"]))
    for polygon in shift.iter(f"{SVG}polygon"):
        for pair in polygon.attrib["points"].split():
            x, y = (float(part) for part in pair.split(","))
            assert 0 <= x + dx <= wide
            assert 0 <= y + dy <= high


def test_a_point_out_of_reach_is_exit_status_1(tmp_path: Path) -> None:
    far = ("vehicle", "plan", "--from", "300,300,0", "--to", "300,0", "--movement", "6")
    done = rallypoint(*far, folder=tmp_path)
    assert done.returncode == 1
    assert "200.0 mm off  (not within the tolerance)" in done.stdout


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("--from", "1,2", "expected: X,Y,HEADING"),
        ("--to", "here", "expected: X,Y"),
        ("--to", "nan,1", "expected: X,Y"),
        ("--size", "5", "expected: LENGTH,WIDTH"),
        ("--movement", "2", "this vehicle can lay no template at all; found: 2; expected: at least 3"),
        ("--set", "nowhere", "there is no such set of templates"),
    ],
)
def test_a_plan_that_cannot_be_understood(tmp_path: Path, option: str, value: str, said: str) -> None:
    given = dict(zip(PLAN[2::2], PLAN[3::2], strict=True)) | {option: value}
    done = rallypoint("vehicle", "plan", *[part for pair in given.items() for part in pair], folder=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr


def test_each_command_has_an_example_in_its_help(tmp_path: Path) -> None:
    for command in ((), ("check",), ("plan",)):
        done = rallypoint("vehicle", *command, "--help", folder=tmp_path)
        assert done.returncode == 0
        assert "Example: rallypoint vehicle" in done.stdout


# A battle


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Return a folder with a battle of a car patrol against itself, both sides by hand."""
    scenario = f"""
        scenario = 1
        title = "Cars"
        size = "platoon"
        options = {{ "D-AMB-32.slide" = "goes_on" }}
        [board]
        columns = 12
        rows = 12
        [[sides]]
        name = "red"
        roster = '{EXAMPLES / "rosters" / "car-patrol.toml"}'
        edge = "bottom"
        rally_points = {{ A = "B12" }}
        [[sides]]
        name = "blue"
        roster = '{EXAMPLES / "rosters" / "car-patrol.toml"}'
        rally_points = {{ B = "B1" }}
    """
    (tmp_path / "cars.toml").write_text(scenario, encoding="utf-8")
    new = ("battle", "new", "cars.toml", "-o", "cars.battle", "--seed", "5", "--content", str(PACK))
    done = rallypoint(*new, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    return tmp_path


def lay_one_template(folder: Path, code: str) -> None:
    """Play a battle by hand until a car may drive, and let it; whoever else is due does nothing, questions get the first answer."""
    for _ in range(30):
        due = json.loads(rallypoint("battle", "legal", "cars.battle", "--json", folder=folder).stdout)
        if due["question"]:
            word: tuple[str, ...] = ("answer", "cars.battle", "1")
        elif any(each["words"].startswith(f"{code}: drive") for each in due["legal"]):
            word = ("act", "cars.battle", "drive", code, "short_straight", "stop")
        else:
            word = ("act", "cars.battle", "done")
        done = rallypoint("battle", *word, "--step", folder=folder)
        assert done.returncode == 0, done.stderr
        if "drive" in word:
            return
    pytest.fail(f"{code} has not come to drive within 30 acts")


@pytest.mark.rule("D-VE-3", "D-VE-5", "D-VE-9")
def test_cars_drive_in_a_battle_from_rosters_and_it_replays(table: Path) -> None:
    assert rallypoint("battle", "step", "cars.battle", folder=table).returncode == 0
    lay_one_template(table, "R-1A")
    lay_one_template(table, "B-1A")
    log = rallypoint("battle", "log", "cars.battle", folder=table).stdout
    for code in ("R-1A", "B-1A"):
        assert re.search(rf"D-VE-3  {code} lays short_straight \(cost 3\) and stands at", log)
        assert re.search(rf"D-VE-9  {code}-\d \w+: drive: ", log)
    assert rallypoint("battle", "replay", "cars.battle", folder=table).returncode == 0
    state = json.loads(rallypoint("battle", "show", "cars.battle", "--json", folder=table).stdout)
    places = [each["place"] for each in state["entities"] if isinstance(each.get("place"), dict)]
    assert all(set(place) == {"x", "y", "heading"} for place in places)
    assert places
    assert re.search(r"at \d+, \d+ mm, heading \d+", rallypoint("battle", "show", "cars.battle", folder=table).stdout)
    assert rallypoint("battle", "map", "cars.battle", "-o", "now.svg", "--last", "40", folder=table).returncode == 0
    assert "R-1A" in words(ET.parse(table / "now.svg").getroot())


def test_the_rulings_of_the_plugin_are_listed(tmp_path: Path) -> None:
    shown = rallypoint("rules", "show", folder=tmp_path).stdout
    assert re.search(r"D-AMB-32\.slide +ends +a vehicle that has slid", shown)
    assert re.search(r"D-VE-7 +final +what a Driver sees of a template", shown)


# The page


def test_the_set_on_the_page_can_be_read_and_the_pictures_are_what_the_program_draws(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "vehicles.md").read_text("utf-8")
    (tmp_path / "my_set.toml").write_text(page.split("```toml\n")[1].split("```")[0], encoding="utf-8")
    assert rallypoint("vehicle", "check", "my_set.toml", folder=tmp_path).returncode == 0
    way = ("--from", "100,300,0", "--to", "190,190", "--movement", "12", "--size", "40,20")
    assert rallypoint("vehicle", "check", "house", "-o", "vehicle-templates.svg", folder=tmp_path).returncode == 0
    assert rallypoint("vehicle", "plan", *way, "-o", "vehicle-plan.svg", folder=tmp_path).returncode == 0
    for name in ("vehicle-templates.svg", "vehicle-plan.svg"):
        assert (tmp_path / name).read_text("utf-8") == (ROOT / "docs" / "pictures" / name).read_text("utf-8"), name
