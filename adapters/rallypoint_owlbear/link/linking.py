"""Tokens that the GM brought, linked by hand: what is put on them, so that they are found by our record from then on."""

from __future__ import annotations

from collections.abc import Mapping

from rallypoint.kernel.errors import InputError
from rallypoint.kernel.state import Entity, State

from ..stands import RECORD_VERSION
from ..trackers import TRACKERS_KEY, Bar, Json, owl_trackers
from .binding import first_side, record_of

__all__ = ["link_change", "without_what_is_there"]


def link_change(state: State, item: str, uid: str | None, code: str, *, numbers: bool) -> Json:
    """Return the change that lets a token stand for somebody, or for nobody any more.

    Args:
        state: the battle's.
        item: the token.
        uid: who it stands for; ``None``: nobody.
        code: what people call that one.
        numbers: whether the numbers of other sides are shown.

    Raises:
        InputError: nobody of the battle has this uid.
    """
    if uid is None:
        return {"id": item, "record": {"uid": None, "optOut": True}}
    if uid not in state:
        raise InputError("there is nobody of this uid in the battle", where=f"token {item}", found=uid)
    entity = state[uid]
    above = _above(state, entity)
    record: Json = {"v": RECORD_VERSION, "uid": uid, "side": above[-1].uid, "kind": entity.role, "code": code}
    record |= {"rev": 1, "by": "kernel", "optOut": False}
    if not numbers and uid not in first_side(state):
        return {"id": item, "record": record}
    wounds, stressed = entity.trackers.get("Wounds"), next((each for each in above if "Stress" in each.trackers), None)
    bars = [] if wounds is None or not wounds.max else [Bar(uid, "Wounds", wounds.value, wounds.max)]
    stress = None if stressed is None else stressed.trackers["Stress"].value
    entries, _ = owl_trackers(stress, bars)
    record |= {"stressOf": None if stressed is None else stressed.uid, "stress": stress}
    record |= {"wounds": sum(each.taken for each in bars), "maxWounds": sum(each.maximum for each in bars)}
    return {"id": item, "trackers": [_made(each) for each in entries], "record": record}


def without_what_is_there(change: Json, item: Json | None) -> Json:
    """Return the change of a link without trackers that the token has by that link already: somebody may have typed into them.

    Args:
        change: what :func:`link_change` gave.
        item: the token as it is; ``None``: it has no record of ours.
    """
    record, given = change["record"], change.get("trackers")
    assert isinstance(record, Mapping)
    if item is None or not isinstance(given, list):
        return change
    linked = record_of(item)
    if linked.get("optOut") is True or (linked.get("uid"), linked.get("kind")) != (record["uid"], record["kind"]):
        return change
    metadata = item["metadata"]
    shown = metadata.get(TRACKERS_KEY) if isinstance(metadata, Mapping) else None
    there = [each.get("id") for each in shown if isinstance(each, Mapping)] if isinstance(shown, list) else []
    return {**change, "trackers": [each for each in given if each["id"] not in there]}


def _made(entry: Mapping[str, object]) -> Json:
    kept = ("id", "value")
    return {key: entry[key] for key in kept} | {"new": {key: value for key, value in entry.items() if key not in kept}}


def _above(state: State, entity: Entity) -> list[Entity]:
    """Return somebody and all above, the side last."""
    found = [entity]
    while found[-1].parent is not None:
        found.append(state[found[-1].parent])
    return found
