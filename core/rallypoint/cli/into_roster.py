"""What a table says against what a roster says, number by number: which changes, which stays, and what is in conflict."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple, TypeAlias

from rallypoint.kernel.encounter import SENT, Encounter
from rallypoint.kernel.errors import InputError
from rallypoint.kernel.state import Entity, Tracker

__all__ = ["Comparison", "Prefer", "Row", "compared", "lines"]

Prefer: TypeAlias = Literal["neither", "table", "roster"]
"""Whose number to take where both have changed it."""


class Row(NamedTuple):
    """One number that is another after the import: ``old`` in the roster, ``new`` at the table."""

    uid: str
    name: str
    tracker: str
    old: int
    new: int


class Comparison(NamedTuple):
    """What came of it. ``unchanged`` counts equal numbers, ``kept`` those that only the roster has changed.

    ``unknown`` are uids that the roster does not have; ``absent`` how many of its units are not in the files.
    """

    rows: tuple[Row, ...]
    unchanged: int
    kept: int
    conflicts: tuple[str, ...]
    left_out: tuple[str, ...]
    unknown: tuple[str, ...]
    absent: int

    def values(self) -> Mapping[str, Mapping[str, int]]:
        """Return the new values by uid and tracker."""
        found: dict[str, dict[str, int]] = {}
        for row in self.rows:
            found.setdefault(row.uid, {})[row.tracker] = row.new
        return found


def compared(known: Encounter, found: Encounter, prefer: Prefer = "neither") -> Comparison:
    """Return what an import changes in a roster; only trackers of known uids are looked at.

    A number that the table was last sent, and still shows, is no edit: the roster's stays. Where both have changed it, it
    is a conflict, and the roster's stays unless ``prefer`` says otherwise.

    Args:
        known: the roster, as the game's encounter.
        found: what was read from the table.
        prefer: whose number to take where both have changed it.

    Raises:
        InputError: nobody in the roster is in the files.
    """
    merge = _Merge(known, prefer)
    for entity in found.state:
        merge.entity(entity)
    units = [entity.uid for entity in known.state if entity.role == "unit"]
    absent = sum(uid not in found.state for uid in units)
    if not merge.met:
        raise InputError(
            "nobody in this roster is in the files, so nothing is changed",
            found=", ".join(merge.unknown[:5]) or "no unit",
            expected=f"one of the {len(units)} units of {known.title}",
        )
    return Comparison(
        tuple(merge.rows),
        merge.unchanged,
        merge.kept,
        tuple(merge.conflicts),
        tuple(merge.left_out),
        tuple(merge.unknown),
        absent,
    )


class _Merge:
    """Goes through the entities of an import."""

    def __init__(self, known: Encounter, prefer: Prefer) -> None:
        self.known = known
        self.prefer = prefer
        self.met = 0
        self.unchanged = 0
        self.kept = 0
        self.rows: list[Row] = []
        self.conflicts: list[str] = []
        self.left_out: list[str] = []
        self.unknown: list[str] = []

    def entity(self, entity: Entity) -> None:
        ours = self.known.state.get(entity.uid)
        if ours is None:
            if entity.trackers:
                self.unknown.append(entity.uid)
            return
        self.met += bool(entity.trackers)
        sent = entity.attributes.get(SENT)
        for name, tracker in entity.trackers.items():
            last = sent.get(name) if isinstance(sent, Mapping) else None
            if name in ours.trackers:
                self.number(ours, name, tracker.value, last if isinstance(last, int) else None)
            else:
                self.left_out.append(f"{name} of {entity.uid}: the roster has no {name} for it")

    def number(self, ours: Entity, name: str, theirs: int, sent: int | None) -> None:
        tracker = ours.trackers[name]
        who = f"{name} of {ours.uid}"
        if theirs == tracker.value:
            self.unchanged += 1
        elif theirs == sent:
            self.kept += 1
        elif tracker.clamp(theirs) != theirs:
            self.left_out.append(f"{who}: found {theirs}, expected {_limits(tracker)}; stays {tracker.value}")
        elif sent is None or tracker.value == sent or self.prefer == "table":
            sheet = self.known.sheets.get(ours.uid)
            self.rows.append(Row(ours.uid, "" if sheet is None else sheet.name, name, tracker.value, theirs))
        elif self.prefer == "roster":
            self.kept += 1
        else:
            self.conflicts.append(f"{who}: sent {sent}, then {theirs} at the table and {tracker.value} in the roster")


def _limits(tracker: Tracker) -> str:
    low = 0 if tracker.min is None else tracker.min
    return f"{low} or more" if tracker.max is None else f"{low} to {tracker.max}"


def lines(comparison: Comparison, verb: str) -> Iterator[str]:
    """Yield what is said of a comparison; ``verb`` is ``Changed`` or ``Would change``."""
    number = len(comparison.rows)
    yield f"{verb} {number} number{'' if number == 1 else 's'}" + (":" if number else ".")
    yield from [f"  {row.uid}  {row.name}  {row.tracker} {row.old} -> {row.new}" for row in comparison.rows]
    yield (
        f"Numbers: {number} changed, {comparison.unchanged} unchanged, {comparison.kept} kept as the roster has them, "
        f"{len(comparison.conflicts)} in conflict, {len(comparison.left_out)} left out; units that the roster does not have: "
        f"{len(comparison.unknown)}"
    )
    if comparison.absent:
        yield f"note: {comparison.absent} units of the roster are not in the files, they stay as they are"
    yield from [f"conflict: {line}" for line in comparison.conflicts]
    yield from [f"left out: {line}" for line in comparison.left_out]
    yield from [f"left out: {uid}: the roster has nobody of this uid" for uid in comparison.unknown]
