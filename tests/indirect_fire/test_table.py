"""A home-made mortar at the command line: from a content pack to the log, with the plugin on and off."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from ..cli.battles import said, say

ROOT = Path(__file__).parents[2]
SCENARIO = """scenario = 1
title = "The Ridge"
size = "squad"
[board]
terrain = '''
 . . . . . .
  . . . . . .
 # # # # # #
  # # # # # #
 . . . . . .
  . . . . . .
'''
[deployment]
depth = 1
[[sides]]
name = "red"
roster = "mortar-platoon.md"
edge = "bottom"
place = { 0A = "B6", 1A = "D6", 1B = "F6" }
[[sides]]
name = "blue"
roster = "mortar-platoon.md"
place = { 0A = "B1", 1A = "D1", 1B = "F1" }
"""
MORTARS = '["R-0A", [["R-0A-2", "fire", "light_mortar", "@D1"], ["R-0A-3", "fire", "light_mortar", "@D1"]]]'


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "LOCALAPPDATA", "APPDATA"):
        monkeypatch.setenv(name, str(tmp_path / name.lower()))
    monkeypatch.setenv("RALLYPOINT_PLUGINS", "disrupter,indirect-fire")
    monkeypatch.chdir(tmp_path)
    for folder, name in (("content", "light-mortar.toml"), ("rosters", "mortar-platoon.md")):
        (tmp_path / name).write_text((ROOT / "examples" / folder / name).read_text("utf-8"), encoding="utf-8")
    (tmp_path / "ridge.toml").write_text(SCENARIO, encoding="utf-8")
    return tmp_path


def until_red_acts(*before: str) -> None:
    """Begin a battle and go on until red's command group takes its Battlefield Actions."""
    said(*before, "battle", "new", "ridge.toml", "-o", "a.battle", "--content", "light-mortar.toml", "--seed", "4")
    said(*before, "battle", "step", "a.battle")
    while "the CO's group, Red takes Battlefield Actions" not in said(*before, "battle", "show", "a.battle"):
        said(*before, "battle", "act", "a.battle", "done", "--step")


@pytest.mark.rule("D-IF-1", "D-IF-3", "D-IF-6")
def test_a_mortar_of_ones_own_is_listed_fired_told_and_drawn(home: Path) -> None:
    until_red_acts()
    listed = said("battle", "legal", "a.battle")
    assert "R-0A-2 Soldier fires Light Mortar at D1; R-0A-3 Soldier fires Light Mortar at D1" in listed
    out = said("battle", "act", "a.battle", "act", MORTARS)
    assert "fire: R-0A-2 Soldier (light mortar), R-0A-3 Soldier (light mortar) at D1" in out
    said("battle", "map", "a.battle", "--last", "1", "-o", "a.svg")
    drawn = ET.parse(home / "a.svg").find(".//{http://www.w3.org/2000/svg}g[@id='shots']")
    assert drawn is not None
    assert len(drawn) > 0
    rules = said("rules", "show", "--battle", "a.battle", "--markdown")
    assert "indirect-fire" in rules
    assert "D-IF-3.direction" in rules
    said("battle", "undo", "a.battle")
    again = said("battle", "act", "a.battle", "act", MORTARS)  # the same seed, the same dice
    assert re.sub(r"(?m)^ *[\d.]+", "", again) == re.sub(r"(?m)^ *[\d.]+", "", out)


@pytest.mark.rule("D-IF-1")
@pytest.mark.parametrize("way", [("-p", "no:indirect-fire"), ()])
def test_switched_off_there_is_no_unseen_target_and_the_refusal_names_the_weapons(
    home: Path, way: tuple[str, ...]
) -> None:
    if not way:
        said("plugin", "disable", "indirect-fire")
    until_red_acts(*way)
    done = say(*way, "battle", "act", "a.battle", "act", MORTARS)
    assert done.status == 2
    for words in ("D-IF-1", "a plugin for indirect fire", "Grenade Launcher", "Light Mortar"):
        assert words in done.err, words
    assert "Heavy Machine Gun" not in done.err
    assert "Light Mortar" not in said(*way, "battle", "legal", "a.battle")


@pytest.mark.rule("D-AMB-29", "D-IF-3")
def test_rulings_are_chosen_by_name_and_unknown_without_the_plugin(home: Path) -> None:
    new = ("battle", "new", "ridge.toml", "-o", "b.battle", "--content", "light-mortar.toml", "--seed", "4")
    out = said(*new, "--option", "D-AMB-29=literal_floor", "--option", "D-IF-3.edge=splash")
    assert "Ruling D-AMB-29: literal_floor" in out
    done = say("-p", "no:indirect-fire", *new[:4], "c.battle", *new[5:], "--option", "D-AMB-29=literal_floor")
    assert (done.status, "there is no such ruling" in done.err) == (2, True)


@pytest.mark.rule("D-AMB-37", "D-IF-3")
def test_where_nobody_lets_shots_drift_a_ruling_that_they_do_is_said_to_do_nothing(home: Path) -> None:
    new = ("battle", "new", "ridge.toml", "-o", "b.battle", "--content", "light-mortar.toml", "--dry-run")
    note = "No plugin that is on lets shots drift, so a launcher that misses hits its own team (D-AMB-37)."
    off, drift = ("-p", "no:indirect-fire"), ("--option", "D-AMB-37=drift")
    assert f"Note: {note}" in said(*off, *new, *drift)
    assert f"note: {note}" in said(*off, "rules", "show", *drift)
    assert note not in said(*new, *drift)
    assert note not in said(*off, *new)


@pytest.mark.rule("D-IF-3", "D-IF-4")
def test_typed_dice_of_a_drift_are_asked_for_together_and_by_name(home: Path) -> None:
    said("battle", "new", "ridge.toml", "-o", "t.battle", "--content", "light-mortar.toml", "--dice", "typed")
    said("battle", "step", "t.battle")
    for _ in range(2):
        said("battle", "act", "t.battle", "done", "--step")
    for given in ("34", "90"):  # initiative: red goes first
        said("battle", "answer", "t.battle", given)
    said("battle", "step", "t.battle")
    for given in ("10", "10"):  # Groups
        said("battle", "answer", "t.battle", given)
    said("battle", "step", "t.battle")
    said("battle", "act", "t.battle", "done", "--step")
    said("battle", "act", "t.battle", "act", MORTARS)
    said("battle", "answer", "t.battle", "98", "97")
    asked = said("battle", "legal", "t.battle")
    assert "R-0A-2 Soldier rolls d10 for drift" in asked
    assert "R-0A-2 Soldier rolls d6 for direction of drift" in asked
    for wrong in (["6"], ["11", "2"], ["6", "7"]):
        assert say("battle", "answer", "t.battle", *wrong).status == 2
    said("battle", "answer", "t.battle", "1", "2")
    out = said("battle", "answer", "t.battle", "[[6], [6]]")
    # D1 is the fourth hex of the first row. Up and right of it there is nothing; three down and right is E4: every other
    # row is shoved to the right by half a hex.
    assert "R-0A-2 Soldier: the shot drifts 1 hex up and right from D1 and is lost off the board" in out
    assert "R-0A-3 Soldier: the shot drifts 3 hexes down and right from D1 and lands in E4" in out
    assert "R-0A-3 Soldier: the shot drifts 3 hexes down" in said("battle", "explain", "t.battle", "15")
