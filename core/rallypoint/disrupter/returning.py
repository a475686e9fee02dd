"""The way back: from an encounter to the force that a roster can say (Rules 4, 6, 8)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from rallypoint.content import Catalogue, Force, PageError, Platoon, Squad, Team, Unit
from rallypoint.content.catalogue import Kind
from rallypoint.kernel.canonical import EMPTY, Value
from rallypoint.kernel.encounter import Encounter, Sheet
from rallypoint.kernel.errors import InputError
from rallypoint.kernel.kept import with_kept
from rallypoint.kernel.state import Entity

from .tables import STATS, catalogue

__all__ = ["force_of", "with_values"]

_FACTS = {"I": "instinct", "A": "armor", "M": "movement"}


def force_of(encounter: Encounter, known: Catalogue | None = None) -> Force:
    """Return the force; see :func:`rallypoint.disrupter.force_of`."""
    if encounter.game != "disrupter":
        raise InputError("only an encounter of Disrupter makes a force", found=encounter.game, expected="disrupter")
    known = catalogue() if known is None else known
    reader = _Reader(encounter, known)
    teams: dict[tuple[str | None, str | None], list[Unit]] = {}
    for entity in encounter.state:
        if entity.role == "unit":
            team, squad = reader.above(entity, "team"), reader.above(entity, "squad")
            key = (squad and squad.uid, team and team.uid)
            units = teams.setdefault(key, [])
            units.append(reader.unit(entity, len(units) + 1))
    if reader.problems:
        raise PageError(reader.problems)
    if not teams:
        where = f"encounter {encounter.key}"
        raise InputError(
            "there is no unit that a roster could hold", where=where, found=f"{len(encounter.state)} entities"
        )
    squads: dict[str | None, list[Team]] = {}
    for (squad_uid, team_uid), units in teams.items():
        squads.setdefault(squad_uid, []).append(reader.team(team_uid, units))
    platoon = Platoon(
        encounter.title, tuple([reader.squad(uid, found) for uid, found in squads.items()]), reader.stress()
    )
    extra = next((reader.rest(entity) for entity in encounter.state if entity.role == "platoon"), EMPTY)
    return Force(encounter.key, platoon, extra=extra, added=known.added)


class _Reader:
    """Makes the parts of a force from entities; what is wrong goes to ``problems``."""

    def __init__(self, encounter: Encounter, known: Catalogue) -> None:
        self.encounter = encounter
        self.known = known
        self.problems: list[InputError] = []

    def above(self, entity: Entity, role: str) -> Entity | None:
        while entity.parent is not None:
            entity = self.encounter.state[entity.parent]
            if entity.role == role:
                return entity
        return None

    def sheet(self, entity: Entity) -> Sheet:
        return self.encounter.sheets.get(entity.uid) or Sheet(entity.uid, "", "", "")

    def rest(self, entity: Entity) -> Mapping[str, Value]:
        found = entity.facts.get("extra")
        return found if isinstance(found, Mapping) else EMPTY

    def stress(self) -> int:
        found = [each.value("Stress") for each in self.encounter.state if "Stress" in each.trackers]
        return max(found, default=0)

    def number(self, squad: Entity) -> int:
        """Return the number of a squad, which stands in its code too: ``R-1``."""
        number = squad.facts.get("number")
        said = re.search(r"(\d+)$", self.sheet(squad).code)
        return number if isinstance(number, int) else int(said[1]) if said is not None else 0

    def letter(self, team: Entity) -> str:
        """Return the letter of a team, which stands in its code too: ``R-1A``."""
        said = re.search(r"([A-Z])$", self.sheet(team).code)
        return str(team.facts.get("letter") or (said and said[1]) or "A")

    def squad(self, uid: str | None, teams: list[Team]) -> Squad:
        if uid is None:
            return Squad(None, "", False, tuple(teams), 0)
        entity = self.encounter.state[uid]
        number = self.number(entity)
        title = self.sheet(entity).name.removeprefix(f"Squad {number}").removeprefix(" - ")
        return Squad(number, title, False, tuple(teams), 0, self.rest(entity))

    def team(self, uid: str | None, units: list[Unit]) -> Team:
        if uid is None:
            return Team("", "", None, tuple(units), 0)
        entity = self.encounter.state[uid]
        letter, vehicle = self.letter(entity), entity.facts.get("vehicle")
        squad = self.above(entity, "squad")
        name = self.sheet(entity).name
        if squad is not None:
            name = name.removeprefix(f"Squad {self.number(squad)}, ")
        key = vehicle if isinstance(vehicle, str) and vehicle else None
        if not entity.facts:  # a file of one unit tells of its team the name alone, as a page does
            found = self.known.find("vehicle", name.removesuffix(f" {letter}"))
            key = None if found is None else found.item.key
        return Team(letter, name or f"Team {letter}", key, tuple(units), 0, self.rest(entity))

    def unit(self, entity: Entity, number: int) -> Unit:
        """Return the unit; ``number`` is its place in the team, from 1, as made-up names have it."""
        facts, sheet = entity.facts, self.sheet(entity)
        kind = facts.get("class")
        if not isinstance(kind, str) or not kind:
            hint = "--into ROSTER carries Wounds and Stress into a roster that has the rest"
            self.problems.append(InputError("this unit does not say what it is", where=entity.uid, hint=hint))
            kind = ""
        is_bot = "bot_key" in facts
        worn = facts.get("bot_key" if is_bot else "armor_key")
        wears = self.key("bot" if is_bot else "armor", worn, entity) if worn else None
        carried = facts.get("weapons")
        keys = [self.key("weapon", each, entity) for each in (carried if isinstance(carried, tuple) else ())]
        wounds = entity.trackers.get("Wounds")
        return Unit(
            uid=entity.uid,
            kind=kind,
            wears=wears,
            is_bot=is_bot,
            weapons=tuple([key for key in keys if key is not None]),
            line=0,
            name=_own_name(sheet.name, kind, self.place(entity, number)),
            picture=sheet.picture,
            stats=self.stats(entity, kind, wears, is_bot),
            wounds=0 if wounds is None else wounds.value,
            extra=self.rest(entity),
        )

    def key(self, kind: Kind, key: object, entity: Entity) -> str | None:
        if isinstance(key, str) and key in self.known.all(kind):
            return key
        hint = "it may be of a content pack that is not there"
        self.problems.append(InputError(f"unknown {kind}", where=entity.uid, found=key, hint=hint))
        return None

    def place(self, entity: Entity, number: int) -> str:
        squad, team = self.above(entity, "squad"), self.above(entity, "team")
        above = "" if squad is None else str(self.number(squad))
        letter = "" if team is None else self.letter(team)
        said = re.match(r"[A-Z](\d+-)", self.sheet(entity).code)  # in a company a code has the number of the platoon
        return ("" if said is None else said[1]) + f"{above}{letter}-{number}".lstrip("-")

    def stats(self, entity: Entity, kind: str, wears: str | None, is_bot: bool) -> Mapping[str, int]:
        """Return the numbers that are not those of class and armour."""
        unit_class = self.known.find("class", kind)
        worn = None if wears is None else self.known.item("bot" if is_bot else "armor", wears)
        wounds = entity.trackers.get("Wounds")
        found: dict[str, int] = {}
        for letter, stat in STATS.items():
            own = (wounds and wounds.max) if letter == "W" else entity.facts.get(_FACTS[letter])
            item = (None if unit_class is None else unit_class.item) if stat.of_class else worn
            usual = None if item is None else item.numbers.get(letter)
            if isinstance(own, int) and own != usual:
                found[letter] = own
        return found


def _own_name(name: str, kind: str, place: str) -> str | None:
    """Return the name that a roster gave: mustering adds the place to one that several have, and makes one of none.

    >>> _own_name("Soldier 1A-2", "Soldier", "1A-2"), _own_name("Ana 1A-2", "Soldier", "1A-2"), _own_name("Ana", "CO", "0A-1")
    (None, 'Ana', 'Ana')
    """
    own = name.removesuffix(f" {place}")
    return None if not own or (own == kind and own != name) else own


def with_values(force: Force, values: Mapping[str, Mapping[str, int]]) -> Force:
    """Return the force with other Wounds and Stress; see :func:`rallypoint.disrupter.with_values`."""
    platoons = {uid for uid, each in values.items() if "Stress" in each}
    units = {uid: each for uid, each in values.items() if uid not in platoons}
    stress = next((each["Stress"] for each in values.values() if "Stress" in each), force.platoon.stress)
    platoon = force.platoon._replace(squads=_wounded(force.platoon.squads, units), stress=stress)
    return force._replace(platoon=platoon, left_out=_wounded(force.left_out, units))


def _wounded(squads: Iterable[Squad], values: Mapping[str, Mapping[str, int]]) -> tuple[Squad, ...]:
    def unit(each: Unit) -> Unit:
        found = values.get(each.uid, {})
        more = {name: value for name, value in found.items() if name != "Wounds"}
        extra = with_kept(each.extra, more) if more else each.extra
        return each._replace(wounds=found.get("Wounds", each.wounds), extra=extra)

    def team(each: Team) -> Team:
        return each._replace(units=tuple([unit(inner) for inner in each.units]))

    return tuple([squad._replace(teams=tuple([team(each) for each in squad.teams])) for squad in squads])
