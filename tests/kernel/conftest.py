"""What holds for every test of the kernel."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import Any

import pytest


@pytest.fixture(autouse=True)
def _no_connection_stays_open(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Close at the end of a test what it left open."""
    made: list[sqlite3.Connection] = []
    connect: Any = sqlite3.connect

    def connected(*args: Any, **more: Any) -> sqlite3.Connection:
        made.append(connect(*args, **more))
        return made[-1]

    monkeypatch.setattr(sqlite3, "connect", connected)
    yield
    for connection in made:
        connection.close()
