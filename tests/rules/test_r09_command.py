"""Rule 9: who commands whom, what orders let a team do, leading, bots, succession."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from rallypoint.disrupter.checks import check
from rallypoint.disrupter.command import check_order, check_rally, may
from rallypoint.disrupter.field import commander
from rallypoint.disrupter.hooks import DisrupterStep
from rallypoint.disrupter.orders import ACTS, led, order_of, permits, towards
from rallypoint.disrupter.records import CheckRequest
from rallypoint.disrupter.succession import succeed
from rallypoint.disrupter.turn import group_of
from rallypoint.kernel.answers import PERSON, Answers
from rallypoint.kernel.battle import Battle
from rallypoint.kernel.changes import SetAttribute, SetPlace, SetStatus
from rallypoint.kernel.errors import RuleError
from rallypoint.kernel.game import Intent
from rallypoint.kernel.parts import Hex, Status
from rallypoint.kernel.plugins.hooks import hookimpl
from rallypoint.kernel.state import State
from rallypoint.kernel.tape import Choose

from ..disrupter.positions import changed, engaged, game, kinds, position, rules, step, team, unit
from .playing import fight

DEAD = Status("out", "dead")


def field(**more: object) -> State:
    """Red: CO and soldiers; squad 1 with an NCO, a lone soldiers' team, a mixed team and a bots' team, all far apart."""
    red = [
        team("R0A", (0, 0), unit("CO", "revolver"), unit("Soldier", "pulse_rifle")),
        team("R1A", (4, 0), unit("NCO", "pulse_rifle"), unit("Soldier", "pulse_rifle")),
        team("R1B", (8, 0), unit("Soldier", "pulse_rifle"), unit("Soldier", "pulse_rifle")),
        team("R1C", (4, 3), unit("Soldier", "pulse_rifle"), unit("Bot", "laser_carbine")),
        team("R1D", (7, 3), unit("Bot", "laser_carbine"), unit("Bot", "laser_carbine")),
        team("R2A", (0, 6), unit("NCO", "pulse_rifle"), unit("Soldier", "pulse_rifle")),
    ]
    blue = [
        team("B0A", (-3, 11), unit("CO", "revolver"), unit("Soldier", "pulse_rifle")),
        team("B1A", (2, 11), unit("NCO", "pulse_rifle"), unit("Soldier", "pulse_rifle")),
    ]
    return position(*red, *blue, **more)  # type: ignore[arg-type]


def answers(state: State, uid: str, **options: str) -> dict[str, str]:
    named = {name.replace("_", "-").replace("D-R9-16", "D-R9.16"): value for name, value in options.items()}
    return {act: permits(state, named, uid, act) for act in ACTS}


FREE = dict.fromkeys(ACTS, "yes")
SAFE = {**dict.fromkeys(ACTS, "no"), "retreat": "yes", "cover": "yes", "self_defence": "yes"}


# Leading


@pytest.mark.rule("D-R9.14")
def test_an_officer_and_who_is_near_him_act_freely_without_orders() -> None:
    state = field()
    assert answers(state, "R1A") == FREE  # the officer's own stand
    assert answers(state, "R1B") == SAFE
    near = changed(state, SetPlace("R1B", Hex(5, 0)))  # 1 hex from R1A
    assert answers(near, "R1B") == FREE
    away = changed(state, SetPlace("R1B", Hex(6, 0)))  # 2 hexes
    assert answers(away, "R1B") == SAFE


@pytest.mark.rule("D-R9.14")
def test_a_dead_officer_or_one_of_the_other_side_leads_nobody() -> None:
    near = changed(field(), SetPlace("R1B", Hex(5, 0)))
    assert led(near, "R1B")
    assert not led(changed(near, SetStatus("R1A-1", DEAD)), "R1B")
    beside_the_enemy = changed(field(), SetPlace("R1B", Hex(3, 11)))
    assert not led(beside_the_enemy, "R1B")


# Orders


@pytest.mark.rule("D-R9.12", "D-AMB-15")
@pytest.mark.parametrize(
    ("verb", "parts", "expected"),
    [
        ("engage", {}, {"move": "yes", "fire": "yes", "spot": "yes", "react": "yes"}),
        ("hold", {}, {"move": "no", "fire": "yes", "spot": "yes", "react": "yes"}),
        ("retreat", {}, {"move": "yes", "fire": "no", "spot": "yes", "react": "yes"}),
        ("engage", {"fire_policy": "hold"}, {"move": "yes", "fire": "no", "spot": "yes", "react": "no"}),
        ("engage", {"fire_policy": "return"}, {"move": "yes", "fire": "ask", "spot": "yes", "react": "no"}),
        ("hold", {"fire_policy": "in_range"}, {"move": "no", "fire": "yes", "spot": "yes", "react": "yes"}),
        (None, {}, {"move": "ask", "fire": "ask", "spot": "ask", "react": "ask"}),
        ("dig in", {}, {"move": "ask", "fire": "ask", "spot": "ask", "react": "yes"}),
    ],
)
def test_what_an_order_permits(verb: str | None, parts: dict[str, object], expected: dict[str, str]) -> None:
    state = engaged(field(), verb, **parts)  # type: ignore[arg-type]
    always = {"retreat": "yes", "cover": "yes", "self_defence": "yes"}  # D-R9.12: whatever the order says
    assert answers(state, "R1B") == {**expected, **always}


@pytest.mark.rule("D-AMB-15")
@pytest.mark.parametrize(("policy", "react"), [("in_range", "yes"), ("return", "no"), ("hold", "no")])
def test_the_fire_policy_where_an_order_says_nothing(policy: str, react: str) -> None:
    assert permits(engaged(field()), {"D-AMB-15": policy}, "R1B", "react") == react


@pytest.mark.rule("D-R9.12", "D-R1.4")
def test_the_referee_reads_a_sentence_that_no_machine_can() -> None:
    state = engaged(field(referee=True, portion=("1", "red", "battle")), None)  # type: ignore[arg-type]
    battle = Battle.start(game(), state, Answers(PERSON))
    assert battle.game.seats(battle.state) == ("red", "blue", "referee")
    foe = changed(state, SetPlace("B1A", Hex(8, 2)))
    battle = Battle.start(game(), foe, Answers(PERSON))
    battle.act(Intent("act", ("R1B", (("R1B-1", "spot", "B1A"),)), "red"))
    question = battle.question
    assert isinstance(question, Choose)
    assert (question.asks[0].seat, question.asks[0].subject) == ("referee", "R1B-1")
    with pytest.raises(RuleError, match="the referee says") as caught:
        battle.answer("refuse")
    assert caught.value.rule == "D-R9.12"
    battle.answer("allow")
    battle.answer(55)
    assert battle.question is None
    alone = engaged(changed(field(portion=("1", "red", "battle")), SetPlace("B1A", Hex(8, 2))), None)  # type: ignore[arg-type]
    assert (
        step(alone, "act", "R1B", [["R1B-1", "spot", "B1A"]], seat="red", dice=[55]).state["R1B"].attributes["acted"]
        == 1
    )


@pytest.mark.rule("D-R9.12", "D-R9.14")
def test_a_move_that_the_order_does_not_allow_is_refused_and_one_towards_its_place_is_not() -> None:
    hold = engaged(field(), "hold")
    with pytest.raises(RuleError) as caught:
        step(hold, "move", "R1B", [[7, 1]], seat="red")
    assert caught.value.rule == "D-R9.12"
    go = engaged(field(), "advance", place=[8, 5])
    assert towards(go, "R1B", Hex(8, 1))
    assert not towards(go, "R1B", Hex(7, 0))
    led_away = step(go, "move", "R1A", [[3, 0]], seat="red")  # who is led goes where he likes (D-R9.14)
    assert led_away.state["R1A"].place == Hex(3, 0)
    there = changed(go, SetPlace("R1B", Hex(8, 5)))
    assert [towards(there, "R1B", Hex(8, row)) for row in (4, 5)] == [False, True]  # about, and back to it
    assert towards(
        engaged(field(), "engage", place=[8, 5]), "R1B", Hex(7, 0)
    )  # whoever engages goes where the enemy is
    with pytest.raises(RuleError, match="leads elsewhere"):
        step(go, "move", "R1B", [[7, 0]], seat="red")
    assert step(go, "move", "R1B", [[8, 1]], seat="red").state["R1B"].place == Hex(8, 1)


@pytest.mark.rule("D-R9.14")
def test_a_team_with_no_order_and_no_officer_near_cannot_fire() -> None:
    state = changed(field(portion=("1", "red", "battle")), SetPlace("B1A", Hex(8, 2)))
    with pytest.raises(RuleError) as caught:
        step(state, "act", "R1B", [["R1B-1", "fire", "pulse_rifle", "B1A"]], seat="red")
    assert caught.value.rule == "D-R9.12"
    assert "acted" not in state["R1B"].attributes


def test_plugins_come_before_orders() -> None:
    @hookimpl
    def order_execute(act: str) -> bool | None:
        return {"move": True, "fire": False}.get(act)

    plugin = SimpleNamespace(order_execute=order_execute)

    def ask(step: DisrupterStep) -> None:
        found = [may(step, "R1B", act) for act in ("move", "fire", "spot")]
        step.emit("asked", rule="D-R9.12", why={"found": found})

    assert step(field(), ask, plugins=[plugin]).events[-1].why["found"] == ["yes", "no", "no"]


# Bots


@pytest.mark.rule("D-R9.15", "D-R9.16")
def test_bots_cannot_follow_orders_and_act_only_when_led() -> None:
    state = engaged(field())
    assert answers(state, "R1D") == SAFE
    assert answers(state, "R1C-2") == SAFE  # the bot of a mixed team
    assert permits(state, {}, "R1C-1", "fire") == "yes"  # its soldier has orders
    assert permits(state, {}, "R1C", "move") == "no"  # but the stand moves as one
    assert permits(state, {}, "R1C", "retreat") == "yes"
    assert answers(changed(state, SetPlace("R1D", Hex(5, 0))), "R1D") == FREE


@pytest.mark.rule("D-R9.16")
def test_by_ruling_a_mixed_stand_goes_where_its_humans_are_ordered() -> None:
    state = engaged(field())
    assert permits(state, {"D-R9.16": "follows_humans"}, "R1C", "move") == "yes"
    assert permits(state, {"D-R9.16": "follows_humans"}, "R1D", "move") == "no"


@pytest.mark.rule("D-R9.16")
def test_unled_bots_may_retreat_but_not_advance() -> None:
    # The nearest enemy in sight stands at (7, 5), 2 hexes from the bots at (7, 3).
    state = changed(engaged(field(), fire_policy="hold"), SetPlace("B1A", Hex(7, 5)))
    back = step(state, "move", "R1D", [[7, 2], [7, 1]], seat="red", dice=["hold", "hold"])
    assert back.state["R1D"].place == Hex(7, 1)
    for path in ([[7, 4]], [[8, 3]]):  # nearer, and as near as before
        with pytest.raises(RuleError) as caught:
            step(state, "move", "R1D", path, seat="red")
        assert caught.value.rule == "D-R9.16"


@pytest.mark.rule("D-R9.16")
def test_unled_bots_may_fall_back_to_a_rally_point() -> None:
    state = engaged(field(rally_points={"red": (9, 0)}))
    assert step(state, "move", "R1D", [[8, 2]], seat="red").state["R1D"].place == Hex(8, 2)
    with pytest.raises(RuleError):
        step(state, "move", "R1D", [[6, 3]], seat="red")


@pytest.mark.rule("D-PT-T3", "D-PT-T4", "D-PT-T5")
@pytest.mark.parametrize(
    ("status", "left"),
    [
        (Status("suppressed", since=1, until=1), {"cover", "spot"}),
        (Status("retreating"), {"self_defence"}),
        (Status("routed"), set()),
    ],
)
def test_panic_stands_above_orders_and_officers(status: Status, left: set[str]) -> None:
    state = changed(engaged(field()), SetStatus("R1A", status))
    assert answers(state, "R1A") == {act: "yes" if act in left else "no" for act in ACTS}


# Who commands whom


@pytest.mark.rule("D-R9.1", "D-R9.10", "D-R9.2", "D-R16.11")
@pytest.mark.parametrize(
    ("portion", "acting", "officer", "to", "cited"),
    [
        ("co", "R0A", "R0A-1", "R1", None),
        ("co", "R0A", "R0A-1", "R0A", None),
        ("co", "R0A", "R0A-1", "R1B", "D-R16.11"),  # a team of a squad that has its NCO
        ("co", "R0A", "R0A-1", "B1", "D-R9.10"),
        ("co", "R0A", "R0A-2", "R1", "D-R9.10"),  # a soldier
        ("1", "R1A", "R1A-1", "R1", None),
        ("1", "R1A", "R1A-1", "R1B", None),
        ("1", "R1A", "R1A-1", "R2", "D-R9.2"),
        ("1", "R1A", "R1A-1", "R0", "D-R9.2"),
        ("1", "R1A", "R1A-1", "R1B-1", "D-R9.10"),
        ("1", "R1A", "R1A-1", "nobody", "D-R9.10"),
    ],
)
def test_orders_go_down_the_chain_of_command(
    portion: str, acting: str, officer: str, to: str, cited: str | None
) -> None:
    state = field(portion=(portion, "red", "battle"))
    deeds = [[officer, "order", to, {"text": "Take the hill."}]]
    if cited is None:
        done = step(state, "act", acting, deeds, seat="red")
        assert "order.given" in kinds(done)
        return
    with pytest.raises(RuleError) as caught:
        step(state, "act", acting, deeds, seat="red")
    assert caught.value.rule == cited


@pytest.mark.rule("D-R9.10")
def test_an_order_from_a_dead_officer_is_refused() -> None:
    state = changed(field(portion=("1", "red", "battle")), SetStatus("R1A-1", DEAD))
    with pytest.raises(RuleError) as caught:
        step(state, "act", "R1A", [["R1A-1", "order", "R1", {"text": "Go."}]], seat="red")
    assert (caught.value.rule, caught.value.where, caught.value.found) == ("D-R9.10", "R1A-1", "dead")
    for rule, more in ((check_order, ("R1", {"text": "Go."})), (lambda step, uid: check_rally(step.state, uid), ())):
        with pytest.raises(RuleError, match="this Officer is out"):
            step(state, rule, "R1A-1", *more)


@pytest.mark.rule("D-R9.11")
@pytest.mark.parametrize(
    "order",
    [
        {},
        {"text": ""},
        {"text": "Go. Then stop."},
        {"text": "a\nb"},
        {"text": "a\rb"},
        {"text": "x" * 501},
        {"text": "Go.", "vreb": "hold"},
        {"text": "Go.", "verb": "bogus"},
        {"text": "Go.", "verb": ""},
        {"text": 5},
    ],
)
def test_an_order_is_one_sentence(order: dict[str, object]) -> None:
    state = field(portion=("1", "red", "battle"))
    with pytest.raises(RuleError) as caught:
        step(state, "act", "R1A", [["R1A-1", "order", "R1", order]], seat="red")
    assert caught.value.rule == "D-R9.11"


@pytest.mark.rule("D-R9.11")
def test_an_order_may_be_500_letters_long() -> None:
    order = {"text": "x" * 500}
    done = step(field(portion=("1", "red", "battle")), "act", "R1A", [["R1A-1", "order", "R1", order]], seat="red")
    given = order_of(done.state, "R1A")
    assert given is not None
    assert len(given.text) == 500


@pytest.mark.rule("D-R9.11")
def test_an_order_keeps_its_sentence_and_its_structured_part() -> None:
    state = field(portion=("1", "red", "battle"), rally_points={"red": (9, 0)})
    order = {"text": "Hold the bridge!", "verb": "hold", "place": "Home", "fire_policy": "return"}
    done = step(state, "act", "R1A", [["R1A-1", "order", "R1B", order]], seat="red")
    given = order_of(done.state, "R1B")
    assert given is not None
    assert (given.by, given.to, given.text) == ("R1A-1", "R1B", "Hold the bridge!")
    assert (given.verb, given.place, given.fire_policy) == ("hold", Hex(9, 0), "return")
    assert order_of(done.state, "R1A") is None  # the others of the squad have none
    again = State.from_text(done.state.to_text())
    assert order_of(again, "R1B") == given
    for place, rule in (("Nowhere", "D-R10.2"), ([99, 0], "D-R2.1"), ([1], "D-R9.11")):
        with pytest.raises(RuleError) as caught:
            step(state, "act", "R1A", [["R1A-1", "order", "R1B", {**order, "place": place}]], seat="red")
        assert caught.value.rule == rule


def test_the_later_of_two_orders_counts_whoever_of_squad_and_team_it_was_given_to() -> None:
    def orders(state: State, to: str, verb: str) -> State:
        state = changed(state, SetAttribute("R1A", "acted", 0), SetAttribute("battle", "at", 5))
        return step(state, "act", "R1A", [["R1A-1", "order", to, {"text": "Go.", "verb": verb}]], seat="red").state

    state = orders(field(portion=("1", "red", "battle")), "R1", "hold")
    state = orders(state, "R1B", "engage")
    assert [order.verb for order in (order_of(state, "R1B"), order_of(state, "R1A")) if order] == ["engage", "hold"]
    state = orders(state, "R1", "retreat")
    assert [order.verb for order in (order_of(state, "R1B"), order_of(state, "R1A")) if order] == ["retreat", "retreat"]


# The officer's [+]


@pytest.mark.rule("D-R9.4", "D-AMB-13")
@pytest.mark.parametrize(
    ("place", "who", "officers", "dice"),
    [
        ((5, 0), "R1B-1", "R1A-1", 2),  # 1 hex
        ((6, 0), "R1B-1", "R1A-1", 1),  # 2 hexes
        ((4, 0), "R1A-2", "R1A-1", 2),  # the same stand
        ((4, 0), "R1A-1", "R1A-1", 1),  # an officer does not aid himself
    ],
)
def test_units_near_an_officer_have_an_advantage(place: tuple[int, int], who: str, officers: str, dice: int) -> None:
    team_uid = who[:3]
    state = changed(field(), SetPlace(team_uid, Hex(*place)))

    def roll(step: DisrupterStep) -> None:
        for kind in ("instinct", "armor"):
            check(step, CheckRequest((who,), kind, "test"), "D-R7.1")

    thrown: list[object] = [[10, 20], [10, 20]] if dice == 2 else [10, 20]
    assert kinds(step(state, roll, dice=thrown)) == ["check", "check"]
    fallen = changed(state, SetStatus(officers, DEAD))
    if who != officers:
        assert kinds(step(fallen, roll, dice=[10, 20])) == ["check", "check"]


# Succession


@pytest.mark.rule("D-R9.6", "D-AMB-14")
def test_the_owner_names_the_new_co_at_once_and_he_acts_in_the_co_step() -> None:
    state = changed(field(), SetStatus("R0A-1", DEAD))
    done = step(state, succeed, "red", dice=["R2A-1"])
    head = commander(done.state, "red")
    assert head is not None
    assert head.uid == "R2A-1"
    assert rules(done) == ["D-R9.6"]
    assert [group_of(done.state, uid) for uid in ("R0A", "R1A", "R2A")] == ["co", "1", "co"]
    battle = Battle.start(game(), state, Answers(PERSON))
    battle.game.rules = {**battle.game.rules, "done": lambda step: succeed(step, "red")}  # type: ignore[misc]
    battle.act(Intent("done", (), "red"))
    question = battle.question
    assert isinstance(question, Choose)
    assert [(ask.seat, [option.key for option in ask.options]) for ask in question.asks] == [
        ("red", ["R1A-1", "R2A-1"])
    ]


@pytest.mark.rule("D-R9.12", "D-R9.16")
@pytest.mark.parametrize(("leader", "cited"), [("NCO", "D-R9.12"), ("Soldier", "D-R9.16")])
def test_a_refusal_names_the_bots_only_where_nobody_leads_them(leader: str, cited: str) -> None:
    @hookimpl
    def order_execute() -> bool:
        return False

    state = fight(
        team("R1A", (0, 0), unit(leader, "revolver"), unit("Bot", "laser_carbine")), team("B1A", (9, 0), unit("Bot"))
    )
    with pytest.raises(RuleError) as caught:
        step(state, "move", "R1A", [[1, 0]], seat="red", plugins=[SimpleNamespace(order_execute=order_execute)])
    assert caught.value.rule == cited


@pytest.mark.rule("D-AMB-14")
def test_the_rest_of_a_new_cos_squad_acts_in_its_group() -> None:
    state = changed(field(), SetStatus("R0A-1", DEAD))
    done = step(state, succeed, "red", dice=["R1A-1"])
    assert [group_of(done.state, uid) for uid in ("R1A", "R1B", "R1D")] == ["co", "1", "1"]


@pytest.mark.rule("D-AMB-14")
def test_the_last_nco_is_not_asked_for_and_rulings_put_succession_off_or_away() -> None:
    state = changed(field(), SetStatus("R0A-1", DEAD), SetStatus("R1A-1", DEAD))
    assert commander(step(state, succeed, "red").state, "red") == state["R2A-1"]
    assert step(state, succeed, "red", options={"D-AMB-14": "next_turn"}).events == ()
    later = changed(state, SetAttribute("battle", "phase", "start"))
    begun = step(later, "begin_turn", options={"D-AMB-14": "next_turn"})
    assert commander(begun.state, "red") == begun.state["R2A-1"]
    never = step(later, "begin_turn", options={"D-AMB-14": "none"})
    assert commander(never.state, "red") is None
    assert step(field(), succeed, "red").events == ()  # the CO lives
