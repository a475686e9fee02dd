"""What Foundry exports: actors out of files of any of its shapes, with the file that each came from."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import NamedTuple, TypeAlias

from rallypoint.kernel.errors import InputError

from .record import FLAG

__all__ = ["FORMAT", "FORMAT_VERSION", "Found", "Json", "exported", "listed", "table", "whole"]

FORMAT = "rallypoint.foundry.encounter"
"""What ``encounter.json`` calls itself."""
FORMAT_VERSION = 1
"""Raised when a reader of the old form would misread the new one."""

Json: TypeAlias = Mapping[str, object]


class Found(NamedTuple):
    """What stands in the files: actors with the path they are from, our records of everything else, titles by key.

    ``order`` is that of the uids, where a file says it.
    """

    actors: list[tuple[str, Json]]
    records: list[tuple[str, Json]]
    titles: dict[str, str]
    order: list[str]


def table(value: object, where: str) -> Json:
    """Return a JSON object.

    Raises:
        InputError: it is something else.
    """
    if not isinstance(value, dict):
        raise InputError("an object was expected here", where=where, found=json.dumps(value)[:60], expected="{...}")
    return value


def listed(value: object, where: str) -> list[object]:
    """Return a JSON list; a list that is missing or ``null`` where Foundry always writes one is an error.

    Raises:
        InputError: it is something else.
    """
    if not isinstance(value, list):
        raise InputError("a list was expected here", where=where, found=json.dumps(value)[:60], expected="[...]")
    return value


def whole(value: object, where: str) -> int:
    """Return a whole number; ``2.0`` counts, as JavaScript does not tell it from 2.

    Raises:
        InputError: it is something else.
    """
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise InputError("a whole number was expected here", where=where, found=json.dumps(value)[:60])
    return value


def _parsed(path: str, content: bytes) -> Json:
    wide = content[:2] in (b"\xff\xfe", b"\xfe\xff")
    try:
        return table(json.loads(content.decode("utf-16" if wide else "utf-8").removeprefix("\ufeff")), path)
    except UnicodeDecodeError as error:
        found = f"0x{content[error.start]:02x} at byte {error.start}"
        hint = None if wide else "save the file as UTF-8"
        raise InputError(f"this is not UTF-{16 if wide else 8}", path=path, found=found, hint=hint) from None
    except json.JSONDecodeError as error:
        raise InputError(f"this is not JSON: {error.msg}", path=path, line=error.lineno, column=error.colno) from None
    except RecursionError:
        raise InputError("this is nested too deeply", path=path) from None


def _rows(document: Json, name: str, path: str) -> Iterator[tuple[str, Json]]:
    for number, row in enumerate(listed(document.get(name, []), f"{path}: {name}")):
        place = f"{path}: {name}[{number}]"
        yield place, table(row, place)


def _ours(document: Json, path: str) -> Json | None:
    flags = document.get("flags")
    record = None if flags is None else table(flags, f"{path}: flags").get(FLAG)
    return None if record is None else table(record, f"{path}: flags.{FLAG}")


def _encounter(document: Json, path: str, found: Found) -> None:
    version = whole(document.get("version"), f"{path}: version")
    if version > FORMAT_VERSION:
        hint = "it was written by a newer Rallypoint: update this one"
        raise InputError("a newer form of encounter", path=path, found=version, expected=FORMAT_VERSION, hint=hint)
    frame = table(document.get("encounter"), f"{path}: encounter")
    found.titles[str(frame.get("key"))] = str(frame.get("title"))
    for place, folder in _rows(document, "folders", path):
        record = _ours(folder, place)
        if record is not None:
            found.records.append((place, record))
    found.records.extend(_rows(document, "kept", path))
    found.order.extend(str(uid) for uid in listed(document.get("order", []), f"{path}: order"))
    found.actors.extend(_rows(document, "actors", path))


def _adventure(document: Json, path: str, found: Found) -> None:
    for place, folder in _rows(document, "folders", path):
        record = _ours(folder, place)
        if record is not None:
            found.records.append((place, record))
    found.actors.extend(_rows(document, "actors", path))
    record = _ours(document, path)
    if record is not None and isinstance(document.get("name"), str):
        found.titles[str(record.get("encounter"))] = str(document["name"])


def exported(files: Mapping[str, bytes]) -> Found:
    """Return what stands in the files: single actors, ``encounter.json``, the source of an adventure.

    Raises:
        InputError: a file is none of these, or not readable as JSON.
    """
    found = Found([], [], {}, [])
    for path, content in files.items():
        document = _parsed(path, content)
        if "format" in document:
            if document["format"] != FORMAT:
                raise InputError("a file of another kind", path=path, found=document["format"], expected=FORMAT)
            _encounter(document, path, found)
        elif "actors" in document and "system" not in document:
            _adventure(document, path, found)
        elif isinstance(document.get("system"), dict) and "type" in document:
            found.actors.append((path, document))
        else:
            expected = "an exported actor, encounter.json, or the source of an adventure"
            keys = ", ".join(list(document)[:6]) or "nothing"
            raise InputError(
                "this is nothing that Foundry exports with actors", path=path, found=keys, expected=expected
            )
    return found
