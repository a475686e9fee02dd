"""What these tests need besides Python: without it they are skipped with the reason, but in CI its absence is a failure."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

import rallypoint_owlbear

__all__ = ["BROWSERS", "BUNDLE", "EXTENSION", "chromium_path", "need", "need_to_build"]

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
HERE = Path(__file__).parent
BUNDLE = Path(rallypoint_owlbear.__file__).parent / "link" / "bundle"
"""The extension as it was built."""
EXTENSION = Path(rallypoint_owlbear.__file__).parent / "extension"


def need() -> None:
    """Go on only with a browser, what drives it, and the built extension."""
    if chromium_path() is None:
        _without("Chromium", "apt-get install chromium")
    if shutil.which("node") is None:
        _without("Node", "apt-get install nodejs npm")
    if not (HERE / "node_modules" / "playwright-core").is_dir():
        _without("playwright-core", "make extension")
    if not (BUNDLE / "background.html").is_file():
        _without("the built extension", "make extension")


def need_to_build() -> None:
    """Go on only with what builds the extension, and runs modules of it."""
    if shutil.which("node") is None:
        _without("Node", "apt-get install nodejs npm")
    if not (EXTENSION / "node_modules" / "esbuild").is_dir():
        _without("esbuild", "make extension")


def chromium_path() -> str | None:
    """Return the path of a browser, ``None`` if there is none."""
    return next((found for name in BROWSERS if (found := shutil.which(name))), None)


def _without(what: str, how: str) -> None:
    if os.environ.get("CI") == "true":
        pytest.fail(f"{what} is not there, and CI must have it: {how}")
    pytest.skip(f"{what} is not there: {how}")
