"""Let the autopilot fight battles of two Starter Platoons and print how long they were and who won.

    python -m bench.battles_of_two [battles]

Every board is scattered from its own seed and fought over twice, with sides and edges swapped: so neither the land nor the
name of a side can decide how many battles a side wins. It asserts nothing.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from fractions import Fraction
from math import comb
from pathlib import Path
from statistics import median
from typing import NamedTuple

from rallypoint.content import read_force
from rallypoint.content.scenario import parse_scenario
from rallypoint.disrupter import catalogue, scenario_words
from rallypoint.disrupter.autopilot import Autopilot
from rallypoint.disrupter.deploy import deployed
from rallypoint.disrupter.game import Disrupter
from rallypoint.disrupter.setup import first_state
from rallypoint.kernel.answers import Answers, Seed
from rallypoint.kernel.battle import Battle
from rallypoint.kernel.game import Over
from rallypoint.kernel.state import State

MOST = 60
"""Turns after which a battle is broken off."""

_STARTER = Path(__file__).parents[1] / "examples" / "rosters" / "starter-platoon.md"
_EDGES = {"top": "bottom", "bottom": "top"}


class Fought(NamedTuple):
    """A battle: its seed, the edge of red, how many turns it took, who won (``None``: broken off) and what stood at the end."""

    seed: int
    edge: str
    turns: int
    winner: str | None
    losses: Mapping[str, int]


def starter_battle(seed: int, edge: str = "bottom") -> State:
    """Return the first state of a battle of two Starter Platoons on a board scattered from ``seed``; red begins at ``edge``."""
    text = f"""scenario = 1
title = "Battle {seed}"
[board]
columns = 12
rows = 12
scatter = {{ seed = "{seed}", density = 0.5, buildings = 0.3, water = "none" }}
[deployment]
from = "edges"
[[sides]]
name = "red"
roster = "starter.md"
edge = "{edge}"
rally_points = {{ Alpha = "{_rally(edge)}" }}
[[sides]]
name = "blue"
roster = "starter.md"
edge = "{_EDGES[edge]}"
rally_points = {{ Tango = "{_rally(_EDGES[edge])}" }}
"""
    scenario = parse_scenario(text, "battle.toml", scenario_words())
    force = read_force(_STARTER, catalogue(), with_optional=False)
    encounter = deployed(scenario, {"red": force, "blue": force}).encounter
    return first_state(encounter, scenario.options, edges={"red": edge, "blue": _EDGES[edge]})


def _rally(edge: str) -> str:
    return "B1" if edge == "top" else "B12"


def fought(seed: int, edge: str = "bottom") -> Fought:
    """Let the autopilot play both sides of a battle to its end, or for :data:`MOST` turns."""
    game = Disrupter()
    start = starter_battle(seed, edge)
    battle = Battle.start(game, start, Answers(Seed(seed), others=Autopilot(game.options, seed)))
    while not isinstance(battle.due, Over) and game.clock(battle.state) <= MOST:
        battle.play(20)
    due = battle.due
    winner = str(due.result["winner"]) if isinstance(due, Over) and isinstance(due.result, Mapping) else None
    losses = {
        side: sum("out" in unit.statuses for unit in battle.state.below(side, "unit")) for side in ("red", "blue")
    }
    return Fought(seed, edge, game.clock(battle.state), winner, losses)


def battles(number: int) -> Iterator[Fought]:
    """Yield battles, two for each board: seed 0 from the bottom, seed 0 from the top, seed 1 from the bottom, ..."""
    for at in range(number):
        yield fought(at // 2, "bottom" if at % 2 == 0 else "top")


def two_sided(wins: int, battles: int) -> float:
    """Return how likely a fair coin is at least as far from the middle as ``wins`` of ``battles``.

    >>> round(two_sided(1, 4), 3), two_sided(2, 4)
    (0.625, 1.0)
    """
    away = abs(2 * wins - battles)
    ways = sum(comb(battles, k) for k in range(battles + 1) if abs(2 * k - battles) >= away)
    return float(Fraction(ways, 2**battles))


def main() -> None:
    number = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    found: list[Fought] = []
    for each in battles(number):
        found.append(each)
        losses = ", ".join(f"{side} {lost}" for side, lost in each.losses.items())
        print(
            f"seed {each.seed}, red at the {each.edge}: {each.turns} turns, {each.winner or 'broken off'}; lost: {losses}",
            flush=True,
        )
    turns, wins = sorted(each.turns for each in found), Counter(each.winner for each in found)
    decided = wins["red"] + wins["blue"]
    print(f"turns: {turns[0]} to {turns[-1]}, median {median(turns)}")
    print(f"red {wins['red']}, blue {wins['blue']}, draw {wins['draw']}, broken off {wins[None]}")
    print(f"a fair coin is as far off with probability {two_sided(wins['red'], decided):.2f}")
    bottom = sum(each.winner == ("red" if each.edge == "bottom" else "blue") for each in found)
    print(f"won from the bottom edge: {bottom} of {decided}")


if __name__ == "__main__":
    main()
