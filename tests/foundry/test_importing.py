"""Exported actors read back: everything of ours without loss, what the sheets say now, and actors that were never ours."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rallypoint.kernel.encounter import SENT, Encounter, Gear, Imported
from rallypoint.kernel.errors import InputError
from rallypoint.kernel.state import Entity, Hex, State, Status, Tracker
from rallypoint_foundry.export import export
from rallypoint_foundry.importing import read

from .forces import COMBAT_ARMOR, REVOLVER, Force, large, small

Json = dict[str, Any]
CAPTAIN, GUNNER, ROBOT, PLATOON = "red/1/A/1", "red/1/A/2", "red/1/A/3", "red/p"


def singles(encounter: Encounter, **options: str) -> dict[str, Json]:
    """Actor files by the uid of the actor."""
    files = export(encounter, options).files
    found = [json.loads(data) for name, data in files.items() if name.startswith("actors/")]
    return {actor["flags"]["rallypoint"]["uid"]: actor for actor in found}


def taken(*actors: Json) -> Imported:
    return read({f"{number}.json": json.dumps(actor).encode() for number, actor in enumerate(actors)}, {})


def back(encounter: Encounter, **options: str) -> Encounter:
    return read({"encounter.json": export(encounter, options).files["encounter.json"]}, {}).encounter


def without_sent(entity: Entity) -> Entity:
    attributes = {name: value for name, value in entity.attributes.items() if name != SENT}
    return Entity.new(**{**entity._asdict(), "attributes": attributes, "statuses": entity.statuses.values()})


@pytest.mark.parametrize("meaning", ["contractor", "disrupter"])
@pytest.mark.parametrize(
    ("profile", "core"), [("mosh-0.5.27", "12"), ("mosh-0.6.1", "14"), ("mothershiprpg-0.1.0", "13")]
)
def test_out_and_in_again_is_equal(profile: str, core: str, meaning: str) -> None:
    for encounter in (small(), large(9)):
        found = back(encounter, profile=profile, core=core, **{"as": meaning})
        assert [without_sent(entity) for entity in found.state] == list(encounter.state)
        assert dict(found.sheets) == dict(encounter.sheets)
        assert (found.key, found.title, found.game) == (encounter.key, encounter.title, encounter.game)


def test_statuses_places_and_attributes_come_back() -> None:
    base = small()
    unit = Entity.new(
        "u", "unit", parent="red/1/A", facts={"class": "Bot", "list": [1, {"a": None}]},
        trackers={"Wounds": Tracker(1, 0, 2, "up"), "Ammo": Tracker(3, None, None, "down")},
        statuses=[Status("suppressed", {"by": "x"}, "rule", 3, 9)], place=Hex(2, -1, 4), attributes={"mark": True},
    )  # fmt: skip
    sheet = base.sheets[ROBOT]._replace(uid="u", notes=("one", "two"), picture="a.png")
    encounter = base._replace(state=State.of([*base.state, unit]), sheets={**base.sheets, "u": sheet})
    found = back(encounter)
    assert without_sent(found.state["u"]) == unit
    assert found.sheets["u"] == sheet


def test_an_adventure_is_read_like_the_encounter() -> None:
    files = export(small(), {}).files
    (source,) = [data for name, data in files.items() if "/adventure_" in name]
    found = read({"adventure.json": source}, {})
    assert found.counts == {"read": 4, "actors": 4, "twice": 0, "left_out": 0}
    assert found.encounter.title == "Demo"
    assert [without_sent(found.encounter.state[uid]) for uid in (CAPTAIN, ROBOT)] == [
        small().state[uid] for uid in (CAPTAIN, ROBOT)
    ]


def test_single_actors_bring_what_stands_above_them() -> None:
    found = taken(singles(small())[GUNNER]).encounter
    assert [(entity.uid, entity.role, entity.parent) for entity in found.state] == [
        ("red", "side", None), ("red/p", "platoon", "red"), ("red/1", "squad", "red/p"), ("red/1/A", "team", "red/1"),
        (GUNNER, "unit", "red/1/A"),
    ]  # fmt: skip
    assert found.state[PLATOON].trackers["Stress"] == Tracker(4, 0, 20, "up")
    assert found.state[PLATOON].attributes[SENT] == {"Stress": 4}


def company() -> Encounter:
    """Two squads whose names sort the other way round, with fields that nobody here knows, one of an awkward name."""
    force = Force("vorona", "Отряд Ворон ")
    force.frame()
    force.add("red/0", "squad", "red/p", name="Squad 0")
    force.add("red/0/Z", "team", "red/0", name="Team Z")
    force.add("red/0/B", "team", "red/0", name="Team B")
    names = ["Yuri", "Anna", "Zoe", "Boris", "Xenia", "Clara"]
    teams = ["red/1/A", "red/1/A", "red/0/Z", "red/0/Z", "red/0/B", "red/0/B"]
    for number, (name, team) in enumerate(zip(names, teams, strict=True)):
        force.unit(f"u{9 - number}", "Soldier", team, COMBAT_ARMOR, REVOLVER, name=name)
    encounter = force.encounter()
    extra: dict[str, dict[str, object]] = {
        "red/1/A": {"extra": {"callsign": "Ворон", "call.sign": 2}, "vehicle": "raft"},
        "red/0": {"extra": {"-=motto": ["a.b", {"==": 1}]}},
        "red/p": {"extra": {"patron": "none"}},
        "u9": {"extra": {"blood.type": "0"}},
    }
    entities = [
        Entity.new(**{**each._asdict(), "facts": {**each.facts, **extra.get(each.uid, {})}, "statuses": ()})
        for each in encounter.state
    ]
    return encounter._replace(state=State.of(entities))


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("with_platoon", [True, False])
def test_single_actors_are_the_same_force(turned: bool, with_platoon: bool) -> None:
    encounter = company()
    actors = [actor for uid, actor in sorted(singles(encounter).items()) if with_platoon or uid != "red/p"]
    found = taken(*(actors[::-1] if turned else actors)).encounter
    assert (found.key, found.title) == ("vorona", "Отряд Ворон ")
    assert {entity.uid: without_sent(entity) for entity in found.state} == {each.uid: each for each in encounter.state}
    assert [found.sheets[entity.uid].name for entity in found.state if entity.role in ("team", "unit")] == [
        "Team A", "Yuri", "Anna", "Team Z", "Zoe", "Boris", "Team B", "Xenia", "Clara",
    ]  # fmt: skip


def test_some_of_the_actors_stand_in_order() -> None:
    actors = singles(company())
    found = taken(actors["u4"], actors["u6"], actors["u9"]).encounter
    assert [entity.uid for entity in found.state if entity.role == "unit"] == ["u9", "u6", "u4"]


def test_facts_that_are_no_json_are_named() -> None:
    actor = singles(company())["u9"]
    assert isinstance(actor["flags"]["rallypoint"]["facts"], str)
    actor["flags"]["rallypoint"]["facts"] = "{"
    with pytest.raises(InputError, match=r"0.json: facts: these facts are no JSON"):
        taken(actor)


# What the sheets say now


def test_wounds_and_stress_are_those_of_the_sheets() -> None:
    actors = singles(small())
    actors[CAPTAIN]["system"]["hits"]["value"] = 2
    actors[PLATOON]["system"]["other"]["stress"]["value"] = 9
    found = taken(*actors.values()).encounter.state
    assert (found[CAPTAIN].value("Wounds"), found[PLATOON].value("Stress"), found[GUNNER].value("Wounds")) == (2, 9, 1)
    assert found[CAPTAIN].attributes[SENT] == {"Wounds": 0}
    assert found[PLATOON].attributes[SENT] == {"Stress": 4}


@pytest.mark.parametrize(("true", "shown", "now"), [(0, 2, 0), (4, 4, 4), (0, 3, 3), (4, 2, 2), (0, 0, 0), (4, 5, 5)])
def test_a_minimum_of_the_world_is_no_edit(true: int, shown: int, now: int) -> None:
    force = Force()
    force.frame(stress=true)
    force.unit("u", "Bot", "red/1/A", COMBAT_ARMOR)
    platoon = singles(force.encounter())["red/p"]
    platoon["system"]["other"]["stress"].update(min=2, value=shown)
    found = taken(platoon)
    assert found.encounter.state["red/p"].value("Stress") == now
    assert found.encounter.state["red/p"].trackers["Stress"].min == 0
    assert found.notes == ("red/p: Stress cannot be shown below 2 there",)


def test_a_value_outside_the_limits_is_moved_and_told() -> None:
    captain = singles(small())[CAPTAIN]
    captain["system"]["hits"] = {"value": 7, "min": 0, "max": 9, "label": "Wounds"}
    found = taken(captain)
    assert found.encounter.state[CAPTAIN].value("Wounds") == 2
    assert found.notes == (f"{CAPTAIN}: Wounds 7 is outside 0 to 2: taken as 2",)


def test_a_sheet_without_the_field_leaves_the_value() -> None:
    gunner = singles(small())[GUNNER]
    del gunner["system"]["hits"]
    found = taken(gunner)
    assert found.encounter.state[GUNNER].value("Wounds") == 1
    assert found.left_out == (f"tracker Wounds ({GUNNER}): the sheet has no hits, so it counts as unchanged",)


def test_a_number_with_a_point_is_a_number() -> None:
    gunner = singles(small())[GUNNER]
    gunner["system"]["hits"]["value"] = 2.0
    assert taken(gunner).encounter.state[GUNNER].value("Wounds") == 2


def test_what_people_add_does_no_harm() -> None:
    gunner = singles(small())[GUNNER]
    gunner["name"] = "Renamed"
    gunner["items"].append({"name": "Medkit", "type": "item", "system": {}})
    gunner["flags"]["other-module"] = {"x": 1}
    del gunner["_id"]
    found = taken(gunner).encounter
    assert found.sheets[GUNNER].name == "Gunner"
    assert [gear.title for gear in found.sheets[GUNNER].gear] == ["Combat Armor", "Pulse Rifle", "Grenade Launcher"]


def test_the_same_actor_twice() -> None:
    gunner = singles(small())[GUNNER]
    assert taken(gunner, gunner).counts == {"read": 2, "actors": 1, "twice": 1, "left_out": 0}
    other = json.loads(json.dumps(gunner))
    other["system"]["hits"]["value"] = 2
    found = taken(gunner, other)
    assert found.conflicts == (f"Wounds of {GUNNER}: 1, but 2 in 1.json",)
    assert "Wounds" not in found.encounter.state[GUNNER].trackers


def test_an_actor_of_somebody_else_among_ours_is_left_out() -> None:
    actors = singles(small())
    stranger = {**actors[ROBOT], "name": "Ship's Cat", "flags": {}}
    found = taken(actors[GUNNER], stranger)
    assert found.counts == {"read": 2, "actors": 1, "twice": 0, "left_out": 1}
    assert found.left_out == ("actor Ship's Cat (1.json): it has no record of ours; read such actors by themselves",)


# Actors that were never ours: written by hand, as the sheets of mosh keep them.

GUARD: Json = {
    "_id": "abcdefABCDEF0123", "name": "Bodyguard", "type": "creature", "img": "tokens/guard.webp",
    "system": {
        "hits": {"value": 1, "min": 0, "max": 2, "label": "Wounds"}, "health": {"value": 0, "min": 0, "max": 0},
        "stats": {
            "combat": {"value": 30, "enabled": True}, "instinct": {"value": 25, "enabled": True},
            "loyalty": {"value": 17, "enabled": True}, "speed": {"value": 10, "enabled": False},
        },
        "contractor": {"isNamed": True, "baseSalary": 2000, "role": "Bodyguard", "motivation": "Debt", "hiddenMotivation": ""},
        "notes": "<p>Left arm</p><ul><li>is a &amp; b</li></ul>",
    },
    "items": [
        {"name": "SMG", "type": "weapon", "system": {"damage": "2d10", "ranges": {"value": "Long"}, "shots": 5,
            "woundEffect": "Gunshot", "antiArmor": False}},
        {"name": "Standard Crew Attire", "type": "armor", "system": {"armorPoints": 1, "damageReduction": 0,
            "speed": "", "equipped": True}},
        {"name": "Flask", "type": "item", "system": {"quantity": 1}},
    ],
    "effects": [], "flags": {}, "_stats": {"systemId": "mosh", "systemVersion": "0.6.1"},
}  # fmt: skip


def test_a_stranger_is_a_contractor() -> None:
    found = taken(GUARD)
    encounter = found.encounter
    assert encounter.game == "mothership"
    (unit,) = encounter.state
    sheet = encounter.sheets[unit.uid]
    assert (unit.uid, unit.role, unit.parent) == ("foundry-abcdefABCDEF0123", "unit", None)
    assert dict(unit.trackers) == {"Wounds": Tracker(1, 0, 2, "up")}  # Health of 0 of 0 is none
    assert (unit.facts["salary"], unit.facts["motivation"]) == (2000, "Debt")
    assert "hidden_motivation" not in unit.facts
    assert (sheet.name, sheet.role, sheet.picture) == ("Bodyguard", "Bodyguard", "tokens/guard.webp")
    assert dict(sheet.stats) == {"Combat": 30, "Instinct": 25, "Loyalty": 17}
    assert sheet.notes == ("Left arm", "is a & b")
    assert found.notes[0].startswith("no actor has a record of ours")


def test_gear_of_a_stranger() -> None:
    weapon, armor, flask = next(iter(taken(GUARD).encounter.sheets.values())).gear
    assert weapon == Gear(
        "weapon", "smg", "SMG",
        {"anti_armor": False, "damage": "2d10", "range": "Long", "shots": 5, "wound": "Gunshot"},
    )  # fmt: skip
    assert (armor.kind, armor.title, dict(armor.facts)) == (
        "armor", "Standard Crew Attire", {"armor_points": 1, "damage_reduction": 0, "equipped": True, "speed": ""},
    )  # fmt: skip
    assert (flask.kind, flask.title, dict(flask.facts)) == ("item", "Flask", {"quantity": 1})


def test_nothing_of_a_stranger_is_lost() -> None:
    (unit,) = taken(GUARD).encounter.state
    extra: Any = unit.facts["extra"]
    assert extra["foundry"]["system"]["stats"]["speed"]["value"] == 10
    assert extra["foundry"]["items"][2]["system"]["quantity"] == 1


def test_a_character_has_stress_and_the_fork_its_own_range() -> None:
    fork = {
        **GUARD, "type": "character",
        "system": {**GUARD["system"], "other": {"stress": {"value": 5, "min": 2, "max": 20}}, "contractor": True},
        "items": [{"name": "Rifle", "type": "weapon", "system": {"damage": "3d10", "range": "extreme", "shots": 2}}],
    }  # fmt: skip
    (unit,) = taken(fork).encounter.state
    assert unit.trackers["Stress"] == Tracker(5, 0, 20, "up")
    assert next(iter(taken(fork).encounter.sheets.values())).gear[0].facts["range"] == "Extreme"


def test_a_ship_is_left_out() -> None:
    found = taken(GUARD, {**GUARD, "name": "Tempest", "type": "ship"})
    assert found.counts == {"read": 2, "actors": 1, "twice": 0, "left_out": 1}
    assert found.left_out == ("actor Tempest (1.json): of a ship no contractor is made",)


HERO: Json = {
    "name": "Durin", "type": "character", "system": {"abilities": {"str": {"value": 16}}, "attributes": {"hp": {"value": 9}}},
    "items": [], "flags": {}, "_stats": {"systemId": "dnd5e", "systemVersion": "4.0.0"},
}  # fmt: skip


@pytest.mark.parametrize(
    ("actor", "says"),
    [
        (HERO, "actor Durin (0.json): it is of the system dnd5e, not of mosh or mothershiprpg"),
        (HERO | {"type": "npc"}, "actor Durin (0.json): it is of the system dnd5e, not of mosh or mothershiprpg"),
        # what looks like ours and says that it is another's
        (GUARD | {"_stats": {"systemId": "dnd5e"}}, "actor Bodyguard (0.json): it is of the system dnd5e"),
        (HERO | {"_stats": {}}, "it does not say its system, and has none of health, hits, stats"),
        ({**HERO, "name": None}, "an actor without a name (0.json): it is of the system dnd5e"),
        (GUARD | {"type": "ship"}, "actor Bodyguard (0.json): of a ship no contractor is made"),
    ],
)
def test_nobody_of_whom_a_unit_could_be_made(actor: Json, says: str) -> None:
    with pytest.raises(InputError) as caught:
        taken(actor)
    assert "there is nobody in these files of whom a unit could be made" in str(caught.value)
    assert says in str(caught.value)
    assert "expected: an actor of type creature or character of mosh or mothershiprpg" in str(caught.value)


def test_actors_of_another_system_among_others_are_left_out() -> None:
    found = taken(GUARD, HERO)
    assert found.counts == {"read": 2, "actors": 1, "twice": 0, "left_out": 1}
    assert found.left_out == ("actor Durin (1.json): it is of the system dnd5e, not of mosh or mothershiprpg",)


@pytest.mark.parametrize("stats", [{}, {"systemId": None}, None])
def test_an_actor_that_does_not_say_its_system_is_taken_and_told(stats: object) -> None:
    found = taken(GUARD | {"_stats": stats})
    assert found.counts["actors"] == 1
    assert "0.json: it does not say its system: taken as one of mosh" in found.notes


def test_a_system_of_ones_own_is_taken_by_its_profile(tmp_path: Path) -> None:
    profile = tmp_path / "house.toml"
    profile.write_text('profile = 1\nextends = "mosh-0.6.1"\nsystem = "house-mosh"\n', encoding="utf-8")
    actor = GUARD | {"_stats": {"systemId": "house-mosh"}}
    with pytest.raises(InputError, match=r"--profile my-system\.toml"):
        taken(actor)
    files = {"0.json": json.dumps(actor).encode()}
    assert read(files, {"profile": str(profile)}).counts["actors"] == 1


def test_a_stranger_without_an_id_is_named_by_its_file() -> None:
    nameless = {key: value for key, value in GUARD.items() if key != "_id"}
    found = read({"folder/fvtt-Actor-guard.json": json.dumps(nameless).encode()}, {})
    assert [entity.uid for entity in found.encounter.state] == ["foundry-fvtt-actor-guard"]


# What cannot be understood


def _no_items(actor: Json) -> None:
    actor["flags"]["rallypoint"]["gear"] = None


def _no_trackers(actor: Json) -> None:
    actor["flags"]["rallypoint"]["trackers"] = None


def _nested_count(actor: Json) -> None:
    actor["system"]["hits"]["value"] = {"value": 1}


def _text_count(actor: Json) -> None:
    actor["system"]["hits"]["value"] = "1"


def _newer_record(actor: Json) -> None:
    actor["flags"]["rallypoint"]["v"] = 2


def _flag_text(actor: Json) -> None:
    actor["flags"]["rallypoint"] = "mine"


def _no_uid(actor: Json) -> None:
    del actor["flags"]["rallypoint"]["uid"]


def _odd_place(actor: Json) -> None:
    actor["flags"]["rallypoint"]["above"] = [None]


def _odd_status(actor: Json) -> None:
    actor["flags"]["rallypoint"]["statuses"] = [{"name": "x"}]


def _odd_bad(actor: Json) -> None:
    actor["flags"]["rallypoint"]["trackers"][0]["bad"] = "sideways"


@pytest.mark.parametrize(
    ("damage", "says"),
    [
        (_no_items, "gear: a list was expected here; found: null"),
        (_no_trackers, "trackers: a list was expected here; found: null"),
        (_nested_count, 'system.hits.value: a whole number was expected here; found: {"value": 1}'),
        (_text_count, 'system.hits.value: a whole number was expected here; found: "1"'),
        (_newer_record, "a newer form of record"),
        (_flag_text, "flags.rallypoint: an object was expected here"),
        (_no_uid, "uid: a text was expected here"),
        (_odd_place, "above: an object was expected here; found: null"),
        (_odd_status, "no status of ours"),
        (_odd_bad, "expected: up or down"),
    ],
)
def test_a_damaged_record_is_named(damage: Callable[[Json], None], says: str) -> None:
    actor = singles(small())[GUNNER]
    damage(actor)
    with pytest.raises(InputError) as caught:
        taken(actor)
    assert says in str(caught.value)
    assert "0.json" in str(caught.value)
    assert caught.value.exit_status == 2


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "a.json:1:1: this is not JSON"),
        (b'{"a": 1,\n}', "a.json:2:1: this is not JSON"),
        (b"[]", "an object was expected here"),
        (b"{}", "nothing that Foundry exports"),
        (b'{"name": "caf\xe9"}', "a.json: this is not UTF-8; found: 0xe9 at byte 13; save the file as UTF-8"),
        (b'\xef\xbb\xbf{"name": "caf\xe9"}', "a.json: this is not UTF-8; found: 0xe9 at byte 16"),
        (b"\xff\xfe{", "a.json: this is not UTF-16; found: 0x7b at byte 2"),
        (b'{"format": "other.thing"}', "a file of another kind"),
        (b'{"format": "rallypoint.foundry.encounter", "version": 2}', "a newer form of encounter"),
        (
            b'{"format": "rallypoint.foundry.encounter", "version": 1, "encounter": {}, "actors": null}',
            "actors: a list",
        ),
        (b'{"actors": [], "name": "empty"}', "no actor in these files"),
        (b'{"type": "creature", "system": {}, "items": null, "name": "x"}', "items: a list was expected here"),
        (b'{"type": "creature", "system": {"stats": []}, "items": [], "name": "x"}', "system.stats: an object"),
        (b'{"type": "creature", "system": {}, "items": []}', "an actor needs a name"),
        (b"[" * 100000, "nested too deeply"),
    ],
)
def test_files_that_are_something_else(content: bytes, says: str) -> None:
    with pytest.raises(InputError) as caught:
        read({"a.json": content}, {})
    assert says in str(caught.value)


def test_marks_of_encodings_are_read() -> None:
    text = json.dumps(GUARD | {"name": "Отряд 狐"}, ensure_ascii=False)
    for encoding in ("utf-8", "utf-8-sig", "utf-16"):
        found = read({"a.json": text.encode(encoding)}, {})
        assert next(iter(found.encounter.sheets.values())).name == "Отряд 狐"


def test_two_encounters_at_once_are_refused() -> None:
    one, two = singles(small())[GUNNER], singles(small()._replace(key="other"))[ROBOT]
    with pytest.raises(InputError) as caught:
        taken(one, two)
    assert "different encounters" in str(caught.value)
    assert "demo (0.json: flags" in str(caught.value) or "demo (0.json)" in str(caught.value)


def test_options() -> None:
    files = {"a.json": json.dumps(singles(small(), profile="mothershiprpg-0.1.0")[GUNNER]).encode()}
    assert read(files, {"profile": "mothershiprpg-0.1.0"}).encounter.state[GUNNER].value("Wounds") == 1
    with pytest.raises(InputError, match=r"did you mean profile\?"):
        read(files, {"profil": "x"})
    with pytest.raises(InputError, match="no such profile"):
        read(files, {"profile": "dnd5e"})


def test_two_thousand_units_are_read() -> None:
    force = Force()
    force.frame()
    for number in range(2000):
        force.unit(f"u{number}", "Soldier", "red/1/A", COMBAT_ARMOR, REVOLVER, name=f"S{number}", taken=number % 2)
    found = back(force.encounter())
    assert sum(entity.value("Wounds") for entity in found.state if entity.role == "unit") == 1000


def test_a_stat_that_is_switched_off_is_unknown() -> None:
    beast = json.loads(json.dumps(GUARD))
    beast["system"]["stats"]["loyalty"]["enabled"] = False
    (sheet,) = taken(beast).encounter.sheets.values()
    assert dict(sheet.stats) == {"Combat": 30, "Instinct": 25}
