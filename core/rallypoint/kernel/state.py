"""State as a value: entities in a tree, the links between them, and the agenda.

Nothing in here can be changed; :mod:`rallypoint.kernel.fold` makes new states out of old ones and shares what did not
change, so keeping a state for undo costs one reference.

>>> state = State.of([Entity.new("red", "side"), Entity.new("red-1", "unit", parent="red", place=Hex(2, 3))])
>>> state["red-1"].place
Hex(q=2, r=3, facing=None)
>>> State.from_text(state.to_text()) == state
True
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from types import MappingProxyType
from typing import Any, NamedTuple

from .canonical import EMPTY, Value, canonical, digest, freeze, parse
from .errors import StateError
from .parts import Appointment, Hex, Link, Place, Pose, Status, Tracker, Zone

__all__ = ["Appointment", "Entity", "Hex", "Link", "Place", "Pose", "State", "Status", "Tracker", "Zone"]


class _Fields(NamedTuple):
    uid: str
    role: str
    parent: str | None
    facts: Mapping[str, Value]
    trackers: Mapping[str, Tracker]
    statuses: Mapping[str, Status]
    place: Place | None
    attributes: Mapping[str, Value]


class Entity(_Fields):
    """One thing of the game: a side, a platoon, a squad, a team, a unit, a marker.

    ``facts`` never change in play (stats, gear); ``trackers``, ``statuses``, ``place`` and ``attributes`` do.
    """

    @classmethod
    def new(
        cls,
        uid: str,
        role: str,
        *,
        parent: str | None = None,
        facts: Mapping[str, object] = EMPTY,
        trackers: Mapping[str, Tracker] = MappingProxyType({}),
        statuses: Iterable[Status] = (),
        place: Place | None = None,
        attributes: Mapping[str, object] = EMPTY,
    ) -> Entity:
        """Return an entity with everything frozen and in order.

        Raises:
            StateError: the uid is empty, a tracker is outside its limits, or a fact or a place is not a value.
        """
        if not uid or not role:
            raise StateError("an entity needs a uid and a role", found=f"uid {uid!r}, role {role!r}")
        for name, tracker in trackers.items():
            if type(tracker.value) is not int or tracker.clamp(tracker.value) != tracker.value:
                raise StateError("a tracker starts outside its limits", where=f"{uid} {name}", found=tracker)
        freeze(place)
        held = [status._replace(value=freeze(status.value)) for status in statuses]
        return cls(
            uid,
            role,
            parent,
            _mapping(facts),
            MappingProxyType(dict(sorted(trackers.items()))),
            MappingProxyType({status.name: status for status in sorted(held, key=lambda status: status.name)}),
            place,
            _mapping(attributes),
        )

    @cached_property
    def digest(self) -> str:
        """What stands for this entity in the state's hash."""
        uid, role, parent, facts, trackers, statuses, place, attributes = self
        return digest(
            (
                uid,
                role,
                parent,
                _facts_mark(facts),
                {**trackers} if trackers else None,
                tuple(statuses.values()) if statuses else None,
                place_out(place),
                attributes or None,
            )
        )

    def value(self, tracker: str) -> int:
        """Return the value of a tracker.

        Raises:
            StateError: the entity has no such tracker.
        """
        found = self.trackers.get(tracker)
        if found is None:
            raise StateError("no such tracker", where=self.uid, found=tracker, expected=", ".join(self.trackers))
        return found.value


_marks: dict[int, tuple[Mapping[str, Value], str]] = {}


def _facts_mark(facts: Mapping[str, Value]) -> str:
    """Return what stands for facts: worked out once, since they never change and are handed on from state to state."""
    known = _marks.get(id(facts))
    if known is not None and known[0] is facts:
        return known[1]
    mark = digest(facts)
    if len(_marks) >= 10_000:
        _marks.clear()
    _marks[id(facts)] = (facts, mark)  # kept with its mark, so that no other mapping can have its id
    return mark


def _mapping(value: Mapping[str, object]) -> Mapping[str, Value]:
    frozen = freeze(value)
    assert isinstance(frozen, Mapping)
    return frozen


class _Tree:
    """Who is below whom: worked out when first asked for, and shared by all states between which nobody came or went."""

    __slots__ = ("below", "children")

    def __init__(self) -> None:
        self.children: dict[str | None, tuple[str, ...]] | None = None
        self.below: dict[tuple[str | None, str | None], tuple[str, ...]] = {}


class State:
    """Everything that play can change, at one moment.

    Entities keep the order in which they were added, links and agenda are sorted: iterating two equal states gives
    the same order.

    ``scene`` stands for who is there, where, with which statuses and links. Two states have the same one where
    :func:`~rallypoint.kernel.fold.fold` has made one of the other and changed none of these, but trackers, attributes and the
    agenda at most. So what follows from them alone can be kept beside it. ``tree`` stands in the same way for who is there, under
    whom, with which facts: it lasts until somebody comes or goes.
    """

    __slots__ = ("_agenda", "_digest", "_entities", "_links", "scene", "tree")

    def __init__(
        self,
        entities: dict[str, Entity],
        links: dict[tuple[str, str, str], Link],
        agenda: tuple[Appointment, ...],
        tree: _Tree | None = None,
        scene: object = None,
    ) -> None:
        """Wrap dictionaries that the caller gives up; use :meth:`of` outside the kernel."""
        self._entities = entities
        self._links = links
        self._agenda = agenda
        self.tree = _Tree() if tree is None else tree
        self.scene: object = object() if scene is None else scene
        self._digest: str | None = None

    @classmethod
    def of(cls, entities: Iterable[Entity], links: Iterable[Link] = (), agenda: Iterable[Appointment] = ()) -> State:
        """Return a state, checked as a whole.

        Raises:
            StateError: a uid, a link or an appointment appears twice, or a parent or the end of a link does not exist.
        """
        by_uid: dict[str, Entity] = {}
        for entity in entities:
            if entity.uid in by_uid:
                raise StateError("a uid appears twice", found=entity.uid)
            if entity.parent is not None and entity.parent not in by_uid:
                raise StateError("a parent must come before its child", where=entity.uid, found=entity.parent)
            by_uid[entity.uid] = entity
        by_key: dict[tuple[str, str, str], Link] = {}
        for link in sorted(links, key=lambda link: link.key):
            if link.key in by_key:
                raise StateError("a link appears twice", found=link.key)
            by_key[link.key] = link._replace(value=freeze(link.value))
            for uid in (link.source, link.target):
                if uid not in by_uid:
                    raise StateError("a link ends at nothing", where=str(link.key), found=uid)
        later = [item._replace(args=tuple([freeze(argument) for argument in item.args])) for item in agenda]
        keys = [item.key for item in later]
        if len(set(keys)) < len(keys):
            raise StateError("an appointment appears twice", found=", ".join(sorted(keys)))
        return cls(by_uid, by_key, tuple(sorted(later, key=_agenda_order)))

    # Reading

    def __getitem__(self, uid: str) -> Entity:
        try:
            return self._entities[uid]
        except KeyError:
            raise StateError("no such entity", found=uid) from None

    def get(self, uid: str) -> Entity | None:
        """Return the entity, or ``None``."""
        return self._entities.get(uid)

    def named(self, uids: Iterable[str]) -> tuple[Entity, ...]:
        """Return the entities of these uids, in the same order.

        Raises:
            StateError: one of them is not there.
        """
        entities = self._entities
        try:
            return tuple([entities[uid] for uid in uids])
        except KeyError as error:
            raise StateError("no such entity", found=error.args[0]) from None

    def __contains__(self, uid: object) -> bool:
        return uid in self._entities

    def __iter__(self) -> Iterator[Entity]:
        return iter(self._entities.values())

    def __len__(self) -> int:
        return len(self._entities)

    @property
    def entities(self) -> Mapping[str, Entity]:
        """All entities by uid, in the order in which they were added."""
        return MappingProxyType(self._entities)

    @property
    def links(self) -> Mapping[tuple[str, str, str], Link]:
        """All links by (kind, source, target), sorted."""
        return MappingProxyType(self._links)

    @property
    def agenda(self) -> tuple[Appointment, ...]:
        """What happens later, the earliest first."""
        return self._agenda

    def children(self, uid: str | None) -> tuple[Entity, ...]:
        """Return the entities whose parent is ``uid`` (``None``: those without one)."""
        return self.named(self._by_parent().get(uid, ()))

    def _by_parent(self) -> dict[str | None, tuple[str, ...]]:
        known = self.tree.children
        if known is None:
            found: dict[str | None, list[str]] = {}
            for entity in self._entities.values():
                found.setdefault(entity.parent, []).append(entity.uid)
            known = self.tree.children = {parent: tuple(uids) for parent, uids in found.items()}
        return known

    def below(self, uid: str | None, role: str | None = None) -> Iterator[Entity]:
        """Yield everything under ``uid``, parents first; with ``role`` only entities in that role."""
        known, key = self.tree.below, (uid, role)
        uids = known.get(key)
        if uids is None:
            uids = tuple(self._uids_below(uid, role))
            if uid is None or uid in self._entities:
                known[key] = uids
        for each in uids:
            yield self._entities[each]

    def _uids_below(self, uid: str | None, role: str | None) -> Iterator[str]:
        for child in self._by_parent().get(uid, ()):
            if role is None or self._entities[child].role == role:
                yield child
            yield from self._uids_below(child, role)

    def above(self, uid: str, role: str) -> Entity:
        """Return the nearest entity in ``role`` at or above ``uid``.

        Raises:
            StateError: there is none.
        """
        entity: Entity | None = self[uid]
        while entity is not None:
            if entity.role == role:
                return entity
            entity = None if entity.parent is None else self[entity.parent]
        raise StateError("nothing above in that role", where=uid, expected=role)

    def linked(self, kind: str, *, source: str | None = None, target: str | None = None) -> tuple[Link, ...]:
        """Return the links of a kind, of one source or to one target where given."""
        return tuple(
            [
                link
                for link in self._links.values()
                if link.kind == kind
                and (source is None or link.source == source)
                and (target is None or link.target == target)
            ]
        )

    def due(self, moment: int) -> Appointment | None:
        """Return the earliest appointment whose time has come at ``moment``, or ``None``."""
        return self._agenda[0] if self._agenda and self._agenda[0].at <= moment else None

    # Identity and text

    @property
    def digest(self) -> str:
        """The state hash: 32 hexadecimal digits; equal states have equal ones."""
        if self._digest is None:
            marks = "".join([entity.digest for entity in self._entities.values()])
            rest = canonical((tuple(self._links.values()), self._agenda))
            self._digest = hashlib.sha256((marks + rest).encode("utf-8", "surrogatepass")).hexdigest()[:32]
        return self._digest

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, State):
            return NotImplemented
        return self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)

    def same_as(self, other: State) -> bool:
        """Say whether two states are equal, part by part; quick where they share most of their entities."""
        return self._entities == other._entities and self._links == other._links and self._agenda == other._agenda

    def __repr__(self) -> str:
        return f"<State of {len(self._entities)} entities, {self.digest[:8]}>"

    def to_text(self) -> str:
        """Return the canonical text; :meth:`from_text` reads it back to an equal state."""
        return canonical(
            {
                "state": 1,
                "entities": [_entity_out(entity) for entity in self._entities.values()],
                "links": tuple(self._links.values()),
                "agenda": self._agenda,
            }
        )

    @classmethod
    def from_text(cls, text: str) -> State:
        """Return the state that :meth:`to_text` wrote.

        Raises:
            StateError: the text is cut off, of another version, or does not fit together.
        """
        document = parse(text, "state")
        if not isinstance(document, Mapping) or document.get("state") != 1:
            raise StateError("this is not a state of version 1", found=text[:40])
        try:
            return cls.of(
                [entity_in(row) for row in _rows(document["entities"])],
                [Link(*row) for row in _rows(document["links"])],  # type: ignore[arg-type]
                [Appointment(*row) for row in _rows(document["agenda"])],  # type: ignore[arg-type]
            )
        except (KeyError, TypeError, ValueError, IndexError) as error:
            raise StateError("this state does not fit together", found=repr(error)) from None


def _agenda_order(appointment: Appointment) -> tuple[int, str]:
    return appointment.at, appointment.key


def _rows(value: Value) -> tuple[tuple[Value, ...], ...]:
    if not isinstance(value, tuple) or not all(isinstance(row, tuple) for row in value):
        raise TypeError("rows expected")
    return value  # type: ignore[return-value]


_PLACES: dict[str, type[Hex] | type[Pose] | type[Zone]] = {"hex": Hex, "pose": Pose, "zone": Zone}
_PLACE_NAMES = {kind: name for name, kind in _PLACES.items()}


def place_out(place: Place | None) -> Value:
    """Return the place as a value: its kind, then its fields."""
    return None if place is None else (_PLACE_NAMES[type(place)], *place)


def place_in(row: Value) -> Place | None:
    """Return the place that :func:`place_out` wrote."""
    if row is None:
        return None
    if not isinstance(row, tuple) or not isinstance(row[0], str) or row[0] not in _PLACES:
        raise StateError("this is not a place", found=row, expected=f"null or one of {', '.join(_PLACES)}")
    return _PLACES[row[0]](*row[1:])  # type: ignore[arg-type]


def entity_out(entity: Entity) -> Value:
    """Return the entity as a value, for a text form."""
    return freeze(_entity_out(entity))


def _entity_out(entity: Entity) -> tuple[object, ...]:
    return (
        entity.uid,
        entity.role,
        entity.parent,
        entity.facts,
        entity.trackers,
        tuple(entity.statuses.values()),
        place_out(entity.place),
        entity.attributes,
    )


def _tracker_in(row: Any) -> Tracker:
    tracker = Tracker(*row)
    if type(tracker.value) is not int or tracker.bad not in ("up", "down"):
        raise StateError("this is not a tracker", found=row)
    return tracker


def entity_in(row: Value) -> Entity:
    """Return the entity that :func:`entity_out` wrote."""
    if not isinstance(row, tuple) or len(row) != 8:
        raise StateError("this is not an entity", found=row)
    uid, role, parent, facts, trackers, statuses, place, attributes = row
    if not isinstance(uid, str) or not isinstance(role, str) or not (parent is None or isinstance(parent, str)):
        raise StateError("an entity needs uid, role and parent as text", found=row[:3])
    if not isinstance(facts, Mapping) or not isinstance(trackers, Mapping) or not isinstance(attributes, Mapping):
        raise StateError("facts, trackers and attributes must be mappings", where=uid)
    return Entity.new(
        uid,
        role,
        parent=parent,
        facts=facts,
        trackers={name: _tracker_in(row) for name, row in trackers.items()},
        statuses=[Status(*status) for status in _rows(statuses)],  # type: ignore[arg-type]
        place=place_in(place),
        attributes=attributes,
    )
