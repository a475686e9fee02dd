"""What follows from who stands where, worked out once.

Rules ask the same things again and again (which teams stand in which hexes, which Officers live), while most of what happens
changes numbers and notes alone. So each function here remembers one scene, the one asked about last, and nothing piles up.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TypeVar, TypeVarTuple

from rallypoint.kernel.state import State

__all__ = ["remembered"]

Given = TypeVarTuple("Given")
Result = TypeVar("Result")


def remembered(function: Callable[[State, *Given], Result]) -> Callable[[State, *Given], Result]:
    """Let a function remember what it returned for the scene asked about last (``scene`` of :class:`~rallypoint.kernel.state.State`).

    It may look at facts, places, statuses, links and who is there, and at nothing else of the state; what it returns must be
    a value, names instead of entities, since all who ask get the same one.

    >>> asked = []
    >>> @remembered
    ... def size(state: State, role: str) -> int:
    ...     asked.append(role)
    ...     return len(list(state.below(None, role)))
    >>> empty = State.of([])
    >>> size(empty, "team"), size(empty, "team"), size(empty, "unit"), asked
    (0, 0, 0, ['team', 'unit'])
    """
    # Scene and answers change together, in one assignment: two threads that ask about two states do not mix them up.
    kept: list[tuple[object, dict[tuple[object, ...], Result]]] = [(None, {})]

    @wraps(function)
    def asked(state: State, *given: *Given) -> Result:
        about, known = kept[0]
        if about is not state.scene:
            known = {}
            kept[0] = (state.scene, known)
        try:
            return known[given]
        except KeyError:
            found = known[given] = function(state, *given)
            return found

    return asked
