r"""What a line of a platoon page says besides its words: ``{id=raven-7, name="O'Neil", wounds=1}`` at its end.

A value is a bare word, or anything in JSON. Inside quotes every sign may stand, escaped as JSON does it, so that no
name is lost: not its trailing blanks, not a quote, not a line end.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import NamedTuple

from rallypoint.kernel.canonical import Value
from rallypoint.kernel.errors import InputError
from rallypoint.kernel.nesting import too_much

__all__ = ["Attributed", "Bare", "split_attributes", "write_attributes"]


class Bare(str):
    """A value that stands without quotes: a text where a text is wanted, else what JSON makes of it."""

    __slots__ = ()

    def value(self) -> object:
        """Return the number, truth or text that the word stands for.

        >>> Bare("3").value(), Bare("raven-7").value()
        (3, 'raven-7')
        """
        try:
            found: object = json.loads(self, parse_constant=str)
        except ValueError:
            return str(self)
        return found


class Attributed(NamedTuple):
    """A line without its attributes, and these by name, in the order in which they stand."""

    text: str
    attributes: Mapping[str, object]


_KEY = re.compile(r"\s*(?:(?P<bare>[A-Za-z_][A-Za-z0-9_.-]*)|(?=\"))")
_BARE = re.compile(r"[^\s,{}\[\]\"=]+")
_MOST_BRACES = 50  # so many braces of a line are looked at; each may need the rest of the line to be read
_COMMA = re.compile(r"\s*,?\s*")
_decode = json.JSONDecoder().raw_decode


def split_attributes(line: str) -> Attributed:
    r"""Return a line and its attributes; a brace that is no list of attributes stays in the text.

    Raises:
        InputError: what stands there is too deep or too large.

    >>> split_attributes('1 CO - Combat Armor {id=co-1, name="a}b "}')
    Attributed(text='1 CO - Combat Armor', attributes={'id': 'co-1', 'name': 'a}b '})
    >>> split_attributes("a set {1, 2}").attributes
    {}
    """
    if line.rstrip().endswith("}"):
        end = len(line.rstrip()) - 1
        for match in islice(re.finditer(r"\{", line), _MOST_BRACES):
            found = None
            try:
                found = _read(line, match.end(), end)
                much = too_much(found)
            except RecursionError:
                much = "tables and lists in each other without end"
            if much is not None:
                raise InputError("this is more than braces may hold", found=much)
            if found is not None:
                return Attributed(line[: match.start()].rstrip(), found)
    return Attributed(line, {})


def _read(line: str, at: int, end: int) -> dict[str, object] | None:
    """Return what stands between a brace and the last sign of the line, or ``None`` where these are no attributes."""
    found: dict[str, object] = {}
    while True:
        comma = _COMMA.match(line, at)
        assert comma is not None
        at = comma.end()
        if at == end:
            return found or None
        try:
            key, at = _key(line, at)
            value, at = _value(line, at)
        except ValueError:
            return None
        if key in found or at > end:
            return None
        found[key] = value


def _key(line: str, at: int) -> tuple[str, int]:
    match = _KEY.match(line, at)
    if match is None:
        raise ValueError
    key, at = (match["bare"], match.end()) if match["bare"] is not None else _decode(line, match.end())
    if not isinstance(key, str) or line[at : at + 1] != "=":
        raise ValueError
    return key, at + 1


def _value(line: str, at: int) -> tuple[object, int]:
    if line[at : at + 1] in ('"', "{", "["):
        return _decode(line, at)
    bare = _BARE.match(line, at)
    if bare is None:
        raise ValueError
    return Bare(bare[0]), bare.end()


def write_attributes(attributes: Mapping[str, Value]) -> str:
    r"""Return the text of attributes with the blank before it; empty where there are none.

    >>> write_attributes({"id": "raven-7", "name": "O'Neil ", "wounds": 1})
    ' {id=raven-7, name="O\'Neil ", wounds=1}'
    """
    if not attributes:
        return ""
    return " {" + ", ".join(_written(attributes)) + "}"


def _written(attributes: Mapping[str, Value]) -> Iterator[str]:
    for key, value in attributes.items():
        name = key if re.fullmatch(r"[A-Za-z_][A-Za-z0-9_.-]*", key) else _json(key)
        plain = isinstance(value, str) and re.fullmatch(r"[A-Za-z][A-Za-z0-9_.-]*", value) is not None
        # A word that JSON reads as something else must be in quotes to stay a word.
        if plain and value not in ("true", "false", "null", "NaN", "Infinity"):
            yield f"{name}={value}"
        else:
            yield f"{name}={_json(value)}"


def _json(value: Value) -> str:
    text = json.dumps(value, ensure_ascii=False, default=dict)
    return "".join(_safe(sign) for sign in text)


def _safe(sign: str) -> str:
    """Return the sign as it may stand on a page: what nobody sees is escaped."""
    if sign == " " or unicodedata.category(sign)[0] not in "CZ":
        return sign
    return json.dumps(sign)[1:-1]
