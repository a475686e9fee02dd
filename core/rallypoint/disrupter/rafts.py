"""Rafts: teams get in, ride as one, and share what hits them (D-EQ-V1 to D-EQ-V3, D-AMB-31).

A raft is a team whose fact ``vehicle`` names it; its units are the crew. A team that is attached has the link ``aboard`` to
it and its hex. Whoever sails it moves both; when the whole crew has fallen, the passengers sail.
"""

from __future__ import annotations

from rallypoint.content.catalogue import Item
from rallypoint.kernel.changes import Change, DropLink, SetAttribute, SetLink, SetPlace, SetStatus
from rallypoint.kernel.errors import RuleError
from rallypoint.kernel.parts import Link, Status
from rallypoint.kernel.state import Entity, State

from .activity import braced
from .cover import leave_cover
from .field import hexes_apart, living, side_of, teams, turn, vehicle_known
from .hooks import DisrupterStep
from .remembered import remembered
from .rulings import number

__all__ = [
    "ABOARD",
    "attach",
    "company",
    "detach",
    "drives",
    "floats",
    "holed",
    "in_reach",
    "occupants",
    "passengers",
    "raft_of",
    "rafts",
    "sails",
    "strike_raft",
    "vehicle",
]

ABOARD = "aboard"
"""The kind of link from a team to the raft that it rides in."""


def vehicle(state: State, team: str) -> Item | None:
    """Return the vehicle that a team is, ``None`` for a stand of infantry."""
    key = state[team].facts.get("vehicle")
    return vehicle_known(state, key) if isinstance(key, str) else None


def drives(state: State, team: str) -> bool:
    """Say whether a move of this team is one of a vehicle that leaves the grid: it does not move as Infantry (D-VE-2, D-VE-3)."""
    raft = raft_of(state, team)
    item = None if raft is None or not sails(state, team) else vehicle(state, raft)
    return item is not None and "infantry_movement" not in item.traits


@remembered
def rafts(state: State, side: str) -> tuple[str, ...]:
    """Return the rafts of a side on the board, in the order of the roster (D-EQ-V1)."""
    return tuple([team.uid for team in teams(state, side) if "vehicle" in team.facts])


@remembered
def raft_of(state: State, team: str) -> str | None:
    """Return the raft that a team rides in: itself, if it is one; ``None`` on foot."""
    if "vehicle" in state[team].facts:
        return team
    return next((link.target for link in state.linked(ABOARD, source=team)), None)


def passengers(state: State, raft: str) -> tuple[str, ...]:
    """Return the living teams attached to a raft, in the order of the roster."""
    found = {link.source for link in state.linked(ABOARD, target=raft) if living(state, link.source)}
    return tuple([team.uid for team in state.below(side_of(state, raft), "team") if team.uid in found])


@remembered
def company(state: State, team: str) -> tuple[str, ...]:
    """Return the teams that stand with ``team`` as one: itself, or its raft, whoever lives of its crew, and those in it (D-EQ-V2)."""
    raft = raft_of(state, team)
    return (team,) if raft is None else (raft, *passengers(state, raft))


def occupants(state: State, team: str) -> tuple[Entity, ...]:
    """Return the living units on whom fire at a team falls: its own, and on a raft crew and passengers together (D-AMB-31)."""
    return state.named(_occupants(state, team))


@remembered
def _occupants(state: State, team: str) -> tuple[str, ...]:
    return tuple([unit.uid for each in company(state, team) for unit in living(state, each)])


def sails(state: State, team: str) -> bool:
    """Say whether a move of this team moves its raft: its crew's does; without a living crew, the passengers' does."""
    raft = raft_of(state, team)
    return raft is not None and (raft == team or not living(state, raft))


def floats(state: State, team: str) -> bool:
    """Say whether a team moves over water: it sails a raft that does (D-R14.5)."""
    raft = raft_of(state, team)
    item = None if raft is None or not sails(state, team) else vehicle(state, raft)
    return item is not None and "moves_over_water" in item.traits


def holed(state: State, raft: str) -> bool:
    """Say whether a raft has taken its last Wound: then nobody sails it any more (D-AMB-31)."""
    return "holed" in state[raft].statuses


def strike_raft(step: DisrupterStep, team: str, wounds: int) -> None:
    """Let the raft of a stand that was hit take as many Wounds as those in it, if by ruling D-AMB-31 it has any.

    With its last one it is holed: it stays where it is. Who rides gets off by moving, if there is land; its crew stays with it.
    """
    most, raft = number(step.options, "D-AMB-31"), raft_of(step.state, team)
    if not most or raft is None or not wounds or holed(step.state, raft):
        return
    before = step.state[raft].attributes.get("raft wounds", 0)
    assert isinstance(before, int)
    taken = min(before + wounds, most)
    changes: list[Change] = [SetAttribute(raft, "raft wounds", taken)]
    if taken == most:
        changes.append(SetStatus(raft, Status("holed", since=turn(step.state))))
    step.emit("raft.struck", *changes, rule="D-AMB-31", why={"raft": raft, "taken": taken, "most": most})


def in_reach(state: State, team: str) -> tuple[str, ...]:
    """Return the rafts that a team may attach to now, in the order of the roster (D-EQ-V2)."""
    own = teams(state, side_of(state, team))
    return tuple([raft.uid for raft in own if _refusal(state, team, raft.uid) is None])


def attach(step: DisrupterStep, team: str, raft: str) -> None:
    """Let a team get into a raft within Close Range; from then on both move as one (D-EQ-V2).

    The caller has spent the team's action. The team leaves its hex for the raft's, and so its cover (D-AMB-41).

    Raises:
        RuleError: the raft is none, an enemy's or too far off, there is no room, or the team rides already.
    """
    refused = _refusal(step.state, team, raft)
    if refused is not None:
        raise refused
    leave_cover(step, team, "D-AMB-41")
    walked = SetAttribute(team, "walked", turn(step.state))
    changes = SetPlace(team, step.state[raft].place), SetLink(Link(ABOARD, team, raft)), walked
    step.emit("raft.attached", *changes, rule="D-EQ-V2", why={"team": team, "raft": raft})


def _refusal(state: State, team: str, raft: str) -> RuleError | None:
    """Return why a team may not attach to a raft, ``None`` if it may."""
    target = state.get(raft)
    if target is None or target.role != "team" or side_of(state, raft) != side_of(state, team):
        return RuleError("this is no raft of this side", rule="D-EQ-V2", where=team, found=raft)
    item = vehicle(state, raft)
    if item is None or not any(trait.startswith("attach_team") for trait in item.traits):
        return RuleError("teams cannot attach to this", rule="D-EQ-V1", where=team, found=raft, expected="a raft")
    if raft_of(state, team) is not None:
        return RuleError("this team rides already", rule="D-EQ-V2", where=team, found=raft_of(state, team))
    apart = hexes_apart(state, team, raft)
    if apart is None or apart > 1:
        return RuleError(
            "the raft is not within Close Range", rule="D-EQ-V2", where=team, found=apart, expected="1 hex"
        )
    if not living(state, raft):
        return RuleError("the raft has no crew", rule="D-EQ-V2", where=team, found=raft)
    own, riding = len(living(state, team)), sum(len(living(state, each)) for each in passengers(state, raft))
    if own > item.number("Cap") - riding:
        expected = f"{item.number('Cap') - riding} at most"
        return RuleError("the raft has no room", rule="D-EQ-V2", where=team, found=own, expected=expected)
    if braced(state, team):
        return RuleError("a weapon that was fired keeps this team in its hex", rule="D-EQ-T1", where=team)
    return None


def detach(step: DisrupterStep, team: str) -> None:
    """Let a team that moves by itself get off its raft, if it rides in one that others sail."""
    raft = raft_of(step.state, team)
    if raft is not None and not sails(step.state, team):
        why = {"team": team, "raft": raft}
        step.emit("raft.left", DropLink(ABOARD, team, raft), rule="D-EQ-V2", why=why)
