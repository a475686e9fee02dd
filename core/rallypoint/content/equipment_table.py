"""Tables of equipment in TOML: one file a kind, one table an item, checked to the last key.

::

    [revolver]
    title = "Revolver"
    rule = "D-EQ-W1"
    T = 0
    Max = "infinite"
    traits = ["sidearm"]
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from .catalogue import Item, Kind
from .problems import Problems
from .toml_document import read_toml

__all__ = ["INFINITE", "read_equipment_table"]

INFINITE = "infinite"
"""What stands in a table for a number without limit."""

_TEXTS = ("title", "rule", "description", "ruling")
_LISTS = ("traits", "aliases", "mounts")
_NEEDED = ("title", "rule")


def read_equipment_table(text: str, path: str, kind: Kind, columns: Sequence[str]) -> tuple[Item, ...]:
    """Return the items of one table, in its order.

    Args:
        text: the TOML document.
        path: names it in errors.
        kind: what its items are.
        columns: the names of the numbers; each item must have all of them, as whole numbers from 0 or ``"infinite"``.

    Raises:
        PageError: the text is not TOML, or keys are unknown, missing or of the wrong type; it holds every problem.
    """
    problems = Problems(path)
    document = read_toml(text, problems)
    items = []
    for key, row in document.items():
        reader = _Row(key, row, _line_of(text, key), columns, problems)
        items.append(reader.item(kind))
    problems.check()
    return tuple(items)


def _line_of(text: str, key: str) -> int:
    """Return the line (from 1) where the table or the key of this name begins."""
    pattern = re.compile(rf"\s*(?:\[\s*)?[\"']?{re.escape(key)}[\"']?\s*(?:\]|=|\.)")
    return next((number for number, line in enumerate(text.splitlines(), 1) if pattern.match(line)), 1)


class _Row:
    """Checks one table; what is wrong goes to ``problems`` and a harmless value stands in for it."""

    def __init__(self, key: str, row: object, line: int, columns: Sequence[str], problems: Problems) -> None:
        self.key = key
        self.row: Mapping[str, object] = row if isinstance(row, dict) else {}
        self.line = line
        self.columns = columns
        self.problems = problems
        if not isinstance(row, dict):
            self.problems.add("this is not a table", line, found=key, expected=f"[{key}] and keys below it")

    def item(self, kind: Kind) -> Item:
        self.check_keys()
        title, rule, description, ruling = [self.text(name) for name in _TEXTS]
        traits, aliases, mounts = [self.texts(name) for name in _LISTS]
        numbers = MappingProxyType({name: self.number(name) for name in self.columns})
        return Item(kind, self.key, title, rule, numbers, traits, aliases, ruling or None, mounts, description)

    def check_keys(self) -> None:
        known = [*_TEXTS, *_LISTS, *self.columns]
        for name in self.row:
            if name not in known:
                near = difflib.get_close_matches(name, known, 1, 0.6)
                hint = f"did you mean {near[0]}?" if near else None
                found, expected = f"{self.key}.{name}", ", ".join(known)
                self.problems.add("unknown key", self.line, found=found, expected=expected, hint=hint)
        for name in [*_NEEDED, *self.columns]:
            if name not in self.row:
                self.problems.add("a key is missing", self.line, found=self.key, expected=f"{self.key}.{name}")

    def text(self, name: str) -> str:
        value = self.row.get(name, "")
        if isinstance(value, str) and (value.strip() or name not in self.row):
            return value
        self.wrong(name, value, "text")
        return ""

    def texts(self, name: str) -> tuple[str, ...]:
        value = self.row.get(name, [])
        if isinstance(value, list) and all(isinstance(part, str) and part for part in value):
            return tuple(value)
        self.wrong(name, value, "a list of texts")
        return ()

    def number(self, name: str) -> int | None:
        value = self.row.get(name, 0)
        if value == INFINITE:
            return None
        if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
            return value
        self.wrong(name, value, f'a whole number from 0, or "{INFINITE}"')
        return 0

    def wrong(self, name: str, value: object, expected: str) -> None:
        found = f"{self.key}.{name} = {value!r}"
        self.problems.add("a value of the wrong type", self.line, found=found, expected=expected)
