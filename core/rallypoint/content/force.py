"""A force as a roster says it: Force > Platoon > Squad > Team > Unit, with names that stay the same on every run."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from rallypoint.kernel.canonical import Value, freeze

__all__ = ["Force", "Platoon", "Remark", "Squad", "Team", "Unit", "force_key", "short_key"]


class Remark(NamedTuple):
    """Something that was read differently than it was written, or left out; ``str()`` gives the sentence.

    ``line`` counts from 1 (``None``: the whole file), ``found`` is what stands there, ``taken_as`` what became of it,
    ``rule`` the id of the rule that says so, where there is one.
    """

    line: int | None
    found: str
    taken_as: str
    rule: str | None = None

    def __str__(self) -> str:
        where = "" if self.line is None else f"line {self.line}: "
        rule = "" if self.rule is None else f" ({self.rule})"
        return f"{where}{self.found}: {self.taken_as}{rule}"


class Unit(NamedTuple):
    """One figure.

    ``kind`` is the class's name (``CO``, ``NCO``, ``Soldier``, ``Bot``), ``wears`` the key of its armour, or of its
    model where it ``is_bot``; ``weapons`` are keys in the order in which they are written; ``line`` is where it stands.
    """

    uid: str
    kind: str
    wears: str
    is_bot: bool
    weapons: tuple[str, ...]
    line: int
    name: str | None = None
    picture: str | None = None


class Team(NamedTuple):
    """One stand or vehicle; ``vehicle`` is the key of the vehicle, ``title`` what is written: ``Team A``, ``Boat A``."""

    letter: str
    title: str
    vehicle: str | None
    units: tuple[Unit, ...]
    line: int


class Squad(NamedTuple):
    """A squad; ``title`` is what follows its number (``Infantry``; may be empty)."""

    number: int
    title: str
    optional: bool
    teams: tuple[Team, ...]
    line: int

    @property
    def units(self) -> tuple[Unit, ...]:
        """The units of all its teams."""
        return tuple(unit for team in self.teams for unit in team.units)


class Platoon(NamedTuple):
    """A platoon: its title and its squads."""

    title: str
    squads: tuple[Squad, ...]


class Force(NamedTuple):
    """What one roster brings to a fight.

    ``key`` is its machine name; ``left_out`` are the optional squads that nobody asked for; ``remarks`` say what was read
    differently than it was written.
    """

    key: str
    platoon: Platoon
    left_out: tuple[Squad, ...] = ()
    remarks: tuple[Remark, ...] = ()

    @property
    def title(self) -> str:
        """The platoon's title."""
        return self.platoon.title

    @property
    def units(self) -> tuple[Unit, ...]:
        """All units, in the order of the roster."""
        return tuple(unit for squad in self.platoon.squads for unit in squad.units)

    @property
    def counts(self) -> Mapping[str, int]:
        """How much of what: ``read`` units are ``units`` plus ``left_out``; then squads, teams and each class."""
        kinds = Counter(unit.kind for unit in self.units)
        left_out = sum(len(squad.units) for squad in self.left_out)
        return {
            "read": len(self.units) + left_out,
            "units": len(self.units),
            "left_out": left_out,
            "squads": len(self.platoon.squads),
            "teams": sum(len(squad.teams) for squad in self.platoon.squads),
            **{kind: kinds[kind] for kind in sorted(kinds)},
        }

    def document(self) -> Value:
        """Return the force as a value for JSON: platoon, squads, teams, units, nested under these names."""
        return freeze(
            {
                "key": self.key,
                "title": self.title,
                "platoon": {"title": self.title, "squads": [_squad(squad) for squad in self.platoon.squads]},
                "left_out": [_squad(squad) for squad in self.left_out],
                "counts": self.counts,
                "remarks": [{**remark._asdict(), "text": str(remark)} for remark in self.remarks],
            }
        )


def _squad(squad: Squad) -> Mapping[str, object]:
    teams = [
        {
            "letter": team.letter,
            "title": team.title,
            "vehicle": team.vehicle,
            "units": [_unit(unit) for unit in team.units],
        }
        for team in squad.teams
    ]
    return {"number": squad.number, "title": squad.title, "optional": squad.optional, "teams": teams}


def _unit(unit: Unit) -> Mapping[str, object]:
    row: dict[str, object] = {
        "uid": unit.uid,
        "kind": unit.kind,
        "bot" if unit.is_bot else "armor": unit.wears,
        "weapons": unit.weapons,
        "line": unit.line,
    }
    row.update(_given("name", unit.name))
    row.update(_given("picture", unit.picture))
    return row


def _given(name: str, value: str | None) -> Iterator[tuple[str, object]]:
    if value is not None:
        yield name, value


_LONGEST = 24  # characters of a key that stands in every uid


def force_key(title: str) -> str:
    """Return the machine name of a title: ASCII letters, digits and hyphens, never empty, at most 31 characters.

    What is lost on the way (other scripts, a long tail) is stood for by six digits of a hash, so that different titles
    keep different keys.

    >>> force_key("Starter Platoon")
    'starter-platoon'
    """
    plain = unicodedata.normalize("NFC", title).strip()
    # Accents may go, letters may not: the hash tells "Zolw" and its Polish original apart all the same.
    ascii_only = unicodedata.normalize("NFKD", plain).encode("ascii", "ignore").decode()
    key = re.sub(r"[^a-z0-9]+", "-", ascii_only.lower()).strip("-")
    if key and len(key) <= _LONGEST and plain.isascii():
        return key
    mark = hashlib.sha256(plain.casefold().encode("utf-8", "surrogatepass")).hexdigest()[:6]
    return f"{key[:_LONGEST].rstrip('-') or 'force'}-{mark}"


def short_key(key: str) -> str:
    """Return the start of every uid in a force: its key without the word that says it is a platoon.

    >>> short_key("starter-platoon"), short_key("platoon")
    ('starter', 'platoon')
    """
    return key.removesuffix("-platoon") or key
