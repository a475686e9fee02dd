"""The gate before packing: each slip that Foundry's command line would let pass, or trip over, is named with its file."""

from __future__ import annotations

import json
from typing import Any

import pytest

from rallypoint.kernel.errors import PluginError
from rallypoint_foundry.export import export
from rallypoint_foundry.sources import check_sources, keyed, source_faults

from .forces import COMBAT_ARMOR, Force, small

Json = dict[str, Any]


def sources(pack: str) -> dict[str, bytes]:
    start = f"rallypoint-demo/packs/_source/{pack}/"
    files = export(small(), {}).files
    return {name.removeprefix(start): data for name, data in files.items() if name.startswith(start)}


def actors() -> dict[str, Json]:
    """Actor sources by name of the actor."""
    found = [json.loads(data) for name, data in sources("units").items() if name.startswith("actor_")]
    return {actor["name"]: actor for actor in found}


def test_keys_of_every_level() -> None:
    captain = actors()["Captain"]
    assert captain["_key"] == f"!actors!{captain['_id']}"
    assert captain["items"]
    for item in captain["items"]:
        assert item["_key"] == f"!actors.items!{captain['_id']}.{item['_id']}"
    folders = [json.loads(data) for name, data in sources("units").items() if name.startswith("folder_")]
    assert [folder["_key"] for folder in folders] == [f"!folders!{folder['_id']}" for folder in folders]
    assert len(folders) == 2


def test_keys_of_what_the_export_does_not_make_yet() -> None:
    effect, level = {"_id": "E"}, {"_id": "L"}
    actor = keyed({"_id": "A", "items": [{"_id": "I", "effects": [effect]}], "effects": [effect]}, "actors")
    assert actor["items"] == [
        {"_id": "I", "effects": [{"_id": "E", "_key": "!actors.items.effects!A.I.E"}], "_key": "!actors.items!A.I"}
    ]
    assert actor["effects"] == [{"_id": "E", "_key": "!actors.effects!A.E"}]
    assert keyed({"_id": "S", "levels": [level]}, "scenes")["levels"] == [{"_id": "L", "_key": "!scenes.levels!S.L"}]
    assert keyed({"_id": "T", "results": [level]}, "tables")["results"] == [{"_id": "L", "_key": "!tables.results!T.L"}]
    assert keyed({"_id": "J", "pages": [level]}, "journal")["pages"] == [{"_id": "L", "_key": "!journal.pages!J.L"}]


def test_the_adventure_holds_everything_whole_and_without_keys() -> None:
    (data,) = sources("encounter").values()
    adventure = json.loads(data)
    assert adventure["_key"] == f"!adventures!{adventure['_id']}"
    assert data.decode().count('"_key"') == 1
    assert [len(adventure[name]) for name in ("folders", "actors", "scenes", "combats", "journal")] == [2, 4, 1, 1, 0]
    assert [adventure[name] for name in ("items", "macros", "cards", "playlists")] == [[], [], [], []]


@pytest.mark.parametrize("pack", ["units", "encounter"])
def test_what_is_exported_passes(pack: str) -> None:
    assert source_faults(sources(pack)) == []


def text(document: object) -> bytes:
    return json.dumps(document).encode()


def test_one_id_in_two_files_is_named_with_both() -> None:
    captain, gunner = actors()["Captain"], actors()["Gunner"]
    double = {**keyed({**gunner, "_id": captain["_id"], "items": []}, "actors")}
    found = source_faults({"a.json": text(captain), "b.json": text(double)})
    assert any("a.json" in line and "b.json" in line and captain["_id"] in line for line in found)


def test_one_item_id_in_two_actors_is_named_with_both() -> None:
    captain, gunner = actors()["Captain"], actors()["Gunner"]
    stolen = keyed({**gunner, "items": [captain["items"][0]]}, "actors")
    found = source_faults({"a.json": text(captain), "b.json": text(stolen)})
    assert any("a.json" in line and "b.json" in line and captain["items"][0]["_id"] in line for line in found)


def test_twice_in_one_file() -> None:
    captain = actors()["Captain"]
    twice = {**captain, "items": [captain["items"][0], captain["items"][0]]}
    assert any("stands in" in line for line in source_faults({"a.json": text(twice)}))


def damaged(**change: object) -> list[str]:
    captain = {**actors()["Captain"], **change}
    return source_faults({"a.json": text({key: value for key, value in captain.items() if value != "gone"})})


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"_key": "gone"}, "has no _key"),
        ({"_id": "short"}, "the id 'short'"),
        ({"_id": "sqd-1/α"}, "the id 'sqd-1/α'"),
        ({"_key": "!actors!AAAAAAAAAAAAAAAA"}, "has the _key '!actors!AAAAAAAAAAAAAAAA'"),
        ({"_key": "!actor!AAAAAAAAAAAAAAAA"}, "has the _key '!actor!AAAAAAAAAAAAAAAA'"),
        ({"items": None}, "items that are not a list"),
        ({"items": [3]}, "is not an object"),
        ({"items": [{"_id": "A" * 16}]}, "has no _key"),
    ],
)
def test_a_slip_is_named(change: dict[str, object], says: str) -> None:
    found = damaged(**change)
    assert any(says in line and line.startswith("a.json") for line in found), found


def test_files_that_hold_no_document() -> None:
    assert source_faults({"a.json": b"[{}]"}) == ["a.json holds a list, not one document"]
    assert source_faults({"a.json": b"{"})[0].startswith("a.json is not JSON")


def test_a_key_on_a_child_of_an_adventure() -> None:
    (data,) = sources("encounter").values()
    adventure = json.loads(data)
    adventure["actors"][0]["_key"] = "!actors!X"
    assert source_faults({"a.json": text(adventure)}) == ["a.json: actors of an adventure has a _key: !actors!X"]


def test_the_gate_refuses() -> None:
    with pytest.raises(PluginError) as caught:
        check_sources("units", {f"{number}.json": b"[]" for number in range(12)})
    assert caught.value.plugin == "foundry"
    assert "and 2 more" in str(caught.value)


def test_strange_uids_give_ids_that_foundry_takes() -> None:
    force = Force()
    force.frame()
    for uid in ("sqd-1/α", "狐", "a'b", " x "):
        force.unit(uid, "Soldier", "red/1/A", COMBAT_ARMOR, name=uid)
    start = "rallypoint-demo/packs/_source/units/"
    files = export(force.encounter(), {}).files
    assert source_faults({name: data for name, data in files.items() if name.startswith(start)}) == []
