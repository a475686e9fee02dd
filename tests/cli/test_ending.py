"""What is left when a run ends early, an output is closed, a name is empty or odd, or two run at once."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from rallypoint.cli import command_line, disabled, terminal
from rallypoint.kernel.errors import InputError

from ..plugins.distributions import ROOT, rallypoint

needs_posix = pytest.mark.skipif(
    sys.platform == "win32", reason="signals, links and descriptors are other things there"
)


def environment(table: Path) -> dict[str, str]:
    home = table.parent
    return {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(map(str, (table, ROOT / "core"))),
        "XDG_CACHE_HOME": str(home / "cache"),
        "XDG_CONFIG_HOME": str(home / "config"),
        "RALLYPOINT_PLUGINS": "skirmish,cards",
    }


# Signals

ENDED = """
import os, signal, sys
from pathlib import Path
from rallypoint.__main__ import main

when, again, count, replace = int(sys.argv[1]), sys.argv[2] == "again", 0, Path.replace

def ending(self, target):
    global count
    count += 1
    found = replace(self, target)
    if count == when:
        os.kill(os.getpid(), signal.SIGTERM)
    return found

write_bytes = Path.write_bytes

def restoring(self, content):
    if again:
        os.kill(os.getpid(), signal.SIGTERM)
    return write_bytes(self, content)

Path.replace, Path.write_bytes = ending, restoring
sys.exit(main(sys.argv[3:]))
"""


@needs_posix
@pytest.mark.parametrize("again", ["once", "again"])
@pytest.mark.parametrize("when", [1, 2])
def test_a_run_that_is_asked_to_end_puts_everything_back(table: Path, when: int, again: str) -> None:
    out = table.parent / "out"
    (out / "deep").mkdir(parents=True)
    old = {"list.txt": b"old", "deep/options.txt": b"old"}
    for name, content in old.items():
        (out / name).write_bytes(content)
    done = subprocess.run(
        [sys.executable, "-c", ENDED, str(when), again, "export", "cards", "roster.md", "-o", "out"],
        cwd=table.parent, env=environment(table), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (143, "", "terminated\n")
    assert {path.relative_to(out).as_posix(): path.read_bytes() for path in out.rglob("*") if path.is_file()} == old


@needs_posix
def test_how_signals_are_handled_is_as_it_was_afterwards(capsys: pytest.CaptureFixture[str]) -> None:
    before = signal.getsignal(signal.SIGTERM)
    assert command_line.run(["--version"]) == 0
    assert signal.getsignal(signal.SIGTERM) == before
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        assert command_line.run(["--version"]) == 0
        assert signal.getsignal(signal.SIGTERM) == signal.SIG_IGN
    finally:
        signal.signal(signal.SIGTERM, before)
    assert capsys.readouterr().err == ""


def test_an_exit_that_nobody_guards_is_no_success(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def leave(*_arguments: object, **_options: object) -> None:
        raise SystemExit(0)

    monkeypatch.setattr(command_line._root, "invoke", leave)
    assert command_line.run(["demo"]) == 2
    assert capsys.readouterr() == ("", "error: something ended the program: SystemExit: 0\n")


# Outputs that are closed or full


def in_shell(table: Path, line: str) -> tuple[int, str, str]:
    done = subprocess.run(
        ["sh", "-c", line.replace("rallypoint", f"'{sys.executable}' -m rallypoint", 1)],
        cwd=table.parent, env=environment(table), capture_output=True, text=True, check=False,
    )  # fmt: skip
    return done.returncode, done.stdout, done.stderr


@needs_posix
@pytest.mark.parametrize("command", ["--version", "--help", "plugins", "plugins --json", "muster roster.md"])
def test_a_closed_output_takes_what_it_is_given(table: Path, command: str) -> None:
    assert in_shell(table, f"rallypoint {command} >&-") == (0, "", "")
    assert in_shell(table, f"rallypoint {command} >&- 2>&-") == (0, "", "")
    assert in_shell(table, f"rallypoint {command} <&- >&- 2>&-") == (0, "", "")


@needs_posix
def test_files_are_written_whole_where_the_outputs_are_closed(table: Path) -> None:
    assert in_shell(table, "rallypoint export cards roster.md -o out <&- >&- 2>&-") == (0, "", "")
    assert (table.parent / "out" / "list.txt").read_text().startswith("red\n")


@needs_posix
@pytest.mark.parametrize("command", ["muster gone.md", "nothing", "muster", "plugin disable gone"])
def test_an_error_that_cannot_be_told_has_its_status(table: Path, command: str) -> None:
    assert in_shell(table, f"rallypoint {command} 2>&-") == (2, "", "")
    if Path("/dev/full").exists():
        assert in_shell(table, f"rallypoint {command} 2>/dev/full") == (2, "", "")
        assert in_shell(table, "rallypoint -p no:gone --version 2>/dev/full")[0] == 0  # it warns
        status, _, error = in_shell(table, "rallypoint --version >/dev/full")
        assert (status, error) == (2, "error: [Errno 28] No space left on device\n")


# Names of folders


@pytest.mark.parametrize(
    "arguments",
    [
        ["export", "cards", "roster.md", "-o", ""],
        ["export", "cards", "roster.md", "--out="],
        ["demo", "-o", ""],
        ["convert", "roster.md", "-o", ""],
        ["tokens", "roster.md", "-o", ""],
        ["card", "roster.md", "-o", ""],
        ["scenario", "new", "-o", ""],
    ],
)
def test_an_empty_name_is_refused(table: Path, arguments: list[str]) -> None:
    before = sorted(path.name for path in table.parent.iterdir())
    done = rallypoint(*arguments, folder=table)
    assert (done.returncode, done.stdout) == (2, "")
    assert (
        done.stderr == "error: -o: this name is empty; is it a variable that is not set? . is the folder you are in\n"
    )
    assert sorted(path.name for path in table.parent.iterdir() if path.name != "cache") == [
        name for name in before if name != "cache"
    ]


def test_a_name_of_300_letters(table: Path) -> None:
    done = rallypoint("export", "cards", "roster.md", "-o", "x" * 300, folder=table)
    assert (done.returncode, done.stdout) == (2, "")
    assert (
        "the files cannot be written; found: File name too long; nothing was changed; choose a shorter" in done.stderr
    )
    done = rallypoint("export", "cards", "roster.md", "-o", "x" * 300, "--dry-run", folder=table)
    assert done.returncode == 0


@needs_posix
def test_a_folder_that_cannot_be_looked_into_is_no_error(table: Path) -> None:
    closed = table.parent / "out" / "closed"
    closed.mkdir(parents=True)
    closed.chmod(0)
    try:
        assert rallypoint("export", "cards", "roster.md", "-o", "out", folder=table).returncode == 0
    finally:
        closed.chmod(0o755)


@needs_posix
def test_convert_writes_through_a_link_and_keeps_the_rights(table: Path) -> None:
    home = table.parent
    real = home / "real.toml"
    real.write_text("old")
    real.chmod(0o640)
    (home / "link.toml").symlink_to("real.toml")
    done = rallypoint("convert", "roster.md", "-o", "link.toml", "--force", folder=table)
    assert (done.returncode, done.stderr.count("error")) == (0, 0)
    assert (home / "link.toml").is_symlink()
    assert real.read_text(encoding="utf-8").startswith("roster = 1\n")
    assert real.stat().st_mode & 0o777 == 0o640


# Control characters


def test_names_in_errors_cannot_steer_the_terminal(table: Path) -> None:
    for arguments in (
        ["muster", "a\x1b[31m.md"],
        ["mus\x1b[2Jter"],
        ["muster", "--\x1b]0;x\x07"],
        ["-p", "no:\x9b1m", "x"],
    ):
        done = rallypoint(*arguments, folder=table)
        assert done.returncode == 2
        assert not any(ord(sign) < 32 and sign != "\n" for sign in done.stderr), arguments
        assert "\x9b" not in done.stderr
        assert "\\u001b" in done.stderr or "\\u009b" in done.stderr or "\\x1b" in done.stderr


def test_what_a_roster_keeps_cannot_steer_the_terminal_and_json_stays_json(table: Path) -> None:
    roster = {
        "roster": 1,
        "title": "A \u202eB",
        "units": [{"class": "CO", "armor": "combat_armor", "weapons": ["revolver"], "mood": "\x1b[31m\x9b\u2066"}],
    }
    (table.parent / "roster.json").write_text(json.dumps(roster))
    done = rallypoint("muster", "roster.json", folder=table)
    assert (done.returncode, done.stdout.splitlines()[0][:9]) == (0, "A \\u202eB")
    done = rallypoint("muster", "roster.json", "--json", folder=table)
    assert not set("\x1b\x9b\u2066\u202e") & set(done.stdout)
    assert json.loads(done.stdout)["title"] == "A \u202eB"
    assert "\\u009b" in done.stdout


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\tb\nc", "a\tb\nc"),
        ("a\rb", "a\\u000db"),
        ("\x00\x7f", "\\u0000\\u007f"),
        ("\u200f\u2028", "\\u200f\\u2028"),
        ("Ż狐🦊", "Ż狐🦊"),
    ],
)
def test_what_is_visible(text: str, shown: str) -> None:
    assert terminal.visible(text) == shown


# Two at once

IMPATIENT = """
import sys
from rallypoint.cli import disabled
from rallypoint.__main__ import main
disabled._PATIENCE = 0.0
sys.exit(main(sys.argv[1:]))
"""


def test_two_changes_of_the_list_wait_for_each_other(table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(table.parent / "config"))
    other = [sys.executable, "-c", IMPATIENT, "plugin", "disable", "skirmish"]
    seen: list[subprocess.CompletedProcess[str]] = []
    calls = 0

    def change(old: frozenset[str]) -> frozenset[str]:
        nonlocal calls
        calls += 1
        if calls == 2:  # first it is asked whether there is anything to do; the second time the list is held
            done = subprocess.run(other, env=environment(table), capture_output=True, text=True, check=False)
            seen.append(done)
        return old | {"cards"}

    assert disabled.change_disabled(change)
    assert [done.returncode for done in seen] == [2]
    assert seen[0].stderr.startswith("error: ")
    assert "another process changes the list of disabled plugins" in seen[0].stderr
    assert "skirmish" not in disabled.read_disabled()
    done = subprocess.run(other, env=environment(table), capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert {"cards", "skirmish"} <= disabled.read_disabled()


def test_what_was_stored_meanwhile_is_kept(table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(table.parent / "config"))
    file = Path(disabled.disabled_file())
    calls = 0

    def change(old: frozenset[str]) -> frozenset[str]:
        nonlocal calls
        calls += 1
        if calls == 1:
            file.write_text("meanwhile\n")
        return old | {"cards"}

    assert disabled.change_disabled(change)
    assert disabled.read_disabled() == {"meanwhile", "cards"}


@needs_posix
@pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="root may read everything")
def test_a_list_that_cannot_be_read_is_not_taken_for_an_empty_one(table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(table.parent / "config"))
    file = Path(disabled.disabled_file())
    file.chmod(0)
    with pytest.raises(InputError):
        disabled.change_disabled(lambda old: old | {"cards"})
