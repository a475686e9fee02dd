"""The relay's paths: which message each becomes, its scope, its time-out, and where each parameter is read from."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import NamedTuple, cast

from .answers import Answer, Call, refusal

__all__ = [
    "CANVAS_TYPES",
    "ROUTES",
    "SCOPES",
    "STREAMS",
    "Parameter",
    "Route",
    "body_of",
    "read_parameters",
    "route_of",
]

SCOPES = frozenset(
    [
        "clients:read",
        "world:info",
        "entity:read",
        "entity:write",
        "search",
        "structure:read",
        "structure:write",
        "scene:read",
        "scene:write",
        "canvas:read",
        "canvas:write",
        "encounter:read",
        "encounter:manage",
        "chat:read",
        "chat:write",
        "events:subscribe",
        "roll:execute",
        "effects:read",
        "effects:write",
        "file:read",
        "file:write",
        "execute-js",
    ]
)
"""What a key can be allowed to do."""

STREAMS = {"hooks": "hooks", "actor": "actor-events", "scene": "scene-events", "encounters": "combat-events"}
"""The event streams by the first part of their path, with the channel that the module is told."""

CANVAS_TYPES = ("tokens", "tiles", "drawings", "lights", "sounds", "notes", "templates", "walls", "regions")


class Parameter(NamedTuple):
    """A parameter: ``places`` are ``query``, ``body`` or ``both``, the body first; ``kind`` says what it must be."""

    name: str
    places: str
    kind: str = "text"
    required: bool = False


class Route(NamedTuple):
    """A path of the relay whose calls go on to the module."""

    type: str
    scope: str
    parameters: tuple[Parameter, ...] = ()
    timeout: float = 10.0
    one_of: tuple[str, ...] = ()


def _parameters(text: str) -> tuple[Parameter, ...]:
    """Read ``uuid=query data=body:object!``: name, place, kind unless text, ``!`` if it must be there."""
    found = []
    for word in text.split():
        name, _, rest = word.rstrip("!").partition("=")
        place, _, kind = rest.partition(":")
        found.append(Parameter(name, place, kind or "text", word.endswith("!")))
    return tuple(found)


_TARGET = "uuid=query selected=query:flag actor=query:flag "
_ENCOUNTER = _parameters("encounter=both")
_MEMBERS = _parameters("encounter=both selected=both:flag uuids=body:list rollInitiative=body:flag")
_CHANGE = _parameters("uuid=query selected=query:flag attribute=body! amount=body:number!")

ROUTES: dict[tuple[str, str], Route] = {
    ("GET", "/world-info"): Route("world-info", "world:info"),
    ("GET", "/players"): Route("players", "entity:read"),
    ("GET", "/search"): Route(
        "search",
        "search",
        _parameters("query=query filter=query limit=query:number minified=query:flag excludeCompendiums=query:flag"),
        one_of=("query", "filter"),
    ),
    ("GET", "/structure"): Route(
        "structure",
        "structure:read",
        _parameters("types=query path=query recursive=query:flag includeEntityData=query:flag"),
    ),
    ("GET", "/get"): Route("entity", "entity:read", _parameters(_TARGET)),
    ("POST", "/create"): Route(
        "create",
        "entity:write",
        _parameters("entityType=body! data=body:object! folder=body keepId=both:flag override=both:flag"),
    ),
    ("PUT", "/update"): Route("update", "entity:write", _parameters(_TARGET + "data=body:object!")),
    ("DELETE", "/delete"): Route("delete", "entity:write", _parameters("uuid=query selected=query:flag")),
    ("POST", "/increase"): Route("increase", "entity:write", _CHANGE),
    ("POST", "/decrease"): Route("decrease", "entity:write", _CHANGE),
    ("POST", "/select"): Route(
        "select",
        "entity:read",
        _parameters("uuids=body:list name=body data=body:object all=body:flag overwrite=body:flag"),
    ),
    ("GET", "/selected"): Route("selected", "entity:read"),
    ("GET", "/encounters"): Route("encounters", "encounter:read"),
    ("POST", "/start-encounter"): Route(
        "start-encounter",
        "encounter:manage",
        _parameters(
            "name=body tokens=body:list startWithSelected=body:flag startWithPlayers=body:flag rollNPC=body:flag rollAll=body:flag"
        ),
    ),
    ("POST", "/add-to-encounter"): Route("add-to-encounter", "encounter:manage", _MEMBERS),
    ("POST", "/remove-from-encounter"): Route("remove-from-encounter", "encounter:manage", _MEMBERS),
    ("POST", "/next-turn"): Route("next-turn", "encounter:manage", _ENCOUNTER),
    ("POST", "/next-round"): Route("next-round", "encounter:manage", _ENCOUNTER),
    ("POST", "/last-turn"): Route("last-turn", "encounter:manage", _ENCOUNTER),
    ("POST", "/last-round"): Route("last-round", "encounter:manage", _ENCOUNTER),
    ("POST", "/end-encounter"): Route("end-encounter", "encounter:manage", _ENCOUNTER),
    ("GET", "/scene"): Route(
        "get-scene",
        "scene:read",
        _parameters("sceneId=query name=query active=query:flag viewed=query:flag all=query:flag"),
        one_of=("sceneId", "name", "active", "viewed", "all"),
    ),
    ("POST", "/scene"): Route("create-scene", "scene:write", _parameters("data=body:object!"), 30),
    ("PUT", "/scene"): Route(
        "update-scene",
        "scene:write",
        _parameters("sceneId=both name=both active=both:flag data=body:object!"),
        30,
        ("sceneId", "name", "active"),
    ),
    ("DELETE", "/scene"): Route(
        "delete-scene", "scene:write", _parameters("sceneId=both name=both"), 10, ("sceneId", "name")
    ),
    ("POST", "/switch-scene"): Route(
        "switch-scene", "scene:write", _parameters("sceneId=both name=both"), 30, ("sceneId", "name")
    ),
    ("GET", "/canvas/*"): Route("get-canvas-documents", "canvas:read", _parameters("sceneId=query documentId=query")),
    ("POST", "/canvas/*"): Route(
        "create-canvas-document", "canvas:write", _parameters("sceneId=both data=body:object!"), 30
    ),
    ("PUT", "/canvas/*"): Route(
        "update-canvas-document", "canvas:write", _parameters("documentId=both! sceneId=both data=body:object!"), 30
    ),
    ("DELETE", "/canvas/*"): Route(
        "delete-canvas-document", "canvas:write", _parameters("documentId=query! sceneId=query")
    ),
    ("POST", "/move-token"): Route(
        "move-token",
        "canvas:write",
        _parameters("uuid=both name=both x=both:number! y=both:number! sceneId=both animate=both:flag"),
    ),
    ("POST", "/upload"): Route(
        "upload-file",
        "file:write",
        _parameters("path=both filename=both fileData=body overwrite=both:flag source=both"),
        30,
    ),
    ("POST", "/chat"): Route("chat-send", "chat:write", _parameters("content=body! alias=body flavor=body")),
    ("POST", "/execute-js"): Route("execute-js", "execute-js", _parameters("script=body"), 20),
}
"""Every call that is forwarded, by method and path; a star stands for the type of canvas document."""

IN_2X = frozenset(path for _, path in ROUTES) - {
    "/canvas/*",
    "/scene",
    "/switch-scene",
    "/world-info",
    "/players",
    "/move-token",
}
"""The paths that relay 2.x knows too."""


def route_of(method: str, path: str) -> tuple[Route | None, str, str]:
    """Return route, type of canvas document, and the methods that the path does know (empty for an unknown path)."""
    known, _, canvas = path.partition("/canvas/")
    key = "/canvas/*" if canvas and not known else path
    allowed = ", ".join(sorted({verb for verb, place in ROUTES if place == key}))
    return ROUTES.get((method, key)), canvas if key != path else "", allowed


def body_of(call: Call) -> Mapping[str, object]:
    """Return the body as JSON object; an empty one for everything else, as the relay sees it."""
    if not call.body:
        return {}
    try:
        found = json.loads(call.body)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _typed(parameter: Parameter, value: object) -> object:
    """Return a value as its kind wants it.

    Raises:
        ValueError: it cannot be taken for one; the text says as what.
    """
    if parameter.kind == "flag":
        if isinstance(value, bool) or value in ("true", "false"):
            return value in (True, "true")
        raise ValueError("a valid boolean")
    if parameter.kind == "number":
        try:
            number = float(cast("str", value))
        except (TypeError, ValueError):
            raise ValueError("a valid number") from None
        return int(number) if number.is_integer() else number
    if parameter.kind == "object":
        if not isinstance(value, dict):
            raise ValueError("an object")
        return value
    if parameter.kind == "list":
        if not isinstance(value, list):
            raise ValueError("an array")
        return value
    if not isinstance(value, str):
        raise ValueError("a string")
    return value


def read_parameters(route: Route, call: Call) -> dict[str, object] | Answer:
    """Return the parameters as the module gets them: each from its own place, everything else left out."""
    body = body_of(call)
    found: dict[str, object] = {"data": {}}
    for parameter in (*route.parameters, Parameter("userId", "both")):
        value = body.get(parameter.name) if parameter.places != "query" else None
        if value is None and parameter.places != "body":
            value = call.query.get(parameter.name) or None
        if value is None:
            if parameter.required:
                return refusal(400, f"'{parameter.name}' is required")
            continue
        try:
            found[parameter.name] = _typed(parameter, value)
        except ValueError as error:
            return refusal(400, f"'{parameter.name}' must be {error}")
    if route.one_of and not any(name in found for name in route.one_of):
        return refusal(400, _one_of(route.one_of))
    if route.type == "upload-file":
        found = {"source": "data", "mimeType": "", "overwrite": False, **found}
        del found["data"]
        found.setdefault("fileData", call.body.decode("utf-8", "replace"))
    return found


def _one_of(names: tuple[str, ...]) -> str:
    if len(names) == 2:
        return f"'{names[0]}' or '{names[1]}' is required"
    words = ", ".join(f"'{name}'" for name in names[:-1])
    return f"At least one of {words}, or '{names[-1]}' is required"
