"""``rallypoint table``: one process, the fake Foundry over a socket and our page over HTTP, a battle that others write to."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest

from rallypoint.kernel.battle import Battle
from rallypoint.kernel.changes import SetTracker
from rallypoint.kernel.errors import HeadMovedError
from rallypoint.kernel.plugins.opening import open_battle
from rallypoint_foundry.fake.serving import served
from rallypoint_owlbear.link.desk import find_desk
from rallypoint_owlbear.link.link import Link
from rallypoint_owlbear.stands import RECORD_KEY
from rallypoint_owlbear.trackers import TRACKERS_KEY
from rallypoint_sync.clock import SystemClock
from rallypoint_sync.table import table as table_command
from rallypoint_sync.watching import Watch

from ..cli.battles import Said, say
from ..foundry_live.tables import HITS, KEY, STRESS, Play
from ..owlbear_live.room import Item, Page, Room, entry_of
from ..owlbear_live.served_page import Served
from ..owlbear_live.test_commands import _prepared
from .both_tables import shuffled

PATIENCE = 60.0
EDITS = 200
UNITS = ("red.small-0A-1-1", "red.small-0A-2-1", "red.small-1A-1-1", "red.small-1A-2-1")


class Evening:
    """A battle, a world of Foundry and a room of Owlbear, which one process keeps in step."""

    def __init__(self, folder: Path, play: Play, base: str, monkeypatch: pytest.MonkeyPatch) -> None:
        self.foundry, self.base, self.battle = play, base, play.battle
        self.export = _prepared() / "export" / "encounter.owlbear.json"
        self.room = Room()
        self.page = Page(self.room)
        self.news = threading.Condition()
        self.ended: list[Said] = []
        self.watches: list[Watch] = []
        (folder / "bundle").mkdir()
        (folder / "bundle" / "manifest.json").write_text("{}")
        evening, told = self, self.page.told

        class Seen(Watch):
            def run(self) -> None:
                with evening.news:
                    evening.watches.append(self)
                    evening.news.notify_all()
                super().run()

        monkeypatch.setattr("rallypoint_sync.table.Watch", Seen)

        def telling(data: str) -> None:
            told(data)
            with self.news:
                self.news.notify_all()

        self.page.told = telling  # type: ignore[method-assign]
        self.said = ""
        self.looks = Counter[int]()
        """How often a conflict was seen by somebody who says what holds."""
        self.left = ExitStack()
        self.arguments = [
            "table",
            str(self.battle),
            "--owlbear",
            "--owlbear-port",
            "0",
            "--owlbear-bundle",
            str(folder / "bundle"),
            "--owlbear-encounter",
            str(self.export),
        ]

    def begin(self, *more: str) -> None:
        """Run the command in a thread, link the page, put the tokens there by a click, and bind them at another terminal."""

        def run() -> None:
            self.ended.append(say(*self.arguments, *more))

        self.thread = threading.Thread(target=run, daemon=True)
        self.thread.start()
        self.until(lambda: bool(self.watches or self.ended))
        assert self.watches, self.ended

    def join(self, state: Path) -> None:
        (kept,) = (state / "rallypoint").glob("owlbear-*.json")
        port = int(json.loads(kept.read_text())["port"])
        self.port = port
        assert find_desk(port).port == port

    def until(self, what: Callable[[], bool]) -> None:
        """Wait until something holds; it is looked at each time the page is told something, and twice a second."""
        end = time.monotonic() + PATIENCE  # not so many looks: a look that clicks is answered, and wakes the next one
        with self.news:
            while time.monotonic() < end:
                if what():
                    return
                self.news.wait(0.5)
        raise AssertionError("it did not come to pass")

    def stop(self) -> Said:
        self.watches[0].stop()
        self.thread.join(PATIENCE)
        return self.ended[0]

    # What the sides show

    def token(self, uid: str) -> Item:
        (found,) = [each for each in self.room.items.values() if each["metadata"].get(RECORD_KEY, {}).get("uid") == uid]
        return found

    def in_room(self, uid: str) -> Any:
        return entry_of(self.token(uid), f"rallypoint-wounds-{uid}")["value"]

    def stresses(self) -> set[Any]:
        entries = [each for item in self.room.items.values() for each in item["metadata"].get(TRACKERS_KEY, ())]
        return {each["value"] for each in entries if each["id"] == "rallypoint-stress"}


@pytest.fixture
def evening(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Evening]:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("RALLYPOINT_FOUNDRY_KEY", KEY)
    play = Play(tmp_path)
    play.fake.clock = SystemClock()
    with served(play.fake) as base:
        assert say("foundry", "connect", str(play.battle), "--relay", base).status == 0
        assert play.say("push", str(play.export)).status == 0
        found = Evening(tmp_path, play, base, monkeypatch)
        yield found
        if found.watches and not found.ended:
            found.stop()
        found.left.close()


def linked(evening: Evening, monkeypatch: pytest.MonkeyPatch) -> Served:
    """The page comes into the room of the running process."""
    live = evening.watches[0]
    (way,) = [each.transport.way for each in live._ears if each.vtt == "owlbear"]  # type: ignore[attr-defined]
    assert isinstance(way, Link)
    headers = {"host": f"localhost:{evening.port}"}
    client = evening.left.enter_context(
        httpx.Client(base_url=f"http://127.0.0.1:{evening.port}", headers=headers, timeout=20, trust_env=False)
    )
    server = SimpleNamespace(link=way, client=client, pair=lambda: _paired(client, evening))
    line = Served(server, evening.page)  # type: ignore[arg-type]
    line.connect()
    return line


def _paired(client: Any, evening: Evening) -> dict[str, str]:
    (code,) = re.findall(r"pairing code: (\d{3} \d{3})", evening.said)
    answer = client.post("/link/pair", json={"v": 1, "code": code})
    return {"authorization": f"Bearer {answer.json()['token']}"}


def begun(evening: Evening, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *more: str) -> None:
    """Everything is linked and placed; what is placed by a click in the popover is bound and in step."""

    def complaining(text: str) -> None:
        evening.said += f"{text}\n"

    monkeypatch.setattr("rallypoint_sync.table.complain", complaining)
    evening.begin(*more)
    evening.join(tmp_path / "state")
    linked(evening, monkeypatch)
    (offer,) = evening.page.status["encounters"]
    evening.page.say("encounter", name=offer["name"])
    evening.until(lambda: len(evening.room.items) >= 2 * offer["tokens"])
    evening.until(lambda: evening.page.status["linked"] > 4 and not evening.page.status["error"])


def test_two_hundred_edits_on_each_of_three_sides_end_equal(
    evening: Evening, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rallypoint_owlbear.link.doors.Rate.take", lambda *_: None)  # hands are never so fast
    begun(evening, tmp_path, monkeypatch, "--foundry")
    dice = random.Random(3)
    foundry, room = evening.foundry, evening.room
    (platoon,) = {row["uid"] for row in evening.page.status["roster"] if row["side"] == "red" and "stress" in row}
    actors = {uid: foundry.actor(uid) for uid in (*UNITS, platoon)}
    with open_battle(evening.battle).battle as battle:
        for number, side in enumerate(shuffled(dice, ["battle", "foundry", "owlbear"], EDITS), 1):
            uid = dice.choice((*UNITS, platoon))
            name = "Stress" if uid == platoon else "Wounds"
            value = dice.randint(2, 20) if uid == platoon else dice.randint(0, 2)
            value = min(value, battle.state[uid].trackers[name].max or value)
            if side == "battle":
                fight(battle, SetTracker(uid, name, value))
            elif side == "foundry":
                foundry.world.edit(actors[uid], {STRESS if uid == platoon else HITS: value})
            else:
                item = evening.token(dice.choice(UNITS) if uid == platoon else uid)["id"]
                room.set(item, "rallypoint-stress" if uid == platoon else f"rallypoint-wounds-{uid}", value)
            if number % 20 == 0:
                settle(evening)
        evening.until(lambda: not settle(evening) and is_settled(evening, battle, platoon))
        first, second = UNITS[:2]  # in the crowd all edits of one side may have been in conflict
        fight(battle, SetTracker(first, "Wounds", 0), SetTracker(second, "Wounds", 0))
        evening.until(lambda: is_settled(evening, battle, platoon))
        foundry.edit(first, 1)
        room.set(evening.token(second)["id"], f"rallypoint-wounds-{second}", 1)
        evening.until(lambda: is_settled(evening, battle, platoon) and battle.state[first].value("Wounds") == 1)
        authors = {str(each.body.get("who")) for each in battle.history.entries if each.kind == "edit"}
    assert {"the rules", "somebody at foundry", "somebody at owlbear"} <= authors
    assert evening.stop().status == 0


def fight(battle: Battle[object], *changes: SetTracker) -> None:
    """Write to the battle as another terminal would, while the table writes to it, too."""
    while True:
        battle.refresh()
        try:
            battle.edit("the rules", *changes)
        except HeadMovedError:
            continue
        return


def settle(evening: Evening) -> bool:
    """Say in the popover that the battle holds in each conflict; return whether there were any.

    Each look that clicks is answered, and wakes the next one: so not every one does. A conflict may come again as it was.
    """
    numbers = [each["number"] for each in evening.page.status["conflicts"]]
    for number in numbers:
        if evening.looks[number] % 10 == 0:
            evening.page.say("resolve", number=number, take="battle")
        evening.looks[number] += 1
    return bool(numbers)


def is_settled(evening: Evening, battle: Battle[object], platoon: str) -> bool:
    battle.refresh()
    state, foundry = battle.state, evening.foundry
    wounds = {uid: state[uid].value("Wounds") for uid in UNITS}
    stress = state[platoon].value("Stress")
    return (
        not evening.page.status["conflicts"]
        and {uid: evening.in_room(uid) for uid in UNITS} == wounds
        and {uid: foundry.shown(uid) for uid in UNITS} == wounds
        and evening.stresses() == {stress}
        and foundry.shown(platoon, STRESS) == max(2, stress)
    )


def test_an_edit_at_one_table_goes_to_the_other_and_one_away_stops_nobody(
    evening: Evening, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    begun(evening, tmp_path, monkeypatch, "--foundry", "--json")
    first, second, third = UNITS[:3]
    evening.foundry.edit(first, 1)
    evening.until(lambda: evening.in_room(first) == 1)
    evening.room.set(evening.token(second)["id"], f"rallypoint-wounds-{second}", 1)
    evening.until(lambda: evening.foundry.shown(second) == 1)
    evening.page.say("set", uid=third, field="wounds", value=1, was=0)
    evening.until(lambda: evening.foundry.shown(third) == 1 and evening.in_room(third) == 1)
    evening.foundry.world.sleep()
    evening.page.say("set", uid=first, field="wounds", value=0, was=1)
    evening.until(lambda: evening.in_room(first) == 0)
    assert evening.foundry.shown(first) == 1
    evening.foundry.world.wake()
    evening.until(lambda: evening.foundry.shown(first) == 0)
    assert evening.stop().status == 0


# Who may sit at a table


def test_without_a_vtt_it_says_which_there_are(tmp_path: Path) -> None:
    done = say("table", str(tmp_path / "x.battle"))
    assert (done.status, "--foundry, --owlbear" in done.err) == (2, True)


def test_a_battle_that_is_not_there_is_told_of_before_how_to_play_it(tmp_path: Path) -> None:
    done = say("table", str(tmp_path / "none.battle"), "--owlbear")
    assert (done.status, len(done.err.splitlines())) == (2, 1), done
    assert "none.battle" in done.err


def test_help_has_the_options_of_each_vtt_and_a_plugin_that_is_off_brings_none() -> None:
    shown = say("table", "--help").out
    assert "--owlbear-port" in shown
    assert "Example: rallypoint table first.battle" in shown
    assert "--owlbear-port" not in say("-p", "no:owlbear", "table", "--help").out


WHITEBOARD = """
import queue
from contextlib import contextmanager
from types import SimpleNamespace
from rallypoint.kernel.canonical import Value
from rallypoint_sync.bindings import Binding, Carrier
from rallypoint_sync.fields import Field
from rallypoint_sync.lenses import Exact
from rallypoint_sync.snapshot import Snapshot

class Board:
    vtt = "whiteboard"
    syncs = 0
    more = queue.Queue()
    notes = {"note": {"wounds": 1}}
    def read(self, documents):
        return Snapshot({each: dict(self.notes[each]) for each in documents})
    def write(self, document, values):
        self.notes[document].update(values)
        return dict(self.notes[document])
    def changes(self):
        yield ()
        while True:
            yield self.more.get()

def heard(news):
    if news.synced is not None and Board.syncs:
        raise KeyboardInterrupt  # the first was told of by now
    Board.syncs += news.synced is not None
    Board.more.put(())

@contextmanager
def at_table(given):
    given.say(f"pens: {given.options['pens']}")
    first = next(each.uid for each in given.opened.battle.state if each.role == "unit")
    binding = Binding((Field(first, "Wounds"),), Carrier("note", "wounds"), Exact(), first="vtt")
    given.ledger.bind("whiteboard", {}, [binding])
    yield SimpleNamespace(title="on the wall", transport=Board(), heard=heard)
"""
MANIFEST = """
manifest = 1
name = "whiteboard"

[[vtts]]
name = "whiteboard"
help = "A board on the wall."
run = "rallypoint_whiteboard_of_a_test:at_table"

[[vtts.options]]
name = "pens"
default = 3
help = "How many pens there are."
"""


def test_a_third_party_brings_a_vtt_by_its_manifest_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = "rallypoint_whiteboard_of_a_test"
    (tmp_path / name).mkdir()
    (tmp_path / name / "__init__.py").write_text(WHITEBOARD)
    (tmp_path / name / "rallypoint-plugin.toml").write_text(MANIFEST)
    about = tmp_path / f"{name}-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(f"[rallypoint.plugins]\nwhiteboard = {name}\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    play = Play(tmp_path)
    done = say("table", str(play.battle), "--whiteboard", "--whiteboard-pens", "5")
    assert done.status == 0, done
    assert "whiteboard: pens: 5" in done.err
    assert "from whiteboard: " in done.out
    assert "1 taken" in done.out
    with open_battle(play.battle).battle as battle:
        assert sum(each.value("Wounds") for each in battle.state if each.role == "unit") == 1
    sys.modules.pop(name, None)


def test_the_command_is_of_sync_and_knows_no_vtt_by_name() -> None:
    source = Path(str(sys.modules[table_command.callback.__module__].__file__)).read_text(encoding="utf-8")
    code = "\n".join(
        line for line in source.splitlines() if "Example:" not in line and '"""' not in line and "``" not in line
    )
    assert "foundry" not in code
    assert "owlbear" not in code


# In one terminal, and as a process


def owlbear_alone(folder: Path) -> list[str]:
    (folder / "bundle").mkdir()
    (folder / "bundle" / "manifest.json").write_text("{}")
    return ["--owlbear", "--owlbear-port", "0", "--owlbear-bundle", str(folder / "bundle")]


def test_somebody_plays_in_the_same_terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    play, seen = Play(tmp_path), list[int]()

    def look() -> str:
        (kept,) = (tmp_path / "state" / "rallypoint").glob("owlbear-*.json")
        port = json.loads(kept.read_text())["port"]
        seen.append(
            httpx.get(f"http://127.0.0.1:{port}/manifest.json", headers={"host": f"localhost:{port}"}).status_code
        )
        return "q"

    done = say("table", str(play.battle), *owlbear_alone(tmp_path), "--play", given=["s", look])
    assert (done.status, seen) == (0, [200]), done
    assert "Left at entry" in done.out
    assert "Stopped: 0 written, 0 taken, 0 in conflict." in done.out
    assert not list((tmp_path / "state" / "rallypoint").glob("owlbear-*.json"))


def test_play_says_why_a_table_cannot_begin(tmp_path: Path) -> None:
    play = Play(tmp_path)
    done = say("table", str(play.battle), "--foundry", "--play", given=["q"])
    assert (done.status, "this battle is not connected to a relay" in done.err, done.out) == (2, True, "")
    done = say("table", str(play.battle), "--foundry", "--play", "--json")
    assert (done.status, "one of them" in json.loads(done.out)["error"]) == (2, True)


def test_ctrl_c_ends_the_process_cleanly(tmp_path: Path) -> None:
    play = Play(tmp_path)
    command = [sys.executable, "-m", "rallypoint", "table", str(play.battle), *owlbear_alone(tmp_path)]
    env = os.environ | {"XDG_STATE_HOME": str(tmp_path / "state"), "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=env) as process:
        try:
            assert process.stdout is not None
            told = ""
            while "Ctrl-C ends it" not in told:
                line = process.stdout.readline()
                assert line, told
                told += line
            process.send_signal(signal.SIGINT)
            rest = process.stdout.read()
            assert process.wait(30) == 0
        finally:
            process.kill()
    assert re.search(r"owlbear: pairing code: \d{3} \d{3}", told)
    assert "owlbear: nothing is bound yet: rallypoint owlbear bind" in told
    assert f"rallypoint battle play {play.battle}" in told
    assert rest == "Stopped: 0 written, 0 taken, 0 in conflict.\n"
    assert not list((tmp_path / "state" / "rallypoint").glob("owlbear-*.json"))
