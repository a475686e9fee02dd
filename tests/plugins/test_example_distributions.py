"""The two distributions in ``examples/`` build, and once installed they are on and take part in a battle."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from .distributions import ROOT, rallypoint

EXAMPLES = ("duel-game", "cold-steel")
SCRIPT = ROOT / "examples" / "cold-steel" / "battle.py"

pytest.importorskip("hatchling", reason="the examples' build backend; make test installs it")


def built(name: str, out: Path) -> Path:
    """Build the wheel of an example with what is installed here: nothing is fetched."""
    out.mkdir()
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-index"]
    command += ["--no-deps", "--no-build-isolation", "--wheel-dir", str(out), str(ROOT / "examples" / name)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=out)
    assert done.returncode == 0, done.stderr
    (wheel,) = out.glob("*.whl")
    return wheel


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    home = tmp_path_factory.mktemp("wheels")
    return {name: built(name, home / name) for name in EXAMPLES}


@pytest.fixture(scope="module")
def site(wheels: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that holds what an installer would put into an environment."""
    folder = tmp_path_factory.mktemp("installed") / "site"
    for wheel in wheels.values():
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(folder)
    return folder


def test_the_wheels_hold_their_manifests_and_the_rules_of_the_worked_example(site: Path) -> None:
    assert (site / "duel_game" / "rules.py").read_bytes() == (ROOT / "examples" / "duel.py").read_bytes()
    assert (site / "duel_game" / "rallypoint-plugin.toml").exists()
    assert (site / "cold_steel" / "rallypoint-plugin.toml").exists()


def test_both_are_on(site: Path) -> None:
    done = rallypoint("plugins", "--json", folder=site)
    assert done.returncode == 0, done.stderr
    rows = {row["name"]: row for row in json.loads(done.stdout)["plugins"]}
    assert {name: rows[name]["state"] for name in ("duel", "cold-steel", "disrupter")} == {
        "duel": "on",
        "cold-steel": "on",
        "disrupter": "on",
    }
    assert (rows["duel"]["distribution"], rows["duel"]["version"]) == ("duel-game", "1.0")
    assert (rows["cold-steel"]["needs"], rows["cold-steel"]["hooks"]) == (["duel 1.0"], ["fire_wounds"])


def test_the_plugin_alone_says_that_its_game_is_not_there(wheels: dict[str, Path], tmp_path: Path) -> None:
    folder = tmp_path / "site"
    with zipfile.ZipFile(wheels["cold-steel"]) as archive:
        archive.extractall(folder)
    done = rallypoint("plugins", "--json", folder=folder)
    (row,) = [row for row in json.loads(done.stdout)["plugins"] if row["name"] == "cold-steel"]
    assert row["state"] == "incompatible"
    assert "duel" in row["reason"]


def test_a_roster_is_mustered_as_before_when_the_duel_is_installed_too(site: Path) -> None:
    roster = ROOT / "examples" / "rosters" / "starter-platoon.md"
    done = rallypoint("muster", str(roster), folder=site)
    assert done.returncode == 0, done.stderr


def test_a_battle_cites_the_installed_plugin(site: Path) -> None:
    path = os.pathsep.join(map(str, (site, ROOT / "core")))
    done = subprocess.run(
        [sys.executable, "-W", "error", SCRIPT],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "check None None None",
        "check None None None",
        "plugin.answered cold-steel fire_wounds 3",
        "wounds None None None",
        "turn.passed None None None",
        "{'cold-steel': '1.0', 'duel': '1.0'}",
    ]
