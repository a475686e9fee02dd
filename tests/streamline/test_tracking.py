"""What need not be tracked: one Wound, no Stress; on cards and in both exports (D-SL-R6.1, D-SL-R8.1, D-SL-R9.1, D-SL-R16.3)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from rallypoint.content import read_force
from rallypoint.disrupter import catalogue, encounter, left_off
from rallypoint.disrupter.report import after_battle
from rallypoint.kernel.changes import SetStatus, SetTracker
from rallypoint.kernel.encounter import Encounter
from rallypoint.kernel.parts import Status
from rallypoint.paper.card import cards
from rallypoint.paper.card_html import card_document
from rallypoint.paper.card_markdown import card_markdown
from rallypoint.paper.card_pdf import card_pdf
from rallypoint_foundry.documents import Documents
from rallypoint_foundry.profile import load_profile
from rallypoint_owlbear.stands import stands

from ..disrupter.positions import changed, engaged, team, unit
from ..rules.playing import fight, out, wounds
from .battles import PRESETS, fought, game, on, opening, plain, rolled, seeded, started, step, without
from .battles import told as told_in

STARTER = Path(__file__).parents[2] / "examples" / "rosters" / "starter-platoon.md"
STREAMLINE = dict(PRESETS["streamline"].options)


def starter(options: Mapping[str, object]) -> Encounter:
    """Return the Starter Platoon as it is tracked under these rulings."""
    return game(options).completed(encounter(read_force(STARTER, catalogue())))


# One Wound


@pytest.mark.rule("D-SL-R6.1")
def test_every_unit_has_one_wound_and_who_comes_with_one_is_out() -> None:
    made = starter(on("D-SL-R6.1"))
    units = [entity for entity in made.state if entity.role == "unit"]
    assert len(units) == 28
    assert {(entity.trackers["Wounds"].value, entity.trackers["Wounds"].max) for entity in units} == {(0, 1)}
    assert {made.sheets[entity.uid].stats["Wounds"] for entity in units} == {1}
    force = read_force(STARTER, catalogue())
    full = encounter(force)
    nco = next(entity for entity in full.state if entity.facts.get("class") == "NCO")
    assert nco.trackers["Wounds"].max == 3
    for taken in (1, 3):
        hurt = full._replace(state=changed(full.state, SetTracker(nco.uid, "Wounds", taken)))
        made = game(on("D-SL-R6.1")).completed(hurt)
        assert (made.state[nco.uid].trackers["Wounds"].value, made.state[nco.uid].trackers["Wounds"].max) == (1, 1)
        assert left_off(made) == {nco.uid: "incapacitated"}


@pytest.mark.rule("D-SL-R6.1")
def test_the_first_wound_takes_a_unit_out_and_the_dice_are_the_same() -> None:
    shooter = team("R1A", (0, 0), unit("Soldier", "revolver"))
    state = engaged(
        fight(shooter, team("B1A", (2, 0), unit("Soldier"), unit("Soldier")), portion=("1", "red", "battle"))
    )
    deed = [["R1A-1", "fire", "revolver", "B1A-1"]]
    hits = 0
    for seed in range(20):
        full = seeded({}, state, "act", "R1A", deed, seed=seed)
        one = seeded(on("D-SL-R6.1"), state, "act", "R1A", deed, seed=seed)
        assert rolled(full.events) == rolled(one.events)
        if wounds(full.state, "B1A") == [1, 0]:
            hits += 1
            assert list(out(one.state)) == ["B1A-1"]
            assert "B1A-1" not in out(full.state)
        else:
            assert plain(full.events) == plain(one.events)
    assert hits >= 4


@pytest.mark.rule("D-SL-R6.1")
@pytest.mark.parametrize(("weapon", "given", "lost"), [("revolver", 2, None), ("rocket_launcher", 10, 8)])
def test_the_log_tells_of_all_wounds_that_were_left_or_of_those_that_the_weapon_does(
    weapon: str, given: int, lost: int | None
) -> None:
    """Two of three Wounds are left to the target. A revolver does 1, and takes both; a rocket does 10, and 8 are lost."""
    target = unit("Soldier", wears="battle_dress")
    state = fight(
        team("R1A", (0, 0), unit("Soldier", weapon)), team("B1A", (2, 0), target), portion=("1", "red", "battle")
    )
    state = changed(engaged(state), SetTracker("B1A-1", "Wounds", 1))
    deed = [["R1A-1", "fire", weapon, "B1A"]]
    done = step(on("D-SL-R6.1", "D-SL-R8.1"), state, "act", "R1A", deed, dice=[13, 97])
    (wounded,) = [event for event in done.events if event.kind == "wounds"]
    assert (wounded.why["wounds"], wounded.why.get("lost")) == (given, lost)
    assert list(out(done.state)) == ["B1A-1"]


# No Stress


@pytest.mark.rule("D-SL-R8.1", "D-R11.10")
def test_without_stress_nobody_gains_any_panics_or_relieves_it() -> None:
    battle = fought(on("D-SL-R8.1"), 1)
    kinds = {event.kind for event in told_in(battle)}
    assert "Stress" not in battle.state["R"].trackers
    assert not {kind for kind in kinds if kind.startswith("panic") or kind in ("stress", "co.relieves_stress")}
    assert "unit.removed" in kinds  # somebody died, and nobody checked for it
    assert {"stress", "panic.check"} <= {event.kind for seed in range(3) for event in told_in(fought({}, seed))}


NERVES = (
    "stress",
    "panic.check",
    "panic.suppressed",
    "panic.retreated",
    "panic.routed",
    "panic.halted",
    "panic.status_effect",
)
"""The events of Stress and panic."""


@pytest.mark.rule("D-SL-R8.1")
def test_a_battle_that_began_with_stress_leaves_it_where_it_is() -> None:
    shooter = team("R1A", (0, 0), unit("Soldier", "pulse_rifle"))
    blue = team("B1A", (2, 0), unit("Soldier", wounds=0, armor=1) | {"wounds": 1}, unit("Soldier"))
    state = engaged(fight(shooter, blue, portion=("1", "red", "battle")))
    state = changed(state, SetTracker("B", "Stress", 20), SetTracker("R", "Stress", 7))
    deed = [["R1A-1", "fire", "pulse_rifle", "B1A-1"]]
    seen = set()
    for seed in range(20):
        full = seeded({}, state, "act", "R1A", deed, seed=seed)
        calm = seeded(on("D-SL-R8.1"), state, "act", "R1A", deed, seed=seed)
        assert [calm.state[each].value("Stress") for each in ("R", "B")] == [7, 20]
        assert not calm.state["B1A"].statuses
        assert rolled(calm.events) == rolled(full.events)
        assert without(plain(calm.events), *NERVES) == without(plain(full.events), *NERVES)
        seen.add(bool(full.state["B1A"].statuses))
    assert seen == {True, False}


@pytest.mark.rule("D-SL-R8.1")
def test_the_stress_of_a_roster_outlives_a_battle_without_it() -> None:
    force = read_force(STARTER, catalogue())
    force = force._replace(platoon=force.platoon._replace(stress=4))
    state = game(on("D-SL-R8.1")).completed(encounter(force)).state
    fallen = next(entity for entity in state if entity.role == "unit")
    after = after_battle(force, "red", changed(state, SetStatus(fallen.uid, Status("out", "dead"))))
    assert after.platoon.stress == 4
    again = encounter(after).state
    assert next(entity for entity in again if entity.role == "platoon").value("Stress") == 4


# Cards


def shown(made: Encounter) -> dict[str, str]:
    return {"html": card_document(made), "markdown": card_markdown(made)}


@pytest.mark.rule("D-SL-R6.1", "D-SL-R8.1", "D-SL-R9.1", "D-SL-R16.3")
@pytest.mark.parametrize(
    ("row", "words"),
    [
        ("D-SL-R6.1", ["a box for each Wound"]),
        ("D-SL-R8.1", ["Stress"]),
        ("D-SL-R9.1", ["Order to", "Order:", "Code Word"]),
        ("D-SL-R16.3", ["Wounds at Close Range", "Wounds at Long Range"]),
    ],
)
def test_a_card_has_no_room_for_what_nobody_writes_down(row: str, words: list[str]) -> None:
    full, less = shown(starter({})), shown(starter(on(row)))
    for form in ("html", "markdown"):
        for word in words:
            assert word in full[form], (form, word)
            assert word not in less[form], (form, word)
        assert less[form].count("Laser Cutter") == full[form].count("Laser Cutter")  # the rest is there


@pytest.mark.rule("D-SL-R6.1", "D-SL-R9.1")
def test_rows_of_a_card_fit_its_head() -> None:
    for options in ({}, on("D-SL-R6.1"), on("D-SL-R9.1"), STREAMLINE, dict(PRESETS["no_instinct"].options)):
        table = card_document(starter(options)).split('<table class="units">')[1].split("</table>")[0]
        head = table.split("</thead>")[0].count("<th ")
        for line in table.split("</thead>")[1].split("<tr")[1:]:
            spans = [int(part.split('"')[0]) for part in line.split('colspan="')[1:]]
            cells = line.count("<td") + line.count("<th")
            assert cells - len(spans) + sum(spans) == head
        (bars,) = {each.count("|") for each in card_markdown(starter(options)).splitlines() if each.startswith("| 1 ")}
        assert bars == head + 1


@pytest.mark.rule("D-AMB-26")
def test_a_card_without_instinct_names_it_nowhere() -> None:
    card = cards(starter(PRESETS["no_instinct"].options))[0]
    assert card.stats == ("Armor", "Movement")
    assert cards(starter(STREAMLINE))[0].stats == ("Instinct", "Armor", "Movement")
    rolled_for = ("Instinct", "instinct", "launch check", "miss hits own team")
    full, less = shown(starter({})), shown(starter(PRESETS["no_instinct"].options))
    for form in ("html", "markdown"):
        for word in rolled_for:
            assert word in full[form], (form, word)
            assert word not in less[form], (form, word)
    assert "1 Wounds" not in less["html"]
    assert "splash (close, 1)" in less["html"]


@pytest.mark.rule("D-AMB-26")
def test_grenades_that_land_where_they_should_are_still_grenades_to_the_rules() -> None:
    made = starter(PRESETS["no_instinct"].options)
    gear = {each.key: each for sheet in made.sheets.values() for each in sheet.gear}
    assert "launch_check" in gear["grenade_launcher"].facts["traits"]  # type: ignore[operator]
    (launcher,) = [row for row in cards(made)[0].weapons if row.title == "Grenade Launcher"]
    assert launcher.traits == ("mounted", "indirect", "splash(close,1)")


def test_a_card_as_pdf_is_shorter_too() -> None:
    pytest.importorskip("fpdf")
    full, less = card_pdf(starter({})), card_pdf(starter(STREAMLINE))
    assert full.count(b"/Type /Page\n") >= less.count(b"/Type /Page\n")
    assert len(less) < len(full)


# Virtual tabletops


@pytest.mark.rule("D-SL-R6.1", "D-SL-R8.1")
def test_foundry_gets_no_platoon_with_stress_and_one_hit_for_each_unit() -> None:
    for options, hits, platoons in (({}, {1, 2, 3}, 1), (STREAMLINE, {1}, 0)):
        documents = Documents(starter(options), load_profile("mosh-0.6.1"), "13")
        documents.make()
        actors: list[Any] = list(documents.actors)
        contractors = [each for each in actors if each["type"] != "character"]
        assert {each["system"]["hits"]["max"] for each in contractors} == hits
        assert len(actors) - len(contractors) == platoons
        assert len(contractors) == 28
    assert not starter(STREAMLINE).tables
    assert [table.key for table in starter({}).tables] == ["team_panic", "platoon_panic"]


@pytest.mark.rule("D-SL-R8.1")
def test_owlbear_stands_have_no_stress() -> None:
    assert {stand.stress for stand in stands(starter({}), False, False)} == {0}
    assert {stand.stress for stand in stands(starter(STREAMLINE), False, False)} == {None}


@pytest.mark.rule("D-SL-R16.3")
def test_weapons_are_written_with_one_wound() -> None:
    made = starter(on("D-SL-R16.3"))
    gear = {each.key: each for sheet in made.sheets.values() for each in sheet.gear if each.kind == "weapon"}
    rocket = gear["rocket_launcher"].facts
    assert {name: rocket[name] for name in ("T", "C", "M", "L", "Max")} == {"T": 1, "C": 1, "M": 1, "L": 1, "Max": None}
    assert {"splash(close,1)", "miss_wounds_each(1)"} <= set(rocket["traits"])  # type: ignore[arg-type]
    assert "recharge(3)" in gear["laser_cutter"].facts["traits"]  # type: ignore[operator]
    assert gear["pulse_rifle"].facts["T"] == 0
    assert gear["pulse_rifle"].facts["Max"] == 4


@pytest.mark.rule("D-SL-R16.3")
@pytest.mark.parametrize(("meaning", "dice"), [("contractor", "2d10"), ("disrupter", "")])
def test_foundry_keeps_dice_of_damage_where_the_description_says_one_wound(meaning: str, dice: str) -> None:
    documents = Documents(starter(on("D-SL-R16.3")), load_profile("mosh-0.6.1"), "13", meaning)
    documents.make()
    actors: list[Any] = list(documents.actors)
    weapons = [item["system"] for actor in actors for item in actor["items"] if item["type"] == "weapon"]
    carbines = [each for each in weapons if "Laser Carbine" in each["description"]]
    assert carbines
    assert {each["damage"] for each in carbines} == {dice}
    assert all("C 1, M 1, L 1" in each["description"] for each in carbines)


def test_a_battle_begins_with_what_is_tracked() -> None:
    state = opening(STREAMLINE)
    assert not state["R"].trackers
    assert state["R1A-1"].trackers["Wounds"].max == 1
    assert started(STREAMLINE, 1).state["R1A-1"].trackers["Wounds"].max == 1
    assert json.loads(state.to_text())
