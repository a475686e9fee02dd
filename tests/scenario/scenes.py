"""Scenario files for the tests, built from parts that a test can change."""

from __future__ import annotations

from pathlib import Path

from rallypoint.content import Force, read_force
from rallypoint.content.scenario import Scenario, parse_scenario
from rallypoint.disrupter import catalogue, scenario_words
from rallypoint.disrupter.deploy import Deployment, deployed

ROOT = Path(__file__).parents[2]
STARTER = ROOT / "examples" / "rosters" / "starter-platoon.md"

HEAD = 'scenario = 1\ntitle = "Test"\n'
BOARD = "[board]\ncolumns = 12\nrows = 12\n"
SIDES = """
[[sides]]
name = "red"
roster = "red.md"

[[sides]]
name = "blue"
roster = "blue.md"
"""


def read(text: str) -> Scenario:
    return parse_scenario(text, "test.toml", scenario_words())


def starter(*, with_optional: bool = False) -> Force:
    return read_force(STARTER, catalogue(), with_optional=with_optional)


def deploy(text: str, **forces: Force) -> Deployment:
    return deployed(read(text), forces or {"red": starter(), "blue": starter()})
