"""``rallypoint battle show`` and ``legal``: how a battle stands, and what may be done."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import click

from rallypoint.kernel.errors import InputError
from rallypoint.kernel.parts import Pose

from .battle_log import event_document, pending_lines
from .battle_question import answer_lines
from .battle_table import Record, Table
from .battle_words import hex_words
from .command_line import Invocation, PlainHelp, unknown
from .terminal import as_json, table, write

if TYPE_CHECKING:
    from rallypoint.kernel.game import Intent
    from rallypoint.kernel.state import Entity, State
    from rallypoint.kernel.tape import Question

__all__ = [
    "due_document",
    "due_lines",
    "known_seat",
    "legal",
    "listed",
    "question_document",
    "show",
    "state_lines",
]


@click.command(cls=PlainHelp)
@click.argument("file")
@click.option("--seat", metavar="SEAT", help="Show only what this seat may know.")
@click.option("--entry", type=click.IntRange(0), metavar="N", help="Show it as it was after this entry of the log.")
@click.option("--json", "in_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def show(invocation: Invocation, file: str, seat: str | None, entry: int | None, in_json: bool) -> None:
    """Show how a battle stands: turn, stands with their places and Wounds, whose act is due.

    Example: rallypoint battle show first.battle
    """
    if entry is not None:
        with Record(invocation, file) as record:
            _print(record, _seen(record, record.state_after(entry), seat), in_json, (), number=entry)
        return
    with Table(invocation, file, any_rules=True) as shown:
        state = _seen(shown, shown.battle.state, seat)
        _print(shown, state, in_json, (*pending_lines(shown, seat), *due_lines(shown)), seat)
        for difference in () if in_json else shown.differences:
            write(f"other rules: {difference}")


def _seen(record: Record, state: State, seat: str | None) -> State:
    """Return what a seat may know of a state."""
    if seat is None:
        return state
    if not isinstance(record, Table):
        raise InputError("what a seat may know is shown of the present alone", found="--seat with --entry")
    return record.playing.game.view(state, known_seat(record, seat))


def known_seat(shown: Table, seat: str) -> str:
    """Return a seat of this battle.

    Raises:
        InputError: there is none of that name.
    """
    seats = shown.playing.game.seats(shown.battle.state)
    if seat not in seats:
        raise unknown("there is no such seat", seat, list(seats), f"the seats are {', '.join(seats)}")
    return seat


def _print(
    record: Record,
    state: State,
    in_json: bool,
    due: Sequence[str],
    seat: str | None = None,
    *,
    number: int | None = None,
) -> None:
    number = record.history.head if number is None else number
    if in_json:
        write(as_json(_document(record, state, seat, number)))
        return
    write(f"{record.title}  (entry {number})")
    for line in state_lines(record, state):
        write(line)
    for line in due:
        write(line)


def state_lines(record: Record, state: State) -> Iterator[str]:
    """Yield a state for people: a line for each entity that has something to say, indented by its place in the tree."""
    headline = record.voice.headline(state)
    if headline:
        yield headline
    for root in state.children(None):
        if state.children(root.uid):
            yield ""
            yield from table(list(_rows(record, state, root, 0)))


def _rows(record: Record, state: State, entity: Entity, depth: int) -> Iterator[tuple[str, str, str]]:
    place = "" if entity.place is None else hex_words(entity.place)
    gone = record.voice.gone(state, entity.uid) if entity.role == "unit" else None
    words = [f"{name} {_level(tracker.value, tracker.max)}" for name, tracker in entity.trackers.items()]
    words += [_status(name, status.value) for name, status in entity.statuses.items()]
    words += [] if gone is None or gone in " ".join(words) else [gone]
    words += record.voice.remarks(state, entity.uid)
    yield "  " * depth + record.names(entity.uid), place, ", ".join(words)
    for child in state.children(entity.uid):
        yield from _rows(record, state, child, depth + 1)


def _level(value: int, most: int | None) -> str:
    return str(value) if most is None else f"{value}/{most}"


def _status(name: str, value: object) -> str:
    words = name.replace("_", " ")
    return words if value is True else f"{words}: {value}"


def due_lines(shown: Table) -> Iterator[str]:
    """Yield what is waited for."""
    from rallypoint.kernel.game import Acts, Over, Runs

    yield ""
    if shown.battle.question is not None:
        yield from [f"Open: {line}" for line in shown.asked()]
        return
    due = shown.battle.due
    if isinstance(due, Acts):
        yield f"To act: {', '.join(shown.names(seat) for seat in due.seats)}"
    elif isinstance(due, Runs):
        yield f"Next by itself: {due.rule}"
    else:
        assert isinstance(due, Over)
        yield f"Over: {_result(due.result, shown)}"


def _result(result: object, record: Record) -> str:
    if not isinstance(result, Mapping):
        return str(result)
    return ", ".join(f"{name} {_part(value, record)}" for name, value in result.items())


def _part(value: object, record: Record) -> str:
    if isinstance(value, (list, tuple)):
        return " and ".join(_part(item, record) for item in value) or "none"
    return record.names(value) if isinstance(value, str) else str(value)


def _document(record: Record, state: State, seat: str | None, number: int) -> Mapping[str, object]:
    document: dict[str, object] = {
        "title": record.title,
        "game": record.game_name,
        "entry": number,
        "hash": state.digest,
        "headline": record.voice.headline(state),
        "options": record.options,
        "entities": [_entity(record, state, entity) for entity in state],
        "links": [link._asdict() for link in state.links.values()],
    }
    if isinstance(record, Table):
        document |= due_document(record, seat)
    return document


def _entity(record: Record, state: State, entity: Entity) -> Mapping[str, object]:
    return {
        "uid": entity.uid,
        "name": record.names(entity.uid),
        "role": entity.role,
        "parent": entity.parent,
        "place": entity.place._asdict() if isinstance(entity.place, Pose) else entity.place,
        "trackers": {name: tracker.value for name, tracker in entity.trackers.items()},
        "statuses": {name: status.value for name, status in entity.statuses.items()},
        "gone": record.voice.gone(state, entity.uid) if entity.role == "unit" else None,
        "attributes": entity.attributes,
    }


def due_document(shown: Table, seat: str | None = None) -> Mapping[str, object]:
    """Return what is waited for, for a program: the open question, whose act is due, what runs by itself, how it ended.

    With a question goes what its step has told so far; with ``seat`` only what that seat may know.
    """
    from rallypoint.kernel.game import Acts, Over, Runs

    question, due = shown.battle.question, shown.battle.due
    document: dict[str, object] = {"question": None if question is None else question_document(question, shown)}
    if question is not None:
        told = [event for event in shown.battle.pending if seat is None or event.visible_to(seat)]
        document["pending"] = [event_document(shown, event) for event in told]
    if isinstance(due, Acts):
        document["acts"] = due.seats
    elif isinstance(due, Runs):
        document["runs"] = due.rule
    elif isinstance(due, Over):
        document["over"] = due.result
    return document


def question_document(question: Question, shown: Table) -> Mapping[str, object]:
    """Return a question for a program: what it asks, and what an answer looks like."""
    from rallypoint.kernel.tape import Choose, Grade, Pick, Reveal, Roll, expectation

    document: dict[str, object] = {
        "kind": type(question).__name__.lower(),
        "words": list(shown.asked()),
        "expected": expectation(question),
    }
    if shown.battle.why:
        document["why"] = shown.battle.why
    if isinstance(question, Roll):
        document["throws"] = [_throw(*throw) for throw in question.throws]
    elif isinstance(question, (Grade, Reveal)):
        document["throws"] = [_throw(*question.throw)]
    elif isinstance(question, Pick):
        document |= {"purpose": question.purpose, "among": question.among, "k": question.k}
        document["expected"] = f"{question.k} different numbers from 1 to {len(question.among)}, or uids or codes"
    elif isinstance(question, Choose):
        document["expected"] = ", ".join(
            f"a number from 1 to {len(ask.options)} or a key for {ask.seat}" for ask in question.asks
        )
        document["asks"] = [
            {
                "seat": ask.seat,
                "purpose": ask.purpose,
                "subject": ask.subject,
                "options": [
                    {"number": number, "key": option.key, "label": option.label}
                    for number, option in enumerate(ask.options, 1)
                ],
            }
            for ask in question.asks
        ]
    return document


def _throw(who: str, purpose: str, die: tuple[int, int], number: int) -> Mapping[str, object]:
    return {"who": who, "purpose": purpose, "low": die[0], "high": die[1], "number": number}


@click.command(cls=PlainHelp)
@click.argument("file")
@click.option("--seat", metavar="SEAT", help="Of this seat alone.")
@click.option(
    "--json", "in_json", is_flag=True, help="Print JSON: acts with seat, rule and arguments, or the open question."
)
@click.pass_obj
def legal(invocation: Invocation, file: str, seat: str | None, in_json: bool) -> None:
    """List what may be done now, with numbers that `battle act --number` takes; of an open question what `battle answer` takes.

    More is allowed than is listed: any path, any mix of deeds, any order. What a rule refuses, it refuses with its id.

    Example: rallypoint battle legal first.battle --json
    """
    with Table(invocation, file) as shown:
        found = listed(shown, None if seat is None else known_seat(shown, seat))
        if in_json:
            write(as_json({**due_document(shown), "legal": [_act(shown, intent) for intent in found]}))
            return
        for number, intent in enumerate(found, 1):
            write(f"{number:4}  {shown.names(intent.seat or '')}: {shown.voice.act(shown.battle.state, intent)}")
        if found:
            return
        question = shown.battle.question
        for line in (*pending_lines(shown, seat), *due_lines(shown)):
            write(line)
        if question is not None:
            for line in answer_lines(shown, question):
                write(line)
            write(f"Next: rallypoint battle answer {shown.path} {_example(question)}")


def _example(question: Question) -> str:
    """Return an answer of the right form."""
    from rallypoint.kernel.tape import Choose, Pick, Roll

    if isinstance(question, Choose):
        missing = getattr(question, "missing", (0,))
        return "1" if len(question.asks) == 1 else f"1 --ask {missing[0] + 1}"
    if isinstance(question, Pick):
        return " ".join(str(number) for number in range(1, question.k + 1))
    throws = question.throws if isinstance(question, Roll) else (question.throw,)
    return " ".join(str(throw.die.high) for throw in throws for _ in range(throw.number))


def listed(shown: Table, seat: str | None) -> Sequence[Intent]:
    """Return what may be done now, of one seat or of all that are due."""
    from rallypoint.kernel.game import Acts

    due = shown.battle.due
    seats = due.seats if isinstance(due, Acts) else ()
    return [intent for each in seats if seat in (None, each) for intent in shown.battle.legal(each)]


def _act(shown: Table, intent: Intent) -> Mapping[str, object]:
    words = shown.voice.act(shown.battle.state, intent)
    return {"seat": intent.seat, "rule": intent.rule, "args": intent.args, "words": words}
