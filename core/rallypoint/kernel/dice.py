"""Dice, throws, and the cuts that sort what was thrown into classes.

The range of a die belongs to the game: one reads percentile dice as 0..99, another as 1..100.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple, Protocol

from .canonical import Value
from .errors import StateError

__all__ = ["D6", "D10", "D20", "D100", "PERCENTILE", "ByFace", "ByTotal", "Cut", "Die", "Throw"]


class Die(NamedTuple):
    """A die that shows each whole number from ``low`` to ``high`` equally often."""

    low: int
    high: int

    @property
    def sides(self) -> int:
        """How many faces there are."""
        return self.high - self.low + 1


D6 = Die(1, 6)
D10 = Die(1, 10)
D20 = Die(1, 20)
D100 = Die(0, 99)
"""Percentile dice on which 00 is the number 0."""
PERCENTILE = Die(1, 100)
"""Percentile dice on which 00 is the number 100."""


class Throw(NamedTuple):
    """Dice of one kind that somebody throws for one purpose.

    ``who`` and ``purpose`` name the throw: at a table they say which dice of a handful these are, and seeded dice are
    keyed by them. ``number`` is how many dice, 1 or more.
    """

    who: str
    purpose: str
    die: Die
    number: int = 1

    def fits(self, faces: tuple[int, ...]) -> bool:
        """Say whether these dice can show ``faces``."""
        low, high = self.die
        return len(faces) == self.number and all(type(face) is int and low <= face <= high for face in faces)


class Cut(Protocol):
    """Sorts what was thrown into classes, and knows in how many ways each class can come up."""

    def grade(self, die: Die, faces: tuple[int, ...]) -> str:
        """Return the class of ``faces``."""

    def ways(self, die: Die, count: int) -> Mapping[str, int]:
        """Return for each class that can come up the number of outcomes of ``count`` dice that fall in it."""

    def as_value(self) -> Value:
        """Return what identifies the cut; it goes into the digest of the question."""


class ByFace(NamedTuple):
    """Each die has a class by its face; of several dice the class that stands first in ``order`` counts.

    ``ranks`` holds for each face, the lowest first, the place of its class in ``order``; :meth:`of` works them out. With
    ``order`` from best to worst two dice are an advantage, from worst to best a disadvantage.

    >>> coin = ByFace.of(("miss", "miss", "miss", "hit", "hit", "hit"), ("hit", "miss"))
    >>> coin.grade(D6, (2, 5)), dict(coin.ways(D6, 2))
    ('hit', {'hit': 27, 'miss': 9})
    """

    order: tuple[str, ...]
    ranks: tuple[int, ...]

    @classmethod
    def of(cls, classes: Sequence[str], order: Sequence[str]) -> ByFace:
        """Return the cut that gives each face, the lowest first, its class.

        Raises:
            StateError: a class has no place in the order.
        """
        missing = sorted(set(classes) - set(order))
        if missing:
            raise StateError("a class has no place in the order", found=", ".join(missing), expected=", ".join(order))
        places = {name: place for place, name in enumerate(order)}
        return cls(tuple(order), tuple([places[name] for name in classes]))

    def grade(self, die: Die, faces: tuple[int, ...]) -> str:
        """Return the class that counts."""
        order, ranks = self
        low = die[0]
        if len(faces) == 1:
            return order[ranks[faces[0] - low]]
        if len(faces) == 2:
            first, second = ranks[faces[0] - low], ranks[faces[1] - low]
            return order[first if first < second else second]
        return order[min([ranks[face - low] for face in faces])]

    def ways(self, die: Die, count: int) -> Mapping[str, int]:
        """Count by classes, not by outcomes: what is left when the better classes are taken away."""
        return _face_ways(self, die, count)

    def as_value(self) -> Value:
        """Return the order and the ranks."""
        return ("by face", self.order, self.ranks)


@lru_cache(maxsize=1024)
def _face_ways(cut: ByFace, die: Die, count: int) -> Mapping[str, int]:
    if len(cut.ranks) != die.sides:
        raise StateError("a cut needs a class for each face", found=len(cut.ranks), expected=die.sides)
    ways = {}
    left = die.sides
    for place, name in enumerate(cut.order):
        rest = left - cut.ranks.count(place)
        if rest != left:
            ways[name] = left**count - rest**count
        left = rest
    return ways


class ByTotal(NamedTuple):
    """The sum of the dice plus ``modifier`` is sorted by bounds: the first bound that it reaches names the class.

    ``bounds`` go from the highest down; a total below all of them is ``otherwise``.

    >>> task = ByTotal(((8, "success"),), "failure", modifier=1)
    >>> task.grade(D6, (3, 4)), dict(task.ways(D6, 2))
    ('success', {'failure': 15, 'success': 21})
    """

    bounds: tuple[tuple[int, str], ...]
    otherwise: str
    modifier: int = 0

    def grade(self, die: Die, faces: tuple[int, ...]) -> str:
        """Return the class of the total."""
        return self._class(sum(faces) + self.modifier)

    def _class(self, total: int) -> str:
        for bound, name in self.bounds:
            if total >= bound:
                return name
        return self.otherwise

    def ways(self, die: Die, count: int) -> Mapping[str, int]:
        """Count by totals."""
        return _total_ways(self, die, count)

    def as_value(self) -> Value:
        """Return bounds and modifier."""
        return ("by total", self.bounds, self.otherwise, self.modifier)


@lru_cache(maxsize=1024)
def _total_ways(cut: ByTotal, die: Die, count: int) -> Mapping[str, int]:
    totals = {0: 1}
    for _ in range(count):
        added: dict[int, int] = {}
        for total, ways in totals.items():
            for face in range(die.low, die.high + 1):
                added[total + face] = added.get(total + face, 0) + ways
        totals = added
    by_class: dict[str, int] = {}
    for total, ways in totals.items():
        name = cut._class(total + cut.modifier)
        by_class[name] = by_class.get(name, 0) + ways
    return by_class
