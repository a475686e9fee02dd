"""Questions, answers and the tape: everything that a rule learns from outside, in order.

A rule asks for faces, for the class that dice fall in, for a random pick, or for a choice. Each answer stands on the
tape with a digest of its question, so a step can run again from its first state and gets the same answers. A question
without an answer raises :class:`Suspended`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias

from .canonical import EMPTY, Value, digest
from .dice import Cut, Throw
from .errors import TapeError

if TYPE_CHECKING:
    from .events import Event
    from .state import State

__all__ = [
    "Answer",
    "Answered",
    "Choice",
    "Choose",
    "Grade",
    "Option",
    "Pick",
    "Question",
    "Reveal",
    "Roll",
    "Sealed",
    "Suspended",
    "Taped",
    "fitting",
    "purpose_of",
    "question_value",
    "tape_in",
    "tape_out",
]


Draws: TypeAlias = tuple[tuple[str, str], ...]
"""Uses of chance, (who, purpose), in order; seeded dice are counted by them."""


class Option(NamedTuple):
    """One thing that may be chosen: ``key`` for programs, ``label`` for people, ``value`` for the rule."""

    key: str
    label: str
    value: Value = None


class Choice(NamedTuple):
    """A seat decides between ``options``; ``subject`` is the uid of what it is about."""

    seat: str
    purpose: str
    options: tuple[Option, ...]
    subject: str | None = None

    def __str__(self) -> str:
        options = ", ".join(o.key if o.key == o.label else f"{o.key} ({o.label})" for o in self.options)
        about = "" if self.subject is None else f" for {self.subject}"
        return f"{self.seat} decides {self.purpose}{about}: {options}"


class Roll(NamedTuple):
    """Which faces do these dice show? They are thrown together. Answer: a tuple of faces for each throw."""

    throws: tuple[Throw, ...]

    @property
    def draws(self) -> Draws:
        """One use of chance for each throw."""
        return tuple([throw[:2] for throw in self.throws])

    def __str__(self) -> str:
        return f"dice: {' and '.join(_dice(throw) for throw in self.throws)}"


class Grade(NamedTuple):
    """In which class of the cut do these dice fall? Answer: the faces, or (in an enumeration) the class alone."""

    throw: Throw
    cut: Cut

    @property
    def draws(self) -> Draws:
        """One use of chance."""
        return (self.throw[:2],)

    def __str__(self) -> str:
        return f"dice: {_dice(self.throw)}"


class Reveal(NamedTuple):
    """Which faces were these, of the class that was answered? Asked only where a class alone was the answer."""

    throw: Throw
    cut: Cut
    grade: str

    @property
    def draws(self) -> Draws:
        """No further use of chance: the dice lie on the table already."""
        return ()

    def __str__(self) -> str:
        return f"dice that came out as {self.grade}: {_dice(self.throw)}"


class Pick(NamedTuple):
    """Which ``k`` of these, every set equally likely? Answer: rising positions in ``among``."""

    who: str
    purpose: str
    among: tuple[str, ...]
    k: int

    @property
    def draws(self) -> Draws:
        """One use of chance."""
        return (self[:2],)

    def __str__(self) -> str:
        about = f"{self.who}, {self.purpose}" if self.who else self.purpose
        return f"chance picks {self.k} ({about}): {', '.join(self.among)}"


class Choose(NamedTuple):
    """What do the seats choose? All choices are made before any is shown. Answer: a position for each choice."""

    asks: tuple[Choice, ...]

    @property
    def draws(self) -> Draws:
        """No use of chance."""
        return ()

    def __str__(self) -> str:
        return "; ".join(str(ask) for ask in self.asks)


class Sealed(Choose):
    """A question to several seats as it stands open: the same question, and which of its parts are ``missing``.

    >>> asks = tuple(Choice(seat, "parley", (Option("yes", "yes"), Option("no", "no"))) for seat in ("red", "blue"))
    >>> print(Sealed.lacking(asks, (1,)))
    blue decides parley: yes, no (part 1); red has answered, and nobody sees it before all have
    """

    missing: tuple[int, ...] = ()

    @classmethod
    def lacking(cls, asks: tuple[Choice, ...], missing: tuple[int, ...]) -> Sealed:
        """Return the question to which the parts ``missing`` (from 0) have no answer yet."""
        sealed = cls(asks)
        sealed.missing = missing
        return sealed

    def __str__(self) -> str:
        open_parts = "; ".join(f"{self.asks[place]} (part {place})" for place in self.missing)
        ready = [ask.seat for place, ask in enumerate(self.asks) if place not in self.missing]
        have = (
            f"{' and '.join(ready)} {'has' if len(ready) == 1 else 'have'} answered" if ready else "nobody has answered"
        )
        return f"{open_parts}; {have}, and nobody sees it before all have" if ready else f"{open_parts}; {have} yet"


Question: TypeAlias = Roll | Grade | Reveal | Pick | Choose
Answer: TypeAlias = tuple[int, ...] | tuple[tuple[int, ...], ...] | str
"""Faces, positions, faces for each throw, or (in an enumeration) a class."""


class Taped(NamedTuple):
    """One question with its answer.

    A tape that was read from a file knows only the digest of its questions; a live one computes it when it is written.
    ``read_draws`` is what the file says about the use of chance.
    """

    question: Question | str
    answer: Answer
    read_draws: Draws = ()

    @property
    def draws(self) -> Draws:
        """Each use of chance, (who, purpose), in order."""
        return self.read_draws if isinstance(self.question, str) else self.question.draws

    @property
    def digest(self) -> str:
        """What stands for the question."""
        return self.question if isinstance(self.question, str) else question_digest(self.question)


class Answered(Protocol):
    """An entry of a tape: a question with its answer."""

    @property
    def question(self) -> Question | str:
        """What was asked; a tape from a file knows only the digest."""

    @property
    def answer(self) -> Answer:
        """What was answered."""

    @property
    def digest(self) -> str:
        """What stands for the question."""

    @property
    def draws(self) -> Draws:
        """Each use of chance, (who, purpose), in order."""


class Suspended(BaseException):
    """A question has no answer yet: the step stops here and runs again when the answer has come.

    It stands below ``BaseException``, not ``Exception``, so that no honest ``except`` eats it. ``question`` is what is
    asked, ``tape`` what has been answered before, ``given`` the choices of a sealed question that are in already, ``why`` what the
    rule says about the question to people: it is no part of it, and in no log. ``events`` are what the step has told so far and
    ``state`` what that has led to: neither is kept before the step ends.
    """

    def __init__(
        self,
        question: Question,
        tape: Sequence[Answered],
        given: Mapping[int, int],
        why: Mapping[str, object] = EMPTY,
        events: Sequence[Event] = (),
        state: State | None = None,
    ) -> None:
        self.question = question
        self.tape = tuple(tape)
        self.given = given
        self.why = why
        self.events = tuple(events)
        self.state = state
        super().__init__(f"waits for {type(question).__name__.lower()}")


def purpose_of(question: Question) -> str:
    """Return what a question is asked for; of several that are asked together, the first one's purpose.

    >>> purpose_of(Pick("red", "wounds", ("a", "b"), 1))
    'wounds'
    """
    if isinstance(question, Pick):
        return question.purpose
    if isinstance(question, Roll):
        return question.throws[0].purpose
    return question.asks[0].purpose if isinstance(question, Choose) else question.throw.purpose


def question_value(question: Question) -> tuple[object, ...]:
    """Return what identifies the question: its kind and all that it asks."""
    kind = "Choose" if isinstance(question, Choose) else type(question).__name__
    if isinstance(question, (Grade, Reveal)):
        return (kind, question.throw, _cut_mark(question.cut), *question[2:])
    return (kind, *question)


@lru_cache(maxsize=4096, typed=True)
def _known_digest(question: Question) -> str:
    return digest(question_value(question))[:16]


def question_digest(question: Question) -> str:
    """Return what stands for a question on a tape: 16 hexadecimal digits. The same throw comes again and again."""
    try:
        return _known_digest(question)
    except TypeError:  # it holds something that cannot be a key
        return digest(question_value(question))[:16]


@lru_cache(maxsize=1024)
def _known_mark(cut: Cut) -> str:
    return digest(cut.as_value())


def _cut_mark(cut: Cut) -> str:
    """Return what stands for a cut: a digest, since a table of a hundred faces need not be written out every time."""
    try:
        return _known_mark(cut)  # type: ignore[arg-type]
    except TypeError:  # a cut of somebody's own that cannot be a key
        return digest(cut.as_value())


def fitting(question: Question, answer: object) -> Answer:
    """Return ``answer`` in its exact form.

    Raises:
        TapeError: it does not fit the question: a face off the die, a position out of range, too few of them.
    """
    numbers = _tuples(answer)
    if isinstance(question, Roll):
        fits = len(numbers) == len(question.throws) and all(
            isinstance(faces, tuple) and throw.fits(faces)
            for throw, faces in zip(question.throws, numbers, strict=True)
        )
    elif isinstance(question, Grade):
        fits = question.throw.fits(numbers)
    elif isinstance(question, Reveal):
        fits = question.throw.fits(numbers) and question.cut.grade(question.throw.die, numbers) == question.grade
    elif isinstance(question, Pick):
        rising = all(type(position) is int for position in numbers) and list(numbers) == sorted(set(numbers))
        fits = (
            rising
            and len(numbers) == question.k
            and (not numbers or (numbers[0] >= 0 and numbers[-1] < len(question.among)))
        )
    else:
        fits = len(numbers) == len(question.asks) and all(
            type(position) is int and 0 <= position < len(ask.options)
            for ask, position in zip(question.asks, numbers, strict=True)
        )
    if not fits:
        raise TapeError("this answer does not fit its question", found=answer, expected=expectation(question))
    exact: Answer = numbers
    return exact


def _tuples(answer: object) -> Any:
    # Deep: a file gives lists where a rule gives tuples. What the items are is checked by the caller.
    if isinstance(answer, (list, tuple)):
        return tuple([_tuples(item) if isinstance(item, (list, tuple)) else item for item in answer])
    return (answer,)


def expectation(question: Question) -> str:
    """Say in a few words what an answer to the question looks like."""
    if isinstance(question, Roll):
        return " and ".join(_dice(throw) for throw in question.throws)
    if isinstance(question, (Grade, Reveal)):
        return _dice(question.throw)
    if isinstance(question, Pick):
        return f"{question.k} different positions from 0 to {len(question.among) - 1}, rising"
    return ", ".join(f"a position from 0 to {len(ask.options) - 1} for {ask.seat}" for ask in question.asks)


def _dice(throw: Throw) -> str:
    number = "one number" if throw.number == 1 else f"{throw.number} numbers"
    return f"{number} from {throw.die.low} to {throw.die.high} for {throw.who} ({throw.purpose})"


def tape_out(tape: Iterable[Answered]) -> tuple[object, ...]:
    """Return the tape as a value: digest, answer and draws of each entry."""
    return tuple([(taped.digest, taped.answer, taped.draws) for taped in tape])


def tape_in(rows: Value) -> tuple[Taped, ...]:
    """Return the tape that :func:`tape_out` wrote.

    Raises:
        TapeError: the rows are not a tape.
    """
    raw: Any = rows  # each row is checked below
    tape = []
    try:
        for question, answer, draws in raw:
            if not isinstance(question, str) or not isinstance(answer, tuple):
                raise TypeError
            tape.append(Taped(question, answer, tuple([(str(who), str(purpose)) for who, purpose in draws])))
    except (TypeError, ValueError):
        raise TapeError("this is not a tape", found=rows) from None
    return tuple(tape)
