"""The link and the transport over it: numbering, the lease, scenes, chunks. B numbers are reported faults of other tools."""

from __future__ import annotations

import copy
import threading
from typing import Any

import pytest

from rallypoint.kernel.answers import PERSON, Answers
from rallypoint.kernel.battle import Battle
from rallypoint.kernel.canonical import Value
from rallypoint.kernel.changes import SetTracker
from rallypoint.kernel.state import Entity, State, Tracker
from rallypoint_owlbear.link.changes import band_path, change_of, tracker_path
from rallypoint_owlbear.link.link import Link
from rallypoint_owlbear.link.room import LEASE, MOST_WAITING, Stream
from rallypoint_owlbear.link.transport import OwlbearTransport, all_ours
from rallypoint_owlbear.link.wire import CHUNK_BYTES, CHUNK_ITEMS, WireError, body_of, chunks, messages_of, text_of
from rallypoint_owlbear.stands import RECORD_KEY
from rallypoint_owlbear.trackers import LIMIT, TRACKERS_KEY
from rallypoint_sync.bindings import Binding, Carrier
from rallypoint_sync.fields import Field
from rallypoint_sync.hub import Hub
from rallypoint_sync.ledger import Ledger
from rallypoint_sync.lenses import Exact
from rallypoint_sync.transport import DoubtfulError, RefusedError, UnreachableError

from ..contract.battles import Skirmish
from .room import Direct, Item, Page, Room, entry_of, token

WOUNDS = tracker_path("rallypoint-wounds-u1")


class Table:
    """A room with tokens, a link whose time passes when somebody waits, and what happens meanwhile."""

    def __init__(self, tokens: int = 1) -> None:
        self.now = 0.0
        self.room = Room()
        for number in range(1, tokens + 1):
            self.room.items[f"t{number}"] = token(
                f"t{number}", f"u{number}", {f"rallypoint-wounds-u{number}": 0}, wounds=0
            )
        self.meanwhile: list[Any] = []
        self.link = Link(lambda: self.now, lambda _lock, seconds: self.wait(seconds))
        self.page, self.line = self.tab("tab-1")
        self.way = OwlbearTransport(self.link, "scene-1", self.bindings(tokens))

    def bindings(self, tokens: int) -> list[Binding]:
        return [
            Binding(
                (Field(f"u{number}", "Wounds"),),
                Carrier(f"t{number}", tracker_path(f"rallypoint-wounds-u{number}")),
                Exact(),
            )
            for number in range(1, tokens + 1)
        ]

    def tab(self, name: str, role: str = "GM") -> tuple[Page, Direct]:
        page = Page(self.room, name, role)
        line = Direct(self.link, page)
        line.connect()
        return page, line

    def wait(self, seconds: float) -> None:
        self.now += seconds
        for page in self.room.pages:
            page.say("lease")
        if self.meanwhile:
            self.meanwhile.pop(0)()

    def shown(self, name: str, entry: str = "rallypoint-wounds-u1") -> object:
        return entry_of(self.room.items[name], entry)["value"]


# Numbers, and what was missed


def test_a_page_that_comes_back_gets_what_it_missed() -> None:
    table = Table()
    table.line.stream.end()
    table.line.disconnect()
    table.meanwhile = [table.line.connect]
    assert table.way.write("t1", {WOUNDS: 2}) == {WOUNDS: 2}
    assert table.shown("t1") == 2


def test_a_request_that_was_heard_is_not_sent_a_second_time() -> None:
    table = Table()
    table.page.faults = ["lost answer"]
    table.meanwhile = [table.line.disconnect, table.line.connect]
    with pytest.raises(DoubtfulError):
        table.way.write("t1", {WOUNDS: 2})
    assert table.room.calls == [["t1"]]


def test_a_page_that_was_loaded_anew_gets_what_nobody_answered() -> None:
    table = Table()

    def loaded_anew() -> None:
        table.line.disconnect()
        table.room.pages.clear()
        table.now += LEASE
        table.tab("tab-9")

    table.way.read(["t1"])
    table.page.faults = ["lost request"]
    table.meanwhile = [loaded_anew]
    assert table.way.write("t1", {WOUNDS: 1}) == {WOUNDS: 1}


def test_nobody_there_is_unreachable_and_no_answer_is_doubtful() -> None:
    table = Table()
    table.page.faults = ["silent"]
    with pytest.raises(UnreachableError, match="did not answer"):
        table.way.read(["t1"])
    table.way.read(["t1"])
    table.page.faults = ["silent"]
    with pytest.raises(DoubtfulError):
        table.way.write("t1", {WOUNDS: 1})
    table.room.pages.clear()
    table.now += LEASE
    with pytest.raises(UnreachableError) as error:
        table.way.write("t1", {WOUNDS: 1})
    assert (error.value.code, error.value.passing) == ("no_page", True)


def test_a_page_that_goes_between_hearing_and_answering() -> None:
    table = Table()
    table.page.faults = ["lost request"]
    table.meanwhile = [table.line.disconnect]
    with pytest.raises(DoubtfulError):
        table.way.write("t1", {WOUNDS: 1})


def test_a_page_without_a_stream_was_sent_nothing() -> None:
    table = Table()
    table.way.read(["t1"])
    table.line.disconnect()
    table.page.line = table.line  # it speaks, and does not listen
    with pytest.raises(UnreachableError) as error:
        table.way.write("t1", {WOUNDS: 1})
    assert error.value.passing


def test_messages_that_are_sent_again_are_taken_once() -> None:
    table = Table()
    edited = {"m": 7, "kind": "edited", "scene": "scene-1", "items": [], "removed": ["t1"]}
    number, _ = table.link.changes_after(-1, 0)
    heard = [table.link.hear(*messages_of({"page": "tab-1", "messages": [edited]})) for _ in range(3)]
    assert heard == [(7, True)] * 3
    assert table.link.changes_after(number, 0) == (number + 1, (["t1"],))


def test_an_answer_that_comes_too_late_is_nobodys() -> None:
    table = Table()
    table.page.say("written", re=1, scene="scene-1", items=[], gone=[], failed=[])
    table.page.say("written", re=10**9, scene="scene-1", items=[], gone=[], failed=[])
    assert table.way.write("t1", {WOUNDS: 2}) == {WOUNDS: 2}


def test_busy_waits_longer() -> None:
    table = Table()
    begun = table.now
    table.way.read(["t1"])
    table.page.faults = ["lost request"]
    table.meanwhile = [lambda: table.page.say("busy", re=2, for_ms=30_000)]
    with pytest.raises(DoubtfulError):
        table.way.write("t1", {WOUNDS: 1})
    assert table.now - begun >= 30


def test_a_page_of_the_program_before_says_hello_again() -> None:
    with pytest.raises(WireError, match="hello"):
        Link().hear("tab-1", messages_of({"page": "tab-1", "messages": []})[1])


def test_a_stream_that_nobody_reads_ends_and_holds_no_more() -> None:
    stream = Stream()
    for number in range(1, 2 * MOST_WAITING):
        stream.put({"n": number, "kind": "write"})
    assert (stream.ended, len(stream.waiting) <= MOST_WAITING) == (True, True)


# The lease


def test_two_tabs_one_writes_and_the_other_takes_over() -> None:
    table = Table()
    second, _ = table.tab("tab-2")
    assert (table.page.writer, second.writer) == (True, False)
    table.way.write("t1", {WOUNDS: 1})
    assert (table.page.heard, second.heard) == (2, 0)  # a read and a write, to one of them
    table.room.pages.remove(table.page)
    table.now += LEASE
    second.say("lease")
    assert second.writer
    assert table.way.write("t1", {WOUNDS: 2}) == {WOUNDS: 2}
    table.page.say("lease")  # the first wakes up
    assert (table.page.writer, second.writer) == (False, True)


def test_a_player_never_writes() -> None:
    table = Table()
    player, _ = table.tab("phone", "PLAYER")
    table.room.pages.remove(table.page)
    table.now += LEASE
    player.say("lease")
    assert not player.writer
    assert table.link.standing().writer is None


def test_a_tab_of_another_room_is_told_so() -> None:
    table = Table()
    message = {"m": 1, "kind": "hello", "player": "gm", "name": "Warden", "role": "GM", "room": "r2"}
    with pytest.raises(WireError) as error:
        table.link.hear(*messages_of({"page": "tab-3", "messages": [message]}))
    assert (error.value.status, error.value.code) == (409, "room")


# Scenes


def test_b34_another_scene_is_never_taken_for_this_one() -> None:
    table = Table()
    table.room.open("scene-2")
    table.room.items["t1"] = token("t1", "u1", {"rallypoint-wounds-u1": 3})
    for call in (lambda: table.way.read(["t1"]), lambda: table.way.write("t1", {WOUNDS: 1})):
        with pytest.raises(UnreachableError) as error:
            call()
        assert (error.value.code, error.value.passing) == ("other_scene", False)
    assert table.shown("t1") == 3
    table.room.open("scene-1")
    assert table.way.read(["t1"]).seen == {"t1": {WOUNDS: 0}}


def test_b34_another_scene_is_not_even_asked() -> None:
    table = Table()
    table.room.open("scene-2")
    with pytest.raises(UnreachableError):
        table.way.read(["t1"])
    assert table.page.heard == 0


def test_b34_an_answer_out_of_another_scene_is_not_believed() -> None:
    table = Table()
    table.page.faults = ["silent"]
    other = token("t1", "u1", {"rallypoint-wounds-u1": 3})
    table.meanwhile = [lambda: table.page.say("snapshot", re=1, scene="scene-2", items=[other], gone=[])]
    with pytest.raises(UnreachableError, match="switched"):
        table.way.read(["t1"])


def test_whoever_watches_waits_until_the_scene_is_open_again() -> None:
    table = Table()
    table.room.open("scene-2")
    with pytest.raises(UnreachableError) as error:
        OwlbearTransport(table.link, "scene-1", (), patient=True).read([])
    assert error.value.passing


def test_b31_no_scene_may_pass() -> None:
    table = Table()
    table.room.open(None)
    with pytest.raises(UnreachableError) as error:
        table.way.read(["t1"])
    assert (error.value.code, error.value.passing) == ("no_scene", True)


def test_a_scene_that_is_switched_before_the_page_writes() -> None:
    table = Table()
    table.way.read(["t1"])
    table.room.scene = "scene-2"  # and nobody has told us yet
    table.room.scenes["scene-2"] = {"t1": token("t1", "u1", {"rallypoint-wounds-u1": 3})}
    with pytest.raises(UnreachableError):
        table.way.write("t1", {WOUNDS: 1})
    assert table.shown("t1") == 3


# Items


def test_b30_sixty_tokens_go_in_chunks() -> None:
    table = Table(60)
    documents: dict[str, dict[str, Value]] = {
        f"t{number}": {tracker_path(f"rallypoint-wounds-u{number}"): 2} for number in range(1, 61)
    }
    table.way.read(list(documents))
    outcomes = table.way.write_all(documents)
    assert outcomes == documents
    assert [len(call) for call in table.room.calls] == [CHUNK_ITEMS] * 3
    assert all(table.shown(f"t{number}", f"rallypoint-wounds-u{number}") == 2 for number in range(1, 61))


def test_a_chunk_that_is_lost_leaves_the_others_alone() -> None:
    table = Table(45)
    documents: dict[str, dict[str, Value]] = {
        f"t{number}": {tracker_path(f"rallypoint-wounds-u{number}"): 1} for number in range(1, 46)
    }
    table.way.read(list(documents))
    table.page.faults = ["lost request"]
    outcomes = table.way.write_all(documents)
    doubtful = [name for name, each in outcomes.items() if isinstance(each, DoubtfulError)]
    assert doubtful == [f"t{number}" for number in range(1, 21)]
    assert len(table.room.calls) == 2


def test_b02_a_page_that_goes_after_the_first_chunk_and_the_missing_ones_afterwards() -> None:
    table = Table(45)
    fields = [Field(f"u{number}", "Wounds") for number in range(1, 46)]
    battle = Battle.start(
        Skirmish(),
        State.of(Entity.new(each.uid, "unit", trackers={"Wounds": Tracker(0, 0, 3)}) for each in fields),
        Answers(PERSON),
    )
    ledger = Ledger(None, battle.history.entries[0].hash)
    ledger.bind("owlbear", {}, table.bindings(45))
    hub = Hub(battle, ledger, [table.way], holder="test")
    hub.sync()
    battle.edit("the rules", *[SetTracker(each.uid, "Wounds", 1) for each in fields])
    told = table.page.told

    def told_and_gone(data: str) -> None:
        told(data)
        if '"write"' in data:  # it has answered, and nobody says a word any more
            table.room.pages.clear()
            table.now += 2 * LEASE

    table.page.told = told_and_gone  # type: ignore[method-assign]
    done = hub.sync()
    assert (len(done.done), len(done.failed), list(done.away)) == (20, 25, [])
    table.page.told = told  # type: ignore[method-assign]
    table.room.pages.append(table.page)
    table.page.say("lease")
    table.room.calls.clear()
    assert len(hub.sync().done) == 25
    assert sorted(len(call) for call in table.room.calls) == [5, 20]
    assert hub.plan().is_empty


def test_a_chunk_is_small_in_bytes_too() -> None:
    items: list[dict[str, object]] = [{"id": "é" * 3000} for _ in range(20)]
    found = chunks(items)
    assert [each for chunk in found for each in chunk] == items
    assert all(len(text_of({"items": chunk}).encode()) <= CHUNK_BYTES + 20 for chunk in found)
    assert len(found) > 1


def test_one_undo_takes_back_the_record_with_the_tracker() -> None:
    table = Table()
    before = copy.deepcopy(table.room.items)
    table.way.write("t1", {WOUNDS: 2})
    record = table.room.items["t1"]["metadata"][RECORD_KEY]
    assert (record["wounds"], record["rev"], record["by"]) == (2, 2, "kernel")
    table.room.undo()
    assert table.room.items == before
    assert table.way.read(["t1"]).seen == {"t1": {WOUNDS: 0}}


def test_the_record_of_a_stand_says_its_units_and_their_sum() -> None:
    item = {
        "id": "t",
        "metadata": {RECORD_KEY: {"rev": 4, "units": [{"uid": "a", "wounds": 1}, {"uid": "b", "wounds": 2}]}},
    }
    change = change_of(item, {tracker_path("rallypoint-wounds-a"): 3, tracker_path("rallypoint-stress"): 7})
    assert change["record"] == {
        "stress": 7,
        "units": [{"uid": "a", "wounds": 3}],
        "wounds": 5,
        "rev": 5,
        "by": "kernel",
    }


def test_what_people_gave_a_tracker_and_what_is_of_others_stays() -> None:
    table = Table()
    item = table.room.items["t1"]
    entry_of(item, "rallypoint-wounds-u1").update(name="Ow", color=8, showOnMap=False)
    item["metadata"][TRACKERS_KEY].append({"id": "theirs", "variant": "checkbox", "color": 1, "checked": True})
    item["metadata"]["com.others/x"] = {"mine": 1}
    kept = copy.deepcopy(item)
    table.way.write("t1", {WOUNDS: 2})
    changed = table.room.items["t1"]
    entry_of(kept, "rallypoint-wounds-u1")["value"] = 2
    assert changed["metadata"][TRACKERS_KEY] == kept["metadata"][TRACKERS_KEY]
    assert changed["metadata"]["com.others/x"] == {"mine": 1}


def test_an_enemy_is_told_of_in_bands_and_no_number_leaves_us() -> None:
    table = Table()
    path = band_path("u1")
    item = table.room.items["t1"]
    item["metadata"][TRACKERS_KEY] = []
    sent: list[Item] = []
    told = table.page.told
    table.page.told = lambda data: (sent.append(body_of(data.encode())), told(data))[1]  # type: ignore[method-assign,func-returns-value]
    assert table.way.write("t1", {path: "hurt"}) == {path: "hurt"}
    (entry,) = item["metadata"][TRACKERS_KEY]
    assert (entry["id"], entry["value"], entry["max"]) == ("rallypoint-band-u1", 1, 2)
    (change,) = sent[-1]["items"]
    assert change["record"] == {"bands": {"u1": "hurt"}, "rev": 2, "by": "kernel"}


def test_bars_of_enemies_on_one_token_are_called_as_their_units() -> None:
    units = [{"uid": "u1", "code": "B-1A 1"}, {"uid": "u2", "code": "B-1A 2"}]
    item = {"id": "t", "metadata": {RECORD_KEY: {"uid": "team", "units": units}}}
    entries = change_of(item, {band_path("u2"): "hurt", band_path("u1"): "bad"})["trackers"]
    assert isinstance(entries, list)
    assert [(each["id"], each["new"]["name"]) for each in entries] == [
        ("rallypoint-band-u2", "B-1A 2"),
        ("rallypoint-band-u1", "B-1A 1"),
    ]


def test_a_band_is_a_word_and_nothing_else_of_an_item_is_ours() -> None:
    for path, value in ((band_path("u1"), 3), ("name", "x"), ("/metadata/com.others~1x/mine", 2), ("visible", False)):
        with pytest.raises(RefusedError, match="not ours"):
            change_of({"id": "t", "metadata": {}}, {path: value})


def test_a_thirteenth_tracker_is_not_made() -> None:
    table = Table()
    entries = table.room.items["t1"]["metadata"][TRACKERS_KEY]
    entries += [{"id": f"theirs-{number}", "variant": "value", "color": 1, "value": 1} for number in range(LIMIT - 1)]
    shown = table.way.write("t1", {band_path("u1"): "bad"})
    assert len(entries) == LIMIT
    assert shown == {band_path("u1"): "bad"}  # our record has it all the same


def test_opted_out_gone_and_copied() -> None:
    table = Table(3)
    table.room.items["t1"]["metadata"][RECORD_KEY]["optOut"] = True
    del table.room.items["t2"]
    table.room.items["t3b"] = {**copy.deepcopy(table.room.items["t3"]), "id": "t3b"}
    found = table.way.read(["t1", "t2", "t3"])
    assert found.opted_out == {"t1"}
    assert found.gone == {"t2"}
    assert found.copies == {"t3b": "t3"}


def test_a_token_that_is_gone_or_that_the_room_refuses() -> None:
    table = Table(2)
    table.way.read(["t1", "t2"])
    del table.room.items["t1"]
    with pytest.raises(RefusedError, match="not in the scene"):
        table.way.write("t1", {WOUNDS: 1})
    table.page.faults = ["refused"]
    with pytest.raises(RefusedError, match="the room says no"):
        table.way.write("t2", {tracker_path("rallypoint-wounds-u2"): 1})


def test_changes_tell_of_what_is_bound_alone() -> None:
    table = Table()
    changes = table.way.changes()
    assert list(next(changes)) == []
    table.room.change(lambda items: items.update(other=token("other", "u9", {})))
    table.room.set("t1", "rallypoint-wounds-u1", 2)
    assert list(next(changes)) == ["t1"]
    table.room.open("scene-2")
    assert list(next(changes)) == []


def test_placing_adds_what_is_not_there() -> None:
    table = Table()
    new = [token(f"n{number}", f"v{number}", {}) for number in range(25)]
    there, failed = table.way.place([*new, {**table.room.items["t1"], "name": "another"}])
    assert (len(there), failed) == (26, {})
    assert table.room.items["t1"]["name"] == "u1"
    assert len(all_ours(table.link, "scene-1")) == 26


def test_a_link_by_hand_is_told() -> None:
    table = Table()
    table.page.say("link", item="t1", uid="u7")
    table.page.say("link", item="t2", uid=None)
    seen = table.link.links()
    assert seen == {"t1": "u7", "t2": None}
    table.page.say("link", item="t1", uid="u8")  # the GM has thought better of it while it was being bound
    table.link.forget_links(seen)
    assert table.link.links() == {"t1": "u8"}


def test_status_goes_to_every_page_and_to_one_that_comes_later() -> None:
    table = Table()
    table.link.say(battle="first.battle", linked=3, of=5)
    later, _ = table.tab("tab-2", "PLAYER")
    assert [(page.status["battle"], page.status["linked"]) for page in (table.page, later)] == [("first.battle", 3)] * 2


def test_one_thread_adds_to_a_stream_while_another_sends() -> None:
    stream, sent, done = Stream(), list[str](), threading.Event()

    def send() -> None:
        while not done.is_set():
            sent.extend(stream.texts())

    sender = threading.Thread(target=send)
    sender.start()
    try:
        for number in range(1, 20_001):
            stream.put({"n": 0, "kind": "status", "number": number})
            if number % 100 == 0:
                stream.put({"n": number, "kind": "write"})
    finally:
        done.set()
        sender.join(20)
    sent.extend(stream.texts())
    numbers = [int(text.split()[1]) for text in sent if text.startswith("id: ")]
    assert numbers == sorted(set(numbers))  # each once, in order
    assert stream.ended or numbers == list(range(100, 20_001, 100))
