"""The writer of SVG: bytes, escapes, and text that fits."""

from __future__ import annotations

import math
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rallypoint.paper import svg
from rallypoint.paper.svg import Drawing, corners, element, escaped, fitted, number, text, text_width

from .pictures import BOLD, SVG, Words, contrast, luminance, parsed, texts, width_of


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0, "0"),
        (-0.0, "0"),
        (1.0, "1"),
        (100, "100"),
        (2.5, "2.5"),
        (1 / 3, "0.33"),
        (-1.005, "-1"),
        (0.004, "0"),
        (1234567.891, "1234567.89"),
    ],
)
def test_numbers_have_one_short_form(value: float, shown: str) -> None:
    assert number(value) == shown


@given(st.text())
def test_any_text_can_be_read_back(words: str) -> None:
    found = ET.fromstring(element("text", escaped(words), note=words))
    kept = "".join(
        sign
        if sign in "\t\n\r" or 0x20 <= ord(sign) < 0xD800 or 0xE000 <= ord(sign) < 0xFFFE or ord(sign) > 0xFFFF
        else "\ufffd"
        for sign in words
    )
    # XML itself reads a carriage return as a line feed.
    assert (found.text or "") == kept.replace("\r\n", "\n").replace("\r", "\n")


def test_attributes_and_children() -> None:
    assert (
        element("g", "", stroke_width=2, class_="x", fill="a & b")
        == '<g stroke-width="2" class="x" fill="a &amp; b"></g>'
    )
    assert element("circle", r=1) == '<circle r="1"/>'


def test_corners_of_a_hexagon_by_the_formula() -> None:
    found = corners(10, 20, 50)
    radius = 50 / math.sqrt(3)
    expected = [(0, -radius), (25, -radius / 2), (25, radius / 2), (0, radius), (-25, radius / 2), (-25, -radius / 2)]
    for one, (x, y) in zip(found, expected, strict=True):
        assert one == pytest.approx((10 + x, 20 + y))


def test_the_width_table_is_never_below_the_font() -> None:
    for sign, thousandths in BOLD.items():
        assert text_width(sign, 1, bold=True) >= thousandths / 1000 - 0.001, sign


def test_wide_scripts_count_as_wide() -> None:
    assert text_width("狐", 10) >= 10
    assert text_width("Ж", 10, bold=True) >= 12.3
    assert text_width("e\u0301", 10) == text_width("e", 10)


@given(st.text(max_size=40), st.floats(1, 30), st.floats(3, 200))
def test_a_fitted_text_is_not_wider_than_its_room(words: str, size: float, most: float) -> None:
    shown, smaller = fitted(words, size, most, bold=True)
    assert text_width(shown, smaller, bold=True) <= most + 1e-6
    assert smaller <= size
    assert shown == words


def test_below_the_least_size_a_text_is_cut_with_an_ellipsis() -> None:
    shown, size = fitted("A very long name indeed", 10, 30, least=6)
    assert size == 6
    assert shown.endswith("\N{HORIZONTAL ELLIPSIS}")
    assert shown.startswith("A v")
    assert text_width(shown, size) <= 30
    assert fitted("short", 10, 100, least=6) == ("short", 10)


def test_a_text_that_fits_when_smaller_is_not_cut() -> None:
    words = "Company"
    room = text_width(words, 7)
    assert fitted(words, 10, room, least=5)[0] == words


def test_a_line_of_text_says_its_place_weight_and_halo() -> None:
    svg = Drawing(10, 10, "x")
    svg.add(text("R-1A", 1, 2, 3, bold=True, fill="#000000"), text("b", 4, 5, 6, halo=True, fill="#000000"))
    root = parsed(svg.svg())
    assert list(texts(root)) == [Words("R-1A", 3, True, 1, 2), Words("b", 6, False, 4, 5)]
    plain, halo = root.iter(f"{SVG}text")
    assert plain.get("paint-order") is None
    assert (halo.get("paint-order"), halo.get("stroke")) == ("stroke", "#ffffff")


def test_a_drawing_is_true_to_size_or_in_pixels() -> None:
    assert parsed(Drawing(50, 57.735, "x").svg()).attrib["width"] == "50mm"
    scaled = parsed(Drawing(50, 25, "A & B", 1.6).svg())
    assert (scaled.attrib["width"], scaled.attrib["height"]) == ("80", "40")
    assert scaled.attrib["viewBox"] == "0 0 50 25"
    assert scaled.findtext(f"{SVG}title") == "A & B"


def test_the_oracles_themselves() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert luminance("#ffffff") == pytest.approx(1)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)
    assert width_of(Words("AB", 10, True, 0, 0)) == pytest.approx(15.36)


@pytest.mark.parametrize("letters", [1000, 32_000])
def test_a_long_text_is_measured_a_few_times_and_not_once_a_letter(
    letters: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    measured = 0

    def counted(words: str, size: float, *, bold: bool = False) -> float:
        nonlocal measured
        measured += len(words)
        return text_width(words, size, bold=bold)

    monkeypatch.setattr(svg, "text_width", counted)
    words, size = fitted("W" * letters, 10, 60, least=5)
    assert (words, size) == (fitted("W" * 100, 10, 60, least=5)[0], 5)
    assert measured < 20 * letters + 2000
