"""PNG: the size that was asked for, clear words when the extra or a font is missing."""

from __future__ import annotations

import struct
import sys
from io import BytesIO

import pytest
from PIL import Image

import rallypoint.paper.png as module
from rallypoint.kernel.board import Board
from rallypoint.kernel.errors import InputError
from rallypoint.kernel.parts import Hex
from rallypoint.paper.board_picture import board_picture
from rallypoint.paper.counters import counters
from rallypoint.paper.png import png

from .pictures import small

COUNTER = next(counters(small())).svg()


@pytest.mark.parametrize("width", [1, 100, 333])
def test_it_is_a_png_of_this_width(width: int) -> None:
    made = png(COUNTER, width)
    assert made.startswith(b"\x89PNG\r\n\x1a\n")
    found, height = struct.unpack(">II", made[16:24])
    assert found == width
    assert height == pytest.approx(width * 57.74 / 50, abs=1)


def test_outside_the_hexagon_it_is_clear_and_inside_it_is_not() -> None:
    picture = Image.open(BytesIO(png(COUNTER, 100))).convert("RGBA")
    assert picture.getpixel((1, 1)) == (0, 0, 0, 0)
    assert picture.getpixel((98, 113)) == (0, 0, 0, 0)
    assert picture.getpixel((50, 83)) == (0x8C, 0x15, 0x15, 255)


def test_terrain_and_stands_of_a_board_are_painted() -> None:
    board = Board(3, 3, {Hex(0, 0): "pit"})
    picture = Image.open(BytesIO(png(board_picture(small(board, place=Hex(1, 1))), 600))).convert("RGB")
    scale = 600 / board_width(board)

    def at(x: float, y: float) -> object:
        return picture.getpixel((round(x * scale), round(y * scale)))

    # The corner of the stand's body at hex B2 (x 14 + 25 + 50 + 25), left of its letters, is the red of the side.
    assert at(114 - 15, 30 + 28.87 + 43.3 + 7) == (0x8C, 0x15, 0x15)
    assert at(14 + 25 - 18, 30 + 28.87 - 3) == (0xF2, 0xF2, 0xF2)  # a pit, between its dots
    assert at(14 + 125, 30 + 28.87 - 10) == (255, 255, 255)  # open ground


def board_width(board: Board) -> float:
    from xml.etree import ElementTree as ET

    return float(ET.fromstring(board_picture(small(board, place=Hex(1, 1)))).attrib["viewBox"].split()[2])


def test_the_same_bytes_twice() -> None:
    assert png(COUNTER, 120) == png(COUNTER, 120)


def test_without_resvg_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    module._check_fonts.cache_clear()
    with pytest.raises(InputError) as caught:
        png(COUNTER, 100)
    module._check_fonts.cache_clear()
    assert "resvg-py is not installed" in str(caught.value)
    assert 'in the checkout, pipx install --force ".[pictures]" adds it; or write .svg' in str(caught.value)


def test_without_fonts_it_says_so_instead_of_leaving_letters_out(monkeypatch: pytest.MonkeyPatch) -> None:
    import resvg_py

    real = resvg_py.svg_to_bytes
    monkeypatch.setattr(resvg_py, "svg_to_bytes", lambda **given: real(**given, skip_system_fonts=True))
    module._check_fonts.cache_clear()
    with pytest.raises(InputError, match="no font"):
        png(COUNTER, 100)
    module._check_fonts.cache_clear()


@pytest.mark.parametrize("svg", ["", "<svg", "no picture"])
def test_what_is_no_picture_is_an_input_error(svg: str) -> None:
    with pytest.raises(InputError, match="cannot be made"):
        png(svg, 100)
