"""Killed after every append and resumed in a new process, a battle comes to what it comes to without that."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from rallypoint.kernel.answers import PERSON, Answers
from rallypoint.kernel.battle import Battle
from rallypoint.kernel.battle_file import BattleFile
from rallypoint.kernel.game import Over
from rallypoint.kernel.replay import replay

from .games import GAMES
from .lives import KILL, advance

ROOT = Path(__file__).parents[2]


def life(name: str, path: Path, *more: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, sys.path)), "PYTHONHASHSEED": "random"}
    command = [sys.executable, "-m", "tests.shape.lives", name, str(path), *more]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)


def uninterrupted(name: str) -> Battle[None]:
    game, state = GAMES[name]()
    battle = Battle.start(game, state, Answers(PERSON))
    while advance(battle):
        pass
    return battle


def check_same(path: Path, whole: Battle[None]) -> None:
    with BattleFile(path) as file:
        entries = file.entries()
        again = Battle.open(file, whole.game, Answers(PERSON))
        assert isinstance(again.due, Over)
        assert again.due == whole.due
        assert again.state.digest == whole.state.digest
        assert replay(entries, whole.game).hash == whole.state.digest
    texts = [(entry.kind, entry.changes_text, entry.body_text) for entry in entries]
    assert texts == [(entry.kind, entry.changes_text, entry.body_text) for entry in whole.history.entries]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here; the next test starts whole processes")
@pytest.mark.parametrize("name", GAMES)
def test_a_battle_that_is_killed_after_every_append_ends_like_an_uninterrupted_one(name: str, tmp_path: Path) -> None:
    game, state = GAMES[name]()
    path = tmp_path / "killed.battle"
    Battle.start(game, state, Answers(PERSON), path=path).close()
    done = life(name, path, "forked")
    whole = uninterrupted(name)
    assert (done.returncode, done.stderr) == (0, "")
    kinds = [entry.kind for entry in whole.history.entries]
    assert int(done.stdout) == len(kinds) - 1
    assert kinds.count("wait") > 10, "there must be questions to be killed at"
    check_same(path, whole)


def test_whole_processes_with_other_hash_seeds_go_on_from_each_other(tmp_path: Path) -> None:
    whole = uninterrupted("frontline")
    game, state = GAMES["frontline"]()
    path = tmp_path / "killed.battle"
    Battle.start(game, state, Answers(PERSON), path=path).close()
    for number in range(1, 13):
        done = life("frontline", path)
        assert done.returncode == (-KILL if os.name == "posix" else KILL), done.stderr
        with BattleFile(path) as file:
            assert file.entries()[-1].body_text == whole.history.entries[number].body_text
    with Battle.open(BattleFile(path), game, Answers(PERSON)) as battle:
        while advance(battle):
            pass
    check_same(path, whole)
