"""D-MO-R16.2: damage dice against Armour Points and Damage Reduction, Wounds and Health. Values are worked out by hand or counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from itertools import product
from types import SimpleNamespace

import pytest

from rallypoint.disrupter.explain import event_words
from rallypoint.disrupter.fire import fire
from rallypoint.disrupter.hooks import Hooks
from rallypoint.disrupter.records import Hit, Outcome
from rallypoint.kernel.answers import Answers, Script, Seed
from rallypoint.kernel.canonical import freeze
from rallypoint.kernel.changes import SetStatus, SetTracker
from rallypoint.kernel.game import Intent
from rallypoint.kernel.odds import outcomes
from rallypoint.kernel.parts import Status
from rallypoint.kernel.plugins.hooks import LoadedPlugin, hookimpl
from rallypoint.kernel.plugins.plan import compile_plan
from rallypoint.kernel.state import State
from rallypoint.kernel.step import Done, run
from rallypoint_mothership import implementations
from rallypoint_mothership.conversion import weapon_row
from rallypoint_mothership.damage import hurt, through, wounds_of
from rallypoint_mothership.dice import dice_in

from ..disrupter.positions import changed, team, unit
from ..rules.playing import allocated, fight, told, wounds
from .playing import DICE, TOUGH, extra, facing, game, play, shot, tracking, value

pytestmark = pytest.mark.rule("D-MO-R16.2")

HIT, SAVE, FAIL, MISS = 13, 24, 97, 98
"""Faces without doubles: a success and a failure of every stat from 25 to 80, for a check and for a save."""


def damage_of(done: Done) -> list[object]:
    return [event.why["damage"] for event in told(done, "damage")]


# Numbers alone


@pytest.mark.parametrize(
    ("dice", "mean"),
    [("1d10", "1.1"), ("1d10+1", "1.2"), ("2d10", "1.65"), ("3d10", "2.2"), ("4d10", "2.75"), ("1d100", "5.6")],
)
def test_mean_wounds_of_the_dice_of_the_weapons_by_counting_every_face(dice: str, mean: str) -> None:
    found = dice_in(dice)
    assert found is not None
    faces = list(product(range(1, found.sides + 1), repeat=found.number))
    assert Fraction(sum(wounds_of(sum(each) + found.plus) for each in faces), len(faces)) == Fraction(mean)


@pytest.mark.parametrize(
    ("damage", "points", "reduction", "anti_armor", "got", "breaks"),
    [
        (5, 0, 0, False, 5, False),  # no armour
        (6, 7, 0, False, 0, False),  # below the points: ignored, and the armour holds
        (7, 7, 0, False, 0, True),  # as much as the points: it breaks, nothing is in excess
        (8, 7, 0, False, 1, True),
        (30, 7, 0, False, 23, True),
        (9, 10, 3, False, 0, False),
        (10, 10, 3, False, 0, True),
        (16, 10, 3, False, 6, True),  # whole: the larger of 10 and 3, not 13
        (16, 0, 3, False, 13, False),  # broken: the reduction counts still
        (3, 0, 3, False, 0, False),
        (5, 2, 4, False, 1, True),  # whole, and the reduction is the larger
        (3, 2, 4, False, 0, True),
        (16, 10, 3, True, 13, True),  # anti-armour: points do not count, the reduction does, the armour is gone
        (2, 10, 3, True, 0, True),
        (16, 0, 3, True, 13, False),
    ],
)
def test_armour_points_and_reduction(
    damage: int, points: int, reduction: int, anti_armor: bool, got: int, breaks: bool
) -> None:
    assert through(damage, points, reduction, anti_armor=anti_armor) == (got, breaks)


@pytest.mark.parametrize(
    ("damage", "health", "full", "left", "taken", "after"),
    [
        (0, 10, 10, 3, 0, 10),
        (4, 10, 10, 3, 0, 6),
        (6, 6, 10, 3, 1, 10),  # at 0: a Wound, and Health is full again
        (9, 6, 10, 3, 1, 7),  # the rest goes on
        (27, 6, 10, 3, 3, 0),  # 6, 10, 10 and one is lost: it is over
        (25, 6, 10, 4, 2, 1),
        (0, 0, 10, 3, 0, 0),
    ],
)
def test_damage_comes_off_health(damage: int, health: int, full: int, left: int, taken: int, after: int) -> None:
    assert hurt(damage, health, full, left) == (taken, after)


# In play


@pytest.mark.parametrize(
    ("save", "faces", "taken", "armor"),
    [
        (FAIL, (5, 6, 5), 1, 0),  # 16 - 7 = 9
        (FAIL, (5, 6, 6), 2, 0),  # 17 - 7 = 10
        (FAIL, (10, 10, 10), 3, 0),  # 30 - 7 = 23
        (FAIL, (1, 2, 3), 0, 7),  # 6 is less than 7
        (FAIL, (1, 2, 4), 0, 0),  # 7: it breaks
        (SAVE, (10, 10, 10), 2, 0),  # 3 less one for the save
        (SAVE, (5, 6, 5), 0, 0),
    ],
)
def test_a_rifle_at_somebody_in_combat_armor(save: int, faces: tuple[int, ...], taken: int, armor: int) -> None:
    state = facing("pulse_rifle", DICE)
    assert state["B1A-1"].trackers["AP"] == (7, 0, 7, "down")
    done = play(state, DICE, fire, "R1A", (shot(),), dice=[HIT, save, faces])
    assert (wounds(done.state, "B1A"), value(done.state["B1A-1"], "AP")) == ([taken], armor)
    (event,) = told(done, "damage")
    assert (event.rule, event.by, event.why["damage"]) == ("D-MO-R16.2", "mothership", sum(faces))


def test_broken_armour_stops_nothing_more_and_its_reduction_goes_on() -> None:
    dressed = {**unit("Soldier", "pulse_rifle", wears="battle_dress"), "wounds": 9}
    state = facing("pulse_rifle", DICE, dressed)
    assert (value(state["B1A-1"], "AP"), state["B1A-1"].facts["damage_reduction"]) == (10, 3)
    first = play(state, DICE, fire, "R1A", (shot(),), dice=[HIT, FAIL, (5, 6, 5)])  # 16 - 10 = 6
    second = play(first.state, DICE, fire, "R1A", (shot(),), dice=[HIT, FAIL, (5, 6, 5)])  # 16 - 3 = 13
    assert (wounds(first.state, "B1A"), wounds(second.state, "B1A")) == ([1], [3])


def test_a_miss_rolls_no_damage() -> None:
    done = play(facing("pulse_rifle", DICE), DICE, fire, "R1A", (shot(),), dice=[MISS, FAIL])
    assert told(done, "damage") == []
    assert wounds(done.state, "B1A") == [0]


def test_nobody_rolls_where_a_save_leaves_nothing() -> None:
    @hookimpl
    def fire_outcome(hit: Hit) -> Outcome | None:
        """Let a passed save stop it all, as D-VA-R16.1 does."""
        return Outcome(0) if hit.save in ("success", "critical_success") else Outcome(hit.wounds)

    def with_both(dice: list[object]) -> Done:
        made = game(DICE, fire)
        loaded = (
            LoadedPlugin("mothership", implementations),
            LoadedPlugin("all", SimpleNamespace(fire_outcome=fire_outcome)),
        )
        made.hooks = compile_plan(Hooks, loaded)
        return run(made, facing("pulse_rifle", DICE), Intent("fire", ("R1A", (shot(),))), Script(dice))

    assert told(with_both([HIT, SAVE]), "damage") == []
    assert wounds(with_both([HIT, FAIL, (5, 6, 6)]).state, "B1A") == [2]


def test_the_log_says_what_the_dice_showed() -> None:
    done = play(facing("pulse_rifle", DICE), DICE, fire, "R1A", (shot(),), dice=[HIT, FAIL, (5, 6, 5)])
    (event,) = told(done, "damage")
    assert "5 and 6 and 5" in event_words(event, str)


@pytest.mark.parametrize(
    ("weapon", "hexes", "dice", "faces", "damage"),
    [
        ("revolver", 3, [HIT, FAIL], (9,), 10),  # 1d10+1
        ("combat_shotgun", 1, [HIT, FAIL], (7, 7, 7, 7), 28),
        ("combat_shotgun", 2, [HIT, FAIL], (8,), 8),  # 1d10 beyond Close Range
        ("laser_carbine", 9, [HIT, FAIL], (4, 9), 13),
        ("pulse_rifle", 4, [HIT, FAIL], (4, 9, 1), 14),
        ("sniper_rifle", 5, [HIT, FAIL], (9, 9, 9, 9), 36),
        ("heavy_machine_gun", 3, [HIT, FAIL], (2, 2, 2, 2), 8),
        ("flamethrower", 1, [HIT, FAIL], (10, 10), 20),
        ("frag_grenade", 2, [HIT, FAIL], (3, 3, 3), 9),
        ("laser_cutter", 2, [FAIL], (50,), 50),
        ("rocket_launcher", 3, [HIT, FAIL], (55,), 55),
    ],
)
def test_every_weapon_has_its_dice(
    weapon: str, hexes: int, dice: list[object], faces: tuple[int, ...], damage: int
) -> None:
    done = play(facing(weapon, DICE, hexes=hexes), DICE, fire, "R1A", (shot(weapon),), dice=[*dice, faces])
    assert damage_of(done) == [damage]
    row = weapon_row(weapon)
    assert row is not None
    assert told(done, "damage")[0].why["dice"] in (row.damage, row.far)


def test_the_disputed_revolver_can_be_had_without_its_bonus() -> None:
    options = {**DICE, "D-MO-R16.2.revolver": "1d10"}
    done = play(facing("revolver", options), options, fire, "R1A", (shot("revolver"),), dice=[HIT, FAIL, (9,)])
    assert damage_of(done) == [9]


@pytest.mark.parametrize(("ruling", "taken"), [("off", 1), ("on", 2)])
def test_a_sniper_rifle_is_anti_armour_by_ruling_only(ruling: str, taken: int) -> None:
    options = {**DICE, "D-MO-R16.2.anti_armor": ruling}
    state = facing("sniper_rifle", options)
    done = play(state, options, fire, "R1A", (shot("sniper_rifle"),), dice=[HIT, FAIL, (4, 4, 3, 2)])  # 13, or 13 - 7
    assert (wounds(done.state, "B1A"), value(done.state["B1A-1"], "AP")) == ([taken], 0)


def test_by_ruling_armour_is_the_save_alone_and_nothing_more_is_tracked() -> None:
    options = {**DICE, "D-MO-R16.2.armor": "save"}
    state = facing("pulse_rifle", options)
    assert value(state["B1A-1"], "AP") is None
    done = play(state, options, fire, "R1A", (shot(),), dice=[HIT, FAIL, (5, 6, 5)])
    assert wounds(done.state, "B1A") == [2]  # 16, none of it stopped


@pytest.mark.parametrize(("cover", "ruling", "got"), [(False, "points", 9), (True, "save", 9), (True, "points", 0)])
def test_light_cover_has_points_by_ruling_only(cover: bool, ruling: str, got: int) -> None:
    options = {**DICE, "D-MO-R16.2.cover": ruling}
    state = facing("pulse_rifle", options)
    if cover:
        state = changed(state, SetStatus("B1A", Status("under_cover")))
    done = play(state, options, fire, "R1A", (shot(),), dice=[HIT, (FAIL, 96) if cover else FAIL, (5, 6, 5)])
    assert told(done, "damage")[0].why["gets through"] == got  # 16 - 7, or 16 which is less than 17


def test_an_officer_beside_somebody_is_no_cover_and_cover_is_no_armour_that_breaks() -> None:
    """Both give [+] on the save; cover alone stops 10 of 16 here, and there is nothing to break."""
    options = {**DICE, "D-MO-R16.2.cover": "points"}
    led = facing("pulse_rifle", options, TOUGH, unit("NCO", "revolver"))
    done = play(led, options, fire, "R1A", (shot(target="B1A-1"),), dice=[HIT, (FAIL, 96), (5, 6, 5)])
    assert told(done, "damage")[0].why["gets through"] == 9
    bare = changed(
        facing("pulse_rifle", options, extra(TOUGH, armor_points=0)), SetStatus("B1A", Status("under_cover"))
    )
    done = play(bare, options, fire, "R1A", (shot(),), dice=[HIT, (FAIL, 96), (5, 6, 5)])
    (event,) = told(done, "damage")
    assert (event.why["gets through"], event.changes) == (6, ())


# Teams


def test_hits_at_a_team_meet_one_suit_after_the_other_and_wounds_are_divided() -> None:
    shooters = [unit("Soldier", "pulse_rifle") for _ in range(3)]
    state = tracking(fight(team("R1A", (0, 0), *shooters), team("B1A", (2, 0), TOUGH, TOUGH)), DICE)
    attacks = tuple([shot(shooter=f"R1A-{number}") for number in (1, 2, 3)])
    # 16 - 7 = 9: 1 Wound; 17 - 7 = 10: 2 Wounds; no suit is left: 16: 2 Wounds. 5 in all: 2 each, and one by lot.
    dice = [(HIT, 14), FAIL, (5, 6, 5), (5, 6, 6), (5, 6, 5), ("B1A-2",)]
    done = play(state, DICE, fire, "R1A", attacks, dice=dice)
    assert [event.why["gets through"] for event in told(done, "damage")] == [9, 10, 16]
    assert [event.why["unit"] for event in told(done, "damage")] == ["B1A-1", "B1A-2", "B1A-1"]
    assert wounds(done.state, "B1A") == [2, 3]
    assert [value(done.state[f"B1A-{number}"], "AP") for number in (1, 2)] == [0, 0]


def test_of_two_suits_with_as_many_points_a_hit_meets_the_one_that_reduces_more() -> None:
    state = facing("pulse_rifle", DICE, TOUGH, extra(TOUGH, armor_points=7, damage_reduction=9))
    done = play(state, DICE, fire, "R1A", (shot(),), dice=[HIT, FAIL, (5, 6, 5), ("B1A-1",)])
    assert [told(done, "damage")[0].why[name] for name in ("unit", "gets through")] == ["B1A-2", 7]  # 16 - 9


def test_a_save_takes_a_wound_off_each_hit_that_armour_has_not_stopped() -> None:
    shooters = [unit("Soldier", "pulse_rifle") for _ in range(2)]
    state = tracking(fight(team("R1A", (0, 0), *shooters), team("B1A", (2, 0), TOUGH)), DICE)
    attacks = tuple([shot(shooter=f"R1A-{number}") for number in (1, 2)])
    # 6 is stopped; 30 - 7 = 23 are 3 Wounds, less one.
    done = play(state, DICE, fire, "R1A", attacks, dice=[(HIT, 14), SAVE, (1, 2, 3), (10, 10, 10)])
    assert wounds(done.state, "B1A") == [2]


def test_of_a_splash_each_takes_all_of_one_roll_on_his_own_armour() -> None:
    bare = extra(TOUGH, armor_points=0)
    red = team("R1A", (0, 0), unit("Soldier", "frag_grenade"))
    state = tracking(fight(red, team("B1A", (2, 0), TOUGH), team("B1B", (3, 0), TOUGH, bare)), DICE)
    dice = [HIT, FAIL, (3, 3, 3), FAIL, (5, 6, 5)]  # throw, save, 9 - 7; beside it: save, 16
    done = play(state, DICE, fire, "R1A", (shot("frag_grenade"),), dice=dice)
    assert wounds(done.state, "B1A") == [1]
    assert wounds(done.state, "B1B") == [1, 2]  # 16 - 7 = 9, and 16
    assert allocated(done, "fire.splash") == {"B1B-1": 1, "B1B-2": 2}


def test_a_splash_without_dice_counts_as_the_middle_of_its_wounds() -> None:
    bare = extra(TOUGH, armor_points=0)
    red = team("R1A", (0, 0), unit("Soldier", "heavy_machine_gun", wears="battle_dress"))
    state = tracking(fight(red, team("B1A", (2, 0), TOUGH), team("B1B", (3, 0), TOUGH, bare)), DICE)
    done = play(state, DICE, fire, "R1A", (shot("heavy_machine_gun"),), dice=[HIT, FAIL, (5, 5, 5, 5), FAIL])
    assert damage_of(done) == [20, 5, 5]
    assert wounds(done.state, "B1B") == [0, 1]  # 5 is less than 7


def test_a_weapon_of_a_pack_brings_its_dice_as_a_trait_and_one_without_does_its_column() -> None:
    state = facing("pulse_rifle", DICE)
    rows = state["battle"].facts["weapons"]
    assert isinstance(rows, Mapping)
    for traits, dice, damage, taken in (
        (("damage(1d10+8)", "anti_armor"), [(2,)], 10, 2),
        (("strange",), [], 25, 2),
        (("damage(1d101)",), [], 25, 2),  # more sides, and then more dice, than are thrown
        (("damage(101d4)",), [], 25, 2),
        (("damage(1d4-4)",), [(1,)], 0, 0),
        (("damage(0d4-4)",), [], 0, 0),
    ):
        rifle = rows["pulse_rifle"]
        assert isinstance(rifle, Mapping)
        row = freeze({**rifle, "traits": traits, "M": 3})
        made = state["battle"]._replace(facts=freeze({**state["battle"].facts, "weapons": {**rows, "rail": row}}))  # type: ignore[arg-type]
        armed = state["R1A-1"]._replace(facts=freeze({**state["R1A-1"].facts, "weapons": ("rail",)}))  # type: ignore[arg-type]
        other = State.of([{"battle": made, "R1A-1": armed}.get(each.uid, each) for each in state])
        done = play(other, DICE, fire, "R1A", (shot("rail"),), dice=[HIT, FAIL, *dice])
        # 10, anti-armour; 3 Wounds stand for 25 - 7 = 18; no damage is less than none.
        assert (damage_of(done), wounds(done.state, "B1A")) == ([damage], [taken])


# Chance


def test_exact_odds_of_a_rifle_are_those_of_counting_every_face() -> None:
    counted: Counter[int] = Counter()
    for first, second, third in product(range(1, 11), repeat=3):
        total = first + second + third
        got = total - 7 if total >= 7 else 0
        plain = got // 10 + 1 if got else 0
        for hits, ways in ((True, 60 * 40), (False, 60 * 60)):  # a save fails 40 times of 100, and 60 times it does not
            counted[plain if hits else max(plain - 1, 0)] += ways
    counted[0] += 40 * 100 * 1000
    state = facing("pulse_rifle", DICE)
    intent = Intent("fire", ("R1A", (shot(),)))
    odds = outcomes(game(DICE, fire), state, intent, lambda done: done.state["B1A-1"].value("Wounds"))
    assert odds == {taken: Fraction(ways, 100 * 100 * 1000) for taken, ways in counted.items() if ways}
    assert sum(odds.values()) == 1


@pytest.mark.parametrize("seed", range(8))
def test_the_same_dice_with_and_without_the_switch_change_nothing_but_the_damage(seed: int) -> None:
    plain, rolled = [
        run(
            game(options, fire),
            facing("pulse_rifle", options),
            Intent("fire", ("R1A", (shot(),))),
            Answers(Seed(seed)),
        )
        for options in ({}, DICE)
    ]
    both = [[event.why["check"].as_value() for event in told(done, "check")] for done in (plain, rolled)]  # type: ignore[attr-defined]
    assert both[0] == both[1]
    assert told(plain, "damage") == []
    hit = len(told(plain, "fire.hit"))
    assert len(told(rolled, "damage")) == hit
    moved = [
        {
            (change.uid, change.name)
            for event in done.events
            for change in event.changes
            if isinstance(change, SetTracker)
        }
        for done in (plain, rolled)
    ]
    assert moved[1] - moved[0] <= {("B1A-1", "AP")}
    assert moved[0] - moved[1] <= {("B1A-1", "Wounds")}  # armour may have stopped it all


# Whose dice


def test_a_contractor_of_the_session_keeps_his_own_dice_and_armour() -> None:
    record: Mapping[str, object] = {
        "uid": "R1A-1",
        "name": "Bo",
        "type": "Marine (grunt)",
        "combat": 30,
        "max_wounds": 2,
        "weapons": [{"title": "Rail pistol", "damage": "2d10+1", "wound": "Gunshot", "anti_armor": True}],
        "armor": [{"title": "Hazard suit", "armor_points": 5, "damage_reduction": 1}],
    }
    shooter = {**unit("Soldier", "laser_carbine"), "extra": freeze({"contractor": record})}
    state = tracking(fight(team("R1A", (0, 0), shooter), team("B1A", (2, 0), TOUGH)), DICE)
    assert (value(state["R1A-1"], "AP"), state["R1A-1"].facts["damage_reduction"]) == (5, 1)
    done = play(state, DICE, fire, "R1A", (shot("laser_carbine"),), dice=[HIT, FAIL, (3, 6)])
    assert [told(done, "damage")[0].why[name] for name in ("dice", "damage", "gets through")] == ["2d10+1", 10, 10]
    # A shotgun that is always the same does not fall off beyond Close Range as the one of the tables does.
    gun = {**record, "weapons": [{"title": "Combat Shotgun", "damage": "2d10", "wound": "Gunshot"}]}
    shooter = {**unit("Soldier", "combat_shotgun"), "extra": freeze({"contractor": gun})}
    state = tracking(fight(team("R1A", (0, 0), shooter), team("B1A", (2, 0), TOUGH)), DICE)
    done = play(state, DICE, fire, "R1A", (shot("combat_shotgun"),), dice=[HIT, FAIL, (3, 6)])
    assert [told(done, "damage")[0].why[name] for name in ("dice", "damage")] == ["2d10", 9]
    # With another weapon, or in other armour, he is what the tables say.
    other = {**unit("Soldier", "pulse_rifle", wears="battle_dress"), "extra": freeze({"contractor": record})}
    state = tracking(fight(team("R1A", (0, 0), other), team("B1A", (2, 0), TOUGH)), DICE)
    assert (value(state["R1A-1"], "AP"), state["R1A-1"].facts["damage_reduction"]) == (10, 3)
    done = play(state, DICE, fire, "R1A", (shot(),), dice=[HIT, FAIL, (3, 6, 1)])
    assert told(done, "damage")[0].why["gets through"] == 3  # not anti-armour: 10 - 7
