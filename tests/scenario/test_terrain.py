"""Terrain from a seed: the same on every run, as much as was asked for, in patches, with water from edge to edge."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rallypoint.content.scenario_terrain import Scatter, scattered
from rallypoint.content.scenario_words import suggestion
from rallypoint.disrupter import scenario_words
from rallypoint.kernel.hexes import distance
from rallypoint.kernel.parts import Hex

WORDS = scenario_words()
COVER = {"forest", "jungle", "undergrowth", "barricade", "unmanned_vehicle"}


def fingerprint(seed: str) -> str:
    board = scattered(12, 12, Scatter(seed, water="river"), WORDS)
    rows = sorted((place.q, place.r, word) for place, word in board.terrain.items())
    return hashlib.sha256(repr(rows).encode()).hexdigest()


def test_a_seed_gives_the_same_board_in_another_process() -> None:
    code = "from tests.scenario.test_terrain import fingerprint; print(fingerprint('ford'))"
    root = Path(__file__).parents[2]
    seen = {
        subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            check=True,
            cwd=root,
            env={**os.environ, "PYTHONHASHSEED": salt},
        ).stdout.strip()
        for salt in ("1", "2")
    }
    assert seen == {fingerprint("ford")}


def test_other_seeds_and_sizes_give_other_boards() -> None:
    assert len({fingerprint(str(seed)) for seed in range(20)}) == 20
    small = scattered(6, 6, Scatter("x"), WORDS).terrain
    large = scattered(12, 12, Scatter("x"), WORDS).terrain
    assert {place: word for place, word in large.items() if place in small} != dict(small)


@pytest.mark.parametrize(
    ("density", "buildings", "terrain", "houses"),
    [
        (0.5, 0.25, 72, 18),
        (0.4, 0.5, 58, 29),
        (0.0, 0.5, 0, 0),
        (1.0, 0.0, 144, 0),
        (1.0, 1.0, 144, 144),
        (0.6, 0.1, 86, 9),
    ],
)
def test_counts_are_those_that_were_asked_for(density: float, buildings: float, terrain: int, houses: int) -> None:
    """Of 144 hexes: 0.4 are 57.6, 0.6 are 86.4; a tenth of 86 is 8.6."""
    board = scattered(12, 12, Scatter("x", density, buildings), WORDS)
    kinds = Counter(board.terrain.values())
    assert len(board.terrain) == terrain
    assert kinds["building"] == houses
    assert set(kinds) <= COVER | {"building"}


@settings(max_examples=40, deadline=None)
@given(st.text(max_size=8), st.integers(1, 20), st.integers(1, 20), st.floats(0, 1), st.floats(0, 1))
def test_any_board_keeps_to_its_hexes_and_its_density(
    seed: str, columns: int, rows: int, density: float, buildings: float
) -> None:
    board = scattered(columns, rows, Scatter(seed, density, buildings), WORDS)
    assert all(board.holds(place) for place in board.terrain)
    assert len(board.terrain) == round(density * columns * rows)


def test_water_runs_from_the_left_edge_to_the_right_one_without_a_gap() -> None:
    for seed in range(25):
        board = scattered(12, 12, Scatter(str(seed), water="stream"), WORDS)
        water = {place for place, word in board.terrain.items() if word == "stream"}
        columns = {place.q + place.r // 2 for place in water}
        assert columns == set(range(12)), seed
        reached = {next(iter(water))}
        while True:
            more = {place for place in water if any(distance(place, other) == 1 for other in reached)} - reached
            if not more:
                break
            reached |= more
        assert reached == water, seed
        # It leaves the zones alone: the outer rows stay dry.
        assert {place.r for place in water} <= set(range(4, 8)), seed


def test_terrain_lies_in_patches() -> None:
    """Far more like neighbours than chance would give: of five kinds of cover one in five."""
    like = pairs = 0
    for seed in range(20):
        terrain = scattered(12, 12, Scatter(str(seed), buildings=0.0), WORDS).terrain
        for place, word in terrain.items():
            for other in (Hex(place.q + 1, place.r), Hex(place.q, place.r + 1)):
                if other in terrain:
                    pairs += 1
                    like += terrain[other] == word
    assert like / pairs > 0.3


def test_every_kind_comes_up() -> None:
    seen: Counter[str] = Counter()
    for seed in range(20):
        seen.update(scattered(12, 12, Scatter(str(seed)), WORDS).terrain.values())
    assert set(seen) == COVER | {"building"}


def test_the_words_of_the_game() -> None:
    """D-R2.2, D-R14.5, D-AMB-01: kinds, what may stand where, and one sign for each."""
    groups = {key: each.group for key, each in WORDS.terrain.items()}
    assert groups == {
        "building": "building",
        **dict.fromkeys(COVER, "cover"),
        **dict.fromkeys(("stream", "river", "water"), "water"),
    }
    assert {key for key, each in WORDS.terrain.items() if each.open_to != "all"} == {"building", "water"}
    assert len(WORDS.signs) == len(WORDS.terrain)
    assert "." not in WORDS.signs
    assert {key: each.boards for key, each in WORDS.sizes.items()} == {
        "platoon": (12, 18),
        "squad": (6, 9, 12),
        "section": (18, 24),
        "company": (24, 30, 36),
    }
    assert (WORDS.share, WORDS.depth) == ((0.4, 0.6), 2)
    assert set(WORDS.modes) == {"last_man_standing", "campaign"}


def test_suggestions_heed_no_capitals() -> None:
    assert suggestion("FORREST", WORDS.terrain) == "did you mean forest?"
    assert suggestion("d-amb-50", WORDS.options) is not None
    assert suggestion("zzz", WORDS.terrain) is None
