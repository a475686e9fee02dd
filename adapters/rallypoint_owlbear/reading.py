"""The import: tokens that come back from Owlbear Rodeo, as the Wounds and Stress that they show now."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from types import MappingProxyType
from typing import Literal, NamedTuple

from rallypoint.kernel.encounter import SENT, SIDE, Encounter, Imported
from rallypoint.kernel.errors import InputError
from rallypoint.kernel.state import Entity, State, Tracker

from .copies import Copy, copies_of
from .item_files import Items, described, items_in
from .stands import RECORD_KEY, RECORD_VERSION, numbers_hidden

__all__ = ["read"]


def read(files: Mapping[str, bytes], options: Mapping[str, str]) -> Imported:
    """Return what tokens say of units and platoons: Wounds, Stress and other trackers, nothing else.

    Read are our own ``encounter.owlbear.json``, lists of items as the SDK gives them, alone or under ``items``, and the file
    of Persistent Tokens. A number counts as changed by a person where Owl Trackers or Stat Bubbles show another than our
    record was last sent. Copies of a token that were changed alike are one change; copies that were changed
    differently are a conflict, and neither number is taken.

    Args:
        files: bytes by name.
        options: there are none.

    Raises:
        InputError: a file is no JSON of a known form, a token of ours is of another version or has something else for a list,
            or no token of ours is in any of them.
    """
    for name in options:
        raise InputError("the reader of Owlbear's items has no options", found=name)
    found = [items_in(data, path) for path, data in files.items()]
    report = _Report()
    copies: list[Copy] = []
    ours = 0
    roles: dict[str, str] = {}
    sides: dict[str, str] = {}
    for each in found:
        for number, item in enumerate(each.items):
            record = _record(item)
            if record is None:
                report.foreign += 1
                continue
            _check(record, f"{each.path}: item {number}")
            ours += 1
            roles[str(record["uid"])] = str(record.get("kind") or "")
            if numbers_hidden(record):
                side = str(record.get("side") or "another side")
                report.hidden[side] = report.hidden.get(side, 0) + 1
                continue
            told = copies_of(item, record, f"{each.path}: item {number}")
            copies += told.copies
            sides |= {copy.uid: str(record.get("side") or "") for copy in told.copies}
            report.left_out += told.left_out
            report.empty += not told.copies
    if not ours:
        raise _nothing(found)
    _name_doubles(found, report)
    return _imported(found, _merged(copies, report), ours, report, roles, sides)


class _Report:
    """What is said of an import besides its values."""

    def __init__(self) -> None:
        self.foreign = 0
        self.empty = 0
        self.hidden: dict[str, int] = {}
        self.left_out: list[str] = []
        self.notes: list[str] = []
        self.conflicts: list[str] = []


def _record(item: Mapping[str, object]) -> Mapping[str, object] | None:
    metadata = item.get("metadata")
    record = metadata.get(RECORD_KEY) if isinstance(metadata, Mapping) else None
    return record if isinstance(record, Mapping) and isinstance(record.get("uid"), str) else None


def _check(record: Mapping[str, object], where: str) -> None:
    """Refuse a record that was written in another way than is read here; one that does not say is of the first."""
    version = record.get("v", RECORD_VERSION)
    if type(version) is not int or version != RECORD_VERSION:
        raise InputError(
            "a token of a version that is not read",
            where=f"{where}: {RECORD_KEY}.v",
            found=described(version),
            expected=f"{RECORD_VERSION}, the only one that is read",
            hint="a newer Rallypoint wrote it: nothing is taken from these files",
        )


def _nothing(found: Iterable[Items]) -> InputError:
    each = list(found)
    items = sum(len(part.items) for part in each)
    return InputError(
        "there is no token of ours in these files, so nothing is changed",
        where=", ".join(part.path for part in each) or None,
        found=f"{items} items",
        expected=f"items with metadata {RECORD_KEY}",
    )


def _name_doubles(found: Iterable[Items], report: _Report) -> None:
    """Name tokens of one uid that stand in one file: a copied token carries the uid of the other."""
    for each in found:
        seen: dict[str, int] = {}
        for item in each.items:
            record = _record(item)
            if record is not None:
                uid = str(record["uid"])
                seen[uid] = seen.get(uid, 0) + 1
        report.notes += [
            f"{each.path}: {number} tokens have the uid {uid}, copies of one another"
            for uid, number in seen.items()
            if number > 1
        ]


class _Value(NamedTuple):
    """One number after all copies were heard."""

    uid: str
    tracker: str
    value: int
    sent: int
    most: int
    bad: Literal["up", "down"]


def _merged(copies: list[Copy], report: _Report) -> list[_Value]:
    """Return one value for each number; of several records the one with the highest ``rev`` says what was sent last."""
    by_number: dict[tuple[str, str], list[Copy]] = {}
    for copy in copies:
        by_number.setdefault((copy.uid, copy.tracker), []).append(copy)
    values = []
    for (uid, tracker), heard in by_number.items():
        newest = max(heard, key=lambda copy: copy.rev)
        edits = {copy.shown: copy for copy in heard if copy.shown != copy.sent}
        if len(edits) > 1:
            said = "; ".join(f"{copy.shown} on {copy.where}" for copy in edits.values())
            report.conflicts.append(f"{tracker} of {uid}: sent {newest.sent}, then {said}")
            continue
        value = next(iter(edits), newest.sent)
        values.append(_Value(uid, tracker, value, newest.sent, newest.most, newest.bad))
    return values


def _role(uid: str, trackers: Collection[str], roles: Mapping[str, str]) -> str:
    """Return the role of an entity: that of its token, else by what is tracked of it."""
    return roles.get(uid) or ("platoon" if "Stress" in trackers else "unit")


def _imported(
    found: list[Items],
    values: list[_Value],
    ours: int,
    report: _Report,
    roles: Mapping[str, str],
    sides: Mapping[str, str],
) -> Imported:
    trackers: dict[str, dict[str, Tracker]] = {}
    sent: dict[str, dict[str, int]] = {}
    for value in values:
        most = max(value.most, value.value, value.sent)
        trackers.setdefault(value.uid, {})[value.tracker] = Tracker(value.value, 0, most, value.bad)
        sent.setdefault(value.uid, {})[value.tracker] = value.sent
    entities = [
        Entity.new(uid, _role(uid, each, roles), trackers=each, attributes={SENT: sent[uid], SIDE: sides[uid]})
        for uid, each in trackers.items()
    ]
    head = next((each.head for each in found if each.head), {})
    key = str(head.get("key", "")) or "owlbear"
    encounter = Encounter(
        key, str(head.get("title", "")) or key, str(head.get("game", "")), State.of(entities), MappingProxyType({})
    )
    without = report.empty + sum(report.hidden.values())
    hidden = [
        f"Wounds and Stress of {side}: not exported, {number} token{'' if number == 1 else 's'} (export with --enemies show)"
        for side, number in report.hidden.items()
    ]
    counts = {
        "read": ours + report.foreign,
        "tokens": ours - without,
        "without_numbers": without,
        "other_items": report.foreign,
        "units": sum(entity.role == "unit" for entity in entities),
    }
    notes = [
        *report.notes,
        "Wounds, Stress and other trackers come back, nothing else: names, pictures and places of tokens are the table's own",
    ]
    return Imported(encounter, counts, (*report.left_out, *hidden), tuple(notes), tuple(report.conflicts))
