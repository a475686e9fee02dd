"""Random legal play of two small platoons: no invariant breaks, every step is undone, the log replays, battles come to an end,
and all Wounds that were dealt are accounted for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import pytest

from rallypoint.disrupter.field import alive, living
from rallypoint.disrupter.fire import fire
from rallypoint.disrupter.records import Attack
from rallypoint.disrupter.setup import first_state
from rallypoint.kernel.answers import Answers, AtRandom, Seed
from rallypoint.kernel.battle import Battle
from rallypoint.kernel.board import Board
from rallypoint.kernel.changes import SetTracker
from rallypoint.kernel.events import Event
from rallypoint.kernel.fold import fold
from rallypoint.kernel.game import Acts, Intent, Over
from rallypoint.kernel.parts import Hex
from rallypoint.kernel.replay import replay
from rallypoint.kernel.state import State
from rallypoint.kernel.step import run

from ..disrupter.positions import encounter, game, team, unit
from .account import Account
from .playing import fight, playing

TERRAIN = {
    Hex(4, 3): "building",
    Hex(1, 4): "building",
    **{Hex(q, r): "forest" for q, r in ((2, 2), (3, 2), (5, 2), (2, 5), (0, 6), (1, 6))},
    **{Hex(q, 4): "stream" for q in (2, 3, 4)},
}


def forces() -> State:
    """Return two small platoons 5 hexes apart, so that they meet."""
    rows = []
    for letter, row, front in (("R", 0, 1), ("B", 8, 7)):
        rear, near = -row // 2, -front // 2
        rows.append(team(f"{letter}0A", (rear + 4, row), unit("CO", "revolver"), unit("Soldier", "pulse_rifle")))
        nco = unit("NCO", "pulse_rifle", "revolver", wears="battle_dress")
        rows.append(team(f"{letter}1A", (near + 3, front), nco, unit("Soldier", "pulse_rifle", "grenade_launcher")))
        gunner = unit("Soldier", "heavy_machine_gun", wears="battle_dress")
        rows.append(
            team(f"{letter}1B", (near + 5, front), gunner, unit("Bot", "laser_carbine"), unit("Bot", "laser_cutter"))
        )
        rows.append(
            team(f"{letter}1C", (near + 7, front), unit("Soldier", "flamethrower"), unit("Bot", "rocket_launcher"))
        )
    points = {"red": (4, 0), "blue": (0, 8)}
    return first_state(encounter(rows, Board(9, 9, TERRAIN), points), edges={"red": "top", "blue": "bottom"})


def check_state(state: State) -> None:
    """What must hold at every moment, worked out from the state alone."""
    places: dict[Hex, list[str]] = {}
    for entity in state:
        for tracker in entity.trackers.values():
            assert tracker.min is not None
            assert tracker.max is not None
            assert tracker.min <= tracker.value <= tracker.max
        if entity.role == "unit":
            full = entity.trackers["Wounds"].value == entity.trackers["Wounds"].max
            assert not full or "out" in entity.statuses, f"{entity.uid} has no Wounds left and is not out"
        if entity.role == "team" and isinstance(entity.place, Hex) and living(state, entity.uid):
            assert Board(9, 9).holds(entity.place)
            assert TERRAIN.get(entity.place) != "building"
            places.setdefault(entity.place, []).append(entity.uid)
    assert all(len(uids) == 1 for uids in places.values()), places


def check_events(state: State, events: tuple[Event, ...]) -> None:
    """Nobody who is out rolls or bleeds, Wounds only rise, and every event cites a rule."""
    for event in events:
        assert event.rule.startswith("D-"), event
        units = event.why.get("units", ()) if event.kind == "check" else ()
        assert isinstance(units, tuple)
        assert all(alive(state[str(uid)]) for uid in units), event
        for change in event.changes:
            if isinstance(change, SetTracker) and change.name == "Wounds":
                assert change.value > state[change.uid].value("Wounds")
                assert alive(state[change.uid])
        state = fold(state, event.changes)


def play(seed: int, turns: int) -> tuple[Battle[object], Counter[str]]:
    rules = game({"D-OP-R11.1": "on", "D-PT-S": "unofficial"})
    battle: Battle[object] = Battle.start(rules, forces(), Answers(Seed(seed), others=AtRandom(seed)))
    told: Counter[str] = Counter()
    account = Account()
    while not isinstance(battle.due, Over) and rules.clock(battle.state) <= turns:
        before, due = battle.state, battle.due
        if isinstance(due, Acts):
            legal = battle.legal(due.seats[0])
            assert legal[-1] == Intent("done", (), due.seats[0])
            assert len({repr(intent) for intent in legal}) == len(legal)
        battle.play(1) if isinstance(due, Acts) else battle.proceed()
        after, events = battle.state, battle.history.entries[-1].events
        check_state(after)
        check_events(before, events)
        account.post(before, events)
        told.update(event.kind for event in events)
        battle.undo()
        assert battle.state.digest == before.digest
        battle.redo()
        assert battle.state.digest == after.digest
    return battle, told


@pytest.mark.rule("D-R11.2", "D-R14.3", "D-R6.4", "D-R8.1")
@pytest.mark.parametrize("seed", range(3))
def test_random_legal_play_breaks_nothing(seed: int) -> None:
    battle, told = play(seed, 12)
    assert told["move.step"] > 5
    assert told["check"] > 20
    assert replay(battle.history.entries, battle.game).hash == battle.state.digest
    assert State.from_text(battle.state.to_text()) == battle.state


@pytest.mark.rule("D-R9.7", "D-GM-1", "D-R16.6", "D-R16.10", "D-EQ-T3", "D-EQ-T9", "D-EQ-T14")
def test_random_battles_come_to_an_end_and_their_wounds_balance() -> None:
    ended = []
    kinds: Counter[str] = Counter()
    for seed in range(20, 24):
        rules = game({"D-PT-S": "unofficial"})
        battle = Battle.start(rules, forces(), Answers(Seed(seed), others=AtRandom(seed)))
        while not isinstance(battle.due, Over) and rules.clock(battle.state) <= 80:
            battle.play(5)
        ended.append(battle.due)
        account = Account()
        for past in battle.history.past:
            account.post(past.before, battle.history.entries[past.number].events)
        wounds = sum(unit.value("Wounds") for unit in battle.state if unit.role == "unit")
        assert account.total.taken == wounds > 0  # nobody heals
        kinds.update(account.kinds)
    assert set(kinds) == {"hit", "near miss", "splash", "beam", "lost"}, kinds  # each way to deal Wounds was seen
    over = [due.result for due in ended if isinstance(due, Over)]
    assert len(over) >= 3
    for result in over:
        assert isinstance(result, Mapping)
        assert result["winner"] in ("red", "blue", "draw")
        assert result["surrendered"]


@pytest.mark.rule("D-R16.8", "D-R16.10", "D-EQ-T3")
def test_the_wounds_of_volleys_that_splash_balance() -> None:
    guns = [unit("Soldier", "heavy_machine_gun", wears="battle_dress") for _ in range(2)]
    mixed = unit("Soldier", "revolver"), unit("NCO", "revolver", wears="battle_dress"), unit("Bot", "laser_carbine")
    near = unit("Soldier", "revolver"), unit("NCO", "revolver", wears="battle_dress")
    state = fight(team("R1A", (3, 2), *guns), team("B1A", (3, 4), *mixed), team("B1B", (4, 4), *near))
    account = Account()
    attacks = tuple([Attack(f"R1A-{number}", "heavy_machine_gun", "B1A") for number in (1, 2)])
    playing_fire = playing(fire)
    for seed in range(200):
        done = run(playing_fire, state, Intent("fire", ("R1A", attacks)), Answers(Seed(seed)))
        account.post(state, done.events)
    assert account.kinds["splash"] > account.kinds["hit"] > 50
    assert account.total.lost > 0 < account.total.saved
