"""Another game stands in: the command line plays it by its module alone, and says plainly what the game has no words for."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from ..plugins.distributions import ROOT, distribution, rallypoint
from .battles import ROSTER, SCENARIO

MODULE = '''
"""The duel at the table: rosters give each side its units, everything else is the duel's own."""
from types import SimpleNamespace
from rallypoint.content.catalogue import Catalogue, Item
from rallypoint.content.scenario_words import Mode, Option, ScenarioWords, Size, Terrain
from rallypoint.kernel.encounter import Encounter, Sheet
from rallypoint.kernel.parts import Tracker
from rallypoint.kernel.state import Entity, State
from .rules import Duel

WEAPONS = ("revolver", "pulse_rifle", "heavy_machine_gun", "laser_carbine")

def _item(kind, key):
    return Item(kind, key, key.replace("_", " ").title(), "DUEL-0", {})

def catalogue():
    classes = [Item("class", key.lower(), key, "DUEL-0", {}) for key in ("CO", "NCO", "Soldier")]
    armor = [_item("armor", key) for key in ("combat_armor", "battle_dress")]
    return Catalogue([*classes, *armor, *[_item("weapon", key) for key in WEAPONS]])

def scenario_words():
    field = Terrain("field", "Field", "f", "tufts", "cover", "all", "DUEL-0")
    pace = Option("pace", ("slow", "quick"), "how fast", "DUEL-0")
    return ScenarioWords("duel", {"field": field}, {"duel": Mode("duel", "Duel", "", "DUEL-6")},
        {"small": Size("small", "Small", (6,), "DUEL-0")}, {"plain": "All there is."}, {"pace": pace}, (0.0, 1.0), "DUEL-0", 1, 4)

def encounter(force, *, side="red"):
    return Encounter("k", force.title, "duel", State.of([Entity.new(side, "side")]), {})

def deployed(scenario, forces):
    entities, sheets = [Entity.new("duel", "duel", attributes={"turn": 1, "acts": "red"})], {}
    for side, force in forces.items():
        entities.append(Entity.new(side, "side"))
        for number, unit in enumerate(force.units[:2], 1):
            uid = f"{side}-{number}"
            entities.append(Entity.new(uid, "unit", parent=side, facts={"instinct": 60, "armor": 60}, trackers={"Wounds": Tracker(0, 0, 2)}))
            sheets[uid] = Sheet(uid, f"Number {number}", "Duellist", f"{side[0].upper()}")
    return SimpleNamespace(encounter=Encounter("k", "Duel", "duel", State.of(entities), sheets), zones={})

def opening(scenario, encounter, options):
    return encounter.state

def playable(options, hooks=None):
    game = Duel(hooks)
    game.options = dict(options)
    return game
'''


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """Return a folder in which the duel is the one game that is on."""
    folder = tmp_path / "site"
    folder.mkdir()
    rules = (ROOT / "examples" / "duel.py").read_text("utf-8")
    manifest = '[game]\nmodule = "pkg_duel"\nhooks = "pkg_duel.rules:Hooks"\nrosters = true\n'
    distribution(folder, "duel", {"__init__.py": MODULE, "rules.py": rules}, manifest=manifest)
    (tmp_path / "small.md").write_text(
        ROSTER.replace("1 Bot - Basic Battlefield Robot", "1 Soldier - Combat Armor"), "utf-8"
    )
    scenario = SCENARIO.replace('size = "squad"\n', "").replace("[board]", "[board]\ncolumns = 6\nrows = 6", 1)
    head, _, tail = scenario.partition("terrain = '''")
    (tmp_path / "duel.toml").write_text(head + tail.partition("'''\n")[2], "utf-8")
    return folder


def run(site: Path, *arguments: str, expected: int = 0) -> str:
    done = rallypoint(*arguments, folder=site, env={"RALLYPOINT_PLUGINS": "duel"})
    assert done.returncode == expected, done.stderr
    assert "Traceback" not in done.stderr
    return done.stderr if expected else done.stdout


def test_a_game_that_only_has_rules_is_played_to_its_end(site: Path) -> None:
    out = run(
        site,
        "battle",
        "new",
        "duel.toml",
        "-o",
        "d.battle",
        "--seed",
        "3",
        "--option",
        "pace=quick",
        "--seat",
        "blue=random",
    )
    assert "Seats: red person, blue random." in out
    assert "Ruling pace: quick" in out
    rows: list[Mapping[str, Any]] = json.loads(run(site, "battle", "legal", "d.battle", "--json"))["legal"]
    assert [row["args"] for row in rows[:2]] == [["red-1", "blue-1"], ["red-1", "blue-2"]]
    assert rows[0]["words"] == "fire R-1 Number 1 B-1 Number 1"
    out = run(site, "battle", "act", "d.battle", "fire", '["R-2", "B-1"]')
    assert "DUEL-1  check" in out
    assert "DUEL-5  turn.passed" in out
    assert "Wounds 0/2" in run(site, "battle", "show", "d.battle")
    out = run(site, "battle", "step", "d.battle", "--seat", "red=random")
    assert "Over: won " in out.splitlines()[-1]
    assert "The same: " in run(site, "battle", "replay", "d.battle")
    explained = run(site, "battle", "explain", "d.battle", "1")
    assert "  rule DUEL-1" in explained
    report = json.loads(run(site, "battle", "report", "d.battle", "--json"))["sides"]
    over = json.loads(run(site, "battle", "show", "d.battle", "--json"))["over"]
    loser = "blue" if over["won"] == "red" else "red"
    assert [row["became"] for row in report[loser]["units"]] == ["out", "out"]
    assert report[loser]["counts"] == {"units": 2, "out": 2, "wounded": 0, "unhurt": 0}


def test_what_a_game_does_not_have_is_said(site: Path) -> None:
    run(site, "battle", "new", "duel.toml", "-o", "d.battle", "--seed", "3")
    assert "this game has no autopilot" in run(site, "battle", "step", "d.battle", "--seat", "red=auto", expected=2)
    twice = ("battle", "act", "d.battle", "--number", "1", "--number", "2")
    assert "this game takes one act at a time" in run(site, *twice, expected=2)
    assert "this game has no orders" in run(site, "battle", "order", "d.battle", "R-1", "R-2", "Go.", expected=2)
    assert "this battle has no board to draw" in run(site, "battle", "map", "d.battle", "-o", "m.svg", expected=2)
    written = run(site, "battle", "report", "d.battle", "--write", "small.md", "--side", "red", expected=2)
    assert "this game cannot write a battle into a roster" in written


def test_its_rulings_are_shown_too(site: Path) -> None:
    assert "pace  slow  how fast (DUEL-0); or quick" in run(site, "rules", "show")


def test_without_its_game_a_battle_is_read_and_not_played(site: Path) -> None:
    run(
        site,
        "battle",
        "new",
        "duel.toml",
        "-o",
        "d.battle",
        "--seed",
        "3",
        "--seat",
        "red=random",
        "--seat",
        "blue=random",
    )
    run(site, "battle", "step", "d.battle", "--acts", "2")
    nothing = {"RALLYPOINT_PLUGINS": "foundry"}
    done = rallypoint("battle", "log", "d.battle", folder=site, env=nothing)
    assert (done.returncode, "DUEL-1  check" in done.stdout) == (0, True)
    assert rallypoint("battle", "explain", "d.battle", "1.1", folder=site, env=nothing).returncode == 0
    assert rallypoint("battle", "report", "d.battle", folder=site, env=nothing).returncode == 0
    for command in ("step", "play", "legal", "undo", "replay"):
        done = rallypoint("battle", command, "d.battle", folder=site, env=nothing)
        assert done.returncode == 2
        assert "plugin duel: this game is not there, or it is off" in done.stderr
        assert "Traceback" not in done.stderr
