"""A room in which a GM's page is linked and writes: where most tests begin."""

from __future__ import annotations

import queue
from collections.abc import Iterable, Sequence
from typing import Any

from rallypoint_owlbear.link.changes import tracker_path
from rallypoint_owlbear.link.link import Heard
from rallypoint_owlbear.link.transport import OwlbearTransport
from rallypoint_owlbear.link.wire import Message
from rallypoint_sync.bindings import Binding, Carrier
from rallypoint_sync.fields import Field
from rallypoint_sync.lenses import Exact

from .browser import Room, Tab
from .program import Program
from .tokens import Json, shown

__all__ = ["QUICK", "Table", "messages_of", "wounds_path"]

QUICK = """(() => {
    const times = 5, [timer, clock] = [self.setTimeout, performance.now.bind(performance)];
    self.Worker = undefined;
    self.setTimeout = (then, ms, ...rest) => timer(then, ms < 10000 ? ms / times : ms, ...rest);
    performance.now = () => clock() * times;
})()"""
"""A script that lets time in a page run five times as fast, but for what takes more than ten seconds."""


def wounds_path(uid: str) -> str:
    """The path of the number of somebody's Wounds."""
    return tracker_path(f"rallypoint-wounds-{uid}")


class Table:
    """The room, the program, and the page between them.

    Args:
        room: a room of the browser.
        program: the program.
        items: the tokens of the scene.
        scene: more of the scene.
    """

    def __init__(self, room: Room, program: Program, items: Sequence[Json] = (), **scene: Any) -> None:
        self.room, self.program = room, program
        room.open_scene(items=list(items), **scene)
        self.tab: Tab = room.enter(program)
        self.tab.pair(program)
        self.scene = self.linked()

    def linked(self) -> str:
        """Wait until the page may write and has told the program of its scene; return our id of it."""
        self.tab.until_it_stands(link="linked", writer=True)
        return self.scene_of_program()

    def scene_of_program(self, other_than: str | None = None) -> str:
        """Wait until the program knows a scene, another one than that which is named; return it."""
        standing = self.program.until(lambda each: each.shown.scene not in (None, other_than))
        return str(standing.shown.scene)

    def ask(self, kind: str, seconds: float = 10.0, **body: Any) -> tuple[str, Json]:
        """Ask the page for something; return what it answered."""
        answer = self.program.desk.ask(kind, body, scene=body.pop("scene", self.scene), seconds=seconds)
        return answer.kind, dict(answer.body)

    def write(self, *changes: Json) -> Json:
        """Send changes of items in one request, and return what is answered to it."""
        kind, body = self.ask("write", items=list(changes))
        assert kind == "written", body
        return body

    def set(self, *wounds: tuple[str, int]) -> Json:
        """Give tokens Wounds: ids that are uids too, and numbers."""
        return self.write(
            *[{"id": each, "trackers": [{"id": f"rallypoint-wounds-{each}", "value": value}]} for each, value in wounds]
        )

    def shown(self) -> dict[str, object]:
        """The Wounds that each token shows."""
        return {name: shown(item) for name, item in self.room.items().items()}

    def way(self, *uids: str) -> OwlbearTransport:
        """The way of a battle to these tokens, whose ids are the uids."""
        bindings = [Binding((Field(uid, "Wounds"),), Carrier(uid, wounds_path(uid)), Exact()) for uid in uids]
        return OwlbearTransport(self.program.desk, self.scene, bindings)


def messages_of(program: Program, *kinds: str) -> queue.Queue[Message]:
    """What pages say from now on, of these kinds, whether somebody has asked for it or not."""
    heard: queue.Queue[Message] = queue.Queue()
    hear = program.link.hear

    def hearing(identity: str, messages: Iterable[Message]) -> Heard:
        said = [*messages]
        found = hear(identity, said)
        for each in said:
            if each.kind in kinds:
                heard.put(each)
        return found

    program.link.hear = hearing  # type: ignore[method-assign]
    return heard
