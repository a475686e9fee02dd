"""Rule 16, command: orders in play and when they come into force, Code Words, rally, what a team names before it rolls."""

from __future__ import annotations

import pytest

from rallypoint.disrupter.orders import order_of, permits
from rallypoint.kernel.canonical import freeze
from rallypoint.kernel.changes import SetAttribute, SetPlace, SetStatus, SetTracker
from rallypoint.kernel.errors import RuleError
from rallypoint.kernel.parts import Hex, Status
from rallypoint.kernel.state import State
from rallypoint.kernel.step import Done

from ..disrupter.positions import changed, engaged, kinds, position, rules, step, team, unit
from .playing import fight, out

DEAD = Status("out", "dead")
ROUTED = Status("routed", since=1)


def field(portion: str = "co", **more: object) -> State:
    """Red: CO, squad 1 (NCO and a soldiers' team), squad 2 (NCO); far from each other, and blue far from them."""
    red = [
        team("R0A", (0, 0), unit("CO", "revolver"), unit("Soldier", "pulse_rifle")),
        team("R1A", (4, 0), unit("NCO", "pulse_rifle"), unit("Soldier", "pulse_rifle")),
        team("R1B", (8, 0), unit("Soldier", "pulse_rifle"), unit("Soldier", "pulse_rifle")),
        team("R2A", (0, 6), unit("NCO", "pulse_rifle"), unit("Soldier", "pulse_rifle")),
    ]
    blue = [
        team("B0A", (-3, 11), unit("CO", "revolver"), unit("Soldier", "pulse_rifle")),
        team("B1A", (4, 11), unit("NCO", "pulse_rifle"), unit("Soldier", "pulse_rifle")),
    ]
    return position(*red, *blue, portion=(portion, "red", "battle"), **more)  # type: ignore[arg-type]


def co(state: State, *deed: object, **more: object) -> Done:
    return step(state, "act", "R0A", [["R0A-1", *deed]], seat="red", **more)  # type: ignore[arg-type]


def nco(state: State, *deed: object, **more: object) -> Done:
    return step(state, "act", "R1A", [["R1A-1", *deed]], seat="red", **more)  # type: ignore[arg-type]


def turn(state: State, number: int) -> State:
    return changed(state, SetAttribute("battle", "turn", number))


def verb(state: State, uid: str) -> str | None:
    order = order_of(state, uid)
    return None if order is None else order.verb


HOLD = {"text": "Hold here.", "verb": "hold"}
GO = {"text": "Go on.", "verb": "engage"}


# When orders come into force


@pytest.mark.rule("D-R16.11", "D-R16.13", "D-R16.14")
def test_a_cos_order_to_a_squad_is_in_force_from_the_next_turn_and_takes_no_roll() -> None:
    done = co(engaged(field()), "order", "R1", HOLD)
    assert kinds(done)[:3] == ["battle.declared", "action.spent", "order.given"]
    assert "check" not in kinds(done)
    assert rules(done)[2] == "D-R16.11"
    assert [verb(done.state, uid) for uid in ("R1A", "R1B", "R2A")] == ["engage", "engage", "engage"]
    assert [verb(turn(done.state, 2), uid) for uid in ("R1A", "R1B", "R2A")] == ["hold", "hold", "engage"]


@pytest.mark.rule("D-R16.14")
def test_an_ncos_order_to_his_squad_and_a_cos_to_his_own_stand_are_in_force_at_once() -> None:
    done = nco(engaged(field("1")), "order", "R1", HOLD)
    assert [verb(done.state, uid) for uid in ("R1A", "R1B", "R2A")] == ["hold", "hold", "engage"]
    own = co(engaged(field()), "order", "R0A", HOLD)
    assert verb(own.state, "R0A") == "hold"


@pytest.mark.rule("D-R16.14")
def test_two_orders_for_the_next_turn_the_later_replaces_the_earlier_and_an_earlier_stays_in_force_meanwhile() -> None:
    first = co(engaged(field()), "order", "R1", HOLD).state
    again = changed(first, SetAttribute("R0A", "acted", 0), SetAttribute("battle", "at", 1))
    second = co(again, "order", "R1", {"text": "Fall back.", "verb": "retreat"}).state
    assert verb(second, "R1B") == "engage"
    assert verb(turn(second, 2), "R1B") == "retreat"
    rows = second["R1"].attributes["orders"]
    assert isinstance(rows, tuple)
    assert len(rows) == 2


@pytest.mark.rule("D-R16.14")
def test_an_ncos_order_at_once_leaves_the_cos_order_of_the_next_turn_to_come() -> None:
    """Both are for the squad; of the two in force in turn 2 the NCO's is the later one, as it would be were he to give it then."""
    co_first = co(field(), "order", "R1", GO).state
    group = changed(co_first, SetAttribute("battle", "at", 5), SetAttribute("R1", "group", 1))
    both = nco(group, "order", "R1", HOLD).state
    rows = both["R1"].attributes["orders"]
    assert isinstance(rows, tuple)
    assert len(rows) == 2
    assert verb(both, "R1B") == "hold"


@pytest.mark.rule("D-R16.14")
def test_orders_that_are_over_are_forgotten_and_a_code_word_holds_until_a_later_order() -> None:
    state = engaged(field())
    for number in range(1, 5):
        state = changed(turn(state, number), SetAttribute("R0A", "acted", 0), SetAttribute("battle", "at", 1))
        state = co(state, "order", "R1", HOLD if number % 2 else GO).state
    rows = state["R1"].attributes["orders"]
    assert isinstance(rows, tuple)
    assert len(rows) == 2
    assert [verb(turn(state, number), "R1B") for number in (4, 5)] == ["hold", "engage"]
    word = changed(turn(state, 5), SetAttribute("R0A", "acted", 0), SetAttribute("battle", "at", 1))
    word = co(word, "code_word", "Retreat", ["R1"]).state
    assert verb(word, "R1B") == "retreat"
    word = changed(turn(word, 6), SetAttribute("R0A", "acted", 0), SetAttribute("battle", "at", 1))
    assert verb(word, "R1B") == "retreat"
    word = co(word, "order", "R1", HOLD).state
    assert [verb(turn(word, number), "R1B") for number in (6, 7)] == ["retreat", "hold"]


@pytest.mark.rule("D-R16.11")
def test_one_set_of_orders_is_one_battlefield_action() -> None:
    deeds = [["R0A-1", "order", "R1", HOLD], ["R0A-1", "order", "R2", HOLD]]
    with pytest.raises(RuleError) as caught:
        step(field(), "act", "R0A", deeds, seat="red")
    assert caught.value.rule == "D-R16.4"
    done = co(field(), "order", "R1", HOLD)
    with pytest.raises(RuleError):
        co(done.state, "order", "R2", HOLD)


# Code Words


@pytest.mark.rule("D-R16.12", "D-R16.14", "D-R10.4")
def test_a_code_word_goes_to_any_number_of_ncos_and_is_in_force_at_once() -> None:
    done = co(engaged(field()), "code_word", "Halt", ["R1", "R2"])
    assert [verb(done.state, uid) for uid in ("R1A", "R1B", "R2A", "R0A")] == ["hold", "hold", "hold", "engage"]
    assert permits(done.state, {}, "R1B", "move") == "no"
    assert rules(done)[2:4] == ["D-R16.12", "D-R16.12"]
    one = co(engaged(field()), "code_word", "Retreat", ["R2"])
    assert [verb(one.state, uid) for uid in ("R1A", "R2A")] == ["engage", "retreat"]


@pytest.mark.rule("D-R10.4")
def test_resume_goes_back_to_the_order_before_the_code_words() -> None:
    state = engaged(field())
    for word in ("Halt", "Retreat", "Halt"):
        state = changed(co(state, "code_word", word, ["R1"]).state, SetAttribute("R0A", "acted", 0))
        state = changed(state, SetAttribute("battle", "at", 1))
    done = co(state, "code_word", "Resume", ["R1"])
    assert verb(done.state, "R1B") == "engage"
    assert kinds(done)[2] == "order.resumed"


@pytest.mark.rule("D-R10.4")
def test_rally_names_a_rally_point() -> None:
    state = engaged(field(rally_points={"red": (9, 1)}))
    done = co(state, "code_word", "Rally", ["R1"])
    order = order_of(done.state, "R1B")
    assert order is not None
    assert (order.verb, order.place, order.fire_policy, order.code_word) == ("rally", Hex(9, 1), "return", "Rally")
    named = co(state, "code_word", "Rally", ["R1"], "Home")
    assert order_of(named.state, "R1B") == order
    with pytest.raises(RuleError) as caught:
        co(engaged(field()), "code_word", "Rally", ["R1"])
    assert caught.value.rule == "D-R10.4"
    with pytest.raises(RuleError) as caught:
        co(state, "code_word", "Rally", ["R1"], "Nowhere")
    assert caught.value.rule == "D-R10.2"
    battle = state["battle"]
    points = {"red": [["Home", 9, 1], ["Mill", 2, 2]], "blue": []}
    facts: dict[str, object] = {**battle.facts, "rally_points": points}
    both = State.of([battle._replace(facts=freeze(facts)) if each.uid == "battle" else each for each in state])  # type: ignore[arg-type]
    with pytest.raises(RuleError) as caught:
        co(both, "code_word", "Rally", ["R1"])
    assert caught.value.rule == "D-R10.4"
    mill = order_of(co(both, "code_word", "Rally", ["R1"], "Mill").state, "R1B")
    assert mill is not None
    assert mill.place == Hex(2, 2)


@pytest.mark.rule("D-R10.3", "D-R16.12")
def test_an_own_code_word_stands_for_the_order_that_was_agreed_with_that_nco() -> None:
    words = {"Fox": {"text": "Take the hill.", "verb": "advance", "place": (8, 4)}}
    state = changed(engaged(field()), SetAttribute("R1", "code_words", words))  # type: ignore[arg-type]
    done = co(state, "code_word", "Fox", ["R1"])
    order = order_of(done.state, "R1B")
    assert order is not None
    assert (order.text, order.place, order.code_word) == ("Take the hill.", Hex(8, 4), "Fox")
    with pytest.raises(RuleError) as caught:
        co(state, "code_word", "Fox", ["R1", "R2"])  # squad 2 never heard of it
    assert (caught.value.rule, caught.value.where) == ("D-R10.3", "R2")


@pytest.mark.rule("D-R16.12")
@pytest.mark.parametrize(
    ("squads", "kill", "who"),
    [
        ([], None, "co"),
        (["R1", "R1"], None, "co"),
        (["B1"], None, "co"),
        (["R1A"], None, "co"),
        (["R1"], "R1A-1", "co"),  # the NCO is dead
        (["R1"], None, "nco"),  # an NCO gives none
    ],
)
def test_code_words_go_from_the_co_to_ncos(squads: list[str], kill: str | None, who: str) -> None:
    state = field("co" if who == "co" else "1")
    if kill is not None:
        state = changed(state, SetStatus(kill, DEAD))
    with pytest.raises(RuleError) as caught:
        (co if who == "co" else nco)(state, "code_word", "Halt", squads)
    assert caught.value.rule == "D-R16.12"


@pytest.mark.rule("D-R16.12", "D-R9.6")
def test_a_new_co_gives_the_code_words() -> None:
    state = changed(engaged(field("co")), SetStatus("R0A-1", DEAD), SetAttribute("R", "co", "R1A-1"))
    done = nco(state, "code_word", "Halt", ["R2"])
    assert verb(done.state, "R2A") == "hold"


# Rally


def rout(*places: tuple[str, tuple[int, int]]) -> State:
    state = field("1")
    for uid, place in places:
        state = changed(state, SetPlace(uid, Hex(*place)), SetStatus(uid, ROUTED))
    return state


@pytest.mark.rule("D-R16.15", "D-PT-T5")
def test_one_check_rallies_every_routed_team_within_close_range() -> None:
    state = rout(("R1B", (5, 0)), ("R2A", (4, 1)))
    assert order_of(engaged(state), "R1B") is None  # D-PT-T5: no orders in a rout
    # R2A has an NCO, who is 1 hex away: [+] for the check, two dice.
    done = nco(engaged(state), "rally", dice=[[79, 95]])
    assert [("routed" in done.state[uid].statuses) for uid in ("R1B", "R2A")] == [False, False]
    assert [done.state[uid].attributes["under"] for uid in ("R1B", "R2A")] == ["R1A-1", "R1A-1"]
    assert kinds(done).count("check") == 1
    # Under that officer's command: the orders of others are over, his own count.
    assert order_of(done.state, "R2A") is None
    failed = nco(state, "rally", dice=[[80, 95]])
    assert "routed" in failed.state["R1B"].statuses


@pytest.mark.rule("D-R16.15")
def test_by_ruling_each_team_has_its_own_check() -> None:
    state = rout(("R1B", (5, 0)), ("R2A", (4, 1)))
    done = nco(state, "rally", dice=[[79, 95], [80, 95]], options={"D-R16.15": "each_team"})
    assert [("routed" in done.state[uid].statuses) for uid in ("R1B", "R2A")] == [False, True]


@pytest.mark.rule("D-R16.15", "D-R8.4", "D-R8.5")
@pytest.mark.parametrize(("face", "stress", "routed"), [(77, 1, False), (88, 3, True)])
def test_a_critical_of_a_rally_moves_stress(face: int, stress: int, routed: bool) -> None:
    state = changed(rout(("R1B", (5, 0))), SetTracker("R", "Stress", 2))
    done = nco(state, "rally", dice=[face])
    assert done.state["R"].value("Stress") == stress
    assert ("routed" in done.state["R1B"].statuses) == routed


@pytest.mark.rule("D-R16.15")
def test_nobody_is_rallied_from_afar_or_without_need() -> None:
    for state in (rout(("R1B", (6, 0))), field("1")):
        with pytest.raises(RuleError) as caught:
            nco(state, "rally")
        assert caught.value.rule == "D-R16.15"
    with pytest.raises(RuleError) as caught:
        step(rout(("R1B", (5, 0))), "act", "R1A", [["R1A-2", "rally"]], seat="red")
    assert caught.value.rule == "D-R9.10"


@pytest.mark.rule("D-PT-T5")
def test_a_routed_team_takes_no_orders() -> None:
    with pytest.raises(RuleError) as caught:
        nco(rout(("R1B", (5, 0))), "order", "R1B", HOLD)
    assert caught.value.rule == "D-PT-T5"


# What is named before the first roll


@pytest.mark.rule("D-R16.1", "D-R16.4")
@pytest.mark.parametrize(
    ("deeds", "cited"),
    [
        ([["R1A-1", "nothing"], ["R1A-1", "nothing"]], "D-R16.4"),
        ([["R1B-1", "nothing"]], "D-R16.1"),  # of another team
        ([["R1A-1", "dance"]], "D-R16.1"),
        ([["R1A-1"]], "D-R16.1"),
        (["R1A-1"], "D-R16.1"),
        ([["R1A-1", "fire", "pulse_rifle"]], "D-R16.1"),  # at nothing
        ([["R1A-1", "fire", "pulse_rifle", 5]], "D-R16.1"),
        ([["R1A-2", "fire", "revolver", "B1A"]], "D-R16.4"),  # it has none
        ([["R1A-1", "spot", "B1A-9"]], "D-R16.2"),
        ([["R1A-1", "spot", "R1B"]], "D-R16.2"),
        ([["R1A-1", "order", "R1"]], "D-R16.1"),
        ([["R1A-1", "order", "R1", GO, "now"]], "D-R16.1"),
        ([["R1A-1", "nothing", "more"]], "D-R16.1"),
        ([["R1A-2", "fire", "pulse_rifle", "B1A", "twice"]], "D-R16.1"),
        ([["R1A-1", "spot", "B1A", "B1B"]], "D-R16.1"),
        ([["R1A-1", "order", "R1", "Go."]], "D-R9.11"),
        ([["R1A-1", "nothing"], ["R1A-2", "fire", "pulse_rifle", "B0A"]], "D-R16.9"),  # a good deed beside a bad one
    ],
)
def test_what_cannot_be_named_is_refused_and_nothing_is_spent(deeds: list[object], cited: str) -> None:
    state = engaged(field("1"))
    before = state.to_text()
    with pytest.raises(RuleError) as caught:
        step(state, "act", "R1A", deeds, seat="red")
    assert caught.value.rule == cited
    assert state.to_text() == before


@pytest.mark.rule("D-R16.1")
def test_a_dead_unit_does_nothing() -> None:
    state = changed(engaged(field("1")), SetStatus("R1A-2", DEAD))
    with pytest.raises(RuleError) as caught:
        step(state, "act", "R1A", [["R1A-2", "spot", "B1A"]], seat="red")
    assert caught.value.rule == "D-R16.1"


@pytest.mark.rule("D-R16.1")
def test_deeds_happen_in_their_order_and_the_shots_of_a_team_together() -> None:
    # B1A stands 2 hexes from R1A. 12 spots at 60 (with [+] of the NCO: two dice); the two rifles differ in Instinct.
    state = changed(engaged(field("1")), SetPlace("B1A", Hex(4, 2)))
    deeds = [
        ["R1A-2", "spot", "B1A"],
        ["R1A-1", "order", "R1B", GO],
    ]
    done = step(state, "act", "R1A", deeds, seat="red", dice=[[12, 13]])
    told = [kind for kind in kinds(done) if kind in ("battle.declared", "check", "spot", "order.given")]
    assert told == ["battle.declared", "check", "spot", "order.given"]
    assert done.events[0].why["deeds"] == (("R1A-2", "spot", "B1A"), ("R1A-1", "order", "R1B", GO))
    turned = step(state, "act", "R1A", deeds[::-1], seat="red", dice=[[12, 13]])
    told = [kind for kind in kinds(turned) if kind in ("check", "order.given")]
    assert told == ["order.given", "check"]


@pytest.mark.rule("D-R16.1", "D-EQ-T5")
def test_who_falls_by_a_comrades_grenade_does_not_spot_any_more() -> None:
    """It goes off among them with 2 Wounds, the second one's last among them; a 20 of platoon and team keeps their nerve."""
    red = team("R1A", (0, 0), unit("Soldier", "frag_grenade"), unit("Soldier", "pulse_rifle"))
    state = fight(red, team("B1A", (2, 0), unit("Bot", "laser_carbine")), portion=("1", "red", "battle"))
    deeds = [["R1A-1", "fire", "frag_grenade", "B1A"], ["R1A-2", "spot", "B1A"]]
    hurt = changed(engaged(state), SetTracker("R1A-2", "Wounds", 1))
    done = step(hurt, "act", "R1A", deeds, seat="red", dice=[98, 97, 20, 20])
    assert list(out(done.state)) == ["R1A-2"]
    assert "spot" not in kinds(done)


@pytest.mark.rule("D-R16.1")
def test_a_team_may_do_nothing() -> None:
    done = step(engaged(field("1")), "act", "R1A", [], seat="red")
    assert done.state["R1A"].attributes["acted"] == 1
