"""The command line run in this process, and a small scenario whose battles are over soon."""

from __future__ import annotations

import contextlib
import io
import json
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

from rallypoint.cli.command_line import run
from rallypoint.kernel.battle_file import BattleFile
from rallypoint.kernel.history import Entry

ONLY = "disrupter,foundry,mothership,owlbear"
"""The plugins that are on for commands in this process: the game by its own rules alone."""

ROSTER = """# Small
### Squad 0
#### Team A
* 1 CO - Combat Armor, Revolver
* 1 Soldier - Combat Armor, Pulse Rifle
### Squad 1
#### Team A
* 1 NCO - Battle Dress, Pulse Rifle
* 1 Soldier - Combat Armor, Pulse Rifle
#### Team B
* 1 Soldier - Battle Dress, Heavy Machine Gun
* 1 Bot - Basic Battlefield Robot, Laser Carbine
"""

SCENARIO = """scenario = 1
title = "Skirmish"
size = "squad"
[board]
terrain = '''
 . . . . . .
  . F . . # .
 . . . . . .
  . u . ~ . .
 . . . # . .
  . F . . . .
'''
[deployment]
depth = 1
[[sides]]
name = "red"
roster = "small.md"
edge = "bottom"
rally_points = { Camp = "A6" }
place = { 0A = "B6", 1A = "C6", 1B = "E6" }
[[sides]]
name = "blue"
roster = "small.md"
rally_points = { Hill = "F1" }
place = { 0A = "B1", 1A = "C1", 1B = "E1" }
"""

SEATS_AT_RANDOM = ("--seat", "red=random", "--seat", "blue=random")


class Said(NamedTuple):
    """What a command returned and wrote."""

    status: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        return json.loads(self.out)


class _Stream(io.StringIO):
    encoding = "utf-8"


class Lines:
    """Standard input that gives one line after the other; a line may be a function, which is called and may raise."""

    def __init__(self, lines: Iterable[str | Callable[[], str]]) -> None:
        self._lines: Iterator[str | Callable[[], str]] = iter(lines)
        self.read = 0

    def readline(self) -> str:
        for line in self._lines:
            self.read += 1
            text = line if isinstance(line, str) else line()
            return f"{text}\n"
        return ""


def say(*arguments: str, given: Iterable[str | Callable[[], str]] | Lines = ()) -> Said:
    """Run the command line; ``given`` are the lines that somebody types."""
    out, err = _Stream(), _Stream()
    stdin: Any = given if isinstance(given, Lines) else Lines(given)
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), mock.patch.object(sys, "stdin", stdin):
        status = run(list(arguments))
    return Said(status, out.getvalue(), err.getvalue())


def said(*arguments: str, given: Iterable[str | Callable[[], str]] = ()) -> str:
    """Run a command that must succeed, and return what it wrote."""
    done = say(*arguments, given=given)
    assert (done.status, done.err) == (0, ""), f"{arguments}: {done}"
    return done.out


def entries(path: Path) -> list[Entry]:
    with BattleFile(path) as file:
        return file.entries()


def kinds(path: Path) -> list[str]:
    return [entry.kind for entry in entries(path)]


def after_acts(home: Path, acts: int) -> Path:
    """Fight the small scenario at random for so many acts, and return the battle file."""
    said("battle", "new", "skirmish.toml", "-o", "a.battle", "--seed", "7", *SEATS_AT_RANDOM)
    said("battle", "step", "a.battle", "--acts", str(acts))
    return home / "a.battle"
