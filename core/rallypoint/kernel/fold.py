"""The fold: a state and changes make a new state. It knows the closed list of changes and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any, TypeVar

from .canonical import freeze
from .changes import (
    Add,
    Change,
    DefineTracker,
    DropAgenda,
    DropLink,
    DropStatus,
    Remove,
    SetAgenda,
    SetAttribute,
    SetLink,
    SetPlace,
    SetStatus,
    SetTracker,
)
from .errors import StateError
from .state import Appointment, Entity, Link, State, Tracker

__all__ = ["fold"]

Item = TypeVar("Item")

# Named tuples through tuple.__new__: half the time of calling the class, and wounds are what battles are made of.
_new: Any = tuple.__new__


def fold(state: State, changes: Iterable[Change]) -> State:
    """Return the state after ``changes``, in their order; the old state stays as it was.

    Raises:
        StateError: a change names something that is not there, or leaves a tracker outside its limits.

    >>> red = State.of([Entity.new("red", "unit", trackers={"Wounds": Tracker(0, 0, 2)})])
    >>> fold(red, [SetTracker("red", "Wounds", 1)])["red"].value("Wounds")
    1
    """
    draft = _Draft(state)
    for change in changes:
        apply = _APPLY.get(type(change))
        if apply is None:
            raise StateError("this is not a change", found=repr(change))
        apply(draft, change)
    tree = state.tree if draft.same_tree else None
    scene = state.scene if draft.same_scene else None
    return State(draft.entities, draft.links, draft.agenda, tree, scene)


class _Draft:
    """The parts of the next state; each is copied at the first change that needs it."""

    __slots__ = ("agenda", "entities", "links", "own_entities", "own_links", "same_scene", "same_tree")

    def __init__(self, state: State) -> None:
        self.entities = state._entities
        self.links = state._links
        self.agenda = state._agenda
        self.own_entities = self.own_links = False
        self.same_tree = self.same_scene = True

    def entity(self, uid: str) -> Entity:
        entity = self.entities.get(uid)
        if entity is None:
            raise _nobody(uid)
        return entity

    def own(self) -> dict[str, Entity]:
        if not self.own_entities:
            self.entities = self.entities.copy()
            self.own_entities = True
        return self.entities

    def put(self, entity: Entity) -> None:
        self.own()[entity.uid] = entity

    def put_links(self, links: dict[tuple[str, str, str], Link]) -> None:
        self.links = links
        self.own_links = True
        self.same_scene = False


def _with(mapping: Mapping[str, Item], name: str, item: Item) -> Mapping[str, Item]:
    if type(name) is not str:
        raise StateError("a name must be text", found=repr(name))
    new = {**mapping, name: item}
    if name not in mapping:
        new = dict(sorted(new.items()))
    return MappingProxyType(new)


def _without(mapping: Mapping[str, Item], name: str, uid: str) -> Mapping[str, Item]:
    if name not in mapping:
        raise StateError("there is nothing of that name to take away", where=uid, found=name)
    return MappingProxyType({key: item for key, item in mapping.items() if key != name})


def _nobody(uid: str) -> StateError:
    return StateError("a change names an entity that is not there", found=uid)


def _outside(uid: str, name: str, value: int, tracker: Tracker) -> StateError:
    low = "any" if tracker.min is None else tracker.min
    high = "any" if tracker.max is None else tracker.max
    return StateError(
        "a tracker would leave its limits",
        where=f"{uid} {name}",
        found=value,
        expected=f"a whole number from {low} to {high}",
    )


def _set_tracker(draft: _Draft, change: SetTracker) -> None:
    uid, name, value = change
    entities = draft.entities if draft.own_entities else draft.own()
    if uid not in entities:
        raise _nobody(uid)
    trackers: Any  # read-only mappings have the operator |, four times as fast as unpacking them
    uid, role, parent, facts, trackers, statuses, place, attributes = entities[uid]
    if name not in trackers:
        raise StateError("a change names a tracker that is not there", where=uid, found=name)
    _, low, high, bad = trackers[name]
    if type(value) is not int or (low is not None and value < low) or (high is not None and value > high):
        raise _outside(uid, name, value, trackers[name])
    trackers = MappingProxyType(trackers | {name: _new(Tracker, (value, low, high, bad))})
    entities[uid] = _new(Entity, (uid, role, parent, facts, trackers, statuses, place, attributes))


def _define_tracker(draft: _Draft, change: DefineTracker) -> None:
    entity = draft.entity(change.uid)
    if change.tracker is None:
        trackers = _without(entity.trackers, change.name, change.uid)
    else:
        value = change.tracker.value
        if type(value) is not int or change.tracker.clamp(value) != value:
            raise _outside(change.uid, change.name, value, change.tracker)
        trackers = _with(entity.trackers, change.name, change.tracker)
    draft.put(entity._replace(trackers=trackers))


def _set_status(draft: _Draft, change: SetStatus) -> None:
    entity = draft.entity(change.uid)
    status = change.status._replace(value=freeze(change.status.value))
    draft.put(entity._replace(statuses=_with(entity.statuses, status.name, status)))
    draft.same_scene = False


def _drop_status(draft: _Draft, change: DropStatus) -> None:
    entity = draft.entity(change.uid)
    draft.put(entity._replace(statuses=_without(entity.statuses, change.name, change.uid)))
    draft.same_scene = False


def _set_place(draft: _Draft, change: SetPlace) -> None:
    freeze(change.place)  # a coordinate that is not a number could never be written or compared
    draft.put(draft.entity(change.uid)._replace(place=change.place))
    draft.same_scene = False


def _set_attribute(draft: _Draft, change: SetAttribute) -> None:
    entity = draft.entity(change.uid)
    if change.value is None:
        attributes = _without(entity.attributes, change.name, change.uid)
    else:
        attributes = _with(entity.attributes, change.name, freeze(change.value))
    draft.put(entity._replace(attributes=attributes))


def _set_link(draft: _Draft, change: SetLink) -> None:
    link = change.link._replace(value=freeze(change.link.value))
    draft.entity(link.source)
    draft.entity(link.target)
    links = {**draft.links, link.key: link}
    draft.put_links(links if link.key in draft.links else dict(sorted(links.items())))


def _drop_link(draft: _Draft, change: DropLink) -> None:
    key = tuple(change)
    if key not in draft.links:
        raise StateError("there is no such link to take away", found=key)
    draft.put_links({other: link for other, link in draft.links.items() if other != key})


def _add(draft: _Draft, change: Add) -> None:
    entity = change.entity
    if entity.uid in draft.entities:
        raise StateError("a uid is taken already", found=entity.uid)
    if entity.parent is not None:
        draft.entity(entity.parent)
    draft.put(entity)
    draft.same_tree = draft.same_scene = False


def _remove(draft: _Draft, change: Remove) -> None:
    draft.entity(change.uid)
    gone = {change.uid}
    for entity in draft.entities.values():
        if entity.parent in gone:
            gone.add(entity.uid)
    draft.entities = {uid: entity for uid, entity in draft.entities.items() if uid not in gone}
    draft.own_entities = True
    draft.put_links({k: link for k, link in draft.links.items() if link.source not in gone and link.target not in gone})
    draft.same_tree = draft.same_scene = False


def _set_agenda(draft: _Draft, change: SetAgenda) -> None:
    new = change.appointment._replace(args=tuple([freeze(argument) for argument in change.appointment.args]))
    draft.agenda = _sorted([old for old in draft.agenda if old.key != new.key], new)


def _drop_agenda(draft: _Draft, change: DropAgenda) -> None:
    rest = tuple([old for old in draft.agenda if old.key != change.key])
    if len(rest) == len(draft.agenda):
        raise StateError("there is no such appointment to take away", found=change.key)
    draft.agenda = rest


def _sorted(agenda: list[Appointment], new: Appointment) -> tuple[Appointment, ...]:
    return tuple(sorted([*agenda, new], key=lambda appointment: (appointment.at, appointment.key)))


# Each function takes its own kind of change; the table pairs them, which types cannot express.
_APPLY: dict[type[Change], Callable[[_Draft, Any], None]] = {
    SetTracker: _set_tracker,
    DefineTracker: _define_tracker,
    SetStatus: _set_status,
    DropStatus: _drop_status,
    SetPlace: _set_place,
    SetAttribute: _set_attribute,
    SetLink: _set_link,
    DropLink: _drop_link,
    Add: _add,
    Remove: _remove,
    SetAgenda: _set_agenda,
    DropAgenda: _drop_agenda,
}
