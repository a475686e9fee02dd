"""``rallypoint owlbear bind`` and ``unbind``."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import click

from rallypoint_sync.binding_commands import FIRST, OWNER, pairs_of, unbound
from rallypoint_sync.bindings import First, Owner
from rallypoint_sync.doing import BATTLE, DRY_RUN, IN_JSON
from rallypoint_sync.hub import bound_documents
from rallypoint_sync.saying import LiveCommand, as_json, complain, say

from ..binding import Bound, Enemies
from ..joining import Chosen, bind_open_scene
from ..seat import RoomSeat, at_room
from ..transport import VTT
from .options import PORT_OPTION

__all__ = ["bind", "unbind"]


@click.command(cls=LiveCommand)
@BATTLE
@click.option(
    "--enemies",
    type=click.Choice(["bands", "numbers", "nothing"]),
    default="bands",
    show_default=True,
    help="What of the other sides goes to the room, where each player's browser gets all of it.",
)
@click.option("--places", is_flag=True, help="Keep the places of tokens in step too; the scene needs vertical hexes.")
@OWNER
@FIRST
@click.option(
    "--map", "said", metavar="UID=ITEM", multiple=True, help="Put our record on this token of yours; repeatable."
)
@click.option(
    "--encounter", metavar="KEY", help="Whose tokens are meant, where the scene has those of several exports."
)
@PORT_OPTION
@DRY_RUN
@IN_JSON
@click.pass_context
def bind(
    ctx: click.Context,
    battle: Path,
    enemies: str,
    places: bool,
    owner: str,
    first: str,
    said: tuple[str, ...],
    encounter: str | None,
    port: int,
    dry_run: bool,
    in_json: bool,
) -> int:
    """Find out which tokens of the open scene stand for whom of the battle, by our record on them; nothing goes by name.

    Tokens that you linked in the popover, or name with --map by the id of the item, get our record first.

    Example: rallypoint owlbear bind first.battle

    Example: rallypoint owlbear bind first.battle --map red.small-0A-1-1=5b0c2a7e-1f6d-4b0e-9d0c-2f3a4b5c6d7e
    """
    pairs = pairs_of(said, "red.small-0A-1-1=5b0c2a7e-...")
    chosen = Chosen(cast("Enemies", enemies), places, cast("Owner", owner), cast("First", first), encounter)
    with at_room(ctx, battle, port) as seat:
        scene, found, failed = bind_open_scene(seat, seat.way, chosen, pairs, dry=dry_run)
        for item, why in failed.items():
            complain(f"not linked: {item}: {why}")
        if not dry_run:
            seat.way.say(**seat.status())
        _tell(seat, found, scene, in_json=in_json, dry=dry_run)
        return 1 if found.missing else 0


def _tell(seat: RoomSeat, found: Bound, scene: str, *, in_json: bool, dry: bool) -> None:
    tokens = len(bound_documents(found.bindings))
    if in_json:
        rows = [
            {"fields": [tuple(field) for field in each.fields], "document": each.carrier.document, "owner": each.owner}
            for each in found.bindings
        ]
        told = {"scene": scene, "bound": rows, "not_found": found.missing, "copies": found.copies, "dry_run": dry}
        say(as_json(told))
        return
    for uid in found.missing if found.bindings else ():
        say(f"no token: {seat.called(uid)} ({uid})")
    for item in found.copies:
        say(f"a copy, left alone: {item}")
    say(
        f"{tokens} tokens with {len(found.bindings)} values {'would be ' if dry else ''}bound, {len(found.missing)} without a token"
    )
    if not found.bindings:
        say(
            "No token of this battle is in the open scene. Put them there: rallypoint owlbear place FOLDER/encounter.owlbear.json"
            f"{seat.options}"
        )
    if found.bindings and not dry:
        say(f"Next: {seat.command(VTT, 'sync')}")


@click.command(cls=LiveCommand)
@BATTLE
@click.option("--item", "items", metavar="ID", multiple=True, help="Forget only this token; repeatable.")
@PORT_OPTION
@DRY_RUN
@IN_JSON
@click.pass_context
def unbind(ctx: click.Context, battle: Path, items: tuple[str, ...], port: int, dry_run: bool, in_json: bool) -> int:
    """Forget what is bound; nothing in the room is changed, and the battle keeps its values.

    Example: rallypoint owlbear unbind first.battle

    Example: rallypoint owlbear unbind first.battle --item 5b0c2a7e-1f6d-4b0e-9d0c-2f3a4b5c6d7e
    """
    with at_room(ctx, battle, port) as seat:
        done = unbound(seat, items, dry=dry_run)
        if in_json:
            say(as_json({**done._asdict(), "dry_run": dry_run}))
        else:
            would = "would be" if dry_run else "are"
            say(f"{done.documents} tokens with {done.values} values {would} bound no more; the room is as it was")
        return 0
