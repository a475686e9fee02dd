"""muster, export and demo: what they print, what they write, and that a failure leaves everything as it was."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from ..plugins.distributions import ROOT, distribution, rallypoint

UIDS = ["green-1A-1-1", "green-1A-2-1"]


def tree(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_muster_prints_the_force(table: Path) -> None:
    done = rallypoint("muster", "roster.md", folder=table)
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0] == "Green Platoon  (green-platoon)"
    assert lines[1] == "Squad 1 Infantry"
    assert lines[2].split() == ["Team", "A"]
    assert lines[3].split() == [UIDS[0], "CO", "Combat", "Armor,", "Revolver"]
    assert lines[4].split() == [UIDS[1], "Soldier", "Battle", "Dress,", "Revolver"]
    assert "3 read, 2 units, 1 left out, 1 squad, 1 team, 1 CO, 1 Soldier" in lines
    assert any(line.startswith("note: line 5: Power Armor: read as Battle Dress") for line in lines)


def test_muster_in_json_and_with_the_optional_squads(table: Path) -> None:
    plain = json.loads(rallypoint("muster", "roster.md", "--json", folder=table).stdout)
    assert [unit["uid"] for unit in plain["platoon"]["squads"][0]["teams"][0]["units"]] == UIDS
    assert len(plain["platoon"]["squads"]) == 1
    full = json.loads(rallypoint("muster", "roster.md", "--json", "--with-optional", folder=table).stdout)
    assert [squad["optional"] for squad in full["platoon"]["squads"]] == [False, True]


def test_a_roster_with_a_fault_is_an_error_with_its_line(table: Path) -> None:
    (table.parent / "bad.md").write_text("# Bad\n### Squad 1 - X\n#### Team A\n* 1 CO - Combat Armor, Revolter\n")
    for arguments in (["muster", "bad.md"], ["export", "cards", "bad.md", "-o", "out"]):
        done = rallypoint(*arguments, folder=table)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith("error: bad.md:4: ")
        assert "Revolver" in done.stderr
        assert not (table.parent / "out").exists()


def test_export_writes_what_the_exporter_made(table: Path) -> None:
    done = rallypoint(
        "export", "cards", "roster.md", "-o", "out", "--side", "blue", "--copies", "3", "--cut-marks", folder=table
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert tree(table.parent / "out") == {
        "list.txt": "\n".join(["blue", *UIDS]).encode(),
        "deep/options.txt": b"[('copies', '3'), ('cut-marks', 'true'), ('kind', 'plain')]",
    }
    assert done.stdout.splitlines()[:5] == [
        "Wrote 2 files in out.",
        "Counts: 2 read, 2 units",
        "left out: the boat: no water → no boat",
        "note: a note",
        "Next:",
    ]


def test_options_left_out_have_the_manifests_defaults(table: Path) -> None:
    rallypoint("export", "cards", "roster.md", "-o", "out", folder=table)
    text = (table.parent / "out" / "deep" / "options.txt").read_text()
    assert text == "[('copies', '1'), ('cut-marks', 'false'), ('kind', 'plain')]"


def test_a_dry_run_writes_nothing_and_needs_no_folder(table: Path) -> None:
    for arguments in ([], ["-o", "out"]):
        done = rallypoint("export", "cards", "roster.md", "--dry-run", *arguments, folder=table)
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.startswith("Would write 2 files")
        assert "  list.txt  (29 bytes)" in done.stdout.splitlines()  # red, two uids of 12, two line ends
        assert not (table.parent / "out").exists()
    done = rallypoint("export", "cards", "roster.md", folder=table)
    assert (done.returncode, done.stderr) == (
        2,
        "error: the export needs a folder; expected: -o FOLDER; --dry-run needs none\n",
    )


def test_json_says_what_was_written(table: Path) -> None:
    done = rallypoint("export", "cards", "roster.md", "-o", "out", "--json", folder=table)
    said = json.loads(done.stdout)
    assert said["written"] is True
    assert said["files"][0] == {"path": "list.txt", "bytes": 29}
    assert said["left_out"] == ["the boat: no water → no boat"]
    assert (
        json.loads(rallypoint("export", "cards", "roster.md", "--dry-run", "--json", folder=table).stdout)["written"]
        is False
    )


def test_other_files_are_left_alone_and_old_ones_replaced(table: Path) -> None:
    out = table.parent / "out"
    out.mkdir()
    (out / "mine.txt").write_text("mine")
    (out / "list.txt").write_text("old")
    done = rallypoint("export", "cards", "roster.md", "-o", "out", folder=table)
    assert (
        "Files in out that this export did not make: 1, left alone; if they are of another export, remove the folder, or use another -o:\n  mine.txt\n"
        in done.stdout
    )
    assert (out / "mine.txt").read_text() == "mine"
    assert (out / "list.txt").read_text().startswith("red\n")
    assert sorted(tree(out)) == ["deep/options.txt", "list.txt", "mine.txt"]


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("fails", "error: exporter cards: ZeroDivisionError: by zero"),
        ("refuses", "error: nobody to export; found: 0 units"),
        (
            "nothing",
            "error: plugin cards: exporter cards gave something else; found: what it gave: NoneType; expected: Export",
        ),
        ("outside", "error: plugin cards: an exporter gave a name that cannot be a file; found: '../x'"),
        ("absolute", "error: plugin cards: an exporter gave a name that cannot be a file; found: '/x'"),
        ("reserved", "error: plugin cards: an exporter gave a name that cannot be a file; found: 'con.txt'"),
        ("twice", "error: plugin cards: an exporter gave two names for one file; found: list.txt, LIST.txt"),
    ],
)
def test_an_exporter_that_fails_is_named_and_nothing_is_written(table: Path, kind: str, said: str) -> None:
    done = rallypoint("export", "cards", "roster.md", "-o", "out", "--kind", kind, folder=table)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", said + "\n")
    assert not (table.parent / "out").exists()


def test_the_output_cannot_be_a_file(table: Path) -> None:
    (table.parent / "out").write_text("mine")
    for out in ("out", "out/deeper"):
        done = rallypoint("export", "cards", "roster.md", "-o", out, folder=table)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith(f"error: {out}: the output must be a folder;")
    assert (table.parent / "out").read_text() == "mine"


def test_one_game_is_used_and_of_several_one_must_be_chosen(table: Path) -> None:
    distribution(
        table,
        "other",
        {"__init__.py": "raise ValueError('bad game')"},
        manifest='[game]\nmodule = "pkg_other"\nrosters = true\n',
    )
    done = rallypoint("muster", "roster.md", folder=table)
    assert done.returncode == 2
    assert "more than one game with rosters is installed; expected: one of " in done.stderr
    assert "--game other" in done.stderr
    assert rallypoint("muster", "roster.md", "--game", "skirmish", folder=table).returncode == 0
    assert rallypoint("-p", "no:other", "-p", "no:disrupter", "muster", "roster.md", folder=table).returncode == 0
    done = rallypoint("muster", "roster.md", "--game", "skirmsh", folder=table)
    assert (done.returncode, done.stderr) == (
        2,
        "error: there is no such game; found: skirmsh; did you mean skirmish?\n",
    )
    done = rallypoint("muster", "roster.md", "--game", "other", folder=table)
    assert done.returncode == 2
    assert done.stderr == (
        "error: plugin other: cannot be imported: ValueError: bad game; found: pkg_other; "
        "rallypoint plugin disable other does without it\n"
    )
    done = rallypoint("--no-plugins", "muster", "roster.md", folder=table)
    assert (done.returncode, done.stderr) == (
        2,
        "error: no game with rosters is installed and on; rallypoint plugins lists what is there, and why not\n",
    )


def test_a_game_without_rosters_is_never_in_the_way_and_is_refused_in_plain_words(table: Path) -> None:
    duel = {"__init__.py": "raise ValueError('imported')"}
    distribution(table, "duel", duel, manifest='[game]\nmodule = "pkg_duel"\n')
    done = rallypoint("muster", "roster.md", folder=table)
    assert (done.returncode, done.stderr) == (0, "")
    done = rallypoint("muster", "roster.md", "--game", "duel", folder=table)
    assert (done.returncode, done.stdout) == (2, "")
    said = "this game has no rosters, so nothing can be mustered for it; found: duel; games with rosters: skirmish"
    assert done.stderr == f"error: {said}\n"
    done = rallypoint("-p", "no:skirmish", "muster", "roster.md", folder=table)
    assert (done.returncode, done.stderr.split(";")[0]) == (2, "error: no game with rosters is installed and on")


def test_what_a_plugin_has_that_is_off_is_said_to_be_off(table: Path) -> None:
    rallypoint("plugin", "disable", "cards", folder=table)
    back = "; rallypoint plugin enable cards takes it back\n"
    done = rallypoint("export", "cards", "roster.md", folder=table)
    assert (done.returncode, done.stderr) == (2, f"error: the format cards is off; found: plugin cards: disabled{back}")
    done = rallypoint("import", "owlbear", "x.json", folder=table)
    assert done.stderr.startswith("error: the format owlbear is off; found: plugin owlbear: disabled; ")
    done = rallypoint("muster", "roster.md", "--game", "disrupter", folder=table)
    assert done.stderr.startswith("error: the game disrupter is off; found: plugin disrupter: disabled; ")
    done = rallypoint("-p", "no:skirmish", "muster", "roster.md", "--game", "skirmish", folder=table)
    assert done.stderr == "error: the game skirmish is off; found: plugin skirmish: -p no:skirmish\n"
    done = rallypoint("export", "stamps", "roster.md", folder=table)
    assert done.stderr.startswith("error: there is no such format; found: stamps")


def test_what_cannot_be_written_is_not_said_to_be_unreadable(table: Path) -> None:
    done = rallypoint("convert", "roster.md", "-o", "roster.xlsx", folder=table)
    assert done.returncode == 2
    assert done.stderr.startswith(
        "error: roster.xlsx: rosters of this kind are not written; found: .xlsx; expected: .md,"
    )


def test_what_else_is_installed_changes_no_test(table: Path) -> None:
    """A game that musters lies beside the tests' own Python: the runs of the tests do not see it."""
    beside = table.parent / "beside"
    beside.mkdir()
    distribution(beside, "whist", {"__init__.py": ""}, manifest='[game]\nmodule = "pkg_whist"\nrosters = true\n')
    done = rallypoint("muster", "roster.md", folder=table, beside=[beside])
    assert (done.returncode, done.stderr) == (0, "")


@pytest.fixture
def whole(tmp_path: Path) -> Path:
    """Return a folder in which the project itself is installed: the real game and both real exporters."""
    information = tmp_path / "site" / "rallypoint-0.1.dist-info"
    information.mkdir(parents=True)
    packages = {"disrupter": "rallypoint.disrupter", "foundry": "rallypoint_foundry", "owlbear": "rallypoint_owlbear"}
    rows = "".join(f"{name} = {package}\n" for name, package in packages.items())
    (information / "entry_points.txt").write_text(f"[rallypoint.plugins]\n{rows}")
    return tmp_path / "site"


ONLY = {"RALLYPOINT_PLUGINS": "disrupter,foundry,owlbear"}


@pytest.fixture
def on_path(tmp_path: Path) -> dict[str, str]:
    """Return an environment whose shell finds a program of the name ``rallypoint``."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ("rallypoint", "rallypoint.exe"):
        (folder / name).write_text("")
        (folder / name).chmod(0o755)
    return {**ONLY, "PATH": str(folder)}


def test_demo_exports_the_example_to_every_format(whole: Path, on_path: dict[str, str]) -> None:
    done = rallypoint("demo", "-o", "out", folder=whole, env=on_path)
    assert (done.returncode, done.stderr) == (0, "")
    out = whole.parent / "out"
    assert sorted(path.name for path in out.iterdir()) == ["foundry", "owlbear", "starter-platoon.md"]
    assert "36 read, 28 units, 8 left out, 3 squads, 7 teams, 13 Bots, 1 CO, 2 NCOs, 12 Soldiers" in done.stdout
    assert len(list((out / "foundry" / "actors").iterdir())) == 29  # 28 units and the platoon
    assert done.stdout.splitlines()[-4:] == [
        "Next, a platoon of your own: copy the roster to my-platoon.md, change it, then:",
        "  rallypoint muster my-platoon.md",
        "  rallypoint export foundry my-platoon.md -o my-foundry",
        "  rallypoint export owlbear my-platoon.md -o my-owlbear",
    ]
    first = tree(out)
    again = rallypoint("demo", "-o", "out", folder=whole, env=on_path)
    assert again.stdout == done.stdout
    assert tree(out) == first


def test_a_second_demo_keeps_the_roster_that_was_changed(whole: Path) -> None:
    rallypoint("demo", "-o", "out", folder=whole, env=ONLY)
    roster = whole.parent / "out" / "starter-platoon.md"
    example = roster.read_text(encoding="utf-8")
    mine = example.replace("* 1 CO - Combat Armor, Revolver", '* 1 CO - Combat Armor, Revolver {name="Ana"}')
    assert mine != example
    roster.write_text(mine, encoding="utf-8")
    done = rallypoint("demo", "-o", "out", folder=whole, env=ONLY)
    assert (done.returncode, done.stderr) == (0, "")
    assert roster.read_text(encoding="utf-8") == mine
    assert "you changed it, so it was kept, and exported as it is; --force puts the example back" in done.stdout
    assert "Ana" in (whole.parent / "out" / "foundry" / "encounter.json").read_text(encoding="utf-8")
    done = rallypoint("demo", "-o", "out", "--force", folder=whole, env=ONLY)
    assert "you changed it" not in done.stdout
    assert roster.read_text(encoding="utf-8") == example
    roster.write_text("# Nobody\n", encoding="utf-8")
    before = tree(whole.parent / "out")
    done = rallypoint("demo", "-o", "out", folder=whole, env=ONLY)
    assert done.returncode == 2
    assert done.stderr.startswith("error: out/starter-platoon.md:1: no squad in this page")
    assert tree(whole.parent / "out") == before


def test_where_the_shell_finds_no_rallypoint_the_demo_says_how_it_was_started(whole: Path) -> None:
    done = rallypoint("demo", "-o", "out", folder=whole, env={**ONLY, "PATH": "nowhere"})
    assert f"  {sys.executable} -m rallypoint muster my-platoon.md" in done.stdout.splitlines()


def test_the_platoon_with_its_boats(whole: Path) -> None:
    roster = str(ROOT / "examples" / "rosters" / "starter-platoon.md")
    done = rallypoint("muster", roster, "--json", "--with-optional", folder=whole, env=ONLY)
    counts = json.loads(done.stdout)["counts"]
    assert (counts["units"], counts["teams"], counts["left_out"]) == (36, 9, 0)
    for form in ("foundry", "owlbear"):
        done = rallypoint("export", form, roster, "-o", "out", folder=whole, env=ONLY)
        assert (done.returncode, done.stderr) == (0, "")


def test_without_a_vtt_the_demo_says_so(whole: Path, on_path: dict[str, str]) -> None:
    done = rallypoint("demo", "-o", "out", folder=whole, env={**on_path, "RALLYPOINT_PLUGINS": "disrupter"})
    assert done.returncode == 0
    assert done.stdout.endswith("No VTT is installed and on: rallypoint plugins says why.\n")


def test_the_bundled_plugins_are_sound(whole: Path) -> None:
    done = rallypoint("plugins", "--json", "--strict-plugins", folder=whole, env=ONLY)
    states = {row["name"]: (row["state"], row["reason"]) for row in json.loads(done.stdout)["plugins"]}
    assert states == dict.fromkeys(("disrupter", "foundry", "owlbear"), ("on", ""))
    assert done.returncode == 0


def test_words_that_another_file_does_not_get_are_named(table: Path) -> None:
    page = (table.parent / "roster.md").read_text(encoding="utf-8")
    (table.parent / "told.md").write_text("Long ago.\n\nAnd far away.\n\n" + page, encoding="utf-8")
    said = "note: told.md has words besides the roster (paragraphs: 2); they are not in told.toml"
    done = rallypoint("convert", "told.md", "-o", "told.toml", folder=table)
    assert (done.returncode, said in done.stderr) == (0, True)
    commented = "# ours\n" + (table.parent / "told.toml").read_text(encoding="utf-8")
    (table.parent / "told.toml").write_text(commented, encoding="utf-8")
    done = rallypoint("convert", "told.toml", "-o", "told.csv", folder=table)
    assert "note: told.toml has words besides the roster (comments: 1); they are not in told.csv" in done.stderr
    assert "besides" not in rallypoint("convert", "told.csv", "-o", "again.toml", folder=table).stderr
