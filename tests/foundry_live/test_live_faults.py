"""Reported faults of importers and bridges, as far as the live way is concerned; the contract suite has the rest."""

from __future__ import annotations

import json
from typing import Any

import pytest

from rallypoint_foundry.fake.documents import at, rows
from rallypoint_foundry.live.transport import VTT
from rallypoint_foundry.live.wire import Asked, HttpxWire, Told
from rallypoint_sync.bindings import Carrier
from rallypoint_sync.transport import RefusedError

from ..cli.battles import say
from .tables import CO, HITS, NCO, SOLDIER, STRESS, Play
from .test_live_transport import UPDATE, synced, way


def test_b01_only_our_fields_are_ours(play: Play) -> None:
    play.ready()
    play.world.edit(
        play.actor(CO),
        {"system.notes": "wounded twice", "items": [{"_id": "medkit0000000000", "name": "Medkit", "type": "item"}]},
    )
    play.fought(CO, 1)
    synced(play)
    assert play.say("push", str(play.export)).status == 0
    assert play.shown(CO, "system.notes") == "wounded twice"
    assert "Medkit" in [item["name"] for item in rows(play.world.collections["Actor"][play.actor(CO)[6:]], "items")]


FIVE = (CO, SOLDIER, NCO, "red.small-1A-2-1", "red.small-1B-1-1")


def test_b02_five_updates_of_which_the_third_fails_and_then_exactly_the_missing_ones(play: Play) -> None:
    play.ready()
    for uid in FIVE:
        play.fought(uid, 1)
    play.asked()
    play.fake.faults.add("send_failed", count=99, after=15 + 2)  # fourteen actors and the scene are read before
    done = synced(play)
    play.fake.faults.clear()
    assert (done.status, done.document["written"]) == (3, 2)
    assert [tuple(each["field"]) for each in done.document["failed"]] == [(uid, "Wounds") for uid in FIVE[2:]]
    assert [each["document"] for each in done.document["failed"]] == [play.actor(uid) for uid in FIVE[2:]]
    assert [play.shown(uid) for uid in FIVE] == [1, 1, 0, 0, 0]
    play.fake.heard.clear()
    assert synced(play).document["written"] == 3
    sent = [call.query["uuid"] for call in play.fake.heard if call.path == "/update"]
    assert sent == [play.actor(uid) for uid in FIVE[2:]]


def test_b05_two_of_four_refused_with_the_words_of_the_server(play: Play, monkeypatch: pytest.MonkeyPatch) -> None:
    play.ready()
    bad = {play.actor(uid) for uid in FIVE[1:3]}
    send = HttpxWire.send

    def sent(wire: HttpxWire, asked: Asked) -> Told:
        if asked.method == "PUT" and asked.query.get("uuid") in bad:
            return Told(400, "application/json", b'{"error":"Wounds are locked by the module Iron Man"}', iter(()))
        return send(wire, asked)

    monkeypatch.setattr(HttpxWire, "send", sent)
    for uid in FIVE[:4]:
        play.fought(uid, 1)
    done = play.say("sync")
    assert done.status == 1
    lines = [line for line in done.out.splitlines() if line.startswith("failed: ")]
    assert len(lines) == 2
    for uid, line in zip(FIVE[1:3], lines, strict=True):
        assert uid in line
        assert f"{play.actor(uid)} {HITS}" in line
        assert "Wounds are locked by the module Iron Man" in line
    assert [play.shown(uid) for uid in FIVE[:4]] == [1, 0, 0, 1]
    monkeypatch.setattr(HttpxWire, "send", send)
    assert synced(play).document["written"] == 2


def test_b20_what_is_not_asked_to_sync_opens_no_connection(play: Play) -> None:
    play.ready()
    play.fought(CO, 1)
    for command in (
        ("conflicts",),
        ("pause",),
        ("resume",),
        ("status", "--offline"),
        ("revert", "--dry-run"),
        ("unbind",),
    ):
        play.say(*command)
    assert say("battle", "show", str(play.battle)).status == 0
    assert play.asked() == []
    assert play.shown(CO) == 0


def test_b07_b13_b14_three_pushes_make_one_of_each(play: Play) -> None:
    play.ready()
    counts = {name: len(there) for name, there in play.world.collections.items()}
    for _ in range(2):
        play.say("push", str(play.export))
        assert {name: len(there) for name, there in play.world.collections.items()} == counts


def test_b17_a_name_given_at_the_table_stays(play: Play) -> None:
    play.ready()
    play.world.edit(play.actor(CO), {"name": "The Old Man"})
    play.fought(CO, 1)
    synced(play)
    play.say("push", str(play.export))
    assert (play.shown(CO, "name"), play.shown(CO)) == ("The Old Man", 1)


def test_b21_one_actor_with_three_tokens_is_one_write(play: Play) -> None:
    play.ready()
    (scene,) = play.world.collections["Scene"].values()
    token = next(each for each in rows(scene, "tokens") if at(each, "flags.rallypoint.uid") == CO)
    for _ in range(2):
        play.world.copy_token(f"Scene.{scene['_id']}.Token.{token['_id']}")
    play.fought(CO, 1)
    assert synced(play).document["plan"]["left_out"] == []
    assert play.asked().count(UPDATE) == 1
    transport = way(play)
    transport.read([play.actor(CO), play.actor(NCO)])
    assert len(transport.tokens[play.actor(CO)]) == 3
    play.fought(CO, 2)
    done = play.say("sync")
    tokens = [
        f"Scene.{scene['_id']}.Token.{each['_id']}"
        for each in rows(scene, "tokens")
        if each["actorId"] == token["actorId"]
    ]
    (line,) = [line for line in done.out.splitlines() if "tokens show it" in line]
    assert (len(tokens), line.count("Scene.")) == (3, 3)
    assert all(each in line for each in tokens)
    play.fought(CO, 1)
    assert sorted(synced(play).document["tokens"][play.actor(CO)]) == sorted(tokens)


def test_b23_a_minimum_of_two_is_a_clamp_and_the_true_value_is_in_our_flag(play: Play) -> None:
    play.ready()
    stress = play.world.find(play.actor("red.small"))
    assert stress is not None
    stress.document["system"]["other"]["stress"].update(value=2, min=2)  # type: ignore[index]
    play.say("unbind")
    assert "at least 2" in play.say("bind", "--scene", "Skirmish").out
    assert play.say("sync").status == 0
    for value in (0, 4, 1):
        play.fought("red.small", value, "Stress")
        assert play.say("sync").status == 0
        assert play.shown("red.small", STRESS) == max(value, 2)
        assert play.shown("red.small", "flags.rallypoint.live.Stress") == value
        assert play.value("red.small", "Stress") == value
    assert (play.shown("red.small", "system.other.stress.min"), play.shown("red.small", "system.other.stress.max")) == (
        2,
        20,
    )
    play.edit("red.small", 6, STRESS)
    play.say("sync")
    assert play.value("red.small", "Stress") == 6


def test_b25_no_list_of_what_is_embedded_is_ever_sent(play: Play) -> None:
    play.ready()
    before = len(rows(play.world.collections["Actor"][play.actor(CO)[6:]], "items"))
    play.fought(CO, 1)
    synced(play)
    sent = [call.body for call in play.fake.heard if call.path == "/update"]
    assert len(sent) == 1
    assert b"items" not in sent[0]
    assert before == len(rows(play.world.collections["Actor"][play.actor(CO)[6:]], "items")) > 1


@pytest.mark.parametrize(
    "values", [{"items": []}, {"items": [{"name": "Revolver"}]}, {"tokens": ()}, {"system": {"hits": {"value": 1}}}]
)
def test_b25_a_list_or_a_whole_branch_is_refused_before_it_is_sent(play: Play, values: Any) -> None:
    play.ready()
    with pytest.raises(RefusedError, match="one value at a path") as refused:
        way(play).write(play.actor(CO), values)
    assert refused.value.code == "refused"
    assert play.asked() == []


def test_b34_the_second_scene_has_none_of_the_first(play: Play) -> None:
    """The first scene is bound, and the second, which is active, has a token of the same unit with an actor of its own."""
    play.ready()
    record = {"uid": CO, "encounter": "another"}
    actor = play.actor(CO)[6:]
    token = {"_id": "second0000000000", "name": "CO 0A-1", "actorId": actor, "flags": {"rallypoint": record}}
    other = play.world.create("Scene", {"name": "Other", "tokens": [token]})
    play.world.edit(f"Scene.{other['_id']}", {"active": True})
    (placed,) = rows(other, "tokens")
    own = f"Scene.{other['_id']}.Token.{placed['_id']}"
    play.world.edit(f"{own}.Actor.{actor}", {HITS: 2})
    before = json.dumps(other, sort_keys=True, default=str)
    play.fought(CO, 1)
    play.asked()
    assert synced(play).status == 0
    assert play.shown(CO) == 1
    assert play.value(CO) == 1, "what the token of the other scene shows is nobody's edit"
    assert json.dumps(other, sort_keys=True, default=str) == before


def test_b62_what_the_world_drops_is_not_said_to_be_there(play: Play) -> None:
    play.ready()
    play.fought(CO, 1)
    play.fake.faults.add("dropped", of="update", drop=(HITS,))
    done = synced(play)
    assert (done.status, done.document["written"]) == (1, 0)
    assert [(each["field"], each["why"]) for each in done.document["failed"]] == [
        ([CO, "Wounds"], "the VTT shows 0 instead")
    ]
    with play.seat() as seat:
        assert seat.ledger.base(VTT)[Carrier(play.actor(CO), HITS)] == 0
    assert synced(play).document["written"] == 1
    assert (play.shown(CO), play.value(CO)) == (1, 1)
