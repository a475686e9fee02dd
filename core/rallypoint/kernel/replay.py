"""Verified replay: run the rules again along the tapes, and see whether they still say what the log says."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import zip_longest
from typing import NamedTuple, TypeVar

from .battle import rules_in_force
from .canonical import Value, canonical, freeze
from .errors import RallypointError, ReplayError
from .events import Event, event_out
from .game import Game
from .history import Entry, History, step_parts
from .step import NOBODY, run
from .tape import Suspended

__all__ = ["Replayed", "differences", "replay"]

Hooks = TypeVar("Hooks")


class Replayed(NamedTuple):
    """What a replay found: how many entries, steps and events were run again, and the state hash at the end."""

    entries: int
    steps: int
    events: int
    hash: str


def differences(logged: Mapping[str, Value], game: Game[object], plugins: Mapping[str, str]) -> tuple[str, ...]:
    """Name each way in which the present rules are not the logged ones; nothing when they are the same.

    >>> # differences(history.rules, game, {"mothership": "1.1"})
    >>> # ("plugin mothership: 1.0 in the log, 1.1 here",)
    """
    here = freeze(rules_in_force(game, plugins))
    assert isinstance(here, Mapping)
    found = [
        f"{name}: {logged.get(name)} in the log, {here[name]} here"
        for name in ("game", "version")
        if logged.get(name) != here[name]
    ]
    for key, word in (("options", "option"), ("plugins", "plugin")):
        then, now = logged.get(key), here[key]
        then = then if isinstance(then, Mapping) else {}
        now = now if isinstance(now, Mapping) else {}
        found += [
            f"{word} {name}: {_said(then, name)} in the log, {_said(now, name)} here"
            for name in sorted({*then, *now})
            if then.get(name) != now.get(name)
        ]
    return tuple(found)


def _said(values: Mapping[str, Value], name: str) -> str:
    return canonical(values[name]).strip('"') if name in values else "none"


def replay(entries: Iterable[Entry], game: Game[Hooks], plugins: Mapping[str, str] | None = None) -> Replayed:
    """Run every step of the present epoch again and return what was compared.

    Entries of earlier epochs were played under other rules; they are folded, not run.

    Raises:
        ReplayError: the battle was played under other rules (each difference is named), or an entry comes out
            otherwise than the log says (the first one is named).
    """
    entries = list(entries)
    logged = History.of(entries)
    found = differences(logged.rules, game, plugins or {})
    if found:
        raise ReplayError(
            "this battle was played under other rules",
            found="; ".join(found),
            hint="play it with those, or adopt it under the present ones",
        )
    history = History()
    steps = events = 0
    for entry in entries:
        if entry.kind == "step" and history.epoch == logged.epoch:
            events += _again(entry, history, game)
            steps += 1
        else:
            history.add(entry)
        if history.state.digest != entry.hash:
            raise _differs(entry, history.state.digest, entry.hash)
    return Replayed(len(entries), steps, events, history.state.digest)


def _again(entry: Entry, history: History, game: Game[Hooks]) -> int:
    turn = game.clock(history.state)
    try:
        done = run(game, history.state, entry.intent, NOBODY, tape=entry.tape)
    except Suspended as stop:
        raise _differs(
            entry, f"a further question ({type(stop.question).__name__.lower()})", "no further one"
        ) from None
    except Exception as error:  # a changed rule can fail in any way, and the entry is named for each
        found = str(error) if isinstance(error, RallypointError) else f"{type(error).__name__}: {error}"
        raise _differs(entry, found, "the step of the log") from error
    body, changes = step_parts(entry.intent, done.tape, done.events, turn)
    if (canonical(changes), canonical(body)) != (entry.changes_text, entry.body_text):
        raise _differs(entry, *_first_difference(entry, done.events, canonical(body)))
    history.add(entry, done.state)
    return len(done.events)


def _first_difference(entry: Entry, events: tuple[Event, ...], body_text: str) -> tuple[str, str]:
    """Return what the rules say now and what the log says, at the first event that differs."""
    try:
        logged = entry.events
    except (RallypointError, TypeError, IndexError):  # edited by hand: there are no events to compare
        logged = events
    for number, (here, there) in enumerate(zip_longest(events, logged)):
        now, then = _texts(here), _texts(there)
        for what, text, other in zip(("changes", "story"), now, then, strict=True):
            if text != other:
                return _said_of(number, here, what, text, other), _said_of(number, there, what, other, text)
    said = _from_difference(body_text, entry.body_text), _from_difference(entry.body_text, body_text)
    return f"story {said[0]}", f"story {said[1]}"


def _texts(event: Event | None) -> tuple[str, str]:
    """Return an event's changes and its story as texts."""
    if event is None:
        return "", ""
    story, changes = event_out(event)
    return canonical(changes), canonical(story)


def _said_of(number: int, event: Event | None, what: str, text: str, other: str) -> str:
    if event is None:
        return f"no event {number}"
    return f"event {number} ({event.kind}, {event.rule}), {what} {_from_difference(text, other)}"


def _from_difference(text: str, other: str) -> str:
    """Return the part of ``text`` around the first place where ``other`` differs; no word is cut."""
    at = next((i for i, (a, b) in enumerate(zip(text, other, strict=False)) if a != b), min(len(text), len(other)))
    start, end = at - 20 if at > 40 else 0, min(len(text), at + 40)
    while start > 0 and _within_a_word(text, start):
        start -= 1
    while end < len(text) and _within_a_word(text, end):
        end += 1
    return f"{'…' if start else ''}{text[start:end]}{'…' if end < len(text) else ''}"


def _within_a_word(text: str, at: int) -> bool:
    return all(character.isalnum() or character in "-_.+" for character in text[at - 1 : at + 1])


def _differs(entry: Entry, found: str, expected: str) -> ReplayError:
    return ReplayError("the rules give something else than the log", entry=entry.number, found=found, expected=expected)
