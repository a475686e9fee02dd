"""What a hit does: range bands, a weapon's Wounds, and the table of check against save (D-R5.1, D-R16.6, D-R16.9)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from rallypoint.kernel.canonical import Value

from .field import Weapon, hexes_apart, weapon
from .hooks import DisrupterStep
from .records import Attack, Grade, Hit, Outcome
from .rulings import chosen, number
from .sight import sees

__all__ = [
    "band",
    "fires_unseen",
    "is_success",
    "lobbed",
    "only_unseen",
    "outcome",
    "splashes_friends",
    "weapon_wounds",
]


def is_success(grade: Grade) -> bool:
    """Say whether a grade is a success, critical or not."""
    return grade in ("success", "critical_success")


def band(hexes: int) -> Literal["C", "M", "L"]:
    """Return the range band of a distance in hexes; in one's own hex it is Close, beyond 3 it is Long (D-R5.1, D-AMB-02).

    >>> [band(hexes) for hexes in (0, 1, 2, 3, 9)]
    ['C', 'C', 'M', 'L', 'L']
    """
    return "C" if hexes <= 1 else "M" if hexes == 2 else "L"


def lobbed(arm: Weapon) -> bool:
    """Say whether a weapon throws or launches grenades: its check decides where they go off (D-EQ-T5, D-EQ-T6)."""
    return arm.trait("throw_check") is not None or arm.trait("launch_check") is not None


def fires_unseen(arm: Weapon) -> bool:
    """Say whether a weapon may be fired at places that its bearer does not see: Wounds in column T, and no rocket.

    That it may is for a plugin to allow (D-IF-1); a rocket wants its target seen or spotted (D-EQ-T12).
    """
    return arm.T > 0 and arm.trait("indirect") is not None and arm.trait("needs_los_or_spot") is None


def only_unseen(arm: Weapon) -> bool:
    """Say whether a weapon is fired at places and at nothing else: it has Wounds in column T alone."""
    return fires_unseen(arm) and not lobbed(arm) and not (arm.C or arm.M or arm.L)


def splashes_friends(options: Mapping[str, Value], arm: Weapon, *, near: bool, company: int) -> bool:
    """Say whether the splash of a weapon falls on friends of its bearer (D-EQ-T3, D-AMB-35).

    A flamethrower spares the team that fires it, or by ruling D-AMB-36 its bearer alone (D-EQ-T4).

    Args:
        options: the rulings in force.
        arm: the weapon.
        near: whether another team of his side is within Close Range of the target.
        company: how many units of his own team are there, himself among them; 0 where his team is farther off.
    """
    if arm.trait("splash") is None or chosen(options, "D-AMB-35.friends") == "no":
        return False
    if arm.trait("splash_excludes") is None:
        return near or company > 0
    return near or (chosen(options, "D-AMB-36") == "unit" and company > 1)


def weapon_wounds(step: DisrupterStep, attack: Attack, hexes: int) -> int:
    """Return the Wounds of one weapon's hit at a distance in hexes; plugins may change them (D-R16.9, D-AMB-30).

    A grenade has the number for indirect fire, and so has a rocket that goes where its shooter cannot see.
    """
    arm = weapon(step.state, attack.weapon)
    if lobbed(arm) or (arm.trait("needs_los_or_spot") is not None and not _sees(step, attack)):
        wounds = arm.T
    elif hexes <= 1 and arm.trait("needs_los_or_spot") is not None and "D-AMB-30" in step.options:
        wounds = number(step.options, "D-AMB-30")
    else:
        close = band(hexes)
        wounds = arm.C if close == "C" else arm.M if close == "M" else arm.L
    return step.hooks.fire_wounds(step, attack, hexes, wounds)


def _sees(step: DisrupterStep, attack: Attack) -> bool:
    if attack.target not in step.state or hexes_apart(step.state, attack.shooter, attack.target) is None:
        return False
    return sees(step.state, step.options, attack.shooter, attack.target)


def outcome(step: DisrupterStep, hit: Hit) -> Outcome:
    """Return what comes of a check against a save (D-R16.6).

    ======== ======== =====================================================
    attacker target   what happens
    ======== ======== =====================================================
    success  success  the Wounds, less one for each weapon (D-AMB-27)
    success  failure  the Wounds
    failure  success  none; the attackers have Instinct [-] in the next turn
    failure  failure  none
    ======== ======== =====================================================

    A side that had nothing to roll hits as with a success, and is hit as with a failure.
    """
    decided = step.hooks.fire_outcome(step, hit)
    if decided is not None:
        return decided
    saved = hit.save is not None and is_success(hit.save)
    if hit.attack is not None and not is_success(hit.attack):
        return Outcome(0, saved)
    if not saved:
        return Outcome(hit.wounds)
    less = hit.weapons if chosen(step.options, "D-AMB-27.save") == "per_weapon" else 1
    return Outcome(max(hit.wounds - less, 0))
