"""The Initiative Phase: who goes first, and which squads act early (D-R11.3 to D-R11.8)."""

from __future__ import annotations

from typing import NamedTuple, cast

from rallypoint.kernel.changes import Change, SetAttribute
from rallypoint.kernel.dice import D100, ByFace
from rallypoint.kernel.errors import RuleError
from rallypoint.kernel.state import Entity
from rallypoint.kernel.tape import Choice, Option

from .checks import Checked, check
from .field import BATTLE, commander, living, sides, turn
from .hooks import DisrupterStep
from .records import CheckRequest, Modifier
from .rulings import chosen
from .turn import open_action_phase, sections

__all__ = ["counting_value", "groups", "initiative"]

_RANK = {"critical_success": 2, "success": 1}
REROLLS = 100
"""How often both COs roll again at most: who has no chance of a success would roll for ever."""
RESOLVE = Modifier("+", "Resolve", "D-OP-R11.1")


class _Try(NamedTuple):
    """One side's check in the contest; ``None`` where it has no CO to make it."""

    side: str
    checked: Checked | None

    @property
    def rank(self) -> int:
        return 0 if self.checked is None else _RANK.get(self.checked.grade, 0)

    @property
    def hopeless(self) -> bool:
        """Say whether no face of the dice would have been a success: nobody to roll, or a stat of nothing."""
        if self.checked is None or self.checked.dice is None:
            return self.rank == 0
        cut = cast("ByFace", self.checked.dice.cut)
        return not any(cut.grade(D100, (face,)) in _RANK for face in range(100))


def initiative(step: DisrupterStep) -> None:
    """Find out which side goes first in this turn (D-R11.4; D-AMB-16: the COs, not the NCOs, roll)."""
    last = step.state[BATTLE].attributes.get("first")
    last = last if isinstance(last, str) else None
    first, rule = step.hooks.turn_initiative(step, last), "D-R11.4"
    if first is None:
        first, rule = _contest(step, last)
    elif first not in sides(step.state):
        raise RuleError("a plugin named a side that does not exist", rule="D-R11.4", found=first)
    changes = SetAttribute(BATTLE, "first", first), SetAttribute(BATTLE, "phase", "groups")
    step.emit("turn.initiative", *changes, rule=rule, why={"first": first})


def _contest(step: DisrupterStep, last: str | None) -> tuple[str, str]:
    """Let both COs check until one wins; return the winner and the rule that says so.

    Where no CO is left, or none whose check can ever succeed, the lot decides (D-R11.7).
    """
    for _ in range(1 + REROLLS):
        leaders = [(side, commander(step.state, side)) for side in sides(step.state)]
        if all(leader is None for _, leader in leaders):
            return step.pick([side for side, _ in leaders], 1, "initiative without COs")[0], "D-R11.7"
        resolved = _resolve(step, [leader for _, leader in leaders if leader is not None])
        tries = [_Try(side, None if leader is None else _roll(step, leader, resolved)) for side, leader in leaders]
        won = _better(step, tries[0], tries[1], last)
        if won is not None:
            return won
        if all(each.checked is None or each.checked.dice is None for each in tries):
            raise RuleError("nobody can win the initiative: plugins decide both checks alike", rule="D-R11.7")
        if all(each.hopeless for each in tries):
            break
    return step.pick(sides(step.state), 1, "initiative that nobody can win")[0], "D-R11.7"


def _resolve(step: DisrupterStep, leaders: list[Entity]) -> frozenset[str]:
    """Ask each CO who still has it, before any dice are thrown, whether to use Resolve; return those who do (D-OP-R11.1)."""
    if chosen(step.options, "D-OP-R11.1") == "off":
        return frozenset()
    able = [leader for leader in leaders if "resolve" not in leader.attributes]
    if not able:
        return frozenset()
    options = Option("keep", "keep Resolve for later"), Option("use", "use Resolve: [+] on this check")
    asks = [Choice(step.state.above(leader.uid, "side").uid, "resolve", options, leader.uid) for leader in able]
    taken = step.choose(asks[0], *asks[1:]) if len(asks) > 1 else (step.choose(asks[0]),)
    used = [leader for leader, option in zip(able, taken, strict=True) if option.key == "use"]
    for leader in used:
        change = SetAttribute(leader.uid, "resolve", turn(step.state))
        step.emit("co.resolve", change, rule="D-OP-R11.1", why={"co": leader.uid})
    return frozenset([leader.uid for leader in used])


def _roll(step: DisrupterStep, leader: Entity, resolved: frozenset[str]) -> Checked:
    extra = (RESOLVE,) if leader.uid in resolved else ()
    return check(step, CheckRequest((leader.uid,), "instinct", "initiative"), "D-R11.4", extra)


def _better(step: DisrupterStep, a: _Try, b: _Try, last: str | None) -> tuple[str, str] | None:
    """Return who wins and by which rule, ``None`` when both roll again (D-R11.4 to D-R11.7)."""
    if a.rank != b.rank:
        winner = a if a.rank > b.rank else b
        return winner.side, "D-R11.6" if winner.rank == 2 else "D-R11.4"
    if a.rank == 0 or a.checked is None or b.checked is None:
        return None
    lower = chosen(step.options, "D-AMB-06") == "lower_die"
    values = counting_value(a.checked, lower), counting_value(b.checked, lower)
    if values[0] != values[1]:
        return (a if values[0] > values[1] else b).side, "D-R11.6" if a.rank == 2 else "D-R11.5"
    if chosen(step.options, "D-AMB-17") == "side_that_lost_last" and last is not None:
        return (b if last == a.side else a).side, "D-R11.5"
    return None


def counting_value(checked: Checked, lower: bool = False) -> int:
    """Return the number that counts for the initiative (D-R11.5, D-AMB-06), -1 where nothing was rolled.

    Of two dice those count that show the result's own class: the higher of them under [+], the lower under [-]. With
    ``lower`` it is the lower die of the two in any case.
    """
    dice = checked.dice
    if dice is None:
        return -1
    if lower or len(dice.faces) == 1:
        return min(dice.faces)
    cut = cast("ByFace", dice.cut)
    counting = [face for face in dice.faces if cut.grade(dice.throw.die, (face,)) == checked.grade]
    return max(counting) if cut.order[0] == "critical_success" else min(counting)


def groups(step: DisrupterStep) -> None:
    """Let every NCO check for his squad's Group in this turn (D-R11.8), then open the Action Phase (D-R11.9)."""
    first = step.state[BATTLE].attributes["first"]
    assert isinstance(first, str)
    for side in (first, *[side for side in sides(step.state) if side != first]):
        for squad in [entity.uid for entity in step.state.below(side, "squad")]:
            _group(step, squad)
    open_action_phase(step, first)


def _group(step: DisrupterStep, squad: str) -> None:
    state = step.state
    if any(unit.facts.get("class") == "CO" for unit in state.below(squad, "unit")):
        return  # the command squad acts with the CO (D-R9.2, D-R11.9)
    parts = sections(state, squad)
    for leader, rows in parts:
        if not any(living(step.state, team.uid) for team in rows):
            continue
        given = step.hooks.turn_groups(step, step.state[squad])
        number = _rolled(step, leader) if given is None else given
        holders = [squad] if len(parts) == 1 else [team.uid for team in rows]
        changes: list[Change] = [SetAttribute(holder, "group", number) for holder in holders]
        if len(parts) == 1:
            changes += [SetAttribute(team.uid, "group", None) for team in rows if "group" in team.attributes]
        step.emit("turn.group", *changes, rule="D-R11.8", why={"squad": squad, "group": number})


def _rolled(step: DisrupterStep, leader: Entity | None) -> int:
    if leader is None:
        return int(chosen(step.options, "D-R11.8"))
    return 1 if check(step, CheckRequest((leader.uid,), "instinct", "group"), "D-R11.8").success else 2
