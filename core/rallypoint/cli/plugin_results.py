"""What exporters, importers and converters give is checked whole before anything of it is used or written."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from rallypoint.kernel.board import Board
from rallypoint.kernel.encounter import Encounter, Export, Gear, Imported, Page, Sheet, Table
from rallypoint.kernel.errors import PluginError
from rallypoint.kernel.state import State

from .file_names import check_names, check_owned

__all__ = ["checked_export", "checked_import"]

_Kind = TypeVar("_Kind")


def checked_export(plugin: str, where: str, made: object) -> Export:
    """Return what an exporter made.

    Raises:
        PluginError: it is something else, a field is of another type than it should be, a name cannot be a file's, or it
            owns a folder that is not its own.
    """
    check = _Check(plugin, where)
    export = check.is_a(Export, made, "what it gave")
    for name, content in check.mapping(export.files, "files").items():
        check.is_a(str, name, "a name in files")
        check.is_a(bytes, content, f"files[{name!r}]")
    check.counts(export.counts)
    for field in ("left_out", "notes", "next_steps", "owns"):
        check.texts(getattr(export, field), field)
    check_names(plugin, export.files)
    check_owned(plugin, export.owns, export.files)
    return export


def checked_import(plugin: str, where: str, found: object) -> Imported:
    """Return what an importer read or a converter turned.

    Raises:
        PluginError: it is something else, or a field is of another type than it should be.
    """
    check = _Check(plugin, where)
    read = check.is_a(Imported, found, "what it gave")
    check.counts(read.counts)
    for field in ("left_out", "notes", "conflicts"):
        check.texts(getattr(read, field), field)
    check.encounter(check.is_a(Encounter, read.encounter, "encounter"))
    return read


class _Check:
    """Names the plugin and the field in the error."""

    def __init__(self, plugin: str, where: str) -> None:
        self.plugin = plugin
        self.where = where

    def is_a(self, kind: type[_Kind], value: object, field: str) -> _Kind:
        """Return the value; a truth is no number."""
        if isinstance(value, kind) and not (kind is int and isinstance(value, bool)):
            return value
        raise PluginError(
            f"{self.where} gave something else",
            plugin=self.plugin,
            found=f"{field}: {type(value).__name__}",
            expected=kind.__name__,
        )

    def mapping(self, value: object, field: str) -> Mapping[object, object]:
        return self.is_a(Mapping, value, field)  # type: ignore[type-abstract]

    def counts(self, value: object) -> None:
        for name, count in self.mapping(value, "counts").items():
            self.is_a(str, name, "a name in counts")
            self.is_a(int, count, f"counts[{name!r}]")

    def texts(self, value: object, field: str) -> None:
        """Check a tuple or a list; a text is itself a sequence of texts, so nothing else will do."""
        rows = value if isinstance(value, (tuple, list)) else self.is_a(tuple, value, field)
        for number, row in enumerate(rows):
            self.is_a(str, row, f"{field}[{number}]")

    def rows(self, kind: type[_Kind], value: object, field: str) -> tuple[_Kind, ...]:
        rows = value if isinstance(value, (tuple, list)) else self.is_a(tuple, value, field)
        return tuple([self.is_a(kind, row, f"{field}[{number}]") for number, row in enumerate(rows)])

    def encounter(self, encounter: Encounter) -> None:
        for field in ("key", "title", "game"):
            self.is_a(str, getattr(encounter, field), f"encounter.{field}")
        self.is_a(State, encounter.state, "encounter.state")
        if encounter.board is not None:
            self.is_a(Board, encounter.board, "encounter.board")
        self.rows(Page, encounter.pages, "encounter.pages")
        self.rows(Table, encounter.tables, "encounter.tables")
        for uid, sheet in self.mapping(encounter.sheets, "encounter.sheets").items():
            self.is_a(str, uid, "a uid in encounter.sheets")
            place = f"encounter.sheets[{uid!r}]"
            self.sheet(self.is_a(Sheet, sheet, place), place)

    def sheet(self, sheet: Sheet, place: str) -> None:
        for field in ("uid", "name", "role", "code"):
            self.is_a(str, getattr(sheet, field), f"{place}.{field}")
        if sheet.picture is not None:
            self.is_a(str, sheet.picture, f"{place}.picture")
        self.texts(sheet.notes, f"{place}.notes")
        for name, number in self.mapping(sheet.stats, f"{place}.stats").items():
            self.is_a(str, name, f"a name in {place}.stats")
            self.is_a(int, number, f"{place}.stats[{name!r}]")
        for gear in self.rows(Gear, sheet.gear, f"{place}.gear"):
            for field in ("kind", "key", "title"):
                self.is_a(str, getattr(gear, field), f"{place}.gear.{field}")
            self.mapping(gear.facts, f"{place}.gear.facts")
