"""The transport of Owlbear Rodeo: reads and writes the items of one scene through the page that may write."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from rallypoint.kernel.canonical import Value
from rallypoint_sync.bindings import Binding
from rallypoint_sync.fields import Field
from rallypoint_sync.snapshot import Snapshot
from rallypoint_sync.transport import DoubtfulError, Outcome, RefusedError, TransportError, UnreachableError
from rallypoint_sync.wishes import BindAnew, SetValue, TakeSide, Wish

from ..stands import PLACING, RECORD_KEY
from ..trackers import Json
from .changes import change_of, shown_values
from .link import Way
from .ports import at_port
from .wire import Message, chunks, words_of

__all__ = ["VTT", "OwlbearTransport", "all_ours"]

VTT = "owlbear"
"""The name under which the ledger keeps what is known of the room."""

_MAY_PASS = frozenset({"no_scene", "not_writer", "expired"})
_NOT_DONE = _MAY_PASS | {"other_scene"}


class OwlbearTransport:
    """The way to one scene.

    Args:
        way: the link, or a desk of the process that has it.
        scene: our id of the scene that was bound, or what says which one is bound now.
        bindings: what is bound: which paths of an item are read.
        patient: another scene may pass: whoever watches waits until the one that was bound is open again.
        join: binds what GMs have linked or placed by a click.
    """

    vtt = VTT

    def __init__(
        self,
        way: Way,
        scene: str | Callable[[], str],
        bindings: Iterable[Binding],
        *,
        patient: bool = False,
        join: Callable[[], None] = lambda: None,
    ) -> None:
        self.way, self.patient, self.join = way, patient, join
        self._bound_scene = scene if callable(scene) else lambda: scene
        self._items: dict[str, Json] = {}
        self.bind(bindings)

    def bind(self, bindings: Iterable[Binding]) -> None:
        """Remember what is bound, and in which scene."""
        self.scene = self._bound_scene()
        self._paths: dict[str, dict[str, Value]] = {}
        for each in bindings:
            for carrier in (each.carrier, each.fallback):
                if carrier is not None:
                    self._paths.setdefault(carrier.document, {})[carrier.path] = None

    def knows(self, bindings: Iterable[Binding]) -> bool:
        """Say whether it reads all that is bound, in the scene that is bound."""
        known = all(each.carrier.path in self._paths.get(each.carrier.document, ()) for each in bindings)
        return known and self.scene == self._bound_scene()

    def read(self, documents: Sequence[str]) -> Snapshot:
        """Return what the scene shows of these items, and which others are copies of them. A second scene is never read as the first.

        Raises:
            UnreachableError: no page may write, none answers, or it shows another scene.
        """
        items, scene_items, told_gone = self._read(documents)
        bound = {_uid(each): name for name, each in items.items() if _uid(each) is not None}
        seen, opted_out, made = {}, set(), {}
        for name, item in items.items():
            seen[name] = shown_values(item, self._paths.get(name, {}))
            made[name] = words_of(_record(item).get(PLACING) or "")
            if _record(item).get("optOut") is True:
                opted_out.add(name)
        copies = {
            str(each["id"]): bound[_uid(each)]
            for each in scene_items
            if each["id"] not in self._paths and each["id"] not in items and _uid(each) in bound
        }
        gone = (frozenset(documents) & told_gone) - frozenset(items)  # of what it says nothing of nothing is known
        return Snapshot(seen, gone, copies=copies, opted_out=frozenset(opted_out), made=made)

    def write(self, document: str, values: Mapping[str, Value]) -> Mapping[str, Value]:
        """Give an item these values in one call of the room, our record with them, and return what it shows then.

        Raises:
            UnreachableError: nothing was sent, or the room had no scene, or another.
            DoubtfulError: no answer came.
            RefusedError: the item is gone, or the room says no.
        """
        found = self.write_all({document: values})[document]
        if isinstance(found, TransportError):
            raise found
        return found

    def write_all(self, documents: Mapping[str, Mapping[str, Value]]) -> Mapping[str, Outcome]:
        """Give many items their values, in chunks of what the room takes at once; say of each what it shows, or what went wrong.

        Raises:
            UnreachableError: the first chunk could not be sent.
        """
        self._check_scene()
        found: dict[str, Outcome] = {}
        changes: list[Json] = []
        for name, values in documents.items():
            try:
                changes.append(change_of(self._known(name), values))
            except RefusedError as error:
                found[name] = error
        for chunk in chunks(changes):
            names = [str(each["id"]) for each in chunk]
            try:
                answer = self._asked("write", {"items": chunk})
            except UnreachableError as error:
                if not found:
                    raise
                found |= dict.fromkeys(names, error)
            except TransportError as error:
                found |= dict.fromkeys(names, error)
            else:
                found |= {name: self._outcome(answer, name, documents[name]) for name in names}
        return found

    def changes(self) -> Iterator[Sequence[str]]:
        """Yield the bound items that changed, as soon as the page tells.

        Raises:
            UnreachableError: the process with the link is not there.
        """
        for items in self.way.changes():
            bound = [each for each in items if each in self._paths]
            if bound or not items:
                yield bound

    def wishes(self) -> Sequence[Wish]:
        """Return what GMs have asked of the battle by a click in the popover.

        Raises:
            UnreachableError: the process with the link is not there.
        """
        return [_wish(each) for each in self.way.take_wishes()]

    def bind_anew(self) -> None:
        """Bind what GMs have linked or placed by a click in the popover.

        Raises:
            InputError: another scene is bound, or a token could not be linked.
            TransportError: the room could not be reached, or said no.
        """
        self.join()

    def stop(self) -> None:
        """Listen no more, and let the popover know that nobody is there."""
        self.way.leave()

    def place(self, items: Sequence[Json]) -> tuple[tuple[str, ...], Mapping[str, str]]:
        """Put items into the scene, those that are not there; return the ids that are there then, and why others are not.

        Raises:
            TransportError: as of a write.
        """
        self._check_scene()
        there: list[str] = []
        failed: dict[str, str] = {}
        for chunk in chunks(items):
            answer = self._asked("place", {"items": chunk})
            told = frozenset(answer.texts("items"))
            why = {str(each.get("id")): words_of(each.get("why")) for each in answer.objects("failed")}
            for name in [str(each["id"]) for each in chunk]:
                if name in told:
                    there.append(name)
                else:
                    failed[name] = why.get(name, "the answer does not tell of it")
        return tuple(there), failed

    def there(self, items: Sequence[Json]) -> frozenset[str]:
        """Return the ids of those of some items that are in the scene.

        Raises:
            UnreachableError: as of :meth:`read`.
        """
        ids = [str(each["id"]) for each in items]
        return frozenset(ids) - self._read(ids)[2]

    def put(self, changes: Sequence[Json]) -> Mapping[str, str]:
        """Make changes of items that are no values of a battle, such as who they stand for; return why some were not made.

        Raises:
            TransportError: as of a write.
        """
        self._check_scene()
        failed: dict[str, str] = {}
        for chunk in chunks(changes):
            answer = self._asked("write", {"items": chunk})
            failed |= dict.fromkeys(answer.texts("gone"), "it is not in the scene")
            failed |= {str(each.get("id")): words_of(each.get("why")) for each in answer.objects("failed")}
        return failed

    def _read(self, documents: Sequence[str]) -> tuple[dict[str, Json], tuple[Json, ...], frozenset[str]]:
        """Return the items that were asked for by id, all of ours in the scene, and the ids of those that are gone."""
        self._check_scene()
        try:
            answer = self._asked("snapshot wanted", {"items": list(documents)})
        except DoubtfulError as error:
            raise UnreachableError(error.what, code="no_answer", passing=True) from error
        except RefusedError as error:
            raise UnreachableError(error.what, code=error.code) from error
        ours = answer.objects("items")
        wanted = set(documents)
        found = {str(each["id"]): each for each in ours if each["id"] in wanted}
        self._items.update(found)
        return found, ours, frozenset(answer.texts("gone"))

    def _known(self, name: str) -> Json:
        if name not in self._items:
            self._read([name])
        return self._items.get(name, {"id": name, "metadata": {}})

    def _asked(self, kind: str, body: Mapping[str, object]) -> Message:
        answer = self.way.ask(kind, body, scene=self.scene)
        if answer.kind == "refused":
            code, why = str(answer.body["code"]), words_of(answer.body["why"])
            if code in _NOT_DONE:
                passing = code in _MAY_PASS or (self.patient and code == "other_scene")
                raise UnreachableError(why, code=code, where=kind, passing=passing)
            raise RefusedError(why, code=code, where=kind)
        if answer.body.get("scene") != self.scene:
            raise DoubtfulError("the scene was switched meanwhile", code="other_scene", where=kind)
        return answer

    def _outcome(self, answer: Message, name: str, values: Mapping[str, Value]) -> Mapping[str, Value] | TransportError:
        if name in answer.texts("gone"):
            return RefusedError("this token is not in the scene any more", code="document_gone", where=name)
        for failed in answer.objects("failed"):
            if failed.get("id") == name:
                return RefusedError(words_of(failed.get("why")), code=words_of(failed.get("code")), where=name)
        for item in answer.objects("items"):
            if item.get("id") == name:
                self._items[name] = item
                return shown_values(item, values)
        return DoubtfulError("the answer does not tell of this token", code="no_answer", where=name)

    def _check_scene(self) -> None:
        standing = self.way.standing()
        if standing.writer is None:
            return  # asking says so
        scene = standing.shown.scene
        if scene is None:
            raise UnreachableError("no scene is open in the room", code="no_scene", passing=True)
        if scene != self.scene:
            hint = f"open the scene that was bound, or bind this one: rallypoint owlbear bind BATTLE{at_port(self.way.port)}"
            raise UnreachableError(
                "another scene is open than the one that is bound",
                code="other_scene",
                hint=hint,
                passing=self.patient,
            )


def all_ours(way: Way, scene: str) -> tuple[Json, ...]:
    """Return all items with our record in the open scene.

    Raises:
        UnreachableError: no page answers, or it shows another scene.
    """
    _, found, _ = OwlbearTransport(way, scene, ())._read(())
    return found


def _wish(said: Json) -> Wish:
    who, key = words_of(said["who"]).strip() or "the GM", str(said["key"])
    if said["kind"] == "set":
        field = Field(str(said["uid"]), str(said["field"]).capitalize())
        return SetValue(field, int(str(said["value"])), int(str(said["was"])), who, key)
    if said["kind"] == "bind":
        return BindAnew(who, key)
    return TakeSide(int(str(said["number"])), str(said["take"]), who, key)


def _record(item: Mapping[str, object]) -> Mapping[str, object]:
    metadata = item.get("metadata")
    record = metadata.get(RECORD_KEY) if isinstance(metadata, Mapping) else None
    return record if isinstance(record, Mapping) else {}


def _uid(item: Mapping[str, object]) -> str | None:
    uid = _record(item).get("uid")
    return uid if isinstance(uid, str) else None
