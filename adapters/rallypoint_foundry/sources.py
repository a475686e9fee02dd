"""Pack sources: one JSON file a document with the keys that Foundry's command line stores them by, and their gate.

That program skips a file without ``_key`` in silence and packs two documents of one id without complaint, so everything
is checked before it sees a file.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import cast

from rallypoint.kernel.errors import PluginError

from .ids import ID
from .record import Document

__all__ = ["COLLECTIONS", "EMBEDDED", "actor_sources", "adventure_source", "check_sources", "keyed", "source_faults"]

COLLECTIONS = ("actors", "adventures", "folders", "items", "journal", "scenes", "tables")
"""The collections that a pack's documents can be of."""

EMBEDDED: Mapping[str, tuple[str, ...]] = {
    "actors": ("items", "effects"),
    "actors.items": ("effects",),
    "items": ("effects",),
    "journal": ("pages", "categories"),
    "scenes": ("drawings", "levels", "lights", "notes", "regions", "sounds", "templates", "tiles", "tokens", "walls"),
    "tables": ("results",),
}
"""Which lists of a document hold documents of their own, each with a key; an adventure's children have none."""


def keyed(document: Document, collection: str, above: Sequence[str] = ()) -> Document:
    """Return a copy of a document with ``_key`` on it and on everything embedded.

    >>> keyed({"_id": "A", "items": [{"_id": "B"}]}, "actors")
    {'_id': 'A', 'items': [{'_id': 'B', '_key': '!actors.items!A.B'}], '_key': '!actors!A'}
    """
    ids = [*above, str(document["_id"])]
    copy = dict(document)
    for name in EMBEDDED.get(collection, ()):
        if isinstance(children := copy.get(name), list):
            copy[name] = [keyed(child, f"{collection}.{name}", ids) for child in children]
    return {**copy, "_key": f"!{collection}!{'.'.join(ids)}"}


def _text(document: Document) -> bytes:
    return (json.dumps(document, ensure_ascii=False, allow_nan=False) + "\n").encode("utf-8")


def actor_sources(folders: Sequence[Document], actors: Sequence[Document]) -> dict[str, bytes]:
    """Return the files of a pack of actors with their folders, by file name."""
    files = {f"folder_{folder['_id']}.json": _text(keyed(folder, "folders")) for folder in folders}
    return files | {f"actor_{actor['_id']}.json": _text(keyed(actor, "actors")) for actor in actors}


def adventure_source(adventure: Document) -> dict[str, bytes]:
    """Return the one file of a pack with one adventure; its children lie in it whole, without keys."""
    return {f"adventure_{adventure['_id']}.json": _text({**adventure, "_key": f"!adventures!{adventure['_id']}"})}


class _Gate:
    def __init__(self) -> None:
        self.found: list[str] = []
        self.ids: dict[str, str] = {}
        self.keys: dict[str, str] = {}

    def once(self, seen: dict[str, str], what: str, value: str, file: str) -> None:
        other = seen.setdefault(value, file)
        if other is not file:
            self.found.append(f"{what} {value} stands in {other} and in {file}")

    def document(self, document: object, collection: str, above: list[str], file: str) -> None:
        place = f"{file}: {collection}"
        if not isinstance(document, dict):
            self.found.append(f"{place} is not an object")
            return
        own, key = document.get("_id"), document.get("_key")
        if not isinstance(own, str) or not ID.fullmatch(own):
            self.found.append(f"{place} has the id {own!r}")
            return
        ids = [*above, own]
        expected = f"!{collection}!{'.'.join(ids)}"
        if key is None:
            self.found.append(f"{place} {own} has no _key, so it would be skipped")
        elif key != expected:
            self.found.append(f"{place} {own} has the _key {key!r}, not {expected!r}")
        # The same level id may stand in every scene: it is known by its scene.
        if collection != "scenes.levels":
            self.once(self.ids, "the id", own, file if not above else f"{file} ({'.'.join(ids)})")
        self.once(self.keys, "the key", str(key), f"{file} ({'.'.join(ids)})")
        for name in EMBEDDED.get(collection, ()):
            children = document.get(name, [])
            if not isinstance(children, list):
                self.found.append(f"{place} {own} has {name} that are not a list")
                continue
            for child in children:
                self.document(child, f"{collection}.{name}", ids, file)

    def children(self, adventure: Document, file: str) -> None:
        for name, value in adventure.items():
            for child in value if isinstance(value, list) else ():
                if isinstance(child, dict) and "_key" in child:
                    self.found.append(f"{file}: {name} of an adventure has a _key: {child['_key']}")


def _documents(files: Mapping[str, bytes], found: list[str]) -> Iterator[tuple[str, str, Document]]:
    for name, content in files.items():
        try:
            document = json.loads(content)
        except ValueError as error:
            found.append(f"{name} is not JSON: {error}")
            continue
        if not isinstance(document, dict):
            found.append(f"{name} holds a {type(document).__name__}, not one document")
            continue
        collection = str(document.get("_key", "")).partition("!")[2].partition("!")[0]
        if collection not in COLLECTIONS:
            said = (
                "has no _key, so it would be skipped"
                if "_key" not in document
                else f"has the _key {document['_key']!r}"
            )
            found.append(f"{name} {said}")
            continue
        yield name, collection, cast("Document", document)


def source_faults(files: Mapping[str, bytes]) -> list[str]:
    """Return what is wrong with the files of one pack: ids, keys, doubles with both their files; empty if nothing is."""
    gate = _Gate()
    for name, collection, document in _documents(files, gate.found):
        gate.document(document, collection, [], name)
        if collection == "adventures":
            gate.children(document, name)
    return gate.found


def check_sources(pack: str, files: Mapping[str, bytes]) -> None:
    """Let the files pass, or say everything that is wrong with them.

    Raises:
        PluginError: Foundry's command line would skip or mix up something.
    """
    found = source_faults(files)
    if found:
        raise PluginError(
            f"the sources of the pack {pack} would not be packed as they are, so nothing is written",
            plugin="foundry",
            found="; ".join(found[:10]) + (f"; and {len(found) - 10} more" if len(found) > 10 else ""),
            hint="this is a fault of the exporter: please report it",
        )
