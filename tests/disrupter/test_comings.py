"""Who comes, goes or goes over in mid-battle, by a plugin: what is remembered of a battle never outlives it."""

from __future__ import annotations

import random
from types import SimpleNamespace

import pytest

from rallypoint.disrupter.field import (
    commander,
    held,
    hexes_apart,
    leaderless,
    living,
    officers,
    officers_about,
    place,
    platoon,
    platoons,
    side_of,
    sides,
    teams,
)
from rallypoint.disrupter.hooks import DisrupterStep
from rallypoint.disrupter.rafts import company, occupants, raft_of, rafts
from rallypoint.kernel.answers import Answers, AtRandom, Seed
from rallypoint.kernel.battle import Battle
from rallypoint.kernel.changes import Add, Change, Remove
from rallypoint.kernel.game import Acts, Over
from rallypoint.kernel.parts import Hex, Tracker
from rallypoint.kernel.plugins.hooks import hookimpl
from rallypoint.kernel.state import Entity, State

from ..rules.test_random_battles import forces
from .positions import changed, game, position, team, unit


def known(state: State) -> list[object]:
    """Return whatever is remembered of a battle, asked of everybody in it."""
    said: list[object] = [sides(state)]
    for side in sides(state):
        said += [[each.uid for each in officers(state, side)], leaderless(state, side), held(state, side)]
        said += [[each.uid for each in teams(state, side)], [each.uid for each in platoons(state, side)]]
        said += [rafts(state, side), officers_about(state, side, Hex(3, 3)), commander(state, side)]
    for entity in state:
        if entity.role in ("squad", "team", "unit"):
            said.append((entity.uid, side_of(state, entity.uid), platoon(state, entity.uid).uid))
        if entity.role == "team":
            said += [[each.uid for each in living(state, entity.uid)], place(state, entity.uid)]
            said += [hexes_apart(state, entity.uid, "B0A"), raft_of(state, entity.uid), company(state, entity.uid)]
            said.append([each.uid for each in occupants(state, entity.uid)])
    return said


def anew(state: State) -> State:
    """Return the same state, which nobody has been asked about."""
    return State.from_text(state.to_text())


def comer(uid: str, parent: str, kind: str) -> Entity:
    return team("R9Z", None, unit(kind, "revolver"))[1]._replace(uid=uid, parent=parent)


def asked() -> State:
    """Return two stands a side, of which everything has been asked already."""
    reds = team("R0A", (2, 2), unit("CO", "revolver")), team("R1A", (3, 2), unit("Soldier", "revolver"))
    blues = team("B0A", (6, 6), unit("CO", "revolver")), team("B1A", (7, 6), unit("Soldier", "revolver"))
    state = position(*reds, *blues)
    known(state)
    return state


def names(found: tuple[Entity, ...]) -> list[str]:
    return [each.uid for each in found]


def test_one_comes_that_is_undone_and_another_one_instead() -> None:
    before = asked()
    led = changed(before, Add(comer("R1A-9", "R1A", "NCO")))
    assert names(officers(led, "red")) == ["R0A-1", "R1A-9"]
    other = changed(before, Add(comer("R1A-8", "R1A", "Soldier")))  # as many entities as before
    assert names(officers(other, "red")) == ["R0A-1"]
    assert names(officers(led, "red")) == ["R0A-1", "R1A-9"]


@pytest.mark.parametrize("uid", ["R1A-1", "R1A-7"])
def test_one_goes_and_an_officer_comes_in_one_event(uid: str) -> None:
    after = changed(asked(), Remove("R1A-1"), Add(comer(uid, "R1A", "NCO")))
    assert names(officers(after, "red")) == ["R0A-1", uid]
    assert names(officers(changed(after, Remove(uid)), "red")) == ["R0A-1"]


def test_one_goes_over_to_the_other_side() -> None:
    before = asked()
    after = changed(before, Remove("B1A-1"), Add(comer("B1A-1", "R1A", "Soldier")))
    assert (side_of(after, "B1A-1"), platoon(after, "B1A-1").uid) == ("red", "R")
    assert (side_of(before, "B1A-1"), platoon(before, "B1A-1").uid) == ("blue", "B")
    rows = [entity for entity in before if entity.uid != "B1A-1"]
    twin = State.of([*rows, comer("B1A-1", "R1A", "Soldier")])  # made of one and the same entity `battle`
    assert (side_of(twin, "B1A-1"), platoon(twin, "B1A-1").uid) == ("red", "R")


def test_a_second_platoon_comes() -> None:
    before = asked()
    assert platoon(before, "red").uid == "R"
    second = Entity.new("RR", "platoon", parent="red", trackers={"Stress": Tracker(0, 0, 20, "up")})
    after = changed(before, Add(second))
    assert names(platoons(after, "red")) == ["R", "RR"]
    assert commander(after, "red") is None  # of two platoons the company has a CO, and nobody has named him
    first = commander(before, "red")
    assert first is not None
    assert first.uid == "R0A-1"


@pytest.mark.parametrize("seed", range(2))
def test_what_is_remembered_is_what_a_state_read_from_its_text_says_whoever_comes_and_goes(seed: int) -> None:
    """Random play in which somebody comes, goes, is promoted or goes over as a turn begins, with much undone and done otherwise."""
    luck, told = random.Random(seed), list[str]()

    @hookimpl
    def turn_start(step: DisrupterStep, platoon: Entity) -> None:
        if platoon.uid == "R":
            word = luck.choice(["comes", "leads", "goes", "goes over"])
            told.append(word)
            step.emit(f"company.{word.replace(' ', '_')}", *_news(step.state, word), rule="D-R9.1", by="zz-0")

    rules = game({"D-PT-S": "unofficial"}, SimpleNamespace(turn_start=turn_start))
    battle = Battle.start(rules, forces(), Answers(Seed(seed), others=AtRandom(seed)))
    for number in range(150):
        if isinstance(battle.due, Over):
            break
        before = len(told)
        battle.play(1) if isinstance(battle.due, Acts) else battle.proceed()
        if len(told) > before or number % 20 == 0:
            assert known(battle.state) == known(anew(battle.state))
        if len(told) > before and luck.random() < 0.6:
            battle.undo()
            assert known(battle.state) == known(anew(battle.state))
    assert len(told) > 3
    assert len(set(told)) > 2


def _news(state: State, word: str) -> tuple[Change, ...]:
    comers = [uid for uid in ("R1A-7", "R1A-8", "R1A-9") if uid not in state]
    there = [entity for entity in state if entity.role == "unit" and entity.uid[:3] in ("R1A", "B1C")]
    if word in ("comes", "leads") and comers:
        return (Add(comer(comers[0], "R1A", "NCO" if word == "leads" else "Soldier")),)
    if word == "goes" and len(there) > 2 and there[-1].facts["class"] != "CO":
        return (Remove(there[-1].uid),)
    over = next((each for each in there if each.parent == "B1C" and "R1A" in state), None)
    return () if over is None else (Remove(over.uid), Add(over._replace(parent="R1A")))
