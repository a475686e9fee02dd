"""One browser for all tests of a run, a room and a program for each test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from rallypoint_owlbear.link.commands.serve import BUNDLE

from .browser import Browser, Room
from .program import Program
from .requirements import chromium_path, need


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
def room(browser: Browser) -> Iterator[Room]:
    """A room without a scene, in which nobody is."""
    found = browser.open()
    yield found
    errors = found.errors()
    found.close()
    assert errors == []


@pytest.fixture
def program(browser: Browser, tmp_path: Path) -> Iterator[Program]:
    """The program, which takes the stand-in room for Owlbear."""
    pictures = tmp_path / "pictures"
    pictures.mkdir()
    found = Program(BUNDLE, (browser.origin,), pictures)
    yield found
    found.stop()
