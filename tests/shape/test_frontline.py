"""Frontline, one situation a test; every number was worked out by hand from the rules that the comments cite."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from rallypoint.kernel.answers import PERSON, Answers, Script
from rallypoint.kernel.battle import Battle
from rallypoint.kernel.canonical import Value
from rallypoint.kernel.changes import Change, SetStatus, SetTracker
from rallypoint.kernel.errors import TapeError
from rallypoint.kernel.fold import fold
from rallypoint.kernel.game import Acts, Intent, Over
from rallypoint.kernel.state import State, Status, Zone
from rallypoint.kernel.step import Done, run

from .frontline import Frontline
from .games import frontline, unit

GAME = Frontline()
RED = unit("red-1", "Infantry", "red front")
CHIEFS = unit("red-9", "Command", "red support", 5), unit("blue-9", "Command", "blue support", 5)


def step(state: State, rule: str, *args: Value, script: Sequence[object] = ()) -> Done:
    answers = iter(script)
    done = run(GAME, state, Intent(rule, args), Script(answers))
    assert list(answers) == []
    return done


def ordered(state: State, red: int = 9, blue: int = 9) -> State:
    """Return the state with Unit Actions given, so that red or, if it has less, blue is to act."""
    changes: list[Change] = []
    for side, orders in (("red", red), ("blue", blue)):
        changes += [SetTracker(side, "Orders", orders), SetTracker(side, "Commanded", 1)]
    return fold(state, changes)


def kinds(done: Done) -> list[str]:
    return [event.kind for event in done.events]


@pytest.mark.parametrize(
    ("zone", "dice", "orders"),
    [("red support", [4, 5], 5), ("red reserves", [4, 5], 6), ("red support", [3, 4], 3), ("red support", [2, 4], 3)],
)
def test_command_gives_unit_actions(zone: str, dice: list[int], orders: int) -> None:
    # T-BC1: 4 + 5 + Leadership 1 = 10, an Effect of 2 above Tactics 3; one more in Reserves; 8 has an Effect of 0.
    state = frontline(unit("red-1", "Command", zone), unit("blue-1", "Infantry", "blue front"), red=3)
    done = step(state, "command", "red", script=[dice])
    assert done.state["red"].value("Orders") == orders


def test_without_command_all_morale_drops() -> None:
    # T-BC2, and in this game as many Unit Actions as there are units.
    state = frontline(RED, unit("red-2", "Vehicle", "red front", 4, 1), unit("blue-1", "Infantry", "blue front"))
    done = step(state, "command", "red")
    assert [done.state[uid].value("Morale") for uid in ("red-1", "red-2", "blue-1")] == [5, 0, 6]
    assert done.state["red"].value("Orders") == 2


def test_sides_alternate_and_second_actions_come_last() -> None:
    # T-BA2: red has more Unit Actions and starts; red's second unit goes before anybody's second action.
    units = RED, unit("red-2", "Infantry", "red front"), unit("blue-1", "Infantry", "blue front")
    battle = Battle.start(GAME, ordered(frontline(*units), red=4, blue=3), Answers(PERSON))
    order = []
    while isinstance(due := battle.due, Acts):
        act = next(intent for intent in battle.legal(due.seats[0]) if intent.rule == "attack")
        order.append(act.args[0])
        battle.act(act)
        battle.answer(1)  # the nerve, which nobody has for sure without command, and a miss
        battle.answer([1, 1])
    assert order == ["red-1", "blue-1", "red-2", "blue-1", "red-1", "red-2"]


def test_blocking_stops_one_and_infantry_stops_two() -> None:
    # T-BM2: close quarters stop the first that comes, infantry the first two.
    for kind, stopped in (("Close Quarters", 1), ("Infantry", 2)):
        state = ordered(
            frontline(
                *[unit(f"red-{n}", "Vehicle", "red front") for n in (1, 2, 3)], unit("blue-1", kind, "blue front")
            )
        )
        for number in (1, 2, 3):
            done = step(state, "manoeuvre", f"red-{number}", "blue front")
            blocked = number <= stopped
            assert kinds(done)[1] == ("manoeuvre.blocked" if blocked else "unit.moves")
            assert done.state[f"red-{number}"].place == Zone("red front" if blocked else "blue front")
            state = ordered(done.state, blue=0)


def test_broken_units_do_not_block_and_own_units_neither() -> None:
    # T-BM2: Morale above 0.
    broken = unit("blue-1", "Infantry", "blue front", morale=0)
    state = ordered(frontline(RED, unit("red-2", "Infantry", "blue front"), broken))
    assert step(state, "manoeuvre", "red-1", "blue front").state["red-1"].place == Zone("blue front")


def test_going_back_restores_morale_and_beyond_support_is_off() -> None:
    # T-BM3: 1 regained, up to what it was; forward nothing.
    shaken = fold(
        ordered(frontline(RED, unit("blue-1", "Infantry", "blue support"))), [SetTracker("red-1", "Morale", 4)]
    )
    assert step(shaken, "manoeuvre", "red-1", "red reserves").state["red-1"].value("Morale") == 5
    assert step(shaken, "manoeuvre", "red-1", "blue front").state["red-1"].value("Morale") == 4
    full = fold(shaken, [SetTracker("red-1", "Morale", 6)])
    assert step(full, "manoeuvre", "red-1", "red reserves").state["red-1"].value("Morale") == 6
    last = ordered(frontline(unit("red-1", "Infantry", "red support"), unit("blue-1", "Infantry", "blue front")))
    gone = step(last, "manoeuvre", "red-1", "off").state
    assert "red-1" not in gone
    assert GAME.next(gone) == Over("blue holds the field")


@pytest.mark.parametrize(
    ("dice", "red", "blue", "left"),
    [
        ([5, 4], {}, {}, 16),  # 9 + 1 - 8 = 2, size of 20 members is 2: 4 casualties
        ([3, 4], {}, {}, 18),  # 8 hits with an Effect of 0
        ([3, 3], {}, {}, 20),  # 7 misses
        ([5, 4], {"strength": 21}, {}, 15),  # M-T4: 21 members are of size 3
        ([5, 4], {"tl": 10}, {}, 14),  # two tech levels more
        ([5, 4], {"tl": 3}, {}, 20),  # 2 + 2 - 5 is below 0
        ([6, 6], {"skill": 9, "tl": 15}, {}, None),  # 13 + 2 + 7 = 22 destroys 20
        ([6, 6], {}, {"lost": 13}, None),  # 5 + 2 = 7 are all that are left
    ],
)
def test_an_attack_of_one_formation_on_another(
    dice: list[int], red: dict[str, int], blue: dict[str, int], left: int | None
) -> None:
    # T-BT2, T-BT3; Morale 6 and more passes T-BT1 without a die.
    lost = blue.get("lost", 0)
    units = unit("red-1", "Infantry", "red front", **red), unit("blue-1", "Infantry", "blue front", lost=lost)
    done = step(ordered(frontline(*units, *CHIEFS)), "attack", "red-1", "blue-1", script=[dice])
    target = done.state.get("blue-1")
    assert (None if target is None else target.value("Strength")) == left
    assert kinds(done)[:2] == ["action.spent", "unit.attacked"]


@pytest.mark.parametrize(
    ("chiefs", "die", "dares"), [(CHIEFS, 4, True), (CHIEFS, 5, False), ((), 3, True), ((), 4, False)]
)
def test_a_unit_needs_the_nerve_to_attack(chiefs: tuple[()], die: int, dares: bool) -> None:
    # T-BT1: 1d6 up to Morale 4; T-BC2, T-AMB-15: up to 3 without command.
    units = unit("red-1", "Infantry", "red front", morale=4), unit("blue-1", "Infantry", "blue front")
    script = [die, [1, 1]] if dares else [die]
    done = step(ordered(frontline(*units, *chiefs)), "attack", "red-1", "blue-1", script=script)
    assert kinds(done)[1] == ("unit.attacked" if dares else "attack.refused")
    assert ("attacked" in done.state["blue-1"].statuses) == dares


def test_morale_falls_by_row() -> None:
    # T-BL1 attacked -1; T-BL3 below half, once -1; T-BL4 command lost -2 for all of that side; never below 0.
    units = (
        RED,
        unit("red-2", "Infantry", "red front", morale=2, lost=11),
        unit("blue-1", "Infantry", "blue front", lost=11),
    )
    state = fold(frontline(*units), [SetStatus("red", Status("leaderless")), SetStatus("blue-1", Status("attacked"))])
    done = step(state, "morale").state
    assert [done[uid].value("Morale") for uid in ("red-1", "red-2", "blue-1")] == [4, 0, 4]
    assert [status for entity in done for status in entity.statuses] == []
    again = step(done, "morale").state
    assert [again[uid].value("Morale") for uid in ("red-1", "red-2", "blue-1")] == [4, 0, 4]


def test_exactly_half_is_not_below_half() -> None:
    state = frontline(unit("red-1", "Infantry", "red front", lost=10), unit("blue-1", "Infantry", "blue front"))
    assert step(state, "morale").state["red-1"].value("Morale") == 6


def test_destroying_the_command_unit_is_felt_by_its_side() -> None:
    units = (
        unit("red-1", "Vehicle", "red front"),
        unit("blue-1", "Command", "blue front", 2),
        unit("blue-2", "Infantry", "blue front"),
    )
    done = step(ordered(frontline(*units)), "attack", "red-1", "blue-1", script=[3, [5, 4]])
    assert kinds(done) == ["action.spent", "unit.attacked", "unit.destroyed"]
    assert step(done.state, "morale").state["blue-2"].value("Morale") == 4


@pytest.mark.parametrize(("face", "rallies"), [(0, True), (29, True), (30, False), (99, False)])
def test_a_broken_unit_rallies_on_a_die_from_0_to_99(face: int, rallies: bool) -> None:
    # House rule on T-BL6: Rating 3 gives 30 of the 100 faces.
    state = frontline(unit("red-1", "Infantry", "red front", morale=0), unit("blue-1", "Infantry", "blue front"))
    trackers = {**state["red-1"].trackers, "Morale": RED.trackers["Morale"]._replace(value=0)}
    state = State.of([e._replace(trackers=trackers) if e.uid == "red-1" else e for e in state])
    done = step(state, "rally", "red-1", script=[face])
    assert ("red-1" in done.state) == rallies
    if rallies:
        assert done.state["red-1"].value("Morale") == 1


def test_the_percentile_die_of_this_game_has_no_100() -> None:
    with pytest.raises(TapeError, match="one number from 0 to 99"):
        step(frontline(RED), "rally", "red-1", script=[100])


def withdrawing(*choices: str, script: Sequence[object] = ()) -> Done:
    units = RED, unit("red-2", "Close Quarters", "red support"), unit("blue-1", "Infantry", "blue front")
    return step(frontline(*units), "withdrawal", script=[list(choices), *script])


def test_if_nobody_withdraws_the_next_round_begins() -> None:
    done = withdrawing("stay", "stay")
    assert done.state["table"].value("Round") == 2
    assert GAME.next(done.state) != Over("both withdraw")
    assert kinds(done) == ["withdrawal.shown", "round.ends"]


def test_if_both_withdraw_the_battle_ends_without_loss() -> None:
    done = withdrawing("withdraw", "withdraw")
    assert GAME.next(done.state) == Over("both withdraw")
    assert kinds(done) == ["withdrawal.shown", "round.ends"]


def test_whoever_withdraws_alone_is_attacked_once_more() -> None:
    # T-BW1: red-1 is in reach (4 casualties as above); red-2 with a reach of 1 zone is not.
    done = withdrawing("stay", "withdraw", script=["blue-1", [5, 4]])
    assert kinds(done) == ["withdrawal.shown", "unit.attacked", "round.ends"]
    assert done.state["blue-1"].value("Strength") == 16
    assert GAME.next(done.state) == Over("red holds the field")
    other = withdrawing("withdraw", "stay", script=["red-1", [5, 4]])
    assert other.state["red-1"].value("Strength") == 16
    assert GAME.next(other.state) == Over("blue holds the field")
