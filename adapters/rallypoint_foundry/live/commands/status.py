"""``rallypoint foundry status``: how things stand."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path

import click

from rallypoint_sync.hub import bound_documents
from rallypoint_sync.saying import LiveCommand, as_json, say
from rallypoint_sync.sending import writer_of
from rallypoint_sync.since import changes_since
from rallypoint_sync.transport import TransportError

from ..binding import copies_of
from ..refusals import WHAT_TO_DO
from ..table import Table
from ..transport import VTT
from ..world import worlds
from .options import BATTLE, IN_JSON, at_table

__all__ = ["status"]


@click.command(cls=LiveCommand)
@BATTLE
@click.option(
    "--since", metavar="ENTRY", type=click.IntRange(0), help="Also say what changed since this entry of the log."
)
@click.option("--offline", is_flag=True, help="Do not ask the relay.")
@IN_JSON
@click.pass_context
def status(ctx: click.Context, battle: Path, since: int | None, offline: bool, in_json: bool) -> int:
    """Say how things stand: world, request budget, what is bound, paused, in conflict, in doubt, and what changed since.

    Example: rallypoint foundry status first.battle --since 0
    """
    with at_table(ctx, battle) as seat:
        found = _standing(seat, offline)
        if since is not None:
            found["changed"] = [
                {**each._asdict(), "field": None if each.field is None else tuple(each.field)}
                for each in changes_since(seat.battle.history, seat.ledger, entry=since)
            ]
        if in_json:
            say(as_json(found))
        else:
            for line in _lines(found):
                say(line)
        world = found["world"]
        assert isinstance(world, Mapping)
        return 3 if world.get("code") else 1 if found["conflicts"] else 0


def _standing(seat: Table, offline: bool) -> dict[str, object]:
    ledger, about = seat.ledger, seat.about
    world: dict[str, object] = {
        key: about.get(key) for key in ("title", "client", "address", "relay", "system", "system_version")
    }
    copies: Mapping[str, str] = {}
    if not offline:
        try:
            with seat.alone():
                relay = seat.relay(patient=0.0)
                listed = worlds(relay)
            world["is_online"] = any(each.client == about.get("client") and each.is_online for each in listed)
            if not world["is_online"]:
                world |= {"code": "world_asleep", "error": f"the world is asleep; {WHAT_TO_DO}"}
            else:
                with seat.alone():
                    copies = copies_of(relay, ledger.bindings(VTT))
        except TransportError as error:
            world |= {"is_online": False, "code": error.code, "error": str(error)}
    seat.account()
    bindings, sent = ledger.bindings(VTT), ledger.sent(VTT)
    doubtful = [each for each in sent if each.state in ("sent", "doubtful")]
    return {
        "world": world,
        "budget": seat.about.get("budget"),
        "documents": len(bound_documents(bindings)),
        "values": len(bindings),
        "paused": ledger.paused(VTT),
        "gone": sorted(ledger.tombstones(VTT)),
        "opted_out": sorted(ledger.opted_out(VTT)),
        "copies": [f"{copy} of {original}" for copy, original in copies.items()],
        "conflicts": [str(each) for each in ledger.conflicts()],
        "in_doubt": [str(each.carrier) for each in doubtful],
        "last_batch": None
        if not sent
        else {
            "number": sent[-1].batch,
            "values": len([each for each in sent if each.batch == sent[-1].batch]),
            "when": time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(sent[-1].moment)),
        },
        "writer": writer_of(ledger, VTT, seat.clock),
    }


def _lines(found: Mapping[str, object]) -> list[str]:
    world, budget, last = found["world"], found["budget"], found["last_batch"]
    assert isinstance(world, Mapping)
    state = "not asked" if "is_online" not in world else "online" if world["is_online"] else "not online"
    lines = [
        f"World {world.get('title') or '?'} ({world.get('client') or 'not chosen'}): {state}; "
        f"{world.get('system') or 'system not told'} {world.get('system_version') or ''}".rstrip(),
        f"Relay {world.get('relay') or '?'} at {world.get('address') or '?'}",
        *([str(world["error"])] if world.get("error") else []),
        f"Bound: {found['documents']} documents with {found['values']} values"
        + (", paused" if found["paused"] else ""),
    ]
    if isinstance(budget, Mapping):
        lines.append(f"Requests in {budget['month']}: {budget['requests']}; at most {budget['a_minute']} a minute")
    if isinstance(last, Mapping):
        lines.append(f"Last batch: number {last['number']}, {last['values']} values, {last['when']}")
    for name, words in (
        ("gone", "Not there any more"),
        ("opted_out", "Taken out"),
        ("copies", "Copies, left alone"),
        ("in_doubt", "In doubt"),
        ("conflicts", "In conflict"),
    ):
        rows = found[name]
        if isinstance(rows, list) and rows:
            lines.append(f"{words}: {', '.join(rows)}")
    if found["writer"]:
        lines.append(f"Another process writes to this world: {found['writer']}")
    changed = found.get("changed")
    for row in changed if isinstance(changed, list) else ():
        field = " ".join(map(str, row["field"] or ("what is bound no more",)))
        lines.append(f"entry {row['entry']}: {row['source']} to {row['target']}: {field}: {row['old']} to {row['new']}")
    return lines
