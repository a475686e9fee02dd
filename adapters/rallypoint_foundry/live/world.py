"""What is at an address, and which worlds are behind a relay."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from rallypoint_sync.transport import DoubtfulError, RefusedError, TransportError, UnreachableError

from ..mapping import Profile
from ..profile import SHIPPED, load_profile, read_profile
from .addresses import at
from .relay import Answer, Relay, odd_answer, rows_of

__all__ = ["Place", "World", "chosen_world", "online", "place_at", "profile_for", "world_info", "worlds"]


class Place(NamedTuple):
    """What is at an address: a relay, of which version."""

    version: str

    @property
    def is_old(self) -> bool:
        """Whether it is a relay 2.x, without scopes, scenes and streams."""
        return self.version.partition(".")[0] in ("0", "1", "2")


class World(NamedTuple):
    """A world behind a relay: its ``clientId``, its title, and system and Foundry as far as they are told."""

    client: str
    title: str
    is_online: bool
    system: str = ""
    system_version: str = ""
    foundry: str = ""


def place_at(relay: Relay) -> Place:
    """Return what is at the relay's address.

    Raises:
        UnreachableError: nothing, a Foundry without a relay, or something else.
    """
    try:
        answer = relay.ask("GET", "/api/status")
    except (DoubtfulError, RefusedError) as error:
        raise _no_relay(error.found) from None
    except UnreachableError as error:
        known = error.passing or error.code in ("relay_gone", "redirected")
        raise (error if known else _no_relay(error.found)) from None
    version = answer.get("version")
    if answer.get("status") == "ok" and answer.get("websocket") == "/relay" and isinstance(version, str):
        return Place(version)
    if "active" in answer:
        hint = "give the address of the relay, not that of Foundry: Foundry itself has no way in for programs"
        raise UnreachableError(
            "this is Foundry itself, not a relay", code="bare_foundry", where="/api/status", hint=hint
        )
    raise _no_relay(", ".join(list(answer)[:5]))


def _no_relay(found: object) -> TransportError:
    hint = "the relay's address looks like http://localhost:3010; it is seen from this machine, not from the browser"
    return UnreachableError(
        "there is no relay at this address", code="no_relay", where="/api/status", found=found, hint=hint
    )


def worlds(relay: Relay) -> tuple[World, ...]:
    """Return the worlds that the key may see; relay 2.x lists those that are online."""
    return tuple(_worlds(rows_of(relay.read("/clients", of_a_world=False), "clients", "/clients")))


def _worlds(rows: Iterable[Mapping[str, object]]) -> Iterator[World]:
    for row in rows:
        client = row.get("clientId") or row.get("id")
        if isinstance(client, str):
            told = [str(row.get(key) or "") for key in ("systemId", "systemVersion", "foundryVersion")]
            title = str(row.get("customName") or row.get("worldTitle") or row.get("worldId") or client)
            # An entry without the mark is of relay 2.x: it lists only what is there.
            yield World(client, title, row.get("isOnline", True) is True, *told)


def online(found: tuple[World, ...]) -> UnreachableError:
    """Return the failure that no world is online; which is no proof that the key is good."""
    known = ", ".join(f"{each.title} ({each.client})" for each in found) or "none is known to this key"
    hint = (
        "is a Gamemaster's browser open on the world, the REST API module on, and paired with this relay and account? "
        "The address of the relay in the module is seen from the browser's machine"
    )
    return UnreachableError("the relay answers, but no world is online", code="world_asleep", found=known, hint=hint)


def chosen_world(found: tuple[World, ...], wanted: str | None) -> World:
    """Return the world that is meant: by its id or title, or the only one that is online.

    Raises:
        UnreachableError: there is none, it is asleep, or there are several.
    """
    here = [each for each in found if each.is_online]
    if wanted is not None:
        named = [each for each in found if wanted in (each.client, each.title)]
        for each in named:
            if each.is_online:
                return each
        if named:
            raise online(tuple(named))
        listed = ", ".join(f"{each.title} ({each.client})" for each in found) or "none"
        hint = "take one of these by --world, or pair the world with this relay and account"
        raise UnreachableError(
            "the relay knows no such world", code="no_such_world", found=wanted, expected=listed, hint=hint
        )
    if not here:
        raise online(found)
    if len(here) > 1:
        listed = ", ".join(f"{each.title} ({each.client})" for each in here)
        raise UnreachableError(
            "several worlds are online", code="many_worlds", found=listed, hint="choose one: --world ID"
        )
    return here[0]


def profile_for(system: str, version: str, named: str | None, *, flags: bool = False) -> Profile | None:
    """Return the profile of a world's system; ``None`` where our flags carry everything.

    Args:
        system: the id of the system.
        version: its version.
        named: a profile that was asked for, by name or as a file.
        flags: take a system that nobody knows, and let our flags carry everything.

    Raises:
        UnreachableError: it is a system that we do not know.
        InputError: there is no such profile, or it is of another system.
    """
    if named is not None:
        return read_profile(named) if named.endswith(".toml") else load_profile(named)
    exact = [name for name in SHIPPED if name == f"{system}-{version}"]
    near = [name for name in SHIPPED if load_profile(name).system == system]
    if exact or near:
        return load_profile((exact or near)[0])
    if flags:
        return None
    hint = "a profile of your own says where its numbers are (--profile my.toml), or our flags carry them (--flags)"
    known = ", ".join(sorted({load_profile(name).system for name in SHIPPED}))
    raise UnreachableError(
        "this world plays a system that we do not know",
        code="foreign_system",
        found=f"{system} {version}",
        expected=known,
        hint=hint,
    )


def system_of(relay: Relay, old: bool) -> tuple[str, str]:
    """Return id and version of the world's system; relay 2.x does not tell, and then both are empty."""
    if old:
        return "", ""
    info = world_info(relay)
    return str(at(info, "data.system.id")), str(at(info, "data.system.version") or "")


def world_info(relay: Relay) -> Answer:
    """Return what a world says of itself; its system is named there.

    Raises:
        UnreachableError: the answer has another shape than is known, or none comes.
    """
    info = relay.read("/world-info")
    system = at(info, "data.system.id")
    if not isinstance(system, str) or not system:
        raise odd_answer("/world-info", sorted(info), "the id of the system under data.system")
    return info
