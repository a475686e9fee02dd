"""The import: actors that Foundry exported, back as an encounter. Wounds and Stress are those of the sheets."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from pathlib import PurePath
from types import MappingProxyType

from rallypoint.kernel.canonical import freeze
from rallypoint.kernel.encounter import SENT, Encounter, Gear, Imported, Sheet
from rallypoint.kernel.errors import InputError, StateError
from rallypoint.kernel.state import Entity, State, Status, Tracker, place_in

from .contractors import GAME, contractor
from .exported import Found, Json, exported, listed, table, whole
from .ids import slug
from .mapping import Pod, Profile
from .profile import SHIPPED, load_profile, read_profile
from .profile_reader import guess
from .record import FLAG

__all__ = ["read"]

_VERSION = 1
_TYPES = ("creature", "character")
_FIELDS = frozenset({"hits", "health", "stats"})


class _Reading:
    """What was read so far: entities and sheets by uid, and what could not be."""

    def __init__(self, profile: Profile) -> None:
        self.profile = profile
        self.entities: dict[str, Entity] = {}
        self.sheets: dict[str, Sheet] = {}
        self.keys: dict[str, str] = {}
        self.titles: dict[str, str] = {}
        self.ranks: dict[str, int] = {}
        self.games: set[str] = set()
        self.from_actors: dict[str, Json] = {}
        self.left_out: list[str] = []
        self.notes: list[str] = []
        self.conflicts: list[str] = []
        self.twice = 0

    def upper(self, record: Json, parent: str | None, where: str) -> str:
        """Take one of the short records of what stands above; return its uid."""
        uid = _text(record, "uid", where)
        if uid not in self.entities:
            trackers = _trackers(record, where)
            sent = {SENT: {name: tracker.value for name, tracker in trackers.items()}} if trackers else {}
            role, name = _text(record, "role", where), _text(record, "name", where)
            facts = _facts(record.get("facts", {}), f"{where}: {uid}: facts")
            self.entities[uid] = Entity.new(uid, role, parent=parent, facts=facts, trackers=trackers, attributes=sent)
            self.sheets[uid] = Sheet(uid, name, role.title(), _text(record, "code", where))
            self.rank(uid, record, where)
        return uid

    def rank(self, uid: str, record: Json, where: str) -> None:
        """Note where something stands among what is below the same parent."""
        if "rank" in record:
            self.ranks[uid] = whole(record["rank"], f"{where}: rank")

    def order(self) -> list[str]:
        """Return the uids in the order in which they were exported, for files that come in another."""

        def path(entity: Entity) -> list[int]:
            found: list[int] = []
            step: Entity | None = entity
            while step is not None and len(found) <= len(self.entities):
                found.insert(0, self.ranks.get(step.uid, 0))
                step = None if step.parent is None else self.entities.get(step.parent)
            return found

        return [entity.uid for entity in sorted(self.entities.values(), key=path)]

    def ours(self, record: Json, where: str, system: Json | None = None, kind: str = "") -> None:
        """Take one of our records, with the system's fields of its actor if it is of one."""
        if whole(record.get("v"), f"{where}: v") > _VERSION:
            raise InputError("a newer form of record", where=where, found=record["v"], expected=_VERSION)
        self.keys.setdefault(_text(record, "encounter", where), where)
        self.games.add(_text(record, "game", where))
        if "title" in record:
            self.titles[_text(record, "encounter", where)] = _text(record, "title", where)
        parent: str | None = None
        for row in listed(record.get("above"), f"{where}: above"):
            parent = self.upper(table(row, f"{where}: above"), parent, where)
        uid = _text(record, "uid", where)
        self.rank(uid, record, where)
        trackers = _trackers(record, where)
        sent = {name: tracker.value for name, tracker in trackers.items()}
        if system is not None:
            trackers = self.shown(trackers, system, kind, where, uid)
        attributes = {**table(record.get("attributes"), f"{where}: attributes")}
        if sent:
            attributes[SENT] = sent
        self.entities[uid] = Entity.new(
            uid,
            _text(record, "kind", where),
            parent=parent,
            facts=_facts(record.get("facts"), f"{where}: facts"),
            trackers=trackers,
            statuses=_statuses(record, where),
            place=place_in(freeze(record.get("place"))),
            attributes=_frozen(attributes, where),
        )
        self.sheets[uid] = _sheet(record, uid, where)

    def shown(self, sent: Mapping[str, Tracker], system: Json, kind: str, where: str, uid: str) -> dict[str, Tracker]:
        """Return the trackers as the sheet shows them now; one that nobody changed keeps its true value."""
        found = dict(sent)
        pods: dict[str, Pod] = {}
        for each in self.profile.actors:
            if each.type == kind:
                pods.update(each.trackers)
        for name, pod in pods.items():
            if name not in sent:
                continue
            place: object = system
            for step in pod.path.split("."):
                place = table(place, f"{where}: system.{pod.path}").get(step)
            if place is None:
                self.left_out.append(f"tracker {name} ({uid}): the sheet has no {pod.path}, so it counts as unchanged")
                continue
            fields, tracker = table(place, f"{where}: system.{pod.path}"), sent[name]
            value = whole(fields.get("value"), f"{where}: system.{pod.path}.value")
            low, high = (_limit(fields, key, f"{where}: system.{pod.path}") for key in ("min", "max"))
            if low is not None and tracker.min is not None and low > tracker.min:
                self.notes.append(f"{uid}: {name} cannot be shown below {low} there")
            if value != Tracker(tracker.value, low, high).clamp(tracker.value):
                found[name] = tracker._replace(value=tracker.clamp(value))
                if tracker.clamp(value) != value:
                    limits = f"{tracker.min} to {tracker.max}"
                    self.notes.append(f"{uid}: {name} {value} is outside {limits}: taken as {tracker.clamp(value)}")
        return found


def _limit(fields: Json, key: str, where: str) -> int | None:
    value = fields.get(key)
    return None if value is None else whole(value, f"{where}.{key}")


def _text(record: Json, key: str, where: str) -> str:
    value = record.get(key)
    if not isinstance(value, str):
        raise InputError("a text was expected here", where=f"{where}: {key}", found=value)
    return value


def _frozen(value: object, where: str) -> Mapping[str, object]:
    found = freeze(table(value, where))
    assert isinstance(found, Mapping)
    return found


def _facts(value: object, where: str) -> Mapping[str, object]:
    """Return facts, which are text in JSON where a field has a name that Foundry would bend."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            raise InputError("these facts are no JSON", where=where, found=repr(value)[:60]) from None
    return _frozen(value, where)


def _trackers(record: Json, where: str) -> dict[str, Tracker]:
    found = {}
    for row in listed(record.get("trackers"), f"{where}: trackers"):
        tracker = table(row, f"{where}: trackers")
        name, bad = _text(tracker, "name", where), _text(tracker, "bad", where)
        if bad not in ("up", "down"):
            raise InputError("no way to be bad", where=f"{where}: {name}", found=bad, expected="up or down")
        value = whole(tracker.get("value"), f"{where}: {name}")
        low, high = (_limit(tracker, key, f"{where}: {name}") for key in ("min", "max"))
        found[name] = Tracker(value, low, high, "up" if bad == "up" else "down")
    return found


def _statuses(record: Json, where: str) -> list[Status]:
    rows = [table(row, f"{where}: statuses") for row in listed(record.get("statuses"), f"{where}: statuses")]
    for row in rows:
        if set(row) != set(Status._fields):
            raise InputError("no status of ours", where=where, found=", ".join(row), expected=", ".join(Status._fields))
    return [Status(**{**row, "value": freeze(row["value"])}) for row in rows]  # type: ignore[arg-type]


def _sheet(record: Json, uid: str, where: str) -> Sheet:
    if "code" not in record:
        return Sheet(uid, uid, _text(record, "kind", where).title(), "")
    stats = table(record.get("stats"), f"{where}: stats")
    picture = record.get("picture")
    return Sheet(
        uid,
        _text(record, "name", where),
        _text(record, "class", where),
        _text(record, "code", where),
        MappingProxyType({name: whole(value, f"{where}: stats.{name}") for name, value in stats.items()}),
        tuple(_gear(table(row, f"{where}: gear"), where) for row in listed(record.get("gear"), f"{where}: gear")),
        tuple(str(line) for line in listed(record.get("notes"), f"{where}: notes")),
        picture if isinstance(picture, str) else None,
    )


def _gear(row: Json, where: str) -> Gear:
    facts = freeze(table(row.get("facts"), f"{where}: gear"))
    assert isinstance(facts, Mapping)
    return Gear(_text(row, "kind", where), _text(row, "key", where), _text(row, "title", where), facts)


def _system_of(actor: Json) -> str | None:
    """Return the system that an actor says it is of, ``None`` if it says nothing."""
    stats = actor.get("_stats")
    system = stats.get("systemId") if isinstance(stats, dict) else None
    return system if isinstance(system, str) and system else None


def _profile(options: Mapping[str, str], found: Found) -> Profile:
    """Return the profile asked for, else the newest shipped one of the system that the first actor says it is of."""
    for name in options:
        if name != "profile":
            raise InputError(
                "the Foundry importer has no such option", found=name, expected="profile", hint=guess(name, ["profile"])
            )
    if named := options.get("profile"):
        return read_profile(named) if named.endswith(".toml") else load_profile(named)
    for _, actor in found.actors:
        system = _system_of(actor)
        for name in SHIPPED:
            if system == load_profile(name).system:
                return load_profile(name)
    return load_profile(SHIPPED[0])


def _called(actor: Json) -> str:
    name = actor.get("name")
    return f"actor {name}" if isinstance(name, str) and name.strip() else "an actor without a name"


def _record_of(actor: Json, where: str) -> Json | None:
    flags = actor.get("flags")
    record = None if flags is None else table(flags, f"{where}: flags").get(FLAG)
    return None if record is None else table(record, f"{where}: flags.{FLAG}")


def _known(reading: _Reading, found: Found) -> None:
    """Take the actors that are ours; one that comes twice is taken once, values that differ not at all."""
    for where, record in found.records:
        reading.ours(record, where)
    for where, actor in found.actors:
        own = _record_of(actor, where)
        if own is None:
            reading.left_out.append(
                f"{_called(actor)} ({where}): it has no record of ours; read such actors by themselves"
            )
            continue
        uid = _text(own, "uid", where)
        before: Entity | None = None
        if uid in reading.from_actors:
            before = reading.entities[uid]
            reading.twice += 1
        system = table(actor.get("system"), f"{where}: system")
        reading.ours(own, where, system, str(actor.get("type")))
        reading.from_actors[uid] = actor
        if before is not None:
            _compare(reading, before, reading.entities[uid], where)


def _compare(reading: _Reading, before: Entity, now: Entity, where: str) -> None:
    """Keep of one that came twice what both say; values that differ are conflicts and are left away."""
    agreed = {}
    for name, tracker in now.trackers.items():
        other = before.trackers.get(name, tracker)
        if other.value == tracker.value:
            agreed[name] = tracker
        else:
            reading.conflicts.append(f"{name} of {now.uid}: {other.value}, but {tracker.value} in {where}")
    reading.entities[now.uid] = now._replace(trackers=MappingProxyType(agreed))


def _no_contractor(actor: Json, systems: Collection[str]) -> str | None:
    """Return why no contractor can be made of an actor, ``None`` if one can."""
    kind, system, fields = str(actor.get("type")), _system_of(actor), actor.get("system")
    if system is not None and system not in systems:
        return f"it is of the system {system}, not of {' or '.join(systems)}"
    if kind not in _TYPES:
        return f"of a {kind} no contractor is made"
    if system is None and isinstance(fields, dict) and fields and not _FIELDS & set(fields):
        return f"it does not say its system, and has none of {', '.join(sorted(_FIELDS))}"
    return None


def _new(reading: _Reading, found: Found) -> None:
    """Take actors that were never ours, as contractors.

    Raises:
        InputError: there is none of whom one could be made.
    """
    reading.games.add(GAME)
    systems = list(dict.fromkeys([*[load_profile(name).system for name in SHIPPED], reading.profile.system]))
    for where, actor in found.actors:
        why = _no_contractor(actor, systems)
        if why is not None:
            reading.left_out.append(f"{_called(actor)} ({where}): {why}")
            continue
        identity = actor.get("_id")
        stem = PurePath(where.partition(":")[0]).stem
        uid = (
            f"foundry-{identity}"
            if isinstance(identity, str) and identity
            else f"foundry-{slug(stem) or len(reading.entities)}"
        )
        if uid in reading.entities:
            reading.left_out.append(f"{_called(actor)} ({where}): {uid} was read already")
            continue
        if _system_of(actor) is None:
            reading.notes.append(f"{where}: it does not say its system: taken as one of {reading.profile.system}")
        reading.entities[uid], reading.sheets[uid] = contractor(actor, uid, where, reading.notes)
    if not reading.entities:
        raise InputError(
            "there is nobody in these files of whom a unit could be made",
            found="; ".join(reading.left_out[:5]) + ("; ..." if len(reading.left_out) > 5 else ""),
            expected=f"an actor of type {' or '.join(_TYPES)} of {' or '.join(systems)}",
            hint="a system of your own with the same fields is named by its profile: --profile my-system.toml",
        )


def _ordered(entities: Mapping[str, Entity], order: list[str]) -> list[Entity]:
    """Return the entities in the order that the files say, then the others; parents always first."""
    done: dict[str, Entity] = {}

    def take(entity: Entity) -> None:
        chain: list[Entity] = []
        step: Entity | None = entity
        while step is not None and step.uid not in done and len(chain) <= len(entities):
            chain.append(step)
            step = None if step.parent is None else entities.get(step.parent)
        for each in reversed(chain):
            done[each.uid] = each

    for entity in [*[entities[uid] for uid in order if uid in entities], *entities.values()]:
        take(entity)
    return list(done.values())


def read(files: Mapping[str, bytes], options: Mapping[str, str]) -> Imported:
    """Return the encounter that stands in files which Foundry exported.

    Actors that an export of ours made give the game's own words from their flags, with Wounds and Stress as their sheets
    show them; actors without our flag give Mothership's words (:mod:`.contractors`). ``options``: ``profile``, the name of a
    shipped profile or a TOML file, which says where a system keeps its trackers.

    Raises:
        InputError: a file cannot be understood, holds no actor, or two files are of different encounters.
    """
    found = exported(files)
    if not found.actors:
        raise InputError(
            "there is no actor in these files", found=", ".join(files) or "no file", expected="an exported actor"
        )
    reading = _Reading(_profile(options, found))
    known = [where for where, actor in found.actors if _record_of(actor, where) is not None]
    if known:
        _known(reading, found)
    else:
        _new(reading, found)
    if len(reading.keys) > 1 or len(reading.games) > 1:
        places = ", ".join(f"{key} ({where})" for key, where in reading.keys.items())
        raise InputError("these files are of different encounters", found=places, expected="one encounter at a time")
    key = next(iter(reading.keys), None) or slug(PurePath(next(iter(files))).stem) or "foundry"
    try:
        state = State.of(_ordered(reading.entities, found.order or reading.order()))
    except StateError as error:
        raise InputError("these actors do not fit together", found=str(error)) from None
    encounter = Encounter(
        key,
        {**reading.titles, **found.titles}.get(key, key),
        next(iter(reading.games)),
        state,
        MappingProxyType(reading.sheets),
    )
    read_in = len(reading.from_actors) if known else len(reading.entities)
    counts = {
        "read": len(found.actors),
        "actors": read_in,
        "twice": reading.twice,
        "left_out": len(found.actors) - read_in - reading.twice,
    }
    notes = [] if known else ["no actor has a record of ours: they are read as Mothership's contractors"]
    return Imported(encounter, counts, tuple(reading.left_out), (*notes, *reading.notes), tuple(reading.conflicts))
