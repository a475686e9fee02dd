"""Encounters of both games as records, and records as encounters."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple

from rallypoint.content.force import short_key
from rallypoint.disrupter import catalogue
from rallypoint.kernel.canonical import Value, freeze
from rallypoint.kernel.encounter import SENT, Encounter, Gear, Sheet
from rallypoint.kernel.errors import InputError
from rallypoint.kernel.state import Entity, State, Tracker

from .reading import Reader, contractor_from
from .records import Armor, Contractor, Figure, Weapon, fields_in, record_of

__all__ = ["GAME", "Group", "contractor_at", "encounter_of", "figures_in", "squad_and_team", "unit_facts", "unit_sheet"]

GAME = "mothership"
"""What :attr:`Encounter.game` is for contractors."""
MOST_STRESS = 20

_TEAM = re.compile(r"(\d{1,3})([A-Z])")
_FACTS = ("salary", "motivation", "hidden_motivation", "speed")
_STATS = {"Combat": "combat", "Instinct": "instinct", "Loyalty": "loyalty"}


class Group(NamedTuple):
    """Contractors that belong together; ``stress`` is that of the whole group, 0 to 20, ``None`` where nobody counts it."""

    key: str
    title: str
    contractors: tuple[Contractor, ...]
    stress: int | None = None


def encounter_of(group: Group) -> Encounter:
    """Return the contractors as an encounter of the game ``mothership``, in the words of this package's docstring.

    One that is in a team (``1A``) stands in a squad and a team, the others right below the group.
    """
    stress = {} if group.stress is None else {"Stress": Tracker(group.stress, 0, MOST_STRESS, "up")}
    entities = {group.key: Entity.new(group.key, "platoon", trackers=stress)}
    sheets = {group.key: Sheet(group.key, group.title, "Group", "")}
    for contractor in group.contractors:
        parent = group.key
        for entity, sheet in squad_and_team(contractor, group.key):
            entities.setdefault(entity.uid, entity)
            sheets.setdefault(entity.uid, sheet)
            parent = entity.uid
        entities[contractor.uid] = _entity(contractor, parent)
        sheets[contractor.uid] = _sheet(contractor)
    return Encounter(group.key, group.title, GAME, State.of(entities.values()), MappingProxyType(sheets))


def squad_and_team(contractor: Contractor, key: str) -> Iterator[tuple[Entity, Sheet]]:
    """Yield the squad and the team that a contractor is in, each below the other, the squad below the group ``key``."""
    match = _TEAM.fullmatch(contractor.team)
    if match is None:
        return
    place = (contractor.disrupter or {}).get("place")
    titles = place if isinstance(place, Mapping) else {}
    number, letter = int(match[1]), match[2]
    squad, team = f"{short_key(key)}-{number}", f"{short_key(key)}-{number}{letter}"
    name = str(titles.get("squad", "")) or f"Squad {number}"
    facts: dict[str, object] = {"number": number}
    yield Entity.new(squad, "squad", parent=key, facts=facts), Sheet(squad, name, "Squad", str(number))
    facts = {"letter": letter}
    if titles.get("vehicle"):
        facts["vehicle"] = titles["vehicle"]
    name = str(titles.get("team", "")) or f"Squad {number}, Team {letter}"
    yield Entity.new(team, "team", parent=squad, facts=facts), Sheet(team, name, "Team", contractor.team)


def _entity(contractor: Contractor, parent: str) -> Entity:
    facts: dict[str, object] = {
        name: value for name in _FACTS if (value := getattr(contractor, name)) not in (None, "")
    }
    if contractor.extra:
        facts["extra"] = contractor.extra
    if contractor.team:
        facts["team"] = contractor.team
    attributes = {}
    if contractor.disrupter is not None:
        facts["disrupter"] = contractor.disrupter
        attributes[SENT] = {"Wounds": contractor.disrupter.get("wounds", 0)}
    wounds = {"Wounds": Tracker(contractor.wounds, 0, contractor.max_wounds, "up")}
    return Entity.new(contractor.uid, "unit", parent=parent, facts=facts, trackers=wounds, attributes=attributes)


def _sheet(contractor: Contractor) -> Sheet:
    stats = {title: value for title, name in _STATS.items() if (value := getattr(contractor, name)) is not None}
    record = record_of(contractor)
    gear = [_gear("weapon", row) for row in _rows(record, "weapons")]
    gear += [_gear("armor", row) for row in _rows(record, "armor")]
    return Sheet(
        contractor.uid,
        contractor.name,
        contractor.type,
        contractor.team,
        MappingProxyType(stats),
        tuple(gear),
        contractor.notes,
        contractor.picture,
    )


def _rows(record: Mapping[str, object], name: str) -> list[Mapping[str, object]]:
    rows = record[name]
    assert isinstance(rows, list)
    return rows


def _gear(kind: str, row: Mapping[str, object]) -> Gear:
    title = str(row["title"])
    facts = freeze({name: value for name, value in row.items() if name != "title"})
    assert isinstance(facts, Mapping)
    return Gear(kind, re.sub(r"[^a-z0-9]+", "_", title.lower()).strip("_") or kind, title, facts)


def contractor_at(encounter: Encounter, entity: Entity) -> Contractor:
    """Return the contractor that an entity of an encounter of ours stands for.

    Facts, stats and gear that are not of this package's words are kept in ``extra``.

    Raises:
        InputError: a field is of the wrong kind; every one of them is named.
    """
    sheet = encounter.sheets.get(entity.uid) or Sheet(entity.uid, "", "", "")
    row: dict[str, object] = dict(entity.facts)
    wounds = entity.trackers.get("Wounds", Tracker(0, 0, 1))
    row |= {
        "uid": entity.uid,
        "name": sheet.name,
        "type": sheet.role,
        "wounds": wounds.value,
        "max_wounds": wounds.max or 1,
    }
    other = {title: value for title, value in sheet.stats.items() if title not in _STATS}
    for title, value in sheet.stats.items():
        if title in _STATS:
            row[_STATS[title]] = value
    row["weapons"] = [_said(piece, Weapon._fields) for piece in sheet.gear if piece.kind == "weapon"]
    row["armor"] = [_said(piece, Armor._fields) for piece in sheet.gear if piece.kind == "armor"]
    row |= {"notes": sheet.notes, "picture": sheet.picture or ""}
    rest = _rest(sheet)
    problems: list[InputError] = []
    found = contractor_from(Reader(row, entity.uid, problems))
    if problems:
        raise InputError("; ".join(str(problem) for problem in problems))
    more: dict[str, object] = {name: tracker.value for name, tracker in entity.trackers.items() if name != "Wounds"}
    more |= {name: value for name, value in (("stats", other), ("gear", rest)) if value}
    extra = freeze({**found.extra, **more})
    assert isinstance(extra, Mapping)
    return found._replace(extra=extra)


def _said(piece: Gear, known: tuple[str, ...]) -> dict[str, object]:
    return {"title": piece.title, **{name: value for name, value in piece.facts.items() if name in known}}


def _rest(sheet: Sheet) -> list[object]:
    """Return the gear, and of weapons and armour the facts, that a record has no place for."""
    found: list[object] = []
    for piece in sheet.gear:
        known = {"weapon": Weapon._fields, "armor": Armor._fields}.get(piece.kind)
        facts = {name: value for name, value in piece.facts.items() if known is None or name not in known}
        if known is None or facts:
            found.append({"kind": piece.kind, "title": piece.title, "facts": facts})
    return found


def figures_in(encounter: Encounter) -> Iterator[Figure]:
    """Yield the units of an encounter of Disrupter.

    Raises:
        InputError: a unit has no class, no weapons or no numbers: the encounter holds trackers alone.
    """
    for entity in encounter.state:
        if entity.role == "unit":
            yield _figure(encounter, entity)


def _figure(encounter: Encounter, entity: Entity) -> Figure:
    facts = entity.facts
    problems: list[InputError] = []
    reader = Reader(facts, entity.uid, problems)
    kind, instinct = reader.text("class"), reader.whole("instinct", 0)
    if not kind or instinct is None:
        raise InputError("this unit says neither class nor Instinct", where=entity.uid)
    sheet = encounter.sheets.get(entity.uid) or Sheet(entity.uid, entity.uid, kind, "")
    wounds = entity.trackers.get("Wounds", Tracker(0, 0, 1))
    extra = reader.mapping("extra") or {}
    carried = extra.get("contractor")
    team, place = _place(encounter, entity)
    figure = Figure(
        uid=entity.uid,
        name=sheet.name,
        kind=kind,
        wears=reader.text("bot_key") or reader.text("armor_key"),
        is_bot="bot_key" in facts,
        weapons=reader.texts("weapons"),
        instinct=instinct,
        armor=reader.whole("armor", 0) or 0,
        max_wounds=wounds.max or 1,
        movement=reader.whole("movement", 0) or 0,
        wounds=wounds.value,
        team=team,
        picture=sheet.picture,
        place=place,
        fields=fields_in(extra),
        carried=carried if isinstance(carried, Mapping) else None,
    )
    if problems:
        raise problems[0]
    return figure


def _place(encounter: Encounter, entity: Entity) -> tuple[str, Mapping[str, Value]]:
    """Return squad and team as ``1A``, and what they are called."""
    number, letter = "", ""
    place: dict[str, Value] = {}
    while entity.parent is not None:
        entity = encounter.state[entity.parent]
        sheet = encounter.sheets.get(entity.uid)
        if entity.role == "team":
            letter = str(entity.facts.get("letter", ""))
            place["vehicle"] = entity.facts.get("vehicle") or ""
        elif entity.role == "squad":
            number = str(entity.facts.get("number", ""))
        if entity.role in ("team", "squad") and sheet is not None:
            place[entity.role] = sheet.name
    return (f"{number}{letter}", {name: value for name, value in place.items() if value}) if letter else ("", {})


def unit_facts(figure: Figure, extra: Mapping[str, Value]) -> Mapping[str, object]:
    """Return the facts that an entity of Disrupter has for a unit; ``extra`` is what a roster keeps besides."""
    facts: dict[str, object] = {
        "class": figure.kind,
        "instinct": figure.instinct,
        "armor": figure.armor,
        "movement": figure.movement,
        "weapons": figure.weapons,
    }
    if figure.wears:
        facts["bot_key" if figure.is_bot else "armor_key"] = figure.wears
    more = {
        **extra,
        **figure.fields,
        **({} if figure.carried is None else {"contractor": _with_unit(figure.carried, figure)}),
    }
    return {**facts, "extra": more} if more else facts


def _with_unit(carried: Mapping[str, Value], figure: Figure) -> Mapping[str, object]:
    """Return what is carried with the unit that it became: whoever shows it must know what was changed since."""
    became = {
        "class": figure.kind,
        "wears": figure.wears,
        "bot": figure.is_bot,
        "weapons": figure.weapons,
        "W": figure.max_wounds,
        "wounds": figure.wounds,
    }
    return {"disrupter": became, **carried}


def unit_sheet(figure: Figure) -> Sheet:
    """Return the sheet of a unit of Disrupter."""
    stats = {
        "Instinct": figure.instinct,
        "Armor": figure.armor,
        "Wounds": figure.max_wounds,
        "Movement": figure.movement,
    }
    gear = tuple(_equipment(figure))
    return Sheet(figure.uid, figure.name, figure.kind, figure.team, MappingProxyType(stats), gear, (), figure.picture)


def _equipment(figure: Figure) -> Iterable[Gear]:
    known = catalogue()
    items = [known.item("bot" if figure.is_bot else "armor", figure.wears)] if figure.wears else []
    items += [known.item("weapon", key) for key in figure.weapons]
    for item in items:
        facts = freeze({**item.numbers, "traits": item.traits})
        assert isinstance(facts, Mapping)
        yield Gear(item.kind, item.key, item.title, facts)
