"""``rallypoint foundry watch``: battle and world in step until Ctrl-C."""

from __future__ import annotations

from pathlib import Path

import click

from rallypoint_sync.doing import do_watch
from rallypoint_sync.saying import LiveCommand
from rallypoint_sync.watching import News, Watch

from .options import BATTLE, IN_JSON, at_table

__all__ = ["watch"]

A_WHILE = 2.0
"""Seconds for which another process may write without it being told: two that watch take turns all the time."""


@click.command(cls=LiveCommand)
@BATTLE
@IN_JSON
@click.pass_context
def watch(ctx: click.Context, battle: Path, in_json: bool) -> int:
    """Keep the battle and the world in step until Ctrl-C. A change at either side goes to the other at once.

    With --json each thing that happens is one line.

    Example: rallypoint foundry watch first.battle
    """
    with at_table(ctx, battle) as seat:
        seat.bound()
        transport = seat.transport(seat.relay(patient=0.0))
        watching = Watch(seat.hub(transport, patience=0.0), transport, lambda _news: None, seat.clock)

        def heard(news: News) -> None:
            if news.what == "listening":
                seat.account()

        title = str(seat.about.get("title") or "the world")
        return do_watch(seat, watching, title, in_json=in_json, heard=heard)
