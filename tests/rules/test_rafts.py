"""Rafts: who may get in, moving as one, water, and what happens to those who sit in one that is fired at."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pytest

from rallypoint.disrupter.checks import officer_near
from rallypoint.disrupter.cover import take_cover
from rallypoint.disrupter.fire import fire
from rallypoint.disrupter.flight import flee
from rallypoint.disrupter.hooks import DisrupterStep
from rallypoint.disrupter.movement import allowance, move, reachable
from rallypoint.disrupter.rafts import floats, in_reach, occupants, raft_of
from rallypoint.disrupter.records import Attack
from rallypoint.disrupter.sight import sees
from rallypoint.kernel.answers import Script
from rallypoint.kernel.board import Board
from rallypoint.kernel.canonical import Value
from rallypoint.kernel.changes import SetAttribute, SetLink, SetPlace, SetStatus
from rallypoint.kernel.errors import RuleError
from rallypoint.kernel.game import Intent
from rallypoint.kernel.parts import Hex, Link, Status
from rallypoint.kernel.state import Entity, State
from rallypoint.kernel.step import Done, run

from ..disrupter.positions import changed, engaged, position, step, team, unit
from .playing import allocated, dice, playing, told, wounds

COS = [team("R0A", (0, 0), unit("CO", "revolver")), team("B0A", (6, 11), unit("CO", "revolver"))]
MAN = unit("Soldier", "pulse_rifle")
FAST = unit("Soldier", "pulse_rifle", wears="battle_dress")
BOT = unit("Bot", "laser_carbine")
LAKE = {Hex(q, 5): "water" for q in range(-2, 10)}
"""Row 5 is deep water from end to end."""


def walk(step: DisrupterStep, name: str, path: Iterable[tuple[int, int]]) -> None:
    move(step, name, tuple([Hex(*at) for at in path]))


def shoot(step: DisrupterStep, shooter: str, weapon: str, target: str) -> None:
    parent = step.state[shooter].parent
    assert parent is not None
    fire(step, parent, (Attack(shooter, weapon, target),))


def runs(step: DisrupterStep, name: str) -> None:
    flee(step, name)


def raft(at: tuple[int, int] = (4, 4), *crew: Mapping[str, object]) -> list[Entity]:
    return team("R3A", at, *(crew or (MAN, BOT, BOT, BOT)), vehicle="inflatable_raft")


def field(
    *teams: list[Entity],
    terrain: Mapping[Hex, str] = LAKE,
    edges: Mapping[str, str] | None = None,
    points: tuple[int, int] | None = None,
) -> State:
    """Return a battle at the lake; ``points`` are red's Rally Point."""
    rally_points = {"red": points} if points else None
    state = position(*COS, *teams, board=Board(12, 12, terrain), edges=edges or {}, rally_points=rally_points)
    return engaged(state)


def aboard(state: State, *names: str) -> State:
    """Return the state with these teams riding in R3A: they stand in its hex."""
    places = [SetPlace(name, state["R3A"].place) for name in names]
    return changed(state, *places, *[SetLink(Link("aboard", name, "R3A")) for name in names])


def played(
    state: State,
    rule: str,
    *args: Value,
    answers: Iterable[object] = (),
    options: Mapping[str, object] | None = None,
) -> Done:
    made = playing(walk, shoot, runs, options=options)
    return run(made, state, Intent(rule, args, "red"), Script(answers))


def refused(state: State, rule: str, *args: Value) -> str | None:
    with pytest.raises(RuleError) as caught:
        played(state, rule, *args)
    return caught.value.rule


def at(done: Done, name: str) -> tuple[int, int] | None:
    place = done.state[name].place
    if place is None:
        return None
    assert isinstance(place, Hex)
    return place[:2]


def due(state: State, phase: str) -> State:
    """Return the state in the portion of Group 1 of red, with another behind it."""
    rows = (("1", "red", phase), ("2", "red", phase))
    changes = [SetAttribute(squad.uid, "group", 1) for squad in state.below("red", "squad")]
    return changed(state, SetAttribute("battle", "portions", rows), SetAttribute("battle", "at", 0), *changes)


# Getting in


@pytest.mark.rule("D-EQ-V2", "D-R14.3")
@pytest.mark.parametrize(("phase", "action"), [("move", "moved"), ("battle", "acted")])
def test_a_team_within_close_range_gets_in_with_either_action(phase: str, action: str) -> None:
    state = due(field(raft(), team("R1A", (3, 4), MAN, MAN)), phase)
    done = step(state, "attach", "R1A", "R3A", seat="red")
    assert at(done, "R1A") == at(done, "R3A") == (4, 4)
    assert raft_of(done.state, "R1A") == "R3A"
    assert done.state["R1A"].attributes[action] == 1
    assert done.state["R1A"].attributes["walked"] == 1  # it has left its hex (D-EQ-T1)


@pytest.mark.rule("D-EQ-V2")
def test_who_cannot_get_in() -> None:
    five = [MAN] * 5
    state = field(
        raft(),
        team("R1A", (2, 4), MAN),  # two hexes off
        team("R1B", (4, 3), *five),  # one more than it holds
        team("R1C", (5, 3), MAN, MAN),
        team("B1A", (5, 4), MAN),
    )
    state = due(state, "move")
    assert refused(state, "attach", "R1A", "R3A") == "D-EQ-V2"
    assert refused(state, "attach", "R1B", "R3A") == "D-EQ-V2"
    assert refused(state, "attach", "R1C", "B1A") == "D-EQ-V2"
    assert refused(state, "attach", "R1C", "R1B") == "D-EQ-V1"
    assert refused(aboard(state, "R1C"), "attach", "R1C", "R3A") == "D-EQ-V2"
    empty = changed(state, *[SetStatus(f"R3A-{n}", Status("out", "dead")) for n in (1, 2, 3, 4)])
    assert refused(empty, "attach", "R1C", "R3A") == "D-EQ-V2"
    assert in_reach(state, "R1C") == ("R3A",)
    assert in_reach(state, "R1B") == in_reach(state, "R1A") == ()


@pytest.mark.rule("D-EQ-V1", "D-EQ-V2")
def test_there_is_room_for_four_passengers_in_all() -> None:
    state = due(field(raft(), team("R1A", None, MAN, MAN, MAN), team("R1B", (4, 3), MAN, MAN)), "move")
    riding = aboard(state, "R1A")
    assert refused(riding, "attach", "R1B", "R3A") == "D-EQ-V2"
    lighter = changed(riding, SetStatus("R1A-1", Status("out", "dead")))
    assert at(played(lighter, "attach", "R1B", "R3A"), "R1B") == (4, 4)


@pytest.mark.rule("D-EQ-V2", "D-EQ-T1")
def test_a_gun_that_was_fired_keeps_its_team_ashore() -> None:
    state = due(changed(field(raft(), team("R1A", (3, 4), MAN)), SetAttribute("R1A-1", "braced", 1)), "battle")
    assert refused(state, "attach", "R1A", "R3A") == "D-EQ-T1"


@pytest.mark.rule("D-EQ-V2", "D-AMB-41")
def test_getting_in_ends_cover() -> None:
    state = field(raft(), team("R1A", (3, 4), MAN), terrain={**LAKE, Hex(3, 4): "forest"})
    covered = changed(due(state, "move"), SetStatus("R1A", Status("under_cover", since=1)))
    assert "under_cover" not in played(covered, "attach", "R1A", "R3A").state["R1A"].statuses


# Moving


@pytest.mark.rule("D-EQ-V1", "D-R14.5")
def test_a_raft_goes_over_deep_water_one_hex_at_a_time() -> None:
    state = field(raft((4, 4), BOT, BOT))
    assert (allowance(state, "R3A"), floats(state, "R3A")) == (1, True)  # its bots would walk 2
    assert at(played(state, "walk", "R3A", ((4, 5),)), "R3A") == (4, 5)
    assert refused(state, "walk", "R3A", ((4, 5), (4, 6))) == "D-R14.2"
    assert refused(field(team("R1A", (4, 4), BOT)), "walk", "R1A", ((4, 5),)) == "D-R14.5"


@pytest.mark.rule("D-EQ-V1", "D-VE-2")
def test_a_raft_is_carried_over_land_like_infantry_and_not_through_buildings() -> None:
    state = field(raft(), terrain={Hex(5, 4): "building"})
    assert at(played(state, "walk", "R3A", ((3, 4),)), "R3A") == (3, 4)
    assert refused(state, "walk", "R3A", ((5, 4),)) == "D-AMB-01"


@pytest.mark.rule("D-EQ-V2", "D-R14.3", "D-EQ-T1")
def test_raft_and_team_move_as_one() -> None:
    state = aboard(field(raft(), team("R1A", None, FAST)), "R1A")
    done = played(state, "walk", "R3A", ((4, 5),))
    assert at(done, "R3A") == at(done, "R1A") == (4, 5)
    assert (done.state["R1A"].attributes["moved"], done.state["R1A"].attributes["walked"]) == (1, 1)
    assert told(done, "move.step")[0].why["with"] == ("R1A",)
    braced = changed(state, SetAttribute("R1A-1", "braced", 1))
    assert refused(braced, "walk", "R3A", ((4, 5),)) == "D-EQ-T1"


@pytest.mark.rule("D-EQ-V2")
def test_passengers_get_off_by_moving_but_not_into_the_water() -> None:
    state = aboard(field(raft((4, 5)), team("R1A", None, FAST)), "R1A")
    assert not floats(state, "R1A")
    done = played(state, "walk", "R1A", ((4, 4), (4, 3)))
    assert (at(done, "R1A"), at(done, "R3A"), raft_of(done.state, "R1A")) == ((4, 3), (4, 5), None)
    assert refused(state, "walk", "R1A", ((5, 5),)) == "D-R14.5"
    # Two hexes inland over the four hexes of land beside it, and over the water nowhere.
    assert {place.r for place in reachable(state, {}, "R1A")} == {3, 4, 6, 7}


@pytest.mark.rule("D-EQ-V2")
def test_passengers_sail_on_when_the_crew_has_fallen() -> None:
    state = aboard(field(raft((4, 5), MAN), team("R1A", None, FAST)), "R1A")
    adrift = changed(state, SetStatus("R3A-1", Status("out", "dead")))
    assert (floats(adrift, "R1A"), allowance(adrift, "R1A")) == (True, 1)
    done = played(adrift, "walk", "R1A", ((5, 5),))
    assert at(done, "R1A") == at(done, "R3A") == (5, 5)
    assert raft_of(done.state, "R1A") == "R3A"
    assert told(done, "move.step")[0].why["with"] == ("R3A",)


@pytest.mark.rule("D-PT-T5", "D-EQ-V2")
def test_routed_passengers_whose_crew_has_fallen_take_the_raft_off_the_board() -> None:
    state = field(raft((3, 0), MAN), team("R1A", None, MAN), edges={"red": "top", "blue": "bottom"})
    fallen = SetStatus("R3A-1", Status("out", "dead"))
    state = changed(aboard(state, "R1A"), fallen, SetStatus("R1A", Status("routed", since=1)))
    done = played(state, "runs", "R1A")
    assert (at(done, "R3A"), at(done, "R1A")) == (None, None)
    assert {uid: done.state[uid].statuses["out"].value for uid in ("R3A-1", "R1A-1")} == {
        "R3A-1": "dead",
        "R1A-1": "ran",
    }


@pytest.mark.rule("D-PT-T5", "D-EQ-V2")
def test_a_routed_crew_takes_its_passengers_off_the_board() -> None:
    state = field(raft((3, 0), MAN), team("R1A", None, MAN), edges={"red": "top", "blue": "bottom"})
    state = changed(aboard(state, "R1A"), SetStatus("R3A", Status("routed", since=1)))
    done = played(state, "runs", "R3A")
    assert (at(done, "R3A"), at(done, "R1A")) == (None, None)
    assert done.state["R1A-1"].statuses["out"].value == "ran"
    assert done.state.linked("aboard") == ()


@pytest.mark.rule("D-PT-T4", "D-EQ-V2")
@pytest.mark.parametrize("points", [None, (4, 5)])
def test_a_retreat_ends_in_a_raft_that_lies_where_it_goes(points: tuple[int, int] | None) -> None:
    """At the own edge, or at the Rally Point: whoever rides is there already, and the raft is no friend in his way."""
    where, edges = points or (4, 0), {"red": "top", "blue": "bottom"}
    state = field(raft(where), team("R1A", None, FAST), edges=edges, points=points)
    done = played(changed(aboard(state, "R1A"), SetStatus("R1A", Status("retreating", since=1))), "runs", "R1A")
    assert [event.kind for event in done.events] == ["retreat.over"]
    assert (at(done, "R1A"), raft_of(done.state, "R1A")) == (where, "R3A")


@pytest.mark.rule("D-PT-T4", "D-EQ-V2")
def test_retreating_passengers_do_not_get_off_to_where_they_are_no_nearer() -> None:
    """Friends hold both hexes before them, and one hex at their pace does not lead past."""
    friends = [team("R1B", (4, 3), MAN), team("R1C", (5, 3), MAN)]
    state = field(raft((4, 4)), team("R1A", None, MAN), *friends, edges={"red": "top", "blue": "bottom"})
    done = played(changed(aboard(state, "R1A"), SetStatus("R1A", Status("retreating", since=1))), "runs", "R1A")
    assert (done.events, at(done, "R1A"), raft_of(done.state, "R1A")) == ((), (4, 4), "R3A")


@pytest.mark.rule("D-PT-T5", "D-EQ-V2")
def test_routed_passengers_of_a_raft_at_their_own_edge_leave_the_board_from_there() -> None:
    state = field(raft((3, 0)), team("R1A", None, MAN), edges={"red": "top", "blue": "bottom"})
    done = played(changed(aboard(state, "R1A"), SetStatus("R1A", Status("routed", since=1))), "runs", "R1A")
    assert (at(done, "R3A"), at(done, "R1A")) == ((3, 0), None)
    assert (told(done, "rout.left_board")[0].why["from"], done.state.linked("aboard")) == (Hex(3, 0), ())


# Under fire


@pytest.mark.rule("D-AMB-31", "D-EQ-V3", "D-R16.7")
def test_fire_at_a_raft_falls_on_crew_and_passengers_with_their_own_armour() -> None:
    riders = team("R1A", None, MAN, MAN)  # A 60
    state = aboard(
        field(raft((4, 5), FAST, BOT), riders, team("B1A", (4, 7), unit("Soldier", "rocket_launcher"))), "R1A"
    )
    assert [each.uid for each in occupants(state, "R3A")] == ["R3A-1", "R3A-2", "R1A-1", "R1A-2"]
    assert occupants(state, "R1A") == occupants(state, "R3A")
    # A rocket at two hexes: 10 Wounds over four units are 2 each and one more for two of them; both saves fail. The human
    # deaths that follow meet a platoon that keeps its nerve: each 20 passes.
    done = played(
        state, "shoot", "B1A-1", "rocket_launcher", "R3A", answers=[10, 90, 70, ["R1A-1", "R1A-2"], *[20] * 9]
    )
    assert [row[:2] for row in dice(done)[1:3]] == [("R3A-1", "save"), ("R1A-1", "save")]
    assert [check.why["under"] for check in told(done, "check")] == [60, 80, 60]  # the raft's own A 0 is never rolled
    given = allocated(done)
    assert sum(given.values()) == 10
    assert sorted(given.values()) == [2, 2, 3, 3]
    assert wounds(done.state, "R1A") == [2, 2]


@pytest.mark.rule("D-AMB-31")
def test_fire_at_passengers_is_fire_at_the_raft() -> None:
    state = aboard(field(raft((4, 5), BOT), team("R1A", None, BOT), team("B1A", (4, 7), MAN)), "R1A")
    done = played(state, "shoot", "B1A-1", "pulse_rifle", "R1A", answers=[10, 90])
    assert allocated(done) == {"R3A-1": 1, "R1A-1": 1}  # 2 Wounds at two hexes, one each


@pytest.mark.rule("D-AMB-31", "D-R16.7", "D-R13.1")
def test_crew_under_cover_and_passengers_who_are_not_save_as_those_without_cover() -> None:
    """All four wear combat armour, so that one save is for all: a plain one, by a passenger, who has no [+]."""
    foe, wood = team("B1A", (4, 6), MAN), {Hex(4, 4): "forest"}
    state = aboard(field(raft((4, 4), MAN, MAN), team("R1A", None, MAN, MAN), foe, terrain=wood), "R1A")
    done = played(
        step(state, take_cover, "R3A").state, "shoot", "B1A-1", "pulse_rifle", "R3A", answers=[10, 24, ["R1A-1"]]
    )
    assert dice(done)[1] == ("R1A-1", "save", 1)


@pytest.mark.rule("D-EQ-V1", "D-R12.1")
def test_those_in_a_raft_see_and_fire_like_infantry() -> None:
    foe = team("B1A", (4, 7), MAN)
    state = aboard(field(raft((4, 5), BOT), team("R1A", None, MAN), foe), "R1A")
    assert sees(state, {}, "R1A", "B1A")
    assert sees(state, {}, "R3A", "B1A")
    wall = {**LAKE, **{Hex(q, 6): "building" for q in range(-3, 10)}}
    hidden = aboard(field(raft((4, 5), BOT), team("R1A", None, MAN), foe, terrain=wall), "R1A")
    assert not sees(hidden, {}, "R1A", "B1A")
    done = played(state, "shoot", "R1A-1", "pulse_rifle", "B1A", answers=[90, 90])
    assert told(done, "fire.shot")


@pytest.mark.rule("D-AMB-02", "D-R9.4")
def test_in_one_raft_the_distance_is_0_and_that_is_close() -> None:
    crew = unit("NCO", "revolver")
    state = aboard(field(raft((4, 5), crew), team("R1A", None, MAN)), "R1A")
    assert officer_near(state, state["R1A-1"]) == "R3A-1"


@pytest.mark.rule("D-R15.1", "D-EQ-V2")
def test_the_enemy_reacts_to_a_raft_as_to_one_stand() -> None:
    state = aboard(field(raft((4, 4), BOT), team("R1A", None, BOT), team("B1A", (4, 8), MAN)), "R1A")
    done = played(state, "walk", "R3A", ((4, 5),), answers=[70, 90])
    assert [event.why["target"] for event in told(done, "react.fire")] == ["R3A"]


@pytest.mark.rule("D-R15.1", "D-EQ-V2")
@pytest.mark.parametrize(("phase", "fires"), [("move", ["R1A"]), ("battle", [])])
def test_getting_in_as_a_movement_action_enters_a_hex(phase: str, fires: list[str]) -> None:
    state = due(field(raft((4, 4)), team("R1A", (3, 4), MAN), team("B1A", (4, 8), MAN)), phase)
    done = played(state, "attach", "R1A", "R3A", answers=[70, 70, 90])
    assert [event.why["target"] for event in told(done, "react.fire")] == fires


# A raft with Wounds of its own


def pulse_at_raft(state: State, wounds: int, fire_at: str = "R3A") -> Done:
    """Blue's rifle hits the raft for 2; nobody saves, and the deaths that may follow move no nerve."""
    return played(
        state, "shoot", "B1A-1", "pulse_rifle", fire_at, answers=[10, 90, *[20] * 9], options={"D-AMB-31": wounds}
    )


def under_fire() -> State:
    tough = unit("Soldier", "pulse_rifle", wears="battle_dress")
    return field(raft((4, 5), tough, tough), team("B1A", (4, 6), MAN))


@pytest.mark.rule("D-AMB-31")
def test_by_ruling_a_raft_takes_the_wounds_of_those_in_it_and_is_holed_by_the_last() -> None:
    assert told(pulse_at_raft(under_fire(), 0), "raft.struck") == []
    done = pulse_at_raft(under_fire(), 3)
    assert sum(wounds(done.state, "R3A")) == 2
    assert done.state["R3A"].attributes["raft wounds"] == 2
    assert allowance(done.state, "R3A") > 0
    again = pulse_at_raft(done.state, 3)
    assert again.state["R3A"].attributes["raft wounds"] == 3  # not beyond its last
    assert allowance(again.state, "R3A") == 0
    with pytest.raises(RuleError):
        played(again.state, "walk", "R3A", ((5, 5),))
    assert told(pulse_at_raft(again.state, 3), "raft.struck") == []


@pytest.mark.rule("D-AMB-31")
def test_who_is_aimed_at_alone_takes_it_alone() -> None:
    done = pulse_at_raft(under_fire(), 1, "R3A-1")
    assert sum(wounds(done.state, "R3A")) == 2
    assert "raft wounds" not in done.state["R3A"].attributes
