"""The tables of Disrupter against the numbers of the rules, written out once more."""

from __future__ import annotations

import re
from importlib import resources

import pytest

from rallypoint.content.catalogue import Kind
from rallypoint.disrupter import catalogue
from rallypoint.disrupter.tables import COLUMNS

KINDS: tuple[Kind, ...] = ("class", "weapon", "armor", "bot", "vehicle")

# rule, key, title, T, C, M, L, Max (None: infinite), traits
WEAPONS = [
    ("D-EQ-W1", "revolver", "Revolver", 0, 1, 1, 1, 3, "sidearm officer_weapon"),
    ("D-EQ-W2", "combat_shotgun", "Combat Shotgun", 0, 3, 1, 0, 2, ""),
    (
        "D-EQ-W3",
        "frag_grenade",
        "Frag Grenade",
        2,
        1,
        0,
        0,
        2,
        "indirect thrown throw_check miss_hits_own_team splash(close,1)",
    ),
    ("D-EQ-W4", "pulse_rifle", "Pulse Rifle", 0, 2, 2, 1, 4, ""),
    # Mounted: the grenade's numbers (W3) with Max 3; the launched shot has the throw's result (D-AMB-37).
    (
        "D-EQ-W4",
        "grenade_launcher",
        "Grenade Launcher",
        2,
        1,
        0,
        0,
        3,
        "mounted indirect launch_check miss_hits_own_team splash(close,1)",
    ),
    ("D-EQ-W5", "laser_carbine", "Laser Carbine", 0, 1, 2, 1, None, "bot_issue"),
    (
        "D-EQ-W6",
        "sniper_rifle",
        "Sniper Rifle",
        0,
        1,
        3,
        3,
        5,
        "no_move_and_fire no_cover_penalty plus_if_spotted_by_other",
    ),
    (
        "D-EQ-W7",
        "heavy_machine_gun",
        "Heavy Machine Gun",
        0,
        3,
        3,
        1,
        3,
        "requires_armor(battle_dress) no_move_and_fire splash(close,1)",
    ),
    ("D-EQ-W8", "flamethrower", "Flamethrower", 0, 3, 0, 0, 1, "splash(close,1) splash_excludes(attacker) burning"),
    (
        "D-EQ-W9",
        "laser_cutter",
        "Laser Cutter",
        0,
        10,
        10,
        10,
        None,
        "requires_armor(battle_dress) no_move_and_fire no_instinct_check beam ignores_los penetrates_all save_per_unit "
        "recharge(3)",
    ),
    (
        "D-EQ-W10",
        "rocket_launcher",
        "Rocket Launcher",
        10,
        2,
        10,
        10,
        None,
        "indirect no_move_and_fire needs_los_or_spot spot_ignores_cover auto_hit_if_spotted splash(close,2) "
        "miss_wounds_each(2)",
    ),
]


@pytest.mark.parametrize("row", WEAPONS, ids=[row[1] for row in WEAPONS])
def test_weapon(row: tuple[str, str, str, int, int, int, int, int | None, str]) -> None:
    rule, key, title, *numbers, traits = row
    item = catalogue().weapons[key]
    assert (item.rule, item.title, item.kind) == (rule, title, "weapon")
    assert list(item.numbers.items()) == list(zip(["T", "C", "M", "L", "Max"], numbers, strict=True))
    assert item.traits == tuple(traits.split())


def test_there_are_no_other_weapons() -> None:
    assert list(catalogue().weapons) == [row[1] for row in WEAPONS]


@pytest.mark.parametrize(
    ("kind", "key", "title", "rule", "numbers", "traits"),
    [
        ("armor", "combat_armor", "Combat Armor", "D-EQ-A1", {"A": 60, "W": 2, "M": 1}, ("standard_issue",)),
        ("armor", "battle_dress", "Battle Dress", "D-EQ-A2", {"A": 80, "W": 3, "M": 2}, ("powered",)),
        (
            "bot",
            "basic_battlefield_robot",
            "Basic Battlefield Robot",
            "D-EQ-B1",
            {"A": 80, "W": 1, "M": 2},
            ("counts_as(battle_dress)", "no_panic", "must_be_led"),
        ),
        (
            "vehicle",
            "inflatable_raft",
            "Inflatable Raft",
            "D-EQ-V1",
            {"A": 0, "M": 1, "C": 4, "Cap": 4, "Slots": 0},
            (
                "moves_over_water",
                "infantry_movement",
                "occupants_fire(infantry_los)",
                "attach_team(close; movement or battlefield action)",
                "armor_from_occupants",
            ),
        ),
        ("class", "co", "CO", "D-R9.8", {"I": 80}, ("officer", "commands_platoon")),
        ("class", "nco", "NCO", "D-R9.8", {"I": 80}, ("officer", "commands_squad")),
        ("class", "soldier", "Soldier", "D-R9.8", {"I": 60}, ()),
        ("class", "bot", "Bot", "D-R9.8", {"I": 40}, ("wears_model",)),
    ],
)
def test_the_other_tables(
    kind: Kind, key: str, title: str, rule: str, numbers: dict[str, int], traits: tuple[str, ...]
) -> None:
    item = catalogue().all(kind)[key]
    assert (item.kind, item.title, item.rule, item.traits) == (kind, title, rule, traits)
    assert dict(item.numbers) == numbers


def test_there_is_nothing_else() -> None:
    known = catalogue()
    assert list(known.armor) == ["combat_armor", "battle_dress"]
    assert list(known.bots) == ["basic_battlefield_robot"]
    assert list(known.vehicles) == ["inflatable_raft"]
    assert list(known.classes) == ["co", "nco", "soldier", "bot"]


def test_columns_are_in_the_order_of_the_rules() -> None:
    assert COLUMNS == {
        "class": ("I",),
        "weapon": ("T", "C", "M", "L", "Max"),
        "armor": ("A", "W", "M"),
        "bot": ("A", "W", "M"),
        "vehicle": ("A", "M", "C", "Cap", "Slots"),
    }


def test_no_stat_is_above_eighty() -> None:
    known = catalogue()
    percents = [item.numbers["A"] for kind in (known.armor, known.bots, known.vehicles) for item in kind.values()]
    percents += [item.numbers["I"] for item in known.classes.values()]
    assert len(percents) == 8
    assert max(percent or 0 for percent in percents) == 80


def test_only_the_rifle_takes_a_launcher() -> None:
    mounts = {key: item.mounts for key, item in catalogue().weapons.items() if item.mounts}
    assert mounts == {"pulse_rifle": ("grenade_launcher",)}


@pytest.mark.rule("D-AMB-33", "D-AMB-43")
@pytest.mark.parametrize(
    ("kind", "alias", "key", "ruling"),
    [
        ("armor", "Power Armor", "battle_dress", "D-AMB-33"),
        ("armor", "power armour", "battle_dress", "D-AMB-33"),
        ("bot", "Basical Battlefield Robot", "basic_battlefield_robot", None),
        ("bot", "Basic Battllefield Robot", "basic_battlefield_robot", None),
        ("weapon", "GL", "grenade_launcher", "D-AMB-43"),
        ("vehicle", "Boat", "inflatable_raft", None),
    ],
)
def test_aliases(kind: Kind, alias: str, key: str, ruling: str | None) -> None:
    found = catalogue().find(kind, alias)
    assert found is not None
    assert (found.item.key, found.item.ruling) == (key, ruling)
    assert found.alias is not None


def test_the_catalogue_is_read_once() -> None:
    assert catalogue() is catalogue()


def test_rules_of_traits() -> None:
    assert dict(catalogue().rules) == {
        "commands_platoon": "D-R9.1",
        "commands_squad": "D-R9.2",
        "requires_armor": "D-EQ-T2",
    }


@pytest.mark.parametrize("name", ["armor", "bots", "classes", "vehicles", "weapons"])
def test_every_table_credits_its_source(name: str) -> None:
    text = (resources.files("rallypoint.disrupter") / "tables" / f"{name}.toml").read_text("utf-8")
    head = text.split("\n[")[0]
    assert "Violet Ballard / RV Games" in head
    assert "CC BY 4.0" in head
    assert "https://creativecommons.org/licenses/by/4.0/" in head


def test_every_item_has_a_line_for_people() -> None:
    lines = [item.description for kind in KINDS for item in catalogue().all(kind).values()]
    assert len(lines) == 4 + 11 + 2 + 1 + 1
    assert len(set(lines)) == len(lines)
    for line in lines:
        assert re.fullmatch(r"[A-Z][^\n]{10,110}\.", line)
