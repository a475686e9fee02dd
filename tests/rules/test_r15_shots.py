"""Rule 15, shot by shot: which unit fires what at whom in reaction, who may hold, and beams through friends."""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace

import pytest

from rallypoint.disrupter.autopilot import Autopilot
from rallypoint.disrupter.hooks import DisrupterStep
from rallypoint.disrupter.reaction import reactions
from rallypoint.disrupter.reaction_shots import every_shot
from rallypoint.disrupter.records import Attack
from rallypoint.kernel.answers import Answers, Policy, Seed
from rallypoint.kernel.changes import SetStatus
from rallypoint.kernel.errors import TapeError
from rallypoint.kernel.game import Intent
from rallypoint.kernel.parts import Status
from rallypoint.kernel.plugins.hooks import hookimpl
from rallypoint.kernel.state import State
from rallypoint.kernel.step import Done, run
from rallypoint.kernel.tape import Choice

from ..disrupter.positions import changed, team, unit
from .playing import attacks, playing, told
from .test_r15_reaction import MISS, RIFLE, RUNNER, field, fired, moved, walk

BOTH = unit("Soldier", "revolver", "pulse_rifle")
CUTTER = unit("Soldier", "laser_cutter", wears="battle_dress")


def keys(state: State, mover: str = "R1A") -> list[str]:
    (ask,) = reactions(state, {}, "move", mover)
    return [option.key for option in ask.options]


def shots(done: Done) -> list[tuple[str, str, str]]:
    return [tuple(attack[:3]) for event in told(done, "fire.shot") for attack in attacks(event)]  # type: ignore[misc]


def in_line(*, friend: bool = True, shooter: list[dict[str, object]] | None = None) -> State:
    """Red enters E5; blue's cutter stands in H5, and between them in G5, when told so, a friend out of it."""
    friends = [team("B1B", (6, 4), unit("Soldier"))] if friend else []
    return field(team("R1A", (4, 4), RUNNER), *friends, team("B1A", (7, 4), *(shooter or [CUTTER])))


@pytest.mark.rule("D-R15.2", "D-R15.4")
@pytest.mark.parametrize(
    ("movers", "shooters", "offered"),
    [
        ([RUNNER], [RIFLE], ["fire"]),
        ([RUNNER, RUNNER], [RIFLE], ["fire", "fire R1A-1", "fire R1A-2"]),
        ([RUNNER], [RIFLE, RIFLE], ["fire", "choose"]),
        ([RUNNER], [BOTH], ["fire", "choose"]),
        ([RUNNER, RUNNER], [BOTH], ["fire", "fire R1A-1", "fire R1A-2", "choose"]),
        ([RUNNER], [RIFLE, unit("Soldier")], ["fire"]),
    ],
)
def test_there_is_something_to_choose_where_weapons_or_shooters_are_several(
    movers: list[dict[str, object]], shooters: list[dict[str, object]], offered: list[str]
) -> None:
    state = field(team("R1A", (5, 4), *movers), team("B1A", (7, 4), *shooters))
    assert keys(state) == offered


@pytest.mark.rule("D-R15.4", "D-R16.4")
def test_each_unit_fires_the_weapon_that_its_owner_says_at_whom_he_says() -> None:
    state = field(team("R1A", (4, 4), RUNNER, RUNNER), team("B1A", (7, 4), BOTH, RIFLE))
    said = ["choose", "revolver R1A-2", "pulse_rifle R1A-1"]
    done = moved(state, (5, 4), dice=[*said, 70, 70, 70, 70])  # a check and a save each: they fire at different units
    assert shots(done) == [("B1A-1", "revolver", "R1A-2"), ("B1A-2", "pulse_rifle", "R1A-1")]
    assert fired(done) == [("B1A", "R1A")]


@pytest.mark.rule("D-R15.4")
def test_what_does_not_reach_is_not_offered() -> None:
    """From E5 to H5 are 3 hexes, the reach of a revolver; from D5 are 4, that of a pulse rifle."""
    state = field(team("R1A", (2, 4), RUNNER), team("B1A", (7, 4), BOTH, RIFLE))
    with pytest.raises(TapeError) as caught:
        moved(state, (3, 4), dice=["choose", "revolver R1A"])
    assert caught.value.expected == "pulse_rifle R1A, hold"


@pytest.mark.rule("D-R15.2")
def test_one_may_hold_where_another_fires_but_not_the_last() -> None:
    state = field(team("R1A", (4, 4), RUNNER), team("B1A", (7, 4), RIFLE, RIFLE))
    done = moved(
        state, (5, 4), dice=["choose", "hold", *MISS]
    )  # the second has one shot and no choice: he is not asked
    assert shots(done) == [("B1A-2", "pulse_rifle", "R1A")]
    done = moved(state, (5, 4), dice=["choose", "pulse_rifle R1A", "hold", *MISS])
    assert shots(done) == [("B1A-1", "pulse_rifle", "R1A")]


@pytest.mark.rule("D-R15.2", "D-R9.12")
def test_who_need_not_fire_may_hold_one_by_one_and_has_not_reacted_then() -> None:
    state = field(team("R1A", (4, 4), RUNNER), team("B1A", (7, 4), RIFLE, RIFLE), fire_policy="hold")
    done = moved(state, (5, 4), (5, 3), dice=["choose", "hold", "hold", "choose", "hold", "pulse_rifle R1A", *MISS])
    assert [event.kind for event in done.events if event.kind in ("move.step", "react.fire")] == [
        "move.step",
        "move.step",
        "react.fire",
    ]


@pytest.mark.rule("D-R15.2", "D-R15.4", "D-AMB-36")
def test_nobody_has_to_burn_his_comrades_where_a_flamethrower_spares_its_bearer_alone() -> None:
    state = field(team("R1A", (4, 4), RUNNER), team("B1A", (6, 4), unit("Soldier", "flamethrower"), unit("Soldier")))
    done = moved(state, (5, 4), dice=MISS)  # it spares its own team, which has nothing to choose and has to fire
    assert shots(done) == [("B1A-1", "flamethrower", "R1A")]
    spared = {"D-AMB-36": "unit"}
    done = moved(state, (5, 4), dice=["choose", "hold"], options=spared)
    assert shots(done) == []
    done = moved(state, (5, 4), dice=["choose", "flamethrower R1A", *MISS], options=spared)
    assert shots(done) == [("B1A-1", "flamethrower", "R1A")]


@pytest.mark.rule("D-R15.4", "D-EQ-T9")
def test_a_beam_is_pointed_at_the_stand_and_never_at_one_of_its_units() -> None:
    state = field(team("R1A", (4, 4), RUNNER, RUNNER), team("B1A", (7, 4), CUTTER, RIFLE))
    found = every_shot(state, {}, "B1A", "R1A", lambda unit: True)
    assert {(each.weapon, each.target) for each in found} == {
        ("laser_cutter", "R1A"),
        *[("pulse_rifle", target) for target in ("R1A", "R1A-1", "R1A-2")],
    }


@pytest.mark.rule("D-R15.2", "D-EQ-T9")
def test_nobody_has_to_burn_his_own() -> None:
    assert keys(in_line()) == ["fire", "choose"]
    assert keys(in_line(friend=False)) == ["fire"]
    done = moved(in_line(), (5, 4), dice=["choose", "hold"])
    assert (shots(done), fired(done)) == ([], [])
    burnt = moved(in_line(), (5, 4), dice=["fire", 70, 70, 15, 15, 15])  # whoever wants to, may
    assert {check.why["units"] for check in told(burnt, "check")} >= {("B1B-1",)}


@pytest.mark.rule("D-R15.2", "D-EQ-T9")
def test_with_a_beam_through_friends_another_unit_has_to_fire() -> None:
    for shooter, rifle in (([CUTTER, RIFLE], "B1A-2"), ([RIFLE, CUTTER], "B1A-1")):
        done = moved(in_line(shooter=shooter), (5, 4), dice=["choose", "hold", *MISS])
        assert shots(done) == [(rifle, "pulse_rifle", "R1A")]


@pytest.mark.rule("D-R15.2", "D-R16.1")
def test_what_a_plugin_refuses_is_not_offered() -> None:
    @hookimpl
    def battle_declare(step: DisrupterStep, attack: Attack) -> bool:
        return attack.weapon != "revolver"

    state = field(team("R1A", (4, 4), RUNNER), team("B1A", (7, 4), BOTH))
    done = moved(state, (5, 4), dice=["choose", *MISS], plugins=[SimpleNamespace(battle_declare=battle_declare)])
    assert shots(done) == [("B1A-1", "pulse_rifle", "R1A")]


# Seats that play alone


def alone(state: State, options: Mapping[str, object] | None = None) -> tuple[Done, list[tuple[str, str]]]:
    """Let red walk into sight of blue's autopilot; return what came and what it was asked and said."""
    seat, said = Autopilot({}, 1), list[tuple[str, str]]()

    def choose(ask: Choice, view: State) -> int:
        position = seat.choose(ask, view)
        said.append((ask.purpose, ask.options[position].key))
        return position

    intent = Intent("walk", ("R1A", ((5, 4),)), "red")
    done = run(playing(walk, options=options), state, intent, Answers(Seed(3), {"blue": Policy(choose)}))
    return done, said


@pytest.mark.rule("D-R15.2")
def test_the_autopilot_does_not_burn_its_own() -> None:
    done, said = alone(in_line())
    assert said == [("reaction", "choose"), ("reaction.shot", "hold")]
    assert shots(done) == []


@pytest.mark.rule("D-R15.2")
def test_the_autopilot_takes_the_quick_way_where_nothing_is_in_it() -> None:
    state = field(team("R1A", (4, 4), RUNNER), team("B1A", (7, 4), RIFLE, RIFLE))
    done, said = alone(state)
    assert said == [("reaction", "fire R1A-1")] or said == [("reaction", "fire")]
    assert len(shots(done)) == 2


@pytest.mark.rule("D-R15.3")
def test_under_cover_the_choice_is_beside_the_others() -> None:
    state = field(team("R1A", (4, 4), RUNNER), team("B1A", (7, 4), RIFLE, RIFLE))
    state = changed(state, SetStatus("B1A", Status("under_cover", since=1)))
    assert keys(state) == ["fire", "choose", "spot", "hold"]
    done = moved(state, (5, 4), dice=["choose", "hold", "pulse_rifle R1A", [70, 72], 70])
    assert "under_cover" not in done.state["B1A"].statuses
