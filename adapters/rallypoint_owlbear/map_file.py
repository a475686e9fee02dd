"""The map as ``.dd2vtt`` (Universal VTT): picture and walls, for the extension Smoke & Spectre; no tokens.

The format knows square grids alone, so a square is as wide as a hex. Walls run around each block of hexes that hold
a building.
"""

from __future__ import annotations

import base64
import math

from rallypoint.kernel.board import Board
from rallypoint.kernel.hexes import neighbours
from rallypoint.kernel.parts import Hex

from .hex_picture import hex_picture, picture_size
from .trackers import Json

__all__ = ["PIXELS", "map_document", "outlines"]

PIXELS = 70
"""Pixels of a grid cell in the picture."""

_Point = tuple[int, int]
_CORNERS: tuple[_Point, ...] = ((1, -1), (0, -2), (-1, -1), (-1, 1), (0, 2), (1, 1))
"""Corners of a hex from its centre, anticlockwise from the right upper one: x in half widths, y in half sides."""


def map_document(board: Board, walls: frozenset[str]) -> tuple[Json, bool]:
    """Return the document, and whether a hex of the board has walls.

    Smoke & Spectre offers no import for a map without walls: where there is no building, one runs around the board.

    Args:
        board: the board.
        walls: the kinds of terrain that nobody sees through.
    """
    blocks = {place for place in board.hexes() if board.terrain_at(place) in walls}
    width, height = picture_size(board, PIXELS)
    lines = outlines(blocks) if blocks else []
    x, y = width / PIXELS, height / PIXELS
    around = [{"x": 0.0, "y": 0.0}, {"x": x, "y": 0.0}, {"x": x, "y": y}, {"x": 0.0, "y": y}, {"x": 0.0, "y": 0.0}]
    document: Json = {
        "format": 0.3,
        "resolution": {
            "map_origin": {"x": 0, "y": 0},
            "map_size": {"x": width // PIXELS, "y": height // PIXELS},
            "pixels_per_grid": PIXELS,
        },
        "line_of_sight": lines or [around],
        "objects_line_of_sight": [],
        "portals": [],
        "environment": {"baked_lighting": True, "ambient_light": "ffffffff"},
        "lights": [],
        "image": base64.b64encode(hex_picture(board, PIXELS)).decode("ascii"),
    }
    return document, bool(blocks)


def outlines(blocks: set[Hex]) -> list[list[dict[str, float]]]:
    """Return the closed lines around blocks of hexes, in grid cells from the board's corner; holes have their own.

    A side between two hexes of a block is no wall.
    """
    follows: dict[_Point, list[_Point]] = {}
    for place in sorted(blocks):
        middle = (2 * place.q + place.r + 1, 3 * place.r + 2)
        for facing, other in enumerate(neighbours(place)):
            if other not in blocks:
                # The side of a facing lies between the corners before and behind it.
                start, end = _CORNERS[facing - 1], _CORNERS[facing]
                first = (middle[0] + start[0], middle[1] + start[1])
                follows.setdefault(first, []).append((middle[0] + end[0], middle[1] + end[1]))
    lines = []
    while follows:
        first = point = min(follows)
        line = [point]
        while point in follows:
            behind = follows[point]
            point, *rest = behind
            if rest:
                follows[line[-1]] = rest
            else:
                del follows[line[-1]]
            line.append(point)
            if point == first:
                break
        lines.append([_grid(corner) for corner in line])
    return lines


def _grid(corner: _Point) -> dict[str, float]:
    """Return a corner in grid cells: a half width is 1/2, a half side is 1 / (2 * sqrt(3))."""
    return {"x": corner[0] / 2, "y": round(corner[1] / (2 * math.sqrt(3)), 6)}
