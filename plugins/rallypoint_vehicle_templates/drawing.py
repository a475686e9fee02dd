"""Sets of templates and plans as pictures in millimetres, legible in grey: shapes tell things apart, not colours."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

from rallypoint.kernel.parts import Pose
from rallypoint.paper.look import INK, PAPER
from rallypoint.paper.svg import Drawing, element, group, number, polygon, text

from .geometry import Leg, Point, corners, moved
from .planning import Plan
from .templates import MovementTemplate, TemplateSet
from .vehicles import Vehicle, front

__all__ = ["plan_picture", "set_picture"]

_BAND = "#e4e4e4"
_RULE = "#7a7a7a"
_THIN = "#d2d2d2"
_MARGIN = 12.0
_PIXELS = 3.0
_COLUMNS = 5
_TOP = 26.0
_BODY = (30.0, 16.0)  # a vehicle whose size is not known is drawn so large


# A set


def set_picture(found: TemplateSet) -> str:
    """Return a sheet with every template of a set: shape, gears and cost, notch, and where a slide leads, as SVG."""
    cells = [_Cell(each, found) for each in found.templates.values()]
    rows = [cells[at : at + _COLUMNS] for at in range(0, len(cells), _COLUMNS)]
    width = max(cell.width for cell in cells)
    heights = [max(cell.height for cell in row) for row in rows]
    across = max(len(rows[0]) * width, 150.0)
    draw = Drawing(2 * _MARGIN + across, _TOP + sum(heights) + _MARGIN, f"Templates: {found.title}", _PIXELS)
    draw.add(element("rect", width=draw.width, height=draw.height, fill=PAPER))
    draw.add(text(found.title, _MARGIN, 11, 7, most=across, bold=True, anchor="start", fill=INK))
    draw.add(text(_source(found), _MARGIN, 18, 4, most=across, anchor="start", fill=INK))
    for at, row in enumerate(rows):
        for column, cell in enumerate(row):
            x, y = _MARGIN + column * width, _TOP + sum(heights[:at])
            draw.add(group(cell.parts(heights[at]), transform=f"translate({number(x)} {number(y)})"))
    words = "grid 10 mm; black edge: start; arrow: which way; ring: notch; dashed: on the Slide Template"
    draw.add(text(words, _MARGIN, draw.height - 6, 4, most=across, anchor="start", fill=INK))
    return draw.svg()


def _source(found: TemplateSet) -> str:
    kind = "house set, not Gaslands" if found.house else "measured by its owner"
    return f"{kind}; source: {found.source or 'not said'}; half size, millimetres"


class _Cell:
    """The drawing of one template, with its start at a whole square of the grid."""

    def __init__(self, template: MovementTemplate, found: TemplateSet) -> None:
        self.template = template
        self.slide = template.notch.then(found.slide.end)
        self.way = [moved(Pose(0.0, 0.0, 0.0), leg) for leg in template.way()]
        half = max(template.width, 6.0) / 2
        ends = [*self.way, moved(Pose(0.0, 0.0, 0.0), self.slide)]
        self.left = _down(min(at.x for at in ends) - half - 4)
        self.right = -_down(-max(at.x for at in ends) - half - 4)
        self.top = _down(min(at.y for at in ends) - half - 4)
        self.bottom = -_down(-max(at.y for at in ends) - 4)
        self.width = max(self.right - self.left, 40.0) + 8
        self.height = self.bottom - self.top + 22

    def parts(self, height: float) -> Iterator[str]:
        """Yield the drawing from the top left of its cell; in a row of one height all starts are level."""
        template = self.template
        yield text(template.title, 0, 5, 4.6, most=self.width - 4, bold=True, anchor="start", fill=INK)
        gears = ", ".join(str(gear) for gear in template.gears)
        yield text(f"gears {gears}", 0, 10, 3.6, most=self.width - 4, anchor="start", fill=INK)
        checked = "" if template.verified else ", unverified"
        yield text(
            f"cost {template.cost}{checked}", 0, 14.4, 3.6, most=self.width - 4, bold=True, anchor="start", fill=INK
        )
        origin = Pose(0.0, 0.0, 0.0)
        shape = [
            *_grid(self.left, self.right, self.top, self.bottom),
            *_band(self.way, template.width),
            _arrow(self.way[-max(len(self.way) // 4, 2)], 5.0),
            *_slide(moved(origin, template.notch), moved(origin, self.slide)),
        ]
        yield group(shape, transform=f"translate({number(-self.left)} {number(height - 4 - self.bottom)})")


def _down(value: float) -> float:
    return math.floor(value / 10.0) * 10.0


def _grid(left: float, right: float, top: float, bottom: float) -> Iterator[str]:
    lines = [f"M{number(x)} {number(top)}V{number(bottom)}" for x in _steps(left, right)]
    lines += [f"M{number(left)} {number(y)}H{number(right)}" for y in _steps(top, bottom)]
    yield element("path", d="".join(lines), stroke=_THIN, stroke_width=0.25, fill="none")


def _coordinates(left: float, right: float, top: float, bottom: float) -> Iterator[str]:
    """Yield the millimetres of the board along the grid's upper and left rim, at every 50."""
    for x in _steps(left, right):
        if x % 50 == 0:
            yield text(f"{x:g}", x, top - 1.4, 3.2, fill=_RULE)
    for y in _steps(top, bottom):
        if y % 50 == 0:
            yield text(f"{y:g}", left - 1.2, y + 1.1, 3.2, anchor="end", fill=_RULE)


def _steps(low: float, high: float) -> Iterator[float]:
    yield from (low + 10.0 * step for step in range(round((high - low) / 10.0) + 1))


def _band(way: Sequence[Pose], width: float) -> Iterator[str]:
    """Yield a template as a band around its middle line, with a black edge at its start."""
    half = max(width, 6.0) / 2
    left = [moved(at, Leg(-half, 0.0))[:2] for at in way]
    right = [moved(at, Leg(half, 0.0))[:2] for at in way]
    yield polygon([*left, *right[::-1]], fill=_BAND, stroke=INK, stroke_width=0.5, stroke_linejoin="round")
    yield _line((at[:2] for at in way), stroke=_RULE, stroke_width=0.4)
    yield _line((left[0], right[0]), stroke=INK, stroke_width=1.4)


def _line(points: Iterable[Point], **attributes: str | float) -> str:
    d = "L".join(f"{number(x)} {number(y)}" for x, y in points)
    return element("path", d=f"M{d}", fill="none", **attributes)


def _arrow(at: Pose, size: float) -> str:
    legs = Leg(0.0, size * 0.7), Leg(size * 0.42, -size * 0.3), Leg(-size * 0.42, -size * 0.3)
    return polygon([moved(at, leg)[:2] for leg in legs], fill=INK)


def _slide(notch: Pose, end: Pose) -> Iterator[str]:
    """Yield the notch as a ring, and the way on the Slide Template with a dashed circle at its end."""
    if notch == end:
        return
    yield _line((notch[:2], end[:2]), stroke=INK, stroke_width=0.5, stroke_dasharray="1.4 1")
    yield element("circle", cx=notch.x, cy=notch.y, r=1.5, fill=PAPER, stroke=INK, stroke_width=0.5)
    dashes: dict[str, str | float] = {"stroke_width": 0.5, "stroke_dasharray": "1.4 1"}
    yield element("circle", cx=end.x, cy=end.y, r=3, fill=PAPER, stroke=INK, **dashes)


# A plan


def plan_picture(plan: Plan, vehicle: Vehicle, start: Pose, goal: tuple[float, float], tolerance: float) -> str:
    """Return a plan as SVG: the templates as they lie on the table, the vehicle after each, the point with its tolerance."""
    places = [start, *[each.end for each in plan.laid]]
    ways = [_way(vehicle, at, each.template) for at, each in zip(places, plan.laid, strict=False)]
    size = (vehicle.length, vehicle.width) if vehicle.length else _BODY
    seen = [at[:2] for way in ways for at in way] + [at for place in places for at in corners(place, *size)]
    room = max(tolerance, 6.0)
    seen += [(goal[0] + dx, goal[1] + dy) for dx in (-room, room) for dy in (-room, room)]
    left, top = (_down(min(at[axis] for at in seen) - 14) for axis in (0, 1))
    right, bottom = (-_down(-max(at[axis] for at in seen) - 14) for axis in (0, 1))
    lines = [*_head(plan, vehicle, tolerance)]
    high, across = 14.0 + 6.0 * len(lines), max(right - left, 130.0)
    draw = Drawing(across + 2 * _MARGIN, bottom - top + high + _MARGIN, "A way by templates", _PIXELS)
    draw.add(element("rect", width=draw.width, height=draw.height, fill=PAPER))
    for row, words in enumerate(lines):
        draw.add(text(words, _MARGIN, 9 + 6 * row, 4.4, most=across, bold=row == 0, anchor="start", fill=INK))
    shift = f"translate({number(_MARGIN - left)} {number(high - top)})"
    parts = [*_grid(left, right, top, bottom), *_coordinates(left, right, top, bottom)]
    parts += [part for way in ways for part in _band(way, vehicle_band(plan))]
    parts += [*_bodies(places, size), *_goal(goal, tolerance), *_numbers(ways), *_scale(left, bottom)]
    draw.add(group(parts, transform=shift))
    return draw.svg()


def vehicle_band(plan: Plan) -> float:
    """Return how wide the templates of a plan are drawn."""
    return max(each.template.width for each in plan.laid)


def _head(plan: Plan, vehicle: Vehicle, tolerance: float) -> Iterator[str]:
    yield "; ".join(f"{at} {each.key.replace('_', ' ')}" for at, each in enumerate(plan.laid, 1))
    near = "within" if plan.miss <= tolerance else "not within"
    yield f"cost {plan.cost}; {plan.miss:.1f} mm off the point, {near} {tolerance:g} mm"
    if vehicle.set.house:
        yield "house set: not the templates of Gaslands"


def _way(vehicle: Vehicle, at: Pose, template: MovementTemplate) -> list[Pose]:
    start = front(at, vehicle.length)
    return [moved(start, leg) for leg in template.way()]


def _bodies(places: Sequence[Pose], size: tuple[float, float]) -> Iterator[str]:
    """Yield the vehicle where it starts (black), on its way (outline), and where it ends (thick outline)."""
    for at, place in enumerate(places):
        first, last = at == 0, at == len(places) - 1
        fill, ink = (INK, PAPER) if first else (PAPER, INK)
        yield polygon(
            corners(place, *size),
            fill=fill,
            fill_opacity=1 if first else 0.75,
            stroke=INK,
            stroke_width=1.2 if last else 0.5,
        )
        tip = moved(place, Leg(0.0, size[0] * 0.22))
        legs = Leg(0.0, size[0] * 0.2), Leg(size[1] * 0.24, -size[0] * 0.06), Leg(-size[1] * 0.24, -size[0] * 0.06)
        yield polygon([moved(tip, leg)[:2] for leg in legs], fill=ink)


def _goal(goal: tuple[float, float], tolerance: float) -> Iterator[str]:
    x, y = goal
    if tolerance > 0:
        dashes: dict[str, str | float] = {"stroke_width": 0.5, "stroke_dasharray": "2 1.4"}
        yield element("circle", cx=x, cy=y, r=tolerance, fill="none", stroke=INK, **dashes)
    cross = f"M{number(x - 4)} {number(y)}H{number(x + 4)}M{number(x)} {number(y - 4)}V{number(y + 4)}"
    yield element("path", d=cross, stroke=PAPER, stroke_width=2, fill="none")
    yield element("path", d=cross, stroke=INK, stroke_width=0.8, fill="none")


def _numbers(ways: Sequence[Sequence[Pose]]) -> Iterator[str]:
    """Yield the number of each template in a ring beside the middle of its way."""
    for at, way in enumerate(ways, 1):
        place = way[len(way) // 2]
        yield element("circle", cx=place.x, cy=place.y, r=3.6, fill=PAPER, stroke=INK, stroke_width=0.5)
        yield text(str(at), place.x, place.y + 1.6, 4.4, bold=True, fill=INK)


def _scale(left: float, bottom: float) -> Iterator[str]:
    yield element("rect", x=left, y=bottom + 3, width=50, height=1.6, fill=INK)
    yield text("50 mm: a hex, 2 inches", left + 53, bottom + 5, 3.6, anchor="start", fill=INK)
