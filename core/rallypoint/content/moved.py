"""What moved between two versions of a roster: who was kept, who stands elsewhere, who is new, who is gone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from rallypoint.kernel.canonical import Value, freeze

from .force import Force, Squad, Unit, short_key
from .uids import Uids, team_uid

__all__ = ["Moves", "moves", "with_frozen_uids"]


class Moves(NamedTuple):
    """Uids by what became of them, each in the order of its roster; the first five are all of the new roster.

    ``kept`` are as they were, ``changed`` stand where they stood with other gear or another name, ``moved`` stand in
    another squad or team, ``reused`` is a uid that now means somebody else: another class, or another name.
    """

    kept: tuple[str, ...]
    changed: tuple[str, ...]
    moved: tuple[tuple[str, str, str], ...]
    reused: tuple[str, ...]
    new: tuple[str, ...]
    gone: tuple[str, ...]

    def lines(self) -> Iterator[str]:
        """Yield the report for people."""
        yield ""
        yield "Since the older roster: " + ", ".join(
            f"{len(rows)} {name}" for name, rows in self._asdict().items() if isinstance(rows, tuple)
        )
        yield from [f"changed: {uid}" for uid in self.changed]
        yield from [f"moved: {uid} from {old} to {new}" for uid, old, new in self.moved]
        hint = "give the replacement an id of its own, or let convert --against do it"
        yield from [f"warning: {uid} now means somebody else; {hint}" for uid in self.reused]
        yield from [f"new: {uid}" for uid in self.new]
        yield from [f"gone: {uid}" for uid in self.gone]

    def document(self) -> Value:
        """Return the report as a value for JSON."""
        rows = {name: rows for name, rows in self._asdict().items() if name != "moved"}
        return freeze({**rows, "moved": [{"uid": uid, "from": old, "to": new} for uid, old, new in self.moved]})


def moves(old: Force, new: Force) -> Moves:
    """Return what moved; optional squads that were left out count as there, as far as they stand in the rosters."""
    before, after = dict(_places(old)), dict(_places(new))
    kinds: dict[str, list[str]] = {"kept": [], "changed": [], "reused": [], "new": []}
    moved: list[tuple[str, str, str]] = []
    for uid, (place, unit) in after.items():
        if uid not in before:
            kinds["new"].append(uid)
            continue
        old_place, old_unit = before[uid]
        if _is_another(old_unit, unit):
            kinds["reused"].append(uid)
        elif old_place != place:
            moved.append((uid, old_place, place))
        else:
            kinds["kept" if old_unit._replace(line=0) == unit._replace(line=0) else "changed"].append(uid)
    gone = tuple([uid for uid in before if uid not in after])
    kept, changed, reused, fresh = [tuple(kinds[name]) for name in ("kept", "changed", "reused", "new")]
    return Moves(kept, changed, tuple(moved), reused, fresh, gone)


def _is_another(old: Unit, new: Unit) -> bool:
    return old.kind != new.kind or (old.name is not None and new.name is not None and old.name != new.name)


def _places(force: Force) -> Iterator[tuple[str, tuple[str, Unit]]]:
    for squad in (*force.platoon.squads, *force.left_out):
        for team in squad.teams:
            place = team_uid("", squad.number, team.letter).lstrip("-") or "no team"
            for unit in team.units:
                yield unit.uid, (place, unit)


def with_frozen_uids(old: Force, new: Force) -> Force:
    """Return the new force so that no uid of the old one means somebody else in it.

    Whoever is gone is retired; whoever stands under the uid of somebody else gets a uid that nobody had.
    """
    found = moves(old, new)
    retired = tuple(dict.fromkeys([*old.retired, *new.retired, *found.gone, *found.reused]))
    others = {unit.uid for squad in (*new.platoon.squads, *new.left_out) for unit in squad.units} - set(found.reused)
    uids = Uids([*retired, *others])
    reused = frozenset(found.reused)
    start = short_key(new.key)
    squads = tuple([_renamed(squad, reused, uids, start) for squad in new.platoon.squads])
    left_out = tuple([_renamed(squad, reused, uids, start) for squad in new.left_out])
    return new._replace(platoon=new.platoon._replace(squads=squads), left_out=left_out, retired=retired)


def _renamed(squad: Squad, reused: frozenset[str], uids: Uids, start: str) -> Squad:
    teams = []
    for team in squad.teams:
        place = team_uid(start, squad.number, team.letter)
        units = [
            unit._replace(uid=next(uids.made(place, row))) if unit.uid in reused else unit
            for row, unit in enumerate(team.units, 1)
        ]
        teams.append(team._replace(units=tuple(units)))
    return squad._replace(teams=tuple(teams))
