"""From an object as JSON has it to a contractor: strict about kinds, and nothing is dropped."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from typing import TypeVar

from rallypoint.kernel.canonical import Value, freeze
from rallypoint.kernel.errors import InputError

from .records import Armor, Contractor, Weapon

__all__ = ["Reader", "contractor_from"]

_Part = TypeVar("_Part", Weapon, Armor)
_MOST = 1_000_000_000


class Reader:
    """Reads the fields of one object; what is wrong goes to ``problems``, fields that nobody asks for to ``unknown``.

    Args:
        row: the object.
        where: the place that errors name: ``squad.json: contractors[2]``.
        problems: takes every :class:`~rallypoint.kernel.errors.InputError`.
    """

    def __init__(self, row: Mapping[str, object], where: str, problems: list[InputError]) -> None:
        self.row = row
        self.where = where
        self.problems = problems
        self.asked: set[str] = set()

    def _take(self, name: str, expected: str, fits: Callable[[object], bool]) -> object:
        self.asked.add(name)
        if name not in self.row:
            return None
        value = self.row[name]
        if fits(value):
            return value
        self.problems.append(
            InputError("this field does not fit", where=f"{self.where}.{name}", found=_shown(value), expected=expected)
        )
        return None

    def text(self, name: str) -> str:
        """Return a text, empty where there is none."""
        value = self._take(name, "text", lambda value: isinstance(value, str))
        return value if isinstance(value, str) else ""

    def whole(self, name: str, low: int, high: int = _MOST) -> int | None:
        """Return a whole number from ``low`` to ``high``, or ``None`` where there is none."""

        def fits(value: object) -> bool:
            return type(value) is int and low <= value <= high

        limit = f"{low} or more" if high == _MOST else f"from {low} to {high}"
        value = self._take(name, f"a whole number, {limit}", fits)
        return value if isinstance(value, int) else None

    def yes(self, name: str, otherwise: bool) -> bool:
        """Return true or false."""
        value = self._take(name, "true or false", lambda value: isinstance(value, bool))
        return value if isinstance(value, bool) else otherwise

    def texts(self, name: str) -> tuple[str, ...]:
        """Return a list of texts."""

        def fits(value: object) -> bool:
            return isinstance(value, (list, tuple)) and all(isinstance(each, str) for each in value)

        value = self._take(name, "a list of texts", fits)
        return tuple([str(each) for each in value]) if isinstance(value, (list, tuple)) else ()

    def mapping(self, name: str) -> Mapping[str, Value] | None:
        """Return an object, or ``None`` where there is none."""
        value = self._take(name, "an object", lambda value: isinstance(value, Mapping))
        frozen = None if value is None else freeze(value)
        return frozen if isinstance(frozen, Mapping) else None

    def objects(self, name: str) -> list[Reader]:
        """Return a reader for each object of a list."""

        def fits(value: object) -> bool:
            return isinstance(value, (list, tuple)) and all(isinstance(each, Mapping) for each in value)

        value = self._take(name, "a list of objects", fits)
        rows = value if isinstance(value, (list, tuple)) else ()
        return [Reader(row, f"{self.where}.{name}[{i}]", self.problems) for i, row in enumerate(rows)]

    def unknown(self) -> dict[str, object]:
        """Return the fields that nobody asked for."""
        return {name: value for name, value in self.row.items() if name not in self.asked}

    def refuse_unknown(self) -> None:
        """Note a problem for each field that nobody asked for."""
        for name in self.unknown():
            near = get_close_matches(name, self.asked, 1)
            hint = f"did you mean {near[0]}?" if near else f"the fields are {', '.join(sorted(self.asked))}"
            self.problems.append(InputError("unknown field", where=self.where, found=name, hint=hint))


def _shown(value: object) -> str:
    text = "null" if value is None else repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _weapon(reader: Reader) -> Weapon:
    weapon = Weapon(
        reader.text("title"),
        reader.text("damage"),
        reader.text("range"),
        reader.whole("shots", 0),
        reader.text("wound"),
        reader.yes("anti_armor", False),
        reader.text("note"),
    )
    return _named(weapon, reader)


def _armor(reader: Reader) -> Armor:
    armor = Armor(
        reader.text("title"),
        reader.whole("armor_points", 0, 99) or 0,
        reader.whole("damage_reduction", 0, 99) or 0,
        reader.text("speed"),
        reader.yes("equipped", True),
        reader.text("note"),
    )
    return _named(armor, reader)


def _named(part: _Part, reader: Reader) -> _Part:
    if not part.title.strip() and isinstance(reader.row.get("title", ""), str):
        reader.problems.append(InputError("this needs a title", where=reader.where, expected='"title": "Pulse rifle"'))
    reader.refuse_unknown()
    return part


def _refuse_half_signs(reader: Reader) -> None:
    """Note a problem for each field with half of a sign in it, which JSON can say and no file can hold."""
    for name, value in reader.row.items():
        try:
            json.dumps([name, value], ensure_ascii=False, default=dict).encode()
        except UnicodeEncodeError as error:
            half = repr(error.object[error.start : error.end])
            where = f"{reader.where}.{name}"
            reader.problems.append(
                InputError("half of a sign in a text", where=where, found=half, expected="letters and signs")
            )


def contractor_from(reader: Reader) -> Contractor:
    """Return the contractor that an object says; fields that are not known are kept in ``extra``.

    A contractor without a name is a problem, so are more Wounds taken than there are.
    """
    most = reader.whole("max_wounds", 1, 99)
    taken = reader.whole("wounds", 0, 99) or 0
    extra = reader.mapping("extra") or {}
    contractor = Contractor(
        uid=reader.text("uid"),
        name=reader.text("name"),
        type=reader.text("type"),
        combat=reader.whole("combat", 0, 99),
        instinct=reader.whole("instinct", 0, 99),
        loyalty=reader.whole("loyalty", 0, 99),
        wounds=taken,
        max_wounds=1 if most is None else most,
        weapons=tuple([_weapon(each) for each in reader.objects("weapons")]),
        armor=tuple([_armor(each) for each in reader.objects("armor")]),
        salary=reader.whole("salary", 0),
        motivation=reader.text("motivation"),
        hidden_motivation=reader.text("hidden_motivation"),
        speed=reader.text("speed"),
        team=reader.text("team"),
        notes=reader.texts("notes"),
        picture=reader.text("picture") or None,
        disrupter=reader.mapping("disrupter"),
    )
    if not contractor.name.strip() and isinstance(reader.row.get("name", ""), str):
        reader.problems.append(InputError("a contractor needs a name", where=reader.where, expected='"name": "Ana"'))
    uid = contractor.uid
    if uid and (re.fullmatch(r"[\w.-]+", uid) is None or not uid.strip(".")):
        expected = "letters, digits, - _ and ."
        reader.problems.append(
            InputError("this cannot be a uid", where=reader.where, found=repr(uid), expected=expected)
        )
    _refuse_half_signs(reader)
    if taken > contractor.max_wounds:
        expected = f"0 to {contractor.max_wounds}"
        reader.problems.append(InputError("too many Wounds", where=reader.where, found=taken, expected=expected))
    frozen = freeze({**extra, **reader.unknown()})
    assert isinstance(frozen, Mapping)
    return contractor._replace(extra=frozen)
