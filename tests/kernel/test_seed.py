"""Seeded dice: keyed, not a stream; frozen, since logs and documents depend on them."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rallypoint.kernel.answers import Seed
from rallypoint.kernel.dice import D6, D10, D100, PERCENTILE, Die, Throw
from rallypoint.kernel.tape import Pick

# Worked out from the definition with hashlib alone: BLAKE2s, personalised "rallypnt", of seed, who and purpose (each
# followed by the unit separator) and of turn and ordinal (64 bits each, big end first); 64 bits of it for each face.
FROZEN: list[tuple[int | str, Throw, int, int, tuple[int, ...]]] = [
    (7, Throw("red-1", "instinct", D100, 2), 1, 0, (52, 74)),
    (7, Throw("red-1", "instinct", D100, 2), 1, 1, (52, 45)),
    (7, Throw("red-1", "instinct", D100, 2), 2, 0, (40, 2)),
    (7, Throw("red-2", "instinct", D100, 2), 1, 0, (40, 57)),
    (7, Throw("red-1", "armor", D100), 1, 0, (25,)),
    (8, Throw("red-1", "instinct", D100), 1, 0, (56,)),
    (7, Throw("red-1", "stress", D6, 4), 1, 0, (4, 4, 5, 4)),
    ("night watch", Throw("red-1", "stress", D10, 3), 3, 2, (8, 5, 6)),
    (7, Throw("red-1", "x", PERCENTILE), 1, 0, (64,)),
]


@pytest.mark.parametrize(("seed", "throw", "turn", "ordinal", "faces"), FROZEN)
def test_the_dice_of_a_seed_are_frozen(
    seed: int | str, throw: Throw, turn: int, ordinal: int, faces: tuple[int, ...]
) -> None:
    assert Seed(seed).faces(throw, turn, ordinal) == faces


def test_the_same_key_gives_the_same_faces_whatever_was_thrown_between() -> None:
    seed = Seed(7)
    throw = Throw("red-1", "instinct", D100, 2)
    first = seed.faces(throw, 1, 0)
    for ordinal in range(5):
        seed.faces(Throw("blue-1", "armor", D6, 5), 2, ordinal)
        seed.positions(Pick("red-1", "instinct", ("a", "b", "c"), 2), 1, ordinal)
    assert seed.faces(throw, 1, 0) == first == (52, 74)


def test_the_dice_of_each_key_are_others() -> None:
    seed = Seed(7)

    def many(who: str = "red", purpose: str = "luck", turn: int = 1, start: int = 0) -> tuple[int, ...]:
        throw = Throw(who, purpose, D100)
        return tuple([seed.faces(throw, turn, start + ordinal)[0] for ordinal in range(20)])

    rows = [many(), many(who="blue"), many(purpose="armor"), many(turn=2), many(start=20)]
    # The words of a key must not run into each other.
    rows += [many(who="redl", purpose="uck"), many(who="re", purpose="dluck")]
    assert len(set(rows)) == 7


@given(st.integers(), st.text(max_size=5), st.text(max_size=5), st.integers(0, 99), st.integers(1, 6))
def test_a_further_die_leaves_the_first_ones_as_they_were(
    number: int, who: str, purpose: str, turn: int, count: int
) -> None:
    seed = Seed(number)
    fewer = seed.faces(Throw(who, purpose, D100, count), turn, 0)
    more = seed.faces(Throw(who, purpose, D100, count + 1), turn, 0)
    assert more[:count] == fewer


@given(st.integers(), st.integers(-9, 9), st.integers(0, 30), st.integers(1, 9), st.integers(0, 50))
def test_faces_are_on_the_die(number: int, low: int, span: int, count: int, ordinal: int) -> None:
    throw = Throw("red", "luck", Die(low, low + span), count)
    assert throw.fits(Seed(number).faces(throw, 1, ordinal))


# The bounds of the three tests below are the 99.9 % points of chi-square with 5, 99 and 9 degrees of freedom.


def chi_square(counts: Counter[object], cells: int) -> float:
    expected = counts.total() / cells
    return sum((counts[cell] - expected) ** 2 for cell in counts) / expected + (cells - len(counts)) * expected


def test_faces_of_one_purpose_are_uniform_over_the_ordinals() -> None:
    seed = Seed(1)
    counts: Counter[object] = Counter(seed.faces(Throw("red", "luck", D6), 1, at)[0] for at in range(6000))
    assert chi_square(counts, 6) < 20.52


def test_faces_are_uniform_over_who_throws_and_on_the_second_die() -> None:
    seed = Seed(2)
    counts: Counter[object] = Counter(seed.faces(Throw(f"u{at}", "luck", D100, 2), 1, 0)[1] for at in range(10_000))
    assert chi_square(counts, 100) < 148.23


@pytest.mark.parametrize(("k", "seed"), [(2, 1), (3, 1)])
def test_every_set_is_picked_equally_often(k: int, seed: int) -> None:
    pick = Pick("red", "deal", ("a", "b", "c", "d", "e"), k)
    counts: Counter[object] = Counter(Seed(seed).positions(pick, 1, at) for at in range(5000))
    assert set(counts) <= set(combinations(range(5), k))
    assert chi_square(counts, 10) < 27.88


@pytest.mark.parametrize("k", [1, 4])
def test_one_member_is_taken_or_left_out_equally_often(k: int) -> None:
    pick = Pick("red", "deal", ("a", "b", "c", "d", "e"), k)
    counts: Counter[object] = Counter(Seed(1).positions(pick, 1, at) for at in range(5000))
    assert chi_square(counts, 5) < 18.47  # 99.9 % point with 4 degrees of freedom


@given(st.integers(), st.integers(2, 40), st.data())
def test_a_pick_is_of_different_members_rising(number: int, size: int, data: st.DataObject) -> None:
    k = data.draw(st.integers(1, size - 1))
    positions = Seed(number).positions(Pick("red", "deal", ("x",) * size, k), 1, 0)
    assert len(positions) == k
    assert all(0 <= position < size for position in positions)
    assert all(one < other for one, other in pairwise(positions))


def test_picks_depend_on_who_purpose_turn_and_ordinal() -> None:
    def row(who: str = "red", purpose: str = "deal", turn: int = 1, start: int = 0) -> tuple[object, ...]:
        pick = Pick(who, purpose, tuple("abcdefgh"), 3)
        return tuple([Seed(7).positions(pick, turn, start + at) for at in range(5)])

    assert len({row(), row(who="blue"), row(purpose="draw"), row(turn=2), row(start=5)}) == 5


def test_an_advantage_of_one_leaves_the_dice_of_the_other_alone() -> None:
    seed = Seed(7)
    plain = [seed.faces(Throw("red-1", "instinct", D100), 1, 0), seed.faces(Throw("blue-1", "armor", D100), 1, 0)]
    better = [seed.faces(Throw("red-1", "instinct", D100, 2), 1, 0), seed.faces(Throw("blue-1", "armor", D100), 1, 0)]
    assert plain[1] == better[1]
    assert plain[0] == better[0][:1]
    assert [len(faces) for faces in better] == [2, 1]
