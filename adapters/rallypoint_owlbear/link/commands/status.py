"""``rallypoint owlbear status``: how things stand."""

from __future__ import annotations

from pathlib import Path

import click

from rallypoint_sync.doing import BATTLE, IN_JSON
from rallypoint_sync.saying import LiveCommand, as_json, say
from rallypoint_sync.transport import UnreachableError

from ..seat import at_room
from ..transport import VTT
from .options import PORT_OPTION

__all__ = ["status"]


@click.command(cls=LiveCommand)
@BATTLE
@PORT_OPTION
@IN_JSON
@click.pass_context
def status(ctx: click.Context, battle: Path, port: int, in_json: bool) -> int:
    """Say how things stand: who is linked, which scene is open, what is bound, gone, in conflict.

    Example: rallypoint owlbear status first.battle
    """
    with at_room(ctx, battle, port) as seat:
        standing, ledger = seat.way.standing(), seat.ledger
        bound = seat.about.get("scene")
        found: dict[str, object] = {
            "page": standing.writer,
            "pages": standing.pages,
            "scene": standing.shown.scene,
            "bound_scene": bound,
            "tokens": seat.bound_tokens(),
            "values": len(ledger.bindings(VTT)),
            "paused": ledger.paused(VTT),
            "gone": sorted(ledger.tombstones(VTT)),
            "conflicts": [str(each) for each in ledger.conflicts()],
        }
        if in_json:
            say(as_json(found))
        else:
            where = "none is open" if standing.shown.scene is None else "the one that is bound"
            where = where if standing.shown.scene in (None, bound) else "another one is open"
            say(
                f"Linked: {standing.writer or 'nobody'} ({standing.pages} {'page' if standing.pages == 1 else 'pages'}); scene: {where}"
            )
            say(f"Bound: {found['tokens']} tokens with {found['values']} values{', paused' if found['paused'] else ''}")
            for name, words in (("gone", "Not there any more"), ("conflicts", "In conflict")):
                rows = found[name]
                if isinstance(rows, list) and rows:
                    say(f"{words}: {', '.join(rows)}")
        return UnreachableError.exit_status if standing.writer is None else 1 if found["conflicts"] else 0
