"""Stands: an export with one actor and one token for each stand, in place of one for each unit."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import cast

from ..ids import document_id
from ..mapping import Pod, Profile
from ..record import FLAG, Document
from .addresses import at, flags_of, tokens_of

__all__ = ["as_stands"]


def as_stands(export: Document, profile: Profile) -> Document:
    """Return an export in which a stand is one actor with one token; its Wounds are the sum of those of its units."""
    key = str(at(export, "encounter.key"))
    stands: dict[str, list[Document]] = {}
    others: list[Document] = []
    for actor in cast("list[Document]", export["actors"]):
        above = flags_of(actor).get("above")
        last = above[-1] if isinstance(above, list) and above else None
        in_stand = (
            flags_of(actor).get("kind") == "unit"
            and isinstance(last, Mapping)
            and last.get("role") not in (None, "side", "platoon", "squad")
        )
        if in_stand and isinstance(last, Mapping):
            stands.setdefault(str(last["uid"]), []).append(actor)
        else:
            others.append(actor)
    made = [_stand(key, uid, actors, profile) for uid, actors in stands.items()]
    of = {str(actor["_id"]): stand for stand, actors in zip(made, stands.values(), strict=True) for actor in actors}
    scenes = [{**scene, "tokens": _tokens(scene, of)} for scene in cast("list[Document]", export["scenes"])]
    return {**export, "actors": [*others, *made], "scenes": scenes}


def _stand(key: str, uid: str, actors: list[Document], profile: Profile) -> Document:
    first = copy.deepcopy(actors[0])
    flags = flags_of(first)
    above = cast("list[Mapping[str, object]]", flags["above"])
    name = str(above[-1].get("code") or above[-1].get("name") or uid)
    pod = _wounds(profile, str(first["type"]))
    if pod is not None:
        hits = at(first, f"system.{pod.path}")
        assert isinstance(hits, dict)
        for part in ("value", "max"):
            hits[part] = sum(cast("int", at(actor, f"system.{pod.path}.{part}")) for actor in actors)
    side = str(flags.get("side"))
    record = {"v": 1, "uid": uid, "encounter": key, "side": side, "kind": str(above[-1].get("role"))}
    identity = document_id(key, side, uid, "actor", "stand")
    prototype = {**cast("Document", first["prototypeToken"]), "name": name}
    return {**first, "_id": identity, "name": name, "items": [], "flags": {FLAG: record}, "prototypeToken": prototype}


def _wounds(profile: Profile, kind: str) -> Pod | None:
    return next(
        (each.trackers["Wounds"] for each in profile.actors if each.type == kind and "Wounds" in each.trackers), None
    )


def _tokens(scene: Mapping[str, object], of: Mapping[str, Document]) -> list[Document]:
    """Return a token for each stand, where the first of its units stands."""
    found: dict[str, Document] = {}
    for token in tokens_of(scene):
        stand = of.get(str(token.get("actorId")))
        if stand is None:
            found[str(token["_id"])] = dict(token)
            continue
        identity = str(stand["_id"])
        if identity not in found:
            uid = flags_of(stand)["uid"]
            flags = {FLAG: {"v": 1, "uid": uid, "encounter": flags_of(stand)["encounter"]}}
            own = document_id(str(scene["_id"]), "token", str(uid))
            found[identity] = {**token, "_id": own, "actorId": identity, "name": stand["name"], "flags": flags}
    return list(found.values())
