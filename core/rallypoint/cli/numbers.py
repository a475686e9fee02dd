"""The numbers behind a force: what each unit can do, and what its equipment does."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from .terminal import table

if TYPE_CHECKING:
    from rallypoint.content.catalogue import Kind
    from rallypoint.kernel.canonical import Value
    from rallypoint.kernel.encounter import Encounter, Gear, Sheet

__all__ = ["number_lines", "numbers_of", "shown_number"]


def shown_number(number: object) -> str:
    """Return a number of equipment for people; ``None`` is without limit.

    >>> shown_number(3), shown_number(None)
    ('3', 'infinite')
    """
    return "infinite" if number is None else str(number)


def numbers_of(encounter: Encounter) -> Mapping[str, object]:
    """Return the numbers of each unit by uid, and of everything that somebody carries by kind and key, for JSON."""
    equipment: dict[str, dict[str, object]] = {}
    for gear in _carried(encounter):
        row = {"title": gear.title, "numbers": _numbers(gear), "traits": gear.facts.get("traits", ())}
        equipment.setdefault(gear.kind, {})[gear.key] = row
    return {"numbers": {sheet.uid: sheet.stats for sheet in _units(encounter)}, "equipment": equipment}


def number_lines(encounter: Encounter, order: Mapping[Kind, tuple[str, ...]]) -> Iterator[str]:
    """Yield a row for each unit with its numbers, then one for each thing that somebody carries.

    Args:
        encounter: the force.
        order: the columns of each kind of equipment, in the order of the game's tables.
    """
    units = _units(encounter)
    names = list(dict.fromkeys(name for sheet in units for name in sheet.stats))
    yield ""
    yield from table(
        [("unit", *names), *[(sheet.uid, *[str(sheet.stats.get(name, "-")) for name in names]) for sheet in units]]
    )
    by_kind: dict[str, list[Gear]] = {}
    for gear in _carried(encounter):
        by_kind.setdefault(gear.kind, []).append(gear)
    for kind, carried in by_kind.items():
        known = {name for gear in carried for name in _numbers(gear)}
        first = [name for of, names in order.items() if of == kind for name in names if name in known]
        columns = list(dict.fromkeys([*first, *sorted(known)]))
        rows = [
            (gear.title, *[shown_number(_numbers(gear).get(name, "-")) for name in columns], _traits(gear))
            for gear in carried
        ]
        yield ""
        yield from table([(kind, *columns, "traits"), *rows])


def _units(encounter: Encounter) -> list[Sheet]:
    known = encounter.sheets  # a game need not have a sheet for each
    return [known[each.uid] for each in encounter.state if each.role == "unit" and each.uid in known]


def _carried(encounter: Encounter) -> list[Gear]:
    """Return each thing once that somebody carries, wears or is."""
    found = {(gear.kind, gear.key): gear for sheet in encounter.sheets.values() for gear in sheet.gear}
    return sorted(found.values(), key=lambda gear: gear.kind)


def _numbers(gear: Gear) -> Mapping[str, Value]:
    return {
        name: value for name, value in gear.facts.items() if value is None or (type(value) is int and name != "rule")
    }


def _traits(gear: Gear) -> str:
    traits = gear.facts.get("traits", ())
    return ", ".join(str(each) for each in traits) if isinstance(traits, tuple) else ""
