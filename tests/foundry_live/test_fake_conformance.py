"""The fake against the real relay: each recorded call is made again, and its answer compared with the recorded one.

Compared are status, content type, the message that goes on to the module, all keys, and all values but those that
``VARIES`` names and ids that were made during the recording. A document of ours may have more keys than the recorded
one, as Foundry's own documents have.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest

from rallypoint_foundry.fake.accounts import SESSION
from rallypoint_foundry.fake.answers import Answer, Call, Forward
from rallypoint_foundry.fake.relay import Relay
from rallypoint_foundry.fake.systems import load_system
from rallypoint_foundry.fake.table import Table

RECORDED = [json.loads(line) for line in (Path(__file__).parent / "relay-3.4.1.jsonl").read_text("utf-8").splitlines()]
CLIENT, OTHER = "fvtt_0123456789abcdef", "fvtt_someoneelse0000"
HERO, MOB = "actorHero0000001", "actorMob00000001"

NOT_COMPARED = {
    "register": "accounts are made by a call of the fake, not over HTTP",
    "pairing code": "worlds are paired by a call of the fake",
    "pair": "worlds are paired by a call of the fake",
    "list keys": "no client of ours lists keys",
    "switch a key off": "keys are switched off by a call of the fake; what comes of it is compared",
    "login over the limit of 5 in 15 minutes": "nobody logs in at the fake",
    "roll": "dice over there are no matter of ours",
    "create, parentUuid (no such parameter)": "the recording's stand-in gave items to an item; compared in test_an_item",
    "execute-js, forbidden word": "the fake runs no scripts",
    "right token with an id that was never paired": "all worlds of the fake are paired",
    "get with that key and no clientId": "compared in test_a_key_bound_to_one_world",
}
"""Recorded calls that the fake does not play, with the reason."""

VARIES = frozenset(
    [
        "createdAt",
        "expiresAt",
        "updatedAt",
        "timestamp",
        "lastSeen",
        "connectedSince",
        "key",
        "apiKey",
        "code",
        "approvalUrl",
        "requestId",
        "id",
        "keyId",
        "journalLink",
        "ipAddress",
        "tokenName",
        "connectedClients",
        "instanceId",
    ]
)
"""Keys whose values are times, addresses, secrets or made ids; that they are there is compared."""

NOT_PLAYED = frozenset(["createdAt", "expiresAt", "timestamp", "type", "isRoll", "rolls", "flags", "flavor"])
"""Keys that the fake may leave out: times of making, and those of a chat message."""


def actor(identity: str, name: str, kind: str, stress: int, most: int, wounds: int, wounds_most: int) -> dict[str, Any]:
    pods = {"stress": {"value": stress, "max": most}, "wounds": {"value": wounds, "max": wounds_most}}
    token = {"name": name, "actorLink": kind == "character", "width": 1, "height": 1}
    own = {"default": 0, "gmUser0000000000": 3}
    return {"_id": identity, "name": name, "type": kind, "system": pods, "ownership": own, "prototypeToken": token}


def recorded_world() -> Table:
    """The world that stood behind the recording, as each part of it found it."""
    world = Table(load_system("worldbuilding"), client=CLIENT)
    world.create("Actor", actor(HERO, "Serra", "character", 2, 10, 1, 6), keep_id=True)
    world.create("Actor", actor(MOB, "Conscript", "npc", 0, 6, 0, 3), keep_id=True)
    tokens = [
        {"_id": "tokenHero0000001", "name": "Serra", "actorId": HERO, "actorLink": True, "x": 100, "y": 100},
        {"_id": "tokenMob00000001", "name": "Conscript 1", "actorId": MOB, "x": 400, "y": 300},
        {"_id": "tokenMob00000002", "name": "Conscript 2", "actorId": MOB, "x": 500, "y": 300},
    ]
    scene: dict[str, object] = {"_id": "sceneDemo0000001", "name": "Demo field", "active": True, "tokens": tokens}
    scene |= {"width": 4000, "height": 3000, "grid": {"size": 100, "type": 1, "distance": 1, "units": "in"}}
    world.create("Scene", {**scene, "ownership": {"default": 0}}, keep_id=True)
    return world


class Replay:
    """Makes the recorded calls one by one at a fake."""

    def __init__(self) -> None:
        self.part = ""
        self.ids: dict[str, str] = {}
        self.codes: dict[str, str] = {}

    def begin(self, part: str) -> None:
        """Set the world up as the recording had it at the start of a part."""
        self.part = part
        self.world = recorded_world()
        self.world.online = part not in ("0", "A", "B")
        small = part == "M"
        self.relay = Relay(
            self.world, per_minute=5 if small else 0, largest=1024 * 1024 if small else 250 * 1024 * 1024
        )
        self.secrets = {"": self.relay.add_key()}
        self.secrets["read-only"] = self.relay.add_key("entity:read", "clients:read")
        self.secrets["bound"] = self.relay.add_key(clients=(OTHER,))
        for name in ("expired", "switched-off"):
            secret = self.secrets[name] = self.relay.add_key()
            self.relay.accounts.keys[secret].expired = name == "expired"
            self.relay.accounts.keys[secret].enabled = name != "switched-off"
        second = Table(load_system("worldbuilding"), client="otherIdNotPaired")
        second.online = part == "L"
        if part == "L":
            second.identity, second.title = "", ""
            self.relay.add(second)
        if part == "N":
            self.relay.add(Table(load_system("worldbuilding"), client="secondClient"), "somebody else")

    def headers(self, record: dict[str, Any]) -> dict[str, str]:
        title, path = record["title"], record["path"]
        if title == "no key" or "/status" in path or path in ("/auth/key-request", "/auth/pair"):
            return {}
        if title == "bad bearer":
            return {"authorization": "Bearer nonsense"}
        if path.startswith("/auth") or title == "account session instead of a key":
            return {"authorization": f"Bearer {SESSION}"}
        if title == "unknown key":
            return {"x-api-key": "f" * 64}
        if title == "get, clientId only in a header":
            return {"x-api-key": self.secrets[""], "x-client-id": "whatever"}
        which = next((name for name in self.secrets if name and name in title), "")
        return {"x-api-key": self.secrets[which]}

    def call(self, record: dict[str, Any]) -> Call:
        path = record["path"].replace("<clientId>", CLIENT).replace("<second clientId>", "secondClient")
        body = record.get("request_body") or ""
        if record["title"] == "upload raw bytes":
            body = "\x00\ufffd\x01"
        for theirs, ours in {**self.ids, **self.codes}.items():
            path, body = path.replace(theirs, ours), body.replace(theirs, ours)
        parts = urlsplit(path)
        headers = self.headers(record)
        raw = body.encode()
        if record["title"] == "body over 1 MiB":
            headers["content-length"] = str(2 * 1024 * 1024)
        if record["title"] == "the same, chunked":
            raw = b'{"data":{"name":"' + b"x" * 2 * 1024 * 1024 + b'"}}'
        return Call(record["method"], parts.path, dict(parse_qsl(parts.query)), headers, raw)

    def prepare(self, title: str) -> None:
        """Do what happened on the world's side."""
        if title in (
            "update that is never answered",
            "canvas create that is never answered",
            "execute-js that is never answered",
        ):
            self.relay.faults.add("lost")
        elif title == "update answered after 11 s":
            self.relay.faults.add("late")
        elif title == "browser tab closes while a request waits":
            self.relay.faults.add("falls_asleep")
        elif title == "after the tab is back":
            self.begin("I")
        elif title == "the same, chunked":  # recorded at a relay without the small rate
            self.relay.per_minute = 0
        elif title == "one token refilled":
            self.relay.per_minute = 5
            self.relay.clock.sleep(12)


def differences(theirs: Any, ours: Any, replay: Replay, where: str = "", *, document: bool = False) -> Iterator[str]:
    """Yield each place where the answers differ, and learn which made id of ours stands for which of theirs."""
    if isinstance(theirs, dict) and isinstance(ours, dict):
        for key in theirs.keys() - ours.keys() - NOT_PLAYED:
            yield f"{where}.{key}: missing"
        for key in ours.keys() - theirs.keys():
            if not document:
                yield f"{where}.{key}: not in the recording"
        for key in theirs.keys() & ours.keys():
            inner = document or key in ("entity", "data", "entities")
            if key in VARIES and not (isinstance(theirs[key], str) and theirs[key] in KNOWN):
                learn(theirs[key], ours[key], replay)
            else:
                yield from differences(theirs[key], ours[key], replay, f"{where}.{key}", document=inner)
    elif isinstance(theirs, list) and isinstance(ours, list):
        if len(theirs) != len(ours):
            yield f"{where}: {len(ours)} rows, recorded {len(theirs)}"
        for index, (one, two) in enumerate(zip(theirs, ours, strict=False)):
            yield from differences(one, two, replay, f"{where}[{index}]", document=document)
    elif isinstance(theirs, str) and isinstance(ours, str) and re.search(MADE, theirs) and theirs != ours:
        learn(re.findall(MADE, theirs)[-1], re.findall(MADE, ours)[-1] if re.search(MADE, ours) else "", replay)
        for made, own in replay.ids.items():
            theirs = theirs.replace(made, own)
        if theirs != ours:
            yield f"{where}: {ours!r}, recorded {theirs!r}"
    elif theirs != ours and theirs != "<clientId>":
        yield f"{where}: {ours!r}, recorded {theirs!r}"


KNOWN = {HERO, MOB, "sceneDemo0000001", "tokenHero0000001", "tokenMob00000001", "gmUser0000000000", "player0000000000"}
MADE = r"\b(?=[A-Za-z]*[0-9]|[a-z]+[A-Z])[A-Za-z0-9]{16}\b"


def learn(theirs: Any, ours: Any, replay: Replay) -> None:
    if isinstance(theirs, str) and isinstance(ours, str) and theirs not in KNOWN:
        if re.fullmatch(MADE, theirs):
            replay.ids.setdefault(theirs, ours)
        elif re.fullmatch("[A-Z0-9]{6}", theirs):
            replay.codes.setdefault(theirs, ours)


def test_every_recorded_call_is_answered_alike() -> None:
    replay, compared, wrong = Replay(), 0, []
    for record in RECORDED:
        if record["part"] != replay.part:
            replay.begin(record["part"])
        if record["title"] in NOT_COMPARED:
            continue
        replay.prepare(record["title"])
        call = replay.call(record)
        step = replay.relay.open(call)
        if isinstance(step, Forward):
            sent = {key: value for key, value in step.message.items() if key != "requestId"}
            expected = {key: value for key, value in record.get("foundry_received", {}).items() if key != "requestId"}
            text = json.dumps(expected)
            for theirs, ours in replay.ids.items():
                text = text.replace(theirs, ours)
            if sent != json.loads(text):
                wrong.append(f"{record['title']}: sent {sent}, recorded {expected}")
            step = replay.relay.carry(step)
        else:
            assert "foundry_received" not in record, record["title"]
        assert isinstance(step, Answer), record["title"]
        kind = record["headers"].get("content-type")
        if (step.status, step.kind) != (record["status"], kind):
            wrong.append(
                f"{record['title']}: {step.status} {step.kind} {step.body!r}, recorded {record['status']} {kind}"
            )
        elif kind == "application/json":
            found = differences(json.loads(record["body"]), json.loads(step.body), replay)
            wrong += [f"{record['title']}: {line}" for line in found]
        elif step.body.decode() != record["body"]:
            wrong.append(f"{record['title']}: {step.body!r}")
        compared += 1
    assert not wrong, "\n".join(wrong)
    assert compared == len(RECORDED) - sum(record["title"] in NOT_COMPARED for record in RECORDED) >= 140


def test_what_is_left_out_was_recorded() -> None:
    assert set(NOT_COMPARED) <= {record["title"] for record in RECORDED}


def test_a_key_bound_to_one_world() -> None:
    relay = Relay(recorded_world())
    secret = relay.add_key(clients=(OTHER,))
    found = relay.answer(Call("GET", "/get", {"uuid": f"Actor.{HERO}"}, {"x-api-key": secret}))
    recorded = next(record for record in RECORDED if record["title"] == "get with that key and no clientId")
    assert isinstance(found, Answer)
    assert (found.status, found.body.decode()) == (recorded["status"], recorded["body"])


def test_an_item_is_made_beside_the_actor_that_was_named_in_vain() -> None:
    relay, body = (
        Relay(recorded_world()),
        {"entityType": "Item", "parentUuid": f"Actor.{HERO}", "data": {"name": "Blade", "type": "weapon"}},
    )
    found = relay.answer(Call("POST", "/create", {}, {"x-api-key": relay.add_key()}, json.dumps(body).encode()))
    assert isinstance(found, Answer)
    assert json.loads(found.body)["uuid"].startswith("Item.")
    assert relay.worlds[CLIENT].collections["Actor"][HERO]["items"] == []


@pytest.mark.parametrize(
    ("title", "spoil"),
    [
        ("get actor", lambda body: body["data"].pop("system")),
        ("get actor", lambda body: body.update(clientId="x")),
        ("update, nested data", lambda body: body["entity"][0]["system"]["stress"].update(value=5)),
        ("tokens of the active scene", lambda body: body["data"].pop()),
    ],
)
def test_the_comparison_sees_a_difference(title: str, spoil: Callable[[dict[str, Any]], object]) -> None:
    body = next(record["body"] for record in RECORDED if record["title"] == title)
    spoiled = json.loads(body)
    spoil(spoiled)
    assert list(differences(json.loads(body), spoiled, Replay())) != []
