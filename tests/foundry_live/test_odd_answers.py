"""Answers of another shape than is known: one clear line, a code, and nothing done."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from rallypoint_foundry.fake.documents import at, rows
from rallypoint_foundry.live.wire import Asked, HttpxWire, Told

from .tables import CO, Play

Odd = Callable[[str, object], None]


@pytest.fixture
def odd(monkeypatch: pytest.MonkeyPatch) -> Odd:
    """Let a path be answered with a body of one's own; the call is carried out all the same."""
    bodies: dict[str, object] = {}
    send = HttpxWire.send

    def sent(self: HttpxWire, asked: Asked) -> Told:
        told = send(self, asked)
        if asked.path not in bodies:
            return told
        return told._replace(content=json.dumps(bodies[asked.path]).encode())

    monkeypatch.setattr(HttpxWire, "send", sent)
    return bodies.__setitem__


COMBATANT: object = {"id": "c", "combatants": [{"id": "one"}, "two"]}


def of(path: str, command: str, *bodies: object) -> list[tuple[str, object, str]]:
    return [(path, body, command) for body in bodies]


CASES: list[tuple[str, object, str]] = [
    *of("/clients", "connect", {}, {"clients": {}}, {"clients": [7]}, {"clients": None}),
    *of("/clients", "status", {}, {"clients": "none"}),
    *of("/world-info", "connect", {}, {"data": []}, {"data": {"system": {"id": 7}}}),
    *of(
        "/encounters",
        "encounter",
        {},
        {"encounters": None},
        {"encounters": {"a": {}}},
        {"encounters": ["a"]},
        {"encounters": [{"id": 7, "combatants": []}]},
        {"encounters": [{"id": "", "combatants": []}]},
        {"encounters": [{"id": "c"}]},
        {"encounters": [{"id": "c", "combatants": {"one": {}}}]},
        {"encounters": [COMBATANT]},
    ),
    *of("/scene", "bind", {}, {"data": []}, {"data": {"name": "Skirmish"}}),
    *of("/search", "pull", {}, {"results": {}}, {"results": [{"name": "Ann"}]}),
]


@pytest.mark.parametrize(("path", "body", "command"), CASES)
def test_a_read_of_another_shape_is_one_line_and_a_code(
    play: Play, odd: Odd, path: str, body: object, command: str
) -> None:
    play.ready()
    more = {"bind": ["--scene", "Skirmish"], "pull": ["--relay", "http://fake"]}.get(command, [])
    before = json.dumps(play.world.collections, default=str)
    odd(path, body)
    done = play.say(command, *more)
    assert (done.status, "Traceback" in done.err) == (3, False), done
    assert "the relay answers in a way that is not known" in done.err + done.out
    assert path in done.err + done.out
    if command != "pull":  # whose first word is a roster
        document = play.say(command, *more, "--json").document
        assert document.get("code", document.get("world", {}).get("code")) == "odd_answer"
    assert json.dumps(play.world.collections, default=str) == before


@pytest.mark.parametrize(
    "body", [{}, {"encounters": [{"id": "c"}]}, {"encounters": [{"id": "c", "combatants": [{"name": "no id"}]}]}]
)
def test_encounters_of_another_shape_empty_nothing_in_a_sync(play: Play, odd: Odd, body: object) -> None:
    """The marks of who is out are read there: a shape that is not known is not twelve combatants that are gone."""
    play.ready()
    assert play.say("encounter").status == 0
    odd("/encounters", body)
    play.fought(CO, 1)
    done = play.say("sync", "--patience", "0", "--json")
    assert (done.status, done.document["code"]) == (3, "odd_answer")
    with play.seat() as seat:
        assert seat.ledger.tombstones("foundry") == frozenset()


@pytest.mark.parametrize("body", [{"data": {}}, {"data": ["token"]}, {"data": [{"name": "no id"}]}, {}])
def test_a_token_whose_answer_is_odd_is_a_failure_by_name_and_is_found_the_next_time(
    play: Play, odd: Odd, body: dict[str, object]
) -> None:
    play.ready()
    (scene,) = play.world.collections["Scene"].values()
    name = str(rows(scene, "tokens").pop(0)["name"])
    odd("/canvas/tokens", {"sceneId": scene["_id"], **body})
    done = play.say("push", str(play.export))
    assert done.status == 1
    assert f"failed: Token {name}: /canvas/tokens: the relay answers in a way that is not known" in done.out
    odd("/canvas/tokens", {"sceneId": scene["_id"], "data": [{}]})  # and is not asked for again
    assert play.say("push", str(play.export)).status == 0
    assert len([each for each in rows(scene, "tokens") if each["name"] == name]) == 2  # one a side
    assert all(at(each, "flags.rallypoint.uid") for each in rows(scene, "tokens"))


@pytest.mark.parametrize("body", [{}, {"entity": None}, {"entity": []}, {"entity": ["a", "b"]}])
def test_a_write_of_which_the_answer_is_odd_is_in_doubt(play: Play, odd: Odd, body: dict[str, object]) -> None:
    play.ready()
    play.fought(CO, 1)
    odd("/update", {"uuid": play.actor(CO), **body})
    done = play.say("sync", "--json")
    assert (done.status, done.document["written"]) == (1, 0)
    assert "read again at the next sync" in done.document["failed"][0]["why"]
    assert play.say("sync", "--json").document["failed"] == []  # it was done, and that is seen
    assert play.shown(CO) == 1
