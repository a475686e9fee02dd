"""Rule 16, fire: what may be declared, the outcome table, saves by armour, what is lost. One shooter unless a test says more."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from types import SimpleNamespace

import pytest

from rallypoint.disrupter.declaration import strikes_friends
from rallypoint.disrupter.field import Weapon
from rallypoint.disrupter.fire import best_attacks, check_declared, fire, in_range
from rallypoint.disrupter.outcome import band, only_unseen
from rallypoint.disrupter.records import Attack, Hit, Outcome
from rallypoint.kernel.board import Board
from rallypoint.kernel.changes import SetAttribute, SetStatus
from rallypoint.kernel.errors import RuleError
from rallypoint.kernel.game import Intent
from rallypoint.kernel.odds import outcomes
from rallypoint.kernel.parts import Hex
from rallypoint.kernel.plugins.hooks import hookimpl
from rallypoint.kernel.state import Entity, State

from ..disrupter.positions import changed, engaged, game, kinds, rules, status, step, team, unit
from .playing import allocated, dice, fight, out, playing, told, wounds

HIT, MISS = 13, 98  # a success and a failure of every stat from 14 to 80, no doubles
SAVE, FAIL = 24, 97
TOUGH = {**unit("Soldier", "pulse_rifle"), "wounds": 9}
"""A soldier in combat armor who does not fall (and so lets nobody panic) before the ninth Wound."""


def facing(weapon: str = "pulse_rifle", hexes: int = 2, *targets: dict[str, object], **shooter: int) -> State:
    """Return one red soldier with a weapon, ``hexes`` away from a blue team (one tough soldier in combat armor)."""
    red = team("R1A", (0, 0), unit("Soldier", weapon, wears="battle_dress", **shooter))
    return fight(red, team("B1A", (hexes, 0), *(targets or (TOUGH,))))


def shot(weapon: str = "pulse_rifle", target: str = "B1A", shooter: str = "R1A-1", reaction: bool = False) -> Attack:
    return Attack(shooter, weapon, target, reaction)


def refused(
    state: State, *attacks: Attack, options: Mapping[str, object] | None = None, plugins: tuple[object, ...] = ()
) -> str:
    with pytest.raises(RuleError) as caught:
        step(state, check_declared, "R1A", attacks, options=options, plugins=plugins)
    assert caught.value.rule is not None
    return caught.value.rule


@pytest.mark.rule("D-R16.4")
def test_a_weapon_that_the_unit_has_not_is_refused_before_a_plugin_is_asked() -> None:
    @hookimpl
    def los_test(attack: Attack) -> bool:
        raise LookupError(attack.weapon)

    plugins = (SimpleNamespace(los_test=los_test),)
    assert refused(facing(), shot("no_such"), plugins=plugins) == "D-R16.4"
    assert refused(facing(), shot(shooter="nobody"), plugins=plugins) == "D-R16.1"


# The outcome table


@pytest.mark.rule("D-R16.6")
@pytest.mark.parametrize(
    ("check", "save", "taken", "shaken"),
    [(HIT, SAVE, 1, False), (HIT, FAIL, 2, False), (MISS, SAVE, 0, True), (MISS, FAIL, 0, False)],
)
def test_check_against_save(check: int, save: int, taken: int, shaken: bool) -> None:
    done = step(facing(), fire, "R1A", (shot(),), dice=[check, save])
    assert wounds(done.state, "B1A") == [taken]
    assert ("shaken" in done.state["R1A-1"].statuses) == shaken
    assert dice(done) == [("R1A-1", "fire", 1), ("B1A-1", "save", 1)]
    assert "D-R16.6" in rules(done)


@pytest.mark.rule("D-R16.6")
def test_a_saved_hit_of_one_wound_does_none() -> None:
    done = step(facing("revolver"), fire, "R1A", (shot("revolver"),), dice=[HIT, SAVE])
    assert wounds(done.state, "B1A") == [0]


@pytest.mark.rule("D-R16.6", "D-AMB-24")
def test_attackers_of_a_saved_miss_have_a_disadvantage_for_the_whole_next_turn() -> None:
    after = step(facing(), fire, "R1A", (shot(),), dice=[MISS, SAVE]).state
    held = after["R1A-1"].statuses["shaken"]
    assert (held.since, held.until) == (2, 2)
    same_turn = step(after, fire, "R1A", (shot(),), dice=[HIT, FAIL])
    assert dice(same_turn)[0] == ("R1A-1", "fire", 1)
    next_turn = changed(after, SetAttribute("battle", "turn", 2))
    again = step(next_turn, fire, "R1A", (shot(),), dice=[[HIT, 14], FAIL])
    assert dice(again)[0] == ("R1A-1", "fire", 2)
    assert step(again.state, fire, "R1A", (shot(),), dice=[[HIT, 14], FAIL]).state["B1A-1"].value("Wounds") == 4
    # Shaken anew while it lasts: it goes on for one turn more and adds nothing.
    twice = step(next_turn, fire, "R1A", (shot(),), dice=[[MISS, 96], SAVE]).state["R1A-1"].statuses["shaken"]
    assert (twice.since, twice.until) == (2, 3)


@pytest.mark.rule("D-AMB-24")
def test_by_ruling_the_disadvantage_lasts_until_the_next_check() -> None:
    options = {"D-AMB-24": "until_next_check"}
    after = step(facing(), fire, "R1A", (shot(),), dice=[MISS, SAVE], options=options).state
    done = step(after, fire, "R1A", (shot(),), dice=[[HIT, 14], SAVE], options=options)
    assert dice(done)[0] == ("R1A-1", "fire", 2)
    assert "shaken" not in done.state["R1A-1"].statuses
    back = (Attack("B1A-1", "pulse_rifle", "R1A"),)  # a save of his is no such check
    saved = step(after, fire, "B1A", back, dice=[HIT, SAVE], options=options)
    assert "shaken" in saved.state["R1A-1"].statuses


@pytest.mark.rule("D-AMB-42")
def test_criticals_move_stress_even_where_nothing_comes_of_the_shot() -> None:
    done = step(facing(), fire, "R1A", (shot(),), dice=[77, 88])
    assert wounds(done.state, "B1A") == [0]
    assert (done.state["R"].value("Stress"), done.state["B"].value("Stress")) == (1, 1)


@pytest.mark.rule("D-R7.3", "D-R16.6")
def test_critical_grades_count_as_success_and_failure() -> None:
    assert wounds(step(facing(), fire, "R1A", (shot(),), dice=[22, 77]).state, "B1A") == [2]
    assert wounds(step(facing(), fire, "R1A", (shot(),), dice=[22, 33]).state, "B1A") == [1]


@pytest.mark.rule("D-R16.6")
def test_the_odds_of_one_shot_are_those_that_counting_gives() -> None:
    def play(step: object) -> None:
        fire(step, "R1A", (shot(),))  # type: ignore[arg-type]

    state = facing("pulse_rifle", 2, unit("Soldier", wears="battle_dress"))
    found = outcomes(playing(play), state, Intent("play"), lambda done: done.state["B1A-1"].value("Wounds"))
    # I 60 against A 80: hit 60 of 100, saved 80 of 100.
    assert found == {0: Fraction(40, 100), 1: Fraction(60 * 80, 10_000), 2: Fraction(60 * 20, 10_000)}


# Wounds by range


@pytest.mark.rule("D-R5.1", "D-AMB-02", "D-R16.9")
def test_range_bands() -> None:
    assert [band(hexes) for hexes in (0, 1, 2, 3, 4, 5)] == ["C", "C", "M", "L", "L", "L"]


@pytest.mark.rule("D-R16.9", "D-R5.1", "D-AMB-02")
@pytest.mark.parametrize(("hexes", "taken"), [(1, 2), (2, 2), (3, 1), (4, 1)])
def test_a_rifle_by_distance(hexes: int, taken: int) -> None:
    done = step(facing("pulse_rifle", hexes), fire, "R1A", (shot(),), dice=[HIT, FAIL])
    assert wounds(done.state, "B1A") == [taken]


@pytest.mark.rule("D-R16.9")
def test_beyond_max_there_is_no_attack() -> None:
    assert refused(facing("pulse_rifle", 5), shot()) == "D-R16.9"
    assert not in_range(facing("pulse_rifle", 5), shot())
    assert in_range(facing("pulse_rifle", 4), shot())
    assert not in_range(facing("combat_shotgun", 3), shot("combat_shotgun"))


# What may be declared


@pytest.mark.rule("D-R16.3")
def test_one_fires_at_an_enemy_unit_team_or_vehicle_that_is_there() -> None:
    state = facing()
    assert refused(state, shot(target="B1")) == "D-R16.3"
    assert refused(state, shot(target="nobody")) == "D-R16.3"
    assert refused(state, shot(target="R1A")) == "D-R16.3"
    assert refused(changed(state, SetStatus("B1A-1", status("out"))), shot(target="B1A-1")) == "D-R16.3"
    step(state, check_declared, "R1A", (shot(target="B1A-1"),))
    raft = fight(
        team("R1A", (0, 0), unit("Soldier", "pulse_rifle")), team("B3A", (2, 0), unit("NCO"), vehicle="inflatable_raft")
    )
    step(raft, check_declared, "R1A", (shot(target="B3A"),))


@pytest.mark.rule("D-R16.4")
def test_a_unit_fires_one_weapon_it_has() -> None:
    both = team("R1A", (0, 0), unit("NCO", "pulse_rifle", "revolver"))
    state = fight(both, team("B1A", (2, 0), unit("Soldier")))
    assert refused(state, shot(), shot("revolver")) == "D-R16.4"
    assert refused(state, shot("sniper_rifle")) == "D-R16.4"


@pytest.mark.rule("D-R16.1")
def test_only_living_units_of_the_team_fire() -> None:
    state = facing()
    assert refused(state, shot(shooter="B1A-1")) == "D-R16.1"
    assert refused(changed(state, SetStatus("R1A-1", status("out"))), shot()) == "D-R16.1"


@pytest.mark.rule("D-R16.5")
def test_a_line_of_sight_is_needed() -> None:
    wall = Board(12, 12, {Hex(q, r): "building" for q, r in ((1, 0), (0, 1), (1, 1))})
    hidden = [team("R1A", (0, 0), unit("Soldier", "pulse_rifle")), team("B1A", (2, 0), unit("Soldier"))]
    assert refused(fight(*hidden, board=wall), shot()) == "D-R16.5"
    step(fight(*hidden), check_declared, "R1A", (shot(),))


@pytest.mark.rule("D-R16.5")
def test_plugins_may_open_and_close_lines_and_refuse_attacks() -> None:
    @hookimpl
    def los_test(attack: Attack) -> bool:
        return attack.target == "B1A-1"

    plugin = SimpleNamespace(los_test=los_test)
    assert refused(facing(), shot(), plugins=(plugin,)) == "D-R16.5"
    step(facing(), check_declared, "R1A", (shot(target="B1A-1"),), plugins=(plugin,))

    @hookimpl
    def battle_declare() -> bool:
        return False

    assert refused(facing(), shot(), plugins=(SimpleNamespace(battle_declare=battle_declare),)) == "D-R16.1"


@pytest.mark.rule("D-R16.1")
def test_everything_is_checked_before_the_first_roll() -> None:
    state = fight(
        team("R1A", (0, 0), unit("Soldier", "pulse_rifle"), unit("Soldier", "revolver")),
        team("B1A", (4, 0), unit("Bot")),
    )
    with pytest.raises(RuleError) as caught:
        step(
            state, fire, "R1A", (shot(), shot("revolver", shooter="R1A-2"))
        )  # no dice are there: none may be asked for
    assert caught.value.rule == "D-R16.9"


# A target that is gone


def two_shooters(*targets: dict[str, object]) -> State:
    """Return two soldiers with Instinct 60 and 80 (so two checks) before a blue team."""
    red = team("R1A", (0, 0), unit("Soldier", "pulse_rifle"), unit("Soldier", "pulse_rifle", instinct=80))
    return fight(red, team("B1A", (2, 0), *targets))


@pytest.mark.rule("D-R16.1")
def test_a_shot_at_a_unit_that_has_fallen_is_lost() -> None:
    state = two_shooters(unit("Bot"), unit("Bot"))
    at_one = shot(target="B1A-1"), shot(target="B1A-1", shooter="R1A-2")
    done = step(state, fire, "R1A", at_one, dice=[[HIT, 14], FAIL])
    assert out(done.state) == {"B1A-1": "dead"}
    (lost,) = told(done, "fire.lost")
    assert lost.rule == "D-R16.1"
    assert len(told(done, "check")) == 2


@pytest.mark.rule("D-R16.1")
def test_a_shot_at_a_team_is_not_lost_while_anybody_is_left_of_it() -> None:
    state = two_shooters(unit("Bot"), unit("Bot", armor=0))
    attacks = shot(target="B1A-1"), shot(shooter="R1A-2")
    done = step(state, fire, "R1A", attacks, dice=[HIT, FAIL, HIT, 96])
    assert out(done.state) == {"B1A-1": "dead", "B1A-2": "dead"}
    gone = step(two_shooters(unit("Bot")), fire, "R1A", (shot(), shot(shooter="R1A-2")), dice=[[HIT, 14], FAIL])
    assert len(told(gone, "fire.lost")) == 1


@pytest.mark.rule("D-R16.1", "D-EQ-T5")
def test_shots_of_those_who_fall_before_their_turn_are_lost() -> None:
    # The first one's grenade goes off among friends and kills the bot, which had named a shot.
    red = team(
        "R1A",
        (0, 0),
        unit("Soldier", "frag_grenade", armor=0),
        unit("Bot", "laser_carbine"),
        unit("Bot", "pulse_rifle"),
    )
    state = fight(red, team("B1A", (2, 0), TOUGH))
    attacks = shot("frag_grenade"), shot("laser_carbine", shooter="R1A-2"), shot(shooter="R1A-3")
    script = [[MISS, 96], FAIL, FAIL, ["R1A-1", "R1A-2"], [HIT, 14], FAIL]
    done = step(state, fire, "R1A", attacks, dice=script)
    assert out(done.state) == {"R1A-2": "dead"}
    (lost,) = told(done, "fire.lost")
    assert lost.why["attacks"] == (attacks[1],)
    assert wounds(done.state, "B1A") == [2]


# Saves


@pytest.mark.rule("D-R16.7")
def test_a_team_makes_one_save_for_each_armour_value() -> None:
    mixed = unit("Soldier"), unit("Soldier", wears="battle_dress"), unit("Soldier"), unit("Bot")
    done = step(facing("pulse_rifle", 2, *mixed), fire, "R1A", (shot(),), dice=[MISS, FAIL, FAIL])
    assert dice(done) == [("R1A-1", "fire", 1), ("B1A-1", "save", 1), ("B1A-2", "save", 1)]
    saves = [event.why["units"] for event in told(done, "check")[1:]]
    assert saves == [("B1A-1", "B1A-3"), ("B1A-2", "B1A-4")]  # A 60, A 80
    one = step(facing("pulse_rifle", 2, *mixed), fire, "R1A", (shot(target="B1A-2"),), dice=[MISS, FAIL])
    assert [event.why["units"] for event in told(one, "check")] == [("R1A-1",), ("B1A-2",)]


@pytest.mark.rule("D-R6.3", "D-R7.4")
def test_a_higher_armor_saves_more_often() -> None:
    for face, taken in ((79, 1), (80, 2)):
        done = step(
            facing("pulse_rifle", 2, unit("Soldier", wears="battle_dress")), fire, "R1A", (shot(),), dice=[HIT, face]
        )
        assert wounds(done.state, "B1A") == [taken]


@pytest.mark.rule("D-R9.4", "D-AMB-45")
def test_a_save_of_an_officer_and_others_takes_what_all_of_them_have() -> None:
    # The NCO does not aid himself, so the one save of all in combat armor is plain; without him in it, it has [+].
    together = step(facing("pulse_rifle", 2, unit("Soldier"), unit("NCO")), fire, "R1A", (shot(),), dice=[MISS, FAIL])
    assert dice(together)[1] == ("B1A-2", "save", 1)
    other_suit = facing("pulse_rifle", 2, unit("Soldier"), unit("NCO", wears="battle_dress"))
    apart = step(other_suit, fire, "R1A", (shot(),), dice=[MISS, [FAIL, 96], FAIL])
    assert dice(apart)[1:] == [("B1A-1", "save", 2), ("B1A-2", "save", 1)]


@pytest.mark.rule("D-R7.5")
def test_an_advantage_of_the_attacker_gives_the_target_no_second_die() -> None:
    # Three dice in all: two of the attackers, one of the target.
    red = team("R1A", (0, 0), unit("Soldier", "pulse_rifle"), unit("Soldier", "pulse_rifle"))
    state = fight(red, team("B1A", (2, 0), unit("Soldier")))
    done = step(state, fire, "R1A", (shot(), shot(shooter="R1A-2")), dice=[[MISS, 96], FAIL])
    assert dice(done) == [("R1A-1", "fire", 2), ("B1A-1", "save", 1)]


# Plugins


@pytest.mark.rule("D-R16.6", "D-R16.9")
def test_plugins_may_change_wounds_outcome_and_allocation() -> None:
    @hookimpl
    def fire_wounds(distance: int, wounds: int) -> int:
        return wounds + distance

    done = step(facing(), fire, "R1A", (shot(),), dice=[HIT, FAIL], plugins=[SimpleNamespace(fire_wounds=fire_wounds)])
    assert allocated(done) == {"B1A-1": 4}

    seen: list[Hit] = []

    @hookimpl
    def fire_outcome(hit: Hit) -> Outcome:
        seen.append(hit)
        return Outcome(0, True)

    done = step(
        facing(),
        fire,
        "R1A",
        (shot(reaction=True),),
        dice=[HIT, FAIL],
        plugins=[SimpleNamespace(fire_outcome=fire_outcome)],
    )
    assert seen == [Hit("success", "failure", 2, 1, True)]
    assert (wounds(done.state, "B1A"), "shaken" in done.state["R1A-1"].statuses) == ([0], True)


@pytest.mark.rule("D-R16.1")
def test_the_log_tells_the_shot_then_the_rolls_then_the_wounds() -> None:
    done = step(facing(), fire, "R1A", (shot(),), dice=[HIT, FAIL])
    assert kinds(done)[:5] == ["fire.shot", "check", "check", "fire.hit", "wounds"]
    assert all(event.cause == 0 for event in done.events if event.kind in ("check", "wounds"))


# Reaction Fire


@pytest.mark.rule("D-R16.4")
def test_what_a_team_would_fire_is_the_weapon_with_the_most_wounds_of_each_unit() -> None:
    red: list[Entity] = team(
        "R1A", (0, 0), unit("NCO", "revolver", "pulse_rifle"), unit("Bot", "laser_carbine"), unit("Soldier")
    )
    state = fight(red, team("B1A", (3, 0), unit("Soldier")))
    assert best_attacks(state, {}, "R1A", "B1A") == (
        Attack("R1A-1", "revolver", "B1A", True),
        Attack("R1A-2", "laser_carbine", "B1A", True),
    )
    assert best_attacks(fight(red, team("B1A", (2, 0), unit("Soldier"))), {}, "R1A", "B1A")[0].weapon == "pulse_rifle"


@pytest.mark.rule("D-R16.4")
def test_a_team_that_reacts_spares_its_friends_as_long_as_it_can() -> None:
    gunner = unit("Soldier", "heavy_machine_gun", wears="battle_dress")
    near = team("R1B", (3, 0), unit("Soldier"))
    red = team("R1A", (0, 0), gunner, unit("Soldier", "pulse_rifle"))
    state = fight(red, near, team("B1A", (2, 0), unit("Soldier")))
    assert [attack.weapon for attack in best_attacks(state, {}, "R1A", "B1A")] == ["pulse_rifle"]
    alone = fight(team("R1A", (0, 0), gunner), near, team("B1A", (2, 0), unit("Soldier")))
    assert [attack.weapon for attack in best_attacks(alone, {}, "R1A", "B1A")] == ["heavy_machine_gun"]


@pytest.mark.rule("D-R16.4", "D-EQ-T4")
def test_a_flamethrower_beside_its_target_endangers_its_own_team_no_more_than_a_revolver() -> None:
    """It does 3 Wounds at one hex and its splash spares its own team, though not another one beside the target."""
    red = team("R1A", (0, 0), unit("Soldier", "revolver", "flamethrower"))
    foe = team("B1A", (1, 0), unit("Soldier"))
    assert [attack.weapon for attack in best_attacks(fight(red, foe), {}, "R1A", "B1A")] == ["flamethrower"]
    near = team("R1B", (2, 0), unit("Soldier"))
    assert [attack.weapon for attack in best_attacks(fight(red, foe, near), {}, "R1A", "B1A")] == ["revolver"]


@pytest.mark.rule("D-R16.4", "D-EQ-T4", "D-AMB-36")
def test_a_flamethrower_that_spares_its_bearer_alone_endangers_his_comrades() -> None:
    """By ruling ``unit`` its splash falls on whoever stands with its bearer; of a bearer who is alone it falls on nobody."""
    bearer, comrade = unit("Soldier", "revolver", "flamethrower"), unit("Soldier")
    foe, spared = team("B1A", (1, 0), unit("Soldier")), {"D-AMB-36": "unit"}
    together, alone = fight(team("R1A", (0, 0), bearer, comrade), foe), fight(team("R1A", (0, 0), bearer), foe)
    burning = Attack("R1A-1", "flamethrower", "B1A", True)
    assert [attack.weapon for attack in best_attacks(together, {}, "R1A", "B1A")] == ["flamethrower"]
    assert [attack.weapon for attack in best_attacks(together, spared, "R1A", "B1A")] == ["revolver"]
    assert [attack.weapon for attack in best_attacks(alone, spared, "R1A", "B1A")] == ["flamethrower"]
    assert [strikes_friends(together, options, burning) for options in ({}, spared)] == [False, True]
    assert not strikes_friends(alone, spared, burning)


@pytest.mark.rule("D-R16.4", "D-EQ-T3", "D-AMB-35")
def test_splash_that_by_ruling_falls_on_no_friends_endangers_none() -> None:
    gunner = unit("Soldier", "revolver", "heavy_machine_gun", wears="battle_dress")
    near = team("R1B", (2, 0), unit("Soldier"))
    state = fight(team("R1A", (0, 0), gunner), near, team("B1A", (1, 0), unit("Soldier")))
    harmless = {"D-AMB-35.friends": "no"}
    assert [attack.weapon for attack in best_attacks(state, {}, "R1A", "B1A")] == ["revolver"]
    assert [attack.weapon for attack in best_attacks(state, harmless, "R1A", "B1A")] == ["heavy_machine_gun"]


@pytest.mark.rule("D-IF-1", "D-EQ-T5")
def test_a_weapon_with_column_t_alone_goes_at_places_only_unless_it_lobs_grenades() -> None:
    def arm(close: int, *traits: str) -> Weapon:
        return Weapon("tube", "Tube", 2, close, 0, 0, 9, ("indirect", *traits))

    assert [only_unseen(each) for each in (arm(0), arm(1), arm(0, "launch_check"), arm(0, "throw_check"))] == [
        True,
        False,
        False,
        False,
    ]


# What is listed


@pytest.mark.rule("D-R16.9")
@pytest.mark.parametrize(("hexes", "listed"), [(3, {"B1A"}), (4, {"B1A"}), (5, set())])
def test_shots_are_listed_as_far_as_the_longest_weapon_reaches(hexes: int, listed: set[str]) -> None:
    """The rifle of the second reaches 4 hexes, the revolver of the first 3."""
    red = team("R1A", (0, 0), unit("Soldier", "revolver"), unit("Soldier", "pulse_rifle"))
    state = engaged(fight(red, team("B1A", (hexes, 0), TOUGH), portion=("1", "red", "battle")))
    shots = [deed for intent in game().legal(state, "red") if intent.rule == "act" for deed in intent.args[1]]  # type: ignore[union-attr]
    assert {deed[3] for deed in shots if deed[:3] == ("R1A-2", "fire", "pulse_rifle")} == listed  # type: ignore[index]


# Panic keeps from firing


@pytest.mark.rule("D-PT-T3", "D-PT-T4", "D-PT-T5", "D-AMB-11")
@pytest.mark.parametrize(
    ("held", "rule", "reaction_of_human", "reaction_of_bot"),
    [
        ("suppressed", "D-PT-T3", False, True),
        ("routed", "D-PT-T5", False, True),
        ("retreating", "D-PT-T4", True, True),
    ],
)
def test_who_panics_does_not_fire(held: str, rule: str, reaction_of_human: bool, reaction_of_bot: bool) -> None:
    red = team("R1A", (0, 0), unit("Soldier", "pulse_rifle"), unit("Bot", "laser_carbine"))
    state = changed(fight(red, team("B1A", (2, 0), unit("Soldier"))), SetStatus("R1A", status(held)))
    assert refused(state, shot()) == rule
    assert refused(state, shot("laser_carbine", shooter="R1A-2")) == rule
    for attack, allowed in (
        (shot(reaction=True), reaction_of_human),
        (shot("laser_carbine", shooter="R1A-2", reaction=True), reaction_of_bot),
    ):
        if allowed:
            step(state, check_declared, "R1A", (attack,))
        else:
            assert refused(state, attack) == rule
    if held != "retreating":
        shared = {"D-AMB-11": "share_panic"}
        assert refused(state, shot("laser_carbine", shooter="R1A-2", reaction=True), options=shared) == rule


@pytest.mark.rule("D-PT-T3")
def test_suppression_that_begins_next_turn_does_not_hold_yet() -> None:
    state = changed(facing(), SetStatus("R1A", status("suppressed", since=2, until=2)))
    step(state, check_declared, "R1A", (shot(),))
    assert refused(changed(state, SetAttribute("battle", "turn", 2)), shot()) == "D-PT-T3"
