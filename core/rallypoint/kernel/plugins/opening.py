"""Opening a battle file under the rules that are installed: for programs that go on with a battle and know no game."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple, cast

from ..answers import PERSON, Answers
from ..battle import Battle
from ..battle_file import BattleFile
from ..canonical import EMPTY, Value
from ..errors import PluginError, RallypointError, RuleError
from ..game import Game
from ..history import History
from ..replay import differences
from ..state import State
from .discovery import Found, discover
from .switches import Switches
from .variant import frozen_variant

__all__ = ["Opened", "OtherRulesError", "open_battle"]


class OtherRulesError(RuleError):
    """A battle was played under other rules than those that are here; adopting them goes on."""

    code = "other_rules"


class Opened(NamedTuple):
    """A battle that can go on, the module of its game, and the path of its file. Close the battle when it is done."""

    battle: Battle[object]
    module: object
    path: Path

    def is_out(self, state: State, uid: str) -> bool:
        """Say whether an entity is out of the fight, by its game; a game that does not say has nobody out."""
        gone = getattr(self.module, "gone", None)
        return bool(gone(state, uid)) if callable(gone) and uid in state else False


def open_battle(path: Path, switches: Switches | None = None, found: Iterable[Found] | None = None) -> Opened:
    """Return the battle of a file, under its game and the plugins that are on.

    Args:
        path: the battle file.
        switches: which plugins are off.
        found: the plugins that there are; those that are installed, where it is ``None``.

    Raises:
        BattleFileError: there is no such battle, or it is damaged.
        PluginError: its game is not there, is off or broken.
        OtherRulesError: it was played under other rules, or with a plugin that does not take part.
    """
    file = BattleFile(path)
    try:
        return _opened(file, path, switches, tuple(discover().found if found is None else found))
    except BaseException:
        file.close()
        raise


def _opened(file: BattleFile, path: Path, switches: Switches | None, found: tuple[Found, ...]) -> Opened:
    history = History.of(file.entries())
    name = str(history.rules.get("game"))
    options = history.rules.get("options")
    variant = frozen_variant(name, found, switches)
    module = _module(name, found)
    playable = cast("Callable[..., Game[object]]", getattr(module, "playable", None))
    if not callable(playable):
        raise PluginError("this game cannot be played from a file", plugin=name, expected="playable() in its module")
    given: Mapping[str, Value] = options if isinstance(options, Mapping) else EMPTY
    more: tuple[Any, ...] = (variant.hooks, variant.rulings) if variant.rulings else (variant.hooks,)
    try:
        game = playable(given) if variant.hooks is None else playable(given, *more)
    except RallypointError as error:
        absent = _absent(history, variant.plugins)
        if not absent:
            raise
        raise OtherRulesError(
            "this battle uses rulings of a plugin that does not take part",
            where=str(path),
            found=f"{error.what}; played with {', '.join(absent)}, not installed or not on",
            hint=f"install or enable the plugin, or rallypoint battle adopt {path}: it goes on without them",
        ) from None
    differing = differences(history.rules, game, variant.plugins)
    if differing:
        raise OtherRulesError(
            "this battle was played under other rules",
            where=str(path),
            found="; ".join(differing),
            hint=f"rallypoint battle adopt {path} goes on under the present ones",
        )
    return Opened(Battle(game, Answers(PERSON), file, history, variant.plugins), module, path)


def _absent(history: History, plugins: Mapping[str, str]) -> list[str]:
    """Return the plugins, with versions, that a battle was played with and that do not take part now."""
    logged = history.rules.get("plugins")
    return [f"{name} {logged[name]}" for name in logged if name not in plugins] if isinstance(logged, Mapping) else []


def _module(name: str, found: tuple[Found, ...]) -> object:
    for each in found:
        if each.name == name and each.manifest is not None and each.manifest.game is not None:
            return importlib.import_module(each.manifest.game.module)
    raise PluginError("this game is not there", plugin=name, hint="rallypoint plugins says what is")
