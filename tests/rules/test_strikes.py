"""What a plugin for damage is told of attacks that hit, and that its answer stands in place of columns, splash and division."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from rallypoint.disrupter.fire import fire
from rallypoint.disrupter.harm import wound
from rallypoint.disrupter.hooks import DisrupterStep
from rallypoint.disrupter.records import Allocation, Attack, Saved, Strike
from rallypoint.kernel.parts import Hex
from rallypoint.kernel.plugins.hooks import hookimpl
from rallypoint.kernel.state import Entity

from ..disrupter.positions import step, team, unit
from .playing import fight, told, wounds

HIT, SAVE, FAIL, MISS = 13, 24, 97, 98
TOUGH = {**unit("Soldier", "pulse_rifle"), "wounds": 9}


def deaf(answer: int | None) -> tuple[object, list[Strike]]:
    """Return a plugin that gives everybody so many Wounds, and what it was told."""
    heard: list[Strike] = []

    @hookimpl
    def fire_damage(step: DisrupterStep, strike: Strike) -> tuple[Allocation, ...] | None:
        heard.append(strike)
        return (
            None if answer is None else tuple([Allocation(uid, answer) for each in strike.groups for uid in each.units])
        )

    return SimpleNamespace(fire_damage=fire_damage), heard


@pytest.mark.rule("D-R16.9", "D-R16.10")
def test_a_plugin_for_damage_is_asked_once_for_a_volley_that_hits() -> None:
    plugin, heard = deaf(4)
    shooters = [unit("Soldier", "pulse_rifle") for _ in range(2)]
    dressed = {**unit("Soldier", "pulse_rifle", wears="battle_dress"), "wounds": 9}
    state = fight(team("R1A", (0, 0), *shooters), team("B1A", (2, 0), TOUGH, dressed))
    attacks = tuple([Attack(f"R1A-{number}", "pulse_rifle", "B1A") for number in (1, 2)])
    done = step(state, fire, "R1A", attacks, dice=[(HIT, 14), SAVE, FAIL], plugins=[plugin])
    groups = Saved(("B1A-1",), "success"), Saved(("B1A-2",), "failure")
    assert heard == [Strike(attacks, Hex(2, 0), "aimed", groups, "success")]
    assert wounds(done.state, "B1A") == [4, 4]
    assert told(done, "fire.hit")[0].why["wounds"] == ()


def test_a_miss_asks_nobody_and_without_an_answer_the_columns_count() -> None:
    for answer, roll, taken, asked in ((4, MISS, 0, 0), (None, HIT, 2, 1)):
        plugin, heard = deaf(answer)
        state = fight(team("R1A", (0, 0), unit("Soldier", "pulse_rifle")), team("B1A", (2, 0), TOUGH))
        done = step(state, fire, "R1A", (Attack("R1A-1", "pulse_rifle", "B1A"),), dice=[roll, FAIL], plugins=[plugin])
        assert (wounds(done.state, "B1A"), len(heard)) == ([taken], asked)


@pytest.mark.rule("D-EQ-T3")
def test_it_is_asked_for_a_splash_group_by_group() -> None:
    plugin, heard = deaf(1)
    gunner = unit("Soldier", "heavy_machine_gun", wears="battle_dress")
    state = fight(team("R1A", (0, 0), gunner), team("B1A", (2, 0), TOUGH), team("B1B", (3, 0), TOUGH, TOUGH))
    attack = Attack("R1A-1", "heavy_machine_gun", "B1A")
    done = step(state, fire, "R1A", (attack,), dice=[HIT, FAIL, SAVE], plugins=[plugin])
    assert heard[1:] == [Strike((attack,), Hex(2, 0), "splash", (Saved(("B1B-1", "B1B-2"), "success"),))]
    assert (wounds(done.state, "B1A"), wounds(done.state, "B1B")) == ([1], [1, 1])


@pytest.mark.rule("D-EQ-T9", "D-AMB-38")
def test_it_is_asked_for_each_unit_of_a_beam_unless_the_save_negates() -> None:
    for options, taken, asked in (({}, [2, 2], 2), ({"D-AMB-38": "negates"}, [0, 2], 1)):
        plugin, heard = deaf(2)
        state = fight(
            team("R1A", (0, 0), unit("Soldier", "laser_cutter", wears="battle_dress")),
            team("B1A", (2, 0), TOUGH, TOUGH),
        )
        attack = Attack("R1A-1", "laser_cutter", "B1A")
        done = step(state, fire, "R1A", (attack,), dice=[SAVE, FAIL], options=options, plugins=[plugin])
        assert (wounds(done.state, "B1A"), len(heard)) == (taken, asked)
        assert {(strike.part, strike.at) for strike in heard} == {("beam", Hex(2, 0))}


@pytest.mark.rule("D-R8.6", "D-R8.7")
@pytest.mark.parametrize(("answer", "stress"), [(None, 1), (True, 1), (False, 0)])
def test_a_plugin_says_who_is_mourned_and_hears_whose_fall_moves_stress(answer: bool | None, stress: int) -> None:
    heard: list[tuple[str, str | None]] = []

    @hookimpl
    def harm_mourned(unit: Entity) -> bool | None:
        assert unit.uid == "R1A-1"
        return answer

    @hookimpl
    def stress_change(reason: str, by: str | None) -> None:
        heard.append((reason, by))

    plugin = SimpleNamespace(harm_mourned=harm_mourned, stress_change=stress_change)
    state = fight(team("R1A", (0, 0), TOUGH, TOUGH), team("B1A", (2, 0), TOUGH))
    done = step(state, wound, (Allocation("R1A-1", 9),), "D-R6.4", dice=[20, 20], plugins=[plugin])
    assert done.state["R"].value("Stress") == stress
    assert heard == [("a human death", "R1A-1")] * stress
