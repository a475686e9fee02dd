"""The fake over ASGI and on a socket of this machine: calls at once, streams, its page, its command."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from click.testing import CliRunner

from rallypoint.kernel.errors import RallypointError
from rallypoint_foundry.fake.app import application
from rallypoint_foundry.fake.command import fake
from rallypoint_foundry.fake.relay import Relay
from rallypoint_foundry.fake.serving import served
from rallypoint_foundry.fake.table import Table, demo_world

ROOT = Path(__file__).parents[2]
GREETING = 'data: {"actorUuid":"","clientId":"fvtt_0123456789abcdef"}'
WOUNDS = "system.hits.value"


def actor(world: Table, name: str) -> str:
    return next(f"Actor.{key}" for key, one in world.collections["Actor"].items() if one["name"] == name)


async def at_once(relay: Relay, calls: list[tuple[str, str, int]], pace: float) -> list[httpx.Response]:
    transport = httpx.ASGITransport(application(relay, latency=0.02, pace=pace))
    async with httpx.AsyncClient(
        transport=transport, base_url="http://fake", headers={"x-api-key": relay.add_key()}
    ) as client:
        waits = [
            client.request(
                verb, "/update" if verb == "PUT" else "/get", params={"uuid": uuid}, json={"data": {WOUNDS: value}}
            )
            for verb, uuid, value in calls
        ]
        return await asyncio.gather(*waits)


def test_two_calls_of_a_type_in_one_millisecond_collide() -> None:
    world = demo_world()
    one, two = actor(world, "Fighter 1-1"), actor(world, "Fighter 1-2")
    answers = asyncio.run(at_once(Relay(world), [("PUT", one, 1), ("PUT", two, 2)], 0.01))
    assert sorted(answer.status_code for answer in answers) == [200, 408]
    lost, got = sorted(answers, key=lambda answer: -answer.status_code)
    assert lost.json() == {"error": "Request timed out"}
    assert got.json()["uuid"] != httpx.QueryParams(got.request.url.query)["uuid"]  # the other call's answer
    found = [world.find(uuid) for uuid in (one, two)]
    assert [each.document["system"]["hits"]["value"] for each in found if each] == [1, 2]  # type: ignore[index]


def test_calls_of_different_types_do_not_collide() -> None:
    world = demo_world()
    one, two = actor(world, "Fighter 1-1"), actor(world, "Fighter 1-2")
    answers = asyncio.run(at_once(Relay(world), [("PUT", one, 1), ("GET", two, 0)], 0.01))
    assert [(answer.status_code, answer.json()["uuid"]) for answer in answers] == [(200, one), (200, two)]


def test_late_answers_take_their_time() -> None:
    world = demo_world()
    relay, uuid = Relay(world), actor(world, "Fighter 1-1")
    relay.faults.add("late")
    (answer,) = asyncio.run(at_once(relay, [("PUT", uuid, 1)], 0.005))
    assert (answer.status_code, answer.json()) == (408, {"error": "Request timed out"})
    found = world.find(uuid)
    assert found is not None
    assert found.document["system"]["hits"]["value"] == 1  # type: ignore[index]


@pytest.mark.parametrize("shape", ["3.4.1", "2.2.1"])
def test_what_never_is_answered(shape: str) -> None:
    world = demo_world()
    relay, uuid = Relay(world, shape=shape), actor(world, "Fighter 1-1")
    relay.faults.add("hang")
    with (
        served(relay, pace=0.001) as base,
        httpx.Client(base_url=base, headers={"x-api-key": relay.add_key()}) as client,
    ):
        with pytest.raises(httpx.ReadTimeout):
            client.get("/get", params={"clientId": world.client, "uuid": uuid}, timeout=0.2)
        assert client.get("/get", params={"clientId": world.client, "uuid": uuid}).status_code == 200


@contextmanager
def connected(**options: float) -> Iterator[tuple[Table, Relay, httpx.Client]]:
    world = demo_world()
    relay = Relay(world)
    with (
        served(relay, **options) as base,  # type: ignore[arg-type]
        httpx.Client(
            base_url=base, headers={"x-api-key": relay.add_key()}, params={"clientId": world.client}
        ) as client,
    ):
        yield world, relay, client


def test_the_same_contract_on_a_socket() -> None:
    with connected() as (world, _, client):
        uuid = actor(world, "Fighter 1-1")
        answer = client.put("/update", params={"uuid": uuid}, json={"data": {WOUNDS: 1}})
        assert (answer.status_code, answer.json()["uuid"]) == (200, uuid)
        assert answer.headers["content-type"] == "application/json"
        assert "date" in answer.headers
        missing = client.get("/nowhere")
        assert (missing.status_code, missing.text) == (404, "404 page not found\n")
        assert client.post("/clients").headers["allow"] == "GET"


def test_a_stream_on_a_socket_tells_and_is_cut_in_the_middle_of_its_body() -> None:
    with connected() as (world, relay, client), client.stream("GET", "/actor/subscribe", timeout=10) as answer:
        uuid, lines = actor(world, "Fighter 1-1"), answer.iter_lines()
        assert [next(lines) for _ in range(3)] == ["event: connected", GREETING, ""]
        world.edit(uuid, {WOUNDS: 1})
        assert next(lines) == "event: actor-"
        assert json.loads(next(lines).removeprefix("data: "))["data"]["actorUuid"] == uuid
        relay.streams.end("cut")
        with pytest.raises(httpx.RemoteProtocolError, match="incomplete chunked read"):
            list(lines)


def test_a_stream_on_a_socket_ends_cleanly_when_the_world_sleeps() -> None:
    with connected() as (world, relay, client), client.stream("GET", "/scene/subscribe", timeout=10) as answer:
        lines = answer.iter_lines()
        next(lines)
        world.sleep()
        assert "event: scene-" not in list(lines)
        assert relay.streams.open == []


def test_a_quiet_stream_on_a_socket_is_kept_alive_and_cut() -> None:
    with connected(pace=0.0005) as (_, _, client), client.stream("GET", "/hooks/subscribe", timeout=10) as answer:
        lines: list[str] = []
        with pytest.raises(httpx.RemoteProtocolError):
            lines.extend(answer.iter_lines())
        assert ": keepalive" in lines
        assert answer.headers["content-type"] == "text/event-stream"


def test_the_page_shows_and_changes_the_world() -> None:
    with connected() as (world, _, client):
        page = client.get("/fake").text
        assert "First Platoon" in page
        assert "Stress" in page
        form = {"world": world.client, "act": "edit", "uuid": actor(world, "Fighter 1-1"), "path": WOUNDS, "value": "2"}
        assert client.post("/fake", data=form).status_code == 303
        found = world.find(form["uuid"])
        assert found is not None
        assert found.document["system"]["hits"]["value"] == 2  # type: ignore[index]
        assert client.post("/fake", data=form, headers={"origin": "http://evil.example"}).status_code == 403
        assert client.get("/fake", headers={"host": "evil.example"}).status_code == 403
        assert client.post("/fake", data={**form, "value": "many"}).status_code == 400
        assert client.post("/fake", data={**form, "uuid": "Actor.nobody"}).status_code == 400
        client.post("/fake", data={"world": world.client, "act": "sleep"})
        assert not world.online
        client.post("/fake", data={"world": world.client, "act": "wake"})
        assert world.online


def test_the_page_escapes_names() -> None:
    with connected() as (world, _, client):
        world.edit(actor(world, "Fighter 1-1"), {"name": "<script>"})
        assert "<script>" not in client.get("/fake").text


def test_consent_on_the_page() -> None:
    with connected() as (_, relay, client):
        asked = client.post("/auth/key-request", json={"appName": "x", "scopes": ["entity:read"]}).json()
        assert "entity:read" in client.get(asked["approvalUrl"]).text
        client.post("/fake", data={"act": "approve", "code": asked["code"]})
        assert client.get(f"/auth/key-request/{asked['code']}/status").json()["status"] == "approved"
        assert client.get("/approve/NOSUCH").status_code == 404
        assert relay.accounts.base in asked["approvalUrl"]


def test_the_command_serves_a_world_made_of_our_own_export(tmp_path: Path) -> None:
    environment = {**os.environ, "RALLYPOINT_PLUGINS": "disrupter,foundry"}
    roster = ROOT / "examples/rosters/starter-platoon.md"
    program = [sys.executable, "-m", "rallypoint", "export", "foundry", str(roster), "-o", str(tmp_path / "out")]
    subprocess.run(program, check=True, capture_output=True, env=environment)
    code = "from rallypoint_foundry.fake.command import fake; fake()"
    program = [sys.executable, "-u", "-c", code, "--port", "0", "--world", str(tmp_path / "out/encounter.json")]
    with subprocess.Popen(program, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        try:
            lines = [running.stdout.readline() for _ in range(5)]
            base = lines[0].split()[3].rstrip(",")
            key = lines[3].split("RALLYPOINT_FOUNDRY_KEY=")[1].strip()
            assert "mosh 0.6.1" in lines[1]
            assert lines[4].startswith("curl -X PUT")
            headers = {"x-api-key": key}
            found = httpx.get(f"{base}/structure", params={"types": "Scene"}, headers=headers).json()["data"][
                "entities"
            ]["scenes"]
            assert len(found) == 1
            exported = json.loads((tmp_path / "out/encounter.json").read_text(encoding="utf-8"))
            scene = httpx.get(f"{base}/scene", params={"active": "true"}, headers=headers).json()["data"]
            assert [one["_id"] for one in scene["tokens"]] == [one["_id"] for one in exported["scenes"][0]["tokens"]]
            assert httpx.get(f"{base}/encounters", headers=headers).json()["encounters"][0]["current"] is True
        finally:
            running.terminate()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "cannot be read"),
        ("{", "not JSON"),
        ("[]", "holds no actors"),
        ('{"actors": [{"type": "npc"}], "system": {"id": "mosh", "version": "0.6.1"}}', "may not be undefined"),
        ('{"actors": [5]}', "cannot be made"),
    ],
)
def test_a_world_that_is_none(tmp_path: Path, content: str | None, words: str) -> None:
    path = tmp_path / "world.json"
    if content is not None:
        path.write_text(content, encoding="utf-8")
    done = CliRunner().invoke(fake, ["--world", str(path), "--port", "0"])
    assert isinstance(done.exception, RallypointError)
    assert done.exception.exit_status == 2
    assert words in str(done.exception)


def test_a_port_in_use_is_named() -> None:
    with served(Relay(demo_world())) as base:
        done = CliRunner().invoke(fake, ["--port", base.rpartition(":")[2]])
        assert isinstance(done.exception, RallypointError)
        assert done.exception.exit_status == 3
        assert "--port 0" in str(done.exception)
