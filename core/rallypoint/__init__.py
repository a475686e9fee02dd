"""Rallypoint: a rules kernel for tabletop fights, and the link between those rules and the virtual tabletops.

The public names are imported when they are first used, so that ``import rallypoint`` costs nothing.

>>> import rallypoint
>>> rallypoint.Hex(2, 3)
Hex(q=2, r=3, facing=None)
"""

from __future__ import annotations

__version__ = "0.1.0.dev0"

TYPE_CHECKING = False  # type checkers take it for true; importing it from typing would be the dearest line in here
if TYPE_CHECKING:
    from .kernel.encounter import Encounter, Export, Gear, Sheet
    from .kernel.errors import (
        BattleFileError,
        InputError,
        MissingContentError,
        PluginError,
        RallypointError,
        RemoteError,
        ReplayError,
        RuleError,
        StateError,
        TapeError,
    )
    from .kernel.plugins.hooks import HookStep, LoadedPlugin, change, collect, decide, hookimpl, joined, tell
    from .kernel.plugins.plan import compile_plan
    from .kernel.state import Entity, Hex, Link, Place, Pose, State, Status, Tracker, Zone

__all__ = [
    "BattleFileError",
    "Encounter",
    "Entity",
    "Export",
    "Gear",
    "Hex",
    "HookStep",
    "InputError",
    "Link",
    "LoadedPlugin",
    "MissingContentError",
    "Place",
    "PluginError",
    "Pose",
    "RallypointError",
    "RemoteError",
    "ReplayError",
    "RuleError",
    "Sheet",
    "State",
    "StateError",
    "Status",
    "TapeError",
    "Tracker",
    "Zone",
    "change",
    "collect",
    "compile_plan",
    "decide",
    "hookimpl",
    "joined",
    "tell",
]

_HOMES = {
    "encounter": "Encounter Export Gear Sheet",
    "errors": "BattleFileError InputError MissingContentError PluginError RallypointError RemoteError ReplayError "
    "RuleError StateError TapeError",
    "plugins.hooks": "HookStep LoadedPlugin change collect decide hookimpl joined tell",
    "plugins.plan": "compile_plan",
    "state": "Entity Hex Link Place Pose State Status Tracker Zone",
}


def __getattr__(name: str) -> object:
    import importlib

    for module, names in _HOMES.items():
        if name in names.split():
            found: object = getattr(importlib.import_module(f"rallypoint.kernel.{module}"), name)
            globals()[name] = found
            return found
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
