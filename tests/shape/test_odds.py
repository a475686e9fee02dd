"""Exact odds: they add up to 1, hold every run of the dice, and are what plain loops over the faces count."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import product

import pytest

from rallypoint.kernel.answers import Answers, Seed
from rallypoint.kernel.errors import RuleError
from rallypoint.kernel.game import Intent
from rallypoint.kernel.odds import Odds, outcomes
from rallypoint.kernel.state import Hex, Link, State, Status
from rallypoint.kernel.step import Done, run
from rallypoint.kernel.tape import Choice

from .dogfight import Dogfight
from .frontline import Frontline
from .games import FIRST, GAMES, dogfight, dogfighters, fighter, frontline, gunfight, intents, ship, unit, visited
from .gunfight import Gunfight


def first(ask: Choice, view: State) -> int:
    """Policy: always the first option, so nobody reacts."""
    return 0


def last(ask: Choice, view: State) -> int:
    """Policy: always the last option, so everybody reacts."""
    return len(ask.options) - 1


def fractions(ways: Mapping[str, int] | Mapping[int, int]) -> dict[str | int, Fraction]:
    total = sum(ways.values())
    return {name: Fraction(count, total) for name, count in ways.items()}


def after(done: Done) -> str:
    return done.state.digest


@pytest.mark.parametrize("name", GAMES)
def test_the_odds_of_every_legal_act_add_up_to_one_and_hold_every_run(name: str) -> None:
    game, _ = GAMES[name]()
    acts = branching = 0
    for state in [state for seed in range(9) for state in visited(name, seed)][::3]:
        for intent in intents(game, state):
            odds = outcomes(game, state, intent, after, first)
            assert sum(odds.values()) == Fraction(1)
            assert all(chance > 0 for chance in odds.values())
            for seed in range(4):
                assert run(game, state, intent, Answers(Seed(seed), others=FIRST)).state.digest in odds
            acts += 1
            branching += len(odds) > 1
    assert acts > 40
    assert branching > 10


@pytest.mark.parametrize("name", ["gunfight", "frontline"])
def test_so_do_the_odds_when_everybody_reacts(name: str) -> None:
    game, _ = GAMES[name]()
    for state in [state for seed in range(6) for state in visited(name, seed)][::3]:
        for intent in intents(game, state):
            if intent.rule != "auto_fire":
                assert sum(outcomes(game, state, intent, after, last).values()) == Fraction(1)


@pytest.mark.parametrize(("policy", "dm"), [(first, 1), (last, 0)])
def test_a_shot_hits_as_often_as_two_dice_say(policy: Callable[[Choice, State], int], dm: int) -> None:
    # T-SI3 with skill 1; a dodge takes the 1 off again (T-RE2). By hand: 21 of 36 are 7 and more, 15 of 36 are 8 and more.
    counted = Counter("hit" if a + b + dm >= 8 else "miss" for a in range(1, 7) for b in range(1, 7))
    assert counted["hit"] == (21 if dm else 15)
    state = gunfight(fighter("red-1", 9, skill=1), fighter("blue-1", 5))

    def measure(done: Done) -> str:
        return "hit" if done.events[-1].kind == "attack.hits" else "miss"

    shot = Intent("attack", ("red-1", "blue-1"), "red")
    assert outcomes(Gunfight(), state, shot, measure, policy) == fractions(counted)


def test_the_best_pairing_of_four_dice() -> None:
    # T-AU3: the loops take, of the three ways to pair four dice, the one with the most sums of 8 and more.
    counted: Counter[str | int] = Counter()
    for a, b, c, d in product(range(1, 7), repeat=4):
        counted[max((p >= 8) + (q >= 8) for p, q in ((a + b, c + d), (a + c, b + d), (a + d, b + c)))] += 1

    def best(ask: Choice, view: State) -> int:
        if ask.purpose != "pairing":
            return 0
        hits = [sum(int(p[0]) + int(p[2]) >= 8 for p in option.key.split()) for option in ask.options]
        return hits.index(max(hits))

    def measure(done: Done) -> int:
        return len(done.state["blue-1"].statuses)

    state = gunfight(fighter("red-1", 9, auto=4), fighter("blue-1", 5))
    found = outcomes(Gunfight(), state, Intent("auto_fire", ("red-1", "blue-1"), "red"), measure, best)
    assert found == {hits: Fraction(count, 6**4) for hits, count in counted.items()}


def test_the_damage_of_two_shots_kills_as_often_as_the_loops_say() -> None:
    # T-DA1, T-DA3: out at 10 and more of 2d6 + 4, whichever part the owner takes it off first; dead at 15 and more.
    hurt = fighter("blue-1", 5, hit=Status("hit 0 by red-1", "4", "red-1"))
    state = gunfight(fighter("red-1", 9), hurt)
    sums = [a + b + 4 for a in range(1, 7) for b in range(1, 7)]
    counted = Counter("dead" if s >= 15 else "out" if s >= 10 else "able" for s in sums)

    def measure(done: Done) -> str:
        endurance, strength, dexterity = (done.state["blue-1"].value(p) for p in ("Endurance", "Strength", "Dexterity"))
        return "dead" if endurance + strength + dexterity == 0 else "able" if strength and dexterity else "out"

    for policy in (first, last):
        found = outcomes(Gunfight(), state, Intent("wound", ("blue-1", "hit 0 by red-1")), measure, policy)
        assert found == fractions(counted)


def defended() -> tuple[Dogfight, State, Intent]:
    """Return a missile of skill 40 that blue-1 shoots at with 60."""
    game = dogfighters()
    state = dogfight(ship("red-1", Hex(0, 0, 0), Hex(0, 0), agility=5), ship("blue-1", Hex(2, 0, 3), Hex(2, 0)))
    state = run(game, state, Intent("new_round"), Answers(Seed(0))).state
    state = run(game, state, Intent("launch", ("red-1", "blue-1"), "red"), Answers(Seed(0))).state
    return game, state, Intent("defend", ("blue-1", "red-1-missile-0"))


def test_opposed_rolls_on_dice_from_1_to_100() -> None:
    # P-CK4 and the printed odds of 60 against 40: 51.80, 23.80, 0.40 and 24.00 per cent.
    counted: Counter[str] = Counter()
    for ship_roll in range(1, 101):
        for missile_roll in range(1, 101):
            if ship_roll > 60 and missile_roll > 40:
                counted["nobody"] += 1
            elif missile_roll > 40 or (ship_roll <= 60 and ship_roll > missile_roll):
                counted["blue-1"] += 1
            elif ship_roll > 60 or missile_roll > ship_roll:
                counted["red-1-missile-0"] += 1
            else:
                counted["tie"] += 1
    assert counted == {"blue-1": 5180, "red-1-missile-0": 2380, "tie": 40, "nobody": 2400}
    game, state, defend = defended()
    assert outcomes(game, state, defend, lambda done: str(done.events[-1].why["won"])) == fractions(counted)


def test_a_gun_by_quality() -> None:
    # 8 hexes are two steps of 3, so 60 - 20 = 40.
    counted: Counter[str | int] = Counter()
    for face in range(1, 101):
        ones = face % 10
        counted[0 if face > 40 else 3 if ones == 0 else 2 if ones >= 6 else 1] += 1
    game = dogfighters()
    state = dogfight(ship("red-1", Hex(0, 0, 0), Hex(0, 0), agility=5), ship("blue-1", Hex(8, 0, 3), Hex(8, 0)))
    state = run(game, state, Intent("new_round"), Answers(Seed(0))).state

    def damage(done: Done) -> int:
        target = done.state.get("blue-1")
        return 3 if target is None else 3 - target.value("Hull")

    found = outcomes(game, state, Intent("fire", ("red-1", "blue-1"), "red"), damage)
    assert found == {harm: Fraction(count, 100) for harm, count in counted.items()}


def test_an_attack_of_a_shaken_formation() -> None:
    # T-BT1: 3 of 6 dare; T-BT2, T-BT3: the loops count the casualties of 10 members (size 1) of skill 2.
    counted: Counter[str | int] = Counter()
    for nerve, a, b in product(range(1, 7), repeat=3):
        over = a + b + 2 - 8
        counted[over + 1 if nerve <= 3 and over >= 0 else 0] += 1
    chief = unit("red-2", "Command", "red support", 5)
    units = unit("red-1", "Infantry", "red front", 10, 3, skill=2), unit("blue-1", "Infantry", "blue front"), chief
    state = frontline(*units)
    state = run(Frontline(), state, Intent("command", ("red",)), Answers(Seed(0))).state

    def casualties(done: Done) -> int:
        return 20 - done.state["blue-1"].value("Strength")

    found = outcomes(Frontline(), state, Intent("attack", ("red-1", "blue-1"), "red"), casualties)
    assert found == {lost: Fraction(count, 216) for lost, count in counted.items()}


def test_a_rally_on_dice_from_0_to_99() -> None:
    counted = sum(face < 40 for face in range(100))
    state = frontline(unit("red-1", "Infantry", "red front", rating=4))
    found = outcomes(Frontline(), state, Intent("rally", ("red-1",)), lambda done: "red-1" in done.state)
    assert found == {True: Fraction(counted, 100), False: Fraction(100 - counted, 100)}


def test_choices_need_a_policy() -> None:
    state = gunfight(fighter("red-1", 9), fighter("blue-1", 5))
    with pytest.raises(RuleError, match="odds need a policy"):
        outcomes(Gunfight(), state, Intent("attack", ("red-1", "blue-1"), "red"), after)


def test_remembered_odds_are_the_same_odds() -> None:
    game, state, defend = defended()
    odds = Odds(game, first)
    one = odds.of(state, defend, after)
    assert odds.of(state, defend, after) is one
    assert one == outcomes(game, state, defend, after, first)


def test_a_policy_sees_no_more_than_its_seat() -> None:
    # P-MI2: blue is asked about a missile whose target is revealed; another one stays hidden.
    game, state, _ = defended()
    state = State.of(
        [*state, state["red-1-missile-0"]._replace(uid="red-1-missile-9")],
        [*state.links.values(), Link("aimed", "red-1-missile-9", "blue-1", "secret")],
        state.agenda,
    )
    seen: list[list[str]] = []

    def look(ask: Choice, view: State) -> int:
        seen.append([link.source for link in view.linked("aimed")])
        return 0

    outcomes(game, state, Intent("impact", ("red-1-missile-0",)), after, look)
    assert seen[0] == ["red-1-missile-0"]
