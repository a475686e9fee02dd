"""What may be wrong with a scenario although it can be read: warnings, each with the rule that it rests on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from .scenario import Scenario, Side
from .scenario_terrain import coordinate, share
from .scenario_words import ScenarioWords, Terrain

__all__ = ["Warning", "check_scenario"]


class Warning(NamedTuple):  # noqa: A001
    """Something to think about before the fight; ``str()`` gives the sentence."""

    what: str
    rule: str

    def __str__(self) -> str:
        return f"{self.what} ({self.rule})"


def check_scenario(scenario: Scenario, words: ScenarioWords) -> tuple[Warning, ...]:
    """Return what a person should look at: size and terrain of the board, Rally Points, players."""
    return (*_board(scenario, words), *_sides(scenario, words))


def _board(scenario: Scenario, words: ScenarioWords) -> Iterator[Warning]:
    board, size = scenario.board, words.sizes[scenario.size]
    if board.columns != board.rows or board.columns not in size.boards:
        boards = " or ".join(f"{side} by {side}" for side in size.boards)
        yield Warning(
            f"the board is {board.columns} by {board.rows} hexes; at {size.title} scale it should be {boards}",
            size.rule,
        )
    low, high = words.share
    covered = share(board, words.terrain)
    if not low <= covered <= high:
        yield Warning(
            f"{covered:.0%} of the board is terrain; about half should be, from {low:.0%} to {high:.0%}",
            words.share_rule,
        )


def _sides(scenario: Scenario, words: ScenarioWords) -> Iterator[Warning]:
    size = words.sizes[scenario.size]
    for side in scenario.sides:
        if not side.rally_points:
            yield Warning(f"{side.name} has no Rally Point, so the Code Word Rally means nothing to it", "D-R10.2")
        low, high = size.platoons
        if not low <= len(side.rosters) <= high:
            count = "1 platoon" if len(side.rosters) == 1 else f"{len(side.rosters)} platoons"
            yield Warning(f"{side.name} brings {count}; at {size.title} scale it should be {low} to {high}", size.rule)
        yield from _rally_points(scenario, side, words)
    first, second = scenario.sides
    if first.name[0].casefold() == second.name[0].casefold():
        code = first.name[0].upper()
        yield Warning(f"{first.name} and {second.name} both have the code {code}: their stands read alike", "D-R4.2")
    if max(side.players for side in scenario.sides) > 1 and not scenario.referee and _uneven(scenario):
        yield Warning("one player against several: one of them should be the referee", "D-R1.4")


def _rally_points(scenario: Scenario, side: Side, words: ScenarioWords) -> Iterator[Warning]:
    """Yield the Rally Points of a side that no stand can enter, as far as the terrain and its ruling say."""
    for point in side.rally_points:
        kind = words.terrain.get(scenario.board.terrain_at(point.place) or "")
        if kind is None or kind.open_to == "all" or _by_ruling(scenario, kind, words):
            continue
        where = f"{side.name}'s Rally Point {point.name} in {coordinate(point.place)}"
        yield Warning(f"{where} is on closed ground ({kind.title}): a retreat ends in the nearest open hex", "D-PT-T4")


def _by_ruling(scenario: Scenario, kind: Terrain, words: ScenarioWords) -> bool:
    """Say whether the scenario has the ruling about some terrain otherwise than by default."""
    option = words.options.get(kind.rule)
    return option is not None and option.chosen(scenario.options) != option.default


def _uneven(scenario: Scenario) -> bool:
    return len({side.players for side in scenario.sides}) > 1
