"""Rosters, packs and scenarios that nobody writes by hand: each is a clear error, and none takes long to read."""

from __future__ import annotations

import json
import re

import pytest

from rallypoint.content import Catalogue, Form, PageError, parse_force
from rallypoint.content import gear_reader as gear_module
from rallypoint.content.attributes import split_attributes
from rallypoint.content.content_pack import read_pack
from rallypoint.content.problems import Problems
from rallypoint.content.scenario_table import parsed
from rallypoint.content.source import decode
from rallypoint.kernel.errors import InputError

UNIT = {"class": "NCO", "armor": "battle_dress", "weapons": ["revolver"]}


def page(unit: str, title: str = "Green Platoon") -> str:
    return f"# {title}\n### Squad 1 - Infantry\n#### Team A\n* {unit}\n"


def said(text: str, form: Form, catalogue: Catalogue) -> str:
    with pytest.raises(InputError) as caught:
        parse_force(text, form, catalogue, path="x", title="x")
    assert caught.value.exit_status == 2
    assert len(str(caught.value)) < 3000
    return str(caught.value)


def nested(depth: int) -> str:
    return "[" * depth + "]" * depth


def tables(depth: int) -> str:
    return '{"a":' * depth + "1" + "}" * depth


@pytest.mark.parametrize(
    ("text", "form", "expected"),
    [
        (
            page("1 NCO - Power Armor, Revolver {weapons=" + nested(2000) + "}"),
            "markdown",
            "x:4: this is more than braces",
        ),
        (page("1 NCO - Power Armor, Revolver {mood=" + nested(60) + "}"), "markdown", "x:4: this is more than braces"),
        (
            page("1 NCO - Power Armor, Revolver {mood=[1" + "0" * 400 + "]}"),
            "markdown",
            "a number of hundreds of digits",
        ),
        ('{"units": [' + tables(900) + "]}", "json", "more than 40 tables and lists in each other"),
        ('{"units": [' + tables(41) + "]}", "json", "more than 40 tables and lists in each other"),
        (nested(200_000), "json", "tables and lists in each other without end"),
        ('{"roster": ' + "9" * 5000 + "}", "json", "this is not JSON; found: a number of thousands of digits"),
        ('{"mood": ' + "9" * 900 + "}", "json", "a number of hundreds of digits"),
        ("foo = " + nested(5000), "toml", "this is not TOML; found: tables and lists in each other without end"),
        ("foo = " + nested(60), "toml", "more than 40 tables and lists in each other"),
        (
            "a" + ".a" * 20_000 + " = 1",
            "toml",
            "x:1: this is not TOML that is read; found: a key of more than 40 parts",
        ),
        (
            "b = {a" + '."a"' * 20_000 + " = 1}",
            "toml",
            "x:1: this is not TOML that is read; found: a key of more than 40",
        ),
        ("roster = " + "9" * 5000, "toml", "this is not TOML; found: a number of thousands of digits"),
        ("mood = 0x" + "f" * 5000, "toml", "a number of hundreds of digits"),
        ("[mood]\n'$json' = '" + nested(900) + "'", "toml", "more than 40 tables and lists in each other"),
        (
            'class,extra\nNCO,"' + nested(200_000) + '"',
            "csv",
            "x:2: this is not CSV; found: field larger than field limit",
        ),
        (
            "class,extra\nNCO," + nested(60),
            "csv",
            "x:2: extra: this is more than a cell may hold; found: more than 40 tables",
        ),
        ("class," + ",".join(f"c{number}" for number in range(100_000)), "csv", "too many columns; found: 100001"),
    ],
)
def test_what_is_too_deep_or_too_large(catalogue: Catalogue, text: str, form: Form, expected: str) -> None:
    assert expected in said(text, form, catalogue)


def test_what_people_write_is_far_from_the_limits(catalogue: Catalogue) -> None:
    deep = json.loads(nested(30))
    text = json.dumps({"roster": 1, "units": [{**UNIT, "mood": deep, "debt": 10**300}]})
    (unit,) = parse_force(text, "json", catalogue, path="x", title="x").units
    assert unit.extra["debt"] == 10**300


def test_a_pack_and_a_scenario_have_the_same_limits(catalogue: Catalogue) -> None:
    for text, expected in (
        ("a" + ".a" * 20_000 + " = 1", "a key of more than 40 parts"),
        ("a = " + nested(60), "more than 40"),
    ):
        with pytest.raises(PageError, match=expected):
            read_pack(text, "x", catalogue)
        with pytest.raises(PageError, match=expected):
            parsed(text, Problems("x"))


# Halves of signs, control characters


@pytest.mark.parametrize(
    ("unit", "expected"),
    [
        ('{"class": "NCO", "\\ud800": 1}', "x: units[0]: half of a sign in the name of a field; found: '\\ud800'"),
        ('{"class": "NCO", "mood": {"\\udfff": 1}}', "x: units[0].mood: half of a sign in the name of a field"),
        (
            '{"class": "NCO", "mood": "\\ud800"}',
            "x: units[0].mood: half of a sign in a text; found: '\\ud800'; expected: letters",
        ),
        (
            '{"class": "NCO", "weapons": ["\\ud800"]}',
            "x: units[0].weapons[0]: half of a sign, or a control character, in a text",
        ),
        (
            '{"class": "NCO", "weapons": [3]}',
            "x: units[0].weapons[0]: a value of the wrong type; found: 3; expected: a text",
        ),
        ('{"class": "NCO", "name": "A\\u0000"}', "x: units[0].name: a control character in a text; found: 'A\\x00'"),
        ('{"class": "NCO", "name": "A\\u001b[31m"}', "x: units[0].name: a control character in a text"),
        ('{"class": "NCO", "name": "A\\u009b"}', "x: units[0].name: a control character in a text"),
        ('{"class": "NCO", "name": "A\\nB"}', "x: units[0].name: a control character in a text"),
    ],
)
def test_signs_that_are_none(catalogue: Catalogue, unit: str, expected: str) -> None:
    assert expected.replace("'\\ud800'", repr("\ud800")) in said(f'{{"units": [{unit}]}}', "json", catalogue)


def test_control_characters_on_a_page(catalogue: Catalogue) -> None:
    unit = "1 NCO - Power Armor, Revolver"
    assert "x:1: a control character in this line" in said(page(unit, "Green\x9b31m"), "markdown", catalogue)
    assert "x:4: " in said(page(unit + ' {name="a\\u001b"}'), "markdown", catalogue)


@pytest.mark.parametrize(
    ("sign", "name"), [("\x1b", "U+001B"), ("\x07", "U+0007"), ("\x08", "U+0008"), ("\x0b", "U+000B")]
)
def test_a_file_with_control_characters_is_no_text(sign: str, name: str) -> None:
    with pytest.raises(InputError, match=re.escape(f"found: a control ({name}) character after 4 others")) as caught:
        decode(f"a\nb {sign}".encode(), "x.md")
    assert caught.value.line == 2
    assert decode(b"a\tb\r\n\f", "x.md") == "a\tb\r\n\f"


def test_a_column_that_is_kept_can_be_read_from_a_file_again(catalogue: Catalogue) -> None:
    from rallypoint.content import write_force

    text = json.dumps({"roster": 1, "units": [{**UNIT, "mood": "a\u0001b"}]})
    force = parse_force(text, "json", catalogue, path="x", title="x")
    again = decode(write_force(force, "csv", catalogue).encode(), "x.csv")
    assert parse_force(again, "csv", catalogue, path="x", title="x").units[0].extra == {"mood": "a\u0001b"}


# Length


@pytest.mark.parametrize(
    ("unit", "expected"),
    [
        (
            "1 NCO - Power Armor" + ", Revolver" * 40_000,
            "x:4: this line is too long; found: 400019 signs; expected: at most 2000",
        ),
        ("1 NCO - Power Armor, Pulse Rifle" + " w/ GL" * 40_000, "x:4: this line is too long"),
        ("1 NCO" + " " * 10 + "x " * 40_000, "x:4: this line is too long"),
        ("1 NCO - Power Armor, Revolver " + "{" * 40_000 + "}", "x:4: this line is too long"),
    ],
)
def test_a_line_without_end(catalogue: Catalogue, unit: str, expected: str) -> None:
    assert expected in said(page(unit), "markdown", catalogue)


def test_what_cannot_be_read_is_told_once(catalogue: Catalogue) -> None:
    unit = "1 NCO - Power Armor, Revolver {weapons=" + nested(2000) + "}"
    assert said(page(unit), "markdown", catalogue) == (
        "x:4: this is more than braces may hold; found: tables and lists in each other without end; expected: less"
    )


def test_a_heading_without_end(catalogue: Catalogue) -> None:
    assert "x:1: this heading is too long" in said(
        page("1 NCO - Power Armor, Revolver", "x - " * 5000), "markdown", catalogue
    )


@pytest.mark.parametrize(
    ("weapons", "expected"),
    [
        (["Revolver"] * 40_000, "units[0].weapons: too many weapons; found: 40000; expected: at most 50"),
        (["Pulse Rifle" + " w/ GL" * 40_000], "units[0].weapons: this is too long for a weapon; found: 240011 signs"),
    ],
)
def test_more_than_anybody_carries(
    catalogue: Catalogue, monkeypatch: pytest.MonkeyPatch, weapons: list[str], expected: str
) -> None:
    asked = 0

    def item(self: gear_module.GearReader, *_values: object) -> None:
        nonlocal asked
        asked += 1

    whole = json.dumps({"roster": 1, "units": [{**UNIT, "weapons": weapons}]})
    assert expected in said(whole, "json", catalogue)
    monkeypatch.setattr(gear_module.GearReader, "item", item)
    reader = gear_module.GearReader(catalogue, Problems("x"), 1)
    reader.listed(tuple(weapons))
    assert asked == 0


def test_a_picture_in_the_braces_may_be_long(catalogue: Catalogue) -> None:
    picture = "data:image/png;base64," + "A" * 100_000
    text = page(f'1 NCO - Power Armor, Revolver {{image="{picture}"}}')
    assert parse_force(text, "markdown", catalogue, path="x", title="x").units[0].picture == picture


def test_braces_are_looked_at_a_limited_number_of_times() -> None:
    assert split_attributes("{" * 49 + "a=1}").attributes == {"a": "1"}
    assert split_attributes("{" * 51 + "a=1}").attributes == {}


def test_a_field_that_stands_twice_among_many(catalogue: Catalogue) -> None:
    names = [f'"k{number}": 1' for number in range(50_000)]
    text = "{" + ", ".join([*names, '"k49999": 2']) + "}"
    assert "the field 'k49999' twice in one table" in said(text, "json", catalogue)


# Pictures


@pytest.mark.parametrize(
    "picture",
    [
        "https://example.org/a.png",
        "HTTP://example.org/a",
        "data:image/svg+xml;base64,AAAA",
        "pictures/raven.png",
        "../a b.webp",
        "a.png?x=1:2",
        "a#b:c",
    ],
)
def test_pictures(catalogue: Catalogue, picture: str) -> None:
    text = json.dumps({"roster": 1, "units": [{**UNIT, "image": picture}]})
    assert parse_force(text, "json", catalogue, path="x", title="x").units[0].picture == picture


@pytest.mark.parametrize(
    "picture",
    [
        "javascript:alert(1)",
        "JaVaScRiPt:alert(1)",
        " javascript:alert(1)",
        "vbscript:x",
        "data:text/html,<script>",
        "data:,x",
        "file:///etc/passwd",
        "//example.org/a.png",
        "/etc/passwd",
        "\\\\host\\a",
        "C:\\a.png",
        "https:a",
        "https://",
        "blob:x",
    ],
)
def test_what_is_no_picture(catalogue: Catalogue, picture: str) -> None:
    line = page(f"1 NCO - Power Armor, Revolver {{image={json.dumps(picture)}}}")
    assert f"x:4: image: no picture; found: {picture!r}; expected: http://" in said(line, "markdown", catalogue)
    for form, text in _records(picture):
        assert "units[0].image: no picture" in said(text, form, catalogue)


def _records(picture: str) -> list[tuple[Form, str]]:
    quoted = json.dumps(picture)
    head = '[[units]]\nclass = "NCO"\narmor = "battle_dress"\nweapons = ["revolver"]\n'
    return [
        ("json", json.dumps({"units": [{**UNIT, "image": picture}]})),
        ("toml", f"{head}image = {quoted}\n"),
        ("csv", f'class;armor;weapons;image\nNCO;battle_dress;revolver;"{picture}"\n'),
    ]
