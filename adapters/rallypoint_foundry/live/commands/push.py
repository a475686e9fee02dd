"""``rallypoint foundry push``: the documents of an export made in the world."""

from __future__ import annotations

from pathlib import Path

import click

from rallypoint.kernel.errors import InputError
from rallypoint_sync.outcomes import synced_lines
from rallypoint_sync.saying import LiveCommand, as_json, progress, say

from ...record import Document
from ..binding import wanted
from ..mapping_of import profile_of
from ..pushing import Pushed, Pushing, counted, read_export, refuse_other_system
from ..stands import as_stands
from .bind import bind_found
from .options import BATTLE, DRY_RUN, IN_JSON, PATIENCE_OPTION, at_table

__all__ = ["push"]


@click.command(cls=LiveCommand)
@BATTLE
@click.argument("export", type=click.Path(path_type=Path))
@click.option(
    "--tokens", type=click.Choice(["unit", "stand"]), default="unit", show_default=True, help="What a token stands for."
)
@click.option(
    "--art", is_flag=True, help="Upload the board and the pictures of tokens that are files beside the export."
)
@click.option(
    "--profile", metavar="NAME", help="Where the system keeps its numbers: a profile by name, or a .toml file."
)
@PATIENCE_OPTION
@DRY_RUN
@IN_JSON
@click.pass_context
def push(
    ctx: click.Context,
    battle: Path,
    export: Path,
    tokens: str,
    art: bool,
    profile: str | None,
    patience: float,
    dry_run: bool,
    in_json: bool,
) -> int:
    """Make the actors, the scene and the tokens of an export in the world, bind them, and send the values of now.

    What is there already is left alone: a second push makes nothing.

    Example: rallypoint foundry push first.battle for-foundry
    """
    with at_table(ctx, battle) as seat:
        documents = read_export(export)
        relay = seat.relay(patient=patience)
        with seat.alone():
            numbers = profile_of(seat, relay, profile)
            refuse_other_system(documents, numbers.system)
            stands = tokens == "stand"
            if stands and numbers.profile is not None:
                documents = as_stands(documents, numbers.profile)
            _refuse_other_battle(documents, {entity.uid for entity in seat.battle.state})
            folder = export if export.is_dir() else export.parent
            pushing = Pushing(relay, documents, folder if art else None)
            if dry_run:
                return _foreseen(pushing, in_json)
            rows = [row for kind, each in progress(pushing.documents(), "pushed") for row in pushing.push(kind, each)]
            everybody = {each.uid for each in wanted(seat.battle.state, seat.sheets, stands=stands)}
            found = [each for each in pushing.found.values() if each.uid in everybody]
            bound = bind_found(seat, found, numbers.profile, stands=stands, first="battle")
            seat.remember(bound.bindings, **({} if pushing.scene is None else {"scene": pushing.scene}))
            relay.patient = 0.0
            done = seat.hub(seat.transport(relay), patience=patience).sync()
        _tell(rows, len(found), len(everybody), bound.notes, in_json)
        if not in_json:
            for line in synced_lines(done):
                say(line)
        failed = any(each.what == "failed" for each in rows) or done.failed or done.plan.conflicts
        return 3 if done.away else 1 if failed or len(found) < len(everybody) else 0


def _refuse_other_battle(export: Document, known: set[str]) -> None:
    order = export.get("order")
    uids = set(map(str, order)) if isinstance(order, list) else set()
    if not uids & known:
        hint = "export the scenario (or roster) from which this battle was begun"
        raise InputError("this export has nobody of this battle", found=f"{len(uids)} uids", hint=hint)


def _foreseen(pushing: Pushing, in_json: bool) -> int:
    rows = [
        {"kind": kind, "name": str(document.get("name")), "what": "make" if there is None else "leave"}
        for kind, document, there in pushing.look()
    ]
    if in_json:
        say(as_json({"documents": rows, "dry_run": True}))
        return 0
    for row in rows:
        if row["what"] == "make":
            say(f"would make: {row['kind']} {row['name']}")
    make = len([row for row in rows if row["what"] == "make"])
    say(
        f"{len(rows)} documents: {make} to make, {len(rows) - make} there already. Nothing was done: this was a dry run."
    )
    return 0


def _tell(rows: list[Pushed], found: int, everybody: int, notes: tuple[str, ...], in_json: bool) -> None:
    counts = {**counted(rows), "bound": found, "not bound": everybody - found}
    if in_json:
        say(as_json({"documents": [each._asdict() for each in rows], "notes": notes, "counts": counts}))
        return
    for each in rows:
        if each.what == "failed":
            say(f"failed: {each.kind} {each.name}: {each.why}")
    mended = [each for each in rows if each.what == "mended"]
    if mended:
        say(
            f"mended {len(mended)} that the system had rewritten or that took nothing over: {mended[0].name} ({mended[0].why}) ..."
        )
    for note in notes:
        say(f"note: {note}")
    say(", ".join(f"{count} {name}" for name, count in counts.items()))
