"""From the Starter Platoon to an encounter: entities, trackers, sheets, names."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from importlib import resources
from pathlib import Path

import pytest

import rallypoint.disrupter
from rallypoint.content import Force, read_force
from rallypoint.disrupter import catalogue, encounter
from rallypoint.kernel.canonical import canonical
from rallypoint.kernel.encounter import Encounter
from rallypoint.kernel.errors import InputError
from rallypoint.kernel.state import State, Tracker

EXAMPLE = Path(__file__).parents[2] / "examples" / "rosters" / "starter-platoon.md"
CO_PAGE = "# {title}\n### Squad 0\n#### Team A\n* 1 CO - Combat Armor, Revolver\n* 1 CO - Combat Armor, Revolver\n"


@pytest.fixture(scope="module")
def force() -> Force:
    return read_force(EXAMPLE, catalogue(), with_optional=True)


@pytest.fixture(scope="module")
def starter(force: Force) -> Encounter:
    return encounter(force)


def small(tmp_path: Path, title: str) -> Force:
    file = tmp_path / "small.md"
    file.write_text(CO_PAGE.format(title=title), "utf-8")
    return read_force(file, catalogue())


def test_head(starter: Encounter) -> None:
    assert (starter.key, starter.title, starter.game) == ("starter-platoon", "Starter Platoon", "disrupter")


def test_tree(starter: Encounter) -> None:
    state = starter.state
    roles = [entity.role for entity in state]
    # A side, a platoon, 4 squads, 9 teams, 36 units.
    assert len(roles) == 51
    assert [roles.count(role) for role in ("side", "platoon", "squad", "team", "unit")] == [1, 1, 4, 9, 36]
    assert [entity.uid for entity in state.children(None)] == ["red"]
    assert [entity.uid for entity in state.children("red")] == ["starter-platoon"]
    assert [entity.uid for entity in state.children("starter-platoon")] == [
        "starter-0",
        "starter-1",
        "starter-2",
        "starter-3",
    ]
    assert [entity.uid for entity in state.children("starter-1")] == ["starter-1A", "starter-1B", "starter-1C"]
    assert [entity.uid for entity in state.children("starter-1A")] == [
        "starter-1A-1-1",
        "starter-1A-2-1",
        "starter-1A-2-2",
        "starter-1A-2-3",
    ]
    assert state["starter-3"].facts == {"number": 3}
    assert state["starter-3B"].facts == {"letter": "B", "vehicle": "inflatable_raft"}
    assert state["starter-1B"].facts == {"letter": "B"}


@pytest.mark.parametrize(
    ("uid", "facts", "wounds"),
    [
        (
            "starter-0A-1-1",
            {
                "class": "CO",
                "instinct": 80,
                "armor": 60,
                "movement": 1,
                "armor_key": "combat_armor",
                "weapons": ("revolver",),
            },
            2,
        ),
        (
            "starter-0A-2-2",
            {
                "class": "Soldier",
                "instinct": 60,
                "armor": 80,
                "movement": 2,
                "armor_key": "battle_dress",
                "weapons": ("pulse_rifle", "grenade_launcher"),
            },
            3,
        ),
        (
            "starter-2C-3-1",
            {
                "class": "Bot",
                "instinct": 40,
                "armor": 80,
                "movement": 2,
                "bot_key": "basic_battlefield_robot",
                "weapons": ("laser_cutter",),
            },
            1,
        ),
        (
            "starter-3A-1-1",
            {
                "class": "NCO",
                "instinct": 80,
                "armor": 80,
                "movement": 2,
                "armor_key": "battle_dress",
                "weapons": ("pulse_rifle", "rocket_launcher", "revolver"),
            },
            3,
        ),
    ],
)
def test_unit(uid: str, facts: dict[str, object], wounds: int, starter: Encounter) -> None:
    entity = starter.state[uid]
    assert entity.facts == facts
    assert entity.trackers == {"Wounds": Tracker(0, 0, wounds, "up")}


def test_wounds_of_all(starter: Encounter) -> None:
    limits = [unit.trackers["Wounds"].max for unit in starter.state.below("red", "unit")]
    # In Combat Armor: the CO, two threes, two flamethrowers, one in a boat; in Battle Dress two, two, two, one; 19 bots.
    assert [limits.count(limit) for limit in (2, 3, 1)] == [10, 7, 19]


def test_movement_of_the_stands(starter: Encounter) -> None:
    slowest = {}
    for team in starter.state.below("red", "team"):
        numbers = [unit.facts["movement"] for unit in starter.state.children(team.uid)]
        slowest[team.uid] = min(number for number in numbers if isinstance(number, int))
    assert slowest == {
        "starter-0A": 1,
        "starter-1A": 1,
        "starter-1B": 1,
        "starter-1C": 2,
        "starter-2A": 1,
        "starter-2B": 1,
        "starter-2C": 2,
        "starter-3A": 2,
        "starter-3B": 1,
    }


def test_stress(starter: Encounter) -> None:
    assert starter.state["starter-platoon"].trackers == {"Stress": Tracker(0, 0, 20, "up")}
    assert [entity.uid for entity in starter.state if "Stress" in entity.trackers] == ["starter-platoon"]


def test_every_entity_has_a_sheet(starter: Encounter) -> None:
    assert list(starter.sheets) == [entity.uid for entity in starter.state]
    assert all(uid == sheet.uid for uid, sheet in starter.sheets.items())


@pytest.mark.parametrize(
    ("uid", "name", "role", "code"),
    [
        ("red", "Red", "Side", "R"),
        ("starter-platoon", "Starter Platoon", "Platoon", "R"),
        ("starter-0", "Squad 0 - Command", "Squad", "R-0"),
        ("starter-1A", "Squad 1, Team A", "Team", "R-1A"),
        ("starter-3B", "Squad 3, Boat B", "Team", "R-3B"),
        ("starter-0A-1-1", "CO 0A-1", "CO", "R-0A"),
        ("starter-1A-2-1", "Soldier 1A-2", "Soldier", "R-1A"),
        ("starter-1A-2-3", "Soldier 1A-4", "Soldier", "R-1A"),
        ("starter-1B-2-2", "Bot 1B-3", "Bot", "R-1B"),
        ("starter-2A-1-1", "NCO 2A-1", "NCO", "R-2A"),
    ],
)
def test_names_and_codes(uid: str, name: str, role: str, code: str, starter: Encounter) -> None:
    sheet = starter.sheets[uid]
    assert (sheet.name, sheet.role, sheet.code) == (name, role, code)


def test_names_are_unique(starter: Encounter) -> None:
    names = [starter.sheets[unit.uid].name for unit in starter.state.below("red", "unit")]
    assert len(set(names)) == 36


def test_stats(starter: Encounter) -> None:
    assert starter.sheets["starter-0A-1-1"].stats == {"Instinct": 80, "Armor": 60, "Wounds": 2, "Movement": 1}
    assert starter.sheets["starter-1C-1-1"].stats == {"Instinct": 60, "Armor": 80, "Wounds": 3, "Movement": 2}
    assert starter.sheets["starter-1C-2-1"].stats == {"Instinct": 40, "Armor": 80, "Wounds": 1, "Movement": 2}
    assert starter.sheets["starter-platoon"].stats == {}


def test_gear_of_a_rifleman(starter: Encounter) -> None:
    armor, rifle, launcher = starter.sheets["starter-1A-2-1"].gear
    assert armor[:3] == ("armor", "combat_armor", "Combat Armor")
    assert {name: armor.facts[name] for name in "AWM"} == {"A": 60, "W": 2, "M": 1}
    assert rifle[:3] == ("weapon", "pulse_rifle", "Pulse Rifle")
    assert {name: rifle.facts[name] for name in ("T", "C", "M", "L", "Max")} == {
        "T": 0,
        "C": 2,
        "M": 2,
        "L": 1,
        "Max": 4,
    }
    assert rifle.facts["traits"] == ()
    assert launcher[:3] == ("weapon", "grenade_launcher", "Grenade Launcher")
    assert launcher.facts["Max"] == 3
    assert launcher.facts["rule"] == "D-EQ-W4"


def test_gear_of_a_bot_and_a_boat(starter: Encounter) -> None:
    robot, cutter = starter.sheets["starter-0A-3-1"].gear
    assert robot[:3] == ("bot", "basic_battlefield_robot", "Basic Battlefield Robot")
    assert robot.facts["traits"] == ("counts_as(battle_dress)", "no_panic", "must_be_led")
    assert cutter.key == "laser_cutter"
    assert cutter.facts["Max"] is None
    (raft,) = starter.sheets["starter-3A"].gear
    assert raft[:3] == ("vehicle", "inflatable_raft", "Inflatable Raft")
    assert raft.facts["Cap"] == 4
    assert starter.sheets["starter-1A"].gear == ()


def test_only_what_was_asked_for_is_mustered() -> None:
    state = encounter(read_force(EXAMPLE, catalogue())).state
    assert sum(entity.role == "unit" for entity in state) == 28
    assert "starter-3" not in state


def test_state_and_gear_are_values(starter: Encounter) -> None:
    assert State.from_text(starter.state.to_text()) == starter.state
    for sheet in starter.sheets.values():
        assert canonical([gear.facts for gear in sheet.gear])


def test_the_same_twice_and_in_a_new_process(force: Force, starter: Encounter) -> None:
    assert encounter(force) == starter
    code = (
        f"import sys; sys.path[:0] = {sys.path!r}\n"
        "from rallypoint.content import read_force\n"
        "from rallypoint.disrupter import catalogue, encounter\n"
        "print(encounter(read_force(sys.argv[1], catalogue(), with_optional=True)).state.digest)"
    )
    run = subprocess.run([sys.executable, "-c", code, str(EXAMPLE)], capture_output=True, check=True, encoding="ascii")
    assert run.stdout.strip() == starter.state.digest


def test_the_other_side(force: Force, starter: Encounter) -> None:
    blue = encounter(force, side="blue")
    assert blue.sheets["starter-1A"].code == "B-1A"
    assert blue.sheets["blue"].name == "Blue"
    assert [unit.uid for unit in blue.state.below("blue", "unit")] == [
        unit.uid for unit in starter.state.below("red", "unit")
    ]


@pytest.mark.parametrize("side", ["", " ", "1st", "rot weiß", "красные", "a/b"])
def test_a_side_that_is_no_name(side: str, force: Force) -> None:
    with pytest.raises(InputError) as caught:
        encounter(force, side=side)
    assert (caught.value.what, caught.value.found) == ("this cannot name a side", repr(side))


@pytest.mark.parametrize("title", ["Red", "Red Platoon", "Red-0A"])
def test_a_platoon_called_like_its_side(title: str, tmp_path: Path) -> None:
    state = encounter(small(tmp_path, title)).state
    assert len(state) == 6
    assert [entity.role for entity in state.children("red")] == ["platoon"]


def test_names_of_their_own(tmp_path: Path) -> None:
    force = small(tmp_path, "Small")
    (squad,) = force.platoon.squads
    (team,) = squad.teams

    def named(*names: str | None) -> list[str]:
        units = tuple(unit._replace(name=name, picture="me.png") for unit, name in zip(team.units, names, strict=True))
        platoon = force.platoon._replace(squads=(squad._replace(teams=(team._replace(units=units),)),))
        made = encounter(force._replace(platoon=platoon))
        assert {made.sheets[unit.uid].picture for unit in units} == {"me.png"}
        return [made.sheets[unit.uid].name for unit in units]

    assert named("Żółw-1", "狐 🦊") == ["Żółw-1", "狐 🦊"]
    assert named("Fox", "Fox") == ["Fox 0A-1", "Fox 0A-2"]
    assert named("Fox", None) == ["Fox", "CO 0A-2"]


def test_equipment_of_another_game(tmp_path: Path) -> None:
    force = small(tmp_path, "Small")
    (squad,) = force.platoon.squads
    (team,) = squad.teams
    for change, what in [
        ({"weapons": ("bow",)}, "unknown weapon"),
        ({"wears": "mail"}, "unknown armor"),
        ({"kind": "Elf"}, "unknown class"),
    ]:
        units = (team.units[0]._replace(**change),)  # type: ignore[arg-type]
        platoon = force.platoon._replace(squads=(squad._replace(teams=(team._replace(units=units),)),))
        with pytest.raises(InputError) as caught:
            encounter(force._replace(platoon=platoon))
        assert caught.value.what == what


def test_manifest() -> None:
    text = (resources.files("rallypoint.disrupter") / "rallypoint-plugin.toml").read_text("utf-8")
    read = tomllib.loads(text)
    assert (read["manifest"], read["name"], read["title"], read["rules"]) == (1, "disrupter", "Disrupter", ["D"])
    assert read["game"]["module"] == "rallypoint.disrupter"
    assert {"catalogue", "encounter", "encounter_of", "problems"} <= set(rallypoint.disrupter.__all__)


def test_importing_the_game_reads_no_table() -> None:
    code = (
        f"import sys; sys.path[:0] = {sys.path!r}\n"
        "import rallypoint.disrupter\n"
        "print([name for name in sys.modules if name.startswith(('rallypoint.content', 'tomllib', 'markdown_it'))])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, encoding="ascii")
    assert run.stdout.strip() == "[]"
