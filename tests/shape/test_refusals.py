"""What the rules do not allow is refused by a clear error, nothing changes, and the battle goes on."""

from __future__ import annotations

import pytest

from rallypoint.kernel.answers import PERSON, Answers
from rallypoint.kernel.battle import Battle
from rallypoint.kernel.canonical import Value
from rallypoint.kernel.errors import MissingContentError, RuleError
from rallypoint.kernel.game import Acts, Intent
from rallypoint.kernel.state import Hex, State

from .games import (
    CONTENT,
    GAMES,
    dogfight,
    dogfighters,
    fighter,
    frontline,
    gunfight,
    random_battle,
    ship,
    to_act,
    unit,
)

STATES: dict[str, State] = {
    "gunfight": gunfight(fighter("red-1", 9), fighter("blue-1", 9), fighter("blue-2", 5), fighter("red-2", 4)),
    "dogfight": dogfight(
        ship("red-1", Hex(0, 0, 0), Hex(1, 0), 0, agility=2),
        ship("blue-1", Hex(-4, 0, 0), Hex(-4, 0)),
        ship("blue-2", Hex(4, 0, 0), Hex(4, 0)),
    ),
    "frontline": frontline(
        unit("red-1", "Close Quarters", "red front"),
        unit("blue-1", "Infantry", "blue reserves"),
        unit("blue-2", "Infantry", "blue front"),
        *[unit(f"red-{number}", "Infantry", "red support") for number in (2, 3)],  # more units start: nobody commands
    ),
}
"""In the gunfight both sides are due, else red; blue-1 is out of arc or out of reach."""

ILLEGAL: list[tuple[str, str, tuple[Value, ...], str | None, str]] = [
    ("gunfight", "attack", ("blue-1", "red-1"), "red", "T-IN4"),  # blue's fighter, and both seats are due
    ("gunfight", "attack", ("red-2", "blue-1"), "red", "T-IN4"),  # its turn comes later
    ("gunfight", "attack", ("red-1", "red-2"), "red", "T-SI3"),
    ("gunfight", "attack", ("red-1", "nobody"), "red", "T-SI3"),
    ("gunfight", "delay", ("blue-2",), "blue", "T-IN4"),
    ("gunfight", "delay", ("red-1",), "green", "not this seat's act"),
    ("gunfight", "delay", ("red-1",), None, "not this seat's act"),
    ("gunfight", "wound", ("blue-1", "hit"), "red", "not among the acts"),
    ("gunfight", "atack", ("red-1", "blue-1"), "red", "not among the acts"),
    ("gunfight", "attack", ("red-1",), "red", "do not fit the act"),
    ("gunfight", "attack", ("red-1", "blue-1", "blue-2"), "red", "do not fit the act"),
    ("dogfight", "hold", ("blue-1",), "red", "P-CA5"),
    ("dogfight", "hold", ("red-1",), "blue", "not this seat's act"),
    ("dogfight", "fly", ("red-1", "thrust", 3, 0), "red", "P-SP2"),  # thrust goes ahead, not back
    ("dogfight", "fly", ("red-1", "maneuver", 3, 2), "red", "P-SP2"),  # P-SP5: the point is spent, so one hexside
    ("dogfight", "fire", ("red-1", "blue-1"), "red", "P-WA1"),
    ("dogfight", "fire", ("red-1", "red-1"), "red", "P-WA1"),
    ("dogfight", "launch", ("red-1", "blue-1"), "red", "not among the acts"),  # no missiles left
    ("dogfight", "impact", ("red-1",), "red", "not among the acts"),
    ("frontline", "attack", ("red-1", "blue-1"), "red", "T-BA1"),  # reach 1, and they are 2 zones apart
    ("frontline", "attack", ("blue-1", "red-1"), "red", "T-BA1"),
    ("frontline", "manoeuvre", ("red-1", "blue reserves"), "red", "T-BA1"),
    ("frontline", "manoeuvre", ("red-1", "off"), "red", "T-BA1"),  # only from its own support
    ("frontline", "lapse", ("blue",), "red", "T-BA2"),
]


def opened(name: str) -> Battle[None]:
    """Return the battle in which the acts above are illegal."""
    battle = Battle.start(GAMES[name]()[0], STATES[name], Answers(PERSON))
    battle.play()
    assert isinstance(battle.due, Acts)
    return battle


@pytest.mark.parametrize(("name", "rule", "args", "seat", "reason"), ILLEGAL)
def test_an_illegal_act_is_refused_and_changes_nothing(
    name: str, rule: str, args: tuple[Value, ...], seat: str | None, reason: str
) -> None:
    battle = opened(name)
    due, before, head = battle.due, battle.state.to_text(), battle.history.head
    with pytest.raises(RuleError) as caught:
        battle.act(Intent(rule, args, seat))
    assert reason in str(caught.value)
    assert caught.value.exit_status == 2
    assert (battle.due, battle.state.to_text(), battle.history.head) == (due, before, head)
    assert isinstance(due, Acts)
    battle.act(battle.legal(due.seats[0])[-1])
    assert battle.history.head > head


@pytest.mark.parametrize("name", GAMES)
def test_refused_acts_leave_no_trace_in_what_comes_after(name: str) -> None:
    quiet, disturbed = random_battle(name, 5), random_battle(name, 5)
    quiet.play()
    refused = 0
    while isinstance(due := to_act(disturbed), Acts):
        for seat in {"red", "blue"} - set(due.seats):
            with pytest.raises(RuleError, match="it is not this seat's act"):
                disturbed.act(disturbed.game.legal(disturbed.state, due.seats[0])[0]._replace(seat=seat))
            refused += 1
        disturbed.play(1)
    assert refused > 0
    assert disturbed.state.digest == quiet.state.digest
    assert [entry.body_text for entry in disturbed.history.entries] == [e.body_text for e in quiet.history.entries]


def test_while_a_question_is_open_nobody_acts_and_nothing_is_undone() -> None:
    battle = opened("gunfight")
    battle.act(Intent("attack", ("red-1", "blue-1"), "red"))
    question, head = battle.question, battle.history.head
    assert question is not None
    assert battle.legal("red") == ()
    for forbidden in (
        lambda: battle.act(Intent("delay", ("blue-1",), "blue")),
        battle.undo,
        battle.redo,
        battle.proceed,
    ):
        with pytest.raises(RuleError, match="a question is open"):
            forbidden()
    assert (battle.question, battle.history.head) == (question, head)


@pytest.mark.parametrize(("slots", "missing"), [((), "M-03"), (("M-03",), "M-04"), (("M-04",), "M-03")])
def test_a_rule_without_its_content_is_off_as_a_whole_and_names_the_slot(slots: tuple[str, ...], missing: str) -> None:
    # The action is spent and told before the content is looked up; none of it stays.
    game = dogfighters({slot: CONTENT[slot] for slot in slots})
    state = dogfight(ship("red-1", Hex(0, 0, 0), Hex(1, 0), agility=2), ship("blue-1", Hex(4, 0, 0), Hex(4, 0)))
    battle = Battle.start(game, state, Answers(PERSON))
    battle.play()
    before, head = battle.state.to_text(), battle.history.head
    with pytest.raises(MissingContentError) as caught:
        battle.act(Intent("fire", ("red-1", "blue-1"), "red"))
    assert caught.value.slot == missing
    assert str(caught.value).startswith(f"content {missing} is missing: ")
    assert (battle.state.to_text(), battle.history.head, battle.question) == (before, head, None)
    assert battle.state["red-1"].value("Actions") == 3
    with pytest.raises(MissingContentError, match="content M-10 is missing"):
        battle.act(Intent("launch", ("red-1", "blue-1"), "red"))
    battle.act(Intent("hold", ("red-1",), "red"))
    assert battle.due == Acts(("blue",))
