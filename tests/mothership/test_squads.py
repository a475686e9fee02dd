"""Squads of PCs and contractors: what is looked at, the sets of rules, whole battles to their end, and other plugins' rulings."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from rallypoint import disrupter
from rallypoint.cli.chosen_rules import chosen_rules
from rallypoint.content import read_force
from rallypoint.content.problems import PageError
from rallypoint.content.scenario import Scenario, read_scenario
from rallypoint.content.scenario_words import ScenarioWords
from rallypoint.disrupter.field import alive
from rallypoint.kernel.answers import Answers, Seed
from rallypoint.kernel.battle import Battle
from rallypoint.kernel.encounter import Encounter
from rallypoint.kernel.errors import InputError
from rallypoint.kernel.replay import replay
from rallypoint.kernel.rulings import Ruling
from rallypoint.kernel.state import State
from rallypoint_mothership.options import DEFAULTS
from rallypoint_mothership.squads import problems

from ..disrupter.positions import team, unit
from ..rules.playing import fight
from .playing import extra, game, manifest

EXAMPLES = Path(__file__).parents[2] / "examples"
DERELICT = EXAMPLES / "scenarios" / "derelict.toml"
SOLDIER = unit("Soldier", "pulse_rifle")
PC = extra(unit("NCO", "revolver"), figure="pc", health=12)
HORROR = extra(unit("Soldier", "flamethrower"), figure="horror")
Row = Mapping[str, object]


def looked_at(options: Mapping[str, object], *teams: tuple[Row, ...]) -> list[tuple[str, str, str]]:
    """Return severity, rule and place of what is unusual about a red platoon; its teams are 1A, 1B, ..."""
    rows = [
        team(f"R1{letter}", (place, 0), *units)
        for place, (letter, units) in enumerate(zip("ABCDE", teams, strict=False))
    ]
    state = fight(*rows)
    state = State.of([each for each in state if not each.uid.startswith("R9")])
    return [(each.severity, each.rule, each.where) for each in problems(state, options, "R")]  # type: ignore[arg-type]


# What is looked at


@pytest.mark.rule("D-MO-R16.1", "D-MO-R16.3", "D-MO-R16.4", "D-MO-SF.1", "D-MO-SF.2")
def test_nothing_is_looked_at_by_default() -> None:
    assert looked_at({}, (PC, SOLDIER, HORROR), (SOLDIER, unit("Bot", "laser_carbine"))) == []


@pytest.mark.rule("D-MO-R16.1")
def test_contractors_want_a_one_roll_variant() -> None:
    options = {"D-MO-R16.1": "on"}
    assert looked_at(options, (PC, SOLDIER)) == [("warning", "D-MO-R16.1", "R")]
    assert looked_at({**options, "D-SL-R16.2": "on"}, (PC, SOLDIER)) == []
    assert looked_at({**options, "D-VA-R16.1": "on"}, (PC, SOLDIER)) == []
    assert looked_at({**options, "D-VA-R16.1": "off"}, (PC, SOLDIER)) == [("warning", "D-MO-R16.1", "R")]
    assert looked_at(options, (HORROR, HORROR)) == []


@pytest.mark.rule("D-MO-R16.3")
@pytest.mark.parametrize(
    ("units", "found"),
    [
        ((SOLDIER, SOLDIER, PC), False),  # a PC may differ
        ((SOLDIER, HORROR), False),
        ((SOLDIER, unit("Soldier", "revolver")), True),
        ((SOLDIER, unit("Soldier", "pulse_rifle", wears="battle_dress")), True),
        ((SOLDIER, unit("NCO", "pulse_rifle")), True),
        ((SOLDIER, {**SOLDIER, "wounds": 3}), True),
        ((SOLDIER, extra(SOLDIER, armor_points=3)), True),
        ((SOLDIER, extra(SOLDIER, habit="hums")), False),
    ],
)
def test_contractors_of_a_team_should_be_alike(units: tuple[Row, ...], found: bool) -> None:
    expected = [("warning", "D-MO-R16.3", "R1A")] if found else []
    assert looked_at({"D-MO-R16.3": "on"}, units) == expected


@pytest.mark.rule("D-MO-R16.4")
def test_one_contractor_for_each_pc_is_what_can_be_played_singly() -> None:
    options = {"D-MO-R16.4": "on"}
    assert looked_at(options, (PC, SOLDIER), (PC, SOLDIER)) == []
    assert looked_at(options, (PC, SOLDIER), (PC, SOLDIER, SOLDIER)) == [("advice", "D-MO-R16.4", "R")]
    assert looked_at(options, (SOLDIER, SOLDIER)) == []  # no PC, no players
    assert looked_at({**options, "D-MO-R16.1": "on", "D-SL-R16.2": "on"}, (PC, SOLDIER, SOLDIER)) == []  # Teams lift it


@pytest.mark.rule("D-MO-SF.1")
@pytest.mark.parametrize(
    ("teams", "wrong"),
    [
        ([(PC, SOLDIER, SOLDIER, SOLDIER), (PC, SOLDIER, SOLDIER, SOLDIER)], []),
        ([(PC, SOLDIER, SOLDIER), (PC, SOLDIER, SOLDIER, SOLDIER)], ["R1A"]),
        ([(PC, PC, SOLDIER, SOLDIER, SOLDIER), (SOLDIER, SOLDIER, SOLDIER, SOLDIER)], ["R1A", "R1B"]),
        ([(SOLDIER, SOLDIER)], []),  # the other side need not bring PCs
    ],
)
def test_at_squad_scale_a_team_is_a_pc_and_three_contractors(teams: list[tuple[Row, ...]], wrong: list[str]) -> None:
    assert looked_at({"D-MO-SF": "squad"}, *teams) == [("warning", "D-MO-SF.1", where) for where in wrong]


LED, FOUR = (PC, SOLDIER, SOLDIER, SOLDIER), (SOLDIER,) * 4


@pytest.mark.rule("D-MO-SF.2")
@pytest.mark.parametrize(
    ("teams", "wrong"),
    [
        ([LED, FOUR, FOUR], []),
        ([LED, FOUR, FOUR, FOUR], []),
        ([LED, FOUR], ["R1"]),
        ([LED, FOUR, FOUR, FOUR, FOUR], ["R1"]),
        ([LED, LED, FOUR, FOUR, FOUR], ["R1"]),  # two PCs want four to six
        ([LED, FOUR, (SOLDIER,) * 3], ["R1C"]),
        ([LED[:3], FOUR, FOUR], ["R1A"]),
        ([(extra(SOLDIER, figure="pc"), *LED[1:]), FOUR, FOUR], ["R1A-1"]),  # he is no Officer
        ([(extra(unit("CO", "revolver"), figure="pc"), *LED[1:]), FOUR, FOUR], []),
    ],
)
def test_a_section_is_a_pc_with_his_team_and_two_or_three_more(teams: list[tuple[Row, ...]], wrong: list[str]) -> None:
    assert looked_at({"D-MO-SF": "section"}, *teams) == [("warning", "D-MO-SF.2", where) for where in wrong]


def test_nothing_of_it_keeps_a_battle_from_starting() -> None:
    options = {**dict.fromkeys(("D-MO-R16.1", "D-MO-R16.3", "D-MO-R16.4", "D-MO-PC"), "on"), "D-MO-SF": "section"}
    battle = begun(options, 1)
    battle.play(1)
    opening = [event for entry in battle.history.entries for event in entry.events if event.kind == "briefing.opens"]
    told = opening[0].why["problems"]
    assert isinstance(told, tuple)
    assert {row[2] for row in told if row[2].startswith("D-MO")} == {"D-MO-R16.1", "D-MO-SF.2"}


def test_people_are_told_what_the_rulings_leave_unused() -> None:
    assert any("Wounds columns" in note for note in game({"D-MO-R16.2": "dice"}).notes())
    assert any("Health" in note for note in game({"D-MO-PC": "on"}).notes())
    assert any("word of mouth" in note for note in game({"D-MO-SF": "section"}).notes())


# Rulings and sets of rules


def test_the_manifest_and_the_code_have_the_same_rulings_and_defaults() -> None:
    assert {each.id: each.default for each in manifest().rulings} == dict(DEFAULTS)


def words(*others: str) -> ScenarioWords:
    """Return the words with this plugin's, and with rulings of another one."""
    more = [Ruling(each, "another plugin's", ("off", "on"), (each,)) for each in others]
    return disrupter.scenario_words().extended([*manifest().rulings, *more], manifest().presets)


@pytest.mark.rule("D-MO-SF.1", "D-MO-SF.2")
@pytest.mark.parametrize(
    ("name", "shape"), [("mothership", None), ("mothership_squad", "squad"), ("mothership_section", "section")]
)
def test_a_set_of_rules_is_damage_dice_and_a_one_roll_variant(name: str, shape: str | None) -> None:
    chosen = chosen_rules(words("D-SL-R16.2"), name, ())
    assert (chosen["D-MO-R16.2"], chosen["D-SL-R16.2"], chosen.get("D-MO-SF")) == ("dice", "on", shape)
    assert game({key: value for key, value in chosen.items() if key != "D-SL-R16.2"}).options["D-MO-PC"] == "on"


def test_a_set_of_rules_whose_other_plugin_is_not_there_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        chosen_rules(words(), "mothership_squad", ())
    assert str(caught.value) == (
        "set of rules mothership_squad: this set of rules chooses a ruling that is not there; found: D-SL-R16.2; "
        "the plugin that brings it is not installed; rallypoint plugins says what is"
    )
    text = DERELICT.read_text("utf-8").replace('size = "squad"', 'size = "squad"\nrules = "mothership"')
    path = tmp_path / "derelict.toml"
    path.write_text(text, "utf-8")
    with pytest.raises(PageError) as also:
        read_scenario(str(path), words())
    (problem,) = also.value.problems
    assert (problem.line, problem.found) == (7, "D-SL-R16.2")
    assert read_scenario(str(path), words("D-SL-R16.2")).options["D-SL-R16.2"] == "on"


def test_dice_and_one_wound_for_each_hit_exclude_each_other() -> None:
    (dice,) = [each for each in manifest().rulings if each.id == "D-MO-R16.2"]
    assert dice.excludes == ("D-SL-R16.3",)
    assert dice.because


# Whole battles


def scenario() -> Scenario:
    return read_scenario(str(DERELICT), words())


def begun(options: Mapping[str, object], seed: int) -> Battle[object]:
    """Return the fight in the derelict before its first step, both sides by themselves."""
    made, read = game(options), scenario()
    roster = {
        side.name: read_force(EXAMPLES / "scenarios" / str(side.roster), disrupter.catalogue()) for side in read.sides
    }
    encounter: Encounter = made.completed(disrupter.deployed(read, roster).encounter)
    state = disrupter.opening(read, encounter, made.options)
    seats = Answers(Seed(seed), others=disrupter.seat_alone(made.options))
    return Battle.start(made, state, seats, plugins={"mothership": "1.0"})


@pytest.mark.rule("D-MO-R16.2", "D-MO-SF.1")
@pytest.mark.parametrize("seed", [3, 7])
def test_a_boarding_party_and_a_nest_fight_it_out_with_dice(seed: int) -> None:
    options = {**scenario().options, "D-MO-R16.1": "on", "D-MO-R16.4": "on", "D-MO-PC.death": "on"}
    battle = begun(options, seed)
    battle.play()
    assert "result" in battle.state["battle"].attributes
    events = [event for entry in battle.history.entries for event in entry.events]
    kinds = {event.kind for event in events}
    assert {"damage", "health", "battle.over"} <= kinds
    assert {event.rule for event in events if event.kind == "damage"} == {"D-MO-R16.2"}
    for entity in battle.state:
        for tracker in entity.trackers.values():
            assert (tracker.min or 0) <= tracker.value <= (tracker.max or tracker.value)
        if entity.role == "unit" and "Health" in entity.trackers:
            assert alive(entity) == (entity.value("Health") > 0)
    panicked = {str(event.why["subject"]) for event in events if event.kind == "panic.check" and "check" in event.why}
    assert not any(uid.startswith("nest") for uid in panicked)
    assert replay(battle.history.entries, game(options), plugins={"mothership": "1.0"}).hash == battle.state.digest


def test_with_everything_at_its_default_the_plugin_is_not_heard_of() -> None:
    battle = begun({}, 3)
    battle.play()
    events = [event for entry in battle.history.entries for event in entry.events]
    assert [event for event in events if event.by == "mothership"] == []
    assert {name for each in battle.state for name in each.trackers} == {"Wounds", "Stress"}
