"""The turn: initiative once, no groups, COs with the others (D-SL-R11.1 to D-SL-R11.3, D-AMB-26)."""

from __future__ import annotations

from rallypoint.disrupter.field import sides
from rallypoint.disrupter.hooks import DisrupterStep
from rallypoint.kernel.dice import D100, Throw
from rallypoint.kernel.plugins.hooks import hookimpl

from .switches import on

__all__ = ["turn_groups", "turn_initiative", "turn_order"]


@hookimpl
def turn_initiative(step: DisrupterStep, last: str | None) -> str | None:
    """Let who went first in turn 1 go first in each (D-SL-R11.1); without Instinct let the higher d100 go first (D-AMB-26)."""
    if last is not None and on(step.options, "D-SL-R11.1"):
        return last
    return _roll_off(step) if step.options.get("D-AMB-26") == "no_instinct" else None


def _roll_off(step: DisrupterStep) -> str:
    one, other = sides(step.state)
    throws = [Throw(side, "initiative", D100) for side in (one, other)]
    while True:
        (first,), (second,) = step.roll(*throws, why={"words": "the higher goes first"})
        why = {"words": "each side rolls a d100: {dice}", "dice": {one: first, other: second}}
        step.emit("turn.roll_off", rule="D-AMB-26", by="streamline", why=why)
        if first != second:
            return one if first > second else other


@hookimpl
def turn_groups(step: DisrupterStep) -> int | None:
    """Put every squad into Group 1, without a check (D-SL-R11.2)."""
    return 1 if on(step.options, "D-SL-R11.2") else None


@hookimpl
def turn_order(step: DisrupterStep, order: tuple[str, ...]) -> tuple[str, ...] | None:
    """Leave out the COs' own portion: they act with Group 1 (D-SL-R11.3)."""
    return tuple([group for group in order if group != "co"]) if on(step.options, "D-SL-R11.3") else None
