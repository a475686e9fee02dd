"""The way to a Foundry world for the hub: reads and writes over a relay, and what the world tells by itself.

While the world tells what changes, what was read or written is remembered and need not be read again. An event is not
believed, it only puts a document in doubt, and not even that where it says what is known: our own writes come back as
events too. A document in doubt is read before anything else.
"""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from rallypoint.kernel.canonical import Value
from rallypoint_sync.bindings import Binding, Carrier
from rallypoint_sync.snapshot import Snapshot
from rallypoint_sync.transport import RefusedError, TransportError, UnreachableError

from .addresses import Address, is_said, parts_of, shown
from .events import Change, Listener
from .reading import Reading
from .relay import Relay

__all__ = ["VTT", "FoundryTransport"]

VTT = "foundry"
"""The name under which the base of a world is kept."""

_ALONE = 1
"""So many documents are read one by one, without the scene: nobody asked for the others."""


class FoundryTransport:
    """The way to one world.

    Args:
        relay: the relay, with the world chosen.
        bindings: what is bound there.
        listening: opens the streams; without it the world cannot be listened to.
        scenes: where tokens of linked actors stand.
        mark: that of the battle; a document that has another's by now is not read.
    """

    def __init__(
        self,
        relay: Relay,
        bindings: Iterable[Binding],
        listening: Listener | None = None,
        scenes: Iterable[str] = (),
        mark: str | None = None,
    ) -> None:
        self.relay, self.mark = relay, mark
        self._scenes = tuple(scenes)
        self.listener = listening
        self.copies: dict[str, str] = {}
        self.tokens: dict[str, list[str]] = {}
        self._paths: dict[str, set[str]] = {}
        self._parts: dict[str, list[str]] = {}
        self._known: dict[str, Mapping[str, Value]] = {}
        self._writing: Mapping[str, Mapping[str, Value]] = {}
        self._absent: dict[str, bool] = {}
        self._anothers: dict[str, str] = {}
        self._refused: dict[str, RefusedError] = {}
        self._doubts: dict[str, int] = {}
        self._look_at: set[str] = set()
        self._uids: dict[str, str] = {}
        self._listens = False
        self._lock = threading.Lock()
        self.bind(bindings)

    def bind(self, bindings: Iterable[Binding]) -> None:
        """Remember what is bound, and forget what was known."""
        with self._lock:
            self._paths.clear()
            self._uids.clear()
            for each in bindings:
                self._uids.setdefault(each.field.uid, each.carrier.document)
                for carrier in (each.carrier, each.fallback):
                    if carrier is not None:
                        self._paths.setdefault(carrier.document, set()).add(carrier.path)
            self._parts.clear()
            for document in self._paths:
                for part in parts_of(document):
                    self._parts.setdefault(part, []).append(document)
            self._forget()

    def knows(self, bindings: Iterable[Binding]) -> bool:
        """Say whether it reads all that is bound; what another process has bound since it does not, and takes it for gone."""
        return all(each.carrier.path in self._paths.get(each.carrier.document, ()) for each in bindings)

    def distrust(self, agreed: Mapping[Carrier, Value], disputed: Collection[str]) -> None:
        """Forget what is remembered otherwise than agreed, and disputed documents: another process has written meanwhile."""
        with self._lock:
            shows = {document: dict.fromkeys(paths) for document, paths in self._paths.items()}
            for (document, path), value in agreed.items():
                shows.setdefault(document, {})[path] = value
            doubted = [
                each
                for each, known in self._known.items()
                if {**dict.fromkeys(shows.get(each, ())), **known} != shows.get(each)
            ]
        self._doubt({*doubted, *self._absent, *disputed})

    def _forget(self) -> None:
        self._known.clear()
        self._absent.clear()
        self._anothers.clear()
        self._refused.clear()

    @property
    def vtt(self) -> str:
        """``foundry``."""
        return VTT

    # Reading

    def read(self, documents: Sequence[str]) -> Snapshot:
        """Return what the world shows of these documents."""
        with self._lock:
            known = {each: self._known[each] for each in documents if self._listens and each in self._known}
            absent = {each: self._absent[each] for each in documents if self._listens and each in self._absent}
            anothers = {each: self._anothers[each] for each in documents if self._listens and each in self._anothers}
        asked = [each for each in documents if not (each in known or each in absent or each in anothers)]
        doubts = {each: self._doubts.get(each, 0) for each in asked}
        reading = Reading(self.relay, {each: frozenset(paths) for each, paths in self._paths.items()}, self.mark)
        scenes = self._scenes_to_read(asked) if len(asked) > _ALONE else tuple(self._look_at)
        if scenes:
            self._look_at.difference_update(scenes)
            for scene in scenes:
                reading.scene(scene)
            self.copies.update(reading.copies)
            self.tokens.update(reading.tokens)
        combatants = [each for each in asked if Address.of(each).combatant]
        if combatants:
            reading.encounters(combatants)
        for each in asked:
            reading.document(each)
        with self._lock:
            for each in asked if self._listens else ():
                # What an event has put in doubt meanwhile is not known, whatever this answer says.
                if self._doubts.get(each, 0) != doubts[each]:
                    continue
                if each in reading.seen:
                    self._known[each] = reading.seen[each]
                elif each in reading.gone or each in reading.opted_out:
                    self._absent[each] = each in reading.gone
                elif each in reading.anothers:
                    self._anothers[each] = reading.unread[each]
        seen = {**known, **{each: reading.seen[each] for each in asked if each in reading.seen}}
        copies = {copy: of for copy, of in self.copies.items() if of in seen}
        gone = [each for each, is_gone in absent.items() if is_gone]
        out = [each for each, is_gone in absent.items() if not is_gone]
        wanted = frozenset(asked)
        nothing = not (seen or gone or out or anothers or reading.gone or reading.opted_out or reading.anothers)
        return Snapshot(
            seen,
            wanted.intersection(reading.gone).union(gone),
            {**anothers, **reading.unread},
            copies,
            wanted.intersection(reading.opted_out).union(out),
            next(iter(reading.refusals), None) if nothing else None,
        )

    def _scenes_to_read(self, asked: Sequence[str]) -> Sequence[str]:
        own = [scene for each in asked if (scene := Address.of(each).scene) is not None]
        return tuple(dict.fromkeys([*own, *self._scenes]))

    # Writing

    def write(self, document: str, values: Mapping[str, Value]) -> Mapping[str, Value]:
        """Give a document values, and return what it shows of them afterwards."""
        if document in self._refused:
            raise self._refused[document]
        for path, value in values.items():
            # Foundry would replace all that is embedded by a list, and all of a branch that it does not merge.
            if value is not None and not isinstance(value, bool | int | float | str):
                hint = "say the paths of its values, one by one"
                kind = f"{path}: {type(value).__name__}"
                raise RefusedError("one value at a path is sent", code="refused", where=document, found=kind, hint=hint)
        with self._lock:
            self._writing = {document: values}
        try:
            found = shown(self.relay.update(document, values), list(values))
        except TransportError as error:
            with self._lock:
                self._writing = {}
            self._doubt([document])
            if self._listens and isinstance(error, RefusedError):
                self._refused[document] = error  # one warning is enough; it is asked again when something happens to it
            raise
        with self._lock:
            self._writing = {}
            if document in self._known:
                self._known[document] = {**self._known[document], **found}
        return found

    # Listening

    def changes(self) -> Iterator[Sequence[str]]:
        """Yield the bound documents that may have changed; first, when all streams have begun, an empty list."""
        if self.listener is None:
            raise UnreachableError("this way cannot listen", code="no_listening")
        stream = self.listener.open(self.relay)
        try:
            for change in stream:
                if change is None:
                    with self._lock:
                        self._listens = True
                        self._forget()
                    yield ()
                    continue
                if change.new_in is not None:
                    self._look_at.add(change.new_in)
                    yield ()
                    continue
                concerned = self._concerned(change)
                if concerned:
                    self._doubt(concerned)
                    yield concerned
        finally:
            with self._lock:
                self._listens = False
                self._forget()
            stream.close()

    def stop(self) -> None:
        """End what :meth:`changes` listens to, from another thread."""
        if self.listener is not None:
            self.listener.stop()

    def _doubt(self, documents: Iterable[str]) -> None:
        with self._lock:
            for each in documents:
                self._known.pop(each, None)
                self._absent.pop(each, None)
                self._anothers.pop(each, None)
                self._refused.pop(each, None)
                self._doubts[each] = self._doubts.get(each, 0) + 1

    def _concerned(self, change: Change) -> Sequence[str]:
        """Return the bound documents that an event may be about, and that do not show what it says already."""
        if change.copy_of is not None:
            self._copied(change.copy_of, change.uuid)
        found = []
        with self._lock:
            for each in self._parts.get(change.uuid, ()):
                known = self._known.get(each)
                said = shown(change.changes, frozenset(self._paths[each]))
                same = known is not None and change.uuid == each and change.is_plain and not is_said(change.changes)
                # Our own write comes back as an event, at times before its answer does.
                if same and said.items() <= {**(known or {}), **self._writing.get(each, {})}.items():
                    continue
                found.append(each)
        return found

    def _copied(self, uid: str, copy: str) -> None:
        """Remember a copy of something bound: it carries our flag, and nobody bound it."""
        original = self._uids.get(uid)
        if original is not None and copy not in self._paths:
            self.copies[copy] = original
