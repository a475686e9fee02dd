"""Reading: one look at a world, document by document, with as few requests as there can be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rallypoint.kernel.canonical import Value
from rallypoint_sync.transport import RefusedError, TransportError, UnreachableError

from .addresses import Address, actor_of, flags_of, is_opted_out, shown, token_uuid, tokens_of
from .marks import is_others, mark_of
from .refusals import NOT_THERE
from .relay import Relay, rows_of

__all__ = ["Reading"]

_NO_PATHS: frozenset[str] = frozenset()


class Reading:
    """What was found of a world in one look.

    Args:
        relay: the relay.
        paths: the documents that are bound, with the paths that are carried there.
        mark: that of the battle.
    """

    def __init__(self, relay: Relay, paths: Mapping[str, frozenset[str]], mark: str | None = None) -> None:
        self.relay, self.paths, self.mark = relay, paths, mark
        self.seen: dict[str, Mapping[str, Value]] = {}
        self.gone: list[str] = []
        self.unread: dict[str, str] = {}
        self.refusals: list[RefusedError] = []
        self.anothers: list[str] = []
        self.opted_out: list[str] = []
        self.copies: dict[str, str] = {}
        self.tokens: dict[str, list[str]] = {}
        self._token_of: dict[str, Mapping[str, object]] = {}
        self._bases: dict[str, object] = {}
        self._scenes: set[str] = set()

    def scene(self, identity: str) -> None:
        """Look at all tokens of a scene at once. Where that fails (one orphan is enough), each is looked at by itself."""
        try:
            document = self.relay.get(f"Scene.{identity}")
        except TransportError as error:
            if isinstance(error, UnreachableError):
                raise
            return
        self._scenes.add(identity)
        tokens = list(tokens_of(document))
        bound_tokens = {".".join(each.split(".")[:4]): each for each in self.paths if Address.of(each).token}
        originals: dict[object, str] = {}
        for token in tokens:
            uuid = token_uuid(identity, str(token["_id"]))
            if uuid in bound_tokens:
                originals[flags_of(token).get("uid")] = bound_tokens[uuid]
        for token in tokens:
            uuid, actor = token_uuid(identity, str(token["_id"])), actor_of(identity, token)
            self._token_of[uuid] = token
            if actor is None:
                continue
            self.tokens.setdefault(actor, []).append(uuid)
            if is_opted_out(token) and actor in self.paths:
                self.opted_out.append(actor)
            if actor in self.paths:
                continue
            base = f"Actor.{token.get('actorId')}"
            original = originals.get(flags_of(token).get("uid"))
            if base in self.paths and not token.get("actorLink"):
                self.copies[actor] = base
            elif original is not None and uuid not in bound_tokens:
                self.copies[actor] = original

    def encounters(self, asked: Sequence[str]) -> None:
        """Look at all combatants at once."""
        for combat in rows_of(self.relay.read("/encounters"), "encounters", "/encounters", "id"):
            for one in rows_of(combat, "combatants", "/encounters", "id"):
                uuid = f"Combat.{combat['id']}.Combatant.{one['id']}"
                if uuid in self.paths:
                    self.seen[uuid] = shown(one, self.paths[uuid])
        self.gone += [each for each in asked if each not in self.seen]

    def document(self, uuid: str) -> None:
        """Look at one document, unless all of it is known by now."""
        if uuid in self.seen or uuid in self.gone or uuid in self.opted_out:
            return
        address = Address.of(uuid)
        if address.token is not None and address.scene in self._scenes:
            self._by_token(uuid, address)
            return
        try:
            self._take(uuid, self.relay.get(uuid))
        except RefusedError as error:
            if address.token is not None:
                self._rebuilt(uuid, address, error)
            elif error.code == NOT_THERE:
                self.gone.append(uuid)
            else:
                self._refused(uuid, error)

    def _by_token(self, uuid: str, address: Address) -> None:
        """Look at the actor of an unlinked token: its differences are in the scene, the rest on the actor that it is made of."""
        token = self._token_of.get(token_uuid(str(address.scene), str(address.token)))
        if token is None:
            self.gone.append(uuid)
            return
        if token.get("actorLink"):
            self.unread[uuid] = "this token shares its actor now; bind it anew"
            return
        delta = token.get("delta")
        found = dict(shown(delta, self.paths.get(uuid, _NO_PATHS)))
        if is_opted_out(delta):
            self.opted_out.append(uuid)
            return
        if self._is_anothers(uuid, delta):
            return
        if len(found) < len(self.paths.get(uuid, _NO_PATHS)):
            base = self._base(f"Actor.{address.actor}")
            if base is None:
                self.unread[uuid] = "the actor of this token is not there any more"
                return
            found = {**shown(base, self.paths.get(uuid, _NO_PATHS)), **found}
        self.seen[uuid] = found

    def _base(self, uuid: str) -> object:
        if uuid not in self._bases:
            try:
                self._bases[uuid] = self.relay.get(uuid)
            except RefusedError:
                self._bases[uuid] = None
        return self._bases[uuid]

    def _rebuilt(self, uuid: str, address: Address, error: RefusedError) -> None:
        """Find out why the long address of an unlinked token's actor fails: Foundry throws when it has become linked."""
        try:
            token = self.relay.get(token_uuid(str(address.scene), str(address.token)))
        except RefusedError as why:
            if why.code == NOT_THERE:
                self.gone.append(uuid)
            else:
                self._refused(uuid, why)
            return
        if token.get("actorLink"):
            self.unread[uuid] = "this token shares its actor now; bind it anew"
        elif token.get("actorId") != address.actor:
            self.unread[uuid] = "this token has another actor now; bind it anew"
        elif error.code == NOT_THERE:
            self.unread[uuid] = "the actor of this token is not there any more"
        else:
            self._refused(uuid, error)

    def _refused(self, uuid: str, error: RefusedError) -> None:
        self.unread[uuid] = str(error)
        self.refusals.append(error)

    def _take(self, uuid: str, document: Mapping[str, object]) -> None:
        if is_opted_out(document):
            self.opted_out.append(uuid)
        elif not self._is_anothers(uuid, document):
            self.seen[uuid] = shown(document, self.paths.get(uuid, _NO_PATHS))

    def _is_anothers(self, uuid: str, document: object) -> bool:
        """Say whether another battle has taken a document over; then it is left alone."""
        mark = mark_of(document)
        if mark is None or self.mark is None or not is_others(mark, self.mark):
            return False
        self.anothers.append(uuid)
        self.unread[uuid] = f"another battle has taken it over: {mark.rpartition(' ')[0]}"
        return True
