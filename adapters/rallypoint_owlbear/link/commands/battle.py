"""``rallypoint owlbear plan``, ``sync``, ``watch``, ``conflicts``, ``revert``, ``pause`` and ``resume``."""

from __future__ import annotations

from pathlib import Path

import click

from rallypoint_sync.doing import (
    BATTLE,
    DRY_RUN,
    IN_JSON,
    PATIENCE_OPTION,
    conflict_meant,
    do_pause,
    do_plan,
    do_resolve,
    do_revert,
    do_sync,
    do_watch,
    list_conflicts,
)
from rallypoint_sync.saying import LiveCommand, complain
from rallypoint_sync.watching import Watch

from ..popover import Popover
from ..seat import at_room
from .options import PORT_OPTION

__all__ = ["conflicts", "pause", "plan", "resume", "revert", "sync", "watch"]

_NAME = "owlbear"


@click.command(cls=LiveCommand)
@BATTLE
@PORT_OPTION
@PATIENCE_OPTION
@IN_JSON
@click.pass_context
def plan(ctx: click.Context, battle: Path, port: int, patience: float, in_json: bool) -> int:
    """Say what a sync would do. Nothing is written, neither in the room nor in the battle.

    Example: rallypoint owlbear plan first.battle
    """
    with at_room(ctx, battle, port) as seat:
        return do_plan(seat, seat.hub(seat.transport(), patience=patience), _NAME, in_json=in_json)


@click.command(cls=LiveCommand)
@BATTLE
@click.option("--accept-gone", is_flag=True, help="Take it as it is that many bound tokens are gone at once.")
@PORT_OPTION
@PATIENCE_OPTION
@DRY_RUN
@IN_JSON
@click.pass_context
def sync(
    ctx: click.Context, battle: Path, accept_gone: bool, port: int, patience: float, dry_run: bool, in_json: bool
) -> int:
    """Bring the battle and the open scene into step, once. The exit status is 1 while conflicts are open or something failed.

    Example: rallypoint owlbear sync first.battle
    """
    with at_room(ctx, battle, port) as seat:
        hub = seat.hub(seat.transport(), patience=patience)
        if dry_run:
            return do_plan(seat, hub, _NAME, in_json=in_json)
        status = do_sync(seat, hub, _NAME, accept_gone=accept_gone, in_json=in_json)
        seat.way.say(**seat.status())
        return status


@click.command(cls=LiveCommand)
@BATTLE
@PORT_OPTION
@IN_JSON
@click.pass_context
def watch(ctx: click.Context, battle: Path, port: int, in_json: bool) -> int:
    """Keep the battle and the bound scene in step until Ctrl-C; while another scene is open, or the server does not run, it waits.

    Tokens that you link in the popover, and encounters that you place there, are bound at once; nothing need be bound before.

    One watch or table of a battle runs at a time. With --json each thing that happens is one line.

    Example: rallypoint owlbear watch first.battle
    """
    with at_room(ctx, battle, port, patient=True) as seat:
        transport = seat.transport(patient=True, unbound=True)
        if not seat.bound_tokens():
            complain(seat.nothing_bound())
        watching = Watch(seat.hub(transport, patience=0.0), transport, lambda _news: None, seat.clock)
        return do_watch(seat, watching, "the room", in_json=in_json, heard=Popover(seat))


@click.command(cls=LiveCommand)
@BATTLE
@click.argument("uid", required=False)
@click.argument("field", required=False)
@click.option("--take", metavar="WHOSE", help="battle, owlbear, or a number: resolve the conflict with this value.")
@PORT_OPTION
@PATIENCE_OPTION
@IN_JSON
@click.pass_context
def conflicts(
    ctx: click.Context,
    battle: Path,
    uid: str | None,
    field: str | None,
    take: str | None,
    port: int,
    patience: float,
    in_json: bool,
) -> int:
    """List what disagrees; with a uid and --take, say what holds. The next sync carries it out.

    Example: rallypoint owlbear conflicts first.battle

    Example: rallypoint owlbear conflicts first.battle red.small-0A-1-1 Wounds --take battle
    """
    with at_room(ctx, battle, port) as seat:
        if take is None:
            return list_conflicts(seat, _NAME, uid, in_json=in_json)
        hub = seat.hub(seat.transport(), patience=patience)
        return do_resolve(seat, hub, conflict_meant(seat, uid, field), take, in_json=in_json)


@click.command(cls=LiveCommand)
@BATTLE
@PORT_OPTION
@PATIENCE_OPTION
@DRY_RUN
@IN_JSON
@click.pass_context
def revert(ctx: click.Context, battle: Path, port: int, patience: float, dry_run: bool, in_json: bool) -> int:
    """Give the room back what it showed before the last sync, where it still shows what was sent, and pause.

    Example: rallypoint owlbear revert first.battle
    """
    with at_room(ctx, battle, port) as seat:
        hub = seat.hub(seat.transport(), patience=patience)
        status = do_revert(seat, hub, _NAME, in_json=in_json, dry=dry_run)
        if not dry_run:
            seat.way.say(**seat.status())
        return status


@click.command(cls=LiveCommand)
@BATTLE
@PORT_OPTION
@IN_JSON
@click.pass_context
def pause(ctx: click.Context, battle: Path, port: int, in_json: bool) -> None:
    """Send and take nothing until resume, whatever a running watch hears.

    Example: rallypoint owlbear pause first.battle
    """
    with at_room(ctx, battle, port) as seat:
        do_pause(seat, _NAME, yes=True, in_json=in_json)


@click.command(cls=LiveCommand)
@BATTLE
@PORT_OPTION
@IN_JSON
@click.pass_context
def resume(ctx: click.Context, battle: Path, port: int, in_json: bool) -> None:
    """Go on after pause.

    Example: rallypoint owlbear resume first.battle
    """
    with at_room(ctx, battle, port) as seat:
        do_pause(seat, _NAME, yes=False, in_json=in_json)
