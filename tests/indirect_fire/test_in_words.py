"""What is listed for a seat, what the autopilot makes of it, and how shots at places read in the log and on the map."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from rallypoint.disrupter.autopilot import Autopilot
from rallypoint.disrupter.explain import event_words, explained, shots
from rallypoint.disrupter.fire import fire
from rallypoint.disrupter.spoken import choice_words
from rallypoint.kernel.answers import Answers, AtRandom, Seed
from rallypoint.kernel.battle import Battle
from rallypoint.kernel.board import Board
from rallypoint.kernel.events import Event
from rallypoint.kernel.game import Acts, Intent, Over
from rallypoint.kernel.parts import Hex
from rallypoint.kernel.replay import replay
from rallypoint.kernel.state import Entity, State

from ..disrupter.positions import engaged, team, unit
from ..rules.playing import told
from .ground import MISS, RIDGE, at, battery, drift, field, game, step, tough

BEHIND = (1, 7)


def at_places(state: State, *, on: bool = True) -> list[tuple[str, str, str]]:
    """Return each listed shot at a place by one unit: unit, weapon, place."""
    found = []
    for intent in game(on=on).legal(engaged(state), "red"):
        deeds = intent.args[1] if intent.rule == "act" else ()
        assert isinstance(deeds, tuple)
        if len(deeds) == 1 and isinstance(deeds[0], tuple) and str(deeds[0][-1]).startswith("@"):
            found.append((str(deeds[0][0]), str(deeds[0][2]), str(deeds[0][3])))
    return found


# Lists


@pytest.mark.rule("D-IF-1", "D-R11.2")
def test_places_where_an_enemy_stands_in_reach_are_listed_once_each() -> None:
    foes = team("B1A", BEHIND, *tough(3)), team("B1B", (2, 7), *tough()), team("B1C", (-4, 11), *tough())
    # (-4, 11) is 8 rows down and 6 to the left of (2, 3): 8 steps. B9Z at (6, 11) is 12 away, too far.
    assert at_places(field(battery(), *foes)) == [
        ("R1A-1", "mortar", "@1,7"),
        ("R1A-1", "mortar", "@2,7"),
        ("R1A-1", "mortar", "@-4,11"),
    ]
    assert at_places(field(battery(), *foes), on=False) == []


@pytest.mark.rule("D-IF-1")
def test_grenades_at_what_is_in_sight_are_listed_as_shots_and_not_once_more_as_places() -> None:
    red = battery("grenade_launcher", "howitzer", place=(2, 4))
    listed = at_places(field(red, team("B1A", (1, 6), *tough()), team("B1B", (3, 3), *tough())))
    places = [(weapon, target) for _, weapon, target in listed]
    assert places == [
        ("grenade_launcher", "@1,6"),
        ("howitzer", "@1,6"),
        ("howitzer", "@3,3"),
        ("howitzer", "@6,11"),
    ]


@pytest.mark.rule("D-IF-1", "D-R16.1")
def test_several_mortars_of_a_team_are_listed_together_too() -> None:
    state = engaged(field(battery("mortar", "mortar"), team("B1A", BEHIND, *tough())))
    legal = game().legal(state, "red")
    both = (("R1A-1", "fire", "mortar", "@1,7"), ("R1A-2", "fire", "mortar", "@1,7"))
    assert Intent("act", ("R1A", both), "red") in legal
    assert len({repr(intent) for intent in legal}) == len(legal)
    assert legal[-1].rule == "done"


@pytest.mark.rule("D-R9.12", "D-IF-1")
def test_orders_hold_for_shots_at_places_as_for_any_other() -> None:
    state = field(battery(), team("B1A", BEHIND, *tough()))
    assert not [intent for intent in game().legal(state, "red") if intent.rule == "act"]  # nobody has ordered anything


@pytest.mark.rule("D-IF-1")
def test_a_list_tells_a_seat_nothing_that_its_view_does_not() -> None:
    state = engaged(field(battery(), team("B1A", BEHIND, *tough())))
    playing = game()
    assert playing.legal(playing.view(state, "red"), "red") == playing.legal(state, "red")


# The autopilot


def plays(state: State) -> Intent:
    playing, state = game(), engaged(state)
    return Autopilot(playing.options).act(playing.legal(state, "red"), playing.view(state, "red"))


def test_the_autopilot_fires_a_mortar_where_it_promises_most() -> None:
    # Four Wounds kill one Bot, or two soldiers of two Wounds each.
    lone = team("B1A", (3, 7), unit("Bot", "laser_carbine"))
    packed = team("B1B", BEHIND, *[unit("Soldier", "pulse_rifle")] * 2)
    assert plays(field(battery(), lone, packed)).args == ("R1A", (("R1A-1", "fire", "mortar", "@1,7"),))


def test_the_autopilot_spares_friends_beside_the_place() -> None:
    foe, shot = team("B1A", BEHIND, unit("Bot", "laser_carbine")), ("R1A", (("R1A-1", "fire", "mortar", "@1,7"),))
    assert plays(field(battery(), foe)).args == shot
    assert plays(field(battery(), foe, team("R1B", (1, 8), *[unit("Bot", "revolver")] * 4))).args != shot


def test_without_the_plugin_the_autopilot_does_as_before() -> None:
    state = engaged(field(battery(), team("B1A", BEHIND, *tough())))
    playing = game(on=False)
    legal = playing.legal(state, "red")
    assert Autopilot(playing.options).act(legal, state) == legal[-1]


# Words


def name(uid: str) -> str:
    return {"R1A": "R-1A", "R1A-1": "R-1A-1 Soldier"}.get(uid, uid)


@pytest.mark.rule("D-IF-3")
def test_a_shot_and_its_drift_read_as_hexes_of_the_map() -> None:
    # (1, 7) is E8; three over the side down and right is (1, 10): column 1 + 5, so G, and row 11.
    done = step(field(battery()), fire, "R1A", at("@1,7"), dice=[MISS, drift(6, 6)])
    (shot,), (check,), (drifted,) = told(done, "fire.shot"), told(done, "check"), told(done, "indirect.drift")
    assert event_words(shot, name) == "fire: R-1A-1 Soldier (mortar) at E8"
    assert event_words(check, name) == "R-1A-1 Soldier: fire at E8: 98 under 60: failure"
    words = "R-1A-1 Soldier: the shot drifts 3 hexes down and right from E8 and lands in G11"
    assert event_words(drifted, name) == words
    assert list(explained(drifted, name)) == [
        words,
        "shooter: R-1A-1 Soldier",
        "weapon: mortar",
        "from: E8",
        "hexes: 3",
        "way: hexes down and right",
        "dice: d10 6, d6 6",
        "lands: G11",
    ]
    assert list(shots(shot)) == [("R1A-1", Hex(1, 7))]
    assert list(shots(drifted)) == [("R1A-1", Hex(1, 10))]


def test_an_act_reads_as_a_hex_of_the_map() -> None:
    intent = Intent("act", ("R1A", (("R1A-1", "fire", "mortar", "@1,7"),)), "red")
    assert choice_words(field(battery()), intent, name) == "R-1A: R-1A-1 Soldier fires Mortar at E8"


def test_the_event_of_any_plugin_says_itself_how_it_reads() -> None:
    why = {"words": "{who} drops a {thing} in {at}", "who": "r1a", "thing": "flare", "at": (2, 0)}
    told = Event("flare.lit", (), "HOME-1", why=why)
    assert event_words(told, str.upper) == "R1A drops a FLARE in C1"
    assert "words" not in " ".join(list(explained(told, str.upper))[1:])
    for broken in ("{", "{0}", "{who.x}", "{who:d}"):
        assert event_words(Event("x", (), "HOME-1", why={"words": broken, "who": "r"}), str.upper) == broken
    assert event_words(Event("x", (), "HOME-1", why={"words": "{nobody} sees it"}), str.upper) == "? sees it"


# Whole battles


def forces(mortar: str) -> State:
    """Return two small platoons on both sides of a ridge with two gaps, each with a mortar."""
    rows: list[list[Entity]] = []
    for letter, rear, front in (("R", 1, 3), ("B", 10, 8)):
        left, near = -rear // 2 + 3, -front // 2 + 3
        rows.append(team(f"{letter}0A", (left, rear), unit("CO", "revolver"), unit("Soldier", mortar)))
        nco = unit("NCO", "pulse_rifle", wears="battle_dress")
        rows.append(team(f"{letter}1A", (near, front), nco, unit("Soldier", "pulse_rifle", "grenade_launcher")))
        rows.append(team(f"{letter}1B", (near + 3, front), unit("Soldier", mortar), unit("Bot", "laser_carbine")))
    gaps = (-1, 5)
    land = Board(12, 12, {at: word for at, word in RIDGE.terrain.items() if at.q not in gaps})
    found = field(*rows, board=land)
    return engaged(found)


@pytest.mark.rule("D-IF-1", "D-IF-3")
@pytest.mark.parametrize(
    ("seed", "options"),
    [
        (1, {}),
        (2, {"D-AMB-37": "drift", "D-IF-3.direction": "ring"}),
        (3, {"D-IF-3.edge": "splash", "D-AMB-29": "literal_floor"}),
    ],
)
def test_whole_battles_with_mortars_are_undone_and_replayed(seed: int, options: dict[str, object]) -> None:
    playing = game(options)
    battle: Battle[object] = Battle.start(playing, forces("mortar"), Answers(Seed(seed), others=AtRandom(seed)))
    seen: Counter[str] = Counter()
    for _ in range(220):
        if isinstance(battle.due, Over):
            break
        before = battle.state.digest
        battle.play(1) if isinstance(battle.due, Acts) else battle.proceed()
        after = battle.state.digest
        for event in battle.history.entries[-1].events:
            seen[event.kind] += 1
            assert event_words(event, name)
            if event.kind == "indirect.drift" and "lands" in event.why:
                where: Any = event.why["lands"]
                assert Board(12, 12).holds(Hex(*where))
        battle.undo()
        assert battle.state.digest == before
        battle.redo()
        assert battle.state.digest == after
    assert seen["indirect.drift"] >= 1
    assert replay(battle.history.entries, playing).hash == battle.state.digest


@pytest.mark.rule("D-IF-1")
@pytest.mark.parametrize("seed", range(4))
def test_the_autopilot_plays_battles_with_mortars_to_their_end(seed: int) -> None:
    playing = game()
    seats = Answers(Seed(seed), others=Autopilot(playing.options, seed))
    battle: Battle[object] = Battle.start(playing, forces("mortar"), seats)
    while not isinstance(battle.due, Over) and playing.clock(battle.state) <= 60:
        battle.play(5)
    assert isinstance(battle.due, Over)
    fired = [event for entry in battle.history.entries for event in entry.events if event.kind == "fire.shot"]
    attacks: list[Any] = [event.why["attacks"] for event in fired]
    assert any(target.startswith("@") for rows in attacks for _, _, target, _ in rows)
    assert replay(battle.history.entries, playing).hash == battle.state.digest
