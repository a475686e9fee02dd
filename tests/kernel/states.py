"""Strategies: any value, any state, and any change that fits a state."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from rallypoint.kernel.changes import (
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
from rallypoint.kernel.parts import Appointment, Hex, Link, Place, Pose, Status, Tracker, Zone
from rallypoint.kernel.state import Entity, State

NAMES = ("x", "y", "Wounds", "Streß", "a b", "0")
UIDS = tuple(f"u{number}" for number in range(8))
KINDS = ("aim", "aboard")

names = st.sampled_from(NAMES)
numbers = st.integers(-(10**12), 10**12)
reals = st.floats(allow_nan=False, allow_infinity=False)
scalars = st.none() | st.booleans() | numbers | reals | st.text(max_size=4)
values: st.SearchStrategy[Any] = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=5,
)
moments = st.none() | st.integers(0, 9)
places: st.SearchStrategy[Place] = (
    st.builds(Hex, numbers, numbers, st.none() | st.integers(0, 5))
    | st.builds(Pose, reals, reals, reals)
    | st.builds(Zone, st.text(max_size=5))
)
statuses = st.builds(Status, names, values, st.none() | names, moments, moments)
appointments = st.builds(
    Appointment, names, st.integers(-3, 9), names, st.lists(values, max_size=2).map(tuple), st.integers(0, 2)
)


@st.composite
def trackers(draw: st.DrawFn) -> Tracker:
    low = draw(st.none() | st.integers(-5, 0))
    high = draw(st.none() | st.integers(1, 6))
    value = draw(st.integers(-5 if low is None else low, 9 if high is None else high))
    return Tracker(value, low, high, draw(st.sampled_from(("up", "down"))))


@st.composite
def entities(draw: st.DrawFn, uid: str, parent: str | None) -> Entity:
    return Entity.new(
        uid,
        draw(st.sampled_from(("side", "unit"))),
        parent=parent,
        facts=draw(st.dictionaries(names, values, max_size=2)),
        trackers=draw(st.dictionaries(names, trackers(), max_size=2)),
        statuses=draw(st.lists(statuses, max_size=2, unique_by=lambda status: status.name)),
        place=draw(st.none() | places),
        attributes=draw(st.dictionaries(names, values, max_size=2)),
    )


@st.composite
def links(draw: st.DrawFn, uids: list[str]) -> Link:
    some = st.sampled_from(uids)
    return Link(draw(st.sampled_from(KINDS)), draw(some), draw(some), draw(values), draw(moments), draw(moments))


@st.composite
def states(draw: st.DrawFn) -> State:
    present: list[Entity] = []
    for uid in UIDS[: draw(st.integers(1, 5))]:
        parent = draw(st.none() | st.sampled_from([entity.uid for entity in present])) if present else None
        present.append(draw(entities(uid, parent)))
    uids = [entity.uid for entity in present]
    return State.of(
        present,
        draw(st.lists(links(uids), max_size=3, unique_by=lambda link: link.key)),
        draw(st.lists(appointments, max_size=3, unique_by=lambda appointment: appointment.key)),
    )


@st.composite
def changes_of(draw: st.DrawFn, state: State) -> Change:
    """One change of any kind that fits ``state``."""
    uids = list(state.entities)
    if not uids:
        return Add(draw(entities(UIDS[0], None)))
    uid = draw(st.sampled_from(uids))
    entity = state[uid]
    fitting: list[st.SearchStrategy[Change]] = [
        st.builds(DefineTracker, st.just(uid), names, trackers()),
        st.builds(SetStatus, st.just(uid), statuses),
        st.builds(SetPlace, st.just(uid), st.none() | places),
        st.builds(SetAttribute, st.just(uid), names, values.filter(lambda value: value is not None)),
        st.builds(SetLink, links(uids)),
        st.builds(SetAgenda, appointments),
    ]
    fitting += [st.builds(Add, entities(new, uid)) for new in UIDS if new not in state][:1]
    fitting += [st.just(Remove(uid))] if len(uids) > 1 else []
    for name, tracker in entity.trackers.items():
        fitting.append(st.just(DefineTracker(uid, name, None)))
        fitting.append(st.builds(SetTracker, st.just(uid), st.just(name), numbers.map(tracker.clamp)))
    fitting += [st.just(DropStatus(uid, name)) for name in entity.statuses]
    fitting += [st.just(SetAttribute(uid, name, None)) for name in entity.attributes]
    fitting += [st.just(DropLink(*key)) for key in state.links]
    fitting += [st.just(DropAgenda(appointment.key)) for appointment in state.agenda]
    return draw(st.one_of(fitting))
