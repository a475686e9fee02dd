"""Commands and formats that plugins add, and what ``plugins`` says of names, hooks and warnings."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ..plugins.distributions import distribution, game, hooked, rallypoint


@pytest.fixture
def site(tmp_path: Path) -> Path:
    folder = tmp_path / "site"
    folder.mkdir()
    return folder


def command(name: str, run: str, text: str = "Do it.") -> str:
    return f'[[commands]]\nname = "{name}"\nhelp = "{text}"\nrun = "{run}"\n'


def exporter(name: str, run: str, *options: str) -> str:
    rows = "".join(f'[[exporters.options]]\nname = "{option}"\n' for option in options)
    return f'[[exporters]]\nname = "{name}"\nhelp = "Write {name}."\nrun = "{run}"\n{rows}'


def rows(site: Path, *arguments: str) -> dict[str, dict[str, object]]:
    done = rallypoint("plugins", "--json", *arguments, folder=site)
    assert done.returncode == 0
    return {row["name"]: row for row in json.loads(done.stdout)["plugins"]}


def test_a_command_may_be_a_click_command_with_its_own_help(site: Path) -> None:
    body = """
import click

@click.command()
@click.option("--times", type=int, default=1)
def main(times):
    "Fight a duel."
    click.echo("clash " * times)
"""
    distribution(site, "d", {"duel.py": body}, manifest=command("duel", "pkg_d.duel:main"))
    assert rallypoint("duel", "--times", "3", folder=site).stdout == "clash clash clash \n"
    done = rallypoint("duel", "--help", folder=site)
    assert done.returncode == 0
    assert "Usage: rallypoint duel [OPTIONS]" in done.stdout
    done = rallypoint("duel", "--times", "x", folder=site)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: Invalid value for '--times'")


def test_a_plain_function_returns_the_exit_status_and_none_is_0(site: Path) -> None:
    body = "def main(arguments):\n    return int(arguments[0]) if arguments else None\n"
    distribution(site, "d", {"duel.py": body}, manifest=command("duel", "pkg_d.duel:main"))
    assert rallypoint("duel", folder=site).returncode == 0
    assert rallypoint("duel", "1", folder=site).returncode == 1
    assert rallypoint("duel", "3", folder=site).returncode == 3


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("import nowhere", "cannot be imported: ModuleNotFoundError: No module named 'nowhere'"),
        ("raise SystemExit(9)", "cannot be imported: SystemExit: 9"),
        ("other = 1", "there is no main in pkg_d.duel"),
    ],
)
def test_a_command_that_cannot_be_imported_is_an_error_with_a_way_out(site: Path, body: str, said: str) -> None:
    distribution(site, "d", {"duel.py": body}, manifest=command("duel", "pkg_d.duel:main"))
    done = rallypoint("duel", folder=site)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"error: plugin d: {said}")
    assert done.stderr.endswith("; rallypoint plugin disable d does without it\n")
    assert rallypoint("plugin", "disable", "d", folder=site).returncode == 0
    assert rows(site)["d"]["state"] == "off"


def test_an_error_of_ours_from_a_plugins_command_keeps_its_exit_status(site: Path) -> None:
    body = """
from rallypoint.kernel.errors import RemoteError

def main(arguments):
    raise RemoteError("the relay does not answer")
"""
    distribution(site, "d", {"duel.py": body}, manifest=command("duel", "pkg_d.duel:main"))
    done = rallypoint("duel", folder=site)
    assert (done.returncode, done.stderr) == (3, "error: the relay does not answer\n")


def test_a_name_that_is_taken_is_said(site: Path) -> None:
    body = "def main(arguments):\n    print(__name__)\n"
    distribution(site, "a", {"duel.py": body}, manifest=command("duel", "pkg_a.duel:main"))
    two = command("duel", "pkg_b.duel:main") + command("muster", "pkg_b.duel:main")
    distribution(site, "b", {"duel.py": body}, manifest=two)
    assert rallypoint("duel", folder=site).stdout == "pkg_a.duel\n"
    found = rows(site)
    assert found["a"]["warnings"] == []
    assert found["b"]["warnings"] == [
        "its command duel cannot be reached: a has one of that name",
        "its command muster cannot be reached: rallypoint has one of that name",
    ]
    assert rallypoint("-p", "no:a", "duel", folder=site).stdout == "pkg_b.duel\n"
    assert rallypoint("muster", folder=site).returncode == 2  # ours, which wants a file


def test_formats_of_one_name(site: Path) -> None:
    body = "def export(encounter, options):\n    return None\n"
    distribution(site, "b", {"out.py": body}, manifest=exporter("cards", "pkg_b.out:export"))
    distribution(site, "c", {"out.py": body}, manifest=exporter("cards", "pkg_c.out:export"))
    assert rows(site)["c"]["warnings"] == ["its format cards cannot be reached: b has one of that name"]
    assert rallypoint("export", "--help", folder=site).stdout.count("Write cards.") == 1


def test_an_option_with_the_name_of_one_of_ours_is_an_error(site: Path) -> None:
    body = "def export(encounter, options):\n    return None\n"
    distribution(site, "b", {"out.py": body}, manifest=exporter("cards", "pkg_b.out:export", "dry-run"))
    done = rallypoint("export", "cards", "--help", folder=site)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "error: plugin b: an exporter's option has the name of one of ours; found: --dry-run\n"


def test_an_exporter_whose_function_is_missing_is_broken_in_the_list(site: Path) -> None:
    distribution(site, "b", {"out.py": ""}, manifest=exporter("cards", "pkg_b.out:export"))
    row = rows(site)["b"]
    assert (row["state"], row["reason"]) == ("broken", "there is no export in pkg_b.out")


def test_warnings_of_lint_are_shown_and_the_plugin_is_on(site: Path) -> None:
    game(site)
    home = hooked(site, "a", "@hookimpl\ndef fire_outcome(unit): ...\n\ndef fire_wounds(wounds): ...")
    row = rows(site)["a"]
    assert row["state"] == "on"
    assert row["hooks"] == ["fire_outcome"]
    assert row["warnings"] == [
        f"{home / 'impl.py'}:6: plugin a, hook fire_wounds: this function has the name of a hook but is not marked; "
        "put @hookimpl above it, or give it another name"
    ]
    lines = rallypoint("plugins", folder=site).stdout.splitlines()
    assert any(line.startswith(f"       warning: {home / 'impl.py'}:6: ") for line in lines)


BROUGHT = """
[[rulings]]
id = "A-1"
decides = "who"
choices = ["red", "blue"]
rules = ["D-R8", "D-R16"]
[[rulings]]
id = "A-2"
decides = "how many"
numbers = [1, 0, 9]
[[presets]]
name = "grim"
options = { "A-1" = "blue" }
[[commands]]
name = "duel"
run = "pkg_a.more:run"
[[exporters]]
name = "cards"
run = "pkg_a.more:run"
[[importers]]
name = "cards"
run = "pkg_a.more:run"
[[converters]]
from = "skirmish"
to = "feud"
run = "pkg_a.more:run"
"""


def test_what_a_plugin_decides_and_brings_stands_under_its_row(site: Path) -> None:
    game(site)
    home = distribution(
        site, "a", manifest='decides = ["D-AMB-1"]\ncontent = ["arms.toml"]\n[needs]\nskirmish = "1"\n' + BROUGHT
    )
    (home / "arms.toml").write_text("pack = 1")
    for more in ((), ("--no-import",)):
        lines = rallypoint("plugins", *more, folder=site).stdout.splitlines()
        at = next(number for number, line in enumerate(lines) if line.split()[1:2] == ["a"])
        told = [line.strip() for line in lines[at + 1 :]]
        told = told[0 if more else 1 :]  # the functions that it names are not there, which only importing shows
        assert told[:7] == [
            "rules: D-R8, D-R16, A-2",
            "decides: D-AMB-1",
            "rulings: A-1, A-2",
            "sets of rules: grim",
            "content: arms.toml",
            "commands: duel",
            "formats: export cards, import cards, convert skirmish to feud",
        ]


@pytest.mark.parametrize("kind", ["importers", "converters"])
def test_a_format_whose_function_is_missing_is_broken_in_the_list(site: Path, kind: str) -> None:
    game(site)
    names = 'from = "a"\nto = "b"' if kind == "converters" else 'name = "x"'
    distribution(site, "a", {"more.py": ""}, manifest=f'[[{kind}]]\n{names}\nrun = "pkg_a.more:run"\n')
    assert (rows(site)["a"]["state"], rows(site)["a"]["reason"]) == ("broken", "there is no run in pkg_a.more")


def test_a_file_of_equipment_that_is_not_in_the_package_is_a_reason(site: Path) -> None:
    game(site)
    distribution(site, "a", manifest='content = ["arms.toml"]\n[needs]\nskirmish = "1"\n')
    row = rows(site, "--no-import")["a"]
    assert row["state"] == "broken"
    assert str(row["reason"]).endswith("the package has no such file; found: content arms.toml")


def test_a_row_has_everything_that_is_known(site: Path) -> None:
    game(site)
    extra = 'title = "Alpha"\nrules = ["D-R16", "D-R17"]\ndecides = ["D-AMB-1"]\nafter = ["skirmish"]'
    home = hooked(site, "a", "@hookimpl\ndef fire_wounds(wounds): ...", extra=f'{extra}\ncontent = ["arms.toml"]')
    with (home / "rallypoint-plugin.toml").open("a") as manifest:
        manifest.write(BROUGHT)
    (home / "arms.toml").write_text("pack = 1")
    (home / "more.py").write_text("def run(*_): ...")
    row = rows(site)["a"]
    milliseconds = row.pop("load_milliseconds")
    assert isinstance(milliseconds, float)
    assert milliseconds >= 0
    assert row == {
        "name": "a",
        "state": "on",
        "reason": "",
        "title": "Alpha",
        "distribution": "a",
        "version": "1.0",
        "needs": ["skirmish 1"],
        "hooks": ["fire_wounds"],
        "order": row["order"],
        "rules": ["D-R16", "D-R17", "D-R8", "A-2"],
        "decides": ["D-AMB-1"],
        "rulings": ["A-1", "A-2"],
        "sets_of_rules": ["grim"],
        "content": ["arms.toml"],
        "commands": ["duel"],
        "formats": ["export cards", "import cards", "convert skirmish to feud"],
        "warnings": [],
        "checked": True,
    }
    order = {name: each["order"] for name, each in rows(site).items()}
    assert order["a"] == order["skirmish"] + 1  # type: ignore[operator]


def test_without_importing_hooks_and_times_are_not_known(site: Path) -> None:
    game(site)
    hooked(site, "a", "raise ValueError")
    row = rows(site, "--no-import")["a"]
    assert (row["state"], row["checked"], row["hooks"], row["load_milliseconds"]) == ("on", False, [], None)
    row = rows(site)["a"]
    assert (row["state"], row["checked"]) == ("broken", True)
    assert row["reason"] == "ValueError (impl.py:3)"


def test_a_broken_plugin_can_be_disabled_by_the_name_of_its_entry_point(site: Path) -> None:
    distribution(site, "bare", manifest=None)
    assert rows(site)["bare"]["state"] == "broken"
    assert rallypoint("plugin", "disable", "bare", folder=site).returncode == 0
    assert (rows(site)["bare"]["state"], rows(site)["bare"]["reason"]) == ("off", "disabled")
    for path in (site / "pkg_bare-1.0.dist-info").iterdir():
        path.unlink()
    assert rallypoint("plugin", "enable", "bare", folder=site).stdout == "bare is enabled\n"  # though it has gone


def test_what_a_plugin_prints_when_it_is_imported_does_not_spoil_the_json(site: Path) -> None:
    distribution(site, "loud", {"__init__.py": "print('hello')"})
    done = rallypoint("plugins", "--json", folder=site)
    assert done.stderr == "hello\n"
    assert "loud" in {row["name"] for row in json.loads(done.stdout)["plugins"]}
