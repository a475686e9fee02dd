"""Wishes: what people at a VTT ask of the battle itself, by a click there and not by changing a value that it shows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol, TypeAlias, runtime_checkable

from .fields import Field

__all__ = ["BindAnew", "JoiningTransport", "SetValue", "TakeSide", "Wish", "WishingTransport"]


class SetValue(NamedTuple):
    """Somebody wants a field to have another value. It holds only if the battle still has the value that they saw, ``was``.

    By its ``key`` the VTT knows which wish it was.
    """

    field: Field
    value: int
    was: int
    who: str
    key: str = ""


class TakeSide(NamedTuple):
    """Somebody says what holds in a conflict: ``take`` is ``battle`` or the name of a VTT.

    ``number`` is that of the conflict as they saw it (:func:`rallypoint_sync.words.conflict_number`).
    """

    number: int
    take: str
    who: str
    key: str = ""


class BindAnew(NamedTuple):
    """Somebody linked a document to a unit, took a link off, or placed documents of this battle: bind what is there now."""

    who: str
    key: str = ""


Wish: TypeAlias = SetValue | TakeSide | BindAnew


@runtime_checkable
class WishingTransport(Protocol):
    """A way on which people ask something of the battle. Its ``changes`` tell when there is something."""

    def wishes(self) -> Sequence[Wish]:
        """Return what was asked since the last time, in order; it is forgotten here.

        Raises:
            UnreachableError: the VTT cannot be reached.
        """


@runtime_checkable
class JoiningTransport(Protocol):
    """A way that can bind what people there have linked or placed; only such a one has the wish :class:`BindAnew`."""

    def bind_anew(self) -> None:
        """Bind what is there now, since somebody asked for it.

        Raises:
            InputError: it cannot be bound.
            TransportError: the VTT cannot be reached, or said no.
        """
