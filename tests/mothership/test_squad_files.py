"""Contractors as JSON and CSV: out and in is equal, and what does not fit is told with its place, all of it at once."""

from __future__ import annotations

import csv
import io
import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rallypoint.content import PageError
from rallypoint.kernel.errors import InputError
from rallypoint_mothership.encounters import Group
from rallypoint_mothership.records import Armor, Contractor, Weapon
from rallypoint_mothership.squad_csv import COLUMNS, read_csv, write_csv
from rallypoint_mothership.squad_json import read_json, write_json

from .strategies import contractors

GROUPS = st.builds(
    Group,
    st.from_regex(r"[a-z]{3,8}-[0-9]{9}", fullmatch=True),
    st.sampled_from(["Отряд Ворон", "The crew "]),
    st.lists(contractors(), min_size=1, max_size=3, unique_by=lambda each: each.uid).map(tuple),
    st.none() | st.integers(0, 20),
)
DISRUPTER = {"class": "NCO", "weapons": ["revolver"], "bot": False, "I": 80}


@given(GROUPS)
def test_json_out_and_in_is_equal(group: Group) -> None:
    assert read_json(write_json(group), "x.json") == group


@given(GROUPS)
def test_json_written_twice_is_the_same(group: Group) -> None:
    assert write_json(read_json(write_json(group), "x.json")) == write_json(group)


@given(GROUPS)
def test_csv_out_and_in_has_the_same_contractors(group: Group) -> None:
    assert read_csv(write_csv(group), "x.csv").contractors == group.contractors


def test_what_a_unit_was_goes_through_both() -> None:
    group = Group("g-1", "G", (Contractor("u", "Ana", disrupter=DISRUPTER),))  # type: ignore[arg-type]
    for found in (read_json(write_json(group), "x.json"), read_csv(write_csv(group), "x.csv")):
        (ana,) = found.contractors
        assert ana.disrupter is not None
        assert {**ana.disrupter, "weapons": list(ana.disrupter["weapons"])} == DISRUPTER  # type: ignore[arg-type]


# JSON


def squad(*rows: object, **fields: object) -> bytes:
    return json.dumps({"contractors": list(rows), **fields}, ensure_ascii=False).encode()


def test_the_example_of_the_documentation() -> None:
    row = {
        "name": "Ana",
        "type": "Marine (grunt)",
        "combat": 30,
        "instinct": 25,
        "loyalty": 22,
        "wounds": 0,
        "max_wounds": 2,
        "weapons": [{"title": "Pulse rifle", "damage": "3d10", "range": "Long"}],
        "armor": [{"title": "Standard battle dress", "armor_points": 7}],
        "salary": 1500,
        "motivation": "debts",
    }
    group = read_json(squad(row, title="The crew", stress=2, format="rallypoint.contractors", version=1), "x.json")
    assert (group.key, group.title, group.stress) == ("the-crew", "The crew", 2)
    assert group.contractors == (
        Contractor(
            "the-crew-1-1",
            "Ana",
            "Marine (grunt)",
            30,
            25,
            22,
            0,
            2,
            (Weapon("Pulse rifle", "3d10", "Long"),),
            (Armor("Standard battle dress", 7),),
            1500,
            "debts",
        ),
    )


def test_a_bare_list_is_named_for_its_file() -> None:
    group = read_json(b'[{"name": "Ana"}, {"name": "Bo", "uid": "bo"}]', "some/where/raven crew.json")
    assert (group.title, group.stress) == ("raven crew", None)
    assert [contractor.uid for contractor in group.contractors] == ["raven-crew-1-1", "bo"]


def test_unknown_fields_are_kept() -> None:
    (ana,) = read_json(squad({"name": "Ana", "trinket": "a coin", "extra": {"patch": None}}), "x.json").contractors
    assert dict(ana.extra) == {"trinket": "a coin", "patch": None}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_encodings(encoding: str) -> None:
    text = '[{"name": "Żółw-1"}, {"name": "狐 🦊"}, {"name": "O\'Neil "}, {"name": "O’Neil"}]'
    group = read_json(text.encode(encoding), "x.json")
    assert [each.name for each in group.contractors] == ["Żółw-1", "狐 🦊", "O'Neil ", "O’Neil"]


@pytest.mark.parametrize(
    ("row", "where", "found"),
    [
        ({"name": "A", "weapons": None}, "contractors[0].weapons", "null"),
        ({"name": "A", "weapons": [None]}, "contractors[0].weapons", "[None]"),
        ({"name": "A", "weapons": [{"title": 5}]}, "contractors[0].weapons[0].title", "5"),
        ({"name": "A", "armor": [{"title": "X", "armor_points": -1}]}, "contractors[0].armor[0].armor_points", "-1"),
        ({"name": None}, "contractors[0].name", "null"),
        ({"name": "A", "combat": "30"}, "contractors[0].combat", "'30'"),
        ({"name": "A", "combat": True}, "contractors[0].combat", "True"),
        ({"name": "A", "combat": 100}, "contractors[0].combat", "100"),
        ({"name": "A", "wounds": -1}, "contractors[0].wounds", "-1"),
        ({"name": "A", "max_wounds": 0}, "contractors[0].max_wounds", "0"),
        ({"name": "A", "notes": "x"}, "contractors[0].notes", "'x'"),
        ({"name": "A", "disrupter": []}, "contractors[0].disrupter", "[]"),
        ({"name": "A", "salary": 1.5}, "contractors[0].salary", "1.5"),
    ],
)
def test_a_field_that_does_not_fit(row: dict[str, object], where: str, found: str) -> None:
    with pytest.raises(PageError) as caught:
        read_json(squad(row), "x.json")
    (problem,) = caught.value.problems
    assert (problem.where, problem.found) == (f"x.json.{where}", found)


def test_every_problem_is_told_at_once() -> None:
    rows = [{"name": " "}, {"name": "B", "wounds": 3, "max_wounds": 2}, {"name": "C", "weapons": [{"titel": "x"}]}]
    with pytest.raises(PageError) as caught:
        read_json(squad(*rows, stress=21, stres=1), "x.json")
    assert [(problem.what, problem.where) for problem in caught.value.problems] == [
        ("this field does not fit", "x.json.stress"),
        ("a contractor needs a name", "x.json.contractors[0]"),
        ("too many Wounds", "x.json.contractors[1]"),
        ("this needs a title", "x.json.contractors[2].weapons[0]"),
        ("unknown field", "x.json.contractors[2].weapons[0]"),
        ("unknown field", "x.json"),
    ]
    assert caught.value.problems[4].hint == "did you mean title?"
    assert caught.value.problems[5].hint == "did you mean stress?"


@pytest.mark.parametrize(
    ("rows", "what"),
    [
        ([{"name": "A", "uid": "y"}, {"name": "B", "uid": "y"}], "a uid stands twice"),
        ([{"name": "A"}, {"name": "B", "uid": "x-1-1"}], "a uid stands twice"),
        ([{"name": "A", "uid": "x"}], "the uid of the group, a squad or a team"),
        ([{"name": "A", "uid": "x-1"}, {"name": "B", "team": "1A"}], "the uid of the group, a squad or a team"),
        ([{"name": "A", "uid": "x-1A", "team": "1A"}], "the uid of the group, a squad or a team"),
        ([], "there are no contractors in this file"),
    ],
)
def test_uids_that_clash_and_nobody(rows: list[object], what: str) -> None:
    with pytest.raises(PageError) as caught:
        read_json(squad(*rows), "x.json")
    assert len(caught.value.problems) == 1
    assert what in caught.value.what


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (b"", "this is not JSON"),
        (b"[" * 100_000, "this is not JSON"),
        (b'{"contractors": [NaN]}', "this is not JSON"),
        (b"5", "there are no contractors in this file"),
        (b'{"units": []}', "there are no contractors in this file"),
        (b'{"contractors": [], "version": 2}', "this version of the format is not read"),
        (b'{"contractors": [], "version": true}', "this version of the format is not read"),
        (b'{"contractors": [], "format": "other"}', "this file is of another format"),
        (b'{"contractors": null}', "this field does not fit"),
        (b"\xe9", "this is not UTF-8"),
    ],
)
def test_what_is_no_squad_is_refused(data: bytes, what: str) -> None:
    with pytest.raises(InputError) as caught:
        read_json(data, "x.json")
    assert what in caught.value.what
    assert "x.json" in str(caught.value)


def test_half_a_character_cannot_be_written() -> None:
    with pytest.raises(InputError, match="half a character"):
        write_json(Group("g", "G", (Contractor("u", "\ud800"),)))


# CSV

TABLE = """name,type,combat,instinct,loyalty,max_wounds,armor,weapons,salary,motivation
Ana,Marine (grunt),30,25,22,2,Standard battle dress (7),Pulse rifle (3d10); Revolver (1d10+1),1500,debts
"O'Neil ",Doctor,15,,,1,Vaccsuit (3/0); Plates (10/3),Scalpel,,
"""


def test_what_a_spreadsheet_gives() -> None:
    group = read_csv(TABLE.encode(), "the crew.csv")
    assert group.title == "the crew"
    ana, neil = group.contractors
    assert ana.weapons == (Weapon("Pulse rifle", "3d10"), Weapon("Revolver", "1d10+1"))
    assert ana.armor == (Armor("Standard battle dress", 7),)
    assert (ana.combat, ana.loyalty, ana.salary, ana.motivation) == (30, 22, 1500, "debts")
    assert (neil.name, neil.combat, neil.instinct, neil.loyalty, neil.salary) == ("O'Neil ", 15, None, None, None)
    assert neil.armor == (Armor("Vaccsuit", 3), Armor("Plates", 10, 3))
    assert neil.weapons == (Weapon("Scalpel"),)


@pytest.mark.parametrize("parting", [";", "\t"])
def test_other_signs_between_cells(parting: str) -> None:
    rows = [["name", "combat", "weapons"], ["Ana", "30", "Revolver (1d10)"]]
    text = "\r\n".join(parting.join(row) for row in rows)
    (ana,) = read_csv(text.encode("utf-8-sig"), "x.csv").contractors
    assert (ana.name, ana.combat, ana.weapons) == ("Ana", 30, (Weapon("Revolver", "1d10"),))


def test_columns_that_nobody_knows_are_kept_and_empty_rows_passed_over() -> None:
    group = read_csv(b"name,trinket\nAna,a coin\n,\n\nBo,\n", "x.csv")
    assert [(each.name, dict(each.extra)) for each in group.contractors] == [("Ana", {"trinket": "a coin"}), ("Bo", {})]


def test_what_is_written_opens_in_a_spreadsheet() -> None:
    group = Group("g", "G", (Contractor("u", 'Ana, "Doc"', combat=30, weapons=(Weapon("SMG"),)),), 4)
    head, row = csv.reader(io.StringIO(write_csv(group).decode("utf-8")))
    assert tuple(head) == COLUMNS
    cells = dict(zip(head, row, strict=True))
    assert (cells["name"], cells["combat"], cells["loyalty"]) == ('Ana, "Doc"', "30", "")
    assert cells["weapons"] == "SMG"


FULL_RIFLE = Weapon("Rifle", "3d10", "Long", 5, "Gunshot", True, "old, but clean")


@pytest.mark.parametrize(
    ("weapon", "cell"),
    [
        (Weapon("Pulse rifle", "3d10"), "Pulse rifle (3d10)"),
        (Weapon("Revolver", "1d10+1", "Close", 1), "Revolver (1d10+1, Close, 1 shot)"),
        (FULL_RIFLE, "Rifle (3d10, Long, Gunshot, 5 shots, anti-armor): old, but clean"),
        (Weapon("Cutter", "1d100", wound="Bleeding [-]"), "Cutter (1d100, Bleeding [-])"),
    ],
)
def test_a_weapon_is_written_as_people_write_it(weapon: Weapon, cell: str) -> None:
    assert cells_of(Contractor("u", "Ana", weapons=(weapon,)))["weapons"] == cell
    assert read_csv(f'name,weapons\nAna,"{cell}"\n'.encode(), "x.csv").contractors[0].weapons == (weapon,)


@pytest.mark.parametrize(
    ("armor", "cell"),
    [
        (Armor("Dress", 7), "Dress (7)"),
        (Armor("Dress", 10, 3, "normal"), "Dress (10/3, normal)"),
        (Armor("Dress", 7, equipped=False), "Dress (7, not worn)"),
    ],
)
def test_armor_is_written_as_people_write_it(armor: Armor, cell: str) -> None:
    assert cells_of(Contractor("u", "Ana", armor=(armor,)))["armor"] == cell
    assert read_csv(f'name,armor\nAna,"{cell}"\n'.encode(), "x.csv").contractors[0].armor == (armor,)


def test_what_has_no_brackets_has_its_note_in_json() -> None:
    written = cells_of(Contractor("u", "Ana", armor=(Armor("Rags", note="smells"),)))["armor"]
    assert json.loads(written) == [{"title": "Rags", "note": "smells"}]


@pytest.mark.parametrize(
    "weapon",
    [
        Weapon("A (b)"),
        Weapon("a; b"),
        Weapon("[x]"),
        Weapon("Gun", "1d10, 2d10"),
        Weapon("Gun", "", "Long"),
        Weapon("Gun", "1d5", "Far"),
        Weapon(" Gun"),
    ],
)
def test_what_people_could_not_write_so_is_json_and_comes_back(weapon: Weapon) -> None:
    group = Group("g", "G", (Contractor("u", "Ana", weapons=(weapon,)),))
    assert read_csv(write_csv(group), "x.csv").contractors == group.contractors


def test_a_list_of_what_a_weapon_is_keeps_unknown_words_as_its_damage() -> None:
    (ana,) = read_csv(b'name,weapons\nAna,"Gun (1d10, on a good day)"\n', "x.csv").contractors
    assert ana.weapons == (Weapon("Gun", "1d10, on a good day"),)


def cells_of(contractor: Contractor) -> dict[str, str]:
    head, row = csv.reader(io.StringIO(write_csv(Group("g", "G", (contractor,))).decode("utf-8")))
    return dict(zip(head, row, strict=True))


def test_the_columns_are_the_fields() -> None:
    assert set(COLUMNS) == set(Contractor._fields)


@pytest.mark.parametrize(
    ("text", "what", "line"),
    [
        ("", "the first row must name the columns", 1),
        ("nam,combat\nAna,30\n", "the first row must name the columns", 1),
        ('name\n"Ana\n', "this is no CSV", 2),
    ],
)
def test_no_table(text: str, what: str, line: int) -> None:
    with pytest.raises(InputError) as caught:
        read_csv(text.encode(), "x.csv")
    assert what in caught.value.what
    assert (caught.value.path, caught.value.line) == ("x.csv", line)


@pytest.mark.parametrize(
    ("text", "problems"),
    [
        ("name,name\nAna,Bo\n", ["x.csv:1: a column stands twice"]),
        ("name\nAna,30\n", ["x.csv:2: a row is longer than the first"]),
        (
            "name,combat\nAna,x\nBo,1.5\n",
            ["x.csv:2.combat: this field does not fit", "x.csv:3.combat: this field does not fit"],
        ),
        ("name,weapons\nAna,Rifle (3d10\n", ["x.csv:2.weapons: this cannot be understood"]),
        ("name,armor\nAna,Dress (AP)\n", ["x.csv:2.armor: this cannot be understood"]),
        ("name,weapons\nAna,[{\n", ["x.csv:2.weapons: this cell is not JSON"]),
        ("name,extra\nAna,words\n", ["x.csv:2.extra: this field does not fit"]),
        ("name,combat\n,30\n", ["x.csv:2: a contractor needs a name"]),
    ],
)
def test_cells_that_do_not_fit(text: str, problems: list[str]) -> None:
    with pytest.raises(PageError) as caught:
        read_csv(text.encode(), "x.csv")
    assert len(caught.value.problems) == len(problems)
    for problem, said in zip(caught.value.problems, problems, strict=True):
        assert str(problem).startswith(said)


@given(st.binary(max_size=60))
def test_any_bytes_are_read_or_refused_in_words(data: bytes) -> None:
    readers: list[Any] = [read_csv, read_json]
    for read in readers:
        with suppress(InputError):
            assert read(data, "x").contractors


@pytest.mark.parametrize("uid", ["../../etc/x", "<script>", "..", "a b", "a\n"])
def test_what_is_no_uid_is_refused_by_file_and_contractor(uid: str) -> None:
    with pytest.raises(PageError) as caught:
        read_json(json.dumps([{"name": "Ana", "uid": uid}]).encode(), "x.json")
    expected = f"x.json.contractors[0]: this cannot be a uid; found: {uid!r}; expected: letters, digits, - _ and ."
    assert [str(problem) for problem in caught.value.problems] == [expected]


def test_half_of_a_sign_is_named_where_it_stands() -> None:
    with pytest.raises(PageError) as caught:
        read_json(b'[{"name": "Ana"}, {"name": "\\ud800"}]', "m.json")
    assert str(caught.value.problems[0]).startswith(
        "m.json.contractors[1].name: half of a sign in a text; found: '\\ud800'"
    )
    assert len(caught.value.problems) == 1


@pytest.mark.parametrize(
    ("row", "found"),
    [
        ('"name": "Ana", "name": "Bo"', "the field 'name' twice in one table"),
        ('"name": "Ana", "extra": ' + "[" * 450 + "]" * 450, "more than 40 tables and lists in each other"),
        ('"name": "Ana", "combat": ' + "9" * 5000, "a number of thousands of digits"),
    ],
)
def test_a_field_twice_and_what_has_no_end_are_refused(row: str, found: str) -> None:
    with pytest.raises(InputError) as caught:
        read_json(f"[{{{row}}}]".encode(), "x.json")
    assert (caught.value.path, caught.value.found) == ("x.json", found)
    cell = row.partition('"extra": ')[2]
    if cell:
        with pytest.raises(PageError) as caught:
            read_csv(f'name,extra\nAna,"{cell}"\n'.encode(), "x.csv")
        assert (caught.value.where, caught.value.found) == ("x.csv:2.extra", found)


def test_reading_contractors_leaves_the_limit_of_csv_cells_as_it_was() -> None:
    before = csv.field_size_limit()
    read_csv(b"name\nAna\n", "a.csv")
    with pytest.raises(InputError):
        read_csv(b'name\n"Ana', "a.csv")
    assert csv.field_size_limit() == before
