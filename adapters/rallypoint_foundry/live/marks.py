"""Marks: a flag on what is bound says to which battle it belongs.

Battles of one scenario have the same uids, and so the same actors. Without a mark two of them would write to one world by turns,
each taking the other's values for somebody's edits.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from rallypoint.kernel.errors import InputError
from rallypoint_sync.transport import RefusedError, UnreachableError

from ..record import FLAG
from .addresses import flags_of
from .carriers import Found
from .relay import Relay

__all__ = ["MARK", "OtherBattleError", "is_others", "mark_all", "mark_of", "new_mark", "refuse_others"]

MARK = f"flags.{FLAG}.battle"
"""Where a document says whose it is."""


class OtherBattleError(InputError):
    """Documents belong to another battle."""

    code = "other_battle"


def new_mark(battle: Path) -> str:
    """Return a mark for a battle: its file's name, for people, and a word that no other battle has."""
    return f"{battle.name} {secrets.token_hex(6)}"


def mark_of(document: object) -> str | None:
    """Return the mark of a document; ``None`` where it has none.

    >>> mark_of({"flags": {"rallypoint": {"battle": "first.battle 0a1b2c3d4e5f"}}})
    'first.battle 0a1b2c3d4e5f'
    """
    found = flags_of(document).get("battle")
    return found if isinstance(found, str) and found.strip() else None


def is_others(mark: str | None, own: str) -> bool:
    """Say whether a mark is that of another battle; a file may have been renamed.

    >>> is_others("first.battle 0a1b", "renamed.battle 0a1b"), is_others("first.battle 0a1b", "first.battle ffff")
    (False, True)
    """
    return mark is not None and mark.split()[-1] != own.split()[-1]


def refuse_others(documents: Iterable[Mapping[str, object]], own: str) -> None:
    """Make sure that documents belong to no other battle.

    Raises:
        OtherBattleError: some do.
    """
    others = [mark for each in documents if is_others(mark := mark_of(each), own) and mark is not None]
    if others:
        names = ", ".join(dict.fromkeys(mark.rpartition(" ")[0] or mark for mark in others))
        hint = (
            "--take-over makes them this battle's, and the other one leaves them alone then; or play in another world"
        )
        raise OtherBattleError(
            "this world is another battle's already", found=f"{len(others)} documents of {names}", hint=hint
        )


def mark_all(relay: Relay, found: Iterable[Found], own: str) -> Iterator[str]:
    """Mark what is bound and not marked yet; yield what could not be marked, and why."""
    for each in found:
        if mark_of(each.document) == own:
            continue
        try:
            relay.update(each.uuid, {MARK: own})
        except RefusedError as error:
            yield f"{each.uuid} could not be marked as this battle's: {error}"
        except UnreachableError as error:
            if error.code != "scope_missing":
                raise
            yield f"nothing was marked as this battle's: {error}"
            return
