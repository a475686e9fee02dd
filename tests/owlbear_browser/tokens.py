"""Tokens of the room, as the exporter places them."""

from __future__ import annotations

from typing import Any

from rallypoint_owlbear.stands import RECORD_KEY
from rallypoint_owlbear.trackers import TRACKERS_KEY

__all__ = ["Json", "shown", "token"]

Json = dict[str, Any]


def token(identity: str, uid: str | None = None, wounds: int = 0, stress: int | None = None, **keys: Any) -> Json:
    """A token with our record, and with a tracker of its Wounds, and of Stress where it has that."""
    uid = uid or identity
    entries: list[Json] = [
        {
            "id": f"rallypoint-wounds-{uid}",
            "name": "Wounds",
            "variant": "value-max",
            "color": 2,
            "value": wounds,
            "max": 3,
        }
    ]
    record: Json = {"v": 1, "uid": uid, "rev": 1, "by": "kernel", "wounds": wounds}
    if stress is not None:
        entries.append({"id": "rallypoint-stress", "name": "Stress", "variant": "value", "color": 6, "value": stress})
        record["stress"] = stress
    return {"id": identity, "name": uid, "metadata": {RECORD_KEY: record, TRACKERS_KEY: entries}, **keys}


def shown(item: Json, entry: str | None = None) -> object:
    """The number that a tracker of an item shows, that of its Wounds unless another is named."""
    entry = entry or f"rallypoint-wounds-{item['metadata'][RECORD_KEY]['uid']}"
    entries = [each for each in item["metadata"][TRACKERS_KEY] if isinstance(each, dict)]
    return next((each["value"] for each in entries if each.get("id") == entry), None)
