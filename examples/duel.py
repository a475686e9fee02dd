"""Duel: a whole game in a hundred lines, the worked example of ``docs/architecture.md``.

Two sides of a few units. In each turn red and then blue fires one unit at another: the shooter checks Instinct, the target
saves with Armor, and the outcome table says how many Wounds get through. A side without living units has lost.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import ClassVar, Protocol

from rallypoint.kernel.canonical import EMPTY, Value
from rallypoint.kernel.changes import SetAttribute, SetTracker
from rallypoint.kernel.dice import D100, ByFace, Throw
from rallypoint.kernel.errors import RuleError
from rallypoint.kernel.game import Acts, Due, Intent, Over, Rule
from rallypoint.kernel.plugins.hooks import change
from rallypoint.kernel.plugins.life_cycle import LifeCycle
from rallypoint.kernel.plugins.plan import compile_plan
from rallypoint.kernel.state import Entity, State, Tracker
from rallypoint.kernel.step import Graded, Step
from rallypoint.kernel.tape import Choice

SIDES = ("red", "blue")


class Hooks(LifeCycle, Protocol):
    """What plugins may change in a duel, besides the life-cycle that every game has."""

    hook_api: ClassVar[str] = "1.0"

    @change("wounds", rules=("DUEL-3",))
    def fire_wounds(self, step: Step[Hooks], target: Entity, wounds: int) -> int:
        """Return how many Wounds a hit does to ``target``."""


@lru_cache
def under(target: int, advantage: bool = False) -> ByFace:
    """Return the cut of a check: under ``target`` (percent) is a success; of two dice the better one counts."""
    classes = ["success" if face < target else "failure" for face in range(100)]
    return ByFace.of(classes, ("success", "failure") if advantage else ("failure", "success"))


def check(step: Step[Hooks], unit: Entity, stat: str, rule: str, dice: int = 1) -> Graded:
    """Throw a check of ``unit`` against one of its stats (percent), tell it, and return it."""
    target = unit.facts[stat]
    assert isinstance(target, int)
    graded = step.grade(Throw(unit.uid, stat, D100, dice), under(target, dice > 1))
    step.emit("check", rule=rule, why={"check": graded, "target": target, "unit": unit.uid})
    return graded


def fire(step: Step[Hooks], shooter: str, target: str) -> None:
    """DUEL-1 to DUEL-3: one unit fires at another; one that has aimed throws two dice and takes the better."""
    state = step.state
    for uid, side in ((shooter, acting(state)), (target, waiting(state))):
        if uid not in state or state[uid].parent != side or not alive(state[uid]):
            raise RuleError("no living unit of that side", rule="DUEL-1", where=side, found=uid)
    aimed = state[shooter].attributes.get("aimed", False)
    attack = check(step, state[shooter], "instinct", "DUEL-1", dice=2 if aimed else 1)
    save = check(step, state[target], "armor", "DUEL-2")
    if attack.grade == "success":
        wounds = step.hooks.fire_wounds(step, state[target], 2)
        wounds -= save.grade == "success"
        taken = state[target].trackers["Wounds"]
        hurt = SetTracker(target, "Wounds", taken.clamp(taken.value + max(wounds, 0)))
        step.emit("wounds", hurt, rule="DUEL-3", why={"wounds": wounds, "save": save})
    step.call(pass_turn)


def aim(step: Step[Hooks], shooter: str) -> None:
    """DUEL-4: instead of firing a unit aims, and has two dice from then on."""
    if shooter not in step.state or step.state[shooter].parent != acting(step.state):
        raise RuleError("no unit of the side that acts", rule="DUEL-4", where=acting(step.state), found=shooter)
    step.emit("aimed", SetAttribute(shooter, "aimed", True), rule="DUEL-4")
    step.call(pass_turn)


def pass_turn(step: Step[Hooks]) -> None:
    """DUEL-5: the other side is next; after blue the next turn begins."""
    state = step.state
    clock = SetAttribute("duel", "turn", step.turn + (acting(state) == "blue"))
    other = SetAttribute("duel", "acts", waiting(state))
    step.emit("turn.passed", clock, other, rule="DUEL-5")


def alive(unit: Entity) -> bool:
    """Say whether the unit can still take a Wound."""
    wounds = unit.trackers["Wounds"]
    return wounds.value != wounds.max


def acting(state: State) -> str:
    """Return the side whose act is due."""
    return str(state["duel"].attributes["acts"])


def waiting(state: State) -> str:
    """Return the other side."""
    return "blue" if acting(state) == "red" else "red"


class Duel:
    """The game, bound to its hooks."""

    name = "duel"
    version = "1"
    options: Mapping[str, Value] = EMPTY
    rules: Mapping[str, Rule] = {"fire": fire, "aim": aim}

    def __init__(self, hooks: Hooks | None = None) -> None:
        self.hooks: Hooks = hooks if hooks is not None else compile_plan(Hooks, ())

    def seats(self, state: State) -> tuple[str, ...]:
        """Red acts first."""
        return SIDES

    def clock(self, state: State) -> int:
        """Return the turn, from 1."""
        turn = state["duel"].attributes["turn"]
        assert isinstance(turn, int)
        return turn

    def next(self, state: State) -> Due:
        """DUEL-6: the side that has nobody left has lost."""
        for side, other in (SIDES, SIDES[::-1]):
            if not any(alive(unit) for unit in state.children(side)):
                return Over({"won": other, "rule": "DUEL-6"})
        return Acts((acting(state),))

    def legal(self, state: State, seat: str) -> Sequence[Intent]:
        """Each living unit may fire at each living enemy, or aim if it has not."""
        enemy = "blue" if seat == "red" else "red"
        shooters = [unit for unit in state.children(seat) if alive(unit)]
        targets = [unit.uid for unit in state.children(enemy) if alive(unit)]
        shots = [Intent("fire", (unit.uid, target), seat) for unit in shooters for target in targets]
        return shots + [Intent("aim", (unit.uid,), seat) for unit in shooters if "aimed" not in unit.attributes]

    def view(self, state: State, seat: str) -> State:
        """Nothing is hidden."""
        return state

    def reactions(self, state: State, window: str, subject: str) -> Sequence[Choice]:
        """Nobody reacts in a duel."""
        return ()


def first_state(size: int = 3) -> State:
    """Return the state before the first turn, with ``size`` units a side."""
    entities = [Entity.new("duel", "duel", attributes={"turn": 1, "acts": "red"})]
    for side in SIDES:
        entities.append(Entity.new(side, "side"))
        entities += [
            Entity.new(
                f"{side}-{number}",
                "unit",
                parent=side,
                facts={"instinct": 60, "armor": 60},
                trackers={"Wounds": Tracker(0, 0, 2)},
            )
            for number in range(1, size + 1)
        ]
    return State.of(entities)
