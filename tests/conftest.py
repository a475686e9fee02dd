"""What all tests share: the mark that says which rules a test speaks for, and patience with slow machines."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, settings

# How long a machine takes says nothing about what is right: no deadline, and no complaint about slow examples.
settings.register_profile("steady", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("steady")


def pytest_configure(config: pytest.Config) -> None:
    """Register the mark; ``tests/rules/test_coverage.py`` reads it."""
    config.addinivalue_line("markers", "rule(*ids): ids of the rules that this test would miss")
