"""The map of a running battle: the board with terrain, stands, Wounds and statuses, and what moved and fired last."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from rallypoint.kernel.encounter import Encounter
from rallypoint.kernel.errors import InputError
from rallypoint.kernel.parts import Hex, Pose

from .board_picture import BoardPicture
from .look import INK, PAPER
from .stands import Stand
from .svg import element, group, polygon, text
from .terrain import TerrainLook

__all__ = ["Happening", "Shot", "Walk", "battle_map", "letters"]

_PIXELS = 1.6
_FIRE = "#b34700"
_BADGES = 3
_UNKNOWN: Mapping[str, TerrainLook] = MappingProxyType({})
_NO_NOTES: Mapping[str, Sequence[str]] = MappingProxyType({})


class Walk(NamedTuple):
    """Where a side's stand went: the hex or pose that it left, then each that it came to."""

    side: str
    path: tuple[Hex | Pose, ...]


class Shot(NamedTuple):
    """Who fired from where at which hex."""

    side: str
    source: Hex | Pose
    target: Hex | Pose


class Happening(NamedTuple):
    """What a battle adds to a board.

    ``notes`` maps a stand to its statuses in words, ``gone`` the uids of figures that are out of the fight to what became of
    them; ``walks`` and ``shots`` are what happened last.
    """

    notes: Mapping[str, Sequence[str]] = _NO_NOTES
    gone: Mapping[str, str] = MappingProxyType({})
    walks: tuple[Walk, ...] = ()
    shots: tuple[Shot, ...] = ()


def letters(notes: Iterable[str]) -> Mapping[str, str]:
    """Return for each note the one sign that stands for it on a badge: the first of its initials or letters that is free.

    >>> dict(letters(["under cover", "suppressed", "spot mark", "under cover"]))
    {'suppressed': 'S', 'spot mark': 'M', 'under cover': 'U'}
    """
    found: dict[str, str] = {}
    for note in sorted(set(notes), key=lambda each: (len(each.split()), each)):
        initials = "".join(word[0] for word in note.split())
        signs = (initials + note + "abcdefghijklmnopqrstuvwxyz").upper()
        found[note] = next((sign for sign in signs if sign.isalpha() and sign not in found.values()), "?")
    return found


def battle_map(
    encounter: Encounter,
    happening: Happening,
    *,
    terrain: Mapping[str, TerrainLook] = _UNKNOWN,
    true_size: bool = False,
) -> str:
    """Return the map of a battle as SVG.

    Args:
        encounter: the state of the battle with its sheets and its board.
        happening: statuses, who is gone, what moved and fired.
        terrain: how the game's kinds of terrain look.
        true_size: make it as large as the table, for print.

    Raises:
        InputError: the encounter has no board.
    """
    if encounter.board is None:
        raise InputError("there is no board to draw", where=encounter.title)
    return _BattleMap(encounter, happening, terrain, None if true_size else _PIXELS).svg()


class _BattleMap(BoardPicture):
    def __init__(
        self, encounter: Encounter, happening: Happening, terrain: Mapping[str, TerrainLook], scale: float | None
    ) -> None:
        assert encounter.board is not None
        self.happening = happening
        self.letters = letters(note for notes in happening.notes.values() for note in notes)
        self.fallen: list[Stand] = []
        super().__init__(encounter, encounter.board, terrain, {}, scale)

    def found(self) -> list[Stand]:
        """Return the stands that still have somebody; the others are kept apart."""
        left = []
        for stand in super().found():
            gone = [figure for figure in stand.figures if figure.uid in self.happening.gone]
            if gone and len(gone) == len(stand.figures):
                self.fallen.append(stand)
            else:
                # Who ran has Wounds left: no cross would tell of him, so his place on the base is empty.
                here = [figure for figure in stand.figures if figure.out or figure not in gone]
                left.append(stand._replace(figures=tuple(here)))
        return left

    def layers(self) -> Iterator[str]:
        """Yield what moved, who fell, what fired, the stands over that so that codes stay legible, the badges."""
        yield group(map(self.walk, self.happening.walks), id="walks")
        yield group(map(self.cross, self.fallen), id="fallen")
        yield group(map(self.shot, self.happening.shots), id="shots")
        yield from super().layers()
        yield group(map(self.badges, self.stands), id="badges")

    def cross(self, stand: Stand) -> str:
        """Return a grey cross with its code where a stand fell."""
        place = self.place_of(stand.entity)
        if place is None or any(self.place_of(each.entity) == place for each in self.stands):
            return ""
        x, y = self.point(place)
        half = self.across * 0.16
        d = f"M{x - half:.2f} {y - half:.2f}L{x + half:.2f} {y + half:.2f}M{x - half:.2f} {y + half:.2f}L{x + half:.2f} {y - half:.2f}"
        line = {"d": d, "fill": "none", "stroke_linecap": "round"}
        edge = element("path", stroke=PAPER, stroke_width=self.across * 0.12, **line)
        ink = element("path", stroke="#595959", stroke_width=self.across * 0.06, **line)
        at = y - self.across * 0.22
        return edge + ink + text(stand.code, x, at, self.across * 0.14, bold=True, fill="#595959", halo=True)

    def walk(self, walk: Walk) -> str:
        """Return a broad line along the hexes of a move, with a ring where it began and an arrow where it ends."""
        points = [self.point(place) for place in walk.path]
        if len(points) < 2:
            return ""
        colour = self.looks[walk.side].edge
        d = "M" + "L".join(f"{x:.2f} {y:.2f}" for x, y in points)
        line = {"d": d, "fill": "none", "stroke_linejoin": "round", "stroke_linecap": "round"}
        width = self.across * 0.07
        x, y = points[0]
        ring = element("circle", cx=x, cy=y, r=self.across * 0.1, fill=PAPER, stroke=colour, stroke_width=width * 0.6)
        return (
            element("path", stroke=PAPER, stroke_width=width * 1.9, **line)
            + element("path", stroke=colour, stroke_width=width, **line)
            + ring
            + self.head(points[-2], points[-1], colour, back=0.4)
        )

    def head(self, a: tuple[float, float], b: tuple[float, float], colour: str, *, back: float) -> str:
        """Return an arrow's head on the line from ``a`` to ``b``, ``back`` of a hex before its end."""
        angle = math.atan2(b[1] - a[1], b[0] - a[0])
        x, y = b[0] - self.across * back * math.cos(angle), b[1] - self.across * back * math.sin(angle)
        size = self.across * 0.12
        sides = [(x + size * math.cos(angle + turn), y + size * math.sin(angle + turn)) for turn in (2.6, -2.6)]
        return polygon([(x, y), *sides], fill=colour, stroke=PAPER, stroke_width=self.across * 0.015)

    def shot(self, shot: Shot) -> str:
        """Return a dashed line from who fired to where, ending short of both so that codes stay legible."""
        a, b = self.point(shot.source), self.point(shot.target)
        if a == b:
            return ""
        angle = math.atan2(b[1] - a[1], b[0] - a[0])
        reach = self.across * 0.36
        x1, y1 = a[0] + reach * math.cos(angle), a[1] + reach * math.sin(angle)
        x2, y2 = b[0] - reach * math.cos(angle), b[1] - reach * math.sin(angle)
        d = f"M{x1:.2f} {y1:.2f}L{x2:.2f} {y2:.2f}"
        width = self.across * 0.035
        edge = element("path", d=d, fill="none", stroke=PAPER, stroke_width=width * 2.4)
        line = element(
            "path",
            d=d,
            fill="none",
            stroke=_FIRE,
            stroke_width=width,
            stroke_dasharray=f"{width * 3:.2f} {width * 1.6:.2f}",
        )
        return edge + line + self.head(a, b, _FIRE, back=0.33)

    def badges(self, stand: Stand) -> str:
        """Return a badge for each status of a stand, in a row in its upper corner; of many the last stands for the rest."""
        notes = list(self.happening.notes.get(stand.entity.uid, ()))
        place = self.place_of(stand.entity)
        if not notes or place is None:
            return ""
        signs = [self.letters[note] for note in notes]
        if len(signs) > _BADGES:
            signs = [*signs[: _BADGES - 1], "+"]
        x, y = self.point(place)
        parts = [element("title", ", ".join(notes).replace("&", "&amp;").replace("<", "&lt;"))]
        for number, sign in enumerate(signs):
            at = x + (number - (len(signs) - 1) / 2) * self.across * 0.17
            parts.append(self.badge(sign, at, y - self.across * 0.33))
        return group(parts)

    def badge(self, sign: str, x: float, y: float) -> str:
        """Return a badge with its sign."""
        radius = self.across * 0.08
        disc = element("circle", cx=x, cy=y, r=radius, fill=PAPER, stroke=INK, stroke_width=radius * 0.22)
        return disc + text(sign, x, y + radius * 0.52, radius * 1.45, bold=True, fill=INK)

    def legend(self) -> Iterator[tuple[str, str]]:
        """Yield the legend of the board, and what a battle adds to it."""
        yield from super().legend()
        for note, sign in self.letters.items():
            disc = element("circle", r=5.5, fill=PAPER, stroke=INK, stroke_width=1)
            yield disc + text(sign, 0, 2.8, 8, bold=True, fill=INK), note
        if self.happening.walks:
            yield element("path", d="M-8 0H8", stroke=INK, stroke_width=3, fill="none"), "moved"
        if self.happening.shots:
            yield (
                element("path", d="M-8 0H8", stroke=_FIRE, stroke_width=2, stroke_dasharray="5 2.5", fill="none"),
                "fired",
            )
        if self.fallen:
            count = len(self.fallen)
            yield (
                element("path", d="M-5 -5L5 5M-5 5L5 -5", stroke="#595959", stroke_width=2.5),
                (f"fallen: {count} stand{'' if count == 1 else 's'}"),
            )
