"""What listing acts and choosing one costs as forces grow: counted in calls and sight tests, never in time.

Teams stand in two lines of the same density, so a team of a company has no more enemies within range than one of a squad.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from types import SimpleNamespace

import pytest

from rallypoint.disrupter import sight
from rallypoint.disrupter.autopilot import Autopilot
from rallypoint.disrupter.field import board
from rallypoint.disrupter.fire import fire
from rallypoint.disrupter.game import Disrupter
from rallypoint.disrupter.hooks import DisrupterStep
from rallypoint.disrupter.legal import legal
from rallypoint.disrupter.records import Attack
from rallypoint.disrupter.sight import sight_tests
from rallypoint.kernel.answers import Answers, Seed
from rallypoint.kernel.board import Board
from rallypoint.kernel.changes import SetAttribute
from rallypoint.kernel.game import Intent
from rallypoint.kernel.hexes import from_offset
from rallypoint.kernel.parts import Hex
from rallypoint.kernel.plugins.hooks import hookimpl
from rallypoint.kernel.state import Entity, State
from rallypoint.kernel.step import Step

from .positions import changed, engaged, game, position, team, unit

SQUAD, PLATOON, COMPANY = 1, 3, 9
"""Squads of three teams on each side, beside the CO's team."""


def lines(squads: int, phase: str) -> State:
    """Return two lines 3 hexes apart, a team in every other column, with a building now and then; red's squads are due."""
    columns = 6 * squads + 2
    rows: list[list[Entity]] = []
    for letter, row in (("R", 6), ("B", 3)):
        co = unit("CO", "revolver"), unit("Soldier", "pulse_rifle")
        rows.append(team(f"{letter}0A", _at(columns - 1, row), *co))
        for number in range(3 * squads):
            units = [unit("Soldier", "pulse_rifle"), unit("Bot", "laser_carbine"), unit("Soldier", "rocket_launcher")]
            if number % 3 == 0:
                units[0] = unit("NCO", "pulse_rifle", "revolver")
            rows.append(team(f"{letter}{number // 3 + 1}{'ABC'[number % 3]}", _at(2 * number, row), *units))
    terrain = {from_offset(column, 4): "building" for column in range(1, columns, 6)}
    terrain |= {from_offset(column, 6): "forest" for column in range(0, columns, 4)}
    state = engaged(position(*rows, board=Board(columns, 10, terrain), portion=("1", "red", phase)))
    return changed(state, *[SetAttribute(squad.uid, "group", 1) for squad in state if squad.role == "squad"])


def _at(column: int, row: int) -> tuple[int, int]:
    place = from_offset(column, row)
    return place.q, place.r


def calls(work: Callable[[], object]) -> int:
    """Return how many calls of functions, ours and built in, some work takes."""
    count = 0

    def counting(_frame: object, event: str, _argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    work()  # what is remembered of the board and the battle is there already
    before = sys.getprofile()
    sys.setprofile(counting)
    try:
        work()
    finally:
        sys.setprofile(before)
    return count


def size(state: State, side: str) -> int:
    return sum(1 for _ in state.below(side, "team"))


@pytest.mark.parametrize("phase", ["move", "battle"])
def test_an_act_is_listed_for_the_same_work_in_a_squad_and_in_a_company(phase: str) -> None:
    playing, each = Disrupter(), {}
    for squads in (SQUAD, PLATOON, COMPANY):
        state = lines(squads, phase)
        listed = len(legal(playing, state, "red"))
        assert listed > 6 * squads
        each[squads] = calls(lambda state=state: legal(playing, state, "red")) / listed  # type: ignore[misc]
    assert each[COMPANY] < 1.35 * each[SQUAD]
    assert each[COMPANY] < 1.35 * each[PLATOON]


@pytest.mark.rule("D-R12.1")
@pytest.mark.parametrize("squads", [SQUAD, PLATOON, COMPANY])
def test_each_enemy_is_looked_for_once_by_each_team_and_once_more_for_each_shot(squads: int) -> None:
    state, declared = lines(squads, "battle"), []

    @hookimpl
    def battle_declare(attack: object) -> bool:
        declared.append(attack)
        return True

    playing = game(None, SimpleNamespace(battle_declare=battle_declare))
    before = sight_tests()
    acts = legal(playing, state, "red")
    found = sight_tests()
    deeds = [intent.args[1] for intent in acts if intent.rule == "act"]
    single = [row for row in deeds if isinstance(row, tuple) and len(row) == 1 and "fire" in row[0]]  # type: ignore[operator]
    assert len(declared) == len(single)  # each shot that is listed alone was declared once, and no other
    pairs = (size(state, "red") - 1) * size(state, "blue")  # the CO's team is not due
    assert pairs <= found.asked - before.asked <= pairs + len(single) + 2 * _aimed_at(single)
    legal(playing, state, "red")
    assert sight_tests().worked_out == found.worked_out  # what was seen is known


def _aimed_at(single: Sequence[object]) -> int:
    """Return at how many stands teams fire: for each, the best weapons are looked up once or twice."""
    rows: list[tuple[str, str]] = [(row[0][0][:3], row[0][3]) for row in single]  # type: ignore[index]
    return len(set(rows))


def test_moves_are_listed_without_looking_for_the_enemy_where_everybody_is_led() -> None:
    state = lines(PLATOON, "move")
    before = sight_tests().asked
    moves = [intent for intent in legal(Disrupter(), state, "red") if intent.rule == "move"]
    unled = size(state, "red") - PLATOON  # at most: an NCO leads his own team
    assert len(moves) > 20
    assert sight_tests().asked - before <= unled * size(state, "blue")


@pytest.mark.parametrize("phase", ["move", "battle"])
def test_the_autopilot_works_no_more_for_a_team_of_a_company(phase: str) -> None:
    """Choosing looks at each team of its side: so the work for each of them is what must stay alike, but for one distance to each foe."""
    playing, each = Disrupter(), {}
    for squads in (PLATOON, COMPANY):
        state = lines(squads, phase)
        acts, pilot = legal(playing, state, "red"), Autopilot(playing.options)
        chosen: list[Intent] = []
        each[squads] = calls(lambda: chosen.append(pilot.act(acts, state))) / size(state, "red")  # noqa: B023
        assert chosen[0] == chosen[1]
    assert each[COMPANY] < 1.6 * each[PLATOON]


def test_sight_past_stands_is_worked_out_once_and_forgets_before_it_grows_without_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sight, "MOST", 20)
    state = lines(PLATOON, "battle")
    places = [Hex(*_at(column, row)) for column in range(0, 20, 2) for row in (1, 8)]
    first = [sight.between(state, {}, a, b, "red") for a in places for b in places]
    again = [sight.between(state, {}, a, b, "red") for a in places for b in places]
    assert first == again
    known = sight._known(board(state), {})
    assert len(known.corridors) <= 20
    assert len(known.lines) <= 20


def test_an_attack_takes_the_same_work_in_a_squad_and_in_a_company() -> None:
    """Declared, seen, checked, saved and divided: what was worked out for the scene is there, so the force does not count."""
    playing, each = Disrupter(), {}
    for squads in (SQUAD, COMPANY):
        state = lines(squads, "battle")
        told: list[list[str]] = []
        each[squads] = calls(lambda: told.append(_fired(playing, state)))  # noqa: B023
        assert told == [["fire.shot", "check", "check", "check", "fire.hit", "wounds"]] * 2
    assert each[COMPANY] == each[SQUAD]
    assert each[SQUAD] < 620  # 560, of which 21 are hooks, 6 events and 4 questions


def _fired(playing: Disrupter, state: State) -> list[str]:
    """Let an NCO fire at a team of two armour values and return what was told, in the game's own words."""
    step: DisrupterStep = Step(playing, state, Answers(Seed(0)))
    fire(step, "R1A", (Attack("R1A-1", "pulse_rifle", "B1A"),))
    return [event.kind for event in step.events]
