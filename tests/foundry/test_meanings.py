"""What the numbers mean: contractors or Disrupter's own, on each system; literal facts for three units."""

from __future__ import annotations

import json
from typing import Any

import pytest

from rallypoint.kernel.encounter import Encounter
from rallypoint_foundry.export import export

from .forces import BATTLE_DRESS, PULSE_RIFLE, REVOLVER, Force, small

Json = dict[str, Any]


def actors(encounter: Encounter, **options: str) -> dict[str, Json]:
    found = json.loads(export(encounter, options).files["encounter.json"])["actors"]
    return {actor["name"]: actor for actor in found}


def disrupter(**options: str) -> dict[str, Json]:
    return actors(small(), **{"as": "disrupter"}, **options)


def test_disrupter_on_mosh() -> None:
    found = disrupter()
    facts = {"Captain": (80, 60), "Gunner": (60, 60), "Robot": (40, 80)}
    for name, (instinct, armor) in facts.items():
        stats = found[name]["system"]["stats"]
        assert (stats["instinct"]["value"], stats["instinct"]["enabled"]) == (instinct, True)
        assert (stats["armor"]["value"], stats["armor"]["enabled"]) == (armor, True)
        # nothing of the contractor: no Combat, no Loyalty, no armour points
        assert (stats["combat"]["value"], stats["combat"]["enabled"]) == (0, False)
        assert (stats["loyalty"]["value"], stats["loyalty"]["enabled"]) == (0, False)
        assert stats["armor"]["mod"] == 0
        assert {item["type"] for item in found[name]["items"]} == {"weapon"}
        assert "contractor" not in found[name]["system"]["notes"]
    assert found["Gunner"]["system"]["hits"] == {"value": 1, "min": 0, "max": 2, "label": "Wounds"}


def test_weapons_of_disrupter_have_its_numbers_and_no_dice() -> None:
    rifle = disrupter()["Gunner"]["items"][0]
    assert rifle["name"] == "Pulse Rifle"
    assert (rifle["system"]["damage"], rifle["system"]["woundEffect"]) == ("", "")
    assert "T –, C 2, M 2, L 1, Max 3" in rifle["system"]["description"]


def test_disrupter_counts_armour_among_the_stats() -> None:
    result = export(small(), {"as": "disrupter"})
    counts = result.counts
    assert (counts["gear_read"], counts["items"], counts["gear_in_stats"], counts["gear_left_out"]) == (7, 4, 3, 0)
    assert result.left_out == ()
    said = " ".join(result.notes)
    assert "no dice" in said
    assert "2d10" not in said


def test_the_two_meanings_keep_the_ids() -> None:
    one, two = actors(small()), disrupter()
    assert {name: actor["_id"] for name, actor in one.items()} == {name: actor["_id"] for name, actor in two.items()}
    rifles = [found["Gunner"]["items"] for found in (one, two)]
    assert rifles[0][1]["_id"] == rifles[1][0]["_id"]


def test_contractors_before_0_6() -> None:
    captain = actors(small(), profile="mosh-0.5.27")["Captain"]
    system = captain["system"]
    stats = system["stats"]
    assert (stats["combat"]["value"], stats["instinct"]["value"], stats["loyalty"]["enabled"]) == (40, 35, True)
    # creatures sum no armour points there: the item is on the sheet, the stat is off
    assert stats["armor"] == {
        "value": 0, "min": 0, "max": 99, "label": "Armor", "rollLabel": "Armor Save", "enabled": False,
    }  # fmt: skip
    armor = captain["items"][0]
    assert (armor["system"]["armorPoints"], armor["system"]["equipped"]) == (7, True)
    assert "netHP" not in system
    assert "notes" not in system
    assert "contractor type marine (officer)" in system["biography"]
    assert captain["_stats"] == {
        "systemId": "mosh", "systemVersion": "0.5.27", "coreVersion": "12.331", "createdTime": None,
        "modifiedTime": None, "lastModifiedBy": None, "compendiumSource": None, "duplicateSource": None,
    }  # fmt: skip


def test_contractors_of_the_fork() -> None:
    found = actors(small(), profile="mothershiprpg-0.1.0", core="14")
    gunner = found["Gunner"]
    assert gunner["system"]["contractor"] is True
    assert gunner["system"]["stats"]["combat"] == {
        "value": 30, "min": 0, "max": 99, "label": "Combat", "rollLabel": "Combat Check",
    }  # fmt: skip
    rifle = gunner["items"][1]["system"]
    assert (rifle["range"], rifle["damage"], rifle["shots"], rifle["damageModes"]) == ("long", "3d10", 5, [])
    assert "ranges" not in rifle
    assert gunner["_stats"]["systemId"] == "mothershiprpg"
    assert gunner["_stats"]["coreVersion"] == "14.364"
    assert found["First Platoon"]["system"]["other"]["stress"] == {"value": 4, "min": 0, "max": 20, "label": "Stress"}


def test_disrupter_on_the_fork_is_no_contractor() -> None:
    system = disrupter(profile="mothershiprpg-0.1.0")["Robot"]["system"]
    assert system["contractor"] is False
    assert (system["stats"]["instinct"]["value"], system["stats"]["armor"]["value"]) == (40, 80)
    assert (system["stats"]["combat"]["value"], system["stats"]["loyalty"]["value"]) == (0, 0)


@pytest.mark.parametrize("profile", ["mosh-0.5.27", "mosh-0.6.1", "mothershiprpg-0.1.0"])
def test_one_weapon_in_two_hands_is_two_items(profile: str) -> None:
    force = Force()
    force.frame()
    for uid in ("a", "b"):
        force.unit(uid, "Soldier", "red/1/A", BATTLE_DRESS, PULSE_RIFLE, REVOLVER, REVOLVER, name=uid)
    ids = [item["_id"] for actor in actors(force.encounter(), profile=profile).values() for item in actor["items"]]
    assert len(ids) == 8
    assert len(set(ids)) == 8


def test_a_stat_that_does_not_fit_is_named() -> None:
    encounter = small()
    sheet = encounter.sheets["red/1/A/3"]
    sheets = {**encounter.sheets, "red/1/A/3": sheet._replace(stats={"Instinct": 40})}
    result = export(encounter._replace(sheets=sheets), {"as": "disrupter"})
    assert result.left_out == ("Armor missing (Robot): gives no stats.armor.value from 0 to 99",)
