"""``rallypoint battle why``: why a shot is not listed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

import click

from rallypoint.kernel.errors import InputError

from .battle_table import Table
from .command_line import Invocation, PlainHelp
from .terminal import write

__all__ = ["why", "why_lines"]


def why_lines(shown: Table, shooter: str, target: str, seat: str | None = None) -> Iterator[str]:
    """Yield what keeps each weapon of a unit or team from a target, or that nothing does; with ``seat`` as far as that seat knows.

    Raises:
        InputError: nobody is called so, a hex is named, or the game says nothing of it.
    """
    asked = getattr(shown.playing.module, "why_shots", None)
    if asked is None:
        raise InputError("this game does not say why", found=shown.game_name)
    from rallypoint.content.scenario_terrain import hex_at

    for word in (shooter, target):
        if shown.names.uid(word) not in shown.battle.state and hex_at(word) is not None:
            raise InputError("this is a hex, and shots are asked about from a stand or unit to another one", found=word)
    given = shown.names.known(shooter), shown.names.known(target)
    state = shown.battle.meanwhile if seat is None else shown.playing.game.view(shown.battle.meanwhile, seat)
    yield from cast("Iterator[str]", asked(shown.playing.game, state, *given, shown.names))


@click.command(cls=PlainHelp)
@click.argument("file")
@click.argument("shooter")
@click.argument("target")
@click.pass_obj
def why(invocation: Invocation, file: str, shooter: str, target: str) -> None:
    """Say for each weapon of a unit or a team whether it may be fired at a target, or by which rule not.

    Example: rallypoint battle why first.battle R-1A-2 B-1A
    """
    with Table(invocation, file) as shown:
        for line in why_lines(shown, shooter, target):
            write(line)
