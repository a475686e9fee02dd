"""``rallypoint foundry plan``, ``sync``, ``revert``, ``pause`` and ``resume``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import click

from rallypoint_sync.hub import Synced
from rallypoint_sync.transport import UnreachableError
from rallypoint_sync.words import conflict_value, plan_lines, plan_value

from ..saying import LiveCommand, as_json, say
from ..table import Table
from ..transport import VTT
from .options import BATTLE, DRY_RUN, IN_JSON, PATIENCE_OPTION, at_table

__all__ = ["pause", "plan", "resume", "revert", "sync", "synced_lines", "synced_value"]


@click.command(cls=LiveCommand)
@BATTLE
@PATIENCE_OPTION
@IN_JSON
@click.pass_context
def plan(ctx: click.Context, battle: Path, patience: float, in_json: bool) -> int:
    """Say what a sync would do. Nothing is written, neither in the world nor in the battle.

    Example: rallypoint foundry plan first.battle
    """
    with at_table(ctx, battle) as seat:
        return _plan(seat, patience, in_json)


def _plan(seat: Table, patience: float, in_json: bool) -> int:
    seat.bound()
    hub = seat.hub(seat.transport(seat.relay(patient=0.0)), patience=patience)
    with seat.alone():
        made = hub.plan()
    if in_json:
        say(as_json({**plan_value(made), "paused": seat.ledger.paused(VTT)}))
    else:
        for line in plan_lines(made):
            say(line)
        _say_paused(seat)
    return 1 if made.conflicts else 0


def _say_paused(seat: Table) -> None:
    if seat.ledger.paused(VTT):
        say(f"Paused: nothing is sent or taken until rallypoint foundry resume {seat.opened.path}")


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
        hub = seat.hub(seat.transport(seat.relay(patient=0.0)), patience=patience)
        with seat.alone():
            done = hub.sync(accept_gone=accept_gone)
        if in_json:
            say(as_json({**synced_value(done), "paused": seat.ledger.paused(VTT)}))
        else:
            for line in [*plan_lines(done.plan), *synced_lines(done)]:
                say(line)
            _say_paused(seat)
        return _status(done)


def _status(done: Synced) -> int:
    """Return 3 where the world went away in the middle, 1 where a person is needed, else 0."""
    return UnreachableError.exit_status if done.away else 1 if done.plan.conflicts or done.failed else 0


def synced_lines(done: Synced) -> Iterator[str]:
    """Yield what became of the writes."""
    for write in done.moved:
        yield f"{write.binding.field} goes to our flag from now on: the world does not keep it at {write.binding.carrier.path}"
    for failure in done.failed:
        yield f"failed: {failure.write.binding.field} ({failure.write.binding.carrier}): {failure.why}"
    for error in done.away.values():
        yield f"the world went away: {error}"
    yield f"{len(done.done)} written, {len(done.failed)} failed, {len(done.plan.edits)} taken, {len(done.plan.conflicts)} in conflict"


def synced_value(done: Synced) -> Mapping[str, object]:
    """Return what a sync did, for ``--json``."""
    return {
        "plan": plan_value(done.plan),
        "written": len(done.done),
        "failed": [
            {"field": tuple(each.write.binding.field), "document": each.write.binding.carrier.document, "why": each.why}
            for each in done.failed
        ],
        "moved": [str(each.binding.field) for each in done.moved],
        "conflicts": [conflict_value(each) for each in done.plan.conflicts],
        "away": {vtt: {"error": str(error), "code": error.code} for vtt, error in done.away.items()},
        "batch": done.batch,
    }


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
        if dry_run:
            sent = seat.ledger.sent(VTT, states=("done",))
            last = [each for each in sent if each.batch == sent[-1].batch]
            rows = [
                {"document": each.carrier.document, "path": each.carrier.path, "from": each.new, "to": each.old}
                for each in last
            ]
            lines = [f"would go back: {each.carrier}: {each.new} to {each.old}" for each in last] or [
                "nothing was sent"
            ]
            say(as_json({"writes": rows}) if in_json else "\n".join(lines))
            return 0
        hub = seat.hub(seat.transport(seat.relay(patient=patience)), patience=patience)
        with seat.alone():
            done = hub.revert(VTT)
        if in_json:
            say(as_json(synced_value(done)))
        else:
            for write in done.done:
                say(f"back: {write.binding.field}: {write.old} to {write.new}")
            for left in done.plan.left_out:
                say(f"left as it is: {left.what}: {left.why}")
            for line in synced_lines(done):
                say(line)
            _say_paused(seat)
        return 1 if done.failed or done.plan.left_out else 0


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
        seat.ledger.pause(VTT, yes)
        if in_json:
            say(as_json({"paused": yes}))
        else:
            say("Paused." if yes else f"Going on. Next: rallypoint foundry sync {battle}")
