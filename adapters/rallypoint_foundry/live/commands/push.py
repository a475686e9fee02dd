"""``rallypoint foundry push``: the documents of an export made in the world."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import cast

import click

from rallypoint.kernel.errors import InputError
from rallypoint_sync.hub import Synced
from rallypoint_sync.outcomes import synced_lines, synced_value
from rallypoint_sync.plan import Plan
from rallypoint_sync.saying import LiveCommand, as_json, progress, say
from rallypoint_sync.words import conflict_lines, plan_lines, plan_value

from ...mapping import Profile
from ...record import Document
from ..addresses import flags_of, tokens_of
from ..again import DISPUTED, FIRST, Values, disputed, foreseen, is_untouched
from ..binding import wanted
from ..carriers import Bound, Found
from ..mapping_of import profile_of
from ..marks import mark_all, refuse_others
from ..overriding import items_changed
from ..pushing import Pushed, Pushing, counted, read_export, refuse_other_system
from ..stands import as_stands
from ..table import Table
from ..transport import VTT
from .bind import bind_found, is_person
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
@click.option(
    "--values",
    type=click.Choice(["keep", "reset"]),
    help="Of what is there and differs: keep the world's values, or reset them to the battle's. Without it you are asked.",
)
@click.option(
    "--override", is_flag=True, help="Bring the things that an export made up to date; what others made stays."
)
@click.option("--take-over", is_flag=True, help="Take documents that another battle is bound to.")
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
    values: str | None,
    override: bool,
    take_over: bool,
    patience: float,
    dry_run: bool,
    in_json: bool,
) -> int:
    """Make the actors, the scene and the tokens of an export in the world, bind them, and send the values of now.

    What is there already is left alone: a second push makes nothing. Values that differ are a question.

    Example: rallypoint foundry push first.battle for-foundry

    Example: rallypoint foundry push first.battle for-foundry --override --values keep
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
            pushing = Pushing(
                relay,
                documents,
                folder if art else None,
                mark=seat.mark,
                override=override,
                resumed=seat.about.get("push_begun") == seat.mark,
            )
            everybody = {each.uid for each in wanted(seat.battle.state, seat.sheets, stands=stands)}
            binder = _Binder(seat, pushing, numbers.profile, stands, everybody)
            there = binder.there_already(take_over)
            chosen = cast("Values | None", values)
            asked = binder.of_those_there(None).bindings
            plan = foreseen(seat, there, asked)
            open_ones = disputed(plan, asked)
            if chosen is not None:
                plan = foreseen(seat, there, binder.of_those_there(chosen).bindings, open_ones)
            if dry_run:
                return _foreseen(pushing, plan, in_json)
            if chosen is None and _is_open(plan) and not in_json and is_person():
                chosen = _asked(plan)
            # Before the first is made: a push that is killed must know its own documents again.
            seat.remember((), mark=seat.mark, push_begun=seat.mark)
            rows = [row for kind, each in progress(pushing.documents(), "pushed") for row in pushing.push(kind, each)]
            found, bound = binder.bound(chosen)
            notes = (*bound.notes, *mark_all(relay, found, seat.mark))
            if chosen is not None:
                seat.ledger.forget_agreed(VTT, open_ones)
            seat.remember(
                bound.bindings, push_begun=None, **({} if pushing.scene is None else {"scene": pushing.scene})
            )
            relay.patient = 0.0
            done = seat.hub(seat.transport(relay), patience=patience).sync()
        uids = {each.uid for each in found}
        _tell(rows, len(uids), len(everybody), notes, done, in_json)
        failed = any(each.what == "failed" for each in rows) or done.failed or done.plan.conflicts
        if not (failed or done.away or in_json):
            say(f"Next: rallypoint foundry watch {battle}, or rallypoint foundry sync {battle} from time to time")
        return 3 if done.away else 1 if failed or len(uids) < len(everybody) else 0


class _Binder:
    """Binds what a push finds and makes; values of what was there already may be somebody's."""

    def __init__(
        self, seat: Table, pushing: Pushing, profile: Profile | None, stands: bool, everybody: set[str]
    ) -> None:
        self.seat, self.pushing, self.profile = seat, pushing, profile
        self.stands, self.everybody = stands, everybody
        self.there: list[Found] = []

    def there_already(self, take_over: bool) -> Sequence[Found]:
        """Look at all that an export has, and return what of it is there.

        Raises:
            OtherBattleError: it is another battle's, which was not said.
        """
        for kind, document in progress(self.pushing.documents(), "looked at"):
            self.pushing.look(kind, document)
        self.there = [each for each in self.pushing.there_already() if each.uid in self.everybody]
        if not take_over:
            refuse_others([each.document for each in self.there], self.seat.mark)
        return self.there

    def of_those_there(self, values: Values | None) -> Bound:
        """Return the bindings of what was there; what still shows what the export gave it gets the battle's values unasked."""
        bound = bind_found(self.seat, self.there, self.profile, stands=self.stands, first=FIRST[values])
        wanted = self.pushing.wanted
        untouched = {each.uuid for each in self.there if is_untouched(wanted(each.uid), each, bound.bindings)}
        return bound._replace(
            bindings=tuple(
                [
                    each._replace(first="battle") if values is None and each.carrier.document in untouched else each
                    for each in bound.bindings
                ]
            )
        )

    def bound(self, values: Values | None) -> tuple[Sequence[Found], Bound]:
        """Return what is bound after the push, and the bindings."""
        known = {each.uuid for each in self.there}
        new = [each for each in self.pushing.found.values() if each.uid in self.everybody and each.uuid not in known]
        old, fresh = (
            self.of_those_there(values),
            bind_found(self.seat, new, self.profile, stands=self.stands, first="battle"),
        )
        notes = tuple(dict.fromkeys([*old.notes, *fresh.notes]))
        return [*self.there, *new], Bound((*old.bindings, *fresh.bindings), notes)


def _is_open(plan: Plan) -> bool:
    return any(each.kind in DISPUTED for each in plan.conflicts)


def _asked(plan: Plan) -> Values | None:
    """Ask a person what becomes of the values that the world shows and the battle does not."""
    for each in plan.conflicts:
        for line in conflict_lines(each):
            say(line)
    words = f"{len(plan.conflicts)} values differ: keep the world's, reset them to the battle's, or decide later"
    answer = click.prompt(words, type=click.Choice(["keep", "reset", "later"]), default="later", err=True)
    return None if answer == "later" else cast("Values", answer)


def _refuse_other_battle(export: Document, known: set[str]) -> None:
    order = export.get("order")
    uids = set(map(str, order)) if isinstance(order, list) else set()
    if not uids & known:
        hint = "export the scenario (or roster) from which this battle was begun"
        raise InputError("this export has nobody of this battle", found=f"{len(uids)} uids", hint=hint)


def _foreseen(pushing: Pushing, plan: Plan, in_json: bool) -> int:
    rows = []
    for kind, document in pushing.documents():
        there = pushing.seen[f"{kind}.{document['_id']}"]
        gone, new, other = ([], [], []) if there is None or not pushing.override else items_changed(document, there)
        items = [
            f"{what} {item.get('name')}"
            for what, things in (("take away", gone), ("add", new), ("change", other))
            for item in things
        ]
        what = "make" if there is None else "bring up to date" if items else "leave"
        rows.append({"kind": kind, "name": str(document.get("name")), "what": what, "items": items})
        if kind == "Scene":
            placed = {flags_of(token).get("uid") for token in tokens_of(there or {})}
            for token in tokens_of(document):  # counted as the push counts them
                what = "leave" if flags_of(token).get("uid") in placed else "make"
                rows.append({"kind": "Token", "name": str(token.get("name")), "what": what, "items": []})
    if in_json:
        say(as_json({"documents": rows, "values": plan_value(plan), "dry_run": True}))
        return 0
    for row in rows:
        if row["what"] != "leave":
            say(f"would {row['what']}: {row['kind']} {row['name']}{''.join(f'; {each}' for each in row['items'])}")
    for line in plan_lines(plan) if any(plan.counts.values()) else ():
        say(line)
    if _is_open(plan):
        say("These values differ: --values keep takes the world's, --values reset gives it the battle's.")
    make = len([row for row in rows if row["what"] == "make"])
    say(
        f"{len(rows)} documents: {make} to make, {len(rows) - make} there already. Nothing was done: this was a dry run."
    )
    return 0


def _tell(rows: list[Pushed], found: int, everybody: int, notes: tuple[str, ...], done: Synced, in_json: bool) -> None:
    counts = {**counted(rows), "bound": found, "not bound": everybody - found}
    if in_json:
        documents = [each._asdict() for each in rows]
        say(as_json({"documents": documents, "notes": notes, "counts": counts, "values": synced_value(done)}))
        return
    for each in rows:
        if each.what == "failed":
            say(f"failed: {each.kind} {each.name}: {each.why}")
        elif each.what == "brought up to date":
            say(f"{each.name}: {each.why}")
    mended = [each for each in rows if each.what == "mended"]
    if mended:
        say(
            f"mended {len(mended)} that the system had rewritten or that took nothing over: {mended[0].name} ({mended[0].why}) ..."
        )
    for note in notes:
        say(f"note: {note}")
    say(", ".join(f"{count} {name}" for name, count in counts.items()))
    for conflict in done.plan.conflicts:
        for line in conflict_lines(conflict):
            say(line)
    if _is_open(done.plan):
        say(
            "Values differ: push again with --values keep or --values reset, or resolve them one by one with conflicts."
        )
    for line in synced_lines(done):
        say(line)
