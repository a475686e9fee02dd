"""What a game must answer: the protocol between the kernel and the rules.

The kernel has no turn order of its own. It asks the game whose act is due, lets a seat act or a rule run, and asks
again. A game object is bound to its options and its hooks, so two variants can run beside each other.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping, Sequence
from typing import Literal, NamedTuple, Protocol, TypeAlias, TypeVar, runtime_checkable

from .canonical import Value
from .errors import RuleError
from .state import State
from .tape import Choice

__all__ = [
    "OF_ARGUMENTS",
    "Acts",
    "Cites",
    "Due",
    "Game",
    "Intent",
    "Over",
    "Refusal",
    "Rule",
    "Runs",
    "cited",
    "refuse_incomplete",
    "rule_named",
]

Hooks_co = TypeVar("Hooks_co", covariant=True)

Rule: TypeAlias = Callable[..., object]
"""A plain function whose first argument is the :class:`~rallypoint.kernel.step.Step`; the others are values."""

OF_ARGUMENTS = (AttributeError, IndexError, KeyError, TypeError, ValueError)
"""What a rule may raise over arguments that it cannot take: with those that nobody listed it is the seat's slip."""


class Intent(NamedTuple):
    """What a seat wants to do, or what runs by itself (``seat`` is ``None``): a rule by name, with its arguments.

    ``appointment`` is the key of the appointment that brought it about.
    """

    rule: str
    args: tuple[Value, ...] = ()
    seat: str | None = None
    appointment: str | None = None


class Acts(NamedTuple):
    """One of these seats acts next."""

    seats: tuple[str, ...]


class Runs(NamedTuple):
    """This rule runs next by itself; with ``appointment`` the kernel takes that appointment off the agenda first."""

    rule: str
    args: tuple[Value, ...] = ()
    appointment: str | None = None


class Over(NamedTuple):
    """The battle is over; ``result`` says how (who won, by which rule)."""

    result: Value


Due: TypeAlias = Acts | Runs | Over


class Game(Protocol[Hooks_co]):
    """The rules of one game, bound to options and hooks.

    ``rules`` holds every rule that can be named in a log: acts, rules that run by themselves, reactions.
    """

    @property
    def name(self) -> str:
        """Machine name, such as ``disrupter``."""

    @property
    def version(self) -> str:
        """Version of the rules; a log remembers it."""

    @property
    def options(self) -> Mapping[str, Value]:
        """The rulings in force, by id."""

    @property
    def hooks(self) -> Hooks_co:
        """The frozen plan of the game's hooks; ``None`` for a game that has none."""

    @property
    def rules(self) -> Mapping[str, Rule]:
        """The rules by name."""

    def seats(self, state: State) -> tuple[str, ...]:
        """Return the seats that decide, in the game's order."""

    def clock(self, state: State) -> int:
        """Return the present turn; seeded dice and the agenda go by it."""

    def next(self, state: State) -> Due:
        """Say whose act is due, which rule runs by itself, or that it is over."""

    def legal(self, state: State, seat: str) -> Sequence[Intent]:
        """List what ``seat`` may do now, always in the same order."""

    def view(self, state: State, seat: str) -> State:
        """Return the state without what ``seat`` may not know."""

    def reactions(self, state: State, window: str, subject: str) -> Sequence[Choice]:
        """List who may react when ``window`` opens for ``subject``, in game order.

        The value of an option is ``None`` (no reaction) or the rule to run and its arguments.
        """


Refusal: TypeAlias = Literal["seat", "act", "arguments", "answer"]
"""What the kernel refuses before it asks a rule: an act of a seat that is not due, an act that is none of the moment,
arguments that a rule cannot take, an answer that is none to its question."""


@runtime_checkable
class Cites(Protocol):
    """What a game may have besides the members of :class:`Game`: the rules by which the kernel's own refusals go."""

    def cites(self, state: State, refusal: Refusal, about: str) -> str | None:
        """Return the id of the rule that forbids it, ``None`` where no rule of the game says anything.

        Args:
            state: the present state.
            refusal: what is refused.
            about: the rule that was named; for an answer the purpose of its question.
        """


def cited(game: object, state: State, refusal: Refusal, about: str) -> str | None:
    """Return the id of the rule by which a game refuses what the kernel turns away, ``None`` where it does not say one."""
    return game.cites(state, refusal, about) if isinstance(game, Cites) else None


def refuse_incomplete(game: object) -> None:
    """Refuse a game that lacks a member of :class:`Game`.

    Raises:
        RuleError: the members that are missing are named, in the order of the protocol.
    """
    members = [name for name in vars(Game) if not name.startswith("_")]
    missing = [name for name in members if not hasattr(game, name)]
    if missing:
        raise RuleError(
            "this game is not complete",
            where=type(game).__name__,
            found=f"no {', '.join(missing)}",
            expected=", ".join(members),
            hint="rallypoint.kernel.game.Game says what each of them answers",
        )


def rule_named(game: Game[object], name: str) -> Rule:
    """Return the rule of that name.

    Raises:
        RuleError: the game has no such rule.
    """
    rule = game.rules.get(name)
    if rule is None:
        near = difflib.get_close_matches(name, game.rules, n=1)
        raise RuleError(
            "the game has no such rule",
            where=game.name,
            found=name,
            expected=", ".join(sorted(game.rules)),
            hint=f"did you mean {near[0]}?" if near else None,
        )
    return rule
