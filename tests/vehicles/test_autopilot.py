"""The autopilot with a vehicle: it drives towards the enemy, stops when near, and names no shot that a plugin refuses."""

from __future__ import annotations

import math

from rallypoint.disrupter.autopilot import Autopilot
from rallypoint.kernel.answers import Answers, Seed
from rallypoint.kernel.battle import Battle
from rallypoint.kernel.board import Board
from rallypoint.kernel.changes import SetPlace
from rallypoint.kernel.parts import Hex, Pose

from ..disrupter.positions import changed, team, unit
from .cars import MAN, battlefield, car, car_game

UNARMED = unit("Soldier")
HERE = Board(12, 12).point(Hex(2, 8))


def driven(foe: tuple[int, int]) -> tuple[float, float] | None:
    """Return how far from the only near enemy the car was, and is after the autopilot's move; ``None`` if it stayed."""
    made = car_game()
    state = battlefield(car((2, 8), unit("NCO", instinct=80), UNARMED), team("B1A", foe, UNARMED))
    seats = Answers(Seed(3), others=Autopilot(made.options))
    battle = Battle.start(made, state, seats)
    there = Board(12, 12).point(Hex(*foe))
    battle.play(1)
    place = battle.state["R1A"].place
    if not isinstance(place, Pose):
        return None
    return math.dist(HERE, there), math.dist(place[:2], there)


def test_it_drives_towards_the_enemy_and_not_when_it_is_near() -> None:
    moved = driven((5, 2))  # 6 rows up
    assert moved is not None
    assert moved[1] < moved[0] - 50
    assert driven((3, 7)) is None


def test_it_names_no_shot_for_which_a_gun_cannot_be_turned() -> None:
    made = car_game()
    behind = team("B1A", (1, 10), MAN)
    traits = "templates(house)", "arc(pulse_rifle,0,90)"
    state = battlefield(car(), behind, traits=traits, portion=("1", "red", "battle"))
    act = Autopilot(made.options).act(made.legal(state, "red"), state)
    assert "fire" not in str(act.args)
    turned = changed(state, SetPlace("R1A", Pose(*HERE, 180.0)))
    act = Autopilot(made.options).act(made.legal(turned, "red"), turned)
    assert "'fire', 'pulse_rifle'" in str(act.args)
