"""Lenses: how a value of the battle is shown at a VTT, what comes back, and what is lost on the way.

Two things are compared with each other only as a VTT *shows* them. So a clamp never looks like an edit:

>>> stress = Clamped(low=2)
>>> stress.encode(0), stress.decode(3), stress.loss(0)
(2, 3, 'shown as 2: the least there is 2')
>>> Turned(most=2).encode(2), Turned(most=2).decode(1)
(0, 1)
>>> Banded().encode((1, 2)), Banded().two_way
('hurt', False)
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

from rallypoint.kernel.canonical import Value

__all__ = ["Banded", "Clamped", "Exact", "Lens", "NotShownError", "Summed", "Turned"]


class NotShownError(ValueError):
    """What a VTT shows is no value of this field: a text where a number should be, nothing at all."""


class Lens(Protocol):
    """What stands between a field and its carrier."""

    @property
    def two_way(self) -> bool:
        """Whether an edit at the VTT can come back; else the lens only shows."""

    def encode(self, value: Value) -> Value:
        """Return what is shown of a value; of several fields of one carrier, of the tuple of their values."""

    def decode(self, shown: Value) -> Value:
        """Return the value that is shown.

        Raises:
            NotShownError: it shows none, or the lens is one-way.
        """

    def loss(self, value: Value) -> str | None:
        """Return what people must know of how this value is shown, or ``None`` where nothing is lost."""


def whole(shown: Value) -> int:
    """Return a number as VTTs give it: ``2``, ``2.0`` or ``"2"``.

    Raises:
        NotShownError: it is no whole number.
    """
    if isinstance(shown, str):
        text = shown.strip()
        if text.lstrip("-").isdecimal() and text.count("-") <= text.startswith("-"):
            return int(text)
    elif type(shown) is int or (isinstance(shown, float) and shown.is_integer()):
        return int(shown)
    raise NotShownError(f"no whole number: {shown!r}")


class Exact(NamedTuple):
    """The number itself."""

    @property
    def two_way(self) -> bool:
        """An edit comes back."""
        return True

    def encode(self, value: Value) -> Value:
        """Return the value."""
        return value

    def decode(self, shown: Value) -> Value:
        """Return the number."""
        return whole(shown)

    def loss(self, value: Value) -> str | None:
        """Return ``None``."""
        return None


class Clamped(NamedTuple):
    """The number, moved into the limits that a VTT has: a minimum of 2 shows 0 as 2."""

    low: int | None = None
    high: int | None = None

    @property
    def two_way(self) -> bool:
        """An edit comes back."""
        return True

    def encode(self, value: Value) -> Value:
        """Return the number within the limits."""
        number = whole(value)
        if self.low is not None:
            number = max(number, self.low)
        return number if self.high is None else min(number, self.high)

    def decode(self, shown: Value) -> Value:
        """Return the number."""
        return whole(shown)

    def loss(self, value: Value) -> str | None:
        """Return as what the value is shown, where it is not shown itself."""
        shown = self.encode(value)
        if shown == value:
            return None
        return f"shown as {shown}: the {'least' if shown == self.low else 'most'} there is {shown}"


class Turned(NamedTuple):
    """What is left of ``most``: Wounds count up here, hits count down at many a VTT."""

    most: int

    @property
    def two_way(self) -> bool:
        """An edit comes back."""
        return True

    def encode(self, value: Value) -> Value:
        """Return how many are left."""
        return self.most - whole(value)

    def decode(self, shown: Value) -> Value:
        """Return how many are gone."""
        return self.most - whole(shown)

    def loss(self, value: Value) -> str | None:
        """Return ``None``."""
        return None


class Banded(NamedTuple):
    """A word in place of a number and its most: unhurt, hurt, bad (half or more); one-way."""

    words: tuple[str, str, str] = ("unhurt", "hurt", "bad")

    @property
    def two_way(self) -> bool:
        """A word does not say which number."""
        return False

    def encode(self, value: Value) -> Value:
        """Return the word for (number, most)."""
        if not isinstance(value, tuple) or len(value) != 2:
            raise NotShownError(f"no number with its most: {value!r}")
        number, most = whole(value[0]), whole(value[1])
        return self.words[0] if number <= 0 else self.words[2] if 2 * number > most else self.words[1]

    def decode(self, shown: Value) -> Value:
        """Raise: it is one-way."""
        raise NotShownError(f"a band does not say which number: {shown!r}")

    def loss(self, value: Value) -> str | None:
        """Return the word that stands for the number."""
        return f"shown as {self.encode(value)} only"


class Summed(NamedTuple):
    """The sum of several fields, such as the Wounds of a stand; one-way."""

    @property
    def two_way(self) -> bool:
        """A sum does not say whose it is."""
        return False

    def encode(self, value: Value) -> Value:
        """Return the sum."""
        return sum(map(whole, value)) if isinstance(value, tuple) else whole(value)

    def decode(self, shown: Value) -> Value:
        """Raise: it is one-way."""
        raise NotShownError(f"a sum does not say whose it is: {shown!r}")

    def loss(self, value: Value) -> str | None:
        """Return that only the sum is shown, where it is one."""
        return "only the sum of the stand is shown" if isinstance(value, tuple) and len(value) > 1 else None
