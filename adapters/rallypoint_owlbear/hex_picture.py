"""The board as a plain PNG: hexes in flat colours with their lines, for a map that brings its picture with it.

An encoder of our own, of a few lines: the adapter needs no library for pictures, the same board gives the same bytes,
and whoever has a drawn map of the same size can put it in the picture's place.
"""

from __future__ import annotations

import math
import struct
import zlib
from collections.abc import Sequence

from rallypoint.kernel.board import Board
from rallypoint.kernel.hexes import from_offset

__all__ = ["hex_picture", "picture_size", "png"]

_LINE = 2
"""Pixels of a hex's edge on each side of it."""
_GROUND, _LINES, _OUTSIDE = (232, 224, 204), (150, 140, 120), (60, 60, 60)
_KNOWN = {
    "building": (110, 104, 100),
    "forest": (76, 122, 66),
    "jungle": (52, 104, 72),
    "undergrowth": (146, 170, 104),
    "barricade": (166, 120, 78),
    "unmanned_vehicle": (128, 132, 96),
    "stream": (156, 196, 220),
    "river": (112, 160, 206),
    "water": (70, 118, 180),
}
_OTHERS = ((186, 160, 190), (206, 180, 120), (150, 190, 180), (200, 140, 130), (140, 150, 190))


def picture_size(board: Board, pixels: int) -> tuple[int, int]:
    """Return width and height of the picture, in whole cells of ``pixels``, so that a square grid fits over it.

    >>> picture_size(Board(12, 12), 70)
    (910, 770)
    """
    width, height = board.size
    return (
        pixels * math.ceil(round(width / board.hex_mm, 6)),
        pixels * math.ceil(round(height / board.hex_mm, 6)),
    )


def hex_picture(board: Board, pixels: int) -> bytes:
    """Return the board as a PNG file; a hex is ``pixels`` wide, the board's corner is the picture's."""
    words = sorted(set(board.terrain.values()))
    colours = [_OUTSIDE, _LINES, _GROUND]
    colours += [_KNOWN.get(word, _OTHERS[number % len(_OTHERS)]) for number, word in enumerate(words)]
    index = {word: number for number, word in enumerate(words, 3)}
    width, height = picture_size(board, pixels)
    tall = pixels / math.sqrt(3)
    lines = []
    for y in range(height):
        line = bytearray(width)
        # A pixel row meets the hexes of at most two rows: the points of one reach between those of the next.
        for row in range(max(0, int(y / (1.5 * tall)) - 1), min(board.rows, int(y / (1.5 * tall)) + 1)):
            half = _half_width(abs(y + 0.5 - tall * (1.5 * row + 1)), tall, pixels)
            for column in range(board.columns) if half >= _LINE else ():
                centre = pixels * (column + 0.5 + (row & 1) / 2)
                word = board.terrain_at(from_offset(column, row))
                _span(line, centre - half, centre + half, 1)
                _span(line, centre - half + _LINE, centre + half - _LINE, 2 if word is None else index[word])
        lines.append(bytes(line))
    return png(lines, colours)


def _half_width(off: float, tall: float, pixels: int) -> float:
    """Return half of a hex's width at a distance from its middle line, both in pixels; 0 outside."""
    return min(pixels / 2, max(0.0, (tall - off) * math.sqrt(3)))


def _span(line: bytearray, start: float, end: float, colour: int) -> None:
    first, last = max(0, round(start)), min(len(line), round(end))
    if first < last:
        line[first:last] = bytes([colour]) * (last - first)


def png(lines: Sequence[bytes], colours: Sequence[tuple[int, int, int]]) -> bytes:
    """Return a PNG file of lines of palette indices, all of one length; ``colours`` are at most 256."""
    head = struct.pack(">IIBBBBB", len(lines[0]), len(lines), 8, 3, 0, 0, 0)
    palette = b"".join(bytes(colour) for colour in colours)
    data = zlib.compress(b"".join(b"\0" + line for line in lines), 9)
    chunks = ((b"IHDR", head), (b"PLTE", palette), (b"IDAT", data), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, content) for kind, content in chunks)


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
