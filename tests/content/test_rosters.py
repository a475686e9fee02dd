"""Rosters in TOML, JSON and CSV: what they may say, and what is refused with its place."""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import get_args

import pytest

from rallypoint.content import Catalogue, Force, PageError, parse_force, read_force, write_force
from rallypoint.content.rosters import Form
from rallypoint.kernel.canonical import freeze
from rallypoint.kernel.errors import InputError

ROOT = Path(__file__).parents[2]
CO = {"class": "CO", "armor": "combat_armor", "weapons": ["revolver"]}


@pytest.fixture
def parse(catalogue: Catalogue) -> Callable[..., Force]:
    def parser(record: object, form: Form = "json") -> Force:
        text = record if isinstance(record, str) else json.dumps(record)
        return parse_force(text, form, catalogue, path="x.json", title="No Title")

    return parser


def squads(*units: object) -> dict[str, object]:
    return {"title": "Green Platoon", "squads": [{"number": 1, "teams": [{"letter": "A", "units": list(units)}]}]}


def faults(parse: Callable[..., Force], record: object, form: Form = "json") -> list[tuple[object, ...]]:
    with pytest.raises(PageError) as caught:
        parse(record, form)
    assert caught.value.exit_status == 2
    return [(each.where, each.what, each.found, each.hint) for each in caught.value.problems]


def test_a_roster_becomes_a_force(parse: Callable[..., Force]) -> None:
    bots = {"class": "bots", "bot": "Basic Battlefield Robot", "weapons": ["Laser Carbine"], "count": 2}
    nco = {"class": "nco", "id": "raven-7", "name": "O'Neil ", "image": "o.png", "armor": "Power Armor", "wounds": 2,
           "weapons": ["Pulse Rifle w/ GL"], "stats": {"instinct": 65, "M": 3}, "mood": "grim"}  # fmt: skip
    force = parse({**squads(CO, bots, nco), "stress": 4, "league": {"b": 1, "a": None}})
    assert (force.key, force.title, force.platoon.stress) == ("green-platoon", "Green Platoon", 4)
    assert [unit.uid for unit in force.units] == ["green-1A-1-1", "green-1A-2-1", "green-1A-2-2", "raven-7"]
    last = force.units[3]
    assert (last.kind, last.wears, last.is_bot) == ("NCO", "battle_dress", False)
    assert last.weapons == ("pulse_rifle", "grenade_launcher")
    assert (last.name, last.picture, dict(last.stats), last.wounds) == ("O'Neil ", "o.png", {"I": 65, "M": 3}, 2)
    assert dict(last.extra) == {"mood": "grim"}
    assert str(force.extra["league"]) == "{'b': 1, 'a': None}"
    assert [(unit.kind, unit.wears, unit.is_bot) for unit in force.units[1:3]] == [
        ("Bot", "basic_battlefield_robot", True)
    ] * 2


def test_a_crew_has_no_squads_and_a_horror_no_team(parse: Callable[..., Force]) -> None:
    horror = {"class": "Brood Mother", "stats": {"I": 70, "A": 60, "W": 8, "M": 1}, "weapons": ["flamethrower"]}
    force = parse(
        {"title": "Crew", "units": [horror, {**horror, "count": 2}], "teams": [{"letter": "A", "units": [CO]}]}
    )
    assert [unit.uid for unit in force.units] == ["crew-1-1", "crew-2-1", "crew-2-2", "crew-A-1-1"]
    assert [(team.letter, team.title) for squad in force.platoon.squads for team in squad.teams] == [
        ("", ""),
        ("A", "Team A"),
    ]
    assert (force.units[0].kind, force.units[0].wears) == ("Brood Mother", None)
    assert force.counts == {"read": 4, "units": 4, "left_out": 0, "squads": 0, "teams": 1, "Brood Mother": 3, "CO": 1}
    assert force.remarks == ()


PLACE = "x.json: squads[0].teams[0].units[1]"


@pytest.mark.parametrize(
    ("change", "where", "what", "found", "hint"),
    [
        ({"weapons": None}, ".weapons", "a value of the wrong type", "null", None),
        ({"weapons": "revolver"}, ".weapons", "a value of the wrong type", "'revolver'", None),
        ({"weapons": [["revolver"]]}, ".weapons[0]", "a value of the wrong type", "a list", None),
        ({"weapons": [None]}, ".weapons[0]", "a value of the wrong type", "null", None),
        ({"count": {"n": 2}}, ".count", "a value of the wrong type", "a table", None),
        ({"count": [2]}, ".count", "a value of the wrong type", "a list", None),
        ({"count": True}, ".count", "a value of the wrong type", "true", None),
        ({"count": 0}, ".count", "a number out of range", "0", None),
        ({"count": 21}, ".count", "a number out of range", "21", None),
        ({"count": 2.5}, ".count", "a value of the wrong type", "2.5", None),
        ({"class": "Soldeir"}, ".class", "unknown class", "Soldeir", "did you mean Soldier?"),
        ({"class": "Upgrade"}, ".class", "unknown class", "Upgrade", "any other class needs stats of its own: stats with I=50"),
        ({"class": None}, ".class", "a field is missing", "null", None),
        ({"class": 3}, ".class", "a value of the wrong type", "3", None),
        ({"weapons": ["Lazer Cuter"]}, ".weapons", "unknown weapon", "Lazer Cuter", "did you mean Laser Cutter?"),
        ({"weapons": ["plasma_gun"]}, ".weapons", "unknown weapon", "plasma_gun", "is it in a content pack? --content PATH names one"),
        ({"weapons": ["grenade_launcher"]}, ".weapons", "this weapon must be mounted on another", "grenade_launcher", None),
        ({"weapons": ["revolver", "grenade_launcher"]}, ".weapons", "this cannot be mounted on a Revolver", "grenade_launcher", None),
        ({"weapons": ["heavy_machine_gun"]}, ".weapons", "Heavy Machine Gun needs Battle Dress (D-EQ-T2)", "Combat Armor", None),
        ({"armor": "mail"}, ".armor", "unknown armor", "mail", "is it in a content pack? --content PATH names one"),
        ({"armor": None}, ".armor", "no armor is given", "null", None),
        ({"bot": "basic_battlefield_robot"}, ".bot", "a unit wears two things", "'basic_battlefield_robot'", None),
        ({"armour": "x"}, ".armour", "unknown field", "'x'", "did you mean armor?"),
        ({"wepons": []}, ".wepons", "unknown field", "a list", "did you mean weapons?"),
        ({"wounds": -1}, ".wounds", "a number out of range", "-1", None),
        ({"stats": {"luck": 3}}, ".stats.luck", "unknown stat", "3", None),
        ({"stats": {"I": 3, "instinct": 3}}, ".stats.instinct", "a stat is given twice", "3", None),
        ({"stats": {"W": 0}}, ".stats.W", "a number out of range", "0", None),
        ({"stats": [1]}, ".stats", "this is not a table", "a list", None),
        ({"id": " x"}, ".id", "this cannot be an id", "' x'", None),
        ({"id": 7}, ".id", "a value of the wrong type", "7", None),
        ({"name": ["x"]}, ".name", "a value of the wrong type", "a list", None),
        ({"name": "\ud800"}, ".name", "half of a sign in a text", "'\\ud800'", None),
        ({"id": "x", "count": 2}, ".id", "one id for several units", "'x'", None),
        ({"extra": 3}, ".extra", "a value of the wrong type", "3", None),
    ],
)  # fmt: skip
def test_a_unit_that_cannot_be_understood(
    change: dict[str, object], where: str, what: str, found: str, hint: str | None, parse: Callable[..., Force]
) -> None:
    soldier = {"class": "Soldier", "armor": "combat_armor", "weapons": ["revolver"], **change}
    assert (PLACE + where, what, found, hint) in faults(parse, squads(CO, soldier))


@pytest.mark.parametrize(
    ("record", "where", "what"),
    [
        ([], "x.json: the file", "this is not a table"),
        ({}, "x.json", "no unit in this roster"),
        ({"units": []}, "x.json", "no unit in this roster"),
        ({"units": None}, "x.json: units", "a value of the wrong type"),
        ({"units": [None]}, "x.json: units[0]", "this is not a table"),
        ({"squads": {"0": []}}, "x.json: squads", "a value of the wrong type"),
        ({"squads": [{"teams": []}]}, "x.json: squads[0].number", "a field is missing"),
        ({"squads": [{"number": 1}]}, "x.json: squads[0].teams", "a squad without teams"),
        ({"squads": [{"number": 1, "teams": [{"letter": "A"}]}]}, "x.json: squads[0].teams[0].units", "a team without units"),
        ({"squads": [{"number": 1, "optional": "yes"}]}, "x.json: squads[0].optional", "a value of the wrong type"),
        ({"teams": [{"letter": "AA", "units": [CO]}]}, "x.json: teams[0].letter", "this is not the letter of a team"),
        ({"teams": [{"units": [CO]}]}, "x.json: teams[0].letter", "a field is missing"),
        ({"teams": [{"letter": "A", "units": [CO]}] * 2}, "x.json: teams[1].letter", "a team letter appears twice"),
        ({"squads": [{"number": 1, "teams": [{"letter": "A", "units": [CO]}]}] * 2}, "x.json: squads[1].number", "a squad number appears twice"),
        ({"teams": [{"letter": "A", "vehicle": "hovercraft", "units": [CO]}]}, "x.json: teams[0].vehicle", "unknown vehicle"),
        ({"units": [{**CO, "id": "a"}, {**CO, "id": "a"}]}, "x.json: units[1].id", "an id appears twice"),
        ({"retired": ["a"], "units": [{**CO, "id": "a"}]}, "x.json: units[0].id", "a retired id"),
        ({"retired": "a", "units": [CO]}, "x.json: retired", "a value of the wrong type"),
        ({"key": "Big Key", "units": [CO]}, "x.json: key", "this cannot be the key of a force"),
        ({"titel": "x", "units": [CO]}, "x.json: titel", "unknown field"),
        ({"roster": 2, "units": None}, "x.json", "roster 2, this version reads 1"),
        ({"units": [{"class": "Horror", "stats": {"I": 1}}]}, "x.json: units[0].stats", "a unit without armor needs stats of its own"),
        ({"units": [{"class": "Horror", "stats": {"A": 1, "W": 1, "M": 1}}]}, "x.json: units[0].class", "a stat is missing for a kind that is no class"),
        ({"units": [{"class": "Bot", "armor": "combat_armor"}]}, "x.json: units[0].armor", "this class wears a model and no armor"),
        ({"units": [{"class": "CO", "bot": "basic_battlefield_robot"}]}, "x.json: units[0].bot", "this class wears armor and is no model"),
    ],
)  # fmt: skip
def test_a_roster_that_cannot_be_understood(record: object, where: str, what: str, parse: Callable[..., Force]) -> None:
    assert (where, what) in [row[:2] for row in faults(parse, record)]


def test_all_faults_come_at_once_and_in_linear_time(parse: Callable[..., Force]) -> None:
    bad = {"class": "Soldier", "armor": "combat_armor", "weapons": None}

    def record(number: int) -> dict[str, object]:
        teams = [[{"letter": letter, "units": [bad] * 4} for letter in "ABCDE"] for _ in range(number // 20)]
        return {"squads": [{"number": n, "teams": rows} for n, rows in enumerate(teams)]}

    assert len(faults(parse, record(2000))) == 2000

    def steps(number: int) -> int:
        count = 0

        def step(*_: object) -> None:
            nonlocal count
            count += 1

        sys.setprofile(step)
        try:
            with pytest.raises(PageError):
                parse(record(number))
        finally:
            sys.setprofile(None)
        return count

    steps(20)  # what is done once for all
    first, second = steps(200), steps(400)
    assert second < 2.1 * first


def test_every_name_of_a_pack_that_is_not_there_is_listed(parse: Callable[..., Force]) -> None:
    record = squads({**CO, "weapons": ["smart_rifle", "rail_gun"]}, {**CO, "armor": "hard_suit"})
    assert [(what, found) for _, what, found, _ in faults(parse, record)] == [
        ("unknown weapon", "smart_rifle"),
        ("unknown weapon", "rail_gun"),
        ("unknown armor", "hard_suit"),
    ]


@pytest.mark.parametrize(
    ("form", "text", "line"),
    [
        ("json", '{\n  "title": "Green"\n  "x": 1}', "x.json:3: column 3"),
        ("json", '{\n  "title": "Gre', "x.json:2: column 12"),
        ("json", '{"a": 1, "a": 2}', "x.json"),
        ("json", '{"stress": NaN}', "x.json"),
        ("json", "[" * 100_000, "x.json"),
        ("toml", 'title = "Green"\n[[units', "x.json:2"),
    ],
)
def test_a_text_that_is_cut_off(form: Form, text: str, line: str, parse: Callable[..., Force]) -> None:
    (row,) = faults(parse, text, form)
    assert row[0] == line
    assert row[1] in ("this is not JSON", "this is not TOML")


def test_unknown_fields_are_written_back_byte_for_byte(parse: Callable[..., Force], catalogue: Catalogue) -> None:
    for form in get_args(Form):
        plain = write_force(parse(squads(CO)), form, catalogue)
        if form == "json":
            text = plain.replace(
                '"revolver"\n              ]',
                '"revolver"\n              ],\n              "zeal": 3,\n              "debt": "12 cr"',
            )
        elif form == "toml":
            text = plain.replace('weapons = ["revolver"]', 'weapons = ["revolver"]\nzeal = 3\ndebt = "12 cr"')
        elif form == "csv":
            text = "\r\n".join(
                row + end for row, end in zip(plain.split("\r\n"), (",zeal,debt", ",3,12 cr", ""), strict=True)
            )
        else:
            text = plain.replace("Revolver", 'Revolver {zeal=3, debt="12 cr"}')
        assert text != plain
        force = parse(text, form)
        assert dict(force.units[0].extra) == {"zeal": "3" if form == "csv" else 3, "debt": "12 cr"}
        assert write_force(force, form, catalogue) == text


def test_toml_says_what_toml_has_no_word_for(parse: Callable[..., Force], catalogue: Catalogue) -> None:
    mine = {"_stats": {"compendiumSource": None, "n": [None, 2**64]}, "odd": {"$json": "[1]"}, "$json": "x"}
    force = parse(squads({**CO, "actor": mine}))
    text = write_force(force, "toml", catalogue)
    assert (
        'actor = { _stats = { compendiumSource = { "$json" = "null" }, '
        'n = [{ "$json" = "null" }, { "$json" = "18446744073709551616" }] }, '
        'odd = { "$json" = "{\\"$json\\": \\"[1]\\"}" }, "$json" = "x" }'
    ) in text
    assert parse(text, "toml").units[0].extra == force.units[0].extra
    assert freeze(dict(parse(text, "toml").units[0].extra)) == freeze({"actor": mine})


@pytest.mark.parametrize("said", ["", "nul", "[1", "[" * 100_000])
def test_broken_json_in_toml_is_named(said: str, parse: Callable[..., Force]) -> None:
    text = f'[[units]]\nclass = "CO"\narmor = "combat_armor"\nmood = {{ deep = [{{ "$json" = "{said}" }}] }}\n'
    assert faults(parse, text, "toml") == [
        ("x.json: units[0].mood.deep[0]", "this is not JSON", said[:60] or "nothing", None)
    ]


def test_a_date_is_no_value_of_a_roster(parse: Callable[..., Force]) -> None:
    dated = 'title = "x"\nborn = 2024-01-01\n[[units]]\nclass = "CO"\narmor = "combat_armor"\n'
    assert faults(parse, dated, "toml") == [
        ("x.json: born", "this cannot be kept", "date", "write it as a text, in quotes")
    ]


def test_a_saved_muster_is_a_roster(tmp_path: Path, catalogue: Catalogue, example: str) -> None:
    (tmp_path / "p.md").write_text(example, "utf-8")
    force = read_force(tmp_path / "p.md", catalogue)
    (tmp_path / "saved.json").write_text(json.dumps(force.document(), default=dict), "utf-8")
    saved = read_force(tmp_path / "saved.json", catalogue)
    assert [unit._replace(line=0) for unit in saved.units] == [unit._replace(line=0) for unit in force.units]
    assert (saved.key, saved.title, len(saved.left_out[0].units)) == ("starter-platoon", "Starter Platoon", 8)


@pytest.mark.parametrize("form", ["json", "toml", "csv", "markdown"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_encodings_of_all_forms(
    form: Form, encoding: str, parse: Callable[..., Force], tmp_path: Path, catalogue: Catalogue
) -> None:
    names = ["Zoë", "O\N{RIGHT SINGLE QUOTATION MARK}Neil "] + (
        [] if encoding == "cp1252" else ["Отряд Ворон", "狐 🦊"]
    )
    force = parse({"title": "Équipe", "units": [{**CO, "name": name} for name in names]})
    suffix = {"markdown": "md"}.get(form, form)
    file = tmp_path / f"crew.{suffix}"
    data = write_force(force, form, catalogue).encode(encoding)
    file.write_bytes(data)
    if encoding == "cp1252":
        with pytest.raises(InputError) as caught:
            read_force(file, catalogue)
        assert caught.value.found == f"byte 0x{data[(at := data.index('É'.encode('cp1252')))]:02X} at offset {at}"
        return
    read = read_force(file, catalogue)
    assert [unit.name for unit in read.units] == names
    assert read.title == "Équipe"
    assert all(unit.uid.isascii() for unit in read.units)


# CSV

TABLE = "title,squad,squad_title,team,class,armor,weapons,count\nGreen,1,Infantry,A,CO,Combat Armor,Revolver,\n"


@pytest.mark.parametrize(
    ("text", "line", "what", "hint"),
    [
        (TABLE.replace("armor", "armour"), 1, "unknown column", "did you mean armor?"),
        (TABLE.replace(",class", ",squad"), 1, "a column appears twice", None),
        (TABLE.replace("class", "rank"), 1, "a column is missing", None),
        (TABLE + "Green,1,,A,CO\n", 3, "a row that does not fit the columns", None),
        (TABLE + "Blue,1,,A,CO,Combat Armor,Revolver,\n", 3, "two values where there can be one", None),
        (TABLE + ",1,Boats,A,CO,Combat Armor,Revolver,\n", 3, "two values where there can be one", None),
        (TABLE + ",1,,,CO,Combat Armor,Revolver,\n", 3, "a unit in a squad and in no team", None),
        (TABLE + ",one,,A,CO,Combat Armor,Revolver,\n", 3, "a value of the wrong type", None),
        (TABLE + ",1,,A,CO,Combat Armor,Revolver,two\n", 3, "a value of the wrong type", None),
        (TABLE + ",1,,A,CO,Combat Armor,Revolvr,\n", 3, "unknown weapon", "did you mean Revolver?"),
        (TABLE + ',1,,A,CO,Combat Armor,"Revolver\n', 3, "this is not CSV", "is a quote missing, or the file cut off?"),
        ("", 1, "no table in this file", None),
    ],
)  # fmt: skip
def test_a_table_that_cannot_be_understood(
    text: str, line: int, what: str, hint: str | None, catalogue: Catalogue
) -> None:
    with pytest.raises(PageError) as caught:
        parse_force(text, "csv", catalogue, path="x.csv", title="t")
    assert (line, what, hint) in [(each.line, each.what, each.hint) for each in caught.value.problems]


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_tables_as_spreadsheets_write_them(delimiter: str, catalogue: Catalogue) -> None:
    stream = io.StringIO()
    rows = [
        ["Title", "SQUAD", "Team", "Class", "Armor", "Weapons", "Count", "i", "remark"],
        ["Green", "1", "A", "NCO", "Power Armor", "Pulse Rifle w/ GL, Revolver", "", "", ""],
        ["", "", "", "", "", "", "", "", ""],
        ["", "1", "A", "Soldier", "Combat Armor", "Revolver; Frag Grenade", "2", "45", "late"],
    ]
    csv.writer(stream, delimiter=delimiter).writerows(rows)
    force = parse_force(stream.getvalue(), "csv", catalogue, path="x.csv", title="t")
    assert [(unit.uid, unit.line) for unit in force.units] == [
        ("green-1A-1-1", 2),
        ("green-1A-2-1", 4),
        ("green-1A-2-2", 4),
    ]
    assert force.units[0].weapons == ("pulse_rifle", "grenade_launcher", "revolver")
    assert force.units[1].weapons == ("revolver", "frag_grenade")
    assert (dict(force.units[1].stats), dict(force.units[1].extra)) == ({"I": 45}, {"remark": "late"})


# Pages


def test_a_page_of_a_crew_with_braces(read: Callable[..., Force]) -> None:
    page = """# Crew {squads=none, stress=3}
* 1 Horror {I=50, A=20, W=3, M=2, id=h-1}
## Team B
* 2 Soldiers - Combat Armor, Revolver {I=45, name="O'Neil {x} "}
* 1 Soldier - Combat Armor {weapons=[], wounds=1}

# Notes
* 3 Soldiers who are only a story
"""
    force = read(page)
    assert [(unit.uid, unit.kind, unit.wears, unit.weapons) for unit in force.units] == [
        ("h-1", "Horror", None, ()),
        ("crew-B-1-1", "Soldier", "combat_armor", ("revolver",)),
        ("crew-B-1-2", "Soldier", "combat_armor", ("revolver",)),
        ("crew-B-2-1", "Soldier", "combat_armor", ()),
    ]
    assert force.units[1].name == "O'Neil {x} "
    assert (force.platoon.stress, force.units[3].wounds) == (3, 1)


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("2 Soldiers - Combat Armor, Revolver {id=x}", "one id for several units"),
        ("1 Soldier - Combat Armor, Revolver {wounds=many}", "a value of the wrong type"),
        ("1 Soldier - Combat Armor, Revolver {nmae=x}", "unknown field"),
        ('1 Soldier - Combat Armor, Revolver {weapons=["revolver"]}', "a value of the wrong type"),
        ("1 Soldier - Combat Armor {name=x}", "no weapon is given"),
        ("1 Horror {I=50}", "a unit without armor needs stats of its own"),
        ("1 Horror - Combat Armor, Revolver", "unknown class"),
        ("1 Horror - Heavy Machine Gun {I=50, A=20, W=3, M=2}", "Heavy Machine Gun needs Battle Dress (D-EQ-T2)"),
    ],
)
def test_braces_that_cannot_be_understood(line: str, what: str, read: Callable[..., Force]) -> None:
    with pytest.raises(PageError) as caught:
        read(f"# Green\n### Squad 1\n#### Team A\n* {line}\n")
    assert (4, what) in [(each.line, each.what) for each in caught.value.problems]


@pytest.mark.parametrize("name", ["salvage-crew.toml", "horrors.csv", "starter-platoon.md"])
def test_the_example_rosters_are_read(name: str, catalogue: Catalogue) -> None:
    assert read_force(ROOT / "examples" / "rosters" / name, catalogue).counts["units"] >= 3
