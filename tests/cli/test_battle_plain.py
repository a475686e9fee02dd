"""Battles on outputs of other encodings, through pipes, and with rosters that have signs of their own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from ..plugins.distributions import ROOT
from .battles import ROSTER, after_acts, said


def piped(home: Path, *arguments: str, given: str = "", encoding: str = "ascii") -> subprocess.CompletedProcess[bytes]:
    path = os.pathsep.join(str(ROOT / folder) for folder in ("core", "plugins", "adapters"))
    env = {**os.environ, "PYTHONPATH": path, "PYTHONIOENCODING": encoding}
    command = [sys.executable, "-m", "rallypoint", "battle", *arguments]
    return subprocess.run(command, cwd=home, env=env, input=given.encode(), capture_output=True, check=False)


def test_names_with_accents_are_plain_where_the_output_has_no_others(home: Path) -> None:
    (home / "small.md").write_text(ROSTER.replace("# Small", "# Żółw"), "utf-8")
    said("battle", "new", "skirmish.toml", "-o", "a.battle", "--seed", "7")
    done = piped(home, "show", "a.battle")
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"Zolw (R)" in done.stdout
    done = piped(home, "show", "a.battle", "--json")
    names = {each["name"] for each in json.loads(done.stdout)["entities"]}
    assert "Żółw (R)" in names  # nothing is lost in JSON


def test_play_through_a_pipe_has_no_colours_and_ends_with_the_input(home: Path) -> None:
    said("battle", "new", "skirmish.toml", "-o", "a.battle", "--seed", "7")
    done = piped(home, "play", "a.battle", given="done\ndone\n")
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"\x1b" not in done.stdout
    done.stdout.decode("ascii")
    assert b"Next: rallypoint battle play a.battle" in done.stdout.splitlines()[-1]


def test_a_reader_that_goes_away_is_no_error_of_the_battle(home: Path) -> None:
    after_acts(home, 30)
    path = os.pathsep.join(str(ROOT / folder) for folder in ("core", "plugins", "adapters"))
    program = [sys.executable, "-m", "rallypoint", "battle", "log", "a.battle", "--json"]
    env = {**os.environ, "PYTHONPATH": path}
    with subprocess.Popen(program, cwd=home, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.read(10)
        process.stdout.close()
        errors = process.stderr.read()
        assert process.wait() in (0, 141)
    assert b"Traceback" not in errors
