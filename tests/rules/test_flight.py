"""Retreat and rout played over turns: where teams run, where they stop, how they leave the board."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pytest

from rallypoint.disrupter.flight import edge_distance, flee
from rallypoint.disrupter.hooks import DisrupterStep
from rallypoint.disrupter.movement import move
from rallypoint.disrupter.setup import first_state
from rallypoint.kernel.answers import Script
from rallypoint.kernel.board import Board
from rallypoint.kernel.changes import Add, SetAttribute, SetStatus, SetTracker
from rallypoint.kernel.errors import RuleError
from rallypoint.kernel.fold import fold
from rallypoint.kernel.game import Intent, Runs
from rallypoint.kernel.parts import Hex, Status
from rallypoint.kernel.state import Entity, State
from rallypoint.kernel.step import Done, run

from ..disrupter.positions import changed, encounter, engaged, game, position, step, team, unit
from .playing import playing, told, winner

# Red's own edge is the top (row 0), so a row is the distance to it. Soldiers here go 2 hexes, in battle dress.
COS = [team("R0A", (-5, 11), unit("CO", "revolver")), team("B0A", (6, 11), unit("CO", "revolver"))]
MAN = unit("Soldier", "revolver", wears="battle_dress")


def runs(step: DisrupterStep, name: str) -> None:
    flee(step, name)


def walk(step: DisrupterStep, name: str, path: Iterable[tuple[int, int]]) -> None:
    move(step, name, tuple([Hex(*at) for at in path]))


def field(
    *teams: list[Entity],
    terrain: Mapping[tuple[int, int], str] | None = None,
    status: str = "retreating",
    points: tuple[int, int] | None = None,
    edges: Mapping[str, str] | None = None,
) -> State:
    """Return a battle in which R1A flees; ``points`` are red's Rally Points."""
    words = {Hex(*at): word for at, word in (terrain or {}).items()}
    state = position(
        *COS,
        *teams,
        board=Board(12, 12, words),
        edges=edges or {"red": "top", "blue": "bottom"},
        rally_points={"red": points} if points else None,
    )
    return changed(engaged(state), SetStatus("R1A", Status(status, since=1)))


def fled(state: State, turns: int = 1, dice: Iterable[object] = ()) -> Done:
    """Let R1A flee for some turns; return the last step."""
    answers, made = Script(dice), playing(runs)
    done = run(made, state, Intent("runs", ("R1A",)), answers)
    for turn in range(2, turns + 1):
        done = run(made, changed(done.state, SetAttribute("battle", "turn", turn)), Intent("runs", ("R1A",)), answers)
    return done


def at(done: Done, name: str = "R1A") -> tuple[int, int] | None:
    place = done.state[name].place
    if place is None:
        return None
    assert isinstance(place, Hex)
    return place[:2]


def row_of(done: Done) -> int:
    place = done.state["R1A"].place
    assert isinstance(place, Hex)
    return place.r


def fleeing(done: Done) -> list[str]:
    return [name for name in ("retreating", "routed") if name in done.state["R1A"].statuses]


# Retreat


@pytest.mark.rule("D-PT-T4")
def test_a_retreat_goes_the_full_movement_towards_the_rally_point_and_ends_there() -> None:
    state = field(team("R1A", (3, 6), MAN), points=(3, 3))  # three hexes straight up
    first = fled(state)
    assert (at(first), fleeing(first)) == ((3, 4), ["retreating"])
    second = fled(state, turns=2)
    assert (at(second), fleeing(second)) == ((3, 3), [])
    assert told(second, "retreat.over")[0].rule == "D-PT-T4"


@pytest.mark.rule("D-PT-T4", "D-R14.2")
def test_a_slow_team_retreats_slowly() -> None:
    state = field(team("R1A", (3, 6), MAN, unit("Soldier", "revolver")), points=(3, 3))
    assert at(fled(state)) == (3, 5)
    assert at(fled(state, turns=3)) == (3, 3)


@pytest.mark.rule("D-PT-T4", "D-R10.2")
@pytest.mark.parametrize(("second", "goal"), [((3, 1), (3, 3)), ((4, 7), (4, 7))])
def test_the_closest_rally_point_counts(second: tuple[int, int], goal: tuple[int, int]) -> None:
    made = encounter([*COS, team("R1A", (3, 6), MAN)], rally_points={"red": (3, 3)})
    point = Entity.new("red-rally-2", "rally_point", parent="red", facts={"name": "Other"}, place=Hex(*second))
    state = first_state(made._replace(state=fold(made.state, [Add(point)])))
    state = changed(state, SetAttribute("battle", "turn", 1), SetStatus("R1A", Status("retreating", since=1)))
    done = fled(state, turns=2)
    assert (at(done), fleeing(done)) == (goal, [])


@pytest.mark.rule("D-PT-T4")
def test_where_the_rally_point_is_taken_the_nearest_free_hex_will_do() -> None:
    state = field(team("R1A", (3, 5), MAN), team("R1B", (3, 3), MAN), points=(3, 3))
    done = fled(state)
    assert (at(done), fleeing(done)) == ((3, 4), [])  # beside it, one hex on the way


@pytest.mark.rule("D-PT-T4", "D-AMB-01")
@pytest.mark.parametrize(
    ("terrain", "end"),
    [
        ({(3, 3): "building"}, (3, 4)),
        ({(3, 3): "water"}, (3, 4)),
        # Walled in by its six neighbours.
        (dict.fromkeys([(3, 2), (4, 2), (4, 3), (3, 4), (2, 4), (2, 3)], "building"), (3, 5)),
    ],
)
def test_where_nobody_gets_to_the_rally_point_a_retreat_ends_in_the_nearest_open_hex(
    terrain: Mapping[tuple[int, int], str], end: tuple[int, int]
) -> None:
    state = field(team("R1A", (3, 6), MAN), terrain=terrain, points=(3, 3))
    done = fled(state)
    assert (at(done), fleeing(done)) == (end, [])


@pytest.mark.rule("D-PT-T4")
def test_enemies_who_bar_the_way_do_not_end_a_retreat() -> None:
    ring = [(3, 2), (4, 2), (4, 3), (2, 4), (2, 3)]
    state = field(
        team("R1A", (3, 6), MAN),
        team("B1A", (3, 4), unit("Soldier")),
        terrain=dict.fromkeys(ring, "building"),
        points=(3, 3),
    )
    done = fled(changed(state, SetStatus("B1A", Status("suppressed", since=1, until=1))))
    assert fleeing(done) == ["retreating"]


@pytest.mark.rule("D-PT-T4")
def test_a_retreat_stops_as_soon_as_an_officer_is_within_close_range() -> None:
    nco = team("R2A", (4, 3), unit("NCO", "revolver"))  # one hex from (3, 4), two from (3, 5)
    state = field(team("R1A", (3, 6), MAN), nco, points=(3, 0))
    done = fled(state)
    assert (at(done), fleeing(done)) == ((3, 4), [])
    assert told(done, "retreat.halted")[0].why["officer"] == "R2A-1"
    close = field(team("R1A", (3, 5), MAN), team("R2A", (4, 4), unit("NCO", "revolver")), points=(3, 0))
    assert (at(fled(close)), fleeing(fled(close))) == ((3, 5), [])


@pytest.mark.rule("D-PT-T4")
def test_an_officer_who_comes_near_stops_a_retreat() -> None:
    nco = team("R2A", (6, 3), unit("NCO", "revolver"))
    state = field(team("R1A", (3, 5), MAN), nco, points=(3, 0))
    far = run(playing(walk), state, Intent("walk", ("R2A", ((5, 3),))), Script(()))
    assert fleeing(far) == ["retreating"]
    near = run(playing(walk), far.state, Intent("walk", ("R2A", ((4, 4),))), Script(()))
    assert fleeing(near) == []


@pytest.mark.rule("D-PT-T4")
def test_an_enemys_officer_stops_nobody() -> None:
    foe = changed(
        field(team("R1A", (3, 5), MAN), team("B2A", (4, 3), unit("NCO", "revolver")), points=(3, 0)),
        SetStatus("B2A", Status("suppressed", since=1, until=1)),
    )
    done = fled(foe)
    assert (at(done), fleeing(done)) == ((3, 3), ["retreating"])  # past him, one hex away


@pytest.mark.rule("D-PT-T4")
def test_without_a_rally_point_a_retreat_goes_to_the_own_edge_and_ends_there() -> None:
    state = field(team("R1A", (3, 3), MAN))
    first, second = fled(state), fled(state, turns=2)
    assert (row_of(first), fleeing(first)) == (1, ["retreating"])
    assert (row_of(second), fleeing(second)) == (0, [])
    assert at(second) is not None  # it does not leave the board


@pytest.mark.rule("D-PT-T4")
def test_a_retreating_team_takes_no_battlefield_action() -> None:
    state = field(team("R1A", (3, 5), MAN), team("R1B", (7, 5), MAN), points=(3, 0))
    rows = (("1", "red", "battle"), ("2", "red", "battle"))
    state = changed(state, SetAttribute("battle", "portions", rows), SetAttribute("battle", "at", 0))
    state = changed(state, SetAttribute("R1", "group", 1))
    with pytest.raises(RuleError) as caught:
        step(state, "act", "R1A", (("R1A-1", "nothing"),), seat="red")
    assert caught.value.rule == "D-PT-T4"
    step(state, "act", "R1B", (("R1B-1", "nothing"),), seat="red")


@pytest.mark.rule("D-PT-T4", "D-PT-T5")
@pytest.mark.parametrize("status", ["retreating", "routed"])
def test_a_fleeing_team_moves_by_itself_at_the_start_of_its_portion(status: str) -> None:
    state = field(team("R1A", (3, 6), MAN), team("R1B", (7, 5), MAN), points=(3, 0), status=status)
    rows = (("1", "red", "move"), ("2", "red", "move"))
    state = changed(state, SetAttribute("battle", "portions", rows), SetAttribute("battle", "at", 0))
    state = changed(state, SetAttribute("R1", "group", 1))
    assert game().next(state) == Runs("flee", ("R1A",))
    done = step(state, "flee", "R1A")
    assert row_of(done) == 4
    assert (done.state["R1A"].attributes["moved"], done.state["R1A"].attributes["walked"]) == (1, 1)
    assert game().next(done.state) != Runs("flee", ("R1A",))


# Rout


@pytest.mark.rule("D-PT-T5")
def test_a_rout_runs_to_the_nearest_cover_that_is_nearer_the_own_edge() -> None:
    covers = {(2, 6): "forest", (4, 6): "forest", (4, 4): "undergrowth", (1, 2): "jungle"}
    # The forests beside it are in its own row, so no nearer to the edge; the undergrowth is 2 hexes away, the jungle 4.
    done = fled(field(team("R1A", (3, 6), MAN), terrain=covers, status="routed"))
    assert at(done) == (4, 4)
    assert fleeing(done) == ["routed"]


@pytest.mark.rule("D-PT-T5")
def test_a_rout_uses_its_full_movement_and_goes_on_from_cover_to_cover() -> None:
    covers = {(3, 5): "forest", (3, 4): "forest"}
    assert at(fled(field(team("R1A", (3, 6), MAN), terrain=covers, status="routed"))) == (3, 4)


@pytest.mark.rule("D-PT-T5", "D-R14.3")
def test_a_rout_runs_to_the_nearest_cover_that_no_friend_holds() -> None:
    """A friend stands in the forest one hex ahead; the one beside it is two hexes away."""
    covers = {(3, 5): "forest", (4, 4): "forest"}
    done = fled(field(team("R1A", (3, 6), MAN), team("R1B", (3, 5), MAN), terrain=covers, status="routed"))
    assert at(done) == (4, 4)


@pytest.mark.rule("D-PT-T5")
def test_a_rout_goes_on_to_the_edge_and_off_the_board() -> None:
    state = field(team("R1A", (3, 3), MAN, MAN), status="routed")
    assert row_of(fled(state)) == 1
    done = fled(state, turns=2)  # one hex to the edge, one more off the board
    assert at(done) is None
    assert [done.state[uid].statuses["out"].value for uid in ("R1A-1", "R1A-2")] == ["ran", "ran"]
    assert told(done, "rout.left_board")[0].rule == "D-PT-T5"


@pytest.mark.rule("D-PT-T5")
def test_who_reaches_the_edge_with_his_last_hex_leaves_in_the_next_turn() -> None:
    state = field(team("R1A", (3, 2), MAN), status="routed")
    assert row_of(fled(state)) == 0
    assert at(fled(state, turns=2)) is None


@pytest.mark.rule("D-PT-T5", "D-R8.6", "D-R8.7")
def test_who_runs_off_the_board_is_taken_off_it_but_not_dead() -> None:
    # A friend beside the hex where they leave checks for each human of the two; Stress stays as it was.
    friend = team("R1B", (4, 0), MAN)
    state = field(team("R1A", (3, 0), MAN, MAN, unit("Bot", "laser_carbine")), friend, status="routed")
    done = fled(changed(state, SetTracker("R", "Stress", 5)), dice=[15, 16])
    assert [event.why["subject"] for event in told(done, "panic.check")] == ["R1B", "R1B"]
    assert done.state["R"].value("Stress") == 5
    assert at(done) is None


@pytest.mark.rule("D-PT-T5", "D-R9.7")
def test_a_side_whose_last_officer_runs_off_the_board_surrenders() -> None:
    state = field(team("R1A", (3, 0), unit("NCO", "revolver")), status="routed")
    rows = (("1", "red", "move"), ("2", "red", "move"))
    state = changed(state, SetAttribute("battle", "portions", rows), SetAttribute("battle", "at", 0))
    alone = changed(state, SetAttribute("R1", "group", 1), SetStatus("R0A-1", Status("out", "dead")))
    done = step(changed(alone, SetAttribute("R", "co", "R1A-1"), SetAttribute("R1A", "group", 1)), "flee", "R1A")
    assert done.state["R1A-1"].statuses["out"].value == "ran"
    assert winner(done) == "blue"


@pytest.mark.rule("D-PT-T5")
def test_a_rout_does_not_stop_for_officers_or_rally_points() -> None:
    nco = team("R2A", (4, 5), unit("NCO", "revolver"))
    done = fled(field(team("R1A", (3, 6), MAN), nco, points=(3, 5), status="routed"))
    assert (row_of(done), fleeing(done)) == (4, ["routed"])


@pytest.mark.rule("D-PT-T5", "D-GM-2")
@pytest.mark.parametrize(
    ("edge", "distance"), [("top", 4), ("bottom", 7), ("left", 5), ("right", 6), ("top-left", 4), ("bottom-right", 6)]
)
def test_how_far_the_own_edge_is(edge: str, distance: int) -> None:
    # Hex (3, 4) lies in row 4 and, 4 rows being 2 columns, in column 5 of a board of 12 by 12.
    state = field(team("R1A", (3, 4), MAN), edges={"red": edge, "blue": "bottom"})
    assert edge_distance(state, "red", Hex(3, 4)) == distance


# On the way


@pytest.mark.rule("D-PT-T5", "D-R14.5")
def test_flight_goes_round_deep_water_and_buildings() -> None:
    # A bar of water in row 5 from column 0 to 10; only column 11, hex (9, 5), is open.
    bar = {(column - 2, 5): "water" for column in range(11)}
    state = field(team("R1A", (6, 6), MAN), terrain=bar, status="routed")
    assert at(fled(state)) == (8, 6)
    assert row_of(fled(state, turns=2)) == 4  # (9, 5), then one of the two beyond it
    shut = field(team("R1A", (6, 6), MAN), terrain={**bar, (9, 5): "building"}, status="routed")
    assert at(fled(shut)) == (6, 6)


@pytest.mark.rule("D-R14.3", "D-R14.4")
def test_flight_passes_friends_and_does_not_end_among_them() -> None:
    row = [team(f"R2{letter}", (column - 2, 5), MAN) for letter, column in zip("ABCDEFGHIJKL", range(12), strict=True)]
    state = field(team("R1A", (3, 6), MAN), *row, status="routed")
    assert row_of(fled(state)) == 4
    slow = field(team("R1A", (3, 6), unit("Soldier", "revolver")), *row, status="routed")
    assert at(fled(slow)) == (3, 6)  # one hex only leads among them


@pytest.mark.rule("D-R14.3", "D-R14.4")
def test_flight_through_a_friend_goes_on_beside_him_where_no_hex_behind_is_free() -> None:
    # Red's edge is row 0. All hexes ahead are held but (2, 1), which is no nearer to the edge than the friend's hex before it.
    held = [(3, 1), (4, 1), (5, 1), (3, 0), (4, 0), (5, 0), (2, 2)]
    friends = [team(f"R2{letter}", place, MAN) for letter, place in zip("ABCDEFG", held, strict=True)]
    done = fled(field(team("R1A", (3, 2), MAN), *friends, status="routed"))
    assert at(done) == (2, 1)


@pytest.mark.rule("D-R14.3", "D-R14.4", "D-PT-T4")
def test_a_retreat_does_not_end_on_a_friends_hex_of_the_own_edge() -> None:
    """The way up leads through (3, 0), where a friend stands, and on along the edge; all else is walled off."""
    walls = dict.fromkeys([(2, 1), (4, 1), (4, 0)], "building")
    state = field(team("R1A", (3, 1), MAN), team("R1B", (3, 0), MAN), terrain=walls)
    done = fled(state)
    assert (at(done), fleeing(done)) == ((2, 0), [])


@pytest.mark.rule("D-R14.3", "D-PT-T4")
def test_a_retreat_that_an_officer_halts_among_friends_goes_on_to_a_free_hex() -> None:
    """He stands beside (3, 5), where the retreat is over; a friend stands there, and (3, 4) behind him is free."""
    walls = dict.fromkeys([(2, 6), (4, 5), (2, 5)], "building")
    nco = team("R2A", (4, 4), unit("NCO", "revolver"))
    state = field(team("R1A", (3, 6), MAN), team("R1B", (3, 5), MAN), nco, terrain=walls, points=(3, 0))
    done = fled(state)
    assert (at(done), fleeing(done)) == ((3, 4), [])


@pytest.mark.rule("D-EQ-T1")
def test_who_fired_what_is_not_moved_does_not_flee_in_that_turn() -> None:
    state = changed(field(team("R1A", (3, 6), MAN), status="routed"), SetAttribute("R1A-1", "braced", 1))
    done = fled(state)
    assert at(done) == (3, 6)
    assert told(done, "flight.held")[0].rule == "D-EQ-T1"


@pytest.mark.rule("D-AMB-41")
def test_flight_ends_cover() -> None:
    state = field(team("R1A", (3, 6), MAN), terrain={(3, 6): "forest"}, status="routed")
    done = fled(changed(state, SetStatus("R1A", Status("under_cover", since=1))))
    assert "under_cover" not in done.state["R1A"].statuses


@pytest.mark.rule("D-R15.1", "D-PT-T5")
def test_the_enemy_fires_at_those_who_flee() -> None:
    foe = team("B1A", (3, 8), unit("Soldier", "pulse_rifle"))
    done = fled(field(team("R1A", (3, 6), MAN), foe, status="routed"), dice=[70, 70])
    assert [event.kind for event in done.events if event.kind in ("move.step", "react.fire")] == [
        "move.step",
        "react.fire",
        "move.step",
    ]


@pytest.mark.rule("D-PT-T4", "D-PT-T5")
def test_a_retreat_that_turns_into_a_rout_stops_for_this_turn() -> None:
    # Three hexes away a pulse rifle does 1, the second Wound of the man in combat armour. His death makes Stress 13; the
    # platoon passes with 19; a 12 on the Team table is a rout, which adds 1 at once.
    foe = team("B1A", (3, 8), unit("Soldier", "pulse_rifle"))
    pair = team("R1A", (3, 6), MAN, unit("Soldier", "revolver", movement=2))
    state = changed(field(pair, foe, points=(3, 0)), SetTracker("R", "Stress", 12), SetTracker("R1A-2", "Wounds", 1))
    done = fled(state, dice=["fire R1A-2", 10, 70, 19, 12])
    assert (at(done), fleeing(done)) == ((3, 5), ["routed"])
    assert done.state["R"].value("Stress") == 14
