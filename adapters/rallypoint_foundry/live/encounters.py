"""Encounters: started, filled with the tokens that are bound, put into order.

The relay's calls always act on the encounter that is current, whatever they are told; so which one that is is looked at before
and after.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from rallypoint.kernel.errors import InputError
from rallypoint_sync.bindings import Binding, Carrier
from rallypoint_sync.fields import OUT, Field
from rallypoint_sync.lenses import Exact
from rallypoint_sync.transport import DoubtfulError, RefusedError, UnreachableError

from .relay import Relay, rows_of

__all__ = ["Encounter", "Fighter", "current", "filled", "in_order", "listed", "marks", "started"]


class Fighter(NamedTuple):
    """Somebody who takes part: uid, and the uuid of the token."""

    uid: str
    token: str


class Encounter(NamedTuple):
    """An encounter of the world: its id, name, whether it is current, and its combatants by token."""

    identity: str
    name: str
    current: bool
    combatants: Mapping[str, Mapping[str, object]]


def listed(relay: Relay) -> tuple[Encounter, ...]:
    """Return the encounters of the world.

    Raises:
        UnreachableError: the answer has another shape than is known, or none comes.
    """
    found = []
    for row in rows_of(relay.read("/encounters"), "encounters", "/encounters", "id"):
        # A combatant may stand for no token: then it is nobody's whom we know.
        by_token = {str(one.get("tokenUuid")): one for one in rows_of(row, "combatants", "/encounters", "id")}
        found.append(Encounter(str(row["id"]), str(row.get("name") or ""), bool(row.get("current")), by_token))
    return tuple(found)


def current(relay: Relay, identity: str) -> Encounter:
    """Return our encounter, which must be the current one.

    Raises:
        InputError: another one is.
    """
    for each in listed(relay):
        if each.identity == identity and each.current:
            return each
    now = next((each for each in listed(relay) if each.current), None)
    found = "none" if now is None else f"{now.name or 'one without a name'} ({now.identity})"
    hint = "make ours the current one in Foundry's combat tracker; nothing was changed"
    raise InputError("another encounter is current", found=found, expected=identity, hint=hint)


def started(relay: Relay, name: str) -> str:
    """Start an encounter and return its id. Where no answer comes, it is looked whether it was."""
    before = {each.identity for each in listed(relay)}
    try:
        answer = relay.write("POST", "/start-encounter", None, {"name": name})
        identity = answer.get("encounterId")
    except DoubtfulError:
        identity = None
    fresh = [each for each in listed(relay) if each.identity not in before]
    if isinstance(identity, str) and any(each.identity == identity for each in fresh):
        return identity
    if len(fresh) == 1:
        return fresh[0].identity
    raise UnreachableError(
        "the encounter could not be started",
        code="no_encounter",
        found=f"{len(fresh)} new ones",
        hint="is the Gamemaster's browser busy? Try again",
    )


def filled(relay: Relay, identity: str, fighters: Sequence[Fighter]) -> tuple[Encounter, tuple[str, ...]]:
    """Add those who are not in it; return the encounter, and tokens that could not be added.

    Raises:
        InputError: another encounter is current.
    """
    there = current(relay, identity)
    missing = [each.token for each in fighters if each.token not in there.combatants]
    if missing:
        try:
            relay.write(
                "POST",
                "/add-to-encounter",
                None,
                {"encounter": identity, "uuids": missing},
                same=("encounterId", identity),
            )
        except DoubtfulError as error:
            if error.code == "crossed_answer":
                raise
        there = current(relay, identity)
    return there, tuple([each.token for each in fighters if each.token not in there.combatants])


def in_order(relay: Relay, there: Encounter, fighters: Sequence[Fighter]) -> tuple[int, tuple[str, ...]]:
    """Give initiative in the order of the fighters, the first the most; return how many were changed, and what failed."""
    changed, failed = 0, []
    for number, each in enumerate(fighters):
        one = there.combatants.get(each.token)
        wanted = len(fighters) - number
        if one is None or one.get("initiative") == wanted:
            continue
        uuid = f"Combat.{there.identity}.Combatant.{one.get('id')}"
        try:
            after = relay.update(uuid, {"initiative": wanted})
        except (RefusedError, DoubtfulError) as error:
            failed.append(f"{each.uid}: {error}")
            continue
        if after.get("initiative") == wanted:
            changed += 1
        else:
            failed.append(f"{each.uid}: the world shows {after.get('initiative')!r} as initiative")
    return changed, tuple(failed)


def marks(there: Encounter, fighters: Sequence[Fighter]) -> tuple[Binding, ...]:
    """Return the bindings of the marks of who is out, one-way."""
    found = []
    for each in fighters:
        one = there.combatants.get(each.token)
        if one is not None:
            carrier = Carrier(f"Combat.{there.identity}.Combatant.{one.get('id')}", "defeated")
            found.append(Binding((Field(each.uid, OUT),), carrier, Exact(), "battle", "battle"))
    return tuple(found)
