"""Stand-ins for weapons whose content pack is not there: kept by name and marked, without a number."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from types import MappingProxyType

from .catalogue import KINDS, Catalogue, Found, Item, Kind, is_machine_name, machine_name
from .force import Remark, Squad

__all__ = ["UNKNOWN", "remarks_on_stand_ins", "with_stand_ins"]

UNKNOWN = "numbers_unknown"
"""The trait that marks a stand-in."""


class _WithStandIns(Catalogue):
    """A catalogue that has a weapon for every name which nothing is called, or nearly called."""

    def __init__(self, known: Catalogue) -> None:
        items = [item for kind in KINDS for item in known.all(kind).values()]
        super().__init__(
            items,
            known.rules,
            columns=known.columns,
            stats=known.stats,
            sentences=known.sentences,
            added=known.added,
            more_traits=known.more_traits,
            elsewhere=known.elsewhere,
        )

    def find(self, kind: Kind, text: str) -> Found | None:
        found = super().find(kind, text)
        if found is not None or kind != "weapon" or not text.strip() or not text.isprintable():
            return found
        # A slip of the pen stays an error, and so does armour where a weapon should be.
        if any(super(_WithStandIns, self).find(each, text) or self.suggest(each, text) for each in KINDS):
            return None
        key = text if is_machine_name(text) else machine_name(text)
        why = "The content pack that has this weapon is not there: its numbers are not known."
        item = Item("weapon", key, text.strip(), f"unknown:{key}", MappingProxyType({}), (UNKNOWN,), description=why)
        self._items["weapon", key] = item
        self._name(item, item.title, None)
        self.added = (*self.added, item)
        return Found(item, None)


def with_stand_ins(catalogue: Catalogue) -> Catalogue:
    """Return a catalogue that takes weapons which it does not know: by their name, with the trait :data:`UNKNOWN`.

    They have no numbers, not even zeros. All else that is not known, and what is nearly known, is still not found.

    >>> known = with_stand_ins(Catalogue([Item("weapon", "club", "Club", "", {"C": 1})]))
    >>> known.find("weapon", "Plasma Lance").item.key, known.find("weapon", "Clubb"), known.find("armor", "Mail")
    ('plasma_lance', None, None)
    """
    return _WithStandIns(catalogue)


def remarks_on_stand_ins(squads: Iterable[Squad], catalogue: Catalogue) -> Iterator[Remark]:
    """Yield a warning for each weapon that only a stand-in is there for, with the line where it is first carried."""
    marked = {item.key: item for item in catalogue.added if item.kind == "weapon" and item.trait(UNKNOWN) is not None}
    lines: dict[str, list[int]] = {}
    for squad in squads:
        for unit in squad.units:
            for key in dict.fromkeys(unit.weapons):
                if key in marked:
                    lines.setdefault(key, []).append(unit.line)
    for key, places in lines.items():
        found = f"{marked[key].title} ({key}) of {len(places)} unit{'' if len(places) == 1 else 's'}"
        what = "no content pack here has it: kept by its name and marked, its numbers are not known"
        yield Remark(places[0] or None, found, what, None, "warning", "--content PATH names its pack")
