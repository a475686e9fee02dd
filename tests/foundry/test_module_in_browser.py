"""The module's script in Chromium, against a small stand-in for Foundry's document API: literal facts of each world."""

from __future__ import annotations

import json
from typing import Any

import pytest

from rallypoint.kernel.dice import Die
from rallypoint.kernel.encounter import Encounter, Page, Table, TableRow
from rallypoint_foundry.export import export

from .browser_run import run_page
from .forces import COMBAT_ARMOR, CUTTER, LAUNCHER, PULSE_RIFLE, REVOLVER, ROBOT, Force, small
from .requirements import need_browser

Json = dict[str, Any]
BENT = "prototypeToken.bar1.attribute,prototypeToken.bar2.attribute,prototypeToken.disposition"


def first() -> Encounter:
    """Captain, Gunner and Robot, with a page to read and a table of the system's own rows."""
    panic = Table(
        "team_panic", "Panic", Die(1, 20), (TableRow(1, 5, "low", "Rows 1 to 5"), TableRow(6, 20, "high", "Row 6"))
    )
    return small()._replace(tables=(panic,), pages=(Page("card", "Platoon Card", "<p>First Platoon</p>"),))


def second() -> Encounter:
    """The Captain has a rifle and a Wound, the Robot is shot, and there is a Newcomer."""
    force = Force()
    force.frame(stress=6)
    force.unit("red/1/A/1", "CO", "red/1/A", COMBAT_ARMOR, PULSE_RIFLE, name="Captain Two", code="R-1A", taken=1)
    force.unit(
        "red/1/A/2", "Soldier", "red/1/A", COMBAT_ARMOR, PULSE_RIFLE, LAUNCHER, name="Gunner", code="R-1B", taken=1
    )
    force.unit("red/1/A/3", "Bot", "red/1/A", ROBOT, CUTTER, name="Robot", code="R-1C", taken=1)
    force.unit("red/1/A/4", "Soldier", "red/1/A", COMBAT_ARMOR, REVOLVER, name="Newcomer", code="R-1D")
    base = first()
    return force.encounter()._replace(tables=base.tables, pages=base.pages)


def third() -> Encounter:
    """The Robot is gone, the Gunner has no launcher; the page and the table say something else."""
    force = Force()
    force.frame(stress=4)
    force.unit("red/1/A/1", "CO", "red/1/A", COMBAT_ARMOR, REVOLVER, name="Captain", code="R-1A")
    force.unit("red/1/A/2", "Soldier", "red/1/A", COMBAT_ARMOR, PULSE_RIFLE, name="Gunner", code="R-1B", taken=1)
    panic = Table(
        "team_panic",
        "Panic!",
        Die(1, 20),
        (TableRow(1, 5, "low", "Rows 1 to 4, and 5"), TableRow(6, 20, "high", "Row 6")),
    )
    pages = (Page("card", "Platoon Card", "<p>Second Platoon</p>"), Page("rules", "Rules", "<p>In force</p>"))
    return force.encounter()._replace(tables=(panic,), pages=pages)


NAMES = ["Отряд Ворон", "狐 🦊", "O'Neil ", "<b>Żółw</b> & co"]


def named() -> Encounter:
    """Names of four kinds of letters."""
    force = Force(title="Отряд 'Ворон'")
    force.frame()
    for number, name in enumerate(NAMES):
        force.unit(f"u{number}", "Soldier", "red/1/A", COMBAT_ARMOR, PULSE_RIFLE, name=name)
    return force.encounter()


@pytest.fixture(scope="module")
def seen() -> dict[str, Json]:
    need_browser()
    files: dict[str, bytes] = {}
    worlds: dict[str, tuple[Encounter, dict[str, str]]] = {
        "first": (first(), {}),
        "second": (second(), {}),
        "third": (third(), {}),
        "names": (named(), {}),
    }
    for profile, core in (
        ("mosh-0.5.27", "12"),
        ("mosh-0.6.1", "14"),
        ("mothershiprpg-0.1.0", "13"),
        ("mothershiprpg-0.1.0", "14"),
    ):
        worlds[f"{profile.split('-')[0]}{core}"] = (first(), {"profile": profile, "core": core})
    for name, (encounter, options) in worlds.items():
        files.update({f"{name}/{path}": data for path, data in export(encounter, options).files.items()})
    for path in ("rallypoint.mjs", "encounter.json"):
        files[f"newer/rallypoint-demo/{path}"] = files[f"first/rallypoint-demo/{path}"]
    newer = json.loads(files["newer/rallypoint-demo/encounter.json"])
    files["newer/rallypoint-demo/encounter.json"] = json.dumps({**newer, "version": 2}).encode()
    found = run_page(files)
    assert found.get("error") is None
    return found


def scenario(seen: dict[str, Json], name: str) -> Json:
    found = seen[name]
    assert "error" not in found, found.get("error")
    return found


def by_name(documents: list[Json]) -> dict[str, Json]:
    return {document["name"]: document for document in documents}


def test_the_first_import_makes_everything(seen: dict[str, Json]) -> None:
    found = scenario(seen, "first")
    made = {kind: len(documents) for kind, documents in found["world"].items()}
    assert made == {"Folder": 2, "Actor": 4, "Scene": 1, "RollTable": 1, "JournalEntry": 1, "Combat": 1}
    report = found["report"]
    assert report["stopped"] is None
    for kind, count in report["kinds"].items():
        assert count["read"] == count["created"] == made[kind]
    assert [report[name] for name in ("kept", "blocked", "orphans", "missing")] == [[], [], [], []]
    ((kind, text),) = found["notices"]
    assert kind == "info"
    assert "Actor 4 created" in text


def test_ids_are_kept_and_point_at_each_other(seen: dict[str, Json]) -> None:
    world = scenario(seen, "first")["world"]
    exported = json.loads(export(first(), {}).files["encounter.json"])
    for kind, name in (("Folder", "folders"), ("Actor", "actors"), ("Scene", "scenes"), ("Combat", "combats")):
        assert [each["_id"] for each in world[kind]] == [each["_id"] for each in exported[name]]
    side, squad = world["Folder"]
    assert (side["name"], squad["name"], squad["folder"]) == ("Demo: Red Side", "Squad 1", side["_id"])
    actors = {actor["_id"]: actor["name"] for actor in world["Actor"]}
    tokens = {token["_id"]: token["actorId"] for token in world["Scene"][0]["tokens"]}
    assert sorted(actors[actor] for actor in tokens.values()) == ["Captain", "Gunner", "Robot"]
    fighters = world["Combat"][0]["combatants"]
    assert {each["tokenId"]: each["actorId"] for each in fighters} == tokens


def test_what_mosh_bends_is_set_right(seen: dict[str, Json]) -> None:
    found = scenario(seen, "first")
    assert found["report"]["repaired"] == 4
    for actor in found["world"]["Actor"]:
        token = actor["prototypeToken"]
        bars = [token["bar1"]["attribute"], token["bar2"]["attribute"]]
        assert bars == (["other.stress", "hits"] if actor["name"] == "First Platoon" else ["hits", "health"])
        assert token["disposition"] == 1  # mosh says -1 for every creature


def test_calm_does_not_swallow_stress(seen: dict[str, Json]) -> None:
    found = scenario(seen, "calm")
    stress = found["platoon"]["system"]["other"]["stress"]
    assert stress == {"value": 4, "min": 0, "max": 20, "label": "Stress"}


def test_a_second_and_a_third_import_change_nothing(seen: dict[str, Json]) -> None:
    found = scenario(seen, "again")
    assert found["writes"] == []
    assert found["same"] is True
    for report in found["reports"]:
        for count in report["kinds"].values():
            assert count["read"] == count["unchanged"]
        assert report["kept"] == []


def test_what_people_changed_stays(seen: dict[str, Json]) -> None:
    found = scenario(seen, "edits")
    captain = found["captain"]
    assert captain["name"] == "Old Captain"
    assert captain["system"]["notes"] == "<p>mine</p>"
    # by hand 2 of 5; the newer export says 1 of 2
    assert (captain["system"]["hits"]["value"], captain["system"]["hits"]["max"]) == (2, 5)
    assert "Medkit" in by_name(captain["items"])
    assert [item["name"] for item in found["gunner"]["items"]] == ["Combat Armor", "Pulse Rifle"]
    assert found["token"] == [999, 888]
    assert found["report"]["kept"] == [
        "Old Captain: name", "Old Captain: system.hits.value", "Old Captain: system.notes",
        "Gunner, Grenade Launcher: taken away by hand",
    ]  # fmt: skip


def test_what_is_new_comes(seen: dict[str, Json]) -> None:
    found = scenario(seen, "edits")
    assert found["robot"]["system"]["hits"]["value"] == 1
    # the revolver was ours and goes, the rifle comes; what is not ours stays
    assert sorted(by_name(found["captain"]["items"])) == ["Combat Armor", "Medkit", "Pulse Rifle"]
    assert found["newcomer"]["prototypeToken"]["disposition"] == 1
    assert found["tokens"] == [3, 4]
    kinds = found["report"]["kinds"]
    assert (kinds["Actor"]["read"], kinds["Actor"]["created"], kinds["Actor"]["updated"]) == (5, 1, 4)
    assert kinds["Actor"]["parts"] == {"created": 1, "updated": 0, "deleted": 1}
    assert kinds["Combat"]["parts"]["created"] == 1


def test_after_an_update_there_is_nothing_left_to_do(seen: dict[str, Json]) -> None:
    found = scenario(seen, "edits")
    assert found["after"] == []
    assert found["again"]["kept"] == found["report"]["kept"]


def test_limits_are_written_once(seen: dict[str, Json]) -> None:
    writes = scenario(seen, "edits")["writes"]
    assert not [write for write in writes if ".max" in write or ".min" in write]


@pytest.mark.parametrize(("name", "why", "says"), [("foreign", "system", "dnd5e"), ("older", "core", "--core")])
def test_a_world_that_cannot_take_it(seen: dict[str, Json], name: str, why: str, says: str) -> None:
    found = scenario(seen, name)
    assert found["report"]["stopped"] == why
    assert found["writes"] == []
    ((kind, text),) = found["notices"]
    assert kind == "error"
    assert says in text
    assert "Nothing was imported" in text


def test_a_player_cannot_import(seen: dict[str, Json]) -> None:
    found = scenario(seen, "player")
    assert (found["report"]["stopped"], found["writes"]) == ("user", [])


def test_a_document_of_somebody_else_is_left_alone(seen: dict[str, Json]) -> None:
    found = scenario(seen, "blocked")
    assert found["same"] is True
    assert found["report"]["blocked"] == ["Actor Stranger"]
    count = found["report"]["kinds"]["Actor"]
    assert (count["read"], count["created"], count["blocked"]) == (4, 3, 1)
    assert found["notices"][0][0] == "warn"


def test_an_actor_that_could_not_be_made_is_counted(seen: dict[str, Json]) -> None:
    found = scenario(seen, "swallowed")
    assert (found["actors"], found["tokens"]) == (3, 2)
    assert found["report"]["missing"] == ["Actor Robot", "Token Robot", "Combatant Robot"]
    assert found["notices"][0][0] == "warn"


def test_an_import_that_broke_off_goes_on(seen: dict[str, Json]) -> None:
    found = scenario(seen, "resumed")
    assert found["failed"] == "the disk is full"
    kinds = found["report"]["kinds"]
    assert (kinds["Actor"]["unchanged"], kinds["Scene"]["created"], kinds["Combat"]["created"]) == (4, 1, 1)


def test_an_adventure_is_stopped_or_set_right(seen: dict[str, Json]) -> None:
    found = scenario(seen, "adventure")
    assert (found["allowed"], found["foreign"], found["others"]) == (True, False, True)
    assert (found["bent"]["bar1"]["attribute"], found["bent"]["disposition"]) == ("system.health", -1)
    assert (found["set"]["bar1"]["attribute"], found["set"]["disposition"]) == ("hits", 1)


def test_repair_sets_bars_and_disposition_and_nothing_else(seen: dict[str, Json]) -> None:
    found = scenario(seen, "repaired")
    assert (found["count"], found["again"]) == (2, 0)
    token = found["captain"]["prototypeToken"]
    assert (token["bar1"]["attribute"], token["disposition"]) == ("hits", 1)
    assert found["captain"]["name"] == "Renamed"
    assert found["token"]["bar2"]["attribute"] == "health"


def test_one_button_whatever_the_directory_is_made_of(seen: dict[str, Json]) -> None:
    found = scenario(seen, "buttons")
    assert found["buttons"] == ["Import Demo"]
    assert found["report"]["kinds"]["Actor"]["created"] == 4  # two presses and a call: one import
    assert found["after"] == []
    assert found["restricted"] is True


def test_tokens_stand_where_this_foundry_has_its_hexes(seen: dict[str, Json]) -> None:
    usual, shifted = scenario(seen, "first"), scenario(seen, "settled")
    assert usual["report"]["settled"] == 0
    assert shifted["settled"] == 3
    captain = by_name(usual["world"]["Scene"][0]["tokens"])["Captain"]
    assert shifted["token"]["name"] == "Captain"
    assert shifted["token"]["x"] == captain["x"] + 17
    assert abs(shifted["token"]["y"] - captain["y"] - 17) <= 1


def test_tables_point_at_the_tables_of_the_system(seen: dict[str, Json]) -> None:
    (table,) = scenario(seen, "first")["world"]["RollTable"]
    assert "@UUID[Compendium.mosh.rolltables.RollTable.ypcoikqHLhnc9tNs]" in table["description"]
    assert [row["name"] for row in table["results"]] == ["Rows 1 to 5", "Row 6"]
    (page,) = scenario(seen, "first")["world"]["JournalEntry"][0]["pages"]
    assert page["text"]["content"] == "<p>First Platoon</p>"


def test_a_newer_form_is_refused(seen: dict[str, Json]) -> None:
    found = scenario(seen, "newer")
    assert "rallypoint.foundry.encounter 2" in found["failed"]
    assert found["writes"] == []


@pytest.mark.parametrize("name", ["mosh12", "mosh14", "mothershiprpg13", "mothershiprpg14"])
def test_every_pair_is_taken(seen: dict[str, Json], name: str) -> None:
    found = scenario(seen, name)
    assert {kind: len(documents) for kind, documents in found["world"].items()} == {
        "Folder": 2, "Actor": 4, "Scene": 1, "RollTable": 1, "JournalEntry": 1, "Combat": 1,
    }  # fmt: skip
    assert found["after"] == []
    assert len(found["world"]["Scene"][0]["tokens"]) == 3


def test_pages_and_tables_that_people_changed_stay(seen: dict[str, Json]) -> None:
    found = scenario(seen, "reading")
    pages = by_name(found["journal"]["pages"])
    assert pages["Platoon Card"]["text"]["content"] == "<p>my own words</p>"
    assert set(pages) == {"Platoon Card", "Mine", "Rules"}
    assert found["table"]["name"] == "My panic"
    assert [row["name"] for row in found["table"]["results"]] == ["Rows 1 to 4, and 5", "Row 6"]
    assert [folder["name"] for folder in found["folders"]] == ["Demo: Red Side", "My squad"]
    assert found["report"]["kept"][:1] == ["My squad: name"]
    assert "Demo, Platoon Card: text.content" in found["report"]["kept"]
    assert "My panic: name" in found["report"]["kept"]
    assert found["after"] == []


def test_what_people_took_away_stays_away_but_actors_come_again(seen: dict[str, Json]) -> None:
    found = scenario(seen, "deleted")
    assert found["writes"] == ["create Actor Robot", "update Actor Robot: " + BENT]
    assert (found["tokens"], found["fighters"]) == (2, 2)
    assert found["report"]["kept"] == ["Demo, Gunner: taken away by hand", "Combat, Captain: taken away by hand"]


def test_what_an_older_export_made_is_left_alone_and_named(seen: dict[str, Json]) -> None:
    found = scenario(seen, "orphans")
    assert found["robot"] is True
    assert found["tokens"] == 3
    assert found["report"]["orphans"] == ["Actor Robot", "Token Robot", "Combatant Robot"]
    # the launcher is no longer in the roster, but somebody gave it other shots
    assert "Grenade Launcher" in by_name(found["gunner"]["items"])
    assert "Gunner, Grenade Launcher: system.shots" in found["report"]["kept"]
    assert not [write for write in found["writes"] if write.startswith("delete")]


def test_another_encounter_is_none_of_its_business(seen: dict[str, Json]) -> None:
    found = scenario(seen, "bystanders")
    assert found["same"] is True
    assert (found["report"]["orphans"], found["report"]["blocked"]) == ([], [])


def test_names_of_any_script_arrive(seen: dict[str, Json]) -> None:
    found = scenario(seen, "names")
    assert [actor["name"] for actor in found["world"]["Actor"][1:]] == NAMES
    assert [token["name"] for token in found["world"]["Scene"][0]["tokens"]] == NAMES
    assert found["world"]["Folder"][0]["name"] == "Отряд 'Ворон': Red Side"
    assert found["after"] == []


def test_documents_of_an_adventure_are_updated_with_care(seen: dict[str, Json]) -> None:
    found = scenario(seen, "unstamped")
    # nobody noted what was written, so nothing that differs is touched, and it is said
    assert found["captain"]["system"]["hits"]["value"] == 2
    assert found["captain"]["name"] == "Captain"
    assert "Captain: system.hits.value" in found["report"]["kept"]
    assert "Captain: name" in found["report"]["kept"]
    assert found["after"] == []


def test_a_file_that_is_gone_is_told(seen: dict[str, Json]) -> None:
    found = scenario(seen, "gone")
    assert found["failed"] == "encounter.json cannot be read: 404"
    ((kind, text),) = found["notices"]
    assert kind == "error"
    assert "encounter.json cannot be read: 404" in text
    assert found["created"] == 4


def test_no_report_says_undefined(seen: dict[str, Json]) -> None:
    for name in seen:
        found = scenario(seen, name)
        said = json.dumps([found.get("report"), found.get("notices"), found.get("writes")])
        assert "undefined" not in said, name
        assert "[object" not in said, name
