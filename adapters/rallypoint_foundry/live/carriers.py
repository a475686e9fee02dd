"""Carriers: where a world shows Wounds and Stress, through which lens, and where they go when it cannot.

The battle's trackers are looked up in the profile of the world's system. What it has no field for goes to our flag; so does
the true value of one that it can only show within limits of its own (a Stress that is never below 2).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from rallypoint.kernel.state import Entity, State, Tracker
from rallypoint_sync.bindings import Binding, Carrier, First, Owner
from rallypoint_sync.fields import Field
from rallypoint_sync.lenses import Clamped, Exact, Lens, Summed, Turned

from ..mapping import Pod, Profile
from .addresses import LIVE, at

__all__ = ["Bound", "Found", "bindings_of", "flag_path", "path_key", "stand_bindings"]


class Found(NamedTuple):
    """A document that stands for an entity: its uuid, the document as it is now, the uid."""

    uid: str
    uuid: str
    document: Mapping[str, object]


class Bound(NamedTuple):
    """What is bound, and what people must know of it."""

    bindings: tuple[Binding, ...]
    notes: tuple[str, ...]


def path_key(name: str) -> str:
    """Return the name of a tracker as a key: Foundry takes dots and signs for more than they are.

    >>> path_key("Wounds"), path_key("Fuel (kg.)")
    ('Wounds', 'Fuel__kg__')
    """
    return "".join(letter if letter.isascii() and letter.isalnum() else "_" for letter in name)


def flag_path(name: str) -> str:
    """Return where a tracker's value goes in our flag."""
    return f"{LIVE}.{path_key(name)}"


def bindings_of(
    state: State,
    found: Iterable[Found],
    profile: Profile | None,
    *,
    owner: Owner = "both",
    first: First = "ask",
) -> Bound:
    """Return the bindings of documents that stand for entities.

    Args:
        state: the battle's.
        found: the documents.
        profile: that of the world's system; without one all values go to our flag.
        owner: whose values hold.
        first: whose value holds when the two meet first and differ.
    """
    bindings: list[Binding] = []
    notes: dict[str, list[str]] = {}
    for each in found:
        entity = state[each.uid]
        for field, tracker, pod in _trackers(state, entity, each, profile):
            flag = Carrier(each.uuid, flag_path(field.name))
            if pod is None:
                notes.setdefault(f"{field.name} has no field there and goes to our flag ({flag.path})", []).append(
                    each.uid
                )
                bindings.append(Binding((field,), flag, Exact(), owner, "battle"))
                continue
            lens = _lens(tracker, pod, each.document)
            carrier = Carrier(each.uuid, f"system.{pod.path}.value")
            bindings.append(Binding((field,), carrier, lens, owner, first, flag))
            if isinstance(lens, Clamped):
                limit = f"at least {lens.low}" if lens.low is not None else f"at most {lens.high}"
                text = f"{field.name} is shown as {limit} there; the true value is in our flag ({flag.path})"
                notes.setdefault(text, []).append(each.uid)
                bindings.append(Binding((field,), flag, Exact(), "battle", "battle"))
    return Bound(tuple(bindings), tuple(f"{text}: {', '.join(uids)}" for text, uids in notes.items()))


def _trackers(
    state: State, entity: Entity, found: Found, profile: Profile | None
) -> Iterable[tuple[Field, Tracker, Pod | None]]:
    """Yield the fields that a document carries: the entity's own trackers, and copies of those above that have a field here."""
    pods = _pods(entity, found, profile)
    for name, tracker in entity.trackers.items():
        yield Field(entity.uid, name), tracker, pods.get(name)
    for name, pod in pods.items():
        step = entity
        while name not in step.trackers and step.parent is not None:
            step = state[step.parent]
        if step is not entity and name in step.trackers:
            yield Field(step.uid, name), step.trackers[name], pod


def _pods(entity: Entity, found: Found, profile: Profile | None) -> Mapping[str, Pod]:
    """Return where the system shows trackers of this entity; only what the document really has."""
    kind = None if profile is None else profile.actor_kind(entity.role, entity.trackers)
    rows = {} if kind is None else kind.trackers
    return {name: pod for name, pod in rows.items() if _number(found.document, pod, "value") is not None}


def _number(document: Mapping[str, object], pod: Pod, key: str) -> int | None:
    value = at(document, f"system.{pod.path}.{key}")
    return value if type(value) is int else None


def _lens(tracker: Tracker, pod: Pod, document: Mapping[str, object]) -> Lens:
    if pod.bad != tracker.bad and tracker.max is not None:
        return Turned(tracker.max)
    low, high = _number(document, pod, "min"), _number(document, pod, "max")
    too_low = low if low is not None and (tracker.min is None or low > tracker.min) else None
    too_high = high if high is not None and (tracker.max is None or high < tracker.max) else None
    return Exact() if too_low is None and too_high is None else Clamped(too_low, too_high)


def stand_bindings(state: State, found: Iterable[Found], profile: Profile | None, tracker: str = "Wounds") -> Bound:
    """Return the bindings of tokens that stand for whole stands: the sum of the Wounds of all in it, one-way."""
    bindings: list[Binding] = []
    for each in found:
        units = [unit for unit in state.below(each.uid, None) if tracker in unit.trackers]
        if not units:
            continue
        fields = tuple([Field(unit.uid, tracker) for unit in units])
        pod = _pods(units[0], each, profile).get(tracker)
        path = flag_path(tracker) if pod is None else f"system.{pod.path}.value"
        flag = None if pod is None else Carrier(each.uuid, flag_path(tracker))
        bindings.append(Binding(fields, Carrier(each.uuid, path), Summed(), "battle", "battle", flag))
    notes = (f"{tracker} of a stand are shown as one sum; an edit of it is mended, not taken",) if bindings else ()
    return Bound(tuple(bindings), notes)
