"""The manifest says what the code does."""

from __future__ import annotations

import importlib
import tomllib
from importlib.resources import files

import pytest

from rallypoint.kernel.encounter import Encounter, Sheet
from rallypoint.kernel.errors import InputError
from rallypoint.kernel.state import Entity, State
from rallypoint_owlbear.export import export
from rallypoint_owlbear.reading import read

MANIFEST = tomllib.loads((files("rallypoint_owlbear") / "rallypoint-plugin.toml").read_text(encoding="utf-8"))
LONE = Encounter(
    "enc",
    "Encounter",
    "disrupter",
    State.of([Entity.new("red", "side"), Entity.new("u", "unit", parent="red")]),
    {"u": Sheet("u", "Unit", "Bot", "U")},
)


def test_it_names_the_exporter() -> None:
    assert (MANIFEST["manifest"], MANIFEST["name"]) == (1, "owlbear")
    (exporter,) = MANIFEST["exporters"]
    module, _, name = exporter["run"].partition(":")
    assert getattr(importlib.import_module(module), name) is export


def test_every_choice_is_taken_and_no_other() -> None:
    (exporter,) = MANIFEST["exporters"]
    defaults = {option["name"]: option["default"] for option in exporter["options"]}
    assert export(LONE, defaults) == export(LONE, {})
    for option in exporter["options"]:
        for choice in option.get("choices", ()):
            assert export(LONE, {option["name"]: choice}).files
        if "choices" in option:
            with pytest.raises(InputError) as caught:
                export(LONE, {option["name"]: "other"})
            assert caught.value.expected == " or ".join(option["choices"])
    assert [option["name"] for option in exporter["options"] if "choices" not in option] == ["walls"]


def test_it_names_the_importer() -> None:
    (importer,) = MANIFEST["importers"]
    module, _, name = importer["run"].partition(":")
    assert (importer["name"], getattr(importlib.import_module(module), name)) == ("owlbear", read)
