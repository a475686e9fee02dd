"""Finding equipment by the names that people write."""

from __future__ import annotations

import pytest

from rallypoint.content.catalogue import Catalogue, Item, normal
from rallypoint.kernel.errors import InputError

RIFLE = Item("weapon", "smart_rifle", "Smart Rifle", "X-1", {"C": 2, "Max": None}, ("recharge(3)", "beam"))
DRESS = Item("armor", "battle_dress", "Battle Dress", "X-2", {"A": 80}, aliases=("Power Armor",), ruling="X-9")
ROBOT = Item("bot", "robot", "Robot", "X-3", {"A": 80}, ("counts_as(battle_dress; suit)",))
KNIFE = Item("weapon", "smiths_knife", "Smith's Knife", "X-4", {"C": 1})


@pytest.fixture
def small() -> Catalogue:
    return Catalogue([RIFLE, DRESS, ROBOT, KNIFE], {"beam": "X-5"})


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("Smart-Rifle", "smart rifle"),
        ("  SMART   rifle ", "smart rifle"),
        ("smart\N{NON-BREAKING HYPHEN}rifle", "smart rifle"),
        ("smart_rifle", "smart rifle"),
        ("smart\u00a0rifle", "smart rifle"),
        ("Smart\N{EN DASH}Rifle", "smart rifle"),
        ("Smith\N{RIGHT SINGLE QUOTATION MARK}s", "smith's"),
        ("\N{LEFT DOUBLE QUOTATION MARK}A\N{RIGHT DOUBLE QUOTATION MARK}", '"a"'),
        ("Straße", "strasse"),
    ],
)
def test_normal_form(text: str, plain: str) -> None:
    assert normal(text) == plain


@pytest.mark.parametrize("text", ["Smart Rifle", "smart-rifle", "SMART RIFLES", "smart\u2011rifle", " Smart  Rifle "])
def test_spellings_of_one_name(text: str, small: Catalogue) -> None:
    found = small.find("weapon", text)
    assert found is not None
    assert (found.item, found.alias) == (RIFLE, None)


def test_curly_quote(small: Catalogue) -> None:
    found = small.find("weapon", "smith’s knife")
    assert found is not None
    assert found.item is KNIFE


@pytest.mark.parametrize("text", ["Power Armor", "power-armor", "Power Armors"])
def test_alias_is_told(text: str, small: Catalogue) -> None:
    found = small.find("armor", text)
    assert found is not None
    assert (found.item, found.alias) == (DRESS, "Power Armor")


@pytest.mark.parametrize("text", ["Battle Dres", "Battle Dresss", "Power", "", "Robot"])
def test_near_is_not_found(text: str, small: Catalogue) -> None:
    assert small.find("armor", text) is None


def test_double_s_is_no_plural(small: Catalogue) -> None:
    found = small.find("armor", "battle dress")
    assert found is not None
    assert found.item is DRESS


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("Smrt Rifle", "Smart Rifle"),
        ("smart-riffle", "Smart Rifle"),
        ("Smiths Knife", "Smith's Knife"),
        ("Plasma Cannon", None),
        ("", None),
    ],
)
def test_suggestions(text: str, title: str | None, small: Catalogue) -> None:
    assert small.suggest("weapon", text) == title


def test_an_alias_suggests_the_title(small: Catalogue) -> None:
    assert small.suggest("armor", "Powr Armor") == "Battle Dress"


def test_kinds_are_apart(small: Catalogue) -> None:
    assert list(small.weapons) == ["smart_rifle", "smiths_knife"]
    assert list(small.armor) == ["battle_dress"]
    assert list(small.bots) == ["robot"]
    assert dict(small.vehicles) == {}
    assert dict(small.classes) == {}
    assert small.titles("weapon") == "Smart Rifle, Smith's Knife"
    assert small.rules["beam"] == "X-5"


def test_traits_have_arguments() -> None:
    assert RIFLE.trait("recharge") == ("3",)
    assert RIFLE.trait("beam") == ()
    assert RIFLE.trait("rech") is None
    assert ROBOT.trait("counts_as") == ("battle_dress", "suit")


def test_numbers_that_must_have_a_limit() -> None:
    assert RIFLE.number("C") == 2
    for name in ("Max", "T"):
        with pytest.raises(InputError) as caught:
            RIFLE.number(name)
        assert caught.value.where == "smart_rifle"
        assert caught.value.expected == name


def test_item_by_key(small: Catalogue) -> None:
    assert small.item("bot", "robot") is ROBOT
    with pytest.raises(InputError) as caught:
        small.item("weapon", "robot")
    assert (caught.value.what, caught.value.found) == ("unknown weapon", "robot")
    assert caught.value.expected == "smart_rifle, smiths_knife"


def test_one_key_twice_is_refused() -> None:
    with pytest.raises(InputError) as caught:
        Catalogue([RIFLE, RIFLE])
    assert (caught.value.what, caught.value.found) == ("two entries for one weapon", "smart_rifle")


def test_one_name_for_two_is_refused() -> None:
    other = RIFLE._replace(key="other", title="Other", aliases=("smart-rifle",))
    with pytest.raises(InputError) as caught:
        Catalogue([RIFLE, other])
    assert caught.value.what == "one name for two of kind weapon"
    assert caught.value.found == "smart-rifle: smart_rifle, other"
