"""Actors: a contractor for each unit, a character that carries the Stress of each platoon."""

from __future__ import annotations

from html import escape
from typing import NamedTuple

from rallypoint.kernel.encounter import Encounter, Sheet
from rallypoint.kernel.state import Entity

from .ids import derived_roll, document_id
from .items import copy_template, gear_items
from .losses import Losses
from .profile import ActorKind, Profile
from .record import FLAG, Document, entity_record, fits

__all__ = ["DEFAULT_PICTURE", "Conversion", "Station", "actor_document", "picture_path", "put", "token"]

DEFAULT_PICTURE = "icons/svg/mystery-man.svg"
"""A picture that every Foundry installation has."""

_IMAGE_ENDINGS = (".apng", ".avif", ".bmp", ".gif", ".jpeg", ".jpg", ".png", ".svg", ".tiff", ".webp")
_STAT_RANGE = (0, 99)


class Conversion(NamedTuple):
    """One run of the export: what goes in, by which profile, and what could not be placed.

    ``stats`` is the ``_stats`` block of every document; ``left_out`` gathers what has no field, ``unknown`` the weapons
    without dice.
    """

    encounter: Encounter
    profile: Profile
    stats: Document
    left_out: Losses
    unknown: Losses


class Station(NamedTuple):
    """Where an actor belongs: the side's uid, the disposition towards the players (-1 hostile, 0 neutral, 1 friendly).

    ``chain`` are the short records of what stands above it, the side first; ``folder`` is a folder's id, ``sort`` the
    place in the folder.
    """

    side: str
    disposition: int
    chain: list[Document]
    folder: str | None
    sort: int


def put(system: Document, path: str, value: object) -> None:
    """Set the field at a dotted path; the path must stand in the template.

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
    if last not in place:
        raise KeyError(path)
    place[last] = value


def picture_path(sheet: Sheet) -> str | None:
    """Return the sheet's picture if Foundry would take it: Foundry refuses what does not end like an image.

    >>> picture_path(Sheet("u", "U", "Bot", "R-1A", picture="tokens/bot.webp?v=2"))
    'tokens/bot.webp?v=2'
    """
    if sheet.picture and sheet.picture.partition("?")[0].lower().endswith(_IMAGE_ENDINGS):
        return sheet.picture
    return None


def token(name: str, picture: str, disposition: int, bars: tuple[str, str]) -> Document:
    """Return a prototype token: one square, linked to its actor, name and bars shown to the owner on hover (20).

    ``disposition`` is -1 hostile, 0 neutral or 1 friendly; ``bars`` are paths without a leading ``system.``.
    """
    return {
        "name": name,
        "displayName": 20,
        "displayBars": 20,
        "actorLink": True,
        "appendNumber": False,
        "prependAdjective": False,
        "width": 1,
        "height": 1,
        "texture": {"src": picture, "scaleX": 1, "scaleY": 1},
        "lockRotation": False,
        "rotation": 0,
        "alpha": 1,
        "disposition": disposition,
        "bar1": {"attribute": bars[0]},
        "bar2": {"attribute": bars[1]},
        "randomImg": False,
        "flags": {},
    }


def _trackers(system: Document, entity: Entity, kind: ActorKind, run: Conversion, who: str) -> None:
    for pod in kind.trackers.values():
        for key in ("value", "min", "max"):
            put(system, f"{pod.path}.{key}", 0)
    for name, tracker in entity.trackers.items():
        known = kind.trackers.get(name)
        if known is None:
            run.left_out.add(f"tracker {name}", who, f"no field in {run.profile.name}, kept in our flag alone")
        elif not fits(tracker, known.bad):
            why = f"{known.path} needs a maximum and {known.bad} as the bad way, kept in our flag alone"
            run.left_out.add(f"tracker {name}", who, why)
        else:
            put(system, f"{known.path}.value", tracker.value)
            put(system, f"{known.path}.min", tracker.min or 0)
            put(system, f"{known.path}.max", tracker.max)


def _net_health(system: Document) -> None:
    """Fill in what the system derives, so that nothing jumps when the actor is first opened."""
    hits, health = system["hits"], system["health"]
    assert isinstance(hits, dict)
    assert isinstance(health, dict)
    put(system, "netHP.value", (hits["max"] - hits["value"] - 1) * health["max"] + health["value"])
    put(system, "netHP.max", health["max"] * hits["max"])


def _contractor(system: Document, sheet: Sheet, run: Conversion, who: str) -> str:
    """Fill in Combat, Instinct and Loyalty; return the words for the type."""
    stats, profile = system["stats"], run.profile
    assert isinstance(stats, dict)
    strength = sheet.stats.get(profile.combat_stat)
    combat = 0 if strength is None else strength // profile.combat_divide
    low, high = _STAT_RANGE
    if strength is None or not low <= combat <= high:
        found = "none" if strength is None else strength
        run.left_out.add(f"{profile.combat_stat} {found}", who, f"gives no Combat from {low} to {high}")
        combat = min(max(combat, low), high)
    stats["combat"].update(value=combat, enabled=strength is not None)
    known = profile.classes.get(sheet.role)
    if known is None:
        run.left_out.add(f"class {sheet.role or '(none)'}", who, f"no Instinct and Loyalty in {profile.name}")
        stats["instinct"].update(value=0, enabled=False)
        stats["loyalty"].update(value=0)
        return ""
    loyalty = derived_roll(*profile.loyalty, "loyalty", run.encounter.key, sheet.uid) if known.loyalty else 0
    stats["instinct"].update(value=known.instinct, enabled=True)
    stats["loyalty"].update(value=loyalty, enabled=known.loyalty)
    return known.words


def _notes(game: str, sheet: Sheet, chain: list[Document], words: str) -> str:
    rows = [", ".join(part for part in (sheet.code, sheet.role, words and f"contractor type {words}") if part)]
    rows.append(" / ".join(str(entry["name"]) for entry in chain if entry["name"]))
    numbers = ", ".join(f"{name} {value}" for name, value in sheet.stats.items())
    rows.append(numbers and f"In {game}: {numbers}")
    return "".join(f"<p>{escape(row, quote=False)}</p>" for row in [*rows, *sheet.notes] if row)


def actor_document(run: Conversion, entity: Entity, kind: ActorKind, sheet: Sheet, station: Station) -> Document:
    """Return the actor of one entity, whole: nothing is left to the defaults of the system."""
    profile = run.profile
    identity = document_id(run.encounter.key, station.side, entity.uid, "actor", kind.type)
    name = next(text for text in (sheet.name, sheet.code, entity.uid) if text.strip())
    who = name  # the code on the base may be that of the whole team
    picture = picture_path(sheet)
    if sheet.picture and picture is None:
        run.left_out.add(f"picture {sheet.picture}", who, "Foundry takes only paths with the ending of an image")
    system = copy_template(profile.template["Actor"][kind.type])
    assert isinstance(system, dict)
    for path, value in kind.fixed.items():
        put(system, path, value)
    _trackers(system, entity, kind, run, who)
    _net_health(system)
    words = _contractor(system, sheet, run, who) if kind.contractor else ""
    items = gear_items(identity, sheet.gear, who, profile, run.stats, left_out=run.left_out, unknown=run.unknown)
    if kind.contractor:
        put(system, "stats.armor.enabled", any(item["type"] == "armor" for item in items))
    put(system, "notes", _notes(run.encounter.game, sheet, station.chain, words))
    return {
        "_id": identity,
        "name": name,
        "type": kind.type,
        "img": picture or DEFAULT_PICTURE,
        "system": system,
        "prototypeToken": token(name, picture or DEFAULT_PICTURE, station.disposition, kind.bars),
        "items": items,
        "effects": [],
        "folder": station.folder,
        "sort": station.sort,
        "ownership": {"default": 0},
        "flags": {FLAG: entity_record(run.encounter, entity, station.side, station.chain, sheet)},
        "_stats": run.stats,
    }
