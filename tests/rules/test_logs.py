"""A battle's log: live, replayed and read from its file it is the same battle, whatever was taken back and whoever rolls."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from rallypoint.content import read_force
from rallypoint.content.scenario import read_scenario
from rallypoint.disrupter import catalogue, deployed, scenario_words
from rallypoint.disrupter.hooks import DisrupterStep
from rallypoint.disrupter.setup import first_state
from rallypoint.kernel.answers import Answers, AtRandom, Seed
from rallypoint.kernel.battle import Battle
from rallypoint.kernel.battle_file import BattleFile
from rallypoint.kernel.dice import D6, Throw
from rallypoint.kernel.game import Acts
from rallypoint.kernel.plugins.hooks import hookimpl
from rallypoint.kernel.replay import replay
from rallypoint.kernel.state import State

from ..disrupter.positions import game
from .test_random_battles import forces

SEATS = AtRandom("seats")


@hookimpl
def turn_start(step: DisrupterStep, stress: int) -> int:
    """A house rule: a die at the beginning of each turn, and a 1 costs a point of Stress more."""
    (face,) = step.roll(Throw("house", "omen", D6))
    return stress + (face == 1)


OMENS = SimpleNamespace(turn_start=turn_start)


def test_dice_of_a_plugin_at_the_beginning_of_a_turn_survive_going_back_and_forth() -> None:
    playing = game(None, OMENS)
    battle = Battle.start(playing, forces(), Answers(Seed(4), others=SEATS))
    while playing.clock(battle.state) < 3:
        battle.play(1)
    battle.play(2)
    after = battle.state.digest
    steps = len(battle.history.past)
    for _ in range(6):
        battle.undo()
    assert battle.state.digest != after
    for _ in range(6):
        battle.redo()
    assert (battle.state.digest, len(battle.history.past)) == (after, steps)
    rolled = [draw for entry in battle.history.entries for draw in str(entry.body.get("tape", "")).split("omen")[1:]]
    assert len(rolled) >= 6  # two sides, three turns
    assert replay(battle.history.entries, game(None, OMENS)).hash == after


def test_going_back_and_on_another_way_replays_to_the_live_state(tmp_path: Path) -> None:
    path = tmp_path / "battle.db"
    battle = Battle.start(game(), forces(), Answers(Seed(5), others=SEATS), path=path)
    battle.play(12)
    for _ in range(2):
        battle.undo()
    while not isinstance(battle.due, Acts):
        battle.proceed()
    battle.act(battle.legal(battle.due.seats[0])[-1])
    battle.undo()
    battle.redo()
    live = battle.state.digest
    assert replay(battle.history.entries, game()).hash == live
    with BattleFile(path) as file:
        assert Battle.open(file, game(), Answers(Seed(0))).state.digest == live
    assert [entry.kind for entry in battle.history.entries][-2:] == ["undo", "redo"]


def at_the_ford(referee: bool) -> State:
    scenario = read_scenario("examples/scenarios/ford.toml", scenario_words())
    known = catalogue()
    sides = {side.name: read_force(scenario.roster(side), known) for side in scenario.sides}
    edges = {side.name: side.edge for side in scenario.sides}
    return first_state(deployed(scenario, sides).encounter, scenario.options, edges=edges, referee=referee)


@pytest.mark.parametrize("referee", [False, True])
def test_two_starter_platoons_fight_at_the_ford(referee: bool, tmp_path: Path) -> None:
    playing = game({"D-OP-R11.1": "on"})
    path = tmp_path / "ford.db"
    battle = Battle.start(playing, at_the_ford(referee), Answers(Seed(3), others=SEATS), path=path)
    battle.play(120)
    assert playing.clock(battle.state) >= 2
    live = battle.state.digest
    with BattleFile(path) as file:
        assert Battle.open(file, playing, Answers(Seed(0))).state.digest == live
        assert replay(file.entries(), game({"D-OP-R11.1": "on"})).hash == live
