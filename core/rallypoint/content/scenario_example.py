"""A first scenario for people to change, with every word that the game knows in its comments."""

from __future__ import annotations

from collections.abc import Iterable

from .scenario import FORMAT
from .scenario_terrain import OPEN
from .scenario_words import ScenarioWords, Size

__all__ = ["example_scenario"]


def example_scenario(words: ScenarioWords, roster: str = "my-platoon.md", *, title: str = "First Fight") -> str:
    """Return a scenario file with comments.

    Args:
        words: the game's.
        roster: what both sides bring, beside the file.
        title: the scenario's.
    """
    size = next(iter(words.sizes.values()))
    return f"""# A scenario: players, rules and mode, forces, board. rallypoint scenario check says whether it can be played,
# rallypoint scenario draw makes a picture of it. What stands behind a # is for you alone.
scenario = {FORMAT}
title = {_quoted(title)}
game = "{words.game}"

# How to win:
{_listed(f"{mode.key}: {mode.text}" for mode in words.modes.values())}
mode = "{next(iter(words.modes))}"

# How large:
{_listed(_size(each) for each in words.sizes.values())}
size = "{size.key}"

# Which rules:
{_listed(f"{key}: {each.text}" for key, each in words.rules.items())}
rules = "{next(iter(words.rules))}"
referee = false

# Rulings that you want otherwise than the first choice. These exist:
{_listed(_option(words, key) for key in words.options)}
[options]

[board]
# Either a size, in hexes (columns and rows) or in inches (two to a hex), with terrain scattered from a seed ...
columns = {size.boards[0]}
rows = {size.boards[0]}
scatter = {{ seed = "first fight", density = 0.5, buildings = 0.25, water = "none" }}
# ... or a drawing instead, a row a line and a sign a hex; every second row lies half a hex to the right:
# terrain = '''
# . . F F # .
#  . ~ . . = .
# '''
# Signs: {OPEN} open ground, {", ".join(f"{each.sign} {each.key}" for each in words.terrain.values())}.

[deployment]
from = "edges"      # edges: top, bottom, left, right; corners: top-left, bottom-right, top-right, bottom-left
depth = {words.depth}

[[sides]]
name = "red"        # stands in every uid; the first letter stands in the codes
title = "Red Company"
roster = {_quoted(roster)}   # beside this file
with_optional = false
players = 1
edge = "bottom"     # the other side begins opposite
rally_points = {{ Alpha = "B{size.boards[0]}", Bravo = "K{size.boards[0] - 1}" }}

[[sides]]
name = "blue"
title = "Blue Company"
roster = {_quoted(roster)}
rally_points = {{ Tango = "J1" }}
# Teams that must begin in a certain hex; the others are spread along the zone.
# place = {{ 0A = "E1", 1A = "D2" }}
"""


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _listed(lines: Iterable[str]) -> str:
    return "\n".join(f"#   {line}" for line in lines)


def _size(size: Size) -> str:
    low, high = size.platoons
    several = "" if high == 1 else f"; {low} to {high} platoons on a side, each with a roster: rosters = [..., ...]"
    return f"{size.key}: boards of {' or '.join(map(str, size.boards))} hexes a side{several}"


def _option(words: ScenarioWords, key: str) -> str:
    option = words.options[key]
    name = f'"{key}"' if "." in key else key
    if option.numbers is not None:
        low, high = option.numbers
        return f"{name} = {option.default}  ({low} to {high}): {option.question}"
    return f"{name} = {' | '.join(option.words)}: {option.question}"
