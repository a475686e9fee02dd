"""What terrain looks like: a light ground and marks in ink, each kind with marks of its own."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple

from .svg import element, group, hexagon, polygon

__all__ = ["PATTERNS", "TerrainLook", "terrain_looks", "tile"]

_WHOLE = 50.0  # all patterns are drawn for a hex of this width, then scaled


class TerrainLook(NamedTuple):
    """How a kind of terrain is called in the legend, and the pattern that fills its hexes: a key of :data:`PATTERNS`."""

    title: str
    pattern: str


class _Pattern(NamedTuple):
    ground: str
    ink: str
    marks: Callable[[str], Iterator[str]]


def _path(d: str, ink: str, width: float = 1.4, fill: str = "none") -> str:
    return element("path", d=d, fill=fill, stroke=ink, stroke_width=width, stroke_linecap="round")


def _trees(ink: str) -> Iterator[str]:
    for x, y in ((-11, -6), (9, -9), (-2, 8), (14, 9), (-15, 12)):
        yield polygon([(x, y - 8), (x + 5.5, y + 4), (x - 5.5, y + 4)], fill=ink)
        yield element("rect", x=x - 0.9, y=y + 4, width=1.8, height=3, fill=ink)


def _leaves(ink: str) -> Iterator[str]:
    for x, y in ((-12, -8), (3, -13), (13, -2), (-2, 2), (-14, 8), (5, 14)):
        for turn in (-50, 0, 50):
            leaf = element("ellipse", cx=0, cy=-4.5, rx=1.9, ry=4.5, fill="none", stroke=ink, stroke_width=1.2)
            yield group([leaf], transform=f"translate({x} {y}) rotate({turn})")


def _tufts(ink: str) -> Iterator[str]:
    for x, y in ((-13, -4), (0, -11), (12, -3), (-4, 6), (9, 12), (-15, 12)):
        yield _path(f"M{x - 3} {y - 4}L{x} {y + 2}L{x + 3} {y - 4}M{x} {y + 2}V{y - 6}", ink, 1.2)


def _bars(ink: str) -> Iterator[str]:
    yield _path("M-18 -4H18M-18 6H18", ink, 2)
    for x in (-12, 0, 12):
        yield _path(f"M{x - 5} 12L{x + 5} -10M{x + 5} 12L{x - 5} -10", ink, 2.2)


def _wreck(ink: str) -> Iterator[str]:
    yield element("rect", x=-16, y=-8, width=32, height=15, rx=3, fill="none", stroke=ink, stroke_width=2)
    yield element("rect", x=-6, y=-14, width=14, height=6, rx=2, fill="none", stroke=ink, stroke_width=2)
    for x in (-9, 9):
        yield element("circle", cx=x, cy=9, r=4, fill=ink)


def _bricks(ink: str) -> Iterator[str]:
    yield hexagon(0, 0, 40, fill="#8d867f", stroke=ink, stroke_width=2.4)
    yield _path("M-20 -10H20M-20 0H20M-20 10H20", ink, 1.2)
    yield _path("M-8 -18V-10M8 -18V-10M0 -10V0M-13 -10V0M13 -10V0M-8 0V10M8 0V10M0 10V18", ink, 1.2)


def _wave(y: float, half: float) -> str:
    """Return a wave along ``y`` from -``half`` to ``half``, crests 10 mm apart."""
    x, parts = -half, [f"M{-half} {y}"]
    while x < half - 0.01:
        step = min(10.0, half - x)
        parts.append(f"q{step / 4:g} -4 {step / 2:g} 0t{step / 2:g} 0")
        x += step
    return "".join(parts)


def _ripples(ink: str) -> Iterator[str]:
    yield _path(_wave(-2, 20), ink, 1.5)
    yield _path(_wave(5, 20), ink, 1.5)


def _waves(ink: str) -> Iterator[str]:
    for y, half in ((-14, 15), (-6, 20), (2, 20), (10, 20), (18, 10)):
        yield _path(_wave(y, half), ink, 1.7)


def _sea(ink: str) -> Iterator[str]:
    for row, y in enumerate((-16, -8, 0, 8, 16)):
        shift = 5 if row % 2 else 0
        for x in range(-20 + shift, 16, 12):
            if abs(x + 4) + abs(y) * 0.6 < 24:
                yield _path(f"M{x} {y}q4 -6 8 0", ink, 1.7)


def _dots(ink: str) -> Iterator[str]:
    for x, y in ((-12, -8), (0, -12), (12, -8), (-12, 4), (0, 0), (12, 4), (0, 12)):
        yield element("circle", cx=x, cy=y, r=1.8, fill=ink)


def _crosses(ink: str) -> Iterator[str]:
    for x, y in ((-12, -6), (0, -12), (12, -6), (-12, 8), (0, 2), (12, 8)):
        yield _path(f"M{x - 3} {y}h6M{x} {y - 3}v6", ink, 1.4)


def _rings(ink: str) -> Iterator[str]:
    for radius in (5, 10, 15):
        yield element("circle", cx=0, cy=0, r=radius, fill="none", stroke=ink, stroke_width=1.4)


PATTERNS: Mapping[str, _Pattern] = MappingProxyType(
    {
        "trees": _Pattern("#dfeeda", "#2f5d2c", _trees),
        "leaves": _Pattern("#cbe4c0", "#1f4d1f", _leaves),
        "tufts": _Pattern("#f1f3dc", "#6a6a1f", _tufts),
        "bars": _Pattern("#f4e8d4", "#6b4416", _bars),
        "wreck": _Pattern("#ebebeb", "#4a4a4a", _wreck),
        "bricks": _Pattern("#cfc9c3", "#33302d", _bricks),
        "ripples": _Pattern("#e8f3fb", "#2b6ca3", _ripples),
        "waves": _Pattern("#cfe5f6", "#1d5a90", _waves),
        "sea": _Pattern("#a9cdec", "#123f69", _sea),
        "dots": _Pattern("#f2f2f2", "#555555", _dots),
        "crosses": _Pattern("#f2f2f2", "#555555", _crosses),
        "rings": _Pattern("#f2f2f2", "#555555", _rings),
    }
)
"""What can fill a hex, by name: nine that show something, three for whatever a game does not describe."""

_PLAIN = ("dots", "crosses", "rings")


def terrain_looks(words: Iterable[str], known: Mapping[str, TerrainLook]) -> Mapping[str, TerrainLook]:
    """Return a look for each word: what ``known`` says, else its own name and one of the plain patterns.

    >>> terrain_looks(["lava_pit"], {})["lava_pit"]
    TerrainLook(title='Lava pit', pattern='dots')
    """
    looks: dict[str, TerrainLook] = {}
    plain = 0
    for word in dict.fromkeys(words):
        look = known.get(word)
        if look is None or look.pattern not in PATTERNS:
            title = word.replace("_", " ").capitalize() if look is None else look.title
            look = TerrainLook(title, _PLAIN[plain % len(_PLAIN)])
            plain += 1
        looks[word] = look
    return looks


def tile(pattern: str, across: float) -> str:
    """Return a hex of a pattern around (0, 0), ``across`` wide."""
    ground, ink, marks = PATTERNS[pattern]
    scale = across / _WHOLE
    inner = group(marks(ink), transform=f"scale({scale:.4g})") if not math.isclose(scale, 1) else group(marks(ink))
    return hexagon(0, 0, across, fill=ground) + inner
