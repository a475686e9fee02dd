"""The hooks of the plugin, by the part of the rules that they change."""

from __future__ import annotations

from .briefing import force_validate, setup_briefing
from .command import order_execute, order_issue, orders_used, react_trigger
from .fire import check_modifiers, check_roll, fire_near_miss, fire_outcome, fire_splash, fire_wounds
from .tracking import export_encounter, harm_apply, panic_check, stress_change
from .turn import turn_groups, turn_initiative, turn_order

__all__ = [
    "check_modifiers",
    "check_roll",
    "export_encounter",
    "fire_near_miss",
    "fire_outcome",
    "fire_splash",
    "fire_wounds",
    "force_validate",
    "harm_apply",
    "order_execute",
    "order_issue",
    "orders_used",
    "panic_check",
    "react_trigger",
    "setup_briefing",
    "stress_change",
    "turn_groups",
    "turn_initiative",
    "turn_order",
]
