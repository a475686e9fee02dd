"""Every code that docs/foundry-live.md lists, brought about at the command line: one line that says what to do, a status, a code."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from rallypoint_foundry.live.relay import Relay
from rallypoint_foundry.live.transport import VTT
from rallypoint_foundry.live.wire import Asked, HttpxWire, Told

from ..cli.battles import say
from .tables import CO, KEY, Play

ROOT = Path(__file__).parent.parent.parent
LIVE = ROOT / "adapters" / "rallypoint_foundry" / "live"
PLAN = ("plan", "--patience", "0")
SYNC = ("sync", "--patience", "0")
CONNECT = ("connect", "--relay", "http://fake", "--patience", "0")

Given = tuple[str, ...]


class Door:
    """The play, and what may go wrong before it."""

    def __init__(self, play: Play, patch: pytest.MonkeyPatch) -> None:
        self.play, self.patch = play, patch

    def fault(self, name: str, given: Given = SYNC) -> Given:
        self.play.fake.faults.add(name, count=99)
        return given

    def told(self, path: str, status: int, body: object, given: Given) -> Given:
        """Let a path be answered like that."""
        send = HttpxWire.send

        def sent(wire: HttpxWire, asked: Asked) -> Told:
            if asked.path != path:
                return send(wire, asked)
            return Told(status, "application/json", json.dumps(body).encode(), iter(()))

        self.patch.setattr(HttpxWire, "send", sent)
        return given

    def relay_gone(self) -> Given:
        self.play.fake.stop()
        return SYNC

    def bare_foundry(self) -> Given:
        self.play.fake.shape = "foundry"
        return CONNECT

    def world_asleep(self) -> Given:
        self.play.world.online = False
        return SYNC

    def no_key(self) -> Given:
        self.patch.delenv("RALLYPOINT_FOUNDRY_KEY")
        self.patch.setattr("rallypoint_foundry.live.keys.key_store", lambda: None)
        return SYNC

    def no_key_store(self) -> Given:
        self.patch.setattr("rallypoint_foundry.live.commands.connect.key_store", lambda: None)
        return (*CONNECT, "--ask")

    def key_denied(self) -> Given:
        self.patch.setattr("rallypoint_foundry.live.commands.connect.key_store", object)
        return (*CONNECT, "--ask")  # and nobody approves it

    def scope_missing(self) -> Given:
        self.patch.setenv("RALLYPOINT_FOUNDRY_KEY", self.play.fake.add_key("clients:read"))
        return SYNC

    def foreign_system(self) -> Given:
        with self.play.seat() as seat:
            seat.remember(system="worldbuilding")
        return ("bind",)

    def many_worlds(self) -> Given:
        rows = [{"clientId": f"fvtt_{each}", "isOnline": True, "worldTitle": each} for each in ("one", "two")]
        with self.play.seat() as seat:
            seat.ledger.unbind(VTT)
        return self.told("/clients", 200, {"total": 2, "clients": rows}, CONNECT)

    def extra_missing(self) -> Given:
        self.patch.undo()
        self.patch.setitem(sys.modules, "httpx", None)
        self.patch.setenv("RALLYPOINT_FOUNDRY_KEY", KEY)
        return SYNC

    def no_encounter(self) -> Given:
        self.play.fake.faults.add("lost", count=2, of="start-encounter")
        return ("encounter",)

    def stream_broken(self) -> Given:
        def listen(*_: object) -> object:
            raise RuntimeError("this cannot be")

        self.patch.setattr(Relay, "listen", listen)
        return ("watch",)

    def held(self) -> Given:
        with self.play.seat() as seat:
            assert seat.ledger.lease(VTT, "somebody at another machine", self.play.fake.clock.now(), 10**6) is None
        return SYNC

    def others(self) -> Given:
        self.play.world.edit(self.play.actor(CO), {"flags.rallypoint.battle": "second.battle 0123"})
        return ("push", str(self.play.export))


CODES: dict[str, tuple[Callable[[Door], Given], int]] = {
    "relay_gone": (Door.relay_gone, 3),
    "no_relay": (lambda door: door.fault("html_404", CONNECT), 3),
    "no_address": (lambda _: ("connect", "--relay", "ftp://fake"), 3),
    "bare_foundry": (Door.bare_foundry, 3),
    "redirected": (lambda door: door.told("/get", 302, {}, SYNC), 3),
    "no_such_path": (lambda door: door.fault("html_404"), 3),
    "world_asleep": (Door.world_asleep, 3),
    "many_worlds": (Door.many_worlds, 3),
    "no_such_world": (lambda _: (*CONNECT, "--world", "Nowhere"), 3),
    "key_refused": (lambda door: door.fault("key_unknown"), 3),
    "no_key": (Door.no_key, 3),
    "no_key_store": (Door.no_key_store, 3),
    "key_denied": (Door.key_denied, 3),
    "scope_missing": (Door.scope_missing, 3),
    "other_world": (lambda door: door.fault("other_world"), 3),
    "not_let_in": (lambda door: door.fault("account_disabled"), 3),
    "foreign_system": (Door.foreign_system, 3),
    "too_many_requests": (lambda door: door.fault("too_many"), 3),
    "quota_spent": (lambda door: door.fault("month_used"), 3),
    "maintenance": (lambda door: door.fault("maintenance"), 3),
    "no_answer": (lambda door: door.fault("html_502"), 3),
    "crossed_answer": (lambda door: door.told("/get", 200, {"uuid": "Actor.another", "data": {}}, SYNC), 3),
    "not_sent": (lambda door: door.fault("send_failed"), 3),
    "odd_answer": (lambda door: door.told("/clients", 200, {}, CONNECT), 3),
    "unknown": (lambda door: door.told("/get", 404, {"error": "Unknown thing"}, SYNC), 3),
    "refused": (lambda door: door.told("/encounters", 400, {"error": "Something is wrong"}, ("encounter",)), 3),
    "too_large": (lambda door: door.told("/get", 413, {"error": "Request body too large"}, PLAN), 3),
    "wrong_method": (lambda door: door.told("/get", 405, {}, PLAN), 3),
    "no_permission": (
        lambda door: door.told("/get", 400, {"error": "User 'Ann' does not have permission"}, PLAN),
        3,
    ),
    "no_encounter": (Door.no_encounter, 3),
    "stream_broken": (Door.stream_broken, 3),
    "extra_missing": (Door.extra_missing, 3),
    "busy": (Door.held, 2),
    "other_battle": (Door.others, 2),
    "other_rules": (lambda _: SYNC, 2),
    "usage": (lambda _: ("sync", "--frobnicate"), 2),
    "bad_input": (lambda _: ("push", "nowhere"), 2),
}
"""How each code comes about, and the exit status."""

OF_ONE_DOCUMENT = {"not_there", "only_looked_at"}
"""Codes of what is said of one document, in a list of failures, while the others go on; they end no command."""

CANNOT_BE = {"no_listening": "a command's way to the world has streams"}


def documented() -> list[str]:
    """The codes in the table of the documentation."""
    text = (ROOT / "docs" / "foundry-live.md").read_text("utf-8")
    table = text.partition("| `code` |")[2].partition("\n\n")[0]
    return [code for row in table.splitlines()[2:] for code in re.findall(r"`(\w+)`", row.split("|")[1])]


def test_a_plan_that_can_read_a_part_says_what_it_could_not_read(play: Play, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only where nothing at all can be read it has failed; that of a refused sync is 1, as ever."""
    play.ready()
    actor, send = play.actor(CO), HttpxWire.send

    def sent(wire: HttpxWire, asked: Asked) -> Told:
        if asked.query.get("uuid") not in refused:
            return send(wire, asked)
        return Told(413, "application/json", b'{"error": "too large"}', iter(()))

    monkeypatch.setattr(HttpxWire, "send", sent)
    refused = {actor}
    done = play.say("plan")
    assert done.status == 0
    assert f"it could not be read: {actor}: this is more than the relay takes at once" in done.out
    assert "13 unchanged, 0 in conflict, 1 left out" in done.out
    assert "raise the limit for a body at the relay" in done.out
    refused |= {f"Actor.{key}" for key in play.world.collections["Actor"]}
    done = play.say("plan", "--json")
    assert (done.status, done.document["code"]) == (3, "too_large")
    assert play.say("sync").status == 1


def test_each_code_of_the_documentation_is_here() -> None:
    codes = documented()
    assert len(codes) == len(set(codes)) >= 30
    assert set(codes) == set(CODES)


def test_each_code_that_is_raised_is_documented_or_has_a_reason() -> None:
    found = {"busy", "other_rules", "usage", "bad_input"}  # of what all live commands share
    for path in LIVE.rglob("*.py"):
        found |= set(re.findall(r"(?:code=|code = |NOT_THERE = |\"code\": )\"(\w+)\"", path.read_text("utf-8")))
    assert found == set(CODES) | OF_ONE_DOCUMENT | set(CANNOT_BE)


@pytest.mark.parametrize("code", CODES)
def test_a_code_at_the_command_line(play: Play, monkeypatch: pytest.MonkeyPatch, code: str) -> None:
    play.ready()
    make, status = CODES[code]
    command, *arguments = make(Door(play, monkeypatch))
    before = ("-p", "no:indirect-fire") if code == "other_rules" else ()
    in_words = say(*before, "foundry", command, str(play.battle), *arguments)
    in_json = say(*before, "foundry", command, str(play.battle), *arguments, "--json")
    for done in (in_words, in_json):
        assert done.status == status, done
        assert KEY not in done.out + done.err
        assert "Traceback" not in done.out + done.err
    told = [line for line in in_words.err.splitlines() if not line.startswith(("watching", "Open "))]
    if code == "usage":  # the command line has its own way to say it
        assert "--frobnicate" in in_words.err
    else:
        assert (len(told), told[0].startswith("error: ")) == (1, True), told
    assert in_json.document["code"] == code
    assert in_json.document["error"]
    assert len(in_json.document["hint"].split()) > 1, "it says what to do"
    if code != "usage":
        assert in_json.document["hint"] in told[0]
