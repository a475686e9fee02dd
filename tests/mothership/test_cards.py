"""Cards and files for virtual tabletops where damage is rolled: dice in place of Wounds by range (D-MO-R16.2)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from rallypoint.content import read_force
from rallypoint.content.rosters import parse_force
from rallypoint.disrupter import catalogue, encounter
from rallypoint.disrupter.setup import weapon_rows
from rallypoint.kernel.canonical import freeze
from rallypoint.kernel.encounter import Encounter
from rallypoint.kernel.state import State
from rallypoint.paper.card import GearRow, cards
from rallypoint.paper.card_html import card_document
from rallypoint.paper.card_markdown import card_markdown
from rallypoint.paper.card_pdf import card_pdf

from ..paper.drawn import drawn_words
from .playing import DICE, game

ROSTER = """# Party
### Squad 1
#### Team A
* 1 NCO - Battle Dress, Revolver, Sniper Rifle
* 1 Soldier - Battle Dress, Heavy Machine Gun
* 1 Soldier - Battle Dress, Laser Cutter
* 1 Soldier - Combat Armor, Rocket Launcher
* 1 Soldier - Combat Armor, Combat Shotgun
* 1 Soldier - Combat Armor, Frag Grenade
"""


def made(options: Mapping[str, object], roster: str = ROSTER) -> Encounter:
    force = parse_force(roster, "markdown", catalogue(), path="party.md", title="Party")
    return game(options).completed(encounter(force))


def rows(found: Encounter) -> dict[str, GearRow]:
    return {row.title: row for row in cards(found)[0].weapons}


@pytest.mark.rule("D-MO-R16.2")
def test_a_card_shows_dice_where_damage_is_rolled_and_columns_where_it_is_not() -> None:
    shown = {title: dict(row.numbers) for title, row in rows(made(DICE)).items()}
    assert shown == {
        "Revolver": {"Max": 3, "Damage": "1d10+1"},
        "Sniper Rifle": {"Max": 5, "Damage": "4d10"},
        "Heavy Machine Gun": {"Max": 3, "Damage": "4d10"},
        "Laser Cutter": {"Max": None, "Damage": "1d100"},
        "Rocket Launcher": {"Max": None, "Damage": "1d100", "Splash": "3d10"},
        "Combat Shotgun": {"Max": 2, "Damage": "4d10", "Far": "1d10"},
        "Frag Grenade": {"Max": 2, "Damage": "3d10", "Splash": "3d10"},
    }
    assert all(list(row.numbers) == ["T", "C", "M", "L", "Max"] for row in rows(made({})).values())


@pytest.mark.rule("D-MO-R16.2")
def test_a_splash_with_dice_is_not_told_in_wounds_and_one_without_is() -> None:
    found = rows(made(DICE))
    assert "splash(close,1)" in found["Heavy Machine Gun"].traits
    assert not [trait for trait in found["Frag Grenade"].traits if trait.startswith("splash")]
    assert found["Rocket Launcher"].traits[-1] == "miss_wounds_each(2)"  # a near miss has no dice


@pytest.mark.rule("D-MO-R16.2")
def test_the_choices_of_revolver_and_sniper_rifle_stand_on_the_card() -> None:
    options = {**DICE, "D-MO-R16.2.revolver": "1d10", "D-MO-R16.2.anti_armor": "on"}
    found = rows(made(options))
    assert found["Revolver"].numbers["Damage"] == "1d10"
    assert [title for title, row in found.items() if row.numbers.get("AA") == "yes"] == ["Sniper Rifle"]


def text(form: str, found: Encounter) -> str:
    if form == "pdf":
        pytest.importorskip("fpdf")
        return drawn_words(card_pdf(found))
    return re.sub("<[^>]*>", " ", card_document(found)) if form == "html" else card_markdown(found).replace("\\", "")


@pytest.mark.rule("D-MO-R16.2")
@pytest.mark.parametrize("form", ["html", "markdown", "pdf"])
def test_every_form_of_card_has_the_dice_and_the_armour_and_no_wounds_by_range(form: str) -> None:
    words = text(form, made({**DICE, "D-MO-R16.2.anti_armor": "on"}))
    for word in (
        "Damage",
        "1d100",
        "4d10",
        "3d10",
        "the dice of a hit",
        "AA",
        "anti-armour",
        "AP",
        "DR",
        "Damage Reduction",
    ):
        assert word in words, word
    assert "Wounds at Close Range" not in words
    plain = text(form, made({}))
    assert "Wounds at Close Range" in plain
    assert "1d100" not in plain


@pytest.mark.rule("D-MO-R16.2")
def test_the_dice_of_a_contractor_stand_beside_those_of_the_others_with_his_name() -> None:
    weapon = {"title": "Pulse rifle", "damage": "2d10", "anti_armor": True}
    contractor = {"uid": "u", "name": "Bo", "type": "Marine (grunt)", "weapons": [weapon], "armor": []}
    found = encounter(parse_force(TWO, "markdown", catalogue(), path="p.md", title="P"))
    first = next(each.uid for each in found.state if each.role == "unit")
    facts = freeze({**found.state[first].facts, "extra": {"contractor": contractor}})
    assert isinstance(facts, Mapping)
    bearer = found.state[first]._replace(facts=facts)
    entities = [bearer if each.uid == first else each for each in found.state]
    state = State.of(entities, found.state.links.values(), found.state.agenda)
    done = game(DICE).completed(found._replace(state=state))
    name = done.sheets[first].name
    shown = {row.title: (row.numbers["Damage"], row.numbers.get("AA")) for row in cards(done)[0].weapons}
    (other,) = [sheet.name for uid, sheet in done.sheets.items() if done.state[uid].role == "unit" and uid != first]
    assert shown == {f"Pulse Rifle ({name})": ("2d10", "yes"), f"Pulse Rifle ({other})": ("3d10", None)}


TWO = """# P
### Squad 1
#### Team A
* 1 Soldier - Combat Armor, Pulse Rifle
* 1 NCO - Combat Armor, Pulse Rifle
"""


def test_the_rules_read_the_same_weapons_with_dice_and_without() -> None:
    plain, rolled = made({}), made(DICE)
    assert weapon_rows(plain.state, plain.sheets) == weapon_rows(rolled.state, rolled.sheets)


@pytest.mark.rule("D-MO-R16.2")
def test_descriptions_in_foundry_say_the_dice_and_no_wounds_by_range() -> None:
    documents_of = pytest.importorskip("rallypoint_foundry.documents", reason="the Foundry adapter is installed apart")
    profile_of = pytest.importorskip("rallypoint_foundry.profile", reason="the Foundry adapter is installed apart")
    roster = Path(__file__).parents[2] / "examples" / "rosters" / "boarding-party.toml"
    documents = documents_of.Documents(
        game(DICE).completed(encounter(read_force(roster, catalogue()))), profile_of.load_profile("mosh-0.6.1"), "13"
    )
    documents.make()
    actors: list[Any] = list(documents.actors)
    weapons = [item["system"] for actor in actors for item in actor["items"] if item["type"] == "weapon"]
    (shotgun,) = [each["description"] for each in weapons if "Combat Shotgun" in each["description"]]
    assert "Max 2" in shotgun
    assert "Damage 4d10, Far 1d10" in shotgun
    assert "left_out" not in shotgun
    assert "C 3" not in shotgun
