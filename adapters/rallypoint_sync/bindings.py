"""Bindings: which field of the battle is carried where at a VTT, through which lens, and who owns it."""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

from rallypoint.kernel.canonical import Value
from rallypoint.kernel.state import State

from .fields import OUT, Field, IsOut, nobody_out, value_of
from .lenses import Lens

__all__ = ["OWNERS", "Binding", "Carrier", "First", "Owner", "shown_by_battle"]

Owner: TypeAlias = Literal["battle", "vtt", "both"]
"""Whose value holds: the battle's (an edit at the VTT is mended), the VTT's (the battle follows), or whoever changed it."""

OWNERS: tuple[Owner, ...] = ("battle", "vtt", "both")

First: TypeAlias = Literal["ask", "battle", "vtt"]
"""Whose value holds when the two meet for the first time and differ."""


class Carrier(NamedTuple):
    """A place at a VTT that holds one value: a document by its id there, and a path in it."""

    document: str
    path: str

    def __str__(self) -> str:
        return f"{self.document} {self.path}"


class Binding(NamedTuple):
    """One carrier of a field.

    A field may have many (Stress on each token), a carrier that only shows may have several fields (the Wounds of a stand).
    ``fallback`` is where the value goes when the VTT drops it from the carrier.
    """

    fields: tuple[Field, ...]
    carrier: Carrier
    lens: Lens
    owner: Owner = "both"
    first: First = "ask"
    fallback: Carrier | None = None

    @property
    def field(self) -> Field:
        """The field, of several the first."""
        return self.fields[0]

    @property
    def two_way(self) -> bool:
        """Whether an edit at the VTT can come back: one field, a lens that decodes, an owner that lets it."""
        return self.lens.two_way and len(self.fields) == 1 and self.field.name != OUT and self.owner != "battle"


def shown_by_battle(state: State, binding: Binding, is_out: IsOut = nobody_out) -> Value:
    """Return what a carrier should show of the battle's state.

    Raises:
        NotShownError: the value cannot be shown there.
    """
    values = tuple([value_of(state, field, is_out) for field in binding.fields])
    return binding.lens.encode(values[0] if len(values) == 1 else values)
