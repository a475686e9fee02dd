"""A relay or a proxy that quotes our key: it is in nothing that is said or kept, whatever the command."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from urllib.parse import quote

import pytest

from rallypoint_foundry.live.blotting import Blotter
from rallypoint_foundry.live.relay import Relay
from rallypoint_foundry.live.wire import Asked, HttpxWire, LostError, NotSentError, Secret, Told
from rallypoint_foundry.live.world import worlds
from rallypoint_sync.transport import TransportError

from ..cli.battles import Said, say
from .tables import CO, KEY, Play

HARD = "aB3/dE+fGh1~jKlM=nO.pQ&rStUvWxYz"
"""A key with all that others escape."""

COMMANDS: dict[str, tuple[str, ...]] = {
    "connect": ("--relay", "http://fake"),
    "push": ("EXPORT",),
    "bind": ("--scene", "Skirmish"),
    "plan": (),
    "sync": (),
    "watch": (),
    "encounter": (),
    "status": (),
    "revert": (),
}


def error(status: int, text: str) -> Told:
    return Told(status, "application/json", json.dumps({"error": text}).encode(), iter(()))


ANSWERS: dict[str, Callable[[], Told]] = {
    "400": lambda: error(400, f"bad header x-api-key: {KEY}"),
    "401": lambda: error(401, f"Invalid API key {KEY}"),
    "403": lambda: error(403, f"key {KEY.upper()} lacks required scope: {KEY}"),
    "404": lambda: error(404, f"no {base64.b64encode(f'key:{KEY}'.encode()).decode()}"),
    "429": lambda: error(429, f"Monthly {KEY[8:40]}"),
    "502": lambda: Told(502, f"text/{KEY}", b"x", iter(())),
    "odd": lambda: Told(200, "application/json", json.dumps({"clients": [KEY], "data": KEY}).encode(), iter(())),
}


@pytest.fixture
def echo(play: Play, monkeypatch: pytest.MonkeyPatch) -> dict[str, Told | Exception]:
    """Let every call with a key be answered with what is put in here."""
    play.ready()
    play.fought(CO, 1)
    assert play.say("sync").status == 0
    play.fought(CO, 2)
    said: dict[str, Told | Exception] = {}
    send = HttpxWire.send

    def sent(wire: HttpxWire, asked: Asked) -> Told:
        if asked.key is None or "told" not in said:
            return send(wire, asked)
        if isinstance(said["told"], Exception):
            raise said["told"]
        return said["told"]

    monkeypatch.setattr(HttpxWire, "send", sent)
    return said


def commanded(play: Play, command: str, *more: str) -> Said:
    arguments = [str(play.export) if each == "EXPORT" else each for each in COMMANDS[command]]
    return play.say(command, *arguments, *(() if command in ("watch", "status") else ("--patience", "0")), *more)


def holds_it(text: str) -> bool:
    """Whether a long part of the key is in a text, in any case or in base64."""
    lower = text.lower()
    encoded = base64.b64encode(KEY.encode()).decode().lower()
    return any(form[at : at + 12] in lower for form in (KEY, encoded) for at in range(len(form) - 11))


@pytest.mark.parametrize("answer", ANSWERS)
def test_no_command_says_or_keeps_a_key_that_comes_back(
    play: Play, echo: dict[str, Told | Exception], answer: str
) -> None:
    for command in COMMANDS:
        if (answer, command) == ("502", "watch"):
            continue  # it waits until that has passed
        for more in ((), ("--json",)):
            echo["told"] = ANSWERS[answer]()
            done = commanded(play, command, *more)
            echo.clear()
            assert done.status in (1, 2, 3), (command, done)
            assert done.status == 3 or command != "plan", (command, done)
            assert "Traceback" not in done.err
            assert done.out + done.err
            assert not holds_it(done.out + done.err), (command, done)
    pulled = play.battle.with_name("pulled.toml")
    echo["told"] = ANSWERS[answer]()
    done = say("foundry", "pull", str(pulled), "--relay", "http://fake", "--patience", "0")
    assert (done.status, holds_it(done.out + done.err)) == (3, False)
    for file in play.battle.parent.glob("first.battle*"):
        assert not holds_it(file.read_bytes().decode("latin-1"))


@pytest.mark.parametrize("error", [NotSentError, LostError])
def test_a_key_in_what_httpx_says_is_not_said(
    play: Play, echo: dict[str, Told | Exception], error: type[Exception]
) -> None:
    echo["told"] = error(f"illegal header x-api-key: {KEY.upper()}")
    for command in ("sync", "connect", "status"):
        done = commanded(play, command)
        assert "***" in done.out + done.err
        assert not holds_it(done.out + done.err)


def test_a_world_that_is_called_like_the_key_is_remembered_without_it(
    play: Play, echo: dict[str, Told | Exception]
) -> None:
    rows = [{"clientId": play.world.client, "isOnline": True, "worldTitle": f"Home of {KEY}"}]
    echo["told"] = Told(200, "application/json", json.dumps({"clients": rows}).encode(), iter(()))
    relay = Relay(HttpxWire("http://fake"), Secret(KEY))
    assert [each.title for each in worlds(relay)] == ["Home of ***"]


def test_a_stream_does_not_bring_it_either(echo: dict[str, Told | Exception]) -> None:
    lines = iter(["event: connected", 'data: {"note": "' + KEY + '"}', "", "event: " + KEY, 'data: {"a": 1}', ""])
    echo["told"] = Told(200, "text/event-stream", b"", lines)
    wire = HttpxWire("http://fake")
    found = list(Relay(wire, Secret(KEY)).listen(wire, "actor"))
    assert [(each.name, dict(each.data)) for each in found] == [("connected", {"note": "***"}), ("***", {"a": 1})]


def test_a_failure_that_names_a_scope_names_it_without_the_key(echo: dict[str, Told | Exception]) -> None:
    echo["told"] = error(403, f"key lacks required scope: entity:read for {KEY}")
    with pytest.raises(TransportError) as raised:
        Relay(HttpxWire("http://fake"), Secret(KEY)).read("/get")
    assert (raised.value.code, raised.value.found) == ("scope_missing", "entity:read")


FORMS = {
    "as it is": HARD,
    "upper case": HARD.upper(),
    "in an address": quote(HARD, safe=""),
    "in HTML": HARD.replace("&", "&amp;"),
    "in JSON with escaped strokes": HARD.replace("/", "\\/"),
    "base64": base64.b64encode(HARD.encode()).decode(),
    "base64 behind one sign": base64.b64encode(f":{HARD}".encode()).decode()[2:],
    "base64 behind two signs": base64.b64encode(f"a:{HARD}".encode()).decode()[3:],
    "base64 of an address": base64.urlsafe_b64encode(HARD.encode()).decode().rstrip("="),
    "without its head": HARD[9:],
    "without its tail": HARD[:-9],
    "a part of twelve": HARD[5:17],
}


@pytest.mark.parametrize("form", FORMS)
def test_each_way_to_quote_a_key_is_blotted(form: str) -> None:
    said = Blotter(Secret(HARD)).text(f"before {FORMS[form]} after")
    assert said.startswith("before ***")
    assert said.endswith(" after")
    left = said.removeprefix("before ***").removesuffix(" after")
    assert len(left) <= 4, "the last signs of base64 say little of a key"


def test_what_is_no_key_stays() -> None:
    text = "no key AB3/DE+fGh1, nor Actor.iisWJJHHstELqmhqQ"
    assert Blotter(Secret(HARD)).text(text) == text
    assert Blotter(None).text(HARD) == HARD
    assert Blotter(Secret(HARD)).content(b"\xff\x00") == b"\xff\x00"
    twice = Blotter(Secret(HARD)).text(f"{HARD}{HARD} {HARD}")
    assert "a" not in twice.lower()
