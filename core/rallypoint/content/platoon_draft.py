"""A platoon while its page is read: squads, teams and lines as they come, and what is wrong with their shape."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from .catalogue import Found
from .force import Remark, Squad, Team, Unit
from .problems import Problems
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


class SquadDraft(NamedTuple):
    """A squad under construction."""

    number: int
    title: str
    optional: bool
    teams: list[TeamDraft]
    line: int
    level: int


def check_shape(squads: list[SquadDraft], problems: Problems) -> None:
    """Note what is there twice, and what has nothing in it."""
    numbers: dict[int, int] = {}
    for squad in squads:
        name = f"Squad {squad.number}"
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
            if not team.bullets:
                expected = "a bullet for each kind of unit"
                problems.add("a team without units", team.line, found=team.title, expected=expected, hint=_CUT)


def finished(squad: SquadDraft, start: str) -> Squad:
    """Return the squad with its uids: ``start``, squad, team, row of the team, occurrence in the row."""
    teams = []
    for team in squad.teams:
        units = tuple(_units(team, f"{start}-{squad.number}{team.letter}"))
        teams.append(Team(team.letter, team.title, team.vehicle, units, team.line))
    return Squad(squad.number, squad.title, squad.optional, tuple(teams), squad.line)


def _units(team: TeamDraft, start: str) -> Iterator[Unit]:
    for row, line in enumerate(team.units, 1):
        is_bot = line.wears.kind == "bot"
        for occurrence in range(1, line.number + 1):
            uid = f"{start}-{row}-{occurrence}"
            yield Unit(uid, line.unit_class.title, line.wears.key, is_bot, line.weapons, line.line)


def alias_remarks(aliases: Iterable[tuple[int, Found]]) -> Iterator[Remark]:
    """Yield one remark for each alias: the line where it stands first, what it was read as, how often it stands there."""
    lines: dict[tuple[str, str], list[int]] = {}
    items = {}
    for line, found in aliases:
        key = (found.item.key, found.alias or "")
        lines.setdefault(key, []).append(line)
        items[key] = found.item
    for key, places in lines.items():
        often = "" if len(places) == 1 else f", in {len(places)} places"
        yield Remark(places[0], key[1], f"read as {items[key].title}{often}", items[key].ruling)
