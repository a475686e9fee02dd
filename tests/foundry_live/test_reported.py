"""Every reported fault of other people's importers and bridges is named by a test: ``test_b28_...``, ``test_r3_r4_...``.

``reported.json`` holds the numbers: B those of importers and of sync to a VTT, R the twelve points of clients of the relay.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

TESTS = Path(__file__).parent.parent
REPORTED: dict[str, list[str]] = json.loads((Path(__file__).parent / "reported.json").read_text("utf-8"))
NUMBER = re.compile(r"(?<=_)(?:b\d\d|r\d{1,2})(?=_)")


def named_in(text: str) -> Iterator[tuple[str, str]]:
    """Yield the numbers that the names of tests begin with or hold, with the test; one that asserts nothing does not count."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_") and asserts(node):
            yield from ((found.upper(), node.name) for found in NUMBER.findall(f"{node.name}_"))


def asserts(test: ast.FunctionDef) -> bool:
    raises = [node for node in ast.walk(test) if isinstance(node, ast.With) and "pytest.raises" in ast.unparse(node)]
    return bool(raises) or any(isinstance(node, ast.Assert) for node in ast.walk(test))


def named(folder: Path) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for path in sorted(folder.rglob("test_*.py")):
        for number, test in named_in(path.read_text("utf-8")):
            found.setdefault(number, set()).add(f"{path.relative_to(TESTS)}::{test}")
    return found


def test_the_list_is_whole() -> None:
    assert (len(REPORTED["B"]), len(set(REPORTED["B"])), len(REPORTED["R"])) == (32, 32, 12)
    assert REPORTED["R"] == [f"R{number}" for number in range(1, 13)]
    # Of plugins, rules, files and pages there are others, which have no place here.
    assert not {"B06", "B15", "B19", "B24", "B32", "B35", "B49", "B63", "B65"} & set(REPORTED["B"])


def test_every_reported_fault_is_named_by_a_test() -> None:
    tests = named(TESTS)
    missing = [number for number in REPORTED["B"] if number not in tests]
    assert not missing, f"no test names {', '.join(missing)}"


def test_every_point_of_a_client_of_the_relay_is_named_by_a_test() -> None:
    tests = named(TESTS / "foundry_live")  # elsewhere R numbers are rules
    missing = [number for number in REPORTED["R"] if number not in tests]
    assert not missing, f"no test names {', '.join(missing)}"


def test_no_test_here_names_a_number_that_is_none() -> None:
    known = {*REPORTED["B"], *REPORTED["R"]}
    wrong = {
        number: tests
        for folder in ("foundry_live", "sync", "contract")
        for number, tests in named(TESTS / folder).items()
        if number not in known
    }
    assert not wrong


def test_the_reader_of_names_sees_numbers_of_tests_that_assert() -> None:
    text = """
def test_b28_b31_a(): assert x
def test_r3_r12_b():
    with pytest.raises(ValueError): f()
def test_b01_nothing(): pass
def b02_helper(): assert x
def test_sub04_c(): assert x
"""
    assert {number for number, _ in named_in(text)} == {"B28", "B31", "R3", "R12"}
