"""Disrupter's own attack: declared, seen, checked with its modifiers, saved, divided, with Stress and panic, as it is in a battle.

Two Starter Platoons stand on a scattered board, and a soldier with a pulse rifle fires at a team 2 hexes off, from the same
state again and again, each time with other dice: what he hits and whom it shakes is what it costs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import cycle, islice

from rallypoint.disrupter.fire import fire
from rallypoint.disrupter.game import Disrupter
from rallypoint.disrupter.hooks import DisrupterStep
from rallypoint.disrupter.records import Attack
from rallypoint.kernel.answers import Answers, Seed
from rallypoint.kernel.battle import Battle
from rallypoint.kernel.canonical import freeze
from rallypoint.kernel.changes import Change, SetAttribute, SetPlace
from rallypoint.kernel.fold import fold
from rallypoint.kernel.game import Acts, Due, Intent, Rule
from rallypoint.kernel.parts import Hex
from rallypoint.kernel.state import State
from rallypoint.kernel.step import Done, run
from rallypoint.kernel.tape import Grade, Pick

from .battles_of_two import starter_battle
from .machine import beside_boardgame, plain_calls, speed, written
from .timing import Row, best

DICE = 64
"""How many seeds take turns."""

SHOOTER, TARGET = "red.starter-1A-2-1", "blue.starter-1A"
ATTACK = Intent("attack", (SHOOTER, "pulse_rifle", TARGET), "red")
ACT = Intent("act", ("red.starter-1A", ((SHOOTER, "fire", "pulse_rifle", TARGET),)), "red")
ORDER = {"by": "", "to": "", "text": "Go.", "verb": "engage", "place": None, "fire_policy": None, "code_word": None}


def attack(step: DisrupterStep, shooter: str, weapon: str, target: str) -> None:
    """Fire once, as ``act`` does after the team's action is spent: a log holds plain values where that rule takes records."""
    fire(step, str(step.state[shooter].parent), (Attack(shooter, weapon, target),))


class Firing(Disrupter):
    """Disrupter with the attack as an act of its own, and one act alone listed: listing acts has a row of its own."""

    def __init__(self, only: Intent, rule: Rule = attack) -> None:
        super().__init__()
        self.rules = {**self.rules, "attack": rule}
        self._only = (only,)

    def next(self, state: State) -> Due:
        """Say that red acts."""
        return Acts(("red",))

    def legal(self, state: State, seat: str) -> Sequence[Intent]:
        """List the one act."""
        return self._only


def facing() -> State:
    """Return the battle in its first turn: red's squad 1 acts, its team A stands 2 hexes from blue's."""
    state = starter_battle(0)
    now = {"turn": 1, "phase": "action", "first": "red", "portions": (("1", "red", "battle"),) * 2, "at": 0}
    changes: list[Change] = [SetAttribute("battle", name, freeze(value)) for name, value in now.items()]
    for squad in [entity.uid for entity in state if entity.role == "squad"]:
        changes.append(SetAttribute(squad, "group", 1))
        changes.append(SetAttribute(squad, "orders", freeze([{**ORDER, "since": 0, "number": 0}])))
    places = SetPlace("red.starter-1A", Hex(2, 5)), SetPlace(TARGET, Hex(4, 3))
    return fold(state, [*changes, *places])


def rows() -> Iterator[Row]:
    state = facing()
    tables = [Battle.start(Firing(ATTACK), state, Answers(Seed(seed))) for seed in range(DICE)]
    for table in tables:
        table.act(ATTACK)
    dones = [run(Firing(ATTACK), state, ATTACK, Answers(Seed(seed))) for seed in range(DICE)]
    found = best(
        {
            "log": logged(state, ATTACK),
            "kernel": logged(state, ATTACK, [retold(done) for done in dones]),
            "texts": written([table.history.entries[-1] for table in tables]),
            "events": simulated(state, log=True),
            "bare": simulated(state, log=False),
            "act": logged(state, ACT),
            "plain": plain_calls,
        },
        500,
    )
    call, name = found["plain"], "Disrupter's own attack"
    goal, met = "20,000 a second", found["log"] <= 1e9 / 20_000
    yield Row(f"{name} through the log, with its undo", speed(found["log"], call), goal, met)
    yield Row("its dice, events, texts and hashes without its rules", speed(found["kernel"], call), "(none set)", None)
    yield Row("its texts alone, by the standard library", speed(found["texts"], call), "(none set)", None)
    yield Row("the same with its events in memory", speed(found["events"], call), "(none set)", None)
    yield Row("the same without a log", speed(found["bare"], call), "(none set)", None)
    yield Row("an activation with one shot, through the log, with undo", speed(found["act"], call), "(none set)", None)
    yield beside_boardgame("its attack through the log", found["log"])
    yield beside_boardgame("its attack, events in memory,", found["events"])


def logged(state: State, intent: Intent, rules: Sequence[Rule] = (attack,) * DICE) -> Callable[[int], object]:
    """Return the case of an act that is written out for a log in memory, and then undone to be done again with other dice.

    ``rules`` says for each seed which function the act ``attack`` is.
    """
    games = {rule: Firing(intent, rule) for rule in rules}
    tables = [Battle.start(games[rule], state, Answers(Seed(seed))) for seed, rule in enumerate(rules)]

    def case(number: int) -> None:
        for table in islice(cycle(tables), number):
            table.act(intent)
            table.undo()

    return case


def retold(done: Done) -> Rule:
    """Return a rule that knows beforehand what an attack asks and tells: what is left is the kernel's part of it."""
    asked = [taped.question for taped in done.tape]

    def again(step: DisrupterStep, *_attack: str) -> None:
        for question in asked:
            if isinstance(question, Grade):
                step.grade(question.throw, question.cut)
            elif isinstance(question, Pick):
                step.pick(question.among, question.k, question.purpose, question.who)
        for event in done.events:
            step.emit(event.kind, *event.changes, rule=event.rule, why=event.why)

    return again


def simulated(state: State, *, log: bool) -> Callable[[int], object]:
    """Return the case of the attack alone, run from one state."""
    game, seeds = Firing(ATTACK), [Answers(Seed(seed)) for seed in range(DICE)]

    def case(number: int) -> None:
        for answers in islice(cycle(seeds), number):
            run(game, state, ATTACK, answers, log=log)

    return case
