"""Pages of equipment in Markdown, as the contributors of Disrupter write them.

A heading names the item; a table with one row holds its numbers; a table below it describes it, a sentence a row. Both may
stand in block quotes, cells may hold links and bold type, and a description may be glued to the numbers. A sentence may also
be the machine name of a trait: ``recharge(2)``. The columns say
what it is: ``T C M L Max`` a weapon, ``A M C Cap Weapon Slots`` a vehicle, ``A W M`` armour or a bot, for which a heading
above (or the file's name) must tell.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from .catalogue import Catalogue, Item, Kind, machine_name
from .content import Content, Entry, LeftOut, Unknown, note_trait
from .content_pack import freeze_numbers
from .markdown_tables import Heading, PageTable, TableRow, page_parts
from .problems import Problems
from .sentences import traits_of

__all__ = ["read_equipment_page"]

_DESCRIPTION = ("description", "descriptions", "effect", "effects")
_COLUMNS = {"weaponslots": "Slots", "slots": "Slots", "capacity": "Cap", "crew": "C"}
_SECTIONS: Mapping[str, Kind] = {
    "armor": "armor",
    "armour": "armor",
    "armors": "armor",
    "armours": "armor",
    "bot": "bot",
    "bots": "bot",
    "robots": "bot",
    "weapons": "weapon",
    "vehicles": "vehicle",
}
_PARTED = re.compile(r"(?P<number>[0-9]{1,4})\s*(?:\((?P<word>[A-Za-z]+)\))?")
_STRAY = " \t>|<"


class _Draft(NamedTuple):
    """An item whose numbers are read, and the sentences that came so far."""

    kind: Kind
    heading: Heading
    line: int
    numbers: dict[str, int | None]
    traits: list[str]
    sentences: list[tuple[int, str]]


def read_equipment_page(text: str, path: str, catalogue: Catalogue, name: str) -> Content:
    """Return the content of a page.

    Args:
        text: the page.
        path: names it in errors.
        catalogue: the game's: its columns, and the sentences that it knows.
        name: the file's name without suffix: it tells armour from bots where no heading does.

    Raises:
        PageError: a table of equipment is not right; it holds every problem with its line.
    """
    page = _Page(path, catalogue, name)
    for part in page_parts(text):
        page.take(part)
    page.problems.check()
    return page.content()


class _Page:
    def __init__(self, path: str, catalogue: Catalogue, name: str) -> None:
        self.path = path
        self.catalogue = catalogue
        self.name = name
        self.problems = Problems(path)
        self.drafts: list[_Draft] = []
        self.left_out: list[LeftOut] = []
        self.headings: list[Heading] = []
        self._open: _Draft | None = None

    def take(self, part: Heading | PageTable) -> None:
        """Read one heading or table."""
        if isinstance(part, Heading):
            self.headings = [above for above in self.headings if above.level < part.level] + [part]
            self._open = None
            return
        head = [cell.strip(_STRAY) for cell in part.rows[0].cells]
        if _is_description(part.rows[0]):
            self.describe(part.rows[0].line, part.rows[1:])
            return
        kind = self.kind_of(head)
        if kind is not None:
            self.numbers(part, head, kind)
            return
        near = self.nearly(head)
        if near is not None:
            columns = " ".join(self.catalogue.columns[near])
            self.problems.add(
                f"wrong columns for a {near}",
                part.rows[0].line,
                found=" ".join(head),
                expected=columns.replace("Slots", "Weapon Slots"),
            )
            return
        title = self.headings[-1].text if self.headings else "no heading"
        why = "a table of something else, not read"
        self.left_out.append(LeftOut(self.path, part.rows[0].line, f"{' '.join(head)} under {title}", why))

    # Which kind

    def kind_of(self, head: Sequence[str]) -> Kind | None:
        columns = tuple(_column(cell) for cell in head)
        fits = [kind for kind in self.catalogue.columns if kind != "class" and self.catalogue.columns[kind] == columns]
        if len(fits) < 2:
            return fits[0] if fits else None
        for title in (*[heading.text for heading in reversed(self.headings)], self.name):
            words = re.findall(r"[a-z]+", title.casefold())
            found = {_SECTIONS[word] for word in words[-1:] if word in _SECTIONS} & set(fits)
            if len(found) == 1:
                return found.pop()
        line = self.headings[-1].line if self.headings else 1
        names = " or ".join(f"'# {'Armor' if kind == 'armor' else 'Bots'}'" for kind in fits)
        self.problems.add("armor or bots", line, found=" ".join(head), expected=f"a heading {names} above")
        return fits[0]

    def nearly(self, head: Sequence[str]) -> Kind | None:
        """Return the kind that wrong columns were meant for, or ``None`` where the table is about something else."""
        columns = [_column(cell) for cell in head]
        best: tuple[float, Kind] | None = None
        for kind, wanted in self.catalogue.columns.items():
            if kind != "class":
                ratio = difflib.SequenceMatcher(None, columns, list(wanted)).ratio()
                best = max(best or (0.0, kind), (ratio, kind), key=lambda pair: pair[0])
        return best[1] if best is not None and best[0] >= 0.5 else None

    # Numbers

    def numbers(self, table: PageTable, head: Sequence[str], kind: Kind) -> None:
        line = table.rows[0].line
        if not self.headings:
            self.problems.add(
                "a table without a heading", line, found=" ".join(head), expected="the item's name above it"
            )
            return
        heading = self.headings[-1]
        if self._open is not None or any(draft.heading is heading for draft in self.drafts):
            expected = "a heading for each item"
            self.problems.add("a second table under one heading", line, found=heading.text, expected=expected)
            return
        rows = [row for row in table.rows[1:] if any(cell.strip(_STRAY) for cell in row.cells)]
        values = next((row for row in rows if not _is_description(row)), None)
        if values is None or _is_description(rows[0]):
            self.problems.add("a table without its row of numbers", line, found=heading.text, expected="one row")
            return
        draft = _Draft(kind, heading, line, {}, [], [])
        self.drafts.append(draft)
        self._open = draft
        self.cells(values, head, draft)
        rest = rows[1:]
        if rest and _is_description(rest[0]):
            self.describe(rest[0].line, [row for row in rest[1:] if not _is_rule(row)])
        elif rest:
            found = " ".join(rest[0].cells)
            self.problems.add("a second row of numbers", rest[0].line, found=found, expected="one row for each item")

    def cells(self, row: TableRow, head: Sequence[str], draft: _Draft) -> None:
        if len(row.cells) != len(head):
            found = f"{len(row.cells)} cells: {' '.join(row.cells)}"
            self.problems.add(
                "a row that does not fit the columns", row.line, found=found, expected=f"{len(head)} cells"
            )
            return
        for name, cell in zip(head, row.cells, strict=True):
            self.cell(_column(name), cell.strip(_STRAY), row.line, draft)

    def cell(self, column: str, text: str, line: int, draft: _Draft) -> None:
        parted = _PARTED.fullmatch(text)
        if parted is not None and parted["word"] is None:
            draft.numbers[column] = int(parted["number"])
        elif parted is not None and parted["word"].casefold() in ("throw", "thrown") and column == "Max":
            draft.numbers[column] = int(parted["number"])
            draft.traits.append("thrown")
        elif text.casefold() in ("infinite", "infinity", "\u221e") and column == "Max":
            draft.numbers[column] = None
        elif text.casefold() in ("n/a", "n.a.") and column == "Slots":
            draft.numbers[column] = 0
        else:
            draft.numbers[column] = 0
            more = {"Max": ", Infinite, or 2 (Throw)", "Slots": ", or N/A"}.get(column, "")
            expected = f"a whole number from 0{more}"
            self.problems.add(f"this is no number for {column}", line, found=text or "an empty cell", expected=expected)

    # Descriptions

    def describe(self, line: int, rows: Sequence[TableRow]) -> None:
        if self._open is None:
            found = self.headings[-1].text if self.headings else "no heading"
            expected = "the table of its numbers above it"
            self.problems.add("a description of nothing", line, found=found, expected=expected)
            return
        for row in rows:
            text = " ".join(cell.strip(_STRAY) for cell in row.cells if cell.strip(_STRAY)).strip()
            if text:
                self._open.sentences.append((row.line, text))

    # All

    def content(self) -> Content:
        unknown: list[Unknown] = []
        entries = [Entry(self.item(draft, unknown), self.path, draft.heading.line) for draft in self.drafts]
        if not self.drafts and not self.left_out:
            self.left_out.append(LeftOut(self.path, None, self.name, "no table of equipment"))
        self.problems.check()
        sentences = sum(len(draft.sentences) for draft in self.drafts)
        return Content((self.path,), tuple(entries), tuple(self.left_out), tuple(unknown), sentences)

    def item(self, draft: _Draft, unknown: list[Unknown]) -> Item:
        title = draft.heading.text
        if "," in title:
            self.problems.add("a name with a comma", draft.heading.line, found=title, expected="a name without commas")
        traits = [*self.implied(draft), *draft.traits]
        mounts: list[str] = []
        kept: list[str] = []
        known = self.catalogue.traits()
        for line, text in draft.sentences:
            given = traits_of(text, self.catalogue.sentences)
            if given is None and (
                text in known or re.fullmatch(r"[a-z]+(?:_[a-z]+)*\([^()]*\)|[a-z]+(?:_[a-z]+)+", text)
            ):
                given = (text,)
                if not note_trait(text, line, None, known, self.problems):
                    given = None
            if given is None:
                unknown.append(Unknown(self.path, line, title, text))
                kept.append(text)
                continue
            for trait in given:
                if trait.startswith("mounts("):
                    mounts.append(trait[7:-1])
                else:
                    traits.append(trait)
        key = machine_name(title)
        numbers = {column: draft.numbers.get(column, 0) for column in self.catalogue.columns[draft.kind]}
        rule = f"{self.name}:{key}"
        unique = tuple(dict.fromkeys(traits))
        return Item(
            draft.kind, key, title, rule, freeze_numbers(numbers), unique, (), None, tuple(mounts), ". ".join(kept)
        )

    def implied(self, draft: _Draft) -> Iterator[str]:
        """Yield the traits that the kind gives, and numbers above 0."""
        yield from self.catalogue.sentences.get(f"kind {draft.kind}", ())
        for column, value in draft.numbers.items():
            if value is None or value > 0:
                yield from self.catalogue.sentences.get(f"column {draft.kind} {column}", ())


def _column(cell: str) -> str:
    word = re.sub(r"\s+", "", cell).strip("*_>").casefold()
    plain = {name.casefold(): name for name in ("T", "C", "M", "L", "Max", "A", "W", "Cap", "Slots")}
    return _COLUMNS.get(word) or plain.get(word) or cell


def _is_description(row: TableRow) -> bool:
    words = [cell.strip(_STRAY + "*_").casefold() for cell in row.cells if cell.strip(_STRAY)]
    return len(words) == 1 and words[0] in _DESCRIPTION


def _is_rule(row: TableRow) -> bool:
    """Say whether a row is the line of hyphens below a head that was glued to another table."""
    return all(set(cell.strip()) <= set(":-") for cell in row.cells)
