"""What is unusual about a force that is brought into a session of Mothership; nothing of it keeps a battle from starting.

PCs and contractors in Teams of one shape (D-MO-SF), contractors of a Team alike (D-MO-R16.3), not too many to play singly
(D-MO-R16.4), with a one-roll variant (D-MO-R16.1).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from rallypoint.disrupter.records import Problem
from rallypoint.kernel.canonical import Value
from rallypoint.kernel.state import Entity, State

from .figures import kind_of, protection_of
from .options import ONE_ROLL, choice, is_on, one_roll

__all__ = ["briefing", "problems"]

_CONTRACTORS = 3
"""Contractors in the Team of a PC (D-MO-SF.1, D-MO-SF.2)."""
_TEAM = 4
"""Contractors in another Team of a Section (D-MO-SF.2)."""
_TEAMS = (2, 3)
"""Such Teams for each PC (D-MO-SF.2)."""


def problems(state: State, options: Mapping[str, Value], platoon: str) -> Iterator[Problem]:
    """Yield what is unusual about a platoon, as far as these rulings look at it."""
    units = list(state.below(platoon, "unit"))
    pcs = [unit for unit in units if kind_of(unit) == "pc"]
    contractors = [unit for unit in units if kind_of(unit) == "contractor"]
    if is_on(options, "D-MO-R16.1") and contractors and not one_roll(options):
        what = f"contractors fight with one roll for an attack: choose {' or '.join(ONE_ROLL)}"
        yield Problem("warning", what, "D-MO-R16.1", platoon)
    if is_on(options, "D-MO-R16.3"):
        yield from _unlike(state, platoon)
    if is_on(options, "D-MO-R16.4") and pcs and len(contractors) > len(pcs) and not is_on(options, "D-MO-R16.1"):
        what = f"{len(contractors)} contractors for {len(pcs)} PC: more than one for each player"
        yield Problem("advice", f"{what}; let them fight as Teams (D-MO-R16.1)", "D-MO-R16.4", platoon)
    if pcs and choice(options, "D-MO-SF") == "squad":
        for team in _teams(state, platoon):
            yield from _with_pc(state, team, "D-MO-SF.1")
    elif pcs and choice(options, "D-MO-SF") == "section":
        yield from _sections(state, platoon)


def _teams(state: State, uid: str) -> list[Entity]:
    return [team for team in state.below(uid, "team") if state.children(team.uid)]


def _number(state: State, team: Entity, kind: str) -> int:
    return sum(kind_of(unit) == kind for unit in state.children(team.uid))


def _unlike(state: State, platoon: str) -> Iterator[Problem]:
    """Yield Teams whose contractors differ in weapons or stats: nothing is saved by rolling for them together."""
    for team in _teams(state, platoon):
        alike = {_stats(unit) for unit in state.children(team.uid) if kind_of(unit) == "contractor"}
        if len(alike) > 1:
            what = f"contractors of {len(alike)} kinds in a Team: give all of them the same weapons and stats"
            yield Problem("warning", what, "D-MO-R16.3", team.uid)


def _stats(unit: Entity) -> tuple[object, ...]:
    facts = [unit.facts.get(name) for name in ("weapons", "instinct", "armor", "movement")]
    return (*facts, unit.trackers["Wounds"].max, protection_of(unit))


def _with_pc(state: State, team: Entity, rule: str) -> Iterator[Problem]:
    pcs, contractors = _number(state, team, "pc"), _number(state, team, "contractor")
    if (pcs, contractors) != (1, _CONTRACTORS):
        what = f"{pcs} PC and {contractors} contractors in a Team; it is 1 PC and {_CONTRACTORS} contractors"
        yield Problem("warning", what, rule, team.uid)


def _sections(state: State, platoon: str) -> Iterator[Problem]:
    """Yield what is not a Section: a PC who is an Officer with three contractors, and 2 or 3 Teams of four contractors."""
    for squad in state.below(platoon, "squad"):
        teams = _teams(state, squad.uid)
        led = [team for team in teams if _number(state, team, "pc")]
        for team in led:
            yield from _with_pc(state, team, "D-MO-SF.2")
        for team in [team for team in teams if team not in led]:
            number = _number(state, team, "contractor")
            if number != _TEAM:
                yield Problem("warning", f"a Team of {number} contractors; it is {_TEAM}", "D-MO-SF.2", team.uid)
        low, high = [each * len(led) for each in _TEAMS]
        others = len(teams) - len(led)
        if not low <= others <= high:
            what = f"{others} Teams of contractors for {len(led)} PC; it is {_TEAMS[0]} or {_TEAMS[1]} for each"
            yield Problem("warning", what, "D-MO-SF.2", squad.uid)
    for unit in state.below(platoon, "unit"):
        if kind_of(unit) == "pc" and unit.facts.get("class") not in ("CO", "NCO"):
            yield Problem("warning", "a PC commands a Section, so he is an Officer", "D-MO-SF.2", unit.uid)


def briefing(options: Mapping[str, Value]) -> Iterator[str]:
    """Yield what people should know of these rulings before they play."""
    if is_on(options, "D-MO-R16.2"):
        yield "damage dice: the Wounds columns count only for weapons that have no dice; Max counts as ever (D-MO-R16.2)"
        if not is_on(options, "D-MO-R16.2.armor"):
            yield "armour is the Armor Save alone: there are no Armour Points and no Damage Reduction (D-MO-R16.2.armor)"
    elif is_on(options, "D-MO-PC"):
        yield "without damage dice nobody has Health: PCs and horrors count Wounds (D-MO-PC)"
    if choice(options, "D-MO-SF") == "section":
        yield "PCs give their orders by word of mouth: write down what was said (D-MO-SF.2)"
