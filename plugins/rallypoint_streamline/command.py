"""A game without Orders: teams with a human act freely, bots are led (D-SL-R9.1, D-SL-R9.2).

A team with a human acts freely as long as a human of it lives: its Officer, or where it has none the first of them, who acts as
one. That is all he does: he gives no [+], rallies nobody, and is no Officer whose loss makes a platoon surrender.
"""

from __future__ import annotations

from rallypoint.disrupter.activity import fleeing, holds
from rallypoint.disrupter.field import hexes_apart, is_bot, living, side_of, teams
from rallypoint.disrupter.hooks import DisrupterStep
from rallypoint.disrupter.orders import led, permits
from rallypoint.disrupter.records import Order, Reaction
from rallypoint.kernel.errors import RuleError
from rallypoint.kernel.plugins.hooks import hookimpl
from rallypoint.kernel.state import Entity, State

from .switches import on

__all__ = ["acting_officer", "order_execute", "order_issue", "orders_used", "react_trigger"]

FREE_OF_PANIC = ("cover", "spot")
"""What a suppressed team may still do (D-PT-T3)."""


def acting_officer(state: State, team: str) -> Entity | None:
    """Return who acts as the Officer of a team: its own, else its first living human; ``None`` for a team of bots."""
    humans = [unit for unit in living(state, team) if not is_bot(unit)]
    officers = [unit for unit in humans if unit.facts.get("class") in ("CO", "NCO")]
    return next(iter([*officers, *humans]), None)


@hookimpl
def orders_used(step: DisrupterStep) -> bool | None:
    """Do without Orders and Code Words."""
    return False if on(step.options, "D-SL-R9.1") else None


@hookimpl
def order_issue(step: DisrupterStep, order: Order) -> bool | None:
    """Refuse every Order and Code Word."""
    if on(step.options, "D-SL-R9.1"):
        raise RuleError("nobody gives Orders in this battle", rule="D-SL-R9.1", where=order.to, hint="teams act freely")
    return None


@hookimpl
def order_execute(step: DisrupterStep, team: Entity, act: str) -> bool | None:
    """Let a team with a human act freely, and a team of bots that somebody leads who acts as an Officer; panic comes first."""
    if not on(step.options, "D-SL-R9.1") or fleeing(step.state, team.uid):
        return None
    if holds(step.state, team.uid, "suppressed") and act not in FREE_OF_PANIC:
        return None
    if led(step.state, team.uid) and permits(step.state, step.options, team.uid, act) == "yes":
        return None  # by the rules already
    if acting_officer(step.state, team.uid) is not None:
        return True
    return True if on(step.options, "D-SL-R9.2") and _is_led(step.state, team.uid) else None


def _is_led(state: State, team: str) -> bool:
    """Say whether another team with somebody who acts as an Officer is within Close Range (D-R9.14)."""
    for other in teams(state, side_of(state, team)):
        apart = hexes_apart(state, team, other.uid)
        if apart is not None and apart <= 1 and acting_officer(state, other.uid) is not None:
            return True
    return False


@hookimpl
def react_trigger(step: DisrupterStep, reactors: tuple[Reaction, ...]) -> tuple[Reaction, ...] | None:
    """Leave it to each team whether it fires at a mover: there is no Order that says that it must (D-R15.2)."""
    if not on(step.options, "D-SL-R9.1"):
        return None
    return tuple([each._replace(must_fire=False) for each in reactors])
