"""Drift: the dice, the hexes, the ruler, the edge of the board, the rulings."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from math import hypot, sqrt

import pytest

from rallypoint.disrupter.fire import fire
from rallypoint.disrupter.records import Attack
from rallypoint.kernel.answers import Answers, Seed
from rallypoint.kernel.battle import Battle
from rallypoint.kernel.game import Intent
from rallypoint.kernel.odds import outcomes
from rallypoint.kernel.parts import Hex
from rallypoint.kernel.step import Done
from rallypoint_indirect_fire.drift import DIRECTIONS, distance_of, shifted, shifted_by_ruler

from ..disrupter.positions import engaged, team
from ..rules.playing import told, wounds
from .ground import FAIL, MISS, at, battery, drift, field, game, lands, manifest, step, tough

AIMED = (2, 8)
"""The hex that is fired at: G9 on the map. Eight hexes below it the board has ended, three above it is the ridge."""

BY_HAND = {
    # Three hexes from (2, 8): along the row, and up or down a row a step, half a hex to the side each.
    1: (5, 8), 2: (5, 5), 3: (2, 5), 4: (-1, 8), 5: (-1, 11), 6: (2, 11),
}  # fmt: skip


@pytest.mark.rule("D-IF-3")
@pytest.mark.parametrize("face", range(1, 7))
def test_three_hexes_over_each_side_lead_where_they_lead_on_paper(face: int) -> None:
    assert shifted(Hex(*AIMED), 3, face) == Hex(*BY_HAND[face])
    done = step(field(battery()), fire, "R1A", at("@2,8"), dice=[MISS, drift(5, face)])
    (event,) = told(done, "indirect.drift")
    assert (lands(event), event.rule, event.by) == (BY_HAND[face], "D-IF-3", "indirect-fire")
    assert told(done, "fire.hit")[0].why["at"] == BY_HAND[face]


@pytest.mark.rule("D-IF-3")
def test_on_the_table_the_six_ways_are_sixty_degrees_apart_and_as_long_as_the_d5_says() -> None:
    # A hex (q, r) lies at q + r/2 to the right and r times half the root of 3 downwards, in widths of a hex.
    for face in range(1, 7):
        for hexes in range(1, 6):
            q, r = shifted(Hex(0, 0), hexes, face)[:2]
            x, y = q + r / 2, -r * sqrt(3) / 2
            assert hypot(x, y) == pytest.approx(hexes)
            assert (x / hexes, y / hexes) == pytest.approx(
                [(1, 0), (0.5, sqrt(3) / 2), (-0.5, sqrt(3) / 2), (-1, 0), (-0.5, -sqrt(3) / 2), (0.5, -sqrt(3) / 2)][
                    face - 1
                ]
            )
    assert len(set(DIRECTIONS)) == 6


@pytest.mark.rule("D-IF-4", "D-AMB-29")
def test_a_d10_makes_a_d5_in_which_each_number_has_two_faces() -> None:
    assert Counter(distance_of(face, "halved_up") for face in range(1, 11)) == dict.fromkeys(range(1, 6), 2)
    literal = Counter(distance_of(face, "literal_floor") for face in range(1, 11))
    assert literal == {0: 1, 1: 2, 2: 2, 3: 2, 4: 2, 5: 1}


def landing_of(done: Done) -> object:
    """Return where a shot landed that drifted; ``hit`` if it did not, ``gone`` off the board."""
    drifted = told(done, "indirect.drift")
    if not drifted:
        return "hit"
    return drifted[0].why.get("lands", "gone")


STEPS = {1: (1, 0), 2: (1, -1), 3: (0, -1), 4: (-1, 0), 5: (-1, 1), 6: (0, 1)}


def counted(hexes_of: dict[int, int]) -> Counter[object]:
    """Return how many of the 60 pairs of faces lead to each hex, from the numbers that a d10's faces mean."""
    found: Counter[object] = Counter()
    for ten in range(1, 11):
        for six in range(1, 7):
            q, r = AIMED[0] + STEPS[six][0] * hexes_of[ten], AIMED[1] + STEPS[six][1] * hexes_of[ten]
            column = q + (r - r % 2) // 2
            found[(q, r) if 0 <= column < 12 and 0 <= r < 12 else "gone"] += 1
    return found


UP = {1: 1, 2: 1, 3: 2, 4: 2, 5: 3, 6: 3, 7: 4, 8: 4, 9: 5, 10: 5}
DOWN = {1: 0, 2: 1, 3: 1, 4: 2, 5: 2, 6: 3, 7: 3, 8: 4, 9: 4, 10: 5}


@pytest.mark.rule("D-IF-3", "D-IF-4", "D-AMB-29")
@pytest.mark.parametrize(("ruling", "hexes_of"), [("halved_up", UP), ("literal_floor", DOWN)])
def test_the_odds_of_each_hex_are_those_that_counting_all_faces_gives(ruling: str, hexes_of: dict[int, int]) -> None:
    playing = game({"D-AMB-29": ruling})
    playing.rules = {**playing.rules, "fire": fire}
    state = field(battery())
    attacks = (Attack("R1A-1", "mortar", "@2,8"),)
    odds = outcomes(playing, state, Intent("fire", ("R1A", attacks), None), landing_of)
    # A soldier has Instinct 60: 40 of 100 faces fail. Nobody stands in the way of any of these shells.
    faces = counted(hexes_of)
    assert sum(faces.values()) == 60
    assert faces["gone"] > 0
    expected = {hex_: Fraction(40, 100) * Fraction(number, 60) for hex_, number in faces.items()}
    assert odds == {"hit": Fraction(60, 100), **expected}


@pytest.mark.rule("D-IF-3", "D-IF-4")
def test_thrown_dice_lead_where_counting_says_for_every_pair_of_faces() -> None:
    state, found = field(battery()), Counter[object]()
    for ten in range(1, 11):
        for six in range(1, 7):
            found[landing_of(step(state, fire, "R1A", at("@2,8"), dice=[MISS, drift(ten, six), FAIL]))] += 1
    assert found == counted(UP)


@pytest.mark.rule("D-IF-3")
def test_dice_are_keyed_so_that_other_rulings_see_the_same_drift() -> None:
    def drifted(seed: int, options: dict[str, object]) -> list[tuple[object, object]]:
        playing = game(options)
        state = engaged(field(battery(), team("B1A", (-4, 11), *tough())))
        battle = Battle.start(playing, state, Answers(Seed(seed)))
        events = battle.act(Intent("act", ("R1A", (("R1A-1", "fire", "mortar", "@2,8"),)), "red"))
        return [(event.why["dice"], event.why["hexes"]) for event in events if event.kind == "indirect.drift"]

    found = [drifted(seed, {}) for seed in range(30)]
    assert 5 < sum(map(bool, found)) < 25  # 40 of 100 fail
    assert found == [drifted(seed, {}) for seed in range(30)]
    other = [drifted(seed, {"D-AMB-29": "literal_floor", "D-AMB-35.saves": "no"}) for seed in range(30)]
    assert [[dice for dice, _ in rows] for rows in other] == [[dice for dice, _ in rows] for rows in found]
    assert other != found


@pytest.mark.rule("D-AMB-29", "D-IF-3")
def test_by_the_printed_halving_a_one_does_not_drift_at_all() -> None:
    foe = team("B1A", AIMED, *tough())
    ruling = {"D-AMB-29": "literal_floor"}
    done = step(field(battery(), foe), fire, "R1A", at("@2,8"), dice=[MISS, drift(1, 4), FAIL], options=ruling)
    assert wounds(done.state, "B1A") == [4]
    assert "does not drift" in str(told(done, "indirect.drift")[0].why["words"])


# The edge


@pytest.mark.rule("D-IF-3")
def test_off_the_board_nothing_comes_of_a_shot_or_by_ruling_its_splash_reaches_back() -> None:
    # (-2, 11) is D12, in the last row; one down and left of it is (-3, 12), off the board and beside it.
    state = field(battery(), team("B1A", (-2, 11), *tough()))
    done = step(state, fire, "R1A", at("@-2,11"), dice=[MISS, drift(1, 5)])
    assert wounds(done.state, "B1A") == [0]
    assert [event.kind for event in done.events if event.kind.startswith("fire.")] == ["fire.shot"]
    assert lands(told(done, "indirect.drift")[0]) is None
    ruling = {"D-IF-3.edge": "splash"}
    done = step(state, fire, "R1A", at("@-2,11"), dice=[MISS, drift(1, 5), FAIL], options=ruling)
    assert wounds(done.state, "B1A") == [1]
    done = step(state, fire, "R1A", at("@-2,11"), dice=[MISS, drift(3, 5)], options=ruling)  # two hexes off: too far
    assert wounds(done.state, "B1A") == [0]


# Which way


@pytest.mark.rule("D-IF-3")
def test_by_ruling_every_hex_so_far_away_is_equally_likely() -> None:
    playing = game({"D-IF-3.direction": "ring"})
    playing.rules = {**playing.rules, "fire": fire}
    attacks = (Attack("R1A-1", "mortar", "@2,8"),)
    odds = outcomes(playing, field(battery()), Intent("fire", ("R1A", attacks), None), landing_of)
    # The ring of n hexes has 6 n of them; a hex n away has a fifth of a 6 n-th.
    expected: dict[object, Fraction] = {"hit": Fraction(60, 100)}
    for q in range(-5, 6):
        for r in range(-5, 6):
            away = max(abs(q), abs(r), abs(q + r))
            if 1 <= away <= 5:
                at_q, at_r = AIMED[0] + q, AIMED[1] + r
                column = at_q + (at_r - at_r % 2) // 2
                key: object = (at_q, at_r) if 0 <= column < 12 and 0 <= at_r < 12 else "gone"
                expected[key] = expected.get(key, Fraction(0)) + Fraction(40, 100) / 5 / (6 * away)
    assert odds == expected


@pytest.mark.rule("D-IF-3", "D-R2.3")
def test_with_a_ruler_a_die_points_anywhere_and_a_hex_is_50_mm() -> None:
    # By hand: the quarters of a circle, and 60 and 30 degrees, whose cosines are 1/2 and half the root of 3 (0.8660254).
    assert [shifted_by_ruler((0, 0), 4, degrees) for degrees in (0, 90, 180, 270)] == [
        (200, 0), (0, -200), (-200, 0), (0, 200),
    ]  # fmt: skip
    assert shifted_by_ruler((100, 100), 2, 60) == (150, 100 - 87)
    assert shifted_by_ruler((100, 100), 2, 30) == (100 + 87, 50)
    for hexes in range(6):
        for degrees in range(360):
            x, y = shifted_by_ruler((0, 0), hexes, degrees)
            assert abs(hypot(x, y) - 50 * hexes) <= sqrt(0.5)
            assert (x, y) == tuple(-each for each in shifted_by_ruler((0, 0), hexes, (degrees + 180) % 360))
    # The six sides of the hexes are six of the directions.
    for face in range(1, 7):
        q, r = shifted(Hex(0, 0), 3, face)[:2]
        centre = 50 * (q + r / 2), 50 * r * sqrt(3) / 2
        assert shifted_by_ruler((0, 0), 3, 60 * (face - 1)) == pytest.approx(centre, abs=0.5)


def test_the_rulings_of_the_manifest_are_those_that_the_rules_read() -> None:
    rulings = {ruling.id: ruling.choices for ruling in manifest().rulings}
    assert rulings == {
        "D-AMB-29": ("halved_up", "literal_floor"),
        "D-IF-3.direction": ("hexside", "ring"),
        "D-IF-3.edge": ("nothing", "splash"),
    }
