"""Lenses: how a value of the battle is shown at a VTT, what comes back, and what is lost on the way.

Two things are compared with each other only as a VTT *shows* them. So a clamp never looks like an edit:

>>> stress = Clamped(low=2)
>>> stress.encode(0), stress.decode(3), stress.loss(0)
(2, 3, 'shown as 2: the least there is 2')
>>> Turned(most=2).encode(2), Turned(most=2).decode(1)
(0, 1)
>>> Banded(3).encode(1), Banded(3).two_way
('hurt', False)
"""

from __future__ import annotations

import math
from typing import NamedTuple, Protocol

from rallypoint.kernel.canonical import Value
from rallypoint.kernel.hexes import centre
from rallypoint.kernel.state import Hex

__all__ = ["Banded", "Clamped", "Exact", "Lens", "NotShownError", "OnHexes", "Summed", "Turned"]


class NotShownError(ValueError):
    """What a VTT shows is no value of this field (a text where a number should be), or a value cannot be shown there."""


class Lens(Protocol):
    """What stands between a field and its carrier."""

    @property
    def two_way(self) -> bool:
        """Whether an edit at the VTT can come back; else the lens only shows."""

    def encode(self, value: Value) -> Value:
        """Return what is shown of a value; of several fields of one carrier, of the tuple of their values.

        Raises:
            NotShownError: it cannot be shown.
        """

    def decode(self, shown: Value) -> Value:
        """Return the value that is shown.

        Raises:
            NotShownError: it shows none, or the lens is one-way.
        """

    def tidy(self, shown: Value) -> Value:
        """Return what is shown, written as :meth:`encode` writes it where that means the same: ``"2"`` as 2."""

    def loss(self, value: Value) -> str | None:
        """Return what people must know of how this value is shown, or ``None`` where nothing is lost."""


def whole(shown: Value) -> int:
    """Return a number as VTTs give it: ``2``, ``2.0`` or ``"2"``.

    Raises:
        NotShownError: it is no whole number.
    """
    if isinstance(shown, str):
        text = shown.strip()
        if text.isascii() and text.removeprefix("-").isdecimal():
            return int(text)
    elif type(shown) is int or (isinstance(shown, float) and shown.is_integer()):
        return int(shown)
    raise NotShownError(f"no whole number: {shown!r}")


def _tidy_number(shown: Value) -> Value:
    try:
        return whole(shown)
    except NotShownError:
        return shown


class Exact(NamedTuple):
    """The value itself: a number, or yes and no."""

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

    def tidy(self, shown: Value) -> Value:
        """Return a number as a number."""
        return _tidy_number(shown)

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

    def tidy(self, shown: Value) -> Value:
        """Return a number as a number."""
        return _tidy_number(shown)

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

    def tidy(self, shown: Value) -> Value:
        """Return a number as a number."""
        return _tidy_number(shown)

    def loss(self, value: Value) -> str | None:
        """Return ``None``."""
        return None


class Banded(NamedTuple):
    """A word in place of a number from 0 to ``most``: unhurt, hurt, bad (more than half); one-way."""

    most: int
    words: tuple[str, str, str] = ("unhurt", "hurt", "bad")

    @property
    def two_way(self) -> bool:
        """A word does not say which number."""
        return False

    def encode(self, value: Value) -> Value:
        """Return the word for a number."""
        number = whole(value)
        return self.words[0] if number <= 0 else self.words[2] if 2 * number > self.most else self.words[1]

    def decode(self, shown: Value) -> Value:
        """Raise: it is one-way."""
        raise NotShownError(f"a band does not say which number: {shown!r}")

    def tidy(self, shown: Value) -> Value:
        """Return what is shown."""
        return shown

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

    def tidy(self, shown: Value) -> Value:
        """Return a number as a number."""
        return _tidy_number(shown)

    def loss(self, value: Value) -> str | None:
        """Return that only the sum is shown, where it is one."""
        return "only the sum of the stand is shown" if isinstance(value, tuple) and len(value) > 1 else None


class OnHexes(NamedTuple):
    """A hex as the point (x, y) of a token on a board of hexes that stand on a corner; the facing is not shown.

    ``across`` is the width of a hex and ``x``, ``y`` lead from the centre of a hex to the point of the token, all in the units of
    the VTT. A token that was nudged within its hex has not moved:

    >>> lens = OnHexes(100, -50, -50)
    >>> lens.encode(("hex", 1, 2, 3)), lens.decode((160, 118)), lens.tidy((160, 118))
    ((150, 123), ('hex', 1, 2, None), (150, 123))
    """

    across: float
    x: float = 0.0
    y: float = 0.0

    @property
    def two_way(self) -> bool:
        """A move comes back, as a proposal."""
        return True

    def encode(self, value: Value) -> Value:
        """Return the point, in whole units."""
        if not isinstance(value, tuple) or len(value) < 3 or value[0] != "hex":
            raise NotShownError("it is in no hex")
        x, y = centre(Hex(whole(value[1]), whole(value[2])), self.across)
        return (round(x + self.x), round(y + self.y))

    def decode(self, shown: Value) -> Value:
        """Return the hex whose centre is nearest."""
        numbers = shown if isinstance(shown, tuple) else ()
        if len(numbers) != 2 or not all(isinstance(each, int | float) for each in numbers):
            raise NotShownError(f"no point: {shown!r}")
        x, y = float(numbers[0]) - self.x, float(numbers[1]) - self.y  # type: ignore[arg-type]
        row = round(y / (self.across * math.sqrt(3) / 2))
        near = [Hex(round(x / self.across - r / 2) + more, r) for r in (row - 1, row, row + 1) for more in (-1, 0, 1)]
        q, r, _ = min(near, key=lambda each: math.dist(centre(each, self.across), (x, y)))
        return ("hex", q, r, None)

    def tidy(self, shown: Value) -> Value:
        """Return the point of the hex that the token is in."""
        try:
            return self.encode(self.decode(shown))
        except NotShownError:
            return shown

    def loss(self, value: Value) -> str | None:
        """Return that the facing is not shown, where there is one."""
        faces = isinstance(value, tuple) and len(value) > 3 and value[3] is not None
        return "the facing is not shown" if faces else None
