"""What the rules say about the shape of a force (Rules 4, 9; Size of force; Platoons); it blocks no roster."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, TypeAlias, get_args

from rallypoint.content.catalogue import Catalogue
from rallypoint.content.force import Force, Remark, Severity, Squad, Team
from rallypoint.kernel.errors import InputError

from .tables import catalogue

__all__ = ["TEAMS", "TEAMS_RULE", "Scale", "problems"]

Scale: TypeAlias = Literal["squad", "platoon", "section", "company"]
"""The sizes of force of the rules (D-SF-2 to D-SF-4)."""

TEAM = 4
"""Units on a stand (D-R4.1)."""

LARGE_TEAM = 5
"""Units on a stand with enlarged teams (D-SF-1)."""

TEAMS = {"platoon": (2, 4), "company": (2, 4), "section": (4, 6), "squad": (1, 5)}
"""Teams in a squad (D-R9.3, D-SF-2, D-SF-3, D-AMB-12); the command squad has one."""

TEAMS_RULE = {"squad": "D-SF-2", "section": "D-SF-3"}
"""The rule that says so, where it is not D-AMB-12."""

BOTS = (40, 60)
"""Percent of a force that should be bots (D-PL-2)."""


def problems(force: Force, *, scale: str = "platoon", enlarged: bool = False) -> tuple[Remark, ...]:
    """Return what is unusual or wrong about a force; see :func:`rallypoint.disrupter.problems`."""
    if scale not in get_args(Scale):
        raise InputError("there is no such size of force", found=scale, expected=", ".join(get_args(Scale)))
    known = catalogue().extended(force.added)
    found = list(_of_force(force, scale))
    for squad in force.platoon.squads:
        if squad.number is not None:
            found += _of_squad(squad, scale)
        for team in squad.teams:
            if team.letter:
                found += _of_team(team, squad, known, scale, enlarged)
    return tuple(found)


def _remark(severity: Severity, line: int, found: str, what: str, rule: str, hint: str | None = None) -> Remark:
    return Remark(line or None, found, what, rule, severity, hint)


def _of_force(force: Force, scale: str) -> Iterator[Remark]:
    squads = [squad for squad in force.platoon.squads if squad.number is not None]
    units = [unit for squad in squads for unit in squad.units]
    if not squads:
        yield _remark(
            "advice", 0, "no squads", "a battle wants a platoon with a CO", "D-R9.1", "for a VTT it is whole as it is"
        )
        return
    if scale == "squad" and len(squads) > 1:
        yield _remark("warning", squads[1].line, f"{len(squads)} squads", "at squad scale there is one", "D-SF-2")
    bots = sum(unit.is_bot for unit in units)
    share = 100 * bots / len(units)
    if not BOTS[0] <= share <= BOTS[1]:
        wanted = f"about half of a force should be bots, {BOTS[0]} to {BOTS[1]} %"
        yield _remark("warning", 0, f"{bots} of {len(units)} units are bots ({share:.0f} %)", wanted, "D-PL-2")


def _of_squad(squad: Squad, scale: str) -> Iterator[Remark]:
    low, high = TEAMS[scale]
    number = len(squad.teams)
    if low <= number <= high or (number == 1 and squad.number == 0):
        return
    found = f"{number} team{'' if number == 1 else 's'} in Squad {squad.number}"
    yield _remark("warning", squad.line, found, f"at {scale} scale {low} to {high}", TEAMS_RULE.get(scale, "D-AMB-12"))


def _of_team(team: Team, squad: Squad, known: Catalogue, scale: str, enlarged: bool) -> Iterator[Remark]:
    where = team.title if squad.number is None else f"Squad {squad.number}, {team.title}"
    number = len(team.units)
    most = LARGE_TEAM if enlarged else TEAM
    rule = "D-SF-1" if enlarged else "D-R4.1"
    if team.vehicle is not None:
        vehicle = known.item("vehicle", team.vehicle)
        most, rule = vehicle.number("C") + vehicle.number("Cap"), vehicle.rule
    if number > most:
        hint = "--scale is about squads; teams of five are a rule of the table" if number == LARGE_TEAM else None
        yield _remark("warning", team.line, f"{number} units in {where}", f"at most {most}", rule, hint)
    leads = any(_is_officer(unit.kind, known) for unit in team.units)
    humans = any(not unit.is_bot for unit in team.units)
    if scale == "squad" and humans and not leads and team.vehicle is None:
        yield _remark("warning", team.line, where, "at squad scale every team with humans has an officer", "D-SF-2")
    elif squad.number is not None and not leads and any(unit.is_bot for unit in team.units):
        what = "bots and no officer: they act only with an officer within 1 hex"
        yield _remark("advice", team.line, where, what, "D-R9.16")


def _is_officer(kind: str, known: Catalogue) -> bool:
    found = known.find("class", kind)
    return found is not None and found.item.trait("officer") is not None
