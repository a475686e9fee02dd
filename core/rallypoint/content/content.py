"""Content that extends a game, as it was read from packs and pages.

Nothing is silent: every table and every sentence is read or listed, and the counts add up.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from rallypoint.kernel.canonical import Value, freeze
from rallypoint.kernel.errors import InputError

from .catalogue import KINDS, Catalogue, Item, Kind
from .problems import PageError, Problems

__all__ = ["Content", "Entry", "LeftOut", "Unknown", "changes"]


class Entry(NamedTuple):
    """One item and where it stands; ``replaces`` is the key of the item that it takes the place of."""

    item: Item
    path: str
    line: int
    replaces: str | None = None


class LeftOut(NamedTuple):
    """Something that was not read, and why."""

    path: str
    line: int | None
    found: str
    why: str

    def __str__(self) -> str:
        return f"{self.path}{'' if self.line is None else f':{self.line}'}: {self.found}: {self.why}"


class Unknown(NamedTuple):
    """A sentence or a trait that no rule knows: it is kept with its item and does nothing."""

    path: str
    line: int
    item: str
    text: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.item}: {self.text}"


class Content(NamedTuple):
    """What was read from files and folders.

    ``tables`` is how many tables of equipment there were in all, ``sentences`` how many sentences of descriptions.
    """

    files: tuple[str, ...]
    entries: tuple[Entry, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    unknown: tuple[Unknown, ...] = ()
    sentences: int = 0

    @property
    def complete(self) -> bool:
        """Whether all was understood; a page without any table (a README) is listed and does no harm."""
        return not self.unknown and all(each.line is None for each in self.left_out)

    @property
    def counts(self) -> Mapping[str, int]:
        """How much of what: ``found`` things are ``items`` plus ``left_out``; ``sentences`` are known plus unknown."""
        kinds = {kind: sum(entry.item.kind == kind for entry in self.entries) for kind in KINDS}
        return {
            "files": len(self.files),
            "found": len(self.entries) + len(self.left_out),
            "items": len(self.entries),
            "left_out": len(self.left_out),
            "sentences": self.sentences,
            "unknown": len(self.unknown),
            **{kind: number for kind, number in kinds.items() if number},
        }

    def document(self) -> Value:
        """Return all of it as a value for JSON."""
        return freeze(
            {
                "files": self.files,
                "counts": self.counts,
                "items": [{**_row(entry.item), "path": entry.path, "line": entry.line} for entry in self.entries],
                "left_out": [{**each._asdict(), "text": str(each)} for each in self.left_out],
                "unknown": [{**each._asdict(), "where": f"{each.path}:{each.line}"} for each in self.unknown],
            }
        )

    def extended(self, catalogue: Catalogue) -> Catalogue:
        """Return the catalogue with these items.

        Raises:
            PageError: an item has the key or a name of another and does not say that it replaces it, replaces what is not
                there, or names armour or weapons that nobody has; it holds every problem.
        """
        found = [*_clashes(self.entries, catalogue)]
        if not found:
            new = catalogue.extended(entry.item for entry in self.entries)
            found = [*_dangling(self.entries, new)]
            if not found:
                return new
        raise PageError(found)


def _row(item: Item) -> Mapping[str, object]:
    return {**item._asdict(), "numbers": dict(item.numbers)}


# Names


def _clashes(entries: Sequence[Entry], catalogue: Catalogue) -> Iterable[InputError]:
    """Yield what is wrong with the names of new items."""
    known: dict[tuple[Kind, str], str] = {(kind, key): "the game" for kind in KINDS for key in catalogue.all(kind)}
    for entry in entries:
        item, place = entry.item, (entry.item.kind, entry.item.key)
        if entry.replaces is not None:
            if (item.kind, entry.replaces) not in known:
                near = difflib.get_close_matches(entry.replaces, list(catalogue.all(item.kind)), 1, 0.6)
                hint = f"did you mean {near[0]}?" if near else None
                what, expected = f"{item.title} replaces what is not there", ", ".join(catalogue.all(item.kind))
                yield _error(entry, what, entry.replaces, expected, hint)
            elif entry.replaces != item.key:
                yield _error(entry, f"{item.title} replaces an item of another key", entry.replaces, item.key)
            continue
        named = catalogue.find(item.kind, item.title)
        taken = known.get(place)
        if taken is None and named is not None:
            taken = f"the game, as {named.item.key}"
        if taken is not None:
            key = item.key if named is None else named.item.key
            what = f"the {item.kind} {item.title} is there already"
            hint = f'give it another name, or say replaces = "{key}"'
            yield _error(entry, what, f"in {taken}", "a name that nobody has", hint)
        known[place] = f"{entry.path}:{entry.line}"


def _dangling(entries: Sequence[Entry], catalogue: Catalogue) -> Iterable[InputError]:
    """Yield what items name and nobody has: armour that a weapon needs, weapons that can be mounted."""
    for entry in entries:
        item = entry.item
        for kind, keys in (("armor", item.trait("requires_armor") or ()), ("armor", item.trait("counts_as") or ())):
            for key in keys:
                if key not in catalogue.armor:
                    yield _error(entry, f"{item.title} names an unknown {kind}", key, ", ".join(catalogue.armor))
        for key in item.mounts:
            if key not in catalogue.weapons:
                yield _error(entry, f"{item.title} mounts an unknown weapon", key, ", ".join(catalogue.weapons))


def _error(entry: Entry, what: str, found: str, expected: str, hint: str | None = None) -> InputError:
    return InputError(what, path=entry.path, line=entry.line, found=found, expected=expected, hint=hint)


# Two versions


def changes(old: Content, new: Content) -> Mapping[str, tuple[str, ...]]:
    """Return the kinds and keys of items by what became of them: changed, added, gone, unchanged."""
    before = {f"{entry.item.kind} {entry.item.key}": entry.item for entry in old.entries}
    after = {f"{entry.item.kind} {entry.item.key}": entry.item for entry in new.entries}
    both = [name for name in after if name in before]
    return {
        "changed": tuple([name for name in both if before[name] != after[name]]),
        "added": tuple([name for name in after if name not in before]),
        "gone": tuple([name for name in before if name not in after]),
        "unchanged": tuple([name for name in both if before[name] == after[name]]),
    }


def check_trait(trait: str, traits: frozenset[str]) -> tuple[bool, str | None]:
    """Return whether a trait has the form of one and some item has its name, and which one it may have meant.

    >>> check_trait("recharg(3)", frozenset({"recharge"})), check_trait("recharge(3)", frozenset({"recharge"}))
    ((False, 'recharge'), (True, None))
    """
    name = trait.partition("(")[0]
    form = re.fullmatch(r"[a-z][a-z0-9_]*(?:\([^()]*\))?", trait) is not None
    near = difflib.get_close_matches(name, sorted(traits), 1, 0.75) if name not in traits else []
    return form and name in traits, near[0] if near else None


def note_trait(trait: str, line: int, where: str | None, traits: frozenset[str], problems: Problems) -> bool:
    """Note a trait that is misspelt or has not the form of one; return whether it is known."""
    known, near = check_trait(trait, traits)
    if near is not None:
        problems.add(
            "unknown trait",
            line,
            found=trait,
            expected=", ".join(sorted(traits)),
            hint=f"did you mean {near}?",
            where=where,
        )
    elif not known and re.fullmatch(r"[a-z][a-z0-9_]*(?:\([^()]*\))?", trait) is None:
        problems.add(
            "this is not a trait", line, found=trait, expected="a machine name such as recharge(3)", where=where
        )
    return known
