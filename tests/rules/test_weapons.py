"""Weapons, armour and bots: their numbers in play, and every trait."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from rallypoint.disrupter.beam import aim_of, path
from rallypoint.disrupter.fire import check_declared, fire
from rallypoint.disrupter.records import Attack, Landing
from rallypoint.disrupter.spotting import spot
from rallypoint.disrupter.tables import catalogue
from rallypoint.kernel.board import Board
from rallypoint.kernel.changes import SetAttribute, SetStatus
from rallypoint.kernel.errors import RuleError
from rallypoint.kernel.parts import Hex
from rallypoint.kernel.plugins.hooks import hookimpl
from rallypoint.kernel.state import Entity, State

from ..disrupter.positions import changed, position, status, step, team, unit
from .playing import allocated, dice, fight, told, winner, wounds

HIT, MISS, SAVE, FAIL = 13, 98, 24, 97
WALL = Board(12, 12, {Hex(q, r): "building" for q, r in ((1, 0), (0, 1), (1, 1))})
"""Nobody at (0, 0) sees anybody at (2, 0)."""


def tough(number: int = 1, armor: int = 60) -> list[dict[str, object]]:
    return [{**unit("Soldier", "pulse_rifle", armor=armor), "wounds": 30} for _ in range(number)]


def facing(weapon: str, hexes: int, *more: list[Entity], board: Board | None = None, targets: int = 1) -> State:
    """Return a soldier in battle dress with the weapon, with a tough comrade, ``hexes`` from a tough blue team."""
    red = team("R1A", (0, 0), unit("Soldier", weapon, wears="battle_dress"), *tough())
    return fight(red, team("B1A", (hexes, 0), *tough(targets)), *more, board=board)


def shot(weapon: str, target: str = "B1A", shooter: str = "R1A-1", reaction: bool = False) -> tuple[Attack, ...]:
    return (Attack(shooter, weapon, target, reaction),)


def refused(state: State, attacks: tuple[Attack, ...], options: dict[str, object] | None = None) -> str:
    with pytest.raises(RuleError) as caught:
        step(state, check_declared, "R1A", attacks, options=options)
    assert caught.value.rule is not None
    return caught.value.rule


# Numbers

INFINITE = None
NUMBERS = {
    "revolver": (0, 1, 1, 1, 3),
    "combat_shotgun": (0, 3, 1, 0, 2),
    "frag_grenade": (2, 1, 0, 0, 2),
    "pulse_rifle": (0, 2, 2, 1, 4),
    "laser_carbine": (0, 1, 2, 1, INFINITE),
    "sniper_rifle": (0, 1, 3, 3, 5),
    "heavy_machine_gun": (0, 3, 3, 1, 3),
    "flamethrower": (0, 3, 0, 0, 1),
    "laser_cutter": (0, 10, 10, 10, INFINITE),
    "rocket_launcher": (10, 2, 10, 10, INFINITE),
}


@pytest.mark.rule(
    "D-EQ-W1", "D-EQ-W2", "D-EQ-W3", "D-EQ-W4", "D-EQ-W5", "D-EQ-W6", "D-EQ-W7", "D-EQ-W8", "D-EQ-W9", "D-EQ-W10"
)
def test_the_weapons_have_the_printed_numbers() -> None:
    for key, printed in NUMBERS.items():
        numbers = catalogue().weapons[key].numbers
        assert tuple(numbers[name] for name in ("T", "C", "M", "L", "Max")) == printed, key


@pytest.mark.rule("D-EQ-W1", "D-EQ-W2", "D-EQ-W4", "D-EQ-W5", "D-EQ-W6", "D-EQ-W8", "D-R16.9")
@pytest.mark.parametrize(
    ("weapon", "hexes"),
    [
        (key, hexes)
        for key in ("revolver", "combat_shotgun", "pulse_rifle", "laser_carbine", "sniper_rifle", "flamethrower")
        for hexes in range(1, 8)
    ],
)
def test_direct_weapons_do_what_their_row_says_at_every_distance(weapon: str, hexes: int) -> None:
    _, close, medium, far, most = NUMBERS[weapon]
    state = facing(weapon, hexes)
    if most is not None and hexes > most:
        assert refused(state, shot(weapon)) == "D-R16.9"
        return
    done = step(state, fire, "R1A", shot(weapon), dice=[HIT, FAIL])
    assert wounds(done.state, "B1A") == [close if hexes == 1 else medium if hexes == 2 else far]


@pytest.mark.rule("D-EQ-A1", "D-EQ-A2", "D-EQ-B1", "D-AMB-33")
def test_armour_and_bots_have_the_printed_numbers() -> None:
    rows = {"combat_armor": (60, 2, 1), "battle_dress": (80, 3, 2)}
    for key, printed in rows.items():
        numbers = catalogue().item("armor", key).numbers
        assert tuple(numbers[name] for name in ("A", "W", "M")) == printed
    bot = catalogue().item("bot", "basic_battlefield_robot").numbers
    assert tuple(bot[name] for name in ("A", "W", "M")) == (80, 1, 2)
    found = catalogue().find("armor", "Power Armor")
    assert found is not None
    assert found.item.key == "battle_dress"


# No move and fire


@pytest.mark.rule("D-EQ-T1")
@pytest.mark.parametrize("weapon", ["sniper_rifle", "heavy_machine_gun", "laser_cutter", "rocket_launcher"])
def test_heavy_weapons_are_not_moved_and_fired(weapon: str) -> None:
    state = facing(weapon, 3)
    assert refused(changed(state, SetAttribute("R1A", "walked", 1)), shot(weapon)) == "D-EQ-T1"
    # Cover taken is a Movement Action but no movement; and last turn's walk is forgotten.
    step(changed(state, SetAttribute("R1A", "moved", 1)), check_declared, "R1A", shot(weapon))
    step(changed(state, SetAttribute("R1A", "walked", 0)), check_declared, "R1A", shot(weapon))
    script = [FAIL] if weapon == "laser_cutter" else [HIT, FAIL]
    done = step(state, fire, "R1A", shot(weapon, reaction=True), dice=script)
    assert done.state["R1A-1"].attributes["braced"] == 1


@pytest.mark.rule("D-EQ-T1")
def test_other_weapons_are_fired_on_the_move() -> None:
    state = changed(facing("pulse_rifle", 2), SetAttribute("R1A", "walked", 1))
    done = step(state, fire, "R1A", shot("pulse_rifle"), dice=[HIT, FAIL])
    assert "braced" not in done.state["R1A-1"].attributes


# Battle dress


@pytest.mark.rule("D-EQ-T2")
@pytest.mark.parametrize("weapon", ["heavy_machine_gun", "laser_cutter"])
def test_some_weapons_need_battle_dress_or_a_bot(weapon: str) -> None:
    bare = fight(team("R1A", (0, 0), unit("Soldier", weapon)), team("B1A", (2, 0), *tough()))
    assert refused(bare, shot(weapon)) == "D-EQ-T2"
    for carrier in (unit("Soldier", weapon, wears="battle_dress"), unit("Bot", weapon)):
        step(fight(team("R1A", (0, 0), carrier), team("B1A", (2, 0), *tough())), check_declared, "R1A", shot(weapon))


# Splash


@pytest.mark.rule("D-EQ-T3", "D-AMB-35", "D-EQ-W7")
def test_splash_hits_everybody_within_a_hex_of_the_target_but_those_aimed_at() -> None:
    near_foe, near_friend = team("B1B", (2, 1), *tough(2)), team("R1B", (1, 1), *tough(1, 80))
    far = team("B1C", (4, 0), *tough())
    state = facing("heavy_machine_gun", 2, near_foe, near_friend, far)
    # Splash: 1 to each, one save for each armour group of each stand; a save takes it off.
    done = step(state, fire, "R1A", shot("heavy_machine_gun"), dice=[HIT, FAIL, FAIL, SAVE])
    assert wounds(done.state, "B1A") == [3]
    assert (wounds(done.state, "R1B"), wounds(done.state, "B1B"), wounds(done.state, "B1C")) == ([1], [0, 0], [0])
    assert [who for who, _, _ in dice(done)] == ["R1A-1", "B1A-1", "R1B-1", "B1B-1"]
    assert told(done, "fire.splash")[0].rule == "D-EQ-T3"
    cited = [(event.why["unit"], event.rule) for event in told(done, "wounds")]
    assert cited == [("B1A-1", "D-R16.10"), ("R1B-1", "D-EQ-T3")]


@pytest.mark.rule("D-AMB-35")
def test_comrades_of_a_single_target_are_within_splash() -> None:
    state = facing("heavy_machine_gun", 2, targets=3)
    done = step(state, fire, "R1A", shot("heavy_machine_gun", "B1A-2"), dice=[HIT, FAIL, FAIL])
    assert wounds(done.state, "B1A") == [1, 3, 1]


@pytest.mark.rule("D-EQ-T3", "D-AMB-35")
def test_a_miss_does_not_splash() -> None:
    done = step(
        facing("heavy_machine_gun", 2, targets=2), fire, "R1A", shot("heavy_machine_gun", "B1A-2"), dice=[MISS, FAIL]
    )
    assert wounds(done.state, "B1A") == [0, 0]


@pytest.mark.rule("D-AMB-35")
def test_by_rulings_splash_is_not_saved_and_spares_friends() -> None:
    state = facing("heavy_machine_gun", 2, team("B1B", (3, 0), *tough()), team("R1B", (1, 1), *tough()))
    done = step(state, fire, "R1A", shot("heavy_machine_gun"), dice=[HIT, FAIL], options={"D-AMB-35.saves": "no"})
    assert (wounds(done.state, "B1B"), wounds(done.state, "R1B")) == ([1], [1])
    kind = {"D-AMB-35.friends": "no"}
    done = step(state, fire, "R1A", shot("heavy_machine_gun"), dice=[HIT, FAIL, FAIL], options=kind)
    assert (wounds(done.state, "B1B"), wounds(done.state, "R1B")) == ([1], [0])


@pytest.mark.rule("D-AMB-35", "D-EQ-T3")
def test_two_splashing_weapons_of_a_volley_add_up_and_one_save_takes_one_off_each() -> None:
    gunner = unit("Soldier", "heavy_machine_gun", wears="battle_dress")
    red = team("R1A", (0, 0), gunner, gunner)
    state = fight(red, team("B1A", (2, 0), *tough()), team("B1B", (3, 0), *tough()))
    attacks = (*shot("heavy_machine_gun"), *shot("heavy_machine_gun", shooter="R1A-2"))
    assert wounds(step(state, fire, "R1A", attacks, dice=[[HIT, 14], FAIL, FAIL]).state, "B1B") == [2]
    assert wounds(step(state, fire, "R1A", attacks, dice=[[HIT, 14], FAIL, SAVE]).state, "B1B") == [0]


@pytest.mark.rule("D-EQ-T3")
def test_plugins_may_change_splash() -> None:
    @hookimpl
    def fire_splash(wounds: int) -> int:
        return wounds + 4

    state = facing("heavy_machine_gun", 2, targets=2)
    plugin = SimpleNamespace(fire_splash=fire_splash)
    done = step(state, fire, "R1A", shot("heavy_machine_gun", "B1A-1"), dice=[HIT, FAIL, FAIL], plugins=[plugin])
    assert wounds(done.state, "B1A") == [3, 5]


@pytest.mark.rule("D-EQ-T4", "D-AMB-36", "D-EQ-W8")
def test_a_flamethrower_spares_its_own_team_or_by_ruling_its_bearer_alone() -> None:
    other = team("R1B", (0, 1), *tough())
    state = facing("flamethrower", 1, other)
    done = step(state, fire, "R1A", shot("flamethrower"), dice=[HIT, FAIL, FAIL])
    assert (wounds(done.state, "R1A"), wounds(done.state, "B1A"), wounds(done.state, "R1B")) == ([0, 0], [3], [1])
    bearer = {"D-AMB-36": "unit"}
    done = step(state, fire, "R1A", shot("flamethrower"), dice=[HIT, FAIL, FAIL, FAIL], options=bearer)
    assert (wounds(done.state, "R1A"), wounds(done.state, "R1B")) == ([0, 1], [1])


@pytest.mark.rule("D-EQ-T4", "D-AMB-36", "D-AMB-35")
def test_by_ruling_two_flamethrowers_burn_each_others_bearers_and_a_comrade_twice() -> None:
    """Each bearer is within the splash of the other's weapon alone, so that they save apart from the comrade."""
    bearer = {**unit("Soldier", "flamethrower"), "wounds": 30}
    state = fight(team("R1A", (0, 0), bearer, bearer, *tough()), team("B1A", (1, 0), *tough()))
    attacks = (*shot("flamethrower"), *shot("flamethrower", shooter="R1A-2"))
    script = [[HIT, 14], FAIL, FAIL, FAIL, FAIL]
    done = step(state, fire, "R1A", attacks, dice=script, options={"D-AMB-36": "unit"})
    assert wounds(done.state, "R1A") == [1, 1, 2]


# Grenades


@pytest.mark.rule("D-EQ-T5", "D-EQ-W3", "D-AMB-30", "D-AMB-37")
def test_a_throw_that_succeeds_is_on_its_target() -> None:
    state = facing("frag_grenade", 2, team("B1B", (3, 0), *tough()))
    done = step(state, fire, "R1A", shot("frag_grenade"), dice=[HIT, FAIL, FAIL])
    assert dice(done)[0] == ("R1A-1", "throw", 1)
    assert told(done, "check")[0].rule == "D-EQ-T5"
    assert (wounds(done.state, "B1A"), wounds(done.state, "B1B")) == ([2], [1])
    assert wounds(step(state, fire, "R1A", shot("frag_grenade"), dice=[HIT, SAVE, SAVE]).state, "B1A") == [1]


@pytest.mark.rule("D-EQ-T5", "D-AMB-37")
def test_a_throw_that_fails_goes_off_among_friends() -> None:
    state = facing("frag_grenade", 2, team("R1B", (0, 1), *tough()))
    # Own team: battle dress and combat armor, two saves; 2 Wounds, one each; then splash beside it.
    done = step(state, fire, "R1A", shot("frag_grenade"), dice=[MISS, FAIL, FAIL, FAIL])
    assert (wounds(done.state, "R1A"), wounds(done.state, "R1B"), wounds(done.state, "B1A")) == ([1, 1], [1], [0])
    assert "shaken" not in done.state["R1A-1"].statuses
    assert told(done, "fire.among_friends")[0].rule == "D-EQ-T5"


@pytest.mark.rule("D-EQ-T6", "D-AMB-37", "D-AMB-43")
def test_a_launcher_reaches_three_hexes_and_a_failed_shot_goes_off_among_friends() -> None:
    assert refused(facing("frag_grenade", 3), shot("frag_grenade")) == "D-R16.9"
    assert refused(facing("grenade_launcher", 4), shot("grenade_launcher")) == "D-R16.9"
    done = step(facing("grenade_launcher", 3), fire, "R1A", shot("grenade_launcher"), dice=[HIT, FAIL])
    assert wounds(done.state, "B1A") == [2]
    done = step(facing("grenade_launcher", 3), fire, "R1A", shot("grenade_launcher"), dice=[MISS, FAIL, FAIL])
    assert (wounds(done.state, "R1A"), wounds(done.state, "B1A")) == ([1, 1], [0])


@pytest.mark.rule("D-AMB-43")
def test_launchers_never_run_out_but_by_ruling() -> None:
    state = facing("grenade_launcher", 3)
    for _ in range(3):
        state = step(state, fire, "R1A", shot("grenade_launcher"), dice=[HIT, FAIL]).state
    assert state["R1A-1"].attributes["launched"] == 3
    step(state, check_declared, "R1A", shot("grenade_launcher"))
    assert refused(state, shot("grenade_launcher"), {"D-AMB-43": 3}) == "D-AMB-43"
    step(state, check_declared, "R1A", shot("grenade_launcher"), options={"D-AMB-43": 4})


@pytest.mark.rule("D-R16.8", "D-EQ-T5")
def test_those_who_throw_together_share_a_throw_apart_from_those_who_fire() -> None:
    red = team("R1A", (0, 0), *[unit("Soldier", weapon) for weapon in ("frag_grenade", "pulse_rifle", "frag_grenade")])
    state = fight(red, team("B1A", (2, 0), *tough()))
    attacks = tuple(
        [
            Attack(f"R1A-{number}", weapon, "B1A")
            for number, weapon in enumerate(("frag_grenade", "pulse_rifle", "frag_grenade"), 1)
        ]
    )
    done = step(state, fire, "R1A", attacks, dice=[[HIT, 14], FAIL, [HIT, 14], FAIL])
    assert [each[1:] for each in dice(done)] == [("throw", 2), ("save", 1), ("fire", 2), ("save", 1)]
    assert wounds(done.state, "B1A") == [6]


@pytest.mark.rule("D-AMB-37")
def test_a_plugin_may_say_where_an_indirect_shot_lands() -> None:
    @hookimpl
    def indirect_target() -> Hex:
        return Hex(3, 0)

    plugin = SimpleNamespace(indirect_target=indirect_target)
    state = facing("grenade_launcher", 2, team("B1B", (3, 0), *tough()))
    done = step(state, fire, "R1A", shot("grenade_launcher"), dice=[FAIL, FAIL], plugins=[plugin])
    assert (wounds(done.state, "B1B"), wounds(done.state, "B1A")) == ([2], [1])
    # A rifle is not indirect: nobody asks.
    rifle = step(facing("pulse_rifle", 2), fire, "R1A", shot("pulse_rifle"), dice=[HIT, FAIL], plugins=[plugin])
    assert wounds(rifle.state, "B1A") == [2]


@pytest.mark.rule("D-IF-3", "D-R9.7")
def test_what_has_not_drifted_lands_nowhere_once_a_drift_has_ended_the_battle() -> None:
    """The second grenade drifts onto blue's only Officer; the first would go off among those who threw it."""

    @hookimpl
    def indirect_drift(attack: Attack) -> Landing | None:
        return Landing(Hex(4, 0)) if attack.shooter == "R1A-2" else None

    thrower = unit("Soldier", "frag_grenade")
    red = team("R0A", (-5, 11), unit("CO")), team("R1A", (0, 0), thrower, thrower)
    state = position(*red, team("B1A", (2, 0), *tough()), team("B0A", (4, 0), unit("CO")))
    attacks = (*shot("frag_grenade"), *shot("frag_grenade", shooter="R1A-2"))
    plugin = SimpleNamespace(indirect_drift=indirect_drift)
    done = step(state, fire, "R1A", attacks, dice=[[MISS, 96], FAIL], plugins=[plugin])
    assert winner(done) == "red"
    assert told(done, "fire.among_friends") == []


# Sniper


@pytest.mark.rule("D-EQ-T7", "D-EQ-W6")
def test_a_sniper_fires_from_cover_without_disadvantage_and_loses_it() -> None:
    wood = Board(12, 12, {Hex(0, 0): "forest"})
    state = changed(facing("sniper_rifle", 3, board=wood), SetStatus("R1A", status("under_cover", since=1)))
    done = step(state, fire, "R1A", shot("sniper_rifle"), dice=[HIT, FAIL])
    assert dice(done)[0] == ("R1A-1", "fire", 1)
    assert "under_cover" not in done.state["R1A"].statuses


@pytest.mark.rule("D-EQ-T8")
@pytest.mark.parametrize(("spotter", "number"), [("R1A-2", 2), ("R1A-1", 1)])
def test_a_sniper_has_an_advantage_where_another_unit_has_spotted(spotter: str, number: int) -> None:
    marked = step(facing("sniper_rifle", 3), spot, spotter, "B1A", dice=[HIT]).state
    done = step(marked, fire, "R1A", shot("sniper_rifle"), dice=[[HIT, 14][:number], FAIL])
    assert dice(done)[0] == ("R1A-1", "fire", number)


# Laser Cutter


@pytest.mark.rule("D-EQ-T9", "D-AMB-38", "D-EQ-W9")
def test_a_beam_goes_through_everything_to_the_edge_without_a_check() -> None:
    state = facing(
        "laser_cutter",
        2,
        team("R1B", (4, 0), *tough()),
        team("B1B", (11, 0), *tough(2)),
        team("B1C", (2, 1), *tough()),
        board=WALL,
    )
    done = step(state, fire, "R1A", shot("laser_cutter"), dice=[FAIL, SAVE, FAIL, SAVE])
    assert [each[:2] for each in dice(done)] == [(uid, "save") for uid in ("B1A-1", "R1B-1", "B1B-1", "B1B-2")]
    assert (wounds(done.state, "B1A"), wounds(done.state, "R1B"), wounds(done.state, "B1B")) == ([10], [9], [10, 9])
    assert (wounds(done.state, "B1C"), wounds(done.state, "R1A")) == ([0], [0, 0])


@pytest.mark.rule("D-AMB-38")
def test_by_ruling_a_save_turns_a_beam_away() -> None:
    done = step(
        facing("laser_cutter", 2), fire, "R1A", shot("laser_cutter"), dice=[SAVE], options={"D-AMB-38": "negates"}
    )
    assert wounds(done.state, "B1A") == [0]


@pytest.mark.rule("D-AMB-38", "D-EQ-T9")
def test_a_beam_may_be_pointed_at_any_hex_and_takes_one_side_where_it_runs_between_two() -> None:
    state = facing("laser_cutter", 5)
    right = aim_of(state, Attack("R1A-1", "laser_cutter", "@1,1"))
    left = aim_of(state, Attack("R1A-1", "laser_cutter", "@1,1,left"))
    assert right is not None
    assert left is not None
    # From (0, 0) through (1, 1) a line runs between (1, 0) and (0, 1), then between (2, 1) and (1, 2), and so on.
    assert path(state, Hex(0, 0), right)[:4] == (Hex(0, 1), Hex(1, 1), Hex(1, 2), Hex(2, 2))
    assert path(state, Hex(0, 0), left)[:4] == (Hex(1, 0), Hex(1, 1), Hex(2, 1), Hex(2, 2))
    assert aim_of(state, Attack("R1A-1", "laser_cutter", "@1,1,right")) == right
    assert path(state, Hex(0, 0), right)[-1] == Hex(7, 8)  # the fifteenth hex, the last of 12 columns
    along = aim_of(state, Attack("R1A-1", "laser_cutter", "B1A"))
    assert along is not None
    assert path(state, Hex(0, 0), along) == tuple([Hex(q, 0) for q in range(1, 12)])


@pytest.mark.rule("D-R16.3", "D-EQ-T9")
@pytest.mark.parametrize("target", ["@0,0", "@x", "@1", "@1,1,up", "nobody", "R9Z", "red"])
def test_a_beam_pointed_nowhere_is_refused(target: str) -> None:
    assert refused(facing("laser_cutter", 5), shot("laser_cutter", target)) == "D-R16.3"


@pytest.mark.rule("D-EQ-T9")
def test_cover_helps_against_a_beam() -> None:
    state = changed(facing("laser_cutter", 2), SetStatus("B1A", status("under_cover")))
    assert dice(step(state, fire, "R1A", shot("laser_cutter"), dice=[[FAIL, 96]])) == [("B1A-1", "save", 2)]


@pytest.mark.rule("D-EQ-T10", "D-AMB-39")
@pytest.mark.parametrize(("ruling", "ready"), [("no", 5), ("yes", 4)])
def test_a_laser_cutter_is_silent_for_three_turns(ruling: str, ready: int) -> None:
    options: dict[str, object] = {"D-AMB-39": ruling}
    fired = step(facing("laser_cutter", 2), fire, "R1A", shot("laser_cutter"), dice=[FAIL], options=options).state
    for turn in range(1, ready):
        later = changed(fired, SetAttribute("battle", "turn", turn))
        assert refused(later, shot("laser_cutter"), options) == "D-EQ-T10"
    later = changed(fired, SetAttribute("battle", "turn", ready))
    step(later, check_declared, "R1A", shot("laser_cutter"), options=options)


# Rocket


@pytest.mark.rule("D-EQ-T12", "D-EQ-T11", "D-EQ-W10", "D-AMB-30")
def test_a_rocket_without_a_line_of_sight_goes_where_another_has_spotted() -> None:
    spotter = team("R1B", (3, 0), *tough())
    state = facing("rocket_launcher", 2, spotter, board=WALL)
    assert refused(state, shot("rocket_launcher")) == "D-EQ-T12"
    marked = step(state, spot, "R1B-1", "B1A", dice=[HIT]).state
    # No check; T 10 for an unseen target; the spotter stands within the splash.
    done = step(marked, fire, "R1A", shot("rocket_launcher"), dice=[FAIL, FAIL])
    assert [each[1] for each in dice(done)] == ["save", "save"]
    assert (wounds(done.state, "B1A"), wounds(done.state, "R1B")) == ([10], [2])
    assert wounds(step(marked, fire, "R1A", shot("rocket_launcher"), dice=[SAVE, FAIL]).state, "B1A") == [9]


@pytest.mark.rule("D-AMB-30")
def test_an_unseen_target_takes_the_wounds_for_indirect_fire() -> None:
    # A rocket of another make, so that T is no other number of its row.
    state = facing("rocket_launcher", 2, team("R1B", (3, 0), *tough()), board=WALL)
    battle = state["battle"]
    row = {
        "title": "Rocket",
        "T": 7,
        "C": 2,
        "M": 10,
        "L": 10,
        "Max": None,
        "traits": ("indirect", "needs_los_or_spot"),
    }
    facts = {**battle.facts, "weapons": {**battle.facts["weapons"], "rocket_launcher": row}}  # type: ignore[dict-item]
    entities = [battle.new("battle", "battle", facts=facts, attributes=battle.attributes), *list(state)[1:]]
    marked = step(State.of(entities), spot, "R1B-1", "B1A", dice=[HIT]).state
    assert wounds(step(marked, fire, "R1A", shot("rocket_launcher"), dice=[HIT, FAIL]).state, "B1A") == [7]


@pytest.mark.rule("D-AMB-30")
@pytest.mark.parametrize(("hexes", "taken"), [(1, 7), (2, 10)])
def test_the_ruling_for_rockets_at_close_range_is_for_that_range_alone(hexes: int, taken: int) -> None:
    state, script = facing("rocket_launcher", hexes), [HIT, *[FAIL] * (3 if hexes == 1 else 1)]
    done = step(state, fire, "R1A", shot("rocket_launcher"), dice=script, options={"D-AMB-30": 7})
    assert wounds(done.state, "B1A") == [taken]


@pytest.mark.rule("D-EQ-W10", "D-AMB-30")
def test_a_rocket_in_sight_goes_by_distance() -> None:
    for hexes, taken in ((1, 2), (2, 10), (3, 10), (9, 10)):
        far = step(
            facing("rocket_launcher", hexes),
            fire,
            "R1A",
            shot("rocket_launcher"),
            dice=[HIT, FAIL, FAIL, FAIL][: 4 if hexes == 1 else 2],
        )
        assert wounds(far.state, "B1A") == [taken]
    close = step(
        facing("rocket_launcher", 1),
        fire,
        "R1A",
        shot("rocket_launcher"),
        dice=[HIT, FAIL, FAIL, FAIL],
        options={"D-AMB-30": 10},
    )
    assert wounds(close.state, "B1A") == [10]


@pytest.mark.rule("D-EQ-T11")
def test_a_rocket_at_a_spotted_target_needs_no_check_even_in_sight() -> None:
    marked = step(facing("rocket_launcher", 3), spot, "R1A-2", "B1A", dice=[HIT]).state
    done = step(marked, fire, "R1A", shot("rocket_launcher"), dice=[FAIL])
    assert (dice(done), wounds(done.state, "B1A")) == ([("B1A-1", "save", 1)], [10])


@pytest.mark.rule("D-EQ-T13", "D-AMB-23")
def test_cover_does_not_keep_a_target_from_being_spotted_for_a_rocket() -> None:
    covered = changed(facing("rocket_launcher", 3), SetStatus("B1A", status("under_cover", since=1)))
    options = {"D-AMB-23.cover": "this_attack_only"}
    marked = step(covered, spot, "R1A-2", "B1A", dice=[HIT], options=options).state
    assert "under_cover" in marked["B1A"].statuses
    done = step(marked, fire, "R1A", shot("rocket_launcher"), dice=[FAIL], options=options)
    assert wounds(done.state, "B1A") == [10]


@pytest.mark.rule("D-EQ-T14", "D-AMB-40")
def test_a_rocket_that_misses_wounds_each_unit_of_the_target_all_the_same() -> None:
    state = facing("rocket_launcher", 3, team("B1B", (4, 0), *tough()), targets=3)
    done = step(state, fire, "R1A", shot("rocket_launcher"), dice=[MISS, SAVE])
    assert wounds(done.state, "B1A") == [2, 2, 2]
    assert wounds(done.state, "B1B") == [0]  # no splash
    assert "shaken" in done.state["R1A-1"].statuses
    alone = step(state, fire, "R1A", shot("rocket_launcher", "B1A-2"), dice=[MISS, FAIL])
    assert wounds(alone.state, "B1A") == [0, 2, 0]
    saved = step(state, fire, "R1A", shot("rocket_launcher"), dice=[MISS, SAVE], options={"D-AMB-40": "yes"})
    assert wounds(saved.state, "B1A") == [1, 1, 1]
    assert allocated(done, "fire.near_miss") == {"B1A-1": 2, "B1A-2": 2, "B1A-3": 2}
    assert [event.rule for event in told(done, "wounds")] == ["D-EQ-T14"] * 3


@pytest.mark.rule("D-R16.8", "D-EQ-T14")
def test_a_rocket_shares_the_check_of_its_volley() -> None:
    red = team("R1A", (0, 0), unit("Bot", "laser_carbine"), unit("Bot", "rocket_launcher"))
    state = fight(red, team("B1A", (3, 0), *tough(2)))
    attacks = Attack("R1A-1", "laser_carbine", "B1A"), Attack("R1A-2", "rocket_launcher", "B1A")
    done = step(state, fire, "R1A", attacks, dice=[[MISS, 96], FAIL])
    assert (dice(done)[0], wounds(done.state, "B1A")) == (("R1A-1", "fire", 2), [2, 2])
    hit = step(state, fire, "R1A", attacks, dice=[[HIT, 96], FAIL, ["B1A-1"]])
    assert wounds(hit.state, "B1A") == [6, 5]  # 1 and 10
