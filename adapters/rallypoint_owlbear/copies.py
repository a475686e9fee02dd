"""What one token says: for each number that it shows, what we last sent and what stands there now."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple

from rallypoint.kernel.errors import InputError

from .item_files import described
from .others import BUBBLES_KEY
from .stands import RECORD_KEY, units_on
from .trackers import PREFIX, TRACKERS_KEY, entry_of

__all__ = ["Copy", "Told", "copies_of"]


class Copy(NamedTuple):
    """One number as one token shows it: ``sent`` by our record of revision ``rev``, ``shown`` now, at most ``most``."""

    uid: str
    tracker: str
    sent: int
    shown: int
    most: int
    rev: int
    where: str
    bad: Literal["up", "down"] = "up"


class Told(NamedTuple):
    """What a token says, and a line for each thing on it that cannot be used."""

    copies: tuple[Copy, ...]
    left_out: tuple[str, ...]


class _Sent(NamedTuple):
    uid: str
    tracker: str
    entry: str
    value: int
    most: int
    bad: Literal["up", "down"] = "up"


_MOST_STRESS = 20


def copies_of(item: Mapping[str, object], record: Mapping[str, object], where: str) -> Told:
    """Return the numbers of a token that carries our record.

    A number that Owl Trackers no longer shows, or shows as something that is no whole number from 0 to its maximum, counts
    as it was sent, and is named. Wounds that are left in Stat Bubbles count where a single unit is on the token: the sum
    of several cannot be shared out.

    Args:
        item: the token.
        record: our record on it.
        where: file and number, for people.

    Raises:
        InputError: something else stands where a list must: the trackers, or the units of our record.
    """
    metadata = item["metadata"]
    assert isinstance(metadata, Mapping)
    rev = record.get("rev")
    version = rev if type(rev) is int else 0
    entries = _entries(_list(metadata, TRACKERS_KEY, where))
    label = str(record.get("code") or record["uid"])
    copies: list[Copy] = []
    left_out: list[str] = []
    sent = list(_sent(record, where, left_out))
    for each in sent:
        shown: object = each.value
        if each.entry in entries:
            shown = entries[each.entry]
            if type(shown) is not int or not 0 <= shown <= each.most:
                left_out.append(
                    f"{each.tracker} of {each.uid} on {where}: found {shown!r}, expected 0 to {each.most}; kept as sent, {each.value}"
                )
                shown = each.value
        elif TRACKERS_KEY in metadata and each.entry:
            left_out.append(
                f"{each.tracker} of {each.uid} on {where}: its tracker was taken off; kept as sent, {each.value}"
            )
        assert isinstance(shown, int)
        copies.append(
            Copy(each.uid, each.tracker, each.value, shown, each.most, version, f"{label} ({where})", each.bad)
        )
    more, lost = _bubbles(metadata.get(BUBBLES_KEY), [each for each in sent if each.tracker == "Wounds"], where)
    copies += [Copy(*each, version, f"{label}, Stat Bubbles ({where})") for each in more]
    return Told(tuple(copies), (*left_out, *lost))


def _list(holder: Mapping[str, object], name: str, where: str) -> list[object]:
    """Return a list, an empty one where there is no such field."""
    found = holder.get(name, [])
    if not isinstance(found, list):
        raise InputError("a list is missing", where=f"{where}: {name}", found=described(found), expected="[...]")
    return found


def _entries(trackers: list[object]) -> dict[str, object]:
    """Return what our entries of Owl Trackers show now, by id; entries of others are not looked at."""
    found: dict[str, object] = {}
    for entry in trackers:
        if not isinstance(entry, Mapping):
            continue
        identity = entry.get("id")
        if isinstance(identity, str) and identity.startswith(PREFIX):
            value = entry.get("value")
            # JSON of a browser has no whole numbers of their own: 2.0 is 2.
            found[identity] = int(value) if isinstance(value, float) and value.is_integer() else value
    return found


def _sent(record: Mapping[str, object], where: str, left_out: list[str]) -> Iterator[_Sent]:
    """Yield the numbers of our record; one that is damaged goes to ``left_out``."""
    stress, owner = record.get("stress"), record.get("stressOf")
    if type(stress) is int and isinstance(owner, str):
        yield _Sent(owner, "Stress", f"{PREFIX}stress", stress, _MOST_STRESS)
    elif stress is not None or owner is not None:
        left_out.append(_damaged(f"Stress of {owner}", where, stress=stress, stressOf=owner))
    alone = units_on(record) is None
    units = [record] if alone else _list(record, "units", f"{where}: {RECORD_KEY}")
    for number, unit in enumerate(units):
        if not isinstance(unit, Mapping):
            left_out.append(_damaged(f"unit {number}", where, unit=unit))
            continue
        uid, wounds, most = unit.get("uid"), unit.get("wounds"), unit.get("maxWounds")
        if isinstance(uid, str) and type(wounds) is int and type(most) is int and most > 0:
            yield _Sent(uid, "Wounds", entry_of(uid, "Wounds"), wounds, most)
        elif unit is not record or wounds is not None or most is not None:
            named = uid if isinstance(uid, str) else f"unit {number}"
            left_out.append(_damaged(f"Wounds of {named}", where, wounds=wounds, maxWounds=most))
    yield from _others(record, where, left_out)


def _others(record: Mapping[str, object], where: str, left_out: list[str]) -> Iterator[_Sent]:
    """Yield what is tracked besides and has a bar: it goes from 0 to a maximum."""
    for row in _list(record, "trackers", f"{where}: {RECORD_KEY}"):
        if not isinstance(row, Mapping):
            left_out.append(_damaged("a tracker", where, trackers=row))
            continue
        uid, name, value, most = row.get("uid"), row.get("name"), row.get("value"), row.get("max")
        if name in ("Wounds", "Stress") or row.get("min") != 0 or most is None:
            continue
        if isinstance(uid, str) and isinstance(name, str) and type(value) is int and type(most) is int and most > 0:
            bad: Literal["up", "down"] = "down" if row.get("bad") == "down" else "up"
            yield _Sent(uid, name, entry_of(uid, name), value, most, bad)
        else:
            left_out.append(_damaged(f"{name} of {uid}", where, value=value, max=most))


def _damaged(what: str, where: str, **found: object) -> str:
    said = ", ".join(f"{name} {described(value)}" for name, value in found.items())
    return f"{what} on {where}: our record is damaged, found {said}"


def _bubbles(shown: object, wounds: list[_Sent], where: str) -> tuple[list[tuple[str, str, int, int, int]], list[str]]:
    if not isinstance(shown, Mapping) or not wounds:
        return [], []
    health = shown.get("health")
    left = sum(each.most - each.value for each in wounds)
    if health == left or health is None:
        return [], []
    if len(wounds) > 1:
        return [], [
            f"health in Stat Bubbles on {where}: {health!r} for {len(wounds)} units together, nobody can share it out"
        ]
    (only,) = wounds
    if type(health) is not int or not 0 <= health <= only.most:
        return [], [f"health in Stat Bubbles on {where}: found {health!r}, expected 0 to {only.most}"]
    return [(only.uid, "Wounds", only.value, only.most - health, only.most)], []
