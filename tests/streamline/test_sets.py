"""The sets of rules, what is said of them before a battle, and the command line with them (D-SL-SF, D-AMB-26)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from rallypoint.kernel.answers import Answers, Seed
from rallypoint.kernel.battle import Battle
from rallypoint.kernel.errors import InputError

from ..cli.battles import say
from .battles import IDLE, PRESETS, ROWS, RULINGS, game, on, opening, squads, told

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.mark.rule("D-SL-SF.1", "D-SL-SF.2")
def test_the_sets_hold_the_rows_of_the_source() -> None:
    rows = {row for row in ROWS if row != "D-VA-R16.1"}
    switched = {
        name: {key for key, value in preset.options.items() if value == "on"} for name, preset in PRESETS.items()
    }
    assert switched["streamline"] == rows
    variant = (rows - {"D-SL-R16.2"}) | {"D-VA-R16.1"}
    assert switched["streamline_variant"] == variant
    assert switched["no_instinct"] == variant
    assert PRESETS["no_instinct"].options["D-AMB-26"] == "no_instinct"
    assert switched["entry"] == rows | {"D-SL-SF.1"}
    assert switched["streamline_company"] == rows | {"D-SL-SF.2"}
    assert len(PRESETS) == 5
    for preset in PRESETS.values():
        assert game(preset.options).options == preset.options


def test_every_row_is_a_ruling_of_its_own_that_is_off() -> None:
    assert set(ROWS) <= set(RULINGS)
    assert {RULINGS[row].choices for row in ROWS} == {("off", "on")}
    assert not game({}).options
    assert game({}).completed(squads()) == squads()._replace(sheets=game({}).completed(squads()).sheets)


# What is said of them


def notes(options: Mapping[str, object]) -> str:
    return "\n".join(game(options).notes())


@pytest.mark.rule("D-AMB-26", "D-VA-R16.1")
def test_a_combination_that_leaves_instinct_unused_says_so() -> None:
    source = on("D-VA-R16.1", "D-SL-R16.1", "D-SL-R16.4", "D-SL-VE.1")
    assert "Instinct is left unused but for the initiative, the group checks, grenades" in notes(source)
    assert "but for the initiative in turn 1, grenades" in notes(PRESETS["streamline_variant"].options)
    assert "Nothing rolls Instinct under these rules" in notes(PRESETS["no_instinct"].options)
    for row in source:
        assert "Instinct" not in notes({key: value for key, value in source.items() if key != row}), row
    assert "Instinct" not in notes(PRESETS["streamline"].options)
    # Without Stress nobody is routed, so nobody is rallied.
    assert "Instinct is left unused" in notes({**on("D-SL-R8.1"), **source, "D-SL-R16.4": "off"})


@pytest.mark.rule("D-SL-R9.1", "D-SL-R9.2", "D-AMB-25")
def test_what_follows_from_a_switch_is_said() -> None:
    assert notes({}) == ""
    assert "nearly every unit has [+]" in notes(on("D-SL-R9.1"))
    assert "what the rules say of bots already" in notes(on("D-SL-R9.2"))
    assert "bots already" not in notes(on("D-SL-R9.1", "D-SL-R9.2"))
    assert "under D-SL-R16.2 only" in notes({"D-AMB-25": "translate_modifiers"})


def sizes(options: Mapping[str, object]) -> list[str]:
    battle = Battle.start(game(options), opening(options), Answers(Seed(1), others=IDLE))
    battle.proceed()
    rows = next(event.why["problems"] for event in told(battle) if event.kind == "briefing.opens")
    assert isinstance(rows, tuple)
    return [str(row[1]) for row in rows if str(row[2]).startswith("D-SL-SF")]


@pytest.mark.rule("D-SL-SF.1", "D-SL-SF.2")
def test_a_set_for_one_size_of_force_says_when_the_scenario_has_another() -> None:
    assert sizes(PRESETS["entry"].options) == []  # a battle of squads
    assert set(sizes(PRESETS["streamline_company"].options)) == {
        "these rules are meant for company scale, this is squad scale"
    }
    with pytest.raises(InputError, match="a squad or a company"):
        game(on("D-SL-SF.1", "D-SL-SF.2"))


# At the command line


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("RALLYPOINT_PLUGINS", "disrupter,foundry,owlbear,streamline")
    for name in ("starter-platoon.md", "entry-squad.md"):
        (tmp_path / name).write_text((EXAMPLES / "rosters" / name).read_text("utf-8"), "utf-8")
    return tmp_path


def rally(*words: str) -> str:
    done = say(*words)
    assert done.status == 0, done
    return done.out


def most_wounds(value: Any) -> Iterator[int]:
    """Yield how many Wounds each unit can take, wherever a file lists units."""
    if isinstance(value, dict):
        yield from [unit["maxWounds"] for unit in value.get("units", ())]
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from most_wounds(inner)


def test_exports_and_cards_take_a_set(shell: Path) -> None:
    rally("card", "starter-platoon.md", "-o", "card.md", "--rules", "streamline")
    card = (shell / "card.md").read_text("utf-8")
    assert "Stress" not in card
    assert "Order" not in card
    rally("export", "owlbear", "starter-platoon.md", "-o", "owlbear", "--rules", "streamline")
    exported = (shell / "owlbear" / "encounter.owlbear.json").read_text("utf-8")
    assert '"stressOf"' not in exported
    assert set(most_wounds(json.loads(exported))) == {1}
    rally("export", "foundry", "starter-platoon.md", "-o", "foundry", "--rules", "streamline")
    actors = [json.loads(path.read_text("utf-8")) for path in (shell / "foundry").rglob("actors/*.json")]
    assert len(actors) == 28
    assert {actor["system"]["hits"]["max"] for actor in actors} == {1}


SCENARIO = """scenario = 1
title = "First game"
size = "squad"
rules = "entry"
[board]
columns = 9
rows = 9
scatter = { seed = "entry", density = 0.5, buildings = 0.3, water = "none" }
[deployment]
from = "edges"
[[sides]]
name = "red"
roster = "entry-squad.md"
edge = "bottom"
rally_points = { Alpha = "E9" }
[[sides]]
name = "blue"
roster = "entry-squad.md"
edge = "top"
rally_points = { Tango = "E1" }
"""


@pytest.mark.rule("D-SL-SF.1")
def test_a_first_game_is_played_from_its_scenario_to_its_end(shell: Path) -> None:
    (shell / "first.toml").write_text(SCENARIO, "utf-8")
    rally("scenario", "check", "first.toml")
    said = rally("battle", "new", "first.toml", "-o", "first.battle", "--seed", "3")
    assert "Ruling D-SL-SF.1: on" in said
    assert "Note: Nobody gives Orders" in said
    assert "has won" in rally("battle", "step", "first.battle", "--seat", "red=auto", "--seat", "blue=auto")
    rally("battle", "replay", "first.battle")
    log = rally("battle", "log", "first.battle")
    assert "meant for" not in log
    assert "Stress" not in log


def test_the_pair_is_refused_with_its_reason_at_the_command_line(shell: Path) -> None:
    words = ("export", "owlbear", "entry-squad.md", "-o", "out", "--rules", "streamline", "--option", "D-VA-R16.1=on")
    done = say(*words)
    assert done.status == 2
    assert "two rulings exclude each other" in done.err
    assert "the other lets its target roll" in done.err
    assert not (shell / "out").exists()
