"""Dogfight, one situation a test; every number was worked out by hand from the rules that the comments cite."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from rallypoint.kernel.answers import PERSON, Answers, Script
from rallypoint.kernel.battle import Battle
from rallypoint.kernel.canonical import Value
from rallypoint.kernel.dice import PERCENTILE
from rallypoint.kernel.errors import TapeError
from rallypoint.kernel.game import Acts, Intent, Over, Runs
from rallypoint.kernel.state import Appointment, Hex, State
from rallypoint.kernel.step import Done, run
from rallypoint.kernel.tape import Choose, Roll

from .dogfight import quality
from .games import dogfight, dogfighters, ship
from .hexes import ahead, distance

GAME = dogfighters()
FAR = ship("blue-1", Hex(8, 0, 3), Hex(8, 0))


def in_round(state: State) -> State:
    """Return the state at the start of the first round."""
    return run(GAME, state, Intent("new_round"), Script(())).state


def step(state: State, rule: str, *args: Value, script: Sequence[object] = ()) -> Done:
    answers = iter(script)
    done = run(GAME, state, Intent(rule, args), Script(answers))
    assert list(answers) == []
    return done


def flown(flight: tuple[Value, ...], facing: int = 0, **facts: int) -> tuple[object, object]:
    """Return where a ship from (0, 0), with its marker at (3, 0), and the marker are after a flight."""
    state = in_round(dogfight(ship("red-1", Hex(0, 0, facing), Hex(3, 0), agility=5, **facts), FAR))
    after = step(state, "fly", "red-1", *flight).state
    assert after["red-1-trajectory"].role == "trajectory"
    assert after["red-1-trajectory"].parent == "red-1"
    return after["red-1"].place, after["red-1-trajectory"].place


def test_the_worked_example_of_the_trajectory() -> None:
    # P-SP8: the marker is 3 ahead, one point pulls it to 2, the ship moves 2 and the marker goes 2 further.
    assert flown(("maneuver", 3, 0)) == (Hex(2, 0, 0), Hex(4, 0))


def test_a_ship_drifts_on_without_a_push() -> None:
    assert flown(("coast", 0, 0)) == (Hex(3, 0, 0), Hex(6, 0))


def test_thrust_pushes_the_marker_where_the_ship_faces() -> None:
    # P-SP2: facing 2 is the step (0, -1), so the marker goes from (3, 0) to (3, -1).
    assert flown(("thrust", 2, 0), facing=2) == (Hex(3, -1, 2), Hex(6, -2))


def test_two_points_of_thrust_push_it_to_the_side() -> None:
    # P-SP3: beside facing 0 are 1, the step (1, -1), and 5, the step (0, 1).
    assert flown(("thrust", 1, 0), thrust=2) == (Hex(4, -1, 0), Hex(8, -2))
    assert flown(("thrust", 5, 0), thrust=2) == (Hex(3, 1, 0), Hex(6, 2))


def test_facing_turns_after_the_thrust() -> None:
    # P-SP5: one hexside free and one for the point that was not spent; 0 - 2 is hexside 4.
    assert flown(("thrust", 0, -2)) == (Hex(4, 0, 4), Hex(8, 0))
    assert flown(("maneuver", 1, 1)) == (Hex(4, -1, 1), Hex(8, -2))


def test_who_has_not_flown_drifts_at_the_end_of_the_round() -> None:
    battle = Battle.start(GAME, dogfight(ship("red-1", Hex(0, 0, 0), Hex(1, -1)), FAR), Answers(PERSON))
    battle.play()
    for seat in ("red", "blue"):
        battle.act(Intent("hold", (f"{seat}-1",), seat))
    assert battle.due == Runs("drift", ("red-1",))
    battle.play()
    assert battle.state["red-1"].place == Hex(1, -1, 0)
    assert battle.state["red-1-trajectory"].place == Hex(2, -2)
    assert battle.state["table"].value("Round") == 2


def test_distance_and_arc() -> None:
    # (1, 1) is 2 away, (2, -1) is 2 away. P-WA1, F at facing 0: between the steps (0, 1) and (1, -1).
    origin = Hex(0, 0, 0)
    assert [distance(origin, Hex(*place)) for place in ((1, 1), (2, -1), (-3, 1), (0, 0))] == [2, 2, 3, 0]
    inside, outside = [(4, 0), (0, 4), (3, -3), (2, 1)], [(-4, 0), (-1, 4), (2, -3), (0, -1)]
    assert [ahead(origin, Hex(*place)) for place in inside] == [True] * 4
    assert [ahead(origin, Hex(*place)) for place in outside] == [False] * 4
    assert [ahead(Hex(0, 0, 3), Hex(*place)) for place in ((-4, 0), (4, 0))] == [True, False]


def test_actions_go_round_by_agility_and_leadership() -> None:
    # P-CA3, P-CA5: agility 2 before 1; of equals the higher leadership; then everybody's second action.
    ships = ship("red-1", Hex(0, 0, 0), Hex(0, 0), agility=1), ship("blue-1", Hex(8, 0, 3), Hex(8, 0), agility=2)
    last = ship("blue-2", Hex(9, 0, 3), Hex(9, 0), agility=1, leadership=1)
    battle = Battle.start(GAME, dogfight(*ships, last), Answers(PERSON))
    battle.play()
    order = []
    for _ in range(6):
        due = battle.due
        assert isinstance(due, Acts)
        act = battle.legal(due.seats[0])[0] if battle.history.head < 4 else battle.legal(due.seats[0])[-1]
        order.append(act.args[0])
        battle.act(act)
    assert order == ["blue-1", "blue-2", "red-1", "blue-1", "blue-2", "red-1"]


@pytest.mark.parametrize(
    ("face", "kind"),
    [(1, "mundane"), (5, "mundane"), (6, "special"), (10, "critical"), (59, "special"), (60, "critical"), (61, "failure"), (100, "failure")],
)  # fmt: skip
def test_quality_on_a_die_from_1_to_100(face: int, kind: str) -> None:
    # P-CK1, P-CK2, P-AMB-03 at skill 60.
    assert quality(60).grade(PERCENTILE, (face,)) == kind


def test_the_printed_odds_of_quality() -> None:
    # P-CK3: skill 60 gives 30 % mundane, 24 % special and 6 % critical successes.
    assert dict(quality(60).ways(PERCENTILE, 1)) == {"critical": 6, "special": 24, "mundane": 30, "failure": 40}


@pytest.mark.parametrize(("face", "hull"), [(50, None), (49, 1), (1, 2), (51, 3), (100, 3)])
def test_a_gun_at_one_point_of_range(face: int, hull: int | None) -> None:
    # 4 hexes are one step of 3, so -1 point: 60 - 10 = 50. Critical 3 destroys a hull of 3, special 2, mundane 1.
    state = in_round(
        dogfight(ship("red-1", Hex(0, 0, 0), Hex(0, 0), agility=5), ship("blue-1", Hex(4, 0, 3), Hex(4, 0)))
    )
    done = step(state, "fire", "red-1", "blue-1", script=[face])
    target = done.state.get("blue-1")
    assert (None if target is None else target.value("Hull")) == hull
    assert ("blue-1-trajectory" in done.state) == (target is not None)
    assert done.state["red-1"].value("Actions") == 2


def test_the_percentile_die_of_this_game_has_no_0() -> None:
    state = in_round(dogfight(ship("red-1", Hex(0, 0, 0), Hex(0, 0), agility=5), FAR))
    with pytest.raises(TapeError, match="one number from 1 to 100"):
        step(state, "fire", "red-1", "blue-1", script=[0])


def launched() -> Battle[None]:
    """Return a battle in which red launched a missile at blue-1, 8 hexes away, in round 1."""
    ships = (
        ship("red-1", Hex(0, 0, 0), Hex(0, 0), agility=5),
        FAR,
        ship("blue-2", Hex(9, 0, 3), Hex(9, 0), antimissile=0),
    )
    battle = Battle.start(GAME, dogfight(*ships), Answers(PERSON))
    battle.play()
    battle.act(Intent("launch", ("red-1", "blue-1"), "red"))
    return battle


def end_round(battle: Battle[None]) -> None:
    """Let everybody hold; stop at the first question or when the next round begins."""
    turn = battle.state["table"].value("Round")
    while isinstance(due := battle.play(), Acts) and battle.state["table"].value("Round") == turn:
        if battle.question is not None:
            return
        battle.act(battle.legal(due.seats[0])[-1])


def test_a_missile_is_made_in_round_1_and_its_target_is_a_secret() -> None:
    battle = launched()
    # M-08: 8 hexes at speed 2 are 4 actions; 3 in round 1 and the last in round 2.
    assert battle.state.agenda == (Appointment("red-1-missile-0", 2, "impact", ("red-1-missile-0",)),)
    assert battle.state["red-1"].value("Missiles") == 0
    seen = {seat: battle.game.view(battle.state, seat) for seat in ("red", "blue")}
    assert [link.target for link in seen["red"].linked("aimed")] == ["blue-1"]
    assert seen["blue"].linked("aimed") == ()
    assert "red-1-missile-0" in seen["blue"]
    told = [(event.kind, event.visible_to("blue")) for event in battle.history.entries[-1].events]
    assert told == [("action.spent", True), ("missile.launched", True), ("missile.aimed", False)]


@pytest.mark.parametrize(("hexes", "turn"), [(0, 1), (1, 1), (6, 1), (7, 2), (12, 2), (13, 3)])
def test_when_a_missile_comes_home(hexes: int, turn: int) -> None:
    # M-08: speed 2 and 3 actions a round are 6 hexes a round.
    enemy = ship("blue-1", Hex(hexes, 0, 3), Hex(hexes, 0))
    state = in_round(dogfight(ship("red-1", Hex(0, 0, 0), Hex(0, 0), agility=5), enemy))
    assert [due.at for due in step(state, "launch", "red-1", "blue-1").state.agenda] == [turn]


def test_in_round_2_it_is_revealed_and_shot_at() -> None:
    battle = launched()
    end_round(battle)
    assert (battle.state["table"].value("Round"), battle.question) == (2, None)
    end_round(battle)
    question = battle.question
    # P-MI3: blue-1 has antimissile weapons, blue-2 has none.
    assert isinstance(question, Choose)
    assert [(ask.seat, ask.subject) for ask in question.asks] == [("blue", "blue-1")]
    battle.answer("defend")
    question = battle.question
    assert isinstance(question, Roll)
    assert [throw.who for throw in question.throws] == ["blue-1", "red-1-missile-0"]
    # P-MI4, P-CK4: 50 is within 60 and above 20, which is within 30 + 10.
    events = battle.answer([[50], [20]])
    assert [event.kind for event in events] == ["agenda.due", "missile.revealed", "defence.fires", "defence.ends"]
    assert all(event.visible_to("blue") for event in events)
    assert "red-1-missile-0" not in battle.state
    assert battle.state["blue-1"].value("Hull") == 3
    assert battle.state.agenda == ()


@pytest.mark.parametrize(
    ("rolls", "why"),
    [([[61], [40]], "the ship is over 60"), ([[40], [40]], "a tie"), ([[61], [41]], "nobody is within"), ([[39], [40]], "less")],
)  # fmt: skip
def test_a_missile_that_is_not_shot_down_attacks(rolls: list[list[int]], why: str) -> None:
    battle = launched()
    end_round(battle)
    end_round(battle)
    battle.answer("defend")
    battle.answer(rolls)
    # P-CK1: 60 is within red's targeting of 60; the missile does 2 to a hull of 3.
    events = battle.answer(60)
    assert [event.kind for event in events[-2:]] == ["missile.hits", "missile.spent"], why
    assert battle.state["blue-1"].value("Hull") == 1
    assert battle.state["blue-1"].value("Defended") == 1


def test_a_missile_that_misses_is_gone_too() -> None:
    battle = launched()
    end_round(battle)
    end_round(battle)
    battle.answer("no")
    assert [event.kind for event in battle.answer(61)[-2:]] == ["missile.misses", "missile.spent"]
    assert battle.state["blue-1"].value("Hull") == 3
    assert battle.state["blue-1"].value("Defended") == 0


def test_a_missile_whose_target_is_gone_is_spent() -> None:
    state = launched().state
    rest = [entity for entity in state if "blue-1" not in (entity.uid, entity.parent)]
    done = step(State.of(rest, agenda=state.agenda), "impact", "red-1-missile-0")
    assert [event.kind for event in done.events] == ["missile.spent"]
    assert "red-1-missile-0" not in done.state


def test_the_last_ship_of_a_side_ends_the_battle() -> None:
    state = in_round(
        dogfight(ship("red-1", Hex(0, 0, 0), Hex(0, 0), agility=5), ship("blue-1", Hex(2, 0, 3), Hex(2, 0)))
    )
    done = step(state, "fire", "red-1", "blue-1", script=[10])
    assert GAME.next(done.state) == Over("red")
