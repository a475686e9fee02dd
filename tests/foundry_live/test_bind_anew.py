"""Binding anew after the ledger was lost: the actors' own flags say who they are, with no scene that is active."""

from __future__ import annotations

from rallypoint_foundry.fake.documents import at
from rallypoint_foundry.live.transport import VTT

from .tables import CO, NCO, SOLDIER, Play


def lost(play: Play) -> None:
    """The ledger is lost; no scene is active."""
    for file in play.battle.parent.glob("first.battle.sync*"):
        file.unlink()
    for scene in play.world.collections["Scene"].values():
        scene["active"] = False
    assert play.say("connect", "--relay", "http://fake").status == 0


def test_bind_finds_everybody_by_the_flags_of_the_sidebar(play: Play) -> None:
    play.ready()
    with play.seat() as seat:
        before = {each.carrier for each in seat.ledger.bindings(VTT)}
    lost(play)
    done = play.say("bind", "--take-over")
    assert (done.status, "0 not found" in done.out, "note: no scene" in done.out) == (0, True, False)
    with play.seat() as seat:
        assert {each.carrier for each in seat.ledger.bindings(VTT)} == before
    assert play.say("sync").status == 0
    play.fought(CO, 1)
    assert play.say("sync").status == 0
    assert play.shown(CO) == 1


def test_a_copy_of_an_actor_is_not_taken_for_it(play: Play) -> None:
    play.ready()
    original = play.actor(SOLDIER)
    copy = play.world.copy_actor(original)
    actors = play.world.collections["Actor"]
    actors.update(
        {key: actors.pop(key) for key in [each for each in actors if f"Actor.{each}" == original]}
    )  # listed last
    lost(play)
    done = play.say("bind", "--take-over")
    assert done.status == 0
    assert f"{SOLDIER}  {original}" in " ".join(done.out.split()).replace(
        f"{SOLDIER} {original}", f"{SOLDIER}  {original}"
    )
    assert f"left out: {copy}" in done.out


def test_an_actor_without_a_flag_is_nobody(play: Play) -> None:
    play.ready()
    (actor,) = [each for each in play.world.collections["Actor"].values() if at(each, "flags.rallypoint.uid") == NCO]
    actor["flags"] = {}
    lost(play)
    done = play.say("bind", "--take-over")
    assert (done.status, "1 not found" in done.out) == (1, True)
    lines = done.out.splitlines()
    assert lines[0].startswith(("by name", "note: no scene is active"))


def test_where_nobody_is_found_the_note_about_the_scene_stands_alone(play: Play) -> None:
    assert play.say("connect", "--relay", "http://fake").status == 0
    lines = play.say("bind").out.splitlines()
    assert lines[0] == "note: no scene is active, so no tokens were looked at; --scene says which"
    assert not [line for line in lines if line.startswith("not found: ")]
