"""Writing SVG: elements as text, numbers in one form, text that is made to fit. The same call gives the same bytes."""

from __future__ import annotations

import math
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable

__all__ = [
    "FONT",
    "Drawing",
    "broken",
    "element",
    "fitted",
    "group",
    "hexagon",
    "number",
    "polygon",
    "text",
    "text_width",
]

FONT = "DejaVu Sans, Verdana, Arial, Helvetica, sans-serif"
"""Fonts that every system has one of; :func:`text_width` is measured by the widest of them."""

_WIDTHS = {
    **dict.fromkeys("MW@%mw\N{EM DASH}\N{HORIZONTAL ELLIPSIS}", 1.12),
    **dict.fromkeys("ABCDEFGHKNOPQRSTUVXYZ&", 0.88),
    **dict.fromkeys("+=<>~#^", 0.94),
    **dict.fromkeys("abcdeghknopqsuvxyz0123456789_?${}", 0.73),
    **dict.fromkeys('JLrt-"*/\\^', 0.66),
    **dict.fromkeys("Iijlf.,:;'!|()[] \N{RIGHT SINGLE QUOTATION MARK}\N{NO-BREAK SPACE}", 0.48),
}
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")


def number(value: float) -> str:
    """Return a number with at most two decimals, the shortest way.

    >>> number(2.0), number(1 / 3), number(-0.001)
    ('2', '0.33', '0')
    """
    rounded = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if rounded in ("-0", "") else rounded


def escaped(words: str) -> str:
    """Return text as it stands in SVG or HTML, attributes too; what neither can hold becomes a box.

    >>> escaped("O'Neil & <b>")
    'O&#39;Neil &amp; &lt;b&gt;'
    """
    words = _FORBIDDEN.sub("\N{REPLACEMENT CHARACTER}", words)
    words = words.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return words.replace('"', "&quot;").replace("'", "&#39;")


def element(name: str, inside: str | None = None, /, **attributes: str | float) -> str:
    """Return one element; ``_`` in the name of an attribute is a hyphen, ``class_`` is ``class``.

    >>> element("circle", r=2.5, stroke_width=1, class_="mark")
    '<circle r="2.5" stroke-width="1" class="mark"/>'
    """
    parts = [name]
    for key, value in attributes.items():
        shown = escaped(value) if isinstance(value, str) else number(value)
        parts.append(f'{key.rstrip("_").replace("_", "-")}="{shown}"')
    return f"<{' '.join(parts)}/>" if inside is None else f"<{' '.join(parts)}>{inside}</{name}>"


def group(parts: Iterable[str], **attributes: str | float) -> str:
    """Return elements as one."""
    return element("g", "".join(parts), **attributes)


def polygon(points: Iterable[tuple[float, float]], **attributes: str | float) -> str:
    """Return a polygon."""
    return element("polygon", points=" ".join(f"{number(x)},{number(y)}" for x, y in points), **attributes)


def hexagon(x: float, y: float, across: float, /, **attributes: str | float) -> str:
    """Return a hexagon with pointed top around a point; ``across`` is its width from side to side."""
    return polygon(corners(x, y, across), **attributes)


def corners(x: float, y: float, across: float) -> list[tuple[float, float]]:
    """Return the corners of a hexagon with pointed top, from the top clockwise."""
    radius = across / math.sqrt(3)
    angles = [math.radians(60 * step - 90) for step in range(6)]
    return [(x + radius * math.cos(angle), y + radius * math.sin(angle)) for angle in angles]


def text_width(words: str, size: float, *, bold: bool = False) -> float:
    """Return how wide a text is at most, in the unit of ``size``, in any of the fonts of :data:`FONT`."""
    total = 0.0
    for sign in words:
        if unicodedata.combining(sign):
            continue
        wide = unicodedata.east_asian_width(sign) in "WF"
        total += _WIDTHS.get(sign, 1.12 if wide else 1.25)
    return total * size * (1.0 if bold else 0.9)


def fitted(words: str, size: float, most: float, *, bold: bool = False, least: float = 0.0) -> tuple[str, float]:
    """Return a text and a size so that it is not wider than ``most``: smaller down to ``least``, then cut with an ellipsis.

    >>> fitted("R-1A", 10, 100)
    ('R-1A', 10)
    """
    width = text_width(words, size, bold=bold)
    if width <= most:
        return words, size
    smaller = max(size * most / width, least)
    if text_width(words, smaller, bold=bold) <= most + 1e-9:
        return words, smaller

    def cut(length: int) -> str:
        return f"{words[:length].rstrip()}\N{HORIZONTAL ELLIPSIS}"

    # A longer cut is never narrower, so the longest that fits is found by halves.
    lengths = range(1, len(words) + 1)
    longest = bisect_right(lengths, most + 1e-9, key=lambda length: text_width(cut(length), smaller, bold=bold))
    return cut(longest), smaller


def broken(
    words: str, size: float, most: float, *, lines: int, least: float, bold: bool = False
) -> tuple[list[str], float]:
    """Return a text in at most so many lines, and a size, so that no line is wider than ``most``.

    The letters are as large as they can be, from ``size`` down to ``least``; what does not fit then is cut with an ellipsis.

    >>> broken("Landing zone", 10, 60, lines=2, least=5)
    (['Landing', 'zone'], 10)
    """
    while size >= least:
        made = _wrapped(words, size, most, bold)
        if len(made) <= lines and all(text_width(line, size, bold=bold) <= most for line in made):
            return made, size
        size -= size * 0.05
    made = _wrapped(words, least, most, bold)
    made[lines - 1 :] = [" ".join(made[lines - 1 :])] if made[lines - 1 :] else []
    return [fitted(line, least, most, bold=bold, least=least)[0] for line in made], least


def _wrapped(words: str, size: float, most: float, bold: bool) -> list[str]:
    found: list[str] = []
    for word in words.split():
        longer = f"{found[-1]} {word}" if found else word
        if found and text_width(longer, size, bold=bold) <= most:
            found[-1] = longer
        else:
            found.append(word)
    return found or [words]


def text(
    words: str,
    x: float,
    y: float,
    size: float,
    *,
    most: float | None = None,
    least: float = 0.0,
    bold: bool = False,
    anchor: str = "middle",
    halo: bool = False,
    fill: str,
) -> str:
    """Return a line of text with its baseline at ``y``; with ``most`` it is made to fit that width.

    A ``halo`` of white keeps it legible over whatever lies below.
    """
    if most is not None:
        words, size = fitted(words, size, most, bold=bold, least=least)
    attributes: dict[str, str | float] = {"font_weight": "bold"} if bold else {}
    if halo:
        attributes |= {
            "stroke": "#ffffff",
            "stroke_width": size * 0.28,
            "stroke_linejoin": "round",
            "paint_order": "stroke",
        }
    return element("text", escaped(words), x=x, y=y, font_size=size, text_anchor=anchor, fill=fill, **attributes)


class Drawing:
    """A picture that grows: its size in millimetres, definitions, and elements in the order of painting.

    Args:
        width: in millimetres.
        height: in millimetres.
        title: what a screen reader says.
        scale: pixels to a millimetre on a screen; ``None``: the true size, for print.
    """

    def __init__(self, width: float, height: float, title: str, scale: float | None = None) -> None:
        self.width = width
        self.height = height
        self.title = title
        self.scale = scale
        self.definitions: list[str] = []
        self.parts: list[str] = []

    def add(self, *parts: str) -> None:
        """Paint something over what is there."""
        self.parts += parts

    def svg(self) -> str:
        """Return the picture as a whole document."""
        unit = "mm" if self.scale is None else ""
        scale = 1.0 if self.scale is None else self.scale
        inside = [f"\n{element('title', escaped(self.title))}"]
        if self.definitions:
            inside.append(element("defs", "\n".join(["", *self.definitions, ""])))
        return (
            element(
                "svg",
                "\n".join([*inside, *self.parts, ""]),
                xmlns="http://www.w3.org/2000/svg",
                width=number(self.width * scale) + unit,
                height=number(self.height * scale) + unit,
                viewBox=f"0 0 {number(self.width)} {number(self.height)}",
                font_family=FONT,
                role="img",
            )
            + "\n"
        )
