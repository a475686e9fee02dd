"""Rules 2, 5 and 6: hexes and rulers, and which stat is rolled for what."""

from __future__ import annotations

from fractions import Fraction

import pytest

from rallypoint.disrupter.checks import check
from rallypoint.disrupter.field import hexes_apart
from rallypoint.disrupter.hooks import DisrupterStep
from rallypoint.disrupter.outcome import band
from rallypoint.disrupter.records import CheckRequest
from rallypoint.disrupter.ruler import hexes_in, hexes_of_inches, hexes_of_mm
from rallypoint.kernel.board import Board
from rallypoint.kernel.parts import Hex

from ..disrupter.positions import position, step, team, unit


@pytest.mark.rule("D-R2.3", "D-R5.2")
@pytest.mark.parametrize(
    ("inches", "hexes", "range_band"),
    [
        (Fraction(1, 10), 1, "C"),
        (2, 1, "C"),
        (Fraction(201, 100), 2, "M"),
        (4, 2, "M"),
        (Fraction(9, 2), 3, "L"),
        (6, 3, "L"),
        (Fraction(13, 2), 4, "L"),
    ],
)
def test_a_ruler_gives_the_same_bands_as_the_grid(inches: int | Fraction, hexes: int, range_band: str) -> None:
    assert hexes_of_inches(inches) == hexes
    assert band(hexes_of_inches(inches)) == range_band


@pytest.mark.rule("D-R5.2")
@pytest.mark.parametrize(
    ("point", "hexes"), [((50, 0), 1), ((51, 0), 2), ((60, 80), 2), ((60, 81), 3), ((-150, 0), 3), ((106, 106), 3)]
)
def test_points_in_millimetres(point: tuple[int, int], hexes: int) -> None:
    # (106, 106) is 149.9 mm away: 2 * 106 * 106 = 22472, below 150 * 150 = 22500.
    assert hexes_in((0, 0), point) == hexes
    assert hexes_in(point, (0, 0)) == hexes


@pytest.mark.rule("D-R5.2")
def test_points_between_whole_millimetres() -> None:
    """Neighbours across a slanted side are 25 and 43.3013 mm apart, together 50: one hex, however that is rounded."""
    for row in range(1, 12):
        here, there = (Board(12, 12).point(place) for place in (Hex(0, row), Hex(0, row - 1)))
        assert hexes_of_mm(here, there) == 1
        assert hexes_of_mm((here[0], here[1] + 0.01), there) == 2
    assert hexes_of_mm((0.5, 0.5), (0.5, 0.5)) == 0


@pytest.mark.rule("D-R2.3", "D-R5.1")
def test_on_the_grid_hexes_are_counted() -> None:
    a, b = team("R0A", (1, 1), unit("CO", "revolver")), team("B0A", (3, 2), unit("CO", "revolver"))
    state = position(a, b)
    assert hexes_apart(state, "R0A", "B0A") == 3
    assert hexes_apart(state, "R0A-1", "B0A-1") == 3
    assert hexes_apart(state, "R0A", "R0A-1") == 0
    # Neighbours on the board stand 50 mm apart: one hex by either measure.
    here, there = (Board(12, 12).point(place) for place in (Hex(1, 1), Hex(2, 1)))
    assert hexes_in((round(here[0]), round(here[1])), (round(there[0]), round(there[1]))) == 1


@pytest.mark.rule("D-R6.2", "D-R6.3", "D-R7.4")
@pytest.mark.parametrize(
    ("kind", "who", "face", "grade"),
    [
        ("instinct", "R0A-1", 79, "success"),
        ("instinct", "R0A-1", 80, "failure"),
        ("instinct", "R1A-1", 59, "success"),
        ("instinct", "R1A-1", 60, "failure"),
        ("instinct", "R1A-2", 39, "success"),
        ("instinct", "R1A-2", 40, "failure"),
        ("armor", "R1A-1", 59, "success"),  # combat armour 60: higher is better, it saves
        ("armor", "R1A-1", 60, "failure"),
        ("armor", "R1A-2", 79, "success"),
        ("armor", "R1A-2", 80, "failure"),
    ],
)
def test_instinct_goes_by_class_and_armor_by_what_is_worn(kind: str, who: str, face: int, grade: str) -> None:
    rows = [
        team("R0A", (0, 0), unit("CO", "revolver"), unit("Soldier", "revolver")),
        team("R1A", (5, 5), unit("Soldier", "revolver"), unit("Bot", "laser_carbine")),
        team("B0A", (0, 11), unit("CO", "revolver")),
    ]

    def roll(step: DisrupterStep) -> None:
        made = check(step, CheckRequest((who,), kind, "test"), "D-R7.4")  # type: ignore[arg-type]
        step.emit("made", rule="D-R7.4", why={"grade": made.grade})

    assert step(position(*rows), roll, dice=[face]).events[-1].why["grade"] == grade
