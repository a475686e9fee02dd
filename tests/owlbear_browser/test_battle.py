"""A battle and the room: hub, transport, desk, server, page, SDK, all real but the room. B numbers are reported faults of other tools."""

from __future__ import annotations

import random
from pathlib import Path

from ..contract.battles import STRESS, UNITS, edits, fought, wounds
from ..contract.both_tables import play
from ..contract.foundry_world import FoundryWorld
from ..contract.world import World
from .browser import Room
from .fight import Fight, Watching
from .program import Program
from .tokens import shown, token
from .world import BrowserWorld

EDITS = 200


def test_sync_both_ways(room: Room, program: Program, tmp_path: Path) -> None:
    fight = Fight(BrowserWorld(room, program), tmp_path)
    fight.hub.sync()
    room.call("type", "u1", "rallypoint-wounds-u1", 2)
    fought(fight.battle, wounds("u2"), 1)
    fought(fight.battle, STRESS, 7)
    fight.hub.sync()
    assert edits(fight.battle) == [("somebody at owlbear", "u1", "Wounds", 2)]
    assert fight.shown() == [2, 1, 0, 0]
    assert [shown(each, "rallypoint-stress") for each in room.items().values()] == [7, 7, 7, None]
    assert len(room.calls()) == 1
    for _ in range(3):  # B04: what the page tells of its own writes is no edit, and brings none
        assert fight.hub.plan().is_empty
        fight.hub.sync()
    assert len(room.calls()) == 1


def test_an_undo_of_the_gm_is_an_edit_of_everything_that_was_written(
    room: Room, program: Program, tmp_path: Path
) -> None:
    fight = Fight(BrowserWorld(room, program), tmp_path)
    fight.hub.sync()
    fought(fight.battle, wounds("u1"), 2)
    fought(fight.battle, wounds("u2"), 1)
    fight.hub.sync()
    room.call("undo")
    assert fight.shown() == [0, 0, 0, 0]
    fight.hub.sync()
    assert edits(fight.battle) == [
        ("somebody at owlbear", "u1", "Wounds", 0),
        ("somebody at owlbear", "u2", "Wounds", 0),
    ]
    assert fight.battle.state["u1"].value("Wounds") == 0
    assert fight.hub.plan().is_empty


def test_tokens_that_were_deleted_and_copied(room: Room, program: Program, tmp_path: Path) -> None:
    """A deleted token removes nobody, a copy stands for nobody, and neither keeps the others waiting."""
    fight = Fight(BrowserWorld(room, program), tmp_path)
    fight.hub.sync()
    room.call("remove", ["u1"])
    room.call("copy", "u2", "u2-copy")
    for unit in UNITS:
        fought(fight.battle, wounds(unit), 1)
    fight.hub.sync()
    items = room.items()
    assert {name: shown(item) for name, item in items.items()} == {"u2": 1, "u3": 1, "u4": 1, "u2-copy": 0}
    assert fight.battle.state["u1"].value("Wounds") == 1
    assert sorted(fight.ledger.tombstones("owlbear")) == ["u1"]


def test_watch_carries_what_happens_while_the_scene_comes_and_goes(
    room: Room, program: Program, tmp_path: Path
) -> None:
    """B31, B34: while another scene is open nothing is written; what the battle said meanwhile is written once, as it is then."""
    world = BrowserWorld(room, program)
    fight = Fight(world, tmp_path)
    fight.hub.sync()

    def people(watching: Watching) -> None:
        watching.until(lambda: watching.watch.syncs > 0)
        watching.fight_on(wounds("u1"), 1)
        watching.until(lambda: fight.shown()[0] == 1)
        room.call("type", "u2", "rallypoint-wounds-u2", 2)
        watching.until(lambda: len(edits(fight.battle)) == 1)
        calls = len(room.calls())
        room.open_scene("tavern", items=[token("u1"), token("u3")])
        world.table.scene_of_program(other_than=world.table.scene)
        for value in (2, 1, 2):
            watching.fight_on(wounds("u3"), value)
        watching.until(lambda: fight.battle.state["u3"].value("Wounds") == 2)
        assert room.items()["u3"]["metadata"] == token("u3")["metadata"]
        assert len(room.calls()) == calls
        room.open_scene("deck")
        watching.until(lambda: fight.shown()[2] == 2)
        assert len(room.calls()) == calls + 1
        assert fight.shown() == [1, 2, 2, 0]

    Watching(fight).run(people)


def test_two_tables_at_once_end_in_agreement(quick_room: Room, program: Program, tmp_path: Path) -> None:
    """The fake Foundry, the room in the browser and the battle: equal on all three sides."""
    (tmp_path / "foundry").mkdir()
    worlds: list[World] = [FoundryWorld(tmp_path / "foundry"), BrowserWorld(quick_room, program)]
    played = play(tmp_path, worlds, EDITS, random.Random(5))
    assert played.differing == ()
    assert played.is_done
    assert played.people == {"somebody at foundry", "somebody at owlbear"}
    assert played.conflicts > 10
