"""What a unit carries from a life as a contractor: its own numbers and things, as far as they still hold.

They stand in the fact ``extra`` under ``contractor``, in the form that squad files of contractors have, with what it became
as a unit under ``disrupter``: what the unit has changed since is converted anew.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from rallypoint.kernel.canonical import EMPTY, Value
from rallypoint.kernel.encounter import Gear
from rallypoint.kernel.errors import InputError
from rallypoint.kernel.state import Entity

__all__ = ["NOTHING", "Carried", "carried_by"]

_HOMELESS = ("hidden_motivation",)
_KNOWN_EXTRAS = ("foundry", "gear")


class Carried(NamedTuple):
    """Numbers in percent, ``None`` where the conversion has to find them; the same for gear of a kind.

    ``others`` are things that no unit has. ``lines`` are for the notes of the sheet, ``lost`` names what has no place there,
    each with the reason.
    """

    role: str = ""
    combat: int | None = None
    instinct: int | None = None
    loyalty: int | None = None
    weapons: tuple[Gear, ...] | None = None
    armor: tuple[Gear, ...] | None = None
    others: tuple[Gear, ...] = ()
    lines: tuple[str, ...] = ()
    lost: tuple[tuple[str, str], ...] = ()


NOTHING = Carried()
"""What a unit carries that never was a contractor."""


class _Record:
    """A carried record; a field of another kind is an error with its place."""

    def __init__(self, row: Mapping[str, Value], where: str) -> None:
        self.row = row
        self.where = where

    def fault(self, name: str, expected: str) -> InputError:
        found = self.row[name]
        where = f"{self.where}.{name}"
        return InputError("this field does not fit", where=where, found=repr(found)[:60], expected=expected)

    def text(self, name: str) -> str:
        value = self.row.get(name, "")
        if not isinstance(value, str):
            raise self.fault(name, "text")
        return value.strip()

    def whole(self, name: str) -> int | None:
        value = self.row.get(name)
        if value is not None and (type(value) is not int or value < 0):
            raise self.fault(name, "a whole number, 0 or more")
        return value if isinstance(value, int) else None

    def yes(self, name: str, otherwise: bool) -> bool:
        value = self.row.get(name, otherwise)
        if not isinstance(value, bool):
            raise self.fault(name, "true or false")
        return value

    def texts(self, name: str) -> tuple[str, ...]:
        value = self.row.get(name, ())
        if not isinstance(value, tuple) or not all(isinstance(each, str) for each in value):
            raise self.fault(name, "a list of texts")
        return tuple([str(each) for each in value])

    def inner(self, name: str) -> _Record:
        value = self.row.get(name, EMPTY)
        if not isinstance(value, Mapping):
            raise self.fault(name, "an object")
        return _Record(value, f"{self.where}.{name}")

    def rows(self, name: str) -> Iterator[_Record]:
        value = self.row.get(name, ())
        if not isinstance(value, tuple):
            raise self.fault(name, "a list of objects")
        for number, each in enumerate(value):
            if not isinstance(each, Mapping):
                raise self.fault(name, "a list of objects")
            yield _Record(each, f"{self.where}.{name}[{number}]")


def carried_by(entity: Entity) -> Carried:
    """Return what a unit carries; :data:`NOTHING` where it carries no contractor.

    Raises:
        InputError: the record is damaged.
    """
    extra = entity.facts.get("extra")
    row = extra.get("contractor") if isinstance(extra, Mapping) else None
    if not isinstance(row, Mapping):
        return NOTHING
    record = _Record(row, f"{entity.uid}: carried contractor")
    was, now = record.inner("disrupter"), _now(entity)
    holds = {name: name not in was.row or was.row[name] == value for name, value in now.items()}
    more = record.inner("extra")
    lost = [*_lost(record, more, entity), *[(f"carried {name}", _CHANGED) for name in _changed(record, holds)]]
    return Carried(
        role=record.text("type") if holds["class"] else "",
        combat=record.whole("combat") if holds["class"] else None,
        instinct=record.whole("instinct") if holds["class"] else None,
        loyalty=record.whole("loyalty"),
        weapons=tuple(map(_weapon, record.rows("weapons"))) if "weapons" in row and holds["weapons"] else None,
        armor=tuple(map(_armor, record.rows("armor"))) if "armor" in row and holds["wears"] else None,
        others=tuple(_others(more)),
        lines=tuple(_lines(record)),
        lost=tuple(lost),
    )


_CHANGED = "the unit is another in this since, so it is converted anew"


def _now(entity: Entity) -> Mapping[str, Value]:
    facts = entity.facts
    return {
        "class": facts.get("class"),
        "wears": facts.get("bot_key") or facts.get("armor_key") or "",
        "weapons": facts.get("weapons", ()),
    }


def _changed(record: _Record, holds: Mapping[str, bool]) -> Iterator[str]:
    """Yield what was carried and holds no more."""
    fields = {"class": ("type", "combat", "instinct"), "wears": ("armor",), "weapons": ("weapons",)}
    for name, held in holds.items():
        yield from [field for field in fields[name] if not held and record.row.get(field)]


def _lost(record: _Record, more: _Record, entity: Entity) -> Iterator[tuple[str, str]]:
    wounds, most = entity.trackers.get("Wounds"), record.whole("max_wounds")
    if most is not None and wounds is not None and wounds.max != most:
        yield f"maximum Wounds {most}", f"the unit has {wounds.max}, kept in our flag alone"
    for name in _HOMELESS:
        if record.text(name):
            yield name.replace("_", " "), "players may read the notes, kept in our flag alone"
    for name in more.row:
        if name not in _KNOWN_EXTRAS:
            yield f"carried {name}", "no field for it, kept in our flag alone"


def _lines(record: _Record) -> Iterator[str]:
    salary, motivation, speed = record.whole("salary"), record.text("motivation"), record.text("speed")
    if salary is not None:
        yield f"Salary: {salary}"
    if motivation:
        yield f"Motivation: {motivation}"
    if speed:
        yield f"Speed: {speed}"
    yield from record.texts("notes")


def _key(title: str, kind: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", title.casefold()).strip("_") or kind


def _weapon(row: _Record) -> Gear:
    facts: dict[str, Value] = {name: row.text(name) for name in ("damage", "range", "wound", "note")}
    facts |= {"shots": row.whole("shots"), "anti_armor": row.yes("anti_armor", False)}
    title = row.text("title")
    return Gear("weapon", _key(title, "weapon"), title, facts)


def _armor(row: _Record) -> Gear:
    facts: dict[str, Value] = {name: row.text(name) for name in ("speed", "note")}
    facts |= {name: row.whole(name) or 0 for name in ("armor_points", "damage_reduction")}
    facts["equipped"] = row.yes("equipped", True)
    title = row.text("title")
    return Gear("armor", _key(title, "armor"), title, facts)


def _others(more: _Record) -> Iterator[Gear]:
    """Yield what is neither weapon nor armour: its facts are the fields that its system kept."""
    for row in more.rows("gear"):
        kind, title = row.text("kind"), row.text("title")
        if kind not in ("weapon", "armor"):
            yield Gear(kind, _key(title, kind), title, row.inner("facts").row)
