"""The turn under the switches: initiative once, no group checks, COs in Group 1, a roll-off (D-SL-R11, D-AMB-26)."""

from __future__ import annotations

import pytest

from rallypoint.kernel.answers import Answers, Script, Seed
from rallypoint.kernel.battle import Battle
from rallypoint.kernel.events import Event
from rallypoint.kernel.game import Acts, Intent
from rallypoint.kernel.step import run
from rallypoint.kernel.tape import Roll

from .battles import IDLE, game, on, opening, plain, rolled, told, without


def idle(options: dict[str, object], turns: int, seed: int = 5) -> list[Event]:
    """Return what happens in a battle in which nobody does anything."""
    rules = game(options)
    battle = Battle.start(rules, opening(options), Answers(Seed(seed), others=IDLE))
    while rules.clock(battle.state) <= turns:
        battle.play(1)
    return list(told(battle))


def firsts(events: list[Event]) -> list[object]:
    return [event.why["first"] for event in events if event.kind == "turn.initiative"]


@pytest.mark.rule("D-SL-R11.1")
def test_initiative_is_rolled_in_the_first_turn_and_kept() -> None:
    full, once = idle({}, 4), idle(on("D-SL-R11.1"), 4)
    assert len(set(firsts(full)[:4])) == 2  # by the rules it changes hands, with this seed
    assert firsts(once) == [firsts(full)[0]] * len(firsts(once))
    second = next(number for number, event in enumerate(once) if event.kind == "turn.ends")
    assert plain(once[:second]) == plain(full)[: len(plain(once[:second]))]
    assert not rolled(once[second:], "initiative")
    assert sorted(rolled(once, "group")) == sorted(rolled(full, "group"))  # only the order of the sides is another


@pytest.mark.rule("D-SL-R11.2")
def test_without_group_checks_every_squad_is_in_group_1() -> None:
    full, none = idle({}, 6), idle(on("D-SL-R11.2"), 6)
    assert {event.why["group"] for event in full if event.kind == "turn.group"} == {1, 2}
    assert {event.why["group"] for event in none if event.kind == "turn.group"} == {1}
    assert rolled(full, "group")
    assert not rolled(none, "group")
    assert rolled(none, "initiative") == rolled(full, "initiative")


@pytest.mark.rule("D-SL-R11.3")
def test_cos_act_as_part_of_group_1() -> None:
    full, together = idle({}, 2), idle(on("D-SL-R11.3"), 2)
    assert next(event.why["groups"] for event in together if event.kind == "turn.order") == ("1", "2")
    opened = [event.why["group"] for event in full if event.kind == "portion.opens"]
    assert "co" in opened
    assert {event.why["group"] for event in together if event.kind == "portion.opens"} <= {"1", "2"}
    kinds = ("turn.order", "portion.opens", "portion.last")
    assert without(plain(full), *kinds) == without(plain(together), *kinds)


@pytest.mark.rule("D-SL-R11.3")
def test_the_cos_team_is_listed_with_group_1() -> None:
    rules = game(on("D-SL-R11.2", "D-SL-R11.3"))
    battle = Battle.start(rules, opening({}), Answers(Seed(5), others=IDLE))
    while battle.state["battle"].attributes["phase"] != "action":
        battle.play(1) if isinstance(battle.due, Acts) else battle.proceed()
    side = battle.due.seats[0]  # type: ignore[union-attr]
    movers = {str(intent.args[0]) for intent in battle.legal(side) if intent.rule == "move"}
    letter = side[0].upper()
    assert {f"{letter}0A", f"{letter}1A"} <= movers


@pytest.mark.rule("D-AMB-26")
def test_without_instinct_the_higher_d100_goes_first_and_equal_ones_are_rolled_again() -> None:
    rules = game({"D-AMB-26": "no_instinct"})
    state = opening({})
    done = run(rules, state, Intent("initiative", ()), Script([((40,), (40,)), ((3,), (99,))]))
    assert [event.kind for event in done.events if event.kind != "plugin.answered"] == [
        "turn.roll_off",
        "turn.roll_off",
        "turn.initiative",
    ]
    assert done.state["battle"].attributes["first"] == "blue"
    assert all(isinstance(answered.question, Roll) for answered in done.tape)
