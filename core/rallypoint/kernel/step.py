"""The step: the only way out for a rule. It asks through it and tells through it.

A rule is a plain function whose first argument is the step. :func:`run` runs one along a tape; what comes out is a new
state, the events and the longer tape. Nothing is kept when a rule raises: states are values.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Concatenate, Generic, NamedTuple, ParamSpec, Protocol, TypeAlias, TypeVar, overload

from .canonical import EMPTY, Value, freeze
from .changes import VALUED, Change, DropAgenda, SetAgenda, frozen
from .dice import Cut, Throw
from .errors import RuleError, StateError, TapeError
from .events import Event
from .fold import fold
from .game import Game, Intent, rule_named
from .state import State
from .tape import (
    Answer,
    Answered,
    Choice,
    Choose,
    Grade,
    Option,
    Pick,
    Question,
    Reveal,
    Roll,
    Suspended,
    Taped,
    fitting,
    question_digest,
    question_value,
)

__all__ = ["Done", "Graded", "Source", "Step", "run"]

Hooks = TypeVar("Hooks", covariant=True)
Given = ParamSpec("Given")
Result = TypeVar("Result")

Draws: TypeAlias = Mapping[tuple[str, str], int]
"""How often each (who, purpose) has thrown in the present turn."""

NO_DRAWS: Draws = MappingProxyType({})
NOTHING_GIVEN: Mapping[int, int] = MappingProxyType({})


# Named tuples through tuple.__new__: half the time of calling the class, and only where it counts.
_new: Any = tuple.__new__


class Source(Protocol):
    """Who answers the questions of a step: dice, seats, a script, an enumerator.

    ``faces`` is the short way for the commonest question, one throw: from the throw, the turn and the ordinal to its
    faces; ``positions`` is the same for picks. A source that has none (``None``) is asked through :meth:`answer`.
    """

    @property
    def faces(self) -> Callable[[Throw, int, int], tuple[int, ...] | None] | None:
        """The short way, or ``None``."""

    @property
    def positions(self) -> Callable[[Pick, int, int], tuple[int, ...] | None] | None:
        """The short way for picks, or ``None``."""

    def answer(self, question: Question, step: Step[object]) -> Answer | None:
        """Return the answer, or ``None`` when it is not there yet."""


_OVER = BaseException("the step is over")
"""Stands in a step that has come to its end; never raised itself."""


class _Nobody:
    faces = None
    positions = None

    def answer(self, question: Question, step: Step[object]) -> None:
        """Say nothing."""


NOBODY: Source = _Nobody()
"""Answers nothing: the step stops at its first question beyond the tape."""


class Graded:
    """The class in which dice fell. Reading :attr:`faces` asks for the numbers themselves.

    It stands on the tape as its own entry, question and answer in one.
    """

    __slots__ = ("_faces", "_step", "cut", "grade", "throw")

    def __init__(
        self, throw: Throw, cut: Cut, grade: str, faces: tuple[int, ...] | None, step: Step[object] | None = None
    ) -> None:
        self.throw = throw
        self.cut = cut
        self.grade = grade
        self._faces = faces
        self._step = step

    @property
    def faces(self) -> tuple[int, ...]:
        """The faces; an enumeration branches here by number, where the class alone was not enough."""
        if self._faces is None:
            assert self._step is not None, "only a class that came without faces has to ask"
            asked: tuple[int, ...] = self._step._ask(Reveal(self.throw, self.cut, self.grade))
            self._faces = asked
        return self._faces

    @property
    def question(self) -> Grade:
        """What was asked."""
        return Grade(self.throw, self.cut)

    @property
    def answer(self) -> tuple[int, ...] | str:
        """What was answered."""
        return self.grade if self._faces is None else self._faces

    @property
    def digest(self) -> str:
        """What stands for the question."""
        return question_digest(self.question)

    @property
    def draws(self) -> tuple[tuple[str, str], ...]:
        """The use of chance."""
        return ((self.throw.who, self.throw.purpose),)

    def as_value(self) -> Value:
        """Return what the log keeps: who threw, what for, which die, the faces and the class."""
        who, purpose, die, _ = self.throw
        return {"who": who, "purpose": purpose, "die": die, "faces": self._faces, "grade": self.grade}

    def __repr__(self) -> str:
        return f"<Graded {self.grade} {self._faces or ''}>"


class Step(Generic[Hooks]):
    """What a rule works with. ``state`` is the state after everything told so far, ``options`` the rulings in force.

    ``seat`` is the seat whose act this is, ``None`` for a rule that runs by itself: where several seats are due together,
    a rule looks there whether what is to act belongs to the one that asked.
    """

    __slots__ = (
        "_ahead",
        "_answers",
        "_at",
        "_cause",
        "_draws",
        "_faces",
        "_given",
        "_log",
        "_positions",
        "_record",
        "_stopped",
        "_tape",
        "events",
        "game",
        "hooks",
        "options",
        "seat",
        "state",
        "told",
        "turn",
    )

    def __init__(
        self,
        game: Game[Hooks],
        state: State,
        answers: Source,
        *,
        tape: Sequence[Answered] = (),
        draws: Draws = NO_DRAWS,
        given: Mapping[int, int] = NOTHING_GIVEN,
        log: bool = True,
        seat: str | None = None,
    ) -> None:
        self.game = game
        self.state = state
        self.seat = seat
        self.options = game.options
        self.hooks = game.hooks
        self.turn = game.clock(state)
        self.events: list[Event] = []
        self.told: list[Callable[[], None]] = []
        self._answers = answers
        self._tape: list[Answered] = list(tape)
        self._record = self._tape.append
        self._at = 0
        self._ahead = len(self._tape)
        # The short way to faces is open only beyond the tape and before the step stops.
        self._faces = None if self._ahead else answers.faces
        self._positions = answers.positions
        self._draws = dict(draws)
        self._given = given
        self._log = log
        self._cause: int | None = None
        self._stopped: BaseException | None = None

    # Asking

    @overload
    def roll(self, throw: Throw, /, *, why: Mapping[str, object] = EMPTY) -> tuple[int, ...]: ...
    @overload
    def roll(
        self, throw: Throw, second: Throw, /, *more: Throw, why: Mapping[str, object] = EMPTY
    ) -> tuple[tuple[int, ...], ...]: ...
    def roll(self, *throws: Throw, why: Mapping[str, object] = EMPTY) -> tuple[int, ...] | tuple[tuple[int, ...], ...]:
        """Throw dice and return their faces; of several throws, which are thrown together, a tuple for each.

        ``why`` says to people who throw real dice what they are for, as in :meth:`emit`; it is no part of the question.
        """
        for throw in throws:
            if throw.number < 1:
                raise _no_dice(throw)
        answer: tuple[tuple[int, ...], ...] = self._ask(Roll(throws), why)
        return answer[0] if len(throws) == 1 else answer

    def grade(self, throw: Throw, cut: Cut, why: Mapping[str, object] = EMPTY) -> Graded:
        """Throw dice and return the class in which they fall.

        ``why`` says to people who throw real dice what they need and for which reasons, as in :meth:`emit`; it is no part of the question.
        """
        faces = self._faces
        if faces is None:
            answer = self._ask(Grade(throw, cut), why)
            if type(answer) is str:
                return Graded(throw, cut, answer, None, self)
            return Graded(throw, cut, cut.grade(throw.die, answer), answer)
        # The commonest question by far goes a short way; what it does is what _ask does.
        who, purpose, die, number = throw
        if number < 1:
            raise _no_dice(throw)
        draws, draw = self._draws, (who, purpose)
        ordinal = draws.get(draw, 0)
        answer = faces(throw, self.turn, ordinal)
        if answer is None:
            raise self._suspended(Grade(throw, cut), why)
        draws[draw] = ordinal + 1
        graded = Graded(throw, cut, cut.grade(die, answer), answer)
        self._record(graded)
        return graded

    def pick(self, among: Sequence[str], k: int, purpose: str, who: str = "") -> tuple[str, ...]:
        """Return ``k`` different members of ``among``, every set equally likely, in the order of ``among``.

        Raises:
            RuleError: there are fewer than ``k``, or ``k`` is negative.
        """
        if not 0 <= k <= len(among):
            raise RuleError("cannot pick that many", where=purpose, found=k, expected=f"0 to {len(among)}")
        members = tuple(among)
        if k == 0 or k == len(members):
            self.check()
            return members[:k]
        question = _new(Pick, (who, purpose, members, k))
        positions = self._positions
        if positions is None or self._faces is None:
            answer = self._ask(question)
        else:  # the short way, as for faces
            draw = (who, purpose)
            ordinal = self._draws.get(draw, 0)
            answer = positions(question, self.turn, ordinal)
            if answer is None:
                raise self._suspended(question, {})
            self._draws[draw] = ordinal + 1
            self._record(_new(Taped, (question, answer, ())))
        return tuple([members[position] for position in answer])

    @overload
    def choose(self, ask: Choice, /) -> Option: ...
    @overload
    def choose(self, ask: Choice, second: Choice, /, *more: Choice) -> tuple[Option, ...]: ...
    def choose(self, *asks: Choice) -> Option | tuple[Option, ...]:
        """Let a seat decide and return its option; several choices are sealed and shown together.

        Raises:
            RuleError: a choice has no options.
        """
        for ask in asks:
            if not ask.options:
                raise RuleError("nothing to choose from", where=f"{ask.seat}, {ask.purpose}")
        answer = self._ask(Choose(asks))
        options = tuple([ask.options[position] for ask, position in zip(asks, answer, strict=True)])
        return options[0] if len(asks) == 1 else options

    # Telling

    def emit(
        self,
        kind: str,
        *changes: Change,
        rule: str,
        why: Mapping[str, object] = EMPTY,
        by: str | None = None,
        seen_by: tuple[str, ...] | None = None,
    ) -> None:
        """Tell what happened; the changes are in force at once.

        Args:
            kind: the game's dotted word.
            changes: what it does to the state, in order.
            rule: the id of the rule that says so.
            why: reasons, for people and for ``explain``; give up the mapping, and do not alter it afterwards.
            by: the plugin that tells it; ``None`` for the game itself.
            seen_by: the seats that may know; ``None`` means all.

        Raises:
            StateError: a change does not fit the state.
        """
        if self._stopped is not None:
            self.check()
        if changes:
            if self._log and not VALUED.isdisjoint(map(type, changes)):
                changes = tuple([frozen(change) for change in changes])
            self.state = fold(self.state, changes)
        if self._log:
            self.events.append(_new(Event, (kind, changes, rule, by, self._cause, why, seen_by)))

    def call(
        self, rule: Callable[Concatenate[Step[Hooks], Given], Result], *args: Given.args, **kwargs: Given.kwargs
    ) -> Result:
        """Run a nested rule and return what it returns; the last event told so far is the cause of what it tells."""
        if self._stopped is not None:
            self.check()
        outer = self._cause
        self._cause = len(self.events) - 1 if self.events else None
        try:
            return rule(self, *args, **kwargs)
        finally:
            self._cause = outer

    def window(self, name: str, subject: str) -> tuple[Option, ...]:
        """Ask in game order who reacts to ``subject``, run each reaction, and return the options taken.

        The list is made anew after each reaction, since that may have changed who can still react; nobody is asked twice.
        """
        self.check()
        asked: set[tuple[str, str | None]] = set()
        taken: list[Option] = []
        while True:
            for ask in self.game.reactions(self.state, name, subject):
                if (ask.seat, ask.subject) not in asked:
                    break
            else:
                return tuple(taken)
            asked.add((ask.seat, ask.subject))
            option = self.choose(ask)
            if option.value is not None:
                reaction: Any = option.value
                self.call(rule_named(self.game, reaction[0]), *reaction[1:])
                taken.append(option)

    # What hooks use

    def note(self, hook: str, plugin: str, before: object, after: object) -> None:
        """Tell that a plugin answered a hook: an event of its own, so that none is lost or put down to another.

        The same answer is not told again and again while nothing else happens: some questions are asked of everybody.
        """
        if self._stopped is not None:
            self.check()
        if self._log:
            why = {"hook": hook, "before": _readable(before), "after": _readable(after)}
            told = Event("plugin.answered", (), "kernel", plugin, self._cause, why)
            if not self.events or self.events[-1] != told:
                self.events.append(told)

    def later(self, tell: Callable[[], None]) -> None:
        """Keep something to tell plugins after a live commit; replay, odds and simulation drop it."""
        if self._stopped is not None:
            self.check()
        self.told.append(tell)

    def check(self) -> None:
        """Raise again when this step was suspended or is over: nothing can swallow that."""
        if self._stopped is _OVER:
            raise RuleError("this step is over; a rule may not keep it")
        if self._stopped is not None:
            raise self._stopped

    def ordinal(self, who: str, purpose: str) -> int:
        """Return how often ``who`` has thrown for ``purpose`` in this turn."""
        return self._draws.get((who, purpose), 0)

    @property
    def tape(self) -> tuple[Answered, ...]:
        """What has been answered so far."""
        return tuple(self._tape)

    def given(self, ask: int) -> int | None:
        """Return the position already chosen for this part of the open sealed question, if it is in."""
        return self._given.get(ask)

    def _ask(self, question: Question, why: Mapping[str, object] = EMPTY) -> Any:
        # What comes back has the form that the question asks for: sources and tapes are checked where they enter.
        if self._stopped is not None:
            self.check()
        at, tape = self._at, self._tape
        if at < self._ahead:
            taped = tape[at]
            if taped.question != question and taped.digest != question_digest(question):
                raise self._stop(_other_question(at, question, taped))
            answer: Answer | None = taped.answer
            if isinstance(taped.question, str):
                answer = self._fitting(question, taped.answer)
            draws = taped.draws
            self._at = at + 1
            if self._at == self._ahead:
                self._faces = self._answers.faces
        else:
            try:
                answer = self._answers.answer(question, self)
            except BaseException as error:  # a rule that goes on without the answer would never replay
                self._stop(error)
                raise
            if answer is None:
                raise self._suspended(question, why)
            self._given = NOTHING_GIVEN
            draws = question.draws
            self._record(_new(Taped, (question, answer, ())))
        counts = self._draws
        for draw in draws:
            counts[draw] = counts.get(draw, 0) + 1
        return answer

    def _fitting(self, question: Question, answer: Answer) -> Answer:
        """Check an answer that was read from a file, where only the digest of its question stood."""
        try:
            return fitting(question, answer)
        except TapeError as error:
            self._stop(error)
            raise

    def _suspended(self, question: Question, why: Mapping[str, object]) -> BaseException:
        return self._stop(Suspended(question, self.tape, self._given, why, self.events, self.state))

    def _stop(self, why: BaseException) -> BaseException:
        self._stopped = why
        self._faces = None
        return why

    def _close(self) -> None:
        if self._stopped is not None:
            self.check()
        if self._at < self._ahead:
            raise TapeError(
                "the tape has answers that the rule never asked for",
                found=f"{self._ahead} answers",
                expected=f"{self._at}",
                hint="the rules have changed since; adopt the battle under the present ones",
            )
        self._stopped = _OVER
        self._faces = None


def _no_dice(throw: Throw) -> RuleError:
    return RuleError(
        "a throw needs dice", where=f"{throw.who}, {throw.purpose}", found=throw.number, expected="1 or more"
    )


def _readable(value: object) -> Value:
    try:
        return freeze(value)
    except StateError:
        return type(value).__name__


def _other_question(at: int, question: Question, taped: Answered) -> TapeError:
    return TapeError(
        "the rule asks another question than the one on the tape",
        where=f"answer {at}",
        found=question_value(question),
        expected=taped.digest if isinstance(taped.question, str) else question_value(taped.question),
        hint="the rules have changed since; adopt the battle under the present ones",
    )


class Done(NamedTuple):
    """What a finished step leaves: the state after it, its events and tape, the draws of the turn, what to tell."""

    state: State
    events: tuple[Event, ...]
    tape: tuple[Answered, ...]
    draws: Draws
    told: tuple[Callable[[], None], ...]


def run(
    game: Game[Hooks],
    state: State,
    intent: Intent,
    answers: Source,
    *,
    tape: Sequence[Answered] = (),
    draws: Draws = NO_DRAWS,
    given: Mapping[int, int] = NOTHING_GIVEN,
    log: bool = True,
) -> Done:
    """Run one rule from ``state`` along ``tape``; questions beyond its end go to ``answers``.

    Args:
        game: the rules, bound to options and hooks.
        state: the state before.
        intent: which rule, with which arguments, for which seat.
        answers: who answers what the tape does not hold.
        tape: answers of an earlier run of the same step.
        draws: what was thrown earlier in this turn; seeded dice count on from there.
        given: choices of a sealed question that are in already, by their place in the question.
        log: keep the events; without them a simulation is faster.

    Raises:
        Suspended: a question has no answer yet.
        RuleError: the rules do not allow it.
        TapeError: the tape belongs to other rules.
        PluginError: a plugin failed.
    """
    rule = rule_named(game, intent.rule)
    step = Step(game, state, answers, tape=tape, draws=draws, given=given, log=log, seat=intent.seat)
    if intent.appointment is not None:
        _keep(step, intent.appointment)
    try:
        rule(step, *intent.args)
    except Exception:
        step.check()  # what was raised while a suspension passed by must not take its place
        raise
    step._close()
    done: Done = _new(Done, (step.state, tuple(step.events), tuple(step._tape), step._draws, tuple(step.told)))
    return done


def _keep(step: Step[Hooks], key: str) -> None:
    """Take the appointment off the agenda, or put it off to its next time."""
    for old in step.state.agenda:
        if old.key == key:
            again = old.every > 0
            change = SetAgenda(old._replace(at=old.at + old.every)) if again else DropAgenda(key)
            step.emit("agenda.due", change, rule="kernel", why={"appointment": key, "at": old.at})
            return
    raise RuleError("there is no such appointment", found=key)
