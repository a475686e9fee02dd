"""What the tests of the readers share: the game's catalogue, the example page, and a way to read a text."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from rallypoint.content import Catalogue, Force, PageError, read_force
from rallypoint.disrupter import catalogue as disrupter_catalogue

EXAMPLE = Path(__file__).parents[2] / "examples" / "rosters" / "starter-platoon.md"


@pytest.fixture(scope="session")
def catalogue() -> Catalogue:
    return disrupter_catalogue()


@pytest.fixture(scope="session")
def example() -> str:
    return EXAMPLE.read_text("utf-8")


@pytest.fixture
def read(tmp_path: Path, catalogue: Catalogue, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Force]:
    """Return a reader of a text through a file named ``squad.md``; errors name it just so."""
    monkeypatch.chdir(tmp_path)

    def reader(text: str, *, with_optional: bool = False, name: str = "squad.md") -> Force:
        Path(name).write_bytes(text.encode())
        return read_force(name, catalogue, with_optional=with_optional)

    return reader


@pytest.fixture
def problems(read: Callable[..., Force]) -> Callable[[str], list[tuple[object, ...]]]:
    """Return what is wrong with a text: a row of line, what, found, expected, hint for each problem."""

    def rows(text: str) -> list[tuple[object, ...]]:
        with pytest.raises(PageError) as caught:
            read(text)
        assert caught.value.exit_status == 2
        assert {problem.path for problem in caught.value.problems} == {"squad.md"}
        return [(each.line, each.what, each.found, each.expected, each.hint) for each in caught.value.problems]

    return rows
