"""The index: which commands, exporters and games the installed plugins add, kept in the user's cache.

It is good for as long as the folders on the path, the entry points and the manifests are as they were; otherwise it is
built again. It is never an error that it cannot be read or kept.
"""

# Strings for paths: pathlib is one of the imports that a quick listing does without.
# ruff: noqa: PTH103, PTH105, PTH109, PTH116, PTH118, PTH120, PTH123
from __future__ import annotations

import contextlib
import json
import os
import sys
import time
import zlib
from typing import Any, NamedTuple

from rallypoint import __version__

from .folders import cache_folder
from .parts import clear_parts, part_name

__all__ = [
    "IndexedCommand",
    "IndexedConverter",
    "IndexedExporter",
    "IndexedImporter",
    "IndexedOption",
    "IndexedPlugin",
    "index_file",
    "read_index",
]

_FORM = 3
_SETTLED = 2_000_000_000
"""Nanoseconds: what changed so lately could change again without its time telling, so that index is not kept."""


class IndexedOption(NamedTuple):
    """An option of an exporter, as its manifest says it."""

    name: str
    type: str
    default: str | int | float | bool | None
    choices: list[str]
    help: str


class IndexedCommand(NamedTuple):
    """A command that a plugin adds."""

    name: str
    help: str
    run: str


class IndexedExporter(NamedTuple):
    """A format that a plugin can write."""

    name: str
    help: str
    run: str
    options: list[IndexedOption]


class IndexedImporter(NamedTuple):
    """A format that a plugin can read."""

    name: str
    help: str
    run: str
    options: list[IndexedOption]


class IndexedConverter(NamedTuple):
    """A way from one game's words to another's."""

    source: str
    target: str
    run: str
    options: list[IndexedOption]


class IndexedPlugin(NamedTuple):
    """What the command line must know of one plugin; ``game`` is the game's module, ``rosters`` that it musters.

    A broken plugin has a name and adds nothing.
    """

    name: str
    title: str
    game: str | None
    commands: list[IndexedCommand]
    exporters: list[IndexedExporter]
    importers: tuple[IndexedImporter, ...] = ()
    converters: tuple[IndexedConverter, ...] = ()
    rosters: bool = False


def index_file() -> str:
    """Return the path of the index; each Python, and each path that it looks for packages on, has its own."""
    mark = zlib.crc32("\0".join([sys.prefix, *sys.path]).encode("utf-8", "replace"))
    return os.path.join(cache_folder(), f"commands-{mark:08x}.json")


def read_index() -> tuple[IndexedPlugin, ...]:
    """Return what the plugins add, from the index where it is still good."""
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError, RecursionError):
        with open(index_file(), encoding="utf-8") as stream:
            check, _, text = stream.read().partition("\n")
        if int(check) == zlib.crc32(text.encode()):
            document = json.loads(text)
            if document["key"] == _key() and all(_stamp(path) == old for path, old in document["stamps"].items()):
                return tuple([_plugin(row) for row in document["plugins"]])
    return _build()


def _key() -> list[object]:
    return [_FORM, __version__, sys.version, os.getcwd() if "" in sys.path else "", *sys.path]


def _stamp(path: str) -> list[int] | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return [found.st_mtime_ns, found.st_size, found.st_ino]


def _plugin(row: Any) -> IndexedPlugin:
    # A row of JSON; one that does not fit raises, and the index is built again.
    name, title, game, commands, exporters, importers, converters, rosters = row
    return IndexedPlugin(
        name,
        title,
        game,
        [IndexedCommand(*each) for each in commands],
        [IndexedExporter(key, words, run, _options(options)) for key, words, run, options in exporters],
        tuple([IndexedImporter(key, words, run, _options(options)) for key, words, run, options in importers]),
        tuple([IndexedConverter(source, to, run, _options(options)) for source, to, run, options in converters]),
        rosters is True,
    )


def _options(rows: Any) -> list[IndexedOption]:
    return [IndexedOption(*row) for row in rows]


def _build() -> tuple[IndexedPlugin, ...]:
    from rallypoint.kernel.plugins.discovery import Found, discover
    from rallypoint.kernel.plugins.manifest import Option

    def listed(options: tuple[Option, ...]) -> list[IndexedOption]:
        return [IndexedOption(o.name, o.type, o.default, list(o.choices), o.help) for o in options]

    def indexed(found: Found) -> IndexedPlugin:
        manifest = found.manifest
        if manifest is None:
            return IndexedPlugin(found.name, "", None, [], [])
        return IndexedPlugin(
            found.name,
            manifest.title,
            None if manifest.game is None else manifest.game.module,
            [IndexedCommand(*command) for command in manifest.commands],
            [IndexedExporter(each.name, each.help, each.run, listed(each.options)) for each in manifest.exporters],
            tuple(
                [IndexedImporter(each.name, each.help, each.run, listed(each.options)) for each in manifest.importers]
            ),
            tuple(
                [
                    IndexedConverter(each.source, each.target, each.run, listed(each.options))
                    for each in manifest.converters
                ]
            ),
            manifest.game is not None and manifest.game.rosters,
        )

    discovery = discover()
    stamps = {path: _stamp(path) for path in discovery.watched}
    plugins = tuple([indexed(found) for found in discovery.found])
    _keep(stamps, plugins)
    return plugins


def _keep(stamps: dict[str, list[int] | None], plugins: tuple[IndexedPlugin, ...]) -> None:
    youngest = max((stamp[0] for stamp in stamps.values() if stamp is not None), default=0)
    if time.time_ns() - youngest < _SETTLED:
        return
    text = json.dumps({"key": _key(), "stamps": stamps, "plugins": plugins})
    file = index_file()
    folder = os.path.dirname(file)
    part = os.path.join(folder, part_name(0))
    with contextlib.suppress(OSError, ValueError):
        os.makedirs(folder, exist_ok=True)
        clear_parts(folder)
        with open(part, "w", encoding="utf-8") as stream:
            stream.write(f"{zlib.crc32(text.encode())}\n{text}")
        os.replace(part, file)
