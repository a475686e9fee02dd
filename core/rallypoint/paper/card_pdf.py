"""The Platoon Card as PDF, drawn with fpdf2 (the extra ``pdf``).

The fonts that every reader of PDF has know only Western European letters. For all others a font is looked for on this
computer, or named by the caller; a sign that no font has is an error and never an empty box.
"""

from __future__ import annotations

import datetime as dt
import logging
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from rallypoint.kernel.encounter import Encounter
from rallypoint.kernel.errors import InputError

from .card import PLATOON_CARD, Block, Card, CardForm, UnitRow, cards
from .card_legend import legend

if TYPE_CHECKING:
    from fpdf import FPDF

__all__ = ["card_pdf", "fonts_here"]

_MARGIN = 10.0
_LINE = 4.6
_NEXT = 3.3
"""The height of each further line of a cell."""
_ORDER = 6.0
_BOXES = 5
"""Boxes for Wounds side by side."""
_MOST_LINES = 60
"""More lines of one cell would leave no room for another on a page."""
_NAMES = (
    "DejaVuSans.ttf",
    "NotoSans-Regular.ttf",
    "LiberationSans-Regular.ttf",
    "arial.ttf",
    "Arial.ttf",
    "Arial Unicode.ttf",
    "ARIALUNI.TTF",
    "NotoSansCJK-Regular.ttc",
    "NotoSansSC-Regular.otf",
    "NotoSansJP-Regular.otf",
    "msgothic.ttc",
    "msyh.ttc",
    "malgun.ttf",
    "simsun.ttc",
    "wqy-microhei.ttc",
    "unifont.otf",
)
"""Fonts with many letters, the common ones first."""
_EPOCH = dt.datetime(2000, 1, 1, tzinfo=dt.UTC)


def fonts_here() -> Iterator[Path]:
    """Yield the fonts of this computer that may be used, the common ones first."""
    home = Path.home()
    folders = [Path("/usr/share/fonts"), Path("/usr/local/share/fonts"), home / ".fonts", home / ".local/share/fonts"]
    if sys.platform == "win32":
        folders = [Path(os.environ.get("WINDIR", "C:/Windows")) / "Fonts"]
    elif sys.platform == "darwin":
        folders = [Path("/System/Library/Fonts"), Path("/Library/Fonts"), home / "Library/Fonts"]
    found: dict[str, Path] = {}
    for folder in folders:
        for root, _, names in os.walk(folder):
            for name in sorted(set(names) & set(_NAMES)):
                found.setdefault(name, Path(root) / name)
    yield from [found[name] for name in _NAMES if name in found]


def card_pdf(
    encounter: Encounter, form: CardForm = PLATOON_CARD, *, paper: str = "a4", font: str | Path | None = None
) -> bytes:
    """Return the cards of an encounter as a PDF; the same encounter gives the same bytes.

    Args:
        encounter: whose cards.
        form: what a card leaves room for.
        paper: ``a4`` or ``letter``.
        font: a TrueType or OpenType file to write with; otherwise one is chosen where it is needed.

    Raises:
        InputError: fpdf2 is not installed, the font cannot be used, or there is none for a sign.
    """
    try:
        from fpdf import FPDF
    except ImportError:
        hint = 'in the checkout, pipx install --force ".[pdf]" adds it; or write .html and print that'
        raise InputError("a card as PDF needs fpdf2", found="fpdf2 is not installed", hint=hint) from None
    for name in ("fontTools", "fpdf"):
        # What they remark on a font (its date, unknown tables) is nothing that a user could mend.
        logging.getLogger(name).addHandler(logging.NullHandler())
    pdf = FPDF(format=paper)
    pdf.core_fonts_encoding = "cp1252"
    pdf.set_creation_date(_EPOCH)
    pdf.set_margin(_MARGIN)
    pdf.set_auto_page_break(False)
    pdf.set_title(f"{encounter.title}: Platoon Card")
    made = cards(encounter, form)
    family = _family(pdf, "".join(word for card in made for word in _words(card)), font)
    for card in made:
        _CardPages(pdf, card, family).draw()
    return bytes(pdf.output())


def _words(card: Card) -> Iterator[str]:
    """Yield every text of a card that somebody may have written."""
    yield from (card.title, card.code, card.side, *card.stats, *[track.name for track in card.tracks])
    for block in card.blocks:
        for each in (block, *block.teams, *[deeper for team in block.teams for deeper in team.teams]):
            yield from (each.code, each.title, *each.vehicle)
            for unit in each.units:
                yield from (unit.name, unit.role, *unit.gear)
    for row in card.weapons:
        yield from (row.title, row.text, *row.numbers)


def _family(pdf: FPDF, words: str, font: str | Path | None) -> str:
    """Return the name of a font family that has every sign of ``words``."""
    signs = {sign for sign in words if sign.isprintable()}
    if font is None and all(_western(sign) for sign in signs):
        return "Helvetica"
    missing: set[str] = signs
    for path in [Path(font)] if font is not None else fonts_here():
        try:
            lacking = _lacking(path, signs)
            if not lacking:
                pdf.add_font("Card", "", path)
                bold = _bold(path)
                pdf.add_font("Card", "B", path if _lacking(bold, signs) else bold)
                return "Card"
        except Exception as error:
            if font is not None:
                raise InputError("this font cannot be used", path=str(path), found=str(error)) from error
            continue
        missing = min(missing, lacking, key=len)
    shown = " ".join(sorted(missing)[:12])
    raise InputError(
        "no font here has these signs",
        found=shown,
        hint="name one that has them: --font FILE.ttf; or write .html and print that",
    )


def _lacking(path: Path, signs: set[str]) -> set[str]:
    """Return the signs that a font does not have.

    Raises:
        ValueError: it is no font, which is looked at before the file is left to others.
        OSError: it cannot be read.
    """
    from fontTools.ttLib import TTFont  # type: ignore[import-untyped]

    with path.open("rb") as stream:
        if stream.read(4) not in (b"\0\1\0\0", b"OTTO", b"true", b"ttcf"):
            raise ValueError("not a TrueType or OpenType font")
    with TTFont(path, fontNumber=0, lazy=True) as font:
        known = font.getBestCmap() or {}
        return {sign for sign in signs if ord(sign) not in known}


def _western(sign: str) -> bool:
    try:
        sign.encode("cp1252")
    except UnicodeEncodeError:
        return False
    return True


def _bold(path: Path) -> Path:
    """Return the bold cut beside a font, or the font itself."""
    for name in (
        path.name.replace("-Regular", "-Bold"),
        f"{path.stem}-Bold{path.suffix}",
        f"{path.stem}bd{path.suffix}",
    ):
        if name != path.name and path.with_name(name).is_file():
            return path.with_name(name)
    return path


class _Cell(NamedTuple):
    """A framed cell: its width in mm and its words, in letters of ``size`` points."""

    width: float
    words: str
    size: float = 7.5
    bold: bool = False


class _Row(NamedTuple):
    """Cells side by side, at least ``least`` mm high; with a ``unit`` its boxes are drawn into the cells before the last."""

    cells: tuple[_Cell, ...]
    least: float = _LINE
    grey: bool = False
    unit: UnitRow | None = None


class _CardPages:
    """Draws one card, from the top of a page of its own. Words that do not fit on a line go on in the next."""

    def __init__(self, pdf: FPDF, card: Card, family: str) -> None:
        self.pdf = pdf
        self.card = card
        self.family = family
        self.width = pdf.w - 2 * _MARGIN

    def draw(self) -> None:
        pdf, card = self.pdf, self.card
        pdf.add_page()
        self.heading(f"{card.title} ({card.code})" if card.code else card.title, 15)
        fill = "____________________"
        self.line(
            f"{card.side}: {len(list(card.units))} units.   Date: {fill}   Opponent: {fill}   Rally Points: {fill}"
        )
        for track in card.tracks:
            self.track(track.name, track.value, range(track.low, track.high + 1))
        for block in card.blocks:
            self.squad(block)
        self.foot()

    def room(self, height: float) -> None:
        """Begin a new page where there is less room than ``height`` left, unless this one is still empty."""
        if self.pdf.get_y() + height > self.pdf.h - _MARGIN and self.pdf.get_y() > _MARGIN + 1:
            self.pdf.add_page()

    def lines(self, cell: _Cell, most: int = _MOST_LINES) -> list[str]:
        """Return the words of a cell line by line, and leave its font set.

        A word that is wider than the cell makes the letters smaller, down to three quarters; a still longer one is parted.
        What is more than ``most`` lines, a whole page of them, is cut.
        """
        pdf, size = self.pdf, cell.size
        words = cell.words.split()
        pdf.set_font(self.family, "B" if cell.bold else "", size)
        inside = cell.width - 2 * pdf.c_margin
        while size > cell.size * 0.75 and any(pdf.get_string_width(word) > inside for word in words):
            size -= 0.25
            pdf.set_font_size(size)
        made = pdf.multi_cell(cell.width, _LINE, cell.words, dry_run=True, output="LINES", align="L")
        assert isinstance(made, list)
        if self.family == "Helvetica":  # its lines come back byte by byte, as they are to be written
            made = [line.encode("latin-1").decode("cp1252") for line in made]
        return made if len(made) <= most else [*made[: most - 1], f"{made[most - 1][:-3]}..."]

    def paragraph(self, cell: _Cell, height: float) -> None:
        """Write words without a frame, each line ``height`` mm high."""
        for line in self.lines(cell, _MOST_LINES // 5):
            self.room(height)
            self.pdf.cell(cell.width, height, line, new_x="LMARGIN", new_y="NEXT")

    def heading(self, words: str, size: float) -> None:
        self.paragraph(_Cell(self.width, words, size, bold=True), size * 0.5)

    def line(self, words: str, size: float = 8) -> None:
        self.paragraph(_Cell(self.width, words, size), size * 0.55)
        self.pdf.ln(0.8)

    def height(self, row: _Row) -> float:
        """Return how high a row must be."""
        most = max(len(self.lines(cell)) for cell in row.cells)
        boxes = 1 if row.unit is None or not self.card.wounds else max(-(-row.unit.most // _BOXES), 1)
        return row.least + max((most - 1) * _NEXT, (boxes - 1) * _LINE)

    def row(self, row: _Row) -> None:
        """Draw a row, on the next page if need be."""
        height = self.height(row)
        self.room(height)
        pdf = self.pdf
        x, y = pdf.get_x(), pdf.get_y()
        if row.unit is not None:
            self.boxes(row.unit, x + sum(self.columns[:-2]), y)
        pdf.set_fill_color(236)
        for cell in row.cells:
            pdf.rect(x, y, cell.width, height, style="DF" if row.grey else "D")
            for number, line in enumerate(self.lines(cell)):
                pdf.set_xy(x, y + (row.least - _LINE) / 2 + number * _NEXT)
                pdf.cell(cell.width, _LINE, line)
            x += cell.width
        pdf.set_xy(_MARGIN, y + height)

    def track(self, name: str, value: int, numbers: range) -> None:
        """Draw a tracker: a cell a number, the present one white on black."""
        wide, pdf = 18.0, self.pdf
        for start in range(0, len(numbers), 21):
            label = _Row((_Cell(wide, name, 8, bold=True),), 5)
            height = self.height(label)
            self.room(height)
            y = pdf.get_y()
            self.row(label)
            pdf.set_xy(_MARGIN + wide, y)
            each = (self.width - wide) / 21
            for number in numbers[start : start + 21]:
                here = number == value
                pdf.set_font(self.family, "B" if here else "", 8)
                pdf.set_fill_color(26)
                pdf.set_text_color(255 if here else 26)
                pdf.cell(each, height, str(number), border=1, align="C", fill=here)
            pdf.set_text_color(26)
            pdf.set_xy(_MARGIN, y + height)

    # Squads

    @property
    def columns(self) -> list[float]:
        """The widths: unit, class, each stat, Wounds (where there are any to write down), mark, gear."""
        fixed = [38.0, 17.0, *[9.0] * len(self.card.stats), *[18.0] * self.card.wounds, 15.0]
        return [*fixed, max(self.width - sum(fixed), 40.0)]

    def squad(self, block: Block) -> None:
        blocks = [block, *block.teams, *[deeper for team in block.teams for deeper in team.teams]]
        rows = [self.head()]
        for each in blocks:
            rows += [] if each is block else [self.order(each)]
            rows += [self.unit(unit) for unit in each.units]
        rows += [self.blank(["Code Word:"] * block.code_words)] if block.code_words else []
        rows += [self.blank([f"Order to {block.code or block.title}:"])] if self.card.orders else []
        self.room(min(8 + sum(map(self.height, rows)), self.pdf.h - 2 * _MARGIN))
        self.pdf.ln(1.5)
        self.heading(block.name, 10.5)
        for row in rows:
            self.row(row)

    def head(self) -> _Row:
        short = self.card.form.short
        stats = [short.get(name, name) for name in self.card.stats]
        wounds = [short.get("Wounds", "Wounds")] if self.card.wounds else []
        words = ["Unit", "Class", *stats, *wounds, self.card.form.mark, "Armor and weapons"]
        cells = [_Cell(width, each, bold=True) for width, each in zip(self.columns, words, strict=True)]
        return _Row(tuple(cells), grey=True)

    def order(self, team: Block) -> _Row:
        vehicle = f" in {', '.join(team.vehicle)}" if team.vehicle else ""
        if not self.card.orders:
            return _Row((_Cell(self.width, team.name + vehicle, bold=True),))
        wide = sum(self.columns[:2]) + 9.0 * len(self.card.stats)
        name = _Cell(wide, team.name + vehicle, bold=True)
        return _Row((name, _Cell(self.width - wide, "Order:", 6.5)), _ORDER)

    def blank(self, words: list[str]) -> _Row:
        """Return cells to write in."""
        return _Row(tuple([_Cell(self.width / len(words), label, 6.5) for label in words]), _ORDER)

    def unit(self, unit: UnitRow) -> _Row:
        stats = [unit.shown(name) for name in self.card.stats]
        wounds = [""] if self.card.wounds else []
        words = [f"{unit.number} {unit.name}", unit.role, *stats, *wounds, "", "\n".join(unit.gear)]
        return _Row(tuple([_Cell(*each) for each in zip(self.columns, words, strict=True)]), unit=unit)

    def boxes(self, unit: UnitRow, mark: float, y: float) -> None:
        """Draw a box for a mark into the cell that begins at ``mark``, and one for each Wound into the one before it."""
        for number in range(unit.most if self.card.wounds else 0):
            down, across = divmod(number, _BOXES)
            self.box(mark - self.columns[-3] + 1.2 + across * 3.3, y + 1 + down * _LINE, full=number < unit.taken)
        self.box(mark + self.columns[-2] / 2 - 1.3, y + 1, full=False)

    def box(self, x: float, y: float, *, full: bool) -> None:
        self.pdf.rect(x, y, 2.6, 2.6)
        if full:
            self.pdf.line(x, y, x + 2.6, y + 2.6)
            self.pdf.line(x, y + 2.6, x + 2.6, y)

    # The foot

    def foot(self) -> None:
        card = self.card
        self.room(16)
        self.pdf.ln(1.5)
        if card.form.code_words:
            self.heading("Code Words that everybody knows", 10.5)
            self.line("; ".join(f"{word}: {meaning}" for word, meaning in card.form.code_words) + ".")
        if card.weapons:
            self.weapons(card)
        self.legend("; ".join(f"{word}: {meaning}" for word, meaning in legend(card)))

    def legend(self, words: str) -> None:
        """Write what the short words stand for, small, in as many lines as it takes."""
        if words:
            cell = _Cell(self.width, f"{words}.", 6.5)
            self.room(1 + 2.9 * len(self.lines(cell)))
            self.pdf.ln(1)
            self.paragraph(cell, 2.9)

    def weapons(self, card: Card) -> None:
        columns = list(dict.fromkeys(name for row in card.weapons for name in row.numbers))
        widths = [40.0, *[9.0 if len(name) < 5 else 13.0 for name in columns]]
        widths.append(self.width - sum(widths))
        head = [_Cell(*each, bold=True) for each in zip(widths, ["Weapon", *columns, "What it does"], strict=True)]
        rows = [_Row(tuple(head), grey=True)]
        for each in card.weapons:
            words = [each.title, *[each.shown(name) for name in columns], each.text]
            rows.append(_Row(tuple([_Cell(*cell) for cell in zip(widths, words, strict=True)])))
        self.room(min(8 + sum(map(self.height, rows)), self.pdf.h - 2 * _MARGIN))
        self.heading("Weapons", 10.5)
        for row in rows:
            self.row(row)
