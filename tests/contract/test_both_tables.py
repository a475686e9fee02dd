"""One battle before two tables at once: the fake Foundry and a room of Owlbear. They end equal on all three sides."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from rallypoint_sync.fields import Field
from rallypoint_sync.hub import Hub
from rallypoint_sync.ledger import Ledger

from .battles import STRESS, UNITS, edits, fought, is_out, skirmish, wounds
from .foundry_world import FoundryWorld
from .owlbear_world import OwlbearWorld
from .world import Clock, World

FIELDS = (STRESS, *map(wounds, UNITS))
EDITS = 200


@pytest.mark.parametrize("seed", [1, 2])
def test_two_hundred_edits_on_each_side_end_in_agreement(tmp_path: Path, seed: int) -> None:
    dice = random.Random(seed)
    battle = skirmish()
    ledger = Ledger(tmp_path / "both.sync", battle.history.entries[0].hash)
    (tmp_path / "foundry").mkdir()
    worlds: list[World] = [FoundryWorld(tmp_path / "foundry"), OwlbearWorld(tmp_path)]
    for world in worlds:
        ledger.bind(world.vtt, {}, world.bindings())
    ways = [world.transport for world in worlds]
    hub = Hub(battle, ledger, ways, holder="test", is_out=is_out, clock=Clock())
    hub.sync()
    conflicts = 0
    for number, side in enumerate(shuffled(dice, [None, *worlds]), 1):
        field = dice.choice(FIELDS)
        value = dice.randint(2, 20) if field == STRESS else dice.randint(0, 2)
        if side is None:
            fought(battle, field, value)
        else:
            carriers = [each.carrier for each in side.bindings() if each.field == field]
            side.edit(dice.choice(carriers), value)
        if number % 12 == 0:
            hub.sync()
            conflicts += settled(hub, ledger, dice)
    hub.sync()
    settled(hub, ledger, dice)
    hub.sync()
    for field in FIELDS:
        value = battle.state[field.uid].value(field.name)
        for world in worlds:
            shown = {world.shown(each.carrier) for each in world.bindings() if each.field == field}
            assert shown == {value}, (world.vtt, field)
    assert hub.plan().is_empty
    assert {who for who, *_ in edits(battle)} == {"somebody at foundry", "somebody at owlbear"}
    assert conflicts > 10  # they did get in each other's way
    ledger.close()


def shuffled(dice: random.Random, sides: list[Any]) -> list[Any]:
    """Whose edit is the next, :data:`EDITS` of each side."""
    whose = sides * EDITS
    dice.shuffle(whose)
    return whose


def settled(hub: Hub, ledger: Ledger, dice: random.Random) -> int:
    """Resolve what is in conflict, for this side or that."""
    open_ones: list[Field] = list(ledger.conflicts())
    for field in open_ones:
        take: str | int = dice.randint(0, 2) if field != STRESS and dice.random() < 0.5 else "battle"
        hub.resolve(field, take)
    return len(open_ones)
