"""What the live commands say where something is not as it should be: the cause, and the next step."""

from __future__ import annotations

import pytest

from rallypoint.kernel.changes import SetTracker
from rallypoint.kernel.errors import BattleFileError
from rallypoint.kernel.plugins.opening import open_battle
from rallypoint_foundry.fake.documents import rows
from rallypoint_foundry.live.transport import VTT

from .tables import CO, Play


@pytest.mark.parametrize("command", ["push", "bind", "status"])
@pytest.mark.parametrize("failed_once", [False, True])
def test_without_a_world_chosen_connect_is_named_and_nothing_is_sent(
    play: Play, monkeypatch: pytest.MonkeyPatch, command: str, failed_once: bool
) -> None:
    monkeypatch.setenv("RALLYPOINT_FOUNDRY_URL", "http://fake")
    if failed_once:
        play.world.online = False
        assert play.say("connect").status == 3
        play.world.online = True
    play.asked()
    more = [str(play.export)] if command == "push" else []
    done = play.say(command, *more, "--json")
    assert (done.status, play.asked()) == (2, [])
    assert "rallypoint foundry connect" in done.document["hint"]


@pytest.mark.parametrize("command", ["watch", "sync", "encounter"])
def test_what_was_bound_in_a_world_that_is_not_known_any_more_names_connect(
    play: Play, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    play.ready()
    monkeypatch.setenv("RALLYPOINT_FOUNDRY_URL", "http://fake")
    with play.seat() as seat:
        seat.ledger.bind(VTT, {}, ())
    done = play.say(command)
    assert (done.status, play.asked()) == (2, [])
    assert "rallypoint foundry connect" in done.err


@pytest.mark.parametrize("command", ["plan", "sync", "watch"])
def test_before_anything_is_bound_push_is_the_next_step(play: Play, command: str) -> None:
    assert play.say("connect", "--relay", "http://fake").status == 0
    done = play.say(command)
    assert done.status == 2
    assert "rallypoint foundry push" in done.err
    assert "rallypoint foundry bind" in done.err


@pytest.mark.parametrize("fault", ["html_502", "too_many", "maintenance", "late"])
def test_a_fault_that_passes_at_the_door_is_waited_for(play: Play, fault: str) -> None:
    play.fake.faults.add(fault, count=3)
    assert play.say("connect", "--relay", "http://fake").status == 0
    play.fake.faults.add(fault, count=10**6)
    done = play.say("connect", "--relay", "http://fake", "--patience", "1", "--json")
    play.fake.faults.clear()
    assert done.status == 3
    assert done.document["code"] in ("no_answer", "too_many_requests", "maintenance")


def test_a_sync_that_could_read_nothing_any_more_is_no_success(play: Play) -> None:
    play.ready()
    for actor in list(play.world.collections["Actor"]):
        play.world.edit(f"Actor.{actor}", {"flags.rallypoint.battle": "second.battle ffff"})
    done = play.say("sync")
    assert done.status == 1
    assert "another battle has taken it over" in done.out


def test_a_sync_of_what_is_paused_says_so_first(play: Play) -> None:
    play.ready()
    assert play.say("pause").status == 0
    done = play.say("sync")
    assert done.out.startswith("Paused: ")
    assert done.out.count("Paused") == 1


def test_a_dry_run_counts_what_the_push_counts(play: Play) -> None:
    assert play.say("connect", "--relay", "http://fake").status == 0
    planned = play.say("push", str(play.export), "--dry-run").out.splitlines()[-1]
    done = play.say("push", str(play.export)).out
    count = planned.split()[0]
    assert f"{count} documents: {count} to make" in planned
    assert f"{count} documents, {count} made, 0 there already" in done
    (scene,) = play.world.collections["Scene"].values()
    assert len(rows(scene, "tokens")) == len([line for line in play_lines(play) if "Token" in line])


def play_lines(play: Play) -> list[str]:
    found = play.say("push", str(play.export), "--dry-run", "--json").document["documents"]
    assert {each["what"] for each in found} == {"leave"}
    return [str(each["kind"]) for each in found]


def test_a_battle_file_that_is_gone_is_said_to_be_gone(play: Play) -> None:
    with open_battle(play.battle).battle as battle:
        for file in play.battle.parent.glob("first.battle*"):
            file.unlink()
        with pytest.raises(BattleFileError) as raised:
            battle.edit("somebody", SetTracker(CO, "Wounds", 1))
    assert raised.value.what == "the battle file is gone"
    assert "permission" not in str(raised.value)


@pytest.mark.parametrize("broken", ["bytes", "cut"])
def test_a_broken_ledger_may_be_moved_away(play: Play, broken: str) -> None:
    play.ready()
    ledger = play.battle.with_name("first.battle.sync")
    for more in ("-wal", "-shm"):
        ledger.with_name(ledger.name + more).unlink(missing_ok=True)
    ledger.write_bytes(bytes(range(256)) * 40 if broken == "bytes" else ledger.read_bytes()[:6000])
    done = play.say("sync")
    assert done.status == 2
    assert "move it away, and bind anew" in done.err
