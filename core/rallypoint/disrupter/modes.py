"""How a battle ends: Last Man Standing, surrender, draw (D-R9.7, D-GM-1)."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from rallypoint.kernel.canonical import Value
from rallypoint.kernel.changes import Change, DropLink, DropStatus, SetAttribute, SetPlace, SetStatus
from rallypoint.kernel.parts import Status
from rallypoint.kernel.state import Entity, State

from .field import BATTLE, enemy, leaderless, living, platoons, sides, turn
from .hooks import DisrupterStep
from .plugin_faults import wrong_answer
from .rafts import ABOARD

__all__ = ["result", "settle", "surrendered"]


def result(state: State) -> Mapping[str, Value] | None:
    """Return how the battle ended (``winner`` is a side or ``draw``), ``None`` while it goes on."""
    found = state[BATTLE].attributes.get("result")
    return found if found is not None and isinstance(found, Mapping) else None


def surrendered(state: State, uid: str) -> bool:
    """Say whether a platoon has no Officer left, and so surrenders at once, in every game mode (D-R9.7).

    A side has surrendered when all its platoons have.
    """
    return leaderless(state, uid)


def settle(step: DisrupterStep) -> bool:
    """End the battle if a side has just lost its last Officer, and say whether the battle is over.

    Called after everything that can take units off the board at one time; two sides that lose their last Officers
    together draw. In Last Man Standing that is the way to win (D-GM-1). A platoon of a company that has lost its last
    Officer leaves the fight, while the others go on (D-SF-4).
    """
    if result(step.state) is not None:
        return True
    for side in sides(step.state):
        if not surrendered(step.state, side):
            for own in [each.uid for each in platoons(step.state, side)]:
                _lay_down_arms(step, own)
    state = step.state
    lost = [side for side in sides(state) if surrendered(state, side)]
    winner = step.hooks.mode_victory(step)
    if winner not in (None, "draw", *sides(state)):
        raise wrong_answer(step, "mode_victory", winner, f"{', '.join(sides(state))} or draw")
    if winner is None and lost:
        winner = "draw" if len(lost) > 1 else enemy(state, lost[0])
    if winner is None:
        return False
    mode = state[BATTLE].facts["mode"]
    rule = "D-GM-1" if lost and mode == "last_man_standing" else "D-R9.7"
    row: dict[str, Value] = {
        "winner": winner,
        "rule": rule,
        "turn": turn(state),
        "mode": mode,
        "surrendered": tuple(lost),
    }
    step.emit("battle.over", SetAttribute(BATTLE, "result", MappingProxyType(row)), rule=rule, why=row)
    return True


def _lay_down_arms(step: DisrupterStep, own: str) -> None:
    """Take a platoon off the board that has no Officer left (D-R9.7); whoever has surrendered is neither dead nor hurt.

    It goes all at once and by its own will, so that nobody makes a Panic Check for it (D-SF-4). A raft stays where it is
    when teams of another platoon ride in it.
    """
    state = step.state
    if not surrendered(state, own):
        return
    units = [unit.uid for unit in state.below(own, "unit") if "out" not in unit.statuses]
    if not units:
        return
    stands = [team for team in state.below(own, "team") if team.place is not None]
    changes: list[Change] = [SetStatus(unit, Status("out", "surrendered", since=turn(state))) for unit in units]
    for team in stands:
        changes += [DropStatus(team.uid, name) for name in team.statuses]
        changes += [DropLink(*link.key) for link in state.linked(ABOARD, source=team.uid)]
        if not _carries_others(state, team, own):
            changes.append(SetPlace(team.uid, None))
    step.emit("platoon.surrendered", *changes, rule="D-R9.7", why={"platoon": own, "units": len(units)})


def _carries_others(state: State, raft: Entity, own: str) -> bool:
    riding = [link.source for link in state.linked(ABOARD, target=raft.uid) if living(state, link.source)]
    return any(state.above(team, "platoon").uid != own for team in riding)
