"""The fields of one table of a roster or a pack, checked one by one; what is wrong is noted and a harmless value stands in."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType

from rallypoint.kernel.canonical import EMPTY, Value

from .attributes import Bare
from .problems import Problems

__all__ = ["EXTRA", "Fields", "kept_inline", "named", "one_line"]

EXTRA = "extra"
"""The field that holds what a roster says besides under a name that means something else, or nearly."""

_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f]")
_NEAR = 0.75  # how alike a name must be to a known one to be taken for a slip of the pen


def named(value: object) -> str:
    """Return what a person calls a value.

    >>> named({"n": 2}), named(None), named([1]), named("a"), named(True)
    ('a table', 'null', 'a list', "'a'", 'true')
    """
    if isinstance(value, Mapping):
        return "a table"
    if isinstance(value, (list, tuple)):
        return "a list"
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(str(value)) if isinstance(value, str) else str(value)


def _near(name: str, known: Collection[str]) -> str | None:
    near = difflib.get_close_matches(name.casefold(), known, 1, _NEAR)
    return near[0] if near else None


def kept_inline(name: str, known: Collection[str]) -> bool:
    """Say whether a field of this name may stand beside the known ones and still be told from them."""
    return name != EXTRA and name not in known and _near(name, known) is None


def one_line(text: str) -> str:
    r"""Return a text as a roster may hold it: a blank for each control character, a mark for each half of a sign.

    >>> one_line("Ana\tof\nOutpost Nine")
    'Ana of Outpost Nine'
    """
    return _CONTROL.sub(" ", text).encode("utf-16", "surrogatepass").decode("utf-16", "replace")


class Fields:
    """One table.

    Args:
        row: the table; anything else is noted and read as an empty one.
        known: the names that mean something.
        problems: takes what is wrong.
        where: the place of the table, such as ``squads[0]``; empty for the whole file.
        line: the line where it stands, if lines mean something in this file.
    """

    def __init__(
        self, row: object, known: Collection[str], problems: Problems, where: str = "", line: int | None = None
    ) -> None:
        self.known = known
        self.problems = problems
        self.where = where
        self.line = line
        self.row: Mapping[str, object] = row if isinstance(row, Mapping) else {}
        for name in self.row:
            self._check_name(name, where)
        if not isinstance(row, Mapping):
            problems.add("this is not a table", line, found=named(row), expected="a table", where=where or "the file")

    def place(self, name: str) -> str:
        """Return the place of a field."""
        return f"{self.where}.{name}" if self.where else name

    def wrong(self, name: str, expected: str, what: str = "a value of the wrong type", hint: str | None = None) -> None:
        """Note that a field is not what it should be."""
        found = named(self.row[name]) if name in self.row else "nothing"
        self.problems.add(what, self.line, found=found, expected=expected, hint=hint, where=self.place(name))

    def text(self, name: str, *, needed: bool = False) -> str | None:
        """Return a text as it is written, ``None`` where there is none (or ``null``)."""
        value = self.row.get(name)
        if value is None:
            if needed:
                self.wrong(name, "a text", "a field is missing")
            return None
        if not isinstance(value, str):
            self.wrong(name, "a text")
            return None
        if not _whole(value):
            self.wrong(name, "letters and signs", "half of a sign in a text")
            return None
        if _CONTROL.search(value) is not None:
            self.wrong(name, "letters and signs in one line", "a control character in a text")
            return None
        return str(value)

    def truth(self, name: str) -> bool:
        """Return a truth; one that is not given is false."""
        value = self.row.get(name, False)
        value = value.value() if isinstance(value, Bare) else value
        if not isinstance(value, bool):
            self.wrong(name, "true or false")
            return False
        return value

    def number(self, name: str, low: int, high: int, default: int) -> int:
        """Return a whole number from ``low`` to ``high``."""
        value = self.row.get(name, default)
        value = value.value() if isinstance(value, Bare) else value
        if isinstance(value, bool) or not isinstance(value, int):
            self.wrong(name, "a whole number")
            return default
        if not low <= value <= high:
            self.wrong(name, f"{low} to {high}", "a number out of range")
            return default
        return value

    def rows(self, name: str) -> Sequence[object]:
        """Return a list; one that is not given is empty."""
        value = self.row.get(name, ())
        if not isinstance(value, (list, tuple)):
            self.wrong(name, "a list")
            return ()
        return value

    def texts(self, name: str) -> tuple[str, ...]:
        """Return a list of texts; one that is not given is empty."""
        found: list[str] = []
        for number, value in enumerate(self.rows(name)):
            if isinstance(value, str) and value and _whole(value) and _CONTROL.search(value) is None:
                found.append(value)
            else:
                place, what, expected = f"{self.place(name)}[{number}]", "a value of the wrong type", "a text"
                if isinstance(value, str) and value:
                    what, expected = (
                        "half of a sign, or a control character, in a text",
                        "letters and signs in one line",
                    )
                self.problems.add(what, self.line, found=named(value), expected=expected, where=place)
        return tuple(found)

    def rest(self) -> Mapping[str, Value]:
        """Return what stands here besides the known fields, in its order, and note what was meant for one of them."""
        found: dict[str, Value] = {}
        for name, value in self.row.items():
            if name in self.known or name == EXTRA:
                continue
            near = _near(name, self.known)
            if near is not None:
                self.wrong(name, ", ".join(self.known), "unknown field", f"did you mean {near}?")
            else:
                found[name] = self.kept(value, self.place(name))
        more = self.row.get(EXTRA, EMPTY)
        if isinstance(more, Mapping):
            found.update({name: self.kept(value, f"{self.place(EXTRA)}.{name}") for name, value in more.items()})
        else:
            self.wrong(EXTRA, "a table")
        return MappingProxyType(found) if found else EMPTY

    def _check_name(self, name: object, where: str) -> None:
        if not _whole(str(name)):
            what, expected = "half of a sign in the name of a field", "letters and signs"
            place = where or "the file"
            self.problems.add(what, self.line, found=named(name), expected=expected, where=place)

    def kept(self, value: object, place: str) -> Value:
        """Return a value of a field that nobody knows, with its tables in the order in which they stand."""
        if isinstance(value, Bare):
            value = value.value()
        if value is None or isinstance(value, (bool, int)):
            return value
        if isinstance(value, str):
            if not _whole(value):
                what, expected = "half of a sign in a text", "letters and signs"
                self.problems.add(what, self.line, found=named(value), expected=expected, where=place)
            return str(value)
        if isinstance(value, float) and value - value == 0.0:
            return value
        if isinstance(value, (list, tuple)):
            return tuple([self.kept(each, f"{place}[{number}]") for number, each in enumerate(value)])
        if isinstance(value, Mapping):
            for name in value:
                self._check_name(name, place)
            return MappingProxyType({str(name): self.kept(each, f"{place}.{name}") for name, each in value.items()})
        expected = "a text, a number, true, false, a list or a table"
        hint = "write it as a text, in quotes"
        found = type(value).__name__
        self.problems.add("this cannot be kept", self.line, found=found, expected=expected, hint=hint, where=place)
        return None


def _whole(text: str) -> bool:
    """Say whether a text has no half of a sign in it, which could not be written to any file."""
    return not any("\ud800" <= sign <= "\udfff" for sign in text)
