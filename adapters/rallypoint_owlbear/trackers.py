"""The array of trackers that the Owl Trackers extension draws on a token."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

__all__ = ["LIMIT", "PREFIX", "TRACKERS_KEY", "Bar", "Json", "entry_of", "owl_trackers"]

TRACKERS_KEY = "com.owl-trackers/trackers"
"""The metadata key that Owl Trackers (1.3.4) reads."""
LIMIT = 12
"""Entries that it takes on one token."""
PREFIX = "rallypoint-"
"""How the ids of our entries begin, so that entries of others are told apart and kept."""

_STRESS_COLOR = 6  # emerald
_WOUNDS_COLOR = 2  # red
_OTHER_COLOR = 5

Json: TypeAlias = dict[str, object]
"""What JSON writes as an object."""


class Bar(NamedTuple):
    """Wounds of one unit: ``taken`` of ``maximum``, both from 0 up; ``label`` is what the bar is called.

    A bar of another tracker says its name, and ``taken`` is then what it stands at.
    """

    uid: str
    label: str
    taken: int
    maximum: int
    tracker: str = "Wounds"

    @property
    def entry(self) -> str:
        """The id of its entry."""
        return entry_of(self.uid, self.tracker)


def entry_of(uid: str, tracker: str) -> str:
    """Return the id of the entry that shows a tracker of an entity.

    >>> entry_of("u1", "Wounds"), entry_of("u1", "Ammo")
    ('rallypoint-wounds-u1', 'rallypoint-tracker-u1:Ammo')
    """
    return f"{PREFIX}wounds-{uid}" if tracker == "Wounds" else f"{PREFIX}tracker-{uid}:{tracker}"


def owl_trackers(stress: int | None, bars: list[Bar]) -> tuple[list[Json], list[Bar]]:
    """Return the entries for one token, and the bars for which there was no room.

    Stress comes first and always has its place; then the bars in the order given, until the limit is reached.

    >>> entries, left = owl_trackers(4, [Bar("u1", "Wounds", 1, 3)])
    >>> entries[1]
    {'id': 'rallypoint-wounds-u1', 'name': 'Wounds', 'variant': 'value-max', 'color': 2, 'value': 1, 'max': 3}
    """
    entries: list[Json] = []
    if stress is not None:
        entries.append(
            {"id": f"{PREFIX}stress", "name": "Stress", "variant": "value", "color": _STRESS_COLOR, "value": stress}
        )
    room = LIMIT - len(entries)
    entries += [
        {
            "id": bar.entry,
            "name": bar.label,
            "variant": "value-max",
            "color": _WOUNDS_COLOR if bar.tracker == "Wounds" else _OTHER_COLOR,
            "value": bar.taken,
            "max": bar.maximum,
        }
        for bar in bars[:room]
    ]
    return entries, bars[room:]
