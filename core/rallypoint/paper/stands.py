"""Who is on a picture: the stands of an encounter with their units, read from roles, sheets and trackers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from rallypoint.kernel.encounter import Encounter, Sheet
from rallypoint.kernel.state import Entity, State

__all__ = ["Figure", "Stand", "sheet_of", "side_of", "stands"]

_WOUNDS = "Wounds"


class Figure(NamedTuple):
    """A unit on a stand.

    ``number`` counts from 1 in its stand; ``taken`` and ``most`` are its Wounds (``most`` 0: it has none to take).
    """

    uid: str
    name: str
    role: str
    number: int
    taken: int
    most: int

    @property
    def out(self) -> bool:
        """Whether it has taken all that it can."""
        return 0 < self.most <= self.taken


class Stand(NamedTuple):
    """One base: the entity it stands for, its code, its side, and its figures."""

    entity: Entity
    code: str
    title: str
    side: str
    figures: tuple[Figure, ...]


def side_of(state: State, entity: Entity) -> str:
    """Return the uid at the top of the tree above an entity."""
    while entity.parent is not None:
        entity = state[entity.parent]
    return entity.uid


def sheet_of(encounter: Encounter, entity: Entity) -> Sheet:
    """Return an entity's sheet; one that has none is called by its uid and role."""
    found = encounter.sheets.get(entity.uid)
    return found if found is not None else Sheet(entity.uid, entity.uid, entity.role.capitalize(), entity.uid)


def stands(encounter: Encounter) -> Iterator[Stand]:
    """Yield the stands in the order of the battle: one a team; a unit in no team is a stand of its own."""
    members: dict[str, list[Entity]] = {}
    for entity in encounter.state:
        if entity.role == "team":
            members.setdefault(entity.uid, [])
        elif entity.role == "unit":
            members.setdefault(_base(encounter.state, entity), []).append(entity)
    for uid, units in members.items():
        entity = encounter.state[uid]
        sheet = sheet_of(encounter, entity)
        figures = tuple([_figure(encounter, unit, number) for number, unit in enumerate(units, 1)])
        yield Stand(entity, sheet.code or uid, sheet.name, side_of(encounter.state, entity), figures)


def _base(state: State, unit: Entity) -> str:
    above: Entity | None = unit
    while above is not None:
        if above.role == "team":
            return above.uid
        above = None if above.parent is None else state[above.parent]
    return unit.uid


def _figure(encounter: Encounter, unit: Entity, number: int) -> Figure:
    sheet = sheet_of(encounter, unit)
    wounds = unit.trackers.get(_WOUNDS)
    taken, most = (0, 0) if wounds is None else (wounds.value, wounds.max or 0)
    return Figure(unit.uid, sheet.name, sheet.role, number, taken, most)
