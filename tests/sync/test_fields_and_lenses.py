"""Fields, lenses and bindings, against tables worked out by hand."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rallypoint.kernel.canonical import Value
from rallypoint.kernel.changes import SetPlace, SetTracker
from rallypoint.kernel.errors import InputError
from rallypoint.kernel.parts import Hex, Tracker, Zone
from rallypoint.kernel.state import Entity, State
from rallypoint_sync.bindings import Binding, Carrier, shown_by_battle
from rallypoint_sync.fields import OUT, PLACE, Field, change_to, value_of
from rallypoint_sync.lens_text import binding_in, binding_out, lens_in
from rallypoint_sync.lenses import Banded, Clamped, Exact, Lens, NotShownError, OnHexes, Summed, Turned
from rallypoint_sync.merge import same

STATE = State.of(
    [
        Entity.new(
            "a", "unit", trackers={"Wounds": Tracker(1, 0, 3), "Morale": Tracker(0, None, None)}, place=Hex(2, 3, 5)
        ),
        Entity.new("b", "unit", trackers={"Wounds": Tracker(2, 0, 2)}, place=Zone("woods")),
        Entity.new("c", "unit"),
    ]
)
LENSES: list[Lens] = [
    Exact(), Clamped(), Clamped(2, 9), Turned(4), Banded(3), Banded(2, ("x", "y", "z")), Summed(), OnHexes(100.5, 3, -4)
]  # fmt: skip


@pytest.mark.parametrize(
    ("field", "value"),
    [
        (Field("a", "Wounds"), 1),
        (Field("a", PLACE), ("hex", 2, 3, 5)),
        (Field("c", PLACE), None),
        (Field("c", "Wounds"), None),
        (Field("nobody", "Wounds"), None),
        (Field("a", OUT), False),
        (Field("b", OUT), True),
        (Field("nobody", OUT), None),
    ],
)
def test_the_value_of_a_field(field: Field, value: Value) -> None:
    assert value_of(STATE, field, lambda _state, uid: uid == "b") == value


@pytest.mark.parametrize(
    ("field", "value", "change"),
    [
        (Field("a", "Wounds"), 3, SetTracker("a", "Wounds", 3)),
        (Field("a", "Morale"), -7, SetTracker("a", "Morale", -7)),
        (Field("a", PLACE), ("hex", 0, 0, None), SetPlace("a", Hex(0, 0, 5))),
        (Field("a", PLACE), ("hex", 0, 0, 1), SetPlace("a", Hex(0, 0, 1))),
        (Field("b", PLACE), ("hex", 0, 0, None), SetPlace("b", Hex(0, 0, None))),
        (Field("a", PLACE), None, SetPlace("a", None)),
    ],
)
def test_the_change_that_gives_a_value(field: Field, value: Value, change: object) -> None:
    assert change_to(STATE, field, value) == change


@pytest.mark.parametrize(
    ("field", "value", "says"),
    [
        (Field("a", "Wounds"), 4, "expected: 0 to 3"),
        (Field("a", "Wounds"), -1, "expected: 0 to 3"),
        (Field("a", "Wounds"), True, "does not fit"),
        (Field("a", "Wounds"), 1.0, "does not fit"),
        (Field("a", "Stress"), 1, "Morale, Wounds"),
        (Field("c", "Stress"), 1, "it has no trackers"),
        (Field("nobody", "Wounds"), 1, "nobody of this uid"),
        (Field("a", PLACE), ("moon", 1), "no place"),
        (Field("a", PLACE), 7, "no place"),
        (Field("a", OUT), True, "follows from the rules"),
    ],
)
def test_what_does_not_fit_is_said(field: Field, value: Value, says: str) -> None:
    with pytest.raises(InputError) as raised:
        change_to(STATE, field, value)
    assert says in str(raised.value)


@pytest.mark.parametrize(
    ("lens", "value", "shown"),
    [
        (Exact(), 2, 2),
        (Clamped(low=2), 0, 2),
        (Clamped(low=2), 5, 5),
        (Clamped(high=3), 9, 3),
        (Turned(4), 1, 3),
        (Banded(4), 0, "unhurt"),
        (Banded(4), 2, "hurt"),
        (Banded(4), 3, "bad"),
        (Summed(), (1, 2, 0), 3),
        (Summed(), 2, 2),
        (OnHexes(100), ("hex", 0, 0, None), (0, 0)),
        (OnHexes(100), ("hex", 3, 0, None), (300, 0)),
        (OnHexes(100), ("hex", 0, 2, 4), (100, 173)),  # 2 rows of 86.6
        (OnHexes(100, 10, -10), ("hex", 1, 1, None), (160, 77)),
    ],
)
def test_what_is_shown(lens: Lens, value: Value, shown: Value) -> None:
    assert lens.encode(value) == shown


@pytest.mark.parametrize(
    ("lens", "shown", "value"),
    [
        (Exact(), "2", 2),
        (Exact(), " -3 ", -3),
        (Exact(), 2.0, 2),
        (Clamped(low=2), 1, 1),
        (Turned(4), 4, 0),
        (Turned(4), "5", -1),
        (OnHexes(100), (148.0, 80), ("hex", 1, 1, None)),
    ],
)
def test_what_comes_back(lens: Lens, shown: Value, value: Value) -> None:
    assert lens.decode(shown) == value


@pytest.mark.parametrize("lens", LENSES)
@pytest.mark.parametrize("shown", [None, "", "two", "1.5", "--1", "1-", "²", 2.5, True, (1,), ("x", 2), {"a": 1}])
def test_what_is_no_value(lens: Lens, shown: Value) -> None:
    with pytest.raises(NotShownError):
        lens.decode(shown)
    assert lens.tidy(shown) == shown


@pytest.mark.parametrize("lens", [Banded(3), Summed()])
def test_a_lens_that_only_shows_gives_nothing_back(lens: Lens) -> None:
    assert not lens.two_way
    with pytest.raises(NotShownError):
        lens.decode(1)


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        (2, "2", True),
        (2, 2.0, True),
        (1, True, False),
        (0, False, False),
        (True, True, True),
        (None, 0, False),
        (None, None, True),
    ],
)
def test_what_means_the_same(one: Value, other: Value, alike: bool) -> None:
    assert same(Exact(), one, other) is alike
    assert same(Exact(), other, one) is alike


@given(
    st.integers(-40, 40),
    st.integers(-40, 40),
    st.floats(-43, 43),
    st.floats(-43, 43),
    st.sampled_from([60.0, 100.0, 173.2]),
)
def test_a_token_within_its_hex_is_in_its_hex(q: int, r: int, right: float, down: float, across: float) -> None:
    """The circle within a hex has a radius of half its width: whoever is in it is nearer to this centre than to another."""
    lens = OnHexes(across, 7, -9)
    x, y = across * (q + r / 2) + 7, across * math.sqrt(3) / 2 * r - 9
    if math.hypot(right, down) < across / 2 - 1:
        assert lens.decode((x + right, y + down)) == ("hex", q, r, None)
        assert lens.tidy((x + right, y + down)) == (round(x), round(y))


@pytest.mark.parametrize("place", [None, ("zone", "woods"), ("pose", 1, 2, 0)])
def test_a_place_that_is_no_hex_is_not_shown(place: Value) -> None:
    with pytest.raises(NotShownError):
        OnHexes(100).encode(place)


@pytest.mark.parametrize(
    ("lens", "value", "says"),
    [
        (Exact(), 1, None),
        (Clamped(2), 0, "shown as 2: the least there is 2"),
        (Clamped(None, 9), 12, "shown as 9: the most there is 9"),
        (Clamped(2), 3, None),
        (Banded(3), 1, "shown as hurt only"),
        (Summed(), (1, 0), "only the sum of the stand is shown"),
        (OnHexes(9), ("hex", 1, 1, 2), "the facing is not shown"),
        (OnHexes(9), ("hex", 1, 1, None), None),
    ],
)
def test_what_is_lost(lens: Lens, value: Value, says: str | None) -> None:
    assert lens.loss(value) == says


@pytest.mark.parametrize("lens", LENSES)
@pytest.mark.parametrize("fallback", [None, Carrier("d", "flag.x")])
def test_a_binding_is_kept_as_text(lens: Lens, fallback: Carrier | None) -> None:
    binding = Binding((Field("a", "Wounds"), Field("b", PLACE)), Carrier("d", "x.y"), lens, "vtt", "battle", fallback)
    assert binding_in(Carrier("d", "x.y"), binding_out(binding)) == binding


@pytest.mark.parametrize(
    "text", ["{}", "[]", '{"fields":[],"lens":["exact"],"owner":"both","first":"ask","fallback":null}']
)
def test_what_is_no_binding(text: str) -> None:
    with pytest.raises(InputError):
        binding_in(Carrier("d", "p"), text)


def test_what_is_no_lens() -> None:
    for value in (("exact", 1), ("fish",), 3, ()):
        with pytest.raises(InputError):
            lens_in(value)


def test_who_may_answer() -> None:
    wounds = Binding((Field("a", "Wounds"),), Carrier("d", "p"), Exact())
    assert wounds.two_way
    assert not wounds._replace(owner="battle").two_way
    assert not wounds._replace(fields=(Field("a", OUT),)).two_way
    assert not wounds._replace(fields=(Field("a", "Wounds"), Field("b", "Wounds"))).two_way
    assert not wounds._replace(lens=Summed()).two_way


def test_what_the_battle_shows_of_a_stand() -> None:
    stand = Binding((Field("a", "Wounds"), Field("b", "Wounds")), Carrier("d", "p"), Summed())
    assert shown_by_battle(STATE, stand) == 3
