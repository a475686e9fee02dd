"""The Platoon Card (D-PC-1): everybody on it once, as many boxes as Wounds, room for Orders and Code Words, in four forms."""

from __future__ import annotations

import re
import warnings
import zlib
from collections import Counter
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from rallypoint.kernel.encounter import Encounter, Sheet
from rallypoint.kernel.errors import InputError
from rallypoint.kernel.parts import Tracker
from rallypoint.kernel.state import Entity, State
from rallypoint.paper.card import CardForm, cards
from rallypoint.paper.card_html import card_document, card_fragment, card_pages
from rallypoint.paper.card_markdown import card_markdown
from rallypoint.paper.card_pdf import card_pdf, fonts_here

from .pictures import EMPTY_WORDS, contrast, small, starter, wounded

PLATOON = starter(with_optional=True)
UNITS = {entity.uid: entity for entity in PLATOON.state if entity.role == "unit"}
EMPTY, FULL = "\u2610", "\u2612"

# The starter platoon with its boats, from rules 13 to 15: (class, I, A, W, M) of the units of each team in their order.
CO = ("CO", 80, 60, 2, 1)
NCO = ("NCO", 80, 80, 3, 2)
DRESSED = ("Soldier", 60, 80, 3, 2)
SOLDIER = ("Soldier", 60, 60, 2, 1)
BOT = ("Bot", 40, 80, 1, 2)
TEAMS = {
    "R-0A": [CO, DRESSED, DRESSED, BOT],
    **{
        f"R-{squad}{letter}": units
        for squad in (1, 2)
        for letter, units in (
            ("A", [NCO, SOLDIER, SOLDIER, SOLDIER]),
            ("B", [SOLDIER, BOT, BOT, BOT]),
            ("C", [DRESSED, BOT, BOT, BOT]),
        )
    },
    "R-3A": [NCO, BOT, BOT, BOT],
    "R-3B": [SOLDIER, BOT, BOT, BOT],
}


class Table(HTMLParser):
    """Reads the rows of an HTML document, and whether its tags are closed in order."""

    VOID = ("meta", "br")

    def __init__(self, html: str) -> None:
        super().__init__()
        self.rows: list[tuple[str, list[str]]] = []
        self.open: list[str] = []
        self.tags: Counter[str] = Counter()
        self.cell = False
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        if tag not in self.VOID:
            self.open.append(tag)
        if tag == "tr":
            self.rows.append((dict(attrs).get("data-uid") or "", []))
        if tag in ("td", "th"):
            self.rows[-1][1].append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "td" in self.open or "th" in self.open:
            self.rows[-1][1][-1] += data

    def unit(self, uid: str) -> list[str]:
        (found,) = [cells for row, cells in self.rows if row == uid]
        return found


HTML = card_document(PLATOON)
TABLE = Table(HTML)
MARKDOWN = card_markdown(PLATOON)


def test_the_rules_tables_say_what_the_force_is() -> None:
    """36 units: 1 CO, 3 NCOs, 13 Soldiers, 19 Bots."""
    classes = Counter(unit[0] for team in TEAMS.values() for unit in team)
    assert classes == {"CO": 1, "NCO": 3, "Soldier": 13, "Bot": 19}
    assert len(UNITS) == 36


@pytest.mark.rule("D-PC-1")
def test_every_unit_stands_on_the_card_once() -> None:
    assert Counter(uid for uid, _ in TABLE.rows if uid) == Counter(dict.fromkeys(UNITS, 1))
    (card,) = cards(PLATOON)
    assert [unit.uid for unit in card.units] == list(UNITS)


def test_class_stats_and_boxes_are_those_of_the_tables() -> None:
    for code, expected in TEAMS.items():
        uids = [uid for uid in UNITS if PLATOON.sheets[uid].code == code]
        for number, (uid, (kind, instinct, armor, wounds, movement)) in enumerate(zip(uids, expected, strict=True), 1):
            unit, role, *stats, boxes, spotted, _ = TABLE.unit(uid)
            assert unit == f"{number} {PLATOON.sheets[uid].name}"
            assert role == kind
            assert stats == [str(instinct), str(armor), str(movement)]
            assert boxes == EMPTY * wounds
            assert spotted == EMPTY


def test_gear_is_named_as_people_call_it() -> None:
    gear = [cells[-1] for uid, cells in TABLE.rows if uid]
    assert gear[0] == "Combat Armor, Revolver"
    assert gear[4] == "Battle Dress, Pulse Rifle, Grenade Launcher, Revolver"
    assert gear[-4] == "Combat Armor, Pulse Rifle, Rocket Launcher"
    assert gear.count("Basic Battlefield Robot, Laser Carbine") == 8 + 6


def test_the_head_names_the_columns() -> None:
    assert ["Unit", "Class", "I", "A", "M", "W", "Spotted", "Armor and weapons"] in [cells for _, cells in TABLE.rows]


def test_stress_goes_from_0_to_20_with_its_place_marked() -> None:
    """D-R8.1."""
    (track,) = [cells for _, cells in TABLE.rows if cells[0] == "Stress"]
    assert track == ["Stress", "[0]", *[str(number) for number in range(1, 21)]]
    entities = [
        entity._replace(trackers={"Stress": Tracker(7, 0, 20, "up")}) if entity.role == "platoon" else entity
        for entity in PLATOON.state
    ]
    table = Table(card_document(PLATOON._replace(state=State.of(entities))))
    (track,) = [cells for _, cells in table.rows if cells[0] == "Stress"]
    assert [cell for cell in track if "[" in cell] == ["[7]"]


@pytest.mark.rule("D-PC-1")
def test_there_is_room_for_orders_of_every_squad_and_team() -> None:
    """D-R9.11, D-R4.2."""
    cells = [cell for _, row in TABLE.rows for cell in row]
    assert cells.count("Order:") == 9
    assert [cell for cell in cells if cell.startswith("Order to")] == [f"Order to R-{squad}:" for squad in range(4)]


def test_each_nco_has_four_code_words_besides_those_that_all_have() -> None:
    """D-R10.3, D-R10.4."""
    assert [row for _, row in TABLE.rows if row[0] == "Code Word:"] == [["Code Word:"] * 4] * 3
    for word in ("Halt", "Rally", "Retreat", "Resume"):
        assert HTML.count(f"<b>{word}</b>") == 1


def test_structure_is_told_in_its_order() -> None:
    heads = re.findall(r"<h2>(.*?)</h2>", HTML)
    assert heads[:4] == [
        "R-0  Squad 0 - Command",
        "R-1  Squad 1 - Infantry",
        "R-2  Squad 2 - Infantry",
        "R-3  Squad 3 - Inflatable Boats",
    ]
    teams = [row[0] for _, row in TABLE.rows if len(row) == 2 and row[1] == "Order:"]
    assert [team.split()[0] for team in teams] == list(TEAMS)
    assert teams[-1] == "R-3B  Squad 3, Boat B in Inflatable Raft"


def test_the_weapons_that_the_platoon_has_are_listed_once_with_their_numbers() -> None:
    """Rules 16."""
    start = [row for _, row in TABLE.rows].index(["Weapon", "T", "C", "M", "L", "Max", "What it does"])
    rows = {row[0]: row[1:6] for _, row in TABLE.rows[start + 1 :]}
    assert rows == {
        "Revolver": ["0", "1", "1", "1", "3"],
        "Pulse Rifle": ["0", "2", "2", "1", "4"],
        "Grenade Launcher": ["2", "1", "0", "0", "3"],
        "Laser Cutter": ["0", "10", "10", "10", "any"],
        "Flamethrower": ["0", "3", "0", "0", "1"],
        "Laser Carbine": ["0", "1", "2", "1", "any"],
        "Rocket Launcher": ["10", "2", "10", "10", "any"],
        "Heavy Machine Gun": ["0", "3", "3", "1", "3"],
    }
    assert len(rows) == len(TABLE.rows[start + 1 :])


def test_wounds_that_are_taken_are_crossed_out() -> None:
    uid = next(iter(UNITS))
    for taken in (0, 1, 2):
        table = Table(card_document(wounded(PLATOON, {uid: taken})))
        assert table.unit(uid)[5] == FULL * taken + EMPTY * (2 - taken)


def test_it_prints_on_both_papers_without_script_or_other_files() -> None:
    assert "<script" not in HTML
    assert not re.search(r"(?:src|href)=|url\(|@import", HTML)
    assert "@page { margin: 10mm }" in HTML
    assert "@page { margin: 10mm; size: Letter }" in card_document(PLATOON, paper="Letter")
    assert "size: A4" in card_document(PLATOON, paper="A4")
    assert "@media print" in HTML


def test_it_is_dark_on_white_and_needs_no_colour() -> None:
    style = HTML.split("<style>")[1].split("</style>")[0]
    colours = set(re.findall(r"#[0-9a-f]{6}", style))
    for colour in colours:
        red, green, blue = colour[1:3], colour[3:5], colour[5:7]
        assert red == green == blue, colour
    for dark in re.findall(r"[^-]color: (#[0-9a-f]{6})", style):
        assert dark == "#ffffff" or contrast(dark, "#ececec") >= 4.5
    assert "color: #1a1a1a; background: #ffffff" in style
    assert "background: #1a1a1a; color: #ffffff" in style


def test_a_page_for_exporters_is_the_fragment() -> None:
    (page,) = card_pages(PLATOON)
    (card,) = cards(PLATOON)
    assert (page.key, page.title) == ("card-starter-platoon", "Platoon Card: Starter Platoon")
    assert page.html == card_fragment(card)
    assert page.html in HTML
    for tag in ("<html", "<head", "<body", "<style", "<!DOCTYPE"):
        assert tag not in page.html
    Table(page.html)


# Markdown


def test_markdown_says_the_same_in_tables() -> None:
    tokens = MarkdownIt("commonmark").enable("table").parse(MARKDOWN)
    rows: list[list[str]] = []
    for token in tokens:
        if token.type == "tr_open":
            rows.append([])
        if token.type == "inline" and token.map is not None and rows and token.level >= 4:
            rows[-1].append(token.content)
    units = [row for row in rows if len(row) == 8 and row[0] != "Unit"]
    assert len(units) == 36
    expected = [unit for team in TEAMS.values() for unit in team]
    for row, (kind, instinct, armor, wounds, movement) in zip(units, expected, strict=True):
        assert row[1:7] == [kind, str(instinct), str(armor), str(movement), EMPTY * wounds, EMPTY]
    assert MARKDOWN.count("Code Words: ") == 3
    assert "Stress: **[0]** 1 2 3" in MARKDOWN
    assert ["Laser Cutter", "0", "10", "10", "10", "any"] in [row[:6] for row in rows]


# PDF


def streams(pdf: bytes) -> Iterator[str]:
    """Yield what the pages of a PDF draw, as text."""
    for match in re.finditer(rb"stream\r?\n(.*?)\r?\nendstream", pdf, re.DOTALL):
        try:
            yield zlib.decompress(match[1]).decode("latin-1")
        except zlib.error:
            continue


def shown(pdf: bytes) -> list[str]:
    """Return the texts of a PDF that is written with one of the fonts that every reader has."""
    drawn = "\n".join(streams(pdf))
    return [re.sub(r"\\(.)", r"\1", found) for found in re.findall(r"\((.*?)(?<!\\)\) Tj", drawn)]


PDF = card_pdf(PLATOON)


def pages(pdf: bytes) -> int:
    return len(re.findall(rb"/Type /Page\b", pdf))


def test_a_pdf_has_everybody_once_on_two_pages() -> None:
    found = Counter(shown(PDF))
    names = [f"{number} {PLATOON.sheets[uid].name}" for uid, number in numbered()]
    assert [name for name in names if found[name] != 1] == []
    assert len(names) == 36
    assert pages(PDF) == 2
    assert found["Order:"] == 9
    assert found["Code Word:"] == 12
    for code in TEAMS:
        assert len([words for words in found if words.startswith(f"{code} ")]) == 1
    assert {str(number) for number in range(21)} <= set(found)


def numbered() -> Iterator[tuple[str, int]]:
    seen: Counter[str] = Counter()
    for uid in UNITS:
        code = PLATOON.sheets[uid].code
        seen[code] += 1
        yield uid, seen[code]


def test_a_pdf_has_a_box_for_each_wound_and_one_for_spotting() -> None:
    """2.6 mm are 7.37 points; W of the 36 units add up to 60."""
    wounds = 2 + 3 + 3 + 1 + 2 * ((3 + 2 + 2 + 2) + (2 + 3) + (3 + 3)) + (3 + 3) + (2 + 3)
    assert wounds == sum(unit[3] for team in TEAMS.values() for unit in team) == 60
    boxes = re.findall(r"[\d.]+ [\d.]+ 7\.37 -7\.37 re S", "\n".join(streams(PDF)))
    assert len(boxes) == wounds + 36


@pytest.mark.parametrize(("paper", "width", "height"), [("a4", 595.28, 841.89), ("letter", 612, 792)])
def test_a_pdf_has_the_size_of_the_paper_and_nothing_outside_it(paper: str, width: float, height: float) -> None:
    made = card_pdf(PLATOON, paper=paper)
    found = re.search(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", made)
    assert found is not None
    assert (float(found[1]), float(found[2])) == pytest.approx((width, height), abs=0.1)
    margin = 10 / 25.4 * 72
    for x, y, across, down in re.findall(r"([\d.]+) ([\d.]+) ([\d.]+) (-?[\d.]+) re", "\n".join(streams(made))):
        assert float(x) >= margin - 0.1
        assert float(x) + float(across) <= width - margin + 0.1
        assert float(y) <= height - margin + 0.1
        assert float(y) + float(down) >= margin - 0.1


def test_the_same_bytes_on_every_run() -> None:
    assert card_pdf(PLATOON) == PDF
    assert card_document(starter(with_optional=True)) == HTML
    assert card_markdown(starter(with_optional=True)) == MARKDOWN


FONT = next(fonts_here(), None)


@pytest.mark.skipif(FONT is None, reason="no font with other letters on this computer")
def test_other_letters_are_written_with_a_font_of_this_computer() -> None:
    made = card_pdf(small(name="Йожеф Żółw"))
    assert b"/FontFile2" in made or b"/FontFile3" in made
    assert b"/Helvetica" not in made
    assert card_pdf(small(name="Йожеф Żółw"), font=FONT) != b""


def test_western_letters_need_no_font() -> None:
    made = card_pdf(small(name="Müller O’Neil"))
    assert b"/Helvetica" in made
    assert "1 Müller O\x92Neil" in shown(made)


def test_a_sign_that_no_font_has_is_an_error_and_no_empty_box() -> None:
    with pytest.raises(InputError) as caught:
        card_pdf(small(name="\U000f0000 \ue123 x".replace("\U000f0000", "\U00013000")), font=FONT)
    assert "\U00013000" in str(caught.value.found)
    assert "--font" in str(caught.value.hint)


def test_a_font_that_is_none_is_an_error(tmp_path: Path) -> None:
    for path in (tmp_path / "missing.ttf", tmp_path / "bad.ttf"):
        if path.name == "bad.ttf":
            path.write_bytes(b"no font")
        with pytest.raises(InputError, match="font cannot be used"):
            card_pdf(small(), font=path)


def test_without_fpdf_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "fpdf", None)
    with pytest.raises(InputError) as caught:
        card_pdf(PLATOON)
    assert 'in the checkout, pipx install --force ".[pdf]" adds it; or write .html' in str(caught.value)


# Other forces


def test_any_force_gets_a_card() -> None:
    entities = [
        Entity.new("crew", "side"),
        Entity.new("captain", "unit", parent="crew", trackers={"Wounds": Tracker(1, 0, 10)}),
        Entity.new("squad", "squad", parent="crew"),
        Entity.new("loose", "unit", parent="squad"),
        Entity.new("empty", "team", parent="squad"),
        Entity.new("horror", "side"),
        Entity.new("beast", "unit", parent="horror"),
        Entity.new("lonely", "unit"),
        Entity.new("nobody", "side"),
    ]
    found = Encounter(
        "k", "t", "g", State.of(entities), {"captain": Sheet("captain", "Ana", "NCO", "C", {"Combat": 30})}
    )
    made = cards(found)
    assert [card.uid for card in made] == ["crew", "horror", "lonely"]
    assert [[unit.uid for unit in card.units] for card in made] == [["captain", "loose"], ["beast"], ["lonely"]]
    assert made[0].stats == ("Combat",)
    table = Table(card_document(found))
    assert table.unit("captain")[:4] == ["1 Ana", "NCO", "30", FULL + EMPTY * 9]
    assert table.unit("loose")[2] == "-"
    fragments = " ".join(card_fragment(card) for card in made)
    for text in (fragments, card_markdown(found), " ".join(shown(card_pdf(found)))):
        assert not EMPTY_WORDS.search(re.sub(r"<[^>]*>", " ", text))


def test_two_platoons_get_two_cards() -> None:
    entities = [
        Entity.new("red", "side"),
        *[Entity.new(name, "platoon", parent="red", trackers={"Stress": Tracker(0, 0, 20)}) for name in ("p", "q")],
        *[Entity.new(f"{name}-u", "unit", parent=name) for name in ("p", "q")],
    ]
    assert [card.uid for card in cards(Encounter("k", "t", "g", State.of(entities), {}))] == ["p", "q"]


def test_a_game_may_have_another_form() -> None:
    form = CardForm((("Go", "go"),), 2, ("Soldier",), "Aimed at", {}, ())
    table = Table(card_document(PLATOON, form))
    assert ["Unit", "Class", "Instinct", "Armor", "Movement", "Wounds", "Aimed at", "Armor and weapons"] in [
        row for _, row in table.rows
    ]
    assert [row for _, row in table.rows if row[0] == "Code Word:"] == [["Code Word:"] * 2] * 4


@pytest.mark.parametrize(
    "words",
    ["<script>x</script>", "a|b *c* `d` _e_", "\\", "狐 Żółw", "O'Neil", "x" * 300, "a\nb", "&lt;", " trailing "],
)
def test_no_name_breaks_a_card(words: str) -> None:
    found = small(name=words, code=words)
    table = Table(card_document(found))
    assert table.unit("unit")[0] == f"1 {words}"
    assert "<script>x" not in card_document(found)
    tokens = MarkdownIt("commonmark").enable("table").parse(card_markdown(found))
    assert len([token for token in tokens if token.type == "tr_open"]) == 4  # two heads, a unit, a weapon


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"name": "Name " * 60}, "1 " + "Name " * 60),
        ({"name": 'Aleksandra "the Long Way Round" Wojciechowska of Outpost Nine'}, "Long Way Round"),
        ({"role": "Grandmother of all Broods"}, "Grandmother of all Broods"),
        ({"name": "x" * 300}, "x" * 300),
    ],
)
def test_long_words_go_on_in_the_next_line_and_nothing_is_cut(change: dict[str, str], said: str) -> None:
    made = card_pdf(small(**change))  # type: ignore[arg-type]
    lines = shown(made)
    assert not any("..." in words for words in lines)
    assert "".join(said.split()) in "".join("".join(lines).split())
    assert pages(made) == 1


def test_the_frame_of_a_row_holds_all_lines_of_its_name() -> None:
    """The cell of a name is 38 mm wide, 107.72 points; a line more makes it 3.3 mm higher, 9.35 points."""
    made = card_pdf(small(name='Aleksandra "the Long Way Round" Wojciechowska of Outpost Nine'))
    drawn = "\n".join(streams(made))
    frames = [abs(float(high)) for high in re.findall(r"[\d.]+ [\d.]+ 107\.72 (-?[\d.]+) re", drawn)]
    words = [
        each
        for each in shown(made)
        if each.strip() and each.strip() in '1 Aleksandra "the Long Way Round" Wojciechowska of Outpost Nine'
    ]
    lines = [each for each in words if len(each) > 6]
    assert len(lines) >= 3
    assert max(frames) == pytest.approx((4.6 + 3.3 * (len(lines) - 1)) / 25.4 * 72, abs=0.1)


def test_a_long_title_goes_on_in_the_next_line() -> None:
    title = "The Third Independent Orbital Reconnaissance and Salvage Platoon of the Prospero Station Free Company"
    entities = [
        Entity.new("red", "side"),
        Entity.new("p", "platoon", parent="red"),
        Entity.new("u", "unit", parent="p"),
    ]
    sheets = {"p": Sheet("p", title, "Platoon", ""), "u": Sheet("u", "Ana", "CO", "")}
    lines = shown(card_pdf(Encounter("k", "t", "g", State.of(entities), sheets)))
    assert " ".join(lines[:2]) == title
    assert len(lines[0]) > 50


def test_a_word_that_is_wider_than_its_cell_is_made_smaller_before_it_is_parted() -> None:
    """The cell of a class is 17 mm wide: 15 mm for words, which is 42.5 points."""
    assert "Grandmothers" in shown(card_pdf(small(role="Grandmothers")))
    parted = shown(card_pdf(small(role="Grandmothersofallbroods")))
    assert "Grandmothersofallbroods" not in parted
    assert "Grandmothersofallbroods" in "".join(parted)


def test_rows_that_have_grown_stay_on_the_paper() -> None:
    made = card_pdf(small(name="Name " * 5000))
    margin = 10 / 25.4 * 72
    for y, down in re.findall(r"[\d.]+ ([\d.]+) [\d.]+ (-?[\d.]+) re", "\n".join(streams(made))):
        assert margin - 0.1 <= float(y) + float(down) <= float(y) <= 841.89 - margin + 0.1
    assert any(words.endswith("...") for words in shown(made))


@pytest.mark.skipif(FONT is None, reason="no font with other letters on this computer")
def test_the_next_font_is_tried_and_nothing_is_said_of_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A first font that lacks a sign must not keep the second out, and nobody is told of the library's own affairs."""
    from fontTools.subset import Subsetter  # type: ignore[import-untyped]
    from fontTools.ttLib import TTFont  # type: ignore[import-untyped]

    assert FONT is not None
    poor = TTFont(FONT, fontNumber=0)
    subsetter = Subsetter()
    subsetter.populate(text="1 Name")
    subsetter.subset(poor)
    poor.save(tmp_path / "poor.ttf")
    monkeypatch.setattr("rallypoint.paper.card_pdf.fonts_here", lambda: iter([tmp_path / "poor.ttf", FONT]))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        made = card_pdf(small(name="Йожеф Żółw"))
    assert b"/FontFile2" in made or b"/FontFile3" in made
    with pytest.raises(InputError, match="no font here has these signs"):
        card_pdf(small(name="\U00013000"))


def test_the_table_of_units_keeps_room_for_gear_in_html() -> None:
    """Widths are fixed, so that a long name or fourteen Wounds take nothing from what stands last."""
    assert "table.units { table-layout: fixed }" in HTML
    assert "overflow-wrap: anywhere" in HTML
    assert "nowrap" not in HTML
    (head,) = set(re.findall(r'<table class="units"><thead><tr>(.*?)</tr>', HTML))
    names = re.findall(r'<th class="(?:number )?(\w+)">', head)
    assert names == ["unit", "role", "stat", "stat", "stat", "wounds", "mark", "gear"]
    widths = {name: float(width) for name, width in re.findall(r"th\.(\w+) \{ width: ([\d.]+)% \}", HTML)}
    assert "gear" not in widths
    assert 100 - sum(widths[name] for name in names[:-1]) >= 38


def test_pages_of_two_platoons_of_one_title_are_told_apart_by_their_sides() -> None:
    entities = [Entity.new(side, "side") for side in ("red", "blue")]
    sheets = {}
    for side in ("red", "blue"):
        entities += [
            Entity.new(f"{side}-p", "platoon", parent=side),
            Entity.new(f"{side}-u", "unit", parent=f"{side}-p"),
        ]
        sheets[f"{side}-p"] = Sheet(f"{side}-p", "Night Watch", "Platoon", "")
        sheets[side] = Sheet(side, side.upper(), "Side", "")
    pages = card_pages(Encounter("k", "t", "g", State.of(entities), sheets))
    assert [page.title for page in pages] == ["Platoon Card: Night Watch (RED)", "Platoon Card: Night Watch (BLUE)"]
    assert [page.key for page in pages] == ["card-red-p", "card-blue-p"]


def test_a_team_without_a_squad_has_a_line_for_its_order_too() -> None:
    assert ["Order to R-1A:"] in [row for _, row in Table(card_document(small())).rows]
    assert "Order to R-1A:" in shown(card_pdf(small()))
    assert "Order to R-1A: ___" in card_markdown(small())


def test_what_plugins_track_stands_behind_the_gear_in_every_form() -> None:
    entities = []
    for entity in PLATOON.state:
        more = {"unit": {"Ammo": Tracker(3, 0, 6, "down")}, "squad": {"Morale": Tracker(50, 0, 100, "down")}}.get(
            entity.role, {}
        )
        entities.append(entity._replace(trackers={**entity.trackers, **more}))
    tracked = PLATOON._replace(state=State.of(entities))
    (card,) = cards(tracked)
    assert {unit.gear[1:] for unit in card.units} == {("Ammo 3 2 1 0",)}
    assert all(block.name.endswith("; Morale 50 of 100: ____") for block in card.blocks)
    units = len(UNITS)
    assert card_markdown(tracked).count("; Ammo 3 2 1 0 |") == units
    assert card_fragment(card).count("<br>Ammo 3 2 1 0</td>") == units
    assert shown(card_pdf(tracked)).count("Ammo 3 2 1 0") == units
    (plain,) = cards(PLATOON)
    assert [unit.gear for unit in plain.units] == [unit.gear[:1] for unit in card.units]
