"""Damage dice: ``3d10``, ``1d10+1``, ``1d100``, or a plain number; and how they are thrown through a step."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from rallypoint.disrupter.hooks import DisrupterStep
from rallypoint.kernel.dice import ByTotal, Die, Throw
from rallypoint.kernel.step import Graded

__all__ = ["Dice", "Rolled", "dice_in", "roll"]

_DICE = re.compile(r"(\d{1,3})d(\d{1,3})(?:\s*([+-])\s*(\d{1,3}))?")
_MOST = 99_999


class Dice(NamedTuple):
    """``number`` dice that show 1 to ``sides``, and ``plus``; without dice it is ``plus`` alone."""

    number: int
    sides: int
    plus: int = 0

    def __str__(self) -> str:
        """Return them as they are written."""
        sign = "" if not self.plus else f"{self.plus:+d}"
        return f"{self.number}d{self.sides}{sign}" if self.number else str(self.plus)


def dice_in(text: str) -> Dice | None:
    """Return the first dice in a text, a plain number as itself, or ``None`` where there is neither.

    >>> [str(dice_in(text)) for text in ("3d10", "1d10 + 1", "2d10 AA", "1", "none")]
    ['3d10', '1d10+1', '2d10', '1', 'None']
    """
    found = _DICE.search(text.casefold())
    if found is not None:
        number, sides, sign, plus = found.groups()
        return Dice(int(number), int(sides), int(plus or 0) * (-1 if sign == "-" else 1))
    plain = text.strip()
    return Dice(0, 0, int(plain)) if plain.isdecimal() and plain.isascii() and int(plain) <= _MOST else None


@lru_cache(maxsize=64)
def _by_total(dice: Dice) -> ByTotal:
    """Return the cut that gives each total a class: odds branch by totals, not by faces."""
    low, high = dice.number + dice.plus, dice.number * dice.sides + dice.plus
    return ByTotal(tuple([(total, str(total)) for total in range(high, low, -1)]), str(low), dice.plus)


class Rolled(NamedTuple):
    """What dice came to, 0 or more, and how they fell; ``None`` where nothing was thrown."""

    damage: int
    graded: Graded | None


def roll(step: DisrupterStep, who: str, purpose: str, dice: Dice) -> Rolled:
    """Throw damage dice; ``who`` and ``purpose`` name the throw."""
    if dice.number < 1 or dice.sides < 1:
        return Rolled(max(dice.plus, 0), None)
    graded = step.grade(Throw(who, purpose, Die(1, dice.sides), dice.number), _by_total(dice))
    return Rolled(max(int(graded.grade), 0), graded)
