"""Which of Disrupter's weapons stands for one of Mothership's."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import NamedTuple

from rallypoint.content.catalogue import normal
from rallypoint.disrupter import catalogue

from .dice import dice_in
from .records import Weapon

__all__ = ["Match", "WeaponRow", "mean_damage", "nearest"]

_MELEE = {"adjacent", "melee", "touch"}


class WeaponRow(NamedTuple):
    """One weapon of Disrupter (``key``) as a contractor would have it.

    ``far`` are the dice beyond Close Range where they differ, ``splash`` those of everybody beside the target.
    """

    key: str
    title: str
    damage: str
    range: str
    shots: int
    wound: str
    note: str = ""
    by_name_only: bool = False
    far: str = ""
    splash: str = ""


class Match(NamedTuple):
    """A row, and whether the title alone led to it."""

    row: WeaponRow
    by_name: bool


def mean_damage(damage: str) -> Fraction | None:
    """Return the mean of the first dice in a text, of a plain number itself, or ``None`` where there is neither.

    >>> [str(mean_damage(text)) for text in ("3d10", "1d10+1", "2d10 AA", "1", "none")]
    ['33/2', '13/2', '11', '1', 'None']
    """
    dice = dice_in(damage)
    return None if dice is None else Fraction(dice.number * (dice.sides + 1), 2) + dice.plus


def _titles(row: WeaponRow) -> set[str]:
    item = catalogue().item("weapon", row.key)
    return {normal(name) for name in (row.title, item.title, *item.aliases)}


def nearest(weapon: Weapon, rows: Iterable[WeaponRow]) -> Match | None:
    """Return the row that stands for a weapon, or ``None``.

    1. A row with the same title, in either game's words, whatever the case and the hyphens.
    2. Nothing for a weapon that reaches only what is Adjacent, or whose damage is no dice: Disrupter has no brawls.
    3. Else the row with the nearest mean damage; of several the one with the same kind of wound, then the one that is
       anti-armour as this one is (the Sniper Rifle stands for those), then the same range, then the first.
    """
    rows = list(rows)
    title = normal(weapon.title)
    for row in rows:
        if title in _titles(row):
            return Match(row, True)
    mean = mean_damage(weapon.damage)
    if mean is None or normal(weapon.range) in _MELEE:
        return None

    def distance(row: WeaponRow) -> tuple[Fraction, bool, bool, bool]:
        other = mean_damage(row.damage)
        assert other is not None
        return (
            abs(other - mean),
            _kind(row.wound) != _kind(weapon.wound),
            (row.key == "sniper_rifle") != weapon.anti_armor,
            normal(row.range) != normal(weapon.range),
        )

    candidates = [row for row in rows if not row.by_name_only]
    return Match(min(candidates, key=distance), False) if candidates else None


def _kind(wound: str) -> str:
    """Return the kind of wound without how often it is rolled: ``Gunshot [-]`` is Gunshot."""
    return normal(wound.partition("[")[0])
