"""Token counters: one for each stand, as large as its hex base, and one for each figure.

A counter says its side by colour, by a dark or light body and by its rim, who it is by the code that stands on its base (D-R4.2)
and its class by a mark. It is drawn in millimetres and true to size; a VTT shows it at any.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Iterator
from typing import NamedTuple

from rallypoint.kernel.encounter import Encounter

from .board_picture import base
from .look import PAPER, SideLook, mark, rim_of, side_looks
from .stands import Figure, Stand, sheet_of, stands
from .svg import Drawing, element, group, text

__all__ = ["BASE_MM", "FIGURE_MM", "Counter", "counters", "file_name"]

BASE_MM = 50.0
"""The width of a hex base (D-R4.1)."""
FIGURE_MM = 10.0
"""The diameter of a figure's counter: four stand on a base (D-R4.1)."""

_RESERVED = {"con", "prn", "aux", "nul", *[f"{port}{number}" for port in ("com", "lpt") for number in range(1, 10)]}
"""What Windows takes for devices, whatever the suffix."""


class Counter(NamedTuple):
    """One counter: what it stands for, and its picture.

    ``kind`` is ``stand`` or ``unit``; ``parts`` is drawn around (0, 0), ``width`` and ``height`` are in millimetres.
    """

    uid: str
    kind: str
    title: str
    width: float
    height: float
    parts: str

    def svg(self) -> str:
        """Return the counter as a picture of its own."""
        drawing = Drawing(self.width, self.height, self.title)
        drawing.add(group([self.parts], transform=f"translate({self.width / 2:.3f} {self.height / 2:.3f})"))
        return drawing.svg()


def counters(encounter: Encounter, *, figure_mm: float = FIGURE_MM) -> Iterator[Counter]:
    """Yield a counter for each stand, followed by one for each of its figures.

    Args:
        encounter: whose.
        figure_mm: diameter of a figure's counter.
    """
    looks = side_looks(encounter)
    for stand in stands(encounter):
        look = looks[stand.side]
        side = sheet_of(encounter, encounter.state[stand.side]).name
        if stand.entity.role == "team":
            yield _stand(stand, look, side, encounter.board.hex_mm if encounter.board else BASE_MM)
        for figure in stand.figures:
            yield _unit(figure, stand.code, look, figure_mm)


def _stand(stand: Stand, look: SideLook, side: str, across: float) -> Counter:
    """Return a base: the code above, a place for each figure with its mark and number, the side's name below."""
    parts = [base(0, 0, across, look)]
    parts.append(text(stand.code, 0, -across * 0.09, across * 0.25, most=across * 0.76, bold=True, fill=look.on_body))
    count = max(len(stand.figures), 1)
    # Side by side they may be 0.86 of the base wide: what the rim leaves.
    pitch = min(across * 0.21, across * 0.86 / count)
    for number, figure in enumerate(stand.figures):
        x, y, radius = (number - (count - 1) / 2) * pitch, across * 0.11, pitch * 0.475
        parts.append(element("circle", cx=x, cy=y, r=radius, fill=PAPER, stroke=look.edge, stroke_width=across * 0.008))
        parts.append(mark(figure.role, x, y - radius * 0.26, radius * 0.95, "#1a1a1a"))
        label = text(str(figure.number), x, y + radius * 0.82, radius * 0.62, most=radius, bold=True, fill="#1a1a1a")
        parts.append(label)
    parts.append(text(side, 0, across * 0.36, across * 0.09, most=across * 0.5, bold=True, fill=look.on_body))
    height = across * 2 / math.sqrt(3)
    return Counter(stand.entity.uid, "stand", f"{stand.code} {stand.title}", across, height, "".join(parts))


def _unit(figure: Figure, code: str, look: SideLook, across: float) -> Counter:
    """Return a figure's disc: the mark of its class above, the code of its stand, its number in the stand below."""
    radius = across / 2
    width = across * 0.08
    inner = radius - width / 2
    parts = [element("circle", cx=0, cy=0, r=radius, fill=look.body)]
    parts += [element("circle", cx=0, cy=0, r=inner, **stroke) for stroke in rim_of(look, 2 * math.pi * inner, width)]
    parts.append(mark(figure.role, 0, -across * 0.23, across * 0.27, look.on_body))
    parts.append(text(code, 0, across * 0.13, across * 0.26, most=across * 0.76, bold=True, fill=look.on_body))
    number = text(str(figure.number), 0, across * 0.37, across * 0.23, most=across * 0.3, bold=True, fill=look.on_body)
    parts.append(number)
    return Counter(figure.uid, "unit", f"{code}-{figure.number} {figure.name}", across, across, "".join(parts))


def file_name(counter: Counter, suffix: str) -> str:
    """Return a path for a counter, in ASCII; a uid that has other signs keeps a hash of them.

    >>> file_name(Counter("starter-1A", "stand", "", 50, 57.7, ""), "svg")
    'stands/starter-1A.svg'
    """
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", counter.uid).strip("-._")[:60]
    if plain != counter.uid or not plain or plain.partition(".")[0].casefold() in _RESERVED:
        digest = hashlib.sha256(counter.uid.encode("utf-8", "surrogatepass")).hexdigest()[:6]
        plain = f"{plain.replace('.', '-') or 'counter'}-{digest}"
    return f"{counter.kind}s/{plain}.{suffix}"
