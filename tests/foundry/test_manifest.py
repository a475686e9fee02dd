"""The manifest says what the code does."""

from __future__ import annotations

import importlib
import subprocess
import sys
import tomllib
from importlib.resources import files
from pathlib import Path

import pytest

import rallypoint_foundry
from rallypoint.kernel.errors import PluginError
from rallypoint_foundry.export import export
from rallypoint_foundry.importing import read
from rallypoint_foundry.profile import load_profile
from rallypoint_foundry.profile_reader import Reader

from .forces import small

MANIFEST = tomllib.loads((files("rallypoint_foundry") / "rallypoint-plugin.toml").read_text(encoding="utf-8"))


def test_it_names_the_exporter_and_the_importer() -> None:
    assert (MANIFEST["manifest"], MANIFEST["name"]) == (1, "foundry")
    (exporter,), (importer,) = MANIFEST["exporters"], MANIFEST["importers"]
    for row, function in ((exporter, export), (importer, read)):
        module, _, name = row["run"].partition(":")
        assert getattr(importlib.import_module(module), name) is function


def test_every_choice_is_taken_and_the_defaults_are_those_of_the_code() -> None:
    (exporter,) = MANIFEST["exporters"]
    rows = {option["name"]: option for option in exporter["options"]}
    defaults = {name: str(row["default"]).lower() for name, row in rows.items() if "default" in row}
    assert defaults == {
        "profile": "mosh-0.6.1", "as": "contractor", "pack": "false", "combat": "half", "revolver-bonus": "true",
        "anti-armor": "false",
    }  # fmt: skip
    assert rows["combat"]["choices"] == ["half", "equal", "archetype"]
    assert export(small(), defaults) == export(small(), {})
    for meaning in rows["as"]["choices"]:
        assert export(small(), {"as": meaning}).files
    assert rows["core"]["choices"] == ["12", "13", "14"]
    cores = {"12": "mosh-0.5.27", "13": "mosh-0.6.1", "14": "mosh-0.6.1"}
    for core, profile in cores.items():
        assert export(small(), {"profile": profile, "core": core}).files


def test_the_package_imports_nothing() -> None:
    root = str(Path(rallypoint_foundry.__path__[0]).parent)
    program = (
        f"import sys; sys.path.insert(0, {root!r}); import rallypoint_foundry; "
        "print(sorted(name for name in sys.modules if name.startswith('rallypoint')))"
    )
    run = subprocess.run([sys.executable, "-I", "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "['rallypoint_foundry']"


# The profile's own reader


def test_profile_facts() -> None:
    profile = load_profile("mosh-0.6.1")
    assert profile.name == "mosh-0.6.1"
    assert profile.cores == {"13": "13.351", "14": "14.364"}
    assert {kind.role: kind.type for kind in profile.actors} == {"unit": "creature", "platoon": "character"}
    assert profile.loyalty == (2, 10, 10)
    assert profile.undeclared == {("armor", "equipped"): "boolean"}
    assert {role: (known.instinct, known.loyalty) for role, known in profile.classes.items()} == {
        "CO": (35, True),
        "NCO": (35, True),
        "Soldier": (25, True),
        "Bot": (35, False),
    }


def test_a_role_that_needs_a_tracker_gets_no_actor_without_it() -> None:
    profile = load_profile("mosh-0.6.1")
    assert profile.actor_kind("platoon", {}) is None
    assert profile.actor_kind("team", {"Stress": 1}) is None
    kind = profile.actor_kind("platoon", {"Stress": 1})
    assert kind is not None
    assert kind.bars == ("other.stress", "hits")


@pytest.mark.parametrize(
    ("table", "says"),
    [({}, "p.damage"), ({"damage": 3}, "expected: str"), ({"damage": ["3d10"]}, "found: ['3d10']")],
)
def test_a_broken_profile_names_the_place(table: dict[str, object], says: str) -> None:
    with pytest.raises(PluginError) as caught:
        Reader("p", table).text("damage")
    assert says in str(caught.value)


def test_a_profile_table_that_is_none() -> None:
    with pytest.raises(PluginError, match="needs a table"):
        Reader("p", {"weapon": {"pistol": 3}}).tables("weapon")
