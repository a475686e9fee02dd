"""``rallypoint battle log``, ``explain`` and ``replay``: what happened, why, and whether the rules still say so."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import click

from rallypoint.kernel.errors import InputError, RallypointError, ReplayError

from .battle_table import Record, Table
from .battle_words import answered
from .command_line import Invocation, PlainHelp, unknown
from .terminal import as_json, complain, write

if TYPE_CHECKING:
    from rallypoint.kernel.events import Event
    from rallypoint.kernel.game import Intent
    from rallypoint.kernel.history import Entry

__all__ = ["event_document", "event_documents", "event_lines", "explain", "hidden", "log", "pending_lines", "replay"]

_ANSWERED = "plugin.answered"
"""The kind of event by which the kernel tells that a plugin answered a hook."""


def event_lines(
    record: Record, entry: Entry, undone: frozenset[int] = frozenset(), seat: str | None = None, above: int = 0
) -> Iterator[str]:
    """Yield an entry of the log: its act, then a line for each event with the rule that spoke.

    With ``seat`` only what that seat may know: where another seat's act told something that it may not, the act is not named.
    The first ``above`` events were told already, as pending.
    """
    events = entry.events if entry.kind in ("step", "edit") else ()
    secret = entry.kind == "step" and hidden(entry, seat)
    head = f"{_actor(record, entry.intent)}: not known" if secret else _head(record, entry)
    yield f"{entry.number}  {head}" + ("  (undone)" if entry.number in undone else "")
    if above:
        yield f"  {entry.number}.1{f' to {entry.number}.{above} stand' if above > 1 else ' stands'} above"
    yield from _told(record, events, str(entry.number), seat, above)


def pending_lines(shown: Table, seat: str | None = None, above: int = 0) -> Iterator[str]:
    """Yield what the step that waits for an answer has told so far, as :func:`event_lines` does; its entry has no number yet."""
    waiting, events = shown.history.waiting, shown.battle.pending
    if waiting is None or above == len(events):
        return
    if not above:
        intent = waiting.intent
        secret = seat not in (None, intent.seat)
        said = "not known" if secret else shown.voice.act(shown.history.state, intent)
        yield f"pending  {_actor(shown, intent)}: {said}"
    yield from _told(shown, events, "", seat, above)


def _told(record: Record, events: Sequence[Event], number: str, seat: str | None, above: int) -> Iterator[str]:
    """Yield a line for each event after the first ``above`` that is worth it and that a seat may know."""
    for place, event in enumerate(events, 1):
        if place > above and _known(event, seat) and record.voice.worth_telling(event):
            by = "" if event.by is None else f" [{event.by}]"
            yield f"  {number}.{place}  {event.rule}  {record.voice.event(event)}{by}"


def hidden(entry: Entry, seat: str | None) -> bool:
    """Say whether a seat may not know which act this was: another seat's that told a secret, or one that waits."""
    if seat is None or entry.kind not in ("step", "wait") or entry.intent.seat == seat:
        return False
    return entry.kind == "wait" or not all(event.visible_to(seat) for event in entry.events)


def _actor(record: Record, intent: Intent) -> str:
    return "by itself" if intent.seat is None else record.names(intent.seat)


def _head(record: Record, entry: Entry) -> str:
    if entry.kind == "step":
        return f"{_actor(record, entry.intent)}: {record.voice.act(record.history.state, entry.intent)}"
    if entry.kind == "wait":
        return "waits for an answer"
    if entry.kind == "edit":
        return f"edit by {entry.body['who']}"
    if entry.kind in ("undo", "redo"):
        return f"{entry.kind} of entry {entry.body['entry']}"
    return {
        "start": "the battle begins",
        "retract": "an answer is taken back",
        "cancel": "the step that waited is dropped",
        "adopt": "other rules from here on",
    }[entry.kind]


def event_documents(
    record: Record, entry: Entry, undone: frozenset[int] = frozenset(), seat: str | None = None
) -> Mapping[str, object]:
    """Return an entry of the log for a program.

    With ``seat`` only what that seat may know: an act that it may not know stands without ``rule`` and ``args``.
    """
    document: dict[str, object] = {"entry": entry.number, "kind": entry.kind, "hash": entry.hash}
    if entry.number in undone:
        document["undone"] = True
    if entry.kind in ("step", "wait"):
        document["seat"] = entry.intent.seat
        if not hidden(entry, seat):
            document |= {"rule": entry.intent.rule, "args": entry.intent.args}
    if entry.kind == "wait" and isinstance(record, Table) and entry.number == record.history.head:
        document["pending"] = [event_document(record, event) for event in record.battle.pending if _known(event, seat)]
    if entry.kind in ("step", "edit"):
        document["events"] = [event_document(record, event) for event in entry.events if _known(event, seat)]
    if entry.kind in ("undo", "redo", "retract"):
        document["of"] = entry.body["entry"]
    return document


def event_document(record: Record, event: Event) -> Mapping[str, object]:
    """Return an event for a program."""
    from rallypoint.kernel.canonical import freeze
    from rallypoint.kernel.changes import change_out

    return {
        "kind": event.kind,
        "rule": event.rule,
        "by": event.by,
        "cause": None if event.cause is None else event.cause + 1,
        "why": freeze(event.why),  # of a step that waits it holds what the rules put in
        "changes": [change_out(change) for change in event.changes],
        "words": record.voice.event(event),
    }


@click.command(cls=PlainHelp)
@click.argument("file")
@click.option("--from", "first", type=click.IntRange(0), metavar="N", default=0, help="From this entry on.")
@click.option("--to", "last", type=click.IntRange(0), metavar="N", help="To this entry.")
@click.option("--seat", metavar="SEAT", help="Only what this seat may know.")
@click.option("--json", "in_json", is_flag=True, help="Print JSON, with every change.")
@click.pass_obj
def log(invocation: Invocation, file: str, first: int, last: int | None, seat: str | None, in_json: bool) -> None:
    """Print what happened: a line an event, with its number and the id of the rule that spoke.

    What an act that waits for an answer has done so far stands at the end, as pending.

    Example: rallypoint battle log first.battle --from 12
    """
    with _record(invocation, file) as record:
        _check_seat(record, seat)
        undone = record.undone()
        found = record.entries[first : None if last is None else last + 1]
        if in_json:
            write(as_json([event_documents(record, entry, undone, seat) for entry in found]))
            return
        for entry in found:
            for line in event_lines(record, entry, undone, seat):
                write(line)
        if first > record.history.head:
            write(f"There is no entry {first} yet: the log goes from 0 to {record.history.head}.")
        if last is None and isinstance(record, Table):
            for line in pending_lines(record, seat):
                write(line)


def _record(invocation: Invocation, file: str) -> Record:
    """Return the log of a battle; where a step waits its rules too, if they are the present ones: they say what is pending."""
    with Record(invocation, file) as record:
        if record.history.waiting is None:
            return Record(invocation, file)
    try:
        return Table(invocation, file)
    except RallypointError:
        return Record(invocation, file)


def _check_seat(record: Record, seat: str | None) -> None:
    """Refuse a seat that this battle does not have.

    Raises:
        InputError: there is no such seat.
    """
    if seat is None:
        return
    known = record.seats()
    if seat not in known:
        raise unknown("there is no such seat", seat, list(known), f"the seats are {', '.join(known)}")


@click.command(cls=PlainHelp)
@click.argument("file")
@click.argument("event", metavar="N[.K]")
@click.option("--seat", metavar="SEAT", help="Only what this seat may know.")
@click.option("--json", "in_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def explain(invocation: Invocation, file: str, event: str, seat: str | None, in_json: bool) -> None:
    """Explain entry N of the log, or its event K: rule, dice, modifiers with reasons, which plugin changed what.

    Example: rallypoint battle explain first.battle 12.3
    """
    match = re.fullmatch(r"(\d{1,9})(?:\.(\d{1,9}))?", event)
    if match is None:
        raise InputError("this is no number of an event", found=event, expected="N or N.K, as `battle log` shows them")
    with Record(invocation, file) as record:
        _check_seat(record, seat)
        entry = record.entry(int(match[1]))
        number = None if match[2] is None else int(match[2])
        if number is not None:
            _check_event(entry, number, seat)
        if in_json:
            if number is None:
                write(as_json(event_documents(record, entry, record.undone(), seat)))
            else:
                write(as_json(event_document(record, entry.events[number - 1])))
            return
        for line in _explained(record, entry, number, seat):
            write(line)


def _check_event(entry: Entry, number: int, seat: str | None) -> None:
    count = len(entry.events) if entry.kind in ("step", "edit") else 0
    if not 1 <= number <= count:
        expected = f"1 to {count}" if count else f"none: entry {entry.number} is of kind {entry.kind}"
        raise InputError("there is no such event", where=f"entry {entry.number}", found=number, expected=expected)
    if not _known(entry.events[number - 1], seat):
        raise InputError("this seat may not know of this event", where=f"entry {entry.number}", found=f"seat {seat}")


def _known(event: Event, seat: str | None) -> bool:
    return seat is None or event.visible_to(seat)


def _explained(record: Record, entry: Entry, number: int | None, seat: str | None) -> Iterator[str]:
    if number is not None:
        yield from _event(record, entry, number, seat)
        return
    secret = hidden(entry, seat)
    head = f"{_actor(record, entry.intent)}: not known" if secret and entry.kind == "step" else _head(record, entry)
    yield f"Entry {entry.number}: {head}" + ("  (undone)" if entry.number in record.undone() else "")
    if entry.kind == "wait" and not secret:
        yield f"  {entry.intent.rule} has {len(entry.tape)} answers so far; `battle show` says what is asked"
    for each in range(1, len(entry.events) + 1) if entry.kind in ("step", "edit") else ():
        if _known(entry.events[each - 1], seat):
            yield ""
            yield from _event(record, entry, each, seat)


def _event(record: Record, entry: Entry, number: int, seat: str | None) -> Iterator[str]:
    event = entry.events[number - 1]
    yield f"{entry.number}.{number}  {event.kind}"
    yield f"  rule {event.rule}" + ("" if event.by is None else f", {_by(event)} {event.by}")
    for line in record.voice.explained(event):
        yield f"  {line}"
    for line in _by_plugins(entry, number, seat):
        yield f"  {line}"
    if event.cause is not None and _known(entry.events[event.cause], seat):
        cause = entry.events[event.cause]
        yield f"  follows {entry.number}.{event.cause + 1}: {record.voice.event(cause)}"
    if event.seen_by is not None:
        yield f"  known to {', '.join(event.seen_by) or 'nobody'}"


def _by(event: Event) -> str:
    return "edited by" if event.kind == "outside.edit" else "answered by the plugin"


def _by_plugins(entry: Entry, number: int, seat: str | None) -> Iterator[str]:
    """Yield what plugins answered on the way to an event: the kernel tells it right before."""
    events = entry.events
    first = number - 1
    while first > 0 and events[first - 1].kind == _ANSWERED:
        first -= 1
    for at in range(first, number - 1):
        if _known(events[at], seat):
            yield f"the plugin {events[at].by} ({entry.number}.{at + 1}): {answered(events[at].why)}"


@click.command(cls=PlainHelp)
@click.argument("file")
@click.option("--json", "in_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def replay(invocation: Invocation, file: str, in_json: bool) -> int:
    """Run the rules again along the log, and see whether they give the same events and states.

    Exits with 1 when they do not, or when the battle was played under other rules; what differs is named.

    Example: rallypoint battle replay first.battle
    """
    from rallypoint.kernel.replay import replay as run_again

    from .battle_game import playing

    with Record(invocation, file) as record:
        rules = playing(invocation, record.game_name, record.options)
        try:
            found = run_again(record.entries, rules.game, rules.plugins)
        except ReplayError as error:
            if in_json:
                write(as_json({"same": False, "entry": error.entry, "found": error.found, "expected": error.expected}))
            else:
                complain(f"differs: {error}")
            return 1
        if in_json:
            write(as_json({"same": True, **found._asdict()}))
        else:
            write(f"The same: {found.entries} entries, {found.steps} steps, {found.events} events, state {found.hash}.")
        return 0
