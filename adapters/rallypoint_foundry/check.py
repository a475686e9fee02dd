"""The gate: no document leaves that Foundry or the system would refuse, bend or show wrongly."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property

from rallypoint.kernel.encounter import Encounter
from rallypoint.kernel.errors import PluginError

from .ids import ID
from .mapping import Profile
from .record import Document, odd_key

__all__ = ["check", "faults"]

_LEAKED = re.compile(r"\b(None|undefined|null)\b")


def _kind(value: object) -> str:
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, (int, float)):
        return "number"
    if isinstance(value, str):
        return "string"
    if isinstance(value, list):
        return "array"
    return "object" if isinstance(value, dict) else "null"


class _Gate:
    """The faults found so far, and what was seen on the way."""

    def __init__(self, profile: Profile, encounter: Encounter) -> None:
        self.profile = profile
        self.encounter = encounter
        self.found: list[str] = []
        self.ids: set[str] = set()

    @cached_property
    def own_words(self) -> frozenset[str]:
        """Words that look like a leak, but somebody wrote them: a squad may be called Null."""
        encounter = self.encounter
        facts = [entity.facts for entity in encounter.state]
        written = _texts([tuple(encounter.sheets.values()), facts, encounter.title, encounter.pages, encounter.tables])
        return frozenset(word for text in written for word in _LEAKED.findall(text))

    def text(self, text: str, where: str) -> None:
        """Look for a value that was printed by mistake."""
        for word in _LEAKED.findall(text):
            if word not in self.own_words:
                self.found.append(f"{where} says {word!r}: {text[:60]!r}")

    def system(self, system: object, template: Mapping[str, object], undeclared: Mapping[str, str], where: str) -> None:
        """Compare the fields of a document with those that the template declares."""
        if not isinstance(system, dict):
            self.found.append(f"{where} is not an object")
            return
        for key, value in system.items():
            declared = template.get(key, self)
            if value is declared:
                continue
            path = f"{where}.{key}"
            expected = undeclared.get(path.partition(".system.")[2]) if declared is self else _kind(declared)
            if expected is None:
                self.found.append(f"{path} is not in the template")
            elif _kind(value) != expected:
                self.found.append(f"{path} is {_kind(value)}, not {expected}")
            elif isinstance(declared, dict):
                self.system(value, declared, undeclared, path)
            elif isinstance(value, str):
                self.text(value, path)
        self.found.extend([f"{where}.{key} is missing" for key in template if key not in system])

    def document(self, document: Document, where: str) -> None:
        """Look at what every document has: id, name, flags."""
        own = document["_id"]
        if not isinstance(own, str) or not ID.fullmatch(own):
            self.found.append(f"{where} has the id {own!r}")
        elif own in self.ids:
            self.found.append(f"{where} has an id that stands twice: {own}")
        else:
            self.ids.add(own)
        self.text(str(document.get("name", "")), where)
        self.found.extend(_keys(document["flags"], where))

    def body(self, document: Document, section: str, where: str) -> None:
        """Look at ``system`` of an actor or an item."""
        kind = str(document["type"])
        undeclared = {path: value for (owner, path), value in self.profile.undeclared.items() if owner == kind}
        self.system(document["system"], self.profile.template[section][kind], undeclared, f"{where}.system")


def _texts(value: object) -> Iterator[str]:
    """Yield every text in a value of any depth, keys too."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from _texts(key)
            yield from _texts(item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _texts(item)


def _bars(actor: Document, where: str) -> Iterator[str]:
    token = actor["prototypeToken"]
    assert isinstance(token, dict)
    for bar in ("bar1", "bar2"):
        path = token[bar]["attribute"]
        pod: object = actor["system"]
        for step in path.split("."):
            pod = pod.get(step) if isinstance(pod, dict) else None
        if not (isinstance(pod, dict) and _kind(pod.get("value")) == _kind(pod.get("max")) == "number"):
            yield f"{where}.{bar} {path} has no value and max"


def _keys(value: object, where: str) -> Iterator[str]:
    if isinstance(value, dict):
        for key, item in value.items():
            if odd_key(key):
                yield f"{where} has the key {key!r}, which Foundry takes for a path or a command"
            yield from _keys(item, where)
    elif isinstance(value, list):
        for item in value:
            yield from _keys(item, where)


_EMBEDDED = {"scenes": "tokens", "tables": "results", "journal": "pages", "combats": "combatants"}


def _others(gate: _Gate, others: Mapping[str, list[Document]]) -> None:
    """Look at scenes, tables, journal and combats, and at what their parts point at."""
    for collection, documents in others.items():
        for document in documents:
            where = f"{collection} {document.get('name', document['_id'])}"
            gate.document(document, where)
            children = document[_EMBEDDED[collection]]
            assert isinstance(children, list)
            for child in children:
                place = f"{where}, {child.get('name', child['_id'])}"
                gate.document(child, place)
                for key in ("actorId", "tokenId", "sceneId"):
                    if key in child and child[key] not in gate.ids:
                        gate.found.append(f"{place} points at the {key} {child[key]}, which is nowhere")


def faults(
    folders: Iterable[Document],
    actors: Iterable[Document],
    profile: Profile,
    encounter: Encounter,
    others: Mapping[str, list[Document]] | None = None,
) -> list[str]:
    """Return what is wrong with the documents: ids, fields, bars, leaked words, keys of flags; empty if nothing is.

    ``others`` are scenes, tables, journal and combats by these names, in this order.
    """
    gate = _Gate(profile, encounter)
    for folder in folders:
        gate.document(folder, f"folder {folder['name']}")
    for actor in actors:
        where = f"actor {actor['name']}"
        gate.document(actor, where)
        gate.body(actor, "Actor", where)
        gate.found.extend(_bars(actor, where))
        items = actor["items"]
        assert isinstance(items, list)
        for item in items:
            gate.document(item, f"{where}, item {item['name']}")
            gate.body(item, "Item", f"{where}, item {item['name']}")
    _others(gate, others or {})
    return gate.found


def check(
    folders: Iterable[Document],
    actors: Iterable[Document],
    profile: Profile,
    encounter: Encounter,
    others: Mapping[str, list[Document]] | None = None,
) -> None:
    """Let the documents pass, or say everything that is wrong with them.

    Raises:
        PluginError: the exporter, its profile or the game made something that Foundry would not take.
    """
    found = faults(folders, actors, profile, encounter, others)
    if found:
        more = f"; and {len(found) - 10} more" if len(found) > 10 else ""
        raise PluginError(
            "the export would not be accepted, so nothing is written",
            plugin="foundry",
            found="; ".join(found[:10]) + more,
            expected=f"documents as {profile.name} declares them",
            hint="this is a fault of the exporter, its profile or the game plugin: please report it",
        )
