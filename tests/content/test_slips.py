"""Small slips of the pen in a platoon page: one remark or one error for each, with what to write instead."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from rallypoint.content import Catalogue, Force, PageError, parse_force

Read = Callable[..., Force]
Problems = Callable[[str], list[tuple[object, ...]]]

HEAD = "# Green Platoon\n### Squad 1 - Infantry\n#### Team A\n"
CO = "* 1 CO - Combat Armor, Revolver\n"
FORM = "<number> <class> - <armor or bot>, <weapon>, ..."
SQUAD = "Squad <number> - <title>"


def remarks(force: Force) -> list[str]:
    return [f"{remark.severity}: {remark}" for remark in force.remarks if remark.severity != "advice"]


# Spellings


def test_armour_is_armor_and_a_remark_says_so(read: Read) -> None:
    force = read(HEAD + CO + "* 1 NCO - Combat Armour, Revolver\n* 1 Soldier - Power Armour, Revolver\n")
    assert [unit.wears for unit in force.units] == ["combat_armor", "combat_armor", "battle_dress"]
    assert remarks(force) == [
        "note: line 5: Combat Armour: read as Combat Armor",
        "note: line 6: Power Armour: read as Battle Dress (D-AMB-33)",
    ]


def test_armour_that_nobody_knows_stays_unknown(problems: Problems) -> None:
    ((line, what, found, _, _),) = problems(HEAD + CO + "* 1 NCO - Plot Armour, Revolver\n")
    assert (line, what, found) == (5, "unknown armor", "Plot Armour")


@pytest.mark.parametrize(("written", "number"), [("4x", 4), ("4X", 4), ("2\u00d7", 2), ("+3", 3)])
def test_a_number_that_is_more_than_figures_is_read_with_a_note(read: Read, written: str, number: int) -> None:
    force = read(HEAD + CO + f"* {written} Soldier - Combat Armor, Revolver\n")
    assert len(force.units) == 1 + number
    assert f"note: line 5: {written}: read as {number}" in remarks(force)
    assert not any("read as" in line for line in remarks(read(HEAD + CO + "* 4 Soldiers - Combat Armor, Revolver\n")))


# Names


def test_a_name_that_several_units_have_is_said_with_its_line(read: Read) -> None:
    force = read(
        HEAD + CO + "* 3 Soldiers - Combat Armor, Revolver {name=Bob}\n* 1 NCO - Combat Armor, Revolver {name=Al}\n"
    )
    assert [unit.name for unit in force.units] == [None, "Bob", "Bob", "Bob", "Al"]
    assert remarks(force) == ["warning: line 5: Bob: 3 units have this name; give each a line and a name of its own"]


def test_a_count_and_a_name_in_a_form_without_lines(read: Read) -> None:
    unit = '{"class": "Soldier", "armor": "combat_armor", "weapons": ["revolver"], "name": "Bob", "count": 2}'
    force = read(f'{{"roster": 1, "title": "X", "units": [{unit}]}}', name="x.json")
    assert remarks(force) == ["warning: Bob: 2 units have this name; give each a line and a name of its own"]


# One slip, one error


@pytest.mark.parametrize(
    ("line", "what", "found", "hint"),
    [
        ("CO - Combat Armor, Revolver", "this is not a line of units", "CO - Combat Armor, Revolver", "the number is missing: 1 CO"),
        ("NCO - Combat Armor, Revolver {name=Al}", "this is not a line of units", "NCO - Combat Armor, Revolver", "the number is missing: 1 NCO"),
        ("Three Soldiers - Combat Armor, Revolver", "this is not a line of units", "Three Soldiers - Combat Armor, Revolver", "write the number in figures from 0 to 9: 3 Soldier"),
        ("A bot - Basic Battlefield Robot, Laser Cutter", "this is not a line of units", "A bot - Basic Battlefield Robot, Laser Cutter", "write the number in figures from 0 to 9: 1 Bot"),
        ("One for all", "this is not a line of units", "One for all", None),
        ("1 Bot - Laser Cutter", "unknown bot", "Laser Cutter", "Laser Cutter is known as weapon"),
        ("1 Bot - Basic Battlefield Robot", "no weapon is given", "Basic Battlefield Robot", "the line ends early, or the weapon was forgotten"),
        ("1 Soldier - Spacesuit", "unknown armor", "Spacesuit", "is it in a content pack? --content PATH names one"),
        ("1 Soldier - Combat Armor; Revolver", "names are parted by commas", "Combat Armor; Revolver", "put a comma for each semicolon"),
        ("1 Soldier - Combat Armor, Pulse Rifle w/ GL; Revolver", "names are parted by commas", "Combat Armor, Pulse Rifle w/ GL; Revolver", "put a comma for each semicolon"),
    ],
)  # fmt: skip
def test_a_slip_is_told_once(line: str, what: str, found: str, hint: str | None, problems: Problems) -> None:
    ((at, told, shown, _, do),) = problems(HEAD + f"* {line}\n")
    assert (at, told, shown, do) == (4, what, found, hint)


@pytest.mark.parametrize("heading", ["Squad One - Infantry", "**Squad I**", "Squad - Infantry", "Squad #1"])
def test_a_squad_without_a_number_is_the_one_error_whatever_stands_below(heading: str, problems: Problems) -> None:
    teams = "".join(f"#### Team {letter}\n{CO}" for letter in "ABC")
    found = problems(HEAD + CO + f"### {heading}\n{teams}")
    hint = "teams stand below it; write its number in figures, as in Squad 1 - Infantry"
    assert found == [(5, "not a squad's heading", heading.strip("*"), SQUAD, hint)]


def test_a_heading_about_squads_is_prose_where_no_team_stands_below(read: Read) -> None:
    force = read(HEAD + CO + "### Squad tactics\nKeep together.\n")
    assert len(force.units) == 1


def test_teams_below_another_heading_are_told_each(problems: Problems) -> None:
    found = problems("# Green Platoon\n### Infantry\n#### Team A\n" + CO + "#### Team B\n" + CO)
    assert [row[:3] for row in found if row[1] == "a team outside any squad"] == [
        (3, "a team outside any squad", "Team A"),
        (5, "a team outside any squad", "Team B"),
    ]


# Bullets where nothing is read, and what a newcomer writes


@pytest.mark.parametrize(
    ("bullet", "told"),
    [
        ("* Soldier with a Pulse Rifle", True),
        ("* 2 Soldiers - Combat Armor, Revolver", True),
        ("3. bots", True),
        ("* Friends of ours", False),
        ("* 3 dice", False),
    ],
)
def test_a_bullet_that_begins_with_a_class_is_told_outside_any_squad(read: Read, bullet: str, told: bool) -> None:
    said = remarks(read(f"{bullet}\n\n{HEAD}{CO}"))
    text = bullet.split(" ", 1)[1]
    assert said == ([f"warning: line 1: {text}: outside any squad, not read"] if told else [])


def test_a_bullet_that_begins_with_a_class_is_told_outside_any_team(read: Read) -> None:
    said = remarks(read(HEAD.replace("#### Team A", "* Soldiers of the line\n\n#### Team A") + CO))
    assert said == ["warning: line 3: Soldiers of the line: outside any team, not read"]


@pytest.mark.parametrize("name", ['CO "Ilse"', "CO \u201cIlse\u201d", 'CO"Ilse"'])
def test_a_name_in_quotes_is_shown_its_place(problems: Problems, name: str) -> None:
    ((line, what, _, _, hint),) = problems(HEAD + f"* 1 {name} - Combat Armor, Revolver\n")
    assert (line, what) == (4, "unknown class")
    assert hint == 'a name stands in braces at the end of the line: {name="Ilse"}'


def test_all_that_is_wrong_with_a_line_without_number_is_told_at_once(problems: Problems) -> None:
    found = problems(HEAD + "* CO - Combat Armor, Revolter, SMG\n* two Soldiers - Plot Armor, Revolver\n")
    assert [(line, what, text) for line, what, text, *_ in found] == [
        (4, "this is not a line of units", "CO - Combat Armor, Revolter, SMG"),
        (4, "unknown weapon", "Revolter"),
        (4, "unknown weapon", "SMG"),
        (5, "this is not a line of units", "two Soldiers - Plot Armor, Revolver"),
        (5, "unknown armor", "Plot Armor"),
    ]


def test_a_key_that_was_cut_is_told_with_the_way_out(read: Read) -> None:
    long = "Hargrave's Salvage Marines and Engineers"
    (advice,) = [each for each in read(HEAD.replace("Green Platoon", long) + CO).remarks if "uids" in each.taken_as]
    assert (advice.severity, advice.found) == ("advice", long)
    assert "{key=my-crew}" in (advice.hint or "")
    for title in ("Green Platoon", long + " {key=salvage}"):
        assert all("uids" not in each.taken_as for each in read(HEAD.replace("Green Platoon", title) + CO).remarks)


def test_what_another_game_calls_a_thing_is_told_and_not_read(catalogue: Catalogue) -> None:
    known = catalogue.knowing(["slow"], {("weapon", "Boom Stick"): "did you mean Revolver? (plugin a)"})
    with pytest.raises(PageError) as caught:
        parse_force(HEAD + "* 1 CO - Combat Armor, boom-sticks\n", "markdown", known, path="x.md", title="x")
    (problem,) = caught.value.problems
    assert problem.hint == ("did you mean Revolver? (plugin a), or is it in a content pack? --content PATH names one")
    assert "slow" in known.extended([next(iter(catalogue.weapons.values()))]).traits()
