"""Plugins that give what they should not, end the program, or name files outside: one line that names them, and 2."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from subprocess import CompletedProcess
from types import SimpleNamespace

import pytest

from rallypoint.cli.guard import GuardedModule, guarded
from rallypoint.kernel.errors import PluginError
from rallypoint.kernel.tape import Suspended

from ..plugins.distributions import distribution, rallypoint

CODE = """
import os, sys
import click
from types import SimpleNamespace
from rallypoint.kernel.encounter import Encounter, Export, Imported, Sheet
from rallypoint.kernel.state import Entity, State

def given():
    if os.environ["GIVES"] == "interrupt":
        raise KeyboardInterrupt
    return eval(os.environ["GIVES"])

class Sly(dict):
    def items(self):
        raise SystemExit(0)

def export(encounter, options):
    return given()

def read(files, options):
    return given()

def plain(arguments):
    return given()

@click.command()
def proper():
    return given()

@click.group()
@click.option("--loud", is_flag=True, callback=lambda *_: given())
def several(loud): ...

@several.command()
def one(): ...

def good(state=None, **more):
    return Encounter("k", "t", "skirmish", State.of([Entity.new("red", "side")]), {})._replace(**more)

def ends(status=0):
    raise SystemExit(status)
"""
MANIFEST = "".join(
    f'[[{kind}]]\nname = "{name}"\nhelp = "h"\nrun = "pkg_sly.code:{run}"\n'
    for kind, name, run in [
        ("exporters", "sly", "export"),
        ("importers", "sly", "read"),
        ("commands", "plain", "plain"),
        ("commands", "proper", "proper"),
        ("commands", "several", "several"),
    ]
)


@pytest.fixture
def sly(table: Path) -> Path:
    with (table / "pkg_skirmish" / "__init__.py").open("a") as stream:
        stream.write("def force_of(*_): ...\ndef with_values(*_): ...\n")
    distribution(table, "sly", {"code.py": CODE}, manifest=MANIFEST)
    return table


def run(folder: Path, gives: str, *arguments: str) -> CompletedProcess[str]:
    return rallypoint(*arguments, folder=folder, env={"GIVES": gives})


def refused(done: CompletedProcess[str], said: str) -> None:
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert done.stderr.startswith("error: ")
    assert done.stderr.count("\n") == 1


ENDS = [
    "ends()",
    "ends(7)",
    "ends('bye')",
    "(_ for _ in ()).throw(GeneratorExit())",
    "open('/nowhere/x')",
    "f'{9 / 0}'",
]


@pytest.mark.parametrize("gives", ENDS)
def test_a_plugin_that_ends_the_program_is_named(sly: Path, gives: str) -> None:
    name = {"ends": "SystemExit", "(_ f": "GeneratorExit", "open": "FileNotFoundError", "f'{9": "ZeroDivisionError"}[
        gives[:4]
    ]
    refused(run(sly, gives, "export", "sly", "roster.md", "-o", "out"), f"error: exporter sly: {name}")
    refused(run(sly, gives, "import", "sly", "roster.md", "--dry-run"), f"error: importer sly: {name}")
    refused(run(sly, gives, "plain"), f"error: command plain: {name}")
    refused(run(sly, gives, "proper"), f"error: command proper: {name}")
    refused(run(sly, gives, "several", "--loud", "one"), f"error: command several: {name}")
    assert not (sly.parent / "out").exists()


def test_an_interrupt_stays_one(sly: Path) -> None:
    for arguments in (["export", "sly", "roster.md", "--dry-run"], ["plain"], ["proper"]):
        done = run(sly, "interrupt", *arguments)
        assert (done.returncode, done.stderr) == (130, "interrupted\n")


@pytest.mark.parametrize(
    ("gives", "status"),
    [
        ("None", 0),
        ("0", 0),
        ("False", 0),
        ("True", 1),
        ("3", 3),
        ("255", 255),
        ("click.get_current_context().exit(4)", 4),
    ],
)
def test_the_exit_status_of_a_command_is_its_own(sly: Path, gives: str, status: int) -> None:
    for command in ("plain", "proper"):
        done = run(sly, gives, command)
        assert (done.returncode, done.stdout, done.stderr) == (status, "", "")


@pytest.mark.parametrize("gives", ["256", "-1", "'1'", "[]", "10**9"])
def test_what_is_no_exit_status_is_an_error(sly: Path, gives: str) -> None:
    for command in ("plain", "proper"):
        refused(run(sly, gives, command), f"error: command {command}: a command gave no exit status; found: a ")


def test_a_game_that_ends_the_program_is_named(table: Path) -> None:
    (table / "pkg_skirmish" / "__init__.py").write_text(
        "def catalogue():\n    raise SystemExit(0)\n\ndef encounter(): ...\n"
    )
    refused(rallypoint("muster", "roster.md", folder=table), "error: plugin skirmish, catalogue(): SystemExit: 0")
    (table / "pkg_skirmish" / "__init__.py").write_text("def __getattr__(name):\n    raise SystemExit(0)\n")
    refused(rallypoint("muster", "roster.md", folder=table), "SystemExit: 0")
    (table / "pkg_skirmish" / "__init__.py").write_text("raise SystemExit(0)\n")
    refused(rallypoint("muster", "roster.md", folder=table), "cannot be imported: SystemExit: 0")


def test_a_question_to_a_player_is_no_fault() -> None:
    def ask() -> None:
        raise Suspended.__new__(Suspended)

    with pytest.raises(Suspended), guarded("p", "w"):
        ask()
    with pytest.raises(PluginError, match="w: ValueError"), guarded("p", "w"):
        raise ValueError


# What an exporter or an importer gives


@pytest.mark.parametrize(
    ("gives", "found"),
    [
        ("None", "what it gave: NoneType; expected: Export"),
        ("({}, {})", "what it gave: tuple; expected: Export"),
        ("Export([], {})", "files: list; expected: Mapping"),
        ("Export({'a': 'text'}, {})", "files['a']: str; expected: bytes"),
        ("Export({'a': None}, {})", "files['a']: NoneType; expected: bytes"),
        ("Export({1: b''}, {})", "a name in files: int; expected: str"),
        ("Export({b'a': b''}, {})", "a name in files: bytes; expected: str"),
        ("Export({}, None)", "counts: NoneType; expected: Mapping"),
        ("Export({}, {'a': None})", "counts['a']: NoneType; expected: int"),
        ("Export({}, {'a': True})", "counts['a']: bool; expected: int"),
        ("Export({}, {1: 1})", "a name in counts: int; expected: str"),
        ("Export({}, {}, 'text')", "left_out: str; expected: tuple"),
        ("Export({}, {}, (1,))", "left_out[0]: int; expected: str"),
        ("Export({}, {}, (), None)", "notes: NoneType; expected: tuple"),
        ("Export({}, {}, (), (), 5)", "next_steps: int; expected: tuple"),
        ("Export({}, {}, (), (), (), 'packs')", "owns: str; expected: tuple"),
        ("Export({}, {}, (), (), (), (None,))", "owns[0]: NoneType; expected: str"),
    ],
)
def test_an_export_is_checked_before_anything_is_written(sly: Path, gives: str, found: str) -> None:
    for more in ([], ["--json"], ["--dry-run"]):
        done = run(sly, gives, "export", "sly", "roster.md", "-o", "out", *more)
        refused(done, f"error: plugin sly: exporter sly gave something else; found: {found}\n")
    assert not (sly.parent / "out").exists()


def test_looking_at_what_was_given_is_guarded(sly: Path) -> None:
    refused(
        run(sly, "Export(Sly(), {})", "export", "sly", "roster.md", "--dry-run"), "error: exporter sly: SystemExit: 0"
    )


@pytest.mark.parametrize(
    ("gives", "found"),
    [
        ("None", "what it gave: NoneType; expected: Imported"),
        ("Imported(None, {})", "encounter: NoneType; expected: Encounter"),
        ("Imported(good(), None)", "counts: NoneType; expected: Mapping"),
        ("Imported(good(), {'read': 'one'})", "counts['read']: str; expected: int"),
        ("Imported(good(), {}, 'text')", "left_out: str; expected: tuple"),
        ("Imported(good(), {}, (), (), (None,))", "conflicts[0]: NoneType; expected: str"),
        ("Imported(good(key=1), {})", "encounter.key: int; expected: str"),
        ("Imported(good(title=None), {})", "encounter.title: NoneType; expected: str"),
        ("Imported(good(game=b''), {})", "encounter.game: bytes; expected: str"),
        ("Imported(good()._replace(state=()), {})", "encounter.state: tuple; expected: State"),
        ("Imported(good(board='b'), {})", "encounter.board: str; expected: Board"),
        ("Imported(good(pages=(1,)), {})", "encounter.pages[0]: int; expected: Page"),
        ("Imported(good(tables=None), {})", "encounter.tables: NoneType; expected: tuple"),
        ("Imported(good(sheets=[]), {})", "encounter.sheets: list; expected: Mapping"),
        ("Imported(good(sheets={'a': None}), {})", "encounter.sheets['a']: NoneType; expected: Sheet"),
        ("Imported(good(sheets={'a': Sheet('a', None, '', '')}), {})", "encounter.sheets['a'].name: NoneType; expected: str"),
        ("Imported(good(sheets={'a': Sheet('a', '', '', '', {'I': '9'})}), {})", "encounter.sheets['a'].stats['I']: str; expected: int"),
        ("Imported(good(sheets={'a': Sheet('a', '', '', '', {}, (1,))}), {})", "encounter.sheets['a'].gear[0]: int; expected: Gear"),
        ("Imported(good(sheets={'a': Sheet('a', '', '', '', {}, (), 'n')}), {})", "encounter.sheets['a'].notes: str; expected: tuple"),
        ("Imported(good(sheets={'a': Sheet('a', '', '', '', {}, (), (), 1)}), {})", "encounter.sheets['a'].picture: int; expected: str"),
    ],
)  # fmt: skip
def test_an_import_is_checked_before_anything_is_made_of_it(sly: Path, gives: str, found: str) -> None:
    done = run(sly, gives, "import", "sly", "roster.md", "-o", "new.toml")
    refused(done, f"error: plugin sly: importer sly gave something else; found: {found}\n")
    assert not (sly.parent / "new.toml").exists()


# Folders that an exporter owns


def contents(home: Path) -> dict[Path, bytes]:
    """Return what lies there besides the plugins themselves and the index of them, which is kept once they have settled."""
    found = [path for path in home.rglob("*") if path.is_file()]
    return {path: path.read_bytes() for path in found if not {"site", "cache"} & {*path.relative_to(home).parts}}


@pytest.mark.parametrize("owned", ["..", "", ".", "/", "../site", "a/../..", "ABSOLUTE", "mine"])
def test_an_exporter_cannot_own_what_is_not_its_own(sly: Path, owned: str) -> None:
    home = sly.parent
    mine = home / "out" / "mine"
    mine.mkdir(parents=True)
    for folder in (home, mine.parent, mine):
        for name in ("notes.txt", "000001.log", "CURRENT"):
            (folder / name).write_text("mine")
    before = contents(home)
    owned = str(mine) if owned == "ABSOLUTE" else owned
    gives = f"Export({{'list.txt': b'', 'p/CURRENT': b''}}, {{}}, (), (), (), ({owned!r},))"
    for more in ([], ["--dry-run"]):
        refused(
            run(sly, gives, "export", "sly", "roster.md", "-o", "out", *more), "error: plugin sly: an exporter owns "
        )
    assert contents(home) == before


def test_every_file_that_goes_is_named(sly: Path) -> None:
    pack = sly.parent / "out" / "p"
    pack.mkdir(parents=True)
    for name in ("notes.txt", "000001.log", "CURRENT", "LOG"):
        (pack / name).write_text("old")
    gives = "Export({'p/CURRENT': b'new'}, {'units': 1}, (), (), (), ('p',))"
    done = run(sly, gives, "export", "sly", "roster.md", "-o", "out", "--dry-run")
    assert "Would take away what an older database left in out:\n  p/000001.log\n  p/LOG\n" in done.stdout
    assert len(list(pack.iterdir())) == 4
    done = run(sly, gives, "export", "sly", "roster.md", "-o", "out", "--dry-run", "--json")
    assert json.loads(done.stdout)["taken_away"] == ["p/000001.log", "p/LOG"]
    done = run(sly, gives, "export", "sly", "roster.md", "-o", "out")
    assert "Took away what an older database left in out:\n  p/000001.log\n  p/LOG\n" in done.stdout
    assert sorted(path.name for path in pack.iterdir()) == ["CURRENT", "notes.txt"]


def test_what_a_module_yields_is_guarded_too() -> None:
    def yields(end: int) -> Iterator[int]:
        yield 1
        if end:
            raise ZeroDivisionError("half way")

    module = GuardedModule("sly", SimpleNamespace(yields=yields))
    assert list(module.yields(0)) == [1]  # type: ignore[operator]
    with pytest.raises(PluginError, match=r"plugin sly, yields\(\): ZeroDivisionError: half way"):
        module.yields(1)  # type: ignore[operator]
