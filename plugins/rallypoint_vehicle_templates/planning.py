"""Finding the templates that bring a vehicle to a point: a search through all that its M allows (D-VE-4, D-VE-5, D-VE-8)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

from rallypoint.kernel.parts import Pose

from .templates import MovementTemplate
from .vehicles import Vehicle, end_of

__all__ = ["LIMIT", "Found", "Laid", "Plan", "plans"]

LIMIT = 200_000
"""So many templates are tried at most; with a large M there are more ways than anybody waits for."""


class Laid(NamedTuple):
    """One template of a plan: its key, the template as it lies, and where the middle of the vehicle is then."""

    key: str
    template: MovementTemplate
    end: Pose


class Plan(NamedTuple):
    """Templates in order, what they cost together, and how far from the point the vehicle's middle comes to stand."""

    laid: tuple[Laid, ...]
    cost: int
    miss: float


class Found(NamedTuple):
    """The plans, the best first; ``whole`` is false where the search was given up at :data:`LIMIT`."""

    plans: tuple[Plan, ...]
    whole: bool


def plans(
    vehicle: Vehicle,
    start: Pose,
    goal: tuple[float, float],
    movement: int,
    tolerance: float,
    most: int = 3,
    limit: int = LIMIT,
) -> Found:
    """Return the best ways to a point, as long as nothing slides and nothing is in the way.

    Those that come within the tolerance go first, the cheapest of them at the head; then those that come nearest.

    Args:
        vehicle: its set and size.
        start: where its middle is.
        goal: a point on the board in millimetres.
        movement: its M.
        tolerance: how near is near enough, in millimetres.
        most: how many plans.
        limit: how many templates are tried at most.
    """
    search = _Search(vehicle, goal, tolerance, most, limit)
    search.go_on(start, (), movement)
    return Found(tuple(sorted(search.best, key=search.rank)), search.left > 0)


class _Search:
    """Depth first; what cannot come nearer than the worst of the best, however it goes on, is left out."""

    def __init__(self, vehicle: Vehicle, goal: tuple[float, float], tolerance: float, most: int, limit: int) -> None:
        self.vehicle = vehicle
        self.goal = goal
        self.tolerance = tolerance
        self.most = most
        self.left = limit
        self.best: list[Plan] = []
        faces = [face for template in vehicle.set.templates.values() for face in template.faces()]
        self.faces = sorted(faces, key=lambda face: (face[1].cost, face[0]))
        origin = Pose(0.0, 0.0, 0.0)
        far = [math.dist(end_of(vehicle, origin, each)[:2], (0.0, 0.0)) / each.cost for _, each in self.faces]
        self.reach = max(far)  # millimetres for one of M, at best

    def go_on(self, here: Pose, laid: tuple[Laid, ...], left: int) -> None:
        for key, template in self.faces:
            if template.cost > left or self.left <= 0:
                return  # the faces go by cost
            self.left -= 1
            end = end_of(self.vehicle, here, template)
            longer = (*laid, Laid(key, template, end))
            cost = sum(each.template.cost for each in longer)
            miss = math.dist(end[:2], self.goal)
            self.keep(Plan(longer, cost, miss))
            if not self.hopeless(cost, miss, left - template.cost):
                self.go_on(end, longer, left - template.cost)

    def rank(self, plan: Plan) -> tuple[float, ...]:
        if plan.miss <= self.tolerance:
            return (0, plan.cost, len(plan.laid), plan.miss)
        return (1, plan.miss, plan.cost, len(plan.laid))

    def keep(self, plan: Plan) -> None:
        self.best.append(plan)
        self.best.sort(key=self.rank)
        del self.best[self.most :]

    def hopeless(self, cost: int, miss: float, left: int) -> bool:
        """Say whether going on can give no plan that is better than those that are kept."""
        if len(self.best) < self.most:
            return False
        worst = self.best[-1]
        if worst.miss <= self.tolerance and cost >= worst.cost:
            return True  # what goes on costs more
        return miss - left * self.reach > max(worst.miss, self.tolerance)


def command_of(plan: Plan) -> Iterator[str]:
    """Yield the words with which a plan is driven in a battle."""
    yield from (each.key for each in plan.laid)
    yield "stop"
