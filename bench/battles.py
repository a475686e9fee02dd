"""Opening and replaying a long battle, growth with the force, the export plan, and start-up."""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

from duel import Duel, first_state

from rallypoint.kernel.answers import Answers, Seed
from rallypoint.kernel.battle import Battle
from rallypoint.kernel.battle_file import BattleFile
from rallypoint.kernel.game import Acts, Due, Intent
from rallypoint.kernel.history import History
from rallypoint.kernel.replay import replay
from rallypoint.kernel.state import State, Tracker
from rallypoint.kernel.step import run
from rallypoint_foundry.check import check
from rallypoint_foundry.documents import Documents
from rallypoint_foundry.profile import load_profile

from .timing import Row, best, commands, repeat


class Endless(Duel):
    """A duel that goes on for as long as it is to be measured: nobody is ever out."""

    def next(self, state: State) -> Due:
        return Acts((str(state["duel"].attributes["acts"]),))


def rows() -> Iterator[Row]:
    yield from _long_battle()
    yield from _growth()
    yield from _export()
    yield from _startup()


def _tough(size: int) -> State:
    """Return a force that takes no end of Wounds."""
    state = first_state(size)
    return State.of(
        [
            entity._replace(trackers={"Wounds": Tracker(0, 0, None)}) if entity.role == "unit" else entity
            for entity in state
        ]
    )


def _long_battle() -> Iterator[Row]:
    game = Endless()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "long.battle"
        memory = Battle.start(game, _tough(30), Answers(Seed(7)))
        events = 0
        while events < 10_000:
            events += len(memory.act(_shot(memory.state, memory.history.head)))
        entries = memory.history.entries
        with BattleFile.create(path, entries[0]) as file:
            file._connection.execute("PRAGMA synchronous = OFF")
            for entry in entries[1:]:
                file.append(entry)
            found = best({"open": lambda number: [History.of(file.entries()) for _ in range(number)]}, 1, rounds=5)
            again = best({"replay": lambda number: [replay(file.entries(), game) for _ in range(number)]}, 1, rounds=3)
    rate = events / (found["open"] / 1e9)
    yield Row(
        "opening a battle of 10,000 events", f"{rate:,.0f} events a second", "100,000 events a second", rate >= 100_000
    )
    rate = events / (again["replay"] / 1e9)
    yield Row("verified replay", f"{rate:,.0f} events a second", "10,000 events a second", rate >= 10_000)


def _shot(state: State, number: int) -> Intent:
    seat = str(state["duel"].attributes["acts"])
    enemy = "blue" if seat == "red" else "red"
    return Intent("fire", (f"{seat}-{number % 30 + 1}", f"{enemy}-{number % 29 + 1}"), seat)


def _growth() -> Iterator[Row]:
    sizes = {"squad": 12, "platoon": 36, "company": 108}
    game, answers = Duel(), Answers(Seed(7))
    shot = Intent("fire", ("red-1", "blue-1"), "red")
    found = best({name: repeat(run, game, first_state(size), shot, answers) for name, size in sizes.items()}, 500)
    ratio = found["company"] / found["squad"]
    figure = " / ".join(f"{found[name] / 1000:.1f}" for name in sizes)
    yield Row("one fire step: squad / platoon / company", f"{figure} us", "9 x the units: at most 9 x", ratio <= 9)


def _export() -> Iterator[Row]:
    content, game = import_module("rallypoint.content"), import_module("rallypoint.disrupter")
    page = Path(__file__).parents[1] / "examples" / "rosters" / "starter-platoon.md"
    text = page.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        long = Path(folder) / "long.md"
        squads = text.split("### **Squad 1", 1)[1].split("### **Squad 3", 1)[0]
        more = "### **Squad 4" + squads.replace("### **Squad 2", "### **Squad 5")
        long.write_text(text + "\n" + more, encoding="utf-8")
        force = content.read_force(long, game.catalogue(), with_optional=True)
    encounter = game.encounter(force)
    profile = load_profile("mosh-0.6.1")

    def plan() -> Documents:
        documents = Documents(encounter, profile, "13")
        documents.make()
        check(documents.folders, documents.actors, profile, encounter)
        return documents

    document = [plan().folders, plan().actors]
    found = best({"plan": repeat(plan), "dumps": repeat(json.dumps, document)}, 2, rounds=7)
    ratio = found["plan"] / found["dumps"]
    figure = f"{ratio:.1f} x json.dumps"
    yield Row(f"export plan, {len(document[1])} actors", figure, "at most 5 x json.dumps", ratio <= 5)


def _startup() -> Iterator[Row]:
    python = [sys.executable, "-c", "pass"]
    program = str(Path(sys.executable).with_name("rallypoint"))
    found = commands({"python": python, "--help": [program, "--help"], "--version": [program, "--version"]})
    for option, goal in (("--help", 5), ("--version", 2)):
        ratio = found[option] / found["python"]
        yield Row(f"rallypoint {option}", f"{ratio:.1f} bare starts", f"at most {goal} bare starts", ratio <= goal)
