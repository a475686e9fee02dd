"""The Platoon Card as PDF, drawn with fpdf2 (the extra ``pdf``).

The fonts that every reader of PDF has know only Western European letters. For all others a font is looked for on this
computer, or named by the caller; a sign that no font has is an error and never an empty box.
"""

from __future__ import annotations

import datetime as dt
import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from rallypoint.kernel.encounter import Encounter
from rallypoint.kernel.errors import InputError

from .card import PLATOON_CARD, Block, Card, CardForm, UnitRow, cards

if TYPE_CHECKING:
    from fpdf import FPDF

__all__ = ["card_pdf", "fonts_here"]

_MARGIN = 10.0
_LINE = 4.6
_ORDER = 6.0
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
        hint = 'pip install "rallypoint[pdf]", or write .html and print that'
        raise InputError("a card as PDF needs fpdf2", found="fpdf2 is not installed", hint=hint) from None
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
                yield from (unit.name, unit.role, *unit.wears, *unit.weapons)
    for row in card.weapons:
        yield from (row.title, row.text, *row.numbers)


def _family(pdf: FPDF, words: str, font: str | Path | None) -> str:
    """Return the name of a font family that has every sign of ``words``."""
    signs = {sign for sign in words if sign.isprintable()}
    if font is None and all(_western(sign) for sign in signs):
        return "Helvetica"
    from fpdf.fonts import TTFFont

    missing: set[str] = signs
    for path in [Path(font)] if font is not None else fonts_here():
        try:
            _check_is_font(path)
            pdf.add_font("Card", "", path)
            pdf.add_font("Card", "B", _bold(path))
        except Exception as error:
            if font is not None:
                raise InputError("this font cannot be used", path=str(path), found=str(error)) from error
            continue
        written = pdf.fonts["card"]
        lacking = {sign for sign in signs if ord(sign) not in written.cmap} if isinstance(written, TTFFont) else signs
        if not lacking:
            return "Card"
        missing = min(missing, lacking, key=len)
    shown = " ".join(sorted(missing)[:12])
    raise InputError(
        "no font here has these signs",
        found=shown,
        hint="name one that has them: --font FILE.ttf; or write .html and print that",
    )


def _check_is_font(path: Path) -> None:
    """Look at a file before fpdf2 does, which would leave one open that is no font.

    Raises:
        ValueError: it is none.
        OSError: it cannot be read.
    """
    with path.open("rb") as stream:
        if stream.read(4) not in (b"\0\1\0\0", b"OTTO", b"true", b"ttcf"):
            raise ValueError("not a TrueType or OpenType font")


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


class _CardPages:
    """Draws one card, from the top of a page of its own."""

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

    def font(self, size: float, bold: bool = False) -> None:
        self.pdf.set_font(self.family, "B" if bold else "", size)

    def room(self, height: float) -> None:
        """Begin a new page where there is less room than ``height`` left, unless this one is still empty."""
        if self.pdf.get_y() + height > self.pdf.h - _MARGIN and self.pdf.get_y() > _MARGIN + 1:
            self.pdf.add_page()

    def heading(self, words: str, size: float) -> None:
        self.font(size, bold=True)
        self.pdf.cell(self.width, size * 0.5, self.fit(words, self.width), new_x="LMARGIN", new_y="NEXT")

    def line(self, words: str, size: float = 8) -> None:
        self.font(size)
        self.pdf.cell(self.width, size * 0.55, self.fit(words, self.width), new_x="LMARGIN", new_y="NEXT")
        self.pdf.ln(0.8)

    def fit(self, words: str, most: float) -> str:
        """Return words that are not wider than ``most``: in smaller letters, down to three quarters, then cut."""
        most -= 2 * self.pdf.c_margin
        least = self.pdf.font_size_pt * 0.75
        while self.pdf.get_string_width(words) > most and self.pdf.font_size_pt - 0.25 >= least:
            self.pdf.set_font_size(self.pdf.font_size_pt - 0.25)
        if self.pdf.get_string_width(words) <= most:
            return words
        while words and self.pdf.get_string_width(words + "...") > most:
            words = words[:-1]
        return words.rstrip() + "..."

    def cells(self, row: Iterable[tuple[float, str]], height: float, *, grey: bool = False, bold: bool = False) -> None:
        """Draw a row of framed cells, each with its width and words."""
        self.pdf.set_fill_color(236)
        for width, words in row:
            self.font(7.5, bold=bold)
            self.pdf.cell(width, height, self.fit(words, width), border=1, fill=grey)
        self.pdf.ln(height)

    def track(self, name: str, value: int, numbers: range) -> None:
        """Draw a tracker: a cell a number, the present one white on black."""
        wide = 18.0
        for start in range(0, len(numbers), 21):
            part = numbers[start : start + 21]
            self.font(8, bold=True)
            self.pdf.cell(wide, 5, self.fit(name, wide), border=1)
            each = (self.width - wide) / 21
            for number in part:
                here = number == value
                self.font(8, bold=here)
                self.pdf.set_fill_color(26)
                self.pdf.set_text_color(255 if here else 26)
                self.pdf.cell(each, 5, str(number), border=1, align="C", fill=here)
            self.pdf.set_text_color(26)
            self.pdf.ln(5)

    # Squads

    @property
    def columns(self) -> list[float]:
        """The widths: unit, class, each stat, Wounds, mark, gear."""
        fixed = [38.0, 17.0, *[9.0] * len(self.card.stats), 18.0, 15.0]
        return [*fixed, max(self.width - sum(fixed), 40.0)]

    def squad(self, block: Block) -> None:
        blocks = [block, *block.teams, *[deeper for team in block.teams for deeper in team.teams]]
        height = (
            12 + sum(_LINE * self.lines(unit) for each in blocks for unit in each.units) + _ORDER * (len(blocks) + 1)
        )
        self.room(min(height, self.pdf.h - 2 * _MARGIN))
        self.pdf.ln(1.5)
        self.heading(block.name, 10.5)
        short = self.card.form.short
        stats = [short.get(name, name) for name in self.card.stats]
        head = ["Unit", "Class", *stats, short.get("Wounds", "Wounds"), self.card.form.mark, "Armor and weapons"]
        self.cells(zip(self.columns, head, strict=True), _LINE, grey=True, bold=True)
        for each in blocks:
            if each is not block:
                self.order(each)
            for unit in each.units:
                self.unit(unit)
        if block.code_words:
            self.blank(["Code Word:"] * block.code_words)
        self.blank([f"Order to {block.code or block.title}:"])

    def order(self, team: Block) -> None:
        self.room(_ORDER + _LINE)
        vehicle = f" in {', '.join(team.vehicle)}" if team.vehicle else ""
        wide = sum(self.columns[:2]) + 9.0 * len(self.card.stats)
        self.font(7.5, bold=True)
        self.pdf.cell(wide, _ORDER, self.fit(team.name + vehicle, wide), border=1)
        self.blank(["Order:"], self.width - wide)

    def blank(self, words: list[str], width: float | None = None) -> None:
        """Draw cells to write in."""
        self.room(_ORDER)
        each = (self.width if width is None else width) / len(words)
        for label in words:
            self.font(6.5)
            self.pdf.cell(each, _ORDER, self.fit(label, each), border=1)
        self.pdf.ln(_ORDER)

    def gear(self, unit: UnitRow) -> str:
        return ", ".join([*unit.wears, *unit.weapons]) or "-"

    def lines(self, unit: UnitRow) -> int:
        """Return how many lines a unit's gear takes."""
        self.font(7.5)
        made = self.pdf.multi_cell(self.columns[-1], _LINE, self.gear(unit), dry_run=True, output="LINES")
        assert isinstance(made, list)
        return max(len(made), -(-unit.most // 5), 1)

    def unit(self, unit: UnitRow) -> None:
        height = _LINE * self.lines(unit)
        self.room(height)
        pdf, widths = self.pdf, self.columns
        stats = [unit.shown(name) for name in self.card.stats]
        x, y = pdf.get_x(), pdf.get_y()
        self.cells(zip(widths, [f"{unit.number} {unit.name}", unit.role, *stats, "", "", ""], strict=True), height)
        at = x + sum(widths[:-3])
        for number in range(unit.most):
            down, across = divmod(number, 5)
            self.box(at + 1.2 + across * 3.3, y + 1 + down * _LINE, full=number < unit.taken)
        self.box(at + widths[-3] + widths[-2] / 2 - 1.3, y + 1, full=False)
        pdf.set_xy(x + sum(widths[:-1]), y)
        self.font(7.5)
        pdf.multi_cell(widths[-1], _LINE, self.gear(unit), align="L", new_x="LMARGIN", new_y="NEXT")
        pdf.set_xy(_MARGIN, y + height)

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
        self.heading("Code Words that everybody knows", 10.5)
        self.line("; ".join(f"{word}: {meaning}" for word, meaning in card.form.code_words) + ".")
        if not card.weapons:
            return
        columns = list(dict.fromkeys(name for row in card.weapons for name in row.numbers))
        widths = [40.0, *[9.0] * len(columns)]
        widths.append(self.width - sum(widths))
        self.font(7.5)
        self.room(12 + _LINE * sum(self.text_lines(row.text, widths[-1]) for row in card.weapons))
        self.heading("Weapons", 10.5)
        self.cells(zip(widths, ["Weapon", *columns, "What it does"], strict=True), _LINE, grey=True, bold=True)
        for row in card.weapons:
            height = _LINE * self.text_lines(row.text, widths[-1])
            self.room(height)
            x, y = self.pdf.get_x(), self.pdf.get_y()
            self.cells(zip(widths, [row.title, *[row.shown(name) for name in columns], ""], strict=True), height)
            self.pdf.set_xy(x + sum(widths[:-1]), y)
            self.font(7.5)
            self.pdf.multi_cell(widths[-1], _LINE, row.text, align="L", new_x="LMARGIN", new_y="NEXT")
            self.pdf.set_xy(_MARGIN, y + height)

    def text_lines(self, words: str, width: float) -> int:
        self.font(7.5)
        made = self.pdf.multi_cell(width, _LINE, words, dry_run=True, output="LINES")
        assert isinstance(made, list)
        return max(len(made), 1)
