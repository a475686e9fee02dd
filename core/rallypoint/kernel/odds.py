"""Exact odds: run a rule through every outcome and add up exact fractions.

The rule is the one that play runs. A question about a class of dice branches by class, weighted by counting; faces are
branched only where the rule reads them. Choices are made by a stated policy: chance has odds, people have not.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, product
from typing import Any, Generic, TypeVar

from .errors import RuleError
from .game import Game, Intent
from .state import State
from .step import Done, Step, run
from .tape import Answer, Answered, Choice, Choose, Grade, Pick, Question, Reveal, Roll, Taped, fitting

__all__ = ["Odds", "outcomes"]

Hooks = TypeVar("Hooks")
Measure = TypeVar("Measure", bound=Hashable)


def outcomes(
    game: Game[Hooks],
    state: State,
    intent: Intent,
    measure: Callable[[Done], Measure],
    policy: Callable[[Choice, State], int] | None = None,
) -> dict[Measure, Fraction]:
    """Return the exact probability of each value that ``measure`` finds at the end of the step.

    Args:
        game: the rules.
        state: the state before.
        intent: the rule to run.
        measure: what to look at: the state after, an event, a tracker.
        policy: the position that a seat chooses, from the choice and its view; needed as soon as a seat is asked.

    Raises:
        RuleError: a seat is asked and there is no policy, or the rules do not allow the intent.
    """
    found: dict[Measure, Fraction] = {}
    source = _Branches(policy)
    while source.waiting:
        tape, source.ways, source.total = source.waiting.pop()
        value = measure(run(game, state, intent, source, tape=tape))
        found[value] = found.get(value, Fraction(0)) + Fraction(source.ways, source.total)
    return found


class _Branches:
    """Takes the first outcome of each question of chance and puts the others on the list of what is to be run."""

    faces = None
    positions = None

    def __init__(self, policy: Callable[[Choice, State], int] | None) -> None:
        self._policy = policy
        self.waiting: list[tuple[tuple[Answered, ...], int, int]] = [((), 1, 1)]
        self.ways = self.total = 1

    def answer(self, question: Question, step: Step[object]) -> Answer | None:
        if isinstance(question, Choose):
            return self._choose(question, step)
        branches = _branches(question)
        tape, ways = step.tape, self.ways
        self.total *= sum([weight for _, weight in branches])
        for answer, weight in branches[:0:-1]:
            self.waiting.append(((*tape, Taped(question, answer)), ways * weight, self.total))
        first, weight = branches[0]
        self.ways *= weight
        return first

    def _choose(self, question: Choose, step: Step[object]) -> Answer:
        policy = self._policy
        if policy is None:
            raise RuleError(
                "odds need a policy for choices",
                where=f"{question.asks[0].seat}, {question.asks[0].purpose}",
                hint="say what the seat would choose",
            )
        return fitting(question, [policy(ask, step.game.view(step.state, ask.seat)) for ask in question.asks])


def _branches(question: Question) -> Sequence[tuple[Answer, int]]:
    """Return every answer with the number of ways in which it comes up."""
    if isinstance(question, Grade):
        return list(question.cut.ways(question.throw.die, question.throw.number).items())
    if isinstance(question, Reveal):
        throw = question.throw
        every = product(range(throw.die.low, throw.die.high + 1), repeat=throw.number)
        return [(faces, 1) for faces in every if question.cut.grade(throw.die, faces) == question.grade]
    if isinstance(question, Pick):
        return [(chosen, 1) for chosen in combinations(range(len(question.among)), question.k)]
    assert isinstance(question, Roll)
    each = [product(range(t.die.low, t.die.high + 1), repeat=t.number) for t in question.throws]
    return [(faces, 1) for faces in product(*each)]


class Odds(Generic[Hooks]):
    """Odds for one game that remember what was worked out: the same question again costs a look-up."""

    def __init__(
        self, game: Game[Hooks], policy: Callable[[Choice, State], int] | None = None, *, size: int = 4096
    ) -> None:
        self._game = game
        self._policy = policy
        self._size = size
        self._known: dict[tuple[str, Intent, object], object] = {}

    def of(self, state: State, intent: Intent, measure: Callable[[Done], Measure]) -> Mapping[Measure, Fraction]:
        """Return the exact odds of ``measure``; see :func:`outcomes`."""
        key = (state.digest, intent, measure)
        known: Any = self._known.get(key)  # the key holds the measure, so what is kept has its type
        if known is None:
            known = outcomes(self._game, state, intent, measure, self._policy)
            if len(self._known) >= self._size:
                self._known.clear()
            self._known[key] = known
        odds: Mapping[Measure, Fraction] = known
        return odds
