"""Who answers: dice from a seed, people, scripts, and seats that decide by themselves.

:class:`Answers` puts them together for a table: one source of chance, one decider for each seat.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from hashlib import blake2s
from struct import Struct
from types import MappingProxyType
from typing import Protocol

from .dice import Throw
from .errors import TapeError
from .game import Intent
from .state import State
from .step import Step
from .tape import Answer, Choice, Choose, Grade, Pick, Question, Reveal, Roll, fitting

NO_SEATS: Mapping[str, Seat] = MappingProxyType({})

__all__ = ["PERSON", "Answers", "AtRandom", "Chance", "Person", "Policy", "Script", "Seat", "Seed"]


_two_numbers = Struct(">QQ").unpack_from
_four_numbers = Struct(">QQQQ").unpack
_turn_and_ordinal = Struct(">qq").pack


class _Hash(Protocol):
    def update(self, data: bytes, /) -> None: ...
    def digest(self) -> bytes: ...
    def copy(self) -> _Hash: ...


class Chance(Protocol):
    """A source of chance. ``turn`` and ``ordinal`` (from 0) say which of many like throws this is."""

    def faces(self, throw: Throw, turn: int, ordinal: int) -> tuple[int, ...] | None:
        """Return what the dice show, or ``None`` when nobody has thrown them yet."""

    def positions(self, pick: Pick, turn: int, ordinal: int) -> tuple[int, ...] | None:
        """Return which members were picked, rising, or ``None``."""


class Seat(Protocol):
    """Somebody who decides."""

    def choose(self, ask: Choice, view: State) -> int | None:
        """Return the position of an option, or ``None`` when it is not decided yet."""

    def act(self, legal: Sequence[Intent], view: State) -> Intent | None:
        """Return one of the legal intents, or ``None`` when it is not decided yet."""


class Seed:
    """Dice from a seed, keyed by (seed, who, purpose, turn, ordinal) and not by a stream.

    Two variants of the rules with the same seed see the same dice, whatever else was thrown before. A further die (for an
    advantage) leaves the first as it was. A face is the remainder of 64 bits, so no face is favoured by more than
    1 in 10^16.

    >>> from .dice import D100
    >>> one = Seed(7).faces(Throw("red-1", "instinct", D100), turn=1, ordinal=0)
    >>> two = Seed(7).faces(Throw("red-1", "instinct", D100, 2), turn=1, ordinal=0)
    >>> one[0] == two[0]
    True
    """

    __slots__ = ("_base", "_known", "seed")

    def __init__(self, seed: int | str) -> None:
        self.seed = seed
        self._base = blake2s(f"{seed}\x1f".encode(), person=b"rallypnt")
        # A unit throws for the same purpose again and again: what does not depend on turn and ordinal is kept.
        self._known: dict[Throw, tuple[Callable[[], _Hash], int, int, int]] = {}

    def _label(self, who: str, purpose: str) -> _Hash:
        """Return the hash of seed, who and purpose, to which turn and ordinal are still to be added."""
        labelled = self._base.copy()
        labelled.update(f"{who}\x1f{purpose}\x1f".encode())
        return labelled

    def faces(self, throw: Throw, turn: int, ordinal: int) -> tuple[int, ...]:
        """Return the faces that belong to this throw."""
        known = self._known.get(throw)
        if known is None:
            who, purpose, die, number = throw
            known = self._known[throw] = (self._label(who, purpose).copy, die.low, die.sides, number)
        copy, low, sides, number = known
        keyed = copy()
        keyed.update(_turn_and_ordinal(turn, ordinal))
        block = keyed.digest()
        if number == 1:
            return (low + _two_numbers(block)[0] % sides,)
        if number == 2:
            first, second = _two_numbers(block)
            return low + first % sides, low + second % sides
        while len(block) < 8 * number:
            keyed.update(block[-32:])
            block += keyed.digest()
        return tuple([low + int.from_bytes(block[at : at + 8], "big") % sides for at in range(0, 8 * number, 8)])

    def positions(self, pick: Pick, turn: int, ordinal: int) -> tuple[int, ...]:
        """Return the members that belong to this pick."""
        who, purpose, among, k = pick
        keyed = self._label(who, purpose)
        keyed.update(_turn_and_ordinal(turn, ordinal) + b"pick")
        size = len(among)
        few = min(k, size - k)  # which to take, or which to leave out: the fewer are drawn
        if few == 1:
            one = _two_numbers(keyed.digest())[0] % size
            return (one,) if k == 1 else (*range(one), *range(one + 1, size))
        left, drawn = list(range(size)), list[int]()
        while len(drawn) < few:
            for number in _four_numbers(keyed.digest())[: few - len(drawn)]:
                drawn.append(left.pop(number % len(left)))
            keyed.update(b"more")
        return tuple(sorted(drawn)) if few == k else tuple(left)


class Person:
    """Somebody who answers in their own time: the step is suspended until they do. They may also throw real dice."""

    def faces(self, throw: Throw, turn: int, ordinal: int) -> None:
        """Wait for the dice."""

    def positions(self, pick: Pick, turn: int, ordinal: int) -> None:
        """Wait for the pick."""

    def choose(self, ask: Choice, view: State) -> None:
        """Wait for the choice."""

    def act(self, legal: Sequence[Intent], view: State) -> None:
        """Wait for the act."""


PERSON = Person()
"""Somebody at the table."""


class Policy:
    """A seat that decides by functions: ``choose`` gets a choice and the seat's view, ``act`` the legal intents and it."""

    def __init__(
        self,
        choose: Callable[[Choice, State], int | None] | None = None,
        act: Callable[[Sequence[Intent], State], Intent | None] | None = None,
    ) -> None:
        self._choose = choose
        self._act = act

    def choose(self, ask: Choice, view: State) -> int | None:
        """Return what the function says, or wait when there is none."""
        return None if self._choose is None else self._choose(ask, view)

    def act(self, legal: Sequence[Intent], view: State) -> Intent | None:
        """Return what the function says, or wait when there is none."""
        return None if self._act is None else self._act(legal, view)


class AtRandom:
    """A seat that takes any option, the same ones for the same seed and the same state."""

    def __init__(self, seed: int | str) -> None:
        self._seed = Seed(seed)

    def _position(self, view: State, purpose: str, size: int) -> int:
        return self._seed.positions(Pick(view.digest, purpose, ("",) * size, 1), 0, 0)[0]

    def choose(self, ask: Choice, view: State) -> int:
        """Return any position."""
        return self._position(view, f"{ask.purpose}\x1f{ask.subject}", len(ask.options))

    def act(self, legal: Sequence[Intent], view: State) -> Intent:
        """Return any of the intents."""
        return legal[self._position(view, "act", len(legal))]


class _Checked:
    """A source of chance of somebody else's: what it says is looked at before it stands on a tape."""

    def __init__(self, chance: Chance) -> None:
        self._chance = chance

    def faces(self, throw: Throw, turn: int, ordinal: int) -> tuple[int, ...] | None:
        faces = self._chance.faces(throw, turn, ordinal)
        if faces is not None:
            fitting(Roll((throw,)), (faces,))
        return faces

    def positions(self, pick: Pick, turn: int, ordinal: int) -> tuple[int, ...] | None:
        positions = self._chance.positions(pick, turn, ordinal)
        if positions is not None:
            fitting(pick, positions)
        return positions


class Answers:
    """One source of chance and a decider for each seat; seats that are not named are persons."""

    def __init__(
        self,
        chance: Chance,
        seats: Mapping[str, Seat] = NO_SEATS,
        others: Seat = PERSON,
    ) -> None:
        self.chance = chance if isinstance(chance, (Seed, Person)) else _Checked(chance)
        self.faces = self.chance.faces
        self.positions = self.chance.positions
        self.seats = seats
        self.others = others

    def seat(self, name: str) -> Seat:
        """Return who decides for a seat."""
        return self.seats.get(name, self.others)

    def answer(self, question: Question, step: Step[object]) -> Answer | None:
        """Ask whoever the question goes to."""
        if isinstance(question, Pick):
            return self.chance.positions(question, step.turn, step.ordinal(question.who, question.purpose))
        if isinstance(question, Grade):
            throw = question.throw
            return self.chance.faces(throw, step.turn, step.ordinal(throw.who, throw.purpose))
        if isinstance(question, Roll):
            return self._roll(question.throws, step)
        if isinstance(question, Choose):
            return self._choose(question.asks, step)
        return None

    def _roll(self, throws: Sequence[Throw], step: Step[object]) -> Answer | None:
        answer = []
        before: dict[tuple[str, str], int] = {}
        for throw in throws:
            key = throw[:2]
            faces = self.chance.faces(throw, step.turn, step.ordinal(*key) + before.get(key, 0))
            if faces is None:
                return None
            before[key] = before.get(key, 0) + 1
            answer.append(faces)
        return tuple(answer)

    def _choose(self, asks: Sequence[Choice], step: Step[object]) -> Answer | None:
        answer = []
        for place, ask in enumerate(asks):
            position = step.given(place)
            if position is None:
                position = self.seat(ask.seat).choose(ask, step.game.view(step.state, ask.seat))
            if position is None:
                return None
            answer.append(position)
        return fitting(Choose(tuple(asks)), tuple(answer))


class Script:
    """Answers in a given order, for tests, for documents and for dice that were written down.

    Each item answers the next question: faces (a number or a list; for several throws lists of lists, or a
    number for each where each is one die), positions, or
    the keys of options. When the script is at its end, the step waits.
    """

    faces = None
    positions = None

    def __init__(self, answers: Iterable[object]) -> None:
        self._answers = iter(answers)

    def answer(self, question: Question, step: Step[object]) -> Answer | None:
        """Return the next answer.

        Raises:
            TapeError: it does not fit the question.
        """
        for given in self._answers:
            return scripted(question, given)
        return None


def scripted(question: Question, given: object) -> Answer:
    """Return the exact answer that a person's or a script's shorthand means.

    Raises:
        TapeError: it does not fit the question.
    """
    if isinstance(question, Choose):
        keys = [given] if isinstance(given, (str, int)) else given
        if not isinstance(keys, (list, tuple)) or len(keys) != len(question.asks):
            raise TapeError("an answer is needed for each choice", found=given, expected=len(question.asks))
        return fitting(question, [_position(ask, key) for ask, key in zip(question.asks, keys, strict=True)])
    if isinstance(question, Pick) and isinstance(given, str):
        given = [given]
    if isinstance(question, Pick) and isinstance(given, (list, tuple)):
        given = [question.among.index(item) if item in question.among else item for item in given]
        given = sorted(given) if all(type(position) is int for position in given) else given
    elif isinstance(question, Roll) and len(question.throws) == 1 and not _nested(given):
        given = [[given] if isinstance(given, int) else given]
    elif isinstance(question, Roll) and isinstance(given, (list, tuple)) and not _nested(given):
        if all(throw.number == 1 for throw in question.throws):  # one number for each die
            given = [[face] for face in given]
    elif isinstance(question, (Grade, Reveal)) and isinstance(given, int):
        given = [given]
    return fitting(question, given)


def _nested(given: object) -> bool:
    return isinstance(given, (list, tuple)) and bool(given) and isinstance(given[0], (list, tuple))


def _position(ask: Choice, key: object) -> object:
    for position, option in enumerate(ask.options):
        if option.key == key:
            return position
    if isinstance(key, str):
        raise TapeError(
            "no such option",
            where=f"{ask.seat}, {ask.purpose}",
            found=key,
            expected=", ".join(o.key for o in ask.options),
        )
    return key
