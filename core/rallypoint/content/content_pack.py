"""Content packs in TOML: a head, and a table an item, sorted by kind.

::

    pack = 1
    name = "frontier-arms"
    title = "Frontier Arms"

    [weapon.smart_rifle]
    title = "Smart Rifle"
    T = 0
    C = 2
    M = 3
    L = 2
    Max = "infinite"
    traits = ["no_move_and_fire"]

The schema of this form is made by :func:`pack_schema` from the columns of the game.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

from rallypoint.kernel.canonical import Value, freeze

from .catalogue import KINDS, Catalogue, Item, Kind, is_machine_name, machine_name
from .content import Content, Entry, Unknown, note_trait
from .equipment_table import INFINITE
from .fields import Fields
from .problems import Problems
from .roster_toml import parse_toml

__all__ = ["FORMAT", "pack_schema", "read_pack"]

FORMAT = 1
"""The version of the form of packs that is read."""

HEAD = ("pack", "name", "title", "version", "author", "license", "source")
ITEM = ("title", "rule", "description", "traits", "aliases", "mounts", "replaces")
_MOST = 9999


def read_pack(text: str, path: str, catalogue: Catalogue) -> Content:
    """Return the content of a pack.

    Args:
        text: the TOML document.
        path: names it in errors.
        catalogue: the game's.

    Raises:
        PageError: it is no TOML, of a newer form, or has unknown, missing or wrong fields, or nothing in it; it holds every
            problem.
    """
    document = parse_toml(text, path)
    problems = Problems(path)
    known = (*HEAD, *KINDS)
    top = _Top(text, document, known, problems)
    version = top.number("pack", 1, 1_000_000, FORMAT)
    if version > FORMAT:
        found = f"pack {version}"
        hint = "install a newer version of rallypoint"
        problems.add(f"{found}, this version reads {FORMAT}", _line(text, "pack"), found=found, hint=hint)
        problems.check()
    if "pack" not in document:
        top.wrong("pack", f"pack = {FORMAT}", "a field is missing", "is it a file of another kind?")
    name = top.text("name", needed=True) or "pack"
    for field in HEAD[2:]:
        top.text(field)
    _only_known(top)
    entries: list[Entry] = []
    unknown: list[Unknown] = []
    for kind in KINDS:
        rows = Fields(document.get(kind, {}), (), problems, kind).row
        for key, row in rows.items():
            line = _line(text, f"{kind}.{key}")
            reader = _Item(kind, key, Fields(row, (*ITEM, *catalogue.columns[kind]), problems, f"{kind}.{key}", line))
            entries.append(Entry(reader.item(name, catalogue), path, line, reader.fields.text("replaces")))
            traits = catalogue.traits()
            item = entries[-1].item
            where = f"{kind}.{key}.traits"
            strange = [trait for trait in item.traits if not note_trait(trait, line, where, traits, problems)]
            unknown += [Unknown(path, line, item.title, f"no rule knows the trait {trait}") for trait in strange]
    if not entries and not len(problems):
        problems.add("no item in this pack", 1, found=", ".join(document) or "nothing", expected=", ".join(KINDS))
    problems.check()
    return Content((path,), tuple(entries), (), tuple(unknown))


def _only_known(fields: Fields) -> None:
    """Note every field that nobody knows: in content a slip of the pen must not do nothing."""
    for name in fields.rest():
        hint = None if name != "extra" else "a pack has no such table"
        fields.wrong(name, ", ".join(fields.known), "unknown field", hint)


class _Top(Fields):
    """The whole pack: what is wrong with a field stands where the field does."""

    def __init__(self, text: str, row: object, known: Collection[str], problems: Problems) -> None:
        super().__init__(row, known, problems)
        self.text_of_file = text

    def wrong(self, name: str, expected: str, what: str = "a value of the wrong type", hint: str | None = None) -> None:
        self.line = _line(self.text_of_file, name) if name in self.row else None
        super().wrong(name, expected, what, hint)


def _line(text: str, name: str) -> int:
    """Return the line of a table's head or of a key, or 1."""
    parts = [rf"[\"']?{re.escape(part)}[\"']?" for part in name.split(".")]
    joined = r"\s*\.\s*".join(parts)
    pattern = re.compile(rf"\s*(?:\[\s*){{0,2}}{joined}\s*[\]=.]")
    return next((number for number, line in enumerate(text.splitlines(), 1) if pattern.match(line)), 1)


class _Item:
    """Reads the table of one item."""

    def __init__(self, kind: Kind, key: str, fields: Fields) -> None:
        self.kind = kind
        self.key = key
        self.fields = fields

    def item(self, pack: str, catalogue: Catalogue) -> Item:
        """Return the item; what is wrong with it is noted."""
        fields = self.fields
        if not is_machine_name(self.key):
            fields.problems.add(
                "this cannot be the key of an item",
                fields.line,
                found=self.key,
                expected="small letters, digits and underscores (ASCII)",
                hint=f"did you mean {machine_name(self.key)}?",
                where=f"{self.kind}.{self.key}",
            )
        _only_known(fields)
        title = fields.text("title", needed=True) or self.key
        if title != title.strip() or not title.isprintable() or "," in title:
            fields.wrong("title", "a name without commas and without blanks at its ends")
        numbers = {column: self.number(column) for column in catalogue.columns[self.kind]}
        return Item(
            self.kind,
            self.key,
            title,
            fields.text("rule") or f"{pack}:{self.key}",
            freeze_numbers(numbers),
            fields.texts("traits"),
            fields.texts("aliases"),
            None,
            fields.texts("mounts"),
            fields.text("description") or "",
        )

    def number(self, column: str) -> int | None:
        """Return one number; ``"infinite"`` is without limit."""
        if column not in self.fields.row:
            self.fields.wrong(column, f'a whole number from 0, or "{INFINITE}"', "a field is missing")
            return 0
        if self.fields.row[column] == INFINITE:
            return None
        return self.fields.number(column, 0, _MOST, 0)


def freeze_numbers(numbers: Mapping[str, int | None]) -> Mapping[str, int | None]:
    """Return numbers that nobody can change."""
    from types import MappingProxyType

    return MappingProxyType(dict(numbers))


def pack_schema(catalogue: Catalogue) -> Value:
    """Return the JSON Schema of packs for a game with these columns."""
    text = {"type": "string", "minLength": 1}
    texts = {"type": "array", "items": text}
    number = {"anyOf": [{"type": "integer", "minimum": 0, "maximum": _MOST}, {"const": INFINITE}]}
    head: dict[str, object] = {**dict.fromkeys(HEAD, text), "pack": {"const": FORMAT}}
    kinds: dict[str, object] = {}
    for kind in KINDS:
        columns = catalogue.columns[kind]
        fields: dict[str, object] = {**dict.fromkeys(ITEM, text), "aliases": texts, "mounts": texts}
        fields["traits"] = {"type": "array", "items": {"type": "string", "pattern": r"^[a-z][a-z0-9_]*(\([^()]*\))?$"}}
        fields["description"] = {"type": "string"}
        item = {
            "type": "object",
            "properties": fields | dict.fromkeys(columns, number),
            "required": ["title", *columns],
            "additionalProperties": False,
        }
        names = {"pattern": "^[a-z0-9]+(_[a-z0-9]+)*$"}
        kinds[kind] = {"type": "object", "propertyNames": names, "additionalProperties": item}
    return freeze(
        {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": f"Rallypoint content pack, form {FORMAT}",
            "type": "object",
            "properties": head | kinds,
            "required": ["pack", "name"],
            "anyOf": [{"required": [kind]} for kind in KINDS],
            "additionalProperties": False,
        }
    )
