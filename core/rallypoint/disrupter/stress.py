"""Rule 8, first half: a platoon's Stress. What panic does stands in :mod:`rallypoint.disrupter.panic`."""

from __future__ import annotations

from rallypoint.kernel.changes import SetTracker
from rallypoint.kernel.state import Entity

from .field import platoon, platoons, side_of
from .hooks import DisrupterStep
from .records import CheckRequest, Grade
from .rulings import chosen, number

__all__ = ["after_critical", "change_stress", "level", "stress"]


def stress(step: DisrupterStep, uid: str) -> int:
    """Return the Stress of a platoon, or of the one that a squad, team or unit is in: 0 to 20 (D-R8.1)."""
    return level(platoon(step.state, uid))


def level(owner: Entity) -> int:
    """Return the Stress of a platoon; 0 for one that does not track it (D-SL-R8.1)."""
    return owner.value("Stress") if "Stress" in owner.trackers else 0


def change_stress(step: DisrupterStep, uid: str, amount: int, reason: str, rule: str, by: str | None = None) -> None:
    """Move the Stress of ``uid``'s platoon, within 0 (D-AMB-08) and 20 (D-R8.1); plugins may change the amount.

    ``by`` is the unit that rolled the critical or that fell.
    """
    owner = platoon(step.state, uid)
    if "Stress" not in owner.trackers:
        return
    amount = step.hooks.stress_change(step, owner, amount, reason, by)
    tracker = owner.trackers["Stress"]
    value = max(number(step.options, "D-AMB-08.min"), tracker.clamp(tracker.value + amount))
    if amount and value != tracker.value:
        why: dict[str, object] = {"by": amount, "from": tracker.value, "reason": reason}
        if len(platoons(step.state, side_of(step.state, owner.uid))) > 1:
            why["platoon"] = owner.uid
        step.emit("stress", SetTracker(owner.uid, "Stress", value), rule=rule, why=why)


def after_critical(step: DisrupterStep, criticals: tuple[Grade, ...], request: CheckRequest) -> None:
    """Move the Stress of who rolled for each critical: up for a failure (D-R8.4), down for a success (D-R8.5)."""
    if chosen(step.options, "D-AMB-09") == "fire_only" and request.purpose not in ("fire", "save"):
        return
    for grade in criticals:
        up = grade == "critical_failure"
        unit, rule = request.units[0], "D-R8.4" if up else "D-R8.5"
        change_stress(step, unit, 1 if up else -1, grade.replace("_", " "), rule, unit)
