"""Campaigns: Reserves, removal rolls, what holds between battles, how a campaign ends (D-GM-3 to D-GM-7)."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rallypoint.disrupter.campaign import (
    after,
    changes,
    concede,
    ending,
    forgotten,
    prepared,
    read,
    removal_roll,
    replaced,
    start,
    verdict,
)
from rallypoint.disrupter.harm import wound
from rallypoint.disrupter.modes import settle
from rallypoint.disrupter.records import Allocation
from rallypoint.disrupter.setup import first_state
from rallypoint.kernel.answers import Answers, AtRandom, Seed
from rallypoint.kernel.battle import Battle
from rallypoint.kernel.battle_file import BattleFile
from rallypoint.kernel.board import Board
from rallypoint.kernel.canonical import freeze
from rallypoint.kernel.changes import SetAttribute, SetStatus, SetTracker
from rallypoint.kernel.errors import InputError, StateError
from rallypoint.kernel.game import Over, Runs
from rallypoint.kernel.parts import Hex, Status
from rallypoint.kernel.state import State

from ..disrupter.positions import changed, encounter, game, position, step, team, unit

DEAD = Status("out", "dead")


def field(mode: str = "last_man_standing") -> State:
    """Each side: a CO with a soldier, an NCO with a soldier."""
    rows = []
    for letter, row in (("R", 0), ("B", 11)):
        rows.append(team(f"{letter}0A", (0 - row // 2, row), unit("CO", "revolver"), unit("Soldier", "pulse_rifle")))
        rows.append(
            team(f"{letter}1A", (8 - row // 2, row), unit("NCO", "pulse_rifle"), unit("Soldier", "pulse_rifle"))
        )
    return position(*rows, mode=mode)


def hits(*uids: str) -> tuple[Allocation, ...]:
    """Return Wounds enough to take each of these in combat armour (W 2) out at once."""
    return tuple([Allocation(uid, 2) for uid in uids])


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


def ended(state: State, winner: str, turn: int = 9, **fates: str) -> State:
    """Return a state in which a battle ended; ``fates`` by uid with underscores for hyphens."""
    row = {"winner": winner, "rule": "D-R9.7", "turn": turn, "mode": "campaign", "surrendered": ()}
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
def test_who_is_only_hurt_when_a_campaign_begins_keeps_his_slot() -> None:
    """B1A-2 has all of his 2 Wounds; B1A-3 is dead by his roster."""
    dead = fresh()["B1A-3"]
    dead = dead._replace(facts=freeze({**dead.facts, "extra": {"fate": "dead"}}))  # type: ignore[arg-type]
    state = State.of([dead if each.uid == "B1A-3" else each for each in fresh()])
    campaign = start("frontier", changed(state, SetTracker("B1A-2", "Wounds", 2)))
    assert [slot for slot, holder in campaign.holders.items() if holder is None] == ["B1A-3"]


@pytest.mark.rule("D-GM-6")
def test_the_dead_are_replaced_from_the_reserve_and_the_incapacitated_return() -> None:
    campaign = start("frontier", fresh())
    fates: dict[str, Any] = {"B0A_1": "dead", "B1A_1": "incapacitated", "B1A_2": "ran", "R1A_3": "dead"}
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
    for turn, (winner, expected) in enumerate((("red", None), ("blue", None), ("draw", None), ("blue", "blue"))):
        campaign = after(campaign, ended(fresh(), winner, turn))
        assert verdict(campaign) == expected
    with pytest.raises(InputError, match="over"):
        after(campaign, ended(fresh(), "red"))
    with pytest.raises(InputError, match="not over"):
        after(start("frontier", fresh()), fresh())


@pytest.mark.rule("D-GM-7", "D-R9.7")
def test_a_campaign_ends_when_a_force_has_no_officer_left_or_gives_up() -> None:
    campaign = start("frontier", fresh(), wins=9)
    assert ending(concede(campaign, "red")) == ("blue", "red gave up (D-GM-7)")
    with pytest.raises(InputError, match="not in the campaign"):
        concede(campaign, "green")
    with pytest.raises(InputError, match="over"):
        concede(concede(campaign, "red"), "blue")
    officers = {"B0A-1", "B1A-1"}
    led_by_none = campaign._replace(holders={slot: None if slot in officers else slot for slot in campaign.holders})
    assert verdict(led_by_none) is None  # there are Officers in the Reserve
    with pytest.raises(InputError, match=r"blue: this side has no Officer.*D-R9\.7"):
        prepared(led_by_none, fresh())
    spent = led_by_none._replace(
        reserves={uid: slot for uid, slot in campaign.reserves.items() if slot not in officers}
    )
    assert ending(spent) == ("red", "no Officer is left to blue (D-R9.7, D-GM-7)")
    assert verdict(spent._replace(holders=dict.fromkeys(spent.holders), reserves={})) == "draw"
    for refused in (replaced, forgotten, lambda each: prepared(each, fresh())):
        with pytest.raises(InputError):
            refused(spent)


# What comes of it


def test_a_campaign_goes_through_its_text() -> None:
    campaign = replaced(after(start("frontier", fresh()), ended(fresh(), "red", B0A_1="dead"), "first.battle"))
    assert read(campaign.to_text()) == campaign
    assert campaign.fought[0].battle == "first.battle"
    for text in ("{}", '{"campaign":2}', '{"campaign":1}', "[", "1"):
        with pytest.raises(StateError):
            read(text)
    with pytest.raises(InputError, match="not the forces"):
        prepared(campaign, field("campaign"))


@pytest.mark.parametrize(
    "spoil",
    [
        lambda row: row.update(wins=0),
        lambda row: row.update(wins=True),
        lambda row: row.update(wins=True, key=7),
        lambda row: row.update(sides={}),
        lambda row: row.update(sides=dict.fromkeys(row["sides"], "red")),
        lambda row: row.update(kinds=["CO"]),
        lambda row: row["holders"].pop("B0A-1"),
        lambda row: row["holders"].update({"B0A-1": "B0A-2"}),
        lambda row: row["holders"].update({"B0A-1": "stranger"}),
        lambda row: row["reserves"].update({"R0A-1.reserve": "R0A-2"}),
        lambda row: row["reserves"].update({"B0A-1.reserve": "B0A-1"}),  # he holds a slot already
        lambda row: row.update(reserves=None),
        lambda row: row.update(conceded="green"),
        lambda row: row.update(fought=[1]),
        lambda row: row["fought"][0].update(winner="green"),
        lambda row: row["fought"][0].update(turn="9"),
        lambda row: row["fought"][0]["holders"].clear(),
        lambda row: row.update(more=1),
    ],
)
def test_what_was_changed_by_hand_and_does_not_fit_is_refused(spoil: Callable[[Any], object]) -> None:
    campaign = replaced(after(start("frontier", fresh()), ended(fresh(), "red", B0A_1="dead")))
    row = json.loads(campaign.to_text())
    spoil(row)
    with pytest.raises(StateError, match="does not fit together"):
        read(json.dumps(row))


def test_only_a_battle_of_these_people_that_is_over_is_taken_in_and_only_once() -> None:
    campaign = start("frontier", fresh(), wins=5)
    first = ended(fresh(), "red", B1A_3="dead")
    with pytest.raises(InputError, match="not over"):
        after(campaign, fresh())
    alone = first_state(encounter([team("R0A", (0, 0), unit("CO")), team("B0A", (0, 5), unit("CO"))]))
    with pytest.raises(InputError, match=r"no battle of a campaign; found: last_man_standing"):
        after(campaign, alone)
    with pytest.raises(InputError, match="who is not in the battle"):
        after(campaign, ended(field("campaign"), "red"))
    once = after(campaign, first)
    with pytest.raises(InputError, match="in the campaign already; found: as battle 1"):
        after(once, first)
    with pytest.raises(InputError, match="B1A-3, who is not in the campaign now"):  # begun before he died
        after(once, ended(fresh(), "red", 3))
    meanwhile = ended(prepared(once, fresh()), "blue")
    assert after(replaced(once), meanwhile).holders["B1A-3"] == "B1A-3.reserve"  # he came while it was fought


def test_what_was_taken_in_last_is_forgotten_with_all_that_followed() -> None:
    begun = start("frontier", fresh(), wins=5)
    with pytest.raises(InputError, match="nothing to forget"):
        forgotten(begun)
    first = replaced(after(begun, ended(fresh(), "red", B1A_3="dead")))
    second = after(first, ended(prepared(first, fresh()), "blue", R1A_1="dead", B1A_2="incapacitated"))
    given_up = concede(replaced(second), "red")
    assert forgotten(given_up) == replaced(second)
    assert forgotten(forgotten(given_up)) == first
    assert forgotten(first) == begun


@pytest.mark.rule("D-GM-6", "D-R9.1")
def test_who_comes_from_the_reserve_is_of_the_slots_class_and_gear_unless_somebody_else_is_named() -> None:
    campaign = start("frontier", fresh(), wins=5)
    campaign = campaign._replace(holders={**campaign.holders, "B0A-2": None, "B1A-2": None, "B1A-3": None})
    assert replaced(campaign, {"B1A-3": None}).holders == {**campaign.holders, "B1A-3": "B1A-3.reserve"}
    # B0A-2 and B1A-2 are alike, and each has his own first.
    assert replaced(campaign, {"B1A-2": None}).holders["B1A-2"] == "B1A-2.reserve"
    first = replaced(campaign, {"B1A-3": "B0A-2.reserve", "B0A-2": None})
    assert first.holders["B0A-2"] == "B1A-2.reserve"  # the other soldier with a pulse rifle
    assert first.holders["B1A-2"] is None
    with pytest.raises(
        InputError, match="nobody in reserve has this class and gear; found: Soldier, combat_armor, pulse"
    ):
        replaced(first, {"B1A-2": None})
    assert replaced(first).holders["B1A-2"] is None
    with pytest.raises(InputError, match=r"a CO takes a CO's place.*D-R9\.1"):
        replaced(campaign, {"B1A-3": "B0A-1.reserve"})


@pytest.mark.rule("D-GM-4")
def test_without_reserves_nobody_comes() -> None:
    campaign = after(start("frontier", fresh(), reserves=False), ended(fresh(), "red", B1A_3="dead"))
    assert (campaign.reserves, replaced(campaign)) == ({}, campaign)
    with pytest.raises(InputError, match="the Reserve is empty"):
        replaced(campaign, {"B1A-3": "B1A-3.reserve"})


@pytest.mark.rule("D-GM-6")
def test_everybody_is_rested_and_a_stand_of_which_all_are_dead_is_off_the_board() -> None:
    tired = changed(fresh(), SetTracker("R", "Stress", 7), SetTracker("B1A-2", "Wounds", 1))
    tired = changed(tired, SetStatus("B1A-2", Status("shaken", since=1)))
    campaign = after(start("frontier", fresh()), ended(tired, "red", R1A_1="dead", R1A_2="dead", R1A_3="dead"))
    state = prepared(campaign, tired)
    assert (state["R"].value("Stress"), state["B1A-2"].value("Wounds"), dict(state["B1A-2"].statuses)) == (0, 0, {})
    assert (state["R1A"].place, state["R0A"].place) == (None, Hex(0, 0))
    assert [unit.uid for unit in state.below("red", "unit")] == ["R0A-1", "R0A-2"]


def test_changed_forces_are_named() -> None:
    campaign = start("frontier", fresh())
    assert changes(campaign, fresh()) == ()
    rows = []
    for letter, gun in (("R", "pulse_rifle"), ("B", "sniper_rifle")):
        rows.append(team(f"{letter}0A", (0, 0), unit("CO", "revolver"), unit("Soldier", gun)))
        rows.append(team(f"{letter}1A", (5, 0), *[unit("Soldier", "pulse_rifle")] * (4 if letter == "R" else 1)))
    found = changes(campaign, encounter(rows).state)
    assert found == (
        "B1A-2 is not there any more",
        "B1A-3 is not there any more",
        "R1A-1 was NCO, combat_armor, pulse_rifle, I 80 A 60 W 2 M 1, and is "
        "Soldier, combat_armor, pulse_rifle, I 60 A 60 W 2 M 1",
        "R1A-3 was Bot, basic_battlefield_robot, laser_carbine, I 40 A 80 W 1 M 2, and is "
        "Soldier, combat_armor, pulse_rifle, I 60 A 60 W 2 M 1",
        "R1A-4 is new on the side red",
        "B0A-2 was Soldier, combat_armor, pulse_rifle, I 60 A 60 W 2 M 1, and is "
        "Soldier, combat_armor, sniper_rifle, I 60 A 60 W 2 M 1",
        "B1A-1 was NCO, combat_armor, pulse_rifle, I 80 A 60 W 2 M 1, and is "
        "Soldier, combat_armor, pulse_rifle, I 60 A 60 W 2 M 1",
    )


def test_a_uid_that_the_reserve_needs_and_a_single_force_are_refused() -> None:
    state = fresh()
    named = [each._replace(uid="R0A-1.reserve") if each.uid == "R0A-2" else each for each in state]
    with pytest.raises(InputError, match="needed for somebody of the Reserve"):
        start("frontier", State.of(named))
    lone = [each for each in state if not (each.uid.startswith("B") and each.role == "unit")]
    with pytest.raises(InputError, match="two forces"):
        start("frontier", State.of(lone))


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
