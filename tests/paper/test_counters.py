"""Counters and their sheet: one for each stand and unit, true to size, legible small and without colour."""

from __future__ import annotations

import math
import re
from collections import Counter as Count
from io import BytesIO

import pytest
from PIL import Image

from rallypoint.kernel.encounter import Encounter, Sheet
from rallypoint.kernel.state import Entity, State
from rallypoint.paper.counter_sheet import PAPERS, counter_pages, counter_sheet, laid_out
from rallypoint.paper.counters import Counter, counters, file_name
from rallypoint.paper.look import mark, side_looks
from rallypoint.paper.png import png

from .pictures import EMPTY_WORDS, SVG, contrast, luminance, parsed, small, starter, texts, width_of

STARTER = starter()
MADE = list(counters(STARTER))


def of(kind: str) -> list[Counter]:
    return [each for each in MADE if each.kind == kind]


def test_each_stand_and_each_unit_of_the_starter_platoon_has_one() -> None:
    """D-PL: 7 teams and 28 units without the boats."""
    roles = {entity.uid: entity.role for entity in STARTER.state}
    assert [roles[each.uid] for each in of("stand")] == ["team"] * 7
    assert [roles[each.uid] for each in of("unit")] == ["unit"] * 28
    assert len({each.uid for each in MADE}) == 35
    # Figures follow their stand, four to each (D-R4.1).
    assert [each.kind for each in MADE] == ["stand", "unit", "unit", "unit", "unit"] * 7


def test_they_are_true_to_size() -> None:
    """D-R4.1, D-R5.2: a base is a hex of 50 mm, a figure 10 mm."""
    for each in of("stand"):
        root = parsed(each.svg())
        assert (root.attrib["width"], root.attrib["height"]) == ("50mm", "57.74mm")
        assert root.attrib["viewBox"] == "0 0 50 57.74"
    for each in of("unit"):
        root = parsed(each.svg())
        assert (root.attrib["width"], root.attrib["height"]) == ("10mm", "10mm")
    large = [each for each in counters(STARTER, figure_mm=16) if each.kind == "unit"]
    assert {(each.width, each.height) for each in large} == {(16, 16)}


def test_a_base_is_a_hexagon_as_wide_as_it_says() -> None:
    body = next(parsed(of("stand")[0].svg()).iter(f"{SVG}polygon"))
    points = [tuple(map(float, pair.split(","))) for pair in body.attrib["points"].split()]
    radius = 50 / math.sqrt(3)
    expected = [(0, -radius), (25, -radius / 2), (25, radius / 2), (0, radius), (-25, radius / 2), (-25, -radius / 2)]
    for point, (x, y) in zip(points, expected, strict=True):
        assert point == pytest.approx((x, y), abs=0.01)


def test_a_stand_says_its_code_its_figures_and_its_side() -> None:
    """D-R4.2: side, squad and team."""
    codes = [next(texts(each.svg())).words for each in of("stand")]
    assert codes == ["R-0A", "R-1A", "R-1B", "R-1C", "R-2A", "R-2B", "R-2C"]
    for each in of("stand"):
        assert [found.words for found in texts(each.svg())][1:] == ["1", "2", "3", "4", "Red"]


def test_a_figure_says_its_code_and_number() -> None:
    assert [[found.words for found in texts(each.svg())] for each in of("unit")[:5]] == [
        ["R-0A", "1"],
        ["R-0A", "2"],
        ["R-0A", "3"],
        ["R-0A", "4"],
        ["R-1A", "1"],
    ]
    said = Count(tuple(found.words for found in texts(each.svg())) for each in of("unit"))
    assert set(said.values()) == {1}


def test_each_class_has_a_mark_of_another_shape() -> None:
    drawn = {role: mark(role, 0, 0, 10, "#000000") for role in ("CO", "NCO", "Soldier", "Bot", "Medic", "Horror")}
    assert len(set(drawn.values())) == 6
    corners = [tuple(map(float, pair.split(","))) for pair in drawn["CO"].split('"')[1].split()]
    # A star of five points: ten corners, by turns far out and near.
    assert [math.hypot(x, y) for x, y in corners] == pytest.approx([5.0, 2.25] * 5, abs=0.01)
    assert drawn["NCO"].count("<polygon") == 2
    assert drawn["Bot"].count("<rect") == 1
    assert ">M<" in drawn["Medic"]
    assert ">H<" in drawn["Horror"]
    assert ">?<" in mark(" ", 0, 0, 10, "#000000")


def test_letters_have_contrast_and_room() -> None:
    for side in ("red", "blue", "green", "yellow", "purple", "grey"):
        look = side_looks(small(side=side))[side]
        for each in counters(small(side=side, code="W-88W")):
            for found in parsed(each.svg()).iter(f"{SVG}text"):
                ground = "#ffffff" if found.get("fill") == "#1a1a1a" else look.body
                assert contrast(found.attrib["fill"], ground) >= 7, side
            for words in texts(each.svg()):
                # Across a disc at the height of the text, less the rim; across a base the flat sides are 50 apart.
                room = 0.84 * each.width
                if each.kind == "unit":
                    room = 2 * math.sqrt(max((0.42 * each.width) ** 2 - words.y**2, 0))
                assert width_of(words) <= room + 0.01, (side, words)


def test_codes_are_legible_at_100_pixels() -> None:
    """A letter of 20 pixels or more where the whole counter is 100 wide."""
    for each in MADE:
        code = next(texts(each.svg()))
        assert code.size / each.width * 100 >= 20, each.title


def grey(counter: Counter) -> Image.Image:
    return Image.open(BytesIO(png(counter.svg(), 100))).convert("RGBA")


def test_a_picture_of_100_pixels_shows_light_letters_on_dark_and_dark_on_light() -> None:
    """The middle of a red counter is dark with light letters in greyscale, of a blue one light with dark letters."""
    for side, ground_is_dark in (("red", True), ("blue", False)):
        unit = next(each for each in counters(starter(side=side)) if each.kind == "unit")
        picture = grey(unit)
        assert picture.size == (100, 100)
        values = [value for value, _ in sorted_greys(picture.crop((20, 35, 80, 62)))]
        dark, light = sum(value < 90 for value in values), sum(value > 200 for value in values)
        assert dark + light > len(values) * 0.7
        assert (dark > light) == ground_is_dark
        assert min(dark, light) > len(values) * 0.1


def sorted_greys(picture: Image.Image) -> list[tuple[int, int]]:
    plain = picture.convert("L")
    return [(value, at) for at, value in enumerate(plain.tobytes())]


def test_two_sides_differ_without_colour() -> None:
    red, blue = side_looks(small(side="red"))["red"], side_looks(small(side="blue"))["blue"]
    assert abs(luminance(red.body) - luminance(blue.body)) > 0.5
    reds, blues = (next(counters(starter(side=side))).svg() for side in ("red", "blue"))
    assert "stroke-dasharray" in blues
    assert "stroke-dasharray" not in reds


def test_a_team_of_five_and_more_still_fits_on_its_base() -> None:
    """D-SF-1."""
    for count in (1, 5, 9):
        entities = [Entity.new("red", "side"), Entity.new("t", "team", parent="red")]
        entities += [Entity.new(f"u{number}", "unit", parent="t") for number in range(count)]
        found = Encounter("k", "t", "g", State.of(entities), {"t": Sheet("t", "T", "Team", "R-1A")})
        stand = next(counters(found))
        discs = [each for each in parsed(stand.svg()).iter(f"{SVG}circle") if each.get("fill") == "#ffffff"]
        assert len(discs) == count
        edges = [float(each.attrib["cx"]) + sign * float(each.attrib["r"]) for each in discs for sign in (-1, 1)]
        assert max(map(abs, edges)) <= 25 * 0.86
        assert all(one <= other + 0.01 for one, other in zip(edges[1::2], edges[2::2], strict=False))


def test_a_unit_in_no_team_has_a_disc_alone() -> None:
    state = State.of([Entity.new("horror", "side"), Entity.new("beast", "unit", parent="horror")])
    found = list(counters(Encounter("k", "t", "g", state, {})))
    assert [(each.uid, each.kind) for each in found] == [("beast", "unit")]
    assert "beast" in found[0].title


@pytest.mark.parametrize("words", ["X" * 90, "Żółw", "狐", "<&>", "None-Such", "", "a\x07b"])
def test_any_code_gives_a_counter(words: str) -> None:
    for each in counters(small(code=words, name=words)):
        svg = each.svg()
        for found in texts(svg):
            assert width_of(found) <= each.width * 1.02
        # An empty code is stood for by the uid.
        assert next(texts(svg)).words.strip()


def test_nothing_empty_is_shown() -> None:
    shown = " ".join(found.words for each in MADE for found in texts(each.svg()))
    assert not EMPTY_WORDS.search(shown)


def test_the_same_bytes_on_every_run() -> None:
    assert [each.svg() for each in counters(starter())] == [each.svg() for each in MADE]


# File names


@pytest.mark.parametrize("uid", ["starter-1A-1-1", "red.starter-1A"])
def test_plain_uids_are_file_names(uid: str) -> None:
    assert file_name(Counter(uid, "unit", "", 1, 1, ""), "png") == f"units/{uid}.png"


def test_other_uids_keep_apart_in_ascii() -> None:
    uids = [
        "Żółw",
        "żółw",
        "狐",
        "猫",
        "a/b",
        "a\\b",
        "a b",
        "../x",
        "con ",
        "con",
        "NUL.txt",
        ".",
        "",
        "x" * 300,
        "x" * 299,
    ]
    names = [file_name(Counter(uid, "unit", "", 1, 1, ""), "svg") for uid in uids]
    assert len({name.casefold() for name in names}) == len(uids)
    for name in names:
        assert name.removeprefix("units/").partition(".")[0].casefold() not in ("con", "nul")
        assert re.fullmatch(r"units/[A-Za-z0-9][A-Za-z0-9._-]{0,70}\.svg", name), name


# The sheet


@pytest.mark.parametrize("paper", ["a4", "letter"])
@pytest.mark.parametrize("figure_mm", [10, 20])
def test_on_the_sheet_everybody_lies_once_inside_the_margins_and_apart(paper: str, figure_mm: float) -> None:
    made = [*counters(STARTER, figure_mm=figure_mm), *counters(starter(side="blue"), figure_mm=figure_mm)]
    width, height = {"a4": (210.0, 297.0), "letter": (215.9, 279.4)}[paper]
    assert PAPERS[paper] == (width, height)
    laid = laid_out(made, paper)
    assert Count((each.counter.uid, each.counter.parts) for each in laid) == Count(
        (each.uid, each.parts) for each in made
    )
    boxes = [
        (
            each.page,
            each.x - each.counter.width / 2,
            each.y - each.counter.height / 2,
            each.x + each.counter.width / 2,
            each.y + each.counter.height / 2,
        )
        for each in laid
    ]
    for page, left, top, right, bottom in boxes:
        assert min(left, top, width - right, height - bottom) >= 12 - 1e-6, page
        assert top >= 20 - 1e-6  # below the head
    for number, (page, left, top, right, bottom) in enumerate(boxes):
        for other, left2, top2, right2, bottom2 in boxes[:number]:
            apart = (
                page != other or right + 4 <= left2 or right2 + 4 <= left or bottom + 4 <= top2 or bottom2 + 4 <= top
            )
            assert apart, (number, page)


def test_pages_have_the_size_of_the_paper_and_cutting_marks() -> None:
    pages = counter_pages(MADE, "Starter Platoon", "a4")
    laid = laid_out(MADE, "a4")
    assert len(pages) == laid[-1].page + 1
    marks = 0
    for page in pages:
        root = parsed(page)
        assert (root.attrib["width"], root.attrib["height"]) == ("210mm", "297mm")
        group = next(each for each in root.iter(f"{SVG}g") if each.get("id") == "cutting-marks")
        marks += len(list(group))
    assert marks == 8 * len(MADE)


def test_cutting_marks_point_at_the_corners_from_outside() -> None:
    one = of("stand")[0]
    (page,) = counter_pages([one], "x")
    (laid,) = laid_out([one], "a4")
    group = next(each for each in parsed(page).iter(f"{SVG}g") if each.get("id") == "cutting-marks")
    left, right, top, bottom = laid.x - 25, laid.x + 25, laid.y - 28.8675, laid.y + 28.8675
    for mark_line in group:
        x1, y1, x2, y2 = (float(mark_line.attrib[name]) for name in ("x1", "y1", "x2", "y2"))
        on_x = x1 == x2 and min(abs(x1 - left), abs(x1 - right)) < 0.01
        on_y = y1 == y2 and min(abs(y1 - top), abs(y1 - bottom)) < 0.01
        assert on_x != on_y
        inside = left < (x1 + x2) / 2 < right and top < (y1 + y2) / 2 < bottom
        assert not inside


def test_the_ruler_on_the_sheet_is_as_long_as_it_says() -> None:
    (page,) = counter_pages(MADE[:1], "x")
    lines = [each for each in parsed(page).iter(f"{SVG}line") if each.get("stroke-width") == "0.4"]
    assert [float(each.attrib["x2"]) - float(each.attrib["x1"]) for each in lines] == [pytest.approx(50)]
    assert "50 mm" in next(texts(page)).words


def test_the_sheet_is_one_html_file_without_script_or_other_files() -> None:
    html = counter_sheet(MADE, "O'Neil & <Co>", "letter")
    assert "size: 215.9mm 279.4mm" in html
    assert html.count('<div class="page">') == len(counter_pages(MADE, "x", "letter"))
    assert "<script" not in html
    assert not re.search(r'(?:src|href)="(?!#)', html)
    assert "O&#39;Neil &amp; &lt;Co&gt;" in html


def test_nobody_gives_no_page() -> None:
    assert counter_pages([], "x") == []
