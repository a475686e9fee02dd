"""Forces on several sides, forces that are no platoons, and men who come wounded."""

from __future__ import annotations

import pytest

from rallypoint.content import Force, PageError, parse_force
from rallypoint.disrupter import catalogue, encounter, encounter_of, force_of

PAGE = """# Green {stress=7}
### Squad 1
#### Team A
* 1 NCO - Battle Dress, Revolver {wounds=2, name=Ash, mood=grim}
* 1 Bot - Basic Battlefield Robot, Laser Carbine
"""
HORRORS = """# Things {squads=none}
* 2 Crawlers {I=55, A=30, W=3, M=2}
## Team B
* 1 Soldier - Combat Armor, Revolver {I=45, W=1}
"""
OTHER = """# Other
### Squad 1
#### Team A
* 1 NCO - Battle Dress, Revolver
* 1 Bot - Basic Battlefield Robot, Laser Carbine
"""


def force(text: str) -> Force:
    return parse_force(text, "markdown", catalogue(), path="x.md", title="t")


def test_wounds_and_stress_are_mustered() -> None:
    made = encounter(force(PAGE))
    assert made.state["green"].trackers["Stress"][:3] == (7, 0, 20)
    assert made.state["green-1A-1-1"].trackers["Wounds"][:3] == (2, 0, 3)
    assert made.state["green-1A-2-1"].trackers["Wounds"][:3] == (0, 0, 1)
    assert made.state["green-1A-1-1"].facts["extra"] == {"mood": "grim"}


def test_too_many_wounds_and_too_much_stress_come_at_once() -> None:
    bad = PAGE.replace("stress=7", "stress=21").replace("wounds=2", "wounds=4").replace("Carbine", "Carbine {wounds=2}")
    with pytest.raises(PageError) as caught:
        encounter(force(bad))
    assert [(each.where, each.found, each.expected) for each in caught.value.problems] == [
        ("green", 21, "0 to 20"),
        ("green-1A-1-1", 4, "0 to 3"),
        ("green-1A-2-1", 2, "0 to 1"),
    ]


def test_units_without_team_stand_under_the_platoon_and_have_their_own_stats() -> None:
    made = encounter(force(HORRORS), side="blue")
    assert [(each.uid, each.role, each.parent) for each in made.state] == [
        ("blue", "side", None),
        ("things", "platoon", "blue"),
        ("things-1-1", "unit", "things"),
        ("things-1-2", "unit", "things"),
        ("things-B", "team", "things"),
        ("things-B-1-1", "unit", "things-B"),
    ]
    crawler, soldier = made.sheets["things-1-2"], made.sheets["things-B-1-1"]
    assert (crawler.name, crawler.role, crawler.code, crawler.gear) == ("Crawlers 2", "Crawlers", "B-2", ())
    assert dict(crawler.stats) == {"Instinct": 55, "Armor": 30, "Wounds": 3, "Movement": 2}
    assert dict(soldier.stats) == {"Instinct": 45, "Armor": 60, "Wounds": 1, "Movement": 1}
    assert (soldier.code, soldier.name, made.sheets["things-B"].name) == ("B-B", "Soldier B-1", "Team B")
    assert "armor_key" not in made.state["things-1-1"].facts
    assert made.state["things-B-1-1"].facts["armor_key"] == "combat_armor"


def test_one_roster_on_two_sides() -> None:
    green = force(PAGE)
    made = encounter_of({"red": green, "blue": green}, key="both", title="Both")
    uids = [each.uid for each in made.state]
    assert len(uids) == len(set(uids)) == 12
    assert "red.green-1A-1-1" in uids
    assert "blue.green-1A-1-1" in uids
    assert made.state["blue.green-1A"].parent == "blue.green-1"
    turned = encounter_of({"blue": green, "red": green}, key="both", title="Both")
    assert sorted(uids) == sorted(each.uid for each in turned.state)
    assert (made.key, made.title) == ("both", "Both")


def test_uids_stay_as_they_are_where_nothing_clashes() -> None:
    alone = [each.uid for each in encounter(force(PAGE)).state][1:]
    made = encounter_of({"red": force(PAGE), "blue": force(HORRORS)}, key="k", title="t")
    assert [each.uid for each in made.state][1 : 1 + len(alone)] == alone
    assert not any("." in each.uid for each in made.state)


def test_one_id_in_two_rosters_is_a_clash_too() -> None:
    first = force(PAGE.replace("mood=grim", "id=ash"))
    second = force(HORRORS.replace("W=1}", "W=1, id=ash}"))
    made = encounter_of({"red": first, "blue": second}, key="k", title="t")
    assert "red.ash" in made.state
    assert "blue.ash" in made.state


@pytest.mark.parametrize("uid", ["red", "green", "green-1", "green-1A"])
def test_an_id_that_something_else_has(uid: str) -> None:
    with pytest.raises(PageError) as caught:
        encounter(force(PAGE.replace("mood=grim", f"id={uid}")))
    assert (caught.value.where, caught.value.expected) == (uid, "an id of its own")


def test_equipment_of_a_pack_goes_with_the_force() -> None:
    from rallypoint.content.catalogue import Item

    gun = Item("weapon", "rail_gun", "Rail Gun", "p:rail_gun", {"T": 0, "C": 2, "M": 6, "L": 6, "Max": None})
    known = catalogue().extended([gun])
    made = encounter(parse_force(PAGE.replace("Revolver", "Rail Gun"), "markdown", known, path="x.md", title="t"))
    gear = made.sheets["green-1A-1-1"].gear
    assert [(each.kind, each.title) for each in gear] == [("armor", "Battle Dress"), ("weapon", "Rail Gun")]
    assert gear[1].facts["M"] == 6


# Companies


@pytest.mark.rule("D-SF-4", "D-R4.2")
def test_the_platoons_of_a_company_stand_below_one_side_with_their_number_in_every_code() -> None:
    made = encounter_of({"red": (force(PAGE), force(HORRORS)), "blue": force(OTHER)}, key="k", title="t")
    assert [(each.uid, each.parent) for each in made.state if each.role in ("side", "platoon")] == [
        ("red", None),
        ("green", "red"),
        ("things", "red"),
        ("blue", None),
        ("other", "blue"),
    ]
    codes = {uid: made.sheets[uid].code for uid in ("red", "green", "green-1A", "things", "things-B", "other-1A")}
    assert codes == {
        "red": "R",
        "green": "R1",
        "green-1A": "R1-1A",
        "things": "R2",
        "things-B": "R2-B",
        "other-1A": "B-1A",
    }
    names = [made.sheets[uid].name for uid in ("green", "green-1A-1-1", "green-1A-2-1", "other-1A-2-1")]
    assert names == ["Green", "Ash", "Bot 1-1A-2", "Bot 1A-2"]


def test_one_roster_twice_on_a_side_has_the_number_of_the_platoon_in_every_uid() -> None:
    green = force(PAGE)
    made = encounter_of({"red": (green, green), "blue": force(HORRORS)}, key="k", title="t")
    assert [each.uid for each in made.state if each.role == "unit"] == [
        "red.1.green-1A-1-1",
        "red.1.green-1A-2-1",
        "red.2.green-1A-1-1",
        "red.2.green-1A-2-1",
        "things-1-1",
        "things-1-2",
        "things-B-1-1",
    ]
    assert [made.sheets[f"red.{number}.green"].name for number in (1, 2)] == ["Green 1", "Green 2"]
    again = encounter_of({"blue": force(HORRORS), "red": (green, green, force(OTHER))}, key="k", title="t")
    assert {each.uid for each in made.state} < {each.uid for each in again.state}  # a third one renames nobody
    assert again.state["red.2.green"].value("Stress") == 7


def test_a_roster_on_both_sides_and_twice_on_one_of_them() -> None:
    green = force(PAGE)
    made = encounter_of({"red": (green, force(HORRORS), green), "blue": (green, force(OTHER))}, key="k", title="t")
    platoons = [each.uid for each in made.state if each.role == "platoon"]
    assert platoons == ["red.1.green", "things", "red.3.green", "blue.green", "other"]


def test_a_company_goes_back_to_a_force_with_the_names_that_people_gave() -> None:
    made = encounter_of({"red": (force(PAGE), force(OTHER))}, key="k", title="t")
    names = [unit.name for unit in force_of(made).units]
    assert names == ["Ash", None, None, None]
