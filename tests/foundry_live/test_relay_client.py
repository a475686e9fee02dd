"""The client: what each answer means, what is tried again, what never shows."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import respx

from rallypoint_foundry.fake.relay import StillClock
from rallypoint_foundry.live.budget import Budget
from rallypoint_foundry.live.events import Change, change_of
from rallypoint_foundry.live.refusals import failure_of
from rallypoint_foundry.live.relay import Event, Relay
from rallypoint_foundry.live.wire import HttpxWire, LostError, Secret, Told
from rallypoint_foundry.live.world import chosen_world, place_at, worlds
from rallypoint_sync.transport import DoubtfulError, RefusedError, TransportError, UnreachableError

KEY = "c0ffee" * 10
Handler = Callable[[httpx.Request], httpx.Response]


def relay(handler: Handler, base: str = "http://host:3010", patient: float = 0.0) -> Relay:
    wire = HttpxWire(base, httpx.MockTransport(handler))
    return Relay(wire, Secret(KEY), "fvtt_1", clock=StillClock(), patient=patient)


def answers(*given: tuple[int, Any]) -> Handler:
    left: Iterator[tuple[int, Any]] = iter(given)

    def handler(request: httpx.Request) -> httpx.Response:
        status, body = next(left)
        if isinstance(body, Exception):
            raise body
        return httpx.Response(status, json=body) if isinstance(body, dict) else httpx.Response(status, html=body)

    return handler


ACTOR = {"type": "entity-result", "uuid": "Actor.a", "data": {"_id": "a", "system": {}}}


def test_the_call_as_the_relay_wants_it() -> None:
    router = respx.Router()
    asked = router.get("https://table.example/foundry/relay/get", params={"clientId": "fvtt_1", "uuid": "Actor.a"})
    asked.respond(200, json=ACTOR)
    relay(router.handler, "https://table.example/foundry/relay/").get("Actor.a")
    (call,) = asked.calls
    assert str(call.request.url) == "https://table.example/foundry/relay/get?clientId=fvtt_1&uuid=Actor.a"
    assert call.request.headers["x-api-key"] == KEY
    assert "x-client-id" not in call.request.headers
    assert call.request.extensions["timeout"]["read"] == 15.0
    placed = router.post("http://host:3010/canvas/tokens", json={"data": {}}).respond(200, json=ACTOR)
    relay(router.handler).write("POST", "/canvas/tokens", None, {"data": {}})
    assert placed.calls.last.request.extensions["timeout"]["read"] == 40.0
    assert json.loads(placed.calls.last.request.content) == {"data": {}}


@pytest.mark.parametrize(
    ("status", "body", "kind", "code"),
    [
        (401, {"error": "Invalid API key"}, UnreachableError, "key_refused"),
        (401, {"error": "A scoped API key is required for API calls. Create one."}, UnreachableError, "key_refused"),
        (401, {"error": "Invalid API key for this client ID"}, UnreachableError, "other_world"),
        (403, {"error": "API key lacks required scope: entity:write"}, UnreachableError, "scope_missing"),
        (403, {"error": "API key is not authorized for this client"}, UnreachableError, "other_world"),
        (404, {"error": "Invalid client ID"}, UnreachableError, "world_asleep"),
        (404, {"error": "No connected Foundry clients found"}, UnreachableError, "world_asleep"),
        (404, "<html>", UnreachableError, "no_such_path"),
        (400, {"error": "Multiple clients connected. Please specify clientId."}, UnreachableError, "many_worlds"),
        (400, {"error": "Entity not found"}, RefusedError, "not_there"),
        (400, {"error": "Cannot read properties of null (reading 'uuid')"}, RefusedError, "not_there"),
        (400, {"error": "Cannot read properties of null (reading 'name')"}, RefusedError, "not_there"),
        (400, {"error": "User 'Ann' does not have permission to update 'Serra'"}, RefusedError, "no_permission"),
        (400, {"error": "Actor validation errors: ..."}, RefusedError, "refused"),
        (408, {"error": "Request timed out"}, DoubtfulError, "no_answer"),
        (408, {"error": "request timeout"}, DoubtfulError, "no_answer"),
        (502, "<html>", DoubtfulError, "no_answer"),
        (504, "<html>", DoubtfulError, "no_answer"),
        (503, "<html>", DoubtfulError, "no_answer"),
        (200, "<html>", DoubtfulError, "no_answer"),
        (413, {"error": "Request body too large"}, RefusedError, "too_large"),
        (429, {"error": "Too many API requests, please slow down"}, UnreachableError, "too_many_requests"),
        (429, {"error": "Scoped key monthly request limit exceeded"}, UnreachableError, "quota_spent"),
        (500, {"error": "Failed to send request to Foundry client"}, UnreachableError, "not_sent"),
        (503, {"error": "Service is in maintenance mode"}, UnreachableError, "maintenance"),
        (302, "<html>", UnreachableError, "redirected"),
        (405, "", RefusedError, "wrong_method"),
        (200, {"uuid": "Actor.b", "entity": [{}]}, DoubtfulError, "crossed_answer"),
        (200, {"uuid": "Actor.a", "entity": []}, DoubtfulError, "odd_answer"),
        (0, httpx.ConnectError("refused"), UnreachableError, "relay_gone"),
        (0, httpx.ReadTimeout("too long"), DoubtfulError, "no_answer"),
        (0, httpx.RemoteProtocolError("cut"), DoubtfulError, "no_answer"),
    ],
)
def test_what_an_answer_to_a_write_means(status: int, body: Any, kind: type[TransportError], code: str) -> None:
    with pytest.raises(TransportError) as failed:
        relay(answers(*[(status, body)] * (40 if code == "too_many_requests" else 1))).update(
            "Actor.a", {"system.hits.value": 1}
        )
    assert (type(failed.value), failed.value.code) == (kind, code)
    assert KEY not in str(failed.value)
    assert len(str(failed.value).splitlines()) == 1


def test_a_write_is_sent_once_when_it_is_in_doubt() -> None:
    with pytest.raises(DoubtfulError):  # a second call would run out of answers
        relay(answers((408, {"error": "Request timed out"})), patient=60).update("Actor.a", {})


def test_what_was_not_sent_is_sent_again() -> None:
    busy = (429, {"error": "Too many API requests, please slow down"})
    done = (200, {"uuid": "Actor.a", "entity": [{"_id": "a"}]})
    one = relay(answers(busy, busy, busy, done), patient=60)
    assert one.update("Actor.a", {}) == {"_id": "a"}
    assert one.budget.refused == 3


def test_a_limit_is_waited_for_without_patience() -> None:
    clock = StillClock()
    begun, tokens = clock.now(), [3]

    def handler(request: httpx.Request) -> httpx.Response:
        """Three calls are let through, and one more every five seconds."""
        if tokens[0] + (clock.now() - begun) // 5 < 1:
            return httpx.Response(429, json={"error": "Too many API requests, please slow down"})
        tokens[0] -= 1
        return httpx.Response(200, json=ACTOR)

    one = Relay(HttpxWire("http://host", httpx.MockTransport(handler)), Secret(KEY), "fvtt_1", clock=clock)
    for _ in range(8):
        one.get("Actor.a")
    assert 25 <= clock.now() - begun < 60


def test_a_read_is_tried_again_and_is_never_in_doubt() -> None:
    lost, crossed = (408, {"error": "Request timed out"}), (200, {**ACTOR, "uuid": "Actor.b", "data": {"_id": "b"}})
    one = relay(answers(lost, crossed, (502, "<html>"), (200, ACTOR)), patient=60)
    assert one.get("Actor.a") == ACTOR["data"]
    with pytest.raises(UnreachableError) as failed:
        relay(answers(lost)).get("Actor.a")
    assert failed.value.passing


def test_a_redirect_does_not_get_the_key() -> None:
    heard: list[str] = []

    def handler(request: httpx.Request) -> httpx.Response:
        heard.append(request.url.host)
        return httpx.Response(307, headers={"location": "http://elsewhere/get"})

    with pytest.raises(UnreachableError):
        relay(handler).get("Actor.a")
    assert heard == ["host"]


def test_the_key_shows_nowhere() -> None:
    one = relay(answers((401, {"error": "Invalid API key"})))
    with pytest.raises(UnreachableError) as failed:
        one.get("Actor.a")
    shown = [
        repr(one),
        repr(one.wire),
        repr(one.key),
        str(one.key),
        f"{one.key}",
        repr(failed.value),
        str(failed.value),
    ]
    shown += [repr(vars(one.wire)), repr(vars(one.wire)["_client"].headers)]
    assert not [text for text in shown if KEY in text]


@pytest.mark.parametrize("address", ["", "host:3010", "ftp://host", "http://", "http://me:secret@host"])
def test_an_address_that_is_none(address: str) -> None:
    with pytest.raises(UnreachableError) as failed:
        HttpxWire(address)
    assert failed.value.code == "no_address"
    assert "secret" not in str(failed.value)


def test_the_budget_slows_down_before_the_relay_does() -> None:
    clock = StillClock()
    router = respx.Router()
    asked = router.get("http://host/get").respond(200, json=ACTOR)
    wire = HttpxWire("http://host", httpx.MockTransport(router.handler))
    said: list[float] = []
    one = Relay(wire, Secret(KEY), "fvtt_1", clock=clock, waiting=said.append)
    begun = clock.now()
    for _ in range(270):
        one.get("Actor.a")
    assert (clock.now(), said) == (begun, [])
    one.get("Actor.a")  # nine tenths of 300 are used: this one waits for the first to be a minute old
    assert (clock.now(), said) == (begun + 60, [60.0])  # a person is told: nothing would be seen for a minute
    assert asked.call_count == 271
    assert Budget(clock).value({"month": "2026-11", "requests": 7})["requests"] == 7
    assert Budget(clock).value({"month": "2026-10", "requests": 7})["requests"] == 0


def test_one_request_at_a_time() -> None:
    import threading

    inside, most = 0, 0

    def handler(request: httpx.Request) -> httpx.Response:
        nonlocal inside, most
        inside += 1
        most = max(most, inside)
        threading.Event().wait(0.001)
        inside -= 1
        return httpx.Response(200, json=ACTOR)

    one = relay(handler)
    threads = [threading.Thread(target=one.get, args=("Actor.a",)) for _ in range(20)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert most == 1


@pytest.mark.parametrize(
    "row",
    json.loads(
        "[" + ",".join((Path(__file__).parent / "relay-3.4.1.jsonl").read_text(encoding="utf-8").splitlines()) + "]"
    ),
)
def test_every_recorded_failure_of_the_real_relay_is_understood(row: dict[str, Any]) -> None:
    """None of them is taken for a success, and what the relay refuses by itself is never in doubt."""
    status = row.get("status")
    if not isinstance(status, int) or status < 300:
        return
    kind = str(row.get("headers", {}).get("content-type", "")).partition(";")[0]
    failure = failure_of(Told(status, kind, str(row.get("body", "")).encode(), iter(())), str(row["path"]))
    assert isinstance(failure, DoubtfulError) == (status == 408)
    assert failure.code != "unknown" or status == 404


def test_what_is_at_an_address() -> None:
    def place(body: Any) -> Any:
        return place_at(relay(answers((200, body))))

    assert place({"status": "ok", "version": "3.4.1", "websocket": "/relay"}).is_old is False
    assert place({"status": "ok", "version": "2.2.0", "websocket": "/relay"}).is_old is True
    for body, code in (
        ({"active": True, "version": "13.351"}, "bare_foundry"),
        ({"status": "ok"}, "no_relay"),
        ("<html>", "no_relay"),
    ):
        with pytest.raises(TransportError) as failed:
            place(body)
        assert failed.value.code == code


def test_worlds_of_both_kinds_of_relay() -> None:
    new = {
        "clients": [
            {"clientId": "a", "isOnline": False, "worldTitle": "A"},
            {"clientId": "b", "isOnline": True, "worldTitle": "B"},
        ]
    }
    old = {"clients": [{"id": "c", "worldTitle": "C"}]}
    found = worlds(relay(answers((200, new))))
    assert [(each.client, each.is_online) for each in found] == [("a", False), ("b", True)]
    assert [(each.client, each.is_online) for each in worlds(relay(answers((200, old))))] == [("c", True)]
    assert (chosen_world(found, None).client, chosen_world(found, "B").client) == ("b", "b")
    for wanted, code in (("A", "world_asleep"), ("Z", "no_such_world")):
        with pytest.raises(UnreachableError) as failed:
            chosen_world(found, wanted)
        assert failed.value.code == code
    with pytest.raises(UnreachableError) as failed:
        chosen_world((found[1], found[1]._replace(client="d")), None)
    assert failed.value.code == "many_worlds"


def test_events_wrapped_and_flat() -> None:
    told: dict[str, Any] = {
        "actorUuid": "Actor.a",
        "eventType": "update",
        "changes": {"system": {"hits": {"value": 1}}},
    }
    moved: dict[str, Any] = {"sceneId": "s", "tokenId": "t", "eventType": "token-update", "changes": {"x": 7}}
    delta = {**moved, "changes": {"delta": {"system": {}}}}
    made = {"sceneId": "s", "tokenId": "t", "eventType": "token-create", "changes": {}}
    copied = {"hook": "createActor", "args": [{"_id": "b", "flags": {"rallypoint": {"uid": "u"}}}, {}, "gm"]}
    expected: list[tuple[dict[str, Any], Change | None]] = [
        (told, Change("Actor.a", told["changes"], True)),
        (moved, None),
        (delta, Change("Scene.s.Token.t", {})),
        (made, Change("Scene.s.Token.t", {}, new_in="s")),
        (copied, Change("Actor.b", {}, copy_of="u")),
        ({"hook": "createActor", "args": [{"_id": "b"}]}, None),
        ({"hook": "deleteActor", "args": [{"_id": "b"}]}, Change("Actor.b", {})),
        ({"hook": "deleteScene", "args": [{"_id": "s"}]}, Change("Scene.s", {})),
        (
            {"hook": "updateCombatant", "args": [{"_id": "d"}, {"defeated": True}]},
            Change("Combatant.d", {"defeated": True}),
        ),
        ({"hook": "pauseGame", "args": [True]}, None),
        ({"clientId": "x"}, None),
    ]
    for data, change in expected:
        assert change_of(Event("x", data)) == change
        assert change_of(Event("x", {"type": "x", "data": data})) == change


def test_a_stream_that_is_cut_raises_and_one_that_ends_does_not() -> None:
    class Body(httpx.SyncByteStream):
        def __init__(self, cut: bool) -> None:
            self.cut = cut

        def __iter__(self) -> Iterator[bytes]:
            yield b'event: connected\ndata: {"clientId":"x"}\n\n: keepalive\n\nevent: actor-\ndata: {"a":1}\n\nevent: odd\ndata: nojson\n\n'
            if self.cut:
                raise httpx.RemoteProtocolError("incomplete chunked read")

    def stream(cut: bool) -> Relay:
        head = {"content-type": "text/event-stream"}
        return relay(lambda request: httpx.Response(200, headers=head, stream=Body(cut)))

    one = stream(False)
    assert [each.name for each in one.listen(one.wire, "actor")] == ["connected", "actor-"]
    two = stream(True)
    with pytest.raises(LostError):
        list(two.listen(two.wire, "actor"))
