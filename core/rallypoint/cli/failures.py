"""What plugins did wrong while something ran: kept in the cache, so that ``rallypoint plugins`` can say it.

An import error shows whenever a plugin is listed; an exception in a hook only when the hook is called. So the last one of
each plugin is kept until it is enabled again or the cache is cleared.
"""

# Strings for paths, as in folders: pathlib is one of the imports that a quick listing does without.
# ruff: noqa: PTH103, PTH105, PTH118, PTH123
from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping
from typing import NamedTuple

from rallypoint.kernel.errors import PluginError

from .folders import cache_folder
from .terminal import warn

__all__ = ["Failure", "forget", "known_failures", "remember", "report"]

_FILE = "plugin-failures.json"
_MOST = 200  # characters of a message


class Failure(NamedTuple):
    """The last exception of a plugin's hook."""

    hook: str
    what: str

    def __str__(self) -> str:
        return f"hook {self.hook} failed when it was called last: {self.what}"


def known_failures() -> Mapping[str, Failure]:
    """Return what is kept, by plugin; nothing where it cannot be read."""
    try:
        with open(_path(), encoding="utf-8") as file:
            rows = json.load(file)
        return {str(name): Failure(*[str(part) for part in row]) for name, row in rows.items()}
    except (OSError, ValueError, TypeError, AttributeError, RecursionError):
        return {}


def remember(error: PluginError) -> None:
    """Keep an exception of a hook; where that cannot be written it is not kept, and nothing else happens."""
    if error.hook is not None:
        _keep({**known_failures(), error.plugin: Failure(error.hook, error.what[:_MOST])})


def forget(plugin: str) -> None:
    """Drop what is kept of a plugin."""
    known = known_failures()
    if plugin in known:
        _keep({name: failure for name, failure in known.items() if name != plugin})


def report(plugin: str, hook: str, error: BaseException) -> None:
    """Say that a *tell* hook failed, and keep it; the battle has gone on."""
    what = f"{type(error).__name__}: {error}"
    warn(f"plugin {plugin}, hook {hook}: {what}")
    remember(PluginError(what, plugin=plugin, hook=hook))


def _keep(failures: Mapping[str, Failure]) -> None:
    folder = cache_folder()
    try:
        os.makedirs(folder, exist_ok=True)
        handle, draft = tempfile.mkstemp(dir=folder, prefix=f".{_FILE}.", suffix=".part")
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(failures, file)
        os.replace(draft, _path())
    except (OSError, ValueError):
        return


def _path() -> str:
    return os.path.join(cache_folder(), _FILE)
