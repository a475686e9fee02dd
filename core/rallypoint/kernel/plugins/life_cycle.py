"""The hooks that the kernel itself has: news of a battle's life. A game's own class of hooks extends this one.

>>> from .hooks import change, hook_specs
>>> class Hooks(LifeCycle, Protocol):
...     @change("wounds")
...     def fire_wounds(self, step: object, wounds: int) -> int: ...
>>> tuple(hook_specs(Hooks))
('battle_started', 'step_committed', 'step_undone', 'battle_over', 'fire_wounds')
"""

from __future__ import annotations

from typing import ClassVar, Protocol

from ..canonical import Value
from ..events import Event
from ..state import State
from .hooks import tell

__all__ = ["LifeCycle"]


class LifeCycle(Protocol):
    """News of a battle, told after it has been written to the log; never in replay, odds or simulation."""

    hook_api: ClassVar[str] = "1.0"

    @tell()
    def battle_started(self, state: State) -> None:
        """Tell that a battle begins, with its first state. Opening a battle that exists is not told."""

    @tell()
    def step_committed(self, events: tuple[Event, ...], state: State) -> None:
        """Tell what happened in a step or an outside edit, and the state after it."""

    @tell()
    def step_undone(self, state: State) -> None:
        """Tell that a step was taken back or brought back, and the state after that."""

    @tell()
    def battle_over(self, result: Value, state: State) -> None:
        """Tell how a battle ended; a battle that is undone and ends again tells it again."""
