"""What is remembered of a scene belongs to that scene, is asked for once, and does not pile up."""

from __future__ import annotations

import gc
import threading
import weakref

import pytest

from rallypoint.disrupter.checks import modifiers, officer_near
from rallypoint.disrupter.field import (
    close_to,
    commander,
    held,
    hexes_apart,
    living,
    officers,
    officers_about,
    place,
    side_of,
    standing_in,
    teams,
)
from rallypoint.disrupter.game import Disrupter
from rallypoint.disrupter.hooks import DisrupterStep
from rallypoint.disrupter.rafts import occupants, raft_of
from rallypoint.disrupter.records import CheckRequest
from rallypoint.disrupter.remembered import remembered
from rallypoint.kernel.answers import Answers, Seed
from rallypoint.kernel.changes import Remove, SetAttribute, SetLink, SetPlace, SetStatus, SetTracker
from rallypoint.kernel.errors import StateError
from rallypoint.kernel.parts import Hex, Link, Status
from rallypoint.kernel.state import Entity, State
from rallypoint.kernel.step import Step

from .positions import changed, position, team, unit


def states(number: int) -> list[State]:
    return [State.of([Entity.new(f"one-{at}", "unit")]) for at in range(number)]


def test_a_question_about_one_scene_is_worked_out_once_and_about_the_next_anew() -> None:
    asked: list[tuple[State, str]] = []

    @remembered
    def first(state: State, word: str) -> str:
        asked.append((state, word))
        return word + next(iter(state)).uid

    one, two = states(2)
    assert [first(one, "a"), first(one, "b"), first(one, "a")] == ["aone-0", "bone-0", "aone-0"]
    assert asked == [(one, "a"), (one, "b")]
    assert [first(two, "a"), first(one, "a"), first(two, "a")] == ["aone-1", "aone-0", "aone-1"]
    assert first.__name__ == "first"


def test_what_raises_is_not_remembered() -> None:
    tries: list[int] = []

    @remembered
    def fails(state: State) -> int:
        tries.append(len(state))
        if len(tries) == 1:
            raise ZeroDivisionError
        return len(tries)

    (one,) = states(1)
    try:
        fails(one)
    except ZeroDivisionError:
        assert fails(one) == fails(one) == 2


class Mark:
    """Something whose end can be seen."""


def test_only_what_was_said_of_the_scene_asked_about_last_is_held() -> None:
    @remembered
    def made(state: State) -> Mark:
        return Mark()

    rows = states(3)
    marks = [weakref.ref(made(state)) for state in rows]
    gc.collect()
    assert [mark() is not None for mark in marks] == [False, False, True]


def test_threads_that_ask_about_two_states_get_each_its_own() -> None:
    @remembered
    def uid(state: State) -> str:
        return next(iter(state)).uid

    wrong: list[str] = []

    def ask(state: State, expected: str) -> None:
        wrong.extend(found for _ in range(5_000) if (found := uid(state)) != expected)

    threads = [threading.Thread(target=ask, args=(state, f"one-{at}")) for at, state in enumerate(states(4))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_what_is_known_of_a_battle_follows_each_change() -> None:
    reds = team("R0A", (2, 2), unit("CO", "revolver")), team("R1A", (3, 2), unit("NCO", "revolver"), unit("Soldier"))
    before = position(*reds, team("B0A", (6, 6), unit("CO", "revolver")))
    soldier = before["R1A-2"]

    def looked_at(state: State) -> tuple[object, ...]:
        standing = [each.uid for each in teams(state, "red")]
        leaders = [each.uid for each in officers(state, "red")]
        near = list(officers_about(state, "red", Hex(3, 3)))
        living = [each.uid for each in occupants(state, "R1A")]
        return standing, sorted(held(state, "red")), leaders, near, officer_near(state, soldier), living

    known = ["R0A", "R1A"], [Hex(2, 2), Hex(3, 2)], ["R0A-1", "R1A-1"], ["R1A-1"], "R0A-1", ["R1A-1", "R1A-2"]
    assert looked_at(before) == known
    away = changed(before, SetPlace("R0A", Hex(9, 0)))
    assert looked_at(away) == (["R0A", "R1A"], [Hex(3, 2), Hex(9, 0)], *known[2:4], "R1A-1", known[5])
    led = changed(away, SetStatus("R1A-1", Status("out", "dead")))
    assert looked_at(led) == (["R0A", "R1A"], [Hex(3, 2), Hex(9, 0)], ["R0A-1"], [], None, ["R1A-2"])
    gone = changed(led, SetStatus("R1A-2", Status("out", "dead")), SetAttribute("R", "co", None))
    assert looked_at(gone)[:2] == (["R0A"], [Hex(9, 0)])
    assert commander(gone, "red") is None
    assert looked_at(before) == known  # and back again


def test_places_distances_sides_rafts_and_the_living_follow_each_change() -> None:
    raft = team("R1B", (2, 3), unit("Soldier"))
    reds = team("R0A", (2, 2), unit("CO", "revolver")), team("R1A", (3, 2), unit("Soldier"), unit("Soldier")), raft
    before = position(*reds, team("B0A", (6, 2), unit("CO", "revolver")))

    def looked_at(state: State) -> tuple[object, ...]:
        living_there = [each.uid for each in living(state, "R1A")]
        apart = hexes_apart(state, "R1A-1", "B0A"), hexes_apart(state, "R0A", "R1A-2")
        return place(state, "R1A-2"), apart, side_of(state, "R1A-2"), raft_of(state, "R1A"), living_there

    assert looked_at(before) == (Hex(3, 2), (3, 1), "red", None, ["R1A-1", "R1A-2"])
    away = changed(before, SetPlace("R1A", Hex(5, 2)))
    assert looked_at(away) == (Hex(5, 2), (1, 3), "red", None, ["R1A-1", "R1A-2"])
    aboard = changed(away, SetLink(Link("aboard", "R1A", "R1B")), SetStatus("R1A-1", Status("out", "dead")))
    assert looked_at(aboard) == (Hex(5, 2), (1, 3), "red", "R1B", ["R1A-2"])
    nowhere = changed(aboard, SetPlace("R1A", None))
    assert looked_at(nowhere) == (None, (None, None), "red", "R1B", ["R1A-2"])
    gone = changed(nowhere, Remove("R1A-2"))
    with pytest.raises(StateError, match="no such entity"):
        side_of(gone, "R1A-2")
    with pytest.raises(StateError, match="no such entity"):
        place(gone, "R1A-2")
    assert looked_at(before) == (Hex(3, 2), (3, 1), "red", None, ["R1A-1", "R1A-2"])


def test_who_is_covered_is_asked_of_the_stand_as_it_is_now() -> None:
    reds = team("R1A", (3, 2), unit("Soldier", "pulse_rifle"))
    before = position(reds, team("B0A", (6, 2), unit("CO", "revolver")))
    save = CheckRequest(("R1A-1",), "armor", "save")

    def signs(state: State) -> list[str]:
        return [each.sign + each.reason for each in modifiers(step_of(state), save)]

    covered = changed(before, SetStatus("R1A", Status("under_cover")))
    assert [signs(before), signs(covered), signs(before)] == [[], ["+under cover"], []]


def step_of(state: State) -> DisrupterStep:
    return Step(Disrupter(), state, Answers(Seed(1)))


def test_what_changes_nothing_in_the_scene_is_seen_all_the_same() -> None:
    reds = team("R0A", (2, 2), unit("CO", "revolver")), team("R1A", (3, 2), unit("NCO", "revolver"), unit("Soldier"))
    before = position(*reds, team("B0A", (6, 6), unit("CO", "revolver")))
    assert [each.uid for each in officers(before, "red")] == ["R0A-1", "R1A-1"]
    after = changed(
        before, SetAttribute("R", "co", "R1A-1"), SetAttribute("R1A", "moved", 3), SetTracker("R1A-2", "Wounds", 1)
    )
    assert after.scene is before.scene
    assert [each.uid for each in officers(after, "red")] == ["R1A-1", "R0A-1"]  # the new CO is named first
    assert officers_about(after, "red", Hex(3, 2)) == ("R1A-1", "R0A-1")
    assert [each.attributes.get("moved") for each in teams(after, "red")] == [None, 3]
    assert [each.value("Wounds") for each in occupants(after, "R1A")] == [0, 1]
    assert [each.value("Wounds") for each in occupants(before, "R1A")] == [0, 0]


def test_teams_close_to_a_hex_are_found_by_looking_around_it() -> None:
    places = [(q, r) for q in range(3, 8) for r in range(3, 8)]
    rows = [team(f"R{q}{'ABCDE'[r - 3]}", (q, r), unit("Soldier")) for q, r in places]
    state = position(*rows, team("B0A", (0, 11), unit("CO")))
    near = {(5, 5), (6, 5), (6, 4), (5, 4), (4, 5), (4, 6), (5, 6)}  # by hand: the hex and the six around it
    assert set(close_to(state, "red", Hex(5, 5))) == {f"R{q}{'ABCDE'[r - 3]}" for q, r in near}
    assert standing_in(state, "red", Hex(5, 5)) == ("R5C",)
    assert standing_in(state, "blue", Hex(5, 5)) == ()
