"""What the command line runs: export, import, conversion; and the manifest that names them."""

from __future__ import annotations

import importlib
import json
import tomllib
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from rallypoint.content import PageError, read_force, same_force
from rallypoint.disrupter import catalogue, encounter, force_of
from rallypoint.kernel.canonical import freeze
from rallypoint.kernel.encounter import SENT, Encounter, Gear, Imported, Sheet
from rallypoint.kernel.errors import InputError
from rallypoint.kernel.state import Entity, State, Tracker
from rallypoint_mothership.encounters import Group, contractor_at, encounter_of, figures_in
from rallypoint_mothership.exchange import export, read, to_disrupter
from rallypoint_mothership.records import Contractor

from .strategies import contractors

STARTER = Path(__file__).parents[2] / "examples" / "rosters" / "starter-platoon.md"
MANIFEST = tomllib.loads((files("rallypoint_mothership") / "rallypoint-plugin.toml").read_text(encoding="utf-8"))


def crew(*rows: Mapping[str, object]) -> Imported:
    return to_disrupter(read({"crew.json": json.dumps(list(rows)).encode()}, {}).encounter, {})


def test_the_starter_platoon_as_contractors_and_back() -> None:
    force = read_force(STARTER, catalogue())
    made = export(encounter(force), {})
    assert list(made.files) == ["contractors.json", "contractors.csv"]
    assert made.counts == {"read": 28, "contractors": 28}
    for name, data in made.files.items():
        found = read({name: data}, {})
        turned = to_disrupter(found.encounter, {})
        assert turned.left_out == ()
        assert turned.counts == {"read": 28, "turned": 28, "unchanged": 0}
        back = same_force(force_of(turned.encounter))
        assert back.platoon.squads == same_force(force).platoon.squads
    assert json.loads(made.files["contractors.json"])["key"] == "starter-platoon"


def test_options_change_the_numbers() -> None:
    force = read_force(STARTER, catalogue())
    document = json.loads(export(encounter(force), {"combat": "archetype"}).files["contractors.json"])
    assert {row["combat"] for row in document["contractors"]} == {35, 30, 20}
    assert document["stress"] == 0


def test_nobody_and_other_games_are_refused() -> None:
    for game in ("whist", "disrupter"):
        with pytest.raises(InputError):
            export(Encounter("k", "t", game, State.of([Entity.new("red", "side")]), {}), {})


def test_trackers_alone_are_no_units() -> None:
    lone = Encounter("k", "t", "disrupter", State.of([Entity.new("u", "unit")]), {})
    with pytest.raises(InputError, match="neither class nor Instinct") as caught:
        export(lone, {})
    assert caught.value.where == "u"


@pytest.mark.parametrize(("name", "classes"), [("json", "NCO Soldier Bot"), ("csv", "NCO Soldier Soldier")])
def test_the_examples_are_read(name: str, classes: str) -> None:
    file = STARTER.parent / f"contractors.{name}"
    turned = to_disrupter(read({file.name: file.read_bytes()}, {}).encounter, {})
    assert " ".join(figure.kind for figure in figures_in(turned.encounter)) == classes
    assert len([*turned.left_out, *turned.notes]) >= 2


# Reading


def test_unknown_fields_are_said_and_kept() -> None:
    found = read({"x.json": b'[{"name": "Ana", "trinket": "coin"}]'}, {})
    assert found.notes == ("Ana: field trinket is not known here, kept as it is",)
    assert found.encounter.game == "mothership"


def test_stress_is_that_of_the_group_and_wounds_know_what_was_sent() -> None:
    document = {
        "stress": 4,
        "key": "crew",
        "contractors": [{"name": "A", "uid": "a", "wounds": 1, "max_wounds": 2, "disrupter": {"wounds": 0}}],
    }
    state = read({"x.json": json.dumps(document).encode()}, {}).encounter.state
    assert state["crew"].trackers["Stress"] == Tracker(4, 0, 20, "up")
    assert state["a"].trackers["Wounds"] == Tracker(1, 0, 2, "up")
    assert state["a"].attributes[SENT] == {"Wounds": 0}


@pytest.mark.parametrize("given_files", [{}, {"a.json": b"[]", "b.json": b"[]"}, {"a.xlsx": b"x"}, {"a": b"[]"}])
def test_what_is_not_one_file_of_ours_is_refused(given_files: dict[str, bytes]) -> None:
    with pytest.raises(InputError):
        read(given_files, {})


def test_there_are_no_options_to_misspell() -> None:
    with pytest.raises(InputError, match="no options"):
        read({}, {"x": "y"})
    with pytest.raises(InputError, match="no options"):
        to_disrupter(encounter_of(Group("g", "G", ())), {"x": "y"})


# The encounter of contractors


@given(contractors())
def test_an_encounter_says_a_contractor_whole(contractor: Contractor) -> None:
    made = encounter_of(Group("the-group", "G", (contractor,)))
    assert contractor_at(made, made.state[contractor.uid]) == contractor


def test_words_that_nobody_knows_are_kept() -> None:
    gear = (
        Gear("weapon", "smg", "SMG", freeze({"damage": "2d10", "ammo": 3})),  # type: ignore[arg-type]
        Gear("skill", "hacking", "Hacking"),
    )
    sheet = Sheet("u", "Ana", "Hacker", "", {"Combat": 20, "Speed": 30}, gear)
    unit = Entity.new("u", "unit", trackers={"Wounds": Tracker(1, 0, 2), "Health": Tracker(10, 0, 10, "down")})
    found = contractor_at(Encounter("k", "t", "mothership", State.of([unit]), {"u": sheet}), unit)
    assert (found.combat, found.wounds, found.max_wounds, found.weapons[0].damage) == (20, 1, 2, "2d10")
    extra: Any = found.extra
    assert (extra["Health"], extra["stats"]) == (10, {"Speed": 30})
    assert [(piece["title"], piece["facts"]) for piece in extra["gear"]] == [("SMG", {"ammo": 3}), ("Hacking", {})]


# Turning


def test_what_could_not_be_mapped_is_listed_with_its_name() -> None:
    found = crew(
        {"name": "Ana", "max_wounds": 5, "weapons": [{"title": "Crowbar", "damage": "1d5", "range": "Adjacent"}]}
    )
    assert found.left_out == (
        "Ana: Armour Points 0: Combat Armor is the least that there is",
        "Ana: weapon Crowbar (1d5, Adjacent): no twin",
        "Ana: maximum Wounds 5: 3 is the most",
    )


def test_what_was_taken_as_something_else_was_not_left_out() -> None:
    dress = [{"title": "Dress", "armor_points": 7}]
    weapons = [{"title": "SMG", "damage": "2d10"}, {"title": "Crowbar", "damage": "1d5", "range": "Adjacent"}]
    found = crew({"name": "Ana", "armor": dress, "weapons": weapons})
    assert found.notes == ("Ana: weapon SMG (2d10): taken as Laser Carbine, the nearest damage",)
    assert found.left_out == ("Ana: weapon Crowbar (1d5, Adjacent): no twin",)


def test_the_next_steps_name_the_field_and_the_folder() -> None:
    first, second = export(encounter(read_force(STARTER, catalogue())), {}).steps_in("mine")
    assert '"wounds" in mine/contractors.json' in first
    assert second == "Then: rallypoint import contractors mine/contractors.json --into YOUR-ROSTER"


def test_of_two_captains_the_first_commands() -> None:
    dress = [{"title": "Dress", "armor_points": 7}]
    found = crew(*[{"name": name, "type": "Captain", "armor": dress} for name in ("Ana", "Bo", "Cy")])
    assert [figure.kind for figure in figures_in(found.encounter)] == ["CO", "NCO", "NCO"]
    assert found.left_out == ()
    assert found.notes == (
        "Bo: a second commander: taken as NCO",
        "Cy: a second commander: taken as NCO",
    )


def test_teams_are_teams_and_others_stand_alone() -> None:
    found = crew({"name": "A", "team": "1A"}, {"name": "B", "team": "1A"}, {"name": "C", "team": "2B"}, {"name": "D"})
    force = force_of(found.encounter)
    assert {
        (squad.number, team.letter): [unit.name for unit in team.units]
        for squad in force.platoon.squads
        for team in squad.teams
    } == {
        (1, "A"): ["A", "B"],
        (2, "B"): ["C"],
        (None, ""): ["D"],
    }


def test_units_that_are_disrupters_already_stay() -> None:
    unit = Entity.new("u", "unit", facts={"class": "Soldier", "instinct": 60})
    made = Encounter("k", "t", "mothership", State.of([unit]), {})
    found = to_disrupter(made, {})
    assert found.encounter.state["u"] == unit
    assert found.counts == {"read": 1, "turned": 0, "unchanged": 1}


def test_every_broken_contractor_is_told_at_once() -> None:
    units = [Entity.new(uid, "unit", facts={"salary": "much"}) for uid in ("a", "b")]
    sheets = {uid: Sheet(uid, uid, "", "") for uid in ("a", "b")}
    with pytest.raises(PageError) as caught:
        to_disrupter(Encounter("k", "t", "mothership", State.of(units), sheets), {})
    assert ["a.salary" in str(problem) for problem in caught.value.problems] == [True, False]
    assert len(caught.value.problems) == 2


def test_contractors_of_another_game_are_none() -> None:
    with pytest.raises(InputError, match="these are no contractors"):
        to_disrupter(Encounter("k", "t", "whist", State.of([]), {}), {})


# The manifest


@pytest.mark.parametrize(
    ("table", "name", "function"),
    [("exporters", "contractors", export), ("importers", "contractors", read), ("converters", None, to_disrupter)],
)
def test_the_manifest_names_what_there_is(table: str, name: str | None, function: object) -> None:
    (row,) = MANIFEST[table]
    assert row.get("name") == name
    module, _, attribute = row["run"].partition(":")
    assert getattr(importlib.import_module(module), attribute) is function


def test_the_converter_leads_from_contractors_to_disrupter() -> None:
    (row,) = MANIFEST["converters"]
    assert (row["from"], row["to"]) == ("mothership", "disrupter")


def test_every_choice_of_the_manifest_is_taken() -> None:
    made = encounter(read_force(STARTER, catalogue()))
    for option in MANIFEST["exporters"][0]["options"]:
        for choice in option.get("choices", ("true", "false")):
            assert export(made, {option["name"]: choice}).files


BOARDERS = STARTER.with_name("boarding-party.toml")


@pytest.mark.parametrize("name", ["contractors.json", "contractors.csv"])
def test_what_a_roster_says_of_pcs_goes_to_contractors_and_back(name: str) -> None:
    force = read_force(BOARDERS, catalogue())
    made = export(encounter(force), {}).files[name]
    found = read({name: made}, {})
    assert found.notes == ()
    back = same_force(force_of(to_disrupter(found.encounter, {}).encounter))
    assert back.platoon.squads == same_force(force).platoon.squads
    assert [dict(unit.extra) for unit in back.units if unit.extra] == [
        {"figure": "pc", "health": 14, "own_stress": 3},
        {"figure": "pc", "health": 12, "own_stress": 5},
    ]


def test_health_that_was_changed_in_the_list_of_contractors_is_the_new_one() -> None:
    document = json.loads(export(encounter(read_force(BOARDERS, catalogue())), {}).files["contractors.json"])
    captain = document["contractors"][0]
    captain["extra"]["health"] = 9
    captain["salary"] = 4000
    turned = to_disrupter(read({"crew.json": json.dumps(document).encode()}, {}).encounter, {}).encounter
    unit = force_of(turned).units[0]
    assert (unit.extra["health"], unit.extra["figure"]) == (9, "pc")
    again = json.loads(export(turned, {}).files["contractors.json"])["contractors"][0]
    assert (again["salary"], again["extra"]["health"], again["extra"]["own_stress"]) == (4000, 9, 3)


def test_a_stranger_with_health_becomes_a_unit_that_has_it() -> None:
    turned = crew(
        {"name": "Ana", "combat": 30, "max_wounds": 2, "extra": {"figure": "pc", "health": 11, "habit": "hums"}}
    )
    (unit,) = force_of(turned.encounter).units
    assert {name: unit.extra[name] for name in ("figure", "health")} == {"figure": "pc", "health": 11}
    again = json.loads(export(turned.encounter, {}).files["contractors.json"])["contractors"][0]
    assert again["extra"] == {"figure": "pc", "health": 11, "habit": "hums"}
