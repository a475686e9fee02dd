"""What the rules do not allow is refused with the id of the rule, nothing changes, and the battle goes on."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest

from rallypoint.disrupter.setup import first_state
from rallypoint.kernel.answers import PERSON, Answers
from rallypoint.kernel.battle import Battle
from rallypoint.kernel.board import Board
from rallypoint.kernel.canonical import Value, freeze
from rallypoint.kernel.changes import SetAttribute, SetStatus
from rallypoint.kernel.errors import RuleError, TapeError
from rallypoint.kernel.game import Acts, Intent
from rallypoint.kernel.parts import Hex, Status
from rallypoint.kernel.state import State

from ..disrupter.positions import changed, encounter, engaged, game, position, step, team, unit

LAND = Board(12, 12, {**{Hex(q, 4): "building" for q in range(-2, 10)}, Hex(2, 3): "water"})


def field(phase: str) -> State:
    """Red's squad 1 in the north-west, blue behind a row of buildings; R1B has moved and acted, R1C's NCO is dead."""
    red = [
        team("R0A", (9, 0), unit("CO", "revolver"), unit("Soldier", "pulse_rifle")),
        team("R1A", (3, 2), unit("NCO", "pulse_rifle", "revolver"), unit("Soldier", "sniper_rifle")),
        team("R1B", (4, 2), unit("Soldier", "pulse_rifle"), unit("Soldier", "pulse_rifle")),
        team("R1C", (0, 0), unit("NCO", "revolver"), unit("Soldier", "pulse_rifle")),
    ]
    blue = [
        team("B0A", (0, 11), unit("CO", "revolver"), unit("Soldier", "pulse_rifle")),
        team("B1A", (3, 5), unit("NCO", "revolver"), unit("Soldier", "revolver")),
    ]
    state = engaged(position(*red, *blue, board=LAND, portion=("1", "red", phase)))
    acted = [SetAttribute("R1B", name, 1) for name in ("moved", "acted")]
    return changed(state, *acted, SetStatus("R1C-1", Status("out", "dead")))


ILLEGAL: list[tuple[str, str, tuple[object, ...], str]] = [
    ("move", "move", ("R1B", [[5, 2]]), "D-R11.2"),  # a second time
    ("move", "move", ("R1A", [[3, 1], [3, 0]]), "D-R14.2"),  # 2 hexes in combat armour
    ("move", "move", ("R1A", [[3, 0]]), "D-R14.1"),  # a jump
    ("move", "move", ("R1A", [[4, 2]]), "D-R14.3"),  # a friend stands there
    ("move", "move", ("R1A", [[2, 3]]), "D-R14.5"),  # deep water
    ("move", "move", ("R1A", []), "D-R14.1"),
    ("move", "move", ("R1A", ["north"]), "D-R14.1"),
    ("move", "move", ("R1C", [[-1, 0]]), "D-R2.1"),  # off the board
    ("move", "move", ("B1A", [[3, 6]]), "D-R11.9"),
    ("move", "take_cover", ("R1A",), "D-R13.1"),  # open ground
    ("move", "leave_cover", ("R1A",), "D-R13.3"),
    ("move", "attach", ("R1A", "R1B"), "D-EQ-V1"),
    ("battle", "act", ("R1A", [["R1A-1", "fire", "pulse_rifle", "B1A"]]), "D-R16.5"),  # behind the buildings
    ("battle", "act", ("R1A", [["R1A-1", "fire", "pulse_rifle", "B0A"]]), "D-R16.9"),  # too far
    ("battle", "act", ("R1A", [["R1A-1", "fire", "flamethrower", "B1A"]]), "D-R16.4"),
    ("battle", "act", ("R1A", [["R1A-1", "fire", "pulse_rifle", "R1B"]]), "D-R16.3"),  # a friend
    ("battle", "act", ("R1A", [["R1A-1", "spot", "B1A"]]), "D-R16.2"),
    ("battle", "act", ("R1C", [["R1C-1", "order", "R1", {"text": "Go."}]]), "D-R9.10"),  # he is dead
    ("battle", "act", ("R1B", [["R1B-1", "nothing"]]), "D-R11.2"),
    ("battle", "act", ("B1A", []), "D-R11.9"),
    ("battle", "act", ("R1A", [["R1A-1", "rally"]]), "D-R16.15"),
]


def opened(phase: str) -> Battle[object]:
    return Battle.start(game(), field(phase), Answers(PERSON))


@pytest.mark.rule("D-R11.2", "D-R11.9", "D-R14.1", "D-R14.3", "D-R16.3", "D-R16.4", "D-R16.5", "D-R16.9")
@pytest.mark.parametrize(("phase", "rule", "args", "cited"), ILLEGAL)
def test_an_illegal_act_is_refused_with_its_rule_and_changes_nothing(
    phase: str, rule: str, args: tuple[object, ...], cited: str
) -> None:
    battle = opened(phase)
    due, before, head = battle.due, battle.state.to_text(), battle.history.head
    values: tuple[Value, ...] = tuple([freeze(argument) for argument in args])
    with pytest.raises(RuleError) as caught:
        battle.act(Intent(rule, values, "red"))
    if rule in {intent.rule for intent in battle.legal("red")}:
        assert caught.value.rule == cited
    else:  # no team could do such a thing at this moment
        assert "not among the acts of the moment" in str(caught.value)
        assert caught.value.rule == ("D-EQ-V2" if rule == "attach" else cited)
        with pytest.raises(RuleError) as direct:
            step(battle.state, rule, *args, seat="red")
        assert direct.value.rule == cited
    assert caught.value.exit_status == 2
    assert (battle.due, battle.state.to_text(), battle.history.head) == (due, before, head)
    assert isinstance(due, Acts)
    battle.act(Intent("done", (), "red"))
    assert battle.history.head == head + 1


def test_the_same_acts_are_allowed_where_nothing_speaks_against_them() -> None:
    battle = opened("move")
    battle.act(Intent("move", ("R1A", ((3, 1),)), "red"))
    assert battle.state["R1A"].place == Hex(3, 1)
    battle.act(Intent("done", (), "red"))
    battle.act(Intent("act", ("R1A", (("R1A-1", "nothing"),)), "red"))
    assert battle.state["R1A"].attributes["acted"] == 1


def briefing() -> Battle[object]:
    rows = [team("R0A", (0, 0), unit("CO", "revolver")), team("B0A", (0, 11), unit("CO", "revolver"))]
    battle = Battle.start(game(), first_state(encounter(rows)), Answers(PERSON))
    battle.proceed()
    return battle


KERNEL: list[tuple[Callable[[], Battle[object]], Intent, str]] = [
    (briefing, Intent("move", ("R0A", ((1, 0),)), "red"), "D-R10.1"),
    (briefing, Intent("act", ("R0A", (("R0A-1", "nothing"),)), "red"), "D-R10.1"),
    (briefing, Intent("done", (), "blue"), "D-R10.1"),
    (briefing, Intent("begin_turn", (), "red"), "D-R10.1"),
    (briefing, Intent("brief", ("R0",), "red"), "D-R10.5"),
    (partial(opened, "move"), Intent("done", (), "blue"), "D-R11.9"),
    (partial(opened, "move"), Intent("done", (), "green"), "D-R11.9"),
    (partial(opened, "move"), Intent("done", ()), "D-R11.9"),
    (partial(opened, "move"), Intent("fly", ("R1A",), "red"), "D-R11.2"),
    (partial(opened, "move"), Intent("end_turn", (), "red"), "D-R11.2"),
    (partial(opened, "move"), Intent("act", ("R1A", ()), "red"), "D-R11.9"),
    (partial(opened, "battle"), Intent("move", ("R1A", ((3, 1),)), "red"), "D-R11.9"),
    (partial(opened, "move"), Intent("brief", ("R1", {"text": "Go."}), "red"), "D-R10.5"),
    (partial(opened, "move"), Intent("flee", ("R1A",), "red"), "D-PT-T4"),
    (partial(opened, "move"), Intent("relieve_stress", (), "red"), "D-R11.10"),
    (partial(opened, "move"), Intent("move", ("R1A",), "red"), "D-R14.1"),
    (partial(opened, "move"), Intent("move", ("R1A", 7), "red"), "D-R14.1"),
    (partial(opened, "battle"), Intent("act", ("R1A", (), "more"), "red"), "D-R16.1"),
]


@pytest.mark.rule("D-R10.1", "D-R11.2", "D-R11.9")
@pytest.mark.parametrize(("start", "intent", "cited"), KERNEL)
def test_what_the_kernel_refuses_before_any_rule_runs_names_the_rule_as_well(
    start: Callable[[], Battle[object]], intent: Intent, cited: str
) -> None:
    battle = start()
    due, before, head = battle.due, battle.state.digest, battle.history.head
    with pytest.raises(RuleError) as caught:
        battle.act(intent)
    assert caught.value.rule == cited
    assert f"({cited})" in str(caught.value)
    assert (battle.due, battle.state.digest, battle.history.head) == (due, before, head)
    battle.act(Intent("done", (), "red"))


@pytest.mark.rule("D-R11.2")
def test_nobody_moves_where_each_team_has_moved_already() -> None:
    battle = Battle.start(game(), changed(field("move"), SetAttribute("R1C", "moved", 1)), Answers(PERSON))
    battle.act(Intent("move", ("R1A", ((3, 1),)), "red"))
    assert battle.legal("red")[0].rule == "act"  # nobody is left to move, so the next portion is open
    with pytest.raises(RuleError) as caught:
        battle.act(Intent("move", ("R1A", ((3, 2),)), "red"))
    assert caught.value.rule == "D-R11.9"


@pytest.mark.rule("D-R9.7")
def test_nothing_is_done_after_the_end() -> None:
    over = SetAttribute("battle", "result", freeze({"winner": "blue", "rule": "D-R9.7"}))
    battle = Battle.start(game(), changed(field("move"), over), Answers(PERSON))
    with pytest.raises(RuleError) as caught:
        battle.act(Intent("done", (), "red"))
    assert caught.value.rule == "D-R9.7"


@pytest.mark.rule("D-R15.2", "D-R7.1")
def test_an_answer_that_is_none_is_refused_by_the_rule_that_asks_and_the_question_stays_open() -> None:
    shooter = team("B1A", (3, 4), unit("NCO", "pulse_rifle"), unit("Soldier", "pulse_rifle"))
    chiefs = team("R0A", (9, 0), unit("CO", "revolver")), team("B0A", (0, 11), unit("CO", "revolver"))
    mover = team("R1A", (3, 2), unit("NCO", "pulse_rifle"), unit("Soldier", "pulse_rifle"))
    battle = Battle.start(game(), engaged(position(mover, shooter, *chiefs)), Answers(PERSON))
    battle.act(Intent("move", ("R1A", ((4, 2),)), "red"))
    refused(battle, "shrug", "D-R15.2")
    refused(battle, 99, "D-R15.2")
    battle.answer("fire")
    for wrong in (100, -1, [1, 2, 3], "many"):
        refused(battle, wrong, "D-R7.1")
    battle.answer([3, 4])


def refused(battle: Battle[object], given: object, cited: str) -> None:
    question, before, head = battle.question, battle.state.digest, battle.history.head
    assert question is not None
    with pytest.raises(TapeError) as caught:
        battle.answer(given)
    assert caught.value.rule == cited
    assert f"({cited})" in str(caught.value)
    assert caught.value.exit_status == 2
    assert (battle.question, battle.state.digest, battle.history.head) == (question, before, head)
