"""Dice and cuts: the number of ways, counted here face by face."""

from __future__ import annotations

from collections import Counter
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rallypoint.kernel.dice import D6, D10, D20, D100, PERCENTILE, ByFace, ByTotal, Cut, Die, Throw
from rallypoint.kernel.errors import StateError

BEST = ("critical success", "critical failure", "success", "failure")
WORST = ("critical failure", "critical success", "failure", "success")


def check(target: int, order: tuple[str, ...] = BEST) -> ByFace:
    """A check on percentile dice: under the target is a success, doubles are critical."""
    classes = []
    for face in range(100):
        tens, ones = divmod(face, 10)
        outcome = "success" if face < target else "failure"
        classes.append(f"critical {outcome}" if tens == ones else outcome)
    return ByFace.of(classes, order)


def best_of(cut: ByFace, die: Die, faces: tuple[int, ...]) -> str:
    """The class that counts, said in another way than the cut does."""
    shown = {cut.order[cut.ranks[face - die.low]] for face in faces}
    for name in cut.order:
        if name in shown:
            return name
    raise AssertionError("every face has a class")


@pytest.mark.parametrize(("die", "sides"), [(D6, 6), (D10, 10), (D20, 20), (D100, 100), (PERCENTILE, 100)])
def test_the_sides_of_the_common_dice(die: Die, sides: int) -> None:
    assert die.sides == sides


def test_the_two_kinds_of_percentile_dice_differ_in_what_00_means() -> None:
    assert (D100.low, D100.high) == (0, 99)
    assert (PERCENTILE.low, PERCENTILE.high) == (1, 100)


@pytest.mark.parametrize("count", [1, 2, 3])
@pytest.mark.parametrize("die", [D6, D10, Die(-2, 1)])
def test_by_face_counts_what_nested_loops_count(die: Die, count: int) -> None:
    names = ("b", "c", "a")
    cut = ByFace.of([names[face % 3] for face in range(die.low, die.high + 1)], ("a", "b", "never", "c"))
    counted = Counter(best_of(cut, die, faces) for faces in product(range(die.low, die.high + 1), repeat=count))
    assert dict(cut.ways(die, count)) == dict(counted)
    for faces in product(range(die.low, die.high + 1), repeat=count):
        assert cut.grade(die, faces) == best_of(cut, die, faces)


@pytest.mark.parametrize("order", [BEST, WORST])
@pytest.mark.parametrize("target", [0, 1, 40, 60, 80, 100])
def test_by_face_counts_all_pairs_of_percentile_dice(target: int, order: tuple[str, ...]) -> None:
    cut = check(target, order)
    counted = Counter(best_of(cut, D100, pair) for pair in product(range(100), repeat=2))
    assert dict(cut.ways(D100, 2)) == dict(counted)
    assert sum(counted.values()) == 10_000


def test_by_face_counts_three_percentile_dice() -> None:
    # None of three dice below 60: 40 x 40 x 40.
    cut = ByFace.of(["hit"] * 60 + ["miss"] * 40, ("hit", "miss"))
    assert dict(cut.ways(D100, 3)) == {"hit": 1_000_000 - 64_000, "miss": 64_000}
    assert dict(cut.ways(PERCENTILE, 3)) == {"hit": 936_000, "miss": 64_000}


@pytest.mark.parametrize("count", [1, 2, 3])
@pytest.mark.parametrize(("die", "bounds"), [(D6, (12, 7)), (D10, (20, 11)), (Die(0, 9), (18, 0))])
def test_by_total_counts_what_nested_loops_count(die: Die, bounds: tuple[int, int], count: int) -> None:
    for modifier in (-2, 0, 3):
        cut = ByTotal(((bounds[0], "high"), (bounds[1], "middle")), "low", modifier)
        counted: Counter[str] = Counter()
        for faces in product(range(die.low, die.high + 1), repeat=count):
            total = sum(faces) + modifier
            name = "high" if total >= bounds[0] else "middle" if total >= bounds[1] else "low"
            counted[name] += 1
            assert cut.grade(die, faces) == name
        assert dict(cut.ways(die, count)) == dict(counted)


def test_by_total_counts_two_percentile_dice() -> None:
    # Totals of 150 and more from two dice of 0..99: 49 + 48 + ... + 1 = 49 x 50 / 2 pairs.
    assert dict(ByTotal(((150, "high"),), "low").ways(D100, 2)) == {"high": 1225, "low": 8775}


def test_two_dice_at_eight_or_more() -> None:
    # Of 36 pairs 15 come to 8 or more.
    assert dict(ByTotal(((8, "success"),), "failure").ways(D6, 2)) == {"success": 15, "failure": 21}


# The numbers of the rules: literals


@pytest.mark.parametrize(("target", "successes", "failures"), [(40, 4, 6), (60, 6, 4), (80, 8, 2)])
def test_how_many_doubles_are_critical(target: int, successes: int, failures: int) -> None:
    ways = check(target).ways(D100, 1)
    assert (ways["critical success"], ways["critical failure"]) == (successes, failures)
    assert ways["success"] == target - successes
    assert ways["failure"] == 100 - target - failures


def test_an_advantage_at_60_with_criticals_always_used() -> None:
    ways = check(60).ways(D100, 2)
    assert ways["critical success"] + ways["success"] == 7968


def test_a_disadvantage_at_60_with_criticals_always_used() -> None:
    ways = check(60, WORST).ways(D100, 2)
    assert ways["critical success"] + ways["success"] == 4032


def test_the_better_and_the_worse_of_two_dice_without_criticals() -> None:
    plain = ["success"] * 60 + ["failure"] * 40
    assert ByFace.of(plain, ("success", "failure")).ways(D100, 2)["success"] == 8400
    assert ByFace.of(plain, ("failure", "success")).ways(D100, 2)["success"] == 3600


def test_an_advantage_takes_one_of_the_two_and_never_their_sum() -> None:
    cut = check(60)
    assert cut.grade(D100, (34, 61)) == cut.grade(D100, (61, 34)) == "success"
    assert cut.grade(D100, (61, 95)) == "failure"
    assert cut.grade(D100, (30, 31)) == "success"  # together 61, which would fail


def test_a_class_that_cannot_come_up_is_not_listed() -> None:
    assert "critical failure" not in check(100).ways(D100, 2)
    assert dict(ByTotal(((99, "never"),), "low").ways(D6, 2)) == {"low": 36}


@given(st.lists(st.sampled_from("abcd"), min_size=6, max_size=6), st.permutations("abcd"), st.integers(1, 4))
def test_the_ways_always_add_up_to_all_outcomes(classes: list[str], order: list[str], count: int) -> None:
    ways = ByFace.of(classes, order).ways(D6, count)
    assert sum(ways.values()) == 6**count
    assert all(number > 0 for number in ways.values())


def test_a_class_needs_a_place_in_the_order() -> None:
    with pytest.raises(StateError, match="a class has no place in the order; found: draw; expected: win, lose"):
        ByFace.of(("win", "draw"), ("win", "lose"))


def test_a_cut_must_have_a_class_for_each_face() -> None:
    with pytest.raises(StateError, match="a cut needs a class for each face; found: 2; expected: 6"):
        ByFace.of(("win", "lose"), ("win", "lose")).ways(D6, 1)


def test_cuts_that_differ_in_anything_have_other_values() -> None:
    cuts: list[Cut] = [check(60), check(61), check(60, WORST), ByTotal(((8, "s"),), "f"), ByTotal(((8, "s"),), "f", 1)]
    cuts += [ByTotal(((9, "s"),), "f"), ByTotal(((8, "s"),), "g")]
    assert len({str(cut.as_value()) for cut in cuts}) == len(cuts)


@pytest.mark.parametrize(
    ("faces", "fits"),
    [((1, 6), True), ((0, 6), False), ((1, 7), False), ((1,), False), ((1, 2, 3), False), ((True, 2), False)],
)
def test_which_faces_a_throw_can_show(faces: tuple[int, ...], fits: bool) -> None:
    assert Throw("red", "luck", D6, 2).fits(faces) is fits
