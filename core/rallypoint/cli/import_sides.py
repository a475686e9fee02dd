"""Files of a fight hold several sides; a roster is of one: which part of an import is meant, by the uids of its roster."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple

from rallypoint.kernel.encounter import SIDE, Encounter
from rallypoint.kernel.errors import InputError
from rallypoint.kernel.state import Entity, State

__all__ = ["Part", "one_roster", "part_of"]


class Part(NamedTuple):
    """What belongs to one roster, under the uids that it has there; ``others`` says how many units of whom do not."""

    encounter: Encounter
    others: Mapping[str, int] = MappingProxyType({})

    def lines(self) -> Iterator[str]:
        """Yield a line for each side or platoon that is not meant."""
        for whose, number in self.others.items():
            yield f"{number} unit{'' if number == 1 else 's'} of {whose}: not of this roster"


class _Place(NamedTuple):
    """Where a roster fights: its side and platoon, as far as the files say them, and what its uids begin with there."""

    side: str
    platoon: str
    prefix: str

    @property
    def number(self) -> str:
        """The number of the platoon in the prefix; empty where there is none."""
        return self.prefix.split(".")[1] if self.prefix.count(".") > 1 else ""

    @property
    def whose(self) -> str:
        """The side by its name, or by what the uids begin with."""
        return self.side or self.prefix.partition(".")[0]

    def is_platoon(self, named: str | None) -> bool:
        """Say whether a person means this platoon: by number, code or uid."""
        return named is None or named in (self.number, f"{self.whose[:1].upper()}{self.number}", self.platoon)


def part_of(found: Encounter, roster: Collection[str], side: str | None, platoon: str | None) -> Part:
    """Return the part of an import that a roster's uids stand in, named as there; nothing is taken out where none do.

    Two sides that brought one roster have their uids with the side in front (``red.starter-1A-1-1``), a company that has it
    twice with the number of the platoon, too.

    Args:
        found: what was read.
        roster: the uids of the roster's units.
        side: whose roster it is, where several sides have its units.
        platoon: which platoon it was, by number, code or uid, where one side has them several times.

    Raises:
        InputError: several sides or platoons have its units and none is named, or the one that is named has none of them.
    """
    places = _Places(found)
    units = [entity for entity in found.state if entity.role == "unit" and entity.trackers]
    fitting = Counter(place for unit in units for place in places.fitting(unit, roster))
    if any(not place.prefix for place in fitting):  # as it stands in the roster: nothing is to be guessed
        fitting = Counter({place: number for place, number in fitting.items() if not place.prefix})
    wanted = [place for place in fitting if side in (None, place.whose, "") or not place.whose]
    wanted = [place for place in wanted if place.is_platoon(platoon)]
    if not wanted:
        if side is not None or platoon is not None:
            expected = " or ".join(_named(place) for place in fitting) or None
            raise InputError(
                "nobody of this roster is there", found=" ".join(filter(None, (side, platoon))), expected=expected
            )
        return Part(found)
    if len(wanted) > 1:
        raise _several(wanted)
    return places.part(wanted[0])


def one_roster(found: Encounter, side: str | None, platoon: str | None) -> Part:
    """Return the part of an import that makes one roster: all of it, where there is one side with one platoon.

    Raises:
        InputError: there are several and none is named, or there is none of that name.
    """
    places = _Places(found)
    units = [entity for entity in found.state if entity.role == "unit"]
    own = dict.fromkeys(place for unit in units if (place := places.of(unit)).side)
    wanted = [place for place in own if side in (None, place.side)]
    numbers = {place: str(number) for number, place in enumerate(wanted, 1)}
    wanted = [place for place in wanted if place.is_platoon(platoon) or platoon == numbers[place]]
    if not wanted and own:
        given = " ".join(filter(None, (side, platoon)))
        raise InputError("there is no such side or platoon", found=given, expected=_list(map(_named, own)))
    if len(wanted) > 1:
        raise _several(wanted)
    if not own and (side is not None or platoon is not None):
        raise InputError("these files do not say on which side their units are", expected="no --side and no --platoon")
    if len(own) < 2 and not (wanted and wanted[0].prefix):
        return Part(found)
    return places.part(wanted[0], renamed=True)


def _named(place: _Place) -> str:
    return f"--side {place.whose}" + (f" --platoon {place.number or place.platoon}" if place.number else "")


def _list(names: Iterable[str]) -> str:
    return " or ".join(dict.fromkeys(names))


def _several(places: list[_Place]) -> InputError:
    """Return the error that asks whose the roster is."""
    if len({place.whose for place in places}) > 1:
        found = ", ".join(dict.fromkeys(place.whose for place in places))
        expected = _list(f"--side {place.whose}" for place in places)
        return InputError("these files hold several sides, and a roster is of one", found=found, expected=expected)
    expected = _list(f"--platoon {place.number or place.platoon}" for place in places)
    what = "these files hold several platoons of one side, and a roster is of one"
    return InputError(what, found=places[0].whose, expected=expected)


class _Places:
    """Says of each entity of an import on which side and in which platoon it is."""

    def __init__(self, found: Encounter) -> None:
        self.found = found
        self.of_uid: dict[str, tuple[str, str]] = {"": ("", "")}
        for entity in found.state:
            side, platoon = self.of_uid["" if entity.parent is None else entity.parent]
            told = entity.attributes.get(SIDE)
            side = entity.uid if entity.role == "side" else side or (told if isinstance(told, str) else "")
            self.of_uid[entity.uid] = (side, entity.uid if entity.role == "platoon" and entity.parent else platoon)

    def of(self, entity: Entity) -> _Place:
        """Return the place of a unit, with what its uid and its platoon's begin with."""
        side, platoon = self.of_uid[entity.uid]
        said = re.match(rf"{re.escape(side)}\.(\d+\.)?", entity.uid) if side else None
        return _Place(side, platoon, said[0] if said is not None and platoon.startswith(said[0]) else "")

    def fitting(self, entity: Entity, roster: Collection[str]) -> Iterator[_Place]:
        """Yield the places under which the uid of an entity is one of the roster's."""
        side, platoon = self.of_uid[entity.uid]
        for said in ("", *[each[0] for form in (r"[^.]+\.", r"[^.]+\.\d+\.") if (each := re.match(form, entity.uid))]):
            if entity.uid[len(said) :] in roster and said.startswith((side + ".") if side and said else ""):
                yield _Place(side, platoon, said)

    def part(self, place: _Place, *, renamed: bool = False) -> Part:
        """Return what stands at a place, without its prefix; with ``renamed`` under the key and title of its platoon."""

        def is_here(entity: Entity) -> bool:
            side, platoon = self.of_uid[entity.uid]
            if platoon or entity.role == "side":
                return side == place.side and platoon in ("", place.platoon)
            beside = (not side or place.number) and "." in entity.uid and not entity.uid.startswith(place.prefix)
            return side in ("", place.side) and not beside

        state = self.found.state
        here = [entity for entity in state if is_here(entity)]
        uids = {entity.uid: entity.uid.removeprefix(place.prefix) for entity in here}
        entities = [
            entity._replace(uid=uids[entity.uid], parent=entity.parent and uids[entity.parent]) for entity in here
        ]
        sheets = {uids[uid]: sheet._replace(uid=uids[uid]) for uid, sheet in self.found.sheets.items() if uid in uids}
        part = self.found._replace(state=State.of(entities), sheets=sheets)
        if renamed and place.platoon:
            title = self.found.sheets[place.platoon].name if place.platoon in self.found.sheets else part.title
            title = title.removesuffix(f" {place.number}") if place.number else title
            part = part._replace(key=place.platoon.removeprefix(place.prefix), title=title)
        gone = [entity for entity in state if entity.role == "unit" and entity.trackers and entity.uid not in uids]
        return Part(part, Counter(self._whose(entity, place) for entity in gone))

    def _whose(self, entity: Entity, place: _Place) -> str:
        side, platoon = self.of_uid[entity.uid]
        return platoon if side == place.side and platoon else side or "another side"
