"""Values of trackers that a roster keeps for plugins: what its game's own columns have no place for.

They stand among the things that a roster keeps of a unit and does not understand (the fact ``extra``), under ``trackers``; a
plugin defines the tracker anew each time, and its value is then the kept one.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from .canonical import EMPTY, Value
from .encounter import Encounter
from .errors import InputError
from .state import Entity, State, Tracker

__all__ = ["KEPT", "with_kept", "with_kept_values"]

KEPT = "trackers"
"""The key below ``extra``."""


def with_kept(extra: Mapping[str, Value], values: Mapping[str, int]) -> Mapping[str, Value]:
    """Return what a roster keeps of a unit with these values of trackers in it.

    >>> with_kept({"trackers": {"Ammo": 6, "Nerve": 1}}, {"Ammo": 4})
    {'trackers': {'Ammo': 4, 'Nerve': 1}}
    """
    known = extra.get(KEPT)
    return {**extra, KEPT: {**(known if isinstance(known, Mapping) else {}), **values}}


def with_kept_values(encounter: Encounter) -> Encounter:
    """Return an encounter whose trackers stand where its roster keeps them; what nobody tracks any more is passed over.

    A value is moved into the limits of its tracker: under other rulings a unit may carry less than it had left.

    Raises:
        InputError: a kept value is no whole number.
    """
    kept = {entity.uid: _kept(entity) for entity in encounter.state}
    if not any(kept.values()):
        return encounter
    entities = [
        each._replace(trackers=MappingProxyType({**each.trackers, **kept[each.uid]})) for each in encounter.state
    ]
    return encounter._replace(state=State.of(entities, encounter.state.links.values(), encounter.state.agenda))


def _kept(entity: Entity) -> Mapping[str, Tracker]:
    extra = entity.facts.get("extra")
    values = extra.get(KEPT, EMPTY) if isinstance(extra, Mapping) else EMPTY
    if not isinstance(values, Mapping):
        raise InputError("kept trackers are a table", where=f"{entity.uid}: {KEPT}", found=repr(values)[:60])
    found = {}
    for name, value in values.items():
        tracker = entity.trackers.get(name)
        if tracker is not None:
            if type(value) is not int:
                where = f"{entity.uid}: {KEPT}.{name}"
                raise InputError(
                    "a kept tracker is no number", where=where, found=repr(value)[:60], expected="a whole number"
                )
            found[name] = tracker._replace(value=tracker.clamp(value))
    return found
