"""Attacks that hit, with damage dice: what the dice show, what armour stops, what becomes Wounds (D-MO-R16.2).

A hit at a whole team meets the armour of one of its units, the best that is still whole; the Wounds that it makes are divided
as ever (D-R16.10). Of a splash or a beam each unit takes all the damage on its own armour.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from rallypoint.disrupter.allocation import shared_out
from rallypoint.disrupter.checks import modifiers
from rallypoint.disrupter.field import Weapon, place, weapon
from rallypoint.disrupter.hooks import DisrupterStep
from rallypoint.disrupter.outcome import outcome, weapon_wounds
from rallypoint.disrupter.records import Allocation, Attack, CheckRequest, Hit, Strike
from rallypoint.kernel.changes import SetTracker
from rallypoint.kernel.hexes import distance
from rallypoint.kernel.state import Entity

from .damage import damage_of, hurt, through, wounds_of
from .dice import roll
from .figures import ARMOR, HEALTH, own_dice
from .options import is_on
from .weapon_dice import dice_of

__all__ = ["BY", "RULE", "struck"]

BY, RULE = "mothership", "D-MO-R16.2"
_LIGHT_COVER = 10
"""Armour Points of light cover, where it has some by ruling."""
_PLENTY = 1000
"""Wounds of which no save that only takes some off leaves none."""


class _Blow(NamedTuple):
    """One hit: the damage that its dice show, whether it is anti-armour, and what the log should know of it."""

    damage: int
    anti_armor: bool
    why: Mapping[str, object]


class _Share(NamedTuple):
    """What one unit gets: so many of the ``raw`` Wounds that came of ``damage``, before any save."""

    unit: str
    wounds: int
    raw: int
    damage: int


def struck(step: DisrupterStep, strike: Strike) -> tuple[Allocation, ...]:
    """Return who takes how many Wounds of attacks that hit; armour that breaks and Health that is lost are told."""
    if _saved_whole(step, strike):
        return ()
    blows = [_blow(step, attack, strike) for attack in strike.attacks]
    shares = _divided(step, strike, blows) if strike.part == "aimed" else _each(step, strike, blows)
    given = [Allocation(share.unit, _taken(step, share)) for share in shares]
    return tuple([each for each in given if each.wounds])


def _saved_whole(step: DisrupterStep, strike: Strike) -> bool:
    """Say whether everybody is saved by rules under which a save leaves nothing, so that nobody need roll (D-VA-R16.1)."""
    hits = [Hit(strike.grade, group.grade, _PLENTY, 1, strike.attacks[0].reaction) for group in strike.groups]
    return not any(outcome(step, hit).wounds for hit in hits)


def _divided(step: DisrupterStep, strike: Strike, blows: Sequence[_Blow]) -> list[_Share]:
    units = [uid for group in strike.groups for uid in group.units]
    landed = [_lands(step, blow, _meets(step, units)) for blow in blows]
    hit = _hit(strike, landed)
    shares = shared_out(step, units, strike.groups, hit)
    return [_Share(given.unit, given.wounds, hit.wounds, sum(landed)) for given in shares.allocations]


def _each(step: DisrupterStep, strike: Strike, blows: Sequence[_Blow]) -> list[_Share]:
    found = []
    for group in strike.groups:
        for uid in group.units:
            landed = [_lands(step, blow, uid) for blow in blows]
            hit = _hit(strike, landed)._replace(save=group.grade)
            found.append(_Share(uid, outcome(step, hit).wounds, hit.wounds, sum(landed)))
    return found


def _hit(strike: Strike, landed: Sequence[int]) -> Hit:
    """Return the hit with its Wounds; what armour has stopped is no weapon that a save could take a Wound off."""
    wounds = [wounds_of(damage) for damage in landed]
    weapons = sum(each > 0 for each in wounds)
    return Hit(strike.grade, None, sum(wounds), weapons, strike.attacks[0].reaction)


def _meets(step: DisrupterStep, units: Sequence[str]) -> str:
    """Return whose armour a hit meets: the most Armour Points that are left, then the most reduction, then the first."""

    def best(uid: str) -> tuple[int, int]:
        return _points(step.state[uid]), _reduction(step.state[uid])

    return max(units, key=best)


def _points(unit: Entity) -> int:
    return unit.value(ARMOR) if ARMOR in unit.trackers else 0


def _reduction(unit: Entity) -> int:
    found = unit.facts.get("damage_reduction", 0)
    return found if isinstance(found, int) else 0


def _lands(step: DisrupterStep, blow: _Blow, uid: str) -> int:
    """Return the damage of a hit that gets through somebody's armour, and break what it breaks."""
    unit = step.state[uid]
    cover = _LIGHT_COVER if _behind_cover(step, uid) else 0
    got = through(blow.damage, _points(unit) + cover, _reduction(unit), anti_armor=blow.anti_armor)
    broken = [SetTracker(uid, ARMOR, 0)] if got.breaks and _points(unit) else []
    why = {**blow.why, "unit": uid, "gets through": got.damage}
    step.emit("damage", *broken, rule=RULE, by=BY, why=why)
    return got.damage


def _behind_cover(step: DisrupterStep, uid: str) -> bool:
    """Say whether cover protects somebody, where by ruling it has Armour Points; the rules for a save say when it does."""
    if not is_on(step.options, "D-MO-R16.2.cover"):
        return False
    return any(each.rule == "D-R13.1" for each in modifiers(step, CheckRequest((uid,), "armor", "save")))


def _taken(step: DisrupterStep, share: _Share) -> int:
    """Return the Wounds that a unit takes: its part, or where it has Health what its part of the damage does to that."""
    unit = step.state[share.unit]
    if HEALTH not in unit.trackers or not share.wounds:
        return share.wounds
    tracker, wounds = unit.trackers[HEALTH], unit.trackers["Wounds"]
    damage = share.damage * share.wounds // share.raw
    left = share.wounds if wounds.max is None else wounds.max - wounds.value
    came = hurt(damage, tracker.value, tracker.max or 1, left)
    why = {"unit": unit.uid, "damage": damage, "from": tracker.value, "to": came.health, "wounds": came.wounds}
    step.emit("health", SetTracker(unit.uid, HEALTH, came.health), rule=RULE, by=BY, why=why)
    return came.wounds


# Dice


def _blow(step: DisrupterStep, attack: Attack, strike: Strike) -> _Blow:
    """Throw the dice of one attack; a weapon without dice does what stands in its column."""
    here = place(step.state, attack.shooter)
    hexes = 0 if here is None else distance(here, strike.at)
    splash = strike.part == "splash"
    arm, own = weapon(step.state, attack.weapon), own_dice(step.state[attack.shooter]).get(attack.weapon)
    found = dice_of(arm, own, step.options)
    dice = found.splash if splash else found.far if hexes > 1 else found.near
    why: dict[str, object] = {"shooter": attack.shooter, "weapon": attack.weapon}
    if dice is None:
        wounds = _splash(step, attack, arm) if splash else weapon_wounds(step, attack, hexes)
        damage = damage_of(wounds)
        return _Blow(damage, found.anti_armor, {**why, "damage": damage})
    rolled = roll(step, attack.shooter, "splash damage" if splash else "damage", dice)
    return _Blow(
        rolled.damage, found.anti_armor, {**why, "dice": str(dice), "damage": rolled.damage, "roll": rolled.graded}
    )


def _splash(step: DisrupterStep, attack: Attack, arm: Weapon) -> int:
    trait = arm.trait("splash")
    assert trait is not None
    return step.hooks.fire_splash(step, attack, int(trait[-1]))
