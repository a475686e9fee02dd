"""The log of a battle and what it comes to: entries, the states that undo goes back to, the question that is open.

Folding a log needs no game: it applies the changes that were kept beside the intents and tapes, so a battle always
opens. What the rules say to it is the matter of :mod:`rallypoint.kernel.replay`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, TypeAlias

from .canonical import Value, canonical, parse
from .changes import Change, change_in
from .errors import BattleFileError, StateError, TapeError
from .events import Event, event_in, event_out
from .fold import fold
from .game import Intent
from .state import State
from .step import Draws
from .tape import Answered, Taped, tape_in, tape_out

__all__ = ["Entry", "EntryKind", "History", "Past", "Waiting"]

EntryKind: TypeAlias = Literal["start", "step", "wait", "retract", "cancel", "edit", "undo", "redo", "adopt"]
"""What an entry of the log can be."""


class Entry:
    """One entry of the log, as it is kept: texts that are parsed when they are read.

    ``number`` counts from 0, ``hash`` is the state hash after the entry. ``body`` holds the intent, the tape and the
    story of the events; ``changes`` what they did.
    """

    __slots__ = ("body_text", "changes_text", "hash", "kind", "number")

    def __init__(self, number: int, kind: EntryKind, changes_text: str, body_text: str, hash: str) -> None:
        self.number = number
        self.kind = kind
        self.changes_text = changes_text
        self.body_text = body_text
        self.hash = hash

    @classmethod
    def new(
        cls, number: int, kind: EntryKind, body: Mapping[str, object], changes: Iterable[object], hash: str
    ) -> Entry:
        """Return the entry with its texts written."""
        return cls(number, kind, canonical(tuple(changes)), canonical(body), hash)

    @property
    def body(self) -> Mapping[str, Value]:
        """What was said and asked.

        Raises:
            StateError: the text is damaged.
        """
        body = parse(self.body_text, f"entry {self.number}")
        if not isinstance(body, Mapping):
            raise StateError("this is not the body of an entry", where=f"entry {self.number}", found=body)
        return body

    @property
    def changes(self) -> tuple[Change, ...]:
        """What it did to the state.

        Raises:
            StateError: the text is damaged.
        """
        if self.changes_text == "[]":
            return ()
        rows = parse(self.changes_text, f"entry {self.number}")
        if not isinstance(rows, tuple):
            raise StateError("these are not changes", where=f"entry {self.number}", found=rows)
        return tuple([change_in(row) for row in rows])

    @property
    def intent(self) -> Intent:
        """The intent of a step or of a step that waits."""
        raw: Any = self.body["intent"]
        return Intent(*raw)

    @property
    def tape(self) -> tuple[Taped, ...]:
        """What was answered in the step."""
        return tape_in(self.body["tape"])

    @property
    def events(self) -> tuple[Event, ...]:
        """What happened, for reading."""
        raw: Any = self.body.get("events", ())
        changes, at = self.changes, 0
        events: list[Event] = []
        for story in raw:
            events.append(event_in(story, changes[at : at + story[1]]))
            at += story[1]
        return tuple(events)

    def __repr__(self) -> str:
        return f"<Entry {self.number} {self.kind} {self.hash[:8]}>"


def step_parts(
    intent: Intent, tape: Iterable[Answered], events: Iterable[Event], turn: int
) -> tuple[dict[str, object], list[object]]:
    """Return body and changes of the entry for a finished step."""
    stories: list[object] = []
    changes: list[object] = []
    for event in events:
        story, rows = event_out(event)
        stories.append(story)
        changes.extend(rows)
    return {"intent": intent, "tape": tape_out(tape), "turn": turn, "events": stories}, changes


class Past(NamedTuple):
    """A step or an outside edit that can be taken back: its entry, and the states around it."""

    number: int
    kind: EntryKind
    before: State
    after: State


class Waiting(NamedTuple):
    """A step that was suspended: its intent, the tape so far, and the choices of a sealed question that are in.

    ``number`` is that of its entry.
    """

    intent: Intent
    tape: tuple[Answered, ...]
    given: Mapping[int, int]
    number: int


class History:
    """What a log comes to: the present state, what can be undone and redone, and the step that waits."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.past: list[Past] = []
        self._closed: list[Past] = []  # of earlier epochs: their dice were thrown all the same
        self.undone: list[Past] = []
        self._waits: list[
            Waiting
        ] = []  # at each question of the present step that a person has answered, and the open one
        self.rules: Mapping[str, Value] = MappingProxyType({})
        self.epoch = 0
        self._state: State | None = None
        self._draws: tuple[int, int, Draws] | None = None

    @classmethod
    def of(cls, entries: Iterable[Entry]) -> History:
        """Return what a whole log comes to.

        Raises:
            BattleFileError: the log is damaged; the message names the first entry that does not fit.
        """
        history = cls()
        for entry in entries:
            history.add(entry)
        if history.entries and history.state.digest != history.entries[-1].hash:
            raise _first_damage(history.entries)
        return history

    @property
    def head(self) -> int:
        """The number of the last entry, -1 for an empty log."""
        return len(self.entries) - 1

    @property
    def state(self) -> State:
        """The present state."""
        if self._state is None:
            raise BattleFileError("this log has no beginning", found="no entry", expected="an entry of kind start")
        return self._state

    @property
    def waiting(self) -> Waiting | None:
        """The step that waits for an answer, or ``None``."""
        return self._waits[-1] if self._waits else None

    @property
    def before_answer(self) -> Waiting | None:
        """The step that waits, as it was before the last answer that a person gave in it; ``None``: nobody gave one."""
        return self._waits[-2] if len(self._waits) > 1 else None

    def remember_tape(self, tape: tuple[Answered, ...]) -> None:
        """Keep the tape of the step that waits as it is alive: one that was read knows only the digests of its questions."""
        self._waits[-1] = self._waits[-1]._replace(tape=tape)

    def add(self, entry: Entry, after: State | None = None) -> None:
        """Put an entry at the end; ``after`` spares the fold where the state after it is known.

        Raises:
            BattleFileError: the entry does not follow from the log so far.
        """
        try:
            self._add(entry, after)
        except (StateError, TapeError, KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
            raise _damaged(entry, str(error)) from error
        self.entries.append(entry)

    def rehearse(self, entry: Entry, changes: Iterable[Change], after: State) -> None:
        """Make sure that an entry will open again, before it is kept.

        Raises:
            StateError: what a step told is not what it did, so folding the log would lead elsewhere: a rule or plugin has
                written into the step.
        """
        if entry.kind in ("step", "edit"):
            folded = fold(self.state, changes)
            if not folded.same_as(after):
                raise StateError(
                    "what the step told is not what it did",
                    where=f"entry {entry.number}",
                    found=f"state {after.digest}",
                    expected=f"state {folded.digest}",
                    hint="tell every change with step.emit",
                )
        elif entry.kind == "wait":
            _waiting(entry)

    def _add(self, entry: Entry, after: State | None) -> None:
        kind = entry.kind
        if entry.number != len(self.entries) or (kind == "start") != (entry.number == 0):
            raise _damaged(entry, f"entry {entry.number} of kind {kind} at place {len(self.entries)}")
        if kind in ("step", "edit"):
            before = self.state
            self._state = fold(before, entry.changes) if after is None else after
            self.past.append(Past(entry.number, kind, before, self._state))
            self.undone.clear()
            self._waits.clear()
        elif kind == "undo":
            past = self._top(self.past, entry) if after is None else self.past.pop()
            self.undone.append(past)
            self._state = past.before
        elif kind == "redo":
            past = self._top(self.undone, entry) if after is None else self.undone.pop()
            self.past.append(past)
            self._state = past.after
        elif kind == "wait":
            if entry.body.get("again"):  # what was open was answered by no person
                self._waits.pop()
            self._waits.append(_waiting(entry))
        elif kind == "retract":
            self._retract(entry)
        elif kind == "cancel":
            self._waits.clear()
        elif kind == "adopt":
            self._new_epoch(entry)
        elif kind == "start":
            text: Any = entry.body["state"]
            self._state = State.from_text(text) if after is None else after
            self._new_epoch(entry)
        else:
            raise _damaged(entry, f"kind {kind}")

    def _new_epoch(self, entry: Entry) -> None:
        rules: Any = entry.body["rules"]
        self.rules = rules
        self.epoch += 1
        self._closed += self.past
        self.past.clear()
        self.undone.clear()
        self._waits.clear()

    def _retract(self, entry: Entry) -> None:
        before = self.before_answer
        if before is None or before.number != entry.body["entry"]:
            raise _damaged(entry, f"a reference to entry {entry.body['entry']}")
        self._waits.pop()

    def _top(self, stack: list[Past], entry: Entry) -> Past:
        if not stack or stack[-1].number != entry.body["entry"]:
            raise _damaged(entry, f"a reference to entry {entry.body['entry']}")
        return stack.pop()

    # The dice of the present turn

    def draws(self, turn: int) -> Draws:
        """Return how often each (who, purpose) has thrown in ``turn``, without what was undone."""
        top = self.past[-1].number if self.past else -1
        if self._draws is not None and self._draws[0] == top:
            return self._draws[2] if self._draws[1] == turn else {}
        counts: dict[tuple[str, str], int] = {}
        for past in chain(reversed(self.past), reversed(self._closed)):
            if past.kind != "step":
                continue
            entry = self.entries[past.number]
            if entry.body["turn"] != turn:
                break
            for taped in entry.tape:
                for draw in taped.draws:
                    counts[draw] = counts.get(draw, 0) + 1
        return counts

    def remember_draws(self, draws: Draws, turn: int) -> None:
        """Keep the draws of ``turn`` after the step that was added last, so that they need not be counted again."""
        self._draws = (self.past[-1].number, turn, draws)


def _waiting(entry: Entry) -> Waiting:
    given: Any = entry.body["given"]
    return Waiting(entry.intent, entry.tape, {int(place): chosen for place, chosen in given.items()}, entry.number)


def _damaged(entry: Entry, found: str) -> BattleFileError:
    return BattleFileError(
        "this entry does not follow from the log before it",
        where=f"entry {entry.number} ({entry.kind})",
        found=found,
        hint="the file was damaged or edited by hand; go back to a copy",
    )


def _first_damage(entries: list[Entry]) -> BattleFileError:
    history = History()
    for entry in entries:
        history.add(entry)
        if history.state.digest != entry.hash:
            return _damaged(entry, f"state {history.state.digest} where the log says {entry.hash}")
    raise AssertionError("the last state hash differs, so one entry must be the first to differ")
