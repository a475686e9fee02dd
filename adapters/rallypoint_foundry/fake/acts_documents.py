"""What the module does with documents by uuid: reads, makes, changes, deletes them."""

from __future__ import annotations

from typing import cast

from .acting import Handler, Message, Refused, allowed, selected, user_of
from .documents import Document, FoundryError, at
from .world import COLLECTIONS, World

__all__ = ["HANDLERS"]


def _entity(world: World, message: Message) -> Document:
    uuid = message.get("uuid")
    own: Document = {} if uuid is None else {"uuid": uuid}
    if message.get("selected"):
        chosen = [found.document for found in selected(world, message)]
        if not chosen:
            raise Refused("Entity not found", data=None)
        return {"data": chosen}
    found = None if uuid is None else world.find(str(uuid))
    if found is None:
        raise Refused("Entity not found", data=None, **own)
    world.check_readable([found.document] if found.kind == "Token" else [])
    return {**own, "data": found.document}


def _create(world: World, message: Message) -> Document:
    kind, data = str(message["entityType"]), cast("Document", message["data"])
    if kind not in COLLECTIONS:
        raise FoundryError(f"Invalid entity type: {kind}")
    identity = data.get("_id")
    if message.get("folder"):
        data = {**data, "folder": message["folder"]}
    if message.get("keepId") and identity in world.collections[kind]:
        if not message.get("override"):
            raise FoundryError(f"Entity with ID '{identity}' already exists. Set override=true to replace it.")
        there = world.collections[kind][str(identity)]
        for name in ("items", "effects"):
            if isinstance(data.get(name), list):
                there[name] = []
        world.update(f"{kind}.{identity}", data)
        return {"uuid": f"{kind}.{identity}", "entity": there}
    made = world.create(kind, data, keep_id=bool(message.get("keepId")))
    return {"uuid": f"{kind}.{made['_id']}", "entity": made}


def _update(world: World, message: Message) -> Document:
    data, user = cast("Document", message["data"]), user_of(world, message)
    if message.get("selected"):
        chosen = selected(world, message)
        return {"entity": [world.update(found.uuid, data) for found in chosen]}
    if message.get("uuid") is None:
        raise FoundryError("Entity not found: undefined")
    uuid = str(message["uuid"])
    found = world.find(uuid)
    if found is None:
        raise FoundryError(f"Cannot read properties of null (reading '{'uuid' if user is None else 'name'}')")
    allowed(user, found.document, "update")
    return {"uuid": uuid, "entity": [world.update(uuid, data)]}


def _delete(world: World, message: Message) -> Document:
    uuid, user = str(message.get("uuid")), user_of(world, message)
    if user is not None:
        found = world.find(uuid)
        if found is None:
            raise FoundryError("Cannot read properties of null (reading 'name')")
        allowed(user, found.document, "delete")
    world.delete(uuid)
    return {"uuid": uuid, "success": True}


def _changed_by(sign: int) -> Handler:
    def handler(world: World, message: Message) -> Document:
        if not message.get("uuid") and not message.get("selected"):
            raise FoundryError("UUID or selected is required")
        uuid = str(message.get("uuid"))
        one = world.find(uuid) if message.get("uuid") else None
        chosen = selected(world, message) if message.get("selected") else [] if one is None else [one]
        if not chosen:
            raise FoundryError("No entities found to modify")
        path, results = str(message["attribute"]), []
        for found in chosen:
            old = at(found.document, path)
            if isinstance(old, bool) or not isinstance(old, int | float):
                kind = "undefined" if old is None else {bool: "boolean", str: "string"}.get(type(old), "object")
                raise FoundryError(f"Attribute {path} is not a number, found: {kind}")
            new = old + sign * cast("float", message["amount"])
            world.update(found.uuid, {path: new})
            results.append({"uuid": found.uuid, "attribute": path, "oldValue": old, "newValue": new})
        return {"results": results, "success": True}

    return handler


HANDLERS: dict[str, Handler] = {
    "entity": _entity,
    "create": _create,
    "update": _update,
    "delete": _delete,
    "increase": _changed_by(1),
    "decrease": _changed_by(-1),
}
"""By request type."""
