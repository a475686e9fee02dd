"""``rallypoint battle``: the commands of a battle at the table; each is imported when it runs."""

from __future__ import annotations

import click

from .command_group import ListedGroup

__all__ = ["battle"]

COMMANDS = {
    "new": ("battle_new:new", "Start a battle of a scenario, in a new battle file."),
    "show": ("battle_show:show", "Show how a battle stands, and whose act is due."),
    "legal": ("battle_show:legal", "List what may be done now."),
    "play": ("battle_play:play", "Play at the terminal, choice by choice."),
    "step": ("battle_turn:step", "Go on by itself until somebody is asked."),
    "act": ("battle_turn:act", "Let a seat act."),
    "answer": ("battle_turn:answer", "Answer the question that is open."),
    "why": ("battle_why:why", "Say why a shot is not listed."),
    "order": ("battle_turn:order", "Let an Officer give an order."),
    "undo": ("battle_back:undo", "Go back by a step."),
    "redo": ("battle_back:redo", "Bring back what was undone."),
    "log": ("battle_log:log", "Print what happened, a line an event."),
    "explain": ("battle_log:explain", "Explain an event: rule, dice, modifiers, plugins."),
    "replay": ("battle_log:replay", "Run the rules again and compare; exits with 1 when they differ."),
    "adopt": ("battle_back:adopt", "Go on under the present rules and plugins."),
    "map": ("battle_picture:map_command", "Draw the board as it is, or as it was."),
    "report": ("battle_report:report", "Say who fell; write it back to a roster."),
}
"""The commands: ``module:attribute`` in this package, and what the help of the group says of them."""


@click.group(cls=ListedGroup, listed=COMMANDS)
def battle() -> None:
    """Fight a battle: by hand, by script, or by itself. A battle is one file, and all of it can be undone.

    Example: rallypoint battle new first-fight.toml -o first.battle --seat blue=auto

    Example: rallypoint battle play first.battle
    """
