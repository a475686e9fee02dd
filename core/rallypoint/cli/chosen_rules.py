"""The options ``--rules`` and ``--option``: a set of rules and single rulings, by their names."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click

from rallypoint.kernel.errors import InputError

from .battle_words import pair
from .command_line import unknown

if TYPE_CHECKING:
    from rallypoint.content.scenario_words import ScenarioWords

__all__ = ["OPTION", "RULES", "chosen_options", "chosen_rules"]

F = TypeVar("F", bound=Callable[..., Any])

OPTION = click.option(
    "--option", "options", metavar="ID=CHOICE", multiple=True, help="A ruling that you want otherwise; repeatable."
)
"""The option for single rulings."""

RULES = click.option("--rules", "preset", metavar="NAME", help="A set of rules, such as one that a plugin brings.")
"""The option for a set of rules."""


def chosen_rules(words: ScenarioWords, preset: str | None, options: Sequence[str]) -> Mapping[str, str | int]:
    """Return the rulings of a set of rules, and over them those that are named.

    Args:
        words: the game's, with those of its plugins.
        preset: the name of the set; ``None`` for none.
        options: each ``ID=CHOICE``.

    Raises:
        InputError: there is no such set, a ruling of it is a plugin's that is not there, no such ruling, or no such choice.
    """
    chosen: Mapping[str, str | int] = {}
    if preset is not None:
        if preset not in words.rules:
            owner = words.off.get(preset)
            if owner is not None:
                raise InputError("there is no such set of rules", found=preset, hint=_of_plugin(owner))
            hint = f"there are {', '.join(words.rules)}; plugins bring some"
            raise unknown("there is no such set of rules", preset, list(words.rules), hint)
        chosen = words.set_of_rules(preset)
    return {**chosen, **chosen_options(words, options)}


def chosen_options(words: ScenarioWords, options: Sequence[str]) -> Mapping[str, str | int]:
    """Return single rulings as a game takes them: numbers for those that are numbers.

    Raises:
        InputError: one is not ``ID=CHOICE``, there is no such ruling, or no such choice.
    """
    found: dict[str, str | int] = {}
    for key, value in (pair(each, "a ruling", "D-AMB-05=selected") for each in options):
        ruling = words.options.get(key)
        if ruling is None:
            owner = words.off.get(key)
            if owner is not None:
                raise InputError("there is no such ruling", found=key, hint=_of_plugin(owner))
            raise unknown("there is no such ruling", key, list(words.options), "rallypoint rules show lists them")
        found[key] = ruling.fitting(value)
    return found


def _of_plugin(owner: str) -> str:
    return f"it is of the plugin {owner}"
