"""What went wrong for others in Owlbear Rodeo, by the number of the report, where the program has a part in it.

The others have their test elsewhere: O10 and O12 by hand, O17, O18, O33 and O38 at the library, O35 at https, O36 at wishes.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator

import pytest

from rallypoint.kernel.answers import PERSON, Answers
from rallypoint.kernel.battle import Battle
from rallypoint.kernel.changes import SetTracker
from rallypoint.kernel.state import Entity, State, Tracker
from rallypoint_owlbear.link.changes import band_path, tracker_path
from rallypoint_owlbear.link.link import Link
from rallypoint_owlbear.link.transport import OwlbearTransport
from rallypoint_owlbear.link.wire import CHUNK_ITEMS, body_of
from rallypoint_owlbear.stands import RECORD_KEY
from rallypoint_owlbear.trackers import TRACKERS_KEY
from rallypoint_sync.fields import Field
from rallypoint_sync.hub import Hub
from rallypoint_sync.ledger import Ledger
from rallypoint_sync.transport import UnreachableError

from ..contract.battles import Skirmish
from .room import Item, Page, entry_of, token
from .served_page import Server, running
from .test_commands import _prepared
from .test_link import WOUNDS, Table


def wounds(number: int) -> str:
    return tracker_path(f"rallypoint-wounds-u{number}")


def heard_by(page: Page) -> list[Item]:
    """All that a page is sent from now on."""
    told, found = page.told, list[Item]()

    def telling(data: str) -> None:
        found.append(body_of(data.encode()))
        told(data)

    page.told = telling  # type: ignore[method-assign]
    return found


def exported() -> list[Item]:
    path = _prepared() / "export" / "encounter.owlbear.json"
    found: list[Item] = json.loads(path.read_text())["tokens"]
    return found


# Data, writers, sync


def test_o1_o2_of_many_pages_that_hear_the_same_one_writes() -> None:
    table = Table()
    others = [table.tab(f"tab-{number}", role)[0] for number, role in ((2, "GM"), (3, "GM"), (4, "PLAYER"))]
    sent = [heard_by(each) for each in others]
    table.way.write("t1", {WOUNDS: 2})
    assert table.room.calls == [["t1"]]
    assert [each for heard in sent for each in heard if each["n"]] == []


def test_o3_each_token_gets_what_is_its_own() -> None:
    table = Table(3)
    table.way.write_all({"t1": {wounds(1): 1}, "t3": {wounds(3): 3}})
    shown = [table.shown(f"t{number}", f"rallypoint-wounds-u{number}") for number in (1, 2, 3)]
    records = [table.room.items[f"t{number}"]["metadata"][RECORD_KEY] for number in (1, 2, 3)]
    assert shown == [each["wounds"] for each in records] == [1, 0, 3]
    assert [each["uid"] for each in records] == ["u1", "u2", "u3"]


def test_o4_a_new_token_has_its_metadata_when_it_is_made() -> None:
    table = Table()
    table.way.place([token("new", "u9", {"rallypoint-wounds-u9": 1})])
    assert table.room.calls == [["new"]]
    assert table.room.items["new"]["metadata"][RECORD_KEY]["uid"] == "u9"


def test_o5_items_that_come_in_another_order_are_known_by_their_ids() -> None:
    table = Table(3)
    say = table.page.say

    def shuffled(kind: str, **keys: object) -> None:
        items = keys.get("items")
        say(kind, **keys | ({"items": items[::-1]} if isinstance(items, list) else {}))

    table.page.say = shuffled  # type: ignore[method-assign]
    found = table.way.write_all({f"t{number}": {wounds(number): number} for number in (1, 2, 3)})
    assert found == {f"t{number}": {wounds(number): number} for number in (1, 2, 3)}


def test_o7_two_tabs_of_one_gm_are_two_pages() -> None:
    table = Table()
    second, _ = table.tab("tab-2")
    assert (table.page.writer, second.writer, table.link.standing().pages) == (True, False, 2)


def test_o11_an_edit_is_checked_and_echoed_and_the_battle_is_what_holds() -> None:
    table, hub = in_step(2)
    table.room.set("t1", "rallypoint-wounds-u1", 2)
    table.room.set("t2", "rallypoint-wounds-u2", 99)
    done = hub.sync()
    assert hub.battle.state["u1"].value("Wounds") == 2
    assert [each.kind for each in done.plan.conflicts] == ["out_of_range"]
    assert hub.battle.state["u2"].value("Wounds") == 0


def in_step(tokens: int) -> tuple[Table, Hub]:
    table = Table(tokens)
    fields = [Field(f"u{number}", "Wounds") for number in range(1, tokens + 1)]
    state = State.of(Entity.new(each.uid, "unit", trackers={"Wounds": Tracker(0, 0, 3)}) for each in fields)
    battle = Battle.start(Skirmish(), state, Answers(PERSON))
    ledger = Ledger(None, battle.history.entries[0].hash)
    ledger.bind("owlbear", {}, table.bindings(tokens))
    hub = Hub(battle, ledger, [table.way], holder="test")
    hub.sync()
    return table, hub


@pytest.mark.parametrize("value", [{}, "2x", None, True, 2.5, [1]])
def test_o13_what_is_no_number_is_no_edit(value: object) -> None:
    table, hub = in_step(1)
    table.room.set("t1", "rallypoint-wounds-u1", value)
    hub.sync()
    assert hub.battle.state["u1"].value("Wounds") == 0


def test_o14_names_are_the_users_and_are_never_written() -> None:
    table = Table()
    sent = heard_by(table.page)
    table.room.change(lambda items: items["t1"].update(name="Grim Marine 2"))
    table.way.write("t1", {WOUNDS: 1})
    assert table.room.items["t1"]["name"] == "Grim Marine 2"
    changes = [each["items"] for each in sent if each["kind"] == "write"]
    assert [set(each) for items in changes for each in items] == [{"id", "trackers", "record"}]


# Limits


def test_o15_nothing_of_an_encounter_goes_into_the_rooms_metadata() -> None:
    """The room keeps 16 kB for all extensions: of what the program asks for nothing is written but items."""
    table = Table(3)
    sent = heard_by(table.page)
    table.way.read(["t1"])
    table.way.write("t1", {WOUNDS: 1})
    table.way.place([token("new", "u9", {})])
    table.link.say(roster=[{"uid": f"u{number}"} for number in range(1000)])
    asked = [each for each in sent if each["n"]]
    assert [each["kind"] for each in asked] == ["snapshot wanted", "write", "place"]
    assert all(set(each) == {"v", "n", "kind", "scene", "expires_ms", "items"} for each in asked)


def test_o16_a_whole_party_goes_in_portions() -> None:
    table = Table()
    table.way.place([token(f"n{number}", f"v{number}", {}) for number in range(50)])
    assert [len(call) for call in table.room.calls] == [CHUNK_ITEMS, CHUNK_ITEMS, 10]


def test_o19_a_value_that_changes_ten_times_is_written_once() -> None:
    table, hub = in_step(1)
    for value in (1, 2, 3, 2, 1, 2, 3, 2, 1, 2):
        hub.battle.edit("the rules", SetTracker("u1", "Wounds", value))
    hub.sync()
    assert table.room.calls == [["t1"]]
    assert table.shown("t1") == 2


# What is seen on the map


def test_o20_a_hidden_token_stays_hidden_and_nothing_is_drawn_beside_it() -> None:
    table = Table()
    table.room.items["t1"]["visible"] = False
    before = set(table.room.items)
    table.way.write("t1", {WOUNDS: 1})
    assert table.room.items["t1"]["visible"] is False
    assert set(table.room.items) == before


def test_o22_when_the_scene_goes_nothing_of_it_is_shown_in_the_next() -> None:
    table = Table()
    table.way.write("t1", {WOUNDS: 1})
    table.room.open("scene-2")
    with pytest.raises(UnreachableError):
        table.way.write("t1", {WOUNDS: 2})
    assert table.room.items == {}


def test_o23_what_is_ours_beside_a_token_goes_when_the_token_goes() -> None:
    for each in exported():
        first, *rest = each["items"]
        assert all(item["attachedTo"] == first["id"] for item in rest)


def test_o24_the_text_of_a_token_is_left_alone() -> None:
    table = Table()
    text = {"plainText": "Ada", "style": {"fontSize": 30}}
    table.room.items["t1"]["text"] = copy.deepcopy(text)
    table.way.write("t1", {WOUNDS: 1})
    assert table.room.items["t1"]["text"] == text


def test_o25_of_an_enemy_players_see_a_word_and_no_number_leaves_us() -> None:
    table = Table()
    item = table.room.items["t1"]
    item["metadata"] = {RECORD_KEY: {"v": 1, "uid": "u1", "rev": 1}, TRACKERS_KEY: []}
    sent = heard_by(table.page)
    table.way.write("t1", {band_path("u1"): "hurt"})
    (change,) = next(each["items"] for each in sent if each["kind"] == "write")
    assert change["record"] == {"bands": {"u1": "hurt"}, "rev": 2, "by": "kernel"}
    (entry,) = item["metadata"][TRACKERS_KEY]
    assert (entry["value"], entry["max"]) == (1, 2)


def test_o25_hidden_numbers_are_not_in_an_export_of_enemies() -> None:
    theirs = [each for each in exported() if each["uid"].startswith("blue.")]
    assert theirs
    for each in theirs:
        metadata = each["items"][0]["metadata"]
        assert TRACKERS_KEY not in metadata
        assert not {"stress", "wounds", "maxWounds"}.intersection(metadata[RECORD_KEY])


# Loading, localhost, embedding


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with running(tmp_path_factory.mktemp("reports")) as found:
        yield found


def test_o30_the_address_is_that_of_localhost(server: Server) -> None:
    assert server.doors.origin == f"http://localhost:{server.doors.port}"


@pytest.mark.parametrize("path", ["/manifest.json", "/popover.html"])
def test_o31_o32_nothing_is_kept_by_the_browser_and_the_room_may_read_the_manifest(server: Server, path: str) -> None:
    headers = server.client.get(path, headers={"origin": "https://www.owlbear.rodeo"}).headers
    assert headers["cache-control"] == "no-cache"
    assert headers.get("access-control-allow-origin") == ("*" if path == "/manifest.json" else None)


def test_o33_whose_a_token_is_the_page_says() -> None:
    for each in exported():
        assert not {"createdUserId", "lastModified", "zIndex"}.intersection(*map(set, each["items"]))


def test_o34_o39_the_room_may_frame_our_pages_and_they_are_told_who_may(server: Server) -> None:
    answer = server.client.get("/popover.html")
    assert answer.headers["content-security-policy"].endswith("frame-ancestors https://www.owlbear.rodeo")
    assert "x-frame-options" not in answer.headers
    assert server.client.get("/settings.json").json()["hosts"] == ["https://www.owlbear.rodeo"]


def test_o36_without_a_token_nobody_commands_the_table(server: Server) -> None:
    for path in ("/link/up", "/desk/ask", "/desk/picture"):
        answer = server.client.post(path, json={"v": 1}, headers={"authorization": "Bearer guessed"})
        assert (answer.status_code, "access-control-allow-origin" in answer.headers) == (401, False)


def test_o37_there_is_a_file_for_whoever_has_no_page() -> None:
    assert {each["uid"] for each in exported()} >= {"red.small-0A-2-1", "blue.small-0A-2-1"}


def test_o38_an_answer_that_says_nothing_is_read_again() -> None:
    table, hub = in_step(1)
    hub.battle.edit("the rules", SetTracker("u1", "Wounds", 2))
    table.page.faults = ["lost answer"]
    assert hub.sync().failed
    table.room.calls.clear()
    hub.sync()
    assert (table.room.calls, entry_of(table.room.items["t1"], "rallypoint-wounds-u1")["value"]) == ([], 2)


def test_o2_a_link_without_pages_writes_nothing() -> None:
    with pytest.raises(UnreachableError):
        OwlbearTransport(Link(), "scene-1", ()).write("t1", {WOUNDS: 1})
