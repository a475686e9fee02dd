"""The damage dice of a weapon: which they are for its bearer, and what a card shows of them (D-MO-R16.2)."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from rallypoint.disrupter.field import Weapon
from rallypoint.kernel.canonical import Value
from rallypoint.kernel.encounter import Encounter, Gear, Sheet
from rallypoint.kernel.state import Entity

from .conversion import weapon_row
from .dice import Dice, dice_in
from .figures import own_dice
from .options import choice, is_on, rolls_dice

__all__ = ["WeaponDice", "dice_of", "with_dice"]

COLUMNS = ("T", "C", "M", "L")
"""The Wounds of a weapon by range, which do not count where it has dice."""

TRAITS = ("damage", "far_damage", "splash_damage", "anti_armor")
"""What a content pack says of dice, which has columns of its own on a card."""

_MOST = 100
"""More dice, or dice with more sides, are not thrown."""


class WeaponDice(NamedTuple):
    """Dice of a hit, of one beyond Close Range, and of everybody beside the target; ``None``: its columns count there."""

    near: Dice | None
    far: Dice | None
    splash: Dice | None
    anti_armor: bool


def dice_of(arm: Weapon, own: tuple[str, bool] | None, options: Mapping[str, Value]) -> WeaponDice:
    """Return the dice of a weapon: the contractor's ``own``, those of a content pack, or those of the tables."""
    row = weapon_row(arm.key)
    near = _trait(arm, "damage") or (row.damage if row is not None else "")
    far = _trait(arm, "far_damage") or (row.far if row is not None else "")
    splash = _trait(arm, "splash_damage") or (row.splash if row is not None else "")
    if own is not None and own[0] != near:
        near, far = own[0], ""
    elif arm.key == "revolver" and row is not None and near == row.damage:
        near = choice(options, "D-MO-R16.2.revolver")
    anti_armor = arm.trait("anti_armor") is not None or (own is not None and own[1])
    anti_armor = anti_armor or (arm.key == "sniper_rifle" and is_on(options, "D-MO-R16.2.anti_armor"))
    return WeaponDice(_thrown(near), _thrown(far or near), _thrown(splash), anti_armor)


def _trait(arm: Weapon, name: str) -> str:
    return "".join(arm.trait(name) or ())


def _thrown(text: str) -> Dice | None:
    dice = dice_in(text)
    return None if dice is None or dice.number > _MOST or dice.sides > _MOST else dice


# On cards and in exports


def with_dice(options: Mapping[str, Value], encounter: Encounter) -> Encounter:
    """Return an encounter whose weapons show their dice in place of Wounds by range, where damage is rolled.

    The numbers and traits that the rules read stay; what does not count is left out of cards.
    """
    if not rolls_dice(options):
        return encounter
    sheets = {
        uid: _sheet(options, encounter.state[uid], sheet) if uid in encounter.state else sheet
        for uid, sheet in encounter.sheets.items()
    }
    return encounter._replace(sheets=MappingProxyType(sheets))


def _sheet(options: Mapping[str, Value], unit: Entity, sheet: Sheet) -> Sheet:
    if unit.role != "unit":
        return sheet
    own = own_dice(unit)
    return sheet._replace(gear=tuple([_shown(options, gear, own.get(gear.key)) for gear in sheet.gear]))


def _shown(options: Mapping[str, Value], gear: Gear, own: tuple[str, bool] | None) -> Gear:
    """Return a weapon with its dice; one without dice as it is, for its columns count."""
    if gear.kind != "weapon":
        return gear
    traits = gear.facts.get("traits", ())
    assert isinstance(traits, tuple)
    arm = Weapon(gear.key, gear.title, 0, 0, 0, 0, None, tuple([str(trait) for trait in traits]))
    dice = dice_of(arm, own, options)
    if dice.near is None:
        return gear
    found: dict[str, Value] = {"Damage": str(dice.near)}
    if dice.far is not None and dice.far != dice.near:
        found["Far"] = str(dice.far)
    if dice.splash is not None:
        found["Splash"] = str(dice.splash)
    if dice.anti_armor:
        found["AA"] = "yes"
    found["left_out"] = (*COLUMNS, *TRAITS, *(["splash"] if dice.splash is not None else []))
    return gear._replace(facts=MappingProxyType({**gear.facts, **found}))
