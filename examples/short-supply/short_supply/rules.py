"""What short supply changes. Each function has the name of a hook and takes any of its arguments, by name."""

from __future__ import annotations

from collections.abc import Mapping

from rallypoint.disrupter.field import alive, living, side_of, team_of, teams, turn, weapon
from rallypoint.disrupter.hooks import DisrupterStep
from rallypoint.disrupter.records import Act, Attack
from rallypoint.kernel.canonical import Value
from rallypoint.kernel.changes import SetTracker
from rallypoint.kernel.encounter import Encounter
from rallypoint.kernel.errors import RuleError
from rallypoint.kernel.game import Intent
from rallypoint.kernel.parts import Tracker
from rallypoint.kernel.plugins.hooks import hookimpl
from rallypoint.kernel.state import Entity, State

PLUGIN = "short-supply"


# What is tracked


def carried(options: Mapping[str, Value]) -> int:
    """Return how much Ammo a unit carries, by SUPPLY-1."""
    number = options.get("SUPPLY-1", 6)
    assert isinstance(number, int)
    return number


@hookimpl
def export_encounter(options: Mapping[str, Value], encounter: Encounter) -> Encounter | None:
    """Give every unit its Ammo: battles begin from it, and cards and exports show it."""
    most = carried(options)
    if not most:
        return None
    ammo = Tracker(most, min=0, max=most, bad="down")
    entities = [
        each._replace(trackers={**each.trackers, "Ammo": ammo}) if each.role == "unit" else each
        for each in encounter.state
    ]
    return encounter._replace(state=State.of(entities, encounter.state.links.values(), encounter.state.agenda))


@hookimpl
def setup_briefing(options: Mapping[str, Value]) -> tuple[str, ...]:
    """Say what the rulings come to, before the battle starts."""
    most = carried(options)
    if most:
        return (f"Every unit carries Ammo for {most} shots; a launched grenade takes two.",)
    return ("Nobody counts Ammo (SUPPLY-1 is 0), so there is none to share.",) if _shared(options) else ()


# What takes it and brings it


def ammo(unit: Entity) -> int:
    """Return a unit's Ammo; a unit that does not count has none."""
    return unit.value("Ammo") if "Ammo" in unit.trackers else 0


def needed(state: State, attack: Attack) -> int:
    """Return the Ammo of a shot: two for a launched grenade; the game may count its shots besides (D-AMB-43)."""
    return 1 if weapon(state, attack.weapon).trait("launch_check") is None else 2


@hookimpl
def battle_declare(step: DisrupterStep, attack: Attack) -> bool | None:
    """Refuse a shot without Ammo."""
    unit = step.state[attack.shooter]
    return ammo(unit) >= needed(step.state, attack) if "Ammo" in unit.trackers else None


@hookimpl
def fire_shot(step: DisrupterStep, attack: Attack) -> None:
    """Take the Ammo of a shot."""
    unit = step.state[attack.shooter]
    if "Ammo" in unit.trackers:
        left = ammo(unit) - needed(step.state, attack)
        why = {"words": "{unit} has {left} Ammo left", "unit": unit.uid, "left": left}
        step.emit("supply.spent", SetTracker(unit.uid, "Ammo", left), rule="SUPPLY-1", why=why, by=PLUGIN)


@hookimpl
def turn_start(step: DisrupterStep, platoon: Entity) -> None:
    """Let who has none find one shot at the start of a turn."""
    below = step.state.below(platoon.uid, "unit")
    empty = [unit.uid for unit in below if alive(unit) and "Ammo" in unit.trackers and not ammo(unit)]
    if empty:
        changes = [SetTracker(uid, "Ammo", 1) for uid in empty]
        why = {"words": "{units} found one Ammo each", "units": tuple(empty)}
        step.emit("supply.found", *changes, rule="SUPPLY-1", why=why, by=PLUGIN)


# An act of its own


@hookimpl
def acts() -> tuple[Act, ...]:
    """Add an act: ``rallypoint battle act FILE share_ammo '["GIVER", "TAKER"]'``."""
    return (Act("share_ammo", share_ammo),)


def share_ammo(step: DisrupterStep, giver: str, taker: str) -> None:
    """Let a unit give one Ammo to another of its team, in any portion of its side (SUPPLY-2)."""
    own = [uid for uid in (giver, taker) if uid in step.state and side_of(step.state, uid) == step.seat]
    if len(own) < 2 or (giver, taker) not in _pairs(step.state, step.options, giver):
        hint = "both stand in one team, the one has two Ammo or more and the other none"
        raise RuleError("these two cannot share Ammo", rule="SUPPLY-2", where=giver, found=taker, hint=hint)
    changes = [SetTracker(uid, "Ammo", ammo(step.state[uid]) + more) for uid, more in ((giver, -1), (taker, 1))]
    why = {"words": "{giver} gives one Ammo to {taker}", "giver": giver, "taker": taker}
    step.emit("supply.shared", *changes, rule="SUPPLY-2", why=why, by=PLUGIN)


@hookimpl
def legal_acts(state: State, options: Mapping[str, Value], seat: str) -> tuple[Intent, ...]:
    """List who may share with whom, once the briefing is over."""
    units = [unit for team in teams(state, seat) for unit in living(state, team.uid)] if turn(state) else []
    pairs = [pair for unit in units for pair in _pairs(state, options, unit.uid)]
    return tuple([Intent("share_ammo", pair, seat) for pair in pairs])


def _shared(options: Mapping[str, Value]) -> bool:
    return options.get("SUPPLY-2", "no") == "yes"


def _pairs(state: State, options: Mapping[str, Value], giver: str) -> list[tuple[str, str]]:
    """Return a unit with each mate that it may give Ammo to."""
    if not _shared(options) or state[giver].role != "unit" or not alive(state[giver]) or ammo(state[giver]) < 2:
        return []
    mates = living(state, team_of(state, giver).uid)
    return [(giver, mate.uid) for mate in mates if "Ammo" in mate.trackers and not ammo(mate)]
