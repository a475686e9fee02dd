"""A board of hexes: how large it is and what stands on it. It answers any place as a point in millimetres."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple

from .errors import StateError
from .hexes import at_point, centre, from_offset, to_offset
from .parts import Hex, Place, Pose

__all__ = ["Board"]

_NOTHING: Mapping[Hex, str] = MappingProxyType({})


class Board(NamedTuple):
    """A rectangle of hexes in rows, the odd rows shoved to the right by half a hex.

    ``columns`` and ``rows`` count hexes; ``terrain`` names what stands in a hex in the game's own words (open ground is
    not listed), its hexes without a facing; ``hex_mm`` is the width of a hex in millimetres.

    >>> board = Board(12, 12, {Hex(3, 0): "building"})
    >>> board.terrain_at(Hex(3, 0)), Hex(11, 0) in board, Hex(12, 0) in board
    ('building', True, False)
    """

    columns: int
    rows: int
    terrain: Mapping[Hex, str] = _NOTHING
    hex_mm: float = 50.0

    def __contains__(self, place: object) -> bool:
        return self.holds(place)

    def holds(self, place: object) -> bool:
        """Say whether a place is a hex of the board. ``in`` says the same; type checkers read it as a question to a tuple."""
        if not isinstance(place, Hex):
            return False
        column, row = to_offset(place)
        return 0 <= column < self.columns and 0 <= row < self.rows

    def hexes(self) -> Iterator[Hex]:
        """Yield every hex, row by row from the top left."""
        for row in range(self.rows):
            for column in range(self.columns):
                yield from_offset(column, row)

    def terrain_at(self, place: Hex) -> str | None:
        """Return what stands in a hex, ``None`` for open ground."""
        return self.terrain.get(Hex(place.q, place.r))

    def point(self, place: Place) -> tuple[float, float]:
        """Return a place as millimetres from the top left corner of the board's rectangle, y downwards.

        Raises:
            StateError: the place is a zone, which is nowhere on a board.
        """
        if isinstance(place, Pose):
            return place.x, place.y
        if not isinstance(place, Hex):
            raise StateError("a zone has no point on a board", found=place)
        x, y = centre(place, self.hex_mm)
        return x + self.hex_mm / 2, y + self.hex_mm / 3**0.5

    def hex_at(self, x: float, y: float) -> Hex:
        """Return the hex over which a point lies, on the board or off it; the arguments are those that :meth:`point` gives.

        >>> Board(12, 12).hex_at(*Board(12, 12).point(Hex(3, 4)))
        Hex(q=3, r=4, facing=None)
        """
        return at_point(x - self.hex_mm / 2, y - self.hex_mm / 3**0.5, self.hex_mm)

    @property
    def size(self) -> tuple[float, float]:
        """Width and height in millimetres, with the half hex by which odd rows stand out."""
        width = self.hex_mm * (self.columns + (0.5 if self.rows > 1 else 0.0))
        height = self.hex_mm * 3**0.5 * (self.rows / 2 + 1 / 6)
        return width, height
