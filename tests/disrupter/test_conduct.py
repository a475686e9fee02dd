"""How the autopilot's teams conduct themselves: resolute, screening their CO, rallying who runs, under a company commander."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from rallypoint.disrupter.autopilot import BEAM_REACH, Autopilot
from rallypoint.disrupter.game import Disrupter
from rallypoint.disrupter.leadership import ENGAGE, words_due
from rallypoint.disrupter.manoeuvre import BACK, LONG_BATTLE, Manoeuvre, boldness
from rallypoint.disrupter.orders import order_of
from rallypoint.disrupter.prospects import Danger, Picture
from rallypoint.disrupter.setup import first_state
from rallypoint.disrupter.succession import appoint
from rallypoint.kernel.board import Board
from rallypoint.kernel.changes import Change, SetAttribute, SetStatus, SetTracker
from rallypoint.kernel.game import Intent
from rallypoint.kernel.parts import Hex, Status
from rallypoint.kernel.state import State

from .alone import BLUE_CO, BOT, MAN, RIFLE, deeds, does, end_of, field, wall
from .positions import changed, encounter, engaged, game, position, step, team, unit

DEAD = Status("out", "dead")


def manoeuvre(state: State, side: str = "red") -> Manoeuvre:
    return Manoeuvre(Picture(state, {}, side, BEAM_REACH))


# To and fro


def came_from(state: State, team: str, at: tuple[int, int], turn: int) -> State:
    return changed(state, SetAttribute(team, "left", at), SetAttribute(team, "walked", turn))


def test_who_moves_leaves_behind_which_hex_he_came_from() -> None:
    state = engaged(position(team("R1A", (4, 4), RIFLE), team("B1A", (4, 9), RIFLE)))
    moved = step(state, "move", "R1A", [[4, 5]], seat="red").state["R1A"].attributes
    assert (moved["left"], moved["walked"]) == ((4, 4), 1)


def test_the_hex_just_left_is_worth_less_and_only_that_one() -> None:
    plain = field(team("R1A", (4, 4), RIFLE), phase="move", terrain=wall(7), turn=4)
    for turn, cost in ((3, BACK), (1, BACK), (0, 0.0)):  # turns 1 to 3 are the last three
        back = came_from(plain, "R1A", (4, 3), turn)
        one, two = manoeuvre(plain), manoeuvre(back)
        stand = one.picture.stands["R1A"]
        for at in (Hex(4, 3), Hex(4, 5), Hex(5, 3)):
            lost = one.rated(stand, at, moved=True) - two.rated(stand, at, moved=True)
            assert lost == pytest.approx(cost if at == Hex(4, 3) else 0.0), (turn, at)


def test_a_mover_does_not_go_back_for_a_little_cover() -> None:
    """Cover a hex behind is worth a step back to whoever has not just come from there; the enemy across the board sees both."""
    slow = unit("Soldier", "revolver", movement=1)
    bots = unit("Bot", "laser_carbine"), unit("Bot", "laser_carbine")
    state = field(
        team("R1A", (4, 4), slow),
        team("B1A", (4, 11), *bots),
        phase="move",
        terrain={(4, 3): "forest"},
        cos=(team("R0A", (0, 0), unit("CO", "revolver")), team("B0A", (3, 11), unit("CO", "revolver"))),
    )
    assert end_of(does(state)) == Hex(4, 3)
    again = does(came_from(state, "R1A", (4, 3), 0))
    assert again.rule != "move" or end_of(again) != Hex(4, 3)


# Cover and view


def test_cover_one_step_ahead_makes_good_half_of_what_is_missing_and_counts_less_where_nobody_sees() -> None:
    seen = manoeuvre(field(team("R1A", (4, 4), MAN), phase="move", terrain={(4, 5): "forest"}))
    stand = seen.picture.stands["R1A"]
    assert [seen._bareness(stand, Hex(4, row)) for row in (3, 4, 5, 6)] == [0.5, 0.25, 0.0, 0.5]
    unseen = manoeuvre(field(team("R1A", (4, 4), MAN), phase="move", terrain={(4, 5): "forest", **wall(8)}))
    assert [unseen._bareness(unseen.picture.stands["R1A"], Hex(4, row)) for row in (4, 5)] == [pytest.approx(0.1), 0.0]


def test_in_view_it_is_worth_a_little_to_be_under_cover_already() -> None:
    """Nobody's weapon reaches anybody over the seven hexes to blue's CO."""
    for behind, worth in (({}, 0.15), (wall(8), 0.0)):
        found = manoeuvre(field(team("R1A", (4, 4), MAN), phase="move", terrain={(4, 4): "forest", **behind}))
        stand = found.picture.stands["R1A"]
        covered = found.rated(stand._replace(covered=True), stand.place, moved=False)
        assert covered - found.rated(stand, stand.place, moved=False) == pytest.approx(worth)


def test_who_reaches_nobody_is_better_out_of_sight_of_rockets() -> None:
    """A tenth of two men, for being seen; nothing where nobody sees them or where they can fire."""

    def cost(state: State) -> float:
        one, two = manoeuvre(state), manoeuvre(state)
        stand = one.picture.stands["R1A"]
        one._rockets, two._rockets = False, True
        return one.rated(stand, stand.place, moved=False) - two.rated(stand, stand.place, moved=False)

    men, far, near = team("R1A", (4, 4), MAN, MAN), team("B1A", (5, 11), MAN, MAN), team("B1A", (4, 5), MAN, MAN)
    assert cost(field(men, far, phase="move")) == pytest.approx(0.2)
    assert cost(field(men, far, phase="move", terrain=wall(8))) == 0.0
    assert cost(field(men, near, phase="move")) == 0.0


def test_a_sure_loss_on_the_way_counts_whole_and_buys_no_ground() -> None:
    """In turn 10 a hex is worth 0.15 and 0.07 a turn, 0.85. A lone man three hexes nearer is worth 2.55 more; if he falls on the way, not that, and 1 less."""
    found = manoeuvre(field(team("R1A", (4, 4), MAN), team("B1A", (5, 11), MAN), phase="move", turn=10))
    stand, near = found.picture.stands["R1A"], Hex(4, 7)
    assert found._way_left(Hex(4, 4)) - found._way_left(near) == 3

    def rated(reacting: float) -> float:
        found._dangers = {("R1A", False, near): Danger(0.0, 0.0), ("R1A", False, Hex(4, 6)): Danger(1.0, reacting)}
        return found.rated(stand, near, moved=True, through=[Hex(4, 6)])

    assert rated(0.0) - rated(1.0) == pytest.approx(2.55 + 1.0)
    assert rated(0.0) - rated(0.5) == pytest.approx(2.55 / 2 + (0.3 + 0.7 / 2) * 0.5)


SCREEN = team("R1A", (4, 5), MAN), team("R1B", (3, 5), MAN)
"""The two hexes before (4, 4), for an enemy in (1, 10)."""


def screened() -> State:
    cos = team("R0A", (4, 4), unit("CO", "revolver")), team("B0A", (1, 10), unit("CO", "revolver"))
    return field(*SCREEN, phase="move", cos=cos)


@pytest.mark.rule("D-AMB-20")
def test_a_sides_own_stands_hide_it_from_the_enemy_and_not_from_itself() -> None:
    picture = Picture(screened(), {}, "red")
    assert not picture.sees("blue", Hex(1, 10), Hex(4, 4))
    assert picture.sees("red", Hex(4, 4), Hex(1, 10))
    assert not picture.in_view("red", Hex(4, 4))
    assert picture.in_view("red", Hex(4, 4), gone=Hex(3, 5)) or picture.in_view("red", Hex(4, 4), gone=Hex(4, 5))
    assert picture.in_view("red", Hex(4, 5))


def test_it_costs_something_to_leave_a_co_in_view() -> None:
    """The CO is all that red's Officers are worth, 12: a quarter of that."""
    found = manoeuvre(screened())
    costs = {uid: found._unmasking(found.picture.stands[uid]) for uid in ("R1A", "R1B")}
    picture = found.picture
    bare = {uid: picture.in_view("red", Hex(4, 4), gone=picture.stands[uid].place) for uid in costs}
    assert any(bare.values())
    assert costs == {uid: pytest.approx(0.25 * 12 if seen else 0.0) for uid, seen in bare.items()}


def test_the_stronger_side_is_bolder() -> None:
    state = field(
        team("R1A", (4, 4), *[MAN] * 4), team("B1A", (4, 9), *[MAN] * 3), phase="move"
    )  # with the COs 5 and 4
    assert boldness(Picture(state, {}, "red")) == 4 / 5
    assert boldness(Picture(state, {}, "blue")) == 1.0
    many = field(team("R1A", (4, 4), *[MAN] * 8), phase="move")  # 9 to 1
    assert boldness(Picture(many, {}, "red")) == 0.5


def test_bots_keep_to_the_officer_of_their_squad_and_not_to_the_nearest() -> None:
    """The NCO of squad 1 is four hexes away, has moved, and is theirs; the CO stands beside them."""
    nco, bots = team("R1A", (8, 4), unit("NCO", "revolver")), team("R1B", (4, 4), BOT, BOT)
    cos = team("R0A", (3, 4), unit("CO", "revolver")), BLUE_CO
    state = field(nco, bots, phase="move", cos=cos, terrain=wall(7))
    found = manoeuvre(changed(state, SetAttribute("R1A", "moved", 1)))
    stand = found.picture.stands["R1B"]
    assert [found._out_of_reach(stand, Hex(q, 4)) for q in (4, 5, 6, 7)] == [3, 2, 1, 0]
    lost = found_without_nco(state)
    assert [lost._out_of_reach(lost.picture.stands["R1B"], Hex(q, 4)) for q in (4, 5, 6)] == [0, 1, 2]


def found_without_nco(state: State) -> Manoeuvre:
    return manoeuvre(changed(state, SetStatus("R1A-1", DEAD), SetAttribute("R1A", "moved", 1)))


# Rally


def routed(state: State, *more: Change) -> State:
    return changed(state, SetStatus("R1B", Status("routed", since=1)), SetTracker("R", "Stress", 12), *more)


def test_a_co_beside_a_routed_team_rallies_rather_than_rests() -> None:
    """He moves before the team runs on: to relieve Stress would spend both of his actions (D-R11.10, D-R16.15)."""
    cos = team("R0A", (4, 4), unit("CO", "revolver")), BLUE_CO
    mates = team("R1B", (4, 3), MAN, MAN, MAN)
    moves = field(mates, phase="move", cos=cos, group="co", terrain=wall(7))
    assert does(routed(moves)).rule != "relieve_stress"
    assert does(changed(moves, SetTracker("R", "Stress", 12))).rule == "relieve_stress"
    acts = field(mates, phase="battle", cos=cos, group="co", terrain=wall(7))
    assert deeds(does(routed(acts))) == {"R0A-1": ("rally",)}


def test_an_officer_goes_to_where_he_can_rally_who_runs() -> None:
    """Three soldiers run two hexes away; he steps beside them, away from the enemy. Had they not run, he would not."""
    nco, mates = team("R1A", (4, 4), unit("NCO", "revolver", movement=1)), team("R1B", (4, 2), MAN, MAN, MAN)
    state = field(nco, mates, phase="move", terrain=wall(7))
    ready = changed(state, SetAttribute("R1B", "moved", 1))  # who runs has run
    intent = does(routed(ready))
    assert (intent.rule, intent.args[0]) == ("move", "R1A")
    assert end_of(intent) in (Hex(4, 3), Hex(5, 3))  # the two hexes beside both
    calm = does(ready)
    assert calm.rule != "move" or end_of(calm) not in (Hex(4, 3), Hex(5, 3))


@pytest.mark.rule("D-R16.15", "D-PT-T5")
def test_an_officer_orders_those_whom_he_has_rallied_unless_they_run_again() -> None:
    """They are three hexes away, too far to be rallied anew; a routed team takes no orders."""
    nco, mates = team("R1A", (4, 4), unit("NCO", "revolver")), team("R1B", (4, 1), MAN, MAN, MAN)
    state = changed(field(nco, mates, phase="battle", terrain=wall(7)), SetAttribute("R1B", "under", "R1A-1"))
    assert deeds(does(state)) == {"R1A-1": ("order", "R1B", ENGAGE)}
    assert does(routed(state)).rule == "done"


# Companies


def company(*changes: Change, foes: int = 8) -> State:
    """Return red's CO portion: platoon R under the company commander R0A-1, platoon RR of squads 5 and 6, all out of sight."""
    land = Board(12, 12, {Hex(*at): word for at, word in wall(7).items()})
    rows = [
        team("R0A", (0, 0), unit("CO", "revolver")),
        team("R1A", (4, 0), unit("NCO", "pulse_rifle"), RIFLE),
        team("R5A", (8, 0), unit("CO", "revolver"), RIFLE),
        team("R6A", (4, 4), unit("NCO", "pulse_rifle"), *[RIFLE] * 3),
        team("B0A", (-5, 11), unit("CO", "revolver")),
        team("B1A", (2, 11), *[RIFLE] * foes),
    ]
    state = position(*rows, board=land, second=5, size="company", portion=("co", "red", "battle"))
    return changed(step(engaged(state), appoint, "red").state, *changes)


LOSSES = [SetStatus(uid, DEAD) for uid in ("R5A-2", "R6A-2", "R6A-3", "R6A-4")]
"""Four of the six units of platoon RR; its CO and NCO are left."""


@pytest.mark.rule("D-SF-4", "D-R16.12")
def test_the_company_commander_halts_a_platoon_that_has_lost_more_than_half_and_has_it_resume() -> None:
    assert words_due(Picture(company(), {}, "red"), "R0A-1") == {}
    assert (
        words_due(Picture(company(*LOSSES[1:]), {}, "red"), "R0A-1") == {}
    )  # three of six are left: not less than half
    spent = company(*LOSSES)
    assert words_due(Picture(spent, {}, "red"), "R0A-1") == {"Halt": ["RR"]}
    assert words_due(Picture(spent, {}, "red"), "R5A-1") == {}  # the other CO gives none
    intent = does(spent)
    assert intent == Intent("act", ("R0A", (("R0A-1", "code_word", "Halt", ("RR",)),)), "red")
    halted = step(spent, "act", *intent.args, seat="red").state
    order = order_of(halted, "R6A")
    assert order is not None
    assert (order.code_word, order.verb) == ("Halt", "hold")
    assert words_due(Picture(halted, {}, "red"), "R0A-1") == {}
    weak = changed(halted, *[SetStatus(f"B1A-{number}", DEAD) for number in range(1, 8)])
    assert words_due(Picture(weak, {}, "red"), "R0A-1") == {"Resume": ["RR"]}  # 5 to 2


@pytest.mark.rule("D-SF-4", "D-R16.12")
def test_in_a_long_battle_the_company_commander_halts_nobody_and_has_who_was_halted_resume() -> None:
    spent, later = company(*LOSSES), SetAttribute("battle", "turn", LONG_BATTLE + 1)
    halt = (("R0A-1", "code_word", "Halt", ("RR",)),)
    halted = step(spent, "act", "R0A", halt, seat="red").state
    due = [
        words_due(Picture(changed(spent, SetAttribute("battle", "turn", turn)), {}, "red"), "R0A-1")
        for turn in (LONG_BATTLE, LONG_BATTLE + 1)
    ]
    assert due == [{"Halt": ["RR"]}, {}]
    assert words_due(Picture(changed(halted, later), {}, "red"), "R0A-1") == {"Resume": ["RR"]}


def test_a_platoon_that_is_told_to_halt_does_not_press_on() -> None:
    spent = company(*LOSSES)
    halted = step(spent, "act", "R0A", (("R0A-1", "code_word", "Halt", ("RR",)),), seat="red").state
    free, bound = manoeuvre(spent), manoeuvre(halted)
    assert free._urge(free.picture.stands["R6A"]) == free.impatience > 0
    assert bound._urge(bound.picture.stands["R6A"]) == 0
    assert bound._urge(bound.picture.stands["R1A"]) == bound.impatience


def test_a_co_stays_behind_the_more_he_has_to_fear() -> None:
    """A quarter of the urge at even odds; with 9 units to 1 caution is down to half, so half of it; all in turn 20, when nobody minds."""

    def urge(men: int, turn: int = 1) -> float:
        found = manoeuvre(field(team("R1A", (4, 4), *[MAN] * men), phase="move", turn=turn))
        return found._urge(found.picture.stands["R0A"]) / found.impatience

    assert (urge(0), urge(8)) == (0.25, 0.5)
    assert urge(8, turn=20) == 1.0


def test_a_company_commander_with_a_word_to_give_does_not_rest() -> None:
    def resting(*changes: Change) -> bool:
        state = company(SetTracker("R", "Stress", 9), SetAttribute("battle", "at", 0), *changes)
        assert game().next(state)
        return does(state).rule == "relieve_stress"

    assert resting()
    assert not resting(*LOSSES)


def test_in_the_briefing_the_company_commander_orders_the_other_platoon() -> None:
    cos = [
        team("R0A", (0, 0), unit("CO", "revolver"), RIFLE),
        team("R5A", (8, 0), unit("CO", "revolver"), RIFLE),
        team("B0A", (-5, 11), unit("CO", "revolver"), RIFLE),
    ]
    made = encounter(cos, Board(12, 12), None, 5)
    state = step(first_state(made, size="company", edges={"red": "top", "blue": "bottom"}), "begin").state
    rules = Disrupter()
    pilot = Autopilot(rules.options)
    intent = pilot.act(rules.legal(state, "red"), rules.view(state, "red"))
    assert (intent.rule, intent.args[0]) == ("brief", "RR")
    said = intent.args[1]
    assert isinstance(said, Mapping)
    assert said["verb"] == "engage"


def test_a_co_in_view_leaves_it_before_he_rests() -> None:
    """With 20 Stress a rest is worth 4, more than to hide: it can wait till he is out of sight. He who is hidden already rests."""
    cos = team("R0A", (4, 4), unit("CO", "revolver")), BLUE_CO
    ncos = [team(f"R{n}A", (n - 1, 0), unit("NCO", "revolver")) for n in (1, 2)]

    def state(terrain: Mapping[tuple[int, int], str]) -> State:
        return changed(field(*ncos, phase="move", cos=cos, group="co", terrain=terrain), SetTracker("R", "Stress", 20))

    part = {(6, 5): "building", (5, 6): "building"}
    seen = state(part)
    picture = Picture(seen, {}, "red")
    assert picture.in_view("red", Hex(4, 4))
    intent = does(seen)
    assert intent.rule == "move"
    assert not picture.in_view("red", end_of(intent), Hex(4, 4))
    assert does(state(wall(7))).rule == "relieve_stress"
