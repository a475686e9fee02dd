"""Rule 14: how far stands move, over what, through whom, and what ends a move."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import SimpleNamespace

import pytest

from rallypoint.disrupter.hooks import DisrupterStep
from rallypoint.disrupter.movement import allowance, move, reachable
from rallypoint.disrupter.records import Move
from rallypoint.kernel.answers import Script
from rallypoint.kernel.board import Board
from rallypoint.kernel.changes import Change, SetAttribute, SetPlace, SetStatus
from rallypoint.kernel.errors import RuleError
from rallypoint.kernel.events import Event
from rallypoint.kernel.game import Intent
from rallypoint.kernel.parts import Hex, Status
from rallypoint.kernel.plugins.hooks import hookimpl
from rallypoint.kernel.state import Entity, State
from rallypoint.kernel.step import Done, run

from ..disrupter.positions import changed, position, step, team, unit
from .playing import playing, told

COS = [team("R0A", (0, 0), unit("CO", "revolver")), team("B0A", (6, 11), unit("CO", "revolver"))]
"""Two officers in opposite corners, out of each other's range: a battle needs them."""

FAST = unit("Soldier", "revolver", wears="battle_dress")
SLOW = unit("Soldier", "revolver")


def walk(step: DisrupterStep, name: str, path: Iterable[tuple[int, int]]) -> None:
    move(step, name, tuple([Hex(*at) for at in path]))


def field(*teams: list[Entity], terrain: Mapping[tuple[int, int], str] | None = None) -> State:
    words = {Hex(*at): word for at, word in (terrain or {}).items()}
    return position(*COS, *teams, board=Board(12, 12, words))


def moved(
    state: State,
    name: str,
    *path: tuple[int, int],
    dice: Iterable[object] = (),
    options: Mapping[str, object] | None = None,
    plugins: Iterable[object] = (),
) -> Done:
    made = playing(walk, options=options, plugins=plugins)
    return run(made, state, Intent("walk", (name, path), "red"), Script(dice))


def due(state: State, phase: str) -> State:
    """Return the state in the portion in which Group 1 of red moves or acts, with another behind it."""
    rows = (("1", "red", phase), ("2", "red", phase))
    portions = SetAttribute("battle", "portions", rows), SetAttribute("battle", "at", 0)
    return changed(state, *portions, SetAttribute("R1", "group", 1))


def refused(
    state: State,
    name: str,
    *path: tuple[int, int],
    options: Mapping[str, object] | None = None,
    plugins: Iterable[object] = (),
) -> str | None:
    with pytest.raises(RuleError) as caught:
        moved(state, name, *path, options=options, plugins=plugins)
    return caught.value.rule


def at(done: Done, name: str) -> tuple[int, int]:
    place = done.state[name].place
    assert isinstance(place, Hex)
    return place[:2]


def entered(event: Event) -> tuple[int, int]:
    change = event.changes[0]
    assert isinstance(change, SetPlace)
    assert isinstance(change.place, Hex)
    return change.place[:2]


@pytest.mark.rule("D-R14.1")
def test_a_team_walks_its_path_hex_by_hex_and_each_hex_is_told() -> None:
    done = moved(field(team("R1A", (3, 4), FAST)), "R1A", (4, 4), (5, 3))
    steps = [(event.rule, entered(event)) for event in told(done, "move.step")]
    assert steps == [("D-R14.1", (4, 4)), ("D-R14.1", (5, 3))]
    assert at(done, "R1A") == (5, 3)


@pytest.mark.rule("D-R14.1")
def test_a_path_goes_from_hex_to_neighbouring_hex() -> None:
    state = field(team("R1A", (3, 4), FAST))
    assert refused(state, "R1A", (5, 4)) == "D-R14.1"
    assert refused(state, "R1A", (3, 4)) == "D-R14.1"
    assert refused(state, "R1A") == "D-R14.1"


@pytest.mark.rule("D-R14.1")
def test_nobody_is_forced_to_move() -> None:
    done = step(due(field(team("R1A", (3, 4), FAST)), "move"), "done", seat="red")
    assert at(done, "R1A") == (3, 4)


@pytest.mark.rule("D-R2.1")
def test_the_board_has_an_edge() -> None:
    assert refused(field(team("R1A", (0, 1), FAST)), "R1A", (-1, 1)) == "D-R2.1"


@pytest.mark.rule("D-R14.2", "D-R6.5")
def test_a_stand_goes_at_the_pace_of_its_slowest_living_unit() -> None:
    state = field(team("R1A", (3, 4), FAST, SLOW), team("R1B", (3, 6), FAST, FAST))
    assert (allowance(state, "R1A"), allowance(state, "R1B")) == (1, 2)
    assert refused(state, "R1A", (4, 4), (5, 4)) == "D-R14.2"
    without = changed(state, SetStatus("R1A-2", Status("out", "dead")))
    assert allowance(without, "R1A") == 2
    assert at(moved(without, "R1A", (4, 4), (5, 4)), "R1A") == (5, 4)
    assert refused(without, "R1A", (4, 4), (5, 4), (6, 4)) == "D-R14.2"


@pytest.mark.rule("D-R14.3")
def test_one_stand_fills_a_hex() -> None:
    state = field(team("R1A", (3, 4), FAST), team("R1B", (4, 4), SLOW))
    assert refused(state, "R1A", (4, 4)) == "D-R14.3"
    gone = changed(state, SetStatus("R1B-1", Status("out", "dead")))
    assert at(moved(gone, "R1A", (4, 4)), "R1A") == (4, 4)


@pytest.mark.rule("D-R14.4")
def test_friends_are_passed_through_and_enemies_are_not() -> None:
    through = field(team("R1A", (3, 4), FAST), team("R1B", (4, 4), SLOW))
    assert at(moved(through, "R1A", (4, 4), (5, 4)), "R1A") == (5, 4)
    enemy = field(team("R1A", (3, 4), FAST), team("B1A", (4, 4), unit("Soldier", "frag_grenade")))
    assert refused(enemy, "R1A", (4, 4)) == "D-R14.4"
    assert refused(enemy, "R1A", (4, 4), (5, 4)) == "D-R14.4"


@pytest.mark.rule("D-AMB-01", "D-R2.2")
def test_buildings_are_closed_unless_the_ruling_opens_them() -> None:
    state = field(team("R1A", (3, 4), FAST), terrain={(4, 4): "building"})
    assert refused(state, "R1A", (4, 4)) == "D-AMB-01"
    open_house = {"D-AMB-01": "enterable_light_cover"}
    assert at(moved(state, "R1A", (4, 4), options=open_house), "R1A") == (4, 4)


WET = {(4, 4): "stream", (5, 4): "river", (6, 6): "water"}


@pytest.mark.rule("D-R14.5", "D-AMB-22")
@pytest.mark.parametrize(
    ("start", "path", "allowed"),
    [
        ((3, 4), [(4, 4)], True),  # one hex into the stream
        ((3, 4), [(4, 4), (5, 4)], False),
        ((3, 4), [(4, 4), (4, 3)], False),  # through it
        ((2, 4), [(3, 4), (4, 4)], False),  # walking up to it first
        ((4, 4), [(4, 3)], True),  # one hex out of it
        ((4, 4), [(4, 3), (5, 2)], False),
        ((3, 3), [(4, 3), (5, 2)], True),  # dry all the way
    ],
)
def test_an_action_that_fords_is_one_hex_long(
    start: tuple[int, int], path: list[tuple[int, int]], allowed: bool
) -> None:
    state = field(team("R1A", start, FAST), terrain=WET)
    if allowed:
        assert at(moved(state, "R1A", *path), "R1A") == path[-1]
    else:
        assert refused(state, "R1A", *path) == "D-R14.5"


@pytest.mark.rule("D-AMB-22")
def test_by_the_other_ruling_the_first_wet_step_is_the_last() -> None:
    ruling = {"D-AMB-22": "whole_action"}
    state = field(team("R1A", (2, 4), FAST), terrain=WET)
    assert at(moved(state, "R1A", (3, 4), (4, 4), options=ruling), "R1A") == (4, 4)
    beside = field(team("R1A", (3, 4), FAST), terrain=WET)
    assert refused(beside, "R1A", (4, 4), (4, 3), options=ruling) == "D-R14.5"
    within = field(team("R1A", (4, 4), FAST), terrain=WET)
    assert at(moved(within, "R1A", (4, 3), options=ruling), "R1A") == (4, 3)
    assert refused(within, "R1A", (4, 3), (5, 2), options=ruling) == "D-R14.5"  # the step out of it is wet, too


@pytest.mark.rule("D-R14.5")
def test_deep_water_is_not_entered_on_foot() -> None:
    assert refused(field(team("R1A", (6, 5), FAST), terrain=WET), "R1A", (6, 6)) == "D-R14.5"


@pytest.mark.rule("D-R14.2", "D-R14.3", "D-R14.4")
def test_reachable_is_every_end_of_a_legal_path_on_open_ground() -> None:
    # Two hexes on open ground: 6 hexes around, 12 in the second ring. A friend and an enemy stand in the first ring; behind the
    # enemy, at (5, 4), a path of two leads around neither side, for both other ways take three hexes.
    state = field(
        team("R1A", (3, 4), FAST),
        team("R1B", (2, 4), SLOW),
        team("B1A", (4, 4), unit("Soldier", "frag_grenade")),
    )
    found = reachable(state, {}, "R1A")
    assert len(found) == 18 - 1 - 1 - 1
    assert Hex(2, 4) not in found
    assert Hex(4, 4) not in found
    assert Hex(5, 4) not in found
    assert found[Hex(1, 4)] == (Hex(2, 4), Hex(1, 4))
    assert all(path[-1] == end for end, path in found.items())


@pytest.mark.rule("D-AMB-22")
def test_reachable_knows_fords() -> None:
    found = reachable(field(team("R1A", (3, 4), FAST), terrain=WET), {}, "R1A")
    assert found[Hex(4, 4)] == (Hex(4, 4),)
    assert Hex(5, 4) not in found  # only through the stream
    assert Hex(5, 3) in found  # (4, 3) is dry


@pytest.mark.rule("D-EQ-T1")
def test_who_fired_what_is_not_moved_stays() -> None:
    state = field(team("R1A", (3, 4), FAST, FAST))
    braced = changed(state, SetAttribute("R1A-2", "braced", 1))
    assert refused(braced, "R1A", (4, 4)) == "D-EQ-T1"
    assert reachable(braced, {}, "R1A") == {}
    fallen = changed(braced, SetStatus("R1A-2", Status("out", "dead")))
    assert at(moved(fallen, "R1A", (4, 4)), "R1A") == (4, 4)
    last_turn = changed(state, SetAttribute("R1A-2", "braced", 0))
    assert at(moved(last_turn, "R1A", (4, 4)), "R1A") == (4, 4)


@pytest.mark.rule("D-AMB-41", "D-R13.3")
def test_moving_out_of_the_hex_ends_cover() -> None:
    state = field(team("R1A", (3, 4), FAST), terrain={(3, 4): "forest", (4, 4): "forest"})
    covered = changed(state, SetStatus("R1A", Status("under_cover", since=1)))
    done = moved(covered, "R1A", (4, 4))
    assert "under_cover" not in done.state["R1A"].statuses
    assert [event.rule for event in told(done, "cover.lost")] == ["D-AMB-41"]


@pytest.mark.rule("D-R13.3")
@pytest.mark.parametrize(("phase", "spent", "left"), [("move", "moved", "acted"), ("battle", "acted", "moved")])
def test_taking_and_leaving_cover_costs_the_action_of_the_portion(phase: str, spent: str, left: str) -> None:
    state = due(field(team("R1A", (3, 4), FAST), terrain={(3, 4): "forest"}), phase)
    taken = step(state, "take_cover", "R1A", seat="red").state["R1A"]
    assert "under_cover" in taken.statuses
    assert (taken.attributes.get(spent), taken.attributes.get(left)) == (1, None)
    covered = changed(state, SetStatus("R1A", Status("under_cover", since=1)))
    given_up = step(covered, "leave_cover", "R1A", seat="red").state["R1A"]
    assert "under_cover" not in given_up.statuses
    assert (given_up.attributes.get(spent), given_up.attributes.get(left)) == (1, None)


def mud(ends: list[Move] | None = None) -> SimpleNamespace:
    """All ground is heavy, and (5, 4) is closed; ``ends`` hears of the moves."""

    @hookimpl
    def move_plan(step: DisrupterStep, team: Entity, allowance: int) -> int:
        return allowance - 1

    @hookimpl
    def move_step(step: DisrupterStep, team: Entity, to: Hex) -> bool:
        return to != Hex(5, 4)

    @hookimpl
    def move_end(team: Entity, move: Move) -> None:
        assert ends is not None
        ends.append(move)

    hooks = {"move_plan": move_plan, "move_step": move_step}
    return SimpleNamespace(**hooks, **({} if ends is None else {"move_end": move_end}))


@pytest.mark.rule("D-R14.2", "D-R14.4")
def test_plugins_change_the_pace_and_close_hexes() -> None:
    state = field(team("R1A", (4, 4), FAST))
    assert refused(state, "R1A", (3, 4), (2, 4), plugins=[mud()]) == "D-R14.2"
    assert refused(state, "R1A", (5, 4), plugins=[mud()]) == "D-R14.4"
    assert at(moved(state, "R1A", (3, 4), plugins=[mud()]), "R1A") == (3, 4)


@pytest.mark.rule("D-R14.1")
def test_a_plugin_changes_something_once_when_a_movement_has_ended() -> None:
    asked: list[Move] = []

    @hookimpl
    def move_made(step: DisrupterStep, team: Entity, move: Move) -> tuple[Change, ...]:
        asked.append(move)
        return (SetAttribute(team.uid, "fuel", 7 - len(move.path)),)

    state = field(team("R1A", (4, 4), FAST))
    done = moved(state, "R1A", (3, 4), (2, 4), plugins=[SimpleNamespace(move_made=move_made)])
    assert asked == [Move("R1A", (Hex(3, 4), Hex(2, 4)))]
    assert done.state["R1A"].attributes["fuel"] == 7 - 2
    assert [event.rule for event in done.events if event.kind == "move.made"] == ["D-R14.1"]
    # Who is in no plugin's way has no such event.
    assert "move.made" not in [event.kind for event in moved(state, "R1A", (3, 4)).events]


@pytest.mark.rule("D-R14.1")
def test_plugins_hear_where_a_move_ended() -> None:
    ends: list[Move] = []
    done = moved(field(team("R1A", (4, 4), FAST)), "R1A", (3, 4), plugins=[mud(ends)])
    for tell in done.told:
        tell()
    assert ends == [Move("R1A", (Hex(3, 4),))]
