"""What equipment exists: plain records, found by any reasonable spelling of their names.

The catalogue knows no game: numbers are named as the game's tables name them, and what an item does is said by traits,
which are machine names with arguments: ``recharge(3)``, ``requires_armor(battle_dress)``.
"""

from __future__ import annotations

import difflib
import hashlib
import re
import unicodedata
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Literal, NamedTuple, TypeAlias

from rallypoint.kernel.errors import InputError

__all__ = ["KINDS", "Catalogue", "Found", "Item", "Kind", "Stat", "is_machine_name", "machine_name", "normal"]

Kind: TypeAlias = Literal["class", "weapon", "armor", "bot", "vehicle"]
"""What an item can be."""

KINDS: tuple[Kind, ...] = ("class", "weapon", "armor", "bot", "vehicle")
"""Every kind, in the order in which people are told of them."""


class Stat(NamedTuple):
    """A number of a unit.

    ``word`` is its name for people, ``of_class`` says that the class gives it and not the armour, and a unit that has less
    than ``least`` could not be played.
    """

    word: str
    of_class: bool = False
    least: int = 0


class Item(NamedTuple):
    """One row of a game's tables.

    ``numbers`` are in the table's own units (``None``: without limit); ``rule`` is the id of the row; ``aliases`` are
    other names and known slips of the pen, ``ruling`` the id of the ruling that lets them stand for this item; ``mounts``
    are the keys of weapons that can be mounted on this one; ``description`` is one line for people.
    """

    kind: Kind
    key: str
    title: str
    rule: str
    numbers: Mapping[str, int | None]
    traits: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    ruling: str | None = None
    mounts: tuple[str, ...] = ()
    description: str = ""

    def number(self, name: str) -> int:
        """Return a number that cannot be without limit.

        Raises:
            InputError: the item has no such number, or it is without limit.
        """
        value = self.numbers.get(name)
        if value is None:
            raise InputError(
                f"the {self.kind} {self.title} needs a limited number", where=self.key, found=value, expected=name
            )
        return value

    def trait(self, name: str) -> tuple[str, ...] | None:
        """Return the arguments of a trait, or ``None`` where the item does not have it.

        >>> cutter = Item("weapon", "laser_cutter", "Laser Cutter", "D-EQ-W9", {}, ("beam", "recharge(3)"))
        >>> cutter.trait("recharge"), cutter.trait("beam"), cutter.trait("indirect")
        (('3',), (), None)
        """
        for trait in self.traits:
            head, _, tail = trait.partition("(")
            if head == name:
                return tuple(part.strip() for part in re.split("[;,]", tail.rstrip(")")) if part.strip())
        return None


class Found(NamedTuple):
    """An item, and the alias by which it was found (``None``: by its own name)."""

    item: Item
    alias: str | None


_MACHINE_NAME = re.compile(r"[a-z0-9]+(?:_[a-z0-9]+)*")


def machine_name(title: str) -> str:
    """Return the key of an item with this title: ASCII letters, digits and underscores.

    What is lost on the way is stood for by six digits of a hash, so that different titles keep different keys.

    >>> machine_name("Smart-Rifle Mk. 2"), machine_name("O'Neil\u2019s Gun")
    ('smart_rifle_mk_2', 'oneils_gun')
    """
    plain = re.sub(r"['\u2018\u2019]", "", unicodedata.normalize("NFC", title).strip())
    ascii_only = unicodedata.normalize("NFKD", plain).encode("ascii", "ignore").decode()
    key = re.sub(r"[^a-z0-9]+", "_", ascii_only.lower()).strip("_")
    if key and plain.isascii():
        return key
    mark = hashlib.sha256(plain.casefold().encode("utf-8", "surrogatepass")).hexdigest()[:6]
    return f"{key or 'item'}_{mark}"


def is_machine_name(text: str) -> bool:
    """Say whether a text can be the key of an item or the name of a trait."""
    return _MACHINE_NAME.fullmatch(text) is not None


_DASHES = re.compile(r"[-\u2010-\u2015\u2212_\s]+")
_QUOTES = str.maketrans({"\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"'})


def normal(text: str) -> str:
    """Return the form of a name in which spellings are compared: no capitals, hyphens, curly quotes, double spaces.

    >>> normal(" Smart\N{NON-BREAKING HYPHEN}Rifle ")
    'smart rifle'
    """
    return _DASHES.sub(" ", text.translate(_QUOTES)).strip().casefold()


def _singular(name: str) -> str:
    return name[:-1] if len(name) > 2 and name.endswith("s") and not name.endswith("ss") else name


class Catalogue:
    """All items of a game.

    Args:
        items: rows of every kind, in the order in which they are listed to people.
        rules: for a trait the id of the rule that gives it its meaning; errors cite it.
        columns: for each kind the names of its numbers, in the order of the game's tables.
        stats: the numbers of a unit that a roster may give itself, by the letter of the game's tables.
        sentences: what the sentences of descriptions mean: traits by the digest of the words
            (:mod:`rallypoint.content.sentences`).
        added: which of the items came from content packs.
        more_traits: names of traits that rules know and no item has.
        elsewhere: what another game calls things: by kind and normal name what to tell people of it.

    Raises:
        InputError: two items of a kind share a key or a name.
    """

    def __init__(
        self,
        items: Iterable[Item],
        rules: Mapping[str, str] = MappingProxyType({}),
        *,
        columns: Mapping[Kind, tuple[str, ...]] = MappingProxyType({}),
        stats: Mapping[str, Stat] = MappingProxyType({}),
        sentences: Mapping[str, tuple[str, ...]] = MappingProxyType({}),
        added: tuple[Item, ...] = (),
        more_traits: frozenset[str] = frozenset(),
        elsewhere: Mapping[tuple[str, str], str] = MappingProxyType({}),
    ) -> None:
        self.rules = MappingProxyType(dict(rules))
        self.columns = MappingProxyType(dict(columns))
        self.stats = MappingProxyType(dict(stats))
        self.sentences = MappingProxyType(dict(sentences))
        self.added = added
        self.more_traits = more_traits
        self.elsewhere = elsewhere
        self._items: dict[tuple[Kind, str], Item] = {}
        self._names: dict[tuple[Kind, str], Found] = {}
        for item in items:
            if (item.kind, item.key) in self._items:
                raise InputError(f"two entries for one {item.kind}", found=item.key)
            self._items[item.kind, item.key] = item
            self._name(item, item.title, None)
            for alias in item.aliases:
                self._name(item, alias, alias)

    def extended(self, added: Iterable[Item]) -> Catalogue:
        """Return a catalogue with more items; one with the kind and key of an old one stands in its place.

        Raises:
            InputError: a name is given to two items of a kind.

        >>> known = Catalogue([Item("weapon", "club", "Club", "", {"C": 1})])
        >>> known.extended([Item("weapon", "club", "Club", "", {"C": 2})]).weapons["club"].numbers["C"], len(known.added)
        (2, 0)
        """
        new = {(item.kind, item.key): item for item in added}
        if not new:
            return self
        kept = {(item.kind, item.key): item for item in self.added} | new
        return Catalogue(
            ({**self._items, **new}).values(),
            self.rules,
            columns=self.columns,
            stats=self.stats,
            sentences=self.sentences,
            added=tuple(kept.values()),
            more_traits=self.more_traits,
            elsewhere=self.elsewhere,
        )

    def knowing(self, traits: Iterable[str], elsewhere: Mapping[tuple[str, str], str]) -> Catalogue:
        """Return a catalogue with the same items that knows more traits, and what another game calls things.

        Args:
            traits: names of traits.
            elsewhere: by kind and name what to tell people who write that name.

        >>> known = Catalogue([]).knowing(["templates"], {("weapon", "Smart Rifle"): "did you mean Sniper Rifle?"})
        >>> sorted(known.traits()), known.known_elsewhere("weapon", "smart-rifle")
        (['templates'], 'did you mean Sniper Rifle?')
        """
        return Catalogue(
            self._items.values(),
            self.rules,
            columns=self.columns,
            stats=self.stats,
            sentences=self.sentences,
            added=self.added,
            more_traits=self.more_traits | set(traits),
            elsewhere={**self.elsewhere, **{(kind, normal(name)): said for (kind, name), said in elsewhere.items()}},
        )

    def known_elsewhere(self, kind: Kind, name: str) -> str | None:
        """Return what to tell somebody who gives a thing the name that another game has for it."""
        found = self.elsewhere.get((kind, normal(name)))
        return found or self.elsewhere.get((kind, _singular(normal(name))))

    def traits(self) -> frozenset[str]:
        """Return the names of all traits that an item has, a known sentence gives, or a rule of a plugin knows."""
        texts = [trait for item in self._items.values() for trait in item.traits]
        texts += [trait for traits in self.sentences.values() for trait in traits]
        return frozenset(text.partition("(")[0] for text in texts) | self.more_traits

    def _name(self, item: Item, name: str, alias: str | None) -> None:
        other = self._names.setdefault((item.kind, normal(name)), Found(item, alias))
        if other.item is not item:
            raise InputError(f"one name for two of kind {item.kind}", found=f"{name}: {other.item.key}, {item.key}")

    @property
    def classes(self) -> Mapping[str, Item]:
        """What a unit can be, by key."""
        return self.all("class")

    @property
    def weapons(self) -> Mapping[str, Item]:
        """Weapons by key."""
        return self.all("weapon")

    @property
    def armor(self) -> Mapping[str, Item]:
        """Armour by key."""
        return self.all("armor")

    @property
    def bots(self) -> Mapping[str, Item]:
        """Models of bots by key."""
        return self.all("bot")

    @property
    def vehicles(self) -> Mapping[str, Item]:
        """Vehicles by key."""
        return self.all("vehicle")

    def all(self, kind: Kind) -> Mapping[str, Item]:
        """Return every item of a kind by key, in the order of the tables."""
        return MappingProxyType({key: item for (of, key), item in self._items.items() if of == kind})

    def item(self, kind: Kind, key: str) -> Item:
        """Return the item with this key.

        Raises:
            InputError: there is none.
        """
        found = self._items.get((kind, key))
        if found is None:
            raise InputError(f"unknown {kind}", found=key, expected=", ".join(self.all(kind)))
        return found

    def find(self, kind: Kind, text: str) -> Found | None:
        """Return what ``text`` names, or ``None``: by key, title or alias, whatever the case, hyphens, plural.

        ``Armour`` is found where ``Armor`` is, as an alias of the roster's own. A name that is only near is not found;
        :meth:`suggest` says which one that is.
        """
        item = self._items.get((kind, text))
        if item is not None:
            return Found(item, None)
        name = normal(text)
        found = self._names.get((kind, name)) or self._names.get((kind, _singular(name)))
        if found is not None or "armour" not in name:
            return found
        found = self.find(kind, name.replace("armour", "armor"))
        # What the game rules on is another name, not another spelling.
        return None if found is None else Found(found.item if found.alias else found.item._replace(ruling=None), text)

    def suggest(self, kind: Kind, text: str) -> str | None:
        """Return the title of the item whose name is nearest to ``text``, or ``None`` where none is near."""
        names = [name for of, name in self._names if of == kind]
        near = difflib.get_close_matches(normal(text), names, 1, 0.75)
        return self._names[kind, near[0]].item.title if near else None

    def titles(self, kind: Kind) -> str:
        """Return the titles of a kind, as a list for people."""
        return ", ".join(item.title for item in self.all(kind).values())
