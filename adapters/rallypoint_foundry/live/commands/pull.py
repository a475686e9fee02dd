"""``rallypoint foundry pull``: a roster of actors that are in the world."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import click

from rallypoint.kernel.errors import InputError
from rallypoint_sync.clock import SystemClock
from rallypoint_sync.saying import LiveCommand, complain, progress
from rallypoint_sync.transport import RefusedError, UnreachableError

from ...ids import slug
from .. import wire
from ..addresses import actor_of, flags_of, tokens_of
from ..binding import scene_of, sidebar_actors
from ..keys import ADDRESS_VARIABLE, find_key
from ..relay import Relay
from ..world import chosen_world, worlds
from .options import IN_JSON, PATIENCE_OPTION

__all__ = ["pull"]


@click.command(cls=LiveCommand)
@click.argument("roster", type=click.Path(path_type=Path))
@click.option("--relay", "address", metavar="URL", help=f"Address of the relay; {ADDRESS_VARIABLE} without it.")
@click.option("--world", metavar="ID", help="The world, by clientId or title, where several are online.")
@click.option(
    "--scene", metavar="NAME", help="Those with a token on this scene, by id or name; without it all of the sidebar."
)
@click.option("--actor", "actors", metavar="UUID", multiple=True, help="This actor; repeatable.")
@click.option("--side", metavar="UID", help="Of actors that an export of ours made, those of this side: red.")
@click.option("--profile", metavar="NAME", help="Where the system keeps its numbers.")
@click.option("--force", is_flag=True, help="Write over another roster.")
@PATIENCE_OPTION
@click.option("--dry-run", is_flag=True, help="Read, say what would be written, and write nothing.")
@IN_JSON
@click.pass_context
def pull(
    ctx: click.Context,
    roster: Path,
    address: str | None,
    world: str | None,
    scene: str | None,
    actors: tuple[str, ...],
    side: str | None,
    profile: str | None,
    force: bool,
    patience: float,
    dry_run: bool,
    in_json: bool,
) -> int:
    """Make a roster (.toml, .json, .csv or .md) of actors that are in the world. Nothing in the world is changed.

    Example: rallypoint foundry pull squad.toml --scene "Landing field"
    """
    known = address or os.environ.get(ADDRESS_VARIABLE)
    if not known:
        raise InputError("which relay?", expected="--relay http://localhost:3010")
    relay = Relay(wire.HttpxWire(known), find_key(known), clock=SystemClock(), patient=patience)
    relay.client = chosen_world(worlds(relay), world).client
    documents = _documents(relay, scene, actors, side)
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for uuid, document in documents.items():
            file = Path(folder) / f"{slug(str(document.get('name'))) or 'actor'}-{uuid.replace('.', '-')}.json"
            file.write_text(json.dumps(document), encoding="utf-8")
            files.append(str(file))
        given = ["foundry", *files, "-o", str(roster)]
        given += [flag for flag, on in (("--force", force), ("--dry-run", dry_run), ("--json", in_json)) if on]
        given += [] if profile is None else ["--profile", profile]
        return _imported(ctx, given)


def _documents(
    relay: Relay, scene: str | None, actors: tuple[str, ...], side: str | None
) -> Mapping[str, dict[str, object]]:
    found: dict[str, dict[str, object]] = {}
    for uuid, name in progress(list(_wanted(relay, scene, actors)), "read"):
        try:
            document = dict(relay.get(uuid))
        except RefusedError as error:
            complain(f"left out: {name or uuid}: {error}")
            continue
        if side is not None and flags_of(document).get("side", side) != side:
            continue
        if uuid.startswith("Scene."):  # each unlinked token is somebody of its own
            document |= {"_id": uuid.split(".")[3], "name": name or document.get("name")}
        found[uuid] = document
    if not found:
        raise InputError("there is no actor to pull", where=scene or "the sidebar")
    return found


def _wanted(relay: Relay, scene: str | None, actors: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Yield uuids with names: as said, those on a scene, or all of the sidebar."""
    if actors:
        yield from ((uuid, "") for uuid in actors)
        return
    if scene is None:
        found = sidebar_actors(relay)
        if not found:
            hint = "the key needs search for that; or name them: --scene NAME, --actor UUID"
            raise UnreachableError("the sidebar cannot be listed, or it is empty", code="scope_missing", hint=hint)
        yield from found
        return
    identity = scene_of(relay, scene)
    seen: set[str] = set()
    for token in tokens_of(relay.get(f"Scene.{identity}")):
        uuid = actor_of(str(identity), token)
        if uuid is not None and uuid not in seen:
            seen.add(uuid)
            yield uuid, str(token.get("name") or "")


def _imported(ctx: click.Context, given: list[str]) -> int:
    """Let ``rallypoint import foundry`` make the roster: what offline files become, these become."""
    root = ctx.find_root()
    group = root.command.get_command(root, "import") if isinstance(root.command, click.Group) else None
    if group is None:
        raise InputError("there is no import command to make a roster", hint="is the command line of rallypoint used?")
    with group.make_context("import", given, parent=root) as inner:
        status = group.invoke(inner)
    return status if isinstance(status, int) else 0
