"""Company scale: several platoons on a side, each with its own CO and Stress, and a commander above them (D-SF-4)."""

from __future__ import annotations

import pytest

from rallypoint.disrupter import deployed, opening, playable, seat_alone
from rallypoint.disrupter.checks import check
from rallypoint.disrupter.command import check_order
from rallypoint.disrupter.field import commander, officers, platoon
from rallypoint.disrupter.harm import wound
from rallypoint.disrupter.hooks import DisrupterStep
from rallypoint.disrupter.initiative import initiative
from rallypoint.disrupter.legal import legal
from rallypoint.disrupter.modes import result, settle, surrendered
from rallypoint.disrupter.orders import order_of, permits, standing
from rallypoint.disrupter.records import Allocation, CheckRequest
from rallypoint.disrupter.setup import first_state
from rallypoint.disrupter.succession import appoint
from rallypoint.disrupter.turn import group_of
from rallypoint.kernel.answers import Answers, Seed
from rallypoint.kernel.battle import Battle
from rallypoint.kernel.changes import SetAttribute, SetStatus, SetTracker
from rallypoint.kernel.errors import InputError, RuleError, StateError
from rallypoint.kernel.parts import Hex, Link, Status
from rallypoint.kernel.replay import replay
from rallypoint.kernel.state import State
from rallypoint.kernel.step import Done

from ..disrupter.positions import changed, encounter, game, kinds, position, step, team, unit
from ..scenario.scenes import ROOT, starter
from .playing import dice, out, told, winner

pytestmark = pytest.mark.rule("D-SF-4")

DEAD = Status("out", "dead")
RIFLE = unit("Soldier", "pulse_rifle")
RED = [
    team("R0A", (0, 0), unit("CO", "revolver"), RIFLE),
    team("R1A", (4, 0), unit("NCO", "pulse_rifle"), RIFLE),
    team("R5A", (8, 0), unit("CO", "revolver"), RIFLE),
    team("R6A", (4, 4), unit("NCO", "pulse_rifle"), RIFLE),
    team("R6B", (0, 8), RIFLE, RIFLE),
]
BLUE = [team("B0A", (-5, 11), unit("CO", "revolver"), RIFLE), team("B1A", (2, 11), unit("NCO", "pulse_rifle"), RIFLE)]


def field(**more: object) -> State:
    """Red is a company: platoon R with squads 0 and 1, RR with squads 5 and 6, all far apart. Blue is one platoon."""
    state = position(*RED, *BLUE, second=5, size="company", **more)  # type: ignore[arg-type]
    return step(state, appoint, "red").state


def stress(state: State) -> dict[str, int]:
    return {uid: state[uid].value("Stress") for uid in ("R", "RR", "B")}


def stressed(state: State, **values: int) -> State:
    return changed(state, *[SetTracker(uid, "Stress", value) for uid, value in values.items()])


def fall(state: State, *units: str, dice: tuple[object, ...] = (), **more: object) -> Done:
    """Let units take all the Wounds that they can, together."""

    def fire(step: DisrupterStep) -> None:
        wound(step, tuple([Allocation(uid, 3) for uid in units]), "D-R16.10")

    return step(state, fire, dice=dice, **more)  # type: ignore[arg-type]


# Who commands


def test_each_platoon_has_its_co_and_the_first_ones_commands_the_company() -> None:
    state = field()
    assert [platoon(state, uid).uid for uid in ("R1A-2", "R6", "RR")] == ["R", "RR", "RR"]
    heads = {uid: commander(state, uid) for uid in ("R", "RR", "red", "B", "blue")}
    assert {uid: head and head.uid for uid, head in heads.items()} == {
        "R": "R0A-1",
        "RR": "R5A-1",
        "red": "R0A-1",
        "B": "B0A-1",
        "blue": "B0A-1",
    }
    assert [each.uid for each in officers(state, "red")] == ["R0A-1", "R1A-1", "R5A-1", "R6A-1"]
    assert [each.uid for each in officers(state, "RR")] == ["R5A-1", "R6A-1"]
    with pytest.raises(StateError, match="several platoons"):
        platoon(state, "red")


def test_by_ruling_the_owner_names_the_company_commander_in_the_briefing() -> None:
    first = first_state(encounter([*RED, *BLUE], second=5), size="company")
    assert commander(first, "red") is None
    begun = step(first, "begin")
    assert [(event.why["co"], event.rule) for event in told(begun, "command.company")] == [("R0A-1", "D-SF-4")]
    named = step(first, "begin", options={"D-SF-4": "named"}, dice=["R5A-1"])
    assert commander(named.state, "red") == named.state["R5A-1"]


@pytest.mark.parametrize(
    ("second", "size", "severity", "what"),
    [
        (5, "company", None, ""),
        (10, "company", "warning", "this one has 1"),
        (5, "platoon", "error", "2 platoons on a side; at platoon scale it has one"),
    ],
)
def test_how_many_platoons_a_side_has_goes_by_the_size(second: int, size: str, severity: str | None, what: str) -> None:
    rows = [*RED, *BLUE]
    if second == 10:
        rows = [each for each in rows if each[0].uid != "R5A"]
    state = first_state(encounter(rows, second=second), size=size)
    if severity == "error":
        with pytest.raises(RuleError, match=what) as caught:
            step(state, "begin")
        assert caught.value.rule == "D-SF-4"
        return
    problems = told(step(state, "begin"), "briefing.opens")[0].why["problems"]
    assert isinstance(problems, tuple)
    found = [row.what for row in problems if row.rule == "D-SF-4" and row.where == "red"]
    assert [what in each for each in found] == ([True] if severity else [])


def test_a_platoon_with_two_cos_or_none_is_refused_although_its_company_has_one_each() -> None:
    rows = [each for each in RED if each[0].uid != "R5A"]
    rows.append(team("R2A", (8, 0), unit("CO", "revolver"), RIFLE))
    with pytest.raises(RuleError, match="exactly one CO") as caught:
        step(first_state(encounter([*rows, *BLUE], second=5), size="company"), "begin")
    assert (caught.value.rule, caught.value.where) == ("D-R9.1", "R")


def test_a_platoon_that_would_surrender_at_once_is_refused_before_the_battle() -> None:
    made = encounter([*RED, *BLUE], second=5)
    fallen = changed(made.state, SetStatus("R5A-1", DEAD), SetStatus("R6A-1", DEAD))
    with pytest.raises(InputError, match="every Officer of this platoon is out") as caught:
        first_state(made._replace(state=fallen), size="company")
    assert caught.value.where == "RR"
    one = changed(made.state, SetStatus("R0A-1", DEAD))
    begun = step(first_state(made._replace(state=one), size="company"), "begin")
    assert commander(begun.state, "red") == begun.state["R1A-1"]  # the first platoon's acting CO


# Stress


@pytest.mark.rule("D-R8.1", "D-R8.3")
def test_each_platoon_gains_its_own_stress_in_the_initiative_phase() -> None:
    state = changed(stressed(field(), RR=4), SetAttribute("battle", "phase", "start"))
    assert stress(step(state, "begin_turn").state) == {"R": 1, "RR": 5, "B": 1}


@pytest.mark.rule("D-R8.4", "D-R8.5")
@pytest.mark.parametrize(("die", "after"), [(99, {"R": 3, "RR": 4, "B": 3}), (11, {"R": 3, "RR": 2, "B": 3})])
def test_a_critical_moves_the_stress_of_the_platoon_that_rolled(die: int, after: dict[str, int]) -> None:
    def roll(step: DisrupterStep) -> None:
        check(step, CheckRequest(("R6B-1",), "instinct", "test"), "D-R7.1")

    assert stress(step(stressed(field(), R=3, RR=3, B=3), roll, dice=[die]).state) == after


@pytest.mark.rule("D-R8.6", "D-R8.7")
def test_a_death_is_the_business_of_its_own_platoon_but_all_friends_beside_it_check() -> None:
    """R6B's soldier falls next to R1A: RR has Stress 4 + 1, R has 2; each team checks against its own platoon's."""
    rows = [*RED[:1], team("R1A", (1, 8), unit("NCO", "pulse_rifle"), RIFLE), *RED[2:], *BLUE]
    state = step(position(*rows, second=5, size="company"), appoint, "red").state
    done = fall(stressed(state, R=2, RR=4), "R6B-1", dice=(20, 20, 20))
    assert stress(done.state) == {"R": 2, "RR": 5, "B": 0}
    checks = [(event.why["subject"], event.why["stress"]) for event in told(done, "panic.check")]
    assert checks == [("RR", 5), ("R6B", 5), ("R1A", 2)]


@pytest.mark.rule("D-PT-S")
def test_what_the_platoon_table_says_happens_to_that_platoon_alone() -> None:
    """Stress 20 and a 13: our own pack's row; the referee says that all are suppressed."""
    state = stressed(field(referee=True), RR=19)
    done = fall(state, "R6B-1", dice=(13, "all_suppressed", 1))
    assert [uid for uid in ("R0A", "R1A", "R5A", "R6A", "R6B") if "suppressed" in done.state[uid].statuses] == [
        "R5A",
        "R6A",
        "R6B",
    ]


# The turn


@pytest.mark.rule("D-R11.9")
def test_all_cos_of_a_side_act_in_the_co_step() -> None:
    assert [group_of(field(), uid) for uid in ("R0A", "R1A", "R5A", "R6A")] == ["co", "1", "co", "1"]


@pytest.mark.rule("D-R11.4")
def test_the_company_commander_rolls_for_the_initiative() -> None:
    state = changed(field(), SetAttribute("battle", "phase", "initiative"))
    assert dice(step(state, initiative, dice=[10, 85])) == [("R0A-1", "initiative", 1), ("B0A-1", "initiative", 1)]
    other = changed(state, SetAttribute("red", "co", "R5A-1"))
    assert dice(step(other, initiative, dice=[10, 85]))[0] == ("R5A-1", "initiative", 1)


@pytest.mark.rule("D-R11.10")
def test_each_co_may_relieve_the_stress_of_his_own_platoon() -> None:
    state = stressed(field(portion=("co", "red", "move")), R=3, RR=5)
    listed = [intent.args for intent in legal(game(), state, "red") if intent.rule == "relieve_stress"]
    assert listed == [("R",), ("RR",)]
    done = step(state, "relieve_stress", "RR", seat="red")
    assert stress(done.state) == {"R": 3, "RR": 4, "B": 0}
    assert done.state["R5A-1"].attributes["relieved"] == 1
    assert [intent.args for intent in legal(game(), done.state, "red") if intent.rule == "relieve_stress"] == [("R",)]
    for args in ((), ("B",), ("R5",), ("nobody",)):
        with pytest.raises(RuleError) as caught:
            step(state, "relieve_stress", *args, seat="red")
        assert caught.value.rule == ("D-R11.10" if args else "D-SF-4")


# Orders


ORDER = {"text": "Take the hill.", "verb": "advance"}


@pytest.mark.rule("D-R16.11", "D-R16.14")
def test_the_company_commander_orders_another_platoon_from_the_next_turn_on() -> None:
    state = field(portion=("co", "red", "battle"))
    done = step(state, "act", "R0A", [["R0A-1", "order", "RR", ORDER]], seat="red")
    assert [(event.rule, event.why["from turn"]) for event in told(done, "order.given")] == [("D-R16.11", 2)]
    assert order_of(done.state, "R6B") is None
    later = changed(done.state, SetAttribute("battle", "turn", 2))
    order = order_of(later, "R6B")
    assert order is not None
    assert (order.text, permits(later, {}, "R6B", "move"), order_of(later, "R1A")) == (ORDER["text"], "yes", None)


def test_the_latest_order_counts_whether_it_went_to_the_platoon_or_to_a_squad_of_it() -> None:
    state = field(portion=("co", "red", "battle"))
    state = step(state, "act", "R0A", [["R0A-1", "order", "RR", ORDER]], seat="red").state
    state = step(state, "act", "R5A", [["R5A-1", "order", "R6", {"text": "Stay.", "verb": "hold"}]], seat="red").state
    state = changed(state, SetAttribute("battle", "turn", 2))
    orders = {uid: order_of(state, uid) for uid in ("R5A", "R6B")}
    assert {uid: order and order.text for uid, order in orders.items()} == {"R5A": "Take the hill.", "R6B": "Stay."}


@pytest.mark.parametrize(
    ("officer", "to", "rule"),
    [
        ("R5A-1", "R", "D-SF-4"),  # not the company commander
        ("R1A-1", "RR", "D-SF-4"),
        ("R0A-1", "R", "D-R16.11"),  # his own: he orders its squads
        ("R0A-1", "R6", "D-SF-4"),  # another platoon's squad
        ("R5A-1", "R1", "D-SF-4"),
        ("R0A-1", "R6B", "D-SF-4"),
        ("R5A-1", "R6B", "D-R16.11"),  # a single team of another squad
        ("R6A-1", "R5", "D-R9.2"),
        ("R0A-1", "B", "D-R9.10"),
    ],
)
def test_whom_nobody_orders(officer: str, to: str, rule: str) -> None:
    with pytest.raises(RuleError) as caught:
        step(field(), check_order, officer, to, ORDER)
    assert caught.value.rule == rule


def test_a_platoon_without_a_co_hears_no_order() -> None:
    state = changed(field(), SetStatus("R5A-1", DEAD))
    with pytest.raises(RuleError, match="no CO to hear"):
        step(state, check_order, "R0A-1", "RR", ORDER)


@pytest.mark.rule("D-R16.12", "D-R16.14")
def test_the_company_commander_gives_code_words_to_cos_and_to_his_own_ncos_at_once() -> None:
    state = field(portion=("co", "red", "battle"))
    done = step(state, "act", "R0A", [["R0A-1", "code_word", "Halt", ["R1", "RR"]]], seat="red")
    orders = [order_of(done.state, uid) for uid in ("R1A", "R5A", "R6B")]
    assert [order and order.code_word for order in orders] == ["Halt"] * 3
    deeds = [intent.args[1] for intent in legal(game(), state, "red") if intent.rule == "act"]
    assert (("R0A-1", "code_word", "Halt", ("R1", "RR")),) in deeds
    assert (("R5A-1", "code_word", "Halt", ("R6",)),) in deeds
    resumed = step(
        changed(done.state, SetAttribute("R0A", "acted", 0)),
        "act",
        "R0A",
        [["R0A-1", "code_word", "Resume", ["RR"]]],
        seat="red",
    )
    assert order_of(resumed.state, "R6B") is None
    for officer, to in (("R0A-1", "R6"), ("R5A-1", "R"), ("R5A-1", "R1")):
        with pytest.raises(RuleError) as caught:
            step(state, "act", officer[:3], [[officer, "code_word", "Halt", [to]]], seat="red")
        assert caught.value.rule == "D-SF-4"


@pytest.mark.rule("D-R10.5")
def test_a_platoon_has_its_first_order_from_the_company_commander_or_each_squad_its_own() -> None:
    state = step(first_state(encounter([*RED, *BLUE], second=5), size="company"), "begin").state
    listed = [str(intent.args[0]) for intent in legal(game(), state, "red") if intent.rule == "brief"]
    assert list(dict.fromkeys(listed)) == ["RR", "R0", "R1", "R5", "R6"]
    told_so = step(state, "brief", "RR", ORDER, seat="red")
    assert told(told_so, "order.given")[0].why["by"] == "R0A-1"
    done = step(told_so.state, "done", seat="red").state
    assert [len(standing(done[uid])) for uid in ("R0", "R1", "R5", "R6", "RR")] == [1, 1, 0, 0, 1]
    order = order_of(done, "R6B")
    assert order is not None
    assert order.text == ORDER["text"]
    with pytest.raises(RuleError, match="he orders its squads"):
        step(state, "brief", "R", ORDER, seat="red")
    with pytest.raises(RuleError, match="no squad of this side"):
        step(state, "agree", "RR", "Go", ORDER, seat="red")
    assert standing(step(state, "done", seat="red").state["R6"])[0].order.by == "R5A-1"  # its own CO speaks


# Succession


@pytest.mark.rule("D-R9.6", "D-AMB-14")
def test_a_co_is_followed_by_an_nco_of_his_own_platoon() -> None:
    done = fall(field(), "R5A-1", dice=(20, 20))
    assert [event.why["co"] for event in told(done, "command.succession")] == ["R6A-1"]
    assert (commander(done.state, "RR"), commander(done.state, "red")) == (done.state["R6A-1"], done.state["R0A-1"])
    assert told(done, "command.company") == []
    assert [group_of(done.state, uid) for uid in ("R1A", "R6A", "R6B")] == ["1", "co", "1"]  # he acts in the CO step


@pytest.mark.rule("D-AMB-14")
def test_another_co_follows_the_company_commander_before_an_nco_who_only_acts() -> None:
    """R0A-1 falls: R1A-1 becomes CO of R, but the company goes to R5A-1, who was a CO from the start."""
    done = fall(field(), "R0A-1", dice=(20, 20))
    assert [commander(done.state, uid) for uid in ("R", "red")] == [done.state["R1A-1"], done.state["R5A-1"]]
    last = fall(done.state, "R5A-1", dice=("R1A-1", 20, 20, 20))
    assert commander(last.state, "red") == last.state["R1A-1"]  # of two acting COs the owner names one


@pytest.mark.rule("D-AMB-14")
@pytest.mark.parametrize(("ruling", "at_once", "next_turn"), [("next_turn", None, "R5A-1"), ("none", None, None)])
def test_rulings_put_the_succession_of_a_company_off_or_away(
    ruling: str, at_once: str | None, next_turn: str | None
) -> None:
    done = fall(field(), "R0A-1", dice=(20, 20), options={"D-AMB-14": ruling})
    head = commander(done.state, "red")
    assert (head and head.uid) == at_once
    later = step(
        changed(done.state, SetAttribute("battle", "phase", "start")), "begin_turn", options={"D-AMB-14": ruling}
    )
    head = commander(later.state, "red")
    assert (head and head.uid) == next_turn


def test_a_side_of_one_platoon_has_no_company_commander() -> None:
    assert step(field(), appoint, "blue").events == ()
    assert "co" not in field()["blue"].attributes


# Surrender


@pytest.mark.rule("D-R9.7", "D-GM-1")
def test_a_platoon_without_officers_leaves_the_fight_and_the_others_go_on() -> None:
    state = changed(stressed(field(), R=19, RR=4), SetStatus("R5A-1", DEAD))
    done = fall(state, "R6A-1")
    assert kinds(done)[-1] == "platoon.surrendered"
    assert out(done.state) == {
        "R5A-1": "dead",
        "R6A-1": "dead",
        **dict.fromkeys(("R5A-2", "R6A-2", "R6B-1", "R6B-2"), "surrendered"),
    }
    assert [done.state[uid].place for uid in ("R5A", "R6A", "R6B")] == [None] * 3
    assert (result(done.state), surrendered(done.state, "RR"), surrendered(done.state, "red")) == (None, True, False)
    assert told(done, "panic.check") == []  # nobody is left in it, and nobody of R stands near
    begun = step(changed(done.state, SetAttribute("battle", "phase", "start")), "begin_turn")
    assert stress(begun.state) == {"R": 20, "RR": 4, "B": 1}
    assert step(done.state, settle).events == ()  # once


@pytest.mark.rule("D-R9.7")
def test_a_side_has_lost_when_all_its_platoons_have_surrendered() -> None:
    state = changed(field(), SetStatus("R5A-1", DEAD), SetStatus("R0A-1", DEAD), SetStatus("R1A-1", DEAD))
    done = fall(state, "R6A-1")
    assert (kinds(done)[-1], winner(done)) == ("battle.over", "blue")
    assert told(done, "platoon.surrendered") == []  # it is over, as at platoon scale
    both = fall(
        changed(field(), *[SetStatus(uid, DEAD) for uid in ("R5A-1", "R0A-1", "R1A-1", "B0A-1")]), "R6A-1", "B1A-1"
    )
    assert winner(both) == "draw"


@pytest.mark.rule("D-R9.7", "D-EQ-V2")
def test_a_raft_of_a_platoon_that_surrenders_stays_under_those_of_another() -> None:
    """RR's raft R6B carries R1A of R, and R6C of RR sits in R's raft R1B: only what is RR's own goes."""
    crew = unit("Bot", "laser_carbine")
    rows = [
        *RED[:3],
        RED[3],
        team("R6B", (0, 8), crew, crew, vehicle="inflatable_raft"),
        team("R6C", (2, 8), RIFLE),
        team("R1B", (2, 8), crew, crew, vehicle="inflatable_raft"),
        *BLUE,
    ]
    rows = [row for row in rows if row[0].uid != "R1A"]
    rows.append(team("R1A", (0, 8), unit("NCO", "pulse_rifle"), RIFLE))
    apart = [[row[0]._replace(place=None), *row[1:]] if row[0].uid in ("R1A", "R6C") else row for row in rows]
    state = step(position(*apart, second=5, size="company"), appoint, "red").state
    state = State.of(
        [
            entity._replace(place=Hex(0, 8) if entity.uid == "R1A" else Hex(2, 8))
            if entity.uid in ("R1A", "R6C")
            else entity
            for entity in state
        ],
        [Link("aboard", "R1A", "R6B"), Link("aboard", "R6C", "R1B")],
        state.agenda,
    )
    done = fall(changed(state, SetStatus("R5A-1", DEAD)), "R6A-1")
    assert kinds(done)[-1] == "platoon.surrendered"
    assert {uid: done.state[uid].place for uid in ("R6B", "R1A", "R6C", "R1B")} == {
        "R6B": Hex(0, 8),
        "R1A": Hex(0, 8),
        "R6C": None,
        "R1B": Hex(2, 8),
    }
    assert [(link.source, link.target) for link in done.state.linked("aboard")] == [("R1A", "R6B")]


# A whole battle


def test_a_company_battle_comes_to_its_end_and_replays() -> None:
    from rallypoint.content.scenario import read_scenario
    from rallypoint.disrupter import scenario_words

    scenario = read_scenario(ROOT / "examples" / "scenarios" / "two-valleys.toml", scenario_words())
    force = starter()
    deployment = deployed(scenario, {side.name: (force, force) for side in scenario.sides})
    playing = playable(scenario.options)
    state = opening(scenario, deployment.encounter, playing.options)
    battle = Battle.start(playing, state, Answers(Seed(3), others=seat_alone(playing.options, 3)))
    battle.play()
    ended = result(battle.state)
    assert ended is not None
    lost = str(ended["surrendered"][0])  # type: ignore[index]
    assert not officers(battle.state, lost)
    left = [each for each in ("1", "2") if not surrendered(battle.state, f"{ended['winner']}.{each}.starter-platoon")]
    assert left
    for side in ("red", "blue"):
        for number in ("1", "2"):
            own = f"{side}.{number}.starter-platoon"
            living = [each.uid for each in battle.state.below(own, "unit") if "out" not in each.statuses]
            assert not living or not surrendered(battle.state, own) or side == lost
    kinds_told = {event.kind for entry in battle.history.entries for event in getattr(entry, "events", ())}
    assert {"command.company", "command.succession", "platoon.surrendered", "battle.over"} <= kinds_told
    assert replay(battle.history.entries, playing).hash == battle.state.digest
