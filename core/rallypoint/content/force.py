"""A force as a roster says it: Force > Platoon > Squad > Team > Unit, with names that stay the same on every run."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections import Counter
from collections.abc import Mapping
from typing import Literal, NamedTuple, TypeAlias

from rallypoint.kernel.canonical import EMPTY, Value, freeze

from .catalogue import Item

__all__ = [
    "NO_STATS",
    "Force",
    "Forces",
    "Platoon",
    "Remark",
    "Severity",
    "Squad",
    "Team",
    "Unit",
    "each_of",
    "force_key",
    "is_cut",
    "same_force",
    "short_key",
]

Severity: TypeAlias = Literal["note", "advice", "warning", "error"]
"""How much a remark matters: ``note`` says how something was read, an ``error`` stops a battle, not a roster."""

NO_STATS: Mapping[str, int] = EMPTY  # type: ignore[assignment]
"""The stats of a unit that has none of its own."""


class Remark(NamedTuple):
    """Something to know about a roster: read differently than written, left out, or against a rule.

    ``str()`` gives the sentence. ``line`` counts from 1 (``None``: the whole file), ``found`` is what stands there,
    ``taken_as`` what became of it, ``rule`` the id of the rule that says so, ``hint`` what to do about it.
    """

    line: int | None
    found: str
    taken_as: str
    rule: str | None = None
    severity: Severity = "note"
    hint: str | None = None

    def __str__(self) -> str:
        where = "" if self.line is None else f"line {self.line}: "
        rule = "" if self.rule is None else f" ({self.rule})"
        hint = "" if self.hint is None else f"; {self.hint}"
        return f"{where}{self.found}: {self.taken_as}{rule}{hint}"


class Unit(NamedTuple):
    """One figure.

    ``kind`` is the class's name (``CO``, ``NCO``, ``Soldier``, ``Bot``) or a word of the roster's own; ``wears`` is the key
    of its armour, or of its model where it ``is_bot``, or ``None`` where its own ``stats`` say all; ``weapons`` are keys in
    the order in which they are written; ``line`` is where it stands (0: in a file whose lines mean nothing). ``stats`` go
    before those of class and armour, under the letters of the game's tables; ``wounds`` it has taken already; ``extra`` is
    what the roster says besides, kept as it is.
    """

    uid: str
    kind: str
    wears: str | None
    is_bot: bool
    weapons: tuple[str, ...]
    line: int
    name: str | None = None
    picture: str | None = None
    stats: Mapping[str, int] = NO_STATS
    wounds: int = 0
    extra: Mapping[str, Value] = EMPTY


class Team(NamedTuple):
    """One stand or vehicle; ``vehicle`` is the key of the vehicle, ``title`` what is written: ``Team A``, ``Boat A``.

    A team without ``letter`` is none: its units stand each for itself.
    """

    letter: str
    title: str
    vehicle: str | None
    units: tuple[Unit, ...]
    line: int
    extra: Mapping[str, Value] = EMPTY


class Squad(NamedTuple):
    """A squad; ``title`` is what follows its number (``Infantry``; may be empty).

    A squad without ``number`` is none: it holds the teams and units of a force that has no squads.
    """

    number: int | None
    title: str
    optional: bool
    teams: tuple[Team, ...]
    line: int
    extra: Mapping[str, Value] = EMPTY

    @property
    def units(self) -> tuple[Unit, ...]:
        """The units of all its teams."""
        return tuple(unit for team in self.teams for unit in team.units)


class Platoon(NamedTuple):
    """A platoon, or another force: its title, its squads, the Stress that it starts with."""

    title: str
    squads: tuple[Squad, ...]
    stress: int = 0


class Force(NamedTuple):
    """What one roster brings to a fight.

    ``key`` is its machine name; ``left_out`` are the optional squads that nobody asked for; ``remarks`` say what was read
    differently than it was written. ``retired`` are uids of units that are gone: nobody gets them again. ``extra`` is what
    the roster says besides; ``added`` is the equipment that came from content packs.
    """

    key: str
    platoon: Platoon
    left_out: tuple[Squad, ...] = ()
    remarks: tuple[Remark, ...] = ()
    retired: tuple[str, ...] = ()
    extra: Mapping[str, Value] = EMPTY
    added: tuple[Item, ...] = ()

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
            "squads": sum(squad.number is not None for squad in self.platoon.squads),
            "teams": sum(team.letter != "" for squad in self.platoon.squads for team in squad.teams),
            **{kind: kinds[kind] for kind in sorted(kinds)},
        }

    def document(self) -> Value:
        """Return the force as a value for JSON: platoon, squads, teams, units, nested under these names."""
        return freeze(
            {
                "key": self.key,
                "title": self.title,
                "platoon": {
                    "title": self.title,
                    "stress": self.platoon.stress,
                    "squads": [_squad(squad) for squad in self.platoon.squads],
                },
                "left_out": [_squad(squad) for squad in self.left_out],
                "counts": self.counts,
                "remarks": [{**remark._asdict(), "text": str(remark)} for remark in self.remarks],
                **_given("retired", self.retired),
                **_given("extra", self.extra),
            }
        )


def _squad(squad: Squad) -> Mapping[str, object]:
    teams = [
        {
            "letter": team.letter,
            "title": team.title,
            "vehicle": team.vehicle,
            "units": [_unit(unit) for unit in team.units],
            **_given("extra", team.extra),
        }
        for team in squad.teams
    ]
    row = {"number": squad.number, "title": squad.title, "optional": squad.optional, "teams": teams}
    return {**row, **_given("extra", squad.extra)}


def _unit(unit: Unit) -> Mapping[str, object]:
    return {
        "uid": unit.uid,
        "kind": unit.kind,
        **_given("bot" if unit.is_bot else "armor", unit.wears),
        "weapons": unit.weapons,
        "line": unit.line,
        **({} if unit.name is None else {"name": unit.name}),
        **_given("picture", unit.picture),
        **_given("stats", unit.stats),
        **_given("wounds", unit.wounds),
        **_given("extra", unit.extra),
    }


def _given(name: str, value: object) -> Mapping[str, object]:
    return {name: value} if value else {}


def same_force(force: Force) -> Force:
    """Return the force without what depends on the file that it stood in: lines and remarks.

    Two forces that mean the same are equal in this form, whatever they were written in.
    """
    platoon = force.platoon._replace(squads=tuple([_no_lines(squad) for squad in force.platoon.squads]))
    left_out = tuple([_no_lines(squad) for squad in force.left_out])
    return force._replace(platoon=platoon, left_out=left_out, remarks=())


def _no_lines(squad: Squad) -> Squad:
    teams = [team._replace(line=0, units=tuple([unit._replace(line=0) for unit in team.units])) for team in squad.teams]
    return squad._replace(line=0, teams=tuple(teams))


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


def is_cut(key: str, title: str) -> bool:
    """Say whether a key was made of a title and lost something on the way.

    >>> is_cut(force_key("The Long Walk Home of Company B"), "The Long Walk Home of Company B"), is_cut("green", "Green")
    (True, False)
    """
    words = "-".join(re.findall(r"[a-z0-9]+", title.lower()))
    return key == force_key(title) and key != words


Forces: TypeAlias = Mapping[str, Force | tuple[Force, ...]]
"""What sides bring, by their names: one force, or at company scale several, in order."""


def each_of(brought: Force | tuple[Force, ...]) -> tuple[Force, ...]:
    """Return what a side brings as a tuple: one force, or at company scale several."""
    return (brought,) if isinstance(brought, Force) else brought


def short_key(key: str) -> str:
    """Return the start of every uid in a force: its key without the word that says it is a platoon.

    >>> short_key("starter-platoon"), short_key("platoon")
    ('starter', 'platoon')
    """
    return key.removesuffix("-platoon") or key
