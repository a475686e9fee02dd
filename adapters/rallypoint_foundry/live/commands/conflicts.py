"""``rallypoint foundry conflicts``: what disagrees, and what holds."""

from __future__ import annotations

from pathlib import Path

import click

from rallypoint_sync.doing import conflict_meant, do_resolve, list_conflicts
from rallypoint_sync.saying import LiveCommand

from .options import BATTLE, IN_JSON, PATIENCE_OPTION, at_table

__all__ = ["conflicts"]


@click.command(cls=LiveCommand)
@BATTLE
@click.argument("uid", required=False)
@click.argument("field", required=False)
@click.option("--take", metavar="WHOSE", help="battle, foundry, or a number: resolve the conflict with this value.")
@PATIENCE_OPTION
@IN_JSON
@click.pass_context
def conflicts(
    ctx: click.Context,
    battle: Path,
    uid: str | None,
    field: str | None,
    take: str | None,
    patience: float,
    in_json: bool,
) -> int:
    """List what disagrees; with a uid and --take, say what holds. The next sync carries it out.

    Example: rallypoint foundry conflicts first.battle

    Example: rallypoint foundry conflicts first.battle red.small-0A-1-1 Wounds --take battle
    """
    with at_table(ctx, battle) as seat:
        if take is None:
            return list_conflicts(seat, "foundry", uid, in_json=in_json)
        field_meant = conflict_meant(seat, uid, field)
        hub = seat.hub(seat.transport(seat.relay(patient=0.0)), patience=patience)
        return do_resolve(seat, hub, field_meant, take, in_json=in_json)
