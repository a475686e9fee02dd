"""The table that each case of the contract suite sits at: a battle, a ledger in a file, a VTT, and a clock."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from rallypoint.kernel.battle import Battle
from rallypoint_sync.bindings import Carrier
from rallypoint_sync.fields import Field
from rallypoint_sync.hub import Hub, Synced
from rallypoint_sync.ledger import Ledger

from .battles import is_out, skirmish
from .world import FAULTS, Clock, World
from .worlds import WORLDS


class Table:
    """Battle, ledger and VTT, with a hub that can be made anew as after a restart."""

    def __init__(self, world: World, folder: Path) -> None:
        self.world = world
        self.path = folder / "first.battle.sync"
        self.clock = Clock()
        self.battle: Battle[None] = skirmish()
        self.key = self.battle.history.entries[0].hash
        self.ledger = Ledger(self.path, self.key)
        self.ledger.bind(world.vtt, {}, world.bindings())
        self.hub = self.restarted()
        self.hub.sync()
        self.world.writes.clear()

    def restarted(self) -> Hub:
        """The process has ended without a word, and a new one begins: nothing is left but the files."""
        self.ledger.close()
        self.ledger = Ledger(self.path, self.key)
        self.hub = Hub(self.battle, self.ledger, [self.world.again()], holder="test", is_out=is_out, clock=self.clock)
        return self.hub

    def sync(self) -> Synced:
        return self.hub.sync()

    def carriers(self, field: Field) -> list[Carrier]:
        return [each.carrier for each in self.world.bindings() if each.field == field]

    def shown(self, field: Field) -> set[object]:
        """What the VTT shows of a field, on all its carriers."""
        return {self.world.shown(carrier) for carrier in self.carriers(field)}

    def value(self, field: Field) -> int:
        """What the battle says."""
        return self.battle.state[field.uid].value(field.name)

    def fault(self, name: str, calls: int = 1) -> None:
        """The next calls go wrong; a world that cannot play this is not tested for it."""
        assert name in FAULTS
        if name not in self.world.can:
            pytest.skip(f"{self.world.vtt} cannot have this fault: {FAULTS[name]}")
        self.world.fault(name, calls)


@pytest.fixture(params=sorted(WORLDS))
def table(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Table]:
    """A table at which the battle and the VTT have met, and nothing is to be done."""
    found = Table(WORLDS[request.param](tmp_path), tmp_path)
    yield found
    found.ledger.close()
