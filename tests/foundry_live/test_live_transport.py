"""The transport before the fake world: what is read, what is written, how often."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import deepcopy
from typing import cast

import pytest

from rallypoint.kernel.state import Entity, State, Tracker
from rallypoint_foundry.fake.documents import at, rows
from rallypoint_foundry.live.carriers import Found, bindings_of
from rallypoint_foundry.live.events import Change, Listener
from rallypoint_foundry.live.relay import Relay
from rallypoint_foundry.live.transport import VTT, FoundryTransport
from rallypoint_foundry.live.wire import Secret
from rallypoint_foundry.profile import load_profile
from rallypoint_sync.bindings import Carrier
from rallypoint_sync.lenses import Clamped, Exact, Turned
from rallypoint_sync.transport import DoubtfulError, RefusedError, UnreachableError

from ..cli.battles import Said
from .tables import CO, HITS, KEY, NCO, SOLDIER, Play

UPDATE = ("PUT", "/update")


def way(play: Play) -> FoundryTransport:
    """The way to the world, outside any command."""
    with play.seat() as seat:
        bindings, scene = seat.ledger.bindings(VTT), str(seat.about["scene"])
    relay = Relay(play.wire("http://fake"), Secret(KEY), play.world.client, clock=play.fake.clock)
    return FoundryTransport(relay, bindings, None, [scene])


def unlinked(play: Play, *uids: str) -> list[str]:
    """Make tokens of these unlinked copies of one conscript, bound anew; return their documents."""
    (scene,) = play.world.collections["Scene"].values()
    base = play.world.create(
        "Actor", {"_id": "conscript0000000", "name": "Conscript", "type": "creature"}, keep_id=True
    )
    found = []
    for token in rows(scene, "tokens"):
        if at(token, "flags.rallypoint.uid") in uids:
            token.update(actorId=base["_id"], actorLink=False, delta={})
            found.append(f"Scene.{scene['_id']}.Token.{token['_id']}.Actor.{base['_id']}")
    assert play.say("unbind").status == 0
    assert play.say("bind", "--scene", "Skirmish", "--first", "battle").status == 0
    play.asked()
    return found


def synced(play: Play) -> Said:
    return play.say("sync", "--json", "--patience", "0")


# How much is asked


def test_nothing_changed_no_write(play: Play) -> None:
    play.ready()
    assert synced(play).document["written"] == 0
    asked = play.asked()
    assert UPDATE not in asked
    assert len(asked) == 14 + 1  # each actor once, and the scene


def test_one_change_is_one_write_and_no_read_after_it(play: Play) -> None:
    play.ready()
    play.fought(CO, 1)
    assert synced(play).document["written"] == 1
    asked = play.asked()
    assert asked.count(UPDATE) == 1
    assert asked[-1] == UPDATE
    assert len(asked) == 14 + 1 + 1


def test_two_values_of_one_document_are_one_write(play: Play) -> None:
    play.ready()
    document = play.actor(CO)
    shown = way(play).write(document, {HITS: 1, "flags.rallypoint.live.X": 2})
    assert shown == {HITS: 1, "flags.rallypoint.live.X": 2}
    assert play.asked() == [UPDATE]


def test_unlinked_tokens_are_read_with_the_scene(play: Play) -> None:
    play.ready()
    documents = unlinked(play, CO, SOLDIER, NCO)
    for number, each in enumerate(documents):
        play.world.edit(each, {HITS: number})
    play.asked()
    found = way(play).read(documents)
    assert [found.values(each)[HITS] for each in documents] == [0, 1, 2]
    assert len(play.asked()) <= 2  # the scene, and the actor that they are made of


# The twelve points


def test_r1_keys(play: Play, monkeypatch: pytest.MonkeyPatch) -> None:
    play.ready()
    for fault, code in (
        ("key_unknown", "key_refused"),
        ("key_disabled", "key_refused"),
        ("key_expired", "key_refused"),
        ("other_world", "other_world"),
    ):
        play.fake.faults.add(fault)
        done = synced(play)
        assert (done.status, done.document["code"]) == (3, code)
    monkeypatch.setenv("RALLYPOINT_FOUNDRY_KEY", play.fake.add_key("clients:read"))
    assert "entity:read" in synced(play).document["error"]
    elsewhere = play.fake.accounts.add_key(clients=["fvtt_someotherworld"]).secret
    monkeypatch.setenv("RALLYPOINT_FOUNDRY_KEY", elsewhere)
    assert synced(play).document["code"] == "other_world"


def test_r2_offline_before_during_and_after(play: Play) -> None:
    play.ready()
    play.fought(CO, 1)
    play.world.sleep()
    assert synced(play).document["code"] == "world_asleep"
    play.world.wake()
    play.fake.faults.add("falls_asleep", of="update")
    assert synced(play).document["failed"][0]["field"] == [CO, "Wounds"]
    play.world.wake()
    assert synced(play).document["written"] == 1
    play.fake.faults.add("done_then_asleep", of="update")
    play.fought(CO, 2)
    assert synced(play).status == 3  # no write was answered: it is away
    play.world.wake()
    assert synced(play).status == 0
    assert (play.shown(CO), play.value(CO)) == (2, 2)


@pytest.mark.parametrize("fault", ["late", "lost", "swept", "hang", "cut_off", "crossed"])
def test_r3_r4_an_answer_that_is_lost_or_crossed_ends_alike(play: Play, fault: str) -> None:
    play.ready()
    play.fought(CO, 1)
    play.fake.faults.add(fault, of="update")
    assert synced(play).document["written"] == 0
    play.asked()
    assert synced(play).status == 0
    assert play.asked().count(UPDATE) == (1 if fault == "lost" else 0)
    assert (play.shown(CO), play.value(CO)) == (1, 1)


def test_r4_a_crossed_read_is_read_again(play: Play) -> None:
    play.ready()
    for number, uid in enumerate((CO, SOLDIER, NCO)):  # nobody's answer may do for another's
        play.fought(uid, number % 2 + 1)
    assert synced(play).status == 0
    play.fake.faults.add("crossed", of="entity", count=4, after=3)
    done = play.say("sync", "--json", "--patience", "30")
    assert (done.status, done.document["plan"]["counts"]["unchanged"]) == (0, 14)
    assert (done.document["plan"]["edits"], done.document["written"]) == ([], 0)


def test_r5_an_unknown_uuid(play: Play) -> None:
    play.ready()
    found = way(play).read(["Actor.nobody0000000000", play.actor(CO)])
    assert found.gone == {"Actor.nobody0000000000"}
    with pytest.raises(RefusedError) as failed:
        way(play).write("Actor.nobody0000000000", {HITS: 1})
    assert failed.value.code == "not_there"


def test_r6_two_copies_of_one_actor_and_the_base_untouched(play: Play) -> None:
    play.ready()
    one, two = unlinked(play, CO, SOLDIER)
    play.fought(CO, 1)
    play.fought(SOLDIER, 2)
    assert synced(play).status == 0
    shown = [
        at(found.document, HITS) for each in (one, two, "Actor.conscript0000000") if (found := play.world.find(each))
    ]
    assert shown == [1, 2, 0]


def test_r7_linked_unlinked_and_orphan_in_one_list(play: Play) -> None:
    play.ready()
    one, two = unlinked(play, CO, SOLDIER)
    linked = play.actor(NCO)
    (scene,) = play.world.collections["Scene"].values()
    rows(scene, "tokens").append(
        {"_id": "orphan0000000000", "name": "Orphan", "actorId": "gone", "actorLink": False, "delta": {}, "flags": {}}
    )
    found = way(play).read([one, two, linked])
    assert set(found.seen) == {one, two, linked}
    del play.world.collections["Actor"]["conscript0000000"]
    found = way(play).read([one, two, linked])
    assert (set(found.seen), set(found.unread)) == ({linked}, {one, two})


def test_r7_a_scene_that_cannot_be_read_is_read_token_by_token(play: Play, monkeypatch: pytest.MonkeyPatch) -> None:
    play.ready()
    one, two = unlinked(play, CO, SOLDIER)
    transport = way(play)
    get = transport.relay.get

    def failing(uuid: str) -> object:
        if uuid.startswith("Scene.") and uuid.count(".") == 1:
            raise RefusedError("toObject of an orphan", code="refused")
        return get(uuid)

    monkeypatch.setattr(transport.relay, "get", failing)
    assert set(transport.read([one, two]).seen) == {one, two}


def test_a_token_that_has_become_linked_is_not_written_to(play: Play) -> None:
    play.ready()
    one, two = unlinked(play, CO, SOLDIER)
    play.world.edit(".".join(one.split(".")[:4]), {"actorLink": True})
    for documents in ([one], [one, two]):
        assert "bind it anew" in way(play).read(documents).unread[one]


def test_r8_a_value_that_the_system_does_not_know_goes_to_our_flag(play: Play) -> None:
    play.ready()
    play.fought(CO, 2)
    play.fake.faults.add("dropped", of="update", drop=[HITS])
    play.world.find(play.actor(CO)).document["system"]["hits"].pop("value")  # type: ignore[union-attr, index]
    done = synced(play)
    assert done.document["moved"] == [f"{CO} Wounds"]
    assert play.shown(CO, "flags.rallypoint.live.Wounds") == 2
    play.fought(CO, 1)
    assert synced(play).document["moved"] == []  # it is said once
    assert play.shown(CO, "flags.rallypoint.live.Wounds") == 1
    play.edit(CO, 2, "flags.rallypoint.live.Wounds")
    assert synced(play).status == 0
    assert play.value(CO) == 2


def test_r9_too_many_requests_html_and_large_bodies(play: Play) -> None:
    play.ready()
    play.fought(CO, 1)
    play.fake.faults.add("too_many", count=3, after=15)  # three times in a row, at the write
    assert play.say("sync").status == 0
    assert play.shown(CO) == 1
    for number, fault in enumerate(("html_502", "html_504", "too_large")):
        play.fought(CO, number % 2 + 1)
        play.fake.faults.add(fault, after=15)
        play.say("sync", "--patience", "0")
        assert play.say("sync").status == 0
        assert play.shown(CO) == play.value(CO)


def test_r10_relay_2(play: Play) -> None:
    play.ready()
    play.fake.shape = "2.2.1"
    assert play.say("connect").status == 0
    play.edit(CO, 1)
    play.fought(SOLDIER, 1)
    assert synced(play).status == 0
    assert (play.value(CO), play.shown(SOLDIER)) == (1, 1)
    done = play.say("watch", "--json")
    assert (done.status, done.document["code"]) == (3, "no_such_path")
    play.fought(SOLDIER, 2)
    play.fake.faults.add("lost", of="update")  # 2.x never answers then
    assert synced(play).status == 3
    assert synced(play).status == 0


def test_r11_another_encounter_is_current(play: Play) -> None:
    play.ready()
    assert play.say("encounter").status == 0
    first = play.world.combat
    other = play.world.create("Combat", {"name": "A brawl in the bar"})
    play.world.combat = str(other["_id"])
    done = play.say("encounter")
    assert (done.status, "A brawl in the bar" in done.err) == (2, True)
    assert rows(other, "combatants") == []
    assert play.say("encounter", "--new").status == 0
    assert play.world.combat not in (first, other["_id"])


def test_an_encounter_whose_answer_is_lost_is_found(play: Play) -> None:
    play.ready()
    play.fake.faults.add("late", of="start-encounter")
    play.fake.faults.add("late", of="add-to-encounter")
    assert play.say("encounter").status == 0
    assert len(play.world.collections["Combat"]) == 1


def test_opting_out_by_a_flag(play: Play) -> None:
    play.ready()
    play.world.edit(play.actor(CO), {"flags.rallypoint.sync": False})
    play.fought(CO, 1)
    play.fought(SOLDIER, 1)
    done = synced(play)
    assert [each["why"] for each in done.document["plan"]["left_out"]] == ["it has been taken out of the sync"]
    assert (play.shown(CO), play.shown(SOLDIER)) == (0, 1)


def test_rights_refuse_one_and_the_others_go_on(play: Play, monkeypatch: pytest.MonkeyPatch) -> None:
    play.ready()
    play.fought(CO, 1)
    play.fought(SOLDIER, 1)
    refused = play.actor(CO)
    update = FoundryTransport.write

    def write(self: FoundryTransport, document: str, values: object) -> object:
        if document == refused:
            raise RefusedError("Foundry does not let this key do that", code="no_permission", where=document)
        return update(self, document, values)  # type: ignore[arg-type]

    monkeypatch.setattr(FoundryTransport, "write", write)
    done = synced(play)
    assert (done.status, done.document["written"], [each["document"] for each in done.document["failed"]]) == (
        1,
        1,
        [refused],
    )
    assert play.shown(SOLDIER) == 1


# Lenses by the sheet


def test_a_system_that_counts_down_and_one_with_other_limits() -> None:
    state = State.of(
        [Entity.new("u", "unit", trackers={"Wounds": Tracker(1, 0, 3, "up"), "Fuel (kg.)": Tracker(2, 0, 9)})]
    )
    profile = load_profile("mosh-0.6.1")
    kind = profile.actors[0]
    down = profile._replace(actors=(kind._replace(trackers={"Wounds": kind.trackers["Wounds"]._replace(bad="down")}),))
    pod = {"system": {"hits": {"value": 2, "min": 0, "max": 2}}}
    lenses: dict[Carrier, object] = {
        each.carrier: each.lens for each in bindings_of(state, [Found("u", "Actor.a", pod)], profile).bindings
    }
    assert lenses == {
        Carrier("Actor.a", HITS): Clamped(None, 2),
        Carrier("Actor.a", "flags.rallypoint.live.Wounds"): Exact(),
        Carrier("Actor.a", "flags.rallypoint.live.Fuel__kg__"): Exact(),
    }
    turned = {each.carrier: each.lens for each in bindings_of(state, [Found("u", "Actor.a", pod)], down).bindings}
    assert turned[Carrier("Actor.a", HITS)] == Turned(3)


def test_errors_are_of_the_three_kinds(play: Play) -> None:
    play.ready()
    transport = way(play)
    play.fake.faults.add("lost", of="update")
    with pytest.raises(DoubtfulError):
        transport.write(play.actor(CO), {HITS: 1})
    play.fake.stop()
    with pytest.raises(UnreachableError):
        transport.write(play.actor(CO), {HITS: 1})


class Feed:
    """A listener that tells what a test says."""

    def __init__(self, *told: Change | None) -> None:
        self.told = told

    def open(self, relay: Relay) -> Iterator[Change | None]:
        yield from self.told


def test_opting_out_by_a_flag_on_the_token(play: Play) -> None:
    play.ready()
    (scene,) = play.world.collections["Scene"].values()
    (token,) = [each for each in rows(scene, "tokens") if at(each, "flags.rallypoint.uid") == CO]
    play.world.edit(f"Scene.{scene['_id']}.Token.{token['_id']}", {"flags.rallypoint.sync": False})
    play.fought(CO, 1)
    done = synced(play)
    assert [each["why"] for each in done.document["plan"]["left_out"]] == ["it has been taken out of the sync"]
    assert play.shown(CO) == 0


def test_a_token_that_is_copied_while_it_is_listened_to_is_a_copy(play: Play) -> None:
    play.ready()
    (document,) = unlinked(play, SOLDIER)
    scene, token = document.split(".")[1], document.split(".Actor.")[0]
    transport = way(play)
    transport.listener = cast("Listener", Feed(None, Change("Scene.a.Token.b", {}, new_in=scene)))
    told = transport.changes()
    next(told)
    assert transport.read([document]).copies == {}
    copy = play.world.copy_token(token)
    next(told)
    assert list(transport.read([document]).copies) == [f"{copy}.Actor.{document.rsplit('.', 1)[1]}"]


def test_what_is_told_while_it_is_read_is_read_again(play: Play, monkeypatch: pytest.MonkeyPatch) -> None:
    play.ready()
    document = play.actor(CO)
    transport = way(play)
    transport.listener = cast("Listener", Feed(None, Change(document, {HITS: 1}, is_plain=True)))
    told = transport.changes()
    next(told)
    real = transport.relay.get

    def overtaken(uuid: str) -> Mapping[str, object]:
        found = deepcopy(real(uuid))
        play.edit(CO, 1)
        next(told, None)
        return found

    with monkeypatch.context() as patched:
        patched.setattr(transport.relay, "get", overtaken)
        assert transport.read([document]).values(document)[HITS] == 0
    assert transport.read([document]).values(document)[HITS] == 1
