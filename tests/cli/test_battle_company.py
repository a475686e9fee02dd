"""Battles of companies at the command line: orders to platoons, what is shown, and each platoon's roster afterwards."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from rallypoint.content import read_force
from rallypoint.disrupter import catalogue
from rallypoint.kernel.battle_file import BattleFile
from rallypoint.kernel.history import History
from rallypoint.kernel.state import State

from .battles import SCENARIO, said, say

pytestmark = pytest.mark.rule("D-SF-4")

COMPANY = (
    SCENARIO.replace('size = "squad"', 'size = "company"')
    .replace('roster = "small.md"\nedge', 'rosters = ["small.md", "small.md"]\nedge')
    .replace('place = { 0A = "B6", 1A = "C6", 1B = "E6" }\n', "")
    .replace("depth = 1", "depth = 2")
)


@pytest.fixture
def company(home: Path) -> Path:
    """Return a folder with a battle in its briefing: red has the small roster twice, blue once."""
    (home / "company.toml").write_text(COMPANY, "utf-8")
    said("battle", "new", "company.toml", "-o", "a.battle", "--seed", "3")
    said("battle", "step", "a.battle")
    return home


def state_of(path: Path) -> State:
    with BattleFile(path) as file:
        return History.of(file.entries()).state


def test_the_company_commander_is_shown_and_orders_a_platoon_by_its_code(company: Path) -> None:
    assert re.search(r"R1-0A-1 CO .*company commander", said("battle", "show", "a.battle"))
    assert "R1-0A-1 CO commands the company" in said("battle", "log", "a.battle")
    said("battle", "order", "a.battle", "R1-0A-1", "R2", "Hold the left.", "--with", "verb=hold")
    assert re.search(r"Small 2 \(R2\) .*order: Hold the left\.", said("battle", "show", "a.battle"))
    assert "R1-0A-1 CO to Small 2 (R2): Hold the left." in said("battle", "log", "a.battle")
    refused = say("battle", "order", "a.battle", "R2-0A-1", "R1", "Hold the right.")
    assert (refused.status, "D-SF-4" in refused.err) == (2, True)


def test_stress_says_whose_it_is_and_a_co_relieves_his_own(company: Path) -> None:
    said("battle", "act", "a.battle", "done", "--seat", "red")
    said("battle", "act", "a.battle", "done", "--seat", "blue", "--step")
    log = said("battle", "log", "a.battle")
    assert "Small 1 (R1): Stress 0 + 1: a new turn" in log
    assert "Small 2 (R2): Stress 0 + 1: a new turn" in log
    said("battle", "step", "a.battle", "--seat", "blue=auto")
    while "Open: " in said("battle", "legal", "a.battle"):  # blue moves in sight: red reacts first
        said("battle", "answer", "a.battle", "1")
        said("battle", "step", "a.battle", "--seat", "blue=auto")
    assert "CO of Small 2 (R2): relieve Stress" in said("battle", "legal", "a.battle")
    before = state_of(company / "a.battle")
    said("battle", "act", "a.battle", "relieve_stress", '["R2"]', "--seat", "red")
    after = state_of(company / "a.battle")
    assert [
        after[f"red.{number}.small"].value("Stress") - before[f"red.{number}.small"].value("Stress")
        for number in (1, 2)
    ] == [0, -1]


def test_each_platoon_goes_back_into_a_roster_of_its_own(company: Path) -> None:
    said("battle", "step", "a.battle", "--seat", "red=auto", "--seat", "blue=auto")
    state = state_of(company / "a.battle")
    trackers = json.loads(said("battle", "report", "a.battle", "--json"))["sides"]["red"]["trackers"]
    for number in (1, 2):
        out = said(
            "battle", "report", "a.battle", "--write", "small.md", "--platoon", f"R{number}", "-o", f"{number}.toml"
        )
        assert f"Wrote {number}.toml: Small {number} (R{number}), Stress" in out
        force = read_force(company / f"{number}.toml", catalogue())
        own = f"red.{number}.small"
        assert force.platoon.stress == state[own].value("Stress") == trackers[own]["Stress"]
        units = {unit.uid: unit for unit in state.below(own, "unit")}
        assert {f"red.{number}.{unit.uid}": unit.wounds for unit in force.units} == {
            uid: unit.value("Wounds") for uid, unit in units.items()
        }
        fates = {f"red.{number}.{unit.uid}": unit.extra.get("fate") for unit in force.units}
        assert fates == {
            uid: unit.statuses["out"].value if "out" in unit.statuses else None for uid, unit in units.items()
        }


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("--side", "red"), "several platoons of this side are of this roster"),
        (("--platoon", "R2", "--side", "blue"), "this side has no such platoon"),
        (("--platoon", "R3"), "nobody in this battle is called so"),
        (("--platoon", "R2-0A", "--side", "red"), "this side has no such platoon"),
    ],
)
def test_a_platoon_that_is_not_clear_or_not_there_is_refused(
    company: Path, arguments: tuple[str, ...], expected: str
) -> None:
    done = say("battle", "report", "a.battle", "--write", "small.md", *arguments, "-o", "out.toml")
    assert (done.status, expected in done.err) == (2, True), done.err
    assert not (company / "out.toml").exists()


def test_the_platoon_of_a_side_that_has_one_needs_no_name(company: Path) -> None:
    assert "Wrote out.toml: Blue, Stress" in said(
        "battle", "report", "a.battle", "--write", "small.md", "--side", "blue", "-o", "out.toml"
    )


def test_a_map_shows_the_stands_of_both_platoons(company: Path) -> None:
    said("battle", "map", "a.battle", "-o", "map.svg")
    text = (company / "map.svg").read_text("utf-8")
    assert all(f">{code}<" in text for code in ("R1-0A", "R2-0A", "B-0A"))
