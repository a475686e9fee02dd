"""Braces at the end of a line: what is read, what stays text, and that nothing is lost on the way out and in."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rallypoint.content import Catalogue, parse_force, write_force
from rallypoint.content.attributes import Bare, split_attributes, write_attributes


@pytest.mark.parametrize(
    ("line", "text", "attributes"),
    [
        ("CO {id=co-1}", "CO", {"id": "co-1"}),
        ("CO { id=co-1  name=Ash }", "CO", {"id": "co-1", "name": "Ash"}),
        ('CO {a="}{", b=[1, {"c": 2}], d={"e": []}}', "CO", {"a": "}{", "b": [1, {"c": 2}], "d": {"e": []}}),
        ('CO {x} {"a b"=1}', "CO {x}", {"a b": "1"}),
        (r'CO {name="\u00a0\n\""}', "CO", {"name": '\u00a0\n"'}),
    ],
)
def test_what_braces_say(line: str, text: str, attributes: dict[str, object]) -> None:
    assert split_attributes(line) == (text, attributes)


@pytest.mark.parametrize(
    "line",
    [
        "CO",
        "CO {}",
        "CO {x}",
        "CO {id=a, id=b}",
        "CO {id=}",
        "CO {id=a",
        "CO {id=a} x",
        'CO {id="a}',
        "CO {=a}",
        "CO {1=a}",
    ],
)
def test_what_is_no_list_of_attributes_stays_text(line: str) -> None:
    assert split_attributes(line) == (line, {})


@given(st.dictionaries(st.text(st.characters(codec="utf-8")), st.text(st.characters(codec="utf-8")), max_size=3))
def test_out_and_in(attributes: dict[str, str]) -> None:
    line = "CO" + write_attributes(attributes)
    text, found = split_attributes(line)
    assert text == "CO"
    assert {name: str(value) for name, value in found.items()} == attributes
    assert all(sign == " " or sign.isprintable() for sign in line)


def test_words_that_json_reads_otherwise_are_quoted() -> None:
    assert write_attributes({"a": "true", "b": "null", "c": "12", "d": "x-1"}) == ' {a="true", b="null", c="12", d=x-1}'
    assert (Bare("true").value(), Bare("null").value(), Bare("1.5").value(), Bare("NaN").value()) == (
        True,
        None,
        1.5,
        "NaN",
    )


@pytest.mark.parametrize("name", ["wepons", "title", "Class", "force_extras", " "])
def test_a_field_whose_name_is_nearly_a_column_does_not_become_one(name: str, catalogue: Catalogue) -> None:
    unit = {"class": "CO", "armor": "combat_armor", "weapons": ["revolver"], "extra": {name: "mine"}}

    force = parse_force(json.dumps({"title": "Crew", "units": [unit]}), "json", catalogue, path="x", title="t")
    head, row, _ = write_force(force, "csv", catalogue).split("\r\n")
    assert head.endswith(",extra")
    assert row.endswith('"{""' + name + '"": ""mine""}"')
    again = parse_force(f"{head}\r\n{row}\r\n", "csv", catalogue, path="x", title="t")
    assert dict(again.units[0].extra) == {name: "mine"}
