"""How a battle ends: Last Man Standing, surrender, draw (D-R9.7, D-GM-1)."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from rallypoint.kernel.canonical import Value
from rallypoint.kernel.changes import SetAttribute
from rallypoint.kernel.state import State

from .field import BATTLE, enemy, leaderless, sides, turn
from .hooks import DisrupterStep

__all__ = ["result", "settle", "surrendered"]


def result(state: State) -> Mapping[str, Value] | None:
    """Return how the battle ended (``winner`` is a side or ``draw``), ``None`` while it goes on."""
    found = state[BATTLE].attributes.get("result")
    return found if isinstance(found, Mapping) else None


def surrendered(state: State, side: str) -> bool:
    """Say whether a side has no Officer left, and so surrenders at once, in every game mode (D-R9.7)."""
    return leaderless(state, side)


def settle(step: DisrupterStep) -> bool:
    """End the battle if a side has just lost its last Officer, and say whether the battle is over.

    Called after everything that can take units off the board at one time; two sides that lose their last Officers
    together draw. In Last Man Standing that is the way to win (D-GM-1).
    """
    state = step.state
    if result(state) is not None:
        return True
    lost = [side for side in sides(state) if surrendered(state, side)]
    winner = step.hooks.mode_victory(step)
    if winner is None and lost:
        winner = "draw" if len(lost) > 1 else enemy(state, lost[0])
    if winner is None:
        return False
    mode = state[BATTLE].facts["mode"]
    rule = "D-GM-1" if lost and mode == "last_man_standing" else "D-R9.7"
    row: dict[str, Value] = {
        "winner": winner,
        "rule": rule,
        "turn": turn(state),
        "mode": mode,
        "surrendered": tuple(lost),
    }
    step.emit("battle.over", SetAttribute(BATTLE, "result", MappingProxyType(row)), rule=rule, why=row)
    return True
