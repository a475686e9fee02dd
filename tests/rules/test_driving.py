"""Vehicles off the grid as the core plays them, with templates of a plugin that is made up here (D-VE-3, D-VE-5, D-VE-11)."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from rallypoint.disrupter.movement import reachable
from rallypoint.disrupter.records import Template
from rallypoint.kernel.answers import Script
from rallypoint.kernel.canonical import freeze
from rallypoint.kernel.changes import SetAttribute, SetLink, SetPlace, SetStatus
from rallypoint.kernel.errors import RuleError
from rallypoint.kernel.game import Intent
from rallypoint.kernel.parts import Hex, Link, Pose, Status
from rallypoint.kernel.plugins.hooks import hookimpl
from rallypoint.kernel.state import Entity, State
from rallypoint.kernel.step import Done, run

from ..disrupter.positions import ORDER, changed, engaged, game, position, team, unit
from .playing import told

MAN = unit("Soldier", "pulse_rifle")


@hookimpl
def vehicle_template(team: Entity, laid: tuple[Template, ...]) -> tuple[Template, ...] | None:
    """Offer one jump of 60 mm to the right, twice at most; a car alone has it."""
    if "vehicle" not in team.facts or len(laid) == 2:
        return None
    x = laid[-1].end.x if laid else 325.0
    return (Template("jump", 1, Pose(x + 60.0, 375.0, 90.0), "a jump"),)


JUMPS = SimpleNamespace(vehicle_template=vehicle_template)


def slides_to(pose: Pose | None) -> SimpleNamespace:
    @hookimpl
    def vehicle_slide() -> Pose | None:
        return pose

    return SimpleNamespace(vehicle_template=vehicle_template, vehicle_slide=vehicle_slide)


def field(*teams: list[Entity], traits: tuple[str, ...] = ()) -> State:
    chiefs = team("R9Z", (-5, 11), unit("CO")), team("B9Z", (11, 0), unit("CO"))
    state = engaged(position(*chiefs, *teams))
    numbers = {"A": 0, "M": 2, "C": 4, "Cap": 4, "Slots": 0}
    row = freeze({"car": {"title": "Car", "rule": "t:car", "numbers": numbers, "traits": traits}})
    battle = state["battle"]
    facts = {**battle.facts, "vehicles": row}
    changed = battle._replace(facts=freeze(facts))  # type: ignore[arg-type]
    return State.of([changed if entity.uid == "battle" else entity for entity in state])


def drive(state: State, *args: object, answers: tuple[object, ...] = (), plugin: object = JUMPS) -> Done:
    intent = Intent("drive", tuple([freeze(each) for each in args]), "red")
    return run(game(None, plugin), state, intent, Script(answers))


CAR = team("R1A", (2, 8), MAN, vehicle="car")


@pytest.mark.rule("D-VE-3")
def test_after_the_templates_that_are_named_the_owner_is_asked_for_more() -> None:
    done = drive(field(CAR), "R1A", ["jump"], answers=("jump",))
    assert done.state["R1A"].place == Pose(445.0, 375.0, 90.0)
    assert len(told(done, "vehicle.drives")) == 2
    once = drive(field(CAR), "R1A", ["jump", "stop"])
    assert once.state["R1A"].place == Pose(385.0, 375.0, 90.0)
    assert once.state["R1A"].attributes["walked"] == 1


@pytest.mark.rule("D-VE-3", "D-AMB-32")
def test_where_a_slide_spoils_a_sequence_its_owner_is_asked_for_all_that_follows() -> None:
    """A hop is there from the row where it began alone. After the slide a jump was named as third, and is not taken for granted."""

    @hookimpl
    def vehicle_template(laid: tuple[Template, ...]) -> tuple[Template, ...]:
        ends = [Template("jump", 1, Pose(400.0 + len(laid), 375.0, 90.0), "a jump")]
        astray = laid and laid[-1].end.y != 375.0
        return tuple(ends if astray else [*ends, ends[0]._replace(key="hop")])

    plugin = SimpleNamespace(
        vehicle_template=vehicle_template, vehicle_slide=slides_to(Pose(300.0, 300.0, 0.0)).vehicle_slide
    )
    done = drive(field(CAR), "R1A", ["jump", "hop", "jump"], answers=("jump", "stop"), plugin=plugin)
    assert [event.why["template"] for event in told(done, "vehicle.drives")] == ["jump", "jump"]


@pytest.mark.rule("D-AMB-41")
def test_driving_off_ends_cover() -> None:
    covered = changed(field(CAR), SetStatus("R1A", Status("under_cover", since=1)))
    assert "under_cover" not in drive(covered, "R1A", ["jump", "stop"]).state["R1A"].statuses


@pytest.mark.rule("D-VE-5")
def test_what_cannot_be_laid_is_refused_and_nothing_is_spent() -> None:
    for keys in (["leap"], ["jump", "jump", "jump"], ["stop"]):
        with pytest.raises(RuleError) as caught:
            drive(field(CAR), "R1A", keys)
        assert caught.value.rule == "D-VE-5"


@pytest.mark.rule("D-VE-10")
def test_a_plugin_says_where_a_vehicle_comes_to_stand() -> None:
    astray = Pose(300.0, 300.0, 10.0)
    done = drive(field(CAR), "R1A", ["jump", "stop"], plugin=slides_to(astray))
    assert done.state["R1A"].place == astray
    assert drive(field(CAR), "R1A", ["jump", "stop"], plugin=slides_to(None)).state["R1A"].place == Pose(385, 375, 90)


@pytest.mark.rule("D-VE-11", "D-R15.1")
def test_reaction_fire_comes_after_the_template_that_brings_the_vehicle_into_range() -> None:
    """A revolver at (7, 8), 575, 375.28, reaches 3 hexes: 250 mm off at first, then 190, then 130."""
    watcher = team("B1A", (7, 8), unit("Soldier", "revolver"))
    done = drive(field(CAR, watcher), "R1A", ["jump", "jump"], answers=(75, 8))
    kinds = [event.kind for event in done.events if event.kind in ("vehicle.drives", "react.fire")]
    assert kinds == ["vehicle.drives", "vehicle.drives", "react.fire"]


@pytest.mark.rule("D-VE-2")
def test_what_moves_as_infantry_walks_and_what_does_not_does_not() -> None:
    walker = field(CAR, traits=("infantry_movement",))
    with pytest.raises(RuleError) as caught:
        drive(walker, "R1A", ["jump"])
    assert caught.value.rule == "D-VE-2"
    legal = game(None, JUMPS).legal(walker, "red")
    assert "drive" not in {intent.rule for intent in legal}
    assert ("R1A", ((2, 7),)) in [intent.args for intent in legal if intent.rule == "move"]
    assert ("R1A",) in [intent.args for intent in game(None, JUMPS).legal(field(CAR), "red") if intent.rule == "drive"]
    assert (Hex(2, 7) in reachable(walker, {}, "R1A"), reachable(field(CAR), {}, "R1A")) == (True, {})


@pytest.mark.rule("D-EQ-V2", "D-VE-3")
def test_who_rides_is_carried_along_and_can_get_off_into_a_hex() -> None:
    rider = team("R1B", (2, 8), MAN)
    rider = [rider[0]._replace(place=Hex(3, 9)), *rider[1:]]
    state = field(CAR, rider)
    state = changed(state, SetLink(Link("aboard", "R1B", "R1A")), SetPlace("R1B", Hex(2, 8)))
    done = drive(state, "R1A", ["jump", "stop"])
    assert done.state["R1B"].place == done.state["R1A"].place == Pose(385.0, 375.0, 90.0)
    assert done.state["R1B"].attributes["moved"] == 1
    again = SetAttribute("battle", "at", ORDER.index(("1", "red", "move")))
    rested = changed(done.state, again, *[SetAttribute("R1B", name, 0) for name in ("moved", "walked")])
    rested = changed(rested, SetAttribute("R1B", "left", (1, 8)))
    # 385, 375 is in (3, 8), whose neighbour to the right is (4, 8)
    off = run(game(None, JUMPS), rested, Intent("move", ("R1B", ((4, 8),)), "red"), Script(()))
    assert off.state["R1B"].place == Hex(4, 8)
    assert "left" not in off.state["R1B"].attributes  # it comes from no hex
    assert off.state["R1A"].place == Pose(385.0, 375.0, 90.0)
