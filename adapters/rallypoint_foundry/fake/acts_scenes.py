"""What the module does with scenes, tokens and encounters. Encounters are always the current one, whatever was asked."""

from __future__ import annotations

from typing import cast

from . import combats
from .acting import NO_ANSWER, Handler, Message, Refused
from .documents import Document, FoundryError, rows
from .world import World

__all__ = ["HANDLERS"]


def _scene_named(world: World, message: Message) -> Document:
    scenes = world.collections["Scene"]
    if message.get("sceneId"):
        found = scenes.get(str(message["sceneId"]))
    elif message.get("name"):
        found = next((scene for scene in scenes.values() if scene["name"] == message["name"]), None)
    else:
        found = next((scene for scene in scenes.values() if scene.get("active")), None)
    if found is None:
        raise FoundryError("Scene not found")
    return found


def _get_scene(world: World, message: Message) -> Document:
    if message.get("all"):
        return {"data": list(world.collections["Scene"].values())}
    scene = _scene_named(world, message)
    world.check_readable(rows(scene, "tokens"))
    return {"data": scene}


def _create_scene(world: World, message: Message) -> Document:
    return {"data": world.create("Scene", cast("Document", message["data"]))}


def _update_scene(world: World, message: Message) -> Document:
    return {"data": world.update(f"Scene.{_scene_named(world, message)['_id']}", cast("Document", message["data"]))}


def _delete_scene(world: World, message: Message) -> Document:
    return {"success": world.delete(f"Scene.{_scene_named(world, message)['_id']}")}


def _switch_scene(world: World, message: Message) -> Document:
    wanted = _scene_named(world, message)
    for key, scene in world.collections["Scene"].items():
        world.update(f"Scene.{key}", {"active": scene is wanted})
    return {"success": True, "data": wanted}


def _canvas(message: Message, scene: Document, **others: object) -> Document:
    if message["documentType"] != "tokens":
        raise FoundryError(f"the fake world has no {message['documentType']}, only tokens")
    return {"sceneId": scene["_id"], "documentType": "tokens", **others}


def _get_tokens(world: World, message: Message) -> Document:
    scene, wanted = world.scene(message.get("sceneId")), message.get("documentId")
    found = [token for token in rows(scene, "tokens") if wanted is None or token["_id"] == wanted]
    if wanted is not None and not found:
        raise FoundryError(f"Document not found: {wanted}")
    world.check_readable(found)
    return _canvas(message, scene, data=found)


def _create_token(world: World, message: Message) -> Document:
    scene = world.scene(message.get("sceneId"))
    return _canvas(message, scene, data=[world.place(scene, cast("Document", message["data"]))])


def _update_token(world: World, message: Message) -> Document:
    scene, wanted = world.scene(message.get("sceneId")), message["documentId"]
    uuid = f"Scene.{scene['_id']}.Token.{wanted}"
    if world.find(uuid) is None:
        raise Refused(f'Token "{wanted}" does not exist!')
    return _canvas(message, scene, data=[world.update(uuid, cast("Document", message["data"]))])


def _delete_token(world: World, message: Message) -> Document:
    scene = world.scene(message.get("sceneId"))
    world.delete(f"Scene.{scene['_id']}.Token.{message['documentId']}")
    return _canvas(message, scene, success=True)


def _move(world: World, message: Message) -> Document:
    found = world.find(str(message.get("uuid")))
    if found is None or found.kind != "Token" or found.parent is None:
        raise FoundryError(f"Token not found: {message.get('uuid') or message.get('name')}")
    token = world.update(found.uuid, {"x": message["x"], "y": message["y"]})
    where = {"x": token["x"], "y": token["y"], "sceneId": found.parent["_id"]}
    return {"data": {"tokenUuid": found.uuid, "name": token["name"], **where}}


def _encounters(world: World, _: Message) -> Document:
    return {"encounters": [combats.listed(world, combat) for combat in world.collections["Combat"].values()]}


def _start(world: World, message: Message) -> Document:
    combat = combats.start(world, cast("str | None", message.get("name")))
    # The relay forwards "tokens", the module reads "tokenUuids", which the relay drops.
    for uuid in cast("list[str]", message.get("tokenUuids") or []):
        combats.add(world, combat, uuid)
    shown = combats.listed(world, combat)
    del shown["current"]
    return {"encounterId": combat["_id"], "encounter": shown}


def _add(world: World, message: Message) -> Document:
    combat, added, failed = combats.current(world), [], []
    for uuid in cast("list[str]", message.get("uuids") or []):
        if combats.add(world, combat, uuid):
            added.append(uuid)
        else:
            failed.append({"uuid": uuid, "reason": "Entity not found"})
    return {"encounterId": combat["_id"], "added": added, "failed": failed}


def _remove(world: World, message: Message) -> Document:
    combat, removed, failed = combats.current(world), [], []
    for uuid in cast("list[str]", message.get("uuids") or []):
        if combats.remove(world, combat, uuid):
            removed.append(uuid)
        else:
            failed.append({"uuid": uuid, "reason": "Entity not found"})
    return {"encounterId": combat["_id"], "removed": removed, "failed": failed}


def _turning(action: str) -> Handler:
    def handler(world: World, _: Message) -> Document:
        if action == "previousRound" and world.combat is None:
            return NO_ANSWER
        combat = combats.current(world)
        turned = combats.turned(world, combat, action)
        return {"encounterId": combat["_id"], "action": action, **turned, "encounter": combats.summary(combat)}

    return handler


def _end(world: World, _: Message) -> Document:
    if world.combat is None:
        raise FoundryError("No encounter not found")
    combat = combats.current(world)
    combats.end(world, combat)
    return {"encounterId": combat["_id"], "message": "Encounter successfully ended"}


HANDLERS: dict[str, Handler] = {
    "get-scene": _get_scene,
    "create-scene": _create_scene,
    "update-scene": _update_scene,
    "delete-scene": _delete_scene,
    "switch-scene": _switch_scene,
    "get-canvas-documents": _get_tokens,
    "create-canvas-document": _create_token,
    "update-canvas-document": _update_token,
    "delete-canvas-document": _delete_token,
    "move-token": _move,
    "encounters": _encounters,
    "start-encounter": _start,
    "add-to-encounter": _add,
    "remove-from-encounter": _remove,
    "next-turn": _turning("nextTurn"),
    "next-round": _turning("nextRound"),
    "last-turn": _turning("previousTurn"),
    "last-round": _turning("previousRound"),
    "end-encounter": _end,
}
"""By request type."""
