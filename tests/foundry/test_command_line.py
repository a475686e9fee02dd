"""From the command line: options, faults before the first write, packs in a folder, and actors carried back by hand."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from .requirements import cli_path, need_cli

Json = dict[str, Any]
ROOT = Path(__file__).parents[2]
STARTER = ROOT / "examples" / "rosters" / "starter-platoon.md"


class Table:
    """A folder with a roster, and the program run in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        shutil.copy(STARTER, folder / "platoon.md")

    def run(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        own = {name: str(self.folder / "home") for name in ("HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME")}
        return subprocess.run(
            [sys.executable, "-m", "rallypoint", *arguments], cwd=self.folder, env={**os.environ, **own, **environment},
            capture_output=True, text=True, encoding="utf-8", check=False,
        )  # fmt: skip

    def good(self, *arguments: str, **environment: str) -> str:
        done = self.run(*arguments, **environment)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def refused(self, *arguments: str, **environment: str) -> str:
        before = sorted(path for path in self.folder.rglob("*") if "home" not in path.parts)
        done = self.run(*arguments, **environment)
        assert done.returncode == 2, done.stdout
        assert "Traceback" not in done.stderr
        assert sorted(path for path in self.folder.rglob("*") if "home" not in path.parts) == before
        return " ".join(done.stderr.split())


@pytest.fixture
def table(tmp_path: Path) -> Table:
    return Table(tmp_path)


def read(path: Path) -> Json:
    return dict(json.loads(path.read_bytes()))


def test_a_platoon_becomes_a_module(table: Table) -> None:
    said = table.good("export", "foundry", "platoon.md", "-o", "out")
    # 28 units and the platoon; a side and three squads (with the command squad) are folders
    assert "29 actors, 4 folders" in said
    assert "28 combatants, 28 tokens" in said
    module = table.folder / "out" / "rallypoint-starter-platoon"
    assert sorted(path.name for path in module.iterdir()) == [
        "board.svg", "encounter.json", "module.json", "packs", "rallypoint.mjs",
    ]  # fmt: skip
    assert (module / "encounter.json").read_bytes() == (table.folder / "out" / "encounter.json").read_bytes()
    (scene,) = read(module / "encounter.json")["scenes"]
    assert len(scene["tokens"]) == 28


@pytest.mark.parametrize("file", ["platoon.md", str(ROOT / "examples" / "scenarios" / "ford.toml")])
def test_the_tables_of_panic_come_along(table: Table, file: str) -> None:
    said = table.good("export", "foundry", file, "-o", "out")
    assert "2 tables" in said
    team, platoon = read(table.folder / "out" / "encounter.json")["tables"]
    assert (team["name"], platoon["name"]) == ("Panic: team", "Panic: platoon")
    assert (team["formula"], platoon["formula"]) == ("1d20", "1d20")
    assert [(row["range"], row["name"], row["weight"]) for row in team["results"]][:4] == [
        ([1, 5], "Suppressed", 5), ([6, 10], "Retreated", 5), ([11, 15], "Routed", 5), ([16, 16], "Status effect 16", 1),
    ]  # fmt: skip
    assert [row["range"] for row in platoon["results"]] == [[face, face] for face in range(1, 21)]
    # rows that nobody has written point to the system's own table, by the setting that names it
    for each in (team, platoon):
        assert each["flags"]["rallypoint"]["setting"] == "table1ePanicStressNormal"
        assert "the setting table1ePanicStressNormal of mosh names" in each["description"]


def test_the_board_of_a_scenario_shows_zones_and_rally_points(table: Table) -> None:
    table.good("export", "foundry", str(ROOT / "examples" / "scenarios" / "ford.toml"), "-o", "out")
    (module,) = [path for path in (table.folder / "out").iterdir() if path.is_dir() and path.name != "actors"]
    picture = (module / "board.svg").read_text(encoding="utf-8")
    for name in (">Quarry<", ">Old mill<", ">Tower<", ">unmanned<", ">vehicle<", ">L12<"):
        assert name in picture
    # red begins in two rows of twelve, and so does blue
    assert [picture.count(f'fill="{colour}" fill-opacity="0.08"') for colour in ("#8c1515", "#174ea6")] == [24, 24]


def test_help_names_the_options(table: Table) -> None:
    said = " ".join(table.good("export", "foundry", "--help").split())
    for option in ("--profile", "--core [12|13|14]", "--as [contractor|disrupter]", "--pack / --no-pack"):
        assert option in said


@pytest.mark.parametrize(
    ("profile", "core"),
    [("mosh-0.5.27", "12"), ("mosh-0.6.1", "13"), ("mosh-0.6.1", "14"), ("mothershiprpg-0.1.0", "13"),
     ("mothershiprpg-0.1.0", "14")],
)  # fmt: skip
@pytest.mark.parametrize("meaning", ["contractor", "disrupter"])
def test_every_legal_choice(table: Table, profile: str, core: str, meaning: str) -> None:
    table.good("export", "foundry", "platoon.md", "-o", "out", "--profile", profile, "--core", core, "--as", meaning)
    document = read(table.folder / "out" / "encounter.json")
    assert (document["system"]["id"], document["core"]["generation"]) == (profile.rpartition("-")[0], int(core))
    assert document["as"] == meaning
    captain = next(actor for actor in document["actors"] if actor["flags"]["rallypoint"]["class"] == "CO")
    assert captain["system"]["stats"]["instinct"]["value"] == (35 if meaning == "contractor" else 80)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--profile", "mosh-0.5.27", "--core", "13"], "mosh-0.5.27 with core 12"),
        (["--profile", "mosh"], "there is no such profile"),
        (["--profile", "nowhere.toml"], "nowhere.toml: the profile cannot be read"),
        (["--core", "11"], "'11' is not one of '12', '13', '14'"),
        (["--as", "droid"], "'droid' is not one of 'contractor', 'disrupter'"),
    ],
)
def test_an_illegal_choice_writes_nothing(table: Table, arguments: list[str], says: str) -> None:
    assert says in table.refused("export", "foundry", "platoon.md", "-o", "out", *arguments)


def test_a_profile_with_a_slip_writes_nothing(table: Table) -> None:
    text = 'profile = 1\nextends = "mosh-0.6.1"\n[weapon.pulse_rifle]\ndamge = "4d10"\n'
    (table.folder / "house.toml").write_text(text, encoding="utf-8")
    said = table.refused("export", "foundry", "platoon.md", "-o", "out", "--profile", "house.toml")
    assert "house.toml: profile.weapon.pulse_rifle.damge" in said
    assert "did you mean damage?" in said


def test_names_of_any_script_through_a_narrow_terminal(table: Table) -> None:
    page = table.folder / "platoon.md"
    text = page.read_text(encoding="utf-8")
    page.write_text(text.replace("# Starter Platoon", "# Отряд 'Ворон' 狐", 1), encoding="utf-8")
    for encoding in ("ascii", "cp1252"):
        done = table.run("export", "foundry", "platoon.md", "-o", "out", PYTHONIOENCODING=encoding)
        assert done.returncode == 0, done.stderr
    names = [folder["name"] for folder in read(table.folder / "out" / "encounter.json")["folders"]]
    assert any("Отряд 'Ворон' 狐" in name for name in names)
    assert all(path.name.isascii() for path in (table.folder / "out").rglob("*"))


def test_a_third_export_changes_nothing(table: Table) -> None:
    def state() -> dict[str, bytes]:
        out = table.folder / "out"
        return {str(path.relative_to(out)): path.read_bytes() for path in out.rglob("*") if path.is_file()}

    seen = []
    for _ in range(3):
        table.good("export", "foundry", "platoon.md", "-o", "out")
        seen.append(state())
    assert seen[0] == seen[1] == seen[2]


def test_one_bad_unit_of_many_stops_everything(table: Table) -> None:
    squads = ["# Company"]
    for squad in range(1, 41):
        squads += [
            f"### **Squad {squad} - Infantry**",
            *[f"#### **Team {team}**\n* 4 Soldiers - Combat Armor, Pulse Rifle" for team in "ABC"],
        ]
    (table.folder / "company.md").write_text(
        "\n".join([*squads, "* 1 Soldier - Combat Armor, Lazer"]), encoding="utf-8"
    )
    assert "Lazer" in table.refused("export", "foundry", "company.md", "-o", "out")


def test_without_node_the_export_goes_on_and_says_so(table: Table) -> None:
    said = table.good("export", "foundry", "platoon.md", "-o", "out", "--pack", PATH=str(table.folder))
    assert "nothing was packed: Node is not there" in said
    assert read(table.folder / "out/rallypoint-starter-platoon/module.json")["packs"] == []


def test_packs_in_the_folder(table: Table) -> None:
    need_cli()
    table.good("export", "foundry", "platoon.md", "-o", "out", "--pack", PATH=cli_path())
    module = table.folder / "out/rallypoint-starter-platoon"
    assert [pack["name"] for pack in read(module / "module.json")["packs"]] == ["encounter", "units"]
    back = table.folder / "back"
    subprocess.run(
        ["fvtt", "package", "unpack", "-n", "units", "--type", "Module", "--in", str(module / "packs"), "--out", str(back)],
        check=True, capture_output=True, env={**os.environ, "PATH": cli_path()},
    )  # fmt: skip
    assert len(list(back.glob("*.json"))) == 29 + 4
    # the database library has opened the pack: a lock and a log of its own lie there now, and another export clears them
    assert (module / "packs/units/LOG").exists()
    table.good("export", "foundry", "platoon.md", "-o", "out", "--pack", PATH=cli_path())
    assert not (module / "packs/units/LOG").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="holds a lock as POSIX programs do")
def test_a_held_pack_has_an_exit_status_of_its_own(table: Table) -> None:
    need_cli()
    import fcntl

    table.good("export", "foundry", "platoon.md", "-o", "out", "--pack", PATH=cli_path())
    out = table.folder / "out"
    lock = out / "rallypoint-starter-platoon/packs/units/LOCK"
    with lock.open("w") as stream:
        fcntl.lockf(stream, fcntl.LOCK_EX)
        before = {path: path.read_bytes() for path in out.rglob("*") if path.is_file() and path != lock}
        done = table.run("export", "foundry", "platoon.md", "-o", "out", "--pack", "--as", "disrupter", PATH=cli_path())
        assert {path: path.read_bytes() for path in out.rglob("*") if path.is_file() and path != lock} == before
    assert done.returncode == 3
    assert "open in another program" in done.stderr


def test_wounds_are_carried_back_by_hand(table: Table) -> None:
    table.good("export", "foundry", "platoon.md", "-o", "out")
    first, second = sorted((table.folder / "out/actors").glob("*-soldier-*.json"))[:2]
    actor = read(first)
    assert actor["system"]["hits"]["value"] == 0
    actor["system"]["hits"]["value"] = 1
    actor.pop("_id")
    first.write_text(json.dumps(actor), encoding="utf-8")
    table.good("import", "foundry", "out/encounter.json", "-o", "mine.toml")
    before = (table.folder / "mine.toml").read_text(encoding="utf-8")
    table.good("import", "foundry", str(first), str(second), "--into", "mine.toml")
    after = (table.folder / "mine.toml").read_text(encoding="utf-8")
    new = [line for line in after.splitlines() if line not in before.splitlines()]
    assert new
    assert all("wounds" in line.lower() for line in new)
    table.good("export", "foundry", "mine.toml", "-o", "again")
    hits = {
        each["flags"]["rallypoint"]["uid"]: each["system"]["hits"]["value"]
        for each in read(table.folder / "again/encounter.json")["actors"]
    }
    assert hits[actor["flags"]["rallypoint"]["uid"]] == 1
    assert sum(hits.values()) == 1


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("{", "this is not JSON"),
        ('{"format": "rallypoint.foundry.encounter", "version": 9}', "a newer form of encounter"),
    ],
)
def test_a_file_that_cannot_be_read_writes_nothing(table: Table, content: str, says: str) -> None:
    (table.folder / "a.json").write_text(content, encoding="utf-8")
    assert says in table.refused("import", "foundry", "a.json", "-o", "mine.toml")


def test_actor_files_are_the_same_roster_again(table: Table) -> None:
    page = table.folder / "platoon.md"
    text = page.read_text(encoding="utf-8").replace("# Starter Platoon", "# Отряд Ворон", 1)
    page.write_text(text, encoding="utf-8")
    table.good("convert", "platoon.md", "-o", "before.toml")
    before = (table.folder / "before.toml").read_text(encoding="utf-8")
    # a field of a team that nobody here knows
    before = before.replace('letter = "A"\n', 'letter = "A"\ncallsign = "Raven"\n', 1)
    (table.folder / "before.toml").write_text(before, encoding="utf-8")
    table.good("export", "foundry", "before.toml", "-o", "out", "--with-optional")
    actors = sorted(str(path.relative_to(table.folder)) for path in (table.folder / "out/actors").iterdir())
    table.good("import", "foundry", *actors, "-o", "after.toml")
    after = (table.folder / "after.toml").read_text(encoding="utf-8")
    assert 'callsign = "Raven"' in after
    assert 'title = "Отряд Ворон"' in after
    table.good("convert", "before.toml", "-o", "before.json")
    table.good("convert", "after.toml", "-o", "after.json")
    one, two = (read(table.folder / f"{name}.json") for name in ("before", "after"))
    for squad in one["squads"]:
        squad.pop("optional", None)  # a table has no optional squads: those that were exported are there
    assert two == one
