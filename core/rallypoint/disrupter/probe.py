"""Trying a rule where nothing is kept: whether it would refuse, plugins included."""

from __future__ import annotations

from collections.abc import Callable

from rallypoint.kernel.errors import RuleError
from rallypoint.kernel.step import NOBODY, Step
from rallypoint.kernel.tape import Suspended

from .hooks import DisrupterStep

__all__ = ["passes"]


def passes(rule: Callable[[DisrupterStep], object], step: DisrupterStep) -> bool:
    """Say whether a rule refuses nothing and does not answer ``False``; one that has to ask somebody may go on.

    Args:
        rule: gets a step of its own; what it tells there is lost.
        step: the step from whose state it is tried.
    """
    probe: DisrupterStep = Step(step.game, step.state, NOBODY, seat=step.seat, log=False)
    try:
        return rule(probe) is not False
    except RuleError:
        return False
    except Suspended:
        return True
