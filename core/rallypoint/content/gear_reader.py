"""What a unit is, wears and carries, whatever the file: names become items, and what does not fit is noted."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from rallypoint.kernel.canonical import EMPTY, Value

from .catalogue import KINDS, Catalogue, Found, Item, Kind
from .fields import Fields
from .force import NO_STATS
from .problems import Problems

__all__ = ["NOTHING", "OWN_FIELDS", "GearReader", "Own", "is_picture", "read_own"]

OWN_FIELDS = ("id", "class", "name", "image", "wounds", "weapons")
"""What the braces of a line may hold besides stats; ``weapons=[]`` says that there are none."""

MOST = 9999
"""No number of a unit is larger."""

MOST_WEAPONS = 50
"""Nobody carries more."""

MOST_SIGNS = 500
"""No weapon's name is longer, with all that is mounted on it."""

_QUOTED = re.compile(r"(.+?)\s*[\"\u201c\u201e]([^\"\u201c\u201d\u201e]+)[\"\u201c\u201d]")
_WITH = re.compile(r"\s*\bw\s*/\s*|\s+with\s+", re.IGNORECASE)


class Own(NamedTuple):
    """What a unit has for itself."""

    uid: str | None = None
    name: str | None = None
    picture: str | None = None
    stats: Mapping[str, int] = NO_STATS
    wounds: int = 0
    extra: Mapping[str, Value] = EMPTY


NOTHING = Own()
"""A unit that has nothing for itself."""


def read_own(fields: Fields, catalogue: Catalogue, stats: object) -> Own:
    """Return what a unit has for itself.

    Args:
        fields: its table; ``id``, ``name``, ``image``, ``wounds`` and all that is not known are taken.
        catalogue: says which stats there are.
        stats: numbers by the letters of the game's tables, or by their words.
    """
    if not fields.row and not stats:
        return NOTHING
    uid = fields.text("id")
    if uid is not None and (not uid or not uid.isprintable() or uid != uid.strip()):
        fields.wrong("id", "printable signs without blanks at the ends", "this cannot be an id")
    numbers = _stats(fields, catalogue, stats)
    return Own(
        uid,
        fields.text("name") or None,
        _picture(fields),
        MappingProxyType(numbers) if numbers else NO_STATS,
        fields.number("wounds", 0, MOST, 0),
        fields.rest(),
    )


def is_picture(text: str) -> bool:
    """Say whether a text is an address or a path that nothing but a picture can be meant by.

    >>> is_picture("pictures/raven.png"), is_picture("/etc/passwd"), is_picture("javascript:x")
    (True, False, False)
    """
    scheme, _, rest = text.partition(":")
    is_address = scheme.casefold() in ("http", "https") and rest.startswith("//") and len(rest) > 2
    is_data = scheme.casefold() == "data" and rest.casefold().startswith("image/")
    before = re.split(r"[/?#]", text)[0]
    is_path = ":" not in before and text[:1] not in ("", "/", "\\") and text == text.strip()
    return is_address or is_data or is_path


def _picture(fields: Fields) -> str | None:
    text = fields.text("image")
    if not text:
        return None
    if not is_picture(text):
        fields.wrong(
            "image", "http://..., https://..., data:image/... or a path such as pictures/raven.png", "no picture"
        )
        return None
    return text


def _stats(fields: Fields, catalogue: Catalogue, stats: object) -> dict[str, int]:
    letters = {stat.word.casefold(): letter for letter, stat in catalogue.stats.items()}
    letters |= {letter.casefold(): letter for letter in catalogue.stats}
    own = Fields(stats, tuple(catalogue.stats), fields.problems, fields.place("stats"), fields.line)
    found: dict[str, int] = {}
    for name in own.row:
        letter = letters.get(name.casefold())
        if letter is None:
            expected = ", ".join(f"{letter} ({stat.word})" for letter, stat in catalogue.stats.items())
            own.wrong(name, expected or "no stats in this game", "unknown stat")
        elif letter in found:
            own.wrong(name, f"{letter} once", "a stat is given twice")
        else:
            least = catalogue.stats[letter].least
            found[letter] = own.number(name, least, MOST, least)
    return {letter: found[letter] for letter in catalogue.stats if letter in found}


class GearReader:
    """Reads one unit; ``line`` or ``where`` say where it stands, ``aliases`` gathers names that are not the items' own."""

    def __init__(self, catalogue: Catalogue, problems: Problems, line: int | None, where: str | None = None) -> None:
        self.catalogue = catalogue
        self.problems = problems
        self.line = line
        self.where = where
        self.aliases: list[Found] = []

    def problem(self, what: str, *, found: str, expected: str, hint: str | None = None, of: str = "") -> None:
        """Note what is wrong; ``of`` is the field where the file has fields."""
        place = None if self.where is None else self.where + (f".{of}" if of else "")
        self.problems.add(what, self.line, found=found, expected=expected, hint=hint, where=place)

    def unit_class(self, name: str, own: Own) -> Item | None:
        """Return the class of this name; ``None`` for a word of the roster's own, which needs stats of its own."""
        found = self.catalogue.find("class", name)
        if found is None and own.stats and name.strip():
            stats = self.catalogue.stats.items()
            missing = [letter for letter, stat in stats if stat.of_class and letter not in own.stats]
            if missing:
                expected = f"one of {self.catalogue.titles('class')}, or {', '.join(missing)} among its stats"
                self.problem("a stat is missing for a kind that is no class", found=name, expected=expected, of="class")
            return None
        return self.item("class", name, "class")

    def wears(self, unit_class: Item | None, name: str) -> Item | None:
        """Return the armour of a unit, or its model where its class wears one."""
        if unit_class is None and self.catalogue.find("armor", name) is None:
            return self.item("bot", name, "bot")
        is_bot = unit_class is not None and unit_class.trait("wears_model") is not None
        kind: Kind = "bot" if is_bot else "armor"
        return self.item(kind, name, kind)

    def known_as_wear(self, name: str) -> bool:
        """Say whether a name is that of an armour or a model, or nothing that a unit could carry."""
        worn = self.catalogue.find("armor", name) or self.catalogue.find("bot", name)
        return worn is not None or (
            self.catalogue.find("weapon", _WITH.split(name)[0]) is None
            and self.catalogue.suggest("armor", name) is not None
        )

    def weapon(self, text: str) -> list[Item]:
        """Return a weapon and what is mounted on it."""
        if len(text) > MOST_SIGNS:
            expected = f"at most {MOST_SIGNS} signs"
            self.problem("this is too long for a weapon", found=f"{len(text)} signs", expected=expected, of="weapons")
            return []
        name, *mounted = _WITH.split(text)
        weapon = self.item("weapon", name, "weapons")
        if weapon is None:
            return []
        if weapon.trait("mounted") is not None:
            expected = f"<weapon> w/ {weapon.title}"
            self.problem("this weapon must be mounted on another", found=text, expected=expected, of="weapons")
        return [weapon, *[item for mount in mounted for item in self.mounted(mount, weapon)]]

    def mounted(self, name: str, carrier: Item) -> list[Item]:
        """Return a weapon that is mounted on another."""
        item = self.item("weapon", name, "weapons")
        if item is not None and item.key not in carrier.mounts:
            fits = ", ".join(self.catalogue.item("weapon", key).title for key in carrier.mounts)
            what = f"this cannot be mounted on a {carrier.title}"
            self.problem(what, found=name, expected=fits or "nothing", of="weapons")
        return [] if item is None else [item]

    def listed(self, names: tuple[str, ...]) -> list[Item]:
        """Return the weapons of a list in which a mounted one stands right behind the one that carries it."""
        if len(names) > MOST_WEAPONS:
            expected = f"at most {MOST_WEAPONS}"
            self.problem("too many weapons", found=str(len(names)), expected=expected, of="weapons")
            return []
        found: list[Item] = []
        carrier: Item | None = None
        for name in names:
            known = self.catalogue.find("weapon", name)
            if known is not None and carrier is not None and known.item.trait("mounted") is not None:
                found += self.mounted(name, carrier)
                continue
            weapons = self.weapon(name)
            carrier = weapons[0] if weapons else None
            found += weapons
        return found

    def item(self, kind: Kind, name: str, of: str) -> Item | None:
        """Return the item of this name, or note that there is none and which one may have been meant."""
        found = self.catalogue.find(kind, name)
        if found is not None:
            self.aliases += [] if found.alias is None else [found]
            return found.item
        near = self.catalogue.suggest(kind, name)
        hint = self._named(kind, name) or self._of_another_game(kind, name)
        hint = hint or (None if near is None else f"did you mean {near}?")
        for other in KINDS:
            if hint is None and other != kind and self.catalogue.find(other, name) is not None:
                hint = f"{name} is known as {other}"
        if hint is None and name:
            hint = self._elsewhere(kind)
        expected = self.catalogue.titles(kind)
        self.problem(f"unknown {kind}", found=name or "nothing", expected=expected, hint=hint, of=of)
        return None

    def _named(self, kind: Kind, name: str) -> str | None:
        """Return where the name of a person goes that stands in quotes behind the class."""
        said = _QUOTED.fullmatch(name)
        if kind != "class" or self.where is not None or said is None or self.catalogue.find("class", said[1]) is None:
            return None
        return f'a name stands in braces at the end of the line: {{name="{said[2]}"}}'

    def _of_another_game(self, kind: Kind, name: str) -> str | None:
        """Return what a thing is called here that has this name in another game; a pack may have it all the same."""
        found = self.catalogue.known_elsewhere(kind, name)
        return found if found is None or kind == "class" else f"{found}, or {self._elsewhere(kind)}"

    def _elsewhere(self, kind: Kind) -> str | None:
        """Return where else a name that nobody knows may come from."""
        if kind != "class":
            return "is it in a content pack? --content PATH names one"
        own = ", ".join(f"{letter}=50" for letter, stat in self.catalogue.stats.items() if stat.of_class)
        place = f"{{{own}}} at the end of the line" if self.where is None else f"stats with {own}"
        return f"any other class needs stats of its own: {place}" if own else None

    def check_unit(self, unit_class: Item | None, wears: Item | None, weapons: list[Item], own: Own) -> None:
        """Note what does not fit together: armour that a weapon needs, stats that nothing gives."""
        self._check_armor(weapons, wears)
        if wears is None and own.stats:
            missing = [
                letter for letter, stat in self.catalogue.stats.items() if not stat.of_class and letter not in own.stats
            ]
            if missing:
                expected = f"an armor, or {', '.join(missing)} among its stats"
                self.problem(
                    "a unit without armor needs stats of its own",
                    found=", ".join(own.stats),
                    expected=expected,
                    of="stats",
                )

    def _check_armor(self, weapons: list[Item], wears: Item | None) -> None:
        counts_as = set() if wears is None else {wears.key, *(wears.trait("counts_as") or ())}
        for weapon in weapons:
            needed = weapon.trait("requires_armor") or ()
            if needed and counts_as.isdisjoint(needed):
                titles = " or ".join(self.catalogue.item("armor", key).title for key in needed)
                rule = self.catalogue.rules.get("requires_armor")
                what = f"{weapon.title} needs {titles}" + (f" ({rule})" if rule else "")
                expected = f"{titles}, or a model that counts as wearing it"
                self.problem(what, found="no armor" if wears is None else wears.title, expected=expected, of="weapons")
