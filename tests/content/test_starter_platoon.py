"""The example platoon: what is in it, how its units are called, and what happens when its page is cut off."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable

import pytest

from rallypoint.content import Catalogue, Force, PageError, read_force
from rallypoint.kernel.canonical import canonical
from rallypoint.kernel.errors import InputError

from .conftest import EXAMPLE

# Squad, team, and a row for each line: how many, class, armour or model, weapons. From the published list.
ROBOT = "basic_battlefield_robot"
RIFLE = ("pulse_rifle", "grenade_launcher")
PLATOON: dict[tuple[int, str], list[tuple[int, str, str, tuple[str, ...]]]] = {
    (0, "Team A"): [
        (1, "CO", "combat_armor", ("revolver",)),
        (2, "Soldier", "battle_dress", RIFLE),
        (1, "Bot", ROBOT, ("laser_cutter",)),
    ],
    (1, "Team A"): [
        (1, "NCO", "battle_dress", (*RIFLE, "revolver")),
        (3, "Soldier", "combat_armor", RIFLE),
    ],
    (1, "Team B"): [
        (1, "Soldier", "combat_armor", ("flamethrower",)),
        (2, "Bot", ROBOT, ("laser_carbine",)),
        (1, "Bot", ROBOT, ("rocket_launcher",)),
    ],
    (1, "Team C"): [
        (1, "Soldier", "battle_dress", ("heavy_machine_gun",)),
        (2, "Bot", ROBOT, ("laser_carbine",)),
        (1, "Bot", ROBOT, ("laser_cutter",)),
    ],
    (3, "Boat A"): [
        (1, "NCO", "battle_dress", ("pulse_rifle", "rocket_launcher", "revolver")),
        (3, "Bot", ROBOT, ("laser_carbine",)),
    ],
    (3, "Boat B"): [
        (1, "Soldier", "combat_armor", ("pulse_rifle", "rocket_launcher")),
        (3, "Bot", ROBOT, ("laser_carbine",)),
    ],
}
# The second squad is like the first.
PLATOON |= {(2, team): rows for (squad, team), rows in PLATOON.items() if squad == 1}


@pytest.fixture(scope="module")
def starter(catalogue: Catalogue) -> Force:
    return read_force(EXAMPLE, catalogue)


@pytest.fixture(scope="module")
def with_boats(catalogue: Catalogue) -> Force:
    return read_force(EXAMPLE, catalogue, with_optional=True)


def test_counts(starter: Force) -> None:
    assert starter.counts == {
        "read": 36,
        "units": 28,
        "left_out": 8,
        "squads": 3,
        "teams": 7,
        "CO": 1,
        "NCO": 2,
        "Soldier": 12,
        "Bot": 13,
    }


def test_counts_with_boats(with_boats: Force) -> None:
    assert with_boats.counts == {
        "read": 36,
        "units": 36,
        "left_out": 0,
        "squads": 4,
        "teams": 9,
        "CO": 1,
        "NCO": 3,
        "Soldier": 13,
        "Bot": 19,
    }


def test_every_unit(with_boats: Force) -> None:
    read = {}
    for squad in with_boats.platoon.squads:
        for team in squad.teams:
            units = [(unit.kind, unit.wears, unit.weapons) for unit in team.units]
            read[squad.number, team.title] = units
    written = {
        place: [(kind, wears, weapons) for count, kind, wears, weapons in rows for _ in range(count)]
        for place, rows in PLATOON.items()
    }
    assert read == written


def test_structure(with_boats: Force) -> None:
    squads = with_boats.platoon.squads
    assert [(squad.number, squad.title, squad.optional) for squad in squads] == [
        (0, "Command", False),
        (1, "Infantry", False),
        (2, "Infantry", False),
        (3, "Inflatable Boats", True),
    ]
    assert [team.letter for squad in squads for team in squad.teams] == ["A", "A", "B", "C", "A", "B", "C", "A", "B"]
    assert [team.vehicle for team in squads[3].teams] == ["inflatable_raft", "inflatable_raft"]
    assert {team.vehicle for squad in squads[:3] for team in squad.teams} == {None}
    assert with_boats.title == "Starter Platoon"
    assert with_boats.key == "starter-platoon"


def test_lines(starter: Force, example: str) -> None:
    rows = example.split("\n")
    for unit in starter.units:
        assert re.match(rf"\* [0-9] {unit.kind}s? - ", rows[unit.line - 1])


def test_uids(starter: Force, with_boats: Force) -> None:
    assert [unit.uid for unit in starter.platoon.squads[0].units] == [
        "starter-0A-1-1",
        "starter-0A-2-1",
        "starter-0A-2-2",
        "starter-0A-3-1",
    ]
    assert [unit.uid for unit in with_boats.platoon.squads[3].units][-3:] == [
        "starter-3B-2-1",
        "starter-3B-2-2",
        "starter-3B-2-3",
    ]
    uids = [unit.uid for unit in with_boats.units]
    assert len(set(uids)) == 36
    assert all(re.fullmatch(r"[A-Za-z0-9-]{1,40}", uid) for uid in uids)
    # The boats' units come last and rename nobody.
    assert uids[:28] == [unit.uid for unit in starter.units]


def test_the_same_in_a_new_process(starter: Force) -> None:
    code = (
        "import sys; from rallypoint.content import read_force; from rallypoint.disrupter import catalogue; "
        "from rallypoint.kernel.canonical import canonical; "
        "sys.stdout.write(canonical(read_force(sys.argv[1], catalogue()).document()))"
    )
    import_path = ["-c", f"import sys; sys.path[:0] = {sys.path!r}; {code}"]
    run = subprocess.run(
        [sys.executable, "-X", "utf8", *import_path, str(EXAMPLE)], capture_output=True, check=True, encoding="utf-8"
    )
    assert run.stdout == canonical(starter.document())


def test_remarks(starter: Force) -> None:
    assert [str(remark) for remark in starter.remarks] == [
        "line 11: Power Armor: read as Battle Dress, in 6 places (D-AMB-33)",
        "line 11: GL: read as Grenade Launcher, in 5 places (D-AMB-43)",
        "line 20: Basical Battlefield Robot: read as Basic Battlefield Robot",
        "line 24: Basic Battllefield Robot: read as Basic Battlefield Robot",
        "line 37: Squad 3 - Inflatable Boats: optional, left out with its 8 units",
        "line 38: Boat: read as Inflatable Raft, in 2 places",
    ]


def test_with_boats_nothing_is_left_out(with_boats: Force) -> None:
    assert with_boats.left_out == ()
    assert not [remark for remark in with_boats.remarks if "left out" in remark.taken_as]


def test_document(starter: Force) -> None:
    document = json.loads(canonical(starter.document()))
    assert sorted(document) == ["counts", "key", "left_out", "platoon", "remarks", "title"]
    assert document["platoon"]["title"] == "Starter Platoon"
    squads = document["platoon"]["squads"]
    assert [squad["number"] for squad in squads] == [0, 1, 2]
    assert sum(len(team["units"]) for squad in squads for team in squad["teams"]) == 28
    assert squads[0]["teams"][0] == {
        "letter": "A",
        "title": "Team A",
        "vehicle": None,
        "units": [
            {
                "uid": "starter-0A-1-1",
                "kind": "CO",
                "armor": "combat_armor",
                "weapons": ["revolver"],
                "line": 10,
            },
            {
                "uid": "starter-0A-2-1",
                "kind": "Soldier",
                "armor": "battle_dress",
                "weapons": ["pulse_rifle", "grenade_launcher"],
                "line": 11,
            },
            {
                "uid": "starter-0A-2-2",
                "kind": "Soldier",
                "armor": "battle_dress",
                "weapons": ["pulse_rifle", "grenade_launcher"],
                "line": 11,
            },
            {
                "uid": "starter-0A-3-1",
                "kind": "Bot",
                "bot": "basic_battlefield_robot",
                "weapons": ["laser_cutter"],
                "line": 12,
            },
        ],
    }
    assert [squad["number"] for squad in document["left_out"]] == [3]
    assert document["counts"]["read"] == document["counts"]["units"] + document["counts"]["left_out"] == 36
    assert document["remarks"][2] == {
        "line": 20,
        "found": "Basical Battlefield Robot",
        "taken_as": "read as Basic Battlefield Robot",
        "rule": None,
        "severity": "note",
        "hint": None,
        "text": "line 20: Basical Battlefield Robot: read as Basic Battlefield Robot",
    }


def _units_above(rows: list[str]) -> int:
    """Count the units in the bullets of some lines, by their numbers alone."""
    return sum(int(row[2]) for row in rows if re.match(r"\* [0-9] ", row))


def test_cut_after_every_line(read: Callable[..., Force], example: str) -> None:
    rows = example.splitlines(keepends=True)
    whole, refused = [], []
    faults: list[InputError] = []
    for end in range(len(rows) + 1):
        text = "".join(rows[:end])
        try:
            force = read(text, with_optional=True)
        except PageError as error:
            refused.append(end)
            faults += error.problems
        else:
            whole.append(end)
            assert force.counts["units"] == _units_above(rows[:end])
    assert all(fault.line and fault.found and fault.expected and fault.hint for fault in faults)
    # Lines 1 to 7 come before any squad; a cut below a heading leaves it empty; only a cut below a bullet gives a page.
    headings = [number for number, row in enumerate(rows, 1) if row.startswith("#") and number > 7]
    assert refused == [*range(8), *headings]
    assert whole == [number for number, row in enumerate(rows, 1) if row.startswith("* ") and number > 7]


def test_cut_after_every_character(read: Callable[..., Force], example: str) -> None:
    start = example.index("### **Squad 2")
    rows = example.splitlines()
    for end in range(start, len(example)):
        text = example[:end]
        try:
            force = read(text, with_optional=True)
        except PageError:
            continue
        line = len(text.splitlines())
        if text.endswith("\n"):
            assert force.counts["units"] == _units_above(rows[:line])
            continue
        # A page that ends in the middle of a line is read only where the line can be read, and then a remark says so.
        last = force.remarks[-1]
        assert (last.line, last.found) == (line, text.splitlines()[-1].strip())
        assert last.taken_as == "the last line has no line end; is the file whole?"
        assert force.counts["units"] == _units_above(text.splitlines())


def test_a_lost_line_shows_in_the_counts_or_is_refused(read: Callable[..., Force], example: str) -> None:
    rows = example.splitlines(keepends=True)
    for gone in range(7, len(rows)):
        text = "".join(rows[:gone] + rows[gone + 1 :])
        if rows[gone].startswith("* "):
            assert read(text, with_optional=True).counts["units"] == 36 - int(rows[gone][2])
        elif re.search("Team [BC]|Boat B", rows[gone]):
            # Without this heading two teams run together: nobody is lost, and there is one team less.
            counts = read(text, with_optional=True).counts
            assert (counts["units"], counts["teams"]) == (36, 8)
        else:
            with pytest.raises(PageError):
                read(text, with_optional=True)
