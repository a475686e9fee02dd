"""The page of pieces names modules that have what it says, and shows every change and every kind of question."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

from rallypoint.kernel import changes

PAGE = (Path(__file__).parents[2] / "docs" / "cheat-sheet.md").read_text(encoding="utf-8")


def named() -> Iterator[tuple[str, str]]:
    """Yield (module, name) of the last table; a cell of several modules has as many groups of names."""
    table = PAGE.split("## Where things are")[1]
    for names, modules in re.findall(r"^\| (`.*|the .*) \| (.*) \|$", table, re.MULTILINE):
        for group, module in zip(names.split(";"), modules.split(";"), strict=True):
            for name in re.findall(r"`(\w+)`", group):
                yield module.strip().strip("`"), name


def test_each_name_is_in_the_module_that_the_table_says() -> None:
    pairs = list(named())
    assert len(pairs) > 50
    assert [pair for pair in pairs if not hasattr(import_module(f"rallypoint.kernel.{pair[0]}"), pair[1])] == []


def test_every_change_is_shown() -> None:
    kinds = [name for name in changes.__all__ if name[:1].isupper() and isinstance(getattr(changes, name), type)]
    assert len(kinds) == 12
    assert [name for name in kinds if not re.search(rf"\b{name}\(", PAGE)] == []


def test_the_game_of_the_page_stays_small() -> None:
    game = PAGE.split("```python\n")[1].split("```")[0]
    assert "class NightWatch" in game
    assert len(game.splitlines()) < 60
