"""Files as a VTT: documents that were exported to JSON and are carried by hand.

Sync knows no VTT, so an adapter says where the documents are in its files (:data:`Find`); the rest is the same for all. A path
leads into a document: ``system.hits.value``, or, where keys have dots in them, ``/metadata/com.owl-trackers~1trackers/…`` as in
a JSON pointer. In a list a number counts from 0, and any other word is the ``id``, ``_id`` or ``name`` of an item.

>>> shown_at({"system": {"hits": {"value": 2}}}, "system.hits.value")
2
>>> shown_at({"bars": [{"id": "wounds", "value": 1}]}, "/bars/wounds/value")
1
"""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

from rallypoint.kernel.canonical import Value, freeze
from rallypoint.kernel.errors import InputError

from .json_text import parsed
from .snapshot import Snapshot
from .transport import RefusedError, UnreachableError

__all__ = ["Files", "Find", "by_id", "path_of", "put_at", "shown_at"]

Find: TypeAlias = Callable[[object], Iterable[tuple[str, dict[str, object]]]]
"""Yields the documents of a file, each with its id: the dictionaries of what JSON says, so that they can be altered."""


def by_id(key: str) -> Find:
    """Return a finder for files that hold one document, a list of them, or lists of them under whatever keys.

    Args:
        key: the key of a document's id: ``_id`` in Foundry, ``id`` in Owlbear.

    >>> [name for name, _ in by_id("id")({"items": [{"id": "a"}, {"id": "b"}], "v": 1})]
    ['a', 'b']
    """

    def find(content: object) -> Iterator[tuple[str, dict[str, object]]]:
        if isinstance(content, dict) and isinstance(content.get(key), str):
            yield content[key], content
            return
        lists = content.values() if isinstance(content, dict) else [content]
        for each in lists:
            for item in each if isinstance(each, list) else ():
                if isinstance(item, dict) and isinstance(item.get(key), str):
                    yield item[key], item

    return find


class Files:
    """The transport of a folder, or of single files, in JSON.

    Nothing is kept between two calls: a file may be exchanged at any time. One that is written is put in place whole, by one
    rename; what stands in it besides the values that are given stays as it is.

    Args:
        vtt: the name under which its base is kept: ``files``.
        paths: files, or folders of which every ``*.json`` is read.
        find: says where the documents are.
    """

    def __init__(self, vtt: str, paths: Iterable[Path], find: Find) -> None:
        self.vtt = vtt
        self.paths = tuple(paths)
        self.find = find

    def read(self, documents: Sequence[str]) -> Snapshot:
        """Return what the files show of these documents. What nobody can read is unread, never gone.

        Raises:
            UnreachableError: there is no such file or folder.
        """
        wanted = set(documents)
        seen: dict[str, Mapping[str, Value]] = {}
        copies: dict[str, str] = {}
        broken: list[str] = []
        for path in self._files():
            try:
                content = _read(path)
            except InputError as error:
                broken.append(str(error))
                continue
            for name, document in self.find(content):
                if name in seen:
                    copies[f"{name} in {path.name}"] = name
                elif name in wanted:
                    seen[name] = _Shown(document)
        missing = wanted - set(seen)
        if broken:
            return Snapshot(seen, unread=dict.fromkeys(missing, "; ".join(broken)), copies=copies)
        return Snapshot(seen, gone=frozenset(missing), copies=copies)

    def write(self, document: str, values: Mapping[str, Value]) -> Mapping[str, Value]:
        """Give a document these values and return what its file holds of them then.

        Raises:
            UnreachableError: there is no such file or folder, or it cannot be written.
            RefusedError: no file has this document, or it has no such place.
        """
        for path in self._files():
            with contextlib.suppress(InputError):
                content = _read(path)
                for name, found in self.find(content):
                    if name == document:
                        for where, value in values.items():
                            put_at(found, where, value)
                        _replace(path, content)
                        return {where: shown_at(found, where) for where in values}
        raise RefusedError("no file has this document", code="document_gone", where=document)

    def _files(self) -> list[Path]:
        found: list[Path] = []
        for path in self.paths:
            if path.is_dir():
                found += sorted(path.glob("*.json"))
            elif path.is_file():
                found.append(path)
            else:
                raise UnreachableError("there is no such file or folder", code="no_such_file", where=str(path))
        return found


class _Shown(Mapping[str, Value]):
    """The values of a document by path; a path that leads nowhere is not in it."""

    def __init__(self, document: dict[str, object]) -> None:
        self._document = document

    def __getitem__(self, path: str) -> Value:
        shown = shown_at(self._document, path)
        if shown is None:
            raise KeyError(path)
        return shown

    def __iter__(self) -> Iterator[str]:
        return iter(self._document)

    def __len__(self) -> int:
        return len(self._document)


def shown_at(document: object, path: str) -> Value:
    """Return what stands at a path of a document, ``None`` where nothing does."""
    for step in _steps(path):
        if isinstance(document, list):
            document = _item(document, step)
        elif isinstance(document, dict):
            document = document.get(step)
        else:
            return None
    return freeze(document)


def put_at(document: dict[str, object], path: str, value: Value) -> None:
    """Put a value at a path of a document. Objects on the way are made, items of lists are not.

    Raises:
        RefusedError: the path leads through something that is no object, or to an item that is not there.
    """
    *way, last = _steps(path)
    here: object = document
    for step in way:
        here = here.setdefault(step, {}) if isinstance(here, dict) else _item(here, step)
    if not isinstance(here, dict):
        raise RefusedError("the document has no such place", code="no_such_place", where=path)
    here[last] = value


def path_of(*steps: str) -> str:
    """Return the path of these steps, whatever signs are in them.

    >>> path_of("metadata", "com.owl-trackers/trackers", "x")
    '/metadata/com.owl-trackers~1trackers/x'
    """
    return "".join("/" + step.replace("~", "~0").replace("/", "~1") for step in steps)


def _steps(path: str) -> list[str]:
    if not path.startswith("/"):
        return path.split(".")
    return [step.replace("~1", "/").replace("~0", "~") for step in path[1:].split("/")]


def _item(items: object, step: str) -> object:
    if not isinstance(items, list):
        return None
    if step.isascii() and step.isdecimal() and int(step) < len(items):
        return items[int(step)]
    for item in items:
        if isinstance(item, dict) and step in (item.get("id"), item.get("_id"), item.get("name")):
            return item
    return None


def _read(path: Path) -> object:
    try:
        return parsed(path.read_bytes().decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise InputError("this is not UTF-8", path=str(path), found=f"byte {error.start}") from None
    except json.JSONDecodeError as error:
        raise InputError(
            f"this is not JSON: {error.msg}", path=str(path), line=error.lineno, column=error.colno
        ) from None
    except (OSError, ValueError, RecursionError) as error:
        raise InputError("this cannot be read", path=str(path), found=str(error)) from None


def _replace(path: Path, content: object) -> None:
    text = json.dumps(content, ensure_ascii=False, indent=2, default=list) + "\n"
    draft: Path | None = None
    try:
        with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=path.parent, delete=False) as file:
            draft = Path(file.name)
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        draft.chmod(path.stat().st_mode & 0o777)
        draft.replace(path)
    except OSError as error:
        if draft is not None:
            draft.unlink(missing_ok=True)
        raise UnreachableError(
            "this file cannot be written", code="cannot_write", where=str(path), found=str(error)
        ) from None
