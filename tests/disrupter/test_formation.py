"""How a squad goes on together: its Officer and his teams with bots, none of whom waits for the others for ever."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from rallypoint.disrupter.autopilot import BEAM_REACH, Autopilot
from rallypoint.disrupter.field import hex_of
from rallypoint.disrupter.formation import Step, station
from rallypoint.disrupter.game import Disrupter
from rallypoint.disrupter.manoeuvre import Manoeuvre
from rallypoint.disrupter.prospects import Picture
from rallypoint.kernel.answers import Answers, Seed
from rallypoint.kernel.battle import Battle
from rallypoint.kernel.game import Intent
from rallypoint.kernel.hexes import distance
from rallypoint.kernel.parts import Hex
from rallypoint.kernel.state import State

from .alone import field, wall
from .positions import team, unit

NCO = unit("NCO", "revolver", movement=1)
BOT = unit("Bot", "laser_carbine", movement=2)
HERE, AHEAD, BACK, AWAY = Hex(0, 0), Hex(1, 0), Hex(-1, 0), Hex(3, 0)


def test_an_officer_goes_where_his_teams_come_along() -> None:
    """Ahead is worth 0.3 to him and costs a hex out of his reach, which is 1, unless the bots gain more than that."""
    own = [Step(HERE, 0.0), Step(AHEAD, 0.3)]
    stay, follow = Step(BACK, 0.0), Step(Hex(0, 1), -0.2)
    assert station(own, [[stay]]) == HERE
    assert station(own, [[stay, follow]]) == AHEAD  # 0.3 - 0.2 is more than nothing
    assert station(own, [[stay, follow._replace(worth=-0.4)]]) == HERE
    assert station(own, [[stay, Step(AWAY, 1.1)]]) == AHEAD  # 0.3 + 1.1 - 1, not 1.1 - 2


def test_no_two_of_them_go_into_one_hex() -> None:
    own = [Step(HERE, 0.0), Step(AHEAD, 0.3)]
    stay, beside, on = Step(BACK, 0.0), Step(Hex(-1, 1), 0.0), Step(Hex(2, 0), 0.5)
    assert station(own, [[stay, on], [beside, on]]) == HERE  # ahead 0.3 + 0.5 - 1, here nothing is lost
    assert station(own, [[stay, on], [beside, on._replace(at=Hex(2, -1))]]) == AHEAD


def test_an_officer_does_not_go_where_a_team_cannot_leave() -> None:
    own = [Step(HERE, 0.0), Step(AHEAD, 5.0)]
    assert station(own, [[Step(AHEAD, 0.0)]]) == HERE
    assert station(own, [[Step(AHEAD, 0.0), Step(Hex(2, 0), -1.0)]]) == AHEAD


DEFILE = wall(7) | {(q, r): "building" for q in range(-6, 12) for r in (3, 4) if q != 4} | {(4, 4): "forest"}
"""The enemy is behind the wall; the only way there leads through (4, 3) and (4, 4)."""


def in_the_defile() -> State:
    """Return a squad one behind the other: the NCO, bots in the cover before him, bots who are through."""
    teams = team("R1A", (4, 3), NCO), team("R1B", (4, 4), BOT, BOT), team("R1C", (4, 5), BOT, BOT)
    return field(*teams, phase="move", terrain=DEFILE, turn=4)


def portion_of(state: State) -> State:
    """Return the state when the autopilot has moved Group 1."""
    game, pilot = Disrupter(), Autopilot()
    battle = Battle.start(game, state, Answers(Seed(1), others=pilot))
    for _ in range(4):
        intent = pilot.act(game.legal(battle.state, "red"), game.view(battle.state, "red"))
        if intent.rule == "done":
            return battle.state
        battle.act(intent)
    raise AssertionError("three teams move once each at most")


def test_bots_make_room_for_the_officer_who_has_to_follow() -> None:
    """He cannot lead those in front before those before him have left the only hex from which he can."""
    state = portion_of(in_the_defile())
    places = {uid: hex_of(state, state[uid]) for uid in ("R1A", "R1B", "R1C")}
    assert places["R1A"] == Hex(4, 4)
    for uid in ("R1B", "R1C"):
        place = places[uid]
        assert place is not None
        assert (distance(place, Hex(4, 4)), place.r) == (1, 5), uid


def moves_of(state: State) -> Mapping[str, list[Intent]]:
    found: dict[str, list[Intent]] = {}
    for intent in Disrupter().legal(state, "red"):
        if intent.rule == "move":
            found.setdefault(str(intent.args[0]), []).append(intent)
    return found


def test_it_costs_bots_a_hex_of_cohesion_to_stay_where_their_officer_had_best_go() -> None:
    state = in_the_defile()
    picture = Picture(state, {}, "red", BEAM_REACH)
    alone, together = Manoeuvre(picture), Manoeuvre(picture, moves_of(state))
    stand = picture.stands["R1B"]
    kept = [each.rated(stand, stand.place, moved=False) for each in (alone, together)]
    assert kept[0] - kept[1] == pytest.approx(1.0)
