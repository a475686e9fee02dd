"""Whatever contractors are, they become a roster in every form, and come out of it again with every field."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rallypoint.content import Force, parse_force, same_force, write_force
from rallypoint.content.rosters import Form
from rallypoint.disrupter import catalogue, encounter, force_of
from rallypoint.disrupter.field import weapons
from rallypoint.disrupter.setup import first_state
from rallypoint.kernel.canonical import freeze
from rallypoint.kernel.plugins.manifest import read_manifest
from rallypoint_mothership.encounters import Group, encounter_of
from rallypoint_mothership.exchange import export, read, to_disrupter
from rallypoint_mothership.records import Contractor

from ..disrupter.positions import encounter as placed
from ..disrupter.positions import team, unit
from .strategies import contractors

ROOT = Path(__file__).parents[2]
FORMS: tuple[Form, ...] = ("markdown", "toml", "json", "csv")


def through(force: Force, form: Form) -> Force:
    return parse_force(write_force(force, form, catalogue()), form, catalogue(), path="x", title="unused")


def crew(*rows: dict[str, object]) -> Force:
    return force_of(to_disrupter(read({"crew.json": json.dumps(list(rows)).encode()}, {}).encounter, {}).encounter)


@pytest.mark.parametrize("form", FORMS)
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(people=st.lists(contractors(), min_size=1, max_size=3, unique_by=lambda each: each.uid))
def test_no_squad_is_refused_and_nothing_is_lost(form: Form, people: list[Contractor]) -> None:
    # In one team or in none: a roster names those without a team first.
    people = [each._replace(uid=f"u-{each.uid}", team=people[0].team) for each in people]
    force = force_of(to_disrupter(encounter_of(Group("crew", "The crew", tuple(people))), {}).encounter)
    back = through(force, form)
    assert same_force(back) == same_force(force)
    written = read({"c.json": export(encounter(back), {}).files["contractors.json"]}, {}).encounter
    kept = {entity.uid: entity.facts.get("salary") for entity in written.state if entity.role == "unit"}
    assert kept == {each.uid: each.salary for each in people}


@pytest.mark.parametrize("form", FORMS)
def test_two_weapons_alike_in_every_form(form: Form) -> None:
    rifle = {"title": "Pulse rifle", "damage": "3d10"}
    force = crew(
        {"name": "Ana", "weapons": [rifle, rifle]}, {"name": "Bo", "weapons": [rifle, {**rifle, "title": "AR"}]}
    )
    assert [each.weapons for each in through(force, form).units] == [("pulse_rifle", "pulse_rifle")] * 2


@pytest.mark.parametrize("form", FORMS)
def test_an_exported_actor_with_nulls_in_every_form(form: Form) -> None:
    reader: Any = pytest.importorskip("rallypoint_foundry.importing", reason="the Foundry adapter is installed apart")
    stats = {"compendiumSource": None, "duplicateSource": None, "coreVersion": "13.351", "lastModifiedBy": None}
    effect = {"name": "Prone", "duration": {"startTime": None, "seconds": None}, "origin": None, "tint": "#ffffff"}
    actor = {
        "name": "Cal",
        "type": "creature",
        "img": "icons/svg/mystery-man.svg",
        "system": {
            "hits": {"value": 0, "min": 0, "max": 2, "label": None},
            "stats": {"combat": {"value": 30}, "instinct": {"value": 25}, "loyalty": {"value": None}},
        },
        "items": [
            {
                "name": "SMG",
                "type": "weapon",
                "system": {"damage": "2d10", "shots": 5},
                "_stats": stats,
                "folder": None,
            },
            {"name": "Medkit", "type": "item", "system": {"quantity": 1, "note": None}, "_stats": stats},
        ],
        "effects": [effect],
        "folder": None,
        "prototypeToken": {"texture": {"src": None}, "sight": {"range": None}},
        "_stats": stats,
    }
    found = reader.read({"fvtt-Actor-cal.json": json.dumps(actor).encode()}, {})
    force = force_of(to_disrupter(found.encounter, {}).encounter)
    back = through(force, form)
    assert same_force(back) == same_force(force)
    kept: Any = freeze(back.units[0].extra)
    assert "compendiumSource" in json.dumps(kept, default=dict)


@pytest.mark.parametrize("form", FORMS)
def test_what_no_roster_may_hold_stays_with_the_contractor(form: Form) -> None:
    odd = {"name": "Ana\tof\nNine", "picture": "/systems/mosh/a.png"}
    document = {"title": "A\nCrew", "contractors": [{**odd, "uid": "ana"}]}
    turned = to_disrupter(read({"c.json": json.dumps(document).encode()}, {}).encounter, {})
    assert "Ana\tof\nNine: picture /systems/mosh/a.png: nothing that a roster takes for one" in turned.left_out
    force = through(force_of(turned.encounter), form)
    assert (force.title, force.units[0].name, force.units[0].picture) == ("A Crew", "Ana of Nine", None)
    rows = json.loads(export(encounter(force), {}).files["contractors.json"])["contractors"]
    assert [{name: row[name] for name in odd} for row in rows] == [odd]


@pytest.mark.parametrize("form", FORMS)
def test_who_musters_a_roster_finds_the_contractor_on_the_unit(form: Form) -> None:
    """Exporters look for it there: in the facts of the unit, under ``extra``, whatever the roster was written in."""
    row = {"name": "Ana", "combat": 35, "loyalty": 22, "salary": 900, "motivation": "debts", "uid": "ana"}
    force = through(
        crew({**row, "weapons": [{"title": "SMG", "damage": "2d10"}, {"title": "Crowbar", "damage": "1d5"}]}), form
    )
    facts: Any = encounter(force).state["ana"].facts
    kept = facts["extra"]["contractor"]
    assert {name: kept[name] for name in ("combat", "loyalty", "salary", "motivation")} == {
        "combat": 35, "loyalty": 22, "salary": 900, "motivation": "debts",
    }  # fmt: skip
    assert [weapon["title"] for weapon in kept["weapons"]] == ["SMG", "Crowbar"]


def test_two_weapons_alike_are_one_choice_in_a_battle() -> None:
    armed = unit("Soldier", "pulse_rifle", "revolver", "pulse_rifle")
    state = first_state(placed([team("R1A", (0, 0), armed), team("B1A", (3, 0), unit("CO", "revolver"))]), {})
    assert [weapon.key for weapon in weapons(state, state["R1A-1"])] == ["pulse_rifle", "revolver"]


def test_names_of_mothership_that_rosters_are_told_of() -> None:
    """Each stands for something that there is."""
    text = (ROOT / "plugins" / "rallypoint_mothership" / "rallypoint-plugin.toml").read_text(encoding="utf-8")
    manifest, problems = read_manifest(text, "m.toml")
    assert (manifest is not None, problems) == (True, ())
    assert manifest is not None
    known = catalogue()
    kinds = {"class": known.classes, "weapon": known.weapons, "armor": known.armor}
    for each in manifest.names:
        assert each.stands_for in [item.title for item in kinds[each.kind].values()], each
    assert {each.name: each.stands_for for each in manifest.names}["Smart Rifle"] == "Sniper Rifle"
