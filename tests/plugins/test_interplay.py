"""What bundled plugins make of each other's rules, in the order in which their manifests put them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import cast

import pytest

import rallypoint.disrupter as disrupter
from rallypoint.disrupter.hooks import Hooks
from rallypoint.kernel.answers import Script
from rallypoint.kernel.canonical import freeze
from rallypoint.kernel.errors import RuleError
from rallypoint.kernel.game import Intent
from rallypoint.kernel.parts import Pose
from rallypoint.kernel.plugins.discovery import discover
from rallypoint.kernel.plugins.switches import Switches
from rallypoint.kernel.plugins.variant import frozen_variant
from rallypoint.kernel.state import State
from rallypoint.kernel.step import Done, run

from ..disrupter.positions import team, unit
from ..rules.playing import dice, told, wounds
from ..vehicles.cars import MAN, battlefield, car

BUNDLED = ("disrupter", "indirect-fire", "mothership", "streamline", "vehicle-templates")
GUNNER = unit("NCO", "grenade_launcher")


def step(state: State, rule: str, *args: object, answers: Iterable[object], options: Mapping[str, object]) -> Done:
    """Run a rule of red with all bundled plugins in the game."""
    found = [each for each in discover().found if each.name in BUNDLED]
    made = frozen_variant("disrupter", found, Switches())
    game = disrupter.playable(options, cast("Hooks", made.hooks), made.rulings)
    return run(game, state, Intent(rule, tuple([freeze(each) for each in args]), "red"), Script(answers))


def fire(at: str, *saves: int, options: Mapping[str, object] | None = None) -> Done:
    """Let a launcher on a car that looks to the top, with an arc of 90 degrees ahead, hit a place 2 hexes away; straight ahead is blue."""
    traits = ("templates(house)", "arc(grenade_launcher,0,90)")
    blue = team("B1A", (3, 6), {**MAN, "wounds": 30})
    state = battlefield(car((2, 8), GUNNER, MAN), blue, traits=traits, portion=("1", "red", "battle"))
    deed = [["R1A-1", "fire", "grenade_launcher", at]]
    return step(state, "act", "R1A", deed, answers=[12, *saves], options=options or {})


@pytest.mark.rule("D-VE-12", "D-IF-1")
def test_indirect_fire_at_a_place_keeps_to_the_arcs_of_a_vehicle() -> None:
    assert told(fire("@3,6", 97), "fire.shot")
    for beside in ("@4,8", "@1,10"):  # to the right, and behind
        with pytest.raises(RuleError) as caught:
            fire(beside)
        assert caught.value.rule == "D-VE-12"


@pytest.mark.rule("D-SL-R16.3", "D-IF-6")
def test_one_wound_is_one_wound_of_column_t_too() -> None:
    assert wounds(fire("@3,6", 97).state, "B1A") == [2]
    assert wounds(fire("@3,6", 97, options={"D-SL-R16.3": "on"}).state, "B1A") == [1]


@pytest.mark.rule("D-SL-VE.1", "D-VE-9", "D-VE-10")
def test_by_the_streamlined_rule_a_driver_rolls_nothing_and_nothing_slides() -> None:
    crew = unit("NCO", "revolver", instinct=0), unit("Soldier", "pulse_rifle", instinct=0)
    state = battlefield(car((2, 8), *crew))
    ways = ["long_straight", "medium_straight"]  # 12 of M, 161 mm ahead
    failed = step(state, "drive", "R1A", ways[:1], answers=["R1A-1", 98, "right 0"], options={})
    assert told(failed, "vehicle.slides")
    sure = step(
        state, "drive", "R1A", ways, answers=[], options={"D-SL-VE.1": "on"}
    )  # nobody asks who of equals drives
    assert not dice(sure)
    assert not told(sure, "vehicle.driver")
    assert "driver" not in sure.state["R1A"].attributes
    assert not told(sure, "vehicle.slides")
    begins, ends = state["R1A"].place, sure.state["R1A"].place
    assert begins is not None
    assert isinstance(ends, Pose)
    assert ends == pytest.approx((325.0, 25 * 3**0.5 * 8 + 50 / 3**0.5 - 161, 0.0), abs=1e-5)
