"""The whole way over real HTTP: page, server, desk, hub."""

from __future__ import annotations

import queue
import shutil
import stat
import threading
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest

from rallypoint.kernel.plugins.opening import open_battle
from rallypoint_owlbear.link.changes import tracker_path
from rallypoint_owlbear.link.desk import Desk, Place, find_desk, keep_desk
from rallypoint_owlbear.link.doors import Doors
from rallypoint_owlbear.link.link import Heard, Link
from rallypoint_owlbear.link.popover import Popover
from rallypoint_owlbear.link.seat import RoomSeat
from rallypoint_owlbear.link.server import Ready
from rallypoint_owlbear.link.serving import listening, served
from rallypoint_owlbear.link.transport import OwlbearTransport
from rallypoint_owlbear.link.wire import Message, WireError
from rallypoint_sync.bindings import Binding, Carrier
from rallypoint_sync.hub import Hub
from rallypoint_sync.ledger import Ledger, ledger_path
from rallypoint_sync.lenses import Exact
from rallypoint_sync.transport import DoubtfulError, UnreachableError
from rallypoint_sync.watching import News

from ..contract.battles import UNITS, edits, fought, is_out, skirmish, wounds
from .room import Page, Room, entry_of, token
from .served_page import Served, Server, running
from .test_commands import _prepared


class Table:
    """A battle, and a room that is linked over HTTP; the hub asks at the desk as another process would."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.room = Room()
        for unit in UNITS:
            self.room.items[unit] = token(unit, unit, {f"rallypoint-wounds-{unit}": 0})
        self.page = Page(self.room)
        self.line = Served(server, self.page)
        self.line.connect()
        self.desk = Desk(Place(server.doors.port, server.doors.desk_key))
        bindings = [
            Binding((wounds(unit),), Carrier(unit, tracker_path(f"rallypoint-wounds-{unit}")), Exact())
            for unit in UNITS
        ]
        self.battle = skirmish()
        self.ledger = Ledger(None, self.battle.history.entries[0].hash)
        self.ledger.bind("owlbear", {}, bindings)
        self.way = OwlbearTransport(self.desk, "scene-1", bindings)
        self.hub = Hub(self.battle, self.ledger, [self.way], holder="test", is_out=is_out)

    def shown(self, unit: str) -> object:
        return entry_of(self.room.items[unit], f"rallypoint-wounds-{unit}")["value"]


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Table]:
    with running(tmp_path) as server:
        yield Table(server)


def test_both_ways_through_the_desk(table: Table) -> None:
    table.hub.sync()
    table.room.set("u1", "rallypoint-wounds-u1", 2)
    for unit, value in (("u2", 1), ("u3", 3)):
        fought(table.battle, wounds(unit), value)
    done = table.hub.sync()
    assert edits(table.battle) == [("somebody at owlbear", "u1", "Wounds", 2)]
    assert [table.shown(unit) for unit in UNITS] == [2, 1, 3, 0]
    assert (len(done.done), table.room.calls) == (2, [["u2", "u3"]])
    assert table.hub.plan().is_empty


def test_an_edit_is_told_at_once(table: Table) -> None:
    heard: queue.Queue[list[str]] = queue.Queue()
    changes = table.way.changes()
    heard.put(list(next(changes)))

    def listen() -> None:
        heard.put(list(next(changes)))

    thread = threading.Thread(target=listen, daemon=True)
    thread.start()
    table.room.set("u1", "rallypoint-wounds-u1", 2)
    assert [heard.get(timeout=10), heard.get(timeout=10)] == [[], ["u1"]]
    thread.join(10)


def test_a_page_that_lost_its_stream_comes_back_and_goes_on(table: Table) -> None:
    table.line.disconnect()
    result: list[object] = []
    thread = threading.Thread(
        target=lambda: result.append(table.way.write("u1", {tracker_path("rallypoint-wounds-u1"): 2}))
    )
    thread.start()
    table.line.connect()
    thread.join(10)
    assert result == [{tracker_path("rallypoint-wounds-u1"): 2}]
    assert table.shown("u1") == 2


def test_a_page_that_does_not_answer_is_doubtful_at_the_desk_too(table: Table) -> None:
    table.page.faults = ["silent"]
    with pytest.raises(DoubtfulError):
        table.desk.ask("write", {"items": [{"id": "u1"}]}, scene="scene-1", seconds=0.05)


def test_nobody_in_the_room(tmp_path: Path) -> None:
    with running(tmp_path) as server:
        desk = Desk(Place(server.doors.port, server.doors.desk_key))
        with pytest.raises(UnreachableError) as error:
            desk.ask("snapshot wanted", {"items": []}, scene=None)
        assert (error.value.code, error.value.passing) == ("no_page", True)


def test_how_it_stands_is_the_same_at_the_desk(table: Table) -> None:
    assert table.desk.standing() == table.server.link.standing()
    table.desk.say(battle="first.battle", linked=4, of=4)
    assert table.server.link.status["battle"] == "first.battle"


def test_no_server_and_another_key(table: Table) -> None:
    (free, *others) = listening(0)
    port = free.getsockname()[1]
    for each in (free, *others):
        each.close()
    with pytest.raises(UnreachableError, match="does not run"):
        Desk(Place(port, "x")).standing()
    with pytest.raises(UnreachableError) as error:
        Desk(Place(table.server.doors.port, "x")).standing()
    assert error.value.code == "token"


def test_the_key_of_the_desk_is_for_its_user_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    with pytest.raises(UnreachableError, match="does not run"):
        find_desk(1234)
    path = keep_desk(Place(1234, "a key"))
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert find_desk(1234) == Place(1234, "a key")
    path.write_text("{")
    with pytest.raises(UnreachableError):
        find_desk(1234)


def test_a_server_that_ends_lets_go_of_who_waits() -> None:
    link = Link()
    assert list(zip(range(1), link.changes(), strict=False)) == [(0, ())]
    waiting = threading.Thread(target=lambda: list(link.changes()))
    waiting.start()
    link.close()
    waiting.join(10)
    assert not waiting.is_alive()


def test_a_watch_waits_for_a_server_and_takes_the_key_of_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    sockets, ended = listening(0), list[tuple[str, bool]]()
    port = sockets[0].getsockname()[1]
    desk = Desk(Place(port, "the key of an earlier one"), patient=True)
    for _ in range(2):
        doors = Doors(port)
        with served(Ready(Link(), doors, sockets, tmp_path, None, None)):
            ended.append(how_it_fails(desk.standing))
            kept = keep_desk(Place(port, doors.desk_key))
            assert list(zip(range(1), desk.changes(), strict=False)) == [(0, ())]
        ended.append(how_it_fails(desk.standing))
        kept.unlink()
        ended.append(how_it_fails(lambda: list(desk.changes())))
        sockets = listening(port)
    for each in sockets:
        each.close()
    gone = ("no_server", True)
    assert ended == 2 * [("token", True), gone, gone]
    with pytest.raises(UnreachableError, match=f"serve --port {port}"):
        find_desk(port)


def how_it_fails(call: Callable[[], object]) -> tuple[str, bool]:
    with pytest.raises(UnreachableError) as error:
        call()
    return error.value.code, error.value.passing


def test_what_nobody_hears_ends_no_watch(tmp_path: Path) -> None:
    (free, *others) = listening(0)
    desk = Desk(Place(free.getsockname()[1], "x"), patient=True)
    for each in (free, *others):
        each.close()
    battle = tmp_path / "first.battle"
    shutil.copy(_prepared() / "first.battle", battle)
    opened = open_battle(battle)
    with opened.battle, Ledger(ledger_path(battle), opened.battle.history.entries[0].hash) as ledger:
        Popover(RoomSeat(opened, ledger, desk))(News("away", vtt="owlbear"))


def test_a_page_that_asks_too_often_waits_and_says_all_of_it_in_one_body(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What many threads say while the first body is refused goes together, in its order, and nothing is lost."""
    (known,) = table.server.doors._tokens
    bodies, link = list[list[int]](), table.server.link
    hear, more = link.hear, list[threading.Thread]()
    take = known.rate.take

    def taking(number: int = 1) -> None:
        monkeypatch.undo()
        for unit in UNITS[1:]:
            more.append(threading.Thread(target=lambda uid=unit: table.page.say("link", item=uid, uid=uid)))
            more[-1].start()
        while len(table.page._waiting) < len(UNITS) - 1:
            threading.Event().wait(0.01)
        raise WireError(429, "rate", "too many requests: wait a second")

    def hearing(identity: str, messages: Iterable[Message]) -> Heard:
        said = [*messages]
        bodies.append([each.number for each in said])
        return hear(identity, said)

    monkeypatch.setattr(known.rate, "take", taking)
    link.hear = hearing  # type: ignore[method-assign]
    table.page.say("link", item=UNITS[0], uid=UNITS[0])
    for each in more:
        each.join(20)
    assert known.rate.take == take
    assert link.links() == {unit: unit for unit in UNITS}
    first = bodies[0][0]
    assert bodies == [[first], [*range(first + 1, first + len(UNITS))]]
