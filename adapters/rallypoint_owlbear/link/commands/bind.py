"""``rallypoint owlbear bind`` and ``unbind``."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import click

from rallypoint.kernel.errors import InputError
from rallypoint_sync.bindings import First, Owner
from rallypoint_sync.doing import BATTLE, DRY_RUN, IN_JSON
from rallypoint_sync.hub import bound_documents
from rallypoint_sync.saying import LiveCommand, as_json, complain, say

from ..binding import Bound, Enemies, bound_to
from ..encounters import open_scene
from ..linking import link_change
from ..seat import RoomSeat, at_room
from ..transport import VTT, OwlbearTransport, all_ours
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
@click.option(
    "--owner",
    type=click.Choice(["both", "battle", "vtt"]),
    default="both",
    show_default=True,
    help="Whose values hold.",
)
@click.option(
    "--first",
    type=click.Choice(["ask", "battle", "vtt"]),
    default="ask",
    show_default=True,
    help="Whose value holds where the two differ now.",
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
    port: int,
    dry_run: bool,
    in_json: bool,
) -> int:
    """Find out which tokens of the open scene stand for whom of the battle, by our record on them; nothing goes by name.

    Example: rallypoint owlbear bind first.battle
    """
    with at_room(ctx, battle, port) as seat:
        scene, measured, _ = open_scene(seat.way)
        if places and measured is None:
            raise InputError(
                "places need hexes", hint="set the grid of the scene to Hex Vertical, or leave out --places"
            )
        if not dry_run:
            _link(seat, scene, numbers=enemies == "numbers")
        found = bound_to(
            seat.battle.state,
            all_ours(seat.way, scene),
            enemies=cast("Enemies", enemies),
            places=measured if places else None,
            owner=cast("Owner", owner),
            first=cast("First", first),
            kept=bound_documents(seat.ledger.bindings(VTT)),
        )
        if found.bindings and not dry_run:
            if seat.about.get("scene") not in (None, scene):
                seat.ledger.unbind(VTT)
            seat.remember(found.bindings, scene=scene)
            seat.way.say(**seat.status())
        _tell(seat, found, scene, in_json=in_json, dry=dry_run)
        return 1 if found.missing else 0


def _link(seat: RoomSeat, scene: str, *, numbers: bool) -> None:
    """Put our record on the tokens that the GM has linked in the popover."""
    state = seat.battle.state
    linked = seat.way.take_linked()
    known = {item: uid for item, uid in linked.items() if uid is None or uid in state}
    changes = [link_change(state, item, uid, seat.called(uid or ""), numbers=numbers) for item, uid in known.items()]
    failed = dict(OwlbearTransport(seat.way, scene, ()).put(changes)) if changes else {}
    failed |= {item: f"nobody is called {uid}" for item, uid in linked.items() if item not in known}
    for item, why in failed.items():
        complain(f"not linked: {item}: {why}")


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
    for uid in found.missing:
        say(f"no token: {seat.called(uid)} ({uid})")
    for item in found.copies:
        say(f"a copy, left alone: {item}")
    say(
        f"{tokens} tokens with {len(found.bindings)} values {'would be ' if dry else ''}bound, {len(found.missing)} without a token"
    )
    if found.bindings and not dry:
        say(f"Next: rallypoint owlbear sync {seat.opened.path}")


@click.command(cls=LiveCommand)
@BATTLE
@PORT_OPTION
@DRY_RUN
@IN_JSON
@click.pass_context
def unbind(ctx: click.Context, battle: Path, port: int, dry_run: bool, in_json: bool) -> int:
    """Forget what is bound; nothing in the room is changed.

    Example: rallypoint owlbear unbind first.battle
    """
    with at_room(ctx, battle, port) as seat:
        count = len(seat.ledger.bindings(VTT))
        if not dry_run:
            seat.ledger.unbind(VTT)
        say(as_json({"values": count, "dry_run": dry_run}) if in_json else f"{count} values are bound no more")
        return 0
