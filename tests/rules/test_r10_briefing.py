"""Rules 1, 2, 9 and 10: what is agreed before a battle, what is checked, first Orders and Code Words."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from rallypoint.content import read_force
from rallypoint.content.force import Force
from rallypoint.content.scenario import read_scenario
from rallypoint.disrupter import catalogue, deployed, encounter_of, problems, scenario_words
from rallypoint.disrupter.code_words import code_words
from rallypoint.disrupter.field import board, edge, rally_points, teams, weapon
from rallypoint.disrupter.game import Disrupter
from rallypoint.disrupter.orders import CODE_WORDS, order_of
from rallypoint.disrupter.records import Problem
from rallypoint.disrupter.setup import first_state
from rallypoint.kernel.answers import Answers, AtRandom, Seed
from rallypoint.kernel.battle import Battle
from rallypoint.kernel.board import Board
from rallypoint.kernel.changes import SetAttribute, SetStatus
from rallypoint.kernel.encounter import Encounter
from rallypoint.kernel.errors import InputError, RuleError
from rallypoint.kernel.game import Acts, Intent, Runs
from rallypoint.kernel.hexes import to_offset
from rallypoint.kernel.parts import Hex, Status, Tracker
from rallypoint.kernel.plugins.hooks import hookimpl
from rallypoint.kernel.state import Entity, State

from ..disrupter.positions import changed, encounter, game, kinds, step, team, unit

STARTER = "examples/rosters/starter-platoon.md"


def made(board: Board | None = None, rally_points: dict[str, tuple[int, int]] | None = None, **more: object) -> State:
    """Return a first state: each side a CO with a soldier, an NCO with a soldier and a team of two bots."""
    rows = []
    for letter, row in (("R", 0), ("B", 5)):
        shift = -row // 2
        rows.append(team(f"{letter}0A", (shift + 1, row), unit("CO", "revolver"), unit("Soldier", "pulse_rifle")))
        rows.append(team(f"{letter}1A", (shift + 3, row), unit("NCO", "pulse_rifle"), unit("Soldier", "sniper_rifle")))
        rows.append(team(f"{letter}1B", (shift + 4, row), unit("Bot", "laser_carbine"), unit("Bot", "laser_carbine")))
    options = more.pop("options", {})
    return first_state(encounter(rows, board, rally_points), options, **more)  # type: ignore[arg-type]


def found(state: State) -> list[tuple[str, str]]:
    """Return severity and rule of each problem that the briefing opens with."""
    done = step(state, "begin")
    rows: Any = done.events[0].why["problems"]
    return [(row[0], row[2]) for row in rows]


# What is agreed


@pytest.mark.rule("D-R1.1")
def test_a_battle_has_exactly_two_sides() -> None:
    one = encounter([team("R0A", (1, 1), unit("CO", "revolver"))])
    three = one._replace(state=State.of([*one.state, Entity.new("green", "side")]))
    for wrong in (three, one._replace(state=State.of([Entity.new("red", "side")]))):
        with pytest.raises(InputError, match="exactly two sides"):
            first_state(wrong)


@pytest.mark.rule("D-R1.2", "D-R1.4")
def test_the_seats_are_the_sides_and_where_there_is_one_the_referee() -> None:
    assert game().seats(made()) == ("red", "blue")
    assert game().seats(made(referee=True)) == ("red", "blue", "referee")
    # Several players share a side: its seat acts for all of its Officers.
    assert game().next(step(made(), "begin").state) == Acts(("red",))


@pytest.mark.rule("D-R10.1", "D-R2.2")
def test_a_first_state_holds_board_mode_forces_and_rules() -> None:
    land = Board(12, 12, {Hex(2, 2): "building", Hex(3, 3): "forest"})
    state = made(land, {"red": (4, 0)}, mode="campaign", size="squad", edges={"blue": "bottom"})
    facts = state["battle"].facts
    assert (facts["mode"], facts["size"], facts["referee"]) == ("campaign", "squad", False)
    assert board(state).terrain == land.terrain
    assert rally_points(state, "red") == {"Home": Hex(4, 0)}
    assert rally_points(state, "blue") == {}
    assert (edge(state, "red"), edge(state, "blue")) == ("top", "bottom")
    assert [each.uid for each in teams(state, "red")] == ["R0A", "R1A", "R1B"]
    rifle = weapon(state, "sniper_rifle")
    assert (rifle.title, rifle.C, rifle.M, rifle.L, rifle.Max) == ("Sniper Rifle", 1, 3, 3, 5)
    assert weapon(state, "laser_carbine").Max is None
    with pytest.raises(InputError, match="needs a board"):
        first_state(encounter([])._replace(board=None))


@pytest.mark.rule("D-AMB-08")
@pytest.mark.parametrize(("options", "start"), [({}, 0), ({"D-AMB-08.start": 2}, 2), ({"D-AMB-08.min": 3}, 3)])
def test_stress_starts_at_nothing_or_where_the_ruling_says(options: dict[str, int], start: int) -> None:
    assert made(options=options)["R"].value("Stress") == start


def test_a_ruling_that_does_not_exist_is_refused_with_the_nearest() -> None:
    with pytest.raises(InputError, match=r"did you mean D-AMB-08\.min"):
        Disrupter({"D-AMB-08.mim": 1})
    with pytest.raises(InputError, match="no such choice"):
        Disrupter({"D-AMB-05": "never"})


@pytest.mark.rule("D-R2.1", "D-R10.2", "D-SF-2", "D-SF-3")
@pytest.mark.parametrize(
    ("size", "hexes", "covered", "expected"),
    [
        ("platoon", 12, 72, []),
        ("platoon", 12, 58, []),  # 40.2 %
        ("platoon", 12, 57, ["D-R2.1"]),  # 39.6 %
        ("platoon", 12, 87, []),  # 60.4 %
        ("platoon", 12, 88, ["D-R2.1"]),  # 61.1 %
        ("platoon", 9, 40, ["D-R2.1"]),
        ("squad", 9, 40, []),
        ("section", 18, 160, []),
        ("platoon", 24, 288, ["D-R2.1"]),
        ("section", 24, 288, []),
    ],
)
def test_boards_are_squares_of_known_size_with_terrain_on_about_half(
    size: str, hexes: int, covered: int, expected: list[str]
) -> None:
    land = Board(hexes, hexes)
    wooded = Board(hexes, hexes, dict.fromkeys(list(land.hexes())[:covered], "forest"))
    state = made(wooded, {"red": (1, 1), "blue": (1, 1)}, size=size)
    # At section scale a squad wants 4 to 6 teams; those here have two.
    squads = ["D-SF-3", "D-SF-3"] if size == "section" else []
    assert [rule for severity, rule in found(state)] == expected + squads
    long = Board(hexes, 2 * hexes, dict.fromkeys(list(Board(hexes, 2 * hexes).hexes())[: hexes * hexes], "forest"))
    assert [rule for _, rule in found(made(long, {"red": (1, 1), "blue": (1, 1)}, size=size))] == ["D-R2.1", *squads]
    bare = made(wooded, None, size=size)
    assert [rule for severity, rule in found(bare) if rule == "D-R10.2"] == ["D-R10.2", "D-R10.2"]


# What is checked


@pytest.mark.rule("D-R9.1")
@pytest.mark.parametrize("number", [0, 2])
def test_a_platoon_without_exactly_one_co_does_not_go_to_battle(number: int) -> None:
    people = [unit("CO", "revolver")] * number + [unit("NCO", "revolver")]
    rows = [team("R0A", (1, 1), *people), team("B0A", (1, 5), unit("CO", "revolver"), unit("Soldier", "revolver"))]
    state = first_state(encounter(rows))
    before = state.to_text()
    with pytest.raises(RuleError) as caught:
        step(state, "begin")
    assert (caught.value.rule, caught.value.where) == ("D-R9.1", "R")
    assert state.to_text() == before


@pytest.mark.rule("D-R6.1")
def test_no_stat_is_above_80() -> None:
    for stat in ("instinct", "armor"):
        rows = [
            team("R0A", (1, 1), unit("CO", "revolver"), {**unit("Soldier", "revolver"), stat: 81}),
            team("B0A", (1, 5), unit("CO", "revolver")),
        ]
        with pytest.raises(RuleError) as caught:
            step(first_state(encounter(rows)), "begin")
        assert (caught.value.rule, caught.value.where) == ("D-R6.1", "R0A-2")


@pytest.mark.rule("D-R9.2", "D-R9.5")
def test_a_squad_without_nco_and_a_lone_officer_are_warned_of() -> None:
    rows = [
        team("R0A", (1, 1), unit("CO", "revolver")),
        team("R1A", (3, 1), unit("Soldier", "revolver"), unit("Soldier", "revolver")),
        team("B0A", (1, 5), unit("CO", "revolver"), unit("Soldier", "revolver")),
        team("B1A", (3, 5), unit("NCO", "revolver"), vehicle="inflatable_raft"),
    ]
    warned = found(first_state(encounter(rows)))
    assert ("warning", "D-R9.2") in warned
    assert [rule for severity, rule in warned].count("D-R9.5") == 1  # the NCO rides in a vehicle


def squads_of(number: int) -> State:
    """Return a first state in which Squad 1 of red has so many teams, and blue a command squad alone."""
    lines = [team(f"R1{'ABCDEFG'[each]}", (each, 3), unit("NCO", "pulse_rifle")) for each in range(number)]
    chiefs = [team(f"{side}0A", (5, row), unit("CO", "revolver")) for side, row in (("R", 1), ("B", 8))]
    return first_state(encounter([*chiefs, *lines]))


@pytest.mark.rule("D-AMB-12", "D-R9.3")
@pytest.mark.parametrize(("number", "fine"), [(1, False), (2, True), (4, True), (5, False)])
def test_the_number_of_teams_in_a_squad_is_a_warning_or_by_ruling_keeps_from_battle(number: int, fine: bool) -> None:
    state = squads_of(number)
    assert [severity for severity, rule in found(state) if rule == "D-AMB-12"] == ([] if fine else ["warning"])
    strict = {"D-AMB-12": "strict"}
    if fine:
        assert "briefing.opens" in kinds(step(state, "begin", options=strict))
        return
    with pytest.raises(RuleError) as caught:
        step(state, "begin", options=strict)
    assert (caught.value.rule, caught.value.where) == ("D-AMB-12", "R1")


def test_plugins_may_add_problems() -> None:
    @hookimpl
    def force_validate(platoon: Entity) -> tuple[Problem, ...]:
        return (Problem("error" if platoon.uid == "B" else "advice", "too many bots", "X-1", platoon.uid),)

    with pytest.raises(RuleError, match="too many bots") as caught:
        step(made(), "begin", plugins=[SimpleNamespace(force_validate=force_validate)])
    assert (caught.value.rule, caught.value.where) == ("X-1", "B")


# First Orders and Code Words


def briefing() -> State:
    return step(made(rally_points={"red": (2, 0)}), "begin").state


@pytest.mark.rule("D-R10.5")
def test_each_side_gives_first_orders_that_are_in_force_in_turn_1() -> None:
    state = step(
        briefing(), "brief", "R1", {"text": "Take the wood.", "verb": "advance", "place": [2, 3]}, seat="red"
    ).state
    state = step(state, "done", seat="red").state
    assert game().next(state) == Acts(("blue",))
    state = step(state, "done", seat="blue").state
    assert game().next(state) == Runs("begin_turn")
    order, stand = order_of(state, "R1A"), order_of(state, "B1B")
    assert order is not None
    assert stand is not None
    assert (order.by, order.text, order.place) == ("R0A-1", "Take the wood.", Hex(2, 3))
    assert (stand.text, stand.verb) == ("Engage the enemy.", "engage")  # what a squad does that was told nothing


@pytest.mark.rule("D-R10.5")
@pytest.mark.parametrize(
    ("rule", "args", "seat"),
    [
        ("brief", ("B1", {"text": "Go."}), "red"),
        ("brief", ("R1A", {"text": "Go."}), "red"),
        ("brief", ("R9", {"text": "Go."}), "red"),
        ("done", (), None),
        ("agree", ("B1", "Fox", {"text": "Go."}), "red"),
    ],
)
def test_a_briefing_is_about_ones_own_squads(rule: str, args: tuple[object, ...], seat: str | None) -> None:
    with pytest.raises(RuleError) as caught:
        step(briefing(), rule, *args, seat=seat)
    assert caught.value.rule == "D-R10.5"


@pytest.mark.rule("D-R10.5", "D-R9.10")
@pytest.mark.parametrize(
    ("officer", "squad", "cited"),
    [("R0A-2", "R1", "D-R9.10"), ("B0A-1", "R1", "D-R9.10"), ("R1A-1", "R0", "D-R9.2"), ("R0A", "R1", "D-R9.10")],
)
def test_only_who_could_order_it_in_a_turn_gives_a_first_order(officer: str, squad: str, cited: str) -> None:
    with pytest.raises(RuleError) as caught:
        step(briefing(), "brief", squad, {"text": "Go."}, officer, seat="red")
    assert caught.value.rule == cited


@pytest.mark.rule("D-R10.5")
def test_a_briefing_is_finished_once() -> None:
    with pytest.raises(RuleError, match="no briefing to finish"):
        step(step(briefing(), "done", seat="red").state, "done", seat="red")


@pytest.mark.rule("D-R10.5", "D-AMB-14")
def test_without_a_co_a_squad_hears_its_own_nco() -> None:
    chief, nco = unit("CO", "revolver"), unit("NCO", "revolver")
    rows = team("R0A", (0, 0), chief), team("R1A", (3, 0), nco), team("R2A", (6, 0), nco), team("B0A", (0, 5), chief)
    state = changed(first_state(encounter(rows)), SetStatus("R0A-1", Status("out", "dead")))
    nobody = {"D-AMB-14": "none"}
    opened = step(state, "begin", options=nobody).state
    for squad in ("R1", "R2"):
        said = step(opened, "brief", squad, {"text": "Go."}, seat="red", options=nobody).state
        order = order_of(said, f"{squad}A")
        assert order is not None
        assert order.by == f"{squad}A-1"


@pytest.mark.rule("D-R10.5")
def test_a_first_order_is_the_officers_who_gave_it() -> None:
    for args, by in ((("R1A-1",), "R1A-1"), (("R0A-1",), "R0A-1"), ((), "R0A-1")):
        order = order_of(step(briefing(), "brief", "R1", {"text": "Go."}, *args, seat="red").state, "R1A")
        assert order is not None
        assert order.by == by


# Who comes unfit


def unfit(*who: str, fate: str | None = None, wounds: int = 2) -> State:
    """Return a first state where these units come with Wounds and a fate; red has two NCOs."""
    rows = [
        team("R0A", (1, 1), unit("CO", "revolver"), unit("Soldier", "pulse_rifle")),
        team("R1A", (3, 1), unit("NCO", "pulse_rifle"), unit("Soldier", "pulse_rifle")),
        team("R2A", (5, 1), unit("NCO", "pulse_rifle"), unit("Soldier", "pulse_rifle")),
        team("R3A", (7, 1), unit("Soldier", "pulse_rifle"), unit("Soldier", "pulse_rifle")),
        team("B0A", (1, 5), unit("CO", "revolver"), unit("Soldier", "pulse_rifle")),
    ]
    extra = {} if fate is None else {"extra": {"fate": fate}}
    for each in (each for row in rows for each in row if each.uid in who):
        row = next(row for row in rows if each in row)
        row[row.index(each)] = Entity.new(
            each.uid,
            "unit",
            parent=each.parent,
            facts={**each.facts, **extra},
            trackers={"Wounds": Tracker(wounds, 0, 2, "up")},
        )
    return first_state(encounter(rows))


@pytest.mark.rule("D-R6.4")
@pytest.mark.parametrize(
    ("fate", "wounds", "became"),
    [
        (None, 2, "incapacitated"),
        (None, 1, None),
        ("dead", 2, "dead"),
        ("dead", 0, "dead"),
        ("missing", 2, "missing"),
        ("ran", 1, None),
        ("gone fishing", 2, "incapacitated"),
    ],
)
def test_who_comes_at_his_last_wound_or_dead_is_out(fate: str | None, wounds: int, became: str | None) -> None:
    state = unfit("R1A-2", fate=fate, wounds=wounds)
    out = state["R1A-2"].statuses.get("out")
    assert (None if out is None else out.value) == became
    assert "out" not in state["R1A-1"].statuses
    assert state["R1A"].place == Hex(3, 1)


@pytest.mark.rule("D-R6.4")
def test_a_team_of_which_nobody_can_fight_is_not_placed() -> None:
    state = unfit("R3A-1", "R3A-2")
    assert state["R3A"].place is None
    assert [each.uid for each in teams(state, "red")] == ["R0A", "R1A", "R2A"]


@pytest.mark.rule("D-R9.6")
def test_a_co_who_comes_unfit_is_followed_by_the_nco_that_the_owner_names() -> None:
    done = step(unfit("R0A-1"), "begin", dice=["R2A-1"])
    assert done.state["R"].attributes["co"] == "R2A-1"
    state = step(done.state, "done", seat="red").state
    order = order_of(state, "R3A")  # a squad without an NCO
    assert order is not None
    assert order.by == "R2A-1"


@pytest.mark.rule("D-R9.7")
def test_a_side_whose_officers_are_all_unfit_does_not_go_to_battle() -> None:
    with pytest.raises(InputError, match="every Officer of this side is out"):
        unfit("R0A-1", "R1A-1", "R2A-1")


@pytest.mark.rule("D-AMB-08")
def test_stress_cannot_start_below_its_least() -> None:
    with pytest.raises(InputError, match="cannot start below"):
        made(options={"D-AMB-08.start": 1, "D-AMB-08.min": 2})
    assert made(options={"D-AMB-08.start": 2, "D-AMB-08.min": 2})["R"].value("Stress") == 2


@pytest.mark.rule("D-R10.5")
def test_the_briefing_is_over_when_the_battle_has_begun() -> None:
    state = changed(briefing(), SetAttribute("battle", "phase", "action"), SetAttribute("battle", "at", 0))
    state = changed(state, SetAttribute("battle", "portions", (("co", "red", "move"),)))
    with pytest.raises(RuleError, match="the briefing is over"):
        step(state, "brief", "R1", {"text": "Go."}, seat="red")


@pytest.mark.rule("D-R10.3", "D-R10.4")
def test_four_code_words_a_squad_and_the_fifth_is_refused() -> None:
    state = briefing()
    for number, word in enumerate(("Fox", "Hare", "Wolf", "Bear"), 1):
        state = step(state, "agree", "R1", word, {"text": f"Plan {number}.", "verb": "hold"}, seat="red").state
    assert list(code_words(state["R1"])) == ["Bear", "Fox", "Hare", "Wolf"]
    with pytest.raises(RuleError) as caught:
        step(state, "agree", "R1", "Lynx", {"text": "Plan 5."}, seat="red")
    assert caught.value.rule == "D-R10.3"
    again = step(state, "agree", "R1", "Fox", {"text": "Another plan."}, seat="red").state
    assert len(code_words(again["R1"])) == 4
    assert code_words(again["R1"])["Fox"] == {"text": "Another plan."}
    for word in CODE_WORDS:
        with pytest.raises(RuleError) as caught:
            step(briefing(), "agree", "R1", word, {"text": "Mine."}, seat="red")
        assert caught.value.rule == "D-R10.4"
    with pytest.raises(RuleError, match="agreed with an NCO"):
        step(briefing(), "agree", "R0", "Fox", {"text": "Plan."}, seat="red")
    with pytest.raises(RuleError, match="one direct sentence"):
        step(briefing(), "agree", "R1", "Fox", {}, seat="red")


def test_the_other_side_does_not_see_orders_and_code_words() -> None:
    state = step(briefing(), "agree", "R1", "Fox", {"text": "Plan."}, seat="red").state
    state = step(state, "brief", "R1", {"text": "Hold."}, seat="red").state
    assert set(state["R1"].attributes) == {"orders", "code_words"}
    assert set(game().view(state, "blue")["R1"].attributes) == set()
    assert game().view(state, "red") is state
    assert game().view(state, "referee") is state


def test_a_plugin_may_refuse_an_order() -> None:
    @hookimpl
    def order_issue() -> bool:
        return False

    with pytest.raises(RuleError, match="a plugin refuses") as caught:
        step(briefing(), "brief", "R1", {"text": "Go."}, seat="red", plugins=[SimpleNamespace(order_issue=order_issue)])
    assert caught.value.rule == "D-R10.5"


# Whole forces


def starter() -> Force:
    return read_force(STARTER, catalogue())


def starters() -> Encounter:
    """Return two Starter Platoons deployed on opposite edges of an open board."""
    both = encounter_of({"red": starter(), "blue": starter()}, key="t", title="t")
    places = {"red": [Hex(1 + column, 0) for column in range(9)], "blue": [Hex(column - 4, 11) for column in range(9)]}
    taken = {side: iter(places[side]) for side in places}
    entities = []
    for entity in both.state:
        if entity.role == "team":
            entity = entity._replace(place=next(taken[both.state.above(entity.uid, "side").uid]))
        entities.append(entity)
    return both._replace(state=State.of(entities), board=Board(12, 12))


@pytest.mark.rule("D-PL-1", "D-R9.8", "D-R9.3")
def test_two_starter_platoons_meet() -> None:
    state = first_state(starters())
    for side in ("red", "blue"):
        units = list(state.below(side, "unit"))
        kinds = [unit.facts["class"] for unit in units]
        assert {kind: kinds.count(kind) for kind in ("CO", "NCO", "Soldier", "Bot")} == {
            "CO": 1,
            "NCO": 2,
            "Soldier": 12,
            "Bot": 13,
        }
        stats = {(unit.facts["class"], unit.facts["instinct"]) for unit in units}
        assert stats == {("CO", 80), ("NCO", 80), ("Soldier", 60), ("Bot", 40)}
        assert [len(state.children(squad.uid)) for squad in state.below(side, "squad")] == [1, 3, 3]
    battle = Battle.start(Disrupter(), state, Answers(Seed(2), others=AtRandom(2)))
    battle.play(12)
    assert battle.game.clock(battle.state) >= 1
    assert "turn.initiative" in {event.kind for entry in battle.history.entries for event in entry.events}


@pytest.mark.rule("D-SF-1", "D-R4.1")
def test_teams_of_four_or_by_agreement_of_five() -> None:
    force = starter()
    squads = [*force.platoon.squads]
    teams_ = [*squads[1].teams]
    larger = teams_[0]._replace(units=(*teams_[0].units, teams_[0].units[-1]._replace(uid="extra")))
    squads[1] = squads[1]._replace(teams=(larger, *teams_[1:]))
    force = force._replace(platoon=force.platoon._replace(squads=tuple(squads)))
    assert [remark.rule for remark in problems(force) if remark.rule in ("D-R4.1", "D-SF-1")] == ["D-R4.1"]
    assert not [remark for remark in problems(force, enlarged=True) if remark.rule in ("D-R4.1", "D-SF-1")]


@pytest.mark.rule("D-SF-2", "D-SF-3", "D-AMB-12", "D-PL-2")
def test_what_a_force_may_look_like_goes_by_its_size() -> None:
    by_size = {
        size: {remark.rule for remark in problems(starter(), scale=size)} for size in ("squad", "platoon", "section")
    }
    assert "D-SF-2" in by_size["squad"]  # two squads, and teams of humans without an officer
    assert not by_size["platoon"] & {"D-AMB-12", "D-PL-2"}  # 3 teams a squad, 13 bots of 28
    assert "D-SF-3" in by_size["section"]  # 4 to 6 teams a squad are wanted
    force = starter()
    thin = force.platoon.squads[1]._replace(teams=force.platoon.squads[1].teams[:1])
    squads = (force.platoon.squads[0], thin, *force.platoon.squads[2:])
    small = force._replace(platoon=force.platoon._replace(squads=squads))
    assert "D-AMB-12" in {remark.rule for remark in problems(small)}
    humans = force._replace(
        platoon=force.platoon._replace(
            squads=tuple(
                [
                    squad._replace(
                        teams=tuple(
                            [
                                each._replace(units=tuple([u for u in each.units if not u.is_bot]))
                                for each in squad.teams
                            ]
                        )
                    )
                    for squad in force.platoon.squads
                ]
            )
        )
    )
    assert "D-PL-2" in {remark.rule for remark in problems(humans)}


@pytest.mark.rule("D-GM-2", "D-R10.2", "D-R10.5")
def test_a_scenario_is_deployed_in_its_zones_and_its_sides_know_their_rally_points() -> None:
    scenario = read_scenario("examples/scenarios/ford.toml", scenario_words())
    forces = {side.name: read_force(scenario.roster(side), catalogue()) for side in scenario.sides}
    deployment = deployed(scenario, forces)
    edges = {side.name: side.edge for side in scenario.sides}
    state = first_state(deployment.encounter, edges=edges)
    for side in scenario.sides:
        assert side.rally_points
        assert rally_points(state, side.name) == {point.name: point.place for point in side.rally_points}
        rows = {to_offset(team.place)[1] for team in teams(state, side.name) if isinstance(team.place, Hex)}
        near = {"top": {0, 1}, "bottom": {scenario.board.rows - 2, scenario.board.rows - 1}}[side.edge]
        assert rows <= near  # D-GM-2: zones are 2 hexes deep


def test_the_acts_of_a_briefing_are_listed() -> None:
    legal = game().legal(briefing(), "red")
    assert [intent.rule for intent in legal] == ["brief"] * 4 + ["agree"] + ["done"]
    assert legal[-1] == Intent("done", (), "red")
    assert game().legal(briefing(), "blue") == ()
    assert kinds(step(briefing(), legal[0].rule, *legal[0].args, seat="red")) == ["order.given"]
