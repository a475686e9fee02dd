"""Dogfight: ships on hexes with a trajectory, guns with an arc, and missiles that come home a round later.

Rule ids P-... are those of the percentile system, whose d100 goes from 1 to 100. Ranges, weapons and missiles are content
that those rules do not have (M-03, M-04, M-10): it comes in as options of the game, and a rule that needs what is not
there stops with the name of the slot. One point is 10 percentage points (P-AMB-01).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

from rallypoint.kernel.changes import Add, Change, DropLink, Remove, SetAgenda, SetLink, SetPlace, SetTracker
from rallypoint.kernel.dice import PERCENTILE, ByFace, Throw
from rallypoint.kernel.errors import MissingContentError, RuleError
from rallypoint.kernel.fold import fold
from rallypoint.kernel.game import Acts, Due, Intent, Over, Runs
from rallypoint.kernel.state import Appointment, Entity, Hex, Link, State
from rallypoint.kernel.step import Step
from rallypoint.kernel.tape import Choice

from .hexes import AROUND, ahead, at, distance
from .plain import SIDES, TABLE, Plain, fact, named, other, reaction, uids

ROUNDS, ACTIONS = 3, 3


def ships(state: State, side: str | None = None) -> list[Entity]:
    return [entity for entity in state if entity.role == "ship" and side in (None, entity.parent)]


def in_turn(state: State) -> str | None:
    """P-CA5: one action at a time; P-CA3, P-AMB-06: by falling Agility, of equals the higher Leadership first."""
    left = [ship for ship in ships(state) if ship.value("Actions")]
    best = max(left, key=lambda s: (s.value("Actions"), fact(s, "agility"), fact(s, "leadership")), default=None)
    return None if best is None else best.uid


def spend(step: Step[None], uid: str) -> None:
    if uid != in_turn(step.state):
        raise RuleError("it is not this ship's turn", rule="P-CA5", found=uid)
    step.emit("action.spent", SetTracker(uid, "Actions", step.state[uid].value("Actions") - 1), rule="P-AC2")


def content(step: Step[None], slot: str, what: str) -> Mapping[str, int]:
    """Return the numbers of a slot; without them the whole act is off, and nothing of it has happened."""
    numbers = step.options.get(slot)
    if not isinstance(numbers, Mapping):
        raise MissingContentError(slot, what, hint=f"give the game numbers for {slot}")
    return {name: number for name, number in numbers.items() if isinstance(number, int)}


@cache
def quality(skill: int) -> ByFace:
    """P-CK1, P-CK2: up to the skill a success (P-AMB-03); ones digit 1-5 mundane, 6-9 special, 0 critical."""
    kinds = ["critical" if face % 10 == 0 else "mundane" if face % 10 < 6 else "special" for face in range(1, 101)]
    classes = [kind if face <= skill else "failure" for face, kind in enumerate(kinds, 1)]
    return ByFace.of(classes, ("critical", "special", "mundane", "failure"))


def opposed(step: Step[None], purpose: str, first: tuple[str, int], second: tuple[str, int]) -> str:
    """P-CK4: return who rolled highest without going over the skill, or "tie" or "nobody"."""
    (a,), (b,) = step.roll(Throw(first[0], purpose, PERCENTILE), Throw(second[0], purpose, PERCENTILE))
    inside = [(roll, who) for (who, skill), roll in ((first, a), (second, b)) if roll <= skill]
    return "tie" if len(inside) == 2 and a == b else max(inside, default=(0, "nobody"))[1]


def new_round(step: Step[None]) -> None:
    """P-AC1: three actions for everyone (Agility would change them)."""
    changes: list[Change] = [SetTracker(TABLE, "Round", step.state[TABLE].value("Round") + 1)]
    for uid in uids(ships(step.state)):
        changes += [SetTracker(uid, "Actions", ACTIONS), SetTracker(uid, "Moved", 0), SetTracker(uid, "Defended", 0)]
    step.emit("round.begins", *changes, rule="P-AC1")


def flights(ship: Entity) -> list[tuple[str, int, int]]:
    """P-SP2 to P-SP4: thrust 1 pushes the marker ahead, 2 beside that, maneuver anywhere; P-SP5: what may be turned."""
    facing, thrust, maneuver = at(ship).facing or 0, fact(ship, "thrust"), fact(ship, "maneuver")
    pushes = [("thrust", (facing + side) % 6) for side in (5, 0, 1) if thrust >= (1 if side == 0 else 2)]
    pushes += [("maneuver", direction) for direction in range(6) if maneuver]
    most = {"coast": 1 + maneuver, "thrust": 1 + maneuver, "maneuver": maneuver}
    return [(how, to, turn) for how, to in [("coast", 0), *pushes] for turn in range(-most[how], most[how] + 1)]


def fly(step: Step[None], uid: str, how: str, direction: int, turn: int) -> None:
    """Move with one push at most; the rules do not say what a ship's move costs, so it is one action."""
    spend(step, uid)
    if step.state[uid].value("Moved") or (how, direction, turn) not in flights(step.state[uid]):
        raise RuleError("the ship cannot fly like this", rule="P-SP2", where=uid, found=(how, direction, turn))
    drift(step, uid, (0, 0) if how == "coast" else AROUND[direction], turn)


def drift(step: Step[None], uid: str, push: tuple[int, int] = (0, 0), turn: int = 0) -> None:
    """P-SP6: move to the marker, then move the marker by as much again. Nothing blocks in space, so the way is free."""
    ship, (marker,) = step.state[uid], step.state.children(uid)
    (x, y, facing), q, r = at(ship), at(marker).q + push[0], at(marker).r + push[1]
    moved = SetPlace(uid, Hex(q, r, ((facing or 0) + turn) % 6)), SetPlace(marker.uid, Hex(2 * q - x, 2 * r - y))
    step.emit("ship.flies", *moved, SetTracker(uid, "Moved", 1), rule="P-SP6")


def fire(step: Step[None], uid: str, target: str) -> None:
    """A gun: one action, arc F; the content says range and damage."""
    spend(step, uid)
    ranges, gun = content(step, "M-03", "ranges and range modifiers"), content(step, "M-04", "weapon tables")
    ship = step.state[uid]
    if target not in uids(ships(step.state, other(ship.parent))) or not ahead(at(ship), at(step.state[target])):
        raise RuleError("this cannot be shot at", rule="P-WA1", where=uid, found=target)
    points = -(distance(at(ship), at(step.state[target])) // ranges["step"])
    fell = step.grade(Throw(uid, "gun", PERCENTILE), quality(fact(ship, "targeting") + 10 * points))
    harm(step, target, gun.get(fell.grade, 0), "gun", {"dice": fell, "points": points})


def harm(step: Step[None], uid: str, damage: int, weapon: str, why: Mapping[str, object]) -> None:
    left = step.state[uid].value("Hull") - damage
    change = SetTracker(uid, "Hull", left) if left > 0 else Remove(uid)
    step.emit(f"{weapon}.hits" if damage else f"{weapon}.misses", *[change] * bool(damage), rule="P-VD1", why=why)


def launch(step: Step[None], uid: str, target: str) -> None:
    """P-MI1: a missile has 3 actions a round; M-08: it needs its way divided by its speed. P-MI2: at whom is a secret."""
    spend(step, uid)
    kind, ship = content(step, "M-10", "missile types"), step.state[uid]
    if target not in uids(ships(step.state, other(ship.parent))) or not ship.value("Missiles"):
        raise RuleError("no missile can go there", rule="P-MI1", where=uid, found=target)
    side, left = str(ship.parent), ship.value("Missiles") - 1
    missile = f"{uid}-missile-{left}"
    actions = -(-distance(at(ship), at(step.state[target])) // kind["speed"])
    arrival = Appointment(missile, step.turn + max(actions - 1, 0) // 3, "impact", (missile,))
    body = Entity.new(missile, "missile", parent=side, place=ship.place, facts={"targeting": ship.facts["targeting"]})
    step.emit("missile.launched", SetTracker(uid, "Missiles", left), Add(body), SetAgenda(arrival), rule="P-MI1")
    step.emit("missile.aimed", SetLink(Link("aimed", missile, target, "secret")), rule="P-MI2", seen_by=(side,))


def impact(step: Step[None], missile: str) -> None:
    """P-MI2: the target is revealed; P-MI3, P-MI5: then it may defend itself; what is left attacks."""
    kind = content(step, "M-10", "missile types")
    for link in step.state.linked("aimed", source=missile):
        step.emit("missile.revealed", SetLink(link._replace(value="revealed")), rule="P-MI2")
        step.window("defence", missile)
        if missile in step.state:
            fell = step.grade(Throw(missile, "impact", PERCENTILE), quality(fact(step.state[missile], "targeting")))
            harm(step, link.target, kind["damage"] * (fell.grade != "failure"), "missile", {"dice": fell})
    if missile in step.state:
        step.emit("missile.spent", Remove(missile), rule="P-MI1")


def defend(step: Step[None], uid: str, missile: str) -> None:
    """P-MI4: opposed; the missile's Move and Size count for the missile (P-AMB-14). One missile is destroyed."""
    kind = content(step, "M-10", "missile types")
    step.emit("defence.fires", SetTracker(uid, "Defended", 1), rule="P-MI5")
    ship = uid, fact(step.state[uid], "missile_defense")
    won = opposed(step, "missile defense", ship, (missile, kind["skill"] + 10 * kind["move_and_size"]))
    step.emit("defence.ends", *[Remove(missile)] * (won == uid), rule="P-MI4", why={"won": won})


def hold(step: Step[None], uid: str) -> None:
    spend(step, uid)
    step.emit("ship.holds", SetTracker(uid, "Actions", 0), rule="P-CA5")


class Dogfight(Plain):
    """The game; its options are the content."""

    name = "dogfight"
    rules = named(new_round, fly, drift, fire, launch, impact, defend, hold)

    def next(self, state: State) -> Due:
        now, turn = in_turn(state), self.clock(state)
        left = [side for side in SIDES if ships(state, side)]
        if len(left) == 1:  # never none: ships go one by one
            return Over(left[0])
        if now is not None:
            return Acts((str(state[now].parent),))
        if drifting := [ship.uid for ship in ships(state) if not ship.value("Moved")]:
            return Runs("drift", (drifting[0],))
        if due := state.due(turn):
            return Runs(due.rule, due.args, due.key)
        return Runs("new_round") if turn < ROUNDS else Over("nobody")

    def legal(self, state: State, seat: str) -> Sequence[Intent]:
        ship = state[in_turn(state) or seat]
        if ship.parent != seat:
            return []
        legal = [] if ship.value("Moved") else [Intent("fly", (ship.uid, *flight), seat) for flight in flights(ship)]
        for foe in uids(ships(state, other(seat))):
            legal += [Intent("fire", (ship.uid, foe), seat)] * ahead(at(ship), at(state[foe]))
            legal += [Intent("launch", (ship.uid, foe), seat)] * bool(ship.value("Missiles"))
        return [*legal, Intent("hold", (ship.uid,), seat)]

    def view(self, state: State, seat: str) -> State:
        """P-MI2: hide at whom the other side's missiles are aimed."""
        secret = [link for link in state.linked("aimed") if link.value == "secret"]
        return fold(state, [DropLink(*link.key) for link in secret if state[link.source].parent != seat])

    def reactions(self, state: State, window: str, subject: str) -> Sequence[Choice]:
        """P-MI3, P-MI5: antimissile weapons of the target's squadron; other weapons would need an action."""
        targets = [state[link.target] for link in state.linked("aimed", source=subject)]
        squadron = [ship for target in targets for ship in ships(state, target.parent) if not ship.value("Defended")]
        return [reaction(s, "defend", "defend", s.uid, subject) for s in squadron if s.facts["antimissile"]]
