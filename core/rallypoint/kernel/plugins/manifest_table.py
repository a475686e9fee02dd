"""The tables of a manifest, read key by key: what fits comes out, what is wrong is noted with its line, what is left over is named."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from typing import NamedTuple, TypeAlias

from ..errors import InputError

__all__ = ["MOST_PROBLEMS", "ManifestPage", "ManifestTable", "OptionValue", "Span", "shown"]

MOST_PROBLEMS = 20
"""So many problems of one manifest are told; of the others only how many there are."""

OptionValue: TypeAlias = "str | int | float | bool"

_HEADER = re.compile(r"\s*\[\[?(?P<name>[^\[\]=]+)\]")
_KEY = re.compile(r"\s*(?:(?P<bare>[A-Za-z0-9_-]+)|\"(?P<quoted>[^\"]*)\")")
_MOST_SHOWN = 200


class Span(NamedTuple):
    """Where a table stands: its name part by part, the line of its head (0: it has none) and its last line."""

    path: tuple[str, ...]
    first: int
    last: int


class ManifestPage:
    """The text of a manifest: where its keys stand, and what is wrong with it."""

    def __init__(self, text: str, path: str) -> None:
        self.path = path
        self.problems: list[InputError] = []
        self._more = 0
        self._lines = text.splitlines()
        self._heads: dict[tuple[str, ...], list[int]] = {}
        for number, line in enumerate(self._lines, 1):
            header = _HEADER.match(line)
            if header is not None:
                self._heads.setdefault(_parts(header["name"]), []).append(number)

    @property
    def is_full(self) -> bool:
        """Whether enough problems are known."""
        return len(self.problems) >= MOST_PROBLEMS

    def line(self, key: str, span: Span) -> int | None:
        """Return the line where a key of a table stands, else the one where the table begins, as far as that can be told."""
        inside = True
        for number in range(span.first + 1, span.last + 1):
            text = self._lines[number - 1]
            header = _HEADER.match(text)
            if header is not None:
                inside = False
                if _parts(header["name"]) == (*span.path, key):
                    return number
            found = _KEY.match(text) if inside else None
            if found is not None and (found["bare"] or found["quoted"]) == key:
                return number
        return span.first or None

    def inner(self, key: str, nth: int, span: Span) -> Span:
        """Return where the table of that name inside a table stands, of several the one at place ``nth``, from 0."""
        path = (*span.path, key)
        heads = self._heads.get(path, [])
        at = bisect_right(heads, span.first) + nth
        if at >= len(heads) or heads[at] > span.last:  # it is written in one line
            line = self.line(key, span) or 0
            return Span(path, line, line)
        following = heads[at + 1] - 1 if at + 1 < len(heads) else span.last
        return Span(path, heads[at], min(following, span.last))

    def whole(self) -> Span:
        """Return where the outermost table stands."""
        return Span((), 0, len(self._lines))

    def add(self, what: str, key: str, found: object, expected: str | None, hint: str | None, span: Span) -> None:
        """Note a problem with a key of the table that stands in ``span``."""
        if self.is_full:
            self._more += 1
            return
        what_was_found = None if found is None else shown(found)
        self.problems.append(
            InputError(
                what, path=self.path, line=self.line(key, span), found=what_was_found, expected=expected, hint=hint
            )
        )

    def all_problems(self) -> tuple[InputError, ...]:
        """Return the problems, and as the last one how many more there are."""
        if not self._more:
            return tuple(self.problems)
        more = InputError(f"and {self._more} more problem{'' if self._more == 1 else 's'}", path=self.path)
        return (*self.problems, more)


def _parts(name: str) -> tuple[str, ...]:
    return tuple([part.strip().strip("\"'") for part in name.split(".")])


def shown(found: object) -> str:
    """Return what was found as text, not too long for an error."""
    text = str(found)
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}..."


class ManifestTable:
    """One table of the document: takes keys out, notes what is wrong, and names what is left over."""

    def __init__(self, content: Mapping[str, object], page: ManifestPage, span: Span | None = None) -> None:
        self.content = content
        self.page = page
        self.span = page.whole() if span is None else span
        self.name = ".".join(self.span.path)
        self.known: list[str] = []

    def problem(self, what: str, key: str, found: object = None, expected: str | None = None, hint: str = "") -> None:
        """Note a problem at the line where the key stands, as far as that can be told."""
        self.page.add(f"[{self.name}] {what}" if self.name else what, key, found, expected, hint or None, self.span)

    def _take(self, key: str, expected: str, fits: Callable[[object], bool], required: bool = False) -> object:
        self.known.append(key)
        if key not in self.content:
            if required:
                self.problem("a key is missing", key, expected=f"{key} = {expected}")
            return None
        value = self.content[key]
        if fits(value):
            return value
        self.problem(f"{key} does not fit", key, found=repr(value), expected=expected)
        return None

    def text_of(
        self, key: str, expected: str = '"text"', form: re.Pattern[str] | None = None, required: bool = False
    ) -> str | None:
        """Return a text, or ``None``."""

        def fits(value: object) -> bool:
            return isinstance(value, str) and (form is None or form.fullmatch(value) is not None)

        value = self._take(key, expected, fits, required)
        return value if isinstance(value, str) else None

    def texts(self, key: str) -> tuple[str, ...]:
        """Return a list of texts."""

        def fits(value: object) -> bool:
            return isinstance(value, list) and all(isinstance(item, str) and item for item in value)

        value = self._take(key, '["text", ...]', fits)
        return tuple([str(item) for item in value]) if isinstance(value, list) else ()

    def numbers(self, key: str, count: int) -> tuple[int, ...] | None:
        """Return a list of so many whole numbers, or ``None``."""

        def fits(value: object) -> bool:
            return isinstance(value, list) and len(value) == count and all(type(each) is int for each in value)

        value = self._take(key, f"{count} whole numbers", fits)
        return tuple([int(each) for each in value]) if isinstance(value, list) else None

    def value(self, key: str, expected: str, kinds: tuple[type, ...]) -> OptionValue | None:
        """Return a plain value of one of the kinds; ``True`` is not a number."""
        value = self._take(key, expected, lambda value: type(value) in kinds)
        return value if isinstance(value, (str, int, float)) else None

    def table(self, key: str) -> ManifestTable | None:
        """Return a table inside this one."""
        value = self._take(key, f"[{key}]", lambda value: isinstance(value, dict))
        return self._inner(value, key, 0) if isinstance(value, dict) else None

    def tables(self, key: str) -> list[ManifestTable]:
        """Return an array of tables."""

        def fits(value: object) -> bool:
            return isinstance(value, list) and all(isinstance(item, dict) for item in value)

        value = self._take(key, f"[[{key}]]", fits)
        return [self._inner(item, key, nth) for nth, item in enumerate(value)] if isinstance(value, list) else []

    def _inner(self, content: Mapping[str, object], key: str, nth: int) -> ManifestTable:
        return ManifestTable(content, self.page, self.page.inner(key, nth, self.span))

    def close(self) -> None:
        """Name the keys that nobody asked for."""
        for key in self.content:
            if key not in self.known:
                near = [] if self.page.is_full else get_close_matches(key, self.known, 1)
                hint = f"did you mean {near[0]}?" if near else f"the keys are {', '.join(self.known)}"
                self.problem("unknown key", key, found=key, hint=hint)
