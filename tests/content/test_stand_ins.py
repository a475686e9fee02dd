"""Weapons of a pack that is not there: refused by name, or kept by name and marked, and never with a zero."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rallypoint.content import Catalogue, Force, PageError, parse_force, same_force, write_force
from rallypoint.content.rosters import Form
from rallypoint.content.stand_ins import UNKNOWN, with_stand_ins
from rallypoint.disrupter import catalogue as disrupter
from rallypoint.disrupter import encounter
from rallypoint.paper.card import cards

from ..plugins.distributions import rallypoint

PAGE = """# Fire Brigade
### Squad 0 - Command
#### Team A
* 1 CO - Combat Armor, Revolver
* 2 Soldiers - Combat Armor, Plasma Lance, Копьё
* 1 Soldier - Combat Armor, plasma-lance
"""


def read(text: str, known: Catalogue, form: Form = "markdown") -> Force:
    return parse_force(text, form, known, path="p.md", title="x")


def test_without_the_option_every_missing_name_is_refused() -> None:
    with pytest.raises(PageError) as caught:
        read(PAGE, disrupter())
    assert [(each.line, each.found) for each in caught.value.problems] == [
        (5, "Plasma Lance"),
        (5, "Копьё"),
        (6, "plasma-lance"),
    ]


def test_with_it_they_are_kept_by_name_and_marked() -> None:
    known = with_stand_ins(disrupter())
    force = read(PAGE, known)
    lance, spear = force.added
    assert (lance.key, lance.title, dict(lance.numbers), lance.traits) == (
        "plasma_lance",
        "Plasma Lance",
        {},
        (UNKNOWN,),
    )
    assert spear.title == "Копьё"
    assert [unit.weapons for unit in force.units[1:]] == [(lance.key, spear.key)] * 2 + [(lance.key,)]
    said = [
        (remark.line, remark.found, remark.severity) for remark in force.remarks if "no content pack" in str(remark)
    ]
    assert said == [
        (5, "Plasma Lance (plasma_lance) of 3 units", "warning"),
        (5, f"Копьё ({spear.key}) of 2 units", "warning"),
    ]


@pytest.mark.parametrize("form", ["markdown", "toml", "json", "csv"])
def test_a_roster_with_them_comes_back(form: Form) -> None:
    known = with_stand_ins(disrupter())
    force = read(PAGE, known)
    text = write_force(force, form, known)
    assert same_force(read(text, known, form)) == same_force(force)
    again = read(text, with_stand_ins(disrupter()), form)
    assert [unit.weapons for unit in again.units] == [unit.weapons for unit in force.units]


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("* 1 Soldier - Combat Armor, Flamethrowr", "unknown weapon"),
        ("* 1 Soldier - Combat Armor, Battle Dress", "unknown weapon"),
        ("* 1 Soldier - Combat Armor, Battle Dres", "unknown weapon"),
        ("* 1 Soldier - Spacesuit, Revolver", "unknown armor"),
        ("* 1 Medic - Combat Armor, Revolver", "unknown class"),
        ("* 1 Bot - Walker, Laser Carbine", "unknown bot"),
        ("* 1 Soldier - Combat Armor, Plasma Lance w/ GL", "this cannot be mounted on a Plasma Lance"),
    ],
)
def test_slips_and_what_gives_a_unit_its_numbers_are_refused_still(line: str, what: str) -> None:
    with pytest.raises(PageError) as caught:
        read(f"{PAGE}{line}\n", with_stand_ins(disrupter()))
    assert [(each.line, each.what) for each in caught.value.problems] == [(7, what)]


def test_no_sheet_has_a_number_of_them() -> None:
    made = encounter(read(PAGE, with_stand_ins(disrupter())))
    gear = [piece for sheet in made.sheets.values() for piece in sheet.gear if piece.title == "Plasma Lance"]
    assert len(gear) == 3
    for piece in gear:
        assert not [value for value in piece.facts.values() if isinstance(value, int) or value is None]
        assert piece.facts["traits"] == (UNKNOWN,)
    (card,) = cards(made)
    row = next(row for row in card.weapons if row.title == "Plasma Lance")
    assert (dict(row.numbers), row.text) == ({}, "numbers unknown")


def test_the_commands_have_the_option(tmp_path: Path) -> None:
    (tmp_path / "p.md").write_text(PAGE, "utf-8")
    folder = tmp_path / "site"
    information = folder / "rallypoint-0.1.dist-info"
    information.mkdir(parents=True)
    rows = "disrupter = rallypoint.disrupter\nowlbear = rallypoint_owlbear\n"
    (information / "entry_points.txt").write_text(f"[rallypoint.plugins]\n{rows}")
    only = {"RALLYPOINT_PLUGINS": "disrupter,owlbear"}
    refused = rallypoint("muster", "p.md", folder=folder, env=only)
    assert (refused.returncode, refused.stdout) == (2, "")
    shown = rallypoint("muster", "p.md", "--placeholder", folder=folder, env=only)
    assert shown.returncode == 0
    assert "warning: line 5: Plasma Lance (plasma_lance) of 3 units: no content pack here has it" in shown.stdout
    assert rallypoint("muster", "p.md", "--placeholder", "--strict", folder=folder, env=only).returncode == 1
    assert rallypoint("export", "owlbear", "p.md", "-o", "out", folder=folder, env=only).returncode == 2
    assert not (tmp_path / "out").exists()
    done = rallypoint("export", "owlbear", "p.md", "-o", "out", "--placeholder", folder=folder, env=only)
    assert done.returncode == 0
    assert "Plasma Lance" in done.stdout
    assert len(json.loads((tmp_path / "out" / "encounter.owlbear.json").read_text("utf-8"))["tokens"]) == 1
