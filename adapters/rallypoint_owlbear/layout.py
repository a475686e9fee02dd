"""Where a hex lies in a scene of Owlbear Rodeo: world pixels, y downwards, pointed tops (HEX_VERTICAL)."""

from __future__ import annotations

import math

from rallypoint.kernel.parts import Hex

from .trackers import Json

__all__ = ["position"]


def position(place: Hex, dpi: int) -> Json:
    """Return the centre of a hex; ``dpi`` is the width of a cell in pixels.

    The world's zero is no centre: it lies half a hexside below that of hex (0, 0).

    >>> position(Hex(0, 0), 150), position(Hex(2, 1), 150)
    ({'x': 0.0, 'y': -43.301}, {'x': 375.0, 'y': 86.603})
    """
    side = dpi / math.sqrt(3)
    return {"x": dpi * (place.q + place.r / 2), "y": round(1.5 * side * place.r - side / 2, 3)}
