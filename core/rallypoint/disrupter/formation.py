"""How a squad goes on together: its Officer to where his teams with bots can be beside him, and they to where he will be.

Bots act only when they are led (D-R9.15). If each team looked for its own best hex, an Officer would wait for his bots and they for him.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import NamedTuple

from rallypoint.kernel.hexes import distance
from rallypoint.kernel.parts import Hex

__all__ = ["COHESION", "Step", "station"]

COHESION = 1.0
"""How much a hex out of an Officer's reach counts for bots: more than any hex nearer to the enemy."""


class Step(NamedTuple):
    """A hex where a team can be after its Movement Action, and how good it is for it alone."""

    at: Hex
    worth: float


def station(steps: Sequence[Step], wards: Sequence[Sequence[Step]]) -> Hex:
    """Return the hex of an Officer that is best for him and for the teams that he leads, each of which goes to its best hex beside it.

    Args:
        steps: his own steps; the first of those that are alike is taken.
        wards: the steps of each team with bots that he looks after.

    >>> ahead, here = Hex(1, 0), Hex(0, 0)
    >>> station([Step(here, 0.0), Step(ahead, 0.3)], [[Step(Hex(0, 1), 0.0)]]) == ahead  # the bots are beside both
    True
    >>> station([Step(here, 0.0), Step(ahead, 0.3)], [[Step(Hex(-1, 0), 0.0)]]) == here  # they would be left behind
    True
    """
    return max(steps, key=lambda step: step.worth + _beside(step.at, wards)).at


def _beside(officer: Hex, wards: Sequence[Sequence[Step]]) -> float:
    """Return what the steps of the teams are worth that keep them beside an Officer, no two in one hex."""
    total, taken = 0.0, {officer}
    for steps in wards:
        free = [step for step in steps if step.at not in taken]
        if not free:
            return -inf
        best = max(free, key=lambda step: _together(step, officer))
        total += _together(best, officer)
        taken.add(best.at)
    return total


def _together(step: Step, officer: Hex) -> float:
    return step.worth - COHESION * max(distance(step.at, officer) - 1, 0)
