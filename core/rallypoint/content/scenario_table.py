"""A TOML document read key by key: what is wrong is noted with its line, and a harmless value stands in for it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TypeAlias

from .problems import Problems
from .scenario_words import suggestion
from .toml_document import read_toml

__all__ = ["Reader", "lines_of", "parsed"]

Path: TypeAlias = "tuple[str | int, ...]"

_HEADER = re.compile(r"^\s*(\[\[?)\s*([^\]]+?)\s*\]\]?\s*(?:#.*)?$")
_KEY = re.compile(
    r"""^\s*((?:"[^"]*"|'[^']*'|[A-Za-z0-9_-]+)(?:\s*\.\s*(?:"[^"]*"|'[^']*'|[A-Za-z0-9_-]+))*)\s*=\s*(.*)$"""
)
_NAME = re.compile(r"""\s*(?:"([^"]*)"|'([^']*)'|([A-Za-z0-9_-]+))\s*(?:\.|$)""")


def parsed(text: str, problems: Problems) -> Mapping[str, object]:
    """Return the document that ``text`` says.

    Raises:
        PageError: it is not TOML.
    """
    return read_toml(text, problems)


def lines_of(text: str) -> Mapping[Path, int]:
    r"""Return the line (from 1) of every table and key that stands at the start of a line.

    A table of an array has its number (from 0) in its path. What stands inside a value is not listed.

    >>> lines_of("a = 1\n[[sides]]\nname = 'red'")[("sides", 0, "name")]
    3
    """
    found: dict[Path, int] = {}
    counts: dict[Path, int] = {}
    at: Path = ()
    closing: str | None = None
    for number, line in enumerate(text.splitlines(), 1):
        if closing is not None:
            closing = None if closing in line else closing
            continue
        header, key = _HEADER.match(line), _KEY.match(line)
        if key is not None:
            names = _names(key[1])
            for length in range(1, len(names) + 1):
                found.setdefault((*at, *names[:length]), number)
            closing = _left_open(key[2])
        elif header is not None:
            at = _entered(_names(header[2]), header[1] == "[[", counts)
            found.setdefault(at, number)
    return found


def _names(text: str) -> Path:
    return tuple([match[1] or match[2] or match[3] or "" for match in _NAME.finditer(text)])


def _left_open(value: str) -> str | None:
    """Return what closes a text of several lines that begins in ``value`` and does not end there."""
    for quotes in ('"""', "'''"):
        if value.startswith(quotes) and quotes not in value[3:]:
            return quotes
    return None


def _entered(names: Path, array: bool, counts: dict[Path, int]) -> Path:
    """Return the path of a header; the tables of arrays on the way have the numbers of the last that was begun."""
    at: Path = ()
    for position, name in enumerate(names):
        at = (*at, name)
        if array and position == len(names) - 1:
            counts[at] = counts.get(at, -1) + 1
        if at in counts:
            at = (*at, counts[at])
    return at


class Reader:
    """One table of the document.

    Args:
        table: its keys and values.
        path: where it stands in the document.
        lines: the lines of the whole document.
        problems: takes what is wrong.
    """

    def __init__(self, table: Mapping[str, object], path: Path, lines: Mapping[Path, int], problems: Problems) -> None:
        self.table = table
        self.path = path
        self.lines = lines
        self.problems = problems

    def line(self, *names: str | int) -> int | None:
        """Return the line of a key in here, or of the nearest table around it."""
        path = (*self.path, *names)
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path)

    def name(self, key: str) -> str:
        """Return what people call a key: ``sides[2].name``, counted from 1."""
        dotted = "".join(f"[{part + 1}]" if isinstance(part, int) else f".{part}" for part in (*self.path, key))
        return dotted.lstrip(".")

    def wrong(self, key: str, what: str, **more: object) -> None:
        """Note a problem with a key; ``found`` is made of its value unless it is given."""
        found = more.get("found", f"{self.name(key)} = {self.table[key]!r}" if key in self.table else self.name(key))
        expected, hint = more.get("expected"), more.get("hint")
        self.problems.add(
            what, self.line(key), found=found, expected=expected, hint=None if hint is None else str(hint)
        )

    def check_keys(self, *known: str, needed: tuple[str, ...] = ()) -> None:
        """Note keys that mean nothing here, and those that are missing; one that is misspelt is not missing, too."""
        meant = set(self.table)
        for key in self.table:
            if key not in known:
                near = suggestion(key, known)
                self.wrong(key, "unknown key", found=self.name(key), expected=", ".join(known), hint=near)
                meant |= {name for name in known if near == f"did you mean {name}?"}
        for key in needed:
            if key not in meant:
                self.problems.add("a key is missing", self.line(), expected=self.name(key))

    def text(self, key: str, default: str = "") -> str:
        """Return a text that is not blank."""
        value = self.table.get(key, default)
        if isinstance(value, str) and (value.strip() or key not in self.table):
            return value
        self.wrong(key, "a value of the wrong type", expected="text, not blank")
        return default

    def choice(self, key: str, known: Mapping[str, object] | tuple[str, ...], default: str) -> str:
        """Return one of the words ``known``."""
        value = self.table.get(key, default)
        if isinstance(value, str) and value in known:
            return value
        if key in self.table:
            near = suggestion(value, known) if isinstance(value, str) else None
            self.wrong(key, "a word that means nothing here", expected=", ".join(known), hint=near)
        return default

    def flag(self, key: str) -> bool:
        """Return a yes or no; no if nothing is said."""
        value = self.table.get(key, False)
        if isinstance(value, bool):
            return value
        self.wrong(key, "a value of the wrong type", expected="true or false")
        return False

    def number(self, key: str, default: int, low: int, high: int) -> int:
        """Return a whole number from ``low`` to ``high``."""
        value = self.table.get(key, default)
        if isinstance(value, int) and not isinstance(value, bool) and low <= value <= high:
            return value
        self.wrong(key, "a number that does not fit", expected=f"a whole number from {low} to {high}")
        return default

    def share(self, key: str, default: float) -> float:
        """Return a share from 0 to 1."""
        value = self.table.get(key, default)
        if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= 1:
            return float(value)
        self.wrong(key, "a number that does not fit", expected="a share from 0 to 1")
        return default

    def inner(self, key: str) -> Reader:
        """Return a table in here; an empty one if there is none."""
        value = self.table.get(key, {})
        if not isinstance(value, dict):
            self.wrong(key, "a value of the wrong type", expected=f"a table [{self.name(key)}]")
            value = {}
        return Reader(value, (*self.path, key), self.lines, self.problems)

    def each(self, key: str) -> Iterator[Reader]:
        """Yield the tables of an array in here."""
        value = self.table.get(key, [])
        if not isinstance(value, list) or not all(isinstance(row, dict) for row in value):
            self.wrong(key, "a value of the wrong type", expected=f"tables [[{self.name(key)}]]")
            return
        for number, row in enumerate(value):
            yield Reader(row, (*self.path, key, number), self.lines, self.problems)
