"""Which game a roster is for, and what the command line asks of the game's module."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, cast

from rallypoint.kernel.errors import InputError

from .command_line import Invocation, imported, unknown

if TYPE_CHECKING:
    from rallypoint.content import Catalogue, Force
    from rallypoint.kernel.encounter import Encounter

__all__ = ["GameOnCommandLine", "chosen_game"]


class GameOnCommandLine(Protocol):
    """What a game's module must have for rosters to be read and exported."""

    def catalogue(self) -> Catalogue:
        """Return the equipment of the game."""

    def encounter(self, force: Force, *, side: str = "red") -> Encounter:
        """Return the force as a state with sheets."""


def chosen_game(invocation: Invocation, name: str | None) -> GameOnCommandLine:
    """Return the module of the game of that name; without a name there must be just one.

    Raises:
        InputError: there is no such game, none at all, or more than one to choose from.
        PluginError: its module cannot be imported or is not a game's.
    """
    games = {each.name: each.game for each in invocation.plugins() if each.game is not None}
    if not games:
        raise InputError("no game is installed and on", hint="rallypoint plugins lists what is there, and why not")
    if name is None:
        if len(games) > 1:
            choices = ", ".join(f"--game {each}" for each in games)
            raise InputError("more than one game is installed", expected=f"one of {choices}")
        name = next(iter(games))
    if name not in games:
        raise unknown("there is no such game", name, list(games), f"the games are {', '.join(games)}")
    module = games[name]
    for needed in ("catalogue", "encounter"):
        imported(name, f"{module}:{needed}")
    return cast("GameOnCommandLine", imported(name, module))
