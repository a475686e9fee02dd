"""Reading a profile's tables: every entry is taken by name, so that what is left over can be named."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import TypeAlias

from rallypoint.kernel.errors import InputError, PluginError, RallypointError

__all__ = ["WHOLE", "Reader", "guess", "merged"]

Table: TypeAlias = Mapping[str, object]


def guess(word: str, known: Iterable[str]) -> str | None:
    """Return a hint with the nearest known word, if one is near.

    >>> guess("wepon", ["weapon", "armor"])
    'did you mean weapon?'
    """
    near = get_close_matches(word, list(known), 1)
    return f"did you mean {near[0]}?" if near else None


WHOLE = frozenset({"cores", "fixed", "tables"})
"""Tables that one profile does not share with the one that it extends: they are replaced, not merged."""


def merged(base: Table, over: Table) -> dict[str, object]:
    """Return ``base`` with the entries of ``over``: tables are merged, everything else, and :data:`WHOLE`, is replaced.

    >>> merged({"a": {"b": 1, "c": 2}}, {"a": {"c": 3}, "d": [1]})
    {'a': {'b': 1, 'c': 3}, 'd': [1]}
    """
    result = dict(base)
    for key, value in over.items():
        old = result.get(key)
        result[key] = (
            merged(old, value) if isinstance(old, dict) and isinstance(value, dict) and key not in WHOLE else value
        )
    return result


class Reader:
    """A table with the place in hand; a missing entry or a wrong kind is an error that names it.

    ``path`` is the file that a person wrote (faults are then bad input), ``None`` for a profile that is shipped (faults
    are then ours).
    """

    def __init__(self, where: str, table: object, path: str | None = None) -> None:
        self.where = where
        self.path = path
        self.taken: set[str] = set()
        if not isinstance(table, dict):
            raise self.fault("a profile needs a table here", "", found=table, expected="a table")
        self.table: dict[str, object] = table

    def fault(
        self, what: str, key: str, *, found: object = None, expected: object = None, hint: str | None = None
    ) -> RallypointError:
        """Return the error for an entry: bad input where a person wrote the profile, a fault of ours otherwise."""
        place = f"{self.where}.{key}" if key else self.where
        if self.path is not None:
            return InputError(what, where=f"{self.path}: {place}", found=found, expected=expected, hint=hint)
        return PluginError(what, plugin="foundry", where=place, found=found, expected=expected, hint=hint)

    def get(self, key: str, kind: type, default: object = None) -> object:
        """Return an entry of a kind."""
        self.taken.add(key)
        value = self.table.get(key, default)
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            missing = key not in self.table
            what = "a profile entry is missing" if missing else "a profile entry is of the wrong kind"
            near = guess(key, set(self.table) - self.taken) if missing else None
            raise self.fault(
                what, key, found=value, expected=kind.__name__, hint=near and near.replace(" mean", " write")
            )
        return value

    def text(self, key: str, default: str | None = None) -> str:
        """Return a text."""
        return str(self.get(key, str, default))

    def word(self, key: str, words: tuple[str, ...], default: str | None = None) -> str:
        """Return one of a few words."""
        found = self.text(key, default)
        if found not in words:
            raise self.fault(
                "not one of the words", key, found=found, expected=" or ".join(words), hint=guess(found, words)
            )
        return found

    def switch(self, key: str, default: bool | None = None) -> bool:
        """Return yes or no."""
        return bool(self.get(key, bool, default))

    def number(self, key: str, default: int | None = None) -> int:
        """Return a whole number."""
        value = self.get(key, int, default)
        assert isinstance(value, int)
        return value

    def texts(self, key: str, default: list[str] | None = None) -> tuple[str, ...]:
        """Return a list of texts."""
        value = self.get(key, list, default)
        assert isinstance(value, list)
        for item in value:
            if not isinstance(item, str):
                raise self.fault("a list of texts holds something else", key, found=item, expected="text")
        return tuple(value)

    def plain(self, key: str) -> dict[str, object]:
        """Return a table as it stands; empty if there is none."""
        value = self.get(key, dict, {})
        assert isinstance(value, dict)
        return value

    def inner(self, key: str) -> Reader:
        """Return the table under ``key``; it must be there."""
        self.taken.add(key)
        return Reader(f"{self.where}.{key}", self.table.get(key), self.path)

    def tables(self, key: str) -> dict[str, Reader]:
        """Return the tables inside a table, by name; empty if there is none."""
        return {name: Reader(f"{self.where}.{key}.{name}", table, self.path) for name, table in self.plain(key).items()}

    def rows(self, key: str) -> list[Reader]:
        """Return the tables of an array; empty if there is none."""
        value = self.get(key, list, [])
        assert isinstance(value, list)
        return [Reader(f"{self.where}.{key}[{row}]", table, self.path) for row, table in enumerate(value)]

    def done(self) -> None:
        """Make sure that nothing is left over.

        Raises:
            InputError: an entry that nobody knows.
        """
        for key in self.table:
            if key not in self.taken:
                expected = ", ".join(sorted(self.taken))
                raise self.fault(
                    "a profile has no such entry", key, found=key, expected=expected, hint=guess(key, self.taken)
                )
