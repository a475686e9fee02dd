"""A plugin of somebody else: its wheel and ours in an environment of their own, and everything that it adds is there.

Nothing is fetched: what both depend on is lent from the environment of the tests.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

import pytest

from .distributions import ROOT

EXAMPLE = ROOT / "examples" / "short-supply"
GARRISON = """# Garrison
### Squad 0
#### Team A
* 1 CO - Combat Armor, Revolver
* 1 Soldier - Combat Armor, Bolt Rifle
### Squad 1
#### Team A
* 1 NCO - Battle Dress, Pulse Rifle
* 1 Soldier - Combat Armor, Trench Gun
"""
GATE = """scenario = 1
title = "Gate"
size = "squad"
[board]
terrain = '''
 . . . .
  . . . .
 . . . .
'''
[[sides]]
name = "red"
roster = "garrison.md"
edge = "bottom"
place = { 0A = "A3", 1A = "C3" }
[[sides]]
name = "blue"
roster = "garrison.md"
place = { 0A = "B1", 1A = "D1" }
"""

pytest.importorskip("hatchling", reason="the build backend of both; make test installs it")


def run(command: list[str], where: Path, **more: str) -> str:
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "RALLYPOINT", "XDG"))}
    own = {
        "XDG_CACHE_HOME": str(where / "cache"),
        "XDG_CONFIG_HOME": str(where / "config"),
        "PYTHONIOENCODING": "utf-8",
    }
    done = subprocess.run(
        command, cwd=where, env={**clean, **own, **more}, capture_output=True, text=True, encoding="utf-8", check=False
    )
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
    return done.stdout


class Place:
    """A folder with a fresh environment in which the two wheels are."""

    def __init__(self, home: Path) -> None:
        self.home = home
        pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
        for project in (ROOT, EXAMPLE):
            offline = ["--no-index", "--no-deps", "--no-build-isolation"]
            run([*pip, "wheel", "--quiet", *offline, "--wheel-dir", str(home / "wheels"), str(project)], home)
        run([sys.executable, "-m", "venv", "--without-pip", str(home / "fresh")], home)
        wheels = [str(wheel) for wheel in sorted((home / "wheels").glob("*.whl"))]
        assert len(wheels) == 2
        folder = "Scripts" if os.name == "nt" else "bin"
        self.python = str(home / "fresh" / folder / "python")
        run([*pip, "--python", self.python, "install", "--quiet", "--no-index", "--no-deps", *wheels], home)
        purelib = run([self.python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"], home).strip()
        Path(purelib, "lent.pth").write_text(sysconfig.get_path("purelib"))
        (home / "garrison.md").write_text(GARRISON)
        (home / "gate.toml").write_text(GATE)

    def say(self, *arguments: str) -> str:
        return run([self.python, "-m", "rallypoint", *arguments], self.home)

    def document(self, *arguments: str) -> Any:
        return json.loads(self.say(*arguments, "--json"))


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    return Place(tmp_path_factory.mktemp("third-party"))


def test_both_are_the_ones_that_were_installed(place: Place) -> None:
    code = "import rallypoint, short_supply; print(rallypoint.__file__); print(short_supply.__file__)"
    for line in run([place.python, "-c", code], place.home).splitlines():
        assert Path(line).is_relative_to(place.home / "fresh")


def test_it_is_listed_with_all_that_it_brings(place: Place) -> None:
    (row,) = [row for row in place.document("plugins")["plugins"] if row["name"] == "short-supply"]
    assert (row["state"], row["distribution"], row["version"]) == ("on", "short-supply", "1.0")
    assert row["rulings"] == ["SUPPLY-1", "SUPPLY-2"]
    assert row["sets_of_rules"] == ["siege"]
    assert row["content"] == ["weapons.toml"]
    assert row["decides"] == []
    assert row["rules"] == ["D-R16.4", "D-R11.3", "D-R11.9"]
    assert "fire_shot" in row["hooks"]


def test_its_own_tests_pass_there(place: Place) -> None:
    tests = ["-m", "pytest", "-q", "-c", os.devnull, "--rootdir", str(EXAMPLE), "-p", "no:cacheprovider"]
    assert " passed" in run([place.python, "-B", *tests, str(EXAMPLE / "tests")], place.home)


def test_a_battle_counts_ammo_and_says_by_whom(place: Place) -> None:
    place.say(
        "battle", "new", "gate.toml", "-o", "a.battle", "--seed", "7", "--seat", "red=auto", "--seat", "blue=auto"
    )
    place.say("battle", "play", "a.battle")
    rows = place.document("battle", "log", "a.battle")
    events = [event for row in rows for event in row.get("events", ())]
    spent = [event for event in events if event["kind"] == "supply.spent"]
    assert spent
    assert {(event["rule"], event["by"]) for event in spent} == {("SUPPLY-1", "short-supply")}
    state = place.document("battle", "show", "a.battle")
    levels = {row["uid"]: row["trackers"]["Ammo"] for row in state["entities"] if "Ammo" in row["trackers"]}
    for uid, level in levels.items():
        again = sum(uid in event["why"]["units"] for event in events if event["kind"] == "supply.found")
        assert level == 6 - sum(event["why"]["unit"] == uid for event in spent) + again
    assert len(levels) == 8
    assert min(levels.values()) < 6
    assert "Ammo" in place.say("battle", "show", "a.battle")
    number = next(row["entry"] for row in rows if any(each["kind"] == "supply.spent" for each in row.get("events", ())))
    assert "the plugin short-supply" in place.say("battle", "explain", "a.battle", str(number))
    assert "Gate" in place.say("battle", "report", "a.battle")


def test_its_set_of_rules_and_its_ruling_are_chosen_by_name(place: Place) -> None:
    rows = place.document("rules", "show", "--rules", "siege", "--option", "SUPPLY-1=5", "--changed")["rulings"]
    assert {row["id"]: row["chosen"] for row in rows} == {
        "SUPPLY-1": 5,
        "SUPPLY-2": "yes",
        "D-AMB-15": "return",  # a ruling of the game, which the set changes
    }


def test_its_weapons_are_in_rosters_and_on_cards(place: Place) -> None:
    out = place.say("muster", "garrison.md")
    assert "Bolt Rifle" in out
    assert "Trench Gun" in out
    place.say("card", "garrison.md", "-o", "card.md", "--option", "SUPPLY-1=3")
    assert "Combat Armor, Bolt Rifle; Ammo 3 2 1 0 |" in (place.home / "card.md").read_text("utf-8")


def test_its_tracker_goes_to_both_tabletops_and_comes_back(place: Place) -> None:
    place.say("convert", "garrison.md", "-o", "garrison.toml")
    place.say("export", "foundry", "garrison.toml", "-o", "foundry")
    actors = [json.loads(path.read_text("utf-8")) for path in (place.home / "foundry" / "actors").glob("*.json")]
    records = [actor["flags"]["rallypoint"] for actor in actors if actor["flags"]["rallypoint"]["kind"] == "unit"]
    ammo = {"name": "Ammo", "value": 6, "min": 0, "max": 6, "bad": "down"}
    assert len(records) == 4
    assert all(ammo in record["trackers"] for record in records)
    place.say("export", "owlbear", "garrison.toml", "-o", "owlbear")
    file = place.home / "owlbear" / "encounter.owlbear.json"
    document = json.loads(file.read_text("utf-8"))
    metadata = document["tokens"][0]["items"][0]["metadata"]
    entry = next(each for each in metadata["com.owl-trackers/trackers"] if each["name"] == "Soldier 0A-2 Ammo")
    assert (entry["value"], entry["max"], entry["variant"]) == (6, 6, "value-max")
    entry["value"] = 2
    file.write_text(json.dumps(document), "utf-8")
    assert "Ammo 6 -> 2" in place.say("import", "owlbear", str(file), "--into", "garrison.toml")
    place.say("card", "garrison.toml", "-o", "after.md")
    assert "Bolt Rifle; Ammo 2 1 0 |" in (place.home / "after.md").read_text("utf-8")


def test_what_is_left_after_a_battle_stays_in_the_roster(place: Place) -> None:
    place.say("convert", "garrison.md", "-o", "red.toml")
    scenario = GATE.replace('"garrison.md"', '"red.toml"', 1)
    (place.home / "own.toml").write_text(scenario)
    place.say(
        "battle", "new", "own.toml", "-o", "own.battle", "--seed", "7", "--seat", "red=auto", "--seat", "blue=auto"
    )
    place.say("battle", "play", "own.battle")
    place.say("battle", "report", "own.battle", "--side", "red", "--write", "red.toml")
    state = place.document("battle", "show", "own.battle")
    left = {row["uid"]: row["trackers"]["Ammo"] for row in state["entities"] if "Ammo" in row["trackers"]}
    after = (place.home / "red.toml").read_text("utf-8")
    levels = [int(level) for level in re.findall(r"trackers = \{ Ammo = (\d+) \}", after)]
    assert levels == [level for uid, level in left.items() if uid.startswith("red.")]
    assert min(levels) < 6
