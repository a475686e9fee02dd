"""From a force to an encounter: the tree of entities that play changes, and the sheets that people read (Rules 4, 6, 8, 9)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple

from rallypoint.content.catalogue import Catalogue, Item
from rallypoint.content.force import Force, Forces, Squad, Team, Unit, each_of, short_key
from rallypoint.content.problems import PageError
from rallypoint.content.uids import squad_uid, team_uid
from rallypoint.kernel.canonical import freeze
from rallypoint.kernel.encounter import Encounter, Gear, Sheet
from rallypoint.kernel.errors import InputError
from rallypoint.kernel.state import Entity, State, Tracker

from .roll_tables import panic_tables
from .tables import STATS, catalogue

__all__ = ["MOST_STRESS", "encounter", "encounter_of"]

MOST_STRESS = 20
"""A platoon's Stress goes from 0 to this (D-R8.1, D-AMB-08)."""

_SIDE = re.compile(r"[A-Za-z][A-Za-z0-9-]*")


def encounter(force: Force, *, side: str = "red") -> Encounter:
    """Return the force as state and sheets; see :func:`rallypoint.disrupter.encounter`."""
    return encounter_of({side: force}, key=force.key, title=force.title)


def encounter_of(sides: Forces, *, key: str, title: str) -> Encounter:
    """Return the forces of several sides as one state; see :func:`rallypoint.disrupter.encounter_of`."""
    entities: list[Entity] = []
    sheets: dict[str, Sheet] = {}
    problems: list[InputError] = []
    for force, place in _places_of(sides):
        mustering = _mustered(force, place, problems)
        known = {entity.uid for entity in entities if entity.role == "side"}  # of several platoons each brings it
        entities += [each for each in mustering.entities if each.role != "side" or each.uid not in known]
        sheets |= mustering.sheets
    if problems:
        raise PageError(problems)
    return Encounter(key, title, "disrupter", State.of(entities), MappingProxyType(sheets), tables=panic_tables())


class _Place(NamedTuple):
    """Where a force fights: its side, what its uids and its codes begin with, and what it is called there."""

    side: str
    prefix: str
    code: str
    title: str


def _places_of(sides: Forces) -> Iterator[tuple[Force, _Place]]:
    """Yield each force with its place.

    One roster twice: each of its entities is named for its side too, whichever side comes first, and where one side brings
    it twice for the number of its platoon.
    """
    taken = Counter(uid for side, brought in sides.items() for force in each_of(brought) for uid in _uids(force, side))
    for side, brought in sides.items():
        platoons = each_of(brought)
        own = Counter(uid for force in platoons for uid in _uids(force, side))
        titles = Counter(force.title for force in platoons)
        for number, force in enumerate(platoons, 1):
            twice = any(own[uid] > 1 for uid in _uids(force, side))
            shared = any(taken[uid] > 1 for uid in _uids(force, side))
            prefix = f"{side}.{number}." if twice else f"{side}." if shared else ""
            code = side[:1].upper() + (str(number) if len(platoons) > 1 else "")
            yield force, _Place(side, prefix, code, force.title + (f" {number}" if titles[force.title] > 1 else ""))


def _mustered(force: Force, place: _Place, problems: list[InputError]) -> _Muster:
    if not _SIDE.fullmatch(place.side):
        expected = "a letter, then letters, digits and hyphens (ASCII)"
        raise InputError("this cannot name a side", found=repr(place.side), expected=expected)
    mustering = _Muster(force, place, catalogue().extended(force.added))
    mustering.run()
    problems += mustering.problems
    return mustering


def _uids(force: Force, side: str) -> set[str]:
    """Return the uids of the force on this side, without a prefix."""
    start = short_key(force.key)
    found = {_platoon_uid(force, side), *[unit.uid for unit in force.units]}
    for squad in force.platoon.squads:
        if squad.number is not None:
            found.add(squad_uid(start, squad.number))
        found |= {team_uid(start, squad.number, team.letter) for team in squad.teams if team.letter}
    return found


def _platoon_uid(force: Force, side: str) -> str:
    # A platoon that is called like its side must still be another entity.
    return force.key if force.key != side else f"{force.key}-platoon"


class _Muster:
    """Makes entities, parents first, and their sheets."""

    def __init__(self, force: Force, place: _Place, known: Catalogue) -> None:
        self.force = force
        self.side = place.side
        self.title = place.title
        self.code = place.code
        self.known = known
        self.prefix = place.prefix
        self.start = place.prefix + short_key(force.key)
        self.entities: list[Entity] = []
        self.sheets: dict[str, Sheet] = {}
        self.names = _unit_names(force, f"{place.code[1:]}-" if place.code[1:] else "")
        self.problems: list[InputError] = []

    def run(self) -> None:
        code, force = self.code, self.force
        platoon = self.prefix + _platoon_uid(force, self.side)
        self.add(Entity.new(self.side, "side"), Sheet(self.side, self.side.capitalize(), "Side", code[0]))
        taken = force.platoon.stress
        if not 0 <= taken <= MOST_STRESS:
            self.problem("a platoon's Stress is out of range (D-R8.1)", platoon, taken, f"0 to {MOST_STRESS}")
        stress = {"Stress": Tracker(max(0, min(taken, MOST_STRESS)), 0, MOST_STRESS, "up")}
        facts = {"extra": force.extra} if force.extra else {}
        self.add(
            Entity.new(platoon, "platoon", parent=self.side, facts=facts, trackers=stress),
            Sheet(platoon, self.title, "Platoon", code),
        )
        for squad in force.platoon.squads:
            self.squad(squad, platoon, code)

    def add(self, entity: Entity, sheet: Sheet) -> None:
        if entity.uid in self.sheets:
            self.problem("a unit has the uid of something else", entity.uid, entity.uid, "an id of its own")
            return
        self.entities.append(entity)
        self.sheets[entity.uid] = sheet

    def problem(self, what: str, where: str, found: object, expected: str) -> None:
        self.problems.append(InputError(what, where=where, found=found, expected=expected))

    def squad(self, squad: Squad, platoon: str, code: str) -> None:
        if squad.number is None:
            for team in squad.teams:
                self.team(team, squad, platoon, f"{code}-")
            return
        uid, label = squad_uid(self.start, squad.number), f"{code}-{squad.number}"
        name = f"Squad {squad.number}" + (f" - {squad.title}" if squad.title else "")
        facts = {"number": squad.number, **({"extra": squad.extra} if squad.extra else {})}
        self.add(Entity.new(uid, "squad", parent=platoon, facts=facts), Sheet(uid, name, "Squad", label))
        for team in squad.teams:
            self.team(team, squad, uid, label)

    def team(self, team: Team, squad: Squad, parent: str, code: str) -> None:
        if not team.letter:
            for number, unit in enumerate(team.units, 1):
                self.unit(unit, parent, f"{code}{number}")
            return
        uid, label = team_uid(self.start, squad.number, team.letter), code + team.letter
        facts: dict[str, object] = {"letter": team.letter, **({"extra": team.extra} if team.extra else {})}
        gear: tuple[Gear, ...] = ()
        if team.vehicle is not None:
            facts["vehicle"] = team.vehicle
            gear = (_gear(self.known.item("vehicle", team.vehicle)),)
        name = team.title if squad.number is None else f"Squad {squad.number}, {team.title}"
        self.add(Entity.new(uid, "team", parent=parent, facts=facts), Sheet(uid, name, "Team", label, gear=gear))
        for unit in team.units:
            self.unit(unit, uid, label)

    def unit(self, unit: Unit, parent: str, code: str) -> None:
        uid = self.prefix + unit.uid
        wears = None if unit.wears is None else self.known.item("bot" if unit.is_bot else "armor", unit.wears)
        weapons = [self.known.item("weapon", key) for key in unit.weapons]
        instinct, armor, wounds, movement = [self.stat(unit, letter, wears) for letter in ("I", "A", "W", "M")]
        facts: dict[str, object] = {
            "class": unit.kind,
            "instinct": instinct,
            "armor": armor,
            "movement": movement,
            "weapons": unit.weapons,
        }
        facts |= {} if wears is None else {f"{wears.kind}_key": wears.key}
        facts |= {} if not unit.extra else {"extra": unit.extra}
        if unit.wounds > wounds:
            self.problem("more Wounds than the unit can take", uid, unit.wounds, f"0 to {wounds}")
        trackers = {"Wounds": Tracker(min(unit.wounds, wounds), 0, wounds, "up")}
        stats = {"Instinct": instinct, "Armor": armor, "Wounds": wounds, "Movement": movement}
        worn = () if wears is None else (wears,)
        self.add(
            Entity.new(uid, "unit", parent=parent, facts=facts, trackers=trackers),
            Sheet(
                uid,
                self.names[unit.uid],
                unit.kind,
                code,
                MappingProxyType(stats),
                tuple([_gear(item) for item in (*worn, *weapons)]),
                picture=unit.picture,
            ),
        )

    def stat(self, unit: Unit, letter: str, wears: Item | None) -> int:
        """Return a number of a unit: its own, else its class's or its armour's."""
        own = unit.stats.get(letter)
        if own is not None:
            return own
        if STATS[letter].of_class:
            return self.class_of(unit).number(letter)
        if wears is None:
            expected = f"{letter} among its stats, or an armor"
            raise InputError("a unit has no armor and no stat", where=unit.uid, found=unit.kind, expected=expected)
        return wears.number(letter)

    def class_of(self, unit: Unit) -> Item:
        found = self.known.find("class", unit.kind)
        if found is None:
            raise InputError("unknown class", where=unit.uid, found=unit.kind, expected=self.known.titles("class"))
        return found.item


def _unit_names(force: Force, platoon: str) -> Mapping[str, str]:
    """Return a name for each unit: its own where nobody else has it, else with its place: ``Soldier 1A-2``.

    ``platoon`` is what the place begins with in a company: ``2-``.
    """
    own = Counter(unit.name for unit in force.units)
    names: dict[str, str] = {}
    for uid, unit, place in _places(force):
        unique = unit.name is not None and own[unit.name] == 1
        names[uid] = unit.name if unit.name is not None and unique else f"{unit.name or unit.kind} {platoon}{place}"
    return names


def _places(force: Force) -> Iterator[tuple[str, Unit, str]]:
    for squad in force.platoon.squads:
        above = "" if squad.number is None else str(squad.number)
        for team in squad.teams:
            for number, unit in enumerate(team.units, 1):
                yield unit.uid, unit, f"{above}{team.letter}-{number}".lstrip("-")


def _gear(item: Item) -> Gear:
    facts = freeze({**item.numbers, "traits": item.traits, "rule": item.rule, "description": item.description})
    assert isinstance(facts, Mapping)
    return Gear(item.kind, item.key, item.title, facts)
