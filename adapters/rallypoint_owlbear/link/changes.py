"""What is sent to an item, made of values by path: entries of Owl Trackers, our record beside them, where it stands."""

from __future__ import annotations

from collections.abc import Mapping

from rallypoint.kernel.canonical import Value
from rallypoint_sync.files import path_of, shown_at
from rallypoint_sync.transport import RefusedError

from ..stands import RECORD_KEY, units_on
from ..trackers import PREFIX, TRACKERS_KEY, Json

__all__ = ["BANDS", "POSITION", "band_path", "change_of", "shown_values", "tracker_path"]

BANDS = ("unhurt", "hurt", "bad")
"""What is said of an enemy instead of a number."""
POSITION = "position"
"""The path of where an item stands."""

_WOUNDS = f"{PREFIX}wounds-"
_BAND_COLOR = 2


def tracker_path(entry: str) -> str:
    """Return the path of the number of a tracker.

    >>> tracker_path("rallypoint-stress")
    '/metadata/com.owl-trackers~1trackers/rallypoint-stress/value'
    """
    return path_of("metadata", TRACKERS_KEY, entry, "value")


def band_path(uid: str) -> str:
    """Return the path of the word for the Wounds of an enemy.

    >>> band_path("u1")
    '/metadata/io.github.rallypoint~1unit/bands/u1'
    """
    return path_of("metadata", RECORD_KEY, "bands", uid)


def change_of(item: Mapping[str, object], values: Mapping[str, Value]) -> Json:
    """Return the change that gives an item these values, with our record brought into line.

    Args:
        item: the item as it was read last; its record says what stands beside what is changed.
        values: the new values by path.

    Raises:
        RefusedError: a path leads nowhere that we write.

    >>> change_of({"id": "a", "metadata": {RECORD_KEY: {"rev": 3}}}, {tracker_path("rallypoint-wounds-u1"): 2})
    {'id': 'a', 'trackers': [{'id': 'rallypoint-wounds-u1', 'value': 2}], 'record': {'wounds': 2, 'rev': 4, 'by': 'kernel'}}
    """
    trackers: list[Json] = []
    numbers: dict[str, Value] = {}
    bands: dict[str, Value] = {}
    change: Json = {"id": item["id"]}
    for path, value in values.items():
        match _steps(path):
            case ["metadata", key, entry, "value"] if key == TRACKERS_KEY:
                trackers.append({"id": entry, "value": value})
                numbers[entry] = value
            case ["metadata", key, "bands", uid] if key == RECORD_KEY and value in BANDS:
                bands[uid] = value
                trackers.append(_band(uid, str(value), _named(item, uid)))
            case ["position"] if isinstance(value, tuple) and len(value) == 2:
                change["position"] = {"x": value[0], "y": value[1]}
            case _:
                raise RefusedError("this place of an item is not ours to write", code="no_such_place", where=path)
    record = _record(item)
    if trackers:
        change["trackers"] = trackers
        rev = record.get("rev")
        said = _numbers(record, numbers) | ({"bands": bands} if bands else {})
        change["record"] = said | {"rev": (rev if type(rev) is int else 0) + 1, "by": "kernel"}
    return change


def shown_values(item: Mapping[str, object], values: Mapping[str, Value]) -> Mapping[str, Value]:
    """Return what an item shows at these paths; a path at which nothing is is left out."""
    found: dict[str, Value] = {}
    for path in values:
        shown = _point(item) if path == POSITION else shown_at(item, path)
        if shown is not None:
            found[path] = shown
    return found


def _point(item: Mapping[str, object]) -> Value:
    point = item.get("position")
    if not isinstance(point, Mapping):
        return None
    x, y = point.get("x"), point.get("y")
    return (x, y) if isinstance(x, int | float) and isinstance(y, int | float) else None


def _steps(path: str) -> list[str]:
    if not path.startswith("/"):
        return [path]
    return [step.replace("~1", "/").replace("~0", "~") for step in path[1:].split("/")]


def _record(item: Mapping[str, object]) -> Mapping[str, object]:
    metadata = item.get("metadata")
    record = metadata.get(RECORD_KEY) if isinstance(metadata, Mapping) else None
    return record if isinstance(record, Mapping) else {}


def _named(item: Mapping[str, object], uid: str) -> str:
    """Return what the bar of a unit is called: on a token of several the unit's code."""
    units = units_on(_record(item)) or ()
    codes = [each.get("code") for each in units if isinstance(each, Mapping) and each.get("uid") == uid]
    return next((code for code in codes if isinstance(code, str) and code), "Wounds")


def _band(uid: str, word: str, name: str) -> Json:
    new = {"name": name, "variant": "value-max", "color": _BAND_COLOR, "max": len(BANDS) - 1}
    return {"id": f"{PREFIX}band-{uid}", "value": BANDS.index(word), "new": new}


def _numbers(record: Mapping[str, object], numbers: Mapping[str, Value]) -> Json:
    """Return the keys of our record that say the same as these trackers: Stress, the Wounds of each unit, their sum."""
    said: Json = {}
    if f"{PREFIX}stress" in numbers:
        said["stress"] = numbers[f"{PREFIX}stress"]
    wounds = {entry.removeprefix(_WOUNDS): value for entry, value in numbers.items() if entry.startswith(_WOUNDS)}
    if not wounds:
        return said
    units = units_on(record)
    if units is None:
        return said | {"wounds": next(iter(wounds.values()))}
    said["units"] = [{"uid": uid, "wounds": value} for uid, value in wounds.items()]
    known = {each.get("uid"): each.get("wounds") for each in units if isinstance(each, Mapping)} | wounds
    return said | {"wounds": sum(value for value in known.values() if type(value) is int)}
