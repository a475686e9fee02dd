"""The autopilot: what it does in positions where a person would know what to do, and whole battles that come to an end."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pytest

from rallypoint.disrupter.autopilot import BEAM_REACH, Autopilot
from rallypoint.disrupter.game import Disrupter
from rallypoint.disrupter.hooks import Hooks
from rallypoint.disrupter.manoeuvre import Manoeuvre
from rallypoint.disrupter.prospects import Picture, beam_value, chance, value
from rallypoint.disrupter.records import Attack
from rallypoint.disrupter.setup import first_state
from rallypoint.kernel.answers import Answers, Seed
from rallypoint.kernel.battle import Battle
from rallypoint.kernel.canonical import Value
from rallypoint.kernel.changes import Change, SetAttribute, SetLink, SetStatus, SetTracker
from rallypoint.kernel.game import Intent, Over
from rallypoint.kernel.hexes import distance, within
from rallypoint.kernel.parts import Hex, Link, Status
from rallypoint.kernel.replay import replay
from rallypoint.kernel.state import Entity, State
from rallypoint.kernel.tape import Choice, Option

from ..scenario.scenes import HEAD, SIDES, deploy
from .alone import BLUE_CO, BOT, MAN, RED_CO, RIFLE, deeds, does, end_of, field, rows_of, wall
from .positions import changed, team, unit

# Fire


def test_shooters_go_for_an_officer_first() -> None:
    nco = team("B1A", (5, 6), RIFLE, unit("NCO", "revolver"), RIFLE)
    state = field(team("R1A", (4, 4), RIFLE, RIFLE, RIFLE), team("B1B", (4, 6), RIFLE, RIFLE), nco, phase="battle")
    targets = {deed[-1] for deed in deeds(does(state)).values() if deed[0] == "fire"}
    assert "B1A-2" in targets


def test_who_is_not_needed_for_a_kill_fires_at_somebody_else() -> None:
    # Two rifles kill a soldier of 2 Wounds whether he saves (4 - 2) or not: the third and fourth have another target.
    state = field(team("R1A", (4, 4), *[RIFLE] * 4), team("B1A", (4, 6), RIFLE, RIFLE), phase="battle")
    fired = [str(deed[-1]) for deed in deeds(does(state)).values()]
    assert sorted(fired) in (["B1A-1", "B1A-1", "B1A-2", "B1A-2"], ["B1A"] * 4)


def test_nobody_acts_when_nothing_is_worth_it() -> None:
    state = field(team("R1A", (4, 4), MAN), team("B1A", (4, 11), MAN), phase="battle")
    assert does(state) == Intent("done", (), "red")


def test_a_teammate_spots_for_the_rocket_and_does_it_first() -> None:
    # The Officer beside them leads the bot; the revolver does not reach, so the soldier spots.
    state = field(
        team("R1A", (3, 5), unit("NCO", "revolver")),
        team("R1B", (4, 4), MAN, unit("Bot", "rocket_launcher")),
        team("B1A", (4, 9), RIFLE, RIFLE),
        phase="battle",
    )
    intent = does(changed(state, SetAttribute("R1A", "acted", 1)))
    assert intent.args[0] == "R1B"
    spot, fire = rows_of(intent.args[1])
    assert (spot[1], fire[1]) == ("spot", "fire")
    assert spot[-1] == "B0A"  # the CO: all that blue's Officers are worth
    assert fire[-1] in ("B0A", "B0A-1")


def test_another_team_spots_before_the_rocket_is_fired() -> None:
    state = field(
        team("R1A", (3, 5), unit("NCO", "revolver")),
        team("R1B", (4, 4), unit("Bot", "rocket_launcher")),
        team("B1A", (4, 9), RIFLE, RIFLE),
        phase="battle",
    )
    assert does(state) == Intent("act", ("R1A", (("R1A-1", "spot", "B0A"),)), "red")


def test_nobody_spots_where_no_rocket_follows() -> None:
    state = field(team("R1A", (4, 4), MAN, MAN), team("B1A", (4, 9), RIFLE), phase="battle")
    assert does(state).rule == "done"


def beams(hexes: int, turn: int = 1, beam_reach: int | None = BEAM_REACH) -> Intent:
    """Return what a team with a Laser Cutter does to a stand so many hexes away."""
    cutter = team("R1A", (4, 1), unit("NCO", "revolver"), unit("Bot", "laser_cutter"))
    return does(
        field(cutter, team("B1A", (4, 1 + hexes), RIFLE, RIFLE), phase="battle", turn=turn), beam_reach=beam_reach
    )


def test_beams_are_fired_as_far_as_was_agreed_on() -> None:
    assert deeds(beams(4))["R1A-2"] == ("fire", "laser_cutter", "B1A")
    assert beams(5).rule == "done"
    assert deeds(beams(9, turn=15))["R1A-2"][:2] == (
        "fire",
        "laser_cutter",
    )  # 4, and a hex for each turn after the tenth
    assert beams(9, turn=14).rule == "done"
    assert deeds(beams(9, beam_reach=None))["R1A-2"][:2] == ("fire", "laser_cutter")


def test_a_beam_spares_friends_in_its_line() -> None:
    cutter = team("R1A", (4, 1), unit("NCO", "revolver"), unit("Bot", "laser_cutter"))
    friends = team("R1B", (4, 2), MAN, MAN, MAN)
    state = field(cutter, friends, team("B1A", (4, 4), RIFLE, RIFLE), phase="battle")
    picture = Picture(state, {}, "red")
    assert beam_value(picture, Attack("R1A-2", "laser_cutter", "B1A")) == 2.0 - 1.5 * 3
    assert all("laser_cutter" not in deed for deed in deeds(does(state)).values())


# Command


def test_an_officer_rallies_who_runs() -> None:
    state = field(team("R1A", (4, 4), unit("NCO", "revolver")), team("R1B", (4, 5), MAN), phase="battle")
    assert deeds(does(changed(state, SetStatus("R1B", Status("routed", since=1))))) == {"R1A-1": ("rally",)}


def test_an_officer_gives_orders_to_those_whom_he_has_rallied() -> None:
    state = field(team("R1A", (4, 4), unit("NCO", "revolver")), team("R1B", (7, 4), MAN), phase="battle")
    found = deeds(does(changed(state, SetAttribute("R1B", "under", "R1A-1"))))
    assert found["R1A-1"][:2] == ("order", "R1B")


def test_a_co_with_nothing_better_to_do_relieves_stress() -> None:
    state = field(
        team("R1A", (3, 4), MAN), phase="move", group="co", cos=(team("R0A", (0, 0), unit("CO", "revolver")), BLUE_CO)
    )
    assert does(changed(state, SetTracker("R", "Stress", 9))).rule == "relieve_stress"
    assert does(changed(state, SetTracker("R", "Stress", 0))).rule != "relieve_stress"


@pytest.mark.parametrize(("stress", "seen", "relieved"), [(3, True, False), (3, False, True), (9, True, True)])
def test_a_co_relieves_little_stress_only_out_of_sight(stress: int, seen: bool, relieved: bool) -> None:
    # He stands in a corner where no step is worth it; the foe across the board cannot reach him.
    head = team("R0A", (0, 0), unit("CO", "revolver", movement=0))
    state = field(phase="move", group="co", cos=(head, BLUE_CO), terrain={} if seen else wall(6))
    assert (does(changed(state, SetTracker("R", "Stress", stress))).rule == "relieve_stress") == relieved


# Movement


def test_a_team_goes_towards_the_enemys_officers() -> None:
    state = field(team("R1A", (4, 4), RIFLE), team("B1A", (6, 8), unit("NCO", "revolver")), phase="move")
    intent = does(state)
    assert intent.rule == "move"
    assert distance(end_of(intent), Hex(6, 8)) < distance(Hex(4, 4), Hex(6, 8))


def test_a_way_round_a_wall_is_found() -> None:
    wall = {(q, 6): "building" for q in range(-3, 8)}  # row 6 is closed but for its last hex, (8, 6)
    far = team("B0A", (-4, 11), unit("CO", "revolver"))
    state = field(team("R1A", (4, 5), RIFLE), phase="move", terrain=wall, cos=(RED_CO, far))
    assert end_of(does(state)).q == 5


def test_bots_stay_with_their_officer() -> None:
    nco = team("R1A", (4, 4), unit("NCO", "revolver"))  # he has moved already
    state = field(nco, team("R1B", (4, 5), BOT, BOT), phase="move")
    intent = does(changed(state, SetAttribute("R1A", "moved", 1)))
    ends = [end_of(intent)] if intent.rule == "move" else [Hex(4, 5)]
    assert all(distance(end, Hex(4, 4)) <= 1 for end in ends)


def test_an_officer_fetches_bots_that_nobody_leads() -> None:
    nco = team("R1A", (4, 4), unit("NCO", "revolver"))
    state = field(nco, team("R1B", (8, 2), BOT, BOT), phase="move")
    intent = does(state)
    assert intent.args[0] == "R1A"
    assert distance(end_of(intent), Hex(8, 2)) < distance(Hex(4, 4), Hex(8, 2))


def test_an_officer_fetches_the_bots_of_a_squad_that_has_lost_its_own() -> None:
    nco, co = team("R1A", (4, 4), unit("NCO", "revolver")), team("R0A", (-4, 11), unit("CO", "revolver"))
    state = field(nco, team("R2B", (5, 0), BOT, BOT), phase="move", cos=(co, BLUE_CO), terrain=wall(6))
    assert distance(end_of(does(state)), Hex(5, 0)) < distance(Hex(4, 4), Hex(5, 0))  # away from the enemy


HEAVY = unit("Soldier", "rocket_launcher")


def behind(*at: int) -> State:
    """Return a state in which red's CO moves near a short wall, with a rocket and a spotter on its other side."""
    return field(
        team("B1A", (4, 8), HEAVY, MAN),
        phase="move",
        group="co",
        terrain={(q, 4): "building" for q in range(2, 7)},
        cos=(team("R0A", (at[0], at[1]), unit("CO", "revolver")), team("B0A", (3, 10), unit("CO", "revolver"))),
    )


def test_a_co_goes_out_of_sight() -> None:
    state = behind(7, 3)
    picture = Picture(state, {}, "red")
    assert picture.in_view("red", Hex(7, 3))
    assert not picture.in_view("red", end_of(does(state)))


def test_a_co_stays_out_of_sight() -> None:
    state = behind(5, 3)
    intent, picture = does(state), Picture(state, {}, "red")
    assert any(picture.in_view("red", at) for at in within(Hex(5, 3), 2))  # he could step into view
    assert not picture.in_view("red", end_of(intent) if intent.rule == "move" else Hex(5, 3))


def test_a_way_through_reaction_fire_costs_as_much_as_an_end_in_it() -> None:
    state = field(team("R1A", (4, 4), RIFLE), team("B1A", (4, 6), RIFLE), phase="move")
    manoeuvre = Manoeuvre(Picture(state, {}, "red"))
    stand = manoeuvre.picture.stands["R1A"]
    hidden, seen = Hex(4, 0), Hex(4, 4)
    plain = manoeuvre.rated(stand, hidden, moved=True)
    # One rifle at one soldier is worth 0.294, of which 0.3 counts, and as much of the rest as the soldier is likely to fall.
    lost = (0.3 + 0.7 * 0.294) * 0.294
    assert plain - manoeuvre.rated(stand, hidden, moved=True, through=[seen]) == pytest.approx(lost)


def test_a_hex_next_to_a_hiding_place_is_better_than_one_far_from_it() -> None:
    manoeuvre = Manoeuvre(Picture(behind(7, 3), {}, "red"))
    stand = manoeuvre.picture.stands["R0A"]
    near, far = Hex(7, 3), Hex(9, 3)  # as far from the enemy, and in view both
    assert manoeuvre.way.to(near) == manoeuvre.way.to(far)
    assert manoeuvre.rated(stand, near, moved=True) > manoeuvre.rated(stand, far, moved=True) + 2


def test_a_co_is_in_less_of_a_hurry_than_an_nco() -> None:
    own = team("R0A", (4, 4), unit("CO", "revolver")), team("R1A", (2, 4), unit("NCO", "revolver"))
    manoeuvre = Manoeuvre(Picture(field(own[1], phase="move", cos=(own[0], BLUE_CO), terrain=wall(7)), {}, "red"))
    gains = [
        manoeuvre.rated(stand, Hex(4, 5), moved=True) - manoeuvre.rated(stand, Hex(4, 3), moved=True)
        for stand in (manoeuvre.picture.stands["R0A"], manoeuvre.picture.stands["R1A"])
    ]
    assert 0 < gains[0] < gains[1]


def test_officers_in_view_keep_apart() -> None:
    nco = team("R1A", (4, 4), unit("NCO", "revolver"))

    def rated(co: tuple[int, int]) -> float:
        cos = (team("R0A", co, unit("CO", "revolver")), BLUE_CO)
        manoeuvre = Manoeuvre(Picture(field(nco, phase="move", cos=cos), {}, "red"))
        return manoeuvre.rated(manoeuvre.picture.stands["R1A"], Hex(4, 4), moved=False)

    assert rated((4, 3)) < rated((4, 1))


def test_a_team_far_from_the_enemy_keeps_its_cover_rather_than_come_one_hex_nearer() -> None:
    slow = unit("Soldier", "flamethrower", movement=1)
    state = field(team("R1A", (4, 2), slow), phase="move", terrain={(4, 2): "barricade"})
    act = does(state)
    assert act.rule != "move"


def test_who_has_nothing_to_fire_at_takes_cover_from_who_sees_him() -> None:
    foe = team("B1A", (4, 9), unit("Soldier", "laser_carbine"), unit("Soldier", "laser_carbine"))
    state = field(team("R1A", (4, 4), MAN), foe, phase="battle", terrain={(4, 4): "forest"})
    assert does(state) == Intent("take_cover", ("R1A",), "red")
    out_of_range = field(team("R1A", (4, 4), MAN), team("B1A", (4, 9), MAN), phase="battle", terrain={(4, 4): "forest"})
    assert does(out_of_range) == Intent("take_cover", ("R1A",), "red")  # who sees him can spot him for others
    unseen = field(team("R1A", (4, 4), MAN), phase="battle", terrain={(4, 4): "forest", **wall(6)})
    assert does(unseen).rule == "done"


# Reactions and choices


def asked(state: State, *options: tuple[str, Value], subject: str = "R1A", purpose: str = "reaction") -> str:
    ask = Choice("red", purpose, tuple([Option(key, key, value) for key, value in options]), subject)
    return ask.options[Autopilot().choose(ask, state)].key


def reaction(state: State, mover: str, *more: str) -> str:
    keys = [("fire", mover), *[(f"fire {unit.uid}", unit.uid) for unit in state.children(mover)]]
    return asked(state, *[(key, ("react_fire", "R1A", target)) for key, target in keys], *[(key, None) for key in more])


def test_reaction_fire_goes_at_the_officer_of_a_stand() -> None:
    mover = team("B1A", (4, 6), RIFLE, unit("NCO", "revolver"), RIFLE)
    assert reaction(field(team("R1A", (4, 4), RIFLE, RIFLE), mover, phase="move"), "B1A") == "fire B1A-2"


def test_who_is_under_cover_holds_where_his_shot_promises_little() -> None:
    mover = team("B1A", (4, 7), unit("Soldier", "revolver", wears="battle_dress"))
    state = field(team("R1A", (4, 4), MAN), mover, phase="move", terrain={(4, 4): "forest"})
    covered = changed(state, SetStatus("R1A", Status("under_cover", since=1)))
    assert reaction(covered, "B1A", "hold") == "hold"
    assert reaction(state, "B1A", "hold") != "hold"


def test_the_beam_of_a_team_that_may_hold_is_not_fired_far() -> None:
    cutter = team("R1A", (4, 1), unit("NCO", "revolver"), unit("Bot", "laser_cutter"))
    far = field(cutter, team("B1A", (4, 8), RIFLE), phase="move")
    near = field(cutter, team("B1A", (4, 5), RIFLE), phase="move")
    assert reaction(far, "B1A", "hold") == "hold"
    assert reaction(near, "B1A", "hold") != "hold"


def test_the_nco_with_the_most_units_follows_the_co() -> None:
    small, large = team("R1A", (4, 4), unit("NCO", "revolver")), team("R2A", (5, 4), unit("NCO", "revolver"), MAN)
    state = field(small, large, phase="move")
    assert asked(state, ("R1A-1", None), ("R2A-1", None), subject="R", purpose="succession") == "R2A-1"


def test_a_choice_that_it_does_not_know_gets_the_first_option() -> None:
    state = field(team("R1A", (4, 4), MAN), phase="move")
    assert asked(state, ("a", None), ("b", None), purpose="something new") == "a"


# What fire promises, worked out by hand


def test_the_chances_are_those_of_the_rules() -> None:
    assert [chance(60, sign) for sign in (0, 1, -1)] == [0.6, 0.7968, 0.4032]


def promised(
    shooters: Iterable[Mapping[str, object]],
    targets: Iterable[Mapping[str, object]],
    single: bool = True,
    changes: Iterable[Change] = (),
) -> float:
    state = field(team("R1A", (4, 4), *shooters), team("B1A", (4, 6), *targets), phase="battle")
    picture = Picture(changed(state, *changes), {}, "red")
    mine, foe = picture.stands["R1A"], picture.stands["B1A"]
    shots = picture.shots(mine, mine.place, foe, steady=True)
    return value(picture, mine, mine.place, shots, foe, foe.figures[:1] if single else foe.figures)


def test_the_value_of_one_rifle_at_a_soldier() -> None:
    # 60 % to hit; 40 % no save: 2 Wounds, dead, worth 1. 60 % saved: 1 of 2 Wounds, worth 0.3 / 2.
    assert promised([RIFLE], [RIFLE]) == pytest.approx(0.6 * (0.4 * 1 + 0.6 * 0.15))


def test_the_value_of_two_rifles_at_a_soldier() -> None:
    # [+] for two: 79.68 % to hit; 4 Wounds, or 2 with a save: dead either way.
    assert promised([RIFLE, RIFLE], [RIFLE]) == pytest.approx(0.7968)


def test_the_value_of_fire_at_a_whole_stand_is_divided() -> None:
    # 2 Wounds over two soldiers are 1 each, half of what kills; with a save 1 over two is a quarter.
    assert promised([RIFLE], [RIFLE, RIFLE], single=False) == pytest.approx(0.6 * 2 * 0.3 * (0.4 * 0.5 + 0.6 * 0.25))


def test_the_value_of_a_rocket_counts_its_near_miss_and_a_mark() -> None:
    rocket = unit("Soldier", "rocket_launcher")
    # 60 %: 10 Wounds, or 9: dead. Else 2 Wounds without a save: dead as well.
    assert promised([rocket], [RIFLE]) == pytest.approx(1.0)
    tough = unit("Soldier", "pulse_rifle", wears="battle_dress")  # W 3: the near miss is 2 of 3
    assert promised([rocket], [tough]) == pytest.approx(0.6 + 0.4 * 0.3 * 2 / 3)
    mark = SetLink(Link("spot", "R1A", "B1A", "R1A-1", 1, 1))
    assert promised([rocket], [tough], changes=[mark]) == pytest.approx(1.0)


def test_danger_is_what_the_enemy_promises_from_where_he_stands() -> None:
    state = field(team("R1A", (4, 4), RIFLE), team("B1A", (4, 6), RIFLE), phase="move")
    picture = Picture(state, {}, "red")
    mine = picture.stands["R1A"]
    here = picture.danger(mine, Hex(4, 4))
    assert here.total == here.reacting == pytest.approx(0.6 * (0.4 + 0.6 * 0.15))
    assert picture.danger(mine, Hex(4, 1)).total == 0  # 5 hexes: out of range
    done = Picture(changed(state, SetAttribute("B1A", "reacted", (1, 1))), {}, "red")
    assert (done.danger(mine, Hex(4, 4)).total > 0, done.danger(mine, Hex(4, 4)).reacting) == (True, 0)


@pytest.mark.rule("D-EQ-T14")
def test_an_officer_in_view_is_in_danger_from_rockets_that_do_not_see_him() -> None:
    rocket = team("B1A", (4, 9), HEAVY)
    hidden = {(4, 8): "building", (5, 8): "building", (3, 8): "building", (6, 8): "building"}

    def danger(rank: str, *spotters: list[Entity]) -> float:
        far = team("B0A", (6, 11), unit("CO")), team("R0A", (-5, 11), unit("CO"))
        own = team("R1A", (4, 4), unit(rank))
        land = {**hidden, **{(q, 10): "building" for q in range(-5, 8)}}
        picture = Picture(field(own, rocket, *spotters, phase="move", cos=far, terrain=land), {}, "red")
        return picture.danger(picture.stands["R1A"], Hex(4, 4)).total

    spotter = team("B1B", (4, 6), unit("Soldier"))
    assert danger("NCO") == 0
    assert danger("NCO", spotter) == 6.0  # 12 for two Officers; marked, he is hit by 10 Wounds or, saved, by 9
    assert danger("Soldier", spotter) == 0


# Whole battles


def starters(seed: int, edge: str = "bottom") -> State:
    land = f'[board]\ncolumns = 12\nrows = 12\nscatter = {{ seed = "{seed}", density = 0.5, buildings = 0.3, water = "none" }}\n'
    other = "top" if edge == "bottom" else "bottom"
    sides = SIDES.replace('"red.md"', f'"red.md"\nedge = "{edge}"').replace('"blue.md"', f'"blue.md"\nedge = "{other}"')
    return first_state(
        deploy(HEAD + land + '[deployment]\nfrom = "edges"\n' + sides).encounter, edges={"red": edge, "blue": other}
    )


def fought(seed: int, edge: str = "bottom", beam_reach: int | None = BEAM_REACH) -> Battle[Hooks]:
    game = Disrupter()
    pilot = Autopilot(game.options, seed, beam_reach=beam_reach)
    battle = Battle.start(game, starters(seed, edge), Answers(Seed(seed), others=pilot))
    while not isinstance(battle.due, Over) and game.clock(battle.state) <= 60:
        battle.play(25)
    return battle


@pytest.mark.parametrize(("seed", "edge"), [(1, "bottom"), (3, "top"), (5, "bottom"), (11, "top")])
def test_battles_of_two_starter_platoons_end(seed: int, edge: str) -> None:
    battle = fought(seed, edge)
    assert isinstance(battle.due, Over)
    result = battle.due.result
    assert isinstance(result, Mapping)
    assert result["winner"] in ("red", "blue", "draw")
    kinds = {event.kind for entry in battle.history.entries for event in entry.events}
    assert {"move.step", "react.fire", "fire.hit", "spot", "cover.taken", "unit.removed"} <= kinds


def test_the_same_battle_is_the_same_again_and_replays() -> None:
    one, two = fought(11), fought(11)
    assert one.state.digest == two.state.digest
    assert replay(one.history.entries, one.game).hash == one.state.digest


def test_by_the_letter_the_first_beam_is_fired_in_the_first_turn() -> None:
    battle = fought(3, beam_reach=None)
    shots = [event for entry in battle.history.entries for event in entry.events if event.kind == "fire.beam"]
    assert shots
