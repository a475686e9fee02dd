"""The tables of a manifest, read key by key: what fits comes out, what is wrong is noted with its line, what is left over is named."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from typing import TypeAlias

from ..errors import InputError

__all__ = ["MOST_PROBLEMS", "ManifestPage", "ManifestTable", "OptionValue", "shown"]

MOST_PROBLEMS = 20
"""So many problems of one manifest are told; of the others only how many there are."""

OptionValue: TypeAlias = "str | int | float | bool"

_KEY = re.compile(r"\s*\[*\s*(?:(?P<bare>[A-Za-z0-9_-]+)|\"(?P<quoted>[^\"]*)\")")
_MOST_SHOWN = 200


class ManifestPage:
    """The text of a manifest: where its keys stand, and what is wrong with it."""

    def __init__(self, text: str, path: str) -> None:
        self.path = path
        self.problems: list[InputError] = []
        self._more = 0
        self._text = text
        self._lines: dict[str, int] | None = None

    @property
    def is_full(self) -> bool:
        """Whether enough problems are known."""
        return len(self.problems) >= MOST_PROBLEMS

    def line(self, key: str) -> int | None:
        """Return the first line that begins with a key, as far as that can be told."""
        if self._lines is None:
            self._lines = {}
            for number, content in enumerate(self._text.splitlines(), 1):
                found = _KEY.match(content)
                if found is not None:
                    self._lines.setdefault(found["bare"] or found["quoted"] or "", number)
        return self._lines.get(key)

    def add(self, what: str, key: str, found: object, expected: str | None, hint: str | None) -> None:
        """Note a problem."""
        if self.is_full:
            self._more += 1
            return
        what_was_found = None if found is None else shown(found)
        self.problems.append(
            InputError(what, path=self.path, line=self.line(key), found=what_was_found, expected=expected, hint=hint)
        )

    def all_problems(self) -> tuple[InputError, ...]:
        """Return the problems, and as the last one how many more there are."""
        if not self._more:
            return tuple(self.problems)
        more = InputError(f"and {self._more} more problem{'' if self._more == 1 else 's'}", path=self.path)
        return (*self.problems, more)


def shown(found: object) -> str:
    """Return what was found as text, not too long for an error."""
    text = str(found)
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}..."


class ManifestTable:
    """One table of the document: takes keys out, notes what is wrong, and names what is left over."""

    def __init__(self, content: Mapping[str, object], name: str, page: ManifestPage) -> None:
        self.content = content
        self.name = name
        self.page = page
        self.known: list[str] = []

    def problem(self, what: str, key: str, found: object = None, expected: str | None = None, hint: str = "") -> None:
        """Note a problem at the line where the key stands, as far as that can be told."""
        self.page.add(f"[{self.name}] {what}" if self.name else what, key, found, expected, hint or None)

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
        return self._inner(value, key) if isinstance(value, dict) else None

    def tables(self, key: str) -> list[ManifestTable]:
        """Return an array of tables."""

        def fits(value: object) -> bool:
            return isinstance(value, list) and all(isinstance(item, dict) for item in value)

        value = self._take(key, f"[[{key}]]", fits)
        return [self._inner(item, key) for item in value] if isinstance(value, list) else []

    def _inner(self, content: Mapping[str, object], key: str) -> ManifestTable:
        name = f"{self.name}.{key}" if self.name else key
        return ManifestTable(content, name, self.page)

    def close(self) -> None:
        """Name the keys that nobody asked for."""
        for key in self.content:
            if key not in self.known:
                near = [] if self.page.is_full else get_close_matches(key, self.known, 1)
                hint = f"did you mean {near[0]}?" if near else f"the keys are {', '.join(self.known)}"
                self.problem("unknown key", key, found=key, hint=hint)
