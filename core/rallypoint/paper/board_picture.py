"""The board as a picture: hexes with terrain and coordinates, zones, stands with their Wounds, Rally Points, a legend."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from types import MappingProxyType

from rallypoint.kernel.board import Board
from rallypoint.kernel.encounter import Encounter
from rallypoint.kernel.errors import InputError
from rallypoint.kernel.hexes import SIDES, from_offset, to_offset
from rallypoint.kernel.parts import Hex, Pose
from rallypoint.kernel.state import Entity

from .look import INK, PAPER, SideLook, mark, rim_of, side_looks
from .stands import Figure, Stand, sheet_of, side_of, stands
from .svg import Drawing, broken, corners, element, escaped, group, hexagon, polygon, text, text_width
from .terrain import TerrainLook, terrain_looks, tile

__all__ = ["BoardPicture", "board_picture", "hex_name"]

_MARGIN = 14.0
_TOP = 30.0
_CELL_HEIGHT = 22.0
_WIDEST_CELL = 150.0
_BESIDE = 26.0  # what a cell holds besides its words
_PIXELS = 1.6
_STAND = 0.8  # of a hex's width
_RAISED = 0.07  # how much higher than the middle of its hex, so that the hex's name can be read below it
_NOWHERE: Mapping[str, Collection[Hex]] = MappingProxyType({})
_UNKNOWN: Mapping[str, TerrainLook] = MappingProxyType({})


def hex_name(place: Hex) -> str:
    """Return the name of a hex: a letter for the column, the row from 1.

    >>> hex_name(Hex(2, 0)), hex_name(Hex(25, 3))
    ('C1', 'AA4')
    """
    column, row = to_offset(place)
    return f"{_letters(column)}{row + 1}"


def _letters(column: int) -> str:
    letters, column = "", column + 1
    while column > 0:
        column, rest = divmod(column - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters


def board_picture(
    encounter: Encounter,
    *,
    terrain: Mapping[str, TerrainLook] = _UNKNOWN,
    zones: Mapping[str, Collection[Hex]] = _NOWHERE,
    true_size: bool = False,
) -> str:
    """Return the board of an encounter as SVG.

    Args:
        encounter: one with a board; what has no place on it is not drawn, and counted in the legend.
        terrain: how the game's kinds of terrain look; those that it leaves out get a plain pattern.
        zones: by uid of a side, where it begins.
        true_size: make it as large as the table, for print; otherwise 80 pixels a hex.

    Raises:
        InputError: the encounter has no board.
    """
    if encounter.board is None:
        raise InputError("there is no board to draw", where=encounter.title, hint="a scenario gives one")
    return BoardPicture(encounter, encounter.board, terrain, zones, None if true_size else _PIXELS).svg()


class BoardPicture:
    """A picture in the making; :meth:`svg` finishes it. Its layers are methods, so that others can add to them."""

    def __init__(
        self,
        encounter: Encounter,
        board: Board,
        known: Mapping[str, TerrainLook],
        zones: Mapping[str, Collection[Hex]],
        scale: float | None,
    ) -> None:
        self.encounter = encounter
        self.board = board
        self.across = board.hex_mm
        self.looks = side_looks(encounter)
        self.terrain = terrain_looks([board.terrain[place] for place in board.hexes() if place in board.terrain], known)
        self.zones = zones
        found = self.found()
        self.stands = [each for each in found if self.place_of(each.entity) is not None]
        self.off = len(found) - len(self.stands)
        self.rally = [
            each for each in encounter.state if each.role == "rally_point" and self.place_of(each) is not None
        ]
        entries = list(self.legend())
        longest = max([text_width(words, 7) for _, words in entries], default=0.0)
        self.cell = min(longest + _BESIDE, _WIDEST_CELL)
        width = max(board.size[0], 2 * self.cell) + 2 * _MARGIN
        self.columns = max(int((width - 2 * _MARGIN) // self.cell), 1)
        self.legend_top = _TOP + board.size[1] + 12
        rows = math.ceil(len(entries) / self.columns)
        self.drawing = Drawing(width, self.legend_top + rows * _CELL_HEIGHT + 18, encounter.title, scale)
        self.entries = entries

    def svg(self) -> str:
        """Return the picture, layer over layer."""
        draw = self.drawing
        draw.definitions += [
            group([tile(look.pattern, self.across)], id=f"terrain-{number}")
            for number, look in enumerate(self.terrain.values())
        ]
        draw.add(element("rect", width=draw.width, height=draw.height, fill=PAPER))
        title = self.encounter.title or self.encounter.key
        draw.add(text(title, _MARGIN, 13, 10, most=draw.width - 2 * _MARGIN, bold=True, anchor="start", fill=INK))
        draw.add(group(self.ground(), id="ground"), group(self.zone_lines(), id="zones"))
        draw.add(group(self.names(), id="coordinates"))  # over the zones, whose lines would cross them out
        draw.add(*self.layers())
        draw.add(group(map(self.rally_point, self.rally), id="rally-points"))
        draw.add(group(self.legend_cells(), id="legend"), self.scale_bar())
        return draw.svg()

    def place_of(self, entity: Entity) -> Hex | Pose | None:
        """Return the hex of an entity if it is on the board, or the pose of one that stands off the grid."""
        place = entity.place
        at = self.board.hex_at(place.x, place.y) if isinstance(place, Pose) else place
        return place if isinstance(place, (Hex, Pose)) and self.board.holds(at) else None

    def point(self, place: Hex | Pose) -> tuple[float, float]:
        """Return the centre of a hex in the picture, or the point of a pose."""
        x, y = self.board.point(place)
        return x + _MARGIN, y + _TOP

    def found(self) -> list[Stand]:
        """Return the stands that there are, on the board or not."""
        return list(stands(self.encounter))

    def layers(self) -> Iterator[str]:
        """Yield the layers over the ground: the stands."""
        yield group(map(self.stand, self.stands), id="stands")

    # The ground

    def ground(self) -> Iterator[str]:
        """Yield the hexes with their terrain."""
        numbers = {word: number for number, word in enumerate(self.terrain)}
        for place in self.board.hexes():
            x, y = self.point(place)
            word = self.board.terrain_at(place)
            if word is not None:
                yield element("use", href=f"#terrain-{numbers[word]}", x=x, y=y)
            yield hexagon(x, y, self.across, fill="none", stroke="#8a8a8a", stroke_width=0.7)

    def names(self) -> Iterator[str]:
        """Yield the name of every hex at its foot, the letters above the first row and the numbers beside the first column."""
        taken = {self.place_of(stand.entity) for stand in self.stands}
        for place in self.board.hexes():
            x, y = self.point(place)
            # Under a stand there is a small corner left, and the lines of a zone run along it.
            at, size, most = (0.485, 0.1, 0.2) if place in taken else (0.43, 0.12, 0.26)
            yield text(
                hex_name(place),
                x,
                y + self.across * at,
                self.across * size,
                most=self.across * most,
                fill="#4d4d4d",
                halo=True,
            )
        for column in range(self.board.columns):
            x, y = self.point(Hex(column, 0))
            yield text(_letters(column), x, _TOP - 3, 8, bold=True, fill=INK)
        for row in range(self.board.rows):
            x, y = self.point(from_offset(0, row))
            yield text(str(row + 1), x - self.across / 2 - 1.5, y + 2.5, 7, bold=True, anchor="end", fill=INK)

    def zone_lines(self) -> Iterator[str]:
        """Yield the outline of each zone, a tint, and whose it is."""
        for side, zone in self.zones.items():
            look = self.looks.get(side)
            if look is None:
                continue
            held = {Hex(place.q, place.r) for place in zone}
            lines = []
            for place in sorted(held, key=lambda each: (each.r, each.q)):
                x, y = self.point(place)
                yield hexagon(x, y, self.across, fill=look.edge, fill_opacity=0.07)
                lines += [
                    self.hexside(x, y, facing) for facing, step in enumerate(SIDES) if _next(place, step) not in held
                ]
            yield self.outline("".join(lines), look)

    def outline(self, d: str, look: SideLook) -> str:
        """Return the outline of a zone: unbroken, or in two colours by turns."""
        line = element("path", d=d, fill="none", stroke=look.edge, stroke_width=2.6, stroke_linecap="round")
        if look.rim == "plain":
            return line
        return line + element("path", d=d, fill="none", stroke=PAPER, stroke_width=1.2, stroke_dasharray="4 4")

    def hexside(self, x: float, y: float, facing: int) -> str:
        """Return the line along a hexside, a touch inside its hex so that two zones that meet can both be seen."""
        points = corners(x, y, self.across - 2.4)
        # Corners go clockwise from the top; side 0 is on the right, and sides go anticlockwise.
        (x1, y1), (x2, y2) = points[(1 - facing) % 6], points[(2 - facing) % 6]
        return f"M{x1:.2f} {y1:.2f}L{x2:.2f} {y2:.2f}"

    # Who is on it

    def stand(self, stand: Stand) -> str:
        """Return a stand: its base, its code, its figures with their Wounds."""
        place = self.place_of(stand.entity)
        assert place is not None
        x, y = self.point(place)
        look, across = self.looks[stand.side], self.across * _STAND
        y -= self.across * _RAISED
        parts = [element("title", _title(stand)), base(x, y, across, look)]
        if isinstance(place, Pose):
            parts.append(_nose(x, y, across, place.heading, look))
        parts.append(
            text(stand.code, x, y - across * 0.06, across * 0.27, most=across * 0.8, bold=True, fill=look.on_body)
        )
        count = max(len(stand.figures), 1)
        pitch = min(across * 0.2, across * 0.84 / count)
        for number, figure in enumerate(stand.figures):
            at = x + (number - (count - 1) / 2) * pitch
            parts += _figure(figure, at, y + across * 0.1, pitch * 0.78, look.on_body)
        return group(parts)

    def rally_point(self, point: Entity) -> str:
        """Return a flag: large with its name where the hex is free, small beside a stand."""
        place = self.place_of(point)
        assert place is not None
        x, y = self.point(place)
        look = self.looks[side_of(self.encounter.state, point)]
        name = sheet_of(self.encounter, point).name
        title = element("title", escaped(name))
        if any(self.place_of(stand.entity) == place for stand in self.stands):
            return group([title, flag(x + self.across * 0.29, y - self.across * 0.16, self.across * 0.2, look)])
        size, most = self.across * 0.34, self.across * 0.84
        lines, letters = broken(name, self.across * 0.13, most, lines=3, least=self.across * 0.1, bold=True)
        foot = 0.3 if len(lines) == 1 else 0.27  # over the hex's own name
        first = y + self.across * foot - (len(lines) - 1) * letters * 1.1
        parts = [title, flag(x - size * 0.2, first - self.across * 0.16, size, look)]
        for number, line in enumerate(lines):
            parts.append(text(line, x, first + number * letters * 1.1, letters, bold=True, fill=INK, halo=True))
        return group(parts)

    # The legend

    def legend(self) -> Iterator[tuple[str, str]]:
        """Yield a picture around (0, 0) and the words beside it, for everything that is on the board."""
        for look in self.terrain.values():
            yield (
                tile(look.pattern, 16) + hexagon(0, 0, 16, fill="none", stroke="#8a8a8a", stroke_width=0.5),
                look.title,
            )
        for uid, side in self.looks.items():
            entity = self.encounter.state[uid]
            count = sum(each.side == uid for each in self.stands)
            name = sheet_of(self.encounter, entity).name
            yield base(0, 0, 16, side), f"{name}: {count} stand{'' if count == 1 else 's'}"
            if uid in self.zones:
                yield self.outline(hexagon_path(0, 0, 15), side), f"{name}: zone"
        for point in self.rally:
            look_of = self.looks[side_of(self.encounter.state, point)]
            place = self.place_of(point)
            assert isinstance(place, Hex)
            yield flag(-2, 6, 12, look_of), f"{sheet_of(self.encounter, point).name} ({hex_name(place)})"
        for role in dict.fromkeys(figure.role for stand in self.stands for figure in stand.figures):
            yield mark(role, 0, 0, 10, INK), role
        if any(figure.most for stand in self.stands for figure in stand.figures):
            pips = "".join(pip(x, 0, 2.4, INK, full=x < 0) for x in (-4, 4))
            yield pips, "Wound taken, left"
        if self.off:
            yield mark("?", 0, 0, 10, INK), f"not on the board: {self.off}"

    def legend_cells(self) -> Iterator[str]:
        """Yield the legend, laid out in cells."""
        for number, (picture, words) in enumerate(self.entries):
            row, column = divmod(number, self.columns)
            x, y = _MARGIN + 10 + column * self.cell, self.legend_top + 10 + row * _CELL_HEIGHT
            yield group([picture], transform=f"translate({x:g} {y:g})")
            lines, size = broken(words, 7, self.cell - _BESIDE, lines=3, least=4.5)
            first = y + 2.6 - (len(lines) - 1) * size * 0.6
            for line, each in enumerate(lines):
                yield text(each, x + 13, first + line * size * 1.2, size, anchor="start", fill=INK)

    def scale_bar(self) -> str:
        """Return a bar of up to four hexes with its length in millimetres and inches (50 mm are 2 inches)."""
        count = min(4, self.board.columns)
        length, y = count * self.across, self.drawing.height - 12
        boxes = [
            element(
                "rect",
                x=_MARGIN + number * self.across,
                y=y,
                width=self.across,
                height=3,
                fill=INK if number % 2 == 0 else PAPER,
                stroke=INK,
                stroke_width=0.6,
            )
            for number in range(count)
        ]
        words = f"{count} hex{'' if count == 1 else 'es'} = {length:g} mm = {length / 25:g} in"
        return group([*boxes, text(words, _MARGIN, y + 10, 6, anchor="start", fill=INK)], id="scale")


def _next(place: Hex, step: tuple[int, int]) -> Hex:
    return Hex(place.q + step[0], place.r + step[1])


def _title(stand: Stand) -> str:
    return escaped(f"{stand.code} {stand.title}")


def hexagon_path(x: float, y: float, across: float) -> str:
    """Return the outline of a hexagon as a path."""
    return "M" + "L".join(f"{a:.2f} {b:.2f}" for a, b in corners(x, y, across)) + "Z"


def base(x: float, y: float, across: float, look: SideLook) -> str:
    """Return a stand's base: the body in the side's colour, and the rim inside it."""
    width = across * 0.07
    inner = across - width
    outline = 6 * inner / math.sqrt(3)
    rims = [hexagon(x, y, inner, **stroke) for stroke in rim_of(look, outline, width)]
    return hexagon(x, y, across, fill=look.body) + "".join(rims)


def _nose(x: float, y: float, across: float, heading: float, look: SideLook) -> str:
    """Return a point on the rim of a base that shows which way a vehicle looks."""
    angle = math.radians(heading)
    ahead, aside = (math.sin(angle), -math.cos(angle)), (math.cos(angle), math.sin(angle))
    legs = [(0.68, 0.0), (0.42, 0.16), (0.42, -0.16)]
    points = [
        (x + across * (far * ahead[0] + off * aside[0]), y + across * (far * ahead[1] + off * aside[1]))
        for far, off in legs
    ]
    return polygon(points, fill=look.edge, stroke=PAPER, stroke_width=across * 0.03)


def pip(x: float, y: float, radius: float, colour: str, *, full: bool) -> str:
    """Return a Wound that is taken (full) or left."""
    fill = colour if full else "none"
    return element("circle", cx=x, cy=y, r=radius, fill=fill, stroke=colour, stroke_width=radius * 0.45)


def flag(x: float, y: float, size: float, look: SideLook) -> str:
    """Return a flag whose pole stands at a point."""
    pole = element("path", d=f"M{x:g} {y:g}V{y - size:g}", stroke=INK, stroke_width=size * 0.09, fill="none")
    cloth = [(x, y - size), (x + size * 0.7, y - size * 0.74), (x, y - size * 0.46)]
    edge = polygon(cloth, fill=PAPER, stroke=PAPER, stroke_width=size * 0.24, stroke_linejoin="round")
    back = element("path", d=f"M{x:g} {y:g}V{y - size:g}", stroke=PAPER, stroke_width=size * 0.24, fill="none")
    front = polygon(cloth, fill=look.body, stroke=look.edge, stroke_width=size * 0.07, stroke_linejoin="round")
    return back + edge + pole + front


def _figure(figure: Figure, x: float, y: float, size: float, colour: str) -> Iterator[str]:
    """Yield a figure's mark, its Wounds under it, and a cross over one that is out."""
    yield mark(figure.role, x, y, size, colour)
    below = y + size * 0.95
    if 0 < figure.most <= 3:
        for number in range(figure.most):
            at = x + (number - (figure.most - 1) / 2) * size * 0.34
            yield pip(at, below, size * 0.12, colour, full=number < figure.taken)
    elif figure.most:
        words = f"{figure.taken}/{figure.most}"
        yield text(words, x, below + size * 0.2, size * 0.5, most=size * 1.2, fill=colour)
    if figure.out:
        half = size * 0.55
        d = f"M{x - half:.2f} {y - half:.2f}L{x + half:.2f} {y + half:.2f}M{x - half:.2f} {y + half:.2f}L{x + half:.2f} {y - half:.2f}"
        yield element("path", d=d, stroke=colour, stroke_width=size * 0.16, fill="none")
