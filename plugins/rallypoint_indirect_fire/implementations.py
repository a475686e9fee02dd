"""What the rules for indirect fire add. Each function has the name of a hook of Disrupter (:mod:`rallypoint.disrupter.hooks`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from rallypoint.disrupter.field import board, enemy, living, place, place_named, side_of, teams, weapon, weapons
from rallypoint.disrupter.hooks import DisrupterStep
from rallypoint.disrupter.outcome import fires_unseen, lobbed
from rallypoint.disrupter.records import Attack, Landing
from rallypoint.disrupter.sight import sees
from rallypoint.disrupter.spoken import hex_name
from rallypoint.disrupter.spotting import spotted_by_other
from rallypoint.kernel.dice import D6, D10, Throw
from rallypoint.kernel.hexes import ring
from rallypoint.kernel.parts import Hex
from rallypoint.kernel.plugins.hooks import hookimpl
from rallypoint.kernel.state import Entity, State

from .drift import direction_of, distance_of, shifted
from .weapons import at_a_place, drifts

PLUGIN = "indirect-fire"


# What may be named


@hookimpl
def los_test(step: DisrupterStep, attack: Attack) -> bool | None:
    """D-IF-1: an indirect weapon needs no line of sight to the place that it is fired at."""
    return True if at_a_place(weapon(step.state, attack.weapon), attack) else None


@hookimpl
def fire_listed(step: DisrupterStep, team: Entity) -> tuple[Attack, ...]:
    """List the hexes in reach where an enemy stands whom the weapon cannot be fired at straight: everybody sees the board."""
    return tuple(_worth_listing(step, team))


def _worth_listing(step: DisrupterStep, team: Entity) -> Iterator[Attack]:
    state = step.state
    arms = [(unit, arm) for unit in living(state, team.uid) for arm in weapons(state, unit) if fires_unseen(arm)]
    if not arms:
        return
    for at, foe in _held(state, enemy(state, side_of(state, team.uid))).items():
        seen = sees(state, step.options, team.uid, foe)
        for unit, arm in arms:
            if not (seen and lobbed(arm)):  # a grenade at somebody in sight is listed as any shot at him is
                yield Attack(unit.uid, arm.key, f"@{at.q},{at.r}")


def _held(state: State, side: str) -> Mapping[Hex, str]:
    """Return the hexes that a side holds, each with a team that stands there."""
    found: dict[Hex, str] = {}
    for foe in teams(state, side):
        at = place(state, foe.uid)
        if at is not None:
            found.setdefault(at, foe.uid)
    return found


# What comes of it


@hookimpl
def indirect_target(step: DisrupterStep, attack: Attack) -> Hex | None:
    """D-IF-5: what another unit has spotted in this turn is hit without an Instinct Check."""
    arm, at = weapon(step.state, attack.weapon), place_named(attack.target)
    if at is None or not drifts(arm, step.options) or not spotted_by_other(step.state, attack.shooter, attack.target):
        return None
    step.emit(
        "indirect.spotted",
        rule="D-IF-5",
        by=PLUGIN,
        why={"words": "{shooter}: {at} is spotted, no check", "shooter": attack.shooter, "at": at[:2]},
    )
    return at


@hookimpl
def indirect_drift(step: DisrupterStep, attack: Attack, aimed: Hex) -> Landing | None:
    """D-IF-3: a shot whose check failed lands a d5 of hexes away, where the die points."""
    if not drifts(weapon(step.state, attack.weapon), step.options):
        return None
    thrown = _thrown(step, attack.shooter, aimed)
    there = board(step.state).holds(thrown.lands)
    lost = not there and step.options.get("D-IF-3.edge", "nothing") == "nothing"
    end = "lands in {lands}" if there else "is lost off the board" if lost else "lands off the board"
    how = "drifts {hexes} {way} from {from} and" if thrown.hexes else "does not drift and"
    why: dict[str, object] = {
        "words": f"{{shooter}}: the shot {how} {end}",
        "shooter": attack.shooter,
        "weapon": attack.weapon,
        "from": aimed[:2],
        "hexes": thrown.hexes,
        "way": thrown.way,
        "dice": thrown.dice,
    }
    if there:
        why["lands"] = thrown.lands[:2]
    step.emit("indirect.drift", rule="D-IF-3", by=PLUGIN, why=why)
    return Landing(None if lost else thrown.lands)


class _Thrown(NamedTuple):
    """What the dice of a drift showed, and what it means: how far, which way in words, and the hex."""

    dice: tuple[str, ...]
    hexes: int
    way: str
    lands: Hex


def _thrown(step: DisrupterStep, shooter: str, aimed: Hex) -> _Thrown:
    ruling = str(step.options.get("D-AMB-29", "halved_up"))
    far, way = Throw(shooter, "drift", D10), "direction of drift"
    if step.options.get("D-IF-3.direction", "hexside") == "ring":
        (ten,) = step.roll(far)
        hexes = distance_of(ten, ruling)
        around = {_called(step, at): at for at in ring(aimed, hexes)}
        (drawn,) = step.pick(tuple(around), 1, way, shooter)
        return _Thrown((f"d10 {ten}", drawn), hexes, _counted(hexes), around[drawn])
    (ten,), (side,) = step.roll(far, Throw(shooter, way, D6))
    hexes = distance_of(ten, ruling)
    dice = (f"d10 {ten}", f"d6 {side}")
    return _Thrown(dice, hexes, f"{_counted(hexes)} {direction_of(side)}", shifted(aimed, hexes, side))


def _counted(hexes: int) -> str:
    return "hex" if hexes == 1 else "hexes"


def _called(step: DisrupterStep, at: Hex) -> str:
    """Return a hex by its name on the map; one beside it has none."""
    return hex_name(at) if board(step.state).holds(at) else f"@{at.q},{at.r}"


@hookimpl
def fire_wounds(step: DisrupterStep, attack: Attack, wounds: int) -> int:
    """D-IF-6: column T is what indirect fire does to whoever it is on."""
    arm = weapon(step.state, attack.weapon)
    return arm.T if at_a_place(arm, attack) else wounds
