"""``rallypoint foundry connect``: what is at the address, with which key, which world."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import click

from rallypoint.kernel.errors import InputError
from rallypoint_sync.saying import LiveCommand, as_json, complain, say, table
from rallypoint_sync.transport import TransportError, UnreachableError

from ..addresses import at
from ..keys import ADDRESS_VARIABLE, keep_key, key_store
from ..relay import Relay
from ..table import Table
from ..wire import Asked, Secret, json_of
from ..world import Place, World, chosen_world, place_at, profile_for, world_info, worlds
from .options import BATTLE, IN_JSON, PATIENCE_OPTION, at_table

__all__ = ["SCOPES", "connect"]

SCOPES: Mapping[str, tuple[str, ...]] = {
    "connect": ("clients:read", "world:info"),
    "bind": ("entity:read", "entity:write", "scene:read", "search"),
    "plan": ("entity:read",),
    "sync": ("entity:read", "entity:write"),
    "watch": ("entity:read", "entity:write", "events:subscribe"),
    "push": ("entity:read", "entity:write", "file:write (with --art)"),
    "pull": ("entity:read", "search"),
    "status": ("clients:read", "entity:read", "search"),
    "encounter": ("encounter:read", "encounter:manage", "entity:write"),
}
"""What a key needs, by command; nothing needs execute-js."""

_POLL = 4.0


def _all_scopes() -> list[str]:
    """Return what is asked for; what only an option needs is not."""
    return sorted({scope for scopes in SCOPES.values() for scope in scopes if " " not in scope})


@click.command(cls=LiveCommand)
@BATTLE
@click.option("--relay", "address", metavar="URL", help=f"Address of the relay; {ADDRESS_VARIABLE} without it.")
@click.option("--world", metavar="ID", help="The world, by clientId or title, where several are online.")
@click.option(
    "--ask", is_flag=True, help="Ask for a key: approve it on the relay's page; it is kept in the system's key store."
)
@PATIENCE_OPTION
@IN_JSON
@click.pass_context
def connect(
    ctx: click.Context, battle: Path, address: str | None, world: str | None, ask: bool, patience: float, in_json: bool
) -> None:
    """Find the relay and the world, and remember them for a battle. The key is never kept in a file of ours.

    Example: rallypoint foundry connect first.battle --relay http://localhost:3010
    """
    with at_table(ctx, battle) as seat:
        known = address or seat.about.get("address") or os.environ.get(ADDRESS_VARIABLE)
        if not isinstance(known, str) or not known:
            raise InputError(
                "which relay?",
                expected="--relay http://localhost:3010",
                hint="it is the relay's address, not Foundry's",
            )
        nobody = Relay(seat.wire(known), clock=seat.clock, patient=patience)
        place = place_at(nobody)
        if ask:
            keep_key(known, _asked(nobody, seat))
        relay = seat.relay(known, patient=0.0)
        relay.client = None
        found = chosen_world(worlds(relay), world if world is not None else _before(seat, known))
        relay.client = found.client
        with _patient(relay, patience):
            found = _described(relay, place, found)
        seat.remember(
            address=known,
            client=found.client,
            title=found.title,
            relay=place.version,
            system=found.system,
            system_version=found.system_version,
            foundry=found.foundry,
        )
        if in_json:
            say(as_json({"relay": place.version, "address": known, "world": found._asdict(), "scopes": SCOPES}))
            return
        for line in _lines(place, found, known):
            say(line)
        say(f"Next: rallypoint foundry push {battle} FOLDER, or rallypoint foundry bind {battle}")


def _before(seat: Table, address: str) -> str | None:
    client = seat.about.get("client")
    return client if isinstance(client, str) and seat.about.get("address") == address else None


class _patient:  # noqa: N801 - it is a with statement
    """Try again for a while what may pass by itself."""

    def __init__(self, relay: Relay, seconds: float) -> None:
        self.relay, self.seconds = relay, seconds

    def __enter__(self) -> None:
        self.relay.patient = self.seconds

    def __exit__(self, *exc: object) -> None:
        self.relay.patient = 0.0


def _described(relay: Relay, place: Place, found: World) -> World:
    """Return the world with its system; relay 2.x does not tell it."""
    if place.is_old:
        return found
    info = world_info(relay)
    return found._replace(
        title=str(at(info, "data.world.title") or found.title),
        system=str(at(info, "data.system.id") or found.system),
        system_version=str(at(info, "data.system.version") or found.system_version),
        foundry=str(at(info, "data.foundryVersion") or found.foundry),
    )


def _lines(place: Place, found: World, address: str) -> list[str]:
    lines = [
        f"Relay {place.version} at {address} (as seen from this machine).",
        f"World {found.title} ({found.client}): {found.system or 'system not told'} {found.system_version}, "
        f"Foundry {found.foundry or 'not told'}.",
    ]
    if place.is_old:
        lines.append(
            "Relay 2.x: it tells no changes (no watch), no active scene (bind --scene ID), and takes any key in memory mode."
        )
    else:
        try:
            profile = profile_for(found.system, found.system_version, None)
            lines.append(f"Its numbers are known: profile {profile.name}." if profile else "")
        except TransportError as error:
            lines.append(f"Note: {error}")
    lines.append("Scopes that a key needs, by command:")
    lines += [f"  {row}" for row in table([(name, ", ".join(scopes)) for name, scopes in SCOPES.items()])]
    return [line for line in lines if line]


def _asked(relay: Relay, seat: Table) -> Secret:
    """Ask the relay for a key, and wait until a person has approved it on the relay's page.

    Raises:
        UnreachableError: it was denied, nobody approved it in time, or there is no place to keep it.
    """
    if key_store() is None:
        hint = "pip install 'rallypoint[keys]', or make a key on the relay's page and set RALLYPOINT_FOUNDRY_KEY"
        raise UnreachableError("there is no key store to keep the key in", code="no_key_store", hint=hint)
    body = {
        "appName": "Rallypoint",
        "appDescription": "Keeps a battle and this world in step.",
        "scopes": _all_scopes(),
    }
    asked = relay.ask("POST", "/auth/key-request", body, where="/auth/key-request")
    code, page = str(asked.get("code")), str(asked.get("approvalUrl"))
    seconds = asked.get("expiresIn")
    until = seat.clock.now() + (seconds if isinstance(seconds, int) else 600)
    complain(f"Open {page} (code {code}), log in, and approve.")
    while seat.clock.now() < until:
        status, answer = _state_of(relay, code)
        if status == "approved" and isinstance(answer.get("apiKey"), str):
            _fewer(answer.get("scopes"))
            return Secret(str(answer["apiKey"]))
        if status is not None and status != "pending":
            raise UnreachableError("the key was not given", code="key_denied", found=status, hint="ask again")
        seat.clock.sleep(_POLL)
    raise UnreachableError("nobody approved the key in time", code="key_denied", hint="ask again")


def _state_of(relay: Relay, code: str) -> tuple[str | None, Mapping[str, object]]:
    """Return how a request for a key stands, with the answer; ``None`` where none came, which may pass."""
    try:
        told = relay.told(Asked("GET", f"/auth/key-request/{code}/status", {}))
    except TransportError:
        return None, {}
    body = json_of(told.content)
    answer = body if isinstance(body, Mapping) else {}
    status = answer.get("status")
    if told.status in (200, 410) and isinstance(status, str):
        return status, answer
    # The relay has forgotten the request, as after a restart; whatever else comes is of something in between.
    return ("not known any more", answer) if told.status == 404 and answer else (None, answer)


def _fewer(scopes: object) -> None:
    """Say which commands will not work with the scopes that were approved."""
    given = set(map(str, scopes)) if isinstance(scopes, list) else set(_all_scopes())
    for name, needed in SCOPES.items():
        lacking = [scope for scope in needed if " " not in scope and scope not in given]
        if lacking:
            complain(f"note: {name} will lack {', '.join(lacking)}")
