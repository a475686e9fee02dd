"""Rosters in TOML: the record of :mod:`rallypoint.content.roster_record`, a table a squad, a team, a unit.

What TOML has no word for (``null``, a number of more than 64 bits) stands as ``{ "$json" = "null" }``: a table with this one
key, whose text is JSON. So what came from a VTT is kept whole.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping

from rallypoint.kernel.errors import InputError

from .problems import Problems
from .toml_document import read_toml, refuse_too_much, why_not

__all__ = ["parse_toml", "parse_toml_roster", "toml_text"]

_TABLES = ("squads", "teams", "units")
_JSON = "$json"
"""The one key of a table that stands for a value which TOML cannot say."""


def parse_toml(text: str, path: str) -> dict[str, object]:
    """Return the tables of a TOML document.

    Raises:
        PageError: it is not TOML; the line is said.
    """
    return read_toml(text, Problems(path))


def parse_toml_roster(text: str, path: str) -> object:
    """Return the tables of a roster, with what TOML could not say as it was.

    Raises:
        PageError: it is not TOML, or what stands under ``$json`` is not JSON.
    """
    problems = Problems(path)
    found = _plain(parse_toml(text, path), "", problems)
    problems.check()
    refuse_too_much(found, problems)
    return found


def _plain(value: object, place: str, problems: Problems) -> object:
    if isinstance(value, list):
        return [_plain(each, f"{place}[{number}]", problems) for number, each in enumerate(value)]
    if not isinstance(value, dict):
        return value
    said = value.get(_JSON)
    if len(value) != 1 or not isinstance(said, str):
        return {key: _plain(each, f"{place}.{key}" if place else key, problems) for key, each in value.items()}
    try:
        found: object = json.loads(said)
    except (ValueError, RecursionError) as error:
        problems.add("this is not JSON", None, found=said[:60] or "nothing", expected=why_not(error), where=place)
        return None
    return found


def toml_text(record: Mapping[str, object]) -> str:
    """Return the TOML of a record.

    Raises:
        InputError: it holds what no file can say, such as a set.

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
    if value is None or isinstance(value, int) or (isinstance(value, Mapping) and set(value) == {_JSON}):
        return f"{{ {_text(_JSON)} = {_text(json.dumps(value, ensure_ascii=False, default=dict))} }}"
    if isinstance(value, Mapping):
        inner = ", ".join(f"{_key(key)} = {_value(each, f'{place}.{key}')}" for key, each in value.items())
        return f"{{ {inner} }}" if inner else "{}"
    raise InputError("no roster can say this", where=place, found=type(value).__name__)
