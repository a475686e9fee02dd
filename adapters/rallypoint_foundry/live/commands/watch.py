"""``rallypoint foundry watch``: battle and world in step until Ctrl-C."""

from __future__ import annotations

from pathlib import Path

import click

from rallypoint_sync.doing import do_watch
from rallypoint_sync.saying import LiveCommand
from rallypoint_sync.watching import Watch

from ..at_table import World
from .options import BATTLE, IN_JSON, at_table

__all__ = ["watch"]


@click.command(cls=LiveCommand)
@BATTLE
@IN_JSON
@click.pass_context
def watch(ctx: click.Context, battle: Path, in_json: bool) -> int:
    """Keep the battle and the world in step until Ctrl-C. A change at either side goes to the other at once.

    One watch or table of a battle runs at a time. With --json each thing that happens is one line.

    Example: rallypoint foundry watch first.battle
    """
    with at_table(ctx, battle) as seat:
        world = World(seat)
        watching = Watch(seat.hub(world.transport, patience=0.0), world.transport, lambda _news: None, seat.clock)
        return do_watch(seat, watching, world.title, in_json=in_json, heard=world.heard)
