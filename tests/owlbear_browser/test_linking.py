"""The page pairs, is linked, and carries a change each way. O numbers are failures that others met in Owlbear Rodeo."""

from __future__ import annotations

from rallypoint_owlbear.link.changes import tracker_path
from rallypoint_owlbear.link.transport import OwlbearTransport
from rallypoint_sync.bindings import Binding, Carrier
from rallypoint_sync.fields import Field
from rallypoint_sync.lenses import Exact

from .browser import Room
from .program import Program
from .tokens import shown, token

WOUNDS = tracker_path("rallypoint-wounds-u1")


def test_a_write_goes_down_and_an_edit_comes_up(room: Room, program: Program) -> None:
    room.open_scene(items=[token("t1", "u1")])
    warden = room.enter(program)
    warden.pair(program)
    standing = warden.until_it_stands(writer=True)
    scene = standing["scene"]
    assert program.desk.standing().shown.scene == scene
    binding = Binding((Field("u1", "Wounds"),), Carrier("t1", WOUNDS), Exact())
    way = OwlbearTransport(program.desk, scene, [binding])
    assert way.write("t1", {WOUNDS: 2}) == {WOUNDS: 2}
    assert shown(room.items()["t1"]) == 2
    changes = program.link.changes()
    next(changes)
    room.call("type", "t1", "rallypoint-wounds-u1", 3)
    assert list(next(each for each in changes if each)) == ["t1"]
    assert way.read(["t1"]).seen == {"t1": {WOUNDS: 3}}
