"""How sides, classes and terrain look: never by colour alone, so that a picture can be read in greyscale."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

from rallypoint.kernel.encounter import Encounter

from .svg import element, group, polygon, text

__all__ = ["INK", "PAPER", "SideLook", "mark", "rim_of", "side_looks"]

INK = "#1a1a1a"
"""Lines and letters on light ground."""
PAPER = "#ffffff"
"""Light ground."""


class SideLook(NamedTuple):
    """A side's body colour, what is drawn on it, the colour of the rim, and the pattern of the rim.

    A side is told by three things: the colour, whether its body is dark or light, and the rim (``plain``, ``dashes``,
    ``dots``, ``double``).
    """

    body: str
    on_body: str
    edge: str
    rim: str


_NAMED: Mapping[str, SideLook] = {
    "red": SideLook("#8c1515", PAPER, "#4d0a0a", "plain"),
    "blue": SideLook("#dbe8ff", "#0b2a66", "#174ea6", "dashes"),
    "green": SideLook("#14532d", PAPER, "#082b16", "dots"),
    "yellow": SideLook("#fff3c4", "#4a3500", "#8a6400", "double"),
    "purple": SideLook("#4c1d7a", PAPER, "#29104a", "dashes"),
    "grey": SideLook("#f0f0f0", "#262626", "#595959", "dots"),
}
_ORDER = tuple(_NAMED)


def side_looks(encounter: Encounter) -> Mapping[str, SideLook]:
    """Return the looks of the sides by uid: what its name says, else the next that is free.

    What stands at the top of the tree and is no side (a force without one) gets a look too.
    """
    roots = [entity.uid for entity in encounter.state.children(None)]
    looks = {uid: _NAMED[uid.casefold()] for uid in roots if uid.casefold() in _NAMED}
    free = [look for look in _NAMED.values() if look not in looks.values()]
    for number, uid in enumerate([uid for uid in roots if uid not in looks]):
        looks[uid] = free[number % len(free)] if free else _NAMED[_ORDER[number % len(_ORDER)]]
    return looks


def rim_of(look: SideLook, length: float, width: float) -> list[dict[str, str | float]]:
    """Return the strokes that draw a rim, each painted over the one before.

    Args:
        look: the side's.
        length: the length of the outline, so that a whole number of dashes fits.
        width: of the rim.
    """
    base: dict[str, str | float] = {"fill": "none", "stroke": look.edge, "stroke_width": width}
    if look.rim == "plain":
        return [base]
    if look.rim == "double":
        return [base, {"fill": "none", "stroke": PAPER, "stroke_width": width / 3}]
    pieces = max(round(length / (width * (3.0 if look.rim == "dashes" else 2.0))), 6)
    dash = length / pieces
    on = dash * 0.5 if look.rim == "dashes" else 0.01
    over: dict[str, str | float] = {
        "fill": "none",
        "stroke": PAPER,
        "stroke_width": width * (0.5 if look.rim == "dashes" else 0.55),
        "stroke_dasharray": f"{on:.3f} {dash - on:.3f}",
    }
    if look.rim == "dots":
        over["stroke_linecap"] = "round"
    return [base, over]


def mark(role: str, x: float, y: float, size: float, colour: str) -> str:
    """Return the mark of a class, ``size`` high around a point.

    A star is a CO, a chevron an NCO, a disc a Soldier, a box with an eye a Bot; any other role shows its first letter in a ring.
    """
    half = size / 2
    if role == "CO":
        points = []
        for step in range(10):
            radius, angle = half * (1.0 if step % 2 == 0 else 0.45), math.radians(36 * step - 90)
            points.append((x + radius * math.cos(angle), y + radius * math.sin(angle)))
        return polygon(points, fill=colour)
    if role == "NCO":
        arms = [
            polygon(
                [
                    (x - half, y + dy),
                    (x, y + dy - half * 0.7),
                    (x + half, y + dy),
                    (x + half, y + dy + half * 0.45),
                    (x, y + dy - half * 0.25),
                    (x - half, y + dy + half * 0.45),
                ],
                fill=colour,
            )
            for dy in (-half * 0.2, half * 0.6)
        ]
        return group(arms)
    if role == "Soldier":
        return element("circle", cx=x, cy=y, r=half * 0.7, fill=colour)
    if role == "Bot":
        side = half * 1.3
        box = element(
            "rect",
            x=x - side / 2,
            y=y - side / 2,
            width=side,
            height=side,
            fill="none",
            stroke=colour,
            stroke_width=half * 0.3,
        )
        return group([box, element("circle", cx=x, cy=y, r=half * 0.26, fill=colour)])
    ring = element("circle", cx=x, cy=y, r=half * 0.85, fill="none", stroke=colour, stroke_width=half * 0.22)
    letter = role.strip()[:1].upper() or "?"
    return group([ring, text(letter, x, y + half * 0.38, half * 1.1, most=half * 1.3, bold=True, fill=colour)])
