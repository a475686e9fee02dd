"""What the recording does not show and the reference says of relay and module: rights, scenes, overriding, places of parameters."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from rallypoint_foundry.fake.documents import rows
from rallypoint_foundry.fake.systems import load_system
from rallypoint_foundry.fake.table import Table

from .test_fake_faults import WOUNDS, Bench


def asked(bench: Bench, verb: str, path: str, body: object = None, **query: str) -> dict[str, Any]:
    answer = bench.client.request(verb, path, params=query, json=body)
    found = answer.json()
    assert (answer.status_code == 400) == ("error" in found), answer.text
    assert isinstance(found, dict)
    return found


def test_rights_of_a_user() -> None:
    bench = Bench()
    name = "Fighter 1-1"
    refused = asked(bench, "DELETE", "/delete", uuid=bench.one, userId="Player")
    assert refused["error"] == f"User 'Player' does not have permission to delete '{name}'"
    missing = asked(bench, "DELETE", "/delete", uuid="Actor.nobody", userId="Player")
    assert missing["error"] == "Cannot read properties of null (reading 'name')"
    bench.world.edit(bench.one, {"ownership.player0000000000": 3})
    assert (
        asked(bench, "PUT", "/update", {"data": {WOUNDS: 1}}, uuid=bench.one, userId="player0000000000")["uuid"]
        == bench.one
    )
    assert asked(bench, "DELETE", "/delete", uuid=bench.one, userId="Player")["success"] is True
    assert bench.world.find(bench.one) is None
    assert (
        asked(bench, "PUT", "/update", {"data": {"name": "x"}}, uuid=bench.two, userId="Gamemaster")["entity"][0][
            "name"
        ]
        == "x"
    )


def test_a_scene_with_all_its_tokens_at_once() -> None:
    bench = Bench()
    token = {
        "_id": "tokenOurs0000001",
        "name": "Gunner",
        "actorId": bench.one.removeprefix("Actor."),
        "actorLink": True,
    }
    scene = {"_id": "sceneOurs0000001", "name": "Ridge", "tokens": [token]}
    kept = asked(bench, "POST", "/create", {"entityType": "Scene", "keepId": True, "data": scene})
    assert (kept["uuid"], kept["entity"]["tokens"][0]["_id"]) == ("Scene.sceneOurs0000001", "tokenOurs0000001")
    made = asked(bench, "POST", "/scene", {"data": scene})["data"]
    assert made["_id"] != "sceneOurs0000001"
    assert made["tokens"][0]["_id"] != "tokenOurs0000001"
    assert made["tokens"][0]["name"] == "Gunner"


def test_scenes_are_switched_and_deleted() -> None:
    bench = Bench()
    made = asked(bench, "POST", "/scene", {"data": {"name": "Ridge"}})["data"]
    assert asked(bench, "POST", "/switch-scene", {"name": "Ridge"})["data"]["_id"] == made["_id"]
    assert asked(bench, "GET", "/canvas/tokens")["data"] == []
    assert [scene["active"] for scene in asked(bench, "GET", "/scene", all="true")["data"]] == [False, True]
    assert asked(bench, "DELETE", "/scene", sceneId=made["_id"])["success"] is True
    assert asked(bench, "GET", "/canvas/tokens")["error"] == "No active scene"
    assert asked(bench, "GET", "/scene", name="Ridge")["error"] == "Scene not found"


def test_overriding_replaces_items_and_keeps_the_rest() -> None:
    bench = Bench()
    identity = bench.one.removeprefix("Actor.")
    rifle = {"_id": "itemRifle0000001", "name": "Rifle", "type": "weapon"}
    bench.world.edit(
        bench.one, {WOUNDS: 1, "items": [rifle, {"_id": "itemMedkit000001", "name": "Medkit", "type": "item"}]}
    )
    body = {
        "entityType": "Actor",
        "keepId": True,
        "override": True,
        "data": {"_id": identity, "name": "New", "items": [rifle]},
    }
    entity = asked(bench, "POST", "/create", body)["entity"]
    assert (entity["name"], entity["system"]["hits"]["value"]) == ("New", 1)
    assert [item["name"] for item in entity["items"]] == ["Rifle"]
    copy = {"_id": identity, "name": "New", "type": "creature"}
    assert asked(bench, "POST", "/create", {"entityType": "Actor", "override": True, "data": copy})["uuid"] != bench.one


def test_a_list_with_an_orphan_fails_where_foundry_does() -> None:
    bench = Bench()
    bench.world.remove(bench.one)
    bench.world.orphans_throw = True
    scene = bench.world.scene()
    uuids = [f"Scene.{scene['_id']}.Token.{token['_id']}" for token in rows(scene, "tokens")]
    assert "toObject" in asked(bench, "GET", "/canvas/tokens")["error"]
    assert "toObject" in asked(bench, "GET", "/scene", active="true")["error"]
    assert ["error" in asked(bench, "GET", "/get", uuid=uuid) for uuid in uuids] == [True, False, False, False]


def test_an_uploaded_file_is_kept_and_not_replaced_unasked() -> None:
    bench = Bench()
    body = {"path": "rallypoint", "filename": "a.png", "fileData": "data:image/png;base64,AA=="}
    assert asked(bench, "POST", "/upload", body)["path"] == "rallypoint/a.png"
    assert "error" in asked(bench, "POST", "/upload", body)
    assert asked(bench, "POST", "/upload", body | {"overwrite": True})["success"] is True
    assert bench.world.uploaded == {"rallypoint/a.png": "data:image/png;base64,AA=="}


def test_search_and_structure() -> None:
    bench = Bench()
    names = [
        one["name"]
        for one in asked(bench, "GET", "/search", query="FIGHTER", filter="documentType:Actor,subType:creature")[
            "results"
        ]
    ]
    assert names == ["Fighter 1-1", "Fighter 1-2", "Fighter 1-3"]
    found = asked(bench, "GET", "/search", filter="documentType:Actor,subType:character")["results"]
    assert [one["name"] for one in found] == ["First Platoon"]
    assert len(asked(bench, "GET", "/search", query="fighter", limit="2")["results"]) == 2
    folder = bench.world.create("Folder", {"name": "Red", "type": "Actor"})
    bench.world.edit(bench.one, {"folder": folder["_id"]})
    data = asked(bench, "GET", "/structure", types="Actor")["data"]
    assert list(data["folders"]) == ["Red"]
    assert bench.one not in [one["uuid"] for one in data["entities"]["actors"]]


@pytest.mark.parametrize(
    ("query", "body", "error"),
    [
        ({"uuid": ""}, {"data": {}}, "Entity not found: undefined"),
        ({"uuid": "Actor.nobody"}, {"data": {}}, "Cannot read properties of null (reading 'uuid')"),
        ({"uuid": "nonsense"}, {"data": {}}, "Cannot read properties of null (reading 'uuid')"),
    ],
)
def test_what_no_update_finds(query: dict[str, str], body: object, error: str) -> None:
    assert asked(Bench(), "PUT", "/update", body, **query)["error"] == error


def test_the_world_is_named_in_the_query_alone() -> None:
    bench = Bench()
    other = Table(load_system("worldbuilding"), client="fvtt_other")
    bench.relay.add(other)
    bench.client.params = httpx.QueryParams()
    for headers, body in (({"x-client-id": bench.world.client}, {}), ({}, {"clientId": bench.world.client})):
        answer = bench.client.request("GET", "/world-info", headers=headers, json=body)
        assert answer.status_code == 400
        assert answer.json()["connectedClients"] == [bench.world.client, "fvtt_other"]
    assert asked(bench, "GET", "/world-info", clientId="fvtt_other")["data"]["system"]["id"] == "worldbuilding"
    assert bench.client.get("/api/get").text == "404 page not found\n"
    other.sleep()
    assert asked(bench, "GET", "/world-info")["data"]["system"]["id"] == "mosh"


def test_calls_are_kept_so_that_a_test_can_count_them() -> None:
    bench = Bench()
    bench.put(1)
    bench.get()
    assert [(call.method, call.path, call.query["uuid"]) for call in bench.relay.heard] == [
        ("PUT", "/update", bench.one),
        ("GET", "/get", bench.one),
    ]
