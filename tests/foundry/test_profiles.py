"""Profiles that people write for a system of their own: what goes in comes out, and every slip is named with its place."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from rallypoint.kernel.errors import InputError
from rallypoint.kernel.parts import Tracker
from rallypoint.kernel.state import State
from rallypoint_foundry.export import export
from rallypoint_foundry.importing import read
from rallypoint_foundry.profile import load_profile, read_profile
from rallypoint_foundry.profile_reader import merged

from .forces import small

Json = dict[str, Any]

EXTENDED = """
profile = 1
extends = "mosh-0.6.1"
system = "house-mosh"
version = "2.0.0"

[weapon.pulse_rifle]
damage = "4d10"

[cores]
13 = "13.351"
"""

OWN_TEMPLATE: Json = {
    "Actor": {
        "types": ["trooper", "unit"],
        "templates": {"pods": {"wounds": {"value": 0, "max": 3}, "grit": {"value": 1, "max": 9}}},
        "trooper": {"templates": ["pods"], "skill": 0, "text": "", "elite": False},
        "unit": {"templates": ["pods"], "text": ""},
    },
    "Item": {
        "types": ["gun", "suit"],
        "gun": {"description": "", "dice": "", "reach": "near"},
        "suit": {"description": "", "plates": 0},
    },
}
OWN = """
profile = 1
system = "boots"
version = "1.2.3"
template = "template.json"
folders = ["squad"]
columns = []
cores = { 14 = "14.364" }
loyalty = { dice = 2, sides = 10, plus = 10 }

[[actors]]
role = "unit"
type = "trooper"
combatant = true
notes = "text"
bars = ["wounds", "grit"]
trackers = { Wounds = { pod = "wounds", bad = "up" } }
fixed = { elite = true }

[as.disrupter]
armor = "items"
dice = true
stats = [{ path = "skill", from = "stat", stat = "Instinct", divide = 10 }]

[armor.combat_armor]
armorPoints = 4
damageReduction = 0

[weapon.pulse_rifle]
damage = "2d6"
range = "Long"
shots = 1
wound = ""

[items.weapon]
type = "gun"
damage = ["dice"]
range = ["reach"]
ranges = { Long = "far" }

[items.armor]
type = "suit"
points = ["plates"]
"""


def written(folder: Path, text: str, template: Json | None = None) -> str:
    path = folder / "boots.toml"
    path.write_text(text, encoding="utf-8")
    if template is not None:
        (folder / "template.json").write_text(json.dumps(template), encoding="utf-8")
    return str(path)


def test_a_profile_extends_a_shipped_one(tmp_path: Path) -> None:
    path = written(tmp_path, EXTENDED)
    document = json.loads(export(small(), {"profile": path}).files["encounter.json"])
    assert document["system"] == {"id": "house-mosh", "version": "2.0.0"}
    gunner = next(actor for actor in document["actors"] if actor["name"] == "Gunner")
    rifle = gunner["items"][1]["system"]
    assert (rifle["damage"], rifle["ranges"]["value"], rifle["shots"]) == ("4d10", "Long", 5)
    assert gunner["_stats"]["systemId"] == "house-mosh"


def test_its_cores_are_its_own(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"house-mosh-2.0.0 with core 13"):
        export(small(), {"profile": written(tmp_path, EXTENDED), "core": "14"})


def test_a_system_of_its_own(tmp_path: Path) -> None:
    path = written(tmp_path, OWN, OWN_TEMPLATE)
    result = export(small(), {"profile": path, "as": "disrupter"})
    document = json.loads(result.files["encounter.json"])
    assert [folder["name"] for folder in document["folders"]] == ["Squad 1"]
    captain, gunner, robot = document["actors"]
    assert {actor["type"] for actor in document["actors"]} == {"trooper"}
    assert [actor["system"]["skill"] for actor in (captain, gunner, robot)] == [8, 6, 4]
    assert gunner["system"]["wounds"] == {"value": 1, "max": 2}
    assert gunner["system"]["elite"] is True
    assert gunner["prototypeToken"]["bar2"] == {"attribute": "grit"}
    assert [(item["name"], item["type"]) for item in gunner["items"]] == [
        ("Combat Armor", "suit"), ("Pulse Rifle", "gun"), ("Grenade Launcher", "gun"),
    ]  # fmt: skip
    assert gunner["items"][0]["system"]["plates"] == 4
    assert (gunner["items"][1]["system"]["dice"], gunner["items"][1]["system"]["reach"]) == ("2d6", "far")
    assert document["core"]["generation"] == 14
    manifest = json.loads(result.files["rallypoint-demo/module.json"])
    assert manifest["relationships"]["systems"][0]["id"] == "boots"


def test_it_says_only_what_it_means(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        export(small(), {"profile": written(tmp_path, OWN, OWN_TEMPLATE)})
    assert (caught.value.found, caught.value.expected) == ("contractor", "disrupter")


SLIPS = [
    ('system = "boots"', 'sistem = "boots"', "system", "did you write sistem?"),
    ('version = "1.2.3"', "version = 1.2", "version", "expected: str"),
    ("profile = 1", "profile = 2", "profile", "expected: 1"),
    ("columns = []", "columns = []\nfodlers = []", "fodlers", "did you mean folders?"),
    ('type = "trooper"', 'type = "troper"', "actors[0]", "did you mean trooper?"),
    ('pod = "wounds"', 'pod = "wunds"', "wunds", "did you mean wounds?"),
    ('bars = ["wounds", "grit"]', 'bars = ["wounds", "skill"]', "actors[0]", "skill.value"),
    ('bad = "up"', 'bad = "upp"', "trackers.Wounds.bad", "did you mean up?"),
    ('bars = ["wounds", "grit"]', 'bars = ["wounds"]', "bars", "two bars"),
    ('path = "skill"', 'path = "skil"', "as.disrupter", "did you mean skill?"),
    ("elite = true", "elit = true", "elit", "did you mean elite?"),
    ('from = "stat"', 'from = "stats"', "stats[0].from", "did you mean stat?"),
    ("divide = 10", "divide = 0", "divide", "1 or more"),
    ("[as.disrupter]", "[as.disruptor]", "as", "did you mean disrupter?"),
    ('armor = "items"', 'armor = "item"', "as.disrupter.armor", "did you mean items?"),
    ('damage = ["dice"]', 'damage = ["dize"]', "items.weapon", "did you mean dice?"),
    ('points = ["plates"]', "points = [3]", "items.armor.points", "found: 3"),
    ('14 = "14.364"', '15 = "15.1"', "cores.15", "12 to 14"),
    ('14 = "14.364"', '14 = "13.351"', "cores.14", "13.351"),
    ("shots = 1", "shots = true", "weapon.pulse_rifle.shots", "expected: int"),
    ('wound = ""', 'wond = ""', "weapon.pulse_rifle.wound", "did you write wond?"),
    ("armorPoints = 4", 'armorPoints = "4"', "armor.combat_armor.armorPoints", "expected: int"),
    ("[[actors]]", "[actors]", "actors", "expected: list"),
    ('template = "template.json"', "", "template", 'extends = "mosh-0.6.1"'),
]


@pytest.mark.parametrize(("right", "wrong", "place", "says"), SLIPS, ids=[slip[1] or "nothing" for slip in SLIPS])
def test_a_slip_is_named(tmp_path: Path, right: str, wrong: str, place: str, says: str) -> None:
    assert OWN.count(right) >= 1
    path = written(tmp_path, OWN.replace(right, wrong, 1), OWN_TEMPLATE)
    with pytest.raises(InputError) as caught:
        read_profile(path)
    assert "boots.toml" in str(caught.value)
    assert place in str(caught.value)
    assert says in str(caught.value)
    assert caught.value.exit_status == 2


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        read_profile(str(tmp_path / "nowhere.toml"))
    with pytest.raises(InputError, match=r"boots.toml:2: this is not TOML"):
        read_profile(written(tmp_path, "profile = 1\nsystem = ,\n"))
    with pytest.raises(InputError, match=r"template.json: the template cannot be read"):
        read_profile(written(tmp_path, OWN))
    (tmp_path / "template.json").write_text("{\n,", encoding="utf-8")
    with pytest.raises(InputError, match=r"template.json:2: this is not JSON"):
        read_profile(written(tmp_path, OWN))
    with pytest.raises(InputError, match=r"no template\.json"):
        read_profile(written(tmp_path, OWN, {"Actor": ["creature"]}))
    (tmp_path / "latin.toml").write_bytes(b'system = "\xe9"')
    with pytest.raises(InputError, match="not UTF-8; found: byte 10"):
        read_profile(str(tmp_path / "latin.toml"))
    (tmp_path / "latin.toml").write_bytes(b'\xef\xbb\xbfsystem = "\xe9"')  # the mark is three bytes of the file
    with pytest.raises(InputError, match="not UTF-8; found: byte 13"):
        read_profile(str(tmp_path / "latin.toml"))


def test_an_unknown_base_is_guessed(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"did you mean mosh-0.6.1\?"):
        read_profile(written(tmp_path, EXTENDED.replace("mosh-0.6.1", "mosh-0.6.0")))


def test_an_undeclared_key_needs_a_source(tmp_path: Path) -> None:
    row = '\n[[undeclared]]\ndocument = "suit"\npath = "worn"\nkind = "boolean"\n'
    text = OWN.replace('points = ["plates"]', 'points = ["plates"]\nworn = ["worn"]') + row
    with pytest.raises(InputError, match=r"undeclared\[0\].source"):
        read_profile(written(tmp_path, text, OWN_TEMPLATE))
    path = written(tmp_path, text + 'source = "seen on its sheet"\n', OWN_TEMPLATE)
    document = json.loads(export(small(), {"profile": path, "as": "disrupter"}).files["encounter.json"])
    assert document["actors"][0]["items"][0]["system"]["worn"] is True


def test_merging_replaces_what_profiles_do_not_share() -> None:
    assert merged({"cores": {"12": "a"}, "x": {"y": 1}}, {"cores": {"13": "b"}, "x": {"z": 2}}) == {
        "cores": {"13": "b"},
        "x": {"y": 1, "z": 2},
    }
    assert load_profile("mosh-0.5.27").cores == {"12": "12.331"}


def test_a_tracker_of_a_plugin_goes_into_the_field_that_a_profile_gives_it_else_into_our_flag(tmp_path: Path) -> None:
    ammo = Tracker(3, 0, 6, "down")
    plain = small()
    entities = [
        each._replace(trackers={**each.trackers, "Ammo": ammo}) if each.role == "unit" else each for each in plain.state
    ]
    encounter = plain._replace(state=State.of(entities))
    with_field = OWN.replace("trackers = { Wounds", 'trackers = { Ammo = { pod = "grit", bad = "down" }, Wounds')
    result = export(encounter, {"profile": written(tmp_path, with_field, OWN_TEMPLATE), "as": "disrupter"})
    actors = json.loads(result.files["encounter.json"])["actors"]
    assert [actor["system"]["grit"] for actor in actors] == [{"value": 3, "max": 6}] * 3
    assert not [line for line in result.left_out if "Ammo" in line]
    actors[1]["system"]["grit"]["value"] = 1
    files = {f"{number}.json": json.dumps(actor).encode() for number, actor in enumerate(actors)}
    found = read(files, {"profile": str(tmp_path / "boots.toml")}).encounter.state
    assert [unit.value("Ammo") for unit in found if unit.role == "unit"] == [3, 1, 3]
    without = export(encounter, {"profile": written(tmp_path, OWN, OWN_TEMPLATE), "as": "disrupter"})
    (line,) = [line for line in without.left_out if "Ammo" in line]
    assert line.endswith("no field in boots-1.2.3, kept in our flag alone")
    for actor in json.loads(without.files["encounter.json"])["actors"]:
        assert {"name": "Ammo", **ammo._asdict()} in actor["flags"]["rallypoint"]["trackers"]
