"""From scenario and rosters to an encounter: zones, who stands where, Rally Points, two sides of one roster."""

from __future__ import annotations

from collections import Counter

import pytest

from rallypoint.content import PageError
from rallypoint.content.scenario_check import check_scenario
from rallypoint.content.scenario_terrain import coordinate
from rallypoint.disrupter import encounter, scenario_words
from rallypoint.disrupter.deploy import Deployment, zone
from rallypoint.disrupter.field import board
from rallypoint.disrupter.setup import first_state
from rallypoint.kernel.board import Board
from rallypoint.kernel.parts import Hex
from rallypoint.kernel.state import State

from .scenes import BOARD, HEAD, SIDES, deploy, read, starter


def names(board: Board, edge: str, depth: int) -> set[str]:
    return {coordinate(place) for place in zone(board, edge, depth)}


def test_zones_at_edges() -> None:
    """D-GM-2."""
    board = Board(4, 6)
    assert names(board, "top", 1) == {"A1", "B1", "C1", "D1"}
    assert names(board, "bottom", 2) == {"A5", "B5", "C5", "D5", "A6", "B6", "C6", "D6"}
    assert names(board, "left", 1) == {"A1", "A2", "A3", "A4", "A5", "A6"}
    assert names(board, "right", 1) == {"D1", "D2", "D3", "D4", "D5", "D6"}
    assert len(zone(Board(12, 12), "top", 2)) == 24
    assert len(zone(Board(18, 18), "left", 3)) == 54


def test_zones_at_corners_lie_along_half_of_both_edges() -> None:
    board = Board(6, 6)
    assert names(board, "top-left", 1) == {"A1", "B1", "C1", "A2", "A3"}
    assert names(board, "bottom-right", 1) == {"F6", "E6", "D6", "F5", "F4"}
    assert names(board, "top-right", 1) == {"F1", "E1", "D1", "F2", "F3"}
    assert names(board, "bottom-left", 1) == {"A6", "B6", "C6", "A5", "A4"}
    # Two rows of six and two columns of six share four hexes.
    assert len(zone(Board(12, 12), "top-left", 2)) == 6 * 2 + 6 * 2 - 4
    assert not set(zone(Board(12, 12), "top-left", 2)) & set(zone(Board(12, 12), "bottom-right", 2))


def placed(found: Deployment) -> dict[str, Hex]:
    return {
        found.encounter.sheets[entity.uid].code: entity.place
        for entity in found.encounter.state
        if entity.role == "team" and isinstance(entity.place, Hex)
    }


@pytest.mark.parametrize("start", ["edges", "corners"])
@pytest.mark.parametrize("depth", [1, 2, 4])
def test_every_team_stands_in_its_zone_and_no_two_in_one_hex(start: str, depth: int) -> None:
    """D-R14.3."""
    found = deploy(HEAD + BOARD + f'[deployment]\nfrom = "{start}"\ndepth = {depth}\n' + SIDES)
    places = placed(found)
    assert len(places) == 14
    assert len(set(places.values())) == 14
    for code, place in places.items():
        assert place in found.zones["red" if code.startswith("R") else "blue"], code
    assert found.encounter.board == Board(12, 12)


@pytest.mark.parametrize(
    ("option", "table", "depth"),
    [("", "", 2), ("D-GM-2 = 3", "", 3), ("D-GM-2 = 3", "[deployment]\ndepth = 1\n", 1), ("D-GM-2 = 6", "", 6)],
)
def test_a_ruling_says_how_deep_zones_are_where_the_scenario_does_not(option: str, table: str, depth: int) -> None:
    """D-GM-2: on a board of 12 hexes a side, a zone has 12 hexes a row."""
    found = deploy(HEAD + f"[options]\n{option}\n" + BOARD + table + SIDES)
    assert [len(hexes) for hexes in found.zones.values()] == [12 * depth, 12 * depth]


def test_squads_stand_side_by_side_each_about_its_nco_and_command_behind_one_of_them() -> None:
    places = placed(deploy(HEAD + BOARD + SIDES))
    red = {code: coordinate(place) for code, place in places.items() if code.startswith("R")}
    # Two squads over twelve columns: their NCOs at 1/4 and 3/4 of the eleven steps from A to L, in the second row. On open ground
    # nothing hides the CO but stands: C2 and D2 are what an enemy in front of D1 looks at.
    assert red == {
        "R-1A": "D2",
        "R-1B": "C2",
        "R-1C": "E2",
        "R-2A": "I2",
        "R-2B": "H2",
        "R-2C": "J2",
        "R-0A": "D1",
    }
    blue = {code: coordinate(place) for code, place in places.items() if code.startswith("B")}
    assert {place[1:] for code, place in blue.items() if code != "B-0A"} == {"11"}
    assert blue["B-0A"][1:] == "12"


def test_where_stands_do_not_obstruct_the_co_stays_in_the_middle() -> None:
    """D-AMB-20: no screen of stands would hide him."""
    places = placed(deploy(HEAD + '[options]\nD-AMB-20 = "none"\n' + BOARD + SIDES))
    assert coordinate(places["R-0A"]) == "G1"


def test_teams_stand_where_the_scenario_says() -> None:
    places = placed(
        deploy((HEAD + BOARD + SIDES).replace('name = "red"', 'name = "red"\nplace = { 2B = "A1", 0A = "L2" }'))
    )
    assert coordinate(places["R-2B"]) == "A1"
    assert coordinate(places["R-0A"]) == "L2"
    assert len(set(places.values())) == 14


TOP = "FFFFF#######"
BLOCKED = f"[board]\nterrain = '''\n{TOP}\n{TOP}\n" + "............\n" * 10 + "'''\n"


def test_no_stand_begins_in_a_building() -> None:
    """D-AMB-01."""
    found = deploy(HEAD + BLOCKED + SIDES)
    board = found.encounter.board
    assert board is not None
    assert {board.terrain_at(place) for code, place in placed(found).items() if code.startswith("R")} == {"forest"}


def faults(text: str) -> list[tuple[int | None, str, str]]:
    with pytest.raises(PageError) as caught:
        deploy(text)
    return [(each.line, each.what, str(each.found)) for each in caught.value.problems]


def test_placements_that_may_not_be_are_told_together() -> None:
    text = (
        (HEAD + BLOCKED + SIDES)
        .replace('name = "red"', 'name = "red"\n[sides.place]\n1A = "A3"\n1B = "F1"\n9Z = "A1"\n1C = "B1"')
        .replace('roster = "red.md"\n', "", 1)
        .replace('name = "red"', 'name = "red"\nroster = "red.md"')
    )
    first = text.splitlines().index('1A = "A3"') + 1
    assert faults(text) == [
        (first, "this hex is not in the side's zone (D-GM-2)", "red 1A at A3"),
        (first + 1, "no stand may be in building (D-AMB-01)", "red 1B at F1"),
        (first + 2, "no such team", "red 9Z"),
    ]


def test_a_zone_without_room_is_an_error_that_names_who_is_left() -> None:
    small = HEAD + "[board]\ncolumns = 5\nrows = 12\n[deployment]\ndepth = 1\n" + SIDES
    ((line, what, found), (_, _, other)) = faults(small)
    assert (line, what) == (9, "no room in the zone")
    assert found == "red: no hex left for 2B, 2C"
    assert other == "blue: no hex left for 2B, 2C"


def test_boats_begin_on_water_and_others_do_not() -> None:
    """D-EQ-V1: a raft goes over water, even where no stand may be."""
    wet = "[board]\nterrain = '''\n~~RR..WWWWWW\n............\n" + "............\n" * 10 + "'''\n"
    force = starter(with_optional=True)
    found = deploy(HEAD + wet + SIDES, red=force, blue=starter())
    board = found.encounter.board
    assert board is not None
    on = {code: board.terrain_at(place) for code, place in placed(found).items() if code.startswith("R")}
    assert {code: word for code, word in on.items() if word} == {"R-3A": on["R-3A"], "R-3B": on["R-3B"]}
    assert {on["R-3A"], on["R-3B"]} <= {"stream", "river", "water"}


def test_rally_points_are_entities_below_their_side() -> None:
    """D-R10.2."""
    text = (HEAD + BOARD + SIDES).replace(
        'name = "red"', 'name = "red"\nrally_points = { "Old mill" = "C4", Quarry = "A1" }'
    )
    found = deploy(text)
    points = [entity for entity in found.encounter.state if entity.role == "rally_point"]
    assert [(each.uid, each.parent, coordinate(each.place)) for each in points if isinstance(each.place, Hex)] == [
        ("red-rally-1", "red", "C4"),
        ("red-rally-2", "red", "A1"),
    ]
    assert [each.facts["name"] for each in points] == ["Old mill", "Quarry"]
    assert [found.encounter.sheets[each.uid].name for each in points] == ["Old mill", "Quarry"]


def test_nobody_begins_on_a_rally_point_while_there_is_room_elsewhere() -> None:
    """R-1A would begin in D2."""
    text = (HEAD + BOARD + SIDES).replace('name = "blue"', 'name = "blue"\nrally_points = { X = "D2" }')
    places = placed(deploy(text))
    assert "D2" not in {coordinate(place) for place in places.values()}
    assert coordinate(places["R-1A"]) in {"C2", "E2", "D1", "E1"}


def test_two_sides_of_one_roster_keep_apart_and_keep_everything_else() -> None:
    alone = encounter(starter()).state
    found = deploy(HEAD + BOARD + SIDES).encounter
    roles = Counter(entity.role for entity in found.state)
    assert roles == {"side": 2, "platoon": 2, "squad": 6, "team": 14, "unit": 56}
    assert set(found.sheets) == set(found.state.entities)
    for side in ("red", "blue"):
        own = [found.state[side], *found.state.below(side)]
        assert [(each.role, each.facts, each.trackers) for each in own] == [
            (each.role, each.facts, each.trackers) for each in alone
        ]
    assert State.from_text(found.state.to_text()) == found.state


def test_different_rosters_keep_the_uids_that_they_have_alone() -> None:
    other = starter()._replace(key="night-watch")
    units = {entity.uid for entity in encounter(starter()).state if entity.role == "unit"}
    squads = other.platoon.squads
    renamed = tuple(
        squad._replace(
            teams=tuple(
                team._replace(
                    units=tuple(unit._replace(uid=unit.uid.replace("starter", "night")) for unit in team.units)
                )
                for team in squad.teams
            )
        )
        for squad in squads
    )
    other = other._replace(platoon=other.platoon._replace(squads=renamed))
    found = deploy(HEAD + BOARD + SIDES, red=starter(), blue=other).encounter.state
    assert units <= set(found.entities)


def test_a_side_without_a_force_is_there_and_brings_nobody() -> None:
    found = deploy(HEAD + BOARD + SIDES, red=starter())
    assert [entity.uid for entity in found.encounter.state.children(None)] == ["red", "blue"]
    assert not list(found.encounter.state.below("blue"))
    assert "nobody yet" in found.encounter.pages[0].html


def test_the_briefing_page_says_all_four_parts() -> None:
    """D-R10.1."""
    text = (HEAD + BOARD + SIDES).replace('name = "red"', 'name = "red"\ntitle = "<Reds>"\nplayers = 2')
    page = deploy(text.replace('title = "Test"', 'title = "Test"\nreferee = true')).encounter.pages[0]
    assert page.key == "scenario"
    for words in (
        "&lt;Reds&gt;: 2",
        "With a referee",
        "Last Man Standing",
        "28 units in 7 teams",
        "12 by 12 hexes",
        "0 of 144",
    ):
        assert words in page.html, words
    assert "<Reds>" not in page.html


def test_a_battle_can_start_from_it() -> None:
    """What the scenario says is what the briefing takes: rulings, mode, size, edges, Rally Points."""
    text = HEAD + 'size = "squad"\n[options]\nD-AMB-05 = "selected"\n"D-AMB-08.start" = 2\n' + BOARD + SIDES
    text = text.replace('name = "blue"', 'name = "blue"\nedge = "left"\nrally_points = { Tower = "A5" }')
    scenario, found = read(text), deploy(text)
    state = first_state(
        found.encounter,
        scenario.options,
        mode=scenario.mode,
        size=scenario.size,
        edges={side.name: side.edge for side in scenario.sides},
        referee=scenario.referee,
    )
    facts = state["battle"].facts
    assert facts["edges"] == {"red": "right", "blue": "left"}
    assert facts["rally_points"] == {"red": (), "blue": (("Tower", -2, 4),)}
    assert [platoon.value("Stress") for platoon in state if platoon.role == "platoon"] == [2, 2]
    assert board(state) == found.encounter.board


# Warnings


def warned(text: str) -> dict[str, str]:
    return {each.rule: each.what for each in check_scenario(read(text), scenario_words())}


RALLY = SIDES.replace('"red"', '"red"\nrally_points = { A = "A1" }').replace(
    '"blue"', '"blue"\nrally_points = { A = "A1" }'
)


def drawn(terrain: int) -> str:
    signs = "F" * terrain + "." * (144 - terrain)
    rows = "\n".join(signs[start : start + 12] for start in range(0, 144, 12))
    return f"[board]\nterrain = '''\n{rows}\n'''\n"


@pytest.mark.parametrize(
    ("terrain", "fine"), [(0, False), (57, False), (58, True), (72, True), (86, True), (87, False), (144, False)]
)
def test_about_half_of_the_board_is_terrain(terrain: int, fine: bool) -> None:
    """D-R2.1: 40 % of 144 are 57.6, 60 % are 86.4; outside is a warning and no error."""
    assert ("D-R2.1" not in warned(HEAD + drawn(terrain) + RALLY)) == fine


@pytest.mark.parametrize(
    ("size", "columns", "rows", "rule"),
    [
        ("platoon", 12, 12, None),
        ("platoon", 18, 18, None),
        ("platoon", 12, 18, "D-R2.1"),
        ("platoon", 10, 10, "D-R2.1"),
        ("squad", 9, 9, None),
        ("squad", 18, 18, "D-SF-2"),
        ("section", 24, 24, None),
        ("company", 12, 12, "D-SF-4"),
    ],
)
def test_the_size_of_the_board_goes_by_the_size_of_the_fight(
    size: str, columns: int, rows: int, rule: str | None
) -> None:
    board = f'[board]\ncolumns = {columns}\nrows = {rows}\nscatter = {{ seed = "x" }}\n'
    found = warned(HEAD + f'size = "{size}"\n' + board + RALLY)
    assert found.keys() == ({rule} if rule else set())


def test_sides_without_rally_points_and_referees() -> None:
    """D-R10.2, D-R1.4, D-R4.2."""
    assert "D-R10.2" in warned(HEAD + drawn(72) + SIDES)
    assert warned(HEAD + drawn(72) + RALLY) == {}
    uneven = RALLY.replace('name = "red"', 'name = "red"\nplayers = 3')
    assert set(warned(HEAD + drawn(72) + uneven)) == {"D-R1.4"}
    assert warned(HEAD + "referee = true\n" + drawn(72) + uneven) == {}
    alike = RALLY.replace('name = "blue"', 'name = "rust"')
    assert "R" in warned(HEAD + drawn(72) + alike)["D-R4.2"]


@pytest.mark.parametrize(("sign", "closed"), [("#", True), ("W", True), ("F", False), ("~", False), (".", False)])
def test_a_rally_point_on_closed_ground_is_a_warning(sign: str, closed: bool) -> None:
    """D-PT-T4: nobody could retreat to it."""
    text = HEAD + drawn(72).replace("F", sign, 1) + RALLY
    what = warned(text).get("D-PT-T4", "")
    assert what.startswith("blue's Rally Point A in A1 is on closed ground") == closed
    assert bool(what) == closed


def test_a_building_that_can_be_entered_by_ruling_is_no_closed_ground() -> None:
    text = HEAD + '[options]\nD-AMB-01 = "{}"\n' + drawn(72).replace("F", "#", 1) + RALLY
    assert "D-PT-T4" in warned(text.replace("{}", "block"))
    assert "D-PT-T4" not in warned(text.replace("{}", "enterable_light_cover"))


def test_chance_puts_nothing_on_a_rally_point() -> None:
    scatter = BOARD + 'scatter = { seed = "x", density = 1.0 }\n'
    full, kept = read(HEAD + scatter + SIDES).board, read(HEAD + scatter + RALLY).board
    assert len(full.terrain) == 144
    assert full.terrain.keys() - kept.terrain.keys() == {Hex(0, 0)}  # A1
    assert all(full.terrain[at] == kind for at, kind in kept.terrain.items())
