"""battle report and rules show: what a battle leaves behind, back in the roster; the rulings on one page."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from rallypoint.content import read_force
from rallypoint.disrupter import catalogue, scenario_words
from rallypoint.kernel.battle_file import BattleFile
from rallypoint.kernel.history import History
from rallypoint.kernel.plugins.additions import additions
from rallypoint.kernel.plugins.discovery import discover
from rallypoint.kernel.plugins.switches import Switches
from rallypoint.kernel.rulings import Ruling
from rallypoint.kernel.state import State

from .battles import said, say


@pytest.fixture
def over(home: Path) -> Path:
    """Return a battle that the autopilot has fought to its end."""
    said("battle", "new", "skirmish.toml", "-o", "a.battle", "--seed", "7", "--seat", "red=auto", "--seat", "blue=auto")
    said("battle", "step", "a.battle")
    return home / "a.battle"


def end_of(path: Path) -> State:
    with BattleFile(path) as file:
        return History.of(file.entries()).state


def lost(state: State, side: str) -> dict[str, str]:
    return {unit.uid: str(unit.statuses["out"].value) for unit in state.below(side, "unit") if "out" in unit.statuses}


def test_the_report_counts_everybody_once(over: Path) -> None:
    document = json.loads(said("battle", "report", "a.battle", "--json"))
    state = end_of(over)
    for side in ("red", "blue"):
        found = document["sides"][side]
        became = Counter(lost(state, side).values())
        counts = dict(found["counts"])
        assert counts.pop("units") == 6
        wounded = counts.pop("wounded")
        assert counts.pop("unhurt") + wounded + sum(counts.values()) == 6
        assert counts == became
        hurt = [unit for unit in state.below(side, "unit") if "out" not in unit.statuses and unit.value("Wounds")]
        assert wounded == len(hurt)
        assert {row["uid"]: row["became"] for row in found["units"] if row["became"]} == lost(state, side)
    assert sum(len(lost(state, side)) for side in ("red", "blue")) > 0


def test_the_report_for_people_names_who_fell_by_team(over: Path) -> None:
    out = said("battle", "report", "a.battle")
    state = end_of(over)
    for side in ("red", "blue"):
        for uid, became in lost(state, side).items():
            number = [unit.uid for unit in state.children(str(state[uid].parent))].index(uid) + 1
            code = f"{side[0].upper()}-{str(state[uid].parent).rpartition('-')[2]}-{number}"
            assert re.search(rf"{code} \w+ {became}", out), code
    assert "over, " in out.splitlines()[0]


def fates(path: Path) -> Mapping[str, tuple[int, object]]:
    force = read_force(path, catalogue(), with_optional=True)
    return {unit.uid: (unit.wounds, unit.extra.get("fate")) for unit in force.units}


@pytest.mark.parametrize("name", ["after.toml", "after.json", "after.csv", "after.md"])
def test_a_battle_goes_back_into_a_roster_of_any_form(over: Path, name: str) -> None:
    out = said("battle", "report", "a.battle", "--write", "small.md", "--side", "red", "-o", name)
    state = end_of(over)
    expected = {
        unit.uid.removeprefix("red."): (unit.value("Wounds"), lost(state, "red").get(unit.uid))
        for unit in state.below("red", "unit")
    }
    assert fates(over.parent / name) == expected
    stress = next(state.below("red", "platoon")).value("Stress")
    assert read_force(over.parent / name, catalogue(), with_optional=True).platoon.stress == stress
    assert (
        f"Stress {stress}, {sum(wounds for wounds, _ in expected.values())} Wounds, {len(lost(state, 'red'))} lost."
        in out
    )
    assert fates(over.parent / "small.md") == dict.fromkeys(expected, (0, None))  # -o leaves the roster as it was


def test_in_place_the_old_roster_is_kept_beside_it(over: Path) -> None:
    old = (over.parent / "small.md").read_bytes()
    said("battle", "report", "a.battle", "--write", "small.md", "--side", "blue", "--dry-run")
    assert (over.parent / "small.md").read_bytes() == old
    out = said("battle", "report", "a.battle", "--write", "small.md", "--side", "blue")
    assert "the old file is small.md.bak" in out
    assert (over.parent / "small.md.bak").read_bytes() == old
    assert {uid for uid, (_, fate) in fates(over.parent / "small.md").items() if fate} == {
        uid.removeprefix("blue.") for uid in lost(end_of(over), "blue")
    }


def test_whoever_lives_loses_an_old_fate(over: Path) -> None:
    said("battle", "report", "a.battle", "--write", "small.md", "--side", "red", "-o", "after.toml")
    text = (over.parent / "after.toml").read_text("utf-8")
    alive = next(uid for uid, (_, fate) in fates(over.parent / "after.toml").items() if fate is None)
    text = text.replace(f'id = "{alive}"', f'id = "{alive}"\nfate = "missing"')
    (over.parent / "before.toml").write_text(text, "utf-8")
    assert fates(over.parent / "before.toml")[alive][1] == "missing"
    said("battle", "report", "a.battle", "--write", "before.toml", "--side", "red", "-o", "later.toml")
    assert fates(over.parent / "later.toml")[alive][1] is None


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("--write", "small.md"), "whose roster is this; found: its units fought on red and blue"),
        (("--write", "small.md", "--side", "green"), "there is no such side"),
        (("--write", "other.md"), "fought on neither side"),
        (("--write", "other.md", "--side", "red"), "nobody of this roster fought on this side"),
        (("--write", "none.md", "--side", "red"), "none.md"),
        (("--write", "small.md", "--side", "red", "-o", "skirmish.toml"), "this file is there already"),
        (("--side", "red"), "a side and a place belong to --write"),
    ],
)
def test_what_cannot_be_written_back_is_refused(over: Path, arguments: tuple[str, ...], expected: str) -> None:
    (over.parent / "other.md").write_text(
        "# Other\n### Squad 1\n#### Team A\n* 1 CO - Combat Armor, Revolver\n", "utf-8"
    )
    before = {path.name: path.read_bytes() for path in over.parent.iterdir() if path.is_file()}
    done = say("battle", "report", "a.battle", *arguments)
    assert (done.status, expected in done.err) == (2, True), done.err
    assert {path.name: path.read_bytes() for path in over.parent.iterdir() if path.is_file()} == before


def test_whoever_came_wounded_is_not_wounded_by_this_battle_and_not_unhurt(home: Path) -> None:
    said("convert", "small.md", "-o", "small.toml")
    text = (home / "small.toml").read_text("utf-8")
    first = read_force(home / "small.toml", catalogue()).units[0].uid
    (home / "small.toml").write_text(text.replace(f'id = "{first}"', f'id = "{first}"\nwounds = 1'), "utf-8")
    scenario = (home / "skirmish.toml").read_text("utf-8").replace('roster = "small.md"', 'roster = "small.toml"', 1)
    (home / "skirmish.toml").write_text(scenario, "utf-8")
    said("battle", "new", "skirmish.toml", "-o", "a.battle", "--seed", "7")
    red = json.loads(said("battle", "report", "a.battle", "--json"))["sides"]["red"]
    assert (red["counts"], red["units"][0]["before"], red["units"][0]["now"]) == (
        {"units": 6, "wounded": 0, "unhurt": 5, "wounded before": 1},
        1,
        1,
    )
    out = said("battle", "report", "a.battle")
    assert "wounded, 1 of 2 (1 brought along)" in out
    assert "6 units, 0 wounded, 5 unhurt, 1 wounded before" in out


@pytest.fixture
def unfit(home: Path) -> Path:
    """Return a folder where red's CO comes at his last Wound, and its heavy gunner is dead by the roster."""
    said("convert", "small.md", "-o", "small.toml")
    text = (home / "small.toml").read_text("utf-8")
    units = read_force(home / "small.toml", catalogue()).units
    for uid, line in ((units[0].uid, "wounds = 2"), (units[4].uid, 'fate = "dead"')):
        text = text.replace(f'id = "{uid}"', f'id = "{uid}"\n{line}')
    (home / "small.toml").write_text(text, "utf-8")
    scenario = (home / "skirmish.toml").read_text("utf-8").replace('roster = "small.md"', 'roster = "small.toml"', 1)
    (home / "skirmish.toml").write_text(scenario, "utf-8")
    return home


def test_who_is_out_from_the_start_is_told_by_name_and_goes_back_as_he_came(unfit: Path) -> None:
    off = ["R-0A CO 0A-1: incapacitated", "R-1B Soldier 1B-1: dead"]
    checked = said("scenario", "check", "skirmish.toml")
    made = said("battle", "new", "skirmish.toml", "-o", "a.battle", "--seed", "7")
    for out in (checked, made):
        assert [line for line in out.splitlines() if "Left off" in line] == [
            f"Left off, not fit to fight: {each}" for each in off
        ]
    assert json.loads(said("scenario", "check", "skirmish.toml", "--json"))["left_off"] == off
    counts = json.loads(said("battle", "report", "a.battle", "--json"))["sides"]["red"]["counts"]
    assert counts == {"units": 6, "incapacitated before": 1, "dead before": 1, "wounded": 0, "unhurt": 4}
    assert "CO incapacitated before the battle" in said("battle", "report", "a.battle")
    said("battle", "report", "a.battle", "--write", "small.toml", "--side", "red", "-o", "after.toml")
    assert [fate for _, fate in fates(unfit / "after.toml").values() if fate] == ["incapacitated", "dead"]


def test_a_side_whose_officers_are_all_out_is_refused_before_the_battle(unfit: Path) -> None:
    text = (unfit / "small.toml").read_text("utf-8")
    leader = read_force(unfit / "small.toml", catalogue()).units[2].uid
    (unfit / "small.toml").write_text(text.replace(f'id = "{leader}"', f'id = "{leader}"\nfate = "dead"'), "utf-8")
    done = say("battle", "new", "skirmish.toml", "-o", "a.battle", "--seed", "7")
    assert (done.status, "every Officer of this side is out" in done.err) == (2, True), done.err
    assert not (unfit / "a.battle").exists()


# Rules


def rulings(*arguments: str) -> Any:
    return json.loads(said("rules", "show", "--json", *arguments))


def with_plugins() -> Mapping[str, Ruling]:
    """Return the rulings of the game, and after them those of the plugins that are on beside it."""
    switches = Switches.of(only=os.environ.get("RALLYPOINT_PLUGINS"))
    added = additions("disrupter", discover().found, switches).rulings
    return scenario_words().extended([ruling for _, ruling in added], []).options


def test_every_ruling_is_on_the_page_with_its_choices(home: Path) -> None:
    options = with_plugins()
    out = said("rules", "show").splitlines()
    for key, option in options.items():
        line = next(line for line in out if line.split()[:1] == [key])
        assert option.question in line
        assert f"({', '.join(option.rules)})" in line
    assert "* differs" not in "\n".join(out)
    document = rulings()
    assert [row["id"] for row in document["rulings"]] == list(options)
    assert all(row["chosen"] == row["default"] for row in document["rulings"])


def test_markdown_is_one_table_with_what_differs_in_bold(home: Path) -> None:
    text = (home / "skirmish.toml").read_text("utf-8").replace("[board]", '[options]\nD-AMB-05 = "selected"\n[board]')
    (home / "other.toml").write_text(text, "utf-8")
    lines = said("rules", "show", "--markdown", "--scenario", "other.toml").splitlines()
    rows = [line for line in lines if line.startswith("|")]
    assert rows[:2] == ["| ruling | decides | chosen | else | rules |", "| --- | --- | --- | --- | --- |"]
    assert len(rows) == 2 + len(with_plugins())
    assert all(len(re.findall(r"(?<!\\)\|", row)) == 6 for row in rows)
    assert "| D-AMB-05 | criticals under [+] and [-] | **selected** | always, stress_only | D-R7.6 |" in rows
    assert sum("**" in row for row in rows) == 1
    changed = said("rules", "show", "--markdown", "--changed", "--scenario", "other.toml").splitlines()
    assert [line for line in changed if line.startswith("| D-")] == [
        rows[2:][list(scenario_words().options).index("D-AMB-05")]
    ]


def test_the_rulings_of_a_battle_are_those_of_its_log(over: Path) -> None:
    said("battle", "new", "skirmish.toml", "-o", "b.battle", "--seed", "1", "--option", "D-AMB-08.start=4")
    document = rulings("--battle", "b.battle")
    assert (document["source"], document["game"]) == ("Skirmish", "disrupter")
    row = next(row for row in document["rulings"] if row["id"] == "D-AMB-08.start")
    assert (row["chosen"], row["default"], row["numbers"]) == (4, 0, [0, 20])
    assert "Every ruling is at its default." in said("rules", "show", "--markdown", "--changed", "--battle", "a.battle")
    done = say("rules", "show", "--battle", "a.battle", "--scenario", "skirmish.toml")
    assert done.status == 2


def test_rules_have_help_with_an_example(home: Path) -> None:
    assert "Example: rallypoint rules show" in said("rules", "--help")
    assert "Example: rallypoint rules show --markdown" in said("rules", "show", "--help")
