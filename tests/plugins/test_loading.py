"""Discovery and loading in one process: rows, order, requirements, switches; nothing is imported to find a plugin."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from rallypoint.kernel.plugins.discovery import discover
from rallypoint.kernel.plugins.loading import Loaded, Row, listed, load
from rallypoint.kernel.plugins.plan import compile_plan
from rallypoint.kernel.plugins.switches import Switches

from .distributions import distribution, game, hooked


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder on the path; what is imported from it is forgotten afterwards."""
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(str(folder))
    before = set(sys.modules)
    yield folder
    for name in set(sys.modules) - before:
        del sys.modules[name]


def loaded(folder: Path, switches: Switches = Switches(), *, everything: bool = False) -> Loaded:  # noqa: B008
    return load(discover([str(folder)]).found, switches, everything=everything)


def rows(folder: Path, switches: Switches = Switches()) -> dict[str, Row]:  # noqa: B008
    return {row.name: row for row in loaded(folder, switches).rows}


ADD = "@hookimpl\ndef fire_wounds(wounds):\n    return wounds + 1"
DOUBLE = "@hookimpl\ndef fire_wounds(wounds):\n    return wounds * 2"


class Quiet:
    def note(self, *what: object) -> None: ...


def test_what_is_found_and_from_where(site: Path) -> None:
    home = distribution(site, "cold-steel", manifest='title = "Cold"', version="2.1")
    found = discover([str(site)])
    (each,) = found.found
    assert (each.name, each.distribution, each.version, each.package) == (
        "cold-steel",
        "cold-steel",
        "2.1",
        "pkg_cold_steel",
    )
    assert each.manifest is not None
    assert each.manifest.title == "Cold"
    assert each.problem is None
    assert found.watched == (
        str(site),
        str(site / "pkg_cold_steel-2.1.dist-info" / "entry_points.txt"),
        str(home / "rallypoint-plugin.toml"),
    )
    assert "pkg_cold_steel" not in sys.modules


def test_a_package_inside_a_package_is_found_without_importing_the_outer_one(site: Path) -> None:
    distribution(site, "deep", {"__init__.py": "raise SystemExit"}, package="outer", entry="x")
    inner = site / "outer" / "inner"
    inner.mkdir()
    (inner / "rallypoint-plugin.toml").write_text('manifest = 1\nname = "deep"\n')
    (site / "outer-1.0.dist-info" / "entry_points.txt").write_text("[rallypoint.plugins]\ndeep = outer.inner\n")
    (each,) = discover([str(site)]).found
    assert (each.package, each.problem) == ("outer.inner", None)


def test_the_first_copy_of_a_distribution_on_the_path_counts(tmp_path: Path) -> None:
    for name, version in (("one", "1.0"), ("two", "2.0")):
        (tmp_path / name).mkdir()
        distribution(tmp_path / name, "p", version=version)
    path = [str(tmp_path / name) for name in ("two", "one")]
    assert [each.version for each in discover(path).found] == ["2.0"]
    assert [each.version for each in discover(path[::-1]).found] == ["1.0"]


def test_a_zip_a_missing_folder_and_other_groups_are_passed_over(tmp_path: Path) -> None:
    (tmp_path / "x.zip").write_bytes(b"PK")
    other = tmp_path / "other-1.dist-info"
    other.mkdir()
    (other / "entry_points.txt").write_text("[console_scripts]\nrallypoint.plugins = a:b\n")
    assert discover([str(tmp_path / "x.zip"), str(tmp_path / "gone"), str(tmp_path)]).found == ()


def test_names_that_differ_are_named(site: Path) -> None:
    distribution(site, "one", manifest="", entry="one")
    (site / "pkg_one-1.0.dist-info" / "entry_points.txt").write_text("[rallypoint.plugins]\nuno = pkg_one\n")
    (each,) = discover([str(site)]).found
    assert each.name == "uno"
    assert (each.problem or "").endswith("the name differs from the entry point's; found: one; expected: uno")


def test_loaded_plugins_are_in_order_and_make_a_plan(site: Path) -> None:
    game(site)
    hooked(site, "adder", ADD, extra='after = ["doubler"]')
    hooked(site, "doubler", DOUBLE, extra='title = "D"\nrules = ["D-R16"]\ndecides = ["D-AMB-1"]')
    result = loaded(site)
    assert [(row.name, row.state, row.order, row.hooks) for row in result.rows] == [
        ("adder", "on", 2, ("fire_wounds",)),
        ("doubler", "on", 1, ("fire_wounds",)),
        ("skirmish", "on", 3, ()),
    ]
    assert (result.rows[1].title, result.rows[1].rules, result.rows[1].decides) == ("D", ("D-R16",), ("D-AMB-1",))
    assert result.rows[1].needs == ("skirmish 1",)
    plugins = result.plugins["skirmish"]
    assert [(plugin.name, plugin.version) for plugin in plugins] == [("doubler", "1.0"), ("adder", "1.0")]
    hooks = compile_plan(result.specifications["skirmish"], plugins)  # type: ignore[arg-type, var-annotated]
    assert hooks.fire_wounds(Quiet(), "s", 3) == 7  # 3 * 2 + 1


def test_the_order_of_installation_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    outcomes = []
    for names in (("adder", "doubler"), ("doubler", "adder")):
        folders = []
        for name in names:  # the later folder on the path, the later file in the folder: all differ
            folder = tmp_path / f"{'-'.join(names)}-{name}"
            folder.mkdir()
            package = f"{name}_{names[0]}"
            hooked(folder, name, ADD if name == "adder" else DOUBLE, package=package)
            folders.append(str(folder))
        shared = tmp_path / f"game-{names[0]}"
        shared.mkdir()
        game(shared)
        path = [*folders, str(shared)]
        with monkeypatch.context() as patch:
            patch.setattr(sys, "path", [*path, *sys.path])
            before = set(sys.modules)
            result = load(discover(path).found, Switches())
            for module in set(sys.modules) - before:
                del sys.modules[module]
        hooks = compile_plan(result.specifications["skirmish"], result.plugins["skirmish"])  # type: ignore[arg-type, var-annotated]
        outcomes.append((hooks.fire_wounds(Quiet(), "s", 3), [row.name for row in result.rows]))
    assert outcomes == [(8, ["adder", "doubler", "skirmish"])] * 2  # (3 + 1) * 2


def test_what_requires_a_plugin_that_is_not_on_is_not_on_either(site: Path) -> None:
    game(site)
    hooked(site, "base", "raise ValueError('no')")
    hooked(site, "middle", ADD, extra='requires = ["base"]')
    hooked(site, "top", ADD, extra='requires = ["middle"]')
    found = rows(site)
    assert (found["base"].state, found["base"].reason) == ("broken", "ValueError: no (impl.py:3)")
    assert (found["middle"].state, found["middle"].reason) == (
        "incompatible",
        "requires base, which is not installed or not on",
    )
    assert (found["top"].state, found["top"].reason) == (
        "incompatible",
        "requires middle, which is not installed or not on",
    )
    assert found["skirmish"].state == "on"


def test_a_circle_breaks_its_members_only(site: Path) -> None:
    game(site)
    hooked(site, "a", ADD, extra='before = ["b"]')
    hooked(site, "b", ADD, extra='before = ["a"]')
    hooked(site, "c", ADD, extra='before = ["a"]')
    found = rows(site)
    assert [found[name].state for name in "abc"] == ["broken", "broken", "on"]
    assert found["a"].reason == "the order goes round in a circle: a before b before a"


def test_a_plugin_for_a_game_that_is_not_there(site: Path) -> None:
    hooked(site, "lonely", "raise ValueError('must not be imported')")
    row = rows(site)["lonely"]
    assert (row.state, row.reason) == ("incompatible", "needs the hooks of skirmish, which is not installed or not on")


def test_switches(site: Path) -> None:
    game(site)
    hooked(site, "a", ADD)
    hooked(site, "b", ADD)
    assert {row.name: row.reason for row in rows(site, Switches.of(disabled=["a"], off=["b"])).values()} == {
        "a": "disabled",
        "b": "-p no:b",
        "skirmish": "",
    }
    only = rows(site, Switches.of(only="a, skirmish"))
    assert [(row.name, row.state) for row in only.values()] == [("a", "on"), ("b", "off"), ("skirmish", "on")]
    assert {row.reason for row in rows(site, Switches.of(none=True)).values()} == {"--no-plugins"}
    assert rows(site, Switches.of(only=""))["a"].reason == "not in RALLYPOINT_PLUGINS"


def test_listing_imports_nothing_and_says_what_manifests_tell(site: Path) -> None:
    before = set(sys.modules)
    game(site)
    hooked(site, "a", "raise SystemExit(3)", extra='requires = ["gone"]')
    hooked(site, "b", "raise SystemExit(3)")
    found = {row.name: row for row in listed(discover([str(site)]).found, Switches())}
    assert (found["a"].state, found["b"].state, found["skirmish"].state) == ("incompatible", "on", "on")
    assert [name for name in set(sys.modules) - before if name.startswith("pkg_")] == []


def test_everything_also_imports_what_commands_name(site: Path) -> None:
    commands = '[[commands]]\nname = "duel"\nhelp = "h"\nrun = "pkg_d.duel:main"\n'
    distribution(site, "d", {"duel.py": "def other(): ...\n"}, manifest=commands)
    assert loaded(site).rows[0].state == "on"
    row = loaded(site, everything=True).rows[0]
    assert (row.state, row.reason) == ("broken", "there is no main in pkg_d.duel")


def test_what_a_plugin_prints_does_not_reach_standard_output(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    distribution(site, "loud", {"__init__.py": "print('hello')"})
    assert loaded(site).rows[0].state == "on"
    out, err = capsys.readouterr()
    assert (out, err) == ("", "hello\n")


def test_an_interrupt_is_not_caught(site: Path) -> None:
    distribution(site, "slow", {"__init__.py": "raise KeyboardInterrupt"})
    with pytest.raises(KeyboardInterrupt):
        loaded(site)


def test_a_game_whose_hooks_do_not_hold_together_is_broken(site: Path) -> None:
    home = game(site)
    (home / "specs.py").write_text(
        "from rallypoint.kernel.plugins.hooks import change\n\nclass Hooks:\n    @change('x')\n    def h(self, y): ...\n"
    )
    hooked(site, "a", ADD)
    found = rows(site)
    assert found["skirmish"].state == "broken"
    assert "not among its arguments; found: x; expected: y" in found["skirmish"].reason
    assert found["a"].state == "incompatible"
