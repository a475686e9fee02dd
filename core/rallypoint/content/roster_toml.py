"""Rosters in TOML: the record of :mod:`rallypoint.content.roster_record`, a table a squad, a team, a unit."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping

from rallypoint.kernel.errors import InputError

from .problems import Problems

__all__ = ["parse_toml", "toml_text"]

_TABLES = ("squads", "teams", "units")


def parse_toml(text: str, path: str) -> dict[str, object]:
    """Return the tables of a TOML document.

    Raises:
        PageError: it is not TOML; the line is said.
    """
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        problems = Problems(path)
        place = re.search(r"at line (\d+)", str(error))
        line = int(place[1]) if place else max(len(text.splitlines()), 1)
        problems.add("this is not TOML", line, found=str(error), hint="is the file cut off?")
        problems.check()
        raise AssertionError("a problem was noted") from error


def toml_text(record: Mapping[str, object]) -> str:
    """Return the TOML of a record.

    Raises:
        InputError: it holds ``null``, which TOML cannot say, or a number of more than 64 bits.

    >>> print(toml_text({"roster": 1, "units": [{"class": "CO", "stats": {"I": 80}}]}), end="")
    roster = 1
    <BLANKLINE>
    [[units]]
    class = "CO"
    stats = { I = 80 }
    """
    return "\n".join(_lines(record, "", "")).lstrip("\n") + "\n"


def _lines(table: Mapping[str, object], name: str, place: str) -> Iterator[str]:
    below: list[tuple[str, Mapping[str, object]]] = []
    for key, value in table.items():
        rows = value if key in _TABLES and isinstance(value, list) else []
        if rows:
            below += [(key, row) for row in rows if isinstance(row, Mapping)]
        else:
            yield f"{_key(key)} = {_value(value, f'{place}.{key}' if place else key)}"
    seen: dict[str, int] = {}
    for key, row in below:
        full = f"{name}.{key}" if name else key
        number = seen[key] = seen.get(key, -1) + 1
        yield ""
        yield f"[[{full}]]"
        yield from _lines(row, full, f"{place}.{key}[{number}]" if place else f"{key}[{number}]")


def _key(key: str) -> str:
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else _text(key)


def _text(text: str) -> str:
    # JSON escapes all that TOML wants escaped except this one sign.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _value(value: object, place: str) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int) and -(2**63) <= value < 2**63:
        return str(value)
    if isinstance(value, float):
        return repr(value) if "e" not in repr(value) or "." in repr(value) else repr(value).replace("e", ".0e")
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_value(each, f"{place}[{number}]") for number, each in enumerate(value)) + "]"
    if isinstance(value, Mapping):
        inner = ", ".join(f"{_key(key)} = {_value(each, f'{place}.{key}')}" for key, each in value.items())
        return f"{{ {inner} }}" if inner else "{}"
    found = "null" if value is None else str(value)
    raise InputError(
        "TOML cannot say this", where=place, found=found, hint="write the roster as JSON, or take the field out"
    )
