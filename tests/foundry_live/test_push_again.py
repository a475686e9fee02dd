"""A second push, a second battle: what people changed meanwhile, what a newer export has no more, whose the documents are."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from rallypoint_foundry.fake.documents import Document, at, rows
from rallypoint_foundry.live.commands import push as push_command
from rallypoint_foundry.live.transport import VTT

from ..cli.battles import said
from .tables import CO, HITS, NCO, SOLDIER, Play

UPDATES = ("PUT", "/update")


def put(document: Document, path: str, value: object) -> None:
    outer, _, key = path.rpartition(".")
    inner = at(document, outer)
    assert isinstance(inner, dict)
    inner[key] = value


def items(play: Play, uid: str) -> dict[str, Document]:
    """The things on somebody's actor, by name, looked up in the world."""
    return {str(each["name"]): each for each in rows(play.world.collections["Actor"][play.actor(uid)[6:]], "items")}


def add(play: Play, uid: str, item: Mapping[str, object]) -> None:
    """Somebody gives a unit a thing."""
    there = play.world.collections["Actor"][play.actor(uid)[6:]]["items"]
    assert isinstance(there, list)
    there.append(dict(item))


def changed_export(play: Play, folder: Path, uid: str, change: Any) -> Path:
    """Copy the export and let somebody change the actor of a unit in it."""
    export = json.loads((play.export / "encounter.json").read_text(encoding="utf-8"))
    (actor,) = [each for each in export["actors"] if at(each, "flags.rallypoint.uid") == uid]
    change(actor)
    path = folder / "newer"
    path.mkdir()
    (path / "encounter.json").write_text(json.dumps(export), encoding="utf-8")
    return path


def own_token(play: Play, uid: str) -> str:
    """Somebody unlinks a unit's token; return its own actor."""
    (scene,) = play.world.collections["Scene"].values()
    (token,) = [each for each in rows(scene, "tokens") if at(each, "flags.rallypoint.uid") == uid]
    play.world.edit(f"Scene.{scene['_id']}.Token.{token['_id']}", {"actorLink": False})
    return f"Scene.{scene['_id']}.Token.{token['_id']}.{play.actor(uid)}"


def forgotten(play: Play) -> None:
    """What was agreed is lost, as after unbind: the two meet anew."""
    assert play.say("unbind").status == 0


# B28: values of actors and of tokens


def two_turns(play: Play) -> str:
    """Two turns were played; the world shows other values, on an actor and on a token of its own."""
    play.ready()
    token = own_token(play, SOLDIER)
    forgotten(play)
    play.fought(SOLDIER, 2)
    play.fought(NCO, 1)
    play.world.edit(token, {HITS: 1})
    play.edit(NCO, 2)
    play.asked()
    return token


def test_b28_the_plan_of_a_second_push_shows_values_of_actors_and_tokens(play: Play) -> None:
    token = two_turns(play)
    before = json.dumps(play.world.collections, default=str)
    done = play.say("push", str(play.export), "--dry-run", "--json")
    found = {each["field"][0]: each for each in done.document["values"]["conflicts"]}
    assert set(found) == {SOLDIER, NCO}
    assert found[SOLDIER]["ours"] == 2
    assert {each["document"]: each["shown"] for each in found[SOLDIER]["theirs"]} == {
        play.actor(SOLDIER): 0,
        token: 1,
    }
    words = play.say("push", str(play.export), "--dry-run").out
    assert "--values keep" in words
    assert f"{token} {HITS} shows 1" in words
    assert json.dumps(play.world.collections, default=str) == before
    assert {method for method, _ in play.asked()} == {"GET"}


def test_b28_unasked_nothing_is_half_reset(play: Play) -> None:
    token = two_turns(play)
    done = play.say("push", str(play.export))
    assert (done.status, "--values reset" in done.out) == (1, True)
    assert (play.shown(SOLDIER), shown(play, token), play.shown(NCO)) == (0, 1, 2)
    assert (play.value(SOLDIER), play.value(NCO)) == (2, 1)


def test_b28_reset_gives_actor_and_token_the_values_of_the_battle(play: Play) -> None:
    token = two_turns(play)
    assert play.say("push", str(play.export), "--values", "reset").status == 0
    assert (play.shown(SOLDIER), shown(play, token), play.shown(NCO)) == (2, 2, 1)
    assert (play.value(SOLDIER), play.value(NCO)) == (2, 1)
    assert "0 written" in play.say("sync").out


def test_b28_keep_takes_the_values_of_the_world(play: Play) -> None:
    play.ready()
    forgotten(play)
    play.fought(NCO, 1)
    play.edit(NCO, 2)
    assert play.say("push", str(play.export), "--values", "keep").status == 0
    assert (play.value(NCO), play.shown(NCO)) == (2, 2)
    assert "somebody at foundry" in said("battle", "log", str(play.battle))


@pytest.mark.parametrize(("answer", "shown_then", "status"), [("keep", 2, 0), ("reset", 1, 0), ("later", 2, 1)])
def test_b28_a_person_at_the_terminal_is_asked(
    play: Play, monkeypatch: pytest.MonkeyPatch, answer: str, shown_then: int, status: int
) -> None:
    play.ready()
    forgotten(play)
    play.fought(NCO, 1)
    play.edit(NCO, 2)
    monkeypatch.setattr(push_command, "is_person", lambda: True)
    monkeypatch.setattr("click.prompt", lambda *_, **__: answer)
    assert play.say("push", str(play.export)).status == status
    assert (play.shown(NCO), play.value(NCO)) == (shown_then, 1 if answer != "keep" else 2)


@pytest.mark.parametrize(("values", "holds"), [("reset", 1), ("keep", 2)])
def test_b28_what_both_have_changed_is_decided_even_where_both_were_bound(play: Play, values: str, holds: int) -> None:
    play.ready()
    play.fought(NCO, 1)
    play.edit(NCO, 2)
    planned = play.say("push", str(play.export), "--values", values, "--dry-run", "--json").document["values"]
    assert (len(planned["writes"]), len(planned["edits"])) == ((1, 0) if values == "reset" else (0, 1))
    assert play.say("push", str(play.export), "--values", values).status == 0
    assert (play.shown(NCO), play.value(NCO)) == (holds, holds)


@pytest.mark.parametrize("values", ["reset", "keep"])
def test_b28_what_one_side_alone_has_changed_is_merged_as_by_a_sync_whatever_was_said(play: Play, values: str) -> None:
    """A value of the battle that was not sent yet is not undone by keep, nor an edit of the world by reset."""
    play.ready()
    play.fought(SOLDIER, 1)
    play.fell(SOLDIER)  # taking the world's 0 would bring it back to play
    play.fought("red.small", 5, "Stress")
    play.edit(NCO, 2)
    planned = play.say("push", str(play.export), "--values", values, "--dry-run", "--json").document["values"]
    assert planned["conflicts"] == []
    assert play.say("push", str(play.export), "--values", values).status == 0
    assert (play.value(SOLDIER), play.shown(SOLDIER)) == (1, 1)
    assert play.value("red.small", "Stress") == 5
    assert (play.value(NCO), play.shown(NCO)) == (2, 2)


def test_what_was_bound_is_merged_as_by_a_sync(play: Play) -> None:
    play.ready()
    play.edit(NCO, 2)
    play.fought(SOLDIER, 1)
    assert play.say("push", str(play.export)).status == 0
    assert (play.value(NCO), play.shown(SOLDIER)) == (2, 1)


def test_what_still_shows_what_the_export_gave_it_is_no_question(play: Play) -> None:
    """The first push was cut off before anything was bound: the values of now go there unasked."""
    play.ready()
    forgotten(play)
    play.fought(CO, 1)
    assert play.say("push", str(play.export)).status == 0
    assert play.shown(CO) == 1


def shown(play: Play, uuid: str) -> object:
    found = play.world.find(uuid)
    return None if found is None else at(found.document, HITS)


# B17, B66: what people made of it


def test_b66_a_second_push_updates_nothing_that_is_there_and_makes_nothing(play: Play) -> None:
    """There is no --no-update: to leave alone what is there is what push does without being told."""
    play.ready()
    assert play.say("push", str(play.export), "--json").document["counts"]["made"] == 0
    assert not {method for method, _ in play.asked()} - {"GET"}


def test_b17_a_token_keeps_the_name_picture_and_bars_that_people_gave_it(play: Play) -> None:
    play.ready()
    (scene,) = play.world.collections["Scene"].values()
    token = rows(scene, "tokens")[0]
    mine = {"name": "The Old Man", "texture": {"src": "mine.png"}, "disposition": 0, "displayBars": 50}
    play.world.edit(f"Scene.{scene['_id']}.Token.{token['_id']}", mine)
    for more in ((), ("--override",)):
        assert play.say("push", str(play.export), *more).status == 0
        assert {key: token[key] for key in ("name", "disposition", "displayBars")} == {
            "name": "The Old Man",
            "disposition": 0,
            "displayBars": 50,
        }
        assert at(token, "texture.src") == "mine.png"


# B64: what a newer export has no more


def without_revolver(actor: Document) -> None:
    actor["items"] = [each for each in rows(actor, "items") if each["name"] != "Revolver"]


def test_b64_a_removed_weapon_goes_with_override_and_what_others_made_stays(play: Play, tmp_path: Path) -> None:
    play.ready()
    medkit = {"_id": "medkit0000000000", "name": "Medkit", "type": "item"}
    add(play, CO, medkit)
    newer = changed_export(play, tmp_path, CO, without_revolver)
    actors = len(play.world.collections["Actor"])
    assert play.say("push", str(newer)).status == 0
    assert set(items(play, CO)) == {"Combat Armor", "Revolver", "Medkit"}  # not without being told
    planned = play.say("push", str(newer), "--override", "--dry-run").out
    assert "would bring up to date: Actor CO 0A-1; take away Revolver" in planned
    assert "Revolver" in items(play, CO)
    done = play.say("push", str(newer), "--override")
    assert (done.status, "CO 0A-1: Revolver taken away" in done.out) == (0, True)
    assert set(items(play, CO)) == {"Combat Armor", "Medkit"}
    assert items(play, CO)["Medkit"] == medkit
    assert len(play.world.collections["Actor"]) == actors
    play.asked()
    assert play.say("push", str(newer), "--override").status == 0
    assert not {method for method, _ in play.asked()} - {"GET"}  # and it is done once


def test_b64_a_weapon_of_the_same_name_without_our_flag_stays(play: Play, tmp_path: Path) -> None:
    play.ready()
    items(play, CO)["Revolver"]["flags"] = {}
    newer = changed_export(play, tmp_path, CO, without_revolver)
    assert play.say("push", str(newer), "--override").status == 0
    assert "Revolver" in items(play, CO)


def test_b64_a_new_weapon_comes_beside_what_others_made(play: Play, tmp_path: Path) -> None:
    play.ready()
    medkit = {"_id": "medkit0000000000", "name": "Medkit", "type": "item"}
    add(play, CO, medkit)

    def another(actor: Document) -> None:
        first = rows(actor, "items")[-1]
        actor["items"] = [*rows(actor, "items"), {**first, "_id": "second0000000000", "name": "Second Revolver"}]

    newer = changed_export(play, tmp_path, CO, another)
    actors = len(play.world.collections["Actor"])
    assert play.say("push", str(newer), "--override").status == 0
    assert set(items(play, CO)) == {"Combat Armor", "Revolver", "Second Revolver", "Medkit"}
    assert items(play, CO)["Medkit"].items() >= medkit.items()
    assert len(play.world.collections["Actor"]) == actors


def test_b64_what_the_export_says_anew_of_a_thing_is_changed_and_shots_stay_shot(play: Play, tmp_path: Path) -> None:
    play.ready()
    for name in ("Revolver", "Combat Armor"):
        thing = items(play, CO)[name]
        play.world.edit(f"{play.actor(CO)}.Item.{thing['_id']}", {"system.shots": 1})

    def better(actor: Document) -> None:
        (revolver,) = [each for each in rows(actor, "items") if each["name"] == "Revolver"]
        put(revolver, "flags.rallypoint.facts.C", 2)
        put(revolver, "system.damage", "2d10")

    newer = changed_export(play, tmp_path, CO, better)
    assert "change Revolver" in play.say("push", str(newer), "--override", "--dry-run").out
    assert play.say("push", str(newer), "--override").status == 0
    assert at(items(play, CO)["Revolver"], "system.damage") == "2d10"
    assert at(items(play, CO)["Revolver"], "flags.rallypoint.facts.C") == 2
    assert at(items(play, CO)["Combat Armor"], "system.shots") == 1


def test_b64_r5_a_deletion_that_is_none_is_found_out(play: Play, tmp_path: Path) -> None:
    play.ready()
    newer = changed_export(play, tmp_path, CO, without_revolver)
    play.fake.faults.add("false_success", of="delete")
    done = play.say("push", str(newer), "--override")
    assert (done.status, "does not let go of Revolver" in done.out) == (1, True)
    assert play.say("push", str(newer), "--override").status == 0
    assert "Revolver" not in items(play, CO)


# Two battles of one scenario


@pytest.fixture
def rival(play: Play) -> Play:
    """Another battle of the same scenario, at the same world; the first one is bound to it."""
    play.ready()
    other = Play.__new__(Play)
    other.__dict__.update(play.__dict__)
    other.battle = play.battle.with_name("second.battle")
    shutil.copy(play.battle, other.battle)
    assert other.say("connect", "--relay", "http://fake").status == 0
    return other


@pytest.mark.parametrize("command", ["push", "bind"])
def test_a_second_battle_is_refused_the_documents_of_the_first(play: Play, rival: Play, command: str) -> None:
    before = json.dumps(play.world.collections, default=str)
    arguments = [str(play.export)] if command == "push" else ["--scene", "Skirmish"]
    done = rival.say(command, *arguments)
    assert done.status == 2
    assert "this world is another battle's already" in done.err
    assert "documents of first.battle" in done.err
    assert "--take-over" in done.err
    assert rival.say(command, *arguments, "--json").document["code"] == "other_battle"
    assert json.dumps(play.world.collections, default=str) == before
    with rival.seat() as seat:
        assert seat.ledger.bindings(VTT) == ()


@pytest.mark.parametrize("command", ["push", "bind"])
def test_a_battle_that_is_taken_over_leaves_the_documents_alone(play: Play, rival: Play, command: str) -> None:
    arguments = [str(play.export)] if command == "push" else ["--scene", "Skirmish"]
    assert rival.say(command, *arguments, "--take-over").status == 0
    assert rival.say("sync").status == 0
    rival.fought(CO, 1)
    assert rival.say("sync").status == 0
    play.fought(CO, 2)
    play.fought(NCO, 1)
    done = play.say("sync", "--json")
    assert (done.document["written"], done.document["plan"]["edits"]) == (0, [])
    assert {each["why"] for each in done.document["plan"]["left_out"]} == {
        "it could not be read: another battle has taken it over: second.battle"
    }
    assert (play.shown(CO), play.shown(NCO), play.value(CO)) == (1, 0, 2)


def test_a_battle_may_be_renamed_with_its_ledger(play: Play) -> None:
    play.ready()
    for name in ("first.battle", "first.battle.sync"):
        shutil.move(play.battle.with_name(name), play.battle.with_name(name.replace("first", "renamed")))
    play.battle = play.battle.with_name("renamed.battle")
    play.fought(CO, 1)
    assert play.say("sync").status == 0
    assert play.say("push", str(play.export)).status == 0
    assert play.shown(CO) == 1


def unmarked(play: Play) -> None:
    """The actors are as an export of an older version, or Foundry's own import of it, made them."""
    for actor in play.world.collections["Actor"].values():
        record = at(actor, "flags.rallypoint")
        assert isinstance(record, dict)
        del record["battle"]


def test_documents_without_a_mark_are_taken_and_marked(play: Play) -> None:
    """An export that Foundry itself imported has no marks: whoever binds it first has it."""
    play.ready()
    unmarked(play)
    forgotten(play)
    assert play.say("bind", "--scene", "Skirmish").status == 0
    with play.seat() as seat:
        assert play.shown(CO, "flags.rallypoint.battle") == seat.mark


def test_a_key_that_may_not_write_binds_and_says_what_it_could_not_mark(
    play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    play.ready()
    unmarked(play)
    forgotten(play)
    monkeypatch.setenv("RALLYPOINT_FOUNDRY_KEY", play.fake.add_key("entity:read", "scene:read", "search"))
    done = play.say("bind", "--scene", "Skirmish")
    assert done.status == 0
    assert "nothing was marked as this battle's: " in done.out
    assert "entity:write" in done.out


def test_taking_over_is_heard_by_a_watch(play: Play, rival: Play) -> None:
    from .test_live_transport import way

    transport = way(play)
    with play.seat() as seat:
        transport.mark = seat.mark
    transport._listens = True
    document = play.actor(CO)
    transport.read([document])
    from rallypoint_foundry.live.events import Change

    taken = Change(document, {"flags": {"rallypoint": {"battle": "second.battle ffff"}}}, is_plain=True)
    assert transport._concerned(taken) == [document]
    play.world.edit(document, {"flags.rallypoint.battle": "second.battle ffff"})
    transport._doubt([document])
    play.asked()
    for _ in range(2):
        assert transport.read([document]).unread == {document: "another battle has taken it over: second.battle"}
    assert len(play.asked()) == 1  # and it is not read again and again
