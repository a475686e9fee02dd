"""What people do at the table: the Gamemaster edits, copies, deletes, presses a macro, closes the browser and comes back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, cast

from rallypoint.kernel.errors import InputError

from ..ids import document_id
from .documents import Document, at, copied, rows
from .systems import System, core_for, load_system
from .world import Event, World

__all__ = ["TRACKERS", "Sheet", "Table", "demo_world", "fill", "sheets"]

TRACKERS = {"Wounds": "system.hits", "Stress": "system.other.stress"}
"""Where mosh and its forks keep the two numbers that matter to us."""


class Sheet(NamedTuple):
    """What a person at the table sees of an actor: its uuid, its name, and numbers by path of the value."""

    uuid: str
    name: str
    numbers: dict[str, tuple[str, object]]


class Table(World):
    """A world with somebody in front of it. Everything here is safe to call while a server answers for the world."""

    def edit(self, uuid: str, data: Mapping[str, object]) -> Document:
        """Change a document by hand, as on its sheet.

        Raises:
            FoundryError: there is none, or the value is refused.
        """
        with self.lock:
            return self.update(uuid, data)

    def adjust(self, uuid: str, path: str, by: int) -> int:
        """Press a macro of mosh: add to the value at a full path, between the ``min`` and ``max`` beside it.

        Raises:
            InputError: there is no number.
        """
        with self.lock:
            found = self.find(uuid)
            value = None if found is None else at(found.document, path)
            if found is None or not isinstance(value, int):
                raise InputError("there is no number", where=f"{uuid} {path}", found=value)
            pod = path.rpartition(".")[0]
            low, high = at(found.document, f"{pod}.min"), at(found.document, f"{pod}.max")
            value = min(value + by, high) if isinstance(high, int) else value + by
            value = max(value, low) if isinstance(low, int) else value
            self.update(uuid, {path: value})
            return value

    def remove(self, uuid: str) -> bool:
        """Delete a document by hand; say whether there was one."""
        with self.lock:
            return self.delete(uuid)

    def copy_token(self, uuid: str, *, x: int = 0, y: int = 0) -> str:
        """Copy and paste a token: the copy keeps flags, actor and differences, and has an id of its own. Returns its uuid.

        Raises:
            InputError: there is no such token.
        """
        with self.lock:
            found = self.find(uuid)
            if found is None or found.kind != "Token" or found.parent is None:
                raise InputError("there is no such token", where=uuid)
            token = copied(found.document) | {"_id": self.new_id(), "x": x, "y": y}
            rows(found.parent, "tokens").append(token)
            made = f"Scene.{found.parent['_id']}.Token.{token['_id']}"
            self.tell("createToken", made, token, {}, found.parent)
            return made

    def copy_actor(self, uuid: str) -> str:
        """Duplicate an actor in the sidebar: the copy keeps flags and is called so. Returns its uuid.

        Raises:
            InputError: there is no such actor.
        """
        with self.lock:
            found = self.find(uuid)
            if found is None or found.kind != "Actor" or found.token is not None:
                raise InputError("there is no such actor", where=uuid)
            actor = self.create("Actor", {**found.document, "name": f"{found.document['name']} (Copy)"})
            return f"Actor.{actor['_id']}"

    def sleep(self) -> None:
        """Close the Gamemaster's browser: nobody answers, streams end."""
        self.online = False
        for listener in tuple(self.listeners):
            listener(Event("asleep", "", {}, {}))

    def wake(self) -> None:
        """Open it again."""
        self.online = True


def sheets(world: World) -> list[Sheet]:
    """Return the actors with their Wounds and Stress: the sidebar's, then those of unlinked tokens."""
    found = [_sheet(f"Actor.{key}", actor, "") for key, actor in world.collections["Actor"].items()]
    for scene in world.collections["Scene"].values():
        for token in rows(scene, "tokens"):
            actor = None if token["actorLink"] else world.actor_of(token)
            if actor is not None:
                found.append(
                    _sheet(str(world.actor_uuid(scene["_id"], token)), actor, f"{token['name']} on {scene['name']}: ")
                )
    return [sheet for sheet in found if sheet.numbers]


def _sheet(uuid: str, actor: Document, before: str) -> Sheet:
    numbers = {}
    for name, path in TRACKERS.items():
        value = at(actor, f"{path}.value")
        if value is not None:
            numbers[f"{path}.value"] = (name, value)
    return Sheet(uuid, f"{before}{actor['name']}", numbers)


def demo_world(system: str | System = "mosh-0.6.1", *, squads: int = 1, client: str = "fvtt_0123456789abcdef") -> Table:
    """Return a small world: a platoon with Stress, and squads of four with their tokens on a scene.

    Three of a squad are linked actors, the fourth is an unlinked copy of the actor *Conscript*. Ids are the same on
    every run.
    """
    known = load_system(system) if isinstance(system, str) else system
    world = Table(known, client=client, core=core_for(system) if isinstance(system, str) else "13.351")
    stress: Document = {"other": {"stress": {"value": 2, "min": 2, "max": 20, "label": "Stress"}}}
    _actor(world, "First Platoon", "character", stress)
    base = _actor(world, "Conscript", "creature")
    tokens: list[Document] = []
    for name in [f"Fighter {squad}-{number}" for squad in range(1, squads + 1) for number in range(1, 5)]:
        linked = not name.endswith("4")
        token: Document = {"_id": document_id("demo", name, "token"), "name": name, "actorLink": linked}
        token["actorId"] = _actor(world, name, "creature") if linked else base
        tokens.append(token | {"x": 100 * len(tokens), "y": 100, "bar1": {"attribute": "hits"}})
    scene = {"_id": document_id("demo", "scene"), "name": "Demo field", "active": True, "width": 4000, "height": 3000}
    world.create("Scene", {**scene, "grid": {"size": 100, "type": 1}, "tokens": tokens}, keep_id=True)
    return world


def _actor(world: World, name: str, kind: str, system: Document | None = None) -> str:
    own = {"hits": {"value": 0, "min": 0, "max": 2, "label": "Wounds"}} | (system or {})
    data = {"_id": document_id("demo", name), "name": name, "type": kind, "system": own}
    return str(world.create("Actor", data, keep_id=True)["_id"])


def fill(world: World, documents: Mapping[str, object]) -> dict[str, int]:
    """Put what ``encounter.json`` or an adventure holds into a world, ids kept; return how many of each kind.

    As with an import in Foundry, mosh's creation hook has its way with the actors. A scene becomes the active one if
    none is.

    Raises:
        FoundryError: the world's system refuses a document.
    """
    kinds = {
        "folders": "Folder",
        "actors": "Actor",
        "scenes": "Scene",
        "journal": "JournalEntry",
        "tables": "RollTable",
        "combats": "Combat",
    }
    counts = {}
    for name, kind in kinds.items():
        given = cast("list[Document]", documents.get(name) or [])
        for document in given:
            world.create(kind, document, keep_id=True)
        counts[name] = len(given)
    scenes = world.collections["Scene"]
    if scenes and not any(scene.get("active") for scene in scenes.values()):
        next(iter(scenes.values()))["active"] = True
    world.combat = world.combat or next(iter(world.collections["Combat"]), None)
    return counts
