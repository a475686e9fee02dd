"""Contractors and units as plain records: what the conversion takes and gives."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from rallypoint.kernel.canonical import EMPTY, Value

__all__ = ["FIELDS", "Armor", "Contractor", "Figure", "Weapon", "fields_in", "record_of"]

FIELDS = ("figure", "health", "own_stress", "armor_points", "damage_reduction")
"""What a roster may say of a unit for the rules of this package; on a contractor they stand among what nobody else knows."""


def fields_in(extra: Mapping[str, Value]) -> Mapping[str, Value]:
    """Return those of :data:`FIELDS` that stand in ``extra``.

    >>> dict(fields_in({"figure": "pc", "habit": "hums"}))
    {'figure': 'pc'}
    """
    return {name: extra[name] for name in FIELDS if name in extra}


class Weapon(NamedTuple):
    """A weapon of a contractor: damage dice (``3d10``), range band, shots (``None``: unknown), kind of wound."""

    title: str
    damage: str = ""
    range: str = ""
    shots: int | None = None
    wound: str = ""
    anti_armor: bool = False
    note: str = ""


class Armor(NamedTuple):
    """Armour of a contractor: Armour Points and Damage Reduction from 0 up; only what is ``equipped`` protects."""

    title: str
    armor_points: int = 0
    damage_reduction: int = 0
    speed: str = ""
    equipped: bool = True
    note: str = ""


class Contractor(NamedTuple):
    """A contractor; ``None`` and empty texts are unknown.

    ``combat``, ``instinct`` and ``loyalty`` are percent; ``wounds`` are those taken, from 0 up to ``max_wounds``; ``salary`` is
    in credits. ``team`` is squad and team (``1A``), ``speed`` is ``slow`` or ``normal``. ``extra`` holds fields that nobody knows
    here. ``disrupter`` is the record of the unit that it was.
    """

    uid: str
    name: str
    type: str = ""
    combat: int | None = None
    instinct: int | None = None
    loyalty: int | None = None
    wounds: int = 0
    max_wounds: int = 1
    weapons: tuple[Weapon, ...] = ()
    armor: tuple[Armor, ...] = ()
    salary: int | None = None
    motivation: str = ""
    hidden_motivation: str = ""
    speed: str = ""
    team: str = ""
    notes: tuple[str, ...] = ()
    picture: str | None = None
    extra: Mapping[str, Value] = EMPTY
    disrupter: Mapping[str, Value] | None = None


class Figure(NamedTuple):
    """A unit of Disrupter, as far as the conversion is concerned.

    ``kind`` is the class, ``wears`` the key of armour or of a bot's model, ``weapons`` are keys; ``wounds`` are those taken,
    ``max_wounds`` is W. ``instinct``, ``armor`` (percent) and ``movement`` (hexes) are I, A and M. ``place`` says what its
    squad and team are called, ``fields`` holds what the roster says for the rules of this package. ``carried`` is the record of the contractor that it was, where the unit cannot say all of it.
    """

    uid: str
    name: str
    kind: str
    wears: str
    is_bot: bool
    weapons: tuple[str, ...]
    instinct: int
    armor: int
    max_wounds: int
    movement: int
    wounds: int = 0
    team: str = ""
    picture: str | None = None
    place: Mapping[str, Value] = EMPTY
    fields: Mapping[str, Value] = EMPTY
    carried: Mapping[str, Value] | None = None


def record_of(contractor: Contractor) -> dict[str, object]:
    """Return the contractor as a JSON object: what is unknown is left out, so is what the unit was.

    >>> record_of(Contractor("a", "Ana", combat=30, weapons=(Weapon("SMG", "2d10"),)))["weapons"]
    [{'title': 'SMG', 'damage': '2d10'}]
    """
    blank = Contractor("", "")._asdict()
    record = {name: value for name, value in contractor._asdict().items() if value != blank[name]}
    for always in ("uid", "name", "wounds", "max_wounds"):
        record[always] = getattr(contractor, always)
    record["weapons"] = [_short(weapon._asdict(), Weapon("")._asdict()) for weapon in contractor.weapons]
    record["armor"] = [_short(armor._asdict(), Armor("")._asdict()) for armor in contractor.armor]
    if contractor.notes:
        record["notes"] = list(contractor.notes)
    record.pop("disrupter", None)
    return record


def _short(row: dict[str, object], blank: dict[str, object]) -> dict[str, object]:
    return {name: value for name, value in row.items() if name == "title" or value != blank[name]}
