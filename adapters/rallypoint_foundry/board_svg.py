"""The background of the scene: terrain that is told by colour and marks, where each side begins, Rally Points, names of hexes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from html import escape
from types import MappingProxyType
from typing import NamedTuple

from rallypoint.kernel.board import Board
from rallypoint.kernel.encounter import Encounter
from rallypoint.kernel.hexes import SIDES, to_offset
from rallypoint.kernel.state import Entity, Hex

from .places import HEX_PIXELS, Spot, board_pixels, corner, on_board

__all__ = ["board_picture", "has_picture"]

_GROUND = "#f7f5ee"
_TEXT = "#262626"
_EDGE = f'stroke="{_GROUND}" stroke-width="4" stroke-linejoin="round" paint-order="stroke"'
_SIDE = HEX_PIXELS / 3**0.5
_SHAPE = ((0.0, -_SIDE), (0.5, -_SIDE / 2), (0.5, _SIDE / 2), (0.0, _SIDE), (-0.5, _SIDE / 2), (-0.5, -_SIDE / 2))
_COLOURS = MappingProxyType(
    {
        "red": "#8c1515",
        "blue": "#174ea6",
        "green": "#14532d",
        "yellow": "#8a6400",
        "purple": "#4c1d7a",
        "grey": "#595959",
    }
)


class _Look(NamedTuple):
    """The colour of the ground, that of the marks on it, and the marks: lines, and whether they are filled."""

    ground: str
    ink: str
    lines: str
    filled: bool = False


def _many(places: str, mark: str) -> str:
    """Return one mark at each of the places, which are pairs ``x,y`` from the middle of the hex."""
    return "".join(f"M{place.replace(',', ' ')}{mark}" for place in places.split())


_TREES = _many("-27,-32 22,-40 -5,0 34,2 -37,10", "l12 26h-9v8h-6v-8h-9z")
_LEAVES = _many("-29,-10 7,-20 31,6 -5,16 -36,28 14,42", "q-16 -8 -14 -24q14 4 14 24q0 -20 14 -24q2 16 -14 24z")
_TUFTS = _many("-31,-4 0,-20 29,-2 -10,20 22,34", "l-8 -14m8 14v-20m0 20l8 -14")
_BARS = "M-44 -10H44M-44 16H44" + _many("-40,30 -12,30 16,30", "l24 -52m0 52l-24 -52")
_WRECK = "M-38 -22h76v26h-76zM-14 -36h32v14h-32z" + _many("-29,11 15,11", "a7 7 0 1 0 14 0a7 7 0 1 0 -14 0")
_BRICKS = "M-46 -24H46M-46 0H46M-46 24H46M-18 -48V-24M18 -48V-24M0 -24V0M-32 -24V0M32 -24V0M-18 0V24M18 0V24M0 24V48"
_WAVE = "q6 -10 12 0t12 0t12 0t12 0"
_LOOKS = MappingProxyType(
    {
        "forest": _Look("#dfeeda", "#2f5d2c", _TREES, True),
        "jungle": _Look("#cbe4c0", "#1f4d1f", _LEAVES),
        "undergrowth": _Look("#f1f3dc", "#6a6a1f", _TUFTS),
        "barricade": _Look("#f4e8d4", "#6b4416", _BARS),
        "unmanned_vehicle": _Look("#ebebeb", "#4a4a4a", _WRECK),
        "building": _Look("#cfc9c3", "#33302d", _BRICKS),
        "stream": _Look("#e8f3fb", "#2b6ca3", _many("-24,-6 -24,14", _WAVE)),
        "river": _Look("#cfe5f6", "#1d5a90", _many("-24,-32 -24,-12 -24,8 -24,28", _WAVE)),
        "water": _Look("#a9cdec", "#123f69", _many("-44,-24 6,-24 -20,-2 -44,20 6,20", "q9 -16 18 0q9 -16 18 0")),
    }
)
_PLAIN = (
    _Look("#ececec", "#555555", _many("-29,-20 0,-29 29,-20 -29,14 0,0 29,14 0,30", "a4 4 0 1 0 .1 0z"), True),
    _Look("#e4e4e4", "#555555", _many("-29,-14 0,-28 29,-14 -29,22 0,6 29,22", "m-7 0h14m-7 -7v14")),
    _Look("#f2f2f2", "#555555", "M-26 0a26 26 0 1 0 52 0a26 26 0 1 0 -52 0M-12 0a12 12 0 1 0 24 0a12 12 0 1 0 -24 0"),
)
"""What stands for terrain of which nothing is known but the word."""


def has_picture(encounter: Encounter, board: Board) -> bool:
    """Say whether there is anything to draw on the board."""
    return bool(board.terrain or encounter.zones or _rally_points(encounter, board))


def board_picture(encounter: Encounter, board: Board) -> str:
    """Return the board as an SVG of the scene's size, for the background; the tokens stand on it.

    Terrain is told by colour and marks, and each patch of it is named once. Zones have a tint and an outline in the
    colour of their side, Rally Points a flag and their name.
    """
    width, height = board_pixels(board)
    rows = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        'font-family="sans-serif" text-anchor="middle">',
        f'<rect width="{width}" height="{height}" fill="{_GROUND}"/>',
        *_terrain(board),
        *_zones(encounter, board),
        *_hex_names(board),
        *_patch_names(board, {place for _, place in _rally_points(encounter, board)}),
        *_flags(encounter, board),
        "</svg>",
    ]
    return "\n".join(rows) + "\n"


def _middle(place: Hex) -> tuple[int, int]:
    column, row = to_offset(place)
    return corner(Spot(column, row, 0, 0), 0)


def _hex_names(board: Board) -> Iterator[str]:
    """Yield the name of each hex over its middle: a letter for the column, the row from 1."""
    for place in board.hexes():
        x, y = _middle(place)
        column, row = to_offset(place)
        letters, column = "", column + 1
        while column > 0:
            column, rest = divmod(column - 1, 26)
            letters = chr(ord("A") + rest) + letters
        yield f'<text x="{x}" y="{y - 46}" font-size="13" fill="#4d4d4d" {_EDGE}>{letters}{row + 1}</text>'


def _hexagon(place: Hex, fill: str, opacity: str = "1") -> str:
    x, y = _middle(place)
    points = " ".join([f"{round(x + a * HEX_PIXELS)},{round(y + b)}" for a, b in _SHAPE])
    return f'<polygon points="{points}" fill="{fill}" fill-opacity="{opacity}"/>'


def _terrain(board: Board) -> Iterator[str]:
    words = sorted(set(board.terrain.values()))
    unknown = [word for word in words if word not in _LOOKS]
    looks = {word: _LOOKS.get(word) or _PLAIN[unknown.index(word) % len(_PLAIN)] for word in words}
    for place, word in sorted(board.terrain.items()):
        if not on_board(board, place):
            continue
        look = looks[word]
        x, y = _middle(place)
        fill = look.ink if look.filled else "none"
        yield _hexagon(place, look.ground)
        yield (
            f'<path transform="translate({x} {y})" d="{look.lines}" fill="{fill}" stroke="{look.ink}" '
            f'stroke-width="{1 if look.filled else 3}"/>'
        )


def _neighbours(place: Hex) -> list[Hex]:
    return [Hex(place.q + step[0], place.r + step[1]) for step in SIDES]


def _patches(board: Board) -> Iterator[tuple[str, list[Hex]]]:
    """Yield each patch of one kind of terrain with its hexes."""
    left = {place for place in board.terrain if on_board(board, place)}
    for start in sorted(left, key=lambda each: (each.r, each.q)):
        if start not in left:
            continue
        word, patch, edge = board.terrain[start], [], [start]
        left.discard(start)
        while edge:
            place = edge.pop()
            patch.append(place)
            near = [each for each in _neighbours(place) if each in left and board.terrain[each] == word]
            left.difference_update(near)
            edge += near
        yield word, patch


def _patch_names(board: Board, flagged: set[Hex]) -> Iterator[str]:
    """Yield the name of each patch in its middle, but in no hex whose foot has the name of a Rally Point."""
    for word, patch in _patches(board):
        points = [_middle(place) for place in patch if place not in flagged]
        if not points:
            continue
        x, y = (sum(axis) / len(points) for axis in zip(*points, strict=True))
        at = min(points, key=lambda point: (abs(point[0] - x) + abs(point[1] - y), point[1], point[0]))
        yield from _words(word.replace("_", " "), at[0], at[1] + 40, 14)


def _words(text: str, x: float, foot: float, size: int, *, weight: str = "normal") -> Iterator[str]:
    """Yield text over the foot of a hex, in up to two lines that stay inside it, with a light edge."""
    text = "".join([letter for letter in text if letter >= " "])  # XML has no control characters
    lines = [text]
    if len(text) > 12 and " " in text:
        spaces = [place for place, letter in enumerate(text) if letter == " "]
        middle = min(spaces, key=lambda place: abs(place - len(text) / 2))
        lines = [text[:middle], text[middle + 1 :]]
    wide = max(sum(2 if ord(letter) > 0x2E7F else 1 for letter in line) for line in lines)
    size = min(size, int(0.9 * HEX_PIXELS / (0.6 * max(wide, 1)))) or 1
    for number, line in enumerate(lines):
        y = foot - (len(lines) - 1 - number) * size
        style = f'font-size="{size}" font-weight="{weight}" fill="{_TEXT}" {_EDGE}'
        yield f'<text x="{x}" y="{y}" {style}>{escape(line)}</text>'


def _colours(encounter: Encounter) -> Mapping[str, str]:
    """Return a colour for each side: that of its name, else the next that is free."""
    sides = [entity.uid for entity in encounter.state.children(None)]
    found = {uid: _COLOURS[uid.casefold()] for uid in sides if uid.casefold() in _COLOURS}
    free = [colour for colour in _COLOURS.values() if colour not in found.values()] or list(_COLOURS.values())
    others = [uid for uid in sides if uid not in found]
    return found | {uid: free[number % len(free)] for number, uid in enumerate(others)}


def _zones(encounter: Encounter, board: Board) -> Iterator[str]:
    colours = _colours(encounter)
    for side, zone in encounter.zones.items():
        held = {Hex(place.q, place.r) for place in zone if on_board(board, Hex(place.q, place.r))}
        colour = colours.get(side, _TEXT)
        lines = []
        for place in sorted(held, key=lambda each: (each.r, each.q)):
            yield _hexagon(place, colour, "0.08")
            lines += [_border(place, other) for other in _neighbours(place) if other not in held]
        dash = "" if side == next(iter(encounter.zones)) else ' stroke-dasharray="14 8"'
        yield f'<path d="{"".join(lines)}" fill="none" stroke="{colour}" stroke-width="5" stroke-linecap="round"{dash}/>'


def _border(place: Hex, other: Hex) -> str:
    """Return the line between two neighbours, a touch inside the first: where two zones meet both can be seen."""
    (x, y), (to_x, to_y) = _middle(place), _middle(other)
    across, down = (to_x - x) / HEX_PIXELS, (to_y - y) / HEX_PIXELS
    at_x, at_y = x + across * (HEX_PIXELS / 2 - 4), y + down * (HEX_PIXELS / 2 - 4)
    half = _SIDE / 2 - 2
    return f"M{at_x - down * half:.0f} {at_y + across * half:.0f}L{at_x + down * half:.0f} {at_y - across * half:.0f}"


def _rally_points(encounter: Encounter, board: Board) -> list[tuple[Entity, Hex]]:
    found = [(entity, entity.place) for entity in encounter.state if entity.role == "rally_point"]
    return [(entity, place) for entity, place in found if isinstance(place, Hex) and on_board(board, place)]


def _flags(encounter: Encounter, board: Board) -> Iterator[str]:
    colours = _colours(encounter)
    for entity, place in _rally_points(encounter, board):
        x, y = _middle(place)
        side = entity
        while side.parent is not None:
            side = encounter.state[side.parent]
        sheet = encounter.sheets.get(entity.uid)
        colour = colours.get(side.uid, _TEXT)
        yield (
            f'<path transform="translate({x} {y})" d="M-14 18V-38L22 -25L-14 -12" fill="{colour}" stroke="{_GROUND}" '
            'stroke-width="9" stroke-linejoin="round" paint-order="stroke"/>'
        )
        yield f'<path transform="translate({x} {y})" d="M-14 18V-38" fill="none" stroke="{colour}" stroke-width="4"/>'
        name = entity.uid if sheet is None else sheet.name
        yield from _words(name, x, y + 50, 15, weight="bold")
