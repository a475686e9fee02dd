"""One line of a platoon list: ``2 Soldiers - Power Armor, Pulse Rifle w/ GL``."""

from __future__ import annotations

import re
from typing import NamedTuple

from .catalogue import Catalogue, Found, Item, Kind
from .problems import Problems

__all__ = ["MOST_UNITS", "UnitLine", "looks_like_units", "read_unit_line"]

MOST_UNITS = 20
"""One line gives at most so many units: far more than any stand or vehicle holds, far less than a slip of the finger."""

FORM = "<number> <class> - <armor or bot>, <weapon>, ..."
"""How a line is written."""

_DASH = r"(?:\s+[-\u2010-\u2015\u2212]\s*|\s*[-\u2010-\u2015\u2212]\s+|\s*[\u2012-\u2015:]\s*)"
_LINE = re.compile(
    rf"(?P<count>[+\-\u2212]?[0-9]+)\s*[x\u00d7]?\s+(?P<kind>[^,]*?)(?:{_DASH}(?P<gear>.*))?", re.IGNORECASE
)
_START = re.compile(rf"\W*[0-9]+\s*[x\u00d7]?\s+(?P<kind>\w[\w ]*?){_DASH}", re.IGNORECASE)
_WITH = re.compile(r"\s*\bw\s*/\s*|\s+with\s+", re.IGNORECASE)


class UnitLine(NamedTuple):
    """What one line says.

    ``unit_class`` and ``wears`` are items; ``weapons`` are keys, a mounted weapon right behind the one that carries it;
    ``aliases`` are the names that are not the items' own.
    """

    number: int
    unit_class: Item
    wears: Item
    weapons: tuple[str, ...]
    aliases: tuple[Found, ...]
    line: int


def looks_like_units(text: str, catalogue: Catalogue) -> bool:
    """Say whether a line that is not read as a list of units may have been meant as one.

    It starts with a number, a class (or nearly) and a dash, whatever stands before the number.
    """
    start = _START.match(text)
    if start is None:
        return False
    kind = start["kind"]
    return catalogue.find("class", kind) is not None or catalogue.suggest("class", kind) is not None


def read_unit_line(text: str, line: int, catalogue: Catalogue, problems: Problems) -> UnitLine | None:
    """Return what a line says; where something is wrong with it, note all of that in ``problems`` and return ``None``.

    Args:
        text: the line without its bullet.
        line: its number in the file, from 1.
        catalogue: what exists.
        problems: takes what is wrong: a number outside 1 to :data:`MOST_UNITS`, an unknown name, a line that ends early,
            a weapon that the armour does not allow.
    """
    parts = _LINE.fullmatch(text)
    if parts is None:
        problems.add("this is not a line of units", line, found=text or "an empty bullet", expected=FORM)
        return None
    if parts["gear"] is None:
        hint = "the line ends early, or the dash before the armor is missing"
        problems.add("a unit without equipment", line, found=text, expected=FORM, hint=hint)
        return None
    return _UnitReader(line, catalogue, problems).read(parts["count"], parts["kind"], parts["gear"])


class _UnitReader:
    """Reads the three parts of one line."""

    def __init__(self, line: int, catalogue: Catalogue, problems: Problems) -> None:
        self.line = line
        self.catalogue = catalogue
        self.problems = problems
        self.aliases: list[Found] = []

    def read(self, count: str, kind: str, gear: str) -> UnitLine | None:
        before = len(self.problems)
        number = int(count.replace("\u2212", "-")[:9])
        if not 1 <= number <= MOST_UNITS:
            self.problems.add(
                "the number of units is out of range", self.line, found=count, expected=f"1 to {MOST_UNITS}"
            )
        unit_class = self.item("class", kind)
        names = [name.strip() for name in gear.split(",")]
        if not all(names):
            hint = "the line ends early, or a comma is one too many"
            self.problems.add("a name is missing", self.line, found=gear or "nothing", expected=FORM, hint=hint)
        names = [name for name in names if name]
        wears = self.wears(unit_class, names[0]) if unit_class and names else None
        weapons = [weapon for name in names[1:] for weapon in self.weapon(name)]
        if len(names) == 1 and gear.strip() == names[0]:
            hint = "the line ends early, or the weapon was forgotten"
            self.problems.add("no weapon is given", self.line, found=gear, expected=FORM, hint=hint)
        for weapon in sorted({item.title for item in weapons if weapons.count(item) > 1}):
            self.problems.add("a weapon is listed twice", self.line, found=weapon, expected="each weapon once")
        if wears is not None:
            self.check_armor(weapons, wears)
        if unit_class is None or wears is None or len(self.problems) > before:
            return None
        keys = tuple(item.key for item in weapons)
        return UnitLine(number, unit_class, wears, keys, tuple(self.aliases), self.line)

    def wears(self, unit_class: Item, name: str) -> Item | None:
        return self.item("bot" if unit_class.trait("wears_model") is not None else "armor", name)

    def weapon(self, text: str) -> list[Item]:
        """Return a weapon and what is mounted on it."""
        name, *mounted = _WITH.split(text)
        weapon = self.item("weapon", name)
        if weapon is None:
            return []
        if weapon.trait("mounted") is not None:
            self.problems.add(
                "this weapon must be mounted on another", self.line, found=text, expected=f"<weapon> w/ {weapon.title}"
            )
        items = [weapon]
        for mount in mounted:
            item = self.item("weapon", mount)
            if item is not None and item.key not in weapon.mounts:
                fits = ", ".join(self.catalogue.item("weapon", key).title for key in weapon.mounts)
                self.problems.add(
                    f"this cannot be mounted on a {weapon.title}", self.line, found=mount, expected=fits or "nothing"
                )
            items += [] if item is None else [item]
        return items

    def item(self, kind: Kind, name: str) -> Item | None:
        """Return the item of this name, or note that there is none and which one may have been meant."""
        found = self.catalogue.find(kind, name)
        if found is not None:
            self.aliases += [] if found.alias is None else [found]
            return found.item
        near = self.catalogue.suggest(kind, name)
        hint = None if near is None else f"did you mean {near}?"
        others: tuple[Kind, ...] = ("armor", "bot", "weapon", "class", "vehicle")
        for other in others:
            if hint is None and self.catalogue.find(other, name) is not None:
                hint = f"{name} is known as {other}"
        expected = self.catalogue.titles(kind)
        self.problems.add(f"unknown {kind}", self.line, found=name or "nothing", expected=expected, hint=hint)
        return None

    def check_armor(self, weapons: list[Item], wears: Item) -> None:
        counts_as = {wears.key, *(wears.trait("counts_as") or ())}
        for weapon in weapons:
            needed = weapon.trait("requires_armor") or ()
            if needed and counts_as.isdisjoint(needed):
                titles = " or ".join(self.catalogue.item("armor", key).title for key in needed)
                rule = self.catalogue.rules.get("requires_armor")
                self.problems.add(
                    f"{weapon.title} needs {titles}" + (f" ({rule})" if rule else ""),
                    self.line,
                    found=wears.title,
                    expected=f"{titles}, or a model that counts as wearing it",
                )
