"""One rule, four sources of answers: the same faces give the same events to the byte."""

from __future__ import annotations

from contextlib import ExitStack
from fractions import Fraction
from pathlib import Path

import pytest

from rallypoint.kernel.answers import PERSON, Answers, Policy, Script, Seed
from rallypoint.kernel.battle import Battle
from rallypoint.kernel.battle_file import BattleFile
from rallypoint.kernel.canonical import canonical
from rallypoint.kernel.changes import SetTracker
from rallypoint.kernel.dice import D6, PERCENTILE, Throw
from rallypoint.kernel.errors import TapeError
from rallypoint.kernel.events import event_out
from rallypoint.kernel.game import Acts, Due, Game, Intent, Runs
from rallypoint.kernel.odds import outcomes
from rallypoint.kernel.state import Hex, State, Status, Tracker
from rallypoint.kernel.step import NOBODY, Done, Step, run
from rallypoint.kernel.tape import Choice, Choose

from .frontline import Frontline
from .games import dogfight, dogfighters, fighter, frontline, gunfight, ship, unit
from .gunfight import Gunfight
from .plain import Plain, named


def last(ask: Choice, view: State) -> int:
    return len(ask.options) - 1


LAST = Policy(choose=last, act=lambda legal, view: None)


def told(done: Done) -> str:
    """Return all that a step told, in canonical text."""
    return canonical([event_out(event) for event in done.events])


def wounding() -> tuple[Game[None], State, Intent]:
    """Two dice, then perhaps the owner's choice."""
    hurt = fighter("blue-1", 5, hit=Status("hit 0 by red-1", "3", "red-1"))
    return Gunfight(), gunfight(fighter("red-1", 9), hurt), Intent("wound", ("blue-1", "hit 0 by red-1"))


def attacking() -> tuple[Game[None], State, Intent]:
    """One die, then two more if it is low."""
    state = frontline(unit("red-1", "Infantry", "red front", morale=4), unit("blue-1", "Infantry", "blue front"))
    for side in ("red", "blue"):
        state = run(Frontline(), state, Intent("command", (side,)), Script([])).state
    return Frontline(), state, Intent("attack", ("red-1", "blue-1"), "red")


def pairing() -> tuple[Game[None], State, Intent]:
    """A reaction, three dice, and then the choice of a pair."""
    state = gunfight(fighter("red-1", 9, auto=3), fighter("blue-1", 5))
    return Gunfight(), state, Intent("auto_fire", ("red-1", "blue-1"), "red")


RULES = {"wounding": wounding, "attacking": attacking, "pairing": pairing}


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("name", RULES)
def test_seed_script_typed_dice_and_enumerator_tell_the_same(name: str, seed: int) -> None:
    game, state, intent = RULES[name]()
    by_seed = run(game, state, intent, Answers(Seed(seed), others=LAST))

    by_script = run(game, state, intent, Script([taped.answer for taped in by_seed.tape]))
    assert told(by_script) == told(by_seed)
    assert by_script.tape == by_seed.tape

    battle = Battle.start(game, state, Answers(PERSON))
    if intent.seat is None:
        battle.play()
    else:
        battle.act(intent)
    events = battle.history.entries[-1].events
    for taped in by_seed.tape:
        question = battle.question
        assert question == taped.question
        events = battle.answer(taped.answer if isinstance(question, Choose) else list(map(list, taped.answer)))  # type: ignore[arg-type]
    assert battle.question is None
    assert canonical([event_out(event) for event in events]) == told(by_seed)
    assert battle.state == by_seed.state
    kept = battle.history.entries[-1]
    assert canonical([event_out(event) for event in kept.events]) == told(by_seed)

    leaves = outcomes(game, state, intent, told, last)
    assert told(by_seed) in leaves
    assert sum(leaves.values()) == Fraction(1)


def test_every_leaf_of_the_enumerator_comes_by_script() -> None:
    # 36 pairs of faces, and the text of each step holds its faces: 36 leaves of 1/36.
    game, state, intent = wounding()
    leaves = outcomes(game, state, intent, told, last)
    scripted = {
        told(run(game, state, intent, Script([[a, b], "Dexterity"]))): Fraction(1, 36)
        for a in range(1, 7)
        for b in range(1, 7)
    }
    assert leaves == scripted


def test_a_graded_throw_tells_the_same_but_for_the_faces_that_nobody_read() -> None:
    # An enumeration branches by class; with its faces filled in the leaf is the step that was played.
    game = dogfighters()
    state = dogfight(ship("red-1", Hex(0, 0, 0), Hex(0, 0), agility=5), ship("blue-1", Hex(2, 0, 3), Hex(2, 0)))
    state = run(game, state, Intent("new_round"), Script([])).state
    fire = Intent("fire", ("red-1", "blue-1"), "red")
    leaves = outcomes(game, state, fire, told)
    # Skill 60 at range 0: 6 critical, 24 special, 30 mundane, 40 failures.
    for face, ways in ((30, 6), (27, 24), (2, 30), (88, 40)):
        played = told(run(game, state, fire, Script([face])))
        assert f'"faces":[{face}]' in played
        assert leaves[played.replace(f'"faces":[{face}]', '"faces":null')] == Fraction(ways, 100)


def test_dice_that_cannot_be_are_asked_for_again() -> None:
    game, state, _ = wounding()
    battle = Battle.start(game, state, Answers(PERSON))
    battle.play()
    question = battle.question
    for impossible in ([0, 6], [7, 1], [3], [1, 2, 3], "six", [[1, 2], [3, 4]]):
        with pytest.raises(TapeError):
            battle.answer(impossible)
        assert battle.question == question
    battle.answer([6, 6])
    with pytest.raises(TapeError, match="no such option"):
        battle.answer("Endurance")
    with pytest.raises(TapeError):
        battle.answer(2)
    battle.answer("Strength")
    # 6 + 6 + 3 = 15 off 5, 5 and 5.
    assert [tracker.value for tracker in battle.state["blue-1"].trackers.values() if tracker.max == 5] == [0, 0, 0]


def test_a_tape_of_other_rules_is_refused() -> None:
    game, state, intent = wounding()
    tape = run(game, state, intent, Script([[1, 1]])).tape
    other, there, attack = attacking()
    with pytest.raises(TapeError, match="asks another question than the one on the tape"):
        run(other, there, attack, NOBODY, tape=tape)
    with pytest.raises(TapeError, match="answers that the rule never asked for"):
        run(game, state, intent, NOBODY, tape=(*tape, *tape))


def shots(battle: Battle[None]) -> list[object]:
    """Return the faces of every question, in order."""
    return [taped.answer for entry in battle.history.entries if entry.kind == "step" for taped in entry.tape]


def test_seeded_dice_count_on_within_a_turn(tmp_path: Path, closing: ExitStack) -> None:
    """The second throw of one turn is another one, also after the file was opened again and after an undo."""
    seed = Seed(11)
    table = frontline(unit("red-1", "Artillery", "red front", 20, 9), unit("blue-1", "Vehicle", "blue front", 90))
    first, second = (seed.faces(Throw("red-1", "attack", D6, 2), 1, ordinal) for ordinal in (0, 1))
    assert first != second
    path = tmp_path / "counted.battle"
    battle = closing.enter_context(Battle.start(Frontline(), table, Answers(seed), path=path))
    battle.play()
    battle.edit("table", SetTracker("red", "Orders", 2), SetTracker("blue", "Orders", 0))
    attack = Intent("attack", ("red-1", "blue-1"), "red")
    battle.act(attack)
    battle.act(attack)
    assert shots(battle) == [(first,), (second,)]
    battle.undo()
    battle.act(attack)
    assert shots(battle) == [(first,), (second,), (second,)]
    battle.undo()
    with BattleFile(path) as file:
        again = Battle.open(file, Frontline(), Answers(seed))
        again.act(attack)
        assert shots(again)[-1] == (second,)
        again.undo()
        again.undo()
        again.act(attack)
        assert shots(again)[-1] == (first,)


def test_graded_dice_count_on_within_a_turn() -> None:
    seed, game = Seed(12), dogfighters()
    state = dogfight(ship("red-1", Hex(0, 0, 0), Hex(0, 0), agility=5), ship("blue-1", Hex(2, 0, 3), Hex(2, 0)))
    state = State.of(
        [e._replace(trackers={**e.trackers, "Hull": Tracker(99)}) if e.uid == "blue-1" else e for e in state]
    )
    battle = Battle.start(game, state, Answers(seed))
    battle.play()
    for _ in range(3):
        battle.act(Intent("fire", ("red-1", "blue-1"), "red"))
        if battle.due == Acts(("blue",)):
            battle.act(Intent("hold", ("blue-1",), "blue"))
    assert shots(battle) == [seed.faces(Throw("red-1", "gun", PERCENTILE), 1, ordinal) for ordinal in range(3)]


class Twins(Plain):
    """One rule that throws two dice of the same name, first together and then one by one."""

    name = "twins"

    def __init__(self) -> None:
        super().__init__()
        self.rules = named(self.twins)

    @staticmethod
    def twins(step: Step[None]) -> None:
        throw = Throw("red", "luck", PERCENTILE)
        step.emit("twins", rule="T-TK6", why={"together": step.roll(throw, throw), "after": step.roll(throw)})

    def next(self, state: State) -> Due:
        return Runs("twins")

    def legal(self, state: State, seat: str) -> list[Intent]:
        return []


def test_dice_of_the_same_name_in_one_throw_are_different_dice() -> None:
    seed, throw = Seed(5), Throw("red", "luck", PERCENTILE)
    faces = [seed.faces(throw, 1, ordinal) for ordinal in range(3)]
    assert len(set(faces)) == 3
    done = run(Twins(), gunfight(), Intent("twins"), Answers(seed))
    assert done.events[0].why == {"together": (faces[0], faces[1]), "after": faces[2]}
