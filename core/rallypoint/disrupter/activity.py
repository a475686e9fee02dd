"""What a team has done in this turn: one Movement Action, then one Battlefield Action (D-R11.2).

These attributes of a team hold the number of the turn in which it last

* ``moved``: spent its Movement Action (by moving, taking or leaving cover, attaching to a raft, relieving Stress),
* ``walked``: really left a hex,
* ``acted``: spent its Battlefield Action,

the attribute ``left`` the hex from which it last walked, and the attribute ``braced`` of a unit the turn in which it fired a weapon that may not be moved and fired (D-EQ-T1).

A status that ends by itself carries ``until``, the last turn in which it holds; the end of that turn drops it. Statuses of a
team: ``under_cover``, ``suppressed``, ``retreating``, ``routed``; of a unit: ``out``, ``shaken``, ``recharging``.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from rallypoint.kernel.changes import SetAttribute
from rallypoint.kernel.state import State

from .field import living, team_of, turn
from .hooks import DisrupterStep

__all__ = ["Action", "braced", "fleeing", "holds", "may_spend", "spend", "spent", "walked"]

Action: TypeAlias = Literal["moved", "acted"]
"""The attribute that a Movement Action or a Battlefield Action sets."""


def spent(state: State, team: str, action: Action) -> bool:
    """Say whether a team has spent that action in this turn."""
    return state[team].attributes.get(action) == turn(state)


def holds(state: State, uid: str, status: str) -> bool:
    """Say whether a status holds in this turn: it is there and has begun."""
    found = state[uid].statuses.get(status)
    if found is None:
        return False
    now = turn(state)
    return (found.since or 0) <= now and (found.until is None or now <= found.until)


def fleeing(state: State, team: str) -> bool:
    """Say whether a team retreats or is routed: its movement is not its own (D-PT-T4, D-PT-T5)."""
    statuses = state[team].statuses
    return "retreating" in statuses or "routed" in statuses


def may_spend(state: State, team: str, action: Action) -> bool:
    """Say whether a team still has that action: it lives, is on the board and has not spent it.

    A Movement Action is gone once the Battlefield Action was taken (D-R11.2). A fleeing team has no Battlefield Action, and
    one that is suppressed besides can do nothing. A suppressed team keeps its actions for what is neither moving nor firing
    (D-PT-T3); what that is, :func:`rallypoint.disrupter.orders.permits` says.
    """
    stand = state[team]
    if stand.place is None or not living(state, team) or spent(state, team, action):
        return False
    if fleeing(state, team) and (action == "acted" or holds(state, team, "suppressed")):
        return False
    return action == "acted" or not spent(state, team, "acted")


def spend(step: DisrupterStep, team: str, action: Action, rule: str, how: str) -> None:
    """Tell that a team has spent an action; ``how`` says on what."""
    change = SetAttribute(team, action, turn(step.state))
    step.emit("action.spent", change, rule=rule, why={"action": action, "on": how})


def walked(state: State, team: str) -> bool:
    """Say whether the stand has left a hex in this turn (D-EQ-T1)."""
    return state[team].attributes.get("walked") == turn(state)


def braced(state: State, uid: str) -> bool:
    """Say whether a unit, or any living unit of a team, fired in this turn what may not be moved and fired (D-EQ-T1)."""
    team = team_of(state, uid).uid
    units = living(state, team) if uid == team else (state[uid],)
    return any(unit.attributes.get("braced") == turn(state) for unit in units)
