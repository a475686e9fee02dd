"""What an import is made of: files read into memory, an importer run, and converters that lead to the game's own words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, cast

from rallypoint.kernel.errors import InputError

from .command_line import Invocation, imported
from .guard import guarded
from .index import IndexedImporter

if TYPE_CHECKING:  # for --help the kernel's records are not imported
    from rallypoint.kernel.encounter import Imported

__all__ = ["ImportFormat", "converted", "import_formats", "read_files", "read_from"]

_MOST_BYTES = 100_000_000


class ImportFormat(NamedTuple):
    """An importer and the plugin that it belongs to."""

    plugin: str
    importer: IndexedImporter


def import_formats(invocation: Invocation) -> Mapping[str, ImportFormat]:
    """Return the formats by name; of two importers of one name the first plugin by name has it."""
    found: dict[str, ImportFormat] = {}
    for plugin in invocation.plugins():
        for importer in plugin.importers:
            found.setdefault(importer.name, ImportFormat(plugin.name, importer))
    return dict(sorted(found.items()))


def read_files(paths: Sequence[str]) -> Mapping[str, bytes]:
    """Return the content of files by the names that were given.

    Raises:
        InputError: a name is there twice, is no ordinary file, cannot be read, or is larger than 100 million bytes.
    """
    files: dict[str, bytes] = {}
    for path in paths:
        file = Path(path)
        if path in files:
            raise InputError("a file is named twice", path=path)
        if file.is_dir():
            raise InputError(
                "this is a folder", path=path, expected="files", hint=f"did you mean {path.rstrip('/')}/*?"
            )
        try:
            if file.exists() and not file.is_file():
                raise InputError("this is no ordinary file", path=path, expected="a file")
            if file.stat().st_size > _MOST_BYTES:
                raise InputError("this file is too large", path=path, expected=f"at most {_MOST_BYTES} bytes")
            files[path] = file.read_bytes()
        except FileNotFoundError:
            raise InputError("there is no such file", path=path) from None
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else str(error)
            raise InputError("this file cannot be read", path=path, found=reason) from None
    return files


def read_from(form: ImportFormat, files: Mapping[str, bytes], options: Mapping[str, str]) -> Imported:
    """Run the importer.

    Raises:
        PluginError: it fails, or gives something else.
    """
    return _run(form.plugin, f"importer {form.importer.name}", form.importer.run, files, options)


def _run(plugin: str, where: str, target: str, given: object, options: Mapping[str, str]) -> Imported:
    from .plugin_results import checked_import

    run = imported(plugin, target)
    with guarded(plugin, where):
        found = cast("Callable[[object, Mapping[str, str]], object]", run)(given, options)
    with guarded(plugin, where):  # what it gave may still run code of its own when it is looked at
        return checked_import(plugin, where, found)


def converted(invocation: Invocation, found: Imported, game: str, options: Mapping[str, str]) -> Imported:
    """Return what was read in the words of ``game``, with what the converter says added.

    A game that is not known (an empty name) is taken for the game itself: trackers of known units need no more.

    Raises:
        InputError: no plugin that is on converts from the one to the other.
        PluginError: the converter fails.
    """
    source = found.encounter.game
    if source in ("", game):
        return found
    for plugin in invocation.plugins():
        for each in plugin.converters:
            if (each.source, each.target) == (source, game):
                known = {option.name for option in each.options}
                own = {name: value for name, value in options.items() if name in known}
                turned = _run(plugin.name, f"converter {source} to {game}", each.run, found.encounter, own)
                return _joined(found, turned)
    hint = "rallypoint plugins lists what is there, and why not"
    raise InputError("no plugin converts these units", found=source, expected=game, hint=hint)


def _joined(found: Imported, turned: Imported) -> Imported:
    def both(first: Iterable[str], second: Iterable[str]) -> tuple[str, ...]:
        return (*first, *second)

    return found._replace(
        encounter=turned.encounter,
        counts={**found.counts, **{f"converter_{name}": count for name, count in turned.counts.items()}},
        left_out=both(found.left_out, turned.left_out),
        notes=both(found.notes, turned.notes),
        conflicts=both(found.conflicts, turned.conflicts),
    )
