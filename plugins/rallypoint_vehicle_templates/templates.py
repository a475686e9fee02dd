"""A set of movement templates as data: shapes, gears, the Slide Template (D-VE-3, D-VE-4, D-VE-8, D-VE-10).

All legs here are at the size of play, half of full size. A leg begins where the template touches the vehicle: at the middle of its front edge.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Literal, NamedTuple, TypeAlias

from .geometry import HERE, Leg, arc_way, curve_way, polyline_way

__all__ = ["HALF", "KNOWN", "Face", "MovementTemplate", "SlideTemplate", "TemplateSet", "remarks"]

HALF = 0.5
"""The size at which templates are played (D-VE-3)."""

Face: TypeAlias = Literal["", "right", "left"]
"""To which hand a template bends as it lies; empty for one that bends to neither (D-VE-8)."""


class MovementTemplate(NamedTuple):
    """One template, as it is drawn.

    ``gears`` are those in which it may be used, safe or not; ``end`` leads from its start to its far edge, ``notch`` to the notch
    for the Slide Template. ``stations`` are places on its middle line that somebody measured, ``radius`` is that of an arc; with neither,
    its way is a smooth curve. ``mirror`` says that it may be turned over, ``verified`` that two people measured the same.
    """

    id: str
    title: str
    gears: tuple[int, ...]
    end: Leg
    notch: Leg
    stations: tuple[Leg, ...] = ()
    radius: float | None = None
    width: float = 0.0
    mirror: bool = True
    verified: bool = False

    @property
    def cost(self) -> int:
        """What it costs of M: the highest gear in which it is usable (D-VE-4)."""
        return max(self.gears)

    @property
    def bends(self) -> Face:
        """To which hand it bends as it is drawn."""
        side = next((value for value in (self.end.right, self.end.turn) if value != 0.0), 0.0)
        return "right" if side > 0 else "left" if side < 0 else ""

    def faces(self) -> Iterator[tuple[str, MovementTemplate]]:
        """Yield the ways in which it may be laid, each with its key: ``gentle right``, ``gentle left`` (D-VE-8)."""
        if not self.bends:
            yield self.id, self
            return
        yield f"{self.id} {self.bends}", self
        if self.mirror:
            other = self.turned_over()
            yield f"{other.id} {other.bends}", other

    def turned_over(self) -> MovementTemplate:
        """Return the template with its other face up (D-VE-8)."""
        return self._replace(
            end=self.end.mirrored(),
            notch=self.notch.mirrored(),
            stations=tuple([station.mirrored() for station in self.stations]),
        )

    def way(self) -> tuple[Leg, ...]:
        """Return its middle line: legs from its start, about 2 mm apart."""
        return _way(self)


@lru_cache(maxsize=256)
def _way(template: MovementTemplate) -> tuple[Leg, ...]:
    if template.stations:
        return polyline_way((HERE, *template.stations))
    if template.radius is None:
        return curve_way(template.end)
    way = arc_way(template.radius, abs(template.end.turn))
    return way if template.bends != "left" else tuple([leg.mirrored() for leg in way])


class SlideTemplate(NamedTuple):
    """The Slide Template: where it leads from the notch, and in which directions a vehicle may look then (degrees clockwise)."""

    end: Leg
    headings: tuple[float, ...]


class TemplateSet(NamedTuple):
    """A set of templates by id. ``stops_with`` is the edge of a vehicle that comes to lie at a template's far edge.

    ``house`` marks a set that is nobody's measure of anything; ``digest`` tells two sets of one name apart.
    """

    name: str
    title: str
    source: str
    templates: Mapping[str, MovementTemplate]
    slide: SlideTemplate
    stops_with: Literal["front", "rear"] = "front"
    house: bool = False
    digest: str = ""


KNOWN = (
    "short_straight",
    "medium_straight",
    "long_straight",
    "gentle",
    "turn",
    "hard",
    "hairpin",
    "veer",
    "swerve",
)
"""The names of the movement templates that public texts name."""

_LONG = 91.0  # half of 182 mm, which the publisher's answers to questions give


def remarks(found: TemplateSet) -> Iterator[str]:
    """Yield what is worth a second look in a set: what is missing, unverified, or at odds with what is publicly known."""
    if found.house:
        yield "this is a house set: simple curves and gears of our own, not the templates of Gaslands"
        return
    missing = [name for name in KNOWN if name not in found.templates]
    if missing:
        yield f"not in this set: {', '.join(missing)}"
    unverified = [each.id for each in found.templates.values() if not each.verified]
    if unverified:
        yield f"measured once only (verified = false): {', '.join(unverified)}"
    long = found.templates.get("long_straight")
    if long is not None and abs(long.end.ahead - _LONG) > 1.0:
        yield f"long_straight is {long.end.ahead:g} mm long at half size; 182 mm at full size are published, which is {_LONG:g}"
    hairpin = found.templates.get("hairpin")
    if hairpin is not None and hairpin.cost != 3:
        yield f"hairpin is usable up to gear {hairpin.cost}; the one example that is published says gear 3"
