"""content check, convert, and muster with packs, older rosters and --strict: what they print, write and return."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ..plugins.distributions import ROOT, rallypoint

PACK = 'pack = 1\nname = "p"\n[weapon.smart_rifle]\ntitle = "Smart Rifle"\nT = 0\nC = 1\nM = 3\nL = 2\nMax = 4\n'
ROSTER = "# Green\n### Squad 1\n#### Team A\n* 1 CO - Combat Armor, Smart-rifle\n* 1 Bot - Basic Battlefield Robot, Laser Carbine\n"


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """Return an empty folder of distributions; Disrupter is found in the checkout. A roster and a pack lie beside it."""
    folder = tmp_path / "site"
    folder.mkdir()
    (tmp_path / "green.md").write_text(ROSTER, "utf-8")
    (tmp_path / "p.toml").write_text(PACK, "utf-8")
    return folder


def run(*arguments: str, site: Path) -> tuple[int, str, str]:
    done = rallypoint(*arguments, folder=site)
    return done.returncode, done.stdout, done.stderr


def test_check_lists_what_was_read(site: Path) -> None:
    status, out, err = run("content", "check", "p.toml", site=site)
    assert (status, err) == (0, "")
    assert out.splitlines() == [
        "weapon  Smart Rifle  T 0 C 1 M 3 L 2 Max 4",
        "",
        "1 files, 1 found, 1 items, 0 left out, 0 sentences, 0 unknown, 1 weapon",
    ]


def test_check_says_no_when_something_is_not_understood(site: Path) -> None:
    page = (
        "# Bots\n## Ant\n| A | W | M |\n|-|-|-|\n| 50 | 1 | 1 |\n\n| Effect |\n|-|\n| Bites |\n\n| Who |\n|-|\n| me |\n"
    )
    (site.parent / "ant.md").write_text(page, "utf-8")
    status, out, _ = run("content", "check", "ant.md", site=site)
    assert status == 1
    assert "not known, kept as text: ant.md:9: Ant: Bites" in out
    assert "left out: ant.md:11: Who under Ant: a table of something else, not read" in out
    status, out, _ = run("content", "check", "ant.md", "p.toml", "--json", site=site)
    document = json.loads(out)
    assert status == 1
    assert document["counts"]["found"] == document["counts"]["items"] + document["counts"]["left_out"] == 3
    assert [item["key"] for item in document["items"]] == ["ant", "smart_rifle"]
    assert document["unknown"][0]["text"] == "Bites"


@pytest.mark.parametrize(
    ("text", "error"),
    [
        (PACK.replace("pack = 1", "pack = 3"), "error: p.toml:1: pack 3, this version reads 1"),
        (PACK.replace("weapon.", "wepon."), "did you mean weapon?"),
        (PACK.replace("C = 1", "C = "), "error: p.toml:6: this is not TOML"),
        ("", "p.toml: pack: a field is missing"),
        (None, "error: p.toml: there is no such file"),
    ],
)
def test_check_and_muster_refuse_a_pack_that_cannot_be_read(text: str | None, error: str, site: Path) -> None:
    file = site.parent / "p.toml"
    if text is None:
        file.unlink()
    else:
        file.write_text(text, "utf-8")
    for arguments in (
        ("content", "check", "p.toml"),
        ("muster", "green.md", "--content", "p.toml"),
        ("export", "owlbear", "green.md", "--content", "p.toml", "-o", "out"),
        ("convert", "green.md", "--content", "p.toml", "-o", "out.json"),
    ):
        status, out, err = run(*arguments, site=site)
        assert (status, out) == (2, "")
        assert error in err
        assert "Traceback" not in err
    assert not (site.parent / "out").exists()
    assert not (site.parent / "out.json").exists()


def test_check_against_an_older_version(site: Path) -> None:
    (site.parent / "old.toml").write_text(PACK.replace("C = 1", "C = 2"), "utf-8")
    status, out, _ = run("content", "check", "p.toml", "--against", "old.toml", site=site)
    assert status == 0
    assert out.splitlines()[-2:] == [
        "Since the older version: 1 changed, 0 added, 0 gone, 0 unchanged",
        "changed: weapon smart_rifle",
    ]


def test_a_roster_may_use_a_pack_and_is_refused_without(site: Path) -> None:
    status, out, _ = run("muster", "green.md", "--content", "p.toml", site=site)
    assert status == 0
    assert "Combat Armor, Smart Rifle" in out
    status, out, err = run("muster", "green.md", site=site)
    assert (status, out) == (2, "")
    assert "green.md:4: unknown weapon; found: Smart-rifle" in err
    assert "--content PATH" in err
    status, _, err = run("export", "foundry", "green.md", "--content", "p.toml", "-o", "out", site=site)
    assert (status, err) == (0, "")
    assert "Smart Rifle" in "".join(path.read_text("utf-8") for path in (site.parent / "out").rglob("*.json"))


def test_strict_says_no_to_warnings(site: Path) -> None:
    status, out, _ = run("muster", "green.md", "--content", "p.toml", "--strict", site=site)
    assert status == 1
    assert "warning: line 2: 1 team in Squad 1: at platoon scale 2 to 4 (D-AMB-12)" in out
    shutil.copy(ROOT / "examples" / "rosters" / "starter-platoon.md", site.parent)
    status, out, _ = run("muster", "starter-platoon.md", "--strict", site=site)
    assert status == 0
    assert "warning" not in out
    status, _, err = run("muster", "starter-platoon.md", "--scale", "army", site=site)
    assert status == 2
    assert "squad, platoon, section, company" in err


def test_the_schema_is_the_published_one(site: Path) -> None:
    status, out, _ = run("content", "schema", site=site)
    assert status == 0
    assert json.loads(out) == json.loads((ROOT / "docs" / "content-pack.schema.json").read_text("utf-8"))


@pytest.fixture
def starter(site: Path) -> Path:
    shutil.copy(ROOT / "examples" / "rosters" / "starter-platoon.md", site.parent)
    return site.parent


def test_convert_goes_round_and_says_what_it_wrote(site: Path, starter: Path) -> None:
    status, out, err = run("convert", "starter-platoon.md", "-o", "a.toml", site=site)
    assert status == 0
    assert out.startswith("Wrote a.toml: 36 read, 28 units, 8 left out, 3 squads, 7 teams")
    assert "note: line 11: Power Armor: read as Battle Dress" in err
    for old, new in (("a.toml", "b.csv"), ("b.csv", "c.json"), ("c.json", "d.md"), ("d.md", "e.toml")):
        assert run("convert", old, "-o", new, site=site)[0] == 0
    assert (starter / "e.toml").read_bytes() == (starter / "a.toml").read_bytes()
    page = (starter / "d.md").read_text("utf-8")
    assert "* 2 Soldiers - Battle Dress, Pulse Rifle w/ Grenade Launcher\n" in page
    assert "{" not in page


def test_convert_writes_over_nothing_and_with_dry_run_not_at_all(site: Path, starter: Path) -> None:
    (starter / "a.json").write_text("mine")
    status, out, err = run("convert", "starter-platoon.md", "-o", "a.json", site=site)
    assert (status, out) == (2, "")
    assert "this file is there already" in err
    assert (starter / "a.json").read_text() == "mine"
    status, out, _ = run("convert", "starter-platoon.md", "-o", "b.json", "--dry-run", site=site)
    assert status == 0
    assert json.loads(out)["title"] == "Starter Platoon"
    assert not (starter / "b.json").exists()
    assert run("convert", "starter-platoon.md", "-o", "a.json", "--force", site=site)[0] == 0
    assert json.loads((starter / "a.json").read_text("utf-8"))["roster"] == 1
    for wrong in (["-o", "a.yaml"], []):
        status, out, err = run("convert", "starter-platoon.md", *wrong, site=site)
        assert (status, out) == (2, "")
        assert err.startswith("error: ")


def test_a_cut_off_roster_leaves_the_old_file(site: Path, starter: Path) -> None:
    assert run("convert", "starter-platoon.md", "-o", "a.json", site=site)[0] == 0
    before = (starter / "a.json").read_bytes()
    (starter / "cut.json").write_bytes(before[: len(before) // 2])
    status, out, err = run("convert", "cut.json", "-o", "a.json", "--force", site=site)
    assert (status, out) == (2, "")
    assert err.startswith("error: cut.json:")
    assert "column" in err
    assert (starter / "a.json").read_bytes() == before


def test_muster_against_an_older_roster(site: Path, starter: Path) -> None:
    status, saved, _ = run("muster", "starter-platoon.md", "--json", site=site)
    (starter / "old.json").write_text(saved, "utf-8")
    page = (starter / "starter-platoon.md").read_text("utf-8")
    (starter / "new.md").write_text(page.replace("* 2 Soldiers - Power", "* 3 Soldiers - Power", 1), "utf-8")
    status, out, _ = run("muster", "new.md", "--against", "old.json", site=site)
    assert status == 0
    assert "Since the older roster: 36 kept, 0 changed, 0 moved, 0 reused, 1 new, 0 gone" in out
    assert "new: starter-0A-2-3" in out
    status, out, _ = run("muster", "new.md", "--against", "old.json", "--json", site=site)
    assert json.loads(out)["moves"]["new"] == ["starter-0A-2-3"]
    assert run("convert", "new.md", "--against", "old.json", "-o", "new.toml", site=site)[0] == 0


def test_a_crew_and_horrors_can_be_exported(site: Path) -> None:
    for name, units in (("salvage-crew.toml", 3), ("horrors.csv", 3)):
        shutil.copy(ROOT / "examples" / "rosters" / name, site.parent)
        for form in ("owlbear", "foundry"):
            status, _, err = run("export", form, name, "-o", f"{name}-{form}", site=site)
            assert (status, err) == (0, "")
            assert any(path.stat().st_size for path in (site.parent / f"{name}-{form}").rglob("*.json"))
        assert f"{units} read, {units} units" in run("muster", name, site=site)[1]


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_names_in_any_script_go_to_any_output(encoding: str, site: Path) -> None:
    name = "狐 O\N{RIGHT SINGLE QUOTATION MARK}Neil"
    unit = {"class": "CO", "armor": "combat_armor", "weapons": ["revolver"], "name": name}
    (site.parent / "crew.json").write_text(json.dumps({"title": "Отряд Ворон", "units": [unit]}), "utf-8")
    path = os.pathsep.join(str(ROOT / root) for root in ("core", "plugins", "adapters"))
    environment = {**os.environ, "PYTHONPATH": path, "PYTHONIOENCODING": encoding, "XDG_CONFIG_HOME": str(site)}
    for arguments in (
        ["muster", "crew.json"],
        ["convert", "crew.json", "-o", "x.csv", "--dry-run"],
        ["convert", "crew.json", "-o", "x.csv"],
        ["content", "check", "p.toml"],
        ["convert", "--help"],
        ["content", "check", "--help"],
    ):
        command = [sys.executable, "-m", "rallypoint", *arguments]
        done = subprocess.run(command, env=environment, cwd=site.parent, capture_output=True, check=False)
        assert (done.returncode, b"Traceback" in done.stderr) == (0, False), done.stderr
        done.stdout.decode(encoding)
    assert name in (site.parent / "x.csv").read_text("utf-8")


def test_all_equipment_is_listed_with_its_numbers(site: Path) -> None:
    status, out, err = run("content", "list", "--content", "p.toml", site=site)
    rows = [line.split() for line in out.splitlines()]
    assert (status, err) == (0, "")
    assert ["weapon", "T", "C", "M", "L", "Max", "traits"] in rows
    assert ["Smart", "Rifle", "0", "1", "3", "2", "4"] in rows
    # Rules: a Laser Carbine hits for 1, 2, 1 and any number of shots.
    assert ["Laser", "Carbine", "0", "1", "2", "1", "infinite", "bot_issue"] in rows
    assert ["CO", "80", "officer,", "commands_platoon"] in rows
    _, out, _ = run("content", "list", "--json", "--content", "p.toml", site=site)
    found = json.loads(out)
    assert list(found) == ["class", "weapon", "armor", "bot", "vehicle"]
    assert found["weapon"][-1]["numbers"] == {"T": 0, "C": 1, "M": 3, "L": 2, "Max": 4}


def test_muster_prints_the_numbers_on_request(site: Path) -> None:
    plain = run("muster", "green.md", "--content", "p.toml", site=site)[1]
    status, out, err = run("muster", "green.md", "--content", "p.toml", "--numbers", site=site)
    assert (status, err) == (0, "")
    assert out.startswith(plain)
    rows = [line.split() for line in out.removeprefix(plain).splitlines()]
    assert ["unit", "Instinct", "Armor", "Wounds", "Movement"] in rows
    assert ["green-1A-1-1", "80", "60", "2", "1"] in rows
    assert ["Smart", "Rifle", "0", "1", "3", "2", "4"] in rows
    document = json.loads(run("muster", "green.md", "--content", "p.toml", "--json", site=site)[1])
    assert document["numbers"]["green-1A-2-1"] == {"Instinct": 40, "Armor": 80, "Wounds": 1, "Movement": 2}
    assert document["equipment"]["weapon"]["smart_rifle"]["numbers"]["Max"] == 4
    # What it prints is a roster all the same.
    (site.parent / "again.json").write_text(json.dumps(document), "utf-8")
    again = json.loads(run("muster", "again.json", "--content", "p.toml", "--json", site=site)[1])
    assert (again["numbers"], again.get("extra")) == (document["numbers"], None)
