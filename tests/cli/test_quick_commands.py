"""What imports no plugin, the index of commands, the stored switches."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from ..plugins.distributions import distribution, rallypoint

COMMAND = '[[commands]]\nname = "duel"\nhelp = "Fight a duel."\nrun = "pkg_d.duel:main"\n'


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """One plugin that leaves a file when it is imported, made long enough ago for the index to be kept."""
    folder = tmp_path / "site"
    folder.mkdir()
    trace = f"from pathlib import Path\nPath({str(tmp_path / 'imported')!r}).touch()\n"
    duel = "def main(arguments):\n    print('duel', *arguments)\n    return len(arguments)\n"
    distribution(folder, "d", {"__init__.py": trace, "duel.py": duel}, manifest=COMMAND)
    settle(folder)
    return folder


def settle(folder: Path) -> None:
    """Make everything below the folder an hour old."""
    paths = [*folder.rglob("*"), folder, folder.parent]
    past = paths[0].stat().st_mtime - 3600
    for path in paths:
        os.utime(path, (past, past))


def index(site: Path) -> list[Path]:
    return list((site.parent / "cache" / "rallypoint").glob("commands-*.json"))


def test_help_version_listing_and_disabling_import_no_plugin(site: Path) -> None:
    for arguments in (
        ["--help"],
        ["--version"],
        [],
        ["plugins", "--no-import"],
        ["plugin", "disable", "d"],
        ["plugin", "enable", "d"],
        ["plugins", "--help"],
        ["export", "--help"],
    ):
        rallypoint(*arguments, folder=site)
        assert not (site.parent / "imported").exists(), arguments
    rallypoint("plugins", folder=site)
    assert (site.parent / "imported").exists()  # so the trace works


def test_help_lists_the_commands_of_plugins(site: Path) -> None:
    done = rallypoint("--help", folder=site)
    assert done.returncode == 0
    assert "duel" in done.stdout
    assert "Fight a duel." in done.stdout
    assert "export" in done.stdout


def test_version_says_the_version(site: Path) -> None:
    from rallypoint import __version__

    for arguments in (["--version"], ["--no-plugins", "--version"]):
        done = rallypoint(*arguments, folder=site)
        assert (done.returncode, done.stdout, done.stderr) == (0, f"rallypoint {__version__}\n", "")


def test_a_plugins_command_runs_with_its_arguments_and_its_exit_status(site: Path) -> None:
    done = rallypoint("duel", "a", "--b", folder=site)
    assert (done.returncode, done.stdout, done.stderr) == (2, "duel a --b\n", "")


def test_the_index_is_kept_and_used(site: Path) -> None:
    rallypoint("--help", folder=site, cwd=site)
    (file,) = index(site)
    check, _, text = file.read_text().partition("\n")
    assert int(check) > 0
    assert ["duel", "Fight a duel.", "pkg_d.duel:main"] in [
        command for name, _, _, commands, *_ in json.loads(text)["plugins"] if name == "d" for command in commands
    ]
    before = file.stat().st_mtime_ns
    assert "Fight a duel." in rallypoint("--help", folder=site, cwd=site).stdout
    assert file.stat().st_mtime_ns == before


def test_a_new_plugin_and_an_edited_manifest_are_seen_at_once(site: Path) -> None:
    rallypoint("--help", folder=site, cwd=site)
    assert len(index(site)) == 1
    manifest = site / "pkg_d" / "rallypoint-plugin.toml"
    manifest.write_text(manifest.read_text().replace("Fight a duel.", "Fight two duels."))
    assert "Fight two duels." in rallypoint("--help", folder=site, cwd=site).stdout
    distribution(site, "e", manifest=COMMAND.replace("duel", "joust").replace("pkg_d", "pkg_e"))
    done = rallypoint("--help", folder=site, cwd=site)
    assert "joust" in done.stdout
    manifest.unlink()
    done = rallypoint("--help", folder=site, cwd=site)
    assert "joust" in done.stdout
    assert "duels" not in done.stdout


@pytest.mark.parametrize("content", [b"", b"nonsense", b"12\n{}", b"\xff\xfe", b'1\n{"key": 5}', b"[" * 5000])
def test_a_corrupt_index_is_built_again(site: Path, content: bytes) -> None:
    rallypoint("--help", folder=site, cwd=site)
    (file,) = index(site)
    good = file.read_bytes()
    file.write_bytes(content)
    done = rallypoint("--help", folder=site, cwd=site)
    assert (done.returncode, done.stderr) == (0, "")
    assert "Fight a duel." in done.stdout
    assert file.read_bytes() == good


def test_an_index_that_was_tampered_with_is_built_again(site: Path) -> None:
    rallypoint("--help", folder=site, cwd=site)
    (file,) = index(site)
    file.write_bytes(file.read_bytes().replace(b"Fight a duel.", b"Fight a fool."))
    assert "Fight a duel." in rallypoint("--help", folder=site, cwd=site).stdout


def test_a_cache_that_cannot_be_written_is_no_error(site: Path) -> None:
    blocked = site.parent / "blocked"
    blocked.write_text("a file")
    done = rallypoint("--help", folder=site, env={"XDG_CACHE_HOME": str(blocked)})
    assert (done.returncode, done.stderr) == (0, "")
    assert "Fight a duel." in done.stdout


def test_disable_and_enable_say_what_they_did_and_can_be_repeated(site: Path) -> None:
    def said(*arguments: str) -> str:
        done = rallypoint("plugin", *arguments, folder=site)
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout

    assert said("enable", "d") == "d is already enabled\n"
    stored = site.parent / "config" / "rallypoint" / "disabled-plugins.txt"
    assert said("disable", "d") == (
        "d is disabled; rallypoint plugin enable d takes it back\n"
        f"It is off for you wherever you run rallypoint: the list is {stored}\n"
    )
    assert "d" in stored.read_text().splitlines()
    assert said("disable", "d") == "d is already disabled\n"
    assert "duel" not in rallypoint("--help", folder=site).stdout
    done = rallypoint("duel", folder=site)
    off = "error: the command duel is off; found: plugin d: disabled; rallypoint plugin enable d takes it back\n"
    assert (done.returncode, done.stderr) == (2, off)
    assert "disabled" in rallypoint("plugins", folder=site).stdout
    assert not (site.parent / "imported").exists()
    assert said("enable", "d") == "d is enabled\n"
    assert "duel" in rallypoint("--help", folder=site).stdout


def test_an_unknown_plugin_cannot_be_disabled(site: Path) -> None:
    distribution(site, "streamline")
    done = rallypoint("plugin", "disable", "steamline", folder=site)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "error: there is no such plugin; found: steamline; did you mean streamline?\n"
    assert not (site.parent / "config").exists()


def test_a_list_that_cannot_be_written_is_an_error_and_one_that_cannot_be_read_is_empty(site: Path) -> None:
    blocked = site.parent / "blocked"
    blocked.write_text("a file")
    done = rallypoint("plugin", "disable", "d", folder=site, env={"XDG_CONFIG_HOME": str(blocked)})
    assert (done.returncode, done.stdout) == (2, "")
    assert "the list of disabled plugins cannot be written" in done.stderr
    assert "Traceback" not in done.stderr


def test_switches_for_one_run(site: Path) -> None:
    for arguments in (["-p", "no:d", "--help"], ["--no-plugins", "--help"]):
        done = rallypoint(*arguments, folder=site)
        assert done.returncode == 0
        assert "Fight a duel." not in done.stdout
    done = rallypoint("-p", "no:d", "duel", folder=site)
    assert (done.returncode, done.stderr) == (
        2,
        "error: the command duel is off; found: plugin d: -p no:d\n",
    )
    assert rallypoint("--no-plugins", "duel", folder=site).returncode == 2
    assert rallypoint("duel", folder=site, env={"RALLYPOINT_PLUGINS": "x"}).returncode == 2
    assert rallypoint("duel", folder=site, env={"RALLYPOINT_PLUGINS": "d"}).returncode == 0
    done = rallypoint("-p", "no:x", "duel", folder=site)
    assert (done.returncode, done.stderr) == (0, "warning: -p no:x: no plugin has this name\n")
    done = rallypoint("-p", "yes:d", "duel", folder=site)
    assert (done.returncode, done.stderr) == (
        2,
        "error: -p switches a plugin off for this run; found: yes:d; expected: no:NAME\n",
    )
