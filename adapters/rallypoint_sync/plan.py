"""Plans: what a sync would do, before anything is done. Everything that was read is in one of their lists, or unchanged."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple, TypeAlias

from rallypoint.kernel.canonical import Value

from .bindings import Binding, Carrier, Owner
from .fields import Field

__all__ = ["Agreed", "Conflict", "ConflictKind", "Edit", "LeftOut", "Plan", "Theirs", "Write"]


class Write(NamedTuple):
    """One value that goes to a VTT. ``old`` is what it shows now, ``None`` where it shows nothing."""

    vtt: str
    binding: Binding
    old: Value
    new: Value
    owner: Owner
    reason: str


class Edit(NamedTuple):
    """One value that comes from a VTT into the battle; ``shown`` are the carriers there that show it, with what they show."""

    field: Field
    old: Value
    new: Value
    vtt: str
    document: str
    shown: tuple[tuple[str, Carrier, Value], ...] = ()


class Theirs(NamedTuple):
    """What one carrier shows in a conflict; ``value`` is what that means here, ``None`` where it means nothing."""

    vtt: str
    document: str
    path: str
    base: Value
    shown: Value
    value: Value


ConflictKind: TypeAlias = Literal[
    "both_changed",
    "copies_differ",
    "first_meeting",
    "out_of_range",
    "no_value",
    "return_to_play",
    "move_proposed",
    "late_write",
]
"""Why values disagree. ``return_to_play``: fewer Wounds on a unit that is out; ``move_proposed``: a token was dragged, which
counts only when somebody takes it; ``late_write``: what is shown is what we once sent without an answer and have replaced since,
or somebody's edit, and nobody can tell which."""


class Conflict(NamedTuple):
    """A disagreement that is kept until somebody resolves it; meanwhile its field is frozen on all sides."""

    field: Field
    kind: ConflictKind
    ours: Value
    theirs: tuple[Theirs, ...]


class Agreed(NamedTuple):
    """A carrier that shows what it should, which was not yet known."""

    vtt: str
    binding: Binding
    shown: Value


class LeftOut(NamedTuple):
    """Something that was not taken into account, and why."""

    vtt: str
    what: str
    why: str


class Plan(NamedTuple):
    """What a sync would do.

    ``unchanged`` counts the carriers that show what they should; ``dissolved`` are fields whose conflict has gone by itself,
    since the sides agree again or one has taken its change back. Each carrier that was looked at is in exactly one of
    ``writes``, ``agreed``, ``left_out`` and ``unchanged``, or its field is in conflict: ``frozen`` counts those.
    """

    writes: tuple[Write, ...] = ()
    edits: tuple[Edit, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    agreed: tuple[Agreed, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    dissolved: tuple[Field, ...] = ()
    unchanged: int = 0
    frozen: int = 0

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to do; conflicts that are kept already are not to be done."""
        return not (self.writes or self.edits or self.agreed or self.dissolved)

    @property
    def counts(self) -> Mapping[str, int]:
        """How many of each, for a line that people read."""
        return {
            "writes": len(self.writes),
            "edits": len(self.edits),
            "conflicts": len(self.conflicts),
            "newly agreed": len(self.agreed),
            "unchanged": self.unchanged,
            "in conflict": self.frozen,
            "left out": len(self.left_out),
        }
