"""What the module tells of the world as a whole, what it selects, and what it puts into it that is no document."""

from __future__ import annotations

import re
from typing import cast

from .acting import Handler, Message
from .documents import Document, FoundryError, rows
from .world import PICTURE, World

__all__ = ["HANDLERS"]


def _search(world: World, message: Message) -> Document:
    query, wanted = str(message.get("query") or ""), str(message.get("filter") or "")
    wanted_parts: dict[str, str] = dict(_pair(part) for part in wanted.split(",") if part)
    results: list[Document] = []
    for kind in ("Actor", "Item", "Scene", "JournalEntry", "RollTable", "Macro"):
        for identity, document in world.collections[kind].items():
            name, sub = str(document["name"]), document.get("type")
            if query.casefold() not in name.casefold() or wanted_parts.get("documentType", kind) != kind:
                continue
            if wanted_parts.get("subType", sub) != sub:
                continue
            uuid, picture = f"{kind}.{identity}", document.get("img", PICTURE)
            if message.get("minified"):
                results.append({"uuid": uuid, "id": identity, "name": name, "img": picture, "documentType": kind})
            else:
                results.append(_match(kind, uuid, identity, name, document, picture))
    asked = {key: message[key] for key in ("query", "filter") if key in message}
    return {**asked, "results": results[: cast("int", message.get("limit") or 200)]}


def _pair(part: str) -> tuple[str, str]:
    kind, _, value = part.partition(":")
    return (kind, value) if value else ("documentType", kind)


def _match(kind: str, uuid: str, identity: str, name: str, document: Document, picture: object) -> Document:
    return {
        "documentType": kind,
        "folder": document.get("folder"),
        "id": identity,
        "name": name,
        "package": None,
        "packageName": None,
        "subType": document.get("type"),
        "uuid": uuid,
        "icon": picture,
        "journalLink": f"@UUID[{uuid}]{{{name}}}",
        "tagline": f"{kind}s Directory",
        "formattedMatch": name,
        "resultType": "WorldEntity",
    }


def _structure(world: World, message: Message) -> Document:
    kinds = str(message.get("types") or "Actor,Item,Scene,JournalEntry,RollTable,Macro").split(",")
    entities = {
        f"{kind.lower()}s": [
            {"uuid": f"{kind}.{key}", "name": document["name"], "id": key, "type": kind}
            for key, document in world.collections[kind].items()
            if document.get("folder") is None
        ]
        for kind in kinds
        if kind in world.collections
    }
    folders = {
        str(folder["name"]): {"id": key, "uuid": f"Folder.{key}", "name": folder["name"], "type": folder.get("type")}
        for key, folder in world.collections["Folder"].items()
        if folder.get("folder") is None and folder.get("type") in kinds
    }
    return {"data": {"folders": folders, "entities": entities}}


def _users(world: World) -> list[Document]:
    return [
        {
            "id": user.identity,
            "name": user.name,
            "role": user.role,
            "isGM": user.role == 4,
            "active": user.active,
            "color": "#161068",
            "avatar": None,
        }
        for user in world.users
    ]


def _world_info(world: World, _: Message) -> Document:
    system = world.system
    active = next((scene for scene in world.collections["Scene"].values() if scene.get("active")), None)
    return {
        "data": {
            "world": {"id": world.identity, "title": world.title},
            "system": {"id": system.identity, "title": system.title, "version": system.version},
            "foundryVersion": world.core,
            "modules": [],
            "users": _users(world),
            "activeScene": None if active is None else {"id": active["_id"], "name": active["name"]},
        }
    }


def _select(world: World, message: Message) -> Document:
    wanted = cast("list[str]", message.get("uuids") or [])
    scene = world.scene()
    before = [] if message.get("overwrite") else world.selected
    uuids = [f"Scene.{scene['_id']}.Token.{token['_id']}" for token in rows(scene, "tokens")]
    world.selected = [uuid for uuid in uuids if uuid in wanted or uuid in before or message.get("all")]
    count = len(world.selected)
    return {"success": True, "count": count, "message": f"{count} entities selected", "selected": list(world.selected)}


def _selection(world: World, _: Message) -> Document:
    found = []
    for uuid in world.selected:
        token = world.find(uuid)
        if token is not None and token.parent is not None:
            found.append({"tokenUuid": uuid, "actorUuid": world.actor_uuid(token.parent["_id"], token.document)})
    return {"success": True, "selected": found}


def _upload(world: World, message: Message) -> Document:
    data = str(message.get("fileData"))
    if re.match(r"data:[^,]*;base64,", data) is None:
        raise FoundryError("Invalid file data format: must be data URL with base64 content")
    path = f"{message.get('path')}/{message.get('filename')}".lstrip("/")
    if path in world.uploaded and not message.get("overwrite"):
        raise FoundryError(f"File already exists: {path}")
    world.uploaded[path] = data
    return {"success": True, "path": path}


def _chat(world: World, message: Message) -> Document:
    gamemaster = world.users[0]
    identity = world.new_id()
    data: Document = {
        "id": identity,
        "content": message.get("content"),
        "speaker": {"alias": message.get("alias")},
        "whisper": [],
        "author": {"id": gamemaster.identity, "name": gamemaster.name},
        "uuid": f"ChatMessage.{identity}",
    }
    return {"success": True, "data": data}


def _script(__: World, _: Message) -> Document:
    raise FoundryError(
        "execute-js is disabled in REST API module settings. A GM must enable it to allow JavaScript execution."
    )


HANDLERS: dict[str, Handler] = {
    "search": _search,
    "structure": _structure,
    "world-info": _world_info,
    "players": lambda world, _: {"users": _users(world)},
    "select": _select,
    "selected": _selection,
    "upload-file": _upload,
    "chat-send": _chat,
    "execute-js": _script,
}
"""By request type."""
