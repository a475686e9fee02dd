"""The documents cannot lie: their code runs, what they quote stands where they say, their commands work."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
FENCE = re.compile(r"^```(?P<kind>[^\n]*)\n(?P<code>.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(page: Path) -> Iterator[tuple[str, str]]:
    for match in FENCE.finditer(page.read_text(encoding="utf-8")):
        yield match["kind"], match["code"]


def names(paths: list[Path]) -> list[str]:
    return [path.relative_to(ROOT).as_posix() for path in paths]


@pytest.mark.parametrize("page", PAGES, ids=names(PAGES))
def test_python_of_a_page_runs_from_top_to_bottom(page: Path, tmp_path: Path) -> None:
    code = "\n".join(code for kind, code in blocks(page) if kind == "python")
    script = tmp_path / "page.py"
    script.write_text(code, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-W", "error", script], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("page", PAGES, ids=names(PAGES))
def test_quoted_code_stands_in_its_file(page: Path) -> None:
    for kind, code in blocks(page):
        if " from " in kind:
            source = ROOT / kind.split(" from ")[1].strip()
            assert code in source.read_text(encoding="utf-8"), f"{source} does not hold:\n{code}"


@pytest.mark.parametrize("page", PAGES, ids=names(PAGES))
def test_links_of_a_page_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#\s]+)", page.read_text(encoding="utf-8")):
        if not target.startswith("https://"):
            assert (page.parent / target).exists(), target


def commands(page: Path) -> list[list[str]]:
    """Return the command lines of the page's ``console`` blocks, in order."""
    found = []
    for kind, code in blocks(page):
        if kind == "console":
            found += [
                shlex.split(line.removeprefix("$ "), comments=True)
                for line in code.splitlines()
                if line.startswith("$ ")
            ]
    return found


@pytest.mark.parametrize("page", PAGES, ids=names(PAGES))
def test_commands_of_a_page_work_in_their_order(page: Path, tmp_path: Path) -> None:
    """What ``make`` and ``pipx`` do is tried by ``.ci/run``: they set up environments of their own."""
    (tmp_path / "my-platoon.md").write_text(
        (ROOT / "examples/rosters/starter-platoon.md").read_text(encoding="utf-8"), encoding="utf-8"
    )
    own = ("HOME", "LOCALAPPDATA", "APPDATA", "XDG_CACHE_HOME", "XDG_CONFIG_HOME")
    environment = {**os.environ, **{name: str(tmp_path / "home") for name in own}}
    environment["RALLYPOINT_PLUGINS"] = (
        "disrupter,foundry,indirect-fire,mothership,owlbear,streamline,vehicle-templates"  # another game may be installed beside
    )
    for command in commands(page):
        assert command[0] in {"rallypoint", "make", "pipx", "git", "cd"}, command
        if command[0] == "rallypoint":
            program = [sys.executable, "-m", "rallypoint", *command[1:]]
            done = subprocess.run(
                program, cwd=tmp_path, env=environment, capture_output=True, text=True, encoding="utf-8", check=False
            )
            assert done.returncode == 0, f"{command}: {done.stderr}"


def test_the_readme_names_every_command_of_the_program() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "rallypoint", "--help"], capture_output=True, text=True, encoding="utf-8", check=True
    )
    listed = re.findall(r"^  ([a-z]+) ", done.stdout.split("Commands:")[1], re.MULTILINE)
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert {"content", "convert", "demo", "export", "muster", "plugin", "plugins"} <= set(listed)
    assert [name for name in listed if f"rallypoint {name}" not in readme] == []


def test_no_two_pages_begin_the_same_file() -> None:
    """Scenarios, battles and campaigns are not written over: who follows two pages in one folder must not be refused."""
    pages: dict[str, set[str]] = {}
    for page in PAGES:
        for command in commands(page):
            if command[1:3] in (["scenario", "new"], ["battle", "new"], ["campaign", "new"], ["campaign", "battle"]):
                pages.setdefault(command[command.index("-o") + 1], set()).add(page.name)
    assert {name: found for name, found in pages.items() if len(found) > 1} == {}
    assert {"first-fight.toml", "mill.battle", "frontier.campaign"} <= set(pages)
