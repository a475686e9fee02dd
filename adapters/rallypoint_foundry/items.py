"""Gear as items of an actor: weapons with their dice, armour that is worn, and what a contractor brings besides."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import NamedTuple

from rallypoint.kernel.canonical import Value
from rallypoint.kernel.encounter import Gear

from .ids import document_id
from .losses import Losses
from .mapping import Conversion, Profile, Terms, Weapon
from .record import FLAG, Document, gear_record, plain

__all__ = ["Piece", "copy_template", "gear_items", "in_stats", "numbers", "put"]


class Piece(NamedTuple):
    """One thing that becomes an item; ``own`` if its facts are the contractor's own numbers, and not the game's."""

    gear: Gear
    own: bool = False


def copy_template(value: object) -> object:
    """Return a copy of template data that may be written to.

    >>> copy_template({"value": 0, "list": []})
    {'value': 0, 'list': []}
    """
    if isinstance(value, dict):
        return {key: copy_template(item) for key, item in value.items()}
    if isinstance(value, list):
        return [copy_template(item) for item in value]
    return value


def put(system: Document, path: str, value: object) -> None:
    """Set the field at a dotted path; the table that it is in must stand in the template.

    Raises:
        KeyError: it does not.

    >>> system: Document = {"hits": {"value": 0}}
    >>> put(system, "hits.value", 1)
    >>> system
    {'hits': {'value': 1}}
    """
    *steps, last = path.split(".")
    place = system
    for step in steps:
        inner = place[step]
        if not isinstance(inner, dict):
            raise KeyError(path)
        place = inner
    place[last] = value


def _put_all(system: Document, paths: tuple[str, ...], value: object) -> None:
    for path in paths:
        put(system, path, value)


def _said(value: Value) -> str:
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        return ", ".join(_said(item) for item in value) or "–"
    if isinstance(value, Mapping):
        return numbers(value)
    return str(value)


def numbers(facts: Mapping[str, Value]) -> str:
    """Return the facts as a person reads them.

    >>> numbers({"T": None, "C": 2, "traits": ("no_move_and_fire", "bulky")})
    'T –, C 2, traits no_move_and_fire, bulky'
    """
    return ", ".join(f"{key} {_said(value)}" for key, value in facts.items())


def _description(gear: Gear, columns: tuple[str, ...], note: str) -> str:
    """Return name and numbers, what the game says in words, and the note of the profile, a paragraph each."""
    left_out = gear.facts.get("left_out", ())
    hidden = {"left_out", *(left_out if isinstance(left_out, tuple) else ())}
    shown = [key for key in gear.facts if key not in hidden]
    order = [key for key in columns if key in shown] + [key for key in shown if key not in columns]
    words = {key: value for key in order if isinstance(value := gear.facts[key], str) and " " in value}
    own = numbers({key: gear.facts[key] for key in order if key not in words})
    lines = [f"{gear.title}: {own}." if own else f"{gear.title}.", *words.values(), note]
    return "".join(f"<p>{escape(line, quote=False)}</p>" for line in lines if line)


def _dice(piece: Piece, profile: Profile, terms: Terms) -> Weapon | None:
    """Return a weapon over there: the contractor's own, else what the profile has for ours."""
    gear, known = piece.gear, profile.weapons.get(piece.gear.key)
    if piece.own and gear.facts["damage"]:
        damage, reach, wound, note = (str(gear.facts[name]) for name in ("damage", "range", "wound", "note"))
        shots = gear.facts["shots"]
        # What somebody did not write down is as with the weapon of that name, if there is one.
        like = Weapon("", "", None, "", "") if known is None else known
        return Weapon(
            damage,
            reach or like.range,
            shots if isinstance(shots, int) else like.shots,
            wound or like.wound,
            note,
            anti_armor=gear.facts["anti_armor"] is True,
        )
    if known is None:
        return None
    dice = known.plain if known.plain and not terms.bonus else known.damage
    return known._replace(damage=dice, anti_armor=known.anti_armor and terms.anti_armor)


def _weapon(
    piece: Piece, who: str, profile: Profile, conversion: Conversion, terms: Terms, unknown: Losses
) -> Document:
    fields, gear = profile.weapon_item, piece.gear
    system = copy_template(profile.template["Item"][fields.type])
    assert isinstance(system, dict)
    weapon = _dice(piece, profile, terms) if conversion.dice else None
    if weapon is None:
        # The template's 1d10 would be an invented number: no dice, until somebody enters them.
        if conversion.dice:
            what = "" if piece.own else ", our numbers are in the description"
            unknown.add(f"weapon {gear.title}", who, f"no damage dice in {profile.name}: enter them{what}")
        _put_all(system, fields.damage, "")
        put(system, "description", _words(piece, profile.columns, ""))
        return system
    _put_all(system, fields.damage, weapon.damage)
    _put_all(system, fields.range, fields.ranges.get(weapon.range, weapon.range))
    if weapon.shots is not None:  # else the template's
        _put_all(system, fields.shots, weapon.shots)
    _put_all(system, fields.wound, weapon.wound)
    _put_all(system, fields.anti_armor, weapon.anti_armor)
    put(system, "description", _words(piece, profile.columns, weapon.note))
    return system


def _words(piece: Piece, columns: tuple[str, ...], note: str) -> str:
    if not piece.own:
        return _description(piece.gear, columns, note)
    lines = [f"{piece.gear.title}.", note or str(piece.gear.facts.get("note", ""))]
    return "".join(f"<p>{escape(line, quote=False)}</p>" for line in lines if line)


def _armor(piece: Piece, profile: Profile) -> Document | None:
    fields, gear = profile.armor_item, piece.gear
    if piece.own:
        points, reduction, worn = (gear.facts[name] for name in ("armor_points", "damage_reduction", "equipped"))
        speed = gear.facts["speed"]
    else:
        protection = profile.protection.get((gear.kind, gear.key))
        if protection is None:
            return None
        points, reduction, worn, speed = protection.armor_points, protection.damage_reduction, True, ""
    system = copy_template(profile.template["Item"][fields.type])
    assert isinstance(system, dict)
    _put_all(system, fields.points, points)
    _put_all(system, fields.reduction, reduction)
    _put_all(system, fields.worn, worn)
    _put_all(system, fields.speed, speed)
    put(system, "description", _words(piece, profile.columns, ""))
    return system


def _other(gear: Gear, profile: Profile) -> Document | None:
    """Return the fields of a thing of another type, as far as the system still has them."""
    template = profile.template["Item"].get(gear.kind)
    if template is None:
        return None
    system = copy_template(template)
    assert isinstance(system, dict)
    _overlay(system, plain(gear.facts))
    return system


def _overlay(system: Document, said: object) -> None:
    """Put what somebody kept over the template, where it is of the kind that the template has."""
    assert isinstance(said, dict)
    for name, value in said.items():
        old = system.get(name)
        if isinstance(old, dict) and isinstance(value, dict):
            _overlay(old, value)
        elif name in system and (type(value) is type(old) or {type(value), type(old)} == {int, float}):
            system[name] = value


def in_stats(gear: Gear, conversion: Conversion) -> bool:
    """Say whether a piece of gear is no item because its number stands among the stats."""
    return conversion.armor == "stat" and gear.kind in ("armor", "bot")


def gear_items(
    actor: str,
    gear: tuple[Piece, ...],
    who: str,
    profile: Profile,
    conversion: Conversion,
    terms: Terms,
    stats: Document,
    *,
    left_out: Losses,
    unknown: Losses,
) -> list[Document]:
    """Return the items of an actor, in the order of its gear.

    ``actor`` is the actor's id, from which the items' ids are made, with a number for the second weapon of a kind;
    ``who`` names the owner in ``left_out`` (gear that has no item and stays in our flag) and ``unknown`` (weapons whose
    dice nobody knows). ``stats`` is the ``_stats`` block.
    """
    items: list[Document] = []
    seen: dict[tuple[str, str], int] = {}
    for each in gear:
        piece = each.gear
        if in_stats(piece, conversion):
            continue
        system: Document | None
        if piece.kind == "weapon":
            kind, system = profile.weapon_item.type, _weapon(each, who, profile, conversion, terms, unknown)
        elif each.own and piece.kind != "armor":
            kind, system = piece.kind, _other(piece, profile)
        else:
            kind, system = profile.armor_item.type, _armor(each, profile)
        if system is None:
            left_out.add(f"{piece.kind} {piece.title}", who, f"no entry in {profile.name}, kept in our flag alone")
            continue
        occurrence = seen[piece.kind, piece.key] = seen.get((piece.kind, piece.key), 0) + 1
        items.append(
            {
                "_id": document_id(actor, "item", piece.kind, piece.key, str(occurrence)),
                "name": piece.title if piece.title.strip() else piece.key,
                "type": kind,
                "system": system,
                "effects": [],
                "folder": None,
                "sort": len(items) * 100000,
                "flags": {FLAG: {"v": 1, "occurrence": occurrence, **gear_record(piece)}},
                "_stats": stats,
            }
        )
    return items
