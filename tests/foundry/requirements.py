"""What some tests need besides Python: without it they are skipped with the reason, but in CI its absence is a failure."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from .browser_run import browser

__all__ = ["cli_path", "need_browser", "need_cli"]

_BIN = Path(__file__).parent / "node" / "node_modules" / ".bin"


def _without(what: str, how: str) -> None:
    if os.environ.get("CI") == "true":
        pytest.fail(f"{what} is not there, and CI must have it: {how}")
    pytest.skip(f"{what} is not there: {how}")


def need_browser() -> None:
    """Go on only with a browser."""
    if browser() is None:
        _without("Chromium", "apt-get install chromium")


def cli_path() -> str:
    """Return a PATH on which Foundry's own command line is found before others."""
    return f"{_BIN}{os.pathsep}{os.environ['PATH']}"


def need_cli() -> None:
    """Go on only with Node and Foundry's own command line."""
    if shutil.which("node") is None:
        _without("Node", "apt-get install nodejs npm")
    if shutil.which("fvtt", path=cli_path()) is None:
        _without("fvtt", "npm install --no-package-lock in tests/foundry/node")
