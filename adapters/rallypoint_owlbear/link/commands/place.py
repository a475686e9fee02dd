"""``rallypoint owlbear place`` and ``status``."""

from __future__ import annotations

from pathlib import Path

import click

from rallypoint.kernel.errors import InputError
from rallypoint_sync.doing import BATTLE, DRY_RUN, IN_JSON
from rallypoint_sync.saying import LiveCommand, as_json, say
from rallypoint_sync.transport import UnreachableError

from ..desk import Desk, find_desk
from ..placing import items_of
from ..seat import at_room, open_scene
from ..transport import VTT, OwlbearTransport
from .options import PORT_OPTION

__all__ = ["place", "status"]


@click.command(cls=LiveCommand)
@click.argument("file", type=click.Path(path_type=Path))
@PORT_OPTION
@DRY_RUN
@IN_JSON
def place(file: Path, port: int, dry_run: bool, in_json: bool) -> int:
    """Put the tokens of an export into the open scene; those that are there already are left alone.

    Example: rallypoint owlbear place for-owlbear/encounter.owlbear.json
    """
    desk = Desk(find_desk(port))
    scene, places, _ = open_scene(desk)
    if places is None:
        raise InputError("tokens stand on hexes", hint="set the grid of the open scene to Hex Vertical")
    found = items_of(file, places)
    there: tuple[str, ...] = ()
    failed: dict[str, str] = {}
    if not dry_run:
        there, refused = OwlbearTransport(desk, scene, ()).place(found.items)
        failed = dict(refused)
    if in_json:
        told = {"scene": scene, "items": len(found.items), "tokens": found.tokens, "discs": found.discs}
        say(as_json({**told, "there": there, "failed": failed, "dry_run": dry_run}))
        return 1 if failed else 0
    for item, why in failed.items():
        say(f"failed: {item}: {why}")
    if found.discs:
        say(
            f"{found.discs} tokens are discs: Owl Trackers draws on pictures only. Give them pictures with a public address"
        )
    say(
        f"{found.tokens} tokens ({len(found.items)} items) {'would be placed' if dry_run else 'placed'}, {len(failed)} failed"
    )
    return 1 if failed else 0


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
        standing, ledger = seat.desk.standing(), seat.ledger
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
            say(f"Linked: {standing.writer or 'nobody'} ({standing.pages} pages); scene: {where}")
            say(f"Bound: {found['tokens']} tokens with {found['values']} values{', paused' if found['paused'] else ''}")
            for name, words in (("gone", "Not there any more"), ("conflicts", "In conflict")):
                rows = found[name]
                if isinstance(rows, list) and rows:
                    say(f"{words}: {', '.join(rows)}")
        return UnreachableError.exit_status if standing.writer is None else 1 if found["conflicts"] else 0
