"""Where a person's settings and caches lie on each system.

A few lines of our own: the four folders are all that is needed, and ``--help`` has no room for another import.
"""

# Strings for paths: pathlib is one of the imports that a quick listing does without.
# ruff: noqa: PTH111, PTH117, PTH118
from __future__ import annotations

import os
import sys

__all__ = ["cache_folder", "config_folder"]

_NAME = "rallypoint"


def cache_folder() -> str:
    """Return the folder for what can be made again; it may not exist yet."""
    return _folder("XDG_CACHE_HOME", "LOCALAPPDATA", "Library/Caches", ".cache")


def config_folder() -> str:
    """Return the folder for a person's settings; it may not exist yet."""
    return _folder("XDG_CONFIG_HOME", "APPDATA", "Library/Application Support", ".config")


def _folder(stated: str, windows: str, mac: str, other: str) -> str:
    base = os.environ.get(stated)
    if not base or not os.path.isabs(base):
        home = os.path.expanduser("~")
        if sys.platform == "win32":
            base = os.environ.get(windows) or home
        else:
            base = os.path.join(home, mac if sys.platform == "darwin" else other)
    return os.path.join(base, _NAME)
