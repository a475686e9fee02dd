"""Through Foundry: what our export wrote comes back equal, and actors that were never ours become units and come back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from rallypoint.content import Force, Unit, read_force, same_force
from rallypoint.disrupter import catalogue, encounter, force_of, with_values
from rallypoint.kernel.encounter import SENT, Imported
from rallypoint_mothership.encounters import contractor_at, figures_in
from rallypoint_mothership.exchange import to_disrupter

from .playing import game

foundry_export = pytest.importorskip("rallypoint_foundry.export", reason="the Foundry adapter is installed apart")
foundry_read = pytest.importorskip("rallypoint_foundry.importing", reason="the Foundry adapter is installed apart").read

STARTER = Path(__file__).parents[2] / "examples" / "rosters" / "starter-platoon.md"


def starter() -> Force:
    force = read_force(STARTER, catalogue(), with_optional=True)
    first = force.units[1]
    return with_values(force, {first.uid: {"Wounds": 2}, force.key: {"Stress": 4}})


def actor_files(force: Force, **options: str) -> dict[str, bytes]:
    files = foundry_export.export(encounter(force), options).files
    return {name: data for name, data in files.items() if name.startswith("actors/")}


def by_uid(force: Force) -> dict[str, Unit]:
    return {unit.uid: unit._replace(line=0) for unit in force.units}


def changed(files: dict[str, bytes], change: Any) -> dict[str, bytes]:
    found = {}
    for name, data in files.items():
        document = json.loads(data)
        change(document)
        found[name] = json.dumps(document).encode()
    return found


@pytest.mark.parametrize("meaning", ["contractor", "disrupter"])
def test_our_own_actor_files_come_back_equal(meaning: str) -> None:
    force = starter()
    found = foundry_read(actor_files(force, **{"as": meaning}), {})
    back = force_of(found.encounter)
    assert by_uid(back) == by_uid(force)
    assert back.platoon.stress == 4
    squads = {
        squad.number: (squad.title, {team.letter: (team.title, team.vehicle) for team in squad.teams})
        for squad in back.platoon.squads
    }
    assert squads == {
        squad.number: (squad.title, {team.letter: (team.title, team.vehicle) for team in squad.teams})
        for squad in force.platoon.squads
    }
    assert squads[3][1]["A"] == ("Boat A", "inflatable_raft")


def test_our_whole_encounter_comes_back_equal() -> None:
    force = starter()
    files = foundry_export.export(encounter(force), {}).files
    (name,) = [name for name in files if name.endswith("/encounter.json") or name == "encounter.json"][:1]
    back = force_of(foundry_read({name: files[name]}, {}).encounter)
    plain = same_force(force)
    squads = tuple([squad._replace(optional=False) for squad in plain.platoon.squads])
    assert same_force(back) == plain._replace(platoon=plain.platoon._replace(squads=squads))


@pytest.mark.parametrize("stress", [0, 1, 2, 4])
def test_stress_under_a_minimum_of_two_is_still_what_it_was(stress: int) -> None:
    force = with_values(starter(), {starter().key: {"Stress": stress}})

    def clamp(actor: Any) -> None:
        pod = actor["system"].get("other", {}).get("stress")
        if actor["type"] == "character" and pod is not None:
            pod["min"], pod["value"] = 2, max(2, pod["value"])

    found = foundry_read(changed(actor_files(force), clamp), {})
    platoon = next(entity for entity in found.encounter.state if "Stress" in entity.trackers)
    assert platoon.trackers["Stress"].value == stress
    assert platoon.attributes[SENT] == {"Stress": stress}


# Actors that were never ours


def foreign(force: Force) -> Imported:
    """Return the actors of a force without our flags: what another table's export would look like."""

    def strip(actor: Any) -> None:
        actor["flags"] = {}
        for item in actor["items"]:
            item["flags"] = {}

    files = changed(actor_files(force), strip)
    return foundry_read({name: data for name, data in files.items() if json.loads(data)["type"] == "creature"}, {})  # type: ignore[no-any-return]


def test_foreign_contractors_become_units_by_the_tables() -> None:
    found = to_disrupter(foreign(starter()).encounter, {})
    figures = list(figures_in(found.encounter))
    assert len(figures) == 36
    # Without a type the class goes by Combat: 40 is an officer, 30 and 20 are none.
    assert {figure.kind for figure in figures} == {"NCO", "Soldier"}
    assert sum(figure.kind == "NCO" for figure in figures) == 4
    weapons = {key for figure in figures for key in figure.weapons}
    assert {"pulse_rifle", "grenade_launcher", "heavy_machine_gun", "laser_carbine", "flamethrower"} <= weapons
    assert sorted(figure.wounds for figure in figures)[-1] == 2


def test_foreign_contractors_lose_nothing_on_the_way() -> None:
    source = foreign(starter()).encounter
    before = {entity.uid: contractor_at(source, entity) for entity in source.state if entity.role == "unit"}
    force = force_of(to_disrupter(source, {}).encounter)
    carried = {unit.uid: unit.extra["contractor"] for unit in force.units}
    assert set(carried) == set(before)
    for uid, contractor in before.items():
        record: Any = carried[uid]
        assert record["name"] == contractor.name
        assert record["combat"] == contractor.combat
        assert record.get("loyalty") == contractor.loyalty
        assert [weapon["title"] for weapon in record["weapons"]] == [weapon.title for weapon in contractor.weapons]
        # and the actor as it was, for whoever wants it back
        assert record["extra"]["foundry"]["system"]["hits"]["max"] == contractor.max_wounds


def test_a_contractor_of_the_quality_of_life_module() -> None:
    actor = {
        "_id": "abcdefghijklmnop",
        "name": "Żółw-1",
        "type": "creature",
        "img": "https://example.org/a.webp",
        "system": {
            "hits": {"value": 1, "min": 0, "max": 2},
            "health": {"value": 0, "min": 0, "max": 0},
            "stats": {
                "combat": {"value": 30, "enabled": True},
                "instinct": {"value": 25, "enabled": True},
                "loyalty": {"value": 21, "enabled": True},
                "speed": {"value": 10, "enabled": False},
            },
            "contractor": {"isNamed": True, "baseSalary": 1500, "role": "Marine (grunt)", "motivation": "долги"},
            "notes": "<p>left-handed</p>",
        },
        "items": [
            {
                "name": "Pulse Rifle",
                "type": "weapon",
                "system": {"damage": "3d10", "ranges": {"value": "Long"}, "shots": 5},
            },
            {"name": "Standard Battle Dress", "type": "armor", "system": {"armorPoints": 7, "equipped": True}},
            {"name": "Medkit", "type": "item", "system": {"quantity": 1}},
        ],
        "flags": {},
    }
    found = foundry_read({"a.json": json.dumps(actor).encode()}, {})
    turned = to_disrupter(found.encounter, {})
    (figure,) = figures_in(turned.encounter)
    assert (figure.name, figure.kind, figure.wears, figure.weapons) == (
        "Żółw-1",
        "Soldier",
        "combat_armor",
        ("pulse_rifle",),
    )
    assert (figure.wounds, figure.max_wounds, figure.picture) == (1, 2, "https://example.org/a.webp")
    assert turned.left_out == ()
    carried: Any = figure.carried
    assert (carried["salary"], carried["motivation"], carried["loyalty"]) == (1500, "долги", 21)
    assert [piece["title"] for piece in carried["extra"]["gear"]] == ["Medkit"]


def boarders(**options: str) -> tuple[dict[str, bytes], Imported]:
    """Return actors of the boarding party with what damage dice and figures track, and what is read of them."""
    roster = Path(__file__).parents[2] / "examples" / "rosters" / "boarding-party.toml"
    made = game({"D-MO-R16.2": "dice", "D-MO-PC": "on"}).completed(encounter(read_force(roster, catalogue())))
    files = foundry_export.export(made, options).files
    actors = {name: data for name, data in files.items() if name.startswith("actors/")}
    return actors, foundry_read(actors, {})


@pytest.mark.parametrize("profile", ["mosh-0.6.1", "mosh-0.5.27", "mothershiprpg-0.1.0"])
def test_health_of_a_pc_is_on_his_sheet_and_a_contractor_has_one_of_one(profile: str) -> None:
    files, found = boarders(profile=profile)
    shown = {
        document["flags"]["rallypoint"]["uid"]: document["system"]["health"]
        for document in map(json.loads, files.values())
        if document["type"] == "creature"
    }
    health = {uid: (row["value"], row["max"]) for uid, row in shown.items()}
    assert (health["party-captain"], health["party-medic"]) == ((14, 14), (12, 12))
    assert {value for uid, value in health.items() if uid.startswith("boarding")} == {(1, 1)}
    captain = found.encounter.state["party-captain"]
    assert {name: tracker.value for name, tracker in captain.trackers.items()} == {
        "AP": 10, "Health": 14, "Stress": 3, "Wounds": 0,
    }  # fmt: skip


def test_health_that_was_lost_on_the_sheet_comes_back() -> None:
    def hurt(document: Any) -> None:
        if document["flags"]["rallypoint"]["uid"] == "party-captain":
            document["system"]["health"]["value"] = 6

    files, _ = boarders()
    assert foundry_read(changed(files, hurt), {}).encounter.state["party-captain"].value("Health") == 6
