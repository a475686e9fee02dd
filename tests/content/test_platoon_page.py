"""Pages as people write them: what is understood, what is passed over, what is refused and how."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from rallypoint.content import Force, PageError

Read = Callable[..., Force]
Problems = Callable[[str], list[tuple[object, ...]]]

FORM = "<number> <class> - <armor or bot>, <weapon>, ..."
ARMOR = "Combat Armor, Battle Dress"
CLASSES = "CO, NCO, Soldier, Bot"
BOTS = "Basic Battlefield Robot"
PACK = "is it in a content pack? --content PATH names one"
WEAPONS = (
    "Revolver, Combat Shotgun, Frag Grenade, Pulse Rifle, Grenade Launcher, Laser Carbine, Sniper Rifle, "
    "Heavy Machine Gun, Flamethrower, Laser Cutter, Rocket Launcher"
)
EARLY = "the line ends early, or a comma is one too many"
CUT = "is the file cut off here?"
HEAD = "# Fire Brigade\n### Squad 0 - Command\n#### Team A\n"
CO = "* 1 CO - Combat Armor, Revolver\n"


def page(*lines: str) -> str:
    """A page of one team: its first line is line 4, and the CO stands below all of them."""
    return HEAD + "".join(f"{line}\n" for line in lines) + CO


@pytest.mark.parametrize(
    "line",
    [
        "* 2 Soldiers - Power Armor, Pulse Rifle w/ GL",
        "- 2 Soldiers - Power Armor, Pulse Rifle w/ GL",
        "+ 2 Soldiers - Power Armor, Pulse Rifle w/ GL",
        "* 2 Soldiers – Power Armor, Pulse Rifle w/ GL",
        "* 2 Soldiers — Power Armor, Pulse Rifle w/GL",
        "* 2 Soldiers—Power Armor, Pulse Rifle w/GL",
        "* 2 soldier - battle dress, PULSE-RIFLE W/ gl",
        "* 2\u00a0Soldiers\u00a0-\u00a0Power\u00a0Armor, Pulse Rifle\u00a0w/\u00a0GL",
        "*\u00a02 Soldiers - Power Armor, Pulse Rifle w/ GL",
        "* **2 Soldiers** - [Power Armor](/equipment/armor), _Pulse Rifle_ w/ `GL`",
        "* 2x Soldiers - Power Armour, Pulse Rifles with GL",
        "* 2 Soldiers: Power Armor,Pulse Rifle w/ Grenade Launcher",
        "* 2 Soldiers -\n  Power Armor,\n  Pulse Rifle w/ GL",
        "* 2&nbsp;Soldiers &ndash; Power Armor, Pulse Rifle w/ GL",
        "*   2   Soldiers  -  Power   Armor ,  Pulse  Rifle  w/  GL",
        "* 2 Soldiers - Power\u200b Armor, Pulse Rifle w/ GL",
        "1 of each:\n\n  * 2 Soldiers - Power Armor, Pulse Rifle w/ GL",
    ],
)
def test_ways_to_write_one_line(line: str, read: Read) -> None:
    force = read(page(line, "* 1 Bot - Basic Battlefield Robot, Laser Carbine"))
    soldiers = [unit for unit in force.units if unit.kind == "Soldier"]
    assert [(unit.wears, unit.weapons) for unit in soldiers] == [
        ("battle_dress", ("pulse_rifle", "grenade_launcher"))
    ] * 2
    assert len(force.units) == 4


def test_line_ends_do_not_matter(read: Read, example: str) -> None:
    whole = read(example).document()
    assert read(example.replace("\n", "\r\n")).document() == whole
    assert read(example.replace("\n", "\r")).document() == whole


def test_blank_lines_between_all_lines(read: Read, example: str) -> None:
    counts = read(example.replace("\n", "\n\n")).counts
    assert (counts["units"], counts["teams"], counts["left_out"]) == (28, 7, 8)


# Bullets that cannot be read


@pytest.mark.parametrize(
    ("line", "what", "found", "expected", "hint"),
    [
        ("1 Soldier - Combat Armor, Lazer Carbine", "unknown weapon", "Lazer Carbine", WEAPONS, "did you mean Laser Carbine?"),
        ("1 Soldier - Combat Armor, Plasma Rifle", "unknown weapon", "Plasma Rifle", WEAPONS, "did you mean Pulse Rifle?"),
        ("1 Soldier - Combat Armor, Pulse Rifel", "unknown weapon", "Pulse Rifel", WEAPONS, "did you mean Pulse Rifle?"),
        ("1 Soldier - Combat Arnor, Revolver", "unknown armor", "Combat Arnor", ARMOR, "did you mean Combat Armor?"),
        ("1 Soldier - Spacesuit, Revolver", "unknown armor", "Spacesuit", ARMOR, PACK),
        ("1 Soldier - Combat Armor, Blowpipe", "unknown weapon", "Blowpipe", WEAPONS, PACK),
        ("1 Soldier - Revolver, Flamethrower", "unknown armor", "Revolver", ARMOR, "Revolver is known as weapon"),
        ("1 Soldier - Combat Armor, Battle Dress", "unknown weapon", "Battle Dress", WEAPONS, "Battle Dress is known as armor"),
        ("1 Bot - Basic Batlefield Robot, Laser Carbine", "unknown bot", "Basic Batlefield Robot", BOTS, "did you mean Basic Battlefield Robot?"),
        ("1 Bot - Power Armor, Laser Carbine", "unknown bot", "Power Armor", BOTS, "Power Armor is known as armor"),
        ("1 Soldeir - Combat Armor, Revolver", "unknown class", "Soldeir", CLASSES, "did you mean Soldier?"),
        ("1 Medic - Combat Armor, Revolver", "unknown class", "Medic", CLASSES, "any other class needs stats of its own: {I=50} at the end of the line"),
        ("0 Soldiers - Combat Armor, Revolver", "the number of units is out of range", "0", "1 to 20", None),
        ("-1 Soldiers - Combat Armor, Revolver", "the number of units is out of range", "-1", "1 to 20", None),
        ("21 Soldiers - Combat Armor, Revolver", "the number of units is out of range", "21", "1 to 20", None),
        ("999 Soldiers - Combat Armor, Revolver", "the number of units is out of range", "999", "1 to 20", None),
        (f"{'9' * 1500} Soldiers - Combat Armor, Revolver", "the number of units is out of range", "9" * 1500, "1 to 20", None),
        ("Soldiers - Combat Armor, Revolver", "this is not a line of units", "Soldiers - Combat Armor, Revolver", FORM, "the number is missing: 1 Soldier"),
        ("Two Soldiers - Combat Armor, Revolver", "this is not a line of units", "Two Soldiers - Combat Armor, Revolver", FORM, "write the number in figures from 0 to 9: 2 Soldier"),
        ("٣ Soldiers - Combat Armor, Revolver", "this is not a line of units", "٣ Soldiers - Combat Armor, Revolver", FORM, "write the number in figures from 0 to 9: 3 Soldier"),
        ("", "this is not a line of units", "an empty bullet", FORM, None),
        ("Keep your heads down", "this is not a line of units", "Keep your heads down", FORM, None),
        ("2 Soldiers", "a unit without equipment", "2 Soldiers", FORM, "the line ends early, or the dash before the armor is missing"),
        ("2 Soldiers -", "a name is missing", "nothing", FORM, EARLY),
        ("2 Soldiers - Combat Armor,", "a name is missing", "Combat Armor,", FORM, EARLY),
        ("2 Soldiers - Combat Armor,, Revolver", "a name is missing", "Combat Armor,, Revolver", FORM, EARLY),
        ("2 Soldiers - Combat Armor", "no weapon is given", "Combat Armor", FORM, "the line ends early, or the weapon was forgotten"),
        ("1 Soldier - Combat Armor, Pulse Rifle w/", "unknown weapon", "nothing", WEAPONS, None),
        ("1 Soldier - Combat Armor, Laser Carbine w/ GL", "this cannot be mounted on a Laser Carbine", "GL", "nothing", None),
        ("1 Soldier - Combat Armor, Pulse Rifle w/ Flamethrower", "this cannot be mounted on a Pulse Rifle", "Flamethrower", "Grenade Launcher", None),
        ("1 Soldier - Combat Armor, GL", "this weapon must be mounted on another", "GL", "<weapon> w/ Grenade Launcher", None),
    ],
)  # fmt: skip
def test_a_line_that_cannot_be_read(
    line: str, what: str, found: str, expected: str, hint: str | None, problems: Problems
) -> None:
    assert problems(page(f"* {line}")) == [(4, what, found, expected, hint)]


@pytest.mark.parametrize("note", ["", "[^1]: https://example.org/x\n", "[^1]: Words about it.\n"])
def test_marks_of_footnotes_are_no_part_of_what_is_written(note: str, read: Read) -> None:
    text = (
        "# Fire Brigade[^1]\n### Squad 0 - Command[^1]\n#### Team A[^1]\n"
        f'* 1 CO - Combat Armor[^1], Revolver[^1] {{name="Ana[^1]"}}\n\n{note}'
    )
    force = read(text)
    assert (force.title, force.platoon.squads[0].title) == ("Fire Brigade", "Command")
    # In quotes stands what stands there.
    assert [(unit.name, unit.wears, unit.weapons) for unit in force.units] == [
        ("Ana[^1]", "combat_armor", ("revolver",))
    ]


def test_two_weapons_alike_are_two(read: Read) -> None:
    force = read(page("* 1 Soldier - Combat Armor, Pulse Rifle w/ GL, Pulse Rifle w/ GL, Revolver, Revolver"))
    carried = ("pulse_rifle", "grenade_launcher", "pulse_rifle", "grenade_launcher", "revolver", "revolver")
    assert force.units[0].weapons == carried


def test_the_text_of_an_error(read: Read) -> None:
    with pytest.raises(PageError) as caught:
        read(page("* 1 Soldier - Combat Armor, Lazer Carbine"))
    assert str(caught.value) == (
        f"squad.md:4: unknown weapon; found: Lazer Carbine; expected: {WEAPONS}; did you mean Laser Carbine?"
    )


@pytest.mark.parametrize("weapon", ["Heavy Machine Gun", "Laser Cutter"])
def test_heavy_weapons_need_battle_dress(weapon: str, problems: Problems, read: Read) -> None:
    assert problems(page(f"* 1 Soldier - Combat Armor, {weapon}")) == [
        (
            4,
            f"{weapon} needs Battle Dress (D-EQ-T2)",
            "Combat Armor",
            "Battle Dress, or a model that counts as wearing it",
            None,
        )
    ]
    assert len(read(page(f"* 1 Soldier - Power Armor, {weapon}")).units) == 2
    assert len(read(page(f"* 1 Bot - Basic Battlefield Robot, {weapon}")).units) == 2


def test_all_problems_at_once(read: Read) -> None:
    with pytest.raises(PageError) as caught:
        read(page("* 1 Soldeir - Combat Armor, Revolver", "* 0 Bots - Basic Robot, Laser", "* 1 Bot"))
    error = caught.value
    assert [(problem.line, problem.what) for problem in error.problems] == [
        (4, "unknown class"),
        (5, "the number of units is out of range"),
        (5, "unknown bot"),
        (5, "unknown weapon"),
        (6, "a unit without equipment"),
    ]
    assert (error.path, error.line, error.found) == ("squad.md", 4, "Soldeir")
    rows = str(error).split("\n")
    assert rows[0] == "squad.md: 5 problems"
    assert len(rows) == 6
    assert rows[1] == f"squad.md:4: unknown class; found: Soldeir; expected: {CLASSES}; did you mean Soldier?"


# Bullets in other places


def test_numbered_list_in_a_team(problems: Problems) -> None:
    assert problems(page("1. 1 Soldier - Combat Armor, Revolver", "")) == [
        (
            4,
            "a numbered list inside a team",
            "1 Soldier - Combat Armor, Revolver",
            "a bullet for each kind of unit",
            "start the line with a star or a hyphen",
        )
    ]


def test_nested_bullet_is_read_as_a_bullet(problems: Problems) -> None:
    (problem,) = problems(page("* 1 Soldier - Combat Armor, Revolver", "  * sleeps a lot"))
    assert problem[:3] == (5, "this is not a line of units", "sleeps a lot")


def test_units_in_plain_text(problems: Problems) -> None:
    (problem,) = problems(page("• 2 Soldiers - Combat Armor, Revolver", ""))
    assert problem[:3] == (4, "this stands in plain text", "• 2 Soldiers - Combat Armor, Revolver")


@pytest.mark.parametrize(
    "lines",
    [
        ("    * 2 Soldiers - Combat Armor, Revolver", ""),
        ("```", "2 Soldiers - Combat Armor, Revolver", "```"),
        ("<div>", "* 2 Soldiers - Combat Armor, Revolver", "</div>", ""),
    ],
    ids=["indented", "fenced", "html"],
)
def test_units_in_code(lines: tuple[str, ...], problems: Problems) -> None:
    (problem,) = problems(page(*lines))
    row = next(number for number, line in enumerate(lines, 4) if "Soldiers" in line)
    assert problem[:2] == (row, "this stands in code or HTML")
    assert problem[3:] == (
        "a bullet or a heading outside code and HTML",
        "indent it less than four spaces, and close what was opened above it",
    )
    assert str(problem[2]).endswith("2 Soldiers - Combat Armor, Revolver")


def test_an_open_fence_does_not_swallow_a_squad(problems: Problems) -> None:
    text = page() + "```\n### Squad 1\n#### Team A\n* 1 NCO - Combat Armor, Revolver\n"
    assert [problem[:2] for problem in problems(text)] == [
        (6, "this stands in code or HTML"),
        (7, "this stands in code or HTML"),
        (8, "this stands in code or HTML"),
    ]


def test_a_heading_without_a_space_is_no_heading(problems: Problems) -> None:
    text = page() + "\n###Squad 1\n"
    assert [problem[:3] for problem in problems(text)] == [(6, "this stands in plain text", "###Squad 1")]


def test_comments_are_told(read: Read) -> None:
    force = read(page() + "\n<!--\n### Squad 1\n* 9 Bots - Basic Battlefield Robot, Laser Carbine\nwater\n-->\n")
    assert [str(remark) for remark in force.remarks] == [
        "line 7: ### Squad 1: commented out, not read",
        "line 8: * 9 Bots - Basic Battlefield Robot, Laser Carbine: commented out, not read",
    ]


def test_units_under_another_heading(problems: Problems, read: Read) -> None:
    text = page() + "#### Reserve\n* loves water\n* 2 Soldiers - Combat Armor, Revolver\n"
    assert problems(text) == [
        (
            7,
            "units outside any team",
            "2 Soldiers - Combat Armor, Revolver",
            "a heading such as 'Team A' above it",
            None,
        )
    ]
    force = read(page() + "# Shopping\n* 2 Soldiers - from the red box\n* glue\n")
    assert [str(remark) for remark in force.remarks] == [
        "line 6: 2 Soldiers - from the red box: outside any squad, not read"
    ]


def test_prose_links_and_headings_are_passed_over(read: Read) -> None:
    plain = read(page("* 1 Bot - Basic Battlefield Robot, Laser Carbine"))
    around = read(
        "Hello.\n\n* a list\n* of things\n\n"
        "# Fire Brigade\n[a link](http://example.org/Squad%201)\n\n## Figures\n1. one\n2. two\n"
        "### **Squad 0 - Command**\nThey wait.\n\n> quoted\n\n#### __Team A__\nAll of them are new.\n\n"
        "| a | table |\n| - | - |\n| 1 | 2 |\n\n"
        "* 1 Bot - Basic Battlefield Robot, Laser Carbine\n\n![a picture](x.png)\n\n***\n\n" + CO + "\n"
        "#### Notes\n* about nothing\n# Equipment\n## Revolver\n* loud\n"
    )
    assert around.counts == plain.counts
    assert [unit.uid for unit in around.units] == [unit.uid for unit in plain.units]
    assert around.title == "Fire Brigade"
    assert around.remarks == plain.remarks == ()


def test_bullet_under_a_heading_inside_a_team_is_not_skipped(problems: Problems) -> None:
    (problem,) = problems(page() + "##### Notes\n* about nothing\n")
    assert problem[:3] == (6, "this is not a line of units", "about nothing")


# Headings


def test_duplicate_squad_and_team(problems: Problems) -> None:
    text = page() + "#### Team a\n" + CO + "### Squad 0 - Again\n#### Team A\n" + CO
    assert problems(text) == [
        (5, "a team letter appears twice in Squad 0", "Team A", "only the letter in line 3", None),
        (7, "a squad number appears twice", "Squad 0", "only the one in line 2", None),
    ]


def test_a_boat_takes_a_letter_too(problems: Problems) -> None:
    (problem,) = problems(page() + "#### Boat A\n" + CO)
    assert problem[:3] == (5, "a team letter appears twice in Squad 0", "Boat A")


@pytest.mark.parametrize(
    ("heading", "found", "hint"),
    [
        ("#### Tank B", "Tank B", None),
        ("#### Taem B", "Taem B", "did you mean Team B?"),
        ("#### Baot B", "Baot B", "did you mean Inflatable Raft B?"),
    ],
)
def test_unknown_vehicle(heading: str, found: str, hint: str | None, problems: Problems) -> None:
    expected = "Team B, or a vehicle: Inflatable Raft"
    assert problems(page() + f"{heading}\n" + CO) == [(5, "unknown vehicle", found, expected, hint)]


@pytest.mark.parametrize("heading", ["Sqaud 1 - Infantry", "Squads 1", "Squad 1 Infantry", "**Sqad 1 - Infantry**"])
def test_misspelt_squad(heading: str, problems: Problems) -> None:
    rows = problems(page() + f"### {heading}\n#### Team A\n" + CO)
    what, expected = "not a squad's heading", "Squad <number> - <title>"
    assert rows == [(5, what, heading.strip("*"), expected, "did you mean Squad 1?")]


def test_misspelt_optional(problems: Problems) -> None:
    (problem,) = problems(page() + "### Squad 1 - Boats - Optionl\n#### Team A\n" + CO)
    assert problem[:3] == (5, "is this squad optional", "Optionl")
    assert problem[4] == "did you mean Optional?"


@pytest.mark.parametrize(
    ("heading", "title", "optional"),
    [
        ("Squad 1", "", False),
        ("squad 1 - Infantry", "Infantry", False),
        ("Squad 01: Infantry", "Infantry", False),
        ("Squad 1 – Отряд Ворон", "Отряд Ворон", False),
        ("Squad 1 - 狐 🦊 - Optional", "狐 🦊", True),
        ("Squad 1 *[optional]*", "", True),
        ("Squad 1 - Boats (optional)", "Boats", True),
        ("Squad 1 - Boats *\\[optional]*", "Boats", True),
        ("Squad 1 - Optional", "", True),
        ("Squad 1 - Operational", "Operational", False),
        ("Squad 1 - Fire - and Water", "Fire - and Water", False),
        ("**Squad 1 - Infantry", "Infantry", False),
    ],
)
def test_squad_headings(heading: str, title: str, optional: bool, read: Read) -> None:
    force = read(page() + f"### {heading}\n#### Team A\n* 1 NCO - Combat Armor, Revolver\n", with_optional=True)
    squad = force.platoon.squads[1]
    assert (squad.number, squad.title, squad.optional) == (1, title, optional)


def test_two_platoons_in_one_page(problems: Problems) -> None:
    text = page() + "# Other Platoon\n### Squad 1\n#### Team A\n* 1 NCO - Combat Armor, Revolver\n"
    assert problems(text) == [
        (
            6,
            "a second platoon in one page",
            "Squad 1, under Other Platoon",
            "every squad under Fire Brigade",
            "keep each platoon in a file of its own",
        )
    ]


def test_setext_and_other_levels(read: Read) -> None:
    force = read("Fire Brigade\n===\n\nSquad 0 - Command\n---\n\n### Team A\n" + CO)
    assert (force.title, force.counts["units"]) == ("Fire Brigade", 1)


@pytest.mark.parametrize("heading", ["### Plan B", "## Plan B", "##### Plan B"])
def test_a_word_and_a_letter_is_a_team_only_where_teams_stand(heading: str, read: Read) -> None:
    force = read(page() + f"{heading}\nIt is secret.\n")
    assert (force.counts["teams"], force.counts["units"]) == (1, 1)


def test_numbers_of_a_squad_stay_small(problems: Problems) -> None:
    (problem,) = problems(page() + "### Squad 1234567\n")
    assert problem[:3] == (5, "the page ends with a heading", "Squad 1234567")


@pytest.mark.parametrize(
    ("text", "line", "found"),
    [
        ("", 1, "0 lines without one"),
        ("\n", 1, "1 lines without one"),
        ("# Fire Brigade\n", 1, "1 lines without one"),
        ("Nothing\nhere.", 2, "2 lines without one"),
        ('{"squads":\r\n[]}\r\n', 2, "2 lines without one"),
    ],
)
def test_no_squad(text: str, line: int, found: str, problems: Problems) -> None:
    (problem,) = problems(text)
    assert (problem[0], problem[2]) == (line, found)
    assert problem[1] == "no squad in this page"
    assert problem[3] == "a heading 'Squad <number> - <title>', under it a heading 'Team A', under that bullets"
    assert problem[4] == "is the file cut off, or a page of another kind?"


@pytest.mark.parametrize(
    ("tail", "row"),
    [
        ("### Squad 1\n", (5, "a squad without teams", "Squad 1", "a heading 'Team A' below", CUT)),
        ("#### Team B\n", (5, "a team without units", "Team B", "a bullet for each kind of unit", CUT)),
        ("### **Squ", (5, "the page ends with a heading", "**Squ", "something below it", CUT)),
        ("###\n", (5, "the page ends with a heading", "an empty heading", "something below it", CUT)),
        ("#### **Team\n", (5, "the page ends with a heading", "**Team", "something below it", CUT)),
    ],
)
def test_page_that_ends_early(tail: str, row: tuple[object, ...], problems: Problems) -> None:
    assert problems(page() + tail) == [row]


def test_a_heading_above_the_squads_may_end_the_page(read: Read) -> None:
    assert read(page() + "# Equipment\n").counts["units"] == 1


# Officers


def remarks(force: Force) -> list[str]:
    return [str(remark) for remark in force.remarks]


def test_no_commander_is_a_remark(read: Read) -> None:
    force = read("# A\n### Squad 1\n#### Team A\n* 1 NCO - Combat Armor, Revolver\n")
    assert remarks(force) == ["0 CO: a platoon has exactly one; found none (D-R9.1)"]


def test_two_commanders_are_a_remark(read: Read) -> None:
    force = read(page("* 1 CO - Combat Armor, Revolver"))
    assert remarks(force) == [
        "line 5: 2 CO: a platoon has exactly one; found fire-brigade-0A-1-1, fire-brigade-0A-2-1 (D-R9.1)"
    ]


def test_squad_without_leader_is_a_remark(read: Read) -> None:
    force = read(page() + "### Squad 1\n#### Team A\n* 3 Soldiers - Combat Armor, Revolver\n")
    assert remarks(force) == ["line 5: 0 NCO in Squad 1: a squad has exactly one (D-R9.2)"]


def test_two_leaders_are_a_remark(read: Read) -> None:
    force = read(page() + "### Squad 1\n#### Team A\n* 2 NCOs - Combat Armor, Revolver\n")
    assert remarks(force) == ["line 5: 2 NCO in Squad 1: a squad has exactly one (D-R9.2)"]


# Keys


@pytest.mark.parametrize(
    ("title", "key", "uid"),
    [
        ("Starter Platoon", "starter-platoon", "starter-0A-1-1"),
        ("Platoon", "platoon", "platoon-0A-1-1"),
        ("2nd Fire & Water!", "2nd-fire-water", "2nd-fire-water-0A-1-1"),
    ],
)
def test_ascii_titles(title: str, key: str, uid: str, read: Read) -> None:
    force = read(page().replace("Fire Brigade", title))
    assert (force.title, force.key, force.units[0].uid) == (title, key, uid)


@pytest.mark.parametrize("title", ["Отряд Ворон", "狐 🦊", "Żółw-1", "!!!", "A" * 300, "Zółw 1", "Отряд Ворона"])
def test_other_titles_keep_their_text_and_get_ascii_keys(title: str, read: Read) -> None:
    force = read(page().replace("Fire Brigade", title))
    assert force.title == title
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", force.key)
    assert len(force.key) <= 31
    assert force.units[0].uid == f"{force.key}-0A-1-1"
    assert read(page().replace("Fire Brigade", title)).key == force.key


def test_different_titles_have_different_keys(read: Read) -> None:
    titles = ["Отряд Ворон", "Отряд Ворона", "狐 🦊", "狐", "Żółw-1", "Zolw-1", "A" * 30, "A" * 31, "!!!", "???"]
    keys = {read(page().replace("Fire Brigade", title)).key for title in titles}
    assert len(keys) == len(titles)


def test_two_ways_to_type_an_accent_give_one_key(read: Read) -> None:
    keys = {read(page().replace("Fire Brigade", title)).key for title in ("\u017b\u00f3raw", "Z\u0307o\u0301raw")}
    assert len(keys) == 1


def test_without_a_title_the_file_gives_it(read: Read) -> None:
    force = read(page().removeprefix("# Fire Brigade\n"), name="night watch.md")
    assert (force.title, force.key) == ("night watch", "night-watch")


def test_reading_twice_gives_the_same(read: Read, example: str) -> None:
    assert read(example) == read(example)
