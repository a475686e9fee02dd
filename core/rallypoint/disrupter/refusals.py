"""The rules by which the kernel refuses what never comes to a rule: an act out of its time, an answer that is none.

What a rule refuses itself carries its id already. Here stand the ids for the rest (see :class:`rallypoint.kernel.game.Cites`).
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from rallypoint.kernel.game import Refusal
from rallypoint.kernel.state import State

from .field import BATTLE
from .modes import result
from .turn import portion

__all__ = ["cites"]

_ACTS: Mapping[str, str] = MappingProxyType(
    {
        "brief": "D-R10.5",
        "agree": "D-R10.3",
        "move": "D-R14.1",
        "act": "D-R16.1",
        "take_cover": "D-R13.1",
        "leave_cover": "D-R13.3",
        "attach": "D-EQ-V2",
        "relieve_stress": "D-R11.10",
        "flee": "D-PT-T4",
        "react_fire": "D-R15.2",
        "react_spot": "D-R15.3",
    }
)
"""The rule that each act belongs to."""

_OTHER: Mapping[str, str] = MappingProxyType({"move": "act", "battle": "move"})
"""The act that a portion of each kind is not for: moving and acting have portions of their own."""

_QUESTIONS: Mapping[str, str] = MappingProxyType(
    {
        "reaction": "D-R15.2",
        "reaction.shot": "D-R15.4",
        "succession": "D-R9.6",
        "wounds": "D-R16.10",
        "move.further": "D-R15.4",
        "panic": "D-R8.2",
        "panic.status_effect": "D-PT-S",
        "resolve": "D-OP-R11.1",
        "initiative without COs": "D-R11.7",
        "removal": "D-GM-5",
    }
)
"""The rule that asks each question; all others are checks and saves."""


def cites(state: State, refusal: Refusal, about: str) -> str | None:
    """Return the id of the rule that forbids what the kernel turns away.

    Args:
        state: the present state.
        refusal: what is refused.
        about: the rule that was named, or the purpose of the question.
    """
    if refusal == "answer":
        return "D-R9.12" if about.startswith("orders: ") else _QUESTIONS.get(about, "D-R7.1")
    if refusal == "arguments":
        return _ACTS.get(about, "D-R11.2")
    over, phase = result(state), state[BATTLE].attributes.get("phase")
    if over is not None:
        return str(over["rule"])
    if phase == "briefing":
        return "D-R10.1"  # before the first turn nothing is done but what belongs to the briefing
    if refusal == "seat" or phase != "action":
        return "D-R11.9" if phase == "action" else "D-R11.1"
    now = portion(state)
    if now is not None and about == _OTHER[now.phase]:
        return "D-R11.9"
    return "D-R11.2" if about in _OTHER.values() else _ACTS.get(about, "D-R11.2")
