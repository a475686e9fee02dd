"""Rule 6: what the stats of a unit are for."""

from __future__ import annotations

import pytest

from rallypoint.disrupter.fire import fire
from rallypoint.disrupter.records import Attack
from rallypoint.disrupter.spotting import spot
from rallypoint.kernel.state import State

from ..disrupter.positions import step, team, unit
from .playing import dice, fight, out, wounds


def duel(shooter: dict[str, object], target: dict[str, object]) -> State:
    return fight(team("R1A", (0, 0), shooter), team("B1A", (2, 0), target))


@pytest.mark.rule("D-R6.2", "D-R9.8")
@pytest.mark.parametrize(("kind", "instinct"), [("CO", 80), ("NCO", 80), ("Soldier", 60), ("Bot", 40)])
def test_instinct_by_class_is_what_fire_and_spotting_are_checked_against(kind: str, instinct: int) -> None:
    state = duel(unit(kind, "pulse_rifle"), unit("Soldier", wears="battle_dress"))
    for face, hit in ((instinct - 2, True), (instinct + 1, False)):
        done = step(state, fire, "R1A", (Attack("R1A-1", "pulse_rifle", "B1A"),), dice=[face, 97])
        assert wounds(done.state, "B1A") == [2 if hit else 0]
        spotted = step(state, spot, "R1A-1", "B1A", dice=[face])
        assert bool(spotted.state.linked("spot")) == hit


@pytest.mark.rule("D-R6.3")
@pytest.mark.parametrize(("wears", "armor"), [("combat_armor", 60), ("battle_dress", 80)])
def test_armor_by_equipment_is_the_chance_to_save(wears: str, armor: int) -> None:
    target = {**unit("Soldier", wears=wears), "wounds": 9}
    for face, taken in ((armor - 1, 1), (armor + 1, 2)):
        done = step(
            duel(unit("Soldier", "pulse_rifle"), target),
            fire,
            "R1A",
            (Attack("R1A-1", "pulse_rifle", "B1A"),),
            dice=[13, face],
        )
        assert wounds(done.state, "B1A") == [taken]
        assert dice(done)[1] == ("B1A-1", "save", 1)


@pytest.mark.rule("D-R6.4", "D-EQ-A1", "D-EQ-A2", "D-EQ-B1")
@pytest.mark.parametrize(
    ("wears", "kind", "most"), [("combat_armor", "Soldier", 2), ("battle_dress", "Soldier", 3), (None, "Bot", 1)]
)
def test_wounds_by_equipment_are_what_a_unit_can_take(wears: str | None, kind: str, most: int) -> None:
    state = duel(unit("Soldier", "revolver"), unit(kind, wears=wears))
    shot = (Attack("R1A-1", "revolver", "B1A"),)
    for taken in range(1, most + 1):
        script = [13, 97, *([20, 20] if taken == most and kind != "Bot" else [])]
        done = step(state, fire, "R1A", shot, dice=script[: 4 if taken == most else 2])
        state = done.state
        assert wounds(state, "B1A") == [taken]
        assert bool(out(state)) == (taken == most)
