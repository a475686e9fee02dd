"""The parts of a state: trackers, statuses and places of entities; links between two; appointments."""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

from .canonical import Value

__all__ = ["Appointment", "Hex", "Link", "Place", "Pose", "Status", "Tracker", "Zone"]


class Tracker(NamedTuple):
    """A number that goes up and down in play: Wounds, Stress, Morale, Ammo.

    ``min`` and ``max`` are limits (``None``: none); ``bad`` says which way is worse.
    """

    value: int
    min: int | None = 0
    max: int | None = None
    bad: Literal["up", "down"] = "up"

    def clamp(self, value: int) -> int:
        """Return ``value`` moved into the limits.

        >>> Tracker(1, 0, 3).clamp(5)
        3
        """
        if self.max is not None and value > self.max:
            value = self.max
        if self.min is not None and value < self.min:
            value = self.min
        return value


class Status(NamedTuple):
    """Something that holds for a while: under cover, suppressed, recharging.

    ``since`` and ``until`` are moments on the game's own clock; the game ends what has run out.
    """

    name: str
    value: Value = True
    source: str | None = None
    since: int | None = None
    until: int | None = None


class Hex(NamedTuple):
    """A hex by axial coordinates; ``facing`` is a hexside 0..5 where the game has facings."""

    q: int
    r: int
    facing: int | None = None


class Pose(NamedTuple):
    """A point in millimetres and a heading in degrees."""

    x: float
    y: float
    heading: float = 0.0


class Zone(NamedTuple):
    """A named zone, for games without a map."""

    name: str


Place: TypeAlias = Hex | Pose | Zone


class Link(NamedTuple):
    """Something that holds between two entities: a spot mark, aboard, aim, grapple, range."""

    kind: str
    source: str
    target: str
    value: Value = True
    since: int | None = None
    until: int | None = None

    @property
    def key(self) -> tuple[str, str, str]:
        """Kind, source and target: there is one link for each such key."""
        return self[:3]


class Appointment(NamedTuple):
    """Something that happens later, or again: ``rule`` runs by itself when the clock reaches ``at``.

    With ``every`` above 0 it comes again that much later.
    """

    key: str
    at: int
    rule: str
    args: tuple[Value, ...] = ()
    every: int = 0
