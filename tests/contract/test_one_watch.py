"""One process watches a battle at a VTT: a second table or watch is refused, whatever is done once is not."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from rallypoint_foundry.live.transport import VTT as FOUNDRY
from rallypoint_owlbear.link.transport import VTT as OWLBEAR
from rallypoint_sync.holding import Hold
from rallypoint_sync.ledger import Ledger
from rallypoint_sync.living import this_process
from rallypoint_sync.sending import LEASE, BusyError
from rallypoint_sync.watching import Watch

from ..cli.battles import say
from ..foundry_live.tables import Play
from .test_table import owlbear_alone
from .world import Clock


@pytest.fixture
def battle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return Play(tmp_path).battle


@pytest.fixture
def first(battle: Path) -> Iterator[subprocess.Popen[str]]:
    """A table that runs in another process."""
    command = [sys.executable, "-m", "rallypoint", "table", str(battle), *owlbear_alone(battle.parent)]
    env = os.environ | {"PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=env) as process:
        try:
            assert process.stdout is not None
            assert any("Ctrl-C ends it" in line for line in process.stdout)
            yield process
        finally:
            process.kill()


def ends_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    def run(_watch: Watch) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Watch, "run", run)


def test_a_second_table_and_a_watch_of_its_vtt_are_refused_until_the_first_is_dead(
    battle: Path, first: subprocess.Popen[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    ends_at_once(monkeypatch)
    (kept,) = (battle.parent / "state" / "rallypoint").glob("owlbear-*.json")
    port = str(json.loads(kept.read_text())["port"])
    table = [
        "table",
        str(battle),
        "--owlbear",
        "--owlbear-port",
        port,
        "--owlbear-bundle",
        str(battle.parent / "bundle"),
    ]
    for command in (table, ["owlbear", "watch", str(battle), "--port", port]):
        done = say(*command)
        assert done.status == 2, done
        assert f"another process keeps this battle in step there already; found: process {first.pid} (begun" in done.err
        assert "end that watch or table first" in done.err
        assert "watching" not in done.err
        assert "To play" not in done.err
        found = say(*command, "--json").document
        assert (found["code"], f"process {first.pid} " in found["error"]) == ("busy", True)
    once = say("owlbear", "plan", str(battle), "--port", port, "--json").document
    assert "another process" not in once["error"]
    first.kill()
    first.wait()
    assert say(*table).status == 0
    assert "Stopped" in say(*table).out


def test_two_vtts_of_one_battle_may_be_watched_by_two_processes(tmp_path: Path) -> None:
    clock = Clock()
    with Ledger(tmp_path / "ledger", "battle") as ledger:
        Hold(ledger, [OWLBEAR], "one", clock).keep()
        other = Hold(ledger, [FOUNDRY], "two", clock)
        other.keep()
        with pytest.raises(BusyError, match=r"owlbear: another process keeps .* found: one;"):
            Hold(ledger, [FOUNDRY, OWLBEAR], "two", clock).keep()
        assert ledger.lease(FOUNDRY, "three", clock.now(), LEASE) is None  # who writes just now is another matter


def test_a_watch_keeps_its_hold_while_it_runs_and_lets_go_in_the_end(tmp_path: Path) -> None:
    clock = Clock()
    with Ledger(tmp_path / "ledger", "battle") as ledger:
        mine, other = Hold(ledger, [OWLBEAR], this_process(), clock), Hold(ledger, [OWLBEAR], "other", clock)
        for _ in range(20):
            mine.keep()
            clock.sleep(LEASE / 5)
            with pytest.raises(BusyError, match="process"):
                other.keep()
        mine.release()
        other.keep()
        with pytest.raises(BusyError, match="found: other"):
            mine.keep()


def test_a_refused_hold_holds_nothing_of_the_others(tmp_path: Path) -> None:
    clock = Clock()
    with Ledger(tmp_path / "ledger", "battle") as ledger:
        Hold(ledger, [FOUNDRY], "one", clock).keep()
        with pytest.raises(BusyError):
            Hold(ledger, [OWLBEAR, FOUNDRY], "two", clock).keep()
        Hold(ledger, [OWLBEAR], "three", clock).keep()
