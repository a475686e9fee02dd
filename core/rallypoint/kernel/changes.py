"""The closed list of changes: the only ways in which a state can become another one.

What *kinds* of events there are is open (a kind is the game's own dotted word); what an event can *do* is one of these.
Values are absolute: a change says what the tracker is afterwards, not by how much it moved, so that folding a log
needs no rules.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

from .canonical import Value, freeze
from .errors import StateError
from .state import Appointment, Entity, Link, Place, Status, Tracker, entity_in, entity_out, place_in, place_out

__all__ = [
    "Add",
    "Change",
    "DefineTracker",
    "DropAgenda",
    "DropLink",
    "DropStatus",
    "Remove",
    "SetAgenda",
    "SetAttribute",
    "SetLink",
    "SetPlace",
    "SetStatus",
    "SetTracker",
    "change_in",
    "change_out",
    "frozen",
]


class SetTracker(NamedTuple):
    """The tracker has this value now; it must be within the limits."""

    uid: str
    name: str
    value: int


class DefineTracker(NamedTuple):
    """The tracker is this one now, with these limits; ``None`` takes it away."""

    uid: str
    name: str
    tracker: Tracker | None


class SetStatus(NamedTuple):
    """The entity has this status now, in place of one with the same name."""

    uid: str
    status: Status


class DropStatus(NamedTuple):
    """The entity has lost the status of this name."""

    uid: str
    name: str


class SetPlace(NamedTuple):
    """The entity is here now; ``None``: nowhere."""

    uid: str
    place: Place | None


class SetAttribute(NamedTuple):
    """The attribute has this value now; ``None`` takes it away."""

    uid: str
    name: str
    value: Value


class SetLink(NamedTuple):
    """This link holds now, in place of one of the same kind between the same two."""

    link: Link


class DropLink(NamedTuple):
    """The link has gone."""

    kind: str
    source: str
    target: str


class Add(NamedTuple):
    """A new entity; its parent must exist."""

    entity: Entity


class Remove(NamedTuple):
    """The entity has gone, with everything below it and every link that ended there."""

    uid: str


class SetAgenda(NamedTuple):
    """This will happen, in place of an appointment with the same key."""

    appointment: Appointment


class DropAgenda(NamedTuple):
    """The appointment of this key is off."""

    key: str


Change: TypeAlias = (
    SetTracker
    | DefineTracker
    | SetStatus
    | DropStatus
    | SetPlace
    | SetAttribute
    | SetLink
    | DropLink
    | Add
    | Remove
    | SetAgenda
    | DropAgenda
)
"""Any change."""

_WORDS: dict[type[Change], str] = {
    SetTracker: "tracker",
    DefineTracker: "tracker=",
    SetStatus: "status",
    DropStatus: "status-",
    SetPlace: "place",
    SetAttribute: "attribute",
    SetLink: "link",
    DropLink: "link-",
    Add: "add",
    Remove: "remove",
    SetAgenda: "agenda",
    DropAgenda: "agenda-",
}
_KINDS = {word: kind for kind, word in _WORDS.items()}


VALUED = frozenset({SetStatus, SetAttribute, SetLink, Add, SetAgenda})
"""The kinds of change that carry a value of the caller's own."""


def frozen(change: Change) -> Change:
    """Return the change with its values frozen, so that nobody can alter it after it was told.

    Raises:
        StateError: it holds something that JSON cannot say.
    """
    if isinstance(change, SetAttribute):
        return change._replace(value=freeze(change.value))
    if isinstance(change, SetStatus):
        return SetStatus(change.uid, change.status._replace(value=freeze(change.status.value)))
    if isinstance(change, SetLink):
        return SetLink(change.link._replace(value=freeze(change.link.value)))
    if isinstance(change, SetAgenda):
        args = tuple([freeze(argument) for argument in change.appointment.args])
        return SetAgenda(change.appointment._replace(args=args))
    if isinstance(change, Add):
        return Add(entity_in(entity_out(change.entity)))
    return change


def change_out(change: Change) -> tuple[object, ...]:
    """Return the change as a value: its word, then its fields.

    >>> change_out(SetTracker("red-1", "Wounds", 2))
    ('tracker', 'red-1', 'Wounds', 2)
    """
    word = _WORDS.get(type(change))
    if word is None:
        raise StateError("this is not a change", found=repr(change), expected=", ".join(_KINDS))
    if isinstance(change, Add):
        return word, entity_out(change.entity)
    if isinstance(change, SetPlace):
        return word, change.uid, place_out(change.place)
    return word, *change


def change_in(row: Value) -> Change:
    """Return the change that :func:`change_out` wrote.

    Raises:
        StateError: the word is unknown or the fields do not fit.
    """
    if not isinstance(row, tuple) or not row or not isinstance(row[0], str) or row[0] not in _KINDS:
        raise StateError("this is not a change", found=row, expected=f"one of {', '.join(_KINDS)}")
    kind: Any = _KINDS[row[0]]
    fields: Any = row[1:]
    try:
        if kind is Add:
            return Add(entity_in(*fields))
        if kind is SetPlace:
            return SetPlace(fields[0], place_in(fields[1]))
        if kind is SetStatus:
            return SetStatus(fields[0], Status(*fields[1]))
        if kind is DefineTracker:
            uid, name, tracker = fields
            return DefineTracker(uid, name, None if tracker is None else Tracker(*tracker))
        if kind is SetLink:
            return SetLink(Link(*fields[0]))
        if kind is SetAgenda:
            return SetAgenda(Appointment(*fields[0]))
        change: Change = kind(*fields)
    except (TypeError, ValueError, IndexError):
        raise StateError("the fields of this change do not fit", found=row) from None
    return change
