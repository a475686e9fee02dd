"""What is kept in step: the trackers of units and platoons, where they are, and whether they are out of the fight.

>>> from rallypoint.kernel.state import Entity, State, Tracker
>>> state = State.of([Entity.new("red-1", "unit", trackers={"Wounds": Tracker(1, 0, 2)})])
>>> value_of(state, Field("red-1", "Wounds")), change_to(state, Field("red-1", "Wounds"), 2)
(1, SetTracker(uid='red-1', name='Wounds', value=2))
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from rallypoint.kernel.canonical import Value
from rallypoint.kernel.changes import Change, SetPlace, SetTracker
from rallypoint.kernel.errors import InputError, StateError
from rallypoint.kernel.state import Hex, State, place_in, place_out

__all__ = ["OUT", "PLACE", "Field", "IsOut", "change_to", "nobody_out", "value_of"]

PLACE = "@place"
"""The name of the field that says where an entity is; trackers are called as the game calls them."""

OUT = "@out"
"""The name of the field that says whether an entity is out of the fight. It follows from the rules, so it is only shown."""

IsOut: TypeAlias = Callable[[State, str], bool]
"""Says of an entity, by its uid, whether it is out of the fight."""


def nobody_out(_state: State, _uid: str) -> bool:
    """Say no, for a game that has nobody out."""
    return False


class Field(NamedTuple):
    """One thing that has a value in the battle: an entity, and the name of its tracker, :data:`PLACE` or :data:`OUT`."""

    uid: str
    name: str

    def __str__(self) -> str:
        return f"{self.uid} {self.name.removeprefix('@')}"


def value_of(state: State, field: Field, is_out: IsOut = nobody_out) -> Value:
    """Return the value of a field: a number, a place as the kernel writes it, yes or no; ``None`` where there is none."""
    entity = state.get(field.uid)
    if entity is None:
        return None
    if field.name == PLACE:
        return place_out(entity.place)
    if field.name == OUT:
        return is_out(state, field.uid)
    tracker = entity.trackers.get(field.name)
    return None if tracker is None else tracker.value


def change_to(state: State, field: Field, value: Value) -> Change:
    """Return the change that gives a field a value. A hex without a facing leaves the entity the one it has.

    Raises:
        InputError: there is no such field, or the value does not fit: no whole number, out of the tracker's limits, no place.
    """
    entity = state.get(field.uid)
    if entity is None:
        raise InputError("there is nobody of this uid in the battle", where=field.uid)
    if field.name == PLACE:
        try:
            place = place_in(value)
        except (StateError, TypeError) as error:
            raise InputError("this is no place", where=str(field), found=value) from error
        if isinstance(place, Hex) and place.facing is None and isinstance(entity.place, Hex):
            place = place._replace(facing=entity.place.facing)
        return SetPlace(field.uid, place)
    if field.name == OUT:
        raise InputError("who is out of the fight follows from the rules", where=field.uid, hint="change the Wounds")
    tracker = entity.trackers.get(field.name)
    if tracker is None:
        expected = ", ".join(entity.trackers) or "nothing: it has no trackers"
        raise InputError("there is no such tracker", where=field.uid, found=field.name, expected=expected)
    if type(value) is not int or tracker.clamp(value) != value:
        low, high = tracker.min, tracker.max
        limits = f"{'any' if low is None else low} to {'any' if high is None else high}"
        raise InputError("this value does not fit", where=str(field), found=value, expected=limits)
    return SetTracker(field.uid, field.name, value)
