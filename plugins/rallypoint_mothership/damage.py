"""What damage does: armour stops it, Health takes it, Wounds come of it. Plain numbers, no dice and no state."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["Hurt", "Through", "damage_of", "hurt", "through", "wounds_of"]


class Through(NamedTuple):
    """Damage that gets through armour, and whether the armour breaks over it."""

    damage: int
    breaks: bool = False


def through(damage: int, points: int, reduction: int, *, anti_armor: bool = False) -> Through:
    """Return what gets through.

    Damage below the Armour Points does nothing. As much as they are, or more, breaks the armour, and what is above the larger of
    points and Damage Reduction gets through. Broken armour has no points, and its reduction still counts; so it does
    against anti-armour, which breaks any armour that is whole.

    Args:
        damage: of one hit, 0 or more.
        points: Armour Points, 0 for armour that is broken or none.
        reduction: Damage Reduction.
        anti_armor: the weapon is anti-armour.

    >>> through(6, 7, 0), through(7, 7, 0), through(16, 10, 3), through(16, 0, 3)
    (Through(damage=0, breaks=False), Through(damage=0, breaks=True), Through(damage=6, breaks=True), Through(damage=13, breaks=False))
    >>> through(16, 10, 3, anti_armor=True)
    Through(damage=13, breaks=True)
    """
    if anti_armor or not points:
        return Through(max(damage - reduction, 0), points > 0)
    if damage < points:
        return Through(0)
    return Through(max(damage - max(points, reduction), 0), True)


def wounds_of(damage: int) -> int:
    """Return the Wounds of somebody who has Wounds only: one, and one more for each 10 points; no damage is no Wound.

    >>> [wounds_of(damage) for damage in (0, 1, 9, 10, 27, 100)]
    [0, 1, 1, 2, 3, 11]
    """
    return damage // 10 + 1 if damage > 0 else 0


def damage_of(wounds: int) -> int:
    """Return the damage that stands for the Wounds of a weapon without dice: the middle of what gives so many.

    >>> [damage_of(wounds) for wounds in (0, 1, 2)], wounds_of(damage_of(3))
    ([0, 5, 15], 3)
    """
    return max(10 * wounds - 5, 0)


class Hurt(NamedTuple):
    """Wounds taken, and the Health that is left."""

    wounds: int
    health: int


def hurt(damage: int, health: int, full: int, left: int) -> Hurt:
    """Take damage off Health: at 0 one Wound is taken, Health is full again, and the rest goes on.

    Args:
        damage: what got through, 0 or more.
        health: Health now, 1 or more while anybody stands.
        full: the most Health.
        left: the Wounds that can still be taken; with the last of them it is over, and Health is 0.

    >>> hurt(9, 10, 10, 3), hurt(10, 10, 10, 3), hurt(23, 10, 10, 3), hurt(99, 10, 10, 2)
    (Hurt(wounds=0, health=1), Hurt(wounds=1, health=10), Hurt(wounds=2, health=7), Hurt(wounds=2, health=0))
    """
    wounds = 0
    while 0 < damage >= health and wounds < left:
        damage, wounds, health = damage - health, wounds + 1, full
    return Hurt(wounds, 0 if wounds == left else health - damage)
