"""Another game stands in: the command line plays it by its module alone, and says plainly what the game has no words for."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from rallypoint.kernel.battle_file import BattleFile

from ..plugins.distributions import ROOT, distribution, rallypoint
from .battles import ROSTER, SCENARIO

MODULE = '''
"""The duel at the table: rosters give each side its units, everything else is the duel's own."""
from types import SimpleNamespace
from rallypoint.content.catalogue import Catalogue, Item
from rallypoint.content.scenario_words import Mode, ScenarioWords, Size, Terrain
from rallypoint.kernel.rulings import Preset, Ruling
from rallypoint.kernel.encounter import Encounter, Sheet
from rallypoint.kernel.parts import Tracker
from rallypoint.kernel.state import Entity, State
from rallypoint.kernel.dice import D6, PERCENTILE, Throw
from rallypoint.kernel.game import Intent
from rallypoint.kernel.tape import Choice
from rallypoint.kernel.tape import Option as Reply
from .rules import Duel, pass_turn

WEAPONS = ("revolver", "pulse_rifle", "heavy_machine_gun", "laser_carbine")

def _item(kind, key):
    return Item(kind, key, key.replace("_", " ").title(), "DUEL-0", {})

def catalogue():
    classes = [Item("class", key.lower(), key, "DUEL-0", {}) for key in ("CO", "NCO", "Soldier")]
    armor = [_item("armor", key) for key in ("combat_armor", "battle_dress")]
    return Catalogue([*classes, *armor, *[_item("weapon", key) for key in WEAPONS]])

def scenario_words():
    field = Terrain("field", "Field", "f", "tufts", "cover", "all", "DUEL-0")
    pace = Ruling("pace", "how fast", ("slow", "quick"), ("DUEL-0",))
    return ScenarioWords("duel", {"field": field}, {"duel": Mode("duel", "Duel", "", "DUEL-6")},
        {"small": Size("small", "Small", (6,), "DUEL-0")}, {"plain": Preset("plain", "All there is.", {})}, {"pace": pace}, (0.0, 1.0), "DUEL-0", 1, 4)

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

def parley(step):
    """Both sides say in secret whether they go on; then a token is drawn and two dice are thrown together."""
    first, second = step.choose(*[Choice(side, "parley", WORDS, "duel") for side in ("red", "blue")])
    drawn = step.pick(("red-1", "blue-1", "red-2"), 2, "tokens")
    (one,), (two,) = step.roll(Throw("red-1", "luck", D6), Throw("blue-1", "luck", PERCENTILE))
    step.emit("parley", rule="DUEL-7", why={"red": first.key, "blue": second.key, "drawn": drawn, "luck": (one, two)})
    step.call(pass_turn)

WORDS = (Reply("on", "go on"), Reply("off", "break off with red-1"))

class Table(Duel):
    rules = {**Duel.rules, "parley": parley}

    def legal(self, state, seat):
        return [*super().legal(state, seat), Intent("parley", (), seat)]

def playable(options, hooks=None):
    game = Table(hooks)
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


def start_parley(site: Path) -> Path:
    run(site, "battle", "new", "duel.toml", "-o", "d.battle", "--dice", "typed")
    out = run(site, "battle", "act", "d.battle", "parley")
    assert "Open: red decides on parley of duel (part 1)" in out
    assert "Open: blue decides on parley of duel (part 2)" in out
    return site.parent / "d.battle"


def told(path: Path) -> Mapping[str, Any]:
    with BattleFile(path) as file:
        (event,) = [event for event in file.entries()[-1].events if event.kind == "parley"]
    return event.why


def test_a_sealed_question_is_answered_part_by_part_and_a_draw_by_code(site: Path) -> None:
    path = start_parley(site)
    out = run(site, "battle", "answer", "d.battle", "off", "--ask", "2")
    assert "Open: red decides on parley of duel (part 1)" in out
    assert "blue decides" not in out
    assert "off" not in run(site, "battle", "log", "d.battle")  # sealed until both are in
    question = json.loads(run(site, "battle", "show", "d.battle", "--json"))["question"]
    assert [option["key"] for option in question["asks"][0]["options"]] == ["on", "off"]
    assert "from 1 to 2" in run(site, "battle", "answer", "d.battle", "on", "--ask", "3", expected=2)
    out = run(site, "battle", "answer", "d.battle", "on", "--ask", "1")
    assert "Open: draw 2 of 3 for tokens: R-1 Number 1, B-1 Number 1, R-2 Number 2" in out
    question = json.loads(run(site, "battle", "show", "d.battle", "--json"))["question"]
    assert (question["among"], question["k"]) == (["red-1", "blue-1", "red-2"], 2)
    assert "does not fit" in run(site, "battle", "answer", "d.battle", "R-1", expected=2)
    out = run(site, "battle", "answer", "d.battle", "R-2", "B-1")
    assert "Open: R-1 Number 1 rolls d6 for luck" in out
    assert "Open: B-1 Number 1 rolls d100 for luck" in out
    run(site, "battle", "answer", "d.battle", "[[6],[100]]")
    assert dict(told(path)) == {"red": "on", "blue": "off", "drawn": ("blue-1", "red-2"), "luck": (6, 100)}


def test_at_the_terminal_each_part_is_asked_of_its_seat(site: Path) -> None:
    """One sits down after the other, and the second does not see what the first has said."""
    path = start_parley(site)
    path_of_modules = os.pathsep.join(str(each) for each in (site, ROOT / "core", ROOT / "plugins", ROOT / "adapters"))
    env = {
        **os.environ,
        "PYTHONPATH": path_of_modules,
        "RALLYPOINT_PLUGINS": "duel",
        "XDG_CACHE_HOME": str(site.parent / "cache"),
        "XDG_CONFIG_HOME": str(site.parent / "config"),
    }

    def sit(given: str, *options: str) -> str:
        command = [sys.executable, "-m", "rallypoint", "battle", "play", "d.battle", *options]
        done = subprocess.run(
            command, cwd=site.parent, env=env, input=given, capture_output=True, text=True, check=True
        )
        return done.stdout

    first = sit("2\n", "--as", "blue")
    assert "blue decides: parley (duel)" in first
    assert "   2  break off with R-1 Number 1" in first  # names instead of uids
    second = sit("on\n1 2 3\n3 1\n0\n6\n00\nq\n")
    assert "red decides: parley (duel)" in second
    assert "blue decides" not in second
    assert "this answer does not fit its question" in second  # three tokens of two
    assert "one number from 1 to 6, please." in second
    # 00 is 100 where a game counts percentile dice from 1
    assert dict(told(path)) == {"red": "on", "blue": "off", "drawn": ("red-1", "red-2"), "luck": (6, 100)}
