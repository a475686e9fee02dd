"""Every request of a whole evening has the shape of a recorded one: method, path, keys of query and body."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest

from rallypoint_foundry.fake.documents import at, rows

from ..cli.battles import say
from .tables import CO, NCO, SOLDIER, Play
from .test_push_again import changed_export

Shape = tuple[frozenset[str], frozenset[str]]

RECORDED = [json.loads(line) for line in (Path(__file__).parent / "relay-3.4.1.jsonl").read_text("utf-8").splitlines()]

BESIDES: Mapping[str, Mapping[Shape, str]] = {
    "POST /create": {
        (frozenset({"clientId"}), frozenset({"entityType", "data", "keepId"})): "recorded with override besides",
    },
    "GET /search": {
        (
            frozenset({"clientId", "filter", "minified", "limit", "excludeCompendiums"}),
            frozenset(),
        ): "section 4 of the contract: each of the four is a parameter of the query",
    },
    "POST /canvas/tokens": {
        (frozenset({"clientId", "sceneId"}), frozenset({"data"})): "sceneId is read from body and query alike",
    },
    "GET /scene": {
        (frozenset({"clientId", each}), frozenset()): "section 4: one of sceneId, name, active"
        for each in ("sceneId", "name")
    },
    "POST /start-encounter": {
        (frozenset({"clientId"}), frozenset({"name"})): "section 8: recorded with tokens, which the relay loses",
    },
    "GET /hooks/subscribe": {
        (frozenset({"clientId", "hooks"}), frozenset()): "section 9 of the contract; streams are recorded in part",
    },
    "GET /scene/subscribe": {(frozenset({"clientId"}), frozenset()): "section 9 of the contract"},
}
"""Shapes that were not recorded, with where they are from."""


def plain(path: str) -> str:
    return re.sub(r"/key-request/\w+/status", "/key-request/CODE/status", path)


def body_keys(text: str) -> frozenset[str]:
    try:
        found = json.loads(text)
    except ValueError:
        return frozenset()
    return frozenset(found) if isinstance(found, dict) else frozenset()


def recorded() -> Mapping[str, set[Shape]]:
    """The shapes of the recorded calls that went well, by method and path."""
    found: dict[str, set[Shape]] = defaultdict(set)
    for row in RECORDED:
        if row.get("method") and int(row.get("status") or 200) < 400:
            parts = urlsplit(row["path"])
            query = frozenset(key for key, _ in parse_qsl(parts.query, keep_blank_values=True))
            found[f"{row['method']} {plain(parts.path)}"].add((query, body_keys(row.get("request_body") or "")))
    return found


class Store:
    """A key store in memory."""

    def __init__(self) -> None:
        self.kept: dict[tuple[str, str], str] = {}

    def get_password(self, service: str, name: str) -> str | None:
        return self.kept.get((service, name))

    def set_password(self, service: str, name: str, password: str) -> None:
        self.kept[service, name] = password


def evening(play: Play, folder: Path, patch: pytest.MonkeyPatch) -> None:
    """Everything that a Warden may do in an evening, once."""
    store = Store()
    for module in ("commands.connect", "keys"):
        patch.setattr(f"rallypoint_foundry.live.{module}.key_store", lambda: store)
    patch.delenv("RALLYPOINT_FOUNDRY_KEY")
    play.fake.accounts.approves = True
    assert play.say("connect", "--relay", "http://fake", "--ask").status == 0
    patch.setenv("RALLYPOINT_FOUNDRY_KEY", play.fake.add_key())
    assert play.say("push", str(play.export), "--art").status == 0
    (scene,) = play.world.collections["Scene"].values()
    rows(scene, "tokens").pop()
    newer = changed_export(play, folder, CO, lambda actor: actor.update(items=[thing(actor, "Spare")]))
    assert play.say("push", str(newer), "--override").status == 0
    assert play.say("bind", "--scene", "Skirmish").status == 0
    assert play.say("bind", "--scene", str(scene["_id"])).status == 0
    play.edit(NCO, 1)
    play.fought(SOLDIER, 1)
    assert play.say("sync").status == 0
    assert play.say("encounter").status == 0
    assert play.say("status").status == 0
    play.fought(SOLDIER, 2)
    assert play.say("sync").status == 0
    assert play.say("revert").status == 0
    assert say("foundry", "pull", str(folder / "red.toml"), "--relay", "http://fake", "--side", "red").status == 0


def thing(actor: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    return {**rows(dict(actor), "items")[-1], "_id": "spare00000000000", "name": name}


def test_every_request_of_an_evening_was_recorded(play: Play, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    evening(play, tmp_path, monkeypatch)
    known = recorded()
    odd, called = [], set()
    for call in play.fake.heard:
        name = f"{call.method} {plain(call.path)}"
        shape = (frozenset(call.query), body_keys(call.body.decode() if call.body else ""))
        called.add(name)
        if shape not in known[name] and shape not in BESIDES.get(name, {}):
            odd.append((name, sorted(shape[0]), sorted(shape[1])))
    assert not odd, odd
    assert {"POST /upload", "POST /auth/key-request", "GET /auth/key-request/CODE/status", "DELETE /delete"} <= called
    assert not {"POST /increase", "POST /decrease"} & called  # these count twice when they are repeated
    assert {"POST /create", "PUT /update", "POST /canvas/tokens", "POST /add-to-encounter"} <= called


def test_an_upload_is_a_data_url_as_recorded(play: Play) -> None:
    """Raw bytes are refused by the module, so a picture goes as text, with its kind, into a folder of this export's own."""
    play.say("connect", "--relay", "http://fake")
    assert play.say("push", str(play.export), "--art").status == 0
    (call,) = [call for call in play.fake.heard if call.path == "/upload"]
    body = json.loads(call.body)
    (row,) = [row for row in RECORDED if row.get("title") == "upload JSON data URL"]
    assert list(body) == list(json.loads(row["request_body"]))
    assert body["fileData"].startswith("data:image/svg+xml;base64,")
    assert (body["path"], body["filename"], body["overwrite"]) == ("rallypoint/skirmish", "board.svg", True)
    (scene,) = play.world.collections["Scene"].values()
    assert at(scene, "background.src") == "rallypoint/skirmish/board.svg"


def test_without_the_scope_for_files_nothing_is_made(play: Play, monkeypatch: pytest.MonkeyPatch) -> None:
    play.say("connect", "--relay", "http://fake")
    monkeypatch.setenv("RALLYPOINT_FOUNDRY_KEY", play.fake.add_key("entity:read", "entity:write"))
    done = play.say("push", str(play.export), "--art", "--json")
    assert (done.status, done.document["code"]) == (3, "scope_missing")
    assert not play.world.collections["Scene"]


# The device flow


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> Store:
    found = Store()
    for module in ("commands.connect", "keys"):
        monkeypatch.setattr(f"rallypoint_foundry.live.{module}.key_store", lambda: found)
    monkeypatch.delenv("RALLYPOINT_FOUNDRY_KEY")
    return found


@pytest.mark.parametrize("state", ["denied", "expired"])
def test_a_key_that_is_not_given(play: Play, store: Store, monkeypatch: pytest.MonkeyPatch, state: str) -> None:
    accounts = play.fake.accounts
    sleep = play.fake.clock.sleep

    def decided(seconds: float) -> None:
        accounts.decide(next(iter(accounts.asked)), state)
        sleep(seconds)

    monkeypatch.setattr(play.fake.clock, "sleep", decided)
    done = play.say("connect", "--relay", "http://fake", "--ask", "--json")
    assert (done.status, done.document["code"]) == (3, "key_denied")
    assert state in done.document["error"]
    assert store.kept == {}


def test_a_page_in_between_while_the_key_is_waited_for_ends_nothing(
    play: Play, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    accounts = play.fake.accounts
    sleep, polls = play.fake.clock.sleep, []

    def slept(seconds: float) -> None:
        polls.append(seconds)
        if len(polls) == 1:
            for fault in ("html_502", "too_many", "refused"):
                play.fake.faults.add(fault)
        if len(polls) == 5:
            accounts.approve(next(iter(accounts.asked)))
        sleep(seconds)

    monkeypatch.setattr(play.fake.clock, "sleep", slept)
    assert play.say("connect", "--relay", "http://fake", "--ask").status == 0
    assert len(store.kept) == 1
    assert all(3.0 <= wait <= 5.0 for wait in polls if wait > 1.0)  # as the relay's authors ask for


def test_fewer_scopes_than_were_asked_for_are_named(play: Play, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    accounts = play.fake.accounts
    sleep = play.fake.clock.sleep

    def slept(seconds: float) -> None:
        accounts.approve(next(iter(accounts.asked)), ["clients:read", "world:info", "entity:read"])
        sleep(seconds)

    monkeypatch.setattr(play.fake.clock, "sleep", slept)
    done = play.say("connect", "--relay", "http://fake", "--ask")
    assert done.status == 0
    assert "note: sync will lack entity:write" in done.err
    assert "note: plan" not in done.err


def test_a_relay_that_has_forgotten_the_request(play: Play, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    sleep = play.fake.clock.sleep

    def slept(seconds: float) -> None:
        play.fake.accounts.asked.clear()
        sleep(seconds)

    monkeypatch.setattr(play.fake.clock, "sleep", slept)
    done = play.say("connect", "--relay", "http://fake", "--ask", "--json")
    assert (done.status, done.document["code"]) == (3, "key_denied")
    assert "not known any more" in done.document["error"]
