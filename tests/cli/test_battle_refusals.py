"""Each kind of illegal act on the command line: the rule's id in the message, exit status 2, and not a byte of the file changes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from rallypoint.disrupter.game import Disrupter
from rallypoint.kernel.answers import PERSON, Answers
from rallypoint.kernel.battle import Battle
from rallypoint.kernel.battle_file import BattleFile
from rallypoint.kernel.canonical import freeze
from rallypoint.kernel.changes import Change, SetAttribute, SetPlace, SetStatus
from rallypoint.kernel.parts import Hex, Status

from .battles import SCENARIO, entries, said, say

WALL = SCENARIO.replace("  . u . ~ . .", "  # # # # # #")
"""A board with a row of buildings across its middle."""


def arranged(path: Path, *changes: Change) -> None:
    """Change the battle in a file from outside."""
    with BattleFile(path) as file:
        Battle.open(file, Disrupter(), Answers(PERSON)).edit("the test", *changes)


def briefing(home: Path) -> Path:
    said("battle", "new", "skirmish.toml", "-o", "a.battle", "--seed", "7")
    said("battle", "step", "a.battle")
    return home / "a.battle"


def in_turn(home: Path, phase: str, *changes: Change) -> Path:
    """Return a battle in the first turn, in which red's squad 1 moves, or acts."""
    path = briefing(home)
    for _ in range(2):
        said("battle", "act", "a.battle", "done", "--step")
    portions = freeze([["1", "red", phase], ["2", "red", phase]])
    group = SetAttribute("red.small-1", "group", 1)
    arranged(path, SetAttribute("battle", "portions", portions), SetAttribute("battle", "at", 0), group, *changes)
    return path


def moving(home: Path) -> Path:
    """Return a battle in which red's team A of squad 1 has moved; team B stands beside it, led by its NCO."""
    return in_turn(home, "move", SetAttribute("red.small-1A", "moved", 1), SetPlace("red.small-1B", Hex(1, 5)))


def acting(home: Path) -> Path:
    """Return a battle in which a row of buildings stands between red and blue, and red's NCO has fallen."""
    fallen = SetStatus("red.small-1A-1-1", Status("out", "dead"))
    return in_turn(home, "battle", fallen, SetPlace("blue.small-1A", Hex(1, 1)))


def over(home: Path) -> Path:
    return in_turn(home, "move", SetAttribute("battle", "result", freeze({"winner": "blue", "rule": "D-R9.7"})))


REFUSED: list[tuple[Callable[[Path], Path], tuple[str, ...], str]] = [
    (moving, ("move", '["R-1A", [[0, 4]]]'), "D-R11.2"),  # a second time
    (moving, ("move", '["R-1B", [[1, 6]]]'), "D-R2.1"),  # off the board
    (moving, ("act", '["R-1B", []]'), "D-R11.9"),
    (moving, ("move", '["R-1B"]'), "D-R14.1"),
    (moving, ("--seat", "blue", "done"), "D-R11.9"),
    (moving, ("fly", '["R-1A"]'), "D-R11.2"),
    (moving, ("end_turn",), "D-R11.2"),
    (acting, ("act", '["R-1A", [["R-1A-2", "fire", "pulse_rifle", "B-1A"]]]'), "D-R16.5"),  # behind the buildings
    (acting, ("act", '["R-1A", [["R-1A-1", "order", "R-1", {"text": "Go."}]]]'), "D-R9.10"),  # he is dead
    (acting, ("order", "R-1A-1", "R-1", "Go."), "D-R9.10"),
    (briefing, ("move", '["R-1A", [[0, 4]]]'), "D-R10.1"),
    (briefing, ("--seat", "blue", "done"), "D-R10.1"),
    (over, ("done",), "D-R9.7"),
    (over, ("--seat", "blue", "done"), "D-R9.7"),
]


@pytest.mark.rule("D-R2.1", "D-R9.7", "D-R9.10", "D-R10.1", "D-R11.2", "D-R11.9", "D-R14.1", "D-R16.5")
@pytest.mark.parametrize(("start", "words", "cited"), REFUSED)
def test_an_illegal_act_is_refused_with_its_rule_and_the_file_stays_as_it_was(
    home: Path, start: Callable[[Path], Path], words: tuple[str, ...], cited: str
) -> None:
    (home / "skirmish.toml").write_text(WALL, encoding="utf-8")
    path = start(home)
    if words[0] == "order":
        refused(path, "order", *words[1:], cited=cited)
    else:
        refused(path, "act", *words, cited=cited)
    if start is not over:
        said("battle", "act", "a.battle", "done")  # the battle goes on


def refused(path: Path, verb: str, *words: str, cited: str) -> None:
    """Say that a command fails by a rule, and leaves the file alone."""
    before, hashes = path.read_bytes(), [entry.hash for entry in entries(path)]
    done = say("battle", verb, path.name, *words)
    assert (done.status, done.out) == (2, "")
    assert f"({cited})" in done.err
    assert path.read_bytes() == before
    assert [entry.hash for entry in entries(path)] == hashes


@pytest.mark.rule("D-R15.2", "D-R7.1")
def test_an_answer_that_is_none_is_refused_with_the_rule_that_asks(home: Path) -> None:
    said("battle", "new", "skirmish.toml", "-o", "a.battle", "--dice", "typed")
    path = home / "a.battle"
    said("battle", "step", "a.battle")
    for _ in range(2):
        said("battle", "act", "a.battle", "done", "--step")
    for wrong in (("100",), ("1", "2", "3"), ("many",)):
        refused(path, "answer", *wrong, cited="D-R7.1")
    said("battle", "undo", "a.battle")  # the step that asks is dropped
    portions = freeze([["1", "red", "move"], ["2", "red", "move"]])
    now = {"phase": "action", "portions": portions, "at": 0}
    group, near = SetAttribute("red.small-1", "group", 1), SetPlace("blue.small-1A", Hex(0, 3))
    arranged(path, *[SetAttribute("battle", name, value) for name, value in now.items()], group, near)
    said("battle", "act", "a.battle", "move", '["R-1A", [[0, 4]]]')
    for wrong in (("shrug",), ("77",)):
        refused(path, "answer", *wrong, cited="D-R15.2")
    said("battle", "answer", "a.battle", "fire")
