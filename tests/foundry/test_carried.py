"""Units that were contractors before: the sheet has what they carry, as far as it holds; and the terms for all others."""

from __future__ import annotations

import json
from typing import Any

import pytest

from rallypoint.kernel.canonical import freeze
from rallypoint.kernel.encounter import Encounter, Export
from rallypoint.kernel.errors import InputError
from rallypoint.kernel.state import Entity, State
from rallypoint_foundry.export import export
from rallypoint_foundry.importing import read

from .forces import BATTLE_DRESS, COMBAT_ARMOR, PULSE_RIFLE, REVOLVER, Force, small
from .test_command_line import Table, table  # noqa: F401  (a fixture)

Json = dict[str, Any]

CARRIED: Json = {
    "uid": "red/1/A/1", "name": "Zhenya", "type": "Corporate fixer", "combat": 35, "instinct": 30, "loyalty": 22,
    "wounds": 0, "max_wounds": 2, "salary": 1500, "motivation": "debts & more debts", "hidden_motivation": "a spy",
    "speed": "slow", "notes": ["left-handed"],
    "weapons": [
        {"title": "SMG", "damage": "2d10", "range": "Long", "shots": 5, "wound": "Gunshot", "anti_armor": True},
        {"title": "Crowbar", "damage": "1d5", "range": "Adjacent", "note": "Bent."},
    ],
    "armor": [{"title": "Hazard suit", "armor_points": 5, "damage_reduction": 1, "speed": "slow"}],
    "extra": {
        "trinket": "a coin",
        "gear": [
            {"kind": "item", "title": "Flask", "facts": {"quantity": 3, "description": "None of it is water.", "x": 1}},
            {"kind": "spell", "title": "Glow", "facts": {}},
        ],
        "foundry": {"type": "creature"},
    },
    "disrupter": {"class": "Soldier", "wears": "combat_armor", "weapons": ["pulse_rifle"], "W": 2},
}  # fmt: skip


def crew(carried: Json, **now: Any) -> Encounter:
    """A Soldier with a rifle who carries something, and one who was never anything else."""
    force = Force()
    force.frame()
    for number, name in ((1, "Zhenya"), (2, "Plain")):
        force.unit(f"red/1/A/{number}", "Soldier", "red/1/A", COMBAT_ARMOR, PULSE_RIFLE, name=name)
    encounter = force.encounter()
    facts = freeze({
        "class": "Soldier", "armor_key": "combat_armor", "weapons": ["pulse_rifle"], "extra": {"contractor": carried}, **now,
    })  # fmt: skip
    assert not isinstance(facts, (str, int))
    state = [Entity(*each)._replace(facts=facts) if each.uid == "red/1/A/1" else each for each in encounter.state]  # type: ignore[arg-type]
    return encounter._replace(state=State.of(state))


def exported(encounter: Encounter, **options: str) -> tuple[Export, dict[str, Json]]:
    result = export(encounter, {name.replace("_", "-"): value for name, value in options.items()})
    found = json.loads(result.files["encounter.json"])["actors"]
    return result, {actor["name"]: actor for actor in found}


def stats(actor: Json) -> list[int]:
    return [actor["system"]["stats"][name]["value"] for name in ("combat", "instinct", "loyalty")]


def test_numbers_are_those_that_it_carries() -> None:
    result, found = exported(crew(CARRIED))
    assert stats(found["Zhenya"]) == [35, 30, 22]
    assert all(found["Zhenya"]["system"]["stats"][name]["enabled"] for name in ("combat", "instinct", "loyalty"))
    assert stats(found["Plain"])[:2] == [30, 25]
    assert any("contractors before they were units (Zhenya)" in note for note in result.notes)


def test_weapons_armour_and_things_are_those_that_it_carries() -> None:
    items = exported(crew(CARRIED))[1]["Zhenya"]["items"]
    assert [(item["name"], item["type"]) for item in items] == [
        ("Hazard suit", "armor"), ("SMG", "weapon"), ("Crowbar", "weapon"), ("Flask", "item"),
    ]  # fmt: skip
    suit, smg, crowbar, flask = [item["system"] for item in items]
    assert (suit["armorPoints"], suit["damageReduction"], suit["equipped"], suit["speed"]) == (5, 1, True, "slow")
    assert (smg["damage"], smg["ranges"]["value"], smg["shots"], smg["curShots"]) == ("2d10", "Long", 5, 5)
    assert (smg["woundEffect"], smg["antiArmor"]) == ("Gunshot", True)
    assert (crowbar["damage"], crowbar["ranges"]["value"], crowbar["antiArmor"]) == ("1d5", "Adjacent", False)
    assert crowbar["shots"] == 1  # nobody says how many: the template's
    assert crowbar["description"] == "<p>Crowbar.</p><p>Bent.</p>"
    assert (flask["quantity"], flask["description"], "x" in flask) == (3, "None of it is water.", False)
    assert len({item["_id"] for item in items}) == 4


def test_notes_say_who_it_was_and_keep_its_secret() -> None:
    notes = exported(crew(CARRIED))[1]["Zhenya"]["system"]["notes"]
    for line in (
        "contractor type Corporate fixer",
        "Salary: 1500",
        "Motivation: debts &amp; more debts",
        "left-handed",
    ):
        assert line in notes
    assert "Speed: slow" in notes
    assert "spy" not in notes


def test_what_has_no_place_is_named() -> None:
    result, _ = exported(crew(CARRIED | {"max_wounds": 4}))
    assert result.left_out == (
        "maximum Wounds 4 (Zhenya): the unit has 2, kept in our flag alone",
        "hidden motivation (Zhenya): players may read the notes, kept in our flag alone",
        "carried trinket (Zhenya): no field for it, kept in our flag alone",
        "spell Glow (Zhenya): no entry in mosh-0.6.1, kept in our flag alone",
    )
    # two of Plain, and suit, two weapons, flask and glow
    assert (result.counts["gear_read"], result.counts["items"], result.counts["gear_left_out"]) == (7, 6, 1)


def test_a_new_class_has_new_numbers_and_the_old_loyalty() -> None:
    result, found = exported(crew(CARRIED, **{"class": "NCO"}))
    # the sheet's role decides what the conversion finds; the force's sheet still says Soldier with Instinct 60
    assert stats(found["Zhenya"]) == [30, 25, 22]
    assert "Corporate fixer" not in found["Zhenya"]["system"]["notes"]
    assert "carried combat (Zhenya): the unit is another in this since, so it is converted anew" in result.left_out


def test_new_weapons_or_armour_are_converted_and_the_rest_stays() -> None:
    items = exported(crew(CARRIED, weapons=["revolver"]))[1]["Zhenya"]["items"]
    assert [item["name"] for item in items] == ["Hazard suit", "Pulse Rifle", "Flask"]
    result, found = exported(crew(CARRIED, armor_key="battle_dress"))
    assert [item["name"] for item in found["Zhenya"]["items"]] == ["Combat Armor", "SMG", "Crowbar", "Flask"]
    assert "carried armor (Zhenya): the unit is another in this since, so it is converted anew" in result.left_out
    assert stats(found["Zhenya"]) == [35, 30, 22]


def test_a_record_that_does_not_say_what_it_became_holds() -> None:
    carried = {name: value for name, value in CARRIED.items() if name != "disrupter"}
    assert stats(exported(crew(carried, **{"class": "NCO"}))[1]["Zhenya"]) == [35, 30, 22]


def test_a_name_without_numbers_is_the_weapon_of_that_name() -> None:
    weapons = [{"title": "Pulse Rifle"}, {"title": "Pulse rifle", "damage": "5d10"}, {"title": "Zapper"}]
    result, found = exported(crew(CARRIED | {"weapons": weapons}))
    known, own, zapper = [item["system"] for item in found["Zhenya"]["items"] if item["type"] == "weapon"]
    assert (known["damage"], known["shots"]) == ("3d10", 5)
    assert (own["damage"], own["shots"], own["ranges"]["value"], own["woundEffect"]) == ("5d10", 5, "Long", "Gunshot")
    assert zapper["damage"] == ""
    assert "no dice for weapon Zapper (Zhenya): no damage dice in mosh-0.6.1: enter them" in result.notes


def test_without_loyalty_a_person_still_has_the_roll() -> None:
    bare = {"name": "Zhenya", "weapons": [], "armor": []}
    _, found = exported(crew(bare))
    assert stats(found["Zhenya"])[:2] == [30, 25]
    assert stats(found["Zhenya"])[2] == stats(exported(crew({}))[1]["Zhenya"])[2]
    assert found["Zhenya"]["items"] == []


@pytest.mark.parametrize("profile", ["mosh-0.5.27", "mosh-0.6.1", "mothershiprpg-0.1.0"])
def test_every_system_has_them(profile: str) -> None:
    actor = exported(crew(CARRIED), profile=profile)[1]["Zhenya"]
    assert stats(actor) == [35, 30, 22]
    assert actor["items"][1]["system"]["antiArmor"] is True


def test_disrupters_own_numbers_are_not_mixed_with_them() -> None:
    actor = exported(crew(CARRIED), **{"as": "disrupter"})[1]["Zhenya"]
    assert stats(actor) == [0, 60, 0]
    assert [item["name"] for item in actor["items"]] == ["Pulse Rifle"]
    assert "Salary" not in actor["system"]["notes"]


def test_it_is_carried_on() -> None:
    encounter = crew(CARRIED)
    back = read({"encounter.json": export(encounter, {}).files["encounter.json"]}, {}).encounter
    assert back.state["red/1/A/1"].facts == encounter.state["red/1/A/1"].facts


@pytest.mark.parametrize(
    ("field", "value", "says"),
    [
        ("combat", "35", "combat: this field does not fit; found: '35'; expected: a whole number, 0 or more"),
        ("loyalty", -1, "loyalty: this field does not fit; found: -1"),
        ("weapons", {}, "weapons: this field does not fit"),
        ("weapons", [3], "weapons: this field does not fit"),
        ("armor", [{"title": "Suit", "equipped": "yes"}], "armor[0].equipped: this field does not fit"),
        ("notes", "left-handed", "notes: this field does not fit"),
        ("disrupter", [], "disrupter: this field does not fit"),
        ("motivation", None, "motivation: this field does not fit"),
    ],
)
def test_a_damaged_record_is_named(field: str, value: object, says: str) -> None:
    with pytest.raises(InputError) as caught:
        export(crew(CARRIED | {field: value}), {})
    assert f"red/1/A/1: carried contractor.{says}" in str(caught.value)


# The terms


@pytest.mark.parametrize(
    ("combat", "values"), [("half", [40, 30, 20]), ("equal", [80, 60, 40]), ("archetype", [35, 30, 20])]
)
@pytest.mark.parametrize("profile", ["mosh-0.5.27", "mosh-0.6.1", "mothershiprpg-0.1.0"])
def test_combat_by_the_terms(profile: str, combat: str, values: list[int]) -> None:
    found = exported(small(), combat=combat, profile=profile)[1]
    assert [stats(found[name])[0] for name in ("Captain", "Gunner", "Robot")] == values
    assert stats(exported(crew(CARRIED), combat=combat)[1]["Zhenya"])[0] == 35


def test_a_revolver_and_a_smart_rifle_by_the_terms() -> None:
    force = Force()
    force.frame()
    sniper = PULSE_RIFLE._replace(key="sniper_rifle", title="Sniper Rifle")
    force.unit("u", "Soldier", "red/1/A", BATTLE_DRESS, REVOLVER, sniper, name="U")
    for options, damage, anti_armor in [
        ({}, "1d10+1", False),
        ({"revolver_bonus": "false", "anti_armor": "true"}, "1d10", True),
    ]:
        _, revolver, rifle = exported(force.encounter(), **options)[1]["U"]["items"]
        assert (revolver["system"]["damage"], revolver["system"]["antiArmor"]) == (damage, False)
        assert (rifle["system"]["damage"], rifle["system"]["antiArmor"]) == ("4d10", anti_armor)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"combat": "haf"}, "did you mean half?"),
        ({"anti-armor": "yes"}, "expected: true or false"),
        ({"combat": "equal", "as": "disrupter"}, "expected: --as contractor"),
    ],
)
def test_terms_that_cannot_be(options: dict[str, str], says: str) -> None:
    with pytest.raises(InputError) as caught:
        export(small(), options)
    assert says in str(caught.value)


# From the files of contractors to the sheets


def test_contractors_from_their_file_to_their_sheets(table: Table) -> None:  # noqa: F811
    rows = ["name,type,combat,instinct,loyalty,max_wounds,armor,weapons,salary"]
    rows.append("Bo,Marine (grunt),35,25,17,2,Standard battle dress (7),SMG (2d10); Crowbar (1d5),1500")
    (table.folder / "crew.csv").write_text("\n".join(rows), encoding="utf-8")
    table.good("import", "contractors", "crew.csv", "-o", "roster.toml")
    for form in ("toml", "json", "csv", "md"):
        if form != "toml":
            table.good("convert", "roster.toml", "-o", f"roster.{form}")
        table.good("export", "foundry", f"roster.{form}", "-o", f"out-{form}")
        found = json.loads((table.folder / f"out-{form}" / "encounter.json").read_bytes())["actors"]
        (bo,) = [actor for actor in found if actor["name"] == "Bo"]
        assert stats(bo) == [35, 25, 17]
        assert [item["name"] for item in bo["items"]] == ["Standard battle dress", "SMG", "Crowbar"]
        assert "Salary: 1500" in bo["system"]["notes"]


def test_a_roster_that_was_changed_since(table: Table) -> None:  # noqa: F811
    text = "name,type,combat,loyalty,max_wounds,weapons\nBo,Marine (grunt),30,17,2,SMG (2d10)\n"
    (table.folder / "crew.csv").write_text(text, encoding="utf-8")
    table.good("import", "contractors", "crew.csv", "-o", "crew.toml")
    roster = table.folder / "crew.toml"
    old = roster.read_text(encoding="utf-8")
    assert 'weapons = ["laser_carbine"]\ncontractor' in old
    roster.write_text(old.replace('weapons = ["laser_carbine"]\n', 'weapons = ["pulse_rifle"]\n', 1), encoding="utf-8")
    assert "carried weapons (Bo)" in table.good("export", "foundry", "crew.toml", "-o", "out")
    found = json.loads((table.folder / "out" / "encounter.json").read_bytes())["actors"]
    (bo,) = [actor for actor in found if actor["name"] == "Bo"]
    assert [item["name"] for item in bo["items"] if item["type"] == "weapon"] == ["Pulse Rifle"]
    assert stats(bo)[0] == 30
    assert stats(bo)[2] == 17
