"""What has no home on the other side is named, and kept."""

from __future__ import annotations

import json
from typing import Any

import pytest

from rallypoint.kernel.encounter import Encounter, Export, Gear, Sheet
from rallypoint.kernel.errors import InputError
from rallypoint.kernel.state import State, Tracker
from rallypoint_foundry.export import export

from .forces import COMBAT_ARMOR, PULSE_RIFLE, ROBOT, Force, small

Json = dict[str, Any]


def run(force: Force) -> tuple[Export, dict[str, Json]]:
    result = export(force.encounter(), {})
    whole = json.loads(result.files["encounter.json"])
    return result, {actor["flags"]["rallypoint"]["uid"]: actor for actor in whole["actors"]}


def framed() -> Force:
    force = Force()
    force.frame()
    return force


def test_nothing_is_left_out_of_a_force_that_is_known() -> None:
    result = export(small(), {})
    assert result.left_out == ()
    # side, platoon, squad, team, three units; three bodies, four weapons
    assert result.counts == {
        "read": 7, "actors": 4, "folders": 2, "in_flags": 1, "left_out": 0,
        "gear_read": 7, "items": 7, "gear_in_stats": 0, "gear_left_out": 0,
        "combatants": 3, "tokens": 3, "tokens_left_out": 0, "tables": 0, "pages": 0,
    }  # fmt: skip


def test_an_unknown_tracker_is_kept_and_reported_once() -> None:
    force = framed()
    for uid in ("a", "b"):
        force.unit(uid, "Soldier", "red/1/A", COMBAT_ARMOR, code=uid.upper(), extra={"Ammo": Tracker(3, 0, 6, "down")})
    result, actors = run(force)
    assert result.left_out == ("tracker Ammo (a; b): no field in mosh-0.6.1, kept in our flag alone",)
    kept = {"name": "Ammo", "value": 3, "min": 0, "max": 6, "bad": "down"}
    assert kept in actors["a"]["flags"]["rallypoint"]["trackers"]


@pytest.mark.parametrize("wounds", [Tracker(1, 0, None, "up"), Tracker(1, 0, 2, "down")])
def test_wounds_that_a_bar_cannot_show(wounds: Tracker) -> None:
    force = framed()
    force.unit("u", "Soldier", "red/1/A", COMBAT_ARMOR, code="U", extra={"Wounds": wounds})
    result, actors = run(force)
    assert len(result.left_out) == 1
    assert result.left_out[0].startswith("tracker Wounds (u): hits needs a maximum and up as the bad way")
    assert actors["u"]["system"]["hits"] == {"value": 0, "min": 0, "max": 0, "label": "Wounds"}
    assert actors["u"]["flags"]["rallypoint"]["trackers"][0]["value"] == 1


def test_a_weapon_without_dice_is_an_item_with_its_own_numbers() -> None:
    force = framed()
    gun = Gear(
        "weapon",
        "rail_gun",
        "Rail Gun",
        {"C": 4, "M": 4, "L": None, "heavy": True, "T": 0, "about": "Slow and loud.", "traits": ("slow", "loud")},
    )
    force.unit("u", "Soldier", "red/1/A", COMBAT_ARMOR, gun, code="R-1A")
    result, actors = run(force)
    item = actors["u"]["items"][1]
    assert item["name"] == "Rail Gun"
    assert item["type"] == "weapon"
    assert item["system"]["damage"] == ""
    assert (
        item["system"]["description"]
        == "<p>Rail Gun: T 0, C 4, M 4, L –, heavy yes, traits slow, loud.</p><p>Slow and loud.</p>"
    )
    assert any("weapon Rail Gun (u)" in note for note in result.notes)
    assert result.left_out == ()


@pytest.mark.parametrize(
    "gear",
    [
        Gear("armor", "void_cloak", "Void Cloak", {"A": 20}),
        Gear("bot", "war_walker", "War Walker"),
        Gear("tool", "medkit", "Medkit", {"uses": 2}),
    ],
)
def test_unknown_gear_is_kept_and_reported(gear: Gear) -> None:
    force = framed()
    force.unit("u", "Soldier", "red/1/A", COMBAT_ARMOR, gear, PULSE_RIFLE, code="R-1A")
    result, actors = run(force)
    assert result.left_out == (f"{gear.kind} {gear.title} (u): no entry in mosh-0.6.1, kept in our flag alone",)
    assert [item["name"] for item in actors["u"]["items"]] == ["Combat Armor", "Pulse Rifle"]
    assert actors["u"]["flags"]["rallypoint"]["gear"][1] == {
        "kind": gear.kind,
        "key": gear.key,
        "title": gear.title,
        "facts": dict(gear.facts),
    }
    assert (result.counts["gear_read"], result.counts["items"], result.counts["gear_left_out"]) == (3, 2, 1)


def test_a_class_of_another_game() -> None:
    force = framed()
    force.unit("u", "Recruit", "red/1/A", COMBAT_ARMOR, code="U")
    result, actors = run(force)
    stats = actors["u"]["system"]["stats"]
    assert (stats["instinct"]["enabled"], stats["loyalty"]["enabled"], stats["loyalty"]["value"]) == (False, False, 0)
    assert stats["combat"]["value"] == 30
    assert result.left_out == ("class Recruit (u): no Instinct and Loyalty in mosh-0.6.1",)


@pytest.mark.parametrize(
    ("stats", "combat", "enabled"), [({"Instinct": 250}, 99, True), ({}, 0, False), ({"Instinct": 45}, 22, True)]
)
def test_strange_instinct(stats: dict[str, int], combat: int, enabled: bool) -> None:
    force = framed()
    force.add("u", "unit", "red/1/A", sheet=Sheet("u", "U", "Soldier", "U", stats))
    result, actors = run(force)
    found = actors["u"]["system"]["stats"]["combat"]
    assert (found["value"], found["enabled"]) == (combat, enabled)
    assert len(result.left_out) == (0 if stats.get("Instinct") == 45 else 1)


def test_trackers_and_gear_of_those_without_an_actor() -> None:
    force = framed()
    force.add("red/2", "squad", "red/p", code="S2", trackers={"Morale": Tracker(3, 0, 5, "down")})
    force.unit("u", "Soldier", "red/2", COMBAT_ARMOR)
    force.add("mine", "marker", "red", code="M1", trackers={"Fuse": Tracker(2, 0, 3, "down")})
    result, _ = run(force)
    assert result.left_out == (
        "team (Team A): mosh-0.6.1 has no document for it, kept in encounter.json alone",
        "tracker Morale (Red/2): a squad has no actor, kept in our flag alone",
        "marker (Mine): mosh-0.6.1 has no document for it, kept in encounter.json alone",
        "tracker Fuse (Mine): a marker has no actor, kept in our flag alone",
    )
    counts = result.counts
    assert counts["read"] == 7
    assert counts["left_out"] == 2
    assert counts["read"] == counts["actors"] + counts["folders"] + counts["in_flags"] + counts["left_out"]
    whole = json.loads(result.files["encounter.json"])
    assert [entry["uid"] for entry in whole["kept"]] == ["red/1/A", "mine"]
    assert whole["kept"][1]["trackers"][0]["value"] == 2


def test_next_steps_name_types_and_import() -> None:
    steps = " ".join(export(small(), {}).next_steps)
    assert "character or creature" in steps
    assert "Import Data" in steps


# Options and input


@pytest.mark.parametrize(
    ("options", "what", "expected", "hint"),
    [
        ({"profile": "mosh-0.5.27", "core": "13"}, "do not go together", "mosh-0.5.27 with core 12", ""),
        ({"profile": "mosh-0.6.1", "core": "12"}, "do not go together", "mosh-0.6.1 with core 14", ""),
        ({"core": "12"}, "do not go together", "mothershiprpg-0.1.0 with core 13", ""),
        ({"profile": "mothershiprpg-0.1.0", "core": "12"}, "do not go together", "mosh-0.6.1 with core 13", ""),
        ({"core": "15"}, "do not go together", "mosh-0.6.1 with core 13", ""),
        ({"profile": "mosh-0.6.2"}, "no such profile", "mosh-0.5.27", "did you mean mosh-0.6.1?"),
        ({"profile": "dnd5e"}, "no such profile", "mosh-0.6.1", "NAME.toml"),
        ({"as": "disruptor"}, "cannot mean that", "contractor or disrupter", "did you mean disrupter?"),
        ({"pack": "maybe"}, "yes or no", "true or false", ""),
        ({"cor": "13"}, "no such option", "core", "did you mean core?"),
        ({"system": "mosh-0.6.1"}, "no such option", "profile", "by its profile"),
    ],
)
def test_illegal_options(options: dict[str, str], what: str, expected: str, hint: str) -> None:
    with pytest.raises(InputError) as caught:
        export(small(), options)
    assert what in caught.value.what
    assert expected in str(caught.value.expected)
    assert hint in str(caught.value.hint)
    assert caught.value.exit_status == 2


def test_the_default_core_is_one_that_the_system_runs_on() -> None:
    cores = {"mosh-0.5.27": 12, "mosh-0.6.1": 13, "mothershiprpg-0.1.0": 13}
    for profile, core in cores.items():
        whole = json.loads(export(small(), {"profile": profile}).files["encounter.json"])
        assert whole["core"]["generation"] == core
    assert export(small(), {"profile": "mosh-0.6.1", "core": "13"}) == export(small(), {})


def test_an_empty_encounter_is_an_error() -> None:
    with pytest.raises(InputError) as caught:
        export(Encounter("demo", "Demo", "disrupter", State.of([]), {}), {})
    assert caught.value.found == "0 entities"
    assert caught.value.expected == "a platoon or a unit"


def test_a_missing_sheet_is_an_error() -> None:
    force = framed()
    force.unit("u", "Bot", "red/1/A", ROBOT)
    del force.sheets["u"]
    with pytest.raises(InputError) as caught:
        export(force.encounter(), {})
    assert caught.value.where == "u"


def test_half_a_character_is_an_error() -> None:
    force = framed()
    force.unit("u", "Bot", "red/1/A", ROBOT, name="Bot \ud800")
    with pytest.raises(InputError) as caught:
        export(force.encounter(), {})
    assert caught.value.expected == "text in UTF-8"
