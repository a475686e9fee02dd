"""What grows with the force: listing a seat's acts and letting the autopilot choose one, for squad, platoon and company.

Both sides stand in lines 4 hexes apart, on a board that is as wide as they need, with land scattered alike everywhere. So the
enemies within range of a team stay alike in number; those in sight are what the land leaves.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from rallypoint.content import parse_force
from rallypoint.content.scenario import parse_scenario
from rallypoint.disrupter import catalogue, scenario_words
from rallypoint.disrupter.autopilot import Autopilot
from rallypoint.disrupter.deploy import deployed
from rallypoint.disrupter.field import board
from rallypoint.disrupter.game import Disrupter
from rallypoint.disrupter.legal import legal
from rallypoint.disrupter.setup import first_state
from rallypoint.kernel.canonical import freeze
from rallypoint.kernel.changes import Change, SetAttribute, SetPlace
from rallypoint.kernel.fold import fold
from rallypoint.kernel.hexes import from_offset
from rallypoint.kernel.state import State

from .timing import Row, best, repeat

STARTER = Path(__file__).parents[1] / "examples" / "rosters" / "starter-platoon.md"
SIZES = {"squad": (1, 9), "platoon": (2, 12), "company": (7, 36)}
"""Squads beside the CO's, and columns of the board."""

ORDER = {"by": "", "to": "", "text": "Go.", "verb": "engage", "place": None, "fire_policy": None, "code_word": None}
SCENARIO = """scenario = 1
title = "Lines"
[board]
columns = {columns}
rows = 12
scatter = {{ seed = "lines", density = 0.4, buildings = 0.2, water = "none" }}
[deployment]
from = "edges"
depth = 4
[[sides]]
name = "red"
roster = "lines.md"
edge = "bottom"
[[sides]]
name = "blue"
roster = "lines.md"
edge = "top"
"""


def lines(squads: int, columns: int, phase: str) -> State:
    """Return a battle in its first turn: all squads of red's are in Group 1 and about to ``move``, or to act (``battle``)."""
    page = STARTER.read_text(encoding="utf-8")
    head, _, rest = page.partition("### **Squad 1")
    squad = rest.partition("### **Squad 2")[0]
    text = head + "".join(f"### **Squad {number}{squad}" for number in range(1, squads + 1))
    force = parse_force(text, "markdown", catalogue(), path="lines.md", title="Lines")
    scenario = parse_scenario(SCENARIO.format(columns=columns), "lines.toml", scenario_words())
    encounter = deployed(scenario, {"red": force, "blue": force}).encounter
    state = first_state(encounter, scenario.options, edges={"red": "bottom", "blue": "top"})
    portions = [["co", "red", phase], ["1", "red", phase], ["1", "blue", phase]]
    now = {"turn": 1, "phase": "action", "first": "red", "portions": portions, "at": 1}
    changes: list[Change] = [SetAttribute("battle", name, freeze(value)) for name, value in now.items()]
    for entity in [entity for entity in state if entity.role == "squad"]:
        orders = freeze([{**ORDER, "since": 0, "number": 0}])
        changes += [SetAttribute(entity.uid, "group", 1), SetAttribute(entity.uid, "orders", orders)]
    return fold(state, [*changes, *_in_lines(state, "red", 8), *_in_lines(state, "blue", 3)])


def _in_lines(state: State, side: str, row: int) -> Iterator[Change]:
    """Yield the places of a side's teams: every other hex of two rows, where there is no building."""
    land = board(state)
    free = [from_offset(column, row + column // 2 % 2) for column in range(0, land.columns, 2)]
    free += [from_offset(column, row + column // 2 % 2) for column in range(1, land.columns, 2)]
    open_ground = [at for at in free if land.terrain_at(at) != "building"]
    for team, at in zip(state.below(side, "team"), open_ground, strict=False):
        yield SetPlace(team.uid, at)


def rows() -> Iterator[Row]:
    for phase, what in (("battle", "to act"), ("move", "to move")):
        states = {name: lines(squads, columns, phase) for name, (squads, columns) in SIZES.items()}
        yield from _listing(states, what)
        yield from _choosing(states, what)


def _listing(states: Mapping[str, State], what: str) -> Iterator[Row]:
    """Yield what listing one act costs; how many are listed is by nature own teams times enemies in sight."""
    game = Disrupter()
    listed = {name: len(legal(game, state, "red")) for name, state in states.items()}
    found = best({name: repeat(legal, game, state, "red") for name, state in states.items()}, 5)
    each = {name: found[name] / listed[name] / 1000 for name in states}
    ratio = each["company"] / each["squad"]
    figure = f"{_slashed(each)} us an act ({' / '.join(str(number) for number in listed.values())})"
    yield Row(f"listing acts, teams {what}: squad / platoon / company", figure, "at most 2 x the squad's", ratio <= 2)


def _choosing(states: Mapping[str, State], what: str) -> Iterator[Row]:
    """Yield what the autopilot's choice costs for each team of its side, the acts being listed."""
    game = Disrupter()
    pilot, cases, teams = Autopilot(game.options), {}, {}
    for name, state in states.items():
        view = game.view(state, "red")
        cases[name] = repeat(pilot.act, legal(game, state, "red"), view)
        teams[name] = sum(1 for _ in state.below("red", "team"))
    found = best(cases, 3)
    each = {name: found[name] / teams[name] / 1e6 for name in states}
    ratio = each["company"] / each["platoon"]
    figure = f"{_slashed(each, 2)} ms a team"
    yield Row(
        f"the autopilot's choice, teams {what}: squad / platoon / company",
        figure,
        "at most 2 x the platoon's",
        ratio <= 2,
    )


def _slashed(figures: Mapping[str, float], digits: int = 0) -> str:
    return " / ".join(f"{figure:.{digits}f}" for figure in figures.values())
