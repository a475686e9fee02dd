"""What the three games share: a game without hooks, secrets and reactions, which each of them extends."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache

from rallypoint.kernel.canonical import EMPTY, Value
from rallypoint.kernel.dice import ByTotal
from rallypoint.kernel.game import Rule
from rallypoint.kernel.state import Entity, State
from rallypoint.kernel.tape import Choice, Option

TABLE, SIDES = "table", ("red", "blue")


class Plain:
    """Two sides, each a seat; the round is a tracker of the table."""

    version, hooks = "1", None

    def __init__(self, options: Mapping[str, Value] = EMPTY) -> None:
        self.options = options

    def seats(self, state: State) -> tuple[str, ...]:
        return SIDES

    def clock(self, state: State) -> int:
        return state[TABLE].value("Round")

    def view(self, state: State, seat: str) -> State:
        return state

    def reactions(self, state: State, window: str, subject: str) -> Sequence[Choice]:
        return ()


@cache
def effect(dm: int) -> ByTotal:
    """T-SI3, T-SI7: 8 and more hits, and the Effect is what is above 8."""
    return ByTotal(tuple([(8 + above, str(above)) for above in range(12, -1, -1)]), "miss", dm)


def named(*rules: Callable[..., object]) -> Mapping[str, Rule]:
    return {rule.__name__: rule for rule in rules}


def other(side: str | None) -> str:
    return SIDES[side == SIDES[0]]


def fact(entity: Entity, name: str) -> int:
    value = entity.facts[name]
    assert isinstance(value, int)
    return value


def uids(entities: Iterable[Entity]) -> list[str]:
    return [entity.uid for entity in entities]


def reaction(entity: Entity, name: str, *rule: Value) -> Choice:
    """Ask the owner of ``entity`` whether it reacts with ``rule`` (its name and arguments)."""
    return Choice(str(entity.parent), name, (Option("no", "let it be"), Option(name, name, rule)), entity.uid)
