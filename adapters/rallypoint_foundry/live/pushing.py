"""Pushing: the documents of an export made in a world, over the relay, with the ids that they keep.

What is there already is left alone, so a second push makes nothing. What a system does to new actors (mosh rewrites bars,
disposition and, with Calm, Stress) is mended afterwards, and everything is read back.
"""

from __future__ import annotations

import base64
import json
import mimetypes
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple, cast

from rallypoint.kernel.errors import InputError
from rallypoint_sync.transport import DoubtfulError, RefusedError, UnreachableError

from ..exported import FORMAT, FORMAT_VERSION, whole
from ..record import FLAG, Document
from .addresses import actor_of, at, flags_of, token_uuid, tokens_of
from .carriers import Found
from .marks import mark_of
from .overriding import overridden
from .refusals import NOT_THERE
from .relay import Relay, rows_of

__all__ = ["Pushed", "Pushing", "read_export"]

_KINDS = (
    ("folders", "Folder"),
    ("actors", "Actor"),
    ("tables", "RollTable"),
    ("journal", "JournalEntry"),
    ("scenes", "Scene"),
)
_OF_PROTOTYPE = ("disposition", "actorLink", "displayBars", "displayName", "bar1.attribute", "bar2.attribute")
_OF_TOKEN = (*_OF_PROTOTYPE, "width", "height", "texture.src", "name", "actorId")


class Pushed(NamedTuple):
    """What became of one document, and what people should know.

    ``made``, ``there already``, ``mended``, ``brought up to date`` or ``failed``.
    """

    kind: str
    name: str
    what: str
    why: str = ""


def read_export(path: Path) -> Document:
    """Return what an export holds: its ``encounter.json``, or the folder in which that is.

    Raises:
        InputError: there is none, or it is something else.
    """
    file = path / "encounter.json" if path.is_dir() else path
    try:
        found = json.loads(file.read_text(encoding="utf-8-sig"))
    except OSError as error:
        hint = "make it with: rallypoint export foundry SCENARIO -o FOLDER"
        raise InputError("the export cannot be read", path=str(file), found=error.strerror, hint=hint) from None
    except ValueError as error:
        raise InputError("this is not JSON", path=str(file), found=str(error)) from None
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise InputError(
            "this is no export for Foundry", path=str(file), expected="encounter.json of rallypoint export foundry"
        )
    version = whole(found.get("version"), f"{file}: version")
    if version > FORMAT_VERSION:
        hint = "install a newer version of rallypoint"
        raise InputError("a newer form of export", path=str(file), found=version, expected=FORMAT_VERSION, hint=hint)
    if not found.get("actors"):
        raise InputError("this export has no actors", path=str(file), hint="make it anew: rallypoint export foundry")
    return found


class Pushing:
    """One push.

    Args:
        relay: the relay.
        export: what :func:`read_export` gave.
        art: the folder of the pictures to upload; ``None``: none.
        mark: that of the battle, for what is made.
        override: bring the things of actors that are there up to date.
        resumed: the push before was cut off, so what carries the mark may not have been set right yet.
    """

    def __init__(
        self,
        relay: Relay,
        export: Document,
        art: Path | None = None,
        *,
        mark: str | None = None,
        override: bool = False,
        resumed: bool = False,
    ) -> None:
        self.relay, self.export, self.art = relay, export, art
        self.mark, self.override, self.resumed = mark, override, resumed
        self.key = str(at(export, "encounter.key"))
        self.ids: dict[str, str] = {}
        self.uploaded: dict[str, str] = {}
        self.scene: str | None = None
        self.seen: dict[str, Document | None] = {}
        self.found: dict[str, Found] = {}

    def documents(self) -> list[tuple[str, Document]]:
        """Return what is to be there, parents first."""
        return [(kind, row) for name, kind in _KINDS for row in cast("list[Document]", self.export.get(name) or [])]

    def look(self, kind: str, document: Document) -> None:
        """Look whether a document is there, and remember it for the push."""
        self.seen[f"{kind}.{document['_id']}"] = self.there(kind, str(document["_id"]))

    def there_already(self) -> list[Found]:
        """Return the actors that were there when it was looked, and the own actors of tokens that somebody has unlinked."""
        found = []
        for kind, document in self.documents():
            there = self.seen.get(f"{kind}.{document['_id']}")
            uid = flags_of(document).get("uid")
            if there is None or flags_of(there).get("uid") != uid:
                continue
            if kind == "Actor" and isinstance(uid, str):
                found.append(Found(uid, f"Actor.{there['_id']}", there))
            elif kind == "Scene":
                found += self._unlinked(there)
        return found

    def _unlinked(self, scene: Document) -> Iterator[Found]:
        for token in tokens_of(scene):
            uid, actor = flags_of(token).get("uid"), actor_of(str(scene["_id"]), token)
            if isinstance(uid, str) and actor is not None and not token.get("actorLink"):
                try:
                    yield Found(uid, actor, self.relay.get(actor))
                except RefusedError as error:
                    if error.code != NOT_THERE:
                        raise

    def wanted(self, uid: str) -> Document:
        """Return the actor that the export has for somebody."""
        return next(row for kind, row in self.documents() if kind == "Actor" and flags_of(row).get("uid") == uid)

    def there(self, kind: str, identity: str) -> Document | None:
        """Return a document of the world; ``None`` where there is none."""
        try:
            return cast("Document", self.relay.get(f"{kind}.{identity}"))
        except RefusedError as error:
            if error.code == NOT_THERE:
                return None
            raise

    def _seen(self, kind: str, identity: str) -> Document | None:
        uuid = f"{kind}.{identity}"
        return self.seen[uuid] if uuid in self.seen else self.there(kind, identity)

    def push(self, kind: str, document: Document) -> Iterator[Pushed]:
        """Make one document, or leave it; mend what the system did to it; yield what became of it."""
        name = str(document.get("name") or kind)
        try:
            found = self._seen(kind, str(document["_id"]))
            if found is not None and flags_of(found).get("uid") != flags_of(document).get("uid"):
                yield Pushed(kind, name, "failed", "something else has this id; it is left alone")
                return
            made = found is None
            if found is None:
                found = self._made(kind, self._ready(kind, document))
            self.ids[str(document["_id"])] = str(found["_id"])
            yield Pushed(kind, name, "made" if made else "there already")
            if kind == "Actor":
                raw = self.resumed and self.mark is not None and mark_of(found) == self.mark
                yield from self._actor(name, document, found, made or raw)
            elif kind == "Scene":
                self.scene = str(found["_id"])
                yield from self._tokens(document, found, made)
        except (RefusedError, DoubtfulError) as error:
            yield Pushed(kind, name, "failed", str(error))

    # Making

    def _ready(self, kind: str, document: Document) -> Document:
        """Return a document with the ids that its relations have got, and with pictures that are there."""
        ready = dict(document)
        if isinstance(ready.get("folder"), str):
            ready["folder"] = self.ids.get(str(ready["folder"]), ready["folder"])
        if kind == "Scene":
            ready["tokens"] = [self._ready_token(token) for token in tokens_of(document)]
            self._picture(ready, "background", "src")
            ready["levels"] = [
                self._picture(dict(level), "background", "src")
                for level in cast("list[Document]", ready.get("levels") or [])
            ]
            if not ready["levels"]:
                del ready["levels"]
        elif kind == "Actor":
            if self.mark is not None:
                ready["flags"] = {FLAG: {**flags_of(document), "battle": self.mark}}
            ready["img"] = self._url(str(ready.get("img") or "")) or ready.get("img")
            prototype = dict(cast("Document", ready.get("prototypeToken") or {}))
            ready["prototypeToken"] = self._picture(prototype, "texture", "src")
        return ready

    def _ready_token(self, token: Mapping[str, object]) -> Document:
        ready = self._picture(dict(token), "texture", "src")
        ready["actorId"] = self.ids.get(str(token.get("actorId")), token.get("actorId"))
        return ready

    def _picture(self, document: Document, outer: str, key: str) -> Document:
        inner = document.get(outer)
        if isinstance(inner, dict) and isinstance(inner.get(key), str):
            document[outer] = {**inner, key: self._url(inner[key])}
        return document

    def _url(self, source: str) -> str | None:
        """Return where a picture is: uploaded where it is a file of ours; a board of the module that is not there is none."""
        if source.startswith(("icons/", "http:", "https:", "systems/")) or not source:
            return source or None
        if source in self.uploaded:
            return self.uploaded[source]
        file = (
            None
            if self.art is None
            else next((each for each in self._places(self.art, source) if each.is_file()), None)
        )
        if file is None:
            return None if source.startswith("modules/rallypoint-") else source
        kind = mimetypes.guess_type(file.name)[0] or "application/octet-stream"
        data = f"data:{kind};base64,{base64.b64encode(file.read_bytes()).decode()}"
        body = {"path": f"rallypoint/{self.key}", "filename": file.name, "fileData": data, "overwrite": True}
        answer = self.relay.write("POST", "/upload", None, body, where=f"upload of {file.name}")
        path = answer.get("path")
        self.uploaded[source] = str(path) if isinstance(path, str) else f"rallypoint/{self.key}/{file.name}"
        return self.uploaded[source]

    def _places(self, art: Path, source: str) -> Iterator[Path]:
        own = source.removeprefix("modules/")
        yield from (art / source, art / own, art / Path(source).name)

    def _made(self, kind: str, document: Document) -> Document:
        """Make a document. Where no answer comes, look whether it is there; only then make it again."""
        uid, uuid = flags_of(document).get("uid"), f"{kind}.{document['_id']}"
        body = {"entityType": kind, "data": document, "keepId": True}
        for tries_left in (1, 0):
            try:
                answer = self.relay.write("POST", "/create", None, body, where=uuid, check=_is_answer(kind, uid))
            except DoubtfulError:
                found = self.there(kind, str(document["_id"]))
                if found is not None:
                    return found
                if not tries_left:
                    raise
                continue
            return cast("Document", answer["entity"])
        raise AssertionError("the last try returns or raises")

    # Mending

    def _actor(self, name: str, wanted: Document, found: Document, made: bool) -> Iterator[Pushed]:
        """Set a new actor right; the answer says what it is like then. One that was there is left to its people."""
        uuid, uid = f"Actor.{found['_id']}", flags_of(wanted).get("uid")
        if made:
            paths = [f"prototypeToken.{path}" for path in _OF_PROTOTYPE]
            paths += [f"system.{path}" for path in _pods(cast("Document", wanted.get("system") or {}))]
            changed = yield from self._mend("Actor", uuid, name, wanted, found, paths, always=True)
            found = {**found, **changed}
        elif self.override:
            for what, thing in overridden(self.relay, uuid, wanted, found):
                if what == "failed":
                    yield Pushed("Actor", name, what, f"the world does not let go of {thing}")
                else:
                    yield Pushed("Actor", name, "brought up to date", f"{thing} {what}")
        if isinstance(uid, str):
            self.found[uid] = Found(uid, uuid, found)

    def _mend(
        self,
        kind: str,
        uuid: str,
        name: str,
        wanted: Mapping[str, object],
        found: Mapping[str, object],
        paths: list[str],
        *,
        always: bool = False,
    ) -> Generator[Pushed, None, Mapping[str, object]]:
        """Set right what is not as it was sent, and say what the world does not keep; return it as it is then.

        ``always``: what the system does to a new document may come after the answer, so it is set right in any case.
        """
        meant = {path: value for path in paths if (value := at(wanted, path)) is not None}
        differing = {path: value for path, value in meant.items() if at(found, path) != value}
        if not (meant if always else differing):
            return found
        after = self.relay.update(uuid, meant if always else differing)
        lost = [path for path, value in meant.items() if at(after, path) != value]
        if lost:
            yield Pushed(kind, name, "failed", f"the world does not keep {', '.join(lost)}")
        elif differing:
            yield Pushed(kind, name, "mended", ", ".join(differing))
        return after

    def _tokens(self, wanted: Document, found: Document, new: bool) -> Iterator[Pushed]:
        """Make tokens that are not on the scene, and mend what was made: over HTTP none takes its actor's prototype over.

        A token that was there is its people's: its name, picture and bars stay.
        """
        scene = str(found["_id"])
        there: dict[object, list[Mapping[str, object]]] = {}
        for token in tokens_of(found):
            there.setdefault(flags_of(token).get("uid"), []).append(token)
        for token in tokens_of(wanted):
            name, uid = str(token.get("name")), flags_of(token).get("uid")
            ready = self._ready_token(token)
            rows = there.get(uid)
            try:
                if not rows:
                    made = self._placed(scene, ready)
                    yield Pushed("Token", name, "made")
                else:
                    made = rows[0]
                    yield Pushed("Token", name, "made" if new else "there already")
                if not rows or ((new or self.resumed) and at(made, "actorId") == ready["actorId"]):
                    uuid = token_uuid(scene, str(made["_id"]))
                    yield from self._mend("Token", uuid, name, ready, made, [*_OF_TOKEN])
            except (RefusedError, DoubtfulError) as error:
                yield Pushed("Token", name, "failed", str(error))

    def _placed(self, scene: str, token: Document) -> Mapping[str, object]:
        uid = flags_of(token).get("uid")
        answer = self.relay.write(
            "POST",
            "/canvas/tokens",
            {"sceneId": scene},
            {"data": token},
            where=str(token.get("name")),
            same=("sceneId", scene),
        )
        try:
            rows = rows_of(answer, "data", "/canvas/tokens", "_id")
        except UnreachableError as error:  # it may have been made all the same
            raise DoubtfulError(
                error.what, code=error.code, where=error.where, found=error.found, expected=error.expected
            ) from None
        for row in rows:
            if flags_of(row).get("uid") == uid:
                return row
        raise DoubtfulError("this is the answer to something else", code="crossed_answer", where=str(token.get("name")))


def _is_answer(kind: str, uid: object) -> Callable[[Mapping[str, object]], bool]:
    def check(answer: Mapping[str, object]) -> bool:
        entity = answer.get("entity")
        known = isinstance(entity, Mapping) and flags_of(entity).get("uid") == uid
        return known and str(answer.get("uuid")).startswith(f"{kind}.")

    return check


def _pods(system: Mapping[str, object], before: str = "") -> Iterator[str]:
    """Yield the paths of values with their limits: what a system works out or rewrites on new actors is among them."""
    for key, value in system.items():
        if isinstance(value, Mapping):
            if "value" in value and "max" in value and isinstance(value.get("value"), int):
                yield from (f"{before}{key}.{part}" for part in ("min", "max", "value") if part in value)
            else:
                yield from _pods(value, f"{before}{key}.")


def counted(rows: list[Pushed]) -> dict[str, int]:
    """Return counts that add up: documents are made, there already or failed; mended are counted besides."""
    counts = Counter(each.what for each in rows)
    documents = (
        counts["made"]
        + counts["there already"]
        + len([each for each in rows if each.what == "failed" and "keep" not in each.why])
    )
    told = ("made", "there already", "mended", "brought up to date", "failed")
    return {"documents": documents, **{name: counts[name] for name in told if counts[name] or name != told[3]}}


def refuse_other_system(export: Document, system: str) -> None:
    """Make sure that an export is for the system of the world.

    Raises:
        UnreachableError: it is for another.
    """
    meant = str(at(export, "system.id"))
    if system and meant != system:
        hint = "export with the profile of this system: rallypoint export foundry --profile"
        raise UnreachableError(
            "this world plays another system", code="foreign_system", found=system, expected=meant, hint=hint
        )
