"""Where stands begin: Officers out of sight, squads together, in cover; worked out by hand on small boards."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pytest

from rallypoint.content import parse_force
from rallypoint.disrupter import catalogue, scenario_words
from rallypoint.disrupter.deploy import Deployment, zone
from rallypoint.disrupter.sight import over_land, sight_tests
from rallypoint.disrupter.siting import Outlook, Wish
from rallypoint.kernel.board import Board
from rallypoint.kernel.hexes import distance, from_offset, neighbours
from rallypoint.kernel.parts import Hex

from .scenes import HEAD, SIDES, deploy, starter

REAR = tuple([from_offset(column, 7) for column in range(9)])
AHEAD = (from_offset(3, 0), from_offset(4, 0))
"""The enemy's zone. A hex of row 7 stands half a hex to the right of those of rows 0 and 6: (3, 7) is from 3.5 to 4.5, and the
two before it, (3, 6) and (4, 6), are from 3 to 5, as is all of the zone."""

WALL = {(3, 6): "building", (4, 6): "building"}


def outlook(terrain: Mapping[tuple[int, int], str], options: Mapping[str, str] | None = None) -> Outlook:
    board = Board(9, 8, {from_offset(*at): word for at, word in terrain.items()})
    return Outlook(board, options or {}, scenario_words().terrain, REAR, AHEAD)


def best(view: Outlook, wish: Wish, free: Iterable[Hex] = REAR) -> tuple[int, int]:
    """Return column and row of the best hex; nothing is disliked."""
    found = view.best(list(free), wish, lambda at: 0)
    return next((column, row) for column in range(9) for row in range(8) if from_offset(column, row) == found)


def at(column: int) -> Hex:
    return from_offset(column, 7)


# Officers


def test_only_the_hex_behind_the_wall_is_out_of_sight() -> None:
    """(2, 7) is from 2.5 to 3.5: a line from its left half goes past the wall; (4, 7) the same way on the right."""
    view = outlook(WALL)
    assert [column for column in range(9) if view.hidden(at(column))] == [3]


@pytest.mark.parametrize("rank", ["CO", "NCO"])
def test_an_officer_begins_in_the_hidden_hex_and_not_in_one_in_view(rank: str) -> None:
    assert best(outlook(WALL), Wish(at(5), rank)) == (3, 7)
    assert best(outlook({}), Wish(at(5), rank)) == (5, 7)  # without the wall he stays where he belongs


def test_a_team_without_officers_does_not_go_and_hide() -> None:
    assert best(outlook(WALL), Wish(at(5))) == (5, 7)


def test_a_hidden_hex_without_a_way_out_is_not_taken() -> None:
    """With buildings on both sides nobody leaves (3, 7): the board ends behind it."""
    pocket = {**WALL, (2, 7): "building", (4, 7): "building"}
    view = outlook(pocket)
    assert view.hidden(at(3))
    assert view.walled_in(at(3))
    assert best(view, Wish(at(5), "CO"), [each for each in REAR if each not in (at(2), at(4))]) != (3, 7)
    open_side = {**WALL, (2, 7): "building"}
    assert not outlook(open_side).walled_in(at(3))
    assert best(outlook(open_side), Wish(at(5), "CO"), [each for each in REAR if each != at(2)]) == (3, 7)


def test_the_ground_that_counts_is_where_most_of_the_zone_is_joined() -> None:
    """A corner is walled off from the first hex of the zone; then six of its nine hexes are walled off from all of the board."""
    corner = outlook(dict.fromkeys([(0, 6), (1, 6), (1, 7)], "building"))
    assert [column for column in range(9) if corner.walled_in(at(column))] == [0, 1]
    most = outlook(dict.fromkeys([*[(column, 6) for column in range(7)], (6, 7)], "building"))
    assert [column for column in range(9) if most.walled_in(at(column))] == [6, 7, 8]


def test_the_last_hexes_left_are_taken_even_if_they_are_walled_in() -> None:
    pocket = {**WALL, (2, 7): "building", (4, 7): "building"}
    assert best(outlook(pocket), Wish(at(5), "NCO"), [at(3)]) == (3, 7)


def test_a_co_without_a_hidden_hex_begins_one_step_from_it_and_an_nco_does_not() -> None:
    """(3, 7) is taken; beside it stand (2, 7) and (4, 7), and the CO moves before anybody fires. The NCO moves later."""
    free = [each for each in REAR if each != at(3)]
    assert best(outlook(WALL), Wish(at(6), "CO"), free) == (4, 7)
    assert best(outlook(WALL), Wish(at(6), "NCO"), free) == (6, 7)


def test_an_nco_does_not_go_as_far_as_a_co_to_hide() -> None:
    assert best(outlook(WALL), Wish(at(8), "CO")) == (3, 7)
    assert best(outlook(WALL), Wish(at(8), "NCO")) == (8, 7)


def test_buildings_that_do_not_block_sight_hide_nobody() -> None:
    """D-AMB-01."""
    view = outlook(WALL, {"D-AMB-01": "enterable_light_cover"})
    assert not any(view.hidden(each) for each in REAR)


def test_a_co_goes_behind_two_stands_where_no_building_hides_him() -> None:
    """D-AMB-20: the stands are where the wall was, the enemy's zone is all of row 0.

    From (3, 7) a line gets past them on the right to (7, 0) and (8, 0), and on the left off the board: 2 hexes of 9, and the
    splash of two stands counts as one more. From (2, 7) it gets to (0, 0) to (6, 0), with one stand beside it: 7 and a half.
    Elsewhere it is more.
    """
    screen = frozenset([from_offset(3, 6), from_offset(4, 6)])
    wide = [from_offset(column, 0) for column in range(9)]

    def screened(*stands: Hex, stands_block: bool = True) -> Hex:
        options = {} if stands_block else {"D-AMB-20": "none"}
        view = Outlook(Board(9, 8), options, scenario_words().terrain, REAR, wide)
        return view.screened(REAR, Wish(at(6), "CO"), lambda at: 0, frozenset(stands))

    assert screened(*screen) == at(3)
    assert screened() == at(6)
    assert screened(*screen, stands_block=False) == at(6)


@pytest.mark.parametrize(
    ("more", "nearer", "taken"),
    [((), 3, 7), ((4,), 3, 3), ((4,), 7, 7), ((3, 4), 7, 3)],
)
def test_two_stands_beside_a_co_count_as_much_as_one_hex_that_sees_him(
    more: tuple[int, ...], nearer: int, taken: int
) -> None:
    """The stands are as above. Of columns 3, 4 and 8 of row 0 only the last sees (3, 7), and all see (7, 7).

    So it is 1 and 1 for the splash against 1, 2 or 3; of two that are alike the one nearer to where he belongs is taken.
    """
    theirs = [from_offset(column, 0) for column in (*more, 8)]
    view = Outlook(Board(9, 8), {}, scenario_words().terrain, REAR, theirs)
    screen = frozenset([from_offset(3, 6), from_offset(4, 6)])
    assert view.screened([at(3), at(7)], Wish(at(nearer), "CO"), lambda at: 0, screen) == at(taken)


# The others


def test_a_team_follows_its_officer_even_into_the_open() -> None:
    """The cover in (7, 7) is three hexes from him, the one in (5, 7) one."""
    view = outlook({**WALL, (7, 7): "forest", (5, 7): "forest"})
    free = [each for each in REAR if each != at(4)]
    assert best(view, Wish(at(4), follows=True), free) == (5, 7)
    bare = outlook({**WALL, (7, 7): "forest"})
    assert distance(from_offset(*best(bare, Wish(at(4), follows=True), free)), at(4)) == 1


def test_of_two_hexes_as_near_the_one_in_cover_is_taken() -> None:
    assert best(outlook({**WALL, (8, 7): "undergrowth"}), Wish(at(7)), [at(6), at(8)]) == (8, 7)
    assert best(outlook({**WALL, (6, 7): "undergrowth"}), Wish(at(7)), [at(6), at(8)]) == (6, 7)


def test_a_rocket_begins_where_it_sees_something() -> None:
    """A hidden hex costs it 4, a hex further off 2: it goes one hex to a view, and not two."""
    view = outlook(WALL)
    assert best(view, Wish(at(4), looks_out=True), [at(3), at(5)]) == (5, 7)
    assert best(view, Wish(at(4)), [at(3), at(5)]) == (3, 7)
    assert best(view, Wish(at(3), looks_out=True), [at(3), at(4)]) == (4, 7)
    assert best(view, Wish(at(3), looks_out=True), [at(3), at(5)]) == (3, 7)


def test_an_officer_with_a_rocket_does_not_look_out() -> None:
    """(5, 7) is in the view of one hex of the enemy at least, which costs him 2, as to hide costs others 4."""
    assert best(outlook(WALL), Wish(at(4), "NCO", follows=True, looks_out=True), [at(5), at(3)]) == (3, 7)


def test_an_officer_in_view_keeps_off_the_co_and_others_go_before_him() -> None:
    """Splash that is meant for one reaches the other (D-EQ-T3); soldiers are in the enemy's line of sight to him."""
    view = outlook({(8, 0): "building"})  # it hides nobody
    assert best(view, Wish(at(5), "NCO", head=at(6))) == (4, 7)
    front = [from_offset(column, row) for row in (6, 7) for column in range(9)]
    wish = Wish(from_offset(6, 6), follows=True, head=at(4))
    assert best(view, wish, front) in [(4, 6), (5, 6)]
    assert distance(from_offset(*best(view, wish, front)), at(4)) == 1
    # Beside him is not before him: 4 and 6 where the stand belongs, in (5, 7), against two hexes' way to (4, 6).
    assert best(outlook({}), Wish(at(5), head=at(4)), [at(5), from_offset(4, 6)]) == (4, 6)


def test_an_officer_minds_who_sees_him_more_than_others_do() -> None:
    """Of (1, 7), which two hexes of the enemy see, and the hidden (3, 7) an NCO takes this; a soldier's third of 2 is nothing."""
    view, free = outlook(WALL), [at(1), at(3)]
    assert best(view, Wish(at(2), "NCO", follows=True), free) == (3, 7)
    assert best(view, Wish(at(2), follows=True), free) == (1, 7)


def test_an_nco_keeps_within_two_hexes_of_a_co_whom_nothing_hides() -> None:
    """Each hex more costs him 2, as each hex does from where he belongs; to a CO who is hidden he may keep any distance."""
    view = outlook({})
    assert best(view, Wish(at(5), "NCO", head=at(8)), [at(4), at(6)]) == (6, 7)  # 2 + 4 against 2
    assert best(view, Wish(at(4), "NCO", head=at(8)), [at(4), at(5), at(6)]) == (4, 7)  # 4, 2 + 2, 4: the nearest
    assert best(view, Wish(at(5), "NCO", head=at(8)), [at(5), at(6), at(7)]) == (5, 7)  # 2, 2, 4 + 6
    between = from_offset(6, 6)  # it is beside both of them
    assert best(view, Wish(between, "NCO", head=at(8)), [at(5), at(6)]) == (6, 7)  # 2 + 2 against 2
    hidden = outlook({**WALL, (8, 7): "forest"})  # the forest is worth 2
    assert best(hidden, Wish(at(7), "NCO", head=at(3)), [at(6), at(8)]) == (8, 7)


def test_a_stand_begins_apart_from_those_that_are_there_already() -> None:
    """Of (3, 7) and (5, 7), which are as near, one is beside the stand; a hex further off in (1, 7) is not worth 4."""
    view = outlook({})
    both = [at(3), at(5)]
    assert best(view, Wish(at(4), others=(at(6),)), both) == (3, 7)
    assert best(view, Wish(at(4), others=(at(2),)), both) == (5, 7)
    assert best(view, Wish(at(4), others=(at(2),)), [at(3), at(6)]) == (6, 7)  # 2 + 4 against 4
    assert best(view, Wish(at(4), others=(at(2),)), [at(3), at(8)]) == (3, 7)  # 2 + 4 against 8
    assert best(view, Wish(at(4), others=(at(2),)), [at(3), at(7)]) == (3, 7)  # 2 + 4 against 6: the nearer one
    assert best(view, Wish(at(4), others=(at(2), from_offset(3, 6))), [at(3), at(8)]) == (8, 7)  # 2 + 8 against 8


def test_bots_are_on_opposite_sides_of_their_officer_and_never_out_of_his_reach() -> None:
    """Of the three hexes beside (4, 7) that are left, (4, 6) is beside (3, 7), too. Two stands are 8, a hex out of reach is 10."""
    view = outlook({})
    row = [from_offset(4, 6), from_offset(5, 6), at(5)]
    first = Wish(at(4), follows=True, others=(at(4),))
    assert best(view, first, row) == (4, 6)
    assert best(view, first._replace(others=(at(4), at(3))), row) == (5, 6)
    crowd = (at(4), at(6), from_offset(6, 6))
    assert best(view, first._replace(others=crowd), [at(5), at(2)]) == (5, 7)


def test_an_nco_does_not_hide_beside_his_co_nor_beside_another_stand() -> None:
    """Hidden (3, 7) is beside (4, 7): 4 for the way, 2 for the open, 6 for the CO; (6, 7) is 2, 2 and 4 for two lookouts."""
    view, free = outlook(WALL), [each for each in REAR if each != at(4)]
    assert best(view, Wish(at(5), "NCO", head=at(4), others=(at(4),)), free) == (6, 7)
    assert best(view, Wish(at(5), "NCO", head=at(8), others=(at(8),)), free) == (3, 7)
    assert best(view, Wish(at(6), "NCO", others=(at(4),)), free) == (6, 7)
    assert best(view, Wish(at(6), "NCO", others=(at(8),)), free) == (3, 7)


def test_others_keep_off_a_co_whom_the_land_hides() -> None:
    """He is in (3, 7), where no one need screen him: (4, 7) is beside him, (6, 7) as far from where the stand belongs."""
    view = outlook(WALL)
    assert best(view, Wish(at(5), head=at(3)), [at(4), at(6)]) == (6, 7)
    assert best(view, Wish(at(5), head=at(8)), [at(4), at(6)]) == (4, 7)


def test_a_way_out_leads_first_to_where_nobody_looks() -> None:
    """Beside (4, 7) are (3, 7), (5, 7), (5, 6) and the building in (4, 6); the board ends behind it."""
    view = outlook(WALL)
    assert view.ways_out(at(4), ())[0] == at(3)
    assert set(view.ways_out(at(4), ())) == {at(3), at(5), from_offset(5, 6)}
    assert not view.ways_out(at(4), (at(3), at(5), from_offset(5, 6)))


# Whole boards


def scattered(seed: int) -> Deployment:
    land = f'[board]\ncolumns = 12\nrows = 12\nscatter = {{ seed = "{seed}", density = 0.5, buildings = 0.3, water = "none" }}\n'
    return deploy(HEAD + land + SIDES)


@pytest.mark.parametrize("seed", range(8))
def test_on_scattered_boards_a_co_is_hidden_where_a_hex_of_his_zone_hides_him(seed: int) -> None:
    """Every hex of the zone is asked from every hex of the other, without what siting knows of them."""
    found = scattered(seed)
    board = found.encounter.board
    assert board is not None
    line, state = over_land(board, {}), found.encounter.state
    own, theirs = found.zones["red"], [each for each in found.zones["blue"] if board.terrain_at(each) != "building"]
    free = [each for each in own if board.terrain_at(each) != "building"]

    def way_out(start: Hex) -> bool:
        """Say whether a way leads to the other zone."""
        seen, edge = {start}, [start]
        while edge:
            edge = [
                step
                for step in {near for here in edge for near in neighbours(here)} - seen
                if board.holds(step) and board.terrain_at(step) != "building"
            ]
            seen.update(edge)
        return bool(seen.intersection(theirs))

    hidden = [each for each in free if way_out(each) and not any(line(foe, each, frozenset()) for foe in theirs)]
    co = next(entity.place for entity in state if entity.role == "team" and entity.uid == "red.starter-0A")
    assert isinstance(co, Hex)
    assert co in hidden or not hidden
    places = {entity.uid: entity.place for entity in state if entity.role == "team"}
    assert all(way_out(place) for place in places.values() if isinstance(place, Hex) and place in own)
    for squad in ("1", "2"):
        nco = places[f"red.starter-{squad}A"]
        for team in ("B", "C"):
            mate = places[f"red.starter-{squad}{team}"]
            assert isinstance(nco, Hex)
            assert isinstance(mate, Hex)
            assert distance(nco, mate) <= 2, (squad, team)


ROWS = "............\n.###........\n" + "............\n" * 10
SHADOW = f"[board]\nterrain = '''\n{ROWS}'''\n[deployment]\ndepth = 1\n"
"""B2 to D2 are buildings: of the top row they hide C1 alone. B1 is seen past their left end, D1 past their right."""


def test_cos_take_their_places_before_others_whatever_the_order_of_the_roster() -> None:
    """The NCO of Squad 1 begins in the middle of the left half, in D1, so that he could hide in C1, too."""
    turned = starter()._replace(platoon=starter().platoon._replace(squads=starter().platoon.squads[::-1]))
    found = deploy(HEAD + SHADOW + SIDES, red=turned, blue=starter())
    board = found.encounter.board
    assert board is not None
    line = over_land(board, {})
    hidden = [own for own in found.zones["red"] if not any(line(foe, own, frozenset()) for foe in found.zones["blue"])]
    assert hidden == [from_offset(2, 0)]
    assert found.encounter.state["red.starter-0A"].place == from_offset(2, 0)


def test_in_a_crowded_zone_a_way_out_is_kept_for_a_co() -> None:
    """H1 to K1 are buildings, too, so that seven stands begin in eight hexes. From C1 he gets out by B1 or D1 alone."""
    places = {
        each.uid: each.place
        for each in deploy(HEAD + SHADOW.replace("\n............\n", "\n.......####.\n", 1) + SIDES).encounter.state
    }
    assert places["red.starter-0A"] == from_offset(2, 0)
    assert len({from_offset(1, 0), from_offset(3, 0)}.intersection(places.values())) == 1


@pytest.mark.parametrize(("weapon", "column"), [("Pulse Rifle", 2), ("Rocket Launcher", 4), ("Sniper Rifle", 4)])
def test_a_team_with_a_weapon_that_needs_a_view_is_deployed_beside_its_nco_in_view(weapon: str, column: int) -> None:
    """Beside the NCO in D1 are C1, which is hidden, and E1."""
    page = f"""# Few
### **Squad 0 - Command**
#### **Team A**
* 1 CO - Combat Armor, Revolver
### **Squad 1 - Infantry**
#### **Team A**
* 1 NCO - Combat Armor, Revolver
#### **Team B**
* 1 Soldier - Combat Armor, {weapon}
"""
    few = parse_force(page, "markdown", catalogue(), path="few.md", title="few")
    sides = SIDES.replace('name = "red"', 'name = "red"\nplace = { 0A = "L1", 1A = "D1" }')
    found = deploy(HEAD + SHADOW + sides, red=few, blue=starter())
    assert found.encounter.state["few-1B"].place == from_offset(column, 0)


@pytest.mark.parametrize("seed", range(8))
def test_on_scattered_boards_a_co_has_a_way_out(seed: int) -> None:
    found = scattered(seed)
    board = found.encounter.board
    assert board is not None
    places = {each.uid: each.place for each in found.encounter.state if each.role == "team"}
    for side in ("red", "blue"):
        co = places[f"{side}.starter-0A"]
        assert isinstance(co, Hex)
        beside = [each for each in neighbours(co) if board.holds(each) and board.terrain_at(each) != "building"]
        assert set(beside) - set(places.values())


def test_a_co_hides_even_on_a_rally_point() -> None:
    """Board 9 hides one hex of blue's zone, B12; who has no need to hide is not there."""
    land = (
        '[board]\ncolumns = 12\nrows = 12\nscatter = { seed = "9", density = 0.5, buildings = 0.3, water = "none" }\n'
    )
    sides = SIDES.replace('roster = "blue.md"', 'roster = "blue.md"\nrally_points = { Alpha = "B12" }')
    found = deploy(HEAD + land + sides).encounter.state
    assert found["blue.starter-0A"].place == from_offset(1, 11)


def test_the_same_scenario_is_deployed_the_same_way() -> None:
    assert scattered(3).encounter.state.digest == scattered(3).encounter.state.digest


def test_deploying_two_platoons_takes_few_sight_tests() -> None:
    """Two zones of 24 hexes have 576 lines between them; each is worked out once at most, and each screen changes a few."""
    before = sight_tests()
    scattered(41)
    after = sight_tests()
    assert 0 < after.worked_out - before.worked_out < 3 * 576
    before = after
    deploy(HEAD + "[board]\ncolumns = 12\nrows = 12\n" + SIDES)  # no building: only the CO's screen is looked at
    assert sight_tests().worked_out - before.worked_out < 2 * 576


def test_zones_of_the_test_are_those_of_the_scenario() -> None:
    assert set(zone(Board(9, 8), "bottom", 1)) == set(REAR)
