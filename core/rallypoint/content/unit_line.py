"""One line of a platoon list: ``2 Soldiers - Power Armor, Pulse Rifle w/ GL``."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from .catalogue import KINDS, Catalogue, Found, Item
from .fields import Fields
from .gear_reader import NOTHING, OWN_FIELDS, GearReader, Own, read_own
from .problems import Problems

__all__ = ["MOST_SIGNS", "MOST_UNITS", "UnitLine", "begins_with_class", "is_kind", "looks_like_units", "read_unit_line"]

MOST_UNITS = 20
"""One line gives at most so many units: far more than any stand or vehicle holds, far less than a slip of the finger."""

MOST_SIGNS = 2000
"""No list of weapons is longer; a longer line is a mistake, and takes long to read."""

FORM = "<number> <class> - <armor or bot>, <weapon>, ..."
"""How a line is written."""

_DASH = r"(?:\s+[-\u2010-\u2015\u2212]\s*|\s*[-\u2010-\u2015\u2212]\s+|\s*[\u2012-\u2015:]\s*)"
_LINE = re.compile(
    rf"(?P<count>[+\-\u2212]?[0-9]+)\s*(?P<times>[x\u00d7]?)\s+(?P<kind>[^,]*?)(?:{_DASH}(?P<gear>.*))?", re.IGNORECASE
)
_WORDS = ("a", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_CLASS = re.compile(r"\W*(?:[0-9]+\s*[x\u00d7]?\s+)?(?P<kind>\w+)", re.IGNORECASE)
_START = re.compile(rf"\W*[0-9]+\s*[x\u00d7]?\s+(?P<kind>\w[\w ]*?){_DASH}", re.IGNORECASE)


class UnitLine(NamedTuple):
    """What one line says.

    ``kind`` is the name of a class, or the roster's own word where the unit has stats of its own; ``wears`` is an item or
    nothing; ``weapons`` are keys, a mounted weapon right behind the one that carries it; ``aliases`` are the names that are
    not the items' own; ``own`` is what stands in braces; ``written`` is the number as it is written where
    that is more than figures (``4x``), else empty.
    """

    number: int
    kind: str
    wears: Item | None
    weapons: tuple[str, ...]
    aliases: tuple[Found, ...]
    line: int
    own: Own = NOTHING
    written: str = ""


def looks_like_units(text: str, catalogue: Catalogue) -> bool:
    """Say whether a line that is not read as a list of units may have been meant as one.

    It starts with a number, a class (or nearly) and a dash, whatever stands before the number.
    """
    start = _START.match(text[:MOST_SIGNS])
    if start is None:
        return False
    kind = start["kind"]
    return catalogue.find("class", kind) is not None or catalogue.suggest("class", kind) is not None


def begins_with_class(text: str, catalogue: Catalogue) -> bool:
    """Say whether a line begins with a class, a number before it or none: ``Soldier with a Pulse Rifle``."""
    start = _CLASS.match(text[:MOST_SIGNS])
    return start is not None and catalogue.find("class", start["kind"]) is not None


def read_unit_line(
    text: str,
    line: int,
    catalogue: Catalogue,
    problems: Problems,
    attributes: Mapping[str, object] = MappingProxyType({}),
) -> UnitLine | None:
    """Return what a line says; where something is wrong with it, note all of that in ``problems`` and return ``None``.

    Args:
        text: the line without its bullet and its braces.
        line: its number in the file, from 1.
        catalogue: what exists.
        problems: takes what is wrong: a number outside 1 to :data:`MOST_UNITS`, an unknown name, a line that ends early,
            a weapon that the armour does not allow.
        attributes: what stands in the braces.
    """
    if len(text) > MOST_SIGNS:
        expected = f"at most {MOST_SIGNS} besides what stands in braces"
        problems.add("this line is too long", line, found=f"{len(text)} signs", expected=expected)
        return None
    parts = _LINE.fullmatch(text)
    if parts is None:
        found, hint = text or "an empty bullet", _number_hint(text, catalogue)
        problems.add("this is not a line of units", line, found=found, expected=FORM, hint=hint)
        if hint is not None:  # its class can be made out: all else that is wrong is told at once
            word, _, rest = text.partition(" ")
            units = text if _in_words(word) is None else rest
            read_unit_line(f"1 {units}", line, catalogue, problems, attributes)
        return None
    before = len(problems)
    reader = GearReader(catalogue, problems, line)
    fields = Fields(attributes, (*OWN_FIELDS, *catalogue.stats), problems, "", line)
    own = read_own(fields, catalogue, {name: attributes[name] for name in catalogue.stats if name in attributes})
    if parts["gear"] is None and not own.stats:
        hint = "the line ends early, or the dash before the armor is missing"
        problems.add("a unit without equipment", line, found=text, expected=FORM, hint=hint)
        return None
    number = _number(parts["count"], line, problems)
    if number > 1 and own.uid is not None:
        problems.add(
            "one id for several units", line, found=own.uid, expected="a line of its own for each unit with an id"
        )
    word = fields.text("class") or parts["kind"].strip()
    unit_class = reader.unit_class(word, own)
    wears, weapons = _gear(parts["gear"], reader, unit_class, own, unarmed="weapons" in attributes)
    if fields.rows("weapons"):
        fields.wrong("weapons", "weapons=[], or no such field: weapons stand before the braces")
    reader.check_unit(unit_class, wears, weapons, own)
    if len(problems) > before:
        return None
    kind = word if unit_class is None else unit_class.title
    keys = tuple([item.key for item in weapons])
    count = "" if parts["count"].isdecimal() and not parts["times"] else parts["count"] + (parts["times"] or "")
    return UnitLine(number, kind, wears, keys, tuple(reader.aliases), line, own, count)


def _number_hint(text: str, catalogue: Catalogue) -> str | None:
    """Return what to do about a line without a number in figures, where its class can be made out."""
    word, _, rest = text.partition(" ")
    number = _in_words(word)
    parts = _LINE.fullmatch(f"1 {text if number is None else rest}")
    found = None if parts is None else catalogue.find("class", parts["kind"])
    if found is None:
        return None
    if number is None:
        return f"the number is missing: 1 {found.item.title}"
    return f"write the number in figures from 0 to 9: {number} {found.item.title}"


def _in_words(word: str) -> int | None:
    """Return the number that a word or the figures of another script stand for, as far as a line may have so many."""
    if word.casefold() in _WORDS:
        return max(_WORDS.index(word.casefold()), 1)
    digits = [str(unicodedata.decimal(sign, "?")) for sign in word[:6]]
    figures = "".join(digits)
    return int(figures) if figures.isdecimal() else None


def _number(count: str, line: int, problems: Problems) -> int:
    number = int(count.replace("\u2212", "-")[:9])
    if not 1 <= number <= MOST_UNITS:
        problems.add("the number of units is out of range", line, found=count, expected=f"1 to {MOST_UNITS}")
    return number


def _gear(
    gear: str | None, reader: GearReader, unit_class: Item | None, own: Own, *, unarmed: bool
) -> tuple[Item | None, list[Item]]:
    """Return what a unit wears and its weapons; with ``unarmed`` the line says that it has none."""
    if gear is None:
        return None, []
    names = [name.strip() for name in gear.split(",")]
    if any(";" in name and not any(reader.catalogue.find(kind, name) for kind in KINDS) for name in names):
        expected = gear.replace(";", ",")
        reader.problem(
            "names are parted by commas", found=gear, expected=expected, hint="put a comma for each semicolon"
        )
        return None, []
    if not all(names):
        hint = "the line ends early, or a comma is one too many"
        reader.problem("a name is missing", found=gear or "nothing", expected=FORM, hint=hint)
    names = [name for name in names if name]
    if own.stats and names and not reader.known_as_wear(names[0]):
        return None, [weapon for name in names for weapon in reader.weapon(name)]
    before = len(reader.problems)
    wears = reader.wears(unit_class, names[0]) if names and (unit_class is not None or own.stats) else None
    weapons = [weapon for name in names[1:] for weapon in reader.weapon(name)]
    # Who stands there without an armour has no weapon either, and one problem says it.
    told = len(reader.problems) > before
    if len(names) == 1 and gear.strip() == names[0] and not (unarmed or own.stats or told):
        hint = "the line ends early, or the weapon was forgotten"
        reader.problem("no weapon is given", found=gear, expected=FORM, hint=hint)
    return wears, weapons


def is_kind(text: str) -> bool:
    """Say whether a word may stand on a line as it is: neither dash nor comma would part it."""
    parts = _LINE.fullmatch(f"1 {text} - x")
    return parts is not None and parts["kind"] == text and parts["gear"] == "x" and "," not in text
