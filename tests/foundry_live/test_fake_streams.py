"""Event streams of the fake: what the recording of relay 3.4.1 shows, and how streams end."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest

from rallypoint_foundry.fake import combats
from rallypoint_foundry.fake.client import FakeTransport
from rallypoint_foundry.fake.relay import Relay

from .test_fake_conformance import CLIENT, HERO, recorded_world


class Heard:
    """A stream of the recorded world, read to its end, while ``acts`` happen one by one."""

    def __init__(self, path: str, *acts: Callable[[Heard], object], faults: tuple[str, ...] = (), **query: str) -> None:
        self.world = recorded_world()
        self.relay = Relay(self.world)
        for name in faults:
            self.relay.faults.add(name)
        self.acts = list(acts)
        self.lines: list[str] = []
        self.error: httpx.HTTPError | None = None
        transport = FakeTransport(self.relay, self.act)
        headers = {"x-api-key": self.relay.add_key()}
        self.began = self.relay.clock.now()
        with (
            httpx.Client(transport=transport, base_url="http://fake", headers=headers) as client,
            client.stream("GET", path, params={"clientId": CLIENT, **query}) as answer,
        ):
            assert answer.headers["content-type"] == "text/event-stream"
            try:
                self.lines += answer.iter_lines()
            except httpx.RemoteProtocolError as error:
                self.error = error
        self.lasted = self.relay.clock.now() - self.began

    def act(self) -> None:
        if self.acts:
            self.acts.pop(0)(self)

    def events(self) -> Iterator[tuple[str, Any]]:
        for name, data in zip(self.lines, self.lines[1:], strict=False):
            if name.startswith("event: "):
                yield name.removeprefix("event: "), json.loads(data.removeprefix("data: "))


def heard(
    path: str, act: Callable[[Heard], object], *, faults: tuple[str, ...] = (), **query: str
) -> list[tuple[str, Any]]:
    """What a stream tells of one act, after its greeting."""

    stream = Heard(path, act, faults=faults, **query)
    events = list(stream.events())
    assert events[0][0] == "connected"
    assert events[0][1]["clientId"] == CLIENT
    return events[1:]


def stress(stream: Heard) -> None:
    stream.world.edit(f"Actor.{HERO}", {"system.stress.value": 3})


def own_stress(stream: Heard) -> None:
    stream.world.edit(
        "Scene.sceneDemo0000001.Token.tokenMob00000001.Actor.actorMob00000001", {"system.stress.value": 3}
    )


def moved(stream: Heard) -> None:
    stream.world.edit("Scene.sceneDemo0000001.Token.tokenHero0000001", {"x": 77})


def test_the_stream_of_actors_as_recorded() -> None:
    told = {"actorUuid": f"Actor.{HERO}", "changes": {"system": {"stress": {"value": 3}}}, "eventType": "update"}
    assert heard("/actor/subscribe", stress) == [("actor-", {"data": told, "type": "actor-event"})]
    assert heard("/actor/subscribe", stress, actorUuid=f"Actor.{HERO}") == []
    long = "Scene.sceneDemo0000001.Token.tokenMob00000001.Actor.actorMob00000001"
    assert [data["data"]["actorUuid"] for _, data in heard("/actor/subscribe", own_stress)] == [long]
    assert heard("/actor/subscribe", moved) == []


def test_the_stream_of_scenes_as_recorded() -> None:
    told = {
        "changes": {"x": 77},
        "eventType": "token-update",
        "sceneId": "sceneDemo0000001",
        "tokenId": "tokenHero0000001",
    }
    assert heard("/scene/subscribe", moved) == [("scene-", {"data": told, "type": "scene-event"})]
    assert heard("/scene/subscribe", moved, sceneId="sceneDemo0000001") == []


def test_the_stream_of_hooks_as_recorded() -> None:
    for hooks in ("updateActor", "updateToken,updateActor", ""):
        ((name, data),) = heard("/hooks/subscribe", stress, hooks=hooks)
        document, changes, options, user = data["data"]["args"]
        assert (name, data["type"], data["data"]["hook"]) == ("updateActor", "hook-event", "updateActor")
        assert (document["_id"], document["system"]["stress"]) == (HERO, {"max": 10, "value": 3})
        assert (changes, options, user) == ({"system": {"stress": {"value": 3}}}, {"diff": True}, "gmUser0000000000")
    assert heard("/hooks/subscribe", stress, hooks="updateToken") == []
    ((_, data),) = heard("/hooks/subscribe", own_stress)
    assert data["data"]["args"][0]["_id"] == "actorMob00000001"  # the base actor's: hooks cannot tell copies apart


def test_the_stream_of_encounters_as_recorded() -> None:
    def fight(stream: Heard) -> None:
        combat = combats.start(stream.world, "One")
        combats.add(stream.world, combat, "Scene.sceneDemo0000001.Token.tokenHero0000001")
        combats.add(stream.world, combat, "Scene.sceneDemo0000001.Token.tokenMob00000001")
        combats.turned(stream.world, combat, "nextTurn")
        combats.remove(stream.world, combat, "Scene.sceneDemo0000001.Token.tokenMob00000001")
        combats.end(stream.world, combat)

    events = heard("/encounters/subscribe", fight)
    kinds = ["start", "combatant-add", "combatant-add", "turn", "combatant-remove", "end"]
    assert [name for name, _ in events] == [f"combat-{kind}" for kind in kinds]
    assert [data["eventType"] for _, data in events] == kinds
    turn = events[3][1]
    assert set(turn) == {"combatants", "encounterId", "eventType", "round", "started", "turn"}
    assert (turn["round"], turn["turn"], turn["started"]) == (1, 1, True)
    assert [(one["name"], one["initiative"], one["defeated"]) for one in turn["combatants"]] == [
        ("Serra", None, False),
        ("Conscript 1", None, False),
    ]
    assert turn["combatants"][0]["uuid"] == f"Combat.{turn['encounterId']}.Combatant.{turn['combatants'][0]['id']}"
    assert heard("/encounters/subscribe", fight, encounterId="other") == []


def test_a_quiet_stream_is_cut_at_600_seconds_after_39_signs_of_life() -> None:
    stream = Heard("/actor/subscribe")
    assert isinstance(stream.error, httpx.RemoteProtocolError)
    assert (stream.lines.count(": keepalive"), stream.lasted) == (39, 600)
    assert stream.relay.streams.open == []


def test_a_stream_ends_cleanly_when_the_world_falls_asleep_and_is_cut_when_the_relay_stops() -> None:
    asleep = Heard("/actor/subscribe", lambda stream: stream.world.sleep())
    assert (asleep.error, asleep.lasted) == (None, 0)
    stopped = Heard("/actor/subscribe", lambda stream: stream.relay.stop())
    assert isinstance(stopped.error, httpx.RemoteProtocolError)
    assert stopped.lasted == 0


@pytest.mark.parametrize(
    ("fault", "count", "error"), [("cut", 0, True), ("ended", 0, False), ("deaf", 0, True), ("repeated", 100, True)]
)
def test_faults_of_streams(fault: str, count: int, error: bool) -> None:
    stream = Heard("/actor/subscribe", stress, faults=(fault,))
    assert len(list(stream.events())) == 1 + count
    assert (stream.error is not None) == error
    assert stream.world.find(f"Actor.{HERO}").document["system"]["stress"]["value"] == 3  # type: ignore[union-attr, index]


def test_flat_events_come_without_their_wrapping() -> None:
    ((name, data),) = heard("/actor/subscribe", stress, faults=("flat",))
    assert (name, data["actorUuid"]) == ("actor-", f"Actor.{HERO}")


def test_the_tenth_stream_of_a_kind_is_the_last() -> None:
    relay = Relay(recorded_world())
    for _ in range(10):
        assert relay.streams.subscribe("actor", CLIENT, {}) is not None
    assert relay.streams.subscribe("actor", CLIENT, {}) is None
    assert relay.streams.subscribe("hooks", CLIENT, {}) is not None


@pytest.mark.parametrize(("query", "status"), [({"clientId": "fvtt_nobody"}, 404), ({}, 400)])
def test_a_stream_needs_a_world(query: dict[str, str], status: int) -> None:
    relay = Relay(recorded_world())
    with httpx.Client(
        transport=FakeTransport(relay), base_url="http://fake", headers={"x-api-key": relay.add_key()}
    ) as client:
        assert client.get("/actor/subscribe", params=query).status_code == status
        relay.worlds[CLIENT].online = False
        assert client.get("/actor/subscribe", params={"clientId": CLIENT}).json() == {"error": "Invalid client ID"}
