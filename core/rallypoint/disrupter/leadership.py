"""What an Officer of the autopilot does with his own Battlefield Action: he rallies, and gives orders."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import TypeAlias

from rallypoint.kernel.canonical import Value
from rallypoint.kernel.state import Entity, State

from .command import rallied_by
from .field import commander, living, platoon, platoons, squad_of, turn
from .manoeuvre import LONG_BATTLE, boldness
from .orders import order_of, standing
from .prospects import Figure, Picture

__all__ = ["ENGAGE", "Deeds", "commands", "words_due"]

Deeds: TypeAlias = Set[tuple[Value, Value]]
"""Which units may do which deeds now: ``("R1A-1", "fire")``."""

ENGAGE: Mapping[str, Value] = {"text": "Engage the enemy.", "verb": "engage"}

SPENT = 0.5
"""The part of its units below which a platoon holds its ground, while the other side is not the weaker one."""


def commands(picture: Picture, free: dict[str, Figure], deeds: list[tuple[Value, ...]], may: Deeds) -> float:
    """Add the deeds of a team's Officers to its own, take those who do them out of ``free``, and return what it is worth.

    They rally routed teams near them, give orders to those who have none from anybody they follow, and the company commander
    has platoons halt and go on.
    """
    state, total = picture.state, 0.0
    for figure in [figure for figure in free.values() if figure.officer]:
        if rallied_by(state, figure.uid):
            deeds.append((figure.uid, "rally"))
            total += 3.0
        elif (figure.uid, "order") in may and (waiting := _without_orders(state, figure.uid)) is not None:
            deeds.append((figure.uid, "order", waiting, ENGAGE))
            total += 1.0
        elif (figure.uid, "code_word") in may and (due := words_due(picture, figure.uid)):
            word = next(iter(due))
            deeds.append((figure.uid, "code_word", word, tuple(due[word])))
            total += 1.0
        else:
            continue
        del free[figure.uid]
    return total


def _without_orders(state: State, officer: str) -> str | None:
    """Return a team of an Officer's squad that he has rallied and that waits for his orders (D-R16.15)."""
    for team in state.children(squad_of(state, officer).uid):
        waits = team.attributes.get("under") == officer and "routed" not in team.statuses
        if waits and living(state, team.uid) and order_of(state, team.uid) is None:
            return team.uid
    return None


def words_due(picture: Picture, officer: str) -> Mapping[str, Sequence[str]]:
    """Return the Code Words that an Officer has to give as company commander, each with the platoons that need it (D-SF-4).

    A platoon that has lost more than half of its units halts, unless its side is the stronger one or the battle a long one;
    then it goes on.
    """
    state, head = picture.state, commander(picture.state, picture.side)
    if head is None or head.uid != officer:
        return {}
    found: dict[str, list[str]] = {}
    presses_on = boldness(picture) < 1 or turn(state) > LONG_BATTLE
    for own in platoons(state, picture.side):
        if own.uid == platoon(state, officer).uid or commander(state, own.uid) is None:
            continue
        spent = _left(state, own) < SPENT and not presses_on
        if spent != _halted(own):
            found.setdefault("Halt" if spent else "Resume", []).append(own.uid)
    return found


def _halted(own: Entity) -> bool:
    return any(each.order.code_word == "Halt" for each in standing(own))


def _left(state: State, own: Entity) -> float:
    """Return what part of a platoon's units is left."""
    teams = [team.uid for team in state.below(own.uid, "team")]
    return sum(len(living(state, team)) for team in teams) / max(sum(1 for _ in state.below(own.uid, "unit")), 1)
