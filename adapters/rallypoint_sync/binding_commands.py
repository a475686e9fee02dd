"""What the commands that bind and unbind share, whatever they bind."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import click

from rallypoint.kernel.errors import InputError

from .hub import bound_documents
from .seat import Seat

__all__ = ["FIRST", "OWNER", "Unbound", "pairs_of", "unbound"]

OWNER = click.option(
    "--owner",
    type=click.Choice(["both", "battle", "vtt"]),
    default="both",
    show_default=True,
    help="Whose values hold.",
)
FIRST = click.option(
    "--first",
    type=click.Choice(["ask", "battle", "vtt"]),
    default="ask",
    show_default=True,
    help="Whose value holds where the two differ now.",
)


def pairs_of(said: Iterable[str], example: str) -> Mapping[str, str]:
    """Return what somebody has said with ``--map UID=DOCUMENT``, by uid.

    Raises:
        InputError: one is no such pair, or one document is to be two.

    >>> pairs_of(["u1=a=b"], "u1=a")
    {'u1': 'a=b'}
    """
    pairs: dict[str, str] = {}
    for each in said:
        uid, sign, document = each.partition("=")
        if not sign or not uid or not document:
            raise InputError("this is no pair of a uid and a document", where="--map", found=each, expected=example)
        if document in pairs.values():
            raise InputError("one document cannot stand for two", where="--map", found=document)
        pairs[uid] = document
    return pairs


class Unbound(NamedTuple):
    """What is bound no more: how many documents, and how many values of theirs."""

    documents: int
    values: int


def unbound(seat: Seat, documents: Sequence[str], *, dry: bool) -> Unbound:
    """Forget documents, or all of them where none is named; nothing at the VTT is changed.

    Raises:
        InputError: one is not bound.
    """
    bindings = seat.ledger.bindings(seat.vtt)
    known = bound_documents(bindings)
    for each in documents:
        if each not in known:
            expected = ", ".join(known) or "nothing is bound"
            raise InputError("this document is not bound", found=each, expected=expected)
    gone = documents or known
    if not dry:
        seat.ledger.unbind(seat.vtt, documents or None)
    return Unbound(len(gone), len([each for each in bindings if each.carrier.document in gone]))
