"""``rallypoint battle step``, ``act``, ``answer`` and ``order``: a battle driven a command at a time, by anybody or anything."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import click

from rallypoint.kernel.errors import InputError, RuleError

from .battle_log import event_documents, event_lines, pending_lines
from .battle_new import DICE_ONCE, SEAT, seats_of
from .battle_question import given_answer, of_json, parsed, parts_of
from .battle_show import due_document, due_lines, known_seat, listed
from .battle_table import Table, frozen
from .battle_words import pair
from .command_line import Invocation, PlainHelp
from .terminal import as_json, write

if TYPE_CHECKING:
    from rallypoint.kernel.game import Intent


__all__ = ["act", "answer", "order", "step", "told_since", "typed_act"]

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
        hint = f"rallypoint battle answer {shown.path} ...; rallypoint battle undo {shown.path} --whole drops the step that asks"
        raise RuleError(
            "a question is open", where=shown.path, found="; ".join(due_lines(shown)).strip("; "), hint=hint
        )


def _refuse_too_early(shown: Table, rule: str) -> None:
    """Refuse an act before which a rule runs by itself, and say how."""
    from rallypoint.kernel.game import Runs, cited

    due = shown.battle.due
    if isinstance(due, Runs):
        raise RuleError(
            "a rule runs by itself before anybody acts",
            rule=cited(shown.playing.game, shown.battle.state, "seat", rule),
            where=shown.path,
            found=due.rule,
            hint=f"rallypoint battle step {shown.path} runs it",
        )


def _tell(shown: Table, head: int, in_json: bool, above: int = 0) -> None:
    """Say what happened after an entry, and what is due; ``above``: events of the open step that were told before."""
    if in_json:
        new = shown.history.entries[head + 1 :]
        document = {"entries": [event_documents(shown, entry) for entry in new], **due_document(shown)}
        write(as_json({**document, "hash": shown.battle.state.digest}))
        return
    pending = len(shown.battle.pending)
    for line in (*told_since(shown, head), *pending_lines(shown, above=min(above, pending)), *due_lines(shown)):
        write(line)


@click.command(cls=PlainHelp)
@click.argument("file")
@click.option("--acts", type=click.IntRange(0), metavar="N", help="Stop after so many acts of seats that play alone.")
@SEAT
@DICE_ONCE
@_JSON
@click.pass_obj
def step(
    invocation: Invocation, file: str, acts: int | None, seats: tuple[str, ...], dice: str | None, in_json: bool
) -> None:
    """Run what is due by itself, and let seats that play alone act, until somebody is asked or the battle is over.

    Example: rallypoint battle step first.battle

    Example: rallypoint battle step first.battle --seat red=auto --seat blue=auto --acts 10

    Example: rallypoint battle step table.battle --dice seeded
    """
    with Table(invocation, file, seats=seats_of(seats), dice=dice) as shown:
        head = shown.history.head
        shown.battle.play(acts)
        _tell(shown, head, in_json)


@click.command(cls=PlainHelp)
@click.argument("file")
@click.argument("rule", required=False)
@click.argument("arguments", nargs=-1)
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
    arguments: tuple[str, ...],
    seat: str | None,
    numbers: tuple[int, ...],
    go_on: bool,
    in_json: bool,
) -> None:
    """Let a seat act: by the number that `battle legal` shows, or by a rule and its arguments: words, or a JSON list.

    Stands go by their codes, hexes by the names of the map. An act that the rules refuse changes nothing; the error names the rule.

    Example: rallypoint battle act first.battle --number 3

    Example: rallypoint battle act first.battle --seat red move R-1A E2 E3

    Example: rallypoint battle act first.battle move '["R-1A", ["E2", "E3"]]'
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
            _refuse_too_early(shown, rule or "")
            intent = _typed(shown, rule or "", arguments, chosen)
        shown.battle.act(intent)
        if go_on:
            shown.battle.play()
        _tell(shown, head, in_json)


def _numbered(found: Sequence[Intent], number: int) -> Intent:
    if number > len(found):
        raise InputError("there is no act of this number", found=number, expected=f"1 to {len(found)}")
    return found[number - 1]


def _typed(shown: Table, rule: str, arguments: Sequence[str], seat: str | None) -> Intent:
    from rallypoint.kernel.game import Acts

    due = shown.battle.due
    if seat is None and isinstance(due, Acts):
        if len(due.seats) != 1:
            raise RuleError("whose act is this", found=" or ".join(due.seats), hint="--seat says it")
        seat = due.seats[0]
    found = typed_act(shown, rule, " ".join(arguments), seat)
    if found is None:
        raise _amiss(shown, rule, " ".join(arguments).split(), seat)
    return found


def _amiss(shown: Table, rule: str, words: Sequence[str], seat: str | None) -> RuleError:
    """Return the error for words that are no act, which says what is wrong with which of them."""
    from rallypoint.kernel.game import cited

    game, state = shown.playing.game, shown.battle.state
    by = cited(game, state, "arguments", rule)
    if rule not in game.rules:
        listed_now = dict.fromkeys([each.rule for each in shown.battle.legal(seat or "")])
        return RuleError("there is no such act", rule=by, found=rule, expected=", ".join(listed_now) or None)
    if shown.names.uid(words[0]) not in state:
        hint = "rallypoint battle show lists all"
        return RuleError("nobody in this battle is called so", rule=by, where=rule, found=words[0], hint=hint)
    wrong = shown.voice.amiss(rule, words)
    if wrong is not None:
        what, found, expected = wrong
        return RuleError(what, rule=by, where=rule, found=found, expected=expected)
    hint = f"rallypoint battle act --help; words are enough for {rule} only where its arguments are stands and hexes"
    return RuleError("these are not the arguments of this act", rule=by, where=rule, found=" ".join(words), hint=hint)


def typed_act(shown: Table, rule: str, text: str, seat: str | None) -> Intent | None:
    """Return the act that a rule with arguments says: a JSON list, or where the game knows how words such as ``R-1A E2 E3``.

    ``None``: these words are no act. Codes stand for uids; the game says which words are hexes.

    Raises:
        InputError: it is no JSON list.
    """
    from rallypoint.kernel.game import Intent

    args: Sequence[object] | None = None
    if not text or text[0] in '[{"':
        args = _listed_arguments(text)
    else:
        args = shown.voice.spelled(rule, text.split())
        if args is None or shown.names.uid(text.split()[0]) not in shown.battle.state:
            return None
    raw: Intent = Intent(rule, tuple(args), seat)  # type: ignore[arg-type]
    read = shown.voice.understood(shown.battle.state, raw, shown.battle.legal(seat or ""), shown.names.uid)
    found = frozen(shown.names.inside(read.args))
    assert isinstance(found, tuple)
    return Intent(rule, found, seat)


def _listed_arguments(text: str) -> list[object]:
    value = parsed(of_json, text or "[]", "the arguments are not JSON", "such as '[\"R-1A\"]'")
    if not isinstance(value, list):
        raise InputError("the arguments are a JSON list", found=text, expected="such as '[\"R-1A\"]'")
    return value


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

    GIVEN are faces of dice; of options and of a draw the numbers that `battle legal` and `battle play` list, from 1, or keys
    and codes. Several throws at once are JSON lists.

    Example: rallypoint battle answer first.battle 34 77

    Example: rallypoint battle answer first.battle hold --step

    Example: rallypoint battle answer first.battle fire B-1A-2
    """
    with Table(invocation, file) as shown:
        head, above, question = shown.history.head, len(shown.battle.pending), shown.battle.question
        part = None if ask is None else ask - 1
        if ask is not None and question is not None and ask > parts_of(question):
            expected = f"a whole number from 1 to {parts_of(question)}"
            raise InputError("no such part of the question", where="--ask", found=ask, expected=expected)
        shown.battle.answer(given_answer(shown.names, question, given, part), part)
        if go_on:
            shown.battle.play()
        _tell(shown, head, in_json, above)


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
        _refuse_too_early(shown, "act")
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
