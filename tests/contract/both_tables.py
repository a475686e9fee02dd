"""One battle before several tables at once, with people who type on all sides: the tests and the bench play it."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, TypeVar

from rallypoint_sync.fields import Field
from rallypoint_sync.hub import Hub
from rallypoint_sync.ledger import Ledger

from .battles import STRESS, UNITS, edits, fought, is_out, skirmish, wounds
from .world import Clock, World

__all__ = ["FIELDS", "Played", "play", "shuffled"]

T = TypeVar("T")

FIELDS = (STRESS, *map(wounds, UNITS))


class Played(NamedTuple):
    """What came of it: how many conflicts there were, what differs at the end, who changed the battle, and whether all is done."""

    conflicts: int
    differing: tuple[tuple[str, Field], ...]
    people: frozenset[str]
    is_done: bool


def play(folder: Path, worlds: Sequence[World], number: int, dice: random.Random) -> Played:
    """Let so many edits be made in the battle and in each world, in any order, with a sync now and then.

    Args:
        folder: where the ledger goes.
        worlds: the worlds.
        number: edits on each side.
        dice: what is done when.
    """
    battle = skirmish()
    ledger = Ledger(folder / "both.sync", battle.history.entries[0].hash)
    for world in worlds:
        ledger.bind(world.vtt, {}, world.bindings())
    hub = Hub(battle, ledger, [world.transport for world in worlds], holder="test", is_out=is_out, clock=Clock())
    hub.sync()
    conflicts = 0
    for count, side in enumerate(shuffled(dice, [None, *worlds], number), 1):
        field = dice.choice(FIELDS)
        value = dice.randint(2, 20) if field == STRESS else dice.randint(0, 2)
        if side is None:
            fought(battle, field, value)
        else:
            side.edit(dice.choice([each.carrier for each in side.bindings() if each.field == field]), value)
        if count % 12 == 0:
            hub.sync()
            conflicts += _settled(hub, ledger, dice)
    hub.sync()
    _settled(hub, ledger, dice)
    hub.sync()
    differing = tuple(
        (world.vtt, field)
        for field in FIELDS
        for world in worlds
        if {world.shown(each.carrier) for each in world.bindings() if each.field == field}
        != {battle.state[field.uid].value(field.name)}
    )
    done = hub.plan().is_empty
    ledger.close()
    return Played(conflicts, differing, frozenset(who for who, *_ in edits(battle)), done)


def shuffled(dice: random.Random, sides: Sequence[T], number: int) -> list[T]:
    """Return whose edit is the next, so many of each side."""
    whose = [*sides] * number
    dice.shuffle(whose)
    return whose


def _settled(hub: Hub, ledger: Ledger, dice: random.Random) -> int:
    """Resolve what is in conflict, for this side or that."""
    open_ones: list[Field] = list(ledger.conflicts())
    for field in open_ones:
        take: str | int = dice.randint(0, 2) if field != STRESS and dice.random() < 0.5 else "battle"
        hub.resolve(field, take)
    return len(open_ones)
