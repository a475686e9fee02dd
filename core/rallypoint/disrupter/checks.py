"""Rule 7: checks and saves, advantages and criticals.

A check is d100 (0 to 99) under a stat. Doubles are criticals. [+] and [-] throw two dice; by ruling D-AMB-05 a critical on
either die is the result.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple, cast

from rallypoint.kernel.changes import DropStatus
from rallypoint.kernel.dice import D100, ByFace, Throw
from rallypoint.kernel.errors import RuleError
from rallypoint.kernel.state import Entity, State
from rallypoint.kernel.step import Graded

from .field import officers_about, place, side_of, team_of, weapon
from .hooks import DisrupterStep
from .records import CheckRequest, Grade, Modifier
from .remembered import remembered
from .rulings import chosen
from .stress import after_critical

__all__ = ["Checked", "DisrupterStep", "check", "check_cut", "modifiers", "net"]

_CLASSES: tuple[Grade, ...] = ("critical_success", "success", "failure", "critical_failure")
_CRITICALS: Mapping[str, Grade] = {grade: grade for grade in _CLASSES if grade.startswith("critical")}
_ORDERS: Mapping[tuple[str, int], tuple[Grade, ...]] = {
    # Either die's critical is the result; of two criticals the better one for [+], the worse one for [-].
    ("always", 1): ("critical_success", "critical_failure", "success", "failure"),
    ("always", -1): ("critical_failure", "critical_success", "failure", "success"),
    ("selected", 1): _CLASSES,
    ("selected", -1): _CLASSES[::-1],
}


class Checked(NamedTuple):
    """How a check came out; ``dice`` is ``None`` where nothing was rolled."""

    grade: Grade
    dice: Graded | None

    @property
    def success(self) -> bool:
        """Say whether it succeeded, critically or not."""
        return self.grade in ("success", "critical_success")


@lru_cache(maxsize=1024)
def check_cut(stat: int, sign: int, override: str = "always", double_zero: str = "critical") -> ByFace:
    """Return the cut of a check (D-R7.1, D-R7.3, D-R7.5, D-R7.6).

    Args:
        stat: percent; the dice must stay under it.
        sign: 1 for [+], -1 for [-], 0 for a plain roll.
        override: the choice of D-AMB-05.
        double_zero: the choice of D-AMB-04.

    >>> dict(check_cut(60, 0).ways(D100, 1))
    {'critical_success': 6, 'success': 54, 'failure': 36, 'critical_failure': 4}
    """
    classes: list[Grade] = []
    for face in range(100):
        double = face % 11 == 0 and (face > 0 or double_zero == "critical" or stat == 0)
        if face < stat:
            classes.append("critical_success" if double else "success")
        else:
            classes.append("critical_failure" if double else "failure")
    order = _ORDERS[("selected" if override == "stress_only" else override, sign)] if sign else _CLASSES
    return ByFace.of(classes, order)


def check(step: DisrupterStep, request: CheckRequest, rule: str, extra: tuple[Modifier, ...] = ()) -> Checked:
    """Make a check or save and return how it came out; Stress of criticals is moved at once (D-R8.4, D-R8.5).

    Args:
        step: the step.
        request: who rolls, on which stat, what for.
        rule: the rule that asks for the check; the event cites it.
        extra: modifiers that only the caller knows, such as a volley's [+].
    """
    fixed = step.hooks.check_roll(step, request)
    if fixed is not None:
        step.emit("check", rule=rule, why={"units": request.units, "purpose": request.purpose, "grade": fixed})
        return Checked(fixed, None)
    found = (*modifiers(step, request), *extra, *step.hooks.check_modifiers(step, request))
    sign = net(found, chosen(step.options, "D-AMB-07")) if found else 0
    stat = step.hooks.check_stat(step, request, _stat(step.state, request))
    override, zero = chosen(step.options, "D-AMB-05"), chosen(step.options, "D-AMB-04")
    throw = Throw(request.units[0], request.purpose, D100, 2 if sign else 1)
    why: dict[str, object] = {"units": request.units, "stat": request.kind, "under": stat}
    if found:
        why["modifiers"] = found
    if request.target is not None:
        why["target"] = request.target
    graded = step.grade(throw, check_cut(stat, sign, override, zero), why)
    grade = cast("Grade", graded.grade)
    step.emit("check", rule=rule, why={"check": graded, **why})
    criticals = _criticals(graded, override, stat, zero)
    if criticals:
        after_critical(step, criticals, request)
    if request.kind == "instinct" and chosen(step.options, "D-AMB-24") == "until_next_check":
        _recover(step, request.units)
    return Checked(grade, graded)


def _recover(step: DisrupterStep, units: tuple[str, ...]) -> None:
    """End the [-] of attackers who have just made their next check (D-AMB-24)."""
    over = [DropStatus(uid, "shaken") for uid in units if "shaken" in step.state[uid].statuses]
    if over:
        step.emit("fire.recovered", *over, rule="D-R16.6", why={"units": units})


def _criticals(graded: Graded, override: str, stat: int, zero: str) -> tuple[Grade, ...]:
    """Return the criticals that move Stress: the result's, or by ``stress_only`` every one that was rolled."""
    grades: tuple[str, ...] = (graded.grade,)
    if override == "stress_only":
        plain = check_cut(stat, 0, "selected", zero)
        grades = tuple([plain.grade(D100, (face,)) for face in graded.faces])
    return tuple([_CRITICALS[grade] for grade in grades if grade in _CRITICALS])


def _stat(state: State, request: CheckRequest) -> int:
    value = state[request.units[0]].facts.get(request.kind)
    if not isinstance(value, int):
        raise RuleError("this unit has no such stat", rule="D-R6.1", where=request.units[0], found=request.kind)
    return value


def net(found: tuple[Modifier, ...], ruling: str) -> int:
    """Return 1 for [+], -1 for [-], 0 for a plain roll (D-AMB-07: by default one of each cancels any number).

    >>> plus, minus = Modifier("+", "officer", "D-R9.4"), Modifier("-", "cover", "D-R13.1")
    >>> net((plus, plus, minus), "cancel"), net((plus, plus, minus), "net_count"), net((plus,), "cancel")
    (0, 1, 1)
    """
    if not found:
        return 0
    plus = sum([modifier.sign == "+" for modifier in found])
    minus = len(found) - plus
    if ruling == "net_count":
        return (plus > minus) - (plus < minus)
    return 0 if plus and minus else (plus > 0) - (minus > 0)


def modifiers(step: DisrupterStep, request: CheckRequest) -> tuple[Modifier, ...]:
    """Return the [+] and [-] that the rules give everybody: an officer near, cover, shaken attackers."""
    state, unit = step.state, step.state[request.units[0]]
    found = []
    near = officer_near(state, unit, own=chosen(step.options, "D-AMB-13") == "yes")
    if near is not None:
        found.append(Modifier("+", f"officer {near} within Close Range", "D-R9.4"))
    if _covered(state, unit.uid):
        if request.kind == "armor":
            if not _cover_is_void(step, unit):
                found.append(Modifier("+", "under cover", "D-R13.1"))
        elif request.weapon is None or weapon(state, request.weapon).trait("no_cover_penalty") is None:
            found.append(Modifier("-", "under cover", "D-R13.1"))
    shaken = unit.statuses.get("shaken")
    if request.kind == "instinct" and shaken is not None and (shaken.since or 0) <= step.turn:
        found.append(Modifier("-", "a volley that failed against a save", "D-R16.6"))
    return tuple(found)


@remembered
def _covered(state: State, uid: str) -> bool:
    return "under_cover" in team_of(state, uid).statuses


def _cover_is_void(step: DisrupterStep, unit: Entity) -> bool:
    """Say whether a unit is spotted, where by ruling D-AMB-23.cover a mark makes cover useless instead of ending it."""
    if chosen(step.options, "D-AMB-23.cover") == "lost":
        return False
    return any(mark.target in (unit.uid, unit.parent) for mark in step.state.linked("spot"))


def officer_near(state: State, unit: Entity, *, own: bool = False) -> str | None:
    """Return a living friendly officer within Close Range (0 or 1 hexes), not the unit itself unless ``own`` (D-R9.4)."""
    here = place(state, unit.uid)
    if here is None:
        return None
    for uid in officers_about(state, side_of(state, unit.uid), here):
        if own or uid != unit.uid:
            return uid
    return None
