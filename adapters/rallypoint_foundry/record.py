"""Our own record of an entity, kept under ``flags.rallypoint``: everything, whatever the system has fields for."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TypeAlias

from rallypoint.kernel.canonical import Value
from rallypoint.kernel.encounter import Encounter, Gear, Sheet
from rallypoint.kernel.state import Entity, Tracker, place_out

__all__ = ["FLAG", "Document", "above", "describe", "entity_record", "gear_record", "odd_key", "plain", "stats_block"]

FLAG = "rallypoint"
"""The key of our flags in every document."""

Document: TypeAlias = dict[str, object]
"""A Foundry document, or a part of one: what JSON writes as an object."""


def plain(value: Value) -> object:
    """Return the value with lists and dictionaries in place of tuples and read-only mappings.

    >>> plain(("a", {"b": (1,)}))
    ['a', {'b': [1]}]
    """
    if isinstance(value, tuple):
        return [plain(item) for item in value]
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    return value


def odd_key(key: str) -> bool:
    """Say whether Foundry would take a key for a path or a command.

    >>> odd_key("call.sign"), odd_key("-=name"), odd_key("call sign")
    (True, True, False)
    """
    return "." in key or key.startswith(("-=", "=="))


def _has_odd_key(value: object) -> bool:
    if isinstance(value, dict):
        return any(odd_key(key) or _has_odd_key(item) for key, item in value.items())
    return isinstance(value, list) and any(map(_has_odd_key, value))


def _facts(entity: Entity) -> object:
    """Return the facts as a table, or as text in JSON where somebody has given a field a name that Foundry would bend."""
    found = plain(entity.facts)
    return json.dumps(found, ensure_ascii=False) if _has_odd_key(found) else found


def _trackers(entity: Entity) -> list[Document]:
    # A list, not a mapping: Foundry takes keys with dots apart, and a game may call its trackers what it likes.
    return [{"name": name, **tracker._asdict()} for name, tracker in entity.trackers.items()]


def gear_record(gear: Gear) -> Document:
    """Return kind, key, title and facts of one piece of gear."""
    return {"kind": gear.kind, "key": gear.key, "title": gear.title, "facts": plain(gear.facts)}


def describe(encounter: Encounter, entity: Entity, rank: int = 0) -> Document:
    """Return who an entity is, in short, with facts and trackers: for the ``above`` of what stands below it.

    ``rank`` is its place among what stands below the same parent, from 0: files of single actors come in any order.
    """
    sheet = encounter.sheets.get(entity.uid)
    return {
        "uid": entity.uid,
        "role": entity.role,
        "code": "" if sheet is None else sheet.code,
        "name": "" if sheet is None else sheet.name,
        "rank": rank,
        "facts": _facts(entity),
        "trackers": _trackers(entity),
    }


def above(encounter: Encounter, entity: Entity) -> tuple[Entity, ...]:
    """Return what stands above an entity, the side first; empty for a side."""
    found: list[Entity] = []
    while entity.parent is not None:
        entity = encounter.state[entity.parent]
        found.append(entity)
    return tuple(reversed(found))


def entity_record(
    encounter: Encounter, entity: Entity, side: str, chain: list[Document], sheet: Sheet | None, rank: int = 0
) -> Document:
    """Return the record of an entity: uid, encounter, side and kind to find it by, and the rest without loss.

    ``chain`` are the short records of what stands above it, the side first; ``rank`` is as in :func:`describe`.
    """
    record: Document = {
        "v": 1,
        "uid": entity.uid,
        "encounter": encounter.key,
        "title": encounter.title,
        "game": encounter.game,
        "side": side,
        "kind": entity.role,
        "rank": rank,
        "above": chain,
        "facts": _facts(entity),
        "trackers": _trackers(entity),
        "statuses": [{**status._asdict(), "value": plain(status.value)} for status in entity.statuses.values()],
        "place": plain(place_out(entity.place)),
        "attributes": plain(entity.attributes),
    }
    if sheet is not None:
        record["code"] = sheet.code
        record["name"] = sheet.name
        record["class"] = sheet.role
        record["stats"] = dict(sheet.stats)
        record["gear"] = [gear_record(gear) for gear in sheet.gear]
        record["notes"] = list(sheet.notes)
        record["picture"] = sheet.picture
    return record


def stats_block(system: str, version: str, core: str) -> Document:
    """Return ``_stats``: which system and which core schema the document is written for; no times, no user.

    >>> stats_block("mosh", "0.6.1", "13.351")["coreVersion"]
    '13.351'
    """
    block: Document = {
        "systemId": system,
        "systemVersion": version,
        "coreVersion": core,
        "createdTime": None,
        "modifiedTime": None,
        "lastModifiedBy": None,
        "compendiumSource": None,
        "duplicateSource": None,
    }
    # Core 12 keeps the place that a document was exported from among the flags.
    return block if core.startswith("12.") else {**block, "exportSource": None}


def fits(tracker: Tracker, bad: str) -> bool:
    """Say whether a tracker can be shown by a pod that counts with ``bad`` as the worse way.

    >>> fits(Tracker(0, 0, 2, "up"), "up"), fits(Tracker(0, 0, None, "up"), "up")
    (True, False)
    """
    return tracker.max is not None and tracker.bad == bad
