"""The tables of panic: what stands in their rows, and both of them as tables that people roll on at a VTT (D-PT)."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import resources
from itertools import groupby
from typing import Any

from rallypoint.kernel.dice import D20
from rallypoint.kernel.encounter import Table, TableRow

__all__ = ["aliases", "panic_tables", "result_of"]

_FACES = range(1, 21)
_TITLES = {"team": "Panic: team", "platoon": "Panic: platoon"}
_WORDS = {
    "suppressed": "Suppressed",
    "retreated": "Retreated",
    "routed": "Routed",
    "status_effect": "Status effect",
    "frozen": "Frozen",
    "more_stress": "More Stress",
    "unled_suppressed": "Suppressed where no Officer is",
    "all_suppressed": "All suppressed",
    "nothing": "Nothing",
}


@cache
def _tables() -> Mapping[str, Any]:
    text = (resources.files("rallypoint.disrupter") / "tables" / "panic.toml").read_text("utf-8")
    return tomllib.loads(text)


def aliases() -> Mapping[str, str]:
    """Return other spellings of results, with the machine name that each is read as (D-PT-T2)."""
    return dict(_tables()["aliases"])


def result_of(kind: str, face: int, pack: str | None = None) -> str:
    """Return the machine name of a row of a table of panic.

    Args:
        kind: ``team`` or ``platoon``.
        face: what the d20 showed, 1 to 20.
        pack: ``unofficial`` for our own stopgap.

    >>> result_of("team", 5), result_of("team", 6), result_of("platoon", 20), result_of("team", 16, "unofficial")
    ('suppressed', 'retreated', 'status_effect', 'frozen')
    """
    table = _tables() if pack is None else _tables()[pack]
    return next(str(result) for first, last, result in table[kind]["rows"] if first <= face <= last)


def panic_tables(pack: str | None = None) -> tuple[Table, ...]:
    """Return the Team and the Platoon table, ``team_panic`` and ``platoon_panic``.

    Faces with one result are one row. A status effect is not written yet, so each of its faces is a row with its number:
    the table's owner can look that number up elsewhere, or write the row.

    Args:
        pack: ``unofficial`` puts our own stopgap in place of the status effects, as the ruling D-PT-S does.

    >>> [(row.low, row.high, row.title) for row in panic_tables()[0].rows][2:5]
    [(11, 15, 'Routed'), (16, 16, 'Status effect 16'), (17, 17, 'Status effect 17')]
    """
    said = "" if pack is None else f" ({pack})"
    return tuple(
        [Table(f"{kind}_panic", title + said, D20, tuple(_rows(kind, pack))) for kind, title in _TITLES.items()]
    )


def _rows(kind: str, pack: str | None) -> Iterator[TableRow]:
    for result, group in groupby(_FACES, lambda face: _result(kind, face, pack)):
        faces = list(group)
        if result == "status_effect":
            yield from [TableRow(face, face, result, f"{_WORDS[result]} {face}") for face in faces]
        else:
            yield TableRow(faces[0], faces[-1], result, _WORDS[result])


def _result(kind: str, face: int, pack: str | None) -> str:
    official = result_of(kind, face)
    return result_of(kind, face, pack) if official == "status_effect" and pack is not None else official
