"""What need not be tracked: Wounds, Stress, Orders, the columns of weapons; in play, on cards and on virtual tabletops.

A unit keeps a tracker of Wounds from 0 to 1: virtual tabletops have a place for it, and by it losses come back into a roster. On
paper it is left out: who is hit is taken off the board.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType

from rallypoint.disrupter.hooks import DisrupterStep
from rallypoint.disrupter.stress import level
from rallypoint.kernel.canonical import Value
from rallypoint.kernel.encounter import Encounter, Gear, Sheet
from rallypoint.kernel.plugins.hooks import hookimpl
from rallypoint.kernel.state import Entity, State

from .notes import uses_of_instinct
from .switches import on

__all__ = ["export_encounter", "harm_apply", "panic_check", "stress_change"]

COLUMNS = ("T", "C", "M", "L")
"""The Wounds of a weapon by range."""

ROLLED_TO_LAND = ("throw_check", "launch_check", "miss_hits_own_team")
"""The traits of grenades that say nothing where these always land where they should; the rules go on to read them."""

_SPLASH = re.compile(r"(splash\(close,|miss_wounds_each\()\d+\)")


@hookimpl
def export_encounter(options: Mapping[str, Value], encounter: Encounter) -> Encounter | None:
    """Return the encounter with what is tracked under these rulings."""
    left_out = tuple(_left_out(options))
    sheets = {uid: _sheet(sheet, options) for uid, sheet in encounter.sheets.items()}
    tables = encounter.tables
    if on(options, "D-SL-R8.1"):
        tables = tuple([table for table in tables if not table.key.endswith("_panic")])
    return encounter._replace(
        state=_state(encounter.state, options),
        sheets=MappingProxyType(sheets),
        tables=tables,
        left_out=tuple(dict.fromkeys((*encounter.left_out, *left_out))),
    )


def _left_out(options: Mapping[str, Value]) -> Iterator[str]:
    if on(options, "D-SL-R6.1"):
        yield "Wounds"
    if on(options, "D-SL-R9.1"):
        yield "orders"
    if on(options, "D-SL-R16.3"):
        yield from COLUMNS
    if options.get("D-AMB-26") == "no_instinct":
        yield from ROLLED_TO_LAND
    if not any(uses_of_instinct(options)):
        yield "Instinct"
        yield "no_instinct_check"  # nothing needs one


def _state(state: State, options: Mapping[str, Value]) -> State:
    made = [_entity(entity, options) for entity in state]
    return State.of(made, state.links.values(), state.agenda)


def _entity(entity: Entity, options: Mapping[str, Value]) -> Entity:
    trackers = dict(entity.trackers)
    if on(options, "D-SL-R8.1") and entity.role == "platoon":
        trackers.pop("Stress", None)
    wounds = trackers.get("Wounds")
    if on(options, "D-SL-R6.1") and entity.role == "unit" and wounds is not None and wounds.max:
        # Who comes with a Wound has none left, as who fell at a table of these rules comes back with one.
        trackers["Wounds"] = wounds._replace(value=min(wounds.value, 1), max=1)
    return entity if trackers == entity.trackers else entity._replace(trackers=MappingProxyType(trackers))


def _sheet(sheet: Sheet, options: Mapping[str, Value]) -> Sheet:
    stats = dict(sheet.stats)
    if on(options, "D-SL-R6.1") and stats.get("Wounds"):
        stats["Wounds"] = 1
    gear = tuple([_of_one_wound(each) for each in sheet.gear]) if on(options, "D-SL-R16.3") else sheet.gear
    return sheet._replace(stats=MappingProxyType(stats), gear=gear)


def _of_one_wound(gear: Gear) -> Gear:
    """Return a weapon that does one Wound wherever it reaches, as its numbers and traits say it."""
    if gear.kind != "weapon":
        return gear
    traits = gear.facts.get("traits", ())
    assert isinstance(traits, tuple)
    one: dict[str, Value] = {name: 1 for name in COLUMNS if name in gear.facts and (name != "T" or gear.facts["T"])}
    one["traits"] = tuple([_SPLASH.sub(r"\g<1>1)", str(trait)) for trait in traits])
    return gear._replace(facts=MappingProxyType({**gear.facts, **one}))


# In play, where a battle began with more to track: under other rulings, or without cards


@hookimpl
def harm_apply(step: DisrupterStep, unit: Entity, wounds: int) -> int | None:
    """Let the first Wound be the last (D-SL-R6.1)."""
    taken = unit.trackers["Wounds"]
    if wounds <= 0 or taken.max is None or not on(step.options, "D-SL-R6.1"):
        return None
    return max(wounds, taken.max - taken.value)


@hookimpl
def stress_change(step: DisrupterStep) -> int | None:
    """Leave Stress as it is (D-SL-R8.1)."""
    return 0 if on(step.options, "D-SL-R8.1") else None


@hookimpl
def panic_check(step: DisrupterStep, subject: Entity) -> bool | None:
    """Let nobody panic (D-SL-R8.1); where there is no Stress nobody would."""
    if not on(step.options, "D-SL-R8.1"):
        return None
    owner = subject if subject.role == "platoon" else step.state.above(subject.uid, "platoon")
    return True if level(owner) else None
