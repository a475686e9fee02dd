"""Each rule of the reference is named by a test that speaks for it, or stands in the list with a reason why not.

A test names rules with ``@pytest.mark.rule("D-R16.6")``, a module of tests with ``pytestmark``. ``ids.json`` holds every
id: ``rule`` has to be named by a test, ``plugin`` belongs to the plugin that it names and has to be named by a test as soon as a
plugin of this repository says in its manifest that it touches it, ``advice`` has a reason.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

from rallypoint.disrupter.rulings import RULINGS

TESTS = Path(__file__).parent.parent
IDS: dict[str, dict[str, str]] = json.loads((TESTS / "rules" / "ids.json").read_text("utf-8"))
KINDS = ("rule", "plugin", "advice")


def is_mark(node: ast.expr) -> bool:
    """Say whether this is ``pytest.mark.rule(...)``."""
    return isinstance(node, ast.Call) and ast.unparse(node.func) == "pytest.mark.rule"


def ids_of(node: ast.expr) -> Iterator[str]:
    assert isinstance(node, ast.Call)
    for argument in node.args:
        assert isinstance(argument, ast.Constant), f"a mark names ids by plain strings: {ast.unparse(node)}"
        yield str(argument.value)


def marks_of(text: str) -> Iterator[tuple[str, str]]:
    """Yield the name of each marked test with each id that it names; a mark on anything else does not count."""
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            for decorator in node.decorator_list:
                if is_mark(decorator):
                    yield from ((node.name, each) for each in ids_of(decorator))
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "pytestmark":
            values = node.value.elts if isinstance(node.value, (ast.List, ast.Tuple)) else [node.value]
            for value in values:
                if is_mark(value):
                    yield from (("pytestmark", each) for each in ids_of(value))


def named() -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for path in sorted(TESTS.rglob("test_*.py")):
        for test, rule in marks_of(path.read_text("utf-8")):
            found.setdefault(rule, set()).add(f"{path.relative_to(TESTS)}::{test}")
    return found


def test_the_list_of_ids_is_whole() -> None:
    assert len(IDS) == 256
    for rule, row in IDS.items():
        assert row["kind"] in KINDS, rule
        assert (row["kind"] == "rule") == ("reason" not in row), rule
    for core in ("D-R1.1", "D-R16.15", "D-PT-S", "D-GM-7", "D-EQ-T14", "D-AMB-45"):
        assert IDS[core]["kind"] == "rule"


def test_every_rule_is_named_by_a_test() -> None:
    tests = named()
    missing = [rule for rule, row in IDS.items() if row["kind"] == "rule" and rule not in tests]
    assert not missing, f"no test names {', '.join(missing)}"


PLUGINS = TESTS.parent / "plugins"


def packages_of(reason: str) -> list[Path]:
    """Return the bundled packages that a reason names by its first word: ``indirect fire`` is ``rallypoint_indirect_fire``."""
    return sorted(PLUGINS.glob(f"rallypoint_{reason.split()[0]}*/"))


def owned_by_a_plugin() -> dict[str, Path]:
    """Return the rules that belong to a plugin which brings rules here: it has hooks, and not only formats."""
    found = {}
    for rule, row in IDS.items():
        for package in packages_of(row["reason"]) if row["kind"] == "plugin" else ():
            if re.search(r"^hooks = ", (package / "rallypoint-plugin.toml").read_text("utf-8"), re.MULTILINE):
                found[rule] = package
    return found


def test_every_rule_of_a_plugin_that_is_here_is_named_by_a_test() -> None:
    tests = named()
    missing = [f"{rule} ({package.name})" for rule, package in owned_by_a_plugin().items() if rule not in tests]
    assert not missing, f"no test names {', '.join(missing)}"


def test_a_reason_names_a_plugin_that_is_planned() -> None:
    reasons = {row["reason"] for row in IDS.values() if row["kind"] == "plugin"}
    assert reasons == {"streamline", "mothership", "indirect fire", "vehicle templates"}
    assert [package.name for package in packages_of("mothership")] == ["rallypoint_mothership"]


def test_no_test_names_a_rule_that_does_not_exist() -> None:
    known = set(IDS) | set(RULINGS) | {part for ruling in RULINGS for part in (ruling.split(".")[0],)}
    wrong = {rule: sorted(tests) for rule, tests in named().items() if rule not in known}
    assert not wrong


CORE = TESTS.parent / "core" / "rallypoint" / "disrupter"

FOR_PLUGINS = {"D-AMB-37": "indirect fire"}
"""Rulings that a plugin plays and the game only speaks of, with what their question says about it."""


def test_every_ruling_is_read_somewhere() -> None:
    read = {
        node.value
        for path in CORE.rglob("*.py")
        if path.name != "rulings.py"
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    assert set(RULINGS) <= read
    plugins = "".join([path.read_text("utf-8") for path in PLUGINS.rglob("*.py")])
    for rule, words in FOR_PLUGINS.items():
        assert f'"{rule}"' in plugins, rule
        assert "plugin" in RULINGS[rule].question, rule
        assert words in RULINGS[rule].question, rule


def test_advice_is_not_a_way_around_tests() -> None:
    reasons = [row["reason"] for row in IDS.values() if row["kind"] == "advice"]
    assert all(len(reason.split()) > 3 for reason in reasons)
    assert sum(row["kind"] == "advice" and not rule.startswith("D-TD") for rule, row in IDS.items()) <= 20


def test_the_reader_of_marks_sees_marks_and_nothing_else() -> None:
    text = """
pytestmark = [pytest.mark.rule("D-1"), pytest.mark.slow]
@pytest.mark.rule("D-2", "D-3")
@pytest.mark.parametrize("x", ["D-4"])
def test_a(): pass
@pytest.mark.rule("D-5")
def helper(): pass
"""
    assert set(marks_of(text)) == {("pytestmark", "D-1"), ("test_a", "D-2"), ("test_a", "D-3")}
