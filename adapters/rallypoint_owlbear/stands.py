"""Who gets a token, and what the token says about the battle."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from rallypoint.kernel.encounter import Encounter, Sheet
from rallypoint.kernel.state import Entity, Tracker

from .trackers import Bar, Json

__all__ = [
    "PLACING",
    "RECORD_KEY",
    "RECORD_VERSION",
    "Stand",
    "counts_up",
    "labels",
    "numbers_hidden",
    "other_bars",
    "other_trackers",
    "record",
    "stands",
    "units_on",
    "wound_bars",
]

RECORD_KEY = "io.github.rallypoint/unit"
"""The metadata key of our own record."""
PLACING = "placing"
"""The key of our record that says by which placing a token is there: a word that no other placing has."""
RECORD_VERSION = 1
"""Its field ``v``: raised when a reader of the old form would misread the new one."""

_WOUNDS = "Wounds"
_STRESS = "Stress"


class Stand(NamedTuple):
    """One token: the entity it stands for, the units on it, and what stands above it, the side first.

    ``friendly`` says that it is of the first side, ``open`` that everybody may see its numbers.
    """

    entity: Entity
    units: tuple[Entity, ...]
    above: tuple[Entity, ...]
    friendly: bool
    open: bool

    @property
    def side(self) -> str:
        """The uid of the side, or of whatever is at the top."""
        return (self.above[0] if self.above else self.entity).uid

    @property
    def alone(self) -> bool:
        """Whether the token stands for a single unit and not for its team."""
        return self.units[0].uid == self.entity.uid

    @property
    def stressed(self) -> Entity | None:
        """The nearest that has Stress: the platoon, as a rule; ``None`` if nobody has."""
        for entity in (self.entity, *reversed(self.above)):
            if _STRESS in entity.trackers:
                return entity
        return None

    @property
    def stress(self) -> int | None:
        """The Stress of that one."""
        return None if self.stressed is None else self.stressed.trackers[_STRESS].value


def _above(encounter: Encounter, entity: Entity) -> tuple[Entity, ...]:
    found: list[Entity] = []
    while entity.parent is not None:
        entity = encounter.state[entity.parent]
        found.append(entity)
    return tuple(reversed(found))


def stands(encounter: Encounter, by_unit: bool, show_enemies: bool) -> list[Stand]:
    """Return the tokens in the order of the battle: one a team, or with ``by_unit`` one a unit.

    A unit that is in no team gets a token of its own; a team without units gets none. With ``show_enemies`` false only
    the first side's numbers are open.
    """
    roots = encounter.state.children(None)
    first_side = next((root.uid for root in roots if root.role == "side"), None)
    members: dict[str, list[Entity]] = {}
    for entity in encounter.state:
        if entity.role != "unit":
            continue
        teams = [upper.uid for upper in _above(encounter, entity) if upper.role == "team"]
        members.setdefault(teams[-1] if teams and not by_unit else entity.uid, []).append(entity)
    found = []
    for uid, units in members.items():
        entity = encounter.state[uid]
        above = _above(encounter, entity)
        first = (above[0] if above else entity).uid == first_side
        found.append(Stand(entity, tuple(units), above, first, first or show_enemies))
    return found


def labels(encounter: Encounter, entities: Iterable[tuple[Entity, bool]]) -> dict[str, str]:
    """Return by uid what to call each of several entities: the code, the name, the code with a number, else the uid: what is alone.

    The flag with an entity says whether its name may be seen by everybody.
    """
    entities = list(entities)
    choices = {}
    numbers = Counter[str]()
    for entity, named in entities:
        sheet = encounter.sheets.get(entity.uid) or Sheet(entity.uid, "", entity.role, "")
        numbers[sheet.code] += 1
        numbered = f"{sheet.code} {numbers[sheet.code]}" if sheet.code.strip() else ""
        texts = (sheet.code, sheet.name if named else "", numbered, entity.uid)
        choices[entity.uid] = [text for text in texts if text.strip()]
    # Units often have the code of their team: then the name tells them apart.
    seen = Counter(text for texts in choices.values() for text in dict.fromkeys(texts))
    return {uid: next((text for text in texts if seen[text] == 1), uid) for uid, texts in choices.items()}


def wound_bars(encounter: Encounter, stand: Stand) -> list[Bar]:
    """Return a bar for each unit whose Wounds count up to a maximum above 0."""
    names = labels(encounter, [(unit, stand.friendly) for unit in stand.units])
    bars = []
    for unit in stand.units:
        tracker = unit.trackers.get(_WOUNDS)
        if tracker is not None and counts_up(tracker):
            bars.append(Bar(unit.uid, _WOUNDS if stand.alone else names[unit.uid], tracker.value, tracker.max or 0))
    return bars


def other_bars(encounter: Encounter, stand: Stand) -> list[Bar]:
    """Return a bar for each tracker of the token's entities that is neither Wounds nor Stress and goes from 0 to a maximum."""
    names = labels(encounter, [(unit, stand.friendly) for unit in stand.units])
    return [
        Bar(uid, name if stand.alone or uid not in names else f"{names[uid]} {name}", each.value, each.max or 0, name)
        for uid, rest in other_trackers(stand).items()
        for name, each in rest.items()
        if name not in (_WOUNDS, _STRESS) and each.min == 0 and (each.max or 0) > 0
    ]


def counts_up(tracker: Tracker) -> bool:
    """Say whether a bar can show a tracker: it must have a maximum above 0, and up must be the bad way."""
    return tracker.max is not None and tracker.max > 0 and tracker.bad == "up"


def other_trackers(stand: Stand) -> dict[str, dict[str, Tracker]]:
    """Return by uid the trackers of the token's entities besides their Wounds and Stress."""
    found: dict[str, dict[str, Tracker]] = {}
    for entity in stand.units if stand.alone else (stand.entity, *stand.units):
        rest = {
            name: tracker
            for name, tracker in entity.trackers.items()
            if not (name == _STRESS and entity is stand.entity)
            and not (name == _WOUNDS and entity.role == "unit" and counts_up(tracker))
        }
        if rest:
            found[entity.uid] = rest
    return found


def units_on(record: Mapping[str, object]) -> list[object] | None:
    """Return the units that our record lists; ``None`` where its token stands for a single one.

    A token of a team that was linked to a unit keeps the list of those that it stood for before; it says nothing any more.

    >>> units_on({"uid": "team", "kind": "team", "units": [{"uid": "u1"}]})
    [{'uid': 'u1'}]
    >>> units_on({"uid": "u2", "kind": "unit", "units": [{"uid": "u1"}]})
    """
    if record.get("kind") == "unit" or "units" not in record:
        return None
    listed = record["units"]
    return listed if isinstance(listed, list) else []


def numbers_hidden(record: Mapping[str, object]) -> bool:
    """Say whether a record holds no numbers because the side that it is of keeps them to itself."""
    units = record.get("units", [])
    given = [record, *(units if isinstance(units, list) else [{"wounds": units}])]
    return all(
        isinstance(each, Mapping) and not {"stress", "wounds", "maxWounds", "trackers"} & set(each) for each in given
    )


def record(encounter: Encounter, stand: Stand, label: str, bars: list[Bar]) -> Json:
    """Return our record: who the token is, and the numbers as far as everybody may see them.

    ``label`` is what the token is called. ``rev`` grows with each write of the kernel, the export being the first; ``by`` says who wrote.
    """
    found: Json = {
        "v": RECORD_VERSION,
        "uid": stand.entity.uid,
        "encounter": encounter.key,
        "side": stand.side,
        "kind": stand.entity.role,
        "code": label,
        "rev": 1,
        "by": "kernel",
    }
    shown = {bar.uid: {"wounds": bar.taken, "maxWounds": bar.maximum} for bar in bars if stand.open}
    if not stand.alone:
        names = labels(encounter, [(unit, stand.friendly) for unit in stand.units])
        found["units"] = [{"uid": unit.uid, "code": names[unit.uid], **shown.get(unit.uid, {})} for unit in stand.units]
    if not stand.open:
        return found
    found["stress"] = stand.stress
    if stand.stressed is not None:
        # Whose it is: all its tokens show the same Stress, and a change of one copy is a change of this.
        found["stressOf"] = stand.stressed.uid
    found["wounds"] = sum(bar.taken for bar in bars)
    found["maxWounds"] = sum(bar.maximum for bar in bars)
    others = other_trackers(stand)
    if others:
        found["trackers"] = [
            {"uid": uid, "name": name, **tracker._asdict()}
            for uid, rest in others.items()
            for name, tracker in rest.items()
        ]
    return found
