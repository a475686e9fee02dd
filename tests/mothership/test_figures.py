"""PCs and horrors as combatants: what is tracked of them and only where it counts, Stress of their own, nerves, Death Saves."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from rallypoint.content import read_force
from rallypoint.disrupter import catalogue, encounter
from rallypoint.disrupter.fire import fire
from rallypoint.disrupter.harm import wound
from rallypoint.disrupter.records import Allocation
from rallypoint.kernel.encounter import Encounter
from rallypoint.kernel.errors import RuleError
from rallypoint.kernel.parts import Tracker
from rallypoint.kernel.state import State
from rallypoint_mothership.figures import protection_of

from ..disrupter.positions import team, unit
from ..rules.playing import fight, told, wounds
from .playing import DICE, FIGURES, TOUGH, extra, facing, game, play, shot, tracking, value

EXAMPLES = Path(__file__).parents[2] / "examples" / "rosters"
BOTH = {**DICE, **FIGURES}
HIT, SAVE, FAIL = 13, 24, 97
PC = extra({**unit("NCO", "revolver"), "wounds": 3}, figure="pc", health=12, own_stress=3)
HORROR = extra({**unit("Soldier", "flamethrower"), "wounds": 2}, figure="horror", health=10)


def party(options: Mapping[str, object], name: str = "boarding-party") -> Encounter:
    return game(options).completed(encounter(read_force(EXAMPLES / f"{name}.toml", catalogue())))


# What is tracked


@pytest.mark.rule("D-MO-R16.2", "D-MO-R16.1")
@pytest.mark.parametrize(
    ("options", "pc", "contractor"),
    [
        ({}, {"Wounds"}, {"Wounds"}),
        (DICE, {"Wounds", "AP"}, {"Wounds", "AP"}),
        (FIGURES, {"Wounds", "Stress"}, {"Wounds"}),
        (BOTH, {"Wounds", "AP", "Health", "Stress"}, {"Wounds", "AP"}),
        ({**BOTH, "D-MO-R16.2.armor": "save"}, {"Wounds", "Health", "Stress"}, {"Wounds"}),
        ({**BOTH, "D-MO-PC.stress": "platoon"}, {"Wounds", "AP", "Health"}, {"Wounds", "AP"}),
    ],
)
def test_only_what_counts_is_tracked(options: Mapping[str, object], pc: set[str], contractor: set[str]) -> None:
    state = party(options).state
    assert set(state["party-captain"].trackers) == pc
    assert set(state["boarding-party-1B-2-1"].trackers) == contractor


def test_numbers_of_the_trackers_and_of_the_sheet() -> None:
    made = party({**BOTH, "D-AMB-08.min": 4})
    captain = made.state["party-captain"]
    assert {name: captain.trackers[name] for name in ("AP", "Health", "Stress")} == {
        "AP": Tracker(10, 0, 10, "down"),
        "Health": Tracker(14, 0, 14, "down"),
        "Stress": Tracker(4, 4, 20, "up"),  # the roster says 3, and 4 is the least
    }
    shown = [made.sheets[uid].stats for uid in ("party-captain", "party-medic", "boarding-party-1A-2-1")]
    more = [{name: stats.get(name) for name in ("Health", "AP", "Damage Reduction")} for stats in shown]
    assert [tuple(row.values()) for row in more] == [(14, 10, 3), (12, 7, None), (None, 7, None)]
    assert made.state["boarding-party"].value("Stress") == 0


def test_nothing_at_all_changes_with_everything_at_its_default() -> None:
    force = read_force(EXAMPLES / "boarding-party.toml", catalogue())
    assert game({}).completed(encounter(force)) == encounter(force)
    assert game({}).notes() == ()


def test_by_ruling_the_stress_of_pcs_joins_the_platoons() -> None:
    assert party({**FIGURES, "D-MO-PC.stress": "platoon"}).state["boarding-party"].value("Stress") == 5
    assert party(FIGURES).state["boarding-party"].value("Stress") == 0


def test_a_force_of_horrors_has_no_stress() -> None:
    assert "Stress" in party(DICE, "nest").state["nest"].trackers
    nest = party(BOTH, "nest").state
    assert "Stress" not in nest["nest"].trackers
    mother = nest["brood-mother"]
    assert (value(mother, "AP"), value(mother, "Health"), mother.facts["damage_reduction"]) == (10, 25, 5)


@pytest.mark.parametrize(
    ("wears", "more", "expected"),
    [
        ("combat_armor", {}, (7, 0)),
        ("battle_dress", {}, (10, 3)),
        ("basic_battlefield_robot", {}, (10, 3)),
        ("battle_dress", {"damage_reduction": 1}, (10, 1)),
        ("combat_armor", {"armor_points": "12"}, (12, 0)),  # a CSV file has texts
        ("combat_armor", {"armor_points": 0, "damage_reduction": ""}, (0, 0)),
    ],
)
def test_protection_is_that_of_the_armour_or_what_the_roster_says(
    wears: str, more: Mapping[str, object], expected: tuple[int, int]
) -> None:
    row = unit("Bot" if wears.startswith("basic") else "Soldier", "revolver", wears=wears)
    assert protection_of(fight(team("R1A", (0, 0), extra(row, **more)))["R1A-1"]) == expected


@pytest.mark.parametrize(("armor", "expected"), [(85, (10, 3)), (80, (10, 3)), (70, (7, 0)), (40, (0, 0))])
def test_armour_of_homebrewers_protects_as_its_stat_says(armor: int, expected: tuple[int, int]) -> None:
    row = {**unit("Soldier", "revolver"), "armor_key": "hard_suit", "armor": armor}
    assert protection_of(fight(team("R1A", (0, 0), row))["R1A-1"]) == expected


@pytest.mark.parametrize(
    ("fields", "found"),
    [
        ({"figure": "ghost"}, "ghost"),
        ({"figure": "pc", "own_stress": 21}, "21"),
        ({"health": 0}, "0"),
        ({"health": True}, "True"),
        ({"armor_points": "many"}, "many"),
    ],
)
def test_a_field_that_does_not_fit_is_named_with_its_unit(fields: Mapping[str, object], found: str) -> None:
    state = fight(team("R1A", (0, 0), extra(unit("Soldier", "revolver"), **fields)))
    with pytest.raises(RuleError) as caught:
        tracking(state, BOTH)
    assert (caught.value.where, str(caught.value.found)) == ("R1A-1", found)
    assert caught.value.expected


# In a fight


@pytest.mark.rule("D-MO-R16.2")
@pytest.mark.parametrize(
    ("save", "faces", "taken", "health"),
    [
        (FAIL, (5, 6, 5), 0, 3),  # 16 - 7 = 9
        (FAIL, (5, 6, 8), 1, 12),  # 19 - 7 = 12: at 0, and full again
        (FAIL, (10, 10, 10), 1, 1),  # 23: 12, and 11 of the next
        (SAVE, (10, 10, 10), 1, 9),  # 2 of its 3 Wounds are left: 23 x 2 / 3 is 15: 12, and 3 of the next
        (SAVE, (5, 6, 5), 0, 12),  # its one Wound is saved, so nothing is left of it
    ],
)
def test_a_pc_loses_health_first(save: int, faces: tuple[int, ...], taken: int, health: int) -> None:
    done = play(facing("pulse_rifle", BOTH, PC), BOTH, fire, "R1A", (shot(),), dice=[HIT, save, faces])
    assert (wounds(done.state, "B1A"), value(done.state["B1A-1"], "Health")) == ([taken], health)


@pytest.mark.rule("D-MO-R16.2", "D-R16.10")
def test_of_a_hit_at_his_team_a_pc_takes_the_damage_of_his_part_of_the_wounds() -> None:
    state = facing("pulse_rifle", BOTH, PC, TOUGH)
    # 27 - 7 = 20: 3 Wounds for two, one each and one by lot: the PC's two stand for 13 points.
    done = play(state, BOTH, fire, "R1A", (shot(),), dice=[HIT, FAIL, (9, 9, 9), ("B1A-1",)])
    assert (wounds(done.state, "B1A"), value(done.state["B1A-1"], "Health")) == ([1, 1], 11)


def critical(state: State, options: Mapping[str, object], attack: int) -> tuple[int | None, int]:
    """Return a PC's Stress and his platoon's after his shot, whose save fails; 11 is a critical success, 99 a failure."""
    done = play(state, options, fire, "R1A", (shot("revolver"),), dice=[attack, FAIL])
    return value(done.state["R1A-1"], "Stress"), done.state["R"].value("Stress")


def test_a_pcs_criticals_move_his_own_stress_or_the_platoons() -> None:
    red = team("R1A", (0, 0), PC)
    for options, expected in (
        ({}, (None, 1)),
        (FIGURES, (4, 0)),
        ({**FIGURES, "D-MO-PC.stress": "platoon"}, (None, 4)),  # it starts with his 3
        ({**FIGURES, "D-AMB-08.min": 5, "D-AMB-08.start": 5}, (6, 0)),
    ):
        state = tracking(fight(red, team("B1A", (2, 0), TOUGH)), options)
        assert critical(state, options, 99) == expected


def test_the_least_stress_holds_for_a_pc() -> None:
    options = {**FIGURES, "D-AMB-08.min": 3}
    state = tracking(fight(team("R1A", (0, 0), PC), team("B1A", (2, 0), TOUGH)), options)
    assert critical(state, options, 11) == (3, 0)


def test_a_contractors_criticals_are_the_platoons_as_ever() -> None:
    red = team("R1A", (0, 0), unit("Soldier", "revolver"), extra(PC, figure="pc"))
    state = tracking(fight(red, team("B1A", (2, 0), TOUGH)), FIGURES)
    done = play(state, FIGURES, fire, "R1A", (shot("revolver"),), dice=[(99, 98), FAIL])  # [+] of the PC, an Officer
    assert (value(done.state["R1A-2"], "Stress"), done.state["R"].value("Stress")) == (0, 1)


@pytest.mark.parametrize(("options", "stress"), [({}, 1), (FIGURES, 0)])
def test_a_horrors_criticals_move_nothing(options: Mapping[str, object], stress: int) -> None:
    horror = extra(unit("Soldier", "revolver"), figure="horror")
    state = tracking(fight(team("R1A", (0, 0), horror), team("B1A", (2, 0), TOUGH)), options)
    assert critical(state, options, 99) == (None, stress)


def fall(options: Mapping[str, object], *dice: object) -> tuple[int, list[str]]:
    """Return the platoon's Stress after a horror's fall at Stress 5, and who checked his nerve."""
    state = fight(team("R1A", (0, 0), HORROR, HORROR), team("B1A", (2, 0), TOUGH))
    stressed = state["R"]._replace(trackers={"Stress": Tracker(5, 0, 20, "up")})
    state = State.of([stressed if each.uid == "R" else each for each in state])
    done = play(state, options, wound, (Allocation("R1A-1", 2),), "D-R6.4", dice=dice)
    return done.state["R"].value("Stress"), [str(event.why["subject"]) for event in told(done, "panic.check")]


def test_nobody_mourns_a_horror() -> None:
    assert fall({}, 20, 20) == (6, ["R", "R1A"])  # as a human: one Stress more, platoon and team check
    assert fall(FIGURES) == (5, [])


def test_horrors_keep_their_nerve_and_a_human_among_them_does_not() -> None:
    def shaken(options: Mapping[str, object], *row: Mapping[str, object], dice: tuple[object, ...]) -> list[object]:
        state = fight(team("R1A", (0, 0), *row), team("R1B", (1, 0), unit("Soldier", "revolver")))
        platoon = state["R"]._replace(trackers={"Stress": Tracker(5, 0, 20, "up")})
        state = State.of([platoon if each.uid == "R" else each for each in state])
        done = play(state, options, wound, (Allocation("R1B-1", 2),), "D-R6.4", dice=dice)
        return [(event.why["subject"], "check" in event.why) for event in told(done, "panic.check")]

    assert shaken({}, HORROR, dice=(20, 20)) == [("R", True), ("R1A", True)]
    assert shaken(FIGURES, HORROR, dice=(20,)) == [("R", True), ("R1A", False)]
    assert shaken(FIGURES, HORROR, unit("Soldier", "revolver"), dice=(20, 20)) == [("R", True), ("R1A", True)]


@pytest.mark.parametrize(
    ("face", "became", "fate"),
    [
        (0, "unconscious", "incapacitated"),
        (1, "dying", "incapacitated"),
        (2, "dying", "incapacitated"),
        (3, "comatose", "incapacitated"),
        (4, "comatose", "incapacitated"),
        (5, "dead", "dead"),
        (9, "dead", "dead"),
    ],
)
def test_by_ruling_a_pc_makes_a_death_save_at_his_last_wound(face: int, became: str, fate: str) -> None:
    options = {**FIGURES, "D-MO-PC.death": "on"}
    state = fight(team("R1A", (0, 0), TOUGH), team("B1A", (2, 0), PC, TOUGH))
    done = play(state, options, wound, (Allocation("B1A-1", 3),), "D-R6.4", dice=[face, 20, 20])
    assert told(done, "death_save")[0].why["became"] == became
    assert done.state["B1A-1"].statuses["out"].value == fate
    plain = play(state, FIGURES, wound, (Allocation("B1A-1", 3),), "D-R6.4", dice=[20, 20])
    assert told(plain, "death_save") == []
    contractor = play(state, options, wound, (Allocation("B1A-2", 9),), "D-R6.4", dice=[20, 20])
    assert told(contractor, "death_save") == []


def test_the_fall_of_a_pc_is_felt_by_his_platoon_and_not_by_himself() -> None:
    state = tracking(fight(team("R1A", (0, 0), PC, TOUGH), team("B1A", (2, 0), TOUGH)), FIGURES)
    done = play(state, FIGURES, wound, (Allocation("R1A-1", 3),), "D-R6.4", dice=[20, 20])
    assert (value(done.state["R1A-1"], "Stress"), done.state["R"].value("Stress")) == (3, 1)
