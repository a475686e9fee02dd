"""The hooks of Disrupter: what plugins may change, phase by phase. This page is the contract with homebrewers.

Names follow the rules' phases. Every hook says its kind, the ids of the rules it touches and when it is called. Those that
are called in play take ``step``; what else they take is a record of :mod:`rallypoint.disrupter.records`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Protocol, TypeAlias

from rallypoint.kernel.canonical import Value
from rallypoint.kernel.changes import Change
from rallypoint.kernel.encounter import Encounter
from rallypoint.kernel.game import Intent
from rallypoint.kernel.parts import Hex, Pose
from rallypoint.kernel.plugins.hooks import change, collect, decide, joined, tell
from rallypoint.kernel.plugins.life_cycle import LifeCycle
from rallypoint.kernel.state import Entity, State
from rallypoint.kernel.step import Step

from .records import (
    Act,
    Allocation,
    Attack,
    CheckRequest,
    Grade,
    Hit,
    Landing,
    Modifier,
    Move,
    Order,
    Outcome,
    Problem,
    Reaction,
    Strike,
    Template,
)

__all__ = ["DisrupterStep", "Hooks", "either", "strictest"]


def strictest(answers: tuple[bool, ...]) -> bool:
    """Reduce permissions: one refusal is enough.

    >>> strictest(()), strictest((True, False))
    (True, False)
    """
    return all(answers)


def either(answers: tuple[bool, ...]) -> bool:
    """Reduce exceptions: one that applies is enough.

    >>> either(()), either((False, True))
    (False, True)
    """
    return any(answers)


class Hooks(LifeCycle, Protocol):
    """What plugins may change in Disrupter."""

    hook_api: ClassVar[str] = "1.3"

    # Putting the game together

    @collect(reduce=joined, rules=("D-R11.2",))
    def acts(self) -> tuple[Act, ...]:
        """Return further acts of a seat, and rules that run by themselves; asked once, when the game is put together."""

    @collect(reduce=joined, rules=("D-R11.2",))
    def legal_acts(self, state: State, options: Mapping[str, Value], seat: str) -> tuple[Intent, ...]:
        """Return which of a plugin's own acts a seat may take now; they are listed after the game's, before ``done``."""

    @collect(reduce=joined, rules=("D-R10.1",))
    def setup_briefing(self, options: Mapping[str, Value]) -> tuple[str, ...]:
        """Return what people should know of these rulings before they play, such as what is left unused."""

    @change("encounter", rules=("D-R4.2", "D-PC-1"))
    def export_encounter(self, options: Mapping[str, Value], encounter: Encounter) -> Encounter:
        """Return an encounter with what a plugin tracks besides, or without what needs not be tracked; battles begin from it."""

    # Briefing and force

    @collect(reduce=joined, rules=("D-R10.1", "D-R9.1", "D-SF-1"))
    def force_validate(self, step: Step[Hooks], platoon: Entity) -> tuple[Problem, ...]:
        """Return what is wrong with a platoon, before the battle starts."""

    # Turn

    @change("stress", rules=("D-R8.3", "D-R11.3"))
    def turn_start(self, step: Step[Hooks], platoon: Entity, stress: int) -> int:
        """Return the Stress that a platoon gains in the Initiative Phase; 1 by the rule."""

    @decide(rules=("D-R11.4", "D-R11.5", "D-R11.6", "D-R11.7"))
    def turn_initiative(self, step: Step[Hooks], last: str | None) -> str | None:
        """Return the side that goes first in this turn; ``last`` is the one that did in the turn before."""

    @decide(rules=("D-R11.8",))
    def turn_groups(self, step: Step[Hooks], squad: Entity) -> int | None:
        """Return the Group, 1 or 2, in which a squad acts in this turn."""

    @change("order", rules=("D-R11.9",))
    def turn_order(self, step: Step[Hooks], order: tuple[str, ...]) -> tuple[str, ...]:
        """Return the portions of the turn, in order: ``co``, ``1``, ``2`` by the rule."""

    # Checks

    @collect(reduce=joined, rules=("D-R7.5", "D-R9.4", "D-R13.1"))
    def check_modifiers(self, step: Step[Hooks], request: CheckRequest) -> tuple[Modifier, ...]:
        """Return further [+] and [-] for a check or save, each with its reason."""

    @change("stat", rules=("D-R6.1", "D-R7.1"))
    def check_stat(self, step: Step[Hooks], request: CheckRequest, stat: int) -> int:
        """Return the number (percent) that the dice must stay under."""

    @decide(rules=("D-R7.3", "D-R7.4", "D-SL-R16.1", "D-SL-R16.4"))
    def check_roll(self, step: Step[Hooks], request: CheckRequest) -> Grade | None:
        """Return a grade to leave the dice alone: what always succeeds, or is not rolled at all."""

    # Stress and panic

    @change("amount", rules=("D-R8.1", "D-R8.4", "D-R8.5", "D-R8.6"))
    def stress_change(self, step: Step[Hooks], platoon: Entity, amount: int, reason: str, by: str | None) -> int:
        """Return by how much Stress changes; 0 leaves it alone. ``by`` is the unit that rolled or fell, where it is one."""

    @decide(rules=("D-R8.2", "D-R8.6", "D-R8.7"))
    def panic_check(self, step: Step[Hooks], subject: Entity) -> bool | None:
        """Return whether a team or platoon keeps its nerve, to leave the d20 alone."""

    @decide(rules=("D-PT-T1", "D-PT-S"))
    def panic_effect(self, step: Step[Hooks], subject: Entity, face: int) -> str | None:
        """Return the machine name of what the row ``face`` of the table does to ``subject``."""

    # Command

    @collect(reduce=strictest, rules=("D-R9.11", "D-R10.5", "D-R16.11", "D-SL-R9.1"))
    def orders_used(self, step: Step[Hooks]) -> bool:
        """Return False where nobody gives Orders: none are listed, and no squad gets the standing one."""

    @collect(reduce=strictest, rules=("D-R16.11", "D-R16.12", "D-R10.3", "D-R10.5"))
    def order_issue(self, step: Step[Hooks], order: Order) -> bool:
        """Return False to refuse an order, also a Code Word that is spoken or agreed on."""

    @decide(rules=("D-R9.12", "D-R9.14", "D-R9.15", "D-R9.16"))
    def order_execute(self, step: Step[Hooks], team: Entity, act: str) -> bool | None:
        """Return whether a team may do ``act`` under its orders: ``move``, ``fire``, ``spot``, ``cover``."""

    # Movement and reaction

    @change("allowance", rules=("D-R14.2", "D-R14.5"))
    def move_plan(self, step: Step[Hooks], team: Entity, allowance: int) -> int:
        """Return how many hexes a team may move."""

    @collect(reduce=strictest, rules=("D-R14.3", "D-R14.4", "D-R14.5"))
    def move_step(self, step: Step[Hooks], team: Entity, to: Hex) -> bool:
        """Return False to refuse a step into a hex."""

    @collect(reduce=joined, rules=("D-R14.1",))
    def move_made(self, step: Step[Hooks], team: Entity, move: Move) -> tuple[Change, ...]:
        """Return what else changes when a team's movement has ended, once, such as fuel."""

    @tell(rules=("D-R14.1",))
    def move_end(self, step: Step[Hooks], team: Entity, move: Move) -> None:
        """Tell where a team's movement ended."""

    @change("reactors", rules=("D-R15.1", "D-R15.2"))
    def react_trigger(self, step: Step[Hooks], mover: Entity, reactors: tuple[Reaction, ...]) -> tuple[Reaction, ...]:
        """Return who may or must react to a mover after this hex, in order."""

    # Vehicles

    @collect(reduce=joined, rules=("D-VE-3", "D-VE-4", "D-VE-5", "D-VE-7", "D-VE-8"))
    def vehicle_template(self, step: Step[Hooks], team: Entity, laid: tuple[Template, ...]) -> tuple[Template, ...]:
        """Return the templates that a vehicle may lay next; ``laid`` are those that it has laid in this movement.

        Asked before a vehicle moves, when its choices are listed, and after each template. It must be a function of state
        and ``laid``, and ask nobody: a whole sequence is looked through with it before the first dice.
        """

    @decide(rules=("D-VE-6", "D-VE-9", "D-VE-10", "D-SL-VE.1"))
    def vehicle_slide(self, step: Step[Hooks], team: Entity, template: Template) -> Pose | None:
        """Return where a vehicle comes to stand that has laid a template: at its end, or elsewhere if it slides."""

    # Battlefield Actions

    @collect(reduce=strictest, rules=("D-R16.1", "D-R16.3", "D-R16.4", "D-EQ-T1", "D-EQ-T2"))
    def battle_declare(self, step: Step[Hooks], attack: Attack) -> bool:
        """Return False to refuse an attack before any dice are thrown; asked more than once, so it tells nothing."""

    @collect(reduce=joined, rules=("D-R16.3", "D-R16.4"))
    def fire_shot(self, step: Step[Hooks], attack: Attack) -> tuple[Change, ...]:
        """Return what else changes when a shot is fired, once and before its dice, such as Ammo."""

    @decide(rules=("D-R12.1", "D-R12.2", "D-EQ-T9", "D-IF-1"))
    def los_test(self, step: Step[Hooks], attack: Attack) -> bool | None:
        """Return whether the attacker can see its target, or needs not to; a target may be a place, such as ``@3,-1``."""

    @collect(reduce=joined, rules=("D-R16.3", "D-IF-1"))
    def fire_listed(self, step: Step[Hooks], team: Entity) -> tuple[Attack, ...]:
        """Return shots of a team that are listed besides those at enemies in sight; the rules check each of them."""

    @change("wounds", rules=("D-R16.9", "D-SL-R16.3", "D-MO-R16.2"))
    def fire_wounds(self, step: Step[Hooks], attack: Attack, distance: int, wounds: int) -> int:
        """Return the Wounds of one weapon's hit at a distance in hexes."""

    @decide(rules=("D-R16.9", "D-R16.10", "D-MO-R16.2"))
    def fire_damage(self, step: Step[Hooks], strike: Strike) -> tuple[Allocation, ...] | None:
        """Return who takes how many Wounds of attacks that hit, to leave columns, splash and division alone."""

    @change("wounds", rules=("D-EQ-T3", "D-SL-R16.3"))
    def fire_splash(self, step: Step[Hooks], attack: Attack, wounds: int) -> int:
        """Return the Wounds of one weapon's splash to each unit near the target."""

    @change("wounds", rules=("D-EQ-T14", "D-SL-R16.3"))
    def fire_near_miss(self, step: Step[Hooks], attack: Attack, wounds: int) -> int:
        """Return the Wounds of one weapon's near miss to each unit of the target."""

    @decide(rules=("D-R16.6", "D-SL-R16.2", "D-VA-R16.1"))
    def fire_outcome(self, step: Step[Hooks], hit: Hit) -> Outcome | None:
        """Return what comes of an Instinct Check and an Armor Save."""

    @change("allocation", rules=("D-R16.10",))
    def fire_allocate(
        self, step: Step[Hooks], team: Entity, allocation: tuple[Allocation, ...]
    ) -> tuple[Allocation, ...]:
        """Return who takes how many Wounds."""

    @decide(rules=("D-IF-5",))
    def indirect_target(self, step: Step[Hooks], attack: Attack) -> Hex | None:
        """Return the hex where an indirect shot lands without a check, to leave checks and aim to the rules."""

    @decide(rules=("D-IF-3", "D-IF-4"))
    def indirect_drift(self, step: Step[Hooks], attack: Attack, aimed: Hex) -> Landing | None:
        """Return where a shot lands whose check failed: thrown, launched, or fired at a place (``@3,-1``)."""

    @collect(reduce=strictest, rules=("D-R13.1", "D-AMB-01"))
    def cover_test(self, step: Step[Hooks], team: Entity, place: Hex) -> bool:
        """Return False to keep a team from taking cover in a hex that has light cover."""

    @tell(rules=("D-R16.6",))
    def battle_fired(self, step: Step[Hooks], attack: Attack) -> None:
        """Tell that an attack was resolved."""

    # Harm and victory

    @change("wounds", rules=("D-R6.4", "D-SL-R6.1"))
    def harm_apply(self, step: Step[Hooks], unit: Entity, wounds: int) -> int:
        """Return the Wounds that a unit really takes."""

    @decide(rules=("D-GM-5", "D-R6.4"))
    def harm_removed(self, step: Step[Hooks], unit: Entity) -> str | None:
        """Return what became of a unit at its last Wound: ``dead`` or ``incapacitated``."""

    @decide(rules=("D-R8.6", "D-R8.7", "D-R8.8"))
    def harm_mourned(self, step: Step[Hooks], unit: Entity) -> bool | None:
        """Return whether the fall of a unit is that of a human: Stress and Panic Checks come of it; not of a Bot's."""

    @decide(rules=("D-GM-1", "D-R9.7"))
    def mode_victory(self, step: Step[Hooks]) -> str | None:
        """Return the winning side, ``draw``, or ``None`` while the fight goes on."""


DisrupterStep: TypeAlias = Step[Hooks]
"""The step as the rules of Disrupter see it."""
