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
    return draft.done(state)


class _Draft:
    """The parts of the next state; each is copied at the first change that needs it."""

    __slots__ = ("agenda", "entities", "links", "own_entities", "own_links", "same_tree")

    def __init__(self, state: State) -> None:
        self.entities = state._entities
        self.links = state._links
        self.agenda = state._agenda
        self.own_entities = self.own_links = False
        self.same_tree = True

    def done(self, state: State) -> State:
        return State(self.entities, self.links, self.agenda, state._children if self.same_tree else None)

    def entity(self, uid: str) -> Entity:
        entity = self.entities.get(uid)
        if entity is None:
            raise StateError("a change names an entity that is not there", found=uid)
        return entity

    def put(self, entity: Entity) -> None:
        if not self.own_entities:
            self.entities = self.entities.copy()
            self.own_entities = True
        self.entities[entity.uid] = entity

    def put_links(self, links: dict[tuple[str, str, str], Link]) -> None:
        self.links = links
        self.own_links = True


def _with(mapping: Mapping[str, Item], name: str, item: Item) -> Mapping[str, Item]:
    new = {**mapping, name: item}
    if name not in mapping:
        new = dict(sorted(new.items()))
    return MappingProxyType(new)


def _without(mapping: Mapping[str, Item], name: str, uid: str) -> Mapping[str, Item]:
    if name not in mapping:
        raise StateError("there is nothing of that name to take away", where=uid, found=name)
    return MappingProxyType({key: item for key, item in mapping.items() if key != name})


def _limits(uid: str, name: str, tracker: Tracker) -> None:
    if type(tracker.value) is not int or tracker.clamp(tracker.value) != tracker.value:
        raise StateError(
            "a tracker would leave its limits",
            where=f"{uid} {name}",
            found=tracker.value,
            expected=f"a whole number from {tracker.min} to {tracker.max}",
        )


def _set_tracker(draft: _Draft, change: SetTracker) -> None:
    uid, name, value = change
    uid, role, parent, facts, trackers, statuses, place, attributes = draft.entity(uid)
    old = trackers.get(name)
    if old is None:
        raise StateError("a change names a tracker that is not there", where=uid, found=name)
    new = Tracker(value, old[1], old[2], old[3])
    _limits(uid, name, new)
    trackers = MappingProxyType({**trackers, name: new})
    draft.put(Entity(uid, role, parent, facts, trackers, statuses, place, attributes))


def _define_tracker(draft: _Draft, change: DefineTracker) -> None:
    entity = draft.entity(change.uid)
    if change.tracker is None:
        trackers = _without(entity.trackers, change.name, change.uid)
    else:
        _limits(change.uid, change.name, change.tracker)
        trackers = _with(entity.trackers, change.name, change.tracker)
    draft.put(entity._replace(trackers=trackers))


def _set_status(draft: _Draft, change: SetStatus) -> None:
    entity = draft.entity(change.uid)
    status = change.status._replace(value=freeze(change.status.value))
    draft.put(entity._replace(statuses=_with(entity.statuses, status.name, status)))


def _drop_status(draft: _Draft, change: DropStatus) -> None:
    entity = draft.entity(change.uid)
    draft.put(entity._replace(statuses=_without(entity.statuses, change.name, change.uid)))


def _set_place(draft: _Draft, change: SetPlace) -> None:
    draft.put(draft.entity(change.uid)._replace(place=change.place))


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
    draft.same_tree = False


def _remove(draft: _Draft, change: Remove) -> None:
    draft.entity(change.uid)
    gone = {change.uid}
    for entity in draft.entities.values():
        if entity.parent in gone:
            gone.add(entity.uid)
    draft.entities = {uid: entity for uid, entity in draft.entities.items() if uid not in gone}
    draft.own_entities = True
    draft.put_links({k: link for k, link in draft.links.items() if link.source not in gone and link.target not in gone})
    draft.same_tree = False


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
