"""Broken plugins of every kind beside good ones: each is a row with a reason, the others work, exit status 0."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ..plugins.distributions import distribution, game, hooked, rallypoint

GOOD = "@hookimpl\ndef fire_wounds(wounds):\n    return wounds + 1"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("broken") / "site"
    folder.mkdir()
    game(folder)
    hooked(folder, "good", GOOD)
    hooked(folder, "import-error", "import nowhere_to_be_found")
    hooked(folder, "exits", "raise SystemExit(7)")
    hooked(folder, "syntax", "def fire_wounds(wounds:\n    return")
    hooked(folder, "api", GOOD, needs="2")
    distribution(folder, "bare", manifest=None)
    hooked(folder, "misspelt", "@hookimpl\ndef fire_wound(wounds): ...")
    hooked(folder, "unknown-argument", "@hookimpl\ndef fire_wounds(bullets): ...")
    hooked(folder, "keyword-only", "@hookimpl\ndef fire_wounds(*, wounds): ...")
    hooked(folder, "defaulted", "@hookimpl\ndef fire_wounds(wounds=10): ...")
    hooked(folder, "asynchronous", "@hookimpl\nasync def fire_wounds(wounds): ...")
    distribution(folder, "twin", package="twin_one", version="1.0", entry="twin")
    distribution(folder, "other-twin", package="twin_two", version="2.0", entry="twin")
    distribution(folder, "garbage", manifest="][")
    distribution(folder, "typo", manifest='tilte = "x"')
    return folder


EXPECTED = {
    "good": ("on", ""),
    "skirmish": ("on", ""),
    "import-error": ("broken", "ModuleNotFoundError: No module named 'nowhere_to_be_found' (impl.py:3)"),
    "exits": ("broken", "SystemExit: 7 (impl.py:3)"),
    "syntax": ("broken", "SyntaxError: "),
    "api": ("incompatible", "needs hook API 2, have 1.3 (skirmish)"),
    "bare": ("broken", "no manifest: rallypoint-plugin.toml is missing in package pkg_bare"),
    "misspelt": ("broken", "there is no such hook; found: fire_wound; did you mean fire_wounds?"),
    "unknown-argument": (
        "broken",
        "the hook has no such argument; found: bullets; expected: any of step, shot, wounds",
    ),
    "keyword-only": ("broken", "a keyword-only argument cannot be filled; found: wounds"),
    "defaulted": ("broken", "an argument of an implementation cannot have a default; found: wounds=10"),
    "asynchronous": ("broken", "an implementation cannot be async"),
    "twin": ("broken", "2 plugins have this name: other-twin 2.0, twin 1.0; uninstall all but one"),
    "garbage": ("broken", "rallypoint-plugin.toml:3: this is not TOML"),
    "typo": ("broken", "rallypoint-plugin.toml:3: unknown key; found: tilte; did you mean title?"),
}


def test_each_broken_plugin_is_a_row_with_a_reason_and_the_exit_status_is_0(site: Path) -> None:
    done = rallypoint("plugins", "--json", folder=site)
    assert (done.returncode, done.stderr) == (0, "")
    plugins = {row["name"]: row for row in json.loads(done.stdout)["plugins"]}
    for name, (state, reason) in EXPECTED.items():
        row = plugins[name]
        assert row["state"] == state, row
        assert reason in row["reason"], row
        assert "Traceback" not in row["reason"]
    assert plugins["good"]["hooks"] == ["fire_wounds"]
    assert [row["name"] for row in json.loads(done.stdout)["plugins"]].count("twin") == 2
    assert plugins["misspelt"]["reason"].startswith(str(site / "pkg_misspelt" / "impl.py") + ":3: ")


def test_the_table_says_the_same_for_people(site: Path) -> None:
    done = rallypoint("plugins", folder=site)
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert lines[0].split() == ["order", "plugin", "version", "state", "needs", "load"]
    for name, (state, reason) in EXPECTED.items():
        at = next(number for number, line in enumerate(lines) if line.split()[1:2] == [name])
        assert f" {state} " in lines[at]
        assert reason in lines[at + 1]


def test_strict_makes_it_1_and_the_broken_ones_switched_off_make_it_0(site: Path) -> None:
    assert rallypoint("plugins", "--strict-plugins", folder=site).returncode == 1
    assert rallypoint("--strict-plugins", "plugins", folder=site).returncode == 1
    off = [part for name, (state, _) in EXPECTED.items() if state != "on" for part in ("-p", f"no:{name}")]
    done = rallypoint(*off, "plugins", "--strict-plugins", folder=site)
    assert (done.returncode, done.stderr) == (0, "")
    done = rallypoint("plugins", "--strict-plugins", folder=site, env={"RALLYPOINT_PLUGINS": "good,skirmish"})
    assert done.returncode == 0


def test_the_other_commands_work_beside_broken_plugins(site: Path) -> None:
    for arguments in (["--help"], ["--version"], ["export", "--help"], ["plugin", "disable", "exits"]):
        done = rallypoint(*arguments, folder=site)
        assert (done.returncode, done.stderr) == (0, ""), arguments


def test_a_clash_is_a_line(tmp_path: Path) -> None:
    folder = tmp_path / "site"
    folder.mkdir()
    game(folder)
    hooked(folder, "a", GOOD, extra='decides = ["D-AMB-9"]')
    hooked(folder, "b", GOOD, extra='decides = ["D-AMB-9"]')
    done = rallypoint("plugins", folder=folder)
    assert done.returncode == 0
    assert (
        "clash: plugins a and b: 2 plugins decide the ruling D-AMB-9; choose: rallypoint plugin disable a"
        in done.stdout
    )
    assert "clash" not in rallypoint("-p", "no:a", "plugins", folder=folder).stdout


def test_a_manifest_that_cannot_be_read_at_all_is_a_row(tmp_path: Path) -> None:
    folder = tmp_path / "site"
    folder.mkdir()
    hooked(folder, "good", GOOD)
    game(folder)
    distribution(folder, "digits", manifest=f"x = {'9' * 5000}")
    distribution(folder, "deep", manifest=f"x{'.x' * 20_000} = 1")
    distribution(folder, "folder", manifest=None)
    (folder / "pkg_folder" / "rallypoint-plugin.toml").mkdir()
    distribution(folder, "large", manifest="#" * 1_000_000)
    distribution(folder, "odd", manifest="")
    (folder / "pkg_odd-1.0.dist-info" / "entry_points.txt").write_text("[rallypoint.plugins]\nodd = pkg\0odd\n = \n")
    for arguments in (["--help"], ["plugins", "--no-import"], ["plugins"], ["plugin", "disable", "digits"]):
        done = rallypoint(*arguments, folder=folder)
        assert (done.returncode, done.stderr) == (0, ""), arguments
    rows = {row["name"]: row for row in json.loads(rallypoint("plugins", "--json", folder=folder).stdout)["plugins"]}
    assert rows["good"]["state"] == "on"
    assert rows["digits"]["state"] == "off"
    for name, reason in (
        ("deep", ":3: this key has too many parts"),
        ("folder", "the manifest cannot be read: it is no file"),
        ("large", "the manifest cannot be read: found: 10000"),
        ("odd", "there is no package"),
    ):
        assert rows[name]["state"] == "broken"
        assert reason in rows[name]["reason"], rows[name]


def test_a_name_cannot_steer_the_terminal(tmp_path: Path) -> None:
    folder = tmp_path / "site"
    folder.mkdir()
    distribution(folder, "odd", manifest="")
    (folder / "pkg_odd-1.0.dist-info" / "entry_points.txt").write_text("[rallypoint.plugins]\nodd\x1b[31m = pkg_odd\n")
    done = rallypoint("plugins", folder=folder)
    assert "\x1b" not in done.stdout
    assert "odd\\u001b[31m" in done.stdout
