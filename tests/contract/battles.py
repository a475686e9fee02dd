"""A battle for the tests of sync: four units with Wounds and a place, a platoon with Stress, and no rules to speak of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from rallypoint.kernel.answers import PERSON, Answers
from rallypoint.kernel.battle import Battle
from rallypoint.kernel.canonical import EMPTY, Value
from rallypoint.kernel.changes import SetTracker
from rallypoint.kernel.game import Acts, Due, Intent, Rule
from rallypoint.kernel.parts import Hex, Tracker
from rallypoint.kernel.state import Entity, State
from rallypoint.kernel.step import Step
from rallypoint.kernel.tape import Choice, Option
from rallypoint_sync.fields import Field

UNITS = ("u1", "u2", "u3", "u4")
STRESS = Field("p", "Stress")


def wounds(unit: str) -> Field:
    return Field(unit, "Wounds")


def hit(step: Step[None], unit: str) -> None:
    step.emit("hit", SetTracker(unit, "Wounds", step.state[unit].value("Wounds") + 1), rule="T1")


def dither(step: Step[None]) -> None:
    step.choose(Choice("red", "well?", (Option("yes", "Yes", True), Option("no", "No", False))))


class Skirmish:
    """The game. A unit with 3 Wounds is out."""

    name = "skirmish"
    hooks = None
    version = "1"
    options: Mapping[str, Value] = EMPTY
    rules: Mapping[str, Rule] = {"hit": hit, "dither": dither}

    def seats(self, state: State) -> tuple[str, ...]:
        return ("red",)

    def clock(self, state: State) -> int:
        return 1

    def next(self, state: State) -> Due:
        return Acts(("red",))

    def legal(self, state: State, seat: str) -> Sequence[Intent]:
        return [*[Intent("hit", (unit,), "red") for unit in UNITS], Intent("dither", (), "red")]

    def view(self, state: State, seat: str) -> State:
        return state

    def reactions(self, state: State, window: str, subject: str) -> Sequence[Choice]:
        return ()


def opening() -> State:
    units = [
        Entity.new(unit, "unit", parent="p", trackers={"Wounds": Tracker(0, 0, 3)}, place=Hex(number, 0, 2))
        for number, unit in enumerate(UNITS)
    ]
    return State.of([Entity.new("p", "platoon", trackers={"Stress": Tracker(4, 0, 20)}), *units])


def skirmish(path: Path | None = None) -> Battle[None]:
    """A battle in memory or at ``path``; it waits for nobody."""
    return Battle.start(Skirmish(), opening(), Answers(PERSON), path=path)


def fought(battle: Battle[None], field: Field, value: int) -> None:
    """The battle changes a field of its own accord; edits of this author are not from a VTT."""
    battle.edit("the rules", SetTracker(field.uid, field.name, value))


def is_out(state: State, uid: str) -> bool:
    return uid in UNITS and state[uid].value("Wounds") == 3


def edits(battle: Battle[None]) -> list[tuple[str, str, str, int]]:
    """Every edit from a VTT in the log, counted from its texts: who, uid, tracker, value."""
    found = []
    for entry in battle.history.entries:
        if entry.kind == "edit" and str(entry.body["who"]).startswith("somebody at"):
            for change in entry.changes:
                assert isinstance(change, SetTracker)
                found.append((str(entry.body["who"]), change.uid, change.name, change.value))
    return found
