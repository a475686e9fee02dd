"""Encounters to draw, and what a picture says, read back from its XML."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree as ET

from rallypoint.content import read_force
from rallypoint.disrupter import catalogue, encounter
from rallypoint.kernel.board import Board
from rallypoint.kernel.encounter import Encounter, Gear, Sheet
from rallypoint.kernel.parts import Hex, Pose, Tracker
from rallypoint.kernel.state import Entity, State

ROOT = Path(__file__).parents[2]
SVG = "{http://www.w3.org/2000/svg}"
EMPTY_WORDS = re.compile(r"\b(None|null|undefined|nan|inf)\b", re.IGNORECASE)


def starter(*, side: str = "red", with_optional: bool = False) -> Encounter:
    roster = ROOT / "examples" / "rosters" / "starter-platoon.md"
    return encounter(read_force(roster, catalogue(), with_optional=with_optional), side=side)


def wounded(found: Encounter, wounds: dict[str, int]) -> Encounter:
    """Return the encounter with these units' Wounds."""
    entities = [
        entity._replace(
            trackers={**entity.trackers, "Wounds": entity.trackers["Wounds"]._replace(value=wounds[entity.uid])}
        )
        if entity.uid in wounds
        else entity
        for entity in found.state
    ]
    return found._replace(state=State.of(entities))


def small(
    board: Board | None = None,
    *,
    name: str = "Ana",
    code: str = "R-1A",
    role: str = "Soldier",
    most: int = 2,
    place: Hex | Pose | None = None,
    side: str = "red",
) -> Encounter:
    """Return a side with one team of one unit, and a Rally Point if there is a board."""
    entities = [
        Entity.new(side, "side"),
        Entity.new("team", "team", parent=side, place=place),
        Entity.new("unit", "unit", parent="team", trackers={"Wounds": Tracker(0, 0, most)}),
    ]
    sheets = {
        side: Sheet(side, "The Reds", "Side", "R"),
        "team": Sheet("team", "Team A", "Team", code),
        "unit": Sheet(
            "unit", name, role, code, {"Instinct": 60}, (Gear("weapon", "w", "A Weapon", {"T": 0, "Max": None}),)
        ),
    }
    return Encounter("small", "A Small Fight", "test", State.of(entities), sheets, board)


class Words(NamedTuple):
    """A text of a picture with its size, weight and place in its own group."""

    words: str
    size: float
    bold: bool
    x: float
    y: float


def parsed(svg: str) -> ET.Element:
    return ET.fromstring(svg)  # raises where the XML is broken


def texts(svg: str | ET.Element) -> Iterator[Words]:
    root = parsed(svg) if isinstance(svg, str) else svg
    for each in root.iter(f"{SVG}text"):
        yield Words(
            each.text or "",
            float(each.attrib["font-size"]),
            each.get("font-weight") == "bold",
            float(each.attrib["x"]),
            float(each.attrib["y"]),
        )


def part(svg: str, name: str) -> ET.Element:
    """Return the group of this id."""
    return next(each for each in parsed(svg).iter(f"{SVG}g") if each.get("id") == name)


def luminance(colour: str) -> float:
    """Return the relative luminance of ``#rrggbb`` (WCAG 2)."""
    parts = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    red, green, blue = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """Return the contrast ratio of two colours (WCAG 2), from 1 to 21."""
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


# Widths of DejaVu Sans Bold in thousandths of an em, read from the font's own table: the widest of the fonts that are named.
BOLD = {
    **dict(zip("0123456789", [696] * 10, strict=True)),
    **dict(zip("ABCDEFGHIJKLM", [774, 762, 734, 830, 683, 683, 821, 837, 372, 372, 775, 637, 995], strict=True)),
    **dict(zip("NOPQRSTUVWXYZ", [837, 850, 733, 850, 770, 720, 682, 812, 774, 1103, 771, 724, 725], strict=True)),
    **dict(zip("abcdefghijklm", [675, 716, 593, 716, 678, 435, 716, 712, 343, 343, 665, 343, 1042], strict=True)),
    **dict(zip("nopqrstuvwxyz", [712, 687, 716, 716, 493, 595, 478, 712, 652, 924, 645, 652, 582], strict=True)),
    " ": 348,
    "-": 415,
    ".": 380,
    ",": 380,
    ":": 400,
    "(": 457,
    ")": 457,
    "/": 365,
    "%": 1002,
    "?": 580,
    "'": 306,
    "=": 838,
    "]": 457,
    ">": 838,
    "\N{HORIZONTAL ELLIPSIS}": 1000,
}


def width_of(found: Words) -> float:
    """Return how wide a text is in the widest of the fonts; signs that are not in the table count as the widest letter."""
    return sum(BOLD.get(sign, 1103) for sign in found.words) * found.size / 1000
