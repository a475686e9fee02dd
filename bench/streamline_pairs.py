"""Play every allowed pair of the [streamline] switches, and each alone, by the autopilot to the end of the battle.

    python -m bench.streamline_pairs [battles a pair]

A battle is a squad each on a board of 9 by 9 hexes, scattered from its seed. Printed is for each pair how many battles came to
an end, how long they were, and how often who went first in turn 1 won; then the same of the sets of rules. It exits with 1
where a battle was broken off, and names what was played in it; it takes minutes.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from itertools import combinations
from pathlib import Path
from statistics import median
from typing import NamedTuple

import rallypoint_streamline
from rallypoint.content import read_force
from rallypoint.content.scenario import parse_scenario
from rallypoint.disrupter import catalogue, scenario_words
from rallypoint.disrupter.autopilot import Autopilot
from rallypoint.disrupter.deploy import deployed
from rallypoint.disrupter.game import Disrupter
from rallypoint.disrupter.hooks import Hooks
from rallypoint.disrupter.setup import first_state
from rallypoint.kernel.answers import Answers, Seed
from rallypoint.kernel.battle import Battle
from rallypoint.kernel.encounter import Encounter
from rallypoint.kernel.errors import InputError
from rallypoint.kernel.game import Over
from rallypoint.kernel.plugins.hooks import LoadedPlugin
from rallypoint.kernel.plugins.manifest import Manifest, read_manifest
from rallypoint.kernel.plugins.plan import compile_plan
from rallypoint.kernel.rulings import by_id
from rallypoint_streamline import implementations

MOST = 60
"""Turns after which a battle is broken off."""

_ROSTER = Path(__file__).parents[1] / "examples" / "rosters" / "entry-squad.md"


class Fought(NamedTuple):
    """A battle: how many turns it took, who won (``None``: broken off), who went first in turn 1."""

    turns: int
    winner: str | None
    first: str


@cache
def manifest() -> Manifest:
    path = Path(rallypoint_streamline.__file__).with_name("rallypoint-plugin.toml")
    read, problems = read_manifest(path.read_text("utf-8"), str(path))
    assert read is not None, problems
    return read


def switches() -> list[str]:
    """Return the rows of the rules that can be switched on."""
    sizes = ("D-SL-SF.1", "D-SL-SF.2")
    return [each.id for each in manifest().rulings if each.choices == ("off", "on") and each.id not in sizes]


def game(options: Mapping[str, object]) -> Disrupter:
    return Disrupter(
        options, compile_plan(Hooks, [LoadedPlugin("streamline", implementations)]), by_id(manifest().rulings)
    )


@cache
def squads(seed: int) -> Encounter:
    text = f"""scenario = 1
title = "Squads {seed}"
size = "squad"
[board]
columns = 9
rows = 9
scatter = {{ seed = "{seed}", density = 0.5, buildings = 0.3, water = "none" }}
[deployment]
from = "edges"
[[sides]]
name = "red"
roster = "squad.md"
edge = "bottom"
rally_points = {{ Alpha = "E9" }}
[[sides]]
name = "blue"
roster = "squad.md"
edge = "top"
rally_points = {{ Tango = "E1" }}
"""
    scenario = parse_scenario(text, "battle.toml", scenario_words())
    force = read_force(_ROSTER, catalogue())
    return deployed(scenario, {"red": force, "blue": force}).encounter


def fought(options: Mapping[str, object], seed: int) -> Fought:
    """Let the autopilot play both sides of a battle to its end, or for :data:`MOST` turns."""
    rules = game(options)
    edges = {"red": "bottom", "blue": "top"}
    state = first_state(rules.completed(squads(seed)), rules.options, size="squad", edges=edges)
    battle = Battle.start(rules, state, Answers(Seed(seed), others=Autopilot(rules.options, seed)))
    first = None
    while not isinstance(battle.due, Over) and rules.clock(battle.state) <= MOST:
        battle.play(1)
        first = first or battle.state["battle"].attributes.get("first")
    due = battle.due
    winner = str(due.result["winner"]) if isinstance(due, Over) and isinstance(due.result, Mapping) else None
    return Fought(rules.clock(battle.state), winner, str(first))


def choices() -> Iterator[tuple[str, Mapping[str, object]]]:
    """Yield what is played, by a name: nothing switched on, each alone, each pair that is allowed, each set of rules."""
    rows = switches()
    for number in (0, 1, 2):
        for together in combinations(rows, number):
            options = dict.fromkeys(together, "on")
            try:
                game(options)
            except InputError as error:
                print(f"{' + '.join(together)}: refused: {error}")
                continue
            yield " + ".join(together) or "full rules", options
    for preset in manifest().presets:
        yield f"set {preset.name}", dict(preset.options)


def _line(name: str, battles: list[Fought]) -> str:
    over = [each for each in battles if each.winner is not None]
    turns = sorted(each.turns for each in battles)
    led = sum(each.winner == each.first for each in over)
    length = f"{turns[0]} to {turns[-1]} turns, median {median(turns):g}"
    return f"{name}: {len(over)} of {len(battles)} ended, {length}; won by who went first: {led}"


def _played(task: tuple[str, Mapping[str, object], int]) -> tuple[str, list[Fought]]:
    name, options, number = task
    return name, [fought(options, seed) for seed in range(number)]


def told(played: Iterable[tuple[str, list[Fought]]]) -> int:
    """Print each line as its battles are over, then all pairs together; return 1 if a battle was broken off, else 0."""
    total: list[Fought] = []
    broken: list[str] = []
    pairs = 0
    for name, battles in played:
        print(_line(name, battles), flush=True)
        if any(each.winner is None for each in battles):
            broken.append(name)
        if " + " in name:
            pairs += 1
            total += battles
    if total:
        print(_line(f"all {pairs} pairs", total))
    if broken:
        print(f"broken off after {MOST} turns: {', '.join(broken)}")
    return int(bool(broken))


def main() -> int:
    number = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    tasks = [(name, options, number) for name, options in choices()]
    with ProcessPoolExecutor(2) as pool:
        return told(pool.map(_played, tasks))


if __name__ == "__main__":
    sys.exit(main())
