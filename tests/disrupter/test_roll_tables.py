"""The tables of panic as people roll on them: read off the rules by hand (D-PT 8.1, 8.2)."""

from __future__ import annotations

from pathlib import Path

from rallypoint.content import read_force
from rallypoint.content.scenario import read_scenario
from rallypoint.disrupter import catalogue, deployed, encounter, encounter_of, scenario_words
from rallypoint.disrupter.roll_tables import panic_tables
from rallypoint.kernel.encounter import Encounter

ROOT = Path(__file__).parents[2]
STARTER = ROOT / "examples" / "rosters" / "starter-platoon.md"
TEAM = [(1, 5, "suppressed", "Suppressed"), (6, 10, "retreated", "Retreated"), (11, 15, "routed", "Routed")]


def status(first: int) -> list[tuple[int, int, str, str]]:
    return [(face, face, "status_effect", f"Status effect {face}") for face in range(first, 21)]


def rows(encounter: Encounter, key: str) -> list[tuple[int, int, str, str]]:
    (table,) = [each for each in encounter.tables if each.key == key]
    assert table.die == (1, 20)
    return [(row.low, row.high, row.key, row.title) for row in table.rows]


def test_a_force_brings_both_tables() -> None:
    force = read_force(STARTER, catalogue())
    for found in (encounter(force), encounter_of({"red": force, "blue": force}, key="two", title="Two")):
        assert [table.title for table in found.tables] == ["Panic: team", "Panic: platoon"]
        assert rows(found, "team_panic") == TEAM + status(16)
        assert rows(found, "platoon_panic") == status(1)


def test_rows_cover_every_face_once() -> None:
    for pack in (None, "unofficial"):
        for table in panic_tables(pack):
            faces = [face for row in table.rows for face in range(row.low, row.high + 1)]
            assert faces == list(range(1, 21))


def test_our_stopgap_stands_only_where_nothing_is_written() -> None:
    team, platoon = panic_tables("unofficial")
    assert [(row.low, row.high, row.key) for row in team.rows] == [
        (1, 5, "suppressed"), (6, 10, "retreated"), (11, 15, "routed"), (16, 18, "frozen"), (19, 20, "routed"),
    ]  # fmt: skip
    assert [(row.low, row.high, row.key) for row in platoon.rows] == [
        (1, 5, "nothing"), (6, 10, "more_stress"), (11, 15, "unled_suppressed"), (16, 20, "all_suppressed"),
    ]  # fmt: skip
    assert team.title == "Panic: team (unofficial)"


def scenario(folder: Path, old: str = "", new: str = "") -> Encounter:
    text = (ROOT / "examples" / "scenarios" / "ford.toml").read_text(encoding="utf-8")
    assert old in text
    (folder / "s.toml").write_text(text.replace(old, new, 1), encoding="utf-8")
    read = read_scenario(folder / "s.toml", scenario_words())
    force = read_force(STARTER, catalogue())
    return deployed(read, {side.name: force for side in read.sides}).encounter


def test_a_scenario_brings_them_as_its_rulings_say(tmp_path: Path) -> None:
    found = scenario(tmp_path)
    assert rows(found, "team_panic") == TEAM + status(16)
    with_pack = scenario(tmp_path, "[options]", '[options]\n"D-PT-S" = "unofficial"')
    assert rows(with_pack, "platoon_panic")[0] == (1, 5, "nothing", "Nothing")
