"""Tables of equipment: every key is known, needed or refused."""

from __future__ import annotations

import pytest

from rallypoint.content import PageError
from rallypoint.content.catalogue import Item
from rallypoint.content.equipment_table import read_equipment_table

GOOD = """# a table
[laser]
title = "Laser"
rule = "X-1"
C = 1
Max = "infinite"
traits = ["recharge(3)"]
aliases = ["Zapper"]
ruling = "X-7"
mounts = ["torch"]
description = "Light."

[torch]
title = "Torch"
rule = "X-2"
C = 0
Max = 1
"""
KNOWN = "title, rule, description, ruling, traits, aliases, mounts, C, Max"


def read(text: str) -> tuple[Item, ...]:
    return read_equipment_table(text, "pack.toml", "weapon", ("C", "Max"))


def faults(text: str) -> list[tuple[object, ...]]:
    with pytest.raises(PageError) as caught:
        read(text)
    assert caught.value.path == "pack.toml"
    return [(each.line, each.what, each.found, each.expected, each.hint) for each in caught.value.problems]


def test_a_table() -> None:
    laser, torch = read(GOOD)
    assert laser == Item(
        "weapon",
        "laser",
        "Laser",
        "X-1",
        {"C": 1, "Max": None},
        ("recharge(3)",),
        ("Zapper",),
        "X-7",
        ("torch",),
        "Light.",
    )
    assert torch == Item("weapon", "torch", "Torch", "X-2", {"C": 0, "Max": 1})


def test_an_empty_table() -> None:
    assert read("") == ()


def test_misspelt_key() -> None:
    found = faults(GOOD.replace("description", "descripton"))
    assert found == [(2, "unknown key", "laser.descripton", KNOWN, "did you mean description?")]


def test_foreign_key() -> None:
    assert faults(GOOD + "Zorch = 3\n") == [(13, "unknown key", "torch.Zorch", KNOWN, None)]


def test_missing_keys_are_all_named() -> None:
    assert faults("[laser]\nC = 1\n") == [
        (1, "a key is missing", "laser", "laser.title", None),
        (1, "a key is missing", "laser", "laser.rule", None),
        (1, "a key is missing", "laser", "laser.Max", None),
    ]


@pytest.mark.parametrize("value", ["-1", "1.5", "true", '"many"', "[1]", "inf"])
def test_wrong_number(value: str) -> None:
    (fault,) = faults(GOOD.replace("Max = 1\n", f"Max = {value}\n"))
    assert fault[:2] == (13, "a value of the wrong type")
    assert str(fault[2]).startswith("torch.Max = ")
    assert fault[3] == 'a whole number from 0, or "infinite"'


@pytest.mark.parametrize(
    ("old", "new", "found", "expected"),
    [
        ('title = "Laser"', "title = 1", "laser.title = 1", "text"),
        ('title = "Laser"', 'title = " "', "laser.title = ' '", "text"),
        ('traits = ["recharge(3)"]', 'traits = "recharge"', "laser.traits = 'recharge'", "a list of texts"),
        ('aliases = ["Zapper"]', "aliases = [1]", "laser.aliases = [1]", "a list of texts"),
        ('mounts = ["torch"]', 'mounts = [""]', "laser.mounts = ['']", "a list of texts"),
    ],
)
def test_wrong_type(old: str, new: str, found: str, expected: str) -> None:
    assert faults(GOOD.replace(old, new)) == [(2, "a value of the wrong type", found, expected, None)]


def test_value_instead_of_a_table() -> None:
    found = faults('\nlaser = "x"\n')
    assert found[0] == (2, "this is not a table", "laser", "[laser] and keys below it", None)


@pytest.mark.parametrize(("text", "line"), [('[laser]\ntitle = "Las', 2), ("[laser]\nC = = 1\n", 2), ("[a]\n[a]\n", 2)])
def test_text_that_is_no_toml(text: str, line: int) -> None:
    (fault,) = faults(text)
    assert fault[0] == line
    assert fault[1] == "this is not TOML"


def test_cut_anywhere_gives_items_or_a_clear_error() -> None:
    outcomes = []
    for end in range(len(GOOD)):
        try:
            outcomes.append(len(read(GOOD[:end])))
        except PageError:
            outcomes.append(-1)
    # Whole only: before the first table begins, at the end of the first table, and at the very end of the second.
    assert outcomes[0] == 0
    assert outcomes[GOOD.index("[torch]")] == 1
    assert outcomes[-1] == 2
    assert outcomes[GOOD.index("Max")] == -1
