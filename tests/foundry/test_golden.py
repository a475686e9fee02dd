"""Actors against literal facts: what a Warden must find on the sheet."""

from __future__ import annotations

import json
from typing import Any

import pytest

from rallypoint.kernel.encounter import Encounter, Gear
from rallypoint.kernel.state import Entity, Hex, Status, Tracker
from rallypoint_foundry.export import export

from .forces import BATTLE_DRESS, COMBAT_ARMOR, CUTTER, PULSE_RIFLE, REVOLVER, ROBOT, Force, small

Json = dict[str, Any]


def actors(encounter: Encounter) -> dict[str, Json]:
    whole = json.loads(export(encounter, {}).files["encounter.json"])
    return {actor["flags"]["rallypoint"]["uid"]: actor for actor in whole["actors"]}


def item(actor: Json, key: str) -> Json:
    (found,) = [entry for entry in actor["items"] if entry["flags"]["rallypoint"]["key"] == key]
    return dict(found)


def lone(role: str, *gear: Gear, taken: int = 0) -> Json:
    force = Force()
    force.frame()
    force.unit("u", role, "red/1/A", *gear, taken=taken)
    return actors(force.encounter())["u"]


def test_soldier_in_combat_armor_with_pulse_rifle() -> None:
    soldier = lone("Soldier", COMBAT_ARMOR, PULSE_RIFLE)
    system = soldier["system"]
    assert soldier["type"] == "creature"
    assert (system["stats"]["combat"]["value"], system["stats"]["combat"]["enabled"]) == (30, True)
    assert (system["stats"]["instinct"]["value"], system["stats"]["instinct"]["enabled"]) == (25, True)
    assert system["hits"] == {"value": 0, "min": 0, "max": 2, "label": "Wounds"}
    assert system["health"] == {"value": 1, "min": 0, "max": 1, "label": "Health"}
    assert system["netHP"] == {"value": 2, "min": 0, "max": 2, "label": "Net HP"}
    assert system["description"] == ""
    assert system["stats"]["loyalty"]["enabled"] is True
    assert 12 <= system["stats"]["loyalty"]["value"] <= 30
    assert (system["stats"]["armor"]["value"], system["stats"]["armor"]["mod"]) == (0, 0)
    assert system["stats"]["armor"]["enabled"] is True
    armor = item(soldier, "combat_armor")
    assert armor["type"] == "armor"
    assert armor["name"] == "Combat Armor"
    assert armor["system"]["armorPoints"] == 7
    assert armor["system"]["damageReduction"] == 0
    assert armor["system"]["equipped"] is True
    rifle = item(soldier, "pulse_rifle")
    assert rifle["type"] == "weapon"
    assert rifle["system"]["damage"] == "3d10"
    assert rifle["system"]["ranges"]["value"] == "Long"
    assert rifle["system"]["woundEffect"] == "Gunshot"
    assert rifle["system"]["shots"] == rifle["system"]["curShots"] == 5
    assert rifle["system"]["antiArmor"] is False
    assert "C 2, M 2, L 1" in rifle["system"]["description"]


def test_bot() -> None:
    bot = lone("Bot", ROBOT, CUTTER)
    stats = bot["system"]["stats"]
    assert stats["combat"]["value"] == 20
    assert stats["instinct"]["value"] == 35
    assert (stats["loyalty"]["value"], stats["loyalty"]["enabled"]) == (0, False)
    assert (bot["system"]["hits"]["value"], bot["system"]["hits"]["max"]) == (0, 1)
    chassis = item(bot, "basic_battlefield_robot")["system"]
    assert (chassis["armorPoints"], chassis["damageReduction"], chassis["equipped"]) == (10, 3, True)
    assert item(bot, "laser_cutter")["system"]["damage"] == "1d100"


@pytest.mark.parametrize("role", ["CO", "NCO"])
def test_officers(role: str) -> None:
    officer = lone(role, BATTLE_DRESS, REVOLVER)
    assert officer["system"]["stats"]["combat"]["value"] == 40
    assert officer["system"]["stats"]["instinct"]["value"] == 35
    assert officer["system"]["hits"]["max"] == 3
    dress = item(officer, "battle_dress")["system"]
    assert (dress["armorPoints"], dress["damageReduction"]) == (10, 3)
    assert item(officer, "revolver")["system"]["damage"] == "1d10+1"


@pytest.mark.parametrize(
    ("key", "damage", "reach", "shots", "wound"),
    [
        ("revolver", "1d10+1", "Close", 6, "Gunshot"),
        ("combat_shotgun", "4d10", "Close", 4, "Gunshot"),
        ("frag_grenade", "3d10", "Close", 1, "Fire & Explosives"),
        ("pulse_rifle", "3d10", "Long", 5, "Gunshot"),
        ("grenade_launcher", "3d10", "Long", 3, "Fire & Explosives"),
        ("laser_carbine", "2d10", "Extreme", 1, "Gunshot"),
        ("sniper_rifle", "4d10", "Extreme", 3, "Gunshot [-]"),
        ("heavy_machine_gun", "4d10", "Long", 5, "Gunshot [-]"),
        ("flamethrower", "2d10", "Close", 4, "Fire & Explosives [-]"),
        ("laser_cutter", "1d100", "Long", 6, "Bleeding [-]"),
        ("rocket_launcher", "1d100", "Extreme", 1, "Fire & Explosives [-]"),
    ],
)
def test_every_weapon(key: str, damage: str, reach: str, shots: int, wound: str) -> None:
    system = item(lone("Soldier", COMBAT_ARMOR, Gear("weapon", key, key)), key)["system"]
    assert (system["damage"], system["ranges"]["value"], system["shots"], system["woundEffect"]) == (
        damage,
        reach,
        shots,
        wound,
    )


@pytest.mark.parametrize(("taken", "net"), [(0, 3), (1, 2), (2, 1), (3, 0)])
def test_a_wounded_unit_exports_its_value(taken: int, net: int) -> None:
    # netHP is (max - taken - 1) * 1 + 1 with Health 1 of 1: what is left.
    system = lone("Soldier", BATTLE_DRESS, taken=taken)["system"]
    assert (system["hits"]["value"], system["hits"]["max"]) == (taken, 3)
    assert (system["netHP"]["value"], system["netHP"]["max"]) == (net, 3)


def test_the_platoon_is_a_character_with_stress() -> None:
    platoon = actors(small())["red/p"]
    assert platoon["type"] == "character"
    assert platoon["name"] == "First Platoon"
    assert platoon["system"]["other"]["stress"] == {"value": 4, "min": 0, "max": 20, "label": "Stress"}
    assert (
        platoon["system"]["hits"]["max"] == platoon["system"]["netHP"]["max"] == platoon["system"]["health"]["max"] == 0
    )
    assert platoon["system"]["netHP"]["value"] == 0
    assert platoon["prototypeToken"]["bar1"] == {"attribute": "other.stress"}
    assert platoon["prototypeToken"]["bar2"] == {"attribute": "hits"}
    assert platoon["prototypeToken"]["actorLink"] is True
    assert platoon["items"] == platoon["effects"] == []


def test_calm_platoon_keeps_zero() -> None:
    force = Force()
    force.frame(stress=0)
    force.unit("u", "Soldier", "red/1/A", COMBAT_ARMOR)
    assert actors(force.encounter())["red/p"]["system"]["other"]["stress"]["value"] == 0


def test_token_and_document() -> None:
    gunner = actors(small())["red/1/A/2"]
    token = gunner["prototypeToken"]
    assert token["bar1"] == {"attribute": "hits"}
    assert token["bar2"] == {"attribute": "health"}
    assert token["actorLink"] is True
    assert token["disposition"] == 1
    assert token["name"] == gunner["name"] == "Gunner"
    assert token["texture"]["src"] == gunner["img"] == "icons/svg/mystery-man.svg"
    assert gunner["ownership"] == {"default": 0}
    assert gunner["effects"] == []
    assert all("ownership" not in entry for entry in gunner["items"])
    for document in [gunner, *gunner["items"]]:
        assert document["_stats"]["systemId"] == "mosh"
        assert document["_stats"]["systemVersion"] == "0.6.1"
        assert document["_stats"]["coreVersion"] == "13.351"
        assert document["_stats"]["createdTime"] is None
        assert document["_stats"]["exportSource"] is None


def test_flag_keeps_everything() -> None:
    gunner = actors(small())["red/1/A/2"]
    flag = gunner["flags"]["rallypoint"]
    assert (flag["uid"], flag["encounter"], flag["side"], flag["kind"]) == ("red/1/A/2", "demo", "red", "unit")
    assert (flag["code"], flag["class"], flag["game"]) == ("R-1B", "Soldier", "disrupter")
    assert flag["stats"] == {"Instinct": 60, "Armor": 60, "Wounds": 2, "Movement": 2}
    assert flag["facts"]["weapons"] == ["pulse_rifle", "grenade_launcher"]
    assert flag["trackers"] == [{"name": "Wounds", "value": 1, "min": 0, "max": 2, "bad": "up"}]
    assert [entry["role"] for entry in flag["above"]] == ["side", "platoon", "squad", "team"]
    assert flag["above"][1]["trackers"] == [{"name": "Stress", "value": 4, "min": 0, "max": 20, "bad": "up"}]
    assert [entry["key"] for entry in flag["gear"]] == ["combat_armor", "pulse_rifle", "grenade_launcher"]
    assert flag["gear"][1]["facts"] == {"T": None, "C": 2, "M": 2, "L": 1, "Max": 3, "traits": []}


def test_flag_keeps_what_changes_in_play() -> None:
    force = Force()
    force.frame()
    force.unit("u", "Soldier", "red/1/A", COMBAT_ARMOR)
    force.entities[-1] = Entity.new(
        "u",
        "unit",
        parent="red/1/A",
        trackers={"Wounds": Tracker(0, 0, 2, "up")},
        statuses=[Status("suppressed", ("by", 2), "gun", 3, 4)],
        place=Hex(2, -1, 5),
        attributes={"order": ("hold", {"turns": 1})},
    )
    flag = actors(force.encounter())["u"]["flags"]["rallypoint"]
    assert flag["statuses"] == [{"name": "suppressed", "value": ["by", 2], "source": "gun", "since": 3, "until": 4}]
    assert flag["place"] == ["hex", 2, -1, 5]
    assert flag["attributes"] == {"order": ["hold", {"turns": 1}]}


def test_notes_say_who_it_is_and_escape() -> None:
    force = Force()
    force.frame()
    force.unit("u", "Soldier", "red/1/A", COMBAT_ARMOR, Gear("weapon", "pulse_rifle", "Rifle <b> & co"), code="R&D")
    actor = actors(force.encounter())["u"]
    assert "<p>R&amp;D, Soldier, contractor type marine (grunt)</p>" in actor["system"]["notes"]
    assert "<p>Red Side / First Platoon / Squad 1 / Team A</p>" in actor["system"]["notes"]
    assert "<p>In disrupter: Instinct 60, Armor 60, Wounds 2, Movement 2</p>" in actor["system"]["notes"]
    assert actor["items"][1]["system"]["description"] == "<p>Rifle &lt;b&gt; &amp; co.</p>"
    assert actor["items"][1]["name"] == "Rifle <b> & co"


def test_sides_and_folders() -> None:
    force = Force()
    force.frame("red")
    force.unit("red/u", "Soldier", "red/1/A", COMBAT_ARMOR)
    force.frame("blue")
    force.unit("blue/u", "Bot", "blue/1/A", ROBOT)
    result = export(force.encounter(), {})
    whole = json.loads(result.files["encounter.json"])
    folders = {folder["flags"]["rallypoint"]["uid"]: folder for folder in whole["folders"]}
    assert set(folders) == {"red", "red/1", "blue", "blue/1"}
    assert folders["red/1"]["folder"] == folders["red"]["_id"]
    assert folders["red"]["folder"] is None
    assert folders["red"]["name"] == "Demo: Red Side"
    assert folders["red"]["type"] == "Actor"
    by_uid = actors(force.encounter())
    assert by_uid["red/u"]["prototypeToken"]["disposition"] == 1
    assert by_uid["blue/u"]["prototypeToken"]["disposition"] == -1
    assert by_uid["blue/u"]["folder"] == folders["blue/1"]["_id"]
    assert by_uid["blue/p"]["folder"] == folders["blue"]["_id"]
    assert [entry["uid"] for entry in whole["kept"]] == ["red/1/A", "blue/1/A"]


def test_a_unit_of_no_side_is_neutral() -> None:
    force = Force()
    force.unit("stray", "Bot", None, ROBOT)  # type: ignore[arg-type]
    stray = actors(force.encounter())["stray"]
    assert stray["prototypeToken"]["disposition"] == 0
    assert stray["folder"] is None


def test_picture() -> None:
    force = Force()
    force.frame()
    force.unit("a", "Bot", "red/1/A", ROBOT, picture="https://example.org/bot.webp", code="A")
    force.unit("b", "Bot", "red/1/A", ROBOT, picture="https://example.org/bot", code="B")
    result = export(force.encounter(), {})
    by_uid = actors(force.encounter())
    assert by_uid["a"]["img"] == by_uid["a"]["prototypeToken"]["texture"]["src"] == "https://example.org/bot.webp"
    assert by_uid["b"]["img"] == "icons/svg/mystery-man.svg"
    assert [line for line in result.left_out if "https://example.org/bot (b)" in line]
    assert by_uid["b"]["flags"]["rallypoint"]["picture"] == "https://example.org/bot"


def test_stress_with_another_maximum_is_taken_over() -> None:
    force = Force()
    force.add("s", "side")
    force.add("p", "platoon", "s", trackers={"Stress": Tracker(7, 2, 10, "up")})
    force.unit("u", "Bot", "p", ROBOT)
    stress = actors(force.encounter())["p"]["system"]["other"]["stress"]
    assert (stress["value"], stress["min"], stress["max"]) == (7, 2, 10)
