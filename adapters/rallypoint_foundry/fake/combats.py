"""Encounters of the fake world: started, filled, turned, ended. As with the module, it is always the current one."""

from __future__ import annotations

from typing import cast

from .documents import Document, FoundryError, rows
from .world import World

__all__ = ["add", "current", "end", "listed", "remove", "start", "summary", "turned"]


def current(world: World) -> Document:
    """Return the encounter that is current.

    Raises:
        FoundryError: there is none.
    """
    if world.combat is None:
        raise FoundryError("No active encounter")
    return world.collections["Combat"][world.combat]


def in_order(combat: Document) -> list[Document]:
    """Return the combatants as they act: the highest initiative first, those without one last, as they were added."""
    combatants = rows(combat, "combatants")
    return sorted(combatants, key=lambda one: (one["initiative"] is None, -cast("float", one["initiative"] or 0)))


def summary(combat: Document) -> Document:
    """Return id, name, round and turn."""
    return {"id": combat["_id"], "name": combat["name"], "round": combat["round"], "turn": combat["turn"]}


def listed(world: World, combat: Document) -> Document:
    """Return an encounter as ``/encounters`` lists it."""
    current = {"current": combat["_id"] == world.combat}
    return {
        **summary(combat),
        **current,
        "combatants": [_combatant(world, combat, one) for one in rows(combat, "combatants")],
    }


def _token(combat: Document, one: Document) -> str:
    return f"Scene.{one['sceneId'] or combat['scene']}.Token.{one['tokenId']}"  # core 14 keeps the scene once


def _combatant(world: World, combat: Document, one: Document) -> Document:
    uuid = _token(combat, one)
    token = world.find(uuid)
    return {
        "id": one["_id"],
        "name": one["name"],
        "tokenUuid": None if token is None else uuid,
        "actorUuid": None
        if token is None or token.parent is None
        else world.actor_uuid(token.parent["_id"], token.document),
        "img": one["img"],
        "initiative": one["initiative"],
        "hidden": one["hidden"],
        "defeated": one["defeated"],
    }


def start(world: World, name: str | None) -> Document:
    """Start an encounter: round 1, nobody in it, current at once."""
    combat = world.create("Combat", {"name": name or "New Encounter", "round": 1, "active": True})
    world.combat = str(combat["_id"])
    _tell(world, combat, "start")
    return combat


def add(world: World, combat: Document, uuid: str) -> bool:
    """Add a token, even one that is in already; say whether there is such a token."""
    found = world.find(uuid)
    if found is None or found.kind != "Token" or found.parent is None:
        return False
    token = found.document
    combatant: Document = {
        "_id": world.new_id(),
        "name": token["name"],
        "img": cast("Document", token["texture"]).get("src"),
        "actorId": token["actorId"],
        "tokenId": token["_id"],
        "sceneId": found.parent["_id"],
        "initiative": None,
        "hidden": token["hidden"],
        "defeated": False,
        "flags": {},
    }
    rows(combat, "combatants").append(combatant)
    world.tell("createCombatant", f"Combat.{combat['_id']}.Combatant.{combatant['_id']}", combatant, {}, combat)
    return True


def remove(world: World, combat: Document, uuid: str) -> bool:
    """Take a token out; say whether it was in."""
    for one in rows(combat, "combatants"):
        if uuid == _token(combat, one):
            return world.delete(f"Combat.{combat['_id']}.Combatant.{one['_id']}")
    return False


def turned(world: World, combat: Document, action: str) -> Document:
    """Move on or back, by ``nextTurn``, ``nextRound``, ``previousTurn`` or ``previousRound``; return who is to act."""
    count = max(len(rows(combat, "combatants")), 1)
    round_, turn = cast("int", combat["round"]), cast("int", combat["turn"])
    if action == "nextTurn":
        round_, turn = (round_ + 1, 0) if turn + 1 >= count else (round_, turn + 1)
    elif action == "previousTurn":
        round_, turn = (round_ - 1, count - 1) if turn == 0 and round_ > 1 else (round_, max(turn - 1, 0))
    else:
        round_, turn = max(round_ + (1 if action == "nextRound" else -1), 0), 0
    combat.update(round=round_, turn=turn)
    _tell(world, combat, "turn")
    order = in_order(combat)
    who: Document = {}
    if turn < len(order):
        acting = _combatant(world, combat, order[turn])
        who = {"actorTurn": acting["actorUuid"], "tokenTurn": acting["tokenUuid"]}
    return {"currentTurn": turn, "currentRound": round_, **who}


def end(world: World, combat: Document) -> None:
    """End an encounter; the oldest that is left becomes current."""
    _tell(world, combat, "end")
    world.delete(f"Combat.{combat['_id']}")


def _tell(world: World, combat: Document, kind: str) -> None:
    changes: Document = {"eventType": kind, "round": combat["round"], "turn": combat["turn"]}
    world.tell("updateCombat", f"Combat.{combat['_id']}", combat, changes)
