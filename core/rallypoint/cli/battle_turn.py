"""``rallypoint battle step``, ``act``, ``answer`` and ``order``: a battle driven a command at a time, by anybody or anything."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import isfinite
from typing import TYPE_CHECKING

import click

from rallypoint.kernel.errors import InputError, RuleError
from rallypoint.kernel.nesting import too_much

from .battle_log import event_documents, event_lines
from .battle_new import SEAT, seats_of
from .battle_show import due_document, due_lines, known_seat, listed
from .battle_table import Table, frozen
from .battle_words import pair
from .command_line import Invocation, PlainHelp
from .terminal import as_json, write

if TYPE_CHECKING:
    from rallypoint.kernel.canonical import Value
    from rallypoint.kernel.game import Intent
    from rallypoint.kernel.tape import Question

    from .battle_words import Names

__all__ = ["act", "answer", "as_arguments", "given_answer", "order", "parts_of", "step", "told_since"]

_JSON = click.option("--json", "in_json", is_flag=True, help="Print what happened as JSON.")
_GO_ON = click.option("--step", "go_on", is_flag=True, help="Then go on by itself until somebody is asked.")


def told_since(shown: Table, head: int, seat: str | None = None) -> Iterator[str]:
    """Yield what happened after an entry of the log; with ``seat`` only what that seat may know.

    That a step waits is not told: the question is.
    """
    for entry in shown.history.entries[head + 1 :]:
        if entry.kind == "wait":
            continue
        yield from event_lines(shown, entry, seat=seat)


def _refuse_question(shown: Table) -> None:
    """Refuse an act while a question is open, and say what to do about it."""
    if shown.battle.question is not None:
        hint = (
            f"rallypoint battle answer {shown.path} ...; rallypoint battle undo {shown.path} drops the step that asks"
        )
        raise RuleError(
            "a question is open", where=shown.path, found="; ".join(due_lines(shown)).strip("; "), hint=hint
        )


def _tell(shown: Table, head: int, in_json: bool) -> None:
    if in_json:
        new = shown.history.entries[head + 1 :]
        document = {"entries": [event_documents(shown, entry) for entry in new], **due_document(shown)}
        write(as_json({**document, "hash": shown.battle.state.digest}))
        return
    for line in (*told_since(shown, head), *due_lines(shown)):
        write(line)


@click.command(cls=PlainHelp)
@click.argument("file")
@click.option("--acts", type=click.IntRange(0), metavar="N", help="Stop after so many acts of seats that play alone.")
@SEAT
@_JSON
@click.pass_obj
def step(invocation: Invocation, file: str, acts: int | None, seats: tuple[str, ...], in_json: bool) -> None:
    """Run what is due by itself, and let seats that play alone act, until somebody is asked or the battle is over.

    Example: rallypoint battle step first.battle

    Example: rallypoint battle step first.battle --seat red=auto --seat blue=auto --acts 10
    """
    with Table(invocation, file, seats=seats_of(seats)) as shown:
        head = shown.history.head
        shown.battle.play(acts)
        _tell(shown, head, in_json)


@click.command(cls=PlainHelp)
@click.argument("file")
@click.argument("rule", required=False)
@click.argument("arguments", required=False)
@click.option("--seat", metavar="SEAT", help="Whose act it is.  [default: the seat that is due]")
@click.option(
    "--number",
    "numbers",
    type=click.IntRange(1),
    metavar="N",
    multiple=True,
    help="The act of this number in `battle legal`; several: at once.",
)
@_GO_ON
@_JSON
@click.pass_obj
def act(
    invocation: Invocation,
    file: str,
    rule: str | None,
    arguments: str | None,
    seat: str | None,
    numbers: tuple[int, ...],
    go_on: bool,
    in_json: bool,
) -> None:
    """Let a seat act: by the number that `battle legal` shows, or by a rule and its arguments as a JSON list.

    Codes such as R-1A may stand for uids. An act that the rules refuse changes nothing; the error names the rule.

    Example: rallypoint battle act first.battle --number 3

    Example: rallypoint battle act first.battle --seat red move '["R-1A", [[1, 2], [1, 3]]]'
    """
    if (rule is None) == (not numbers):
        raise InputError("which act", found="both" if rule else "neither", expected="a RULE, or --number N")
    with Table(invocation, file) as shown:
        head = shown.history.head
        _refuse_question(shown)
        chosen = None if seat is None else known_seat(shown, seat)
        if numbers:
            legal = listed(shown, chosen)
            intent = shown.voice.at_once([_numbered(legal, number) for number in numbers])
        else:
            intent = _typed(shown, rule or "", arguments, chosen)
        shown.battle.act(intent)
        if go_on:
            shown.battle.play()
        _tell(shown, head, in_json)


def _numbered(found: Sequence[Intent], number: int) -> Intent:
    if number > len(found):
        raise InputError("there is no act of this number", found=number, expected=f"1 to {len(found)}")
    return found[number - 1]


def _typed(shown: Table, rule: str, arguments: str | None, seat: str | None) -> Intent:
    from rallypoint.kernel.game import Acts, Intent

    due = shown.battle.due
    if seat is None and isinstance(due, Acts):
        if len(due.seats) != 1:
            raise RuleError("whose act is this", found=" or ".join(due.seats), hint="--seat says it")
        seat = due.seats[0]
    return Intent(rule, as_arguments(shown, arguments), seat)


def as_arguments(shown: Table, text: str | None) -> tuple[Value, ...]:
    """Return the arguments that a JSON list says, with codes as uids.

    Raises:
        InputError: it is no JSON list.
    """
    value = _parsed(_of_json, text or "[]", "the arguments are not JSON", "such as '[\"R-1A\"]'")
    if not isinstance(value, list):
        raise InputError("the arguments are a JSON list", found=text, expected="such as '[\"R-1A\"]'")
    found = frozen(shown.names.inside(value))
    assert isinstance(found, tuple)
    return found


@click.command(cls=PlainHelp)
@click.argument("file")
@click.argument("given", nargs=-1, required=True)
@click.option(
    "--ask", type=click.IntRange(1), metavar="N", help="Which part of a sealed question this answers, from 1."
)
@_GO_ON
@_JSON
@click.pass_obj
def answer(
    invocation: Invocation, file: str, given: tuple[str, ...], ask: int | None, go_on: bool, in_json: bool
) -> None:
    """Answer the question that is open: what dice showed, who was drawn, which option.

    GIVEN are numbers or keys of options, of a draw the codes of those drawn; several throws at once are JSON lists.

    Example: rallypoint battle answer first.battle 34 77

    Example: rallypoint battle answer first.battle hold --step
    """
    with Table(invocation, file) as shown:
        head, question = shown.history.head, shown.battle.question
        if ask is not None and question is not None and ask > parts_of(question):
            expected = f"a whole number from 1 to {parts_of(question)}"
            raise InputError("no such part of the question", where="--ask", found=ask, expected=expected)
        shown.battle.answer(given_answer(shown.names, question, given), None if ask is None else ask - 1)
        if go_on:
            shown.battle.play()
        _tell(shown, head, in_json)


def parts_of(question: Question) -> int:
    """Return how many parts a question has: more than one where several seats answer in secret."""
    return len(getattr(question, "asks", ("whole",)))


def given_answer(names: Names, question: Question | None, words: Sequence[str]) -> object:
    """Return what somebody typed as an answer: numbers, keys of options, JSON lists; of a draw also the codes of those drawn.

    Raises:
        InputError: a list is no JSON.
    """
    from rallypoint.kernel.tape import Pick

    values = [_word(names, word) for word in words]
    return values[0] if len(values) == 1 and not isinstance(question, Pick) else values


def _word(names: Names, word: str) -> object:
    if not word.startswith("[") and not word.lstrip("-").isdecimal():
        return names.uid(word)
    parse: Callable[[str], object] = _of_json if word.startswith("[") else int
    return _parsed(parse, word, "this answer is not JSON", "such as [[34], [77]]")


def _of_json(text: str) -> object:
    """Return a value of JSON; NaN and Infinity are none, and no number is so large that it would become one.

    Raises:
        ValueError: it is no JSON.
    """
    return json.loads(text, parse_constant=_finite, parse_float=_finite)


def _finite(text: str) -> float:
    value = float(text)
    if not isfinite(value):
        raise ValueError(f"{text}, which is no number of JSON")
    return value


def _parsed(parse: Callable[[str], object], text: str, what: str, expected: str) -> object:
    """Return what somebody typed as a value; what is too deep or too large a number is refused like what is none."""
    value: object = None
    try:
        value = parse(text)
        wrong = too_much(value)
    except (ValueError, RecursionError) as error:
        from rallypoint.content.toml_document import why_not

        wrong = why_not(error)
    if wrong is not None:
        raise InputError(what, found=wrong, expected=expected)
    return value


@click.command(cls=PlainHelp)
@click.argument("file")
@click.argument("officer")
@click.argument("to")
@click.argument("text")
@click.option(
    "--with", "parts", metavar="NAME=VALUE", multiple=True, help="What a program should know of it; repeatable."
)
@_GO_ON
@_JSON
@click.pass_obj
def order(
    invocation: Invocation,
    file: str,
    officer: str,
    to: str,
    text: str,
    parts: tuple[str, ...],
    go_on: bool,
    in_json: bool,
) -> None:
    """Let an Officer give an order to a squad or a team: one sentence, and what of it a program can read.

    Example: rallypoint battle order first.battle R-0A-1 R-1 "Take the mill." --with verb=advance --with place=F4
    """
    with Table(invocation, file) as shown:
        ordered = getattr(shown.playing.module, "ordered", None)
        if ordered is None:
            raise InputError("this game has no orders", found=shown.game_name)
        _refuse_question(shown)
        head = shown.history.head
        words: Mapping[str, str] = {
            "text": text,
            **dict(pair(each, "a part of an order", "verb=hold") for each in parts),
        }
        intent = ordered(shown.battle.state, shown.names.known(officer), shown.names.known(to), words)
        shown.battle.act(intent)
        if go_on:
            shown.battle.play()
        _tell(shown, head, in_json)
