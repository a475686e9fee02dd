"""Exports into a folder that holds an older one: files that are left alone, and uids that mean somebody else now."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rallypoint.cli.earlier_export import left_alone_lines, now_somebody_else
from rallypoint.kernel.encounter import Encounter, Sheet
from rallypoint.kernel.state import Entity, State

from ..plugins.distributions import rallypoint

HEAD = "# Green Platoon\n### Squad 1 - Infantry\n#### Team A\n"
CO = "* 1 CO - Combat Armor, Revolver\n"
SOLDIERS = "* 2 Soldiers - Combat Armor, Revolver\n"
BOT = "* 1 Bot - Basic Battlefield Robot, Laser Carbine\n"


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """Return an empty folder of distributions: the games and formats of the project are found without it."""
    folder = tmp_path / "site"
    folder.mkdir()
    information = folder / "rallypoint-0.1.dist-info"
    information.mkdir()
    packages = {"disrupter": "rallypoint.disrupter", "foundry": "rallypoint_foundry", "owlbear": "rallypoint_owlbear"}
    rows = "".join(f"{name} = {package}\n" for name, package in packages.items())
    (information / "entry_points.txt").write_text(f"[rallypoint.plugins]\n{rows}")
    return folder


def export(site: Path, form: str, text: str, *more: str) -> str:
    (site.parent / "green.md").write_text(text, encoding="utf-8")
    env = {"RALLYPOINT_PLUGINS": "disrupter,foundry,owlbear"}
    done = rallypoint("export", form, "green.md", "-o", "out", *more, folder=site, env=env)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.mark.parametrize("form", ["owlbear", "foundry"])
def test_a_bullet_that_is_inserted_above_is_said_at_the_next_export(site: Path, form: str) -> None:
    assert "somebody else" not in export(site, form, HEAD + CO + SOLDIERS)
    assert "somebody else" not in export(site, form, HEAD + CO + SOLDIERS)
    said = export(site, form, HEAD + CO + BOT + SOLDIERS, "--dry-run").splitlines()
    at = said.index("warning: uids mean somebody else than in the export that lies in out:")
    assert said[at + 1] == "  green-1A-2-1 was Soldier and is Bot now"
    assert said[at + 2].startswith("  Tokens and actors that are on a table keep their uids")
    document = json.loads(export(site, form, HEAD + CO + BOT + SOLDIERS, "--json"))
    assert document["now_somebody_else"] == [{"uid": "green-1A-2-1", "before": "Soldier", "now": "Bot"}]
    assert "somebody else" not in export(site, form, HEAD + CO + BOT + SOLDIERS)


@pytest.mark.parametrize("form", ["owlbear", "foundry"])
def test_a_new_name_or_another_place_makes_nobody_else_but_another_name_does(site: Path, form: str) -> None:
    export(site, form, HEAD + CO + SOLDIERS)
    assert "somebody else" not in export(site, form, HEAD + CO.rstrip() + " {name=Ana}\n" + SOLDIERS)
    assert "somebody else" not in export(
        site,
        form,
        HEAD + "* 1 Soldier - Combat Armor, Revolver {id=new}\n" + CO.rstrip() + " {id=green-1A-1-1, name=Ana}\n",
    )
    said = export(site, form, HEAD + CO.rstrip() + " {id=green-1A-1-1, name=Bo}\n" + SOLDIERS)
    (line,) = [each for each in said.splitlines() if " was " in each]
    assert line.startswith("  green-1A-1-1 was ")
    assert "Ana and is CO Bo now" in line


def test_another_encounter_in_the_folder_says_nothing(site: Path) -> None:
    export(site, "owlbear", HEAD + CO + SOLDIERS)
    file = site.parent / "out" / "encounter.owlbear.json"
    document = json.loads(file.read_text(encoding="utf-8"))
    document["encounter"]["key"] = "another"
    file.write_text(json.dumps(document), encoding="utf-8")
    assert "somebody else" not in export(site, "owlbear", HEAD + CO + BOT + SOLDIERS)


def test_what_cannot_be_read_says_nothing(tmp_path: Path) -> None:
    encounter = Encounter("k", "K", "g", State.of([Entity.new("a", "unit")]), {"a": Sheet("a", "Bot 1A-1", "Bot", "")})
    files = {"list.json": b"", "deep/list.json": b"", "list.txt": b""}
    assert now_somebody_else(tmp_path / "gone", files, encounter) == ()
    for broken in (b"", b"{", b"\xff", b"[" * 100_000, b"3", b'{"uid": 3, "name": "x"}'):
        (tmp_path / "list.json").write_bytes(broken)
        assert now_somebody_else(tmp_path, files, encounter) == ()
    (tmp_path / "list.json").write_text('[{"uid": "a", "name": "Soldier 1A-1"}]')
    ((uid, before, now),) = now_somebody_else(tmp_path, files, encounter)
    assert (uid, before, now) == ("a", "Soldier", "Bot")


def test_against_an_older_roster_the_export_says_what_moved(site: Path) -> None:
    (site.parent / "old.md").write_text(HEAD + CO + SOLDIERS, encoding="utf-8")
    said = export(site, "owlbear", HEAD + CO + BOT + SOLDIERS, "--against", "old.md").splitlines()
    assert "Since the older roster: 1 kept, 0 changed, 0 moved, 1 reused, 2 new, 1 gone" in said
    assert any(line.startswith("warning: green-1A-2-1 now means somebody else; ") for line in said)
    document = json.loads(export(site, "owlbear", HEAD + CO + BOT + SOLDIERS, "--against", "old.md", "--json"))
    assert document["moves"]["reused"] == ["green-1A-2-1"]
    assert document["moves"]["gone"] == ["green-1A-2-2"]


def test_units_that_are_gone_leave_files_that_are_named(site: Path) -> None:
    export(site, "foundry", HEAD + CO + SOLDIERS)
    (site.parent / "out" / "mine.txt").write_text("mine")
    said = export(site, "foundry", HEAD + CO).splitlines()
    at = said.index(
        "Files in out that this export did not make: 5, left alone; if they are of another export, remove the folder, or use another -o:"
    )
    named = [line.strip() for line in said[at + 1 : at + 6]]
    assert named == sorted(named)
    assert "mine.txt" in named
    assert sum(name.startswith("actors/fvtt-Actor-soldier-1a-") for name in named) == 2
    assert all((site.parent / "out" / name).is_file() for name in named)


def test_of_very_many_files_the_first_are_named(tmp_path: Path) -> None:
    lines = list(left_alone_lines(tmp_path, [f"{number:02}.txt" for number in range(23)], "the demo"))
    assert (
        lines[0]
        == f"Files in {tmp_path} that the demo did not make: 23, left alone; if they are of another export, remove the folder, or use another -o:"
    )
    assert lines[1:21] == [f"  {number:02}.txt" for number in range(20)]
    assert lines[21:] == ["  and 3 more"]
    assert list(left_alone_lines(tmp_path, [], "the demo")) == []
