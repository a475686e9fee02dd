"""The conversion against the printed values, both ways, each written out here."""

from __future__ import annotations

import tomllib
from fractions import Fraction
from importlib.resources import files

import pytest

from rallypoint.disrupter import catalogue
from rallypoint.kernel.errors import InputError
from rallypoint_mothership.conversion import Choices, as_contractor, as_figure, choices_of, loyalty_of
from rallypoint_mothership.records import Armor, Contractor, Figure, Weapon
from rallypoint_mothership.weapons import mean_damage

CO = Figure("u1", "Ana", "CO", "combat_armor", False, ("revolver",), 80, 60, 2, 1)
SOLDIER = Figure("u2", "Bo", "Soldier", "battle_dress", False, ("pulse_rifle",), 60, 80, 3, 2, wounds=1)
BOT = Figure("u3", "B-7", "Bot", "basic_battlefield_robot", True, ("laser_carbine",), 40, 80, 1, 2)


# Unit to contractor


@pytest.mark.parametrize(
    ("figure", "combat", "instinct", "kind"),
    [
        (CO, 40, 35, "Marine (officer)"),
        (CO._replace(kind="NCO"), 40, 35, "Marine (officer)"),
        (SOLDIER, 30, 25, "Marine (grunt)"),
        (BOT, 20, 35, "Android (combat bot)"),
    ],
)
def test_combat_is_half_of_instinct_and_instinct_that_of_the_type(
    figure: Figure, combat: int, instinct: int, kind: str
) -> None:
    found = as_contractor(figure, "k")
    assert (found.combat, found.instinct, found.type) == (combat, instinct, kind)


@pytest.mark.parametrize(
    ("choice", "numbers"), [("half", (40, 30, 20)), ("equal", (80, 60, 40)), ("archetype", (35, 30, 20))]
)
def test_the_three_ways_to_combat(choice: str, numbers: tuple[int, ...]) -> None:
    assert tuple(as_contractor(each, "k", Choices(choice)).combat for each in (CO, SOLDIER, BOT)) == numbers


def test_wounds_are_equal() -> None:
    assert [(c.wounds, c.max_wounds) for c in (as_contractor(each, "k") for each in (CO, SOLDIER, BOT))] == [
        (0, 2),
        (1, 3),
        (0, 1),
    ]


def test_armour_is_by_what_it_does_and_not_by_its_name() -> None:
    assert as_contractor(CO, "k").armor == (Armor("Standard battle dress", 7, 0),)
    assert as_contractor(SOLDIER, "k").armor == (Armor("Advanced battle dress", 10, 3),)
    assert as_contractor(BOT, "k").armor == (Armor("Chassis", 10, 3),)


def test_speed_is_a_note() -> None:
    assert [as_contractor(each, "k").speed for each in (CO, SOLDIER, BOT)] == ["slow", "normal", "normal"]


def test_people_have_a_loyalty_that_stays_and_bots_have_none() -> None:
    assert as_contractor(BOT, "k").loyalty is None
    rolls = {loyalty_of("k", f"u{number}") for number in range(2000)}
    assert rolls == set(range(12, 31))  # 2d10 + 10
    assert as_contractor(CO, "k").loyalty == loyalty_of("k", "u1") == loyalty_of("k", "u1")


def test_loyalty_is_the_one_that_the_export_to_foundry_rolls() -> None:
    ids = pytest.importorskip("rallypoint_foundry.ids", reason="the Foundry adapter is installed apart")
    for uid in ("u1", "starter-0A-1-1", "Żółw"):
        assert loyalty_of("demo", uid) == ids.derived_roll(2, 10, 10, "loyalty", "demo", uid)


@pytest.mark.parametrize(
    ("key", "title", "damage", "reach", "shots", "wound"),
    [
        ("revolver", "Revolver", "1d10+1", "Close", 6, "Gunshot"),
        ("combat_shotgun", "Combat shotgun", "4d10", "Close", 4, "Gunshot"),
        ("frag_grenade", "Frag grenade", "3d10", "Close", 1, "Fire & Explosives"),
        ("pulse_rifle", "Pulse rifle", "3d10", "Long", 5, "Gunshot"),
        ("grenade_launcher", "Grenade launcher", "3d10", "Long", 3, "Fire & Explosives"),
        ("laser_carbine", "Laser carbine", "2d10", "Extreme", 1, "Gunshot"),
        ("sniper_rifle", "Smart rifle", "4d10", "Extreme", 3, "Gunshot [-]"),
        ("heavy_machine_gun", "General-purpose machine gun", "4d10", "Long", 5, "Gunshot [-]"),
        ("flamethrower", "Flamethrower", "2d10", "Close", 4, "Fire & Explosives [-]"),
        ("laser_cutter", "Laser cutter", "1d100", "Long", 6, "Bleeding [-]"),
        ("rocket_launcher", "Rocket launcher", "1d100", "Extreme", 1, "Fire & Explosives [-]"),
    ],
)
def test_weapons(key: str, title: str, damage: str, reach: str, shots: int, wound: str) -> None:
    (found,) = as_contractor(SOLDIER._replace(weapons=(key,)), "k").weapons
    assert found._replace(note="") == Weapon(title, damage, reach, shots, wound)


def test_every_weapon_of_the_tables_has_a_twin_and_every_twin_a_weapon() -> None:
    table = tomllib.loads((files("rallypoint_mothership") / "conversion.toml").read_text("utf-8"))
    assert set(table["weapon"]) == set(catalogue().weapons)
    assert set(table["armor"]) == {*catalogue().armor, *catalogue().bots}
    assert set(table["class"]) == {item.title for item in catalogue().classes.values()}


def test_a_revolver_without_its_bonus_and_a_rifle_against_armour() -> None:
    armed = SOLDIER._replace(weapons=("revolver", "sniper_rifle"))
    plain, other = as_contractor(armed, "k"), as_contractor(armed, "k", Choices(revolver_bonus=False, anti_armor=True))
    assert [weapon.damage for weapon in plain.weapons] == ["1d10+1", "4d10"]
    assert [weapon.anti_armor for weapon in plain.weapons] == [False, False]
    assert [weapon.damage for weapon in other.weapons] == ["1d10", "4d10"]
    assert [weapon.anti_armor for weapon in other.weapons] == [False, True]


def test_a_class_of_the_rosters_own_keeps_its_word() -> None:
    found = as_contractor(Figure("h", "It", "Horror", "", False, (), 250, 90, 12, 3), "k")
    assert (found.type, found.combat, found.instinct, found.loyalty, found.armor) == ("Horror", 99, None, None, ())
    assert found.max_wounds == 12


def test_a_weapon_that_nobody_knows_has_no_invented_dice() -> None:
    (weapon,) = as_contractor(SOLDIER._replace(weapons=("plasma_lance",)), "k").weapons
    assert (weapon.title, weapon.damage, weapon.shots) == ("plasma_lance", "", None)


# Contractor to unit


def contractor(**fields: object) -> Contractor:
    return Contractor("c", "Cal", max_wounds=2)._replace(**fields)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("kind", "combat", "expected", "instinct"),
    [
        ("Marine (grunt)", 30, "Soldier", 60),
        ("Marine (officer)", 35, "NCO", 80),
        ("marine OFFICER", 10, "NCO", 80),
        ("Captain", 30, "CO", 80),
        ("Android", 20, "Bot", 40),
        ("Combat-bot", 50, "Bot", 40),
        ("Android captain", 50, "Bot", 40),
        ("Asteroid miner", 25, "Soldier", 60),
        ("Abbot", 25, "Soldier", 60),
        ("Gunner", 34, "Soldier", 60),
        ("Gunner", 35, "NCO", 80),
        ("", None, "Soldier", 60),
        ("Doctor", 15, "Soldier", 60),
    ],
)
def test_class_by_type_else_by_combat(kind: str, combat: int | None, expected: str, instinct: int) -> None:
    found = as_figure(contractor(type=kind, combat=combat)).figure
    # Instinct is that of the class, not twice the Combat: there are three of them (D-R6.2).
    assert (found.kind, found.instinct) == (expected, instinct)


@pytest.mark.parametrize(
    ("points", "wears", "armor", "movement", "said"),
    [
        (0, "combat_armor", 60, 1, True),
        (1, "combat_armor", 60, 1, True),
        (4, "combat_armor", 60, 1, True),
        (5, "combat_armor", 60, 1, False),
        (7, "combat_armor", 60, 1, False),
        (9, "combat_armor", 60, 1, False),
        (10, "battle_dress", 80, 2, False),
        (13, "battle_dress", 80, 2, False),
    ],
)
def test_armour_by_armour_points(points: int, wears: str, armor: int, movement: int, said: bool) -> None:
    turned = as_figure(contractor(armor=(Armor("Advanced battle dress", points),)))
    assert (turned.figure.wears, turned.figure.armor, turned.figure.movement) == (wears, armor, movement)
    assert any("the least that there is" in note for note in turned.notes) is said


def test_armour_adds_up_and_what_is_not_worn_does_not_protect() -> None:
    worn = (Armor("Vest", 7), Armor("Plates", 3), Armor("Spare dress", 10, equipped=False))
    turned = as_figure(contractor(armor=worn))
    assert turned.figure.wears == "battle_dress"
    assert turned.notes == ("Cal: armour Spare dress: not equipped",)
    assert as_figure(contractor(armor=worn[1:])).figure.wears == "combat_armor"


def test_a_bot_wears_its_chassis() -> None:
    turned = as_figure(contractor(type="Android", armor=(Armor("Vaccsuit", 3),)))
    assert (turned.figure.wears, turned.figure.is_bot, turned.figure.armor) == ("basic_battlefield_robot", True, 80)
    assert turned.notes == ("Cal: Armour Points 3: every Bot has those of its chassis",)


@pytest.mark.parametrize(
    ("most", "taken", "expected"), [(1, 0, (1, 0)), (3, 3, (3, 3)), (4, 2, (3, 2)), (9, 8, (3, 3))]
)
def test_wounds_are_capped_at_three(most: int, taken: int, expected: tuple[int, int]) -> None:
    turned = as_figure(contractor(max_wounds=most, wounds=taken, armor=(Armor("Dress", 7),)))
    assert (turned.figure.max_wounds, turned.figure.wounds) == expected
    assert len(turned.notes) == (most > 3) + (taken > 3)


def test_speed_that_the_armour_does_not_have_is_named() -> None:
    assert as_figure(contractor(speed="normal", armor=(Armor("Dress", 7),))).notes == (
        "Cal: speed normal: Combat Armor moves 1",
    )
    assert as_figure(contractor(speed="slow", armor=(Armor("Dress", 7),))).notes == ()


@pytest.mark.parametrize(
    ("weapon", "key"),
    [
        # by title, in either game's words
        (Weapon("pulse-rifle"), "pulse_rifle"),
        (Weapon("Smart Rifle"), "sniper_rifle"),
        (Weapon("Sniper Rifle"), "sniper_rifle"),
        (Weapon("Frag Grenade", "1d5"), "frag_grenade"),
        # by the nearest mean damage
        (Weapon("SMG", "2d10", "Long", 5, "Gunshot"), "laser_carbine"),
        (Weapon("Nail gun", "1d5", "Close"), "revolver"),
        (Weapon("Foam gun", "1", "Close"), "revolver"),
        (Weapon("Rigging gun", "1d10 (+2d10)", "Close"), "revolver"),
        (Weapon("Torch", "2d10", "Close", None, "Fire & Explosives [+]"), "flamethrower"),
        (Weapon("Battle rifle", "3d10", "Long", None, "Gunshot"), "pulse_rifle"),
        (Weapon("Bomb", "3d10", "Close", None, "Fire & explosives"), "frag_grenade"),
        (Weapon("Riot gun", "4d10", "Close", None, "Gunshot"), "combat_shotgun"),
        (Weapon("Railgun", "4d10", "Long", None, "Gunshot", True), "sniper_rifle"),
        (Weapon("Missile", "1d100", "Extreme", None, "Fire & Explosives"), "rocket_launcher"),
    ],
)
def test_weapons_by_title_else_by_damage(weapon: Weapon, key: str) -> None:
    assert as_figure(contractor(weapons=(weapon,))).figure.weapons == (key,)


@pytest.mark.parametrize(
    ("weapon", "key"),
    [
        # the wound decides before the range
        (Weapon("Spray", "2d10", "Extreme", None, "Fire & Explosives"), "flamethrower"),
        (Weapon("Flare", "2d10", "Close", None, "Gunshot"), "laser_carbine"),
        # of the same damage and wound the range decides
        (Weapon("Autogun", "4d10", "Long", None, "Gunshot"), "heavy_machine_gun"),
        (Weapon("Autogun", "4d10", "Close", None, "Gunshot"), "combat_shotgun"),
    ],
)
def test_ties_go_to_the_kind_of_wound_and_then_to_the_range(weapon: Weapon, key: str) -> None:
    assert as_figure(contractor(weapons=(weapon,), armor=(Armor("Dress", 10),))).figure.weapons == (key,)


def test_files_for_foundry_have_the_same_dice() -> None:
    profiles = pytest.importorskip("rallypoint_foundry", reason="the Foundry adapter is installed apart")
    theirs = tomllib.loads((files(profiles) / "profiles" / "mosh-0.6.1.toml").read_text("utf-8"))["weapon"]
    ours = tomllib.loads((files("rallypoint_mothership") / "conversion.toml").read_text("utf-8"))["weapon"]
    columns = ("damage", "range", "shots", "wound")
    assert {key: [row[name] for name in columns] for key, row in ours.items()} == {
        key: [row[name] for name in columns] for key, row in theirs.items()
    }


def test_a_guess_is_named_and_a_title_is_not() -> None:
    turned = as_figure(contractor(weapons=(Weapon("SMG", "2d10"), Weapon("Revolver")), armor=(Armor("Dress", 7),)))
    assert turned.notes == ("Cal: weapon SMG (2d10): taken as Laser Carbine, the nearest damage",)


@pytest.mark.parametrize(
    "weapon",
    [
        Weapon("Boarding axe", "2d10", "Adjacent"),
        Weapon("Crowbar", "1d5", "adjacent"),
        Weapon("Net"),
        Weapon("Gas", "none"),
    ],
)
def test_what_has_no_twin_is_named(weapon: Weapon) -> None:
    turned = as_figure(contractor(weapons=(weapon,), armor=(Armor("Dress", 7),)))
    assert turned.figure.weapons == ()
    (note,) = turned.notes
    assert note.startswith(f"Cal: weapon {weapon.title} (")
    assert note.endswith(": no twin")


def test_what_only_battle_dress_carries_is_carried_in_battle_dress_alone() -> None:
    guns = (Weapon("General-purpose machine gun", "4d10", "Long", None, "Gunshot"), Weapon("Laser cutter", "1d100"))
    strong = as_figure(contractor(weapons=guns, armor=(Armor("Dress", 10),)))
    assert strong.figure.weapons == ("heavy_machine_gun", "laser_cutter")
    weak = as_figure(contractor(weapons=guns, armor=(Armor("Dress", 7),)))
    needs = {"heavy_machine_gun", "laser_cutter"}
    assert not needs & set(weak.figure.weapons)
    assert len(weak.notes) == 2


def test_a_bot_that_counts_as_battle_dress_carries_what_needs_it() -> None:
    guns = (Weapon("Laser cutter", "1d100", "Long"), Weapon("General-purpose machine gun", "4d10", "Long"))
    turned = as_figure(contractor(type="Android", weapons=guns, armor=(Armor("Chassis", 10, 3),)))
    assert turned.figure.weapons == ("laser_cutter", "heavy_machine_gun")
    assert turned.notes == ()


def test_weapons_that_become_alike_stay_two() -> None:
    guns = (Weapon("Pulse rifle", "3d10"), Weapon("Revolver"), Weapon("Assault rifle", "3d10", "Long", 5, "Gunshot"))
    turned = as_figure(contractor(weapons=guns, armor=(Armor("Dress", 7),)))
    assert turned.figure.weapons == ("pulse_rifle", "revolver", "pulse_rifle")
    assert turned.notes == ("Cal: weapon Assault rifle (3d10): taken as Pulse Rifle, the nearest damage",)


@pytest.mark.parametrize(
    ("titles", "weapons", "said"),
    [
        # a launcher stands behind the rifle that carries it, wherever it was written
        (["Grenade launcher", "Revolver", "Pulse rifle"], "revolver pulse_rifle grenade_launcher", 0),
        (["Pulse rifle", "Pulse rifle", "Grenade launcher", "Grenade launcher"],
         "pulse_rifle grenade_launcher pulse_rifle grenade_launcher", 0),
        # without one it cannot be carried: the grenade does what it does
        (["Grenade launcher", "Revolver"], "revolver frag_grenade", 1),
    ],
)  # fmt: skip
def test_a_launcher_is_mounted_or_is_none(titles: list[str], weapons: str, said: int) -> None:
    guns = tuple([Weapon(title) for title in titles])
    turned = as_figure(contractor(weapons=guns, armor=(Armor("Dress", 7),)))
    assert " ".join(turned.figure.weapons) == weapons
    assert len(turned.notes) == said


@pytest.mark.parametrize(
    ("text", "mean"),
    [
        ("3d10", Fraction(33, 2)),
        ("1d10+1", Fraction(13, 2)),
        ("1d10 - 2", Fraction(7, 2)),
        ("2D10 [+]", 11),
        ("1d100", Fraction(101, 2)),
        (" 7 ", 7),
        ("", None),
        ("d10", None),
        ("-", None),
        ("٣", None),
        ("9" * 400, None),
    ],
)
def test_mean_damage(text: str, mean: Fraction | None) -> None:
    assert mean_damage(text) == mean


# Choices


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, Choices("half", True, False)),
        ({"combat": "equal", "revolver-bonus": "false", "anti-armor": "true"}, Choices("equal", False, True)),
    ],
)
def test_choices(options: dict[str, str], expected: Choices) -> None:
    assert choices_of(options) == expected


@pytest.mark.parametrize("options", [{"combat": "third"}, {"revolver-bonus": "yes"}, {"anti-armor": ""}])
def test_choices_that_are_none(options: dict[str, str]) -> None:
    with pytest.raises(InputError) as caught:
        choices_of(options)
    assert caught.value.where == f"option {next(iter(options))}"
