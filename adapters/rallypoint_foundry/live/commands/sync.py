"""``rallypoint foundry plan``, ``sync``, ``revert``, ``pause`` and ``resume``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from rallypoint_sync.doing import do_pause, do_plan, do_revert, do_sync
from rallypoint_sync.saying import LiveCommand

from ..table import Table
from .options import BATTLE, DRY_RUN, IN_JSON, PATIENCE_OPTION, at_table

__all__ = ["pause", "plan", "resume", "revert", "sync"]

_NAME = "foundry"


@click.command(cls=LiveCommand)
@BATTLE
@PATIENCE_OPTION
@IN_JSON
@click.pass_context
def plan(ctx: click.Context, battle: Path, patience: float, in_json: bool) -> int:
    """Say what a sync would do. Nothing is written, neither in the world nor in the battle.

    The exit status is 3 where nothing at all could be read; what could be read in part is planned, and the rest named.

    Example: rallypoint foundry plan first.battle
    """
    with at_table(ctx, battle) as seat:
        return _plan(seat, patience, in_json)


def _plan(seat: Table, patience: float, in_json: bool) -> int:
    seat.bound()
    hub = seat.hub(seat.transport(seat.relay(patient=0.0)), patience=patience)
    return do_plan(seat, hub, _NAME, in_json=in_json)


@click.command(cls=LiveCommand)
@BATTLE
@click.option("--accept-gone", is_flag=True, help="Take it as it is that many bound documents are gone at once.")
@PATIENCE_OPTION
@DRY_RUN
@IN_JSON
@click.pass_context
def sync(ctx: click.Context, battle: Path, accept_gone: bool, patience: float, dry_run: bool, in_json: bool) -> int:
    """Bring the battle and the world into step, once. The exit status is 1 while conflicts are open or something failed.

    Example: rallypoint foundry sync first.battle
    """
    with at_table(ctx, battle) as seat:
        if dry_run:
            return _plan(seat, patience, in_json)
        seat.bound()
        transport = seat.transport(seat.relay(patient=0.0))

        def tokens(document: str) -> Sequence[str]:
            return transport.tokens.get(document, ())

        hub = seat.hub(transport, patience=patience)
        return do_sync(seat, hub, _NAME, accept_gone=accept_gone, in_json=in_json, tokens=tokens)


@click.command(cls=LiveCommand)
@BATTLE
@PATIENCE_OPTION
@DRY_RUN
@IN_JSON
@click.pass_context
def revert(ctx: click.Context, battle: Path, patience: float, dry_run: bool, in_json: bool) -> int:
    """Give the world back what it showed before the last sync, where it still shows what was sent, and pause.

    Example: rallypoint foundry revert first.battle
    """
    with at_table(ctx, battle) as seat:
        seat.bound()
        hub = seat.hub(seat.transport(seat.relay(patient=patience)), patience=patience)
        return do_revert(seat, hub, _NAME, in_json=in_json, dry=dry_run)


@click.command(cls=LiveCommand)
@BATTLE
@IN_JSON
@click.pass_context
def pause(ctx: click.Context, battle: Path, in_json: bool) -> None:
    """Send and take nothing until resume, whatever a running watch hears.

    Example: rallypoint foundry pause first.battle
    """
    _pause(ctx, battle, True, in_json)


@click.command(cls=LiveCommand)
@BATTLE
@IN_JSON
@click.pass_context
def resume(ctx: click.Context, battle: Path, in_json: bool) -> None:
    """Go on after pause.

    Example: rallypoint foundry resume first.battle
    """
    _pause(ctx, battle, False, in_json)


def _pause(ctx: click.Context, battle: Path, yes: bool, in_json: bool) -> None:
    with at_table(ctx, battle) as seat:
        seat.bound()
        do_pause(seat, _NAME, yes=yes, in_json=in_json)
