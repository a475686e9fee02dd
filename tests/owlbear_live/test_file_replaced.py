"""A battle file that is deleted or replaced under a running watch."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from rallypoint.kernel.changes import SetTracker
from rallypoint.kernel.errors import BattleFileError
from rallypoint.kernel.plugins.opening import open_battle

from ..cli.battles import ROSTER, SCENARIO, said
from .served_page import running
from .test_commands import OURS, Play
from .test_wishes import Watched


@pytest.fixture
def play(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Play]:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    with running(tmp_path) as server:
        yield Play(tmp_path, server).ready()


def replace(battle: Path) -> None:
    copy = battle.with_name("copy.battle")
    shutil.copy(battle, copy)
    copy.replace(battle)


@pytest.mark.parametrize(
    ("change", "words"), [(Path.unlink, "the battle file is gone"), (replace, "this is another battle file now")]
)
def test_a_watch_ends_at_once_and_says_so_in_the_popover_too(
    play: Play, monkeypatch: pytest.MonkeyPatch, change: object, words: str
) -> None:
    watched = Watched(play, monkeypatch)
    assert callable(change)
    change(play.battle)
    watched.until(lambda each: words in (each.get("error") or ""))
    watched.thread.join(20)
    (done,) = watched.ended
    assert (done.status, words in done.out + done.err) == (2, True)


def test_a_battle_that_stays_where_it_is_is_read_on(play: Play) -> None:
    with open_battle(play.battle).battle as battle:
        os.utime(play.battle)
        assert battle.refresh() == ()
        replace(play.battle)
        with pytest.raises(BattleFileError, match="another battle file now"):
            battle.edit("the rules", SetTracker(OURS, "Wounds", 1))
        with pytest.raises(BattleFileError, match="another battle file now"):
            battle.refresh()


def test_a_battle_with_another_log_that_is_written_over_it_is_another(play: Play) -> None:
    scenario = play.battle.with_name("fight.toml")
    scenario.write_text(SCENARIO, encoding="utf-8")
    scenario.with_name("small.md").write_text(ROSTER, encoding="utf-8")
    other = play.battle.with_name("other.battle")
    said("battle", "new", str(scenario), "-o", str(other), "--seed", "8")
    with open_battle(other).battle as played:
        for value in (1, 2):
            played.edit("the rules", SetTracker(OURS, "Wounds", value))
    with open_battle(play.battle).battle as battle:
        play.battle.write_bytes(other.read_bytes())
        with pytest.raises(BattleFileError, match="another battle file now"):
            battle.refresh()


@pytest.mark.parametrize("entries", [0, 1, 2])
def test_a_battle_that_is_written_over_by_an_older_copy_of_itself_is_seen_whatever_was_played_since(
    play: Play, entries: int
) -> None:
    older = play.battle.read_bytes()
    with open_battle(play.battle).battle as battle:
        battle.edit("the rules", SetTracker(OURS, "Wounds", 1))
        play.battle.write_bytes(older)
        with open_battle(play.battle).battle as other:
            for value in (2, 1)[:entries]:
                other.edit("somebody else", SetTracker(OURS, "Wounds", value))
        before = play.battle.read_bytes()
        with pytest.raises(BattleFileError, match="put back to an earlier state"):
            battle.edit("the rules", SetTracker(OURS, "Wounds", 0))
        with pytest.raises(BattleFileError, match="put back to an earlier state"):
            battle.refresh()
    assert play.battle.read_bytes() == before
    with open_battle(play.battle).battle as battle:
        assert battle.state[OURS].value("Wounds") == (0, 2, 1)[entries]


def test_a_watch_whose_battle_was_put_back_ends_at_once_and_says_so_in_the_popover_too(
    play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    older = play.battle.read_bytes()
    play.fought(OURS, 1)
    watched = Watched(play, monkeypatch)
    with play.battle.open("r+b", buffering=0) as file:  # at once: half a file is another failure
        file.write(older)
    watched.until(lambda each: "put back to an earlier state" in (each.get("error") or ""))
    watched.thread.join(20)
    (done,) = watched.ended
    assert (done.status, "put back to an earlier state" in done.out + done.err) == (2, True)
