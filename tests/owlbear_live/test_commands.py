"""The commands from end to end: a battle of two sides, its export, a room linked over HTTP."""

from __future__ import annotations

import json
import math
import shutil
import threading
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import pytest

from rallypoint.kernel.changes import SetPlace, SetTracker
from rallypoint.kernel.parts import Hex
from rallypoint.kernel.plugins.opening import open_battle
from rallypoint_owlbear.link.commands.group import COMMANDS
from rallypoint_owlbear.link.desk import Place, keep_desk
from rallypoint_owlbear.link.encounters import Encounters
from rallypoint_owlbear.stands import RECORD_KEY
from rallypoint_owlbear.trackers import TRACKERS_KEY
from rallypoint_sync.watching import Watch

from ..cli.battles import ROSTER, SCENARIO, Said, said, say
from .room import Item, Page, Room, entry_of
from .served_page import Served, Server, running

OURS, THEIRS = "red.small-0A-2-1", "blue.small-0A-2-1"


@cache
def _prepared() -> Path:
    folder = Path(mkdtemp(prefix="rallypoint-owlbear-"))
    (folder / "small.md").write_text(ROSTER, encoding="utf-8")
    (folder / "fight.toml").write_text(SCENARIO, encoding="utf-8")
    said("battle", "new", str(folder / "fight.toml"), "-o", str(folder / "first.battle"), "--seed", "7")
    said("export", "owlbear", str(folder / "fight.toml"), "-o", str(folder / "export"), "--tokens", "unit")
    return folder


class Play:
    """One battle before one room."""

    def __init__(self, folder: Path, server: Server) -> None:
        shutil.copy(_prepared() / "first.battle", folder / "first.battle")
        self.battle, self.export = folder / "first.battle", _prepared() / "export" / "encounter.owlbear.json"
        self.server = server
        self.port = server.doors.port
        self.room = Room()
        self.page = Page(self.room)
        self.line = Served(server, self.page)
        keep_desk(Place(self.port, server.doors.desk_key))

    def say(self, command: str, *arguments: str) -> Said:
        return say("owlbear", command, *arguments, "--port", str(self.port))

    def at(self, command: str, *arguments: str) -> Said:
        """Run a command for the battle; none waits."""
        patience = ["--patience", "0"] if command in ("plan", "sync", "conflicts") else []
        return self.say(command, str(self.battle), *arguments, *patience)

    def ready(self) -> Play:
        """Linked, placed, bound and synced."""
        self.line.connect()
        assert self.say("place", str(self.export)).status == 0
        done = self.at("bind")
        assert done.status == 0, done
        assert self.at("sync").status == 0
        self.room.calls.clear()
        return self

    def token(self, uid: str) -> Item:
        (found,) = [each for each in self.room.items.values() if each["metadata"].get(RECORD_KEY, {}).get("uid") == uid]
        return found

    def shown(self, uid: str) -> Any:
        return entry_of(self.token(uid), f"rallypoint-wounds-{uid}")["value"]

    def fought(self, uid: str, value: int) -> None:
        with open_battle(self.battle).battle as battle:
            battle.edit("the rules", SetTracker(uid, "Wounds", value))

    def value(self, uid: str) -> int:
        with open_battle(self.battle).battle as battle:
            return battle.state[uid].value("Wounds")


@pytest.fixture
def play(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Play]:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    with running(tmp_path) as server:
        yield Play(tmp_path, server)


def test_there_and_back(play: Play) -> None:
    play.ready()
    play.room.set(play.token(OURS)["id"], f"rallypoint-wounds-{OURS}", 1)
    other = "red.small-1A-1-1"
    play.fought(other, 1)
    done = play.at("sync")
    assert (done.status, play.value(OURS), play.shown(other)) == (0, 1, 1)
    assert "1 written, 0 failed, 1 taken, 0 in conflict" in done.out
    assert play.at("plan").status == 0
    assert play.room.calls == [[play.token(other)["id"]]]


def test_placed_tokens_stand_on_the_hexes_of_the_scene(play: Play) -> None:
    play.ready()
    told = {each["uid"]: each["hex"] for each in json.loads(play.export.read_text())["tokens"]}
    assert len(told) > 4
    for uid, place in told.items():
        q, r = place["q"], place["r"]
        point = {"x": round(150 * (q + r / 2)), "y": round(150 * math.sqrt(3) / 2 * r - 43.301)}
        assert play.token(uid)["position"] == point
    before = len(play.room.items)
    assert play.say("place", str(play.export)).status == 0
    assert len(play.room.items) == before  # nobody is placed twice


def test_of_enemies_no_number_is_in_the_room(play: Play) -> None:
    play.ready()
    play.fought(THEIRS, 1)
    assert play.at("sync").status == 0
    item = play.token(THEIRS)
    assert [each["id"] for each in item["metadata"][TRACKERS_KEY]] == [f"rallypoint-band-{THEIRS}"]
    record = item["metadata"][RECORD_KEY]
    assert record["bands"][THEIRS] in ("hurt", "bad")
    assert not {"wounds", "stress", "maxWounds"}.intersection(record)


def test_a_band_that_somebody_edits_is_put_right(play: Play) -> None:
    play.ready()
    record = play.token(THEIRS)["metadata"][RECORD_KEY]
    record["bands"] = {THEIRS: "bad"}
    assert play.at("sync").status == 0
    assert play.token(THEIRS)["metadata"][RECORD_KEY]["bands"] == {THEIRS: "unhurt"}
    assert play.value(THEIRS) == 0


def test_a_conflict_is_listed_and_resolved(play: Play) -> None:
    play.ready()
    play.room.set(play.token(OURS)["id"], f"rallypoint-wounds-{OURS}", 2)
    play.fought(OURS, 1)
    assert play.at("sync").status == 1
    listed = play.at("conflicts")
    assert (listed.status, "1 open" in listed.out) == (1, True)
    assert play.page.status["conflicts"][0]["ours"] == "1"
    assert play.at("conflicts", OURS, "--take", "owlbear").status == 0
    assert play.at("sync").status == 0
    assert (play.value(OURS), play.shown(OURS)) == (2, 2)


def test_the_popover_is_told_how_the_battle_stands(play: Play) -> None:
    play.ready()
    told = play.page.status
    assert (told["battle"], told["error"], told["conflicts"]) == ("first.battle", None, [])
    row = next(each for each in told["roster"] if each["uid"] == OURS)
    assert (row["item"], row["wounds"], row["side"]) == (play.token(OURS)["id"], 0, "red")


def test_b34_another_scene_gets_nothing(play: Play) -> None:
    play.ready()
    play.room.open("scene-2")
    play.fought(OURS, 1)
    done = play.at("sync")
    assert (done.status, "another scene" in done.err) == (3, True)
    assert play.room.items == {}
    play.room.open("scene-1")
    assert play.at("sync").status == 0
    assert play.shown(OURS) == 1


def test_a_dry_run_changes_nothing(play: Play) -> None:
    play.line.connect()
    assert play.say("place", str(play.export), "--dry-run").status == 0
    assert play.room.items == {}
    play.ready()
    play.fought(OURS, 1)
    assert play.at("sync", "--dry-run").status == 0
    assert play.shown(OURS) == 0
    assert play.at("unbind", "--dry-run").status == 0
    assert json.loads(play.at("status", "--json").out)["tokens"] > 4


def test_pause_and_resume(play: Play) -> None:
    play.ready()
    assert play.at("pause").status == 0
    play.fought(OURS, 1)
    assert "Paused" in play.at("sync").out
    assert play.shown(OURS) == 0
    assert play.at("resume").status == 0
    assert play.at("sync").status == 0
    assert play.shown(OURS) == 1


def test_a_dragged_token_is_a_proposal(play: Play) -> None:
    play.ready()
    told = {each["uid"]: each["hex"] for each in json.loads(play.export.read_text())["tokens"]}
    with open_battle(play.battle).battle as battle:
        battle.edit("the rules", SetPlace(OURS, Hex(**told[OURS], facing=0)))
    assert play.at("bind", "--places").status == 0
    assert play.at("sync").status == 0
    item = play.token(OURS)["id"]
    before = play.token(OURS)["position"]
    play.room.change(lambda items: items[item].update(position={"x": before["x"] + 160, "y": before["y"] + 9}))
    done = play.at("sync")
    assert (done.status, "it counts when the move is taken" in done.out) == (1, True)
    assert play.at("conflicts", OURS, "place", "--take", "battle").status == 0
    assert play.at("sync").status == 0
    assert play.token(OURS)["position"] == before


def test_a_token_of_the_gms_own_is_linked_by_hand(play: Play) -> None:
    play.ready()
    for name in ("own", "enemy"):
        play.room.items[name] = {"id": name, "name": name, "position": {"x": 0, "y": 0}, "metadata": {"com.x/y": 1}}
    play.room.change(lambda items: items.__delitem__(play.token(OURS)["id"]))
    play.page.say("link", item="own", uid=OURS)
    play.page.say("link", item="enemy", uid="nobody at all")
    done = play.at("bind")
    assert (done.status, "not linked: enemy" in done.err) == (0, True)
    assert play.at("sync").status == 0
    play.fought(OURS, 1)
    assert play.at("sync").status == 0
    assert (play.token(OURS)["id"], play.shown(OURS)) == ("own", 1)
    assert play.room.items["own"]["metadata"]["com.x/y"] == 1
    play.room.set("own", f"rallypoint-wounds-{OURS}", 0)
    assert play.at("sync").status == 0
    assert play.value(OURS) == 0


def test_nobody_in_the_room_and_nothing_bound(play: Play) -> None:
    done = play.at("bind", "--json")
    assert (done.status, json.loads(done.out)["code"]) == (3, "no_page")
    assert play.at("status").status == 3
    play.line.connect()
    done = play.at("sync")
    assert (done.status, "nothing of this battle is bound" in done.err) == (2, True)
    assert "bind" in done.err


def test_without_a_server_it_says_how_to_start_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    done = say("owlbear", "place", str(_prepared() / "export" / "encounter.owlbear.json"))
    assert (done.status, "rallypoint owlbear serve" in done.err) == (3, True)


@pytest.mark.parametrize(
    "content", ["", "[]", '{"format": "x", "tokens": []}', '{"format": "rallypoint.owlbear.encounter"}']
)
def test_a_file_that_is_none(play: Play, tmp_path: Path, content: str) -> None:
    play.line.connect()
    path = tmp_path / "x.json"
    path.write_text(content)
    assert play.say("place", str(path)).status == 2
    assert play.room.items == {}


@pytest.mark.parametrize(
    ("name", "words"), [("nope.json", "there is no such file"), ("fight.toml", "rallypoint export owlbear")]
)
def test_what_is_no_export_says_how_to_make_one(play: Play, tmp_path: Path, name: str, words: str) -> None:
    play.line.connect()
    (tmp_path / "fight.toml").write_text(SCENARIO)
    done = play.say("place", str(tmp_path / name))
    assert (done.status, words in done.err, "Errno" in done.err) == (2, True, False)


def test_bind_before_anything_is_placed_says_to_place(play: Play) -> None:
    play.line.connect()
    done = play.at("bind")
    assert (done.status, "rallypoint owlbear place" in done.out, done.out.count("no token")) == (1, True, 0)
    assert "(1 page)" in play.at("status").out


def test_another_scene_is_told_in_words_and_not_by_ids(play: Play) -> None:
    play.ready()
    play.room.scene = "scene-2"
    play.page.hello()
    done = play.at("sync")
    assert "another scene is open than the one that is bound" in done.err
    assert "scene-2" not in done.err


def test_serve_without_the_extension_says_what_is_missing(tmp_path: Path) -> None:
    done = say("owlbear", "serve", "--port", "0", "--bundle", str(tmp_path))
    assert (done.status, "the extension is not there" in done.err) == (2, True)


def test_serve_without_its_pictures_does_not_begin(tmp_path: Path) -> None:
    done = say("owlbear", "serve", "--port", "0", "--pictures", str(tmp_path / "nope"))
    assert (done.status, "does not exist" in done.err) == (2, True)


def test_watch_takes_an_edit_and_writes_a_change_by_itself(play: Play, monkeypatch: pytest.MonkeyPatch) -> None:
    play.ready()
    begun, watches = threading.Event(), []

    class Seen(Watch):
        def run(self) -> None:
            watches.append(self)
            begun.set()
            super().run()

    monkeypatch.setattr("rallypoint_owlbear.link.commands.battle.Watch", Seen)
    ended: list[Said] = []
    thread = threading.Thread(target=lambda: ended.append(play.at("watch", "--json")), daemon=True)
    thread.start()
    assert begun.wait(20)
    written, taken = threading.Event(), threading.Event()
    told = play.page.told

    def telling(data: str) -> None:
        told(data)
        body = json.loads(data)
        if body["kind"] == "write":
            written.set()
        if any(row["uid"] == OURS and row["wounds"] == 1 for row in body.get("roster", ())):
            taken.set()

    play.page.told = telling  # type: ignore[method-assign]
    play.room.set(play.token(OURS)["id"], f"rallypoint-wounds-{OURS}", 1)
    assert taken.wait(20)
    assert play.value(OURS) == 1
    play.fought("red.small-1A-1-1", 1)
    assert written.wait(20)
    watches[0].stop()
    thread.join(20)
    assert play.shown("red.small-1A-1-1") == 1
    assert [each.status for each in ended] == [0]


def test_each_command_has_an_example_and_is_imported_alone() -> None:
    for name in COMMANDS:
        done = say("owlbear", name, "--help")
        assert f"Example: rallypoint owlbear {name}" in " ".join(done.out.split())
    assert say("owlbear", "servve").status == 2


def test_place_counts_what_it_placed_and_what_was_there(play: Play) -> None:
    play.line.connect()
    assert play.say("place", str(play.export), "--dry-run").out.endswith(
        "12 tokens: 12 would be placed, 0 there already, 0 failed\n"
    )
    assert play.say("place", str(play.export)).out.endswith("12 tokens: 12 placed, 0 there already, 0 failed\n")
    for uid in (OURS, THEIRS):
        play.room.items.pop(play.token(uid)["id"])
    again = play.say("place", str(play.export), "--json").document
    assert (again["placed"], again["there_already"], again["not_placed"]) == (2, 10, 0)
    assert play.say("place", str(play.export)).out.endswith("12 tokens: 0 placed, 12 there already, 0 failed\n")
    ours = play.token(OURS)["id"]
    play.room.items.pop(ours)
    place = play.page._place
    play.page._place = lambda number, new: place(number, [each for each in new if each["id"] != ours])  # type: ignore[method-assign]
    done = play.say("place", str(play.export))
    assert (done.status, done.out.splitlines()[-1]) == (1, "12 tokens: 0 placed, 11 there already, 1 failed")


@pytest.mark.parametrize("clicked", [False, True], ids=["by the command", "in the popover"])
def test_a_token_that_was_deleted_and_placed_again_unseen_takes_the_battles_values(play: Play, clicked: bool) -> None:
    """No sync has seen it gone: what it shows from the old export looked like an edit, and the battle took it."""
    encounters = Encounters(play.server.link, [play.export])
    play.ready()
    play.fought(OURS, 1)
    assert play.at("sync").status == 0
    ours, before = play.token(OURS)["id"], len(entries(play))
    play.room.change(lambda items: items.__delitem__(ours))
    if clicked:
        (name,) = encounters.offered
        encounters.place(name)
    else:
        assert play.say("place", str(play.export)).status == 0
    assert (play.token(OURS)["id"], play.shown(OURS)) == (ours, 0)
    done = play.at("sync")
    assert (done.status, play.shown(OURS), play.value(OURS), len(entries(play))) == (0, 1, 1, before), done
    play.room.set(ours, f"rallypoint-wounds-{OURS}", 2)  # from now on it is edited as any other
    assert (play.at("sync").status, play.value(OURS)) == (0, 2)


def test_a_deletion_that_is_undone_and_an_edit_that_is_undone_are_no_placing(play: Play) -> None:
    play.ready()
    play.fought(OURS, 1)
    assert play.at("sync").status == 0
    ours = play.token(OURS)["id"]
    play.room.change(lambda items: items.__delitem__(ours))
    play.room.undo()
    play.room.set(ours, f"rallypoint-wounds-{OURS}", 2)
    assert (play.at("sync").status, play.value(OURS)) == (0, 2)
    play.room.undo()
    assert (play.at("sync").status, play.value(OURS)) == (0, 1)


def test_what_somebody_typed_into_a_token_that_an_undo_brought_back_is_not_lost(play: Play) -> None:
    """A sync has seen it gone, and the battle goes on: the number in it was overwritten without a word."""
    play.ready()
    play.fought(OURS, 1)
    assert play.at("sync").status == 0
    ours, before = play.token(OURS)["id"], len(entries(play))
    play.room.change(lambda items: items.__delitem__(ours))
    assert play.at("sync").status == 0
    play.room.undo()
    play.room.set(ours, f"rallypoint-wounds-{OURS}", 2)
    for _ in range(2):  # it is kept, whoever looks, until somebody says what holds
        assert (play.at("sync").status, play.value(OURS), play.shown(OURS), len(entries(play))) == (1, 1, 2, before)
    assert "1 open" in play.at("conflicts").out
    assert play.at("conflicts", OURS, "Wounds", "--take", "owlbear").status == 0
    assert (play.at("sync").status, play.value(OURS), play.shown(OURS)) == (0, 2, 2)


def test_a_token_that_an_undo_brought_back_as_it_was_takes_the_battles_values(play: Play) -> None:
    play.ready()
    ours = play.token(OURS)["id"]
    play.room.change(lambda items: items.__delitem__(ours))
    assert play.at("sync").status == 0
    play.fought(OURS, 1)
    play.room.undo()
    assert (play.at("sync").status, play.value(OURS), play.shown(OURS)) == (0, 1, 1)
    play.room.set(ours, f"rallypoint-wounds-{OURS}", 2)
    assert (play.at("sync").status, play.value(OURS)) == (0, 2)


def entries(play: Play) -> list[object]:
    with open_battle(play.battle).battle as battle:
        return list(battle.history.entries)
