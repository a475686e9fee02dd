"""The conversion itself, both ways, on plain records; the numbers stand in ``conversion.toml``.

A unit becomes a contractor: Combat by Instinct, type and Instinct by class, armour by what it does, weapons by their
twins. A contractor becomes a unit: class by type, else by Combat; armour by Armour Points; weapons by title, else by the
nearest damage. Each side carries the other's record, and what was not changed comes back as it was.
"""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import resources
from typing import NamedTuple

from rallypoint.content.fields import one_line
from rallypoint.content.gear_reader import is_picture
from rallypoint.disrupter import catalogue
from rallypoint.kernel.canonical import canonical
from rallypoint.kernel.errors import InputError

from .records import Armor, Contractor, Figure, Weapon, fields_in
from .weapons import Match, WeaponRow, nearest

__all__ = [
    "Choices",
    "Turned",
    "as_contractor",
    "as_figure",
    "choices_of",
    "loyalty_of",
    "may_carry",
    "name_of",
    "picture_of",
    "protection",
    "twin_of",
    "weapon_row",
]

_COMBAT = ("half", "equal", "archetype")
_MOST_WOUNDS = 3
_OFFICER = 35
"""Combat from which a contractor without a telling type is an officer."""
_COMBAT_ARMOR = 5
"""Armour Points from which armour is as good as Combat Armor."""
_BATTLE_DRESS = 10
"""Armour Points from which armour counts as Battle Dress."""
_HIGHEST = 99

_BOTS = {"android", "robot", "bot", "synthetic", "drone"}
_COMMANDERS = {"captain", "commander", "co"}
_OFFICERS = {"officer", "nco", "sergeant", "lieutenant", "corporal"}


class Choices(NamedTuple):
    """How to convert: ``combat`` is ``half`` (of Instinct), ``equal`` to it, or the printed ``archetype``.

    With ``revolver_bonus`` a revolver does 1d10+1, else 1d10; with ``anti_armor`` a Sniper Rifle is anti-armour.
    """

    combat: str = "half"
    revolver_bonus: bool = True
    anti_armor: bool = False


class Turned(NamedTuple):
    """A unit made of a contractor, and a line for each thing that could not be carried over as it was."""

    figure: Figure
    notes: tuple[str, ...]


def choices_of(options: Mapping[str, str]) -> Choices:
    """Return the choices that options say as text: ``combat``, ``revolver-bonus``, ``anti-armor``; others are ignored.

    Raises:
        InputError: a value is none of those that exist.
    """
    combat = options.get("combat", "half")
    if combat not in _COMBAT:
        raise InputError("no such choice", where="option combat", found=combat, expected=" or ".join(_COMBAT))
    switches = {}
    for name, otherwise in (("revolver-bonus", "true"), ("anti-armor", "false")):
        value = options.get(name, otherwise)
        if value not in ("true", "false"):
            raise InputError("no such choice", where=f"option {name}", found=value, expected="true or false")
        switches[name] = value == "true"
    return Choices(combat, switches["revolver-bonus"], switches["anti-armor"])


class _Tables(NamedTuple):
    classes: Mapping[str, Mapping[str, object]]
    armor: Mapping[str, Mapping[str, object]]
    weapons: Mapping[str, WeaponRow]


@cache
def _tables() -> _Tables:
    text = (resources.files("rallypoint_mothership") / "conversion.toml").read_text("utf-8")
    document = tomllib.loads(text)
    weapons = {key: WeaponRow(key, **row) for key, row in document["weapon"].items()}
    return _Tables(document["class"], document["armor"], weapons)


def loyalty_of(key: str, uid: str) -> int:
    """Return 2d10 + 10, always the same for one contractor of one encounter.

    >>> 12 <= loyalty_of("demo", "starter-0A-1-1") <= 30
    True
    """
    # The same bytes as every exporter takes for this roll, so that a contractor has one Loyalty in all files.
    number = int.from_bytes(hashlib.sha256(canonical(("loyalty", key, uid)).encode("utf-8", "surrogatepass")).digest())
    number, first = divmod(number, 10)
    return 10 + first + 1 + number % 10 + 1


def as_contractor(figure: Figure, key: str, choices: Choices = Choices()) -> Contractor:  # noqa: B008
    """Return the contractor that stands for a unit, fresh: what the unit carries is not looked at.

    Combat is I / 2 (80 gives 40, 60 gives 30, 40 gives 20), I itself, or the number that is printed for the type;
    at most 99. A class that the tables do not know becomes its own type, with Combat alone. Wounds and W are equal.

    Args:
        figure: the unit.
        key: of the encounter, which Loyalty is rolled with.
        choices: the alternatives.
    """
    tables = _tables()
    known = tables.classes.get(figure.kind)
    combat = figure.instinct if choices.combat == "equal" else figure.instinct // 2
    if choices.combat == "archetype" and known is not None:
        combat = _number(known["archetype"])
    protection = tables.armor.get(figure.wears)
    armor = () if protection is None else (_armor(protection),)
    return Contractor(
        uid=figure.uid,
        name=figure.name,
        type=figure.kind if known is None else str(known["type"]),
        combat=min(combat, _HIGHEST),
        instinct=None if known is None else _number(known["instinct"]),
        loyalty=loyalty_of(key, figure.uid) if known is not None and known["loyalty"] else None,
        wounds=figure.wounds,
        max_wounds=figure.max_wounds,
        weapons=tuple([_weapon(weapon, choices) for weapon in figure.weapons]),
        armor=armor,
        speed="slow" if figure.movement < 2 else "normal",
        team=figure.team,
        picture=figure.picture,
        extra=figure.fields,
    )


def weapon_row(key: str) -> WeaponRow | None:
    """Return the contractor's weapon that stands for one of Disrupter, ``None`` for a homebrewer's."""
    return _tables().weapons.get(key)


def protection(wears: str) -> tuple[int, int] | None:
    """Return Armour Points and Damage Reduction of an armour or a bot's model, ``None`` for a homebrewer's.

    >>> protection("combat_armor"), protection("battle_dress"), protection("fur")
    ((7, 0), (10, 3), None)
    """
    row = _tables().armor.get(wears)
    return None if row is None else (_number(row["armor_points"]), _number(row["damage_reduction"]))


def twin_of(weapon: Weapon, wears: str, is_bot: bool) -> str | None:
    """Return the key of the weapon of Disrupter that stands for one of a contractor, ``None`` if none does.

    >>> twin_of(Weapon("SMG", "2d10", "Long", wound="Gunshot"), "combat_armor", False)
    'laser_carbine'
    """
    match = nearest(weapon, [row for row in _tables().weapons.values() if may_carry([row.key], wears, is_bot)])
    return None if match is None else match.row.key


def _number(value: object) -> int:
    assert isinstance(value, int)
    return value


def _armor(row: Mapping[str, object]) -> Armor:
    return Armor(str(row["title"]), _number(row["armor_points"]), _number(row["damage_reduction"]))


def _weapon(key: str, choices: Choices) -> Weapon:
    row = _tables().weapons.get(key)
    if row is None:  # a homebrewer's weapon: no dice are invented
        found = catalogue().weapons.get(key)
        return Weapon(key if found is None else found.title, note="No damage dice are known.")
    damage = "1d10" if key == "revolver" and not choices.revolver_bonus else row.damage
    anti_armor = key == "sniper_rifle" and choices.anti_armor
    return Weapon(row.title, damage, row.range, row.shots, row.wound, anti_armor, row.note)


def as_figure(contractor: Contractor) -> Turned:
    """Return the unit that stands for a contractor who never was one, fresh, and what could not be mapped.

    * Class: Bot if the type says android, robot, bot, drone or synthetic; CO if it says captain or commander; NCO if it says
      officer, sergeant, lieutenant or corporal; else NCO from Combat 35 on, else Soldier.
    * Instinct is that of the class, not twice the Combat, so that there are three of them (D-R6.2).
    * W is the maximum of Wounds, at most 3; taken Wounds at most W.
    * Armour: the Armour Points of all that is equipped, added up: 10 and more is Battle Dress, less is Combat Armor, the
      least that Disrupter has. A Bot has the first model of the tables.
    * Weapons: see :func:`~rallypoint_mothership.weapons.nearest`. What needs Battle Dress is given to those who wear it and to
      bots that count as wearing it; two that become alike stay two; a mounted one stands behind the one that carries it.
    """
    notes: list[str] = []
    kind = _kind(contractor)
    is_bot = kind == "Bot"
    wears = _wears(contractor, is_bot, notes)
    weapons = _weapons(contractor, wears, is_bot, notes)
    tables = catalogue()
    worn = tables.item("bot" if is_bot else "armor", wears)
    found = tables.find("class", kind)
    assert found is not None
    most = min(contractor.max_wounds, _MOST_WOUNDS)
    taken = min(contractor.wounds, most)
    if most != contractor.max_wounds:
        notes.append(f"maximum Wounds {contractor.max_wounds}: {_MOST_WOUNDS} is the most")
    if taken != contractor.wounds:
        notes.append(f"Wounds {contractor.wounds}: taken as {taken}, which is all there are")
    movement = worn.number("M")
    if contractor.speed and contractor.speed != ("slow" if movement < 2 else "normal"):
        notes.append(f"speed {contractor.speed}: {worn.title} moves {movement}")
    picture = picture_of(contractor)
    if picture != contractor.picture:
        notes.append(f"picture {contractor.picture}: nothing that a roster takes for one")
    figure = Figure(
        uid=contractor.uid,
        name=name_of(contractor),
        kind=kind,
        wears=wears,
        is_bot=is_bot,
        weapons=weapons,
        instinct=found.item.number("I"),
        armor=worn.number("A"),
        max_wounds=most,
        movement=movement,
        wounds=taken,
        team=contractor.team,
        picture=picture,
        fields=fields_in(contractor.extra),
    )
    return Turned(figure, tuple([f"{contractor.name}: {note}" for note in notes]))


def name_of(contractor: Contractor) -> str:
    """Return the name that a unit may have: all of it on one line."""
    return one_line(contractor.name)


def picture_of(contractor: Contractor) -> str | None:
    """Return the picture if a unit may have it."""
    text = contractor.picture
    return text if text is not None and is_picture(text) and one_line(text) == text else None


def _kind(contractor: Contractor) -> str:
    words = {word.strip("()[],.;:") for word in contractor.type.casefold().replace("-", " ").split()}
    for kind, names in (("Bot", _BOTS), ("CO", _COMMANDERS), ("NCO", _OFFICERS)):
        if words & names:
            return kind
    return "NCO" if contractor.combat is not None and contractor.combat >= _OFFICER else "Soldier"


def _wears(contractor: Contractor, is_bot: bool, notes: list[str]) -> str:
    points = sum(armor.armor_points for armor in contractor.armor if armor.equipped)
    notes += [f"armour {armor.title}: not equipped" for armor in contractor.armor if not armor.equipped]
    if is_bot:
        if points < _COMBAT_ARMOR:
            notes.append(f"Armour Points {points}: every Bot has those of its chassis")
        return next(iter(catalogue().bots))
    if points >= _BATTLE_DRESS:
        return "battle_dress"
    if points < _COMBAT_ARMOR:
        notes.append(f"Armour Points {points}: Combat Armor is the least that there is")
    return "combat_armor"


def may_carry(weapons: Iterable[str], wears: str, is_bot: bool) -> bool:
    """Say whether somebody who wears this armour, or is a bot of this model, may carry these weapons (D-EQ-T2).

    What the tables do not know may be carried.

    >>> may_carry(["laser_cutter"], "combat_armor", False), may_carry(["laser_cutter"], "basic_battlefield_robot", True)
    (False, True)
    """
    tables = catalogue()
    worn = tables.item("bot" if is_bot else "armor", wears)
    counts_as = {wears, *(worn.trait("counts_as") or ())}
    needed = [tables.weapons[key].trait("requires_armor") for key in weapons if key in tables.weapons]
    return all(each is None or not counts_as.isdisjoint(each) for each in needed)


def _weapons(contractor: Contractor, wears: str, is_bot: bool, notes: list[str]) -> tuple[str, ...]:
    """Return the keys of the weapons; a mounted one right behind the one that carries it, as a roster has them."""
    allowed = [row for row in _tables().weapons.values() if may_carry([row.key], wears, is_bot)]
    alone = [row for row in allowed if catalogue().item("weapon", row.key).trait("mounted") is None]
    found: list[list[str]] = []  # each weapon with what is mounted on it
    mounted: list[tuple[Weapon, Match]] = []
    for weapon in contractor.weapons:
        match = nearest(weapon, allowed)
        if match is not None and match.row not in alone:
            mounted.append((weapon, match))
        else:
            found += _twin(weapon, match, notes)
    for weapon, match in mounted:
        carriers = [each for each in found if match.row.key in catalogue().item("weapon", each[0]).mounts]
        if carriers:
            min(carriers, key=len).append(match.row.key)
        else:
            # Nothing to mount it on: what does as much damage, by its own dice or those that its name stands for.
            known = match.row
            like = weapon._replace(damage=weapon.damage or known.damage, wound=weapon.wound or known.wound)
            found += _twin(like, nearest(like, alone), notes)
    return tuple([key for each in found for key in each])


def _twin(weapon: Weapon, match: Match | None, notes: list[str]) -> list[list[str]]:
    """Return the key that stands for a weapon, or nothing, and note what is not as its name says."""
    if match is None:
        notes.append(f"weapon {weapon.title} ({weapon.damage or 'no dice'}, {weapon.range or 'no range'}): no twin")
        return []
    if not match.by_name:
        title = catalogue().item("weapon", match.row.key).title
        notes.append(f"weapon {weapon.title} ({weapon.damage}): taken as {title}, the nearest damage")
    return [[match.row.key]]
