"""What Disrupter lets plugins do beside its phases: acts, rulings, what is tracked, shots that are refused or cost something."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType, SimpleNamespace
from typing import Any

import pytest

from rallypoint.disrupter import scenario_words
from rallypoint.disrupter.autopilot import Autopilot
from rallypoint.disrupter.game import Disrupter
from rallypoint.disrupter.hooks import DisrupterStep
from rallypoint.disrupter.records import Act, Attack
from rallypoint.kernel.answers import Answers, Script, Seed
from rallypoint.kernel.battle import Battle
from rallypoint.kernel.canonical import Value
from rallypoint.kernel.changes import Change, SetAttribute, SetTracker
from rallypoint.kernel.encounter import Encounter
from rallypoint.kernel.errors import InputError, PluginError, RuleError
from rallypoint.kernel.game import Intent
from rallypoint.kernel.parts import Hex, Tracker
from rallypoint.kernel.plugins.hooks import hookimpl
from rallypoint.kernel.rulings import Preset, Ruling, by_id
from rallypoint.kernel.state import Entity, State
from rallypoint.kernel.step import run

from ..disrupter.positions import encounter, engaged, game, position, step, team, two_platoons, unit
from .playing import attacks, told

NERVES = Ruling("NERVES-1", "nerves", ("one", "two"), ("D-R8.3",), ("D-AMB-08.start",), "nerves start calm")


def brace(step: DisrupterStep, words: str) -> None:
    """An act of a plugin."""
    if step.seat != "red":
        raise RuleError("blue does not brace", rule="NERVES-3")
    step.emit("nerves.braced", SetAttribute("battle", "braced", words), rule="NERVES-3", by="nerves")


def bracing(name: str = "brace", args: tuple[Value, ...] = ("all",)) -> SimpleNamespace:
    @hookimpl
    def acts() -> tuple[Act, ...]:
        return (Act(name, brace),)

    @hookimpl
    def legal_acts(seat: str) -> tuple[Intent, ...]:
        return (Intent(name, args, seat),)

    return SimpleNamespace(acts=acts, legal_acts=legal_acts)


# Acts


def test_an_act_of_a_plugin_is_listed_before_the_end_of_the_part_and_runs() -> None:
    made, state = game(None, bracing()), two_platoons()
    listed = made.legal(state, "red")
    assert listed[-2:] == (Intent("brace", ("all",), "red"), Intent("done", (), "red"))
    assert listed[:-2] == game().legal(state, "red")[:-1]
    assert made.legal(state, "blue") == ()  # it is not its part
    done = run(made, state, listed[-2], Script([]))
    assert done.state["battle"].attributes["braced"] == "all"
    assert [(event.kind, event.rule, event.by) for event in done.events] == [("nerves.braced", "NERVES-3", "nerves")]


def test_a_seat_that_plays_alone_ends_its_part_by_done_and_not_by_an_act_of_a_plugin() -> None:
    made = game(None, bracing())
    battle = Battle.start(made, two_platoons(), Answers(Seed(1), others=Autopilot({}, 1)))
    battle.play(40)
    acts = [entry.body["intent"] for entry in battle.history.entries if entry.kind == "step"]
    assert len(acts) > 40
    assert all("brace" not in str(each) for each in acts)


@pytest.mark.parametrize("plugins", [[bracing("move")], [bracing(), bracing()]], ids=["the game's", "another plugin's"])
def test_an_act_that_is_there_already_is_refused(plugins: list[object]) -> None:
    with pytest.raises(PluginError, match=r"a plugin brings the act (move|brace), which is there already"):
        game(None, *plugins)


# Rulings


def test_rulings_of_plugins_are_options_like_the_games_own() -> None:
    made = Disrupter({"NERVES-1": "two", "D-AMB-05": "selected"}, rulings=by_id([NERVES]))
    assert dict(made.options) == {"D-AMB-05": "selected", "NERVES-1": "two"}
    with pytest.raises(InputError, match="there is no such ruling"):
        Disrupter({"NERVES-1": "two"})
    with pytest.raises(InputError, match="NERVES-1: this ruling has no such choice"):
        Disrupter({"NERVES-1": "three"}, rulings=by_id([NERVES]))
    with pytest.raises(InputError, match="two rulings exclude each other: nerves start calm"):
        Disrupter({"NERVES-1": "two", "D-AMB-08.start": 1}, rulings=by_id([NERVES]))


def test_a_ruling_of_the_games_own_cannot_be_brought_again() -> None:
    with pytest.raises(PluginError, match="a plugin brings the ruling D-AMB-05, which is there already"):
        Disrupter(rulings=by_id([NERVES._replace(id="D-AMB-05")]))


def test_words_of_scenarios_take_rulings_and_sets_and_know_what_is_off() -> None:
    grim = Preset("grim", "Nerves.", {"NERVES-1": "two"})
    words = scenario_words().extended([NERVES], [grim], {"DUSK-1": "dusk, which is off (disabled)"})
    assert list(words.options)[-1] == "NERVES-1"
    assert next(iter(words.rules)) == next(iter(scenario_words().rules))
    assert words.set_of_rules("grim") == {"NERVES-1": "two"}
    assert words.no_such_ruling("DUSK-1") == "it is of the plugin dusk, which is off (disabled)"
    assert words.no_such_ruling("NERVES-2") == "did you mean NERVES-1?"
    with pytest.raises(InputError, match="chooses a ruling that is not there; found: NERVES-1"):
        scenario_words().extended([], [grim]).set_of_rules("grim")


# Before the battle


def test_what_plugins_say_of_the_rulings_is_joined() -> None:
    def saying(*words: str) -> SimpleNamespace:
        @hookimpl
        def setup_briefing(options: Mapping[str, Value]) -> tuple[str, ...] | None:
            return words or None

        return SimpleNamespace(setup_briefing=setup_briefing)

    assert game(None, saying("a", "b"), saying(), saying("c")).notes() == ("a", "b", "c")
    assert game().notes() == ()


def rationed(most: int) -> SimpleNamespace:
    """A plugin with Ammo: a shot takes one, and a unit without it does not fire."""

    @hookimpl
    def export_encounter(encounter: Encounter) -> Encounter:
        return encounter._replace(state=State.of([with_ammo(each, most) for each in encounter.state]))

    @hookimpl
    def battle_declare(step: DisrupterStep, attack: Attack) -> bool:
        return step.state[attack.shooter].value("Ammo") > 0

    @hookimpl
    def fire_shot(step: DisrupterStep, attack: Attack) -> tuple[Change, ...]:
        return (SetTracker(attack.shooter, "Ammo", step.state[attack.shooter].value("Ammo") - 1),)

    return SimpleNamespace(export_encounter=export_encounter, battle_declare=battle_declare, fire_shot=fire_shot)


def with_ammo(entity: Entity, most: int) -> Entity:
    ammo = {"Ammo": Tracker(most, 0, 9, "down")}
    if entity.role != "unit":
        return entity
    return entity._replace(trackers=MappingProxyType({**entity.trackers, **ammo}))


def armed(state: State, most: int) -> State:
    return State.of([with_ammo(each, most) for each in state], state.links.values(), state.agenda)


def test_an_encounter_is_completed_by_plugins() -> None:
    plain = encounter([team("R0A", (0, 0), unit("CO")), team("B0A", (6, 11), unit("CO"))])
    assert game().completed(plain) is plain
    made = game(None, rationed(3)).completed(plain)
    assert {each.uid: dict(each.trackers).get("Ammo") for each in made.state if each.role == "unit"} == {
        "R0A-1": Tracker(3, 0, 9, "down"),
        "B0A-1": Tracker(3, 0, 9, "down"),
    }

    @hookimpl
    def export_encounter(encounter: Encounter) -> Any:
        return 7

    with pytest.raises(PluginError, match="a change hook gave a value of another kind"):
        game(None, SimpleNamespace(export_encounter=export_encounter)).completed(plain)


# Shots

RIFLE = unit("Soldier", "pulse_rifle")
COS = [team("R0A", (0, 0), unit("CO", "revolver")), team("B0A", (6, 11), unit("CO", "revolver"))]
MISS = [70, 70]


@pytest.mark.rule("D-R16.4")
def test_what_a_shot_changes_is_told_once_with_the_shot() -> None:
    state = engaged(
        position(*COS, team("R1A", (4, 4), RIFLE), team("B1A", (5, 4), RIFLE), portion=("1", "red", "battle"))
    )
    deeds = [["R1A-1", "fire", "pulse_rifle", "B1A"]]
    done = step(armed(state, 2), "act", "R1A", deeds, dice=MISS, seat="red", plugins=[rationed(2)])
    (shot,) = told(done, "fire.shot")
    assert SetTracker("R1A-1", "Ammo", 1) in shot.changes
    assert (done.state["R1A-1"].value("Ammo"), done.state["B1A-1"].value("Ammo")) == (1, 2)
    with pytest.raises(RuleError, match="a plugin refuses this attack"):
        step(armed(state, 0), "act", "R1A", deeds, dice=MISS, seat="red", plugins=[rationed(0)])


@pytest.mark.rule("D-R15.1", "D-R15.2")
def test_who_may_not_fire_does_not_react_and_does_not_stop_the_mover() -> None:
    state = engaged(position(*COS, team("R1A", (4, 4), unit("Soldier", "revolver")), team("B1A", (7, 4), RIFLE)))
    path = [[5, 4]]
    loaded = step(armed(state, 1), "move", "R1A", path, dice=MISS, seat="red", plugins=[rationed(1)])
    assert [event.why["target"] for event in told(loaded, "react.fire")] == ["R1A"]
    assert loaded.state["B1A-1"].value("Ammo") == 0
    empty = step(armed(state, 0), "move", "R1A", path, seat="red", plugins=[rationed(0)])
    assert empty.state["R1A"].place == Hex(5, 4)
    assert told(empty, "react.fire") == []


@pytest.mark.rule("D-R15.4")
def test_in_reaction_those_fire_who_may() -> None:
    pair = team("B1A", (7, 4), RIFLE, RIFLE)
    state = armed(engaged(position(*COS, team("R1A", (4, 4), unit("Soldier", "revolver")), pair)), 1)
    half = State.of([with_ammo(each, 0) if each.uid == "B1A-2" else each for each in state])
    done = step(half, "move", "R1A", [[5, 4]], dice=["fire", *MISS], seat="red", plugins=[rationed(1)])
    assert [shot.shooter for event in told(done, "fire.shot") for shot in attacks(event)] == ["B1A-1"]


def test_seats_that_play_alone_fire_what_plugins_allow() -> None:
    made = game(None, rationed(1))
    battle = Battle.start(made, armed(two_platoons(), 1), Answers(Seed(3), others=Autopilot({}, 3)))
    battle.play(120)
    events: list[Any] = [event for entry in battle.history.entries for event in entry.events]
    fired = [row[0] for event in events if event.kind == "fire.shot" for row in event.why["attacks"]]
    assert len(fired) > 3
    assert len(fired) == len(set(fired))
