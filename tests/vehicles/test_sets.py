"""Sets of templates as data: the house set, reading, everything that is refused, what is worth a second look."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rallypoint.content.problems import PageError
from rallypoint.kernel.errors import InputError
from rallypoint_vehicle_templates import set_files
from rallypoint_vehicle_templates.geometry import Leg
from rallypoint_vehicle_templates.set_files import FOLDERS, read_file, read_set, set_named
from rallypoint_vehicle_templates.templates import KNOWN, MovementTemplate, remarks

HOUSE = set_named("house")
GOOD: dict[str, Any] = {
    "set": "mine",
    "templates": [{"id": "gentle", "gears": [2, 3], "end": {"x": 10, "y": 40, "h": 20}}],
    "slide": {"end": {"x": 20, "y": 10}},
}
EDGE = st.floats(-80, 80)
SHAPES = st.builds(
    MovementTemplate,
    st.just("t"),
    st.just("T"),
    st.just((1, 4)),
    st.builds(Leg, EDGE, EDGE, st.floats(-180, 180)),
    st.builds(Leg, EDGE, EDGE, st.floats(-180, 180)),
    st.lists(st.builds(Leg, EDGE, EDGE, EDGE), max_size=3).map(tuple),
    st.none(),
)


def problems(**changed: object) -> list[str]:
    """Return what is said of the good document with other fields, each without the name of the file."""
    with pytest.raises(PageError) as caught:
        read_set(json.dumps(GOOD | changed), "mine.json")
    return [str(each).removeprefix("mine.json: ") for each in caught.value.problems]


def template(**changed: object) -> list[Mapping[str, object]]:
    return [{**GOOD["templates"][0], **changed}]


# The house set


@pytest.mark.rule("D-VE-4")
def test_a_template_costs_its_highest_gear() -> None:
    assert {name: each.cost for name, each in HOUSE.templates.items()} == {
        "short_straight": 3,
        "medium_straight": 6,
        "long_straight": 6,
        "gentle": 6,
        "turn": 5,
        "hard": 4,
        "hairpin": 3,
        "veer": 6,
        "swerve": 5,
    }


@pytest.mark.rule("D-VE-3")
def test_the_house_set_is_the_one_of_our_notes_at_half_size() -> None:
    ends = {name: tuple(round(value, 2) for value in each.end) for name, each in HOUSE.templates.items()}
    assert ends == {
        "short_straight": (0, 50, 0),
        "medium_straight": (0, 70, 0),
        "long_straight": (0, 91, 0),  # half of 182 mm
        "gentle": (16.08, 60.0, 30),
        "turn": (35.0, 60.62, 60),
        "hard": (45, 45, 90),
        "hairpin": (50, 0, 180),
        "veer": (20, 60, 0),
        "swerve": (35, 55, 0),
    }
    assert {each.width for each in HOUSE.templates.values()} == {17.5}  # half of 35 mm
    assert HOUSE.slide.end == Leg(20, 10)
    assert HOUSE.slide.headings == (0, 90, 180, 270)


def test_the_house_set_says_that_it_is_ours_and_unverified() -> None:
    assert tuple(HOUSE.templates) == KNOWN
    assert HOUSE.house
    assert not any(each.verified for each in HOUSE.templates.values())
    assert list(remarks(HOUSE)) == [
        "this is a house set: simple curves and gears of our own, not the templates of Gaslands"
    ]


@pytest.mark.rule("D-VE-8")
def test_bent_templates_have_two_faces_and_straight_ones_one() -> None:
    assert [key for key, _ in HOUSE.templates["hard"].faces()] == ["hard right", "hard left"]
    assert [key for key, _ in HOUSE.templates["veer"].faces()] == ["veer right", "veer left"]
    assert [key for key, _ in HOUSE.templates["long_straight"].faces()] == ["long_straight"]
    faces = dict(HOUSE.templates["hard"].faces())
    assert faces["hard left"].end == Leg(-45, 45, -90)


@given(SHAPES)
@pytest.mark.rule("D-VE-8")
def test_a_template_turned_over_twice_is_as_it_was(shape: MovementTemplate) -> None:
    assert shape.turned_over().turned_over() == shape
    assert shape.turned_over().cost == shape.cost == 4


@given(SHAPES)
def test_the_way_of_the_other_face_is_the_mirror_image(shape: MovementTemplate) -> None:
    for one, other in zip(shape.way(), shape.turned_over().way(), strict=True):
        assert other[:2] == pytest.approx((-one.right, one.ahead), abs=1e-9)


def test_the_way_of_an_arc_leads_to_its_end_on_both_faces() -> None:
    for name in ("gentle", "turn", "hard", "hairpin"):
        for _, face in HOUSE.templates[name].faces():
            assert face.way()[-1] == pytest.approx(face.end)


# Reading


def test_a_set_in_toml_and_in_json_is_the_same() -> None:
    text = """
        set = "mine"
        templates = [{ id = "gentle", gears = [2, 3], end = { x = 10, y = 40, h = 20 } }]
        slide = { end = { x = 20, y = 10 } }
    """
    assert tomllib.loads(text) == GOOD
    assert read_set(text, "a.toml") == read_set(json.dumps(GOOD), "a.json")


def test_templates_that_were_measured_at_full_size_are_halved() -> None:
    row = template(end={"x": 20, "y": 80, "h": 20}, notch={"x": 18, "y": 60}, width=35)
    found = read_set(json.dumps(GOOD | {"scale": 1, "templates": row, "slide": {"end": {"x": 40, "y": 20}}}), "a.json")
    gentle = found.templates["gentle"]
    assert (gentle.end, gentle.notch, gentle.width) == (Leg(10, 40, 20), Leg(9, 30, 0), 17.5)
    assert found.slide.end == Leg(20, 10)
    bent = read_set(json.dumps(GOOD | {"scale": 1, "templates": _arcs(90, 90)}), "a.json").templates["gentle"]
    assert bent.end == Leg(45, 45, 90)


def _arcs(radius: float, angle: float) -> list[object]:
    return [{"id": "gentle", "gears": [2], "arc": {"radius": radius, "angle": angle}}]


def test_without_a_notch_of_its_own_a_template_has_it_at_its_end() -> None:
    gentle = read_set(json.dumps(GOOD), "a.json").templates["gentle"]
    assert gentle.notch == gentle.end
    assert gentle.mirror
    assert not gentle.verified


def test_other_data_have_another_digest_and_the_same_have_the_same() -> None:
    one, again = (read_set(json.dumps(GOOD), "a.json").digest for _ in range(2))
    other = read_set(json.dumps(GOOD | {"templates": template(gears=[2])}), "a.json").digest
    assert one == again != other


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"set": "My Set"}, "set: this cannot be a name; found: 'My Set'"),
        ({"unit": "in"}, "unit: another unit; found: 'in'; expected: mm"),
        ({"scale": 0}, "scale: a number out of range; found: 0; expected: 0.1 to 10"),
        ({"stops_with": "side"}, "stops_with: an unknown word; found: 'side'; expected: front or rear"),
        ({"templates": []}, "templates: no template in this set"),
        ({"templates": template() * 2}, "templates[1].id: two templates have one id; found: gentle"),
        ({"templates": template(geers=[1])}, "templates[0].geers: unknown field"),
        ({"templates": template(gears=[0])}, "templates[0].gears: gears go from 1 to 6; found: [0]; "),
        ({"templates": template(gears=[7])}, "templates[0].gears: gears go from 1 to 6; found: [7]; "),
        ({"templates": template(gears=[])}, "templates[0].gears: gears go from 1 to 6; found: nothing; "),
        ({"templates": template(gears=[2, 2])}, "templates[0].gears: gears go from 1 to 6; found: [2, 2]; "),
        (
            {"templates": template(gears=[2, "3", 4.5])},
            "templates[0].gears: gears go from 1 to 6; found: [2, '3', 4.5]; ",
        ),
        ({"templates": template(gears=[True])}, "templates[0].gears: gears go from 1 to 6; found: [true]; "),
        (
            {"templates": template(end={"x": "10", "y": 4})},
            "templates[0].end.x: a value of the wrong type; found: '10'",
        ),
        ({"templates": template(end={"y": 4})}, "templates[0].end.x: a field is missing"),
        ({"templates": template(end={"x": 0, "y": 0})}, "templates[0].end: a template that leads nowhere"),
        ({"templates": template(end={"x": 0, "y": 9e9})}, "templates[0].end.y: a number out of range"),
        ({"templates": template(arc={"radius": 9, "angle": 9})}, "templates[0]: a template has an end or is an arc"),
        (
            {"templates": [{"id": "a", "gears": [1]}]},
            "templates[0]: a template has an end or is an arc; found: nothing",
        ),
        ({"templates": _arcs(0, 90)}, "templates[0].arc.radius: a number out of range"),
        ({"templates": template(path=[{"x": 0, "y": 9}])}, "templates[0].path: the path does not lead to the end"),
        ({"slide": {}}, "slide.end: a field is missing"),
        ({"slide": {"end": {"x": 1, "y": 1}, "facing": "up"}}, "slide.facing: an unknown word; found: 'up'"),
        ({"slide": {"end": {"x": 1, "y": 1}, "headings": [90]}}, "slide.headings: a fixed facing has no headings"),
    ],
)
def test_what_cannot_be_a_set_is_said_with_its_place(changed: Mapping[str, object], said: str) -> None:
    found = problems(**changed)
    assert any(each.startswith(said) for each in found), found


def test_gears_that_are_no_list_are_told_once() -> None:
    assert len(problems(templates=template(gears=3))) == 1


def test_all_problems_are_told_at_once() -> None:
    assert len(problems(unit="in", templates=template(gears=[9]), slide={})) == 3


def test_what_is_no_document_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PageError, match="this is not TOML"):
        read_set("set = ", "a.toml")
    with pytest.raises(InputError):
        read_set("[1", "a.json")
    with pytest.raises(InputError, match="this file cannot be read"):
        read_file(tmp_path / "none.toml")
    (tmp_path / "odd.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="this is not text in UTF-8"):
        read_file(tmp_path / "odd.toml")
    (tmp_path / "large.toml").write_bytes(b"#" * 1_000_001)
    with pytest.raises(InputError, match="too large"):
        read_file(tmp_path / "large.toml")


def test_sets_are_found_by_name_in_the_folders_that_are_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    set_files.set_named.cache_clear()
    (tmp_path / "mine.json").write_text(json.dumps(GOOD))
    (tmp_path / "other.json").write_text(json.dumps(GOOD))
    with pytest.raises(InputError, match=f"there is no such set of templates; found: mine; .*set {FOLDERS}"):
        set_named("mine")
    monkeypatch.setenv(FOLDERS, str(tmp_path))
    assert set_named("mine").templates["gentle"].cost == 3
    with pytest.raises(InputError, match="a set has the name of its file; found: mine; expected: other"):
        set_named("other")
    set_files.set_named.cache_clear()


# A second look


def test_what_is_at_odds_with_what_is_known_is_remarked() -> None:
    rows = [
        {"id": "long_straight", "gears": [6], "end": {"x": 0, "y": 182}, "verified": True},
        {"id": "hairpin", "gears": [1, 2], "arc": {"radius": 25, "angle": 180}, "verified": True},
        {"id": "own_idea", "gears": [1], "end": {"x": 0, "y": 9}},
    ]
    said = list(remarks(read_set(json.dumps(GOOD | {"templates": rows}), "a.json")))
    assert said == [
        "not in this set: short_straight, medium_straight, gentle, turn, hard, veer, swerve",
        "measured once only (verified = false): own_idea",
        "long_straight is 182 mm long at half size; 182 mm at full size are published, which is 91",
        "hairpin is usable up to gear 2; the one example that is published says gear 3",
    ]


def test_nothing_of_the_real_set_is_in_ours() -> None:
    """Whatever we ship is marked as ours: a set that is not a house set would claim a measure that nobody here took."""
    folder = Path(set_files.__file__).parent
    documents = [path for path in folder.iterdir() if path.suffix in (".toml", ".json")]
    sets = [path for path in documents if path.name != "rallypoint-plugin.toml"]
    assert [path.name for path in sets] == ["house.toml"]
    assert "not Gaslands" in tomllib.loads(sets[0].read_text("utf-8"))["source"]
