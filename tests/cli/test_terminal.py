"""Output in any encoding, exit statuses, errors in one place."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from rallypoint.cli import command_line, folders, terminal
from rallypoint.kernel.errors import RemoteError

from ..plugins.distributions import ROOT, distribution, rallypoint


@pytest.mark.parametrize(
    ("encoding", "arrow", "dash", "letter"),
    [("ascii", "->", "-", "Z"), ("cp1252", "->", "–", "Z"), ("utf-8", "→", "–", "Ż")],
)
def test_signs_that_the_output_lacks_are_plain(table: Path, encoding: str, arrow: str, dash: str, letter: str) -> None:
    (table.parent / "roster.md").write_text(
        "# Żółw Platoon\n### Squad 1 - X\n#### Team A\n* 1 CO - Combat Armor, Revolver\n", encoding="utf-8"
    )
    env = {"PYTHONIOENCODING": encoding}

    def said(*arguments: str) -> str:
        done = subprocess.run(
            [sys.executable, "-m", "rallypoint", *arguments],
            cwd=table.parent,
            env={
                **os.environ,
                "PYTHONPATH": os.pathsep.join(map(str, (table, ROOT / "core"))),
                "XDG_CACHE_HOME": str(table.parent / "cache"),
                "XDG_CONFIG_HOME": str(table.parent / "config"),
                "RALLYPOINT_PLUGINS": "skirmish,cards",
                **env,
            },
            capture_output=True,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, b""), arguments
        return done.stdout.decode(encoding)

    assert f"the boat: no water {arrow} no boat" in said("export", "cards", "roster.md", "-o", "out")
    assert f"Write cards {dash} one a unit." in said("export", "--help")
    assert f"Write cards {dash} one a unit." in said("export", "cards", "--help")
    assert said("muster", "roster.md").startswith(letter)
    assert json.loads(said("muster", "roster.md", "--json"))["title"] == "Żółw Platoon"  # nothing is lost in JSON
    for arguments in (["--help"], ["--version"], ["plugins"], ["plugins", "--json"], ["plugin", "disable", "cards"]):
        assert said(*arguments)


@pytest.mark.parametrize("form", ["md", "toml", "json", "csv"])
def test_a_preview_warns_of_what_it_cannot_show(form: str, table: Path) -> None:
    page = (table.parent / "roster.md").read_text("utf-8")
    assert page.startswith("# Green Platoon")
    (table.parent / "named.md").write_text(page.replace("# Green Platoon", "# Żuł Platoon", 1), "utf-8")

    def shown(encoding: str) -> tuple[str, str]:
        arguments = ("convert", "named.md", "-o", f"new.{form}", "--dry-run")
        done = rallypoint(*arguments, folder=table, env={"PYTHONIOENCODING": encoding})
        assert done.returncode == 0
        return done.stdout, done.stderr

    text, said = shown("cp1252")
    assert "Zul Platoon" in text
    assert "\nwarning: this output (cp1252) has no U+017B, U+0142: others stand in for them here;" in said
    text, said = shown("utf-8")
    assert "Żuł Platoon" in text
    assert "\\u000d" not in text
    assert "warning" not in said


def test_errors_are_plain_too(table: Path) -> None:
    done = rallypoint("muster", "żółw.md", folder=table, env={"PYTHONIOENCODING": "ascii"})
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: zolw.md: ")


def test_every_help_has_an_example_and_no_escape(table: Path) -> None:
    for arguments in (
        [],
        ["demo"],
        ["muster"],
        ["export"],
        ["export", "cards"],
        ["plugins"],
        ["plugin"],
        ["plugin", "enable"],
        ["plugin", "disable"],
    ):
        done = rallypoint(*arguments, "--help", folder=table)
        assert (done.returncode, done.stderr) == (0, "")
        assert "Example: rallypoint" in done.stdout, arguments
        assert "\\b" not in done.stdout
        assert "\x1b" not in done.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["mustre", "x"], "error: there is no such command; found: mustre; did you mean muster?\n"),
        (["export", "crads", "x"], "error: there is no such format; found: crads; did you mean cards?\n"),
        (["muster", "gone.md"], "error: gone.md: "),
        (["muster"], "error: Missing argument 'FILE'.\nrallypoint muster --help shows what it takes\n"),
        (["muster", "roster.md", "--jsn"], "error: No such option '--jsn'."),
        (["export", "cards", "roster.md", "--copies", "x"], "error: Invalid value for '--copies'"),
        (["export", "cards", "roster.md", "--side", "green"], "error: Invalid value for '--side'"),
    ],
)
def test_bad_input_is_one_line_and_2(table: Path, arguments: list[str], said: str) -> None:
    done = rallypoint(*arguments, folder=table)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(said)
    assert "Traceback" not in done.stderr


def test_no_arguments_show_the_help_and_are_2(table: Path) -> None:
    done = rallypoint(folder=table)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("Usage: rallypoint")


def test_the_other_side_failing_is_3(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def fail(*_arguments: object, **_options: object) -> None:
        raise RemoteError("the relay does not answer", where="relay")

    monkeypatch.setattr(command_line._root, "invoke", fail)
    assert command_line.run(["demo"]) == 3
    assert capsys.readouterr() == ("", "error: relay: the relay does not answer\n")


def test_an_interrupt_is_130(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def interrupt(*_arguments: object, **_options: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(command_line._root, "invoke", interrupt)
    assert command_line.run(["demo"]) == 130
    assert capsys.readouterr() == ("", "interrupted\n")


def test_a_command_of_a_plugin_that_fails_is_named(table: Path) -> None:
    commands = '[[commands]]\nname = "duel"\nhelp = "h"\nrun = "pkg_d.duel:main"\n'
    distribution(table, "d", {"duel.py": "def main(arguments):\n    return 1 / 0\n"}, manifest=commands)
    done = rallypoint("duel", folder=table)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "error: command duel: ZeroDivisionError: division by zero\n"


@pytest.mark.skipif(not hasattr(signal, "SIGPIPE"), reason="this system has no such signal")
def test_a_closed_pipe_is_quiet(table: Path) -> None:
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, (table, ROOT / "core")))}
    read, write = os.pipe()
    os.close(read)
    try:
        done = subprocess.run(
            [sys.executable, "-m", "rallypoint", "plugins"], env=env, stdout=write, stderr=subprocess.PIPE, check=False
        )
    finally:
        os.close(write)
    assert (done.returncode, done.stderr) == (141, b"")


def test_colour_only_for_a_person(monkeypatch: pytest.MonkeyPatch) -> None:
    class Screen:
        encoding = "utf-8"

        def isatty(self) -> bool:
            return True

    for name in ("NO_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(sys, "stdout", Screen())
    assert terminal.coloured("on", "green") == "\x1b[32mon\x1b[0m"
    monkeypatch.setenv("NO_COLOR", "1")
    assert terminal.coloured("on", "green") == "on"
    monkeypatch.delenv("NO_COLOR")
    monkeypatch.setenv("TERM", "dumb")
    assert terminal.coloured("on", "green") == "on"


@pytest.mark.parametrize(("columns", "expected"), [("120", 98), ("90", 88), ("20", 50), ("", 78), ("wide", 78)])
def test_help_is_as_wide_as_the_terminal_within_reason(
    monkeypatch: pytest.MonkeyPatch, columns: str, expected: int
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    assert terminal.width() == expected


@pytest.mark.parametrize(
    ("platform", "env", "cache", "config"),
    [
        ("linux", {}, "/home/x/.cache/rallypoint", "/home/x/.config/rallypoint"),
        ("linux", {"XDG_CACHE_HOME": "/c", "XDG_CONFIG_HOME": "/d"}, "/c/rallypoint", "/d/rallypoint"),
        ("linux", {"XDG_CACHE_HOME": "relative"}, "/home/x/.cache/rallypoint", "/home/x/.config/rallypoint"),
        (
            "darwin",
            {},
            "/home/x/Library/Caches/rallypoint",
            "/home/x/Library/Application Support/rallypoint",
        ),
        ("win32", {"LOCALAPPDATA": "/l", "APPDATA": "/a"}, "/l/rallypoint", "/a/rallypoint"),
        ("win32", {}, "/home/x/rallypoint", "/home/x/rallypoint"),
    ],
)
def test_folders_of_each_system(
    monkeypatch: pytest.MonkeyPatch, platform: str, env: dict[str, str], cache: str, config: str
) -> None:
    for name in ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "LOCALAPPDATA", "APPDATA"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {"HOME": "/home/x", **env}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "platform", platform)
    assert (folders.cache_folder(), folders.config_folder()) == (cache, config)


def test_public_names_are_lazy_and_all_there() -> None:
    code = (
        "import sys, rallypoint; before = set(sys.modules); assert not any(m.startswith('rallypoint.') for m in before); "
        "[getattr(rallypoint, name) for name in rallypoint.__all__]; print(rallypoint.Hex(1, 2)); "
        "assert set(rallypoint.__all__) <= set(dir(rallypoint)); rallypoint.nothing"
    )
    env = {**os.environ, "PYTHONPATH": str(ROOT / "core")}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=False)
    assert done.stdout == "Hex(q=1, r=2, facing=None)\n"
    assert done.stderr.endswith("AttributeError: module 'rallypoint' has no attribute 'nothing'\n")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no full device")
def test_a_full_output_is_an_error_of_one_line(table: Path) -> None:
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, (table, ROOT / "core")))}
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "rallypoint", "plugins"], env=env, stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert (done.returncode, done.stderr.count(b"\n")) == (2, 1)
    assert done.stderr.startswith(b"error: ")
