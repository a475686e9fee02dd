"""``rallypoint battle undo``, ``redo`` and ``adopt``."""

from __future__ import annotations

import click

from rallypoint.kernel.errors import RuleError

from .battle_log import hidden
from .battle_new import SEAT, seats_of
from .battle_show import due_lines
from .battle_table import Table
from .chosen_rules import chosen_options
from .command_line import Invocation, PlainHelp
from .terminal import write

__all__ = ["adopt", "redo", "undo", "undone_words"]


def undone_words(shown: Table, *, edits: bool = False, whole: bool = False, seat: str | None = None) -> str:
    """Go back by one, and say what that was: the last answer in the step that waits, this step, or the last one.

    Args:
        shown: the battle.
        edits: also take back an edit from outside.
        whole: drop a step that waits with all that was answered in it.
        seat: who is told; what another one did in secret is not named to it.

    Raises:
        RuleError: there is nothing to undo, or the last entry is an edit from outside.
    """
    battle = shown.battle
    if battle.history.before_answer is not None and not whole:
        battle.retract()
        return f"Took back an answer: {'; '.join(shown.asked())}."
    if battle.history.waiting is not None:
        rule = battle.history.waiting.intent.rule
        battle.cancel()
        return f"Dropped {rule}, which waited for an answer."
    try:
        battle.undo(edits=edits)
    except RuleError as error:
        if not edits and battle.history.past and battle.history.past[-1].kind == "edit":
            error.hint = f"to take it back: rallypoint battle undo {shown.path} --edits"
        raise
    return f"Undid {_named(shown, battle.history.undone[-1].number, seat)}."


def _named(shown: Table, number: int, seat: str | None = None) -> str:
    entry = shown.history.entries[number]
    if hidden(entry, seat):
        return f"entry {number} (not known)"
    what = entry.intent.rule if entry.kind == "step" else "an edit from outside"
    return f"entry {number} ({what})"


def _refuse_too_many(shown: Table, times: int) -> None:
    """Refuse to go back further than there are steps, before anything is undone.

    Raises:
        RuleError: there are not so many.
    """
    history = shown.history
    most = len(history.past) + (history.waiting is not None)
    if 0 < most < times:
        raise RuleError(
            "there is nothing to undo beyond that", where=shown.path, found=times, expected=f"{most} at most"
        )


@click.command(cls=PlainHelp)
@click.argument("file")
@click.option("--times", type=click.IntRange(1), default=1, show_default=True, help="How many steps or answers.")
@click.option("--edits", is_flag=True, help="Take back edits from outside too.")
@click.option("--whole", is_flag=True, help="Drop a step that waits, with all that was answered in it.")
@click.pass_obj
def undo(invocation: Invocation, file: str, times: int, edits: bool, whole: bool) -> None:
    """Go back by one, and say by what; the log remembers it.

    In a step that waits for an answer that is the last answer; where none was given in it, the step is dropped. Else it is the last step.

    Example: rallypoint battle undo first.battle --times 3
    """
    with Table(invocation, file) as shown:
        _refuse_too_many(shown, times)
        for _ in range(times):
            write(undone_words(shown, edits=edits, whole=whole))
        for line in due_lines(shown):
            write(line)


@click.command(cls=PlainHelp)
@click.argument("file")
@click.option("--times", type=click.IntRange(1), default=1, show_default=True, help="How many steps.")
@click.pass_obj
def redo(invocation: Invocation, file: str, times: int) -> None:
    """Bring back what was undone last.

    Example: rallypoint battle redo first.battle
    """
    with Table(invocation, file) as shown:
        for _ in range(times):
            shown.battle.redo()
            write(f"Brought back {_named(shown, shown.history.past[-1].number)}.")
        for line in due_lines(shown):
            write(line)


@click.command(cls=PlainHelp)
@click.argument("file")
@click.option("--option", "options", metavar="ID=CHOICE", multiple=True, help="A ruling to change; repeatable.")
@SEAT
@click.option("--dry-run", is_flag=True, help="Name the differences, and change nothing.")
@click.pass_obj
def adopt(invocation: Invocation, file: str, options: tuple[str, ...], seats: tuple[str, ...], dry_run: bool) -> None:
    """Go on under the present rules and plugins; what came before stays, and cannot be undone.

    Rulings of plugins that are gone are dropped, and each is named.

    Example: rallypoint battle adopt first.battle --option D-AMB-05=selected
    """
    from .battle_game import battle_game

    changed: dict[str, object] | None = None
    dropped: tuple[str, ...] = ()
    if options:
        with Table(invocation, file, any_rules=True) as before:
            words = battle_game(invocation, before.game_name).scenario_words()
            dropped = before.dropped
            kept = {name: choice for name, choice in before.options.items() if name not in dropped}
            changed = {**kept, **chosen_options(words, options)}
    with Table(invocation, file, seats=seats_of(seats), options=changed, any_rules=True) as shown:
        if shown.history.waiting is not None:
            hint = f"answer it, or drop the step that asks: rallypoint battle undo {file}"
            raise RuleError("a question is open", where=file, found=shown.history.waiting.intent.rule, hint=hint)
        for line in shown.differences:
            write(line)
        for name in shown.dropped or dropped:
            write(f"dropped: {name}, which no plugin that takes part brings")
        if not shown.differences:
            write("The rules are the same; nothing to adopt.")
        elif dry_run:
            write("Would go on under the present rules.")
        else:
            shown.battle.adopt()
            write(f"Goes on under the present rules from entry {shown.history.head} on.")
