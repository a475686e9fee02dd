"""Rulings and the options that choose them: what fits, what is refused, and how it is said."""

from __future__ import annotations

import pytest

from rallypoint.kernel.errors import InputError
from rallypoint.kernel.rulings import Ruling, by_id, check_options

NERVE = Ruling("R-1", "how nerve is checked", ("d20", "d10"), ("R-8",), ("R-3",), "both measure nerve")
LEAST = Ruling("R-2", "least Stress", (2, 0, 20), ("R-8",))
CALM = Ruling("R-3", "calm", ("off", "on"), ("R-8",))
ALL = by_id([NERVE, LEAST, CALM])


def test_words_and_numbers() -> None:
    assert (NERVE.default, NERVE.numbers, NERVE.words, NERVE.expected) == ("d20", None, ("d20", "d10"), "d20 or d10")
    assert (LEAST.default, LEAST.numbers, LEAST.words) == (2, (0, 20), ("2",))
    assert LEAST.expected == "a whole number from 0 to 20"
    three = Ruling("R-4", "whose", ("red", "blue", "both"), ())
    assert (three.numbers, three.words) == (None, ("red", "blue", "both"))


def test_what_is_not_named_is_at_its_default() -> None:
    assert (NERVE.chosen({}), NERVE.chosen({"R-1": "d10"}), LEAST.chosen({"R-1": "d10"})) == ("d20", "d10", 2)


@pytest.mark.parametrize(
    ("ruling", "value", "kept"),
    [(NERVE, "d10", "d10"), (LEAST, 0, 0), (LEAST, 20, 20), (LEAST, "7", 7), (LEAST, "007", 7)],
)
def test_what_fits_is_kept_and_the_text_of_a_number_is_that_number(ruling: Ruling, value: object, kept: object) -> None:
    found = ruling.fitting(value)
    assert (found, type(found)) == (kept, type(kept))


@pytest.mark.parametrize(
    ("ruling", "value"),
    [
        *[(NERVE, value) for value in ("d6", "D10", "", 0, None, True, ["d10"], {"d10": 1})],
        *[(LEAST, value) for value in (-1, 21, "-1", "21", "x", "", " 7", "7.0", 7.0, True, None, [7], "9" * 5000)],
    ],
)
def test_what_does_not_fit_is_refused_with_what_would(ruling: Ruling, value: object) -> None:
    with pytest.raises(InputError) as caught:
        ruling.fitting(value)
    assert (caught.value.where, caught.value.expected) == (ruling.id, ruling.expected)
    assert len(str(caught.value)) < 6000


def test_numbers_may_be_below_nothing() -> None:
    below = Ruling("R-5", "how the ground lies", (0, -3, 3), ())
    assert [below.fitting(value) for value in ("-3", -2, "+1"[1:])] == [-3, -2, 1]
    for value in ("-4", "--1", "-", "+1"):
        with pytest.raises(InputError, match="a whole number from -3 to 3"):
            below.fitting(value)


def test_options_are_kept_by_id_in_order_and_cannot_be_changed() -> None:
    kept = check_options({"R-2": "7", "R-1": "d10"}, ALL)
    assert list(kept.items()) == [("R-1", "d10"), ("R-2", 7)]
    with pytest.raises(TypeError):
        kept["R-1"] = "d20"  # type: ignore[index]


def test_an_unknown_id_is_named_with_the_nearest_or_with_where_to_look() -> None:
    with pytest.raises(InputError) as caught:
        check_options({"R-11": "d10"}, ALL)
    assert (caught.value.where, caught.value.hint) == ("R-11", "did you mean R-1?")
    with pytest.raises(InputError, match="rallypoint rules show lists them; plugins bring some"):
        check_options({"something": 1}, ALL)
    with pytest.raises(InputError, match="there is no such ruling"):
        check_options({"R-1": "d20"}, {})


def test_two_that_exclude_each_other_are_refused_with_the_reason_and_the_way_out() -> None:
    with pytest.raises(InputError) as caught:
        check_options({"R-1": "d10", "R-3": "on"}, ALL)
    assert caught.value.what == "two rulings exclude each other: both measure nerve"
    assert caught.value.found == "R-1 d10 and R-3 on"
    assert caught.value.hint == "leave R-1 at d20, or R-3 at off"
    bare = by_id([NERVE._replace(because=""), CALM])
    with pytest.raises(InputError) as caught:
        check_options({"R-1": "d10", "R-3": "on"}, bare)
    assert caught.value.what == "two rulings exclude each other"


@pytest.mark.parametrize("options", [{"R-1": "d10", "R-3": "off"}, {"R-1": "d20", "R-3": "on"}, {"R-1": "d10"}])
def test_one_of_them_at_its_default_excludes_nothing(options: dict[str, object]) -> None:
    assert dict(check_options(options, ALL)) == options


def test_one_that_is_excluded_and_not_there_excludes_nothing() -> None:
    assert dict(check_options({"R-1": "d10"}, by_id([NERVE]))) == {"R-1": "d10"}
