"""What all tests share: the mark that says which rules a test speaks for."""

from __future__ import annotations

import pytest


def pytest_configure(config: pytest.Config) -> None:
    """Register the mark; ``tests/rules/test_coverage.py`` reads it."""
    config.addinivalue_line("markers", "rule(*ids): ids of the rules that this test would miss")
