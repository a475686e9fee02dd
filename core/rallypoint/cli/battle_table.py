"""A battle at the table of the command line: its file, who answers for whom, what things are called, its game.

What the kernel does not need to know stands under ``about`` in the first entry of the log: seats, dice, names, board. So one
file is all of a battle, and its log opens even where its game is not installed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple

from rallypoint.kernel.board import Board
from rallypoint.kernel.canonical import EMPTY, Value, freeze
from rallypoint.kernel.errors import InputError, RallypointError, RuleError
from rallypoint.kernel.parts import Hex

from .battle_words import Called, Names, Voice
from .command_line import Invocation, unknown

if TYPE_CHECKING:
    from rallypoint.kernel.answers import Answers, Chance, Seat
    from rallypoint.kernel.battle import Battle
    from rallypoint.kernel.battle_file import BattleFile
    from rallypoint.kernel.encounter import Encounter
    from rallypoint.kernel.game import Game
    from rallypoint.kernel.history import Entry, History
    from rallypoint.kernel.state import State

    from .battle_game import Playing

__all__ = ["SEATS", "About", "Record", "Table", "about_value", "answers_of", "read_about"]

SEATS = ("person", "auto", "random")
"""Who can sit in a seat: somebody at the terminal, the game's autopilot, or chance."""


class About(NamedTuple):
    """What a battle file says besides its log.

    ``seats`` maps a seat to one of :data:`SEATS`; who is not in it is a person. ``seed`` is that of the dice, ``None``: they are
    thrown at the table and typed in.
    """

    seats: Mapping[str, str]
    seed: str | int | None
    called: Called
    board: Board | None


def about_value(encounter: Encounter, seats: Mapping[str, str], seed: str | int | None) -> Mapping[str, object]:
    """Return what :func:`read_about` reads."""
    called = {uid: (sheet.name, sheet.role, sheet.code) for uid, sheet in encounter.sheets.items()}
    value: dict[str, object] = {"seats": seats, "seed": seed, "called": called}
    board = encounter.board
    if board is not None:
        terrain = sorted((place.q, place.r, word) for place, word in board.terrain.items())
        value["board"] = {"columns": board.columns, "rows": board.rows, "terrain": terrain, "hex_mm": board.hex_mm}
    return value


def read_about(body: Mapping[str, Value]) -> About:
    """Return what the body of a first entry says; a battle that was started elsewhere says nothing."""
    raw: Any = body.get("about", EMPTY)
    if not isinstance(raw, Mapping):
        raw = EMPTY
    board: Any = raw.get("board")
    return About(
        raw.get("seats", EMPTY),
        raw.get("seed"),
        {uid: tuple(row) for uid, row in raw.get("called", EMPTY).items()},
        None
        if board is None
        else Board(
            board["columns"], board["rows"], {Hex(q, r): word for q, r, word in board["terrain"]}, board["hex_mm"]
        ),
    )


def answers_of(about: About, module: object, game: Game[object], state: State) -> Answers:
    """Return who answers in a battle.

    Raises:
        InputError: there is no such seat, or nobody of that kind can sit in it.
    """
    from rallypoint.kernel.answers import PERSON, Answers, Seed

    known = game.seats(state)
    for seat in about.seats:
        if seat not in known:
            raise unknown("there is no such seat", seat, list(known), f"the seats are {', '.join(known)}")
    chance: Chance = PERSON if about.seed is None else Seed(about.seed)
    seats = {seat: _seated(kind, seat, about, module, game) for seat, kind in about.seats.items()}
    return Answers(chance, seats)


def _seated(kind: str, seat: str, about: About, module: object, game: Game[object]) -> Seat:
    from rallypoint.kernel.answers import PERSON, AtRandom

    own_seed = f"{0 if about.seed is None else about.seed}/{seat}"
    if kind == "person":
        return PERSON
    if kind == "random":
        return AtRandom(own_seed)
    if kind != "auto":
        raise unknown("nobody of this kind can sit in a seat", kind, list(SEATS), f"it is {', '.join(SEATS)}")
    seat_alone = getattr(module, "seat_alone", None)
    if seat_alone is None:
        raise InputError("this game has no autopilot", where=seat, expected="person or random")
    made: Seat = seat_alone(game.options, own_seed)
    return made


class Record:
    """The log of a battle file, read as it is: for looking, without its rules. Use it in a ``with`` statement."""

    def __init__(self, invocation: Invocation, path: str) -> None:
        from rallypoint.kernel.battle_file import BattleFile

        self.invocation = invocation
        self.path = path
        self.file: BattleFile = BattleFile(Path(path))
        try:
            self._open(self.file.entries())
        except BaseException:
            self.file.close()
            raise

    def _open(self, entries: Sequence[Entry]) -> None:
        from rallypoint.kernel.history import History

        self.entries = entries
        self.history: History = History.of(entries)
        self.about = read_about(entries[0].body)
        self.title = str(entries[0].body.get("title", "")) or Path(self.path).stem
        self.names = Names(self.history.state, self.about.called)
        self.voice = Voice(self.module(), self.names)

    def __enter__(self) -> Record:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.file.close()

    @property
    def game_name(self) -> str:
        """The game that is played, by the log."""
        return str(self.history.rules.get("game"))

    @property
    def options(self) -> Mapping[str, Value]:
        """The rulings in force, by the log."""
        found = self.history.rules.get("options")
        return found if isinstance(found, Mapping) else EMPTY

    def module(self) -> object:
        """Return the game's module, ``None`` where it is not installed, off or broken: a log can be read all the same."""
        from .battle_game import battle_game

        try:
            return battle_game(self.invocation, self.game_name)
        except RallypointError:
            return None

    def entry(self, number: int) -> Entry:
        """Return an entry.

        Raises:
            InputError: there is none of that number.
        """
        if not 0 <= number <= self.history.head:
            raise InputError(
                "there is no such entry", where=self.path, found=number, expected=f"0 to {self.history.head}"
            )
        return self.entries[number]

    def state_after(self, number: int) -> State:
        """Return the state after an entry."""
        from rallypoint.kernel.history import History

        self.entry(number)
        return History.of(self.entries[: number + 1]).state

    def undone(self) -> frozenset[int]:
        """Return the numbers of the steps and edits that were taken back and not brought back."""
        found: set[int] = set()
        for entry in self.entries:
            if entry.kind in ("undo", "redo"):
                number: Any = entry.body["entry"]
                (found.add if entry.kind == "undo" else found.discard)(number)
        return frozenset(found)


class Table(Record):
    """A battle that goes on under its rules.

    Args:
        invocation: this run.
        path: of the battle file.
        seats: who sits in which seat this time, where it differs from the file.
        options: rulings that differ from those of the log; for :meth:`~rallypoint.kernel.battle.Battle.adopt` alone.
        any_rules: open it also under other rules than it was played with.

    Raises:
        BattleFileError: there is no such battle, or it is damaged.
        RuleError: it was played under other rules.
    """

    def __init__(
        self,
        invocation: Invocation,
        path: str,
        *,
        seats: Mapping[str, str] = EMPTY,  # type: ignore[assignment]
        options: Mapping[str, object] | None = None,
        any_rules: bool = False,
    ) -> None:
        super().__init__(invocation, path)
        try:
            self._sit_down(seats, options, any_rules)
        except BaseException:
            self.file.close()
            raise

    def _sit_down(self, seats: Mapping[str, str], options: Mapping[str, object] | None, any_rules: bool) -> None:
        from rallypoint.kernel.battle import Battle
        from rallypoint.kernel.replay import differences

        from .battle_game import playing

        chosen = self.options if options is None else options
        self.playing: Playing = playing(self.invocation, self.game_name, chosen, leave_out_absent=any_rules)
        game, plugins = self.playing.game, self.playing.plugins
        self.differences = differences(self.history.rules, game, plugins)
        if self.differences and not any_rules:
            raise RuleError(
                "this battle was played under other rules",
                where=self.path,
                found="; ".join(self.differences),
                hint=f"rallypoint battle adopt {self.path} goes on under the present ones",
            )
        about = self.about._replace(seats={**self.about.seats, **seats})
        answers = answers_of(about, self.playing.module, game, self.history.state)
        self.about = about
        self.battle: Battle[object] = Battle(game, answers, self.file, self.history, plugins)
        self.voice = Voice(self.playing.module, self.names)

    def __enter__(self) -> Table:
        return self


def frozen(value: object) -> Value:
    """Return a value of JSON as a rule takes it."""
    return freeze(value)
