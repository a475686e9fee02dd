"""Checks that nobody makes, and what comes of those that are left (D-SL-R16.1 to D-SL-R16.4, D-VA-R16.1, D-SL-VE.1).

Dice that are not rolled are not thrown at all: no criticals, no Stress. A check that is not rolled comes out as a success, a save
as a failure, so that the one die that is left decides.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from rallypoint.disrupter.checks import modifiers, net
from rallypoint.disrupter.field import living, side_of
from rallypoint.disrupter.hooks import DisrupterStep
from rallypoint.disrupter.outcome import is_success
from rallypoint.disrupter.records import CheckRequest, Grade, Hit, Modifier, Outcome
from rallypoint.disrupter.rulings import chosen
from rallypoint.disrupter.turn import portion
from rallypoint.kernel.plugins.hooks import hookimpl

from .switches import on

__all__ = ["check_modifiers", "check_roll", "fire_near_miss", "fire_outcome", "fire_splash", "fire_wounds"]

SURE: Mapping[str, str] = MappingProxyType(
    {"spot": "D-SL-R16.1", "rally": "D-SL-R16.4", "drive": "D-SL-VE.1", "fire": "D-VA-R16.1"}
)
"""What always succeeds, by the purpose of its check."""

FOR_FIRE = ("fire", "throw", "save")
"""The checks and saves that are about fire."""


@hookimpl
def check_roll(step: DisrupterStep, request: CheckRequest) -> Grade | None:
    """Return how a check comes out that is not rolled."""
    purpose = request.purpose
    if purpose in SURE and on(step.options, SURE[purpose]):
        return "success"
    if purpose == "throw" and step.options.get("D-AMB-26") == "no_instinct":
        return "success"
    if purpose in FOR_FIRE and on(step.options, "D-SL-R16.2") and not _is_active(step, request.units[0]):
        return "failure" if purpose == "save" else "success"
    return None


def _is_active(step: DisrupterStep, uid: str) -> bool:
    """Say whether a unit is of the side whose portion it is; outside the Action Phase everybody is."""
    now = portion(step.state)
    return now is None or now.side == side_of(step.state, uid)


@hookimpl
def fire_outcome(step: DisrupterStep, hit: Hit) -> Outcome | None:
    """Let one die decide: all Wounds, or none (D-AMB-25, D-VA-R16.1)."""
    if not on(step.options, "D-SL-R16.2") and not on(step.options, "D-VA-R16.1"):
        return None
    missed = hit.attack is not None and not is_success(hit.attack)
    saved = hit.save is not None and is_success(hit.save)
    return Outcome(0 if missed or saved else hit.wounds)


# One Wound (D-SL-R16.3)


@hookimpl
def fire_wounds(step: DisrupterStep) -> int | None:
    """Let every weapon that reaches its target do one Wound, whatever its columns say."""
    return 1 if on(step.options, "D-SL-R16.3") else None


@hookimpl
def fire_splash(step: DisrupterStep) -> int | None:
    """Let splash do one Wound."""
    return 1 if on(step.options, "D-SL-R16.3") else None


@hookimpl
def fire_near_miss(step: DisrupterStep) -> int | None:
    """Let a rocket that misses do one Wound to each."""
    return 1 if on(step.options, "D-SL-R16.3") else None


# [+] and [-] of the side that does not roll (D-AMB-25)


@hookimpl
def check_modifiers(step: DisrupterStep, request: CheckRequest) -> tuple[Modifier, ...] | None:
    """Turn what would help the side that does not roll against the side that does, and the other way round."""
    options = step.options
    if options.get("D-AMB-25") != "translate_modifiers" or not on(options, "D-SL-R16.2"):
        return None
    if request.purpose == "fire":
        return _turned(step, _of_target(step, request), "the target's")
    if request.purpose == "save" and request.attackers:
        return _turned(step, _of_attackers(step, request), "the attackers'")
    return None


def _of_target(step: DisrupterStep, request: CheckRequest) -> tuple[Modifier, ...]:
    """Return the modifiers of the save that the target would make: a team has those that all its units have (D-R16.7)."""
    aimed = step.state.get(request.target or "")
    if aimed is None:  # a place, not somebody
        return ()
    units = living(step.state, aimed.uid) if aimed.role == "team" else (aimed,)
    saves = [CheckRequest((unit.uid,), "armor", "save", None, request.weapon) for unit in units]
    return min([modifiers(step, save) for save in saves], key=len, default=())


def _of_attackers(step: DisrupterStep, request: CheckRequest) -> tuple[Modifier, ...]:
    """Return the modifiers of the check that the attackers would make together: those of the first of them (D-R16.8, D-AMB-45)."""
    target, units = request.units[0], request.attackers
    shot = CheckRequest(units, "instinct", "fire", target, request.weapon, request.reaction)
    several = (Modifier("+", f"{len(units)} units fire at the target", "D-R16.8"),) if len(units) > 1 else ()
    return (*modifiers(step, shot), *several)


def _turned(step: DisrupterStep, found: tuple[Modifier, ...], whose: str) -> tuple[Modifier, ...]:
    """Return what modifiers come to (D-AMB-07), with the sign turned round."""
    sign = net(found, chosen(step.options, "D-AMB-07"))
    if sign == 0:
        return ()
    reasons = ", ".join(each.reason for each in found)
    return (Modifier("-" if sign > 0 else "+", f"{whose} [{'+' if sign > 0 else '-'}]: {reasons}", "D-AMB-25"),)
