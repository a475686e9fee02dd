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

from .battle_words import Called, Names, Voice, in_codes, question_words
from .command_line import Invocation, unknown

if TYPE_CHECKING:
    from rallypoint.kernel.answers import Answers, Chance, Seat
    from rallypoint.kernel.battle import Battle
    from rallypoint.kernel.battle_file import BattleFile
    from rallypoint.kernel.encounter import Encounter
    from rallypoint.kernel.game import Game
    from rallypoint.kernel.history import Entry, History
    from rallypoint.kernel.state import State
    from rallypoint.kernel.tape import Choice, Question

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

    def seats(self) -> tuple[str, ...]:
        """Return the seats: those the game names; where it is not there the sides, and whoever else has sat in the battle."""
        from .battle_game import playing

        try:
            rules = playing(self.invocation, self.game_name, self.options)
        except RallypointError:
            sides = [root.uid for root in self.history.state.children(None) if root.role == "side"]
            acted = [entry.intent.seat for entry in self.entries if entry.kind in ("step", "wait")]
            return tuple(dict.fromkeys([*sides, *self.about.seats, *[seat for seat in acted if seat is not None]]))
        return rules.game.seats(self.history.state)

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
        dice: ``seeded`` or ``typed`` for this time alone; ``None``: as the file says.
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
        dice: str | None = None,
        options: Mapping[str, object] | None = None,
        any_rules: bool = False,
    ) -> None:
        super().__init__(invocation, path)
        self.about = self.about._replace(seats={**self.about.seats, **seats}, seed=_seed(self.about.seed, dice))
        try:
            self._sit_down(options, any_rules)
        except BaseException:
            self.file.close()
            raise

    def _sit_down(self, options: Mapping[str, object] | None, any_rules: bool) -> None:
        from rallypoint.kernel.battle import Battle
        from rallypoint.kernel.replay import differences

        from .battle_game import playing

        self.dropped: tuple[str, ...] = ()
        try:
            self.playing: Playing = playing(
                self.invocation, self.game_name, self.options if options is None else options
            )
        except RallypointError:
            self.dropped = self._dropped(any_rules)
            if not self.dropped:
                raise
            kept = {name: choice for name, choice in (options or self.options).items() if name not in self.dropped}
            self.playing = playing(self.invocation, self.game_name, kept)
        game, plugins = self.playing.game, self.playing.plugins
        self.differences = differences(self.history.rules, game, plugins)
        if self.differences and not any_rules:
            raise self._other_rules()
        answers = answers_of(self.about, self.playing.module, game, self.history.state)
        self.battle: Battle[object] = Battle(game, answers, self.file, self.history, plugins)
        self.voice = Voice(self.playing.module, self.names)

    def asked(self) -> tuple[str, ...]:
        """Return the open question in words, a line for each part; nothing when none is open."""
        question = self.battle.question
        if question is None:
            return ()
        return tuple(question_words(question, self.names, self.needed(question), self.asked_of))

    def asked_of(self, ask: Choice) -> str | None:
        """Return in a sentence what a seat is to decide, by what has happened in the step that asks."""
        return self.voice.asked(self.battle.meanwhile, self.battle.pending, ask)

    def needed(self, question: Question) -> str:
        """Return what the dice of the open question must show, and why."""
        return self.voice.needed(question, self.battle.why)

    def _dropped(self, any_rules: bool) -> tuple[str, ...]:
        """Return the rulings of the log that nobody brings any more.

        Raises:
            RuleError: there are some, and the battle is not to go on without them.
        """
        from .battle_game import rulings_of_nobody

        lost = rulings_of_nobody(self.invocation, self.game_name, self.options)
        if not lost or any_rules:
            return tuple(lost)
        logged = self.history.rules.get("plugins")
        plugins = logged if isinstance(logged, Mapping) else EMPTY
        absent = [f"{name} {plugins[name]}" for name in plugins if name not in self._installed()]
        said = [f"{name} = {self.options[name]}" + (f" ({why})" if why else "") for name, why in lost.items()]
        if absent:
            said.append(f"played with {', '.join(absent)}, not installed or not on")
        raise RuleError(
            "this battle uses rulings of a plugin that does not take part",
            where=self.path,
            found="; ".join(said),
            hint=f"install or enable the plugin, or rallypoint battle adopt {self.path}: it goes on without them",
        )

    def _installed(self) -> frozenset[str]:
        return frozenset(each.name for each in self.invocation.plugins())

    def _other_rules(self) -> RuleError:
        """Return the error for a battle of other rules; where it is only plugins that are too many, with the run without them."""
        hint = f"rallypoint battle adopt {self.path} goes on under the present ones"
        more = [name for name in self.playing.plugins if not self._was_played_with(name)]
        if more and not self._differences_without(more):
            off = " ".join(f"-p no:{name}" for name in more)
            them = "it" if len(more) == 1 else "them"
            hint = f"rallypoint {off} {_command()} {self.path} goes on without {them}; rallypoint battle adopt {self.path} with {them}"
        found = "; ".join(self.differences)
        return RuleError("this battle was played under other rules", where=self.path, found=found, hint=hint)

    def _was_played_with(self, plugin: str) -> bool:
        played = self.history.rules.get("plugins")
        return isinstance(played, Mapping) and plugin in played

    def _differences_without(self, plugins: Sequence[str]) -> tuple[str, ...]:
        """Return what differs from the log where these plugins are off."""
        from rallypoint.kernel.replay import differences

        from .battle_game import playing

        switches = self.invocation.switches
        without = self.invocation._replace(switches=switches._replace(off=switches.off | frozenset(plugins)))
        try:
            rules = playing(without, self.game_name, self.options)
        except RallypointError:
            return self.differences
        return differences(self.history.rules, rules.game, rules.plugins)

    def __enter__(self) -> Table:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        super().__exit__(kind, error, trace)
        if isinstance(error, RallypointError):
            in_codes(error, self.names)


def _command() -> str:
    """Return the command that runs: ``battle undo``."""
    import click

    context = click.get_current_context(silent=True)
    return "battle play" if context is None else context.command_path.partition(" ")[2]


def _seed(kept: str | int | None, dice: str | None) -> str | int | None:
    """Return the seed of the dice of one run: that of the file, a new one where it has none and dice are to be seeded."""
    if dice == "seeded" and kept is None:
        from secrets import token_hex

        return token_hex(8)
    return None if dice == "typed" else kept


def frozen(value: object) -> Value:
    """Return a value of JSON as a rule takes it."""
    return freeze(value)
