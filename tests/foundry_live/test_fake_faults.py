"""Each fault of the fake does what its name says: what is answered, and what has become of the document."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rallypoint.kernel.errors import InputError
from rallypoint_foundry.fake.client import FakeTransport
from rallypoint_foundry.fake.documents import at, rows
from rallypoint_foundry.fake.faults import AT_THE_DOOR, FAULTS, IN_STREAMS, ON_THE_WAY
from rallypoint_foundry.fake.relay import Relay
from rallypoint_foundry.fake.table import Table, demo_world

WOUNDS = "system.hits.value"


class Bench:
    """A relay with a demo world, and a client that reads no longer than 15 s."""

    def __init__(self, **options: Any) -> None:
        self.world: Table = demo_world()
        self.relay = Relay(self.world, **options)
        self.client = httpx.Client(
            transport=FakeTransport(self.relay),
            base_url="http://fake",
            headers={"x-api-key": self.relay.add_key()},
            params={"clientId": self.world.client},
            timeout=15,
        )
        names = {str(actor["name"]): key for key, actor in self.world.collections["Actor"].items()}
        self.one, self.two = f"Actor.{names['Fighter 1-1']}", f"Actor.{names['Fighter 1-2']}"

    def wounds(self, uuid: str | None = None) -> object:
        found = self.world.find(uuid or self.one)
        return None if found is None else at(found.document, WOUNDS)

    def put(self, value: int, uuid: str | None = None) -> httpx.Response:
        return self.client.put("/update", params={"uuid": uuid or self.one}, json={"data": {WOUNDS: value}})

    def get(self, uuid: str | None = None) -> httpx.Response:
        return self.client.get("/get", params={"uuid": uuid or self.one})


@pytest.mark.parametrize(
    ("name", "status", "text"),
    [
        ("too_many", 429, '{"error":"Too many API requests, please slow down"}\n'),
        ("month_used", 429, '{"error":"Scoped key monthly request limit exceeded"}\n'),
        ("too_large", 413, '{"error":"Request body too large"}\n'),
        ("html_404", 404, "<html>"),
        ("html_502", 502, "<html>"),
        ("html_504", 504, "<html>"),
        ("key_unknown", 401, '{"error":"Invalid API key"}\n'),
        ("key_disabled", 401, '{"error":"API key is disabled"}\n'),
        ("key_expired", 401, '{"error":"API key has expired"}\n'),
        ("other_account", 401, '{"error":"Invalid API key for this client ID"}\n'),
        ("other_world", 403, '{"error":"API key is not authorized for this client"}\n'),
        ("account_disabled", 403, '{"error":"Account disabled"}\n'),
        ("no_such_world", 404, '{"error":"Invalid client ID"}\n'),
        ("send_failed", 500, '{"error":"Failed to send request to Foundry client"}\n'),
        ("maintenance", 503, '{"error":"Service is in maintenance mode"}\n'),
    ],
)
def test_faults_at_the_door_do_nothing(name: str, status: int, text: str) -> None:
    bench = Bench()
    bench.relay.faults.add(name)
    answer = bench.put(2)
    assert answer.status_code == status
    assert answer.text.startswith(text)
    assert answer.headers["content-type"] == ("text/html" if "html" in name else "application/json")
    assert "retry-after" not in answer.headers
    assert bench.wounds() == 0
    assert bench.put(2).status_code == 200


def test_nobody_listens() -> None:
    bench = Bench()
    bench.relay.faults.add("refused")
    with pytest.raises(httpx.ConnectError):
        bench.put(2)
    bench.relay.stop()
    with pytest.raises(httpx.ConnectError):
        bench.get()
    bench.relay.start()
    assert bench.get().status_code == 200
    bench.relay.stop()
    bench.relay.start(forget_keys=True)
    assert (bench.get().status_code, bench.get().json()) == (401, {"error": "Invalid API key"})


@pytest.mark.parametrize(("name", "done"), [("lost", 0), ("late", 2), ("swept", 2)])
def test_408_says_nothing_of_what_was_done(name: str, done: int) -> None:
    bench = Bench()
    bench.relay.faults.add(name)
    bench.client.timeout = httpx.Timeout(40)
    before = bench.relay.clock.now()
    answer = bench.put(2)
    assert answer.status_code == 408
    assert answer.json() == {"error": "request timeout" if name == "swept" else "Request timed out"}
    assert bench.relay.clock.now() - before == (30 if name == "swept" else 10)
    assert bench.wounds() == done


def test_a_held_update_is_done_right_after_the_next_call() -> None:
    bench = Bench()
    bench.relay.faults.add("held")
    assert bench.put(2).status_code == 408
    assert at(bench.get().json()["data"], WOUNDS) == 0
    assert bench.wounds() == 2


def test_a_client_that_reads_less_long_sees_no_answer_at_all() -> None:
    bench = Bench()
    bench.client.timeout = httpx.Timeout(5)
    bench.relay.faults.add("late")
    with pytest.raises(httpx.ReadTimeout):
        bench.put(2)
    assert bench.wounds() == 2


def test_a_call_that_never_is_answered() -> None:
    bench = Bench()
    bench.relay.faults.add("hang")
    before = bench.relay.clock.now()
    with pytest.raises(httpx.ReadTimeout):
        bench.put(2)
    assert bench.relay.clock.now() - before == 15
    assert bench.wounds() == 2


def test_a_proxy_cuts_the_answer_off() -> None:
    bench = Bench()
    bench.relay.faults.add("cut_off")
    assert bench.put(2).status_code == 502
    assert bench.wounds() == 2


def test_crossed_answers_speak_of_another_document() -> None:
    bench = Bench()
    bench.relay.faults.add("crossed", count=2)
    answer = bench.put(2)
    assert answer.status_code == 200
    assert answer.json()["uuid"] != bench.one
    assert answer.json()["uuid"].startswith("Actor.")
    assert bench.wounds() == 2
    answer = bench.get(bench.two)
    assert answer.json()["uuid"] != bench.two
    assert f"Actor.{answer.json()['data']['_id']}" == answer.json()["uuid"]


def test_dropped_keys_are_not_in_the_answer() -> None:
    bench = Bench()
    bench.relay.faults.add("dropped", drop=["system.other.stress"])
    data = {"data": {"system.other.stress.value": 4, WOUNDS: 1}}
    answer = bench.client.put("/update", params={"uuid": bench.one}, json=data).json()["entity"][0]
    assert at(answer, "system.other.stress") is None
    assert at(answer, WOUNDS) == 1
    bench.relay.faults.add("dropped")
    assert bench.put(2).status_code == 200
    assert bench.wounds() == 1


def test_a_deletion_that_is_none() -> None:
    bench = Bench()
    bench.relay.faults.add("false_success", of="delete")
    assert bench.get().status_code == 200
    answer = bench.client.delete("/delete", params={"uuid": bench.one})
    assert (answer.status_code, answer.json()["success"], answer.json()["uuid"]) == (200, True, bench.one)
    assert bench.wounds() == 0
    assert bench.client.delete("/delete", params={"uuid": "Actor.nobody0000000000"}).json()["success"] is True


@pytest.mark.parametrize(("name", "done"), [("falls_asleep", 0), ("done_then_asleep", 2)])
def test_the_browser_closes_during_a_call(name: str, done: int) -> None:
    bench = Bench()
    bench.relay.faults.add(name)
    assert bench.put(2).status_code == 408
    assert bench.wounds() == done
    assert (bench.get().status_code, bench.get().json()) == (404, {"error": "Invalid client ID"})
    assert bench.client.get(f"/api/clients/{bench.world.client}/active").json() == {"active": False}
    assert bench.client.get("/clients").json()["clients"][0]["isOnline"] is False
    bench.world.wake()
    assert bench.get().status_code == 200


def test_somebody_edits_during_a_call() -> None:
    bench = Bench()
    bench.relay.faults.add("meanwhile", of="update", do=lambda: bench.world.edit(bench.one, {WOUNDS: 1, "name": "X"}))
    answer = bench.put(2).json()["entity"][0]
    assert (answer["name"], at(answer, WOUNDS)) == ("X", 2)
    bench.relay.faults.add("afterwards", of="update", do=lambda: bench.world.edit(bench.one, {WOUNDS: 1}))
    bench.put(0)
    assert bench.wounds() == 1


def test_somebody_copies_or_deletes_during_a_call() -> None:
    bench = Bench()
    scene = bench.world.scene()
    token = f"Scene.{scene['_id']}.Token.{rows(scene, 'tokens')[3]['_id']}"
    bench.world.update(token, {"flags.rallypoint.uid": "red"})
    bench.relay.faults.add("copied")
    long = bench.world.actor_uuid(scene["_id"], rows(scene, "tokens")[3])
    assert bench.put(1, long).status_code == 200
    assert [at(one, "flags.rallypoint.uid") for one in rows(scene, "tokens")] == [None, None, None, "red", "red"]
    bench.relay.faults.add("deleted")
    answer = bench.put(2, long)
    assert answer.status_code == 400
    assert answer.json()["error"] == "Cannot read properties of null (reading 'uuid')"
    assert len(rows(scene, "tokens")) == 4


def test_count_position_and_type_say_which_calls_are_struck() -> None:
    bench = Bench()
    bench.relay.faults.add("lost", of="update", after=1, count=2)
    assert [bench.put(2).status_code for _ in range(2)] == [200, 408]
    assert bench.get().status_code == 200
    assert [bench.put(2).status_code for _ in range(2)] == [408, 200]
    assert bench.relay.faults.struck == ["lost", "lost"]
    bench.relay.faults.add("lost")
    bench.relay.faults.clear()
    assert bench.put(2).status_code == 200
    with pytest.raises(InputError, match="late"):
        bench.relay.faults.add("latte")


@given(st.lists(st.tuples(st.sampled_from(FAULTS), st.integers(0, 3)), max_size=4))
def test_under_any_faults_an_answer_is_one_of_the_known_kinds(faults: list[tuple[str, int]]) -> None:
    bench = Bench()
    for name, after in faults:
        bench.relay.faults.add(name, after=after)
    for value in (1, 2, 1, 0):
        try:
            answer = bench.put(value)
        except (httpx.ConnectError, httpx.ReadTimeout):
            continue
        assert answer.status_code in {200, 400, 401, 403, 404, 408, 413, 429, 500, 502, 503, 504}
        if answer.headers["content-type"] == "application/json":
            assert ("error" in json.loads(answer.content)) == (answer.status_code != 200)
    assert bench.wounds() in (0, 1, 2, None)
    assert set(bench.relay.faults.struck) <= {name for name, _ in faults}


def test_each_fault_has_one_place() -> None:
    assert len(FAULTS) == len(set(FAULTS)) == len(AT_THE_DOOR) + len(ON_THE_WAY) + len(IN_STREAMS)


def test_the_rate_gives_a_call_back_every_60_seconds_by_the_limit() -> None:
    bench = Bench(per_minute=5)
    assert [bench.get().status_code for _ in range(6)] == [200] * 5 + [429]
    bench.relay.clock.sleep(11)
    assert bench.get().status_code == 429
    bench.relay.clock.sleep(2)
    assert [bench.get().status_code for _ in range(2)] == [200, 429]


def two_x(bench: Bench) -> None:
    entry = bench.client.get("/clients").json()["clients"][0]
    assert entry["id"] == bench.world.client
    assert "isOnline" not in entry
    assert bench.put(1).json()["clientId"] == bench.world.client
    for path in ("/scene?active=true", "/canvas/tokens", "/world-info", "/actor/subscribe"):
        answer = bench.client.get(path)
        assert (answer.status_code, answer.headers["content-type"]) == (404, "text/html; charset=utf-8")
    assert bench.client.get("/clients", headers={"x-api-key": "anything"}).status_code == 200
    answer = bench.client.put("/update", params={"uuid": bench.one}, content=b"{")
    assert answer.json()["error"] == "Invalid JSON format"
    bench.client.params = httpx.QueryParams()
    assert bench.get().json() == {"error": "'clientId' is required"}
    bench.world.sleep()
    assert bench.client.get("/clients").json()["total"] == 0


def bare(bench: Bench) -> None:
    assert bench.client.get("/clients").headers["content-type"].startswith("text/html")


@pytest.mark.parametrize(
    ("shape", "status", "more"),
    [
        (
            "3.4.1",
            {
                "status": "ok",
                "version": "3.4.1",
                "websocket": "/relay",
                "billingEnabled": False,
                "headlessEnabled": False,
            },
            None,
        ),
        ("2.2.1", {"status": "ok", "version": "2.2.0", "websocket": "/relay"}, two_x),
        ("foundry", {"active": True, "version": "13.351", "world": "demo-world"}, bare),
    ],
)
def test_what_can_be_met_at_an_address(
    shape: str, status: dict[str, object], more: Callable[[Bench], None] | None
) -> None:
    bench = Bench(shape=shape)
    assert bench.client.get("/api/status").json() == status
    if more is not None:
        more(bench)


def test_a_key_by_consent() -> None:
    bench = Bench()
    ask = {"appName": "Rallypoint", "scopes": ["entity:read", "clients:read"]}
    code = bench.client.post("/auth/key-request", json=ask).json()["code"]
    status = f"/auth/key-request/{code}/status"
    assert bench.client.get(status).json() == {"status": "pending"}
    bench.relay.accounts.approve(code, ["entity:read"])
    told = bench.client.get(status).json()
    assert (told["status"], told["scopes"]) == ("approved", ["entity:read"])
    assert bench.client.get(status).json()["status"] == "exchanged"
    bench.client.headers["x-api-key"] = told["apiKey"]
    assert bench.get().status_code == 200
    assert (bench.put(1).status_code, bench.put(1).json()) == (
        403,
        {"error": "API key lacks required scope: entity:write"},
    )
    for state in ("denied", "expired"):
        code = bench.client.post("/auth/key-request", json=ask).json()["code"]
        bench.relay.accounts.decide(code, state)
        assert bench.client.get(f"/auth/key-request/{code}/status").status_code == 410
    assert Bench(approves=True).client.post("/auth/key-request", json={"scopes": ["frob"]}).status_code == 400
    willing = Bench(approves=True)
    code = willing.client.post("/auth/key-request", json=ask).json()["code"]
    assert willing.client.get(f"/auth/key-request/{code}/status").json()["status"] == "approved"
