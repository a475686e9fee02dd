"""A platoon while its page is read: squads, teams and lines as they come, and what is wrong with their shape."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from rallypoint.kernel.canonical import EMPTY, Value

from .catalogue import Found
from .force import Remark, Squad, Team, Unit
from .problems import Problems
from .uids import Uids, team_uid
from .unit_line import UnitLine

__all__ = ["SquadDraft", "TeamDraft", "alias_remarks", "check_shape", "finished"]

_CUT = "is the file cut off here?"


class TeamDraft(NamedTuple):
    """A team under construction; ``bullets`` counts in its lines those that could not be read, too."""

    letter: str
    title: str
    vehicle: str | None
    units: list[UnitLine]
    bullets: list[int]
    line: int
    level: int
    extra: Mapping[str, Value] = EMPTY


class SquadDraft(NamedTuple):
    """A squad under construction."""

    number: int | None
    title: str
    optional: bool
    teams: list[TeamDraft]
    line: int
    level: int
    extra: Mapping[str, Value] = EMPTY


def check_shape(squads: list[SquadDraft], problems: Problems) -> None:
    """Note what is there twice, and what has nothing in it."""
    numbers: dict[int | None, int] = {}
    for squad in squads:
        name = "this force" if squad.number is None else f"Squad {squad.number}"
        if squad.number is None and not any(team.bullets or team.letter for team in squad.teams):
            expected = "a bullet for each kind of unit, or headings 'Team A' with bullets below"
            problems.add("a force without units", squad.line, found="squads=none", expected=expected, hint=_CUT)
            continue
        first = numbers.setdefault(squad.number, squad.line)
        if first != squad.line:
            problems.add(
                "a squad number appears twice", squad.line, found=name, expected=f"only the one in line {first}"
            )
        if not squad.teams:
            problems.add(
                "a squad without teams", squad.line, found=name, expected="a heading 'Team A' below", hint=_CUT
            )
        letters: dict[str, int] = {}
        for team in squad.teams:
            first = letters.setdefault(team.letter, team.line)
            if first != team.line:
                expected = f"only the letter in line {first}"
                problems.add(f"a team letter appears twice in {name}", team.line, found=team.title, expected=expected)
            if not team.bullets and team.letter:
                expected = "a bullet for each kind of unit"
                problems.add("a team without units", team.line, found=team.title, expected=expected, hint=_CUT)


def finished(squad: SquadDraft, start: str, uids: Uids) -> Squad:
    """Return the squad with its uids: those of its lines, else made from ``start`` by :meth:`Uids.made`."""
    teams = []
    for team in squad.teams:
        if not team.bullets:
            continue
        units = tuple(_units(team, team_uid(start, squad.number, team.letter), uids))
        teams.append(Team(team.letter, team.title, team.vehicle, units, team.line, team.extra))
    return Squad(squad.number, squad.title, squad.optional, tuple(teams), squad.line, squad.extra)


def _units(team: TeamDraft, start: str, uids: Uids) -> Iterator[Unit]:
    for row, line in enumerate(team.units, 1):
        wears, own = line.wears, line.own
        made = uids.made(start, row)
        for _ in range(line.number):
            yield Unit(
                own.uid or next(made),
                line.kind,
                None if wears is None else wears.key,
                wears is not None and wears.kind == "bot",
                line.weapons,
                line.line,
                own.name,
                own.picture,
                own.stats,
                own.wounds,
                own.extra,
            )


def alias_remarks(aliases: Iterable[tuple[int | None, Found]]) -> Iterator[Remark]:
    """Yield one remark for each alias: the line where it stands first, what it was read as, how often it stands there."""
    lines: dict[tuple[str, str], list[int | None]] = {}
    items = {}
    for line, found in aliases:
        key = (found.item.key, found.alias or "")
        lines.setdefault(key, []).append(line)
        items[key] = found.item
    for key, places in lines.items():
        often = "" if len(places) == 1 else f", in {len(places)} places"
        yield Remark(places[0], key[1], f"read as {items[key].title}{often}", items[key].ruling)
