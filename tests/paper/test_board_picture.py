"""The board as a picture: everything is on it once, where the formula says, and legible."""

from __future__ import annotations

import math
import re
from collections import Counter
from xml.etree import ElementTree as ET

import pytest

from rallypoint.content import read_force
from rallypoint.content.scenario import read_scenario
from rallypoint.disrupter import catalogue, deployed, scenario_words
from rallypoint.kernel.board import Board
from rallypoint.kernel.encounter import Encounter, Sheet
from rallypoint.kernel.errors import InputError
from rallypoint.kernel.parts import Hex, Pose
from rallypoint.kernel.state import Entity, State
from rallypoint.paper.board_picture import board_picture, hex_name
from rallypoint.paper.look import INK, PAPER, side_looks
from rallypoint.paper.terrain import PATTERNS, TerrainLook, terrain_looks

from .pictures import EMPTY_WORDS, ROOT, SVG, contrast, luminance, parsed, part, small, texts, width_of, wounded

LEFT, TOP = 14.0, 30.0  # where the board begins in the picture


def ford(wounds: dict[str, int] | None = None) -> tuple[Encounter, str]:
    words = scenario_words()
    scenario = read_scenario(ROOT / "examples" / "scenarios" / "ford.toml", words)
    forces = {side.name: read_force(scenario.roster(side), catalogue()) for side in scenario.sides}
    found = deployed(scenario, forces)
    encounter = wounded(found.encounter, wounds or {})
    looks = {key: TerrainLook(each.title, each.pattern) for key, each in words.terrain.items()}
    return encounter, board_picture(encounter, terrain=looks, zones=found.zones)


ENCOUNTER, PICTURE = ford()


def point(column: int, row: int) -> tuple[float, float]:
    """Return the centre of a hex by the formula: 50 mm a column, half of that for odd rows, 43.3 mm a row."""
    return LEFT + 25 + 50 * column + 25 * (row % 2), TOP + 50 / math.sqrt(3) + 75 / math.sqrt(3) * row


def test_it_is_one_well_formed_document_with_the_size_of_the_board() -> None:
    root = parsed(PICTURE)
    _, _, width, height = map(float, root.attrib["viewBox"].split())
    assert width == pytest.approx(625 + 2 * LEFT)
    assert height > 534 + TOP
    assert root.findtext(f"{SVG}title") == "The Ford"
    assert float(root.attrib["width"]) / width == pytest.approx(1.6)  # 80 pixels a hex


def test_the_same_encounter_gives_the_same_bytes() -> None:
    assert ford()[1] == PICTURE


def test_every_hex_is_named_once_at_its_foot() -> None:
    found = Counter(each.words for each in texts(part(PICTURE, "coordinates")))
    names = {f"{'ABCDEFGHIJKL'[column]}{row + 1}" for column in range(12) for row in range(12)}
    assert {name for name in found if len(name) > 1 and name[0].isalpha()} == names
    assert {found[name] for name in names} == {1}
    assert {name for name in found if name.isalpha()} == set("ABCDEFGHIJKL")
    assert {name for name in found if name.isdigit()} == {str(row) for row in range(1, 13)}
    for each in texts(part(PICTURE, "coordinates")):
        if re.fullmatch(r"[A-L]\d+", each.words):
            column, row = "ABCDEFGHIJKL".index(each.words[0]), int(each.words[1:]) - 1
            x, y = point(column, row)
            assert each.x == pytest.approx(x, abs=0.01)
            assert y + 15 < each.y < y + 28


def test_terrain_lies_at_its_hexes() -> None:
    board = ENCOUNTER.board
    assert board is not None
    uses = list(part(PICTURE, "ground").iter(f"{SVG}use"))
    kinds: dict[str, set[tuple[float, float]]] = {}
    for use in uses:
        kinds.setdefault(use.attrib["href"], set()).add((float(use.attrib["x"]), float(use.attrib["y"])))
    drawn = sorted(len(places) for places in kinds.values())
    counts = sorted(Counter(board.terrain.values()).values())
    assert drawn == counts
    assert len(uses) == 72
    # The building at F1 and the forest at C1 are in row 1 of the drawing in the file.
    (forest,) = [href for href, places in kinds.items() if any(math.dist(at, point(2, 0)) < 0.1 for at in places)]
    (building,) = [href for href, places in kinds.items() if any(math.dist(at, point(6, 0)) < 0.1 for at in places)]
    assert forest != building


def test_every_terrain_has_marks_of_its_own_in_ink_that_can_be_seen() -> None:
    shapes = {}
    for name, (ground, ink, marks) in PATTERNS.items():
        drawn = "".join(marks(ink))
        shapes[name] = drawn.replace(ink, "")
        assert contrast(ink, ground) >= 4.5, name
    assert len(set(shapes.values())) == len(PATTERNS)
    patterns = [each.pattern for each in scenario_words().terrain.values()]
    assert len(set(patterns)) == len(patterns)
    assert set(patterns) <= set(PATTERNS)


def test_stands_lie_in_their_hexes_with_code_and_a_mark_for_each_figure() -> None:
    stands = list(part(PICTURE, "stands"))
    assert len(stands) == 14
    by_code = {next(texts(each)).words: each for each in stands}
    assert set(by_code) == {f"{side}-{team}" for side in "RB" for team in ("0A", "1A", "1B", "1C", "2A", "2B", "2C")}
    for entity in ENCOUNTER.state:
        if entity.role == "team":
            place = entity.place
            assert isinstance(place, Hex)
            code = next(texts(by_code[ENCOUNTER.sheets[entity.uid].code]))
            x, y = point(place.q + place.r // 2, place.r)
            assert code.x == pytest.approx(x, abs=0.01)
            assert abs(code.y - y) < 12
    # Blue begins at the top with 1B in F2 and the command in E1, as the file says.
    assert next(texts(by_code["B-1B"])).x == pytest.approx(point(5, 1)[0])
    assert next(texts(by_code["B-0A"])).x == pytest.approx(point(4, 0)[0])


def pips(stand: ET.Element, colour: str) -> tuple[int, int]:
    """Return how many Wounds are shown as taken and as left: small circles with a thin line of the side's ink."""
    small_ones = [
        each for each in stand.iter(f"{SVG}circle") if each.get("stroke") == colour and float(each.attrib["r"]) < 1
    ]
    return sum(each.get("fill") == colour for each in small_ones), sum(
        each.get("fill") == "none" for each in small_ones
    )


def test_wounds_are_pips_taken_and_left() -> None:
    units = [entity.uid for entity in ENCOUNTER.state if entity.role == "unit"]
    team = [uid for uid in units if ENCOUNTER.sheets[uid].code == "R-0A"]
    # R-0A: a CO with W 2, two Soldiers with W 3, a Bot with W 1: nine in all (rules-table numbers).
    _, picture = ford(dict(zip(team, (1, 3, 0, 0), strict=True)))
    stand = next(each for each in part(picture, "stands") if next(texts(each)).words == "R-0A")
    colour = side_looks(ENCOUNTER)["red"].on_body
    assert pips(stand, colour) == (4, 5)
    crosses = [each for each in stand.iter(f"{SVG}path") if each.get("stroke") == colour]
    assert len(crosses) == 1  # the second figure has taken all of its three


def test_many_wounds_are_numbers() -> None:
    found = small(Board(2, 2), most=10, place=Hex(0, 0))
    picture = board_picture(wounded(found, {"unit": 4}))
    assert "4/10" in [each.words for each in texts(part(picture, "stands"))]


def test_rally_points_are_flags_with_their_names_and_in_the_legend() -> None:
    names = [each.words for each in texts(part(PICTURE, "rally-points"))]
    assert names == ["Quarry", "Old mill", "Tower"]
    quarry = next(each for each in texts(part(PICTURE, "rally-points")) if each.words == "Quarry")
    x, y = point(1, 11)  # B12
    assert [quarry.x, quarry.y] == pytest.approx([x, y + 15], abs=0.1)
    legend = [each.words for each in texts(part(PICTURE, "legend"))]
    assert {"Quarry (B12)", "Old mill (K11)", "Tower (J1)"} <= set(legend)


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("Landing zone", ["Landing", "zone"]),
        ("The bridge over Red Creek", ["The bridge", "over Red", "Creek"]),
        ("Observatory", ["Observatory"]),
    ],
)
def test_a_long_rally_point_is_written_in_letters_that_can_be_read(name: str, lines: list[str]) -> None:
    """A tenth of a hex is 5 mm of letters on the table, and 8 pixels on a screen with 80 for each hex."""
    found = small(Board(3, 3))
    point_of = Entity.new("rp", "rally_point", parent="red", place=Hex(1, 1))
    sheet = Sheet("rp", name, "Rally Point", "")
    found = found._replace(state=State.of([*found.state, point_of]), sheets={**found.sheets, "rp": sheet})
    picture = board_picture(found)
    written = list(texts(part(picture, "rally-points")))
    assert [each.words for each in written] == lines
    x, y = point(1, 1)
    for each in written:
        assert each.size >= 5
        assert each.x == pytest.approx(x, abs=0.01)
        assert width_of(each) <= 50 * 0.84 + 0.01
        assert y - 25 < each.y < y + 16
    assert [each.y for each in written] == sorted({each.y for each in written})
    legend = " ".join(each.words for each in texts(part(picture, "legend")))
    assert f"{name} (B2)" in legend


def test_a_name_that_no_hex_could_hold_is_whole_in_the_legend() -> None:
    name = "The very long and winding abandoned quarry of Saint Wojciech the Younger, north face"
    found = small(Board(3, 3))
    point_of = Entity.new("rp", "rally_point", parent="red", place=Hex(1, 1))
    found = found._replace(
        state=State.of([*found.state, point_of]), sheets={**found.sheets, "rp": Sheet("rp", name, "Rally Point", "")}
    )
    picture = board_picture(found)
    written = list(texts(part(picture, "rally-points")))
    assert len(written) == 3
    assert written[-1].words.endswith("\N{HORIZONTAL ELLIPSIS}")
    assert f"{name} (B2)" in " ".join(each.words for each in texts(part(picture, "legend")))


def test_names_of_hexes_lie_over_the_lines_of_zones_and_clear_of_stands() -> None:
    order = [each.get("id") for each in parsed(PICTURE) if each.get("id")]
    assert order.index("zones") < order.index("coordinates") < order.index("stands")
    taken = {entity.place for entity in ENCOUNTER.state if entity.role == "team"}
    names = {each.words: each for each in texts(part(PICTURE, "coordinates"))}
    for place in taken:
        assert isinstance(place, Hex)
        each = names[hex_name(place)]
        _, y = point(place.q + place.r // 2, place.r)
        # A stand is a hexagon 40 mm wide, 3.5 mm above the middle: its lower tip is at 40 / sqrt(3) - 3.5.
        assert each.y - each.size * 0.75 >= y + 40 / math.sqrt(3) - 3.5 - 0.5
        # Between the two lower sides of the hex, within the line of a zone (2.5 mm of each).
        half = (50 / math.sqrt(3) - (each.y - y)) * math.sqrt(3)
        assert width_of(each) / 2 <= half


def test_the_legend_names_everything_once() -> None:
    legend = Counter(each.words for each in texts(part(PICTURE, "legend")))
    assert set(legend.values()) == {1}
    kinds = {"Forest", "Building", "Undergrowth", "Barricade", "Jungle", "Stream", "Unmanned vehicle"}
    sides = {"Red Company: 7 stands", "Red Company: zone", "Blue Company: 7 stands", "Blue Company: zone"}
    assert kinds | sides | {"CO", "NCO", "Soldier", "Bot", "Wound taken, left"} <= set(legend)
    assert "River" not in legend


def test_the_scale_says_millimetres_and_inches() -> None:
    """D-R5.2: a hex is 50 mm or 2 inches."""
    bar = part(PICTURE, "scale")
    assert [each.words for each in texts(bar)] == ["4 hexes = 200 mm = 8 in"]
    boxes = [float(each.attrib["width"]) for each in bar.iter(f"{SVG}rect")]
    assert boxes == [50, 50, 50, 50]


def segments(picture: str) -> Counter[str]:
    """Return how many hexsides the outline of each colour has."""
    found: Counter[str] = Counter()
    for path in part(picture, "zones").iter(f"{SVG}path"):
        found[path.attrib["stroke"]] += path.attrib["d"].count("M")
    return found


def test_zones_are_outlined_and_not_filled_in_hex_by_hex() -> None:
    """Around a block of two rows of 12: each row has 12 hexsides above or below at two a hex, and the ends."""
    looks = side_looks(ENCOUNTER)
    found = segments(PICTURE)
    # Upper row: 2 upper sides each = 24; lower row: 24; ends: one side for each row and end = 4, and the lower row's
    # shove lays one side of the end hexes bare on each end: 2.
    assert found[looks["red"].edge] == found[looks["blue"].edge] == 24 + 24 + 4 + 2
    tints = list(part(PICTURE, "zones").iter(f"{SVG}polygon"))
    assert len(tints) == 48


def test_one_hex_as_a_zone_has_six_sides_where_they_are() -> None:
    picture = board_picture(small(Board(3, 3)), zones={"red": [Hex(1, 1)]})
    path = next(part(picture, "zones").iter(f"{SVG}path"))
    numbers = [float(each) for each in re.findall(r"-?\d+\.\d+", path.attrib["d"])]
    x, y = point(1, 1)
    assert len(numbers) == 6 * 4
    for start in range(0, 24, 4):
        x1, y1, x2, y2 = numbers[start : start + 4]
        middle = math.dist(((x1 + x2) / 2, (y1 + y2) / 2), (x, y))
        assert middle == pytest.approx((50 - 2.4) / 2, abs=0.05)
    angles = [
        round(
            math.degrees(
                math.atan2(y - (numbers[at + 1] + numbers[at + 3]) / 2, (numbers[at] + numbers[at + 2]) / 2 - x)
            )
        )
        % 360
        for at in range(0, 24, 4)
    ]
    assert angles == [0, 60, 120, 180, 240, 300]


@pytest.mark.parametrize(("members", "sides"), [((Hex(0, 0), Hex(1, 0)), 10), ((Hex(0, 0), Hex(1, 0), Hex(0, 1)), 12)])
def test_hexsides_between_members_are_not_drawn(members: tuple[Hex, ...], sides: int) -> None:
    picture = board_picture(small(Board(4, 4)), zones={"red": members})
    assert sum(segments(picture).values()) == sides


# Colours


def test_sides_differ_in_lightness_and_rim_and_their_letters_can_be_read() -> None:
    for name in ("red", "blue", "green", "yellow", "purple", "grey"):
        look = side_looks(small(side=name))[name]
        assert contrast(look.body, look.on_body) >= 7, name
        assert contrast(look.edge, PAPER) >= 4.5, name
    red, blue = side_looks(ENCOUNTER)["red"], side_looks(ENCOUNTER)["blue"]
    assert luminance(blue.body) - luminance(red.body) > 0.5
    assert red.rim != blue.rim
    assert contrast(INK, PAPER) >= 15


def test_two_unknown_sides_get_two_looks_and_a_named_one_keeps_its_own() -> None:
    state = State.of([Entity.new(name, "side") for name in ("north", "blue", "south", "BLUE2")])
    looks = side_looks(Encounter("k", "t", "g", state, {}))
    assert len(set(looks.values())) == 4
    assert looks["blue"].edge == side_looks(small(side="blue"))["blue"].edge
    many = State.of([Entity.new(f"side-{number}", "side") for number in range(15)])
    assert len(side_looks(Encounter("k", "t", "g", many, {}))) == 15


# Whatever stands there


def test_no_text_is_wider_than_the_picture_or_its_hex() -> None:
    root = parsed(PICTURE)
    width = float(root.attrib["viewBox"].split()[2])
    for each in texts(part(PICTURE, "stands")):
        assert width_of(each) <= 40 * 0.8 + 0.01, each
    for each in texts(part(PICTURE, "rally-points")):
        assert width_of(each) <= 50, each
    for each in texts(part(PICTURE, "legend")):
        assert each.x + width_of(each) <= width
    for each in texts(part(PICTURE, "coordinates")):
        assert width_of(each) <= 25


@pytest.mark.parametrize(
    "words",
    ["X" * 200, "狐" * 40, "Żółw O’Neil <b>&amp;</b>", "a\x00b\ud800c", "None-Such", " ", "]]>", "\u202eright to left"],
)
def test_any_name_and_code_gives_a_picture_inside_its_limits(words: str) -> None:
    found = small(Board(3, 3), name=words, code=words, place=Hex(1, 1))
    picture = board_picture(found._replace(title=words))
    picture.encode("utf-8")
    for each in texts(part(picture, "stands")):
        assert width_of(each) <= 40 * 0.8 * 1.06 + 0.01


def test_unknown_terrain_gets_a_plain_pattern_and_its_own_name() -> None:
    board = Board(4, 1, {Hex(0, 0): "lava_pit", Hex(1, 0): "ice", Hex(2, 0): "lava_pit"})
    picture = board_picture(small(board))
    legend = [each.words for each in texts(part(picture, "legend"))]
    assert "Lava pit" in legend
    assert "Ice" in legend
    looks = terrain_looks(["a", "b", "c", "d"], {"b": TerrainLook("B", "no such pattern")})
    assert [look.pattern for look in looks.values()] == ["dots", "crosses", "rings", "dots"]
    assert looks["b"].title == "B"


def test_what_is_not_on_the_board_is_counted() -> None:
    legend = [each.words for each in texts(part(board_picture(small(Board(3, 3))), "legend"))]
    assert "not on the board: 1" in legend
    off = board_picture(small(Board(3, 3), place=Hex(9, 9)))
    assert "not on the board: 1" in [each.words for each in texts(part(off, "legend"))]
    assert len(part(off, "stands")) == 0


def test_an_encounter_without_a_board_is_refused() -> None:
    with pytest.raises(InputError, match="no board"):
        board_picture(small())


def test_a_board_of_another_size_keeps_its_proportions() -> None:
    picture = board_picture(small(Board(4, 4, hex_mm=25), place=Hex(0, 0)))
    use = next(texts(part(picture, "stands")))
    assert use.x == pytest.approx(LEFT + 12.5)
    assert [each.words for each in texts(part(picture, "scale"))] == ["4 hexes = 100 mm = 4 in"]


def test_true_size_is_in_millimetres() -> None:
    root = parsed(board_picture(small(Board(12, 12)), true_size=True))
    assert root.attrib["width"] == "653mm"


def test_nothing_empty_is_shown() -> None:
    assert not EMPTY_WORDS.search(" ".join(each.words for each in texts(PICTURE)))
    assert not re.search(r'="(None|nan|inf)', PICTURE)


@pytest.mark.parametrize(
    ("place", "name"), [(Hex(0, 0), "A1"), (Hex(25, 0), "Z1"), (Hex(26, 0), "AA1"), (Hex(50, 3), "AZ4")]
)
def test_names_of_hexes(place: Hex, name: str) -> None:
    assert hex_name(place) == name


def test_what_is_off_the_grid_is_drawn_at_its_point_and_its_nose_shows_which_way_it_looks() -> None:
    """At 130, 90 with heading 90 the base lies around 144, 120 less what stands are raised; its nose is right of it."""
    picture = parsed(board_picture(small(Board(6, 4), place=Pose(130.0, 90.0, 90.0))))
    (stands,) = [each for each in picture.iter(f"{SVG}g") if each.attrib.get("id") == "stands"]
    base, *_, nose = [
        [tuple(map(float, pair.split(","))) for pair in each.attrib["points"].split()]
        for each in stands.iter(f"{SVG}polygon")
    ][:3]
    middle = [sum(values) / 6 for values in zip(*base, strict=True)]
    assert middle == pytest.approx([LEFT + 130, TOP + 90 - 3.5], abs=0.01)  # 7 % of 50 mm
    tip, *sides = nose
    assert tip == pytest.approx((middle[0] + 0.68 * 40, middle[1]), abs=0.01)
    assert all(middle[0] < x < tip[0] for x, _ in sides)
    assert sorted(y - middle[1] for _, y in sides) == pytest.approx([-6.4, 6.4], abs=0.01)


def test_what_is_off_the_board_and_off_the_grid_is_counted_as_such() -> None:
    assert "not on the board: 1" in board_picture(small(Board(6, 4), place=Pose(900.0, 90.0)))
