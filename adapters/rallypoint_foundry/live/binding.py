"""Binding: which actors and tokens of a world stand for whom of a battle.

They are found by our flags. What has none is proposed by its name, and bound only when a person says so.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from rallypoint.kernel.errors import InputError
from rallypoint.kernel.state import Entity, State
from rallypoint_sync.bindings import Binding
from rallypoint_sync.transport import RefusedError, UnreachableError

from ..ids import document_id
from ..mapping import Profile
from .addresses import Address, actor_of, at, flags_of, token_uuid, tokens_of
from .carriers import Found
from .refusals import NOT_THERE
from .relay import Relay, odd_answer, rows_of

__all__ = ["Looked", "Proposal", "Wanted", "copies_of", "look", "plain_name", "proposals", "scene_of", "wanted"]


class Wanted(NamedTuple):
    """Somebody of the battle who should be bound: uid, name for people, and names that may stand in the world."""

    uid: str
    names: tuple[str, ...]


class Looked(NamedTuple):
    """What was found in a world: ``found`` by our flags or as it was said, ``others`` what carries no flag of ours.

    ``twice`` are documents that carry the flag of somebody who was found already; ``encounters`` the keys in the flags.
    """

    found: tuple[Found, ...]
    others: tuple[tuple[str, str], ...]
    twice: tuple[str, ...]
    encounters: tuple[str, ...]
    scene: str | None


class Proposal(NamedTuple):
    """Somebody who may be bound by name: uid and the uuids of that name; more than one is no proposal."""

    uid: str
    name: str
    uuids: tuple[str, ...]


def plain_name(text: str) -> str:
    """Return a name as it is compared: without case, accents, kinds of apostrophes and spaces around it.

    >>> plain_name(" O’Neil "), plain_name("Żółw-1")
    ("o'neil", 'zołw-1')
    """
    found = unicodedata.normalize("NFKD", text.replace("’", "'").replace("`", "'"))
    return " ".join("".join(sign for sign in found if not unicodedata.combining(sign)).casefold().split())


def wanted(state: State, sheets: Mapping[str, object], *, stands: bool = False) -> tuple[Wanted, ...]:
    """Return who has values to show: everybody with trackers; with ``stands``, stands in place of their units."""
    found = []
    for entity in state:
        units = [unit for unit in state.below(entity.uid, None) if unit.trackers and not _has_children(state, unit)]
        is_stand = bool(units) and all(unit.parent == entity.uid for unit in units)
        in_stand = stands and entity.parent is not None and not _has_children(state, entity) and bool(entity.trackers)
        if (entity.trackers and not in_stand) or (stands and is_stand):
            sheet = sheets.get(entity.uid)
            names = tuple([str(text) for text in sheet[:1] + sheet[2:3] if text]) if isinstance(sheet, tuple) else ()
            found.append(Wanted(entity.uid, names or (entity.uid,)))
    return tuple(found)


def _has_children(state: State, entity: Entity) -> bool:
    return bool(state.children(entity.uid))


def scene_of(relay: Relay, named: str | None) -> str | None:
    """Return the id of a scene: by id or name, else the active one; ``None`` where none is active.

    Raises:
        InputError: there is no such scene.
    """
    query = {"active": "true"} if named is None else {"sceneId": named} if len(named) == 16 else {"name": named}
    try:
        answer = relay.read("/scene", query, where=named)
    except RefusedError:
        if named is None:
            return None
        raise InputError("the world has no such scene", found=named) from None
    except UnreachableError as error:
        if error.code == "no_such_path" and named is not None:
            return named  # relay 2.x cannot be asked
        if error.code == "no_such_path":
            return None
        raise
    found = at(answer, "data._id")
    if not isinstance(found, str) or not found:
        raise odd_answer("/scene", sorted(answer), "the scene under data")
    return found


def look(
    relay: Relay,
    state: State,
    profile: Profile | None,
    scene: str | None,
    said: Mapping[str, str],
    encounter: str | None = None,
) -> Looked:
    """Return what stands for whom.

    Args:
        relay: the relay.
        state: the battle's.
        profile: that of the world's system.
        scene: the id of the scene with the tokens.
        said: uuids by uid, as a person has said them.
        encounter: the key of the export, where the world has several of one battle.

    Raises:
        InputError: a uuid that was said is not there, or several exports are in the scene.
    """
    looking = _Looking(relay, state)
    for uid, uuid in said.items():
        looking.say(uid, uuid)
    if scene is not None:
        looking.tokens(scene, encounter)
    if not looking.encounters and encounter is None and not looking.found:
        looking.sidebar(profile)
    keys = tuple(dict.fromkeys([*looking.encounters, *([encounter] if encounter else [])]))
    if len(keys) > 1:
        hint = "--encounter says which"
        raise InputError("the world has documents of several exports", found=", ".join(keys), hint=hint)
    for key in keys:
        looking.derived(key, profile)
    return Looked(tuple(looking.found.values()), tuple(looking.others.items()), tuple(looking.twice), keys, scene)


class _Looking:
    def __init__(self, relay: Relay, state: State) -> None:
        self.relay, self.state = relay, state
        self.found: dict[str, Found] = {}
        self.others: dict[str, str] = {}
        self.twice: list[str] = []
        self.encounters: list[str] = []

    def say(self, uid: str, uuid: str) -> None:
        if uid not in self.state:
            raise InputError("there is nobody of this uid in the battle", where="--map", found=uid)
        try:
            document = self.relay.get(uuid)
        except RefusedError as error:
            raise InputError(
                "there is no such document in the world", where="--map", found=uuid, hint=str(error.found)
            ) from None
        address = Address.of(uuid)
        if address.token is not None and address.actor is None:
            actor = actor_of(str(address.scene), document)
            if actor is None:
                raise InputError("this token has no actor", where="--map", found=uuid)
            uuid, document = actor, self.relay.get(actor)
        self.found[uid] = Found(uid, uuid, document)

    def tokens(self, scene: str, encounter: str | None) -> None:
        document = self.relay.get(f"Scene.{scene}")
        for token in tokens_of(document):
            actor, flags = actor_of(scene, token), flags_of(token)
            if actor is None:
                continue
            uid, key = flags.get("uid"), flags.get("encounter")
            if not isinstance(uid, str) or uid not in self.state:
                self.others.setdefault(actor, str(token.get("name") or ""))
                continue
            if encounter is not None and key != encounter:
                continue
            if uid in self.found:
                if self.found[uid].uuid != actor:
                    self.twice.append(token_uuid(scene, str(token["_id"])))
                continue
            self._take(uid, actor)
            if isinstance(key, str) and key not in self.encounters:
                self.encounters.append(key)

    def sidebar(self, profile: Profile | None) -> None:
        """Look at the flags of the sidebar's actors, where no scene tells who is who: after a lost ledger none may be active.

        Of several with one flag, that with the id which an export gives is meant; the others are copies.
        """
        rows: dict[str, list[Found]] = {}
        for uuid, _ in sidebar_actors(self.relay):
            try:
                document = self.relay.get(uuid)
            except RefusedError:
                continue
            flags = flags_of(document)
            uid, key = flags.get("uid"), flags.get("encounter")
            if isinstance(uid, str) and uid in self.state:
                rows.setdefault(uid, []).append(Found(uid, uuid, document))
                if isinstance(key, str) and key not in self.encounters:
                    self.encounters.append(key)
        for uid, several in rows.items():
            derived = {self._derived(key, self.state[uid], profile) for key in self.encounters}
            meant = next((each for each in several if each.uuid in derived), several[0])
            self.found[uid] = meant
            self.twice += [each.uuid for each in several if each is not meant]

    def _take(self, uid: str, uuid: str) -> None:
        try:
            self.found[uid] = Found(uid, uuid, self.relay.get(uuid))
        except RefusedError as error:
            if error.code != NOT_THERE:
                raise

    def derived(self, key: str, profile: Profile | None) -> None:
        """Look for those without a token under the ids that an export gives them."""
        for entity in self.state:
            uuid = self._derived(key, entity, profile)
            if entity.uid in self.found or uuid is None or not entity.trackers:
                continue
            self._take(entity.uid, uuid)
            found = self.found.get(entity.uid)
            if found is not None and flags_of(found.document).get("uid") != entity.uid:
                del self.found[entity.uid]

    def _derived(self, key: str, entity: Entity, profile: Profile | None) -> str | None:
        """Return the uuid that an export gives to somebody's actor; ``None`` where it makes none."""
        kind = None if profile is None else profile.actor_kind(entity.role, entity.trackers)
        if kind is None:
            return None
        return f"Actor.{document_id(key, _side(self.state, entity), entity.uid, 'actor', kind.type)}"


def _side(state: State, entity: Entity) -> str:
    while entity.parent is not None:
        entity = state[entity.parent]
    return entity.uid


def proposals(looked: Looked, missing: Iterable[Wanted], actors: Iterable[tuple[str, str]]) -> Iterator[Proposal]:
    """Yield who may be bound by name: to a token of the scene, else to an actor of the sidebar.

    Args:
        looked: what was found.
        missing: who was not.
        actors: uuids and names of the sidebar's actors.
    """
    taken = {each.uuid for each in looked.found}
    tokens, sidebar = _by_name(looked.others), _by_name(actors)
    missing = tuple(missing)
    claimed: dict[str, int] = {}
    for each in missing:
        for name in {plain_name(name) for name in each.names}:
            claimed[name] = claimed.get(name, 0) + 1
    for each in missing:
        for name in dict.fromkeys(map(plain_name, each.names)):
            uuids = [uuid for uuid in (*tokens.get(name, ()), *sidebar.get(name, ())) if uuid not in taken]
            if uuids:
                # A name that two of the battle share says nothing about either.
                many = claimed[name] > 1
                yield Proposal(each.uid, name, (*dict.fromkeys(uuids), *(["?"] if many else [])))
                break


def _by_name(rows: Iterable[tuple[str, str]]) -> Mapping[str, list[str]]:
    found: dict[str, list[str]] = {}
    for uuid, name in rows:
        found.setdefault(plain_name(name), []).append(uuid)
    return found


def sidebar_actors(relay: Relay) -> tuple[tuple[str, str], ...]:
    """Return uuids and names of the sidebar's actors; nothing where the key may not search."""
    try:
        query = {"filter": "Actor", "minified": "true", "limit": "500", "excludeCompendiums": "true"}
        rows = rows_of(relay.read("/search", query), "results", "/search", "uuid")
    except (RefusedError, UnreachableError) as error:
        if error.code not in ("scope_missing", "refused", "no_such_path"):
            raise
        return ()
    return tuple(
        [(str(row["uuid"]), str(row.get("name") or "")) for row in rows if str(row["uuid"]).startswith("Actor.")]
    )


def copies_of(relay: Relay, bindings: Iterable[Binding]) -> Mapping[str, str]:
    """Return the actors of the sidebar that are copies of a bound one, with that one; nothing where the key may not search.

    The list of actors tells names alone, so those are read whose name begins like that of a bound actor, as Foundry names a
    copy; what decides is the flag.
    """
    bound: dict[str, str] = {}
    documents: set[str] = set()
    for each in bindings:
        documents.add(each.carrier.document)
        if each.carrier.document.startswith("Actor."):
            bound.setdefault(each.field.uid, each.carrier.document)
    listed = sidebar_actors(relay) if bound else ()
    names = tuple([plain_name(name) for uuid, name in listed if uuid in documents and name.strip()])
    found: dict[str, str] = {}
    for uuid, name in listed:
        if uuid in documents or not plain_name(name).startswith(names):
            continue
        try:
            uid = flags_of(relay.get(uuid)).get("uid")
        except RefusedError:
            continue
        if isinstance(uid, str) and uid in bound:
            found[uuid] = bound[uid]
    return found
