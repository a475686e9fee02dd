"""How Foundry changes a document: dotted keys, ``-=``, objects merged, lists replaced, rows of a collection by ``_id``."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Final, TypeAlias, cast

__all__ = ["Document", "FoundryError", "at", "change_rows", "copied", "expanded", "merge", "overlaid", "row", "rows"]

Document: TypeAlias = dict[str, object]
"""What JSON writes as an object."""

_ABSENT: Final = object()


class FoundryError(Exception):
    """What Foundry or the module throws; the text goes into the answer's ``error``."""


def copied(document: Mapping[str, object]) -> Document:
    """Return a copy that shares nothing."""
    return cast("Document", copy.deepcopy(document))


def rows(document: Mapping[str, object], name: str) -> list[Document]:
    """Return the very list of documents inside a document, such as ``tokens``; an empty one where there is none."""
    found = document.get(name)
    return cast("list[Document]", found) if isinstance(found, list) else []


def row(document: Mapping[str, object], name: str, identity: object) -> Document | None:
    """Return the document of that ``_id`` inside a document."""
    return next((inner for inner in rows(document, name) if inner["_id"] == identity), None)


def at(document: Mapping[str, object], path: str) -> object:
    """Return what stands at a dotted path, ``None`` for nothing.

    >>> at({"system": {"hits": {"value": 1}}}, "system.hits.value")
    1
    """
    value: object = document
    for key in path.split("."):
        if not isinstance(value, Mapping) or key not in value:
            return None
        value = value[key]
    return value


def expanded(data: Mapping[str, object]) -> Document:
    """Return a copy without dotted keys; keys that remove stay.

    >>> expanded({"system.hits.value": 1, "system": {"notes": "a"}})
    {'system': {'hits': {'value': 1}, 'notes': 'a'}}
    """
    found: Document = {}
    for key, value in data.items():
        head, _, rest = key.partition(".")
        inner = expanded({rest: value}) if rest else expanded(value) if isinstance(value, Mapping) else None
        if inner is None:
            found[head] = copy.deepcopy(value)
        elif isinstance(found.get(head), dict):
            _join(cast("Document", found[head]), inner)
        else:
            found[head] = inner
    return found


def _join(into: Document, more: Document) -> None:
    for key, value in more.items():
        if isinstance(value, dict) and isinstance(into.get(key), dict):
            _join(cast("Document", into[key]), value)
        else:
            into[key] = value


def _settled(value: object) -> object:
    """Return a value as it comes to stand where nothing was: there is nothing to remove."""
    if isinstance(value, dict):
        return {key: _settled(inner) for key, inner in value.items() if not key.startswith("-=")}
    return copy.deepcopy(value)


def merge(document: Document, data: Mapping[str, object]) -> Document:
    """Change a document by expanded data; return what differs now, as Foundry tells its hooks.

    >>> actor = {"system": {"hits": {"value": 0, "max": 2}}, "flags": {"a": 1}}
    >>> merge(actor, {"system": {"hits": {"value": 1, "max": 2}}, "flags": {"-=a": None}})
    {'system': {'hits': {'value': 1}}, 'flags': {'-=a': None}}
    >>> actor
    {'system': {'hits': {'value': 1, 'max': 2}}, 'flags': {}}
    """
    changes: Document = {}
    for key, value in data.items():
        there = document.get(key, _ABSENT)
        if key.startswith("-="):
            if document.pop(key[2:], _ABSENT) is not _ABSENT:
                changes[key] = None
        elif isinstance(value, dict) and isinstance(there, dict):
            inner = merge(there, value)
            if inner:
                changes[key] = inner
        elif there != value or isinstance(there, bool) != isinstance(value, bool):
            document[key] = _settled(value)
            changes[key] = copy.deepcopy(document[key])
    return changes


def overlaid(base: Mapping[str, object], delta: Mapping[str, object]) -> Document:
    """Return a document with differences laid over it, the base untouched; parts are shared, so only read it.

    >>> overlaid({"system": {"hits": 0, "notes": "a"}}, {"system": {"hits": 1}})
    {'system': {'hits': 1, 'notes': 'a'}}
    """
    found = dict(base)
    for key, value in delta.items():
        there = found.get(key)
        if value is None or key in ("_id", "items", "effects"):
            continue
        found[key] = overlaid(there, value) if isinstance(value, dict) and isinstance(there, dict) else value
    if delta.get("items"):
        own = {str(item["_id"]): item for item in rows(delta, "items")}
        kept = [item for item in rows(base, "items") if item["_id"] not in own]
        found["items"] = kept + [item for item in own.values() if not item.get("_tombstone")]
    return found


def change_rows(
    document: Document, name: str, given: list[Document], fresh: Document
) -> list[tuple[Document, Document]]:
    """Change the rows of an embedded collection, matched by ``_id``; a row with an id that is not there is made.

    ``fresh`` are the values of a new row. Rows that are not named stay. Returns the rows that differ, with what differs.
    """
    found = []
    inner = cast("list[Document]", document.setdefault(name, []))
    for wanted in given:
        known = row(document, name, wanted.get("_id"))
        if known is None:
            known = copied(fresh)
            inner.append(known)
        changes = merge(known, expanded(wanted))
        if changes:
            found.append((known, changes))
    return found
