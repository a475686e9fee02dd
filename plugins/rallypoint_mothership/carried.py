"""Both ways with nothing lost: each side carries the record of the other, and only what was changed is converted anew."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from rallypoint.kernel.canonical import Value, freeze
from rallypoint.kernel.errors import InputError
from rallypoint.kernel.state import Entity

from .conversion import Choices, Turned, as_contractor, as_figure, choices_of, may_carry, name_of, picture_of
from .reading import Reader, contractor_from
from .records import FIELDS, Contractor, Figure, fields_in, record_of

__all__ = ["Carried", "carried_contractor", "to_contractor", "to_figure"]


class Carried(NamedTuple):
    """The contractor that a unit was, and whether it still wears and carries what it did as that."""

    contractor: Contractor
    same_armor: bool
    same_weapons: bool


def carried_contractor(unit: Entity) -> Carried | None:
    """Return the contractor that a unit of a battle was, ``None`` for a unit that never was one.

    Raises:
        InputError: the carried record is broken.
    """
    extra = unit.facts.get("extra")
    record = extra.get("contractor") if isinstance(extra, Mapping) else None
    if not isinstance(record, Mapping):
        return None
    contractor = _contractor(record, unit.uid)
    was = as_figure(contractor).figure if contractor.disrupter is None else _figure(contractor.disrupter, unit.uid)[0]
    wears = unit.facts.get("bot_key") or unit.facts.get("armor_key") or ""
    return Carried(contractor, wears == was.wears, unit.facts.get("weapons") == was.weapons)


def to_contractor(figure: Figure, key: str, choices: Choices = Choices()) -> Contractor:  # noqa: B008
    """Return the contractor for a unit; where the unit carries the one that it was, with everything that still holds.

    A field of the carried contractor holds as long as the unit has what would be made of it: after a Soldier has become an NCO,
    type, Combat and Instinct are new, and Loyalty, salary and motivation stay.

    Args:
        figure: the unit.
        key: of the encounter, which Loyalty is rolled with.
        choices: the alternatives of the conversion.

    Raises:
        InputError: the carried record is broken.
    """
    fresh = as_contractor(figure, key, choices)
    made = fresh
    if figure.carried is not None:
        old = _contractor(figure.carried, figure.uid)
        was = as_figure(old).figure if old.disrupter is None else _figure(old.disrupter, figure.uid)[0]
        name = old.name if figure.name == name_of(old) else figure.name
        picture = old.picture if figure.picture == picture_of(old) else figure.picture
        unknown = {name: value for name, value in old.extra.items() if name not in FIELDS}
        extra = _frozen({**unknown, **figure.fields})
        made = old._replace(uid=figure.uid, name=name, team=figure.team, picture=picture, extra=extra)
        if figure.kind != was.kind:
            made = made._replace(type=fresh.type, combat=fresh.combat, instinct=fresh.instinct)
        if figure.wears != was.wears:
            made = made._replace(armor=fresh.armor, speed=fresh.speed)
        if figure.weapons != was.weapons:
            made = made._replace(weapons=fresh.weapons)
        if figure.max_wounds != was.max_wounds:
            made = made._replace(max_wounds=figure.max_wounds)
        if figure.wounds != was.wounds:
            made = made._replace(wounds=figure.wounds)
    return made._replace(disrupter=_figure_record(figure, key, choices))


def to_figure(contractor: Contractor) -> Turned:
    """Return the unit for a contractor; where it says what it was as a unit, that, with what was changed since.

    Changed Wounds, armour, weapons, type and name go over what it was; the rest is as it was. What the unit has no place
    for is carried along.

    Raises:
        InputError: the record of the unit is broken.
    """
    fresh, notes = as_figure(contractor)
    if contractor.disrupter is None:
        return Turned(fresh._replace(carried=_frozen(record_of(contractor))), notes)
    kept, key, choices = _figure(contractor.disrupter, contractor.uid)
    was = as_contractor(kept, key, choices)
    made = kept._replace(
        name=name_of(contractor),
        picture=picture_of(contractor),
        team=contractor.team,
        fields=fields_in(contractor.extra),
    )
    if contractor.type != was.type:
        made = made._replace(kind=fresh.kind, is_bot=fresh.is_bot, instinct=fresh.instinct)
    if contractor.armor != was.armor or made.is_bot != kept.is_bot:
        made = made._replace(wears=fresh.wears, armor=fresh.armor, movement=fresh.movement)
    unfit = made.wears != kept.wears and not may_carry(made.weapons, made.wears, made.is_bot)
    if contractor.weapons != was.weapons or unfit:
        made = made._replace(weapons=fresh.weapons)
    if contractor.max_wounds != was.max_wounds:
        made = made._replace(max_wounds=fresh.max_wounds)
    if contractor.wounds != was.wounds:
        made = made._replace(wounds=min(contractor.wounds, made.max_wounds))
    again = as_contractor(made, key, choices)
    if again == contractor._replace(disrupter=None):
        return Turned(made, ())
    record = record_of(contractor)
    if _core(made) != _core(fresh):
        # Who reads this later must know which unit it stood for: the tables alone would make another of it.
        record["disrupter"] = _figure_record(made, key, choices)
    return Turned(made._replace(carried=_frozen(record)), notes if made != kept else ())


def _core(figure: Figure) -> tuple[object, ...]:
    """Return what decides which fields of a carried contractor still hold."""
    return (figure.kind, figure.wears, figure.weapons, figure.max_wounds, figure.wounds)


def _frozen(record: Mapping[str, object]) -> Mapping[str, Value]:
    value = freeze(record)
    assert isinstance(value, Mapping)
    return value


def _contractor(record: Mapping[str, Value], uid: str) -> Contractor:
    problems: list[InputError] = []
    found = contractor_from(Reader(record, f"{uid}: carried contractor", problems))
    if problems:
        raise problems[0]
    return found


def _figure_record(figure: Figure, key: str, choices: Choices) -> Mapping[str, Value]:
    own = {"fields": figure.fields} if figure.fields else {}
    return _frozen(
        {
            **own,
            "class": figure.kind,
            "name": figure.name,
            "wears": figure.wears,
            "bot": figure.is_bot,
            "weapons": figure.weapons,
            "I": figure.instinct,
            "A": figure.armor,
            "W": figure.max_wounds,
            "M": figure.movement,
            "wounds": figure.wounds,
            "team": figure.team,
            "picture": figure.picture or "",
            "place": figure.place,
            "key": key,
            "combat": choices.combat,
            "revolver-bonus": choices.revolver_bonus,
            "anti-armor": choices.anti_armor,
        }
    )


def _figure(record: Mapping[str, Value], uid: str) -> tuple[Figure, str, Choices]:
    problems: list[InputError] = []
    reader = Reader(record, f"{uid}: disrupter", problems)
    figure = Figure(
        uid=uid,
        name=reader.text("name"),
        kind=reader.text("class"),
        wears=reader.text("wears"),
        is_bot=reader.yes("bot", False),
        weapons=reader.texts("weapons"),
        instinct=reader.whole("I", 0) or 0,
        armor=reader.whole("A", 0) or 0,
        max_wounds=reader.whole("W", 0) or 0,
        movement=reader.whole("M", 0) or 0,
        wounds=reader.whole("wounds", 0) or 0,
        team=reader.text("team"),
        picture=reader.text("picture") or None,
        place=reader.mapping("place") or {},
        fields=fields_in(reader.mapping("fields") or {}),
    )
    options = {
        "combat": reader.text("combat") or "half",
        "revolver-bonus": "true" if reader.yes("revolver-bonus", True) else "false",
        "anti-armor": "true" if reader.yes("anti-armor", False) else "false",
    }
    key = reader.text("key")
    if problems:
        raise problems[0]
    return figure, key, choices_of(options)
