"""``rallypoint foundry conflicts``: what disagrees, and what holds."""

from __future__ import annotations

from pathlib import Path

import click

from rallypoint.kernel.errors import InputError
from rallypoint_sync.fields import PLACE, Field
from rallypoint_sync.words import conflict_lines, conflict_value, plan_lines, plan_value

from ..saying import LiveCommand, as_json, say
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
        known = seat.ledger.conflicts()
        if take is None:
            chosen = [each for each in known.values() if uid in (None, each.field.uid)]
            if in_json:
                say(as_json([conflict_value(each) for each in chosen]))
            else:
                for each in chosen:
                    for line in conflict_lines(each):
                        say(line)
                say(
                    f"{len(chosen)} open"
                    + (
                        f"; resolve with: rallypoint foundry conflicts {battle} UID FIELD --take battle"
                        if chosen
                        else ""
                    )
                )
            return 1 if chosen else 0
        found = _meant([*known], uid, field)
        hub = seat.hub(seat.transport(seat.relay(patient=0.0)), patience=patience)
        with seat.alone():
            plan = hub.resolve(found, int(take) if take.lstrip("-").isdecimal() else take)
        if in_json:
            say(as_json(plan_value(plan)))
        else:
            say(f"Resolved: {found}. What follows, which the next sync does:")
            for line in plan_lines(plan):
                say(line)
        return 1 if plan.conflicts else 0


def _meant(known: list[Field], uid: str | None, name: str | None) -> Field:
    named = PLACE if name == "place" else name
    found = [each for each in known if each.uid == uid and named in (None, each.name)]
    if len(found) == 1:
        return found[0]
    listed = ", ".join(str(each) for each in known) or "none is open"
    raise InputError("which conflict?", found=" ".join(filter(None, (uid, name))) or "nothing", expected=listed)
