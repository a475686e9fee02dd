"""What is imported at the start is left out when garbage is looked for; in somebody else's process nothing is touched."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator

import pytest

from rallypoint.__main__ import main
from rallypoint.cli import command_line


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[tuple[list[str], bool, bool]]]:
    """Yield, for each run of the command line: its arguments, whether garbage is looked for, whether something is left out."""
    found: list[tuple[list[str], bool, bool]] = []

    def run(arguments: list[str]) -> int:
        found.append((arguments, gc.isenabled(), gc.get_freeze_count() > 0))
        return 3

    monkeypatch.setattr(command_line, "run", run)
    monkeypatch.setattr(sys, "argv", ["rallypoint", "demo"])
    gc.unfreeze()
    yield found
    gc.unfreeze()


def test_the_program_itself_leaves_its_imports_out_and_collects_garbage_as_ever(
    seen: list[tuple[list[str], bool, bool]],
) -> None:
    assert main() == 3
    assert seen == [(["demo"], True, True)]


def test_a_process_that_calls_it_keeps_its_own_ways(seen: list[tuple[list[str], bool, bool]]) -> None:
    gc.disable()
    try:
        assert main(["plugins"]) == 3
    finally:
        gc.enable()
    assert seen == [(["plugins"], False, False)]
