"""What the tests of the shape share: battles that keep a file are closed when the test is over."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack

import pytest


@pytest.fixture
def closing() -> Iterator[ExitStack]:
    """Return a stack that closes what a test opened."""
    with ExitStack() as stack:
        yield stack
