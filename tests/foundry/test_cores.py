"""Documents in the shape of each core generation: which keys there are, by a list that was written from what was seen."""

from __future__ import annotations

import json
from typing import Any

import pytest

from rallypoint.kernel.board import Board
from rallypoint.kernel.dice import D100, Die
from rallypoint.kernel.encounter import Encounter, Page, Table, TableRow
from rallypoint.kernel.state import Hex
from rallypoint_foundry.export import export

from .forces import small

Json = dict[str, Any]
PROFILES = {"12": "mosh-0.5.27", "13": "mosh-0.6.1", "14": "mosh-0.6.1"}
PANIC = Table("team_panic", "Panic", Die(1, 20), (TableRow(1, 1, "row1", "Row 1"), TableRow(2, 20, "rest", "")))
HUNDRED = Table("fear", "Fear", D100, (TableRow(0, 9, "a", "Calm"), TableRow(10, 99, "b", "Afraid")))


def staged() -> Encounter:
    """The small force on a board of 4 by 3 hexes with a wood; nobody stands anywhere yet."""
    board = Board(4, 3, {Hex(1, 0): "wood"})
    return small()._replace(board=board, pages=(Page("card", "Card", "<p>Card</p>"),), tables=(PANIC, HUNDRED))


def whole(core: str, encounter: Encounter | None = None) -> Json:
    options = {"profile": PROFILES[core], "core": core}
    return dict(json.loads(export(encounter or small(), options).files["encounter.json"]))


def lined_up(core: str) -> Json:
    """The same without a board: everybody lines up."""
    return whole(core, staged()._replace(board=None))


@pytest.mark.parametrize("core", PROFILES)
def test_stats_name_the_schema(core: str) -> None:
    build = {"12": "12.331", "13": "13.351", "14": "14.364"}[core]
    document = lined_up(core)
    assert document["core"] == {"generation": int(core), "version": build}
    for kind in ("folders", "actors", "scenes", "tables", "journal", "combats"):
        assert document[kind]
        for each in document[kind]:
            assert each["_stats"]["coreVersion"] == build
            assert ("exportSource" in each["_stats"]) == (core != "12")


def test_scene_before_14() -> None:
    for core in ("12", "13"):
        (scene,) = whole(core, staged())["scenes"]
        assert scene["background"] == {"src": "modules/rallypoint-demo/board.svg"}
        assert scene["fog"] == {"exploration": False}
        assert scene["templates"] == []
        assert "levels" not in scene


def test_scene_of_14_has_one_level() -> None:
    (scene,) = whole("14", staged())["scenes"]
    (level,) = scene["levels"]
    assert level["_id"] == scene["initialLevel"] == "defaultLevel0000"
    assert level["elevation"] == {"bottom": 0, "top": 20}
    assert level["background"] == {"src": "modules/rallypoint-demo/board.svg"}
    assert scene["fog"] == {"mode": 0}
    assert not {"background", "backgroundColor", "templates"} & set(scene)


@pytest.mark.parametrize("core", PROFILES)
def test_grid_is_rows_of_pointed_hexes(core: str) -> None:
    (scene,) = whole(core, staged())["scenes"]
    grid = scene["grid"]
    assert (grid["type"], grid["size"], grid["distance"], grid["units"]) == (2, 120, 1, "hex")
    assert scene["padding"] == 0
    # 4.5 hexes wide; 3 rows: 120 * 2/sqrt 3 = 138.56 high each, three quarters of it from row to row
    assert (scene["width"], scene["height"]) == (540, 347)


def test_tokens_by_core() -> None:
    for core in PROFILES:
        (scene,) = lined_up(core)["scenes"]
        for token in scene["tokens"]:
            assert token["actorLink"] is True
            assert (token["bar1"], token["bar2"]) == ({"attribute": "hits"}, {"attribute": "health"})
            assert isinstance(token["x"], int)
            assert token["delta"] == (None if core == "14" else {})
            assert token.get("level") == ("defaultLevel0000" if core == "14" else None)
            assert ("appendNumber" in token) == (core == "12")
            assert "randomImg" not in token


def test_results_by_core() -> None:
    one, two = lined_up("12")["tables"][0]["results"], lined_up("13")["tables"][0]["results"]
    assert [(row["type"], row["range"], row["weight"]) for row in one] == [("text", [1, 1], 1), ("text", [2, 20], 19)]
    assert [row["text"] for row in one] == ["Row 1", "rest"]
    assert not any("name" in row or "description" in row for row in one)
    assert [(row["name"], row["description"]) for row in two] == [("Row 1", ""), ("rest", "")]
    assert not any("text" in row or "documentCollection" in row for row in two)


def test_tables_roll_what_their_rows_cover() -> None:
    panic, fear = lined_up("13")["tables"]
    assert (panic["formula"], fear["formula"]) == ("1d20", "1d100 - 1")
    assert panic["flags"]["rallypoint"]["setting"] == "table1ePanicStressNormal"
    assert "table1ePanicStressNormal" in panic["description"]
    assert (fear["flags"]["rallypoint"]["setting"], fear["description"]) == ("", "")


def test_journal_by_core() -> None:
    for core in PROFILES:
        (entry,) = lined_up(core)["journal"]
        (page,) = entry["pages"]
        assert (page["name"], page["type"], page["text"]["format"]) == ("Card", "text", 1)
        assert page["text"]["content"] == "<p>Card</p>"
        assert ("categories" in entry, "category" in page) == (core != "12", core != "12")


def test_combat_by_core() -> None:
    for core in PROFILES:
        document = lined_up(core)
        (combat,), (scene,) = document["combats"], document["scenes"]
        assert combat["scene"] == scene["_id"]
        tokens = {token["_id"]: token["actorId"] for token in scene["tokens"]}
        assert {each["tokenId"]: each["actorId"] for each in combat["combatants"]} == tokens
        assert [each["name"] for each in combat["combatants"]] == ["Captain", "Gunner", "Robot"]
        assert (combat["active"], combat["round"], combat["turn"]) == (False, 0, None)
        assert ("groups" in combat) == (core != "12")
        assert all(("sceneId" in each) == (core != "14") for each in combat["combatants"])


def test_nothing_to_read_means_no_journal() -> None:
    document = whole("13")
    assert (document["journal"], document["tables"]) == ([], [])


def test_ids_are_the_same_for_every_core_and_all_different() -> None:
    found = {}
    for core in PROFILES:
        document = lined_up(core)
        ids = [
            each["_id"]
            for kind in ("folders", "actors", "scenes", "tables", "journal", "combats")
            for each in document[kind]
        ]
        ids += [token["_id"] for scene in document["scenes"] for token in scene["tokens"]]
        ids += [each["_id"] for combat in document["combats"] for each in combat["combatants"]]
        found[core] = ids
        assert len(set(ids)) == len(ids)
        assert all(len(each) == 16 and each.isascii() and each.isalnum() for each in ids)
    assert found["12"] == found["13"] == found["14"]
