"""Checks that nobody makes, and one die in place of two (D-SL-R16, D-VA-R16.1, D-SL-VE.1, D-AMB-25, D-AMB-26)."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from rallypoint.disrupter import catalogue
from rallypoint.disrupter.checks import check
from rallypoint.disrupter.fire import fire
from rallypoint.disrupter.hooks import DisrupterStep
from rallypoint.disrupter.records import Attack, CheckRequest, Modifier
from rallypoint.kernel.answers import Script
from rallypoint.kernel.board import Board
from rallypoint.kernel.changes import SetAttribute, SetStatus, SetTracker
from rallypoint.kernel.errors import InputError
from rallypoint.kernel.game import Intent
from rallypoint.kernel.parts import Hex
from rallypoint.kernel.state import State
from rallypoint.kernel.step import Done, run

from ..disrupter.positions import changed, engaged, status, team, unit
from ..rules.playing import fight, told, wounds
from .battles import game, on, plain, rolled, seeded, step, without

HIT, MISS, SAVE, FAIL = 13, 98, 24, 97
NOTHING: Mapping[str, object] = {}


def facing(
    *red: dict[str, object], blue: int = 1, apart: int = 2, portion: tuple[str, str, str] = ("1", "red", "battle")
) -> State:
    """Return a team of red and one of blue with orders to engage, some hexes apart on open ground; blue can take 30 Wounds."""
    tough = [{**unit("Soldier", "pulse_rifle"), "wounds": 30} for _ in range(blue)]
    state = fight(team("R1A", (0, 0), *red), team("B1A", (apart, 0), *tough), portion=portion)
    return engaged(state)


def shot(options: Mapping[str, object], state: State, *dice: object, weapon: str = "pulse_rifle") -> Done:
    """Let the first soldier of red fire at the team of blue."""
    return step(options, state, "act", "R1A", [["R1A-1", "fire", weapon, "B1A"]], dice=dice)


def pulse() -> dict[str, object]:
    return unit("Soldier", "pulse_rifle")


# Spot, rally, drive


@pytest.mark.rule("D-SL-R16.1")
def test_a_spot_succeeds_without_dice_and_nothing_else_changes() -> None:
    state, deed = changed(facing(pulse()), SetTracker("R", "Stress", 5)), [["R1A-1", "spot", "B1A"]]
    seen = set()
    for seed in range(30):
        full = seeded({}, state, "act", "R1A", deed, seed=seed)
        sure = seeded(on("D-SL-R16.1"), state, "act", "R1A", deed, seed=seed)
        assert not rolled(sure.events)
        assert told(sure, "spot")
        if told(full, "spot") and not told(full, "stress"):
            assert without(plain(full.events), "check") == without(plain(sure.events), "check")
        seen.add((bool(told(full, "spot")), bool(told(full, "stress"))))
        assert not told(sure, "stress")
    assert len(seen) >= 3  # successes, failures and criticals were among them


@pytest.mark.rule("D-SL-R16.4")
def test_a_rally_succeeds_without_dice() -> None:
    red = team("R1A", (0, 0), unit("NCO", "revolver"), pulse()), team("R1B", (1, 0), pulse())
    state = engaged(fight(*red, team("B1A", (5, 0), pulse()), portion=("1", "red", "battle")))
    state = changed(state, SetStatus("R1B", status("routed", since=1)))
    failed = step({}, state, "act", "R1A", [["R1A-1", "rally"]], dice=[MISS])
    assert "routed" in failed.state["R1B"].statuses
    full = step({}, state, "act", "R1A", [["R1A-1", "rally"]], dice=[HIT])
    sure = step(on("D-SL-R16.4"), state, "act", "R1A", [["R1A-1", "rally"]], dice=[])
    assert "routed" not in sure.state["R1B"].statuses
    assert without(plain(sure.events), "check") == without(plain(full.events), "check")


def drive(step: DisrupterStep, driver: str) -> None:
    """Make the check of a driver, as rules of vehicles do."""
    check(step, CheckRequest((driver,), "instinct", "drive"), "D-VE-9")


@pytest.mark.rule("D-SL-VE.1")
def test_a_driver_rolls_nothing() -> None:
    grades = {}
    for name, options, dice in (("full", NOTHING, [MISS]), ("sure", on("D-SL-VE.1"), [])):
        playing = game(options)
        playing.rules = {**playing.rules, "drive": drive}
        done = run(playing, facing(pulse()), Intent("drive", ("R1A-1",), "red"), Script(dice))
        (made,) = told(done, "check")
        grades[name] = made.why["check"].grade if "check" in made.why else made.why["grade"]  # type: ignore[attr-defined]
    assert grades == {"full": "failure", "sure": "success"}
    assert not rolled(shot(on("D-SL-VE.1"), facing(pulse()), HIT, FAIL).events, "drive")


# Only the active side rolls


@pytest.mark.rule("D-SL-R16.2", "D-AMB-25")
@pytest.mark.parametrize(("die", "taken"), [(HIT, 2), (MISS, 0)])
def test_the_active_side_attacks_with_one_die(die: int, taken: int) -> None:
    done = shot(on("D-SL-R16.2"), facing(pulse()), die)
    assert rolled(done.events) == [("R1A-1", "fire", (die,))]
    assert wounds(done.state, "B1A") == [taken]  # the pulse rifle does 2 at 2 hexes: no 1 off for a save
    assert not told(done, "fire.shaken")


@pytest.mark.rule("D-SL-R16.2", "D-AMB-25")
@pytest.mark.parametrize(("die", "taken"), [(SAVE, 0), (FAIL, 2)])
def test_in_reaction_fire_the_mover_saves_with_one_die(die: int, taken: int) -> None:
    tough = {**pulse(), "wounds": 30}
    state = facing(tough, apart=3, portion=("1", "red", "move"))
    done = step(on("D-SL-R16.2"), state, "move", "R1A", [[1, 0]], dice=[die])
    assert rolled(done.events) == [("R1A-1", "save", (die,))]
    assert wounds(done.state, "R1A") == [taken]


@pytest.mark.rule("D-SL-R16.2")
def test_a_grenade_that_is_thrown_in_reaction_fire_is_not_rolled_for() -> None:
    state = fight(
        team("R1A", (0, 0), {**pulse(), "wounds": 30}),
        team("B1A", (3, 0), unit("Soldier", "frag_grenade")),
        portion=("1", "red", "move"),
    )
    full = step({}, engaged(state), "move", "R1A", [[1, 0]], dice=[HIT, FAIL])
    assert [row[:2] for row in rolled(full.events)] == [("B1A-1", "throw"), ("R1A-1", "save")]
    done = step(on("D-SL-R16.2"), engaged(state), "move", "R1A", [[1, 0]], dice=[FAIL])
    assert rolled(done.events) == [("R1A-1", "save", (FAIL,))]
    assert wounds(done.state, "R1A") == [2]


@pytest.mark.rule("D-SL-R16.2")
def test_a_die_that_is_not_rolled_moves_no_stress() -> None:
    critical = 99
    full = shot({}, facing(pulse()), HIT, critical)
    assert [event.why["reason"] for event in told(full, "stress")] == ["critical failure"]
    assert not told(shot(on("D-SL-R16.2"), facing(pulse()), HIT), "stress")


@pytest.mark.rule("D-SL-R16.2")
def test_the_die_that_is_left_is_the_one_of_the_full_rules() -> None:
    state = facing(pulse(), pulse())
    deeds = [[f"R1A-{number}", "fire", "pulse_rifle", "B1A"] for number in (1, 2)]
    for seed in range(20):
        full = seeded({}, state, "act", "R1A", deeds, seed=seed)
        one = seeded(on("D-SL-R16.2"), state, "act", "R1A", deeds, seed=seed)
        target = seeded(on("D-VA-R16.1"), state, "act", "R1A", deeds, seed=seed)
        assert rolled(one.events) == rolled(full.events, "fire")
        assert rolled(target.events) == rolled(full.events, "save")
        cut = 1 + plain(full.events).index(next(event for event in plain(full.events) if event[0] == "fire.shot"))
        assert plain(one.events)[: cut + 1] == plain(full.events)[: cut + 1]  # up to the first check, and with it


@pytest.mark.rule("D-SL-R16.2")
def test_friends_near_the_target_save_against_splash_and_the_enemy_does_not() -> None:
    gunner = {**unit("Soldier", "rocket_launcher"), "wounds": 30}
    red = team("R1A", (0, 0), gunner), team("R1B", (3, 0), {**pulse(), "wounds": 30})
    blue = team("B1A", (4, 0), {**pulse(), "wounds": 30}), team("B1B", (5, 0), {**pulse(), "wounds": 30})
    state = engaged(fight(*red, *blue, portion=("1", "red", "battle")))
    done = shot(on("D-SL-R16.2"), state, HIT, SAVE, weapon="rocket_launcher")
    assert [row[:2] for row in rolled(done.events)] == [("R1A-1", "fire"), ("R1B-1", "save")]
    assert [wounds(done.state, each) for each in ("B1A", "B1B", "R1B")] == [[10], [2], [0]]


# Only the target rolls


@pytest.mark.rule("D-VA-R16.1")
@pytest.mark.parametrize(("die", "taken"), [(SAVE, 0), (FAIL, 2)])
def test_every_shot_hits_who_does_not_save(die: int, taken: int) -> None:
    done = shot(on("D-VA-R16.1"), facing(pulse()), die)
    assert rolled(done.events) == [("B1A-1", "save", (die,))]
    assert wounds(done.state, "B1A") == [taken]


@pytest.mark.rule("D-VA-R16.1", "D-AMB-26")
def test_grenades_still_roll_instinct_until_nothing_does() -> None:
    state = facing({**unit("Soldier", "frag_grenade"), "wounds": 30})
    thrown = shot(on("D-VA-R16.1"), state, HIT, FAIL, weapon="frag_grenade")
    assert [row[1] for row in rolled(thrown.events)] == ["throw", "save"]
    among = shot(on("D-VA-R16.1"), state, MISS, FAIL, weapon="frag_grenade")
    assert told(among, "fire.among_friends")
    sure = shot({**on("D-VA-R16.1"), "D-AMB-26": "no_instinct"}, state, FAIL, weapon="frag_grenade")
    assert [row[1] for row in rolled(sure.events)] == ["save"]
    assert wounds(sure.state, "B1A") == wounds(thrown.state, "B1A") == [2]


@pytest.mark.rule("D-SL-R16.2", "D-VA-R16.1")
def test_one_die_or_the_other_and_the_reason_is_said() -> None:
    with pytest.raises(
        InputError, match="the one lets the active side roll for fire, the other lets its target roll"
    ) as e:
        game(on("D-SL-R16.2", "D-VA-R16.1"))
    assert "D-SL-R16.2" in str(e.value)
    assert "leave D-SL-R16.2 at off, or D-VA-R16.1 at off" in str(e.value)


# [+] and [-] of the side that does not roll

WOOD = Board(12, 12, {Hex(2, 0): "forest"})


def modifiers(done: Done) -> list[tuple[str, str]]:
    (made,) = [event for event in told(done, "check") if "check" in event.why]
    found = made.why.get("modifiers", ())
    assert isinstance(found, tuple)
    return [(Modifier(*each).sign, Modifier(*each).rule) for each in found]


@pytest.mark.rule("D-AMB-25")
def test_cover_of_a_target_that_does_not_save_is_ignored_or_turned_round() -> None:
    state = fight(
        team("R1A", (0, 0), pulse()),
        team("B1A", (2, 0), {**pulse(), "wounds": 30}),
        board=WOOD,
        portion=("1", "red", "battle"),
    )
    state = changed(engaged(state), SetStatus("B1A", status("under_cover")))
    ignored = shot(on("D-SL-R16.2"), state, HIT)
    assert modifiers(ignored) == []
    turned = shot({**on("D-SL-R16.2"), "D-AMB-25": "translate_modifiers"}, state, [HIT, MISS])
    assert modifiers(turned) == [("-", "D-AMB-25")]
    alone = shot({"D-AMB-25": "translate_modifiers"}, state, HIT, [SAVE, FAIL])
    assert rolled(alone.events)[0] == ("R1A-1", "fire", (HIT,))  # without D-SL-R16.2 it is not read


@pytest.mark.rule("D-AMB-25", "D-R16.7")
def test_of_a_team_only_what_helps_all_of_its_units_is_turned_round() -> None:
    """An Officer gives his [+] to the others and not to himself (D-AMB-13)."""
    soldier, options = {**pulse(), "wounds": 30}, {**on("D-SL-R16.2"), "D-AMB-25": "translate_modifiers"}
    officer = {**unit("NCO", "revolver"), "wounds": 30}
    led = team("B1A", (2, 0), soldier, soldier), team("B1B", (3, 0), officer)
    leads = (team("B1A", (2, 0), officer, soldier),)
    for blue, dice, found in ((led, [HIT, MISS], [("-", "D-AMB-25")]), (leads, HIT, [])):
        state = engaged(fight(team("R1A", (0, 0), pulse()), *blue, portion=("1", "red", "battle")))
        assert modifiers(shot(options, state, dice)) == found


@pytest.mark.rule("D-AMB-25")
def test_a_volley_in_reaction_fire_is_turned_against_the_save() -> None:
    state = facing({**pulse(), "wounds": 30}, blue=2, apart=3, portion=("1", "red", "move"))
    options = {**on("D-SL-R16.2"), "D-AMB-25": "translate_modifiers"}
    done = step(options, state, "move", "R1A", [[1, 0]], dice=["fire", [SAVE, FAIL]])
    assert modifiers(done) == [("-", "D-AMB-25")]
    assert wounds(done.state, "R1A") == [4]  # of a [-] the failure counts
    covered = changed(state, SetStatus("B1A", status("under_cover")))
    done = step(options, covered, "move", "R1A", [[1, 0]], dice=["fire", SAVE])  # [+] and [-] cancel
    assert modifiers(done) == []


@pytest.mark.rule("D-AMB-25", "D-AMB-45")
@pytest.mark.parametrize(("shaken", "dice", "found"), [((1, 2), SAVE, []), ((1,), [SAVE, FAIL], [("-", "D-AMB-25")])])
def test_of_a_volley_that_goes_by_its_majority_the_modifiers_of_that_are_turned_round(
    shaken: tuple[int, ...], dice: object, found: list[tuple[str, str]]
) -> None:
    """The volley's [+] is turned into [-]; where two of three are shaken it is cancelled before."""
    state = facing({**pulse(), "wounds": 30}, blue=3, apart=3, portion=("1", "red", "move"))
    state = changed(state, *[SetStatus(f"B1A-{each}", status("shaken", since=1, until=1)) for each in shaken])
    options = {**on("D-SL-R16.2"), "D-AMB-25": "translate_modifiers", "D-AMB-45": "majority"}
    done = step(options, state, "move", "R1A", [[1, 0]], dice=["fire", dice])
    assert modifiers(done) == found


@pytest.mark.rule("D-SL-R16.2")
def test_outside_the_action_phase_both_sides_roll() -> None:
    def shoot(step: DisrupterStep) -> None:
        fire(step, "R1A", (Attack("R1A-1", "pulse_rifle", "B1A"),))

    playing = game(on("D-SL-R16.2"))
    playing.rules = {**playing.rules, "shoot": shoot}
    state = changed(facing(pulse()), SetAttribute("battle", "phase", "briefing"))
    done = run(playing, state, Intent("shoot", (), "red"), Script([HIT, SAVE]))
    assert [row[:2] for row in rolled(done.events)] == [("R1A-1", "fire"), ("B1A-1", "save")]


# One Wound

WEAPONS = {
    "revolver": 3,
    "combat_shotgun": 2,
    "frag_grenade": 2,
    "pulse_rifle": 4,
    "grenade_launcher": 3,
    "laser_carbine": 6,
    "sniper_rifle": 5,
    "heavy_machine_gun": 3,
    "flamethrower": 1,
    "laser_cutter": 6,
    "rocket_launcher": 6,
}
"""How far each reaches (Max, from the source); 6 for those without limit."""

SPLASHES = ("frag_grenade", "grenade_launcher", "heavy_machine_gun", "rocket_launcher")
"""Those whose splash would be on their own team beside the target."""


def test_every_weapon_of_the_game_is_in_the_table() -> None:
    assert set(WEAPONS) == set(catalogue().weapons)


@pytest.mark.rule("D-SL-R16.3")
@pytest.mark.parametrize("weapon", WEAPONS)
def test_every_weapon_does_one_wound_as_far_as_it_reaches(weapon: str) -> None:
    heavy = weapon in ("heavy_machine_gun", "laser_cutter")
    bearer = unit("Soldier", weapon, wears="battle_dress" if heavy else None)
    hit = () if weapon == "laser_cutter" else (HIT,)  # its beam needs no check
    for apart in range(2 if weapon in SPLASHES else 1, WEAPONS[weapon] + 1):
        done = shot(on("D-SL-R16.3"), facing(bearer, apart=apart), *hit, FAIL, weapon=weapon)
        assert wounds(done.state, "B1A") == [1], apart
        saved = shot(on("D-SL-R16.3"), facing(bearer, apart=apart), *hit, SAVE, weapon=weapon)
        assert wounds(saved.state, "B1A") == [0]


@pytest.mark.rule("D-SL-R16.3")
def test_splash_and_near_misses_do_one_wound_too() -> None:
    rocket = unit("Soldier", "rocket_launcher")
    red, far = team("R1A", (0, 0), rocket), {**pulse(), "wounds": 30}
    state = engaged(fight(red, team("B1A", (4, 0), far, far), team("B1B", (5, 0), far), portion=("1", "red", "battle")))
    full = shot({}, state, HIT, FAIL, FAIL, weapon="rocket_launcher")
    assert [wounds(full.state, each) for each in ("B1A", "B1B")] == [[5, 5], [2]]
    one = shot(on("D-SL-R16.3"), state, HIT, FAIL, [1], FAIL, weapon="rocket_launcher")
    assert (sum(wounds(one.state, "B1A")), wounds(one.state, "B1B")) == (1, [1])
    missed = shot({}, state, MISS, FAIL, weapon="rocket_launcher")
    assert wounds(missed.state, "B1A") == [2, 2]
    missed = shot(on("D-SL-R16.3"), state, MISS, FAIL, weapon="rocket_launcher")
    assert wounds(missed.state, "B1A") == [1, 1]
