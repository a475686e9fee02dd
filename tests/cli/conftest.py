"""A folder with a small game, two exporters and a reader's roster, for the commands that read and write."""

from __future__ import annotations

from pathlib import Path

import pytest

from ..plugins.distributions import distribution

SKIRMISH = """
from types import SimpleNamespace
from rallypoint.content.catalogue import Catalogue, Item
from rallypoint.kernel.encounter import Encounter
from rallypoint.kernel.errors import InputError
from rallypoint.kernel.state import Entity, State

def _item(kind, key, title):
    return Item(kind, key, title, "S-1", {})

def catalogue():
    return Catalogue([
        _item("class", "co", "CO"), _item("class", "nco", "NCO"), _item("class", "soldier", "Soldier"),
        _item("class", "bot", "Bot"), _item("armor", "combat_armor", "Combat Armor"),
        Item("armor", "battle_dress", "Battle Dress", "S-2", {}, aliases=("Power Armor",)), _item("weapon", "revolver", "Revolver"),
    ])

def encounter(force, *, side="red"):
    units = [Entity.new(unit.uid, "unit", parent=side) for unit in force.units]
    return Encounter("key", force.title, "skirmish", State.of([Entity.new(side, "side"), *units]), {})
"""

EXPORTER = """
from rallypoint.kernel.encounter import Export
from rallypoint.kernel.errors import InputError

def export(encounter, options):
    kind = options.get("kind", "plain")
    if kind == "fails":
        raise ZeroDivisionError("by zero")
    if kind == "refuses":
        raise InputError("nobody to export", found="0 units")
    if kind == "nothing":
        return None
    names = {"outside": "../x", "absolute": "/x", "reserved": "con.txt", "twice": "LIST.txt"}
    files = {"list.txt": "\\n".join(e.uid for e in encounter.state).encode(), "deep/options.txt": repr(sorted(options.items())).encode()}
    if kind in names:
        files[names[kind]] = b"x"
    return Export(files, {"read": 2, "units": 2}, ("the boat: no water \\u2192 no boat",), ("a note",), ("Open \\u201clist.txt\\u201d.",))
"""

OPTIONS = """
[[exporters]]
name = "cards"
help = "Write cards \\u2013 one a unit."
run = "pkg_cards.out:export"
[[exporters.options]]
name = "kind"
default = "plain"
choices = ["plain", "fails", "refuses", "nothing", "outside", "absolute", "reserved", "twice"]
[[exporters.options]]
name = "copies"
type = "integer"
default = 1
[[exporters.options]]
name = "cut-marks"
default = false
"""

ROSTER = """# Green Platoon
### **Squad 1 - Infantry**
#### **Team A**
* 1 CO - Combat Armor, Revolver
* 1 Soldier - Power Armor, Revolver
### **Squad 2 - Boats - Optional**
#### **Team A**
* 1 NCO - Combat Armor, Revolver
"""


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Return the folder of the distributions; ``roster.md`` lies beside it."""
    folder = tmp_path / "site"
    folder.mkdir()
    distribution(
        folder, "skirmish", {"__init__.py": SKIRMISH}, manifest='[game]\nmodule = "pkg_skirmish"\nrosters = true\n'
    )
    distribution(folder, "cards", {"out.py": EXPORTER}, manifest=OPTIONS)
    stored = tmp_path / "config" / "rallypoint" / "disabled-plugins.txt"
    stored.parent.mkdir(parents=True)
    stored.write_text(
        "disrupter\nfoundry\nindirect-fire\nmothership\nowlbear\n"
    )  # they may be installed beside the tests, or not
    (tmp_path / "roster.md").write_text(ROSTER, encoding="utf-8")
    return folder


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the working folder of commands that run in this process, with a small scenario and its roster in it."""
    from .battles import ONLY, SCENARIO
    from .battles import ROSTER as SMALL

    for name in ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "LOCALAPPDATA", "APPDATA"):
        monkeypatch.setenv(name, str(tmp_path / name.lower()))
    monkeypatch.setenv("RALLYPOINT_PLUGINS", ONLY)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "small.md").write_text(SMALL, encoding="utf-8")
    (tmp_path / "skirmish.toml").write_text(SCENARIO, encoding="utf-8")
    return tmp_path
