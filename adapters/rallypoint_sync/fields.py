"""What is kept in step: the trackers of units and platoons, and where they are.

>>> from rallypoint.kernel.state import Entity, State, Tracker
>>> state = State.of([Entity.new("red-1", "unit", trackers={"Wounds": Tracker(1, 0, 2)})])
>>> value_of(state, Field("red-1", "Wounds")), change_to(state, Field("red-1", "Wounds"), 2)
(1, SetTracker(uid='red-1', name='Wounds', value=2))
"""

from __future__ import annotations

from typing import NamedTuple

from rallypoint.kernel.canonical import Value
from rallypoint.kernel.changes import Change, SetPlace, SetTracker
from rallypoint.kernel.errors import InputError
from rallypoint.kernel.state import State, place_in, place_out

__all__ = ["PLACE", "Field", "change_to", "value_of"]

PLACE = "@place"
"""The name of the field that says where an entity is; trackers are called as the game calls them."""


class Field(NamedTuple):
    """One thing that has a value in the battle: an entity, and the name of its tracker or :data:`PLACE`."""

    uid: str
    name: str

    def __str__(self) -> str:
        return f"{self.uid} {self.name.removeprefix('@')}"


def value_of(state: State, field: Field) -> Value:
    """Return the value of a field: a number, or a place as the kernel writes it; ``None`` where there is none."""
    entity = state.get(field.uid)
    if entity is None:
        return None
    if field.name == PLACE:
        return place_out(entity.place)
    tracker = entity.trackers.get(field.name)
    return None if tracker is None else tracker.value


def change_to(state: State, field: Field, value: Value) -> Change:
    """Return the change that gives a field a value.

    Raises:
        InputError: there is no such field, or the value does not fit: no whole number, or out of the tracker's limits.
    """
    entity = state.get(field.uid)
    if entity is None:
        raise InputError("there is nobody of this uid in the battle", where=field.uid)
    if field.name == PLACE:
        return SetPlace(field.uid, place_in(value))
    tracker = entity.trackers.get(field.name)
    if tracker is None:
        expected = ", ".join(entity.trackers) or "nothing: it has no trackers"
        raise InputError("there is no such tracker", where=field.uid, found=field.name, expected=expected)
    if type(value) is not int or tracker.clamp(value) != value:
        low, high = tracker.min, tracker.max
        limits = f"{'any' if low is None else low} to {'any' if high is None else high}"
        raise InputError("this value does not fit", where=str(field), found=value, expected=limits)
    return SetTracker(field.uid, field.name, value)
