"""What stands on a Platoon Card (D-PC-1): structure, class, stats, weapons, Orders, Code Words, Wounds, Spot marks, Stress.

The card is read from an encounter by roles, sheets and trackers, so it serves any force: a platoon, or whatever else stands
below a side.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

from rallypoint.kernel.encounter import Encounter, Gear
from rallypoint.kernel.state import Entity, State, Tracker

from .stands import sheet_of, side_of

__all__ = ["PLATOON_CARD", "Block", "Card", "CardForm", "GearRow", "Track", "UnitRow", "cards"]


class CardForm(NamedTuple):
    """What a card leaves room for.

    ``code_words`` are those that everybody has, each with its meaning; who is in one of the roles ``with_code_words`` has
    ``own_code_words`` more. ``mark`` is the box that each unit has besides its Wounds. ``short`` are the short forms of stats,
    ``columns`` the numbers of a weapon in the order of the game's tables (others follow them).
    """

    code_words: tuple[tuple[str, str], ...]
    own_code_words: int
    with_code_words: tuple[str, ...]
    mark: str
    short: Mapping[str, str]
    columns: tuple[str, ...] = ()


PLATOON_CARD = CardForm(
    (
        ("Halt", "stop where you are"),
        ("Rally", "go to the Rally Point that is named"),
        ("Retreat", "fall back from the enemy"),
        ("Resume", "go on with your last Order"),
    ),
    4,
    ("NCO",),
    "Spotted",
    {"Instinct": "I", "Armor": "A", "Movement": "M", "Wounds": "W", "AP": "AP", "Damage Reduction": "DR"},
    ("T", "C", "M", "L", "Max"),
)
"""The card of Disrupter: four Code Words for each NCO (D-R10.3) besides the four that all have (D-R10.4)."""


_MOST_NUMBERS = 12
"""A tracker of a unit with more steps left than this gets a place to write in."""


class UnitRow(NamedTuple):
    """One unit: its number in its team, its stats without Wounds, of Wounds what is taken and what it can take, other trackers."""

    uid: str
    number: int
    name: str
    role: str
    stats: Mapping[str, int]
    wears: tuple[str, ...]
    weapons: tuple[str, ...]
    taken: int
    most: int
    tracked: tuple[str, ...] = ()

    @property
    def gear(self) -> tuple[str, ...]:
        """What it wears and carries, and after that what is tracked of it besides Wounds, each a line; ``-`` for nothing at all."""
        carried = ", ".join([*self.wears, *self.weapons])
        return tuple([each for each in (carried, *self.tracked) if each]) or ("-",)

    def shown(self, stat: str) -> str:
        """Return a stat as it stands on paper: ``-`` where the unit has none of the name."""
        return str(self.stats[stat]) if stat in self.stats else "-"


class Block(NamedTuple):
    """A squad or a team with its units; ``vehicle`` is what the team rides in, ``code_words`` how many it may have.

    ``tracked`` are its trackers as words.
    """

    code: str
    title: str
    role: str
    vehicle: tuple[str, ...]
    units: tuple[UnitRow, ...]
    teams: tuple[Block, ...]
    code_words: int
    tracked: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Code and title, or one of them where there is no other, and after them what is tracked."""
        name = self.title if self.code in ("", self.title) else f"{self.code}  {self.title}"
        return "; ".join([name, *self.tracked])


class Track(NamedTuple):
    """A tracker of the platoon as a row of numbers from ``low`` to ``high``, with where it stands."""

    name: str
    value: int
    low: int
    high: int


class GearRow(NamedTuple):
    """A weapon in the table at the foot: its numbers or words by column (``None``: without limit) and what it does.

    ``traits`` are the machine names behind the text, where the weapon does anything special.
    """

    title: str
    numbers: Mapping[str, int | str | None]
    text: str
    traits: tuple[str, ...] = ()

    def shown(self, column: str) -> str:
        """Return a number as it stands on paper: ``any`` for one without limit, ``-`` for none."""
        value = self.numbers.get(column, -1)
        return "any" if value is None else "-" if column not in self.numbers else str(value)


class Card(NamedTuple):
    """The card of one platoon, or of what stands in its place; ``left_out`` as an encounter has it."""

    uid: str
    title: str
    code: str
    side: str
    blocks: tuple[Block, ...]
    stats: tuple[str, ...]
    tracks: tuple[Track, ...]
    weapons: tuple[GearRow, ...]
    form: CardForm
    left_out: tuple[str, ...] = ()

    @property
    def orders(self) -> bool:
        """Whether the card has room for Orders and Code Words."""
        return "orders" not in self.left_out

    @property
    def wounds(self) -> bool:
        """Whether the card has boxes for Wounds."""
        return "Wounds" not in self.left_out

    @property
    def units(self) -> Iterator[UnitRow]:
        """All units in the order of the card."""
        for block in self.blocks:
            yield from block.units
            for team in block.teams:
                yield from team.units


def cards(encounter: Encounter, form: CardForm = PLATOON_CARD) -> tuple[Card, ...]:
    """Return a card for each platoon of an encounter, and for each side or other root that has units but no platoon."""
    if "orders" in encounter.left_out:
        form = form._replace(code_words=(), own_code_words=0)
    found: list[Entity] = []
    for root in encounter.state.children(None):
        platoons = list(encounter.state.below(root.uid, "platoon"))
        if root.role == "platoon":
            platoons = [root]
        found += [each for each in platoons or [root] if each.role == "unit" or _has_units(encounter.state, each)]
    return tuple([_card(encounter, entity, form) for entity in found])


def _card(encounter: Encounter, top: Entity, form: CardForm) -> Card:
    state = encounter.state
    blocks = []
    loose: list[Entity] = []
    for child in [top] if top.role == "unit" else state.children(top.uid):
        if child.role == "unit":
            loose.append(child)
        elif any(state.below(child.uid, "unit")):
            blocks.append(_block(encounter, child, form))
    if loose:
        rows = tuple([_unit(encounter, unit, number) for number, unit in enumerate(loose, 1)])
        sheet = sheet_of(encounter, top)
        blocks.insert(0, Block(sheet.code, sheet.name, sheet.role, (), rows, (), _code_words(rows, form)))
    sheet, side = sheet_of(encounter, top), state[side_of(state, top)]
    units = list(state.below(top.uid, "unit")) or [top]
    named = dict.fromkeys(name for unit in units for name in sheet_of(encounter, unit).stats)
    stats = [name for name in named if name != "Wounds" and name not in encounter.left_out]
    tracks = tuple(
        [
            Track(name, tracker.value, tracker.min or 0, tracker.max)
            for name, tracker in top.trackers.items()
            if tracker.max is not None and top.role != "unit"
        ]
    )
    return Card(
        top.uid,
        sheet.name,
        sheet.code,
        sheet_of(encounter, side).name,
        tuple(blocks),
        tuple(stats),
        tracks,
        tuple(_weapons(encounter, units, form)),
        form,
        encounter.left_out,
    )


def _block(encounter: Encounter, entity: Entity, form: CardForm) -> Block:
    """Return a block for a squad with a block for each of its teams, or for a team that stands in no squad."""
    state, sheet = encounter.state, sheet_of(encounter, entity)
    own = [child for child in state.children(entity.uid) if child.role == "unit"]
    rows = tuple([_unit(encounter, unit, number) for number, unit in enumerate(own, 1)])
    inner = [child for child in state.children(entity.uid) if child.role != "unit" and _has_units(state, child)]
    teams = tuple([_block(encounter, child, form) for child in inner])
    vehicle = tuple([gear.title for gear in sheet.gear])
    everybody = [*rows, *[row for team in teams for row in team.units]]
    code_words = _code_words(tuple(everybody), form)
    return Block(sheet.code, sheet.name, sheet.role, vehicle, rows, teams, code_words, _tracked(entity))


def _has_units(state: State, entity: Entity) -> bool:
    return any(state.below(entity.uid, "unit"))


def _code_words(rows: tuple[UnitRow, ...], form: CardForm) -> int:
    return form.own_code_words if any(row.role in form.with_code_words for row in rows) else 0


def _unit(encounter: Encounter, unit: Entity, number: int) -> UnitRow:
    sheet = sheet_of(encounter, unit)
    wounds = unit.trackers.get("Wounds")
    taken, most = (0, 0) if wounds is None else (wounds.value, wounds.max or 0)
    stats = {name: value for name, value in sheet.stats.items() if name != "Wounds"}
    weapons = tuple([gear.title for gear in sheet.gear if gear.kind == "weapon"])
    wears = tuple([gear.title for gear in sheet.gear if gear.kind != "weapon"])
    return UnitRow(unit.uid, number, sheet.name, sheet.role, stats, wears, weapons, taken, most, _tracked(unit))


def _tracked(entity: Entity) -> tuple[str, ...]:
    """Return what is tracked of an entity besides Wounds, in words."""
    return tuple([tracked(name, tracker) for name, tracker in entity.trackers.items() if name != "Wounds"])


def tracked(name: str, tracker: Tracker) -> str:
    """Return a tracker for paper: the numbers that it can still come to, to be crossed out, or room for one.

    >>> tracked("Ammo", Tracker(3, 0, 6, "down")), tracked("Fatigue", Tracker(1, 0, 3)), tracked("Morale", Tracker(50, 0, 100, "down"))
    ('Ammo 3 2 1 0', 'Fatigue 1 2 3', 'Morale 50 of 100: ____')
    """
    end = tracker.min if tracker.bad == "down" else tracker.max
    if end is not None and abs(end - tracker.value) <= _MOST_NUMBERS:
        way = -1 if end < tracker.value else 1
        return f"{name} {' '.join(map(str, range(tracker.value, end + way, way)))}"
    return f"{name} {tracker.value}{'' if tracker.max is None else f' of {tracker.max}'}: ____"


def _weapons(encounter: Encounter, units: list[Entity], form: CardForm) -> Iterator[GearRow]:
    """Yield each weapon that somebody on the card has, once, in the order in which they appear.

    One that is not alike with all who have it stands there in each of its forms, with the names of those who have that.
    """
    seen: dict[str, list[tuple[GearRow, list[str]]]] = {}
    for unit in units:
        sheet = sheet_of(encounter, unit)
        for gear in sheet.gear:
            if gear.kind == "weapon":
                row, forms = _gear_row(gear, encounter.left_out, form), seen.setdefault(gear.key, [])
                having = next((names for known, names in forms if known == row), None)
                if having is None:
                    having = []
                    forms.append((row, having))
                having.append(sheet.name)
    for forms in seen.values():
        for row, having in forms:
            names = f" ({', '.join(dict.fromkeys(having))})" if len(forms) > 1 else ""
            yield row._replace(title=row.title + names)


def _gear_row(gear: Gear, left_out: Collection[str], form: CardForm) -> GearRow:
    own = gear.facts.get("left_out", ())
    hidden = {*left_out, *(own if isinstance(own, tuple) else ())}
    found = {
        name: value
        for name, value in gear.facts.items()
        if (value is None or isinstance(value, (int, str)))
        and not isinstance(value, bool)
        and name[:1].isupper()
        and name not in hidden
    }
    order = [name for name in form.columns if name in found]
    numbers = {name: found[name] for name in [*order, *[name for name in found if name not in order]]}
    traits = _trait_names(gear, hidden)
    return GearRow(gear.title, numbers, _traits(gear, traits), traits)


def _traits(gear: Gear, traits: tuple[str, ...]) -> str:
    """Return what a weapon does, in words; its description where it does nothing special."""
    if traits:
        return ", ".join(word.replace("_", " ").replace("(", " (").replace(",", ", ") for word in traits)
    text = gear.facts.get("description") if not _trait_names(gear, ()) else None
    return text if isinstance(text, str) else ""


def _trait_names(gear: Gear, left_out: Collection[object]) -> tuple[str, ...]:
    traits = gear.facts.get("traits")
    found = [str(trait) for trait in traits] if isinstance(traits, tuple) else []
    return tuple([trait for trait in found if trait.partition("(")[0] not in left_out])
