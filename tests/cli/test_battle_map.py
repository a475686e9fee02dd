"""battle map: the board of a running battle as SVG and PNG, at any entry, with what moved and fired."""

from __future__ import annotations

import re
import struct
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from rallypoint.kernel.board import Board
from rallypoint.kernel.changes import SetPlace
from rallypoint.kernel.encounter import Encounter, Sheet
from rallypoint.kernel.errors import InputError
from rallypoint.kernel.parts import Hex, Tracker
from rallypoint.kernel.state import Entity, State
from rallypoint.paper.battle_map import Happening, Shot, Walk, battle_map, letters

from .battles import after_acts, entries, said, say

SVG = "{http://www.w3.org/2000/svg}"


def group(svg: str | bytes, key: str) -> ET.Element:
    found = ET.fromstring(svg).find(f".//{SVG}g[@id='{key}']")
    assert found is not None, key
    return found


def words(element: ET.Element) -> list[str]:
    return ["".join(each.itertext()) for each in element.iter(f"{SVG}text")]


def encounter() -> Encounter:
    """Return two stands on a board of 6 by 6: R with two figures in C3, B with one in C5."""
    rows = [
        Entity.new("red", "side"),
        Entity.new("R", "team", parent="red", place=Hex(1, 2)),
        Entity.new("R-1", "unit", parent="R", trackers={"Wounds": Tracker(2, 0, 2)}),
        Entity.new("R-2", "unit", parent="R", trackers={"Wounds": Tracker(0, 0, 1)}),
        Entity.new("blue", "side"),
        Entity.new("B", "team", parent="blue", place=Hex(0, 4)),
        Entity.new("B-1", "unit", parent="B", trackers={"Wounds": Tracker(1, 0, 1)}),
    ]
    sheets = {
        "R": Sheet("R", "Team", "Team", "R-1A"),
        "R-1": Sheet("R-1", "One", "CO", "R-1A"),
        "R-2": Sheet("R-2", "Two", "Bot", "R-1A"),
        "B": Sheet("B", "Team", "Team", "B-1A"),
        "B-1": Sheet("B-1", "One", "Soldier", "B-1A"),
    }
    return Encounter("k", "A fight", "game", State.of(rows), sheets, Board(6, 6, {Hex(2, 2): "forest"}))


def test_badges_have_letters_of_their_own_and_the_legend_says_them() -> None:
    svg = battle_map(encounter(), Happening({"R": ("under cover", "suppressed")}))
    assert words(group(svg, "badges")) == ["U", "S"]
    assert {"under cover", "suppressed"} <= set(words(group(svg, "legend")))
    assert [each.text for each in group(svg, "badges").iter(f"{SVG}title")] == ["under cover, suppressed"]


def test_of_many_statuses_a_plus_stands_for_the_rest() -> None:
    svg = battle_map(encounter(), Happening({"R": ("ash", "bog", "cold", "dust")}))
    assert words(group(svg, "badges")) == ["A", "B", "+"]


def test_letters_never_stand_for_two_notes() -> None:
    notes = ["routed", "retreating", "recharging", "r r", "rr", "r"]
    found = letters(notes)
    assert set(found) == set(notes)
    assert len(set(found.values())) == len(notes)


def test_a_stand_whose_figures_are_all_gone_is_a_cross_and_no_stand() -> None:
    svg = battle_map(encounter(), Happening(gone={"B-1": "dead"}))
    assert words(group(svg, "fallen")) == ["B-1A"]
    assert "B-1A" not in words(group(svg, "stands"))
    assert "R-1A" in words(group(svg, "stands"))
    assert "fallen: 1 stand" in words(group(svg, "legend"))


def test_a_figure_that_ran_leaves_its_place_empty_and_a_dead_one_is_crossed_out() -> None:
    whole = group(battle_map(encounter(), Happening()), "stands")
    dead = group(battle_map(encounter(), Happening(gone={"R-1": "dead"})), "stands")
    ran = group(battle_map(encounter(), Happening(gone={"R-2": "ran"})), "stands")
    pips = len(list(whole.iter(f"{SVG}circle")))
    assert ET.tostring(dead) == ET.tostring(whole)  # all its Wounds are taken: that is crossed out already
    assert len(list(ran.iter(f"{SVG}circle"))) == pips - 2  # the eye of the Bot and its one Wound


def test_moves_and_shots_run_between_the_right_hexes() -> None:
    walk, shot = Walk("red", (Hex(1, 1), Hex(1, 2))), Shot("blue", Hex(0, 4), Hex(1, 2))
    svg = battle_map(encounter(), Happening(walks=(walk,), shots=(shot,)))
    # A hex is 50 mm wide, its centre in row r lies 28.87 + 43.30 r below the top edge; margins are 14 and 30.
    path = next(group(svg, "walks").iter(f"{SVG}path")).get("d", "")
    x1, y1, x2, y2 = map(float, re.findall(r"[\d.]+", path))
    assert (round(x1, 1), round(y1, 1)) == (14 + 25 + 50 + 25, round(30 + 28.87 + 43.30, 1))
    assert (round(x2, 1), round(y2, 1)) == (14 + 25 + 2 * 50, round(30 + 28.87 + 2 * 43.30, 1))
    path = next(group(svg, "shots").iter(f"{SVG}path")).get("d", "")
    x1, y1, x2, y2 = map(float, re.findall(r"[\d.]+", path))
    # From C5 straight up to C3, 86.6 mm apart, 18 mm short at both ends.
    assert (round(x1), round(x2)) == (139, 139)
    assert round(y1 - y2, 1) == round(86.60 - 36, 1)
    assert {"moved", "fired"} <= set(words(group(svg, "legend")))


def test_nothing_is_drawn_of_what_did_not_happen() -> None:
    svg = battle_map(
        encounter(), Happening(walks=(Walk("red", (Hex(1, 2),)),), shots=(Shot("red", Hex(1, 2), Hex(1, 2)),))
    )
    assert len(list(group(svg, "walks"))) == len(list(group(svg, "shots"))) == 0


def test_words_of_a_battle_cannot_break_the_picture() -> None:
    svg = battle_map(encounter()._replace(title="<&>"), Happening({"R": ('a"<&>',)}))
    assert "<&>" in words(ET.fromstring(svg))


def test_a_battle_without_a_board_has_no_map() -> None:
    with pytest.raises(InputError, match="no board"):
        battle_map(encounter()._replace(board=None), Happening())


@pytest.fixture
def fought(home: Path) -> Path:
    return after_acts(home, 20)


def test_the_map_shows_who_stands_where_at_any_entry(fought: Path) -> None:
    out = said("battle", "map", "a.battle", "-o", "then.svg", "--entry", "0")
    picture = (fought.parent / "then.svg").read_bytes()
    assert f"Wrote then.svg ({len(picture)} bytes)." in out
    codes = {word for word in words(group(picture, "stands")) if "-" in word}
    assert codes == {f"{side}-{team}" for side in "RB" for team in ("0A", "1A", "1B")}
    assert "Skirmish, entry 0: Briefing" in words(ET.fromstring(picture))
    assert {"Forest", "Building", "Stream"} <= set(words(group(picture, "legend")))  # in the game's words
    assert say("battle", "map", "a.battle", "-o", "x.svg", "--entry", "999").status == 2
    assert not (fought.parent / "x.svg").exists()


def test_the_last_acts_are_drawn_as_far_back_as_one_likes(fought: Path) -> None:
    moved = [
        (entry.number, event.why)
        for entry in entries(fought)
        if entry.kind == "step"
        for event in entry.events
        if event.kind == "move.step"
    ]
    assert moved
    number, why = moved[-1]
    said("battle", "map", "a.battle", "-o", "m.svg", "--entry", str(number))
    d = [each.get("d", "") for each in group((fought.parent / "m.svg").read_bytes(), "walks").iter(f"{SVG}path")]
    (q, r) = why["to"][:2]  # type: ignore[index]
    x, y = 14 + 25 + 50 * (q + r / 2), 30 + 28.87 + 43.30 * r
    ends = [[float(part) for part in re.findall(r"[\d.]+", each)[-2:]] for each in d]
    assert any(abs(a - x) < 0.1 and abs(b - y) < 0.1 for a, b in ends)
    said("battle", "map", "a.battle", "-o", "none.svg", "--last", "0")
    assert len(list(group((fought.parent / "none.svg").read_bytes(), "walks"))) == 0
    said("battle", "map", "a.battle", "-o", "all.svg", "--last", "500")
    steps = len(moved)
    drawn = len(list(group((fought.parent / "all.svg").read_bytes(), "walks").iter(f"{SVG}circle")))
    assert 1 <= drawn <= steps  # a ring where each stand's way began


@pytest.mark.parametrize("last", [1, 2, 3, 5, 8])
def test_as_many_acts_are_drawn_as_were_asked_for(fought: Path, last: int) -> None:
    steps = [entry for entry in entries(fought) if entry.kind == "step"]
    acts = [entry.number for entry in steps if entry.intent.seat is not None]
    moved = {
        change.uid
        for entry in steps
        if entry.number >= acts[-last]
        for event in entry.events
        for change in event.changes
        if isinstance(change, SetPlace) and change.place is not None
    }
    said("battle", "map", "a.battle", "-o", "m.svg", "--last", str(last))
    rings = list(group((fought.parent / "m.svg").read_bytes(), "walks").iter(f"{SVG}circle"))
    assert len(rings) == len(moved)


def test_a_png_has_the_width_that_is_asked_for(fought: Path) -> None:
    said("battle", "map", "a.battle", "-o", "m.png", "--pixels", "300")
    picture = (fought.parent / "m.png").read_bytes()
    assert picture.startswith(b"\x89PNG\r\n\x1a\n")
    assert struct.unpack(">I", picture[16:20]) == (300,)


def test_true_size_is_in_millimetres(fought: Path) -> None:
    said("battle", "map", "a.battle", "-o", "m.svg", "--true-size")
    width = ET.fromstring((fought.parent / "m.svg").read_bytes()).get("width", "")
    assert width.endswith("mm")
    assert float(width.removesuffix("mm")) >= 6.5 * 50 + 28  # six columns, the half one of odd rows, two margins


def test_other_kinds_of_picture_and_dry_runs_write_nothing(fought: Path) -> None:
    assert say("battle", "map", "a.battle", "-o", "m.gif").status == 2
    assert said("battle", "map", "a.battle", "-o", "m.svg", "--dry-run").startswith("Would write m.svg")
    assert not (fought.parent / "m.svg").exists()
