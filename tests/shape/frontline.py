"""Frontline: a battle of formations in six zones, after which both sides decide in secret whether to stay.

Rule ids T-B... are those of the Battle System. What it lacks is the house set of its reference (M-T3, M-T4, M-T8):
difficulty 8, DM 0 up to a reach by type, no modifier of type against type, size from strength, zones in one line.
Left out: air support and ortillery, the second Command unit, and of the morale rows T-BL2 and T-BL5.
"""

from __future__ import annotations

from collections.abc import Sequence

from rallypoint.kernel.changes import Change, DropStatus, Remove, SetAttribute, SetPlace, SetStatus, SetTracker
from rallypoint.kernel.dice import D6, D100, ByFace, Throw
from rallypoint.kernel.errors import RuleError
from rallypoint.kernel.game import Acts, Due, Intent, Over, Runs
from rallypoint.kernel.state import Entity, State, Status, Zone
from rallypoint.kernel.step import Step
from rallypoint.kernel.tape import Choice, Option

from .plain import SIDES, TABLE, Plain, effect, fact, named, other, uids

ROUNDS = 3
ZONES = ("red support", "red reserves", "red front", "blue front", "blue reserves", "blue support")
REACH = {"Infantry": 2, "Heavy Infantry": 2, "Command": 2, "Close Quarters": 1, "Vehicle": 3, "Artillery": 5}


def units(state: State, side: str | None = None) -> list[Entity]:
    """Return the formations on the field: a unit is an entity whose Strength counts its members."""
    return [unit for unit in state if unit.role == "unit" and side in (None, unit.parent)]


def zone(unit: Entity) -> int:
    assert isinstance(unit.place, Zone)
    return ZONES.index(unit.place.name)


def ready(state: State, side: str) -> list[Entity]:
    """T-BA1: two Unit Actions a unit at most; T-BA2: nobody's second before all first ones are done."""
    able = [unit for each in SIDES if state[each].value("Orders") for unit in units(state, each)]
    taken = min([unit.value("Actions") for unit in able], default=2)
    return [unit for unit in able if unit.parent == side and unit.value("Actions") == taken < 2]


def in_turn(state: State) -> str | None:
    """T-BA2: the sides alternate; the one with more Unit Actions starts, of equals the one with higher Tactics."""
    sides = [state[side] for side in SIDES if ready(state, side)]
    line = sorted(sides, key=lambda side: (side.value("Spent"), -side.value("Orders"), -fact(side, "tactics")))
    return line[0].uid if line else None


def targets(state: State, unit: Entity) -> list[str]:
    """M-T3: enemies within reach in zones."""
    foes, reach = units(state, other(unit.parent)), REACH[str(unit.facts["type"])]
    return [foe.uid for foe in foes if abs(zone(foe) - zone(unit)) <= reach]


def ways(unit: Entity) -> list[str]:
    """T-BM1: the zones beside this one; T-BM3: beyond its own Support is off the field. One Manoeuvre a round."""
    near = [ZONES[place] for place in (zone(unit) - 1, zone(unit) + 1) if 0 <= place < len(ZONES)]
    return [] if unit.value("Moved") else near + ["off"] * (ZONES[zone(unit)] == f"{unit.parent} support")


def command(step: Step[None], side: str) -> None:
    """T-BC1: Leadership 8+ adds the Effect to Tactics, +1 from the Reserves; T-BC2: without command all Morale drops."""
    chief = next((unit for unit in units(step.state, side) if unit.facts["type"] == "Command"), None)
    done: list[Change] = [SetTracker(side, "Commanded", step.turn), SetTracker(side, "Spent", 0)]
    if chief is None:
        drops = [SetTracker(u.uid, "Morale", max(u.value("Morale") - 1, 0)) for u in units(step.state, side)]
        orders = SetTracker(side, "Orders", len(drops))
        return step.emit("command.none", *done, orders, *drops, rule="T-BC2")
    dm = fact(chief, "leadership") + (ZONES[zone(chief)] == f"{side} reserves")
    fell = step.grade(Throw(chief.uid, "leadership", D6, 2), effect(dm))
    gained = 0 if fell.grade == "miss" else int(fell.grade)
    orders = SetTracker(side, "Orders", fact(step.state[side], "tactics") + gained)
    return step.emit("command.given", *done, orders, rule="T-BC1", why={"dice": fell, "dm": dm})


def spend(step: Step[None], uid: str, done: str, *allowed: str) -> Entity:
    """Take a Unit Action for a unit, unless it is not its turn or ``done`` is not allowed; return the unit."""
    side = in_turn(step.state)
    if side is None or uid not in uids(ready(step.state, side)) or done not in allowed:
        raise RuleError("this unit cannot do that now", rule="T-BA1", where=uid, found=done, expected=allowed)
    unit = step.state[uid]
    counts = {(side, "Orders"): -1, (side, "Spent"): 1, (uid, "Actions"): 1}
    changes = [SetTracker(who, name, step.state[who].value(name) + by) for (who, name), by in counts.items()]
    step.emit("action.spent", *changes, rule="T-BA1")
    return unit


def attack(step: Step[None], uid: str, target: str) -> None:
    """T-BT1: an attack, if the unit has the nerve."""
    unit = spend(step, uid, target, *(targets(step.state, step.state[uid]) if uid in step.state else ()))
    nerve = unit.value("Morale") - all(each.facts["type"] != "Command" for each in units(step.state, unit.parent))
    if nerve < 6:
        (die,) = step.roll(Throw(uid, "morale", D6))
        if die > nerve:
            return step.emit("attack.refused", rule="T-BT1", why={"die": die, "nerve": nerve})
    return strike(step, uid, target)


def strike(step: Step[None], uid: str, target: str) -> None:
    """T-BT2, T-BT3: 2d6 and skill against 8; Effect, size and difference in tech level are the casualties."""
    unit, foe = step.state[uid], step.state[target]
    dice = step.roll(Throw(uid, "attack", D6, 2))
    over, size = sum(dice) + fact(unit, "skill") - 8, -(-unit.value("Strength") // 10)
    lost = max(over + size + fact(unit, "tl") - fact(foe, "tl"), 0) if over >= 0 else 0
    left = SetTracker(target, "Strength", max(foe.value("Strength") - lost, 0))
    why = {"dice": dice, "size": size, "lost": lost}
    step.emit("unit.attacked", left, SetStatus(target, Status("attacked")), rule="T-BT3", why=why)
    if not left.value:
        fallen = [SetStatus(str(foe.parent), Status("leaderless"))] if foe.facts["type"] == "Command" else []
        step.emit("unit.destroyed", Remove(target), *fallen, rule="T-BT3")


def manoeuvre(step: Step[None], uid: str, to: str) -> None:
    """T-BM1; T-BM2: whoever blocks there stops it once, Infantry twice; T-BM3: going back restores Morale."""
    unit = spend(step, uid, to, *(ways(step.state[uid]) if uid in step.state else ()))
    if to == "off":
        return step.emit("unit.leaves", Remove(uid), rule="T-BM3")
    for foe in units(step.state, other(unit.parent)):
        if foe.place == Zone(to) and foe.value("Morale") and foe.value("Blocks"):
            changes = SetTracker(uid, "Moved", 1), SetTracker(foe.uid, "Blocks", foe.value("Blocks") - 1)
            return step.emit("manoeuvre.blocked", *changes, rule="T-BM2", why={"by": foe.uid})
    away = (ZONES.index(to) < zone(unit)) == (unit.parent == SIDES[0])
    morale = unit.trackers["Morale"].clamp(unit.value("Morale") + (away and unit.value("Morale") > 0))
    here = SetPlace(uid, Zone(to)), SetTracker(uid, "Morale", morale), SetTracker(uid, "Moved", 1)
    return step.emit("unit.moves", *here, rule="T-BM1")


def lapse(step: Step[None], side: str) -> None:
    """T-BC1: what is not used of the Unit Actions is lost."""
    if side != in_turn(step.state):
        raise RuleError("it is not this side's turn", rule="T-BA2", found=side)
    step.emit("command.lapses", SetTracker(side, "Orders", 0), rule="T-BC1")


def morale(step: Step[None]) -> None:
    """T-BL1: attacked -1; T-BL3: first time below half -1; T-BL4: a Command unit of the army lost -2."""
    changes: list[Change] = [SetTracker(TABLE, "Checked", step.turn)]
    for unit in units(step.state):
        half = 2 * unit.value("Strength") < fact(unit, "strength") and not unit.value("Halved")
        drop = ("attacked" in unit.statuses) + half + 2 * ("leaderless" in step.state[str(unit.parent)].statuses)
        counts = {"Morale": max(unit.value("Morale") - drop, 0), "Halved": unit.value("Halved") + half}
        counts |= {"Actions": 0, "Moved": 0, "Blocks": fact(unit, "blocks")}
        changes += [SetTracker(unit.uid, *count) for count in counts.items()]
    changes += [DropStatus(each.uid, status) for each in step.state for status in each.statuses]
    step.emit("morale.falls", *changes, rule="T-BL1")


def rally(step: Step[None], uid: str) -> None:
    """T-BL6: at 0 broken and off the roster; house rule: d100 (0 to 99) below ten times the Rating brings it back."""
    chance = 10 * fact(step.state[uid], "rating")
    cut = ByFace.of(["rallies"] * chance + ["breaks"] * (100 - chance), ("rallies", "breaks"))
    fell = step.grade(Throw(uid, "rally", D100), cut)
    change = SetTracker(uid, "Morale", 1) if fell.grade == "rallies" else Remove(uid)
    step.emit(f"unit.{fell.grade}", change, rule="T-BL6", why={"dice": fell})


def withdrawal(step: Step[None]) -> None:
    """T-BW1: sealed; neither: a new round; both: the end; one: every unit of the other side attacks once more."""
    options = Option("stay", "stay"), Option("withdraw", "withdraw")
    chosen = step.choose(*[Choice(side, "withdrawal", options) for side in SIDES])
    gone = [side for side, option in zip(SIDES, chosen, strict=True) if option.key == "withdraw"]
    stays = other(gone[0]) if len(gone) == 1 else ""
    step.emit("withdrawal.shown", rule="T-BW1", why={"withdraw": gone})
    for unit in units(step.state, stays) if stays else ():
        if within := tuple([Option(foe, foe) for foe in targets(step.state, unit)]):
            strike(step, unit.uid, step.choose(Choice(stays, "pursuit", within, unit.uid)).key)
    result = [SetAttribute(TABLE, "result", f"{stays} holds the field" if stays else "both withdraw")] if gone else []
    step.emit("round.ends", SetTracker(TABLE, "Round", step.turn + 1), *result, rule="T-BP0")


class Frontline(Plain):
    """The game: Command, Action, Morale, Withdrawal (T-BP0)."""

    name = "frontline"
    rules = named(command, attack, manoeuvre, lapse, morale, rally, withdrawal)

    def next(self, state: State) -> Due:
        turn, result = self.clock(state), state[TABLE].attributes.get("result")
        left = [side for side in SIDES if units(state, side)]
        if result or len(left) < 2 or turn > ROUNDS:
            return Over(result or (f"{left[0]} holds the field" if len(left) == 1 else "night falls"))
        if waiting := [side for side in SIDES if state[side].value("Commanded") < turn]:
            return Runs("command", (waiting[0],))
        if acting := in_turn(state):
            return Acts((acting,))
        if state[TABLE].value("Checked") < turn:
            return Runs("morale")
        broken = [unit.uid for unit in units(state) if not unit.value("Morale")]
        return Runs("rally", (broken[0],)) if broken else Runs("withdrawal")

    def legal(self, state: State, seat: str) -> Sequence[Intent]:
        able = ready(state, seat)
        legal = [Intent("attack", (unit.uid, foe), seat) for unit in able for foe in targets(state, unit)]
        legal += [Intent("manoeuvre", (unit.uid, to), seat) for unit in able for to in ways(unit)]
        return [*legal, Intent("lapse", (seat,), seat)]
