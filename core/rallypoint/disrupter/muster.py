"""From a force to an encounter: the tree of entities that play changes, and the sheets that people read (Rules 4, 6, 8, 9)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType

from rallypoint.content.catalogue import Catalogue, Item
from rallypoint.content.force import Force, Squad, Team, Unit, short_key
from rallypoint.kernel.canonical import freeze
from rallypoint.kernel.encounter import Encounter, Gear, Sheet
from rallypoint.kernel.errors import InputError
from rallypoint.kernel.state import Entity, State, Tracker

from .tables import catalogue

__all__ = ["MOST_STRESS", "encounter"]

MOST_STRESS = 20
"""A platoon's Stress goes from 0 to this (D-R8.1, D-AMB-08)."""

_SIDE = re.compile(r"[A-Za-z][A-Za-z0-9-]*")


def encounter(force: Force, *, side: str = "red") -> Encounter:
    """Return the force as state and sheets; see :func:`rallypoint.disrupter.encounter`."""
    if not _SIDE.fullmatch(side):
        expected = "a letter, then letters, digits and hyphens (ASCII)"
        raise InputError("this cannot name a side", found=repr(side), expected=expected)
    mustering = _Muster(force, side, catalogue())
    mustering.run()
    return Encounter(
        force.key, force.title, "disrupter", State.of(mustering.entities), MappingProxyType(mustering.sheets)
    )


class _Muster:
    """Makes entities, parents first, and their sheets."""

    def __init__(self, force: Force, side: str, known: Catalogue) -> None:
        self.force = force
        self.side = side
        self.known = known
        self.entities: list[Entity] = []
        self.sheets: dict[str, Sheet] = {}
        self.names = _unit_names(force)

    def run(self) -> None:
        code, force = self.side[0].upper(), self.force
        # A platoon that is called like its side must still be another entity.
        platoon = force.key if force.key != self.side else f"{force.key}-platoon"
        self.add(Entity.new(self.side, "side"), Sheet(self.side, self.side.capitalize(), "Side", code))
        stress = {"Stress": Tracker(0, 0, MOST_STRESS, "up")}
        self.add(
            Entity.new(platoon, "platoon", parent=self.side, trackers=stress),
            Sheet(platoon, force.title, "Platoon", code),
        )
        for squad in force.platoon.squads:
            self.squad(squad, platoon, code)

    def add(self, entity: Entity, sheet: Sheet) -> None:
        self.entities.append(entity)
        self.sheets[entity.uid] = sheet

    def squad(self, squad: Squad, platoon: str, code: str) -> None:
        uid, label = f"{short_key(self.force.key)}-{squad.number}", f"{code}-{squad.number}"
        name = f"Squad {squad.number}" + (f" - {squad.title}" if squad.title else "")
        facts = {"number": squad.number}
        self.add(Entity.new(uid, "squad", parent=platoon, facts=facts), Sheet(uid, name, "Squad", label))
        for team in squad.teams:
            self.team(team, squad, uid, label)

    def team(self, team: Team, squad: Squad, parent: str, code: str) -> None:
        uid, label = parent + team.letter, code + team.letter
        facts: dict[str, object] = {"letter": team.letter}
        gear: tuple[Gear, ...] = ()
        if team.vehicle is not None:
            facts["vehicle"] = team.vehicle
            gear = (_gear(self.known.item("vehicle", team.vehicle)),)
        name = f"Squad {squad.number}, {team.title}"
        self.add(Entity.new(uid, "team", parent=parent, facts=facts), Sheet(uid, name, "Team", label, gear=gear))
        for unit in team.units:
            self.unit(unit, uid, label)

    def unit(self, unit: Unit, parent: str, code: str) -> None:
        wears = self.known.item("bot" if unit.is_bot else "armor", unit.wears)
        weapons = [self.known.item("weapon", key) for key in unit.weapons]
        instinct = self.class_of(unit).number("I")
        armor, wounds, movement = (wears.number(name) for name in ("A", "W", "M"))
        facts: dict[str, object] = {
            "class": unit.kind,
            "instinct": instinct,
            "armor": armor,
            "movement": movement,
            f"{wears.kind}_key": wears.key,
            "weapons": unit.weapons,
        }
        trackers = {"Wounds": Tracker(0, 0, wounds, "up")}
        stats = {"Instinct": instinct, "Armor": armor, "Wounds": wounds, "Movement": movement}
        self.add(
            Entity.new(unit.uid, "unit", parent=parent, facts=facts, trackers=trackers),
            Sheet(
                unit.uid,
                self.names[unit.uid],
                unit.kind,
                code,
                MappingProxyType(stats),
                tuple([_gear(item) for item in (wears, *weapons)]),
                picture=unit.picture,
            ),
        )

    def class_of(self, unit: Unit) -> Item:
        found = self.known.find("class", unit.kind)
        if found is None:
            raise InputError("unknown class", where=unit.uid, found=unit.kind, expected=self.known.titles("class"))
        return found.item


def _unit_names(force: Force) -> Mapping[str, str]:
    """Return a name for each unit: its own where nobody else has it, else with its place: ``Soldier 1A-2``."""
    own = [unit.name for unit in force.units]
    names: dict[str, str] = {}
    for uid, unit, place in _places(force):
        unique = unit.name is not None and own.count(unit.name) == 1
        names[uid] = unit.name if unit.name is not None and unique else f"{unit.name or unit.kind} {place}"
    return names


def _places(force: Force) -> Iterator[tuple[str, Unit, str]]:
    for squad in force.platoon.squads:
        for team in squad.teams:
            for number, unit in enumerate(team.units, 1):
                yield unit.uid, unit, f"{squad.number}{team.letter}-{number}"


def _gear(item: Item) -> Gear:
    facts = freeze({**item.numbers, "traits": item.traits, "rule": item.rule, "description": item.description})
    assert isinstance(facts, Mapping)
    return Gear(item.kind, item.key, item.title, facts)
