"""A game without Orders: who acts freely, what vanishes, who leads bots, who is counted (D-SL-R9.1, D-SL-R9.2)."""

from __future__ import annotations

from typing import Any

import pytest

from rallypoint.disrupter.autopilot import Autopilot
from rallypoint.disrupter.command import may as permitted
from rallypoint.disrupter.orders import ACTS
from rallypoint.kernel.answers import Answers, Seed
from rallypoint.kernel.battle import Battle
from rallypoint.kernel.changes import SetStatus
from rallypoint.kernel.errors import RuleError
from rallypoint.kernel.game import Acts, Intent
from rallypoint.kernel.parts import Status
from rallypoint.kernel.state import State
from rallypoint.kernel.step import NOBODY, Step
from rallypoint_streamline.command import acting_officer

from ..disrupter.positions import changed, status, team, unit
from ..rules.playing import fight, told
from .battles import IDLE, fought, game, on, opening, seeded, step
from .battles import told as told_in

FREE = on("D-SL-R9.1")
LED = on("D-SL-R9.1", "D-SL-R9.2")


def pulse() -> dict[str, object]:
    return unit("Soldier", "pulse_rifle")


def field(phase: str = "battle") -> State:
    """Return red's team without an Officer, its bots beside it and bots alone, and a team of blue; nobody has Orders."""
    return fight(
        team("R1A", (0, 0), pulse(), unit("Bot", "laser_carbine")),
        team("R1B", (1, 0), unit("Bot", "laser_carbine")),
        team("R1C", (-3, 8), unit("Bot", "laser_carbine")),
        team("B1A", (2, 0), {**pulse(), "wounds": 30}),
        portion=("1", "red", phase),
    )


def may(options: dict[str, object], state: State, seat: str = "red") -> set[tuple[str, str]]:
    """Return who may do what by the list of acts."""
    found = set()
    for intent in game(options).legal(state, seat):
        if intent.rule == "act":
            found |= {(str(deed[0]), str(deed[1])) for deed in intent.args[1]}  # type: ignore[union-attr, index]
        elif intent.args:
            found.add((str(intent.args[0]), intent.rule))
    return found


# Who acts freely


@pytest.mark.rule("D-SL-R9.1")
def test_a_team_with_a_human_acts_without_an_order() -> None:
    assert not {row for row in may({}, field()) if row[0].startswith("R1A")}
    assert {("R1A-1", "fire"), ("R1A-2", "fire"), ("R1A-1", "spot")} <= may(FREE, field())
    assert ("R1A", "move") in may(FREE, field("move"))
    deed = [["R1A-1", "fire", "pulse_rifle", "B1A"]]
    with pytest.raises(RuleError) as refused:
        seeded({}, field(), "act", "R1A", deed, seed=1)
    assert refused.value.rule == "D-R9.12"
    assert told(seeded(FREE, field(), "act", "R1A", deed, seed=1), "fire.shot")


@pytest.mark.rule("D-SL-R9.1")
def test_the_next_human_acts_as_the_officer_when_one_falls_and_bots_alone_stay_bots() -> None:
    state = fight(
        team("R1A", (0, 0), unit("NCO", "revolver"), pulse(), unit("Bot", "laser_carbine")),
        team("B1A", (2, 0), pulse()),
        portion=("1", "red", "battle"),
    )
    fallen = changed(state, SetStatus("R1A-1", Status("out", "dead")))
    assert ("R1A-2", "fire") in may(FREE, fallen)
    both = changed(fallen, SetStatus("R1A-2", Status("out", "dead")))
    assert ("R1A-3", "fire") not in may(FREE, both)


@pytest.mark.rule("D-SL-R9.1")
@pytest.mark.parametrize("name", ["suppressed", "routed", "retreating"])
def test_panic_comes_before_freedom(name: str) -> None:
    state = changed(field(), SetStatus("R1A", status(name, since=1, until=1)))
    assert not {row for row in may(FREE, state) if row[1] in ("fire", "move") and row[0].startswith("R1A")}
    spots = ("R1A-1", "spot") in may(FREE, state)
    assert spots == (name == "suppressed")  # it neither moves nor fires; it may still look (D-PT-T3)


@pytest.mark.rule("D-SL-R9.1")
def test_a_team_in_panic_may_do_what_the_rules_leave_it() -> None:
    left = {"suppressed": {"cover", "spot"}, "routed": set[str](), "retreating": {"self_defence"}}
    for name, acts in left.items():
        state = changed(field(), SetStatus("R1A", status(name, since=1, until=1)))
        asked = Step(game(FREE), state, NOBODY, seat="red", log=False)
        assert {act for act in ACTS if permitted(asked, "R1A", act) == "yes"} == acts, name


@pytest.mark.rule("D-SL-R9.1")
def test_nothing_is_told_of_the_plugin_where_the_rules_say_the_same() -> None:
    state = fight(
        team("R1A", (0, 0), unit("NCO", "pulse_rifle"), pulse()),
        team("B1A", (2, 0), {**pulse(), "wounds": 30}),
        portion=("1", "red", "battle"),
    )
    done = seeded(FREE, state, "act", "R1A", [["R1A-1", "fire", "pulse_rifle", "B1A"]], seed=1)
    assert not told(done, "plugin.answered")


@pytest.mark.rule("D-SL-R9.1")
def test_who_acts_as_an_officer_gives_no_plus_and_rallies_nobody() -> None:
    deed = [["R1A-1", "fire", "pulse_rifle", "B1A"]]
    done = step(FREE, field(), "act", "R1A", deed, dice=[98, 97])
    assert "modifiers" not in told(done, "check")[0].why
    with pytest.raises(RuleError) as refused:
        step(FREE, field(), "act", "R1A", [["R1A-1", "rally"]], dice=[])
    assert refused.value.rule == "D-R9.10"


@pytest.mark.rule("D-SL-R9.1", "D-R9.7")
def test_a_platoon_surrenders_with_its_last_real_officer() -> None:
    battle = fought(FREE, 3)
    result: Any = battle.state["battle"].attributes["result"]
    assert result["rule"] == "D-GM-1"
    units = list(battle.state.below(result["surrendered"][0], "unit"))
    officers = [each for each in units if each.facts["class"] in ("CO", "NCO")]
    assert all("out" in each.statuses for each in officers)
    assert any("out" not in each.statuses for each in units)  # others lived on, and counted for nothing


# What vanishes


@pytest.mark.rule("D-SL-R9.1")
def test_command_actions_vanish_from_the_list_and_are_refused_by_their_rule() -> None:
    state = fight(
        team("R1A", (0, 0), unit("NCO", "revolver"), pulse()),
        team("R1B", (1, 0), pulse()),
        team("B1A", (2, 0), pulse()),
        portion=("1", "red", "battle"),
    )
    assert ("R1A-1", "order") in may({}, state)
    assert not {row for row in may(FREE, state) if row[1] in ("order", "code_word")}
    with pytest.raises(RuleError) as refused:
        step(FREE, state, "act", "R1A", [["R1A-1", "order", "R1", {"text": "Go."}]], dice=[])
    assert refused.value.rule == "D-SL-R9.1"
    routed = changed(state, SetStatus("R1B", status("routed", since=1)))
    assert ("R1A-1", "rally") in may(FREE, routed)  # a rally is no Order


@pytest.mark.rule("D-SL-R9.1")
@pytest.mark.parametrize("word", ["Halt", "Retreat", "Resume"])
def test_no_code_word_is_spoken(word: str) -> None:
    state = fight(
        team("R0A", (5, 0), unit("CO", "revolver"), pulse()),
        team("R1A", (0, 0), unit("NCO", "revolver"), pulse()),
        team("B1A", (2, 0), pulse()),
        portion=("co", "red", "battle"),
    )
    state = changed(state, SetStatus("R9Z-1", Status("out", "dead")))
    head = "R0A-1" if state["R"].attributes["co"] == "R0A-1" else "R9Z-1"
    assert head == "R0A-1"
    with pytest.raises(RuleError) as refused:
        step(FREE, state, "act", "R0A", [[head, "code_word", word, ["R1"]]], dice=[])
    assert refused.value.rule == "D-SL-R9.1"


@pytest.mark.rule("D-SL-R9.1")
def test_the_briefing_gives_no_order_and_agrees_on_no_word() -> None:
    for options, given in (({}, 4), (FREE, 0)):
        rules = game(options)
        battle = Battle.start(rules, opening({}), Answers(Seed(1), others=IDLE))
        battle.proceed()
        assert isinstance(battle.due, Acts)
        listed = {intent.rule for intent in battle.legal("red")}
        assert listed == ({"brief", "agree", "done"} if given else {"done"})
        for rule, args in (("brief", ("R1", {"text": "Go."})), ("agree", ("R1", "Storm", {"text": "Go."}))):
            if not given:
                with pytest.raises(RuleError) as refused:
                    step(options, battle.state, rule, *args, dice=[])
                assert refused.value.rule == "D-SL-R9.1"
        battle.play(2)
        assert sum(event.kind == "order.given" for event in told_in(battle)) == given


@pytest.mark.rule("D-SL-R9.1", "D-R15.2")
def test_reaction_fire_is_a_choice() -> None:
    state = fight(
        team("R1A", (0, 0), unit("NCO", "revolver"), {**pulse(), "wounds": 30}),
        team("B1A", (4, 0), unit("NCO", "revolver"), pulse()),
        portion=("1", "red", "move"),
    )
    asked = []

    class Asked(Autopilot):
        def choose(self, ask, view):  # type: ignore[no-untyped-def]
            if ask.purpose == "reaction":
                asked.append([option.key for option in ask.options])
            return len(ask.options) - 1

    for options in ({}, FREE):
        battle = Battle.start(game(options), state, Answers(Seed(1), others=Asked()))
        battle.act(Intent("move", ("R1A", ((1, 0),)), "red"))
    assert ["hold" in keys for keys in asked] == [False, True]


# Bots


@pytest.mark.rule("D-SL-R9.2")
def test_a_team_of_bots_is_led_by_whoever_acts_as_the_officer_of_another_team() -> None:
    assert ("R1B-1", "fire") not in may(FREE, field())  # a soldier is no Officer (D-R9.15)
    assert ("R1B-1", "fire") in may(LED, field())
    moves = [
        {intent.args for intent in game(options).legal(field("move"), "red") if intent.args[:1] == ("R1C",)}
        for options in ({}, LED)
    ]
    assert moves[0] == moves[1]  # nobody is near it: it can only retreat, as by the rules (D-R9.16)
    apart = changed(field(), SetStatus("R1A-1", Status("out", "dead")))
    assert ("R1B-1", "fire") not in may(LED, apart)  # bots do not lead bots


@pytest.mark.rule("D-SL-R9.2", "D-R9.14")
@pytest.mark.parametrize(("apart", "led"), [(1, True), (2, False)])
def test_who_acts_as_an_officer_leads_bots_within_close_range_and_no_further(apart: int, led: bool) -> None:
    state = fight(
        team("R1A", (0, 0), pulse()),
        team("R1B", (apart, 0), unit("Bot", "laser_carbine")),
        team("B1A", (4, 0), {**pulse(), "wounds": 30}),
        portion=("1", "red", "battle"),
    )
    assert (("R1B-1", "fire") in may(LED, state)) == led


@pytest.mark.rule("D-SL-R9.1")
def test_an_officer_acts_as_one_wherever_he_stands_in_the_roster_and_after_him_the_first_human() -> None:
    bot = unit("Bot", "laser_carbine")
    state = fight(team("R1A", (0, 0), bot, pulse(), unit("NCO", "revolver"), pulse()))
    fallen = [
        changed(state, *[SetStatus(f"R1A-{each}", Status("out", "dead")) for each in out])
        for out in ((), (3,), (2, 3, 4))
    ]
    acting = [acting_officer(each, "R1A") for each in fallen]
    assert [None if each is None else each.uid for each in acting] == ["R1A-3", "R1A-2", None]


@pytest.mark.rule("D-SL-R9.2")
def test_a_real_officer_leads_bots_with_and_without_it_and_alone_it_only_warns() -> None:
    state = fight(
        team("R1A", (0, 0), unit("NCO", "revolver"), pulse()),
        team("R1B", (1, 0), unit("Bot", "laser_carbine")),
        team("B1A", (2, 0), pulse()),
        portion=("1", "red", "battle"),
    )
    for options in ({}, on("D-SL-R9.2"), FREE, LED):
        assert ("R1B-1", "fire") in may(options, state), options
    for move in ("battle", "move"):
        assert may({}, field(move)) == may(on("D-SL-R9.2"), field(move))


def problems(options: dict[str, object]) -> list[tuple[object, ...]]:
    battle = Battle.start(game(options), opening({}), Answers(Seed(1), others=IDLE))
    battle.proceed()
    (opened,) = [event for event in told_in(battle) if event.kind == "briefing.opens"]
    rows = opened.why["problems"]
    assert isinstance(rows, tuple)
    return [tuple(row) for row in rows]


@pytest.mark.rule("D-SL-R9.2")
def test_the_briefing_names_the_bots_that_nobody_leads() -> None:
    named = [row for row in problems(on("D-SL-R9.2")) if row[2] == "D-SL-R9.2"]
    assert [(row[0], row[3]) for row in named] == [("warning", "R1C"), ("warning", "B1C")]
    assert not [row for row in problems({}) if row[2] == "D-SL-R9.2"]


@pytest.mark.rule("D-SL-R9.1")
def test_a_force_with_a_team_without_an_officer_is_told_of_or_refused() -> None:
    named = [row for row in problems(FREE) if row[2] == "D-SL-R9.1"]
    assert [row[0] for row in named] == ["advice", "advice"]
    assert "R1B-1 in R1B" in str(named[0][1])
    battle = Battle.start(game({**FREE, "D-SL-R9.1.officers": "refused"}), opening({}), Answers(Seed(1), others=IDLE))
    with pytest.raises(RuleError) as refused:
        battle.proceed()
    assert refused.value.rule == "D-SL-R9.1"
    assert "these have none: R1B" in str(refused.value)
