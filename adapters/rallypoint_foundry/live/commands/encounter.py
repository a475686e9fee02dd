"""``rallypoint foundry encounter``: an encounter in the world, with order and marks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from rallypoint.kernel.errors import InputError
from rallypoint.kernel.state import State
from rallypoint_sync.hub import bound_documents
from rallypoint_sync.saying import LiveCommand, as_json, say

from ..addresses import Address, actor_of, token_uuid, tokens_of
from ..encounters import Fighter, filled, in_order, listed, marks, started
from ..relay import Relay
from ..table import Table
from ..transport import VTT
from .options import BATTLE, DRY_RUN, IN_JSON, PATIENCE_OPTION, at_table

__all__ = ["encounter"]


@click.command(cls=LiveCommand)
@BATTLE
@click.option(
    "--per",
    type=click.Choice(["unit", "stand"]),
    default="unit",
    show_default=True,
    help="A combatant for each unit or each stand.",
)
@click.option("--name", metavar="NAME", default="Rallypoint", show_default=True, help="What a new encounter is called.")
@click.option("--new", is_flag=True, help="Start another one, even where ours is there.")
@click.option("--initiative/--no-initiative", default=True, show_default=True, help="Put them into the battle's order.")
@PATIENCE_OPTION
@DRY_RUN
@IN_JSON
@click.pass_context
def encounter(
    ctx: click.Context,
    battle: Path,
    per: str,
    name: str,
    new: bool,
    initiative: bool,
    patience: float,
    dry_run: bool,
    in_json: bool,
) -> int:
    """Start an encounter with the tokens that are bound, in the battle's order; sync and watch keep the marks of who is out.

    Example: rallypoint foundry encounter first.battle --per stand
    """
    with at_table(ctx, battle) as seat:
        bound = seat.bound()
        relay = seat.relay(patient=patience)
        with seat.alone():
            fighters = _fighters(seat, relay, per == "stand")
            if not fighters:
                raise InputError("no token of this battle is on the scene", hint="bind with --scene, or push")
            kept = seat.about.get("encounter")
            there = {each.identity for each in listed(relay)}
            ours = str(kept) if not new and kept in there else None
            if dry_run:
                say(
                    as_json({"start": ours is None, "fighters": fighters})
                    if in_json
                    else f"would {'go on with ' + ours if ours else 'start an encounter'}: {len(fighters)} combatants"
                )
                return 0
            identity = ours or started(relay, name)
            seat.remember(encounter=identity)
            combat, not_added = filled(relay, identity, fighters)
            changed, failed = in_order(relay, combat, fighters) if initiative else (0, ())
            old = [each for each in bound_documents(bound) if Address.of(each).combat]
            fresh = marks(combat, fighters)
            gone = set(old) - {each.carrier.document for each in fresh}
            if gone:
                seat.ledger.unbind(VTT, gone)
            seat.remember(fresh)
            relay.patient = 0.0
            done = seat.hub(seat.transport(relay), patience=patience).sync(
                {VTT: [each.carrier.document for each in fresh]}
            )
        counts = {
            "fighters": len(fighters),
            "in it": len(fighters) - len(not_added),
            "not added": len(not_added),
            "put into order": changed,
            "marks set": len(done.done),
        }
        if in_json:
            say(as_json({"encounter": identity, "not_added": not_added, "failed": failed, "counts": counts}))
        else:
            for line in [*[f"not added: {each}" for each in not_added], *[f"failed: {each}" for each in failed]]:
                say(line)
            say(", ".join(f"{count} {words}" for words, count in counts.items()))
        return 1 if not_added or failed or done.failed else 0


def _fighters(seat: Table, relay: Relay, stands: bool) -> list[Fighter]:
    """Return who takes part, in the battle's order: units with a token, or of each stand the first with one."""
    documents = {
        each.field.uid: each.carrier.document
        for each in seat.ledger.bindings(VTT)
        if not Address.of(each.carrier.document).combat
    }
    scene = seat.about.get("scene")
    tokens = _tokens(relay, str(scene)) if isinstance(scene, str) else {}
    state = seat.battle.state
    found: dict[str, Fighter] = {}
    for entity in state:
        document = documents.get(entity.uid)
        token = None if document is None else tokens.get(document)
        if token is None:
            continue
        uid = _stand(state, entity.uid) if stands else entity.uid
        found.setdefault(uid, Fighter(uid, token))
    return list(found.values())


def _stand(state: State, uid: str) -> str:
    """Return the uid of the stand that somebody is in; their own where they are in none."""
    entity = state[uid]
    parent = None if entity.parent is None else state[entity.parent]
    return uid if parent is None or parent.trackers or not entity.trackers else parent.uid


def _tokens(relay: Relay, scene: str) -> Mapping[str, str]:
    """Return by document of an actor the uuid of its first token on a scene."""
    found: dict[str, str] = {}
    rows: Sequence[Mapping[str, object]] = list(tokens_of(relay.get(f"Scene.{scene}")))
    for token in rows:
        actor = actor_of(scene, token)
        if actor is not None:
            found.setdefault(actor, token_uuid(scene, str(token["_id"])))
    return found
