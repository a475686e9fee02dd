"""How the Wounds of a hit came to its units, as arithmetic: summed, divided, less what saves took off, divided anew (D-R16.10)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .outcome import is_success
from .records import Share
from .spoken import Names

__all__ = ["reckoned"]


def reckoned(why: Mapping[str, Any], name: Names) -> Iterator[str]:
    """Yield the arithmetic of a hit, a line for each step; nothing where no Wounds were divided.

    Args:
        why: the reasons of the hit: ``wounds`` of each weapon, ``shares`` of each armour group, ``allocation``.
        name: what uids are called.

    >>> why = {"wounds": (4, 4), "shares": [(("a", "b"), "success", 8, 6)], "allocation": [("a", 3), ("b", 3)]}
    >>> for line in reckoned(why, str):
    ...     print(line)
    Wounds: 4 + 4 = 8
    a, b: 8 before the save, 2 taken off by it, 1 for each of 2 weapons (D-AMB-27): 6
    a, b: 6 among 2 units (D-R16.10): 3 each
    """
    shares = [Share(tuple(row[0]), *row[1:]) for row in why.get("shares", ())]
    raw, given = why["wounds"], {str(uid): int(wounds) for uid, wounds in why["allocation"]}
    if not shares:
        return
    yield f"Wounds: {' + '.join(str(each) for each in raw)}" + (f" = {sum(raw)}" if len(raw) > 1 else "")
    if len(shares) > 1:
        units = sum(len(share.units) for share in shares)
        parts = " and ".join(f"{share.before} for {_who(share, name)}" for share in shares)
        yield f"{sum(raw)} among {units} units{_evenly(sum(raw), units)} (D-AMB-28): {parts}"
    for share in shares:
        yield from _share(share, len(raw), given, name, anew=len(shares) == 1)


def _share(share: Share, weapons: int, given: Mapping[str, int], name: Names, *, anew: bool) -> Iterator[str]:
    who = _who(share, name)
    off = share.before - share.after
    if share.save is not None and is_success(share.save):
        yield f"{who}: {share.before} before the save, {off} taken off by it{_why_off(share, weapons)}: {share.after}"
    elif off:
        yield f"{who}: {share.before} before, {share.after} after what a plugin says"
    else:
        yield f"{who}: {share.before}, and no save takes anything off"
    if len(share.units) > 1 and share.after and (anew or off):
        parts = [given.get(uid, 0) for uid in share.units]
        rule = "D-R16.10" if anew else "D-AMB-28"
        yield f"{who}: {share.after} among {len(parts)} units ({rule}): {_division(share.after, parts)}"


def _why_off(share: Share, weapons: int) -> str:
    off = share.before - share.after
    if weapons > 1 and off == weapons:
        return f", 1 for each of {weapons} weapons (D-AMB-27)"
    if off == 1:
        return ", 1 for the attack (D-AMB-27)" if weapons > 1 and share.after else " (D-R16.6)"
    return f", up to 1 for each of {weapons} weapons (D-AMB-27)" if share.after == 0 and off < weapons else ""


def _division(wounds: int, parts: Sequence[int]) -> str:
    each, rest = divmod(wounds, len(parts))
    if sorted(parts) != [each] * (len(parts) - rest) + [each + 1] * rest:
        return "not evenly, by the ruling in force or a plugin"
    return f"{each} each" + (f", and 1 more for {rest} of them, drawn by lot" if rest else "")


def _evenly(wounds: int, units: int) -> str:
    each, rest = divmod(wounds, units)
    return f", {each} each" + (f" and the other {rest} by lot" if rest else "")


def _who(share: Share, name: Names) -> str:
    return ", ".join(name(uid) for uid in share.units)
