"""``rallypoint foundry fake``: a table without a Foundry licence, for docs, demos and homebrewers."""

from __future__ import annotations

import errno
import json
from pathlib import Path

import click

from rallypoint.kernel.errors import InputError, RemoteError
from rallypoint_sync.clock import SystemClock

from .documents import FoundryError
from .faults import FAULTS
from .relay import SHAPES, Relay
from .systems import SYSTEMS, core_for, load_system
from .table import Table, demo_world, fill, sheets

__all__ = ["fake"]

_FAULTS = [name for name in FAULTS if name not in ("meanwhile", "afterwards")]  # those two need a program


@click.command(
    help="Run a fake relay with a fake world on this machine, to try the live commands without Foundry.\n\n"
    "Example: rallypoint foundry fake --world for-foundry/encounter.json",
)
@click.option(
    "--world", "path", type=click.Path(path_type=Path), help="The encounter.json of an export; a demo without it."
)
@click.option(
    "--system", type=click.Choice(SYSTEMS), help="Game system of the world; that of the file, else mosh-0.6.1."
)
@click.option(
    "--port", type=click.IntRange(0, 65535), default=3010, show_default=True, help="Port; 0 takes a free one."
)
@click.option("--relay", "shape", type=click.Choice(SHAPES), default="3.4.1", show_default=True, help="What to play.")
@click.option(
    "--approve/--ask", default=True, show_default=True, help="Approve requests for a key at once, or on a page."
)
@click.option(
    "--fault",
    "faults",
    multiple=True,
    type=click.Choice(_FAULTS),
    metavar="NAME",
    help="Let this go wrong once; repeatable.",
)
@click.option("--empty", is_flag=True, help="Begin with a world in which nothing is.")
def fake(
    path: Path | None, system: str | None, port: int, shape: str, approve: bool, faults: tuple[str, ...], empty: bool
) -> None:
    """Run it until Ctrl-C."""
    try:
        from .serving import foreground, listening
    except ImportError as error:
        hint = "install it with: pip install 'rallypoint[live]'"
        raise RemoteError("the fake needs an extra part of Rallypoint", found=f"no {error.name}", hint=hint) from None
    world = _world(path, system, empty)
    relay = Relay(world, clock=SystemClock(), shape=shape, per_minute=300, approves=approve)
    key = relay.add_key()
    for name in faults:
        relay.faults.add(name)
    try:
        listener = listening(port)
    except OSError as error:
        words = "in use" if error.errno == errno.EADDRINUSE else error.strerror
        raise RemoteError("this port cannot be had", found=f"{port}: {words}", hint="take another: --port 0") from None
    base = relay.accounts.base = f"http://127.0.0.1:{listener.getsockname()[1]}"
    click.echo("\n".join(lines(world, base, key)))
    foreground(relay, listener)


def lines(world: Table, base: str, key: str) -> list[str]:
    """Return what a person wants to know: address, key, world, and how to change something by hand."""
    found = [
        f"Fake relay at {base}, for this machine alone; Ctrl-C ends it, and nothing is kept.",
        f"World {world.title} ({world.client}): {world.system.identity} {world.system.version}, "
        f"{len(world.collections['Actor'])} actors.",
        f"Edit Wounds and Stress by hand: {base}/fake",
        f"export RALLYPOINT_FOUNDRY_URL={base} RALLYPOINT_FOUNDRY_KEY={key}",
    ]
    for sheet in sheets(world)[:1]:
        path = next(iter(sheet.numbers))
        data = json.dumps({"data": {path: 1}})
        found.append(
            f"curl -X PUT '{base}/update?clientId={world.client}&uuid={sheet.uuid}' -H 'x-api-key: {key}' -d '{data}'"
        )
    return found


def _world(path: Path | None, system: str | None, empty: bool) -> Table:
    if path is None:
        name = system or "mosh-0.6.1"
        return Table(load_system(name), core=core_for(name)) if empty else demo_world(name, squads=2)
    try:
        documents = json.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise InputError("the world cannot be read", path=str(path), found=error.strerror) from None
    except ValueError as error:
        raise InputError("this is not JSON", path=str(path), found=str(error)) from None
    if not isinstance(documents, dict) or not isinstance(documents.get("actors"), list):
        raise InputError(
            "this holds no actors", path=str(path), expected="the encounter.json of rallypoint export foundry"
        )
    name = system or _system_of(documents)
    world = Table(load_system(name), core=core_for(name))
    if not empty:
        try:
            fill(world, documents)
        except (FoundryError, AttributeError, KeyError, TypeError, ValueError) as error:
            raise InputError(f"the world cannot be made: {error}", path=str(path)) from None
    return world


def _system_of(documents: dict[str, object]) -> str:
    told = documents.get("system")
    if isinstance(told, dict) and f"{told.get('id')}-{told.get('version')}" in SYSTEMS:
        return f"{told['id']}-{told['version']}"
    return "worldbuilding"
