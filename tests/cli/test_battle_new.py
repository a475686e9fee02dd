"""rallypoint battle new: from a scenario to a battle file, with seats, dice and rulings in it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rallypoint.cli.battle_table import read_about
from rallypoint.kernel.parts import Hex

from .battles import SCENARIO, entries, kinds, said, say


def test_a_new_battle_says_who_sits_where_and_what_comes_next(home: Path) -> None:
    out = said(
        "battle",
        "new",
        "skirmish.toml",
        "-o",
        "a.battle",
        "--seed",
        "7",
        "--seat",
        "blue=auto",
        "--option",
        "D-AMB-05=selected",
    )
    assert out.splitlines() == [
        "Wrote a.battle: Skirmish, Last Man Standing.",
        "Seats: red person, blue auto. Dice: seed 7.",
        "Ruling D-AMB-05: selected",
        "Next: rallypoint battle play a.battle",
    ]
    (first,) = entries(home / "a.battle")
    body: Any = first.body
    assert (first.kind, body["title"], body["rules"]["options"]) == ("start", "Skirmish", {"D-AMB-05": "selected"})
    about = read_about(body)
    assert (dict(about.seats), about.seed) == ({"blue": "auto"}, 7)
    assert about.called["red.small-1A"] == ("Squad 1, Team A", "Team", "R-1A")
    assert about.board is not None
    assert (about.board.columns, about.board.rows) == (6, 6)
    assert about.board.terrain[Hex(1, 1)] == "forest"  # row 1 is shoved right: column 1 of it is q = 1
    assert len(about.board.terrain) == 6


def test_without_a_seed_a_new_one_is_told_and_kept(home: Path) -> None:
    out = said("battle", "new", "skirmish.toml", "-o", "a.battle")
    seed = read_about(entries(home / "a.battle")[0].body).seed
    assert f"Dice: seed {seed}." in out
    assert isinstance(seed, int)


def test_dice_that_are_typed_in_have_no_seed(home: Path) -> None:
    assert "Dice: typed in." in said("battle", "new", "skirmish.toml", "-o", "a.battle", "--dice", "typed")
    assert read_about(entries(home / "a.battle")[0].body).seed is None
    done = say("battle", "new", "skirmish.toml", "-o", "b.battle", "--dice", "typed", "--seed", "3")
    assert (done.status, (home / "b.battle").exists()) == (2, False)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--seat", "green=auto"), ("there is no such seat", "green")),
        (("--seat", "red=robot"), ("nobody of this kind can sit in a seat", "robot")),
        (("--seat", "red"), ("NAME=VALUE", "red")),
        (("--option", "D-AMB-5=selected"), ("there is no such ruling", "did you mean D-AMB-")),
        (("--option", "D-AMB-05=sometimes"), ("D-AMB-05", "always or selected or stress_only")),
        (("--option", "D-AMB-08.start=many"), ("expected: a whole number from 0 to 20", "0 to 20")),
        (("--seed", "1", "--dice", "loaded"), ("loaded",)),
    ],
)
def test_what_cannot_be_is_refused_and_nothing_is_written(
    home: Path, arguments: tuple[str, ...], words: tuple[str, ...]
) -> None:
    done = say("battle", "new", "skirmish.toml", "-o", "a.battle", *arguments)
    assert (done.status, done.out) == (2, "")
    assert done.err.startswith("error: ")
    for word in words:
        assert word in done.err
    assert not (home / "a.battle").exists()


def test_nothing_is_written_over(home: Path) -> None:
    (home / "a.battle").write_text("mine", "utf-8")
    done = say("battle", "new", "skirmish.toml", "-o", "a.battle")
    assert (done.status, (home / "a.battle").read_text("utf-8")) == (2, "mine")
    assert "this file is there already" in done.err


def test_a_dry_run_checks_everything_and_writes_nothing(home: Path) -> None:
    out = said("battle", "new", "skirmish.toml", "-o", "a.battle", "--seed", "1", "--dry-run")
    assert out.startswith("Would write a.battle: Skirmish")
    assert not (home / "a.battle").exists()


def test_a_set_of_rules_that_no_plugin_brings_is_refused(home: Path) -> None:
    text = SCENARIO.replace('size = "squad"', 'size = "squad"\nrules = "cinematic"')
    (home / "other.toml").write_text(text, "utf-8")
    done = say("battle", "new", "other.toml", "-o", "a.battle")
    assert done.status == 2
    assert "found: rules = 'cinematic'; expected: full" in done.err


def test_the_rulings_of_the_scenario_hold_and_the_command_line_has_the_last_word(home: Path) -> None:
    text = SCENARIO.replace("[board]", '[options]\nD-AMB-05 = "selected"\nD-AMB-04 = "plain_success"\n[board]')
    (home / "other.toml").write_text(text, "utf-8")
    said(
        "battle",
        "new",
        "other.toml",
        "-o",
        "a.battle",
        "--option",
        "D-AMB-05=stress_only",
        "--option",
        "D-AMB-08.start=3",
    )
    body: Any = entries(home / "a.battle")[0].body
    assert body["rules"]["options"] == {"D-AMB-04": "plain_success", "D-AMB-05": "stress_only", "D-AMB-08.start": 3}
    assert "Stress 3/20" in said("battle", "show", "a.battle")


def test_a_referee_of_the_scenario_has_a_seat(home: Path) -> None:
    (home / "other.toml").write_text(SCENARIO.replace("[board]", "referee = true\n[board]", 1), "utf-8")
    out = said("battle", "new", "other.toml", "-o", "a.battle", "--seed", "1", "--seat", "referee=random")
    assert "Seats: red person, blue person, referee random." in out


def test_a_battle_begins_where_the_scenario_says(home: Path) -> None:
    said("battle", "new", "skirmish.toml", "-o", "a.battle", "--seed", "1")
    shown = said("battle", "show", "a.battle").splitlines()
    for code, name in (("R-0A", "B6"), ("R-1A", "C6"), ("R-1B", "E6"), ("B-0A", "B1"), ("B-1A", "C1"), ("B-1B", "E1")):
        assert any(line.split() == [code, name] for line in shown), code
    assert kinds(home / "a.battle") == ["start"]  # looking writes nothing
