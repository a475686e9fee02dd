"""From an encounter back to a force: nothing is lost that a roster can say, and what cannot be is refused by name."""

from __future__ import annotations

from pathlib import Path

import pytest

from rallypoint.content import Force, PageError, parse_force, read_force, same_force
from rallypoint.disrupter import catalogue, encounter, force_of, with_values
from rallypoint.kernel.encounter import Encounter
from rallypoint.kernel.errors import InputError
from rallypoint.kernel.state import Entity, State, Tracker

STARTER = Path(__file__).parents[2] / "examples" / "rosters" / "starter-platoon.md"

CREW = """{"roster": 1, "title": "Отряд Ворон", "stress": 3, "mood": "grim",
 "units": [{"id": "o-1", "class": "Soldier", "name": "O'Neil ", "armor": "combat_armor", "weapons": ["revolver"], "wounds": 1, "pay": 5},
           {"id": "o-2", "class": "Soldier", "name": "O’Neil", "armor": "combat_armor", "weapons": [], "image": "https://example.org/o.png"},
           {"id": "it", "class": "Horror", "name": "狐 🦊", "stats": {"I": 70, "A": 40, "W": 9, "M": 3}}],
 "squads": [{"number": 4, "title": "Boats", "tide": "low", "teams": [
   {"letter": "B", "title": "Boat B", "vehicle": "inflatable_raft", "hull": 2,
    "units": [{"id": "x", "class": "Bot", "bot": "basic_battlefield_robot", "weapons": [], "stats": {"W": 2}},
              {"id": "y", "class": "Soldier", "name": "Twin", "armor": "battle_dress", "weapons": []},
              {"id": "z", "class": "Soldier", "name": "Twin", "armor": "battle_dress", "weapons": []}]}]}]}"""


def crew() -> Force:
    return parse_force(CREW, "json", catalogue(), path="crew.json", title="crew")


def test_the_starter_platoon_comes_back_whole() -> None:
    force = read_force(STARTER, catalogue())
    back = force_of(encounter(force))
    assert same_force(back) == same_force(force)._replace(left_out=())
    assert len(back.units) == 28


def test_names_numbers_and_fields_of_others_come_back() -> None:
    force = crew()
    back = force_of(encounter(force))
    assert same_force(back) == same_force(force)
    assert [unit.name for unit in back.units] == ["O'Neil ", "O’Neil", "狐 🦊", None, "Twin", "Twin"]
    assert (back.platoon.stress, back.extra["mood"]) == (3, "grim")
    assert [dict(unit.stats) for unit in back.units[2:4]] == [{"I": 70, "A": 40, "W": 9, "M": 3}, {"W": 2}]


@pytest.mark.parametrize("side", ["red", "blue"])
def test_the_side_does_not_matter(side: str) -> None:
    assert same_force(force_of(encounter(crew(), side=side))) == same_force(crew())


def test_wounds_and_stress_go_to_those_that_are_named() -> None:
    force = read_force(STARTER, catalogue())
    uid = force.units[5].uid
    changed = with_values(force, {uid: {"Wounds": 2}, force.key: {"Stress": 7}})
    assert [unit.uid for unit in changed.units if unit.wounds] == [uid]
    assert (changed.units[5].wounds, changed.platoon.stress) == (2, 7)
    assert with_values(changed, {uid: {"Wounds": 0}, force.key: {"Stress": 0}}) == force
    assert with_values(force, {}) == force


def test_optional_squads_are_wounded_too() -> None:
    force = read_force(STARTER, catalogue())
    uid = force.left_out[0].units[0].uid
    assert with_values(force, {uid: {"Wounds": 1}}).left_out[0].units[0].wounds == 1


def test_tokens_that_say_numbers_alone_make_no_roster() -> None:
    tokens = [Entity.new(uid, "unit", trackers={"Wounds": Tracker(1, 0, 2)}) for uid in ("a", "b")]
    with pytest.raises(PageError) as caught:
        force_of(Encounter("k", "t", "disrupter", State.of(tokens), {}))
    assert [problem.where for problem in caught.value.problems] == ["a", "b"]
    assert "--into ROSTER" in (caught.value.hint or "")


def test_equipment_that_nobody_knows_is_named() -> None:
    facts = {"class": "Soldier", "armor_key": "foil", "weapons": ["club", "revolver"], "instinct": 60, "armor": 1}
    unit = Entity.new("a", "unit", facts=facts, trackers={"Wounds": Tracker(0, 0, 1)})
    with pytest.raises(PageError) as caught:
        force_of(Encounter("k", "t", "disrupter", State.of([unit]), {}))
    assert [(problem.what, problem.found) for problem in caught.value.problems] == [
        ("unknown armor", "foil"),
        ("unknown weapon", "club"),
    ]
    assert all("content pack" in str(problem.hint) for problem in caught.value.problems)


def test_of_several_platoons_the_highest_stress_is_kept() -> None:
    made = encounter(crew())
    (own,) = [each for each in made.state if each.role == "platoon"]
    other = own._replace(uid="other", trackers={"Stress": Tracker(2, 0, 20, "up")})
    assert force_of(made._replace(state=State.of([*made.state, other]))).platoon.stress == 3


def test_a_team_that_is_called_after_a_vehicle_is_none_if_it_does_not_say_so() -> None:
    """So is a unit that is called after its class: it has that name."""
    text = CREW.replace('"vehicle": "inflatable_raft", ', "").replace('"Boat B"', '"Inflatable Raft B"')
    text = text.replace('"name": "O\'Neil "', '"name": "Soldier"')
    force = parse_force(text, "json", catalogue(), path="crew.json", title="crew")
    back = force_of(encounter(force))
    assert [team.vehicle for squad in back.platoon.squads for team in squad.teams] == [None, None]
    assert back.units[0].name == "Soldier"
    assert same_force(back) == same_force(force)


@pytest.mark.parametrize(("game", "what"), [("mothership", "only an encounter of Disrupter"), ("disrupter", "no unit")])
def test_other_games_and_nobody(game: str, what: str) -> None:
    with pytest.raises(InputError, match=what):
        force_of(Encounter("k", "t", game, State.of([Entity.new("red", "side")]), {}))
