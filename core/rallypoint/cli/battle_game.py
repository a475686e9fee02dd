"""What the command line asks of a game's module for battles, and the game of one battle with its plugins."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple, Protocol, cast

from rallypoint.kernel.errors import PluginError

from .command_line import Invocation
from .game_choice import game_module
from .game_with_plugins import GameWithPlugins
from .terminal import warn_once

if TYPE_CHECKING:
    from rallypoint.content import Catalogue, Force
    from rallypoint.content.force import Forces
    from rallypoint.content.scenario import Scenario
    from rallypoint.content.scenario_words import ScenarioWords
    from rallypoint.kernel.encounter import Encounter
    from rallypoint.kernel.game import Game
    from rallypoint.kernel.parts import Hex
    from rallypoint.kernel.plugins.discovery import Found
    from rallypoint.kernel.plugins.loading import Row
    from rallypoint.kernel.plugins.variant import Variant
    from rallypoint.kernel.state import State

__all__ = ["BattleGame", "Deployment", "Playing", "battle_game", "notes_of", "playing", "rehearse", "rulings_of_nobody"]


class Deployment(Protocol):
    """An encounter on its board, and where each side begins."""

    encounter: Encounter
    zones: Mapping[str, tuple[Hex, ...]]


class BattleGame(Protocol):
    """What a game's module must have for battles at the command line."""

    def catalogue(self) -> Catalogue:
        """Return the equipment of the game."""

    def encounter(self, force: Force, *, side: str = "red") -> Encounter:
        """Return a force as state and sheets."""

    def scenario_words(self) -> ScenarioWords:
        """Return the words in which scenarios are written; its options are the rulings."""

    def deployed(self, scenario: Scenario, forces: Forces) -> Deployment:
        """Return the encounter of a scenario."""

    def completed(self, encounter: Encounter, options: Mapping[str, object]) -> Encounter:
        """Return an encounter with what plugins add to it or leave out, under these rulings."""

    def playable(self, options: Mapping[str, object], hooks: object = None, rulings: object = None) -> Game[object]:
        """Return the rules, bound to rulings and plugins; ``rulings`` are those that the plugins bring, by id."""

    def opening(self, scenario: Scenario, encounter: Encounter, options: Mapping[str, object]) -> State:
        """Return the state in which a battle starts."""


def battle_game(invocation: Invocation, name: str) -> BattleGame:
    """Return the module of a game that can be played at the command line.

    Raises:
        PluginError: it is not there, or its module cannot be imported or cannot do that.
    """
    if all(each.name != name or each.game is None for each in invocation.plugins()):
        hint = "rallypoint plugins says what is there, and what is off"
        raise PluginError("this game is not there, or it is off", plugin=name, hint=hint)
    needed = ("catalogue", "encounter", "scenario_words", "deployed", "playable", "opening")
    return cast("BattleGame", game_module(invocation, name, needed))


class Playing(NamedTuple):
    """A game's module, its rules bound to rulings and plugins, those plugins with their versions, and what they decide.

    ``decided`` are rulings of the game that a plugin decides, by id, with its name.
    """

    module: BattleGame
    game: Game[object]
    plugins: Mapping[str, str]
    decided: Mapping[str, str]


def playing(invocation: Invocation, name: str, options: Mapping[str, object]) -> Playing:
    """Return the rules of a game with the plugins that are on.

    Args:
        invocation: this run.
        name: of the game.
        options: rulings that differ from their defaults, by id.

    Raises:
        InputError: there is no such game, or a ruling does not exist.
        PluginError: the game cannot be loaded, or a ruling is of a plugin that does not take part.
    """
    from rallypoint.kernel.plugins.discovery import discover
    from rallypoint.kernel.plugins.variant import frozen_variant

    from .failures import report

    module = battle_game(invocation, name)
    variant = frozen_variant(name, _without_broken(module, discover().found), invocation.switches, report=report)
    _warn_of_broken(name, variant.rows, variant.plugins)
    _refuse_rulings_of_absent(name, options, variant)
    if variant.rulings:
        made = module.playable(options, variant.hooks, variant.rulings)
    else:
        made = module.playable(options) if variant.hooks is None else module.playable(options, variant.hooks)
    return Playing(module, made, variant.plugins, variant.decided)


def _without_broken(module: object, found: tuple[Found, ...]) -> tuple[Found, ...]:
    """Return the plugins, those whose equipment cannot be read with the reason."""
    broken = module.broken() if isinstance(module, GameWithPlugins) else {}
    return tuple([each._replace(problem=broken[each.name]) if each.name in broken else each for each in found])


def rulings_of_nobody(invocation: Invocation, name: str, options: Mapping[str, object]) -> Mapping[str, str | None]:
    """Return the rulings that neither the game nor a plugin that takes part brings, each with why, if that can be told.

    Args:
        invocation: this run.
        name: of the game.
        options: rulings by id, such as a log has them.

    Raises:
        PluginError: the game cannot be loaded.
    """
    from rallypoint.kernel.plugins.additions import additions
    from rallypoint.kernel.plugins.discovery import discover
    from rallypoint.kernel.plugins.variant import frozen_variant

    found = _without_broken(battle_game(invocation, name), discover().found)
    variant = frozen_variant(name, found, invocation.switches)
    added = {ruling.id for _, ruling in additions(name, found, invocation.switches).rulings}
    known = {*variant.rulings, *(battle_game(invocation, name).scenario_words().options.keys() - added)}
    rows = {row.name: row for row in variant.rows}
    why = {
        ruling.id: f"plugin {each.name} is {rows[each.name].state}: {rows[each.name].reason}"
        for each in found
        if each.manifest is not None and each.name in rows
        for ruling in each.manifest.rulings
    }
    return {each: why.get(each) for each in options if each not in known}


def notes_of(found: Playing) -> tuple[str, ...]:
    """Return what a game and its plugins say of the rulings in force, and which were chosen that a plugin decides as well.

    A game need not say anything.
    """
    notes: object = getattr(found.game, "notes", None)
    said = [str(note) for note in notes()] if callable(notes) else []
    twice = [
        f"{ruling} is chosen as {choice}, and the plugin {found.decided[ruling]} decides it: the game reads the choice all the "
        f"same. Leave {ruling} out, or: rallypoint plugin disable {found.decided[ruling]}."
        for ruling, choice in found.game.options.items()
        if ruling in found.decided
    ]
    return (*twice, *said)


def rehearse(game: Game[object], state: State) -> None:
    """Run the first rule that runs by itself, and keep nothing: what it refuses would keep the battle from ever beginning.

    Raises:
        RuleError: the rules do not let this battle begin.
        PluginError: a plugin fails right at the beginning.
    """
    from rallypoint.kernel.game import Intent, Runs
    from rallypoint.kernel.step import NOBODY, run
    from rallypoint.kernel.tape import Suspended

    due = game.next(state)
    if isinstance(due, Runs):
        with suppress(Suspended):
            run(game, state, Intent(due.rule, due.args, None, due.appointment), NOBODY)


def _absent(game: str, variant: Variant) -> Mapping[str, str]:
    """Return the rulings of plugins that are off or broken, each with its plugin's name."""
    from rallypoint.kernel.plugins.discovery import discover

    return {
        ruling.id: each.name
        for each in discover().found
        if each.manifest is not None and game in each.manifest.needs and each.name not in variant.plugins
        for ruling in each.manifest.rulings
        if ruling.id not in variant.rulings
    }


def _refuse_rulings_of_absent(game: str, options: Mapping[str, object], variant: Variant) -> None:
    """Refuse a ruling whose plugin is off or broken, with the reason: what nobody brings is for the game to refuse."""
    rows = {row.name: row for row in variant.rows}
    for ruling, plugin in _absent(game, variant).items():
        if ruling in options:
            raise PluginError(
                "a ruling is of a plugin that does not take part",
                plugin=plugin,
                where=ruling,
                found=f"plugin {plugin} is {rows[plugin].state}: {rows[plugin].reason}",
                hint="rallypoint plugins says more; rallypoint battle adopt goes on with a battle without the ruling",
            )


def _warn_of_broken(game: str, rows: Iterable[Row], taking_part: Mapping[str, str]) -> None:
    """Say which plugins could not take part: a battle without a house rule that is meant to be on is another battle."""
    for row in rows:
        if row.state == "broken" and row.name not in taking_part and row.name != game:
            warn_once(f"plugin {row.name} does not take part: {row.reason}")
