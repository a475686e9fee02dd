"""Actors that were never ours, in the words of Mothership's contractors: which of the system's fields says what."""

from __future__ import annotations

import re
from collections.abc import Mapping
from html import unescape

from rallypoint.kernel.canonical import freeze
from rallypoint.kernel.encounter import Gear, Sheet
from rallypoint.kernel.errors import InputError
from rallypoint.kernel.state import Entity, Tracker

from .actors import DEFAULT_PICTURE
from .exported import Json, listed, table, whole

__all__ = ["GAME", "contractor"]

GAME = "mothership"
"""The game whose words these are; what it says is described with the plugin of that name."""

_STATS = {"combat": "Combat", "instinct": "Instinct", "loyalty": "Loyalty"}
_TRACKERS = {"Wounds": ("hits", "up"), "Health": ("health", "down"), "Stress": ("other.stress", "up")}
_EXTRAS = {"baseSalary": "salary", "motivation": "motivation", "hiddenMotivation": "hidden_motivation"}
_RANGES = {"none": "", "adjacent": "Adjacent", "close": "Close", "long": "Long", "extreme": "Extreme"}


def _pod(system: Json, path: str, where: str) -> Json | None:
    place: object = system
    for step in path.split("."):
        place = table(place, f"{where}: system.{path}").get(step)
        if place is None:
            return None
    return table(place, f"{where}: system.{path}")


def _trackers(system: Json, where: str, notes: list[str]) -> dict[str, Tracker]:
    found = {}
    for name, (path, bad) in _TRACKERS.items():
        pod = _pod(system, path, where)
        if pod is None:
            continue
        value, top = whole(pod.get("value"), f"{where}: system.{path}.value"), pod.get("max")
        most = None if top is None else whole(top, f"{where}: system.{path}.max")
        # A pod of 0 of 0 is how people say that there is none.
        if most != 0 or value != 0:
            tracker = Tracker(value, 0, most, "up" if bad == "up" else "down")
            found[name] = tracker._replace(value=tracker.clamp(value))
            if found[name].value != value:
                notes.append(f"{where}: {name} {value} is outside 0 to {most}: taken as {found[name].value}")
    return found


def _stats(system: Json, where: str) -> dict[str, int]:
    found = {}
    for key, stat in table(system.get("stats", {}), f"{where}: system.stats").items():
        pod = table(stat, f"{where}: system.stats.{key}")
        # A creature shows a stat only when it is switched on; a character has no switches.
        if key in _STATS and pod.get("enabled", True) is not False and pod.get("value") is not None:
            found[_STATS[key]] = whole(pod["value"], f"{where}: system.stats.{key}.value")
    return found


def _weapon(system: Json) -> dict[str, object]:
    ranges = system.get("ranges")
    word = ranges.get("value", "") if isinstance(ranges, dict) else system.get("range", "")
    return {
        "damage": str(system.get("damage") or ""),
        "range": _RANGES.get(str(word), str(word)),
        "shots": system.get("shots"),
        "wound": str(system.get("woundEffect") or ""),
        "anti_armor": bool(system.get("antiArmor")),
    }


def _armor(system: Json) -> dict[str, object]:
    return {
        "armor_points": system.get("armorPoints"),
        "damage_reduction": system.get("damageReduction"),
        "speed": str(system.get("speed") or ""),
        "equipped": bool(system.get("equipped")),
    }


def _gear(item: Json, where: str) -> Gear:
    title, kind = str(item.get("name") or ""), str(item.get("type") or "item")
    system = table(item.get("system", {}), f"{where}: system")
    facts = {"weapon": _weapon, "armor": _armor}.get(kind, dict)(system)
    frozen = freeze({key: value for key, value in facts.items() if value is not None})
    assert isinstance(frozen, Mapping)
    return Gear(kind, re.sub(r"[^a-z0-9]+", "_", title.lower()).strip("_") or kind, title or kind, frozen)


def _notes(system: Json) -> tuple[str, ...]:
    text = str(system.get("notes") or system.get("biography") or "")
    lines = unescape(re.sub(r"<[^>]*>", "\n", text)).splitlines()
    return tuple(line.strip() for line in lines if line.strip())


def contractor(actor: Json, uid: str, where: str, notes: list[str]) -> tuple[Entity, Sheet]:
    """Return an actor as an entity and a sheet; all that has no word of its own is kept in the fact ``extra``.

    A number outside its limits is moved into them, which is added to ``notes``.

    Raises:
        InputError: a field is not what the system keeps there.
    """
    system = table(actor.get("system"), f"{where}: system")
    items = [
        table(item, f"{where}: items[{row}]")
        for row, item in enumerate(listed(actor.get("items", []), f"{where}: items"))
    ]
    own = table(system.get("contractor"), where) if isinstance(system.get("contractor"), dict) else {}
    facts: dict[str, object] = {"extra": {"foundry": {"type": actor.get("type"), "system": system, "items": items}}}
    for key, fact in _EXTRAS.items():
        if own.get(key) not in (None, ""):
            facts[fact] = own[key]
    name = actor.get("name")
    if not isinstance(name, str):
        raise InputError("an actor needs a name", where=where, found=name)
    frozen = freeze(facts)
    assert isinstance(frozen, Mapping)
    entity = Entity.new(uid, "unit", facts=frozen, trackers=_trackers(system, where, notes))
    picture = actor.get("img")
    sheet = Sheet(
        uid,
        name if name.strip() else uid,
        str(own.get("role") or ""),
        "",
        _stats(system, where),
        tuple(_gear(item, f"{where}: items[{row}]") for row, item in enumerate(items)),
        _notes(system),
        picture if isinstance(picture, str) and picture not in ("", DEFAULT_PICTURE) else None,
    )
    return entity, sheet
