"""How a team drives: its set of templates, its size, where its weapons can be aimed, where it stands (D-VE-1, D-VE-3, D-VE-12, D-VE-13)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from rallypoint.content.catalogue import Item
from rallypoint.disrupter.field import board, edge, side_of
from rallypoint.disrupter.rafts import drives, raft_of, vehicle
from rallypoint.kernel.errors import InputError, RuleError
from rallypoint.kernel.parts import Pose
from rallypoint.kernel.state import Entity, State

from .geometry import Leg, bearing, moved, settled
from .set_files import set_named
from .templates import MovementTemplate, TemplateSet

__all__ = ["Aim", "Vehicle", "aims", "end_of", "front", "off_grid", "pose_of", "vehicle_of"]

_EDGES = {"top": 180.0, "right": 270.0, "bottom": 0.0, "left": 90.0}
_CORNERS = {"top-right": 225.0, "bottom-right": 315.0, "bottom-left": 45.0, "top-left": 135.0}


class Vehicle(NamedTuple):
    """A vehicle that leaves the grid: its set, and length and width in millimetres (0: not known, so its middle counts for all)."""

    set: TemplateSet
    length: float
    width: float


class Aim(NamedTuple):
    """Where a weapon can be aimed: the middle of an arc, clockwise from straight ahead, and how wide it is, in degrees."""

    middle: float
    width: float

    def covers(self, at: Pose, point: tuple[float, float]) -> bool:
        """Say whether a point lies in the arc of a vehicle that stands there; the rim belongs to it."""
        off = (bearing(at, point) - self.middle + 180.0) % 360.0 - 180.0
        return abs(off) <= self.width / 2 + 1e-6


def off_grid(state: State, team: str) -> Item | None:
    """Return the vehicle that a team is or rides in if it leaves the grid; ``None`` on foot, and for one that moves as Infantry (D-VE-2)."""
    own = raft_of(state, team)
    item = None if own is None else vehicle(state, own)
    return None if item is None or "infantry_movement" in item.traits else item


def vehicle_of(state: State, team: str) -> Vehicle | None:
    """Return how a team drives, ``None`` for one that does not.

    Raises:
        RuleError: no set is named for its vehicle, the set does not exist or cannot be read, or its size is none.
    """
    item = off_grid(state, team)
    if item is None or not drives(state, team):
        return None
    named = _extra(state, team).get("templates") or next(iter(item.trait("templates") or ()), None)
    if not isinstance(named, str):
        hint = "give it the trait templates(house), or the name of another set"
        raise RuleError("no set of templates is named for this vehicle", rule="D-VE-3", where=team, hint=hint)
    length, width = _size(item, team)
    try:
        return Vehicle(set_named(named), length, width)
    except InputError as error:
        raise RuleError(str(error), rule="D-VE-3", where=team) from error


def _extra(state: State, team: str) -> Mapping[str, object]:
    extra = state[raft_of(state, team) or team].facts.get("extra")
    return extra if isinstance(extra, Mapping) else {}


def _size(item: Item, team: str) -> tuple[float, float]:
    given = item.trait("size")
    if given is None:
        return 0.0, 0.0
    if len(given) != 2 or not all(_number(part) and float(part) > 0 for part in given):
        raise RuleError("a size is length and width", rule="D-VE-1", where=team, found=given, expected="size(60,30)")
    return float(given[0]), float(given[1])


def _number(text: str) -> bool:
    return re.fullmatch(r"-?\d{1,4}(\.\d{1,3})?", text) is not None


# Where it stands


def pose_of(state: State, team: str) -> Pose:
    """Return the pose of a vehicle's middle.

    Before its first template it stands in the middle of its hex and looks where the field ``heading`` of its team in the roster
    says (degrees clockwise from the top of the board), else away from its own edge.
    """
    place = state[team].place
    if isinstance(place, Pose):
        return place
    assert place is not None
    x, y = board(state).point(place)
    given = _extra(state, team).get("heading")
    own = edge(state, side_of(state, team))
    heading = float(given) if isinstance(given, (int, float)) else (_EDGES | _CORNERS).get(own, 0.0)
    return settled(Pose(x, y, heading))


def front(middle: Pose, length: float) -> Pose:
    """Return the pose of the middle of a vehicle's front edge, where templates are laid on."""
    return moved(middle, Leg(0.0, length / 2))


def end_of(found: Vehicle, middle: Pose, template: MovementTemplate) -> Pose:
    """Return where the middle of a vehicle is when it has moved along a template."""
    far = moved(front(middle, found.length), template.end)
    back = -found.length / 2 if found.set.stops_with == "front" else found.length / 2
    return settled(moved(far, Leg(0.0, back)))


# Where it aims


def aims(state: State, unit: Entity, weapon: str) -> tuple[tuple[Aim, ...], ...]:
    """Return the arcs that bind a shot, each as the arcs of which one has to cover the target (D-VE-12, D-VE-13).

    The vehicle's trait ``arc(WEAPON,MIDDLE,WIDTH)`` binds a weapon, the field ``arc = "MIDDLE,WIDTH"`` of a unit in the roster binds the
    unit; several traits for a weapon add up. None: it can be aimed all around.
    """
    team = unit.parent
    assert team is not None
    item = off_grid(state, team)
    of_weapon = () if item is None else tuple(_arcs(item, weapon, team))
    extra = unit.facts.get("extra")
    said = extra.get("arc") if isinstance(extra, Mapping) else None
    of_unit = (_aim(str(said).split(","), unit.uid),) if said is not None else ()
    return tuple([arcs for arcs in (of_weapon, of_unit) if arcs])


def _arcs(item: Item, weapon: str, team: str) -> Iterator[Aim]:
    for trait in item.traits:
        head, _, tail = trait.partition("(")
        if head == "arc":
            key, *numbers = [part.strip() for part in tail.rstrip(")").split(",")]
            aim = _aim(numbers, team)
            if key == weapon:
                yield aim


def _aim(parts: list[str], where: str) -> Aim:
    numbers = [part.strip() for part in parts]
    if len(numbers) != 2 or not all(map(_number, numbers)) or not 0 < float(numbers[1]) <= 360:
        expected = "middle and width in degrees: 180,90"
        raise RuleError("this is no arc", rule="D-VE-12", where=where, found=",".join(numbers), expected=expected)
    return Aim(float(numbers[0]), float(numbers[1]))
