"""Rule 15: who fires at a mover, when, and what that does to the move."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import SimpleNamespace

import pytest

from rallypoint.disrupter.hooks import DisrupterStep
from rallypoint.disrupter.movement import move
from rallypoint.disrupter.orders import permits
from rallypoint.disrupter.reaction import reactions, reactors
from rallypoint.disrupter.records import Reaction
from rallypoint.kernel.answers import Script
from rallypoint.kernel.board import Board
from rallypoint.kernel.changes import SetAttribute, SetStatus, SetTracker
from rallypoint.kernel.errors import TapeError
from rallypoint.kernel.game import Intent
from rallypoint.kernel.parts import Hex, Status
from rallypoint.kernel.plugins.hooks import hookimpl
from rallypoint.kernel.state import Entity, State
from rallypoint.kernel.step import Done, run

from ..disrupter.positions import changed, engaged, position, team, unit
from .playing import attacks, playing, told, winner

COS = [team("R0A", (0, 0), unit("CO", "revolver")), team("B0A", (6, 11), unit("CO", "revolver"))]
"""Two officers out of everybody's range."""

RIFLE = unit("Soldier", "pulse_rifle")
RUNNER = unit("Soldier", "revolver", movement=2)
BOT = unit("Bot", "laser_carbine")

# Dice: 70 fails against 60 and 10 succeeds; neither is a double, so no Stress moves.
MISS = [70, 70]
"""Instinct Check and Armor Save both fail: nothing happens (D-R16.6)."""
KILL = [10, 70, 15]
"""A hit without a save: a pulse rifle's 2 Wounds at up to 2 hexes; then the platoon's Panic Check against Stress 1 passes."""


def walk(step: DisrupterStep, name: str, path: Iterable[tuple[int, int]]) -> None:
    move(step, name, tuple([Hex(*at) for at in path]))


def field(
    *teams: list[Entity],
    terrain: Mapping[tuple[int, int], str] | None = None,
    portion: int = 0,
    fire_policy: str | None = None,
) -> State:
    """Return a battle in a movement portion of red; all squads engage."""
    words = {Hex(*at): word for at, word in (terrain or {}).items()}
    state = position(*COS, *teams, board=Board(12, 12, words))
    return changed(engaged(state, fire_policy=fire_policy), SetAttribute("battle", "at", portion))


def moved(
    state: State,
    *path: tuple[int, int],
    dice: Iterable[object] = (),
    name: str = "R1A",
    options: Mapping[str, object] | None = None,
    plugins: Iterable[object] = (),
) -> Done:
    made = playing(walk, options=options, plugins=plugins)
    return run(made, state, Intent("walk", (name, path), "red"), Script(dice))


def fired(done: Done) -> list[tuple[object, object]]:
    return [(event.why["team"], event.why["target"]) for event in told(done, "react.fire")]


def at(done: Done, name: str = "R1A") -> tuple[int, int]:
    place = done.state[name].place
    assert isinstance(place, Hex)
    return place[:2]


def order_of_events(done: Done, *kinds: str) -> list[str]:
    return [event.kind for event in done.events if event.kind in kinds]


@pytest.mark.rule("D-R15.1", "D-R15.2")
def test_an_enemy_fires_as_soon_as_the_mover_comes_into_range_and_once_a_portion() -> None:
    state = field(team("R1A", (2, 4), RUNNER), team("B1A", (7, 4), RIFLE))  # 5 hexes apart, the rifle reaches 4
    done = moved(state, (3, 4), (4, 4), dice=MISS)
    assert order_of_events(done, "move.step", "react.fire") == ["move.step", "react.fire", "move.step"]
    assert fired(done) == [("B1A", "R1A")]
    assert at(done) == (4, 4)


@pytest.mark.rule("D-R15.1", "D-R15.2")
def test_out_of_range_until_the_second_hex() -> None:
    state = field(team("R1A", (1, 4), RUNNER), team("B1A", (7, 4), RIFLE))
    done = moved(state, (2, 4), (3, 4), dice=MISS)
    assert order_of_events(done, "move.step", "react.fire") == ["move.step", "move.step", "react.fire"]


@pytest.mark.rule("D-R15.2")
def test_a_team_that_has_fired_in_this_portion_does_not_fire_at_the_next_mover() -> None:
    state = field(team("R1A", (4, 4), RUNNER), team("R1B", (4, 6), RUNNER), team("B1A", (7, 4), RIFLE))
    once = moved(state, (5, 4), dice=MISS).state
    assert fired(moved(once, (4, 5), name="R1B")) == []
    later = changed(once, SetAttribute("battle", "at", 2))
    assert fired(moved(later, (4, 5), name="R1B", dice=MISS)) == [("B1A", "R1B")]
    next_turn = changed(once, SetAttribute("battle", "turn", 2))
    assert fired(moved(next_turn, (4, 5), name="R1B", dice=MISS)) == [("B1A", "R1B")]


@pytest.mark.rule("D-R15.1")
def test_nobody_reacts_to_what_he_does_not_see() -> None:
    wall = {(6, 3): "building", (6, 4): "building", (5, 5): "building", (6, 5): "building", (7, 3): "building"}
    state = field(team("R1A", (4, 4), RUNNER), team("B1A", (7, 4), RIFLE), terrain=wall)
    assert fired(moved(state, (5, 4))) == []
    assert fired(moved(field(team("R1A", (4, 4), RUNNER), team("B1A", (7, 4), RIFLE)), (5, 4), dice=MISS)) != []


@pytest.mark.rule("D-R15.1")
def test_only_the_other_side_reacts() -> None:
    state = field(team("R1A", (4, 4), RUNNER), team("R1B", (6, 4), RIFLE))
    assert fired(moved(state, (5, 4))) == []


@pytest.mark.rule("D-R15.4", "D-R16.8")
def test_reaction_fire_goes_by_the_normal_rules_and_is_told_as_such() -> None:
    state = field(team("R1A", (4, 4), RUNNER), team("B1A", (7, 4), RIFLE, RIFLE))
    done = moved(state, (5, 4), dice=["fire", [70, 71], 70])  # two of the same Instinct: one check, with [+]
    shot = told(done, "fire.shot")[0]
    assert [(attack.shooter, attack.weapon, attack.target, attack.reaction) for attack in attacks(shot)] == [
        ("B1A-1", "pulse_rifle", "R1A", True),
        ("B1A-2", "pulse_rifle", "R1A", True),
    ]


@pytest.mark.rule("D-R15.4")
def test_a_mover_that_loses_its_last_unit_stops_and_nobody_else_fires() -> None:
    state = field(team("R1A", (4, 4), RUNNER), team("B1A", (7, 4), RIFLE), team("B1B", (6, 6), RIFLE))
    done = moved(state, (5, 4), (5, 3), dice=KILL)
    assert done.state["R1A-1"].statuses["out"].value == "dead"
    assert fired(done) == [("B1A", "R1A")]
    assert len(told(done, "move.step")) == 1


@pytest.mark.rule("D-R15.1")
def test_enemies_react_in_the_order_of_the_roster() -> None:
    state = field(team("R1A", (4, 4), RUNNER), team("B1B", (6, 6), RIFLE), team("B1A", (7, 4), RIFLE))
    done = moved(state, (5, 4), dice=[*MISS, *MISS])
    assert fired(done) == [("B1B", "R1A"), ("B1A", "R1A")]


@pytest.mark.rule("D-R15.4", "D-R14.2", "D-R14.3")
def test_a_stand_that_becomes_faster_counts_its_hexes_anew() -> None:
    slow = unit("Soldier", "revolver")  # W 2, M 1
    state = field(team("R1A", (4, 4), RUNNER, slow), team("B1A", (7, 4), RIFLE))
    # Fire at the slow one: hit, no save, dead; platoon check and the team's own check pass. Then on, away from the rifle.
    done = moved(state, (5, 4), dice=["fire R1A-2", *KILL, 15, "5,3"])
    assert at(done) == (5, 3)
    assert told(done, "move.step")[-1].rule == "D-R15.4"
    stays = moved(state, (5, 4), dice=["fire R1A-2", *KILL, 15, "stop"])
    assert at(stays) == (5, 4)
    beside = team("R1B", (5, 3), RUNNER)
    with pytest.raises(TapeError) as caught:  # one stand fills a hex; his comrades have a check of their own
        moved(
            field(team("R1A", (4, 4), RUNNER, slow), beside, team("B1A", (7, 4), RIFLE)),
            (5, 4),
            dice=["fire R1A-2", *KILL, 15, 15, "5,3"],
        )
    assert set(str(caught.value.expected).split(", ")) == {"stop", "6,4", "6,3", "4,4", "4,5", "5,5"}


def lame(*, from_hex: tuple[int, int]) -> SimpleNamespace:
    """A plugin by which everybody is down to one hex from some hex on."""

    @hookimpl
    def move_plan(step: DisrupterStep, team: Entity, allowance: int) -> int:
        return 1 if team.place == Hex(*from_hex) else allowance

    return SimpleNamespace(move_plan=move_plan)


@pytest.mark.rule("D-R15.4")
def test_a_stand_that_becomes_slower_does_not_finish_its_path() -> None:
    state = field(team("R1A", (4, 4), RUNNER))
    done = moved(state, (5, 4), (6, 4), plugins=[lame(from_hex=(5, 4))])
    assert at(done) == (5, 4)
    assert [event.rule for event in told(done, "move.cut_short")] == ["D-R15.4"]


@pytest.mark.rule("D-R15.4", "D-R14.3")
def test_a_stand_that_becomes_slower_among_friends_goes_on_to_a_free_hex() -> None:
    state = field(team("R1A", (4, 4), RUNNER), team("R1B", (5, 4), RUNNER))
    assert at(moved(state, (5, 4), (6, 4), plugins=[lame(from_hex=(5, 4))])) == (6, 4)


def broken(state: State) -> State:
    """Stress 12: with the death it is 13, and a 7 on the Team table is a retreat."""
    return changed(state, SetTracker("R", "Stress", 12))


@pytest.mark.rule("D-R15.4", "D-PT-T4")
def test_a_mover_whose_nerve_breaks_stops_unless_the_ruling_lets_it_go_on() -> None:
    state = broken(field(team("R1A", (4, 4), RUNNER, RUNNER), team("B1A", (7, 4), RIFLE)))
    dice = ["fire R1A-1", 10, 70, 15, 7]
    done = moved(state, (5, 4), (5, 3), dice=dice)
    assert "retreating" in done.state["R1A"].statuses
    assert at(done) == (5, 4)
    on = moved(state, (5, 4), (5, 3), dice=dice, options={"D-R15.4": "goes_on"})
    assert at(on) == (5, 3)


@pytest.mark.rule("D-R15.4", "D-PT-T3")
def test_a_mover_that_is_suppressed_on_the_way_stops_where_suppression_starts_at_once() -> None:
    """A 3 on the Team table; by the rules as they are it holds from the next turn."""
    state = broken(field(team("R1A", (4, 4), RUNNER, RUNNER), team("B1A", (7, 4), RIFLE)))
    dice = ["fire R1A-1", 10, 70, 15, 3]
    assert at(moved(state, (5, 4), (5, 3), dice=dice, options={"D-PT-T3": "now"})) == (5, 4)
    assert at(moved(state, (5, 4), (5, 3), dice=dice)) == (5, 3)


@pytest.mark.rule("D-R15.4", "D-R9.7")
def test_a_surrender_on_the_way_ends_the_move_and_the_battle() -> None:
    state = position(
        team("R0A", (4, 4), unit("CO", "revolver", movement=2)),
        team("B0A", (7, 4), unit("CO", "pulse_rifle")),
        team("B1A", (6, 6), RIFLE),
    )
    done = moved(engaged(state), (5, 4), (5, 3), name="R0A", dice=[10, 70, 15])
    assert winner(done) == "blue"
    assert (len(told(done, "move.step")), len(told(done, "react.fire"))) == (1, 1)


@pytest.mark.rule("D-R15.4", "D-R9.7")
def test_a_surrender_stops_a_stand_that_still_has_units_and_those_who_would_fire_next() -> None:
    state = position(
        team("R0A", (4, 4), unit("CO", "revolver", movement=2), RUNNER),
        team("B0A", (7, 4), unit("CO", "pulse_rifle")),
        team("B1A", (6, 6), RIFLE),
    )
    done = moved(engaged(state), (5, 4), (5, 3), name="R0A", dice=["fire R0A-1", 10, 70, 15, 15])
    assert winner(done) == "blue"
    assert (len(told(done, "move.step")), len(told(done, "react.fire"))) == (1, 1)


@pytest.mark.rule("D-R15.4", "D-R14.3")
def test_a_mover_whose_nerve_breaks_among_friends_goes_on_to_a_free_hex() -> None:
    friend = team("R1B", (5, 4), unit("Bot", "revolver"))
    state = broken(field(team("R1A", (4, 4), RUNNER, RUNNER), friend, team("B1A", (7, 4), RIFLE)))
    done = moved(state, (5, 4), (5, 3), dice=["fire R1A-1", 10, 70, 15, 7])
    assert "retreating" in done.state["R1A"].statuses
    assert at(done) == (5, 3)


# Orders


@pytest.mark.rule("D-R15.2", "D-R9.12")
def test_who_is_ordered_to_fire_has_no_choice_but_of_the_target() -> None:
    state = field(team("R1A", (5, 4), RUNNER, RUNNER), team("B1A", (7, 4), RIFLE))
    (ask,) = reactions(state, {}, "move", "R1A")
    assert (ask.seat, ask.subject) == ("blue", "B1A")
    assert [option.key for option in ask.options] == ["fire", "fire R1A-1", "fire R1A-2"]
    assert reactions(state, {}, "another window", "R1A") == ()
    assert reactions(changed(state, SetAttribute("B1A", "reacted", (1, 0))), {}, "move", "R1A") == ()


@pytest.mark.rule("D-R15.2", "D-R9.12")
@pytest.mark.parametrize("policy", ["hold", "return"])
def test_whose_orders_say_no_fires_in_self_defence_only_and_may_hold(policy: str) -> None:
    near = field(team("R1A", (4, 4), RUNNER), team("B1A", (7, 4), RIFLE), fire_policy=policy)
    (ask,) = reactions(near, {}, "move", "R1A")  # the runner's revolver reaches 3 hexes
    assert [option.key for option in ask.options] == ["fire", "hold"]
    assert fired(moved(near, (5, 4), dice=["hold"])) == []
    far = field(team("R1A", (3, 4), RUNNER), team("B1A", (7, 4), RIFLE), fire_policy=policy)
    assert reactions(far, {}, "move", "R1A") == ()  # 4 hexes: the rifle reaches, the revolver does not


@pytest.mark.rule("D-R15.2", "D-AMB-15")
def test_without_a_fire_policy_the_ruling_speaks() -> None:
    state = field(team("R1A", (3, 4), RUNNER), team("B1A", (7, 4), RIFLE))
    assert [ask.subject for ask in reactions(state, {}, "move", "R1A")] == ["B1A"]
    assert reactions(state, {"D-AMB-15": "hold"}, "move", "R1A") == ()


@pytest.mark.rule("D-R15.2", "D-AMB-15")
def test_a_sentence_without_structure_is_for_its_seat_to_read() -> None:
    state = field(team("R1A", (3, 4), RUNNER), team("B1A", (7, 4), RIFLE))
    words = changed(state, SetAttribute("B1", "orders", None))
    row = {"by": "", "to": "B1", "text": "Wait for the flare.", "verb": None, "place": None, "fire_policy": None}
    words = changed(words, SetAttribute("B1", "orders", ({**row, "code_word": None, "since": 0, "number": 1},)))
    (ask,) = reactions(words, {}, "move", "R1A")
    assert [option.key for option in ask.options] == ["fire", "hold"]


@pytest.mark.rule("D-R9.16", "D-R15.2")
def test_a_bot_that_nobody_leads_defends_itself_and_no_more() -> None:
    near = field(team("R1A", (4, 4), RUNNER), team("B1A", (7, 4), BOT))
    (ask,) = reactions(near, {}, "move", "R1A")
    assert [option.key for option in ask.options] == ["fire", "hold"]
    far = field(team("R1A", (2, 4), RUNNER), team("B1A", (7, 4), BOT))  # a laser carbine reaches any hex
    assert reactions(far, {}, "move", "R1A") == ()


@pytest.mark.rule("D-R9.16", "D-R9.15")
def test_in_a_mixed_stand_the_bots_keep_still_where_only_the_orders_call_for_fire() -> None:
    state = field(team("R1A", (2, 4), RUNNER), team("B1A", (6, 4), RIFLE, BOT))
    done = moved(state, (2, 5), dice=MISS)  # 4 hexes: the runner's revolver does not reach back
    assert [attack.shooter for attack in attacks(told(done, "fire.shot")[0])] == ["B1A-1"]
    closer = field(team("R1A", (2, 4), RUNNER), team("B1A", (6, 4), RIFLE, BOT))
    done = moved(closer, (3, 4), dice=["fire", [70, 72], 70, [70, 72], 70])  # 3 hexes: it does
    assert [attack.shooter for event in told(done, "fire.shot") for attack in attacks(event)] == [
        "B1A-1",
        "B1A-2",
    ]


@pytest.mark.rule("D-PT-T3", "D-PT-T4", "D-PT-T5", "D-AMB-11")
@pytest.mark.parametrize(
    ("status", "expected"),
    [("suppressed", []), ("routed", []), ("retreating", [Reaction("B1A", must_fire=False, may_spot=False)])],
)
def test_panic_and_reaction_fire(status: str, expected: list[Reaction]) -> None:
    state = field(team("R1A", (4, 4), RUNNER), team("B1A", (7, 4), RIFLE))
    state = changed(state, SetStatus("B1A", Status(status, since=1, until=1)))
    assert list(reactors(state, {}, "R1A", lambda uid, act: permits(state, {}, uid, act))) == expected


@pytest.mark.rule("D-AMB-11")
@pytest.mark.parametrize("status", ["suppressed", "routed"])
def test_the_bots_of_a_team_that_panics_still_defend_themselves(status: str) -> None:
    state = field(team("R1A", (4, 4), RUNNER), team("B1A", (7, 4), RIFLE, BOT))
    state = changed(state, SetStatus("B1A", Status(status, since=1, until=1)))
    done = moved(state, (5, 4), dice=["fire", 70, 70])
    assert [attack.shooter for attack in attacks(told(done, "fire.shot")[0])] == ["B1A-2"]
    assert fired(moved(state, (5, 4), options={"D-AMB-11": "share_panic"})) == []


# Cover


def hidden(state: State) -> State:
    return changed(state, SetStatus("B1A", Status("under_cover", since=1)))


@pytest.mark.rule("D-R15.3")
def test_under_cover_a_team_may_fire_spot_or_hold() -> None:
    state = hidden(field(team("R1A", (4, 4), RUNNER), team("B1A", (7, 4), RIFLE)))
    (ask,) = reactions(state, {}, "move", "R1A")
    assert [option.key for option in ask.options] == ["fire", "spot", "hold"]


@pytest.mark.rule("D-R15.3")
def test_by_ruling_who_is_under_cover_and_ordered_to_fire_fires_or_spots() -> None:
    covered = team("R1A", (4, 4), RUNNER), team("B1A", (7, 4), RIFLE)
    (ask,) = reactions(hidden(field(*covered)), {"D-R15.3": "no"}, "move", "R1A")
    assert [option.key for option in ask.options] == ["fire", "spot"]
    (ask,) = reactions(hidden(field(*covered, fire_policy="hold")), {"D-R15.3": "no"}, "move", "R1A")
    assert [option.key for option in ask.options] == ["fire", "spot", "hold"]  # nobody told it to fire


@pytest.mark.rule("D-R15.3")
def test_who_spots_keeps_his_cover_and_has_reacted() -> None:
    state = hidden(field(team("R1A", (4, 4), RUNNER), team("B1A", (7, 4), RIFLE)))
    done = moved(state, (5, 4), (5, 3), dice=["spot", [10, 12]])  # I [-] from cover: two dice
    assert "under_cover" in done.state["B1A"].statuses
    assert [(link.source, link.target) for link in done.state.linked("spot")] == [("B1A", "R1A")]
    assert len(told(done, "react.spot")) == 1


@pytest.mark.rule("D-R15.3", "D-R13.2")
def test_who_fires_from_cover_loses_it() -> None:
    state = hidden(field(team("R1A", (4, 4), RUNNER), team("B1A", (7, 4), RIFLE)))
    done = moved(state, (5, 4), dice=["fire", [70, 72], 70])
    assert "under_cover" not in done.state["B1A"].statuses


@pytest.mark.rule("D-R15.3")
def test_who_holds_is_asked_again_after_the_next_hex() -> None:
    state = hidden(field(team("R1A", (4, 4), RUNNER), team("B1A", (7, 4), RIFLE)))
    done = moved(state, (5, 4), (5, 3), dice=["hold", "spot", [10, 12]])
    assert order_of_events(done, "move.step", "react.spot") == ["move.step", "move.step", "react.spot"]


@pytest.mark.rule("D-R15.3")
def test_the_unit_with_the_best_instinct_spots() -> None:
    state = hidden(field(team("R1A", (4, 4), RUNNER), team("B1A", (7, 4), RIFLE, unit("NCO", "revolver"))))
    done = moved(state, (5, 4), dice=["spot", [10, 12]])
    assert told(done, "react.spot")[0].why["unit"] == "B1A-2"


# Range


@pytest.mark.rule("D-AMB-02", "D-R5.1")
def test_long_range_goes_on_to_the_weapons_max() -> None:
    done = moved(field(team("R1A", (3, 4), RUNNER), team("B1A", (8, 4), RIFLE)), (4, 4), dice=[10, 70])
    assert done.state["R1A-1"].value("Wounds") == 1  # 4 hexes: the pulse rifle's L, not its 2 at up to 2 hexes
    far = field(team("R1A", (0, 4), RUNNER), team("B1A", (9, 4), unit("Soldier", "laser_carbine")))
    done = moved(far, (1, 4), dice=[10, 70])
    assert done.state["R1A-1"].value("Wounds") == 1  # 8 hexes: the carbine's L; its Max is infinite


# Plugins


@pytest.mark.rule("D-R15.1", "D-R15.2")
def test_plugins_say_who_reacts() -> None:
    @hookimpl
    def react_trigger(step: DisrupterStep, mover: Entity, reactors: tuple[Reaction, ...]) -> tuple[Reaction, ...]:
        return tuple([each._replace(must_fire=False) for each in reactors if each.team != "B1A"])

    state = field(team("R1A", (4, 4), RUNNER), team("B1A", (7, 4), RIFLE), team("B1B", (6, 6), RIFLE))
    done = moved(state, (5, 4), dice=["fire", *MISS], plugins=[SimpleNamespace(react_trigger=react_trigger)])
    assert fired(done) == [("B1B", "R1A")]
