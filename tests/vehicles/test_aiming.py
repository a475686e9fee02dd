"""Fire from vehicles: arcs of weapons and units, all around without them, the referee's veto (D-VE-12, D-VE-13)."""

from __future__ import annotations

import math
from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rallypoint.kernel.answers import Script
from rallypoint.kernel.board import Board
from rallypoint.kernel.canonical import freeze
from rallypoint.kernel.changes import SetPlace
from rallypoint.kernel.errors import RuleError
from rallypoint.kernel.game import Intent
from rallypoint.kernel.parts import Hex, Pose
from rallypoint.kernel.state import Entity, State
from rallypoint.kernel.step import Done, run
from rallypoint.kernel.tape import Choose
from rallypoint_vehicle_templates.vehicles import Aim

from ..disrupter.positions import changed, game, team
from ..rules.playing import attacks, told
from .cars import MAN, battlefield, car, car_game

HERE = Board(12, 12).point(Hex(2, 8))
AHEAD, BESIDE, BEHIND = (3, 6), (4, 8), (1, 10)
"""Hexes straight ahead of a car at (2, 8) that looks to the top, right of it, and behind it; each 2 hexes away."""

MISS, SAVED = 75, 8


def act(state: State, weapon: str, at: str, *, dice: Iterable[object] = (MISS, SAVED), shooter: str = "R1A-1") -> Done:
    deeds = freeze([[shooter, "fire", weapon, at]])
    return run(car_game(), state, Intent("act", ("R1A", deeds), "red"), Script(dice))


def refused(state: State, weapon: str, at: str, shooter: str = "R1A-1") -> str | None:
    with pytest.raises(RuleError) as caught:
        act(state, weapon, at, shooter=shooter)
    return caught.value.rule


def scene(*traits: str, foe: tuple[int, int] = BESIDE, **more: object) -> State:
    teams = car(), team("B1A", foe, MAN)
    named = "templates(house)", *traits
    return battlefield(*teams, traits=named, portion=("1", "red", "battle"), **more)  # type: ignore[arg-type]


# Arcs


@given(st.floats(-180, 180), st.floats(0, 360), st.floats(0, 360), st.floats(1, 360))
def test_an_arc_covers_what_lies_less_than_half_its_width_from_its_middle(
    off: float, heading: float, middle: float, width: float
) -> None:
    """The point is built at ``off`` degrees from the middle of the arc, 100 mm away."""
    angle = math.radians(heading + middle + off)
    point = (300 + 100 * math.sin(angle), 300 - 100 * math.cos(angle))
    if abs(abs(off) - width / 2) > 1e-3:
        assert Aim(middle, width).covers(Pose(300.0, 300.0, heading % 360), point) == (abs(off) < width / 2)


def test_the_rim_belongs_to_an_arc() -> None:
    for point in ((50.0, -50.0), (-50.0, -50.0)):  # 45 degrees to either side
        assert Aim(0.0, 90.0).covers(Pose(0.0, 0.0, 0.0), point)
        assert not Aim(0.0, 89.9).covers(Pose(0.0, 0.0, 0.0), point)


@pytest.mark.rule("D-VE-12")
def test_without_data_a_weapon_is_aimed_all_around() -> None:
    for foe in (AHEAD, BESIDE, BEHIND):
        assert told(act(scene(foe=foe), "pulse_rifle", "B1A"), "fire.shot")


@pytest.mark.rule("D-VE-12")
@pytest.mark.parametrize(("foe", "fires"), [(AHEAD, True), (BESIDE, False), (BEHIND, False)])
def test_a_weapon_with_an_arc_ahead_fires_ahead(foe: tuple[int, int], fires: bool) -> None:
    state = scene("arc(pulse_rifle,0,90)", foe=foe)
    if fires:
        assert told(act(state, "pulse_rifle", "B1A"), "fire.shot")
    else:
        assert refused(state, "pulse_rifle", "B1A") == "D-VE-12"
    listed = [each for each in car_game().legal(state, "red") if each.rule == "act" and "fire" in str(each.args)]
    assert bool(listed) == fires


@pytest.mark.rule("D-VE-12")
def test_an_arc_turns_with_the_vehicle() -> None:
    state = scene("arc(pulse_rifle,0,90)", foe=BESIDE)
    turned = changed(state, SetPlace("R1A", Pose(*HERE, 90.0)))
    assert told(act(turned, "pulse_rifle", "B1A"), "fire.shot")


@pytest.mark.rule("D-VE-13")
def test_arcs_differ_by_weapon_and_several_add_up() -> None:
    sides = "arc(pulse_rifle,90,60)", "arc(pulse_rifle,270,60)", "arc(revolver,0,60)"
    state = scene(*sides, foe=BESIDE)
    assert told(act(state, "pulse_rifle", "B1A"), "fire.shot")
    left = scene(*sides, foe=(0, 8))
    assert told(act(left, "pulse_rifle", "B1A"), "fire.shot")
    assert refused(scene(*sides, foe=AHEAD), "pulse_rifle", "B1A") == "D-VE-12"


@pytest.mark.rule("D-VE-13")
def test_arcs_differ_by_unit() -> None:
    """The second of the crew sits at the back: his field ``arc`` in the roster is 180,120."""
    teams = car(), team("B1A", BEHIND, MAN)
    seated = [_with_extra(each, "R1A-2", arc="180,120") for each in teams[0]]
    state = battlefield(seated, teams[1], portion=("1", "red", "battle"))
    assert told(act(state, "pulse_rifle", "B1A", shooter="R1A-2", dice=([MISS, MISS], SAVED)), "fire.shot")
    ahead = battlefield(seated, team("B1A", AHEAD, MAN), portion=("1", "red", "battle"))
    assert refused(ahead, "pulse_rifle", "B1A", "R1A-2") == "D-VE-12"
    assert told(act(ahead, "pulse_rifle", "B1A"), "fire.shot")


def _with_extra(entity: Entity, uid: str, **extra: object) -> Entity:
    if entity.uid != uid:
        return entity
    facts = freeze({**entity.facts, "extra": extra})
    return entity._replace(facts=facts)  # type: ignore[arg-type]


@pytest.mark.rule("D-VE-12")
@pytest.mark.parametrize(
    "trait", ["arc(pulse_rifle)", "arc(pulse_rifle,0)", "arc(pulse_rifle,a,b)", "arc(pulse_rifle,0,0)"]
)
def test_an_arc_that_is_none_is_refused_with_what_it_should_be(trait: str) -> None:
    with pytest.raises(RuleError, match=r"middle and width in degrees: 180,90"):
        act(scene(trait), "pulse_rifle", "B1A")


@pytest.mark.rule("D-VE-12")
def test_stands_and_rafts_are_left_alone() -> None:
    raft = team("R1A", (2, 8), MAN, MAN, vehicle="inflatable_raft")
    for mover in (raft, team("R1A", (2, 8), MAN, MAN)):
        state = battlefield(mover, team("B1A", BEHIND, MAN), referee=True, portion=("1", "red", "battle"))
        with_plugin = act(state, "pulse_rifle", "B1A")
        deeds = freeze([["R1A-1", "fire", "pulse_rifle", "B1A"]])
        without = run(game(), state, Intent("act", ("R1A", deeds), "red"), Script((MISS, SAVED)))
        assert with_plugin.state == without.state
        assert [(each.kind, each.by) for each in with_plugin.events] == [(each.kind, None) for each in without.events]


# The referee


@pytest.mark.rule("D-VE-12", "D-VE-13")
def test_a_referee_is_asked_once_and_may_veto() -> None:
    state = scene(referee=True)
    done = act(state, "pulse_rifle", "B1A", dice=["allow", MISS, SAVED])
    asks = [taped.question.asks[0] for taped in done.tape if isinstance(taped.question, Choose)]
    assert [(ask.seat, ask.subject, ask.purpose) for ask in asks] == [("referee", "R1A-1", "aim pulse_rifle at B1A")]
    with pytest.raises(RuleError, match="the referee says that this cannot be aimed so") as caught:
        act(state, "pulse_rifle", "B1A", dice=["veto"])
    assert caught.value.rule == "D-VE-12"


@pytest.mark.rule("D-VE-12")
def test_where_data_speak_no_referee_is_asked() -> None:
    done = act(scene("arc(pulse_rifle,90,90)", referee=True), "pulse_rifle", "B1A")
    assert not [taped for taped in done.tape if isinstance(taped.question, Choose)]


# Reaction Fire


def moves(state: State, answers: Iterable[object], path: tuple[tuple[int, int], ...] = ((4, 7),)) -> Done:
    return run(car_game(), state, Intent("move", ("B1A", path), "blue"), Script(answers))


def watched(*traits: str, **more: object) -> State:
    """Return a battle in which blue's soldier moves past red's car, from right of it to the next hex up."""
    teams = car(), team("B1A", BESIDE, MAN)
    named = "templates(house)", *traits
    return battlefield(*teams, traits=named, portion=("1", "blue", "move"), **more)  # type: ignore[arg-type]


@pytest.mark.rule("D-VE-12", "D-R15.2")
def test_a_vehicle_reacts_with_what_it_can_turn() -> None:
    both = moves(
        watched(), ["fire", [98, 97], SAVED, [98, 97], SAVED]
    )  # two instincts, so two checks; two shooters: [+]
    shooters = {each.shooter for event in told(both, "fire.shot") for each in attacks(event)}
    assert shooters == {"R1A-1", "R1A-2"}


@pytest.mark.rule("D-VE-12", "D-R15.2")
def test_a_vehicle_none_of_whose_weapons_turn_so_far_does_not_react() -> None:
    assert not told(moves(watched("arc(pulse_rifle,180,90)"), []), "react.fire")


@pytest.mark.rule("D-VE-12", "D-VE-13")
def test_in_reaction_the_referees_veto_leaves_a_shot_out_and_the_move_stands() -> None:
    state = watched(referee=True)
    done = moves(state, ["fire", "veto", "veto"])
    assert done.state["B1A"].place == Hex(4, 7)
    assert told(done, "react.fire")
    assert not told(done, "fire.shot")
