"""How the page comes to the program and back: pairing, tabs, a program that ends, a page that nobody should have framed.

O numbers are failures that others met in Owlbear Rodeo, B numbers reported faults of tools like this one.
"""

from __future__ import annotations

import threading
from base64 import b64encode

import pytest

from rallypoint_owlbear.link.doors import OWLBEAR
from rallypoint_owlbear.link.room import Stream
from rallypoint_owlbear.link.wire import WireError

from .browser import Frame, Room
from .program import Edits, Program
from .table import QUICK, Table, messages_of
from .tokens import token


def test_nothing_is_asked_of_the_program_without_the_right_code(room: Room, program: Program) -> None:
    room.expected_errors = ["/link/pair"]
    warden = room.enter(program)
    warden.until_it_stands(link="unpaired", error=None)
    wrong = f"{(int(program.doors.code) + 1) % 10**6:06d}"
    warden.wish({"do": "pair", "code": wrong})
    assert "not the code" in warden.until_it_stands(link="wrong code")["error"]
    assert program.link.standing().pages == 0
    code = program.doors.code
    warden.wish({"do": "pair", "code": f"{code[:3]} {code[3:]}"})
    assert warden.until_it_stands(link="linked", writer=True)["error"] is None
    standing = program.link.standing()
    assert (standing.writer, standing.room, standing.pages) == ("Warden", "room-1", 1)


def test_a_second_tab_and_a_page_loaded_anew_need_no_code(room: Room, program: Program) -> None:
    """O7, O15: what lasts is in the storage of the browser, in no metadata of a player or of the room."""
    warden = room.enter(program)
    warden.pair(program)
    second = room.enter(program)
    second.until_it_stands(link="linked", writer=False)
    warden.leave()
    second.leave()
    room.enter(program).until_it_stands(link="linked")
    assert not [each for each in room.seen()["log"] if "METADATA" in each["id"] and "SCENE" not in each["id"]]


def test_tabs_tell_each_other_the_token_where_storage_is_closed(room_without_storage: Room, program: Program) -> None:
    room = room_without_storage
    room.enter(program).pair(program)
    room.enter(program).until_it_stands(link="linked", writer=False)


def test_a_line_that_was_cut_is_mended(room: Room, program: Program) -> None:
    """O33: while the program is away the page says so, and comes back by itself."""
    room.expected_errors = ["/link/"]
    table = Table(room, program, [token("u1")])
    doors = program.doors
    program.stop()
    assert table.tab.until_it_stands(link="no program", writer=False)["againMs"] > 0
    program.start(doors)
    assert table.linked() == table.scene
    table.set(("u1", 2))
    assert table.shown() == {"u1": 2}


def test_a_program_that_was_started_anew_asks_for_its_new_code(room: Room, program: Program) -> None:
    room.expected_errors = ["/link/"]
    table = Table(room, program, [token("u1")])
    other = room.enter(program)
    other.until_it_stands(link="linked")
    table.set(("u1", 1))
    program.stop()
    program.start()
    listened: list[int] = []
    listen = program.link.listen

    def listening(identity: str, last: int, stream: Stream) -> None:
        listened.append(last)
        listen(identity, last, stream)

    program.link.listen = listening  # type: ignore[method-assign]
    table.tab.pair(program)
    other.until_it_stands(link="linked")  # the GM has typed it once
    table.linked()
    table.set(("u1", 3))  # the program counts from 1 again: it is no old request
    assert table.shown() == {"u1": 3}
    assert set(listened) == {0}  # and nothing of it was heard before


def test_a_page_that_the_program_forgot_says_hello_again(room: Room, program: Program) -> None:
    room.expected_errors = ["/link/"]
    table = Table(room, program, [token("u1")])
    link = program.link
    link.pages.by_id.pop(table.tab.client)  # the stream is still there: what is said next is refused
    assert table.linked() == table.scene
    table.set(("u1", 1))
    assert table.shown() == {"u1": 1}


def test_a_page_that_asks_too_often_waits_and_loses_no_click(room: Room, program: Program) -> None:
    """What is said while the program takes nothing waits; the link stands meanwhile, so that clicks are taken."""
    room.expected_errors = ["/link/up"]
    table = Table(room, program, [token("u1")])
    heard = messages_of(program, "set", "hello")
    refused = threading.Semaphore(0)
    full = threading.Event()
    rate = program.doors._tokens[-1].rate
    take = rate.take

    def taking(number: int = 1) -> None:
        if full.is_set():
            refused.release()
            raise WireError(429, "rate", "too many requests: wait a second")
        take(number)

    rate.take = taking  # type: ignore[method-assign]
    click = {"kind": "set", "uid": "u1", "field": "wounds", "was": 0}
    full.set()
    table.tab.wish({"do": "say", "message": {**click, "value": 1, "click": "one"}})
    assert refused.acquire(timeout=20)
    table.tab.wish({"do": "say", "message": {**click, "value": 2, "click": "two"}})
    room.call("type", "u1", "rallypoint-wounds-u1", 3)
    standing = table.tab.standing()
    assert (standing["link"], standing["error"]) == ("linked", None)
    assert refused.acquire(timeout=20)  # it tries again, and is refused again
    edits = Edits(program.link)
    full.clear()
    assert [heard.get(timeout=20).body["click"] for _ in range(2)] == ["one", "two"]
    assert edits.items() == ["u1"]
    table.set(("u1", 2))
    assert heard.empty()  # neither came twice, and it was linked all the time


READABLE = """async (base) => {
    const post = { method: "POST", headers: { "Content-Type": "application/json" }, body: '{"v":1,"code":"000000"}' };
    const asked = [["/manifest.json"], ["/settings.json"], ["/link/events?page=a"], ["/link/pair", post], ["/link/up", post]];
    const read = async ([path, how]) => fetch(base + path, how).then((it) => it.text()).then(() => path, () => null);
    return (await Promise.all(asked.map(read))).filter((path) => path !== null);
}"""
"""O28: what of the program a page of another origin can read."""


@pytest.mark.usefixtures("short_lease")
def test_pages_of_another_room_wait_until_this_one_is_closed(quick_room: Room, program: Program) -> None:
    room = quick_room
    room.expected_errors = ["/link/"]
    first = room.enter(program)
    first.pair(program)
    room.run("() => { room.id = 'room-2' }")
    second = room.enter(program)
    second.until_it_stands(link="other room")
    first.leave()
    second.until_it_stands(link="linked", writer=True)
    assert program.link.standing().room == "room-2"


def test_a_players_page_does_nothing_but_say_so(room: Room, program: Program) -> None:
    room.open_scene(items=[token("u1")])
    room.enter(program).pair(program)
    player = room.enter(program, role="PLAYER", name="Ann")
    player.until_it_stands(link="player")
    player.wish({"do": "pair", "code": program.doors.code})
    player.until_it_stands(link="player", writer=False)
    assert program.link.standing().pages == 1
    asked = {each["id"] for each in room.seen()["log"] if each["client"] == player.client}
    assert asked == {
        "OBR_PLAYER_GET_CONNECTION_ID",
        "OBR_PLAYER_GET_ROLE",
        "OBR_PLAYER_GET_NAME",
        "OBR_PLAYER_SUBSCRIBE",
    }


@pytest.mark.usefixtures("short_lease")
def test_somebody_who_is_made_a_player_leaves_and_one_who_is_made_gm_comes(quick_room: Room, program: Program) -> None:
    room = quick_room
    room.open_scene(items=[token("u1")])
    first, second = room.enter(program), room.enter(program, role="PLAYER", name="Ann")
    first.pair(program)
    second.until_it_stands(link="player")
    room.call("setRole", second.client, "GM")
    room.call("setRole", first.client, "PLAYER")
    first.until_it_stands(link="player", writer=False)
    second.until_it_stands(link="linked", writer=True)
    assert program.link.standing().writer == "Ann"


def test_a_site_that_plays_the_room_is_not_answered(quick_room: Room, program: Program) -> None:
    """O39: it frames us, names itself in our address, and speaks as the SDK expects; the program has not heard of it."""
    program.doors.frames = (OWLBEAR,)
    page = quick_room.enter(program)
    quick_room.expected_errors = ["CORS", "/link/", "/settings.json", "403"]
    assert quick_room.run(READABLE, program.base) == ["/manifest.json"]
    page.background.until("() => document.body.textContent.includes('room of Owlbear Rodeo')")
    assert quick_room.seen()["log"] == []
    assert program.link.standing().pages == 0


@pytest.mark.parametrize(
    "origin", ["https://owlbear.example", "http://127.0.0.1:9", "", "https://www.owlbear.rodeo.evil.example"]
)
def test_a_frame_of_another_site_does_nothing(quick_room: Room, program: Program, origin: str) -> None:
    """O39: the SDK believes the origin in our own address."""
    ref = b64encode(f"{origin} room-1".encode()).decode()
    page = quick_room.enter(program, ref=ref)
    page.background.until("() => document.body.textContent.includes('room of Owlbear Rodeo')")
    assert quick_room.seen()["log"] == []
    assert program.link.standing().pages == 0


def test_a_page_that_is_framed_by_nobody_says_so_after_five_seconds(quick_room: Room, program: Program) -> None:
    """O30, O39: though its address names a room, as that of somebody who opens the frame in a tab does."""
    alone = Frame(quick_room.browser, quick_room.browser.do("open", scripts=[QUICK]))
    ref = b64encode(f"{quick_room.browser.origin} room-1".encode()).decode()
    alone.run("(url) => { location = url }", f"{program.base}/background.html?obrref={ref}")
    alone.until("() => document.body?.textContent.includes('room of Owlbear Rodeo')")
    assert program.link.standing().pages == 0
    quick_room.browser.do("close", page=alone.page)


def test_a_room_that_is_late(quick_room: Room, program: Program) -> None:
    """O30: after 5 seconds the page says that it hears no room; when that comes after all, it works."""
    quick_room.faults(readyMs=9000)
    warden = quick_room.enter(program)
    warden.background.until("() => document.body.textContent.includes('room of Owlbear Rodeo')")
    warden.pair(program)
    assert warden.background.run("() => document.body.textContent") == ""


def test_a_menu_of_tokens_that_the_room_does_not_answer_for_is_offered_again(
    quick_room: Room, program: Program
) -> None:
    """A room that is slow took it away for good, and the page logged an error."""
    room = quick_room
    room.faults(silent={"OBR_CONTEXT_MENU_CREATE": "before"})
    room.enter(program).pair(program)
    room.until("() => room.log.filter((each) => each.id === 'OBR_CONTEXT_MENU_CREATE').length >= 2")
    room.faults(silent={})
    room.until("() => room.menus.has('io.github.rallypoint/link')")
