"""Battles that other programs started or changed: no seats, no names, no board; edits from outside; damage."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rallypoint.kernel.answers import Answers, Seed
from rallypoint.kernel.battle import Battle
from rallypoint.kernel.battle_file import BattleFile
from rallypoint.kernel.changes import SetTracker
from rallypoint.kernel.plugins.discovery import discover
from rallypoint.kernel.plugins.switches import Switches
from rallypoint.kernel.plugins.variant import frozen_variant

from ..disrupter.positions import game, two_platoons
from .battles import ONLY, entries, kinds, said, say


@pytest.fixture
def bare(home: Path) -> Path:
    """Return a battle that a program has started: the log says nothing of seats, dice, names or board."""
    path = home / "bare.battle"
    Battle.start(
        game(), two_platoons(portion=("co", "red", "battle")), Answers(Seed(1)), path=path, plugins=PLUGINS
    ).close()
    return path


PLUGINS = frozen_variant("disrupter", discover().found, Switches.of(only=ONLY)).plugins
"""Who takes part in a battle of the command line here."""


def test_a_battle_of_another_program_is_played_by_persons_with_dice_of_their_own(bare: Path) -> None:
    lines = said("battle", "show", "bare.battle").splitlines()
    assert lines[0] == "bare  (entry 0)"
    assert any(line.split()[0] == "R0A-1" for line in lines if line.split())
    out = said("battle", "act", "bare.battle", "act", '["R0A", [["R0A-1", "spot", "B1A"]]]')
    assert "Open: R0A-1 rolls" in out
    done = say("battle", "map", "bare.battle", "-o", "m.svg")
    assert (done.status, "no board" in done.err) == (2, True)
    assert "red: 12 units, 0 wounded, 12 unhurt" in said("battle", "report", "bare.battle").splitlines()


@pytest.fixture
def edited(bare: Path) -> Path:
    """Return it after somebody at another table changed a number."""
    with BattleFile(bare) as file:
        battle = Battle.open(file, game(), Answers(Seed(1)), plugins=PLUGINS)
        battle.edit("owlbear", SetTracker("R0A-1", "Wounds", 1), why="marked by hand")
    return bare


def test_an_edit_from_outside_is_told_as_one(edited: Path) -> None:
    lines = said("battle", "log", "bare.battle").splitlines()
    assert lines[-2:] == ["1  edit by owlbear", "  1.1  kernel  edited from outside: marked by hand [owlbear]"]
    explained = said("battle", "explain", "bare.battle", "1.1")
    assert "rule kernel, edited by owlbear" in explained
    row = json.loads(said("battle", "log", "bare.battle", "--json"))[-1]
    assert (row["kind"], row["events"][0]["changes"]) == ("edit", [["tracker", "R0A-1", "Wounds", 1]])


def test_an_edit_is_taken_back_only_on_purpose(edited: Path) -> None:
    before = edited.read_bytes()
    done = say("battle", "undo", "bare.battle")
    assert done.status == 2
    assert "the last entry is an edit from outside" in done.err
    assert "rallypoint battle undo bare.battle --edits" in done.err
    assert edited.read_bytes() == before
    out = said("battle", "undo", "bare.battle", "--edits")
    assert out.startswith("Undid entry 1 (an edit from outside).")
    assert entries(edited)[-1].hash == entries(edited)[0].hash
    out = said("battle", "redo", "bare.battle")
    assert out.startswith("Brought back entry 1 (an edit from outside).")


def test_a_file_that_was_cut_off_is_named_and_left_alone(bare: Path) -> None:
    whole = bare.read_bytes()
    bare.write_bytes(whole[: len(whole) // 2])
    for command in ("show", "log", "play", "step", "report"):
        done = say("battle", command, "bare.battle")
        assert done.status == 2
        assert done.err.startswith("error: ")
        assert "bare.battle" in done.err
    assert bare.read_bytes() == whole[: len(whole) // 2]


def test_a_folder_is_no_battle_and_a_missing_folder_no_place_for_one(home: Path) -> None:
    (home / "folder").mkdir()
    assert say("battle", "show", "folder").status == 2
    assert say("battle", "new", "skirmish.toml", "-o", "folder").status == 2
    done = say("battle", "new", "skirmish.toml", "-o", "nowhere/a.battle")
    assert (done.status, "nowhere" in done.err) == (2, True)


def test_two_commands_one_after_the_other_never_lose_an_act(bare: Path) -> None:
    for number in range(1, 4):
        said("battle", "act", "bare.battle", "done")
        assert kinds(bare).count("step") == number
    said("battle", "undo", "bare.battle", "--times", "3")
    assert entries(bare)[-1].hash == entries(bare)[0].hash
