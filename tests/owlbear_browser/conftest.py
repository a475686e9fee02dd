"""One browser for all tests of a run, a room and a program for each test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from rallypoint_owlbear.link import room as link_room

from .browser import Browser, Room
from .popover_stage import Stage, staged
from .program import Program
from .requirements import BUNDLE, chromium_path, need
from .table import QUICK


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """The browser."""
    need()
    path = chromium_path()
    assert path is not None
    found = Browser(path)
    yield found
    found.close()


@pytest.fixture
def room(browser: Browser, program: Program) -> Iterator[Room]:
    """A room without a scene, in which nobody is."""
    yield from _room(browser.open())


@pytest.fixture
def quick_room(browser: Browser, program: Program) -> Iterator[Room]:
    """A room in which time passes five times as fast, for what the page waits for long."""
    yield from _room(browser.open(QUICK))


@pytest.fixture
def room_without_storage(browser: Browser, program: Program) -> Iterator[Room]:
    """A room in a browser that keeps nothing for pages in frames, as in a private window."""
    closed = (
        "Object.defineProperty(self, 'localStorage', { get() { throw new DOMException('closed', 'SecurityError') } })"
    )
    yield from _room(browser.open(closed))


def _room(found: Room) -> Iterator[Room]:
    yield found
    errors = [each for each in found.errors() if not ("401" in each and "/link/up" in each)]
    found.close()
    assert errors == []  # what is said with a token that has just ended is refused, and the page asks for a new one


@pytest.fixture
def short_lease(monkeypatch: pytest.MonkeyPatch) -> None:
    """The writer lease of a page that is silent passes on after a second and a half; for quick rooms."""
    monkeypatch.setattr(link_room, "LEASE", 1.5)


@pytest.fixture
def program(browser: Browser, tmp_path: Path) -> Iterator[Program]:
    """The program, which takes the stand-in room for Owlbear."""
    pictures = tmp_path / "pictures"
    pictures.mkdir()
    found = Program(BUNDLE, (browser.origin,), pictures)
    yield found
    found.stop()


@pytest.fixture
def scripts() -> tuple[str, ...]:
    """What runs in each frame of a stage before all else."""
    return ()


@pytest.fixture
def stage(browser: Browser, tmp_path: Path, scripts: tuple[str, ...]) -> Iterator[Stage]:
    """The popover before a background page that says what the test says."""
    with staged(browser, tmp_path, BUNDLE, scripts) as found:
        yield found
