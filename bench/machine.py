"""How fast the machine is: what other rows are to be read beside, and the least that a log costs on it.

A rate says nothing without the machine. So rows of attacks give their time in plain calls of a Python function, too, and beside
what goes through a log stands what the standard library alone needs for the same texts.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from hashlib import sha256
from itertools import cycle, islice
from pathlib import Path

from rallypoint.kernel.history import Entry

from .timing import Row, best

PEERS = Path(__file__).parent / "peers"


def plain(step: object, shot: int, wounds: int) -> int:  # noqa: ARG001 - what it is called with counts
    """Do nothing with three arguments: the call that others are measured by."""
    return wounds


def plain_calls(number: int) -> None:
    """Make plain calls: the case."""
    for _ in range(number):
        plain(None, 1, 2)


def rows() -> Iterator[Row]:
    found = best({"plain": plain_calls}, 20_000)["plain"]
    yield Row("a plain Python call of three arguments", f"{found:.1f} ns", "(the machine's speed)", None)


def speed(spent: float, plain_call: float) -> str:
    """Return a rate in words, with the plain calls that one takes as long as."""
    return f"{1e9 / spent:,.0f} a second ({spent / plain_call:,.0f} calls)"


def written(entries: Iterable[Entry]) -> Callable[[int], object]:
    """Return the case of the texts of entries alone: each written by the standard encoder, sorted, and hashed once."""
    values = [json.loads(f"[{entry.changes_text},{entry.body_text}]") for entry in entries]
    encode = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode

    def case(number: int) -> None:
        for value in islice(cycle(values), number):
            sha256(encode(value).encode()).hexdigest()

    return case


@cache
def boardgame() -> float | None:
    """Return the moves a second of boardgame.io, ``None`` where it or node is not installed."""
    node = shutil.which("node")
    if node is None or not (PEERS / "node_modules" / "boardgame.io").is_dir():
        return None
    done = subprocess.run([node, "boardgame.mjs"], cwd=PEERS, check=True, capture_output=True, text=True)
    return float(done.stdout)


def beside_boardgame(what: str, spent: float) -> Row:
    """Return the row that compares something that took ``spent`` nanoseconds with a move of boardgame.io."""
    peer, goal = boardgame(), "at least 2 x its moves"
    if peer is None:
        return Row(f"{what} beside boardgame.io", "not installed (make bench-peers)", goal, None)
    ratio = 1e9 / spent / peer
    return Row(f"{what} beside boardgame.io", f"{ratio:.1f} x ({peer:,.0f} moves a second)", goal, ratio >= 2)
