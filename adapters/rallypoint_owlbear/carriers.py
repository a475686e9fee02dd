"""Where our numbers stand in files of items: what sync must know to keep a battle and these files in step.

>>> # Files("owlbear", [Path("items.json")], find), bound with bindings(json.loads(...))
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from rallypoint_sync.bindings import Binding, Carrier
from rallypoint_sync.fields import Field
from rallypoint_sync.files import path_of
from rallypoint_sync.lenses import Exact

from .stands import RECORD_KEY, units_on
from .trackers import PREFIX, TRACKERS_KEY

__all__ = ["bindings", "find"]


def find(content: object) -> Iterator[tuple[str, dict[str, object]]]:
    """Yield the tokens with our record on them, each with its id, from any form in which items come.

    It is what :class:`rallypoint_sync.files.Files` asks for: our ``encounter.owlbear.json``, a list of items, alone or under
    ``items``, or the file of Persistent Tokens.
    """
    if isinstance(content, list):
        for entry in content:
            yield from _token(entry.get("token", entry) if isinstance(entry, dict) else entry)
    elif isinstance(content, dict):
        for held in (*_listed(content.get("tokens")), content):
            for item in _listed(held.get("items")) if isinstance(held, dict) else ():
                yield from _token(item)


def bindings(content: object) -> tuple[Binding, ...]:
    """Return where a file shows Wounds and Stress: the entries of Owl Trackers on its tokens. Stress has a copy on each."""
    found: list[Binding] = []
    for document, item in find(content):
        metadata = item["metadata"]
        assert isinstance(metadata, Mapping)
        entries = [each.get("id") for each in _listed(metadata.get(TRACKERS_KEY)) if isinstance(each, Mapping)]
        for field, entry in _numbers(metadata[RECORD_KEY]):
            if entry in entries:
                path = path_of("metadata", TRACKERS_KEY, entry, "value")
                found.append(Binding((field,), Carrier(document, path), Exact()))
    return tuple(found)


def _token(item: object) -> Iterator[tuple[str, dict[str, object]]]:
    metadata = item.get("metadata") if isinstance(item, dict) else None
    if isinstance(item, dict) and isinstance(metadata, dict) and isinstance(metadata.get(RECORD_KEY), dict):
        yield str(item.get("id")), item


def _numbers(record: object) -> Iterator[tuple[Field, str]]:
    """Yield the fields of a record with the ids of their entries."""
    assert isinstance(record, Mapping)
    if isinstance(record.get("stressOf"), str):
        yield Field(record["stressOf"], "Stress"), f"{PREFIX}stress"
    listed = units_on(record)
    for unit in [record] if listed is None else listed:
        if isinstance(unit, Mapping) and isinstance(unit.get("uid"), str):
            yield Field(unit["uid"], "Wounds"), f"{PREFIX}wounds-{unit['uid']}"


def _listed(value: object) -> list[object]:
    return value if isinstance(value, list) else []
