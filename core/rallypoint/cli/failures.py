"""What plugins did wrong while something ran: kept in the cache, so that ``rallypoint plugins`` can say it.

An import error shows whenever a plugin is listed; an exception in a hook only when the hook is called. So the last one of
each plugin is kept until its version changes or the cache is cleared.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Mapping
from typing import NamedTuple

from rallypoint.kernel.errors import PluginError

from .folders import cache_folder

__all__ = ["Failure", "known_failures", "remember", "report"]

_FILE = "plugin-failures.json"
_MOST = 200  # characters of a message


class Failure(NamedTuple):
    """The last exception of a plugin's hook, and the version that it happened in."""

    hook: str
    what: str
    version: str

    def __str__(self) -> str:
        return f"hook {self.hook} failed when it was called last: {self.what}"


def known_failures() -> Mapping[str, Failure]:
    """Return what is kept, by plugin; nothing where it cannot be read."""
    try:
        with open(_path(), encoding="utf-8") as file:  # noqa: PTH123 - as in folders: no pathlib in a quick listing
            rows = json.load(file)
        return {str(name): Failure(*[str(part) for part in row]) for name, row in rows.items()}
    except (OSError, ValueError, TypeError, AttributeError):
        return {}


def remember(error: PluginError, version: str = "") -> None:
    """Keep an exception of a hook; where that cannot be written it is not kept, and nothing else happens."""
    if error.hook is None:
        return
    kept = {**known_failures(), error.plugin: Failure(error.hook, error.what[:_MOST], version)}
    folder = cache_folder()
    try:
        os.makedirs(folder, exist_ok=True)  # noqa: PTH103
        handle, draft = tempfile.mkstemp(dir=folder, prefix=f".{_FILE}.", suffix=".part")
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(kept, file)
        os.replace(draft, _path())  # noqa: PTH105
    except OSError:
        return


def report(plugin: str, hook: str, error: Exception) -> None:
    """Say that a *tell* hook failed, and keep it; the battle has gone on."""
    what = f"{type(error).__name__}: {error}"
    sys.stderr.write(f"warning: plugin {plugin}, hook {hook}: {what}\n")
    remember(PluginError(what, plugin=plugin, hook=hook))


def _path() -> str:
    return os.path.join(cache_folder(), _FILE)  # noqa: PTH118
