"""How battles end (D-R9.7, D-GM-1), and campaigns of several battles (D-GM-3 to D-GM-7)."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from rallypoint.disrupter.campaign import Campaign, after, concede, prepared, removal_roll, replaced, start, verdict
from rallypoint.disrupter.harm import wound
from rallypoint.disrupter.hooks import DisrupterStep
from rallypoint.disrupter.modes import result, settle, surrendered
from rallypoint.disrupter.records import Allocation
from rallypoint.disrupter.setup import first_state
from rallypoint.kernel.answers import Answers, AtRandom, Seed
from rallypoint.kernel.battle import Battle
from rallypoint.kernel.battle_file import BattleFile
from rallypoint.kernel.board import Board
from rallypoint.kernel.changes import SetAttribute, SetStatus
from rallypoint.kernel.errors import InputError, RuleError, StateError
from rallypoint.kernel.game import Over, Runs
from rallypoint.kernel.parts import Status
from rallypoint.kernel.plugins.hooks import hookimpl
from rallypoint.kernel.state import State

from ..disrupter.positions import changed, encounter, game, kinds, position, rules, step, team, unit

DEAD = Status("out", "dead")


def field(mode: str = "last_man_standing", **more: object) -> State:
    """Each side: a CO with a soldier, an NCO with a soldier."""
    rows = []
    for letter, row in (("R", 0), ("B", 11)):
        rows.append(team(f"{letter}0A", (0 - row // 2, row), unit("CO", "revolver"), unit("Soldier", "pulse_rifle")))
        rows.append(
            team(f"{letter}1A", (8 - row // 2, row), unit("NCO", "pulse_rifle"), unit("Soldier", "pulse_rifle"))
        )
    return position(*rows, mode=mode, **more)  # type: ignore[arg-type]


def without(state: State, *uids: str) -> State:
    return changed(state, *[SetStatus(uid, DEAD) for uid in uids])


def hits(*uids: str) -> tuple[Allocation, ...]:
    """Return Wounds enough to take each of these in combat armour (W 2) out at once."""
    return tuple([Allocation(uid, 2) for uid in uids])


# Surrender


@pytest.mark.rule("D-R9.7", "D-GM-1")
@pytest.mark.parametrize(("mode", "rule"), [("last_man_standing", "D-GM-1"), ("campaign", "D-R9.7")])
def test_a_platoon_without_officers_surrenders_at_once_in_every_mode(mode: str, rule: str) -> None:
    state = without(field(mode), "B0A-1")
    dice = [70] if mode == "campaign" else []  # D-GM-5: 70 is dead
    done = step(state, wound, hits("B1A-1"), "D-R16.10", dice=dice)
    ended = result(done.state)
    assert ended is not None
    assert (ended["winner"], ended["rule"], ended["turn"], ended["surrendered"]) == ("red", rule, 1, ("blue",))
    assert rules(done)[-1] == rule
    assert "panic.check" not in kinds(done)  # nobody is left to lose his nerve
    assert game().next(done.state) == Over(ended)


@pytest.mark.rule("D-R9.7", "D-R9.6")
def test_a_platoon_with_one_officer_left_fights_on() -> None:
    state = field()
    assert [surrendered(state, side) for side in ("red", "blue")] == [False, False]
    done = step(state, wound, hits("B0A-1"), "D-R16.10", dice=[19, 19])
    assert result(done.state) is None
    assert "command.succession" in kinds(done)


@pytest.mark.rule("D-R9.7")
def test_both_sides_without_officers_in_one_step_draw() -> None:
    state = without(field(), "R0A-1", "B0A-1")
    done = step(state, wound, hits("R1A-1", "B1A-1"), "D-R16.10")
    ended = result(done.state)
    assert ended is not None
    assert (ended["winner"], ended["surrendered"]) == ("draw", ("red", "blue"))


@pytest.mark.rule("D-R9.7")
def test_who_surrenders_first_has_lost_whatever_falls_after() -> None:
    def two_volleys(step: DisrupterStep) -> None:
        wound(step, hits("R1A-1"), "D-R16.10")
        wound(step, hits("B1A-1"), "D-R16.10")

    done = step(without(field(), "R0A-1", "B0A-1"), two_volleys)
    ended = result(done.state)
    assert ended is not None
    assert ended["winner"] == "blue"
    assert kinds(done).count("battle.over") == 1


@pytest.mark.rule("D-PT-T5", "D-R9.7")
def test_officers_who_ran_off_the_board_count_as_lost() -> None:
    state = changed(field(), SetStatus("B0A-1", DEAD), SetStatus("B1A-1", Status("out", "ran")))
    assert surrendered(state, "blue")


def test_a_plugin_may_name_another_winner_or_none_yet() -> None:
    plugin = SimpleNamespace(mode_victory=hookimpl(victory))
    done = step(field(), settle, plugins=[plugin])
    ended = result(done.state)
    assert ended is not None
    assert (ended["winner"], ended["surrendered"]) == ("blue", ())
    assert step(field(), settle).events == ()


def victory() -> str:
    return "blue"


victory.__name__ = "mode_victory"


@pytest.mark.rule("D-R9.7")
def test_a_shot_that_takes_the_last_officer_ends_the_battle_in_the_middle_of_an_activation() -> None:
    # Both volleys of red are declared; the first takes blue's last officer, so the second is not fired.
    red = [team("R0A", (5, 5), unit("CO", "pulse_rifle"), unit("Soldier", "pulse_rifle"))]
    blue = [
        team("B1A", (5, 6), unit("NCO", "revolver")),
        team("B1B", (6, 5), unit("Soldier", "revolver"), unit("Soldier", "revolver")),
    ]
    state = position(*red, *blue, portion=("co", "red", "battle"))
    deeds = [["R0A-1", "fire", "pulse_rifle", "B1A"], ["R0A-2", "fire", "pulse_rifle", "B1B"]]
    # The CO's check at 80: 12 hits; the NCO's save at 60 fails with 61: 2 Wounds, W 2.
    done = step(state, "act", "R0A", deeds, seat="red", dice=[12, 61])
    ended = result(done.state)
    assert ended is not None
    assert ended["winner"] == "red"
    with pytest.raises(RuleError):
        Battle.start(game(), done.state, Answers(Seed(1))).proceed()


# Campaigns


@pytest.mark.rule("D-GM-5", "D-AMB-03")
@pytest.mark.parametrize(("face", "became"), [(0, "incapacitated"), (49, "incapacitated"), (50, "dead"), (99, "dead")])
def test_in_a_campaign_a_d100_says_what_became_of_a_casualty(face: int, became: str) -> None:
    state = changed(field("campaign"), SetAttribute("R", "co", "R0A-1"))
    done = step(state, wound, hits("R0A-2"), "D-R16.10", dice=[face, 19, 19])
    assert done.state["R0A-2"].statuses["out"].value == became
    # Only a death is one for D-R8.6; at Stress 0 no d20 is thrown.
    assert done.state["R"].value("Stress") == (1 if became == "dead" else 0)
    outside = step(field(), wound, hits("R0A-2"), "D-R16.10", dice=[19, 19])
    assert outside.state["R0A-2"].statuses["out"].value == "dead"
    assert [event.kind for event in step(field("campaign"), removal_roll, "R0A-2", dice=[face]).events] == [
        "campaign.removal"
    ]


def fresh(board: Board | None = None) -> State:
    rows = []
    for letter, row in (("R", 0), ("B", 11)):
        rows.append(team(f"{letter}0A", (0 - row // 2, row), unit("CO", "revolver"), unit("Soldier", "pulse_rifle")))
        people = unit("NCO", "pulse_rifle"), unit("Soldier", "pulse_rifle"), unit("Bot", "laser_carbine")
        rows.append(team(f"{letter}1A", (5 - row // 2, row), *people))
    return first_state(encounter(rows, board), mode="campaign")


def ended(state: State, winner: str, **fates: str) -> State:
    """Return a state in which a battle ended; ``fates`` by uid with underscores for hyphens."""
    row = {"winner": winner, "rule": "D-R9.7", "turn": 9, "mode": "campaign", "surrendered": ()}
    out = [SetStatus(uid.replace("_", "-"), Status("out", fate)) for uid, fate in fates.items()]
    return changed(state, SetAttribute("battle", "result", row), *out)  # type: ignore[arg-type]


@pytest.mark.rule("D-GM-4")
def test_each_side_has_a_reserve_of_as_many_units() -> None:
    campaign = start("frontier", fresh())
    assert len(campaign.holders) == len(campaign.reserves) == 10
    assert list(campaign.sides.values()).count("red") == 5
    with pytest.raises(InputError):
        start("frontier", fresh(), wins=0)


@pytest.mark.rule("D-GM-6")
def test_the_dead_are_replaced_from_the_reserve_and_the_incapacitated_return() -> None:
    campaign = start("frontier", fresh())
    fates = {"B0A_1": "dead", "B1A_1": "incapacitated", "B1A_2": "ran", "R1A_3": "dead"}
    campaign = after(campaign, ended(fresh(), "red", **fates))
    assert [slot for slot, holder in campaign.holders.items() if holder is None] == ["B0A-1", "R1A-3"]
    assert dict(campaign.fought[0].fates) == {
        "B0A-1": "dead",
        "B1A-1": "incapacitated",
        "B1A-2": "ran",
        "R1A-3": "dead",
    }
    empty = prepared(campaign, fresh())
    assert "B0A-1" not in empty
    assert empty["B"].attributes["co"] == "B1A-1"  # D-R9.6: an NCO leads where there is no CO
    campaign = replaced(campaign)
    assert len(campaign.reserves) == 8
    state = prepared(campaign, fresh(Board(18, 18)))
    names = [unit.uid for unit in state.below("blue", "unit")]
    assert names == ["B0A-1.reserve", "B0A-2", "B1A-1", "B1A-2", "B1A-3"]
    assert state["B"].attributes["co"] == "B0A-1.reserve"
    assert state["B0A-1.reserve"].facts["class"] == "CO"
    assert not any(entity.statuses for entity in state)
    assert game().next(step(state, "begin").state) != Runs("begin")


@pytest.mark.rule("D-GM-6")
def test_the_owner_may_choose_who_takes_which_place() -> None:
    campaign = after(start("frontier", fresh()), ended(fresh(), "red", B1A_3="dead", B1A_2="dead"))
    chosen = replaced(campaign, {"B1A-3": "B1A-2.reserve"})
    assert chosen.holders["B1A-3"] == "B1A-2.reserve"
    assert chosen.holders["B1A-2"] is None  # its own stand-in is taken
    state = prepared(chosen, fresh())
    assert state["B1A-2.reserve"].facts["class"] == "Soldier"
    assert state["B1A-2.reserve"].parent == "B1A"
    for choices in (
        {"B1A-1": "B1A-1.reserve"},
        {"B1A-3": "R1A-3.reserve"},
        {"B1A-3": "nobody"},
        {"X": "B1A-3.reserve"},
    ):
        with pytest.raises(InputError):
            replaced(campaign, choices)


@pytest.mark.rule("D-GM-6")
def test_a_stand_in_who_dies_too_is_not_replaced_by_himself() -> None:
    campaign = replaced(after(start("frontier", fresh(), wins=5), ended(fresh(), "red", B1A_3="dead")))
    second = ended(prepared(campaign, fresh()), "red")
    second = changed(second, SetStatus("B1A-3.reserve", DEAD))
    campaign = replaced(after(campaign, second))
    assert campaign.holders["B1A-3"] is None
    assert campaign.fought[1].fates == {"B1A-3.reserve": "dead"}


@pytest.mark.rule("D-GM-3")
def test_the_first_to_the_agreed_number_of_wins_has_the_campaign() -> None:
    campaign = start("frontier", fresh(), wins=2)
    for winner, expected in (("red", None), ("blue", None), ("draw", None), ("blue", "blue")):
        campaign = after(campaign, ended(fresh(), winner))
        assert verdict(campaign) == expected
    with pytest.raises(InputError, match="over"):
        after(campaign, ended(fresh(), "red"))
    with pytest.raises(InputError, match="not over"):
        after(start("frontier", fresh()), fresh())


@pytest.mark.rule("D-GM-7")
def test_a_campaign_ends_when_a_force_is_gone_or_gives_up() -> None:
    campaign = start("frontier", fresh(), wins=9)
    assert verdict(concede(campaign, "red")) == "blue"
    with pytest.raises(InputError):
        concede(campaign, "green")
    blue = {slot for slot, side in campaign.sides.items() if side == "blue"}
    gone = campaign._replace(holders={slot: None if slot in blue else slot for slot in campaign.holders})
    assert verdict(gone) is None  # the Reserve is still there
    spent = gone._replace(reserves={uid: slot for uid, slot in gone.reserves.items() if slot not in blue})
    assert verdict(spent) == "red"
    assert verdict(spent._replace(holders=dict.fromkeys(spent.holders), reserves={})) == "draw"


@pytest.mark.rule("D-GM-3")
def test_a_campaign_goes_through_its_text() -> None:
    campaign = replaced(after(start("frontier", fresh()), ended(fresh(), "red", B0A_1="dead")))
    again = Campaign.from_text(campaign.to_text())
    assert again == campaign
    for text in ("{}", '{"campaign":2}', '{"campaign":1}', "["):
        with pytest.raises(StateError):
            Campaign.from_text(text)
    with pytest.raises(InputError, match="not the forces"):
        prepared(campaign, field("campaign"))


@pytest.mark.rule("D-GM-3")
def test_a_campaign_over_several_battle_files(tmp_path: Path) -> None:
    campaign = start("frontier", fresh(), wins=1)
    battles = 0
    while verdict(campaign) is None and battles < 3:
        battles += 1
        path = tmp_path / f"battle-{battles}.db"
        battle = Battle.start(
            game(), prepared(campaign, fresh()), Answers(Seed(battles), others=AtRandom(battles)), path=path
        )
        while not isinstance(battle.due, Over) and battle.game.clock(battle.state) < 5:
            battle.play(1)
        # Nobody wins that fast: blue's officers are taken off by hand, at the table.
        officers = [uid for uid in ("B0A-1", "B1A-1") if "out" not in battle.state[uid].statuses]
        battle.edit("table", *[SetStatus(uid, Status("out", "incapacitated")) for uid in officers])
        file = BattleFile(path)
        again = Battle.open(file, game(), Answers(Seed(0)))
        state = step(again.state, settle).state
        campaign = after(campaign, state)
    assert verdict(campaign) == "red"
    assert battles == 1


@pytest.mark.rule("D-GM-2")
def test_edges_are_those_that_were_agreed_or_where_the_teams_stand() -> None:
    facts = field()["battle"].facts["edges"]
    assert facts == {"red": "top", "blue": "bottom"}
    corner = field(edges={"red": "top-left", "blue": "bottom-right"})["battle"].facts["edges"]
    assert corner == {"red": "top-left", "blue": "bottom-right"}
    with pytest.raises(InputError, match="no such edge"):
        field(edges={"red": "north"})


def test_places_and_modes_are_checked() -> None:
    with pytest.raises(InputError, match="no such game mode"):
        field("king_of_the_hill")
    a, b = team("R0A", (1, 1), unit("CO", "revolver")), team("B0A", (1, 1), unit("CO", "revolver"))
    with pytest.raises(InputError, match="two stands share a hex"):
        position(a, b)
    off = team("B0A", (40, 1), unit("CO", "revolver"))
    with pytest.raises(InputError, match="does not stand on the board"):
        position(a, off)
    assert position(a, team("B0A", None, unit("CO", "revolver")))["B0A"].place is None
