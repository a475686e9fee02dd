"""The fake world: its documents by uuid, what changes them, who is told. The Gamemaster's own hand is in ``table.py``."""

from __future__ import annotations

import copy
import threading
from collections.abc import Callable, Mapping
from typing import NamedTuple, cast

from ..ids import document_id
from .documents import Document, FoundryError, change_rows, copied, expanded, merge, overlaid, row, rows
from .systems import System

__all__ = ["COLLECTIONS", "Event", "Found", "User", "World"]

COLLECTIONS = ("Actor", "Item", "Scene", "Combat", "JournalEntry", "RollTable", "Macro", "Folder")
"""The documents that stand on their own; the first part of a uuid."""

PICTURE = "icons/svg/mystery-man.svg"
_EMBEDDED = {"Actor": {"items": "Item"}, "Scene": {"tokens": "Token"}, "Combat": {"combatants": "Combatant"}}
_INSIDE = {"Token": "tokens", "Item": "items", "Combatant": "combatants"}
_TYPED = ("Actor", "Item")

_PROTOTYPE: Document = {
    "name": "",
    "actorLink": False,
    "width": 1,
    "height": 1,
    "rotation": 0,
    "disposition": -1,
    "displayName": 0,
    "displayBars": 0,
    "bar1": {"attribute": None},
    "bar2": {"attribute": None},
    "texture": {"src": PICTURE},
    "flags": {},
}
_TOKEN: Document = {"actorId": None, "delta": None, "x": 0, "y": 0, "elevation": 0, "hidden": False}
_FRESH: dict[str, Document] = {
    "Token": _PROTOTYPE | _TOKEN,
    "Actor": {"img": PICTURE, "items": [], "effects": [], "flags": {}, "folder": None, "ownership": {"default": 0}},
    "Item": {"img": PICTURE, "effects": [], "flags": {}, "folder": None, "ownership": {"default": 0}},
    "Scene": {"active": False, "tokens": [], "flags": {}, "folder": None},
    "Combat": {"name": "", "scene": None, "combatants": [], "round": 0, "turn": 0, "active": False, "flags": {}},
    "Combatant": {
        "name": "",
        "actorId": None,
        "tokenId": None,
        "sceneId": None,
        "img": PICTURE,
        "initiative": None,
        "hidden": False,
        "defeated": False,
        "flags": {},
    },
}


class User(NamedTuple):
    """Somebody with a log-in; role 4 is the Gamemaster's, 1 a player's."""

    identity: str
    name: str
    role: int
    active: bool = False


class Found(NamedTuple):
    """A document by uuid, and what it is part of; for the actor of an unlinked token, that token as ``token``."""

    kind: str
    uuid: str
    document: Document
    parent: Document | None = None
    token: Document | None = None


class Event(NamedTuple):
    """What a hook of Foundry tells: ``updateActor`` and kin, the document, what changed, and the document around it."""

    hook: str
    uuid: str
    document: Document
    changes: Document
    parent: Document | None = None


class World:
    """One world of Foundry.

    Args:
        system: its game system.
        identity: the world's own id, such as ``demo-world``.
        title: its name.
        client: the id by which a relay knows it.
        core: Foundry's build.
    """

    def __init__(
        self,
        system: System,
        *,
        identity: str = "demo-world",
        title: str = "Demo World",
        client: str = "fvtt_0123456789abcdef",
        core: str = "13.351",
    ) -> None:
        self.system = system
        self.identity, self.title, self.client, self.core = identity, title, client, core
        self.collections: dict[str, dict[str, Document]] = {name: {} for name in COLLECTIONS}
        self.users = [User("gmUser0000000000", "Gamemaster", 4, True), User("player0000000000", "Player", 1)]
        self.selected: list[str] = []
        self.combat: str | None = None
        self.uploaded: dict[str, str] = {}
        self.online = True
        self.orphans_throw = False
        self.listeners: list[Callable[[Event], None]] = []
        self.lock = threading.RLock()
        self._made = 0

    def new_id(self) -> str:
        """Return an id that was not given before, the same on every run."""
        self._made += 1
        return document_id("fake", self.identity, str(self._made))

    def tell(self, hook: str, uuid: str, document: Document, changes: Document, parent: Document | None = None) -> None:
        """Let the listeners hear of a change; they hear of the state as it is now."""
        for listener in tuple(self.listeners):
            listener(Event(hook, uuid, document, changes, parent))

    # --- reading

    def find(self, uuid: str) -> Found | None:
        """Return the document of that uuid, ``None`` if there is none.

        Raises:
            FoundryError: it is the actor of a token that shares its actor: Foundry throws then.
        """
        parts = uuid.split(".")
        if len(parts) % 2 or parts[0] not in self.collections:
            return None
        document = self.collections[parts[0]].get(parts[1])
        found = None if document is None else Found(parts[0], uuid, document)
        for kind, identity in zip(parts[2::2], parts[3::2], strict=True):
            if found is None:
                return None
            found = (
                self._token_actor(found, uuid)
                if (found.kind, kind) == ("Token", "Actor")
                else _inner(found, kind, identity, uuid)
            )
        return found

    def _token_actor(self, found: Found, uuid: str) -> Found | None:
        token = found.document
        if token["actorLink"]:
            raise FoundryError("Cannot read properties of undefined (reading 'collection')")
        actor = self.actor_of(token)
        return None if actor is None else Found("Actor", uuid, actor, found.parent, token)

    def actor_of(self, token: Document) -> Document | None:
        """Return the actor that a token shows: for an unlinked one with its differences laid over; ``None`` for an orphan."""
        base = self.collections["Actor"].get(str(token["actorId"]))
        if base is None or token["actorLink"]:
            return base
        return overlaid(base, cast("Document", token["delta"] or {}))

    def actor_uuid(self, scene: object, token: Document) -> str | None:
        """Return the uuid of a token's actor, ``None`` for an orphan."""
        if str(token["actorId"]) not in self.collections["Actor"]:
            return None
        own = f"Actor.{token['actorId']}"
        return own if token["actorLink"] else f"Scene.{scene}.Token.{token['_id']}.{own}"

    def check_readable(self, tokens: list[Document]) -> None:
        """Throw, as some builds of Foundry do, if one of the tokens is an orphan and ``orphans_throw`` is set.

        Raises:
            FoundryError: there is one.
        """
        if self.orphans_throw and any(str(token["actorId"]) not in self.collections["Actor"] for token in tokens):
            raise FoundryError("Cannot read properties of undefined (reading 'toObject')")

    def scene(self, identity: object = None) -> Document:
        """Return a scene by id, or the active one.

        Raises:
            FoundryError: there is none.
        """
        if identity is not None:
            scene = self.collections["Scene"].get(str(identity))
            if scene is None:
                raise FoundryError(f"Scene not found: {identity}")
            return scene
        for scene in self.collections["Scene"].values():
            if scene.get("active"):
                return scene
        raise FoundryError("No active scene")

    # --- changing

    def create(self, kind: str, data: Mapping[str, object], *, keep_id: bool = False) -> Document:
        """Make a document that stands on its own, and return it.

        Raises:
            FoundryError: Foundry would refuse the data.
        """
        given = expanded(data)
        if not given.get("name") and kind != "Combat":
            raise FoundryError(f"{kind} validation errors:\n  name: may not be undefined")
        document = copied(_FRESH.get(kind, {"flags": {}, "folder": None})) | given
        if not keep_id or not document.get("_id"):
            document["_id"] = self.new_id()
        if kind in _TYPED:
            self._furnish(kind, document, given)
        for name, inner in _EMBEDDED.get(kind, {}).items():
            document[name] = [self._embedded(inner, one, keep_id) for one in rows(document, name)]
        if kind == "Actor":
            self.system.creates(document)
        self.collections[kind][str(document["_id"])] = document
        self.tell(f"create{kind}", f"{kind}.{document['_id']}", document, {})
        return document

    def _furnish(self, kind: str, document: Document, given: Document) -> None:
        own = cast("Document", given.get("system") or {})
        document["system"] = self.system.filled(kind, document.get("type"), own)
        document.setdefault("_stats", {"systemId": self.system.identity, "systemVersion": self.system.version})
        if kind == "Actor":
            prototype = copied(_PROTOTYPE) | {"name": document["name"]}
            document["prototypeToken"] = prototype | cast("Document", given.get("prototypeToken") or {})

    def _embedded(self, kind: str, data: Mapping[str, object], keep_id: bool) -> Document:
        document = copied(_FRESH[kind])
        merge(document, expanded(data))
        if not keep_id or not document.get("_id"):
            document["_id"] = self.new_id()
        if kind == "Item":
            self._furnish(kind, document, expanded(data))
        return document

    def place(self, scene: Document, data: Mapping[str, object]) -> Document:
        """Put a token on a scene; it takes over nothing from its actor's prototype."""
        token = self._embedded("Token", {key: value for key, value in data.items() if key != "_id"}, keep_id=False)
        rows(scene, "tokens").append(token)
        self.tell("createToken", f"Scene.{scene['_id']}.Token.{token['_id']}", token, {}, scene)
        return token

    def update(self, uuid: str, data: Mapping[str, object]) -> Document:
        """Change a document as Foundry does, and return it; listeners hear of it if anything differs.

        Raises:
            FoundryError: there is none, or the data are refused; nothing has changed then.
        """
        found = self.find(uuid)
        if found is None:
            raise FoundryError("Cannot read properties of null (reading 'uuid')")
        given = expanded(data)
        given.pop("_id", None)
        if given.get("name", "x") in ("", None) and found.kind != "Token":
            raise FoundryError(f"{found.kind} validation errors:\n  name: may not be undefined")
        if found.kind in _TYPED and isinstance(given.get("system"), dict):
            own = cast("Document", given["system"])
            given["system"] = self.system.cleaned(found.kind, found.document.get("type"), own)
        if found.token is not None:
            return self._update_synthetic(found, found.token, given)
        self._update_rows(found, given)
        changes = merge(found.document, given)
        if changes:
            self._clamp(found.document, changes)
            self.tell(f"update{found.kind}", uuid, found.document, changes, found.parent)
        return found.document

    def _clamp(self, document: Document, changes: Document) -> None:
        if isinstance(changes.get("system"), dict):
            self.system.clamped(cast("Document", document["system"]), cast("Document", changes["system"]))

    def _update_synthetic(self, found: Found, token: Document, given: Document) -> Document:
        """Change an unlinked token's actor: the differences go into the token's ``delta``, the base actor stays."""
        items = given.pop("items", None)
        changed = copied(found.document)
        changes = merge(changed, given)
        self._clamp(changed, changes)
        delta = cast("Document", token["delta"] or {})
        token["delta"] = delta
        merge(delta, changes if not self.system.clamps else merge(copied(found.document), changed))
        if isinstance(items, list):
            own = {str(item["_id"]): item for item in rows(delta, "items")}
            change_rows(changed, "items", items, _FRESH["Item"])
            own.update({str(item["_id"]): item for item in rows(changed, "items")})
            delta["items"] = list(own.values())
            changes["items"] = copy.deepcopy(items)
        actor = self.actor_of(token)
        assert actor is not None
        if changes:
            self.tell("updateActor", found.uuid, actor, changes, found.parent)
        return actor

    def _update_rows(self, found: Found, given: Document) -> None:
        for name, kind in _EMBEDDED.get(found.kind, {}).items():
            wanted = given.pop(name, None)
            if isinstance(wanted, list):
                for one, changes in change_rows(found.document, name, wanted, _FRESH[kind]):
                    self.tell(f"update{kind}", f"{found.uuid}.{kind}.{one['_id']}", one, changes, found.document)

    def delete(self, uuid: str) -> bool:
        """Take a document away; say whether there was one. Tokens of a deleted actor stay, as orphans."""
        found = self.find(uuid)
        if found is None or found.token is not None:
            return False
        identity = str(found.document["_id"])
        if found.parent is None:
            del self.collections[found.kind][identity]
        else:
            rows(found.parent, _INSIDE[found.kind]).remove(found.document)
        if self.combat == identity:
            self.combat = next(iter(self.collections["Combat"]), None)
        self.tell(f"delete{found.kind}", uuid, found.document, {}, found.parent)
        return True


def _inner(found: Found, kind: str, identity: str, uuid: str) -> Found | None:
    inner = row(found.document, _INSIDE[kind], identity) if kind in _INSIDE else None
    return None if inner is None else Found(kind, uuid, inner, found.document)
