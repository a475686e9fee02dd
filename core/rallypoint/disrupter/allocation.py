"""Who takes how many Wounds: division among the units of a team, with mixed saves (D-R16.10, D-AMB-28)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from rallypoint.kernel.tape import Choice, Option

from .field import side_of, team_of
from .hooks import DisrupterStep
from .outcome import is_success, outcome
from .records import Allocation, Hit, Saved, Share
from .rulings import chosen

__all__ = ["Shares", "divided", "shared_out"]


class Shares(NamedTuple):
    """Who gets how many Wounds, whether a save left the attackers shaken, and what fell to each group."""

    allocations: tuple[Allocation, ...] = ()
    shaken: bool = False
    groups: tuple[Share, ...] = ()


def shared_out(step: DisrupterStep, units: Sequence[str], groups: Sequence[Saved], hit: Hit) -> Shares:
    """Divide the Wounds of a hit among groups with their saves.

    Args:
        step: the step.
        units: everybody who is hit, in the order of the roster.
        groups: the same units by armour value.
        hit: the attack's grade, all its Wounds, the number of weapons; its save is not read.

    First all Wounds are divided among all; what falls to a group with a save is reduced and divided anew inside the group.
    With one group that is the rule as written. Units cannot pass on what is too much for them.
    """
    whole = len(groups) == 1
    missed = hit.attack is not None and not is_success(hit.attack)
    # Nobody draws lots for Wounds that do not come; a plugin that lets some come on a miss is told each group's even part.
    parts = {} if whole or missed else divided(step, units, hit.wounds)
    given: dict[str, int] = {}
    shaken, shares = list[bool](), list[Share]()
    for group in groups:
        part = (
            hit.wounds * len(group.units) // len(units) if whole or missed else sum([parts[uid] for uid in group.units])
        )
        came = outcome(step, Hit(hit.attack, group.grade, part, hit.weapons, hit.reaction))
        shaken.append(came.attackers_shaken)
        shares.append(Share(group.units, group.grade, part, came.wounds))
        if whole or missed or came.wounds != part:
            given.update(divided(step, group.units, came.wounds))
        else:
            given.update({uid: parts[uid] for uid in group.units})
    allocations = tuple([Allocation(uid, given[uid]) for uid in units if given[uid] > 0])
    by_all = chosen(step.options, "D-R16.6") == "all"
    return Shares(allocations, all(shaken) if by_all else any(shaken), () if missed else tuple(shares))


def divided(step: DisrupterStep, units: Sequence[str], wounds: int) -> Mapping[str, int]:
    """Divide Wounds among units: evenly, the remainder one each to random ones; or as ruling D-AMB-28 says."""
    ruling = chosen(step.options, "D-AMB-28")
    given = dict.fromkeys(units, 0)
    if wounds <= 0:
        return given
    if ruling == "random_each":
        for _ in range(wounds):
            given[step.pick(units, 1, "wounds", team_of(step.state, units[0]).uid)[0]] += 1
    elif ruling == "focus":
        _focused(step, given, wounds)
    else:
        each, rest = divmod(wounds, len(units))
        lucky = step.pick(units, rest, "wounds", team_of(step.state, units[0]).uid) if rest else ()
        for uid in units:
            given[uid] = each + (uid in lucky)
    return given


def _focused(step: DisrupterStep, given: dict[str, int], wounds: int) -> None:
    """Let the owner of the target say who takes Wounds: each as many as he can, then the next."""
    left, waiting = wounds, list(given)
    while left and waiting:
        uid = waiting[0]
        if len(waiting) > 1:
            options = tuple([Option(each, f"{each} takes Wounds") for each in waiting])
            uid = step.choose(Choice(side_of(step.state, uid), "wounds", options, team_of(step.state, uid).uid)).key
        waiting.remove(uid)
        taken = step.state[uid].trackers["Wounds"]
        room = left if taken.max is None or not waiting else taken.max - taken.value
        given[uid] = min(left, room)
        left -= given[uid]
