"""The hooks of Disrupter that this plugin implements; each does nothing unless its ruling is on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from rallypoint.disrupter.field import alive
from rallypoint.disrupter.hooks import DisrupterStep
from rallypoint.disrupter.records import Allocation, Problem, Strike
from rallypoint.kernel.canonical import Value
from rallypoint.kernel.changes import SetTracker
from rallypoint.kernel.dice import ByFace, Die, Throw
from rallypoint.kernel.encounter import Encounter
from rallypoint.kernel.plugins.hooks import hookimpl
from rallypoint.kernel.state import Entity, State

from .figures import STRESS, kind_of, tracked
from .options import figures_count, is_on, least_stress, rolls_dice
from .squads import briefing, problems
from .striking import BY, struck
from .weapon_dice import with_dice

__all__ = [
    "export_encounter",
    "fire_damage",
    "force_validate",
    "harm_mourned",
    "harm_removed",
    "panic_check",
    "setup_briefing",
    "stress_change",
]

_DEATH_SAVE = ByFace.of(
    ("unconscious", "dying", "dying", "comatose", "comatose", *["dead"] * 5),
    ("unconscious", "dying", "comatose", "dead"),
)
"""A Death Save: d10, 0 to 9."""


@hookimpl
def setup_briefing(options: Mapping[str, Value]) -> tuple[str, ...]:
    """Say what is left unused."""
    return tuple(briefing(options))


@hookimpl
def export_encounter(options: Mapping[str, Value], encounter: Encounter) -> Encounter:
    """Track Armour Points, Health and a PC's own Stress, and show the dice of weapons, where they count."""
    return with_dice(options, tracked(options, encounter))


@hookimpl
def force_validate(step: DisrupterStep, platoon: Entity) -> tuple[Problem, ...]:
    """Say what is unusual about PCs and contractors (D-MO-R16.1, D-MO-R16.3, D-MO-R16.4, D-MO-SF.1, D-MO-SF.2)."""
    return tuple(problems(step.state, step.options, platoon.uid))


@hookimpl
def fire_damage(step: DisrupterStep, strike: Strike) -> tuple[Allocation, ...] | None:
    """Roll damage dice (D-MO-R16.2)."""
    return struck(step, strike) if rolls_dice(step.options) else None


@hookimpl
def stress_change(step: DisrupterStep, platoon: Entity, reason: str, by: str | None, amount: int) -> int | None:
    """Keep horrors from having Stress, and let a PC's criticals move his own, where he has some."""
    if not figures_count(step.options):
        return None
    if _only_horrors(step.state, platoon):
        return 0
    unit = None if by is None else step.state[by]
    if unit is None or kind_of(unit) == "contractor":
        return None
    if kind_of(unit) == "horror":
        return 0
    if STRESS not in unit.trackers or not alive(unit):
        return None
    tracker = unit.trackers[STRESS]
    value = max(least_stress(step.options), tracker.clamp(tracker.value + amount))
    if value != tracker.value:
        why = {"by": amount, "from": tracker.value, "reason": reason}
        step.emit("stress", SetTracker(unit.uid, STRESS, value), rule="D-MO-PC", by=BY, why=why)
    return 0


@hookimpl
def panic_check(step: DisrupterStep, subject: Entity) -> bool | None:
    """Let horrors keep their nerve: a Team of nobody else, and a platoon of nobody else."""
    if not figures_count(step.options):
        return None
    return True if _only_horrors(step.state, subject) else None


@hookimpl
def harm_mourned(step: DisrupterStep, unit: Entity) -> bool | None:
    """Let nobody mourn a horror."""
    return False if figures_count(step.options) and kind_of(unit) == "horror" else None


@hookimpl
def harm_removed(step: DisrupterStep, unit: Entity) -> Literal["dead", "incapacitated"] | None:
    """Let a PC make a Death Save at his last Wound."""
    if not (figures_count(step.options) and is_on(step.options, "D-MO-PC.death")) or kind_of(unit) != "pc":
        return None
    graded = step.grade(Throw(unit.uid, "death save", Die(0, 9)), _DEATH_SAVE)
    step.emit("death_save", rule="D-MO-PC", by=BY, why={"unit": unit.uid, "became": graded.grade, "roll": graded})
    return "dead" if graded.grade == "dead" else "incapacitated"


def _only_horrors(state: State, subject: Entity) -> bool:
    """Say whether nobody but horrors is left of a team or a platoon."""
    units = [unit for unit in state.below(subject.uid, "unit") if alive(unit)]
    return bool(units) and all(kind_of(unit) == "horror" for unit in units)
