"""Which game a roster is for, and what the command line asks of the game's module."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Protocol, cast

import click

from rallypoint.kernel.canonical import EMPTY
from rallypoint.kernel.errors import InputError

from .command_line import Invocation, imported, unknown
from .game_with_plugins import GameWithPlugins
from .index import IndexedPlugin
from .switched_off import switched_off

if TYPE_CHECKING:
    from rallypoint.content import Catalogue, Force
    from rallypoint.kernel.encounter import Encounter

__all__ = ["GAME", "GameOnCommandLine", "ReturningGame", "chosen_game", "chosen_name", "game_module", "returning_game"]

GAME = click.option("--game", metavar="NAME", help="The game, if more than one is installed.")
"""The option of every command that must know the game."""


class GameOnCommandLine(Protocol):
    """What a game's module must have for rosters to be read and exported."""

    def catalogue(self) -> Catalogue:
        """Return the equipment of the game."""

    def encounter(self, force: Force, *, side: str = "red") -> Encounter:
        """Return the force as a state with sheets."""

    def completed(self, encounter: Encounter, options: Mapping[str, object] = EMPTY) -> Encounter:
        """Return an encounter with what plugins add to it or leave out, under these rulings."""


class ReturningGame(GameOnCommandLine, Protocol):
    """What a game's module must have besides for what was read back from a VTT to become a roster."""

    def force_of(self, encounter: Encounter, known: Catalogue | None = None) -> Force:
        """Return the force that an encounter holds."""

    def with_values(self, force: Force, values: Mapping[str, Mapping[str, int]]) -> Force:
        """Return the force with other values of trackers, by uid and name."""


def chosen_name(invocation: Invocation, name: str | None) -> str:
    """Return the name of the game; without a name there must be just one that has rosters.

    Which have them stands in the manifests (``[game] rosters``): no game is imported to be chosen.

    Raises:
        InputError: there is no such game, none at all, it has no rosters, or there is more than one to choose from.
    """
    known = {each.name: each.rosters for each in invocation.plugins() if each.game is not None}
    games = [each for each, rosters in known.items() if rosters]
    listing = "rallypoint plugins lists what is there, and why not"
    if name is not None and name in known:
        if name in games:
            return name
        hint = f"games with rosters: {', '.join(games)}" if games else listing
        raise InputError("this game has no rosters, so nothing can be mustered for it", found=name, hint=hint)
    off = None if name is None else switched_off(invocation.switches, "game", name, _games_of)
    if off is not None:
        raise off
    if not games:
        raise InputError("no game with rosters is installed and on", hint=listing)
    if name is not None:
        raise unknown("there is no such game", name, games, f"the games are {', '.join(games)}")
    if len(games) > 1:
        choices = ", ".join(f"--game {each}" for each in games)
        raise InputError("more than one game with rosters is installed", expected=f"one of {choices}")
    return games[0]


def _games_of(plugin: IndexedPlugin) -> list[str]:
    return [] if plugin.game is None else [plugin.name]


def chosen_game(invocation: Invocation, name: str | None) -> GameOnCommandLine:
    """Return the module of the game of that name; without a name there must be just one.

    Raises:
        InputError: there is no such game, none at all, or more than one to choose from.
        PluginError: its module cannot be imported or is not a game's.
    """
    return cast("GameOnCommandLine", game_module(invocation, chosen_name(invocation, name), ("catalogue", "encounter")))


def returning_game(invocation: Invocation, name: str) -> ReturningGame:
    """Return the module of a game that can also make rosters of encounters.

    Raises:
        PluginError: its module cannot be imported or cannot do that.
    """
    needed = ("catalogue", "encounter", "force_of", "with_values")
    return cast("ReturningGame", game_module(invocation, name, needed))


def game_module(invocation: Invocation, name: str, needed: tuple[str, ...]) -> object:
    """Return the module of a game that has all that is needed of it.

    Raises:
        PluginError: it cannot be imported or lacks something; so does whatever its functions raise that is not ours.
    """
    module = next(each.game for each in invocation.plugins() if each.name == name and each.game is not None)
    for attribute in needed:
        imported(name, f"{module}:{attribute}")
    return GameWithPlugins(invocation, name, imported(name, module))
