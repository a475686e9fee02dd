"""A battle: a game, a log and those who answer, driven one step at a time.

>>> # battle = Battle.start(game, state, Answers(Seed(7)))
>>> # battle.play(); battle.act(battle.legal("red")[0]); battle.undo()
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from .answers import Answers, scripted
from .battle_file import BattleFile
from .canonical import EMPTY, Value, canonical, freeze
from .changes import Change, frozen
from .errors import RuleError, TapeError
from .events import Event
from .fold import fold
from .game import Acts, Due, Game, Intent, Over, Refusal, Rule, Runs, cited, refuse_incomplete, rule_named
from .history import Entry, EntryKind, History, Waiting, step_parts
from .state import State
from .step import NOBODY, NOTHING_GIVEN, run
from .tape import Answer, Answered, Choose, Question, Sealed, Suspended, Taped, purpose_of, question_value, tape_out

__all__ = ["Battle", "Log", "rules_in_force"]

Hooks = TypeVar("Hooks", covariant=True)


class Log(Protocol):
    """Where entries are kept; a :class:`~rallypoint.kernel.battle_file.BattleFile` is one."""

    def entries(self, start: int = 0) -> list[Entry]:
        """Return the entries from number ``start`` on."""

    def append(self, entry: Entry) -> None:
        """Put an entry behind the head, or say that the head has moved."""


class _Memory:
    """A log that lives as long as the process."""

    def __init__(self) -> None:
        self._entries: list[Entry] = []

    def entries(self, start: int = 0) -> list[Entry]:
        return self._entries[start:]

    def append(self, entry: Entry) -> None:
        self._entries.append(entry)


def rules_in_force(game: Game[object], plugins: Mapping[str, str]) -> dict[str, object]:
    """Return what a log remembers of its rules: game, version, options, plugins with their versions."""
    return {
        "game": game.name,
        "version": game.version,
        "options": game.options,
        "plugins": dict(sorted(plugins.items())),
    }


def _instead(due: Due) -> str:
    """Return what is due in place of an act that is not."""
    if isinstance(due, Acts):
        return f"an act of {' or '.join(due.seats)}"
    return f"{due.rule}, which runs by itself first" if isinstance(due, Runs) else "nothing more: it is over"


def _unfit(rule: Rule, intent: Intent) -> str | None:
    """Return why the rule cannot be called with these arguments, ``None`` if it can."""
    from inspect import signature  # slow to import, and not needed by those who only look

    try:
        signature(rule).bind(None, *intent.args)
    except TypeError as error:
        return str(error)
    return None


class Battle(Generic[Hooks]):
    """A battle under way. Make one with :meth:`start` or :meth:`open`."""

    def __init__(
        self, game: Game[Hooks], answers: Answers, log: Log, history: History, plugins: Mapping[str, str]
    ) -> None:
        self.game = game
        self.answers = answers
        self.history = history
        self.plugins = plugins
        self._log = log
        self._busy = False
        self._halt: tuple[Waiting, Suspended] | None = None

    @classmethod
    def start(
        cls,
        game: Game[Hooks],
        state: State,
        answers: Answers,
        *,
        path: Path | None = None,
        plugins: Mapping[str, str] | None = None,
        title: str = "",
        about: Mapping[str, object] = EMPTY,
    ) -> Battle[Hooks]:
        """Return a new battle, kept in a new file at ``path`` or, without one, in memory.

        Args:
            game: the rules.
            state: where it starts.
            answers: who answers.
            path: where its log is kept; nothing may be there yet.
            plugins: those that take part, with their versions.
            title: what people call it.
            about: whatever else the log should say of it in its first entry; the kernel does not read it.

        Raises:
            RuleError: the game lacks a member of :class:`~rallypoint.kernel.game.Game`.
            BattleFileError: the file cannot be made.
        """
        refuse_incomplete(game)
        plugins = plugins or {}
        body: dict[str, object] = {"title": title, "rules": rules_in_force(game, plugins), "state": state.to_text()}
        if about:
            body["about"] = freeze(about)
        first = Entry.new(0, "start", body, (), state.digest)
        log: Log
        if path is None:
            log = _Memory()
            log.append(first)
        else:
            log = BattleFile.create(Path(path), first)
        history = History()
        history.add(first, state)
        battle = cls(game, answers, log, history, plugins)
        battle._tell("battle_started", state)
        return battle

    @classmethod
    def open(
        cls, log: Log, game: Game[Hooks], answers: Answers, *, plugins: Mapping[str, str] | None = None
    ) -> Battle[Hooks]:
        """Return the battle that a log holds, at its head.

        It opens under any rules; whether these are the rules that it was played with, :func:`~rallypoint.kernel.replay.replay`
        says.

        Raises:
            RuleError: the game lacks a member of :class:`~rallypoint.kernel.game.Game`.
            BattleFileError: the log is damaged.
        """
        refuse_incomplete(game)
        return cls(game, answers, log, History.of(log.entries()), plugins or {})

    def __enter__(self) -> Battle[Hooks]:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the battle file, where the log is one; use the battle in a ``with`` statement instead if you can."""
        if isinstance(self._log, BattleFile):
            self._log.close()

    # Looking

    @property
    def state(self) -> State:
        """The present state."""
        return self.history.state

    @property
    def due(self) -> Due:
        """Whose act is due, which rule runs by itself, or that it is over."""
        return self.game.next(self.state)

    @property
    def question(self) -> Question | None:
        """The question that is open, or ``None``; one to several seats knows which of them are missing (``Sealed``)."""
        waiting = self.history.waiting
        if waiting is None:
            return None
        question = self._stopped(waiting).question
        if isinstance(question, Choose) and len(question.asks) > 1:
            missing = [place for place in range(len(question.asks)) if place not in waiting.given]
            return Sealed.lacking(question.asks, tuple(missing))
        return question

    @property
    def why(self) -> Mapping[str, Value]:
        """What the rule that asks says to people about the open question: the number to stay under, each [+] and [-]; often nothing."""
        waiting = self.history.waiting
        said = EMPTY if waiting is None else freeze(self._stopped(waiting).why)
        assert isinstance(said, Mapping)
        return said

    @property
    def pending(self) -> tuple[Event, ...]:
        """What the step that waits for an answer has told so far; it is kept only when the step ends."""
        waiting = self.history.waiting
        return () if waiting is None else self._stopped(waiting).events

    @property
    def meanwhile(self) -> State:
        """The state in which the open question is asked: with all that is pending; the present state, where none is open."""
        waiting = self.history.waiting
        return self.state if waiting is None else self._stopped(waiting).state or self.state

    def legal(self, seat: str) -> Sequence[Intent]:
        """List what ``seat`` may do now; nothing while a question is open or when another seat's act is due."""
        due = self.due
        if self.history.waiting is not None or not isinstance(due, Acts) or seat not in due.seats:
            return ()
        return self.game.legal(self.state, seat)

    def refresh(self) -> tuple[Entry, ...]:
        """Read what other processes have appended meanwhile, and return it.

        Raises:
            BattleFileError: the log is damaged.
        """
        news = tuple(self._log.entries(self.history.head + 1))
        for entry in news:
            self.history.add(entry)
        return news

    # Going on

    def act(self, intent: Intent) -> tuple[Event, ...]:
        """Let a seat act and return what happened; nothing yet, when a question is open now.

        Raises:
            RuleError: it is not this seat's act, or the rules do not allow it; nothing has changed. ``rule`` is the id of the
                rule that says so, also where the kernel refuses by itself and the game is one that
                :class:`~rallypoint.kernel.game.Cites`.
            HeadMovedError: another process wrote to the battle first.
        """
        self._no_question()
        if not isinstance(intent, Intent):
            raise RuleError("this is not an intent", found=repr(intent), expected="Intent(rule, args, seat)")
        due = self.due
        if not isinstance(due, Acts) or intent.seat not in due.seats:
            raise self._refused("seat", "it is not this seat's act", intent, intent.rule, _instead(due))
        legal = self.game.legal(self.state, intent.seat)
        if intent in legal:
            return self._run(intent, (), NOTHING_GIVEN)
        rules = sorted({other.rule for other in legal})
        if intent.rule not in rules:
            raise self._refused(
                "act", "this is not among the acts of the moment", intent, intent.rule, ", ".join(rules)
            )
        # Arguments may be open (an order is free text), so what is not listed is for the rule to judge.
        unfit = _unfit(rule_named(self.game, intent.rule), intent)
        if unfit is not None:
            raise self._refused("arguments", "these arguments do not fit the act", intent, unfit)
        try:
            return self._run(intent, (), NOTHING_GIVEN)
        except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
            found = canonical(freeze(intent.args))
            raise self._refused("arguments", "these arguments do not fit the act", intent, found) from error

    def proceed(self) -> tuple[Event, ...]:
        """Run the rule that is due by itself and return what happened.

        Raises:
            RuleError: no rule is due by itself.
        """
        self._no_question()
        due = self.due
        if not isinstance(due, Runs):
            raise RuleError("no rule is due by itself", found=type(due).__name__.lower())
        before = self.state
        events = self._run(Intent(due.rule, due.args, None, due.appointment), (), NOTHING_GIVEN)
        if self.history.waiting is None and self.state == before and self.due == due:
            self.undo()
            raise RuleError("a rule that runs by itself changes nothing and would run for ever", found=due.rule)
        return events

    def play(self, acts: int | None = None) -> Due:
        """Go on until a person is needed, the battle is over, or ``acts`` acts were made; return what is due then."""
        left = acts
        while True:
            if self.history.waiting is not None and not self._resume():
                return self.due
            due = self.due
            if isinstance(due, Over) or left == 0:
                return due
            if isinstance(due, Runs):
                self.proceed()
                continue
            intent = self._decided(due)
            if intent is None:
                return due
            self.act(intent)
            left = None if left is None else left - 1

    def answer(self, given: object, ask: int | None = None) -> tuple[Event, ...]:
        """Answer the open question and return what happened then.

        Args:
            given: faces, positions, or the keys of options; a single number or key where one is enough.
            ask: which part of a sealed question this is, from 0; the others may come later, and nobody sees them before.

        Raises:
            TapeError: no question is open, or the answer does not fit; the question stays open. ``rule`` is the id of the rule
                that asks, where the game :class:`~rallypoint.kernel.game.Cites`.
        """
        waiting = self.history.waiting
        if waiting is None:
            raise TapeError("no question is open", found=given)
        self._not_busy()
        question = self._stopped(waiting).question
        parts = len(question.asks) if isinstance(question, Choose) else 1
        if ask is not None and not (type(ask) is int and 0 <= ask < parts):
            raise TapeError("no such part of the question", found=ask, expected=f"a whole number from 0 to {parts - 1}")
        if isinstance(question, Choose) and ask is not None:
            position: Any = self._meant(Choose((question.asks[ask],)), given)[0]
            return self._run(waiting.intent, waiting.tape, {**waiting.given, ask: position})
        taped = Taped(question, self._meant(question, given))
        return self._run(waiting.intent, (*waiting.tape, taped), NOTHING_GIVEN)

    def _meant(self, question: Question, given: object) -> Answer:
        """Return the answer that was given in shorthand; what fits no question of its kind is refused by the rule that asks."""
        try:
            return scripted(question, given)
        except TapeError as error:
            raise error.citing(cited(self.game, self.state, "answer", purpose_of(question))) from None

    def cancel(self) -> None:
        """Drop the step that waits, with all that was answered in it; the log remembers.

        Raises:
            RuleError: no question is open.
        """
        self._not_busy()
        if self.history.waiting is None:
            raise RuleError("no question is open, so there is nothing to cancel")
        self._append("cancel", {"intent": self.history.waiting.intent}, (), self.state)

    def retract(self) -> None:
        """Take back the last answer that a person gave in the step that waits; the log remembers. Its question is open again.

        What chance and seats that play alone said after it goes with it; they are asked anew.

        Raises:
            RuleError: no question is open, or nobody has answered one in this step.
        """
        self._not_busy()
        if self.history.waiting is None:
            raise RuleError("no question is open, so there is no answer to take back")
        before = self.history.before_answer
        if before is None:
            raise RuleError("nobody has answered in this step yet", hint="cancel drops the step")
        self._append("retract", {"entry": before.number}, (), self.state)

    def edit(self, who: str, *changes: Change, why: str = "") -> None:
        """Take an edit from outside into the log: somebody changed the state at another table.

        Raises:
            StateError: the changes do not fit.
        """
        self._no_question()
        changes = tuple([frozen(change) for change in changes])
        after = fold(self.state, changes)
        event = Event("outside.edit", changes, "kernel", who, None, {"text": why})
        body, rows = step_parts(Intent("edit"), (), (event,), self.game.clock(self.state))
        self._append("edit", {**body, "who": who}, rows, after, (event,))
        self._committed((event,))

    # Going back

    def undo(self, *, edits: bool = False) -> None:
        """Go back to the state before the last step; the log remembers it.

        Args:
            edits: also take back an outside edit. Without it one is refused, since somebody made it on purpose.

        Raises:
            RuleError: there is nothing to undo, a question is open, or the last entry is an outside edit.
        """
        self._no_question()
        if not self.history.past:
            raise RuleError("there is nothing to undo")
        past = self.history.past[-1]
        if past.kind == "edit" and not edits:
            who = freeze(self.history.entries[past.number].body["who"])
            raise RuleError(
                "the last entry is an edit from outside",
                where=f"entry {past.number}",
                found=who,
                hint="confirm to take it back",
            )
        self._append("undo", {"entry": past.number}, (), past.before)
        self._tell("step_undone", past.before)

    def redo(self) -> None:
        """Bring back the step that was undone last.

        Raises:
            RuleError: there is nothing to redo, or a question is open.
        """
        self._no_question()
        if not self.history.undone:
            raise RuleError("there is nothing to redo")
        past = self.history.undone[-1]
        self._append("redo", {"entry": past.number}, (), past.after)
        self._tell("step_undone", past.after)

    def adopt(self) -> None:
        """Start a new epoch: from here on the battle goes by the present rules; what came before cannot be undone.

        Raises:
            RuleError: a question is open.
        """
        self._no_question()
        self._append("adopt", {"rules": rules_in_force(self.game, self.plugins)}, (), self.state)

    # The parts of it

    def _refused(
        self, refusal: Refusal, what: str, intent: Intent, found: object, expected: str | None = None
    ) -> RuleError:
        """Return the error with which the kernel turns an act away; the game says by which of its rules."""
        rule = cited(self.game, self.state, refusal, intent.rule)
        where = intent.rule if refusal == "arguments" else intent.seat
        return RuleError(what, rule=rule, where=where, found=found, expected=expected)

    def _run(
        self, intent: Intent, tape: Sequence[Answered], given: Mapping[int, int], *, again: bool = False
    ) -> tuple[Event, ...]:
        before = self.state
        turn = self.game.clock(before)
        draws = self.history.draws(turn)
        self._busy = True
        try:
            done = run(self.game, before, intent, self.answers, tape=tape, draws=draws, given=given)
        except Suspended as stop:
            self._wait(intent, stop, again)
            return ()
        finally:
            self._busy = False
        body, rows = step_parts(intent, done.tape, done.events, turn)
        self._append("step", body, rows, done.state, done.events)
        self.history.remember_draws(done.draws, turn)
        for tell in done.told:
            tell()
        self._committed(done.events)
        return done.events

    def _wait(self, intent: Intent, stop: Suspended, again: bool) -> None:
        waiting = self.history.waiting
        if waiting is not None and len(waiting.tape) == len(stop.tape) and waiting.given == stop.given:
            return
        body: dict[str, object] = {
            "intent": intent,
            "tape": tape_out(stop.tape),
            "question": question_value(stop.question),
            "given": {str(place): position for place, position in stop.given.items()},
        }
        if again:
            body["again"] = True
        self._append("wait", body, (), self.state)
        self.history.remember_tape(stop.tape)

    def _resume(self) -> bool:
        """Ask again whoever the open question goes to; say whether the step is finished."""
        waiting = self.history.waiting
        if waiting is not None:
            self._run(waiting.intent, waiting.tape, waiting.given, again=True)
        return self.history.waiting is None

    def _stopped(self, waiting: Waiting) -> Suspended:
        """Return how the step that waits stopped at its open question: it is run again up to there, once for each question."""
        if self._halt is not None and self._halt[0] is waiting:
            return self._halt[1]
        try:
            run(self.game, self.state, waiting.intent, NOBODY, tape=waiting.tape)
        except Suspended as stop:
            self._halt = waiting, stop.with_traceback(None)
            return stop
        raise TapeError(
            "the step that waited has nothing to ask any more", hint="the rules have changed since; cancel the step"
        )

    def _decided(self, due: Acts) -> Intent | None:
        for seat in due.seats:
            legal = self.game.legal(self.state, seat)
            if not legal:
                continue
            intent = self.answers.seat(seat).act(legal, self.game.view(self.state, seat))
            if intent is not None:
                if not isinstance(intent, Intent):
                    raise RuleError("a seat gave something else than an intent", where=seat, found=repr(intent))
                return intent
        return None

    def _committed(self, events: tuple[Event, ...]) -> None:
        self._tell("step_committed", events, self.state)
        if getattr(self.game.hooks, "battle_over", None) is not None:
            due = self.due
            if isinstance(due, Over):
                self._tell("battle_over", due.result, self.state)

    def _tell(self, hook: str, *news: object) -> None:
        """Tell a hook of the kernel's own, where the game's hooks extend :class:`~rallypoint.kernel.plugins.life_cycle.LifeCycle`."""
        call = getattr(self.game.hooks, hook, None)
        if call is not None:
            call(*news)

    def _not_busy(self) -> None:
        if self._busy:
            raise RuleError("a step is under way: a rule, a hook or a seat may not drive the battle")

    def _no_question(self) -> None:
        self._not_busy()
        if self.history.waiting is not None:
            raise RuleError("a question is open", hint="answer it or cancel the step first")

    def _append(
        self,
        kind: EntryKind,
        body: Mapping[str, object],
        rows: Sequence[object],
        after: State,
        events: Sequence[Event] = (),
    ) -> None:
        entry = Entry.new(self.history.head + 1, kind, body, rows, after.digest)
        self.history.rehearse(entry, [change for event in events for change in event.changes], after)
        self._log.append(entry)
        self.history.add(entry, after)
