"""Rulings: named choices of a game or of a plugin, of which a battle's options say which hold.

Where rules are silent or contradict themselves, the choice made has an id and can be switched; a rule that a plugin can
switch on is a ruling too, whose default is ``off``. Options map ids to choices; what they do not name is at its default.

>>> nerve = Ruling("R-1", "how nerve is checked", ("d20", "d10"), ("R-8",))
>>> nerve.default, nerve.chosen({"R-1": "d10"}), Ruling("R-2", "least Stress", (0, 0, 20), ("R-8",)).numbers
('d20', 'd10', (0, 20))
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from .canonical import Value
from .errors import InputError

_NUMBER = re.compile(r"-?[0-9]{1,18}")

__all__ = ["Preset", "Ruling", "by_id", "check_options"]


class Ruling(NamedTuple):
    """One ruling: what it decides, its choices (the first is the default) and the rules it belongs to.

    ``choices`` are words, or for a number its default and then its lowest and highest value. ``excludes`` are rulings that
    cannot differ from their defaults together with this one, ``because`` says why.
    """

    id: str
    question: str
    choices: tuple[str, ...] | tuple[int, int, int]
    rules: tuple[str, ...]
    excludes: tuple[str, ...] = ()
    because: str = ""

    @property
    def default(self) -> str | int:
        """What holds where nothing is said."""
        return self.choices[0]

    @property
    def numbers(self) -> tuple[int, int] | None:
        """The lowest and the highest value of a number, ``None`` for words."""
        low, high = self.choices[1:3] if len(self.choices) == 3 else ("", "")
        return (low, high) if isinstance(low, int) and isinstance(high, int) else None

    @property
    def words(self) -> tuple[str, ...]:
        """The choices as texts; for a number its default alone."""
        return (str(self.default),) if self.numbers else tuple([str(choice) for choice in self.choices])

    @property
    def expected(self) -> str:
        """What may be chosen, for an error."""
        return (
            " or ".join(self.words)
            if self.numbers is None
            else f"a whole number from {self.choices[1]} to {self.choices[2]}"
        )

    def chosen(self, options: Mapping[str, Value]) -> str | int:
        """Return the choice in force."""
        value = options.get(self.id, self.default)
        assert isinstance(value, (str, int))
        return value

    def fitting(self, value: object) -> str | int:
        """Return a choice as options keep it; the text of a number is that number.

        Raises:
            InputError: it is none of the choices.
        """
        if self.numbers is None:
            if isinstance(value, str) and value in self.choices:
                return value
        else:
            number = int(value) if isinstance(value, str) and _NUMBER.fullmatch(value) else value
            low, high = self.numbers
            if type(number) is int and low <= number <= high:
                return number
        raise InputError("this ruling has no such choice", where=self.id, found=value, expected=self.expected)


class Preset(NamedTuple):
    """A set of rules by one name: options that are chosen together. ``text`` is a sentence for people."""

    name: str
    text: str
    options: Mapping[str, str | int]


def by_id(rulings: Iterable[Ruling]) -> Mapping[str, Ruling]:
    """Return rulings by their ids."""
    return MappingProxyType({ruling.id: ruling for ruling in rulings})


def check_options(options: Mapping[str, object], rulings: Mapping[str, Ruling]) -> Mapping[str, Value]:
    """Return options as a battle keeps them: by id, in the order of the ids.

    Args:
        options: choices by the ids of their rulings.
        rulings: those that there are: the game's and its plugins'.

    Raises:
        InputError: an id is unknown, a choice is none of the ruling's, or two choices exclude each other.
    """
    kept: dict[str, Value] = {}
    for name, value in sorted(options.items()):
        ruling = rulings.get(name)
        if ruling is None:
            near = difflib.get_close_matches(name, rulings, 1)
            hint = f"did you mean {near[0]}?" if near else "rallypoint rules show lists them; plugins bring some"
            raise InputError("there is no such ruling", where=name, hint=hint)
        kept[name] = ruling.fitting(value)
    for name in kept:
        _refuse_excluded(rulings[name], kept, rulings)
    return MappingProxyType(kept)


def _refuse_excluded(ruling: Ruling, kept: Mapping[str, Value], rulings: Mapping[str, Ruling]) -> None:
    if kept[ruling.id] == ruling.default:
        return
    for name in ruling.excludes:
        other = rulings.get(name)
        if other is not None and other.chosen(kept) != other.default:
            raise InputError(
                f"two rulings exclude each other{': ' if ruling.because else ''}{ruling.because}",
                where=ruling.id,
                found=f"{ruling.id} {kept[ruling.id]} and {name} {other.chosen(kept)}",
                hint=f"leave {ruling.id} at {ruling.default}, or {name} at {other.default}",
            )
