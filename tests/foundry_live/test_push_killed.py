"""A push that is killed at any of its calls, and begun again: it goes on, makes nothing twice, and leaves what a whole one leaves."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from rallypoint_foundry.fake.documents import at, rows
from rallypoint_foundry.live.wire import Asked, HttpxWire, Told

from .tables import CO, Play, played

STEPS = 5
"""Each fifth call is killed by one of the tests, so that two cores may share them."""


class KilledError(BaseException):
    """The process has ended."""


class Kill:
    """Ends the process at a call, before it is sent or after it is done."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.left: int | None = None
        self.after, self.calls, self.writes = False, 0, list[int]()
        send = HttpxWire.send

        def sent(wire: HttpxWire, asked: Asked) -> Told:
            if asked.method != "GET":
                self.writes.append(self.calls)
            self.calls += 1
            if self.left is None:
                return send(wire, asked)
            self.left -= 1
            if self.left < 0 and not self.after:
                raise KilledError
            told = send(wire, asked)
            if self.left < 0:
                raise KilledError
            return told

        patch.setattr(HttpxWire, "send", sent)


def pushed(play: Play, kill: Kill, at_call: int | None, after: bool = False) -> None:
    kill.left, kill.after = at_call, after
    kill.calls = 0
    if at_call is None:
        done = play.say("push", str(play.export))
        assert done.status == 0, done
        return
    assert "KilledError" in play.say("push", str(play.export)).err
    assert kill.left == -1, "it was the last call"
    kill.left = None


def world_of(play: Play) -> object:
    """What is in the world, without what tells one run from another."""
    found = json.loads(json.dumps(play.world.collections, default=str))
    for actor in found["Actor"].values():
        assert at(actor, "flags.rallypoint.battle"), "it carries the mark"
        del actor["flags"]["rallypoint"]["battle"]
    for scene in found["Scene"].values():
        scene["tokens"] = sorted(
            [{**each, "_id": ""} for each in scene["tokens"]], key=lambda each: str(at(each, "flags.rallypoint.uid"))
        )
    return without_stamps(found)


def without_stamps(value: object) -> object:
    if isinstance(value, dict):
        return {key: without_stamps(each) for key, each in value.items() if key not in ("_stats", "sort")}
    return [without_stamps(each) for each in value] if isinstance(value, list) else value


@pytest.mark.parametrize("first", range(STEPS))
def test_a_push_killed_at_any_call_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, first: int) -> None:
    whole = played(tmp_path, monkeypatch)
    kill = Kill(monkeypatch)
    whole.say("connect", "--relay", "http://fake")
    whole.fought(CO, 1)
    kill.writes.clear()
    pushed(whole, kill, None)
    wanted = world_of(whole)
    writes = kill.writes[:]
    assert len(writes) > 30
    for at_call in writes[first::STEPS]:
        folder = tmp_path / str(at_call)
        folder.mkdir()
        play = played(folder, monkeypatch)
        play.say("connect", "--relay", "http://fake")
        play.fought(CO, 1)
        pushed(play, kill, at_call, after=at_call % 2 == 0)
        pushed(play, kill, None)
        assert world_of(play) == wanted, at_call
        (scene,) = play.world.collections["Scene"].values()
        assert set(Counter(at(each, "flags.rallypoint.uid") for each in rows(scene, "tokens")).values()) == {1}
        assert play.say("sync", "--json").document["written"] == 0


def test_each_actor_carries_the_mark_from_its_creation(play: Play, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[object] = []
    send = HttpxWire.send

    def sent(wire: HttpxWire, asked: Asked) -> Told:
        told = send(wire, asked)
        if asked.path == "/create" and isinstance(asked.body, dict) and asked.body["entityType"] == "Actor":
            made.append(at(json.loads(told.content), "entity.flags.rallypoint.battle"))
        return told

    monkeypatch.setattr(HttpxWire, "send", sent)
    play.ready()
    with play.seat() as seat:
        assert made == [seat.mark] * len(play.world.collections["Actor"])


def test_the_next_push_leaves_to_people_what_a_whole_one_made(play: Play) -> None:
    play.ready()
    (scene,) = play.world.collections["Scene"].values()
    token = rows(scene, "tokens")[0]
    play.world.edit(f"Scene.{scene['_id']}.Token.{token['_id']}", {"name": "The Old Man"})
    assert play.say("push", str(play.export)).status == 0
    assert token["name"] == "The Old Man"
