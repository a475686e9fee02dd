"""Files with items of Owlbear Rodeo, in each of the forms in which they come."""

from __future__ import annotations

import codecs
import json
from collections.abc import Mapping
from typing import NamedTuple

from rallypoint.kernel.errors import InputError

__all__ = ["Items", "described", "items_in"]

_FORMAT, _VERSION = "rallypoint.owlbear.encounter", 1
_EXPECTED = "our encounter.owlbear.json, a list of items, or the file of Persistent Tokens"


class Items(NamedTuple):
    """The items of one file; ``head`` says key, title and game of the encounter where the file does."""

    path: str
    items: tuple[Mapping[str, object], ...]
    head: Mapping[str, object]


def items_in(data: bytes, path: str) -> Items:
    """Return the items of a file; ``path`` names it in errors.

    Raises:
        InputError: the bytes are no text or no JSON (with line and column), or JSON of another form or version.
    """
    document = _document(data, path)
    head: Mapping[str, object] = {}
    if isinstance(document, Mapping) and "format" in document:
        _check(document, path)
        said = document.get("encounter")
        head = said if isinstance(said, Mapping) else {}
        found = [item for token in _list(document, "tokens", path) for item in _list(token, "items", path)]
    elif isinstance(document, Mapping) and "items" in document:
        found = _list(document, "items", path)
    elif isinstance(document, list):
        found = [_item(entry) for entry in document]
    else:
        raise InputError("these are no items of Owlbear Rodeo", path=path, expected=_EXPECTED)
    for number, item in enumerate(found):
        if not isinstance(item, Mapping):
            where = f"{path}: item {number}"
            raise InputError("this is no item", where=where, found=described(item), expected="an object")
    return Items(path, tuple([item for item in found if isinstance(item, Mapping)]), head)


def _item(entry: object) -> object:
    """Return the item in an entry of Persistent Tokens, or the entry itself."""
    return entry["token"] if isinstance(entry, Mapping) and isinstance(entry.get("token"), Mapping) else entry


def _document(data: bytes, path: str) -> object:
    utf16 = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    try:
        text = data.decode("utf-16" if utf16 else "utf-8-sig")
    except UnicodeDecodeError as error:
        start = error.start + len(data) - len(error.object)
        at = f"byte 0x{data[start]:02X} at offset {start}"
        raise InputError("this is not UTF-8", path=path, found=at, expected="UTF-8, or UTF-16 with a mark") from None
    try:
        found: object = json.loads(text)
    except json.JSONDecodeError as error:
        raise InputError(f"this is not JSON: {error.msg}", path=path, line=error.lineno, column=error.colno) from None
    except (ValueError, RecursionError) as error:
        raise InputError("this is not JSON", path=path, found=str(error)) from None
    return found


def _check(document: Mapping[str, object], path: str) -> None:
    if document["format"] != _FORMAT:
        raise InputError("this file is of another format", path=path, found=document["format"], expected=_FORMAT)
    version = document.get("version")
    if type(version) is not int or version != _VERSION:
        expected = f"version {_VERSION}, the only one that is read"
        raise InputError("this version of the format is not read", path=path, found=version, expected=expected)


def _list(holder: object, name: str, path: str) -> list[object]:
    value = holder.get(name) if isinstance(holder, Mapping) else None
    if not isinstance(value, list):
        raise InputError("a list is missing", where=f"{path}: {name}", found=described(value), expected="[...]")
    return value


def described(value: object) -> str:
    """Return what a person calls a value of JSON, on one short line."""
    return "null" if value is None else repr(value)[:60]
