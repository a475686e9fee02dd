"""Two files of actors and tokens, carried by hand: nothing can go wrong with them but what people do."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rallypoint.kernel.canonical import Value
from rallypoint_sync.bindings import Binding, Carrier
from rallypoint_sync.files import Files, by_id
from rallypoint_sync.lenses import Exact

from .battles import STRESS, UNITS, wounds


class _Counting(Files):
    """The transport of files, which keeps what was written."""

    writes: list[tuple[str, Mapping[str, Value]]]

    def write(self, document: str, values: Mapping[str, Value]) -> Mapping[str, Value]:
        self.writes.append((document, dict(values)))
        return super().write(document, values)


class FilesWorld:
    """The world of the files; the test's people write into them with a pen of their own."""

    vtt = "files"
    can = frozenset({"empty"})

    def __init__(self, folder: Path) -> None:
        self.actors = folder / "actors.json"
        self.tokens = folder / "tokens.json"
        self.writes: list[tuple[str, Mapping[str, Value]]] = []
        self._kept: dict[Path, str] = {}
        self.deleted: list[tuple[Path, Any]] = []
        actors = [{"_id": unit, "name": unit, "system": {"hits": {"value": 0, "max": 3}}} for unit in UNITS]
        self._put(self.actors, {"v": 1, "actors": actors})
        bar = {"id": "stress", "value": 4}
        tokens = [{"_id": f"token-{unit}", "metadata": {"com.bars/list": [bar]}} for unit in UNITS[:3]]
        self._put(self.tokens, tokens)
        self.transport = self.again()

    def again(self) -> _Counting:
        self._restore()
        found = _Counting(self.vtt, [self.actors, self.tokens], by_id("_id"))
        found.writes = self.writes
        return found

    def bindings(self) -> list[Binding]:
        hits = [Binding((wounds(unit),), Carrier(unit, "system.hits.value"), Exact()) for unit in UNITS]
        path = "/metadata/com.bars~1list/stress/value"
        return [*hits, *[Binding((STRESS,), Carrier(f"token-{unit}", path), Exact()) for unit in UNITS[:3]]]

    def shown(self, carrier: Carrier) -> Value:
        document = next((each for each in self._all() if each["_id"] == carrier.document), None)
        if document is None:
            return None
        value: Value = document["system"]["hits"]["value"] if "system" in document else _bar(document)["value"]
        return value

    def edit(self, carrier: Carrier, value: Value) -> None:
        for path in (self.actors, self.tokens):
            content = json.loads(path.read_text())
            for document in _documents(content):
                if document["_id"] == carrier.document:
                    (document["system"]["hits"] if "system" in document else _bar(document))["value"] = value
            self._put(path, content)

    def delete(self, document: str) -> None:
        for path in (self.actors, self.tokens):
            content = json.loads(path.read_text())
            found = _documents(content)
            self.deleted += [(path, each) for each in found if each["_id"] == document]
            found[:] = [each for each in found if each["_id"] != document]
            self._put(path, content)

    def put_back(self, document: str) -> None:
        for path, each in [each for each in self.deleted if each[1]["_id"] == document]:
            content = json.loads(path.read_text())
            _documents(content).append(each)
            self._put(path, content)

    def copy(self, document: str) -> None:
        content = json.loads(self.actors.read_text())
        found = _documents(content)
        found += [each for each in found if each["_id"] == document]
        self._put(self.actors, content)

    def rename(self, document: str, name: str) -> None:
        content = json.loads(self.actors.read_text())
        for each in _documents(content):
            each["name"] = name if each["_id"] == document else each["name"]
        self._put(self.actors, content)

    def fault(self, name: str, calls: int = 1) -> None:
        assert name == "empty"
        for path in (self.actors, self.tokens):
            self._kept[path] = path.read_text()
            self._put(path, [])

    def come_true(self) -> None:
        """Nothing is ever late."""

    def _restore(self) -> None:
        for path, text in self._kept.items():
            path.write_text(text)
        self._kept.clear()

    def _all(self) -> list[Any]:
        return [each for path in (self.actors, self.tokens) for each in _documents(json.loads(path.read_text()))]

    def _put(self, path: Path, content: object) -> None:
        path.write_text(json.dumps(content))


def _documents(content: Any) -> list[Any]:
    found: list[Any] = content["actors"] if isinstance(content, dict) else content
    return found


def _bar(document: Any) -> Any:
    return document["metadata"]["com.bars/list"][0]
