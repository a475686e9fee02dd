"""Addresses of documents in a world, and what stands at a path in one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from rallypoint.kernel.canonical import Value

from ..record import FLAG

__all__ = [
    "LIVE",
    "OPT_OUT",
    "Address",
    "actor_of",
    "at",
    "flags_of",
    "is_opted_out",
    "is_said",
    "parts_of",
    "shown",
    "token_uuid",
    "tokens_of",
]

LIVE = f"flags.{FLAG}.live"
"""Where values go that a system has no field for, or cannot show."""

OPT_OUT = f"flags.{FLAG}.sync"
"""Set to ``false`` on a token or an actor, it is left alone."""


class Address(NamedTuple):
    """What a uuid names: ``Actor.a``, ``Scene.s.Token.t``, ``Scene.s.Token.t.Actor.a`` or ``Combat.c.Combatant.d``."""

    scene: str | None = None
    token: str | None = None
    actor: str | None = None
    combat: str | None = None
    combatant: str | None = None

    @classmethod
    def of(cls, uuid: str) -> Address:
        """Return what a uuid names; nothing for one that is none of ours.

        >>> Address.of("Scene.s.Token.t.Actor.a")
        Address(scene='s', token='t', actor='a', combat=None, combatant=None)
        """
        parts = uuid.split(".")
        if len(parts) % 2:
            return cls()
        named = {kind.lower(): identity for kind, identity in zip(parts[::2], parts[1::2], strict=True)}
        return cls(**named) if named.keys() <= set(cls._fields) else cls()


def parts_of(uuid: str) -> tuple[str, ...]:
    """Return the documents whose change may change what a document shows: itself, what it is in, the actor that it is made of.

    >>> parts_of("Scene.s.Token.t.Actor.a")
    ('Scene.s.Token.t.Actor.a', 'Scene.s.Token.t', 'Scene.s', 'Actor.a')
    >>> parts_of("Combat.c.Combatant.d")
    ('Combat.c.Combatant.d', 'Combat.c', 'Combatant.d')
    """
    steps = uuid.split(".")
    around = [".".join(steps[:length]) for length in range(len(steps), 0, -2)]
    return tuple(dict.fromkeys([*around, ".".join(steps[-2:])]))


def token_uuid(scene: str, token: str) -> str:
    """Return the uuid of a token."""
    return f"Scene.{scene}.Token.{token}"


def tokens_of(scene: Mapping[str, object]) -> Iterator[Mapping[str, object]]:
    """Yield the tokens in a scene's document."""
    rows = scene.get("tokens")
    for row in rows if isinstance(rows, list) else ():
        if isinstance(row, Mapping) and isinstance(row.get("_id"), str):
            yield row


def actor_of(scene: str, token: Mapping[str, object]) -> str | None:
    """Return the uuid of the actor to which a token's values belong: its own for an unlinked one; ``None`` for none."""
    actor = token.get("actorId")
    if not isinstance(actor, str) or not actor:
        return None
    own = f"Actor.{actor}"
    return own if token.get("actorLink") else f"{token_uuid(scene, str(token['_id']))}.{own}"


def at(document: object, path: str) -> object:
    """Return what stands at a dotted path; ``None`` where nothing does.

    >>> at({"system": {"hits": {"value": 1}}}, "system.hits.value")
    1
    """
    for step in path.split("."):
        if not isinstance(document, Mapping):
            return None
        document = document.get(step)
    return document


def shown(document: object, paths: Iterator[str] | frozenset[str] | list[str]) -> Mapping[str, Value]:
    """Return what a document shows at these paths: numbers, texts, yes and no. What is not there is not in it."""
    found: dict[str, Value] = {}
    for path in paths:
        value = at(document, path)
        if isinstance(value, bool | int | float | str):
            found[path] = value
    return found


def flags_of(document: object) -> Mapping[str, object]:
    """Return our flags of a document; empty where it has none."""
    found = at(document, f"flags.{FLAG}")
    return found if isinstance(found, Mapping) else {}


def is_said(changes: object) -> bool:
    """Say whether a change is of what our flag says of a document itself: whose it is, or that it is left alone."""
    return not {"battle", "sync"}.isdisjoint(flags_of(changes))


def is_opted_out(document: object) -> bool:
    """Say whether somebody has taken a document out of the sync."""
    return at(document, OPT_OUT) is False
