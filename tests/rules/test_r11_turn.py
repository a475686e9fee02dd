"""Rule 11: the Initiative Phase, the Groups, the portions of the Action Phase, the CO who relieves Stress."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from rallypoint.disrupter.activity import may_spend, spent
from rallypoint.disrupter.records import CheckRequest
from rallypoint.disrupter.turn import group_of, portion, sections
from rallypoint.kernel.answers import PERSON, Answers, Policy, Seed
from rallypoint.kernel.battle import Battle
from rallypoint.kernel.board import Board
from rallypoint.kernel.changes import Change, SetAttribute, SetLink, SetPlace, SetStatus, SetTracker
from rallypoint.kernel.errors import RuleError
from rallypoint.kernel.game import Acts, Runs
from rallypoint.kernel.parts import Hex, Link, Status
from rallypoint.kernel.plugins.hooks import hookimpl
from rallypoint.kernel.state import State
from rallypoint.kernel.tape import Choose

from ..disrupter.positions import changed, engaged, game, kinds, position, rules, step, team, two_platoons, unit
from .playing import told


def apart() -> State:
    """Each side: the CO, and two squads with their NCOs, all too far from each other for an officer's [+]."""
    rows = []
    for letter, row in (("R", 0), ("B", 11)):
        rows.append(team(f"{letter}0A", (0 - row // 2, row), unit("CO", "revolver"), unit("Soldier", "pulse_rifle")))
        for squad, column in ((1, 4), (2, 8)):
            people = unit("NCO", "pulse_rifle"), unit("Soldier", "pulse_rifle")
            rows.append(team(f"{letter}{squad}A", (column - row // 2, row), *people))
    return position(*rows)


def at(state: State, phase: str, **attributes: object) -> State:
    values = {"phase": phase, **attributes}
    return changed(state, *[SetAttribute("battle", name, value) for name, value in values.items()])  # type: ignore[arg-type]


def stress(state: State) -> tuple[int, int]:
    return state["R"].value("Stress"), state["B"].value("Stress")


# The turn as a whole


@pytest.mark.rule("D-R11.1", "D-R11.3", "D-R8.3")
def test_a_turn_begins_with_a_point_of_stress_for_each_platoon_before_the_checks() -> None:
    state = changed(at(apart(), "start"), SetTracker("B", "Stress", 19))
    done = step(state, "begin_turn")
    assert stress(done.state) == (1, 20)
    assert done.state["battle"].attributes["turn"] == 2
    assert game().next(done.state) == Runs("initiative")
    again = step(at(done.state, "start"), "begin_turn")
    assert stress(again.state) == (2, 20)  # D-R8.1: never above 20


@pytest.mark.rule("D-R11.1")
def test_the_phases_of_a_turn_follow_each_other() -> None:
    battle = Battle.start(
        game(), at(apart(), "start"), Answers(Seed(3), others=Policy(act=lambda legal, view: legal[-1]))
    )
    seen: list[str] = []
    while len(seen) < 5:
        due = battle.due
        if isinstance(due, Runs):
            seen.append(due.rule)
            battle.proceed()
        else:
            battle.play(1)
    assert seen == ["begin_turn", "initiative", "groups", "end_turn", "begin_turn"]


# Initiative


@pytest.mark.rule("D-R11.4", "D-AMB-16")
@pytest.mark.parametrize(("dice", "first"), [((12, 80), "red"), ((95, 79), "blue"), ((1, 99), "red")])
def test_the_co_who_succeeds_alone_goes_first(dice: tuple[int, int], first: str) -> None:
    # Instinct 80 for both: 80 fails, 79 does not.
    done = step(at(apart(), "initiative"), "initiative", dice=dice)
    assert done.state["battle"].attributes["first"] == first
    assert rules(done)[-1] == "D-R11.4"
    assert [event.why["units"] for event in done.events if event.kind == "check"] == [("R0A-1",), ("B0A-1",)]


@pytest.mark.rule("D-R11.5")
@pytest.mark.parametrize(("dice", "first"), [((12, 13), "blue"), ((79, 78), "red")])
def test_of_two_successes_the_higher_goes_first(dice: tuple[int, int], first: str) -> None:
    done = step(at(apart(), "initiative"), "initiative", dice=dice)
    assert done.state["battle"].attributes["first"] == first
    assert rules(done)[-1] == "D-R11.5"


@pytest.mark.rule("D-R11.6", "D-R8.5")
@pytest.mark.parametrize(
    ("dice", "first", "after"), [((11, 79), "red", (0, 1)), ((44, 55), "blue", (0, 0)), ((0, 98), "red", (0, 1))]
)
def test_a_critical_success_goes_before_any_other(dice: tuple[int, int], first: str, after: tuple[int, int]) -> None:
    state = changed(at(apart(), "initiative"), SetTracker("R", "Stress", 1), SetTracker("B", "Stress", 1))
    done = step(state, "initiative", dice=dice)
    assert done.state["battle"].attributes["first"] == first
    assert rules(done)[-1] == "D-R11.6"
    assert stress(done.state) == after  # D-R8.5: a point less for each critical success


@pytest.mark.rule("D-R11.7", "D-R8.4", "D-AMB-09")
def test_two_failures_are_rolled_again_and_each_roll_is_a_full_check() -> None:
    # 88 and 99 are critical failures: 1 Stress for red, 2 for blue.
    done = step(at(apart(), "initiative"), "initiative", dice=[88, 99, 81, 99, 90, 5])
    assert done.state["battle"].attributes["first"] == "blue"
    assert stress(done.state) == (1, 2)
    assert kinds(done).count("check") == 6


@pytest.mark.rule("D-AMB-17")
def test_equal_successes_are_rolled_again() -> None:
    done = step(at(apart(), "initiative"), "initiative", dice=[40, 40, 41, 40])
    assert done.state["battle"].attributes["first"] == "red"
    assert kinds(done).count("check") == 4


@pytest.mark.rule("D-AMB-17")
@pytest.mark.parametrize(("last", "first"), [("red", "blue"), ("blue", "red")])
def test_by_ruling_equal_successes_go_to_the_side_that_lost_last(last: str, first: str) -> None:
    options = {"D-AMB-17": "side_that_lost_last"}
    done = step(at(apart(), "initiative", first=last), "initiative", dice=[40, 40], options=options)
    assert done.state["battle"].attributes["first"] == first


def beside_an_nco() -> State:
    """Red's CO has [+] from an NCO beside him; blue's has nobody."""
    red = team("R0A", (3, 3), unit("CO", "revolver")), team("R1A", (4, 3), unit("NCO", "revolver"))
    blue = team("B0A", (3, 9), unit("CO", "revolver")), team("B1A", (7, 9), unit("NCO", "revolver"))
    return at(position(*red, *blue), "initiative")


@pytest.mark.rule("D-AMB-06", "D-R9.4")
@pytest.mark.parametrize(
    ("pair", "other", "ruling", "first"),
    [
        ([20, 60], 50, "higher", "red"),  # both succeed: 60 counts
        ([20, 60], 50, "lower_die", "blue"),  # 20 counts
        ([90, 30], 29, "higher", "red"),  # only 30 has the result's class
        ([90, 30], 31, "higher", "blue"),
        ([11, 78], 78, "higher", "red"),  # the critical is the result
    ],
)
def test_the_value_that_counts_under_an_advantage(pair: list[int], other: int, ruling: str, first: str) -> None:
    done = step(beside_an_nco(), "initiative", dice=[pair, other], options={"D-AMB-06": ruling})
    assert done.state["battle"].attributes["first"] == first


@pytest.mark.rule("D-AMB-06")
@pytest.mark.parametrize(("other", "first"), [(21, "blue"), (19, "red")])
def test_under_a_disadvantage_the_lower_die_of_the_class_counts(other: int, first: str) -> None:
    # Red's CO stands under cover: [-] from Rule 13, no officer near. 20 and 60 both succeed, 20 counts.
    state = changed(at(apart(), "initiative"), SetStatus("R0A", Status("under_cover")))
    done = step(state, "initiative", dice=[[20, 60], other])
    assert done.state["battle"].attributes["first"] == first


@pytest.mark.rule("D-OP-R11.1", "D-AMB-13")
def test_resolve_is_declared_before_the_roll_and_only_once() -> None:
    options = {"D-OP-R11.1": "on"}
    state = at(apart(), "initiative")
    done = step(state, "initiative", dice=[["use", "keep"], [90, 50], 20], options=options)
    assert done.state["battle"].attributes["first"] == "red"
    assert kinds(done)[0] == "co.resolve"
    assert done.state["R0A-1"].attributes["resolve"] == 1
    assert done.events[1].why["modifiers"] == (("+", "Resolve", "D-OP-R11.1"),)
    # Next turn only blue is asked; red rolls one die again.
    next_turn = at(done.state, "initiative", turn=2)
    asked = step(next_turn, "initiative", dice=["use", 90, [85, 20]], options=options)
    assert asked.state["battle"].attributes["first"] == "blue"
    last = step(at(asked.state, "initiative", turn=3), "initiative", dice=[30, 20], options=options)
    assert last.state["battle"].attributes["first"] == "red"


@pytest.mark.rule("D-OP-R11.1")
def test_both_cos_declare_resolve_sealed_and_without_the_option_nobody_is_asked() -> None:
    battle = Battle.start(game({"D-OP-R11.1": "on"}), at(apart(), "initiative"), Answers(PERSON))
    battle.play()
    question = battle.question
    assert isinstance(question, Choose)
    assert [(ask.seat, ask.subject) for ask in question.asks] == [("red", "R0A-1"), ("blue", "B0A-1")]
    assert step(at(apart(), "initiative"), "initiative", dice=[10, 90]).events[0].kind == "check"


def test_a_plugin_may_name_the_first_side_and_leaves_the_dice_alone() -> None:
    @hookimpl
    def turn_initiative(last: str | None) -> str:
        return last or "blue"

    done = step(
        at(apart(), "initiative", first=None), "initiative", plugins=[SimpleNamespace(turn_initiative=turn_initiative)]
    )
    assert kinds(done) == ["plugin.answered", "turn.initiative"]
    assert done.state["battle"].attributes["first"] == "blue"
    assert done.events[0].by == "test-0"


@pytest.mark.rule("D-R11.5", "D-R7.4")
def test_a_success_without_dice_is_lower_than_any_number() -> None:
    @hookimpl
    def check_roll(request: CheckRequest) -> str | None:
        return "success" if request.units == ("R0A-1",) else None

    plugin = SimpleNamespace(check_roll=check_roll)
    done = step(at(apart(), "initiative"), "initiative", dice=[3], plugins=[plugin])
    assert done.state["battle"].attributes["first"] == "blue"
    assert kinds(done) == ["plugin.answered", "check", "check", "turn.initiative"]


def test_without_any_co_chance_decides_and_with_one_he_rolls_until_he_wins() -> None:
    state = changed(at(apart(), "initiative"), SetAttribute("R", "co", None))
    done = step(state, "initiative", dice=[95, 20])
    assert done.state["battle"].attributes["first"] == "blue"
    both = changed(state, SetAttribute("B", "co", None))
    assert step(both, "initiative", dice=[["red"]]).state["battle"].attributes["first"] == "red"


@pytest.mark.rule("D-R11.7")
def test_where_no_check_can_succeed_the_lot_decides_after_one_roll() -> None:
    @hookimpl
    def check_stat(stat: int) -> int:
        return 0

    plugin = SimpleNamespace(check_stat=check_stat)
    done = step(at(apart(), "initiative"), "initiative", dice=[12, 34, ["blue"]], plugins=[plugin])
    assert done.state["battle"].attributes["first"] == "blue"
    assert kinds(done).count("check") == 2
    assert rules(done)[-1] == "D-R11.7"


@pytest.mark.rule("D-R11.7")
def test_one_co_with_a_chance_rolls_on_a_hundred_times_and_then_the_lot_decides() -> None:
    @hookimpl
    def check_stat(request: CheckRequest, stat: int) -> int:
        return 1 if request.units == ("R0A-1",) else 0

    plugin = SimpleNamespace(check_stat=check_stat)
    rolls = [98, 97] * 101  # the first roll and a hundred more, none a success or a critical
    done = step(at(apart(), "initiative"), "initiative", dice=[*rolls, ["red"]], plugins=[plugin])
    assert done.state["battle"].attributes["first"] == "red"
    assert kinds(done).count("check") == 202
    won = step(at(apart(), "initiative"), "initiative", dice=[*rolls[:-2], 0, 97], plugins=[plugin])
    assert kinds(won).count("check") == 202


# Groups


@pytest.mark.rule("D-R11.8")
def test_every_nco_checks_for_the_group_of_his_squad() -> None:
    done = step(at(apart(), "groups", first="blue"), "groups", dice=[10, 90, 79, 80])
    groups = {squad: done.state[squad].attributes.get("group") for squad in ("B1", "B2", "R1", "R2")}
    assert groups == {"B1": 1, "B2": 2, "R1": 1, "R2": 2}
    checks = [event.why["units"] for event in done.events if event.kind == "check"]
    assert checks == [("B1A-1",), ("B2A-1",), ("R1A-1",), ("R2A-1",)]
    assert [group_of(done.state, uid) for uid in ("R0A", "R1A", "R2A")] == ["co", "1", "2"]


@pytest.mark.rule("D-R11.8", "D-R9.4")
def test_an_nco_near_the_co_has_an_advantage_on_the_group_check() -> None:
    state = at(beside_an_nco(), "groups", first="red")
    done = step(state, "groups", dice=[[95, 12], 90])
    assert (done.state["R1"].attributes["group"], done.state["B1"].attributes["group"]) == (1, 2)


@pytest.mark.parametrize(("ruling", "group"), [("2", 2), ("1", 1)])
def test_a_squad_without_its_nco_acts_as_the_ruling_says(ruling: str, group: int) -> None:
    state = changed(at(apart(), "groups", first="red"), SetStatus("R1A-1", Status("out", "dead")))
    done = step(state, "groups", dice=[10, 10, 10], options={"D-R11.8": ruling})
    assert done.state["R1"].attributes["group"] == group


def test_a_plugin_may_put_every_squad_into_group_1() -> None:
    plugin = SimpleNamespace(turn_groups=hookimpl(groups_at_once))
    done = step(at(apart(), "groups", first="red"), "groups", plugins=[plugin])
    assert "check" not in kinds(done)
    assert {done.state[squad].attributes["group"] for squad in ("R1", "R2", "B1", "B2")} == {1}


def groups_at_once() -> int:
    return 1


groups_at_once.__name__ = "turn_groups"


@pytest.mark.rule("D-SF-3")
def test_the_sections_of_a_large_squad_check_each_for_itself() -> None:
    nco, soldier = unit("NCO", "pulse_rifle"), unit("Soldier", "pulse_rifle")
    red = [team("R0A", (0, 0), unit("CO", "revolver"))]
    red += [
        team(f"R1{letter}", (2 * place, 0), nco if letter in "AC" else soldier)
        for place, letter in enumerate("ABCD", 1)
    ]
    blue = [team("B0A", (0, 11), unit("CO", "revolver"))]
    state = at(position(*red, *blue), "groups", first="red")
    parts = [(leader and leader.uid, [each.uid for each in rows]) for leader, rows in sections(state, "R1")]
    assert parts == [("R1A-1", ["R1A", "R1B"]), ("R1C-1", ["R1C", "R1D"])]
    done = step(state, "groups", dice=[90, 10])
    assert [group_of(done.state, f"R1{letter}") for letter in "ABCD"] == ["2", "2", "1", "1"]
    assert [event.why["squad"] for event in told(done, "turn.group")] == ["R1", "R1"]  # a command squad has no Group
    # When one of the NCOs has fallen, the other one checks for all.
    fallen = changed(done.state, SetStatus("R1C-1", Status("out", "dead")))
    again = step(at(fallen, "groups", first="red"), "groups", dice=[10])
    assert [group_of(again.state, f"R1{letter}") for letter in "ABCD"] == ["1", "1", "1", "1"]
    nobody = changed(fallen, *[SetStatus(f"R1{letter}-1", Status("out", "dead")) for letter in "ABD"])
    assert told(step(at(nobody, "groups", first="red"), "groups"), "turn.group") == []


# The order of acts


@pytest.mark.rule("D-R11.9", "D-AMB-18")
def test_the_portions_of_the_action_phase() -> None:
    state = at(apart(), "groups", first="blue", portions=())
    done = step(state, "groups", dice=[10, 90, 10, 90])
    order = done.state["battle"].attributes["portions"]
    assert order == (
        ("co", "blue", "move"),
        ("co", "blue", "battle"),
        ("co", "red", "move"),
        ("co", "red", "battle"),
        ("1", "blue", "move"),
        ("1", "blue", "battle"),
        ("1", "red", "move"),
        ("1", "red", "battle"),
        ("2", "blue", "move"),
        ("2", "blue", "battle"),
        ("2", "red", "move"),
        ("2", "red", "battle"),
    )
    battle = Battle.start(game(), done.state, Answers(Seed(1), others=Policy(act=lambda legal, view: legal[-1])))
    seen = []
    while isinstance(battle.due, Acts):
        now = portion(battle.state)
        assert now is not None
        assert battle.due == Acts((now.side,))
        seen.append(tuple(now))
        battle.play(1)
    assert seen == list(order)


@pytest.mark.rule("D-R11.9")
def test_portions_in_which_nobody_can_act_are_passed_over() -> None:
    # Both squads of both sides are in Group 1: the four portions of Group 2 do not come up.
    done = step(at(apart(), "groups", first="red"), "groups", dice=[10, 10, 10, 10])
    battle = Battle.start(game(), done.state, Answers(Seed(1), others=Policy(act=lambda legal, view: legal[-1])))
    acts = 0
    while isinstance(battle.due, Acts):
        battle.play(1)
        acts += 1
    assert acts == 8
    assert battle.due == Runs("end_turn")


@pytest.mark.rule("D-R11.9b")
def test_an_nco_and_all_of_his_squad_are_due_in_one_portion_in_any_order() -> None:
    state = engaged(two_platoons(portion=("1", "red", "battle")))
    nothing = {team: [[f"{team}-1", "nothing"]] for team in ("R1A", "R1B", "R2A", "R2B")}
    for order in (("R1B", "R2A", "R1A", "R2B"), ("R2B", "R1A", "R2A", "R1B")):
        now = state
        for number, uid in enumerate(order, 1):
            now = step(now, "act", uid, nothing[uid], seat="red").state
            here = portion(now)
            assert here is not None
            assert (here.side == "red") == (number < 4)


@pytest.mark.rule("D-R11.9b", "D-R11.8", "D-R11.9")
def test_no_team_of_a_squad_acts_before_its_ncos_group_or_after_it() -> None:
    state = changed(engaged(two_platoons(portion=("1", "red", "battle"))), SetAttribute("R2", "group", 2))
    for number, group, due, others in (
        (0, "1", ("R1A", "R1B"), ("R2A", "R2B")),
        (1, "2", ("R2A", "R2B"), ("R1A", "R1B")),
    ):
        now = changed(
            state,
            SetAttribute("battle", "portions", (("1", "red", "battle"), ("2", "red", "battle"))),
            SetAttribute("battle", "at", number),
        )
        listed = {str(intent.args[0]) for intent in game().legal(now, "red") if intent.rule == "act"}
        assert {uid for uid in listed if uid[1] in "12"} == set(due)
        for uid in due:
            assert spent(step(now, "act", uid, [[f"{uid}-1", "nothing"]], seat="red").state, uid, "acted")
        for uid in others:
            with pytest.raises(RuleError, match="group is not due") as caught:
                step(now, "act", uid, [[f"{uid}-1", "nothing"]], seat="red")
            assert (caught.value.rule, caught.value.expected) == ("D-R11.9", group)


@pytest.mark.rule("D-R11.2", "D-R14.1")
def test_a_team_may_act_without_having_moved_but_not_move_after_that() -> None:
    state = engaged(two_platoons(portion=("1", "red", "move")))
    rested = step(state, "done", seat="red").state
    assert not spent(rested, "R1A", "moved")
    acted = step(rested, "act", "R1A", [["R1A-1", "nothing"]], seat="red").state
    assert spent(acted, "R1A", "acted")
    with pytest.raises(RuleError) as caught:
        step(acted, "move", "R1A", [[3, 3]], seat="red")
    assert caught.value.rule == "D-R11.9"
    with pytest.raises(RuleError) as caught:
        step(acted, "act", "R1A", [["R1A-1", "nothing"]], seat="red")
    assert caught.value.rule == "D-R11.2"


@pytest.mark.rule("D-R11.2", "D-R13.3")
def test_one_movement_action_a_turn() -> None:
    state = engaged(apart())
    moved = step(state, "move", "R1A", [[4, 1]], seat="red").state
    with pytest.raises(RuleError) as caught:
        step(moved, "move", "R1A", [[4, 2]], seat="red")
    assert caught.value.rule == "D-R11.2"


@pytest.mark.rule("D-R11.2", "D-PT-T3", "D-PT-T4", "D-PT-T5")
def test_which_action_a_team_still_has() -> None:
    def left(*changes: Change) -> tuple[bool, bool]:
        state = changed(apart(), *changes)
        return may_spend(state, "R1A", "moved"), may_spend(state, "R1A", "acted")

    assert left() == (True, True)
    assert left(SetAttribute("R1A", "moved", 1)) == (False, True)
    assert left(SetAttribute("R1A", "acted", 1)) == (False, False)  # no movement after the Battlefield Action
    assert left(SetAttribute("R1A", "moved", 0), SetAttribute("R1A", "acted", 0)) == (True, True)  # in an earlier turn
    suppressed = SetStatus("R1A", Status("suppressed", since=1, until=1))
    assert left(suppressed) == (True, True)  # for what is neither moving nor firing
    for panic in ("retreating", "routed"):
        assert left(SetStatus("R1A", Status(panic))) == (True, False)
        assert left(SetStatus("R1A", Status(panic)), suppressed) == (False, False)  # it cannot run
    dead = [SetStatus(uid, Status("out", "dead")) for uid in ("R1A-1", "R1A-2")]
    assert left(*dead) == (False, False)
    assert left(SetPlace("R1A", None)) == (False, False)


@pytest.mark.rule("D-R11.9")
@pytest.mark.parametrize(
    ("rule", "team_uid", "seat", "cited"),
    [
        ("move", "B1A", "red", "D-R11.9"),  # the other side's
        ("move", "R0A", "red", "D-R11.9"),  # the CO's portion is over
        ("move", "R9Z", "red", "D-R16.1"),
        ("act", "R1A", "red", "D-R11.9"),  # it is time to move
        ("move", "R1A", "blue", "D-R11.9"),
    ],
)
def test_acts_out_of_turn_are_refused(rule: str, team_uid: str, seat: str, cited: str) -> None:
    state = engaged(two_platoons(portion=("1", "red", "move")))
    with pytest.raises(RuleError) as caught:
        step(state, rule, team_uid, [[3, 3]] if rule == "move" else [], seat=seat)
    assert caught.value.rule == cited


# Relieving Stress


@pytest.mark.rule("D-R11.10", "D-AMB-19")
def test_a_co_relieves_stress_instead_of_moving_and_acting_and_his_team_may_act() -> None:
    state = changed(engaged(two_platoons(portion=("co", "red", "move"))), SetTracker("R", "Stress", 5))
    done = step(state, "relieve_stress", seat="red")
    assert stress(done.state) == (4, 0)
    assert portion(done.state) == ("co", "red", "battle")
    with pytest.raises(RuleError) as caught:
        step(done.state, "act", "R0A", [["R0A-1", "order", "R1", {"text": "Go."}]], seat="red")
    assert caught.value.rule == "D-R11.10"
    for uid in ("R0A-1", "R0A-2"):
        other = step(done.state, "act", "R0A", [[uid, "nothing"]], seat="red")
        assert spent(other.state, "R0A", "acted")
    with pytest.raises(RuleError) as caught:
        step(changed(done.state, SetAttribute("battle", "at", 0)), "move", "R0A", [[5, 2]], seat="red")
    assert caught.value.rule == "D-R11.2"  # moving the stand is moving him


@pytest.mark.rule("D-AMB-19")
def test_by_ruling_the_whole_team_idles() -> None:
    state = changed(engaged(two_platoons(portion=("co", "red", "move"))), SetTracker("R", "Stress", 5))
    done = step(state, "relieve_stress", seat="red", options={"D-AMB-19": "idle"})
    assert stress(done.state) == (4, 0)
    assert portion(done.state) == ("co", "blue", "move")


@pytest.mark.rule("D-R11.10", "D-AMB-08")
@pytest.mark.parametrize("reason", ["no stress", "not his portion", "moved", "other seat"])
def test_stress_is_not_relieved_otherwise(reason: str) -> None:
    place = ("1" if reason == "not his portion" else "co", "red", "move")
    state = changed(engaged(two_platoons(portion=place)), SetTracker("R", "Stress", 0 if reason == "no stress" else 5))
    if reason == "moved":
        state = changed(state, SetAttribute("R0A", "moved", 1))
    with pytest.raises(RuleError) as caught:
        step(state, "relieve_stress", seat="blue" if reason == "other seat" else "red")
    assert caught.value.rule == "D-R11.10"


# A team that is suppressed


def suppressed(phase: str, group: str = "1") -> State:
    """Return a battle with a suppressed command team and a suppressed team of an NCO and a Soldier in light cover."""
    state = engaged(two_platoons(portion=(group, "red", phase), board=Board(12, 12, {Hex(3, 2): "forest"})))
    held = [SetStatus(uid, Status("suppressed", since=1, until=1)) for uid in ("R0A", "R1A")]
    return changed(state, SetTracker("R", "Stress", 5), *held)


@pytest.mark.rule("D-PT-T3")
@pytest.mark.parametrize(
    ("phase", "rule", "args"),
    [
        ("move", "move", ("R1A", [[3, 3]])),
        ("move", "attach", ("R1A", "R1B")),
        ("battle", "act", ("R1A", [["R1A-2", "fire", "pulse_rifle", "B1A"]])),
    ],
)
def test_a_suppressed_team_neither_moves_nor_fires(phase: str, rule: str, args: tuple[object, ...]) -> None:
    with pytest.raises(RuleError) as caught:
        step(suppressed(phase), rule, *args, seat="red")
    assert caught.value.rule == "D-PT-T3"


@pytest.mark.rule("D-PT-T3")
def test_a_suppressed_team_does_everything_else() -> None:
    assert "under_cover" in step(suppressed("move"), "take_cover", "R1A", seat="red").state["R1A"].statuses
    assert "under_cover" in step(suppressed("battle"), "take_cover", "R1A", seat="red").state["R1A"].statuses
    deeds = [["R1A-1", "order", "R1", {"text": "Hold.", "verb": "hold"}], ["R1A-2", "spot", "B1A"]]
    done = step(suppressed("battle"), "act", "R1A", deeds, seat="red", dice=[[12, 13]])
    assert {"order.given", "spot"} <= set(kinds(done))
    relieved = step(suppressed("move", "co"), "relieve_stress", seat="red")
    assert stress(relieved.state)[0] == 4


@pytest.mark.rule("D-PT-T3")
def test_what_a_suppressed_team_may_do_is_what_it_is_offered() -> None:
    def offered(phase: str) -> set[object]:
        state = suppressed(phase)
        own = [intent for intent in game().legal(state, "red") if intent.args and intent.args[0] == "R1A"]
        return {intent.args[1][0][1] if intent.rule == "act" else intent.rule for intent in own}  # type: ignore[index]

    assert offered("move") == {"take_cover"}
    assert offered("battle") == {"take_cover", "spot", "order"}


# The end of a turn


@pytest.mark.rule("D-PT-T3", "D-AMB-24", "D-AMB-39", "D-AMB-23")
def test_the_end_of_a_turn_ends_what_holds_until_then_and_nothing_else() -> None:
    state = changed(
        at(apart(), "end"),
        SetStatus("R1A", Status("suppressed", since=1, until=1)),
        SetStatus("R2A", Status("suppressed", since=2, until=2)),
        SetStatus("R1A-1", Status("shaken", since=1, until=1)),
        SetStatus("R1A-2", Status("recharging", until=4)),
        SetStatus("B1A", Status("under_cover")),
        SetStatus("B2A", Status("routed")),
    )
    done = step(state, "end_turn")
    left = {entity.uid: list(entity.statuses) for entity in done.state if entity.statuses}
    assert left == {"R2A": ["suppressed"], "R1A-2": ["recharging"], "B1A": ["under_cover"], "B2A": ["routed"]}
    assert game().next(done.state) == Runs("begin_turn")


def test_a_link_with_an_end_goes_with_its_turn() -> None:
    state = changed(
        at(apart(), "end"), SetLink(Link("tied", "R1A", "B1A", until=1)), SetLink(Link("aboard", "R1A", "R2A"))
    )
    done = step(state, "end_turn")
    assert [key[0] for key in done.state.links] == ["aboard"]
