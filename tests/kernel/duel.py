"""A small game for the tests of the kernel: two sides, a turn, and a rule for each kind of question."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rallypoint.kernel.answers import Answers, Seed
from rallypoint.kernel.battle import Battle
from rallypoint.kernel.battle_file import BattleFile
from rallypoint.kernel.canonical import EMPTY, Value
from rallypoint.kernel.changes import SetAttribute, SetTracker
from rallypoint.kernel.dice import D6, D100, ByFace, Throw
from rallypoint.kernel.game import Acts, Due, Intent, Over, Rule, Runs
from rallypoint.kernel.parts import Tracker
from rallypoint.kernel.state import Entity, State
from rallypoint.kernel.step import Step
from rallypoint.kernel.tape import Choice, Option

SIDES = ("red", "blue")
HIT = ByFace.of(["hit"] * 60 + ["miss"] * 40, ("hit", "miss"))
CARDS = ("ace", "king", "queen", "jack")
YES_NO = (Option("yes", "Yes", True), Option("no", "No", False))
Stepping = Step[None]


def opening() -> State:
    sides = [Entity.new(side, "side", parent="table", trackers={"Wounds": Tracker(0, 0, 99)}) for side in SIDES]
    return State.of([Entity.new("table", "table", attributes={"turn": 1, "phase": "acts"}), *sides])


def turn_of(state: State) -> int:
    turn = state["table"].attributes["turn"]
    assert isinstance(turn, int)
    return turn


def counted(step: Stepping) -> SetAttribute:
    """One act more: a seat that decides by the state must never see the same state again, or it would act for ever."""
    acts = step.state["table"].attributes.get("acts", 0)
    assert isinstance(acts, int)
    return SetAttribute("table", "acts", acts + 1)


def rolls(step: Stepping, who: str, number: int = 1) -> tuple[int, ...]:
    faces = step.roll(Throw(who, "luck", D6, number))
    step.emit("rolled", counted(step), SetAttribute(who, "luck", faces), rule="T1", why={"faces": faces})
    return faces


def strikes(step: Stepping, who: str, whom: str, dice: int = 1) -> None:
    graded = step.grade(Throw(who, "strike", D100, dice), HIT)
    step.emit("struck", counted(step), rule="T2", why={"check": graded})
    if graded.grade == "hit":
        wounds = step.state[whom].value("Wounds")
        step.emit("wounded", SetTracker(whom, "Wounds", wounds + 1), rule="T3")


def deals(step: Stepping, who: str) -> None:
    step.emit("dealt", counted(step), SetAttribute(who, "hand", step.pick(CARDS, 2, "deal", who)), rule="T4")


def asks(step: Stepping, whom: str) -> None:
    faces = step.roll(Throw(whom, "nerve", D6))
    option = step.choose(Choice(whom, "yield", YES_NO, whom))
    step.emit("answered", counted(step), SetAttribute(whom, "yields", option.value), rule="T5", why={"nerve": faces})


def parleys(step: Stepping) -> None:
    red, blue = step.choose(Choice("red", "parley", YES_NO), Choice("blue", "parley", YES_NO))
    step.emit("parleyed", counted(step), SetAttribute("table", "parley", (red.value, blue.value)), rule="T6")


def ends_turn(step: Stepping) -> None:
    step.emit("turn.ends", SetAttribute("table", "phase", "upkeep"), rule="T7")


def keeps_up(step: Stepping) -> None:
    step.emit("turn.begins", SetAttribute("table", "turn", turn_of(step.state) + 1), rule="T8")
    step.emit("acts.begin", SetAttribute("table", "phase", "acts"), rule="T8")


RULES: Mapping[str, Rule] = {
    "rolls": rolls,
    "strikes": strikes,
    "deals": deals,
    "asks": asks,
    "parleys": parleys,
    "ends turn": ends_turn,
    "keeps up": keeps_up,
}
ACTS = (
    Intent("rolls", ("red",)),
    Intent("strikes", ("red", "blue")),
    Intent("deals", ("red",)),
    Intent("asks", ("red",)),
    Intent("parleys"),
    Intent("ends turn"),
)


class Duel:
    """The game; rules, version, options and what is due can be exchanged for a test."""

    name = "duel"
    hooks = None

    def __init__(
        self,
        rules: Mapping[str, Rule] = RULES,
        *,
        version: str = "1",
        options: Mapping[str, Value] = EMPTY,
        due: Callable[[State], Due | None] = lambda _: None,
        reacting: Callable[[State, str, str], Sequence[Choice]] = lambda *_: (),
    ) -> None:
        self.rules = {**RULES, **rules}
        self.version = version
        self.options = options
        self._due = due
        self._reacting = reacting

    def seats(self, state: State) -> tuple[str, ...]:
        return SIDES

    def clock(self, state: State) -> int:
        return turn_of(state)

    def next(self, state: State) -> Due:
        due = self._due(state)
        if due is not None:
            return due
        if state["table"].attributes["phase"] == "upkeep":
            return Runs("keeps up")
        return Over("time") if turn_of(state) > 20 else Acts(SIDES)

    def legal(self, state: State, seat: str) -> Sequence[Intent]:
        own = {name for name in self.rules if name not in RULES}
        return [act._replace(seat=seat) for act in ACTS] + [Intent(name, (), seat) for name in sorted(own)]

    def view(self, state: State, seat: str) -> State:
        return state

    def reactions(self, state: State, window: str, subject: str) -> Sequence[Choice]:
        return self._reacting(state, window, subject)


def act(rule: str, *args: Any, seat: str = "red") -> Intent:
    return Intent(rule, args, seat)


def close(table: Battle[None]) -> None:
    """Let go of the file of a battle."""
    assert isinstance(table._log, BattleFile)
    table._log.close()


def battle(game: Duel | None = None, answers: Answers | None = None, **more: Any) -> Battle[None]:
    """A battle in memory (or at ``path``), with the dice of seed 7 and persons in both seats unless told otherwise."""
    return Battle.start(game or Duel(), opening(), answers or Answers(Seed(7)), **more)


def kinds(table: Battle[None]) -> list[str]:
    return [entry.kind for entry in table.history.entries]


def luck(table: Battle[None]) -> Any:
    return table.state["red"].attributes.get("luck")
