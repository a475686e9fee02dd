"""``rallypoint battle play``: a battle by hand at the terminal: numbered choices, dice that are typed in where they are."""

from __future__ import annotations

import sys
from collections.abc import Callable, Container, Sequence
from typing import TYPE_CHECKING, TypeAlias

import click

from rallypoint.kernel.errors import HeadMovedError, RallypointError

from .battle_back import undone_words
from .battle_board import board_lines
from .battle_log import event_lines, pending_lines
from .battle_new import DICE_ONCE, SEAT, seats_of
from .battle_question import key_meant
from .battle_show import due_lines, known_seat, listed, state_lines
from .battle_table import Table
from .battle_turn import typed_act
from .battle_why import why_lines
from .battle_words import in_codes, throw_words
from .command_line import Invocation, PlainHelp
from .terminal import write

if TYPE_CHECKING:
    from rallypoint.kernel.answers import Seed
    from rallypoint.kernel.dice import Throw
    from rallypoint.kernel.game import Intent
    from rallypoint.kernel.tape import Choice, Pick, Question

__all__ = ["play"]

_HELP = """number   take that choice; several numbers: at once, such as what the units of one team do
words    only choices that hold all of these words: 1A C4
RULE ..  any act with its arguments: move R-1A E2 E3, take_cover R-1A; others as a JSON list: move ["R-1A", ["E2", "E3"]]
s        show how the battle stands; s R-1A: stats, weapons and ranges of a stand
m        the board as text, and the command that draws it
w        why a shot is not listed: w R-1A-2 B-1A
l        what happened lately
u        take back the last answer of the step that asks; else undo your last act, and what followed from it
r        bring back what was undone; at a prompt for dice, r or Enter rolls them for you
g        let the game choose for this seat, once
?        this help
q        leave; the battle goes on with the next `battle play`"""
_FOR_ME = ("", "r")
"""What is typed at a prompt for dice to have them rolled."""

_AT_ONCE = 30
"""How many choices are listed at once; more are grouped first."""


class _Stuck(Exception):  # noqa: N818 - it carries an error
    """What goes on by itself cannot go on."""

    def __init__(self, error: RallypointError) -> None:
        super().__init__(str(error))
        self.error = error


class _Left(Exception):  # noqa: N818 - it is a signal, and no error
    """The player leaves: nothing is wrong."""


@click.command(cls=PlainHelp)
@click.argument("file")
@click.option("--as", "only", metavar="SEAT", help="Only decide for this seat, and stop at the questions of others.")
@SEAT
@DICE_ONCE
@click.pass_obj
def play(invocation: Invocation, file: str, only: str | None, seats: tuple[str, ...], dice: str | None) -> None:
    """Play at the terminal: choose by number, type what real dice show where they are typed, undo at will.

    Every step is in the file as soon as it is done; leave with q, Ctrl-D or Ctrl-C and go on another day.

    Example: rallypoint battle play first.battle

    Example: rallypoint battle play first.battle --as red --seat blue=auto
    """
    with Table(invocation, file, seats=seats_of(seats), dice=dice) as shown:
        chosen = None if only is None else known_seat(shown, only)
        write(f"{shown.title}. ? helps, q leaves.")
        try:
            _Session(shown, chosen).run()
        except _Left:
            write(f"Left at entry {shown.history.head}. Next: rallypoint battle play {file}")


_Key: TypeAlias = Callable[["_Session"], None]


class _Session:
    """One sitting at the terminal."""

    def __init__(self, shown: Table, only: str | None) -> None:
        self.shown = shown
        self.battle = shown.battle
        self.only = only
        self.eyes = only or self.one_person()
        self.told = shown.history.head
        self.halfway: tuple[Intent | None, int] = None, 0  # the step that waits, and how many of its events were told

    def run(self) -> None:
        from rallypoint.kernel.game import Acts

        while True:
            try:
                self.go_on()
                self.tell()
                question, due = self.battle.question, self.battle.due
                if question is not None:
                    self.question(question)
                elif isinstance(due, Acts):
                    if self.only is not None and self.only not in due.seats:
                        self.stop()
                        return
                    self.act(self.only or due.seats[0])
                else:
                    self.stop()
                    return
            except HeadMovedError:
                self.catch_up()
            except _Stuck as stuck:
                raise stuck.error from None
            except RallypointError as error:
                self.tell()
                write(f"Refused: {in_codes(error, self.shown.names)}")

    def go_on(self) -> None:
        """Go on until a person is needed; what goes wrong on the way is nobody's choice, and would go wrong for ever."""
        try:
            self.battle.play()
        except HeadMovedError:
            raise
        except RallypointError as error:
            self.tell()
            raise _Stuck(error) from error

    def one_person(self) -> str | None:
        """Return the seat of the one person who plays, if it is one: what others keep to themselves is not shown then."""
        persons = [seat for seat in self.seats() if self.is_person(seat)]
        return persons[0] if len(persons) == 1 else None

    def seats(self) -> Sequence[str]:
        return self.shown.playing.game.seats(self.battle.state)

    def is_person(self, seat: str | None) -> bool:
        return seat is not None and self.shown.about.seats.get(seat, "person") == "person"

    def stop(self) -> None:
        from rallypoint.kernel.game import Over

        for line in due_lines(self.shown):
            write(line)
        if isinstance(self.battle.due, Over):
            write(f"This battle is over. rallypoint battle undo {self.shown.path} goes back by a step.")

    def tell(self) -> None:
        """Say what happened since it was last told, also in a step that waits for an answer."""
        history = self.shown.history
        intent, above = self.halfway
        for entry in history.entries[self.told + 1 :]:
            if entry.kind != "wait":
                known = above if entry.kind == "step" and entry.intent == intent else 0
                for line in event_lines(self.shown, entry, seat=self.eyes, above=known):
                    write(line)
        waiting, count = history.waiting, len(self.battle.pending)
        known = min(above, count) if waiting is not None and waiting.intent == intent else 0
        for line in pending_lines(self.shown, self.eyes, known):
            write(line)
        self.halfway = (None if waiting is None else waiting.intent, count)
        self.told = history.head

    def catch_up(self) -> None:
        """Say plainly that somebody else went on with this battle, and go on from there."""
        news = self.battle.refresh()
        kinds = ", ".join(f"{entry.number} {entry.kind}" for entry in news)
        write(
            f"Somebody else went on with this battle meanwhile ({kinds}); what you chose was not done. So it stands now:"
        )
        self.tell()

    # Input

    def read(self, prompt: str) -> str:
        """Return a line; the end of the input leaves."""
        sys.stdout.write(f"{prompt} ")
        sys.stdout.flush()
        line = sys.stdin.readline()
        if not line:
            write()
            raise _Left
        return line.strip()

    def entered(self, prompt: str, own: Container[str] = ()) -> str | None:
        """Return a line that is no command; a command is done, and ``None`` returned. ``own``: no commands at this prompt."""
        line = self.read(prompt)
        if line not in own and self.looks(line):
            return None
        command = None if line in own else _COMMANDS.get(line.casefold())
        if command is None:
            return line
        command(self)
        return None

    def looks(self, line: str) -> bool:
        """Answer ``s WHO`` and ``w WHO WHOM``, and say whether it was one of them."""
        word, *who = line.split() or [""]
        names, state = self.shown.names, self.battle.meanwhile
        if word == "s" and len(who) == 1:
            lines = self.shown.voice.stand(state, names.known(who[0]))
        elif word == "w" and len(who) == 2:
            lines = list(why_lines(self.shown, who[0], who[1], self.eyes))
        else:
            return False
        for line in lines:
            write(line)
        return True

    def board(self) -> None:
        for line in board_lines(self.shown, self.battle.meanwhile):
            write(line)
        write(f"As a picture: rallypoint battle map {self.shown.path} -o now.svg")

    def leave(self) -> None:
        raise _Left

    def help(self) -> None:
        write(_HELP)

    def show(self) -> None:
        state = self.battle.state
        if self.eyes is not None:
            state = self.shown.playing.game.view(state, self.eyes)
        for line in state_lines(self.shown, state):
            write(line)
        for side in state.children(None):
            for line in self.shown.voice.stand(state, side.uid):
                write(line)

    def lately(self) -> None:
        for entry in self.shown.history.entries[-8:]:
            for line in event_lines(self.shown, entry, seat=self.eyes):
                write(line)

    def undo(self) -> None:
        """Take back the last answer of the step that waits; where it has none, go back to before the last act of a person.

        What follows from an act by itself would only happen again, so it goes with it.
        """
        history = self.battle.history
        if history.before_answer is not None:
            write(undone_words(self.shown, seat=self.eyes))
            self.told = self.shown.history.head
            return
        acts = [past.number for past in history.past if self.is_person(self.seat_of(past.number))]
        waiting = history.waiting
        if waiting is not None:
            write(undone_words(self.shown, seat=self.eyes))
            if self.is_person(waiting.intent.seat):
                acts = []  # that was the act to take back
        elif not acts:
            write("There is no act of yours to undo.")
        while acts and history.past and history.past[-1].number >= acts[-1]:
            write(undone_words(self.shown, seat=self.eyes))
        self.told = self.shown.history.head

    def seat_of(self, number: int) -> str | None:
        entry = self.shown.history.entries[number]
        return entry.intent.seat if entry.kind == "step" else None

    def redo(self) -> None:
        """Bring back the act that was undone last, with what followed from it by itself."""
        history = self.battle.history
        self.battle.redo()
        while history.undone and not self.is_person(self.seat_of(history.undone[-1].number)):
            self.battle.redo()
        write("Brought back.")
        self.told = self.shown.history.head

    # Acts

    def act(self, seat: str) -> None:
        found = listed(self.shown, seat)
        state = self.battle.state
        words = [self.shown.voice.act(state, intent) for intent in found]
        headline = self.shown.voice.headline(state)
        write()
        write(f"{self.shown.names(seat)} acts." + (f"  {headline}" if headline else ""))
        places = list(range(len(found)))
        while True:
            self.list_choices([words[place] for place in places])
            line = self.entered(f"{seat}>")
            if line is None:
                return
            numbers = _numbers(line)
            if numbers is not None and all(1 <= number <= len(places) for number in numbers):
                self.battle.act(self.shown.voice.at_once([found[places[number - 1]] for number in numbers]))
                return
            if numbers is not None:
                write(f"Numbers from 1 to {len(places)}, please.")
                continue
            if self.by_rule(line, seat):
                return
            places = _matching(line, words) if line else list(range(len(found)))
            if not places:
                write("No choice holds these words.")
                places = list(range(len(found)))

    def list_choices(self, words: Sequence[str]) -> None:
        """Print the choices with their numbers; of a long list what they begin with, so that words can be typed."""
        if len(words) <= _AT_ONCE:
            for number, text in enumerate(words, 1):
                write(f"{number:4}  {text}")
            return
        groups: dict[str, list[int]] = {}
        for number, text in enumerate(words, 1):
            groups.setdefault(text.partition(":")[0], []).append(number)
        for head, numbers in groups.items():
            if len(numbers) == 1:
                write(f"{numbers[0]:4}  {words[numbers[0] - 1]}")
            else:
                write(f"      {head}: {len(numbers)} choices")
        write(f"{len(words)} choices; type words to see fewer, such as {next(iter(groups))}, or ? for help.")

    def by_rule(self, line: str, seat: str) -> bool:
        """Do an act that is typed as a rule with arguments, and say whether it was one."""
        rule, _, rest = line.partition(" ")
        if rule not in self.shown.playing.game.rules:
            return False
        intent = typed_act(self.shown, rule, rest.strip(), seat)
        if intent is not None:
            self.battle.act(intent)
        return intent is not None

    def choose_for(self) -> None:
        """Let the autopilot, or chance, make the next act of whoever is due."""
        from rallypoint.kernel.game import Acts

        from .battle_table import answers_of

        due = self.battle.due
        if self.battle.question is not None or not isinstance(due, Acts):
            write(
                "Only an act can be left to the game. Here a number answers; at dice Enter rolls them. "
                f"Leave with q, and `rallypoint battle step {self.shown.path} --seat SEAT=auto --dice seeded` answers it all."
            )
            return
        seat = self.only or due.seats[0]
        kind = "auto" if hasattr(self.shown.playing.module, "seat_alone") else "random"
        about = self.shown.about._replace(seats={seat: kind})
        answers = answers_of(about, self.shown.playing.module, self.shown.playing.game, self.battle.state)
        view = self.shown.playing.game.view(self.battle.state, seat)
        intent = answers.seat(seat).act(self.battle.legal(seat), view)
        if intent is not None:
            self.battle.act(intent)

    # Questions

    def question(self, question: Question) -> None:
        from rallypoint.kernel.tape import Choose, Pick, Roll

        if isinstance(question, Choose):
            missing = getattr(question, "missing", range(len(question.asks)))
            for number, ask in enumerate(question.asks):
                if number in missing and self.asks(ask):
                    self.choose(ask, number if len(question.asks) > 1 else None)
                    return
            self.stop()
            raise _Left
        if isinstance(question, Pick):
            self.pick(question)
        elif isinstance(question, Roll):
            self.roll(question.throws, self.shown.needed(question))
        else:
            self.roll((question.throw,), self.shown.needed(question))

    def asks(self, ask: Choice) -> bool:
        """Say whether a choice is for whoever sits here."""
        return self.only in (None, ask.seat)

    def choose(self, ask: Choice, number: int | None) -> None:
        about = "" if ask.subject is None else f" ({self.shown.names(ask.subject)})"
        write()
        write(f"{self.shown.names(ask.seat)} decides: {self.shown.asked_of(ask) or ask.purpose + about}")
        for at, option in enumerate(ask.options, 1):
            write(f"{at:4}  {self.shown.voice.option(option.label)}")
        line = self.entered(f"{ask.seat}>")
        if line is None:
            return
        key = key_meant(self.shown.names, ask, line)
        if all(option.key != key for option in ask.options):
            write(f"A number from 1 to {len(ask.options)}, please.")
            return
        self.battle.answer(key, number)

    def pick(self, pick: Pick) -> None:
        write()
        for at, member in enumerate(pick.among, 1):
            write(f"{at:4}  {self.shown.names(member)}")
        line = self.entered(f"{pick.purpose}: draw {pick.k} of them>", _FOR_ME)
        if line is None:
            return
        if line in _FOR_ME:
            self.battle.answer(_dice().positions(pick, 0, 0))
            return
        numbers = _numbers(line)
        if numbers is None:
            write(f"{pick.k} different numbers from 1 to {len(pick.among)}, please.")
            return
        self.battle.answer([number - 1 for number in numbers])

    def roll(self, throws: Sequence[Throw], needed: str) -> None:
        faces: list[list[int]] = []
        while len(faces) < len(throws):
            throw = throws[len(faces)]
            line = self.read(f"{throw_words(throw, self.shown.names, needed)}>")
            if line == "u" and faces:
                faces.pop()  # a slip of the moment before
                continue
            if line not in _FOR_ME and self.looks(line):
                return
            if line not in _FOR_ME and line.casefold() in _COMMANDS:
                _COMMANDS[line.casefold()](self)
                return
            if line in _FOR_ME:
                faces.append(list(_dice().faces(throw, 0, 0)))
                write(f"rolled for you: {' '.join(str(face) for face in faces[-1])}")
                continue
            numbers = _numbers(line)
            shown = None if numbers is None else [_face(number, line, throw) for number in numbers]
            if shown is None or not throw.fits(tuple(shown)):
                count = "one number" if throw.number == 1 else f"{throw.number} numbers"
                write(f"{count} from {throw.die.low} to {throw.die.high}, please.")
                return
            faces.append(shown)
        self.battle.answer(faces if len(faces) > 1 else faces[0])


def _dice() -> Seed:
    """Return dice with a seed of their own: what they show stands in the log as if it had been typed."""
    from secrets import token_hex

    from rallypoint.kernel.answers import Seed

    return Seed(token_hex(8))


def _matching(line: str, words: Sequence[str]) -> list[int]:
    """Return the places of the choices that hold all words of a line."""
    wanted = line.casefold().split()
    return [place for place, text in enumerate(words) if all(word in text.casefold() for word in wanted)]


def _numbers(line: str) -> list[int] | None:
    """Return the numbers of a line, ``None`` where it holds anything else.

    >>> _numbers("34, 77"), _numbers("00"), _numbers("a 1")
    ([34, 77], [0], None)
    """
    parts = line.replace(",", " ").split()
    return (
        [int(part) for part in parts] if parts and all(part.isdecimal() and len(part) < 10 for part in parts) else None
    )


def _face(number: int, line: str, throw: Throw) -> int:
    """Return the face that people mean: 00 is 100 where a game counts percentile dice from 1."""
    return 100 if number == 0 and "00" in line and (throw.die.low, throw.die.high) == (1, 100) else number


_COMMANDS: dict[str, _Key] = {
    "q": _Session.leave,
    "?": _Session.help,
    "help": _Session.help,
    "s": _Session.show,
    "l": _Session.lately,
    "u": _Session.undo,
    "r": _Session.redo,
    "g": _Session.choose_for,
    "m": _Session.board,
}
