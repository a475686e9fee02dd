"""What lies in the folder of an export already: files that it did not make, and uids that meant somebody else."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from rallypoint.kernel.encounter import Encounter

__all__ = ["NowSomebodyElse", "left_alone_lines", "now_somebody_else"]

_NAMED_FOR_PLACE = re.compile(r"(?P<kind>.+) [0-9]*[A-Z]?-[0-9]+")
"""What a unit without a name of its own is called: its class, its team and its number (``Soldier 0A-2``)."""
_MOST_BYTES = 50_000_000
_MOST_LINES = 20


class NowSomebodyElse(NamedTuple):
    """A uid that stood for one unit in the files that are there, and stands for another now."""

    uid: str
    before: str
    now: str

    def __str__(self) -> str:
        return f"{self.uid} was {self.before} and is {self.now} now"


class _Person(NamedTuple):
    """What tells a unit from another: its class and a name of its own, as far as a file says them."""

    kind: str | None
    name: str | None

    def is_another(self, other: _Person) -> bool:
        kinds = None not in (self.kind, other.kind) and self.kind != other.kind
        return kinds or (None not in (self.name, other.name) and self.name != other.name)

    @property
    def shown(self) -> str:
        return " ".join(part for part in (self.kind, self.name) if part is not None)


def now_somebody_else(out: Path, files: Mapping[str, bytes], encounter: Encounter) -> tuple[NowSomebodyElse, ...]:
    """Return the uids that mean somebody else than in the export of the same encounter that lies in ``out``.

    Looked at are the JSON documents of which the new export has one of the same name; what cannot be read says nothing.
    """
    now = {
        entity.uid: _person(sheet.role, sheet.name)
        for entity in encounter.state
        if entity.role == "unit" and (sheet := encounter.sheets.get(entity.uid)) is not None
    }
    found: dict[str, NowSomebodyElse] = {}
    for name in files:
        if not name.endswith(".json") or "/" in name:
            continue  # what stands deeper stands in these, too
        for uid, before in _persons(_document(out / name), encounter.key):
            if uid in now and before.is_another(now[uid]):
                found.setdefault(uid, NowSomebodyElse(uid, before.shown, now[uid].shown))
    return tuple([found[uid] for uid in now if uid in found])


def _document(path: Path) -> object:
    try:
        if path.stat().st_size > _MOST_BYTES:
            return None
        found: object = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
    return found


def _persons(document: object, key: str) -> Iterator[tuple[str, _Person]]:
    """Yield every uid of a document with who that was; of another encounter nothing."""
    head = document.get("encounter") if isinstance(document, dict) else None
    if isinstance(head, dict) and head.get("key") != key:
        return
    rows: list[object] = [document]
    for row in rows:  # the list grows while it is gone through
        if isinstance(row, list):
            rows += row
        elif isinstance(row, dict):
            rows += row.values()
            uid, label = row.get("uid"), row.get("name") or row.get("code")
            if isinstance(uid, str) and isinstance(label, str):
                kind = row.get("class")
                yield uid, _person(kind if isinstance(kind, str) else None, label)


def _person(kind: str | None, label: str) -> _Person:
    parts = _NAMED_FOR_PLACE.fullmatch(label)
    return _Person(kind, label) if parts is None else _Person(kind or parts["kind"], None)


def left_alone_lines(out: Path, others: list[str], maker: str) -> Iterator[str]:
    """Yield what is said of files that ``maker`` did not make; the first of them are named."""
    if others:
        yield f"Files in {out} that {maker} did not make: {len(others)}, left alone; if they are of another export, remove the folder, or use another -o:"
        yield from [f"  {name}" for name in others[:_MOST_LINES]]
        if len(others) > _MOST_LINES:
            yield f"  and {len(others) - _MOST_LINES} more"
