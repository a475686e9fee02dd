"""Before the battle: what people should know of the switches, and whether the forces fit them (D-R10.1)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from rallypoint.disrupter.field import BATTLE, living, officers, team_of
from rallypoint.disrupter.hooks import DisrupterStep
from rallypoint.disrupter.records import Problem
from rallypoint.kernel.canonical import Value
from rallypoint.kernel.hexes import distance
from rallypoint.kernel.parts import Hex
from rallypoint.kernel.plugins.hooks import hookimpl
from rallypoint.kernel.state import Entity, State

from .command import acting_officer
from .notes import uses_of_instinct
from .switches import on

__all__ = ["force_validate", "setup_briefing"]

SIZES: Mapping[str, str] = {"D-SL-SF.1": "squad", "D-SL-SF.2": "company"}
"""The size of force that each of two sets of rules is meant for."""

OUT_OF_FIRE = ("fire", "spotting", "rallying", "driving vehicles")
"""What the source names: without these Instinct is said to be unnecessary (D-VA-R16.1)."""


@hookimpl
def setup_briefing(options: Mapping[str, Value]) -> tuple[str, ...]:
    """Return what these rulings leave unused, and what follows from them."""
    return tuple(_notes(options))


def _notes(options: Mapping[str, Value]) -> Iterator[str]:
    uses = list(uses_of_instinct(options))
    if not uses:
        yield "Nothing rolls Instinct under these rules: the stat can be ignored (D-AMB-26)."
    elif not any(use in OUT_OF_FIRE for use in uses):
        yield (
            f"Instinct is left unused but for {', '.join(uses)} (D-AMB-26); the set no_instinct does away with these, too."
        )
    if on(options, "D-SL-R9.1"):
        yield "Nobody gives Orders: Reaction Fire is each team's own choice, and D-AMB-15 is not read (D-SL-R9.1)."
        yield "With an Officer in every team nearly every unit has [+] on all checks and saves (D-R9.4)."
    if on(options, "D-SL-R9.2") and not on(options, "D-SL-R9.1"):
        yield "D-SL-R9.2 without D-SL-R9.1 is what the rules say of bots already (D-R9.15)."
    if options.get("D-AMB-25") == "translate_modifiers" and not on(options, "D-SL-R16.2"):
        yield "D-AMB-25 is read under D-SL-R16.2 only."


@hookimpl
def force_validate(step: DisrupterStep, platoon: Entity) -> tuple[Problem, ...]:
    """Return which teams have nobody who leads them, and whether the size of force is the one that the rules are meant for."""
    return tuple(_problems(step.state, step.options, platoon))


def _problems(state: State, options: Mapping[str, Value], platoon: Entity) -> Iterator[Problem]:
    size = str(state[BATTLE].facts["size"])
    for ruling, meant in SIZES.items():
        if on(options, ruling) and size != meant:
            yield Problem("warning", f"these rules are meant for {meant} scale, this is {size} scale", ruling, BATTLE)
    if on(options, "D-SL-R9.1"):
        yield from _without_officers(state, options, platoon)
    if on(options, "D-SL-R9.2"):
        yield from _unled_bots(state, options, platoon)


def _without_officers(state: State, options: Mapping[str, Value], platoon: Entity) -> Iterator[Problem]:
    """Yield the teams with a human and no Officer: the ruling says whether that keeps the battle from starting."""
    found = {team.uid: acting_officer(state, team.uid) for team in state.below(platoon.uid, "team")}
    lacking = {
        team: unit for team, unit in found.items() if unit is not None and unit.facts.get("class") not in ("CO", "NCO")
    }
    if not lacking:
        return
    if options.get("D-SL-R9.1.officers") == "refused":
        what = f"every team with a human needs an Officer; these have none: {', '.join(lacking)}"
        yield Problem("error", what, "D-SL-R9.1", platoon.uid)
        return
    acting = ", ".join(f"{unit.uid} in {team}" for team, unit in lacking.items())
    yield Problem(
        "advice", f"teams without an Officer, where the first human acts as one: {acting}", "D-SL-R9.1", platoon.uid
    )


def _unled_bots(state: State, options: Mapping[str, Value], platoon: Entity) -> Iterator[Problem]:
    """Yield the teams of bots that begin with nobody of another team within Close Range to lead them."""
    teams = [team for team in state.below(platoon.uid, "team") if living(state, team.uid)]
    leaders = [team for team in teams if _may_lead(state, options, platoon, team)]
    for team in teams:
        if acting_officer(state, team.uid) is None and not any(_near(team, other) for other in leaders):
            what = "this team of bots begins with no Officer of another team within Close Range"
            yield Problem("warning", what, "D-SL-R9.2", team.uid)


def _may_lead(state: State, options: Mapping[str, Value], platoon: Entity, team: Entity) -> bool:
    if on(options, "D-SL-R9.1"):
        return acting_officer(state, team.uid) is not None
    side = state.above(platoon.uid, "side").uid
    return any(team_of(state, unit.uid).uid == team.uid for unit in officers(state, side))


def _near(team: Entity, other: Entity) -> bool:
    return isinstance(team.place, Hex) and isinstance(other.place, Hex) and distance(team.place, other.place) <= 1
