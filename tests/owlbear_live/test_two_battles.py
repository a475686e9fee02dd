"""Two battles at one server, and two watches of one battle."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from rallypoint.kernel.plugins.opening import open_battle
from rallypoint_owlbear.link.desk import Desk, Place
from rallypoint_owlbear.link.popover import Popover
from rallypoint_owlbear.link.wire import WireError
from rallypoint_sync.bindings import Binding
from rallypoint_sync.ledger import Ledger, ledger_path
from rallypoint_sync.sending import BusyError
from rallypoint_sync.transport import UnreachableError
from rallypoint_sync.watching import News

from ..cli.battles import ROSTER, SCENARIO, said
from .served_page import running
from .test_commands import Play
from .test_link import Table

SET = {"uid": "u1", "field": "wounds", "value": 2, "was": 0}


@pytest.fixture
def play(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Play]:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    with running(tmp_path) as server:
        yield Play(tmp_path, server).ready()


def test_the_battle_that_is_watched_holds_the_room_until_it_leaves_or_is_dead() -> None:
    link = (table := Table()).link
    assert link.attend(5, "one", battle="/first", begins=True)
    with pytest.raises(WireError, match="/first") as error:
        link.attend(5, "two", battle="/second", begins=True)
    assert (error.value.status, error.value.code) == (409, "other_battle")
    table.page.say("set", **SET)
    assert [each["value"] for each in link.take_wishes("one")] == [2]
    assert link.attend(5, "one again", battle="/first", begins=True)  # the same battle may come anew at any time
    link.leave("one again")
    assert link.attend(5, "two", battle="/second", begins=True)
    table.now += 8.5  # the second is killed, and three seconds late
    assert link.attend(5, "three", battle="/first", begins=True)
    with pytest.raises(WireError):
        link.attend(5, "two", battle="/second")  # it was only asleep: the room is the first's again


@pytest.mark.parametrize("command", ["watch", "sync", "plan"])
def test_a_second_battle_is_refused_at_the_terminal(play: Play, command: str) -> None:
    first = Desk(Place(play.port, play.server.doors.desk_key), str(play.battle.resolve()))
    next(first.changes())
    other = play.battle.with_name("second.battle")
    shutil.copy(play.battle, other)
    shutil.copy(f"{play.battle}.sync", f"{other}.sync")
    done = play.say(command, str(other), *([] if command == "watch" else ["--patience", "0"]))
    assert done.status == 3
    assert "another battle is watched at this server" in done.err
    assert str(play.battle) in done.err
    assert "end that watch first" in done.err
    assert play.page.status["battle"] == "first.battle"
    assert play.at("plan").status == 0
    first.leave()
    assert play.say("sync", str(other)).status == 0


def test_tokens_of_two_encounters_in_one_scene_are_not_mixed(play: Play) -> None:
    """The second battle took those of the first for its own, and its own for copies: each got what the other was given."""
    folder = play.battle.with_name("second")
    folder.mkdir()
    (folder / "small.md").write_text(ROSTER, encoding="utf-8")
    (folder / "fight.toml").write_text(SCENARIO.replace('"Skirmish"', '"The day after"'), encoding="utf-8")
    second, export = folder / "second.battle", folder / "export"
    said("battle", "new", str(folder / "fight.toml"), "-o", str(second), "--seed", "7")
    said("export", "owlbear", str(folder / "fight.toml"), "-o", str(export), "--tokens", "unit")
    first = {each.carrier.document for each in bindings(play.battle)}
    assert "12 placed" in play.say("place", str(export / "encounter.owlbear.json")).out
    done = play.say("bind", str(second))
    assert (done.status, bindings(second)) == (2, ())
    assert "skirmish, the-day-after" in done.err
    assert "--encounter" in done.err
    assert play.say("bind", str(second), "--encounter", "the-day-after").status == 0
    assert not first & {each.carrier.document for each in bindings(second)}
    assert play.say("sync", str(second)).status == 0
    assert play.at("bind").status == 0  # what is bound stays
    assert {each.carrier.document for each in bindings(play.battle)} == first
    unknown = play.say("bind", str(second), "--encounter", "the-day-before")
    assert (unknown.status, len(bindings(second))) == (2, 18)


def bindings(battle: Path) -> tuple[Binding, ...]:
    with open_battle(battle).battle as opened:
        start = opened.history.entries[0].hash
    with Ledger(ledger_path(battle), start) as ledger:
        return ledger.bindings("owlbear")


def test_a_second_battle_may_not_say_in_the_popover_how_it_stands(play: Play) -> None:
    place = Place(play.port, play.server.doors.desk_key)
    next(Desk(place, "/first").changes())
    with pytest.raises(UnreachableError) as error:
        Desk(place, "/second").say(error="from the second")
    assert (error.value.code, error.value.passing) == ("other_battle", False)
    assert play.page.status["error"] != "from the second"


def test_that_another_process_writes_is_not_for_the_popover() -> None:
    class Seat:
        """What is told of a busy VTT never gets so far as to ask the seat."""

    Popover(Seat())(News("busy", error=BusyError("another process writes to this VTT"), vtt="owlbear"))  # type: ignore[arg-type]


def test_a_table_whose_room_another_battle_has_taken_ends_with_a_code() -> None:
    table = Table()
    table.link.battle = "/first"
    changes = table.link.changes()
    assert list(next(changes)) == []
    table.now += 60.0  # the machine slept
    table.link.attend(5, "two", battle="/second", begins=True)
    with pytest.raises(UnreachableError, match="/second") as error:
        next(changes)
    assert (error.value.code, error.value.passing) == ("other_battle", False)
