"""Gunfight, one situation a test; every number was worked out by hand from the rules that the comments cite."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from rallypoint.kernel.answers import PERSON, Answers, Script
from rallypoint.kernel.battle import Battle
from rallypoint.kernel.game import Acts, Due, Intent, Over
from rallypoint.kernel.state import Entity, State, Status
from rallypoint.kernel.step import Done, run
from rallypoint.kernel.tape import Choose

from .games import fighter, gunfight
from .gunfight import Gunfight, in_turn

GAME = Gunfight()
PARTS = ("Endurance", "Strength", "Dexterity")


def step(state: State, rule: str, *args: str, seat: str | None = None, script: Sequence[object] = ()) -> Done:
    """Run one rule; the script is used up to its last answer."""
    answers = iter(script)
    done = run(GAME, state, Intent(rule, args, seat), Script(answers))
    assert list(answers) == []
    return done


def kinds(done: Done) -> list[str]:
    return [event.kind for event in done.events]


def parts(entity: Entity) -> list[int]:
    return [entity.value(part) for part in PARTS]


def table(*fighters: Entity) -> Battle[None]:
    return Battle.start(GAME, gunfight(*fighters), Answers(PERSON))


def acting(battle: Battle[None]) -> tuple[Due, list[str]]:
    return battle.due, [who.uid for who in in_turn(battle.state)]


def test_initiative_is_two_dice_and_the_dexterity_dm() -> None:
    # T-IN1: 3 + 5 + 1.
    done = step(gunfight(fighter("red-1", dex_dm=1)), "ready", "red-1", script=[[3, 5]])
    assert (done.state["red-1"].value("Initiative"), done.events[0].rule) == (9, "T-IN1")


def test_a_dodge_inside_an_attack_changes_who_acts_next() -> None:
    # T-RE1: the dodger goes from 7 to 5, behind blue-2 at 6. T-RE2: 4 + 4 - 1 = 7 misses.
    battle = table(fighter("red-1", 9), fighter("blue-1", 7), fighter("blue-2", 6))
    assert acting(battle) == (Acts(("red",)), ["red-1"])
    battle.act(Intent("attack", ("red-1", "blue-1"), "red"))
    assert isinstance(battle.question, Choose)
    assert battle.question.asks[0].seat == "blue"
    battle.answer("dodge")
    events = battle.answer([4, 4])
    assert [event.kind for event in events] == ["act.begins", "reaction.dodge", "attack.misses"]
    assert acting(battle) == (Acts(("blue",)), ["blue-2"])
    assert battle.state["blue-1"].value("Initiative") == 5
    battle.act(Intent("delay", ("blue-2",), "blue"))
    assert acting(battle) == (Acts(("blue",)), ["blue-1"])
    # T-RE1: the dodger has -1 on own checks in this round, so 4 + 4 - 1 misses again.
    battle.act(Intent("attack", ("blue-1", "red-1"), "blue"))
    battle.answer("no")
    assert battle.answer([4, 4])[-1].kind == "attack.misses"


def test_without_the_dodge_the_same_dice_hit_and_the_order_stays() -> None:
    state = gunfight(fighter("red-1", 9), fighter("blue-1", 7), fighter("blue-2", 6))
    done = step(state, "attack", "red-1", "blue-1", seat="red", script=["no", [4, 4]])
    assert kinds(done) == ["act.begins", "attack.hits"]
    assert done.state["blue-1"].statuses["hit 0 by red-1"].value == "0"
    assert done.state["blue-1"].value("Initiative") == 7


def test_who_has_acted_pays_for_a_dodge_in_the_next_round() -> None:
    # T-IN6: red-1 stays at 9 in this round and has 9 - 2 = 7 in the next, then 9 again.
    battle = table(fighter("red-1", 9), fighter("blue-1", 7))
    battle.act(Intent("attack", ("red-1", "blue-1"), "red"))
    battle.answer("no")
    battle.answer([1, 1])
    battle.act(Intent("attack", ("blue-1", "red-1"), "blue"))
    battle.answer("dodge")
    battle.answer([1, 1])
    assert (battle.state["red-1"].value("Initiative"), battle.state["red-1"].value("Next")) == (9, -2)
    for round_number, initiative in ((2, 7), (3, 9)):
        battle.play()
        assert battle.state["table"].value("Round") == round_number
        red = battle.state["red-1"]
        assert [red.value(name) for name in ("Initiative", "Next", "Reactions")] == [initiative, 0, 0]
        for _ in range(2):  # both shoot at nothing, so that nobody is first by having delayed
            shooter = in_turn(battle.state)[0]
            target = "blue-1" if shooter.uid == "red-1" else "red-1"
            battle.act(Intent("attack", (shooter.uid, target), shooter.parent))
            battle.answer("no")
            battle.answer([1, 1])


def test_a_delayed_act_interrupts_and_kills_before_the_shot() -> None:
    battle = table(fighter("red-1", 10), fighter("blue-1", 8), fighter("blue-2", 3))
    battle.act(Intent("delay", ("red-1",), "red"))
    assert acting(battle) == (Acts(("blue",)), ["blue-1"])
    battle.act(Intent("attack", ("blue-1", "red-1"), "blue"))
    # T-IN8: red is asked first. 6 + 6 has an Effect of 4; 6 + 5 + 4 = 15 takes 5 + 5 + 5: dead (T-DA3).
    for answer in ("interrupt", "no", [6, 6], [6, 5]):
        assert battle.answer(answer) == ()
    events = battle.answer("Strength")
    assert [event.kind for event in events] == ["act.begins", "act.interrupts", "attack.hits", "hit.damage"]
    assert [event.cause for event in events] == [None, 0, 0, 2]
    assert parts(battle.state["blue-1"]) == [0, 0, 0]
    assert parts(battle.state["red-1"]) == [5, 5, 5]
    # T-IN8: the Initiative of the interrupter is the count at which it interrupted, and it has acted.
    assert battle.state["red-1"].value("Initiative") == 8
    assert acting(battle) == (Acts(("blue",)), ["blue-2"])


def test_an_interrupter_that_misses_lets_the_act_go_on() -> None:
    state = gunfight(fighter("red-1", 10), fighter("blue-1", 8))
    state = step(state, "delay", "red-1", seat="red").state
    script = ["interrupt", "dodge", [4, 4], "no", [5, 4]]
    done = step(state, "attack", "blue-1", "red-1", seat="blue", script=script)
    # 4 + 4 - 1 for the dodge misses; then 5 + 4 - 1 for the own reaction (T-RE1) is 8: an Effect of 0.
    assert kinds(done) == ["act.begins", "act.interrupts", "reaction.dodge", "attack.misses", "attack.hits"]
    assert done.state["red-1"].statuses["hit 0 by blue-1"].value == "0"
    # The interruption comes of the act, the dodge of the interruption; what follows is the act's own again.
    assert [event.cause for event in done.events] == [None, 0, 1, 0, None]


def test_a_delay_to_the_end_of_the_round_goes_first_in_the_next() -> None:
    # T-IN8: one above the highest, which is blue's 8.
    battle = table(fighter("red-1", 4), fighter("blue-1", 8))
    battle.act(Intent("attack", ("blue-1", "red-1"), "blue"))
    battle.answer("no")
    battle.answer([1, 2])
    battle.act(Intent("delay", ("red-1",), "red"))
    battle.play()
    assert (battle.state["table"].value("Round"), battle.state["red-1"].value("Initiative")) == (2, 9)
    assert acting(battle) == (Acts(("red",)), ["red-1"])


def test_two_with_equal_counts_kill_each_other() -> None:
    # T-IN5: Initiative 9 and Dexterity 5 both; effects apply after both acts. 6 + 6: Effect 4, damage 6 + 5 + 4 = 15.
    battle = table(fighter("red-1", 9), fighter("blue-1", 9))
    assert battle.due == Acts(("blue", "red"))
    battle.act(Intent("attack", ("red-1", "blue-1"), "red"))
    battle.answer("no")
    battle.answer([6, 6])
    assert parts(battle.state["blue-1"]) == [5, 5, 5]
    assert acting(battle) == (Acts(("blue",)), ["blue-1"])
    battle.act(Intent("attack", ("blue-1", "red-1"), "blue"))
    battle.answer("no")
    battle.answer([6, 6])
    for _ in range(2):
        battle.play()
        battle.answer([6, 5])
        battle.answer("Dexterity")
    assert [parts(battle.state[uid]) for uid in ("red-1", "blue-1")] == [[0, 0, 0], [0, 0, 0]]
    assert battle.play() == Over("nobody")


def test_the_higher_dexterity_goes_first_and_lives() -> None:
    # The same dice, but blue's Dexterity is 4: its wounds come first, and it does not shoot back.
    weak = fighter("blue-1", 9)
    trackers = {**weak.trackers, "Dexterity": weak.trackers["Dexterity"]._replace(value=4)}
    battle = table(fighter("red-1", 9), weak._replace(trackers=trackers))
    assert battle.due == Acts(("red",))
    battle.act(Intent("attack", ("red-1", "blue-1"), "red"))
    battle.answer("no")
    battle.answer([6, 6])
    battle.play()
    battle.answer([6, 5])
    battle.answer("Strength")
    assert battle.play() == Over("red")


@pytest.mark.parametrize(
    ("pairing", "hits"),
    [("2+3 5+6", ["4"]), ("2+5 3+6", ["0", "2"]), ("2+6 3+5", ["1", "1"])],
)
def test_dice_are_paired_after_they_are_rolled(pairing: str, hits: list[str]) -> None:
    # T-AU3: skill 2 counts 1, so DM 1. 2 + 3 + 1 = 6 misses and 5 + 6 + 1 = 12; 8 and 10; 9 and 9.
    battle = table(fighter("red-1", 9, skill=2, auto=4), fighter("blue-1", 5))
    battle.act(Intent("auto_fire", ("red-1", "blue-1"), "red"))
    battle.answer("no")
    battle.answer([6, 3, 2, 5])
    question = battle.question
    assert isinstance(question, Choose)
    assert [option.key for option in question.asks[0].options] == ["2+3 5+6", "2+5 3+6", "2+6 3+5"]
    assert question.asks[0].seat == "red"
    battle.answer(pairing)
    statuses = battle.state["blue-1"].statuses.values()
    assert [status.value for status in statuses if status.name.startswith("hit")] == hits


def test_the_odd_die_of_auto_fire_is_lost() -> None:
    # T-AMB-18: of 1, 6 and 6 one die is left over; 6 + 6 has an Effect of 4, 1 + 6 misses.
    state = gunfight(fighter("red-1", 9, auto=3), fighter("blue-1", 5))
    done = step(state, "auto_fire", "red-1", "blue-1", seat="red", script=["no", [6, 1, 6], "6+6"])
    assert [status.value for status in done.state["blue-1"].statuses.values()] == ["4"]
    missed = step(state, "auto_fire", "red-1", "blue-1", seat="red", script=["no", [6, 1, 6], "1+6"])
    assert kinds(missed) == ["act.begins", "attack.misses"]


@pytest.mark.parametrize(("first", "left"), [("Strength", [0, 3, 5]), ("Dexterity", [0, 5, 3])])
def test_the_owner_chooses_where_damage_goes(first: str, left: list[int]) -> None:
    # T-DA1: 3 + 3 + Effect 2 - armour 1 = 7; T-DA3: 5 off Endurance, 2 off what the owner says.
    hit = Status("hit 0 by red-1", "2", "red-1")
    battle = table(fighter("red-1", 9), fighter("blue-1", 5, hit=hit, armour=1))
    battle.play()
    battle.answer([3, 3])
    question = battle.question
    assert isinstance(question, Choose)
    assert [(ask.seat, ask.subject) for ask in question.asks] == [("blue", "blue-1")]
    battle.answer(first)
    assert parts(battle.state["blue-1"]) == left
    assert battle.due == Acts(("red",))


def test_armour_lets_one_point_through_from_an_effect_of_six() -> None:
    # T-DA2: 1 + 1 + 6 - 30 would be nothing; an Effect of 5 does nothing.
    for effect, endurance in (("6", 4), ("5", 5)):
        hurt = fighter("blue-1", 5, hit=Status("hit 0 by red-1", effect, "red-1"), armour=30)
        done = step(gunfight(fighter("red-1", 9), hurt), "wound", "blue-1", "hit 0 by red-1", script=[[1, 1]])
        assert parts(done.state["blue-1"]) == [endurance, 5, 5]
        assert dict(done.state["blue-1"].statuses) == {}
