"""What follows from one state, worked out once.

A state is a value: what was found out about it stays true. Rules ask the same things of one state again and again (who stands
where, which Officers live), and seldom go back to an earlier one. So each function remembers one state, and nothing piles up.
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
    """Let a function of a state and further plain arguments remember what it returned for the state asked about last.

    What it returns must be a value, since all who ask get the same one.

    >>> asked = []
    >>> @remembered
    ... def size(state: State, role: str) -> int:
    ...     asked.append(role)
    ...     return len(list(state.below(None, role)))
    >>> empty = State.of([])
    >>> size(empty, "team"), size(empty, "team"), size(empty, "unit"), asked
    (0, 0, 0, ['team', 'unit'])
    """
    # State and answers change together, in one assignment: two threads that ask about two states do not mix them up.
    kept: list[tuple[State | None, dict[tuple[object, ...], Result]]] = [(None, {})]

    @wraps(function)
    def asked(state: State, *given: *Given) -> Result:
        about, known = kept[0]
        if about is not state:
            known = {}
            kept[0] = (state, known)
        try:
            return known[given]
        except KeyError:
            found = known[given] = function(state, *given)
            return found

    return asked
