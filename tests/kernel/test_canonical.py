"""Values: frozen, in one text form, and hashed by it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from types import MappingProxyType

import pytest
from hypothesis import given

from rallypoint.kernel.canonical import canonical, digest, freeze, parse
from rallypoint.kernel.errors import StateError

from .states import values


@given(values)
def test_a_value_comes_back_from_its_text(value: object) -> None:
    frozen = freeze(value)
    assert parse(canonical(frozen)) == frozen
    assert canonical(parse(canonical(frozen))) == canonical(frozen)


@given(values)
def test_the_canonical_text_is_compact_json_that_others_read_the_same(value: object) -> None:
    text = canonical(freeze(value))
    assert json.loads(text) == json.loads(json.dumps(value))
    assert text == json.dumps(json.loads(text), ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def test_the_text_does_not_depend_on_the_order_of_keys() -> None:
    one = {"b": {"y": 1, "x": 2}, "a": [1, {"d": None, "c": True}]}
    other = {"a": [1, {"c": True, "d": None}], "b": {"x": 2, "y": 1}}
    assert canonical(one) == canonical(other) == '{"a":[1,{"c":true,"d":null}],"b":{"x":2,"y":1}}'
    for frozen in (freeze(one), freeze(other)):
        assert isinstance(frozen, Mapping)
        assert list(frozen) == ["a", "b"]


def test_letters_beyond_ascii_stand_for_themselves() -> None:
    assert canonical("Streß – 鬼") == '"Streß – 鬼"'


def test_the_digest_is_the_first_half_of_sha_256_of_the_text() -> None:
    # sha256 of the two bytes [] begins with 4f53cda18c2baa0c0354bb5f9a3ecbe5.
    assert digest(()) == "4f53cda18c2baa0c0354bb5f9a3ecbe5"
    assert digest({"a": (1, 2)}) == hashlib.sha256(b'{"a":[1,2]}').hexdigest()[:32]


def test_a_lone_surrogate_can_be_hashed() -> None:
    assert len(digest("\udc80")) == 32


def test_what_is_frozen_cannot_be_changed_and_shares_nothing_with_its_source() -> None:
    weapons = ["revolver"]
    source: dict[str, object] = {"weapons": weapons, "inner": {"x": [1]}}
    frozen = freeze(source)
    weapons.append("foam gun")
    source["more"] = [1]
    assert isinstance(frozen, Mapping)
    assert isinstance(frozen["inner"], MappingProxyType)
    assert frozen == {"weapons": ("revolver",), "inner": {"x": (1,)}}
    with pytest.raises(TypeError):
        frozen["weapons"] = ()  # type: ignore[index]


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
def test_a_number_that_json_cannot_say_is_refused_everywhere(number: float) -> None:
    for call in (freeze, canonical, digest):
        with pytest.raises(StateError):
            call({"deep": [number]})


@pytest.mark.parametrize("thing", [object(), {1, 2}, b"bytes", 1j, lambda: None])
def test_what_json_cannot_say_is_refused_by_name(thing: object) -> None:
    with pytest.raises(StateError, match="what JSON can say") as caught:
        freeze({"x": [thing]})
    assert caught.value.found == type(thing).__name__
    with pytest.raises(StateError):
        canonical([thing])


def test_keys_must_be_text() -> None:
    with pytest.raises(StateError, match="a key must be text") as caught:
        freeze({1: 2})
    assert caught.value.found == "1"


def test_an_object_that_speaks_is_kept_as_what_it_says() -> None:
    class Check:
        def as_value(self) -> object:
            return {"grade": ["s"]}

    assert freeze([Check()]) == ({"grade": ("s",)},)
    assert canonical([Check()]) == '[{"grade":["s"]}]'


@pytest.mark.parametrize("text", ["", "{", "nul", '{"a":1', "[1,]", "NaN", "[Infinity]", "[" * 200_000])
def test_text_that_is_not_json_is_a_state_error(text: str) -> None:
    with pytest.raises(StateError):
        parse(text, "entry 3")


def test_the_error_of_a_broken_text_names_what_it_was() -> None:
    with pytest.raises(StateError, match="this entry 3 is not valid JSON") as caught:
        parse('{"a":1,', "entry 3")
    assert "line 1 column 8" in str(caught.value)
