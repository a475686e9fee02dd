"""Short supply, tried as a person has it: installed beside Rallypoint, in battles of the real game."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from short_supply.rules import ammo

from rallypoint import disrupter
from rallypoint.content import read_content
from rallypoint.content.rosters import parse_force
from rallypoint.content.scenario import parse_scenario
from rallypoint.disrupter.field import living, teams
from rallypoint.kernel.answers import Answers, Seed
from rallypoint.kernel.battle import Battle
from rallypoint.kernel.changes import SetTracker
from rallypoint.kernel.errors import RuleError
from rallypoint.kernel.game import Acts, Intent, Over
from rallypoint.kernel.plugins.discovery import discover
from rallypoint.kernel.plugins.variant import frozen_variant

ROSTER = """# Garrison
### Squad 0
#### Team A
* 1 CO - Combat Armor, Bolt Rifle
* 1 Soldier - Combat Armor, Trench Gun
### Squad 1
#### Team A
* 1 NCO - Combat Armor, Bolt Rifle
* 1 Soldier - Combat Armor, Pulse Rifle w/ Grenade Launcher
"""

SCENARIO = """scenario = 1
title = "Gate"
size = "squad"
[board]
terrain = '''
 . . . .
  . . . .
 . . . .
'''
[[sides]]
name = "red"
roster = "garrison.md"
edge = "bottom"
place = { 0A = "A3", 1A = "C3" }
[[sides]]
name = "blue"
roster = "garrison.md"
place = { 0A = "B1", 1A = "D1" }
"""

WEAPONS = Path(__file__).parent.parent / "short_supply" / "weapons.toml"


def started(options: Mapping[str, object], seed: int = 7) -> Battle[Any]:
    """Start a battle of two seats that play alone."""
    variant = frozen_variant("disrupter", discover().found)
    hooks: Any = variant.hooks
    game = disrupter.playable(options, hooks, variant.rulings)
    known = disrupter.catalogue()
    force = parse_force(
        ROSTER, "markdown", read_content([str(WEAPONS)], known).extended(known), path="garrison.md", title="Garrison"
    )
    scenario = parse_scenario(SCENARIO, "gate.toml", disrupter.scenario_words())
    encounter = game.completed(disrupter.deployed(scenario, {"red": force, "blue": force}).encounter)
    state = disrupter.opening(scenario, encounter, game.options)
    seats = Answers(Seed(seed), others=disrupter.seat_alone(game.options))
    return Battle.start(game, state, seats, plugins=variant.plugins)


def test_every_unit_carries_what_the_ruling_says() -> None:
    units = [each for each in started({"SUPPLY-1": 4}).state if each.role == "unit"]
    assert [(each.value("Ammo"), each.trackers["Ammo"].max) for each in units] == [(4, 4)] * 8
    assert all("Ammo" not in each.trackers for each in started({"SUPPLY-1": 0}).state)


def fired(battle: Battle[Any]) -> list[Any]:
    """Return every shot: shooter, weapon, target."""
    events: list[Any] = [event for entry in battle.history.entries for event in entry.events]
    return [attack for event in events if event.kind == "fire.shot" for attack in event.why["attacks"]]


@pytest.mark.parametrize("seed", range(5))
def test_shots_and_ammo_add_up_in_a_whole_battle(seed: int) -> None:
    battle = started({"SUPPLY-1": 2}, seed)
    assert isinstance(battle.play(), Over)
    events: list[Any] = [event for entry in battle.history.entries for event in entry.events]
    found = [uid for event in events if event.kind == "supply.found" for uid in event.why["units"]]
    for unit in [each for each in battle.state if each.role == "unit"]:
        spent = sum(2 if attack[1] == "grenade_launcher" else 1 for attack in fired(battle) if attack[0] == unit.uid)
        assert ammo(unit) == 2 - spent + found.count(unit.uid)
    assert fired(battle)
    assert {event.by for event in events if event.kind.startswith("supply.")} == {"short-supply"}


def test_a_launcher_needs_two_where_others_need_one() -> None:
    battle = started({"SUPPLY-1": 1})
    battle.play()
    assert fired(battle)
    assert all(attack[1] != "grenade_launcher" for attack in fired(battle))


@pytest.mark.parametrize("choice", ["yes", "no"])
def test_mates_share_where_they_may(choice: str) -> None:
    battle = started({"SUPPLY-2": choice})
    while not battle.state["battle"].attributes.get("turn"):
        battle.play(1)
    due = battle.due
    assert isinstance(due, Acts)
    (seat,) = due.seats
    stands = [living(battle.state, team.uid) for team in teams(battle.state, seat)]
    giver, taker = next([unit.uid for unit in stand] for stand in stands if len(stand) == 2)
    share = Intent("share_ammo", (giver, taker), seat)
    assert share not in battle.legal(seat)  # nobody lacks any
    battle.edit("somebody", SetTracker(taker, "Ammo", 0))
    if choice == "no":
        with pytest.raises(RuleError):
            battle.act(share)
        return
    assert share in battle.legal(seat)
    assert battle.legal(seat)[-1].rule == "done"
    battle.act(share)
    assert (ammo(battle.state[giver]), ammo(battle.state[taker])) == (5, 1)
    with pytest.raises(RuleError):
        battle.act(share)
