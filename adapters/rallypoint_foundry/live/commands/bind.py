"""``rallypoint foundry bind`` and ``unbind``."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import cast

import click

from rallypoint_sync.binding_commands import FIRST, OWNER, pairs_of, unbound
from rallypoint_sync.bindings import First, Owner
from rallypoint_sync.saying import LiveCommand, as_json, say, table

from ...mapping import Profile
from ..binding import Looked, Proposal, Wanted, copies_of, look, proposals, scene_of, sidebar_actors, wanted
from ..carriers import Bound, Found, bindings_of, stand_bindings
from ..mapping_of import profile_of
from ..marks import mark_all, refuse_others
from ..relay import Relay
from ..table import Table
from .options import BATTLE, DRY_RUN, IN_JSON, PATIENCE_OPTION, at_table

__all__ = ["bind", "bind_found", "is_person", "unbind"]

_KEPT = ("address", "client", "title", "relay", "scene", "system", "system_version", "foundry", "budget", "mark")
"""What unbind does not forget: how to come to the world."""


@click.command(cls=LiveCommand)
@BATTLE
@click.option("--scene", metavar="NAME", help="The scene with the tokens, by id or name; the active one without it.")
@click.option("--map", "said", metavar="UID=UUID", multiple=True, help="Bind this one to that document; repeatable.")
@click.option("--encounter", metavar="KEY", help="The export, where the scene has tokens of several.")
@click.option(
    "--tokens", type=click.Choice(["unit", "stand"]), default="unit", show_default=True, help="What a token stands for."
)
@OWNER
@FIRST
@click.option(
    "--profile", metavar="NAME", help="Where the system keeps its numbers: a profile by name, or a .toml file."
)
@click.option("--flags", is_flag=True, help="Take a system that is not known: our flags carry all values.")
@click.option(
    "--yes", is_flag=True, help="Bind what is proposed by name too, where the name is the only one of its kind."
)
@click.option("--take-over", is_flag=True, help="Take documents that another battle is bound to.")
@PATIENCE_OPTION
@DRY_RUN
@IN_JSON
@click.pass_context
def bind(
    ctx: click.Context,
    battle: Path,
    scene: str | None,
    said: tuple[str, ...],
    encounter: str | None,
    tokens: str,
    owner: str,
    first: str,
    profile: str | None,
    flags: bool,
    yes: bool,
    take_over: bool,
    patience: float,
    dry_run: bool,
    in_json: bool,
) -> int:
    """Find out which actors of the world stand for whom of the battle: by our flags; by name only if you say so.

    Example: rallypoint foundry bind first.battle

    Example: rallypoint foundry bind first.battle --map red.small-0A-1-1=Actor.iisWJJHstELqmhqQ
    """
    with at_table(ctx, battle) as seat:
        relay = seat.relay(patient=patience)
        with seat.alone():
            numbers = profile_of(seat, relay, profile, flags=flags).profile
            place = (
                scene_of(relay, scene) if scene is not None or "scene" not in seat.about else str(seat.about["scene"])
            )
            stands = tokens == "stand"
            everybody = wanted(seat.battle.state, seat.sheets, stands=stands)
            looked = look(
                relay,
                seat.battle.state,
                numbers,
                place,
                pairs_of(said, "red.small-0A-1-1=Actor.0123456789abcdef"),
                encounter,
            )
            found = [each for each in looked.found if each.uid in {one.uid for one in everybody}]
            named = _by_name(seat, relay, tuple(proposals_of(relay, looked, everybody)), yes, in_json)
            found += named
            if not take_over:
                refuse_others([each.document for each in found], seat.mark)
            bound = bind_found(
                seat, found, numbers, stands=stands, owner=cast("Owner", owner), first=cast("First", first)
            )
            if not dry_run and found:
                seat.remember(bound.bindings, mark=seat.mark, **({"scene": place} if place is not None else {}))
                bound = bound._replace(notes=(*bound.notes, *mark_all(relay, found, seat.mark)))
            twice = (*looked.twice, *copies_of(relay, bound.bindings))
        missing = [each for each in everybody if each.uid not in {one.uid for one in found}]
        _tell(seat, bound, found, named, missing, twice, scene=place, in_json=in_json, dry=dry_run)
        return 1 if missing else 0


def proposals_of(relay: Relay, looked: Looked, everybody: Sequence[Wanted]) -> Iterable[Proposal]:
    """Yield who may be bound by name, where anybody is missing; the sidebar is only asked then."""
    found = {each.uid for each in looked.found}
    missing = [each for each in everybody if each.uid not in found]
    return proposals(looked, missing, sidebar_actors(relay)) if missing else ()


def bind_found(
    seat: Table,
    found: Sequence[Found],
    profile: Profile | None,
    *,
    stands: bool,
    owner: Owner = "both",
    first: First = "ask",
) -> Bound:
    """Return the bindings of what was found; in stands only the sums of those that are stands."""
    state = seat.battle.state
    are_stands = [each for each in found if stands and not state[each.uid].trackers]
    others = [each for each in found if each not in are_stands]
    one = bindings_of(state, others, profile, owner=owner, first=first)
    two = stand_bindings(state, are_stands, profile)
    return Bound((*one.bindings, *two.bindings), (*one.notes, *two.notes))


def _by_name(
    seat: Table,
    relay: Relay,
    proposed: Sequence[Proposal],
    yes: bool,
    quiet: bool,
) -> list[Found]:
    """Return what is bound by name: with --yes what is unique, else what a person at the terminal says yes to."""
    unique = [each for each in proposed if len(each.uuids) == 1]
    claimed = [each.uuids[0] for each in unique]
    unique = [each for each in unique if claimed.count(each.uuids[0]) == 1]
    for each in proposed:
        if each not in unique and not quiet:
            uuids = ", ".join(uuid for uuid in each.uuids if uuid != "?")
            say(
                f"not bound: {seat.called(each.uid)} ({each.uid}): the name is there more than once ({uuids}); --map says which"
            )
    if not unique:
        return []
    if not yes:
        if not quiet:
            for each in unique:
                say(f"by name: {seat.called(each.uid)} ({each.uid}) may be {each.uuids[0]}")
        if quiet or not is_person() or not click.confirm(f"Bind these {len(unique)} by name?", err=True):
            return []
    return [Found(each.uid, each.uuids[0], relay.get(each.uuids[0])) for each in unique]


def is_person() -> bool:
    """Say whether somebody is at the terminal who can be asked."""
    asks = getattr(sys.stdin, "isatty", None)
    return callable(asks) and bool(asks())


def _tell(
    seat: Table,
    bound: Bound,
    found: Sequence[Found],
    named: Sequence[Found],
    missing: Sequence[Wanted],
    twice: Sequence[str],
    *,
    scene: str | None,
    in_json: bool,
    dry: bool,
) -> None:
    counts = {
        "in the battle": len(found) + len(missing),
        "by flag or as said": len(found) - len(named),
        "by name": len(named),
        "not found": len(missing),
    }
    if in_json:
        rows = [{"uid": each.uid, "document": each.uuid} for each in found]
        left = [each.uid for each in missing]
        say(
            as_json(
                {
                    "bound": rows,
                    "not_found": left,
                    "copies": twice,
                    "notes": bound.notes,
                    "counts": counts,
                    "dry_run": dry,
                }
            )
        )
        return
    blind = bool(missing) and scene is None
    if blind:
        say("note: no scene is active, so no tokens were looked at; --scene says which")
    for line in table([(seat.called(each.uid), each.uid, each.uuid) for each in found]):
        say(line)
    for note in bound.notes:
        say(f"note: {note}")
    for each in () if blind and not found else missing:  # it would only be the list of everybody
        say(f"not found: {seat.called(each.uid)} ({each.uid})")
    for uuid in twice:
        say(f"left out: {uuid} is a copy: its flag is that of somebody who is bound already")
    say(", ".join(f"{count} {name}" for name, count in counts.items()))
    if dry:
        say("Nothing was bound: this was a dry run.")


@click.command(cls=LiveCommand)
@BATTLE
@click.option("--document", "documents", metavar="UUID", multiple=True, help="Forget only this one; repeatable.")
@DRY_RUN
@IN_JSON
@click.pass_context
def unbind(ctx: click.Context, battle: Path, documents: tuple[str, ...], dry_run: bool, in_json: bool) -> None:
    """Forget what is bound. Nothing in the world is changed, and the battle keeps its values.

    Example: rallypoint foundry unbind first.battle --document Actor.iisWJJHstELqmhqQ
    """
    with at_table(ctx, battle) as seat:
        about = seat.about
        done = unbound(seat, documents, dry=dry_run)
        if not documents and not dry_run:
            kept: dict[str, object] = {key: about[key] for key in _KEPT if key in about}
            seat.remember((), **kept)
        if in_json:
            say(as_json({**done._asdict(), "dry_run": dry_run}))
        else:
            say(
                f"{'Would forget' if dry_run else 'Forgot'} {done.documents} documents with {done.values} values; the world is as it was."
            )
